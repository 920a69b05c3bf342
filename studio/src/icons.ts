// Icons of classes as pictures, asked for in batches and kept.

import { signal, type Signal } from "@preact/signals";
import { call } from "./api";

const known = new Map<string, Signal<string>>();
let wanted: string[] = [];
let timer = 0;

/** The address of a picture; "" until it is there and for classes without icon. */
export function icon(name: string): Signal<string> {
  let s = known.get(name);
  if (!s) {
    known.set(name, (s = signal("")));
    ask(name);
  }
  return s;
}

function ask(name: string): void {
  wanted.push(name);
  timer ||= window.setTimeout(() => {
    timer = 0;
    const classes = wanted;
    wanted = [];
    for (let i = 0; i < classes.length; i += 60) void fetchIcons(classes.slice(i, i + 60));
  }, 16);
}

/** As a small picture: without texts nobody could read, with lines that can be seen. */
function small(svg: string): string {
  const box = /viewBox="([^"]*)"/.exec(svg)?.[1]?.split(/[\s,]+/).map(Number);
  const least = Math.max(box?.[2] ?? 200, box?.[3] ?? 200) / 30;
  const plain = svg.replace(/<text[\s>][\s\S]*?<\/text>/g, "").replace(/<rect width="100%" height="100%" fill="#fff"\/>/, "");
  // An icon that is all text keeps it.
  return (/<(path|circle|ellipse|line|poly|image|rect)/.test(plain) ? plain : svg).replace(/stroke-width="([\d.]+)"/g, (_, w: string) => `stroke-width="${Math.max(Number(w), least)}"`);
}

async function fetchIcons(classes: string[]): Promise<void> {
  try {
    const { icons } = await call("icons", { classes });
    for (const { class: name, svg } of icons) {
      const s = known.get(name);
      if (s) s.value = svg ? `data:image/svg+xml,${encodeURIComponent(small(svg))}` : "";
    }
  } catch {
    // A missing icon is shown as a letter.
  }
}

export function forget(name: string): void {
  for (const key of known.keys()) if (!name || key === name || key.startsWith(`${name}.`)) ask(key);
}
