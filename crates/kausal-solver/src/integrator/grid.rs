//! The frame of methods with steps of one size.
//!
//! Step `i` after a start ends at `t_start + i h`, computed as that product, so that a long run does not drift off its grid; one that
//! meets a limit ends there, and the next one goes on to the point of the grid that was missed. No error is estimated: a step
//! that the model cannot solve is an error at once, since it may not be repeated with a smaller one.
//!
//! ```text
//! let stretch = grid.next(core, t_limit)?;          where the step goes
//! let solved = /* the formula */;
//! grid.accept(core, model, &stretch, solved, &x, &dx)?;
//! ```

use serde::{Deserialize, Serialize};

use super::core::{Core, Failures};
use super::hermite::Hermite;
use crate::error::{ModelError, SolverError};
use crate::model::StepModel;
use crate::weights::first_not_finite;

/// Implicit formulas iterate to this part of the tolerance.
pub(super) const ITERATION_SHARE: f64 = 0.01;
/// A step that differs from the usual one by less than this part of it is one of them.
const SAME_STEP: f64 = 1e-9;

/// Where steps end, and what is between the ends of the last one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Grid {
    h: f64,
    t_start: f64,
    steps_since_start: u64,
    started: bool,
    hermite: Hermite,
    /// What was expected by continuing the solution, and for which states what they are was nearer in the last step.
    continued: Vec<f64>,
    stays: Vec<bool>,
}

/// Where one step goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch {
    /// Its end.
    pub t: f64,
    /// Its size.
    pub h: f64,
    /// It ends at the limit.
    pub at_limit: bool,
    /// It is the first one after a start.
    pub first: bool,
    /// It has the size of the grid.
    pub usual: bool,
    /// The next point of the grid.
    next: f64,
}

impl Grid {
    pub fn new(n: usize, h: f64) -> Self {
        let hermite = Hermite::new(n);
        let (continued, stays) = (vec![f64::NAN; n], vec![false; n]);
        Grid { h, t_start: 0.0, steps_since_start: 0, started: false, hermite, continued, stays }
    }

    /// The size of steps.
    pub fn h(&self) -> f64 {
        self.h
    }

    pub fn restart(&mut self) {
        self.started = false;
        self.stays.fill(false);
    }

    /// Makes a guess of a solution that was continued: where a state is stiff and the step long, what the state is may be
    /// nearer. Fixed steps are repeated with no smaller size, so a guess must not lead to another solution.
    pub fn guess(&mut self, core: &Core, x: &mut [f64]) {
        self.continued.copy_from_slice(x);
        for ((x, last), stays) in x.iter_mut().zip(&core.x).zip(&self.stays) {
            *x = if *stays { *last } else { *x };
        }
    }

    /// The next step of the grid, or as much of it as fits before `t_limit`.
    pub fn next(&mut self, core: &mut Core, t_limit: f64) -> Result<Stretch, SolverError> {
        core.weights.update(&core.x);
        let first = !self.started;
        if first {
            (self.t_start, self.steps_since_start, self.started) = (core.t, 0, true);
        }
        core.may_try(self.h, &Failures::default())?;
        let next = self.t_start + (self.steps_since_start + 1) as f64 * self.h;
        let at_limit = next >= t_limit - self.nothing(t_limit);
        let t = if at_limit { t_limit } else { next };
        let h = t - core.t;
        let usual = (h - self.h).abs() <= 10.0 * self.nothing(t);
        Ok(Stretch { t, h, at_limit, first, usual, next })
    }

    /// By how much steps may differ that are the same: late in a long run time itself is rounded by more than a small part of
    /// them.
    fn nothing(&self, t: f64) -> f64 {
        (SAME_STEP * self.h).max(f64::EPSILON * t.abs())
    }

    /// Takes the values at the end of a step, or says what is wrong with them.
    pub fn accept<M: StepModel + ?Sized>(
        &mut self,
        core: &mut Core,
        model: &mut M,
        stretch: &Stretch,
        solved: Result<(), ModelError>,
        x: &[f64],
        dx: &[f64],
    ) -> Result<(), SolverError> {
        let &Stretch { t, h, next, .. } = stretch;
        let mut failures = Failures::default();
        if let Err(e) = solved {
            let e = core.recoverable(t, e)?;
            core.note_model(&mut failures, e);
        } else if let Some(culprit) = [x, dx].into_iter().find(|list| first_not_finite(list).is_some()) {
            core.note_error(&mut failures, f64::NAN, culprit);
        }
        if let Some(obstacle) = failures.last {
            return Err(SolverError::StepSizeTooSmall { t: core.t, h, obstacle });
        }
        if (t - next).abs() <= self.nothing(t) {
            self.steps_since_start += 1;
        }
        for (i, stays) in self.stays.iter_mut().enumerate() {
            *stays = (x[i] - core.x[i]).abs() < (x[i] - self.continued[i]).abs();
        }
        self.hermite.begin(&core.x, &core.dx);
        core.x.copy_from_slice(x);
        core.dx.copy_from_slice(dx);
        core.advance(t);
        model.accepted(t, &core.x, &core.dx);
        Ok(())
    }

    /// Hermite interpolation in the last step.
    pub fn interpolate(&self, core: &Core, t: f64, x: &mut [f64]) {
        self.hermite.interpolate(core, t, x);
    }

    /// On the straight line between the ends of the last step.
    pub fn interpolate_straight(&self, core: &Core, t: f64, x: &mut [f64]) {
        let s = (t - core.t_old) / (core.t - core.t_old);
        for ((x, begin), end) in x.iter_mut().zip(self.beginning()[0]).zip(&core.x) {
            *x = begin + s * (end - begin);
        }
    }

    /// The states at the beginning of the last step, and their slopes.
    pub fn beginning(&self) -> [&[f64]; 2] {
        self.hermite.beginning()
    }
}
