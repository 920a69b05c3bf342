//! Inside an accepted step: does the solution that was found there satisfy the equations?
//!
//! The error of a step is estimated from a few evaluations, for most methods at its ends. Whatever happens between them is seen
//! by the *defect*, the derivative at a point of the continuous solution less the slope of that solution there (Enright, *A new
//! error-control for initial value solvers*, Appl. Math. Comput. 31, 1989; Shampine, *Solving ODEs and DDEs with residual
//! control*, Appl. Numer. Math. 52, 2005). What a defect does to the solution over the step is at most about its size times the
//! step; where states are stiff it is far less, for the equations pull the solution back: there the *displacement* counts, the
//! distance to the solution of an implicit step from the same past.

use serde::{Deserialize, Serialize};

use super::Integrator;
use crate::model::{StepModel, StepRequest};

/// Part of a step over which the slope of the continuous solution is taken: its fourth-degree terms then err by 1e-8 of
/// themselves, and rounding by 1e-12 of the solution.
const SLOPE_SPAN: f64 = 1e-4;

/// Work space for looking inside steps; grows once.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Inside {
    x: Vec<f64>,
    slope: Vec<f64>,
    other: Vec<f64>,
    dx: Vec<f64>,
    /// How fast the equations pull each state back, as the last implicit step has shown it; empty before the first.
    stiffness: Vec<f64>,
}

impl Inside {
    /// The equations are others now.
    pub fn forget(&mut self) {
        self.stiffness.clear();
    }
}

impl<M: StepModel> Integrator<M> {
    /// A vector in the norm of the error test, measured by the tolerances the user wants; what is not a number is infinite.
    fn tolerances(&self, v: &[f64]) -> f64 {
        let looseness = if let super::Engine::Radau(e) = &self.engine { e.looseness() } else { 1.0 };
        let size = looseness * self.core.weights.norm(v);
        if size.is_nan() { f64::INFINITY } else { size }
    }

    /// Length of the last step.
    pub(super) fn last_step(&self) -> f64 {
        self.core.t - self.core.t_old
    }

    /// How far the solution is off, in tolerances, if the defect at `t` was the same all over the last step.
    /// `dx` is the derivative at the continuous solution at `t`.
    pub fn defect(&self, t: f64, dx: &[f64], inside: &mut Inside) -> f64 {
        let n = dx.len();
        let (t_old, h) = (self.core.t_old, self.last_step());
        let reach = SLOPE_SPAN * h;
        let (before, after) = ((t - reach).max(t_old), (t + reach).min(self.core.t));
        if after <= before || after.is_nan() {
            return 0.0;
        }
        inside.slope.resize(n, 0.0);
        inside.other.resize(n, 0.0);
        self.interpolate(after, &mut inside.slope);
        self.interpolate(before, &mut inside.other);
        let per_span = 1.0 / (after - before);
        for ((slope, other), dx) in inside.slope.iter_mut().zip(&mut inside.other).zip(dx) {
            *slope = (*slope - *other) * per_span;
            *other = h * (dx - *slope);
        }
        self.tolerances(&inside.other)
    }

    /// The defect that was looked at last, as far as the equations let it have effect: by the matrix of the model, or state by
    /// state as the last implicit step inside has shown it. Nothing where neither is known.
    pub fn damped_defect(&mut self, inside: &mut Inside) -> Option<f64> {
        let gamma = self.implicit_part() * self.last_step();
        let Inside { other, stiffness, .. } = inside;
        if !self.model.damp(other) {
            if stiffness.len() != other.len() {
                return None;
            }
            other.iter_mut().zip(stiffness).for_each(|(d, rate)| *d /= 1.0 + gamma * *rate);
        }
        Some(self.tolerances(other))
    }

    /// How far the solution at `t` in the last step is, in tolerances, from that of an implicit step with the same past: from
    /// `x = γ der(x) + old`, where `old` is what the continuous solution says. Infinite where there is no such solution.
    /// `dx` is the derivative at the continuous solution at the last instant that was looked at.
    pub fn displacement(&mut self, t: f64, dx: &[f64], inside: &mut Inside) -> f64 {
        if !self.implicit_step(t, dx, inside) {
            inside.stiffness.clear();
            return f64::INFINITY;
        }
        inside.other.resize(inside.x.len(), 0.0);
        self.interpolate(t, &mut inside.other);
        for (y, x) in inside.x.iter_mut().zip(&inside.other) {
            *y -= x;
        }
        // By how much less than its defect alone would move it each state was moved.
        let gamma = self.implicit_part() * self.last_step();
        let alone = dx.iter().zip(&inside.slope).map(|(dx, slope)| gamma * (dx - slope));
        inside.stiffness.clear();
        let rate = |(moved, alone): (&f64, f64)| ((alone / moved).abs() - 1.0).clamp(0.0, f64::MAX) / gamma;
        let known = |rate: f64| if rate.is_nan() { 0.0 } else { rate.min(f64::MAX) };
        inside.stiffness.extend(inside.x.iter().zip(alone).map(rate).map(known));
        self.tolerances(&inside.x)
    }

    /// The derivative in the solution of that step: where states are stiff, that on the continuous solution may be anything.
    pub fn implicit_slopes(&mut self, t: f64, dx: &[f64], inside: &mut Inside) -> Option<Vec<f64>> {
        self.implicit_step(t, dx, inside).then(|| inside.dx.clone())
    }

    /// Solves for the step; is there a solution? It is in `x` and `dx` then.
    fn implicit_step(&mut self, t: f64, dx: &[f64], inside: &mut Inside) -> bool {
        let n = self.core.n();
        inside.slope.clear();
        self.defect(t, dx, inside);
        if inside.slope.len() != n {
            // The step is too short to have a slope.
            return false;
        }
        let gamma = self.implicit_part() * self.last_step();
        inside.x.resize(n, 0.0);
        inside.dx.resize(n, 0.0);
        self.interpolate(t, &mut inside.x);
        for ((old, x), slope) in inside.other.iter_mut().zip(&inside.x).zip(&inside.slope) {
            *old = x - gamma * slope;
        }
        inside.dx.copy_from_slice(&inside.slope);
        let weights = self.core.weights.values();
        // A tenth of a tolerance is one digit of what is compared with some tolerances.
        let request = StepRequest { t, h: gamma, old: &inside.other, weights, tolerance: 0.1 };
        self.model.step(&request, &mut inside.x, &mut inside.dx).is_ok()
    }

    /// Takes the last step back; the next one is at most `h` long. For what is wrong inside a step that its own error estimate has
    /// not seen.
    pub fn reject_step(&mut self, h: f64) {
        let t = self.core.t_old;
        let mut x = self.core.x.clone();
        self.interpolate(t, &mut x);
        self.core.x = x;
        self.core.t = t;
        self.core.steps -= 1;
        self.core.rejected += 1;
        self.ready = false;
        self.resume(h);
    }
}
