//! What other programs make of our files: DyMat of the MAT files, pyarrow of the Parquet files, Chromium of the pages.
//!
//! Each test is skipped, with a note, where the other program is not there. `PYTHON` may name the Python to use.

use std::path::Path;
use std::process::{Command, Output};

fn kausal(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kausal"));
    let output = command.current_dir(folder).env_remove("MODELICAPATH").args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A ball that bounces once: sqrt(2/9.81) is the instant, half the speed is left.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let model = "model Ball
  parameter Real e = 0.5 \"Restitution\";
  Real h(start = 1, fixed = true, unit = \"m\") \"Height\";
  Real v(start = 0, fixed = true, unit = \"m/s\");
  Real depth = -h;
equation
  der(h) = v;
  der(v) = -9.81;
  when h < 0 then
    reinit(v, -e*pre(v));
  end when;
  annotation (experiment(StopTime = 0.8));
end Ball;";
    std::fs::write(folder.path().join("Ball.mo"), model).unwrap();
    folder
}

/// Runs a script, or gives `None` when Python or a module is not there.
fn python(folder: &Path, modules: &[&str], script: &str) -> Option<String> {
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".into());
    let run = |script: &str| -> Option<Output> {
        Command::new(&python).current_dir(folder).args(["-c", script]).output().ok()
    };
    let imports: String = modules.iter().map(|m| format!("import {m}\n")).collect();
    if run(&imports).is_none_or(|o| !o.status.success()) {
        eprintln!("skipped: there is no Python with {}", modules.join(" and "));
        return None;
    }
    let output = run(&format!("{imports}{script}"))?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn dymat_reads_mat_files() {
    let folder = folder();
    kausal(folder.path(), &["simulate", "Ball.mo", "-o", "a.mat", "-o", "a.csv"]);
    let script = "
d = DyMat.DyMatFile('a.mat')
print(sorted(d.names()))
print(d.description('h'))
print(d.data('e')[0], d.data('depth')[0], d.data('v')[-1] == -d.data('v')[-1] * -1)
t = d.abscissa(2)[0]
print(t[0], t[-1], len(t) == len(d.data('h')), len(d.data('h')))
print(max(abs(d.data('h') + d.data('depth'))))
";
    let Some(said) = python(folder.path(), &["DyMat"], script) else { return };
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[0], "['depth', 'der(h)', 'der(v)', 'e', 'h', 'v']");
    assert_eq!(lines[1], "Height [m]");
    assert_eq!(lines[2], "0.5 -1.0 True");
    let rows = std::fs::read_to_string(folder.path().join("a.csv")).unwrap().lines().count() - 1;
    assert_eq!(lines[3], format!("0.0 0.8 True {rows}"));
    assert_eq!(lines[4], "0.0");
}

#[test]
fn pyarrow_reads_parquet_files() {
    let folder = folder();
    kausal(folder.path(), &["simulate", "Ball.mo", "-o", "a.parquet", "-o", "a.csv"]);
    let script = "
t = pyarrow.parquet.read_table('a.parquet')
print(t.schema.names)
import csv
rows = [[float(x) for x in r] for r in list(csv.reader(open('a.csv')))[1:]]
print(all([c[i] for c in map(lambda c: c.to_pylist(), t.columns)] == rows[i] for i in (0, 1, len(rows) - 1)))
print(t.num_rows == len(rows), t.column('h').null_count)
print(b'Height' in t.schema.metadata[b'kausal'])
";
    let Some(said) = python(folder.path(), &["pyarrow.parquet"], script) else { return };
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[0], "['time', 'e', 'h', 'v', 'depth', 'der(h)', 'der(v)']");
    assert_eq!(lines[1..], ["True", "True 0", "True"]);
}

/// A page after its script has run; nothing where there is no browser. It must have no complaints.
fn rendered(folder: &Path, file: &str) -> Option<String> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let Some(browser) = names.iter().find(|n| Command::new(n).arg("--version").output().is_ok()) else {
        eprintln!("skipped: there is no Chromium");
        return None;
    };
    let page = format!("file://{}", folder.join(file).display());
    let output = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--enable-logging=stderr",
            "--virtual-time-budget=2000",
        ])
        .args([&format!("--user-data-dir={}", folder.join("profile").display()), "--dump-dom", &page])
        .output()
        .unwrap();
    let (dom, log) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if dom.is_empty() {
        eprintln!("skipped: Chromium does not run here: {log}");
        return None;
    }
    assert!(!log.contains("CONSOLE"), "{log}");
    Some(dom.into_owned())
}

/// Panels, names and the list are there, and the canvases have been drawn on.
#[test]
fn chromium_shows_plots() {
    let folder = folder();
    kausal(folder.path(), &["simulate", "Ball.mo", "--plot", "h,v", "--plot-file", "a.html"]);
    // The page may be handed over before its first frame is drawn.
    const TRIES: usize = 5;
    let drawn = |dom: &str| dom.matches("<canvas width=").count();
    let Some(mut dom) = rendered(folder.path(), "a.html") else { return };
    for _ in 1..TRIES {
        if drawn(&dom) == 2 {
            break;
        }
        let Some(again) = rendered(folder.path(), "a.html") else { return };
        dom = again;
    }
    assert_eq!(drawn(&dom), 2, "drawn: {dom}");
    for part in ["h [m]", "v [m/s]", "type=\"checkbox\"", "data-theme=\"light\""] {
        assert!(dom.contains(part), "{part}: {dom}");
    }
}

/// The matrix has been drawn, loops and components are listed.
#[test]
fn chromium_shows_explanations() {
    let folder = folder();
    let model = "model Loop
  Real x(start = 1, fixed = true), a, b;
equation
  der(x) = a;
  a + sin(b) = x;
  a*b + b = 1;
end Loop;";
    std::fs::write(folder.path().join("Loop.mo"), model).unwrap();
    kausal(folder.path(), &["explain", "Loop.mo", "--html", "e.html"]);
    let Some(dom) = rendered(folder.path(), "e.html") else { return };
    for part in ["<canvas id=\"matrix\"", "Loop 1: 2 equations, nonlinear", "1 loops", "(the model itself)"] {
        assert!(dom.contains(part), "{part}: {dom}");
    }
    assert!(dom.contains("width=\""), "drawn: {dom}");
}
