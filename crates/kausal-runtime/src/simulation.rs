//! Carries a model through time: initial values, integration, events.
//!
//! Between events discrete variables and relations are constant and the integrator runs on smooth equations.
//! An event is an instant where a relation changes, a time event or a sample is due; there the discrete
//! section is iterated until nothing changes (specification section 8.6), and integration starts anew.

mod again;
mod at_steps;
pub(crate) mod clocks;
pub(crate) mod crossing;
mod defect;
mod delay;
mod differences;
mod emerging;
mod foreseen;
mod guarded;
pub mod inlined;
mod iteration;
mod outputs;
mod path;
pub(crate) mod relevance;
mod rounding;
mod scales;
mod schedule;
mod selected;
mod start;
mod transport;

use std::path::PathBuf;
use std::sync::Arc;

use kausal_external::{RunFiles, StandardExternals};
use kausal_solver::events::EventFinder;
use kausal_solver::linear::Pattern;
use kausal_solver::weights::Size;
use kausal_solver::{Integrator, Method, ModelError, OdeModel, Options, Reason, SolverError};
use kausal_symbolic::VarId;
use kausal_symbolic::function::interrupt::Interrupt;

use crate::image::CompiledModel;
use crate::jacobian::{Derivatives, JacobianMode};
use crate::machine::{Failure, LostDigits, Machine, Mode, Stop, Undetermined, Warning};
use crate::selection;
use again::{Again, Barrier, Verdict};
use crossing::Chatter;
use defect::DefectControl;
use delay::Histories;
use foreseen::{Foreseen, Signals};
use inlined::Stepper;
use iteration::{event, finite, first_not_finite, initialise};
use schedule::Schedule;
pub(crate) use schedule::is_same_instant;
pub(crate) use start::start_jacobian;
use transport::Transports;

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
    /// The longest step of methods that choose their steps.
    pub max_step: Option<f64>,
    /// Where the Jacobian of the right-hand side comes from.
    pub jacobian: JacobianMode,
    /// Where functions of the model write files.
    pub files: RunFiles,
    /// Steps are the model's own where its program has them.
    pub inlined: bool,
    /// The largest order of BDF.
    pub max_order: usize,
    /// Goes on where a torn system loses digits.
    pub trust_torn: bool,
    /// Events take effect at the ends of steps; where in the steps they belong is not searched for.
    pub events_at_steps: bool,
    /// Newton iterations with a matrix of their own that a system of an inlined step may take, where steps have one size.
    pub iterations: Option<u32>,
    /// States, by their names, that have no absolute tolerance: they are known to grow from the smallest values.
    pub relative: Vec<String>,
    /// Parameters and start values in the place of those of the program.
    pub overrides: Arc<crate::Overrides>,
    /// Signals for inputs of the model; the others keep their start values.
    pub inputs: Arc<crate::Inputs>,
    /// Ends the run from outside, also inside of a step.
    pub interrupt: Interrupt,
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
            max_step: None,
            jacobian: JacobianMode::Auto,
            files: RunFiles::default(),
            inlined: true,
            max_order: 5,
            trust_torn: false,
            events_at_steps: false,
            iterations: None,
            relative: Vec::new(),
            overrides: Arc::default(),
            inputs: Arc::default(),
            interrupt: Interrupt::default(),
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
    /// Since when all states were treated as stiff, where an inlined step began with some of them.
    pub stiffer_since: Option<f64>,
    /// Events found by a crossing.
    pub state_events: u64,
    /// Events known in advance.
    pub time_events: u64,
    /// How often states were selected anew while the model ran.
    pub state_selections: u64,
    /// The message of `terminate`, if the model ended the run.
    pub terminated: Option<String>,
    /// Where the run ended.
    pub end: f64,
    /// Warnings of assertions.
    pub warnings: Vec<Warning>,
    /// Linear systems that did not determine all their unknowns.
    pub undetermined: Vec<Undetermined>,
    /// Linear systems whose solutions depend on rounding errors.
    pub lost_digits: Vec<LostDigits>,
    /// States that moved and were always below their absolute tolerance.
    pub below_tolerance: Vec<VarId>,
    /// States that were below their absolute tolerance and grew out of it by themselves, and when.
    pub emerged: Vec<(VarId, f64)>,
    /// What functions said (`ModelicaMessage`, `print`), each once in a row and not without limit.
    pub messages: Vec<String>,
    /// The files functions have written.
    pub files: Vec<PathBuf>,
}

/// Why a run ended early.
#[derive(Clone, Debug)]
pub enum RunError {
    /// No consistent initial values.
    Initial(Stop),
    /// The model failed at an event.
    Event(f64, Stop),
    /// The iteration at an event does not come to rest; what changed in its last round.
    EventLoop(f64, Vec<VarId>),
    /// Event after event without progress; the relations that changed last, by their place in the program.
    Chattering(f64, Vec<u32>),
    /// The integration cannot go on; the last failure of the model, if it was that.
    Integration(f64, Obstacle, Option<Stop>),
    /// The observer ended the run.
    Stopped(f64),
}

/// Why an integration cannot go on.
#[derive(Clone, Debug)]
pub enum Obstacle {
    /// The integrator gave up.
    Integrator(SolverError),
    /// The model cannot be evaluated at an instant of a step that was taken.
    Evaluation,
    /// No crossing can be looked for.
    Location(ModelError),
}

/// Runs a model. What was recorded before an error stays recorded.
pub fn simulate(
    model: Arc<CompiledModel>,
    settings: &Settings,
    observer: &mut dyn Observer,
) -> (Statistics, Result<(), RunError>) {
    let mut run = Run::new(model, settings.clone());
    let result = run.all(observer);
    // Whatever failed then, failed because of that.
    let result = result.map_err(|error| match settings.interrupt.is_requested() {
        true => RunError::Stopped(run.time()),
        false => error,
    });
    (run.statistics(), result)
}

type Solver = Integrator<Stepper>;

/// One run on its way.
struct Run {
    settings: Settings,
    solver: Option<Solver>,
    /// Before there is a solver to hold it.
    first: Option<Machine>,
    externals: Option<Arc<StandardExternals>>,
    stats: Statistics,
    next_output: u64,
    schedule: Schedule,
    foreseen: Foreseen,
    signals: Signals,
    state: Vec<f64>,
    chatter: Chatter,
    /// When `terminate` ended the run outside of an event.
    ended: Option<f64>,
    /// The relations that are searched for crossings, by their place in the program.
    watched: Vec<u32>,
    /// Where their differences are, and the sign that makes these positive on the side that counts so.
    functions: Vec<(VarId, f64)>,
    finder: Option<EventFinder>,
    /// Relations that have changed by the end of a step, where that was looked at.
    changed: Vec<u32>,
    /// Differences of the relations, for a look at the end of a step.
    differences: Vec<f64>,
    /// The next step is the first one after a crossing, or after the start.
    fresh: bool,
    /// So was the last one.
    fresh_step: bool,
    /// What is known of relations that decide nothing.
    answers: relevance::Answers,
    /// The values of what is held before an event.
    held_values: Vec<f64>,
    barrier: Barrier,
    again: Again,
    /// Where the sides that relations are held at could not be evaluated last.
    beyond: f64,
    /// Steps that were made and then made again.
    given_up: u64,
    /// Where the next step ends at the latest, for longer ones fail.
    shorter: f64,
    /// Where the selected states were last found good.
    well_selected: f64,
    path: path::Path,
    defects: DefectControl,
    emerging: emerging::Emerging,
}

impl Run {
    fn new(model: Arc<CompiledModel>, settings: Settings) -> Run {
        let mut searched: Vec<bool> = model.program.relations.iter().map(|r| r.timed.is_none()).collect();
        if !settings.events_at_steps {
            model.foresight.relations.iter().for_each(|(relation, _)| searched[*relation as usize] = false);
        }
        let relations = model.program.relations.iter().enumerate().filter(|(i, _)| searched[*i]);
        Run {
            // `d > 0` where `d <= 0` is asked for, `-d > 0` where `d < 0` is.
            functions: relations
                .clone()
                .map(|(_, r)| (r.difference, if r.or_equal { 1.0 } else { -1.0 }))
                .collect(),
            differences: Vec::new(),
            answers: relevance::Answers::default(),
            held_values: Vec::new(),
            barrier: Barrier::NONE,
            externals: None,
            again: Again::NOT,
            beyond: f64::NEG_INFINITY,
            given_up: 0,
            shorter: f64::NEG_INFINITY,
            well_selected: f64::NEG_INFINITY,
            watched: relations.map(|(i, _)| i as u32).collect(),
            defects: DefectControl::default(),
            emerging: emerging::Emerging::default(),
            path: path::Path::new(&model),
            first: Some(Machine::with(model, &settings.overrides)),
            settings,
            solver: None,
            stats: Statistics::default(),
            next_output: 1,
            schedule: Schedule::default(),
            foreseen: Foreseen::default(),
            signals: Signals::default(),
            state: Vec::new(),
            chatter: Chatter::new(),
            ended: None,
            finder: None,
            changed: Vec::new(),
            fresh: true,
            fresh_step: true,
        }
    }

    fn all(&mut self, observer: &mut dyn Observer) -> Result<(), RunError> {
        let Some(mut machine) = self.first.take() else { return Ok(()) };
        machine.time = self.settings.start;
        machine.take_inputs(&self.settings.inputs);
        machine.set_interrupt(&self.settings.interrupt);
        self.externals = Some(machine.set_files(&self.settings.files));
        machine.trusts = self.settings.trust_torn;
        // It takes the derivative by time from differences, and corrects nothing afterwards.
        machine.careful = self.settings.method == Method::Rosenbrock;
        if let Err(stop) = initialise(&mut machine) {
            self.stats.warnings = machine.all_warnings();
            self.stats.undetermined = std::mem::take(&mut machine.undetermined);
            return Err(RunError::Initial(stop));
        }
        // The choice that was made at translation may be singular right here.
        machine.reselect();
        self.schedule = Schedule::start(&mut machine);
        self.schedule.check(&machine).map_err(RunError::Initial)?;
        machine.clocks = clocks::Clocks::start(&mut machine).map_err(RunError::Initial)?;
        self.schedule.mark_due(&mut machine);
        machine.starting = true;
        let outcome = event(&mut machine);
        observer.record(&machine);
        self.stats.warnings = machine.all_warnings();
        self.stats.terminated = outcome.map_err(|error| match error {
            RunError::Event(_, stop) => RunError::Initial(stop),
            other => other,
        })?;
        machine.reselect();
        if !self.settings.events_at_steps {
            let Settings { start, stop, tolerance, .. } = self.settings;
            self.foreseen = Foreseen::new(&machine, start, stop);
            self.foreseen.look_ahead(&machine, start);
            self.signals = Signals::new(&machine, start, stop, tolerance);
        }
        if self.settings.inlined
            && let Some(why) = inlined::why_not(&machine)
        {
            self.settings.inlined = false;
            let (text, start) = (why.to_owned(), machine.time);
            machine.warnings.push(Warning { text, assertion: None, first: start, last: start, count: 1 });
        }
        // An inlined step has matrices of its own.
        let own = self.settings.method != Method::Rosenbrock;
        let inlined = own && self.settings.inlined && machine.model().discretized.is_some();
        let jacobian = if inlined { JacobianMode::NumericDense } else { self.settings.jacobian };
        let side = RightSide::new(machine, jacobian, self.settings.method).measured(&self.settings.relative);
        side.past.check(&side.machine).map_err(RunError::Initial)?;
        self.state = side.state();
        let options = Options {
            fixed_step: self.settings.fixed_step,
            follow_sizes: true,
            max_step: self.settings.max_step.unwrap_or(f64::INFINITY),
            max_order: self.settings.max_order,
            // The interface of the papers' time started so.
            low_order_start: self.settings.jacobian == JacobianMode::NumericDenseAnew,
            ..Options::tolerance(self.settings.tolerance, self.settings.tolerance)
        };
        let options = match side.machine.model().program.state_sets.is_empty() {
            true => options,
            false => Options {
                rtol: selection::SHARE_OF_STATES * options.rtol,
                atol: selection::SHARE_OF_STATES * options.atol,
                ..options
            },
        };
        let start = self.settings.start;
        let stepper = Stepper::new(side, &self.settings);
        match Integrator::new(self.settings.method, options, stepper, start, &self.state) {
            Ok(solver) => self.solver = Some(solver),
            Err(error) => return Err(RunError::Integration(start, Obstacle::Integrator(error), None)),
        }
        self.begin_path()?;
        self.watch()?;
        while self.time() < self.settings.stop && self.stats.terminated.is_none() {
            if let Err(error) = self.advance(observer) {
                // `terminate` outside of events ends the run well, too.
                if self.ended.is_none() {
                    return Err(error);
                }
                observer.record(self.machine()?);
                break;
            }
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

    fn side(&mut self) -> Result<&mut RightSide, RunError> {
        Ok(self.solver()?.model_mut().model_mut())
    }

    fn machine(&mut self) -> Result<&mut Machine, RunError> {
        Ok(&mut self.side()?.machine)
    }

    fn length(&self) -> f64 {
        (self.settings.stop - self.settings.start).abs()
    }

    /// One step of the integrator, and the events at its end or inside it, up to the first one that ends the step.
    fn advance(&mut self, observer: &mut dyn Observer) -> Result<(), RunError> {
        if self.settings.events_at_steps {
            return self.advance_to_step_end(observer);
        }
        let mut before = self.time();
        let due = self.next_time_event()?;
        let mut step_end = before;
        // What is due at once needs no step.
        if due > before {
            let limit = due.min(self.settings.stop);
            let limit = if self.barrier.at > before { limit.min(self.barrier.at) } else { limit };
            let limit = if self.shorter > before { limit.min(self.shorter) } else { limit };
            let limit = self.again.limit(before, limit).min(self.end_of_calm(before)?);
            self.limit_step()?;
            let asked = self.asked_from()?;
            self.solver()?.set_asked_from(asked);
            self.side()?.keep_guesses();
            self.defects.begin(before);
            self.fresh_step = self.fresh;
            step_end = match self.solver()?.step(limit) {
                Ok(report) => report.t,
                Err(error) => return self.pass_obstacle(&error, observer),
            };
            step_end = self.end_of_selection(before, step_end)?;
        }
        loop {
            self.follow(step_end)?;
            let mut crossing = if step_end > before { self.first_crossing(before, step_end)? } else { None };
            if let Some(t) = crossing {
                match self.judge_event(before, t, step_end)? {
                    Verdict::Again => return Ok(()),
                    Verdict::Nothing => crossing = None,
                    Verdict::Event => {}
                }
            }
            let end = match crossing {
                // A crossing that cannot be told from what is due anyway happens with it.
                Some(t) if is_same_instant(t, due) => due.min(step_end),
                Some(t) => t,
                None => step_end,
            };
            let event = crossing.is_some() || end >= due;
            if !self.is_good_inside(before, end)? {
                return Ok(());
            }
            self.keep_past(before, end)?;
            if !self.outputs(before, end, event, observer)? {
                return Ok(());
            }
            if !event {
                self.again.pass(end);
                return self.reselect(end);
            }
            let noticed = self.pass_event(end, crossing.is_some(), None, observer)?;
            if noticed || end >= step_end || self.stats.terminated.is_some() {
                return Ok(());
            }
            before = end;
        }
    }

    /// The event at `t`: values before it, the iteration, values behind it, and a new beginning, unless nothing that the
    /// continuous part reads has changed: then the integrator goes on from where it is. Did it notice? The states are given
    /// where no step reaches the event.
    fn pass_event(
        &mut self,
        t: f64,
        crossed: bool,
        states: Option<Vec<f64>>,
        observer: &mut dyn Observer,
    ) -> Result<bool, RunError> {
        if crossed {
            self.stats.state_events += 1;
            if self.chatter.count(t, self.length()) {
                return Err(RunError::Chattering(t, self.crossed()));
            }
        } else {
            self.stats.time_events += 1;
        }
        let flood = !crossed && self.chatter.count_known(t, self.length());
        let unreached = states.is_some();
        let states = self.values_before(t, crossed, states)?;
        observer.record(self.machine()?);
        self.keep_held();
        if let Some(states) = states {
            self.side()?.place(&states);
        }
        if crossed {
            self.flip()?;
        }
        let Some(solver) = self.solver.as_mut() else { return Ok(true) };
        let side = solver.model_mut().model_mut();
        self.schedule.mark_due(&mut side.machine);
        self.foreseen.mark_due(&mut side.machine);
        let turned = side.machine.turn_inputs(t);
        if flood && !turned {
            return Err(RunError::Chattering(t, crossing::announced(&side.machine)));
        }
        side.past.turn(t);
        side.past.read(&mut side.machine);
        side.pipes.turn();
        let mut outcome = side.event(t);
        if crossed
            && side.machine.left_domain
            && matches!(outcome, Err(RunError::Event(_, Stop::Assertion(_))))
        {
            // It is not the event that failed: integration has come to where an assertion ends.
            outcome = outcome.map_err(|error| match error {
                RunError::Event(t, stop) => RunError::Integration(t, Obstacle::Evaluation, Some(stop)),
                other => other,
            });
        }
        let selected = side.machine.reselect();
        observer.record(&side.machine);
        self.stats.terminated = outcome?;
        let schedule = &mut self.schedule;
        side.past.begin(&side.machine, |instant| schedule.add_break(instant));
        side.pipes.begin(&mut side.machine);
        self.foreseen.look_ahead(&side.machine, t);
        self.signals.look_ahead(&side.machine, t);
        let noticed = unreached || selected || turned || side.remembers() || self.held_changed();
        if noticed {
            let solver = self.solver()?;
            let state = solver.model().model().state();
            solver.restart(t, &state);
        }
        self.fresh = true;
        self.barrier = Barrier::NONE;
        self.again = Again::NOT;
        self.shorter = f64::NEG_INFINITY;
        self.begin_path()?;
        self.watch()?;
        Ok(noticed)
    }

    fn keep_held(&mut self) {
        let Some(solver) = &self.solver else { return };
        let machine = &solver.model().model().machine;
        self.held_values.clear();
        self.held_values.extend(machine.model().held.iter().map(|v| machine.values[v.index()]));
    }

    fn held_changed(&self) -> bool {
        let Some(solver) = &self.solver else { return true };
        let machine = &solver.model().model().machine;
        let mut held = machine.model().held.iter().zip(&self.held_values);
        held.any(|(v, old)| machine.values[v.index()].to_bits() != old.to_bits())
    }

    /// From where on the solution will be asked for inside the next step: everywhere, where something is watched or
    /// remembered, else at the next output point.
    fn asked_from(&mut self) -> Result<f64, RunError> {
        let next = self.next_output_point();
        let watched = self.finder.is_some() || !self.machine()?.model().program.state_sets.is_empty();
        Ok(if watched || self.side()?.remembers() {
            f64::NEG_INFINITY
        } else {
            next.unwrap_or(f64::INFINITY)
        })
    }

    /// Delays and the user bound the step from above.
    fn limit_step(&mut self) -> Result<(), RunError> {
        let (now, length, path) = (self.time(), self.length(), self.longest_path());
        let solver = self.solver.as_mut().ok_or(RunError::Stopped(now))?;
        let side = solver.model_mut().model_mut();
        let delays = if side.past.is_empty() { f64::INFINITY } else { side.past.longest_step(length) };
        let longest = delays.min(side.pipes.longest_step()).min(path);
        let longest = longest.min(self.signals.longest_step(&side.machine, now));
        let longest = longest.min(self.settings.max_step.unwrap_or(f64::INFINITY));
        solver.set_max_step(longest);
        Ok(())
    }

    /// Where the next step ends at the latest for signals of time to be followed.
    fn end_of_calm(&mut self, now: f64) -> Result<f64, RunError> {
        let solver = self.solver.as_mut().ok_or(RunError::Stopped(now))?;
        Ok(self.signals.end_of_calm(&solver.model().model().machine, now))
    }

    /// Keeps what is delayed for later, at the end of a step and inside it.
    fn keep_past(&mut self, t0: f64, t1: f64) -> Result<(), RunError> {
        if !self.side()?.remembers() || t1 <= t0 {
            return Ok(());
        }
        self.side()?.past.forget(t0);
        self.side()?.pipes.forget();
        let lengths = self.side()?.past.lengths();
        let parts = delay::INSIDE + 1;
        self.keep_parts(t0, t1, parts)?;
        let tolerance = self.settings.tolerance;
        let side = self.side()?;
        let times = side.past.refinement(&side.machine, tolerance);
        // What flows carry is kept as it is.
        if times > 1 && side.pipes.is_empty() {
            side.past.shorten(&lengths);
            self.keep_parts(t0, t1, times * parts)?;
        }
        let Some(solver) = self.solver.as_mut() else { return Ok(()) };
        let (side, schedule) = (solver.model_mut().model_mut(), &mut self.schedule);
        side.past.settle(&side.machine, tolerance, |instant| schedule.add_break(instant));
        Ok(())
    }

    /// Keeps it at the ends of equal parts of a step.
    fn keep_parts(&mut self, t0: f64, t1: f64, parts: usize) -> Result<(), RunError> {
        for k in 1..=parts {
            let t = if k == parts { t1 } else { t0 + (t1 - t0) * k as f64 / parts as f64 };
            self.at(t, false)?;
            let side = self.side()?;
            side.past.keep(&side.machine);
            side.pipes.keep(&side.machine);
        }
        Ok(())
    }

    /// Brings all continuous values to instant `t` of the last step.
    fn at(&mut self, t: f64, outputs: bool) -> Result<(), RunError> {
        self.bring(t, outputs, true)
    }

    /// The same, with systems iterated to the last digit or only as far as steps need it.
    fn bring(&mut self, t: f64, outputs: bool, exact: bool) -> Result<(), RunError> {
        let mut state = std::mem::take(&mut self.state);
        self.solver()?.interpolate(t, &mut state);
        let Some(solver) = self.solver.as_mut() else { return Err(RunError::Stopped(t)) };
        let side = solver.model_mut().model_mut();
        self.path.guess(t, outputs, &mut side.machine);
        side.machine.exact = exact;
        let result = side.evaluate(t, &state, outputs);
        side.machine.exact = false;
        self.state = state;
        if result.is_ok() {
            self.look_inside(t);
        }
        let result = match result {
            Ok(()) if outputs => finite(self.machine()?),
            other => other,
        };
        result.map_err(|stop| match stop {
            Stop::Terminate(message) => {
                self.stats.terminated = Some(message);
                self.ended = Some(t);
                RunError::Stopped(t)
            }
            stop => RunError::Integration(t, Obstacle::Evaluation, Some(stop)),
        })
    }

    fn finish(&mut self, observer: &mut dyn Observer) -> Result<(), RunError> {
        let t = self.time();
        // `terminate` ends a run well: everything is as its event left it, and that is the end.
        let terminated = self.stats.terminated.is_some();
        if !terminated {
            self.at(t, true)?;
        }
        let machine = self.machine()?;
        if terminated && machine.model().program.terminal_flag.is_none() {
            return Ok(());
        }
        let mut outcome = Ok(None);
        if let Some(flag) = machine.model().program.terminal_flag {
            machine.values[flag.index()] = 1.0;
            outcome = event(machine);
        }
        observer.record(machine);
        outcome.map(|_| ())
    }

    fn next_time_event(&mut self) -> Result<f64, RunError> {
        let now = self.time();
        let start = self.settings.start;
        let solver = self.solver.as_mut().ok_or(RunError::Stopped(start))?;
        let machine = &mut solver.model_mut().model_mut().machine;
        let scheduled = self.schedule.next(machine, now).min(machine.next_input_break());
        Ok(scheduled.min(self.foreseen.next()))
    }

    fn integration_error(&mut self, error: &SolverError) -> RunError {
        let t = self.time();
        let last = self.solver.as_mut().and_then(|s| s.model_mut().model_mut().last_failure.take());
        if let Some(Stop::Terminate(message)) = last {
            self.stats.terminated = Some(message);
            self.ended = Some(t);
            return RunError::Stopped(t);
        }
        RunError::Integration(t, Obstacle::Integrator(error.clone()), last)
    }

    fn statistics(&mut self) -> Statistics {
        let mut stats = self.stats.clone();
        stats.end = self.ended.unwrap_or_else(|| self.time());
        if let Some(solver) = &self.solver {
            let s = solver.statistics();
            let machine = &solver.model().model().machine;
            // The integrator may have gone ahead of the event.
            if stats.terminated.is_some() {
                stats.end = machine.time;
            }
            stats.steps = s.steps - self.given_up;
            stats.rejected = s.rejected + self.given_up;
            stats.rhs_evaluations = s.work.rhs_evaluations;
            stats.jacobians = s.work.jacobians;
            stats.newton_iterations = s.work.newton_iterations + machine.newton_iterations;
            stats.nonlinear_failures = s.work.nonlinear_failures + machine.newton_failures;
            stats.pivot_fallbacks = s.work.pivot_fallbacks + machine.pivot_fallbacks;
            stats.stiffer_since = machine.stiffer_since;
            let states = &solver.model().model().states;
            let below = solver.weights().below_tolerance();
            stats.below_tolerance = below.iter().filter_map(|&i| states.get(i)).map(|(x, _)| *x).collect();
            stats.emerged = self.emerged();
            stats.warnings = machine.all_warnings();
            stats.undetermined = machine.undetermined.clone();
            stats.lost_digits = machine.lost_digits(self.settings.tolerance);
        }
        if let Some(externals) = &self.externals {
            stats.messages.extend(externals.take_messages());
            stats.files = externals.files();
        }
        stats
    }
}

/// The model as the integrator sees it.
#[derive(Debug)]
struct RightSide {
    machine: Machine,
    states: Vec<(VarId, VarId)>,
    past: Histories,
    pipes: Transports,
    last_failure: Option<Stop>,
    derivatives: Derivatives,
    buffer: Vec<f64>,
    /// The iteration variables of the model's own systems and their values where the step begins.
    guesses: Vec<(VarId, f64)>,
    /// The last instant the integrator asked for.
    asked: f64,
    /// The last evaluation in a step of the method is one at its end, near the solution.
    ends_steps: bool,
    keeps_jacobian: bool,
    /// What is known of the states before the run.
    sizes: Vec<(usize, Size)>,
    /// The method can make a step shorter.
    chooses_steps: bool,
}

impl RightSide {
    fn new(mut machine: Machine, jacobian: JacobianMode, method: Method) -> Self {
        let derivatives = Derivatives::new(machine.model(), jacobian);
        let states: Vec<(VarId, VarId)> =
            machine.model().program.states.iter().map(|s| (s.variable, s.derivative)).collect();
        let sizes = scales::sizes(&machine, &states, derivatives.pattern.as_ref());
        let past = Histories::start(&mut machine);
        let pipes = Transports::start(&mut machine);
        let unknowns = machine.model().newtons.iter().flat_map(|newton| &newton.unknowns);
        let mut guesses: Vec<(VarId, f64)> = unknowns.map(|v| (*v, 0.0)).collect();
        guesses.sort_by_key(|(v, _)| *v);
        guesses.dedup_by_key(|(v, _)| *v);
        let asked = f64::NEG_INFINITY;
        RightSide {
            machine,
            states,
            past,
            pipes,
            last_failure: None,
            derivatives,
            buffer: Vec::new(),
            guesses,
            asked,
            keeps_jacobian: jacobian != JacobianMode::NumericDenseAnew,
            ends_steps: matches!(method, Method::Bdf | Method::Auto),
            sizes,
            chooses_steps: !method.is_fixed_step(),
        }
    }

    /// A step begins: from here its tries start to iterate.
    fn keep_guesses(&mut self) {
        for (v, value) in &mut self.guesses {
            *value = self.machine.values[v.index()];
        }
        self.asked = f64::NEG_INFINITY;
    }

    /// An instant before the last one is another try of the step. What the systems were solved to in the one that was
    /// given up may lie on another branch of their solutions, so it is no guess for this one.
    fn next_try(&mut self, t: f64) {
        if t < self.asked {
            for (v, value) in &self.guesses {
                self.machine.values[v.index()] = *value;
            }
        }
        self.asked = t;
    }

    /// The states; a model without any gets one that stays zero, so that time goes on.
    fn state(&self) -> Vec<f64> {
        if self.states.is_empty() {
            return vec![0.0];
        }
        self.states.iter().map(|(x, _)| self.machine.values[x.index()]).collect()
    }

    fn place(&mut self, x: &[f64]) {
        for ((v, _), value) in self.states.iter().zip(x) {
            self.machine.values[v.index()] = *value;
        }
    }

    fn evaluate(&mut self, t: f64, x: &[f64], outputs: bool) -> Result<(), Stop> {
        self.machine.set_time(t);
        self.place(x);
        let model = self.machine.model().clone();
        self.machine.written = outputs;
        let mut outcome = if self.remembers() {
            self.evaluate_delayed(&model)
        } else {
            self.machine.run(&model.dynamics, Mode::Continuous)
        };
        if outputs && outcome.is_ok() {
            outcome = self.machine.run(&model.outputs, Mode::Continuous);
        }
        self.machine.written = false;
        outcome
    }

    /// The same with delayed variables. A delay may itself be computed: then once more with the new one.
    fn evaluate_delayed(&mut self, model: &CompiledModel) -> Result<(), Stop> {
        /// Of transports, whose flows are close after a few.
        const ROUNDS: usize = 10;
        /// Of delays that depend on what they delay: a factor of 0.75 a round comes to rest in these.
        const MOST_ROUNDS: usize = 120;
        let mut known = Ok(());
        for round in 1.. {
            self.past.read(&mut self.machine);
            // At first a flow that is computed is still that of the last evaluation, which may have been far away.
            known = self.pipes.read(&mut self.machine);
            self.machine.run(&model.dynamics, Mode::Continuous)?;
            let delays = self.past.update_times(&mut self.machine);
            let flows = self.pipes.changed(&mut self.machine);
            if !delays && (!flows || round >= ROUNDS) {
                break;
            }
            if round >= MOST_ROUNDS {
                return Err(self.unknown_past(model));
            }
        }
        known?;
        self.past.check(&self.machine)?;
        // A shorter step reads what is known.
        if self.chooses_steps && !self.past.is_known(self.machine.time) {
            return Err(self.unknown_past(model));
        }
        Ok(())
    }

    fn unknown_past(&self, model: &CompiledModel) -> Stop {
        let unknowns = model.program.delays.iter().map(|delay| delay.variable).collect();
        Stop::Failed(Failure { reason: Reason::NoConvergence, unknowns, residual: None })
    }

    /// Is something of the past read?
    fn remembers(&self) -> bool {
        !self.past.is_empty() || !self.pipes.is_empty()
    }

    /// The event at `t`; again where it changes what a transport shows.
    fn event(&mut self, t: f64) -> Result<Option<String>, RunError> {
        const ROUNDS: usize = 10;
        if self.pipes.is_empty() {
            return event(&mut self.machine);
        }
        for _ in 0..ROUNDS {
            self.pipes.read(&mut self.machine).map_err(|stop| RunError::Event(t, stop))?;
            let outcome = event(&mut self.machine)?;
            if outcome.is_some() || !self.pipes.changed(&mut self.machine) {
                return Ok(outcome);
            }
        }
        Ok(None)
    }
}

impl OdeModel for RightSide {
    fn n(&self) -> usize {
        self.states.len().max(1)
    }

    fn rhs(&mut self, t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), ModelError> {
        self.next_try(t);
        let outcome = match self.machine.is_interrupted() {
            true => Err(Stop::Interrupted),
            false => self.evaluate(t, x, false),
        };
        if let Err(stop) = outcome {
            let recoverable = stop.recoverable();
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

    fn jacobian_pattern(&self) -> Option<Pattern> {
        self.derivatives.pattern.clone()
    }

    fn has_jacobian(&self) -> bool {
        self.derivatives.has_values()
    }

    fn jacobian(&mut self, t: f64, x: &[f64], values: &mut [f64]) -> Result<(), ModelError> {
        let mut dx = std::mem::take(&mut self.buffer);
        dx.resize(self.n(), 0.0);
        let mut outcome = self.rhs(t, x, &mut dx);
        if outcome.is_ok() && !self.derivatives.evaluate(&mut self.machine, values) {
            outcome = self.differences(t, x, &dx, values);
        }
        self.buffer = dx;
        outcome
    }

    fn keeps_jacobian(&self) -> bool {
        self.keeps_jacobian
    }

    fn nominal(&self, i: usize) -> f64 {
        self.states.get(i).map_or(1.0, |(x, _)| scales::usual(&self.machine, *x))
    }

    fn size(&self, i: usize) -> (usize, Size) {
        self.sizes.get(i).copied().unwrap_or((0, Size::Said(1.0)))
    }
}
