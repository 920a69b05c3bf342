//! The model as the integrator sees it: evaluating `der(x)` only, or with its own discretisation inside.
//!
//! [`Stepper`] is one of the two behind the one stepping interface. An inlined model gets `h`, `old(x)` and a guess, runs the
//! section `discretized` of its program and answers with `x` and `der(x)`; what it iterates on is its own business
//! (Elmqvist, Otter and Cellier 1995). With `h = 0` both evaluate the dynamics.

use kausal_solver::{
    ClassicalStep, LinearModel, Method, ModelError, OdeModel, Reason, StageModel, StageRequest, StepModel,
    StepRequest, Work,
};
use kausal_solver::integrator::RADAU_IIA;
use kausal_solver::model::{StageReport, filter_by_step};
use kausal_symbolic::VarId;

use super::{RightSide, Settings};
use crate::machine::{Failure, Mode, Stop};

/// Iterations with new matrices where a step cannot be repeated with a smaller size.
const PERSISTENCE: u32 = 10;

/// Who solves for the step.
#[derive(Debug)]
pub(super) enum Stepper {
    /// The integrator's side, iterating on all states.
    Classical(Box<ClassicalStep<RightSide>>),
    /// The model itself.
    Inlined(Box<Inlined>),
}

impl Stepper {
    /// The inlined step where the program has one.
    pub fn new(side: RightSide, settings: &Settings) -> Stepper {
        let inlined = side.machine.model().discretized.is_some() && settings.inlined;
        match inlined {
            true => Stepper::Inlined(Box::new(Inlined::new(side, settings))),
            false => Stepper::Classical(Box::new(ClassicalStep::new(side))),
        }
    }

    /// The model.
    pub fn model(&self) -> &RightSide {
        match self {
            Stepper::Classical(step) => step.model(),
            Stepper::Inlined(inlined) => &inlined.side,
        }
    }

    /// The model, to change it.
    pub fn model_mut(&mut self) -> &mut RightSide {
        match self {
            Stepper::Classical(step) => step.model_mut(),
            Stepper::Inlined(inlined) => &mut inlined.side,
        }
    }

    fn as_step(&mut self) -> &mut dyn StepModel {
        match self {
            Stepper::Classical(step) => &mut **step,
            Stepper::Inlined(inlined) => &mut **inlined,
        }
    }

    fn as_step_ref(&self) -> &dyn StepModel {
        match self {
            Stepper::Classical(step) => &**step,
            Stepper::Inlined(inlined) => &**inlined,
        }
    }
}

impl StepModel for Stepper {
    fn n(&self) -> usize {
        self.as_step_ref().n()
    }
    fn step(&mut self, request: &StepRequest, x: &mut [f64], dx: &mut [f64]) -> Result<(), ModelError> {
        self.as_step().step(request, x, dx)
    }
    fn derivative(&mut self, t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), ModelError> {
        self.as_step().derivative(t, x, dx)
    }
    fn nominal(&self, i: usize) -> f64 {
        self.as_step_ref().nominal(i)
    }
    fn accepted(&mut self, t: f64, x: &[f64], dx: &[f64]) {
        self.as_step().accepted(t, x, dx);
    }
    fn reset(&mut self) {
        self.as_step().reset();
    }
    fn work(&self) -> Work {
        self.as_step_ref().work()
    }
    fn rate_bound(&self, weights: &[f64]) -> Option<f64> {
        self.as_step_ref().rate_bound(weights)
    }
    fn stages(&mut self) -> Option<&mut dyn StageModel> {
        self.as_step().stages()
    }
    fn linear(&mut self) -> Option<&mut dyn LinearModel> {
        self.as_step().linear()
    }
}

/// A model with its own discretisation.
#[derive(Debug)]
pub(super) struct Inlined {
    side: RightSide,
    h: VarId,
    old: Vec<VarId>,
    /// The `h` that what depends on it was computed for; not a number after an event.
    prepared: f64,
    /// Iteration variables that are neither states nor derivatives, and their last values at two instants.
    others: Vec<Past>,
    stages: Vec<Stage>,
    buffer: Vec<f64>,
    evaluations: u64,
}

/// The past of an iteration variable.
#[derive(Clone, Copy, Debug)]
struct Past {
    variable: VarId,
    /// Which stage it belongs to.
    last: (f64, f64),
    before: (f64, f64),
}

/// A stage of a method that solves several at once.
#[derive(Clone, Debug)]
struct Stage {
    time: Option<VarId>,
    states: Vec<(VarId, VarId)>,
}

impl Inlined {
    fn new(mut side: RightSide, settings: &Settings) -> Inlined {
        let model = side.machine.model().clone();
        let program = &model.program;
        let discretized = program.discretized.clone().unwrap_or_default();
        let stages: Vec<Stage> = discretized
            .stages
            .iter()
            .map(|stage| Stage {
                time: stage.time,
                states: stage.states.iter().map(|s| (s.variable, s.derivative)).collect(),
            })
            .collect();
        let mut known: Vec<VarId> = side.states.iter().flat_map(|&(x, d)| [x, d]).collect();
        known.extend(stages.iter().flat_map(|s| &s.states).flat_map(|&(x, d)| [x, d]));
        let before = model.discretized.as_ref().map_or(usize::MAX, |d| d.before.newtons);
        let unknowns = model.newtons.iter().skip(before).flat_map(|newton| &newton.unknowns);
        let others = unknowns.filter(|v| !known.contains(v));
        let nowhere = (f64::NAN, 0.0);
        let others = others.map(|&variable| Past { variable, last: nowhere, before: nowhere }).collect();
        let side_n = side.n();
        let demand = &mut side.machine.demand;
        demand.relative = settings.tolerance;
        demand.states = side_n * stages.len().max(1);
        demand.weights = vec![0.0; program.variables.len()];
        demand.persistence = if settings.method.is_fixed_step() { PERSISTENCE } else { 0 };
        Inlined {
            h: discretized.h.unwrap_or(VarId(0)),
            old: discretized.old,
            prepared: f64::NAN,
            others,
            stages,
            buffer: vec![0.0; 3 * side.n()],
            evaluations: 0,
            side,
        }
    }

    /// Sets what the section reads, but for the guesses.
    fn prepare(&mut self, t: f64, h: f64, old: &[f64], tolerance: f64) -> Result<(), Stop> {
        let machine = &mut self.side.machine;
        machine.time = t;
        for (slot, value) in self.old.iter().zip(old) {
            machine.values[slot.index()] = *value;
        }
        (machine.demand.h, machine.demand.tolerance) = (h, tolerance);
        machine.values[self.h.index()] = h;
        if self.prepared != h {
            let model = machine.model().clone();
            machine.forget_inlined_factors();
            if let Some(inlined) = &model.discretized {
                machine.run(&inlined.factors, Mode::Continuous)?;
            }
            self.prepared = h;
        }
        for past in &self.others {
            let (t1, v1) = past.last;
            let (t0, v0) = past.before;
            let slope = if t1 > t0 { (v1 - v0) / (t1 - t0) } else { 0.0 };
            if t1.is_finite() {
                machine.values[past.variable.index()] = v1 + slope * (t - t1);
            }
        }
        Ok(())
    }

    /// Guesses and weights of states and derivatives.
    fn guess(&mut self, states: &[(VarId, VarId)], h: f64, x: &[f64], dx: &[f64], weights: &[f64]) {
        let machine = &mut self.side.machine;
        for (i, &(_, d)) in states.iter().enumerate() {
            machine.values[d.index()] = dx[i];
            machine.demand.weights[d.index()] = h.abs() * weights[i];
        }
        // A derivative may be a state itself.
        for (i, &(s, _)) in states.iter().enumerate() {
            machine.values[s.index()] = x[i];
            machine.demand.weights[s.index()] = weights[i];
        }
    }

    fn run(&mut self) -> Result<(), Stop> {
        let model = self.side.machine.model().clone();
        self.evaluations += 1;
        if !self.side.past.is_empty() {
            self.side.past.read(&mut self.side.machine);
        }
        match &model.discretized {
            Some(inlined) => self.side.machine.run(&inlined.steps, Mode::Continuous),
            None => Ok(()),
        }
    }

    fn read(&mut self, states: &[(VarId, VarId)], x: &mut [f64], dx: &mut [f64]) -> Result<(), Stop> {
        let values = &self.side.machine.values;
        x.fill(0.0);
        dx.fill(0.0);
        for (i, &(s, d)) in states.iter().enumerate() {
            (x[i], dx[i]) = (values[s.index()], values[d.index()]);
            if !(x[i].is_finite() && dx[i].is_finite()) {
                let failure = Failure { reason: Reason::NotFinite, unknowns: vec![s], residual: None };
                return Err(Stop::Failed(failure));
            }
        }
        Ok(())
    }

    fn failed(&mut self, stop: Stop) -> ModelError {
        let recoverable = match &stop {
            Stop::Failed(Failure { reason, .. }) => Some(*reason),
            Stop::Assertion(_) | Stop::Function(_) => Some(Reason::OutsideDomain),
            Stop::Terminate(_) | Stop::Contradiction(..) => None,
        };
        self.side.last_failure = Some(stop);
        match recoverable {
            Some(reason) => ModelError::recoverable(reason),
            None => ModelError::fatal("the model ended the run"),
        }
    }

    fn attempt(&mut self, request: &StepRequest, x: &mut [f64], dx: &mut [f64]) -> Result<(), Stop> {
        let states = std::mem::take(&mut self.side.states);
        let outcome = self.prepare(request.t, request.h, request.old, request.tolerance).and_then(|()| {
            self.guess(&states, request.h, x, dx, request.weights);
            self.run()?;
            self.read(&states, x, dx)
        });
        self.side.states = states;
        outcome
    }

    fn attempt_stages(
        &mut self,
        request: &StageRequest,
        x: &mut [f64],
        dx: &mut [f64],
    ) -> Result<(), Stop> {
        let n = request.x0.len();
        let stages = std::mem::take(&mut self.stages);
        let outcome = self.prepare(request.t + request.h, request.h, request.x0, request.tolerance).and_then(|()| {
            for (k, stage) in stages.iter().enumerate() {
                if let Some(time) = stage.time {
                    self.side.machine.values[time.index()] = request.t + RADAU_IIA.c[k] * request.h;
                }
                let part = k * n..(k + 1) * n;
                self.guess(&stage.states, request.h, &x[part.clone()], &dx[part], request.weights);
            }
            self.run()?;
            for (k, stage) in stages.iter().enumerate() {
                let part = k * n..(k + 1) * n;
                self.read(&stage.states, &mut x[part.clone()], &mut dx[part])?;
            }
            Ok(())
        });
        self.stages = stages;
        outcome
    }
}

impl StepModel for Inlined {
    fn n(&self) -> usize {
        self.side.n()
    }

    fn step(&mut self, request: &StepRequest, x: &mut [f64], dx: &mut [f64]) -> Result<(), ModelError> {
        if request.h == 0.0 {
            x.copy_from_slice(request.old);
            return self.derivative(request.t, x, dx);
        }
        self.attempt(request, x, dx).map_err(|stop| self.failed(stop))
    }

    fn derivative(&mut self, t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), ModelError> {
        self.evaluations += 1;
        self.side.rhs(t, x, dx)
    }

    fn nominal(&self, i: usize) -> f64 {
        self.side.nominal(i)
    }

    fn accepted(&mut self, t: f64, _x: &[f64], _dx: &[f64]) {
        self.side.machine.chords().for_each(|chord| chord.accepted());
        for past in &mut self.others {
            past.before = past.last;
            past.last = (t, self.side.machine.values[past.variable.index()]);
        }
    }

    fn reset(&mut self) {
        self.side.machine.chords().for_each(|chord| chord.reset());
        self.prepared = f64::NAN;
        for past in &mut self.others {
            (past.last.0, past.before.0) = (f64::NAN, f64::NAN);
        }
    }

    fn work(&self) -> Work {
        let chord = self.side.machine.chord_work();
        Work {
            rhs_evaluations: self.evaluations + chord.residuals,
            jacobians: chord.jacobians,
            factorisations: chord.jacobians,
            newton_iterations: chord.iterations,
            nonlinear_failures: chord.failures,
            ..Work::default()
        }
    }

    fn stages(&mut self) -> Option<&mut dyn StageModel> {
        if self.stages.is_empty() { None } else { Some(self) }
    }
}

impl StageModel for Inlined {
    fn solve_stages(
        &mut self,
        request: &StageRequest,
        x: &mut [f64],
        dx: &mut [f64],
    ) -> Result<StageReport, ModelError> {
        let before = self.side.machine.chord_work().iterations;
        self.attempt_stages(request, x, dx).map_err(|stop| self.failed(stop))?;
        let iterations = (self.side.machine.chord_work().iterations - before) as u32;
        Ok(StageReport { iterations, contraction: 0.0, keep_step: true })
    }

    fn filter(
        &mut self,
        t: f64,
        gamma: f64,
        x: &[f64],
        dx: &[f64],
        weights: &[f64],
        error: &mut [f64],
    ) -> Result<(), ModelError> {
        let mut buffer = std::mem::take(&mut self.buffer);
        let outcome = filter_by_step(self, t, gamma, x, dx, weights, error, &mut buffer);
        self.buffer = buffer;
        outcome
    }
}

/// The method of the integrator that goes with an inlined one.
pub fn method_of(inline: kausal_translate::Inline, fixed_step: bool) -> Option<Method> {
    use kausal_translate::Inline;
    Some(match inline {
        Inline::Off => return None,
        Inline::Euler => Method::ExplicitEuler,
        Inline::ImplicitEuler if fixed_step => Method::ImplicitEuler,
        Inline::Trapezoidal => Method::Trapezoidal,
        Inline::Auto | Inline::Bdf | Inline::ImplicitEuler | Inline::Mixed => Method::Bdf,
        Inline::Radau => Method::Radau,
        Inline::Rosenbrock => Method::Rosenbrock,
    })
}
