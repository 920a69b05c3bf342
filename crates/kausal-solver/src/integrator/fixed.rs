//! Methods with steps of one size: the frame that is the same for all of them.
//!
//! A method is a [`Formula`]. The frame asks the [`Grid`] where the next step goes, lets the formula solve it and takes what it found;
//! no error is estimated. Where steps end and what may be wrong with them is the matter of the grid.

use serde::{Deserialize, Serialize};

use super::core::Core;
use super::grid::{Grid, Stretch};
use super::options::StepReport;
use crate::error::{ModelError, SolverError};
use crate::model::StepModel;

/// What one method does in a step.
pub(crate) trait Formula {
    /// Solves a step; `core.dx` is the derivative at its beginning. What it finds is at [`end`](Self::end).
    fn solve<M: StepModel + ?Sized>(
        &mut self,
        grid: &mut Grid,
        core: &Core,
        model: &mut M,
        stretch: &Stretch,
    ) -> Result<(), ModelError>;

    /// The states at the end of the step that was solved last, and their derivatives.
    fn end(&self) -> (&[f64], &[f64]);

    /// The step is one of the solution.
    fn accepted(&mut self, stretch: &Stretch) {
        let _ = stretch;
    }

    /// The order of the last step.
    fn order(&self) -> usize;

    /// The solution inside the last step.
    fn interpolate(&self, grid: &Grid, core: &Core, t: f64, x: &mut [f64]) {
        grid.interpolate(core, t, x);
    }

    /// Is the solution inside a step other than what a step that ended there would give? It is less exact, or, where states are
    /// stiff, far from where they would be.
    fn is_rough_inside(&self) -> bool {
        true
    }
}

/// A method on its grid.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Fixed<F> {
    grid: Grid,
    formula: F,
}

impl<F: Formula> Fixed<F> {
    pub fn new(n: usize, h: f64, formula: F) -> Self {
        Fixed { grid: Grid::new(n, h), formula }
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
        let solved = self.formula.solve(&mut self.grid, core, model, &stretch);
        let (x, dx) = self.formula.end();
        self.grid.accept(core, model, &stretch, solved, x, dx)?;
        self.formula.accepted(&stretch);
        Ok(core.report(self.formula.order(), stretch.at_limit))
    }

    pub fn interpolate(&self, core: &Core, t: f64, x: &mut [f64]) {
        self.formula.interpolate(&self.grid, core, t, x);
    }

    pub fn is_rough_inside(&self) -> bool {
        self.formula.is_rough_inside()
    }
}
