//! Carries a model through time: initial values, integration, events.
//!
//! Between events discrete variables and relations are constant and the integrator runs on smooth equations.
//! An event is an instant where a relation changes, a time event or a sample is due; there the discrete
//! section is iterated until nothing changes (specification section 8.6), and integration starts anew.

mod at_steps;
pub(crate) mod clocks;
mod continuation;
pub(crate) mod crossing;
mod defect;
mod delay;
mod differences;
mod direction;
mod domain_boundary;
mod emerging;
pub mod exchange;
mod foreseen;
mod homotopy;
pub mod inlined;
mod iteration;
mod outputs;
mod passage;
mod point;
pub(crate) mod relevance;
mod right_side;
mod rounding;
mod scales;
mod schedule;
mod selected;
pub mod sensitivity;
pub mod simulator;
pub mod snapshot;
mod start;
mod step_retry;
mod transport;

use std::path::PathBuf;
use std::sync::Arc;

use kausal_external::{RunFiles, StandardExternals};
use kausal_solver::events::EventFinder;
use kausal_solver::{Integrator, Method, ModelError, Options, SolverError};
use kausal_symbolic::VarId;
use kausal_symbolic::function::interrupt::Interrupt;
use serde::{Deserialize, Serialize};

use crate::compiled_model::CompiledModel;
use crate::jacobian::JacobianMode;
use crate::machine::{LostDigits, Machine, Stop, Undetermined, Warning};
use crate::selection;
use crate::tolerances::is_same_instant;
use crossing::Chatter;
use defect::DefectControl;
use foreseen::{Foreseen, Signals};
use inlined::Stepper;
use iteration::{event, finite, initialise};
use passage::Passage;
pub(crate) use point::settle_event;
pub use point::simulate_to;
use right_side::RightSide;
use schedule::Schedule;
use simulator::{Changes, Simulator};
pub(crate) use start::start_jacobian;
use step_retry::{Again, Barrier};

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
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
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
    /// Steps from the simplified initial problem of `homotopy` to the actual one; zero where there was none.
    pub homotopy_steps: u32,
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
    let mut simulator = Simulator::new(model, settings.clone());
    let mut result = simulator.initialise(observer);
    if result.is_ok() {
        result = simulator.run_to_stop(observer);
    }
    if result.is_ok() {
        result = simulator.finish(observer);
    }
    (simulator.statistics(), result)
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
    /// The step that was made and has not been gone through to its end.
    passage: Option<Passage>,
    /// Up to here values were given out on demand: that is the past.
    reached: f64,
    /// These values were recorded last.
    shown: bool,
    /// Steps are gone through up to each event in them, whatever it changes.
    pauses_at_events: bool,
    /// What was set from outside and has not taken effect.
    changes: Changes,
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
    /// Differences of the relations, for a look at the end of a step; and up to where they may have the other sign.
    differences: Vec<f64>,
    near: Vec<f64>,
    /// The relations that crossed at the event that has just passed.
    just_crossed: Vec<u32>,
    /// The bands of the finder where the step begins.
    bands: Vec<f64>,
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
    path: continuation::Path,
    defects: DefectControl,
    /// Where functions that are zero begin: states and their derivatives.
    departure: Option<direction::Departure>,
    flights: direction::Flights,
    emerging: emerging::Emerging,
    /// Carries derivatives along.
    follower: Option<Box<sensitivity::Follower>>,
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
            near: Vec::new(),
            just_crossed: Vec::new(),
            bands: Vec::new(),
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
            departure: None,
            flights: direction::Flights::default(),
            emerging: emerging::Emerging::default(),
            follower: None,
            path: continuation::Path::new(&model),
            first: Some(Machine::with(model, &settings.overrides)),
            settings,
            solver: None,
            stats: Statistics::default(),
            next_output: 1,
            passage: None,
            pauses_at_events: false,
            reached: f64::NEG_INFINITY,
            shown: false,
            changes: Changes::default(),
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

    /// Initial values, the first event, and an integrator that begins there.
    fn begin(&mut self, observer: &mut dyn Observer) -> Result<(), RunError> {
        let Some(mut machine) = self.first.take() else { return Ok(()) };
        self.furnish(&mut machine);
        if let Err(stop) = initialise(&mut machine) {
            self.stats.warnings = machine.all_warnings();
            self.stats.newton_iterations = machine.newton_iterations;
            self.stats.nonlinear_failures = machine.newton_failures;
            self.stats.undetermined = std::mem::take(&mut machine.undetermined);
            return Err(RunError::Initial(stop));
        }
        self.stats.homotopy_steps = machine.homotopy_steps;
        if let Some(follower) = &mut self.follower {
            follower.begin(&mut machine).map_err(RunError::Initial)?;
        }
        // The choice that was made at translation may be singular right here.
        machine.reselect();
        self.schedule = Schedule::start(&mut machine);
        self.schedule.check(&machine).map_err(RunError::Initial)?;
        machine.clocks = clocks::Clocks::start(&mut machine).map_err(RunError::Initial)?;
        self.schedule.mark_due(&mut machine);
        machine.starting = true;
        let before = self.follower.is_some().then(|| machine.twin());
        let outcome = event(&mut machine);
        observer.record(&machine);
        self.stats.warnings = machine.all_warnings();
        self.stats.terminated = outcome.map_err(|error| match error {
            RunError::Event(_, stop) => RunError::Initial(stop),
            other => other,
        })?;
        machine.reselect();
        if let (Some(follower), Some(before)) = (&mut self.follower, before) {
            follower.depart(&before, &machine)?;
        }
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
        self.make_solver(machine)?;
        self.note_derivatives()?;
        self.check_past()?;
        self.begin_path()?;
        self.watch()
    }

    /// What the memory of a run is told before anything is computed.
    fn furnish(&mut self, machine: &mut Machine) {
        machine.time = self.settings.start;
        machine.take_inputs(&self.settings.inputs);
        self.externals = Some(machine.furnish(&self.settings.files, &self.settings.interrupt));
        machine.trusts = self.settings.trust_torn;
        // It takes the derivative by time from differences, and corrects nothing afterwards.
        machine.careful = self.settings.method == Method::Rosenbrock;
    }

    /// The integrator of a run, from the values of its memory.
    fn make_solver(&mut self, machine: Machine) -> Result<(), RunError> {
        // An inlined step has matrices of its own.
        let own = self.settings.method != Method::Rosenbrock;
        let inlined = own && self.settings.inlined && machine.model().discretized.is_some();
        let jacobian = if inlined { JacobianMode::NumericDense } else { self.settings.jacobian };
        let side = RightSide::new(machine, jacobian, self.settings.method).measured(&self.settings.relative);
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
        Ok(())
    }

    /// Are delays what they may be?
    fn check_past(&mut self) -> Result<(), RunError> {
        let side = self.side()?;
        side.past.check(&side.machine).map_err(RunError::Initial)
    }

    /// Goes on up to an instant: a step may go beyond it, and is gone through up to there. Will the values there be asked for?
    fn run_to(&mut self, target: f64, asked: bool, observer: &mut dyn Observer) -> Result<(), RunError> {
        while self.goes_on_to(target) {
            self.go_on(target, asked, observer)?;
        }
        Ok(())
    }

    /// Goes on by a part of a step, where the run is not over.
    fn go_on(&mut self, target: f64, asked: bool, observer: &mut dyn Observer) -> Result<(), RunError> {
        if let Err(error) = self.advance(target, asked, observer) {
            // `terminate` outside of events ends the run well, too.
            if self.ended.is_none() {
                return Err(error);
            }
            observer.record(self.machine()?);
            return Ok(());
        }
        self.shown = false;
        if !observer.proceed(self.now()) {
            return Err(RunError::Stopped(self.now()));
        }
        Ok(())
    }

    /// Is there anything left of the run up to an instant?
    fn goes_on_to(&self, target: f64) -> bool {
        self.is_before(target) && self.now() < self.settings.stop && self.stats.terminated.is_none()
    }

    /// Where the integrator is.
    fn time(&self) -> f64 {
        self.solver.as_ref().map_or(self.settings.start, Solver::t)
    }

    /// Up to where its steps have been gone through.
    fn now(&self) -> f64 {
        self.passage.as_ref().map_or_else(|| self.time(), |passage| passage.shown)
    }

    /// Is there anything to do up to an instant? The end of the run is reached exactly.
    fn is_before(&self, target: f64) -> bool {
        let now = self.now();
        now < target && (target >= self.settings.stop || !is_same_instant(now, target))
    }

    fn solver(&mut self) -> Result<&mut Solver, RunError> {
        let t = self.settings.start;
        self.solver.as_mut().ok_or_else(|| RunError::Stopped(t))
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
            let (length, crossed) = (self.length(), self.crossed());
            if self.chatter.count(t, length, &crossed) {
                return Err(RunError::Chattering(t, self.crossed()));
            }
        } else {
            self.stats.time_events += 1;
        }
        let flood = !crossed && self.chatter.count_known(t, self.length());
        let unreached = states.is_some();
        let states = self.values_before(t, crossed, states)?;
        self.follow_derivatives(t)?;
        self.derivatives_reach(t)?;
        if !std::mem::take(&mut self.shown) {
            observer.record(self.machine()?);
            self.note_derivatives()?;
        }
        self.keep_held();
        if let Some(states) = states {
            self.side()?.place(&states);
        }
        self.just_crossed.clear();
        if crossed {
            self.flip(t)?;
            self.just_crossed = self.crossed();
        }
        let Some(solver) = self.solver.as_mut() else { return Ok(true) };
        let side = solver.model_mut().model_mut();
        self.schedule.mark_due(&mut side.machine);
        self.foreseen.mark_due(&mut side.machine);
        let turned = side.machine.turn_inputs(t) | self.changes.apply(side, &mut self.schedule)?;
        if flood && !turned {
            return Err(RunError::Chattering(t, crossing::announced(&side.machine)));
        }
        side.past.turn(t);
        side.past.read(&mut side.machine);
        side.pipes.turn();
        let before = self.follower.is_some().then(|| side.machine.twin());
        let stood = side.state();
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
        let mut hit = false;
        if noticed {
            self.defects.forget();
            let solver = self.solver()?;
            let state = solver.model().model().state();
            hit = !selected && state != stood;
            solver.restart(t, &state);
        }
        if crossed {
            self.begin_flights(t, hit)?;
        }
        if let Some(before) = before.filter(|_| self.stats.terminated.is_none()) {
            let crossed = std::mem::take(&mut self.just_crossed);
            self.derivatives_behind(t, &before, &crossed)?;
            self.just_crossed = crossed;
            self.note_derivatives()?;
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
    fn asked_from(&mut self, target: Option<f64>) -> Result<f64, RunError> {
        let next = self.next_output_point().into_iter().chain(target);
        let next = next.reduce(f64::min);
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
        let solver = self.solver.as_mut().ok_or_else(|| RunError::Stopped(now))?;
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
        let solver = self.solver.as_mut().ok_or_else(|| RunError::Stopped(now))?;
        Ok(self.signals.end_of_calm(&solver.model().model().machine, now))
    }

    /// Keeps what is delayed for later, at the end of a step and inside it.
    fn keep_past(&mut self, t0: f64, t1: f64) -> Result<(), RunError> {
        if !self.side()?.remembers() || t1 <= t0 {
            return Ok(());
        }
        self.side()?.past.forget(t0);
        self.side()?.pipes.forget();
        let (lengths, pipes) = (self.side()?.past.lengths(), self.side()?.pipes.clone());
        let parts = delay::INSIDE + 1;
        self.keep_parts(t0, t1, parts)?;
        let tolerance = self.settings.tolerance;
        let side = self.side()?;
        let times = side.past.refinement(&side.machine, tolerance);
        let times = times.max(side.pipes.refinement(&side.machine, tolerance));
        if times > 1 {
            side.past.shorten(&lengths);
            side.pipes = pipes;
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
        let (begin, end) = (solver.t_old(), solver.t());
        let side = solver.model_mut().model_mut();
        // Of the instants that are known, that where the step begins may be the nearest.
        if side.guessed_at == begin && t < end && t - begin < (side.machine.time - t).abs() {
            side.forget_step();
        }
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
        let t = self.now();
        // `terminate` ends a run well: everything is as its event left it, and that is the end.
        let terminated = self.stats.terminated.is_some();
        if !terminated {
            self.at(t, true)?;
            self.follow_derivatives(t)?;
            self.derivatives_reach(t)?;
        }
        let machine = self.machine()?;
        if terminated && machine.model().program.terminal_flag.is_none() {
            return Ok(());
        }
        let mut outcome = Ok(None);
        if let Some(flag) = machine.model().program.terminal_flag {
            machine.values[flag.index()] = 1.0;
            outcome = event(machine);
        } else if self.shown {
            return Ok(());
        }
        observer.record(self.machine()?);
        self.note_derivatives()?;
        self.shown = true;
        outcome.map(|_| ())
    }

    fn next_time_event(&mut self) -> Result<f64, RunError> {
        let now = self.time();
        let start = self.settings.start;
        let solver = self.solver.as_mut().ok_or_else(|| RunError::Stopped(start))?;
        let machine = &mut solver.model_mut().model_mut().machine;
        let scheduled = self.schedule.next(machine, now).min(machine.next_input_break());
        Ok(self.foreseen.next(scheduled))
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
        stats.end = self.ended.unwrap_or_else(|| self.now());
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
