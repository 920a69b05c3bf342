//! Newton's method for `F(x) = 0`: damped, scaled, within bounds, with a Jacobian that is kept while it
//! serves.
//!
//! Unknowns are measured in their own size, `max(|x_i|, nominal_i)`, so that the method does not depend on
//! units. Corrections, not residuals, decide: the natural level function `‖J⁻¹ F‖` does not change when
//! equations are multiplied or exchanged (Deuflhard, *Newton Methods for Nonlinear Problems*, §3.3: the
//! error-oriented algorithm with its prediction and correction of the damping factor). Each solve first tries
//! the chord method with the matrix of the last one; one step that contracts well needs no new Jacobian.
//! Values stay between `min` and `max`: a trial point outside is projected.
//!
//! Where equations have kinks (`verify`), damping alone leads to a kink but never across: on the near side every step that stays
//! there is an improvement, on the far side a steep piece makes all look worse. A step that is cut shorter than the one
//! before it therefore goes as far as it can, which is beyond the kink, and the next matrix is that of the piece there
//! (`newton/kinks.rs`).
//!
//! [`Newton::solve`] allocates nothing. When it fails, the iterate is left where it stands and
//! [`Newton::report`] tells which residuals and which variables stand in the way.
//!
//! ```
//! use kausal_solver::newton::{Newton, NewtonOptions, NonlinearSystem};
//! use kausal_solver::ModelError;
//!
//! struct Circle;
//! impl NonlinearSystem for Circle {
//!     fn n(&self) -> usize { 2 }
//!     fn residual(&mut self, x: &[f64], r: &mut [f64]) -> Result<(), ModelError> {
//!         r[0] = x[0] * x[0] + x[1] * x[1] - 4.0;
//!         r[1] = x[0] - x[1];
//!         Ok(())
//!     }
//! }
//! let mut newton = Newton::new(&mut Circle, NewtonOptions::default()).unwrap();
//! let mut x = [1.0, 0.5];
//! newton.solve(&mut Circle, &mut x).unwrap();
//! assert!((x[0] - 2f64.sqrt()).abs() < 1e-11);
//! ```

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::error::{ModelError, Reason, Recoverable};
use crate::jacobian::{Function, Jacobian};
use crate::linear::{Factor, Pattern, Singular};

mod kinks;

/// A contraction up to this lets the matrix serve for another iteration.
const GOOD_CONTRACTION: f64 = 0.25;
/// A contraction worse than this ends the chord iteration.
const BAD_CONTRACTION: f64 = 0.5;
/// The least contraction assumed before one has been observed.
const UNSEEN_CONTRACTION: f64 = 0.1;
/// Iterations of the chord method before a new Jacobian.
const CHORD_ITERATIONS: u32 = 8;
/// Iterations that leave at most this part of the residual make progress and are not counted, as long as there is a number to be
/// made smaller: so often goes a quarter off the largest until the smallest is left, `2098 ln 2 / ln 4/3`.
const PROGRESS: f64 = 0.75;
const MAX_PROGRESS: u32 = 5055;
/// Corrections that stagnate below this many tolerances count as solved: rounding errors allow no better.
const ROUNDING_ALLOWANCE: f64 = 1e3;

/// Equations `F(x) = 0` for as many unknowns.
pub trait NonlinearSystem {
    /// Number of unknowns.
    fn n(&self) -> usize;

    /// `r = F(x)`.
    fn residual(&mut self, x: &[f64], r: &mut [f64]) -> Result<(), ModelError>;

    /// Where the Jacobian may differ from zero; `None` means anywhere.
    fn jacobian_pattern(&self) -> Option<Pattern> {
        None
    }

    /// Whether [`jacobian`](Self::jacobian) is there. Else it is found by finite differences.
    fn has_jacobian(&self) -> bool {
        false
    }

    /// The Jacobian: on the pattern if there is one, else column-major.
    fn jacobian(&mut self, x: &[f64], values: &mut [f64]) -> Result<(), ModelError> {
        let _ = (x, values);
        Err(ModelError::fatal("this system has no Jacobian"))
    }

    /// The size of unknown `i` that is usual, a positive number.
    fn nominal(&self, i: usize) -> f64 {
        let _ = i;
        1.0
    }

    /// Smallest and largest value of unknown `i`.
    fn bounds(&self, i: usize) -> (f64, f64) {
        let _ = i;
        (f64::NEG_INFINITY, f64::INFINITY)
    }
}

impl<S: NonlinearSystem + ?Sized> NonlinearSystem for &mut S {
    fn n(&self) -> usize {
        (**self).n()
    }
    fn residual(&mut self, x: &[f64], r: &mut [f64]) -> Result<(), ModelError> {
        (**self).residual(x, r)
    }
    fn jacobian_pattern(&self) -> Option<Pattern> {
        (**self).jacobian_pattern()
    }
    fn has_jacobian(&self) -> bool {
        (**self).has_jacobian()
    }
    fn jacobian(&mut self, x: &[f64], values: &mut [f64]) -> Result<(), ModelError> {
        (**self).jacobian(x, values)
    }
    fn nominal(&self, i: usize) -> f64 {
        (**self).nominal(i)
    }
    fn bounds(&self, i: usize) -> (f64, f64) {
        (**self).bounds(i)
    }
}

/// Tolerance and limits.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct NewtonOptions {
    /// Largest relative error of an unknown, in units of its size.
    pub tolerance: f64,
    /// Iterations with a new Jacobian.
    pub max_iterations: u32,
    /// Smallest damping factor.
    pub min_damping: f64,
    /// First damping factor: one unless the start is known to be bad.
    pub first_damping: f64,
    /// Whether the matrix of one solve is tried in the next.
    pub reuse_jacobian: bool,
    /// Whether a solution found with the matrix of another point is looked at with its own: where the equations have
    /// kinks, a steep piece makes residuals of the piece beside it look small.
    pub verify: bool,
}

impl Default for NewtonOptions {
    fn default() -> Self {
        NewtonOptions {
            tolerance: 1e-12,
            max_iterations: 100,
            min_damping: 1e-8,
            first_damping: 1.0,
            reuse_jacobian: true,
            verify: false,
        }
    }
}

/// How a solve went.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solved {
    /// Iterations, those of the chord method included.
    pub iterations: u32,
    /// Size of the last correction.
    pub correction: f64,
}

/// Work done by all solves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewtonWork {
    /// Solves.
    pub solves: u64,
    /// Iterations.
    pub iterations: u64,
    /// Evaluations of the residual.
    pub residuals: u64,
    /// Evaluations of the Jacobian.
    pub jacobians: u64,
    /// Solves that failed.
    pub failures: u64,
}

/// Newton's method for systems of one structure. See the [module](self).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Newton {
    options: NewtonOptions,
    jacobian: Jacobian,
    matrix: Factor,
    /// The factorised matrix may be used.
    has_matrix: bool,
    nominal: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    scale: Vec<f64>,
    start: Vec<f64>,
    residual: Vec<f64>,
    correction: Vec<f64>,
    trial: Vec<f64>,
    trial_residual: Vec<f64>,
    /// Simplified correction at the trial point: the old matrix, the new residual.
    simplified: Vec<f64>,
    /// Observed contraction of the chord method.
    contraction: f64,
    /// The last damping factor that was refused since a search for one began, if there was one.
    refused: Option<f64>,
    work: NewtonWork,
    /// Where the last solve ended, for the report.
    last: Last,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Last {
    x: Vec<f64>,
    iterations: u32,
    damping: f64,
    failure: Option<Recoverable>,
}

impl Newton {
    /// Workspace for systems structured like this one. Fails when the pattern is singular whatever the
    /// values.
    pub fn new<S: NonlinearSystem>(system: &mut S, options: NewtonOptions) -> Result<Self, Singular> {
        let n = system.n();
        let nominal = (0..n).map(|i| usable(system.nominal(i))).collect();
        let bounds: Vec<_> = (0..n).map(|i| system.bounds(i)).collect();
        let jacobian = Jacobian::new(&AsFunction(system));
        let matrix = Factor::new(jacobian.structure())?;
        let zeros = || vec![0.0; n];
        Ok(Newton {
            options,
            jacobian,
            matrix,
            has_matrix: false,
            nominal,
            lower: bounds.iter().map(|b| b.0).collect(),
            upper: bounds.iter().map(|b| b.1).collect(),
            scale: zeros(),
            start: zeros(),
            residual: zeros(),
            correction: zeros(),
            trial: zeros(),
            trial_residual: zeros(),
            simplified: zeros(),
            contraction: 1.0,
            refused: None,
            work: NewtonWork::default(),
            last: Last { x: zeros(), ..Last::default() },
        })
    }

    /// The options, to change them between solves.
    pub fn options_mut(&mut self) -> &mut NewtonOptions {
        &mut self.options
    }

    /// Forgets the Jacobian, as when the equations have changed.
    pub fn reset(&mut self) {
        self.has_matrix = false;
        self.contraction = 1.0;
    }

    /// Work done so far.
    pub fn work(&self) -> NewtonWork {
        self.work
    }

    /// Sets the bounds of an unknown.
    pub fn set_bounds(&mut self, i: usize, lower: f64, upper: f64) {
        (self.lower[i], self.upper[i]) = (lower, upper);
    }

    /// Solves `F(x) = 0` from the guess in `x`, which is overwritten by the solution, or by the last iterate
    /// on failure.
    pub fn solve<S: NonlinearSystem>(&mut self, system: &mut S, x: &mut [f64]) -> Result<Solved, ModelError> {
        self.work.solves += 1;
        self.last.iterations = 0;
        self.last.damping = 1.0;
        self.last.failure = None;
        let outside = (0..x.len()).any(|i| x[i] < self.lower[i] || x[i] > self.upper[i]);
        let guess = outside.then(|| x.to_vec());
        let mut outcome = self.attempt(system, x);
        // A guess beyond a bound was moved onto it, where the matrix may be singular.
        if let (Err(ModelError::Recoverable(_)), Some(guess)) = (&outcome, guess) {
            x.copy_from_slice(&guess);
            self.mirror(x);
            self.has_matrix = false;
            outcome = self.attempt(system, x);
        }
        if let Err(error) = &outcome {
            self.work.failures += 1;
            self.has_matrix = false;
            self.contraction = 1.0;
            if let ModelError::Recoverable(e) = error {
                self.last.failure = Some(*e);
            }
            self.last.x.copy_from_slice(x);
        }
        outcome
    }

    /// One damped step. `x` stays where no step is an improvement.
    pub(crate) fn advance<S: NonlinearSystem>(
        &mut self,
        system: &mut S,
        x: &mut [f64],
    ) -> Result<(), ModelError> {
        self.project(x);
        self.set_scale(x);
        self.last.iterations = 0;
        let outcome = self.evaluate(system, x).and_then(|()| self.steps(system, x, 1, 0));
        self.reset();
        match outcome {
            Ok(_) => Ok(()),
            Err(ModelError::Recoverable(Recoverable { reason: Reason::NoConvergence, .. })) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Why the last solve failed. Allocates; empty after a success.
    pub fn report(&self) -> NewtonReport {
        const SHOWN: usize = 5;
        let n = self.scale.len();
        let mut sizes = vec![0.0; n];
        self.jacobian.row_sizes(&self.scale, &mut sizes);
        let relative = |i: usize| self.residual[i].abs() / if sizes[i] > 0.0 { sizes[i] } else { 1.0 };
        let largest = |size: &dyn Fn(usize) -> f64, value: &[f64]| {
            let mut order: Vec<usize> = (0..n).collect();
            // Not-a-number first: it is the worst there is.
            order.sort_by(|&a, &b| {
                let (a_size, b_size) = (size(a), size(b));
                b_size.is_nan().cmp(&a_size.is_nan()).then(b_size.total_cmp(&a_size)).then(a.cmp(&b))
            });
            order.truncate(SHOWN);
            order.into_iter().map(|i| (i, value[i])).collect::<Vec<_>>()
        };
        NewtonReport {
            failure: self.last.failure,
            iterations: self.last.iterations,
            damping: self.last.damping,
            residuals: largest(&relative, &self.residual),
            corrections: largest(&|i| self.correction[i].abs() / self.scale[i], &self.correction),
            at_bounds: (0..n)
                .filter(|&i| self.last.x[i] <= self.lower[i] || self.last.x[i] >= self.upper[i])
                .collect(),
            x: self.last.x.clone(),
        }
    }

    /// For each equation a factor that makes its own unknown weigh like the whole row of the last Jacobian,
    /// with the sign of the diagonal: the pull of the fixed-point homotopy.
    pub(crate) fn diagonal_scale(&self) -> Vec<f64> {
        let n = self.scale.len();
        let mut sizes = vec![0.0; n];
        self.jacobian.row_sizes(&self.scale, &mut sizes);
        (0..n)
            .map(|i| {
                let size =
                    if sizes[i] > 0.0 && sizes[i].is_finite() { sizes[i] / self.scale[i] } else { 1.0 };
                if self.jacobian.diagonal(i) < 0.0 { -size } else { size }
            })
            .collect()
    }

    fn attempt<S: NonlinearSystem>(&mut self, system: &mut S, x: &mut [f64]) -> Result<Solved, ModelError> {
        const PIECES: u32 = 5;
        let mut solved = self.search(system, x);
        if !self.options.verify {
            return solved;
        }
        for _ in 0..PIECES {
            let correction = solved?.correction;
            self.evaluate(system, x)?;
            if self.new_matrix(system, x).is_err() {
                return Ok(Solved { iterations: self.last.iterations, correction });
            }
            negate(&self.residual, &mut self.correction);
            self.matrix.solve(&mut self.correction);
            let size = self.size(&self.correction);
            if self.is_rounding(size) {
                return Ok(Solved { iterations: self.last.iterations, correction: size });
            }
            self.set_scale(x);
            solved = self.damped(system, x);
        }
        Err(Recoverable::new(Reason::NoConvergence).into())
    }

    /// Looks for a solution from `x`, with the matrix of the last one first.
    fn search<S: NonlinearSystem>(&mut self, system: &mut S, x: &mut [f64]) -> Result<Solved, ModelError> {
        self.project(x);
        self.start.copy_from_slice(x);
        self.set_scale(x);
        self.evaluate(system, x)?;
        if self.has_matrix && self.options.reuse_jacobian {
            match self.chord(system, x) {
                Ok(Some(solved)) => return Ok(solved),
                Ok(None) | Err(ModelError::Recoverable(_)) => {}
                Err(fatal) => return Err(fatal),
            }
            x.copy_from_slice(&self.start);
            self.evaluate(system, x)?;
        }
        self.damped(system, x)
    }

    /// The chord method with the matrix of an earlier solve. `None` when it does not contract.
    fn chord<S: NonlinearSystem>(
        &mut self,
        system: &mut S,
        x: &mut [f64],
    ) -> Result<Option<Solved>, ModelError> {
        // A contraction seen in an easier solve says little about the first step of this one.
        let (mut last, mut contraction) = (0.0, self.contraction.max(UNSEEN_CONTRACTION));
        for iteration in 1..=CHORD_ITERATIONS {
            self.count_iteration();
            negate(&self.residual, &mut self.correction);
            self.matrix.solve(&mut self.correction);
            let size = self.size(&self.correction);
            if iteration > 1 {
                let rate: f64 = size / last;
                if !(rate <= BAD_CONTRACTION) {
                    let solved = Solved { iterations: self.last.iterations, correction: last };
                    return Ok(self.is_rounding(last).then_some(solved));
                }
                contraction = rate.max(0.1 * contraction);
                self.contraction = contraction;
            }
            self.move_by_correction(x);
            if size * contraction <= self.options.tolerance {
                return Ok(Some(Solved { iterations: self.last.iterations, correction: size }));
            }
            last = size;
            self.evaluate(system, x)?;
        }
        Ok(None)
    }

    /// Damped Newton iteration from `x`, where `self.residual` is known.
    fn damped<S: NonlinearSystem>(&mut self, system: &mut S, x: &mut [f64]) -> Result<Solved, ModelError> {
        self.steps(system, x, self.options.max_iterations, MAX_PROGRESS)
    }

    /// The same with so many iterations, and so many more that make progress.
    fn steps<S: NonlinearSystem>(
        &mut self,
        system: &mut S,
        x: &mut [f64],
        iterations: u32,
        most_progress: u32,
    ) -> Result<Solved, ModelError> {
        let tolerance = self.options.tolerance;
        self.contraction = 1.0;
        let mut damping = self.options.first_damping;
        // Size of the last correction, when the damping can be predicted from it.
        let mut before: Option<f64> = None;
        // The damping factor of the last step, where a longer one was refused.
        let mut cut: Option<f64> = None;
        // Where a kink has been crossed: whether the determinant was below zero before.
        let mut side: Option<bool> = None;
        let (mut left, mut progress) = (iterations, 0);
        while left > 0 {
            left -= 1;
            self.new_matrix(system, x)?;
            // The kink is a fold: what is beyond leads back to it.
            if side.take().is_some_and(|negative| negative != self.matrix.is_negative()) {
                return Err(Recoverable::new(Reason::NoConvergence).into());
            }
            self.count_iteration();
            negate(&self.residual, &mut self.correction);
            self.matrix.solve(&mut self.correction);
            let mut size = self.size(&self.correction);
            if !size.is_finite() {
                return Err(self.not_finite());
            }
            if let Some(last_size) = before {
                // `simplified` is still the simplified correction at this point, from the old matrix.
                let change = self.distance(&self.simplified, &self.correction);
                let simplified = self.size(&self.simplified);
                let predicted = damping * last_size * simplified / (change * size);
                damping = if predicted.is_finite() { predicted.min(1.0) } else { 1.0 };
                damping = damping.max(self.options.min_damping);
            }
            loop {
                if size <= tolerance {
                    self.move_by_correction(x);
                    return Ok(Solved { iterations: self.last.iterations, correction: size });
                }
                let step = self.find_damping(system, x, size, &mut damping)?;
                let Some(mut simplified) = step else {
                    return self.give_up(size);
                };
                let is_cut = self.refused.is_some();
                let crosses = self.options.verify && is_cut && cut.is_some_and(|cut| damping < cut);
                if crosses {
                    simplified = self.go_on(system, x, size, damping)?;
                }
                cut = (is_cut && !crosses).then_some(damping);
                x.copy_from_slice(&self.trial);
                std::mem::swap(&mut self.residual, &mut self.trial_residual);
                let rate = simplified / size;
                if damping == 1.0 && rate <= GOOD_CONTRACTION {
                    // A good contraction with the old matrix: the simplified correction is the next one.
                    self.contraction = rate;
                    std::mem::swap(&mut self.correction, &mut self.simplified);
                    size = simplified;
                    if simplified * rate <= tolerance {
                        self.move_by_correction(x);
                        return Ok(Solved { iterations: self.last.iterations, correction: simplified });
                    }
                    self.count_iteration();
                    continue;
                }
                // Far out on an exponential function corrections are short, but the residual falls all the time.
                if rate <= PROGRESS && progress < most_progress {
                    progress += 1;
                    left += 1;
                }
                before = (!crosses).then_some(size);
                if crosses {
                    damping = 1.0;
                    side = Some(self.matrix.is_negative());
                }
                break;
            }
            self.set_scale(x);
        }
        Err(Recoverable::new(Reason::NoConvergence).into())
    }

    /// Looks for a damping factor with which the natural level falls. Leaves the trial point and its
    /// residual; returns the size of the simplified correction there, or `None` when no factor is small
    /// enough.
    fn find_damping<S: NonlinearSystem>(
        &mut self,
        system: &mut S,
        x: &[f64],
        size: f64,
        damping: &mut f64,
    ) -> Result<Option<f64>, ModelError> {
        self.refused = None;
        loop {
            self.last.damping = *damping;
            let Some(simplified) = self.try_damping(system, x, *damping)? else {
                self.refused = Some(*damping);
                *damping *= 0.5;
                if *damping < self.options.min_damping {
                    return Ok(None);
                }
                continue;
            };
            // How far the simplified correction is from what a linear function would give.
            let mut nonlinear: f64 = 0.0;
            for i in 0..self.scale.len() {
                let off = self.simplified[i] - (1.0 - *damping) * self.correction[i];
                nonlinear = nonlinear.max(off.abs() / self.scale[i]);
            }
            let best = 0.5 * size * *damping * *damping / nonlinear;
            if !(simplified < size) {
                if *damping == 1.0 && self.is_rounding(size) {
                    return Ok(None);
                }
                self.refused = Some(*damping);
                *damping = (0.5 * *damping).min(if best.is_finite() { best } else { f64::INFINITY });
                if *damping < self.options.min_damping {
                    return Ok(None);
                }
                continue;
            }
            let better = if best.is_finite() { best.min(1.0) } else { 1.0 };
            if better >= 4.0 * *damping && self.refused.is_none() {
                *damping = better;
                continue;
            }
            return Ok(Some(simplified));
        }
    }

    /// Leaves the trial point of a damping factor, its residual and the simplified correction there, and returns the size of that;
    /// `None` where the equations cannot be evaluated.
    fn try_damping<S: NonlinearSystem>(
        &mut self,
        system: &mut S,
        x: &[f64],
        damping: f64,
    ) -> Result<Option<f64>, ModelError> {
        for ((trial, x), c) in self.trial.iter_mut().zip(x).zip(&self.correction) {
            *trial = x + damping * c;
        }
        project(&mut self.trial, &self.lower, &self.upper);
        self.work.residuals += 1;
        match system.residual(&self.trial, &mut self.trial_residual) {
            Err(ModelError::Fatal(e)) => return Err(e.into()),
            Err(ModelError::Recoverable(_)) => return Ok(None),
            Ok(()) if self.trial_residual.iter().any(|r| !r.is_finite()) => return Ok(None),
            Ok(()) => {}
        }
        negate(&self.trial_residual, &mut self.simplified);
        self.matrix.solve(&mut self.simplified);
        Ok(Some(self.size(&self.simplified)))
    }

    /// No damping factor helps: solved as well as rounding errors allow, or not at all.
    fn give_up(&mut self, size: f64) -> Result<Solved, ModelError> {
        if self.is_rounding(size) {
            return Ok(Solved { iterations: self.last.iterations, correction: size });
        }
        Err(Recoverable::new(Reason::NoConvergence).into())
    }

    /// A correction this small that does not shrink is made of rounding errors.
    fn is_rounding(&self, size: f64) -> bool {
        size <= ROUNDING_ALLOWANCE * self.options.tolerance
    }

    fn new_matrix<S: NonlinearSystem>(&mut self, system: &mut S, x: &[f64]) -> Result<(), ModelError> {
        self.has_matrix = false;
        self.work.jacobians += 1;
        let (scale, lower, upper) = (&self.scale, &self.lower, &self.upper);
        let increment = |j: usize| {
            let size = f64::EPSILON.sqrt() * scale[j];
            // Towards the inside of the bounds.
            if x[j] + size > upper[j] && x[j] - size >= lower[j] { -size } else { size }
        };
        let evaluations = self.jacobian.evaluate(&mut AsFunction(system), x, &self.residual, increment)?;
        self.work.residuals += evaluations;
        if self.jacobian.values().iter().any(|v| !v.is_finite()) {
            return Err(Recoverable::new(Reason::NotFinite).into());
        }
        self.matrix
            .factor(self.jacobian.values())
            .map_err(|s| Recoverable::at(Reason::SingularMatrix, s.column))?;
        self.has_matrix = true;
        Ok(())
    }

    fn evaluate<S: NonlinearSystem>(&mut self, system: &mut S, x: &[f64]) -> Result<(), ModelError> {
        self.work.residuals += 1;
        system.residual(x, &mut self.residual)?;
        if self.residual.iter().any(|r| !r.is_finite()) {
            return Err(self.not_finite());
        }
        Ok(())
    }

    fn not_finite(&self) -> ModelError {
        match self.residual.iter().position(|r| !r.is_finite()) {
            Some(i) => Recoverable::at(Reason::NotFinite, i).into(),
            None => Recoverable::new(Reason::NotFinite).into(),
        }
    }

    fn count_iteration(&mut self) {
        self.work.iterations += 1;
        self.last.iterations += 1;
    }

    fn set_scale(&mut self, x: &[f64]) {
        for ((s, nominal), x) in self.scale.iter_mut().zip(&self.nominal).zip(x) {
            *s = x.abs().max(*nominal);
        }
    }

    /// Brings a guess from beyond its bounds as far to their inside, but no farther than what is usual.
    fn mirror(&self, x: &mut [f64]) {
        for (i, x) in x.iter_mut().enumerate() {
            let (lower, upper, usual) = (self.lower[i], self.upper[i], self.nominal[i]);
            if *x < lower {
                *x = lower + (lower - *x).min(usual);
            } else if *x > upper {
                *x = upper - (*x - upper).min(usual);
            }
        }
        self.project(x);
    }

    fn project(&self, x: &mut [f64]) {
        project(x, &self.lower, &self.upper);
    }

    fn move_by_correction(&self, x: &mut [f64]) {
        for (x, c) in x.iter_mut().zip(&self.correction) {
            *x += c;
        }
        self.project(x);
    }

    /// Largest component in units of the scale; infinite if one is not a number.
    fn size(&self, v: &[f64]) -> f64 {
        let mut size: f64 = 0.0;
        for (v, s) in v.iter().zip(&self.scale) {
            let r = v.abs() / s;
            if r.is_nan() {
                return f64::INFINITY;
            }
            size = size.max(r);
        }
        size
    }

    fn distance(&self, u: &[f64], v: &[f64]) -> f64 {
        let mut size: f64 = 0.0;
        for ((u, v), s) in u.iter().zip(v).zip(&self.scale) {
            size = size.max((u - v).abs() / s);
        }
        size
    }
}

/// Why a solve failed: what to show the one who wrote the equations.
#[derive(Clone, Debug, PartialEq)]
pub struct NewtonReport {
    /// The failure; `None` after a success.
    pub failure: Option<Recoverable>,
    /// Iterations done.
    pub iterations: u32,
    /// The last damping factor tried.
    pub damping: f64,
    /// Equations with the largest residuals in their own scale, and the residuals; worst first.
    pub residuals: Vec<(usize, f64)>,
    /// Unknowns with the largest last corrections in their own scale, and the corrections; worst first.
    pub corrections: Vec<(usize, f64)>,
    /// Unknowns at one of their bounds.
    pub at_bounds: Vec<usize>,
    /// Last values of all unknowns.
    pub x: Vec<f64>,
}

impl NewtonReport {
    /// A report that knows only where the unknowns are.
    pub(crate) fn empty(x: &[f64]) -> Self {
        NewtonReport {
            failure: None,
            iterations: 0,
            damping: 1.0,
            residuals: Vec::new(),
            corrections: Vec::new(),
            at_bounds: Vec::new(),
            x: x.to_vec(),
        }
    }
}

impl fmt::Display for NewtonReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.failure {
            Some(e) => write!(f, "{e} after {} iterations (damping {:.1e})", self.iterations, self.damping)?,
            None => return write!(f, "solved in {} iterations", self.iterations),
        }
        for (i, r) in &self.residuals {
            write!(f, "\n  residual {i}: {r:.6e}")?;
        }
        for (i, c) in &self.corrections {
            write!(f, "\n  unknown {i}: {:.6e}, last correction {c:.6e}", self.x[*i])?;
            if self.at_bounds.contains(i) {
                f.write_str(", at a bound")?;
            }
        }
        Ok(())
    }
}

pub(crate) struct AsFunction<'a, S>(pub &'a mut S);

impl<S: NonlinearSystem> Function for AsFunction<'_, S> {
    fn n(&self) -> usize {
        self.0.n()
    }
    fn pattern(&self) -> Option<Pattern> {
        self.0.jacobian_pattern()
    }
    fn has_jacobian(&self) -> bool {
        self.0.has_jacobian()
    }
    fn evaluate(&mut self, x: &[f64], f: &mut [f64]) -> Result<(), ModelError> {
        self.0.residual(x, f)
    }
    fn jacobian(&mut self, x: &[f64], values: &mut [f64]) -> Result<(), ModelError> {
        self.0.jacobian(x, values)
    }
}

fn negate(from: &[f64], to: &mut [f64]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = -from;
    }
}

fn project(x: &mut [f64], lower: &[f64], upper: &[f64]) {
    for ((x, lower), upper) in x.iter_mut().zip(lower).zip(upper) {
        // Not `clamp`: bounds in the wrong order are the model's mistake, not ours to panic about.
        *x = x.max(*lower).min(*upper);
    }
}

fn usable(nominal: f64) -> f64 {
    let size = nominal.abs();
    if size > 0.0 && size.is_finite() { size } else { 1.0 }
}
