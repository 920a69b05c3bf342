// What people do in the studio, in Chromium, against the built program. `--pictures` writes the pictures of the guide;
// `--only WORD` runs the cases whose name has the word; `--page DIR` shows another build of the page.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { bigModel, evilModel, longModel, lowpassModel, oddModel, optionalModel, rcModel } from "./models.mjs";
import { plots } from "./plots.mjs";

const option = (name) => (process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + 1] ?? "" : undefined);
const pictures = process.argv.includes("--pictures");
const only = option("--only");
const folder = mkdtempSync(join(tmpdir(), "kausal-studio-"));
const git = (...args) => execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", "-C", folder, ...args], { encoding: "utf8" });
writeFileSync(join(folder, "Odd.mo"), oddModel);
writeFileSync(join(folder, "Charge.mo"), rcModel);
writeFileSync(join(folder, "Evil.mo"), evilModel);
writeFileSync(join(folder, "Long.mo"), longModel);
writeFileSync(join(folder, "Lowpass.mo"), lowpassModel);
writeFileSync(join(folder, "Optional.mo"), optionalModel);
writeFileSync(join(folder, "Big.mo"), bigModel(2000, 3000));
git("init", "-q");
git("add", ".");
git("commit", "-qm", "first");

// ------------------------------------------------------------ server and browser

const page_ = option("--page") ?? join(import.meta.dirname, "../dist");
const server = spawn(process.env.KAUSAL ?? "kausal", ["studio", folder, "--no-browser", "--port", "0", "--page", page_], { stdio: ["ignore", "pipe", "pipe"] });
let said = "";
const address = await new Promise((found, failed) => {
  const look = (data) => {
    said += data;
    const at = /http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]+/.exec(said);
    if (at) found(at[0]);
  };
  server.stdout.on("data", look);
  server.stderr.on("data", look);
  server.on("exit", (code) => failed(new Error(`kausal studio ended with ${code}: ${said}`)));
  setTimeout(() => failed(new Error(`kausal studio printed no address: ${said}`)), 20000);
});
const origin = new URL(address).origin;
const token = new URL(address).hash.slice(7);
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, colorScheme: "light" });
const page = await context.newPage();
const complaints = [];
page.on("response", (r) => r.status() === 422 && process.env.TALK && console.log("422", r.url(), r.request().postData()));
page.on("pageerror", (e) => complaints.push(`${e.message}\n${e.stack}`));
page.on("console", (m) => m.type() === "error" && !/status of 4\d\d/.test(m.text()) && complaints.push(m.text()));
page.on("request", (r) => !r.url().startsWith(origin) && !/^(data|blob):/.test(r.url()) && complaints.push(`loads ${r.url()}`));
await page.goto(address);
await page.locator('[role="tree"] .node').first().waitFor();

// ------------------------------------------------------------ helpers

const cases = [];
const test = (name, run) => cases.push([name, run]);
const until = async (what, look, limit = 15000) => {
  const begin = Date.now();
  for (;;) {
    const value = await look().catch(() => undefined);
    if (value) return value;
    if (Date.now() - begin > limit) throw new Error(`not seen within ${limit} ms: ${what}`);
    await page.waitForTimeout(25);
  }
};
const doc = (name) => page.evaluate((n) => {
  const d = globalThis.kausal.classOf(n);
  return { parts: [...d.components.keys()], wires: [...d.connections.keys()], selected: d.components_selected.value, places: Object.fromEntries([...d.components].map(([k, c]) => [k, c.placement?.center])) };
}, name);
const openClass = async (name) => {
  await page.keyboard.press("Control+p");
  await page.locator('dialog input[aria-label="Open a class"]').fill(name);
  await page.locator(`dialog .item:has-text("${name}")`).first().waitFor();
  await page.keyboard.press("Enter");
  await until(`diagram of ${name}`, () => page.evaluate((n) => globalThis.kausal.classOf(n).diagram !== null, name));
};
/** Where an end of a connection or a component is on the screen. */
const place = (name, end) => page.evaluate(([n, e]) => {
  const { canvas } = globalThis.kausal.gesturesOf(n);
  const [x, y] = canvas.toPixels(canvas.endPosition(e) ?? canvas.parts.get(e).at);
  const r = canvas.host.getBoundingClientRect();
  return [r.left + x, r.top + y];
}, [name, end]);
const drag = async ([x0, y0], [x1, y1]) => {
  await page.mouse.move(x0, y0);
  await page.mouse.down();
  await page.mouse.move((x0 + x1) / 2, (y0 + y1) / 2, { steps: 4 });
  await page.mouse.move(x1, y1, { steps: 3 });
  await page.mouse.up();
};
const diagram = () => page.locator('[data-testid="diagram"]');
const settled = () => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
const shot = async (name) => {
  if (!pictures) return;
  await page.mouse.move(720, 20);
  await until("no notice", async () => (await page.locator(".toast").count()) === 0);
  await page.waitForTimeout(500);
  mkdirSync(join(import.meta.dirname, "../../docs/src/pictures"), { recursive: true });
  await page.screenshot({ path: join(import.meta.dirname, `../../docs/src/pictures/studio-${name}.png`) });
};
const api = async (name, body, headers = {}) => {
  const answer = await fetch(`${origin}/api/${name}`, { method: "POST", headers: { "Content-Type": "application/json", "X-Kausal-Token": token, ...headers }, body: typeof body === "string" ? body : JSON.stringify(body) });
  return { status: answer.status, data: await answer.json().catch(() => null) };
};
const curve = () => page.evaluate(() => {
  const d = document.querySelector('[data-testid="plot"]')?.dataset;
  return d && Number(d.curves) > 0 && Number(d.points) > 10 ? { last: Number(d.last), points: Number(d.points) } : null;
});
/** Opens a model, and runs it where no run of it is there. */
const ran = async (name) => {
  await openClass(name);
  const done = () => page.evaluate((n) => globalThis.kausal.runs.value.some((r) => r.info.value.class === n && r.info.value.state === "done" && r.variables.value.length > 0), name);
  if (await done()) return;
  await diagram().focus();
  await page.keyboard.press("F5");
  await until(`a run of ${name}`, done, 60000);
};
const figures = [];
/** Milliseconds of processor that the page's thread and the server have had: on a busy machine these say what an answer takes. */
const cdp = await context.newCDPSession(page);
await cdp.send("Performance.enable", { timeDomain: "threadTicks" });
const spent = async () => {
  const { metrics } = await cdp.send("Performance.getMetrics");
  const [user, system] = readFileSync(`/proc/${server.pid}/stat`, "utf8").split(") ")[1].split(" ").slice(11, 13).map(Number);
  return { page: 1000 * metrics.find((m) => m.name === "TaskDuration").value, server: 10 * (user + system) };
};
const since = async (before) => {
  const after = await spent();
  return { page: after.page - before.page, server: after.server - before.server };
};

// ------------------------------------------------------------ cases

test("build an RC circuit from an empty model and see the curve", async () => {
  await page.keyboard.press("Control+m");
  await page.locator("#new-name").fill("Built");
  await page.keyboard.press("Enter");
  await diagram().waitFor();
  await until("the new model", () => page.evaluate(() => globalThis.kausal.classOf("Built").diagram?.editable));
  await until("a canvas", () => page.evaluate(() => !!globalThis.kausal.gesturesOf("Built")));
  // With the mouse: from the tree.
  await page.locator("#library-search").fill("Kausal.Electrical.Resistor");
  const row = page.locator('.node[data-class="Kausal.Electrical.Resistor"]');
  await row.waitFor();
  const [r, c] = [await row.boundingBox(), await diagram().boundingBox()];
  const at = await page.evaluate(() => { const g = globalThis.kausal.gesturesOf("Built"); const [x, y] = g.canvas.toPixels([0, 40]); const b = g.canvas.host.getBoundingClientRect(); return [b.left + x, b.top + y]; });
  assert.ok(c && r);
  await drag([r.x + 40, r.y + 12], at);
  await until("a resistor", async () => (await doc("Built")).parts.includes("resistor"));
  assert.deepEqual((await doc("Built")).places.resistor, [0, 40]);
  await page.locator("#library-search").fill("");
  // With the keyboard: by name.
  for (const [type, name, moves] of [["Kausal.Electrical.Sources.ConstantVoltage", "", [-40, 0]], ["Kausal.Electrical.Capacitor", "capacitor", [40, 0]], ["Kausal.Electrical.Ground", "ground", [-40, -40]]]) {
    const before = (await doc("Built")).parts.length;
    await diagram().focus();
    await page.keyboard.press("a");
    await page.locator('dialog input[aria-label="Add a component"]').fill(type);
    await page.locator(`dialog .item:has-text("${type}")`).first().waitFor();
    await page.keyboard.press("Enter");
    const now = await until(type, async () => { const d = await doc("Built"); return d.parts.length > before && d.selected.length === 1 ? d : null; });
    const added = now.selected[0];
    if (name) assert.equal(added, name);
    if (type.endsWith("Voltage")) {
      await page.keyboard.press("F2");
      await page.locator('input[aria-label="New name"]').fill("source");
      await page.keyboard.press("Enter");
      await until("its new name", async () => (await doc("Built")).selected[0] === "source");
    }
    const id = (await doc("Built")).selected[0];
    if (!type.endsWith("Ground")) {
      await diagram().focus();
      await page.keyboard.press("Shift+R");
      await until("the turn", () => page.evaluate((n) => Math.abs(globalThis.kausal.classOf("Built").components.get(n).placement.rotation) % 360 !== 0, id));
    }
    await drag(await place("Built", id), await page.evaluate((m) => { const g = globalThis.kausal.gesturesOf("Built"); const [x, y] = g.canvas.toPixels(m); const b = g.canvas.host.getBoundingClientRect(); return [b.left + x, b.top + y]; }, moves));
    await until(`${id} in its place`, async () => { const p = (await doc("Built")).places[id]; return p[0] === moves[0] && p[1] === moves[1]; });
  }
  // From connector to connector; one with the keyboard.
  const connect = async (a, b) => {
    const before = (await doc("Built")).wires.length;
    await page.keyboard.press("Escape");
    await drag(await place("Built", a), await place("Built", b));
    await until(`${a} — ${b}`, async () => { const d = await doc("Built"); return d.wires.length > before && !d.wires.includes("new line"); });
  };
  await connect("source.p", "resistor.p");
  await connect("resistor.n", "capacitor.p");
  await connect("capacitor.n", "source.n");
  // Selected with the mouse.
  const pick = async (part) => {
    await page.keyboard.press("Escape");
    await page.mouse.click(...(await place("Built", part)));
    await until(`${part} selected`, async () => (await doc("Built")).selected.join() === part);
  };
  await pick("ground");
  await diagram().focus();
  await page.keyboard.press("c");
  await page.locator('.menu button:has-text("source.n")').click();
  await until("the ground", async () => (await doc("Built")).wires.length === 4 && !(await doc("Built")).wires.includes("new line"));
  // Parameters.
  for (const [part, parameter, value] of [["resistor", "R", "1000"], ["capacitor", "C", "0.001"], ["source", "V", "10"]]) {
    await pick(part);
    const field = page.locator(`.prow[data-parameter="${parameter}"] input`).first();
    await until(`parameters of ${part}`, () => page.locator(`.params .who b:has-text("${part}")`).count());
    await field.fill(value);
    await field.press("Enter");
    await until(`${part}.${parameter} in the text`, async () => (await page.evaluate(() => globalThis.kausal.classOf("Built").text.load().then(() => globalThis.kausal.classOf("Built").text.shown.toString()))).includes(`${parameter}=${value}`) || (await page.evaluate(() => globalThis.kausal.classOf("Built").text.shown.toString())).includes(`${parameter} = ${value}`));
  }
  await page.keyboard.press("F6");
  await page.locator("#exp-stop").fill("5");
  await page.keyboard.press("Enter");
  await diagram().focus();
  await page.keyboard.press("F5");
  await until("a curve", curve);
  await page.locator("#variable-search").fill("capacitor.v");
  const box = page.locator('.vrow[data-variable="capacitor.v"] input[type="checkbox"]');
  await box.waitFor();
  if (!(await box.isChecked())) await box.check();
  await page.locator("#variable-search").fill("");
  // 10·(1 − e^(−5)) after five time constants.
  const end = await page.evaluate(async () => {
    for (let i = 0; i < 100; i++) {
      const run = globalThis.kausal.runs.value.at(-1);
      const c = run.curves.get("capacitor.v");
      if (c && c.values.length > 10) return c.values[c.values.length - 1];
      await new Promise((d) => setTimeout(d, 50));
    }
    return NaN;
  });
  assert.ok(Math.abs(end - 10 * (1 - Math.exp(-5))) < 1e-3, `capacitor.v ends at ${end}`);
  await diagram().focus();
  await page.keyboard.press("Escape");
  await page.keyboard.press("f");
  await page.keyboard.press("Tab");
  await shot("circuit");
});

/** Drags a slider along and says how long each curve took. */
async function slides(name, path, limit) {
  await page.evaluate(async ([n, p]) => {
    const { chosen, runs, addSlider, sliders } = globalThis.kausal;
    sliders.value = [];
    const run = runs.value.find((r) => r.info.value.class === n);
    chosen.value = run.number;
    addSlider(run.byName.value.get(p));
  }, [name, path]);
  const slider = page.locator(`input[data-slider="${path}"]`);
  /** All curves of the first plot, as a number. */
  const shown = () => page.evaluate(() => globalThis.kausal.plots.value[0].series.reduce((sum, s) => sum + (globalThis.kausal.current.value.curves.get(s.name)?.values.reduce((a, v) => a + v * v, 0) ?? 0), 0));
  await slider.waitFor();
  const b = await slider.boundingBox();
  const before = await shown();
  await page.mouse.move(b.x + b.width * 0.35, b.y + b.height / 2);
  await page.mouse.down();
  const times = [];
  const start = await spent();
  for (let k = 0; k < 12; k++) {
    await page.evaluate(() => (globalThis.kausal.latency.value = 0));
    await page.mouse.move(b.x + b.width * (0.36 + 0.04 * k), b.y + b.height / 2);
    times.push(await until("a new curve", () => page.evaluate(() => globalThis.kausal.latency.value), 8000));
  }
  const used = await since(start);
  const cost = (used.page + used.server) / times.length;
  await page.mouse.up();
  const after = await shown();
  times.sort((x, y) => x - y);
  const median = times[6];
  figures.push(`slider of ${name}: ${median.toFixed(0)} ms (median of ${times.length}, at most ${times.at(-1).toFixed(0)} ms); ${cost.toFixed(0)} ms of processor each`);
  assert.notEqual(before, after, "the curve follows");
  // Where others keep the machine busy, what it took of the processor counts instead.
  assert.ok(median < limit || ((await busy()) > 0.35 && cost < limit), `${name}: ${median} ms, ${cost} ms of processor`);
}

test("drag a slider and the curve of the circuit follows within 100 ms", async () => {
  await openClass("Charge");
  await diagram().focus();
  await page.keyboard.press("F5");
  await until("a run", () => page.evaluate(() => globalThis.kausal.current.value?.info.value.class === "Charge" && globalThis.kausal.current.value.info.value.state === "done" && globalThis.kausal.current.value.curves.size > 0));
  await slides("Charge", "resistor.R", 100);
  await shot("slider");
  // A curve that was put away meanwhile comes back with the values of the slider.
  await page.evaluate(() => globalThis.kausal.toggleSeries("resistor.v"));
  await page.evaluate(() => { globalThis.kausal.latency.value = 0; globalThis.kausal.slide("resistor.R", 700); });
  await until("the new curve", () => page.evaluate(() => globalThis.kausal.latency.value > 0));
  await page.evaluate(() => globalThis.kausal.toggleSeries("resistor.v"));
  const sum = await until("both curves", () => page.evaluate(() => {
    const [c, r] = ["capacitor.v", "resistor.v"].map((n) => globalThis.kausal.current.value.curves.get(n));
    return c && r ? c.values[100] + r.values[r.time.indexOf(c.time[100])] : null;
  }));
  assert.ok(Math.abs(sum - 10) < 1e-6, `both voltages together: ${sum}`);
});

test("drag a slider and the robot follows within 300 ms", async () => {
  await openClass("Kausal.Examples.Robot");
  await diagram().focus();
  await page.keyboard.press("F5");
  await until("a run", () => page.evaluate(() => globalThis.kausal.current.value?.info.value.class === "Kausal.Examples.Robot" && globalThis.kausal.current.value.info.value.state === "done" && globalThis.kausal.current.value.curves.size > 0), 30000);
  // Of the first rows, where it stands still, nobody could tell what varies.
  await until("several joints in the first plot", () => page.evaluate(() => globalThis.kausal.plots.value[0].series.filter((s) => /^mechanics\.r\d\.q$/.test(s.name)).length >= 4));
  const path = await page.evaluate(() => globalThis.kausal.current.value.variables.value.find((v) => v.tunable && typeof v.value === "number" && v.type === "real" && v.value > 0 && /load|m$|mass/i.test(v.name))?.name ?? globalThis.kausal.current.value.variables.value.find((v) => v.tunable && v.type === "real" && v.value > 0)?.name);
  assert.ok(path, "a tunable parameter");
  await slides("Kausal.Examples.Robot", path, 300);
});

test("curves grow while a model runs, and it can be stopped", async () => {
  // So long that it cannot end before somebody stops it, however quick the machine.
  await page.evaluate(() => (globalThis.kausal.settings.value = { class: "Kausal.Examples.Robot", stop: 200000, intervals: 200000 }));
  const before = await page.evaluate(() => globalThis.kausal.runs.value.length);
  await diagram().focus();
  await page.keyboard.press("F5");
  await until("a new run", () => page.evaluate((n) => globalThis.kausal.runs.value.length > n, before));
  const points = () => page.evaluate(() => { const r = globalThis.kausal.runs.value.at(-1); return r.info.value.state === "running" ? [...r.curves.values()][0]?.values.length ?? 0 : 0; });
  const some = await until("some points", points, 20000);
  await until("more points", async () => (await points()) > some, 20000);
  await page.locator('button[title^="Stop"]').click();
  await until("the end", () => page.evaluate(() => globalThis.kausal.runs.value.at(-1).info.value.state === "cancelled"));
  await page.evaluate(() => { globalThis.kausal.settings.value = {}; globalThis.kausal.forget(globalThis.kausal.runs.value.at(-1)); });
});

test("the Standard Library: tree within 1 s, diagrams within 200 ms", async () => {
  const found = (await api("tree", { class: "Modelica" })).data?.children;
  if (!found?.length) return "skipped: no Modelica Standard Library in MODELICAPATH";
  const others = await busy();
  const begin = Date.now();
  await page.reload();
  await page.locator('[role="tree"] .node').first().waitFor();
  const tree = Date.now() - begin;
  const times = [];
  const costs = [];
  for (const name of ["Modelica.Mechanics.MultiBody.Examples.Systems.RobotR3.FullRobot", "Modelica.Electrical.Machines.Examples.InductionMachines.IMC_YD", "Modelica.Thermal.FluidHeatFlow.Examples.TwoMass", "Modelica.Blocks.Examples.PID_Controller"]) {
    const before = await spent();
    times.push(await page.evaluate(async (n) => {
      const began = performance.now();
      globalThis.kausal.open(n);
      await globalThis.kausal.classOf(n).load();
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      return performance.now() - began;
    }, name));
    const used = await since(before);
    costs.push(used.page + used.server);
  }
  figures.push(`Standard Library: tree ${tree} ms, diagrams ${times.map((t) => t.toFixed(0)).join(", ")} ms (${costs.map((t) => t.toFixed(0)).join(", ")} ms of processor)`);
  const status = readFileSync(`/proc/${server.pid}/status`, "utf8");
  const heap = await page.evaluate(() => performance.memory?.usedJSHeapSize ?? 0);
  figures.push(`memory: server ${(Number(/VmRSS:\s*(\d+)/.exec(status)?.[1]) / 1024).toFixed(0)} MB, page ${(heap / 1e6).toFixed(0)} MB`);
  for (const t of await page.evaluate(() => [...document.querySelectorAll(".tab .name")].map((n) => n.closest(".tab").title))) if (t.startsWith("Modelica.")) await page.evaluate((n) => globalThis.kausal.close(n), t);
  // The first one reads what all of them need.
  assert.ok(Math.max(...(others > 0.35 ? costs : times).slice(1)) < 200, `diagrams: ${times} ms, ${costs} ms of processor`);
  if (others > 0.35) return `by the time of the processor, the machine is ${(others * 100).toFixed(0)} % busy`;
  assert.ok(tree < 1000, `tree: ${tree} ms`);
});

test("an edit changes its own lines only", async () => {
  await openClass("Odd");
  await page.evaluate(() => globalThis.kausal.classOf("Odd").edit([{ edit: "move", component: "r2", by: [10, 0] }, { edit: "set", component: "c", path: "C", value: "2e-3" }]));
  await page.evaluate(() => globalThis.kausal.classOf("Odd").save());
  const lines = git("diff", "-U0").split("\n").filter((l) => /^[-+][^-+]/.test(l));
  assert.ok(lines.length >= 4 && lines.length <= 12, lines.join("\n"));
  for (const l of lines) assert.ok(/r2|\bc\b|C\s*=|Placement|transformation|extent|points|connect/.test(l), `not meant: ${l}`);
  const [before, after] = [oddModel, readFileSync(join(folder, "Odd.mo"), "utf8")];
  for (const comment of before.match(/\/\/.*|\/\*[^]*?\*\//g)) assert.ok(after.includes(comment), comment);
  assert.ok(after.includes("\t"), "tabs stay");
  // Undone, the file is what it was, byte for byte.
  await page.evaluate(() => globalThis.kausal.classOf("Odd").travel("undo"));
  await page.evaluate(() => globalThis.kausal.classOf("Odd").save());
  assert.equal(readFileSync(join(folder, "Odd.mo"), "utf8"), oddModel);
  figures.push(`git diff of two edits in a model with odd layout: ${lines.length} lines`);
});

test("select, copy, paste, turn, flip, move, resize, route, align, delete; undone, the text is what it was", async () => {
  await openClass("Charge");
  await until("a canvas", () => page.evaluate(() => !!globalThis.kausal.gesturesOf("Charge")));
  await page.evaluate(() => globalThis.kausal.classOf("Charge").text.load());
  const text = () => page.evaluate(() => globalThis.kausal.classOf("Charge").text.shown.toString());
  const original = await text();
  const whole = async () => JSON.stringify(await page.evaluate(() => { const d = globalThis.kausal.classOf("Charge"); return [[...d.components.values()].map((c) => [c.name, c.placement]).sort(), [...d.connections.values()].map((c) => [c.id, c.points]).sort()]; }));
  const drawn = await whole();
  const undone = async (what) => {
    await diagram().focus();
    await page.keyboard.press("Control+z");
    await until(`undo of ${what}`, async () => (await text()) === original);
    assert.equal(await whole(), drawn, `the picture after undoing ${what}`);
  };
  const changed = async (what) => until(what, async () => (await text()) !== original);
  const select = (parts, wires = []) => page.evaluate(([p, w]) => globalThis.kausal.classOf("Charge").selectOnly(p, w), [parts, wires]);
  await page.keyboard.press("f");
  // A rectangle around everything.
  const at = (x, y) => page.evaluate(([a, b]) => { const { canvas } = globalThis.kausal.gesturesOf("Charge"); const q = canvas.toPixels([a, b]); const r = canvas.host.getBoundingClientRect(); return [r.left + q[0], r.top + q[1]]; }, [x, y]);
  await page.evaluate(() => { const { canvas } = globalThis.kausal.gesturesOf("Charge"); canvas.fit(); canvas.zoomAt(0.8); });
  await settled();
  await drag(await at(-75, 75), await at(75, -75));
  assert.equal((await doc("Charge")).selected.length, 4);
  await diagram().focus();
  await page.keyboard.press("Control+c");
  await page.keyboard.press("Control+v");
  await until("the copies", async () => (await doc("Charge")).parts.length === 8 && (await doc("Charge")).wires.length === 8);
  await undone("paste");
  for (const [key, what] of [["r", "turn"], ["h", "flip"], ["v", "flip"], ["ArrowRight", "step"], ["Delete", "delete"]]) {
    await select(["resistor"]);
    await diagram().focus();
    await page.keyboard.press(key);
    await changed(what);
    await undone(what);
  }
  await select(["source", "resistor", "capacitor"]);
  await diagram().focus();
  await page.keyboard.press("Alt+ArrowUp");
  await changed("alignment");
  await undone("alignment");
  await select(["resistor"]);
  const handle = await page.locator('.kept:not(.away) .handle[data-handle="se"]').boundingBox();
  await drag([handle.x + 3, handle.y + 3], [handle.x + 30, handle.y + 30]);
  await changed("another size");
  await undone("another size");
  await select([], ["resistor.n capacitor.p"]);
  await drag(await at(25, 40), await at(25, 60));
  await changed("another route");
  assert.ok(JSON.parse(await whole())[1].every(([, points]) => points.every(([x, y], i) => i === 0 || x === points[i - 1][0] || y === points[i - 1][1])), "right angles");
  await undone("another route");
  await drag(await place("Charge", "capacitor"), await at(60, -20));
  await changed("a move");
  assert.ok(JSON.parse(await whole())[1].every(([, points]) => points.every(([x, y], i) => i === 0 || x === points[i - 1][0] || y === points[i - 1][1])), "right angles");
  await undone("a move");
});

test("a broken connection shows message, component and line", async () => {
  await openClass("Charge");
  await page.keyboard.press("Alt+2");
  const content = page.locator('[data-testid="text"] .cm-content');
  await content.waitFor();
  await page.evaluate(() => {
    const t = globalThis.kausal.classOf("Charge").text;
    return t.load();
  });
  // Typed into the text: the connector does not exist.
  await content.locator('.cm-line:has-text("connect(resistor.n")').first().click();
  await page.keyboard.press("Home");
  for (let k = 0; k < "connect(resistor.".length; k++) await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Shift+ArrowRight");
  await page.keyboard.type("q");
  await page.keyboard.press("Escape");
  const message = page.locator('[data-testid="messages"] .message.error').first();
  await page.keyboard.press("Alt+8");
  await message.waitFor({ timeout: 15000 });
  const text = await message.innerText();
  assert.match(text, /resistor/);
  assert.match(text, /line \d+/);
  await until("a mark in the text", () => page.locator(".cm-lintRange-error, .cm-lint-marker-error").count());
  await until("a mark in the diagram", () => page.evaluate(() => [...document.querySelectorAll(".canvas .trouble")].some((p) => p.getAttribute("d"))));
  await page.evaluate(() => { document.querySelector(".cm-scroller").scrollLeft = 0; });
  await shot("message");
  await page.evaluate(() => globalThis.kausal.classOf("Charge").travel("undo"));
  await until("no message", async () => (await page.locator('[data-testid="messages"] .message.error').count()) === 0);
  await page.keyboard.press("Alt+1");
  await page.keyboard.press("Alt+6");
});

test("2,000 components and 3,000 connections: every edit within 100 ms", async () => {
  const others = await busy();
  const begin = Date.now();
  await openClass("Big");
  await until("the picture", () => page.evaluate(() => document.querySelectorAll(".canvas svg.drawing use").length >= 2000), 30000);
  await settled();
  figures.push(`open 2,000 components: ${Date.now() - begin} ms`);
  await diagram().focus();
  await page.waitForTimeout(1500);
  /** From the beginning of an edit to the frame that shows it. */
  const timed = async (name, work, repeat = 5) => {
    const times = [];
    const costs = [];
    for (let k = 0; k < repeat; k++) {
      const before = await spent();
      times.push(await page.evaluate(async (source) => {
        const began = performance.now();
        await new Function("kausal", `return (${source})(kausal)`)(globalThis.kausal);
        await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
        return performance.now() - began;
      }, work.toString()));
      costs.push((await since(before)).page);
      await page.waitForTimeout(250);
    }
    costs.sort((a, b) => a - b);
    // The least of several is what it takes where nothing else runs on the machine.
    times.sort((a, b) => a - b);
    figures.push(`2,000 components, ${name}: ${times[0].toFixed(0)} ms (median ${times[times.length >> 1].toFixed(0)} ms), ${costs[0].toFixed(0)} ms of processor in the page`);
    slow.push([name, times[0], costs[0]]);
  };
  const slow = [];
  await timed("select all", (k) => k.diagram.selectAll());
  await timed("select nothing", (k) => k.classOf("Big").selectOnly([], []));
  await timed("move one", (k) => k.classOf("Big").edit([{ edit: "move", component: "c_7_7", by: [2, 0] }]));
  await timed("undo", (k) => k.classOf("Big").travel("undo"));
  await timed("redo", (k) => k.classOf("Big").travel("redo"));
  await timed("parameter", (k) => k.classOf("Big").edit([{ edit: "set", component: "c_5_5", path: "R", value: String(1 + Math.round(Math.random() * 1e6)) }]));
  await timed("turn", (k) => k.classOf("Big").edit([{ edit: "rotate", component: "c_9_9", by: 90 }]));
  await timed("add", (k) => k.classOf("Big").edit([{ edit: "add", type: "Kausal.Electrical.Resistor", center: [-60, -60] }]));
  await timed("delete", (k) => k.classOf("Big").edit([{ edit: "delete", component: [...k.classOf("Big").components.keys()].at(-1) }]));
  await timed("connect", (k) => k.classOf("Big").edit([{ edit: "connect", a: "c_3_3.p", b: `c_12_${12 + (k.step = (k.step ?? 0) + 1)}.n` }]));
  await timed("move 100", (k) => k.classOf("Big").edit([...k.classOf("Big").components.keys()].slice(0, 100).map((component) => ({ edit: "move", component, by: [2, 0] }))));
  const tabs = [];
  for (let k = 0; k < 5; k++) {
    await page.evaluate(() => globalThis.kausal.open("Charge"));
    await page.waitForTimeout(300);
    tabs.push(await page.evaluate(async () => {
      const began = performance.now();
      globalThis.kausal.open("Big");
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      return performance.now() - began;
    }));
  }
  tabs.sort((a, b) => a - b);
  figures.push(`2,000 components, back to the tab: ${tabs[0].toFixed(0)} ms (median ${tabs[2].toFixed(0)} ms)`);
  slow.push(["tab", tabs[0], 0]);
  await until("the picture again", () => page.evaluate(() => document.querySelectorAll(".canvas svg.drawing use").length >= 2000));
  // Where others keep the machine busy, what it takes of the processor counts instead.
  const isBusy = others > 0.35;
  const over = slow.filter(([, ms, cost]) => (isBusy ? cost : ms) > 100);
  assert.deepEqual(over.map(([n, ms, cost]) => `${n} ${ms.toFixed(0)} ms, ${cost.toFixed(0)} ms of processor`), []);
  if (isBusy) return `by the time of the processor, the machine is ${(others * 100).toFixed(0)} % busy`;
});

test("a reload keeps tabs, runs and plots", async () => {
  await openClass("Charge");
  await page.waitForTimeout(700);
  const before = await page.evaluate(() => ({ tabs: [...document.querySelectorAll(".tab .name")].map((t) => t.textContent), plots: globalThis.kausal.plots.value, runs: globalThis.kausal.runs.value.length }));
  await page.reload();
  await page.locator('[role="tree"] .node').first().waitFor();
  await until("tabs", () => page.evaluate((n) => document.querySelectorAll(".tab .name").length === n, before.tabs.length));
  const after = await page.evaluate(() => ({ tabs: [...document.querySelectorAll(".tab .name")].map((t) => t.textContent), plots: globalThis.kausal.plots.value, runs: globalThis.kausal.runs.value.length }));
  assert.deepEqual(after, before);
  const alive = await page.evaluate(() => globalThis.kausal.runs.value.filter((r) => r.alive).map((r) => [r.number, r.info.value.class, r.info.value.state]));
  assert.deepEqual(alive, []);
  assert.equal(await page.locator('button[title^="Simulate (F5)"]').count(), 1);
});

test("why: states and equations of a component", async () => {
  await openClass("Charge");
  await page.keyboard.press("Alt+9");
  await page.locator('[data-testid="why"]').waitFor();
  assert.match(await page.locator('[data-testid="why"]').innerText(), /capacitor\.v/);
  await page.evaluate(() => globalThis.kausal.classOf("Charge").selectOnly(["resistor"], []));
  await until("its equations", () => page.locator('[data-testid="why"] summary:has-text("Equations of resistor")').count());
  await shot("why");
  // The report without its scripts has no frames that stay empty.
  await page.locator('.why summary:has-text("The whole report")').click();
  const report = page.frameLocator('iframe[title="Report of Charge"]');
  await report.locator("#overview").waitFor();
  assert.match(await report.locator("#overview").innerText(), /capacitor\.v/);
  assert.equal(await report.locator("canvas:visible, nav:visible").count(), 0);
  await page.keyboard.press("Alt+6");
});

test("a model in 3D moves", async () => {
  // The robot of the Standard Library where that is there, else our own.
  const known = await api("search", { query: "RobotR3.FullRobot", limit: 5 });
  const found = known.data?.found?.find((n) => n.class.endsWith("RobotR3.FullRobot"))?.class ?? "Kausal.Examples.Robot";
  await openClass(found);
  await diagram().focus();
  await page.keyboard.press("F5");
  await until("a run", () => page.evaluate((n) => globalThis.kausal.current.value?.info.value.class === n && globalThis.kausal.current.value.info.value.state === "done", found), 60000);
  await page.keyboard.press("Alt+7");
  await until("shapes", () => page.evaluate(() => Number(document.querySelector('[data-testid="scene"]')?.dataset.shapes) > 2));
  const frames = () => page.evaluate(() => Number(document.querySelector('[data-testid="scene"]').dataset.frames));
  const [f0, t0, before] = [await frames(), Date.now(), await spent()];
  await page.locator('.player button[aria-label="Play"]').click();
  await page.waitForTimeout(1500);
  const drawn = (await frames()) - f0;
  const each = (await since(before)).page / drawn;
  figures.push(`3D, ${found}: ${(drawn / ((Date.now() - t0) / 1000)).toFixed(0)} frames/s without a graphics card, ${each.toFixed(1)} ms of processor a frame in the page`);
  assert.ok(drawn > 5);
  // Sixty frames a second, with whatever draws the triangles; what others do to the caches of the processor costs as well.
  const limit = (1000 / 60) * ((await busy()) > 0.35 ? 2 : 1);
  assert.ok(each < limit, `${each} ms a frame`);
  await page.locator('.player button[aria-label="Pause"]').click().catch(() => undefined);
  await shot("animation");
  await page.keyboard.press("Alt+6");
});

test("refusals: token, origin, paths, size, scripts", async () => {
  assert.ok([401, 403].includes((await api("session", {}, { "X-Kausal-Token": "" })).status), "without token");
  assert.ok([401, 403].includes((await api("session", {}, { "X-Kausal-Token": "0".repeat(token.length) })).status), "wrong token");
  assert.ok([401, 403].includes((await api("session", {}, { Origin: "http://evil.example" })).status), "another origin");
  for (const file of ["/etc/passwd", join(folder, "../../../etc/passwd"), `${folder}/../other.mo`]) {
    const answer = await api("text", { file });
    assert.ok(answer.status >= 400, `${file}: ${answer.status}`);
    assert.ok(!JSON.stringify(answer.data).includes("root:"));
  }
  for (const path of ["/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/assets/..%2f..%2fCargo.toml"]) {
    const answer = await fetch(origin + path);
    assert.ok(!(await answer.text()).includes("root:"), path);
  }
  const large = await api("text.change", `{"file":"x","version":1,"changes":[{"offset":0,"length":0,"insert":"${"x".repeat(80 * 1024 * 1024)}"}]}`).catch(() => ({ status: 413 }));
  assert.equal(large.status, 413);
  // Documentation with scripts does nothing.
  const answer = await until("the class", async () => { const a = await api("documentation", { class: "Evil" }); return a.status === 200 ? a : null; }, 8000);
  assert.ok(!/<script|onerror|javascript:/i.test(answer.data.html), answer.data.html);
  assert.match(answer.data.html, /harmless/);
  const csp = (await fetch(origin)).headers.get("content-security-policy") ?? "";
  assert.match(csp, /default-src 'none'/);
});

test("an icon is drawn, moved, coloured and erased; nothing else changes in the text", async () => {
  await openClass("Odd");
  await page.keyboard.press("Alt+4");
  const icon = page.locator('[data-testid="icon"]');
  await icon.waitFor();
  const text = () => page.evaluate(() => globalThis.kausal.classOf("Odd").text.load().then(() => globalThis.kausal.classOf("Odd").text.shown.toString()));
  const original = await text();
  const shapes = (n) => until(`${n} shapes`, async () => (await icon.getAttribute("data-shapes")) === String(n));
  const at = (x, y) => page.evaluate(([a, b]) => { const p = new DOMPoint(a, -b).matrixTransform(document.querySelector('[data-testid="icon"]').getScreenCTM()); return [p.x, p.y]; }, [x, y]);
  await page.locator('.icon-tools button[aria-label="Rectangle"]').click();
  await drag(await at(-80, 60), await at(80, -60));
  await shapes(1);
  assert.match(await text(), /Rectangle\(extent=\{\{-80,60\},\{80,-60\}\}/);
  // The whole of it, then a corner.
  await drag(await at(0, 0), await at(10, 0));
  await until("its new place", async () => (await text()).includes("{{-70,60},{90,-60}}"));
  await until("its corner there", async () => (await page.locator('.icon-pane [data-corner="1"]').getAttribute("x")) === "87.5");
  await drag(await at(90, -60), await at(80, -40));
  await until("its new corner", async () => (await text()).includes("{{-70,60},{80,-40}}"));
  await page.locator('input[aria-label="Colour inside"]').fill("#ff8000");
  await until("its colour", async () => (await text()).includes("fillColor={255,128,0}"));
  // Without the mouse: a text, moved by the arrows.
  await page.locator('.icon-tools button[aria-label="Text"]').focus();
  await page.keyboard.press("Enter");
  await shapes(2);
  await icon.focus();
  await page.keyboard.press("Shift+ArrowUp");
  await until("the text above", async () => (await text()).includes("{{-60,-30},{60,50}}"));
  await shot("icon");
  await icon.focus();
  await page.keyboard.press("Delete");
  await shapes(1);
  assert.ok((await text()).startsWith(original.slice(0, original.indexOf("end Odd;"))), "what stands before stays");
  for (let k = 0; k < 7; k++) await page.evaluate(() => globalThis.kausal.classOf("Odd").travel("undo"));
  assert.equal(await text(), original);
  await page.keyboard.press("Alt+1");
});

test("what is shown stays readable: legends, names that were found, values in the diagram, X–Y without curves", async () => {
  await ran("Charge");
  await ran("Kausal.Examples.Robot");
  await page.keyboard.press("Alt+6");
  const names = ["mechanics.r1.q", "mechanics.r2.q", "mechanics.r3.q", "mechanics.r4.q", "mechanics.r5.q", "mechanics.r6.q"];
  const plotted = (change) => page.evaluate(([list, c]) => {
    const k = globalThis.kausal;
    const run = k.runs.value.find((r) => r.info.value.class === "Kausal.Examples.Robot" && r.info.value.state === "done");
    k.chosen.value = run.number;
    for (const r of k.runs.value) r.visible.value = r === run;
    k.plots.value = [{ id: 1, kind: "time", title: "", x: "", series: list.map((name) => ({ name, axis: null })), difference: false, log: false, ...c }];
  }, [names, change]);
  await plotted({});
  await until("six keys", async () => (await page.locator(".plot .key").count()) === 6);
  const hidden = await page.evaluate(() => {
    const frame = document.querySelector(".plot .keys").getBoundingClientRect();
    return [...document.querySelectorAll(".plot .key")].filter((k) => k.getBoundingClientRect().bottom > frame.bottom + 1).length;
  });
  assert.equal(hidden, 0, "keys that are cut off");
  // No colour of a curve for the cursors, and no curve for an empty X–Y plot.
  names.length = 0;
  await plotted({ kind: "xy", x: "mechanics.r1.q" });
  await until("an empty plot", () => page.evaluate(() => document.querySelector('[data-testid="plot"]').dataset.curves === "0"));
  names.push("mechanics.r1.q");
  await plotted({});
  // Of what was found the whole name is seen.
  await page.locator("#library-search").fill("resistor");
  await page.locator(".node mark").first().waitFor();
  const cut = await page.evaluate(() => [...document.querySelectorAll(".node .label")].filter((l) => l.textContent.length < 20 && l.scrollWidth > l.clientWidth + 1).map((l) => l.textContent));
  assert.deepEqual(cut, []);
  await page.locator("#library-search").fill("");
  // Values cover neither names nor each other.
  await openClass("Charge");
  await page.evaluate(() => {
    const k = globalThis.kausal;
    const run = k.runs.value.find((r) => r.info.value.class === "Charge" && r.info.value.state === "done");
    k.chosen.value = run.number;
    run.visible.value = true;
    k.now.value = 1.5;
    globalThis.kausal.gesturesOf("Charge").canvas.fit();
  });
  await until("values", async () => (await page.locator(".value-text").count()) >= 3);
  await page.waitForTimeout(300);
  const covered = await page.evaluate(() => {
    const box = (e) => e.getBoundingClientRect();
    const meets = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 2;
    const values = [...document.querySelectorAll(".kept:not(.away) .value-text")];
    const texts = [...document.querySelectorAll(".kept:not(.away) .canvas .texts text")];
    return values.flatMap((v) => [...texts, ...values.filter((o) => o !== v)].filter((t) => meets(box(v), box(t))).map((t) => `${v.textContent} over ${t.textContent}`));
  });
  assert.deepEqual(covered, []);
  await page.evaluate(() => (globalThis.kausal.now.value = NaN));
});

test("3D shows nothing of another model", async () => {
  await ran("Charge");
  await page.keyboard.press("Alt+7");
  await page.evaluate(() => {
    const k = globalThis.kausal;
    k.chosen.value = k.runs.value.find((r) => r.info.value.class === "Charge" && r.info.value.state === "done").number;
  });
  await until("a word", async () => /nothing to animate|no shapes/.test(await page.locator('[data-testid="scene"]').innerText()));
  assert.equal(await page.locator('[data-testid="scene"] canvas').count(), 0);
  await page.keyboard.press("Alt+6");
});

test("written pages: the report's graph is readable or gone, a narrow plot begins with its curves, an animation plays", async () => {
  const kausal = process.env.KAUSAL ?? "kausal";
  const write = (model, ...args) => execFileSync(kausal, ["simulate", model, "-q", "-o", join(folder, "r.csv"), ...args], { cwd: folder });
  write("Kausal.Examples.RC", "--report", join(folder, "rc.html"), "--plot-file", join(folder, "plot.html"));
  write("Kausal.Examples.Robot", "--report", join(folder, "robot.html"), "--animate", join(folder, "moves.html"));
  const other = await context.newPage();
  const wrong = [];
  other.on("pageerror", (e) => wrong.push(e.message));
  const show = async (file) => {
    await other.goto(`file://${join(folder, file)}`);
    await other.waitForLoadState("load");
  };
  await show("rc.html");
  await other.waitForFunction(() => document.documentElement.dataset.ready);
  assert.ok(await other.locator("#graph").isVisible(), "a small graph is there");
  assert.match(await other.locator("#overview").innerText(), /States/);
  await show("robot.html");
  await other.waitForFunction(() => document.documentElement.dataset.ready);
  assert.ok(!(await other.locator("#graph").isVisible()) && (await other.locator('nav a[href="#order"]').count()) === 0, "a large one is gone");
  assert.ok((await other.locator("svg path[stroke-dasharray]").count()) > 0, "dashes besides colours");
  await other.setViewportSize({ width: 500, height: 800 });
  await show("plot.html");
  assert.ok(!(await other.locator("#nav").isVisible()));
  await other.locator("#side").click();
  assert.ok(await other.locator("#nav").isVisible());
  await show("moves.html");
  await other.waitForFunction(() => Number(document.body.dataset.shapes) > 2);
  await other.locator('#play[aria-label="Pause"]').click();
  assert.equal(await other.locator('#play[aria-label="Play"] svg').count(), 1);
  assert.deepEqual(wrong, []);
  await other.close();
});

plots({ test, page, until, openClass, ran, folder, diagram });

test("what is not there is not offered; what has no icon is seen; words stand beside the pointer", async () => {
  if (!(await api("tree", { class: "Modelica" })).data?.children?.length) return "skipped: no Modelica Standard Library in MODELICAPATH";
  await openClass("Optional.Use");
  await until("a canvas", () => page.evaluate(() => !!globalThis.kausal.gesturesOf("Optional.Use")));
  await page.evaluate(() => globalThis.kausal.gesturesOf("Optional.Use").canvas.fit());
  const fits = await page.evaluate(() => {
    const g = globalThis.kausal.gesturesOf("Optional.Use");
    return g.fitting(g.canvas.portsOf("sine").find((p) => p.end === "sine.y")).map((p) => p.end).sort();
  });
  assert.deepEqual(fits, ["both.extra", "both.u", "two.u"]);
  const seen = await page.evaluate(() => globalThis.kausal.classOf("Optional.Use").components.get("two").svg);
  assert.ok(/>two</.test(seen) && /<path/.test(seen), seen);
  const [x, y] = await place("Optional.Use", "sine");
  await page.mouse.move(x - 3, y);
  await page.mouse.move(x, y);
  const tip = page.locator(".tip");
  await tip.waitFor();
  const box = await tip.boundingBox();
  assert.ok(Math.hypot(box.x - x, box.y - y) < 60 && box.x + box.width <= 1440, JSON.stringify([box, x, y]));
  // At the rim of the page the words are still read.
  await page.keyboard.press("Control+i");
  await settled();
  const [left] = await place("Optional.Use", "both");
  await page.evaluate((by) => globalThis.kausal.gesturesOf("Optional.Use").canvas.pan(by, 0), 1425 - left);
  await settled();
  const [u, v] = await place("Optional.Use", "both");
  await page.mouse.move(u, v + 3);
  await page.mouse.move(u, v);
  await until("words", () => tip.count());
  const rim = await tip.boundingBox();
  assert.ok(rim.x >= 0 && rim.x + rim.width <= 1440 && rim.y + rim.height <= 900, JSON.stringify(rim));
  await page.mouse.move(5, 5);
  await until("no words", async () => (await tip.count()) === 0);
  await page.keyboard.press("Control+i");
});

test("copied with their comments, components stay what they are; a reload keeps what is wrong and what can be undone", async () => {
  await openClass("Odd");
  await until("a canvas", () => page.evaluate(() => !!globalThis.kausal.gesturesOf("Odd")));
  await page.evaluate(() => globalThis.kausal.classOf("Odd").selectOnly(["r1", "r2"], []));
  await diagram().focus();
  await page.keyboard.press("Control+c");
  await until("a word", async () => /Copied/.test(await page.locator(".toast").allInnerTexts().then((t) => t.join())));
  await openClass("Charge");
  await until("a canvas", () => page.evaluate(() => !!globalThis.kausal.gesturesOf("Charge")));
  const there = await doc("Charge");
  await diagram().focus();
  await page.keyboard.press("Control+v");
  await until("the copies", () => page.evaluate(() => { const c = globalThis.kausal.classOf("Charge").components; return c.has("r1") && c.has("r2"); }));
  const text = await page.evaluate(() => globalThis.kausal.classOf("Charge").text.load().then(() => globalThis.kausal.classOf("Charge").text.shown.toString()));
  assert.match(text, /r2\(R=20 \/\/ ohms\n\s*\) annotation/);
  assert.equal((await doc("Charge")).wires.length, there.wires.length + 1, "their connection, too");
  // Something is wrong; after a reload it is said, and can be taken back.
  await page.evaluate(() => globalThis.kausal.classOf("Charge").edit([{ edit: "set", component: "r1", path: "R", value: "nothing_there" }]));
  await page.keyboard.press("Alt+8");
  const said = () => page.locator('[data-testid="messages"] .message.error:has-text("nothing_there")').count();
  await until("an error", said);
  await page.waitForTimeout(700);
  await page.reload();
  await page.locator('[role="tree"] .node').first().waitFor();
  await until("the same error", said);
  await openClass("Charge");
  assert.ok(await page.locator('button[title^="Undo"]').isEnabled());
  assert.equal(await page.locator('.tab.on .dot').count(), 1, "not saved");
  await page.locator('button[title^="Undo"]').click();
  await page.locator('button[title^="Undo"]').click();
  await until("what it was", async () => (await doc("Charge")).parts.length === there.parts.length);
  await until("no error of it", async () => (await said()) === 0);
  await page.keyboard.press("Alt+6");
});

test("dark, and 500 pixels wide", async () => {
  await openClass("Charge");
  await page.emulateMedia({ colorScheme: "dark" });
  await until("dark", () => page.evaluate(() => document.documentElement.hasAttribute("data-dark")));
  await page.keyboard.press("Alt+2");
  await page.waitForTimeout(300);
  await shot("dark");
  await page.keyboard.press("Alt+1");
  await page.setViewportSize({ width: 500, height: 800 });
  await settled();
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth && document.querySelector(".studio").scrollWidth <= innerWidth), "nothing sticks out");
  // In between, all panels open: the plot has its half, the tab of what is shown is seen, and no scraps of names.
  await page.setViewportSize({ width: 1024, height: 700 });
  await page.evaluate(() => { for (const n of ["Kausal.Examples.RC", "Kausal.Examples.Pendulum", "Kausal.Examples.Motor", "Kausal.Examples.Chua"]) globalThis.kausal.open(n); });
  await page.keyboard.press("Alt+6");
  await settled();
  const seen = await until("the last tab", () => page.evaluate(() => {
    const [strip, tab] = [".tabs", ".tab.on"].map((s) => document.querySelector(s).getBoundingClientRect());
    const plot = document.querySelector(".curves").getBoundingClientRect().width / document.querySelector(".results").getBoundingClientRect().width;
    return tab.right <= strip.right + 1 && tab.left >= strip.left - 1 ? { plot } : null;
  }));
  assert.ok(seen.plot > 0.5, `the plot has ${seen.plot} of the width`);
  const name = await page.evaluate(() => { const e = document.querySelector(".full > span"); return { width: e.getBoundingClientRect().width, shown: getComputedStyle(e).display !== "none" }; });
  assert.ok(!name.shown || name.width > 99, JSON.stringify(name));
  for (const size of [[1440, 900], [3840, 2160]]) {
    await page.setViewportSize({ width: size[0], height: size[1] });
    await settled();
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth && document.querySelector(".studio").scrollWidth <= innerWidth), `${size[0]} pixels: nothing sticks out`);
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.emulateMedia({ colorScheme: "light" });
});

// ------------------------------------------------------------ run

/** How busy others keep the machine, from 0 to 1: times are judged on a quiet one only. */
async function busy() {
  const read = () => readFileSync("/proc/stat", "utf8").split("\n")[0].split(/\s+/).slice(1).map(Number);
  const before = read();
  await new Promise((done) => setTimeout(done, 1000));
  const after = read();
  const passed = after.map((v, i) => v - before[i]);
  return 1 - (passed[3] + passed[4]) / passed.reduce((a, b) => a + b, 0);
}

let failed = 0;
for (const [name, run] of cases) {
  if (only && !name.includes(only)) continue;
  const begin = Date.now();
  try {
    const word = await run();
    if (complaints.length) throw new Error(complaints.splice(0).join("\n"));
    console.log(`${typeof word === "string" ? word : "ok"}: ${name} (${Date.now() - begin} ms)`);
  } catch (error) {
    failed++;
    complaints.length = 0;
    console.log(`FAILED: ${name}\n${error.stack}`);
    await page.screenshot({ path: join(tmpdir(), `studio-failed-${failed}.png`) }).catch(() => undefined);
    await page.keyboard.press("Escape").catch(() => undefined);
  }
}
for (const f of figures) console.log(`figure: ${f}`);
await browser.close();
server.removeAllListeners("exit");
server.kill();
rmSync(folder, { recursive: true, force: true });
process.exit(failed ? 1 : 0);
