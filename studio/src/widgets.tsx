// Small pieces that several panels use.

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { icon } from "./icons";

const GLYPHS: Record<string, string> = {
  play: "M5 3.5v9l7.5-4.5z", stop: "M4 4h8v8H4z", undo: "M6 4 3 7l3 3M3 7h6.5a3.5 3.5 0 0 1 0 7H7", redo: "m10 4 3 3-3 3M13 7H6.5a3.5 3.5 0 0 0 0 7H9",
  save: "M3 3h8l2 2v8H3zM5.5 3v3.5h4V3M5 13V9h6v4", plus: "M8 3v10M3 8h10", minus: "M3 8h10", close: "m4.5 4.5 7 7m0-7-7 7", search: "M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.5 10.5 14 14",
  fit: "M3 6V3h3M10 3h3v3M13 10v3h-3M6 13H3v-3", right: "m6 4 4 4-4 4", left: "m10 4-4 4 4 4", help: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM6.3 6.3a1.7 1.7 0 1 1 2.5 1.5c-.6.3-.8.7-.8 1.4M8 11.4v.1",
  panelLeft: "M2.5 3h11v10h-11zM6 3v10", panelRight: "M2.5 3h11v10h-11zM10 3v10", panelBottom: "M2.5 3h11v10h-11zM2.5 9.5h11", sun: "M8 10.8A2.8 2.8 0 1 0 8 5.2a2.8 2.8 0 0 0 0 5.6zM8 1.5v1.3M8 13.2v1.3M1.5 8h1.3M13.2 8h1.3M3.4 3.4l.9.9M11.7 11.7l.9.9M12.6 3.4l-.9.9M4.3 11.7l-.9.9",
  moon: "M13 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.5z", system: "M2.5 3h11v8h-11zM6 13.5h4", turnLeft: "M3.2 9.2A5 5 0 1 0 4.6 4.8M4.2 2v3.2h3.2",
  flipX: "M8 2v12M6 5v6L2.5 11zM10 5v6l3.5 0z", flipY: "M2 8h12M5 6h6L11 2.5zM5 10h6l0 3.5z", error: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 5v3.7M8 11v.1", warning: "M8 2.5 14.2 13H1.8zM8 6.5v3M8 11.2v.1", note: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 7.5V11M8 5v.1",
  more: "M4 8h.1M8 8h.1M12 8h.1", download: "M8 2.5v7.5M5 7l3 3 3-3M3 13h10", slider: "M3 5h5M11 5h2M3 11h2M8 11h5M9.5 3.5v3M6.5 9.5v3", plot: "M2.5 2.5v11h11M4.5 10c2-5 4 1.5 8.5-6", cube: "M8 2l5.2 3v6L8 14l-5.2-3V5zM2.8 5 8 8l5.2-3M8 8v6", pause: "M5.5 3.5v9M10.5 3.5v9",
  up: "m4 10 4-4 4 4", down: "m4 6 4 4 4-4", copy: "M5.5 5.5h7v8h-7zM3.5 10.5v-8h7", book: "M3 3h4a1 1 0 0 1 1 1v9a1 1 0 0 0-1-1H3zM13 3H9a1 1 0 0 0-1 1v9a1 1 0 0 1 1-1h4z", gear: "M8 10.2a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4zM8 1.8v2M8 12.2v2M1.8 8h2M12.2 8h2M3.6 3.6 5 5M11 11l1.4 1.4M12.4 3.6 11 5M5 11l-1.4 1.4",
  alignLeft: "M3 2v12M5.5 4h7v3h-7zM5.5 9h4v3h-4z", check: "m3.5 8.5 3 3 6-7",
};

export function Glyph({ name }: { name: keyof typeof GLYPHS | string }): JSX.Element {
  return <svg class="glyph" viewBox="0 0 16 16" aria-hidden="true"><path d={GLYPHS[name] ?? ""} /></svg>;
}

export function Tool(props: { glyph: string; title: string; onClick: (e: MouseEvent) => void; pressed?: boolean; disabled?: boolean; class?: string; children?: ComponentChildren }): JSX.Element {
  const pressed = props.pressed === undefined ? {} : { "aria-pressed": props.pressed };
  return (
    <button type="button" class={`tool ${props.class ?? ""}`} title={props.title} aria-label={props.title} disabled={props.disabled ?? false} onClick={props.onClick} {...pressed}>
      <Glyph name={props.glyph} />{props.children}
    </button>
  );
}

export function ClassIcon({ name, kind }: { name: string; kind?: string }): JSX.Element {
  const src = icon(name).value;
  if (src) return <img src={src} alt="" draggable={false} />;
  const letter = (kind ?? "model")[0]!.toUpperCase();
  return (
    <svg class="blank" viewBox="0 0 18 18" aria-hidden="true">
      {kind === "package"
        ? <path d="M2 5h5l1.5 1.5H16V14H2z" fill="none" stroke="currentColor" stroke-opacity="0.6" />
        : <><rect x="2" y="2" width="14" height="14" rx="3" fill="none" stroke="currentColor" stroke-opacity="0.5" /><text x="9" y="12.6" font-size="10" text-anchor="middle" fill="currentColor" fill-opacity="0.8">{letter}</text></>}
    </svg>
  );
}

/** A bar that changes a size: dragged or with the arrow keys. */
export function Splitter(props: { direction: "v" | "h"; class?: string; label: string; change: (pixels: number) => void }): JSX.Element {
  const [drag, setDrag] = useState(false);
  const last = useRef(0);
  const v = props.direction === "v";
  return (
    <div class={`split ${props.direction} ${props.class ?? ""} ${drag ? "drag" : ""}`} role="separator" tabIndex={0} aria-label={props.label} aria-orientation={v ? "vertical" : "horizontal"}
      onPointerDown={(e) => { e.currentTarget.setPointerCapture(e.pointerId); last.current = v ? e.clientX : e.clientY; setDrag(true); e.preventDefault(); }}
      onPointerMove={(e) => { if (!drag) return; const now = v ? e.clientX : e.clientY; props.change(now - last.current); last.current = now; }}
      onPointerUp={() => setDrag(false)} onPointerCancel={() => setDrag(false)}
      onKeyDown={(e) => {
        const d = e.key === (v ? "ArrowRight" : "ArrowDown") ? 20 : e.key === (v ? "ArrowLeft" : "ArrowUp") ? -20 : 0;
        if (d) { props.change(d); e.preventDefault(); e.stopPropagation(); }
      }} />
  );
}

/** A dialog of the browser: focus stays inside, Esc closes. */
export function Dialog(props: { open: boolean; close: () => void; label: string; class?: string; children: ComponentChildren }): JSX.Element | null {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const d = ref.current;
    if (props.open && d && !d.open) d.showModal();
  }, [props.open]);
  if (!props.open) return null;
  return (
    <dialog ref={ref} class={props.class ?? ""} aria-label={props.label} onClose={props.close} onCancel={props.close} onPointerDown={(e) => { if (e.target === ref.current) props.close(); }}>
      {props.children}
    </dialog>
  );
}

/** A text field that tells its value on Enter and when it is left. */
export function Entry(props: { value: string; commit: (text: string) => void; label: string; class?: string; placeholder?: string; disabled?: boolean; title?: string; id?: string }): JSX.Element {
  const [text, setText] = useState<string | null>(null);
  const commit = (): void => {
    if (text !== null && text !== props.value) props.commit(text);
    setText(null);
  };
  return (
    <input id={props.id} class={`field small ${props.class ?? ""}`} aria-label={props.label} title={props.title ?? ""} placeholder={props.placeholder ?? ""} disabled={props.disabled ?? false} spellcheck={false} autocomplete="off"
      value={text ?? props.value} onInput={(e) => setText(e.currentTarget.value)} onBlur={commit}
      onKeyDown={(e) => {
        if (e.key === "Enter") commit();
        else if (e.key === "Escape" && text !== null) { setText(null); e.stopPropagation(); }
        else return;
        e.preventDefault();
      }} />
  );
}

export function download(name: string, content: string | Blob, type = "text/plain"): void {
  const url = URL.createObjectURL(typeof content === "string" ? new Blob([content], { type }) : content);
  const a = document.createElement("a");
  a.href = url;
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

/** A number in few characters. */
export function format(value: number, digits = 5): string {
  if (!Number.isFinite(value)) return String(value);
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return value.toExponential(Math.max(digits - 1, 0)).replace(/\.?0+e/, "e").replace("e+", "e");
  return String(Number(value.toPrecision(digits)));
}

export const last = (name: string): string => name.slice(name.lastIndexOf(".") + 1);
