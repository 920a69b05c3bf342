//! The model as the integrator sees it: derivatives of the states at an instant, with what is delayed and carried along.

use std::sync::Arc;

use kausal_solver::linear::Pattern;
use kausal_solver::weights::Size;
use kausal_solver::{Method, ModelError, OdeModel, Reason};
use kausal_symbolic::VarId;

use super::delay::Histories;
use super::iteration::{event, first_not_finite};
use super::transport::Transports;
use super::{RunError, scales};
use crate::compiled_model::CompiledModel;
use crate::jacobian::{Derivatives, JacobianMode};
use crate::machine::{Failure, Halt, Machine, Mode, Stop};

/// The model as the integrator sees it.
#[derive(Debug)]
pub(super) struct RightSide {
    pub(super) machine: Machine,
    /// The model that it runs: to count its owners in each evaluation would make the threads of a sweep wait for each other.
    pub(super) model: Arc<CompiledModel>,
    pub(super) states: Vec<(VarId, VarId)>,
    pub(super) past: Histories,
    pub(super) pipes: Transports,
    pub(super) last_failure: Option<Stop>,
    pub(super) derivatives: Derivatives,
    pub(super) buffer: Vec<f64>,
    /// The iteration variables of the model's own systems and their values where the step begins.
    pub(super) guesses: Vec<(VarId, f64)>,
    /// When that was.
    pub(super) guessed_at: f64,
    /// The last instant the integrator asked for.
    pub(super) asked: f64,
    /// The last evaluation in a step of the method is one at its end, near the solution.
    pub(super) ends_steps: bool,
    pub(super) keeps_jacobian: bool,
    /// What is known of the states before the run.
    pub(super) sizes: Vec<(usize, Size)>,
    /// The method can make a step shorter.
    pub(super) chooses_steps: bool,
}

impl RightSide {
    pub(super) fn new(mut machine: Machine, jacobian: JacobianMode, method: Method) -> Self {
        let derivatives = Derivatives::new(machine.model(), jacobian);
        let states: Vec<(VarId, VarId)> =
            machine.model().program.states.iter().map(|s| (s.variable, s.derivative)).collect();
        let sizes = scales::sizes(&machine, &states, derivatives.pattern.as_ref());
        let past = Histories::start(&mut machine);
        let pipes = Transports::start(&mut machine);
        let unknowns = machine.model().newtons.iter().flat_map(|newton| &newton.unknowns);
        let mut guesses: Vec<(VarId, f64)> = unknowns.map(|v| (*v, 0.0)).collect();
        guesses.sort_by_key(|(v, _)| *v);
        guesses.dedup_by_key(|(v, _)| *v);
        let asked = f64::NEG_INFINITY;
        RightSide {
            model: machine.model().clone(),
            machine,
            states,
            past,
            pipes,
            last_failure: None,
            derivatives,
            buffer: Vec::new(),
            guesses,
            guessed_at: asked,
            asked,
            keeps_jacobian: jacobian != JacobianMode::NumericDenseAnew,
            ends_steps: matches!(method, Method::Bdf | Method::Auto),
            sizes,
            chooses_steps: !method.is_fixed_step(),
        }
    }

    /// A step begins: from here its tries start to iterate.
    pub(super) fn keep_guesses(&mut self, t: f64) {
        for (v, value) in &mut self.guesses {
            *value = self.machine.values[v.index()];
        }
        self.guessed_at = t;
        self.asked = f64::NEG_INFINITY;
    }

    /// The step is taken back: what it was solved to, or what was looked at inside, may lie on another branch of the solutions.
    pub(super) fn forget_step(&mut self) {
        for (v, value) in &self.guesses {
            self.machine.values[v.index()] = *value;
        }
    }

    /// An instant before the last one is another try of the step. What the systems were solved to in the one that was
    /// given up may lie on another branch of their solutions, so it is no guess for this one.
    pub(super) fn next_try(&mut self, t: f64) {
        if t < self.asked {
            self.forget_step();
        }
        self.asked = t;
    }

    /// The states; a model without any gets one that stays zero, so that time goes on.
    pub(super) fn state(&self) -> Vec<f64> {
        if self.states.is_empty() {
            return vec![0.0];
        }
        self.states.iter().map(|(x, _)| self.machine.values[x.index()]).collect()
    }

    pub(super) fn place(&mut self, x: &[f64]) {
        for ((v, _), value) in self.states.iter().zip(x) {
            self.machine.values[v.index()] = *value;
        }
    }

    pub(super) fn evaluate(&mut self, t: f64, x: &[f64], outputs: bool) -> Result<(), Stop> {
        self.machine.written = outputs;
        let mut outcome = self.derivatives_at(t, x);
        if outputs && outcome.is_ok() {
            outcome = self.machine.execute(&self.model.outputs, Mode::Continuous);
        }
        self.machine.written = false;
        outcome.map_err(Stop::from)
    }

    /// What every evaluation needs, and small models do little else.
    fn derivatives_at(&mut self, t: f64, x: &[f64]) -> Result<(), Halt> {
        self.machine.set_time(t);
        self.place(x);
        if self.remembers() {
            let model = self.model.clone();
            return self.evaluate_delayed(&model).map_err(Halt::new);
        }
        self.machine.execute(&self.model.dynamics, Mode::Continuous)
    }

    /// The same with delayed variables. A delay may itself be computed: then once more with the new one.
    pub(super) fn evaluate_delayed(&mut self, model: &CompiledModel) -> Result<(), Stop> {
        /// Of transports, whose flows are close after a few.
        const ROUNDS: usize = 10;
        /// Of delays that depend on what they delay: a factor of 0.75 a round comes to rest in these.
        const MOST_ROUNDS: usize = 120;
        let mut known = Ok(());
        for round in 1.. {
            self.past.read(&mut self.machine);
            // At first a flow that is computed is still that of the last evaluation, which may have been far away.
            known = self.pipes.read(&mut self.machine);
            self.machine.run(&model.dynamics, Mode::Continuous)?;
            let delays = self.past.update_times(&mut self.machine);
            let flows = self.pipes.changed(&mut self.machine);
            if !delays && (!flows || round >= ROUNDS) {
                break;
            }
            if round >= MOST_ROUNDS {
                return Err(self.unknown_past(model));
            }
        }
        known?;
        self.past.check(&self.machine)?;
        // A shorter step reads what is known.
        if self.chooses_steps && !self.past.is_known(self.machine.time) {
            return Err(self.unknown_past(model));
        }
        Ok(())
    }

    pub(super) fn unknown_past(&self, model: &CompiledModel) -> Stop {
        let unknowns = model.program.delays.iter().map(|delay| delay.variable).collect();
        Stop::Failed(Failure { reason: Reason::NoConvergence, unknowns, residual: None })
    }

    /// Is something of the past read?
    pub(super) fn remembers(&self) -> bool {
        !self.past.is_empty() || !self.pipes.is_empty()
    }

    /// The event at `t`; again where it changes what a transport shows.
    pub(super) fn event(&mut self, t: f64) -> Result<Option<String>, RunError> {
        const ROUNDS: usize = 10;
        if self.pipes.is_empty() {
            return event(&mut self.machine);
        }
        for _ in 0..ROUNDS {
            self.pipes.read(&mut self.machine).map_err(|stop| RunError::Event(t, stop))?;
            let outcome = event(&mut self.machine)?;
            if outcome.is_some() || !self.pipes.changed(&mut self.machine) {
                return Ok(outcome);
            }
        }
        Ok(None)
    }
}

impl RightSide {
    #[cold]
    fn failed(&mut self, stop: Stop) -> ModelError {
        let recoverable = stop.recoverable();
        self.last_failure = Some(stop);
        match recoverable {
            Some(reason) => ModelError::recoverable(reason),
            None => ModelError::fatal("the model ended the run"),
        }
    }

    #[cold]
    fn not_finite(&mut self) -> ModelError {
        let values = &self.machine.values;
        let mut derivatives = self.states.iter().map(|(_, d)| *d);
        let first = derivatives.find(|d| !values[d.index()].is_finite());
        let unknowns = first.iter().map(|d| first_not_finite(&self.machine, *d)).collect();
        self.failed(Stop::Failed(Failure { reason: Reason::NotFinite, unknowns, residual: None }))
    }
}

impl OdeModel for RightSide {
    fn n(&self) -> usize {
        self.states.len().max(1)
    }

    fn rhs(&mut self, t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), ModelError> {
        if self.machine.is_interrupted() {
            return Err(self.failed(Stop::Interrupted));
        }
        if self.states.is_empty() {
            dx.fill(0.0);
            // Where nothing is integrated, values are computed where somebody looks at them. But what reads its past needs steps
            // that are short enough for it.
            if !self.remembers() {
                return Ok(());
            }
        }
        self.next_try(t);
        if let Err(halt) = self.derivatives_at(t, x) {
            return Err(self.failed(*halt));
        }
        let mut all_finite = true;
        for (dx, (_, d)) in dx.iter_mut().zip(&self.states) {
            *dx = self.machine.values[d.index()];
            all_finite &= dx.is_finite();
        }
        if all_finite { Ok(()) } else { Err(self.not_finite()) }
    }

    fn jacobian_pattern(&self) -> Option<Pattern> {
        self.derivatives.pattern.clone()
    }

    fn has_jacobian(&self) -> bool {
        self.derivatives.has_values()
    }

    fn jacobian(&mut self, t: f64, x: &[f64], values: &mut [f64]) -> Result<(), ModelError> {
        let mut dx = std::mem::take(&mut self.buffer);
        dx.resize(self.n(), 0.0);
        let mut outcome = self.rhs(t, x, &mut dx);
        if outcome.is_ok() && !self.derivatives.evaluate(&mut self.machine, values) {
            outcome = self.differences(t, x, &dx, values);
        }
        self.buffer = dx;
        outcome
    }

    fn keeps_jacobian(&self) -> bool {
        self.keeps_jacobian
    }

    fn nominal(&self, i: usize) -> f64 {
        self.states.get(i).map_or(1.0, |(x, _)| scales::usual(&self.machine, *x))
    }

    fn size(&self, i: usize) -> (usize, Size) {
        self.sizes.get(i).copied().unwrap_or((0, Size::Said(1.0)))
    }
}
