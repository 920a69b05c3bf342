// Runs and their curves: what was computed, what of it is here, and what is asked for while it grows.

import { batch, computed, effect, signal, type Signal } from "@preact/signals";
import { call, CallFailed, type Columns, type PlotProposal, type ResultVariable, type RunInfo, type RunSettings, toDisplay, type UnitChoice } from "../api";
import { classOf } from "../documents";
import { report, toast } from "../notices";
import { active, bottom, extra, panels } from "../state";

export interface Curve { time: Float64Array; values: Float64Array }

export class Run {
  readonly info: Signal<RunInfo>;
  readonly variables: Signal<ResultVariable[]> = signal([]);
  readonly byName = computed(() => new Map(this.variables.value.map((v) => [v.name, v])));
  readonly visible = signal(true);
  /** Grows with each new set of curves. */
  readonly age = signal(0);
  readonly curves = new Map<string, Curve>();
  /** It has more rows than its curves have points. */
  thinned = false;
  private fetching = false;
  private again = false;
  private asked = new Set<string>();

  constructor(info: RunInfo) {
    this.info = signal(info);
  }
  get number(): number { return this.info.peek().run; }

  /** Not over yet. */
  get alive(): boolean {
    return this.info.value.state === "running" || this.info.value.state === "translating";
  }

  take(columns: Columns): void {
    const time = Float64Array.from(columns.time);
    this.thinned ||= columns.thinned;
    for (const name in columns.columns) {
      this.curves.set(name, { time, values: Float64Array.from(columns.columns[name]!, (v) => v ?? NaN) });
      this.asked.add(name);
    }
    this.age.value++;
  }

  /** Curves that are not among these belong to other values: they are asked for anew when they are wanted. */
  keepOnly(columns: Columns): void {
    for (const name of [...this.curves.keys()]) {
      if (name in columns.columns) continue;
      this.curves.delete(name);
      this.asked.delete(name);
    }
  }

  /** Asks for curves that are not here, or for all anew while the run grows. */
  async want(names: Iterable<string>, anew = false): Promise<void> {
    for (const n of names) this.asked.add(n);
    if (this.fetching) {
      this.again ||= anew;
      return;
    }
    const missing = [...this.asked].filter((n) => (anew || !this.curves.has(n)) && (!this.variables.peek().length || this.byName.peek().get(n)?.varies));
    if (!missing.length || this.info.peek().rows === 0) return;
    this.fetching = true;
    try {
      this.take(await call("columns", { run: this.number, names: missing, points: 2000 }));
    } catch (error) {
      if (this.info.peek().rows) report(error);
    } finally {
      this.fetching = false;
      if (this.again) {
        this.again = false;
        setTimeout(() => void this.want([], true), 50);
      }
    }
  }

  async loadVariables(): Promise<void> {
    try {
      this.variables.value = (await call("variables", { run: this.number })).variables;
    } catch {
      // A run that failed in translation has none.
    }
  }
}

export const runs: Signal<Run[]> = signal([]);
/** The run whose variables are listed and that sliders change. */
export const chosen: Signal<number> = signal(0);
export const current = computed(() => runs.value.find((r) => r.number === chosen.value) ?? runs.value[runs.value.length - 1]);
export const settings: Signal<RunSettings & { class?: string }> = signal({});

/** The time that plots, 3D and diagram show; NaN for none. */
export const now = signal(NaN);
/** The second cursor, for differences. */
export const second: Signal<number> = signal(NaN);

// ---------------------------------------------------------------- plots

export interface Series { name: string; axis: number | null; legend?: string }
/** What a figure of the model says of an axis. */
export interface AxisWish { label: string; range: [number | null, number | null] }
export interface Plot { id: number; kind: "time" | "xy" | "fft"; title: string; x: string; series: Series[]; difference: boolean; log: boolean; axes?: { x: AxisWish; y: AxisWish } }
export interface Slider { name: string; value: number; min: number; max: number; original: number }

export const plots: Signal<Plot[]> = signal([{ id: 1, kind: "time", title: "", x: "", series: [], difference: false, log: false }]);
export const activePlot = signal(1);
export const sliders: Signal<Slider[]> = signal([]);
/** Chosen display units by variable. */
export const units: Signal<Record<string, string>> = signal({});

export const emptyPlot = (): Plot => ({ id: Math.max(0, ...plots.peek().map((p) => p.id)) + 1, kind: "time", title: "", x: "", series: [], difference: false, log: false });

export function updatePlot(id: number, change: Partial<Plot>): void {
  plots.value = plots.value.map((p) => (p.id === id ? { ...p, ...change } : p));
}

export function toggleSeries(name: string, plot = activePlot.value): void {
  const p = plots.value.find((q) => q.id === plot) ?? plots.value[0];
  if (!p) return;
  if (p.kind === "xy" && !p.x) return updatePlot(p.id, { x: name });
  const has = p.series.some((s) => s.name === name);
  updatePlot(p.id, { series: has ? p.series.filter((s) => s.name !== name) : [...p.series, { name, axis: null }] });
}

export function unitOf(v: ResultVariable | undefined): UnitChoice {
  const none: UnitChoice = { unit: v?.unit ?? "", label: v?.unit ?? "", factor: 1, offset: 0 };
  if (!v) return none;
  const wanted = units.value[v.name] ?? v.displayUnit;
  return v.units.find((u) => u.unit === wanted) ?? v.units.find((u) => u.unit === v.displayUnit) ?? v.units[0] ?? none;
}

/** A curve in its display unit; `better` has more points of it. */
export function shownCurve(run: Run, name: string, better?: (coarse: Curve) => Curve): Curve | null {
  const v = run.byName.value.get(name);
  const coarse = run.curves.get(name);
  const curve = coarse && better ? better(coarse) : coarse;
  if (!curve) {
    if (v && !v.varies && typeof v.value === "number") {
      const { start, stop } = run.info.value;
      const y = toDisplay(v.value, unitOf(v));
      return { time: Float64Array.of(start, stop), values: Float64Array.of(y, y) };
    }
    return null;
  }
  const u = unitOf(v);
  return u.factor === 1 && u.offset === 0 ? curve : { time: curve.time, values: curve.values.map((x) => toDisplay(x, u)) };
}

/** Does a curve stay between its points, or go straight from one to the next? */
export const isStep = (v: ResultVariable | undefined): boolean => !!v && (v.type !== "real" || v.kind === "discrete");

/** The value of a curve at a time: between its points, or with `step` that of the point before. Beyond its ends it has none. */
export function valueAt({ time, values }: Curve, t: number, step = false): number {
  const n = time.length;
  if (!n || !Number.isFinite(t)) return NaN;
  let [low, high] = [0, n - 1];
  const rounding = 1e-9 * Math.max(Math.abs(time[0]!), Math.abs(time[high]!));
  if (t <= time[0]!) return t < time[0]! - rounding ? NaN : values[0]!;
  if (t >= time[high]!) return t > time[high]! + rounding ? NaN : values[high]!;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (time[middle]! <= t) low = middle;
    else high = middle;
  }
  const span = time[high]! - time[low]!;
  if (step) return values[low]!;
  return span > 0 ? values[low]! + ((values[high]! - values[low]!) * (t - time[low]!)) / span : values[high]!;
}

// ---------------------------------------------------------------- running

export const COLORS = ["light-dark(#1f6feb,#6ea8ff)", "light-dark(#c2410c,#ff9e64)", "light-dark(#15803d,#5fd38d)", "light-dark(#9333ea,#c792ff)", "light-dark(#be123c,#ff8098)", "light-dark(#0e7490,#5bd1e5)", "light-dark(#a16207,#e5c14d)", "light-dark(#475569,#a8b3c4)"];
export const DASHES: number[][] = [[], [8, 4], [2, 3], [10, 3, 2, 3], [14, 5], [5, 2, 1, 2, 1, 2]];

export async function start(name = active.value): Promise<void> {
  if (!name) return;
  const doc = classOf(name);
  await doc.text?.flush(name);
  const own = settings.value.class === name ? { ...settings.value } : {};
  delete (own as { class?: string }).class;
  try {
    const info = await call("run.start", { class: name, settings: own });
    heard(info, true);
    panels.value = { ...panels.value, bottom: true };
    if (bottom.value === "messages" || bottom.value === "why") bottom.value = "plots";
  } catch (error) {
    report(error, () => void start(name));
  }
}

export async function cancel(): Promise<void> {
  const alive = runs.value.filter((r) => r.alive);
  for (const r of alive) await call("run.cancel", { run: r.number }).then((info) => heard(info)).catch(report);
}

export function forget(run: Run): void {
  runs.value = runs.value.filter((r) => r !== run);
  if (chosen.value === run.number) chosen.value = runs.value[runs.value.length - 1]?.number ?? 0;
  void call("run.forget", { run: run.number }).catch(() => undefined);
}

const plotted = (): string[] => [...new Set(plots.value.flatMap((p) => [...p.series.map((s) => s.name), ...(p.x ? [p.x] : [])]))];

/** News of a run: from an answer or from the stream of events. */
export function heard(news: RunInfo, mine = false): void {
  let info = news;
  let run = runs.value.find((r) => r.number === info.run);
  const before = run?.info.peek().state;
  // The answer to the start may come behind events of the same run.
  const order = { translating: 0, running: 1, done: 2, failed: 2, cancelled: 2 };
  if (run && before && order[info.state] < order[before]) info = run.info.peek();
  if (!run) {
    run = new Run(info);
    runs.value = [...runs.value, run];
  } else run.info.value = info;
  if (mine && chosen.value !== info.run) {
    // Curves of another model are put away, not thrown away.
    batch(() => {
      for (const r of runs.value) if (r !== run && r.info.peek().class !== info.class) r.visible.value = false;
      for (const r of runs.value.filter((q) => q.info.peek().class === info.class).slice(0, -4)) r.visible.value = false;
      chosen.value = info.run;
    });
  }
  const r = run;
  if (info.state === "running" && !r.variables.peek().length && info.rows > 0) void r.loadVariables().then(() => proposals(r));
  if (info.state === "running") void r.want(plotted(), true);
  const over = info.state === "done" || info.state === "failed" || info.state === "cancelled";
  if (over && (before !== info.state || mine || !r.variables.peek().length)) {
    void r.loadVariables().then(async () => {
      await proposals(r);
      await r.want(plotted(), true);
      if (Number.isNaN(now.value) || now.value > info.stop) now.value = NaN;
    });
    if (info.permission && before !== info.state) {
      report(new CallFailed(403, { code: "permission", message: "", permission: info.permission }), () => {
        forget(r);
        void start(info.class);
      });
    } else if (info.state === "failed") {
      bottom.value = "messages";
      toast(info.diagnostics[0]?.message ?? "The simulation failed.");
    }
  }
}

const proposed = new Set<number>();
/** What was proposed of a run that was not over, and the plots it became: of a few rows nobody can tell what varies. */
let provisional: { run: number; shown: string } | null = null;
/** What to plot first: as the model says, else what varies. Plots that show something of this model already stay. */
async function proposals(run: Run): Promise<void> {
  const names = run.byName.peek();
  const again = !run.alive && provisional?.run === run.number && JSON.stringify(plots.peek()) === provisional.shown;
  if ((proposed.has(run.number) && !again) || !names.size || run.number !== chosen.value) return;
  proposed.add(run.number);
  const early = run.alive;
  const kept = plots.value.map((p) => ({ ...p, series: p.series.filter((s) => names.has(s.name)), x: names.has(p.x) || p.x === "time" ? p.x : "" }));
  if (!again && kept.some((p) => p.series.length)) {
    plots.value = kept;
    return;
  }
  let list: PlotProposal[] = [];
  try {
    list = (await call("plots", { run: run.number })).proposals;
  } catch {
    // Without a proposal the first plot stays empty.
  }
  const first = list[0];
  if (!first || run.number !== chosen.value) return;
  plots.value = [];
  showProposal(run, first);
  if (!plots.value.length) plots.value = [emptyPlot()];
  provisional = early ? { run: run.number, shown: JSON.stringify(plots.peek()) } : null;
}

/** Adds the plots of a figure of the model, in its units. */
export function showProposal(run: Run, proposal: PlotProposal): void {
  let id = Math.max(0, ...plots.peek().map((p) => p.id));
  const first = id + 1;
  const wanted: Record<string, string> = {};
  const want = (name: string, unit: string): void => {
    if (unit && run.byName.peek().get(name)?.units.some((u) => u.unit === unit)) wanted[name] = unit;
  };
  const added = proposal.plots.slice(0, 4).map((p, i): Plot => {
    const xy = p.x !== "" && p.x !== "time";
    if (xy) want(p.x, p.xUnit);
    for (const y of p.y) want(y.name, p.yUnit);
    const title = p.title || (i === 0 && proposal.source === "figures" ? proposal.title : "");
    const axes = { x: { label: p.xLabel, range: p.xRange }, y: { label: p.yLabel, range: p.yRange } };
    return { id: ++id, axes, kind: xy ? "xy" : "time", title, x: xy ? p.x : "", series: p.y.slice(0, 8).map((y) => ({ name: y.name, axis: y.axis || (proposal.source === "figures" ? 0 : null), ...(y.legend ? { legend: y.legend } : {}) })), difference: false, log: false };
  });
  if (!added.length) return;
  batch(() => {
    units.value = { ...units.value, ...wanted };
    plots.value = [...plots.peek().filter((p) => p.series.length), ...added];
    activePlot.value = first;
  });
}

// Whatever is plotted is asked for.
effect(() => {
  const names = plotted();
  for (const r of runs.value) if (r.visible.value && r.variables.value.length) void r.want(names);
});

// ---------------------------------------------------------------- sliders

let flying = false;
let settle = 0;
let waitingValues: Record<string, number> | null = null;
/** Milliseconds from moving a slider to having the curve: for the status line and for tests. */
export const latency = signal(0);

export function addSlider(v: ResultVariable): void {
  if (sliders.value.some((s) => s.name === v.name)) {
    sliders.value = sliders.value.filter((s) => s.name !== v.name);
    return;
  }
  const from = v.tunableStart ? v.start : v.value;
  const value = typeof from === "number" ? from : 0;
  const size = Math.abs(value) || 1;
  const min = v.min !== null && Number.isFinite(v.min) && v.min > -1e30 && value !== 0 ? Math.max(v.min, value > 0 ? 0 : 2 * value) : value > 0 ? 0 : value - size;
  const max = v.max !== null && Number.isFinite(v.max) && v.max < 1e30 && v.max < 4 * size ? v.max : value > 0 ? 3 * value : value + size;
  // Zero is often singular (a resistance, a mass): the slider begins above it.
  const low = min === 0 && value > 0 ? value / 50 : min;
  sliders.value = [...sliders.value, { name: v.name, value, min: low, max, original: value }];
}

export function slide(name: string, value: number): void {
  sliders.value = sliders.value.map((s) => (s.name === name ? { ...s, value } : s));
  send();
}

function send(): void {
  const run = current.value;
  if (!run) return;
  const set: Record<string, number> = {};
  for (const s of sliders.value) set[s.name] = s.value;
  if (flying) {
    waitingValues = set;
    return;
  }
  flying = true;
  const began = performance.now();
  void (async () => {
    try {
      const answer = await call("slide", { run: run.number, set, names: plotted(), points: 800 });
      if (!answer.cancelled) {
        batch(() => {
          run.keepOnly(answer.columns);
          run.take(answer.columns);
          run.info.value = { ...answer.info, state: "done" };
          // Values that follow from the parameters are another now.
          run.variables.value = run.variables.peek().map((v) => (v.name in set ? { ...v, value: set[v.name]! } : v));
        });
        latency.value = performance.now() - began;
        // What stands in the list of variables follows when the slider rests.
        clearTimeout(settle);
        settle = window.setTimeout(() => void run.loadVariables(), 300);
      }
    } catch (error) {
      report(error);
    } finally {
      flying = false;
      if (waitingValues) {
        waitingValues = null;
        send();
      }
    }
  })();
}

/** Curves for values from the slider's minimum to its maximum. */
export const family: Signal<{ run: number; name: string; curves: { value: number; time: Float64Array; columns: Map<string, Float64Array> }[] } | null> = signal(null);

export async function showFamily(s: Slider): Promise<void> {
  const run = current.value;
  if (!run || family.value?.name === s.name) {
    family.value = null;
    return;
  }
  try {
    const settings = run.info.value.settings;
    const answer = await call("sweep", { class: run.info.value.class, vary: { [s.name]: { from: s.min, to: s.max, count: 9 } }, names: plotted(), settings });
    family.value = {
      run: run.number, name: s.name,
      curves: answer.curves.map((c) => ({ value: c.values[s.name] ?? NaN, time: Float64Array.from(c.time), columns: new Map(Object.entries(c.columns).map(([k, v]) => [k, Float64Array.from(v, (x) => x ?? NaN)])) })),
    };
  } catch (error) {
    report(error);
  }
}

/** The slider's value becomes the model's. */
export async function writeSlider(s: Slider): Promise<void> {
  const run = current.value;
  if (!run) return;
  const i = s.name.indexOf(".");
  const start = run.byName.value.get(s.name)?.tunableStart;
  const component = i < 0 ? "" : s.name.slice(0, i);
  const path = (i < 0 ? s.name : s.name.slice(i + 1)) + (start ? ".start" : "");
  const text = String(Number(s.value.toPrecision(6)));
  const done = await classOf(run.info.value.class).edit([{ edit: "set", component, path, value: text }]);
  if (done) {
    sliders.value = sliders.value.map((q) => (q.name === s.name ? { ...q, original: q.value } : q));
    toast(`${s.name} = ${text} is in the model now.`);
  }
}

// ---------------------------------------------------------------- models

/** Plots and sliders of models that are not shown now. */
const shelves = new Map<string, { plots: Plot[]; sliders: Slider[] }>();
let shelf = "";

/** Each model has its plots and sliders; they change with the run that is looked at. */
effect(() => {
  const name = current.value?.info.value.class ?? "";
  if (!name || name === shelf) return;
  const kept = shelves.get(name);
  if (shelf) {
    shelves.set(shelf, { plots: plots.peek(), sliders: sliders.peek() });
    batch(() => {
      family.value = null;
      sliders.value = kept?.sliders ?? [];
      plots.value = kept?.plots ?? [{ ...emptyPlot(), id: 1 }];
      activePlot.value = plots.value[0]!.id;
    });
  }
  shelf = name;
});

/** A tab is shown: so are the runs of its model, where there are any. */
effect(() => {
  const name = active.value;
  const own = runs.peek().filter((r) => r.info.peek().class === name);
  const last = own[own.length - 1];
  if (!last || current.peek()?.info.peek().class === name) return;
  batch(() => {
    for (const r of runs.peek()) r.visible.value = own.slice(-3).includes(r);
    now.value = NaN;
    second.value = NaN;
    chosen.value = last.number;
  });
});

// ---------------------------------------------------------------- kept on reload

export function restoreResults(list: RunInfo[]): void {
  const kept = extra.value.results as { plots?: Plot[]; sliders?: Slider[]; units?: Record<string, string>; chosen?: number; settings?: RunSettings; now?: number | null; shelves?: [string, { plots: Plot[]; sliders: Slider[] }][] } | undefined;
  if (kept?.plots?.length) plots.value = kept.plots;
  if (kept?.sliders) sliders.value = kept.sliders;
  if (kept?.units) units.value = kept.units;
  if (kept?.settings) settings.value = kept.settings;
  if (typeof kept?.now === "number") now.value = kept.now;
  for (const [name, value] of kept?.shelves ?? []) shelves.set(name, value);
  batch(() => {
    runs.value = list.map((i) => new Run(i));
    chosen.value = kept?.chosen ?? list[list.length - 1]?.run ?? 0;
  });
  const name = current.value?.info.value.class;
  for (const r of runs.value) {
    proposed.add(r.number);
    r.visible.value = r.info.value.class === name;
    void r.loadVariables().then(() => r.want(plotted(), true));
  }
  effect(() => {
    const results = { plots: plots.value, sliders: sliders.value, units: units.value, chosen: chosen.value, settings: settings.value, now: Number.isNaN(now.value) ? null : now.value, shelves: [...shelves] };
    extra.value = { ...extra.peek(), results };
  });
}
