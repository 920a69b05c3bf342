// The page of an animation: three.js draws the shapes, uPlot a signal. Conventions of shapes are those of
// Modelica.Mechanics.MultiBody.Visualizers.Advanced.Shape: they begin at their origin and reach along the x axis by their
// length; width is along y, height along z.

import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import uPlot from "uplot";

const $ = (id) => document.getElementById(id);
const data = JSON.parse($("data").textContent);

function numbers(text) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return new Float32Array(bytes.buffer);
}

$("title").textContent = data.title;
const time = numbers(data.time);
const [start, stop] = [time[0] ?? 0, time[time.length - 1] ?? 1];

// Geometry of unit size: from 0 to 1 along x, from -1/2 to 1/2 along y and z.
const alongX = (g) => g.rotateZ(-Math.PI / 2).translate(0.5, 0, 0);
const makers = {
  box: () => new THREE.BoxGeometry(1, 1, 1).translate(0.5, 0, 0),
  beam: () => new THREE.BoxGeometry(1, 1, 1).translate(0.5, 0, 0),
  sphere: () => new THREE.SphereGeometry(0.5, 32, 20).translate(0.5, 0, 0),
  cylinder: () => alongX(new THREE.CylinderGeometry(0.5, 0.5, 1, 40)),
  cone: (extra) => alongX(new THREE.CylinderGeometry(0.5 * extra, 0.5, 1, 40)),
  pipe: (extra) => {
    const inner = 0.5 * Math.min(Math.max(extra, 0), 0.99);
    const ring = [[inner, -0.5], [0.5, -0.5], [0.5, 0.5], [inner, 0.5], [inner, -0.5]];
    return alongX(new THREE.LatheGeometry(ring.map(([x, y]) => new THREE.Vector2(x, y)), 40));
  },
  gearwheel: (extra) => {
    const teeth = Math.max(6, Math.abs(Math.round(extra)) || 20);
    const outline = new THREE.Shape();
    for (let i = 0; i < 4 * teeth; i++) {
      const angle = (i / (4 * teeth)) * 2 * Math.PI;
      const r = i % 4 < 2 ? 0.5 : 0.5 * (1 - 3 / teeth);
      outline[i ? "lineTo" : "moveTo"](r * Math.cos(angle), r * Math.sin(angle));
    }
    return new THREE.ExtrudeGeometry(outline, { depth: 1, bevelEnabled: false }).rotateY(Math.PI / 2);
  },
};
makers.pipecylinder = makers.pipe;

// A spring keeps its wire: `width` is its diameter, `height` that of the wire, `extra` the number of windings.
function spring(size) {
  const [length, width, height, windings] = size;
  const radius = Math.max((width - height) / 2, 1e-4);
  const turns = Math.max(windings, 1);
  const points = [];
  for (let i = 0; i <= turns * 24; i++) {
    const s = i / (turns * 24);
    const angle = s * turns * 2 * Math.PI;
    points.push(new THREE.Vector3(s * length, radius * Math.cos(angle), radius * Math.sin(angle)));
  }
  return new THREE.TubeGeometry(new THREE.CatmullRomCurve3(points), points.length, Math.max(height / 2, 1e-4), 8);
}

function channel(text, width) {
  const values = numbers(text);
  const rows = values.length / width;
  return { values, width, moves: rows > 1, row: (i) => values.subarray((rows > 1 ? i : 0) * width, (rows > 1 ? i + 1 : 1) * width) };
}

const scene = new THREE.Scene();
scene.background = new THREE.Color(matchMedia("(prefers-color-scheme: dark)").matches ? 0x1d2025 : 0xf4f5f7);
const camera = new THREE.PerspectiveCamera(40, 1, 0.001, 1e5);
camera.up.set(...data.up);
scene.add(new THREE.HemisphereLight(0xffffff, 0x667788, 2.2));
const sun = new THREE.DirectionalLight(0xffffff, 1.8);
camera.add(sun);
sun.position.set(1, 1, 1);
scene.add(camera);

// Shapes from files are where their coordinates say; flat faces.
const meshes = (data.meshes ?? []).map((m) => {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(numbers(m), 3));
  geometry.computeVertexNormals();
  return geometry;
});

const shapes = data.shapes.map((s) => {
  const shape = {
    name: s.name,
    kind: s.kind,
    position: channel(s.position, 3),
    rotation: channel(s.rotation, 4),
    size: channel(s.size, 4),
    color: channel(s.color, 3),
  };
  const size = shape.size.row(0);
  shape.material = new THREE.MeshStandardMaterial({ roughness: 0.55, metalness: 0.1, side: THREE.DoubleSide });
  const make = makers[s.kind] ?? makers.box;
  shape.file = meshes[s.mesh];
  const geometry = shape.file ?? (s.kind === "spring" ? spring(size) : make(size[3]));
  shape.mesh = new THREE.Mesh(geometry, shape.material);
  scene.add(shape.mesh);
  return shape;
});

const [a, b, p, q] = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Quaternion(), new THREE.Quaternion()];

// The row before an instant and how far it is to the next.
function at(t) {
  let [low, high] = [0, time.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (time[middle] <= t) low = middle;
    else high = middle;
  }
  const span = time[high] - time[low];
  return [low, high, span > 0 ? Math.min(Math.max((t - time[low]) / span, 0), 1) : 0];
}

function place(t) {
  const [low, high, part] = at(t);
  for (const s of shapes) {
    a.fromArray(s.position.row(low)).lerp(b.fromArray(s.position.row(high)), part);
    s.mesh.position.copy(a);
    p.fromArray(s.rotation.row(low)).slerp(q.fromArray(s.rotation.row(high)), part);
    s.mesh.quaternion.copy(p);
    const [from, to] = [s.size.row(low), s.size.row(high)];
    const size = [0, 1, 2, 3].map((i) => from[i] + (to[i] - from[i]) * part);
    // What has no extent has no normals either.
    const visible = (s.file && size[3] === 0) || (size[0] !== 0 && (s.kind === "spring" || (size[1] !== 0 && size[2] !== 0)));
    s.mesh.visible = visible;
    if (s.file && size[3] === 0) s.mesh.scale.set(1, 1, 1);
    else if (s.kind === "spring") {
      if (s.size.moves && visible) {
        s.mesh.geometry.dispose();
        s.mesh.geometry = spring(size);
      }
    } else if (visible) {
      s.mesh.scale.set(size[0], size[1], size[2]);
    }
    const color = s.color.row(part < 0.5 ? low : high);
    s.material.color.setRGB(color[0] / 255, color[1] / 255, color[2] / 255, THREE.SRGBColorSpace);
  }
}

const view = $("scene");
const renderer = new THREE.WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
view.append(renderer.domElement);
const controls = new OrbitControls(camera, renderer.domElement);
controls.enableDamping = true;

// All bodies at some instants, by the corners of the boxes around them, so that nothing leaves the picture.
function corners() {
  const found = [];
  for (let i = 0; i <= 20; i++) {
    place(start + ((stop - start) * i) / 20);
    for (const { mesh } of shapes) {
      if (!mesh.visible) continue;
      mesh.updateMatrixWorld();
      if (!mesh.geometry.boundingBox) mesh.geometry.computeBoundingBox();
      const { min, max } = mesh.geometry.boundingBox;
      for (const x of [min.x, max.x]) for (const y of [min.y, max.y]) for (const z of [min.z, max.z]) found.push(new THREE.Vector3(x, y, z).applyMatrix4(mesh.matrixWorld));
    }
  }
  return found.length ? found : [new THREE.Vector3(-1, -1, -1), new THREE.Vector3(1, 1, 1)];
}

function frame() {
  const all = corners();
  const box = new THREE.Box3().setFromPoints(all);
  const centre = box.getCenter(new THREE.Vector3());
  const radius = box.getSize(new THREE.Vector3()).length() / 2 || 1;
  const up = new THREE.Vector3(...data.up).normalize();
  const side = Math.abs(up.x) < 0.9 ? new THREE.Vector3(1, 0, 0) : new THREE.Vector3(0, 0, 1);
  const front = new THREE.Vector3().crossVectors(side, up).normalize();
  const direction = front.addScaledVector(up, 0.35).addScaledVector(side, 0.45).normalize();
  const right = new THREE.Vector3().crossVectors(up, direction).normalize();
  const above = new THREE.Vector3().crossVectors(direction, right);
  const half = Math.tan((camera.fov * Math.PI) / 360);
  const aspect = view.clientHeight ? view.clientWidth / view.clientHeight : 1;
  const target = centre.clone();
  const shift = new THREE.Vector3();
  let away = 0;
  // As near as all corners stay in the picture, and in its middle: what is near looks larger, so the middle is found by steps.
  for (let step = 0; step < 6; step++) {
    away = 0;
    for (const c of all) {
      shift.copy(c).sub(target);
      away = Math.max(away, shift.dot(direction) + Math.max(Math.abs(shift.dot(above)) / half, Math.abs(shift.dot(right)) / (half * aspect)));
    }
    let [left, rightmost, bottom, top] = [Infinity, -Infinity, Infinity, -Infinity];
    for (const c of all) {
      shift.copy(c).sub(target);
      const depth = Math.max(away - shift.dot(direction), 1e-9);
      const [x, y] = [shift.dot(right) / depth, shift.dot(above) / depth];
      [left, rightmost, bottom, top] = [Math.min(left, x), Math.max(rightmost, x), Math.min(bottom, y), Math.max(top, y)];
    }
    target.addScaledVector(right, ((left + rightmost) / 2) * away).addScaledVector(above, ((bottom + top) / 2) * away);
  }
  controls.target.copy(target);
  camera.position.copy(target).addScaledVector(direction, 1.08 * away);
  camera.near = radius / 500;
  camera.far = radius * 100;
  const grid = new THREE.GridHelper(4 * radius, 20, 0x99a0aa, 0xc4c9d0);
  grid.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), up);
  const lowest = Math.min(...[box.min, box.max].map((v) => v.dot(up)));
  grid.position.copy(centre).addScaledVector(up, lowest - centre.dot(up));
  scene.add(grid);
}

let traces = [];
function showTraces(on) {
  traces.forEach((t) => { scene.remove(t); t.geometry.dispose(); });
  traces = [];
  if (!on) return;
  for (const s of shapes.filter((s) => s.position.moves)) {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(s.position.values, 3));
    const color = s.color.row(0);
    const material = new THREE.LineBasicMaterial({ color: new THREE.Color().setRGB(color[0] / 255, color[1] / 255, color[2] / 255, THREE.SRGBColorSpace) });
    const line = new THREE.Line(geometry, material);
    scene.add(line);
    traces.push(line);
  }
}

// The plot, and its cursor at the time of the picture.
const signals = data.signals.map((s) => ({ ...s, values: numbers(s.values) }));
let plot;
let now = start;
function drawPlot() {
  plot?.destroy();
  plot = undefined;
  const signal = signals[$("signal").selectedIndex];
  if (!signal) { $("plot").style.display = "none"; return; }
  const label = signal.unit ? `${signal.name} [${signal.unit}]` : signal.name;
  const style = getComputedStyle(document.documentElement);
  const text = getComputedStyle(document.body).color;
  const font = "12px system-ui, sans-serif";
  const axis = { stroke: text, font, labelFont: font, grid: { stroke: "#8883", width: 1 }, ticks: { stroke: "#8883", width: 1 } };
  plot = new uPlot({
    width: $("plot").clientWidth,
    height: $("plot").clientHeight,
    // Points keep their places between pixels: rounded to whole ones, curves become stairs.
    pxAlign: 0,
    padding: [10, 16, 0, 0],
    legend: { show: false },
    scales: { x: { time: false } },
    axes: [{ ...axis, label: "time [s]", size: 30, labelSize: 18 }, { ...axis, size: 60, label, labelSize: 18 }],
    series: [{}, { label, stroke: style.getPropertyValue("--curve"), width: 1.75, points: { show: false } }],
    cursor: { drag: { x: false, y: false } },
    hooks: {
      draw: [(u) => {
        const x = u.valToPos(now, "x", true);
        u.ctx.save();
        u.ctx.strokeStyle = text;
        u.ctx.lineWidth = 1.5 * devicePixelRatio;
        u.ctx.beginPath();
        u.ctx.moveTo(x, u.bbox.top);
        u.ctx.lineTo(x, u.bbox.top + u.bbox.height);
        u.ctx.stroke();
        u.ctx.restore();
      }],
    },
  }, [Array.from(time), Array.from(signal.values)], $("plot"));
  plot.over.addEventListener("pointerdown", (e) => { pause(); show(plot.posToVal(e.offsetX, "x")); });
  plot.over.addEventListener("pointermove", (e) => { if (e.buttons) show(plot.posToVal(e.offsetX, "x")); });
}

let playing = true;
function pause(on = true) {
  playing = !on;
  $("play").setAttribute("aria-label", playing ? "Pause" : "Play");
  $("glyph").setAttribute("d", playing ? "M4 3h3v10H4zM9 3h3v10H9z" : "M4 2.5v11l9-5.5z");
}

const followed = new THREE.Vector3();
function show(t) {
  now = Math.min(Math.max(t, start), stop);
  place(now);
  const target = shapes[Number($("follow").value)];
  if ($("follow").value !== "" && target) {
    const shift = target.mesh.position.clone().sub(followed);
    camera.position.add(shift);
    controls.target.add(shift);
    followed.copy(target.mesh.position);
  }
  // What tests and assistive programs can read.
  document.body.dataset.shapes = shapes.filter((s) => s.mesh.visible).length;
  const centre = shapes.length ? new THREE.Box3().setFromObject(shapes[0].mesh).getCenter(a) : a.set(0, 0, 0);
  document.body.dataset.first = centre.toArray().map((x) => (Math.abs(x) < 5e-3 ? 0 : x).toFixed(2)).join(" ");
  $("slider").value = now;
  $("clock").textContent = `${now.toFixed(3)} s`;
  plot?.redraw(false);
}

function resize() {
  const [w, h] = [view.clientWidth, view.clientHeight];
  renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
  renderer.setSize(w, h);
  camera.aspect = w / h;
  camera.updateProjectionMatrix();
  plot?.setSize({ width: $("plot").clientWidth, height: $("plot").clientHeight });
}

$("slider").min = start;
$("slider").max = stop;
$("slider").addEventListener("input", (e) => { pause(); show(Number(e.target.value)); });
$("play").addEventListener("click", () => { if (!playing && now >= stop) show(start); pause(playing); });
$("traces").addEventListener("change", (e) => showTraces(e.target.checked));
$("follow").addEventListener("change", () => {
  const target = shapes[Number($("follow").value)];
  if (target) followed.copy(target.mesh.position);
});
$("signal").addEventListener("change", drawPlot);
addEventListener("keydown", (e) => {
  if (e.target.matches?.("select, input, button")) return;
  if (e.key === " ") { e.preventDefault(); $("play").click(); }
  if (e.key === "ArrowRight" || e.key === "ArrowLeft") { pause(); show(now + ((e.key === "ArrowRight" ? 1 : -1) * (stop - start)) / 200); }
});
shapes.forEach((s, i) => { if (s.position.moves) $("follow").add(new Option(s.name, i)); });
signals.forEach((s) => $("signal").add(new Option(s.name)));
frame();
drawPlot();
resize();
show(start);
new ResizeObserver(resize).observe(view);

// `#t=1.5` shows one instant and does not move.
const fixed = /#t=([-\d.e]+)/.exec(location.hash);
if (fixed) { pause(); show(Number(fixed[1])); }
let last = performance.now();
renderer.setAnimationLoop((clock) => {
  const passed = Math.max(clock - last, 0) / 1000;
  last = clock;
  if (playing) show(now >= stop ? start : now + passed * Number($("speed").value));
  controls.update();
  renderer.render(scene, camera);
  document.body.dataset.frames = renderer.info.render.frame;
});
