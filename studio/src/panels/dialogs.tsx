// Dialogs: a new model, the settings of runs, shortcuts, questions about foreign code, and the palette to find anything.

import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { call, type RunSettings, type TreeNode } from "../api";
import { classOf } from "../documents";
import { commands } from "../commands";
import { answerPermission, permission, question, report } from "../notices";
import { settings } from "../results/runs";
import { active, dialog, help, open, palette } from "../state";
import { ClassIcon, Dialog } from "../widgets";
import { addToDiagram, gesturesOf } from "./diagram";
import { refreshTree, reveal } from "./tree";

const draft = signal<{ within?: string; extends?: string }>({});

export function newClass(from: { within?: string; extends?: string } = {}): void {
  draft.value = from;
  dialog.value = "new";
}

function NewModel(): JSX.Element {
  const [name, setName] = useState("");
  const [kind, setKind] = useState<"model" | "block" | "connector" | "package" | "record" | "function">("model");
  const [description, setDescription] = useState("");
  const [base, setBase] = useState(draft.value.extends ?? "");
  const [within, setWithin] = useState(draft.value.within ?? "");
  const [problem, setProblem] = useState("");
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const wrong = name !== "" && !/^[A-Za-z_]\w*$/.test(name);
  const make = async (): Promise<void> => {
    if (!name || wrong) return setProblem("A name begins with a letter and has letters, digits and _.");
    try {
      const made = await call("class.new", { name, kind, ...(description ? { description } : {}), ...(base ? { extends: base } : {}), ...(within ? { within } : {}) });
      dialog.value = "";
      await refreshTree(within);
      open(made.class, kind === "package" || kind === "function" || kind === "record" ? "text" : "diagram");
      void reveal(made.class);
      setTimeout(() => gesturesOf(made.class)?.canvas.host.focus(), 200);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <form class="inside" onSubmit={(e) => { e.preventDefault(); void make(); }}>
      <h2>New class</h2>
      <div class="form">
        <label for="new-name">Name</label><input id="new-name" ref={field} class={`field ${wrong ? "wrong" : ""}`} autocomplete="off" spellcheck={false} value={name} onInput={(e) => { setName(e.currentTarget.value); setProblem(""); }} />
        <label for="new-kind">Kind</label><select id="new-kind" class="field" value={kind} onChange={(e) => setKind(e.currentTarget.value as "model")}>{["model", "block", "connector", "package", "record", "function"].map((k) => <option>{k}</option>)}</select>
        <label for="new-text">Description</label><input id="new-text" class="field" autocomplete="off" value={description} onInput={(e) => setDescription(e.currentTarget.value)} />
        <label for="new-base">Extends</label><input id="new-base" class="field" autocomplete="off" spellcheck={false} placeholder="nothing" value={base} onInput={(e) => setBase(e.currentTarget.value)} />
        <label for="new-within">In package</label><input id="new-within" class="field" autocomplete="off" spellcheck={false} placeholder="a file of its own" value={within} onInput={(e) => setWithin(e.currentTarget.value)} />
      </div>
      {problem ? <div style="color:var(--bad)">{problem}</div> : null}
      <div class="row"><button type="button" class="tool" onClick={() => (dialog.value = "")}>Cancel</button><button type="submit" class="tool primary">Create</button></div>
    </form>
  );
}

function Experiment(): JSX.Element {
  const name = active.value;
  const [base, setBase] = useState<{ start: number; stop: number; tolerance: number; interval: number | null } | null>(null);
  const [methods, setMethods] = useState<string[]>(["auto"]);
  const own: RunSettings = settings.value.class === name ? settings.value : {};
  const [values, setValues] = useState<Record<string, string>>({
    start: own.start?.toString() ?? "", stop: own.stop?.toString() ?? "", tolerance: own.tolerance?.toString() ?? "", intervals: own.intervals?.toString() ?? "", method: own.method ?? "auto",
  });
  useEffect(() => {
    call("experiment", { class: name }).then(setBase).catch(report);
    call("methods", {}).then((m) => setMethods(m.methods.includes("auto") ? m.methods : ["auto", ...m.methods])).catch(() => undefined);
  }, [name]);
  const taken = (): RunSettings => {
    const out: RunSettings = {};
    for (const key of ["start", "stop", "tolerance", "intervals"] as const) {
      const x = Number(values[key]);
      if (values[key] && Number.isFinite(x)) out[key] = x;
    }
    if (values.method && values.method !== "auto") out.method = values.method;
    return out;
  };
  const row = (key: string, label: string, fallback: string, unit: string): JSX.Element => (
    <>
      <label for={`exp-${key}`}>{label}</label>
      <span style="display:flex;gap:6px;align-items:center"><input id={`exp-${key}`} class="field grow" inputMode="decimal" placeholder={fallback} value={values[key]} onInput={(e) => setValues({ ...values, [key]: e.currentTarget.value })} /><span class="soft" style="width:20px">{unit}</span></span>
    </>
  );
  return (
    <form class="inside" onSubmit={(e) => { e.preventDefault(); settings.value = { class: name, ...taken() }; dialog.value = ""; }}>
      <h2>Simulation of {name}</h2>
      <div class="form">
        {row("start", "Start time", String(base?.start ?? ""), "s")}
        {row("stop", "Stop time", String(base?.stop ?? ""), "s")}
        {row("tolerance", "Tolerance", String(base?.tolerance ?? ""), "")}
        {row("intervals", "Output points", "500", "")}
        <label for="exp-method">Method</label>
        <select id="exp-method" class="field" value={values.method} onChange={(e) => setValues({ ...values, method: e.currentTarget.value })}>{methods.map((m) => <option>{m}</option>)}</select>
      </div>
      <div class="row">
        <button type="button" class="tool" onClick={() => (dialog.value = "")}>Cancel</button>
        <button type="button" class="tool" disabled={!classOf(name).diagram?.editable} onClick={() => {
          const t = taken();
          void classOf(name).edit([{ edit: "experiment", ...(t.start !== undefined ? { startTime: t.start } : {}), ...(t.stop !== undefined ? { stopTime: t.stop } : {}), ...(t.tolerance !== undefined ? { tolerance: t.tolerance } : {}) }]);
          dialog.value = "";
        }}>Write into the model</button>
        <button type="submit" class="tool primary">Use</button>
      </div>
    </form>
  );
}

function Shortcuts(): JSX.Element {
  const groups = [...new Set(commands.map((c) => c.group))];
  return (
    <div class="inside" style="width:min(88vw,800px);overflow:auto;max-height:84vh">
      <h2>Keyboard</h2>
      <div class="keys-table">
        {groups.map((g) => (
          <>
            <h3>{g}</h3>
            {commands.filter((c) => c.group === g && c.keys.length).map((c) => <div><span>{c.text}</span><span>{c.keys.slice(0, 2).map((k) => <><kbd>{shownKeys(k)}</kbd> </>)}</span></div>)}
          </>
        ))}
        <h3>Mouse</h3>
        {[["Add a component", "drag from the library"], ["Connect", "drag from connector to connector"], ["Connect with corners", "click, click, …"], ["Select several", "drag a rectangle, or Shift and click"], ["Pan", "middle button, or Space and drag"], ["Zoom", "wheel"], ["Time of all pictures", "click in a plot"], ["Second cursor", "Shift and click in a plot"]].map(([a, b]) => <div><span>{a}</span><span class="soft">{b}</span></div>)}
      </div>
      <div class="row"><button type="button" class="tool primary" onClick={() => (help.value = false)}>Close</button></div>
    </div>
  );
}

export const shownKeys = (k: string): string => k.replace("Mod", /Mac/.test(navigator.platform) ? "⌘" : "Ctrl").replace(/Arrow/g, "").replace("Delete", "Del");

/** What was typed exactly comes first; else the order of the server. */
function ranked(found: TreeNode[], text: string): TreeNode[] {
  const t = text.trim().toLowerCase();
  const rank = (n: TreeNode): number => (n.class.toLowerCase() === t ? 0 : n.name.toLowerCase() === t ? 1 : 2);
  return [...found].sort((a, b) => rank(a) - rank(b));
}

function Palette(): JSX.Element {
  const mode = palette.value;
  const [text, setText] = useState("");
  const [found, setFound] = useState<TreeNode[]>([]);
  const [at, setAt] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  const number = useRef(0);
  useEffect(() => input.current?.focus(), [mode]);
  useEffect(() => {
    setAt(0);
    if (mode === "commands") return;
    const mine = ++number.current;
    if (!text.trim()) return setFound([]);
    call("search", { query: text, limit: 40, ...(mode === "add" ? { kinds: ["model", "block", "class", "connector", "expandable connector", "record"] as const } : {}) } as { query: string; limit: number })
      .then((a) => mine === number.current && setFound(ranked(a.found, text))).catch(report);
  }, [text, mode]);
  const list = mode === "commands" ? commands.filter((c) => c.text.toLowerCase().includes(text.toLowerCase()) && c.keys.length + 1) : [];
  const count = mode === "commands" ? list.length : found.length;
  const pick = (i: number): void => {
    palette.value = "";
    if (mode === "commands") list[i]?.run();
    else if (found[i]) {
      if (mode === "add") void addToDiagram(found[i]!.class).then(() => gesturesOf(active.value)?.canvas.host.focus());
      else { open(found[i]!.class); void reveal(found[i]!.class); }
    }
  };
  return (
    <div style="width:min(92vw,600px)" onKeyDown={(e) => {
      if (e.key === "ArrowDown") setAt(Math.min(at + 1, count - 1));
      else if (e.key === "ArrowUp") setAt(Math.max(at - 1, 0));
      else if (e.key === "Enter") pick(at);
      else return;
      e.preventDefault();
    }}>
      <input ref={input} aria-label={mode === "add" ? "Add a component" : mode === "open" ? "Open a class" : "Run a command"} placeholder={mode === "add" ? "Add a component: name or initials" : mode === "open" ? "Open a class: name or initials" : "Command"} value={text} spellcheck={false} autocomplete="off" onInput={(e) => setText(e.currentTarget.value)} />
      <div class="list" role="listbox">
        {mode === "commands" ? list.map((c, i) => <button type="button" class={`item ${i === at ? "on" : ""}`} onClick={() => pick(i)}><span class="grow">{c.text}</span>{c.keys[0] ? <kbd>{shownKeys(c.keys[0])}</kbd> : null}</button>)
          : found.map((n, i) => <button type="button" class={`item ${i === at ? "on" : ""}`} ref={(el) => { if (i === at) el?.scrollIntoView?.({ block: "nearest" }); }} onClick={() => pick(i)} title={n.description}><ClassIcon name={n.class} kind={n.kind} /><span>{n.name}</span><span class="soft grow" style="overflow:hidden;text-overflow:ellipsis;white-space:nowrap;font-size:12px">{n.class}</span></button>)}
        {mode !== "commands" && text && !found.length ? <p class="empty">Nothing found.</p> : null}
      </div>
    </div>
  );
}

function Question(): JSX.Element {
  const q = question.value!;
  const [text, setText] = useState(q.value);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.select(), []);
  if (q.choices) {
    return (
      <div class="inside" style="width:min(88vw,460px)">
        <div style="overflow-wrap:anywhere">{q.title}</div>
        <div class="row" style="flex-wrap:wrap"><button type="button" class="tool" onClick={() => q.answer(null)}>Cancel</button>{q.choices.map((c, i) => <button type="button" class={`tool ${i === q.choices!.length - 1 ? "primary" : ""}`} onClick={() => q.answer(c)}>{c}</button>)}</div>
      </div>
    );
  }
  return (
    <form class="inside" style="width:min(88vw,420px)" onSubmit={(e) => { e.preventDefault(); q.answer(text); }}>
      <h2>{q.title}</h2>
      <input ref={field} class="field" aria-label={q.title} value={text} autocomplete="off" spellcheck={false} onInput={(e) => setText(e.currentTarget.value)} />
      <div class="row"><button type="button" class="tool" onClick={() => q.answer(null)}>Cancel</button><button type="submit" class="tool primary">OK</button></div>
    </form>
  );
}

export function Dialogs(): JSX.Element {
  const asked = permission.value;
  const asking = question.value;
  return (
    <>
      <Dialog open={dialog.value === "new"} close={() => (dialog.value = "")} label="New class"><NewModel /></Dialog>
      <Dialog open={dialog.value === "experiment"} close={() => (dialog.value = "")} label="Simulation settings"><Experiment /></Dialog>
      <Dialog open={help.value} close={() => (help.value = false)} label="Keyboard"><Shortcuts /></Dialog>
      <Dialog open={palette.value !== ""} close={() => (palette.value = "")} label="Find" class="palette"><Palette /></Dialog>
      <Dialog open={asking !== null} close={() => question.value?.answer(null)} label="Question">{asking ? <Question /> : null}</Dialog>
      <Dialog open={asked !== null} close={() => void answerPermission(false)} label="Permission">
        {asked ? (
          <div class="inside" style="max-width:520px">
            <h2>Allow {asked.class}?</h2>
            <div>{asked.question}</div>
            <ul class="mono" style="margin:0;max-height:30vh;overflow:auto">{asked.details.map((d) => <li>{d}</li>)}</ul>
            <div class="row"><button type="button" class="tool" onClick={() => void answerPermission(false)}>Refuse</button><button type="button" class="tool primary" onClick={() => void answerPermission(true)}>Allow for this session</button></div>
          </div>
        ) : null}
      </Dialog>
    </>
  );
}
