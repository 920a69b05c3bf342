//! Linear systems with the Jacobian of an [`OdeModel`], for Rosenbrock methods.

use super::ClassicalStep;
use crate::error::ModelError;
use crate::model::{LinearModel, OdeModel};

impl<M: OdeModel> LinearModel for ClassicalStep<M> {
    fn linearize(
        &mut self,
        t: f64,
        h: f64,
        x: &[f64],
        dx: &[f64],
        weights: &[f64],
        by_time: &mut [f64],
    ) -> Result<(), ModelError> {
        let later = t + (1e-7 * h).max(100.0 * f64::EPSILON * t.abs());
        self.work.rhs_evaluations += 1;
        self.model.rhs(later, x, by_time)?;
        for (b, dx) in by_time.iter_mut().zip(dx) {
            *b = (*b - dx) / (later - t);
        }
        self.f.copy_from_slice(dx);
        self.evaluate_jacobian(t, x, weights, h)
    }

    fn prepare(&mut self, gamma: f64) -> Result<(), ModelError> {
        self.factor(gamma)
    }

    fn solve(&mut self, b: &mut [f64]) {
        self.matrix.solve(b);
    }
}
