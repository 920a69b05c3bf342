//! Derivatives of models: matrices near a point.

use kausal::linearize::{Linearization, Linearize};
use kausal::{Model, Sensitivities, Setting};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::cancel::Own;
use crate::errors::{fault, json, raised};
use crate::sweep::{Given, Numbers};
use crate::waiting;

/// What is asked of a linearisation.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Near {
    at: Option<f64>,
    steady: bool,
    inputs: Option<Vec<String>>,
    outputs: Option<Vec<String>>,
    tolerance: Option<f64>,
    threads: Option<usize>,
    over: Option<(Vec<String>, Vec<Vec<Given>>)>,
}

impl Near {
    fn asked(&mut self, model: &Model) -> Linearize {
        let mut asked = model.linearize().steady(self.steady);
        if let Some(time) = self.at {
            asked = asked.at(time);
        }
        if let Some(inputs) = self.inputs.take() {
            asked = asked.inputs(inputs);
        }
        if let Some(outputs) = self.outputs.take() {
            asked = asked.outputs(outputs);
        }
        if let Some(tolerance) = self.tolerance {
            asked = asked.tolerance(tolerance);
        }
        if let Some(threads) = self.threads {
            asked = asked.threads(threads);
        }
        asked
    }
}

/// Matrices near a point, or near one for each row of values: a dictionary each, or why there is none.
pub fn linearize(
    py: Python<'_>,
    model: &Model,
    mut near: Near,
    is_main: bool,
    own: Own,
) -> PyResult<Vec<Py<PyAny>>> {
    let asked = near.asked(model).cancel(&own.cancel);
    let over = near.over.take();
    let job = move || match over {
        None => asked.run().map(|one| vec![Ok(one)]),
        Some((names, rows)) => {
            let setting = |row: Vec<Given>| row.into_iter().map(|given| given.0).collect();
            let rows: Vec<Vec<Setting>> = rows.into_iter().map(setting).collect();
            asked.over(names, &rows)
        }
    };
    let (made, failure) = match is_main {
        true => waiting::wait(py, job, || own.cancel.cancel(), |_| Ok(())),
        false => (Some(py.detach(job)), None),
    };
    if let Some(failure) = failure {
        return Err(failure);
    }
    let made = made.ok_or_else(|| fault(py))?.map_err(|error| raised(py, &error))?;
    made.into_iter()
        .map(|one| match one {
            Ok(linear) => Ok(matrices(py, linear)?.into_any().unbind()),
            Err(why) => Ok(why.into_pyobject(py)?.into_any().unbind()),
        })
        .collect()
}

/// Derivatives of a run for Python.
pub fn over_time<'py>(py: Python<'py>, model: &Model, found: Sensitivities) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    let numbers = |values: Vec<f64>| Py::new(py, Numbers::new(values));
    all.set_item("time", numbers(found.time)?)?;
    all.set_item("by", found.by)?;
    all.set_item("of", found.of)?;
    let columns = |lists: Vec<Vec<f64>>| lists.into_iter().map(numbers).collect::<PyResult<Vec<_>>>();
    all.set_item("values", columns(found.values)?)?;
    all.set_item("derivatives", columns(found.derivatives)?)?;
    all.set_item("diagnostics", json(&model.located(&found.diagnostics)))?;
    Ok(all)
}

fn matrices(py: Python<'_>, linear: Linearization) -> PyResult<Bound<'_, PyDict>> {
    let all = PyDict::new(py);
    all.set_item("time", linear.time)?;
    all.set_item("states", linear.states)?;
    all.set_item("inputs", linear.inputs)?;
    all.set_item("outputs", linear.outputs)?;
    let matrices = [
        ("A", linear.a),
        ("B", linear.b),
        ("C", linear.c),
        ("D", linear.d),
        ("x", linear.x),
        ("dx", linear.dx),
        ("u", linear.u),
        ("y", linear.y),
    ];
    for (name, values) in matrices {
        all.set_item(name, Py::new(py, Numbers::new(values))?)?;
    }
    all.set_item("poles", linear.poles)?;
    Ok(all)
}
