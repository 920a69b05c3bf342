//! The commands of the guide work as they are printed: every line that begins with `kausal` in a block of shell commands
//! is run, in the order of the page, in a folder of its own.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The words of a line; what stands in single quotes is one.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            c => words.last_mut().expect("there is one").push(c),
        }
    }
    words.retain(|w| !w.is_empty());
    words
}

fn commands(page: &Path) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(page).expect("the page");
    let mut inside = false;
    let mut commands = Vec::new();
    for line in text.lines() {
        match line {
            "```sh" => inside = true,
            "```" => inside = false,
            line if inside && line.starts_with("kausal ") => commands.push(words(line)),
            _ => {}
        }
    }
    commands
}

#[test]
fn commands_about_results() {
    let page = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/results.md");
    let commands = commands(&page);
    assert!(commands.len() >= 6, "{commands:?}");
    let folder = tempfile::tempdir().unwrap();
    for command in commands {
        let mut run = Command::new(env!("CARGO_BIN_EXE_kausal"));
        let output =
            run.args(&command[1..]).current_dir(folder.path()).env_remove("MODELICAPATH").output().unwrap();
        assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
    for file in ["rc.csv", "few.csv", "steps.csv", "rc.mat", "rc.parquet", "rc.svg", "rc.png", "rc.html"] {
        assert!(std::fs::metadata(folder.path().join(file)).is_ok_and(|m| m.len() > 100), "{file}");
    }
}
