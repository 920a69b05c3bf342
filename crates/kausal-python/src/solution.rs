//! What a run gave, for Python: columns that NumPy and Arrow look into without copies.

use std::path::PathBuf;
use std::sync::Arc;

use kausal::Statistics;
use kausal::plot;
use kausal::result::{Signal, Trajectory, Values};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyDict};

use crate::arrow;
use crate::errors::{raised, refused};

/// The solution of a run.
#[pyclass(frozen, module = "kausal._kausal")]
pub struct Solution {
    inner: Arc<kausal::Solution>,
}

impl Solution {
    /// For Python.
    pub fn new(solution: kausal::Solution) -> Solution {
        Solution { inner: Arc::new(solution) }
    }

    /// As Rust knows it.
    pub fn inner(&self) -> &Arc<kausal::Solution> {
        &self.inner
    }
}

#[pymethods]
impl Solution {
    /// The names of all variables, in the order of the model.
    fn names(&self) -> Vec<&str> {
        self.inner.names().collect()
    }

    /// Name, unit, description, and whether it has one value only, of every variable.
    fn signals(&self) -> Vec<(&str, &str, &str, bool)> {
        let signals = self.inner.trajectory().signals.iter();
        let constant = |values: &Values| matches!(values, Values::Constant(_));
        signals
            .map(|s| (s.name.as_str(), s.unit.as_str(), s.description.as_str(), constant(&s.values)))
            .collect()
    }

    /// The values of a variable over time, without a copy; `time` is one, too.
    fn column(&self, name: &str) -> Option<Column> {
        let values = self.inner.get(name)?;
        Some(Column { address: values.as_ptr() as usize, len: values.len(), _owner: self.inner.clone() })
    }

    /// How many instants there are.
    fn __len__(&self) -> usize {
        self.inner.time().len()
    }

    /// The instants of events.
    fn events(&self) -> Vec<f64> {
        self.inner.trajectory().events()
    }

    /// Where the run ended.
    #[getter]
    fn end(&self) -> f64 {
        self.inner.end()
    }

    /// The message of `terminate`, if the model ended the run.
    #[getter]
    fn terminated(&self) -> Option<&str> {
        self.inner.terminated()
    }

    /// Seconds the run took.
    #[getter]
    fn seconds(&self) -> f64 {
        self.inner.seconds()
    }

    /// What the run took.
    fn statistics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let s = self.inner.statistics();
        let all = PyDict::new(py);
        let counts = [
            ("steps", s.steps),
            ("rejected", s.rejected),
            ("rhs_evaluations", s.rhs_evaluations),
            ("jacobians", s.jacobians),
            ("newton_iterations", s.newton_iterations),
            ("nonlinear_failures", s.nonlinear_failures),
            ("pivot_fallbacks", s.pivot_fallbacks),
            ("state_events", s.state_events),
            ("time_events", s.time_events),
        ];
        for (name, count) in counts {
            all.set_item(name, count)?;
        }
        Ok(all)
    }

    /// The largest error of every variable, relative to its size, where the run was audited.
    fn errors(&self) -> Option<Vec<(String, f64)>> {
        let audit = self.inner.audit()?;
        let largest = |name: &str| {
            let band = audit.band(name)?;
            Some((name.to_owned(), band.into_iter().fold(0.0, f64::max)))
        };
        Some(self.inner.names().filter_map(largest).collect())
    }

    /// The names that a plot without names shows, or those that names and patterns stand for.
    fn chosen(&self, py: Python<'_>, names: Vec<String>) -> PyResult<Vec<String>> {
        plot::chosen(self.inner.trajectory(), &names).map_err(|message| refused(py, &message))
    }

    /// A plot as SVG.
    fn svg(&self, py: Python<'_>, title: &str, names: Vec<String>) -> PyResult<String> {
        let inner = &self.inner;
        let plot = plot::audited(inner.trajectory(), title, &names, inner.audit());
        plot.map(|plot| plot::svg::write(&plot)).map_err(|message| refused(py, &message))
    }

    /// Writes all columns to a file: `.csv`, `.mat` or `.parquet`.
    fn write(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| self.inner.write(path)).map_err(|error| raised(py, &error))
    }

    /// What [`Solution::from_parts`] makes the same of, in another process.
    fn parts<'py>(&self, py: Python<'py>) -> Parts<'py> {
        let trajectory = self.inner.trajectory();
        let bytes = |values: &[f64]| {
            let all: Vec<u8> = values.iter().flat_map(|value| value.to_ne_bytes()).collect();
            PyBytes::new(py, &all)
        };
        let signal = |s: &Signal| {
            let (column, sign, value) = match s.values {
                Values::Constant(value) => (None, false, value),
                Values::Column(at, negated) => (Some(at), negated, 0.0),
            };
            (s.name.clone(), s.unit.clone(), s.description.clone(), column, sign, value)
        };
        let s = self.inner.statistics();
        let counts = vec![
            s.steps,
            s.rejected,
            s.rhs_evaluations,
            s.jacobians,
            s.newton_iterations,
            s.nonlinear_failures,
            s.pivot_fallbacks,
            s.state_events,
            s.time_events,
        ];
        (
            bytes(&trajectory.time),
            trajectory.columns.iter().map(|column| bytes(column)).collect(),
            trajectory.signals.iter().map(signal).collect(),
            counts,
            s.end,
            s.terminated.clone(),
            self.inner.seconds(),
        )
    }

    /// A solution that was taken apart.
    #[staticmethod]
    fn from_parts(py: Python<'_>, parts: Parts<'_>) -> PyResult<Solution> {
        let (time, columns, signals, counts, end, terminated, seconds) = parts;
        let numbers = |bytes: &Bound<'_, PyBytes>| -> Vec<f64> {
            let (numbers, _) = bytes.as_bytes().as_chunks::<8>();
            numbers.iter().map(|number| f64::from_ne_bytes(*number)).collect()
        };
        let time = numbers(&time);
        let columns: Vec<Vec<f64>> = columns.iter().map(numbers).collect();
        let wrong = || refused(py, "these are not the parts of a solution");
        if columns.iter().any(|column| column.len() != time.len()) {
            return Err(wrong());
        }
        let signal = |(name, unit, description, column, negated, value): SignalParts| {
            let values = match column {
                None => Values::Constant(value),
                Some(at) if at < columns.len() => Values::Column(at, negated),
                Some(_) => return Err(wrong()),
            };
            Ok(Signal { name, unit, description, values })
        };
        let signals = signals.into_iter().map(signal).collect::<PyResult<Vec<_>>>()?;
        let [
            steps,
            rejected,
            rhs_evaluations,
            jacobians,
            newton_iterations,
            nonlinear_failures,
            pivot_fallbacks,
            state_events,
            time_events,
        ] = <[u64; 9]>::try_from(counts).map_err(|_| wrong())?;
        let statistics = Statistics {
            steps,
            rejected,
            rhs_evaluations,
            jacobians,
            newton_iterations,
            nonlinear_failures,
            pivot_fallbacks,
            state_events,
            time_events,
            end,
            terminated,
            ..Statistics::default()
        };
        let trajectory = Trajectory { time, signals, columns };
        Ok(Solution::new(kausal::Solution::from_parts(trajectory, statistics, seconds)))
    }

    /// All columns for Arrow's C stream interface, without copies.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A consumer that wants other types casts what it gets, as the interface allows.
        let _ = requested_schema;
        arrow::stream(py, &self.inner, None)
    }

    /// The same for some of them.
    fn arrow_stream<'py>(&self, py: Python<'py>, names: Vec<String>) -> PyResult<Bound<'py, PyCapsule>> {
        arrow::stream(py, &self.inner, Some(&names))
    }
}

/// Name, unit, description, column, sign and value of a signal.
type SignalParts = (String, String, String, Option<usize>, bool, f64);

/// Time, columns, signals, counts, end, message of `terminate`, and seconds.
type Parts<'py> =
    (Bound<'py, PyBytes>, Vec<Bound<'py, PyBytes>>, Vec<SignalParts>, Vec<u64>, f64, Option<String>, f64);

/// Values of a variable, which stay where they are: `numpy.asarray` looks at them there.
#[pyclass(frozen, module = "kausal._kausal")]
pub struct Column {
    address: usize,
    len: usize,
    /// Solutions do not change, so the values stay as long as it lives.
    _owner: Arc<kausal::Solution>,
}

#[pymethods]
impl Column {
    /// How many values there are.
    fn __len__(&self) -> usize {
        self.len
    }

    /// Where they are, for NumPy: to be read only.
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        interface(py, self.address, self.len)
    }
}

/// NumPy's array interface, version 3, for numbers that are only read.
pub fn interface<'py>(py: Python<'py>, address: usize, len: usize) -> PyResult<Bound<'py, PyDict>> {
    let interface = PyDict::new(py);
    interface.set_item("version", 3)?;
    interface.set_item("shape", (len,))?;
    interface.set_item("typestr", if cfg!(target_endian = "little") { "<f8" } else { ">f8" })?;
    interface.set_item("data", (address, true))?;
    Ok(interface)
}
