// A real client: the extension inside code-server, with a browser that does what people do. Names of programs come from the environment:
// CODE_SERVER, CHROMIUM, KAUSAL; VSIX is the packaged extension, and NODE_PATH or node_modules has playwright-core.
// node editors/vscode/check.mjs

import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, mkdirSync, writeFileSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";

const require = createRequire(process.env.PLAYWRIGHT_FROM ?? import.meta.url);
const { chromium } = require("playwright-core");

let failed = false;
const expect = (what, holds) => {
  console.log(`${holds ? "ok" : "FAILED"}: ${what}`);
  failed ||= !holds;
};

const folder = mkdtempSync(path.join(tmpdir(), "kausal-code-"));
const workspace = path.join(folder, "work");
mkdirSync(path.join(workspace, "P"), { recursive: true });
mkdirSync(path.join(folder, "data", "User"), { recursive: true });
mkdirSync(path.join(folder, "data", "Machine"), { recursive: true });
const write = (name, text) => writeFileSync(path.join(workspace, "P", name), text);
write("package.mo", "within;\npackage P\n  connector Pin\n    Real v;\n    flow Real i;\n  end Pin;\nend P;\n");
write("A.mo", "within P;\nmodel A \"Decay\"\n  parameter Real rate = 2 \"Rate\";\n  Real x(start = 1, fixed = true);\nequation\n  der(x) = -rates*x;\nend A;\n");
writeFileSync(
  path.join(folder, "data", "User", "settings.json"),
  JSON.stringify({
    "security.workspace.trust.enabled": false,
    "workbench.startupEditor": "none",
    "extensions.ignoreRecommendations": true,
    "telemetry.telemetryLevel": "off",
    "files.autoSave": "off",
  }),
);
// Where a program is, is a matter of the machine it runs on.
writeFileSync(path.join(folder, "data", "Machine", "settings.json"), JSON.stringify({ "kausal.path": process.env.KAUSAL ?? "kausal" }));
const server = process.env.CODE_SERVER ?? "code-server";
const options = ["--user-data-dir", path.join(folder, "data"), "--extensions-dir", path.join(folder, "extensions")];
const installed = spawnSync(server, [...options, "--install-extension", process.env.VSIX], { encoding: "utf8" });
expect("the extension is installed", installed.status === 0);
if (installed.status !== 0) console.log(installed.stdout, installed.stderr);

const port = 20000 + Math.floor(Math.random() * 20000);
const running = spawn(server, [...options, "--auth", "none", "--bind-addr", `127.0.0.1:${port}`, "--disable-telemetry", "--disable-update-check", workspace], {
  stdio: "ignore",
});
let browser;
try {
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
  const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
  page.setDefaultTimeout(Number(process.env.PATIENCE ?? 60000));
  for (let attempt = 0; ; attempt++) {
    try {
      await page.goto(`http://127.0.0.1:${port}/?folder=${encodeURIComponent(workspace)}`);
      break;
    } catch (error) {
      if (attempt > 60) throw error;
      await new Promise((done) => setTimeout(done, 500));
    }
  }
  await page.locator(".monaco-workbench").waitFor();
  const palette = async (text) => {
    await page.keyboard.press("F1");
    const input = page.locator(".quick-input-widget input").first();
    await input.waitFor();
    await input.fill(`>${text}`);
    await page.locator(".quick-input-list .monaco-list-row.focused", { hasText: text }).waitFor();
    await page.keyboard.press("Enter");
  };
  const open = async (name) => {
    await page.keyboard.press("Control+P");
    const input = page.locator(".quick-input-widget input").first();
    await input.waitFor();
    await input.fill(name);
    await page.locator(".quick-input-list .monaco-list-row", { hasText: name }).first().waitFor();
    await page.keyboard.press("Enter");
    await page.locator(".tab", { hasText: name }).first().waitFor();
  };
  await open("A.mo");
  const squiggle = page.locator(".squiggly-error").first();
  await squiggle.waitFor();
  expect("diagnostics", true);
  await page.locator(".codelens-decoration a", { hasText: "Simulate" }).first().waitFor();
  expect("code lenses", true);
  await page.keyboard.press("F8");
  await page.keyboard.press("Escape");
  await page.locator(".view-line", { hasText: "rates" }).first().locator("span", { hasText: "rates" }).last().click();
  await page.keyboard.press("Control+.");
  const fix = page.locator(".action-widget .monaco-list-row, .context-view .monaco-list-row", { hasText: "Replace by rate" }).first();
  await fix.waitFor();
  await page.keyboard.press("Enter");
  await squiggle.waitFor({ state: "detached" });
  expect("the quick fix is applied, and the error is gone", true);
  await palette("Format Document");
  await page.keyboard.press("Control+s");
  await page.waitForTimeout(1000);
  expect("the file is saved", readFileSync(path.join(workspace, "P", "A.mo"), "utf8").includes("-rate*x"));
  for (const [command, title] of [
    ["Kausal: Simulate", "P.A"],
    ["Kausal: Explain", "P.A: report"],
    ["Kausal: Draw", "P.A: diagram"],
  ]) {
    await page.locator(".view-line").first().click();
    await palette(command);
    await page.locator(".tab", { hasText: title }).first().waitFor();
    expect(`the panel of ${command}`, (await page.locator("iframe.webview").count()) > 0);
    await page.keyboard.press("Control+1");
  }
} catch (error) {
  if (process.env.PICTURE) await browser?.contexts()[0]?.pages()[0]?.screenshot({ path: process.env.PICTURE });
  console.log(String(error).slice(0, 2000));
  expect("the session goes through", false);
} finally {
  await browser?.close();
  running.kill();
}
process.exit(failed ? 1 : 0);
