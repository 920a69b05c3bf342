//! `simulate --audit`: what it adds to the summary, the JSON, plots and reports, and what it leaves as it is.

use std::path::Path;

use serde_json::Value;
use support::{ball, done, kausal, text};

mod support;

fn json(folder: &Path, arguments: &[&str]) -> Value {
    serde_json::from_str(&done(folder, arguments)).expect("one JSON object")
}

#[test]
fn the_summary_and_the_json_have_estimates() {
    let folder = ball();
    let at = folder.path();
    let words = done(at, &["simulate", "Ball.mo", "--audit"]);
    assert!(words.contains("audit with radau at tolerance 1e-9"), "{words}");
    assert!(
        words.contains("1 change of a condition in both runs") || words.contains("2 changes of conditions"),
        "{words}"
    );
    let said = json(at, &["simulate", "Ball.mo", "--audit", "--json"]);
    assert_eq!((&said["audit"]["method"], &said["audit"]["tolerance"]), (&"radau".into(), &1e-9.into()));
    let signals = said["audit"]["signals"].as_array().expect("signals");
    let named = |name: &str| signals.iter().find(|s| s["name"] == name).expect("a signal");
    for name in ["h", "v", "depth"] {
        for part in ["error", "relative", "at"] {
            assert!(named(name)[part].is_f64(), "{name}: {part}");
        }
    }
    // What is always opposite is as wrong, and a parameter is not wrong at all.
    assert_eq!(named("h")["error"], named("depth")["error"]);
    assert!(!signals.iter().any(|s| s["name"] == "e"));
    assert_eq!(said["audit"]["events"]["only_in_run"], 0);
    assert_eq!(said["warnings"], serde_json::json!([]));
    assert!(json(at, &["simulate", "Ball.mo", "--json"]).get("audit").is_none());
}

/// Euler's method with long steps: a warning, and a band that is seen.
#[test]
fn plots_and_reports_show_it() {
    let folder = ball();
    let at = folder.path();
    let coarse = ["simulate", "Ball.mo", "--audit", "--method", "euler", "--step", "0.02", "--plot", "h"];
    let files =
        ["--plot-file", "h.svg", "--plot-file", "h.html", "--plot-file", "h.png", "--report", "r.html"];
    let output = kausal(at, &[&coarse[..], &files].concat());
    assert!(output.status.success() && text(&output.stderr).contains("warning[K0551]"), "{output:?}");
    let read = |name: &str| std::fs::read_to_string(at.join(name)).expect("a file");
    let svg = read("h.svg");
    assert!(svg.contains("fill-opacity") && svg.contains(">h ± 0."), "{svg}");
    assert!(read("h.html").contains("\"band\":"));
    let report = read("r.html");
    assert!(report.contains("<pre id=\"audit\">audit with radau") && report.contains("fill-opacity"));
}

#[test]
fn result_files_stay_as_they_are() {
    let folder = ball();
    let at = folder.path();
    done(at, &["simulate", "Ball.mo", "-o", "a.csv"]);
    done(at, &["simulate", "Ball.mo", "-o", "b.csv", "--audit"]);
    let read = |name: &str| std::fs::read(at.join(name)).expect("a file");
    assert!(read("a.csv") == read("b.csv"));
}

/// A run that fails is said as always, and nothing else.
#[test]
fn a_failed_run_is_not_audited() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let model =
        "model F Real x(start = 1, fixed = true); equation der(x) = -x; assert(x > 0.5, \"too low\"); end F;";
    std::fs::write(at.join("F.mo"), model).expect("a file");
    let output = kausal(at, &["simulate", "F.mo", "--audit"]);
    let said = text(&output.stderr);
    assert!(output.status.code() == Some(1) && said.contains("too low") && !said.contains("K055"), "{said}");
}

/// Both runs are in a function that does not end; Ctrl-C ends both.
#[cfg(unix)]
#[test]
fn both_runs_can_be_interrupted() {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let model = "model F function f input Real n; output Real y; algorithm y := n; while y >= 0.5 loop y := y + 1; end while; end f;
      Real y = f(time), x(start = 1, fixed = true); equation der(x) = -x; end F;";
    std::fs::write(at.join("F.mo"), model).expect("a file");
    let mut command = support::command(at, &["simulate", "F.mo", "--audit"]);
    let child = command.stderr(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a process");
    std::thread::sleep(Duration::from_millis(700));
    let begin = Instant::now();
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(sent.success());
    let output = child.wait_with_output().expect("an end");
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
    assert!(text(&output.stderr).contains("error[K0522]: stopped at time"), "{output:?}");
}
