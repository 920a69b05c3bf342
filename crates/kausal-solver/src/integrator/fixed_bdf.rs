//! Backward differentiation formulas of one order with steps of one size.
//!
//! With equal steps the formula of order `k` is `Σ ∇^j x / j = h der(x)`, summed over `j = 1 … k`, that is
//!
//! ```text
//!     x = γ der(x) + Σ_j a_j x_{n-j},   γ = h / (1 + 1/2 + … + 1/k),   a_j = (-1)^(j+1) C(k,j)/j γ/h
//! ```
//!
//! The past it needs is made by steps of ESDIRK4, which are as stable and whose errors, for the few steps they are, are of the
//! fifth order; so are those that end off the grid, at a limit. The grid is that of the start: step `i` ends at `t_start + i h`.
//! No error is estimated, and a step that the model cannot solve is an error at once.

use super::core::{Core, Failures};
use super::esdirk::Esdirk;
use super::hermite::Hermite;
use super::options::StepReport;
use super::tableaux::ESDIRK4;
use crate::error::{ModelError, SolverError};
use crate::model::{StepModel, StepRequest};
use crate::vector::add_multiple;
use crate::weights::first_not_finite;

/// The iteration may leave this part of the tolerance.
const ITERATION_SHARE: f64 = 0.01;
/// A step that differs from the usual one by less than this part of it is one of them.
const SAME_STEP: f64 = 1e-9;

/// State of the method.
#[derive(Clone, Debug)]
pub(crate) struct FixedBdf {
    order: usize,
    h: f64,
    /// `1 + 1/2 + … + 1/k`.
    leading: f64,
    t_start: f64,
    steps_since_start: u64,
    started: bool,
    /// The last points on the grid, the newest first, and how many of them there are.
    past: Vec<Vec<f64>>,
    known: usize,
    starter: Esdirk,
    /// The last step was one of the formula.
    by_formula: bool,
    hermite: Hermite,
    x: Vec<f64>,
    dx: Vec<f64>,
    old: Vec<f64>,
}

impl FixedBdf {
    pub fn new(n: usize, order: usize, h: f64) -> Self {
        FixedBdf {
            order,
            h,
            leading: (1..=order).map(|j| 1.0 / j as f64).sum(),
            t_start: 0.0,
            steps_since_start: 0,
            started: false,
            past: vec![vec![0.0; n]; order + 1],
            known: 0,
            starter: Esdirk::new(n, &ESDIRK4),
            by_formula: false,
            hermite: Hermite::new(n),
            x: vec![0.0; n],
            dx: vec![0.0; n],
            old: vec![0.0; n],
        }
    }

    pub fn restart(&mut self) {
        self.started = false;
    }

    /// The next step of the grid, or as much of it as fits before `t_limit`. `core.dx` is the derivative at its beginning.
    pub fn step<M: StepModel + ?Sized>(
        &mut self,
        core: &mut Core,
        model: &mut M,
        t_limit: f64,
    ) -> Result<StepReport, SolverError> {
        core.weights.update(&core.x);
        if !self.started {
            (self.t_start, self.steps_since_start, self.started) = (core.t, 0, true);
            self.begin_past(&core.x);
        }
        let mut failures = Failures::default();
        core.may_try(self.h, &failures)?;
        let next = self.t_start + (self.steps_since_start + 1) as f64 * self.h;
        let at_limit = next >= t_limit - SAME_STEP * self.h;
        let t = if at_limit { t_limit } else { next };
        let h = t - core.t;
        let usual = (h - self.h).abs() <= 10.0 * SAME_STEP * self.h;
        self.by_formula = usual && self.known >= self.order;
        let solved =
            if self.by_formula { self.formula(core, model, t) } else { self.by_stages(core, model, h, t) };
        if let Err(e) = solved {
            let e = core.recoverable(t, e)?;
            core.note_model(&mut failures, e);
        } else if first_not_finite(&self.x).is_some() || first_not_finite(&self.dx).is_some() {
            let culprit = if first_not_finite(&self.x).is_some() { &self.x } else { &self.dx };
            core.note_error(&mut failures, f64::NAN, culprit);
        }
        if let Some(obstacle) = failures.last {
            return Err(SolverError::StepSizeTooSmall { t: core.t, h, obstacle });
        }
        if (t - next).abs() <= SAME_STEP * self.h {
            self.steps_since_start += 1;
        }
        self.hermite.begin(&core.x, &core.dx);
        core.x.copy_from_slice(&self.x);
        core.dx.copy_from_slice(&self.dx);
        match usual {
            true => self.extend_past(),
            false => self.begin_past(&core.x),
        }
        core.advance(t);
        model.accepted(t, &core.x, &core.dx);
        Ok(core.report(if self.by_formula { self.order } else { ESDIRK4.order }, at_limit))
    }

    /// The polynomial through the last points; a cubic where the formula has not been used.
    pub fn interpolate(&self, core: &Core, t: f64, x: &mut [f64]) {
        if !self.by_formula {
            return self.hermite.interpolate(core, t, x);
        }
        let s = (t - core.t) / (core.t - core.t_old);
        x.fill(0.0);
        for (j, point) in self.past[..self.known].iter().enumerate() {
            let others = (0..self.known).filter(|&m| m != j);
            let weight: f64 = others.map(|m| (s + m as f64) / (m as f64 - j as f64)).product();
            add_multiple(x, point, weight);
        }
    }

    fn begin_past(&mut self, x: &[f64]) {
        self.past[0].copy_from_slice(x);
        self.known = 1;
    }

    fn extend_past(&mut self) {
        self.past.rotate_right(1);
        self.past[0].copy_from_slice(&self.x);
        self.known = (self.known + 1).min(self.past.len());
    }

    fn formula<M: StepModel + ?Sized>(
        &mut self,
        core: &Core,
        model: &mut M,
        t: f64,
    ) -> Result<(), ModelError> {
        let gamma = self.h / self.leading;
        self.old.fill(0.0);
        self.x.fill(0.0);
        let mut binomial = 1.0;
        for j in 1..=self.order {
            binomial *= (self.order + 1 - j) as f64 / j as f64;
            let sign = if j % 2 == 1 { 1.0 } else { -1.0 };
            add_multiple(&mut self.old, &self.past[j - 1], sign * binomial / (j as f64 * self.leading));
        }
        // The guess: the polynomial through all known points, continued.
        binomial = 1.0;
        for j in 1..=self.known {
            binomial *= (self.known + 1 - j) as f64 / j as f64;
            let sign = if j % 2 == 1 { 1.0 } else { -1.0 };
            add_multiple(&mut self.x, &self.past[j - 1], sign * binomial);
        }
        for ((dx, x), old) in self.dx.iter_mut().zip(&self.x).zip(&self.old) {
            *dx = (x - old) / gamma;
        }
        let weights = core.weights.values();
        let request = StepRequest { t, h: gamma, old: &self.old, weights, tolerance: ITERATION_SHARE };
        model.step(&request, &mut self.x, &mut self.dx)
    }

    fn by_stages<M: StepModel + ?Sized>(
        &mut self,
        core: &Core,
        model: &mut M,
        h: f64,
        t: f64,
    ) -> Result<(), ModelError> {
        self.starter.solve_stages(core, model, h, t)?;
        let (x, dx) = self.starter.end();
        self.x.copy_from_slice(x);
        self.dx.copy_from_slice(dx);
        Ok(())
    }
}
