//! The external functions the Modelica Standard Library declares, written natively; and those of others, called.
//!
//! The library declares functions such as `external "C" y = ModelicaStrings_length(string)` and expects a tool to link
//! C and Fortran code. Here are versions of our own that need no foreign code: a model that uses them stays data.
//!
//! | module | foreign names |
//! | --- | --- |
//! | [`strings`] | `ModelicaStrings_*`, `ModelicaError`, `ModelicaMessage` |
//! | [`files`] | `ModelicaInternal_*`, `ModelicaStreams_*`, `ModelicaIO_*` |
//! | [`random`] | `ModelicaRandom_*` |
//! | [`fft`] | `ModelicaFFT_*` |
//! | [`tables`] | `ModelicaStandardTables_*` |
//! | [`lapack`] | `dgesv`, `dgeev`, … |
//!
//! ```
//! use kausal_external::{Kind, Options, StandardExternals, kind};
//! let externals = StandardExternals::new(Options::default());
//! assert_eq!(kind("ModelicaStrings_length"), Some(Kind::Pure));
//! assert!(!externals.is_known("someone_elses_function"));
//! ```
//!
//! **A model stays data**: what is read, written and listed is what the [`Permissions`] allow. Functions that change the
//! working directory or the environment, and those that start programs, are known and refuse with a message, but where
//! models may do what programs may.
//!
//! What has no native version runs as foreign code where the user has allowed that ([`foreign`]).
//!
//! **Same arguments, same result**: tables keep no memory between calls, a constructor that is called again with the same
//! arguments gives the same handle, and the automatic seed is an option. The exceptions are those that are impure by
//! declaration: one random number generator, the time of day and the number of the process.

pub mod fft;
pub mod files;
pub mod foreign;
mod frame;
mod inflate;
mod kept;
pub mod lapack;
mod matfile;
mod matrix_file;
mod outside;
mod permissions;
pub mod random;
mod regular;
pub mod strings;
pub mod tables;
mod writing;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kausal_symbolic::function::interrupt::Interrupt;
use kausal_symbolic::function::{ExternalCall, ExternalError, Externals, Scalar, Value};

use crate::foreign::{Foreign, Guest, Said};
use crate::frame::Frame;
pub use crate::kept::{Kept, NoData};
pub use crate::permissions::{Permissions, RunFiles};
pub use crate::regular::{open_regular, read_regular};

/// What the functions may do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// What may be read, written and listed?
    pub permissions: Permissions,
    /// May functions depend on more than their arguments and files: on what they keep between calls (external objects, the
    /// impure random number generator, messages), on the time of day, on the number of the process? Not where a call may
    /// be run once and its result kept, as while translating.
    pub state: bool,
    /// What `automaticGlobalSeed` gives: fixed, so that a simulation can be repeated.
    pub seed: i32,
}

impl Default for Options {
    /// For a simulation.
    fn default() -> Self {
        Options { permissions: Permissions::default(), state: true, seed: 67867967 }
    }
}

impl Options {
    /// For evaluation while translating.
    pub fn translation(permissions: Permissions) -> Self {
        Options { permissions, state: false, ..Options::default() }
    }
}

/// What a function depends on besides its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Nothing.
    Pure,
    /// Files, directories, the environment.
    Reads,
    /// The clock.
    Clock,
    /// Earlier calls, and it may leave something to later ones.
    State,
    /// It writes, moves or removes files and folders, where that is allowed.
    Writes,
    /// It changes the world outside in other ways: run only where models may do what programs may.
    Changes,
}

/// A function: it reads its arguments from the frame and writes its results there.
type Native = fn(&StandardExternals, &mut Frame<'_>) -> Result<(), ExternalError>;

/// A function of numbers with one number as its result, called without a frame: nothing is allocated.
#[derive(Clone, Copy, Debug)]
pub struct NumberNative {
    kind: Kind,
    name: &'static str,
    arguments: usize,
    call: fn(&StandardExternals, &[f64]) -> Result<f64, ExternalError>,
}

/// The function of numbers with this foreign name, if it is one that is called often.
pub fn number_native(name: &str) -> Option<NumberNative> {
    tables::find_number(name)
}

/// Runs the standard external functions.
#[derive(Debug, Default)]
pub struct StandardExternals {
    options: Options,
    /// Foreign code, where the user has allowed it.
    foreign: Option<Arc<Foreign>>,
    /// Ends the run from outside.
    interrupt: Interrupt,
    state: Mutex<State>,
}

/// What is kept between calls.
#[derive(Debug, Default)]
struct State {
    tables: tables::Registry,
    random: random::Impure,
    messages: Vec<String>,
    warnings: Vec<String>,
    /// What was written to memory.
    files: writing::Kept,
    /// What was written elsewhere.
    written_files: writing::Written,
    /// Bytes written so far.
    written: u64,
    /// What foreign code has made.
    objects: foreign::Objects,
    /// Components from outside.
    guest: Option<Box<dyn Guest>>,
    /// What was changed outside of files.
    outside: outside::Outside,
}

/// Messages that are kept.
const MOST_MESSAGES: usize = 1000;

impl State {
    /// Keeps a message; one that comes again and again is kept once.
    fn tell(&mut self, text: String) {
        if self.messages.len() < MOST_MESSAGES && self.messages.last() != Some(&text) {
            self.messages.push(text);
        }
    }

    /// Keeps what foreign code said.
    fn note(&mut self, said: Vec<Said>) {
        for what in said {
            match what {
                Said::Message(text) => self.tell(text),
                Said::Warning(text) => self.warn(text),
            }
        }
    }

    /// Keeps a warning, once.
    fn warn(&mut self, text: String) {
        if self.warnings.len() < MOST_MESSAGES && !self.warnings.contains(&text) {
            self.warnings.push(text);
        }
    }
}

impl StandardExternals {
    /// With these permissions, and nothing kept yet.
    pub fn new(options: Options) -> StandardExternals {
        StandardExternals { options, foreign: None, interrupt: Interrupt::default(), state: Mutex::default() }
    }

    /// Foreign code may run for what has no native version.
    pub fn with_foreign(mut self, foreign: Option<Arc<Foreign>>) -> StandardExternals {
        self.foreign = foreign;
        self
    }

    /// Foreign code ends where this asks for it.
    pub fn set_interrupt(&mut self, interrupt: &Interrupt) {
        self.interrupt = interrupt.clone();
    }

    /// Is there a native version of the function with this foreign name?
    pub fn is_known(&self, name: &str) -> bool {
        kind(name).is_some()
    }

    /// Calls a function of numbers; fails with a message.
    pub fn call_number(&self, native: NumberNative, args: &[f64]) -> Result<f64, String> {
        let outcome = match args.len() == native.arguments {
            true => self.may(native.kind, native.name).and_then(|()| (native.call)(self, args)),
            false => Err(ExternalError::Failed("a wrong number of arguments".to_owned())),
        };
        outcome.map_err(|error| match error {
            ExternalError::Unavailable => format!("{} is not available here", native.name),
            ExternalError::Failed(message) => message,
        })
    }

    /// Has foreign code crashed? Then in which function, and how.
    pub fn crash(&self) -> Option<String> {
        self.state().objects.crash().map(str::to_owned)
    }

    /// Takes the messages functions have printed so far.
    pub fn take_messages(&self) -> Vec<String> {
        std::mem::take(&mut self.state().messages)
    }

    /// Takes the warnings functions have given so far.
    pub fn take_warnings(&self) -> Vec<String> {
        std::mem::take(&mut self.state().warnings)
    }

    /// Are there components from outside?
    pub fn has_guests(&self) -> bool {
        self.state().guest.as_ref().is_some_and(|guest| !guest.is_empty())
    }

    /// The solver goes on from the last evaluation. Does a component from outside want an event there?
    pub fn complete_step(&self) -> Result<bool, String> {
        self.state().guest.as_mut().map_or(Ok(false), |guest| guest.complete_step())
    }

    /// A call that panicked cannot leave the state half changed: every change is one assignment.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn may(&self, kind: Kind, name: &str) -> Result<(), ExternalError> {
        let refuse = |why: &str| Err(ExternalError::Failed(format!("{name} {why}")));
        match kind {
            Kind::Pure => Ok(()),
            // Each function asks for what it reads.
            Kind::Reads => Ok(()),
            Kind::Clock | Kind::State | Kind::Writes if self.options.state => Ok(()),
            Kind::Clock | Kind::State | Kind::Writes => Err(ExternalError::Unavailable),
            Kind::Changes if !self.options.state => Err(ExternalError::Unavailable),
            Kind::Changes if self.options.permissions.is_everything() => Ok(()),
            Kind::Changes => refuse(
                "changes the working directory or the environment, or starts a program, which is not allowed; \
                 --allow-external allows what a program may do",
            ),
        }
    }
}

impl Externals for StandardExternals {
    fn call(&self, call: &ExternalCall<'_>) -> Result<Vec<Value<f64>>, ExternalError> {
        let name = call.body.name.as_str();
        let Some((kind, native)) = find(name) else { return self.call_foreign(call) };
        self.may(kind, name)?;
        let mut frame = Frame::new(call);
        native(self, &mut frame)?;
        frame.finish()
    }

    fn release(&self, handle: f64) {
        let state = &mut *self.state();
        let mut said = Vec::new();
        state.objects.release(handle, &mut said);
        state.note(said);
    }
}

impl StandardExternals {
    /// Runs foreign code, if that is allowed here.
    fn call_foreign(&self, call: &ExternalCall<'_>) -> Result<Vec<Value<f64>>, ExternalError> {
        let view = &call.body.view;
        if call.body.language != "C" {
            let message =
                format!("functions in \"{}\" cannot be called: only those in C can", call.body.language);
            return Err(ExternalError::Failed(message));
        }
        let Some(foreign) = &self.foreign else {
            let message = "it is foreign code, which runs only with --allow-external".to_owned();
            return Err(ExternalError::Failed(message));
        };
        let objects = view.args.iter().map(|ty| ty.scalar).chain(view.result);
        if !self.options.state && (view.impure || objects.into_iter().any(|s| s == Scalar::External)) {
            return Err(ExternalError::Unavailable);
        }
        let state = &mut *self.state();
        if call.body.name.starts_with(foreign::PREFIX) {
            let guest = match &mut state.guest {
                Some(guest) => guest,
                none => match foreign.guest() {
                    Some(guest) => none.insert(guest),
                    None => {
                        let message = "components from outside (FMUs) cannot be run here".to_owned();
                        return Err(ExternalError::Failed(message));
                    }
                },
            };
            let outcome = guest.call(call, &self.interrupt);
            let said = guest.take_messages();
            said.into_iter().for_each(|text| state.tell(text));
            return outcome.map_err(ExternalError::Failed);
        }
        let mut said = Vec::new();
        let outcome = foreign.call(call, &mut state.objects, &mut said, &self.interrupt);
        state.note(said);
        outcome
    }
}

/// What the function with this foreign name depends on; none if there is no native version.
pub fn kind(name: &str) -> Option<Kind> {
    find(name).map(|(kind, _)| kind)
}

fn find(name: &str) -> Option<(Kind, Native)> {
    strings::find(name)
        .or_else(|| random::find(name))
        .or_else(|| files::find(name))
        .or_else(|| fft::find(name))
        .or_else(|| tables::find(name))
        .or_else(|| lapack::find(name))
}

#[cfg(test)]
pub(crate) mod test;
