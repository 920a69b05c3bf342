//! `kausal lint` and `kausal fix`.

use std::path::{Path, PathBuf};
use std::time::Instant;

use kausal::files::{BUILT_IN, DiskAndBuiltIn};
use kausal::{Diagnostic, Sources, format, parse, render};
use serde::Serialize;

use crate::arguments::{Fix, Lint};
use crate::output;

#[derive(Serialize)]
struct Report {
    files: usize,
    errors: usize,
    lints: usize,
    seconds: f64,
    diagnostics: Vec<render::JsonDiagnostic>,
}

/// The Modelica files among paths; those in the classic notation are not looked at.
fn files(paths: &[PathBuf]) -> (Vec<PathBuf>, Vec<Diagnostic>) {
    let (mut files, diagnostics) = parse::model_files(paths);
    files.retain(|f| f.extension().is_some_and(|e| e == "mo"));
    (files, diagnostics)
}

fn read(path: &Path, diagnostics: &mut Vec<Diagnostic>) -> Option<String> {
    parse::read_text(path).map_err(|diagnostic| diagnostics.push(diagnostic)).ok()
}

/// Where the classes are that the files use: beside their own packages, in libraries.
fn places(files: &[PathBuf], libraries: &[PathBuf]) -> kausal_lsp::Places {
    let mut folders = vec![BUILT_IN.to_owned()];
    for file in files {
        let mut folder = file.parent();
        while let Some(package) = folder.filter(|f| f.join("package.mo").is_file()) {
            folder = package.parent();
        }
        let folder = folder.filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
        folders.push(folder.to_string_lossy().into_owned());
    }
    folders.extend(libraries.iter().map(|f| f.to_string_lossy().into_owned()));
    if let Some(paths) = std::env::var_os("MODELICAPATH") {
        folders.extend(std::env::split_paths(&paths).map(|f| f.to_string_lossy().into_owned()));
    }
    let mut seen = std::collections::HashSet::new();
    folders.retain(|folder| seen.insert(folder.clone()));
    let files: kausal_lsp::MakeFiles = std::sync::Arc::new(|| Box::new(DiskAndBuiltIn));
    kausal_lsp::Places { files, folders, buffers: Default::default() }
}

pub fn lint(arguments: &Lint) -> bool {
    let start = Instant::now();
    let (files, mut diagnostics) = files(&arguments.paths);
    let mut sources = Sources::default();
    let mut world = kausal_lsp::World::new(places(&files, &arguments.libraries));
    for path in &files {
        if let Some(text) = read(path, &mut diagnostics) {
            let name = path.to_string_lossy();
            diagnostics.extend(kausal_lsp::lint_text(&mut sources, &name, &text));
            diagnostics.extend(kausal_lsp::lint_library(&mut world, &mut sources, &name, &text));
            if arguments.units {
                diagnostics.extend(kausal_lsp::lint_units(&mut world, &mut sources, &name, &text));
            }
        }
    }
    let errors = diagnostics.iter().filter(|d| d.is_error()).count();
    let lints = diagnostics.len() - errors;
    if arguments.json {
        output::print_json(&Report {
            files: files.len(),
            errors,
            lints,
            seconds: start.elapsed().as_secs_f64(),
            diagnostics: render::json(&diagnostics, &sources),
        });
    } else {
        output::show(&diagnostics, &sources);
        let words = [(files.len(), "file"), (lints, "lint"), (errors, "error")];
        let words: Vec<String> = words.iter().map(|&(n, what)| output::counted(n as u64, what)).collect();
        output::say(&format!("{}\n", words.join(", ")));
    }
    diagnostics.is_empty()
}

pub fn fix(arguments: &Fix) -> bool {
    let (mut files, mut diagnostics) = files(&arguments.paths);
    diagnostics.extend(format::leave_outside(&arguments.paths, &mut files));
    let (mut changed, mut places) = (0u64, 0u64);
    for path in &files {
        let Some(text) = read(path, &mut diagnostics) else { continue };
        let (mended, count) = kausal_lsp::fix(&text, &path.display().to_string());
        if count == 0 {
            continue;
        }
        if let Err(error) = format::replace(path, &mended) {
            let message = format!("cannot write {}: {error}", path.display());
            diagnostics.push(Diagnostic::error("K0901", message));
            continue;
        }
        changed += 1;
        places += count as u64;
        output::say(&format!("{}: {}\n", path.display(), output::counted(count as u64, "place")));
    }
    output::show(&diagnostics, &Sources::default());
    let words = [
        output::counted(files.len() as u64, "file"),
        format!("{changed} changed"),
        output::counted(places, "place"),
    ];
    output::say(&format!("{}\n", words.join(", ")));
    !diagnostics.iter().any(Diagnostic::is_error)
}
