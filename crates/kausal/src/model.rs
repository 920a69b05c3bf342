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

mod given;
mod load;
mod sensitivity;
mod simulation;
mod solution;
mod stored;
mod variables;

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use kausal_codegen::Backend;
use kausal_model::FlatModel;
use kausal_model::flat::Experiment;
use kausal_runtime::{CompiledModel, Overrides};
use kausal_syntax::{Diagnostic, Sources};
use kausal_translate::{Options, Program};

use crate::error::{Error, ErrorKind};
use crate::explain;
use crate::flattened::{Flattened, flattened};
use crate::internal::guarded;
use crate::render::{self, JsonDiagnostic};
use crate::request::Request;
use crate::session::Session;
use crate::settings::{Setting, out_of_bounds};
use crate::tune::{self, Refusal};

pub use given::Given;
pub use load::Loader;
pub use sensitivity::Sensitivities;
pub use simulation::Simulation;
pub use solution::Solution;
pub use variables::{Value, VariableInfo, VariableKind, VariableType};

/// A model, ready to run.
#[derive(Clone)]
pub struct Model {
    base: Arc<Base>,
    /// Values that parameters and start values have in the place of those of the text, where they are a part of the flat model.
    settings: Vec<(String, Setting)>,
    /// Those that runs are given.
    tuned: Vec<(String, Setting)>,
    overrides: Arc<Overrides>,
    /// The flat model with the former.
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
    /// What runs are given needs no translation: models with other values share what was compiled. On some parameters the
    /// translation depends ([`VariableInfo::structural`]; also where an equation was divided by what would be zero now): with
    /// these the model is translated again when that is first needed, and a note among the [`diagnostics`](Model::diagnostics)
    /// says why.
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
        let value = value.into();
        let mut why = None;
        // A part of the flat model stays one, and what was not yet translated is translated with all values.
        if let Some(Ok(made)) = self.made.get()
            && self.settings.iter().all(|(known, _)| known != name)
        {
            let mut tuned = self.tuned.clone();
            tuned.retain(|(known, _)| known != name);
            tuned.push((name.to_owned(), value.clone()));
            match tune::overrides(&made.compiled, &tuned) {
                Ok(overrides) => return Ok(self.tuned(name, tuned, overrides)),
                Err(Refusal::Wrong(d)) => {
                    let session = self.base.session();
                    return Err(Error::new(ErrorKind::Request, vec![*d], session.sources()));
                }
                Err(Refusal::Structural(name, reason)) => {
                    let message =
                        format!("{name} has another value, so the model is translated again: {reason}");
                    why = Some(Diagnostic::note("K0564", message));
                }
            }
        }
        let mut settings: Vec<(String, Setting)> = self.settings.iter().chain(&self.tuned).cloned().collect();
        settings.retain(|(known, _)| known != name);
        settings.push((name.to_owned(), value));
        self.set(settings, why)
    }

    /// The same model, whose runs are given these values.
    fn tuned(&self, name: &str, tuned: Vec<(String, Setting)>, overrides: Overrides) -> Model {
        let mut said: Vec<Diagnostic> = self.said.to_vec();
        let number = match tuned.last() {
            Some((_, Setting::Number(number))) => Some(*number),
            Some((_, Setting::Word(word))) => word.parse().ok(),
            None => None,
        };
        said.extend(number.and_then(|number| out_of_bounds(&self.flat, name, number)));
        Model { tuned, overrides: Arc::new(overrides), said: said.into(), ..self.clone() }
    }

    /// The same model with other settings. This is where it is decided what they lead to: a flat model with them in it, which
    /// is translated when it is first needed.
    fn set(&self, settings: Vec<(String, Setting)>, why: Option<Diagnostic>) -> Result<Model, Error> {
        let mut session = self.base.session();
        let mut flat = (*self.base.flat).clone();
        let done = guarded(|| session.set(&mut flat, &settings));
        let mut said: Vec<Diagnostic> = why.into_iter().chain(session.take_diagnostics()).collect();
        match done {
            Ok(true) => Ok(Model {
                base: self.base.clone(),
                settings,
                tuned: Vec::new(),
                overrides: Arc::default(),
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

    /// The same with several of them.
    pub fn with_all(&self, more: &[(String, Setting)]) -> Result<Model, Error> {
        let mut settings: Vec<(String, Setting)> = self.settings.iter().chain(&self.tuned).cloned().collect();
        settings.retain(|(known, _)| !more.iter().any(|(name, _)| name == known));
        settings.extend_from_slice(more);
        self.set(settings, None)
    }

    /// The same model with all values in its flat model, also those that only runs are given.
    pub(crate) fn settled(&self) -> Result<Model, Error> {
        if self.tuned.is_empty() { Ok(self.clone()) } else { self.with_all(&[]) }
    }

    /// What [`Model::with`] was given.
    pub(crate) fn set_values(&self) -> &[(String, Setting)] {
        &self.settings
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

    /// What is said, with its places in the text of the model, as programs read it.
    pub fn located(&self, diagnostics: &[Diagnostic]) -> Vec<JsonDiagnostic> {
        render::json(diagnostics, self.base.session().sources())
    }

    /// What the translation did with the model and why, in words.
    pub fn explain(&self) -> Result<String, Error> {
        const EQUATIONS: usize = 20;
        let program = self.program()?;
        let extent = explain::Extent { equations: EQUATIONS };
        Ok(explain::text(&self.flat, program, self.base.session().sources(), extent))
    }

    /// The same as a page (HTML) with the matrices, loops and solved equations.
    pub fn report(&self) -> Result<String, Error> {
        let program = self.program()?;
        Ok(explain::html::write(&self.flat, program, self.base.session().sources(), &self.diagnostics()))
    }

    /// What the translation did with the model and why, for programs.
    pub fn explanation(&self) -> Result<explain::json::Explanation, Error> {
        let program = self.program()?;
        Ok(explain::json::explanation(&self.flat, program, self.base.session().sources()))
    }

    /// The flat model for programs: variables and equations with their places in the text of the model.
    pub fn flattened(&self) -> Flattened {
        flattened(&self.flat, self.base.session().sources())
    }

    /// The flat model: scalar variables and equations.
    pub fn flat(&self) -> &FlatModel {
        &self.flat
    }

    /// What is computed, in order.
    pub fn program(&self) -> Result<&Program, Error> {
        Ok(&self.made()?.compiled.program)
    }

    /// What runs, shared by all threads.
    pub fn compiled(&self) -> Result<Arc<CompiledModel>, Error> {
        Ok(self.made()?.compiled.clone())
    }

    /// What its runs are given in the place of what was compiled.
    pub(crate) fn overrides(&self) -> Arc<Overrides> {
        self.overrides.clone()
    }

    /// The flat model, for keeps.
    pub(crate) fn flat_shared(&self) -> Arc<FlatModel> {
        self.flat.clone()
    }

    /// Does something with what a file of the model is made of: the flat model, what it was compiled to with the values that were set,
    /// how, and the texts it comes from.
    pub fn with_parts<T>(
        &self,
        make: impl FnOnce(&FlatModel, &Arc<CompiledModel>, &Options, &Sources) -> T,
    ) -> Result<T, Error> {
        let model = self.settled()?;
        let compiled = model.compiled()?;
        let session = model.base.session();
        Ok(make(&model.flat, &compiled, &model.base.options, session.sources()))
    }

    /// How it is translated.
    pub(crate) fn options(&self) -> &Options {
        &self.base.options
    }

    /// How code is made.
    pub(crate) fn backend(&self) -> Backend {
        self.base.backend
    }

    /// What runs are asked for, if nobody says anything.
    pub(crate) fn usual_request(&self) -> Request {
        Request { inline: self.base.options.inline, ..Request::default() }
    }

    /// Something that is wrong with what was asked for.
    pub fn error(&self, kind: ErrorKind, diagnostic: Diagnostic) -> Error {
        Error::new(kind, vec![diagnostic], self.base.session().sources())
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
            .field("tuned", &self.tuned)
            .finish_non_exhaustive()
    }
}
