//! What a model must offer to be integrated.
//!
//! The one interface is [`StepModel`], taken from *Inline integration* (Elmqvist, Otter & Cellier 1995): the
//! integrator owns step size, order and error and hands over `t`, `h`, `old(x)` and a guess; the model
//! answers with the `x` and `der(x)` that satisfy its equations together with
//!
//! ```text
//!     x = h der(x) + old(x)
//! ```
//!
//! or says that it did not converge. `h` depends on step size *and* method: for BDF of order `k` it is the
//! step divided by `1 + 1/2 + … + 1/k`, for a stage of a diagonally implicit method the step times the
//! diagonal coefficient. `h = 0` asks for `der(x)` at a given `x` and is a method of its own,
//! [`StepModel::derivative`]; explicit methods use nothing else.
//!
//! An inlined model implements `StepModel` itself, iterating on as few variables as its structure allows. A
//! model that can only evaluate `der(x) = f(t, x)` implements [`OdeModel`] and is wrapped in
//! [`ClassicalStep`](crate::ClassicalStep), which iterates on all of `x`.
//!
//! Two families of methods need more than single steps. Radau IIA solves its three stages at once
//! ([`StageModel`]), and Rosenbrock methods solve linear systems with the Jacobian ([`LinearModel`]). A model
//! offers these where it can.

use serde::{Deserialize, Serialize};

use crate::error::ModelError;
use crate::linear::Pattern;
use crate::weights::Size;

/// One implicit step to solve for.
#[derive(Clone, Copy, Debug)]
pub struct StepRequest<'a> {
    /// Time at which the equations hold.
    pub t: f64,
    /// The factor of `der(x)`; zero asks for the derivative at `x = old`.
    pub h: f64,
    /// What `x` would be without its derivative.
    pub old: &'a [f64],
    /// Error weights: the iteration error is measured as `√(Σ (e_i w_i)² / n)`.
    pub weights: &'a [f64],
    /// The iteration may stop when its error is at most this.
    pub tolerance: f64,
}

/// The work a model has done, for statistics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// Evaluations of the derivative, those for finite differences included.
    pub rhs_evaluations: u64,
    /// Of these, evaluations for finite differences.
    pub jacobian_evaluations_of_rhs: u64,
    /// Evaluations of the Jacobian.
    pub jacobians: u64,
    /// Matrix factorisations.
    pub factorisations: u64,
    /// Newton iterations.
    pub newton_iterations: u64,
    /// Iterations that did not converge, including those saved by a new Jacobian.
    pub nonlinear_failures: u64,
    /// Factorisations whose fixed pivot order had to be given up.
    pub pivot_fallbacks: u64,
}

/// The one stepping interface. See the [module](self).
pub trait StepModel {
    /// Number of states.
    fn n(&self) -> usize;

    /// Solves `x = h der(x) + old` at `request.t`. On entry `x` and `dx` hold guesses, on exit the solution.
    ///
    /// With `h = 0` the answer is `x = old` and its derivative.
    fn step(&mut self, request: &StepRequest, x: &mut [f64], dx: &mut [f64]) -> Result<(), ModelError>;

    /// The derivative at `x`: a step with `h = 0`. On entry `dx` holds a guess.
    fn derivative(&mut self, t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), ModelError>;

    /// Is `x` the solution of the step solved last? Where only a matrix said so, it is asked for by one more evaluation: does the
    /// residual become as small as corrections with that matrix should make it? A matrix that fails is not used again.
    fn confirm(&mut self, request: &StepRequest, x: &[f64]) -> Result<bool, ModelError> {
        let _ = (request, x);
        Ok(true)
    }

    /// The size of state `i` that is usual, a positive number. Absolute tolerances are relative to it.
    fn nominal(&self, i: usize) -> f64 {
        let _ = i;
        1.0
    }

    /// What is known of the size of state `i`, where absolute tolerances follow the states, and the number of its group: states that
    /// act on each other have the same, below the number of states.
    fn size(&self, i: usize) -> (usize, Size) {
        (0, Size::of_nominal(self.nominal(i)))
    }

    /// The integrator has accepted a step ending here. Guesses and Jacobians may be kept for the next.
    fn accepted(&mut self, t: f64, x: &[f64], dx: &[f64]) {
        let _ = (t, x, dx);
    }

    /// The solution is discontinuous here: nothing learned before holds any longer.
    fn reset(&mut self) {}

    /// Steps cannot be made smaller: where the usual iteration fails, so many of Newton's are worth a try.
    fn persist(&mut self, iterations: u32) {
        let _ = iterations;
    }

    /// Does the iteration leave much less than it may? Only then differences of higher order than the method's are more than
    /// noise, and guesses can be made with them.
    fn is_exact(&self) -> bool {
        false
    }

    /// Are guesses of some states what these states become? An explicit formula has made them then.
    fn keeps_guesses(&self) -> bool {
        false
    }

    /// Work done so far.
    fn work(&self) -> Work {
        Work::default()
    }

    /// A bound of how fast the derivative changes with the state, in units of the weights, if one is known:
    /// the weighted norm of the last Jacobian. Tells when an explicit method would do.
    fn rate_bound(&self, weights: &[f64]) -> Option<f64> {
        let _ = weights;
        None
    }

    /// Solves with the matrix `I - γ J` of the last implicit step, overwriting the right side, if there is one: what is left of a
    /// disturbance where stiff states are pulled back.
    fn damp(&mut self, v: &mut [f64]) -> bool {
        let _ = v;
        false
    }

    /// The interface Radau IIA needs, if this model has it.
    fn stages(&mut self) -> Option<&mut dyn StageModel> {
        None
    }

    /// The interface Rosenbrock methods need, if this model has it.
    fn linear(&mut self) -> Option<&mut dyn LinearModel> {
        None
    }
}

impl<M: StepModel + ?Sized> StepModel for &mut M {
    fn n(&self) -> usize {
        (**self).n()
    }
    fn step(&mut self, request: &StepRequest, x: &mut [f64], dx: &mut [f64]) -> Result<(), ModelError> {
        (**self).step(request, x, dx)
    }
    fn derivative(&mut self, t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), ModelError> {
        (**self).derivative(t, x, dx)
    }
    fn confirm(&mut self, request: &StepRequest, x: &[f64]) -> Result<bool, ModelError> {
        (**self).confirm(request, x)
    }
    fn nominal(&self, i: usize) -> f64 {
        (**self).nominal(i)
    }
    fn size(&self, i: usize) -> (usize, Size) {
        (**self).size(i)
    }
    fn accepted(&mut self, t: f64, x: &[f64], dx: &[f64]) {
        (**self).accepted(t, x, dx);
    }
    fn reset(&mut self) {
        (**self).reset();
    }
    fn persist(&mut self, iterations: u32) {
        (**self).persist(iterations);
    }
    fn is_exact(&self) -> bool {
        (**self).is_exact()
    }
    fn keeps_guesses(&self) -> bool {
        (**self).keeps_guesses()
    }
    fn work(&self) -> Work {
        (**self).work()
    }
    fn rate_bound(&self, weights: &[f64]) -> Option<f64> {
        (**self).rate_bound(weights)
    }
    fn damp(&mut self, v: &mut [f64]) -> bool {
        (**self).damp(v)
    }
    fn stages(&mut self) -> Option<&mut dyn StageModel> {
        (**self).stages()
    }
    fn linear(&mut self) -> Option<&mut dyn LinearModel> {
        (**self).linear()
    }
}

/// Three collocation stages to solve at once.
#[derive(Clone, Copy, Debug)]
pub struct StageRequest<'a> {
    /// Time at the start of the step.
    pub t: f64,
    /// Step size.
    pub h: f64,
    /// State at the start of the step.
    pub x0: &'a [f64],
    /// Error weights, as in [`StepRequest`].
    pub weights: &'a [f64],
    /// The iteration may stop when its error is at most this.
    pub tolerance: f64,
}

/// How the iteration for three stages went.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StageReport {
    /// Newton iterations used.
    pub iterations: u32,
    /// Factor by which the last iteration reduced the error; large means that a smaller step is wanted.
    pub contraction: f64,
    /// Whether changing the step costs a factorisation that keeping it would save.
    pub keep_step: bool,
}

/// Radau IIA with three stages: all stages in one system.
pub trait StageModel {
    /// Solves `X_i = x0 + h Σ_j a_ij f(t + c_j h, X_j)` for the coefficients of
    /// [`RADAU_IIA`](crate::integrator::RADAU_IIA).
    ///
    /// `x` and `dx` hold the three stages one after the other; `x` is a guess on entry, both are the solution
    /// on exit.
    fn solve_stages(
        &mut self,
        request: &StageRequest,
        x: &mut [f64],
        dx: &mut [f64],
    ) -> Result<StageReport, ModelError>;

    /// Are these the stages solved last? As [`StepModel::confirm`].
    fn confirm_stages(&mut self, request: &StageRequest, x: &[f64]) -> Result<bool, ModelError> {
        let _ = (request, x);
        Ok(true)
    }

    /// Damps the stiff components of an error estimate: replaces `error` by the solution of
    /// `e = gamma J e + error` with the Jacobian near `(t, x)`, where `dx` is the derivative.
    ///
    /// A model without a Jacobian takes one implicit step instead, see [`filter_by_step`].
    fn filter(
        &mut self,
        t: f64,
        gamma: f64,
        x: &[f64],
        dx: &[f64],
        weights: &[f64],
        error: &mut [f64],
    ) -> Result<(), ModelError>;
}

/// [`StageModel::filter`] by one step of the model from a disturbed `old`:
/// `y = gamma f(y) + x - gamma f(x) + error` has the solution `y ≈ x + e`. `work` needs room for `3 n`
/// numbers.
pub fn filter_by_step<M: StepModel + ?Sized>(
    model: &mut M,
    t: f64,
    gamma: f64,
    x: &[f64],
    dx: &[f64],
    weights: &[f64],
    error: &mut [f64],
    work: &mut [f64],
) -> Result<(), ModelError> {
    let n = x.len();
    let (old, rest) = work.split_at_mut(n);
    let (y, dy) = rest.split_at_mut(n);
    for i in 0..n {
        old[i] = x[i] - gamma * dx[i] + error[i];
    }
    y.copy_from_slice(x);
    dy[..n].copy_from_slice(dx);
    // A tenth of the tolerance of a step: the estimate needs one digit.
    model.step(&StepRequest { t, h: gamma, old, weights, tolerance: 0.1 }, y, &mut dy[..n])?;
    for i in 0..n {
        error[i] = y[i] - x[i];
    }
    Ok(())
}

/// Part of a step over which a difference by time is taken: long enough for what inner iterations leave open to disturb it
/// little.
const SHARE: f64 = 1e-5;

/// The partial derivative of the derivative by time, by a difference over a small part of the step `h`: `dx` is the derivative
/// at `(t, x)`, and `derivative(t, x, out)` gives others.
pub fn derivative_by_time(
    t: f64,
    h: f64,
    x: &[f64],
    dx: &[f64],
    by_time: &mut [f64],
    mut derivative: impl FnMut(f64, &[f64], &mut [f64]) -> Result<(), ModelError>,
) -> Result<(), ModelError> {
    let later = t + (SHARE * h).max(100.0 * f64::EPSILON * t.abs());
    derivative(later, x, by_time)?;
    for (slope, dx) in by_time.iter_mut().zip(dx) {
        *slope = (*slope - dx) / (later - t);
    }
    Ok(())
}

/// Linear systems with the Jacobian, for Rosenbrock methods.
pub trait LinearModel {
    /// Linearises at `(t, x)` with derivative `dx`, and writes the partial derivative of the derivative by
    /// time. `h` is the step about to be tried: the scale of time.
    fn linearize(
        &mut self,
        t: f64,
        h: f64,
        x: &[f64],
        dx: &[f64],
        weights: &[f64],
        by_time: &mut [f64],
    ) -> Result<(), ModelError>;

    /// Prepares to solve with `I - gamma J`.
    fn prepare(&mut self, gamma: f64) -> Result<(), ModelError>;

    /// Solves `(I - gamma J) y = b`, overwriting `b` by `y`.
    fn solve(&mut self, b: &mut [f64]);
}

/// A model that can evaluate its derivative, and perhaps its Jacobian.
pub trait OdeModel {
    /// Number of states.
    fn n(&self) -> usize;

    /// `dx = f(t, x)`.
    fn rhs(&mut self, t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), ModelError>;

    /// Where the Jacobian may differ from zero; `None` means anywhere.
    fn jacobian_pattern(&self) -> Option<Pattern> {
        None
    }

    /// Whether [`jacobian`](Self::jacobian) is there. Else it is found by finite differences, columns
    /// grouped.
    fn has_jacobian(&self) -> bool {
        false
    }

    /// The Jacobian of `f` by `x`: on the pattern if there is one, else column-major.
    fn jacobian(&mut self, t: f64, x: &[f64], values: &mut [f64]) -> Result<(), ModelError> {
        let _ = (t, x, values);
        Err(ModelError::fatal("this model has no Jacobian"))
    }

    /// The size of state `i` that is usual, a positive number.
    fn nominal(&self, i: usize) -> f64 {
        let _ = i;
        1.0
    }

    /// What is known of the size of state `i`, where absolute tolerances follow the states, and the number of its group: states that
    /// act on each other have the same, below the number of states.
    fn size(&self, i: usize) -> (usize, Size) {
        (0, Size::of_nominal(self.nominal(i)))
    }

    /// May a Jacobian be kept when the matrix is factorised anew?
    fn keeps_jacobian(&self) -> bool {
        true
    }
}

impl<M: OdeModel + ?Sized> OdeModel for &mut M {
    fn keeps_jacobian(&self) -> bool {
        (**self).keeps_jacobian()
    }
    fn n(&self) -> usize {
        (**self).n()
    }
    fn rhs(&mut self, t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), ModelError> {
        (**self).rhs(t, x, dx)
    }
    fn jacobian_pattern(&self) -> Option<Pattern> {
        (**self).jacobian_pattern()
    }
    fn has_jacobian(&self) -> bool {
        (**self).has_jacobian()
    }
    fn jacobian(&mut self, t: f64, x: &[f64], values: &mut [f64]) -> Result<(), ModelError> {
        (**self).jacobian(t, x, values)
    }
    fn nominal(&self, i: usize) -> f64 {
        (**self).nominal(i)
    }
    fn size(&self, i: usize) -> (usize, Size) {
        (**self).size(i)
    }
}

/// An [`OdeModel`] made of a function `f(t, x, dx)`.
#[derive(Clone, Debug)]
pub struct Ode<F> {
    n: usize,
    f: F,
}

impl<F: FnMut(f64, &[f64], &mut [f64])> Ode<F> {
    /// A model of `n` states.
    pub fn new(n: usize, f: F) -> Self {
        Ode { n, f }
    }
}

impl<F: FnMut(f64, &[f64], &mut [f64])> OdeModel for Ode<F> {
    fn n(&self) -> usize {
        self.n
    }
    fn rhs(&mut self, t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), ModelError> {
        (self.f)(t, x, dx);
        Ok(())
    }
}
