// Classes and texts that are open: what the server knows of them, and the one way of changing them.
//
// A text lives in the server; the page keeps a copy and its typed changes that were not sent yet (`pending`). Changes of one
// file are sent one after the other. What the server answers is applied to copy, editor and diagram.

import { ChangeSet, Text, type ChangeSpec } from "@codemirror/state";
import { signal, type Signal } from "@preact/signals";
import { CallFailed, call, type Diagnostic, type Diagram, type DiagramChange, type DiagramComponent, type DiagramConnection, type Edit, type Edited, type TextChange } from "./api";
import { choose, report, toast } from "./notices";

/** What looks at a text: the editor. */
export interface TextListener {
  /** Changes that come from elsewhere, in the coordinates of what the listener shows. */
  remote(changes: ChangeSet): void;
  replaced(): void;
}

export class TextDocument {
  base: Text = Text.empty;
  /** Typed, not sent. */
  pending: ChangeSet | null = null;
  version = 0;
  /** The page has the text; until then it knows its state only. */
  loaded = false;
  readonly dirty = signal(false);
  readonly canUndo = signal(false);
  readonly canRedo = signal(false);
  readonly editable = signal(false);
  readonly diagnostics: Signal<Diagnostic[]> = signal([]);
  readonly listeners = new Set<TextListener>();
  private queue: Promise<unknown> = Promise.resolve();
  private timer = 0;

  constructor(readonly file: string) {}

  /** The text as it is shown. */
  get shown(): Text {
    return this.pending ? this.pending.apply(this.base) : this.base;
  }

  /** One after the other. */
  enqueue<T>(work: () => Promise<T>): Promise<T> {
    const next = this.queue.then(work, work);
    this.queue = next.catch(() => undefined);
    return next;
  }

  async load(force = false): Promise<void> {
    if (this.loaded && !force) return;
    const answer = await call("text", { file: this.file });
    this.base = Text.of(answer.text.split(/\r\n?|\n/));
    this.crlf = answer.text.includes("\r\n");
    this.pending = null;
    this.version = answer.version;
    this.loaded = true;
    this.dirty.value = answer.dirty;
    this.editable.value = answer.editable;
    for (const l of this.listeners) l.replaced();
  }
  /** Lines end in two characters in the file; offsets are translated. */
  crlf = false;

  /** Something was typed into the editor. */
  typed(changes: ChangeSet, shownClass: string): void {
    this.pending = this.pending ? this.pending.compose(changes) : changes;
    this.dirty.value = true;
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.flush(shownClass), 160);
  }

  /** Sends what was typed. */
  flush(shownClass = ""): Promise<void> {
    clearTimeout(this.timer);
    return this.enqueue(async () => {
      const sent = this.pending;
      if (!sent) return;
      const changes: TextChange[] = [];
      sent.iterChanges((fromA, toA, _fromB, _toB, inserted) => {
        const offset = this.toServer(fromA);
        changes.push({ offset, length: this.toServer(toA) - offset, insert: inserted.sliceString(0, inserted.length, this.crlf ? "\r\n" : "\n") });
      });
      const before = this.base;
      this.base = sent.apply(this.base);
      this.pending = null;
      try {
        const request: { file: string; version: number; changes: TextChange[]; class?: string } = { file: this.file, version: this.version, changes };
        if (shownClass) request.class = shownClass;
        const edited = await call("text.change", request);
        this.version = edited.version;
        this.marks(edited);
        if (shownClass) applyDiagram(shownClass, edited);
      } catch (error) {
        if (error instanceof CallFailed && error.error.code === "conflict") await this.load(true);
        else {
          // Nobody has heard of what was typed: it waits for the next time.
          this.base = before;
          this.pending = this.pending ? sent.compose(this.pending) : sent;
          report(error);
        }
      }
    });
  }

  marks(edited: { dirty: boolean; canUndo: boolean; canRedo: boolean }): void {
    this.dirty.value = edited.dirty;
    this.canUndo.value = edited.canUndo;
    this.canRedo.value = edited.canRedo;
  }

  /** Applies what the server changed. */
  apply(edited: Edited): void {
    this.marks(edited);
    if (!this.loaded) return;
    if (edited.from !== this.version) {
      void this.enqueue(() => this.load(true));
      return;
    }
    const specs: ChangeSpec[] = edited.changes.map((c) => ({ from: this.toPage(c.offset), to: this.toPage(c.offset + c.length), insert: this.crlf ? c.insert.replace(/\r\n/g, "\n") : c.insert }));
    const changes = ChangeSet.of(specs, this.base.length, "\n");
    const shown = this.pending ? changes.map(this.pending) : changes;
    if (this.pending) this.pending = this.pending.map(changes, true);
    this.base = changes.apply(this.base);
    for (const l of this.listeners) l.remote(shown);
    this.version = edited.version;
  }

  /** A place in the server's text as one in the page's. */
  toPage(offset: number): number {
    if (!this.crlf) return Math.min(offset, this.base.length);
    let [low, high] = [1, this.base.lines];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.base.line(middle).from + middle - 1 <= offset) low = middle;
      else high = middle - 1;
    }
    const line = this.base.line(low);
    return Math.min(line.from + Math.max(offset - line.from - low + 1, 0), line.to);
  }

  toServer(offset: number): number {
    return this.crlf ? offset + this.base.lineAt(offset).number - 1 : offset;
  }
}

const texts = new Map<string, TextDocument>();
export function textOf(file: string): TextDocument {
  let t = texts.get(file);
  if (!t) texts.set(file, (t = new TextDocument(file)));
  return t;
}
export const openTexts = (): TextDocument[] => [...texts.values()];

/** What looks at a diagram. `null`: everything is new. */
export type DiagramListener = (change: DiagramChange | null) => void;

export class ClassDocument {
  diagram: Diagram | null = null;
  components = new Map<string, DiagramComponent>();
  connections = new Map<string, DiagramConnection>();
  readonly listeners = new Set<DiagramListener>();
  /** Grows with each change: for panels. */
  readonly changed = signal(0);
  /** Why there is no diagram. */
  readonly failure = signal("");
  readonly components_selected: Signal<string[]> = signal([]);
  readonly connections_selected: Signal<string[]> = signal([]);
  private loading: Promise<void> | null = null;

  constructor(readonly name: string) {}

  get text(): TextDocument | null {
    return this.diagram ? textOf(this.diagram.file) : null;
  }

  load(force = false): Promise<void> {
    if (this.diagram && !force) return Promise.resolve();
    this.loading ??= this.fetch().finally(() => (this.loading = null));
    return this.loading;
  }

  private async fetch(): Promise<void> {
    try {
      const diagram = await call("diagram", { class: this.name });
      this.diagram = diagram;
      this.components = new Map(diagram.components.map((c) => [c.name, c]));
      this.connections = new Map(diagram.connections.map((c) => [c.id, c]));
      const t = textOf(diagram.file);
      t.editable.value = diagram.editable;
      this.failure.value = "";
      this.selectOnly(this.components_selected.peek().filter((n) => this.components.has(n)), this.connections_selected.peek().filter((n) => this.connections.has(n)));
      for (const l of this.listeners) l(null);
      this.changed.value++;
    } catch (error) {
      this.failure.value = error instanceof Error ? error.message : String(error);
    }
  }

  change(change: DiagramChange): void {
    if (!this.diagram) return;
    for (const name of change.removedComponents) this.components.delete(name);
    for (const id of change.removedConnections) this.connections.delete(id);
    for (const c of change.components) {
      const old = this.components.get(c.name);
      if (c.svg === undefined && old?.svg !== undefined) c.svg = old.svg;
      this.components.set(c.name, c);
    }
    for (const c of change.connections) this.connections.set(c.id, c);
    if (change.background !== undefined) this.diagram.background = change.background;
    this.diagram.version = change.version;
    if (change.removedComponents.length || change.removedConnections.length) {
      this.selectOnly(this.components_selected.peek().filter((n) => this.components.has(n)), this.connections_selected.peek().filter((n) => this.connections.has(n)));
    }
    for (const l of this.listeners) l(change);
    this.changed.value++;
  }

  selectOnly(components: string[], connections: string[]): void {
    const equal = (a: string[], b: string[]): boolean => a.length === b.length && a.every((x, i) => x === b[i]);
    if (!equal(components, this.components_selected.peek())) this.components_selected.value = components;
    if (!equal(connections, this.connections_selected.peek())) this.connections_selected.value = connections;
  }

  /** Edits as one step of undo. Answers what was made, or `null` where it failed. */
  async edit(edits: Edit[]): Promise<Edited | null> {
    if (!edits.length || !this.diagram) return null;
    if (!this.diagram.editable) {
      toast(`${this.name} belongs to a library and cannot be changed. Duplicate it first (context menu of the tree).`);
      for (const l of this.listeners) l({ class: this.name, version: this.diagram.version, components: [...this.components.values()], removedComponents: [], connections: [...this.connections.values()], removedConnections: [] });
      return null;
    }
    const text = textOf(this.diagram.file);
    await text.flush(this.name);
    return text.enqueue(async () => {
      try {
        const edited = await call("edit", { class: this.name, edits });
        text.apply(edited);
        applyDiagram(this.name, edited);
        return edited;
      } catch (error) {
        report(error);
        // What was drawn ahead of the answer is taken back.
        await this.load(true);
        return null;
      }
    });
  }

  async travel(which: "undo" | "redo"): Promise<void> {
    if (!this.diagram) await this.load();
    if (!this.diagram) return;
    const text = textOf(this.diagram.file);
    await text.flush(this.name);
    await text.enqueue(async () => {
      try {
        const edited = await call(which, { file: text.file, class: this.name });
        text.apply(edited);
        applyDiagram(this.name, edited);
      } catch (error) {
        report(error);
      }
    });
  }

  async save(overwrite = false): Promise<void> {
    if (!this.diagram) return;
    const text = textOf(this.diagram.file);
    await text.flush(this.name);
    const clash = await text.enqueue(async () => {
      try {
        const { version } = await call("text.save", { file: text.file, overwrite });
        if (version !== text.version && text.loaded) await text.load(true);
        text.dirty.value = false;
        toast("Saved");
      } catch (error) {
        if (error instanceof CallFailed && error.error.code === "changed-on-disk") return error.error.message;
        report(error);
      }
      return "";
    });
    if (!clash) return;
    const keep = "Overwrite it with this text";
    const take = "Take what is on the disk";
    const chosen = await choose(`${clash}. Which text counts?`, [take, keep]);
    if (chosen === keep) return this.save(true);
    if (chosen !== take) return;
    await text.enqueue(() => call("text.revert", { file: text.file })).catch(report);
    await text.load(true).catch(report);
    await this.load(true);
  }
}

/** Brings the diagram of the class up to date, and other open classes of the same file. */
function applyDiagram(name: string, edited: Edited): void {
  const shown = classes.get(name);
  if (shown) {
    if (edited.diagram && shown.diagram) shown.change(edited.diagram);
    else void shown.load(true);
  }
  for (const other of classes.values()) if (other !== shown && other.diagram?.file === edited.file) void other.load(true);
}

const classes = new Map<string, ClassDocument>();
export function classOf(name: string): ClassDocument {
  let c = classes.get(name);
  if (!c) classes.set(name, (c = new ClassDocument(name)));
  return c;
}
export const openClasses = (): ClassDocument[] => [...classes.values()];
