//! The three stages of Radau IIA for an [`OdeModel`]: one real and one complex system instead of a system of
//! order `3 n`.
//!
//! Hairer & Wanner, *Solving Ordinary Differential Equations II*, §IV.8: with `Z = X - x0` and the inverse
//! `A⁻¹` of the coefficients brought to the block diagonal form `T⁻¹ A⁻¹ T = Λ` of one real and one complex
//! pair of eigenvalues, the simplified Newton iteration for `W = T⁻¹ Z` falls into `(γ/h - J)` and
//! `((α + iβ)/h - J)`. The iteration predicts from its rate of convergence whether it will make it within
//! [`MAX_ITERATIONS`], and keeps the Jacobian while that rate is good.

use serde::{Deserialize, Serialize};

use super::ClassicalStep;
use super::trust::{Correction, Trust};
use crate::error::{ModelError, Reason, Recoverable};
use crate::integrator::RADAU_IIA;
use crate::linear::{Complex, Shifted, Structure};
use crate::model::{OdeModel, StageModel, StageReport, StageRequest};
use crate::weights::{largest, norm};

/// Newton iterations before a step counts as failed.
const MAX_ITERATIONS: u32 = 7;
/// The Jacobian is kept while the iteration contracts at least this well.
const GOOD_CONTRACTION: f64 = 1e-3;
/// Stages that corrections have moved by so many error weights are far from their guess.
const FAR: f64 = 30.0;
/// Relative change of the step size that the factorised matrices tolerate.
const SAME_STEP: f64 = 1e-12;

/// Workspace for the stages of one model.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Stages {
    real: Shifted<f64>,
    complex: Shifted<Complex>,
    /// Step size of the factorised matrices; zero for none.
    h: f64,
    jacobian: JacobianState,
    /// How much of a correction is still to come, `θ/(1-θ)`, as last observed; fades towards one while steps
    /// need only one iteration, so that it is observed again before long.
    remainder: f64,
    /// What the matrices have been seen to do.
    trust: Trust,
    /// The last correction, where only that trust says that it led to the solution.
    unconfirmed: Option<Correction>,
    /// The last step converged so well that the Jacobian may serve another.
    good: bool,
    /// Right-hand sides and corrections: one real, one complex.
    w1: Vec<f64>,
    w23: Vec<Complex>,
    /// Transformed unknowns `W`, three after each other.
    w: Vec<f64>,
    delta: Vec<f64>,
    /// Slopes of stages that are only looked at.
    slopes: Vec<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum JacobianState {
    Missing,
    /// Evaluated before the last accepted step, and not yet proven bad.
    Old,
    /// Evaluated at the start of the step that is being attempted.
    Current,
}

impl Stages {
    fn new(structure: &Structure) -> Self {
        let n = structure.n();
        Stages {
            real: Shifted::new(structure),
            complex: Shifted::new(structure),
            h: 0.0,
            jacobian: JacobianState::Missing,
            remainder: 1.0,
            trust: Trust::default(),
            unconfirmed: None,
            good: false,
            w1: vec![0.0; n],
            w23: vec![Complex::default(); n],
            w: vec![0.0; 3 * n],
            delta: vec![0.0; 3 * n],
            slopes: vec![0.0; 3 * n],
        }
    }

    pub fn accepted(&mut self) {
        self.jacobian = match self.jacobian {
            JacobianState::Missing => JacobianState::Missing,
            _ if self.good => JacobianState::Old,
            _ => JacobianState::Missing,
        };
    }

    pub fn reset(&mut self) {
        self.jacobian = JacobianState::Missing;
        self.h = 0.0;
        self.remainder = 1.0;
    }

    /// The residual of both systems, in error weights and in the size of the unknowns: as a correction would be if nothing were
    /// stiff.
    fn residual(&self, weights: &[f64], h: f64) -> f64 {
        let c = &RADAU_IIA;
        let (real, complex) = (h / c.gamma, h / c.alpha.hypot(c.beta));
        let squares = self.w1.iter().zip(&self.w23).zip(weights).map(|((r, z), w)| {
            let (r, re, im) = (real * r * w, complex * z.re * w, complex * z.im * w);
            r * r + re * re + im * im
        });
        (squares.sum::<f64>() / (3 * self.w1.len()).max(1) as f64).sqrt()
    }

    /// The correction of the stages, in error weights.
    fn size(&self, weights: &[f64]) -> f64 {
        let squares: f64 =
            self.delta.chunks_exact(weights.len().max(1)).map(|d| norm(weights, d).powi(2)).sum();
        (squares / 3.0).sqrt()
    }

    pub fn repivots(&self) -> u64 {
        self.real.repivots() + self.complex.repivots()
    }
}

/// What a stage moves where the transformed unknowns move so.
fn row_of(stage: usize, w: &[f64; 3]) -> f64 {
    let t = &RADAU_IIA.t[stage];
    t[0] * w[0] + t[1] * w[1] + t[2] * w[2]
}

impl<M: OdeModel> ClassicalStep<M> {
    fn prepare_stages(&mut self, stages: &mut Stages, request: &StageRequest) -> Result<(), ModelError> {
        if stages.jacobian == JacobianState::Missing {
            self.rhs(request.t, request.x0)?;
            self.evaluate_jacobian(request.t, request.x0, request.weights, request.h)?;
            stages.jacobian = JacobianState::Current;
            stages.h = 0.0;
        }
        if (request.h - stages.h).abs() > SAME_STEP * request.h.abs() {
            stages.h = 0.0;
            stages.trust = Trust::default();
            self.work.factorisations += 2;
            let lambda = Complex::new(RADAU_IIA.alpha / request.h, RADAU_IIA.beta / request.h);
            let singular = |s: crate::linear::Singular| {
                ModelError::from(Recoverable::at(Reason::SingularMatrix, s.column))
            };
            stages
                .real
                .factor(RADAU_IIA.gamma / request.h, -1.0, self.jacobian.values())
                .map_err(singular)?;
            // As in a step of one stage: the solution that belongs to the past has ended on the way.
            if stages.real.is_negative() {
                return Err(Recoverable::new(Reason::SingularMatrix).into());
            }
            stages
                .complex
                .factor(lambda, Complex::new(-1.0, 0.0), self.jacobian.values())
                .map_err(singular)?;
            stages.h = request.h;
        }
        Ok(())
    }

    /// Evaluates the stages and finds the correction that their residual asks for, in `w1` and `w23`; the size of the residual.
    fn stage_correction(
        &mut self,
        stages: &mut Stages,
        request: &StageRequest,
        x: &[f64],
        dx: &mut [f64],
    ) -> Result<f64, ModelError> {
        let StageRequest { t, h, weights, .. } = *request;
        let n = request.x0.len();
        let c = &RADAU_IIA;
        let (gamma, alpha, beta) = (c.gamma / h, c.alpha / h, c.beta / h);
        for k in 0..3 {
            self.work.rhs_evaluations += 1;
            let stage = k * n..(k + 1) * n;
            self.model.rhs(t + c.c[k] * h, &x[stage.clone()], &mut dx[stage])?;
        }
        for i in 0..n {
            let f = [dx[i], dx[n + i], dx[2 * n + i]];
            let w = [stages.w[i], stages.w[n + i], stages.w[2 * n + i]];
            let row =
                |k: usize| c.t_inverse[k][0] * f[0] + c.t_inverse[k][1] * f[1] + c.t_inverse[k][2] * f[2];
            stages.w1[i] = row(0) - gamma * w[0];
            stages.w23[i] =
                Complex::new(row(1) - alpha * w[1] + beta * w[2], row(2) - alpha * w[2] - beta * w[1]);
        }
        let residual = stages.residual(weights, h);
        stages.real.solve(&mut stages.w1);
        stages.complex.solve(&mut stages.w23);
        self.work.newton_iterations += 1;
        Ok(residual)
    }

    /// Would another correction be as small as it should? The stages are those of the last iteration.
    fn stages_are_right(
        &mut self,
        stages: &mut Stages,
        request: &StageRequest,
        x: &[f64],
    ) -> Result<bool, ModelError> {
        let Some(last) = stages.unconfirmed.take() else { return Ok(true) };
        let n = request.x0.len();
        let mut slopes = std::mem::take(&mut stages.slopes);
        let outcome = self.stage_correction(stages, request, x, &mut slopes);
        stages.slopes = slopes;
        let residual = outcome?;
        for i in 0..n {
            let d = [stages.w1[i], stages.w23[i].re, stages.w23[i].im];
            (0..3).for_each(|k| stages.delta[k * n + i] = row_of(k, &d));
        }
        let next = Correction::after(&last, stages.size(request.weights), residual);
        let right = residual <= request.tolerance || stages.trust.learn(&last, &next);
        if !right {
            self.work.nonlinear_failures += 1;
            (stages.h, stages.jacobian) = (0.0, JacobianState::Missing);
        }
        Ok(right)
    }

    fn iterate_stages(
        &mut self,
        stages: &mut Stages,
        request: &StageRequest,
        x: &mut [f64],
        dx: &mut [f64],
    ) -> Result<StageReport, ModelError> {
        let StageRequest { h, x0, weights, tolerance, .. } = *request;
        let n = x0.len();
        let c = &RADAU_IIA;
        stages.unconfirmed = None;
        for i in 0..n {
            let z = [x[i] - x0[i], x[n + i] - x0[i], x[2 * n + i] - x0[i]];
            for k in 0..3 {
                stages.w[k * n + i] =
                    c.t_inverse[k][0] * z[0] + c.t_inverse[k][1] * z[1] + c.t_inverse[k][2] * z[2];
            }
        }
        stages.remainder = stages.remainder.max(f64::EPSILON).powf(0.8);
        let mut before = Correction::default();
        let (mut verified, mut moved, mut contraction) = (false, 0.0, GOOD_CONTRACTION);
        for iteration in 1..=MAX_ITERATIONS {
            let residual = self.stage_correction(stages, request, x, dx)?;
            for i in 0..n {
                let d = [stages.w1[i], stages.w23[i].re, stages.w23[i].im];
                for k in 0..3 {
                    stages.w[k * n + i] += d[k];
                }
                let w = [stages.w[i], stages.w[n + i], stages.w[2 * n + i]];
                for k in 0..3 {
                    x[k * n + i] = x0[i] + row_of(k, &w);
                    stages.delta[k * n + i] = row_of(k, &d);
                }
            }
            let size = stages.size(weights);
            if !size.is_finite() {
                // The linear systems spread it to all; it came from where a state moves fastest.
                let component = largest(weights, &dx[2 * n..]);
                return Err(Recoverable { reason: Reason::NotFinite, component }.into());
            }
            let mut this = Correction { size, residual, ratio: 0.0 };
            if iteration > 1 {
                this = Correction::after(&before, size, residual);
                verified = stages.trust.learn(&before, &this);
                let rate: f64 = size / before.size.max(f64::EPSILON);
                contraction = if iteration == 2 { rate } else { (rate * contraction).sqrt() };
                if contraction >= 0.99 {
                    break;
                }
                stages.remainder = contraction / (1.0 - contraction);
                let left = (MAX_ITERATIONS - iteration) as i32;
                if stages.remainder * size * contraction.powi(left) > tolerance {
                    break;
                }
            }
            moved += size;
            // The matrices are those of the beginning of the step, and one of them will damp the error estimate. Where stages have
            // moved by far more than an error may be, they must be seen to be right for what is left, too.
            let near = verified && moved <= FAR;
            let believed = residual <= tolerance || stages.trust.covers(&this, near);
            if stages.remainder * size <= tolerance && believed {
                for i in 0..n {
                    let z = [x[i] - x0[i], x[n + i] - x0[i], x[2 * n + i] - x0[i]];
                    for k in 0..3 {
                        let row = &c.a_inverse[k];
                        dx[k * n + i] = (row[0] * z[0] + row[1] * z[1] + row[2] * z[2]) / h;
                    }
                }
                stages.good = contraction <= GOOD_CONTRACTION;
                stages.unconfirmed = (residual > tolerance).then_some(this);
                return Ok(StageReport { iterations: iteration, contraction, keep_step: stages.good });
            }
            before = this;
        }
        stages.remainder = 1.0;
        let component = largest(weights, &stages.delta[..n]);
        Err(Recoverable { reason: Reason::NoConvergence, component }.into())
    }
}

impl<M: OdeModel> StageModel for ClassicalStep<M> {
    fn solve_stages(
        &mut self,
        request: &StageRequest,
        x: &mut [f64],
        dx: &mut [f64],
    ) -> Result<StageReport, ModelError> {
        let mut stages =
            self.stages.take().unwrap_or_else(|| Box::new(Stages::new(self.jacobian.structure())));
        let mut result;
        loop {
            result = self
                .prepare_stages(&mut stages, request)
                .and_then(|()| self.iterate_stages(&mut stages, request, x, dx));
            match &result {
                Err(ModelError::Recoverable(_)) => {
                    self.work.nonlinear_failures += 1;
                    stages.h = 0.0;
                    if stages.jacobian != JacobianState::Old {
                        break;
                    }
                    stages.jacobian = JacobianState::Missing;
                    for stage in x.chunks_exact_mut(request.x0.len().max(1)) {
                        stage.copy_from_slice(request.x0);
                    }
                }
                _ => break,
            }
        }
        self.stages = Some(stages);
        result
    }

    fn confirm_stages(&mut self, request: &StageRequest, x: &[f64]) -> Result<bool, ModelError> {
        let Some(mut stages) = self.stages.take() else { return Ok(true) };
        let outcome = self.stages_are_right(&mut stages, request, x);
        self.stages = Some(stages);
        outcome
    }

    fn filter(
        &mut self,
        _t: f64,
        gamma: f64,
        _x: &[f64],
        _dx: &[f64],
        _weights: &[f64],
        error: &mut [f64],
    ) -> Result<(), ModelError> {
        if let Some(stages) = &mut self.stages {
            // The real matrix is γ/h - J with gamma = h/γ.
            for e in error.iter_mut() {
                *e /= gamma;
            }
            stages.real.solve(error);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::integrator::RADAU_IIA;

    /// `T Λ T⁻¹ = A⁻¹`, `T T⁻¹ = I`, and `A⁻¹ A = I` for the coefficients of the collocation method.
    #[test]
    fn the_transformation_is_that_of_the_method() {
        let c = &RADAU_IIA;
        let product = |a: &[[f64; 3]; 3], b: &[[f64; 3]; 3]| -> [[f64; 3]; 3] {
            std::array::from_fn(|i| std::array::from_fn(|j| (0..3).map(|k| a[i][k] * b[k][j]).sum()))
        };
        let lambda = [[c.gamma, 0.0, 0.0], [0.0, c.alpha, -c.beta], [0.0, c.beta, c.alpha]];
        let identity = product(&c.t, &c.t_inverse);
        let inverse = product(&product(&c.t, &lambda), &c.t_inverse);
        let unit = product(&c.a_inverse, &c.a);
        for i in 0..3 {
            for j in 0..3 {
                let delta = if i == j { 1.0 } else { 0.0 };
                assert!((identity[i][j] - delta).abs() < 1e-13);
                assert!((unit[i][j] - delta).abs() < 1e-13);
                assert!((inverse[i][j] - c.a_inverse[i][j]).abs() < 1e-12, "{i} {j}");
            }
            // Collocation: Σ_j a_ij c_j^(m-1) = c_i^m / m.
            for m in 1..=3 {
                let sum: f64 = (0..3).map(|j| c.a[i][j] * c.c[j].powi(m - 1)).sum();
                assert!((sum - c.c[i].powi(m) / f64::from(m)).abs() < 1e-15);
            }
        }
    }
}
