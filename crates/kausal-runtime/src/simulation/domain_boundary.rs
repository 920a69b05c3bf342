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
            let (now, before) = (self.time(), self.solver()?.t_old());
            self.at(now, true).or_else(|error| self.at(before, true).map_err(|_| error))?;
            self.machine()?.set_time(t);
            return Ok(states);
        }
        let Err(error) = self.at(t, true) else { return Ok(None) };
        let before = self.finder.as_ref().map_or(f64::NEG_INFINITY, |f| f.before());
        let before = if before == f64::NEG_INFINITY { self.solver()?.t_old() } else { before };
        if !crossed || before >= t {
            return Err(error);
        }
        self.at(before, true).map_err(|_| error)?;
        self.machine()?.set_time(t);
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
                // The last step may have ended at the crossing, or past it by less than can be told apart from none.
                return match self.changes_after(0.0)? {
                    Some((states, differences)) => self.cross_beyond(now, states, &differences, observer),
                    None => Err(self.integration_error(error)),
                };
            }
            self.shorter = now + 0.5 * h;
            return Ok(());
        }
        let mut ahead = (f64::EPSILON * now.abs()).max(f64::MIN_POSITIVE);
        while ahead < nearest {
            ahead *= 2.0;
            if let Some((states, differences)) = self.changes_after(ahead)? {
                return self.cross_beyond(now + ahead, states, &differences, observer);
            }
        }
        Err(self.integration_error(error))
    }

    /// The event at `t`, which no step reaches.
    fn cross_beyond(
        &mut self,
        t: f64,
        states: Vec<f64>,
        differences: &[f64],
        observer: &mut dyn Observer,
    ) -> Result<(), RunError> {
        self.side()?.last_failure = None;
        if let Some(finder) = &mut self.finder {
            // What is zero but for rounding has changed, too: nothing gets nearer.
            (0..differences.len()).for_each(|i| finder.set_band(i, 0.0));
            finder.cross_to(differences);
        }
        self.pass_event(t, true, Some(states), observer).map(|_| ())
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
            // Past a crossing by rounding there may be no slope.
            let slope = side.machine.values[d.index()];
            *x += if slope.is_finite() { h * slope } else { 0.0 };
        }
        let differences = self.known_differences(now + h, &states)?;
        let changes = self.finder.as_ref().is_some_and(|finder| {
            let sides = finder.sides().iter().zip(&differences);
            sides.into_iter().any(|(side, value)| !value.is_nan() && (*value > 0.0) != *side)
        });
        Ok(changes.then_some((states, differences)))
    }

    /// The functions of the relations as far as they can be evaluated; the others are not numbers. The machine is left as it was.
    pub(super) fn known_differences(&mut self, t: f64, states: &[f64]) -> Result<Vec<f64>, RunError> {
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
        self.machine.set_time(t);
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
