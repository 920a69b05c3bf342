//! Options by the names they have on the command line.

use std::path::PathBuf;

use kausal::{Backend, Inline, JacobianMode, Loader, Loops, Method, Relaxing, Setting, Tearing};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyString};

use crate::errors::refused;

/// What is chosen by a word.
pub fn chosen<T: Copy>(py: Python<'_>, what: &str, word: &str, all: &[(T, &str)]) -> PyResult<T> {
    let plain = word.replace('_', "-").to_lowercase();
    let found = all.iter().find(|(_, name)| *name == plain);
    found.map(|(value, _)| *value).ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|(_, name)| *name).collect();
        refused(py, &format!("there is no {what} {word:?}: it is one of {}", names.join(", ")))
    })
}

/// An integration method.
pub fn method(py: Python<'_>, word: &str) -> PyResult<Method> {
    chosen(py, "method", word, &Method::ALL)
}

/// Where the Jacobian comes from.
pub fn jacobian(py: Python<'_>, word: &str) -> PyResult<JacobianMode> {
    let all = [
        (JacobianMode::Auto, "auto"),
        (JacobianMode::Symbolic, "symbolic"),
        (JacobianMode::Numeric, "numeric"),
        (JacobianMode::NumericDense, "numeric-dense"),
    ];
    chosen(py, "jacobian", word, &all)
}

/// How a model is read and translated.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Loading {
    library: Vec<PathBuf>,
    modelica_path: bool,
    model: Option<String>,
    allow_external: bool,
    hints: bool,
    tearing: String,
    relaxing: String,
    inline: String,
    stiff: Option<Vec<String>>,
    loops: String,
    interpret: bool,
}

impl Loading {
    /// The loader that does so.
    pub fn loader(self, py: Python<'_>) -> PyResult<Loader> {
        let tearing = [(Tearing::Auto, "auto"), (Tearing::Declared, "declared"), (Tearing::Off, "off")];
        let relaxing = [(Relaxing::Auto, "auto"), (Relaxing::Declared, "declared"), (Relaxing::Off, "off")];
        let loops =
            [(Loops::Newton, "newton"), (Loops::Jacobi, "jacobi"), (Loops::GaussSeidel, "gauss-seidel")];
        let mut loader = kausal::Model::loader()
            .modelica_path(self.modelica_path)
            .allow_external(self.allow_external)
            .hints(self.hints)
            .tearing(chosen(py, "tearing", &self.tearing, &tearing)?)
            .relaxing(chosen(py, "relaxing", &self.relaxing, &relaxing)?)
            .inline(chosen(py, "inline", &self.inline, &Inline::ALL)?)
            .loops(chosen(py, "loops", &self.loops, &loops)?)
            .backend(if self.interpret { Backend::Interpreter } else { Backend::Auto });
        for folder in self.library {
            loader = loader.library(folder);
        }
        if let Some(class) = self.model {
            loader = loader.class(class);
        }
        if let Some(stiff) = self.stiff {
            loader = loader.stiff(stiff);
        }
        Ok(loader)
    }
}

/// What a variable is set to: a number, a truth value or a text.
pub fn setting(value: &Bound<'_, PyAny>) -> PyResult<Setting> {
    if let Ok(truth) = value.cast::<PyBool>() {
        return Ok(truth.is_true().into());
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(text.to_string_lossy().into_owned().into());
    }
    Ok(value.extract::<f64>()?.into())
}
