//! Steps cannot step over what happens in them: every evaluation inside a step is compared with the step.
//!
//! Output points, the search for crossings and delays evaluate the model inside steps anyway. Each such evaluation shows the
//! *defect* of the step there (`kausal_solver::Integrator::defect`), which stands for the time since the one before. Where the sum
//! over the step exceeds [`ALLOWED`], the step is taken back before anything behind that point is recorded, and made again with a
//! shorter one. Where a state is stiff, a large defect may mean nothing; then the displacement decides, first with the matrix at
//! hand, and for that matrix may not be that of the inside of the step, now and then and wherever the defect is larger than it
//! used to be, with an implicit step at the very point.
//!
//! Steps that nobody evaluates inside are looked at in the middle where they are longer than any that was looked at, and one in
//! [`PROBE_EVERY`] of the others.

use kausal_solver::{Inside, Method};

use super::{Run, RunError};

/// What defects inside a step may add up to, in tolerances. The error test of a step allows one for its end, and continuous
/// solutions of lower order than the method are off by some more in between.
const ALLOWED: f64 = 5.0;
/// A step that was found good stands for so many of at most twice its length.
const PROBE_EVERY: u32 = 8;
/// A step that is made again is at least this part of what it was: as after an error test that failed.
const SHORTEST_PART: f64 = 0.1;
/// Each implicit step inside that finds nothing makes the time to the next one twice as long, up to so many steps; and one is made
/// wherever the defect is this much larger than it was.
const MAX_TRUST: u32 = 32;
const LARGER: f64 = 4.0;

/// What was found inside the last step, and how far steps are trusted.
#[derive(Debug, Default)]
pub(super) struct DefectControl {
    inside: Inside,
    derivative: Vec<f64>,
    /// The latest instant of the last step that was looked at.
    latest: f64,
    /// What defects have added up to, and what is left of those by the matrix at hand.
    sum: f64,
    damped_sum: f64,
    /// The first instant of the last step at which that was too much.
    found: Option<f64>,
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

impl DefectControl {
    /// A step from `t` begins.
    pub(super) fn begin(&mut self, t: f64) {
        (self.latest, self.sum, self.damped_sum) = (t, 0.0, 0.0);
        (self.found, self.damped) = (None, None);
    }

    /// The step from `t` was good up to its end.
    fn passed(&mut self, t: f64, end: f64) {
        if self.latest > t {
            (self.proven, self.unproven) = (end - t, 0);
        } else {
            self.unproven += 1;
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
    /// Is the step looked at inside at all? Steps of one size are what the user wants.
    fn has_defect_control(&self) -> bool {
        !self.settings.method.is_fixed_step()
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
        let inside = t > control.latest && t > solver.t_old() && t < solver.t();
        if !inside || side.states.is_empty() || self.settings.method.is_fixed_step() {
            return;
        }
        let part = (t - control.latest.max(solver.t_old())) / (solver.t() - solver.t_old());
        control.latest = t;
        control.derivative.clear();
        control.derivative.extend(side.states.iter().map(|(_, d)| side.machine.values[d.index()]));
        control.sum += part * solver.defect(t, &control.derivative, &mut control.inside);
        if control.sum <= ALLOWED || control.found.is_some() {
            return;
        }
        if solver.is_explicit() {
            control.found = Some(t);
            return;
        }
        match solver.damped_defect(&mut control.inside) {
            Some(damped) => control.damped_sum += part * damped,
            None => control.damped_sum = 0.0,
        }
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
        if self.defects.latest > end {
            // What was seen behind an event, with relations as they were before it, says nothing.
            self.defects.begin(before);
        }
        if self.defects.latest <= before {
            let due = step > 2.0 * self.defects.proven || self.defects.unproven >= PROBE_EVERY;
            if due && self.solver()?.t_old() == before {
                let looked = self.at(before + 0.5 * step, false);
                // What cannot be evaluated on the way is for the steps to come; only `terminate` ends the run here.
                if looked.is_err() && self.ended.is_some() {
                    return looked.map(|()| true);
                }
            }
        }
        let good = self.confirm_defect(before)?;
        if good {
            self.defects.passed(before, end);
        }
        Ok(good)
    }

    /// What looked like a defect may be a stiff state; what a matrix has damped may be none. Takes the step back where it is wrong.
    pub(super) fn confirm_defect(&mut self, before: f64) -> Result<bool, RunError> {
        let Some(t) = self.defects.suspect() else { return Ok(true) };
        let solver = self.solver.as_mut().ok_or(RunError::Stopped(t))?;
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
            let displacement = solver.displacement(t, &self.defects.derivative, &mut self.defects.inside);
            solver.model_mut().model_mut().machine.values = guesses;
            // Where only a matrix that is not there could have said that the defect is harmless, no solution is no answer.
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
    fn shorten_step(&mut self, before: f64, t: f64) -> Result<(), RunError> {
        self.given_up += 1;
        let solver = self.solver()?;
        let step = solver.t() - before;
        solver.reject_step((t - before).clamp(SHORTEST_PART * step, 0.5 * step));
        self.defects.begin(before);
        self.defects.proven = 0.0;
        self.values_again_at(before)?;
        self.begin_path()?;
        // A step right behind an event has bands to find again.
        self.fresh |= self.fresh_step;
        if self.fresh { self.watch() } else { self.watch_again() }
    }
}
