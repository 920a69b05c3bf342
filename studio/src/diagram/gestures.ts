// What mouse, pen and fingers do in a diagram. What is dragged is drawn at once; the server is told when the button comes up.

import { canConnect, type DiagramComponent, type Edit, type Extent, type Point } from "../api";
import { toast } from "../notices";
import type { Canvas, Port } from "./canvas";
import { route, shiftPiece, type Side, stretch, tidy } from "./routing";
import type { Box } from "./spatial";

type Mode =
  | { kind: "idle" }
  | { kind: "pan"; last: Point }
  | { kind: "band"; from: Point; parts: string[]; wires: string[] }
  | { kind: "press"; from: Point; name: string; toggled: boolean }
  | { kind: "move"; from: Point; by: Point; names: string[] }
  | { kind: "wire"; from: Port; corners: Point[]; at: Point; target: Port | null; clicked: boolean; started: Point; fits: Port[] }
  | { kind: "piece"; from: Point; id: string; piece: number; points: Point[]; moved: boolean }
  | { kind: "corner"; id: string; corner: number; points: Point[] }
  | { kind: "resize"; name: string; fixed: Point; extent: Extent; box: Box };

/** Pixels that tell a drag from a click. */
const SLOP = 4;

export class Gestures {
  private mode: Mode = { kind: "idle" };
  private space = false;
  /** The last place of the pointer, in millimetres. */
  pointer: Point = [0, 0];
  private touches = new Map<number, Point>();
  private held: DiagramComponent | null = null;

  onMenu: (x: number, y: number) => void = () => undefined;
  onOpen: (name: string) => void = () => undefined;
  onHover: (words: string, x: number, y: number) => void = () => undefined;

  constructor(readonly canvas: Canvas) {
    const host = canvas.host;
    host.addEventListener("pointerdown", this.down);
    host.addEventListener("pointermove", this.move);
    host.addEventListener("pointerup", this.up);
    host.addEventListener("pointercancel", this.cancel);
    host.addEventListener("pointerleave", () => {
      this.onHover("", 0, 0);
      if (this.mode.kind === "idle") {
        canvas.showHover(null, null);
        canvas.showPorts([]);
      }
    });
    host.addEventListener("wheel", this.wheel, { passive: false });
    host.addEventListener("dblclick", (e) => {
      const name = canvas.partAt(this.at(e));
      if (name) this.onOpen(name);
    });
    host.addEventListener("contextmenu", (e) => {
      e.preventDefault();
      if (this.mode.kind === "wire") return this.cancel();
      const p = this.at(e);
      const name = canvas.partAt(p);
      const wire = name ? null : canvas.wireAt(p);
      const { components_selected, connections_selected } = canvas.document;
      if (name && !components_selected.value.includes(name)) canvas.document.selectOnly([name], []);
      else if (wire && !connections_selected.value.includes(wire.id)) canvas.document.selectOnly([], [wire.id]);
      else if (!name && !wire) canvas.document.selectOnly([], []);
      this.onMenu(e.clientX, e.clientY);
    });
    host.addEventListener("keydown", (e) => {
      if (e.key === " ") {
        this.space = true;
        e.preventDefault();
      }
      if (e.key === "Escape" && this.mode.kind !== "idle") {
        this.cancel();
        e.stopPropagation();
      }
    });
    host.addEventListener("keyup", (e) => {
      if (e.key === " ") this.space = false;
    });
  }

  get grid(): Point {
    const [x, y] = this.canvas.document.diagram?.coordinates.grid ?? [2, 2];
    return [x || 2, y || 2];
  }

  private snap([x, y]: Point): Point {
    const [gx, gy] = this.grid;
    return [Math.round(x / gx) * gx, Math.round(y / gy) * gy];
  }

  private at(e: { clientX: number; clientY: number }): Point {
    const r = this.canvas.host.getBoundingClientRect();
    return this.canvas.toWorld([e.clientX - r.left, e.clientY - r.top]);
  }

  private get editable(): boolean {
    return this.canvas.document.diagram?.editable ?? false;
  }

  private setMode(mode: Mode): void {
    this.mode = mode;
    const list = this.canvas.host.classList;
    list.toggle("connecting", mode.kind === "wire");
    list.toggle("panning", mode.kind === "pan");
    list.toggle("moving", mode.kind === "move" || mode.kind === "piece");
  }

  // ------------------------------------------------------------ events

  private readonly down = (e: PointerEvent): void => {
    const { canvas } = this;
    canvas.host.focus({ preventScroll: true });
    this.onHover("", 0, 0);
    this.touches.set(e.pointerId, [e.clientX, e.clientY]);
    if (this.touches.size === 2) {
      this.cancel();
      return;
    }
    const p = this.at(e);
    this.pointer = p;
    if (e.button === 1 || (e.button === 0 && this.space)) {
      e.preventDefault();
      canvas.host.setPointerCapture(e.pointerId);
      this.setMode({ kind: "pan", last: [e.clientX, e.clientY] });
      return;
    }
    if (e.button !== 0) return;
    if (this.mode.kind === "wire") return; // the click that ends a piece: see `up`
    canvas.host.setPointerCapture(e.pointerId);
    const handle = (e.target as Element).getAttribute?.("data-handle");
    if (handle && this.editable && this.grabHandle(handle)) return;
    const { components_selected, connections_selected } = canvas.document;
    const add = e.shiftKey || e.ctrlKey || e.metaKey;
    const port = this.editable && !add ? canvas.portAt(p) : null;
    if (port && !(components_selected.value.length === 1 && components_selected.value[0] === port.component && port.end === port.component)) {
      this.beginWire(port, p);
      return;
    }
    const name = canvas.partAt(p);
    if (name) {
      const chosen = components_selected.value.includes(name);
      let toggled = false;
      if (add) {
        canvas.document.selectOnly(chosen ? components_selected.value.filter((n) => n !== name) : [...components_selected.value, name], connections_selected.value);
        toggled = true;
      } else if (!chosen) canvas.document.selectOnly([name], []);
      this.setMode({ kind: "press", from: p, name, toggled });
      return;
    }
    const wire = canvas.wireAt(p);
    if (wire) {
      const chosen = connections_selected.value;
      canvas.document.selectOnly(add ? components_selected.value : [], add ? (chosen.includes(wire.id) ? chosen.filter((w) => w !== wire.id) : [...chosen, wire.id]) : [wire.id]);
      const drawn = canvas.wires.get(wire.id)!;
      if (!add && this.editable && !drawn.connection.inherited) this.setMode({ kind: "piece", from: p, id: wire.id, piece: wire.piece, points: drawn.points, moved: false });
      return;
    }
    const kept = add ? { parts: components_selected.value, wires: connections_selected.value } : { parts: [], wires: [] };
    canvas.document.selectOnly(kept.parts, kept.wires);
    this.setMode({ kind: "band", from: p, ...kept });
  };

  private readonly move = (e: PointerEvent): void => {
    const { canvas } = this;
    const before = this.touches.get(e.pointerId);
    if (before) this.touches.set(e.pointerId, [e.clientX, e.clientY]);
    if (this.touches.size === 2 && before) return this.pinch(e.pointerId, before);
    const p = this.at(e);
    this.pointer = p;
    const mode = this.mode;
    switch (mode.kind) {
      case "idle":
        return this.hover(e, p);
      case "pan":
        canvas.pan(e.clientX - mode.last[0], e.clientY - mode.last[1]);
        mode.last = [e.clientX, e.clientY];
        return;
      case "band": {
        const box: Box = [Math.min(mode.from[0], p[0]), Math.min(mode.from[1], p[1]), Math.max(mode.from[0], p[0]), Math.max(mode.from[1], p[1])];
        canvas.showBand(box);
        canvas.document.selectOnly([...new Set([...mode.parts, ...canvas.partsIn(box)])], [...new Set([...mode.wires, ...canvas.wiresIn(box)])]);
        return;
      }
      case "press": {
        const far = Math.hypot(p[0] - mode.from[0], p[1] - mode.from[1]) * canvas.zoom > SLOP;
        const names = canvas.document.components_selected.value.filter((n) => !canvas.document.components.get(n)?.inherited);
        if (!far || !names.length) return;
        if (!this.editable) return;
        this.setMode({ kind: "move", from: mode.from, by: [0, 0], names });
        return;
      }
      case "move": {
        const by = this.snap([p[0] - mode.from[0], p[1] - mode.from[1]]);
        if (by[0] === mode.by[0] && by[1] === mode.by[1]) return;
        mode.by = by;
        this.previewMove(mode.names, by);
        if (mode.names.length === 1) this.alignmentGuides(mode.names[0]!);
        return;
      }
      case "wire":
        return this.followWire(mode, p);
      case "piece": {
        const by = this.snap([p[0] - mode.from[0], p[1] - mode.from[1]]);
        mode.moved ||= Math.hypot(by[0], by[1]) > 0;
        if (mode.moved) canvas.preview([], [[mode.id, shiftPiece(mode.points, mode.piece, by)]]);
        return;
      }
      case "corner": {
        const points = mode.points.map((q): Point => [q[0], q[1]]);
        const i = mode.corner;
        const [old, now] = [mode.points[i]!, this.snap(p)];
        // Neighbours keep their right angles where they may move.
        for (const j of [i - 1, i + 1]) {
          if (j <= 0 || j >= points.length - 1) continue;
          if (Math.abs(mode.points[j]![0] - old[0]) < 1e-6) points[j]![0] = now[0];
          if (Math.abs(mode.points[j]![1] - old[1]) < 1e-6) points[j]![1] = now[1];
        }
        const free: Point = [...now];
        for (const j of [i - 1, i + 1]) {
          if (j !== 0 && j !== points.length - 1) continue;
          if (Math.abs(mode.points[j]![0] - old[0]) < 1e-6) free[0] = old[0];
          if (Math.abs(mode.points[j]![1] - old[1]) < 1e-6) free[1] = old[1];
        }
        points[i] = free;
        for (const j of [i - 1, i + 1]) {
          if (j <= 0 || j >= points.length - 1) continue;
          if (Math.abs(mode.points[j]![0] - old[0]) < 1e-6) points[j]![0] = free[0];
          if (Math.abs(mode.points[j]![1] - old[1]) < 1e-6) points[j]![1] = free[1];
        }
        canvas.preview([], [[mode.id, points]]);
        return;
      }
      case "resize": {
        const corner = this.snap(p);
        mode.box = [Math.min(corner[0], mode.fixed[0]), Math.min(corner[1], mode.fixed[1]), Math.max(corner[0], mode.fixed[0]), Math.max(corner[1], mode.fixed[1])];
        canvas.showBand(mode.box);
        return;
      }
    }
  };

  private readonly up = (e: PointerEvent): void => {
    const { canvas } = this;
    this.touches.delete(e.pointerId);
    const mode = this.mode;
    if (mode.kind === "wire") return this.releaseWire(mode, this.at(e), e.button);
    this.setMode({ kind: "idle" });
    canvas.showGuides([]);
    canvas.showBand(null);
    switch (mode.kind) {
      case "press":
        if (!mode.toggled && canvas.document.components_selected.value.length > 1) canvas.document.selectOnly([mode.name], []);
        return;
      case "move":
        if (mode.by[0] || mode.by[1]) void this.commitMove(mode.names, mode.by);
        return;
      case "piece":
      case "corner": {
        const drawn = canvas.wires.get(mode.id);
        if (drawn && (mode.kind === "corner" || mode.moved)) {
          const points = tidy(drawn.points);
          void canvas.document.edit([{ edit: "reroute", connection: mode.id, points }]);
        }
        return;
      }
      case "resize": {
        const c = canvas.document.components.get(mode.name);
        const [x0, y0, x1, y1] = mode.box;
        if (!c?.placement || x1 - x0 < 1 || y1 - y0 < 1) return;
        const turned = Math.abs(c.placement.rotation % 180) === 90;
        const [w, h] = turned ? [y1 - y0, x1 - x0] : [x1 - x0, y1 - y0];
        const [ex, ey] = c.placement.extent;
        const [sx, sy] = [ex[0] <= ey[0] ? 1 : -1, ex[1] <= ey[1] ? 1 : -1];
        // The origin stays where it is: the extent is about the new centre.
        const centre: Point = [(x0 + x1) / 2, (y0 + y1) / 2];
        const o = c.placement.origin;
        const angle = (-c.placement.rotation * Math.PI) / 180;
        const [dx, dy] = [centre[0] - o[0], centre[1] - o[1]];
        const m: Point = [Math.round((dx * Math.cos(angle) - dy * Math.sin(angle)) * 1000) / 1000, Math.round((dx * Math.sin(angle) + dy * Math.cos(angle)) * 1000) / 1000];
        const extent: Extent = [[m[0] - (sx * w) / 2, m[1] - (sy * h) / 2], [m[0] + (sx * w) / 2, m[1] + (sy * h) / 2]];
        void canvas.document.edit([{ edit: "place", component: mode.name, extent }]);
        return;
      }
      default:
        return;
    }
  };

  readonly cancel = (): void => {
    const { canvas } = this;
    const moved = this.mode.kind === "move" || this.mode.kind === "piece" || this.mode.kind === "corner";
    this.setMode({ kind: "idle" });
    canvas.showBand(null);
    canvas.showGuides([]);
    canvas.showNewWire(null);
    canvas.showPorts([]);
    canvas.showGhost(null);
    if (moved) canvas.restore();
  };

  get busy(): boolean {
    return this.mode.kind !== "idle";
  }

  private readonly wheel = (e: WheelEvent): void => {
    e.preventDefault();
    const r = this.canvas.host.getBoundingClientRect();
    const line = e.deltaMode === 1 ? 16 : 1;
    if (e.shiftKey && !e.ctrlKey) this.canvas.pan(-(e.deltaX || e.deltaY) * line, 0);
    else if (e.ctrlKey || !e.deltaX) this.canvas.zoomAt(Math.exp(-Math.max(Math.min(e.deltaY * line, 240), -240) * (e.ctrlKey ? 0.008 : 0.0022)), [e.clientX - r.left, e.clientY - r.top]);
    else this.canvas.pan(-e.deltaX * line, -e.deltaY * line);
  };

  private pinch(id: number, before: Point): void {
    const [other] = [...this.touches].filter(([k]) => k !== id).map(([, v]) => v);
    const now = this.touches.get(id)!;
    if (!other) return;
    const r = this.canvas.host.getBoundingClientRect();
    const ratio = Math.hypot(now[0] - other[0], now[1] - other[1]) / (Math.hypot(before[0] - other[0], before[1] - other[1]) || 1);
    this.canvas.zoomAt(ratio, [(now[0] + other[0]) / 2 - r.left, (now[1] + other[1]) / 2 - r.top]);
    this.canvas.pan((now[0] - before[0]) / 2, (now[1] - before[1]) / 2);
  }

  private hover(e: PointerEvent, p: Point): void {
    const { canvas } = this;
    const port = this.editable ? canvas.portAt(p) : null;
    canvas.showPorts(port ? [{ port, fits: false, target: true }] : []);
    const name = canvas.partAt(p);
    const wire = name ? null : canvas.wireAt(p);
    canvas.showHover(port ? null : name, wire?.id ?? null);
    canvas.host.style.cursor = port ? "crosshair" : name || wire ? "pointer" : "";
    if (port) {
      const { info } = canvas.connector(port);
      this.onHover(`${port.end} · ${info.class}`, e.clientX, e.clientY);
    } else if (name) {
      const c = canvas.document.components.get(name)!;
      this.onHover(`${name}${c.dimensions} · ${c.class}${c.description ? ` — ${c.description}` : ""}`, e.clientX, e.clientY);
    } else if (wire) {
      const c = canvas.document.connections.get(wire.id);
      this.onHover(c ? `${c.a} — ${c.b}` : "", e.clientX, e.clientY);
    } else this.onHover("", 0, 0);
  }

  private grabHandle(handle: string): boolean {
    const { canvas } = this;
    if (handle.startsWith("corner:")) {
      const id = canvas.document.connections_selected.value[0]!;
      this.setMode({ kind: "corner", id, corner: Number(handle.slice(7)), points: canvas.wires.get(id)!.points });
      return true;
    }
    const name = canvas.document.components_selected.value[0];
    const c = name ? canvas.document.components.get(name) : undefined;
    const b = name ? canvas.boxOf(name) : undefined;
    if (!name || !c?.placement || !b) return false;
    const fixed: Point = [handle.includes("w") ? b[2] : b[0], handle.includes("n") ? b[1] : b[3]];
    this.setMode({ kind: "resize", name, fixed, extent: c.placement.extent, box: b });
    return true;
  }

  // ------------------------------------------------------------ moving

  previewMove(names: string[], by: Point): void {
    const { canvas } = this;
    const moved = new Set(names);
    const wires = new Map<string, Point[]>();
    for (const name of names) {
      for (const id of canvas.attached.get(name) ?? []) {
        if (wires.has(id)) continue;
        const c = canvas.document.connections.get(id);
        if (!c || c.points.length < 2) continue;
        wires.set(id, stretch(c.points, moved.has(canvas.partOf(c.a)) ? by : null, moved.has(canvas.partOf(c.b)) ? by : null));
      }
    }
    const parts = names.map((name): [string, Point] => {
      const [x, y] = canvas.document.components.get(name)!.placement!.center;
      return [name, [x + by[0], y + by[1]]];
    });
    canvas.preview(parts, wires);
  }

  async commitMove(names: string[], by: Point): Promise<void> {
    await this.canvas.document.edit(names.map((component) => ({ edit: "move", component, by })));
  }

  /** Lines where middles of components near by have the same coordinate. */
  private alignmentGuides(name: string): void {
    const { canvas } = this;
    const box = canvas.boxOf(name);
    const at = canvas.parts.get(name)?.at;
    if (!box || !at) return;
    const lines: { x?: number; y?: number }[] = [];
    for (const other of canvas.partsNear([box[0] - 120, box[1] - 120, box[2] + 120, box[3] + 120])) {
      const b = canvas.parts.get(other);
      if (!b || other === name) continue;
      if (Math.abs(b.at[0] - at[0]) < 1e-6 && !lines.some((l) => l.x !== undefined)) lines.push({ x: at[0] });
      if (Math.abs(b.at[1] - at[1]) < 1e-6 && !lines.some((l) => l.y !== undefined)) lines.push({ y: at[1] });
    }
    canvas.showGuides(lines);
  }

  // ------------------------------------------------------------ connecting

  /** The connectors that fit to one. */
  fitting(from: Port, within: Box | null = null): Port[] {
    const { canvas } = this;
    const a = canvas.connector(from);
    const found: Port[] = [];
    for (const name of within ? canvas.partsNear(within) : canvas.parts.keys()) {
      for (const port of canvas.portsOf(name)) {
        if (port.end === from.end || !canvas.exists(port)) continue;
        const b = canvas.connector(port);
        if (canConnect(a.info, a.own, b.info, b.own)) found.push(port);
      }
    }
    return found;
  }

  private beginWire(port: Port, p: Point): void {
    const fits = this.fitting(port, this.canvas.visible());
    this.setMode({ kind: "wire", from: port, corners: [], at: p, target: null, clicked: false, started: p, fits });
    this.canvas.showHover(null, null);
    this.canvas.showPorts([{ port, fits: false, target: true }, ...fits.map((f) => ({ port: f, fits: true }))]);
  }

  private wirePoints(mode: Mode & { kind: "wire" }): Point[] {
    const { canvas } = this;
    const from = canvas.connector(mode.from);
    const start = mode.corners.length ? mode.corners[mode.corners.length - 1]! : mode.from.at;
    const end = mode.target ? mode.target.at : this.snap(mode.at);
    const side = mode.corners.length ? null : this.sideOf(from.info.side, from.own);
    let endSide: Side | null = null;
    if (mode.target) {
      const to = canvas.connector(mode.target);
      endSide = this.sideOf(to.info.side, to.own);
    }
    const fixed = [mode.from.at, ...mode.corners];
    return tidy([...fixed, ...route(start, side, end, endSide, this.obstacles(start, end), this.grid[0])]);
  }

  /** Lines leave connectors of components outwards, those of the class itself inwards. */
  private sideOf(side: Side, own: boolean): Side {
    if (!own) return side;
    return ({ left: "right", right: "left", top: "bottom", bottom: "top" } as const)[side];
  }

  obstacles(a: Point, b: Point): Box[] {
    const box: Box = [Math.min(a[0], b[0]) - 10, Math.min(a[1], b[1]) - 10, Math.max(a[0], b[0]) + 10, Math.max(a[1], b[1]) + 10];
    return this.canvas.partsNear(box).slice(0, 12).map((n) => this.canvas.boxOf(n)!);
  }

  private followWire(mode: Mode & { kind: "wire" }, p: Point): void {
    const { canvas } = this;
    mode.at = p;
    const allowed = new Set(mode.fits.map((f) => f.end));
    const target = canvas.portAt(p, (port) => allowed.has(port.end), 12);
    if (target?.end !== mode.target?.end) {
      mode.target = target;
      canvas.showPorts([{ port: mode.from, fits: false, target: true }, ...mode.fits.map((f) => ({ port: f, fits: true, target: f.end === target?.end }))]);
    }
    canvas.showNewWire(this.wirePoints(mode), canvas.connector(mode.from).info.color);
  }

  private releaseWire(mode: Mode & { kind: "wire" }, p: Point, button: number): void {
    const { canvas } = this;
    if (button !== 0) return;
    this.followWire(mode, p);
    if (mode.target) {
      const [a, b] = [mode.from, mode.target];
      const points = this.wirePoints(mode);
      this.cancel();
      void this.connect(a, b, points);
      return;
    }
    const far = Math.hypot(p[0] - mode.started[0], p[1] - mode.started[1]) * canvas.zoom > SLOP;
    if (!mode.clicked && !far) {
      // A click begins a line that goes from click to click.
      mode.clicked = true;
      return;
    }
    if (mode.clicked) {
      mode.corners = this.wirePoints(mode).slice(1);
      return;
    }
    const other = canvas.portAt(p, (port) => port.end !== mode.from.end);
    if (other) toast(`${other.end} does not fit ${mode.from.end}: ${canvas.connector(other).info.class} and ${canvas.connector(mode.from).info.class} cannot be connected.`);
    this.cancel();
  }

  async connect(a: Port, b: Port, points?: Point[]): Promise<void> {
    const { canvas } = this;
    const [from, to] = [canvas.connector(a), canvas.connector(b)];
    points ??= route(a.at, this.sideOf(from.info.side, from.own), b.at, this.sideOf(to.info.side, to.own), this.obstacles(a.at, b.at), this.grid[0]);
    const edit: Edit = { edit: "connect", a: a.end, b: b.end, points, color: from.info.color };
    // The line is there at once; the answer replaces it.
    const id = "new line";
    const ahead = { id, a: a.end, b: b.end, points, color: from.info.color, thickness: 0.25, pattern: "Solid" as const, arrows: ["None", "None"] as ["None", "None"], smooth: false, inherited: false, disabled: false, from: 0, to: 0 };
    const { document } = canvas;
    document.connections.set(id, ahead);
    const shape = { class: document.name, version: document.diagram!.version, components: [], removedComponents: [], removedConnections: [] as string[] };
    for (const l of document.listeners) l({ ...shape, connections: [ahead] });
    await document.edit([edit]);
    document.connections.delete(id);
    for (const l of document.listeners) l({ ...shape, connections: [], removedConnections: [id] });
    document.changed.value++;
  }

  // ------------------------------------------------------------ from the tree

  /** A class is dragged over the diagram. */
  over(component: DiagramComponent | null, e: { clientX: number; clientY: number }): void {
    if (component !== this.held) {
      this.canvas.showGhost(null);
      this.held = component;
    }
    this.canvas.showGhost(component, this.snap(this.at(e)));
  }

  async drop(type: string, e: { clientX: number; clientY: number }): Promise<void> {
    const center = this.snap(this.at(e));
    this.over(null, e);
    await this.add(type, center);
  }

  /** A place near the middle of the view where nothing is. */
  freePlace(size = 24): Point {
    const [x0, y0, x1, y1] = this.canvas.visible();
    const [cx, cy] = this.snap([(x0 + x1) / 2, (y0 + y1) / 2]);
    for (let ring = 0; ring < 40; ring++) {
      for (let i = -ring; i <= ring; i++) {
        for (const [dx, dy] of [[i, ring], [i, -ring], [ring, i], [-ring, i]] as const) {
          const [x, y] = [cx + dx * (size + 16), cy + dy * (size + 16)];
          if (!this.canvas.partsNear([x - size / 2, y - size / 2, x + size / 2, y + size / 2]).length) return [x, y];
        }
      }
    }
    return [cx, cy];
  }

  async add(type: string, center: Point = this.freePlace(), modifiers?: string): Promise<string | null> {
    const edit: Edit = { edit: "add", type, center };
    if (modifiers) edit.modifiers = modifiers;
    const edited = await this.canvas.document.edit([edit]);
    const name = edited?.names[0];
    if (!name) return null;
    this.canvas.document.selectOnly([name], []);
    return name;
  }
}
