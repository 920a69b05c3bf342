//! Radau IIA with three stages, order 5.
//!
//! Hairer & Wanner, *Solving Ordinary Differential Equations II*, §IV.8. The model solves the three stages at
//! once ([`StageModel`](crate::model::StageModel)): a classical model by one real and one complex system, an
//! inlined one by its own torn system. The integrator supplies the guess, by continuing the last collocation
//! polynomial, the error estimate, damped once by `(I - h/γ J)⁻¹`, and Gustafsson's predictive step size
//! control.
//!
//! The collocation polynomial is the dense output, raised by one degree to pass through the beginning of the step
//! before. In stiff problems it is of order 3 while the ends of steps may be exact by far with any step size: there its
//! error, the term that is added, limits the step too, where the solution is asked for inside.

use serde::{Deserialize, Serialize};

use super::collocation;
use super::control::WORTH_IT;
use super::core::{Core, Failures, initial_step};
use super::options::StepReport;
use super::tableaux::RADAU_IIA;
use crate::error::{ModelError, SolverError};
use crate::model::{StageReport, StageRequest, StepModel};

const SAFETY: f64 = 0.9;
const SHRINK: f64 = 0.125;
const GROW: f64 = 8.0;
/// Newton iterations that leave the step size alone.
const USUAL_ITERATIONS: f64 = 7.0;

/// The error estimate may be so many times the tolerance.
const LOOSEST: f64 = 20.0;
/// The collocation polynomial may be off by so many tolerances inside a step.
const ALLOWED_INSIDE: f64 = 10.0;
/// Attempts at a step that may be given up because of it.
const MOST_FOR_INSIDE: u32 = 5;
/// The largest value of `|s (s - c₁) (s - c₂) (s - 1)|` between 0 and 1.
const LARGEST_PRODUCT: f64 = 0.0189;

/// State of the method.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Radau {
    h: f64,
    /// Size and error of the last accepted step.
    last: Option<(f64, f64)>,
    first: bool,
    /// Stage values and derivatives, three each.
    x: Vec<f64>,
    dx: Vec<f64>,
    error: Vec<f64>,
    raw: Vec<f64>,
    point: Vec<f64>,
    slope: Vec<f64>,
    /// Divided differences of the collocation polynomial, in `(t - t_n)/h` at 0, c₂ - 1, c₁ - 1.
    dense: [Vec<f64>; 3],
    h_dense: f64,
    /// The beginning of the last step.
    before: Vec<f64>,
    /// The next divided difference, with the beginning of the step before.
    raised: Vec<f64>,
    /// Tolerances of the error estimate as multiples of those the user wants.
    looseness: f64,
    iteration_tolerance: f64,
    started: bool,
}

impl Radau {
    pub fn new(n: usize, rtol: f64) -> Self {
        Radau {
            h: 0.0,
            last: None,
            first: true,
            x: vec![0.0; 3 * n],
            dx: vec![0.0; 3 * n],
            error: vec![0.0; n],
            raw: vec![0.0; 2 * n],
            point: vec![0.0; n],
            slope: vec![0.0; n],
            dense: std::array::from_fn(|_| vec![0.0; n]),
            h_dense: 0.0,
            before: vec![0.0; n],
            raised: vec![0.0; n],
            looseness: if rtol > 0.0 { Radau::inner_tolerance(rtol) / rtol } else { 1.0 },
            iteration_tolerance: (10.0 * f64::EPSILON / rtol.max(1e-14)).max(rtol.sqrt().min(0.03)),
            started: false,
        }
    }

    /// The tolerance to use inside: the error estimate is of order 3, the solution of order 5. Not so in stiff problems,
    /// where both are of order 3, so it is not looser by far.
    pub fn inner_tolerance(rtol: f64) -> f64 {
        (0.1 * rtol.powf(2.0 / 3.0)).min(LOOSEST * rtol)
    }

    /// Tolerances of the error estimate as multiples of those the user wants.
    pub fn looseness(&self) -> f64 {
        self.looseness
    }

    pub fn restart(&mut self) {
        self.started = false;
    }

    /// Goes on from the beginning of the last step with one of this size.
    pub fn resume(&mut self, h: f64) -> bool {
        (self.h, self.last, self.first, self.h_dense) = (h, None, true, 0.0);
        true
    }

    /// One step towards `t_limit`. `core.dx` is the derivative at its beginning.
    pub fn step<M: StepModel + ?Sized>(
        &mut self,
        core: &mut Core,
        model: &mut M,
        t_limit: f64,
    ) -> Result<StepReport, SolverError> {
        core.weights.update(&core.x);
        if !self.started {
            self.h = initial_step(core, model, 3, t_limit, &mut self.raw)?;
            (self.last, self.first, self.started, self.h_dense) = (None, true, true, 0.0);
        }
        let mut failures = Failures::default();
        loop {
            core.may_try(self.h, &failures)?;
            let stride = core.stride(self.h, t_limit);
            let t = core.end(stride, t_limit);
            let attempt = self
                .solve_stages(core, model, stride.h)
                .and_then(|report| Ok((report, self.estimate_error(core, model, stride.h, t, &failures)?)));
            let (stages, error) = match attempt {
                Ok(pair) => pair,
                Err(e) => {
                    let e = core.recoverable(t, e)?;
                    core.note_model(&mut failures, e);
                    self.h = 0.5 * stride.h;
                    continue;
                }
            };
            let mut ratio = self.step_ratio(stride.h, error, &stages);
            if !(error < 1.0) {
                core.note_error(&mut failures, error, &self.error);
                self.h = stride.h * if self.first { 0.1 } else { ratio.min(0.9) };
                continue;
            }
            let inside = self.raise(core, stride.h);
            if core.is_asked_before(t) {
                let for_inside = (SAFETY * inside.max(1e-10).powf(-0.25)).clamp(SHRINK, GROW);
                if inside > 1.0 && failures.count < MOST_FOR_INSIDE {
                    core.note_error(&mut failures, inside, &self.raised);
                    self.h = stride.h * for_inside.min(0.9);
                    continue;
                }
                ratio = ratio.min(for_inside);
            }
            if ratio >= WORTH_IT {
                // So little to correct may be so because a matrix is too large by far.
                let request = StageRequest {
                    t: core.t,
                    h: stride.h,
                    x0: &core.x,
                    weights: core.weights.values(),
                    tolerance: self.iteration_tolerance,
                };
                let confirmed = model.stages().map_or(Ok(true), |s| s.confirm_stages(&request, &self.x));
                if let Some(e) = core.unconfirmed(t, confirmed)? {
                    self.h = 0.5 * stride.h;
                    core.note_model(&mut failures, e);
                    continue;
                }
            }
            self.accept(core, model, stride.h, t);
            self.first = false;
            self.last = Some((stride.h, error.max(1e-2)));
            let grow = if failures.count > 0 { 1.0 } else { GROW };
            let proposal = stride.h * ratio.min(grow);
            let proposal =
                if stages.keep_step && (1.0..WORTH_IT).contains(&ratio) { stride.h } else { proposal };
            self.h = if stride.h < self.h { proposal.max(self.h) } else { proposal };
            return Ok(core.report(5, stride.at_limit));
        }
    }

    /// The collocation polynomial at a time in the last step.
    pub fn interpolate(&self, core: &Core, t: f64, x: &mut [f64]) {
        let s = (t - core.t) / self.h_dense;
        self.continue_to(core, s, x);
        let product = product(s);
        for (x, raised) in x.iter_mut().zip(&self.raised) {
            *x += product * raised;
        }
    }

    /// The divided difference of the collocation polynomial of this attempt and the beginning of the step before; the
    /// error inside the step that it tells of, in units of what is allowed. Nothing where there is no step before.
    fn raise(&mut self, core: &Core, h: f64) -> f64 {
        let n = core.n();
        if self.h_dense <= 0.0 {
            self.raised.fill(0.0);
            return 0.0;
        }
        let s = -1.0 - self.h_dense / h;
        let mut largest = 0.0f64;
        for i in 0..n {
            let differences = collocation::differences(core.x[i], &self.x, i);
            let there = collocation::value(self.x[2 * n + i], differences, s);
            self.raised[i] = (self.before[i] - there) / product(s);
            largest = largest.max((self.raised[i] * core.weights.values()[i]).abs());
        }
        LARGEST_PRODUCT * largest * self.looseness / ALLOWED_INSIDE
    }

    fn continue_to(&self, core: &Core, s: f64, x: &mut [f64]) {
        let [d1, d2, d3] = &self.dense;
        for i in 0..x.len() {
            x[i] = collocation::value(core.x[i], [d1[i], d2[i], d3[i]], s);
        }
    }

    fn solve_stages<M: StepModel + ?Sized>(
        &mut self,
        core: &Core,
        model: &mut M,
        h: f64,
    ) -> Result<StageReport, ModelError> {
        let n = core.n();
        let mut x = std::mem::take(&mut self.x);
        for (stage, c) in x.chunks_exact_mut(n.max(1)).zip(RADAU_IIA.c) {
            if self.h_dense > 0.0 {
                self.continue_to(core, c * h / self.h_dense, stage);
            } else {
                stage.copy_from_slice(&core.x);
            }
        }
        self.x = x;
        if self.h_dense <= 0.0 {
            self.dx.chunks_exact_mut(n.max(1)).for_each(|slope| slope.copy_from_slice(&core.dx));
        }
        let request = StageRequest {
            t: core.t,
            h,
            x0: &core.x,
            weights: core.weights.values(),
            tolerance: self.iteration_tolerance,
        };
        match model.stages() {
            Some(stages) => stages.solve_stages(&request, &mut self.x, &mut self.dx),
            None => Err(ModelError::fatal("the model cannot solve three stages at once")),
        }
    }

    /// The weighted error, damped in stiff components; twice where the first estimate is pessimistic.
    fn estimate_error<M: StepModel + ?Sized>(
        &mut self,
        core: &Core,
        model: &mut M,
        h: f64,
        t: f64,
        failures: &Failures,
    ) -> Result<f64, ModelError> {
        let n = core.n();
        let gamma = h / RADAU_IIA.gamma;
        let e = &RADAU_IIA.error;
        for i in 0..n {
            let z = |k: usize| self.x[k * n + i] - core.x[i];
            self.raw[i] = gamma * (e[0] * z(0) + e[1] * z(1) + e[2] * z(2)) / h;
            self.error[i] = self.raw[i] + gamma * core.dx[i];
        }
        self.filter(core, model, t, gamma)?;
        let error = core.weights.norm(&self.error);
        if !(error >= 1.0 && (self.first || failures.count > 0)) {
            return Ok(error);
        }
        for i in 0..n {
            self.point[i] = core.x[i] + self.error[i];
        }
        self.slope.copy_from_slice(&core.dx);
        model.derivative(core.t, &self.point, &mut self.slope)?;
        for i in 0..n {
            self.error[i] = self.raw[i] + gamma * self.slope[i];
        }
        self.filter(core, model, t, gamma)?;
        Ok(core.weights.norm(&self.error))
    }

    fn filter<M: StepModel + ?Sized>(
        &mut self,
        core: &Core,
        model: &mut M,
        t: f64,
        gamma: f64,
    ) -> Result<(), ModelError> {
        let n = core.n();
        match model.stages() {
            Some(stages) => stages.filter(
                t,
                gamma,
                &self.x[2 * n..],
                &self.dx[2 * n..],
                core.weights.values(),
                &mut self.error,
            ),
            None => Ok(()),
        }
    }

    fn step_ratio(&self, h: f64, error: f64, stages: &StageReport) -> f64 {
        if !error.is_finite() {
            return SHRINK;
        }
        let error = error.max(1e-10);
        let effort = f64::from(stages.iterations) + 2.0 * USUAL_ITERATIONS;
        let safety = SAFETY.min(SAFETY * (1.0 + 2.0 * USUAL_ITERATIONS) / effort);
        let mut ratio = (safety * error.powf(-0.25)).clamp(SHRINK, GROW);
        if let (Some((last_h, last_error)), true) = (self.last, error < 1.0) {
            let predicted = SAFETY * (h / last_h) * (last_error / (error * error)).powf(0.25);
            ratio = ratio.min(predicted.clamp(SHRINK, GROW));
        }
        ratio
    }

    fn accept<M: StepModel + ?Sized>(&mut self, core: &mut Core, model: &mut M, h: f64, t: f64) {
        let n = core.n();
        for i in 0..n {
            let differences = collocation::differences(core.x[i], &self.x, i);
            for (row, difference) in self.dense.iter_mut().zip(differences) {
                row[i] = difference;
            }
        }
        self.h_dense = h;
        self.before.copy_from_slice(&core.x);
        core.x.copy_from_slice(&self.x[2 * n..]);
        core.dx.copy_from_slice(&self.dx[2 * n..]);
        core.advance(t);
        model.accepted(t, &core.x, &core.dx);
    }
}

/// `s (s - (c₂ - 1)) (s - (c₁ - 1)) (s + 1)`, zero at all points of a step, where `s` is 0 at its end.
fn product(s: f64) -> f64 {
    let [c1, c2, _] = RADAU_IIA.c;
    s * (s - (c2 - 1.0)) * (s - (c1 - 1.0)) * (s + 1.0)
}
