// The lower panel: variables, plots and sliders; 3D; messages; why.

import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { showMenu } from "../menu";
import { bottom, panels, sizes, type Bottom, diagnostics } from "../state";
import { Entry, format, Glyph, last, Splitter, Tool } from "../widgets";
import { activePlot, chosen, current, DASHES, emptyPlot, family, forget, latency, plots, type Run, runs, showFamily, showProposal, slide, sliders, unitOf, writeSlider } from "./runs";
import { PlotView } from "./plot";
import { Variables } from "./variables";
import { ScenePane } from "./scene";
import { Messages } from "../panels/messages";
import { Why } from "../panels/why";
import { call, fromDisplay, toDisplay } from "../api";
import { ask, report } from "../notices";

function RunChip({ run, index }: { run: Run; index: number }): JSX.Element {
  const info = run.info.value;
  const visible = run.visible.value;
  const dash = DASHES[runs.value.filter((r) => r.visible.value).indexOf(run) % DASHES.length] ?? [];
  const label = info.label || `${last(info.class)} ${index + 1}`;
  const words = info.state === "done" ? `${info.rows} points, ${format((info.seconds.run ?? 0) * 1000, 3)} ms` : info.state;
  return (
    <span class={`chip ${visible ? "on" : ""}`} aria-current={chosen.value === run.number} title={`${info.class}\n${label}: ${words}`}>
      <button type="button" aria-pressed={visible} aria-label={`Show ${label}`} onClick={() => { run.visible.value = !visible; }} style="display:flex;align-items:center;gap:5px">
        <svg viewBox="0 0 20 8" width="20" height="8" aria-hidden="true"><line x1="0" y1="4" x2="20" y2="4" stroke={visible ? "currentColor" : "transparent"} stroke-width="2" stroke-dasharray={dash.map((d) => d * 0.6).join(" ")} /></svg>
        {info.state === "failed" ? <span style="color:var(--bad)"><Glyph name="error" /></span> : null}
        <span style={chosen.value === run.number ? "font-weight:650" : ""}>{label}</span>
      </button>
      <button type="button" class="mini" aria-label={`Menu of ${label}`} onClick={(e) => showMenu(e.clientX, e.clientY, [
        { text: "List its variables", run: () => { chosen.value = run.number; run.visible.value = true; } },
        { text: "Show only this run", run: () => { for (const r of runs.value) r.visible.value = r === run; chosen.value = run.number; } },
        { text: "Rename", run: () => void ask("Name of the run", label).then(async (next) => { if (next) run.info.value = await call("run.rename", { run: run.number, label: next }); }).catch(report) },
        { text: "Forget", run: () => forget(run) },
      ])}><Glyph name="down" /></button>
    </span>
  );
}

/** The runs of the model that is looked at; those of others are a menu. */
function RunChips(): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  const name = current.value?.info.value.class;
  const own = runs.value.filter((r) => r.info.value.class === name);
  const others = runs.value.filter((r) => r.info.value.class !== name);
  useEffect(() => host.current?.querySelector('[aria-current="true"]')?.scrollIntoView({ block: "nearest", inline: "nearest" }), [chosen.value, own.length]);
  return (
    <div class="runs grow" ref={host}>
      {own.map((r, i) => <RunChip run={r} index={i} />)}
      {others.length ? <button type="button" class="chip" style="padding:0 10px" onClick={(e) => showMenu(e.clientX, e.clientY, others.map((r) => ({ text: `${last(r.info.value.class)}${r.info.value.label ? `, ${r.info.value.label}` : ""} (${r.info.value.state})`, run: () => { chosen.value = r.number; r.visible.value = true; } })))}>{others.length} of other models</button> : null}
    </div>
  );
}

function Sliders(): JSX.Element | null {
  if (!sliders.value.length) return null;
  const run = current.value;
  return (
    <div class="sliders" aria-label="Sliders">
      <div class="head"><h2 class="grow">Sliders</h2>{latency.value ? <span class="soft mono" data-testid="latency" title="From the slider to the curve">{latency.value.toFixed(0)} ms</span> : null}</div>
      <div class="scroll">
        {sliders.value.map((s) => {
          const v = run?.byName.value.get(s.name);
          // The model has base units, people read display units.
          const u = unitOf(v);
          const written = (x: number, digits: number): string => format(toDisplay(x, u), digits);
          const read = (text: string): number => (text.trim() ? fromDisplay(Number(text), u) : NaN);
          return (
            <div class="slide">
              <span class="sname" title={s.name}><bdi>{s.name}</bdi></span>
              <Entry class="sval" label={`Value of ${s.name}`} value={written(s.value, 5)} commit={(text) => { const x = read(text); if (Number.isFinite(x)) { sliders.value = sliders.value.map((q) => (q.name === s.name ? { ...q, min: Math.min(q.min, x), max: Math.max(q.max, x) } : q)); slide(s.name, x); } }} />
              <span class="soft" style="font-size:12px;min-width:14px">{u.label}</span>
              <input type="range" min={s.min} max={s.max} step={(s.max - s.min) / 500 || "any"} value={s.value} aria-label={s.name} aria-valuetext={`${written(s.value, 5)} ${u.label}`} data-slider={s.name} onInput={(e) => slide(s.name, Number(e.currentTarget.value))} onDblClick={() => slide(s.name, s.original)} />
              <div class="foot">
                <Entry class="lim" label={`Minimum of ${s.name}`} value={written(s.min, 4)} commit={(t) => { const x = read(t); if (Number.isFinite(x) && x < s.max) sliders.value = sliders.value.map((q) => (q.name === s.name ? { ...q, min: x } : q)); }} />
                <span class="grow" />
                <button type="button" class="mini" title="Back to the model's value" aria-label="Reset" disabled={s.value === s.original} onClick={() => slide(s.name, s.original)}><Glyph name="undo" /></button>
                <button type="button" class="mini" title="Write this value into the model" aria-label="Write into the model" disabled={s.value === s.original} onClick={() => void writeSlider(s)}><Glyph name="check" /></button>
                <button type="button" class={`mini ${family.value?.name === s.name ? "on" : ""}`} title="Curves from minimum to maximum" aria-label={`Family of curves over ${s.name}`} aria-pressed={family.value?.name === s.name} onClick={() => void showFamily(s)}><Glyph name="plot" /></button>
                <button type="button" class="mini" title="Remove the slider" aria-label="Remove the slider" onClick={() => (sliders.value = sliders.value.filter((q) => q.name !== s.name))}><Glyph name="close" /></button>
                <span class="grow" />
                <Entry class="lim" label={`Maximum of ${s.name}`} value={written(s.max, 4)} commit={(t) => { const x = read(t); if (Number.isFinite(x) && x > s.min) sliders.value = sliders.value.map((q) => (q.name === s.name ? { ...q, max: x } : q)); }} />
              </div>
            </div>
          );
        })}
      </div>
    </div>
  );
}

/** An empty plot, or one of the figures the model has. */
async function newPlot(x: number, y: number): Promise<void> {
  const empty = (): void => { const p = emptyPlot(); plots.value = [...plots.value, p]; activePlot.value = p.id; };
  const run = current.value;
  const { proposals } = run && !run.alive ? await call("plots", { run: run.number }).catch(() => ({ proposals: [] })) : { proposals: [] };
  if (!run || !proposals.some((p) => p.source === "figures")) return empty();
  showMenu(x, y, [{ text: "Empty plot", run: empty }, null, ...proposals.map((p) => ({ text: p.title || "Figure", run: () => showProposal(run, p) }))]);
}

export function Results(): JSX.Element {
  const tab = (id: Bottom, text: string, extra?: JSX.Element): JSX.Element => (
    <button type="button" role="tab" aria-selected={bottom.value === id} onClick={() => { bottom.value = id; panels.value = { ...panels.value, bottom: true }; }}>{text}{extra}</button>
  );
  let errors = 0;
  for (const list of diagnostics.value.values()) for (const d of list) if (d.severity === "error") errors++;
  const running = runs.value.find((r) => r.alive);
  const info = running?.info.value;
  const part = info && info.state === "running" ? (info.time - info.start) / (info.stop - info.start || 1) : 0;
  return (
    <section class="pane bottom" aria-label="Results">
      <div class="progress"><i style={`width:${info ? Math.max(part * 100, 2) : 0}%`} /></div>
      <div class="head">
        <div class="segments" role="tablist" aria-label="Results">
          {tab("plots", "Plots")}{tab("scene", "3D")}{tab("messages", errors ? `Messages ${errors}` : "Messages")}{tab("why", "Why")}
        </div>
        <RunChips />
        {bottom.value === "plots" ? <Tool glyph="plus" title="New plot" onClick={(e) => void newPlot(e.clientX, e.clientY)} /> : null}
        <Tool glyph={panels.value.big ? "down" : "up"} title={panels.value.big ? "Smaller" : "Larger"} onClick={() => (panels.value = { ...panels.value, big: !panels.value.big, bottom: true })} />
        <Tool glyph={panels.value.bottom ? "close" : "panelBottom"} title={panels.value.bottom ? "Hide the results" : "Show the results"} onClick={() => (panels.value = { ...panels.value, bottom: !panels.value.bottom, big: false })} />
      </div>
      {!panels.value.bottom ? null : bottom.value === "plots" ? (
        <div class="results">
          <Variables />
          <Splitter direction="v" label="Width of the variables" change={(d) => (sizes.value = { ...sizes.value, vars: Math.min(Math.max(sizes.value.vars + d, 160), innerWidth * 0.6) })} />
          <div class="curves">
            <div class={`plots ${plots.value.length > 1 ? "several" : ""}`}>{plots.value.map((p) => <PlotView key={p.id} plot={p} />)}</div>
            <Sliders />
          </div>
        </div>
      ) : bottom.value === "scene" ? <ScenePane /> : bottom.value === "messages" ? <Messages /> : <Why />}
    </section>
  );
}
