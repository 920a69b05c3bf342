//! A corpus of wrong models: each file in `wrong/` says in its first line which diagnostics it must give; how
//! they read is a snapshot. The model is `M`, or `M` of the package `Lib`.

use std::fmt::Write;
use std::path::PathBuf;

use kausal_model::{NoFiles, Workspace, check};
use kausal_syntax::{Diagnostic, Location, Severity, Sources};

/// The diagnostics of a model in the text, in the order they are reported, and the texts they point into.
fn diagnostics(workspace: &mut Workspace, path: &str) -> Vec<Diagnostic> {
    let (flat, diagnostics) = workspace.flatten(path);
    let wrong = diagnostics.iter().any(Diagnostic::is_error);
    let balanced = flat.is_some_and(|flat| check::count(&flat).balanced());
    assert!(wrong != balanced, "a model is either square or has errors: {diagnostics:?}");
    diagnostics
}

fn workspace(text: &str) -> (Workspace, String) {
    let mut workspace = Workspace::new(Box::new(NoFiles));
    let (names, errors) = workspace.add_source("wrong.mo", text);
    assert!(errors.is_empty(), "the text must be correct Modelica: {errors:?}");
    let path = if names.iter().any(|n| n == "Lib") { "Lib.M" } else { "M" };
    (workspace, path.to_owned())
}

fn render(sources: &Sources, diagnostics: &[Diagnostic]) -> String {
    let mut out = String::new();
    for d in diagnostics {
        let severity = match d.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        };
        let _ = writeln!(out, "{severity} {}: {}", d.code, d.message);
        for label in &d.labels {
            excerpt(sources, label.location, &label.message, &mut out);
        }
        if let Some(help) = &d.help {
            let _ = writeln!(out, "   help: {help}");
        }
    }
    out
}

/// The line of a place with the place underlined.
fn excerpt(sources: &Sources, location: Location, message: &str, out: &mut String) {
    let text = &sources.get(location.source).text;
    let (start, end) = (location.span.start as usize, location.span.end as usize);
    let (line, column) = sources.line_column(location.source, location.span.start);
    let begin = text[..start].rfind('\n').map_or(0, |i| i + 1);
    let stop = text[start..].find('\n').map_or(text.len(), |i| start + i);
    let width = end.min(stop).saturating_sub(start).max(1);
    let _ = writeln!(out, "{line:3} | {}", &text[begin..stop]);
    let marks = format!("{}{} {message}", " ".repeat(column - 1), "^".repeat(width));
    let _ = writeln!(out, "    | {}", marks.trim_end());
}

fn corpus() -> Vec<(String, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/wrong");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the corpus")
        .filter_map(|e| Some(e.ok()?.path()))
        .filter(|p| p.extension().is_some_and(|e| e == "mo"))
        .collect();
    files.sort();
    let read = |p: &PathBuf| {
        let name = p.file_stem().expect("a name").to_string_lossy().into_owned();
        (name, std::fs::read_to_string(p).expect("a readable file"))
    };
    files.iter().map(read).collect()
}

fn expected_codes(text: &str) -> Vec<&str> {
    let first = text.lines().next().unwrap_or_default();
    let codes = first.strip_prefix("// expect:").expect("a first line with the codes expected");
    let mut codes: Vec<&str> = codes.split_whitespace().collect();
    codes.sort_unstable();
    codes
}

fn codes(diagnostics: &[Diagnostic]) -> Vec<&str> {
    let mut codes: Vec<&str> = diagnostics.iter().map(|d| d.code).collect();
    codes.sort_unstable();
    codes
}

#[test]
fn every_wrong_model_gives_its_diagnostics() {
    let corpus = corpus();
    assert!(corpus.len() >= 80, "only {} wrong models", corpus.len());
    let mut wrong = String::new();
    for (name, text) in &corpus {
        let (mut workspace, path) = workspace(text);
        let found = diagnostics(&mut workspace, &path);
        let (found_codes, expected) = (codes(&found), expected_codes(text));
        let rendered = render(workspace.sources(), &found);
        if found_codes != expected {
            let _ = writeln!(wrong, "== {name}: {expected:?} expected, {found_codes:?} found\n{rendered}");
            continue;
        }
        let source: String = text.lines().skip(1).map(|l| format!("{l}\n")).collect();
        insta::with_settings!({ description => source, omit_expression => true }, {
            insta::assert_snapshot!(name.as_str(), rendered);
        });
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn asking_again_gives_the_same_answer() {
    for (name, text) in &corpus() {
        let (mut workspace, path) = workspace(text);
        let first = diagnostics(&mut workspace, &path);
        let second = diagnostics(&mut workspace, &path);
        assert_eq!(first, second, "{name}");
    }
}

#[test]
fn every_diagnostic_has_a_place() {
    for (name, text) in &corpus() {
        let (mut workspace, path) = workspace(text);
        for d in diagnostics(&mut workspace, &path) {
            assert!(d.code == "K0200" || !d.labels.is_empty(), "{name}: {} {}", d.code, d.message);
        }
    }
}
