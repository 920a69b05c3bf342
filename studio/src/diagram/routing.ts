// Lines at right angles: from connector to connector around components, and following components that are moved.
// Coordinates are those of the language (y up).

import type { Point } from "../api";
import type { Box } from "./spatial";

export type Side = "left" | "right" | "top" | "bottom";

const DIRECTION: Record<Side, Point> = { left: [-1, 0], right: [1, 0], top: [0, 1], bottom: [0, -1] };
/** How far a line leaves a connector before it turns, in millimetres. */
const STUB = 8;
/** What a corner costs, as a length. */
const CORNER = 12;
/** What a piece through a component costs. */
const BLOCKED = 400;

const same = (a: number, b: number): boolean => Math.abs(a - b) < 1e-6;

/** Takes away repeated points and those in the middle of a straight piece. */
export function tidy(points: Point[]): Point[] {
  const out: Point[] = [];
  for (const p of points) {
    const last = out[out.length - 1];
    if (last && same(last[0], p[0]) && same(last[1], p[1])) continue;
    const before = out[out.length - 2];
    if (last && before && ((same(before[0], last[0]) && same(last[0], p[0])) || (same(before[1], last[1]) && same(last[1], p[1])))) {
      out[out.length - 1] = p;
    } else out.push(p);
  }
  return out;
}

/** Does the piece from `a` to `b` run through the inside of a box? */
function crosses(a: Point, b: Point, box: Box): boolean {
  const e = 0.5;
  return (
    Math.min(a[0], b[0]) < box[2] - e && Math.max(a[0], b[0]) > box[0] + e &&
    Math.min(a[1], b[1]) < box[3] - e && Math.max(a[1], b[1]) > box[1] + e
  );
}

/**
 * The shortest line with few corners that leaves `a` and enters `b` in their directions and avoids the boxes: Dijkstra on the
 * lines through the ends, their stubs, the middle and around the boxes. `bSide` is absent while the end follows the pointer.
 */
export function route(a: Point, aSide: Side | null, b: Point, bSide: Side | null, boxes: Box[], grid = 2): Point[] {
  const snap = (v: number): number => Math.round(v / grid) * grid;
  const stub = (p: Point, side: Side | null): Point => (side ? [p[0] + DIRECTION[side][0] * STUB, p[1] + DIRECTION[side][1] * STUB] : p);
  const [s, t] = [stub(a, aSide), stub(b, bSide)];
  const xs = new Set([a[0], b[0], s[0], t[0], snap((a[0] + b[0]) / 2)]);
  const ys = new Set([a[1], b[1], s[1], t[1], snap((a[1] + b[1]) / 2)]);
  const near = boxes.slice(0, 10);
  for (const [x0, y0, x1, y1] of near) {
    xs.add(snap(x0 - STUB / 2)).add(snap(x1 + STUB / 2));
    ys.add(snap(y0 - STUB / 2)).add(snap(y1 + STUB / 2));
  }
  const X = [...xs].sort((p, q) => p - q);
  const Y = [...ys].sort((p, q) => p - q);
  const [w, h] = [X.length, Y.length];
  const node = (p: Point): number => Y.indexOf(p[1]) * w + X.indexOf(p[0]);
  const [from, to] = [node(a), node(b)];
  // State: node and the direction it was entered in (0 right, 1 up, 2 left, 3 down).
  const steps: Point[] = [[1, 0], [0, 1], [-1, 0], [0, -1]];
  const heading = (side: Side | null): number => (side ? steps.findIndex(([x, y]) => x === DIRECTION[side][0] && y === DIRECTION[side][1]) : -1);
  const [out, into] = [heading(aSide), bSide ? (heading(bSide) + 2) % 4 : -1];
  const cost = new Float64Array(w * h * 4).fill(Infinity);
  const back = new Int32Array(w * h * 4).fill(-1);
  const queue: [number, number][] = [];
  const push = (state: number, c: number, previous: number): void => {
    if (c >= cost[state]!) return;
    cost[state] = c;
    back[state] = previous;
    let i = queue.push([c, state]) - 1;
    while (i > 0) {
      const up = (i - 1) >> 1;
      if (queue[up]![0] <= queue[i]![0]) break;
      [queue[up], queue[i]] = [queue[i]!, queue[up]!];
      i = up;
    }
  };
  const pop = (): [number, number] | undefined => {
    const top = queue[0];
    const last = queue.pop();
    if (queue.length && last) {
      queue[0] = last;
      for (let i = 0; ; ) {
        let least = i;
        for (const child of [2 * i + 1, 2 * i + 2]) if (child < queue.length && queue[child]![0] < queue[least]![0]) least = child;
        if (least === i) break;
        [queue[least], queue[i]] = [queue[i]!, queue[least]!];
        i = least;
      }
    }
    return top;
  };
  for (let d = 0; d < 4; d++) if (out < 0 || d === out) push(from * 4 + d, 0, -1);
  let end = -1;
  for (let at = pop(); at; at = pop()) {
    const [c, state] = at;
    if (c > cost[state]!) continue;
    const [n, d] = [state >> 2, state & 3];
    if (n === to && (into < 0 || d === into || from === to)) {
      end = state;
      break;
    }
    const [i, j] = [n % w, Math.floor(n / w)];
    for (let e = 0; e < 4; e++) {
      if ((e + 2) % 4 === d || (n === from && out >= 0 && e !== out)) continue;
      const [k, l] = [i + steps[e]![0], j + steps[e]![1]];
      if (k < 0 || l < 0 || k >= w || l >= h) continue;
      const [p, q]: [Point, Point] = [[X[i]!, Y[j]!], [X[k]!, Y[l]!]];
      let price = Math.abs(p[0] - q[0]) + Math.abs(p[1] - q[1]) + (e === d ? 0 : CORNER);
      for (const box of near) if (crosses(p, q, box)) price += BLOCKED;
      push((l * w + k) * 4 + e, c + price, state);
    }
  }
  if (end < 0) return tidy([a, [b[0], a[1]], b]);
  const points: Point[] = [];
  for (let state = end; state >= 0; state = back[state]!) {
    const n = state >> 2;
    points.push([X[n % w]!, Y[Math.floor(n / w)]!]);
  }
  return tidy(points.reverse());
}

/** The line when its ends are moved: first and last pieces stay at right angles. */
export function stretch(points: Point[], da: Point | null, db: Point | null): Point[] {
  if (points.length < 2) return points;
  if (da && db && same(da[0], db[0]) && same(da[1], db[1])) return points.map(([x, y]) => [x + da[0], y + da[1]]);
  let out = points.map(([x, y]): Point => [x, y]);
  if (da) out = pull(out, da);
  if (db) out = pull(out.reverse(), db).reverse();
  return out;
}

/** Moves the first point of a line. */
function pull(points: Point[], [dx, dy]: Point): Point[] {
  const [first, second] = [points[0]!, points[1]!];
  const moved: Point = [first[0] + dx, first[1] + dy];
  const level = same(first[1], second[1]);
  const plumb = same(first[0], second[0]);
  if (points.length === 2) {
    if (level && !same(dy, 0)) {
      const middle = (moved[0] + second[0]) / 2;
      return [moved, [middle, moved[1]], [middle, second[1]], second];
    }
    if (plumb && !same(dx, 0)) {
      const middle = (moved[1] + second[1]) / 2;
      return [moved, [moved[0], middle], [second[0], middle], second];
    }
    return [moved, second];
  }
  const next: Point = [plumb && !level ? second[0] + dx : second[0], level ? second[1] + dy : second[1]];
  return [moved, next, ...points.slice(2)];
}

/** The line with its piece number `piece` shifted sideways; corners appear at the ends where the piece is the first or last one. */
export function shiftPiece(points: Point[], piece: number, by: Point): Point[] {
  const [p, q] = [points[piece]!, points[piece + 1]!];
  const level = same(p[1], q[1]);
  const d: Point = level ? [0, by[1]] : [by[0], 0];
  const [p2, q2]: [Point, Point] = [[p[0] + d[0], p[1] + d[1]], [q[0] + d[0], q[1] + d[1]]];
  const before = piece === 0 ? [p] : points.slice(0, piece);
  const after = piece === points.length - 2 ? [q] : points.slice(piece + 2);
  return [...before, p2, q2, ...after];
}

/** The distance of a point from a piece of a line. */
export function distance([x, y]: Point, [ax, ay]: Point, [bx, by]: Point): number {
  const [dx, dy] = [bx - ax, by - ay];
  const length = dx * dx + dy * dy;
  const s = length > 0 ? Math.min(Math.max(((x - ax) * dx + (y - ay) * dy) / length, 0), 1) : 0;
  return Math.hypot(x - ax - s * dx, y - ay - s * dy);
}
