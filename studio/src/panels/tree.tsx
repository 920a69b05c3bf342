// The library tree: opened level by level, searched on the server, icons as they come into view. Components are dragged out of it.

import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { call, type TreeNode } from "../api";
import { showMenu } from "../menu";
import { report } from "../notices";
import { active, dialog, expanded, open, session, shown } from "../state";
import { ClassIcon, Glyph, Splitter, Tool } from "../widgets";
import { sizes } from "../state";
import { addToDiagram, dragFromTree } from "./diagram";
import { DocumentationView } from "./documentation";
import { newClass } from "./dialogs";

const ROW = 24;
const children = signal(new Map<string, TreeNode[]>());
const loading = new Set<string>();
const query = signal("");
const found = signal<TreeNode[] | null>(null);

export async function loadChildren(name: string, force = false): Promise<TreeNode[]> {
  const known = children.value.get(name);
  if (known && !force) return known;
  if (loading.has(name)) return known ?? [];
  loading.add(name);
  try {
    const answer = await call("tree", { class: name });
    children.value = new Map(children.value).set(name, answer.children);
    return answer.children;
  } catch (error) {
    report(error);
    return [];
  } finally {
    loading.delete(name);
  }
}

/** Classes changed: what is shown is asked for again. */
export async function refreshTree(name: string): Promise<void> {
  const info = await call("session", {}).catch(() => null);
  if (info && session.value) session.value = { ...session.value, roots: info.roots };
  const keys = [...children.value.keys()].filter((k) => !name || k === name || name.startsWith(`${k}.`) || k.startsWith(`${name}.`));
  for (const key of keys) await loadChildren(key, true);
}

export async function toggle(name: string, on?: boolean): Promise<void> {
  const set = new Set(expanded.value);
  const next = on ?? !set.has(name);
  if (next) {
    set.add(name);
    void loadChildren(name);
  } else set.delete(name);
  expanded.value = set;
}

/** Opens the tree down to a class. */
export async function reveal(name: string): Promise<void> {
  const parts = name.split(".");
  const set = new Set(expanded.value);
  for (let i = 1; i < parts.length; i++) {
    const outer = parts.slice(0, i).join(".");
    await loadChildren(outer);
    set.add(outer);
  }
  expanded.value = set;
  shown.value = name;
}

interface Row { node: TreeNode; depth: number }

function rows(): Row[] {
  if (found.value) return found.value.map((node) => ({ node, depth: 0 }));
  const out: Row[] = [];
  const add = (nodes: TreeNode[], depth: number): void => {
    for (const node of nodes) {
      out.push({ node, depth });
      if (node.hasChildren && expanded.value.has(node.class)) {
        const inner = children.value.get(node.class);
        if (inner) add(inner, depth + 1);
        else void loadChildren(node.class);
      }
    }
  };
  // What can be changed stands above the libraries.
  const roots = session.value?.roots ?? [];
  add([...roots.filter((n) => n.editable), ...roots.filter((n) => !n.editable)], 0);
  return out;
}

let searchNumber = 0;
let searchTimer = 0;
function search(text: string): void {
  query.value = text;
  clearTimeout(searchTimer);
  if (!text.trim()) {
    found.value = null;
    return;
  }
  const number = ++searchNumber;
  searchTimer = window.setTimeout(async () => {
    try {
      const answer = await call("search", { query: text, limit: 100 });
      if (number === searchNumber && query.value) found.value = answer.found;
    } catch (error) {
      report(error);
    }
  }, 60);
}

function menuOf(node: TreeNode, x: number, y: number): void {
  const part = node.kind !== "package" && node.kind !== "function";
  showMenu(x, y, [
    { text: "Open diagram", run: () => open(node.class, "diagram"), keys: "Enter" },
    { text: "Open text", run: () => open(node.class, "text") },
    { text: "Open documentation", run: () => open(node.class, "documentation") },
    null,
    { text: "Add to the diagram", run: () => void addToDiagram(node.class), disabled: !part || !active.value },
    { text: "New model that extends it", run: () => newClass({ extends: node.class }), disabled: !part },
    { text: "New model in this package", run: () => newClass({ within: node.class }), disabled: node.kind !== "package" || !node.editable },
    null,
    { text: "Copy full name", run: () => void navigator.clipboard?.writeText(node.class) },
    { text: "Show where it is used", run: () => void showUsage(node.class) },
  ]);
}

const usageOf = signal<{ name: string; list: { class: string; excerpt: string; line: number }[] } | null>(null);
async function showUsage(name: string): Promise<void> {
  try {
    const { usage } = await call("usage", { class: name });
    usageOf.value = { name, list: usage };
  } catch (error) {
    report(error);
  }
}

function Name({ node }: { node: TreeNode }): JSX.Element {
  const q = query.value.trim().toLowerCase();
  const i = q ? node.name.toLowerCase().indexOf(q) : -1;
  if (i < 0) return <>{node.name}</>;
  return <>{node.name.slice(0, i)}<mark>{node.name.slice(i, i + q.length)}</mark>{node.name.slice(i + q.length)}</>;
}

export function Library(): JSX.Element {
  const scroll = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);
  const [focus, setFocus] = useState(0);
  const list = rows();
  const docHeight = sizes.value.doc;
  useEffect(() => {
    const element = scroll.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setHeight(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    const i = list.findIndex((r) => r.node.class === shown.value);
    const element = scroll.current;
    if (i < 0 || !element) return;
    setFocus(i);
    if (i * ROW < element.scrollTop || (i + 1) * ROW > element.scrollTop + element.clientHeight) element.scrollTop = Math.max(i * ROW - element.clientHeight / 2, 0);
  }, [shown.value, expanded.value]);

  const select = (i: number): void => {
    const row = list[Math.min(Math.max(i, 0), list.length - 1)];
    if (!row) return;
    setFocus(i);
    shown.value = row.node.class;
  };
  const keys = (e: KeyboardEvent): void => {
    const row = list[focus];
    if (e.key === "ArrowDown") select(focus + 1);
    else if (e.key === "ArrowUp") select(focus - 1);
    else if (e.key === "Home") select(0);
    else if (e.key === "End") select(list.length - 1);
    else if (e.key === "PageDown") select(focus + Math.floor(height / ROW));
    else if (e.key === "PageUp") select(focus - Math.floor(height / ROW));
    else if (!row) return;
    else if (e.key === "ArrowRight") row.node.hasChildren && (expanded.value.has(row.node.class) ? select(focus + 1) : void toggle(row.node.class, true));
    else if (e.key === "ArrowLeft") {
      if (expanded.value.has(row.node.class)) void toggle(row.node.class, false);
      else select(list.findIndex((r) => r.node.class === row.node.class.slice(0, row.node.class.lastIndexOf("."))));
    } else if (e.key === "Enter" && e.ctrlKey) void addToDiagram(row.node.class);
    else if (e.key === "Enter") row.node.kind === "package" ? void toggle(row.node.class) : open(row.node.class);
    else return;
    e.preventDefault();
    e.stopPropagation();
  };
  const first = Math.max(Math.floor(top / ROW) - 8, 0);
  const part = list.slice(first, first + Math.ceil(height / ROW) + 16);
  return (
    <aside class="pane left" aria-label="Libraries">
      <div class="head">
        <label class="grow" style="display:flex;align-items:center;gap:6px">
          <Glyph name="search" />
          <input id="library-search" class="field small grow" type="search" placeholder="Search classes" aria-label="Search classes" value={query.value} onInput={(e) => search(e.currentTarget.value)}
            onKeyDown={(e) => {
              if (e.key === "ArrowDown") { scroll.current?.focus(); setFocus(0); if (list[0]) shown.value = list[0].node.class; e.preventDefault(); }
              if (e.key === "Escape") search("");
              if (e.key === "Enter" && list[0]) { if (e.ctrlKey) void addToDiagram(list[0].node.class); else open(list[0].node.class); }
            }} />
        </label>
        <Tool glyph="plus" title="New model (Ctrl+M)" onClick={() => (dialog.value = "new")} />
      </div>
      <div class="scroll tree" ref={scroll} tabIndex={0} role="tree" aria-label="Class tree" onScroll={(e) => setTop(e.currentTarget.scrollTop)} onKeyDown={keys}
        aria-activedescendant={list[focus] ? `node-${list[focus].node.class}` : undefined}>
        <div style={`height:${list.length * ROW}px;position:relative`}>
          <div style={`position:absolute;left:0;right:0;top:${first * ROW}px`}>
            {part.map(({ node, depth }) => {
              const expandable = node.hasChildren && !found.value;
              const isOpen = expanded.value.has(node.class);
              return (
                <div key={node.class} id={`node-${node.class}`} class={`node ${shown.value === node.class ? "on" : ""} ${active.value === node.class ? "open-class" : ""}`} style={`padding-left:${6 + depth * 14}px`}
                  role="treeitem" aria-level={depth + 1} aria-selected={shown.value === node.class} {...(expandable ? { "aria-expanded": isOpen } : {})} title={`${node.class}${node.description ? `\n${node.description}` : ""}`} data-class={node.class}
                  onPointerDown={(e) => { if (e.button === 0 && node.kind !== "package") dragFromTree(node, e); }}
                  onClick={() => { shown.value = node.class; if (expandable && node.kind === "package") void toggle(node.class); }}
                  onDblClick={() => { if (node.kind !== "package") open(node.class); }}
                  onContextMenu={(e) => { e.preventDefault(); shown.value = node.class; menuOf(node, e.clientX, e.clientY); }}>
                  <span class={`twist ${isOpen ? "down" : ""}`} onClick={(e) => { if (expandable) { e.stopPropagation(); void toggle(node.class); } }}>{expandable ? <Glyph name="right" /> : null}</span>
                  <ClassIcon name={node.class} kind={node.kind} />
                  <span class="label"><Name node={node} /></span>
                  {found.value ? <span class="note">{node.class.slice(0, -node.name.length - 1)}</span> : null}
                </div>
              );
            })}
          </div>
        </div>
        {found.value && !list.length ? <p class="empty">No class matches “{query.value}”.</p> : null}
      </div>
      {usageOf.value ? (
        <div class="doc-small" style="max-height:40%;overflow:auto;border-top:1px solid var(--line)">
          <div class="head"><h2 class="grow">Used {usageOf.value.list.length} times: {usageOf.value.name}</h2><Tool glyph="close" title="Close" onClick={() => (usageOf.value = null)} /></div>
          {usageOf.value.list.map((u) => <button type="button" class="node" style="width:100%;padding-left:10px" onClick={() => open(u.class)} title={u.excerpt}><span class="label">{u.class}</span><span class="note">{u.excerpt}</span></button>)}
        </div>
      ) : null}
      {shown.value ? (
        <>
          <Splitter direction="h" label="Height of the documentation" change={(d) => (sizes.value = { ...sizes.value, doc: Math.min(Math.max(sizes.value.doc - d, 80), innerHeight * 0.6) })} />
          <div class="doc-small" style={`height:${Math.min(docHeight, innerHeight * 0.4)}px;flex:none;display:flex;flex-direction:column;min-height:0`}>
            <div class="head"><h2 class="grow">Documentation</h2><Tool glyph="book" title="Open the documentation in a tab" onClick={() => open(shown.value, "documentation")} /></div>
            <div class="scroll"><DocumentationView name={shown.value} small /></div>
          </div>
        </>
      ) : null}
    </aside>
  );
}
