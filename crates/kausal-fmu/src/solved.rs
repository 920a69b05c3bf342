//! Co-Simulation: the model goes on by itself, with the integrators of `kausal simulate`.

use std::sync::Arc;

use kausal::{Diagnostic, Method, Overrides, Request, tune};
use kausal_runtime::inputs::Signal;
use kausal_runtime::simulation::simulator::NotSet;
use kausal_runtime::tunable::Value;
use kausal_runtime::{
    CompiledModel, Inputs, Interrupt, Machine, Observer, RunError, RunFiles, Simulator, Snapshot,
    Surroundings,
};
use kausal_symbolic::VarId;

use crate::instance::Span;

/// A run on its way.
#[derive(Debug)]
pub struct Solved {
    simulator: Simulator,
    /// Something was set that has not taken effect.
    waiting: bool,
    /// Values of inputs among it.
    given: Vec<(VarId, f64)>,
}

/// Nobody records anything: values are asked for.
struct Nobody;

/// Keeps the values before an event, which are recorded in front of those behind it.
#[derive(Debug, Default)]
struct Sides {
    before: Vec<f64>,
    behind: Vec<f64>,
}

impl Observer for Sides {
    fn record(&mut self, machine: &Machine) {
        std::mem::swap(&mut self.before, &mut self.behind);
        self.behind.clone_from(&machine.values);
    }
}

/// Where a part of a step came to.
#[derive(Debug)]
pub struct Part {
    /// The values before the event at its end, where there is one.
    pub event: Option<Vec<f64>>,
    /// It is all of the step that there is.
    pub ends: bool,
}

impl Observer for Nobody {
    fn record(&mut self, _: &Machine) {}
}

/// Two instants that are the same but for rounding, as a part of the step between them.
const SAME: f64 = 1e-6;

impl Solved {
    /// Initial values, and the first event.
    pub fn start(
        model: &Arc<CompiledModel>,
        overrides: &Overrides,
        span: Span,
        (method, step): (Method, f64),
        interrupt: &Interrupt,
    ) -> Result<Result<Solved, RunError>, Diagnostic> {
        let experiment = model.program.experiment;
        let length = experiment.stop.unwrap_or(1.0) - experiment.start.unwrap_or(0.0);
        let request = Request {
            start: Some(span.start),
            stop: Some(span.stop.unwrap_or(span.start + length)),
            tolerance: span.tolerance,
            method,
            step: (step != 0.0).then_some(step),
            ..Request::default()
        };
        let inlined = model.program.discretized.is_some();
        let mut settings = request.settings(request.method()?, &experiment, &mut Vec::new())?;
        settings.inlined = inlined;
        settings.overrides = Arc::new(overrides.clone());
        settings.interrupt = interrupt.clone();
        let mut simulator = Simulator::new(model.clone(), settings);
        let begun = simulator.initialise(&mut Nobody);
        Ok(begun.map(|()| Solved { simulator, waiting: false, given: Vec::new() }))
    }

    /// All values where it is.
    pub fn machine(&self) -> Option<&Machine> {
        self.simulator.machine()
    }

    /// Where it is.
    pub fn time(&self) -> f64 {
        self.simulator.time()
    }

    /// What it runs.
    pub fn simulator(&self) -> &Simulator {
        &self.simulator
    }

    /// Is a step to begin where the last one ended?
    pub fn is_at(&self, t: f64, step: f64) -> bool {
        (t - self.time()).abs() <= SAME * step.abs().max(f64::EPSILON * t.abs())
    }

    /// Gives an input or a parameter a value. The error says why not.
    pub fn set(&mut self, v: VarId, value: Value) -> Result<(), String> {
        if let Value::Number(number) = value {
            self.given.push((v, number));
        }
        self.simulator.set(v, value).map_err(|why| self.words(why))?;
        self.waiting = true;
        Ok(())
    }

    fn words(&self, why: NotSet) -> String {
        match why {
            NotSet::Refused(why) => {
                tune::refusal(&self.simulator.model().program, "it", why).diagnostic().message
            }
            NotSet::Input(_) => "the input does not take such a value".to_owned(),
            NotSet::Computed(_) => "it is computed".to_owned(),
            NotSet::Clock(_) => "ticks of a clock come at distances that depend on it".to_owned(),
        }
    }

    /// What was set takes effect.
    pub fn settle(&mut self) -> Result<(), RunError> {
        match self.takes_effect() {
            true => self.simulator.settle(&mut Nobody),
            false => Ok(()),
        }
    }

    /// What was set does, with what comes now; was anything?
    fn takes_effect(&mut self) -> bool {
        self.given.clear();
        std::mem::take(&mut self.waiting)
    }

    /// Goes on to an instant.
    pub fn advance(&mut self, t: f64) -> Result<(), RunError> {
        self.takes_effect();
        self.simulator.advance_to(t, &mut Nobody)
    }

    /// Goes on towards an instant by a step of the integrator, or up to the first event. Will the values there be asked for?
    pub fn advance_towards(&mut self, t: f64, look: bool) -> Result<Part, RunError> {
        self.takes_effect();
        let mut sides = Sides::default();
        if let Some(machine) = self.simulator.machine() {
            sides.behind.clone_from(&machine.values);
        }
        let part = self.simulator.advance_towards(t, look, &mut sides)?;
        Ok(Part { event: part.event.then_some(sides.before), ends: part.arrived })
    }

    /// An input changes by a slope from here on. The error says why not.
    pub fn set_slope(&mut self, v: VarId, slope: f64) -> Result<(), String> {
        let given = self.given.iter().rev().find(|(given, _)| *given == v).map(|(_, value)| *value);
        let Some(value) = given.or_else(|| self.simulator.value(v)) else { return Ok(()) };
        let line = Signal::line(self.time(), value, slope);
        self.simulator.set_signal(v, line).map_err(|why| self.words(why))?;
        self.waiting = true;
        Ok(())
    }

    /// The state where it is, after what was set has taken effect.
    pub fn snapshot(&mut self) -> Result<Result<Snapshot, String>, RunError> {
        self.settle()?;
        let not_saved = |why| kausal::saved::not_saved(&self.simulator.model().program, &why).message;
        Ok(self.simulator.snapshot().map_err(not_saved))
    }

    /// A run that goes on from a state.
    pub fn restore(
        model: &Arc<CompiledModel>,
        snapshot: &Snapshot,
        interrupt: &Interrupt,
    ) -> Result<Solved, String> {
        let (files, inputs) = (RunFiles::default(), Arc::new(Inputs::new()));
        let around = Surroundings { files, inputs, interrupt: interrupt.clone() };
        let restored = Simulator::restore(model.clone(), snapshot, around);
        let simulator = restored.map_err(|why| why.to_string())?;
        Ok(Solved { simulator, waiting: false, given: Vec::new() })
    }

    /// The end.
    pub fn finish(&mut self) -> Result<(), RunError> {
        self.simulator.finish(&mut Nobody)
    }

    /// What the model said when it ended the run.
    pub fn terminated(&mut self) -> Option<String> {
        self.simulator.is_terminated().then(|| self.simulator.statistics().terminated.unwrap_or_default())
    }

    /// What functions of the model said since this was asked last.
    pub fn take_messages(&mut self) -> Vec<String> {
        self.simulator.take_messages()
    }
}
