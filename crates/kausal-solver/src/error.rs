//! What can go wrong, by kind.
//!
//! A *recoverable* failure is a fact about one attempt: Newton did not converge, a square root saw a negative
//! number, a matrix was singular at this point. The caller tries again from somewhere else, usually with a
//! smaller step. A *fatal* failure ends the run: the model says that no other step can help. They are
//! different types so that nobody can mistake one for the other, and a recoverable one costs no allocation.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// Why an attempt failed that may succeed from another point or with a smaller step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reason {
    /// An iteration did not converge.
    NoConvergence,
    /// A matrix was singular to working precision.
    SingularMatrix,
    /// A value was infinite or not a number.
    NotFinite,
    /// An argument was outside the domain of a function.
    OutsideDomain,
    /// What was computed is mostly rounding errors.
    LostDigits,
}

/// A failure that a smaller step or another start may cure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recoverable {
    /// What happened.
    pub reason: Reason,
    /// The unknown or equation it happened at, where one can be named.
    pub component: Option<usize>,
}

impl Recoverable {
    /// A failure without a component to blame.
    pub fn new(reason: Reason) -> Self {
        Recoverable { reason, component: None }
    }

    /// A failure of one component.
    pub fn at(reason: Reason, component: usize) -> Self {
        Recoverable { reason, component: Some(component) }
    }
}

impl fmt::Display for Recoverable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.reason {
            Reason::NoConvergence => "the iteration did not converge",
            Reason::SingularMatrix => "the matrix is singular",
            Reason::NotFinite => "a value is not finite",
            Reason::OutsideDomain => "an argument is outside its domain",
            Reason::LostDigits => "digits are lost",
        };
        match self.component {
            Some(i) => write!(f, "{what} (component {i})"),
            None => f.write_str(what),
        }
    }
}

impl Error for Recoverable {}

/// A failure that ends the run. It carries the model's own error unchanged.
#[derive(Clone, Debug)]
pub struct Fatal(pub Arc<dyn Error + Send + Sync>);

impl Fatal {
    /// Wraps a message or an error of the model.
    pub fn new(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Fatal(Arc::from(error.into()))
    }
}

impl fmt::Display for Fatal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What a model answers when it cannot evaluate itself or cannot take the step it was asked for.
#[derive(Clone, Debug)]
pub enum ModelError {
    /// Try again elsewhere.
    Recoverable(Recoverable),
    /// Stop.
    Fatal(Fatal),
}

impl ModelError {
    /// Shorthand for a recoverable failure without a component.
    pub fn recoverable(reason: Reason) -> Self {
        ModelError::Recoverable(Recoverable::new(reason))
    }

    /// Shorthand for a fatal failure.
    pub fn fatal(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        ModelError::Fatal(Fatal::new(error))
    }
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ModelError::Recoverable(e) => e.fmt(f),
            ModelError::Fatal(e) => e.fmt(f),
        }
    }
}

impl Error for ModelError {}

impl From<Recoverable> for ModelError {
    fn from(e: Recoverable) -> Self {
        ModelError::Recoverable(e)
    }
}

impl From<Fatal> for ModelError {
    fn from(e: Fatal) -> Self {
        ModelError::Fatal(e)
    }
}

/// Why the step size was driven to its lower limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StepObstacle {
    /// The error test kept failing; this state has the largest weighted error.
    ErrorTest {
        /// Index of the dominating state.
        state: usize,
        /// The weighted root-mean-square error of the last attempt; a step passes at 1 or below.
        error: f64,
    },
    /// The model kept answering with a recoverable failure.
    Model(Recoverable),
    /// The solution kept turning infinite or not-a-number, first in this state.
    NotFinite {
        /// Index of the state.
        state: usize,
    },
}

/// Why an integration cannot go on.
#[derive(Clone, Debug)]
pub enum SolverError {
    /// No step, however small, is accepted at `t`.
    StepSizeTooSmall {
        /// Time where the integration is stuck.
        t: f64,
        /// The last step size tried.
        h: f64,
        /// What stands in the way.
        obstacle: StepObstacle,
    },
    /// The limit on the number of steps is reached.
    TooManySteps {
        /// Time reached.
        t: f64,
        /// Steps taken.
        steps: u64,
    },
    /// The derivative at the start of an integration cannot be evaluated, or is not finite in this state.
    BadStart {
        /// Time of the start.
        t: f64,
        /// What stands in the way.
        obstacle: StepObstacle,
    },
    /// The model reported a fatal error.
    Model {
        /// Time of the step that was attempted.
        t: f64,
        /// The model's error.
        source: Fatal,
    },
    /// The method needs something this model does not offer.
    Unsupported {
        /// What is missing, in words.
        needs: &'static str,
    },
    /// An option has a value that makes no sense.
    InvalidOption {
        /// Which, and why, in words.
        what: &'static str,
    },
}

impl StepObstacle {
    /// The state that stands in the way most, where one can be named.
    pub fn state(&self) -> Option<usize> {
        match *self {
            StepObstacle::ErrorTest { state, .. } | StepObstacle::NotFinite { state } => Some(state),
            // The unknowns of a step are its states.
            StepObstacle::Model(Recoverable { component, .. }) => component,
        }
    }

    /// In words; `name` says what a state is called.
    pub fn worded(&self, name: &dyn Fn(usize) -> String) -> String {
        match self {
            StepObstacle::ErrorTest { state, error } => {
                format!("the error test fails ({error:.3e} > 1), mostly because of {}", name(*state))
            }
            StepObstacle::Model(Recoverable { reason, component: Some(state) }) => {
                let blame = match reason {
                    Reason::NoConvergence => ", mostly because of",
                    _ => ", at",
                };
                format!("{}{blame} {}", Recoverable::new(*reason), name(*state))
            }
            StepObstacle::Model(e) => e.to_string(),
            StepObstacle::NotFinite { state } => format!("{} is not finite", name(*state)),
        }
    }
}

/// Where nobody knows what states are called.
fn numbered(state: usize) -> String {
    format!("state {state}")
}

impl fmt::Display for StepObstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.worded(&numbered))
    }
}

/// Steps below this are smaller than anything that is measured.
const NOTHING: f64 = 1e-30;

/// An instant as text: with an exponent where it would be a row of zeros.
pub fn instant(t: f64) -> String {
    let plain = t == 0.0 || (1e-5..1e16).contains(&t.abs()) || !t.is_finite();
    if plain { t.to_string() } else { format!("{t:e}") }
}

impl SolverError {
    /// The state that stands in the way most, where one can be named.
    pub fn state(&self) -> Option<usize> {
        match self {
            SolverError::StepSizeTooSmall { obstacle, .. } | SolverError::BadStart { obstacle, .. } => {
                obstacle.state()
            }
            _ => None,
        }
    }

    /// In words; `name` says what a state is called. `said` is an instant that the reader knows already.
    pub fn worded(&self, said: Option<f64>, name: &dyn Fn(usize) -> String) -> String {
        match self {
            SolverError::StepSizeTooSmall { t, h, obstacle } => {
                let known = said.is_some_and(|said| instant(said) == instant(*t));
                let when = if known { String::new() } else { format!("at time {} ", instant(*t)) };
                // Near zero steps can be made so small that their size says nothing.
                let which = match *h < NOTHING {
                    true => "no step succeeds, however small".to_owned(),
                    false => format!("no step of size {h:.3e} or more succeeds"),
                };
                format!("{when}{which}: {}", obstacle.worded(name))
            }
            SolverError::TooManySteps { t, steps } => {
                format!("the limit of {steps} steps is reached at time {}", instant(*t))
            }
            SolverError::BadStart { t, obstacle } => {
                format!("cannot start at time {}: {}", instant(*t), obstacle.worded(name))
            }
            SolverError::Model { t, source } => format!("at time {}: {source}", instant(*t)),
            SolverError::Unsupported { needs } => format!("the method needs {needs}"),
            SolverError::InvalidOption { what } => format!("invalid option: {what}"),
        }
    }
}

impl fmt::Display for SolverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.worded(None, &numbered))
    }
}

impl Error for SolverError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            SolverError::Model { source, .. } => Some(&*source.0),
            _ => None,
        }
    }
}
