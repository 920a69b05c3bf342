//! Backward differentiation formulas of orders 1 to 5 with variable step, fixed leading coefficient.
//!
//! The past is kept as modified divided differences (Brenan, Campbell & Petzold, *Numerical Solution of
//! Initial-Value Problems in Differential-Algebraic Equations*, §5.2; Jackson & Sacks-Davis, ACM TOMS 6,
//! 1980). With `ψ_i = t_n - t_{n-i}`,
//!
//! ```text
//!     φ_1 = x_n,   φ_i = ψ_1 ψ_2 … ψ_{i-1} x[t_n, t_{n-1}, …, t_{n-i+1}]
//! ```
//!
//! the polynomial through the last points, continued to the new time, predicts `x` and its derivative; the
//! corrector replaces that derivative by
//!
//! ```text
//!     der(x) = der(x_pred) + (x - x_pred) / γ,   γ = h / (1 + 1/2 + … + 1/k)
//! ```
//!
//! which is `x = γ der(x) + old` with `old = x_pred - γ der(x_pred)`: one call of [`StepModel::step`]. Their
//! difference `e = x - x_pred` is the next divided difference, so every order has its error estimate: at
//! order `k` the local error is `C_k e`, at order `k-1` and `k+1` it follows from the differences one lower
//! and one higher. The constant is that of the formula with `h der(x)` as it is, `1/(k+1)` with equal steps, as in DASSL and IDA: so
//! much each step adds to the error in the end (Hairer, Nørsett & Wanner I, §III.2: `C_{p+1}/σ(1)`). With the factor of `x` as
//! one, as in CVODE, it is smaller by `1 + 1/2 + … + 1/k`, and so much too small. Changing order or step needs no
//! interpolation; a rejected step leaves nothing to undo.
//!
//! Step and order are chosen as in CVODE (Hindmarsh et al., ACM TOMS 31, 2005): a change of the step must be
//! worth its factorisation, and an order is kept for as many steps as it looks back; except that, as in DASSL, the order is
//! lowered at once where differences of higher order stop falling, and that a step whose error comes near the limit is reason
//! enough for another order, or for a shorter step.
//!
//! After an event the past is gone. Order one would need many small steps to build it up again, so a step or two of an explicit
//! Runge–Kutta method make a new one (Gear, *Runge–Kutta starters for multistep methods*, ACM TOMS 6, 1980): the polynomial of
//! its continuous extension has the differences that order four begins with. How long that step can be is known from the starts
//! before; the first one is made with order one. Where it is no longer than a few steps of order one, or beyond what is stable,
//! the model is stiff right there, and order one it is: what an unstable step leaves in stiff states is within the tolerance, but
//! makes relations of quantities far smaller than that change again and again.

use serde::{Deserialize, Serialize};

use super::core::{Core, Failures, Stride, initial_steps};
use super::explicit::ExplicitRk;
use super::options::StepReport;
use super::tableaux::TSITOURAS;
use crate::error::{ModelError, SolverError};
use crate::model::{StepModel, StepRequest};
use crate::vector::add_multiple;

/// The largest order.
const MAX_ORDER: usize = 5;
/// Differences beyond the one that the error is estimated from, for the guess.
const MORE: usize = 2;
/// `φ_1 … φ_{k+2}` and these; the first row is not used.
const ROWS: usize = MAX_ORDER + 3 + MORE;
/// `1 + 1/2 + … + 1/k`.
const HARMONIC: [f64; MAX_ORDER + 1] = [0.0, 1.0, 1.5, 11.0 / 6.0, 25.0 / 12.0, 137.0 / 60.0];
/// The iteration may leave this part of the tolerated local error.
const ITERATION_SHARE: f64 = 0.04;
/// Safety factors on the error at the current, next lower and next higher order.
const SAFETY: f64 = 6.0;
const SAFETY_LOWER: f64 = 6.0;
const SAFETY_HIGHER: f64 = 10.0;
/// A larger step must be at least this much larger.
const WORTH_IT: f64 = 1.5;
/// Largest growth of the step: the first time, and later.
const FIRST_GROWTH: f64 = 1e4;
const GROWTH: f64 = 10.0;
/// An error above this part of the tolerance makes the next step shorter, by factors between these, as in DASSL: else steps would
/// be as long as the error test lets them, and one more of them would fail.
const NEAR_LIMIT: f64 = 0.5;
const LEAST_REDUCTION: (f64, f64) = (0.5, 0.9);
/// Largest reduction after a failed error test, and the reduction from the second failure on.
const SHRINK: f64 = 0.1;
const SHRINK_AGAIN: f64 = 0.2;
/// Reduction after a failed iteration.
const SHRINK_CONVERGENCE: f64 = 0.25;
/// A Runge–Kutta step to start with must be worth so many first steps of order one, and so many attempts are made at it.
const WORTH_A_START: f64 = 4.0;
const START_ATTEMPTS: u32 = 5;
/// Another one follows while it may be so much longer, but no more than so many in all.
const START_GROWTH: f64 = 2.0;
const START_STEPS: u32 = 3;
/// After starts in vain so many are not tried, twice as many each time, up to this power of two.
const MOST_DOUBT: u32 = 6;
/// Where it is wanted for its exactness and is no good, so many steps of order one do instead.
const SHORT_STEPS: f64 = 8.0;
/// The polynomial of the Runge–Kutta step has this degree, and is sampled in as many parts.
const START_ORDER: usize = 4;
/// Failed error tests at one step before the past is no longer trusted.
const PATIENCE: u32 = 3;

/// State of the method.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Bdf {
    order: usize,
    /// Order of the last accepted step, that of the interpolating polynomial.
    order_used: usize,
    /// Step size to try next.
    h: f64,
    /// `ψ_1 … ψ_{k+4}` at the current time; `psi[0]` is not used.
    psi: [f64; ROWS],
    /// `φ_1 … φ_{k+4}`; `phi[0]` is not used.
    phi: [Vec<f64>; ROWS],
    /// Steps until a change of order is considered.
    wait: usize,
    steps_since_start: u64,
    /// An attempt at the current step has failed: the step after it is not made larger.
    failed: bool,
    /// The degree of the polynomial that would have guessed the last step best.
    degree: usize,
    predicted: Vec<f64>,
    old: Vec<f64>,
    x: Vec<f64>,
    dx: Vec<f64>,
    e: Vec<f64>,
    started: bool,
    starter: Starter,
    /// The formula of the last step and the distances before it, to take it back.
    taken: Option<(Formula, [f64; ROWS])>,
    /// The step to start with, where that is known.
    first_step: Option<f64>,
    /// Up to an instant steps are no longer than this: they were to be right far below the tolerance, and the method for that
    /// is no good here.
    short: Option<(f64, f64)>,
}

/// Makes a past for the first step.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Starter {
    method: ExplicitRk,
    /// Steps taken with it in a row; zero where it is not at work.
    steps: u32,
    /// The first step that the last start would have taken, had it known; zero where that is not known.
    reach: f64,
    /// The past is built up from order one; how far steps reach then is looked at.
    learns: bool,
    /// How often in a row it was no good, and how many starts go without it therefore.
    doubt: u32,
    skip: u32,
    /// The next start is made with it.
    forced: bool,
    /// The step that is wanted of it at the start that is being made.
    wanted: Option<f64>,
}

/// The coefficients of one step, from its size, its order and the past.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Formula {
    order: usize,
    /// Factor of the derivative.
    gamma: f64,
    psi: [f64; ROWS],
    /// `ψ_1…ψ_{i-1}` now over `ψ_1…ψ_{i-1}` before: carries the differences over to the new step.
    beta: [f64; ROWS],
    /// Derivative of the i-th basis polynomial.
    slope: [f64; ROWS],
    /// `(i-1)! h^i / (ψ_1…ψ_i)`: from a difference to the local error.
    sigma: [f64; ROWS],
    /// What a step of this order adds to the error, over `e`.
    error: f64,
}

impl Formula {
    fn new(order: usize, h: f64, past: &[f64; ROWS]) -> Self {
        let mut psi = [0.0; ROWS];
        let mut beta = [1.0; ROWS];
        let mut slope = [0.0; ROWS];
        let mut sigma = [1.0; ROWS];
        psi[1] = h;
        // More than the order needs: the estimate for the next order looks one further back, guesses look at all.
        for i in 2..=order + 2 + MORE {
            psi[i] = past[i - 1] + h;
            beta[i] = beta[i - 1] * psi[i - 1] / past[i - 1];
            slope[i] = slope[i - 1] + 1.0 / psi[i - 1];
            sigma[i] = (i - 1) as f64 * sigma[i - 1] * h / psi[i];
        }
        let leading = HARMONIC[order];
        // What the exact solution leaves over in the corrector: Σ h/ψ_i for i ≤ k+1, less the leading
        // coefficient.
        let residual = h * slope[order + 1] + h / psi[order + 1] - leading;
        // Behind steps that were about twice as long it is zero by luck; as DASSL has it, it counts as no less than its last term.
        let error = residual.abs().max(h / psi[order + 1]);
        Formula { order, gamma: h / leading, psi, beta, slope, sigma, error }
    }
}

impl Bdf {
    pub fn new(n: usize) -> Self {
        Bdf {
            order: 1,
            order_used: 1,
            h: 0.0,
            psi: [0.0; ROWS],
            phi: std::array::from_fn(|_| vec![0.0; n]),
            wait: 2,
            steps_since_start: 0,
            failed: false,
            degree: 0,
            predicted: vec![0.0; n],
            old: vec![0.0; n],
            x: vec![0.0; n],
            dx: vec![0.0; n],
            e: vec![0.0; n],
            started: false,
            starter: Starter {
                method: ExplicitRk::new(n, &TSITOURAS).only_stable(),
                steps: 0,
                reach: 0.0,
                learns: false,
                doubt: 0,
                skip: 0,
                forced: false,
                wanted: None,
            },
            taken: None,
            first_step: None,
            short: None,
        }
    }

    /// Forgets the past.
    pub fn restart(&mut self) {
        self.started = false;
        self.taken = None;
        self.starter.steps = 0;
        self.short = None;
    }

    /// Takes the last step back and goes on with one of this size, if its past is still known.
    pub fn resume(&mut self, h: f64) -> bool {
        let Some((formula, psi)) = self.taken.take() else {
            // Nothing but the point itself is known.
            self.restart();
            self.first_step = Some(h);
            return true;
        };
        // Each difference was the sum of its old value, carried over, and the next: see `carry_over`.
        let last = formula.order + 2;
        for i in 1..last {
            let (low, high) = self.phi.split_at_mut(i + 1);
            for (phi, next) in low[i].iter_mut().zip(&high[0]) {
                *phi = (*phi - next) / formula.beta[i];
            }
        }
        self.phi[last..].iter_mut().for_each(|phi| phi.fill(0.0));
        (self.psi, self.order, self.degree) = (psi, formula.order, 0);
        self.steps_since_start -= 1;
        self.wait = self.order + 1;
        self.failed = true;
        self.h = h;
        true
    }

    /// The next step, of about this length, makes a past for the method, as after an event, whatever is known of that: only one of
    /// higher order is right. Where that is beyond what is stable, steps of order one are a small part of it.
    pub fn start_exactly(&mut self, h: f64) {
        self.restart();
        self.first_step = Some(h);
        self.starter.forced = true;
    }

    /// The factor of `der(x)` in the last step, as a part of it.
    pub fn implicit_part(&self) -> f64 {
        1.0 / HARMONIC[self.order_used]
    }

    /// Instants through which the polynomial of the past goes, equally far apart, the latest first.
    pub fn remembered(&self, core: &Core) -> Vec<f64> {
        if !self.started || self.steps_since_start == 0 || self.starter.steps > 0 {
            return Vec::new();
        }
        let part = self.psi[self.order_used] / self.order_used as f64;
        (1..=self.order_used).map(|i| core.t - i as f64 * part).collect()
    }

    /// Can it go on with other states, given so much of their past?
    pub fn goes_on(&self, core: &Core, past: usize) -> bool {
        past > 0 && past == self.remembered(core).len()
    }

    /// The past of other states, at the instants that are remembered, replaces that of the present ones.
    pub fn change_states(&mut self, x: &[f64], past: &[Vec<f64>]) {
        let part = self.psi[self.order_used] / self.order_used as f64;
        self.taken = None;
        self.phi[1].copy_from_slice(x);
        for (phi, values) in self.phi[2..].iter_mut().zip(past) {
            phi.copy_from_slice(values);
        }
        self.differences(past.len(), part);
        self.order = self.order.min(past.len());
        self.wait = self.order + 1;
    }

    /// Values at instants equally far apart become differences, one order after the other.
    fn differences(&mut self, order: usize, part: f64) {
        self.psi = std::array::from_fn(|i| i as f64 * part);
        for i in 1..=order {
            for j in (i..=order).rev() {
                let (newer, older) = self.phi.split_at_mut(j + 1);
                for (older, newer) in older[0].iter_mut().zip(&newer[j]) {
                    *older = newer - *older;
                }
            }
        }
        self.phi[order + 2..].iter_mut().for_each(|phi| phi.fill(0.0));
        self.degree = 0;
    }

    /// One step towards `t_limit`. `core.dx` is the derivative when the method starts.
    pub fn step<M: StepModel + ?Sized>(
        &mut self,
        core: &mut Core,
        model: &mut M,
        t_limit: f64,
    ) -> Result<StepReport, SolverError> {
        core.weights.update(&core.x);
        if !self.started {
            self.start(core, model, t_limit)?;
        }
        if self.starter.steps > 0
            && let Some(report) = self.starting_step(core, model, t_limit)?
        {
            return Ok(report);
        }
        let mut failures = Failures::default();
        let mut error_failures = 0;
        loop {
            core.may_try(self.h, &failures)?;
            let stride = core.stride(self.within_short(core.t), t_limit);
            let formula = Formula::new(self.order, stride.h, &self.psi);
            self.predict(&formula);
            let t = core.end(stride, t_limit);
            if let Err(e) = self.correct(core, model, &formula, t) {
                let e = core.recoverable(t, e)?;
                core.note_model(&mut failures, e);
                self.h = stride.h * SHRINK_CONVERGENCE;
                self.failed = true;
                continue;
            }
            let size = core.weights.norm(&self.e);
            let error = self.estimate(size, &formula);
            if !(error <= 1.0) {
                core.note_error(&mut failures, error, &self.e);
                error_failures += 1;
                self.shrink(core, model, stride, error, error_failures)?;
                continue;
            }
            if step_ratio(SAFETY * error, formula.order + 1) >= WORTH_IT {
                // So little to correct may be so because a matrix is too large by far.
                let confirmed = model.confirm(&self.request(core, &formula, t), &self.x);
                if let Some(e) = core.unconfirmed(t, confirmed)? {
                    core.note_model(&mut failures, e);
                    self.h = stride.h * SHRINK_CONVERGENCE;
                    self.failed = true;
                    continue;
                }
            }
            self.accept(core, model, &formula, t, size);
            self.choose_step_and_order(core, &formula, stride, error, size);
            return Ok(core.report(formula.order, stride.at_limit));
        }
    }

    /// The step size to try next, but a short one where only these are right.
    fn within_short(&self, t: f64) -> f64 {
        let short = self.short.filter(|(until, _)| t < *until);
        short.map_or(self.h, |(_, longest)| self.h.min(longest))
    }

    /// The polynomial through the last points at a time in the last step.
    pub fn interpolate(&self, core: &Core, t: f64, x: &mut [f64]) {
        let delta = t - core.t;
        x.copy_from_slice(&self.phi[1]);
        let mut c = 1.0;
        for i in 2..=self.order_used + 1 {
            let before = if i > 2 { self.psi[i - 2] } else { 0.0 };
            c *= (delta + before) / self.psi[i - 1];
            add_multiple(x, &self.phi[i], c);
        }
    }

    /// Order 1 from the solution and its derivative; or a Runge–Kutta step is to be tried first.
    fn start<M: StepModel + ?Sized>(
        &mut self,
        core: &mut Core,
        model: &mut M,
        t_limit: f64,
    ) -> Result<(), SolverError> {
        let mut work = std::mem::take(&mut self.phi[3]);
        work.resize(2 * core.n(), 0.0);
        let steps = initial_steps(core, model, [1, TSITOURAS.order], t_limit, &mut work);
        work.truncate(core.n());
        self.phi[3] = work;
        let [h, long] = steps?;
        let given = self.first_step.take();
        let [h, long] = given.map_or([h, long], |given| [h.min(given), given]);
        self.h = h;
        self.reload(core, self.h);
        self.order = 1;
        self.order_used = 1;
        self.wait = 2;
        self.steps_since_start = 0;
        self.failed = false;
        self.started = true;
        self.starter.begin(core, h, long);
        Ok(())
    }

    /// A step of the Runge–Kutta method, and the past it makes; `None` where it is not worth it.
    fn starting_step<M: StepModel + ?Sized>(
        &mut self,
        core: &mut Core,
        model: &mut M,
        t_limit: f64,
    ) -> Result<Option<StepReport>, SolverError> {
        let starter = &mut self.starter;
        let first = starter.steps == 1;
        if !first {
            starter.wanted = None;
        }
        let mut failures = Failures::default();
        let report = loop {
            core.may_try(starter.method.proposal(), &failures)?;
            if let Some(report) = starter.method.attempt(core, model, t_limit, &mut failures)? {
                break report;
            }
            let worth = !first || starter.method.proposal() >= WORTH_A_START * self.h;
            if failures.count >= START_ATTEMPTS || !worth || starter.method.is_unstable() {
                if let Some(wanted) = starter.wanted.take() {
                    self.short = Some((core.t + 2.0 * wanted, wanted / SHORT_STEPS));
                }
                starter.give_up(first);
                return Ok(None);
            }
        };
        let h = report.t - report.t_old;
        starter.accepted(h, failures.count > 0);
        self.take_past(core, h);
        Ok(Some(report))
    }

    /// The differences of the polynomial of the last Runge–Kutta step.
    fn take_past(&mut self, core: &Core, h: f64) {
        let part = h / START_ORDER as f64;
        self.taken = None;
        self.phi[1].copy_from_slice(&core.x);
        for i in 1..=START_ORDER {
            let t = core.t - i as f64 * part;
            self.starter.method.interpolate(core, t, &mut self.phi[i + 1]);
        }
        self.differences(START_ORDER, part);
        self.order_used = START_ORDER;
        self.order = START_ORDER.min(core.options.max_order);
        self.wait = self.order + 1;
        self.steps_since_start += 1;
        // What one order lower would allow is known from the highest difference.
        let lower = core.weights.norm(&self.phi[START_ORDER + 1]) / START_ORDER as f64;
        self.h = part * step_ratio(SAFETY * lower, START_ORDER).clamp(1.0, START_GROWTH);
    }

    /// A straight line through the current point replaces the past.
    fn reload(&mut self, core: &Core, h: f64) {
        self.psi = std::array::from_fn(|i| i as f64 * h);
        self.phi[1].copy_from_slice(&core.x);
        for (phi, dx) in self.phi[2].iter_mut().zip(&core.dx) {
            *phi = h * dx;
        }
        for phi in &mut self.phi[3..] {
            phi.fill(0.0);
        }
        self.degree = 0;
    }

    /// `x_pred = Σ φ*_i`, `der(x_pred) = Σ slope_i φ*_i`, `old = x_pred - γ der(x_pred)`.
    fn predict(&mut self, formula: &Formula) {
        // With the order a literal, all sums of a state stay in registers.
        match formula.order {
            1 => self.predict_with::<3>(formula),
            2 => self.predict_with::<4>(formula),
            3 => self.predict_with::<5>(formula),
            4 => self.predict_with::<6>(formula),
            _ => self.predict_with::<7>(formula),
        }
    }

    /// `COUNT` is two more than the order: `φ_0`, which is not used, and `φ_1 … φ_{k+1}`.
    #[inline(always)]
    fn predict_with<const COUNT: usize>(&mut self, formula: &Formula) {
        let n = self.predicted.len();
        let Some(phi) = self.phi.first_chunk::<COUNT>() else { return };
        let phi: [&[f64]; COUNT] = std::array::from_fn(|i| &phi[i][..n]);
        let value: [f64; COUNT] = std::array::from_fn(|i| formula.beta[i]);
        let slope: [f64; COUNT] = std::array::from_fn(|i| formula.beta[i] * formula.slope[i]);
        let (predicted, slopes, old) = (&mut self.predicted[..n], &mut self.dx[..n], &mut self.old[..n]);
        for j in 0..n {
            let (mut p, mut dx) = (phi[1][j], 0.0);
            for i in 2..COUNT {
                p += value[i] * phi[i][j];
                dx += slope[i] * phi[i][j];
            }
            (predicted[j], slopes[j], old[j]) = (p, dx, p - formula.gamma * dx);
        }
    }

    /// Asks the model for the solution of `x = γ der(x) + old`.
    fn correct<M: StepModel + ?Sized>(
        &mut self,
        core: &Core,
        model: &mut M,
        formula: &Formula,
        t: f64,
    ) -> Result<(), ModelError> {
        self.x.copy_from_slice(&self.predicted);
        if model.is_exact() {
            self.guess(formula);
        }
        let mut x = std::mem::take(&mut self.x);
        let mut dx = std::mem::take(&mut self.dx);
        let outcome = model.step(&self.request(core, formula, t), &mut x, &mut dx);
        (self.x, self.dx) = (x, dx);
        outcome?;
        for ((e, x), p) in self.e.iter_mut().zip(&self.x).zip(&self.predicted) {
            *e = x - p;
        }
        Ok(())
    }

    /// What is asked of the model.
    fn request<'a>(&'a self, core: &'a Core, formula: &Formula, t: f64) -> StepRequest<'a> {
        let (h, tolerance) = (formula.gamma, ITERATION_SHARE / formula.error);
        StepRequest { t, h, old: &self.old, weights: core.weights.values(), tolerance }
    }

    /// Adds to the prediction as many more differences as would have served the last step best. What is left to correct is
    /// then smaller by as many orders, and so is the error of an iteration that stops early: that error is not smooth as the
    /// local error is, and where motion is unstable it does more harm.
    fn guess(&mut self, formula: &Formula) {
        let most = formula.order + MORE;
        for next in formula.order + 2..=self.degree.min(most) + 1 {
            let (value, slope) = (formula.beta[next], formula.beta[next] / formula.gamma);
            add_multiple(&mut self.x, &self.phi[next], value);
            add_multiple(&mut self.dx, &self.phi[next], slope);
        }
    }

    /// The difference one higher is what a polynomial guessed wrong; that of the formula, `e`, has this size.
    fn best_degree(&self, core: &Core, order: usize, size: f64) -> usize {
        let (mut best, mut least) = (order, size);
        for degree in order + 1..=order + MORE {
            let size = core.weights.norm(&self.phi[degree + 2]);
            if size < least {
                (best, least) = (degree, size);
            }
        }
        best
    }

    /// The weighted local error, where `e` has this size.
    fn estimate(&self, size: f64, formula: &Formula) -> f64 {
        // In the first step the past is a tangent, not a chord: the difference is half of what it will be
        // later.
        let first = if self.steps_since_start == 0 { 2.0 } else { 1.0 };
        first * formula.error * size
    }

    /// A smaller step after a failed error test; after several failures also a lower order, then a new start.
    fn shrink<M: StepModel + ?Sized>(
        &mut self,
        core: &mut Core,
        model: &mut M,
        stride: Stride,
        error: f64,
        failures: u32,
    ) -> Result<(), SolverError> {
        self.failed = true;
        let mut eta = step_ratio(SAFETY * error, self.order + 1).clamp(SHRINK, 0.9);
        if !error.is_finite() {
            eta = SHRINK;
        } else if failures > 1 {
            eta = eta.min(SHRINK_AGAIN);
        }
        self.h = stride.h * eta;
        if failures >= PATIENCE {
            if self.order > 1 {
                self.order -= 1;
                self.wait = self.order + 1;
            } else {
                core.evaluate_start(model)?;
                self.reload(core, self.h);
                self.wait = 10;
            }
        }
        Ok(())
    }

    /// Moves to the new point: `φ_{k+2} = e`, and each lower difference is the sum of its old value and the
    /// next. `e` has this weighted size.
    fn accept<M: StepModel + ?Sized>(
        &mut self,
        core: &mut Core,
        model: &mut M,
        formula: &Formula,
        t: f64,
        size: f64,
    ) {
        let k = formula.order;
        self.wait = self.wait.saturating_sub(1);
        match k {
            1 => self.carry_over::<{ 4 + MORE }>(formula),
            2 => self.carry_over::<{ 5 + MORE }>(formula),
            3 => self.carry_over::<{ 6 + MORE }>(formula),
            4 => self.carry_over::<{ 7 + MORE }>(formula),
            _ => self.carry_over::<{ 8 + MORE }>(formula),
        }
        self.degree = if model.is_exact() { self.best_degree(core, k, size) } else { 0 };
        self.taken = Some((*formula, self.psi));
        self.psi = formula.psi;
        self.order_used = k;
        self.steps_since_start += 1;
        core.x.copy_from_slice(&self.x);
        core.dx.copy_from_slice(&self.dx);
        core.advance(t);
        model.accepted(t, &core.x, &core.dx);
    }

    /// The differences at the new point. `COUNT` is the number of rows: `φ_0`, which is not used, `φ_1 … φ_{k+2}`, the last of
    /// them `e`, and those for guesses.
    #[inline(always)]
    fn carry_over<const COUNT: usize>(&mut self, formula: &Formula) {
        let n = self.e.len();
        let Some(phi) = self.phi.first_chunk_mut::<COUNT>() else { return };
        let mut phi = phi.each_mut().map(|phi| &mut phi[..]);
        // The first is empty or not; it is not touched.
        for phi in &mut phi[1..] {
            *phi = &mut std::mem::take(phi)[..n];
        }
        let beta: [f64; COUNT] = std::array::from_fn(|i| formula.beta[i]);
        let e = &self.e[..n];
        let last = COUNT - 1 - MORE;
        for j in 0..n {
            let mut next = e[j];
            for i in last..COUNT {
                let before = std::mem::replace(&mut phi[i][j], next);
                next -= beta[i] * before;
            }
            next = e[j];
            for i in (1..last).rev() {
                next += beta[i] * phi[i][j];
                phi[i][j] = next;
            }
        }
    }

    /// The order among `k-1`, `k`, `k+1` that allows the largest step, and that step.
    fn choose_step_and_order(
        &mut self,
        core: &Core,
        formula: &Formula,
        stride: Stride,
        error: f64,
        size: f64,
    ) {
        let k = formula.order;
        if std::mem::take(&mut self.failed) {
            self.wait = self.wait.max(2);
            self.h = stride.h;
            return;
        }
        let mut best = (step_ratio(SAFETY * error, k + 1), k);
        let differences_grow = self.differences_grow(core, formula, size);
        if k > 1 && (self.wait == 0 || differences_grow) {
            let lower = formula.sigma[k] * core.weights.norm(&self.phi[k + 1]);
            let ratio = step_ratio(SAFETY_LOWER * lower, k);
            if ratio > best.0 || differences_grow {
                best = (ratio, k - 1);
            }
        }
        if k < core.options.max_order && self.wait == 0 && !differences_grow {
            let higher = formula.sigma[k + 2] * core.weights.norm(&self.phi[k + 3]);
            let ratio = step_ratio(SAFETY_HIGHER * higher, k + 2);
            if ratio > best.0 {
                best = (ratio, k + 1);
            }
        }
        if self.wait == 0 {
            self.wait = 2;
        }
        let (ratio, order) = best;
        // Where this step is longer than it should be, that is a reason, too: behind an event it would be as long for many steps of
        // order one.
        let long = SAFETY * error > 1.0;
        if order != k && (ratio >= WORTH_IT || differences_grow || long) {
            if order > k {
                self.phi[order + 2 + MORE].fill(0.0);
            }
            self.order = order;
            self.wait = order + 1;
        }
        let growth = if self.steps_since_start == 1 { FIRST_GROWTH } else { GROWTH };
        self.h = if ratio >= WORTH_IT {
            stride.h * ratio.min(growth)
        } else if stride.h < self.h {
            // A step shortened to meet a limit does not shorten those after it.
            self.h.min(stride.h * growth)
        } else if error > NEAR_LIMIT {
            stride.h * ratio.clamp(LEAST_REDUCTION.0, LEAST_REDUCTION.1)
        } else {
            stride.h
        };
        self.starter.learn(self.order, self.h);
    }

    /// Scaled derivatives of the solution that do not fall with their order are a sign of instability, not of
    /// accuracy: the rule by which DASSL lowers the order.
    fn differences_grow(&self, core: &Core, formula: &Formula, size: f64) -> bool {
        let k = formula.order;
        let derivative = |i: usize, size: f64| i as f64 * formula.sigma[i] * size;
        let norm = |i: usize| core.weights.norm(&self.phi[i]);
        k > 2 && {
            let highest = derivative(k + 1, size);
            derivative(k, norm(k + 1)) <= highest && derivative(k - 1, norm(k)) <= highest
        }
    }
}

impl Starter {
    /// Decides whether to start with a step of about this length, where order one would start with `low`.
    fn begin(&mut self, core: &Core, low: f64, long: f64) {
        self.steps = 0;
        self.learns = true;
        let forced = std::mem::take(&mut self.forced);
        self.wanted = None;
        if core.options.low_order_start || core.n() == 0 {
            return;
        }
        if forced {
            (self.steps, self.learns) = (1, false);
            self.wanted = Some(long);
            self.method.start_with(long);
            return;
        }
        if self.skip > 0 {
            self.skip -= 1;
            return;
        }
        let h = long.min(self.reach);
        if h >= WORTH_A_START * low {
            (self.steps, self.learns) = (1, false);
            self.method.start_with(h);
        }
    }

    /// The method is no good here.
    fn give_up(&mut self, first: bool) {
        self.steps = 0;
        if first {
            (self.reach, self.learns) = (0.0, true);
            self.skip = 1 << self.doubt;
            self.doubt = (self.doubt + 1).min(MOST_DOUBT);
        }
    }

    /// A step of length `h` follows with the formula of this order.
    fn learn(&mut self, order: usize, h: f64) {
        if self.learns && order == START_ORDER {
            (self.reach, self.learns) = (START_ORDER as f64 * h, false);
        }
    }

    /// A step of length `h` was taken: is it the last one?
    fn accepted(&mut self, h: f64, repeated: bool) {
        if self.steps == 1 {
            self.doubt = 0;
            self.reach = self.method.proposal().min(START_GROWTH * h);
        }
        let longer = self.method.proposal() >= START_GROWTH * h && !repeated;
        self.steps = if longer && self.steps < START_STEPS { self.steps + 1 } else { 0 };
    }
}

/// The ratio by which a step may change when its error is `error` and grows with the given power of the step.
fn step_ratio(error: f64, power: usize) -> f64 {
    1.0 / (error.powf(1.0 / power as f64) + 1e-6)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::testing::Random;

    /// Differences of the values of a function at unequal times, from their definition.
    fn differences(times: &[f64], x: impl Fn(f64) -> f64) -> ([f64; ROWS], [f64; ROWS]) {
        let mut divided: Vec<f64> = times.iter().map(|&t| x(t)).collect();
        let mut psi = [0.0; ROWS];
        let mut phi = [0.0; ROWS];
        for i in 1..times.len() {
            psi[i] = times[0] - times[i];
        }
        let mut product = 1.0;
        phi[1] = divided[0];
        for i in 1..times.len() {
            for j in 0..times.len() - i {
                divided[j] = (divided[j] - divided[j + 1]) / (times[j] - times[j + i]);
            }
            product *= psi[i];
            phi[i + 1] = product * divided[0];
        }
        (psi, phi)
    }

    /// On any grid: polynomials up to the order are predicted and corrected exactly; for the next power
    /// prediction is off by the next difference and the corrector by `error` times that.
    #[test]
    fn every_order_is_exact_for_its_polynomials_on_unequal_steps() {
        let mut random = Random::new(8);
        for order in 1..=MAX_ORDER {
            for power in 0..=order + 1 {
                let mut times = vec![0.3];
                for _ in 0..=order {
                    times.push(times[times.len() - 1] - 0.1 - 0.2 * random.uniform());
                }
                let h = 0.1 + 0.2 * random.uniform();
                let t = times[0] + h;
                let exponent = power as i32;
                let (psi, phi) = differences(&times, |t| t.powi(exponent));
                let formula = Formula::new(order, h, &psi);
                let predicted: f64 = (1..=order + 1).map(|i| formula.beta[i] * phi[i]).sum();
                let slope: f64 = (2..=order + 1).map(|i| formula.slope[i] * formula.beta[i] * phi[i]).sum();
                let (x, dx) = (t.powi(exponent), f64::from(exponent) * t.powi(exponent - 1));
                let e = x - predicted;
                let residual = x - (formula.gamma * dx + predicted - formula.gamma * slope);
                if power <= order {
                    assert!(e.abs() < 1e-12, "order {order}, power {power}: predicted {e:e} off");
                    assert!(residual.abs() < 1e-12, "order {order}, power {power}: {residual:e}");
                } else {
                    let mut longer = times.clone();
                    longer.insert(0, t);
                    let (_, next) = differences(&longer[..order + 2], |t| t.powi(exponent));
                    assert!((e - next[order + 2]).abs() < 1e-12, "the error is the next difference");
                    let constant = HARMONIC[order] * (residual / e).abs();
                    let least = h / (t - times[order]);
                    assert!((constant.max(least) - formula.error).abs() < 1e-9, "order {order}");
                }
            }
        }
    }

    /// With equal steps the error constant is that of the textbooks, 1/(k+1).
    #[test]
    fn error_constants_of_equal_steps() {
        for order in 1..=MAX_ORDER {
            let past = std::array::from_fn(|i| 0.1 * i as f64);
            let formula = Formula::new(order, 0.1, &past);
            let expected = 1.0 / (order + 1) as f64;
            assert!((formula.error - expected).abs() < 1e-14);
        }
    }
}
