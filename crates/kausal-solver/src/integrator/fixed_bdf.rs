//! Backward differentiation formulas of one order with steps of one size.
//!
//! With equal steps the formula of order `k` is `Σ ∇^j x / j = h der(x)`, summed over `j = 1 … k`, that is
//!
//! ```text
//!     x = γ der(x) + Σ_j a_j x_{n-j},   γ = h / (1 + 1/2 + … + 1/k),   a_j = (-1)^(j+1) C(k,j)/j γ/h
//! ```
//!
//! The past it needs is made by steps of ESDIRK4, which are as stable and whose errors, for the few steps they are, are of the
//! fifth order; so are those that end off the grid, at a limit.

use serde::{Deserialize, Serialize};

use super::core::Core;
use super::esdirk::Esdirk;
use super::fixed::Formula;
use super::grid::{Grid, ITERATION_SHARE, Stretch};
use super::tableaux::ESDIRK4;
use crate::error::ModelError;
use crate::model::{StepModel, StepRequest};
use crate::vector::add_multiple;

/// State of the method.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct FixedBdf {
    order: usize,
    /// `1 + 1/2 + … + 1/k`.
    leading: f64,
    /// The last points on the grid, the newest first, and how many of them there are.
    past: Vec<Vec<f64>>,
    known: usize,
    starter: Esdirk,
    /// The last step was one of the formula.
    by_formula: bool,
    x: Vec<f64>,
    dx: Vec<f64>,
    old: Vec<f64>,
}

impl Formula for FixedBdf {
    fn solve<M: StepModel + ?Sized>(
        &mut self,
        grid: &mut Grid,
        core: &Core,
        model: &mut M,
        stretch: &Stretch,
    ) -> Result<(), ModelError> {
        if stretch.first {
            self.begin_past(&core.x);
        }
        self.by_formula = stretch.usual && self.known >= self.order;
        match self.by_formula {
            true => self.formula(grid, core, model, stretch.t),
            false => self.by_stages(core, model, stretch.h, stretch.t),
        }
    }

    fn end(&self) -> (&[f64], &[f64]) {
        (&self.x, &self.dx)
    }

    fn accepted(&mut self, stretch: &Stretch) {
        if !stretch.usual {
            self.known = 0;
        }
        self.past.rotate_right(1);
        self.past[0].copy_from_slice(&self.x);
        self.known = (self.known + 1).min(self.past.len());
    }

    fn order(&self) -> usize {
        if self.by_formula { self.order } else { ESDIRK4.order }
    }

    /// The polynomial through the last points; a cubic where the formula has not been used.
    fn interpolate(&self, grid: &Grid, core: &Core, t: f64, x: &mut [f64]) {
        if !self.by_formula {
            return self.starter.interpolate_through_stage(grid.beginning(), core, t, x);
        }
        let s = (t - core.t) / (core.t - core.t_old);
        x.fill(0.0);
        for (j, point) in self.past[..self.known].iter().enumerate() {
            let others = (0..self.known).filter(|&m| m != j);
            let weight: f64 = others.map(|m| (s + m as f64) / (m as f64 - j as f64)).product();
            add_multiple(x, point, weight);
        }
    }
}

impl FixedBdf {
    pub fn new(n: usize, order: usize) -> Self {
        FixedBdf {
            order,
            leading: (1..=order).map(|j| 1.0 / j as f64).sum(),
            past: vec![vec![0.0; n]; order + 1],
            known: 0,
            starter: Esdirk::new(n, &ESDIRK4),
            by_formula: true,
            x: vec![0.0; n],
            dx: vec![0.0; n],
            old: vec![0.0; n],
        }
    }

    fn begin_past(&mut self, x: &[f64]) {
        self.past[0].copy_from_slice(x);
        self.known = 1;
    }

    fn formula<M: StepModel + ?Sized>(
        &mut self,
        grid: &mut Grid,
        core: &Core,
        model: &mut M,
        t: f64,
    ) -> Result<(), ModelError> {
        let gamma = grid.h() / self.leading;
        self.old.fill(0.0);
        self.x.fill(0.0);
        let mut binomial = 1.0;
        for j in 1..=self.order {
            binomial *= (self.order + 1 - j) as f64 / j as f64;
            let sign = if j % 2 == 1 { 1.0 } else { -1.0 };
            add_multiple(&mut self.old, &self.past[j - 1], sign * binomial / (j as f64 * self.leading));
        }
        // The guess: the polynomial through all known points, continued, or the tangent of a single one.
        binomial = 1.0;
        for j in 1..=self.known {
            binomial *= (self.known + 1 - j) as f64 / j as f64;
            let sign = if j % 2 == 1 { 1.0 } else { -1.0 };
            add_multiple(&mut self.x, &self.past[j - 1], sign * binomial);
        }
        if self.known == 1 {
            add_multiple(&mut self.x, &core.dx, grid.h());
        }
        if !model.keeps_guesses() {
            grid.guess(core, &mut self.x);
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
