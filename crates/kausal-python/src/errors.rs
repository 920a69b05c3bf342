//! Errors as exceptions: `kausal.errors` has their classes.

use kausal::render::JsonDiagnostic;
use kausal::{Error, ErrorKind};
use pyo3::prelude::*;

use crate::solution::Solution;

/// The exception for an error; one of a run has what there is of it.
pub fn raised(py: Python<'_>, error: &Error) -> PyErr {
    let kind = match error.kind() {
        ErrorKind::Model => "model",
        ErrorKind::Request => "request",
        ErrorKind::Run => "run",
        ErrorKind::Cancelled => "cancelled",
        ErrorKind::TimedOut => "timeout",
        ErrorKind::Output => "output",
        _ => "internal",
    };
    let partial = error.partial().map(|partial| Solution::new(partial.clone()));
    made(py, kind, &error.to_string(), json(error.located()), partial)
}

/// An exception for what was asked for wrongly.
pub fn refused(py: Python<'_>, message: &str) -> PyErr {
    made(py, "request", message, "[]".to_owned(), None)
}

/// An exception for a fault of this program.
pub fn fault(py: Python<'_>) -> PyErr {
    made(py, "internal", "internal error: a run ended without a result", "[]".to_owned(), None)
}

fn made(py: Python<'_>, kind: &str, text: &str, diagnostics: String, partial: Option<Solution>) -> PyErr {
    let exception = py
        .import("kausal.errors")
        .and_then(|module| module.getattr("made"))
        .and_then(|make| make.call1((kind, text, diagnostics, partial)));
    match exception {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}

/// Diagnostics with their places, as JSON.
pub fn json(diagnostics: &[JsonDiagnostic]) -> String {
    serde_json::to_string(diagnostics).unwrap_or_else(|_| "[]".to_owned())
}
