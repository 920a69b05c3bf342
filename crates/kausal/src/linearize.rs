//! A model near a point as matrices: `der(x) = A x + B u`, `y = C x + D u`.
//!
//! ```
//! use kausal::Model;
//!
//! let text = "model Spring parameter Real m = 2; input Real F; output Real s(start = 0, fixed = true); Real v(start = 0, fixed = true);
//!     equation der(s) = v; m*der(v) = F - 8*s; end Spring;";
//! let linear = Model::from_text(text)?.linearize().run()?;
//! assert_eq!((&linear.states[..], &linear.inputs[..]), (&["s".to_owned(), "v".to_owned()][..], &["F".to_owned()][..]));
//! assert_eq!(linear.a, [0.0, 1.0, -4.0, 0.0]);
//! assert_eq!((linear.b, linear.c, linear.d), (vec![0.0, 0.5], vec![1.0, 0.0], vec![0.0]));
//! assert!((linear.poles[0].1 - 2.0).abs() < 1e-14);
//! # Ok::<(), kausal::Error>(())
//! ```
//!
//! The matrices are derivatives of the program, not differences. The point is where a run comes to: its start, or any later instant; from
//! there on a steady state is searched for, where one is asked for. Relations and what is discrete are held as they are there.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use kausal_runtime::linearization::Linearizer;
use kausal_runtime::machine::Stop;
use kausal_runtime::simulation::simulate_to;
use kausal_runtime::{CompiledModel, Interrupt, Machine, Observer, RunError, Settings};
use kausal_solver::linear::eigenvalues;
use kausal_symbolic::VarId;
use kausal_syntax::Diagnostic;
use serde::Serialize;

use crate::cancel::Cancel;
use crate::error::{Error, ErrorKind};
use crate::internal::guarded;
use crate::model::Model;
use crate::request::Request;
use crate::settings::Setting;
use crate::simulate;
use crate::sweep::variants::{Variant, Variants, line};
use crate::tune;

/// A model near a point. Matrices are row by row.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Linearization {
    /// The instant.
    pub time: f64,
    /// The names of states, inputs and outputs.
    pub states: Vec<String>,
    /// The inputs.
    pub inputs: Vec<String>,
    /// The outputs.
    pub outputs: Vec<String>,
    /// Derivatives of `der(x)` by x.
    pub a: Vec<f64>,
    /// Derivatives of `der(x)` by u.
    pub b: Vec<f64>,
    /// Derivatives of y by x.
    pub c: Vec<f64>,
    /// Derivatives of y by u.
    pub d: Vec<f64>,
    /// The point: states.
    pub x: Vec<f64>,
    /// Their derivatives.
    pub dx: Vec<f64>,
    /// Inputs.
    pub u: Vec<f64>,
    /// Outputs.
    pub y: Vec<f64>,
    /// The eigenvalues of A, real and imaginary parts, ascending by real part.
    pub poles: Vec<(f64, f64)>,
}

/// A linearisation, with what is asked of it.
#[must_use = "nothing is done until `run` is called"]
pub struct Linearize {
    model: Model,
    at: Option<f64>,
    steady: bool,
    inputs: Option<Vec<String>>,
    outputs: Option<Vec<String>>,
    request: Request,
    threads: Option<usize>,
    cancel: Cancel,
    limit: Option<Duration>,
}

impl Model {
    /// Matrices of the model near a point.
    pub fn linearize(&self) -> Linearize {
        Linearize {
            request: self.usual_request(),
            model: self.clone(),
            at: None,
            steady: false,
            inputs: None,
            outputs: None,
            threads: None,
            cancel: Cancel::new(),
            limit: None,
        }
    }
}

/// Nobody looks at the run to the point, but it can be ended.
struct OnTheWay<'a> {
    interrupt: &'a Interrupt,
    end: Option<Instant>,
}

impl OnTheWay<'_> {
    fn is_late(&self) -> bool {
        self.end.is_some_and(|end| Instant::now() >= end)
    }
}

impl Observer for OnTheWay<'_> {
    fn record(&mut self, _machine: &Machine) {}

    fn proceed(&mut self, _time: f64) -> bool {
        !self.interrupt.is_requested() && !self.is_late()
    }
}

impl Linearize {
    /// The instant; the start, if nobody says anything.
    pub fn at(mut self, time: f64) -> Self {
        self.at = Some(time);
        self
    }

    /// Searches for a steady state near the point, and linearises there.
    pub fn steady(mut self, steady: bool) -> Self {
        self.steady = steady;
        self
    }

    /// The inputs, in this order; all top-level inputs, if nobody says anything.
    pub fn inputs<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.inputs = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// The outputs, in this order: any variables; the top-level outputs, if nobody says anything.
    pub fn outputs<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.outputs = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// What is asked of the run to the point.
    pub fn request(mut self, request: Request) -> Self {
        self.request = request;
        self
    }

    /// The relative tolerance of that run.
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.request.tolerance = Some(tolerance);
        self
    }

    /// How many at a time, where there are many; one for each core, if nobody says anything.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads.max(1));
        self
    }

    /// What ends it from outside.
    pub fn cancel(mut self, cancel: &Cancel) -> Self {
        self.cancel = cancel.clone();
        self
    }

    /// The run to a point ends after this time at the latest.
    pub fn limit(mut self, limit: Option<Duration>) -> Self {
        self.limit = limit;
        self
    }

    /// The linearisation.
    pub fn run(self) -> Result<Linearization, Error> {
        let under_way = self.cancel.begin();
        let settings = Settings {
            overrides: self.model.overrides(),
            interrupt: under_way.interrupt.clone(),
            ..self.settings()?
        };
        let compiled = self.model.compiled()?;
        let mut maker = Maker::new(&compiled, &self).map_err(|d| self.model.error(ErrorKind::Request, d))?;
        let made = guarded(|| maker.make(&compiled, &settings, self.steady, self.limit));
        match made {
            Ok(Ok(linearization)) => Ok(linearization),
            Ok(Err(d)) if settings.interrupt.is_requested() => Err(self.model.error(ErrorKind::Cancelled, d)),
            Ok(Err(d)) => Err(self.model.error(ErrorKind::Run, d)),
            Err(fault) => Err(self.model.error(ErrorKind::Internal, fault)),
        }
    }

    /// One for each row of values of parameters and start values, on several threads. What fails says why.
    pub fn over<S: Into<String>>(
        mut self,
        names: impl IntoIterator<Item = S>,
        rows: &[Vec<Setting>],
    ) -> Result<Vec<Result<Linearization, String>>, Error> {
        self.model = self.model.settled()?;
        let under_way = self.cancel.begin();
        let settings = Settings { interrupt: under_way.interrupt.clone(), ..self.settings()? };
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        let variants = Variants::new(&self.model, &names, &[])?;
        let base = Maker::new(&variants.base.compiled, &self)
            .map_err(|d| self.model.error(ErrorKind::Request, d))?;
        if let Some(name) = names.iter().find(|name| !variants.base.has(name)) {
            let d = simulate::unmatched(&variants.base.compiled.program, std::iter::once(name));
            if let Some(d) = d.filter(|_| !self.model.flat().variables.iter().any(|v| v.name == *name)) {
                return Err(self.model.error(ErrorKind::Request, d));
            }
        }
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = self.threads.unwrap_or(cores).min(rows.len()).max(1);
        let next = AtomicUsize::new(0);
        let results = Mutex::new(vec![Err(String::new()); rows.len()]);
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    let mut own: Option<(Arc<Variant>, Maker)> = None;
                    loop {
                        let k = next.fetch_add(1, Ordering::Relaxed);
                        let Some(row) = rows.get(k).filter(|_| !self.cancel.is_cancelled()) else { return };
                        let made = guarded(|| self.one(&variants, &base, row, &settings, &mut own));
                        let made = made.unwrap_or_else(|fault| Err(line(&fault)));
                        results.lock().unwrap_or_else(PoisonError::into_inner)[k] = made;
                    }
                });
            }
        });
        if self.cancel.is_cancelled() {
            let d = Diagnostic::error(
                "K0522",
                format!("the linearisations of {} were stopped", self.model.name()),
            );
            return Err(self.model.error(ErrorKind::Cancelled, d));
        }
        Ok(results.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    fn one(
        &self,
        variants: &Variants,
        base: &Maker,
        row: &[Setting],
        settings: &Settings,
        own: &mut Option<(Arc<Variant>, Maker)>,
    ) -> Result<Linearization, String> {
        let (variant, overrides) = variants.prepare(row)?;
        let maker = match own {
            Some((known, maker)) if Arc::ptr_eq(known, &variant) => maker,
            own => {
                let maker = match Arc::ptr_eq(&variants.base, &variant) {
                    true => base.again(),
                    false => Maker::new(&variant.compiled, self).map_err(|d| line(&d))?,
                };
                &mut own.insert((variant.clone(), maker)).1
            }
        };
        let settings = Settings { overrides: Arc::new(overrides), ..settings.clone() };
        maker.make(&variant.compiled, &settings, self.steady, self.limit).map_err(|d| line(&d))
    }

    fn settings(&self) -> Result<Settings, Error> {
        let refused = |d: Diagnostic| self.model.error(ErrorKind::Request, d);
        let method = self.request.method().map_err(refused)?;
        let experiment = self.model.experiment();
        let start = self.request.start.or(experiment.start).unwrap_or(0.0);
        let request = Request { stop: Some(self.at.unwrap_or(start)), ..self.request.clone() };
        let mut settings = request.settings(method, &experiment, &mut Vec::new()).map_err(refused)?;
        // Nobody looks at anything on the way; crossings are searched for as in a whole run.
        let whole = Request {
            stop: Some(experiment.stop.unwrap_or(start + 1.0).max(settings.stop)),
            ..self.request.clone()
        };
        if let Ok(whole) = whole.settings(method, &experiment, &mut Vec::new()) {
            settings.interval = whole.interval;
        }
        settings.instants = [settings.stop].into();
        Ok(settings)
    }
}

/// Linearises one translation, point after point.
struct Maker {
    linearizer: Linearizer,
    inputs: Vec<VarId>,
    outputs: Vec<VarId>,
}

impl Maker {
    fn new(model: &Arc<CompiledModel>, asked: &Linearize) -> Result<Maker, Diagnostic> {
        let program = &model.program;
        let refused = |message: &str| Err(Diagnostic::error("K0575", format!("{} {message}", program.name)));
        if !(program.delays.is_empty() && program.transports.is_empty()) {
            return refused("has delays: near a point it is no system of finitely many states")
                .map_err(|d: Diagnostic| d.help("replace them by approximations (Padé) first"));
        }
        let find = |name: &String| {
            tune::find(program, name).ok_or_else(|| {
                simulate::unmatched(program, std::iter::once(name))
                    .unwrap_or_else(|| Diagnostic::error("K0910", name.clone()))
            })
        };
        let inputs: Vec<VarId> = match &asked.inputs {
            Some(names) => names.iter().map(find).collect::<Result<_, _>>()?,
            None => program.inputs.iter().filter(|i| !i.held).map(|i| i.variable).collect(),
        };
        for v in &inputs {
            let name = &program.variables[v.index()].name;
            match program.inputs.iter().find(|input| input.variable == *v) {
                None => {
                    return Err(Diagnostic::error(
                        "K0575",
                        format!("{name} is no input of {}", program.name),
                    )
                    .help("an input is declared `input` at the top level and has no value of its own"));
                }
                Some(input) if input.held => {
                    return Err(Diagnostic::error(
                        "K0575",
                        format!("{name} changes at events only: nothing depends on it continuously"),
                    ));
                }
                Some(input) if !input.derivatives.is_empty() => {
                    return Err(Diagnostic::error("K0575", format!("the equations need the derivative of the input {name}"))
                        .help("put a filter between this input and the constraint it is part of, or leave it out with --inputs"));
                }
                Some(_) => {}
            }
        }
        let outputs: Vec<VarId> = match &asked.outputs {
            Some(names) => names.iter().map(find).collect::<Result<_, _>>()?,
            None => program
                .output_variables
                .iter()
                .copied()
                .filter(|v| program.variables[v.index()].is_real())
                .collect(),
        };
        match Linearizer::new(model, &inputs, &outputs) {
            Ok(linearizer) => Ok(Maker { linearizer, inputs, outputs }),
            Err(error) => refused(&format!("cannot be differentiated: {error}")),
        }
    }

    fn again(&self) -> Maker {
        Maker {
            linearizer: self.linearizer.again(),
            inputs: self.inputs.clone(),
            outputs: self.outputs.clone(),
        }
    }

    fn make(
        &mut self,
        model: &Arc<CompiledModel>,
        settings: &Settings,
        steady: bool,
        limit: Option<Duration>,
    ) -> Result<Linearization, Diagnostic> {
        let program = &model.program;
        let end = limit.and_then(|limit| Instant::now().checked_add(limit));
        let mut on_the_way = OnTheWay { interrupt: &settings.interrupt, end };
        let (_, machine) = simulate_to(model.clone(), settings, &mut on_the_way);
        let mut machine = machine.map_err(|error| {
            let late = !settings.interrupt.is_requested() && on_the_way.is_late();
            simulate::explain(program, &error, settings.start, late)
        })?;
        let (start, at) = (settings.start, machine.time);
        let wrong = |stop: Stop| simulate::explain(program, &RunError::Event(at, stop), start, false);
        if at < settings.stop {
            let message = format!(
                "the model ended the run at time {}, before {}",
                simulate::instant(at),
                settings.stop
            );
            return Err(Diagnostic::error("K0575", message));
        }
        if steady {
            self.linearizer.rest(&mut machine, settings.tolerance).map_err(|stop| {
                let reason = simulate::describe(program, &stop).0;
                Diagnostic::error(
                    "K0576",
                    format!("no steady state was found near time {}: {reason}", simulate::instant(at)),
                )
                .help("simulate for longer first (--at), or give start values near the steady state")
            })?;
        }
        let matrices = self.linearizer.at(&mut machine).map_err(wrong)?;
        let name = |v: &VarId| program.variables[v.index()].name.clone();
        let values = |all: &[VarId]| all.iter().map(|v| machine.value(*v)).collect::<Vec<f64>>();
        let states: Vec<VarId> = program.states.iter().map(|s| s.variable).collect();
        let derivatives: Vec<VarId> = program.states.iter().map(|s| s.derivative).collect();
        let poles = eigenvalues(&matrices.a, states.len());
        Ok(Linearization {
            time: machine.time,
            states: states.iter().map(name).collect(),
            inputs: self.inputs.iter().map(name).collect(),
            outputs: self.outputs.iter().map(name).collect(),
            x: values(&states),
            dx: values(&derivatives),
            u: values(&self.inputs),
            y: values(&self.outputs),
            poles: poles.ok_or_else(|| {
                Diagnostic::error("K0575", "the poles cannot be computed: the iteration does not converge")
            })?,
            a: matrices.a,
            b: matrices.b,
            c: matrices.c,
            d: matrices.d,
        })
    }
}
