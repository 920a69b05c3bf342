// Begins: token, session, what was open, the stream of events.

import { render } from "preact";
import { call, CallFailed, type Event, events, type SessionInfo } from "./api";
import { App } from "./app";
import { listen } from "./commands";
import { classOf, openClasses, openTexts, textOf } from "./documents";
import { forget as forgetIcons } from "./icons";
import { forgetDocumentation } from "./panels/documentation";
import * as diagram from "./panels/diagram";
import { refreshTree } from "./panels/tree";
import { linesOf } from "./results/lines";
import { shownTimes } from "./results/plot";
import * as results from "./results/runs";
import "./results/values";
import { active, close, connected, diagnostics, keep, open, restore, session, shown } from "./state";
import "./style.css";

const given = new URLSearchParams(location.hash.slice(1)).get("token");
if (given) sessionStorage.setItem("kausal-token", given);

async function follow(): Promise<void> {
  for (;;) {
    try {
      await events(hear, new AbortController().signal);
    } catch (error) {
      if (error instanceof CallFailed && error.status < 500) return;
    }
    connected.value = false;
    await new Promise((done) => setTimeout(done, 1000));
  }
}

let first = true;
function hear(e: Event): void {
  connected.value = true;
  switch (e.event) {
    case "hello":
      if (!first) void catchUp();
      first = false;
      return;
    case "lost":
      return void catchUp();
    case "diagnostics": {
      const next = new Map(diagnostics.value);
      if (e.diagnostics.length) next.set(e.file, e.diagnostics);
      else next.delete(e.file);
      diagnostics.value = next;
      return;
    }
    case "run":
      return results.heard(e.run);
    case "classes":
      forgetIcons(e.class);
      if (e.class === shown.value || !e.class) forgetDocumentation(shown.value);
      return void refreshTree(e.class);
    case "file": {
      const text = textOf(e.file);
      if (text.loaded && e.version !== text.version) void text.enqueue(() => text.load(true));
      for (const c of openClasses()) if (c.diagram?.file === e.file) void c.load(true);
      return;
    }
  }
}

/** What is known of texts that somebody changed, and what is wrong with them. */
function marked(info: SessionInfo): void {
  for (const t of info.texts) textOf(t.file).marks(t);
  diagnostics.value = new Map(Object.entries(info.diagnostics));
}

/** After a gap in the events everything is asked for anew. */
async function catchUp(): Promise<void> {
  for (const t of openTexts()) {
    if (!t.loaded) continue;
    // What was typed meanwhile is told before the text is taken anew.
    await t.flush();
    if (!t.pending) await t.load(true).catch(() => undefined);
  }
  for (const c of openClasses()) if (c.diagram) await c.load(true);
  await refreshTree("").catch(() => undefined);
  await call("session", {}).then(marked).catch(() => undefined);
  const list = await call("run.list", {}).catch(() => null);
  for (const info of list?.runs ?? []) results.heard(info);
}

/** Texts of pictures are as wide as the server measured them: where the font is not installed, the server has it. */
function loadFonts(): void {
  for (const [weight, file] of [["400", "regular"], ["700", "bold"]] as const) {
    const installed = weight === "700" ? 'local("Liberation Sans Bold"), local("Arial Bold")' : 'local("Liberation Sans"), local("Arial")';
    const font = new FontFace("Liberation Sans", `${installed}, url(/font/${file}.ttf)`, { weight });
    document.fonts.add(font);
    void font.load().catch(() => undefined);
  }
}

async function begin(): Promise<void> {
  const root = document.getElementById("app")!;
  try {
    const info = await call("session", {});
    session.value = info;
    restore(info.state);
    marked(info);
    keep();
    results.restoreResults(info.runs);
    listen();
    loadFonts();
    if (active.value) void classOf(active.value).load();
    render(<App />, root);
    void follow();
  } catch (error) {
    const denied = error instanceof CallFailed && (error.status === 401 || error.status === 403);
    root.innerHTML = `<p class="empty" style="max-width:520px;margin:12vh auto"></p>`;
    root.firstElementChild!.textContent = denied
      ? "This address lacks its key. Open the address that kausal studio printed, with everything behind #."
      : "The program does not answer. Start it with kausal studio and reload this page.";
  }
}

// For tests: what people reach with the mouse, reached without.
Object.assign(globalThis, { kausal: { classOf, textOf, gesturesOf: diagram.gesturesOf, diagram, open, close, ...results, linesOf, shownTimes } });
void begin();
