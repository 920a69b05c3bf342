//! A run that Python asks for: its options, and the functions of Python that take part in it.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use kausal::inputs::{self as input, SignalError};
use kausal::result::{Signal, Sink, Values};
use kausal::{Cancel, Error, ErrorKind, Model, Sensitivities, Simulation, Solution, tune};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;

use crate::cancel::Own;
use crate::errors::{fault, raised, refused};
use crate::options;
use crate::waiting;

/// What is asked of a run.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Asked {
    start: Option<f64>,
    stop: Option<f64>,
    tolerance: Option<f64>,
    interval: Option<f64>,
    intervals: Option<u32>,
    instants: Vec<f64>,
    method: Option<String>,
    step: Option<f64>,
    max_step: Option<f64>,
    order: Option<u8>,
    jacobian: Option<String>,
    iterations: Option<u32>,
    events_at_steps: bool,
    variables: Vec<String>,
    files: Vec<PathBuf>,
    keep: bool,
    audit: bool,
    timeout: Option<f64>,
}

impl Asked {
    fn simulation(self, py: Python<'_>, model: &Model) -> PyResult<Simulation<'static>> {
        let mut run = model.simulation().events_at_steps(self.events_at_steps);
        run = run.instants(self.instants).variables(self.variables).keep(self.keep).audit(self.audit);
        run = self.files.into_iter().fold(run, Simulation::write);
        if let Some(start) = self.start {
            run = run.start(start);
        }
        if let Some(stop) = self.stop {
            run = run.stop(stop);
        }
        if let Some(tolerance) = self.tolerance {
            run = run.tolerance(tolerance);
        }
        if let Some(interval) = self.interval {
            run = run.interval(interval);
        }
        if let Some(intervals) = self.intervals {
            run = run.intervals(intervals);
        }
        if let Some(method) = self.method {
            run = run.method(options::method(py, &method)?);
        }
        if let Some(step) = self.step {
            run = run.step(step);
        }
        if let Some(step) = self.max_step {
            run = run.max_step(step);
        }
        if let Some(order) = self.order {
            run = run.order(order);
        }
        if let Some(jacobian) = self.jacobian {
            run = run.jacobian(options::jacobian(py, &jacobian)?);
        }
        if let Some(iterations) = self.iterations {
            run = run.iterations(iterations);
        }
        if let Some(seconds) = self.timeout {
            // A time that is none, or longer than clocks can say, is no limit.
            run = match Duration::try_from_secs_f64(seconds) {
                Ok(limit) => run.timeout(limit),
                Err(_) => run,
            };
        }
        Ok(run)
    }
}

/// What an input is given: points, or functions of Python.
#[derive(FromPyObject)]
pub enum Given {
    /// Instants and values, as bytes of numbers.
    Points(Vec<u8>, Vec<u8>),
    /// The value, its derivatives, and the instants at which it has kinks or jumps.
    Functions(Vec<Py<PyAny>>, Vec<f64>),
}

impl Given {
    fn signal(self, py: Python<'_>, model: &Model, name: &str, failure: &Failure) -> PyResult<input::Signal> {
        match self {
            Given::Points(times, values) => {
                let (times, values) = (numbers(&times), numbers(&values));
                let held = is_held(model, name);
                input::Signal::points(&times, &values, held).map_err(|error| {
                    let why = match error {
                        SignalError::Empty => "it has no values, or not as many as instants".to_owned(),
                        SignalError::NotFinite(row) => format!("row {row} is not a finite number"),
                        SignalError::Backwards(row) => {
                            format!("time goes back in row {row}, from {} to {}", times[row - 1], times[row])
                        }
                    };
                    refused(py, &format!("the input {name}: {why}"))
                })
            }
            Given::Functions(functions, breaks) => {
                let mut functions = functions.into_iter().map(|function| failure.called(function, name));
                let value = functions.next().ok_or_else(|| refused(py, "an input needs a function"))?;
                let signal = input::Signal::function(value);
                Ok(functions.fold(signal, input::Signal::with_derivative).with_breaks(breaks))
            }
        }
    }
}

/// Does the input keep its value between points?
fn is_held(model: &Model, name: &str) -> bool {
    let Ok(program) = model.program() else { return false };
    let variable = tune::find(program, name);
    program.inputs.iter().any(|input| Some(input.variable) == variable && input.held)
}

fn numbers(bytes: &[u8]) -> Vec<f64> {
    let (numbers, _) = bytes.as_chunks::<8>();
    numbers.iter().map(|number| f64::from_ne_bytes(*number)).collect()
}

/// The first exception of a function of Python, which ends the run.
#[derive(Clone)]
struct Failure {
    exception: Arc<Mutex<Option<PyErr>>>,
    cancel: Cancel,
}

impl Failure {
    fn note(&self, error: PyErr) {
        self.cancel.cancel();
        self.exception.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }

    fn take(&self) -> Option<PyErr> {
        self.exception.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// A function of Python as one of Rust.
    fn called(&self, function: Py<PyAny>, name: &str) -> impl Fn(f64) -> f64 + Send + Sync + 'static {
        let failure = self.clone();
        let name = name.to_owned();
        move |t| {
            let value = Python::attach(|py| {
                let given = function.call1(py, (t,))?;
                given.extract::<f64>(py).map_err(|_| {
                    let shown = given.bind(py).repr().map_or_else(|_| String::new(), |text| text.to_string());
                    refused(
                        py,
                        &format!("the function of the input {name} gives {shown} at time {t}, not a number"),
                    )
                })
            });
            value.unwrap_or_else(|error| {
                failure.note(error);
                f64::NAN
            })
        }
    }
}

/// The functions of Python that take part in a run.
pub struct Callbacks {
    /// Called now and then with the instant the run has come to.
    pub tick: Option<Py<PyAny>>,
    /// Called with every record.
    pub observer: Option<Py<PyAny>>,
    /// What ends it.
    pub own: Own,
}

/// Runs a model without the interpreter's lock. In the main thread (`is_main`) signals are looked for.
pub fn run(
    py: Python<'_>,
    model: &Model,
    asked: Asked,
    inputs: Vec<(String, Given)>,
    is_main: bool,
    callbacks: Callbacks,
) -> PyResult<Solution> {
    let cancel = callbacks.own.cancel.clone();
    let failure = Failure { exception: Arc::default(), cancel: cancel.clone() };
    let is_called = |given: &Given| matches!(given, Given::Functions(..));
    // What belongs to the thread of whoever asks stays there.
    let here = callbacks.observer.is_some() || inputs.iter().any(|(_, given)| is_called(given));
    let mut simulation = asked.simulation(py, model)?.cancel(&cancel);
    for (name, given) in inputs {
        let signal = given.signal(py, model, &name, &failure)?;
        simulation = simulation.input(name, signal);
    }
    if let Some(observer) = callbacks.observer {
        simulation =
            simulation.observe(Observing { signals: Arc::from([]), observer, failure: failure.clone() });
    }
    let tick = callbacks.tick;
    // Elsewhere nobody sees signals.
    let asks = is_main || tick.is_some();
    let look = move |py: Python<'_>, time: f64| match &tick {
        Some(tick) if !time.is_nan() => tick.call1(py, (time,)).map(drop),
        _ => Ok(()),
    };
    let (ended, exception) = if is_main && !here {
        let reached = Arc::new(AtomicU64::new(f64::NAN.to_bits()));
        let told = reached.clone();
        let watched = simulation.progress(move |time| {
            told.store(time.to_bits(), Ordering::Relaxed);
            true
        });
        let look = |py: Python<'_>| look(py, f64::from_bits(reached.load(Ordering::Relaxed)));
        waiting::wait(py, move || watched.run(), || cancel.cancel(), look)
    } else {
        let mut looked = Instant::now();
        let watched = simulation.progress(|time| {
            if asks && looked.elapsed() > waiting::TICK {
                looked = Instant::now();
                let seen = Python::attach(|py| py.check_signals().and_then(|()| look(py, time)));
                seen.unwrap_or_else(|error| failure.note(error));
            }
            true
        });
        (Some(py.detach(|| watched.run())), None)
    };
    told(py, ended, exception.or_else(|| failure.take()), &callbacks.own)
}

/// The same with derivatives of some variables by some parameters, as `names` has them the other way round.
pub fn sensitivities(
    py: Python<'_>,
    model: &Model,
    asked: Asked,
    inputs: Vec<(String, Given)>,
    (by, of): (Vec<String>, Vec<String>),
    is_main: bool,
    callbacks: Callbacks,
) -> PyResult<Sensitivities> {
    let cancel = callbacks.own.cancel.clone();
    let failure = Failure { exception: Arc::default(), cancel: cancel.clone() };
    let here = inputs.iter().any(|(_, given)| matches!(given, Given::Functions(..)));
    let mut simulation = asked.simulation(py, model)?.cancel(&cancel);
    for (name, given) in inputs {
        let signal = given.signal(py, model, &name, &failure)?;
        simulation = simulation.input(name, signal);
    }
    let reached = Arc::new(AtomicU64::new(f64::NAN.to_bits()));
    let told = reached.clone();
    let asks = is_main || callbacks.tick.is_some();
    let tick = callbacks.tick;
    let look = move |py: Python<'_>| {
        let time = f64::from_bits(reached.load(Ordering::Relaxed));
        match &tick {
            Some(tick) if !time.is_nan() => tick.call1(py, (time,)).map(drop),
            _ => Ok(()),
        }
    };
    let (ended, exception) = if is_main && !here {
        let watched = simulation.progress(move |time| {
            told.store(time.to_bits(), Ordering::Relaxed);
            true
        });
        waiting::wait(py, move || watched.sensitivities(by, of), || cancel.cancel(), look)
    } else {
        let mut looked = Instant::now();
        let watched = simulation.progress(|time| {
            told.store(time.to_bits(), Ordering::Relaxed);
            if asks && looked.elapsed() > waiting::TICK {
                looked = Instant::now();
                let seen = Python::attach(|py| py.check_signals().and_then(|()| look(py)));
                seen.unwrap_or_else(|error| failure.note(error));
            }
            true
        });
        (Some(py.detach(|| watched.sensitivities(by, of))), None)
    };
    if let Some(exception) = exception.or_else(|| failure.take()) {
        return Err(exception);
    }
    ended.ok_or_else(|| fault(py))?.map_err(|error| raised(py, &error))
}

/// The solution, or the exception with what there is of it.
fn told(
    py: Python<'_>,
    ended: Option<Result<Solution, Error>>,
    failure: Option<PyErr>,
    own: &Own,
) -> PyResult<Solution> {
    match (ended, failure) {
        (Some(Ok(solution)), None) => Ok(solution),
        // An observer has seen enough.
        (Some(Err(error)), None) if error.kind() == ErrorKind::Cancelled && !own.is_asked_for() => {
            error.partial().cloned().ok_or_else(|| raised(py, &error))
        }
        (Some(Err(error)), None) => Err(raised(py, &error)),
        // Somebody wanted it to end, or a function of Python failed: that is what is said, with what there is.
        (Some(ended), Some(failure)) => {
            let partial = match &ended {
                Ok(solution) => Some(solution.clone()),
                Err(error) => error.partial().cloned(),
            };
            let partial = partial.map(crate::solution::Solution::new);
            let told = py
                .import("kausal.errors")
                .and_then(|module| module.getattr("ended"))
                .and_then(|ended| ended.call1((failure.value(py), partial)));
            Err(told.map_or_else(|error| error, PyErr::from_value))
        }
        (None, Some(failure)) => Err(failure),
        (None, None) => Err(fault(py)),
    }
}

/// Passes every record on.
struct Observing {
    signals: Arc<[Signal]>,
    observer: Py<PyAny>,
    failure: Failure,
}

impl Sink for Observing {
    fn start(&mut self, signals: &[Signal], _columns: usize) -> std::io::Result<()> {
        self.signals = Arc::from(signals);
        Ok(())
    }

    fn row(&mut self, time: f64, columns: &[f64]) -> std::io::Result<()> {
        if self.failure.cancel.is_cancelled() {
            return Ok(());
        }
        let row = Row { time, signals: self.signals.clone(), columns: columns.to_vec() };
        let seen = Python::attach(|py| {
            let answer = self.observer.call1(py, (time, row))?;
            // Whoever says nothing, or anything else than `False`, wants to see more.
            Ok(answer.extract::<bool>(py).unwrap_or(true))
        });
        match seen {
            Ok(true) => {}
            Ok(false) => self.failure.cancel.cancel(),
            Err(error) => self.failure.note(error),
        }
        Ok(())
    }

    fn finish(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The values of all variables at an instant: `row["J.w"]`.
#[pyclass(frozen, mapping, module = "kausal._kausal")]
pub struct Row {
    /// The instant.
    #[pyo3(get)]
    time: f64,
    signals: Arc<[Signal]>,
    columns: Vec<f64>,
}

impl Row {
    fn value(&self, signal: &Signal) -> Option<f64> {
        match signal.values {
            Values::Constant(value) => Some(value),
            Values::Column(at, negated) => {
                let value = self.columns.get(at).copied()?;
                Some(if negated { -value } else { value })
            }
        }
    }
}

#[pymethods]
impl Row {
    fn __getitem__(&self, name: &str) -> PyResult<f64> {
        let signal = self.signals.iter().find(|s| s.name == name);
        match signal.and_then(|signal| self.value(signal)) {
            Some(value) => Ok(value),
            None if name == "time" => Ok(self.time),
            None => Err(PyKeyError::new_err(name.to_owned())),
        }
    }

    fn __contains__(&self, name: &str) -> bool {
        name == "time" || self.signals.iter().any(|s| s.name == name)
    }

    fn __len__(&self) -> usize {
        self.signals.len()
    }

    fn keys(&self) -> Vec<&str> {
        self.signals.iter().map(|s| s.name.as_str()).collect()
    }

    fn __repr__(&self) -> String {
        format!("<{} values at {}>", self.signals.len(), self.time)
    }
}
