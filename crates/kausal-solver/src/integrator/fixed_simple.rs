//! Simple formulas for steps of one size: explicit Euler, Runge–Kutta 4, implicit Euler, the trapezoidal rule.

use serde::{Deserialize, Serialize};

use super::core::Core;
use super::fixed::Formula;
use super::grid::{Grid, ITERATION_SHARE, Stretch};
use super::options::Method;
use crate::error::ModelError;
use crate::model::{StepModel, StepRequest};
use crate::vector::{add_multiple, combine};

/// State of the method.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Simple {
    method: Method,
    x: Vec<f64>,
    old: Vec<f64>,
    /// Derivatives at the stages; the first `n` numbers are the derivative at the end of the step.
    k: Vec<f64>,
}

impl Formula for Simple {
    fn solve<M: StepModel + ?Sized>(
        &mut self,
        grid: &mut Grid,
        core: &Core,
        model: &mut M,
        stretch: &Stretch,
    ) -> Result<(), ModelError> {
        let &Stretch { h, t, .. } = stretch;
        self.x.copy_from_slice(&core.x);
        match self.method {
            Method::RungeKutta4 => self.runge_kutta(core, model, h, t),
            Method::ImplicitEuler => self.implicit(grid, core, model, stretch, 1.0),
            Method::Trapezoidal => self.implicit(grid, core, model, stretch, 0.5),
            _ => self.euler(core, model, h, t),
        }
    }

    fn end(&self) -> (&[f64], &[f64]) {
        (&self.x, &self.k[..self.x.len()])
    }

    fn order(&self) -> usize {
        match self.method {
            Method::RungeKutta4 => 4,
            Method::Trapezoidal => 2,
            _ => 1,
        }
    }

    /// With implicit Euler a straight line, its collocation polynomial: the derivative at the beginning has no part in the
    /// step, and where a state is stiff that derivative may be anything.
    fn interpolate(&self, grid: &Grid, core: &Core, t: f64, x: &mut [f64]) {
        match self.method {
            Method::ImplicitEuler => grid.interpolate_straight(core, t, x),
            _ => grid.interpolate(core, t, x),
        }
    }

    /// Explicit formulas are for what is not stiff, and cubics are as exact as they are.
    fn is_rough_inside(&self) -> bool {
        matches!(self.method, Method::ImplicitEuler | Method::Trapezoidal)
    }
}

impl Simple {
    pub fn new(n: usize, method: Method) -> Self {
        let stages = if method == Method::RungeKutta4 { 4 } else { 1 };
        Simple { method, x: vec![0.0; n], old: vec![0.0; n], k: vec![0.0; stages * n] }
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
        grid: &mut Grid,
        core: &Core,
        model: &mut M,
        &Stretch { h, t, .. }: &Stretch,
        theta: f64,
    ) -> Result<(), ModelError> {
        combine(&mut self.old, &core.x, &core.dx, (1.0 - theta) * h);
        add_multiple(&mut self.x, &core.dx, h);
        if !model.keeps_guesses() {
            grid.guess(core, &mut self.x);
        }
        for ((k, x), old) in self.k.iter_mut().zip(&self.x).zip(&self.old) {
            *k = (x - old) / (theta * h);
        }
        let weights = core.weights.values();
        let request = StepRequest { t, h: theta * h, old: &self.old, weights, tolerance: ITERATION_SHARE };
        model.step(&request, &mut self.x, &mut self.k)
    }
}
