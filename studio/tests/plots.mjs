// What people read off plots, and what they take home from them: numbers, cursors, spectra, Bode plots, exported files.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

export function plots({ test, page, until, openClass, ran, folder, diagram }) {
  const only = async (name, plot) => {
    // What is proposed for a fresh run comes first.
    await until("a first plot", () => page.evaluate(() => globalThis.kausal.plots.value.some((p) => p.series.length)));
    await shown(name, plot);
  };
  const shown = (name, plot) => page.evaluate(([n, p]) => {
    const k = globalThis.kausal;
    const own = k.runs.value.filter((r) => r.info.value.class === n && r.info.value.state === "done");
    k.chosen.value = own.at(-1).number;
    for (const r of k.runs.value) r.visible.value = p.difference ? own.includes(r) : r === own.at(-1);
    k.now.value = NaN;
    k.second.value = NaN;
    k.plots.value = [{ id: 1, kind: "time", title: "", x: "", difference: false, log: false, ...p, series: p.series.map((name) => ({ name, axis: null })) }];
    k.activePlot.value = 1;
  }, [name, plot]);
  const curves = (n) => until(`${n} curves`, () => page.evaluate((k) => document.querySelector('[data-testid="plot"]')?.dataset.curves === String(k), n));
  const menu = async (text) => {
    await page.locator('.plot button[aria-label="Plot menu"]').first().click();
    await page.locator(`.menu button:has-text("${text}")`).first().click();
  };
  const saved = async (act) => {
    const [file] = await Promise.all([page.waitForEvent("download"), act()]);
    const path = join(folder, `export-${file.suggestedFilename()}`);
    await file.saveAs(path);
    return { name: file.suggestedFilename(), data: readFileSync(path) };
  };
  const key = (name) => page.locator(`.plot .key:has-text("${name}") .num`).first();

  test("a long run: smooth curves, every point where a plot is enlarged, exact values at the cursor", async () => {
    await ran("Long");
    await page.keyboard.press("Alt+6");
    // The figure of the model: its title, label, limits, and values in its words.
    assert.deepEqual(await page.evaluate(() => globalThis.kausal.plots.value.map((p) => [p.title, p.series[0].legend, p.axes.y])), [["Position", "w = 2 rad/s", { label: "position", range: [-3000, 3000] }]]);
    await only("Long", { series: ["x"] });
    await curves(1);
    const points = await until("its points", () => page.evaluate(() => { const c = globalThis.kausal.current.value.curves.get("x"); return c && c.time.length > 10 ? c.time.length : 0; }));
    assert.ok(points >= 1500 && points <= 8000, `${points} points of 200,000 rows`);
    await only("Long", { series: ["ripple", "fast"] });
    await curves(2);
    const area = await page.locator(".plot .u-over").first().boundingBox();
    await page.mouse.move(area.x + area.width / 2, area.y + area.height / 2);
    for (let k = 0; k < 24; k++) await page.mouse.wheel(0, -200);
    // Some twenty milliseconds: eight waves, which a thinned curve does not have.
    const turns = await until("the waves", () => page.evaluate(() => {
      const u = document.querySelector('[data-testid="plot"]');
      const lines = globalThis.kausal.linesOf(globalThis.kausal.plots.value[0]);
      const { min, max } = globalThis.kausal.shownTimes(1) ?? {};
      if (!u || !(max - min < 0.5)) return 0;
      const fast = lines.find((l) => l.name === "fast");
      let n = 0;
      let inside = 0;
      for (let i = 1; i < fast.x.length; i++) {
        if (fast.x[i] < min || fast.x[i] > max) continue;
        inside++;
        if (fast.y[i - 1] < 0 && fast.y[i] >= 0) n++;
      }
      const expected = (max - min) * 400;
      return inside > 50 && Math.abs(n - expected) < 2 ? n : 0;
    }));
    assert.ok(turns > 3);
    // A click sets the cursor: what stands in the legend is what the run has there.
    await only("Long", { series: ["ripple", "fast"] });
    await curves(2);
    await page.evaluate(() => (globalThis.kausal.now.value = 7.77712345));
    const exact = Math.sin(2 * Math.PI * 400 * 7.77712345);
    await page.mouse.move(5, 400);
    await until("the value at the cursor", async () => Math.abs(Number.parseFloat(await key("fast").innerText()) - exact) < 0.01);
    // Behind its end a curve has no value.
    await page.evaluate(() => (globalThis.kausal.now.value = 25));
    await until("no value", async () => (await key("fast").innerText()).startsWith("–"));
    await page.evaluate(() => (globalThis.kausal.now.value = NaN));
  });

  test("spectra: on logarithmic axes, their difference, as a table", async () => {
    await ran("Long");
    await openClass("Long");
    await page.evaluate(() => { globalThis.kausal.settings.value = { class: "Long", set: { w: 3 }, stop: 20 }; });
    if ((await page.evaluate(() => globalThis.kausal.runs.value.filter((r) => r.info.value.class === "Long").length)) < 2) {
      await diagram().focus().catch(() => undefined);
      await page.keyboard.press("F5");
      await until("a second run", () => page.evaluate(() => globalThis.kausal.runs.value.filter((r) => r.info.value.class === "Long" && r.info.value.state === "done" && r.variables.value.length).length === 2), 60000);
    }
    await page.evaluate(() => { globalThis.kausal.settings.value = {}; });
    await only("Long", { kind: "fft", series: ["fast"], log: true });
    await curves(1);
    const drawn = await until("the spectrum", () => page.evaluate(() => {
      const l = globalThis.kausal.linesOf(globalThis.kausal.plots.value[0])[0];
      if (!l?.x.length) return null;
      const at = l.y.indexOf(Math.max(...l.y));
      const { min, max } = globalThis.kausal.shownTimes(1);
      return { first: l.x[0], peak: l.x[at], height: l.y[at], min, max };
    }));
    assert.ok(drawn.first > 0 && drawn.min > 0 && drawn.max > 400, JSON.stringify(drawn));
    assert.ok(Math.abs(drawn.peak - 400) < 1 && drawn.height > 0.6, JSON.stringify(drawn));
    // The ripple is the same in both runs: of its amplitudes nothing is left, of those of the wave much is.
    await only("Long", { kind: "fft", series: ["fast", "x"], difference: true });
    await curves(2);
    const left = await until("the differences", () => page.evaluate(() => {
      const l = globalThis.kausal.linesOf(globalThis.kausal.plots.value[0]);
      return l.length === 2 && l.every((q) => q.y.length > 100) ? l.map((q) => Math.max(...q.y.map((v) => (Number.isNaN(v) ? 0 : Math.abs(v))))) : null;
    }));
    assert.ok(left[0] < 1e-3 && left[1] > 0.1, JSON.stringify(left));
    await only("Long", { kind: "fft", series: ["fast"] });
    await curves(1);
    const { data } = await saved(() => menu("Export CSV"));
    const rows = data.toString().trim().split("\n");
    assert.equal(rows[0], "frequency [Hz],fast [V]");
    assert.ok(rows.length > 1000 && rows.slice(1, 50).every((r) => r.split(",").every((c) => Number.isFinite(Number(c)))));
  });

  test("what is exported is what is shown: X–Y with its x, legends in SVG and PNG, a family in one line", async () => {
    await ran("Charge");
    await page.keyboard.press("Alt+6");
    await only("Charge", { kind: "xy", x: "capacitor.v", series: ["resistor.v", "resistor.i"] });
    await curves(2);
    const { name, data } = await saved(() => menu("Export CSV"));
    assert.match(name, /^Charge-\d+\.csv$/);
    assert.equal(data.toString().split("\n")[0], "time,capacitor.v,resistor.v,resistor.i");
    await only("Charge", { title: "Voltages", series: ["capacitor.v", "resistor.v", "source.p.i", "ground.p.v"] });
    await curves(4);
    const svg = (await saved(() => menu("Export SVG"))).data.toString();
    const width = Number(/width="([\d.]+)"/.exec(svg)[1]);
    for (const text of ["capacitor.v", "resistor.v", "source.p.i", "ground.p.v", "Voltages"]) {
      const x = Number(new RegExp(`<text x="([\\d.]+)"[^>]*>${text.replaceAll(".", "\\.")}<`).exec(svg)?.[1]);
      assert.ok(x > 0 && x + text.length * 6.6 < width + 8, `${text} at ${x} of ${width}`);
    }
    const png = await saved(() => menu("Export PNG"));
    assert.equal(png.name, "Voltages.png");
    const high = png.data.readUInt32BE(20);
    assert.ok(high > (await page.locator(".plot .area canvas").first().evaluate((c) => c.height)) + 30, `${high} pixels: a legend stands above the curves`);
    await only("Charge", { series: ["capacitor.v"] });
    await page.evaluate(() => {
      const k = globalThis.kausal;
      k.sliders.value = [];
      k.addSlider(k.current.value.byName.value.get("resistor.R"));
      return k.showFamily(k.sliders.value[0]);
    });
    await curves(10);
    const family = (await saved(() => menu("Export SVG"))).data.toString();
    assert.equal(family.match(/pale: resistor\.R from [\d.]+ to [\d.]+</g)?.length, 1, family.slice(-2000));
    assert.equal(family.match(/ with R = /g), null);
    await page.evaluate(() => { globalThis.kausal.family.value = null; globalThis.kausal.sliders.value = []; });
  });

  test("poles and Bode plots: their pictures fit, and their numbers can be saved", async () => {
    await openClass("Lowpass");
    await page.keyboard.press("Alt+9");
    await page.locator('[data-testid="why"]').waitFor();
    const section = page.locator('.why summary:has-text("Near a point")');
    await section.waitFor();
    await section.click();
    const bode = page.locator('[data-testid="bode"]');
    await bode.first().waitFor();
    const { data } = await saved(() => bode.locator('button[title="Save as CSV"]').click());
    const rows = data.toString().trim().split("\n").slice(1).map((r) => r.split(",").map(Number));
    // A low pass of 1 s: 3 dB and 45 degrees at 1/(2 pi) Hz.
    const corner = rows.reduce((a, b) => (Math.abs(Math.log(b[0] * 2 * Math.PI)) < Math.abs(Math.log(a[0] * 2 * Math.PI)) ? b : a));
    assert.ok(Math.abs(corner[1] + 3.01) < 0.2 && Math.abs(corner[2] + 45) < 2, corner.join());
    await page.setViewportSize({ width: 500, height: 800 });
    await until("a narrow picture", () => page.evaluate(() => { const e = document.querySelector('[data-testid="why"]').parentElement; return e.scrollWidth <= e.clientWidth; }));
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.keyboard.press("Alt+6");
  });
}
