//! Newton's method for a step where the chord iteration fails again and again, with a new matrix for each correction.
//!
//! A smaller step is the usual answer to an iteration that fails: its guess is nearer to the solution. Where the right-hand side
//! has a corner or rises like an exponential function (a diode), that takes steps far smaller than errors ask for, for as long as
//! the solution stays there. Newton's method finds it from further away where corrections are damped: of each, only so much is
//! taken that the one which would follow with the same matrix is smaller, the natural test of monotonicity (Deuflhard, *Newton
//! Methods for Nonlinear Problems*, §3.3). That bounds by how much arguments of exponential functions change as well: behind a
//! correction too long the next one would be longer.

use super::ClassicalStep;
use super::trust::Correction;
use crate::error::ModelError;
use crate::model::{OdeModel, StepRequest};
use crate::weights::norm;

/// Corrections: those of a step should not cost more than the steps it replaces.
const MAX_CORRECTIONS: u32 = 12;
/// A correction is divided by this until it does good, at most so many times.
const DAMPING: f64 = 4.0;
const MAX_DAMPINGS: u32 = 12;

impl<M: OdeModel> ClassicalStep<M> {
    /// Looks for the solution from the guess of the step; is it in `x`?
    pub(super) fn find_by_newton(
        &mut self,
        request: &StepRequest,
        x: &mut [f64],
    ) -> Result<bool, ModelError> {
        let StepRequest { t, h, weights, tolerance, .. } = *request;
        x.copy_from_slice(&self.guess);
        if !self.evaluate_within(t, x)? {
            return Ok(false);
        }
        let mut residual = Vec::with_capacity(x.len());
        let mut size = self.residual(request, x, &mut residual);
        for _ in 0..MAX_CORRECTIONS {
            match self.evaluate_jacobian(t, x, weights, h).and_then(|()| self.factor(h)) {
                Err(ModelError::Recoverable(_)) => return Ok(false),
                made => made?,
            }
            let mut whole = residual.clone();
            self.matrix.solve(&mut whole);
            let correction = Correction { size: norm(weights, &whole), residual: size, ratio: 0.0 };
            let Some((part, next)) = self.damped(request, x, &whole, &correction, &mut residual)? else {
                return Ok(false);
            };
            size = next.residual;
            if part == 1.0 && self.trust.learn(&correction, &next) && next.size <= tolerance {
                // The next correction is known, and smaller than what is tolerated.
                for (x, c) in x.iter_mut().zip(&self.correction) {
                    *x += c;
                }
                self.rate = next.ratio;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Moves `x` by the part of the correction that does good: this part, and the correction that follows, which is left in
    /// `self.correction`; the residual is made anew. `None` where no part does good.
    fn damped(
        &mut self,
        request: &StepRequest,
        x: &mut [f64],
        whole: &[f64],
        correction: &Correction,
        residual: &mut Vec<f64>,
    ) -> Result<Option<(f64, Correction)>, ModelError> {
        let weights = request.weights;
        let from = x.to_vec();
        let mut part = 1.0;
        for _ in 0..MAX_DAMPINGS {
            self.work.newton_iterations += 1;
            for ((x, from), c) in x.iter_mut().zip(&from).zip(whole) {
                *x = from + part * c;
            }
            if self.evaluate_within(request.t, x)? {
                let left = self.residual(request, x, residual);
                self.correction.copy_from_slice(residual);
                self.matrix.solve(&mut self.correction);
                let size = norm(weights, &self.correction);
                // Half of what a linear equation would leave.
                if size <= (1.0 - 0.5 * part) * correction.size || correction.size == 0.0 {
                    return Ok(Some((part, Correction::after(correction, size, left))));
                }
            }
            part /= DAMPING;
        }
        Ok(None)
    }

    /// Evaluates the derivative; was that possible?
    fn evaluate_within(&mut self, t: f64, x: &[f64]) -> Result<bool, ModelError> {
        match self.rhs(t, x) {
            Ok(()) => Ok(self.f.iter().all(|f| f.is_finite())),
            Err(ModelError::Recoverable(_)) => Ok(false),
            Err(fatal) => Err(fatal),
        }
    }
}
