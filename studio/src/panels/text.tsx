// The text of a class: CodeMirror with the server's completion, definitions, hover and diagnostics. Undo is the server's, one
// for text and diagram.

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap, type Completion, type CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import { defaultKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, codeFolding, foldEffect, foldGutter, foldKeymap, indentOnInput, unfoldAll } from "@codemirror/language";
import { lintGutter, setDiagnostics, type Diagnostic as Mark } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Annotation, ChangeSet, EditorState, Prec, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, hoverTooltip, keymap, lineNumbers, rectangularSelection } from "@codemirror/view";
import { effect } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { call } from "../api";
import { type ClassDocument, classOf, type TextDocument, type TextListener, textOf } from "../documents";
import { annotations, modelica } from "../modelica";
import { report } from "../notices";
import { diagnostics, extra, open, setView, tabOf } from "../state";

const remote = Annotation.define<boolean>();
const editors = new Map<string, EditorView>();
const waiting = new Map<string, [number, number]>();

const setMark = StateEffect.define<{ from: number; to: number } | null>();
/** The declaration of what is selected in the diagram. */
const marked = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(set, tr) {
    set = set.map(tr.changes);
    for (const e of tr.effects) if (e.is(setMark)) set = e.value && e.value.to > e.value.from ? Decoration.set([Decoration.mark({ class: "cm-declared" }).range(e.value.from, e.value.to)]) : Decoration.none;
    return set;
  },
  provide: (f) => EditorView.decorations.from(f),
});

const theme = EditorView.theme({
  "&": { height: "100%" },
  ".cm-gutters": { backgroundColor: "var(--raised)", color: "var(--ink-soft)", border: "0", borderRight: "1px solid var(--line)" },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--accent) 6%, transparent)" },
  ".cm-activeLineGutter": { backgroundColor: "var(--hover)", color: "var(--ink)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)", borderLeftWidth: "2px" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { background: "var(--accent-ground) !important" },
  ".cm-declared": { backgroundColor: "color-mix(in srgb, var(--accent) 13%, transparent)", borderRadius: "2px" },
  ".cm-tooltip": { backgroundColor: "var(--panel)", border: "1px solid var(--line)", borderRadius: "6px", boxShadow: "0 4px 16px #0003" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent-ground)", color: "var(--ink)" },
  ".cm-panels": { backgroundColor: "var(--raised)", color: "var(--ink)" },
  ".cm-panels-bottom": { borderTop: "1px solid var(--line)" },
  ".cm-textfield": { backgroundColor: "var(--panel)", border: "1px solid var(--line-strong)" },
  ".cm-button": { backgroundImage: "none", backgroundColor: "var(--hover)", border: "1px solid var(--line-strong)" },
  ".cm-foldPlaceholder": { backgroundColor: "var(--raised)", border: "1px solid var(--line)", color: "var(--ink-soft)" },
  ".cm-searchMatch": { backgroundColor: "light-dark(#ffe9a8, #57470f)" },
  ".cm-hover": { padding: "6px 10px", maxWidth: "420px", whiteSpace: "pre-wrap", font: "12px/1.45 var(--mono)" },
});

function extensions(text: TextDocument, name: string): import("@codemirror/state").Extension[] {
  const complete = async (context: CompletionContext): Promise<CompletionResult | null> => {
    const word = context.matchBefore(/[\w.]+/);
    if (!context.explicit && (!word || word.to - word.from < 2) && !context.matchBefore(/\.\w*$/)) return null;
    await text.flush(name);
    if (context.aborted) return null;
    const { items } = await call("completion", { file: text.file, offset: text.toServer(context.pos) });
    const first = items[0];
    if (!first) return null;
    const kinds: Record<string, string> = { class: "class", component: "variable", function: "function", keyword: "keyword", attribute: "property", literal: "constant", package: "namespace", snippet: "text", other: "text" };
    return {
      from: text.toPage(first.from),
      options: items.filter((i) => i.from === first.from).map((i): Completion => ({ label: i.label, detail: i.detail, type: kinds[i.kind] ?? "text", apply: i.insert, ...(i.documentation ? { info: i.documentation } : {}) })),
      validFor: /^\w*$/,
    };
  };
  const jump = (view: EditorView, at: number): boolean => {
    void (async () => {
      await text.flush(name);
      const { found } = await call("definition", { file: text.file, offset: text.toServer(at) }).catch((e) => (report(e), { found: null }));
      if (!found) return;
      if (found.file === text.file) {
        const [from, to] = [text.toPage(found.from), text.toPage(found.to)];
        view.dispatch({ selection: { anchor: from, head: to }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
      } else if (found.class) {
        waiting.set(found.class, [found.from, found.to]);
        open(found.class, "text");
      }
    })();
    return true;
  };
  return [
    lineNumbers(), foldGutter(), codeFolding({ placeholderText: "…" }), lintGutter(), drawSelection(), rectangularSelection(), indentOnInput(), bracketMatching(), closeBrackets(), highlightActiveLine(), highlightActiveLineGutter(), highlightSelectionMatches(), search({ top: false }),
    EditorState.allowMultipleSelections.of(true), EditorState.readOnly.of(!text.editable.peek()), EditorState.tabSize.of(2),
    modelica(), theme, marked,
    autocompletion({ override: [complete], activateOnTypingDelay: 80 }),
    hoverTooltip(async (_view, pos) => {
      const { found } = await call("hover", { file: text.file, offset: text.toServer(pos) }).catch(() => ({ found: null }));
      if (!found) return null;
      return {
        pos: text.toPage(found.from), end: text.toPage(found.to), create: () => {
          const dom = document.createElement("div");
          dom.className = "cm-hover";
          dom.textContent = found.markdown.replace(/```\w*\n?/g, "").replace(/\*\*|`/g, "").trim();
          return { dom };
        },
      };
    }),
    Prec.highest(keymap.of([
      { key: "Mod-z", run: () => (void classOf(name).travel("undo"), true) },
      { key: "Mod-y", run: () => (void classOf(name).travel("redo"), true) },
      { key: "Mod-Shift-z", run: () => (void classOf(name).travel("redo"), true) },
      { key: "Mod-s", run: () => (void classOf(name).save(), true) },
      { key: "F12", run: (view) => jump(view, view.state.selection.main.head) },
      { key: "Shift-Alt-f", run: () => (void formatText(name), true) },
    ])),
    keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...foldKeymap, ...completionKeymap, indentWithTab]),
    EditorView.domEventHandlers({
      mousedown: (e, view) => {
        if (!(e.ctrlKey || e.metaKey) || e.button !== 0) return false;
        const at = view.posAtCoords({ x: e.clientX, y: e.clientY });
        if (at === null) return false;
        e.preventDefault();
        return jump(view, at);
      },
    }),
    EditorView.updateListener.of((u) => {
      if (u.docChanged && !u.transactions.some((t) => t.annotation(remote))) text.typed(u.changes, name);
      if (u.selectionSet && u.view.hasFocus && !u.docChanged) selectFromText(text, name, u.state.selection.main.head);
    }),
  ];
}

export async function formatText(name: string): Promise<void> {
  const text = classOf(name).text;
  if (!text) return;
  await text.flush(name);
  try {
    const edited = await call("format", { file: text.file, version: text.version, class: name });
    text.apply(edited);
    if (edited.changes.length) await classOf(name).load(true);
  } catch (error) {
    report(error);
  }
}

/** Hides what stands in annotations, or shows it again: equations are read better without. */
export function toggleAnnotations(name: string): void {
  const hidden = !extra.peek().annotationsShown;
  extra.value = { ...extra.peek(), annotationsShown: hidden };
  for (const view of editors.values()) hidden ? unfoldAll(view) : hideAnnotations(view);
  editors.get(name)?.focus();
}

function hideAnnotations(view: EditorView): void {
  view.dispatch({ effects: annotations(view.state).filter((a) => a.to - a.from > 24).map((a) => foldEffect.of(a)) });
}

/** The component whose declaration the cursor is in is selected in the diagram. */
function selectFromText(text: TextDocument, name: string, head: number): void {
  const doc = classOf(name);
  if (text.pending || doc.diagram?.file !== text.file) return;
  const at = text.toServer(head);
  for (const c of doc.components.values()) if (!c.inherited && c.from <= at && at <= c.to) return doc.selectOnly([c.name], []);
  for (const c of doc.connections.values()) if (!c.inherited && c.from <= at && at <= c.to) return doc.selectOnly([], [c.id]);
}

/** Shows a place of the text of a class, in the server's coordinates. */
export function revealInText(doc: ClassDocument, from: number, to: number): void {
  const tab = tabOf(doc.name);
  if (!tab) open(doc.name, "both");
  else if (tab.view !== "text" && tab.view !== "both") setView(doc.name, "both");
  open(doc.name);
  waiting.set(doc.name, [from, to]);
  const view = editors.get(doc.name);
  if (view) goTo(doc.name, view);
}

function goTo(name: string, view: EditorView): void {
  const place = waiting.get(name);
  const text = classOf(name).text;
  if (!place || !text) return;
  waiting.delete(name);
  const [from, to] = [Math.min(text.toPage(place[0]), view.state.doc.length), Math.min(text.toPage(place[1]), view.state.doc.length)];
  view.dispatch({ selection: { anchor: from }, effects: [setMark.of({ from, to }), EditorView.scrollIntoView(from, { y: "center" })] });
  view.focus();
}

export function TextPane({ name }: { name: string }): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let view: EditorView | null = null;
    let gone = false;
    const stops: (() => void)[] = [];
    void (async () => {
      const doc = classOf(name);
      await doc.load();
      let text = doc.text;
      if (!text) {
        const place = await call("class.file", { class: name }).catch((e) => (report(e), null));
        if (!place) return;
        text = textOf(place.file);
      }
      await text.load().catch(report);
      if (gone || !host.current) return;
      const t = text;
      view = new EditorView({ parent: host.current, state: EditorState.create({ doc: t.shown, extensions: extensions(t, name) }) });
      editors.set(name, view);
      if (!extra.peek().annotationsShown) hideAnnotations(view);
      const v = view;
      const listener: TextListener = {
        remote: (changes: ChangeSet) => v.dispatch({ changes, annotations: remote.of(true) }),
        replaced: () => v.dispatch({ changes: { from: 0, to: v.state.doc.length, insert: t.shown }, annotations: remote.of(true) }),
      };
      t.listeners.add(listener);
      stops.push(() => t.listeners.delete(listener));
      stops.push(effect(() => {
        const marks: Mark[] = [];
        for (const d of diagnostics.value.get(t.file) ?? []) {
          if (d.from === undefined) continue;
          const from = Math.min(t.toPage(d.from), v.state.doc.length);
          const to = Math.min(Math.max(t.toPage(d.to ?? d.from), from), v.state.doc.length);
          marks.push({ from, to, severity: d.severity === "note" ? "info" : d.severity, message: `${d.message}${d.help ? `\n${d.help}` : ""}`, source: d.code });
        }
        marks.sort((a, b) => a.from - b.from);
        v.dispatch(setDiagnostics(v.state, marks));
      }));
      stops.push(effect(() => {
        doc.changed.value;
        const part = doc.components_selected.value[0];
        const wire = doc.connections_selected.value[0];
        const place = (part && doc.components.get(part)) || (wire && doc.connections.get(wire)) || null;
        if (!place || place.inherited || t.pending) {
          v.dispatch({ effects: setMark.of(null) });
          return;
        }
        const [from, to] = [Math.min(t.toPage(place.from), v.state.doc.length), Math.min(t.toPage(place.to), v.state.doc.length)];
        v.dispatch({ effects: v.hasFocus ? [setMark.of({ from, to })] : [setMark.of({ from, to }), EditorView.scrollIntoView(from, { y: "nearest", yMargin: 60 })] });
      }));
      // The class begins where the tab says it does; annotations that hold graphics are folded, as people read equations.
      if (waiting.has(name)) goTo(name, v);
      else {
        const place = await call("class.file", { class: name }).catch(() => null);
        if (place && place.from > 0 && !gone) v.dispatch({ effects: EditorView.scrollIntoView(Math.min(t.toPage(place.from), v.state.doc.length), { y: "start" }) });
      }
    })();
    return () => {
      gone = true;
      for (const stop of stops) stop();
      if (view && editors.get(name) === view) editors.delete(name);
      void classOf(name).text?.flush(name);
      view?.destroy();
    };
  }, [name]);
  return <div class="text-pane" ref={host} data-testid="text" />;
}
