// One plot: uPlot with curves of all visible runs, axes by unit, cursors; X–Y and spectra.

import { effect, signal, type Signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { showMenu } from "../menu";
import { isDark } from "../state";
import { download, format, Glyph, last } from "../widgets";
import { exactAt, forgetDetail, refine } from "./detail";
import { exportCsv, fileName, pngOf, svgOf } from "./export";
import { axesOf, type Line, linesOf, paint, xLabel } from "./lines";
import { activePlot, current, now, type Plot, plots, runs, second, shownCurve, units, updatePlot, valueAt } from "./runs";

/** The time under the mouse, in all plots. */
export const hoverTime: Signal<number> = signal(NaN);


/** Draws lines in the order of their points: for X–Y, where x goes forth and back. */
const xyPaths: uPlot.Series.PathBuilder = (u, i) => {
  uPlot.orient(u, i, (series, dataX, dataY, scaleX, scaleY, toX, toY, left, top, width, height) => {
    const { ctx } = u;
    ctx.save();
    ctx.beginPath();
    ctx.rect(left, top, width, height);
    ctx.clip();
    ctx.strokeStyle = (series as unknown as { _stroke: string })._stroke ?? "#888";
    ctx.lineWidth = (series.width ?? 1.5) * devicePixelRatio;
    ctx.setLineDash((series.dash ?? []).map((d) => d * devicePixelRatio));
    ctx.lineJoin = "round";
    ctx.beginPath();
    let pen = false;
    for (let k = 0; k < dataX.length; k++) {
      const [x, y] = [dataX[k] as number, dataY[k] as number];
      if (!Number.isFinite(x) || !Number.isFinite(y)) {
        pen = false;
        continue;
      }
      const [px, py] = [toX(x, scaleX, width, left), toY(y, scaleY, height, top)];
      if (pen) ctx.lineTo(px, py);
      else ctx.moveTo(px, py);
      pen = true;
    }
    ctx.stroke();
    ctx.restore();
  });
  return null;
};

function dataOf(plot: Plot, lines: Line[]): uPlot.AlignedData {
  if (plot.kind === "xy" && lines.length) return [null, ...lines.map((l) => [Array.from(l.x), Array.from(l.y)])] as unknown as uPlot.AlignedData;
  if (!lines.length) {
    const run = current.peek();
    return run && plot.kind === "time" ? [[run.info.peek().start, run.info.peek().stop]] : [[0, 1]];
  }
  const first = lines[0]!.x;
  const same = lines.every((l) => l.x === first || (l.x.length === first.length && l.x.every((x, i) => x === first[i])));
  // What is not above zero has no place on a logarithmic axis.
  const above = (y: Float64Array): ArrayLike<number | null> => (plot.log ? Array.from(y, (v) => (v > 0 ? v : null)) : y);
  if (same) return [first, ...lines.map((l) => above(l.y))] as unknown as uPlot.AlignedData;
  // Equal times (events) would be one for the join: the second moves by the last digit.
  const apart = (x: Float64Array): number[] => {
    const out = Array.from(x);
    for (let i = 1; i < out.length; i++) if (out[i]! <= out[i - 1]!) out[i] = out[i - 1]! + Math.max(Math.abs(out[i - 1]!) * 4e-16, 1e-300);
    return out;
  };
  return uPlot.join(lines.map((l) => [apart(l.x), Array.from(above(l.y))] as uPlot.AlignedData));
}

const shownPlots = new Map<number, uPlot>();
/** What the axis to the right of a plot shows: times, or frequencies. */
export const shownTimes = (id: number): { min: number; max: number } | null => {
  const { min, max } = shownPlots.get(id)?.scales.x ?? {};
  return min == null || max == null ? null : { min, max };
};

export function PlotView({ plot }: { plot: Plot }): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  const box = useRef<uPlot | null>(null);
  const zoomed = useRef(false);
  useEffect(() => {
    const element = host.current;
    if (!element) return;
    let shape = "";
    let timer = 0;
    const id = plot.id;
    const build = (p: Plot, lines: Line[]): void => {
      const u = box.current;
      const soft = isDark.value ? "#a3acb9" : "#545c69";
      const grid = { stroke: isDark.value ? "#ffffff14" : "#00000012", width: 1 };
      const font = "11px system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif";
      const axis = { stroke: soft, font, labelFont: font, labelSize: 18, grid, ticks: { ...grid, size: 5 } };
      const list = axesOf(lines);
      u?.destroy();
      zoomed.current = false;
      forgetDetail(id);
      const isLog = p.log && p.kind !== "xy";
      const whole = logarithmic(isLog);
      const named = (label: string | undefined, rest: string): string => [label, rest].filter(Boolean).join(" ");
      const limits = (low: number, high: number, wish: [number | null, number | null] | undefined): [number, number] => {
        const [a, b] = padded(low, high);
        return [wish?.[0] ?? a, wish?.[1] ?? b];
      };
      const scales: uPlot.Scales = { x: { time: false, ...(p.kind === "fft" && p.log ? { distr: 3 } : {}) } };
      for (const a of list) scales[a.scale] = { ...(p.log && p.kind !== "xy" ? { distr: 3 } : {}), range: (_u, low, high) => (low === null || high === null ? (isLog ? [0.1, 10] : [0, 1]) : isLog ? [low * 0.8, high * 1.25] : limits(low, high, a.scale === "y0" ? p.axes?.y.range : undefined)) };
      // Without a curve there is nothing that mode could draw.
      const xy = p.kind === "xy" && lines.length > 0;
      const options: uPlot.Options = {
        ...(xy ? { mode: 2 as const } : {}),
        width: Math.max(element.clientWidth, 50), height: Math.max(element.clientHeight, 50),
        // Points keep their places between pixels: rounded to whole ones, curves become stairs.
        pxAlign: 0,
        scales: xy ? { ...scales, x: { time: false, range: (_u, low, high) => (low === null ? [0, 1] : limits(low, high, p.axes?.x.range)) } } : scales,
        padding: [8, list.length > 1 ? 8 : 26, 0, 0],
        legend: { show: false },
        axes: [
          { ...axis, ...(p.kind === "fft" ? whole : {}), label: p.axes?.x.label && p.kind !== "fft" ? named(p.axes.x.label, /\[.*\]$/.exec(xLabel(p))?.[0] ?? "") : xLabel(p), size: 30, labelSize: 16, values: (_u, ticks) => ticks.map((t) => (t === null ? "" : format(t, 6))) },
          ...list.map((a, i): uPlot.Axis => ({ ...axis, scale: a.scale, ...whole, label: named(i === 0 ? p.axes?.y.label : "", a.label ? `[${a.label}]` : ""), labelSize: a.label || (i === 0 && p.axes?.y.label) ? 18 : 0, space: 22, size: (_self, values) => Math.max(44, ...(values ?? []).map((v) => 14 + v.length * 6.4)), side: i === 0 ? 3 : 1, grid: i === 0 ? { ...grid, ...whole.grid } : { show: false }, values: (_u, ticks) => ticks.map((t) => (t === null ? "" : format(t, 6))) })),
        ],
        series: xy
          ? ([null, ...lines.map((l) => ({ label: l.label, stroke: paint(l.color), width: 1.75, dash: l.dash, paths: xyPaths, facets: [{ scale: "x", auto: true }, { scale: l.scale, auto: true }], points: { show: false } }))] as unknown as uPlot.Series[])
          : [{}, ...lines.map((l): uPlot.Series => ({ label: l.label, scale: l.scale, stroke: paint(l.color), width: 1.75, dash: l.dash, spanGaps: true, points: { show: false }, ...(l.step && uPlot.paths.stepped ? { paths: uPlot.paths.stepped({ align: 1 }) } : {}) }))],
        cursor: { drag: { x: true, y: xy, uni: 20 }, points: { size: 7 }, ...(p.kind === "time" ? { sync: { key: "time", setSeries: false } } : {}), focus: { prox: -1 } },
        hooks: {
          setCursor: [(self) => {
            if (p.kind === "time") hoverTime.value = self.cursor.left !== undefined && self.cursor.left !== null && self.cursor.left >= 0 ? self.posToVal(self.cursor.left, "x") : NaN;
          }],
          setSelect: [(self) => { zoomed.current = self.select.width > 3; }],
          setScale: [(self, key) => {
            const { min, max } = self.scales.x!;
            if (key !== "x" || p.kind !== "time" || min == null || max == null) return;
            clearTimeout(timer);
            timer = window.setTimeout(() => void refine(plots.peek().find((q) => q.id === id) ?? p, min, max), 60);
          }],
          draw: [(self) => {
            if (p.kind === "fft") return;
            if (xy) {
              // Where the cursor's time is on each curve.
              for (const l of lines) {
                if (Number.isNaN(now.peek())) break;
                const curve = shownCurve(l.run, l.name);
                const other = shownCurve(l.run, p.x);
                if (!curve || !other) continue;
                dot(self, self.valToPos(valueAt(other, now.peek()), "x", true), self.valToPos(valueAt(curve, now.peek()), l.scale, true), paint(l.color));
              }
              return;
            }
            // In no colour of a curve; the second one is dashed.
            mark(self, now.peek(), []);
            mark(self, second.peek(), [4, 3]);
          }],
        },
      };
      const plotted = new uPlot(options, dataOf(p, lines), element);
      box.current = plotted;
      shownPlots.set(id, plotted);
      let downAt = [0, 0];
      plotted.over.addEventListener("pointerdown", (e) => { downAt = [e.clientX, e.clientY]; activePlot.value = id; });
      plotted.over.addEventListener("click", (e) => {
        if (p.kind !== "time" || Math.hypot(e.clientX - downAt[0]!, e.clientY - downAt[1]!) > 4) return;
        const t = plotted.posToVal(e.offsetX, "x");
        if (e.shiftKey) second.value = t;
        else now.value = t;
      });
      plotted.over.addEventListener("dblclick", () => { zoomed.current = false; });
      plotted.over.addEventListener("wheel", (e) => {
        e.preventDefault();
        const factor = Math.exp(Math.max(Math.min(e.deltaY, 200), -200) * 0.0015);
        const around = plotted.posToVal(e.offsetX, "x");
        const { min, max } = plotted.scales.x!;
        if (min == null || max == null) return;
        zoomed.current = true;
        plotted.setScale("x", { min: around + (min - around) * factor, max: around + (max - around) * factor });
      }, { passive: false });
    };
    const stop = effect(() => {
      const p = plots.value.find((q) => q.id === id);
      if (!p) return;
      const lines = linesOf(p);
      units.value;
      const next = JSON.stringify([p, isDark.value, lines.map((l) => [l.run.number, l.name, l.unit, l.scale, l.step, l.dash, l.family]), xLabel(p)]);
      if (next !== shape || !box.current) {
        shape = next;
        build(p, lines);
      } else {
        const u = box.current;
        const { min, max } = u.scales.x!;
        u.batch(() => {
          u.setData(dataOf(p, lines), !zoomed.current);
          if (zoomed.current && min != null && max != null) u.setScale("x", { min, max });
        });
      }
      element.dataset.curves = String(lines.length);
      const first = lines.find((l) => !l.family);
      element.dataset.points = String(first?.y.length ?? 0);
      element.dataset.last = String(first?.y[first.y.length - 1] ?? "");
    });
    const stopCursor = effect(() => {
      now.value;
      second.value;
      box.current?.redraw(false, false);
    });
    const observer = new ResizeObserver(() => {
      if (element.clientWidth && element.clientHeight) box.current?.setSize({ width: element.clientWidth, height: element.clientHeight });
    });
    observer.observe(element);
    return () => {
      stop();
      stopCursor();
      observer.disconnect();
      clearTimeout(timer);
      forgetDetail(id);
      box.current?.destroy();
      box.current = null;
      shownPlots.delete(id);
    };
  }, [plot.id]);

  return (
    <section class={`plot ${activePlot.value === plot.id && plots.value.length > 1 ? "active" : ""}`} aria-label={plot.title || `Plot ${plot.id}`} onPointerDown={() => (activePlot.value = plot.id)}>
      <div class="bar">
        <Keys plot={plot} />
        <button type="button" class="mini" title="Plot menu" aria-label="Plot menu" onClick={(e) => plotMenu(plot, e, box.current)}><Glyph name="more" /></button>
      </div>
      <div class="area" ref={host} data-testid="plot" onDblClick={() => { zoomed.current = false; }} />
    </section>
  );
}

function padded(low: number, high: number): [number, number] {
  if (low === high) {
    const d = Math.abs(low) * 0.1 || 1;
    return [low - d, high + d];
  }
  const d = (high - low) * 0.06;
  return [low - d, high + d];
}

/** Of a logarithmic axis the powers of ten are drawn and named: all others make it grey. */
export function logarithmic(on: boolean): Pick<uPlot.Axis, "filter" | "grid" | "ticks"> {
  if (!on) return {};
  const powers = (_u: uPlot, splits: number[]): (number | null)[] => splits.map((v) => (v > 0 && Math.abs(Math.log10(v) - Math.round(Math.log10(v))) < 1e-6 ? v : null));
  const filter = powers as unknown as uPlot.Axis.Filter;
  return { filter, grid: { filter }, ticks: { filter, size: 5 } };
}

function mark(u: uPlot, t: number, dash: number[]): void {
  const { min, max } = u.scales.x!;
  if (Number.isNaN(t) || min == null || max == null || t < min || t > max) return;
  const x = u.valToPos(t, "x", true);
  const { ctx } = u;
  ctx.save();
  ctx.strokeStyle = isDark.peek() ? "#e6e9ee" : "#1b1f24";
  ctx.setLineDash(dash.map((d) => d * devicePixelRatio));
  ctx.lineWidth = 1.5 * devicePixelRatio;
  ctx.beginPath();
  ctx.moveTo(x, u.bbox.top);
  ctx.lineTo(x, u.bbox.top + u.bbox.height);
  ctx.stroke();
  ctx.restore();
}

function dot(u: uPlot, x: number, y: number, color: string): void {
  const { ctx } = u;
  ctx.save();
  ctx.fillStyle = color;
  ctx.beginPath();
  ctx.arc(x, y, 4.5 * devicePixelRatio, 0, 7);
  ctx.fill();
  ctx.restore();
}

/** The names of the curves with values at the mouse or at the cursor. */
function Keys({ plot }: { plot: Plot }): JSX.Element {
  const lines = linesOf(plot).filter((l) => !l.family);
  const t = Number.isNaN(hoverTime.value) ? now.value : hoverTime.value;
  if (!lines.length) return <div class="keys soft">{runs.value.length ? "Choose variables on the left." : ""}</div>;
  // One entry for each variable, with the values of all runs in their order.
  const names = [...new Set(lines.map((l) => l.name))];
  const short = shorten(names);
  const cursors = plot.kind === "time" && !Number.isNaN(second.value) && !Number.isNaN(now.value);
  return (
    <div class="keys">
      {plot.title ? <b>{plot.title}</b> : null}
      {names.map((name, i) => {
        const own = lines.filter((l) => l.name === name);
        const l = own[0]!;
        // At a cursor as exactly as the run knows it, under the mouse as the curve is drawn.
        const value = (o: Line, at: number): number => (o.run.thinned && !plot.difference && (at === now.value || at === second.value) ? exactAt(o.run, o.name, at, o.step) : valueAt({ time: o.x, values: o.y }, at, o.step));
        const values = plot.kind === "time" && !Number.isNaN(t) ? own.map((o) => value(o, t)) : [];
        const deltas = cursors ? own.map((o) => value(o, second.value) - value(o, now.value)) : [];
        const shownNumber = (y: number): string => (Number.isNaN(y) ? "–" : format(y));
        return (
          <span class="key" title={`${name}${l.unit ? ` [${l.unit}]` : ""}${own.length > 1 ? `\n${own.map((o) => o.run.info.value.label || `run ${o.run.number}`).join(", ")}` : ""}`}>
            <svg viewBox="0 0 20 8"><line x1="0" y1="4" x2="20" y2="4" stroke={l.color} stroke-width="2.5" stroke-dasharray={own.length > 1 ? "" : l.dash.map((d) => d * 0.6).join(" ")} /></svg>
            <span>{plot.series.find((s) => s.name === name)?.legend || short[i]}</span>
            {values.length ? <span class="num">{values.map(shownNumber).join(" | ")}{l.unit ? ` ${l.unit}` : ""}</span> : null}
            {deltas.length ? <span class="num soft">Δ {deltas.map(shownNumber).join(" | ")}</span> : null}
            <button type="button" class="drop" aria-label={`Remove ${name}`} title="Remove from the plot" onClick={() => updatePlot(plot.id, { series: plot.series.filter((s) => s.name !== name) })}>×</button>
          </span>
        );
      })}
      {plot.log && plot.kind !== "xy" && lines.some((l) => l.y.some((v) => v <= 0)) ? <span class="soft">Values that are not above zero have no place on a logarithmic axis.</span> : null}
      {!Number.isNaN(t) && plot.kind === "time" ? <span class="soft">t = {format(t)} s{cursors ? `, Δt = ${format(second.value - now.value)} s` : ""}</span> : null}
    </div>
  );
}

/** Names without the front they share. */
export function shorten(names: string[]): string[] {
  if (new Set(names).size < 2) return names;
  const parts = names.map((n) => n.split("."));
  let k = 0;
  while (parts.every((p) => p.length > k + 1 && p[k] === parts[0]![k])) k++;
  return parts.map((p) => p.slice(k).join("."));
}

function plotMenu(plot: Plot, e: MouseEvent, u: uPlot | null): void {
  const one = plot.series[plot.series.length - 1];
  showMenu(e.clientX, e.clientY, [
    { text: plot.kind === "time" ? "✓ Over time" : "Over time", run: () => updatePlot(plot.id, { kind: "time", x: "" }) },
    { text: plot.kind === "xy" ? `✓ X–Y (x = ${plot.x})` : one ? `X–Y with x = ${last(one.name)}` : "X–Y", disabled: plot.kind !== "xy" && !one, run: () => one && updatePlot(plot.id, { kind: "xy", x: one.name, series: plot.series.filter((s) => s !== one) }) },
    { text: plot.kind === "fft" ? "✓ Spectrum (FFT)" : "Spectrum (FFT)", run: () => updatePlot(plot.id, { kind: "fft", x: "" }) },
    { text: `${plot.log ? "✓ " : ""}Logarithmic axis`, run: () => updatePlot(plot.id, { log: !plot.log }) },
    { text: `${plot.difference ? "✓ " : ""}Difference of runs`, run: () => updatePlot(plot.id, { difference: !plot.difference }) },
    { text: "All curves on one axis", run: () => updatePlot(plot.id, { series: plot.series.map((s) => ({ ...s, axis: s.axis === null ? 0 : null })) }) },
    ...(one ? [{ text: `${last(one.name)} on an axis of its own`, run: () => updatePlot(plot.id, { series: plot.series.map((s) => (s === one ? { ...s, axis: s.axis === null ? 7 : null } : s)) }) }] : []),
    null,
    { text: "Export CSV", run: () => void exportCsv(plot) },
    { text: "Export SVG", run: () => u && download(fileName(plot, "svg"), svgOf(plot, u), "image/svg+xml") },
    { text: "Export PNG", run: () => u && pngOf(plot, u) },
    null,
    { text: "Remove the second cursor", disabled: Number.isNaN(second.value), run: () => (second.value = NaN) },
    { text: "Empty the plot", run: () => updatePlot(plot.id, { series: [], x: "", kind: "time" }) },
    { text: "Close the plot", disabled: plots.value.length < 2, run: () => { plots.value = plots.value.filter((p) => p.id !== plot.id); activePlot.value = plots.value[0]!.id; } },
  ]);
}

