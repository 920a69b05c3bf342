//! Singly diagonally implicit Runge–Kutta pairs with explicit first stage.
//!
//! Stage `i` solves `X_i = h γ f(X_i) + (x + h Σ_{j<i} a_ij f_j)`: one call of [`StepModel::step`] with `h γ`
//! and an `old` made of the stages before. The last stage is the solution (stiffly accurate), its derivative
//! the first stage of the next step. The embedded formula gives the error, Hermite interpolation the values
//! in between.

use serde::{Deserialize, Serialize};

use super::control::{Controller, WORTH_IT};
use super::core::{Core, Failures, initial_step};
use super::hermite::{Hermite, cubic};
use super::options::StepReport;
use super::tableaux::Esdirk as Tableau;
use crate::error::{ModelError, SolverError};
use crate::model::{StepModel, StepRequest};
use crate::vector::{add_multiple, combine};

/// The iteration may leave this part of the tolerated local error in a stage.
const ITERATION_SHARE: f64 = 0.01;

/// State of the method.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Esdirk {
    #[serde(with = "super::tableaux::esdirk_by_place")]
    tableau: &'static Tableau,
    control: Controller,
    h: f64,
    /// Derivatives and values of the stages, one after the other.
    k: Vec<f64>,
    stages: Vec<f64>,
    old: Vec<f64>,
    x: Vec<f64>,
    error: Vec<f64>,
    hermite: Hermite,
    started: bool,
}

impl Esdirk {
    pub fn new(n: usize, tableau: &'static Tableau) -> Self {
        Esdirk {
            tableau,
            control: Controller::new(tableau.order, 0.0, 0.2, 5.0),
            h: 0.0,
            k: vec![0.0; n * tableau.c.len()],
            stages: vec![0.0; n * tableau.c.len()],
            old: vec![0.0; n],
            x: vec![0.0; n],
            error: vec![0.0; 2 * n],
            hermite: Hermite::new(n),
            started: false,
        }
    }

    pub fn restart(&mut self) {
        self.started = false;
    }

    /// Goes on from the beginning of the last step with one of this size.
    pub fn resume(&mut self, h: f64) -> bool {
        self.control.reset();
        self.h = h;
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
            self.h = initial_step(core, model, self.tableau.order, t_limit, &mut self.error)?;
            self.control.reset();
            self.started = true;
        }
        let n = core.n();
        let mut failures = Failures::default();
        loop {
            core.may_try(self.h, &failures)?;
            let stride = core.stride(self.h, t_limit);
            let t = core.end(stride, t_limit);
            if let Err(e) = self.solve_stages(core, model, stride.h, t) {
                let e = core.recoverable(t, e)?;
                core.note_model(&mut failures, e);
                self.h = 0.25 * stride.h;
                continue;
            }
            self.estimate_error(n, stride.h);
            let error = core.weights.norm(&self.error[..n]);
            if !(error <= 1.0) {
                core.note_error(&mut failures, error, &self.error[..n]);
                self.h = stride.h * self.control.rejected(error);
                continue;
            }
            if self.control.would_grow(error) {
                // So little to correct may be so because a matrix is too large by far.
                let (h, old, weights) = (stride.h * self.tableau.gamma, &self.old[..], core.weights.values());
                let request = StepRequest { t, h, old, weights, tolerance: ITERATION_SHARE };
                if let Some(e) = core.unconfirmed(t, model.confirm(&request, &self.x))? {
                    self.h = 0.25 * stride.h;
                    core.note_model(&mut failures, e);
                    continue;
                }
            }
            let proposal = self.control.accepted(error, failures.count > 0);
            let proposal = stride.h * if (1.0..WORTH_IT).contains(&proposal) { 1.0 } else { proposal };
            self.h = if stride.h < self.h { proposal.max(self.h) } else { proposal };
            self.hermite.begin(&core.x, &core.dx);
            core.x.copy_from_slice(&self.x);
            core.dx.copy_from_slice(&self.k[self.k.len() - n..]);
            core.advance(t);
            model.accepted(t, &core.x, &core.dx);
            return Ok(core.report(self.tableau.order, stride.at_limit));
        }
    }

    /// Hermite interpolation in the last step.
    pub fn interpolate(&self, core: &Core, t: f64, x: &mut [f64]) {
        self.hermite.interpolate(core, t, x);
    }

    /// Values in a step that began with these states and slopes: on the cubic with both slopes at its ends, unless that passes far
    /// from a stage in the middle. Where a state is stiff and has jumped, the slope at the beginning may be anything and has no
    /// part in the step: there on the cubic through the stage, with the slope at the end.
    pub fn interpolate_through_stage(&self, beginning: [&[f64]; 2], core: &Core, t: f64, x: &mut [f64]) {
        /// So far, as a part of what the state moves in the step.
        const FAR: f64 = 0.5;
        let (n, h) = (core.n(), core.t - core.t_old);
        let middle = self.tableau.middle();
        let c = self.tableau.c[middle];
        let s = (t - core.t) / h;
        for i in 0..n {
            let (begin, stage, end) = (beginning[0][i], self.stages[middle * n + i], core.x[i]);
            let (first, last) = (h * beginning[1][i], h * core.dx[i]);
            // end + last*s + s²*(second + third*s)
            let at_begin = begin - end + last;
            let at_stage = |third: f64| end + (c - 1.0) * (last + (c - 1.0) * (at_begin + c * third));
            let mut third = first - last + 2.0 * at_begin;
            let moved = (end - begin).abs().max((stage - begin).abs());
            if !((at_stage(third) - stage).abs() <= FAR * moved) {
                third = (stage - at_stage(0.0)) / (c * (c - 1.0) * (c - 1.0));
            }
            x[i] = end + s * (last + s * (at_begin + third + s * third));
        }
    }

    /// Solution and derivative at the end of the stages that were solved last.
    pub fn end(&self) -> (&[f64], &[f64]) {
        (&self.x, &self.k[self.k.len() - self.x.len()..])
    }

    /// All stages of a step of length `h` to `t_end`, whatever their error.
    pub fn solve_stages<M: StepModel + ?Sized>(
        &mut self,
        core: &Core,
        model: &mut M,
        h: f64,
        t_end: f64,
    ) -> Result<(), ModelError> {
        let n = core.n();
        let tableau = self.tableau;
        let last = tableau.c.len() - 1;
        self.k[..n].copy_from_slice(&core.dx);
        for i in 1..=last {
            let t = if i == last { t_end } else { core.t + tableau.c[i] * h };
            self.guess_stage(core, i, h, t);
            let (done, rest) = self.k.split_at_mut(i * n);
            let k = &mut rest[..n];
            self.old.copy_from_slice(&core.x);
            for (j, &a) in tableau.a[i].iter().enumerate() {
                if a != 0.0 {
                    add_multiple(&mut self.old, &done[j * n..(j + 1) * n], h * a);
                }
            }
            let gamma = h * tableau.gamma;
            for ((k, x), old) in k.iter_mut().zip(&self.x).zip(&self.old) {
                *k = (x - old) / gamma;
            }
            let request = StepRequest {
                t,
                h: gamma,
                old: &self.old,
                weights: core.weights.values(),
                tolerance: ITERATION_SHARE,
            };
            model.step(&request, &mut self.x, k)?;
            self.stages[i * n..(i + 1) * n].copy_from_slice(&self.x);
        }
        Ok(())
    }

    /// A guess for stage `i`: the cubic through the beginning of the step and the stage that has come
    /// furthest; for the first implicit stage the cubic of the last step, continued.
    fn guess_stage(&mut self, core: &Core, i: usize, h: f64, t: f64) {
        let n = core.n();
        let c = self.tableau.c;
        if i > 1 {
            let furthest = (1..i).fold(1, |best, j| if c[j] > c[best] { j } else { best });
            let stage = furthest * n..(furthest + 1) * n;
            let value = [&core.x[..], &self.stages[stage.clone()]];
            let slope = [&core.dx[..], &self.k[stage]];
            cubic(value, slope, c[furthest] * h, c[i] / c[furthest], &mut self.x);
        } else if self.started && core.t > core.t_old && t - core.t <= core.t - core.t_old {
            self.hermite.interpolate(core, t, &mut self.x);
        } else {
            combine(&mut self.x, &core.x, &core.dx, t - core.t);
        }
    }

    fn estimate_error(&mut self, n: usize, h: f64) {
        let tableau = self.tableau;
        let last = tableau.c.len() - 1;
        let error = &mut self.error[..n];
        error.fill(0.0);
        for (j, embedded) in tableau.embedded.iter().enumerate() {
            let b = if j == last { tableau.gamma } else { tableau.a[last][j] };
            add_multiple(error, &self.k[j * n..(j + 1) * n], h * (b - embedded));
        }
    }
}
