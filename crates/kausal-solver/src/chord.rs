//! The iteration inside an inlined step: the chord method on a few variables.
//!
//! A model that contains its own discretisation (*Inline integration*, Elmqvist, Otter & Cellier 1995) iterates on as few
//! variables as its structure allows and computes the rest from them. What [`ClassicalStep`](crate::ClassicalStep) does for all
//! of `x`, [`Chord`] does for these: one matrix is kept over many steps, small changes of `h` are made good by scaling the
//! correction, the iteration stops when the error that the observed rate of convergence predicts is below the tolerance, and
//! only a failure with a current matrix is one. Iterating on all of `x` it gives the same iterates.
//!
//! Convergence is measured on what the step is for, the states: by how much they changed since the last evaluation
//! ([`StepSystem`]). So it does not matter what is iterated on, and in which units.
//!
//! The matrix depends on `h` in any way, so a new one means a new Jacobian; for a few variables that costs little.

use crate::error::{ModelError, Reason, Recoverable};
use crate::jacobian::Jacobian;
use crate::linear::{Factor, Singular};
use crate::newton::{AsFunction, NonlinearSystem};
use crate::weights::first_not_finite;

/// Steps after which the matrix is made anew even if the iteration still converges.
const MAX_STEPS_PER_MATRIX: u32 = 30;
/// Relative change of `h` that is compensated by scaling the correction.
const MAX_DRIFT: f64 = 0.25;
/// A relative change of `h` below this is none.
const SAME_STEP: f64 = 1e-3;
/// A correction this much larger than the one before means divergence.
const DIVERGENCE: f64 = 1.0;
/// The remembered rate of convergence fades at most by this factor from one iteration to the next.
const RATE_MEMORY: f64 = 0.3;
/// No remembered rate is trusted beyond this: the next step may be less linear than the last.
const BEST_RATE: f64 = 0.01;

/// The equations of a step for its iteration variables.
pub trait StepSystem: NonlinearSystem {
    /// Remembers the states of the last evaluation.
    fn mark(&mut self);

    /// The weighted size of what changed in the states since they were marked; `correction` is what changed in the
    /// iteration variables. The states are marked anew.
    fn change(&mut self, correction: &[f64]) -> f64;

    /// The same before the evaluation, by derivatives of the states, where they are known; nothing is marked.
    fn predict(&mut self, correction: &[f64]) -> Option<f64> {
        let _ = correction;
        None
    }

    /// Moves the states as predicted: this correction was the last one.
    fn finish(&mut self, z: &[f64]) {
        let _ = z;
    }
}

/// What the iteration is told about the step.
#[derive(Clone, Copy, Debug)]
pub struct ChordRequest<'a> {
    /// The factor of the derivative.
    pub h: f64,
    /// Error weights of the iteration variables, for finite differences.
    pub weights: &'a [f64],
    /// The iteration may stop when its weighted error is at most this.
    pub tolerance: f64,
    /// Corrections before the iteration counts as too slow.
    pub most_iterations: u32,
    /// Iterations with a new matrix each, where the chord method has failed: for steps that cannot be repeated with a
    /// smaller size.
    pub persistence: u32,
}

/// Work done by all solves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChordWork {
    /// Iterations.
    pub iterations: u64,
    /// Evaluations of the residuals, those for finite differences included.
    pub residuals: u64,
    /// Matrices.
    pub jacobians: u64,
    /// Iterations that failed.
    pub failures: u64,
}

/// The chord method for systems of one structure. See the [module](self).
#[derive(Clone, Debug)]
pub struct Chord {
    jacobian: Jacobian,
    matrix: Factor,
    /// `h` of the matrix; `None` before the first and after a singular one.
    gamma: Option<f64>,
    steps: u32,
    rate: f64,
    residual: Vec<f64>,
    correction: Vec<f64>,
    start: Vec<f64>,
    work: ChordWork,
}

impl Chord {
    /// Workspace for systems structured like this one. Fails when the pattern is singular whatever the values.
    pub fn new<S: NonlinearSystem>(system: &mut S) -> Result<Self, Singular> {
        let n = system.n();
        let jacobian = Jacobian::new(&AsFunction(system));
        let matrix = Factor::new(jacobian.structure())?;
        let zeros = || vec![0.0; n];
        Ok(Chord {
            jacobian,
            matrix,
            gamma: None,
            steps: 0,
            rate: 1.0,
            residual: zeros(),
            correction: zeros(),
            start: zeros(),
            work: ChordWork::default(),
        })
    }

    /// A step has been accepted: the matrix is one step older.
    pub fn accepted(&mut self) {
        self.steps += 1;
    }

    /// Nothing learned before holds any longer.
    pub fn reset(&mut self) {
        self.gamma = None;
        self.rate = 1.0;
    }

    /// Work done so far.
    pub fn work(&self) -> ChordWork {
        self.work
    }

    /// The largest residual of the last iteration: its place and value.
    pub fn largest_residual(&self) -> Option<(usize, f64)> {
        let sizes = self.residual.iter().copied().enumerate();
        sizes.max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()))
    }

    /// Solves from the guess in `z`. On exit the system was last evaluated at the solution.
    pub fn solve<S: StepSystem>(
        &mut self,
        system: &mut S,
        request: &ChordRequest,
        z: &mut [f64],
    ) -> Result<(), ModelError> {
        self.start.copy_from_slice(z);
        let stale =
            |gamma: f64| self.steps >= MAX_STEPS_PER_MATRIX || (request.h / gamma - 1.0).abs() > MAX_DRIFT;
        let mut fresh = self.gamma.is_none_or(stale);
        loop {
            let attempt = self.attempt(system, request, z, fresh);
            match attempt {
                Ok(()) => return Ok(()),
                Err(ModelError::Recoverable(e)) => {
                    self.work.failures += 1;
                    z.copy_from_slice(&self.start);
                    if fresh {
                        return self.insist(system, request, z, e);
                    }
                    fresh = true;
                }
                Err(fatal) => return Err(fatal),
            }
        }
    }

    fn attempt<S: StepSystem>(
        &mut self,
        system: &mut S,
        request: &ChordRequest,
        z: &mut [f64],
        fresh: bool,
    ) -> Result<(), ModelError> {
        self.evaluate(system, z)?;
        system.mark();
        if fresh {
            self.new_matrix(system, request, z)?;
        }
        self.iterate(system, request, z)
    }

    /// The chord iteration, where the residual at `z` is known.
    fn iterate<S: StepSystem>(
        &mut self,
        system: &mut S,
        request: &ChordRequest,
        z: &mut [f64],
    ) -> Result<(), ModelError> {
        let gamma = self.gamma.unwrap_or(request.h);
        let scale = 2.0 / (1.0 + request.h / gamma);
        // Derivatives of states are as old as the matrix: they hold for its `h`.
        let current = (request.h / gamma - 1.0).abs() <= SAME_STEP;
        // No iteration converges faster than the drift of `h` lets stiff components.
        let slowest = ((1.0 - request.h / gamma).abs() / (1.0 + request.h / gamma)).max(BEST_RATE);
        let mut last = 0.0;
        for iteration in 1..=request.most_iterations {
            self.find_correction(z, scale)?;
            let predicted = if current { system.predict(&self.correction) } else { None };
            let size = match predicted {
                Some(size) => size,
                None => self.evaluate_correction(system, z)?,
            };
            if iteration > 1 {
                self.rate = (RATE_MEMORY * self.rate).max(size / last);
            }
            if size * self.rate.max(slowest).min(1.0) <= request.tolerance {
                if predicted.is_some() {
                    system.finish(z);
                }
                return Ok(());
            }
            if iteration > 1 && size > DIVERGENCE * last {
                break;
            }
            last = size;
            if predicted.is_some() && iteration < request.most_iterations {
                self.evaluate(system, z)?;
                system.mark();
            }
        }
        Err(Recoverable::new(Reason::NoConvergence).into())
    }

    /// Newton's method with a new matrix in each iteration.
    fn insist<S: StepSystem>(
        &mut self,
        system: &mut S,
        request: &ChordRequest,
        z: &mut [f64],
        failure: Recoverable,
    ) -> Result<(), ModelError> {
        for iteration in 0..request.persistence {
            if iteration == 0 {
                self.evaluate(system, z)?;
                system.mark();
            }
            self.new_matrix(system, request, z)?;
            self.find_correction(z, 1.0)?;
            if self.evaluate_correction(system, z)? <= request.tolerance {
                return Ok(());
            }
        }
        self.gamma = None;
        Err(failure.into())
    }

    /// One correction.
    fn find_correction(&mut self, z: &mut [f64], scale: f64) -> Result<(), ModelError> {
        for (c, r) in self.correction.iter_mut().zip(&self.residual) {
            *c = -scale * r;
        }
        self.matrix.solve(&mut self.correction);
        self.work.iterations += 1;
        for (z, c) in z.iter_mut().zip(&self.correction) {
            *z += c;
        }
        match first_not_finite(z) {
            Some(component) => Err(Recoverable::at(Reason::NotFinite, component).into()),
            None => Ok(()),
        }
    }

    /// The evaluation behind a correction; by how much the states changed.
    fn evaluate_correction<S: StepSystem>(&mut self, system: &mut S, z: &[f64]) -> Result<f64, ModelError> {
        self.evaluate(system, z)?;
        let size = system.change(&self.correction);
        match size.is_finite() {
            true => Ok(size),
            false => Err(Recoverable::new(Reason::NotFinite).into()),
        }
    }

    fn evaluate<S: NonlinearSystem>(&mut self, system: &mut S, z: &[f64]) -> Result<(), ModelError> {
        self.work.residuals += 1;
        system.residual(z, &mut self.residual)?;
        match first_not_finite(&self.residual) {
            Some(component) => Err(Recoverable::at(Reason::NotFinite, component).into()),
            None => Ok(()),
        }
    }

    fn new_matrix<S: NonlinearSystem>(
        &mut self,
        system: &mut S,
        request: &ChordRequest,
        z: &[f64],
    ) -> Result<(), ModelError> {
        self.gamma = None;
        self.work.jacobians += 1;
        let weights = request.weights;
        // Below the tolerance by far, above rounding errors by far.
        let increment =
            |j: usize| (f64::EPSILON.sqrt() * z[j].abs()).max(1e-3 / weights[j].max(f64::MIN_POSITIVE));
        let evaluations = self.jacobian.evaluate(&mut AsFunction(system), z, &self.residual, increment)?;
        self.work.residuals += evaluations;
        if first_not_finite(self.jacobian.values()).is_some() {
            return Err(Recoverable::new(Reason::NotFinite).into());
        }
        let factored = self.matrix.factor(self.jacobian.values());
        factored.map_err(|singular| Recoverable::at(Reason::SingularMatrix, singular.column))?;
        (self.gamma, self.steps, self.rate) = (Some(request.h), 0, 1.0);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classical::ClassicalStep;
    use crate::model::{Ode, StepModel, StepRequest};
    use crate::weights::norm;

    /// `x = h f(x) + old` with all of `x` iterated on.
    struct Whole {
        h: f64,
        old: [f64; 2],
    }

    fn rate(x: &[f64], dx: &mut [f64]) {
        dx[0] = x[1];
        dx[1] = 50.0 * (1.0 - x[0] * x[0]) * x[1] - x[0];
    }

    impl NonlinearSystem for Whole {
        fn n(&self) -> usize {
            2
        }
        fn residual(&mut self, x: &[f64], r: &mut [f64]) -> Result<(), ModelError> {
            let mut dx = [0.0; 2];
            rate(x, &mut dx);
            for i in 0..2 {
                r[i] = x[i] - self.h * dx[i] - self.old[i];
            }
            Ok(())
        }
        fn has_jacobian(&self) -> bool {
            true
        }
        fn jacobian(&mut self, x: &[f64], j: &mut [f64]) -> Result<(), ModelError> {
            let h = self.h;
            j.copy_from_slice(&[
                1.0,
                h * (100.0 * x[0] * x[1] + 1.0),
                -h,
                1.0 - h * 50.0 * (1.0 - x[0] * x[0]),
            ]);
            Ok(())
        }
    }

    impl StepSystem for Whole {
        fn mark(&mut self) {}
        fn change(&mut self, correction: &[f64]) -> f64 {
            norm(&[1e6; 2], correction)
        }
    }

    /// The paper's special case of a pure ODE: the same iteration as in the classical interface. The oracle is
    /// `ClassicalStep`, whose Jacobian is one of finite differences, hence the tolerance.
    #[test]
    fn all_of_x_gives_the_iterates_of_the_classical_interface() {
        let mut classical = ClassicalStep::new(Ode::new(2, |_, x: &[f64], dx: &mut [f64]| rate(x, dx)));
        let mut x = vec![2.0, 0.1];
        let mut z = x.clone();
        let weights = [1e6, 1e6];
        let mut system = Whole { h: 0.0, old: [0.0; 2] };
        let mut chord = Chord::new(&mut system).unwrap();
        for step in 0..20 {
            let h = if step < 10 { 1e-3 } else { 1.1e-3 };
            let old = [x[0], x[1]];
            let mut dx = vec![0.0; 2];
            classical
                .step(
                    &StepRequest { t: 0.0, h, old: &old, weights: &weights, tolerance: 0.04 },
                    &mut x,
                    &mut dx,
                )
                .unwrap();
            classical.accepted(0.0, &x, &dx);
            (system.h, system.old) = (h, [z[0], z[1]]);
            let request =
                ChordRequest { h, weights: &weights, tolerance: 0.04, most_iterations: 3, persistence: 0 };
            chord.solve(&mut system, &request, &mut z).unwrap();
            chord.accepted();
            for i in 0..2 {
                assert!((x[i] - z[i]).abs() < 1e-9, "step {step}: {} and {}", x[i], z[i]);
            }
        }
        assert_eq!(chord.work().iterations, classical.work().newton_iterations);
        assert_eq!(chord.work().jacobians, classical.work().jacobians);
    }

    #[test]
    fn a_root_that_is_far_away_needs_persistence() {
        struct Cube;
        impl NonlinearSystem for Cube {
            fn n(&self) -> usize {
                1
            }
            fn residual(&mut self, x: &[f64], r: &mut [f64]) -> Result<(), ModelError> {
                r[0] = x[0].powi(3) - 8.0;
                Ok(())
            }
        }
        impl StepSystem for Cube {
            fn mark(&mut self) {}
            fn change(&mut self, correction: &[f64]) -> f64 {
                norm(&[1e6], correction)
            }
        }
        let mut chord = Chord::new(&mut Cube).unwrap();
        let mut request =
            ChordRequest { h: 1.0, weights: &[1e6], tolerance: 0.1, most_iterations: 3, persistence: 0 };
        let mut z = [5.0];
        assert!(chord.solve(&mut Cube, &request, &mut z).is_err());
        assert_eq!(z, [5.0], "the guess is kept");
        request.persistence = 20;
        chord.solve(&mut Cube, &request, &mut z).unwrap();
        assert!((z[0] - 2.0).abs() < 1e-6);
    }
}
