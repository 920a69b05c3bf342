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
use crate::weights::{first_not_finite, norm};

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

/// After so many predicted corrections one is evaluated, to see how fast the iteration converges by now.
const PREDICTED: u32 = 4;
/// Corrections below this part of the tolerance are rounding, and do not tell how fast.
const TELLING: f64 = 0.01;

/// The equations of a step for its iteration variables.
pub trait StepSystem: NonlinearSystem {
    /// Are there states that follow from the iteration variables? They are near their solution from the first evaluation on, and
    /// corrections tell little about how old the matrix is. Where all states are iterated on, the way they come is seen.
    fn computes_states(&self) -> bool {
        false
    }

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
    /// Corrections in a row that were predicted.
    predicted: u32,
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
            predicted: 0,
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
        let measures = system.computes_states();
        // The next correction is known.
        let mut ahead = false;
        for iteration in 1..=request.most_iterations {
            if !std::mem::take(&mut ahead) {
                self.find_correction(scale);
            }
            self.apply_correction(z)?;
            let may_predict = current && (!measures || self.predicted < PREDICTED);
            let predicted = if may_predict { system.predict(&self.correction) } else { None };
            let size = match predicted {
                Some(size) => size,
                None => self.evaluate_correction(system, z)?,
            };
            if predicted.is_none() && measures && size > TELLING * request.tolerance {
                let before = norm(request.weights, &self.correction);
                self.find_correction(scale);
                ahead = true;
                self.rate = (RATE_MEMORY * self.rate).max(norm(request.weights, &self.correction) / before);
                self.predicted = 0;
            } else if iteration > 1 {
                self.rate = (RATE_MEMORY * self.rate).max(size / last);
            }
            if size * self.rate.max(slowest).min(1.0) <= request.tolerance {
                if predicted.is_some() {
                    self.predicted += 1;
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
            self.find_correction(1.0);
            self.apply_correction(z)?;
            if self.evaluate_correction(system, z)? <= request.tolerance {
                return Ok(());
            }
        }
        self.gamma = None;
        Err(failure.into())
    }

    /// The correction that the residual asks for.
    fn find_correction(&mut self, scale: f64) {
        for (c, r) in self.correction.iter_mut().zip(&self.residual) {
            *c = -scale * r;
        }
        self.matrix.solve(&mut self.correction);
    }

    fn apply_correction(&mut self, z: &mut [f64]) -> Result<(), ModelError> {
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
    use std::cell::RefCell;

    use super::*;
    use crate::classical::ClassicalStep;
    use crate::model::{OdeModel, StepModel, StepRequest};
    use crate::weights::norm;

    /// `x = h f(x) + old` with all of `x` iterated on; where it was evaluated.
    struct Whole {
        h: f64,
        old: [f64; 2],
        asked: Vec<[f64; 2]>,
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
            self.asked.push([x[0], x[1]]);
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

    /// The same right-hand side for the classical interface.
    struct Classical<'a> {
        asked: &'a RefCell<Vec<[f64; 2]>>,
    }

    impl OdeModel for Classical<'_> {
        fn n(&self) -> usize {
            2
        }
        fn rhs(&mut self, _: f64, x: &[f64], dx: &mut [f64]) -> Result<(), ModelError> {
            self.asked.borrow_mut().push([x[0], x[1]]);
            rate(x, dx);
            Ok(())
        }
        fn has_jacobian(&self) -> bool {
            true
        }
        fn jacobian(&mut self, _: f64, x: &[f64], j: &mut [f64]) -> Result<(), ModelError> {
            j.copy_from_slice(&[0.0, -100.0 * x[0] * x[1] - 1.0, 1.0, 50.0 * (1.0 - x[0] * x[0])]);
            Ok(())
        }
        fn keeps_jacobian(&self) -> bool {
            false
        }
    }

    /// `der(x) + w³ + e^der(x) w = x` and `w + w⁵ = sin(x) der(x) + der(x)³`, iterated on `der(x)` and `w`.
    struct Implicit {
        h: f64,
        old: f64,
        asked: Vec<[f64; 2]>,
    }

    impl Implicit {
        fn residuals(d: f64, x: f64, w: f64) -> [f64; 2] {
            [d + w.powi(3) + d.exp() * w - x, w + w.powi(5) - x.sin() * d - d.powi(3)]
        }

        /// By der(x), x and w.
        fn slopes(d: f64, x: f64, w: f64) -> [[f64; 3]; 2] {
            let first = [1.0 + d.exp() * w, -1.0, 3.0 * w * w + d.exp()];
            [first, [-x.sin() - 3.0 * d * d, -x.cos() * d, 1.0 + 5.0 * w.powi(4)]]
        }
    }

    impl NonlinearSystem for Implicit {
        fn n(&self) -> usize {
            2
        }
        fn residual(&mut self, z: &[f64], r: &mut [f64]) -> Result<(), ModelError> {
            self.asked.push([z[0], z[1]]);
            r.copy_from_slice(&Implicit::residuals(z[0], self.h * z[0] + self.old, z[1]));
            Ok(())
        }
        fn has_jacobian(&self) -> bool {
            true
        }
        fn jacobian(&mut self, z: &[f64], j: &mut [f64]) -> Result<(), ModelError> {
            let [a, b] = Implicit::slopes(z[0], self.h * z[0] + self.old, z[1]);
            j.copy_from_slice(&[a[0] + self.h * a[1], b[0] + self.h * b[1], a[2], b[2]]);
            Ok(())
        }
    }

    impl StepSystem for Implicit {
        fn mark(&mut self) {}
        fn change(&mut self, correction: &[f64]) -> f64 {
            norm(&[1e9; 2], correction)
        }
    }

    impl StepSystem for Whole {
        fn mark(&mut self) {}
        fn change(&mut self, correction: &[f64]) -> f64 {
            norm(&[1e6; 2], correction)
        }
    }

    /// The paper's special case of a pure ODE: the same iterates as in the classical interface, evaluation by evaluation. The
    /// oracle is `ClassicalStep`, told the same derivatives, and to make them anew with each matrix as this iteration does.
    #[test]
    fn all_of_x_gives_the_iterates_of_the_classical_interface() {
        let asked = RefCell::new(Vec::new());
        let mut classical = ClassicalStep::new(Classical { asked: &asked });
        let mut x = vec![2.0, 0.1];
        let mut z = x.clone();
        let weights = [1e6, 1e6];
        let mut system = Whole { h: 0.0, old: [0.0; 2], asked: Vec::new() };
        let mut chord = Chord::new(&mut system).unwrap();
        let mut iterated_twice = false;
        for step in 0..60 {
            // Steps that stay, drift, and change: matrices that are kept, scaled, and made anew.
            let h = [1e-3, 1.1e-3, 2e-3][step / 10 % 3];
            let old = [x[0], x[1]];
            let mut dx = vec![0.0; 2];
            let request = StepRequest { t: 0.0, h, old: &old, weights: &weights, tolerance: 0.04 };
            asked.borrow_mut().clear();
            classical.step(&request, &mut x, &mut dx).unwrap();
            classical.accepted(0.0, &x, &dx);
            (system.h, system.old) = (h, [z[0], z[1]]);
            system.asked.clear();
            let request =
                ChordRequest { h, weights: &weights, tolerance: 0.04, most_iterations: 3, persistence: 0 };
            chord.solve(&mut system, &request, &mut z).unwrap();
            chord.accepted();
            // This iteration looks at the residual once more behind the last correction of an attempt; there are at most two.
            let asked = asked.borrow();
            assert!(system.asked.len() <= asked.len() + 2, "step {step}");
            iterated_twice |= asked.len() > 1;
            let mut own = system.asked.iter();
            let near = |a: f64, b: f64| (a - b).abs() < 1e-13 * (1.0 + a.abs());
            for a in asked.iter().chain([&[x[0], x[1]]]) {
                let found = own.any(|b| near(a[0], b[0]) && near(a[1], b[1]));
                assert!(found, "step {step}: {a:?} is not among {:?}", system.asked);
            }
        }
        assert!(iterated_twice, "some steps take more than one correction");
        assert_eq!(chord.work().iterations, classical.work().newton_iterations);
        assert_eq!(chord.work().jacobians, classical.work().jacobians);
    }

    /// The paper's other special case, an implicit DAE `F(der(x), x, w) = 0`: the iterates on `der(x)` and `w` are those of the
    /// classical interface of DAE solvers, which iterates on `x` and `w` with `der(x) = (x - old)/h`. For Newton's method, and
    /// the chord method, it makes no difference in which of two variables that are linear in each other it is written. The
    /// oracle is that iteration, written down.
    #[test]
    fn an_implicit_dae_gives_the_iterates_of_the_classical_interface() {
        // The first guess is off by a percent or so; the others are the last solution.
        let weights = [1e9, 1e9];
        let (mut x, mut d, mut w) = (1.0, 0.39, 0.38);
        for step in 0..20 {
            let h = 1e-2 * (1.0 + 0.05 * f64::from(step));
            let old = x;
            let mut system = Implicit { h, old, asked: Vec::new() };
            let mut chord = Chord::new(&mut system).unwrap();
            let mut z = [d, w];
            let request =
                ChordRequest { h, weights: &weights, tolerance: 0.1, most_iterations: 30, persistence: 0 };
            chord.solve(&mut system, &request, &mut z).unwrap();
            // On x and w, with the matrix of the first guess.
            let (mut u, mut v) = (old + h * d, w);
            let rows = Implicit::slopes((u - old) / h, u, v);
            let [a, b] = rows.map(|[by_d, by_x, by_w]| [by_d / h + by_x, by_w]);
            let determinant = a[0] * b[1] - a[1] * b[0];
            assert!(system.asked.len() > 2, "step {step}: more than one correction");
            for asked in &system.asked {
                let (mapped, scale) = (old + h * asked[0], 1.0 + u.abs() + v.abs());
                let off = (mapped - u).abs().max((asked[1] - v).abs());
                assert!(off < 1e-12 * scale, "step {step}: {asked:?} instead of {u}, {v}");
                let r = Implicit::residuals((u - old) / h, u, v);
                u -= (r[0] * b[1] - r[1] * a[1]) / determinant;
                v -= (a[0] * r[1] - b[0] * r[0]) / determinant;
            }
            (d, w) = (z[0], z[1]);
            x = old + h * d;
        }
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
