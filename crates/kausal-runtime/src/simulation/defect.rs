//! Steps cannot step over what happens in them: every evaluation inside a step is compared with the step.
//!
//! Output points, the search for crossings and delays evaluate the model inside steps anyway. Each such evaluation shows the
//! *defect* of the step there (`kausal_solver::Integrator::defect`), which stands for the time since the evaluation before it, in
//! whatever order they come. Where the sum over the step exceeds [`ALLOWED`], the step is taken back before anything behind that
//! point is recorded, and made again with a shorter one. Where a state is stiff, a large defect may mean nothing; then the
//! displacement decides, first with the matrix at hand, and for that matrix may not be that of the inside of the step, now and
//! then and wherever the defect is larger than it used to be, with an implicit step at the very point.
//!
//! Steps that nobody evaluates inside are looked at in the middle where they are longer than any that was looked at, and one in
//! [`PROBE_EVERY`] of the others. So is each step that passed its error test after others had failed it: across a corner or a jump
//! the estimate is large or small by where the stages happen to lie, and the first step that passes was chosen for its luck. It is
//! looked at in three places. Corners come in pairs, as where a stiff contact begins and ends: behind such a step the next
//! [`PROBE_EVERY`] ones are looked at too, where the method is explicit and that costs little beside its stages.

use kausal_solver::{Inside, Method};
use serde::{Deserialize, Serialize};

use super::{Run, RunError, Solver};

/// What defects inside a step may add up to, in tolerances. The error test of a step allows one for its end, and continuous
/// solutions of lower order than the method are off by some more in between.
const ALLOWED: f64 = 5.0;
/// A step that was found good stands for so many of at most twice its length.
const PROBE_EVERY: u32 = 8;
/// Where a step in doubt is looked at. In a single place the continuous solution may have the right slope by luck, as the stages had.
const IN_DOUBT: [f64; 3] = [0.25, 0.5, 0.75];
/// A step that is made again is at least this part of what it was: as after an error test that failed.
const SHORTEST_PART: f64 = 0.1;
/// Each implicit step inside that finds nothing makes the time to the next one twice as long, up to so many steps; and one is made
/// wherever the defect is this much larger than it was.
const MAX_TRUST: u32 = 32;
const LARGER: f64 = 4.0;

/// What was found inside the last step, and how far steps are trusted.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct DefectControl {
    inside: Inside,
    derivative: Vec<f64>,
    /// The derivative where it is to be looked closer.
    suspected: Vec<f64>,
    /// What was seen in the last step, in the order of time.
    looks: Vec<Look>,
    /// What defects have added up to, and what is left of those by the matrix at hand.
    sum: f64,
    damped_sum: f64,
    /// The first instant of the last step at which that was too much.
    found: Option<f64>,
    /// Error tests that had failed before the last step, and whether some failed at it.
    rejected: u64,
    doubtful: bool,
    /// So many steps of an explicit method are still in a neighbourhood where some failed.
    near_doubt: u32,
    /// An instant at which only the matrix says that it is not.
    damped: Option<f64>,
    /// The length of the last step that was found good, and the steps since.
    proven: f64,
    unproven: u32,
    /// Implicit steps inside are made once in so many steps, and the next one in so many; what the sum was then.
    trust: u32,
    wait: u32,
    usual: f64,
}

/// The defect at an instant, in tolerances, if it was the same all over the step; and as the matrix at hand damps it, where that
/// was asked.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Look {
    t: f64,
    defect: f64,
    damped: f64,
}

impl DefectControl {
    /// A step begins.
    pub(super) fn begin(&mut self) {
        self.looks.clear();
        (self.sum, self.damped_sum) = (0.0, 0.0);
        (self.found, self.damped) = (None, None);
    }

    /// What was seen behind `end` says nothing.
    fn forget_behind(&mut self, end: f64, before: f64, step: f64) {
        self.looks.retain(|look| look.t <= end);
        (self.sum, self.damped_sum) = (0.0, 0.0);
        let mut last = before;
        for look in &self.looks {
            let part = (look.t - last) / step;
            self.sum += part * look.defect;
            self.damped_sum += part * look.damped;
            last = look.t;
        }
        self.found = self.found.filter(|t| *t <= end);
        self.damped = self.damped.filter(|t| *t <= end);
    }

    /// Notes what was seen at an instant that was not looked at yet: it stands for the time since the one before, which the one
    /// behind it has stood for. Gives its part of the step.
    fn note(&mut self, look: Look, place: usize, begin: f64, step: f64) -> f64 {
        let before = place.checked_sub(1).map_or(begin, |i| self.looks[i].t);
        let part = (look.t - before) / step;
        if let Some(next) = self.looks.get(place) {
            self.sum -= part * next.defect;
            self.damped_sum -= part * next.damped;
        }
        self.sum += part * look.defect;
        self.looks.insert(place, look);
        part
    }

    /// A step was made; so many error tests have failed up to now.
    pub(super) fn made(&mut self, rejected: u64) {
        self.doubtful = rejected > self.rejected;
        self.rejected = rejected;
        self.near_doubt = if self.doubtful { PROBE_EVERY } else { self.near_doubt.saturating_sub(1) };
    }

    /// The equations are others now.
    pub(super) fn forget(&mut self) {
        self.inside.forget();
    }

    /// The step from `t` was good up to its end.
    fn passed(&mut self, t: f64, end: f64) {
        if self.looks.is_empty() {
            self.unproven += 1;
        } else {
            (self.proven, self.unproven) = (end - t, 0);
        }
    }

    /// Where to look closer, if anywhere.
    fn suspect(&mut self) -> Option<f64> {
        if self.found.is_some() {
            return self.found;
        }
        let t = self.damped.take()?;
        self.wait = self.wait.saturating_sub(1);
        (self.wait == 0 || self.sum > LARGER * self.usual).then_some(t)
    }
}

impl Run {
    /// Is the step looked at inside at all? Steps of one size are what the user wants, and without states nothing can be wrong.
    fn has_defect_control(&self) -> bool {
        let has_states = |solver: &super::Solver| !solver.model().model().states.is_empty();
        !self.settings.method.is_fixed_step() && self.solver.as_ref().is_some_and(has_states)
    }

    /// Was the defect too large somewhere, and can the step still be taken back? What was kept for delays is not forgotten.
    pub(super) fn has_found_defect(&mut self) -> Result<bool, RunError> {
        Ok(self.defects.found.is_some() && !self.side()?.remembers())
    }

    /// The model was evaluated at `t`, on the continuous solution.
    pub(super) fn look_inside(&mut self, t: f64) {
        let Some(solver) = self.solver.as_mut() else { return };
        let control = &mut self.defects;
        let side = solver.model().model();
        let (begin, end) = (solver.t_old(), solver.t());
        let place = control.looks.partition_point(|look| look.t < t);
        let known = control.looks.get(place).is_some_and(|look| look.t == t);
        let inside = t > begin && t < end && !known;
        if !inside || side.states.is_empty() || self.settings.method.is_fixed_step() {
            return;
        }
        control.derivative.clear();
        control.derivative.extend(side.states.iter().map(|(_, d)| side.machine.values[d.index()]));
        let defect = solver.defect(t, &control.derivative, &mut control.inside);
        let part = control.note(Look { t, defect, damped: 0.0 }, place, begin, end - begin);
        if control.sum <= ALLOWED || control.found.is_some() {
            return;
        }
        control.suspected.clone_from(&control.derivative);
        if solver.is_explicit() {
            control.found = Some(t);
            return;
        }
        // Where nothing is known of stiffness yet, the state is taken as it is.
        let damped = solver.damped_defect(&mut control.inside).unwrap_or(defect);
        control.looks[place].damped = damped;
        control.damped_sum += part * damped;
        if control.damped_sum > ALLOWED {
            control.found = Some(t);
        } else {
            control.damped = Some(t);
        }
    }

    /// Is the step from `before` good up to `end`? Where it is not, it is taken back and made shorter.
    pub(super) fn is_good_inside(&mut self, before: f64, end: f64) -> Result<bool, RunError> {
        if !self.has_defect_control() || end <= before {
            return Ok(true);
        }
        let step = end - before;
        if self.defects.looks.last().is_some_and(|look| look.t > end) {
            // What was seen behind an event, with relations as they were before it, says nothing.
            let solver = self.solver()?;
            let (begin, whole) = (solver.t_old(), solver.t() - solver.t_old());
            self.defects.forget_behind(end, begin, whole);
        }
        let control = &self.defects;
        let near_doubt = control.near_doubt > 0 && self.solver.as_ref().is_some_and(Solver::is_explicit);
        let longer = step > 2.0 * control.proven || control.unproven >= PROBE_EVERY || near_doubt;
        let probes: &[f64] = match (control.doubtful, control.looks.is_empty()) {
            (true, _) => &IN_DOUBT,
            (false, true) if longer => &[0.5],
            (false, _) => &[],
        };
        if !probes.is_empty() && self.solver()?.t_old() == before {
            for part in probes {
                let looked = self.at(before + part * step, false);
                // What cannot be evaluated on the way is for the steps to come; only `terminate` ends the run here.
                if looked.is_err() && self.ended.is_some() {
                    return looked.map(|()| true);
                }
                if looked.is_err() || self.defects.found.is_some() {
                    break;
                }
            }
        }
        let good = self.confirm_defect(before)? && !self.holds_what_grows(before, end)?;
        if good {
            self.defects.passed(before, end);
        }
        Ok(good)
    }

    /// What looked like a defect may be a stiff state; what a matrix has damped may be none. Takes the step back where it is wrong.
    pub(super) fn confirm_defect(&mut self, before: f64) -> Result<bool, RunError> {
        let Some(t) = self.defects.suspect() else { return Ok(true) };
        let solver = self.solver.as_mut().ok_or_else(|| RunError::Stopped(t))?;
        if solver.t_old() != before {
            // Behind an event that the integrator has not noticed, the step cannot be taken back.
            self.defects.found = None;
            return Ok(true);
        }
        if self.settings.method == Method::Rosenbrock && solver.model().is_inlined() {
            // Its equations are those of a linearly implicit step, which have no solution of their own to compare with.
            self.defects.found = None;
            return Ok(true);
        }
        if !solver.is_explicit() {
            let guesses = solver.model().model().machine.values.clone();
            let displacement = solver.displacement(t, &self.defects.suspected, &mut self.defects.inside);
            solver.model_mut().model_mut().machine.values = guesses;
            // The matrix at hand has said that the defect is harmless, and no solution is no answer.
            let unknown = displacement == f64::INFINITY && self.defects.found.is_none();
            if displacement <= ALLOWED || unknown {
                let control = &mut self.defects;
                control.trust = (2 * control.trust).clamp(1, MAX_TRUST);
                (control.wait, control.usual) = (control.trust, control.sum);
                (control.found, control.damped_sum) = (None, 0.0);
                return Ok(true);
            }
        }
        (self.defects.trust, self.defects.wait) = (0, 0);
        self.shorten_step(before, t)?;
        Ok(false)
    }

    /// Makes the last step again, to `t` at most.
    pub(super) fn shorten_step(&mut self, before: f64, t: f64) -> Result<(), RunError> {
        if self.reached > before {
            // What was given out stays.
            let reached = self.reached;
            self.defects.begin();
            self.defects.proven = 0.0;
            return self.go_back(reached);
        }
        let solver = self.solver()?;
        let step = solver.t() - before;
        solver.reject_step((t - before).clamp(SHORTEST_PART * step, 0.5 * step));
        self.defects.begin();
        self.defects.proven = 0.0;
        self.values_again_at(before)?;
        self.begin_path()?;
        // A step right behind an event has bands to find again.
        self.fresh |= self.fresh_step;
        if self.fresh { self.watch() } else { self.watch_again() }
    }
}
