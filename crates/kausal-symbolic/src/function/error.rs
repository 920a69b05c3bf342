//! What can go wrong when a function is evaluated.

use std::fmt;

use super::FunctionId;
use super::array::ArrayError;

/// Why a function has no value.
#[derive(Clone, Debug, PartialEq)]
pub struct EvalError(Box<Inner>);

#[derive(Clone, Debug, PartialEq)]
struct Inner {
    kind: EvalErrorKind,
    trace: Vec<String>,
}

/// The kinds of [`EvalError`].
#[derive(Clone, Debug, PartialEq)]
pub enum EvalErrorKind {
    /// Sizes do not fit, a subscript is out of bounds, a number is not known, …
    Array(ArrayError),
    /// An `assert` does not hold; this is its message.
    Assertion(String),
    /// A foreign function of this name is needed and there is none.
    NoExternal(String),
    /// A foreign function failed.
    External {
        /// Its name.
        name: String,
        /// What it said.
        message: String,
    },
    /// More steps than allowed: probably a loop without end.
    TooManySteps,
    /// Somebody asked for the end of it.
    Interrupted,
    /// More nested calls than allowed: probably a recursion without end.
    TooManyCalls,
    /// There is no such function.
    NoFunction(FunctionId),
    /// An input has no argument and no default.
    MissingArgument(String),
    /// More arguments than inputs.
    TooManyArguments {
        /// How many there may be.
        inputs: usize,
        /// How many there are.
        found: usize,
    },
    /// A value does not fit the declaration of this local variable.
    WrongValue {
        /// The variable.
        local: String,
        /// What is wrong.
        why: String,
    },
    /// A result of Integer arithmetic is too large to be exact.
    Inexact(f64),
    /// Initial values need each other, beginning with this variable.
    Cyclic(String),
    /// The function itself is not well-formed.
    Malformed(String),
    /// Something that cannot be turned into an expression.
    NotInlinable(&'static str),
    /// A derivative does not exist or is not known.
    NotDifferentiable(String),
}

impl EvalError {
    /// What exactly.
    pub fn kind(&self) -> &EvalErrorKind {
        &self.0.kind
    }

    /// The functions it happened in, from the inside out.
    pub fn trace(&self) -> &[String] {
        &self.0.trace
    }

    /// Notes that it happened in this function.
    #[cold]
    pub(super) fn within(mut self, function: &str) -> Self {
        const LONGEST_TRACE: usize = 16;
        if self.0.trace.len() < LONGEST_TRACE {
            self.0.trace.push(function.to_owned());
        }
        self
    }
}

impl From<EvalErrorKind> for EvalError {
    #[cold]
    fn from(kind: EvalErrorKind) -> Self {
        EvalError(Box::new(Inner { kind, trace: Vec::new() }))
    }
}

impl From<ArrayError> for EvalError {
    #[cold]
    fn from(error: ArrayError) -> Self {
        EvalErrorKind::Array(error).into()
    }
}

impl From<super::array::ArrayErrorKind> for EvalError {
    #[cold]
    fn from(kind: super::array::ArrayErrorKind) -> Self {
        ArrayError::from(kind).into()
    }
}

impl std::error::Error for EvalError {}

impl fmt::Display for EvalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.kind {
            EvalErrorKind::Array(error) => write!(f, "{error}")?,
            EvalErrorKind::Assertion(message) => write!(f, "assertion failed: {message}")?,
            EvalErrorKind::NoExternal(name) => write!(f, "external function {name} is not available")?,
            EvalErrorKind::External { name, message } => write!(f, "external function {name}: {message}")?,
            EvalErrorKind::TooManySteps => write!(f, "it takes too many steps; does it come to an end?")?,
            EvalErrorKind::Interrupted => write!(f, "it was stopped before it came to an end")?,
            EvalErrorKind::TooManyCalls => {
                write!(f, "calls are nested too deeply: about 200 inside each other are possible")?
            }
            EvalErrorKind::NoFunction(id) => write!(f, "function {} does not exist", id.0)?,
            EvalErrorKind::MissingArgument(name) => write!(f, "no argument for input {name}")?,
            EvalErrorKind::TooManyArguments { inputs, found } => {
                write!(f, "{found} arguments for {inputs} inputs")?;
            }
            EvalErrorKind::WrongValue { local, why } => write!(f, "{local}: {why}")?,
            EvalErrorKind::Inexact(value) => write!(f, "{}", super::integers::too_large(*value))?,
            EvalErrorKind::Cyclic(name) => write!(f, "the initial value of {name} depends on itself")?,
            EvalErrorKind::Malformed(why) => write!(f, "malformed function: {why}")?,
            EvalErrorKind::NotInlinable(why) => write!(f, "cannot become an expression: {why}")?,
            EvalErrorKind::NotDifferentiable(why) => write!(f, "cannot be differentiated: {why}")?,
        }
        let mut last = None;
        for function in &self.0.trace {
            // A function that calls itself is named once.
            if last.replace(function) != Some(function) {
                write!(f, "\n  in function {function}")?;
            }
        }
        Ok(())
    }
}
