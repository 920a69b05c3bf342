//! Fixed-step methods: explicit Euler, Runge–Kutta 4, implicit Euler, the trapezoidal rule.
//!
//! No error estimate and no step control; where steps end and what may be wrong with them is the matter of [`Grid`].

use super::core::Core;
use super::grid::{Grid, ITERATION_SHARE};
use super::options::{Method, StepReport};
use crate::error::{ModelError, SolverError};
use crate::model::{StepModel, StepRequest};
use crate::vector::{add_multiple, combine};

/// State of the method.
#[derive(Clone, Debug)]
pub(crate) struct FixedStep {
    method: Method,
    grid: Grid,
    x: Vec<f64>,
    old: Vec<f64>,
    /// Derivatives at the stages; the first `n` numbers are the derivative at the end of the step.
    k: Vec<f64>,
}

impl FixedStep {
    pub fn new(n: usize, method: Method, h: f64) -> Self {
        let stages = if method == Method::RungeKutta4 { 4 } else { 1 };
        FixedStep {
            method,
            grid: Grid::new(n, h),
            x: vec![0.0; n],
            old: vec![0.0; n],
            k: vec![0.0; stages * n],
        }
    }

    pub fn restart(&mut self) {
        self.grid.restart();
    }

    /// The next step of the grid, or as much of it as fits before `t_limit`. `core.dx` is the derivative at
    /// its beginning.
    pub fn step<M: StepModel + ?Sized>(
        &mut self,
        core: &mut Core,
        model: &mut M,
        t_limit: f64,
    ) -> Result<StepReport, SolverError> {
        let stretch = self.grid.next(core, t_limit)?;
        let (h, t) = (stretch.h, stretch.t);
        self.x.copy_from_slice(&core.x);
        let solved = match self.method {
            Method::RungeKutta4 => self.runge_kutta(core, model, h, t),
            Method::ImplicitEuler => self.implicit(core, model, h, 1.0, t),
            Method::Trapezoidal => self.implicit(core, model, h, 0.5, t),
            _ => self.euler(core, model, h, t),
        };
        let n = core.n();
        self.grid.accept(core, model, &stretch, solved, &self.x, &self.k[..n])?;
        let order = match self.method {
            Method::RungeKutta4 => 4,
            Method::Trapezoidal => 2,
            _ => 1,
        };
        Ok(core.report(order, stretch.at_limit))
    }

    /// Hermite interpolation in the last step.
    pub fn interpolate(&self, core: &Core, t: f64, x: &mut [f64]) {
        self.grid.interpolate(core, t, x);
    }

    fn euler<M: StepModel + ?Sized>(
        &mut self,
        core: &Core,
        model: &mut M,
        h: f64,
        t: f64,
    ) -> Result<(), ModelError> {
        add_multiple(&mut self.x, &core.dx, h);
        self.k.copy_from_slice(&core.dx);
        model.derivative(t, &self.x, &mut self.k)
    }

    fn runge_kutta<M: StepModel + ?Sized>(
        &mut self,
        core: &Core,
        model: &mut M,
        h: f64,
        t: f64,
    ) -> Result<(), ModelError> {
        let n = core.n();
        let middle = core.t + 0.5 * h;
        let (last, rest) = self.k.split_at_mut(n);
        let (k2, rest) = rest.split_at_mut(n);
        let (k3, k4) = rest.split_at_mut(n);
        let stage = &mut self.old;

        combine(stage, &core.x, &core.dx, 0.5 * h);
        k2.copy_from_slice(&core.dx);
        model.derivative(middle, stage, k2)?;

        combine(stage, &core.x, k2, 0.5 * h);
        k3.copy_from_slice(k2);
        model.derivative(middle, stage, k3)?;

        combine(stage, &core.x, k3, h);
        k4.copy_from_slice(k3);
        model.derivative(t, stage, k4)?;

        for i in 0..n {
            self.x[i] += h / 6.0 * (core.dx[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
        }
        last.copy_from_slice(k4);
        model.derivative(t, &self.x, last)
    }

    /// `x = θ h f(x) + (x_old + (1 - θ) h f(x_old))`.
    fn implicit<M: StepModel + ?Sized>(
        &mut self,
        core: &Core,
        model: &mut M,
        h: f64,
        theta: f64,
        t: f64,
    ) -> Result<(), ModelError> {
        combine(&mut self.old, &core.x, &core.dx, (1.0 - theta) * h);
        add_multiple(&mut self.x, &core.dx, h);
        if !model.keeps_guesses() {
            self.grid.guess(core, &mut self.x);
        }
        for ((k, x), old) in self.k.iter_mut().zip(&self.x).zip(&self.old) {
            *k = (x - old) / (theta * h);
        }
        let weights = core.weights.values();
        let request = StepRequest { t, h: theta * h, old: &self.old, weights, tolerance: ITERATION_SHARE };
        model.step(&request, &mut self.x, &mut self.k)
    }
}
