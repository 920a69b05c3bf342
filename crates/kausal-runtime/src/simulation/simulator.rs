//! A run in the hands of somebody else: it goes on to an instant, shows its values, is given others, and goes on.
//!
//! ```text
//! let mut simulator = Simulator::new(model, settings);
//! simulator.initialise(observer)?;
//! simulator.advance_to(0.5, observer)?;
//! simulator.set(u, 3.0)?;                        takes effect in an event at 0.5
//! simulator.advance_to(1.0, observer)?;
//! simulator.finish(observer)?;
//! ```
//!
//! Nothing is lost between two calls: the integrator goes on inside the step it has made, with its order and its step size. Only
//! where something was set does it begin anew, as behind every event. What was set waits for the next call that moves the run, so
//! that several values make one event ([`Simulator::settle`] does not wait).

use std::sync::Arc;

use kausal_symbolic::VarId;
use kausal_translate::Program;
use kausal_translate::program::Kind;

use super::right_side::RightSide;
use super::schedule::Schedule;
use super::{Observer, Run, RunError, Settings, Statistics};
use crate::compiled_model::CompiledModel;
use crate::inputs::{Given, InputError, Signal};
use crate::machine::{Machine, Stop};
use crate::tunable::{Overrides, Refused, Value, admits};

/// A run that is carried on step by step. See the [module](self).
pub struct Simulator {
    pub(super) run: Run,
    pub(super) model: Arc<CompiledModel>,
    /// Parameters and start values as they are now.
    pub(super) overrides: Overrides,
}

/// What was set from outside and waits for an event.
#[derive(Clone, Debug, Default)]
pub(super) struct Changes {
    parameters: Vec<(VarId, Value)>,
    inputs: Vec<(VarId, Given)>,
    states: Vec<(VarId, f64)>,
}

/// Where a run came to that goes on by parts of steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// There was an event.
    pub event: bool,
    /// It came to where it was to come, or the model has ended it.
    pub arrived: bool,
}

/// Why a variable does not take a value while the model runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NotSet {
    /// A parameter or start value: another translation is needed for it.
    Refused(Refused),
    /// An input that does not take the signal.
    Input(InputError),
    /// The variable is computed.
    Computed(VarId),
    /// Ticks of a clock come at distances that depend on the parameter.
    Clock(VarId),
}

impl Simulator {
    /// A run of a model; nothing is computed yet. What is set before [`initialise`](Simulator::initialise) are parameters, start
    /// values and inputs at the start.
    pub fn new(model: Arc<CompiledModel>, settings: Settings) -> Simulator {
        let overrides = (*settings.overrides).clone();
        Simulator { run: Run::new(model.clone(), settings), model, overrides }
    }

    /// Finds initial values; they are recorded.
    pub fn initialise(&mut self, observer: &mut dyn Observer) -> Result<(), RunError> {
        let outcome = self.run.begin(observer);
        self.run.shown = outcome.is_ok();
        self.said(outcome)
    }

    /// Goes on to an instant, behind the end of the settings too: all values are those there, and recorded. A model that ends
    /// itself comes no farther ([`is_terminated`](Simulator::is_terminated)).
    pub fn advance_to(&mut self, t: f64, observer: &mut dyn Observer) -> Result<(), RunError> {
        let outcome = self.go(t, observer);
        self.said(outcome)
    }

    fn go(&mut self, t: f64, observer: &mut dyn Observer) -> Result<(), RunError> {
        if t > self.run.settings.stop {
            self.run.extend_to(t)?;
        }
        self.run.take_effect(observer)?;
        self.run.run_to(t, true, observer)?;
        self.run.show(observer)
    }

    /// Goes on by a part of a step: up to its end, to the first event in it, or to an instant, whichever comes first. All
    /// values are those where the run is, where they are looked at; behind an event they were recorded last, and before these those in
    /// front of it.
    pub fn advance_towards(
        &mut self,
        t: f64,
        look: bool,
        observer: &mut dyn Observer,
    ) -> Result<Part, RunError> {
        self.run.pauses_at_events = true;
        let outcome = self.go_towards(t, look, observer);
        self.run.pauses_at_events = false;
        let (part, outcome) = match outcome {
            Ok(part) => (part, Ok(())),
            Err(error) => (Part::default(), Err(error)),
        };
        self.said(outcome).map(|()| part)
    }

    fn go_towards(&mut self, t: f64, look: bool, observer: &mut dyn Observer) -> Result<Part, RunError> {
        if t > self.run.settings.stop {
            self.run.extend_to(t)?;
        }
        self.run.take_effect(observer)?;
        let events = |run: &Run| run.stats.state_events + run.stats.time_events;
        let before = events(&self.run);
        if self.run.goes_on_to(t) {
            self.run.go_on(t, true, observer)?;
        }
        let arrived = !self.run.goes_on_to(t);
        if look || arrived {
            self.run.show(observer)?;
        }
        Ok(Part { event: events(&self.run) != before, arrived })
    }

    /// Goes on to an instant without a look at it: nothing is computed or recorded there that would not have been. What comes
    /// after it, in this run or in one that is restored, is bit for bit what would have come without a pause. Where events take effect
    /// at the ends of steps, the run pauses at the end of the step that comes to the instant.
    pub fn pause_at(&mut self, t: f64, observer: &mut dyn Observer) -> Result<(), RunError> {
        self.run.shown = false;
        let outcome = self.run.take_effect(observer).and_then(|()| self.run.run_to(t, false, observer));
        self.said(outcome)
    }

    /// Goes on to the end of the settings, which [`finish`](Simulator::finish) records.
    pub fn run_to_stop(&mut self, observer: &mut dyn Observer) -> Result<(), RunError> {
        self.run.shown = false;
        let outcome = self.run.run_to(self.run.settings.stop, false, observer);
        self.said(outcome)
    }

    /// The run ends here instead of where its settings say.
    pub fn set_stop(&mut self, stop: f64) -> Result<(), RunError> {
        if stop == self.run.settings.stop {
            return Ok(());
        }
        self.run.extend_to(stop)
    }

    /// What was set takes effect now, in an event.
    pub fn settle(&mut self, observer: &mut dyn Observer) -> Result<(), RunError> {
        let outcome = self.run.take_effect(observer);
        self.said(outcome)
    }

    /// The end of the run, wherever it is: `terminal()` becomes true.
    pub fn finish(&mut self, observer: &mut dyn Observer) -> Result<(), RunError> {
        let outcome = self.run.take_effect(observer).and_then(|()| self.run.finish(observer));
        self.said(outcome)
    }

    /// Gives a variable a value. An input keeps it, a parameter has it from here on, a state goes on from it; before the
    /// start, others that are not computed have it as their start value.
    pub fn set(&mut self, variable: VarId, value: impl Into<Value>) -> Result<(), NotSet> {
        let (value, program) = (value.into(), &self.model.program);
        let kind = program.variables[variable.index()].kind;
        let begun = self.run.first.is_none();
        let is_input = program.inputs.iter().any(|input| input.variable == variable);
        let mut candidates = program.state_sets.iter().flat_map(|set| &set.candidates);
        let is_state = kind == Kind::State || candidates.any(|c| *c == variable);
        if begun && (is_input || is_state) {
            let Value::Number(number) = value else { return Err(NotSet::Refused(Refused::Type(variable))) };
            match is_input {
                true => self.run.changes.input(variable, Given::Value(number)),
                false => self.run.changes.states.push((variable, number)),
            }
            return Ok(());
        }
        if begun && kind != Kind::Parameter {
            return Err(NotSet::Computed(variable));
        }
        let mut overrides = self.overrides.clone();
        overrides.set(program, variable, value.clone()).map_err(NotSet::Refused)?;
        admits(&self.model, &overrides).map_err(NotSet::Refused)?;
        if begun {
            moves_no_clock(&self.model, &self.overrides, &overrides).map_err(|()| NotSet::Clock(variable))?;
            self.run.changes.parameter(variable, value);
        } else {
            self.run.settings.overrides = Arc::new(overrides.clone());
            self.run.first = Some(Machine::with(self.model.clone(), &overrides));
        }
        self.overrides = overrides;
        Ok(())
    }

    /// Gives an input a signal from here on.
    pub fn set_signal(&mut self, input: VarId, signal: Signal) -> Result<(), NotSet> {
        let program: &Program = &self.model.program;
        signal.suits(program, input).map_err(NotSet::Input)?;
        if self.run.first.is_none() {
            self.run.changes.input(input, Given::Signal(signal));
            return Ok(());
        }
        let inputs = Arc::make_mut(&mut self.run.settings.inputs);
        inputs.set(program, input, signal).map_err(NotSet::Input)
    }

    /// Where the run is.
    pub fn time(&self) -> f64 {
        match (self.run.ended, self.machine()) {
            (Some(t), _) => t,
            // The integrator may have gone ahead of the event.
            (None, Some(machine)) if self.is_terminated() => machine.time,
            _ => self.run.now(),
        }
    }

    /// The value of a variable where the run is; none before there are any.
    pub fn value(&self, variable: VarId) -> Option<f64> {
        self.machine().map(|machine| machine.value(variable))
    }

    /// All values where the run is.
    pub fn machine(&self) -> Option<&Machine> {
        self.run.solver.as_ref().map(|solver| &solver.model().model().machine)
    }

    /// Has the model ended the run?
    pub fn is_terminated(&self) -> bool {
        self.run.stats.terminated.is_some()
    }

    /// The model that runs.
    pub fn model(&self) -> &Arc<CompiledModel> {
        &self.model
    }

    /// What it was asked for.
    pub fn settings(&self) -> &Settings {
        &self.run.settings
    }

    /// What functions of the model said since this was asked last.
    pub fn take_messages(&mut self) -> Vec<String> {
        self.run.externals.as_ref().map_or(Vec::new(), |externals| externals.take_messages())
    }

    /// What the run took so far.
    pub fn statistics(&mut self) -> Statistics {
        self.run.statistics()
    }

    /// Whatever failed after the run was to end, failed because of that.
    fn said(&self, outcome: Result<(), RunError>) -> Result<(), RunError> {
        outcome.map_err(|error| match self.run.settings.interrupt.is_requested() {
            true => RunError::Stopped(self.run.time()),
            false => error,
        })
    }
}

impl std::fmt::Debug for Simulator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Simulator")
            .field("model", &self.model.program.name)
            .field("time", &self.time())
            .finish_non_exhaustive()
    }
}

/// Are the distances of ticks the same with other parameters?
fn moves_no_clock(model: &Arc<CompiledModel>, before: &Overrides, after: &Overrides) -> Result<(), ()> {
    if model.clock_units_len == 0 {
        return Ok(());
    }
    let units = |overrides: &Overrides| {
        let mut machine = Machine::with(model.clone(), overrides);
        let mut units = vec![0.0; model.clock_units_len];
        let known = machine.run_once(crate::tunable::Once::Parameters);
        machine.evaluate(model.clock_units, &mut units);
        known.map(|()| units).map_err(|_| ())
    };
    if units(before)? == units(after)? { Ok(()) } else { Err(()) }
}

impl Changes {
    pub(super) fn is_empty(&self) -> bool {
        self.parameters.is_empty() && self.inputs.is_empty() && self.states.is_empty()
    }

    fn parameter(&mut self, variable: VarId, value: Value) {
        self.parameters.retain(|(v, _)| *v != variable);
        self.parameters.push((variable, value));
    }

    fn input(&mut self, variable: VarId, given: Given) {
        self.inputs.retain(|(v, _)| *v != variable);
        self.inputs.push((variable, given));
    }

    /// At an event: what was set is so from here on. Was anything?
    pub(super) fn apply(&mut self, side: &mut RightSide, schedule: &mut Schedule) -> Result<bool, RunError> {
        if self.is_empty() {
            return Ok(false);
        }
        let Changes { parameters, inputs, states } = std::mem::take(self);
        let machine = &mut side.machine;
        let failed = |machine: &Machine, stop: Stop| RunError::Event(machine.time, stop);
        if !parameters.is_empty() {
            machine.change_parameters(&parameters).map_err(|stop| failed(machine, stop))?;
            schedule.count_anew(machine).map_err(|stop| failed(machine, stop))?;
        }
        for (variable, given) in inputs {
            machine.change_input(variable, given);
        }
        if !states.is_empty() {
            machine.reinits = states;
            machine.reinitialise();
        }
        Ok(true)
    }
}

impl Run {
    /// What was set becomes an event where the run is.
    fn take_effect(&mut self, observer: &mut dyn Observer) -> Result<(), RunError> {
        if self.changes.is_empty() || self.stats.terminated.is_some() {
            return Ok(());
        }
        let t = self.now();
        self.give_up_rest()?;
        self.answers = super::relevance::Answers::default();
        self.pass_event(t, false, None, observer)?;
        self.shown = true;
        self.reached = t;
        Ok(())
    }

    /// All values are those where the run is, and recorded.
    fn show(&mut self, observer: &mut dyn Observer) -> Result<(), RunError> {
        if std::mem::replace(&mut self.shown, true) || self.stats.terminated.is_some() {
            return Ok(());
        }
        let t = self.now();
        self.reached = t;
        let evaluated = self.at(t, true);
        if self.ended.is_none() {
            evaluated?;
        }
        observer.record(self.machine()?);
        Ok(())
    }

    /// The end of the run is later than it was.
    fn extend_to(&mut self, stop: f64) -> Result<(), RunError> {
        self.settings.stop = stop;
        let now = self.now();
        let Some(solver) = &self.solver else { return Ok(()) };
        let machine = &solver.model().model().machine;
        if !self.settings.events_at_steps {
            self.foreseen.extend_to(stop);
            self.foreseen.look_ahead(machine, now);
            self.signals = super::Signals::new(machine, now, stop, self.settings.tolerance);
        }
        Ok(())
    }
}
