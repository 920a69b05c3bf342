//! `docs/papers.md` is true: each of its commands prints the figure that stands in its table.

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What a command of the page prints as the papers' count, and for derivatives, where that is less.
fn printed(command: &str) -> (String, Option<String>) {
    let words = command.split_whitespace().skip(1);
    let output = Command::new(env!("CARGO_BIN_EXE_kausal")).current_dir(root()).args(words).output();
    let output = output.expect("the program");
    assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    let line = text.lines().find_map(|l| l.strip_prefix("as the papers count: "));
    let line = line.unwrap_or_else(|| panic!("{command}: {text}")).split(';').next().unwrap_or_default();
    match line.split_once(", of which derivatives need ") {
        Some((total, derivatives)) => (total.to_owned(), Some(derivatives.to_owned())),
        None => (line.to_owned(), None),
    }
}

/// The first part of a cell: `10 MULT + 10 ADD`.
fn figure(cell: &str) -> &str {
    cell.split(';').next().unwrap_or_default().trim()
}

#[test]
fn commands_print_the_figures() {
    let page = std::fs::read_to_string(root().join("docs/papers.md")).expect("docs/papers.md");
    let rows: Vec<Vec<&str>> = page
        .lines()
        .skip_while(|l| !l.starts_with("| | system |"))
        .skip(2)
        .take_while(|l| l.starts_with('|'))
        .map(|l| l.split(" | ").collect())
        .collect();
    let commands: Vec<&str> = page.lines().filter(|l| l.starts_with("kausal translate ")).collect();
    assert!(rows.len() >= 18 && commands.len() >= 2 * rows.len(), "{} rows", rows.len());
    for (row, commands) in rows.iter().zip(commands.chunks(2)) {
        assert_eq!(printed(commands[0]).0, figure(row[3]), "{}", commands[0]);
        assert_eq!(printed(commands[1]).0, figure(row[4]), "{}", commands[1]);
    }
}

/// The chain of f joints, with f given on the command line.
#[test]
fn commands_with_another_f() {
    let page = std::fs::read_to_string(root().join("docs/papers.md")).expect("docs/papers.md");
    let row = page.lines().find(|l| l.starts_with("| chain of f revolute joints | 4 |")).expect("a row");
    let cells: Vec<&str> = row.split(" | ").collect();
    let chain = "kausal translate examples/papers/Chain.mo --set f=4";
    let derivatives = |command: &str| printed(command).1.unwrap_or_default();
    assert_eq!(derivatives(&format!("{chain} --tearing declared --relaxing declared")), figure(cells[2]));
    assert_eq!(derivatives(&format!("{chain} --no-hints")), figure(cells[3]));
}
