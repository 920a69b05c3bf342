//! Where models come from: files, texts, libraries, and the options of their translation, each by its name.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use kausal_codegen::Backend;
use kausal_external::foreign::Host;
use kausal_model::FlatModel;
use kausal_syntax::Diagnostic;
use kausal_translate::{Inline, Loops, Options, Program, Relaxing, Tearing};

use super::{Base, Made, Model};
use crate::error::{Error, ErrorKind};
use crate::internal::guarded;
use crate::session::Session;

/// Loads a model.
///
/// ```
/// use kausal::{Inline, Model};
/// let text = "package P model A Real x = time; end A; model B Real x = 2*time; end B; end P;";
/// let model = Model::loader().class("P.A").inline(Inline::Off).text(text)?;
/// assert_eq!(model.name(), "P.A");
/// # Ok::<(), kausal::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "nothing is loaded until `load` or `text` is called"]
pub struct Loader {
    libraries: Vec<PathBuf>,
    modelica_path: bool,
    class: Option<String>,
    external: bool,
    host: Option<Arc<dyn Host>>,
    hints: bool,
    units: bool,
    options: Options,
    backend: Backend,
}

impl Default for Loader {
    fn default() -> Loader {
        Loader {
            libraries: Vec::new(),
            modelica_path: true,
            class: None,
            external: false,
            host: None,
            hints: true,
            units: true,
            options: Options::default(),
            backend: Backend::Auto,
        }
    }
}

impl Loader {
    /// With the built-in library and those in the folders of `MODELICAPATH`.
    pub fn new() -> Loader {
        Loader::default()
    }

    /// A folder with libraries, looked into before those of `MODELICAPATH`.
    pub fn library(mut self, folder: impl Into<PathBuf>) -> Loader {
        self.libraries.push(folder.into());
        self
    }

    /// Whether the folders of `MODELICAPATH` are looked into; they are if nobody says anything.
    pub fn modelica_path(mut self, used: bool) -> Loader {
        self.modelica_path = used;
        self
    }

    /// The class of a file or text that is meant, by its full name, instead of the last one.
    pub fn class(mut self, name: impl Into<String>) -> Loader {
        self.class = Some(name.into());
        self
    }

    /// External C code of the model is compiled and run, with all rights of the user: for models one trusts.
    pub fn allow_external(mut self, allowed: bool) -> Loader {
        self.external = allowed;
        self
    }

    /// Components from outside (FMUs) are run by this host, where external code is allowed.
    pub fn host(mut self, host: Arc<dyn Host>) -> Loader {
        self.host = Some(host);
        self
    }

    /// Whether `residue` and `relax` of the model are followed; they are if nobody says anything.
    pub fn hints(mut self, followed: bool) -> Loader {
        self.hints = followed;
        self
    }

    /// Whether units are checked, with warnings where they differ; they are if nobody says anything.
    pub fn units(mut self, checked: bool) -> Loader {
        self.units = checked;
        self
    }

    /// How systems of equations are torn.
    pub fn tearing(mut self, tearing: Tearing) -> Loader {
        self.options.tearing = tearing;
        self
    }

    /// Whether linear systems are eliminated in a static order.
    pub fn relaxing(mut self, relaxing: Relaxing) -> Loader {
        self.options.relaxing = relaxing;
        self
    }

    /// Makes the formula of an integration method a part of the model.
    pub fn inline(mut self, inline: Inline) -> Loader {
        self.options.inline = inline;
        self
    }

    /// The stiff states of `Inline::Mixed`, by name or pattern; without them, those that are fast at the start.
    pub fn stiff<S: Into<String>>(mut self, states: impl IntoIterator<Item = S>) -> Loader {
        self.options.stiff = Some(states.into_iter().map(Into::into).collect());
        self
    }

    /// How loops are iterated.
    pub fn loops(mut self, loops: Loops) -> Loader {
        self.options.loops = loops;
        self
    }

    /// How code is made.
    pub fn backend(mut self, backend: Backend) -> Loader {
        self.backend = backend;
        self
    }

    /// A model by its file (`.mo` or `.dym`) or by its name in a library.
    pub fn load(self, what: impl AsRef<Path>) -> Result<Model, Error> {
        let what = what.as_ref().to_string_lossy().into_owned();
        self.made(|session, class| session.find(&what, class))
    }

    /// A model by its text.
    pub fn text(self, text: &str) -> Result<Model, Error> {
        self.made(|session, class| {
            let last = session.add_text("text", text).pop();
            if last.is_none() && !session.has_errors() {
                session.report(Diagnostic::error("K0903", "the text defines no class"));
            }
            class.map(str::to_owned).or(last)
        })
    }

    fn made(self, find: impl FnOnce(&mut Session, Option<&str>) -> Option<String>) -> Result<Model, Error> {
        let mut session = Session::new();
        for folder in &self.libraries {
            session.add_library(folder);
        }
        if self.modelica_path {
            session.add_modelica_path();
        }
        if let Some(host) = &self.host {
            session.set_host(host.clone());
        }
        session.check_units(self.units);
        if self.external {
            session.allow_external();
        }
        let flat = guarded(|| {
            let name = find(&mut session, self.class.as_deref())?;
            session.flatten(&name)
        });
        let mut said = session.take_diagnostics();
        let mut flat = match flat {
            Ok(Some(flat)) => flat,
            Ok(None) => return Err(Error::new(ErrorKind::Model, said, session.sources())),
            Err(fault) => {
                said.push(fault);
                return Err(Error::new(ErrorKind::Internal, said, session.sources()));
            }
        };
        if !self.hints {
            flat.hints.clear();
        }
        let model = Model::adopt(session, flat, self.options, self.backend, said);
        // What is wrong with a model is said when it is loaded.
        model.made()?;
        Ok(model)
    }
}

impl Model {
    /// A model that a session has flattened.
    fn adopt(
        session: Session,
        flat: FlatModel,
        options: Options,
        backend: Backend,
        said: Vec<Diagnostic>,
    ) -> Model {
        let flat = Arc::new(flat);
        let base = Base { session: Mutex::new(session), flat: flat.clone(), options, backend };
        Model {
            base: Arc::new(base),
            settings: Vec::new(),
            tuned: Vec::new(),
            overrides: Arc::default(),
            flat,
            made: Arc::default(),
            said: said.into(),
        }
    }

    /// A class of a session, flattened and translated.
    pub fn of_class(
        mut session: Session,
        class: &str,
        options: Options,
        backend: Backend,
    ) -> Result<Model, Error> {
        let flat = guarded(|| session.flatten(class));
        let mut said = session.take_diagnostics();
        let flat = match flat {
            Ok(Some(flat)) => flat,
            Ok(None) => return Err(Error::new(ErrorKind::Model, said, session.sources())),
            Err(fault) => {
                said.push(fault);
                return Err(Error::new(ErrorKind::Internal, said, session.sources()));
            }
        };
        let model = Model::adopt(session, flat, options, backend, said);
        model.made()?;
        Ok(model)
    }

    /// A model that a session has flattened, with options of its own; a program that is there is not made again.
    pub fn of_session(
        mut session: Session,
        flat: FlatModel,
        options: Options,
        backend: Backend,
        program: Option<Program>,
    ) -> Result<Model, Error> {
        let made = program.map(|program| session.compile(program, backend));
        let said = session.take_diagnostics();
        let model = match made {
            Some(None) => return Err(Error::new(ErrorKind::Model, said, session.sources())),
            Some(Some(compiled)) => {
                let model = Model::adopt(session, flat, options, backend, Vec::new());
                let made = Made { compiled: Arc::new(compiled), said };
                // It is new: nobody has translated it.
                let _ = model.made.set(Ok(made));
                model
            }
            None => Model::adopt(session, flat, options, backend, said),
        };
        Ok(model)
    }
}
