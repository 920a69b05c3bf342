// Why: what became of the equations, each linked to its component and its line.

import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { call, type Diagnostic, type EquationInfo, type Explanation } from "../api";
import { classOf } from "../documents";
import { active } from "../state";
import { focusOn } from "./diagram";
import { Linear } from "./linear";
import { Message } from "./messages";
import { revealInText } from "./text";

const known = signal<{ key: string; value: Explanation | string } | null>(null);
const part = signal<{ key: string; equations: EquationInfo[]; variables: string[] } | null>(null);
/** The report is made when it is opened; its scripts are left out, as the policy of the page forbids them. */
const report = signal(false);
/** What scripts would draw is left out with them. */
const DRAWN = "<style>#structure,#order,#cost,#solved,#loops,nav,#theme{display:none}</style>";
let asked = "";

const plural = (n: number, word: string): string => (n === 1 ? word : `${word}s`);

function Equation({ name, e }: { name: string; e: EquationInfo }): JSX.Element {
  const doc = classOf(name);
  return (
    <button type="button" class="eq" title={`${e.component || name}${e.line ? `, line ${e.line}` : ""}: ${e.fate}`} onClick={() => {
      if (e.component) focusOn(name, e.component);
      if (e.from !== undefined && e.file === doc.diagram?.file) revealInText(doc, e.from, e.to ?? e.from);
    }}>{e.text} <span class="soft">{e.component ? `· ${e.component} ` : ""}{e.fate ? `· ${e.fate}` : ""}</span></button>
  );
}

export function Why(): JSX.Element {
  const name = active.value;
  const doc = name ? classOf(name) : null;
  const version = doc?.changed.value ?? 0;
  const component = doc?.components_selected.value[0] ?? "";
  const key = `${name} ${version}`;
  useEffect(() => {
    if (!name || asked === key) return;
    asked = key;
    call("explain", { class: name }).then((value) => { if (asked === key) known.value = { key, value }; }).catch((error: unknown) => { if (asked === key) known.value = { key, value: error instanceof Error ? error.message : String(error) }; });
  }, [key]);
  useEffect(() => {
    part.value = null;
    if (!name || !component) return;
    const id = `${key} ${component}`;
    call("explain.component", { class: name, component }).then((a) => (part.value = { key: id, ...a })).catch(() => undefined);
  }, [key, component]);
  if (!name) return <p class="empty">Open a model to see what its equations become.</p>;
  const k = known.value;
  if (!k || !k.key.startsWith(`${name} `)) return <p class="empty">Sorting the equations of {name} …</p>;
  if (typeof k.value === "string") return <p class="empty">{k.value}</p>;
  const e = k.value;
  const p = part.value;
  return (
    <div class="scroll"><div class="why" data-testid="why">
      {e.failed ? <div><span class="badge bad">no unique solution, or wrong before that</span></div> : <div><b>{e.equations}</b> {plural(e.equations, "equation")}, <b>{e.unknowns}</b> {plural(e.unknowns, "unknown")}, <b>{e.states.length}</b> {plural(e.states.length, "state")}, <b>{e.loops.length}</b> {plural(e.loops.length, "loop")}</div>}
      {e.failed ? <div class="framed">{e.diagnostics.map((d: Diagnostic) => <Message d={d} />)}</div> : null}
      {p && component ? <details open><summary>Equations of {component}</summary>{p.equations.map((q) => <Equation name={name} e={q} />)}</details> : e.failed ? null : <p class="soft" style="margin:0">Select a component to see its equations.</p>}
      {e.states.length ? <details open><summary>States</summary><table>{e.states.map((s) => <tr><td><button type="button" class="link mono" onClick={() => s.component && focusOn(name, s.component)}>{s.name}</button></td><td class="soft">{s.reason}</td></tr>)}</table></details> : null}
      {e.loops.map((l, i) => (
        <details><summary>Loop {i + 1}: {l.size} {/equations?$/.test(l.kind) ? l.kind : `${l.kind} ${plural(l.size, "equation")}`}{l.torn && l.torn < l.size ? `, ${l.torn} solved together` : ""} <span class="badge">{l.section}</span></summary>
          <p class="soft">{l.reason}</p>
          {l.iterationVariables.length ? <p>Iteration variables: <span class="mono">{l.iterationVariables.join(", ")}</span></p> : null}
          <p><button type="button" class="link" onClick={() => classOf(name).selectOnly([...new Set(l.components.map((c) => c.replace(/[.[].*$/, "")))], [])}>Select its components in the diagram</button></p>
          {l.equations.map((q) => <Equation name={name} e={q} />)}
        </details>
      ))}
      {e.failed ? null : <Linear name={name} />}
      {e.page ? <details onToggle={(t) => (report.value = t.currentTarget.open)}><summary>The whole report</summary>{report.value ? <iframe title={`Report of ${name}`} sandbox="" srcdoc={e.page.replace(/<script[\s\S]*?<\/script>/gi, "") + DRAWN} style="width:100%;height:420px;border:1px solid var(--line);border-radius:6px;background:#fff" /> : null}</details> : null}
    </div></div>
  );
}
