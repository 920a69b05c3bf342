//! Explicit Runge–Kutta pairs with continuous extension: Dormand–Prince 5(4) and Tsitouras 5(4).
//!
//! The last stage of a step is the first of the next. Both pairs have two stages at the end of the step,
//! whose derivatives differ by about `λ` times the difference of their points for the dominating eigenvalue
//! `λ`; `h λ` on the border of the stability region for many steps means that stability, not accuracy, limits
//! the step (Hairer & Wanner II, §IV.2).

use serde::{Deserialize, Serialize};

use super::control::Controller;
use super::core::{Core, Failures, initial_steps};
use super::options::StepReport;
use super::tableaux::Explicit;
use crate::error::SolverError;
use crate::model::StepModel;
use crate::vector::add_multiple;
use crate::weights::norm;

/// Steps on the stability border before a model counts as stiff, and steps inside before it no longer does.
const STIFF_STEPS: u32 = 15;
const NOT_STIFF_STEPS: u32 = 6;

/// State of the method.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ExplicitRk {
    #[serde(with = "super::tableaux::explicit_by_place")]
    tableau: &'static Explicit,
    control: Controller,
    h: f64,
    /// Derivatives of the stages, one after the other.
    k: Vec<f64>,
    /// Point of the stage that is being evaluated; the last but one is kept.
    x: Vec<f64>,
    before_last: Vec<f64>,
    error: Vec<f64>,
    /// Start of the last step.
    x_old: Vec<f64>,
    started: bool,
    on_border: u32,
    inside: u32,
    /// `h |λ|` of the last step, and its running average.
    rate: f64,
    average_rate: f64,
    /// Steps beyond the border of stability are not taken, however small their error is.
    only_stable: bool,
}

impl ExplicitRk {
    pub fn new(n: usize, tableau: &'static Explicit) -> Self {
        ExplicitRk {
            tableau,
            control: Controller::new(tableau.order, 0.04, 0.2, 10.0),
            h: 0.0,
            k: vec![0.0; n * tableau.c.len()],
            x: vec![0.0; n],
            before_last: vec![0.0; n],
            error: vec![0.0; 2 * n],
            x_old: vec![0.0; n],
            started: false,
            on_border: 0,
            inside: 0,
            rate: 0.0,
            average_rate: 0.0,
            only_stable: false,
        }
    }

    pub fn restart(&mut self) {
        self.started = false;
    }

    /// Stability has limited the step for so long that an implicit method would do better.
    pub fn is_stiff(&self) -> bool {
        self.on_border >= STIFF_STEPS
    }

    /// Takes stable steps only.
    pub fn only_stable(self) -> Self {
        ExplicitRk { only_stable: true, ..self }
    }

    /// Was the last attempt beyond what is stable?
    pub fn is_unstable(&self) -> bool {
        self.rate > self.tableau.stability
    }

    /// What the step is worth in units of the dominating eigenvalue, averaged over some steps.
    pub fn average_rate(&self) -> f64 {
        self.average_rate
    }

    /// Starts with a given step instead of looking for one, and what was seen of stability is over.
    pub fn start_with(&mut self, h: f64) {
        self.begin();
        self.on_border = 0;
        self.inside = 0;
        self.average_rate = 0.0;
        self.h = h;
    }

    /// Goes on from the beginning of the last step with one of this size.
    pub fn resume(&mut self, h: f64) -> bool {
        self.begin();
        self.h = h;
        true
    }

    /// What was seen of stability before an event still counts: a model with an event in every step may be stiff, too.
    fn begin(&mut self) {
        self.control.reset();
        self.started = true;
    }

    /// The step it would take next.
    pub fn proposal(&self) -> f64 {
        self.h
    }

    /// One step towards `t_limit`. `core.dx` is the derivative at its beginning.
    pub fn step<M: StepModel + ?Sized>(
        &mut self,
        core: &mut Core,
        model: &mut M,
        t_limit: f64,
    ) -> Result<StepReport, SolverError> {
        if !self.started {
            core.weights.update(&core.x);
            let [h] = initial_steps(core, model, [self.tableau.order], t_limit, &mut self.error)?;
            self.h = h;
            self.begin();
        }
        let mut failures = Failures::default();
        loop {
            core.may_try(self.h, &failures)?;
            if let Some(report) = self.attempt(core, model, t_limit, &mut failures)? {
                return Ok(report);
            }
        }
    }

    /// One attempt at a step; a failed one is noted, and the next is to be smaller.
    pub fn attempt<M: StepModel + ?Sized>(
        &mut self,
        core: &mut Core,
        model: &mut M,
        t_limit: f64,
        failures: &mut Failures,
    ) -> Result<Option<StepReport>, SolverError> {
        let n = core.n();
        let stride = core.stride(self.h, t_limit);
        let t = core.end(stride, t_limit);
        self.rate = 0.0;
        if let Err(e) = self.evaluate_stages(core, model, stride.h) {
            let e = core.recoverable(t, e)?;
            core.note_model(failures, e);
            self.h = 0.25 * stride.h;
            return Ok(None);
        }
        core.weights.update_between(&core.x, &self.x);
        self.estimate_error(n, stride.h);
        let error = core.weights.norm(&self.error[..n]);
        if !(error <= 1.0) {
            core.note_error(failures, error, &self.error[..n]);
            self.h = stride.h * self.control.rejected(error);
            return Ok(None);
        }
        self.watch_stability(core, stride.h);
        if self.only_stable && self.is_unstable() {
            core.note_error(failures, self.rate / self.tableau.stability, &self.error[..n]);
            self.h = 0.5 * stride.h * self.tableau.stability / self.rate;
            return Ok(None);
        }
        let proposal = stride.h * self.control.accepted(error, failures.count > 0);
        self.h = if stride.h < self.h { proposal.max(self.h) } else { proposal };
        self.x_old.copy_from_slice(&core.x);
        core.x.copy_from_slice(&self.x);
        core.dx.copy_from_slice(&self.k[self.k.len() - n..]);
        core.advance(t);
        model.accepted(t, &core.x, &core.dx);
        Ok(Some(core.report(self.tableau.order, stride.at_limit)))
    }

    /// The continuous extension at a time in the last step.
    pub fn interpolate(&self, core: &Core, t: f64, x: &mut [f64]) {
        let h = core.t - core.t_old;
        let theta = (t - core.t_old) / h;
        x.copy_from_slice(&self.x_old);
        for (k, d) in self.k.chunks_exact(x.len().max(1)).zip(self.tableau.dense) {
            let weight = h * theta * (d[0] + theta * (d[1] + theta * (d[2] + theta * d[3])));
            add_multiple(x, k, weight);
        }
    }

    fn evaluate_stages<M: StepModel + ?Sized>(
        &mut self,
        core: &Core,
        model: &mut M,
        h: f64,
    ) -> Result<(), crate::error::ModelError> {
        let n = core.n();
        let stages = self.tableau.c.len();
        self.k[..n].copy_from_slice(&core.dx);
        for i in 1..stages {
            if i == stages - 1 {
                std::mem::swap(&mut self.x, &mut self.before_last);
            }
            let (done, rest) = self.k.split_at_mut(i * n);
            self.x.copy_from_slice(&core.x);
            add_stages(&mut self.x, done, self.tableau.a[i], h);
            let k = &mut rest[..n];
            k.copy_from_slice(&done[(i - 1) * n..]);
            model.derivative(core.t + self.tableau.c[i] * h, &self.x, k)?;
        }
        Ok(())
    }

    fn estimate_error(&mut self, n: usize, h: f64) {
        let error = &mut self.error[..n];
        error.fill(0.0);
        add_stages(error, &self.k, self.tableau.error, h);
    }

    fn watch_stability(&mut self, core: &Core, h: f64) {
        let n = core.n();
        let (k1, k2) = self.k[self.k.len() - 2 * n..].split_at(n);
        let (slope, distance) = self.error.split_at_mut(n);
        for i in 0..n {
            slope[i] = k2[i] - k1[i];
            distance[i] = self.x[i] - self.before_last[i];
        }
        let (slope, distance) =
            (norm(core.weights.values(), slope), norm(core.weights.values(), &distance[..n]));
        let rate = if distance > 0.0 { h * slope / distance } else { 0.0 };
        self.rate = rate;
        self.average_rate += 0.05 * (rate.min(10.0) - self.average_rate);
        if rate > self.tableau.stability {
            self.inside = 0;
            self.on_border += 1;
        } else {
            self.inside += 1;
            if self.inside >= NOT_STIFF_STEPS {
                self.on_border = 0;
            }
        }
    }
}

/// `x += h (a_0 k_0 + a_1 k_1 + …)`, from the first stage to the last; stages stand one after the other. Of few states the length is
/// known to the compiler: loops over so few numbers cost more than what is in them. The numbers are the same.
fn add_stages(x: &mut [f64], stages: &[f64], a: &[f64], h: f64) {
    match x.len() {
        1 => add_short_stages::<1>(x, stages, a, h),
        2 => add_short_stages::<2>(x, stages, a, h),
        3 => add_short_stages::<3>(x, stages, a, h),
        4 => add_short_stages::<4>(x, stages, a, h),
        5 => add_short_stages::<5>(x, stages, a, h),
        6 => add_short_stages::<6>(x, stages, a, h),
        n => {
            for (k, a) in stages.chunks_exact(n.max(1)).zip(a).filter(|(_, a)| **a != 0.0) {
                add_multiple(x, k, h * a);
            }
        }
    }
}

fn add_short_stages<const N: usize>(x: &mut [f64], stages: &[f64], a: &[f64], h: f64) {
    let Ok(x) = <&mut [f64; N]>::try_from(x) else { return };
    let (stages, _) = stages.as_chunks::<N>();
    for (k, a) in stages.iter().zip(a) {
        if *a != 0.0 {
            let weight = h * a;
            x.iter_mut().zip(k).for_each(|(x, k)| *x += weight * k);
        }
    }
}
