// A plot as CSV, SVG and PNG.

import type uPlot from "uplot";
import { call } from "../api";
import { report } from "../notices";
import { isDark } from "../state";
import { download, format, last } from "../widgets";
import { type Line, linesOf, paint } from "./lines";
import { current, family, type Plot, runs } from "./runs";

export const fileName = (plot: Plot, ending: string): string => `${(plot.title || last(current.peek()?.info.peek().class ?? "plot")).replace(/[^\w.-]+/g, "-")}.${ending}`;

const quoted = (text: string): string => (/[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);

/** Spectra as they are shown, side by side: they are not in the result. */
export function tableOf(plot: Plot): string {
  const lines = linesOf(plot).filter((l) => !l.family);
  const rows = Math.max(0, ...lines.map((l) => l.x.length));
  const cell = (v: number | undefined): string => (v === undefined || Number.isNaN(v) ? "" : String(v));
  const shared = lines.every((l) => l.x.length === rows && l.x.every((v, i) => v === lines[0]!.x[i]));
  const unit = (l: Line): string => (l.unit ? ` [${l.unit}]` : "");
  const head = shared ? ["frequency [Hz]", ...lines.map((l) => l.label + unit(l))] : lines.flatMap((l) => [`frequency of ${l.label} [Hz]`, l.label + unit(l)]);
  let out = `${head.map(quoted).join(",")}\n`;
  for (let k = 0; k < rows; k++) out += `${(shared ? [cell(lines[0]!.x[k]), ...lines.map((l) => cell(l.y[k]))] : lines.flatMap((l) => [cell(l.x[k]), cell(l.y[k])])).join(",")}\n`;
  return out;
}

/** All rows of what is shown, in the units of the model; what is to the right of an X–Y plot comes first. */
export async function exportCsv(plot: Plot): Promise<void> {
  if (plot.kind === "fft") return download(fileName(plot, "csv"), tableOf(plot), "text/csv");
  const names = [...new Set([...(plot.kind === "xy" && plot.x ? [plot.x] : []), ...plot.series.map((s) => s.name)])];
  for (const run of runs.value.filter((r) => r.visible.value)) {
    try {
      const { csv } = await call("csv", { run: run.number, names });
      download(`${last(run.info.value.class)}-${run.number}.csv`, csv, "text/csv");
    } catch (error) {
      report(error);
    }
  }
}

/** What stands above an exported plot: the curves, and one entry for a family of them. */
function legendOf(plot: Plot): { color: string; dash: number[]; text: string }[] {
  const out = linesOf(plot).filter((l) => !l.family).map((l) => ({ color: l.color, dash: l.dash, text: l.label }));
  const f = family.peek();
  if (f && plot.kind === "time" && !plot.difference && f.curves.length) out.push({ color: "light-dark(#54616f,#a3acb9)", dash: [], text: `pale: ${f.name} from ${format(f.curves[0]!.value)} to ${format(f.curves[f.curves.length - 1]!.value)}` });
  return out;
}

/** Where entries of a legend stand that is so many pixels wide. */
function laidOut(texts: string[], width: number, measure: (text: string) => number): { at: [number, number][]; rows: number } {
  let [x, row] = [0, 0];
  const at = texts.map((text): [number, number] => {
    const w = 40 + measure(text);
    if (x > 0 && x + w - 12 > width) [x, row] = [0, row + 1];
    x += w;
    return [x - w, row];
  });
  return { at, rows: texts.length ? row + 1 : 0 };
}

const ROW = 18;

/** The plot as it is drawn, with its legend above. */
export function pictureOf(plot: Plot, u: uPlot): HTMLCanvasElement {
  const source = u.ctx.canvas;
  const dpr = devicePixelRatio;
  const copy = document.createElement("canvas");
  const ctx = copy.getContext("2d")!;
  const font = `${12 * dpr}px system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif`;
  ctx.font = font;
  const entries = legendOf(plot);
  const left = u.bbox.left / dpr;
  const place = laidOut(entries.map((e) => e.text), u.width - left - 8, (t) => ctx.measureText(t).width / dpr);
  const above = (place.rows * ROW + (plot.title ? ROW : 0) + 6) * dpr;
  [copy.width, copy.height] = [source.width, source.height + above];
  ctx.fillStyle = isDark.value ? "#1d2025" : "#ffffff";
  ctx.fillRect(0, 0, copy.width, copy.height);
  ctx.drawImage(source, 0, above);
  ctx.textBaseline = "middle";
  const ink = isDark.value ? "#e6e9ee" : "#1b1f24";
  let y = ROW / 2 + 4;
  if (plot.title) {
    ctx.font = `600 ${font}`;
    ctx.fillStyle = ink;
    ctx.fillText(plot.title, left * dpr, y * dpr);
    y += ROW;
  }
  ctx.font = font;
  entries.forEach((e, i) => {
    const [x, row] = place.at[i]!;
    const [px, py] = [(left + x) * dpr, (y + row * ROW) * dpr];
    ctx.strokeStyle = paint(e.color);
    ctx.lineWidth = 2.4 * dpr;
    ctx.setLineDash(e.dash.map((d) => d * 0.6 * dpr));
    ctx.beginPath();
    ctx.moveTo(px, py);
    ctx.lineTo(px + 20 * dpr, py);
    ctx.stroke();
    ctx.fillStyle = ink;
    ctx.fillText(e.text, px + 25 * dpr, py);
  });
  return copy;
}

export function pngOf(plot: Plot, u: uPlot): void {
  pictureOf(plot, u).toBlob((blob) => blob && download(fileName(plot, "png"), blob));
}

/** The plot with uPlot's scales and ticks as vector graphics. */
export function svgOf(plot: Plot, u: uPlot): string {
  const lines = linesOf(plot);
  const dpr = devicePixelRatio;
  const area = { x: u.bbox.left / dpr, y: u.bbox.top / dpr, w: u.bbox.width / dpr, h: u.bbox.height / dpr };
  const escape = (s: string): string => s.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]!);
  const pos = (v: number, scale: string): number => u.valToPos(v, scale) + (scale === "x" ? area.x : area.y);
  const light = (c: string): string => /light-dark\(([^,]+),/.exec(c)?.[1] ?? c;
  const entries = legendOf(plot);
  // Of a font nobody knows, a letter is about so wide.
  const place = laidOut(entries.map((e) => e.text), u.width - area.x - 8, (t) => t.length * 6.6);
  const above = place.rows * ROW + (plot.title ? ROW : 0) + 4;
  let out = `<svg xmlns="http://www.w3.org/2000/svg" width="${u.width}" height="${u.height + above}" viewBox="0 ${-above} ${u.width} ${u.height + above}" font-family="sans-serif" font-size="11"><rect y="${-above}" width="100%" height="100%" fill="#fff"/><clipPath id="c"><rect x="${area.x}" y="${area.y}" width="${area.w}" height="${area.h}"/></clipPath>`;
  u.axes.forEach((axis, i) => {
    const { _splits, _values } = axis as unknown as { _splits?: number[]; _values?: (string | null)[] };
    const scale = axis.scale ?? "x";
    const right = i > 1;
    _splits?.forEach((v, k) => {
      const label = escape(String(_values?.[k] ?? ""));
      if (!label) return;
      const p = pos(v, scale).toFixed(2);
      if (i === 0) out += `<path d="M${p} ${area.y}V${area.y + area.h}" stroke="#e3e6ea"/><text x="${p}" y="${area.y + area.h + 15}" text-anchor="middle" fill="#444">${label}</text>`;
      else out += `${i === 1 ? `<path d="M${area.x} ${p}H${area.x + area.w}" stroke="#e3e6ea"/>` : ""}<text x="${right ? area.x + area.w + 6 : area.x - 6}" y="${p}" dy="4" text-anchor="${right ? "start" : "end"}" fill="#444">${label}</text>`;
    });
    const title = escape(String(axis.label ?? ""));
    if (title && i === 0) out += `<text x="${area.x + area.w / 2}" y="${u.height - 3}" text-anchor="middle" fill="#444">${title}</text>`;
    else if (title) out += `<text transform="translate(${right ? u.width - 6 : 11} ${area.y + area.h / 2}) rotate(-90)" text-anchor="middle" fill="#444">${title}</text>`;
  });
  out += `<rect x="${area.x}" y="${area.y}" width="${area.w}" height="${area.h}" fill="none" stroke="#9aa3ad"/>`;
  for (const l of lines) {
    let d = "";
    let pen = false;
    for (let k = 0; k < l.x.length; k++) {
      const [px, py] = [pos(l.x[k]!, "x"), pos(l.y[k]!, l.scale)];
      // What is no number, or lies beside a logarithmic axis, leaves a gap.
      if (!Number.isFinite(px) || !Number.isFinite(py)) {
        pen = false;
        continue;
      }
      d += `${pen ? (l.step ? `H${px.toFixed(2)}L` : "L") : "M"}${px.toFixed(2)} ${py.toFixed(2)}`;
      pen = true;
    }
    out += `<path d="${d}" fill="none" stroke="${light(l.color)}" stroke-width="1.6" stroke-dasharray="${l.dash.join(" ")}" clip-path="url(#c)"/>`;
  }
  if (plot.title) out += `<text x="${area.x}" y="${14 - above}" font-weight="bold" font-size="12">${escape(plot.title)}</text>`;
  entries.forEach((e, i) => {
    const [x, row] = place.at[i]!;
    const [px, py] = [area.x + x, row * ROW + 10 - above + (plot.title ? ROW : 0)];
    out += `<path d="M${px} ${py}h20" stroke="${light(e.color)}" stroke-width="2.4" stroke-dasharray="${e.dash.map((d) => d * 0.6).join(" ")}"/><text x="${px + 25}" y="${py + 4}">${escape(e.text)}</text>`;
  });
  return `${out}</svg>`;
}
