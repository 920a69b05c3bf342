//! Steps that are made again, up to where something happens in them.
//!
//! What an algorithm section computes may jump, so that a step across the jump is no good at all. And implicit methods with steps of
//! one size are less exact inside their steps than at the ends: an event found inside would take a high order from the method, and
//! where states are stiff, what is between the ends may cross zero although the solution does not. So the step is repeated and
//! ends where the event seems to be, until that is at an end of the step.

use super::{Run, RunError};

/// Where steps end, just before what an algorithm section computes jumps.
#[derive(Clone, Copy, Debug)]
pub(super) struct Barrier {
    pub at: f64,
    /// How long before.
    gap: f64,
    /// How often it was set for the same jump.
    tries: u32,
}

impl Barrier {
    pub const NONE: Barrier = Barrier { at: f64::NEG_INFINITY, gap: 0.0, tries: 0 };
}

/// A step that is made again because of an event in it: where it ends, and how often it was made again.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Again {
    end: Option<f64>,
    tries: u32,
}

impl Again {
    /// Where a step from `t` ends at the latest.
    pub fn limit(self, t: f64, limit: f64) -> f64 {
        self.end.filter(|&end| end > t).map_or(limit, |end| limit.min(end))
    }

    /// A step without an event ended here. The event may still come, right behind the end of the repeated step.
    pub fn pass(&mut self, t: f64) {
        if self.end.is_some_and(|end| t > end) {
            *self = Again::default();
        }
    }
}

impl Run {
    /// What an algorithm section computes jumps where its trace changes, so a step across it is no good: it is made again up
    /// to just before. Is it?
    pub(super) fn steps_over_trace(&mut self, before: f64, t: f64) -> Result<bool, RunError> {
        /// So near before the change, as a part of the way to it, nothing is lost.
        const NEAR: f64 = 1e-9;
        const MOST: u32 = 5;
        let model = self.machine()?.model().clone();
        let traced = self.crossed().iter().any(|&r| model.program.relations[r as usize].trace);
        let near = NEAR * (t - before) + 4.0 * f64::EPSILON * t.abs();
        let Barrier { at, gap, tries } = self.barrier;
        let there = before >= at && t - before <= 100.0 * gap;
        if !traced || there || t - before <= 2.0 * near || tries >= MOST {
            return Ok(false);
        }
        self.barrier = Barrier { at: t - near, gap: near, tries: tries + 1 };
        self.go_back(before)?;
        Ok(true)
    }

    /// Is the step from `before` to `end` made again, up to the event at `t` in it?
    pub(super) fn steps_over_event(&mut self, before: f64, t: f64, end: f64) -> Result<bool, RunError> {
        /// So near an end of the step, as a part of it, the solution is as good as there.
        const NEAR: f64 = 1e-6;
        const MOST: u32 = 10;
        /// Parts of time that are not told apart from none.
        const LEAST: f64 = 1e3 * f64::EPSILON;
        let near = (NEAR * (end - before)).max(LEAST * t.abs().max(end.abs()));
        let inside = t - before > near && end - t > near;
        // Behind an event that changed nothing, the rest of a step is not a step.
        let whole = self.solver()?.t_old() == before;
        if !inside || !whole || self.again.tries >= MOST || !self.solver()?.is_rough_inside() {
            return Ok(false);
        }
        self.again = Again { end: Some(t), tries: self.again.tries + 1 };
        self.go_back(before)?;
        Ok(true)
    }

    /// Begins anew at an instant of the last step, as if it had not been passed.
    fn go_back(&mut self, t: f64) -> Result<(), RunError> {
        self.given_up += 1;
        let mut state = self.state.clone();
        self.solver()?.interpolate(t, &mut state);
        self.solver()?.restart(t, &state);
        self.at(t, true)?;
        self.fresh = true;
        self.begin_path()?;
        self.watch()
    }
}
