//! `kausal format`: files and trees of files in the one style of `kausal-format`, in parallel.
//!
//! A file with syntax errors is left as it is, and so is one that has the style already: nothing is written then. A
//! file is written beside itself and put in its place when it is complete.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use kausal_format::Unformatted;
use kausal_syntax::{Diagnostic, Location, SourceId, Sources, Span};
use rayon::prelude::*;

use crate::parse::{model_files, read_text};
use crate::store;

/// What was done.
#[derive(Debug, Default)]
pub struct FormatReport {
    /// How many files were looked at.
    pub files: usize,
    /// Those that had not the style.
    pub changed: Vec<PathBuf>,
    /// How many were left as they are because of errors.
    pub left: usize,
    /// What is wrong with them.
    pub diagnostics: Vec<Diagnostic>,
    /// The texts the diagnostics point into.
    pub sources: Sources,
}

enum Outcome {
    Same,
    Changed,
    Left(Option<String>, Vec<Diagnostic>),
}

/// Formats files and the `.mo` files of folders; with `check`, nothing is written.
pub fn format_paths(paths: &[PathBuf], check: bool) -> FormatReport {
    let (files, diagnostics) = model_files(paths);
    let is_classic = |path: &PathBuf| path.extension().is_some_and(|e| e == "dym");
    let is_named = |path: &PathBuf| paths.contains(path);
    let files: Vec<PathBuf> = files.into_iter().filter(|p| !is_classic(p) || is_named(p)).collect();
    let mut files = files;
    let mut diagnostics = diagnostics;
    diagnostics.extend(leave_outside(paths, &mut files));
    let outcomes: Vec<Outcome> = files.par_iter().map(|path| format_file(path, check)).collect();
    let mut report = FormatReport { files: files.len(), diagnostics, ..FormatReport::default() };
    for (path, outcome) in files.into_iter().zip(outcomes) {
        match outcome {
            Outcome::Same => {}
            Outcome::Changed => report.changed.push(path),
            Outcome::Left(text, diagnostics) => {
                report.left += 1;
                let source = text.map(|text| report.sources.add(path.display().to_string(), text));
                for mut diagnostic in diagnostics {
                    if let Some(source) = source {
                        diagnostic.labels.iter_mut().for_each(|l| l.location.source = source);
                    }
                    report.diagnostics.push(diagnostic);
                }
            }
        }
    }
    report
}

/// Formats one text, as it comes through a pipe.
pub fn format_text(name: &str, text: &str) -> Result<String, (Vec<Diagnostic>, Sources)> {
    let mut sources = Sources::default();
    let source = sources.add(name, text);
    kausal_format::format_as(source, text).map_err(|why| (told(name, why), sources))
}

fn format_file(path: &Path, check: bool) -> Outcome {
    if path.extension().is_some_and(|e| e == "dym") {
        let message =
            format!("{} is in the classic notation: only Modelica files are formatted", path.display());
        return Outcome::Left(None, vec![Diagnostic::error("K0903", message)]);
    }
    let written = match read_text(path) {
        Ok(text) => text,
        Err(diagnostic) => return Outcome::Left(None, vec![diagnostic]),
    };
    // Places are counted without a byte order mark.
    let text = written.trim_start_matches('\u{feff}');
    match kausal_format::format_as(SourceId(0), text) {
        Ok(formatted) if formatted == text => Outcome::Same,
        Ok(_) if check => Outcome::Changed,
        Ok(formatted) => {
            let mark = &written[..written.len() - text.len()];
            match replace(path, &format!("{mark}{formatted}")) {
                Ok(()) => Outcome::Changed,
                Err(error) => {
                    let message = format!("cannot write {}: {error}", path.display());
                    Outcome::Left(None, vec![Diagnostic::error("K0901", message)])
                }
            }
        }
        Err(why) => {
            let diagnostics = told(&path.display().to_string(), why);
            Outcome::Left(Some(text.to_owned()), diagnostics)
        }
    }
}

fn told(name: &str, why: Unformatted) -> Vec<Diagnostic> {
    match why {
        Unformatted::Errors(diagnostics) => diagnostics,
        Unformatted::Fault => {
            let message = format!("{name} was left as it is: formatted, it would have been another model");
            let place = Location { source: SourceId(0), span: Span::default() };
            vec![
                Diagnostic::error("K0990", message)
                    .at(place, "")
                    .help("this is a fault of Kausal; please report it with the file"),
            ]
        }
    }
}

/// Takes files out that were found in the folders among paths and lie somewhere else: a link in a folder of others must not lead
/// to files that nobody named. Says which.
pub fn leave_outside(paths: &[PathBuf], files: &mut Vec<PathBuf>) -> Vec<Diagnostic> {
    let named: Vec<PathBuf> = paths.iter().filter_map(|path| fs::canonicalize(path).ok()).collect();
    let mut diagnostics = Vec::new();
    files.retain(|file| {
        let leads = fs::canonicalize(file).ok().filter(|real| !named.iter().any(|n| real.starts_with(n)));
        if let Some(real) = &leads {
            let message = format!("{} was left as it is: it is {}", file.display(), real.display());
            let help = "a link led there, out of the folder; name the file itself to change it";
            diagnostics.push(Diagnostic::error("K0901", message).help(help));
        }
        leads.is_none()
    });
    diagnostics
}

/// Puts a complete file in the place of another one, with its permissions; links are followed.
pub fn replace(path: &Path, text: &str) -> io::Result<()> {
    let path = fs::canonicalize(path)?;
    let permissions = fs::metadata(&path)?.permissions();
    if permissions.readonly() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is read-only"));
    }
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.part", std::process::id()));
    let beside = path.with_file_name(name);
    let done = store::write_new(&beside, text.as_bytes())
        .and_then(|()| fs::set_permissions(&beside, permissions))
        .and_then(|()| fs::rename(&beside, &path));
    if done.is_err() {
        let _ = fs::remove_file(&beside);
    }
    done
}
