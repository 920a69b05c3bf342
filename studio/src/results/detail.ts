// More points where a plot is enlarged, and at the cursors: a long run comes thinned, and between the points that are left a
// value is no more than a guess.

import { effect } from "@preact/signals";
import { call } from "../api";
import { redraws } from "./lines";
import { type Curve, now, type Plot, plots, type Run, runs, second, shownCurve, valueAt } from "./runs";

interface Detail { age: number; from: number; to: number; names: string; curves: Map<string, Curve>; joined: Map<string, { coarse: Curve; curve: Curve }> }

/** By plot and run. */
const details = new Map<string, Detail>();
const POINTS = 2000;

const wanted = (plot: Plot): string[] => [...new Set([...plot.series.map((s) => s.name), ...(plot.x ? [plot.x] : [])])];

async function fetched(run: Run, names: string[], from: number, to: number): Promise<Detail | null> {
  const age = run.age.peek();
  const answer = await call("columns", { run: run.number, names, points: POINTS, range: [from, to] }).catch(() => null);
  if (!answer || age !== run.age.peek() || !answer.time.length) return null;
  const time = Float64Array.from(answer.time);
  const curves = new Map(names.filter((n) => answer.columns[n]).map((n) => [n, { time, values: Float64Array.from(answer.columns[n]!, (v) => v ?? NaN) }]));
  return { age, from, to, names: names.join(), curves, joined: new Map() };
}

export function forgetDetail(plot: number): void {
  for (const key of details.keys()) if (key.startsWith(`${plot} `)) details.delete(key);
}

/** Asks for the points between two times of what a plot shows. */
export async function refine(plot: Plot, from: number, to: number): Promise<void> {
  for (const run of runs.peek()) {
    const { start, stop } = run.info.peek();
    if (!run.visible.peek() || !run.thinned || run.alive || (from <= start && to >= stop)) continue;
    const key = `${plot.id} ${run.number}`;
    const known = details.get(key);
    const names = wanted(plot).filter((n) => run.curves.has(n));
    if (!names.length || (known && known.age === run.age.peek() && known.from === from && known.to === to && known.names === names.join())) continue;
    const detail = await fetched(run, names, from, to);
    if (!detail) continue;
    details.set(key, detail);
    redraws.value++;
  }
}

/** The first place at which a time is not below `t`, or with `above` the first that is above it. */
function place(time: Float64Array, t: number, above: boolean): number {
  let [low, high] = [0, time.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (above ? time[middle]! <= t : time[middle]! < t) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A curve with the points of its enlarged part. */
export function detailed(plot: Plot, run: Run, name: string, coarse: Curve): Curve {
  const detail = details.get(`${plot.id} ${run.number}`);
  const piece = detail?.curves.get(name);
  if (!detail || !piece || detail.age !== run.age.peek()) return coarse;
  const known = detail.joined.get(name);
  if (known?.coarse === coarse) return known.curve;
  const before = place(coarse.time, piece.time[0]!, false);
  const behind = place(coarse.time, piece.time[piece.time.length - 1]!, true);
  const join = (a: Float64Array, b: Float64Array): Float64Array => {
    const out = new Float64Array(before + b.length + a.length - behind);
    out.set(a.subarray(0, before));
    out.set(b, before);
    out.set(a.subarray(behind), before + b.length);
    return out;
  };
  const curve = { time: join(coarse.time, piece.time), values: join(coarse.values, piece.values) };
  detail.joined.set(name, { coarse, curve });
  return curve;
}

/** The rows around the cursors, by run and time. */
const instants = new Map<string, Detail>();

/** The value of a variable at a cursor, in its display unit. */
export function exactAt(run: Run, name: string, t: number, step: boolean): number {
  const piece = instants.get(`${run.number} ${t}`);
  const curve = shownCurve(run, name, (coarse) => (piece && piece.age === run.age.peek() && piece.curves.get(name)) || coarse);
  return curve ? valueAt(curve, t, step) : NaN;
}

effect(() => {
  const times = [now.value, second.value].filter((t) => !Number.isNaN(t));
  const names = [...new Set(plots.value.flatMap(wanted))];
  for (const run of runs.value) {
    run.age.value;
    if (!run.visible.value || !run.thinned || run.alive) continue;
    const own = names.filter((n) => run.curves.has(n));
    for (const t of times) {
      const key = `${run.number} ${t}`;
      const known = instants.get(key);
      if (!own.length || (known && known.age === run.age.peek() && known.names === own.join())) continue;
      void fetched(run, own, t, t).then((detail) => {
        if (!detail) return;
        if (instants.size > 50) instants.clear();
        instants.set(key, detail);
        redraws.value++;
      });
    }
  }
});
