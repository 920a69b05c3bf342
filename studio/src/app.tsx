// The frame of the page: header, library, tabs, parameters, results, status line.

import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { classOf } from "./documents";
import { Menu } from "./menu";
import { notice } from "./notices";
import { Dialogs } from "./panels/dialogs";
import { DiagramPane, DiagramTools, Tip } from "./panels/diagram";
import { IconPane } from "./panels/icon";
import { DocumentationView } from "./panels/documentation";
import { allMessages } from "./panels/messages";
import { Parameters } from "./panels/parameters";
import { TextPane } from "./panels/text";
import { Library } from "./panels/tree";
import { Results } from "./results/results";
import { cancel, current, runs, start } from "./results/runs";
import { active, bottom, close, connected, dialog, help, narrow, open, palette, panels, session, setView, sizes, tabOf, tabs, theme, type View } from "./state";
import { ClassIcon, format, Glyph, last, Splitter, Tool } from "./widgets";

function Header(): JSX.Element {
  const running = runs.value.some((r) => r.alive);
  const next = theme.value === "system" ? "light" : theme.value === "light" ? "dark" : "system";
  const p = panels.value;
  return (
    <header class="top">
      <span class="brand"><svg viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="7" fill="var(--accent)" /><path d="M9 7v18M9 17L21 7M13 14l9 11" stroke="var(--on-accent)" stroke-width="3" fill="none" stroke-linecap="round" /></svg><span class="wide">Kausal Studio</span></span>
      <Tool glyph="panelLeft" title="Library (Ctrl+B)" pressed={p.left} onClick={() => (panels.value = { ...p, left: !p.left, ...(narrow.value ? { right: false } : {}) })} />
      <span class="gap" />
      <Tool glyph="plus" title="New model (Ctrl+M)" onClick={() => (dialog.value = "new")}><span class="wide">New</span></Tool>
      <Tool glyph="save" title="Save (Ctrl+S)" disabled={!active.value || !classOf(active.value).text?.dirty.value} onClick={() => void classOf(active.value).save()} />
      <span class="gap" />
      {running
        ? <Tool glyph="stop" class="danger run" title="Stop the simulation (Shift+F5)" onClick={() => void cancel()}>Stop</Tool>
        : <Tool glyph="play" class="primary run" title="Simulate (F5)" disabled={!active.value} onClick={() => void start()}>Simulate</Tool>}
      <Tool glyph="gear" title="Simulation settings (F6)" disabled={!active.value} onClick={() => (dialog.value = "experiment")} />
      <span class="grow" />
      <button type="button" class="field wide" style="width:min(24vw,300px);text-align:left;color:var(--ink-soft);display:flex;align-items:center;gap:8px" onClick={() => (palette.value = "open")}><Glyph name="search" /><span class="grow">Open a class</span><kbd>Ctrl P</kbd></button>
      <span class="grow wide" />
      <Tool glyph={theme.value === "system" ? "system" : theme.value === "light" ? "sun" : "moon"} title={`Theme: ${theme.value}. Click for ${next}`} onClick={() => (theme.value = next)} />
      <Tool glyph="help" title="Keyboard shortcuts (?)" onClick={() => (help.value = true)} />
      <Tool glyph="panelRight" title="Parameters (Ctrl+I)" pressed={p.right} onClick={() => (panels.value = { ...p, right: !p.right, ...(narrow.value ? { left: false } : {}) })} />
    </header>
  );
}

const VIEWS: [View, string][] = [["diagram", "Diagram"], ["both", "Both"], ["text", "Text"], ["icon", "Icon"], ["documentation", "Docs"]];

/** Diagrams that were shown last stay drawn, so that going back to them takes no time. */
let recent: string[] = [];
const KEPT_DIAGRAMS = 5;

function Centre(): JSX.Element {
  const tab = tabOf(active.value);
  if (tab && (tab.view === "diagram" || tab.view === "both")) recent = [tab.class, ...recent.filter((n) => n !== tab.class)].slice(0, KEPT_DIAGRAMS);
  recent = recent.filter((n) => tabOf(n));
  // In the order of the tabs: an element that changes its place in the page is laid out anew.
  const kept = tabs.value.map((t) => t.class).filter((n) => recent.includes(n));
  const strip = useRef<HTMLDivElement>(null);
  // The tab of what is shown is seen, however many there are.
  useEffect(() => {
    const sizes_ = new ResizeObserver(() => strip.current?.querySelector(".tab.on")?.scrollIntoView({ block: "nearest", inline: "nearest" }));
    // Tabs grow when their icons come.
    for (const e of [strip.current, ...(strip.current?.children ?? [])]) if (e) sizes_.observe(e);
    return () => sizes_.disconnect();
  }, [active.value, tabs.value.length]);
  return (
    <section class="pane" aria-label="Editor">
      <div class="tabs" role="tablist" ref={strip}>
        {tabs.value.map((t) => (
          <div class={`tab ${t.class === active.value ? "on" : ""}`} title={t.class} onAuxClick={(e) => { if (e.button === 1) close(t.class); }}>
            <button type="button" class="name" role="tab" aria-selected={t.class === active.value} onClick={() => open(t.class)}><ClassIcon name={t.class} />{last(t.class)}</button>
            {(classOf(t.class).changed.value, classOf(t.class).text?.dirty.value) ? <span class="dot" title="Not saved" /> : null}
            <button type="button" class="close" aria-label={`Close ${t.class}`} onClick={() => close(t.class)}>×</button>
          </div>
        ))}
      </div>
      {tab ? (
        <>
          <div class="head">
            <div class="segments" role="tablist" aria-label="View">{VIEWS.map(([id, text]) => <button type="button" role="tab" aria-selected={tab.view === id} onClick={() => setView(tab.class, id)}>{text}</button>)}</div>
            <span class="gap" />
            <DiagramTools name={tab.class} />
            <span class="full"><span class="soft mono"><bdi>{tab.class}</bdi></span></span>
          </div>
          <div class={`editors ${tab.view === "both" ? "both" : ""}`} style={`--share:${sizes.value.share}%`}>
            {kept.map((name) => <div key={`d ${name}`} class={`kept ${name === tab.class && (tab.view === "diagram" || tab.view === "both") ? "" : "away"}`}><DiagramPane name={name} /></div>)}
            {tab.view === "both" ? <Splitter direction="v" label="Share of diagram and text" change={(d) => (sizes.value = { ...sizes.value, share: Math.min(Math.max(sizes.value.share + (d / innerWidth) * 140, 15), 85) })} /> : null}
            {tab.view === "text" || tab.view === "both" ? <TextPane key={`t ${tab.class}`} name={tab.class} /> : null}
            {tab.view === "icon" ? <IconPane key={`i ${tab.class}`} name={tab.class} /> : null}
            {tab.view === "documentation" ? <div class="scroll"><DocumentationView name={tab.class} /></div> : null}
          </div>
        </>
      ) : (
        <div class="empty" style="margin:auto;max-width:440px">
          <h2 style="margin:0 0 8px;color:var(--ink);font-size:18px">Build a model, or open one</h2>
          <p>Make a new model with <kbd>Ctrl</kbd> <kbd>M</kbd>, or double-click a class in the library. <kbd>Ctrl</kbd> <kbd>P</kbd> finds any class by name or initials, <kbd>?</kbd> lists the keyboard.</p>
          <p>Examples to begin with:</p>
          {["Kausal.Examples.RC", "Kausal.Examples.Pendulum", "Kausal.Examples.Motor", "Kausal.Examples.Robot"].map((n) => <div><button type="button" class="link" onClick={() => open(n)}>{n}</button></div>)}
        </div>
      )}
    </section>
  );
}

function Status(): JSX.Element {
  const list = allMessages();
  const errors = list.filter((d) => d.severity === "error").length;
  const warnings = list.filter((d) => d.severity === "warning").length;
  const doc = active.value ? classOf(active.value) : null;
  doc?.changed.value;
  const info = current.value?.info.value;
  const s = info?.statistics;
  const selected = (doc?.components_selected.value.length ?? 0) + (doc?.connections_selected.value.length ?? 0);
  return (
    <footer class="status" aria-label="Status">
      <button type="button" onClick={() => { bottom.value = "messages"; panels.value = { ...panels.value, bottom: true }; }}><span class={errors ? "bad" : ""}>{errors} {errors === 1 ? "error" : "errors"}</span>, <span class={warnings ? "warn" : ""}>{warnings} {warnings === 1 ? "warning" : "warnings"}</span></button>
      {doc?.diagram ? <span class="wide">{doc.components.size} components, {doc.connections.size} connections{selected ? `, ${selected} selected` : ""}</span> : null}
      <span class="grow" />
      {info ? <span data-testid="run-state">{info.state === "done" ? `Simulated ${last(info.class)} to ${format(Math.min(info.time, info.stop))} s in ${format((info.seconds.run ?? 0) * 1000, 3)} ms${s ? `, ${s.steps} steps` : ""}` : info.state === "running" ? `Simulating: ${format(info.time, 4)} of ${format(info.stop)} s` : info.state === "translating" ? "Translating" : info.state === "failed" ? "The simulation failed" : "Stopped"}</span> : null}
      {connected.value ? <span class="wide">{session.value?.folders[0] ?? "no folder"}</span> : <span class="bad">No connection to the program</span>}
    </footer>
  );
}

export function App(): JSX.Element {
  const p = panels.value;
  const s = sizes.value;
  useEffect(() => { document.title = active.value ? `${last(active.value)} · Kausal Studio` : "Kausal Studio"; }, [active.value]);
  const within = (value: number, low: number, share: number, size: number): number => Math.min(Math.max(value, low), size * share);
  return (
    <div class="studio">
      <Header />
      <main class={`work ${p.left ? "" : "no-left"} ${p.right ? "" : "no-right"}`} style={`--left:${within(s.left, 140, 0.4, innerWidth)}px;--right:${within(s.right, 180, 0.4, innerWidth)}px;--bottom:${within(s.bottom, 120, 0.75, innerHeight)}px;--vars:${s.vars}px`}>
        <Library />
        <Splitter direction="v" class="l" label="Width of the library" change={(d) => (sizes.value = { ...s, left: sizes.value.left + d })} />
        <div class={`middle ${p.bottom ? "" : "no-bottom"} ${p.big ? "big-bottom" : ""}`}>
          <Centre />
          <Splitter direction="h" label="Height of the results" change={(d) => (sizes.value = { ...s, bottom: sizes.value.bottom - d })} />
          <Results />
        </div>
        <Splitter direction="v" class="r" label="Width of the parameters" change={(d) => (sizes.value = { ...s, right: sizes.value.right - d })} />
        <Parameters />
      </main>
      <Status />
      <Menu />
      <Tip />
      <Dialogs />
      <div aria-live="polite">{notice.value ? <div class="toast" role="status">{notice.value}</div> : null}</div>
    </div>
  );
}
