//! `kausal simulate -o`, `kausal compare` and `kausal plot` on files.

use std::process::Output;

use serde_json::Value;
use support::{kausal, text};

mod support;

fn stdout(output: &Output) -> String {
    text(&output.stdout)
}

fn stderr(output: &Output) -> String {
    text(&output.stderr)
}

/// A folder with a model that has states, aliases of both signs, parameters and an event, and its result.
fn simulated() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let model = "model Ball \"A ball\"
      parameter Real e = 0.5 \"Restitution\";
      Real h(start = 1, fixed = true, unit = \"m\") \"Height\";
      Real v(start = 0, fixed = true);
      Real depth = -h;
      Real same = v;
    equation
      der(h) = v;
      der(v) = -10;
      when h < 0 then
        reinit(v, -e*pre(v));
      end when;
      annotation (experiment(StopTime = 0.7));
    end Ball;";
    std::fs::write(folder.path().join("Ball.mo"), model).unwrap();
    let output =
        kausal(folder.path(), &["simulate", "Ball.mo", "-o", "a.csv", "-o", "a.mat", "-o", "a.parquet"]);
    assert!(output.status.success(), "{}", stderr(&output));
    folder
}

#[test]
fn all_formats_say_the_same() {
    let folder = simulated();
    for pair in [["a.csv", "a.mat"], ["a.mat", "a.csv"], ["a.parquet", "a.csv"], ["a.mat", "a.parquet"]] {
        let output = kausal(
            folder.path(),
            &[
                "compare",
                pair[0],
                pair[1],
                "--tolerance",
                "0",
                "--floor",
                "0",
                "--noise",
                "0",
                "--time-tolerance",
                "0",
            ],
        );
        assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
    }
    let csv = std::fs::read_to_string(folder.path().join("a.csv")).unwrap();
    for name in ["\"depth\"", "\"same\"", "\"e\"", "\"der(v)\""] {
        assert!(csv.lines().next().unwrap().contains(name), "{name}");
    }
    // The ball hits the ground at sqrt(0.2) with sqrt(20): the event has two rows, with v before and after.
    let hit: Vec<Vec<&str>> =
        csv.lines().filter(|l| l.starts_with("0.44721359")).map(|l| l.split(',').collect()).collect();
    let column = csv.lines().next().unwrap().split(',').position(|n| n == "\"v\"").unwrap();
    let speed = |row: usize| hit[row][column].parse::<f64>().unwrap();
    assert_eq!(hit[0][0], hit[1][0]);
    assert!(
        (speed(0) + 20f64.sqrt()).abs() < 1e-5 && (speed(1) - 0.5 * 20f64.sqrt()).abs() < 1e-5,
        "{hit:?}"
    );
}

#[test]
fn deviations_are_named_and_counted() {
    let folder = simulated();
    let other = kausal(folder.path(), &["simulate", "Ball.mo", "-o", "b.csv", "--set", "e=0.6"]);
    assert!(other.status.success(), "{}", stderr(&other));
    let output = kausal(folder.path(), &["compare", "b.csv", "a.csv", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let report: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(report["agrees"], false);
    let names: Vec<&str> =
        report["deviations"].as_array().unwrap().iter().map(|d| d["signal"].as_str().unwrap()).collect();
    assert!(names.contains(&"e") && names.contains(&"h") && !names.contains(&"der(v)"), "{names:?}");
    // Before the bounce nothing differs, and der(v) never does.
    let output = kausal(folder.path(), &["compare", "b.csv", "a.csv", "--signals", "der(v)"]);
    assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(0), "1 of 1 signals agree\n"));
    let output = kausal(folder.path(), &["compare", "b.csv", "a.csv", "--tolerance", "10"]);
    assert!(
        stdout(&output).contains("e leaves the tube at time 0; at 0 it is 0.6 instead of 0.5"),
        "{}",
        stdout(&output)
    );
}

#[test]
fn plots_go_to_the_terminal_or_a_file() {
    let folder = simulated();
    let output = kausal(folder.path(), &["plot", "a.mat", "h", "v"]);
    assert!(output.status.success() && stdout(&output).starts_with("h [m]\n"), "{}", stdout(&output));
    assert!(stdout(&output).contains("\nv\n"), "{}", stdout(&output));
    let output = kausal(folder.path(), &["plot", "a.csv", "h", "--plot-file", "h.svg"]);
    assert!(output.status.success() && stdout(&output).is_empty());
    assert!(std::fs::read_to_string(folder.path().join("h.svg")).unwrap().starts_with("<svg"));
    let output = kausal(folder.path(), &["plot", "a.csv", "dept"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("did you mean depth?"), "{}", stderr(&output));
}

#[test]
fn files_that_are_no_results_are_refused() {
    let folder = simulated();
    for (arguments, message) in [
        (vec!["compare", "a.csv", "missing.csv"], "cannot read missing.csv"),
        (vec!["compare", "a.csv", "Ball.mo"], "results are .csv, .mat or .parquet files"),
        (vec!["plot", "bad.mat"], "bad.mat is not a result"),
        (vec!["compare", "a.csv", "a.csv", "--signals", "nothing"], "there is no signal to compare"),
    ] {
        std::fs::write(folder.path().join("bad.mat"), "no matrix at all, only text").unwrap();
        let output = kausal(folder.path(), &arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(stderr(&output).contains(message), "{}", stderr(&output));
    }
}
