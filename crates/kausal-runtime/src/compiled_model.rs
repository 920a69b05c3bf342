//! The compiled model: steps with their straight-line parts as code.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};

use crate::foresight::Foresight;
use crate::function::Functions;
use crate::jacobian::Dependencies;
use crate::simulation::crossing::iterated;
use crate::simulation::relevance::{Relevance, held};
use crate::simulation::sensitivity::Differentiated;
use crate::tangent::Tangent;
use crate::tunable::{Premises, Stretch};
use kausal_codegen::{Backend, ChunkId, Code, Compiler, Error};
use kausal_external::Permissions;
use kausal_external::foreign::{self, Foreign, Packed};
use kausal_solver::linear::{Factor, Ldlt, Pattern, Singular, Structure};
use kausal_symbolic::function::layout::Layout;
use kausal_symbolic::function::{Body, Function, Term};
use kausal_symbolic::visit::Visitor;
use kausal_symbolic::{ExprId, FunctionId, Node, Op, Pool, VarId};
use kausal_translate::program::{self, Assert, Assign, Form, Iteration, Kind, SolveKind, Step};
use kausal_translate::{Program, flow};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

/// A program with machine code, ready to run; immutable and shared between threads.
#[derive(Debug)]
pub struct CompiledModel {
    /// What it was compiled from.
    pub program: Program,
    /// The code of all chunks.
    pub code: Code,
    /// See [`Program::parameters`].
    pub parameters: Vec<Exec>,
    /// See [`Program::initial`].
    pub initial: Vec<Exec>,
    /// See [`Program::dynamics`].
    pub dynamics: Vec<Exec>,
    /// See [`Program::outputs`].
    pub outputs: Vec<Exec>,
    /// See [`Program::discrete`].
    pub discrete: Vec<Exec>,
    /// See [`Program::discretized`].
    pub discretized: Option<Discretized>,
    /// See [`Program::clocks`]: the pieces of each base clock, with the clock they belong to.
    pub clocks: Vec<Vec<(u32, Vec<Exec>)>>,
    /// The initial problems of clocks with differential equations, by base clock and clock.
    pub clock_starts: Vec<Vec<Vec<Exec>>>,
    /// Units of base clocks, where they are expressions of parameters.
    pub clock_units: ChunkId,
    /// How many numbers [`CompiledModel::clock_units`] gives.
    pub clock_units_len: usize,
    /// Instants and slopes of time events, then starts and intervals of samples.
    pub schedule: ChunkId,
    /// How many numbers [`CompiledModel::schedule`] gives.
    pub schedule_len: usize,
    /// Delays and their maxima.
    pub delay_times: ChunkId,
    /// Positions and directions of transports.
    pub transport_flows: ChunkId,
    /// Their initial distributions: places, then values.
    pub transport_starts: ChunkId,
    /// The Jacobian of each of [`Program::state_sets`].
    pub state_sets: Vec<ChunkId>,
    /// Left and right sides of [`Program::checks`].
    pub checks: ChunkId,
    /// Kernels of linear systems: their shape.
    pub kernels: Vec<Kernel>,
    /// Nonlinear systems.
    pub newtons: Vec<Newton>,
    /// What straight-line solutions of linear systems are held against.
    pub guards: Vec<Arc<Guard>>,
    /// Derivatives of the dynamics, from the first Jacobian on.
    pub(crate) tangent: OnceLock<Option<Tangent>>,
    /// Derivatives of trajectories, by what was asked for last.
    pub(crate) differentiated: Mutex<VecDeque<Arc<Differentiated>>>,
    /// Which derivatives depend on which states, from the first run that asks on.
    pub(crate) dependencies: OnceLock<Option<(Pattern, Dependencies)>>,
    /// Functions that are called.
    pub functions: Functions,
    /// The systems that come before those of the dynamics.
    pub before_dynamics: Systems,
    /// What it was compiled for.
    pub backend: Backend,
    /// The most numbers a call has as arguments and results together.
    pub call_size: usize,
    /// How many assertions there are.
    pub alarms: usize,
    /// Integer parameters, and Integer variables that are computed.
    pub integers: Vec<VarId>,
    /// What the continuous part takes from elsewhere: states, and what changes at events only.
    pub(crate) held: Vec<VarId>,
    /// Who reads relations.
    pub(crate) relevance: Relevance,
    /// Which relations depend on the result of an iteration.
    pub(crate) iterated: Vec<bool>,
    /// What is known of the future.
    pub(crate) foresight: Foresight,
    /// What became of the assignments of [`Program::parameters`] and [`Program::initial`].
    pub(crate) stretches: [Vec<Stretch>; 2],
    /// What the translation has proven by the values of parameters, from the first run with other ones on.
    pub(crate) premises: OnceLock<Option<Premises>>,
    /// Functions that steps call.
    pub called: Vec<FunctionId>,
    /// Foreign code that functions may call, where the user has allowed it.
    pub foreign: Option<Arc<Foreign>>,
    /// What the model may read and change.
    pub permissions: Permissions,
}

/// The inlined step.
#[derive(Clone, Debug)]
pub struct Discretized {
    /// Computed when the step size or a discrete variable has changed.
    pub factors: Vec<Exec>,
    /// Computes states and derivatives.
    pub steps: Vec<Exec>,
    /// A single implicit step beside one with several stages.
    pub filter: Option<Box<Discretized>>,
    /// Computes the differences of relations after the steps; `None` where only the dynamics do.
    pub crossings: Option<Vec<Exec>>,
    /// The systems that come before its own.
    pub before: Systems,
}

/// A step that is executed.
#[derive(Clone, Debug)]
pub enum Exec {
    /// Straight-line code.
    Code(ChunkId),
    /// A function call.
    Call(Box<Call>),
    /// An index into [`CompiledModel::kernels`].
    Solve(usize),
    /// Steps with an index into [`CompiledModel::guards`].
    Guarded(Vec<Exec>, usize),
    /// An index into [`CompiledModel::newtons`].
    Newton(usize),
    /// Discrete unknowns iterated around a continuous part.
    Mixed {
        /// The continuous part.
        continuous: Vec<Exec>,
        /// Relations of the loop, by their place in the program.
        relations: Vec<u32>,
        /// Computes the other discrete unknowns anew.
        discrete: Vec<Exec>,
        /// Those.
        unknowns: Vec<VarId>,
        /// Everything that gets a value in here.
        written: Arc<[VarId]>,
    },
    /// The first branch that fires is executed.
    When(Vec<Branch>),
    /// `reinit(variable, value)`.
    Reinit(VarId, ChunkId),
    /// Condition and message.
    Assert(ChunkId, Box<Assert>, Alarm),
    /// A relation takes its value.
    Relation(u32),
    /// `terminate`.
    Terminate(ExprId),
    /// `if`.
    If(ChunkId, Vec<Exec>, Vec<Exec>),
}

/// A function call: arguments, function, where outputs go.
#[derive(Clone, Debug)]
pub struct Call {
    /// Computes the arguments.
    pub args: ChunkId,
    /// How many there are.
    pub count: usize,
    /// The function.
    pub function: FunctionId,
    /// How many numbers it gives.
    pub results: usize,
    /// Where the outputs go.
    pub outputs: Vec<Option<VarId>>,
}

/// A branch of a `when` clause.
#[derive(Clone, Debug)]
pub struct Branch {
    /// Fires when one of these becomes true.
    pub conditions: Vec<VarId>,
    /// Fires at the start.
    pub initial: bool,
    /// Fires in the first event.
    pub first: bool,
    /// What is done.
    pub steps: Vec<Exec>,
}

/// A linear system for a numerical solver.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Order of the matrix.
    pub n: usize,
    /// Dense column-major, or on a pattern.
    pub structure: Structure,
    /// Place in the values and variable of each entry.
    pub entries: Vec<(usize, VarId)>,
    /// Right sides.
    pub rhs: Vec<VarId>,
    /// Unknowns.
    pub unknowns: Vec<VarId>,
    /// Factorised once.
    pub constant: bool,
    /// The matrix is symmetric.
    pub symmetric: bool,
    /// The kernel with the same matrix whose factors serve both; itself, where there is none.
    pub factors_of: usize,
}

impl Kernel {
    /// Workspace for one run.
    pub(crate) fn factor(&self) -> Option<KernelFactor> {
        if self.symmetric {
            return Some(KernelFactor::Symmetric(Ldlt::new(self.n)));
        }
        Factor::new(&self.structure).ok().map(KernelFactor::General)
    }
}

/// The factors of a kernel's matrix.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum KernelFactor {
    General(Factor),
    Symmetric(Ldlt),
}

impl KernelFactor {
    pub fn factor(&mut self, values: &[f64]) -> Result<(), Singular> {
        match self {
            KernelFactor::General(factor) => factor.factor(values),
            KernelFactor::Symmetric(factor) => factor.factor(values),
        }
    }

    pub fn solve(&mut self, b: &mut [f64]) {
        match self {
            KernelFactor::General(factor) => factor.solve(b),
            KernelFactor::Symmetric(factor) => factor.solve(b),
        }
    }
}

/// See [`program::Guard`](kausal_translate::program::Guard).
#[derive(Clone, Debug)]
pub struct Guard {
    /// Divisors, each with what it is compared with.
    pub pivots: Vec<(VarId, VarId)>,
    /// Divisors that are sums, and the sizes of their terms.
    pub sums: Vec<(VarId, VarId)>,
    /// Computes residuals and sizes.
    pub check: Vec<Exec>,
    /// Residuals and the sizes of their terms.
    pub residuals: Vec<(VarId, VarId)>,
    /// Solves the system with pivoting.
    pub fallback: Vec<Exec>,
    /// What is solved for.
    pub unknowns: Vec<VarId>,
    /// Where the system is torn.
    pub torn: Vec<VarId>,
}

/// A nonlinear system.
#[derive(Clone, Debug)]
pub struct Newton {
    /// Iteration variables.
    pub unknowns: Vec<VarId>,
    /// All unknowns of the block.
    pub all: Vec<VarId>,
    /// Residuals.
    pub residuals: Vec<VarId>,
    /// Computes the residuals.
    pub steps: Vec<Exec>,
    /// Computes the entries of the Jacobian.
    pub jacobian: Option<(Vec<Exec>, Vec<(u32, u32, VarId)>)>,
    /// Where the Jacobian differs from zero, if it is large and mostly zero.
    pub pattern: Option<Pattern>,
    /// Derivatives of states by the iteration variable in a column, with the Jacobian.
    pub sensitivities: Vec<(VarId, u32, VarId)>,
    /// Its equations are made of pieces.
    pub has_kinks: bool,
    /// How the unknowns get better values.
    pub iteration: Iteration,
    /// It is solved in each evaluation of another one.
    pub inner: bool,
}

impl CompiledModel {
    /// Compiles a program.
    pub fn new(program: Program, backend: Backend) -> Result<CompiledModel, Error> {
        let (mut kernels, mut newtons, mut guards) = (Vec::new(), Vec::new(), Vec::new());
        let mut compiler = Compiler::new(&program.pool, backend);
        let mut lower = Lowering {
            pool: &program.pool,
            alarms: FxHashMap::default(),
            whens: 0,
            newtons_around: 0,
            compiler: &mut compiler,
            kernels: &mut kernels,
            newtons: &mut newtons,
            guards: &mut guards,
            shared_from: usize::MAX,
            relations: &program.relations,
            called: Vec::new(),
            call_size: 0,
        };
        let (parameters, of_parameters) = lower.section(&program.parameters)?;
        let (initial, of_initial) = lower.section(&program.initial)?;
        let before_dynamics = lower.count();
        let dynamics = lower.steps(&program.dynamics)?;
        let outputs = lower.steps(&program.outputs)?;
        let discrete = lower.steps(&program.discrete)?;
        let discretized = match &program.discretized {
            Some(inlined) => Some(lower.discretized(inlined)?),
            None => None,
        };
        let mut clocks = Vec::with_capacity(program.clocks.len());
        let mut clock_starts = Vec::with_capacity(program.clocks.len());
        for base in &program.clocks {
            let starts = base.clocks.iter().map(|clock| lower.steps(&clock.initial));
            clock_starts.push(starts.collect::<Result<Vec<_>, Error>>()?);
            let pieces = base.pieces.iter().map(|piece| Ok((piece.clock, lower.steps(&piece.steps)?)));
            clocks.push(pieces.collect::<Result<Vec<_>, Error>>()?);
        }
        let (mut called, call_size, alarms) = (lower.called, lower.call_size, lower.alarms.len());
        called.sort_unstable();
        called.dedup();
        let schedule: Vec<ExprId> = program
            .time_events
            .iter()
            .flat_map(|e| [e.instant, e.slope])
            .chain(program.samples.iter().flat_map(|s| [s.start, s.interval]))
            .collect();
        let schedule_len = schedule.len();
        let schedule = compiler.add_outputs(&schedule)?;
        let units = program.clocks.iter().filter_map(|base| match base.trigger {
            program::ClockTrigger::Periodic(interval) => Some(interval),
            program::ClockTrigger::Event { start_interval, .. } => start_interval,
            program::ClockTrigger::Varying { .. } => None,
        });
        let units: Vec<ExprId> = units.collect();
        let clock_units_len = units.len();
        let clock_units = compiler.add_outputs(&units)?;
        let delays: Vec<ExprId> = program.delays.iter().flat_map(|d| [d.delay, d.maximum]).collect();
        let delay_times = compiler.add_outputs(&delays)?;
        let flows: Vec<ExprId> = program.transports.iter().flat_map(|t| [t.position, t.forward]).collect();
        let transport_flows = compiler.add_outputs(&flows)?;
        let starts = program.transports.iter().flat_map(|t| t.points.iter().chain(&t.values));
        let transport_starts = compiler.add_outputs(&starts.copied().collect::<Vec<ExprId>>())?;
        let checks: Vec<ExprId> = program.checks.iter().flat_map(|c| [c.lhs, c.rhs]).collect();
        let checks = compiler.add_outputs(&checks)?;
        let mut state_sets = Vec::new();
        for set in &program.state_sets {
            state_sets.push(compiler.add_outputs(&set.jacobian)?);
        }
        let code = compiler.finish()?;
        let functions = Functions::new(&program.pool, &called, backend)?;
        let computed = |kind: Kind| matches!(kind, Kind::Parameter | Kind::Discrete | Kind::Algebraic);
        let variables = program.variables.iter().zip((0..).map(VarId));
        let integers =
            variables.filter(|(v, _)| v.is_integer() && computed(v.kind)).map(|(_, id)| id).collect();
        Ok(CompiledModel {
            held: held(&program),
            relevance: Relevance::new(&program),
            iterated: iterated(&program),
            foresight: Foresight::new(&program),
            program,
            code,
            parameters,
            initial,
            dynamics,
            outputs,
            discrete,
            discretized,
            clocks,
            clock_starts,
            clock_units,
            clock_units_len,
            schedule,
            schedule_len,
            delay_times,
            transport_flows,
            transport_starts,
            checks,
            state_sets,
            kernels,
            newtons,
            guards,
            stretches: [of_parameters, of_initial],
            premises: OnceLock::new(),
            tangent: OnceLock::new(),
            differentiated: Mutex::default(),
            dependencies: OnceLock::new(),
            functions,
            before_dynamics,
            backend,
            call_size,
            alarms,
            integers,
            called,
            foreign: None,
            permissions: Permissions::default(),
        })
    }

    /// The functions of others' code that a run may come to: those that steps call, what these call, their derivatives,
    /// and the destructors of the objects they make. Native versions are not among them.
    pub fn foreign_functions(&self) -> Vec<FunctionId> {
        self.reached(|function| foreign::is_foreign(function) || foreign::is_unsupported(function))
    }

    /// Compiles the foreign functions for a run elsewhere: files for one folder, none where there are no such functions.
    ///
    /// # Errors
    /// What the compiler says, or which library cannot be read.
    pub fn pack_foreign(&self) -> Result<Vec<Packed>, String> {
        let functions = self.foreign_functions();
        if functions.is_empty() {
            return Ok(Vec::new());
        }
        foreign::pack(&functions.iter().map(|&id| self.program.pool.function(id)).collect::<Vec<_>>())
    }

    /// Loads foreign functions that were packed, from the folder with their files. Whoever calls this has the user's word that they
    /// may run.
    ///
    /// # Errors
    /// Where they are not there, or not for this machine.
    pub fn unpack_foreign(&mut self, folder: &Path) -> Result<(), String> {
        let functions = self.foreign_functions();
        let functions: Vec<&Function> = functions.iter().map(|&id| self.program.pool.function(id)).collect();
        self.foreign = Some(Arc::new(Foreign::unpacked(&functions, folder)?));
        Ok(())
    }

    /// The functions in other languages that a run may come to, also those with native versions.
    pub fn external_functions(&self) -> Vec<FunctionId> {
        self.reached(|function| matches!(&function.body, Body::External(body) if body.language != "builtin"))
    }

    fn reached(&self, is_wanted: impl Fn(&Function) -> bool) -> Vec<FunctionId> {
        let pool = &self.program.pool;
        let mut open = self.called.clone();
        let mut seen: FxHashSet<FunctionId> = open.iter().copied().collect();
        let mut found = Vec::new();
        while let Some(id) = open.pop() {
            let function = pool.function(id);
            if is_wanted(function) {
                found.push(id);
            }
            let mut next: Vec<FunctionId> = function.notes.derivatives.iter().map(|d| d.function).collect();
            next.extend(function.terms.iter().filter_map(|term| match term {
                Term::Call(called, ..) => Some(*called),
                _ => None,
            }));
            if let Some(name) = function.notes.constructs.as_deref().map(foreign::destructor_name) {
                next.extend(pool.functions().filter(|(_, f)| f.name == name).map(|(id, _)| id));
            }
            open.extend(next.into_iter().filter(|&id| seen.insert(id)));
        }
        found.sort_unstable();
        found
    }
}

/// How many systems there are. All are numbered in the order of the steps, those inside others first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Systems {
    /// Linear ones.
    pub kernels: usize,
    /// Nonlinear ones.
    pub newtons: usize,
    /// Guarded ones.
    pub guards: usize,
}

impl Systems {
    /// Counts the systems of steps.
    pub(crate) fn skip(&mut self, steps: &[Step]) {
        for step in steps {
            match step {
                Step::Solve(_) => self.kernels += 1,
                Step::System(system) => match &system.form {
                    Form::Linear { steps, guard, .. } => {
                        self.skip(steps);
                        if let Some(guard) = guard {
                            self.skip(&guard.check);
                            self.skip(&guard.fallback);
                            self.guards += 1;
                        }
                    }
                    Form::Nonlinear(nonlinear) => {
                        self.skip(&nonlinear.steps);
                        if let Some(jacobian) = &nonlinear.jacobian {
                            self.skip(&jacobian.steps);
                        }
                        self.newtons += 1;
                    }
                    Form::Mixed { continuous, discrete, .. } => {
                        self.skip(continuous);
                        self.skip(discrete);
                    }
                },
                Step::When(when) => when.branches.iter().for_each(|branch| self.skip(&branch.steps)),
                Step::If(_, then, otherwise) => {
                    self.skip(then);
                    self.skip(otherwise);
                }
                _ => {}
            }
        }
    }
}

/// Which warning an assertion gives. The sections that look at one assertion share it.
#[derive(Clone, Copy, Debug)]
pub struct Alarm {
    /// Its place among those of a run.
    pub index: usize,
    /// The condition holds or does not all the time; otherwise it is looked at when a `when` clause fires.
    pub standing: bool,
}

struct Lowering<'a, 'p> {
    pool: &'p Pool,
    /// Assertions by condition and message, with their places.
    alarms: FxHashMap<(ExprId, ExprId), usize>,
    /// Within how many `when` clauses steps are lowered.
    whens: usize,
    /// Within how many nonlinear systems.
    newtons_around: usize,
    compiler: &'a mut Compiler<'p>,
    kernels: &'a mut Vec<Kernel>,
    newtons: &'a mut Vec<Newton>,
    guards: &'a mut Vec<Arc<Guard>>,
    /// Kernels from here on may share factors.
    shared_from: usize,
    relations: &'p [program::Relation],
    called: Vec<FunctionId>,
    call_size: usize,
}

impl Lowering<'_, '_> {
    /// The systems so far.
    fn count(&self) -> Systems {
        Systems { kernels: self.kernels.len(), newtons: self.newtons.len(), guards: self.guards.len() }
    }

    fn discretized(&mut self, inlined: &program::Discretized) -> Result<Discretized, Error> {
        let before = self.count();
        self.shared_from = before.kernels;
        let factors = self.steps(&inlined.factors)?;
        let steps = self.steps(&inlined.steps)?;
        let filter = match &inlined.filter {
            Some(filter) => Some(Box::new(self.discretized(filter)?)),
            None => None,
        };
        let crossings = match &inlined.crossings {
            Some(crossings) => Some(self.steps(crossings)?),
            None => None,
        };
        Ok(Discretized { factors, steps, filter, crossings, before })
    }

    /// What a step with all it contains gives values to.
    fn written(&self, step: &Step) -> Arc<[VarId]> {
        let mut all = FxHashSet::default();
        flow::writes(step, &mut all);
        for step in flow::nested([step]) {
            if let Step::System(system) = step
                && let Form::Mixed { relations, unknowns, .. } = &system.form
            {
                all.extend(relations.iter().map(|&r| self.relations[r as usize].variable));
                all.extend(unknowns);
            }
        }
        let mut all: Vec<VarId> = all.into_iter().collect();
        all.sort_unstable();
        all.into()
    }

    fn steps(&mut self, steps: &[Step]) -> Result<Vec<Exec>, Error> {
        Ok(self.section(steps)?.0)
    }

    /// The same, with what became of the assignments.
    fn section(&mut self, steps: &[Step]) -> Result<(Vec<Exec>, Vec<Stretch>), Error> {
        let (mut out, mut stretches) = (Vec::new(), Vec::new());
        let mut run: Vec<Assign> = Vec::new();
        let mut first = 0;
        for (i, step) in steps.iter().enumerate() {
            if run.is_empty() {
                first = i;
            }
            if let Step::Assign(assign) = step {
                run.push(*assign);
                continue;
            }
            // Closed forms are straight-line code as well, and join what is around them.
            if let Some(assigns) = straight_line(step) {
                run.extend(assigns);
                continue;
            }
            stretches.extend(self.flush(&mut run, &mut out)?.map(|chunk| Stretch::new(chunk, first..i)));
            self.step(step, &mut out)?;
        }
        stretches
            .extend(self.flush(&mut run, &mut out)?.map(|chunk| Stretch::new(chunk, first..steps.len())));
        Ok((out, stretches))
    }

    fn flush(&mut self, run: &mut Vec<Assign>, out: &mut Vec<Exec>) -> Result<Option<ChunkId>, Error> {
        if run.is_empty() {
            return Ok(None);
        }
        let chunk = self.compiler.add(run)?;
        out.push(Exec::Code(chunk));
        run.clear();
        Ok(Some(chunk))
    }

    fn step(&mut self, step: &Step, out: &mut Vec<Exec>) -> Result<(), Error> {
        match step {
            Step::Assign(assign) => out.push(Exec::Code(self.compiler.add(std::slice::from_ref(assign))?)),
            Step::Call(call) => {
                let results = results(self.pool, call);
                self.called.push(call.function);
                self.call_size = self.call_size.max(call.args.len() + results);
                out.push(Exec::Call(Box::new(Call {
                    args: self.compiler.add_outputs(&call.args)?,
                    count: call.args.len(),
                    function: call.function,
                    results,
                    outputs: call.outputs.clone(),
                })));
            }
            Step::Solve(solve) => {
                let n = solve.unknowns.len();
                let mut entries = Vec::new();
                let structure = if solve.kind == SolveKind::Sparse {
                    let at = |&(r, c, _): &(u32, u32, VarId)| (r as usize, c as usize);
                    let pattern = Pattern::new(n, solve.entries.iter().map(at));
                    for &(r, c, v) in &solve.entries {
                        let place = pattern.position(r as usize, c as usize).unwrap_or(usize::MAX);
                        entries.push((place, v));
                    }
                    Structure::Sparse(pattern)
                } else {
                    for &(r, c, v) in &solve.entries {
                        entries.push((c as usize * n + r as usize, v));
                        if solve.kind == SolveKind::Symmetric && r != c {
                            entries.push((r as usize * n + c as usize, v));
                        }
                    }
                    Structure::Dense(n)
                };
                let index = self.kernels.len();
                let symmetric = solve.kind == SolveKind::Symmetric;
                let same =
                    |k: &Kernel| k.constant && k.symmetric == symmetric && (k.n, &k.entries) == (n, &entries);
                // Columns of an inlined Jacobian are solutions with one matrix.
                let from = if solve.constant { self.shared_from } else { index };
                let earlier = self.kernels.iter().skip(from).position(same);
                self.kernels.push(Kernel {
                    factors_of: earlier.map_or(index, |k| from + k),
                    n,
                    structure,
                    entries,
                    rhs: solve.rhs.clone(),
                    unknowns: solve.unknowns.clone(),
                    constant: solve.constant,
                    symmetric,
                });
                out.push(Exec::Solve(index));
            }
            Step::System(system) => match &system.form {
                Form::Linear { steps, guard: Some(guard), .. } => {
                    let steps = self.steps(steps)?;
                    let check = self.steps(&guard.check)?;
                    let fallback = self.steps(&guard.fallback)?;
                    let (pivots, residuals) = (guard.pivots.clone(), guard.residuals.clone());
                    let unknowns = system.unknowns.clone();
                    let sums = guard.sums.clone();
                    let torn = system.tearing_variables.clone();
                    let guard = Guard { pivots, sums, check, residuals, fallback, unknowns, torn };
                    self.guards.push(Arc::new(guard));
                    out.push(Exec::Guarded(steps, self.guards.len() - 1));
                }
                Form::Linear { steps, guard: None, .. } => out.extend(self.steps(steps)?),
                Form::Nonlinear(nonlinear) => {
                    self.newtons_around += 1;
                    let steps = self.steps(&nonlinear.steps)?;
                    let jacobian = match &nonlinear.jacobian {
                        Some(jacobian) => Some((self.steps(&jacobian.steps)?, jacobian.entries.clone())),
                        None => None,
                    };
                    self.newtons_around -= 1;
                    self.newtons.push(Newton {
                        unknowns: nonlinear.unknowns.clone(),
                        all: system.unknowns.clone(),
                        residuals: nonlinear.residuals.clone(),
                        steps,
                        pattern: jacobian
                            .as_ref()
                            .and_then(|(_, entries)| sparse(nonlinear.unknowns.len(), entries)),
                        jacobian,
                        sensitivities: nonlinear
                            .jacobian
                            .as_ref()
                            .map_or_else(Vec::new, |jacobian| jacobian.sensitivities.clone()),
                        has_kinks: has_kinks(self.pool, &nonlinear.steps),
                        iteration: nonlinear.iteration,
                        inner: self.newtons_around > 0,
                    });
                    out.push(Exec::Newton(self.newtons.len() - 1));
                }
                Form::Mixed { continuous, relations, discrete, unknowns } => out.push(Exec::Mixed {
                    relations: relations.clone(),
                    continuous: self.steps(continuous)?,
                    discrete: self.steps(discrete)?,
                    unknowns: unknowns.clone(),
                    written: self.written(step),
                }),
            },
            Step::When(when) => {
                let mut branches = Vec::new();
                self.whens += 1;
                for branch in &when.branches {
                    branches.push(Branch {
                        conditions: branch.conditions.clone(),
                        initial: branch.initial,
                        first: branch.initial && when.acts,
                        steps: self.steps(&branch.steps)?,
                    });
                }
                self.whens -= 1;
                out.push(Exec::When(branches));
            }
            Step::Reinit(variable, value) => {
                out.push(Exec::Reinit(*variable, self.compiler.add_outputs(&[*value])?));
            }
            Step::Assert(assert) => {
                let condition = self.compiler.add_outputs(&[assert.condition])?;
                let next = self.alarms.len();
                let index = *self.alarms.entry((assert.condition, assert.message)).or_insert(next);
                let alarm = Alarm { index, standing: self.whens == 0 };
                out.push(Exec::Assert(condition, Box::new(assert.clone()), alarm));
            }
            Step::Relation(relation) => out.push(Exec::Relation(*relation)),
            Step::Terminate(message) => out.push(Exec::Terminate(*message)),
            Step::If(condition, yes, no) => {
                let condition = self.compiler.add_outputs(&[*condition])?;
                out.push(Exec::If(condition, self.steps(yes)?, self.steps(no)?));
            }
        }
        Ok(())
    }
}

/// The pattern of a Jacobian that is worth one: systems that are not torn are large, and each equation knows few unknowns.
fn sparse(n: usize, entries: &[(u32, u32, VarId)]) -> Option<Pattern> {
    /// Dense matrices up to this order are as quick.
    const SMALL: usize = 24;
    /// The part of the entries that may differ from zero.
    const FILLED: f64 = 0.2;
    let few = entries.len() as f64 <= FILLED * (n * n) as f64;
    (n > SMALL && few).then(|| Pattern::new(n, entries.iter().map(|&(r, c, _)| (r as usize, c as usize))))
}

/// Is something assigned by formulas whose pieces are not chosen by events?
fn has_kinks(pool: &Pool, steps: &[Step]) -> bool {
    let assigned: Vec<ExprId> = steps
        .iter()
        .filter_map(|step| match step {
            Step::Assign(assign) => Some(assign.value),
            _ => None,
        })
        .collect();
    Visitor::new().reachable(pool, &assigned).iter().any(|&id| {
        let ops = [Op::Less, Op::LessEqual, Op::Abs, Op::Min, Op::Max];
        matches!(pool.node(id), Node::Op(op, _) if ops.contains(&op))
    })
}

/// How many numbers a call gives.
pub(crate) fn results(pool: &Pool, call: &kausal_translate::program::Call) -> usize {
    Layout::of_outputs(pool.function(call.function)).map_or(call.outputs.len(), |layout| layout.len)
}

/// The assignments of a linear system that needs no kernel.
pub(crate) fn straight_line(step: &Step) -> Option<Vec<Assign>> {
    let Step::System(system) = step else { return None };
    let Form::Linear { steps, guard: None, .. } = &system.form else { return None };
    steps
        .iter()
        .map(|step| match step {
            Step::Assign(assign) => Some(*assign),
            _ => None,
        })
        .collect()
}
