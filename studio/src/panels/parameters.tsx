// The parameters of the selected component, or of the model: made from annotations, written as modifiers in the text.

import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { call, type DialogEntry, type Edit, fromDisplay, type ParameterDialog, toDisplay, type UnitChoice } from "../api";
import { classOf } from "../documents";
import { active, open } from "../state";
import { ClassIcon, Entry, format, Glyph, last, Tool } from "../widgets";
import { current, runs, slide, sliders, addSlider } from "../results/runs";
import { rename } from "./diagram";

const shown = signal<{ key: string; dialog: ParameterDialog } | null>(null);
const failure = signal("");
const chosenUnits = signal<Record<string, string>>({});
const tab = signal("");
const problems = signal<Record<string, string>>({});
let number = 0;

/** Classes that fit a replaceable one, asked for when its list is opened. */
const fitting = signal<Record<string, { value: string; label: string }[]>>({});
async function askFitting(name: string, component: string, path: string): Promise<void> {
  const id = `${name} ${component} ${path}`;
  if (fitting.value[id]) return;
  fitting.value = { ...fitting.value, [id]: [] };
  const answer = await call("matching", { class: name, component, name: path }).catch(() => null);
  if (answer) fitting.value = { ...fitting.value, [id]: answer.choices };
}

/** Only a plain number is shown in another unit; formulas stay as they are written. */
const plain = (text: string): number | null => (/^\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*$/.test(text) ? Number(text) : null);

function unitFor(id: string, e: DialogEntry): UnitChoice | null {
  if (!e.units.length) return null;
  const wanted = chosenUnits.value[id] ?? e.displayUnit;
  return e.units.find((u) => u.unit === wanted) ?? e.units[0]!;
}

function asShown(text: string, u: UnitChoice | null): string {
  const value = plain(text);
  return value !== null && u && (u.factor !== 1 || u.offset !== 0) ? format(toDisplay(value, u), 7) : text;
}

async function write(name: string, component: string, entry: DialogEntry, text: string, u: UnitChoice | null): Promise<void> {
  let value: string | null = text.trim();
  if (!value) value = null;
  else if (entry.kind === "string" && !value.startsWith('"') && !entry.choices.length) value = `"${value.replace(/\\/g, "\\\\").replace(/"/g, '\\"')}"`;
  else if (u) {
    const entered = plain(value);
    if (entered !== null && (u.factor !== 1 || u.offset !== 0)) value = format(fromDisplay(entered, u), 15);
  }
  const edit: Edit = entry.kind === "class" ? { edit: "redeclare", component, name: entry.path, type: value } : { edit: "set", component, path: entry.path, value };
  const key = `${name} ${component} ${entry.path}`;
  const done = await classOf(name).edit([edit]);
  problems.value = { ...problems.value, [key]: done ? "" : "not accepted" };
  // A run that shows this parameter follows at once.
  const full = component ? `${component}.${entry.path}` : entry.path;
  const s = sliders.value.find((q) => q.name === full);
  const x = value === null ? null : plain(value);
  if (done && s && x !== null) slide(full, x);
}

function Row({ name, component, entry, depth = 0 }: { name: string; component: string; entry: DialogEntry; depth?: number }): JSX.Element {
  const id = `${component}.${entry.path}`;
  // A formula or an array stands in the base unit as it is written; a number is shown in the unit that is chosen.
  const counts = entry.value ?? entry.default;
  const base = entry.units.find((c) => c.factor === 1 && c.offset === 0) ?? null;
  const u = counts === "" || plain(counts) !== null ? unitFor(id, entry) : base;
  const unitLabel = u?.label || entry.unit;
  const editable = (classOf(name).diagram?.editable ?? false) && entry.enabled && !entry.final;
  const commit = (text: string): void => void write(name, component, entry, text, u);
  const written = entry.value === null ? "" : entry.kind === "string" && /^"[^"\\]*"$/.test(entry.value) && !entry.choices.length ? entry.value.slice(1, -1) : asShown(entry.value, u);
  const fallback = asShown(entry.default, u);
  const label = `${entry.label}${entry.dimensions}`;
  const full = component ? `${component}.${entry.path}` : entry.path;
  const run = current.value;
  const v = run && run.info.value.class === name ? run.byName.value.get(full.replace(/\.start$/, "")) : undefined;
  const tunable = v && (entry.path.endsWith(".start") ? v.tunableStart : v.tunable);
  const problem = problems.value[`${name} ${component} ${entry.path}`];
  const isSwitch = entry.kind === "boolean" && !entry.choices.length;
  // Arrays, records and classes need more room than a number; what has neither unit nor slider takes their place.
  const long = !isSwitch && (entry.kind === "class" || entry.dimensions !== "" || (plain(counts) === null && counts.length > 14));
  const bare = !long && !unitLabel && entry.units.length < 2;
  let field: JSX.Element;
  if (entry.kind === "boolean" && (entry.checkBox || entry.dimensions === "") && !entry.choices.length && (entry.value === null || entry.value === "true" || entry.value === "false")) {
    const on = (entry.value ?? (entry.worth === null ? entry.default : String(entry.worth))) === "true";
    field = <label class="inline"><input type="checkbox" checked={on} disabled={!editable} aria-label={label} onChange={(e) => commit(e.currentTarget.checked ? "true" : "false")} />{on ? "true" : "false"}</label>;
  } else if (entry.choices.length || entry.kind === "class") {
    const more = fitting.value[`${name} ${component} ${entry.path}`] ?? [];
    const choices = [...entry.choices, ...more.filter((m) => !entry.choices.some((c) => c.value === m.value))];
    const known = entry.value === null || choices.some((c) => c.value === entry.value);
    field = (
      <select class="field small value" aria-label={label} disabled={!editable} value={entry.value ?? ""} onFocus={() => { if (entry.kind === "class") void askFitting(name, component, entry.path); }} onChange={(e) => commit(e.currentTarget.value)}>
        <option value="">{entry.choices.find((c) => c.value === entry.default)?.label || last(entry.default) || "default"}</option>
        {known ? null : <option value={entry.value!} title={entry.value!}>{entry.kind === "class" && !/[(]/.test(entry.value!) ? last(entry.value!) : entry.value}</option>}
        {choices.map((c) => <option value={c.value}>{c.label || last(c.value)}</option>)}
      </select>
    );
  } else field = <Entry value={written} placeholder={fallback} label={label} disabled={!editable} class={problem ? "wrong" : ""} commit={commit} title={entry.value !== null ? `${entry.path} = ${entry.value}${entry.unit ? ` ${entry.unit}` : ""}` : entry.default ? `Default: ${entry.default}` : ""} />;
  return (
    <>
      <div class={`prow ${entry.value !== null ? "set" : ""} ${entry.enabled ? "" : "off"} ${long ? "long" : bare ? "bare" : ""}`} title={entry.description} style={depth ? `padding-left:${12 + depth * 12}px` : ""} data-parameter={entry.path}>
        <span class="pname" title={entry.path}>{depth ? label.replace(/^.*\.(?=[^.]*$)/, "") : label}</span>
        {field}
        {entry.units.length > 1 && u !== null && (counts === "" || plain(counts) !== null)
          ? <select class="punit" aria-label={`Unit of ${label}`} value={u?.unit ?? ""} onChange={(e) => (chosenUnits.value = { ...chosenUnits.value, [id]: e.currentTarget.value })}>{entry.units.map((c) => <option value={c.unit}>{c.label || "1"}</option>)}</select>
          : <span class="punit">{unitLabel}</span>}
        {tunable && v ? <button type="button" class={`mini ${sliders.value.some((s) => s.name === v.name) ? "on" : ""}`} title="Slider" aria-label={`Slider for ${label}`} onClick={() => addSlider(v)}><Glyph name="slider" /></button>
          : entry.value !== null && editable ? <button type="button" class="mini" title="Back to the default" aria-label={`Default of ${label}`} onClick={() => commit("")}><Glyph name="undo" /></button> : <span />}
        {entry.description ? <span class="pdoc">{entry.description}</span> : null}
        {problem ? <span class="perr">{problem}</span> : null}
      </div>
      {entry.entries?.map((inner) => <Row name={name} component={component} entry={inner} depth={depth + 1} />)}
    </>
  );
}

/** A new parameter of the model. */
function NewParameter({ name }: { name: string }): JSX.Element {
  const [open_, setOpen] = useState(false);
  const [values, setValues] = useState({ name: "", value: "", unit: "", description: "" });
  if (!open_) return <button type="button" class="tool" style="margin:8px 10px" onClick={() => setOpen(true)}><Glyph name="plus" />New parameter</button>;
  const field = (key: "name" | "value" | "unit" | "description", label: string): JSX.Element => (
    <><label for={`np-${key}`}>{label}</label><input id={`np-${key}`} class="field small" autocomplete="off" spellcheck={false} value={values[key]} onInput={(e) => setValues({ ...values, [key]: e.currentTarget.value })} /></>
  );
  return (
    <form style="margin:10px 12px;display:grid;grid-template-columns:max-content 1fr;gap:6px 8px;align-items:center" onSubmit={(e) => {
      e.preventDefault();
      if (!/^[A-Za-z_]\w*$/.test(values.name)) return;
      void classOf(name).edit([{ edit: "parameter", name: values.name, type: "Real", ...(values.value ? { value: values.value } : {}), ...(values.unit ? { unit: values.unit } : {}), ...(values.description ? { description: values.description } : {}) }]);
      setOpen(false);
      setValues({ name: "", value: "", unit: "", description: "" });
    }}>
      {field("name", "Name")}{field("value", "Value")}{field("unit", "Unit")}{field("description", "Description")}
      <span /><span style="display:flex;gap:6px;justify-content:flex-end"><button type="button" class="tool" onClick={() => setOpen(false)}>Cancel</button><button type="submit" class="tool primary">Add</button></span>
    </form>
  );
}

export function Parameters(): JSX.Element {
  const name = active.value;
  const doc = name ? classOf(name) : null;
  const version = doc?.changed.value ?? 0;
  const selected = doc?.components_selected.value ?? [];
  const component = selected.length === 1 ? selected[0]! : "";
  const several = selected.length > 1;
  const ready = !!doc?.diagram;
  runs.value;
  useEffect(() => {
    if (!name || several || !ready) return;
    const mine = ++number;
    const key = `${name} ${component}`;
    call("parameters", { class: name, component }).then((dialog) => {
      if (mine !== number) return;
      shown.value = { key, dialog };
      failure.value = "";
    }).catch((error: unknown) => {
      if (mine === number) failure.value = error instanceof Error ? error.message : String(error);
    });
  }, [name, component, version, several, ready]);
  const title = several ? `${selected.length} components` : component || (name ? last(name) : "Parameters");
  const s = shown.value?.key === `${name} ${component}` ? shown.value : null;
  const c = component ? doc?.components.get(component) : undefined;
  const tabs = s?.dialog.tabs ?? [];
  const current_ = tabs.find((t) => t.name === tab.value) ?? tabs[0];
  return (
    <aside class="pane right" aria-label="Parameters">
      <div class="head"><h2 class="grow">{title}</h2>{component && doc?.diagram?.editable && !c?.inherited ? <Tool glyph="more" title="Rename (F2)" onClick={rename} /> : null}</div>
      <div class="scroll params" data-testid="parameters" data-component={s ? component : "…"}>
        {!name ? <p class="empty">Open a model from the library, or make a new one with <kbd>Ctrl</kbd> <kbd>M</kbd>.</p> : several ? <p class="empty">{selected.length} components are selected. Select one to see its parameters.</p> : (
          <>
            {s ? (
              <div class="who">
                <span class="icon-image"><ClassIcon name={s.dialog.type || name} /></span>
                <b>{title}</b>
                <button type="button" class="cls" onClick={() => open(s.dialog.type || name, component ? undefined : "documentation")} title={s.dialog.type}>{s.dialog.type || name}</button>
                <span class="soft" style="font-size:12px">{s.dialog.description}{c?.inherited ? " (inherited)" : ""}</span>
              </div>
            ) : failure.value ? <p class="empty">{failure.value}</p> : null}
            {tabs.length > 1 ? <div class="sub" role="tablist">{tabs.map((t) => <button type="button" role="tab" aria-selected={t === current_} onClick={() => (tab.value = t.name)}>{t.name}</button>)}</div> : null}
            {current_?.groups.map((g) => (
              <>
                <h3>{g.name}</h3>
                {g.entries.map((e) => <Row key={`${component} ${e.path}`} name={name} component={component} entry={e} />)}
              </>
            ))}
            {s && !tabs.some((t) => t.groups.some((g) => g.entries.length)) ? <p class="empty">{component ? "No parameters." : "The model has no parameters of its own."}</p> : null}
            {s && !component && doc?.diagram?.editable ? <NewParameter name={name} /> : null}
          </>
        )}
      </div>
    </aside>
  );
}
