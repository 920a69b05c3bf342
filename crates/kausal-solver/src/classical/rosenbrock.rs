//! Linear systems with the Jacobian of an [`OdeModel`], for Rosenbrock methods.

use super::ClassicalStep;
use crate::error::ModelError;
use crate::model::{LinearModel, OdeModel, derivative_by_time};

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
        self.work.rhs_evaluations += 1;
        derivative_by_time(t, h, x, dx, by_time, |t, x, dx| self.model.rhs(t, x, dx))?;
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
