//! Helpers of the Modelica tests: finding files, and showing messages with their source.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use kausal_syntax::source::line_column;
use kausal_syntax::{Diagnostic, Parse, Severity, SourceId, modelica};

/// Parses one text.
#[allow(dead_code)]
pub fn parse(text: &str) -> Parse {
    modelica::parse(SourceId(0), text.into())
}

/// All files below `directory` with this extension, sorted.
#[allow(dead_code)]
pub fn files(directory: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![directory.to_owned()];
    while let Some(directory) = open.pop() {
        let Ok(entries) = std::fs::read_dir(&directory) else { continue };
        for entry in entries.flatten() {
            let path = entry.path();
            if entry.file_type().is_ok_and(|t| t.is_dir()) {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The folder `tests/` of this crate.
#[allow(dead_code)]
pub fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

/// Messages as plain text: code, message, each place with its line and the range marked, advice.
#[allow(dead_code)]
pub fn show(text: &str, diagnostics: &[Diagnostic]) -> String {
    let lines: Vec<&str> = text.split('\n').collect();
    let mut out = String::new();
    for diagnostic in diagnostics {
        let severity = match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        };
        let _ = writeln!(out, "{severity} {}: {}", diagnostic.code, diagnostic.message);
        for label in &diagnostic.labels {
            let span = label.location.span;
            let (line, column) = line_column(text, span.start);
            let (last_line, last_column) = line_column(text, span.end);
            let source = lines.get(line - 1).copied().unwrap_or("");
            let width =
                if last_line == line { last_column - column } else { source.chars().count() + 1 - column };
            let _ = writeln!(out, "  {line}:{column}-{last_line}:{last_column}");
            let _ = writeln!(
                out,
                "    | {}",
                source.escape_debug().to_string().replace("\\\"", "\"").replace("\\'", "'")
            );
            let _ = writeln!(
                out,
                "    | {}{} {}",
                " ".repeat(column - 1),
                "^".repeat(width.max(1)),
                label.message
            );
        }
        if let Some(help) = &diagnostic.help {
            let _ = writeln!(out, "  help: {help}");
        }
    }
    // Blanks at the ends of lines would be lost in editors.
    out.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}
