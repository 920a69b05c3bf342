//! A random model with what is known about it.

use crate::reference::Hybrid;
use crate::reference::truth::Signal;

/// What a simulator must do with a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Expectation {
    /// It has a solution: failing is a failure.
    Solvable,
    /// It ends in an accumulation of events or another place where nothing can go on: a diagnostic is right, and so are right numbers.
    DiagnosticAllowed,
}

/// A model.
pub struct Case {
    /// The class to simulate.
    pub name: String,
    /// Modelica text.
    pub text: String,
    /// Where the run ends.
    pub stop: f64,
    /// Variables that are compared, in the order of [`Hybrid::outputs`].
    pub signals: Vec<(String, Signal)>,
    /// The same model for the reference.
    pub reference: Box<dyn Hybrid>,
    /// What must come out.
    pub expectation: Expectation,
}

/// A number as Modelica text that reads back to itself and may stand behind an operator.
pub fn number(value: f64) -> String {
    if value < 0.0 { format!("({value:?})") } else { format!("{value:?}") }
}
