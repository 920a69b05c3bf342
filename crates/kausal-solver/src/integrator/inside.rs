//! Inside an accepted step: does the solution that was found there satisfy the equations?
//!
//! The error of a step is estimated from a few evaluations, for most methods at its ends. Whatever happens between them is seen
//! by the *defect*, the derivative at a point of the continuous solution less the slope of that solution there (Enright, *A new
//! error-control for initial value solvers*, Appl. Math. Comput. 31, 1989; Shampine, *Solving ODEs and DDEs with residual
//! control*, Appl. Numer. Math. 52, 2005). What a defect does to the solution over the step is at most about its size times the
//! step; where states are stiff it is far less, for the equations pull the solution back: there the *displacement* counts, the
//! distance to the solution of an implicit step from the same past.

use super::Integrator;
use crate::model::{StepModel, StepRequest};

/// Part of a step over which the slope of the continuous solution is taken: its fourth-degree terms then err by 1e-8 of
/// themselves, and rounding by 1e-12 of the solution.
const SLOPE_SPAN: f64 = 1e-4;

/// Work space for looking inside steps; grows once.
#[derive(Clone, Debug, Default)]
pub struct Inside {
    x: Vec<f64>,
    slope: Vec<f64>,
    other: Vec<f64>,
    dx: Vec<f64>,
}

impl<M: StepModel> Integrator<M> {
    /// A vector in the norm of the error test, measured by the tolerances the user wants; what is not a number is infinite.
    fn tolerances(&self, v: &[f64]) -> f64 {
        let looseness = if let super::Engine::Radau(e) = &self.engine { e.looseness() } else { 1.0 };
        let size = looseness * self.core.weights.norm(v);
        if size.is_nan() { f64::INFINITY } else { size }
    }

    /// Length of the last step.
    fn last_step(&self) -> f64 {
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

    /// Has the model a matrix that tells stiff states from others? Then the defect that was looked at last, as far as that matrix
    /// lets it have effect.
    pub fn damped_defect(&mut self, inside: &mut Inside) -> Option<f64> {
        let Inside { other, .. } = inside;
        self.model.damp(other).then(|| self.tolerances(other))
    }

    /// How far the solution at `t` in the last step is, in tolerances, from that of an implicit step with the same past: from
    /// `x = γ der(x) + old`, where `old` is what the continuous solution says. Infinite where there is no such solution.
    /// `dx` is the derivative at the continuous solution at the last instant that was looked at.
    pub fn displacement(&mut self, t: f64, dx: &[f64], inside: &mut Inside) -> f64 {
        let n = self.core.n();
        self.defect(t, dx, inside);
        let gamma = self.implicit_part() * self.last_step();
        inside.x.resize(n, 0.0);
        inside.dx.resize(n, 0.0);
        self.interpolate(t, &mut inside.x);
        for ((old, x), slope) in inside.other.iter_mut().zip(&inside.x).zip(&inside.slope) {
            *old = x - gamma * slope;
        }
        inside.dx.copy_from_slice(&inside.slope);
        let mut y = std::mem::take(&mut inside.x);
        let weights = self.core.weights.values();
        // A tenth of a tolerance is one digit of what is compared with some tolerances.
        let request = StepRequest { t, h: gamma, old: &inside.other, weights, tolerance: 0.1 };
        let outcome = self.model.step(&request, &mut y, &mut inside.dx);
        self.interpolate(t, &mut inside.other);
        for (y, x) in y.iter_mut().zip(&inside.other) {
            *y -= x;
        }
        let size = self.tolerances(&y);
        inside.x = y;
        if outcome.is_ok() { size } else { f64::INFINITY }
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
