// Which boxes lie near a point or within a rectangle: a grid of cells, updated item by item. Boxes are [x0, y0, x1, y1].

export type Box = [number, number, number, number];

const CELL = 50;
/** A box over more cells than this is looked at in every query instead. */
const MAX_CELLS = 400;

export class SpatialIndex {
  private readonly cells = new Map<number, Set<string>>();
  private readonly boxes = new Map<string, Box>();
  private readonly wide = new Set<string>();

  private static *keys(box: Box): Generator<number> {
    const [x0, y0, x1, y1] = box.map((v) => Math.floor(v / CELL)) as Box;
    for (let x = x0; x <= x1; x++) for (let y = y0; y <= y1; y++) yield (x + 32768) * 65536 + (y + 32768);
  }

  private static count([x0, y0, x1, y1]: Box): number {
    return (Math.floor(x1 / CELL) - Math.floor(x0 / CELL) + 1) * (Math.floor(y1 / CELL) - Math.floor(y0 / CELL) + 1);
  }

  set(id: string, box: Box): void {
    this.delete(id);
    this.boxes.set(id, box);
    if (SpatialIndex.count(box) > MAX_CELLS) {
      this.wide.add(id);
      return;
    }
    for (const key of SpatialIndex.keys(box)) {
      let cell = this.cells.get(key);
      if (!cell) this.cells.set(key, (cell = new Set()));
      cell.add(id);
    }
  }

  delete(id: string): void {
    const box = this.boxes.get(id);
    if (!box) return;
    this.boxes.delete(id);
    if (this.wide.delete(id)) return;
    for (const key of SpatialIndex.keys(box)) {
      const cell = this.cells.get(key);
      cell?.delete(id);
      if (cell?.size === 0) this.cells.delete(key);
    }
  }

  clear(): void {
    this.cells.clear();
    this.boxes.clear();
    this.wide.clear();
  }

  get(id: string): Box | undefined {
    return this.boxes.get(id);
  }

  /** The ids of boxes that touch the rectangle. */
  query(box: Box): string[] {
    const touches = (id: string): boolean => {
      const b = this.boxes.get(id);
      return !!b && b[0] <= box[2] && b[2] >= box[0] && b[1] <= box[3] && b[3] >= box[1];
    };
    if (SpatialIndex.count(box) > this.cells.size) return [...this.boxes.keys()].filter(touches);
    const found = new Set<string>(this.wide);
    for (const key of SpatialIndex.keys(box)) for (const id of this.cells.get(key) ?? []) found.add(id);
    return [...found].filter(touches);
  }

  /** The box around everything. */
  bounds(): Box | null {
    let all: Box | null = null;
    for (const b of this.boxes.values()) {
      all = all ? [Math.min(all[0], b[0]), Math.min(all[1], b[1]), Math.max(all[2], b[2]), Math.max(all[3], b[3])] : [...b];
    }
    return all;
  }
}
