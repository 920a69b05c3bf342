// Menus at the pointer, reachable with the keyboard.

import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";

export interface Item { text: string; run: () => void; keys?: string; disabled?: boolean }

const menu = signal<{ x: number; y: number; items: (Item | null)[] } | null>(null);

export function showMenu(x: number, y: number, items: (Item | null)[]): void {
  menu.value = { x, y, items };
}

export function Menu(): JSX.Element | null {
  const ref = useRef<HTMLDivElement>(null);
  const m = menu.value;
  useEffect(() => {
    if (!m || !ref.current) return;
    const before = document.activeElement as HTMLElement | null;
    ref.current.querySelector<HTMLElement>("button:not(:disabled)")?.focus();
    const r = ref.current.getBoundingClientRect();
    ref.current.style.left = `${Math.max(Math.min(m.x, innerWidth - r.width - 6), 4)}px`;
    ref.current.style.top = `${Math.max(Math.min(m.y, innerHeight - r.height - 6), 4)}px`;
    const away = (e: Event): void => { if (!ref.current?.contains(e.target as Node)) menu.value = null; };
    addEventListener("pointerdown", away, true);
    return () => {
      removeEventListener("pointerdown", away, true);
      before?.focus?.({ preventScroll: true });
    };
  }, [m]);
  if (!m) return null;
  const step = (by: number): void => {
    const all = [...ref.current!.querySelectorAll<HTMLElement>("button:not(:disabled)")];
    all[(all.indexOf(document.activeElement as HTMLElement) + by + all.length) % all.length]?.focus();
  };
  return (
    <div class="menu" ref={ref} role="menu" style={`left:${m.x}px;top:${m.y}px`} onKeyDown={(e) => {
      if (e.key === "ArrowDown") step(1);
      else if (e.key === "ArrowUp") step(-1);
      else if (e.key === "Escape") menu.value = null;
      else return;
      e.preventDefault();
      e.stopPropagation();
    }}>
      {m.items.map((item) => item ? (
        <button type="button" role="menuitem" disabled={item.disabled ?? false} onClick={() => { menu.value = null; item.run(); }}>
          <span>{item.text}</span>{item.keys ? <span class="soft">{item.keys}</span> : null}
        </button>
      ) : <hr />)}
    </div>
  );
}
