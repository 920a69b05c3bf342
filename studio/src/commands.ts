// All commands with their keys: the keyboard, the palette and the list of shortcuts read this table.

import { call } from "./api";
import { classOf } from "./documents";
import { ask, report } from "./notices";
import * as diagram from "./panels/diagram";
import { formatText, revealInText, toggleAnnotations } from "./panels/text";
import { cancel, runs, start } from "./results/runs";
import { active, bottom, close, dialog, help, open, palette, panels, session, setView, tabOf, tabs, theme } from "./state";

export interface Command {
  text: string;
  group: "General" | "Diagram" | "Simulation" | "View";
  /** `Mod` is Ctrl, on a Mac Cmd. */
  keys: string[];
  /** `false`: it does not apply, and the key does what it does elsewhere. */
  run: () => void | boolean;
  /** Works only while the diagram has the focus. */
  diagram?: boolean;
  /** Works in text fields, too. */
  anywhere?: boolean;
}

function focusParameters(): void {
  panels.value = { ...panels.value, right: true };
  const wanted = classOf(active.value).components_selected.peek();
  const until = performance.now() + 3000;
  // The parameters of what was just selected may be on their way.
  const look = (): void => {
    const shown = document.querySelector<HTMLElement>(".params")?.dataset.component;
    const field = document.querySelector<HTMLElement>(".params .prow input:not(:disabled), .params .prow select:not(:disabled)");
    if (shown === (wanted.length === 1 ? wanted[0] : "") && field) field.focus();
    else if (performance.now() < until && shown !== undefined) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}
function step(by: number): void {
  const i = tabs.value.findIndex((t) => t.class === active.value);
  const next = tabs.value[(i + by + tabs.value.length) % tabs.value.length];
  if (next) open(next.class);
}
function declaration(): void {
  const doc = classOf(active.value);
  const c = doc.components.get(doc.components_selected.value[0] ?? "") ?? doc.connections.get(doc.connections_selected.value[0] ?? "");
  if (c) revealInText(doc, c.from, c.to);
}
async function openFolder(): Promise<void> {
  const folder = await ask("Open a folder with models");
  if (!folder) return;
  try {
    const answer = await call("folder.open", { folder });
    if (session.value) session.value = { ...session.value, ...answer };
  } catch (error) {
    report(error);
  }
}
const focus = (selector: string, panel?: "left" | "right" | "bottom"): void => {
  if (panel) panels.value = { ...panels.value, [panel]: true };
  requestAnimationFrame(() => document.querySelector<HTMLElement>(selector)?.focus());
};

export const commands: Command[] = [
  { text: "Keyboard shortcuts", group: "General", keys: ["?"], run: () => { help.value = true; } },
  { text: "Run a command", group: "General", keys: ["Mod+K"], run: () => (palette.value = "commands"), anywhere: true },
  { text: "Open a class", group: "General", keys: ["Mod+P"], run: () => (palette.value = "open"), anywhere: true },
  { text: "New model", group: "General", keys: ["Mod+M"], run: () => (dialog.value = "new"), anywhere: true },
  { text: "Open a folder", group: "General", keys: ["Mod+O"], run: () => void openFolder(), anywhere: true },
  { text: "Save", group: "General", keys: ["Mod+S"], run: () => void classOf(active.value).save(), anywhere: true },
  { text: "Undo", group: "General", keys: ["Mod+Z"], run: () => void classOf(active.value).travel("undo") },
  { text: "Redo", group: "General", keys: ["Mod+Y", "Mod+Shift+Z"], run: () => void classOf(active.value).travel("redo") },
  { text: "Close the tab", group: "General", keys: ["Alt+W"], run: () => close(active.value), anywhere: true },
  { text: "Next tab", group: "General", keys: ["Alt+PageDown", "Alt+]"], run: () => step(1), anywhere: true },
  { text: "Previous tab", group: "General", keys: ["Alt+PageUp", "Alt+["], run: () => step(-1), anywhere: true },
  { text: "Format the text", group: "General", keys: ["Shift+Alt+F"], run: () => void formatText(active.value), anywhere: true },

  { text: "Hide or show annotations", group: "General", keys: ["Alt+A"], run: () => toggleAnnotations(active.value), anywhere: true },

  { text: "Simulate", group: "Simulation", keys: ["F5", "Mod+Enter"], run: () => void start(), anywhere: true },
  { text: "Stop the simulation", group: "Simulation", keys: ["Shift+F5"], run: () => void cancel(), anywhere: true },
  { text: "Simulation settings", group: "Simulation", keys: ["F6"], run: () => { if (active.value) dialog.value = "experiment"; }, anywhere: true },
  { text: "Show only the last run", group: "Simulation", keys: [], run: () => runs.value.forEach((r, i) => (r.visible.value = i === runs.value.length - 1)) },

  { text: "Add a component", group: "Diagram", keys: ["A", "Insert"], run: () => (palette.value = "add"), diagram: true },
  { text: "Next component", group: "Diagram", keys: ["Tab"], run: () => diagram.cycle(1), diagram: true },
  { text: "Previous component", group: "Diagram", keys: ["Shift+Tab"], run: () => diagram.cycle(-1), diagram: true },
  { text: "Connect", group: "Diagram", keys: ["C"], run: diagram.connectByKeys, diagram: true },
  { text: "Parameters of the selection", group: "Diagram", keys: ["Enter"], run: focusParameters, diagram: true },
  { text: "Show in text", group: "Diagram", keys: ["Mod+Enter"], run: declaration, diagram: true },
  { text: "Rename", group: "Diagram", keys: ["F2"], run: diagram.rename, diagram: true },
  { text: "Delete", group: "Diagram", keys: ["Delete", "Backspace"], run: () => void diagram.remove(), diagram: true },
  { text: "Turn left", group: "Diagram", keys: ["R"], run: () => void diagram.rotate(90), diagram: true },
  { text: "Turn right", group: "Diagram", keys: ["Shift+R"], run: () => void diagram.rotate(-90), diagram: true },
  { text: "Flip horizontally", group: "Diagram", keys: ["H"], run: () => void diagram.flip("x"), diagram: true },
  { text: "Flip vertically", group: "Diagram", keys: ["V"], run: () => void diagram.flip("y"), diagram: true },
  { text: "Move left", group: "Diagram", keys: ["ArrowLeft"], run: () => diagram.nudge(-1, 0), diagram: true },
  { text: "Move right", group: "Diagram", keys: ["ArrowRight"], run: () => diagram.nudge(1, 0), diagram: true },
  { text: "Move up", group: "Diagram", keys: ["ArrowUp"], run: () => diagram.nudge(0, 1), diagram: true },
  { text: "Move down", group: "Diagram", keys: ["ArrowDown"], run: () => diagram.nudge(0, -1), diagram: true },
  { text: "Move by ten: left", group: "Diagram", keys: ["Shift+ArrowLeft"], run: () => diagram.nudge(-5, 0), diagram: true },
  { text: "Move by ten: right", group: "Diagram", keys: ["Shift+ArrowRight"], run: () => diagram.nudge(5, 0), diagram: true },
  { text: "Move by ten: up", group: "Diagram", keys: ["Shift+ArrowUp"], run: () => diagram.nudge(0, 5), diagram: true },
  { text: "Move by ten: down", group: "Diagram", keys: ["Shift+ArrowDown"], run: () => diagram.nudge(0, -5), diagram: true },
  { text: "Select all", group: "Diagram", keys: ["Mod+A"], run: diagram.selectAll, diagram: true },
  { text: "Select nothing", group: "Diagram", keys: ["Escape"], run: () => classOf(active.value).selectOnly([], []), diagram: true },
  { text: "Copy", group: "Diagram", keys: ["Mod+C"], run: () => void diagram.copy(), diagram: true },
  { text: "Cut", group: "Diagram", keys: ["Mod+X"], run: () => void diagram.cut(), diagram: true },
  { text: "Paste", group: "Diagram", keys: ["Mod+V"], run: () => void diagram.paste(), diagram: true },
  { text: "Duplicate", group: "Diagram", keys: ["Mod+D"], run: () => void diagram.duplicate(), diagram: true },
  { text: "Align left", group: "Diagram", keys: ["Alt+ArrowLeft"], run: () => void diagram.align("left"), diagram: true },
  { text: "Align right", group: "Diagram", keys: ["Alt+ArrowRight"], run: () => void diagram.align("right"), diagram: true },
  { text: "Align top", group: "Diagram", keys: ["Alt+ArrowUp"], run: () => void diagram.align("top"), diagram: true },
  { text: "Align bottom", group: "Diagram", keys: ["Alt+ArrowDown"], run: () => void diagram.align("bottom"), diagram: true },
  { text: "Distribute horizontally", group: "Diagram", keys: ["Alt+H"], run: () => void diagram.align("spread-x"), diagram: true },
  { text: "Distribute vertically", group: "Diagram", keys: ["Alt+V"], run: () => void diagram.align("spread-y"), diagram: true },

  { text: "Diagram", group: "View", keys: ["Alt+1"], run: () => setView(active.value, "diagram"), anywhere: true },
  { text: "Diagram and text", group: "View", keys: ["Alt+2"], run: () => setView(active.value, tabOf(active.value)?.view === "both" ? "diagram" : "both"), anywhere: true },
  { text: "Text", group: "View", keys: ["Alt+3"], run: () => setView(active.value, "text"), anywhere: true },
  { text: "Icon", group: "View", keys: ["Alt+4"], run: () => setView(active.value, "icon"), anywhere: true },
  { text: "Documentation", group: "View", keys: ["Alt+5"], run: () => setView(active.value, "documentation"), anywhere: true },
  { text: "Fit the diagram or the selection", group: "View", keys: ["F"], run: diagram.fit, diagram: true },
  { text: "Zoom in", group: "View", keys: ["+", "="], run: () => diagram.zoom(1.25), diagram: true },
  { text: "Zoom out", group: "View", keys: ["-"], run: () => diagram.zoom(0.8), diagram: true },
  { text: "Search the library", group: "View", keys: ["/", "Mod+Shift+F"], run: () => focus("#library-search", "left") },
  { text: "Go to the diagram", group: "View", keys: ["Alt+D"], run: () => focus(".kept:not(.away) .canvas"), anywhere: true },
  { text: "Go to the variables", group: "View", keys: ["Alt+R"], run: () => { bottom.value = "plots"; focus("#variable-search", "bottom"); }, anywhere: true },
  { text: "Plots", group: "View", keys: ["Alt+6"], run: () => (bottom.value = "plots"), anywhere: true },
  { text: "3D", group: "View", keys: ["Alt+7"], run: () => (bottom.value = "scene"), anywhere: true },
  { text: "Messages", group: "View", keys: ["Alt+8"], run: () => (bottom.value = "messages"), anywhere: true },
  { text: "Why", group: "View", keys: ["Alt+9"], run: () => (bottom.value = "why"), anywhere: true },
  { text: "Library panel", group: "View", keys: ["Mod+B"], run: () => (panels.value = { ...panels.value, left: !panels.value.left }), anywhere: true },
  { text: "Parameter panel", group: "View", keys: ["Mod+I"], run: () => (panels.value = { ...panels.value, right: !panels.value.right }), anywhere: true },
  { text: "Result panel", group: "View", keys: ["Mod+J"], run: () => (panels.value = { ...panels.value, bottom: !panels.value.bottom, big: false }), anywhere: true },
  { text: "Light or dark", group: "View", keys: ["Alt+T"], run: () => (theme.value = document.documentElement.hasAttribute("data-dark") ? "light" : "dark"), anywhere: true },
];

/** The keys of an event in the notation of the table. */
function pressed(e: KeyboardEvent): string {
  const key = e.key.length === 1 ? e.key.toUpperCase() : e.key;
  const mod = e.ctrlKey || e.metaKey;
  const symbol = e.key.length === 1 && !/[A-Za-z0-9]/.test(e.key);
  return `${mod ? "Mod+" : ""}${e.shiftKey && !symbol ? "Shift+" : ""}${e.altKey ? "Alt+" : ""}${e.altKey && /^Digit\d$/.test(e.code) ? e.code.slice(5) : e.altKey && /^Key[A-Z]$/.test(e.code) ? e.code.slice(3) : key}`;
}

export function listen(): void {
  addEventListener("keydown", (e) => {
    if (e.defaultPrevented || document.querySelector("dialog[open]")) return;
    const target = e.target as HTMLElement;
    const typing = target.matches("input:not([type=checkbox]):not([type=range]), textarea, select") || target.isContentEditable;
    const inDiagram = target.closest(".canvas:not(.icon-pane)") !== null && !typing;
    const keys = pressed(e);
    const found = commands.find((c) => c.diagram && inDiagram && c.keys.includes(keys)) ?? commands.find((c) => !c.diagram && c.keys.includes(keys) && (!typing || c.anywhere));
    // The letters of the diagram work wherever nothing else wants them.
    const loose = found ?? (!typing && target === document.body ? commands.find((c) => c.diagram && c.keys.includes(keys) && keys !== "Tab" && keys !== "Shift+Tab") : undefined);
    if (!loose) return;
    if (loose.run() !== false) e.preventDefault();
  });
}
