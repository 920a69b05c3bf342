//! Radau IIA with three stages in steps of one size.
//!
//! The stages are solved as in [`Radau`](super::radau), whatever their error. For real time, and to look at generated code beside it.

use serde::{Deserialize, Serialize};

use super::collocation;
use super::core::Core;
use super::fixed::Formula;
use super::grid::{Grid, ITERATION_SHARE, Stretch};
use super::tableaux::RADAU_IIA;
use crate::error::ModelError;
use crate::model::{StageRequest, StepModel};
use crate::vector::combine;

/// State of the method: stage values and derivatives, three each.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct FixedRadau {
    x: Vec<f64>,
    dx: Vec<f64>,
}

impl FixedRadau {
    pub fn new(n: usize) -> Self {
        FixedRadau { x: vec![0.0; 3 * n], dx: vec![0.0; 3 * n] }
    }
}

impl Formula for FixedRadau {
    fn solve<M: StepModel + ?Sized>(
        &mut self,
        _: &mut Grid,
        core: &Core,
        model: &mut M,
        stretch: &Stretch,
    ) -> Result<(), ModelError> {
        let (n, h) = (core.n(), stretch.h);
        for (k, c) in RADAU_IIA.c.iter().enumerate() {
            let stage = k * n..(k + 1) * n;
            combine(&mut self.x[stage.clone()], &core.x, &core.dx, c * h);
            self.dx[stage].copy_from_slice(&core.dx);
        }
        let weights = core.weights.values();
        let request = StageRequest { t: core.t, h, x0: &core.x, weights, tolerance: ITERATION_SHARE };
        match model.stages() {
            Some(stages) => stages.solve_stages(&request, &mut self.x, &mut self.dx).map(|_| ()),
            None => Err(ModelError::fatal("the model cannot solve three stages at once")),
        }
    }

    fn end(&self) -> (&[f64], &[f64]) {
        let last = self.x.len() / 3 * 2;
        (&self.x[last..], &self.dx[last..])
    }

    fn order(&self) -> usize {
        5
    }

    /// The collocation polynomial.
    fn interpolate(&self, grid: &Grid, core: &Core, t: f64, x: &mut [f64]) {
        let s = (t - core.t) / (core.t - core.t_old);
        for (i, x) in x.iter_mut().enumerate() {
            let differences = collocation::differences(grid.beginning()[0][i], &self.x, i);
            *x = collocation::value(core.x[i], differences, s);
        }
    }
}
