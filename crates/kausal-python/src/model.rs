//! Models for Python.

use std::path::PathBuf;

use kausal::flattened::Flattened;
use kausal::{ErrorKind, Setting, Value, VariableInfo, VariableKind, VariableType};
use kausal_fmi::appearance::Appearance;
use kausal_fmi::description::Kinds;
use kausal_fmi::export::{self, How, Version, What};
use kausal_fmi::library::{Library, Platform, find};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};

use crate::cancel::{Cancel, Own};
use crate::derivatives::{self, Near};
use crate::errors::{json, raised};
use crate::options::{Loading, setting};
use crate::run::{self, Asked, Callbacks, Given};
use crate::solution::Solution;
use crate::sweep::{self, Sweeping};
use crate::waiting;

/// A translated model.
#[pyclass(frozen, module = "kausal._kausal")]
pub struct Model {
    inner: kausal::Model,
}

#[pymethods]
impl Model {
    /// A model by its file or by its name in a library, or, where `is_text`, by its text.
    #[staticmethod]
    fn load(py: Python<'_>, what: String, is_text: bool, options: Loading, is_main: bool) -> PyResult<Model> {
        let loader = options.loader(py)?;
        let job = move || match is_text {
            true => loader.text(&what),
            false => loader.load(&what),
        };
        let inner = elsewhere(py, is_main, job)?.map_err(|error| raised(py, &error))?;
        Ok(Model { inner })
    }

    /// A model that was stored.
    #[staticmethod]
    fn from_stored(py: Python<'_>, bytes: Vec<u8>, is_main: bool) -> PyResult<Model> {
        let job = move || kausal::Model::from_stored(&bytes);
        let inner = elsewhere(py, is_main, job)?.map_err(|error| raised(py, &error))?;
        Ok(Model { inner })
    }

    /// The translated model as bytes.
    fn store<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| self.inner.store()).map_err(|error| raised(py, &error))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The same model with other values of parameters and start values.
    fn with_values(&self, py: Python<'_>, values: Bound<'_, PyDict>, is_main: bool) -> PyResult<Model> {
        let mut settings: Vec<(String, Setting)> = Vec::with_capacity(values.len());
        for (name, value) in values {
            settings.push((name.extract()?, setting(&value)?));
        }
        let inner = self.inner.clone();
        let job =
            move || settings.into_iter().try_fold(inner, |model, (name, value)| model.with(&name, value));
        let inner = elsewhere(py, is_main, job)?.map_err(|error| raised(py, &error))?;
        Ok(Model { inner })
    }

    /// The full name of its class.
    #[getter]
    fn name(&self) -> &str {
        self.inner.name()
    }

    /// What the class says about itself.
    #[getter]
    fn description(&self) -> &str {
        self.inner.description()
    }

    /// Start, stop, tolerance and interval of the `experiment` annotation.
    #[getter]
    fn experiment(&self) -> (Option<f64>, Option<f64>, Option<f64>, Option<f64>) {
        let e = self.inner.experiment();
        (e.start, e.stop, e.tolerance, e.interval)
    }

    /// All variables, as keyword arguments of `kausal.Variable`.
    fn variables<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let all = py.detach(|| self.inner.variables());
        let list = PyList::empty(py);
        for variable in &all {
            list.append(described(py, variable)?)?;
        }
        Ok(list)
    }

    /// The names of parameters, inputs, outputs and states.
    fn roles(&self, py: Python<'_>) -> PyResult<[Vec<String>; 4]> {
        let names = |all: Vec<VariableInfo>| all.into_iter().map(|v| v.name).collect::<Vec<_>>();
        let model = &self.inner;
        let states = py.detach(|| model.states()).map_err(|error| raised(py, &error))?;
        Ok([names(model.parameters()), names(model.inputs()), names(model.outputs()), names(states)])
    }

    /// The flat model as Modelica text.
    fn flat(&self, py: Python<'_>) -> String {
        py.detach(|| kausal::print_flat(self.inner.flat()))
    }

    /// Its equations and initial equations, with their places in the text of the model, as JSON.
    fn equations(&self, py: Python<'_>) -> String {
        let written = |flattened: Flattened| serde_json::json!({ "equations": flattened.equations, "initial": flattened.initial_equations });
        py.detach(|| written(self.inner.flattened()).to_string())
    }

    /// The sorted and solved equations.
    fn listing(&self, py: Python<'_>) -> PyResult<String> {
        let listing = py.detach(|| self.inner.program().map(kausal::listing));
        listing.map_err(|error| raised(py, &error))
    }

    /// What the translation did and why, in words.
    fn explain(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| self.inner.explain()).map_err(|error| raised(py, &error))
    }

    /// The same as a page.
    fn report(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| self.inner.report()).map_err(|error| raised(py, &error))
    }

    /// Warnings and notes about the model, as JSON.
    fn diagnostics(&self) -> String {
        json(&self.inner.located(&self.inner.diagnostics()))
    }

    /// What a run said, as JSON.
    fn said(&self, solution: &Solution) -> String {
        json(&self.inner.located(solution.inner().diagnostics()))
    }

    /// Matrices near a point, or near one for each row of values.
    #[pyo3(signature = (near, is_main, cancel = None))]
    fn linearize(
        &self,
        py: Python<'_>,
        near: Near,
        is_main: bool,
        cancel: Option<&Bound<'_, Cancel>>,
    ) -> PyResult<Vec<Py<PyAny>>> {
        derivatives::linearize(py, &self.inner, near, is_main, under(cancel))
    }

    /// Runs it, and carries along derivatives of variables by parameters and start values.
    #[pyo3(signature = (asked, inputs, by, of, is_main, tick = None, cancel = None))]
    #[allow(clippy::too_many_arguments)]
    fn sensitivities<'py>(
        &self,
        py: Python<'py>,
        asked: Asked,
        inputs: Vec<(String, Given)>,
        by: Vec<String>,
        of: Vec<String>,
        is_main: bool,
        tick: Option<Py<PyAny>>,
        cancel: Option<&Bound<'_, Cancel>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let callbacks = Callbacks { tick, observer: None, own: under(cancel) };
        let found = run::sensitivities(py, &self.inner, asked, inputs, (by, of), is_main, callbacks)?;
        derivatives::over_time(py, &self.inner, found)
    }

    /// Writes an FMU; `library` is the one that goes into it, if it is not beside a program of Kausal.
    fn export_fmu(
        &self,
        py: Python<'_>,
        path: PathBuf,
        version: u8,
        kinds: (bool, bool),
        library: Option<PathBuf>,
    ) -> PyResult<()> {
        let how = How {
            version: if version == 2 { Version::Two } else { Version::Three },
            kinds: Kinds { model_exchange: kinds.0, co_simulation: kinds.1 },
        };
        let inner = &self.inner;
        let made = py.detach(|| {
            let libraries = match (library, Platform::here()) {
                (Some(path), Some(platform)) => Ok(vec![Library { platform, path }]),
                _ => find(),
            };
            inner.with_parts(|flat, model, options, sources| {
                let appearance = Appearance::default();
                let what = What { flat, model, options, sources, appearance: &appearance };
                export::archive(what, how, &libraries?).and_then(|bytes| export::write(&path, &bytes))
            })
        });
        let made = made.and_then(|done| done.map_err(|d| inner.error(ErrorKind::Output, d)));
        made.map_err(|error| raised(py, &error))
    }

    /// Makes the runs of a sweep, or those from one on up to another: what came of it, and the exception that ended it.
    #[pyo3(signature = (asked, part, is_main, tick = None, cancel = None))]
    fn sweep<'py>(
        &self,
        py: Python<'py>,
        asked: Sweeping,
        part: Option<(u64, u64)>,
        is_main: bool,
        tick: Option<Py<PyAny>>,
        cancel: Option<&Bound<'_, Cancel>>,
    ) -> PyResult<(Bound<'py, PyDict>, Option<PyErr>)> {
        sweep::run(py, &self.inner, asked, part, is_main, tick, under(cancel))
    }

    /// Runs it.
    #[pyo3(signature = (asked, inputs, is_main, tick = None, observer = None, cancel = None))]
    #[allow(clippy::too_many_arguments)]
    fn simulate(
        &self,
        py: Python<'_>,
        asked: Asked,
        inputs: Vec<(String, Given)>,
        is_main: bool,
        tick: Option<Py<PyAny>>,
        observer: Option<Py<PyAny>>,
        cancel: Option<&Bound<'_, Cancel>>,
    ) -> PyResult<Solution> {
        let callbacks = Callbacks { tick, observer, own: under(cancel) };
        run::run(py, &self.inner, asked, inputs, is_main, callbacks).map(Solution::new)
    }
}

/// What ends it, by somebody's request, too.
fn under(cancel: Option<&Bound<'_, Cancel>>) -> Own {
    Own::under(cancel.map(Bound::get))
}

/// Does something without the interpreter's lock; in the main thread Ctrl-C ends the waiting for it, not the work.
pub fn elsewhere<T: Send + 'static>(
    py: Python<'_>,
    is_main: bool,
    job: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    if !is_main {
        return Ok(py.detach(job));
    }
    waiting::until_signal(py, job)
}

fn described<'py>(py: Python<'py>, v: &VariableInfo) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    let (ty, literals) = match &v.ty {
        VariableType::Real => ("Real", None),
        VariableType::Integer => ("Integer", None),
        VariableType::Boolean => ("Boolean", None),
        VariableType::String => ("String", None),
        VariableType::Enumeration(literals) => ("enumeration", Some(literals)),
        _ => ("other", None),
    };
    let kind = match v.kind {
        VariableKind::Constant => "constant",
        VariableKind::Parameter => "parameter",
        VariableKind::Input => "input",
        VariableKind::State => "state",
        VariableKind::Discrete => "discrete",
        _ => "algebraic",
    };
    all.set_item("name", &v.name)?;
    all.set_item("kind", kind)?;
    all.set_item("type", ty)?;
    match (&v.value, &v.ty, literals) {
        (Some(Value::Text(text)), ..) => all.set_item("value", text)?,
        (Some(Value::Number(number)), VariableType::Boolean, _) => all.set_item("value", *number != 0.0)?,
        (Some(Value::Number(number)), VariableType::Integer, _) if number.abs() < 1e15 => {
            all.set_item("value", *number as i64)?;
        }
        (Some(Value::Number(number)), _, Some(literals)) => {
            let literal = (*number as usize).checked_sub(1).and_then(|at| literals.get(at));
            all.set_item("value", literal)?;
        }
        (Some(Value::Number(number)), ..) => all.set_item("value", number)?,
        (None, ..) => all.set_item("value", py.None())?,
    }
    all.set_item("unit", &v.unit)?;
    all.set_item("display_unit", &v.display_unit)?;
    all.set_item("description", &v.description)?;
    all.set_item("min", v.min)?;
    all.set_item("max", v.max)?;
    all.set_item("nominal", v.nominal)?;
    all.set_item("structural", v.structural)?;
    all.set_item("protected", v.protected)?;
    all.set_item("literals", literals.cloned().unwrap_or_default())?;
    Ok(all)
}
