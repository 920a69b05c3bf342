//! `kausal format`.

use std::io::Read;
use std::time::Instant;

use kausal::{Diagnostic, Sources, format, render};
use serde::Serialize;

use super::Outcome;
use crate::arguments::Format;
use crate::output;

#[derive(Serialize)]
struct Report {
    files: usize,
    changed: Vec<String>,
    left: usize,
    errors: usize,
    seconds: f64,
    diagnostics: Vec<render::JsonDiagnostic>,
}

pub fn run(arguments: &Format) -> Outcome {
    let is_pipe = |path: &std::path::PathBuf| path.as_os_str() == "-";
    if arguments.paths.iter().any(is_pipe) {
        if arguments.paths.len() > 1 || arguments.json {
            let misuse =
                Diagnostic::error("K0906", "`-` formats what comes through a pipe, alone and as text");
            output::show(&[misuse], &Sources::default());
            return Outcome::Misused;
        }
        return Outcome::from(pipe(arguments.check));
    }
    let start = Instant::now();
    let report = format::format_paths(&arguments.paths, arguments.check);
    let seconds = start.elapsed().as_secs_f64();
    let errors = report.diagnostics.iter().filter(|d| d.is_error()).count();
    let changed: Vec<String> = report.changed.iter().map(|path| path.display().to_string()).collect();
    let done = errors == 0 && (!arguments.check || changed.is_empty());
    if arguments.json {
        output::print_json(&Report {
            files: report.files,
            changed,
            left: report.left,
            errors,
            seconds,
            diagnostics: render::json(&report.diagnostics, &report.sources),
        });
        return Outcome::from(done);
    }
    output::show(&report.diagnostics, &report.sources);
    for path in &changed {
        output::say(&format!("{} {path}\n", if arguments.check { "would change" } else { "formatted" }));
    }
    let mut words = format!(
        "{}, {} {}",
        output::counted(report.files as u64, "file"),
        changed.len(),
        if arguments.check { "not in the style" } else { "changed" }
    );
    if report.left > 0 {
        words.push_str(&format!(", {} left as it is because of errors", report.left));
    }
    output::say(&format!("{words}\n"));
    Outcome::from(done)
}

/// Formats stdin to stdout.
fn pipe(check: bool) -> bool {
    let mut text = String::new();
    if let Err(error) = std::io::stdin().read_to_string(&mut text) {
        let diagnostic = Diagnostic::error("K0901", format!("cannot read the input: {error}"));
        output::show(&[diagnostic], &Sources::default());
        return false;
    }
    match format::format_text("input", &text) {
        Ok(formatted) if check => formatted == text,
        Ok(formatted) => {
            output::print(&formatted);
            true
        }
        Err((diagnostics, sources)) => {
            output::show(&diagnostics, &sources);
            false
        }
    }
}
