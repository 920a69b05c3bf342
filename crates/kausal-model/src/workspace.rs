//! The front door of this crate: texts and folders in, flat models out.

use kausal_syntax::{Diagnostic, Location, Sources};

use crate::class::Classes;
use crate::flat::FlatModel;
use crate::library::{DefId, Files};
use crate::lookup::split_path;

/// Errors of models that are complete but not square.
const BALANCE: [&str; 3] = ["K0240", "K0241", "K0242"];

/// Classes from texts and folders, and the flat models made of them.
pub struct Workspace {
    classes: Classes,
}

impl Workspace {
    /// A workspace that reads libraries through `files`.
    pub fn new(files: Box<dyn Files>) -> Self {
        Workspace { classes: Classes::new(files) }
    }

    /// Adds a folder in which top-level packages are searched; earlier ones win.
    pub fn add_folder(&mut self, folder: &str) {
        self.classes.lib.add_folder(folder);
    }

    /// Parses a text and enters its classes; gives their full names. A name ending in `.dym` is in the classic notation.
    pub fn add_source(&mut self, name: &str, text: &str) -> (Vec<String>, Vec<Diagnostic>) {
        let defs: Vec<DefId> = self.classes.lib.add_source(name, text);
        let names = defs.iter().map(|&d| self.classes.lib.full_name(d)).collect();
        (names, std::mem::take(&mut self.classes.lib.diagnostics))
    }

    /// Replaces the text of a file that was read, because it was edited, and keeps everything else; gives what the parser
    /// says about it. `None` where no such file was read yet (it will be read as [`Files`] has it then), or it is in the
    /// classic notation. Names of classes given out before are void.
    pub fn replace_file(&mut self, name: &str, text: &str) -> Option<Vec<Diagnostic>> {
        let diagnostics = self.classes.lib.replace_file(name, text)?;
        self.classes.forget();
        Some(diagnostics)
    }

    /// Where a function is defined, by its full name.
    pub fn place(&mut self, path: &str) -> Option<Location> {
        let klass = self.classes.by_path(path)?;
        Some(self.classes.def_location(self.classes.key(klass).def))
    }

    /// All texts read so far, for showing diagnostics.
    pub fn sources(&self) -> &Sources {
        self.classes.lib.sources()
    }

    /// Where definitions come from.
    pub fn library(&self) -> &crate::library::Library {
        &self.classes.lib
    }

    /// The classes, for those who want to look closer.
    pub fn classes(&mut self) -> &mut Classes {
        &mut self.classes
    }

    /// Flattens the model with this full name. Without errors there is a model; warnings may come with it, and so
    /// does a model that is only not balanced, with errors that say where.
    pub fn flatten(&mut self, path: &str) -> (Option<FlatModel>, Vec<Diagnostic>) {
        self.classes.take_diagnostics();
        let model = match self.classes.by_path(path) {
            Some(klass) => {
                let model = crate::flatten::flatten(&mut self.classes, klass);
                let wrong = |d: &Diagnostic| d.is_error() && !BALANCE.contains(&d.code);
                if !self.classes.diagnostics.iter().any(wrong) && self.classes.check_units {
                    let found = crate::units::check_own(&mut self.classes, klass);
                    self.classes.diagnostics.extend(found);
                }
                Some(model)
            }
            // What is wrong with a file that should have it was said.
            None if self.classes.lib.diagnostics.iter().any(Diagnostic::is_error) => None,
            None => {
                let name = split_path(path).last().copied().unwrap_or(path).to_owned();
                let message = format!("there is no class {path}");
                let help =
                    format!("the class {name} was looked for in the texts given and the library folders");
                self.classes.report(Diagnostic::error("K0200", message).help(help));
                None
            }
        };
        let mut diagnostics = std::mem::take(&mut self.classes.lib.diagnostics);
        diagnostics.append(&mut self.classes.take_diagnostics());
        let failed = diagnostics.iter().any(|d| d.is_error() && !BALANCE.contains(&d.code));
        if diagnostics.iter().any(Diagnostic::is_error) {
            // What is wrong with classes must be said again when they are used again.
            self.classes.forget();
        }
        (model.filter(|_| !failed), diagnostics)
    }
}
