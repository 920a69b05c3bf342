// Routing, the spatial index and the places of values by themselves.

import assert from "node:assert/strict";
import { test } from "node:test";
import { runnerImport } from "vite";

const load = async (path) => (await runnerImport(new URL(`../src/${path}`, import.meta.url).pathname)).module;
const { route, stretch, shiftPiece, tidy } = await load("diagram/routing.ts");
const { SpatialIndex } = await load("diagram/spatial.ts");
const { freePlace } = await load("diagram/labels.ts");

const rightAngled = (points) => points.every(([x, y], i) => i === 0 || x === points[i - 1][0] || y === points[i - 1][1]);

test("a straight line stays straight", () => {
  assert.deepEqual(route([0, 0], "right", [40, 0], "left", []), [[0, 0], [40, 0]]);
});

test("lines leave and enter connectors in their directions", () => {
  let seed = 7;
  const random = () => ((seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648);
  const sides = ["left", "right", "top", "bottom"];
  const out = { left: [-1, 0], right: [1, 0], top: [0, 1], bottom: [0, -1] };
  for (let k = 0; k < 300; k++) {
    const at = () => [Math.round(random() * 100) * 2, Math.round(random() * 100) * 2];
    const [a, b] = [at(), at()];
    if (a[0] === b[0] && a[1] === b[1]) continue;
    const [s, t] = [sides[k % 4], sides[(k >> 2) % 4]];
    const points = route(a, s, b, t, []);
    assert.ok(rightAngled(points), JSON.stringify(points));
    const first = [Math.sign(points[1][0] - a[0]), Math.sign(points[1][1] - a[1])];
    const n = points.length;
    const last = [Math.sign(points[n - 2][0] - b[0]), Math.sign(points[n - 2][1] - b[1])];
    assert.deepEqual(first.map(Math.abs).concat(first), out[s].map(Math.abs).concat(out[s]));
    assert.deepEqual(last.map((v) => v + 0), out[t].map((v) => v + 0));
  }
});

test("a line goes around a component in its way", () => {
  const box = [40, -10, 60, 10];
  const points = route([0, 0], "right", [100, 0], "left", [box]);
  for (let i = 1; i < points.length; i++) {
    const [[ax, ay], [bx, by]] = [points[i - 1], points[i]];
    const through = Math.min(ax, bx) < 59 && Math.max(ax, bx) > 41 && Math.min(ay, by) < 9 && Math.max(ay, by) > -9;
    assert.ok(!through, JSON.stringify(points));
  }
});

test("a moved end keeps right angles", () => {
  const line = [[0, 0], [20, 0], [20, 40], [60, 40]];
  assert.deepEqual(stretch(line, [0, 10], null), [[0, 10], [20, 10], [20, 40], [60, 40]]);
  assert.deepEqual(stretch(line, [4, 4], [4, 4]), line.map(([x, y]) => [x + 4, y + 4]));
  assert.ok(rightAngled(stretch([[0, 0], [40, 0]], [0, 10], null)));
});

test("a piece is shifted sideways", () => {
  assert.deepEqual(shiftPiece([[0, 0], [20, 0], [20, 40], [60, 40]], 1, [6, 99]), [[0, 0], [26, 0], [26, 40], [60, 40]]);
  assert.deepEqual(tidy(shiftPiece([[0, 0], [40, 0]], 0, [0, 8])), [[0, 0], [0, 8], [40, 8], [40, 0]]);
});

test("the index finds what a search over all boxes finds", () => {
  let seed = 3;
  const random = () => ((seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648);
  const index = new SpatialIndex();
  const boxes = new Map();
  for (let k = 0; k < 2000; k++) {
    const [x, y, w, h] = [random() * 2000 - 1000, random() * 2000 - 1000, random() * 60, random() * 60];
    const id = `c${Math.floor(random() * 700)}`;
    if (random() < 0.2) {
      boxes.delete(id);
      index.delete(id);
    } else {
      boxes.set(id, [x, y, x + w, y + h]);
      index.set(id, [x, y, x + w, y + h]);
    }
    const q = [random() * 2000 - 1000, random() * 2000 - 1000];
    const query = [q[0], q[1], q[0] + random() * 300, q[1] + random() * 300];
    const expected = [...boxes].filter(([, b]) => b[0] <= query[2] && b[2] >= query[0] && b[1] <= query[3] && b[3] >= query[1]).map(([i]) => i);
    assert.deepEqual(index.query(query).sort(), expected.sort());
  }
});

test("values stand where nothing is written", () => {
  const part = [-10, -10, 10, 10];
  const overlap = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
  const free = freePlace(part, 16, 3, 3, [part]);
  assert.deepEqual(free, [-8, -13, 8, -10], "below the picture where there is room");
  // A text below, a line down from there, a name above: each is avoided.
  const obstacles = [part, [-12, -16, 12, -10], [-0.5, -60, 0.5, -10], [-12, 10, 12, 20]];
  const found = freePlace(part, 16, 3, 3, obstacles);
  assert.ok(obstacles.every((o) => !overlap(found, o)), JSON.stringify(found));
  // Where everything is full it still stands somewhere near.
  const full = freePlace(part, 16, 3, 3, [[-500, -500, 500, 500]]);
  assert.ok(Math.abs(full[0]) < 60 && Math.abs(full[1]) < 60);
});
