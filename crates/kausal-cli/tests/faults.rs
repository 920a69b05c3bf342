//! Faults of the program itself: one diagnostic with a code, no backtrace, results so far are kept.

use support::{command, text};

mod support;

fn fails_in(stage: &str, arguments: &[&str]) -> (tempfile::TempDir, std::process::Output) {
    let folder = tempfile::tempdir().expect("a folder");
    let model = "model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;";
    std::fs::write(folder.path().join("M.mo"), model).expect("a file");
    let mut command = command(folder.path(), arguments);
    let output = command.env("KAUSAL_TEST_FAULT", stage).env_remove("RUST_BACKTRACE").output();
    (folder, output.expect("an output"))
}

fn is_one_diagnostic(output: &std::process::Output) {
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("error[K0990]: internal error: asked for by"), "{said}");
    assert!(said.contains("please report it") && said.contains("crates/kausal-cli/src/"), "{said}");
    assert!(
        !said.contains("panicked") && !said.contains("RUST_BACKTRACE") && !said.contains("stack"),
        "{said}"
    );
    assert_eq!(said.matches("error[").count(), 1, "{said}");
}

#[test]
fn a_fault_in_a_command_is_a_diagnostic() {
    for arguments in [&["check", "M.mo"][..], &["examples"], &["translate", "M.mo", "--json"]] {
        let (_folder, output) = fails_in("command", arguments);
        is_one_diagnostic(&output);
    }
}

#[test]
fn a_fault_in_a_run_keeps_the_results_so_far() {
    for file in ["a.csv", "a.mat", "a.parquet"] {
        let run = ["simulate", "M.mo", "-o", file, "--output-interval", "0.1", "--max-step", "0.1"];
        let (folder, output) = fails_in("run", &run);
        is_one_diagnostic(&output);
        let kept = kausal::store::read(&folder.path().join(file)).expect("a result");
        let (time, x) = (&kept.time, kept.get("x").expect("a signal"));
        assert!(time.len() >= 5 && time[time.len() - 1] < 0.9, "{time:?}");
        for (t, x) in time.iter().zip(x) {
            assert!((x - (-t).exp()).abs() < 1e-5, "{x} at {t}");
        }
    }
}

#[test]
fn the_version_says_what_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = command(folder.path(), &["--version"]).output().expect("an output");
    let said = text(&output.stdout);
    assert!(said.starts_with("kausal ") && said.contains("simulator for Modelica"), "{said}");
}
