//! Helpers of the classic tests: reading, and showing messages with their source.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use kausal_syntax::{Diagnostic, Parse, Severity, Sources, classic};

/// Parses one text.
#[allow(dead_code)]
pub fn parse(text: &str) -> (Sources, Parse) {
    let mut sources = Sources::default();
    let id = sources.add("test.dym", text);
    let parse = classic::parse(id, sources.get(id).text.clone());
    (sources, parse)
}

/// The files of a folder below `tests/`, sorted.
#[allow(dead_code)]
pub fn files(folder: &str) -> Vec<(String, PathBuf)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let mut found: Vec<_> = std::fs::read_dir(&root)
        .unwrap_or_else(|e| panic!("{}: {e}", root.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "dym"))
        .map(|path| (path.file_stem().unwrap().to_string_lossy().into_owned(), path))
        .collect();
    found.sort();
    assert!(!found.is_empty(), "no .dym files in {}", root.display());
    found
}

/// Messages as a user reads them: code, message, and each labelled line with its range marked.
#[allow(dead_code)]
pub fn show(sources: &Sources, diagnostics: &[Diagnostic]) -> String {
    let mut out = String::new();
    for diagnostic in diagnostics {
        let severity = match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        };
        writeln!(out, "{severity} {}: {}", diagnostic.code, diagnostic.message).unwrap();
        for label in &diagnostic.labels {
            let source = sources.get(label.location.source);
            let span = label.location.span;
            let (line, column) = sources.line_column(label.location.source, span.start);
            let text =
                source.text.split(['\n', '\r']).nth(line_index(&source.text, span.start)).unwrap_or("");
            let marked = &source.text[span.start as usize..span.end as usize];
            let width = marked.lines().next().unwrap_or("").chars().count().max(1);
            writeln!(out, "{line:>4}:{column:<3}| {text}").unwrap();
            writeln!(out, "        | {}{} {}", " ".repeat(column - 1), "^".repeat(width), label.message)
                .unwrap();
        }
        if let Some(help) = &diagnostic.help {
            writeln!(out, "        = {help}").unwrap();
        }
    }
    // Trailing blanks would be lost in editors.
    out.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

fn line_index(text: &str, offset: u32) -> usize {
    text[..offset as usize].chars().filter(|c| matches!(c, '\n' | '\r')).count()
}
