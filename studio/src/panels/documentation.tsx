// What a class is for: description, parameters, connectors, text. The server hands out safe HTML only.

import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { call, type DocEntry, type Documentation } from "../api";
import { open } from "../state";
import { ClassIcon } from "../widgets";
import { reveal } from "./tree";

const known = signal(new Map<string, Documentation | string>());
const asked = new Set<string>();

export function forgetDocumentation(name: string): void {
  asked.delete(name);
  if (known.value.has(name)) void ask(name);
}

async function ask(name: string): Promise<void> {
  asked.add(name);
  try {
    const d = await call("documentation", { class: name });
    known.value = new Map(known.value).set(name, d);
  } catch (error) {
    known.value = new Map(known.value).set(name, error instanceof Error ? error.message : String(error));
  }
}

function Entries({ title, list, small }: { title: string; list: DocEntry[]; small: boolean }): JSX.Element | null {
  if (!list.length) return null;
  return (
    <>
      <h2>{title}</h2>
      <table>
        {list.map((e) => (
          <tr>
            <td class="mono">{e.name}</td>
            {e.value || e.unit ? <td class="mono">{e.value || `[${e.unit}]`}</td> : <td class="mono soft">{small ? "" : e.class.slice(e.class.lastIndexOf(".") + 1)}</td>}
            <td>{e.description}</td>
          </tr>
        ))}
      </table>
    </>
  );
}

export function DocumentationView({ name, small = false }: { name: string; small?: boolean }): JSX.Element {
  useEffect(() => {
    if (!asked.has(name)) void ask(name);
  }, [name]);
  const d = known.value.get(name);
  if (!d) return <div class="docbody" />;
  if (typeof d === "string") return <p class="empty">{d}</p>;
  const follow = (e: MouseEvent): void => {
    const a = (e.target as Element).closest("a");
    const href = a?.getAttribute("href") ?? "";
    if (!a || !href.startsWith("#class=")) return;
    e.preventDefault();
    const target = decodeURIComponent(href.slice(7));
    void reveal(target);
    if (!small) open(target, "documentation");
  };
  return (
    <article class="docbody" onClick={follow}>
      <div style="display:flex;gap:12px;align-items:flex-start">
        {small ? null : <span class="icon-image" style="width:72px;flex:none"><ClassIcon name={name} kind={d.kind} /></span>}
        <div class="grow">
          <h1>{name.slice(name.lastIndexOf(".") + 1)}</h1>
          <div class="soft mono" style="overflow-wrap:anywhere">{d.kind} {name}</div>
          {d.description ? <p style="margin:6px 0">{d.description}</p> : null}
        </div>
      </div>
      {d.html ? <div dangerouslySetInnerHTML={{ __html: d.html }} /> : null}
      <Entries title="Parameters" list={d.parameters} small={small} />
      <Entries title="Connectors" list={d.connectors} small={small} />
      <Entries title="Inputs" list={d.inputs} small={small} />
      <Entries title="Outputs" list={d.outputs} small={small} />
      {d.classes.length && !small ? (
        <>
          <h2>Contents</h2>
          <table>{d.classes.map((c) => <tr><td><a class="link" href={`#class=${encodeURIComponent(`${name}.${c.name}`)}`}>{c.name}</a></td><td class="soft">{c.kind}</td><td>{c.description}</td></tr>)}</table>
        </>
      ) : null}
    </article>
  );
}
