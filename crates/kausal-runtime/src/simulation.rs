//! Carries a model through time: initial values, integration, events.
//!
//! Between events discrete variables and relations are constant and the integrator runs on smooth equations.
//! An event is an instant where a relation changes, a time event or a sample is due; there the discrete
//! section is iterated until nothing changes (specification section 8.6), and integration starts anew.

use std::sync::Arc;

use kausal_solver::events::EventFinder;
use kausal_solver::{ClassicalStep, Integrator, Method, ModelError, OdeModel, Options, Reason, SolverError};
use kausal_symbolic::VarId;
use kausal_translate::program::{Kind, Step};

use crate::image::CompiledModel;
use crate::machine::{Failure, Machine, Mode, Stop};

/// From where to where, how, and how exactly.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Start of the run.
    pub start: f64,
    /// End of the run.
    pub stop: f64,
    /// Distance of output points; with 0 every step is one.
    pub interval: f64,
    /// Output points one by one, ascending and after the start, instead of at a distance; crossings are still searched
    /// for at the distance.
    pub instants: Arc<[f64]>,
    /// Relative tolerance; absolute ones are relative to nominal values.
    pub tolerance: f64,
    /// The integration method.
    pub method: Method,
    /// Step of fixed-step methods.
    pub fixed_step: Option<f64>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            start: 0.0,
            stop: 1.0,
            interval: 0.002,
            instants: Arc::from([]),
            tolerance: 1e-6,
            method: Method::Auto,
            fixed_step: None,
        }
    }
}

/// Is told what happens.
pub trait Observer {
    /// All values at an instant are in the machine; at events before and after.
    fn record(&mut self, machine: &Machine);

    /// Asked after every step; `false` ends the run.
    fn proceed(&mut self, time: f64) -> bool {
        let _ = time;
        true
    }
}

/// What a run did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Accepted steps.
    pub steps: u64,
    /// Rejected steps.
    pub rejected: u64,
    /// Evaluations of the right side.
    pub rhs_evaluations: u64,
    /// Jacobians.
    pub jacobians: u64,
    /// Newton iterations, of the integrator and of the model's own systems.
    pub newton_iterations: u64,
    /// Newton iterations that failed.
    pub nonlinear_failures: u64,
    /// Factorisations whose fixed pivot order had to be given up.
    pub pivot_fallbacks: u64,
    /// Events found by a crossing.
    pub state_events: u64,
    /// Events known in advance.
    pub time_events: u64,
    /// The message of `terminate`, if the model ended the run.
    pub terminated: Option<String>,
    /// Where the run ended.
    pub end: f64,
    /// Warnings of assertions.
    pub warnings: Vec<String>,
}

/// Why a run ended early.
#[derive(Clone, Debug, PartialEq)]
pub enum RunError {
    /// No consistent initial values.
    Initial(Stop),
    /// The model failed at an event.
    Event(f64, Stop),
    /// The iteration at an event does not come to rest; what changed in its last round.
    EventLoop(f64, Vec<VarId>),
    /// Event after event without progress; the relations that crossed last, by their place in the program.
    Chattering(f64, Vec<usize>),
    /// The integrator gave up; the last failure of the model, if it was that.
    Integration(f64, String, Option<Stop>),
    /// The observer ended the run.
    Stopped(f64),
}

/// Runs a model. What was recorded before an error stays recorded.
pub fn simulate(
    model: Arc<CompiledModel>,
    settings: &Settings,
    observer: &mut dyn Observer,
) -> (Statistics, Result<(), RunError>) {
    let mut run = Run::new(model, settings.clone());
    let result = run.all(observer);
    (run.statistics(), result)
}

/// Event iterations at one instant before giving up.
const EVENT_ROUNDS: usize = 100;
/// It counts as chattering when more events than this follow each other within this part of the run. The second pair
/// catches what comes to a limit, like a ball at rest, before the clock can no longer tell its bounces apart.
const CHATTER_LIMITS: [(f64, usize); 2] = [(1e-6, 200), (1e-10, 25)];

type Solver = Integrator<ClassicalStep<RightSide>>;

struct Run {
    settings: Settings,
    machine: Option<Machine>,
    solver: Option<Solver>,
    stats: Statistics,
    next_output: u64,
    schedule: Vec<f64>,
    state: Vec<f64>,
    chatter: [(f64, usize); 2],
    finder: Option<EventFinder>,
    /// The next step is the first one after a crossing, or after the start.
    fresh: bool,
}

impl Run {
    fn new(model: Arc<CompiledModel>, settings: Settings) -> Run {
        let schedule = vec![0.0; model.schedule_len];
        Run {
            settings,
            machine: Some(Machine::new(model)),
            solver: None,
            stats: Statistics::default(),
            next_output: 1,
            schedule,
            state: Vec::new(),
            chatter: [(f64::NEG_INFINITY, 0); 2],
            finder: None,
            fresh: true,
        }
    }

    fn all(&mut self, observer: &mut dyn Observer) -> Result<(), RunError> {
        let Some(mut machine) = self.machine.take() else { return Ok(()) };
        machine.time = self.settings.start;
        initialise(&mut machine).map_err(RunError::Initial)?;
        let outcome = self.event(&mut machine, true);
        observer.record(&machine);
        outcome.map_err(|error| match error {
            RunError::Event(_, stop) => RunError::Initial(stop),
            other => other,
        })?;
        let side = RightSide::new(machine);
        self.state = side.state();
        let options = Options {
            fixed_step: self.settings.fixed_step,
            ..Options::tolerance(self.settings.tolerance, self.settings.tolerance)
        };
        let solver = Integrator::new(
            self.settings.method,
            options,
            ClassicalStep::new(side),
            self.settings.start,
            &self.state,
        );
        match solver {
            Ok(solver) => self.solver = Some(solver),
            Err(error) => return Err(RunError::Integration(self.settings.start, error.to_string(), None)),
        }
        self.watch()?;
        while self.time() < self.settings.stop && self.stats.terminated.is_none() {
            self.advance(observer)?;
            if !observer.proceed(self.time()) {
                return Err(RunError::Stopped(self.time()));
            }
        }
        self.finish(observer)
    }

    fn time(&self) -> f64 {
        self.solver.as_ref().map_or(self.settings.start, Solver::t)
    }

    fn solver(&mut self) -> Result<&mut Solver, RunError> {
        let t = self.settings.start;
        self.solver.as_mut().ok_or(RunError::Stopped(t))
    }

    fn machine(&mut self) -> Result<&mut Machine, RunError> {
        Ok(&mut self.solver()?.model_mut().model_mut().machine)
    }

    /// One step of the integrator, and the event at its end or inside it.
    fn advance(&mut self, observer: &mut dyn Observer) -> Result<(), RunError> {
        let due = self.next_time_event()?;
        let limit = due.min(self.settings.stop);
        let before = self.time();
        let report = match self.solver()?.step(limit) {
            Ok(report) => report,
            Err(error) => return Err(self.integration_error(&error)),
        };
        let mut end = report.t;
        let crossing = self.first_crossing(before, end)?;
        if let Some(t) = crossing {
            end = t;
        }
        self.outputs(before, end, crossing.is_some() || end >= due, observer)?;
        if crossing.is_none() && end < due {
            return Ok(());
        }
        if crossing.is_some() {
            self.stats.state_events += 1;
            self.watch_chatter(end)?;
        } else {
            self.stats.time_events += 1;
        }
        self.at(end, true)?;
        observer.record(self.machine()?);
        if crossing.is_some() {
            self.flip()?;
            self.fresh = true;
        }
        let mut machine = self.take_machine()?;
        let outcome = self.event(&mut machine, end >= due);
        observer.record(&machine);
        self.give_machine(machine)?;
        outcome?;
        let state = self.solver()?.model().model().state();
        self.solver()?.restart(end, &state);
        self.watch()
    }

    fn take_machine(&mut self) -> Result<Machine, RunError> {
        let model = self.machine()?.model().clone();
        Ok(std::mem::replace(self.machine()?, Machine::new(model)))
    }

    fn give_machine(&mut self, machine: Machine) -> Result<(), RunError> {
        *self.machine()? = machine;
        Ok(())
    }

    fn watch_chatter(&mut self, t: f64) -> Result<(), RunError> {
        let length = (self.settings.stop - self.settings.start).abs();
        let mut chatters = false;
        for ((first, count), (part, limit)) in self.chatter.iter_mut().zip(CHATTER_LIMITS) {
            if t - *first > part * length {
                (*first, *count) = (t, 0);
            }
            *count += 1;
            chatters |= *count > limit;
        }
        if chatters { Err(RunError::Chattering(t, self.crossed()?)) } else { Ok(()) }
    }

    /// The relations that crossed, by their place in the program.
    fn crossed(&mut self) -> Result<Vec<usize>, RunError> {
        let crossed: Vec<usize> = self.finder.iter().flat_map(|f| f.crossings()).map(|c| c.index).collect();
        let relations = self.machine()?.model().program.relations.iter().enumerate();
        let watched: Vec<usize> = relations.filter(|(_, r)| r.timed.is_none()).map(|(i, _)| i).collect();
        Ok(crossed.into_iter().map(|i| watched[i]).collect())
    }

    /// Brings all continuous values to instant `t` of the last step.
    fn at(&mut self, t: f64, outputs: bool) -> Result<(), RunError> {
        let mut state = std::mem::take(&mut self.state);
        self.solver()?.interpolate(t, &mut state);
        let side = self.solver()?.model_mut().model_mut();
        let result = side.evaluate(t, &state, outputs);
        self.state = state;
        let result = match result {
            Ok(()) if outputs => finite(self.machine()?),
            other => other,
        };
        result.map_err(|stop| match stop {
            Stop::Terminate(message) => RunError::Integration(t, message, None),
            stop => RunError::Integration(t, "the model cannot be evaluated".into(), Some(stop)),
        })
    }

    /// The first instant in (t0, t1] where a relation differs from its memory. A function that crosses twice in a
    /// step ends on the side it came from, so sides are compared at the distance of output points too; and in the
    /// first step after a crossing, where a function begins near zero, at ever smaller parts of that distance: what
    /// leaves zero and comes back is on the other side at one of them.
    fn first_crossing(&mut self, t0: f64, t1: f64) -> Result<Option<f64>, RunError> {
        const CUTS: i32 = 12;
        const MOST: f64 = 1000.0;
        let Some(mut finder) = self.finder.take() else { return Ok(None) };
        let interval = self.settings.interval;
        let parts = if interval > 0.0 { ((t1 - t0) / interval).ceil().clamp(1.0, MOST) } else { 1.0 };
        let part = (t1 - t0) / parts;
        let cuts = if std::mem::take(&mut self.fresh) { CUTS } else { 0 };
        let near = (1..=cuts).rev().map(|k| t0 + part / 16f64.powi(k));
        let far =
            (1..=parts as i32).map(|k| if f64::from(k) == parts { t1 } else { t0 + part * f64::from(k) });
        let (mut found, mut error) = (Ok(None), None);
        let mut a = t0;
        for b in near.chain(far).filter(|&b| b > t0) {
            found = finder.search(a, b, |t, values| {
                self.at(t, false).and_then(|()| self.crossing_values(values)).map_err(|e| {
                    error = Some(e);
                    ModelError::fatal("the model cannot be evaluated")
                })
            });
            if !matches!(found, Ok(None)) {
                break;
            }
            a = b;
        }
        self.finder = Some(finder);
        match (found, error) {
            (Ok(t), None) => Ok(t),
            (_, Some(e)) => Err(e),
            (Err(e), None) => Err(RunError::Integration(t1, e.to_string(), None)),
        }
    }

    /// Functions that are positive on one side of each relation: `d > 0` where `d <= 0` is asked for, `-d > 0` where
    /// `d < 0` is.
    fn crossing_values(&mut self, values: &mut [f64]) -> Result<(), RunError> {
        let machine = self.machine()?;
        let relations = machine.model().program.relations.iter().filter(|r| r.timed.is_none());
        for (value, r) in values.iter_mut().zip(relations) {
            let d = machine.values[r.difference.index()];
            *value = if r.or_equal { d } else { -d };
        }
        Ok(())
    }

    /// Relations that crossed take the side they went to.
    fn flip(&mut self) -> Result<(), RunError> {
        let crossed: Vec<usize> =
            self.finder.iter().flat_map(|f| f.crossings()).map(|crossing| crossing.index).collect();
        let machine = self.machine()?;
        let model = machine.model().clone();
        let relations: Vec<_> = model.program.relations.iter().filter(|r| r.timed.is_none()).collect();
        for index in crossed {
            let value = &mut machine.values[relations[index].variable.index()];
            *value = 1.0 - *value;
        }
        Ok(())
    }

    /// Starts watching from the current values, with each relation on the side it is held at.
    fn watch(&mut self) -> Result<(), RunError> {
        let model = self.machine()?.model().clone();
        let relations: Vec<_> = model.program.relations.iter().filter(|r| r.timed.is_none()).collect();
        if relations.is_empty() {
            return Ok(());
        }
        let mut values = vec![0.0; relations.len()];
        self.crossing_values(&mut values)?;
        let mut finder = self.finder.take().unwrap_or_else(|| EventFinder::new(relations.len()));
        finder.start(&values);
        for (i, r) in relations.iter().enumerate() {
            let holds = self.machine()?.values[r.variable.index()] != 0.0;
            finder.set_side(i, holds != r.or_equal);
        }
        self.finder = Some(finder);
        Ok(())
    }

    /// Records output points in (t0, t1], or the step itself; the end of the run and of the last step before
    /// an event are recorded by others.
    fn outputs(
        &mut self,
        t0: f64,
        t1: f64,
        event: bool,
        observer: &mut dyn Observer,
    ) -> Result<(), RunError> {
        let Settings { start, stop, interval, .. } = self.settings;
        if interval <= 0.0 && self.settings.instants.is_empty() {
            if t1 > t0 && !event && t1 < stop {
                self.at(t1, true)?;
                observer.record(self.machine()?);
            }
            return Ok(());
        }
        loop {
            let t = match &*self.settings.instants {
                [] => start + self.next_output as f64 * interval,
                instants => instants.get(self.next_output as usize - 1).copied().unwrap_or(stop),
            };
            // The last point is the stop time itself, recorded at the end.
            if t > t1 || t >= stop - 1e-9 * interval {
                return Ok(());
            }
            if !(event && t == t1) {
                self.at(t, true)?;
                observer.record(self.machine()?);
            }
            self.next_output += 1;
        }
    }

    fn finish(&mut self, observer: &mut dyn Observer) -> Result<(), RunError> {
        let t = self.time();
        if self.stats.terminated.is_some() {
            return Ok(());
        }
        self.at(t, true)?;
        let mut machine = self.take_machine()?;
        if let Some(flag) = machine.model().program.terminal_flag {
            machine.values[flag.index()] = 1.0;
            let outcome = self.event(&mut machine, false);
            observer.record(&machine);
            self.give_machine(machine)?;
            return outcome;
        }
        observer.record(&machine);
        self.give_machine(machine)
    }

    fn next_time_event(&mut self) -> Result<f64, RunError> {
        let now = self.time();
        let mut schedule = std::mem::take(&mut self.schedule);
        let machine = self.machine()?;
        machine.time = now;
        let model = machine.model().clone();
        machine.evaluate(model.schedule, &mut schedule);
        let program = &model.program;
        let mut next = f64::INFINITY;
        for &instant in schedule[..2 * program.time_events.len()].iter().step_by(2) {
            if instant > now && !is_same_instant(instant, now) && instant < next {
                next = instant;
            }
        }
        for (i, _) in program.samples.iter().enumerate() {
            let at = 2 * (program.time_events.len() + i);
            let (start, interval) = (schedule[at], schedule[at + 1]);
            let tick = next_tick(start, interval, now);
            if tick > now && tick < next {
                next = tick;
            }
        }
        self.schedule = schedule;
        Ok(next)
    }

    /// Event iteration; `timed` says that samples may be due.
    fn event(&mut self, machine: &mut Machine, timed: bool) -> Result<(), RunError> {
        let model = machine.model().clone();
        let t = machine.time;
        let program = &model.program;
        if timed {
            machine.evaluate(model.schedule, &mut self.schedule);
            for (due, event) in machine.due.iter_mut().zip(self.schedule.chunks(2)) {
                *due = is_same_instant(event[0], t).then_some(event[1]);
            }
            for (i, sample) in program.samples.iter().enumerate() {
                let at = 2 * (program.time_events.len() + i);
                let due = is_tick(self.schedule[at], self.schedule[at + 1], t);
                machine.values[sample.variable.index()] = f64::from(u8::from(due));
                machine.pre[sample.variable.index()] = 0.0;
            }
        }
        // What is continuous has its left limit as `pre` value throughout the event.
        for pre in &program.pre {
            let discrete =
                matches!(program.variables[pre.variable.index()].kind, Kind::Discrete | Kind::Helper);
            if !discrete {
                machine.pre[pre.variable.index()] = machine.values[pre.variable.index()];
            }
        }
        let outcome = self.iterate(machine);
        machine.due.fill(None);
        outcome
    }

    /// Evaluates the discrete section until nothing changes.
    fn iterate(&mut self, machine: &mut Machine) -> Result<(), RunError> {
        let model = machine.model().clone();
        let t = machine.time;
        let program = &model.program;
        for round in 0..EVENT_ROUNDS {
            for pre in &program.pre {
                machine.values[pre.slot.index()] = machine.pre[pre.variable.index()];
            }
            match machine.run(&model.discrete, Mode::Event) {
                Ok(()) => {}
                Err(Stop::Terminate(message)) => {
                    self.stats.terminated = Some(message);
                    return Ok(());
                }
                Err(stop) => return Err(RunError::Event(t, stop)),
            }
            let mut changed = false;
            let mut restless = Vec::new();
            finite(machine).map_err(|stop| RunError::Event(t, stop))?;
            for &v in &program.discrete_variables {
                let (new, old) = (machine.values[v.index()], &mut machine.pre[v.index()]);
                changed |= new != *old;
                if new != *old && round + 1 == EVENT_ROUNDS {
                    restless.push(v);
                }
                *old = new;
            }
            for sample in &program.samples {
                changed |= machine.values[sample.variable.index()] != 0.0;
                machine.values[sample.variable.index()] = 0.0;
            }
            for (v, value) in std::mem::take(&mut machine.reinits) {
                machine.values[v.index()] = value;
                changed = true;
            }
            if !changed {
                return Ok(());
            }
            if round + 1 == EVENT_ROUNDS {
                return Err(RunError::EventLoop(t, restless));
            }
        }
        Ok(())
    }

    fn integration_error(&mut self, error: &SolverError) -> RunError {
        let t = self.time();
        let text = error.to_string();
        let last = self.solver.as_mut().and_then(|s| s.model_mut().model_mut().last_failure.take());
        if let Some(Stop::Terminate(_)) = last {
            return RunError::Stopped(t);
        }
        RunError::Integration(t, text, last)
    }

    fn statistics(&mut self) -> Statistics {
        let mut stats = self.stats.clone();
        stats.end = self.time();
        if let Some(solver) = &self.solver {
            let s = solver.statistics();
            let machine = &solver.model().model().machine;
            stats.steps = s.steps;
            stats.rejected = s.rejected;
            stats.rhs_evaluations = s.work.rhs_evaluations;
            stats.jacobians = s.work.jacobians;
            stats.newton_iterations = s.work.newton_iterations + machine.newton_iterations;
            stats.nonlinear_failures = s.work.nonlinear_failures + machine.newton_failures;
            stats.pivot_fallbacks = s.work.pivot_fallbacks;
            stats.warnings = machine.warnings.clone();
        }
        stats
    }
}

/// Are all variables of the model finite numbers?
fn finite(machine: &Machine) -> Result<(), Stop> {
    let variables = &machine.model().program.variables;
    let wrong = machine.values.iter().zip(variables).position(|(value, var)| {
        !value.is_finite() && !matches!(var.kind, Kind::Parameter | Kind::Helper | Kind::Alias(_))
    });
    let Some(wrong) = wrong else { return Ok(()) };
    let unknowns = vec![VarId(wrong as u32)];
    Err(Stop::Failed(Failure { reason: Reason::NotFinite, unknowns, residual: None }))
}

/// The variable that was the first to be not finite on the way to `last`: the others have it from there.
fn first_not_finite(machine: &Machine, last: VarId) -> VarId {
    let program = &machine.model().program;
    let wrong = |v: &VarId| {
        !machine.values[v.index()].is_finite() && program.variables[v.index()].kind != Kind::Helper
    };
    let found = program.dynamics.iter().find_map(|step| match step {
        Step::Assign(assign) => Some(assign.variable).filter(wrong),
        Step::System(system) => system.unknowns.iter().copied().find(|v| wrong(v)),
        _ => None,
    });
    found.unwrap_or(last)
}

/// Parameters, then the initial problem.
fn initialise(machine: &mut Machine) -> Result<(), Stop> {
    let model = machine.model().clone();
    let program = &model.program;
    machine.run(&model.parameters, Mode::Initial)?;
    if let Some(flag) = program.initial_flag {
        machine.values[flag.index()] = 1.0;
    }
    if let Some(lambda) = program.homotopy {
        machine.values[lambda.index()] = 1.0;
    }
    machine.run(&model.initial, Mode::Initial)?;
    machine.reinits.clear();
    for &v in &program.discrete_variables {
        machine.pre[v.index()] = machine.values[v.index()];
    }
    if let Some(flag) = program.initial_flag {
        machine.values[flag.index()] = 0.0;
    }
    Ok(())
}

/// Are two instants the same but for rounding?
fn is_same_instant(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12 * a.abs().max(b.abs())
}

/// The first tick after `now`.
fn next_tick(start: f64, interval: f64, now: f64) -> f64 {
    if now < start {
        return start;
    }
    let k = ((now - start) / interval).floor();
    let mut tick = start + (k + 1.0) * interval;
    if tick <= now || is_close(tick, now, interval) {
        tick = start + (k + 2.0) * interval;
    }
    tick
}

/// Is `now` a tick?
fn is_tick(start: f64, interval: f64, now: f64) -> bool {
    let k = ((now - start) / interval).round();
    k >= 0.0 && is_close(start + k * interval, now, interval)
}

fn is_close(a: f64, b: f64, scale: f64) -> bool {
    (a - b).abs() <= 1e-9 * scale.abs()
}

/// The model as the integrator sees it.
#[derive(Debug)]
struct RightSide {
    machine: Machine,
    states: Vec<(VarId, VarId)>,
    last_failure: Option<Stop>,
}

impl RightSide {
    fn new(machine: Machine) -> Self {
        let states = machine.model().program.states.iter().map(|s| (s.variable, s.derivative)).collect();
        RightSide { machine, states, last_failure: None }
    }

    /// The states; a model without any gets one that stays zero, so that time goes on.
    fn state(&self) -> Vec<f64> {
        if self.states.is_empty() {
            return vec![0.0];
        }
        self.states.iter().map(|(x, _)| self.machine.values[x.index()]).collect()
    }

    fn evaluate(&mut self, t: f64, x: &[f64], outputs: bool) -> Result<(), Stop> {
        self.machine.time = t;
        for ((v, _), value) in self.states.iter().zip(x) {
            self.machine.values[v.index()] = *value;
        }
        let model = self.machine.model().clone();
        self.machine.run(&model.dynamics, Mode::Continuous)?;
        if outputs {
            self.machine.run(&model.outputs, Mode::Continuous)?;
        }
        Ok(())
    }
}

impl OdeModel for RightSide {
    fn n(&self) -> usize {
        self.states.len().max(1)
    }

    fn rhs(&mut self, t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), ModelError> {
        if let Err(stop) = self.evaluate(t, x, false) {
            let recoverable = match &stop {
                Stop::Failed(Failure { reason, .. }) => Some(*reason),
                Stop::Assertion(_) | Stop::Function(_) => Some(Reason::OutsideDomain),
                Stop::Terminate(_) => None,
            };
            self.last_failure = Some(stop);
            return Err(match recoverable {
                Some(reason) => ModelError::recoverable(reason),
                None => ModelError::fatal("the model ended the run"),
            });
        }
        dx.fill(0.0);
        for (i, (_, d)) in self.states.iter().enumerate() {
            dx[i] = self.machine.values[d.index()];
            if !dx[i].is_finite() {
                self.last_failure = Some(Stop::Failed(Failure {
                    reason: Reason::NotFinite,
                    unknowns: vec![first_not_finite(&self.machine, *d)],
                    residual: None,
                }));
                return Err(ModelError::recoverable(Reason::NotFinite));
            }
        }
        Ok(())
    }

    fn nominal(&self, i: usize) -> f64 {
        self.states.get(i).map_or(1.0, |(x, _)| self.machine.model().program.variables[x.index()].nominal)
    }
}
