//! What all methods share: where the integration stands, its tolerances, and the rules for step sizes and
//! failures.

use serde::{Deserialize, Serialize};

use super::options::{Options, StepReport};
use crate::error::{ModelError, Reason, Recoverable, SolverError, StepObstacle};
use crate::model::StepModel;
use crate::weights::{Weights, first_not_finite};

/// Failed attempts at one step before giving up, whatever the step size.
const MAX_ATTEMPTS: u32 = 60;
/// After so many failed attempts, each with a step of a fifth or less, what fails does not become smaller with the step.
const NOT_SMALLER: u32 = 3;
/// A tolerance that rounding errors of one size meet.
const ABOVE_ROUNDING: f64 = 10.0;

/// The state of an integration that does not depend on the method.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Core {
    pub options: Options,
    pub weights: Weights,
    pub t: f64,
    pub t_old: f64,
    /// Solution and its derivative at `t`.
    pub x: Vec<f64>,
    pub dx: Vec<f64>,
    pub steps: u64,
    pub rejected: u64,
    pub convergence_failures: u64,
    /// Inside steps the solution is asked for from here on.
    pub asked_from: f64,
}

/// A step size, and whether it ends exactly at the limit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stride {
    pub h: f64,
    pub at_limit: bool,
}

impl Core {
    pub fn n(&self) -> usize {
        self.x.len()
    }

    /// The step to take towards `t_limit`: `h` within its bounds, shortened so that no sliver remains before
    /// the limit.
    pub fn stride(&self, h: f64, t_limit: f64) -> Stride {
        let left = t_limit - self.t;
        let h = h.min(self.options.max_step);
        if h * (1.0 + 1e-9) >= left {
            Stride { h: left, at_limit: true }
        } else if 2.0 * h > left {
            Stride { h: 0.5 * left, at_limit: false }
        } else {
            Stride { h, at_limit: false }
        }
    }

    /// Will the solution be asked for before the end of the step to `t`?
    pub fn is_asked_before(&self, t: f64) -> bool {
        self.asked_from < t
    }

    /// Time at the end of a stride: the limit itself, not its sum.
    pub fn end(&self, stride: Stride, t_limit: f64) -> f64 {
        if stride.at_limit { t_limit } else { self.t + stride.h }
    }

    pub fn smallest_step(&self) -> f64 {
        self.options.min_step.max(4.0 * f64::EPSILON * self.t.abs()).max(f64::MIN_POSITIVE)
    }

    /// Moves to the accepted point; the caller has written `x` and `dx`.
    pub fn advance(&mut self, t: f64) {
        self.t_old = self.t;
        self.t = t;
        self.steps += 1;
    }

    pub fn report(&self, order: usize, at_limit: bool) -> StepReport {
        StepReport { t_old: self.t_old, t: self.t, order, at_limit }
    }

    /// Whether another attempt of size `h` makes sense after `failures` failed ones.
    pub fn may_try(&self, h: f64, failures: &Failures) -> Result<(), SolverError> {
        if self.options.max_steps.is_some_and(|limit| self.steps >= limit) {
            return Err(SolverError::TooManySteps { t: self.t, steps: self.steps });
        }
        match failures.last {
            Some(obstacle) if h < self.smallest_step() || failures.count >= MAX_ATTEMPTS => {
                Err(SolverError::StepSizeTooSmall { t: self.t, h, obstacle })
            }
            _ => Ok(()),
        }
    }

    /// The derivative at the current point, checked.
    pub fn evaluate_start<M: StepModel + ?Sized>(&mut self, model: &mut M) -> Result<(), SolverError> {
        let t = self.t;
        if let Some(state) = first_not_finite(&self.x) {
            return Err(SolverError::BadStart { t, obstacle: StepObstacle::NotFinite { state } });
        }
        model.derivative(t, &self.x, &mut self.dx).map_err(|e| match e {
            ModelError::Recoverable(e) => SolverError::BadStart { t, obstacle: StepObstacle::Model(e) },
            ModelError::Fatal(source) => SolverError::Model { t, source },
        })?;
        match first_not_finite(&self.dx) {
            Some(state) => Err(SolverError::BadStart { t, obstacle: StepObstacle::NotFinite { state } }),
            None => Ok(()),
        }
    }

    /// Sorts a failure of the model: recoverable ones are handed back, fatal ones end the integration at `t`.
    pub fn recoverable(&self, t: f64, error: ModelError) -> Result<Recoverable, SolverError> {
        match error {
            ModelError::Recoverable(e) => Ok(e),
            ModelError::Fatal(source) => Err(SolverError::Model { t, source }),
        }
    }

    /// What to note where a solution was not confirmed; nothing where it was.
    pub fn unconfirmed(
        &self,
        t: f64,
        confirmed: Result<bool, ModelError>,
    ) -> Result<Option<Recoverable>, SolverError> {
        match confirmed {
            Ok(true) => Ok(None),
            Ok(false) => Ok(Some(Recoverable::new(Reason::NoConvergence))),
            Err(e) => self.recoverable(t, e).map(Some),
        }
    }

    /// Notes an attempt whose error is too large, or not a number.
    pub fn note_error(&mut self, failures: &mut Failures, error: f64, estimate: &[f64]) {
        self.rejected += 1;
        let mut state = self.weights.dominating(estimate);
        if !error.is_finite() && estimate.iter().all(|e| e.is_nan()) {
            // One state has spoilt all; the one that moved fastest is the likely culprit.
            state = self.weights.dominating(&self.dx);
        }
        if error.is_finite() && failures.count >= NOT_SMALLER {
            let off = estimate.get(state).map_or(0.0, |e| e.abs());
            self.weights.raise(state, ABOVE_ROUNDING * off);
        }
        failures.note(if error.is_finite() {
            StepObstacle::ErrorTest { state, error }
        } else {
            StepObstacle::NotFinite { state }
        });
    }

    /// Notes an attempt the model could not solve.
    pub fn note_model(&mut self, failures: &mut Failures, e: Recoverable) {
        self.convergence_failures += 1;
        if let Some(state) = e.component.filter(|_| failures.count >= NOT_SMALLER) {
            self.weights.raise(state, ABOVE_ROUNDING * self.weights.absolute(state));
        }
        failures.note(StepObstacle::Model(e));
    }
}

/// The failed attempts at one step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Failures {
    pub count: u32,
    pub last: Option<StepObstacle>,
}

impl Failures {
    fn note(&mut self, obstacle: StepObstacle) {
        self.count += 1;
        self.last = Some(obstacle);
    }
}

/// A first step size for a method of order `order`.
pub(crate) fn initial_step<M: StepModel + ?Sized>(
    core: &Core,
    model: &mut M,
    order: usize,
    t_limit: f64,
    work: &mut [f64],
) -> Result<f64, SolverError> {
    initial_steps(core, model, [order], t_limit, work).map(|[h]| h)
}

/// First step sizes for methods of these orders.
///
/// Hairer, Nørsett & Wanner, *Solving Ordinary Differential Equations I*, §II.4: a step for which the first
/// two derivatives, estimated by an explicit Euler step, promise an error of a hundredth of the tolerance.
/// `work` holds `2 n` numbers. A failing trial only makes the step smaller.
pub(crate) fn initial_steps<M: StepModel + ?Sized, const K: usize>(
    core: &Core,
    model: &mut M,
    orders: [usize; K],
    t_limit: f64,
    work: &mut [f64],
) -> Result<[f64; K], SolverError> {
    let left = t_limit - core.t;
    if let Some(h) = core.options.initial_step {
        return Ok([h.min(left); K]);
    }
    let n = core.n();
    let (size, speed) = (core.weights.norm(&core.x), core.weights.norm(&core.dx));
    // From zero the size tells nothing; but a first try that goes far astray tells nothing either.
    let astray = if speed > 0.0 { 1e4 / speed } else { f64::INFINITY };
    let mut h =
        if size < 1e-5 || speed < 1e-5 { astray.min(1e-6 * left.min(1.0)) } else { 0.01 * size / speed };
    h = h.min(left).min(core.options.max_step);
    if n == 0 {
        return Ok([left.min(core.options.max_step); K]);
    }
    let (x, dx) = work.split_at_mut(n);
    let dx = &mut dx[..n];
    for _ in 0..20 {
        for i in 0..n {
            x[i] = core.x[i] + h * core.dx[i];
        }
        dx.copy_from_slice(&core.dx);
        match model.derivative(core.t + h, x, dx) {
            Ok(()) if first_not_finite(dx).is_none() => break,
            Ok(()) => {}
            Err(e) => {
                core.recoverable(core.t + h, e)?;
            }
        }
        h *= 0.1;
    }
    for i in 0..n {
        dx[i] -= core.dx[i];
    }
    let curvature = core.weights.norm(dx) / h;
    let largest = speed.max(curvature);
    Ok(orders.map(|order| {
        let better = if largest <= 1e-15 {
            (1e-3 * h).max(1e-6)
        } else {
            (0.01 / largest).powf(1.0 / (order + 1) as f64)
        };
        let h = if better > 0.0 { better.min(100.0 * h) } else { h };
        if h.is_finite() { h.min(left).min(core.options.max_step) } else { 1e-6 * left.min(1.0) }
    }))
}
