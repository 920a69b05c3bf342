//! What the corpora share: reading their files, and running one of them to its end.
#![allow(dead_code)]

pub mod cases;

use std::path::PathBuf;
use std::sync::Arc;

use kausal::simulate::{self, Run};
use kausal::{Backend, Diagnostic, Session, Settings};

/// The files of a corpus in alphabetical order: name and text.
pub fn corpus(folder: &str) -> Vec<(String, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
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

/// What follows `// key:` in the head of a text, without the space around it; one for each such line.
pub fn notes<'a>(text: &'a str, key: &str) -> Vec<&'a str> {
    let head = text.lines().take_while(|l| l.starts_with("//"));
    head.filter_map(|l| l[2..].trim_start().strip_prefix(key)?.strip_prefix(':')).map(str::trim).collect()
}

/// How far a model came.
pub enum Outcome {
    /// Flattening or translation found errors.
    Rejected,
    /// It ran, perhaps not to the end.
    Ran(Box<Run>),
}

/// Runs the model `M` of a text as its `experiment` annotation says; all diagnostics on the way.
pub fn run(name: &str, text: &str) -> (Session, Vec<Diagnostic>, Outcome) {
    let mut session = Session::new();
    session.add_text(&format!("{name}.mo"), text);
    let model = session.flatten("M").and_then(|flat| {
        let program = session.translate(&flat, &Default::default())?;
        let settings = settings(&flat.experiment);
        Some((session.compile(program, Backend::Jit)?, settings))
    });
    let mut diagnostics = session.take_diagnostics();
    let Some((model, settings)) = model else { return (session, diagnostics, Outcome::Rejected) };
    let run = simulate::run(Arc::new(model), &settings, &|_| true, None, &mut |_| true);
    diagnostics.extend(run.diagnostics.iter().cloned());
    (session, diagnostics, Outcome::Ran(Box::new(run)))
}

fn settings(experiment: &kausal::Experiment) -> Settings {
    let start = experiment.start.unwrap_or(0.0);
    let stop = experiment.stop.unwrap_or(start + 1.0);
    Settings {
        start,
        stop,
        interval: experiment.interval.unwrap_or((stop - start) / 500.0),
        tolerance: experiment.tolerance.unwrap_or(1e-6),
        ..Settings::default()
    }
}
