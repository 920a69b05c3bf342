//! Load, flatten, translate: one session holds the libraries and everything read so far.

use std::path::Path;
use std::time::Instant;

use kausal_codegen::Backend;
use kausal_model::{FlatModel, Workspace};
use kausal_runtime::CompiledModel;
use kausal_symbolic::Node;
use kausal_syntax::{Diagnostic, Sources, Symbol};
use kausal_translate::{Inline, Options, Program};

use crate::files::{BUILT_IN, DiskAndBuiltIn};
use crate::parse::read_text;
use crate::stiff;

/// Libraries and models read so far.
///
/// ```
/// use kausal::Session;
/// let mut session = Session::new();
/// session.add_text("Decay.mo", "model Decay Real x(start = 1, fixed = true); equation der(x) = -x; end Decay;");
/// let model = session.flatten("Decay").expect("it is correct");
/// assert_eq!(model.equations.len(), 1);
/// ```
pub struct Session {
    workspace: Workspace,
    diagnostics: Vec<Diagnostic>,
    /// Seconds spent so far.
    pub seconds: Seconds,
}

/// Seconds spent in the phases.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Seconds {
    /// Reading and parsing named files; libraries are read while flattening.
    pub load: f64,
    /// From classes to the flat model.
    pub flatten: f64,
    /// From the flat model to the program.
    pub translate: f64,
    /// From the program to machine code.
    pub codegen: f64,
}

impl Default for Session {
    fn default() -> Self {
        Session::new()
    }
}

impl Session {
    /// A session with the built-in library.
    pub fn new() -> Session {
        let mut workspace = Workspace::new(Box::new(DiskAndBuiltIn));
        workspace.add_folder(BUILT_IN);
        Session { workspace, diagnostics: Vec::new(), seconds: Seconds::default() }
    }

    /// Adds the folders of `MODELICAPATH`.
    pub fn add_modelica_path(&mut self) {
        if let Some(paths) = std::env::var_os("MODELICAPATH") {
            for folder in std::env::split_paths(&paths) {
                self.workspace.add_folder(&folder.to_string_lossy());
            }
        }
    }

    /// Adds a folder with libraries; one that does not exist is an error.
    pub fn add_library(&mut self, folder: &Path) {
        if !folder.is_dir() {
            let what = if folder.exists() { "is not a folder" } else { "does not exist" };
            let message = format!("the library folder {} {what}", folder.display());
            self.diagnostics.push(Diagnostic::error("K0901", message));
        }
        self.workspace.add_folder(&folder.to_string_lossy());
    }

    /// Adds a text; gives the names of its classes.
    pub fn add_text(&mut self, name: &str, text: &str) -> Vec<String> {
        let (names, diagnostics) = self.workspace.add_source(name, text);
        self.diagnostics.extend(diagnostics);
        names
    }

    /// Adds a file; gives the names of its classes.
    pub fn add_file(&mut self, path: &Path) -> Option<Vec<String>> {
        let start = Instant::now();
        let text = match read_text(path) {
            Ok(text) => text,
            Err(mut diagnostic) => {
                if diagnostic.help.is_none() {
                    diagnostic.help = similar_file(path).map(|name| format!("did you mean {name}?"));
                }
                self.diagnostics.push(diagnostic);
                return None;
            }
        };
        let names = self.add_text(&path.to_string_lossy(), &text);
        self.seconds.load += start.elapsed().as_secs_f64();
        Some(names)
    }

    /// The model a user means: a file (its last class, or the one named) or a path into a library.
    pub fn find(&mut self, model: &str, inside: Option<&str>) -> Option<String> {
        let is_file = model.ends_with(".mo") || model.ends_with(".dym");
        if !is_file {
            return Some(inside.unwrap_or(model).to_owned());
        }
        let names = self.add_file(Path::new(model))?;
        match (inside, names.last()) {
            (Some(inside), _) => Some(inside.to_owned()),
            (None, Some(last)) => Some(last.clone()),
            (None, None) => {
                if !self.has_errors() {
                    self.diagnostics.push(Diagnostic::error("K0903", format!("{model} defines no class")));
                }
                None
            }
        }
    }

    /// Flattens a model; `None` when there are errors.
    pub fn flatten(&mut self, model: &str) -> Option<FlatModel> {
        if self.has_errors() {
            return None;
        }
        let start = Instant::now();
        let (flat, mut diagnostics) = self.workspace.flatten(model);
        if let Some(d) = diagnostics.iter_mut().find(|d| d.code == "K0200")
            && let Some(name) = self.similar_class(model)
        {
            d.help = Some(format!("did you mean {name}?"));
        } else if let Some(d) = diagnostics.iter_mut().find(|d| d.code == "K0200" && d.help.is_none())
            && Path::new(&format!("{model}.mo")).is_file()
        {
            d.help = Some(format!("did you mean the file {model}.mo?"));
        }
        self.diagnostics.extend(diagnostics);
        self.seconds.flatten += start.elapsed().as_secs_f64();
        flat
    }

    /// A class with a name like this one: the first part that does not exist is replaced by its nearest neighbour.
    fn similar_class(&mut self, path: &str) -> Option<String> {
        let library = &mut self.workspace.classes().lib;
        let parts: Vec<&str> = path.split('.').collect();
        let mut parent = None;
        for (i, part) in parts.iter().enumerate() {
            let symbol = Symbol::new(part);
            let found = match parent {
                None => library.root(symbol),
                Some(parent) => library.child(parent, symbol),
            };
            if found.is_some() {
                parent = found;
                continue;
            }
            let names: Vec<&str> = match parent {
                None => library.root_names().into_iter().map(Symbol::as_str).collect(),
                Some(parent) => library.child_names(parent).into_iter().map(Symbol::as_str).collect(),
            };
            let nearest = nearest(part, names.into_iter())?;
            let mut path = parts[..i].to_vec();
            path.push(nearest);
            path.extend(&parts[i + 1..]);
            return Some(path.join("."));
        }
        None
    }

    /// Gives parameters other values.
    pub fn set(&mut self, model: &mut FlatModel, settings: &[(String, f64)]) -> bool {
        for (name, value) in settings {
            let Some(index) = model.variables.iter().position(|v| v.name == *name) else {
                let nearest = nearest(name, model.variables.iter().map(|v| v.name.as_str()));
                let mut d = Diagnostic::error("K0910", format!("there is no variable {name} to set"));
                if let Some(nearest) = nearest {
                    d = d.help(format!("did you mean {nearest}?"));
                }
                self.diagnostics.push(d);
                return false;
            };
            let value = model.pool.constant(*value);
            let variable = &mut model.variables[index];
            if variable.variability > kausal_model::flat::Variability::Parameter {
                variable.start = Some(value);
            } else if variable.evaluated {
                self.diagnostics.push(
                    Diagnostic::error(
                        "K0911",
                        format!("{name} cannot be changed: the structure depends on it"),
                    )
                    .help("change it in the model instead"),
                );
                return false;
            } else {
                variable.binding = Some(value);
            }
        }
        true
    }

    /// Translates a flat model; `None` when there are errors.
    pub fn translate(&mut self, model: &FlatModel, options: &Options) -> Option<Program> {
        let start = Instant::now();
        let found = options.inline == Inline::Mixed && options.stiff.is_none();
        let found = found.then(|| stiff::with_stiff_states(model, options));
        let translation = kausal_translate::translate(model, found.as_ref().unwrap_or(options));
        self.diagnostics.extend(translation.diagnostics);
        self.seconds.translate += start.elapsed().as_secs_f64();
        let program = translation.program?;
        if let Some(unknown) = options.stiff.as_ref().and_then(|names| stiff::unknown(&program, names)) {
            self.diagnostics.push(unknown);
            return None;
        }
        Some(program)
    }

    /// Compiles a program.
    pub fn compile(&mut self, program: Program, backend: Backend) -> Option<CompiledModel> {
        let start = Instant::now();
        let compiled = CompiledModel::new(program, backend);
        self.seconds.codegen += start.elapsed().as_secs_f64();
        match compiled {
            Ok(model) => {
                if let Some(note) = model.code.note() {
                    self.diagnostics.push(Diagnostic::note("K0501", note));
                }
                Some(model)
            }
            Err(error) => {
                self.diagnostics.push(Diagnostic::error("K0502", error.to_string()));
                None
            }
        }
    }

    /// What was said so far, taken away.
    pub fn take_diagnostics(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.diagnostics)
    }

    /// Adds something to say.
    pub fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Has an error been said?
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }

    /// All texts.
    pub fn sources(&self) -> &Sources {
        self.workspace.sources()
    }
}

/// A file with models beside a path that does not exist, with a name like it.
fn similar_file(path: &Path) -> Option<String> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let wanted = path.file_name()?.to_str()?;
    let entries = std::fs::read_dir(folder).ok()?;
    let mut names: Vec<String> = entries.filter_map(|e| e.ok()?.file_name().into_string().ok()).collect();
    names.retain(|name| name != wanted && (name.ends_with(".mo") || name.ends_with(".dym")));
    names.sort();
    let found = nearest(wanted, names.iter().map(String::as_str))?;
    Some(path.with_file_name(found).to_string_lossy().into_owned())
}

/// Equations and unknowns of a flat model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Balance {
    /// Scalar equations.
    pub equations: usize,
    /// Scalar unknowns.
    pub unknowns: usize,
}

/// Counts equations and unknowns of a flat model.
pub fn balance(model: &FlatModel) -> Balance {
    let counts = kausal_model::check::count(model);
    Balance { equations: counts.equations, unknowns: counts.unknowns }
}

/// Is an expression a plain number?
pub fn is_number(model: &FlatModel, e: kausal_symbolic::ExprId) -> bool {
    matches!(model.pool.node(e), Node::Const(_))
}

/// The candidate with the smallest edit distance, if it is close.
pub fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (name.chars().count() / 3).max(1);
    candidates
        .filter_map(|c| {
            let d = edit_distance(name, c, limit);
            (d <= limit).then_some((d, c))
        })
        .min_by_key(|&(d, _)| d)
        .map(|(_, c)| c)
}

/// Insertions, deletions and replacements between two texts; more than `limit` is `limit + 1`.
fn edit_distance(a: &str, b: &str, limit: usize) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) > limit {
        return limit + 1;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_with_similar_names_are_offered() {
        let help = |text: &str, model: &str| {
            let mut session = Session::new();
            session.add_text("P.mo", text);
            assert!(session.flatten(model).is_none());
            session.take_diagnostics().into_iter().find_map(|d| d.help).unwrap_or_default()
        };
        let package = "package Parts model Motor end Motor; end Parts;";
        assert_eq!(help(package, "Parts.Moter"), "did you mean Parts.Motor?");
        assert_eq!(help(package, "Part.Motor"), "did you mean Parts.Motor?");
        assert!(!help(package, "Nothing.Alike").contains("did you mean"));
    }

    #[test]
    fn files_with_similar_names_are_offered() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("Coffee.mo"), "model Coffee end Coffee;").expect("a file");
        let mut session = Session::new();
        assert!(session.add_file(&folder.path().join("Coffe.mo")).is_none());
        let help = session.take_diagnostics().into_iter().find_map(|d| d.help).unwrap_or_default();
        assert!(help.starts_with("did you mean") && help.ends_with("Coffee.mo?"), "{help}");
    }

    #[test]
    fn nearest_spelling() {
        assert_eq!(nearest("resisstor.R", ["resistor.R", "capacitor.C"].into_iter()), Some("resistor.R"));
        assert_eq!(nearest("x", ["completely.different"].into_iter()), None);
    }
}
