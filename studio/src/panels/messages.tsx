// Diagnostics: what is wrong, where, and what to do. A click shows component and line.

import type { JSX } from "preact";
import type { Diagnostic } from "../api";
import { classOf, openTexts } from "../documents";
import { current } from "../results/runs";
import { active, diagnostics, open } from "../state";
import { Glyph } from "../widgets";
import { focusOn } from "./diagram";
import { revealInText } from "./text";

/** Errors first, those of the shown class before others; equal ones once. */
export function allMessages(): Diagnostic[] {
  const list: Diagnostic[] = [];
  for (const l of diagnostics.value.values()) list.push(...l);
  const run = current.value;
  if (run) for (const d of run.info.value.diagnostics) if (!list.some((x) => x.message === d.message && x.from === d.from && x.file === d.file)) list.push(d);
  const rank = { error: 0, warning: 1, note: 2 };
  return list.sort((a, b) => rank[a.severity] - rank[b.severity] || Number(b.class === active.value) - Number(a.class === active.value));
}

export function show(d: Diagnostic): void {
  if (d.class && d.component) focusOn(d.class, d.component);
  const name = d.class ?? (d.file ? [...openTexts()].some((t) => t.file === d.file) ? active.value : "" : "");
  if (!name) return;
  const doc = classOf(name);
  if (d.from !== undefined && (!doc.diagram || doc.diagram.file === d.file)) revealInText(doc, d.from, d.to ?? d.from);
  else open(name);
}

/** A diagnostic; a click shows its component and its line. */
export function Message({ d }: { d: Diagnostic }): JSX.Element {
  return (
    <button type="button" class={`message ${d.severity}`} onClick={() => show(d)}>
      <span class="sev"><Glyph name={d.severity} /></span>
      <span style="white-space:pre-line">{d.message}{d.label && d.label !== d.message ? <span class="soft"> — {d.label}</span> : null}</span>
      <span class="at">{d.component ? <b>{d.component.replace(" ", " — ")} </b> : null}{d.line ? `line ${d.line}` : ""} <span class="mono">{d.code}</span></span>
      {d.help ? <span class="help">{d.help}</span> : null}
    </button>
  );
}

export function Messages(): JSX.Element {
  const list = allMessages();
  return (
    <div class="scroll" aria-label="Messages" data-testid="messages">
      {list.length ? list.map((d) => <Message d={d} />) : <p class="empty">No errors, no warnings.</p>}
    </div>
  );
}
