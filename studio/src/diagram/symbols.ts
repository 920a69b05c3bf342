// Pictures of components as shared symbols: shapes that are equal are kept once and shown by <use>; texts stay with the
// component. Colours get a counterpart for dark paper.

const SVG = "http://www.w3.org/2000/svg";

export const make = <K extends keyof SVGElementTagNameMap>(name: K, attributes: Record<string, string | number> = {}): SVGElementTagNameMap[K] => {
  const element = document.createElementNS(SVG, name);
  for (const key in attributes) element.setAttribute(key, String(attributes[key]));
  return element;
};

const shades = new Map<string, string>();

/** The colour with its lightness mirrored, so that what stands out on white stands out on dark paper. */
function dark(hex: string): string {
  const value = Number.parseInt(hex.length === 3 ? hex.replace(/./g, "$&$&") : hex, 16);
  const [r, g, b] = [value >> 16, (value >> 8) & 255, value & 255].map((v) => v / 255) as [number, number, number];
  const [high, low] = [Math.max(r, g, b), Math.min(r, g, b)];
  const light = (high + low) / 2;
  const chroma = high - low;
  const saturation = chroma === 0 ? 0 : chroma / (1 - Math.abs(2 * light - 1) || 1);
  const hue = chroma === 0 ? 0 : high === r ? ((g - b) / chroma + 6) % 6 : high === g ? (b - r) / chroma + 2 : (r - g) / chroma + 4;
  // White becomes the paper, black a light grey; pure blue is dark to the eye and is lifted further.
  const blue = chroma > 0 && b === high && hue > 3.5 && hue < 4.5 ? chroma : 0;
  const mirrored = Math.min(0.115 + (1 - light) * 0.79 + 0.2 * blue, 0.93);
  return `hsl(${Math.round(hue * 60 - 22 * blue)} ${Math.round(Math.min(saturation, 0.9) * 100)}% ${Math.round(mirrored * 100)}%)`;
}

export function themed(hex: string): string {
  let shade = shades.get(hex);
  if (!shade) shades.set(hex, (shade = `light-dark(#${hex},${dark(hex)})`));
  return shade;
}

export const rgb = ([r, g, b]: [number, number, number]): string =>
  themed(((1 << 24) | (r << 16) | (g << 8) | b).toString(16).slice(1));

/** A fragment without names, in the colours of both themes. */
export function recolour(svg: string): string {
  return svg
    // Lines are never thinner than a pixel: `--hair` is its size in millimetres.
    .replace(/ stroke-width="([\d.]+)"/g, (whole, width: string) => (Number(width) < 1.2 ? ` style="stroke-width:max(${width}px,var(--hair,0px))"` : whole))
    .replace(/\b(fill|stroke|stop-color)="#([0-9a-fA-F]{6}|[0-9a-fA-F]{3})"/g, (_, key: string, hex: string) => `${key}="${themed(hex.toLowerCase())}"`);
}

export class Symbols {
  readonly defs = make("defs");
  private readonly ids = new Map<string, string>();
  private readonly prefix = `s${Math.random().toString(36).slice(2, 7)}-`;

  /** The id of the symbol with these shapes; "" for none. */
  private intern(shapes: string): string {
    if (!shapes) return "";
    let id = this.ids.get(shapes);
    if (!id) {
      id = `${this.prefix}${this.ids.size}`;
      this.ids.set(shapes, id);
      const g = make("g", { id });
      g.innerHTML = recolour(shapes);
      this.defs.append(g);
    }
    return id;
  }

  /** Fills the group of a component with its shapes; its texts are the answer, for `writeTexts`. */
  fill(group: SVGGElement, svg: string): string {
    let texts = "";
    const shapes = svg
      .replace(/<text[\s>][\s\S]*?<\/text>/g, (text) => ((texts += text), ""))
      .replace(/ data-(name|class)="[^"]*"/g, "")
      .trim();
    const id = this.intern(shapes);
    // A <use> that stays the same is kept: its shadow tree is the costly part.
    const old = group.firstElementChild;
    if (id && old?.getAttribute("href") === `#${id}`) {
      while (group.lastElementChild !== old) group.lastElementChild?.remove();
    } else {
      group.textContent = "";
      if (id) group.append(make("use", { href: `#${id}` }));
    }
    return texts;
  }

  writeTexts(group: SVGGElement, texts: string): void {
    const holder = make("g", { class: "texts" });
    holder.innerHTML = recolour(texts);
    group.append(holder);
  }
}
