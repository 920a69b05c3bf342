//! The Rosenbrock method RODASP of order 4: six linear systems with one matrix a step, no iteration.
//!
//! In the variables `u` that need no products with the Jacobian (Hairer & Wanner II, §IV.7), stage `i` solves
//!
//! ```text
//!     (I - h γ J) u_i = h γ (f(t + α_i h, x + Σ a_ij u_j) + Σ c_ij u_j / h + h d_i ∂f/∂t)
//! ```
//!
//! The model factorises `I - h γ J` and solves with it ([`LinearModel`](crate::model::LinearModel)). The last
//! `u` is the error estimate.

use serde::{Deserialize, Serialize};

use super::control::Controller;
use super::core::{Core, Failures, initial_step};
use super::options::StepReport;
use super::tableaux::RODASP;
use crate::classical::NEAR_SOLUTION;
use crate::error::{ModelError, Reason, Recoverable, SolverError};
use crate::model::StepModel;
use crate::vector::add_multiple;
use crate::weights::first_not_finite;

const STAGES: usize = 6;
/// The continuous extension may be off by so many tolerances inside a step.
const ALLOWED_INSIDE: f64 = 10.0;
/// Attempts at a step that may be given up because of it.
const MOST_FOR_INSIDE: u32 = 5;

/// State of the method.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Rosenbrock {
    control: Controller,
    h: f64,
    u: [Vec<f64>; STAGES],
    x: Vec<f64>,
    f: Vec<f64>,
    by_time: Vec<f64>,
    /// What the last stage corrects, and the derivative there.
    raw: Vec<f64>,
    slope: Vec<f64>,
    /// Coefficients of the continuous extension, and the start of the last step.
    dense: [Vec<f64>; 2],
    x_old: Vec<f64>,
    /// Size of the last step, nothing after a restart.
    h_old: f64,
    inside: Vec<f64>,
    work: Vec<f64>,
    started: bool,
}

impl Rosenbrock {
    pub fn new(n: usize) -> Self {
        Rosenbrock {
            control: Controller::new(RODASP.order, 0.0, 1.0 / 6.0, 6.0),
            h: 0.0,
            u: std::array::from_fn(|_| vec![0.0; n]),
            x: vec![0.0; n],
            f: vec![0.0; n],
            by_time: vec![0.0; n],
            raw: vec![0.0; n],
            slope: vec![0.0; n],
            dense: [vec![0.0; n], vec![0.0; n]],
            x_old: vec![0.0; n],
            h_old: 0.0,
            inside: vec![0.0; n],
            work: vec![0.0; 2 * n],
            started: false,
        }
    }

    pub fn restart(&mut self) {
        self.started = false;
    }

    /// Goes on from the beginning of the last step with one of this size.
    pub fn resume(&mut self, h: f64) -> bool {
        self.control.reset();
        (self.h, self.h_old) = (h, 0.0);
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
            self.h = initial_step(core, model, RODASP.order, t_limit, &mut self.work)?;
            self.control.reset();
            (self.started, self.h_old) = (true, 0.0);
        }
        let mut failures = Failures::default();
        let mut linearized = false;
        loop {
            core.may_try(self.h, &failures)?;
            let stride = core.stride(self.h, t_limit);
            let t = core.end(stride, t_limit);
            if let Err(e) = self.attempt(core, model, stride.h, t, &mut linearized) {
                let e = core.recoverable(t, e)?;
                core.note_model(&mut failures, e);
                self.h = 0.25 * stride.h;
                continue;
            }
            match self.holds_at_end(core, model, stride.h, t) {
                Ok(true) => {}
                Ok(false) => {
                    core.note_error(&mut failures, f64::INFINITY, &self.raw);
                    self.h = 0.25 * stride.h;
                    continue;
                }
                Err(e) => {
                    let e = core.recoverable(t, e)?;
                    core.note_model(&mut failures, e);
                    self.h = 0.25 * stride.h;
                    continue;
                }
            }
            core.weights.update_between(&core.x, &self.x);
            let error = core.weights.norm(&self.u[STAGES - 1]);
            if !(error <= 1.0) {
                core.note_error(&mut failures, error, &self.u[STAGES - 1]);
                self.h = stride.h * self.control.rejected(error);
                continue;
            }
            let mut longest = f64::INFINITY;
            self.extend();
            if core.is_asked_before(t) {
                let inside = self.error_inside(core, stride.h);
                longest = stride.h * (0.9 * inside.max(1e-10).powf(-0.25)).clamp(1.0 / 6.0, 6.0);
                if inside > 1.0 && failures.count < MOST_FOR_INSIDE {
                    core.note_error(&mut failures, inside, &self.inside);
                    self.h = longest.min(0.9 * stride.h);
                    continue;
                }
            }
            let proposal = stride.h * self.control.accepted(error, failures.count > 0);
            let proposal = if stride.h < self.h { proposal.max(self.h) } else { proposal };
            self.h = proposal.min(longest);
            self.h_old = stride.h;
            self.finish(core, model, t);
            return Ok(core.report(RODASP.order, stride.at_limit));
        }
    }

    /// The continuous extension at a time in the last step.
    pub fn interpolate(&self, core: &Core, t: f64, x: &mut [f64]) {
        let s = (t - core.t_old) / (core.t - core.t_old);
        let r = 1.0 - s;
        for i in 0..x.len() {
            x[i] = self.x_old[i] * r + s * (core.x[i] + r * (self.dense[0][i] + s * self.dense[1][i]));
        }
    }

    /// The coefficients of the continuous extension of this attempt.
    fn extend(&mut self) {
        for (row, coefficients) in self.dense.iter_mut().zip(&RODASP.dense) {
            row.fill(0.0);
            for (u, &d) in self.u.iter().zip(coefficients) {
                add_multiple(row, u, d);
            }
        }
    }

    /// How far the continuous extension of this attempt is from the solution inside the step, in units of what is allowed:
    /// by how much it misses the beginning of the step before, made smaller as `s² (1 - s)²` is inside than there. In stiff
    /// problems it is of lower order than the solution at the ends of steps. Nothing where there is no step before.
    fn error_inside(&mut self, core: &Core, h: f64) -> f64 {
        if self.h_old <= 0.0 {
            return 0.0;
        }
        let s = -self.h_old / h;
        let r = 1.0 - s;
        let smaller = 0.0625 / (s * r).powi(2);
        let mut largest = 0.0f64;
        for i in 0..core.n() {
            let there = core.x[i] * r + s * (self.x[i] + r * (self.dense[0][i] + s * self.dense[1][i]));
            self.inside[i] = smaller * (there - self.x_old[i]);
            largest = largest.max((self.inside[i] * core.weights.values()[i]).abs());
        }
        largest / ALLOWED_INSIDE
    }

    /// All stages of one step; the solution is left in `x`.
    fn attempt<M: StepModel + ?Sized>(
        &mut self,
        core: &Core,
        model: &mut M,
        h: f64,
        t_end: f64,
        linearized: &mut bool,
    ) -> Result<(), ModelError> {
        let Some(linear) = model.linear() else {
            return Err(ModelError::fatal("the model has no linear systems to offer"));
        };
        if !*linearized {
            linear.linearize(core.t, h, &core.x, &core.dx, core.weights.values(), &mut self.by_time)?;
            *linearized = true;
        }
        linear.prepare(h * RODASP.gamma)?;
        for i in 0..STAGES {
            self.x.copy_from_slice(&core.x);
            for (j, &a) in RODASP.a[i].iter().enumerate() {
                add_multiple(&mut self.x, &self.u[j], a);
            }
            if i == 0 {
                self.f.copy_from_slice(&core.dx);
            } else {
                let t = if RODASP.alpha[i] == 1.0 { t_end } else { core.t + RODASP.alpha[i] * h };
                model.derivative(t, &self.x, &mut self.f)?;
            }
            if i == STAGES - 1 {
                self.slope.copy_from_slice(&self.f);
            }
            for (f, by_time) in self.f.iter_mut().zip(&self.by_time) {
                *f = h * RODASP.gamma * (*f + h * RODASP.d[i] * by_time);
            }
            for (j, &c) in RODASP.c[i].iter().enumerate() {
                add_multiple(&mut self.f, &self.u[j], RODASP.gamma * c);
            }
            if i == STAGES - 1 {
                self.raw.copy_from_slice(&self.f);
            }
            if let Some(linear) = model.linear() {
                linear.solve(&mut self.f);
            }
            self.u[i].copy_from_slice(&self.f);
        }
        add_multiple(&mut self.x, &self.u[STAGES - 1], 1.0);
        Ok(())
    }

    /// Is the matrix, which was made at the beginning of the step, about right where it ends? The last `u` is an error estimate
    /// that it has damped in stiff components; where these are not what they were, it may be anything, and so may the solution.
    /// The derivative at the end, which the next step needs, tells: of what the last stage had to correct, hardly anything must
    /// be left. Measured in what was tolerated at the beginning: a state that has jumped away is no measure.
    fn holds_at_end<M: StepModel + ?Sized>(
        &mut self,
        core: &Core,
        model: &mut M,
        h: f64,
        t: f64,
    ) -> Result<bool, ModelError> {
        // Whose fault it is that nothing is finite, the error test tells.
        if first_not_finite(&self.x).is_some() {
            return Ok(true);
        }
        self.f.copy_from_slice(&self.slope);
        model.derivative(t, &self.x, &mut self.f)?;
        if let Some(state) = first_not_finite(&self.f) {
            return Err(Recoverable::at(Reason::NotFinite, state).into());
        }
        // An inlined step is linearised by its own equations; there is no Jacobian that could be an old one.
        if model.rate_bound(core.weights.values()).is_none() {
            return Ok(true);
        }
        let whole = core.weights.norm(&self.raw);
        let last = &self.u[STAGES - 1];
        for (((raw, f), before), u) in self.raw.iter_mut().zip(&self.f).zip(&self.slope).zip(last) {
            *raw += h * RODASP.gamma * (f - before) - u;
        }
        Ok(core.weights.norm(&self.raw) <= (NEAR_SOLUTION * whole).max(1.0))
    }

    fn finish<M: StepModel + ?Sized>(&mut self, core: &mut Core, model: &mut M, t: f64) {
        self.x_old.copy_from_slice(&core.x);
        core.x.copy_from_slice(&self.x);
        core.dx.copy_from_slice(&self.f);
        core.advance(t);
        model.accepted(t, &core.x, &core.dx);
    }
}
