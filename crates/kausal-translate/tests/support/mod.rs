//! Models for the tests of this crate: texts, and the examples of the library on the disk.

#![allow(dead_code)]

use std::path::{Path, PathBuf};

use kausal_model::{Files, FlatModel, NoFiles, Workspace};
use kausal_syntax::Sources;
use kausal_translate::{Options, Program, translate};

/// The disk.
struct Disk;

impl Files for Disk {
    fn list(&self, folder: &str) -> Option<Vec<String>> {
        let entries = std::fs::read_dir(folder).ok()?;
        let mut names: Vec<String> = entries.filter_map(|e| e.ok()?.file_name().into_string().ok()).collect();
        names.sort();
        Some(names)
    }

    fn read(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(path).ok()
    }
}

fn library() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../library")
}

/// The names of the examples of the library; some are partial.
pub fn examples() -> Vec<String> {
    let mut names = Vec::new();
    let mut folders = vec![(library().join("Kausal/Examples"), "Kausal.Examples".to_owned())];
    while let Some((folder, package)) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if entry.path().is_dir() {
                folders.push((entry.path(), format!("{package}.{name}")));
            } else if let Some(name) = name.strip_suffix(".mo").filter(|name| *name != "package") {
                names.push(format!("{package}.{name}"));
            }
        }
    }
    names.sort();
    names
}

/// A model of the library, or of the folders in `MODELICAPATH`, if it can be simulated.
pub fn example(name: &str) -> Option<FlatModel> {
    example_with_sources(name).map(|(flat, _)| flat)
}

/// The same, with what it was read from.
pub fn example_with_sources(name: &str) -> Option<(FlatModel, Sources)> {
    let mut workspace = Workspace::new(Box::new(Disk));
    workspace.add_folder(&library().to_string_lossy());
    for folder in std::env::var_os("MODELICAPATH").iter().flat_map(std::env::split_paths) {
        workspace.add_folder(&folder.to_string_lossy());
    }
    let flat = workspace.flatten(name).0?;
    Some((flat, workspace.sources().clone()))
}

/// The last class of a text.
pub fn flat(text: &str) -> FlatModel {
    let mut workspace = Workspace::new(Box::new(NoFiles));
    let (names, diagnostics) = workspace.add_source("M.mo", text);
    let name = names.last().unwrap_or_else(|| panic!("no class: {diagnostics:?}"));
    let (flat, diagnostics) = workspace.flatten(name);
    flat.unwrap_or_else(|| panic!("not flat: {diagnostics:?}"))
}

/// The program of a text, verified.
pub fn program(text: &str, options: &Options) -> Program {
    let translation = translate(&flat(text), options);
    let program = translation.program.unwrap_or_else(|| panic!("no program: {:?}", translation.diagnostics));
    program.verify().unwrap_or_else(|faults| panic!("{faults}"));
    program
}
