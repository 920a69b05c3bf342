// What a plot shows: a line for each variable of each visible run, over time, over another variable, or as a spectrum.

import { signal } from "@preact/signals";
import { call } from "../api";
import { report } from "../notices";
import { isDark } from "../state";
import { format, last } from "../widgets";
import { detailed } from "./detail";
import { COLORS, current, type Curve, DASHES, family, isStep, type Plot, type Run, runs, shownCurve, unitOf, valueAt } from "./runs";

/** One line of a plot. */
export interface Line { run: Run; name: string; label: string; unit: string; color: string; dash: number[]; x: Float64Array; y: Float64Array; scale: string; step: boolean; family: boolean }

const resolved = new Map<string, string>();
/** A colour of the palette in the present theme: canvases know no light-dark(). */
export const paint = (color: string): string => {
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

export const redraws = signal(0);

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
      let curve = shownCurve(run, s.name, (coarse) => detailed(plot, run, s.name, coarse));
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
        // The mean has no place on an axis that begins above zero.
        if (plot.log) [x, y] = [x.subarray(1), y.subarray(1)];
      } else if (plot.kind === "xy" && plot.x) {
        const other = shownCurve(run, plot.x);
        if (!other) return;
        x = Float64Array.from(curve.time, (t) => valueAt(other, t, isStep(run.byName.value.get(plot.x))));
      }
      if (reference && reference !== run) {
        // Of spectra, too, amplitude minus amplitude.
        if (plot.kind === "fft") void spectrum(reference, s.name, () => redraws.value++);
        const base = plot.kind === "fft" ? spectra.get(`${reference.number} ${s.name}`)?.curve : shownCurve(reference, s.name, (coarse) => detailed(plot, reference, s.name, coarse));
        if (!base) return;
        const [at, factor] = plot.kind === "fft" ? [x, u.factor] : [curve.time, 1];
        y = Float64Array.from(y, (value, k) => value - factor * valueAt(base, at[k]!, plot.kind !== "fft" && isStep(v)));
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

export function axesOf(lines: Line[]): { scale: string; label: string }[] {
  const seen = new Map<string, Set<string>>();
  for (const l of lines) {
    if (!seen.has(l.scale)) seen.set(l.scale, new Set());
    seen.get(l.scale)!.add(l.unit);
  }
  const all = [...seen].sort(([a], [b]) => (a < b ? -1 : 1)).map(([scale, set]) => ({ scale, label: [...set].filter(Boolean).join(", ") }));
  return all.length ? all : [{ scale: "y0", label: "" }];
}

export const xLabel = (plot: Plot): string => {
  if (plot.kind === "fft") return "frequency [Hz]";
  if (plot.kind === "xy" && plot.x) {
    const v = current.value?.byName.value.get(plot.x);
    const u = unitOf(v);
    return `${plot.x}${u.label ? ` [${u.label}]` : ""}`;
  }
  return "time [s]";
};

