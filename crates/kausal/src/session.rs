//! Load, flatten, translate: one session holds the libraries and everything read so far.

use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use kausal_codegen::Backend;
use kausal_external::Permissions;
use kausal_external::foreign::{Foreign, Host, is_hosted};
use kausal_model::{Files, FlatModel, Workspace};
use kausal_runtime::CompiledModel;
use kausal_symbolic::Node;
use kausal_symbolic::function::{Body, Function};
use kausal_syntax::ast::{ClassBody, ClassKind, Element, Name};
use kausal_syntax::{Diagnostic, Sources, Symbol};
use kausal_translate::program::SingularPart;
use kausal_translate::{Inline, Options, Program, Translation};

use crate::examples;
use crate::files::{BUILT_IN, DiskAndBuiltIn};
use crate::parse::read_text;
use crate::stiff;
use crate::stored::{self, Flat, Stored};

pub use crate::settings::Setting;

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
    pub(crate) workspace: Workspace,
    /// Foreign code that may run.
    foreign: Option<Arc<Foreign>>,
    /// Who runs components from outside, where foreign code may run.
    host: Option<Arc<dyn Host>>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    singular: Vec<SingularPart>,
    /// The stored model that was opened: what is left of it, and its sources once they were asked for.
    stored: Option<(Stored, OnceLock<Sources>)>,
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
        Session::reading(Box::new(DiskAndBuiltIn))
    }

    /// A session that reads files so.
    pub fn reading(files: Box<dyn Files>) -> Session {
        let mut workspace = Workspace::new(files);
        workspace.add_folder(BUILT_IN);
        Session {
            workspace,
            foreign: None,
            host: None,
            diagnostics: Vec::new(),
            singular: Vec::new(),
            stored: None,
            seconds: Seconds::default(),
        }
    }

    /// Components from outside (FMUs) are run by this host, once foreign code is allowed.
    pub fn set_host(&mut self, host: Arc<dyn Host>) {
        self.host = Some(host);
    }

    /// Whether units are checked when a model is flattened; they are if nobody says anything.
    pub fn check_units(&mut self, checked: bool) {
        self.workspace.classes().check_units = checked;
    }

    /// External C code of models is compiled and run from now on, with the rights of the user.
    pub fn allow_external(&mut self) {
        let host = &self.host;
        let foreign = self.foreign.get_or_insert_with(|| Arc::new(Foreign::with_host(host.clone()))).clone();
        let classes = self.workspace.classes();
        classes.foreign = Some(foreign);
        classes.allowed.allow_everything();
    }

    /// What models may read and change, to be widened; the folders of libraries and of files added need no word.
    pub fn allowed(&mut self) -> &mut Permissions {
        &mut self.workspace.classes().allowed
    }

    /// What a model may read and change, with what belongs to the libraries read so far.
    pub fn permissions(&mut self) -> Permissions {
        self.workspace.classes().permissions()
    }

    /// Adds the folders of `MODELICAPATH`.
    pub fn add_modelica_path(&mut self) {
        if let Some(paths) = std::env::var_os("MODELICAPATH") {
            for folder in std::env::split_paths(&paths) {
                self.workspace.add_folder(&folder.to_string_lossy());
            }
        }
    }

    /// Adds a folder with libraries, whatever there is.
    pub fn add_folder(&mut self, folder: &str) {
        self.workspace.add_folder(folder);
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

    /// A file that may have been read has another text: what was read of it is replaced. Nothing is reported.
    pub fn replace_text(&mut self, name: &str, text: &str) {
        self.workspace.replace_file(name, text);
        self.workspace.classes().take_diagnostics();
        self.workspace.classes().lib.diagnostics.clear();
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
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        self.allowed().give(folder);
        let names = self.add_text(&path.to_string_lossy(), &text);
        self.seconds.load += start.elapsed().as_secs_f64();
        Some(names)
    }

    /// Opens a stored model: its program is there for [`Session::take_stored`], diagnostics show lines of its sources.
    pub fn open_stored(&mut self, path: &Path) -> Option<&Stored> {
        let start = Instant::now();
        match stored::read(path) {
            Ok(stored) => self.stored = Some((stored, OnceLock::new())),
            Err(diagnostic) => {
                self.diagnostics.push(diagnostic);
                return None;
            }
        }
        self.seconds.load += start.elapsed().as_secs_f64();
        self.stored()
    }

    /// Takes a stored model that was read: diagnostics show lines of its sources.
    pub fn adopt_stored(&mut self, stored: Stored) {
        self.stored = Some((stored, OnceLock::new()));
    }

    /// The stored model that was opened.
    pub fn stored(&self) -> Option<&Stored> {
        self.stored.as_ref().map(|(stored, _)| stored)
    }

    /// The program of the stored model that was opened, with its flat model. It can be taken once.
    pub fn take_stored(&mut self) -> Option<(Flat, Program)> {
        let (stored, _) = self.stored.as_mut()?;
        Some((Flat::stored(stored.rest.clone()), std::mem::take(&mut stored.program)))
    }

    /// The flat model of the stored model that was opened; one diagnostic where it is none.
    pub fn stored_flat(&mut self, path: &Path) -> Option<FlatModel> {
        let flat = self.stored()?.rest.flat();
        flat.map_err(|error| self.diagnostics.push(stored::diagnostic(path, &error))).ok()
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
            (None, Some(last)) => {
                let models: Vec<&str> =
                    names.iter().map(String::as_str).filter(|name| self.runs(name)).collect();
                if let [others @ .., chosen] = &models[..]
                    && !others.is_empty()
                    && chosen == last
                {
                    let message = format!("{model} has {} models: {chosen} is taken", models.len());
                    let help = format!("--model NAME takes another one: {}", others.join(", "));
                    self.diagnostics.push(Diagnostic::note("K0920", message).help(help));
                }
                Some(last.clone())
            }
            (None, None) => {
                if !self.has_errors() {
                    self.diagnostics.push(Diagnostic::error("K0903", format!("{model} defines no class")));
                }
                None
            }
        }
    }

    /// Is a class of a text something to run by itself: a model that no other part of the text has as a component or base?
    fn runs(&mut self, name: &str) -> bool {
        let library = &mut self.workspace.classes().lib;
        let Some(def) = library.root(Symbol::new(name)) else { return false };
        let (class, file) = (library.class(def).clone(), library.def(def).file);
        let is_model = matches!(class.kind, ClassKind::Model | ClassKind::Block | ClassKind::Class);
        let ast = library.ast(file);
        let is_used =
            |base: &Name| matches!(ast.lists.idents.get(base.parts), [only] if only.symbol.as_str() == name);
        let typed = ast.components.iter().any(|(_, c)| is_used(&c.type_name));
        let extended = ast.classes.iter().any(|(_, c)| match &c.body {
            ClassBody::Long(body) => {
                body.elements.iter().any(|e| matches!(e, Element::Extends(e) if is_used(&e.base)))
            }
            ClassBody::Short(short) => is_used(&short.base),
            _ => false,
        });
        is_model && !class.partial && !typed && !extended
    }

    /// Flattens a model; `None` when there are errors.
    pub fn flatten(&mut self, model: &str) -> Option<FlatModel> {
        if self.has_errors() {
            return None;
        }
        let start = Instant::now();
        let (flat, mut diagnostics) = self.workspace.flatten(model);
        let said = format!("there is no class {model}");
        if let Some(d) = diagnostics.iter_mut().find(|d| d.code == "K0200" && d.message == said)
            && let Some(help) = self.meant(model)
        {
            d.help = Some(help);
        }
        self.diagnostics.extend(diagnostics);
        self.seconds.flatten += start.elapsed().as_secs_f64();
        flat
    }

    /// What may be meant by a name that is none: an example without its package, a step of the tutorial, a similar class.
    pub(crate) fn meant(&mut self, model: &str) -> Option<String> {
        let did_you_mean = |name: &str| format!("did you mean {name}?");
        let file = format!("{model}.mo");
        if Path::new(&file).is_file() {
            return Some(format!("did you mean the file {file}?"));
        }
        if let Some(example) = examples::named(model) {
            return Some(did_you_mean(&example));
        }
        let step = examples::tutorial().into_iter().find(|(name, _)| name.eq_ignore_ascii_case(model));
        if let Some((name, _)) = step {
            let first = format!("`kausal examples --copy {name}` first, then {name}.mo");
            return Some(format!("it is a step of the tutorial: {first}"));
        }
        if let Some(name) = self.similar_class(model) {
            return Some(did_you_mean(&name));
        }
        let library = examples::examples();
        let last = |name: &str| name.rsplit('.').next().unwrap_or_default().to_owned();
        let lasts: Vec<String> = library.iter().map(|(name, _)| last(name)).collect();
        let near = nearest(model, lasts.iter().map(String::as_str))?;
        examples::named(near).map(|name| did_you_mean(&name))
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
            let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
            let last = i + 1 == parts.len();
            let inner = names.iter().filter(|_| last).find(|package| {
                let package = parent.and_then(|parent| library.child(parent, Symbol::new(package)));
                package.is_some_and(|package| library.child(package, symbol).is_some())
            });
            if let Some(package) = inner {
                return Some(format!("{}.{package}.{part}", parts[..i].join(".")));
            }
            let nearest = nearest(part, names.iter().map(String::as_str))?;
            let mut path = parts[..i].to_vec();
            path.push(nearest);
            path.extend(&parts[i + 1..]);
            return Some(path.join("."));
        }
        None
    }

    /// Translates a flat model; `None` when there are errors.
    pub fn translate(&mut self, model: &FlatModel, options: &Options) -> Option<Program> {
        let start = Instant::now();
        let translation = translation(model, options);
        self.diagnostics.extend(translation.diagnostics);
        self.singular = translation.singular;
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
            Ok(mut model) => {
                if let Some(note) = model.code.note() {
                    self.diagnostics.push(Diagnostic::note("K0501", note));
                }
                if !self.prepare_foreign(&model) {
                    return None;
                }
                model.foreign = self.foreign.clone();
                model.permissions = self.permissions();
                Some(model)
            }
            Err(error) => {
                self.diagnostics.push(Diagnostic::error("K0502", error.to_string()));
                None
            }
        }
    }

    /// Compiles the foreign code a model needs; where that is not allowed or impossible, says so.
    fn prepare_foreign(&mut self, model: &CompiledModel) -> bool {
        let pool = &model.program.pool;
        let functions: Vec<&Function> =
            model.foreign_functions().into_iter().map(|id| pool.function(id)).collect();
        let mut told: Vec<&str> = Vec::new();
        let mut hosted = false;
        for function in &functions {
            let Body::External(body) = &function.body else { continue };
            let (name, foreign) = (&function.name, &body.name);
            if is_hosted(function) {
                if self.foreign.is_none() && !std::mem::replace(&mut hosted, true) {
                    let component = name.rsplit_once('.').map_or(name.as_str(), |(component, _)| component);
                    let message =
                        format!("{component} is a component from outside (an FMU): it has code of its own");
                    self.diagnostics.push(Diagnostic::error("K0540", message).help(
                        "--allow-external loads and runs it; it can do all that you can: do so if you trust it",
                    ));
                }
                continue;
            }
            let diagnostic = match (&body.language[..], &self.foreign) {
                ("C", Some(_)) => continue,
                ("C", None) => Diagnostic::error(
                    "K0540",
                    format!("the function {name} is foreign code: it calls {foreign} in C"),
                )
                .help("--allow-external compiles and runs it, with all your rights: do so if you trust the model"),
                (language, _) => Diagnostic::error(
                    "K0541",
                    format!("the function {name} calls {foreign} in {language}: only C can be called"),
                )
                .help("a function in C with the same declaration can call it"),
            };
            if !told.contains(&name.as_str()) {
                told.push(name);
                let place = self.workspace.place(name);
                self.diagnostics.push(match place {
                    Some(place) => diagnostic.at(place, "declared here"),
                    None => diagnostic,
                });
            }
        }
        let allowed = told.is_empty() && !hosted;
        let Some(foreign) = self.foreign.as_ref().filter(|_| allowed) else { return allowed };
        match foreign.prepare(&functions) {
            Ok(()) => true,
            Err(message) => {
                let mut names: Vec<&str> = Vec::new();
                for function in &functions {
                    if !names.contains(&function.name.as_str()) {
                        names.push(&function.name);
                    }
                }
                let place = names.first().and_then(|name| self.workspace.place(name));
                let message = format!("the foreign code of {} cannot be used: {message}", names.join(", "));
                let diagnostic = Diagnostic::error("K0542", message);
                self.diagnostics.push(match place {
                    Some(place) => diagnostic.at(place, "declared here"),
                    None => diagnostic,
                });
                false
            }
        }
    }

    /// What was said so far, taken away.
    pub fn take_diagnostics(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.diagnostics)
    }

    /// The parts without a unique solution that the last translation found, if any.
    pub fn singular(&self) -> &[SingularPart] {
        &self.singular
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
        match &self.stored {
            Some((stored, sources)) => sources.get_or_init(|| stored.rest.sources().unwrap_or_default()),
            None => self.workspace.sources(),
        }
    }
}

/// Translates a flat model, with the stiff states found that nobody names.
pub(crate) fn translation(model: &FlatModel, options: &Options) -> Translation {
    let found = options.inline == Inline::Mixed && options.stiff.is_none();
    let found = found.then(|| stiff::with_stiff_states(model, options));
    verified(kausal_translate::translate(model, found.as_ref().unwrap_or(options)))
}

/// With `KAUSAL_VERIFY` in the environment every program is verified, whatever the build.
fn verified(mut translation: Translation) -> Translation {
    if std::env::var_os("KAUSAL_VERIFY").is_some()
        && let Some(Err(faults)) = translation.program.as_ref().map(Program::verify)
    {
        let message = format!("internal error: the program does not verify: {faults}");
        translation.diagnostics.push(Diagnostic::error("K0990", message));
        translation.program = None;
    }
    translation
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
