// What the page shows: tabs, panels, theme. Kept in the browser and in the server, so that a reload changes nothing.

import { effect, signal, type Signal } from "@preact/signals";
import { call, type Diagnostic, type SessionInfo } from "./api";
import { classOf } from "./documents";

export type View = "diagram" | "both" | "text" | "icon" | "documentation";
export type Bottom = "plots" | "scene" | "messages" | "why";
export interface Tab { class: string; view: View }

export const session: Signal<SessionInfo | null> = signal(null);
export const connected = signal(true);
export const tabs: Signal<Tab[]> = signal([]);
export const active: Signal<string> = signal("");
export const bottom: Signal<Bottom> = signal("plots");
export const theme: Signal<"system" | "light" | "dark"> = signal("system");
export const panels = signal({ left: true, right: true, bottom: true, big: false });
/** Of a wide window, while it is narrow. */
let wide = panels.value;
export const sizes = signal({ left: 260, right: 300, bottom: 320, vars: 310, share: 56, doc: 260 });
export const expanded: Signal<Set<string>> = signal(new Set());
/** The class whose documentation the left panel shows. */
export const shown: Signal<string> = signal("");
export const help = signal(false);
export const palette: Signal<"" | "add" | "open" | "commands"> = signal("");
export const dialog: Signal<"" | "new" | "experiment"> = signal("");
export const narrow = signal(innerWidth <= 900);
/** Grows when icons may differ. */
export const iconAge = signal(0);
export const diagnostics: Signal<Map<string, Diagnostic[]>> = signal(new Map());

export const tabOf = (name: string): Tab | undefined => tabs.value.find((t) => t.class === name);

export function open(name: string, view?: View): void {
  if (!name) return;
  const fresh = !tabOf(name);
  if (fresh) tabs.value = [...tabs.value, { class: name, view: view ?? "diagram" }];
  else if (view) setView(name, view);
  active.value = name;
  shown.value = name;
  void classOf(name).load().then(() => {
    // What has no picture is read: equations, functions.
    const d = classOf(name).diagram;
    if (fresh && !view && d && !d.components.length && d.variables.length) setView(name, d.kind === "function" || narrow.value ? "text" : "both");
  });
  if (narrow.value) panels.value = { ...panels.value, left: false };
}

export function setView(name: string, view: View): void {
  tabs.value = tabs.value.map((t) => (t.class === name ? { ...t, view } : t));
}

export function close(name: string): void {
  const i = tabs.value.findIndex((t) => t.class === name);
  if (i < 0) return;
  const rest = tabs.value.filter((t) => t.class !== name);
  tabs.value = rest;
  if (active.value === name) active.value = rest[Math.min(i, rest.length - 1)]?.class ?? "";
}

/** What is stored. `extra` holds what other modules keep. */
export const extra: Signal<Record<string, unknown>> = signal({});
interface Stored {
  tabs: Tab[]; active: string; bottom: Bottom; panels: { left: boolean; right: boolean; bottom: boolean; big: boolean };
  sizes: { left: number; right: number; bottom: number; vars: number; share: number; doc: number }; expanded: string[]; shown: string; extra: Record<string, unknown>;
}

export function restore(stored: unknown): void {
  theme.value = (localStorage.getItem("kausal-theme") as "light" | "dark" | null) ?? "system";
  if (narrow.value) panels.value = { ...panels.value, left: false, right: false };
  if (typeof stored !== "object" || stored === null) return;
  const s = stored as Partial<Stored>;
  if (Array.isArray(s.tabs)) tabs.value = s.tabs.filter((t) => typeof t?.class === "string");
  if (typeof s.active === "string") active.value = s.active;
  if (s.bottom) bottom.value = s.bottom;
  if (s.panels) wide = { ...wide, ...s.panels };
  if (!narrow.value) panels.value = wide;
  if (s.sizes) sizes.value = { ...sizes.value, ...s.sizes };
  if (Array.isArray(s.expanded)) expanded.value = new Set(s.expanded);
  if (typeof s.shown === "string") shown.value = s.shown;
  if (s.extra) extra.value = s.extra;
}

let timer = 0;
let saved = "";
export function keep(): void {
  effect(() => {
    const state: Stored = {
      tabs: tabs.value, active: active.value, bottom: bottom.value, panels: narrow.value ? { ...panels.value, left: wide.left, right: wide.right } : panels.value, sizes: sizes.value,
      expanded: [...expanded.value], shown: shown.value, extra: extra.value,
    };
    clearTimeout(timer);
    timer = window.setTimeout(() => {
      const text = JSON.stringify(state);
      if (text === saved) return;
      saved = text;
      void call("state.save", { state }).catch(() => undefined);
    }, 300);
  });
  effect(() => {
    const dark = theme.value === "dark" || (theme.value === "system" && darkSystem.value);
    const root = document.documentElement;
    if (theme.value === "system") delete root.dataset.theme;
    else root.dataset.theme = theme.value;
    root.toggleAttribute("data-dark", dark);
    isDark.value = dark;
    if (theme.value === "system") localStorage.removeItem("kausal-theme");
    else localStorage.setItem("kausal-theme", theme.value);
  });
}

const query = matchMedia("(prefers-color-scheme: dark)");
const darkSystem = signal(query.matches);
query.addEventListener("change", () => (darkSystem.value = query.matches));
export const isDark = signal(query.matches);
addEventListener("resize", () => {
  const before = narrow.value;
  narrow.value = innerWidth <= 900;
  // Panels lie over the diagram in a narrow window: they are opened one by one.
  if (narrow.value && !before) {
    wide = panels.value;
    panels.value = { ...panels.value, left: false, right: false };
  } else if (!narrow.value && before) panels.value = { ...panels.value, left: wide.left, right: wide.right };
});
