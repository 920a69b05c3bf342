//! Crossings behind which the old sides cannot be evaluated: `if x > 0 then sqrt(x) else 0`.
//!
//! Between events relations keep their values, so just past a crossing, before the event is taken, the branch is evaluated that
//! ends there. Values before such an event are those at the last instant before the crossing. And where the integrator needs
//! the branch, no step gets across: its steps become ever shorter, or with fixed steps are made so, until less than can be told
//! apart is left. The rest is taken along the tangent: if a relation changes within it, that is the event, and else the
//! model has come to its end. Relations are looked at there even where other things cannot be evaluated.

use kausal_solver::SolverError;

use super::{Observer, RightSide, Run, RunError};
use crate::machine::Mode;

/// No more than this part of the run, and of the instant, is taken along the tangent.
const PART: f64 = 1e-12;
const ROUNDINGS: f64 = 64.0 * f64::EPSILON;
/// A step of one size is made shorter where a relation changes within so many of them: the tangent is a rough guide there, and
/// implicit formulas feel the end before they reach it.
const FAR: f64 = 64.0;

impl Run {
    /// Values before the event at `t`. The states to go on with are given back where these are not those at `t`.
    pub(super) fn values_before(
        &mut self,
        t: f64,
        crossed: bool,
        states: Option<Vec<f64>>,
    ) -> Result<Option<Vec<f64>>, RunError> {
        if states.is_some() {
            let now = self.time();
            self.at(now, true)?;
            self.machine()?.time = t;
            return Ok(states);
        }
        let Err(error) = self.at(t, true) else { return Ok(None) };
        let before = self.finder.as_ref().map_or(f64::NEG_INFINITY, |f| f.before());
        if !crossed || before == f64::NEG_INFINITY || before >= t {
            return Err(error);
        }
        self.at(before, true).map_err(|_| error)?;
        self.machine()?.time = t;
        let mut states = self.state.clone();
        self.solver()?.interpolate(t, &mut states);
        Ok(Some(states))
    }

    /// The integrator cannot go on: a shorter step or an event may help.
    pub(super) fn pass_obstacle(
        &mut self,
        error: &SolverError,
        observer: &mut dyn Observer,
    ) -> Result<(), RunError> {
        let SolverError::StepSizeTooSmall { h, .. } = *error else {
            return Err(self.integration_error(error));
        };
        let now = self.time();
        let nearest = (PART * self.length()).max(ROUNDINGS * now.abs());
        if h > nearest {
            if self.changes_after(FAR * h)?.is_none() {
                return Err(self.integration_error(error));
            }
            self.shorter = now + 0.5 * h;
            return Ok(());
        }
        let mut ahead = (f64::EPSILON * now.abs()).max(f64::MIN_POSITIVE);
        while ahead < nearest {
            ahead *= 2.0;
            if let Some((states, differences)) = self.changes_after(ahead)? {
                self.side()?.last_failure = None;
                self.finder.iter_mut().for_each(|finder| finder.cross_to(&differences));
                return self.pass_event(now + ahead, true, Some(states), observer).map(|_| ());
            }
        }
        Err(self.integration_error(error))
    }

    /// Along the tangent, does a relation change within `h`? The states there and what is known of the relations.
    fn changes_after(&mut self, h: f64) -> Result<Option<(Vec<f64>, Vec<f64>)>, RunError> {
        let now = self.time();
        if self.finder.is_none() || self.at(now, false).is_err() {
            return Ok(None);
        }
        let side = self.side()?;
        let mut states = side.state();
        for (x, (_, d)) in states.iter_mut().zip(&side.states) {
            *x += h * side.machine.values[d.index()];
        }
        let differences = self.known_differences(now + h, &states)?;
        let changes = self.finder.as_ref().is_some_and(|finder| finder.shows_change(&differences));
        Ok(changes.then_some((states, differences)))
    }

    /// The functions of the relations as far as they can be evaluated; the others are not numbers. The machine is left as it was.
    fn known_differences(&mut self, t: f64, states: &[f64]) -> Result<Vec<f64>, RunError> {
        let functions = std::mem::take(&mut self.functions);
        let side = self.side()?;
        let kept = side.machine.values.clone();
        for &(difference, _) in &functions {
            side.machine.values[difference.index()] = f64::NAN;
        }
        side.evaluate_parts(t, states);
        let value = |&(difference, sign): &(kausal_symbolic::VarId, f64)| {
            sign * side.machine.values[difference.index()]
        };
        let values = functions.iter().map(value).collect();
        side.machine.values.copy_from_slice(&kept);
        self.functions = functions;
        Ok(values)
    }

    /// The same at an instant of the last step where an evaluation has failed, with what relations were before in the place of
    /// what is not known; `None` where nothing has changed, so that no event explains the failure.
    pub(super) fn differences_beyond(&mut self, t: f64) -> Result<Option<Vec<f64>>, RunError> {
        let mut states = self.state.clone();
        self.solver()?.interpolate(t, &mut states);
        let mut values = self.known_differences(t, &states)?;
        let (functions, watched) = (std::mem::take(&mut self.functions), std::mem::take(&mut self.watched));
        let machine = self.machine()?;
        let model = machine.model().clone();
        let mut changes = false;
        for ((value, &(difference, sign)), &r) in values.iter_mut().zip(&functions).zip(&watched) {
            if value.is_nan() {
                *value = sign * machine.values[difference.index()];
                continue;
            }
            let relation = &model.program.relations[r as usize];
            let holds = machine.values[relation.variable.index()] != 0.0;
            changes |= (*value > 0.0) != (holds != relation.or_equal);
        }
        (self.functions, self.watched) = (functions, watched);
        Ok((changes && values.iter().all(|v| !v.is_nan())).then_some(values))
    }
}

impl RightSide {
    /// Evaluates what can be evaluated, whatever fails before it.
    fn evaluate_parts(&mut self, t: f64, x: &[f64]) {
        self.machine.time = t;
        self.place(x);
        if self.remembers() {
            self.past.read(&mut self.machine);
            let _ = self.pipes.read(&mut self.machine);
        }
        let model = self.machine.model().clone();
        for step in &model.dynamics {
            let _ = self.machine.run(std::slice::from_ref(step), Mode::Continuous);
        }
    }
}
