//! Explicit where that is enough, implicit where it is not.
//!
//! The integration starts with Tsitouras' method: no Jacobian, and a restart after an event costs one evaluation. It watches the
//! dominating eigenvalue `λ` at no cost.
//!
//! - Explicit to BDF: stability has limited the step for fifteen steps. Where the tolerance is so tight that accuracy and stability
//!   limit the step alike, this test stays silent; so from time to time, when `h |λ|` is large on average, BDF is given a *trial*: it
//!   stays if it advances further for each evaluation of the model.
//! - BDF to explicit: a bound of the eigenvalues, the weighted norm of the Jacobian that BDF has anyway, shows for many steps in a row
//!   that the explicit method would be stable with a step several times as large. A model that knows no such bound stays with
//!   BDF.
//!
//! Trials and returns become rarer each time they happen, so that a model in between does not waste its time changing.

use super::bdf::Bdf;
use super::core::Core;
use super::explicit::ExplicitRk;
use super::options::StepReport;
use super::tableaux::TSITOURAS;
use crate::error::SolverError;
use crate::model::StepModel;

/// The explicit method takes over when the bound of `h |λ|` stays below this, well inside its stability region.
const EASY: f64 = 0.5;
/// For how many steps, the first time.
const EASY_STEPS: u32 = 30;
/// Explicit steps before the first trial of BDF, and the average `h |λ|` it needs.
const STEPS_BEFORE_TRIAL: u32 = 200;
const WORTH_A_TRIAL: f64 = 1.0;
/// Steps of a trial: to build up the order, and to measure.
const TRIAL_START: u32 = 30;
const TRIAL_STEPS: u32 = 60;

/// State of the method.
#[derive(Clone, Debug)]
pub(crate) struct Auto {
    explicit: ExplicitRk,
    implicit: Bdf,
    stiff: bool,
    /// Steps since the last change or restart.
    steps: u32,
    easy_steps: u32,
    easy_steps_needed: u32,
    steps_before_trial: u32,
    trial: Option<Trial>,
    pub switches: u64,
}

/// A trial of BDF: the time the explicit method advanced for each evaluation, and where measuring began.
#[derive(Clone, Copy, Debug)]
struct Trial {
    explicit_speed: f64,
    t: f64,
    evaluations: u64,
}

impl Auto {
    pub fn new(n: usize) -> Self {
        Auto {
            explicit: ExplicitRk::new(n, &TSITOURAS),
            implicit: Bdf::new(n),
            stiff: false,
            steps: 0,
            easy_steps: 0,
            easy_steps_needed: EASY_STEPS,
            steps_before_trial: STEPS_BEFORE_TRIAL,
            trial: None,
            switches: 0,
        }
    }

    /// Starts again with the method that was in use: an event seldom changes what kind of model it is.
    pub fn restart(&mut self) {
        self.explicit.restart();
        self.implicit.restart();
        self.easy_steps = 0;
        self.steps = 0;
        self.trial = None;
    }

    pub fn step<M: StepModel + ?Sized>(
        &mut self,
        core: &mut Core,
        model: &mut M,
        t_limit: f64,
    ) -> Result<StepReport, SolverError> {
        self.choose(core, model);
        self.steps = self.steps.saturating_add(1);
        if !self.stiff {
            return self.explicit.step(core, model, t_limit);
        }
        let report = self.implicit.step(core, model, t_limit)?;
        match model.rate_bound(core.weights.values()) {
            Some(rate) if rate * (report.t - report.t_old) <= EASY => self.easy_steps += 1,
            _ => self.easy_steps = 0,
        }
        Ok(report)
    }

    pub fn interpolate(&self, core: &Core, t: f64, x: &mut [f64]) {
        if self.stiff {
            self.implicit.interpolate(core, t, x);
        } else {
            self.explicit.interpolate(core, t, x);
        }
    }

    fn choose<M: StepModel + ?Sized>(&mut self, core: &Core, model: &mut M) {
        if !self.stiff {
            if self.explicit.is_stiff() {
                self.become_implicit(model);
            } else if self.steps >= self.steps_before_trial && self.explicit.average_rate() >= WORTH_A_TRIAL {
                let explicit_speed = (core.t - core.t_old) / (TSITOURAS.c.len() - 1) as f64;
                self.become_implicit(model);
                self.trial = Some(Trial { explicit_speed, t: core.t, evaluations: 0 });
            }
            return;
        }
        if let Some(trial) = &mut self.trial {
            let evaluations = model.work().rhs_evaluations;
            if self.steps == TRIAL_START {
                (trial.t, trial.evaluations) = (core.t, evaluations);
            } else if self.steps == TRIAL_STEPS {
                let spent = (evaluations - trial.evaluations).max(u64::from(TRIAL_STEPS - TRIAL_START));
                let better = core.t - trial.t > trial.explicit_speed * spent as f64;
                self.trial = None;
                if !better {
                    self.steps_before_trial = self.steps_before_trial.saturating_mul(2);
                    self.become_explicit(core);
                }
            }
        } else if self.easy_steps >= self.easy_steps_needed {
            self.easy_steps_needed = self.easy_steps_needed.saturating_mul(2);
            self.become_explicit(core);
        }
    }

    fn become_implicit<M: StepModel + ?Sized>(&mut self, model: &mut M) {
        self.stiff = true;
        self.switches += 1;
        self.steps = 0;
        self.easy_steps = 0;
        self.implicit.restart();
        model.reset();
    }

    fn become_explicit(&mut self, core: &Core) {
        self.stiff = false;
        self.switches += 1;
        self.steps = 0;
        self.explicit.start_with(core.t - core.t_old);
    }
}
