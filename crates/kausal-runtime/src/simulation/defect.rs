//! Steps cannot step over what happens in them: every evaluation inside a step is compared with the step.
//!
//! Output points, the search for crossings and delays evaluate the model inside steps anyway. Each such evaluation shows the
//! *defect* of the step there (`kausal_solver::Integrator::defect`). A step in which it is larger than [`ALLOWED`] is taken back
//! before anything behind that point is recorded, and made again with a shorter one. Where a state is stiff, a large defect may
//! mean nothing; then the displacement decides, first with the matrix at hand, and now and then, for that matrix may not be that of
//! the inside of the step, with an implicit step at the very point.
//!
//! Steps that nobody evaluates inside are looked at in the middle where they are longer than any that was looked at, and one in
//! [`PROBE_EVERY`] of the others.

use kausal_solver::Inside;

use super::{Run, RunError};

/// A continuous solution may be off inside a step by so many tolerances: those of the methods that bound it themselves have the
/// same limit (`ALLOWED_INSIDE` in the solver).
const ALLOWED: f64 = 10.0;
/// A step that was found good stands for so many of at most twice its length.
const PROBE_EVERY: u32 = 8;
/// After this many implicit steps inside in a row that found nothing, one is made in so many steps only.
const MAX_TRUST: u32 = 32;

/// What was found inside the last step, and how far steps are trusted.
#[derive(Debug, Default)]
pub(super) struct DefectControl {
    inside: Inside,
    derivative: Vec<f64>,
    /// Instants of the last step that were looked at.
    looked: u32,
    /// The first instant of the last step at which the defect was too large.
    found: Option<f64>,
    /// The longest step that was found good, and the steps since.
    proven: f64,
    unproven: u32,
    /// A large defect was damped by the matrix in this step; implicit steps inside are made once in so many steps, and the next
    /// one in so many.
    damped: Option<f64>,
    trust: u32,
    wait: u32,
}

impl DefectControl {
    /// A step begins.
    pub(super) fn begin(&mut self) {
        (self.looked, self.found, self.damped) = (0, None, None);
    }

    fn passed(&mut self, step: f64) {
        if self.looked > 0 {
            (self.proven, self.unproven) = (step, 0);
        } else {
            self.unproven += 1;
        }
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
        if !self.has_defect_control() || self.defects.found.is_some_and(|found| found <= t) {
            return;
        }
        let Some(solver) = self.solver.as_mut() else { return };
        let side = solver.model().model();
        if !(t > solver.t_old() && t < solver.t()) || side.states.is_empty() {
            return;
        }
        let control = &mut self.defects;
        control.looked += 1;
        control.derivative.clear();
        control.derivative.extend(side.states.iter().map(|(_, d)| side.machine.values[d.index()]));
        let defect = solver.defect(t, &control.derivative, &mut control.inside);
        if defect <= ALLOWED {
            return;
        }
        if solver.is_explicit() {
            control.found = Some(t);
            return;
        }
        match solver.damped_defect(&mut control.inside) {
            Some(damped) if damped <= ALLOWED => {
                control.damped.get_or_insert(t);
            }
            _ => control.found = Some(t),
        }
    }

    /// Is the step from `before` good up to `end`? Where it is not, it is taken back and made shorter.
    pub(super) fn is_good_inside(&mut self, before: f64, end: f64) -> Result<bool, RunError> {
        if !self.has_defect_control() || end <= before {
            return Ok(true);
        }
        let step = end - before;
        if self.defects.looked == 0 {
            let due = step > 2.0 * self.defects.proven || self.defects.unproven >= PROBE_EVERY;
            if due && self.solver()?.t_old() == before {
                self.at(before + 0.5 * step, false)?;
            }
        }
        let good = self.confirm_defect(before)?;
        if good {
            self.defects.passed(step);
        }
        Ok(good)
    }

    /// What looked like a defect may be a stiff state; what a matrix has damped may be none. Takes the step back where it is wrong.
    pub(super) fn confirm_defect(&mut self, before: f64) -> Result<bool, RunError> {
        let control = &mut self.defects;
        let Some(t) = control.found.or_else(|| {
            // Trust grows with each time that it was deserved.
            control.wait = control.wait.saturating_sub(u32::from(control.damped.is_some()));
            control.damped.take().filter(|_| control.wait == 0)
        }) else {
            return Ok(true);
        };
        let solver = self.solver.as_mut().ok_or(RunError::Stopped(t))?;
        if solver.t_old() != before {
            // Behind an event that the integrator has not noticed, the step cannot be taken back.
            return Ok(true);
        }
        if !solver.is_explicit() {
            let guesses = solver.model().model().machine.values.clone();
            let displacement = solver.displacement(t, &mut self.defects.inside);
            solver.model_mut().model_mut().machine.values = guesses;
            if displacement <= ALLOWED {
                let control = &mut self.defects;
                control.trust = (2 * control.trust).clamp(1, MAX_TRUST);
                (control.wait, control.found) = (control.trust, None);
                return Ok(true);
            }
        }
        self.defects.trust = 0;
        self.defects.wait = 0;
        self.shorten_step(before, t)?;
        Ok(false)
    }

    /// Makes the last step again, to `t` at most.
    fn shorten_step(&mut self, before: f64, t: f64) -> Result<(), RunError> {
        self.given_up += 1;
        let solver = self.solver()?;
        let step = solver.t() - before;
        solver.reject_step((t - before).min(0.5 * step));
        self.defects.begin();
        self.defects.proven = 0.0;
        self.look_again_from(before)
    }
}
