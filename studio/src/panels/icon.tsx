// The icon of a class: what it draws itself is drawn, moved and changed here; its connectors are placed.

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { call, type Color, type Edit, type IconLayer, type IconShape, type Point } from "../api";
import { classOf } from "../documents";
import { recolour } from "../diagram/symbols";
import { report } from "../notices";

type Chosen = { shape: number } | { connector: string } | null;
type Tool = "" | "Rectangle" | "Ellipse" | "Line" | "Polygon" | "Text";
interface Gesture { from: Point; to: Point; corner: number; tool: Tool; pointer: number }

const TOOLS: [Exclude<Tool, "">, string][] = [
  ["Rectangle", "M2.5 4.5h11v7h-11z"], ["Ellipse", "M8 4.2c3.2 0 5.6 1.7 5.6 3.8S11.2 11.8 8 11.8 2.4 10.1 2.4 8 4.8 4.2 8 4.2z"],
  ["Line", "M3 12.5L13 3.5"], ["Polygon", "M8 3l5.5 9.5h-11z"], ["Text", "M4 4.5V3.5h8v1M8 3.5v9M6.5 12.5h3"],
];
const snap = (p: Point): Point => [Math.round(p[0] / 2) * 2, Math.round(p[1] / 2) * 2];
const pair = (p: Point): string => `{${p[0]},${p[1]}}`;
const list = (points: Point[]): string => `{${points.map(pair).join(",")}}`;
const hex = (c: Color | null): string => `#${(c ?? [0, 0, 0]).map((v) => v.toString(16).padStart(2, "0")).join("")}`;
const colour = (text: string): string => `{${[1, 3, 5].map((i) => Number.parseInt(text.slice(i, i + 2), 16)).join(",")}}`;

/** Where a point of a shape is in the picture. */
function place(shape: IconShape, [x, y]: Point): Point {
  const a = (shape.rotation * Math.PI) / 180;
  return [shape.origin[0] + Math.cos(a) * x - Math.sin(a) * y, shape.origin[1] + Math.sin(a) * x + Math.cos(a) * y];
}
/** The corners that can be dragged: all of a line, four of an extent. */
function corners(shape: IconShape): Point[] {
  if (shape.extent) {
    const [[x0, y0], [x1, y1]] = shape.extent;
    return ([[x0, y0], [x1, y1], [x0, y1], [x1, y0]] as Point[]).map((p) => place(shape, p));
  }
  return (shape.points ?? []).map((p) => place(shape, p));
}
const boxOf = (points: Point[]): [number, number, number, number] => [Math.min(...points.map((p) => p[0])), Math.min(...points.map((p) => p[1])), Math.max(...points.map((p) => p[0])), Math.max(...points.map((p) => p[1]))];

/** The constructor of a new shape between two points. */
function written(tool: Tool, a: Point, b: Point): string {
  const extent = `extent=${list([a, b])}`;
  switch (tool) {
    case "Line": return `Line(points=${list([a, b])}, color={0,0,0})`;
    case "Polygon": return `Polygon(points=${list([[a[0], a[1]], [(a[0] + b[0]) / 2, b[1]], [b[0], a[1]]])}, lineColor={0,0,0})`;
    case "Text": return `Text(${extent}, textString="%name", textColor={0,0,255})`;
    default: return `${tool}(${extent}, lineColor={0,0,0}, fillColor={255,255,255}, fillPattern=FillPattern.Solid)`;
  }
}

/** The points of a shape after a corner or the whole of it was moved, in its own coordinates. */
function moved(shape: IconShape, by: Point, corner: number): Point[] {
  const a = (-shape.rotation * Math.PI) / 180;
  const [x, y]: Point = [Math.cos(a) * by[0] - Math.sin(a) * by[1], Math.sin(a) * by[0] + Math.cos(a) * by[1]];
  const add = (p: Point, dx: number, dy: number): Point => [Math.round((p[0] + dx) * 1000) / 1000, Math.round((p[1] + dy) * 1000) / 1000];
  if (shape.extent) {
    const [p, q] = shape.extent;
    if (corner < 0) return [add(p, x, y), add(q, x, y)];
    // 0 and 1 are the corners that are written, 2 and 3 take one coordinate of each.
    return [add(p, corner === 0 || corner === 2 ? x : 0, corner === 0 || corner === 3 ? y : 0), add(q, corner === 1 || corner === 3 ? x : 0, corner === 1 || corner === 2 ? y : 0)];
  }
  return (shape.points ?? []).map((p, i) => (corner < 0 || corner === i ? add(p, x, y) : p));
}

export function IconPane({ name }: { name: string }): JSX.Element {
  const doc = classOf(name);
  const [layer, setLayer] = useState<IconLayer | null>(null);
  const [chosen, setChosen] = useState<Chosen>(null);
  const [tool, setTool] = useState<Tool>("");
  const [gesture, setGesture] = useState<Gesture | null>(null);
  const picture = useRef<SVGSVGElement>(null);
  const version = doc.changed.value;
  useEffect(() => {
    let gone = false;
    call("icon.layer", { class: name }).then((l) => !gone && setLayer(l)).catch(report);
    return () => { gone = true; };
  }, [name, version]);
  if (!layer) return <div class="canvas icon-pane" />;
  const editable = doc.diagram?.editable ?? false;
  const [[x0, y0], [x1, y1]] = layer.coordinates.extent;
  const [x, y, w, h] = [Math.min(x0, x1) - 10, -Math.max(y0, y1) - 10, Math.abs(x1 - x0) + 20, Math.abs(y1 - y0) + 20];
  const connectors = layer.components.filter((c) => c.placement);
  const selected = chosen && "shape" in chosen ? layer.shapes[chosen.shape] : undefined;
  const connector = chosen && "connector" in chosen ? connectors.find((c) => c.name === chosen.connector) : undefined;

  const edit = (edits: Edit[]): Promise<unknown> => doc.edit(edits);
  const draw = (kind: Tool, a: Point, b: Point): void => {
    void edit([{ edit: "draw", shape: written(kind, a, b) }]);
    setChosen({ shape: layer.shapes.length });
    setTool("");
    picture.current?.focus();
  };
  const shift = (by: Point, corner = -1): void => {
    if (!by[0] && !by[1]) return;
    if (connector) void edit([{ edit: "place", component: connector.name, layer: "icon", center: [connector.placement!.center[0] + by[0], connector.placement!.center[1] + by[1]] }]);
    else if (selected && chosen && "shape" in chosen) void edit([{ edit: "reshape", shape: chosen.shape, points: moved(selected, by, corner) }]);
  };
  const erase = (): void => {
    if (connector) void edit([{ edit: "delete", component: connector.name }]);
    else if (selected && chosen && "shape" in chosen) void edit([{ edit: "erase", shape: chosen.shape }]);
    setChosen(null);
  };
  const style = (attribute: string, value: string): void => {
    if (!selected || !chosen || !("shape" in chosen)) return;
    const edits: Edit[] = [{ edit: "restyle", shape: chosen.shape, attribute, value }];
    if (attribute === "fillColor" && !selected.filled) edits.push({ edit: "restyle", shape: chosen.shape, attribute: "fillPattern", value: "FillPattern.Solid" });
    void edit(edits);
  };

  const at = (e: PointerEvent): Point => {
    const p = new DOMPoint(e.clientX, e.clientY).matrixTransform(picture.current!.getScreenCTM()!.inverse());
    return [p.x, -p.y];
  };
  const boxOfConnector = (c: (typeof connectors)[number]): [number, number, number, number] => {
    const [cx, cy] = c.placement!.center;
    return [cx + c.box[0], cy + c.box[1], cx + c.box[0] + c.box[2], cy + c.box[1] + c.box[3]];
  };
  const hit = ([px, py]: Point): Chosen => {
    const inside = (b: [number, number, number, number], slack: number): boolean => px >= b[0] - slack && px <= b[2] + slack && py >= b[1] - slack && py <= b[3] + slack;
    const c = [...connectors].reverse().find((q) => !q.inherited && inside(boxOfConnector(q), 1));
    if (c) return { connector: c.name };
    for (let i = layer.shapes.length - 1; i >= 0; i--) {
      const points = corners(layer.shapes[i]!);
      if (points.length && inside(boxOf(points), 2)) return { shape: i };
    }
    return null;
  };
  const down = (e: PointerEvent): void => {
    if (e.button !== 0 || !editable) return;
    const p = at(e);
    let corner = -1;
    if (!tool) {
      const handle = (e.target as Element).getAttribute("data-corner");
      if (handle !== null) corner = Number(handle);
      else setChosen(hit(p));
    }
    picture.current!.setPointerCapture(e.pointerId);
    setGesture({ from: snap(p), to: snap(p), corner, tool, pointer: e.pointerId });
  };
  const up = (): void => {
    const g = gesture;
    setGesture(null);
    if (!g) return;
    const by: Point = [g.to[0] - g.from[0], g.to[1] - g.from[1]];
    if (g.tool) {
      if (by[0] || by[1]) draw(g.tool, g.from, g.to);
    } else shift(by, g.corner);
  };
  const keys = (e: KeyboardEvent): void => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const step = e.shiftKey ? 10 : 2;
    const ways: Record<string, Point> = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] };
    const all: Chosen[] = [...layer.shapes.map((_, shape) => ({ shape })), ...connectors.filter((c) => !c.inherited).map((c) => ({ connector: c.name }))];
    const now = all.findIndex((c) => JSON.stringify(c) === JSON.stringify(chosen));
    const next = now + (e.shiftKey ? -1 : 1);
    if (ways[e.key] && chosen && editable) shift(ways[e.key]!);
    else if ((e.key === "Delete" || e.key === "Backspace") && chosen && editable) erase();
    else if (e.key === "Escape" && (chosen || tool)) { setChosen(null); setTool(""); }
    // Through everything, and out at the end.
    else if (e.key === "Tab" && editable && all[next] && (now >= 0 || !e.shiftKey)) setChosen(all[next]!);
    else return;
    e.preventDefault();
    e.stopPropagation();
  };

  const by: Point = gesture && !gesture.tool ? [gesture.to[0] - gesture.from[0], gesture.to[1] - gesture.from[1]] : [0, 0];
  const outline = selected ? boxOf(corners({ ...selected, ...(selected.extent ? { extent: moved(selected, by, gesture?.corner ?? -1) as [Point, Point] } : { points: moved(selected, by, gesture?.corner ?? -1) }) })) : connector ? boxOfConnector(connector).map((v, i) => v + by[i % 2]!) as [number, number, number, number] : null;
  const parts = connectors.map((c) => `<g transform="translate(${c.placement!.center[0]} ${-c.placement!.center[1]})">${c.svg ?? ""}</g>`).join("");
  const kind = selected?.kind;
  return (
    <div class="canvas icon-pane">
      <svg ref={picture} class="icon-picture" viewBox={`${x} ${y} ${w} ${h}`} width="100%" height="100%" tabindex={0} role="application" aria-label={`Icon of ${name}`} data-testid="icon" data-shapes={layer.shapes.length} style={tool ? "cursor:crosshair" : ""} onKeyDown={keys}
        onPointerDown={down} onPointerMove={(e) => { if (gesture) setGesture({ ...gesture, to: snap(at(e)) }); }} onPointerUp={up} onPointerCancel={() => setGesture(null)}
        font-family="Liberation Sans, Arial, sans-serif" stroke-linejoin="round" stroke-linecap="round">
        <rect x={x + 10} y={y + 10} width={w - 20} height={h - 20} class="paper" />
        <g dangerouslySetInnerHTML={{ __html: recolour(layer.background + parts) }} style="pointer-events:none" />
        {gesture?.tool ? (gesture.tool === "Line" ? <line x1={gesture.from[0]} y1={-gesture.from[1]} x2={gesture.to[0]} y2={-gesture.to[1]} class="icon-chosen" /> : <rect x={Math.min(gesture.from[0], gesture.to[0])} y={-Math.max(gesture.from[1], gesture.to[1])} width={Math.abs(gesture.to[0] - gesture.from[0])} height={Math.abs(gesture.to[1] - gesture.from[1])} class="icon-chosen" />) : null}
        {outline ? <rect x={outline[0] - 1} y={-outline[3] - 1} width={outline[2] - outline[0] + 2} height={outline[3] - outline[1] + 2} class="icon-chosen" style="pointer-events:none" /> : null}
        {selected && !gesture && !selected.rotation ? corners(selected).map((p, i) => <rect x={p[0] - 2.5} y={-p[1] - 2.5} width="5" height="5" class="handle" data-corner={i} />) : null}
      </svg>
      {editable ? (
        <div class="floating icon-tools" role="toolbar" aria-label="Shapes of the icon">
          {TOOLS.map(([t, d]) => (
            <button type="button" class="tool" title={`${t}: drag in the picture`} aria-label={t} aria-pressed={tool === t}
              onClick={(e) => {
                // Without a mouse a shape of the usual size is drawn at once.
                if (e.detail === 0) draw(t, [-60, -40], [60, 40]);
                else setTool(tool === t ? "" : t);
              }}><svg class="glyph" viewBox="0 0 16 16" aria-hidden="true"><path d={d} /></svg></button>
          ))}
          {selected ? (
            <>
              <input type="color" aria-label="Colour of the line" title="Colour of the line" value={hex(selected.line)} onChange={(e) => style(kind === "Line" ? "color" : kind === "Text" ? "textColor" : "lineColor", colour(e.currentTarget.value))} />
              {kind !== "Line" && kind !== "Text" ? <input type="color" aria-label="Colour inside" title="Colour inside" value={hex(selected.fill ?? [255, 255, 255])} onChange={(e) => style("fillColor", colour(e.currentTarget.value))} /> : null}
              {kind === "Text" ? <input class="field small" style="width:110px" aria-label="Text of the shape" value={selected.text ?? ""} onChange={(e) => style("textString", `"${e.currentTarget.value.replace(/["\\]/g, "\\$&")}"`)} /> : null}
              <button type="button" class="tool" onClick={erase}>Delete</button>
            </>
          ) : null}
        </div>
      ) : null}
      {editable && !layer.background && !connectors.length ? <p class="hint">Choose a shape and drag in the picture.</p> : null}
    </div>
  );
}
