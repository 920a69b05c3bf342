// The model near a point: poles, and Bode plots from each input to each output.

import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { call, type Linearized } from "../api";
import { current, now } from "../results/runs";
import { isDark } from "../state";
import { logarithmic } from "../results/plot";
import { download, format, last, Tool } from "../widgets";

const known = signal<{ class: string; at: number; value: Linearized | string } | null>(null);
const busy = signal(false);
/** Names to linearise from and to, where the model has no inputs and outputs at its top. */
const from = signal("");
const to = signal("");
const names = (text: string): string[] => text.split(/[\s;]+|,(?![^[]*\])/).filter(Boolean);

async function linearize(name: string): Promise<void> {
  busy.value = true;
  const at = Number.isNaN(now.value) ? 0 : now.value;
  try {
    known.value = { class: name, at, value: await call("linearize", { class: name, at, ...(names(from.value).length ? { inputs: names(from.value) } : {}), ...(names(to.value).length ? { outputs: names(to.value) } : {}) }) };
  } catch (error) {
    known.value = { class: name, at, value: error instanceof Error ? error.message : String(error) };
  } finally {
    busy.value = false;
  }
}

/** Poles as crosses in the plane; stable ones are left of the axis. */
function Poles({ poles }: { poles: Linearized["poles"] }): JSX.Element {
  const reach = Math.max(...poles.flatMap((p) => [Math.abs(p.re), Math.abs(p.im)]), 1e-9) * 1.15;
  const at = (v: number): number => (v / reach) * 90;
  return (
    <svg viewBox="-104 -100 208 200" style="width:220px;height:212px;flex:none" role="img" aria-label="Poles in the complex plane">
      <rect x="-90" y="-90" width="90" height="180" fill="var(--good)" fill-opacity="0.07" />
      <path d="M-90 0H90M0 -90V90" stroke="var(--line-strong)" />
      {poles.map((p) => <path d={`M${at(p.re) - 4} ${-at(p.im) - 4}l8 8m0-8l-8 8`} stroke={p.re < 0 ? "var(--accent)" : "var(--bad)"} stroke-width="2"><title>{format(p.re)} {p.im < 0 ? "−" : "+"} {format(Math.abs(p.im))}i</title></path>)}
      <text x="90" y="-4" text-anchor="end" font-size="9" fill="currentColor">Re {format(reach, 3)}</text>
      <text x="4" y="-84" font-size="9" fill="currentColor">Im {format(reach, 3)}</text>
    </svg>
  );
}

function Bode({ data }: { data: Linearized["bode"][number] }): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = host.current;
    if (!element) return;
    const soft = isDark.value ? "#a3acb9" : "#545c69";
    const axis = { stroke: soft, font: "11px system-ui, sans-serif", labelFont: "11px system-ui, sans-serif", labelSize: 16, grid: { stroke: isDark.value ? "#ffffff14" : "#00000012" } };
    const whole = logarithmic(true);
    const plot = new uPlot({
      width: Math.max(element.clientWidth, 240), height: 230, legend: { show: false }, pxAlign: 0,
      scales: { x: { time: false, distr: 3 }, db: {}, deg: {} },
      axes: [{ ...axis, ...whole, grid: { ...axis.grid, ...whole.grid }, label: "frequency [Hz]", values: (_u, ticks) => ticks.map((t) => (t === null ? "" : format(t, 3))) }, { ...axis, scale: "db", label: "magnitude [dB]", size: 46 }, { ...axis, scale: "deg", side: 1, label: "phase [deg]", size: 46, grid: { show: false } }],
      series: [{}, { scale: "db", stroke: isDark.value ? "#6ea8ff" : "#1f6feb", width: 1.75 }, { scale: "deg", stroke: isDark.value ? "#ff9e64" : "#c2410c", width: 1.75, dash: [6, 4] }],
    }, [data.frequency, data.magnitude, data.phase], element);
    const observer = new ResizeObserver(() => plot.setSize({ width: Math.max(element.clientWidth, 240), height: 230 }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [data, isDark.value]);
  const csv = (): void => download(`bode-${last(data.input)}-${last(data.output)}.csv`, `frequency [Hz],magnitude [dB],phase [deg]\n${data.frequency.map((f, k) => `${f},${data.magnitude[k]},${data.phase[k]}\n`).join("")}`, "text/csv");
  return (
    <div class="bode" data-testid="bode">
      <div class="soft" style="display:flex;align-items:center;gap:10px;flex-wrap:wrap"><b style="color:var(--ink)">{data.input} → {data.output}</b>
        <span><span class="swatch" style="display:inline-block;vertical-align:middle;background:light-dark(#1f6feb,#6ea8ff)" /> magnitude</span>
        <span><span style="display:inline-block;vertical-align:middle;width:14px;border-top:2px dashed light-dark(#c2410c,#ff9e64)" /> phase</span>
        <span class="grow" /><Tool glyph="save" title="Save as CSV" onClick={csv}>CSV</Tool></div>
      <div ref={host} />
    </div>
  );
}

export function Linear({ name }: { name: string }): JSX.Element {
  const k = known.value?.class === name ? known.value : null;
  const l = k && typeof k.value !== "string" ? k.value : null;
  return (
    <details open={!!k} onToggle={(e) => { if (e.currentTarget.open && !k && !busy.value) void linearize(name); }}>
      <summary>Near a point: poles and frequency response</summary>
      <p class="soft">{busy.value ? "Linearising …" : k ? `At ${format(k.at)} s. ` : ""}{k ? <button type="button" class="link" onClick={() => void linearize(name)}>Linearise at the time of the cursor</button> : null}</p>
      {k ? (
        <form style="display:flex;gap:8px;flex-wrap:wrap;align-items:center;margin:6px 0" onSubmit={(e) => { e.preventDefault(); void linearize(name); }}>
          <label class="inline">From <input class="field small" style="width:190px" list="linear-names" aria-label="Inputs of the linear model" placeholder={l?.inputs.join(", ") || "inputs of the model"} value={from.value} onInput={(e) => (from.value = e.currentTarget.value)} /></label>
          <label class="inline">to <input class="field small" style="width:190px" list="linear-names" aria-label="Outputs of the linear model" placeholder={l?.outputs.join(", ") || "variables"} value={to.value} onInput={(e) => (to.value = e.currentTarget.value)} /></label>
          <button type="submit" class="tool primary">Linearise</button>
          <datalist id="linear-names">{current.value?.info.value.class === name ? current.value.variables.value.slice(0, 500).map((v) => <option value={v.name} />) : null}</datalist>
        </form>
      ) : null}
      {k && typeof k.value === "string" ? <p>{k.value}</p> : null}
      {l ? (
        <div style="display:flex;gap:16px;flex-wrap:wrap;align-items:flex-start">
          {l.poles.length ? <Poles poles={l.poles} /> : null}
          <table>
            <tr><th>Pole</th><th>Frequency [Hz]</th><th>Damping</th></tr>
            {l.poles.slice(0, 40).map((p) => <tr class="mono"><td>{format(p.re)}{p.im ? ` ${p.im < 0 ? "−" : "+"} ${format(Math.abs(p.im))}i` : ""}</td><td>{format(p.frequency)}</td><td>{format(p.damping, 3)}</td></tr>)}
          </table>
          {l.bode.slice(0, 6).map((b) => <Bode data={b} />)}
        </div>
      ) : null}
    </details>
  );
}
