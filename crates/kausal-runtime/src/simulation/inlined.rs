//! The model as the integrator sees it: evaluating `der(x)` only, or with its own discretisation inside.
//!
//! [`Stepper`] is one of the two behind the one stepping interface. An inlined model gets `h`, `old(x)` and a guess, runs the
//! section `discretized` of its program and answers with `x` and `der(x)`; what it iterates on is its own business
//! (Elmqvist, Otter and Cellier 1995). With `h = 0` both evaluate the dynamics.

use kausal_solver::chord::Chord;
use kausal_solver::integrator::RADAU_IIA;
use kausal_solver::model::{StageReport, filter_by_step};
use kausal_solver::weights::{Size, rounding};
use kausal_solver::{
    ClassicalStep, LinearModel, Method, ModelError, OdeModel, Reason, StageModel, StageRequest, StepModel,
    StepRequest, Work,
};
use kausal_symbolic::VarId;
use kausal_translate::Program;
use kausal_translate::discretize::USUAL_ITERATIONS;
use kausal_translate::flow;
use kausal_translate::program::{self, Kind};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

mod linear;
mod saved;

use linear::Point;

use super::relevance::reads_clock;
use super::{RightSide, Settings};
use crate::compiled_model::{CompiledModel, Discretized, Exec};
use crate::machine::{Failure, Linearized, Machine, Mode, Stop};

/// A step of this part of the instant is hardly one, and a still smaller one no better: iterations do not give up early.
const HARDLY: f64 = 1e-10;

/// Iteration variables that are neither states nor derivatives are found at least so exactly, whatever the tolerance: where an
/// exponential function makes states of them, being off by a few hundredths is being off by a factor.
const COARSEST: f64 = 1e-5;

/// Corrections before an iteration counts as too slow, for one stage and for several.
const ITERATIONS: u32 = 4;
const STAGE_ITERATIONS: u32 = 8;
/// The same with steps of one size, which are iterated down to rounding errors.
const FIXED_ITERATIONS: u32 = 12;

/// Sweeps of successive substitution.
const SWEEPS: usize = 6;
/// So many are slow, and in so many steps in a row a sign of stiffness.
const SLOW_SWEEPS: usize = 4;
const SLOW_STEPS: u32 = 10;

const NOT_INLINED: &str = "what comes from the past is not the same throughout an inlined step here (a delay that is \
    computed, a transport, or stages inside the step), so the integrator takes the steps";

/// Likewise for inputs.
const NOT_GIVEN_INSIDE: &str = "inputs of the model have values of their own at the stages inside an inlined step, so the \
    integrator takes the steps";

/// Why the integrator takes the steps although the program has some of its own.
pub(super) fn why_not(machine: &Machine) -> Option<&'static str> {
    let program = &machine.model().program;
    let stages = program.discretized.as_ref().map_or(0, |section| section.stages.len());
    if misses_the_past(program) {
        return Some(NOT_INLINED);
    }
    (machine.feed.is_some() && stages > 1).then_some(NOT_GIVEN_INSIDE)
}

/// Is something of the past read that is not known before an inlined step, once for all of it? A delay by parameters is, at the
/// end of the step; one by variables or by time depends on what the step computes or on where it ends, and stages inside the step
/// have values of their own.
fn misses_the_past(program: &Program) -> bool {
    let Some(section) = &program.discretized else { return false };
    let kind = |v: &VarId| program.variables[v.index()].kind == Kind::Parameter;
    let constant = |delay: &program::Delay| {
        program.pool.variables_of(delay.delay).iter().all(kind) && !reads_clock(program, delay.delay)
    };
    let inside = section.stages.len() > 1;
    !program.transports.is_empty() || program.delays.iter().any(|delay| inside || !constant(delay))
}

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

    /// Are steps those of the model?
    pub fn is_inlined(&self) -> bool {
        matches!(self, Stepper::Inlined(_))
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

    /// Brings the differences of relations to the last evaluation; `false` where that was not one at the end of a step, near
    /// its solution.
    pub fn update_differences(&mut self) -> bool {
        match self {
            Stepper::Classical(step) => step.model().ends_steps,
            Stepper::Inlined(inlined) => inlined.update_differences(),
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
    fn confirm(&mut self, request: &StepRequest, x: &[f64]) -> Result<bool, ModelError> {
        self.as_step().confirm(request, x)
    }
    fn nominal(&self, i: usize) -> f64 {
        self.as_step_ref().nominal(i)
    }
    fn size(&self, i: usize) -> (usize, Size) {
        self.as_step_ref().size(i)
    }
    fn accepted(&mut self, t: f64, x: &[f64], dx: &[f64]) {
        self.as_step().accepted(t, x, dx);
    }
    fn reset(&mut self) {
        self.as_step().reset();
    }
    fn persist(&mut self, iterations: u32) {
        self.as_step().persist(iterations);
    }
    fn is_exact(&self) -> bool {
        self.as_step_ref().is_exact()
    }
    fn keeps_guesses(&self) -> bool {
        self.as_step_ref().keeps_guesses()
    }
    fn work(&self) -> Work {
        self.as_step_ref().work()
    }
    fn damp(&mut self, v: &mut [f64]) -> bool {
        self.as_step().damp(v)
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
    /// One implicit step.
    step: Section,
    /// Several stages at once.
    stages: Option<Section>,
    /// One implicit step with all states implicit, where the other one substitutes some.
    complete: Option<Section>,
    stiffness: Stiffness,
    /// Iteration variables that are neither states nor derivatives, and their last values at two instants.
    others: Vec<Past>,
    buffer: Vec<f64>,
    /// Where a Rosenbrock method has linearised the model.
    point: Point,
    /// Steps are of one size. States that are not stiff have the explicit formula then: the guess of the method.
    is_fixed: bool,
    /// The states at the beginning of the step, if they are.
    last: Vec<f64>,
    /// Guesses are what was there at the beginning of the step.
    stays: bool,
    guess: Vec<f64>,
    derivatives: u64,
    steps: u64,
    /// The relative one of states.
    tolerance: f64,
    /// Corrections with a matrix that is kept, at most, where somebody wants few.
    most_iterations: Option<u32>,
}

/// Are states stiff that were not taken for that?
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Stiffness {
    /// Since the last event substitution has failed, or was slow for some time: stability limits it.
    found: bool,
    /// Steps in a row in which it was slow.
    slow: u32,
    /// `h` at which it was found, and steps since then in which `h` was not much larger.
    h: f64,
    steps: u32,
    /// So many steps must be taken with substitution before stiffness is believed in again.
    doubt: u32,
}

impl Stiffness {
    /// A step was taken with all states implicit, or with some substituted. Where all of them implicit allows no larger steps,
    /// it is not stability that limits them: a jump that is no event does, and the run would go on for ever.
    fn accepted(&mut self, h: f64) {
        const LARGER: f64 = 4.0;
        const NO_LARGER: u32 = 100;
        const DOUBT: u32 = 20;
        if !self.found {
            self.doubt = self.doubt.saturating_sub(1);
        } else if h > LARGER * self.h {
            (self.h, self.steps) = (0.0, 0);
        } else {
            self.steps += 1;
            if self.steps >= NO_LARGER {
                *self = Stiffness { doubt: DOUBT, ..Stiffness::default() };
            }
        }
    }
}

/// A section with the formula of a method.
#[derive(Debug, Default)]
struct Section {
    /// It is the one beside another with several stages.
    is_filter: bool,
    h: Option<VarId>,
    old: Vec<VarId>,
    /// The `h` that what depends on it was computed for; not a number after an event.
    prepared: f64,
    stages: Vec<Stage>,
    /// States that successive substitution finds.
    substituted: Vec<usize>,
}

/// States and derivatives at an instant of the step.
#[derive(Clone, Debug)]
struct Stage {
    time: Option<VarId>,
    states: Vec<(VarId, VarId)>,
    /// States and derivatives that need a guess, by their place: they are iterated on, or the section does not compute the
    /// state.
    guessed_states: Vec<(usize, VarId)>,
    guessed_derivatives: Vec<(usize, VarId)>,
}

/// The past of an iteration variable: instants and values.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Past {
    variable: VarId,
    /// What it is the copy of at the end of the step; itself, where it is no copy.
    original: VarId,
    /// The stage inside the step that it belongs to.
    stage: Option<usize>,
    last: (f64, f64),
    before: (f64, f64),
}

impl Section {
    /// `iterated`: the iteration variables of all sections.
    fn new(
        program: &program::Discretized,
        states: &[(VarId, VarId)],
        is_filter: bool,
        iterated: &FxHashSet<VarId>,
    ) -> Section {
        let pairs = |states: &[program::State]| states.iter().map(|s| (s.variable, s.derivative)).collect();
        let mut computed = FxHashSet::default();
        program.steps.iter().for_each(|step| flow::writes(step, &mut computed));
        let stage = |time, states: Vec<(VarId, VarId)>| {
            let needs = |v: VarId| iterated.contains(&v) || !computed.contains(&v);
            let all = || states.iter().enumerate();
            let guessed_states = all().map(|(i, s)| (i, s.0)).filter(|(_, x)| needs(*x)).collect();
            let guessed_derivatives =
                all().map(|(i, s)| (i, s.1)).filter(|(_, d)| iterated.contains(d)).collect();
            Stage { time, guessed_states, guessed_derivatives, states }
        };
        let mut stages: Vec<Stage> = program.stages.iter().map(|s| stage(s.time, pairs(&s.states))).collect();
        if stages.is_empty() {
            stages.push(stage(None, states.to_vec()));
        }
        let substituted = program.substituted.iter().map(|&k| k as usize).collect();
        let (h, old) = (program.h, program.old.clone());
        Section { is_filter, h, old, prepared: f64::NAN, stages, substituted }
    }

    /// Sets what the section reads, but for the guesses; computes what depends on `h`.
    fn prepare(&mut self, machine: &mut Machine, t: f64, h: f64, old: &[f64]) -> Result<(), Stop> {
        machine.set_time(t);
        for (slot, value) in self.old.iter().zip(old) {
            machine.values[slot.index()] = *value;
        }
        if let Some(slot) = self.h {
            machine.values[slot.index()] = h;
        }
        if self.prepared != h {
            let model = machine.model().clone();
            machine.forget_inlined_factors();
            if let Some(inlined) = self.code(&model) {
                machine.run(&inlined.factors, Mode::Continuous)?;
            }
            self.prepared = h;
        }
        Ok(())
    }

    fn code<'m>(&self, model: &'m CompiledModel) -> Option<&'m Discretized> {
        let first = model.discretized.as_ref()?;
        if self.is_filter { first.filter.as_deref() } else { Some(first) }
    }
}

impl Inlined {
    fn new(mut side: RightSide, settings: &Settings) -> Inlined {
        let model = side.machine.model().clone();
        let program = &model.program;
        let discretized = program.discretized.clone().unwrap_or_default();
        let before = model.discretized.as_ref().map_or(usize::MAX, |d| d.before.newtons);
        let unknowns = model.newtons.iter().skip(before).flat_map(|newton| &newton.unknowns);
        let iterated: FxHashSet<VarId> = unknowns.clone().copied().collect();
        let first = Section::new(&discretized, &side.states, false, &iterated);
        let beside =
            discretized.filter.as_ref().map(|beside| Section::new(beside, &side.states, true, &iterated));
        let (step, stages, complete) = match beside {
            Some(complete) if !first.substituted.is_empty() => (first, None, Some(complete)),
            Some(filter) => (filter, Some(first), None),
            None => (first, None, None),
        };
        let sections = stages.iter().chain([&step]);
        let states = sections.flat_map(|s| &s.stages).flat_map(|s| &s.states);
        let known: FxHashSet<VarId> = states.flat_map(|&(x, d)| [x, d]).collect();
        let nowhere = (f64::NAN, 0.0);
        let inside = discretized.stages.iter().enumerate().filter(|(_, stage)| stage.time.is_some());
        let copies = inside.flat_map(|(k, stage)| stage.copies.iter().map(move |&(v, copy)| (copy, (v, k))));
        let copies: FxHashMap<VarId, (VarId, usize)> = copies.collect();
        let past = |&variable: &VarId| {
            let copy = copies.get(&variable);
            let (original, stage) = (copy.map_or(variable, |c| c.0), copy.map(|c| c.1));
            Past { variable, original, stage, last: nowhere, before: nowhere }
        };
        let others = unknowns.filter(|v| !known.contains(v)).map(past).collect();
        let n = side.n();
        let demand = &mut side.machine.demand;
        demand.relative = settings.tolerance.min(COARSEST);
        demand.weights = vec![0.0; n];
        let fixed = settings.method.is_fixed_step();
        demand.persistence = if fixed { settings.iterations.unwrap_or(USUAL_ITERATIONS) } else { 0 };
        Inlined {
            side,
            step,
            stages,
            complete,
            stiffness: Stiffness::default(),
            others,
            buffer: vec![0.0; 3 * n],
            point: Point::default(),
            is_fixed: fixed,
            last: Vec::new(),
            stays: false,
            guess: vec![0.0; n],
            derivatives: 0,
            steps: 0,
            tolerance: settings.tolerance,
            most_iterations: settings.iterations.filter(|_| fixed),
        }
    }

    fn update_differences(&mut self) -> bool {
        let machine = &mut self.side.machine;
        let model = machine.model().clone();
        let crossings = model.discretized.as_ref().and_then(|inlined| inlined.crossings.as_ref());
        match crossings {
            Some(steps) if self.side.ends_steps => machine.run(steps, Mode::Continuous).is_ok(),
            _ => false,
        }
    }

    /// Guesses of what is neither a state nor a derivative go on as they came.
    fn guess_others(&mut self, t: f64, h: f64, end: f64) {
        for past in &self.others {
            let ((t1, v1), (t0, v0)) = (past.last, past.before);
            let slope = if t1 > t0 && !self.stays { (v1 - v0) / (t1 - t0) } else { 0.0 };
            let at = past.stage.map_or(end, |k| t + RADAU_IIA.c[k] * h);
            let values = &mut self.side.machine.values;
            // After an event there is no past, but the value at this instant.
            let start = values[past.original.index()];
            values[past.variable.index()] = if t1.is_finite() { v1 + slope * (at - t1) } else { start };
        }
    }

    /// Solves one section: all stages of the step from `t - h` (or with one stage, at `t`). `x` and `dx` hold the stages one
    /// after the other.
    fn solve(
        &mut self,
        section: &mut Section,
        request: &StageRequest,
        end: f64,
        x: &mut [f64],
        dx: &mut [f64],
    ) -> Result<(), Stop> {
        let &StageRequest { t, h, x0: old, weights, tolerance } = request;
        self.steps += 1;
        section.prepare(&mut self.side.machine, end, h, old)?;
        self.guess_others(t, h, end);
        if !self.side.past.is_empty() {
            self.side.past.read(&mut self.side.machine);
        }
        let n = old.len();
        let machine = &mut self.side.machine;
        (machine.demand.h, machine.demand.tolerance) = (h, tolerance);
        machine.demand.states = n * section.stages.len();
        machine.demand.may_predict = section.substituted.is_empty();
        machine.demand.predicted = false;
        let usual = match (self.is_fixed, section.stages.len()) {
            (true, _) => FIXED_ITERATIONS,
            (false, 1) => ITERATIONS,
            _ => STAGE_ITERATIONS,
        };
        machine.demand.most_iterations = usual.min(self.most_iterations.unwrap_or(u32::MAX));
        // Not of the guess: one that is far away rounds coarsely.
        machine.demand.finest = self.is_fixed.then(|| rounding(weights, old));
        if !self.is_fixed {
            machine.demand.persistence = if h.abs() <= HARDLY * t.abs() { USUAL_ITERATIONS } else { 0 };
        }
        // Radau IIA guesses states only, except at a new start, where it has derivatives, and states have not moved.
        let has_moved = x.chunks_exact(n.max(1)).any(|stage| stage != old);
        if section.stages.len() > 1 && has_moved {
            derivatives_of_formula(h, old, x, dx);
        }
        for (k, stage) in section.stages.iter().enumerate() {
            if let Some(time) = stage.time {
                machine.values[time.index()] = t + RADAU_IIA.c[k] * h;
            }
            let part = k * n..(k + 1) * n;
            guess(machine, stage, &x[part.clone()], &dx[part]);
        }
        machine.demand.weights.copy_from_slice(weights);
        let model = machine.model().clone();
        if let Some(inlined) = section.code(&model) {
            machine.run(&inlined.steps, Mode::Continuous)?;
            if !section.substituted.is_empty() && !self.is_fixed {
                let sweeps = substitute(machine, section, &inlined.steps, h, old, weights)?;
                self.stiffness.slow = if sweeps >= SLOW_SWEEPS { self.stiffness.slow + 1 } else { 0 };
                if self.stiffness.slow >= SLOW_STEPS && self.stiffness.doubt == 0 {
                    self.stiffness = Stiffness { found: true, h, ..Stiffness::default() };
                }
            }
        }
        if self.side.states.is_empty() {
            x.fill(0.0);
            dx.fill(0.0);
        }
        let machine = &self.side.machine;
        for (k, stage) in section.stages.iter().enumerate() {
            let part = k * n..(k + 1) * n;
            read(machine, &stage.states, |s| s.0, &mut x[part.clone()])?;
            // States that were moved by their derivatives have others.
            if !machine.demand.predicted {
                read(machine, &stage.states, |s| s.1, &mut dx[part])?;
            }
        }
        if machine.demand.predicted {
            derivatives_of_formula(h, old, x, dx);
        }
        Ok(())
    }

    /// A step with all states implicit, where one with some substituted does not do: stability would limit it. `None` where no
    /// such choice is to be made.
    fn complete_step(
        &mut self,
        request: &StageRequest,
        x: &mut [f64],
        dx: &mut [f64],
    ) -> Option<Result<(), Stop>> {
        let mut complete = self.complete.take_if(|_| !self.is_fixed)?;
        let t = request.t;
        let mut outcome;
        if !self.stiffness.found {
            let mut guess = std::mem::take(&mut self.guess);
            guess.copy_from_slice(x);
            let mut section = std::mem::take(&mut self.step);
            outcome = self.solve(&mut section, request, t, x, dx);
            self.step = section;
            if matches!(outcome, Err(Stop::Failed(_))) && self.stiffness.doubt == 0 {
                x.copy_from_slice(&guess);
                derivatives_of_formula(request.h, request.x0, x, dx);
                // Where that fails as well, stiffness is not the reason.
                if self.solve(&mut complete, request, t, x, dx).is_ok() {
                    outcome = Ok(());
                    self.stiffness = Stiffness { found: true, h: request.h, ..Stiffness::default() };
                }
            }
            self.guess = guess;
        } else {
            outcome = self.solve(&mut complete, request, t, x, dx);
        }
        if self.stiffness.found && outcome.is_ok() {
            self.side.machine.stiffer_since.get_or_insert(t);
        }
        self.complete = Some(complete);
        Some(outcome)
    }

    /// A step that may not be repeated with a smaller size: where the chord iteration fails from the guess, what the step began
    /// with may be the better one, being a solution; Newton's method comes after both.
    fn solve_persistently(
        &mut self,
        section: &mut Section,
        request: &StageRequest,
        x: &mut [f64],
        dx: &mut [f64],
    ) -> Result<(), Stop> {
        let &StageRequest { t, h, x0: old, .. } = request;
        let mut guess = std::mem::take(&mut self.guess);
        guess.copy_from_slice(x);
        let persistence = self.side.machine.demand.persistence;
        let mut outcome = Ok(());
        // Somebody who wants few iterations does not want all of that.
        let attempts: &[(bool, bool)] = match self.most_iterations {
            Some(_) => &[(false, false), (true, true)],
            None => &[(false, false), (true, false), (true, true), (false, true)],
        };
        for &(stays, insists) in attempts {
            if stays || insists {
                x.copy_from_slice(if stays { &self.last } else { &guess });
                section.substituted.iter().for_each(|&i| x[i] = guess[i]);
                derivatives_of_formula(h, old, x, dx);
                self.side.machine.chords().for_each(Chord::reset);
            }
            self.stays = stays;
            self.side.machine.demand.persistence = if insists { persistence } else { 0 };
            let result = self.solve(section, request, t, x, dx);
            self.side.machine.demand.persistence = persistence;
            self.stays = false;
            let failed = matches!(result, Err(Stop::Failed(_)));
            // What is said about the last attempt, from the guess.
            outcome = result;
            if !failed {
                break;
            }
        }
        self.guess = guess;
        outcome
    }

    /// Where a step begins.
    fn remember(&mut self, x: &[f64]) {
        if self.is_fixed {
            self.last.clear();
            self.last.extend_from_slice(x);
        }
    }

    fn failed(&mut self, stop: Stop) -> ModelError {
        let recoverable = stop.recoverable();
        self.side.last_failure = Some(stop);
        match recoverable {
            Some(reason) => ModelError::recoverable(reason),
            None => ModelError::fatal("the model ended the run"),
        }
    }
}

/// The derivatives that the formula of the method says states to have: of one stage, or of the three of Radau IIA.
fn derivatives_of_formula(h: f64, old: &[f64], x: &[f64], dx: &mut [f64]) {
    let (n, per_h) = (old.len(), 1.0 / h);
    if x.len() == n {
        for ((dx, x), old) in dx.iter_mut().zip(x).zip(old) {
            *dx = (x - old) * per_h;
        }
        return;
    }
    for (i, old) in old.iter().enumerate() {
        let moved = [0, 1, 2].map(|k| x[k * n + i] - old);
        for (k, row) in RADAU_IIA.a_inverse.iter().enumerate() {
            dx[k * n + i] = per_h * row.iter().zip(moved).map(|(a, moved)| a * moved).sum::<f64>();
        }
    }
}

/// Successive substitution of the states that are not stiff, `x := h*der(x) + old(x)`, around the rest of the step: how many
/// sweeps it took.
fn substitute(
    machine: &mut Machine,
    section: &Section,
    steps: &[Exec],
    h: f64,
    old: &[f64],
    weights: &[f64],
) -> Result<usize, Stop> {
    let states = &section.stages[0].states;
    let mut last = f64::INFINITY;
    for sweep in 0..SWEEPS {
        let mut sum = 0.0;
        for &i in &section.substituted {
            let (x, d) = states[i];
            let new = h * machine.values[d.index()] + old[i];
            let change = (new - machine.values[x.index()]) * weights[i];
            sum += change * change;
            machine.values[x.index()] = new;
        }
        machine.run(steps, Mode::Continuous)?;
        let size = (sum / states.len() as f64).sqrt();
        let rate = size / last;
        // What is left after this sweep: the next change and all that follow.
        if size == 0.0 || sweep > 0 && rate < 1.0 && size * rate / (1.0 - rate) <= machine.demand.tolerance {
            return Ok(sweep + 1);
        }
        if !size.is_finite() || sweep > 1 && rate > 1.0 {
            break;
        }
        last = size;
    }
    let unknowns = section.substituted.iter().map(|&i| states[i].0).collect();
    Err(Stop::Failed(Failure { reason: Reason::NoConvergence, unknowns, residual: None }))
}

/// What the integrator expects of a stage are the guesses.
fn guess(machine: &mut Machine, stage: &Stage, x: &[f64], dx: &[f64]) {
    let values = &mut machine.values[..];
    for &(i, d) in &stage.guessed_derivatives {
        values[d.index()] = dx[i];
    }
    // A derivative may be a state itself.
    for &(i, s) in &stage.guessed_states {
        values[s.index()] = x[i];
    }
}

/// Reads states or derivatives, which must be finite.
fn read(
    machine: &Machine,
    states: &[(VarId, VarId)],
    which: impl Fn(&(VarId, VarId)) -> VarId,
    out: &mut [f64],
) -> Result<(), Stop> {
    let values = &machine.values[..];
    let mut sum = 0.0;
    for (state, out) in states.iter().zip(&mut *out) {
        *out = values[which(state).index()];
        sum += 0.0 * *out;
    }
    // Zero times what is not finite is not zero.
    if sum == 0.0 {
        return Ok(());
    }
    let wrong = states.iter().zip(out).find(|(_, value)| !value.is_finite());
    let unknowns = wrong.map(|(s, _)| s.0).into_iter().collect();
    Err(Stop::Failed(Failure { reason: Reason::NotFinite, unknowns, residual: None }))
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
        let &StepRequest { t, h, old, weights, tolerance } = request;
        let request = StageRequest { t, h, x0: old, weights, tolerance };
        if let Some(outcome) = self.complete_step(&request, x, dx) {
            return outcome.map_err(|stop| self.failed(stop));
        }
        let mut section = std::mem::take(&mut self.step);
        let outcome = match self.last.len() == x.len() && !x.is_empty() {
            true => self.solve_persistently(&mut section, &request, x, dx),
            false => self.solve(&mut section, &request, t, x, dx),
        };
        self.step = section;
        outcome.map_err(|stop| self.failed(stop))
    }

    fn derivative(&mut self, t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), ModelError> {
        self.derivatives += 1;
        self.remember(x);
        self.side.rhs(t, x, dx)
    }

    fn confirm(&mut self, request: &StepRequest, _x: &[f64]) -> Result<bool, ModelError> {
        let model = self.side.machine.model().clone();
        let implicit = self.stages.is_none() && self.complete.is_none() && !self.is_fixed;
        let Some(inlined) = self.step.code(&model).filter(|_| implicit && self.step.substituted.is_empty())
        else {
            return Ok(true);
        };
        let machine = &mut self.side.machine;
        machine.demand.linearized = Some(Linearized::Confirmed);
        let prepared = self.step.prepare(machine, request.t, request.h, request.old);
        let outcome = prepared.and_then(|()| machine.run(&inlined.steps, Mode::Continuous));
        machine.demand.linearized = None;
        match outcome {
            Ok(()) => Ok(true),
            Err(Stop::Failed(_)) => Ok(false),
            Err(stop) => Err(self.failed(stop)),
        }
    }

    fn nominal(&self, i: usize) -> f64 {
        self.side.nominal(i)
    }

    fn size(&self, i: usize) -> (usize, Size) {
        self.side.size(i)
    }

    fn accepted(&mut self, t: f64, x: &[f64], _dx: &[f64]) {
        self.remember(x);
        let h = self.side.machine.demand.h;
        self.stiffness.accepted(h);
        self.side.machine.chords().for_each(|chord| chord.accepted());
        for past in &mut self.others {
            past.before = past.last;
            past.last = (t, self.side.machine.values[past.original.index()]);
        }
    }

    fn reset(&mut self) {
        self.side.machine.chords().for_each(|chord| chord.reset());
        self.step.prepared = f64::NAN;
        for section in self.stages.iter_mut().chain(&mut self.complete) {
            section.prepared = f64::NAN;
        }
        self.stiffness = Stiffness::default();
        for past in &mut self.others {
            (past.last.0, past.before.0) = (f64::NAN, f64::NAN);
        }
    }

    fn is_exact(&self) -> bool {
        self.side.machine.follows_states()
    }

    fn keeps_guesses(&self) -> bool {
        self.is_fixed && !self.step.substituted.is_empty()
    }

    fn work(&self) -> Work {
        let chord = self.side.machine.chord_work();
        Work {
            rhs_evaluations: self.derivatives + chord.residuals.max(self.steps),
            jacobians: chord.jacobians,
            factorisations: chord.jacobians,
            newton_iterations: chord.iterations,
            nonlinear_failures: chord.failures,
            ..Work::default()
        }
    }

    fn stages(&mut self) -> Option<&mut dyn StageModel> {
        if self.stages.is_some() { Some(self) } else { None }
    }

    fn linear(&mut self) -> Option<&mut dyn LinearModel> {
        Some(self)
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
        let Some(mut section) = self.stages.take() else {
            return Err(ModelError::fatal("the model has no stages"));
        };
        let outcome = self.solve(&mut section, request, request.t + request.h, x, dx);
        self.stages = Some(section);
        outcome.map_err(|stop| self.failed(stop))?;
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
        Inline::ImplicitEuler | Inline::Mixed if fixed_step => Method::ImplicitEuler,
        Inline::Trapezoidal => Method::Trapezoidal,
        Inline::Auto => Method::Auto,
        Inline::Bdf if fixed_step => Method::FixedBdf,
        Inline::Bdf | Inline::ImplicitEuler | Inline::Mixed => Method::Bdf,
        Inline::Radau if fixed_step => Method::FixedRadau,
        Inline::Radau => Method::Radau,
        Inline::Rosenbrock => Method::Rosenbrock,
    })
}
