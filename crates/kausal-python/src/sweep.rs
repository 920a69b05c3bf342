//! Sweeps that Python asks for, here or as a part of one that workers share.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use kausal::sweep::{Device, Progress, Quantity, Sampling, Sweep, Swept, Values, parse_values};
use kausal::{Cancel, Error, Method, Model, Setting};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::cancel::Own;
use crate::errors::{fault, raised, refused};
use crate::options;
use crate::waiting;

/// What is asked of a sweep.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Sweeping {
    axes: Vec<(Vec<String>, Axis)>,
    runs: Option<u64>,
    seed: u64,
    sampling: String,
    outputs: Vec<(String, String)>,
    traced: Vec<String>,
    grid: Option<Vec<f64>>,
    intervals: Option<u32>,
    threads: Option<usize>,
    device: String,
    write: Option<PathBuf>,
    write_trajectories: Option<PathBuf>,
    resume: bool,
    keep: Option<bool>,
    start: Option<f64>,
    stop: Option<f64>,
    tolerance: Option<f64>,
    method: Option<String>,
    timeout: Option<f64>,
}

/// The values of one parameter or of several together.
#[derive(FromPyObject)]
enum Axis {
    /// In words: `uniform(0.1,1)`.
    Words(String),
    Rows(Vec<Vec<Given>>),
}

/// A value.
pub struct Given(pub Setting);

impl<'py> FromPyObject<'_, 'py> for Given {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Given> {
        options::setting(&value).map(Given)
    }
}

/// What can go to another thread: all words are read.
struct Asked {
    sweeping: Sweeping,
    sampling: Sampling,
    method: Option<Method>,
    device: Device,
    quantities: Vec<Quantity>,
    axes: Vec<(Vec<String>, Read)>,
}

enum Read {
    Values(Values),
    Rows(Vec<Vec<Setting>>),
}

impl Asked {
    fn new(py: Python<'_>, mut sweeping: Sweeping) -> PyResult<Asked> {
        let sampling = options::chosen(py, "sampling", &sweeping.sampling, &Sampling::ALL)?;
        let method = sweeping.method.as_deref().map(|word| options::method(py, word)).transpose()?;
        let device = options::chosen(py, "device", &sweeping.device, &Device::ALL)?;
        let mut quantities = Vec::new();
        for (kind, variable) in &sweeping.outputs {
            let variable = variable.clone();
            quantities.push(match kind.as_str() {
                "min" => Quantity::Min(variable),
                "max" => Quantity::Max(variable),
                "mean" => Quantity::Mean(variable),
                "integral" => Quantity::Integral(variable),
                "time" => Quantity::parse_condition(&variable).map_err(|why| refused(py, &why))?,
                _ => Quantity::Final(variable),
            });
        }
        let mut axes = Vec::new();
        for (names, axis) in std::mem::take(&mut sweeping.axes) {
            let read = match axis {
                Axis::Words(words) => {
                    let values = parse_values(&words);
                    Read::Values(values.map_err(|why| refused(py, &format!("{}: {why}", names.join(", "))))?)
                }
                Axis::Rows(rows) => {
                    Read::Rows(rows.into_iter().map(|row| row.into_iter().map(|g| g.0).collect()).collect())
                }
            };
            axes.push((names, read));
        }
        Ok(Asked { sweeping, sampling, method, device, quantities, axes })
    }

    fn sweep(self, model: &Model, part: Option<(u64, u64)>, cancel: &Cancel) -> Sweep<'static> {
        let Asked { sweeping, sampling, method, device, quantities, axes } = self;
        let mut sweep = model.sweep().seed(sweeping.seed).sampling(sampling).cancel(cancel).device(device);
        for (names, read) in axes {
            sweep = match (read, names.as_slice()) {
                (Read::Values(values), [name]) => sweep.vary(name, values),
                (Read::Values(_), _) => sweep,
                (Read::Rows(rows), _) => sweep.table(names, rows),
            };
        }
        sweep = quantities.into_iter().fold(sweep, Sweep::quantity);
        sweep = match (sweeping.grid, sweeping.intervals) {
            (Some(grid), _) => sweep.trajectories(sweeping.traced, grid),
            (None, Some(intervals)) => sweep.trajectories_over(sweeping.traced, intervals),
            (None, None) => sweep.trajectories_over(sweeping.traced, 100),
        };
        if let Some(runs) = sweeping.runs {
            sweep = sweep.runs(runs);
        }
        if let Some((from, to)) = part {
            sweep = sweep.part(from, to);
        }
        if let Some(threads) = sweeping.threads {
            sweep = sweep.threads(threads);
        }
        if let Some(path) = sweeping.write {
            sweep = sweep.write(path);
        }
        if let Some(path) = sweeping.write_trajectories {
            sweep = sweep.write_trajectories(path);
        }
        if let Some(keep) = sweeping.keep {
            sweep = sweep.keep(keep);
        }
        if let Some(start) = sweeping.start {
            sweep = sweep.start(start);
        }
        if let Some(stop) = sweeping.stop {
            sweep = sweep.stop(stop);
        }
        if let Some(tolerance) = sweeping.tolerance {
            sweep = sweep.tolerance(tolerance);
        }
        if let Some(method) = method {
            sweep = sweep.method(method);
        }
        if let Some(Ok(limit)) = sweeping.timeout.map(Duration::try_from_secs_f64) {
            sweep = sweep.timeout(limit);
        }
        sweep.resume(sweeping.resume)
    }
}

/// Makes the runs: what came of it, and the exception that ended it early.
pub fn run<'py>(
    py: Python<'py>,
    model: &Model,
    sweeping: Sweeping,
    part: Option<(u64, u64)>,
    is_main: bool,
    tick: Option<Py<PyAny>>,
    own: Own,
) -> PyResult<(Bound<'py, PyDict>, Option<PyErr>)> {
    let cancel = own.cancel.clone();
    let asked = Asked::new(py, sweeping)?;
    let reached: Arc<[AtomicU64; 2]> = Arc::default();
    let job = {
        let (model, cancel, told) = (model.clone(), cancel.clone(), reached.clone());
        move || {
            let watch = |progress: Progress| {
                told[0].store(progress.done, Ordering::Relaxed);
                told[1].store(progress.failed, Ordering::Relaxed);
                true
            };
            asked.sweep(&model, part, &cancel).progress(watch).sweep()
        }
    };
    let (swept, failure) = if is_main {
        let look = |py: Python<'_>| match &tick {
            Some(tick) => {
                let [done, failed] = &*reached;
                tick.call1(py, (done.load(Ordering::Relaxed), failed.load(Ordering::Relaxed))).map(drop)
            }
            None => Ok(()),
        };
        waiting::wait(py, job, || cancel.cancel(), look)
    } else {
        (Some(py.detach(job)), None)
    };
    let swept: Result<Swept, Error> = swept.ok_or_else(|| fault(py))?;
    match (swept, failure) {
        (Ok(swept), failure) => Ok((table(py, &swept)?, failure)),
        (Err(_), Some(failure)) => Err(failure),
        (Err(error), None) => Err(raised(py, &error)),
    }
}

fn table<'py>(py: Python<'py>, swept: &Swept) -> PyResult<Bound<'py, PyDict>> {
    let (runs, all) = (&swept.runs, PyDict::new(py));
    let numbers = |values: Vec<f64>| Py::new(py, Numbers::new(values));
    let settings = PyList::empty(py);
    let mut quantities = Vec::new();
    for name in runs.parameters() {
        let column = runs.parameter(name).unwrap_or_default();
        let plain: Option<Vec<f64>> = column
            .iter()
            .map(|value| match value {
                Setting::Number(number) => Some(*number),
                Setting::Word(_) => None,
            })
            .collect();
        match plain {
            Some(plain) => settings.append(numbers(plain)?)?,
            None => settings.append(column.iter().map(word).collect::<Vec<_>>())?,
        }
    }
    for name in runs.quantities() {
        quantities.push(numbers(runs.get(name).unwrap_or_default())?);
    }
    let each = || 0..runs.len();
    let reasons = PyDict::new(py);
    for run in each() {
        if let Some(reason) = runs.reason(run) {
            reasons.set_item(run, reason)?;
        }
    }
    all.set_item("parameters", runs.parameters())?;
    all.set_item("settings", settings)?;
    all.set_item("quantities", runs.quantities())?;
    all.set_item("numbers", quantities)?;
    all.set_item("status", each().filter_map(|run| Some(runs.status(run)?.name())).collect::<Vec<_>>())?;
    all.set_item("ends", numbers(each().filter_map(|run| runs.end(run)).collect())?)?;
    all.set_item("reasons", reasons)?;
    all.set_item("traced", runs.traced())?;
    all.set_item("grid", runs.grid())?;
    all.set_item("traces", numbers(runs.trajectories().to_vec())?)?;
    all.set_item("complete", swept.complete)?;
    all.set_item("made", swept.made)?;
    all.set_item("found", swept.found)?;
    all.set_item("failed", swept.failed)?;
    all.set_item("seconds", swept.seconds)?;
    Ok(all)
}

fn word(setting: &Setting) -> String {
    match setting {
        Setting::Number(number) => number.to_string(),
        Setting::Word(word) => word.clone(),
    }
}

/// Numbers that `numpy.asarray` looks at where they are.
#[pyclass(frozen, module = "kausal._kausal")]
pub struct Numbers {
    values: Vec<f64>,
}

impl Numbers {
    /// For Python.
    pub fn new(values: Vec<f64>) -> Numbers {
        Numbers { values }
    }
}

#[pymethods]
impl Numbers {
    fn __len__(&self) -> usize {
        self.values.len()
    }

    /// Where they are, for NumPy: to be read only.
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        crate::solution::interface(py, self.values.as_ptr() as usize, self.values.len())
    }
}
