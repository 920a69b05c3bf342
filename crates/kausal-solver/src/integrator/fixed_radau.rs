//! Radau IIA with three stages in steps of one size.
//!
//! The stages are solved as in [`Radau`](super::radau), whatever their error; where steps end and what may be wrong with them is the
//! matter of [`Grid`]. For real time, and to look at generated code beside it.

use super::core::Core;
use super::grid::{Grid, ITERATION_SHARE};
use super::options::StepReport;
use super::tableaux::RADAU_IIA;
use crate::error::{ModelError, SolverError};
use crate::model::{StageRequest, StepModel};
use crate::vector::combine;

/// State of the method.
#[derive(Clone, Debug)]
pub(crate) struct FixedRadau {
    grid: Grid,
    /// Stage values and derivatives, three each.
    x: Vec<f64>,
    dx: Vec<f64>,
}

impl FixedRadau {
    pub fn new(n: usize, h: f64) -> Self {
        FixedRadau { grid: Grid::new(n, h), x: vec![0.0; 3 * n], dx: vec![0.0; 3 * n] }
    }

    pub fn restart(&mut self) {
        self.grid.restart();
    }

    /// The next step of the grid, or as much of it as fits before `t_limit`. `core.dx` is the derivative at its beginning.
    pub fn step<M: StepModel + ?Sized>(
        &mut self,
        core: &mut Core,
        model: &mut M,
        t_limit: f64,
    ) -> Result<StepReport, SolverError> {
        let stretch = self.grid.next(core, t_limit)?;
        let solved = self.solve_stages(core, model, stretch.h);
        let last = 2 * core.n()..;
        self.grid.accept(core, model, &stretch, solved, &self.x[last.clone()], &self.dx[last])?;
        Ok(core.report(5, stretch.at_limit))
    }

    /// Hermite interpolation in the last step.
    pub fn interpolate(&self, core: &Core, t: f64, x: &mut [f64]) {
        self.grid.interpolate(core, t, x);
    }

    fn solve_stages<M: StepModel + ?Sized>(
        &mut self,
        core: &Core,
        model: &mut M,
        h: f64,
    ) -> Result<(), ModelError> {
        let n = core.n();
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
}
