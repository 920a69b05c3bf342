//! Co-Simulation: steps, in one go or in parts, and events in the importing tool's hands (FMI 3.0, section 4.2).

use kausal_symbolic::VarId;
use kausal_translate::program::Kind;

use super::{Fault, Instance, Phase};
use crate::boundary::Onlooker;
use crate::solved::{Part, Solved};

/// Where a step, or a part of one, came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reached {
    /// The instant.
    pub time: f64,
    /// The model has ended the run.
    pub terminated: bool,
    /// There is an event, which the importing tool wants to see.
    pub event: bool,
    /// Nothing of the step is left.
    pub ends: bool,
}

impl Instance {
    /// Does whoever carries a run on want to see its events, and who is told of steps of the integrator?
    pub fn watch_by(&mut self, event_mode: bool, onlooker: Option<Onlooker>) {
        (self.event_mode, self.onlooker) = (event_mode, onlooker);
    }

    /// Does a step that begins here go on from where the run is?
    pub fn is_at(&self, t: f64, step: f64) -> bool {
        self.solved.as_ref().is_some_and(|solved| solved.is_at(t, step))
    }

    /// A step begins. Is it to be made in parts, and who is told of them?
    pub fn begin_step(&mut self, from: f64, by: f64) -> Result<(bool, Option<Onlooker>), Fault> {
        self.expect("a step", &[Phase::Step])?;
        self.before = None;
        let Some(solved) = &mut self.solved else {
            return Err(Fault::misuse("this is a function of Co-Simulation"));
        };
        if !solved.is_at(from, by) {
            let now = solved.time();
            return Err(Fault::misuse(format!("the step begins at {from}, the last one ended at {now}")));
        }
        if !(by >= 0.0 && (from + by).is_finite()) {
            return Err(Fault::misuse(format!("a step cannot be {by} long")));
        }
        Ok((self.event_mode || self.onlooker.is_some(), self.onlooker))
    }

    /// Goes on to the end of a step that has begun.
    pub fn step_to(&mut self, t: f64) -> Result<Reached, Fault> {
        self.go(|solved| solved.advance(t).map(|()| Part { event: None, ends: true }))
    }

    /// Goes on towards the end of a step that has begun, by a part of it.
    pub fn step_towards(&mut self, t: f64, look: bool) -> Result<Reached, Fault> {
        self.go(|solved| solved.advance_towards(t, look))
    }

    fn go(
        &mut self,
        on: impl FnOnce(&mut Solved) -> Result<Part, kausal_runtime::RunError>,
    ) -> Result<Reached, Fault> {
        let Some(solved) = &mut self.solved else {
            return Err(Fault::misuse("this is a function of Co-Simulation"));
        };
        let outcome = on(solved);
        let (time, ended) = (solved.time(), solved.terminated());
        let messages = solved.take_messages();
        messages.iter().chain(&ended).for_each(|text| self.log.say(crate::log::Status::Ok, text));
        let Part { event, ends } = outcome.map_err(|error| self.failed(&error))?;
        let terminated = ended.is_some();
        let seen = self.event_mode && event.is_some() && !terminated;
        if seen {
            self.before = event;
        }
        Ok(Reached { time, terminated, event: seen, ends: ends || seen || terminated })
    }

    /// The value in front of an event that is still to be handled, where there is one.
    pub(super) fn before_event(&self, v: VarId) -> Option<f64> {
        let values = self.before.as_ref()?;
        let program = self.program();
        Some(match program.variables[v.index()].kind {
            Kind::Alias(alias) if alias.negated => -values[alias.target.index()],
            Kind::Alias(alias) => values[alias.target.index()],
            _ => values[v.index()],
        })
    }

    /// An input changes by a slope from here on.
    pub fn set_slope(&mut self, number: u32, order: i32, slope: f64) -> Result<(), Fault> {
        let v = self.variable(number)?;
        if order != 1 || !slope.is_finite() {
            return Err(self.refused(v, "only finite derivatives of first order are taken"));
        }
        self.expect("setting the derivative of an input", &[Phase::Step])?;
        let input = self.program().inputs.iter().find(|input| input.variable == v);
        if input.is_none_or(|input| input.held) {
            return Err(self.refused(v, "it is no input that changes between events"));
        }
        let Some(solved) = &mut self.solved else { return Ok(()) };
        solved.set_slope(v, slope).map_err(|why| self.refused(v, &why))
    }

    /// Where a run in Co-Simulation is.
    pub fn reached(&self) -> f64 {
        self.solved.as_ref().map_or(self.span.start, Solved::time)
    }

    /// Has the model ended the run?
    pub fn has_ended(&mut self) -> bool {
        self.solved.as_mut().is_some_and(|solved| solved.terminated().is_some())
    }
}
