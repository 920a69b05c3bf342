//! Fixed-step methods: explicit Euler, Runge–Kutta 4, implicit Euler, the trapezoidal rule.
//!
//! No error estimate and no step control: step `i` after a start ends at `t_start + i h`, computed as that
//! product, so that a long run does not drift off its grid. A step that the model cannot solve is an error at
//! once, since it may not be repeated with a smaller one.

use super::core::{Core, Failures};
use super::hermite::Hermite;
use super::options::{Method, StepReport};
use crate::error::{ModelError, SolverError};
use crate::model::{StepModel, StepRequest};
use crate::vector::{add_multiple, combine};
use crate::weights::first_not_finite;

/// Implicit methods iterate to this part of the tolerance.
const ITERATION_SHARE: f64 = 0.01;

/// State of the method.
#[derive(Clone, Debug)]
pub(crate) struct FixedStep {
    method: Method,
    h: f64,
    t_start: f64,
    steps_since_start: u64,
    started: bool,
    x: Vec<f64>,
    old: Vec<f64>,
    /// Derivatives at the stages; the first `n` numbers are the derivative at the end of the step.
    k: Vec<f64>,
    hermite: Hermite,
}

impl FixedStep {
    pub fn new(n: usize, method: Method, h: f64) -> Self {
        let stages = if method == Method::RungeKutta4 { 4 } else { 1 };
        FixedStep {
            method,
            h,
            t_start: 0.0,
            steps_since_start: 0,
            started: false,
            x: vec![0.0; n],
            old: vec![0.0; n],
            k: vec![0.0; stages * n],
            hermite: Hermite::new(n),
        }
    }

    pub fn restart(&mut self) {
        self.started = false;
    }

    /// The next step of the grid, or as much of it as fits before `t_limit`. `core.dx` is the derivative at
    /// its beginning.
    pub fn step<M: StepModel + ?Sized>(
        &mut self,
        core: &mut Core,
        model: &mut M,
        t_limit: f64,
    ) -> Result<StepReport, SolverError> {
        core.weights.update(&core.x);
        if !self.started {
            (self.t_start, self.steps_since_start, self.started) = (core.t, 0, true);
        }
        let mut failures = Failures::default();
        core.may_try(self.h, &failures)?;
        let next = self.t_start + (self.steps_since_start + 1) as f64 * self.h;
        let at_limit = next >= t_limit - 1e-9 * self.h;
        let t = if at_limit { t_limit } else { next };
        let h = t - core.t;
        self.x.copy_from_slice(&core.x);
        let solved = match self.method {
            Method::RungeKutta4 => self.runge_kutta(core, model, h, t),
            Method::ImplicitEuler => self.implicit(core, model, h, 1.0, t),
            Method::Trapezoidal => self.implicit(core, model, h, 0.5, t),
            _ => self.euler(core, model, h, t),
        };
        if let Err(e) = solved {
            let e = core.recoverable(t, e)?;
            core.note_model(&mut failures, e);
        } else if first_not_finite(&self.x).is_some() || first_not_finite(&self.k[..core.n()]).is_some() {
            let culprit = if first_not_finite(&self.x).is_some() { &self.x } else { &self.k[..core.n()] };
            core.note_error(&mut failures, f64::NAN, culprit);
        }
        if let Some(obstacle) = failures.last {
            return Err(SolverError::StepSizeTooSmall { t: core.t, h, obstacle });
        }
        self.steps_since_start += 1;
        self.hermite.begin(&core.x, &core.dx);
        core.x.copy_from_slice(&self.x);
        core.dx.copy_from_slice(&self.k[..self.x.len()]);
        core.advance(t);
        model.accepted(t, &core.x, &core.dx);
        let order = match self.method {
            Method::RungeKutta4 => 4,
            Method::Trapezoidal => 2,
            _ => 1,
        };
        Ok(core.report(order, at_limit))
    }

    /// Hermite interpolation in the last step.
    pub fn interpolate(&self, core: &Core, t: f64, x: &mut [f64]) {
        self.hermite.interpolate(core, t, x);
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
        self.k.copy_from_slice(&core.dx);
        let weights = core.weights.values();
        let request = StepRequest { t, h: theta * h, old: &self.old, weights, tolerance: ITERATION_SHARE };
        model.step(&request, &mut self.x, &mut self.k)
    }
}
