// The variables of a run as a tree: values, units to choose, search with globs, check marks for the plot, sliders.

import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { type ResultVariable, toDisplay } from "../api";
import { showMenu } from "../menu";
import { format, Glyph } from "../widgets";
import { activePlot, addSlider, COLORS, current, isStep, now, plots, sliders, toggleSeries, unitOf, units, updatePlot, valueAt } from "./runs";

const ROW = 23;
const opened = signal(new Set<string>());
const query = signal("");
const filter = signal<"varies" | "all" | "parameters">("varies");

interface Node { name: string; path: string; depth: number; variable: ResultVariable | null; count: number; open: boolean }
interface Branch { children: Map<string, Branch>; variable: ResultVariable | null; count: number }

function glob(text: string): (name: string) => boolean {
  const t = text.trim();
  if (!t) return () => true;
  if (/[*?]/.test(t)) {
    const pattern = new RegExp(`^${t.replace(/[.+^${}()|[\]\\]/g, "\\$&").replace(/\*/g, ".*").replace(/\?/g, ".")}$`, "i");
    return (name) => pattern.test(name);
  }
  const parts = t.toLowerCase().split(/\s+/);
  return (name) => parts.every((p) => name.toLowerCase().includes(p));
}

/** `a.b[1].c` has the parts a, b[1], c; dots in quotes and brackets do not count. */
function split(name: string): string[] {
  const out: string[] = [];
  let part = "";
  let depth = 0;
  let quoted = false;
  for (const c of name) {
    if (c === "'") quoted = !quoted;
    if (!quoted && (c === "[" || c === "(")) depth++;
    if (!quoted && (c === "]" || c === ")")) depth--;
    if (c === "." && depth === 0 && !quoted) {
      out.push(part);
      part = "";
    } else part += c;
  }
  out.push(part);
  return out;
}

function tree(list: ResultVariable[]): Branch {
  const root: Branch = { children: new Map(), variable: null, count: 0 };
  for (const v of list) {
    const derivative = /^der\((.*)\)$/.exec(v.name);
    const parts = split(derivative ? derivative[1]! : v.name);
    if (derivative) parts[parts.length - 1] = `der(${parts[parts.length - 1]})`;
    let at = root;
    for (const p of parts) {
      at.count++;
      let next = at.children.get(p);
      if (!next) at.children.set(p, (next = { children: new Map(), variable: null, count: 0 }));
      at = next;
    }
    at.variable = v;
  }
  return root;
}

function flatten(root: Branch, all: boolean): Node[] {
  const out: Node[] = [];
  const add = (branch: Branch, path: string, depth: number): void => {
    for (const [name, b] of branch.children) {
      const full = path ? `${path}.${name}` : name;
      const isOpen = b.children.size > 0 && (all || opened.value.has(full));
      out.push({ name, path: full, depth, variable: b.variable, count: b.children.size, open: isOpen });
      if (isOpen) add(b, full, depth + 1);
    }
  };
  add(root, "", 0);
  return out;
}

export function valueText(v: ResultVariable): string {
  const run = current.value;
  if (v.varies && run && !Number.isNaN(now.value)) {
    const curve = run.curves.get(v.name);
    // Before and behind the run there is no value.
    const value = curve ? valueAt(curve, now.value, isStep(v)) : NaN;
    if (curve) return Number.isNaN(value) ? "" : words(v, value);
  }
  if (v.value === null) return "";
  return typeof v.value === "string" ? v.value : words(v, v.value);
}

/** A value as people read it: numbers in their display unit. */
function words(v: ResultVariable, value: number): string {
  if (v.type === "boolean") return value ? "true" : "false";
  if (v.type === "enumeration" && v.literals) return v.literals[value - 1] ?? String(value);
  return format(toDisplay(value, unitOf(v)));
}

export function Variables(): JSX.Element {
  const run = current.value;
  const scroll = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(300);
  const [focus, setFocus] = useState("");
  useEffect(() => {
    const e = scroll.current;
    if (!e) return;
    const o = new ResizeObserver(() => setHeight(e.clientHeight));
    o.observe(e);
    return () => o.disconnect();
  }, []);
  const list = run?.variables.value ?? [];
  const matching = useMemo(() => {
    const wanted = glob(query.value);
    return list.filter((v) => (filter.value === "all" || (filter.value === "varies" ? v.varies : v.kind === "parameter" || v.tunableStart)) && wanted(v.name));
  }, [list, query.value, filter.value]);
  const root = useMemo(() => tree(matching), [matching]);
  const nodes = flatten(root, query.value.trim() !== "" || matching.length <= 14);
  const plot = plots.value.find((p) => p.id === activePlot.value) ?? plots.value[0];
  const first = Math.max(Math.floor(top / ROW) - 6, 0);
  const shownNodes = nodes.slice(first, first + Math.ceil(height / ROW) + 12);
  const toggle = (path: string, on?: boolean): void => {
    const set = new Set(opened.value);
    if (on ?? !set.has(path)) set.add(path);
    else set.delete(path);
    opened.value = set;
  };
  const at = nodes.findIndex((n) => n.path === focus);
  const go = (i: number): void => {
    const n = nodes[Math.min(Math.max(i, 0), nodes.length - 1)];
    const e = scroll.current;
    if (!n || !e) return;
    setFocus(n.path);
    const y = nodes.indexOf(n) * ROW;
    if (y < e.scrollTop) e.scrollTop = y;
    else if (y + ROW > e.scrollTop + e.clientHeight) e.scrollTop = y + ROW - e.clientHeight;
  };
  const keys = (e: KeyboardEvent): void => {
    const n = nodes[at];
    if (e.key === "ArrowDown") go(at + 1);
    else if (e.key === "ArrowUp") go(at - 1);
    else if (e.key === "ArrowRight" && n?.count) n.open ? go(at + 1) : toggle(n.path, true);
    else if (e.key === "ArrowLeft" && n) n.open && n.count ? toggle(n.path, false) : go(nodes.findIndex((m) => n.path.startsWith(`${m.path}.`) && m.depth === n.depth - 1));
    else if ((e.key === " " || e.key === "Enter") && n) n.variable ? toggleSeries(n.variable.name) : toggle(n.path);
    else if (e.key.toLowerCase() === "s" && n?.variable && (n.variable.tunable || n.variable.tunableStart)) addSlider(n.variable);
    else return;
    e.preventDefault();
    e.stopPropagation();
  };
  return (
    <div class="vars" aria-label="Variables">
      <div class="head">
        <Glyph name="search" />
        <input id="variable-search" class="field small grow" type="search" placeholder="Filter, e.g. *.v" aria-label="Filter variables" value={query.value} onInput={(e) => (query.value = e.currentTarget.value)} onKeyDown={(e) => { if (e.key === "ArrowDown") { scroll.current?.focus(); go(0); e.preventDefault(); } }} />
        <select class="field small" aria-label="Which variables" value={filter.value} onChange={(e) => (filter.value = e.currentTarget.value as "varies")}>
          <option value="varies">Signals</option><option value="parameters">Parameters</option><option value="all">All</option>
        </select>
      </div>
      <div class="scroll" ref={scroll} tabIndex={0} role="tree" aria-label="Variables of the run" onScroll={(e) => setTop(e.currentTarget.scrollTop)} onKeyDown={keys}>
        <div style={`height:${nodes.length * ROW}px;position:relative`}>
          {shownNodes.map((n, i) => {
            const v = n.variable;
            const index = v && plot ? plot.series.findIndex((s) => s.name === v.name) : -1;
            const u = v ? unitOf(v) : null;
            const slider = v && (v.tunable || v.tunableStart);
            return (
              <div key={n.path} class={`vrow ${focus === n.path ? "on" : ""}`} role="treeitem" aria-level={n.depth + 1} style={`top:${(first + i) * ROW}px;height:${ROW}px;padding-left:${6 + n.depth * 13}px`} title={v ? `${v.name}${v.description ? `\n${v.description}` : ""}` : n.path} data-variable={v?.name ?? ""}
                onClick={() => { setFocus(n.path); if (!v) toggle(n.path); }}
                onContextMenu={(e) => {
                  if (!v) return;
                  e.preventDefault();
                  showMenu(e.clientX, e.clientY, [
                    { text: "Plot", run: () => toggleSeries(v.name) },
                    { text: "Use as x of the plot", run: () => plot && updatePlot(plot.id, { kind: "xy", x: v.name }) },
                    { text: "Slider", disabled: !slider, run: () => addSlider(v) },
                    { text: "Copy name", run: () => void navigator.clipboard?.writeText(v.name) },
                  ]);
                }}>
                <span class="vn">
                  {n.count ? <button type="button" class={`twist ${n.open ? "down" : ""}`} style={`width:14px;color:var(--ink-soft);transform:rotate(${n.open ? 90 : 0}deg)`} tabIndex={-1} aria-label={n.open ? "Close" : "Open"} onClick={(e) => { e.stopPropagation(); toggle(n.path); }}><Glyph name="right" /></button> : <span style="width:14px;flex:none" />}
                  {v && v.type !== "string" ? <input type="checkbox" tabIndex={-1} checked={index >= 0} aria-label={`Plot ${v.name}`} style={index >= 0 ? `accent-color:${COLORS[index % COLORS.length]}` : ""} onClick={(e) => e.stopPropagation()} onChange={() => toggleSeries(v.name)} /> : null}
                  <span>{n.name}</span>
                  {slider ? <button type="button" tabIndex={-1} class={`mini ${sliders.value.some((s) => s.name === v.name) ? "on" : ""}`} title={`Slider for ${v.name} (S)`} aria-label={`Slider for ${v.name}`} onClick={(e) => { e.stopPropagation(); addSlider(v); }}><Glyph name="slider" /></button> : null}
                </span>
                <span class="vv">{v ? valueText(v) : ""}</span>
                <span class="vu">{v && u ? (v.units.length > 1 ? <select class="unit-pick" tabIndex={-1} aria-label={`Unit of ${v.name}`} value={u.unit} onClick={(e) => e.stopPropagation()} onChange={(e) => (units.value = { ...units.value, [v.name]: e.currentTarget.value })}>{v.units.map((c) => <option value={c.unit}>{c.label || "1"}</option>)}</select> : u.label) : ""}</span>
              </div>
            );
          })}
        </div>
        {run && !nodes.length && list.length ? <p class="empty">No variable matches.</p> : null}
        {!run ? <p class="empty">Run a model to see its variables here: <kbd>F5</kbd></p> : null}
      </div>
    </div>
  );
}
