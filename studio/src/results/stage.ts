// Shapes that move, drawn by three.js. Conventions of shapes are those of
// Modelica.Mechanics.MultiBody.Visualizers.Advanced.Shape: they begin at their origin and reach along the x axis by their
// length; width is along y, height along z.

import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { type Scene, unpack } from "../api";

interface Channel { values: Float32Array; width: number; rows: number }
interface Body { name: string; kind: string; position: Channel; rotation: Channel; size: Channel; color: Channel; mesh: THREE.Mesh; material: THREE.MeshStandardMaterial; file: boolean }

const channel = (packed: string, width: number): Channel => {
  const values = unpack(packed);
  return { values, width, rows: values.length / width };
};
const at = (c: Channel, row: number, k: number): number => c.values[(c.rows > 1 ? row : 0) * c.width + k] ?? 0;

// Geometry of unit size: from 0 to 1 along x, from -1/2 to 1/2 along y and z.
const alongX = <G extends THREE.BufferGeometry>(g: G): G => g.rotateZ(-Math.PI / 2).translate(0.5, 0, 0) as G;

function geometry(kind: string, size: number[]): THREE.BufferGeometry {
  const extra = size[3] ?? 0;
  switch (kind) {
    case "sphere":
      return new THREE.SphereGeometry(0.5, 32, 20).translate(0.5, 0, 0);
    case "cylinder":
      return alongX(new THREE.CylinderGeometry(0.5, 0.5, 1, 40));
    case "cone":
      return alongX(new THREE.CylinderGeometry(0.5 * extra, 0.5, 1, 40));
    case "pipe":
    case "pipecylinder": {
      const inner = 0.5 * Math.min(Math.max(extra, 0), 0.99);
      const ring = [[inner, -0.5], [0.5, -0.5], [0.5, 0.5], [inner, 0.5], [inner, -0.5]];
      return alongX(new THREE.LatheGeometry(ring.map(([x, y]) => new THREE.Vector2(x, y)), 40));
    }
    case "gearwheel": {
      const teeth = Math.max(6, Math.abs(Math.round(extra)) || 20);
      const rim = new THREE.Shape();
      for (let i = 0; i < 4 * teeth; i++) {
        const angle = (i / (4 * teeth)) * 2 * Math.PI;
        const r = i % 4 < 2 ? 0.5 : 0.5 * (1 - 3 / teeth);
        if (i) rim.lineTo(r * Math.cos(angle), r * Math.sin(angle));
        else rim.moveTo(r * Math.cos(angle), r * Math.sin(angle));
      }
      return new THREE.ExtrudeGeometry(rim, { depth: 1, bevelEnabled: false }).rotateY(Math.PI / 2);
    }
    case "spring": {
      // A spring keeps its wire: width is its diameter, height that of the wire, extra the number of windings.
      const [length, width, height] = [size[0] ?? 1, size[1] ?? 0.1, size[2] ?? 0.01];
      const radius = Math.max((width - height) / 2, 1e-4);
      const turns = Math.max(extra, 1);
      const points: THREE.Vector3[] = [];
      for (let i = 0; i <= turns * 16; i++) {
        const s = i / (turns * 16);
        const angle = s * turns * 2 * Math.PI;
        points.push(new THREE.Vector3(s * length, radius * Math.cos(angle), radius * Math.sin(angle)));
      }
      return new THREE.TubeGeometry(new THREE.CatmullRomCurve3(points), points.length, Math.max(height / 2, 1e-4), 6);
    }
    default:
      return new THREE.BoxGeometry(1, 1, 1).translate(0.5, 0, 0);
  }
}

export class Stage {
  private readonly scene = new THREE.Scene();
  private readonly camera = new THREE.PerspectiveCamera(40, 1, 0.001, 1e5);
  private readonly renderer: THREE.WebGLRenderer;
  private readonly controls: OrbitControls;
  private readonly observer: ResizeObserver;
  private bodies: Body[] = [];
  private time = new Float32Array();
  private up: [number, number, number] = [0, 1, 0];
  private grid: THREE.GridHelper | null = null;
  private lines: THREE.Line[] = [];
  private dirty = true;
  /** Everything is in the picture, and nobody turned it since: so it stays when the size changes. */
  private whole = false;
  private playing = false;
  private previous = 0;
  private followed = "";
  private readonly lastFollowed = new THREE.Vector3();
  private shown = 0;
  private title = "";
  /** Frames drawn, for measurements. */
  frames = 0;
  speed = 1;
  onTime: (t: number) => void = () => undefined;
  onEnd: () => void = () => undefined;

  constructor(private readonly host: HTMLElement, data: Scene) {
    this.renderer = new THREE.WebGLRenderer({ antialias: true });
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    host.append(this.renderer.domElement);
    this.scene.add(new THREE.HemisphereLight(0xffffff, 0x667788, 2.2));
    const sun = new THREE.DirectionalLight(0xffffff, 1.8);
    sun.position.set(1, 1, 1);
    this.camera.add(sun);
    this.scene.add(this.camera);
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.addEventListener("change", () => (this.dirty = true));
    this.controls.addEventListener("start", () => (this.whole = false));
    this.load(data);
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(host);
    this.resize();
    this.renderer.setAnimationLoop((clock) => this.frame(clock));
  }

  get start(): number { return this.time[0] ?? 0; }
  get stop(): number { return this.time[this.time.length - 1] ?? 1; }

  load(data: Scene): void {
    const fresh = data.title !== this.title || data.shapes.length !== this.bodies.length;
    this.title = data.title;
    for (const b of this.bodies) {
      this.scene.remove(b.mesh);
      b.mesh.geometry.dispose();
      b.material.dispose();
    }
    this.time = unpack(data.time) as Float32Array<ArrayBuffer>;
    this.up = data.up;
    this.camera.up.set(...data.up);
    // Shapes from files are where their coordinates say; flat faces.
    const files = data.meshes.map((m) => {
      const g = new THREE.BufferGeometry();
      g.setAttribute("position", new THREE.BufferAttribute(unpack(m), 3));
      g.computeVertexNormals();
      return g;
    });
    this.bodies = data.shapes.map((s) => {
      const size = channel(s.size, 4);
      const material = new THREE.MeshStandardMaterial({ roughness: 0.55, metalness: 0.1, side: THREE.DoubleSide });
      const file = s.mesh === undefined ? undefined : files[s.mesh];
      const mesh = new THREE.Mesh(file ?? geometry(s.kind, [0, 1, 2, 3].map((k) => at(size, 0, k))), material);
      this.scene.add(mesh);
      const body: Body = { name: s.name, kind: s.kind, position: channel(s.position, 3), rotation: channel(s.rotation, 4), size, color: channel(s.color, 3), mesh, material, file: file !== undefined };
      return body;
    });
    this.trace(this.lines.length > 0);
    if (fresh) this.fit();
    this.show(this.shown);
  }

  moving(): string[] {
    return this.bodies.filter((b) => b.position.rows > 1).map((b) => b.name);
  }

  private row(t: number): [number, number, number] {
    let [low, high] = [0, Math.max(this.time.length - 1, 0)];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.time[middle]! <= t) low = middle;
      else high = middle;
    }
    const span = this.time[high]! - this.time[low]!;
    return [low, high, span > 0 ? Math.min(Math.max((t - this.time[low]!) / span, 0), 1) : 0];
  }

  private place(t: number): void {
    const [low, high, part] = this.row(t);
    const mix = (c: Channel, k: number): number => at(c, low, k) + (at(c, high, k) - at(c, low, k)) * part;
    const [p, q] = [new THREE.Quaternion(), new THREE.Quaternion()];
    for (const b of this.bodies) {
      b.mesh.position.set(mix(b.position, 0), mix(b.position, 1), mix(b.position, 2));
      p.set(at(b.rotation, low, 0), at(b.rotation, low, 1), at(b.rotation, low, 2), at(b.rotation, low, 3));
      q.set(at(b.rotation, high, 0), at(b.rotation, high, 1), at(b.rotation, high, 2), at(b.rotation, high, 3));
      b.mesh.quaternion.copy(p.slerp(q, part));
      const size = [mix(b.size, 0), mix(b.size, 1), mix(b.size, 2), mix(b.size, 3)];
      // What has no extent has no normals either.
      const unscaled = b.file && size[3] === 0;
      b.mesh.visible = unscaled || (size[0] !== 0 && (b.kind === "spring" || (size[1] !== 0 && size[2] !== 0)));
      if (unscaled) b.mesh.scale.set(1, 1, 1);
      else if (b.kind === "spring") {
        if (b.size.rows > 1 && b.mesh.visible) {
          b.mesh.geometry.dispose();
          b.mesh.geometry = geometry("spring", size);
        }
      } else if (b.mesh.visible) b.mesh.scale.set(size[0]!, size[1]!, size[2]!);
      const row = part < 0.5 ? low : high;
      b.material.color.setRGB(at(b.color, row, 0) / 255, at(b.color, row, 1) / 255, at(b.color, row, 2) / 255, THREE.SRGBColorSpace);
    }
  }

  show(t: number): void {
    this.shown = Math.min(Math.max(t, this.start), this.stop);
    this.place(this.shown);
    const target = this.bodies.find((b) => b.name === this.followed);
    if (target) {
      const shift = target.mesh.position.clone().sub(this.lastFollowed);
      this.camera.position.add(shift);
      this.controls.target.add(shift);
      this.lastFollowed.copy(target.mesh.position);
    }
    this.dirty = true;
  }

  follow(name: string): void {
    this.followed = name;
    const target = this.bodies.find((b) => b.name === name);
    if (target) this.lastFollowed.copy(target.mesh.position);
  }

  trace(on: boolean): void {
    for (const l of this.lines) {
      this.scene.remove(l);
      l.geometry.dispose();
    }
    this.lines = [];
    if (on) {
      for (const b of this.bodies.filter((x) => x.position.rows > 1)) {
        const g = new THREE.BufferGeometry();
        g.setAttribute("position", new THREE.BufferAttribute(b.position.values, 3));
        const line = new THREE.Line(g, new THREE.LineBasicMaterial({ color: new THREE.Color().setRGB(at(b.color, 0, 0) / 255, at(b.color, 0, 1) / 255, at(b.color, 0, 2) / 255, THREE.SRGBColorSpace) }));
        this.scene.add(line);
        this.lines.push(line);
      }
    }
    this.dirty = true;
  }

  play(on: boolean): void {
    this.playing = on;
    this.previous = performance.now();
  }

  dark(on: boolean): void {
    this.scene.background = new THREE.Color(on ? 0x1a1d22 : 0xf4f5f7);
    if (this.grid) (this.grid.material as THREE.Material).opacity = on ? 0.25 : 0.7;
    this.dirty = true;
  }

  /** All bodies at some instants, by the corners of the boxes around them, so that nothing leaves the picture. */
  private corners(): THREE.Vector3[] {
    const found: THREE.Vector3[] = [];
    for (let i = 0; i <= 16; i++) {
      this.place(this.start + ((this.stop - this.start) * i) / 16);
      for (const b of this.bodies) {
        if (!b.mesh.visible) continue;
        b.mesh.updateMatrixWorld();
        if (!b.mesh.geometry.boundingBox) b.mesh.geometry.computeBoundingBox();
        const { min, max } = b.mesh.geometry.boundingBox!;
        for (const x of [min.x, max.x]) for (const y of [min.y, max.y]) for (const z of [min.z, max.z]) found.push(new THREE.Vector3(x, y, z).applyMatrix4(b.mesh.matrixWorld));
      }
    }
    return found.length ? found : [new THREE.Vector3(-1, -1, -1), new THREE.Vector3(1, 1, 1)];
  }

  fit(): void {
    const corners = this.corners();
    const box = new THREE.Box3().setFromPoints(corners);
    const centre = box.getCenter(new THREE.Vector3());
    const radius = box.getSize(new THREE.Vector3()).length() / 2 || 1;
    const up = new THREE.Vector3(...this.up).normalize();
    const side = Math.abs(up.x) < 0.9 ? new THREE.Vector3(1, 0, 0) : new THREE.Vector3(0, 0, 1);
    const front = new THREE.Vector3().crossVectors(side, up).normalize();
    const direction = front.addScaledVector(up, 0.35).addScaledVector(side, 0.45).normalize();
    const right = new THREE.Vector3().crossVectors(up, direction).normalize();
    const above = new THREE.Vector3().crossVectors(direction, right);
    const half = Math.tan((this.camera.fov * Math.PI) / 360);
    const target = centre.clone();
    const shift = new THREE.Vector3();
    let away = 0;
    // As near as all corners stay in the picture, and in its middle: what is near looks larger, so the middle is found by steps.
    for (let step = 0; step < 6; step++) {
      away = 0;
      for (const c of corners) {
        shift.copy(c).sub(target);
        away = Math.max(away, shift.dot(direction) + Math.max(Math.abs(shift.dot(above)) / half, Math.abs(shift.dot(right)) / (half * this.camera.aspect)));
      }
      let [left, rightmost, bottom, top] = [Infinity, -Infinity, Infinity, -Infinity];
      for (const c of corners) {
        shift.copy(c).sub(target);
        const depth = Math.max(away - shift.dot(direction), 1e-9);
        const [x, y] = [shift.dot(right) / depth, shift.dot(above) / depth];
        [left, rightmost, bottom, top] = [Math.min(left, x), Math.max(rightmost, x), Math.min(bottom, y), Math.max(top, y)];
      }
      target.addScaledVector(right, ((left + rightmost) / 2) * away).addScaledVector(above, ((bottom + top) / 2) * away);
    }
    this.controls.target.copy(target);
    this.camera.position.copy(target).addScaledVector(direction, 1.08 * away);
    this.camera.near = radius / 500;
    this.camera.far = radius * 100;
    this.camera.updateProjectionMatrix();
    if (this.grid) this.scene.remove(this.grid);
    this.grid = new THREE.GridHelper(4 * radius, 20, 0x99a0aa, 0xc4c9d0);
    (this.grid.material as THREE.Material).transparent = true;
    this.grid.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), up);
    const lowest = Math.min(...[box.min, box.max].map((v) => v.dot(up)));
    this.grid.position.copy(centre).addScaledVector(up, lowest - centre.dot(up));
    this.scene.add(this.grid);
    this.controls.update();
    this.show(this.shown);
    this.whole = true;
  }

  private resize(): void {
    const [w, h] = [this.host.clientWidth, this.host.clientHeight];
    if (!w || !h) return;
    this.renderer.setSize(w, h, false);
    this.camera.aspect = w / h;
    this.camera.updateProjectionMatrix();
    if (this.whole && !this.followed) this.fit();
    this.dirty = true;
  }

  private frame(clock: number): void {
    const passed = Math.min(Math.max(clock - this.previous, 0), 200) / 1000;
    this.previous = clock;
    if (this.playing) {
      const t = this.shown + passed * this.speed;
      if (t >= this.stop) {
        this.onTime(this.stop);
        this.playing = false;
        this.onEnd();
      } else this.onTime(t);
    }
    this.controls.update();
    if (!this.dirty) return;
    this.dirty = false;
    this.renderer.render(this.scene, this.camera);
    this.frames++;
    this.host.dataset.frames = String(this.frames);
    this.host.dataset.shapes = String(this.bodies.filter((b) => b.mesh.visible).length);
  }

  dispose(): void {
    this.renderer.setAnimationLoop(null);
    this.observer.disconnect();
    this.controls.dispose();
    this.renderer.dispose();
    this.renderer.domElement.remove();
  }
}
