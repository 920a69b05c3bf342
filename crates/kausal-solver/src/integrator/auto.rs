//! Explicit where that is enough, BDF where it is not.
//!
//! The integration starts with Tsitouras' method: no Jacobian, and a restart after an event costs one
//! evaluation. It watches the dominating eigenvalue `λ` at no cost. Then:
//!
//! - Explicit to BDF, when stability has limited the step for fifteen steps. At tight tolerances accuracy and
//!   stability limit the step alike and this test is silent; so where the explicit method has run for long
//!   with large `h |λ|`, or with many rejected steps, BDF gets a *trial*: it is run for some
//!   steps and stays if it advances further for each evaluation of the model than the explicit method did just before: what
//!   that did in easier times does not count. A trial in vain makes the next one wait
//!   twice as long. One rejected step after each event says only that its size was a guess.
//! - BDF to explicit, when a bound of the eigenvalues, the weighted norm of the Jacobian that BDF has anyway,
//!   shows again and again that the explicit method would be stable with a step several times as large. A
//!   model that knows no such bound stays with BDF.
//!
//! After an event the method in use starts again: an event seldom changes what kind of model it is. What the explicit
//! method has been seen to do counts across events, and so does a trial.

use serde::{Deserialize, Serialize};

use super::bdf::Bdf;
use super::core::Core;
use super::explicit::ExplicitRk;
use super::options::StepReport;
use super::tableaux::TSITOURAS;
use crate::error::SolverError;
use crate::model::StepModel;

/// The explicit method takes over when the bound of `h |λ|` stays below this, well inside its stability
/// region.
const EASY: f64 = 0.5;
/// In how many checks in a row, the first time; there is one check in so many steps.
const EASY_CHECKS: u32 = 4;
const STEPS_PER_CHECK: u32 = 8;
/// Explicit steps before the first trial of BDF, and the average `h |λ|` it takes.
const PATIENCE: u32 = 200;
const WORTH_A_TRIAL: f64 = 1.0;
/// Steps of a trial: until BDF has built up its order, and until it is judged.
const TRIAL_START: u32 = 30;
const TRIAL_END: u32 = 60;

/// State of the method.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Auto {
    explicit: ExplicitRk,
    bdf: Bdf,
    kind: Kind,
    /// Steps since the last change; of BDF, outside trials, since the last restart.
    steps: u32,
    /// The steps that were rejected before the explicit method took over.
    rejected_before: Option<u64>,
    /// The time it has advanced and the evaluations that took, in about as many steps as a trial has.
    advanced: f64,
    evaluated: f64,
    /// Events since then.
    restarts: u64,
    easy_checks: u32,
    easy_checks_needed: u32,
    patience: u32,
    trial: Option<Trial>,
    pub switches: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Kind {
    Explicit,
    Bdf,
}

/// A trial of BDF: the time the explicit method advanced for each evaluation, and where measuring began.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Trial {
    explicit_speed: f64,
    t: f64,
    evaluations: u64,
}

impl Auto {
    pub fn new(n: usize) -> Self {
        Auto {
            explicit: ExplicitRk::new(n, &TSITOURAS),
            bdf: Bdf::new(n),
            kind: Kind::Explicit,
            steps: 0,
            rejected_before: None,
            advanced: 0.0,
            evaluated: 0.0,
            restarts: 0,
            easy_checks: 0,
            easy_checks_needed: EASY_CHECKS,
            patience: PATIENCE,
            trial: None,
            switches: 0,
        }
    }

    pub fn restart(&mut self) {
        if self.kind == Kind::Bdf && self.trial.is_none() {
            self.steps = 0;
        }
        self.restarts += 1;
        self.explicit.restart();
        self.bdf.restart();
        self.easy_checks = 0;
    }

    pub fn resume(&mut self, h: f64) -> bool {
        match self.kind {
            Kind::Explicit => self.explicit.resume(h),
            Kind::Bdf => self.bdf.resume(h),
        }
    }

    /// See [`Integrator::start_exactly`](super::Integrator::start_exactly).
    pub fn start_exactly(&mut self, h: f64) {
        if self.kind == Kind::Bdf {
            self.bdf.start_exactly(h);
        }
    }

    pub fn is_explicit(&self) -> bool {
        self.kind == Kind::Explicit
    }

    pub fn implicit_part(&self) -> f64 {
        self.bdf.implicit_part()
    }

    /// See [`Integrator::remembered`](super::Integrator::remembered).
    pub fn remembered(&self, core: &Core) -> Vec<f64> {
        match self.kind {
            Kind::Explicit => Vec::new(),
            Kind::Bdf => self.bdf.remembered(core),
        }
    }

    /// Can it go on with other states, given so much of their past?
    pub fn goes_on(&self, core: &Core, past: usize) -> bool {
        self.kind == Kind::Explicit || self.bdf.goes_on(core, past)
    }

    /// Goes on with other states.
    pub fn change_states(&mut self, x: &[f64], past: &[Vec<f64>]) {
        if self.kind == Kind::Bdf {
            self.bdf.change_states(x, past);
        }
    }

    pub fn step<M: StepModel + ?Sized>(
        &mut self,
        core: &mut Core,
        model: &mut M,
        t_limit: f64,
    ) -> Result<StepReport, SolverError> {
        if let Some(next) = self.choose(core, model) {
            self.change_to(next, core, model)?;
        }
        self.steps = self.steps.saturating_add(1);
        if self.kind == Kind::Explicit {
            self.rejected_before.get_or_insert(core.rejected);
            let before = model.work().rhs_evaluations;
            let report = self.explicit.step(core, model, t_limit)?;
            self.count(report.t - report.t_old, model.work().rhs_evaluations - before);
            return Ok(report);
        }
        let report = self.bdf.step(core, model, t_limit)?;
        if self.steps.is_multiple_of(STEPS_PER_CHECK) {
            match model.rate_bound(core.weights.values()) {
                Some(rate) if rate * (report.t - report.t_old) <= EASY => self.easy_checks += 1,
                _ => self.easy_checks = 0,
            }
        }
        Ok(report)
    }

    pub fn interpolate(&self, core: &Core, t: f64, x: &mut [f64]) {
        match self.kind {
            Kind::Explicit => self.explicit.interpolate(core, t, x),
            Kind::Bdf => self.bdf.interpolate(core, t, x),
        }
    }

    /// The method to change to, if there is reason to.
    fn choose<M: StepModel + ?Sized>(&mut self, core: &Core, model: &M) -> Option<Kind> {
        if let Some(trial) = self.trial {
            return self.judge(trial, core, model);
        }
        match self.kind {
            Kind::Explicit if self.explicit.is_stiff() => Some(Kind::Bdf),
            Kind::Explicit
                if self.steps >= self.patience
                    && (self.explicit.average_rate() >= WORTH_A_TRIAL || self.rejects(core)) =>
            {
                let explicit_speed = self.advanced / self.evaluated;
                self.trial = Some(Trial { explicit_speed, t: core.t, evaluations: 0 });
                Some(Kind::Bdf)
            }
            Kind::Bdf if self.easy_checks >= self.easy_checks_needed => {
                self.easy_checks_needed = self.easy_checks_needed.saturating_mul(2);
                Some(Kind::Explicit)
            }
            _ => None,
        }
    }

    /// Has the explicit method rejected one step for each few it has accepted, besides the first after each event?
    fn rejects(&self, core: &Core) -> bool {
        const FEW: u64 = 3;
        let Some(before) = self.rejected_before else { return false };
        let rejected = (core.rejected - before).saturating_sub(self.restarts);
        FEW * rejected >= u64::from(self.steps)
    }

    /// The explicit method has made a step of this length.
    fn count(&mut self, length: f64, evaluations: u64) {
        const FADING: f64 = 1.0 - 1.0 / TRIAL_END as f64;
        // A model that does not count its evaluations is charged those of a step.
        let evaluations = evaluations.max(TSITOURAS.c.len() as u64 - 1);
        self.advanced = FADING * self.advanced + length;
        self.evaluated = FADING * self.evaluated + evaluations as f64;
    }

    /// Back to the explicit method, when the trial is over and BDF was slower.
    fn judge<M: StepModel + ?Sized>(&mut self, mut trial: Trial, core: &Core, model: &M) -> Option<Kind> {
        let evaluations = model.work().rhs_evaluations;
        if self.steps == TRIAL_START {
            (trial.t, trial.evaluations) = (core.t, evaluations);
            self.trial = Some(trial);
        }
        if self.steps < TRIAL_END {
            return None;
        }
        self.trial = None;
        // A model that does not count its evaluations is charged one a step.
        let spent = (evaluations - trial.evaluations).max(u64::from(TRIAL_END - TRIAL_START)) as f64;
        if core.t - trial.t > trial.explicit_speed * spent {
            return None;
        }
        self.patience = self.patience.saturating_mul(2);
        Some(Kind::Explicit)
    }

    fn change_to<M: StepModel + ?Sized>(
        &mut self,
        kind: Kind,
        core: &mut Core,
        model: &mut M,
    ) -> Result<(), SolverError> {
        self.kind = kind;
        self.switches += 1;
        self.steps = 0;
        self.easy_checks = 0;
        self.rejected_before = None;
        (self.advanced, self.evaluated) = (0.0, 0.0);
        self.restarts = 0;
        match kind {
            Kind::Explicit => {
                self.explicit.start_with(core.t - core.t_old);
                // Right after an event there is no last step to go on with.
                if core.t == core.t_old {
                    self.explicit.restart();
                }
                // BDF knows the derivative as well as it has iterated; the first stage needs it exactly.
                core.evaluate_start(model)
            }
            Kind::Bdf => {
                self.bdf.restart();
                model.reset();
                Ok(())
            }
        }
    }
}
