//! Steps that are made again, up to where something happens in them.
//!
//! What an algorithm section computes may jump, so that a step across the jump is no good at all. And implicit methods with steps of
//! one size are less exact inside their steps than at the ends: an event found inside would take a high order from the method, and
//! where states are stiff, what is between the ends may cross zero although the solution does not.
//!
//! So an event in a step that shows at its end is approached by steps that end where it seems to be, until it is at an end of a
//! step. One that does not show there must show at the end of a step to a little behind it, or it is none. The same holds for a
//! method that chooses its steps where the curve between the ends of a step passes by the solution.

use kausal_solver::events::{Crossing, Direction};
use serde::{Deserialize, Serialize};

use super::{Run, RunError};

/// Where steps end, just before what an algorithm section computes jumps.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
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

/// So near the ends of a step, as a part of it, the solution is as good as there.
const NEAR: f64 = 1e-6;
/// So far behind what does not show at the end, as a part of the step, it must show.
const BEHIND: f64 = 0.01;
const MOST: u32 = 10;
/// Parts of time that are not told apart from none.
const LEAST: f64 = 1e3 * f64::EPSILON;

/// A step that is made again because of an event in it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Again {
    /// Where it ends.
    end: f64,
    /// How often it was made again.
    tries: u32,
    /// Where it ended at first.
    whole: f64,
    /// The first end of a step at which the event shows.
    shown: f64,
    /// Up to here only ends of steps show events.
    quiet: f64,
}

impl Again {
    pub const NOT: Again = {
        let never = f64::NEG_INFINITY;
        Again { end: never, tries: 0, whole: never, shown: never, quiet: never }
    };

    /// Where a step from `t` ends at the latest.
    pub fn limit(self, t: f64, limit: f64) -> f64 {
        [self.end, self.shown].into_iter().filter(|&end| end > t).fold(limit, f64::min)
    }

    /// A step without an event ended here. The event may still come, right behind the end of the repeated step.
    pub fn pass(&mut self, t: f64) {
        // A step that is made again ends where it ended before, but for rounding.
        let reached = |end: f64| t >= end - LEAST * t.abs();
        if t > self.end && reached(self.quiet) && reached(self.shown) {
            *self = Again::NOT;
        }
    }
}

/// What to make of an event that was found inside a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is one.
    Event,
    /// It is none: the step is good up to its end.
    Nothing,
    /// The step is made again, and ends earlier.
    Again,
}

impl Run {
    /// What an algorithm section computes jumps where its trace changes, so a step across it is no good: it is made again up
    /// to just before. Is it?
    fn steps_over_trace(&mut self, before: f64, t: f64) -> Result<bool, RunError> {
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

    /// What to make of the event found at `t` in the step from `before` to `end`?
    pub(super) fn judge_event(&mut self, before: f64, t: f64, end: f64) -> Result<Verdict, RunError> {
        if self.steps_over_trace(before, t)? {
            return Ok(Verdict::Again);
        }
        // Behind an event that changed nothing, the rest of a step is not a step.
        if !self.solver()?.is_rough_inside() || self.solver()?.t_old() != before {
            return Ok(Verdict::Event);
        }
        let near = (NEAR * (end - before)).max(LEAST * t.abs().max(end.abs()));
        let shows = self.shows_at(end)?;
        let Again { tries, quiet, shown, .. } = self.again;
        let whole = if tries == 0 { end } else { self.again.whole };
        if !shows && (tries > 0 || end <= quiet) {
            self.again.quiet = quiet.max(whole);
            self.fresh = false;
            self.watch()?;
            return Ok(Verdict::Nothing);
        }
        let inside = t - before > near && end - t > near;
        if shows && (!inside || tries >= MOST) {
            return Ok(Verdict::Event);
        }
        let behind = (t + BEHIND * (end - before)).min(0.5 * (t + end));
        let target = if shows { t } else { behind };
        let shown = if shows { end } else { shown };
        self.again = Again { end: target, tries: tries + 1, whole, shown, quiet };
        self.go_back(before)?;
        Ok(Verdict::Again)
    }

    /// Does the end of a step show an event: a relation that has plainly changed, or one of those found that has changed at all?
    fn shows_at(&mut self, end: f64) -> Result<bool, RunError> {
        let mut values = vec![0.0; self.watched.len()];
        self.look(end, &mut values)?;
        self.find_changes(&values)?;
        let mut found = self.finder.iter().flat_map(|finder| finder.crossings());
        let has_changed = |c: &Crossing| (values[c.index] > 0.0) == (c.direction == Direction::Rising);
        Ok(!self.changed.is_empty() || found.any(has_changed))
    }

    /// Begins anew at an instant of the last step, as if it had not been passed.
    pub(super) fn go_back(&mut self, t: f64) -> Result<(), RunError> {
        self.given_up += 1;
        let mut state = self.state.clone();
        self.solver()?.interpolate(t, &mut state);
        self.solver()?.restart(t, &state);
        self.values_again_at(t)?;
        self.fresh = true;
        self.begin_path()?;
        self.watch()
    }

    /// All values are those at `t`, from where a step is made again.
    pub(super) fn values_again_at(&mut self, t: f64) -> Result<(), RunError> {
        if t <= self.side()?.guessed_at {
            self.side()?.forget_step();
        }
        // Right before an event that was not yet seen, outputs may be undefined.
        if self.at(t, true).is_err() {
            self.at(t, false)?;
        }
        Ok(())
    }
}
