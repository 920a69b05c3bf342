//! Pages in a browser: they are drawn, answer to the pointer, the wheel and the keyboard, and nothing complains.
//!
//! Each test adds a script to a page that does what a person would, and notes what it sees in the page; headless
//! Chromium hands the page back. Skipped, with a note, where there is no Chromium.

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use support::{ball, done, kausal};

mod support;

/// What the scripts of the tests have at hand.
const HELPERS: &str = r#"
const seen = {};
const byId = id => document.getElementById(id);
const frame = () => new Promise(done => setTimeout(done, 60));
const fire = (target, type, x, y, more) => {
  const r = target.getBoundingClientRect();
  const make = type === "wheel" ? WheelEvent : PointerEvent;
  target.dispatchEvent(new make(type, { bubbles: true, cancelable: true, clientX: r.left + x, clientY: r.top + y, ...more }));
};
const finish = () => {
  const note = document.createElement("pre");
  note.id = "seen";
  note.textContent = JSON.stringify(seen);
  document.body.append(note);
};
"#;

/// What a script notes about a page; nothing where there is no browser. The page must have no complaints.
fn visit(folder: &Path, file: &str, script: &str) -> Option<Value> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let Some(browser) = names.iter().find(|n| Command::new(n).arg("--version").output().is_ok()) else {
        eprintln!("skipped: there is no Chromium");
        return None;
    };
    let page = std::fs::read_to_string(folder.join(file)).unwrap();
    // Frames come at once: where time is virtual, nobody can say when they are drawn.
    let errors = "<script>window.addEventListener('error', e => console.error('uncaught', e.message));\
                  window.requestAnimationFrame = f => { f(performance.now()); return 0; };</script>";
    let actions = format!(
        "<script>{HELPERS}(async () => {{ await frame(); try {{ {script} }} catch (e) {{ seen.error = String(e.stack || e); }} finish(); }})();</script></body>"
    );
    let page = page.replacen("<head>", &format!("<head>{errors}"), 1).replacen("</body>", &actions, 1);
    let visited = folder.join(format!("visited-{file}"));
    std::fs::write(&visited, page).unwrap();
    // The page may be handed over too early where the machine is busy.
    const TRIES: usize = 4;
    for _ in 0..TRIES {
        let output = Command::new(browser)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr"])
            .args(["--window-size=1200,900", "--virtual-time-budget=8000", "--force-prefers-reduced-motion"])
            .arg(format!("--user-data-dir={}", folder.join("profile").display()))
            .args(["--dump-dom", &format!("file://{}", visited.display())])
            .output()
            .unwrap();
        let (dom, log) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        if dom.is_empty() {
            eprintln!("skipped: Chromium does not run here: {log}");
            return None;
        }
        assert!(!log.contains("CONSOLE"), "{log}");
        if let Some(at) = dom.find("<pre id=\"seen\">") {
            let note = &dom[at + 15..];
            let note = &note[..note.find("</pre>").unwrap()];
            let note = note.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
            let seen: Value = serde_json::from_str(&note).unwrap_or_else(|e| panic!("{e}: {note}"));
            assert_eq!(seen["error"], Value::Null, "{seen}");
            return Some(seen);
        }
    }
    panic!("the page never came to an end");
}

const REPORT: &str = r##"
const matrix = byId("matrix"), graph = byId("graph"), hint = byId("hint");
const data = JSON.parse(byId("data").textContent), n = data.equations.length;
seen.drawn = [matrix.dataset.drawn > 0, graph.dataset.drawn > 0];
seen.room = byId("order").offsetHeight > 0;
seen.counts = byId("counts").textContent;
// The last entry of the first loop, where it is drawn when everything is shown.
const block = data.blocks.find(b => b.is_loop), row = block.start + block.size - 1, column = data.entries[row].at(-1);
const scale = (Math.min(matrix.clientWidth, matrix.clientHeight) - 20) / n;
const x = matrix.clientWidth / 2 + (column + 0.5 - n / 2) * scale, y = matrix.clientHeight / 2 + (row + 0.5 - n / 2) * scale;
fire(matrix, "pointermove", x, y);
seen.hover = !hint.hidden && hint.textContent;
seen.wanted = [data.equations[row], data.unknowns[column]];
// The wheel scrolls the page until the matrix is chosen, then it zooms.
const before = matrix.toDataURL();
fire(matrix, "wheel", x, y, { deltaY: -100 });
await frame();
seen.scrolls = matrix.toDataURL() === before;
matrix.focus();
for (let i = 0; i < 4; i++) fire(matrix, "wheel", x, y, { deltaY: -100 });
await frame();
const zoomed = matrix.toDataURL();
seen.zooms = zoomed !== before;
fire(matrix, "pointermove", x, y);
seen.stays = hint.textContent.includes(data.unknowns[column]);
fire(matrix, "pointerdown", 300, 200); fire(matrix, "pointermove", 340, 260); fire(matrix, "pointerup", 340, 260);
await frame();
seen.moves = matrix.toDataURL() !== zoomed;
fire(matrix, "pointerleave", 0, 0);
seen.leaves = hint.hidden;
byId("all").click();
await frame();
const whole = matrix.toDataURL();
for (const order of ["model", "sorted"]) {
  document.querySelector(`input[value=${order}]`).click();
  await frame();
  seen[order] = matrix.toDataURL() !== whole;
}
// The graph: somewhere there is a block.
let found = "", spot = [0, 0];
for (let gx = 4; gx < graph.clientWidth && !found; gx += 8)
  for (let gy = 4; gy < graph.clientHeight && !found; gy += 8) {
    fire(graph, "pointermove", gx, gy);
    if (!byId("graph-hint").hidden) { found = byId("graph-hint").textContent; spot = [gx, gy]; }
  }
seen.graph = found;
// Who drags the graph by a block does not ask for the block; who clicks on it does.
const torn = document.querySelector("input[value=torn]"), [sx, sy] = spot;
fire(graph, "pointerdown", sx, sy); fire(graph, "pointermove", sx + 30, sy + 20); fire(graph, "pointerup", sx + 30, sy + 20);
fire(graph, "click", sx + 30, sy + 20);
seen.clicks = [torn.checked];
fire(graph, "pointerdown", sx + 30, sy + 20); fire(graph, "pointerup", sx + 30, sy + 20); fire(graph, "click", sx + 30, sy + 20);
seen.clicks.push(torn.checked);
const details = byId("loop-1");
details.open = true;
await frame();
seen.loop = details.textContent;
seen.math = document.querySelectorAll("math").length;
seen.fractions = document.querySelectorAll("mfrac").length;
seen.wide = [...document.querySelectorAll("body *")].filter(e => !e.closest(".hint, .paper, math, svg, .frame") && e.scrollWidth > e.clientWidth + 1 && ["auto", "scroll"].includes(getComputedStyle(e).overflowX)).map(e => e.outerHTML.slice(0, 80));
if (document.documentElement.scrollWidth > document.documentElement.clientWidth) seen.wide.push("the page");
seen.notes = [...document.querySelectorAll(".note")].map(e => e.textContent).join("; ");
seen.places = [...document.querySelectorAll("#equations .place")].map(e => e.textContent).join("; ");
// The keyboard alone: zoom in, and back to all of it.
matrix.focus();
const press = key => matrix.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
byId("all").click();
await frame();
const all = matrix.toDataURL();
press("+"); press("ArrowLeft");
await frame();
seen.keys = [matrix.toDataURL() !== all];
press("Home");
await frame();
seen.keys.push(matrix.toDataURL() === all);
const rows = byId("equations").rows.length;
byId("find").value = "zz nothing";
byId("find").dispatchEvent(new Event("input"));
seen.search = [rows, byId("equations").rows.length];
byId("theme").click();
await frame();
seen.theme = document.documentElement.dataset.theme;
window.dispatchEvent(new Event("beforeprint"));
seen.print = document.documentElement.dataset.theme;
seen.closed = [...document.querySelectorAll("#the-loops details")].filter(d => !d.open).length;
// On paper all of the matrix is there, in its three orders.
const dark = c => c.getContext("2d").getImageData(0, 0, c.width, c.height).data.some((v, i) => i % 4 === 3 && v > 0);
seen.paper = [...document.querySelectorAll(".paper canvas")].every(dark);
window.dispatchEvent(new Event("afterprint"));
seen.statistics = byId("run").textContent;
seen.curves = byId("run").querySelectorAll("path").length;
seen.bars = [byId("by-block").rows.length, byId("by-component").rows.length];
"##;

/// A model with a loop that is torn, a fraction, and an event.
fn loop_model(folder: &Path) {
    let model = "model Loop
  parameter Real R = 2;
  Real x(start = 1, fixed = true, unit = \"m\"), a, b, c;
equation
  der(x) = a/R - (if x > 0.5 then 1 else 0.5);
  a + sin(b) = x;
  a*b + c = 1;
  c = 2*b/R;
end Loop;";
    std::fs::write(folder.join("Loop.mo"), model).unwrap();
}

/// However many signals a plot has, there is room for their curves, and no two look the same.
#[test]
fn many_signals_leave_room_for_curves() {
    let folder = tempfile::tempdir().unwrap();
    let model = "model Many Real a_rather_long_name[40]; equation for i in 1:40 loop a_rather_long_name[i] = i*time; end for; end Many;";
    std::fs::write(folder.path().join("Many.mo"), model).unwrap();
    done(folder.path(), &["simulate", "Many.mo", "--plot", "a_*", "--plot-file", "many.html"]);
    let script = r##"
const canvas = document.querySelector(".area canvas"), legend = document.querySelector(".legend");
seen.heights = [canvas.clientHeight, legend.clientHeight];
seen.names = legend.children.length;
seen.looks = new Set([...legend.querySelectorAll("i")].map(i => i.style.background)).size;
"##;
    let Some(seen) = visit(folder.path(), "many.html", script) else { return };
    assert_eq!(seen["names"], 40, "{seen}");
    let heights: Vec<f64> = seen["heights"].as_array().unwrap().iter().filter_map(Value::as_f64).collect();
    assert!(heights[0] >= 150.0 && heights[1] <= 160.0, "{seen}");
    assert!(seen["looks"].as_u64() >= Some(24), "{seen}");
}

#[test]
fn the_report_answers() {
    let folder = tempfile::tempdir().unwrap();
    loop_model(folder.path());
    done(folder.path(), &["simulate", "Loop.mo", "--report", "report.html", "--plot", "x,a"]);
    let Some(seen) = visit(folder.path(), "report.html", REPORT) else { return };
    assert_eq!((&seen["drawn"], &seen["room"]), (&serde_json::json!([true, true]), &true.into()));
    assert!(seen["counts"].as_str().unwrap().ends_with("1 loop"), "{seen}");
    // Nothing is wider than the page, and no part has arrows of its own to scroll sideways.
    assert_eq!(seen["wide"], serde_json::json!([]), "{seen}");
    assert!(
        seen["notes"].as_str().unwrap().contains("watched: an event when 0.5 < x becomes true or false"),
        "{seen}"
    );
    assert!(!seen["places"].as_str().unwrap().contains(['(', ')']), "{seen}");
    assert_eq!(seen["paper"], true, "{seen}");
    assert_eq!(seen["closed"], 0, "{seen}");
    assert_eq!(seen["clicks"], serde_json::json!([false, true]), "{seen}");
    assert_eq!(seen["keys"], serde_json::json!([true, true]), "{seen}");
    let hover = seen["hover"].as_str().expect("a hint");
    for wanted in seen["wanted"].as_array().unwrap() {
        assert!(hover.contains(wanted.as_str().unwrap()), "{wanted}: {hover}");
    }
    for what in ["scrolls", "zooms", "stays", "moves", "leaves", "model", "sorted"] {
        assert_eq!(seen[what], true, "{what}: {seen}");
    }
    assert!(seen["graph"].as_str().unwrap().contains("needs"), "{seen}");
    let the_loop = seen["loop"].as_str().unwrap();
    for part in ["Given", "these follow one from another", "must hold", "Loop.mo:", "line by line"] {
        assert!(the_loop.contains(part), "{part}: {the_loop}");
    }
    assert!(seen["math"].as_u64().unwrap() > 3 && seen["fractions"].as_u64().unwrap() > 0, "{seen}");
    assert!(seen["search"][0].as_u64().unwrap() > 3 && seen["search"][1] == 0, "{seen}");
    assert_eq!((&seen["theme"], &seen["print"]), (&"dark".into(), &"light".into()));
    assert!(seen["statistics"].as_str().unwrap().contains("Newton iterations"), "{seen}");
    assert!(seen["curves"].as_u64().unwrap() > 10, "{seen}");
    assert!(seen["bars"][0].as_u64().unwrap() > 0 && seen["bars"][1].as_u64().unwrap() > 0, "{seen}");
}

/// The robot and a model of 5,000 equations: small enough to be sent around, and they answer as well. How long they take
/// to open is measured by `bench/report`.
#[test]
fn large_reports_answer() {
    let folder = tempfile::tempdir().unwrap();
    let chain = "model Long extends Kausal.Examples.Chain(f = 22); end Long;";
    std::fs::write(folder.path().join("Long.mo"), chain).unwrap();
    done(folder.path(), &["explain", "Kausal.Examples.Robot", "--html", "robot.html"]);
    done(folder.path(), &["explain", "Long.mo", "--html", "long.html"]);
    for page in ["robot.html", "long.html"] {
        let size = std::fs::metadata(folder.path().join(page)).unwrap().len();
        assert!(size < 8_000_000, "{page}: {size} bytes");
        let Some(seen) = visit(folder.path(), page, REPORT) else { return };
        for what in ["zooms", "moves", "model", "leaves"] {
            assert_eq!(seen[what], true, "{page}, {what}: {seen}");
        }
        assert!(seen["hover"].as_str().is_some_and(|h| h.contains("in loop")), "{seen}");
        // Hundreds of blocks have no room for their names, and a graph without them tells nothing.
        assert_eq!(seen["room"], false, "{page}: {seen}");
        assert!(seen["math"].as_u64().unwrap() > 50, "{seen}");
    }
}

const PLOT: &str = r#"
const canvases = () => [...document.querySelectorAll("canvas")];
const pictures = () => canvases().map(c => c.toDataURL());
seen.panels = canvases().length;
seen.legend = byId("panels").textContent;
const [first] = canvases();
const before = pictures();
// Zooming in one panel zooms all.
fire(first, "wheel", 400, 60, { deltaY: -100 });
await frame();
const zoomed = pictures();
seen.together = zoomed.every((picture, i) => picture !== before[i]);
fire(first, "pointermove", 400, 60);
await frame();
seen.cursor = byId("readout").textContent;
fire(first, "pointerleave", 0, 0);
fire(first, "dblclick", 400, 60);
await frame();
seen.back = pictures().every((picture, i) => picture === before[i]);
byId("events").click();
await frame();
seen.events = pictures().every((picture, i) => picture !== before[i]);
const rows = () => [...byId("list").querySelectorAll(".row")];
const listed = rows().length;
byId("kind-parameters").click();
seen.parameters = rows().map(r => r.textContent);
byId("kind-signals").click();
byId("search").value = "dep*";
byId("search").dispatchEvent(new Event("input"));
seen.found = [listed, rows().length, byId("list").textContent];
byId("list").querySelector("input").click();
await frame();
seen.added = document.querySelectorAll(".legend i").length;
byId("theme").click();
seen.theme = document.documentElement.dataset.theme;
"#;

#[test]
fn plots_answer() {
    let folder = ball();
    done(folder.path(), &["simulate", "Ball.mo", "--plot", "h,v", "--plot-file", "ball.html"]);
    let Some(seen) = visit(folder.path(), "ball.html", PLOT) else { return };
    assert_eq!(seen["panels"], 2);
    let legend = seen["legend"].as_str().unwrap();
    assert!(legend.contains("h [m]") && legend.contains("v [m/s]"), "{legend}");
    for what in ["together", "back", "events"] {
        assert_eq!(seen[what], true, "{what}: {seen}");
    }
    assert!(seen["cursor"].as_str().unwrap().starts_with("t = 0."), "{seen}");
    assert!(seen["found"][0].as_u64().unwrap() > 3 && seen["found"][1] == 1, "{seen}");
    assert_eq!(seen["parameters"][0], "e0.5", "{seen}");
    assert_eq!((&seen["added"], &seen["theme"]), (&3.into(), &"dark".into()));
}

/// Formulas of all kinds become mathematics, and only what is no formula stays text.
#[test]
fn formulas_become_mathematics() {
    let folder = tempfile::tempdir().unwrap();
    loop_model(folder.path());
    done(folder.path(), &["explain", "Loop.mo", "--html", "page.html"]);
    let script = r#"
const shown = text => { const e = formulas.show(text); return e.querySelector("code") ? "text" : e.textContent.replace(/\u200b/g, ""); };
seen.sum = shown("a.b + c[1]*sin(x) = -y^2");
seen.cases = shown("y = 1 + (if a < 1 then 2 elseif b then 3 else 4)*x");
seen.stage = shown("x@1 = old(x) + h*der(x)@1");
seen.digits = shown("y = 0.12345678901*x + 1e-7");
seen.text = shown("solve 2 × 2 for x, y");
const long = formulas.show("y = " + Array.from({ length: 300 }, (_, i) => "x[" + (i + 1) + "]").join(" + "));
seen.short = long.textContent.length < 400;
long.querySelector("button").click();
seen.long = long.textContent.endsWith("x[300]");
"#;
    let Some(seen) = visit(folder.path(), "page.html", script) else { return };
    assert_eq!(seen["sum"], "a.b+c1⋅sin(x)=−y2");
    assert_eq!(seen["cases"], "y=1+2if a<13if b4otherwise⋅x");
    assert_eq!(seen["stage"], "x(1)=old(x)+h⋅x˙(1)");
    assert_eq!(seen["digits"], "y=0.123457…⋅x+1e-7");
    assert_eq!((&seen["text"], &seen["short"], &seen["long"]), (&"text".into(), &true.into(), &true.into()));
}

/// The page of a model without a solution: formulas with their places, and no complaints.
#[test]
fn singular_models_have_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let model = "model Twice Real x, y; equation x + y = 1; x - y = 2; x + 2*y = 3*time; end Twice;";
    std::fs::write(folder.path().join("Twice.mo"), model).unwrap();
    let output = kausal(folder.path(), &["explain", "Twice.mo", "--html", "twice.html"]);
    assert_eq!(output.status.code(), Some(1));
    let script = "seen.text = document.body.innerText; seen.math = document.querySelectorAll('math').length;";
    let Some(seen) = visit(folder.path(), "twice.html", script) else { return };
    let said = seen["text"].as_str().unwrap();
    assert!(said.contains("3 equations for only 2 unknowns") && said.contains("Twice.mo:1"), "{said}");
    assert!(seen["math"].as_u64().unwrap() >= 3, "{seen}");
}

/// Where events lie close together the curves stay to be seen, and so do the events.
#[test]
fn many_events_are_marks() {
    let folder = tempfile::tempdir().unwrap();
    let model = "model Ticks
  discrete Real n(start = 0, fixed = true);
equation
  when sample(0, 0.001) then
    n = pre(n) + 1;
  end when;
end Ticks;";
    std::fs::write(folder.path().join("Ticks.mo"), model).unwrap();
    done(folder.path(), &["simulate", "Ticks.mo", "--plot", "n", "--plot-file", "ticks.html"]);
    let script = r#"
const canvas = document.querySelector("canvas");
const before = canvas.toDataURL();
seen.count = byId("event-count").textContent;
byId("events").click();
await frame();
seen.changed = canvas.toDataURL() !== before;
"#;
    let Some(seen) = visit(folder.path(), "ticks.html", script) else { return };
    let count = seen["count"].as_str().unwrap();
    assert!(
        count.ends_with(" events") && count.trim_end_matches(" events").parse::<u32>().unwrap() > 900,
        "{seen}"
    );
    assert_eq!(seen["changed"], true, "{seen}");
}
