// Where the values of a component stand: below it where nothing is written yet, else beside or above it.

import type { Box } from "./spatial";

const overlap = (a: Box, b: Box): number => Math.max(Math.min(a[2], b[2]) - Math.max(a[0], b[0]), 0) * Math.max(Math.min(a[3], b[3]) - Math.max(a[1], b[1]), 0);

/**
 * The box of a label of this size at a component: the first place that covers none of the obstacles, or the one that covers
 * least of them. Boxes are [x0, y0, x1, y1] with y upwards.
 */
export function freePlace(at: Box, width: number, height: number, line: number, obstacles: readonly Box[]): Box {
  const [middle, level] = [(at[0] + at[2]) / 2, (at[1] + at[3]) / 2];
  const places: Box[] = [];
  const add = (x: number, y: number): void => { places.push([x, y - height, x + width, y]); };
  for (let k = 0; k < 5; k++) add(middle - width / 2, at[1] - k * line);
  for (let k = 0; k < 3; k++) add(middle - width / 2, at[3] + height + k * line);
  for (let k = 0; k < 3; k++) {
    add(at[2] + (k + 0.3) * line, level + height / 2);
    add(at[0] - width - (k + 0.3) * line, level + height / 2);
  }
  // To the right and to the left of what stands below.
  add(at[2], at[1]);
  add(at[0] - width, at[1]);
  const near = obstacles.filter((o) => o[0] < at[2] + 2 * width && o[2] > at[0] - 2 * width && o[1] < at[3] + height + 6 * line && o[3] > at[1] - height - 6 * line);
  let best = places[0]!;
  let least = Infinity;
  for (const p of places) {
    let covered = 0;
    for (const o of near) covered += overlap(p, o);
    if (covered < least) {
      least = covered;
      best = p;
      if (covered < 1e-9) break;
    }
  }
  return best;
}
