//! A model whose time and states are in somebody else's hands: what a solver from outside needs of it.
//!
//! This is the interface of Model Exchange (FMI 3.0, chapter 3): time, states and inputs are set, derivatives and indicators of
//! events are asked for, events are handled where the solver says that there is one. [`simulate`](crate::simulate) has its own
//! integrators and finds events itself; what happens in an event is the same code for both.
//!
//! ```text
//! Exchange::initialise    initial values
//! event                   the first event, and every later one
//! set_time, set_states    any number of times, back and forth within a step
//!   derivatives, indicators, value
//! complete_step           the solver goes on from here
//! ```
//!
//! **Indicators have a hysteresis.** The relation `d < 0` has the indicator `d + band` while it is false and `d - band` while it
//! is true. So an indicator is never zero behind its own event, and where it changes its sign the difference is past zero by more than
//! what may be rounding: the event sees the new side. Bands change at events only.

mod saved;

use std::sync::Arc;

use kausal_external::{RunFiles, StandardExternals};
use kausal_solver::linear::Pattern;
use kausal_solver::{Method, Reason};
use kausal_symbolic::VarId;
use kausal_symbolic::function::interrupt::Interrupt;
use kausal_translate::program::Kind;
use serde::{Deserialize, Serialize};

use super::RightSide;
use super::RunError;
use super::clocks::Clocks;
use super::foreseen::Foreseen;
use super::iteration::{event, finite, first_not_finite, initialise};
use super::schedule::Schedule;
use crate::compiled_model::CompiledModel;
use crate::jacobian::{Dependencies, JacobianMode};
use crate::machine::{Failure, Machine, Stop};
use crate::selection;
use crate::tangent::Tangent;
use crate::tolerances::{is_same_instant, is_same_point};
use crate::tunable::{Overrides, Value};

/// The band of an indicator, in units of what may be rounding of its relation: an event there is past the rounding by the
/// others, whatever the last digits of the solver's states are.
const BAND: f64 = 4.0;

/// A model in somebody else's hands. See the [module](self).
#[derive(Debug)]
pub struct Exchange {
    /// Until the first event.
    first: Option<Machine>,
    /// From then on.
    side: Option<RightSide>,
    schedule: Schedule,
    externals: Arc<StandardExternals>,
    known: Known,
    /// Relations with an indicator, by their places in the program.
    watched: Vec<u32>,
    bands: Vec<f64>,
    derivatives: Option<Directional>,
    /// The event that was announced last.
    announced: Option<f64>,
    /// When relations of time alone change: that is announced, so that it happens together with what else is due at that instant.
    foreseen: Foreseen,
    /// How long a run is, as far as anybody says.
    length: f64,
}

/// What has been computed at this instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
enum Known {
    Nothing,
    Derivatives,
    Everything,
}

/// What an event led to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Update {
    /// The model ended the run, with these words.
    pub terminated: Option<String>,
    /// States have other values than before.
    pub states_changed: bool,
    /// States stand for other variables than before.
    pub states_selected: bool,
    /// There is another event at this very instant.
    pub again: bool,
    /// The next instant at which there is an event whatever the states are.
    pub next: Option<f64>,
}

/// Derivatives of some variables by others.
#[derive(Debug)]
struct Directional {
    known: Vec<VarId>,
    unknown: Vec<VarId>,
    tangent: Tangent,
}

/// The relations that a solver looks for crossings of.
pub fn watched(program: &kausal_translate::Program) -> Vec<u32> {
    let relations = (0..).zip(&program.relations);
    relations.filter(|(_, relation)| relation.timed.is_none()).map(|(i, _)| i).collect()
}

impl Exchange {
    /// Finds initial values at an instant. The first event is still to come: [`Exchange::event`]. Where nobody says when the run ends,
    /// it is as long as the experiment of the model.
    pub fn initialise(
        model: Arc<CompiledModel>,
        overrides: &Overrides,
        start: f64,
        stop: Option<f64>,
        files: &RunFiles,
        interrupt: &Interrupt,
    ) -> Result<Exchange, RunError> {
        let watched = watched(&model.program);
        let experiment = model.program.experiment;
        let usual = experiment.stop.unwrap_or(1.0) - experiment.start.unwrap_or(0.0);
        let length = stop.map_or(usual, |stop| stop - start);
        let mut machine = Machine::with(model, overrides);
        machine.time = start;
        let externals = machine.furnish(files, interrupt);
        initialise(&mut machine).map_err(RunError::Initial)?;
        machine.reselect();
        let mut schedule = Schedule::start(&mut machine);
        schedule.check(&machine).map_err(RunError::Initial)?;
        machine.clocks = Clocks::start(&mut machine).map_err(RunError::Initial)?;
        schedule.mark_due(&mut machine);
        machine.starting = true;
        let foreseen = Foreseen::new(&machine, start, start + length);
        Ok(Exchange {
            foreseen,
            length,
            first: Some(machine),
            side: None,
            schedule,
            externals,
            known: Known::Everything,
            bands: vec![0.0; watched.len()],
            watched,
            derivatives: None,
            announced: None,
        })
    }

    /// All values as they were computed last.
    pub fn machine(&self) -> &Machine {
        match (&self.first, &self.side) {
            (Some(machine), _) => machine,
            (None, Some(side)) => &side.machine,
            (None, None) => unreachable!("one of them is there"),
        }
    }

    fn machine_mut(&mut self) -> &mut Machine {
        match (&mut self.first, &mut self.side) {
            (Some(machine), _) => machine,
            (None, Some(side)) => &mut side.machine,
            (None, None) => unreachable!("one of them is there"),
        }
    }

    /// What functions of the model said since this was asked last.
    pub fn take_messages(&mut self) -> Vec<String> {
        self.externals.take_messages()
    }

    /// Where it is.
    pub fn time(&self) -> f64 {
        self.machine().time
    }

    /// Moves the clock.
    pub fn set_time(&mut self, t: f64) {
        if t.to_bits() == self.time().to_bits() {
            return;
        }
        self.known = Known::Nothing;
        match &mut self.side {
            Some(side) => {
                side.next_try(t);
                side.machine.set_time(t);
            }
            None => self.machine_mut().set_time(t),
        }
    }

    /// How many states there are.
    pub fn states_len(&self) -> usize {
        self.machine().model().program.states.len()
    }

    /// The states, in the order of the program.
    pub fn states(&self, out: &mut [f64]) {
        let machine = self.machine();
        for (out, state) in out.iter_mut().zip(&machine.model().program.states) {
            *out = machine.values[state.variable.index()];
        }
    }

    /// Moves the states.
    pub fn set_states(&mut self, states: &[f64]) {
        self.known = Known::Nothing;
        let machine = self.machine_mut();
        let model = machine.model().clone();
        for (value, state) in states.iter().zip(&model.program.states) {
            machine.values[state.variable.index()] = *value;
        }
    }

    /// Gives an input a value, or a state.
    pub fn set(&mut self, variable: VarId, value: f64) {
        let machine = self.machine_mut();
        let (slot, value) = match machine.model().program.variables[variable.index()].kind {
            Kind::Alias(alias) if alias.negated => (alias.target, -value),
            Kind::Alias(alias) => (alias.target, value),
            _ => (variable, value),
        };
        if machine.values[slot.index()].to_bits() != value.to_bits() {
            machine.values[slot.index()] = value;
            self.known = Known::Nothing;
        }
    }

    /// Parameters have other values from here on; the event that follows sees them.
    pub fn change_parameters(&mut self, values: &[(VarId, Value)]) -> Result<(), Stop> {
        self.known = Known::Nothing;
        self.derivatives = None;
        let schedule = &mut self.schedule;
        let machine = match (&mut self.first, &mut self.side) {
            (Some(machine), _) => machine,
            (None, Some(side)) => &mut side.machine,
            (None, None) => return Ok(()),
        };
        machine.change_parameters(values)?;
        schedule.count_anew(machine)
    }

    /// Gives an input of texts its value.
    pub fn set_text(&mut self, variable: VarId, text: &str) {
        let machine = self.machine_mut();
        let model = machine.model().clone();
        let number = machine.calls.number(&model.program.pool, &Arc::from(text));
        self.set(variable, number);
    }

    /// Computes what is asked for, if it is not known.
    fn compute(&mut self, wanted: Known) -> Result<(), Stop> {
        if self.known >= wanted {
            return Ok(());
        }
        let outputs = wanted == Known::Everything;
        match &mut self.side {
            Some(side) => {
                let (t, states) = (side.machine.time, side.state());
                side.machine.exact = outputs;
                let outcome = match side.machine.is_interrupted() {
                    true => Err(Stop::Interrupted),
                    false => side.evaluate(t, &states, outputs),
                };
                side.machine.exact = false;
                outcome?;
            }
            // Before the first event an input may be given another value than the initial problem had.
            None => {
                let machine = self.machine_mut();
                let model = machine.model().clone();
                machine.run(&model.dynamics, crate::machine::Mode::Continuous)?;
                machine.run(&model.outputs, crate::machine::Mode::Continuous)?;
            }
        }
        if outputs {
            finite(self.machine())?;
        }
        self.known = wanted;
        Ok(())
    }

    /// Derivatives of the states, in their order.
    pub fn derivatives(&mut self, out: &mut [f64]) -> Result<(), Stop> {
        self.compute(Known::Derivatives)?;
        let machine = self.machine();
        for (out, state) in out.iter_mut().zip(&machine.model().program.states) {
            *out = machine.values[state.derivative.index()];
            if !out.is_finite() {
                let unknowns = vec![first_not_finite(machine, state.derivative)];
                return Err(Stop::Failed(Failure { reason: Reason::NotFinite, unknowns, residual: None }));
            }
        }
        Ok(())
    }

    /// How many indicators there are.
    pub fn indicators_len(&self) -> usize {
        self.watched.len()
    }

    /// Indicators of events: where one changes its sign, there is an event.
    pub fn indicators(&mut self, out: &mut [f64]) -> Result<(), Stop> {
        self.compute(Known::Derivatives)?;
        let machine = self.machine();
        let relations = &machine.model().program.relations;
        for ((out, &i), band) in out.iter_mut().zip(&self.watched).zip(&self.bands) {
            let relation = &relations[i as usize];
            let holds = machine.values[relation.variable.index()] != 0.0;
            let difference = machine.values[relation.difference.index()];
            // Nothing crosses what is not a number; what depends on it is refused at events.
            let difference = if difference.is_nan() { 0.0 } else { difference };
            *out = if holds { difference - band } else { difference + band };
        }
        Ok(())
    }

    /// One indicator.
    pub fn indicator(&mut self, index: usize) -> Result<f64, Stop> {
        let mut all = vec![0.0; self.watched.len()];
        self.indicators(&mut all)?;
        Ok(all.get(index).copied().unwrap_or(0.0))
    }

    /// The value of any variable.
    pub fn value(&mut self, variable: VarId) -> Result<f64, Stop> {
        self.compute(Known::Everything)?;
        Ok(self.machine().value(variable))
    }

    /// The value of a variable that holds texts.
    pub fn text(&mut self, variable: VarId) -> Result<String, Stop> {
        self.compute(Known::Everything)?;
        Ok(self.machine().text_of(variable).unwrap_or_default())
    }

    /// The solver has made a step and goes on from here. Is an event needed, because other states are?
    pub fn complete_step(&mut self) -> Result<bool, Stop> {
        self.compute(Known::Derivatives)?;
        let now = self.time();
        let Some(side) = &mut self.side else { return Ok(false) };
        side.keep_guesses(now);
        if side.remembers() {
            side.past.keep(&side.machine);
            side.pipes.keep(&side.machine);
            side.past.forget(now);
            side.pipes.forget();
            let schedule = &mut self.schedule;
            side.past.settle(&side.machine, HISTORY_TOLERANCE, |instant| schedule.add_break(instant));
        }
        let sets = !side.machine.model().program.state_sets.is_empty();
        Ok(sets && side.machine.selection_quality() < selection::WORSE)
    }

    /// The event at this instant: what is due, and all that follows from it. Afterwards everything has come to rest.
    pub fn event(&mut self) -> Result<Update, RunError> {
        if let Some(instant) = self.announced.filter(|instant| is_same_point(*instant, self.time())) {
            self.set_time(instant);
        }
        let t = self.time();
        let mut update = Update::default();
        if let Some(mut machine) = self.first.take() {
            let before = states(&machine);
            let outcome = event(&mut machine);
            let outcome = outcome.map_err(|error| match error {
                RunError::Event(_, stop) => RunError::Initial(stop),
                other => other,
            });
            if outcome.is_err() {
                self.first = Some(machine);
                update.terminated = outcome?;
                return Ok(update);
            }
            update.terminated = outcome?;
            update.states_selected = machine.reselect();
            update.states_changed = before != states(&machine);
            // Steps are somebody else's: where a delay is longer than what is known, its past is continued.
            let side = RightSide::new(machine, JacobianMode::NumericDense, Method::ExplicitEuler);
            side.past.check(&side.machine).map_err(RunError::Initial)?;
            self.side = Some(side);
        } else {
            match self.compute(Known::Everything) {
                Ok(()) => {}
                Err(Stop::Terminate(message)) => {
                    update.terminated = Some(message);
                    return Ok(update);
                }
                Err(stop) => return Err(RunError::Event(t, stop)),
            }
            let Some(side) = &mut self.side else { return Ok(update) };
            let before = states(&side.machine);
            if side.remembers() {
                // Whoever goes by a grid has completed a step a little later, or no step at all: the past ends here, before the event.
                side.past.end_at(&side.machine);
                side.pipes.keep(&side.machine);
            }
            self.schedule.mark_due(&mut side.machine);
            self.foreseen.mark_due(&mut side.machine);
            side.past.turn(t);
            side.past.read(&mut side.machine);
            side.pipes.turn();
            update.terminated = side.event(t)?;
            update.states_selected = side.machine.reselect();
            let schedule = &mut self.schedule;
            side.past.begin(&side.machine, |instant| schedule.add_break(instant));
            side.pipes.begin(&mut side.machine);
            update.states_changed = before != states(&side.machine);
        }
        self.known = Known::Everything;
        self.set_bands();
        if let Some(side) = &mut self.side {
            side.keep_guesses(t);
            self.foreseen.reach(t, self.length);
            self.foreseen.look_ahead(&side.machine, t);
            let next = self.foreseen.next(self.schedule.next(&mut side.machine, t));
            update.again = next <= t || is_same_instant(next, t);
            update.next = (next.is_finite() && !update.again).then_some(next);
            self.announced = update.next;
        }
        Ok(update)
    }

    fn set_bands(&mut self) {
        let watched = std::mem::take(&mut self.watched);
        let machine = self.machine();
        self.bands = watched.iter().map(|&i| BAND * machine.rounding_of(i)).collect();
        self.watched = watched;
    }

    /// The derivatives of some variables along a direction of others (states and inputs), here; `None` where the program cannot be
    /// differentiated.
    pub fn along(
        &mut self,
        unknown: &[VarId],
        known: &[VarId],
        direction: &[f64],
        out: &mut [f64],
    ) -> Result<Option<()>, Stop> {
        // Factors of linear systems are those of the point.
        self.known = Known::Nothing;
        self.compute(Known::Everything)?;
        let same = |d: &Directional| d.known == known && d.unknown == unknown;
        if !self.derivatives.as_ref().is_some_and(same) {
            self.derivatives = Directional::new(self.machine().model(), known, unknown);
        }
        let Some(mut derivatives) = self.derivatives.take() else { return Ok(None) };
        let outcome = derivatives.along(self.machine_mut(), direction, out);
        self.derivatives = Some(derivatives);
        outcome.map(Some)
    }
}

/// The relative error that slopes in the past are told apart with.
const HISTORY_TOLERANCE: f64 = 1e-6;

fn states(machine: &Machine) -> Vec<u64> {
    let states = machine.model().program.states.iter();
    states.map(|state| machine.values[state.variable.index()].to_bits()).collect()
}

impl Directional {
    fn new(model: &CompiledModel, known: &[VarId], unknown: &[VarId]) -> Option<Directional> {
        let program = &model.program;
        let slot = |v: VarId| match program.variables[v.index()].kind {
            Kind::Alias(alias) => alias.target,
            _ => v,
        };
        let slots = |all: &[VarId]| all.iter().map(|&v| slot(v)).collect::<Vec<VarId>>();
        let (from, to) = (slots(known), slots(unknown));
        let sections = [&program.dynamics[..], &program.outputs[..]];
        let dependencies = Dependencies::on(program, &from, false, &sections)?;
        let pattern = Pattern::new(1, std::iter::empty::<(usize, usize)>());
        let tangent = Tangent::by(model, &dependencies, pattern, &from, &to, &sections, false).ok()?;
        Some(Directional { known: known.to_vec(), unknown: unknown.to_vec(), tangent })
    }

    fn along(&mut self, machine: &mut Machine, direction: &[f64], out: &mut [f64]) -> Result<(), Stop> {
        let model = machine.model().clone();
        let sign = |v: &VarId| match model.program.variables[v.index()].kind {
            Kind::Alias(alias) if alias.negated => -1.0,
            _ => 1.0,
        };
        let seeds: Vec<f64> = self.known.iter().zip(direction).map(|(v, part)| sign(v) * part).collect();
        self.tangent.along(machine, &seeds, out)?;
        self.unknown.iter().zip(out).for_each(|(v, value)| *value *= sign(v));
        Ok(())
    }
}
