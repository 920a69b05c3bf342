//! One run's memory, and the execution of steps on it.
//!
//! - [`checked`]: whether solutions of linear systems are any, and their digits
//! - [`linear`]: kernels of linear systems, guards of straight-line solutions, systems without full rank
//! - [`nonlinear`]: Newton's and simpler iterations
//! - [`mixed`]: relations, and systems with discrete unknowns

mod branch_switch;
mod cancellation;
mod checked;
mod determined;
mod guess;
mod linear;
pub(crate) mod mixed;
mod nonlinear;
mod saved;

use std::sync::Arc;

use kausal_codegen::{ChunkId, Memory, Scratch};
use kausal_external::{Kept, NoData, Options, RunFiles, StandardExternals};
use kausal_solver::Reason;
use kausal_symbolic::function::interrupt::Interrupt;
use kausal_symbolic::{ExprId, FunctionId, VarId};
use kausal_translate::program::{Assert, Kind};
use serde::{Deserialize, Serialize};

use crate::compiled_model::{self, Branch, CompiledModel, Exec, Kernel, KernelFactor};
use crate::inputs::Feed;
use crate::simulation::clocks::Clocks;
use crate::tunable::Applied;
pub(crate) use nonlinear::singular;
use nonlinear::{ChordSpace, NewtonSpace};

/// Why steps are executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The initial problem.
    Initial,
    /// Between events: discrete variables are constant.
    Continuous,
    /// At an event.
    Event,
}

/// Why the execution stopped before its end.
#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    /// This attempt failed; another point may do.
    Failed(Failure),
    /// An assertion of the model does not hold.
    Assertion(Violated),
    /// The model asked to end.
    Terminate(String),
    /// A function, the one that the model calls, could not be evaluated; and why.
    Function(Option<FunctionId>, String),
    /// Foreign code crashed, or wanted to end the program: nothing can be computed any more.
    Crash(String),
    /// An initial condition, by its place in the program's checks, contradicts the others: its two sides.
    Contradiction(usize, f64, f64),
    /// An Integer variable would have this value, which is not a whole number or too large to be exact.
    NotInteger(VarId, f64),
    /// Somebody asked for the end of everything.
    Interrupted,
    /// A relation, by its place in the program, that something depends on compares what is not a number.
    Undefined(u32),
    /// `reinit` sets a variable that constraints determine from others here.
    NotAState(VarId),
}

impl Stop {
    /// May another point do?
    pub fn is_recoverable(&self) -> bool {
        self.recoverable().is_some()
    }

    /// Why this attempt failed, where another point may do. A domain error on the way need not be one at the solution.
    pub(crate) fn recoverable(&self) -> Option<Reason> {
        match self {
            Stop::Failed(failure) => Some(failure.reason),
            Stop::Assertion(_) | Stop::Function(..) => Some(Reason::OutsideDomain),
            Stop::Terminate(_)
            | Stop::Crash(_)
            | Stop::Contradiction(..)
            | Stop::NotInteger(..)
            | Stop::Interrupted
            | Stop::NotAState(_)
            | Stop::Undefined(_) => None,
        }
    }
}

/// Which assertion of the program: one condition may have several messages, and one message several conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AssertionId {
    /// What must hold.
    pub condition: ExprId,
    /// What is said if it does not.
    pub message: ExprId,
}

/// An assertion that does not hold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Violated {
    /// Which; none where the run itself looks at something, such as the time of a delay.
    pub assertion: Option<AssertionId>,
    /// What it said.
    pub text: String,
}

impl From<String> for Violated {
    fn from(text: String) -> Violated {
        Violated { assertion: None, text }
    }
}

/// A [`Stop`] on its way out of many steps inside each other.
pub(crate) type Halt = Box<Stop>;

impl From<Halt> for Stop {
    fn from(halt: Halt) -> Stop {
        *halt
    }
}

/// A numerical failure and where it happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// What went wrong.
    pub reason: Reason,
    /// The unknowns of the system it happened in, or the variable that is not finite.
    pub unknowns: Vec<VarId>,
    /// Largest residual and its value, for systems.
    pub residual: Option<(usize, f64)>,
}

/// A system without full rank that has solutions: one was chosen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Undetermined {
    /// What it is solved for.
    pub unknowns: Vec<VarId>,
    /// Those it leaves open.
    pub open: Vec<VarId>,
    /// When that was seen first.
    pub time: f64,
    /// In the initial problem?
    pub initial: bool,
}

/// A linear system whose solution depends on rounding errors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LostDigits {
    /// What it is solved for.
    pub unknowns: Vec<VarId>,
    /// When that was seen first.
    pub time: f64,
    /// The part of an unknown that rounding may have changed.
    pub error: f64,
}

/// What an assertion warned of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Warning {
    /// What it said the first time.
    pub text: String,
    /// Which it was first, if it is one of the model and not of a function.
    pub assertion: Option<AssertionId>,
    /// When that was.
    pub first: f64,
    /// When it came to be violated last.
    pub last: f64,
    /// How often it came to be violated.
    pub count: u32,
}

/// One run's memory.
#[derive(Clone, Debug)]
pub struct Machine {
    model: Arc<CompiledModel>,
    /// One number per variable.
    pub values: Vec<f64>,
    /// Values before the event.
    pub pre: Vec<f64>,
    /// The clock.
    pub time: f64,
    /// The clocks of the model.
    pub(crate) clocks: Clocks,
    /// Reinitialised states, in order.
    pub reinits: Vec<(VarId, f64)>,
    /// What `reinit` gave values to although it follows from other variables: it must come out so.
    pub(crate) promised: Vec<(VarId, f64)>,
    /// Warnings of assertions, each text once.
    pub warnings: Vec<Warning>,
    /// The values of [`Program::bounds`](kausal_translate::Program::bounds), lower and upper, once parameters have values.
    pub bounds: Vec<(f64, f64)>,
    /// Systems that did not determine all their unknowns, each set of these once.
    pub undetermined: Vec<Undetermined>,
    /// What is known of the digits of linear systems, by their place.
    digits: Vec<Option<Box<checked::Digits>>>,
    /// Counts.
    pub newton_iterations: u64,
    /// Newton iterations that did not converge at first.
    pub newton_failures: u64,
    /// The first event of the run is going on, in its first round.
    pub(crate) starting: bool,
    /// Evaluations in which a linear system was solved with pivoting because its guard tripped.
    pub pivot_fallbacks: u64,
    /// Since when all states are treated as stiff, where some were not at first.
    pub(crate) stiffer_since: Option<f64>,
    /// These values are looked at, by assertions, relations or whoever reads results: systems are solved to the last
    /// digit and not to the tolerance.
    pub(crate) exact: bool,
    /// Differences are taken of what is computed: the same in all evaluations.
    pub(crate) careful: bool,
    /// The states are not those of a solution but moved a little, for differences: equations without full rank may contradict
    /// each other there.
    pub(crate) disturbed: bool,
    /// What is computed is written down: it is looked at whether digits are lost.
    pub(crate) written: bool,
    /// Torn systems may lose digits.
    pub(crate) trusts: bool,
    /// The initial problem is not the actual one but on the way there: nothing is said about its solution.
    pub(crate) is_simplified: bool,
    /// Steps from the simplified initial problem to the actual one.
    pub(crate) homotopy_steps: u32,
    /// Nonlinear systems make one step each: relations follow before the next one.
    one_step: bool,
    /// Events and changes of states so far: systems may be on other branches after each of them.
    pub(crate) events: u64,
    /// The guard whose system is being solved with pivoting.
    pivoting: Option<usize>,
    /// The values before the rounds of a mixed system, while there are any: what systems without full rank leave where it
    /// was stays there, and not where a combination that was given up had put it.
    before_rounds: Vec<f64>,
    /// What the outermost of these systems gives values to: only that is kept.
    in_rounds: Option<Arc<[VarId]>>,
    /// How often a system without full rank had solutions and one was chosen.
    open_systems: u64,
    /// Searches one after the other that found no combination of relations that determines everything.
    fruitless: u32,
    /// Relations that have crossed zero at this event: each has the value it goes to.
    pub(crate) crossed: Vec<u32>,
    /// Those of them that left zero to the other side at once, on either side of it: the solution goes on elsewhere, not near here.
    pub(crate) folded: Vec<u32>,
    /// The differences of relations as they were before states were set anew at this event; empty where none was.
    pub(crate) located: Vec<f64>,
    /// Time events of this instant, with the slope of their relation.
    pub(crate) due: Vec<Option<f64>>,
    /// What relations of time change to at this instant, where that was found in advance.
    pub(crate) foreseen: Vec<Option<bool>>,
    /// The largest difference each relation has had.
    magnitudes: Vec<f64>,
    /// What the last digits of the states make of them.
    noises: Vec<f64>,
    scratch: Scratch,
    kernels: Vec<KernelSpace>,
    newtons: Vec<Option<NewtonSpace>>,
    /// Slopes of systems inside others, by their place among the nonlinear ones.
    inner_slopes: Vec<f64>,
    /// Iterations of the inlined step, one for each of its nonlinear systems that states are part of.
    chords: Vec<Option<Box<ChordSpace>>>,
    /// What the integrator asks of the step being taken.
    pub(crate) demand: Demand,
    guards: Vec<GuardSpace>,
    externals: Arc<StandardExternals>,
    pub(crate) calls: crate::function::Space,
    /// Arguments and results of a call.
    call_buffer: Vec<f64>,
    alarms: Vec<AlarmSpace>,
    /// Relations of what is not a number hold: all of them, or this one. Else they do not.
    pub(crate) supposed: Option<Option<u32>>,
    /// The assertion that was violated last is one that must hold all the time.
    pub(crate) left_domain: bool,
    /// What such a one said in this round of an event.
    pub(crate) violated: Option<Violated>,
    /// Parameters and start values of this run, where it has some of its own.
    pub(crate) applied: Option<Box<Applied>>,
    /// What it is given from outside.
    pub(crate) feed: Option<Box<Feed>>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct KernelSpace {
    factor: Option<KernelFactor>,
    matrix: Vec<f64>,
    rhs: Vec<f64>,
    factored: bool,
    /// Evaluations until the solution is looked at again; it is in the first one.
    unchecked: u32,
}

/// What is known of an assertion that warns.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct AlarmSpace {
    violated: bool,
    /// How often it came to be violated.
    count: u32,
    /// When it was last.
    last: f64,
    /// Its place among the warnings.
    said: usize,
}

#[derive(Clone, Debug)]
struct GuardSpace {
    /// What is guarded; absent while it is being evaluated. Taken out and put back it costs nothing, a count of owners
    /// would be felt in every evaluation of a small model.
    plan: Option<Arc<compiled_model::Guard>>,
    /// Evaluations until residuals are looked at again; they are in the first one.
    unchecked: u32,
    /// Digits were lost once: the system is solved with pivoting from then on.
    gave_up: bool,
    /// The last solution was the one with pivoting.
    fell_back: bool,
    /// The unknowns before a try: the guess of the other way.
    guess: Vec<f64>,
    /// The largest size that each pivot has had.
    largest: Vec<f64>,
}

impl GuardSpace {
    fn new(plan: &Arc<compiled_model::Guard>) -> GuardSpace {
        GuardSpace {
            guess: Vec::with_capacity(plan.unknowns.len()),
            largest: vec![0.0; plan.pivots.len()],
            plan: Some(plan.clone()),
            unchecked: 0,
            gave_up: false,
            fell_back: false,
        }
    }
}

/// What the integrator asks of an inlined step.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Demand {
    /// The factor of the derivatives.
    pub h: f64,
    /// How exactly, in units of the weights.
    pub tolerance: f64,
    /// Error weights of states.
    pub weights: Vec<f64>,
    /// The last correction of a system that ends the step may move states by their derivatives, and did so.
    pub may_predict: bool,
    pub predicted: bool,
    /// How many states the weighted norm is the mean of.
    pub states: usize,
    /// Relative error of other variables.
    pub relative: f64,
    /// See [`ChordRequest::most_iterations`].
    pub most_iterations: u32,
    /// See [`ChordRequest::persistence`].
    pub persistence: u32,
    /// See [`ChordRequest::finest`].
    pub finest: Option<f64>,
    /// The step is not solved but linearised.
    pub linearized: Option<Linearized>,
}

/// What is asked of iterations where a step is linearised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Linearized {
    /// The point is a solution, but for one correction: matrices are made there, and it is kept.
    AtPoint,
    /// One correction from there, with these matrices.
    Beside,
    /// None: is the solution found last one?
    Confirmed,
}

/// What runs the functions of a model.
fn externals(model: &CompiledModel, files: &RunFiles, interrupt: &Interrupt) -> Arc<StandardExternals> {
    let options = Options { permissions: model.permissions.for_run(files), ..Options::default() };
    let mut externals = StandardExternals::new(options).with_foreign(model.foreign.clone());
    externals.set_interrupt(interrupt);
    Arc::new(externals)
}

impl Machine {
    /// Memory for one run, with the values variables have before anything is computed.
    pub fn new(model: Arc<CompiledModel>) -> Machine {
        let values: Vec<f64> = model.program.variables.iter().map(|v| v.value).collect();
        let kernels = model.kernels.iter().map(kernel_space).collect();
        let scratch = model.code.scratch();
        let mut machine = Machine {
            pre: values.clone(),
            time: 0.0,
            clocks: Clocks::default(),
            reinits: Vec::new(),
            promised: Vec::new(),
            warnings: Vec::new(),
            bounds: Vec::new(),
            undetermined: Vec::new(),
            digits: vec![None; model.kernels.len()],
            newton_iterations: 0,
            newton_failures: 0,
            starting: false,
            pivot_fallbacks: 0,
            stiffer_since: None,
            exact: false,
            careful: false,
            disturbed: false,
            written: false,
            trusts: false,
            is_simplified: false,
            homotopy_steps: 0,
            one_step: false,
            events: 0,
            pivoting: None,
            before_rounds: values.clone(),
            in_rounds: None,
            open_systems: 0,
            fruitless: 0,
            crossed: Vec::new(),
            folded: Vec::new(),
            located: Vec::new(),
            values,
            due: vec![None; model.program.time_events.len()],
            foreseen: vec![None; model.program.relations.len()],
            magnitudes: vec![0.0; model.program.relations.len()],
            noises: vec![0.0; model.program.relations.len()],
            scratch,
            kernels,
            newtons: Vec::new(),
            inner_slopes: Vec::new(),
            chords: Vec::new(),
            demand: Demand::default(),
            guards: model.guards.iter().map(GuardSpace::new).collect(),
            externals: externals(&model, &RunFiles::default(), &Interrupt::default()),
            calls: crate::function::Space::default(),
            call_buffer: vec![0.0; model.call_size],
            alarms: vec![AlarmSpace::default(); model.alarms],
            left_domain: false,
            supposed: None,
            violated: None,
            applied: None,
            feed: None,
            model,
        };
        machine.prepare_newton();
        machine.prepare_chords();
        machine
    }

    /// The step size or discrete variables have changed: matrices that were constant are not any more.
    pub(crate) fn forget_inlined_factors(&mut self) {
        let before = self.model.discretized.as_ref().map_or(usize::MAX, |inlined| inlined.before.kernels);
        self.kernels.iter_mut().skip(before).for_each(|k| k.factored = false);
    }

    /// A second memory with the same values, for what is computed beside the run.
    pub(crate) fn twin(&self) -> Machine {
        self.clone()
    }

    /// The model it runs.
    pub fn model(&self) -> &Arc<CompiledModel> {
        &self.model
    }

    /// Where functions write files from now on; what they have kept is forgotten. What they say and write can be asked for.
    pub(crate) fn set_files(&mut self, files: &RunFiles) -> Arc<StandardExternals> {
        self.externals = externals(&self.model, files, self.calls.interrupt());
        self.externals.clone()
    }

    /// The same, with what ends the run from outside.
    pub(crate) fn furnish(&mut self, files: &RunFiles, interrupt: &Interrupt) -> Arc<StandardExternals> {
        self.calls.set_interrupt(interrupt);
        self.set_files(files)
    }

    /// What functions have kept, as data.
    pub(crate) fn kept(&self) -> Result<Kept, NoData> {
        self.externals.keep()
    }

    /// Is the run to end?
    #[inline]
    pub(crate) fn is_interrupted(&self) -> bool {
        self.calls.interrupt().is_requested()
    }

    /// The value of a variable, aliases followed.
    pub fn value(&self, v: VarId) -> f64 {
        match self.model.program.variables[v.index()].kind {
            Kind::Alias(alias) if alias.negated => -self.values[alias.target.index()],
            Kind::Alias(alias) => self.values[alias.target.index()],
            _ => self.values[v.index()],
        }
    }

    /// What a variable holds that is declared `String`.
    pub fn text_of(&self, v: VarId) -> Option<String> {
        self.calls.text(&self.model.program.pool, self.value(v))
    }

    /// Gives a variable a value before anything is computed.
    pub(crate) fn preset(&mut self, v: VarId, value: f64) {
        for array in [&mut self.values, &mut self.pre, &mut self.before_rounds] {
            array[v.index()] = value;
        }
    }

    /// Parameters changed: constant matrices must be factorised again.
    pub fn forget_factors(&mut self) {
        self.kernels.iter_mut().for_each(|k| k.factored = false);
    }

    /// Executes steps.
    pub fn run(&mut self, steps: &[Exec], mode: Mode) -> Result<(), Stop> {
        self.execute(steps, mode).map_err(|halt| *halt)
    }

    /// The same for those that are called in every evaluation: what they give fits into a register. A larger one goes
    /// through memory at every return, and small models wait for it.
    pub(crate) fn execute(&mut self, steps: &[Exec], mode: Mode) -> Result<(), Halt> {
        for step in steps {
            // Most steps are code, and what is not called for in every evaluation would take registers from it.
            match step {
                Exec::Code(chunk) => self.code(*chunk),
                Exec::Guarded(steps, index) => self.guarded(steps, *index, mode)?,
                Exec::Mixed { continuous, .. } if mode == Mode::Continuous => {
                    self.execute(continuous, mode)?
                }
                _ => self.step(step, mode)?,
            }
        }
        Ok(())
    }

    #[inline(never)]
    fn step(&mut self, step: &Exec, mode: Mode) -> Result<(), Halt> {
        if self.is_interrupted() {
            return Err(Stop::Interrupted.into());
        }
        match step {
            Exec::Code(chunk) => self.code(*chunk),
            Exec::Call(call) => return self.call(call),
            Exec::Solve(index) => return self.solve(*index, mode),
            Exec::Guarded(steps, index) => return self.guarded(steps, *index, mode),
            Exec::Newton(index) if self.model.newtons[*index].inner => self.inner_newton(*index, mode)?,
            Exec::Newton(index) => match &self.model.discretized {
                Some(inlined) if *index >= inlined.before.newtons => {
                    let place = *index - inlined.before.newtons;
                    match self.chords[place] {
                        Some(_) => self.chord(*index, place)?,
                        None => self.newton(*index, mode)?,
                    }
                }
                _ => self.newton(*index, mode)?,
            },
            Exec::Mixed { continuous, relations, discrete, unknowns, written } => {
                return self.mixed(continuous, relations, discrete, unknowns, written, mode);
            }
            Exec::When(branches) => self.when(branches, mode)?,
            Exec::Reinit(variable, value) => {
                let value = self.number(*value);
                self.reinits.push((*variable, value));
            }
            Exec::Assert(condition, assert, alarm) => self.assert(*condition, assert, *alarm, mode)?,
            Exec::Relation(relation) => {
                self.relation(*relation, mode);
            }
            Exec::Terminate(message) => return Err(Stop::Terminate(self.text(*message)).into()),
            Exec::If(condition, yes, no) => {
                let branch = if self.number(*condition) != 0.0 { yes } else { no };
                return self.execute(branch, mode);
            }
        }
        Ok(())
    }

    fn code(&mut self, chunk: ChunkId) {
        let mut memory =
            Memory { values: &mut self.values, pre: &self.pre, time: self.time, scratch: &mut self.scratch };
        self.model.code.run(chunk, &mut memory);
    }

    /// Computes expressions into an array.
    pub fn evaluate(&mut self, chunk: ChunkId, out: &mut [f64]) {
        let mut memory =
            Memory { values: &mut self.values, pre: &self.pre, time: self.time, scratch: &mut self.scratch };
        self.model.code.evaluate(chunk, &mut memory, out);
    }

    fn number(&mut self, chunk: ChunkId) -> f64 {
        let mut out = [0.0];
        self.evaluate(chunk, &mut out);
        out[0]
    }

    fn call(&mut self, call: &compiled_model::Call) -> Result<(), Halt> {
        // As long as the largest call needs: nothing is allocated here.
        let mut buffer = std::mem::take(&mut self.call_buffer);
        let (args, results) = buffer.split_at_mut(call.count);
        let results = &mut results[..call.results];
        self.evaluate(call.args, args);
        let outcome = self.call_function(call.function, args, results);
        if outcome.is_ok() {
            for (slot, value) in call.outputs.iter().zip(results) {
                if let Some(v) = slot {
                    self.values[v.index()] = *value;
                }
            }
        }
        self.call_buffer = buffer;
        outcome
    }

    /// Calls a function with all its scalar arguments.
    pub(crate) fn call_function(
        &mut self,
        function: FunctionId,
        args: &[f64],
        results: &mut [f64],
    ) -> Result<(), Halt> {
        let (functions, pool) = (&self.model.functions, &self.model.program.pool);
        // It has nothing to warn of.
        if functions.call_code(function, args, results, &mut self.calls) {
            return Ok(());
        }
        let outcome = functions.call(pool, function, args, results, &self.externals, &mut self.calls);
        for warning in self.calls.warnings.drain(..).chain(self.externals.take_warnings()) {
            if !self.warnings.iter().any(|w| w.text == warning) {
                let first = self.time;
                self.warnings.push(Warning { text: warning, assertion: None, first, last: first, count: 1 });
            }
        }
        outcome.map_err(|message| match self.externals.crash() {
            _ if self.is_interrupted() => Halt::new(Stop::Interrupted),
            Some(crash) => Halt::new(Stop::Crash(crash)),
            None => Halt::new(Stop::Function(Some(function), message)),
        })
    }

    /// Calls a function that is none of the model's, such as a derivative of one of them; it warns of nothing.
    pub(crate) fn call_other(
        &self,
        functions: &crate::function::Functions,
        pool: &kausal_symbolic::Pool,
        function: FunctionId,
        args: &[f64],
        results: &mut [f64],
        space: &mut crate::function::Space,
    ) -> Result<(), String> {
        if functions.call_code(function, args, results, space) {
            return Ok(());
        }
        let outcome = functions.call(pool, function, args, results, &self.externals, space);
        space.warnings.clear();
        outcome
    }

    /// Initial conditions that were not needed must hold.
    pub fn check_initial(&mut self) -> Result<(), Stop> {
        const RELATIVE: f64 = 1e-6;
        const ABSOLUTE: f64 = 1e-9;
        let model = self.model.clone();
        let mut sides = vec![0.0; 2 * model.program.checks.len()];
        self.evaluate(model.checks, &mut sides);
        for (i, pair) in sides.chunks(2).enumerate() {
            let (l, r) = (pair[0], pair[1]);
            let off = (l - r).abs();
            if off.is_nan() || off > RELATIVE * l.abs().max(r.abs()) + ABSOLUTE {
                return Err(Stop::Contradiction(i, l, r));
            }
        }
        Ok(())
    }

    fn when(&mut self, branches: &[Branch], mode: Mode) -> Result<(), Stop> {
        for branch in branches {
            let rises = |v: &VarId| self.values[v.index()] != 0.0 && self.pre[v.index()] == 0.0;
            let fires = match mode {
                Mode::Initial => branch.initial,
                Mode::Event => branch.first && self.starting || branch.conditions.iter().any(rises),
                Mode::Continuous => false,
            };
            if fires {
                return self.run(&branch.steps, mode);
            }
        }
        Ok(())
    }

    fn assert(
        &mut self,
        condition: ChunkId,
        assert: &Assert,
        alarm: compiled_model::Alarm,
        mode: Mode,
    ) -> Result<(), Stop> {
        if self.is_simplified {
            return Ok(());
        }
        let watched = assert.holds.is_some_and(|v| self.values[v.index()] != 0.0);
        if watched || self.number(condition) != 0.0 {
            self.alarms[alarm.index].violated = false;
            return Ok(());
        }
        let which = Some(AssertionId { condition: assert.condition, message: assert.message });
        if !assert.warning {
            self.left_domain = alarm.standing;
            let violated = Violated { assertion: which, text: self.text(assert.message) };
            if alarm.standing && mode == Mode::Event {
                self.violated.get_or_insert(violated);
                return Ok(());
            }
            return Err(Stop::Assertion(violated));
        }
        let state = &mut self.alarms[alarm.index];
        if alarm.standing && state.violated {
            return Ok(());
        }
        state.violated = true;
        state.last = self.time;
        state.count += 1;
        if state.count == 1 {
            let message = self.text(assert.message);
            let said = self.warnings.iter().position(|w| w.text == message).unwrap_or_else(|| {
                let first = self.time;
                self.warnings.push(Warning { text: message, assertion: which, first, last: first, count: 1 });
                self.warnings.len() - 1
            });
            self.alarms[alarm.index].said = said;
        }
        Ok(())
    }

    /// Warnings so far; those of assertions that were violated again and again say how often.
    pub fn all_warnings(&self) -> Vec<Warning> {
        let mut all = self.warnings.clone();
        for (i, warning) in all.iter_mut().enumerate() {
            let alarms = self.alarms.iter().filter(|a| a.count > 0 && a.said == i);
            let (count, last) =
                alarms.fold((0, warning.last), |(n, last), a| (n + a.count, last.max(a.last)));
            (warning.count, warning.last) = (count.max(1), last);
        }
        all
    }
}

fn kernel_space(kernel: &Kernel) -> KernelSpace {
    KernelSpace {
        factor: kernel.factor(),
        matrix: vec![0.0; kernel.structure.entries()],
        rhs: vec![0.0; kernel.n],
        factored: false,
        unchecked: 0,
    }
}
