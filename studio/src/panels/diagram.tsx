// The diagram of a class in a tab, and what commands do with it.

import { effect, signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { call, type DiagramComponent, type Edit, type Point, type TreeNode } from "../api";
import { Canvas } from "../diagram/canvas";
import { Gestures } from "../diagram/gestures";
import { route } from "../diagram/routing";
import type { Box } from "../diagram/spatial";
import { type ClassDocument, classOf } from "../documents";
import { showMenu } from "../menu";
import { toast } from "../notices";
import { valuesAt } from "../results/values";
import { active, diagnostics, open, tabs } from "../state";
import { download, last, Tool } from "../widgets";
import { revealInText } from "./text";

/** The canvases that are shown, by class. */
const shownCanvases = new Map<string, Gestures>();
const views = new Map<string, { zoom: number; origin: Point; whole: boolean }>();
/** What is under the pointer. */
export const hover = signal<{ words: string; x: number; y: number } | null>(null);
const renaming = signal<{ class: string; name: string } | null>(null);



export const gesturesOf = (name: string): Gestures | undefined => shownCanvases.get(name);
const current = (): { doc: ClassDocument; gestures: Gestures | undefined } => ({ doc: classOf(active.value), gestures: shownCanvases.get(active.value) });

// ---------------------------------------------------------------- drag from the tree

const previews = new Map<string, DiagramComponent>();

export async function addToDiagram(type: string, target = active.value): Promise<void> {
  const tab = tabs.value.find((t) => t.class === target);
  if (!tab) return toast("Open a model first: its diagram takes the component.");
  const gestures = shownCanvases.get(target);
  if (gestures) await gestures.add(type);
  else await classOf(target).edit([{ edit: "add", type, center: [0, 0] }]);
}

/** Follows the pointer from a row of the tree to a diagram. */
export function dragFromTree(node: TreeNode, start: PointerEvent): void {
  let dragging = false;
  let preview = previews.get(node.class) ?? null;
  const ghost = document.createElement("div");
  ghost.className = "drag-ghost";
  let over: Gestures | undefined;
  const under = (e: PointerEvent): Gestures | undefined => {
    for (const [name, g] of shownCanvases) {
      if (name !== active.value) continue;
      const r = g.canvas.host.getBoundingClientRect();
      if (e.clientX >= r.left && e.clientX <= r.right && e.clientY >= r.top && e.clientY <= r.bottom) return g;
    }
    return undefined;
  };
  const move = (e: PointerEvent): void => {
    if (!dragging && Math.hypot(e.clientX - start.clientX, e.clientY - start.clientY) < 5) return;
    if (!dragging) {
      dragging = true;
      const image = (start.target as Element).closest(".node")?.querySelector("img, svg.blank");
      if (image) ghost.append(image.cloneNode(true));
      document.body.append(ghost);
      if (!preview) {
        void call("preview", { class: node.class }).then((p) => {
          preview = p;
          previews.set(node.class, p);
        }).catch(() => undefined);
      }
    }
    e.preventDefault();
    const now = under(e);
    if (over && over !== now) over.over(null, e);
    over = now;
    if (over && preview) {
      ghost.style.display = "none";
      over.over(preview, e);
    } else {
      ghost.style.display = "";
      ghost.style.left = `${e.clientX - 32}px`;
      ghost.style.top = `${e.clientY - 32}px`;
    }
  };
  const stop = (): void => {
    removeEventListener("pointermove", move);
    removeEventListener("pointerup", up);
    removeEventListener("keydown", key, true);
    ghost.remove();
  };
  const up = (e: PointerEvent): void => {
    stop();
    if (!dragging) return;
    const g = under(e);
    over?.over(null, e);
    if (g) {
      void g.drop(node.class, e);
      g.canvas.host.focus();
    }
    // The click that follows must not open the row.
    const swallow = (c: Event): void => c.stopPropagation();
    addEventListener("click", swallow, { capture: true, once: true });
    setTimeout(() => removeEventListener("click", swallow, { capture: true }), 0);
  };
  const key = (e: KeyboardEvent): void => {
    if (e.key !== "Escape") return;
    over?.over(null, start);
    stop();
  };
  addEventListener("pointermove", move);
  addEventListener("pointerup", up);
  addEventListener("keydown", key, true);
}

// ---------------------------------------------------------------- commands on the selection

const own = (doc: ClassDocument): string[] => doc.components_selected.value.filter((n) => doc.components.get(n) && !doc.components.get(n)!.inherited);

export function selectAll(): void {
  const { doc } = current();
  doc.selectOnly([...doc.components.values()].filter((c) => c.placement).map((c) => c.name), [...doc.connections.keys()]);
}

export async function remove(): Promise<void> {
  const { doc } = current();
  const gone = new Set(own(doc));
  const edits: Edit[] = own(doc).map((component) => ({ edit: "delete", component }));
  const part = (end: string): string => end.replace(/[.[].*$/, "");
  for (const id of doc.connections_selected.value) {
    const c = doc.connections.get(id);
    if (c && !c.inherited && !gone.has(part(c.a)) && !gone.has(part(c.b))) edits.push({ edit: "disconnect", connection: id });
  }
  if (!edits.length && (doc.components_selected.value.length || doc.connections_selected.value.length)) toast("This comes from a base class and cannot be deleted here.");
  await doc.edit(edits);
}

export async function rotate(by: number): Promise<void> {
  const { doc } = current();
  await doc.edit(own(doc).map((component) => ({ edit: "rotate", component, by })));
}

export async function flip(axis: "x" | "y"): Promise<void> {
  const { doc } = current();
  await doc.edit(own(doc).map((component) => ({ edit: "flip", component, axis })));
}

let nudgeBy: Point = [0, 0];
let nudgeTimer = 0;
/** Moves the selection by steps of the grid; quick repetitions become one edit. */
export function nudge(dx: number, dy: number): void {
  const { doc, gestures } = current();
  const names = own(doc);
  if (!names.length || !gestures) return;
  const [gx, gy] = gestures.grid;
  nudgeBy = [nudgeBy[0] + dx * gx, nudgeBy[1] + dy * gy];
  // What is seen moves at once, the text when the key rests.
  gestures.previewMove(names, nudgeBy);
  clearTimeout(nudgeTimer);
  nudgeTimer = window.setTimeout(() => {
    const by = nudgeBy;
    nudgeBy = [0, 0];
    void gestures.commitMove(names, by);
  }, 90);
}

export type Alignment = "left" | "center" | "right" | "top" | "middle" | "bottom" | "spread-x" | "spread-y";
export async function align(how: Alignment): Promise<void> {
  const { doc, gestures } = current();
  if (!gestures) return;
  const items = own(doc).map((name) => ({ name, box: gestures.canvas.boxOf(name) })).filter((i): i is { name: string; box: Box } => !!i.box);
  if (items.length < 2) return toast("Select two or more components to align.");
  const edits: Edit[] = [];
  const [gx, gy] = gestures.grid;
  const push = (name: string, dx: number, dy: number): void => {
    const by: Point = [Math.round(dx / gx) * gx, Math.round(dy / gy) * gy];
    if (by[0] || by[1]) edits.push({ edit: "move", component: name, by });
  };
  if (how === "spread-x" || how === "spread-y") {
    const k = how === "spread-x" ? 0 : 1;
    const mid = (b: Box): number => (b[k]! + b[k + 2]!) / 2;
    items.sort((a, b) => mid(a.box) - mid(b.box));
    const [lo, hi] = [mid(items[0]!.box), mid(items[items.length - 1]!.box)];
    items.forEach((item, i) => {
      const d = lo + ((hi - lo) * i) / (items.length - 1) - mid(item.box);
      push(item.name, k === 0 ? d : 0, k === 1 ? d : 0);
    });
  } else {
    const side = { left: 0, right: 2, bottom: 1, top: 3, center: -1, middle: -1 }[how];
    const value = (b: Box): number => (how === "center" ? (b[0] + b[2]) / 2 : how === "middle" ? (b[1] + b[3]) / 2 : b[side]!);
    const target = value(items[0]!.box);
    const across = how === "left" || how === "right" || how === "center";
    for (const { name, box } of items) push(name, across ? target - value(box) : 0, across ? 0 : target - value(box));
  }
  await doc.edit(edits);
}

interface Clip { from: string; parts: { name: string; type: string; component: DiagramComponent; modifiers: string }[]; wires: { a: string; b: string; points: Point[] }[] }
let clip: Clip | null = null;
let pasted = 0;

export async function copy(): Promise<void> {
  const { doc } = current();
  const names = new Set(own(doc));
  if (!names.size) return;
  const text = doc.text;
  await text?.load();
  const source = text?.base.toString() ?? "";
  const part = (end: string): string => end.replace(/[.[].*$/, "");
  clip = {
    from: doc.name,
    parts: [...names].map((name) => {
      const c = doc.components.get(name)!;
      return { name, type: c.class, component: c, modifiers: modifiersOf(text?.loaded ? source.slice(text.toPage(c.from), text.toPage(c.to)) : "", name) };
    }),
    wires: [...doc.connections.values()].filter((w) => names.has(part(w.a)) && names.has(part(w.b))).map(({ a, b, points }) => ({ a, b, points })),
  };
  pasted = 0;
  toast(`Copied ${names.size === 1 ? [...names][0] : `${names.size} components`}`);
}

/** The modifiers of a declaration: what stands in parentheses behind the name. */
function modifiersOf(declaration: string, name: string): string {
  const at = new RegExp(`\\b${name.replace(/[$]/g, "\\$&")}\\s*(\\[[^\\]]*\\])?\\s*\\(`).exec(declaration);
  if (!at) return "";
  let depth = 0;
  let quoted = false;
  for (let i = at.index + at[0].length - 1; i < declaration.length; i++) {
    const ch = declaration[i];
    if (quoted) {
      if (ch === "\\") i++;
      else if (ch === '"') quoted = false;
    } else if (ch === '"') quoted = true;
    else if (ch === "(") depth++;
    else if (ch === ")" && --depth === 0) return declaration.slice(at.index + at[0].length, i).trim();
  }
  return "";
}

export async function paste(): Promise<void> {
  const { doc, gestures } = current();
  if (!clip || !gestures) return;
  pasted++;
  const by: Point = [10 * pasted, -10 * pasted];
  const taken = new Set(doc.components.keys());
  const names = new Map<string, string>();
  const edits: Edit[] = [];
  for (const { name, type, component, modifiers } of clip.parts) {
    let fresh = name;
    if (taken.has(fresh)) {
      const stem = name.replace(/\d+$/, "");
      let n = 1;
      while (taken.has(`${stem}${n}`)) n++;
      fresh = `${stem}${n}`;
    }
    taken.add(fresh);
    names.set(name, fresh);
    const p = component.placement;
    if (clip.from === doc.name && doc.components.has(name)) edits.push({ edit: "duplicate", component: name, by, name: fresh });
    else {
      const add: Edit = { edit: "add", type, name: fresh };
      if (p) {
        add.center = [p.center[0] + by[0], p.center[1] + by[1]];
        add.size = [Math.abs(p.extent[1][0] - p.extent[0][0]), Math.abs(p.extent[1][1] - p.extent[0][1])];
        if (p.rotation) add.rotation = p.rotation;
      }
      if (modifiers) add.modifiers = modifiers;
      edits.push(add);
      if (p?.flipX) edits.push({ edit: "flip", component: fresh, axis: "x" });
      if (p?.flipY) edits.push({ edit: "flip", component: fresh, axis: "y" });
    }
  }
  const renamed = (end: string): string => end.replace(/^[^.[]+/, (n) => names.get(n) ?? n);
  for (const { a, b, points } of clip.wires) edits.push({ edit: "connect", a: renamed(a), b: renamed(b), points: points.map(([x, y]) => [x + by[0], y + by[1]]) });
  if (await doc.edit(edits)) doc.selectOnly([...names.values()], []);
}

export async function duplicate(): Promise<void> {
  const kept = clip;
  await copy();
  await paste();
  clip = kept ?? clip;
}

export async function cut(): Promise<void> {
  await copy();
  await remove();
}

export function rename(): void {
  const { doc } = current();
  const name = own(doc)[0];
  if (name) renaming.value = { class: doc.name, name };
}

/** The next component, for the keyboard; behind the last one the focus leaves the diagram. */
export function cycle(by: number): boolean {
  const { doc, gestures } = current();
  const names = [...doc.components.values()].filter((c) => c.placement).map((c) => c.name);
  const i = names.indexOf(doc.components_selected.value[0] ?? "");
  const name = names[i < 0 && by < 0 ? names.length - 1 : i + by];
  if (name === undefined) {
    doc.selectOnly([], []);
    return false;
  }
  doc.selectOnly([name], []);
  const box = gestures?.canvas.boxOf(name);
  const view = gestures?.canvas.visible();
  if (box && view && (box[0] < view[0] || box[1] < view[1] || box[2] > view[2] || box[3] > view[3])) gestures!.canvas.centre([(box[0] + box[2]) / 2, (box[1] + box[3]) / 2]);
  return true;
}

/** Shows a component or connection: `R1`, or `R1.p C1.n`. */
export function focusOn(name: string, component: string): void {
  open(name);
  const doc = classOf(name);
  void doc.load().then(() => {
    const parts = [...doc.connections.keys()].filter((id) => id === component);
    const part = component.replace(/[.[ ].*$/, "");
    if (parts.length) doc.selectOnly([], parts);
    else if (doc.components.has(part)) doc.selectOnly([part], []);
    const g = shownCanvases.get(name);
    const box = g?.canvas.boxOf(part);
    if (g && box) {
      const view = g.canvas.visible();
      if (box[0] < view[0] || box[1] < view[1] || box[2] > view[2] || box[3] > view[3]) g.canvas.centre([(box[0] + box[2]) / 2, (box[1] + box[3]) / 2]);
    }
  });
}

/** Makes a connection with the keyboard: first a connector of the selected component, then one that fits. */
export function connectByKeys(): void {
  const { doc, gestures } = current();
  const name = doc.components_selected.value[0];
  if (!gestures || !name) return toast("Select a component first.");
  const host = gestures.canvas.host.getBoundingClientRect();
  const at = gestures.canvas.toPixels(gestures.canvas.parts.get(name)?.at ?? [0, 0]);
  const [x, y] = [host.left + at[0], host.top + at[1]];
  const ports = gestures.canvas.portsOf(name).filter((p) => gestures.canvas.exists(p));
  if (!ports.length) return toast(`${name} has no connectors.`);
  const second = (from: (typeof ports)[number]): void => {
    const fits = gestures.fitting(from).sort((p, q) => Math.hypot(p.at[0] - from.at[0], p.at[1] - from.at[1]) - Math.hypot(q.at[0] - from.at[0], q.at[1] - from.at[1]));
    gestures.canvas.showPorts([{ port: from, fits: false, target: true }, ...fits.map((port) => ({ port, fits: true }))]);
    if (!fits.length) return toast(`Nothing fits ${from.end}.`);
    showMenu(x, y, fits.slice(0, 30).map((to) => ({ text: `${from.end} — ${to.end}`, run: () => { gestures.canvas.showPorts([]); void gestures.connect(from, to); } })));
  };
  if (ports.length === 1) second(ports[0]!);
  else showMenu(x, y, ports.map((port) => ({ text: port.end, run: () => second(port) })));
}

export function fit(): void {
  const { doc, gestures } = current();
  gestures?.canvas.fit(doc.components_selected.value.length ? doc.components_selected.value : undefined);
}
export function zoom(factor: number): void {
  current().gestures?.canvas.zoomAt(factor);
}

function diagramMenu(doc: ClassDocument, x: number, y: number): void {
  const name = doc.components_selected.value[0];
  const c = name ? doc.components.get(name) : undefined;
  const wire = doc.connections_selected.value[0];
  const none = !name;
  const fixed = !doc.diagram?.editable;
  showMenu(x, y, [
    ...(c ? [{ text: `Open ${last(c.class)}`, run: () => open(c.class) }, { text: "Show in text", run: () => doc.diagram && revealInText(doc, c.from, c.to), keys: "Ctrl+Enter" }, { text: "Rename", run: rename, keys: "F2", disabled: fixed }, { text: "Connect", run: connectByKeys, keys: "C", disabled: fixed }, null] : []),
    ...(wire ? [{ text: "Show in text", run: () => { const w = doc.connections.get(wire); if (w) revealInText(doc, w.from, w.to); } }, { text: "Route anew", run: () => void rerouteSelected(), disabled: fixed }, null] : []),
    { text: "Turn left", run: () => void rotate(90), keys: "R", disabled: none || fixed },
    { text: "Turn right", run: () => void rotate(-90), keys: "Shift+R", disabled: none || fixed },
    { text: "Flip horizontally", run: () => void flip("x"), keys: "H", disabled: none || fixed },
    { text: "Flip vertically", run: () => void flip("y"), keys: "V", disabled: none || fixed },
    null,
    ...(doc.components_selected.value.length > 1 ? ([["left", "Align left"], ["center", "Align centres"], ["right", "Align right"], ["top", "Align top"], ["middle", "Align middles"], ["bottom", "Align bottom"], ["spread-x", "Distribute horizontally"], ["spread-y", "Distribute vertically"]] as const).map(([how, text]) => ({ text, run: () => void align(how), disabled: fixed })) : []),
    ...(doc.components_selected.value.length > 1 ? [null] : []),
    { text: "Cut", run: () => void cut(), keys: "Ctrl+X", disabled: none || fixed },
    { text: "Copy", run: () => void copy(), keys: "Ctrl+C", disabled: none },
    { text: "Paste", run: () => void paste(), keys: "Ctrl+V", disabled: !clip || fixed },
    { text: "Delete", run: () => void remove(), keys: "Del", disabled: (none && !wire) || fixed },
    null,
    { text: "Save the picture as SVG", run: () => { const g = shownCanvases.get(doc.name); if (g) download(`${last(doc.name)}.svg`, g.canvas.picture(), "image/svg+xml"); } },
  ]);
}

async function rerouteSelected(): Promise<void> {
  const { doc, gestures } = current();
  if (!gestures) return;
  const edits: Edit[] = [];
  for (const id of doc.connections_selected.value) {
    const w = doc.connections.get(id);
    if (!w || w.inherited) continue;
    const find = (end: string) => gestures.canvas.portsOf(gestures.canvas.partOf(end)).find((p) => p.end === end);
    const [a, b] = [find(w.a), find(w.b)];
    if (!a || !b) continue;
    const [ca, cb] = [gestures.canvas.connector(a), gestures.canvas.connector(b)];
    edits.push({ edit: "reroute", connection: id, points: route(a.at, ca.own ? null : ca.info.side, b.at, cb.own ? null : cb.info.side, gestures.obstacles(a.at, b.at), gestures.grid[0]) });
  }
  await doc.edit(edits);
}

// ---------------------------------------------------------------- the panel

export function DiagramPane({ name }: { name: string }): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  const doc = classOf(name);
  const [ready, setReady] = useState(!!doc.diagram);
  useEffect(() => {
    let gone = false;
    setReady(!!doc.diagram);
    void doc.load().then(() => !gone && setReady(!!doc.diagram));
    return () => { gone = true; };
  }, [name]);
  useEffect(() => {
    const element = host.current;
    if (!element || !ready) return;
    const canvas = new Canvas(doc, element);
    const gestures = new Gestures(canvas);
    shownCanvases.set(name, gestures);
    const view = views.get(name);
    if (view) canvas.setView(view);
    gestures.onMenu = (x, y) => diagramMenu(doc, x, y);
    gestures.onOpen = (part) => { const c = doc.components.get(part); if (c) open(c.class); };
    gestures.onHover = (words, x, y) => {
      const next = words ? { words, x, y } : null;
      if (next?.words !== hover.value?.words || (next && hover.value && Math.hypot(next.x - hover.value.x, next.y - hover.value.y) > 24)) hover.value = next;
    };
    canvas.onView = () => views.set(name, canvas.viewState());
    const stop = effect(() => {
      doc.components_selected.value;
      doc.connections_selected.value;
      canvas.showSelection();
    });
    const stopTrouble = effect(() => {
      const all: string[] = [];
      for (const list of diagnostics.value.values()) for (const d of list) if (d.class === name && d.component && d.severity !== "note") all.push(d.component);
      doc.changed.value;
      canvas.showTrouble(all);
    });
    const stopValues = effect(() => {
      const v = valuesAt.value;
      canvas.showValues(v && v.class === name ? v.values.components : null, v && v.class === name ? v.values.svg : {});
    });
    let size: Point = [element.clientWidth, element.clientHeight];
    const observer = new ResizeObserver(() => {
      canvas.resized(size);
      size = [element.clientWidth, element.clientHeight];
    });
    observer.observe(element);
    return () => {
      stop();
      stopTrouble();
      stopValues();
      observer.disconnect();
      shownCanvases.delete(name);
      gestures.cancel();
      canvas.dispose();
      hover.value = null;
    };
  }, [name, ready]);
  doc.changed.value;
  const empty = ready && doc.diagram!.editable && !doc.components.size;
  const r = renaming.value?.class === name ? renaming.value : null;
  const g = shownCanvases.get(name);
  const place = r && g?.canvas.parts.get(r.name) ? g.canvas.toPixels(g.canvas.parts.get(r.name)!.at) : null;
  return (
    <div class="canvas" ref={host} tabIndex={0} data-testid={active.value === name ? "diagram" : undefined} aria-label={`Diagram of ${name}. Tab goes through the components, C connects, A adds.`}>
      {doc.failure.value ? <p class="hint">{doc.failure.value}</p> : null}
      {empty ? <div class="hint"><div><b>Empty diagram</b><br />Drag a component from the library, or press <kbd>A</kbd> to add one by name.<br />Drag from connector to connector to connect them.</div></div> : null}
      {r && place ? (
        <div class="rename" style={`left:${place[0] - 80}px;top:${place[1] - 12}px`} onPointerDown={(e) => e.stopPropagation()}>
          <RenameField name={r.name} done={(next) => {
            renaming.value = null;
            host.current?.focus();
            if (next && next !== r.name) void doc.edit([{ edit: "rename", component: r.name, name: next }]).then((done) => { if (done) doc.selectOnly([next], []); });
          }} />
        </div>
      ) : null}
      <div class="floating" onPointerDown={(e) => e.stopPropagation()}>
        <Tool glyph="minus" title="Zoom out (-)" onClick={() => zoom(1 / 1.25)} />
        <Tool glyph="plus" title="Zoom in (+)" onClick={() => zoom(1.25)} />
        <Tool glyph="fit" title="Fit (F)" onClick={fit} />
      </div>
      {doc.diagram && !doc.diagram.editable ? <div class="floating top-right"><span class="badge" style="margin:4px">Library, read only</span></div> : null}
    </div>
  );
}

/** The words beside the pointer. They stand outside of the diagram, which cuts off what leaves it and measures places in itself. */
export function Tip(): JSX.Element | null {
  const ref = useRef<HTMLDivElement>(null);
  const h = hover.value;
  useLayoutEffect(() => {
    const e = ref.current;
    if (!h || !e) return;
    const r = e.getBoundingClientRect();
    const under = h.y + 18 + r.height <= innerHeight - 4;
    e.style.left = `${Math.max(Math.min(h.x + 14, innerWidth - r.width - 6), 4)}px`;
    e.style.top = `${under ? h.y + 18 : Math.max(h.y - 10 - r.height, 4)}px`;
  }, [h]);
  return h ? <div class="tip" role="tooltip" ref={ref}>{h.words}</div> : null;
}

function RenameField({ name, done }: { name: string; done: (next: string) => void }): JSX.Element {
  const ref = useRef<HTMLInputElement>(null);
  const over = useRef(false);
  useEffect(() => ref.current?.select(), []);
  // Enter takes the field away, which blurs it: the name is told once.
  const tell = (next: string): void => {
    if (over.current) return;
    over.current = true;
    done(next);
  };
  return <input ref={ref} class="field small" style="width:160px" aria-label="New name" defaultValue={name} onBlur={(e) => tell(e.currentTarget.value)} onKeyDown={(e) => {
    if (e.key === "Enter") tell(e.currentTarget.value);
    else if (e.key === "Escape") tell("");
    else return;
    e.stopPropagation();
  }} />;
}

/** Tools for the selection, in the bar above the diagram. */
export function DiagramTools({ name }: { name: string }): JSX.Element {
  const doc = classOf(name);
  doc.changed.value;
  const text = doc.text;
  const fixed = !doc.diagram?.editable;
  const none = !doc.components_selected.value.length || fixed;
  return (
    <>
      <Tool glyph="undo" title="Undo (Ctrl+Z)" disabled={!text?.canUndo.value} onClick={() => void doc.travel("undo")} />
      <Tool glyph="redo" title="Redo (Ctrl+Y)" disabled={!text?.canRedo.value} onClick={() => void doc.travel("redo")} />
      <Tool glyph="turnLeft" title="Turn left (R)" disabled={none} onClick={() => void rotate(90)} />
      <Tool glyph="flipX" title="Flip horizontally (H)" disabled={none} onClick={() => void flip("x")} />
      <Tool glyph="flipY" title="Flip vertically (V)" disabled={none} onClick={() => void flip("y")} />
    </>
  );
}
