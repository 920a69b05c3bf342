//! The front door: a model that is loaded, set and run.
//!
//! ```
//! use kausal::Model;
//!
//! let model = Model::from_text(
//!     "model Motor parameter Real J = 1; Real w(start = 0, fixed = true); equation J*der(w) = 1 - w; end Motor;",
//! )?;
//! let slow = model.with("J", 2.0)?;
//! let solution = slow.simulation().stop(4.0).tolerance(1e-8).run()?;
//! let w = solution["w"].last().unwrap();
//! assert!((w - (1.0 - (-2.0f64).exp())).abs() < 1e-6);
//! # Ok::<(), kausal::Error>(())
//! ```
//!
//! A [`Model`] is translated once, is cheap to clone and runs in as many threads at a time as one likes. What a run is asked for
//! is said by name ([`Simulation`]); what nobody says follows from the `experiment` annotation. Whatever fails is an [`Error`]
//! with diagnostics; one of a run has the trajectory up to there.

mod load;
mod simulation;
mod solution;
mod variables;

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use kausal_codegen::Backend;
use kausal_model::FlatModel;
use kausal_model::flat::Experiment;
use kausal_runtime::CompiledModel;
use kausal_syntax::Diagnostic;
use kausal_translate::{Options, Program};

use crate::error::{Error, ErrorKind};
use crate::internal::guarded;
use crate::session::{Session, Setting};

pub use load::Loader;
pub use simulation::Simulation;
pub use solution::Solution;
pub use variables::{Value, VariableInfo, VariableKind, VariableType};

/// A model, ready to run.
#[derive(Clone)]
pub struct Model {
    base: Arc<Base>,
    /// Values that parameters and start values have in the place of those of the text.
    settings: Vec<(String, Setting)>,
    /// The flat model with them.
    flat: Arc<FlatModel>,
    made: Arc<OnceLock<Result<Made, Error>>>,
    /// What there is to say about it, without errors.
    said: Arc<[Diagnostic]>,
}

/// What models with different settings have in common.
struct Base {
    /// Only one at a time reads texts and translates.
    session: Mutex<Session>,
    flat: Arc<FlatModel>,
    options: Options,
    backend: Backend,
}

/// What a model was translated to.
struct Made {
    compiled: Arc<CompiledModel>,
    said: Vec<Diagnostic>,
}

impl Model {
    /// A model by its file (its last class) or by its name in a library: the one that is built in, or those in the folders
    /// of `MODELICAPATH`. [`Model::loader`] has more to choose from.
    pub fn load(what: impl AsRef<Path>) -> Result<Model, Error> {
        Model::loader().load(what)
    }

    /// The last class of a text.
    pub fn from_text(text: &str) -> Result<Model, Error> {
        Model::loader().text(text)
    }

    /// Loads a model with libraries and options of one's own.
    pub fn loader() -> Loader {
        Loader::new()
    }

    /// The same model with another value of a parameter, or another start value of a variable. A value is a number, `true`
    /// or `false`, or a text: of a `String`, or a literal of an enumeration.
    ///
    /// ```
    /// # use kausal::{ErrorKind, Model};
    /// let model = Model::from_text("model M parameter Integer n = 2; Real x[n] = fill(time, n); end M;")?;
    /// // The structure depends on this one: the model is translated again.
    /// assert_eq!(model.with("n", 3)?.variable("x[3]").map(|x| x.name), Some("x[3]".into()));
    /// assert_eq!(model.with("m", 3).expect_err("there is none").kind(), ErrorKind::Request);
    /// # Ok::<(), kausal::Error>(())
    /// ```
    pub fn with(&self, name: &str, value: impl Into<Setting>) -> Result<Model, Error> {
        let mut settings = self.settings.clone();
        settings.retain(|(known, _)| known != name);
        settings.push((name.to_owned(), value.into()));
        self.set(settings)
    }

    /// The same model with other settings. This is where it is decided what they lead to: a flat model with them in it, which
    /// is translated when it is first needed.
    fn set(&self, settings: Vec<(String, Setting)>) -> Result<Model, Error> {
        let mut session = self.base.session();
        let mut flat = (*self.base.flat).clone();
        let done = guarded(|| session.set(&mut flat, &settings));
        let mut said = session.take_diagnostics();
        match done {
            Ok(true) => Ok(Model {
                base: self.base.clone(),
                settings,
                flat: Arc::new(flat),
                made: Arc::default(),
                said: said.into(),
            }),
            Ok(false) => Err(Error::new(ErrorKind::Request, said, session.sources())),
            Err(fault) => {
                said.push(fault);
                Err(Error::new(ErrorKind::Internal, said, session.sources()))
            }
        }
    }

    /// The full name of its class.
    pub fn name(&self) -> &str {
        &self.flat.name
    }

    /// What the class says about itself.
    pub fn description(&self) -> &str {
        &self.flat.description
    }

    /// What the `experiment` annotation says.
    pub fn experiment(&self) -> Experiment {
        self.flat.experiment
    }

    /// Runs it as its `experiment` annotation says.
    pub fn simulate(&self) -> Result<Solution, Error> {
        self.simulation().run()
    }

    /// A run, with what is asked of it.
    pub fn simulation(&self) -> Simulation<'static> {
        Simulation::new(self.clone())
    }

    /// Warnings and notes about the model.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        let made = self.made.get().and_then(|made| made.as_ref().ok());
        self.said.iter().chain(made.into_iter().flat_map(|made| &made.said)).cloned().collect()
    }

    /// The flat model: scalar variables and equations.
    pub fn flat(&self) -> &FlatModel {
        &self.flat
    }

    /// What is computed, in order.
    pub fn program(&self) -> Result<&Program, Error> {
        Ok(&self.made()?.compiled.program)
    }

    /// The translated model: translated now, if that was not done.
    fn made(&self) -> Result<&Made, Error> {
        let made = self.made.get_or_init(|| {
            let mut session = self.base.session();
            let compiled = guarded(|| {
                let program = session.translate(&self.flat, &self.base.options)?;
                session.compile(program, self.base.backend)
            });
            let mut said = session.take_diagnostics();
            let compiled = compiled.unwrap_or_else(|fault| {
                said.push(fault);
                None
            });
            match compiled {
                Some(compiled) => Ok(Made { compiled: Arc::new(compiled), said }),
                None => Err(Error::new(ErrorKind::Model, said, session.sources())),
            }
        });
        made.as_ref().map_err(Clone::clone)
    }
}

impl Base {
    /// What a fault leaves behind in a session is texts that were read, and these are complete.
    fn session(&self) -> MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Model")
            .field("name", &self.flat.name)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}
