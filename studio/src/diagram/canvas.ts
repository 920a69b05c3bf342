// The drawing of a diagram as SVG: one element for each component and connection, changed one by one. Nothing here decides
// what the mouse does (`gestures.ts`).
//
// Coordinates of the language have y up; the drawing group mirrors positions one by one: (x, y) is painted at (x, -y).

import type { Color, DiagramChange, DiagramComponent, DiagramConnection, Point } from "../api";
import type { ClassDocument } from "../documents";
import { freePlace } from "./labels";
import { type Box, SpatialIndex } from "./spatial";
import { distance } from "./routing";
import { make, recolour, rgb, Symbols } from "./symbols";

/** Pixels per millimetre at which texts are too small to read and are left out. */
const TEXT_ZOOM = 1.1;
/** Pixels per millimetre of the drawing before the layer is scaled. */
const BASE = 4;

interface Drawn {
  group: SVGGElement;
  component: DiagramComponent;
  /** What `group` shows. */
  svg: string;
  at: Point;
  /** Texts that are written when they come into view and can be read. */
  texts: string;
}
interface DrawnWire {
  path: SVGPathElement;
  heads: SVGPathElement | null;
  connection: DiagramConnection;
  points: Point[];
}
export interface Port {
  component: string;
  /** `R1.p`, or the name of a connector of the class itself. */
  end: string;
  at: Point;
  index: number;
}

const number = (v: number): string => String(Math.round(v * 100) / 100);

export class Canvas {
  /** The drawing in a layer that the browser moves and scales without laying it out again. */
  private readonly layer = document.createElement("div");
  readonly svg = make("svg", { class: "drawing", width: 1, height: 1, role: "img", "aria-label": "Diagram" });
  /** Marks above the drawing: they change often, the drawing is not painted again for them. */
  private readonly marks = make("svg", { class: "sheet", "aria-hidden": "true" });
  private readonly symbols = new Symbols();
  private readonly world = make("g", { transform: `scale(${BASE})` });
  private readonly paper = make("rect", { class: "paper" });
  private readonly gridArea = make("rect", { class: "grid" });
  private readonly background = make("g");
  private readonly wireLayer = make("g", { fill: "none", "stroke-linejoin": "round", "stroke-linecap": "round" });
  private readonly partLayer = make("g", { "stroke-linejoin": "round", "stroke-linecap": "round" });
  private readonly valueLayer = make("g", { "pointer-events": "none" });
  private readonly overlay = make("g");
  private readonly selectionPath = make("path", { class: "select" });
  private readonly selectionFill = make("path", { class: "select-fill" });
  private readonly wireSelection = make("path", { class: "picked-wire" });
  private readonly hoverPath = make("path", { class: "hover" });
  private readonly troublePath = make("path", { class: "trouble" });
  private readonly ports = make("g");
  readonly handles = make("g");
  readonly band = make("rect", { class: "band hidden" });
  readonly newWire = make("path", { class: "new-wire" });
  readonly guides = make("g");
  readonly ghost = make("g", { opacity: 0.75 });

  readonly parts = new Map<string, Drawn>();
  readonly wires = new Map<string, DrawnWire>();
  private readonly partIndex = new SpatialIndex();
  private readonly wireIndex = new SpatialIndex();
  /** Connections at each component. */
  readonly attached = new Map<string, Set<string>>();

  /** Pixels per millimetre, and the place of the origin in pixels. */
  zoom = 3;
  private origin: Point = [0, 0];
  private viewPending = false;
  private slotsPending = false;
  private hair = 0;
  private settling = 0;
  private textsShown = true;
  private fitted = false;
  /** Everything is shown, and nobody moved it since. */
  private whole = false;
  onView: () => void = () => undefined;

  constructor(readonly document: ClassDocument, readonly host: HTMLElement) {
    this.layer.className = "layer";
    const pattern = make("pattern", { id: "grid-pattern", width: 10, height: 10, patternUnits: "userSpaceOnUse" });
    pattern.append(make("path", { class: "grid-dot", d: "M10 0H0V10", "stroke-width": 0.25 }));
    this.symbols.defs.append(pattern);
    this.overlay.append(this.selectionFill, this.wireSelection, this.selectionPath, this.hoverPath, this.troublePath, this.guides, this.ports, this.newWire, this.handles, this.ghost, this.band);
    this.world.append(this.paper, this.gridArea, this.background, this.wireLayer, this.partLayer, this.valueLayer);
    this.svg.append(this.symbols.defs, this.world);
    this.layer.append(this.svg);
    this.marks.append(this.overlay);
    host.prepend(this.layer, this.marks);
    this.rebuild();
    document.listeners.add(this.changed);
  }

  dispose(): void {
    this.document.listeners.delete(this.changed);
    clearTimeout(this.settling);
    this.layer.remove();
    this.marks.remove();
  }

  // ------------------------------------------------------------ drawing

  private readonly changed = (change: DiagramChange | null): void => {
    if (!change) this.rebuild();
    else {
      for (const id of change.removedConnections) this.removeWire(id);
      for (const name of change.removedComponents) this.removePart(name);
      for (const c of change.components) this.drawPart(this.document.components.get(c.name)!);
      for (const c of change.connections) this.drawWire(this.document.connections.get(c.id)!);
      if (change.background !== undefined) this.drawBackground();
    }
    this.forgetSlots();
    this.showSelection();
  };

  /** Values find their places anew, once per frame at most. */
  private forgetSlots(): void {
    this.slots.clear();
    if (this.slotsPending || !Object.keys(this.values).length) return;
    this.slotsPending = true;
    requestAnimationFrame(() => {
      this.slotsPending = false;
      this.writeValues();
    });
  }

  private drawBackground(): void {
    const diagram = this.document.diagram;
    if (!diagram) return;
    const [[x0, y0], [x1, y1]] = diagram.coordinates.extent;
    const area = { x: Math.min(x0, x1), y: -Math.max(y0, y1), width: Math.abs(x1 - x0), height: Math.abs(y1 - y0) };
    for (const rect of [this.paper, this.gridArea]) for (const [key, value] of Object.entries(area)) rect.setAttribute(key, String(value));
    this.background.innerHTML = recolour(diagram.background);
  }

  private rebuild(): void {
    const diagram = this.document.diagram;
    if (!diagram) return;
    this.drawBackground();
    for (const name of [...this.parts.keys()]) if (!this.document.components.has(name)) this.removePart(name);
    for (const id of [...this.wires.keys()]) if (!this.document.connections.has(id)) this.removeWire(id);
    for (const c of this.document.components.values()) this.drawPart(c);
    for (const c of this.document.connections.values()) this.drawWire(c);
    if (!this.fitted && this.host.clientWidth) {
      this.fit();
      this.fitted = true;
    }
    this.showSelection();
  }

  private drawPart(component: DiagramComponent): void {
    let drawn = this.parts.get(component.name);
    if (!component.placement) {
      if (drawn) this.removePart(component.name);
      return;
    }
    if (!drawn) {
      const group = make("g");
      this.partLayer.append(group);
      drawn = { group, component, svg: "", at: [NaN, NaN], texts: "" };
      this.parts.set(component.name, drawn);
    }
    drawn.component = component;
    const svg = component.svg ?? "";
    if (drawn.svg !== svg) this.fill(drawn, svg);
    const opacity = component.disabled ? "0.3" : "1";
    if (component.disabled || drawn.group.hasAttribute("opacity")) drawn.group.setAttribute("opacity", opacity);
    this.placePart(drawn, component.placement.center);
  }

  private fill(drawn: Drawn, svg: string): void {
    drawn.texts = this.symbols.fill(drawn.group, svg);
    drawn.svg = svg;
    if (!drawn.texts) return;
    // What is drawn first waits for the view; what is changed in sight keeps its texts.
    if (this.hair && this.zoom >= TEXT_ZOOM) this.write(drawn);
  }

  private write(drawn: Drawn): void {
    this.symbols.writeTexts(drawn.group, drawn.texts);
    drawn.texts = "";
  }

  private placePart(drawn: Drawn, at: Point): void {
    if (drawn.at[0] === at[0] && drawn.at[1] === at[1]) {
      this.partIndex.set(drawn.component.name, this.boxAt(drawn.component, at));
      return;
    }
    drawn.at = at;
    drawn.group.setAttribute("transform", `translate(${number(at[0])} ${number(-at[1])})`);
    this.partIndex.set(drawn.component.name, this.boxAt(drawn.component, at));
  }

  private boxAt(c: DiagramComponent, at: Point): Box {
    const [x, y, w, h] = c.box;
    return [at[0] + x, at[1] + y, at[0] + x + w, at[1] + y + h];
  }

  private removePart(name: string): void {
    this.parts.get(name)?.group.remove();
    this.parts.delete(name);
    this.partIndex.delete(name);
  }

  private drawWire(connection: DiagramConnection): void {
    let drawn = this.wires.get(connection.id);
    if (!drawn) {
      const path = make("path");
      this.wireLayer.append(path);
      drawn = { path, heads: null, connection, points: [] };
      this.wires.set(connection.id, drawn);
      for (const end of [connection.a, connection.b]) {
        const part = this.partOf(end);
        let set = this.attached.get(part);
        if (!set) this.attached.set(part, (set = new Set()));
        set.add(connection.id);
      }
    }
    drawn.connection = connection;
    const { path } = drawn;
    path.setAttribute("stroke", rgb(connection.color));
    path.style.strokeWidth = `max(${number(Math.max(connection.thickness, 0.25))}px, var(--hair))`;
    const dashes = { Solid: "", None: "0 100", Dash: "3 2", Dot: "0.5 1.5", DashDot: "3 1.5 0.5 1.5", DashDotDot: "3 1.5 0.5 1.5 0.5 1.5" }[connection.pattern];
    if (dashes) path.setAttribute("stroke-dasharray", dashes);
    else path.removeAttribute("stroke-dasharray");
    if (connection.disabled) path.setAttribute("opacity", "0.3");
    else path.removeAttribute("opacity");
    let points = connection.points;
    if (points.length < 2) {
      const [a, b] = [this.endPosition(connection.a), this.endPosition(connection.b)];
      points = a && b ? [a, b] : [];
      path.setAttribute("stroke-dasharray", "1.5 1.5");
    }
    this.layWire(drawn, points);
  }

  private layWire(drawn: DrawnWire, points: Point[]): void {
    drawn.points = points;
    drawn.path.setAttribute("d", drawn.connection.smooth && points.length > 2 ? smooth(points) : outline(points));
    const arrows = drawn.connection.arrows;
    if (points.length > 1 && (arrows[0] !== "None" || arrows[1] !== "None")) {
      if (!drawn.heads) drawn.path.after((drawn.heads = make("path")));
      const last = points.length - 1;
      const d = (arrows[0] !== "None" ? head(points[1]!, points[0]!) : "") + (arrows[1] !== "None" ? head(points[last - 1]!, points[last]!) : "");
      drawn.heads.setAttribute("d", d);
      drawn.heads.setAttribute("fill", rgb(drawn.connection.color));
    } else if (drawn.heads) {
      drawn.heads.remove();
      drawn.heads = null;
    }
    let box: Box = [Infinity, Infinity, -Infinity, -Infinity];
    for (const [x, y] of points) box = [Math.min(box[0], x), Math.min(box[1], y), Math.max(box[2], x), Math.max(box[3], y)];
    if (points.length) this.wireIndex.set(drawn.connection.id, box);
    else this.wireIndex.delete(drawn.connection.id);
  }

  private removeWire(id: string): void {
    const drawn = this.wires.get(id);
    if (!drawn) return;
    drawn.path.remove();
    drawn.heads?.remove();
    for (const end of [drawn.connection.a, drawn.connection.b]) this.attached.get(this.partOf(end))?.delete(id);
    this.wires.delete(id);
    this.wireIndex.delete(id);
  }

  // ------------------------------------------------------------ ahead of the server

  /** Draws a component and a line elsewhere without changing the document. */
  preview(parts: Iterable<[string, Point]>, wires: Iterable<[string, Point[]]>): void {
    for (const [name, at] of parts) {
      const drawn = this.parts.get(name);
      if (drawn) this.placePart(drawn, at);
    }
    for (const [id, points] of wires) {
      const drawn = this.wires.get(id);
      if (drawn) this.layWire(drawn, points);
    }
    this.showSelection();
  }

  /** Draws everything as the document has it. */
  restore(): void {
    for (const drawn of this.parts.values()) if (drawn.component.placement) this.placePart(drawn, drawn.component.placement.center);
    for (const drawn of this.wires.values()) if (drawn.connection.points.length > 1) this.layWire(drawn, drawn.connection.points);
    this.showSelection();
  }

  // ------------------------------------------------------------ names and places

  /** The component of an end: `R1` of `R1.p` and of `R1[2].p`. */
  partOf(end: string): string {
    const dot = end.search(/[.[]/);
    return dot < 0 ? end : end.slice(0, dot);
  }

  portsOf(name: string): Port[] {
    const drawn = this.parts.get(name);
    if (!drawn) return [];
    return drawn.component.connectors.map((c, index) => ({
      component: name,
      end: c.name ? `${name}.${c.name}` : name,
      at: [drawn.at[0] + c.at[0], drawn.at[1] + c.at[1]],
      index,
    }));
  }

  connector(port: Port): { info: DiagramComponent["connectors"][number]; own: boolean } {
    const component = this.parts.get(port.component)!.component;
    return { info: component.connectors[port.index]!, own: component.isConnector };
  }

  /** Is it there with the values that its condition has? */
  exists(port: Port): boolean {
    return !this.connector(port).info.disabled && !this.parts.get(port.component)!.component.disabled;
  }

  endPosition(end: string): Point | null {
    const part = this.partOf(end);
    const plain = end.replace(/\[[^\]]*\]/g, "");
    const ports = this.portsOf(part);
    return (ports.find((p) => p.end === end) ?? ports.find((p) => p.end.replace(/\[[^\]]*\]/g, "") === plain) ?? ports.find((p) => plain.startsWith(`${p.end}.`)))?.at ?? null;
  }

  boxOf(name: string): Box | undefined {
    return this.partIndex.get(name);
  }

  // ------------------------------------------------------------ hits

  partsIn(box: Box): string[] {
    return this.partIndex.query(box).filter((name) => {
      const b = this.partIndex.get(name)!;
      return b[0] >= box[0] && b[1] >= box[1] && b[2] <= box[2] && b[3] <= box[3];
    });
  }

  wiresIn(box: Box): string[] {
    return this.wireIndex.query(box).filter((id) => this.wires.get(id)!.points.every(([x, y]) => x >= box[0] && x <= box[2] && y >= box[1] && y <= box[3]));
  }

  partAt([x, y]: Point): string | null {
    let best: [string, number] | null = null;
    for (const name of this.partIndex.query([x, y, x, y])) {
      const b = this.partIndex.get(name)!;
      const area = (b[2] - b[0]) * (b[3] - b[1]);
      if (!best || area <= best[1]) best = [name, area];
    }
    return best?.[0] ?? null;
  }

  wireAt(p: Point): { id: string; piece: number } | null {
    const reach = 5 / this.zoom;
    let best: { id: string; piece: number } | null = null;
    let least = reach;
    for (const id of this.wireIndex.query([p[0] - reach, p[1] - reach, p[0] + reach, p[1] + reach])) {
      const { points } = this.wires.get(id)!;
      for (let i = 0; i + 1 < points.length; i++) {
        const d = distance(p, points[i]!, points[i + 1]!);
        if (d < least) [least, best] = [d, { id, piece: i }];
      }
    }
    return best;
  }

  portAt([x, y]: Point, wanted: (port: Port) => boolean = () => true, pixels = 7): Port | null {
    const reach = Math.max(pixels / this.zoom, 2);
    let best: Port | null = null;
    let least = Infinity;
    for (const name of this.partIndex.query([x - reach - 10, y - reach - 10, x + reach + 10, y + reach + 10])) {
      for (const port of this.portsOf(name)) {
        const radius = Math.max(Math.min(this.connector(port).info.radius, 12), pixels / this.zoom);
        const d = Math.hypot(port.at[0] - x, port.at[1] - y);
        if (d <= radius && d < least && this.exists(port) && wanted(port)) [least, best] = [d, port];
      }
    }
    return best;
  }

  visible(): Box {
    const [a, b] = [this.toWorld([0, this.host.clientHeight]), this.toWorld([this.host.clientWidth, 0])];
    return [a[0], a[1], b[0], b[1]];
  }

  partsNear(box: Box): string[] {
    return this.partIndex.query(box);
  }

  // ------------------------------------------------------------ marks

  showSelection(): void {
    const names = this.document.components_selected.peek();
    const margin = 1;
    let d = "";
    for (const name of names) {
      const b = this.partIndex.get(name);
      if (b) d += `M${number(b[0] - margin)} ${number(-b[3] - margin)}H${number(b[2] + margin)}V${number(-b[1] + margin)}H${number(b[0] - margin)}Z`;
    }
    this.selectionPath.setAttribute("d", d);
    this.selectionFill.setAttribute("d", d);
    let w = "";
    for (const id of this.document.connections_selected.peek()) w += outline(this.wires.get(id)?.points ?? []);
    this.wireSelection.setAttribute("d", w);
    this.showHandles();
    for (const _ in this.values) {
      this.writeValues();
      break;
    }
  }

  private showHandles(): void {
    this.handles.textContent = "";
    const names = this.document.components_selected.peek();
    const ids = this.document.connections_selected.peek();
    const size = 7 / this.zoom;
    const square = (x: number, y: number, kind: string, cursor: string): void => {
      const r = make("rect", { class: "handle", x: x - size / 2, y: -y - size / 2, width: size, height: size, "data-handle": kind, style: `cursor:${cursor}` });
      this.handles.append(r);
    };
    if (!this.document.diagram?.editable) return;
    if (names.length === 1 && !ids.length) {
      const drawn = this.parts.get(names[0]!);
      const b = this.partIndex.get(names[0]!);
      if (!drawn || !b || drawn.component.inherited) return;
      for (const [x, y, kind, cursor] of [
        [b[0] - 1, b[3] + 1, "nw", "nwse-resize"], [b[2] + 1, b[3] + 1, "ne", "nesw-resize"],
        [b[0] - 1, b[1] - 1, "sw", "nesw-resize"], [b[2] + 1, b[1] - 1, "se", "nwse-resize"],
      ] as const) square(x, y, kind, cursor);
    } else if (ids.length === 1 && !names.length) {
      const wire = this.wires.get(ids[0]!);
      if (!wire || wire.connection.inherited) return;
      wire.points.forEach(([x, y], i) => {
        if (i > 0 && i < wire.points.length - 1) square(x, y, `corner:${i}`, "move");
      });
    }
  }

  showHover(name: string | null, wire: string | null): void {
    const b = name ? this.partIndex.get(name) : null;
    const d = b ? `M${number(b[0] - 1)} ${number(-b[3] - 1)}H${number(b[2] + 1)}V${number(-b[1] + 1)}H${number(b[0] - 1)}Z` : wire ? outline(this.wires.get(wire)?.points ?? []) : "";
    if (this.hoverPath.getAttribute("d") !== d) this.hoverPath.setAttribute("d", d);
  }

  /** Components and connections with something wrong. */
  showTrouble(names: string[]): void {
    let d = "";
    for (const name of names) {
      const b = this.partIndex.get(this.partOf(name));
      if (name.includes(" ")) d += outline(this.wires.get(name)?.points ?? []);
      else if (b) d += `M${number(b[0] - 2)} ${number(-b[3] - 2)}H${number(b[2] + 2)}V${number(-b[1] + 2)}H${number(b[0] - 2)}Z`;
    }
    this.troublePath.setAttribute("d", d);
  }

  showPorts(ports: { port: Port; fits: boolean; target?: boolean }[]): void {
    this.ports.textContent = "";
    for (const { port, fits, target } of ports) {
      const radius = Math.max(Math.min(this.connector(port).info.radius, 4) * 1.3, (target ? 7 : 5) / this.zoom);
      this.ports.append(make("circle", { class: `port${fits ? " fits" : ""}${target ? " target" : ""}`, cx: port.at[0], cy: -port.at[1], r: radius }));
    }
  }

  showGuides(lines: { x?: number; y?: number }[]): void {
    this.guides.textContent = "";
    const [x0, y0, x1, y1] = this.visible();
    for (const { x, y } of lines) {
      if (x !== undefined) this.guides.append(make("line", { class: "guide", x1: x, x2: x, y1: -y0, y2: -y1 }));
      if (y !== undefined) this.guides.append(make("line", { class: "guide", x1: x0, x2: x1, y1: -y, y2: -y }));
    }
  }

  showBand(box: Box | null): void {
    this.band.classList.toggle("hidden", !box);
    if (!box) return;
    this.band.setAttribute("x", String(box[0]));
    this.band.setAttribute("y", String(-box[3]));
    this.band.setAttribute("width", String(box[2] - box[0]));
    this.band.setAttribute("height", String(box[3] - box[1]));
  }

  showNewWire(points: Point[] | null, color?: Color): void {
    this.newWire.setAttribute("d", points ? outline(points) : "");
    if (color) this.newWire.style.stroke = rgb(color);
  }

  showGhost(component: DiagramComponent | null, at: Point = [0, 0]): void {
    if (!component) {
      this.ghost.textContent = "";
      return;
    }
    if (!this.ghost.firstChild) this.symbols.writeTexts(this.ghost, this.symbols.fill(this.ghost, component.svg ?? ""));
    this.ghost.setAttribute("transform", `translate(${at[0]} ${-at[1]})`);
  }

  private values: Record<string, { name: string; text: string }[]> = {};

  /** Values at the time of the cursor, below the components; pictures that change with the result. */
  showValues(values: Record<string, { name: string; text: string }[]> | null, pictures: Record<string, string> = {}): void {
    this.values = values ?? {};
    this.writeValues();
    for (const [name, drawn] of this.parts) {
      const svg = pictures[name] ?? drawn.component.svg ?? "";
      if (drawn.svg !== svg) this.fill(drawn, svg);
    }
  }

  /** Where the values of components stand, relative to their middles: kept while only the values change. */
  private readonly slots = new Map<string, Point>();

  /** As many lines as there is room for; those of the selection always. */
  private writeValues(): void {
    this.valueLayer.textContent = "";
    const chosen = new Set(this.document.components_selected.peek());
    const room = this.zoom > 5 ? 3 : this.zoom > 2.6 ? 1 : 0;
    const size = Math.min(Math.max(11 / this.zoom, 1.6), 6);
    let obstacles: Box[] | null = null;
    for (const name in this.values) {
      const b = this.partIndex.get(name);
      const count = chosen.has(name) ? 6 : room;
      if (!b || !count) continue;
      const lines = this.values[name]!.slice(0, count).map((v) => `${v.name} = ${v.text}`);
      if (!lines.length) continue;
      const [width, height] = [Math.max(...lines.map((l) => l.length)) * size * 0.55, lines.length * size * 1.15];
      const key = `${name} ${lines.length}`;
      const middle: Point = [(b[0] + b[2]) / 2, (b[1] + b[3]) / 2];
      let slot = this.slots.get(key);
      if (!slot) {
        obstacles ??= this.obstacles();
        const p = freePlace(b, width, height, size, obstacles);
        obstacles.push(p);
        slot = [(p[0] + p[2]) / 2 - middle[0], p[3] - middle[1]];
        this.slots.set(key, slot);
      }
      const [x, y] = [middle[0] + slot[0], middle[1] + slot[1]];
      lines.forEach((line, i) => {
        const text = make("text", { class: "value-text", x, y: -y + size * (0.9 + 1.15 * i), "text-anchor": "middle", style: `font-size:${number(size)}px;stroke-width:${number(size / 4)}px` });
        text.textContent = line;
        this.valueLayer.append(text);
      });
    }
  }

  /** What values should not cover: texts, pictures and lines in sight. */
  private obstacles(): Box[] {
    const found: Box[] = [];
    const seen = this.visible();
    const host = this.host.getBoundingClientRect();
    for (const name of this.partIndex.query(seen)) {
      const b = this.partIndex.get(name);
      if (b) found.push(b);
      if (!this.textsShown) continue;
      for (const text of this.parts.get(name)?.group.querySelectorAll(".texts text") ?? []) {
        const r = text.getBoundingClientRect();
        if (!r.width) continue;
        const [x0, y1] = this.toWorld([r.left - host.left, r.top - host.top]);
        const [x1, y0] = this.toWorld([r.right - host.left, r.bottom - host.top]);
        found.push([x0, y0, x1, y1]);
      }
    }
    for (const id of this.wireIndex.query(seen)) {
      const points = this.wires.get(id)?.points ?? [];
      for (let i = 1; i < points.length; i++) {
        const [[ax, ay], [bx, by]] = [points[i - 1]!, points[i]!];
        found.push([Math.min(ax, bx) - 0.5, Math.min(ay, by) - 0.5, Math.max(ax, bx) + 0.5, Math.max(ay, by) + 0.5]);
      }
    }
    return found;
  }

  // ------------------------------------------------------------ view

  toWorld([px, py]: Point): Point {
    return [(px - this.origin[0]) / this.zoom, -(py - this.origin[1]) / this.zoom];
  }

  toPixels([x, y]: Point): Point {
    return [x * this.zoom + this.origin[0], -y * this.zoom + this.origin[1]];
  }

  pan(dx: number, dy: number): void {
    this.whole = false;
    this.origin = [this.origin[0] + dx, this.origin[1] + dy];
    this.viewChanged();
  }

  zoomAt(factor: number, at: Point = [this.host.clientWidth / 2, this.host.clientHeight / 2]): void {
    const next = Math.min(Math.max(this.zoom * factor, 0.02), 40);
    const ratio = next / this.zoom;
    this.whole = false;
    this.origin = [at[0] - (at[0] - this.origin[0]) * ratio, at[1] - (at[1] - this.origin[1]) * ratio];
    this.zoom = next;
    this.viewChanged();
  }

  /** Shows everything, or the named components. */
  fit(names?: string[]): void {
    const [w, h] = [this.host.clientWidth, this.host.clientHeight];
    if (!w || !h) return;
    let box: Box | null = null;
    const join = (b: Box | null | undefined): void => {
      if (b) box = box ? [Math.min(box[0], b[0]), Math.min(box[1], b[1]), Math.max(box[2], b[2]), Math.max(box[3], b[3])] : [...b];
    };
    if (names?.length) for (const name of names) join(this.partIndex.get(name));
    else {
      join(this.partIndex.bounds());
      join(this.wireIndex.bounds());
      if (!box || this.background.childElementCount) {
        const extent = this.document.diagram?.coordinates.extent ?? [[-100, -100], [100, 100]];
        join([Math.min(extent[0][0], extent[1][0]), Math.min(extent[0][1], extent[1][1]), Math.max(extent[0][0], extent[1][0]), Math.max(extent[0][1], extent[1][1])]);
      }
    }
    const [x0, y0, x1, y1] = box ?? [-100, -100, 100, 100];
    const margin = names?.length ? 40 : 14;
    this.zoom = Math.min(w / (x1 - x0 + 2 * margin), h / (y1 - y0 + 2 * margin), names?.length ? 6 : 8);
    this.origin = [w / 2 - ((x0 + x1) / 2) * this.zoom, h / 2 + ((y0 + y1) / 2) * this.zoom];
    this.whole = !names?.length;
    this.viewChanged();
  }

  centre(at: Point): void {
    this.whole = false;
    this.origin = [this.host.clientWidth / 2 - at[0] * this.zoom, this.host.clientHeight / 2 + at[1] * this.zoom];
    this.viewChanged();
  }

  /** The host has another size: what showed everything goes on to, else what was in the middle stays there. */
  resized(before: Point): void {
    if (!this.fitted || !before[0] || this.whole) {
      this.fit();
      this.fitted = this.host.clientWidth > 0;
      return;
    }
    this.pan((this.host.clientWidth - before[0]) / 2, (this.host.clientHeight - before[1]) / 2);
  }

  viewState(): { zoom: number; origin: Point; whole: boolean } {
    return { zoom: this.zoom, origin: this.origin, whole: this.whole };
  }

  setView(state: { zoom: number; origin: Point; whole: boolean }): void {
    this.whole = state.whole;
    this.zoom = state.zoom;
    this.origin = state.origin;
    this.fitted = true;
    this.viewChanged();
  }

  private viewChanged(): void {
    if (this.viewPending) return;
    this.viewPending = true;
    requestAnimationFrame(() => {
      this.viewPending = false;
      const place = `${number(this.origin[0])}px, ${number(this.origin[1])}px`;
      this.layer.style.transform = `translate(${place}) scale(${this.zoom / BASE})`;
      this.overlay.setAttribute("transform", `matrix(${this.zoom} 0 0 ${this.zoom} ${number(this.origin[0])} ${number(this.origin[1])})`);
      // What styles every shape anew waits until the view rests.
      clearTimeout(this.settling);
      if (this.hair) this.settling = window.setTimeout(() => this.settle(), 140);
      else this.settle();
      this.showHandles();
      this.onView();
    });
  }

  private settle(): void {

    // In steps, so that a little zoom does not style everything anew.
    const hair = Math.min(1.1 / 2 ** Math.round(Math.log2(this.zoom)), 4);
    if (hair !== this.hair) {
      this.hair = hair;
      this.world.style.setProperty("--hair", `${number(hair)}px`);
    }
    const texts = this.zoom >= TEXT_ZOOM;
    if (texts !== this.textsShown) {
      this.textsShown = texts;
      this.partLayer.classList.toggle("no-texts", !texts);
    }
    if (texts) {
      for (const name of this.partIndex.query(this.visible())) {
        const drawn = this.parts.get(name);
        if (drawn?.texts) this.write(drawn);
      }
    }
    this.slots.clear();
    this.writeValues();
  }

  /** The picture alone, for a file or the clipboard. */
  picture(): string {
    for (const drawn of this.parts.values()) if (drawn.texts) this.write(drawn);
    const box = this.partIndex.bounds() ?? [-100, -100, 100, 100];
    const copy = this.svg.cloneNode(true) as SVGSVGElement;
    copy.querySelector(".grid")?.remove();
    copy.querySelector(".paper")?.setAttribute("fill", "#fff");
    copy.lastElementChild?.removeAttribute("transform");
    const [x, y, w, h] = [box[0] - 10, -box[3] - 10, box[2] - box[0] + 20, box[3] - box[1] + 20];
    copy.setAttribute("viewBox", `${x} ${y} ${w} ${h}`);
    copy.setAttribute("width", String(w * 4));
    copy.setAttribute("height", String(h * 4));
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    return copy.outerHTML.replace(/light-dark\((#[0-9a-f]+),hsl\([^)]*\)\)/g, "$1").replace(/max\(([\d.]+)px,\s*var\(--hair[^)]*\)\)/g, "$1px");
  }
}

export function outline(points: Point[]): string {
  let d = "";
  for (let i = 0; i < points.length; i++) d += `${i ? "L" : "M"}${number(points[i]![0])} ${number(-points[i]![1])}`;
  return d;
}

/** Quadratic pieces through the middles, as the language says for Smooth.Bezier. */
function smooth(points: Point[]): string {
  const at = (p: Point): string => `${number(p[0])} ${number(-p[1])}`;
  const middle = (p: Point, q: Point): Point => [(p[0] + q[0]) / 2, (p[1] + q[1]) / 2];
  let d = `M${at(points[0]!)}L${at(middle(points[0]!, points[1]!))}`;
  for (let i = 1; i + 1 < points.length; i++) d += `Q${at(points[i]!)} ${at(middle(points[i]!, points[i + 1]!))}`;
  return `${d}L${at(points[points.length - 1]!)}`;
}

function head(from: Point, to: Point): string {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const length = Math.hypot(dx, dy) || 1;
  const [ux, uy] = [(dx / length) * 3, (dy / length) * 3];
  return outline([[to[0] - ux + uy / 2, to[1] - uy - ux / 2], to, [to[0] - ux - uy / 2, to[1] - uy + ux / 2]]) + "Z";
}
