//! `kausal parse`.

use std::time::Instant;

use kausal::{parse::parse_paths, render};
use serde::Serialize;

use crate::arguments::Parse;
use crate::output;

#[derive(Serialize)]
struct Report {
    files: usize,
    bytes: u64,
    classes: usize,
    errors: usize,
    seconds: f64,
    diagnostics: Vec<render::JsonDiagnostic>,
}

pub fn run(arguments: &Parse) -> bool {
    let start = Instant::now();
    let report = parse_paths(&arguments.paths);
    let seconds = start.elapsed().as_secs_f64();
    let errors = report.errors();
    if arguments.json {
        output::print_json(&Report {
            files: report.files,
            bytes: report.bytes,
            classes: report.classes,
            errors,
            seconds,
            diagnostics: render::json(&report.diagnostics, &report.sources),
        });
    } else {
        output::show(&report.diagnostics, &report.sources);
        output::say(&format!(
            "{}, {}, {}, {}, {seconds:.3} s\n",
            output::counted(report.files as u64, "file"),
            output::counted(report.bytes as u64, "byte"),
            if report.classes == 1 { "1 class".to_owned() } else { format!("{} classes", report.classes) },
            output::counted(errors as u64, "error")
        ));
    }
    errors == 0
}
