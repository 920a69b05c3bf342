//! Foreign code that is not compiled here: components from outside (FMUs) that a library of its own loads and calls.
//!
//! This crate knows their functions by the beginning of their names only. Who can run them is a [`Host`]; what one run has of
//! them is its [`Guest`]. Both are there only where the user has allowed foreign code.

use std::fmt::Debug;
use std::panic::{RefUnwindSafe, UnwindSafe};

use kausal_symbolic::function::interrupt::Interrupt;
use kausal_symbolic::function::{ExternalCall, Function, Value};

/// How the names of functions of components from outside begin.
pub const PREFIX: &str = "kausal_fmi_";

/// Is this function one of a component from outside?
pub fn is_hosted(function: &Function) -> bool {
    use kausal_symbolic::function::Body;
    matches!(&function.body, Body::External(body) if body.name.starts_with(PREFIX))
}

/// Runs components from outside.
pub trait Host: Debug + Send + Sync + UnwindSafe + RefUnwindSafe {
    /// What a new run has of them: nothing yet.
    fn guest(&self) -> Box<dyn Guest>;
}

/// The components of one run.
pub trait Guest: Debug + Send {
    /// Calls a function; gives what [`Externals`](kausal_symbolic::function::Externals) gives.
    fn call(&mut self, call: &ExternalCall<'_>, interrupt: &Interrupt) -> Result<Vec<Value<f64>>, String>;

    /// Is there no component?
    fn is_empty(&self) -> bool;

    /// The solver goes on from the instant, states and inputs of the last evaluation. Does a component want an event there?
    fn complete_step(&mut self) -> Result<bool, String>;

    /// Takes what components have said: messages.
    fn take_messages(&mut self) -> Vec<String>;
}
