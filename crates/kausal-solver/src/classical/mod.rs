//! The classical interface: a model that evaluates `f(t, x)`, iterated on all of `x`.
//!
//! [`ClassicalStep`] turns an [`OdeModel`] into a [`StepModel`]. The step equation `x = h f(t, x) + old` is
//! solved by the chord method: Newton's with a matrix `I - γ J` that is kept as long as it serves, over many
//! steps. The policy is that of DASSL and CVODE (Brenan, Campbell & Petzold, *Numerical Solution of
//! Initial-Value Problems in DAEs*, §5.2.3; Hindmarsh et al., *SUNDIALS*, ACM TOMS 31, 2005):
//!
//! - the matrix is factorised anew when `h` has drifted too far from its `γ`, or after
//!   `MAX_STEPS_PER_FACTOR` steps; small drift is made good by scaling the correction with `2/(1 + h/γ)`;
//! - the Jacobian is evaluated anew when the iteration fails or after `MAX_STEPS_PER_JACOBIAN` steps;
//! - the iteration stops when the error that the observed rate of convergence predicts is below the
//!   tolerance, often after one correction; it gives up when corrections grow. A failure with an old Jacobian
//!   is repeated with a new one; only a failure with a current Jacobian is reported, and its Jacobian is not kept;
//! - a small correction ends the iteration only with a matrix that has been seen to make residuals smaller (`trust`), in the same
//!   step unless it is very small;
//! - the matrix of a step of no length is `I`, of determinant one. Where the determinant is below zero, the matrix of a shorter
//!   step is singular: between there and here the solution of the step equation that belongs to the past has ended, and what is
//!   found is another one, like an equilibrium that is fast to leave and that a long step holds. Such a step is too long;
//! - where iterations fail often, damped corrections of Newton's method come before a smaller step (`newton`). Where the step cannot be made
//!   smaller ([`StepModel::persist`]), Newton's method with a new matrix in each iteration comes before that.

mod newton;
mod rosenbrock;
mod stages;
mod trust;

use crate::error::{ModelError, Reason, Recoverable};
use crate::jacobian::{Function, Jacobian};
use crate::linear::{Pattern, Shifted};
use crate::model::{LinearModel, OdeModel, StageModel, StepModel, StepRequest, Work};
use crate::persist::{Reader, Unfit, Writer};
use crate::weights::{Size, first_not_finite, largest, norm, rounding};
use stages::Stages;
pub(crate) use trust::{Correction, NEAR_SOLUTION, Trust};

/// Steps after which the matrix is factorised even if the iteration still converges.
const MAX_STEPS_PER_FACTOR: u32 = 30;
/// Steps after which the Jacobian is evaluated even if the iteration still converges.
const MAX_STEPS_PER_JACOBIAN: u32 = 50;
/// Relative change of `h` that is compensated by scaling the correction.
const MAX_DRIFT: f64 = 0.25;
/// Corrections before the iteration counts as too slow.
const MAX_ITERATIONS: u32 = 3;
/// The same with steps of one size, which are iterated down to rounding errors.
const MAX_FIXED_ITERATIONS: u32 = 12;
/// A correction this much larger than the one before means divergence.
const DIVERGENCE: f64 = 1.0;
/// The remembered rate of convergence fades at most by this factor from one iteration to the next.
const RATE_MEMORY: f64 = 0.3;

/// No remembered rate is trusted beyond this: the next step may be less linear than the last.
const BEST_RATE: f64 = 0.01;
/// A residual of so many error weights must become smaller, for the matrix may say nothing there.
const FAR: f64 = 1e3;

/// An iteration that has failed more often than this, with not more than so many steps in between, will fail again.
const OFTEN: u32 = 4;
const LATELY: u32 = 10;

/// Takes implicit steps with an [`OdeModel`]. See the [module](self).
#[derive(Clone, Debug)]
pub struct ClassicalStep<M> {
    model: M,
    jacobian: Jacobian,
    matrix: Shifted,
    /// `γ` of the factorised matrix; `None` before the first and after a singular one.
    gamma: Option<f64>,
    has_jacobian: bool,
    steps_since_factor: u32,
    steps_since_jacobian: u32,
    steps_since_failure: u32,
    failures_lately: u32,
    /// Observed rate of convergence, one right after a factorisation.
    rate: f64,
    /// What the matrix has been seen to do.
    trust: Trust,
    /// The last correction, where only that trust says that it led to the solution.
    unconfirmed: Option<Correction>,
    f: Vec<f64>,
    correction: Vec<f64>,
    guess: Vec<f64>,
    /// Stages of Radau IIA; made when first asked for.
    stages: Option<Box<Stages>>,
    /// Newton iterations where the chord iteration fails and the step cannot be made smaller.
    persistence: u32,
    work: Work,
}

/// Where the chord iteration may use an old matrix, or must make a new one first.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Setup {
    Keep,
    Factor,
    Jacobian,
}

impl<M: OdeModel> ClassicalStep<M> {
    /// Wraps a model.
    pub fn new(model: M) -> Self {
        let n = model.n();
        let mut model = model;
        let jacobian = Jacobian::new(&AtTime { model: &mut model, t: 0.0 });
        let matrix = Shifted::new(jacobian.structure());
        ClassicalStep {
            model,
            jacobian,
            matrix,
            gamma: None,
            has_jacobian: false,
            steps_since_factor: 0,
            steps_since_jacobian: 0,
            steps_since_failure: LATELY,
            failures_lately: 0,
            rate: 1.0,
            trust: Trust::default(),
            unconfirmed: None,
            f: vec![0.0; n],
            correction: vec![0.0; n],
            guess: vec![0.0; n],
            stages: None,
            persistence: 0,
            work: Work::default(),
        }
    }

    /// The model.
    pub fn model(&self) -> &M {
        &self.model
    }

    /// The model, to change it. Call [`StepModel::reset`] when its equations have changed.
    pub fn model_mut(&mut self) -> &mut M {
        &mut self.model
    }

    /// Writes what is known of the iteration: matrices, rates, counts; the model writes for itself.
    pub fn save(&self, writer: &mut Writer) {
        let ClassicalStep {
            model: _,
            jacobian,
            matrix,
            gamma,
            has_jacobian,
            steps_since_factor,
            steps_since_jacobian,
            steps_since_failure,
            failures_lately,
            rate,
            trust,
            unconfirmed,
            f,
            correction,
            guess,
            stages,
            persistence,
            work,
        } = self;
        writer.put(&(jacobian, matrix, gamma, has_jacobian));
        writer.put(&(steps_since_factor, steps_since_jacobian, steps_since_failure, failures_lately));
        writer.put(&(rate, trust, unconfirmed, f, correction, guess, stages, persistence, work));
    }

    /// Takes the place of the iteration of another run of the same model.
    pub fn restore(&mut self, reader: &mut Reader) -> Result<(), Unfit> {
        let ClassicalStep {
            model: _,
            jacobian,
            matrix,
            gamma,
            has_jacobian,
            steps_since_factor,
            steps_since_jacobian,
            steps_since_failure,
            failures_lately,
            rate,
            trust,
            unconfirmed,
            f,
            correction,
            guess,
            stages,
            persistence,
            work,
        } = self;
        let n = f.len();
        (*jacobian, *matrix, *gamma, *has_jacobian) = reader.take()?;
        (*steps_since_factor, *steps_since_jacobian, *steps_since_failure, *failures_lately) =
            reader.take()?;
        (*rate, *trust, *unconfirmed, *f, *correction, *guess, *stages, *persistence, *work) =
            reader.take()?;
        let lengths = [f.len(), correction.len(), guess.len(), jacobian.structure().n()];
        reader.check(lengths.iter().all(|length| *length == n), "matrices")
    }

    /// Takes the model out.
    pub fn into_model(self) -> M {
        self.model
    }

    fn rhs(&mut self, t: f64, x: &[f64]) -> Result<(), ModelError> {
        self.work.rhs_evaluations += 1;
        self.model.rhs(t, x, &mut self.f)
    }

    /// Notes a failure; were there several lately?
    fn fails_often(&mut self) -> bool {
        let lately = std::mem::take(&mut self.steps_since_failure) < LATELY;
        self.failures_lately = if lately { self.failures_lately + 1 } else { 1 };
        self.failures_lately > OFTEN
    }

    fn needed_setup(&self, h: f64) -> Setup {
        match self.setup_for(h) {
            Setup::Factor if !self.model.keeps_jacobian() => Setup::Jacobian,
            setup => setup,
        }
    }

    fn setup_for(&self, h: f64) -> Setup {
        let Some(gamma) = self.gamma else {
            return if self.has_jacobian && self.steps_since_jacobian < MAX_STEPS_PER_JACOBIAN {
                Setup::Factor
            } else {
                Setup::Jacobian
            };
        };
        let stale = self.steps_since_factor >= MAX_STEPS_PER_FACTOR || (h / gamma - 1.0).abs() > MAX_DRIFT;
        match stale {
            false => Setup::Keep,
            true if self.steps_since_jacobian >= MAX_STEPS_PER_JACOBIAN => Setup::Jacobian,
            true => Setup::Factor,
        }
    }

    /// Evaluates and factorises what `setup` asks for. `self.f` is the derivative at `x`.
    fn set_up(&mut self, setup: Setup, request: &StepRequest, x: &[f64]) -> Result<(), ModelError> {
        if setup == Setup::Jacobian {
            self.evaluate_jacobian(request.t, x, request.weights, request.h)?;
        }
        if setup != Setup::Keep {
            self.factor(request.h)?;
        }
        Ok(())
    }

    fn evaluate_jacobian(&mut self, t: f64, x: &[f64], weights: &[f64], h: f64) -> Result<(), ModelError> {
        self.has_jacobian = false;
        let smallest = smallest_increment(&self.f, weights, h);
        let f = &self.f;
        let mut function = AtTime { model: &mut self.model, t };
        let increment = |j: usize| increment(x[j], f[j], weights[j], smallest);
        let evaluations = self.jacobian.evaluate(&mut function, x, f, increment)?;
        self.work.jacobians += 1;
        self.work.rhs_evaluations += evaluations;
        self.work.jacobian_evaluations_of_rhs += evaluations;
        self.has_jacobian = true;
        self.steps_since_jacobian = 0;
        Ok(())
    }

    fn factor(&mut self, gamma: f64) -> Result<(), ModelError> {
        self.gamma = None;
        self.work.factorisations += 1;
        self.matrix
            .factor(1.0, -gamma, self.jacobian.values())
            .map_err(|singular| Recoverable::at(Reason::SingularMatrix, singular.column))?;
        // Where the step is what it is, so is its solution.
        if self.persistence == 0 && self.matrix.is_negative() {
            return Err(Recoverable::new(Reason::SingularMatrix).into());
        }
        self.gamma = Some(gamma);
        self.steps_since_factor = 0;
        self.rate = 1.0;
        self.trust = Trust::default();
        Ok(())
    }

    /// The chord iteration from the guess in `x`, where `self.f` is the derivative at the guess.
    fn iterate(&mut self, request: &StepRequest, x: &mut [f64]) -> Result<(), ModelError> {
        let StepRequest { t, h, old, weights, tolerance } = *request;
        let gamma = self.gamma.unwrap_or(h);
        let scale = 2.0 / (1.0 + h / gamma);
        // No iteration converges faster than the drift of `h` lets stiff components.
        let slowest = ((1.0 - h / gamma).abs() / (1.0 + h / gamma)).max(BEST_RATE);
        // Where the step is what it is, no error test sees a correction that is small because the matrix is far too large; and
        // errors are to be those of the formula alone.
        let checks = self.persistence > 0;
        let aim = if checks { rounding(weights, x).min(tolerance) } else { tolerance };
        let most = if checks { MAX_FIXED_ITERATIONS } else { MAX_ITERATIONS };
        let mut first = 0.0;
        let mut before = Correction::default();
        let mut verified = false;
        // One more, where only an evaluation tells whether the last one was the solution.
        let mut more = 0;
        let mut iteration = 0;
        while iteration < most + more {
            iteration += 1;
            for (((c, x), f), old) in self.correction.iter_mut().zip(&*x).zip(&self.f).zip(old) {
                *c = scale * (h * f + old - x);
            }
            let residual = norm(weights, &self.correction);
            if iteration == 1 {
                first = residual;
            }
            self.matrix.solve(&mut self.correction);
            self.work.newton_iterations += 1;
            for (x, c) in x.iter_mut().zip(&self.correction) {
                *x += c;
            }
            let size = norm(weights, &self.correction);
            if !size.is_finite() {
                let component = first_not_finite(&self.f).or_else(|| first_not_finite(x));
                return Err(Recoverable { reason: Reason::NotFinite, component }.into());
            }
            let mut this = Correction { size, residual, ratio: 0.0 };
            if iteration > 1 {
                self.rate = (RATE_MEMORY * self.rate).max(size / before.size);
                this = Correction::after(&before, size, residual);
                verified = self.trust.learn(&before, &this);
            }
            let end = iteration >= most || iteration > 1 && size > DIVERGENCE * before.size;
            let error = size * self.rate.max(slowest).min(1.0);
            if error <= if end { tolerance } else { aim } {
                // Steps of one size have a look of their own.
                let seen = || (verified || this.is_harmless()) && self.trust.covers(&this, verified);
                if checks || residual <= tolerance || seen() {
                    if checks && first > FAR {
                        self.rhs(t, x)?;
                        let left = self.residual(request, x, &mut Vec::with_capacity(x.len()));
                        if scale * left > 0.5 * first {
                            break;
                        }
                    }
                    self.unconfirmed = (residual > tolerance).then_some(this);
                    return Ok(());
                }
                more = 1;
            } else if end {
                break;
            }
            before = this;
            match self.rhs(t, x) {
                // What is exact enough is not lost because it can be made no better.
                Err(ModelError::Recoverable(_))
                    if checks && first <= FAR && size * self.rate.max(slowest).min(1.0) <= tolerance =>
                {
                    return Ok(());
                }
                evaluated => evaluated?,
            }
        }
        let component = largest(weights, &self.correction);
        Err(Recoverable { reason: Reason::NoConvergence, component }.into())
    }

    /// Newton's method from the guess, with a new matrix in each iteration and corrections as long as they make the
    /// residual smaller.
    fn insist(
        &mut self,
        request: &StepRequest,
        x: &mut [f64],
        failure: Recoverable,
    ) -> Result<(), ModelError> {
        const HALVINGS: u32 = 8;
        let StepRequest { t, h, weights, tolerance, .. } = *request;
        x.copy_from_slice(&self.guess);
        self.rhs(t, x)?;
        let mut residual: Vec<f64> = Vec::new();
        let mut size = self.residual(request, x, &mut residual);
        let first = size;
        // Which equation is far from its solution says more than where corrections led to.
        let sizes: Vec<f64> =
            x.iter().enumerate().map(|(i, x)| 1.0 / x.abs().max(self.model.nominal(i))).collect();
        let failure = Recoverable { component: largest(&sizes, &residual), ..failure };
        let mut last = f64::INFINITY;
        for _ in 0..self.persistence {
            self.evaluate_jacobian(t, x, weights, h)?;
            if let Err(singular) = self.factor(h) {
                // What solves the equation is a solution, whatever its derivatives are.
                let solved = residual.iter().zip(&*x).all(|(r, x)| r.abs() <= 4.0 * f64::EPSILON * x.abs());
                return if solved { Ok(()) } else { Err(singular) };
            }
            self.correction.copy_from_slice(&residual);
            self.matrix.solve(&mut self.correction);
            self.work.newton_iterations += 1;
            let length = norm(weights, &self.correction);
            if !length.is_finite() {
                break;
            }
            let from = x.to_vec();
            let mut part = 1.0;
            for _ in 0..HALVINGS {
                for ((x, from), c) in x.iter_mut().zip(&from).zip(&self.correction) {
                    *x = from + part * c;
                }
                let evaluated = self.rhs(t, x);
                let next =
                    if evaluated.is_ok() { self.residual(request, x, &mut residual) } else { f64::INFINITY };
                if next < size || part * length <= tolerance {
                    size = next;
                    break;
                }
                part *= 0.5;
            }
            if part * length <= tolerance && part == 1.0 && (size <= 0.5 * first || first <= FAR) {
                // One of the next would change rounding errors only.
                if length <= rounding(weights, x) || length >= last {
                    return Ok(());
                }
                last = length;
            }
        }
        if last.is_finite() {
            return Ok(());
        }
        self.gamma = None;
        Err(failure.into())
    }

    /// What the equation of the step lacks at `x`, where `self.f` is the derivative, and its weighted norm.
    fn residual(&self, request: &StepRequest, x: &[f64], residual: &mut Vec<f64>) -> f64 {
        residual.clear();
        let terms = x.iter().zip(&self.f).zip(request.old);
        residual.extend(terms.map(|((x, f), old)| request.h * f + old - x));
        norm(request.weights, residual)
    }
}

/// The right-hand side as a function of the state alone.
struct AtTime<'a, M> {
    model: &'a mut M,
    t: f64,
}

impl<M: OdeModel> Function for AtTime<'_, M> {
    fn n(&self) -> usize {
        self.model.n()
    }
    fn pattern(&self) -> Option<Pattern> {
        self.model.jacobian_pattern()
    }
    fn has_jacobian(&self) -> bool {
        self.model.has_jacobian()
    }
    fn evaluate(&mut self, x: &[f64], f: &mut [f64]) -> Result<(), ModelError> {
        self.model.rhs(self.t, x, f)
    }
    fn jacobian(&mut self, x: &[f64], values: &mut [f64]) -> Result<(), ModelError> {
        self.model.jacobian(self.t, x, values)
    }
}

/// In units of the error weights: large enough that rounding errors of `f` over a step `h` stay small against
/// it.
fn smallest_increment(f: &[f64], weights: &[f64], h: f64) -> f64 {
    let size = norm(weights, f);
    if size > 0.0 && size.is_finite() { 1e3 * h.abs() * f64::EPSILON * f.len() as f64 * size } else { 1.0 }
}

fn increment(x: f64, f: f64, weight: f64, smallest: f64) -> f64 {
    let size = (f64::EPSILON.sqrt() * x.abs()).max(smallest / weight).max(f64::MIN_POSITIVE.sqrt());
    // In the direction the solution moves.
    if f < 0.0 { -size } else { size }
}

impl<M: OdeModel> StepModel for ClassicalStep<M> {
    fn n(&self) -> usize {
        self.model.n()
    }

    fn step(&mut self, request: &StepRequest, x: &mut [f64], dx: &mut [f64]) -> Result<(), ModelError> {
        if request.h == 0.0 {
            x.copy_from_slice(request.old);
            return self.derivative(request.t, x, dx);
        }
        self.guess.copy_from_slice(x);
        self.unconfirmed = None;
        let mut setup = self.needed_setup(request.h);
        self.rhs(request.t, x)?;
        loop {
            let attempt = self.set_up(setup, request, x).and_then(|()| self.iterate(request, x));
            match attempt {
                Ok(()) => break,
                Err(ModelError::Recoverable(_)) if setup != Setup::Jacobian => {
                    self.work.nonlinear_failures += 1;
                    setup = Setup::Jacobian;
                    x.copy_from_slice(&self.guess);
                    self.rhs(request.t, x)?;
                }
                Err(ModelError::Recoverable(e)) if self.persistence > 0 => {
                    self.work.nonlinear_failures += 1;
                    self.insist(request, x, e)?;
                    break;
                }
                Err(ModelError::Recoverable(e)) => {
                    self.work.nonlinear_failures += 1;
                    if self.fails_often() && self.find_by_newton(request, x)? {
                        break;
                    }
                    // The Jacobian is that of a guess that led nowhere, and may be anything.
                    (self.gamma, self.has_jacobian) = (None, false);
                    return Err(e.into());
                }
                Err(fatal) => return Err(fatal),
            }
        }
        for ((dx, x), old) in dx.iter_mut().zip(&*x).zip(request.old) {
            *dx = (x - old) / request.h;
        }
        Ok(())
    }

    fn derivative(&mut self, t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), ModelError> {
        self.work.rhs_evaluations += 1;
        self.model.rhs(t, x, dx)
    }

    fn confirm(&mut self, request: &StepRequest, x: &[f64]) -> Result<bool, ModelError> {
        let Some(last) = self.unconfirmed.take() else { return Ok(true) };
        self.rhs(request.t, x)?;
        let mut correction = std::mem::take(&mut self.correction);
        let residual = self.residual(request, x, &mut correction);
        self.matrix.solve(&mut correction);
        let next = Correction::after(&last, norm(request.weights, &correction), residual);
        self.correction = correction;
        let right = residual <= request.tolerance || self.trust.learn(&last, &next);
        if !right {
            self.work.nonlinear_failures += 1;
            (self.gamma, self.has_jacobian) = (None, false);
        }
        Ok(right)
    }

    fn nominal(&self, i: usize) -> f64 {
        self.model.nominal(i)
    }

    fn size(&self, i: usize) -> (usize, Size) {
        self.model.size(i)
    }

    fn accepted(&mut self, _t: f64, _x: &[f64], _dx: &[f64]) {
        self.steps_since_failure = self.steps_since_failure.saturating_add(1);
        self.steps_since_factor += 1;
        self.steps_since_jacobian += 1;
        if let Some(stages) = &mut self.stages {
            stages.accepted();
        }
    }

    fn reset(&mut self) {
        self.gamma = None;
        self.has_jacobian = false;
        self.rate = 1.0;
        if let Some(stages) = &mut self.stages {
            stages.reset();
        }
    }

    fn persist(&mut self, iterations: u32) {
        self.persistence = iterations;
    }

    fn work(&self) -> Work {
        let stages = self.stages.as_ref().map_or(0, |s| s.repivots());
        Work { pivot_fallbacks: self.matrix.repivots() + stages, ..self.work }
    }

    fn damp(&mut self, v: &mut [f64]) -> bool {
        if self.gamma.is_some() {
            self.matrix.solve(v);
        }
        self.gamma.is_some()
    }

    fn rate_bound(&self, weights: &[f64]) -> Option<f64> {
        self.has_jacobian.then(|| self.jacobian.weighted_norm(weights))
    }

    fn stages(&mut self) -> Option<&mut dyn StageModel> {
        Some(self)
    }

    fn linear(&mut self) -> Option<&mut dyn LinearModel> {
        Some(self)
    }
}
