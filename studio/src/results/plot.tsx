// One plot: uPlot with curves of all visible runs, axes by unit, cursors; X–Y and spectra; export as CSV, SVG and PNG.

import { effect, signal, type Signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { call } from "../api";
import { showMenu } from "../menu";
import { report } from "../notices";
import { isDark } from "../state";
import { download, format, Glyph, last } from "../widgets";
import { activePlot, COLORS, current, type Curve, DASHES, family, isStep, now, type Plot, plots, type Run, runs, shownCurve, unitOf, units, updatePlot, valueAt } from "./runs";

/** One line of a plot. */
interface Line { run: Run; name: string; label: string; unit: string; color: string; dash: number[]; x: Float64Array; y: Float64Array; scale: string; step: boolean; family: boolean }

/** The time under the mouse, in all plots. */
export const hoverTime: Signal<number> = signal(NaN);
/** The second cursor, for differences. */
export const second: Signal<number> = signal(NaN);

const resolved = new Map<string, string>();
/** A colour of the palette in the present theme: canvases know no light-dark(). */
const paint = (color: string): string => {
  const key = `${isDark.peek()}${color}`;
  let value = resolved.get(key);
  if (!value) {
    const [, light, dark] = /light-dark\(([^,]+),([^)]+)\)/.exec(color) ?? [];
    value = light && dark ? (isDark.peek() ? dark : light) : color;
    resolved.set(key, value);
  }
  return value;
};

const spectra = new Map<string, { key: string; curve: Curve }>();
async function spectrum(run: Run, name: string, redraw: () => void): Promise<void> {
  const id = `${run.number} ${name}`;
  const key = String(run.age.peek());
  if (spectra.get(id)?.key === key) return;
  spectra.set(id, { key, curve: spectra.get(id)?.curve ?? { time: new Float64Array(), values: new Float64Array() } });
  try {
    const { frequency, amplitude } = await call("fft", { run: run.number, name });
    spectra.set(id, { key, curve: { time: Float64Array.from(frequency), values: Float64Array.from(amplitude) } });
    redraw();
  } catch (error) {
    report(error);
  }
}

const redraws = signal(0);

/** What a plot shows. Reads signals: whoever calls it in an effect is called again. */
export function linesOf(plot: Plot): Line[] {
  redraws.value;
  const visible = runs.value.filter((r) => r.visible.value && r.variables.value.length);
  const reference = plot.difference ? visible[0] : undefined;
  const lines: Line[] = [];
  const scales: string[] = [];
  visible.forEach((run) => {
    run.age.value;
    if (run === reference && visible.length > 1) return;
    const runIndex = runs.value.filter((r) => r.visible.value).indexOf(run);
    plot.series.forEach((s, i) => {
      const v = run.byName.value.get(s.name);
      let curve = shownCurve(run, s.name);
      if (!v || !curve) return;
      const u = unitOf(v);
      let unit = u.label || u.unit;
      let x = curve.time;
      let y = curve.values;
      if (plot.kind === "fft") {
        void spectrum(run, s.name, () => redraws.value++);
        curve = spectra.get(`${run.number} ${s.name}`)?.curve ?? null;
        if (!curve) return;
        [x, y] = [curve.time, u.factor === 1 ? curve.values : curve.values.map((a) => a * u.factor)];
      } else if (plot.kind === "xy" && plot.x) {
        const other = shownCurve(run, plot.x);
        if (!other) return;
        x = Float64Array.from(curve.time, (t) => valueAt(other, t, isStep(run.byName.value.get(plot.x))));
      }
      if (reference && reference !== run) {
        const base = shownCurve(reference, s.name);
        if (!base) return;
        y = Float64Array.from(y, (value, k) => value - valueAt(base, curve!.time[k]!, isStep(v)));
        if (v.units.length > 1 && u.offset) unit = `Δ${unit}`;
      }
      const key = s.axis !== null ? `axis ${s.axis}` : `u ${unit}`;
      if (!scales.includes(key)) scales.push(key);
      // More than three units share the last axis.
      const scale = `y${Math.min(scales.indexOf(key), 2)}`;
      lines.push({ run, name: s.name, label: visible.length > 1 ? `${s.legend || s.name} · ${run.info.value.label || `run ${run.number}`}` : s.legend || s.name, unit, color: COLORS[i % COLORS.length]!, dash: DASHES[(runIndex + (i >= COLORS.length ? 1 : 0)) % DASHES.length]!, x, y, scale, step: isStep(v), family: false });
    });
  });
  const f = family.value;
  const run = f && runs.value.find((r) => r.number === f.run && r.visible.value);
  if (f && run && plot.kind === "time" && !plot.difference) {
    for (const l of [...lines].filter((q) => q.run === run)) {
      const u = unitOf(run.byName.value.get(l.name));
      for (const c of f.curves) {
        const y = c.columns.get(l.name);
        if (y) lines.unshift({ ...l, label: `${l.name} with ${last(f.name)} = ${format(c.value)}`, color: faint(l.color), dash: [], x: c.time, y: u.factor === 1 && u.offset === 0 ? y : y.map((v) => v * u.factor + u.offset), family: true });
      }
    }
  }
  return lines;
}

/** The colour of a curve beside the chosen one. */
const faint = (color: string): string => color.replace(/#[0-9a-f]{6}/g, "$&59");

function axesOf(lines: Line[]): { scale: string; label: string }[] {
  const seen = new Map<string, Set<string>>();
  for (const l of lines) {
    if (!seen.has(l.scale)) seen.set(l.scale, new Set());
    seen.get(l.scale)!.add(l.unit);
  }
  const all = [...seen].sort(([a], [b]) => (a < b ? -1 : 1)).map(([scale, set]) => ({ scale, label: [...set].filter(Boolean).join(", ") }));
  return all.length ? all : [{ scale: "y0", label: "" }];
}

const xLabel = (plot: Plot): string => {
  if (plot.kind === "fft") return "frequency [Hz]";
  if (plot.kind === "xy" && plot.x) {
    const v = current.value?.byName.value.get(plot.x);
    const u = unitOf(v);
    return `${plot.x}${u.label ? ` [${u.label}]` : ""}`;
  }
  return "time [s]";
};

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
  const same = lines.every((l) => l.x === lines[0]!.x || (l.x.length === lines[0]!.x.length && l.x[0] === lines[0]!.x[0] && l.x[l.x.length - 1] === lines[0]!.x[l.x.length - 1] && l.x[l.x.length >> 1] === lines[0]!.x[lines[0]!.x.length >> 1]));
  if (same) return [lines[0]!.x, ...lines.map((l) => l.y)] as unknown as uPlot.AlignedData;
  // Equal times (events) would be one for the join: the second moves by the last digit.
  const apart = (x: Float64Array): number[] => {
    const out = Array.from(x);
    for (let i = 1; i < out.length; i++) if (out[i]! <= out[i - 1]!) out[i] = out[i - 1]! + Math.max(Math.abs(out[i - 1]!) * 4e-16, 1e-300);
    return out;
  };
  return uPlot.join(lines.map((l) => [apart(l.x), Array.from(l.y)] as uPlot.AlignedData));
}

export function PlotView({ plot }: { plot: Plot }): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  const box = useRef<uPlot | null>(null);
  const zoomed = useRef(false);
  useEffect(() => {
    const element = host.current;
    if (!element) return;
    let shape = "";
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
      const scales: uPlot.Scales = { x: { time: false, ...(p.kind === "fft" && p.log ? { distr: 3 } : {}) } };
      for (const a of list) scales[a.scale] = { ...(p.log && p.kind !== "xy" ? { distr: 3 } : {}), range: (_u, low, high) => (low === null || high === null ? [0, 1] : p.log && p.kind !== "xy" ? [low || 1e-9, high || 1] : padded(low, high)) };
      // Without a curve there is nothing that mode could draw.
      const xy = p.kind === "xy" && lines.length > 0;
      const options: uPlot.Options = {
        ...(xy ? { mode: 2 as const } : {}),
        width: Math.max(element.clientWidth, 50), height: Math.max(element.clientHeight, 50),
        // Points keep their places between pixels: rounded to whole ones, curves become stairs.
        pxAlign: 0,
        scales: xy ? { ...scales, x: { time: false, range: (_u, low, high) => (low === null ? [0, 1] : padded(low, high)) } } : scales,
        padding: [8, list.length > 1 ? 8 : 26, 0, 0],
        legend: { show: false },
        axes: [
          { ...axis, label: xLabel(p), size: 30, labelSize: 16, values: (_u, ticks) => ticks.map((t) => (t === null ? "" : format(t, 6))) },
          ...list.map((a, i): uPlot.Axis => ({ ...axis, scale: a.scale, label: a.label ? `[${a.label}]` : "", labelSize: a.label ? 18 : 0, space: 22, size: (_self, values) => Math.max(44, ...(values ?? []).map((v) => 14 + v.length * 6.4)), side: i === 0 ? 3 : 1, grid: i === 0 ? grid : { show: false }, values: (_u, ticks) => ticks.map((t) => (t === null ? "" : format(t, 6))) })),
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
      box.current?.destroy();
      box.current = null;
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
        const values = plot.kind === "time" ? own.map((o) => valueAt({ time: o.x, values: o.y }, t, o.step)).filter((y) => !Number.isNaN(y)) : [];
        const deltas = cursors ? own.map((o) => valueAt({ time: o.x, values: o.y }, second.value, o.step) - valueAt({ time: o.x, values: o.y }, now.value, o.step)) : [];
        return (
          <span class="key" title={`${name}${l.unit ? ` [${l.unit}]` : ""}${own.length > 1 ? `\n${own.map((o) => o.run.info.value.label || `run ${o.run.number}`).join(", ")}` : ""}`}>
            <svg viewBox="0 0 20 8"><line x1="0" y1="4" x2="20" y2="4" stroke={l.color} stroke-width="2.5" stroke-dasharray={own.length > 1 ? "" : l.dash.map((d) => d * 0.6).join(" ")} /></svg>
            <span>{plot.series.find((s) => s.name === name)?.legend || short[i]}</span>
            {values.length ? <span class="num">{values.map((y) => format(y)).join(" | ")}{l.unit ? ` ${l.unit}` : ""}</span> : null}
            {deltas.length ? <span class="num soft">Δ {deltas.map((y) => format(y)).join(" | ")}</span> : null}
            <button type="button" class="drop" aria-label={`Remove ${name}`} title="Remove from the plot" onClick={() => updatePlot(plot.id, { series: plot.series.filter((s) => s.name !== name) })}>×</button>
          </span>
        );
      })}
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
    { text: "Export SVG", run: () => u && download("plot.svg", svgOf(plot, u), "image/svg+xml") },
    { text: "Export PNG", run: () => u && pngOf(u) },
    null,
    { text: "Remove the second cursor", disabled: Number.isNaN(second.value), run: () => (second.value = NaN) },
    { text: "Empty the plot", run: () => updatePlot(plot.id, { series: [], x: "", kind: "time" }) },
    { text: "Close the plot", disabled: plots.value.length < 2, run: () => { plots.value = plots.value.filter((p) => p.id !== plot.id); activePlot.value = plots.value[0]!.id; } },
  ]);
}

async function exportCsv(plot: Plot): Promise<void> {
  for (const run of runs.value.filter((r) => r.visible.value)) {
    try {
      const { csv } = await call("csv", { run: run.number, names: plot.series.map((s) => s.name) });
      download(`${last(run.info.value.class)}-${run.number}.csv`, csv, "text/csv");
    } catch (error) {
      report(error);
    }
  }
}

function pngOf(u: uPlot): void {
  const source = u.ctx.canvas;
  const copy = document.createElement("canvas");
  [copy.width, copy.height] = [source.width, source.height];
  const ctx = copy.getContext("2d")!;
  ctx.fillStyle = isDark.value ? "#1d2025" : "#ffffff";
  ctx.fillRect(0, 0, copy.width, copy.height);
  ctx.drawImage(source, 0, 0);
  copy.toBlob((blob) => blob && download("plot.png", blob));
}

/** The plot with uPlot's scales and ticks as vector graphics. */
export function svgOf(plot: Plot, u: uPlot): string {
  const lines = linesOf(plot);
  const dpr = devicePixelRatio;
  const area = { x: u.bbox.left / dpr, y: u.bbox.top / dpr, w: u.bbox.width / dpr, h: u.bbox.height / dpr };
  const escape = (s: string): string => s.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]!);
  const pos = (v: number, scale: string): number => u.valToPos(v, scale) + (scale === "x" ? area.x : area.y);
  const light = (c: string): string => /light-dark\(([^,]+),/.exec(c)?.[1] ?? c;
  let out = `<svg xmlns="http://www.w3.org/2000/svg" width="${u.width}" height="${u.height + 20}" viewBox="0 -20 ${u.width} ${u.height + 20}" font-family="sans-serif" font-size="11"><rect y="-20" width="100%" height="100%" fill="#fff"/><clipPath id="c"><rect x="${area.x}" y="${area.y}" width="${area.w}" height="${area.h}"/></clipPath>`;
  u.axes.forEach((axis, i) => {
    const { _splits, _values } = axis as unknown as { _splits?: number[]; _values?: (string | null)[] };
    const scale = axis.scale ?? "x";
    const right = i > 1;
    _splits?.forEach((v, k) => {
      const label = escape(String(_values?.[k] ?? ""));
      if (!label) return;
      const p = pos(v, scale).toFixed(2);
      if (i === 0) out += `<path d="M${p} ${area.y}V${area.y + area.h}" stroke="#e3e6ea"/><text x="${p}" y="${area.y + area.h + 15}" text-anchor="middle" fill="#444">${label}</text>`;
      else out += `${i === 1 ? `<path d="M${area.x} ${p}H${area.x + area.w}" stroke="#e3e6ea"/>` : ""}<text x="${right ? area.x + area.w + 6 : area.x - 6}" y="${p}" dy="4" text-anchor="${right ? "start" : "end"}" fill="#444">${label}</text>`;
    });
    const title = escape(String(axis.label ?? ""));
    if (title && i === 0) out += `<text x="${area.x + area.w / 2}" y="${u.height - 3}" text-anchor="middle" fill="#444">${title}</text>`;
    else if (title) out += `<text transform="translate(${right ? u.width - 6 : 11} ${area.y + area.h / 2}) rotate(-90)" text-anchor="middle" fill="#444">${title}</text>`;
  });
  out += `<rect x="${area.x}" y="${area.y}" width="${area.w}" height="${area.h}" fill="none" stroke="#9aa3ad"/>`;
  let at = area.x;
  for (const l of lines) {
    let d = "";
    for (let k = 0; k < l.x.length; k++) {
      if (!Number.isFinite(l.y[k]!)) continue;
      const x = pos(l.x[k]!, "x").toFixed(2);
      d += `${d ? (l.step ? `H${x}L` : "L") : "M"}${x} ${pos(l.y[k]!, l.scale).toFixed(2)}`;
    }
    out += `<path d="${d}" fill="none" stroke="${light(l.color)}" stroke-width="1.6" stroke-dasharray="${l.dash.join(" ")}" clip-path="url(#c)"/>`;
    out += `<path d="M${at} -8h18" stroke="${light(l.color)}" stroke-width="2.4" stroke-dasharray="${l.dash.join(" ")}"/><text x="${at + 23}" y="-4">${escape(l.label)}</text>`;
    at += 40 + l.label.length * 6.3;
  }
  return `${out}</svg>`;
}
