//! One run's memory, and the execution of steps on it.

use std::sync::Arc;

use kausal_codegen::{ChunkId, Memory, Scratch};
use kausal_external::{Options, StandardExternals, Writing};
use kausal_solver::chord::{Chord, ChordRequest, ChordWork, StepSystem};
use kausal_solver::homotopy::{self, ContinuationOptions};
use kausal_solver::linear::{Structure, solve_deficient};
use kausal_solver::newton::{NewtonOptions, NonlinearSystem};
use kausal_solver::weights::norm;
use kausal_solver::{ModelError, Reason};
use kausal_symbolic::{FunctionId, VarId};
use kausal_translate::program::{Assert, Iteration, Kind};

use crate::image::{self, Branch, CompiledModel, Exec, Kernel, KernelFactor};

/// What a difference has at least lost to rounding, as a part of the largest one there was.
const ROUNDING: f64 = 1e-10;

/// A difference of numbers around one that is smaller than this is rounding.
const NOTHING: f64 = 1e-13;

/// Iteration variables of an inlined step that are neither states nor derivatives need this part of the exactness of
/// states: their errors reach these through the step size.
const NEAR: f64 = 0.01;

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
    Assertion(String),
    /// The model asked to end.
    Terminate(String),
    /// A function could not be evaluated.
    Function(String),
    /// An initial condition, by its place in the program's checks, contradicts the others: its two sides.
    Contradiction(usize, f64, f64),
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

/// One run's memory.
#[derive(Debug)]
pub struct Machine {
    model: Arc<CompiledModel>,
    /// One number per variable.
    pub values: Vec<f64>,
    /// Values before the event.
    pub pre: Vec<f64>,
    /// The clock.
    pub time: f64,
    /// Reinitialised states, in order.
    pub reinits: Vec<(VarId, f64)>,
    /// Warnings of assertions, each text once.
    pub warnings: Vec<String>,
    /// Counts.
    pub newton_iterations: u64,
    /// Newton iterations that did not converge at first.
    pub newton_failures: u64,
    /// Evaluations in which a linear system was solved with pivoting because its guard tripped.
    pub pivot_fallbacks: u64,
    /// These values are looked at, by assertions, relations or whoever reads results: systems are solved to the last
    /// digit and not to the tolerance.
    pub(crate) exact: bool,
    /// The guard whose system is being solved with pivoting.
    pivoting: Option<usize>,
    /// The values before the rounds of a mixed system, while there are any: what systems without full rank leave where it
    /// was stays there, and not where a combination that was given up had put it.
    before_rounds: Vec<f64>,
    /// Time events of this instant, with the slope of their relation.
    pub(crate) due: Vec<Option<f64>>,
    /// The largest difference each relation has had.
    magnitudes: Vec<f64>,
    scratch: Scratch,
    kernels: Vec<KernelSpace>,
    newtons: Vec<Option<NewtonSpace>>,
    /// Iterations of the inlined step, one for each of its nonlinear systems.
    chords: Vec<Option<ChordSpace>>,
    /// What the integrator asks of the step being taken.
    pub(crate) demand: Demand,
    guards: Vec<GuardSpace>,
    externals: StandardExternals,
    pub(crate) calls: crate::function::Space,
    /// Arguments and results of a call.
    call_buffer: Vec<f64>,
}

#[derive(Debug)]
struct KernelSpace {
    factor: Option<KernelFactor>,
    matrix: Vec<f64>,
    rhs: Vec<f64>,
    factored: bool,
}

#[derive(Clone, Debug, Default)]
struct GuardSpace {
    /// Evaluations since residuals were looked at.
    since: u32,
    /// Digits were lost once: the system is solved with pivoting from then on.
    gave_up: bool,
    /// The last solution was the one with pivoting.
    fell_back: bool,
    /// The unknowns before a try: the guess of the other way.
    guess: Vec<f64>,
}

/// What the integrator asks of an inlined step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Demand {
    /// The factor of the derivatives.
    pub h: f64,
    /// How exactly, in units of the weights.
    pub tolerance: f64,
    /// Error weights by variable; zero where none is known.
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
}

#[derive(Debug)]
struct ChordSpace {
    chord: Chord,
    z: Vec<f64>,
    weights: Vec<f64>,
    /// The states that it computes, and their values when they were marked.
    tracked: Vec<VarId>,
    marked: Vec<f64>,
    /// Derivatives of these, by their place, by iteration variables, as the last matrix had them, and by how much a
    /// correction moves them.
    sensitivities: Vec<(u32, u32, f64)>,
    /// Where the derivatives are.
    slots: Vec<VarId>,
    predicted: Vec<f64>,
}

#[derive(Debug)]
struct NewtonSpace {
    solver: kausal_solver::newton::Newton,
    x: Vec<f64>,
    start: Vec<f64>,
}

impl Machine {
    /// Memory for one run, with the values variables have before anything is computed.
    pub fn new(model: Arc<CompiledModel>) -> Machine {
        let values: Vec<f64> = model.program.variables.iter().map(|v| v.value).collect();
        let kernels = model.kernels.iter().map(kernel_space).collect();
        let scratch = model.code.scratch();
        let mut machine = Machine {
            pre: values.clone(),
            values,
            time: 0.0,
            reinits: Vec::new(),
            warnings: Vec::new(),
            newton_iterations: 0,
            newton_failures: 0,
            pivot_fallbacks: 0,
            exact: false,
            pivoting: None,
            before_rounds: Vec::new(),
            due: vec![None; model.program.time_events.len()],
            magnitudes: vec![0.0; model.program.relations.len()],
            scratch,
            kernels,
            newtons: Vec::new(),
            chords: Vec::new(),
            demand: Demand::default(),
            guards: vec![GuardSpace::default(); model.guards.len()],
            externals: StandardExternals::new(Options::default()),
            calls: crate::function::Space::default(),
            call_buffer: vec![0.0; model.call_size],
            model,
        };
        machine.prepare_newton();
        machine.prepare_chords();
        machine
    }

    /// Workspaces of the inlined step.
    fn prepare_chords(&mut self) {
        let model = self.model.clone();
        let Some(inlined) = &model.discretized else { return };
        let stages = model.program.discretized.iter().flat_map(|d| &d.stages).flat_map(|stage| &stage.states);
        let states: Vec<VarId> = model.program.states.iter().chain(stages).map(|s| s.variable).collect();
        for newton in &model.newtons[inlined.before.newtons..] {
            let n = newton.unknowns.len();
            let mut system = TornSystem { machine: self, newton, mode: Mode::Continuous, stop: None, pivoted: false };
            let chord = Chord::new(&mut system).ok();
            let tracked: Vec<VarId> = newton.all.iter().copied().filter(|v| states.contains(v)).collect();
            let marked = vec![0.0; tracked.len()];
            let place = |v: VarId| tracked.iter().position(|t| *t == v);
            let known = newton.sensitivities.iter();
            let sensitivities: Vec<(usize, u32, VarId)> =
                known.filter_map(|&(v, k, slot)| Some((place(v)?, k, slot))).collect();
            let space = chord.map(|chord| ChordSpace {
                slots: sensitivities.iter().map(|s| s.2).collect(),
                sensitivities: sensitivities.iter().map(|s| (s.0 as u32, s.1, 0.0)).collect(),
                predicted: vec![0.0; tracked.len()],
                chord,
                z: vec![0.0; n],
                weights: vec![0.0; n],
                tracked,
                marked,
            });
            self.chords.push(space);
        }
    }

    /// The iterations of the inlined step.
    pub(crate) fn chords(&mut self) -> impl Iterator<Item = &mut Chord> {
        self.chords.iter_mut().flatten().map(|space| &mut space.chord)
    }

    /// Work of these.
    pub(crate) fn chord_work(&self) -> ChordWork {
        let mut all = ChordWork::default();
        for work in self.chords.iter().flatten().map(|space| space.chord.work()) {
            all.iterations += work.iterations;
            all.residuals += work.residuals;
            all.jacobians += work.jacobians;
            all.failures += work.failures;
        }
        all
    }

    /// The step size or discrete variables have changed: matrices that were constant are not any more.
    pub(crate) fn forget_inlined_factors(&mut self) {
        let before = self.model.discretized.as_ref().map_or(usize::MAX, |inlined| inlined.before.kernels);
        self.kernels.iter_mut().skip(before).for_each(|k| k.factored = false);
    }

    /// Workspaces of nonlinear systems; none where the pattern is singular.
    fn prepare_newton(&mut self) {
        let model = self.model.clone();
        for newton in &model.newtons {
            if newton.iteration != Iteration::Newton {
                self.newtons.push(None);
                continue;
            }
            let n = newton.unknowns.len();
            let mut system = TornSystem { machine: self, newton, mode: Mode::Initial, stop: None, pivoted: false };
            let options = NewtonOptions { verify: newton.has_kinks, ..NewtonOptions::default() };
            let space = kausal_solver::newton::Newton::new(&mut system, options)
                .ok()
                .map(|solver| NewtonSpace { solver, x: vec![0.0; n], start: vec![0.0; n] });
            self.newtons.push(space);
        }
    }

    /// The model it runs.
    pub fn model(&self) -> &Arc<CompiledModel> {
        &self.model
    }

    /// Where functions may write files from now on; what they have kept is forgotten.
    pub fn set_writing(&mut self, write: Writing) {
        self.externals = StandardExternals::new(Options { write, ..Options::default() });
    }

    /// The value of a variable, aliases followed.
    pub fn value(&self, v: VarId) -> f64 {
        match self.model.program.variables[v.index()].kind {
            Kind::Alias(alias) if alias.negated => -self.values[alias.target.index()],
            Kind::Alias(alias) => self.values[alias.target.index()],
            _ => self.values[v.index()],
        }
    }

    /// Parameters changed: constant matrices must be factorised again.
    pub fn forget_factors(&mut self) {
        self.kernels.iter_mut().for_each(|k| k.factored = false);
    }

    /// Executes steps.
    pub fn run(&mut self, steps: &[Exec], mode: Mode) -> Result<(), Stop> {
        for step in steps {
            self.step(step, mode)?;
        }
        Ok(())
    }

    fn step(&mut self, step: &Exec, mode: Mode) -> Result<(), Stop> {
        match step {
            Exec::Code(chunk) => self.code(*chunk),
            Exec::Call(call) => return self.call(call),
            Exec::Solve(index) => return self.solve(*index, mode),
            Exec::Guarded(steps, index) => return self.guarded(steps, *index, mode),
            Exec::Newton(index) => {
                return match &self.model.discretized {
                    Some(inlined) if *index >= inlined.before.newtons => {
                        self.chord(*index, *index - inlined.before.newtons)
                    }
                    _ => self.newton(*index, mode),
                };
            }
            Exec::Mixed { continuous, relations, discrete, unknowns } => {
                return self.mixed(continuous, relations, discrete, unknowns, mode);
            }
            Exec::When(branches) => return self.when(branches, mode),
            Exec::Reinit(variable, value) => {
                let value = self.number(*value);
                self.reinits.push((*variable, value));
            }
            Exec::Assert(condition, assert) => return self.assert(*condition, assert),
            Exec::Relation(relation) => {
                self.relation(*relation, mode);
            }
            Exec::Terminate(message) => return Err(Stop::Terminate(self.text(*message))),
            Exec::If(condition, yes, no) => {
                let branch = if self.number(*condition) != 0.0 { yes } else { no };
                return self.run(branch, mode);
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

    fn call(&mut self, call: &image::Call) -> Result<(), Stop> {
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
    ) -> Result<(), Stop> {
        let (functions, pool) = (&self.model.functions, &self.model.program.pool);
        let outcome = functions.call(pool, function, args, results, &self.externals, &mut self.calls);
        for warning in self.calls.warnings.drain(..) {
            if !self.warnings.contains(&warning) {
                self.warnings.push(warning);
            }
        }
        outcome.map_err(Stop::Function)
    }

    fn solve(&mut self, index: usize, mode: Mode) -> Result<(), Stop> {
        let model = self.model.clone();
        let kernel: &Kernel = &model.kernels[index];
        let space = &mut self.kernels[index];
        let Some(factor) = &mut space.factor else { return self.solve_deficient(index, mode) };
        if !(kernel.constant && space.factored) {
            space.matrix.fill(0.0);
            for &(place, v) in &kernel.entries {
                space.matrix[place] += self.values[v.index()];
            }
            space.factored = factor.factor(&space.matrix).is_ok();
            if !space.factored {
                return self.solve_deficient(index, mode);
            }
        }
        for (b, v) in space.rhs.iter_mut().zip(&kernel.rhs) {
            *b = self.values[v.index()];
        }
        factor.solve(&mut space.rhs);
        for (x, v) in space.rhs.iter().zip(&kernel.unknowns) {
            self.values[v.index()] = *x;
        }
        Ok(())
    }

    /// A linear system without full rank: what it does not determine stays as near as can be to the values it has. At
    /// the start states are what is looked for, so they move first; what the system is torn at is what guesses are for,
    /// and moves last. Equations that contradict each other are an error.
    fn solve_deficient(&mut self, index: usize, mode: Mode) -> Result<(), Stop> {
        const LARGEST: usize = 400;
        const STATES_FIRST: f64 = 1e6;
        const TORN_LAST: f64 = 1e-6;
        /// Values this part of their nominal ones are as good as zero when equations are added up.
        const SMALL: f64 = 1e-3;
        let model = self.model.clone();
        let kernel: &Kernel = &model.kernels[index];
        let n = kernel.n;
        let failed = |residual| {
            let (reason, unknowns) = (Reason::SingularMatrix, kernel.unknowns.clone());
            Stop::Failed(Failure { reason, unknowns, residual })
        };
        if n > LARGEST {
            return Err(failed(None));
        }
        let mut a = vec![0.0; n * n];
        match &kernel.structure {
            Structure::Dense(_) => {
                for &(place, v) in &kernel.entries {
                    a[place] += self.values[v.index()];
                }
            }
            Structure::Sparse(pattern) => {
                let places: Vec<(usize, usize)> = pattern.iter().collect();
                for &(place, v) in &kernel.entries {
                    let (i, j) = places[place];
                    a[i + n * j] += self.values[v.index()];
                }
            }
        }
        let had = if self.before_rounds.is_empty() { &self.values } else { &self.before_rounds };
        let guess: Vec<f64> = kernel
            .unknowns
            .iter()
            .map(|v| Some(had[v.index()]).filter(|x| x.is_finite()).unwrap_or(0.0))
            .collect();
        let mut r: Vec<f64> = kernel.rhs.iter().map(|v| self.values[v.index()]).collect();
        if a.iter().chain(&r).any(|v| !v.is_finite()) {
            let (reason, unknowns) = (Reason::NotFinite, kernel.unknowns.clone());
            return Err(Stop::Failed(Failure { reason, unknowns, residual: None }));
        }
        let nominal = |j: usize| model.program.variables[kernel.unknowns[j].index()].nominal;
        let mut magnitude: Vec<f64> = r.iter().map(|b| b.abs()).collect();
        for i in 0..n {
            for j in 0..n {
                let term = a[i + n * j] * guess[j];
                r[i] -= term;
                magnitude[i] += term.abs() + SMALL * a[i + n * j].abs() * nominal(j);
            }
        }
        let torn: &[VarId] = self.pivoting.map_or(&[], |guard| &model.guards[guard].torn);
        let weight: Vec<f64> = kernel
            .unknowns
            .iter()
            .zip(&guess)
            .map(|(v, x)| {
                let var = &model.program.variables[v.index()];
                let first = mode == Mode::Initial && var.kind == Kind::State;
                let last = mode == Mode::Initial && torn.contains(v);
                let part = if first { STATES_FIRST } else { 1.0 } * if last { TORN_LAST } else { 1.0 };
                x.abs().max(var.nominal) * part
            })
            .collect();
        let found = solve_deficient(&mut a, &mut r, &magnitude, &weight);
        if found.contradiction.is_some() {
            return Err(failed(found.contradiction));
        }
        for ((v, d), x) in kernel.unknowns.iter().zip(&r).zip(&guess) {
            self.values[v.index()] = x + d;
        }
        self.warn_undetermined(&kernel.unknowns);
        Ok(())
    }

    fn warn_undetermined(&mut self, unknowns: &[VarId]) {
        const SHOWN: usize = 8;
        let variables = &self.model.program.variables;
        let mut names: Vec<&str> =
            unknowns.iter().take(SHOWN).map(|v| variables[v.index()].name.as_str()).collect();
        if unknowns.len() > SHOWN {
            names.push("…");
        }
        let message = format!(
            "the equations for {} do not determine them all: they stay as near as can be to the values they had",
            names.join(", ")
        );
        if !self.warnings.contains(&message) {
            self.warnings.push(message);
        }
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

    /// A straight-line solution, and the one with pivoting where a divisor is too small or digits are lost.
    fn guarded(&mut self, steps: &[Exec], index: usize, mode: Mode) -> Result<(), Stop> {
        use kausal_translate::program::Guard;
        let model = self.model.clone();
        let guard = &model.guards[index];
        if !self.guards[index].gave_up {
            self.guards[index].fell_back = false;
            let guess = &mut self.guards[index].guess;
            guess.clear();
            guess.extend(guard.unknowns.iter().map(|v| self.values[v.index()]));
            match self.run(steps, mode) {
                Ok(()) => {}
                Err(Stop::Failed(_)) => return self.pivoting(index, mode),
                Err(stop) => return Err(stop),
            }
            let value = |v: VarId| self.values[v.index()];
            let holds = |&(p, reference): &(VarId, VarId)| {
                let p = value(p);
                p.is_finite() && p != 0.0 && p.abs() >= Guard::TINY * value(reference).abs()
            };
            if !guard.pivots.iter().all(holds) {
                return self.pivoting(index, mode);
            }
            let space = &mut self.guards[index];
            space.since += 1;
            if mode == Mode::Continuous && space.since < Guard::OFTEN {
                return Ok(());
            }
            space.since = 0;
            self.run(&guard.check, mode)?;
            let value = |v: VarId| self.values[v.index()];
            // Where all terms of an equation are nearly zero, what is left of them is the rounding of the others.
            let largest = guard.residuals.iter().fold(0.0, |most: f64, &(_, size)| most.max(value(size)));
            let rounding = Guard::ROUNDING * largest;
            let solved = guard
                .residuals
                .iter()
                .all(|&(r, size)| value(r).abs() <= (Guard::LOST * value(size)).max(rounding));
            if solved && guard.sums.iter().all(|&(p, size)| value(p).abs() >= Guard::CANCELLED * value(size))
            {
                return Ok(());
            }
            self.guards[index].gave_up = true;
            return self.pivoting(index, mode);
        }
        self.guards[index].guess.clear();
        self.pivoting(index, mode)
    }

    /// Was a guarded system solved with pivoting the last time?
    pub(crate) fn fell_back(&self, guard: usize) -> bool {
        self.guards[guard].fell_back
    }

    fn pivoting(&mut self, index: usize, mode: Mode) -> Result<(), Stop> {
        self.pivot_fallbacks += 1;
        self.guards[index].fell_back = true;
        let model = self.model.clone();
        let guard = &model.guards[index];
        for (v, guess) in guard.unknowns.iter().zip(&self.guards[index].guess) {
            self.values[v.index()] = *guess;
        }
        let outer = self.pivoting.replace(index);
        let outcome = self.run(&guard.fallback, mode);
        self.pivoting = outer;
        outcome
    }

    /// Solves a linear system again, with the factors it has and another right side.
    pub(crate) fn solve_again(&mut self, index: usize, fill: impl FnOnce(&[f64], &mut [f64])) {
        let space = &mut self.kernels[index];
        fill(&self.values, &mut space.rhs);
        match &mut space.factor {
            Some(factor) if space.factored => factor.solve(&mut space.rhs),
            _ => space.rhs.fill(f64::NAN),
        }
    }

    /// Puts the last solution of a linear system into slots.
    pub(crate) fn scatter(&mut self, index: usize, slots: &[VarId]) {
        for (x, slot) in self.kernels[index].rhs.iter().zip(slots) {
            self.values[slot.index()] = *x;
        }
    }

    /// Gives a relation its value; did it change? At an event it keeps the value it has where the difference is zero
    /// but for rounding: the event finder has put it on the side it goes to.
    fn relation(&mut self, index: u32, mode: Mode) -> bool {
        const SAME_INSTANT: f64 = 1e-11;
        let relation = self.model.program.relations[index as usize];
        let d = self.values[relation.difference.index()];
        let size = &mut self.magnitudes[index as usize];
        *size = size.max(d.abs());
        let rounding = self.rounding_of(index);
        let due = relation.timed.and_then(|event| self.due[event as usize]);
        let holds = match due {
            // At its own instant, but for rounding, a relation of time has the value it goes to.
            Some(slope) if d.abs() <= SAME_INSTANT * slope.abs() * self.time.abs().max(1e-3) => slope < 0.0,
            _ if mode == Mode::Event && d.abs() <= rounding && relation.timed.is_none() => {
                return false;
            }
            _ if relation.or_equal => d <= 0.0,
            _ => d < 0.0,
        };
        let new = f64::from(u8::from(holds));
        let value = &mut self.values[relation.variable.index()];
        let changed = *value != new;
        *value = new;
        changed
    }

    /// Has a relation the value its difference says? One that is zero but for rounding says nothing, at the start either.
    fn agrees(&mut self, index: u32, mode: Mode) -> bool {
        let relation = self.model.program.relations[index as usize];
        let d = self.values[relation.difference.index()];
        if mode == Mode::Initial && relation.timed.is_none() && d.abs() <= self.rounding_of(index) {
            return true;
        }
        !self.relation(index, mode)
    }

    /// Up to this magnitude the difference of a relation may be rounding.
    pub(crate) fn rounding_of(&self, relation: u32) -> f64 {
        (ROUNDING * self.magnitudes[relation as usize]).max(NOTHING)
    }

    /// The same for all relations, in order.
    pub(crate) fn roundings(&self) -> impl Iterator<Item = f64> + '_ {
        (0..self.magnitudes.len() as u32).map(|relation| self.rounding_of(relation))
    }

    /// Iterates relations and other discrete unknowns around the continuous part until nothing changes. At first
    /// all relations change at once. When that goes in circles, all combinations of a few relations are tried, those
    /// that change least first; of many, only the first one that differs changes per round (the least-index rule of
    /// K. G. Murty, *Note on a Bard-type scheme for solving the complementarity problem*, 1974).
    fn mixed(
        &mut self,
        continuous: &[Exec],
        relations: &[u32],
        discrete: &[Exec],
        unknowns: &[VarId],
        mode: Mode,
    ) -> Result<(), Stop> {
        if mode == Mode::Continuous {
            return self.run(continuous, mode);
        }
        let outermost = self.before_rounds.is_empty();
        if outermost {
            self.before_rounds.clone_from(&self.values);
        }
        let outcome = self.rounds(continuous, relations, discrete, unknowns, mode);
        if outermost {
            self.before_rounds.clear();
        }
        outcome
    }

    fn rounds(
        &mut self,
        continuous: &[Exec],
        relations: &[u32],
        discrete: &[Exec],
        unknowns: &[VarId],
        mode: Mode,
    ) -> Result<(), Stop> {
        const TOGETHER: usize = 20;
        const ROUNDS: usize = 1000;
        const FEW: usize = 12;
        let model = self.model.clone();
        let held: Vec<f64> = relations
            .iter()
            .map(|&r| self.values[model.program.relations[r as usize].variable.index()])
            .collect();
        for round in 0..ROUNDS {
            if round == TOGETHER && relations.len() <= FEW {
                if self.combinations(continuous, relations, discrete, unknowns, &held, mode)? {
                    return Ok(());
                }
                break;
            }
            let before: Vec<f64> = unknowns.iter().map(|v| self.values[v.index()]).collect();
            match self.run(continuous, mode) {
                Ok(()) => {}
                // What the relations say now has no solution: look for another combination.
                Err(Stop::Failed(failure)) if round < TOGETHER && relations.len() <= FEW => {
                    if self.combinations(continuous, relations, discrete, unknowns, &held, mode)? {
                        return Ok(());
                    }
                    return Err(Stop::Failed(failure));
                }
                Err(stop) => return Err(stop),
            }
            let mut changed = false;
            for &r in relations {
                if self.relation(r, mode) {
                    changed = true;
                    if round >= TOGETHER {
                        break;
                    }
                }
            }
            self.run(discrete, mode)?;
            changed |= unknowns.iter().zip(&before).any(|(v, old)| self.values[v.index()] != *old);
            if !changed {
                return Ok(());
            }
        }
        let relations = relations.iter().map(|&r| model.program.relations[r as usize].variable);
        Err(Stop::Failed(Failure {
            reason: Reason::NoConvergence,
            unknowns: unknowns.iter().copied().chain(relations).collect(),
            residual: None,
        }))
    }

    /// Tries combinations of relations, beginning with those nearest to what was held; was a consistent one found?
    fn combinations(
        &mut self,
        continuous: &[Exec],
        relations: &[u32],
        discrete: &[Exec],
        unknowns: &[VarId],
        held: &[f64],
        mode: Mode,
    ) -> Result<bool, Stop> {
        let model = self.model.clone();
        let mut masks: Vec<u32> = (0..1u32 << relations.len()).collect();
        masks.sort_by_key(|mask| mask.count_ones());
        for mask in masks {
            // What one combination led to is no guess for another.
            self.values.clone_from(&self.before_rounds);
            for (k, &r) in relations.iter().enumerate() {
                let flip = mask >> k & 1 == 1;
                let v = model.program.relations[r as usize].variable.index();
                self.values[v] = if flip { 1.0 - held[k] } else { held[k] };
            }
            // Twice: what is computed from relations and the continuous part together must come to rest as well.
            self.run(discrete, mode)?;
            match self.run(continuous, mode) {
                Ok(()) => {}
                // A combination that has no solution is not the one.
                Err(Stop::Failed(_)) => continue,
                Err(stop) => return Err(stop),
            }
            let before: Vec<f64> = unknowns.iter().map(|v| self.values[v.index()]).collect();
            self.run(discrete, mode)?;
            let settled = unknowns.iter().zip(&before).all(|(v, old)| self.values[v.index()] == *old);
            if settled && relations.iter().all(|&r| self.agrees(r, mode)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn when(&mut self, branches: &[Branch], mode: Mode) -> Result<(), Stop> {
        for branch in branches {
            let rises = |v: &VarId| self.values[v.index()] != 0.0 && self.pre[v.index()] == 0.0;
            let fires = match mode {
                Mode::Initial => branch.initial,
                Mode::Event => branch.conditions.iter().any(rises),
                Mode::Continuous => false,
            };
            if fires {
                return self.run(&branch.steps, mode);
            }
        }
        Ok(())
    }

    fn assert(&mut self, condition: ChunkId, assert: &Assert) -> Result<(), Stop> {
        if self.number(condition) != 0.0 {
            return Ok(());
        }
        let message = self.text(assert.message);
        if !assert.warning {
            return Err(Stop::Assertion(message));
        }
        if !self.warnings.contains(&message) {
            self.warnings.push(message);
        }
        Ok(())
    }

    /// The chord method on the iteration variables of an inlined step.
    fn chord(&mut self, index: usize, place: usize) -> Result<(), Stop> {
        let model = self.model.clone();
        let newton: &image::Newton = &model.newtons[index];
        let Some(mut space) = self.chords[place].take() else {
            return Err(singular(&newton.unknowns));
        };
        let Demand { h, tolerance, most_iterations, persistence, .. } = self.demand;
        for ((z, weight), v) in space.z.iter_mut().zip(&mut space.weights).zip(&newton.unknowns) {
            *z = self.values[v.index()];
            *weight = match self.demand.weights.get(v.index()) {
                Some(&weight) if weight > 0.0 => weight,
                // Neither a state nor a derivative: relative to its own size.
                _ => 1.0 / (self.demand.relative * z.abs().max(model.program.variables[v.index()].nominal)),
            };
        }
        let torn = TornSystem { machine: self, newton, mode: Mode::Continuous, stop: None, pivoted: false };
        let mut system = SteppingSystem {
            torn,
            sensitivities: &mut space.sensitivities,
            slots: &space.slots,
            predicted: &mut space.predicted,
            tracked: &space.tracked,
            marked: &mut space.marked,
            weights: &space.weights,
        };
        let request = ChordRequest { h, weights: &space.weights, tolerance, most_iterations, persistence };
        let outcome = space.chord.solve(&mut system, &request, &mut space.z);
        let stop = system.torn.stop.take();
        let outcome = outcome.map_err(|error| match error {
            ModelError::Recoverable(e) => Stop::Failed(Failure {
                reason: e.reason,
                unknowns: newton.unknowns.clone(),
                residual: space.chord.largest_residual(),
            }),
            ModelError::Fatal(e) => stop.unwrap_or_else(|| Stop::Function(e.to_string())),
        });
        self.chords[place] = Some(space);
        outcome
    }

    /// Newton's method on the iteration variables; homotopies where it fails.
    fn newton(&mut self, index: usize, mode: Mode) -> Result<(), Stop> {
        let model = self.model.clone();
        let newton: &image::Newton = &model.newtons[index];
        if newton.iteration != Iteration::Newton {
            return self.sweeps(newton, mode);
        }
        let Some(mut space) = self.newtons[index].take() else {
            return Err(singular(&newton.unknowns));
        };
        for (x, v) in space.x.iter_mut().zip(&newton.unknowns) {
            *x = self.values[v.index()];
        }
        space.start.copy_from_slice(&space.x);
        let exact = self.exact || mode != Mode::Continuous;
        let mut system = TornSystem { machine: self, newton, mode, stop: None, pivoted: false };
        let before = space.solver.work();
        let mut outcome = space.solver.solve(&mut system, &mut space.x).map(|_| ());
        if outcome.is_ok() && exact {
            space.start.copy_from_slice(&space.x);
            if space.solver.solve(&mut system, &mut space.x).is_err() {
                space.x.copy_from_slice(&space.start);
            }
        }
        if matches!(outcome, Err(ModelError::Recoverable(_))) {
            // Far from the solution a continuation may still lead there.
            space.x.copy_from_slice(&space.start);
            let options = ContinuationOptions::default();
            outcome =
                homotopy::solve(&mut system, &mut space.x, &options).map(|_| ()).map_err(|lost| lost.error);
        }
        let stop = system.stop.take();
        let outcome = match outcome {
            Ok(()) => {
                let x = std::mem::take(&mut space.x);
                let result = self.put(newton, &x, mode);
                space.x = x;
                result
            }
            Err(ModelError::Recoverable(e)) => {
                let report = space.solver.report();
                for (start, v) in space.start.iter().zip(&newton.unknowns) {
                    self.values[v.index()] = *start;
                }
                Err(Stop::Failed(Failure {
                    reason: e.reason,
                    unknowns: newton.unknowns.clone(),
                    residual: report.residuals.first().copied(),
                }))
            }
            Err(ModelError::Fatal(e)) => Err(stop.unwrap_or_else(|| Stop::Function(e.to_string()))),
        };
        let after = space.solver.work();
        self.newton_iterations += after.iterations - before.iterations;
        self.newton_failures += after.failures - before.failures;
        self.newtons[index] = Some(space);
        outcome
    }

    /// Successive substitution: sweep after sweep, until what the next ones would still change is small.
    fn sweeps(&mut self, newton: &image::Newton, mode: Mode) -> Result<(), Stop> {
        /// Relative to the iteration variables.
        const TOLERANCE: f64 = 1e-10;
        /// Changes are compared over so many sweeps to see how fast they shrink.
        const WINDOW: usize = 16;
        const SWEEPS: usize = 2_000_000;
        let nominals: Vec<f64> =
            newton.unknowns.iter().map(|v| self.model.program.variables[v.index()].nominal).collect();
        let start: Vec<f64> = newton.unknowns.iter().map(|v| self.values[v.index()]).collect();
        let mut changes = [f64::INFINITY; WINDOW];
        let mut reason = Reason::NoConvergence;
        for sweep in 0..SWEEPS {
            self.run(&newton.steps, mode)?;
            let mut change = 0.0f64;
            for ((v, r), nominal) in newton.unknowns.iter().zip(&newton.residuals).zip(&nominals) {
                let step = self.values[r.index()];
                let new = self.values[v.index()] + step;
                self.values[v.index()] = new;
                change = change.max(step.abs() / new.abs().max(*nominal));
                if !step.is_finite() {
                    change = f64::INFINITY;
                }
            }
            self.newton_iterations += 1;
            if change.is_infinite() {
                reason = Reason::NotFinite;
                break;
            }
            let before = std::mem::replace(&mut changes[sweep % WINDOW], change);
            // What is left is a geometric series.
            let rate = (change / before).powf(1.0 / WINDOW as f64);
            let left = if rate < 1.0 { change * rate / (1.0 - rate) } else { f64::INFINITY };
            if change == 0.0 || (sweep >= WINDOW && change.max(left) <= TOLERANCE) {
                // Everything else with the newest values.
                return self.run(&newton.steps, mode);
            }
        }
        self.newton_failures += 1;
        for (start, v) in start.iter().zip(&newton.unknowns) {
            self.values[v.index()] = *start;
        }
        Err(Stop::Failed(Failure { reason, unknowns: newton.unknowns.clone(), residual: None }))
    }

    /// Gives the iteration variables their values and computes what follows from them.
    fn put(&mut self, newton: &image::Newton, x: &[f64], mode: Mode) -> Result<(), Stop> {
        for (x, v) in x.iter().zip(&newton.unknowns) {
            self.values[v.index()] = *x;
        }
        self.run(&newton.steps, mode)
    }
}

/// A torn system as the solver sees it.
struct TornSystem<'a> {
    machine: &'a mut Machine,
    newton: &'a image::Newton,
    mode: Mode,
    stop: Option<Stop>,
    /// Linear systems were solved with pivoting where the Jacobian was evaluated last.
    pivoted: bool,
}

impl TornSystem<'_> {
    /// The Jacobian by differences of the residuals, which are known at `x`.
    fn differences(&mut self, x: &[f64], values: &mut [f64]) -> Result<(), ModelError> {
        let n = x.len();
        let residuals = &self.newton.residuals;
        let here: Vec<f64> = residuals.iter().map(|v| self.machine.values[v.index()]).collect();
        let (mut moved, mut there) = (x.to_vec(), vec![0.0; n]);
        for j in 0..n {
            moved[j] += f64::EPSILON.sqrt() * x[j].abs().max(self.nominal(j));
            self.residual(&moved, &mut there)?;
            for i in 0..n {
                values[j * n + i] = (there[i] - here[i]) / (moved[j] - x[j]);
            }
            moved[j] = x[j];
        }
        self.residual(x, &mut there)
    }

    fn failed(&mut self, stop: Stop) -> ModelError {
        match stop {
            Stop::Failed(failure) => ModelError::recoverable(failure.reason),
            // A domain error on the way need not be one at the solution.
            Stop::Assertion(_) | Stop::Function(_) => {
                self.stop = Some(stop);
                ModelError::recoverable(Reason::OutsideDomain)
            }
            Stop::Terminate(_) | Stop::Contradiction(..) => {
                self.stop = Some(stop);
                ModelError::fatal("the model ended the run")
            }
        }
    }
}

impl NonlinearSystem for TornSystem<'_> {
    fn n(&self) -> usize {
        self.newton.unknowns.len()
    }

    fn residual(&mut self, x: &[f64], r: &mut [f64]) -> Result<(), ModelError> {
        if let Err(stop) = self.machine.put(self.newton, x, self.mode) {
            return Err(self.failed(stop));
        }
        for (r, v) in r.iter_mut().zip(&self.newton.residuals) {
            *r = self.machine.values[v.index()];
        }
        Ok(())
    }

    fn has_jacobian(&self) -> bool {
        self.newton.jacobian.is_some()
    }

    fn jacobian(&mut self, x: &[f64], values: &mut [f64]) -> Result<(), ModelError> {
        let n = self.n();
        let newton = self.newton;
        let Some((steps, entries)) = &newton.jacobian else {
            return Err(ModelError::fatal("this system has no Jacobian"));
        };
        let fallbacks = self.machine.pivot_fallbacks;
        let mut computed = self.machine.put(newton, x, self.mode);
        // Derivatives of divisions that were not made mean nothing.
        self.pivoted = self.machine.pivot_fallbacks > fallbacks;
        if computed.is_ok() && self.pivoted {
            return self.differences(x, values);
        }
        if computed.is_ok() {
            computed = self.machine.run(steps, self.mode);
        }
        if let Err(stop) = computed {
            return Err(self.failed(stop));
        }
        values.fill(0.0);
        for &(r, c, v) in entries {
            values[c as usize * n + r as usize] += self.machine.values[v.index()];
        }
        Ok(())
    }

    fn nominal(&self, i: usize) -> f64 {
        self.machine.model.program.variables[self.newton.unknowns[i].index()].nominal
    }

    fn bounds(&self, i: usize) -> (f64, f64) {
        let var = &self.machine.model.program.variables[self.newton.unknowns[i].index()];
        (var.min, var.max)
    }
}

/// A torn system of an inlined step.
struct SteppingSystem<'a> {
    torn: TornSystem<'a>,
    tracked: &'a [VarId],
    marked: &'a mut [f64],
    sensitivities: &'a mut [(u32, u32, f64)],
    slots: &'a [VarId],
    predicted: &'a mut [f64],
    weights: &'a [f64],
}

impl NonlinearSystem for SteppingSystem<'_> {
    fn n(&self) -> usize {
        self.torn.n()
    }
    fn residual(&mut self, x: &[f64], r: &mut [f64]) -> Result<(), ModelError> {
        self.torn.residual(x, r)
    }
    fn has_jacobian(&self) -> bool {
        self.torn.has_jacobian()
    }
    fn jacobian(&mut self, x: &[f64], values: &mut [f64]) -> Result<(), ModelError> {
        self.torn.jacobian(x, values)?;
        // Not a number: nothing is predicted with it.
        let pivoted = self.torn.pivoted;
        for (entry, slot) in self.sensitivities.iter_mut().zip(self.slots) {
            entry.2 = if pivoted { f64::NAN } else { self.torn.machine.values[slot.index()] };
        }
        Ok(())
    }
}

impl SteppingSystem<'_> {
    /// States say how exact the step is; what is neither a state nor a derivative must at least come near.
    fn others(&self, correction: &[f64]) -> f64 {
        let mut sum = 0.0;
        for ((c, w), v) in correction.iter().zip(self.weights).zip(&self.torn.newton.unknowns) {
            if self.torn.machine.demand.weights[v.index()] == 0.0 {
                sum += (NEAR * c * w) * (NEAR * c * w);
            }
        }
        sum
    }
}

impl StepSystem for SteppingSystem<'_> {
    fn mark(&mut self) {
        for (marked, v) in self.marked.iter_mut().zip(self.tracked) {
            *marked = self.torn.machine.values[v.index()];
        }
    }

    fn predict(&mut self, correction: &[f64]) -> Option<f64> {
        let machine = &*self.torn.machine;
        if self.sensitivities.is_empty() || !machine.demand.may_predict {
            return None;
        }
        self.predicted.fill(0.0);
        for &(place, k, slope) in &*self.sensitivities {
            self.predicted[place as usize] += slope * correction[k as usize];
        }
        let mut sum = self.others(correction);
        for (change, v) in self.predicted.iter().zip(self.tracked) {
            let change = change * machine.demand.weights[v.index()];
            sum += change * change;
        }
        Some((sum / machine.demand.states as f64).sqrt()).filter(|size| size.is_finite())
    }

    fn finish(&mut self, z: &[f64]) {
        let machine = &mut *self.torn.machine;
        machine.demand.predicted = true;
        for (z, v) in z.iter().zip(&self.torn.newton.unknowns) {
            machine.values[v.index()] = *z;
        }
        for ((marked, change), v) in self.marked.iter().zip(self.predicted.iter()).zip(self.tracked) {
            machine.values[v.index()] = marked + change;
        }
    }

    fn change(&mut self, correction: &[f64]) -> f64 {
        let machine = &*self.torn.machine;
        if self.tracked.is_empty() {
            return norm(self.weights, correction);
        }
        let mut sum = self.others(correction);
        for (marked, v) in self.marked.iter_mut().zip(self.tracked) {
            let change = (machine.values[v.index()] - *marked) * machine.demand.weights[v.index()];
            sum += change * change;
            *marked = machine.values[v.index()];
        }
        (sum / machine.demand.states as f64).sqrt()
    }
}

/// The failure of a system without a unique solution.
pub(crate) fn singular(unknowns: &[VarId]) -> Stop {
    Stop::Failed(Failure { reason: Reason::SingularMatrix, unknowns: unknowns.to_vec(), residual: None })
}

fn kernel_space(kernel: &Kernel) -> KernelSpace {
    KernelSpace {
        factor: kernel.factor(),
        matrix: vec![0.0; kernel.structure.entries()],
        rhs: vec![0.0; kernel.n],
        factored: false,
    }
}
