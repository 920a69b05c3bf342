//! The Jacobian of the right-hand side by derivatives of the program, in forward mode.
//!
//! Every step of the dynamics has a step that carries derivatives along: straight-line code its tangent
//! ([`Compiler::add_tangent`]), a linear system `A x = b` the system `A dx = db - dA x` with the factors it has, a
//! nonlinear system `r(z, p) = 0` the system `r_z dz = -r_p dp` (the implicit function theorem). A call of a function
//! is differentiated along its direction by a difference of two calls; where matrices are what is asked for, by a call of its
//! derivative (a `derivative` annotation, or its algorithm differentiated; specification section 12.7), if it has one.
//!
//! One pass gives the sum of the columns of a group that share no row (Curtis, Powell and Reid 1974), so a Jacobian
//! costs as many passes as there are groups.
//!
//! Before a pass the dynamics have been evaluated at the same point: values and factors are those of the point.

use std::sync::Arc;

use kausal_codegen::{ChunkId, Code, Compiler, Error, Memory, Scratch};
use kausal_solver::linear::{DenseLu, Pattern, column_groups};
use kausal_symbolic::function::Scalar;
use kausal_symbolic::function::calls::Calls;
use kausal_symbolic::function::layout::Layout;
use kausal_symbolic::{ExprId, FunctionId, Pool, VarId};
use kausal_translate::program::{self, Assign, Form, SolveKind, Step};

use crate::compiled_model::{CompiledModel, Systems, straight_line};
use crate::function::{Functions, Space};
use crate::jacobian::Dependencies;
use crate::machine::{Machine, Mode, Stop};

/// Computes Jacobians of one run.
#[derive(Debug)]
pub(crate) struct Tangent {
    code: Arc<Code>,
    scratch: Scratch,
    steps: Vec<Pass>,
    /// Where the derivatives begin among the values, and how many there are.
    base: usize,
    count: usize,
    pattern: Pattern,
    groups: Vec<Vec<u32>>,
    /// The slots of derivatives of seeds, and of results.
    seeds: Vec<Option<VarId>>,
    results: Vec<Option<VarId>>,
    newtons: Vec<NewtonSpace>,
    buffer: Vec<f64>,
    derived: Option<Arc<Derived>>,
    space: Space,
}

/// Derivatives of functions.
#[derive(Debug)]
struct Derived {
    pool: Pool,
    functions: Functions,
}

/// A step of a pass.
#[derive(Clone, Debug)]
enum Pass {
    Code(ChunkId),
    Call(Box<CallPass>),
    /// The place of the system among the kernels of the model, and where its derivatives are.
    Solve(usize, Box<SolvePass>),
    /// The place among the nonlinear systems of the model, and among [`Tangent::newtons`].
    Newton(usize, usize, Box<NewtonPass>),
    /// The way a linear system is solved straight, and the way with pivoting: that which was taken.
    Guarded(usize, Vec<Pass>, Vec<Pass>),
    If(ChunkId, Vec<Pass>, Vec<Pass>),
}

#[derive(Clone, Debug)]
struct CallPass {
    function: FunctionId,
    args: ChunkId,
    directions: ChunkId,
    count: usize,
    results: usize,
    outputs: Vec<Option<VarId>>,
    exact: Option<Exact>,
}

/// How a call is differentiated by a call.
#[derive(Clone, Debug)]
struct Exact {
    function: FunctionId,
    /// The arguments whose rates it takes.
    rates: Vec<u32>,
    /// Per output of the call its place among the results.
    places: Vec<Option<u32>>,
    /// How many results there are.
    results: usize,
}

#[derive(Clone, Debug)]
struct SolvePass {
    /// Row, column and slot of the derivative of entries that have one.
    entries: Vec<(u32, u32, VarId)>,
    rhs: Vec<Option<VarId>>,
    unknowns: Vec<VarId>,
    /// Where the derivatives of the unknowns go.
    slots: Vec<VarId>,
}

#[derive(Clone, Debug)]
struct NewtonPass {
    unknowns: Vec<VarId>,
    residuals: Vec<Option<VarId>>,
    steps: Vec<Pass>,
}

#[derive(Clone, Debug)]
struct NewtonSpace {
    matrix: DenseLu,
    rhs: Vec<f64>,
    factored: bool,
}

impl Tangent {
    /// Compiles the derivatives of the dynamics by the states.
    pub fn new(
        model: &CompiledModel,
        dependencies: &Dependencies,
        pattern: Pattern,
    ) -> Result<Tangent, Error> {
        let program = &model.program;
        let seeds: Vec<VarId> = program.states.iter().map(|s| s.variable).collect();
        let results: Vec<VarId> = program.states.iter().map(|s| s.derivative).collect();
        // For Newton's iteration differences of calls are good enough, and cost no translation.
        let exact = false;
        Tangent::by(model, dependencies, pattern, &seeds, &results, &[&program.dynamics], exact)
    }

    /// Compiles derivatives of results by seeds, through the dynamics and the sections behind them. The pattern has a column for each
    /// seed and a row for each result, and may have more. Calls of functions are differentiated by their derivatives where that is
    /// asked for.
    pub fn by(
        model: &CompiledModel,
        dependencies: &Dependencies,
        pattern: Pattern,
        seeds: &[VarId],
        results: &[VarId],
        sections: &[&[Step]],
        exact: bool,
    ) -> Result<Tangent, Error> {
        let from = model.before_dynamics;
        Tangent::compile(model, dependencies, pattern, seeds, results, sections, exact, from)
    }

    /// Derivatives along directions only, through the dynamics and the sections behind them; see [`Tangent::along`].
    pub fn directed(
        model: &CompiledModel,
        dependencies: &Dependencies,
        seeds: &[VarId],
        results: &[VarId],
        sections: &[&[Step]],
    ) -> Result<Tangent, Error> {
        let pattern = Pattern::new(seeds.len().max(results.len()), []);
        Tangent::by(model, dependencies, pattern, seeds, results, sections, true)
    }

    /// The same through the sections that are executed once, from the first one on.
    pub fn at_start(
        model: &CompiledModel,
        dependencies: &Dependencies,
        seeds: &[VarId],
        results: &[VarId],
        sections: &[&[Step]],
    ) -> Result<Tangent, Error> {
        let pattern = Pattern::new(seeds.len().max(results.len()), []);
        let from = Systems::default();
        Tangent::compile(model, dependencies, pattern, seeds, results, sections, true, from)
    }

    #[allow(clippy::too_many_arguments)]
    fn compile(
        model: &CompiledModel,
        dependencies: &Dependencies,
        pattern: Pattern,
        seeds: &[VarId],
        results: &[VarId],
        sections: &[&[Step]],
        exact: bool,
        from: Systems,
    ) -> Result<Tangent, Error> {
        let program = &model.program;
        let base = program.variables.len();
        let mut count = 0;
        let active: Vec<Option<VarId>> = (0..base as u32)
            .map(|v| {
                (!dependencies.states(VarId(v)).is_empty()).then(|| {
                    count += 1;
                    VarId((base + count - 1) as u32)
                })
            })
            .collect();
        let mut lowering = Lowering {
            model,
            compiler: Compiler::new(&program.pool, model.backend),
            slots: active,
            next: from,
            spaces: Vec::new(),
            buffer: 0,
            calls: exact.then(Calls::new),
            pool: None,
            derived: Vec::new(),
        };
        let mut steps = Vec::new();
        for section in sections {
            steps.extend(lowering.steps(section)?);
        }
        let slot = |v: VarId| lowering.slots[v.index()];
        let seeds: Vec<Option<VarId>> = seeds.iter().map(|v| slot(*v)).collect();
        let results = results.iter().map(|v| slot(*v)).collect();
        let mut groups = column_groups(&pattern);
        groups.iter_mut().for_each(|group| group.retain(|j| (*j as usize) < seeds.len()));
        groups.retain(|group| !group.is_empty());
        let derived = match lowering.pool {
            Some(pool) if !lowering.derived.is_empty() => {
                let functions = Functions::new(&pool, &lowering.derived, model.backend)?;
                Some(Arc::new(Derived { pool, functions }))
            }
            _ => None,
        };
        let code = lowering.compiler.finish()?;
        Ok(Tangent {
            derived,
            space: Space::default(),
            scratch: code.scratch(),
            code: Arc::new(code),
            steps,
            base,
            count,
            groups,
            pattern,
            seeds,
            results,
            newtons: lowering.spaces,
            buffer: vec![0.0; lowering.buffer],
        })
    }

    /// The same for another run, with memory of its own.
    pub fn again(&self) -> Tangent {
        Tangent {
            code: self.code.clone(),
            scratch: self.code.scratch(),
            steps: self.steps.clone(),
            base: self.base,
            count: self.count,
            pattern: self.pattern.clone(),
            groups: self.groups.clone(),
            seeds: self.seeds.clone(),
            results: self.results.clone(),
            newtons: self.newtons.clone(),
            buffer: self.buffer.clone(),
            derived: self.derived.clone(),
            space: Space::default(),
        }
    }

    /// The Jacobian, on its pattern, where the dynamics were evaluated last.
    pub fn evaluate(&mut self, machine: &mut Machine, values: &mut [f64]) -> Result<(), Stop> {
        machine.values.resize(self.base + self.count, 0.0);
        self.newtons.iter_mut().for_each(|space| space.factored = false);
        let steps = std::mem::take(&mut self.steps);
        let groups = std::mem::take(&mut self.groups);
        let outcome = groups.iter().try_for_each(|group| self.group(machine, &steps, group, values));
        self.steps = steps;
        self.groups = groups;
        outcome
    }

    /// The derivative along a direction, of what was evaluated last.
    pub fn along(&mut self, machine: &mut Machine, direction: &[f64], out: &mut [f64]) -> Result<(), Stop> {
        self.forget();
        self.along_again(machine, direction, out)
    }

    /// What systems were factorised for is another point now.
    pub fn forget(&mut self) {
        self.newtons.iter_mut().for_each(|space| space.factored = false);
    }

    /// Along another direction at the same point.
    pub fn along_again(
        &mut self,
        machine: &mut Machine,
        direction: &[f64],
        out: &mut [f64],
    ) -> Result<(), Stop> {
        machine.values.resize(self.base + self.count, 0.0);
        for (seed, part) in self.seeds.iter().zip(direction) {
            if let Some(seed) = seed {
                machine.values[seed.index()] = *part;
            }
        }
        let steps = std::mem::take(&mut self.steps);
        let outcome = self.run(machine, &steps);
        self.steps = steps;
        for (value, slot) in out.iter_mut().zip(&self.results) {
            *value = slot.map_or(0.0, |slot| machine.values[slot.index()]);
        }
        outcome
    }

    fn group(
        &mut self,
        machine: &mut Machine,
        steps: &[Pass],
        group: &[u32],
        values: &mut [f64],
    ) -> Result<(), Stop> {
        for seed in self.seeds.iter().flatten() {
            machine.values[seed.index()] = 0.0;
        }
        for &j in group {
            if let Some(seed) = self.seeds[j as usize] {
                machine.values[seed.index()] = 1.0;
            }
        }
        self.run(machine, steps)?;
        for &j in group {
            let j = j as usize;
            for (value, &i) in values[self.pattern.range(j)].iter_mut().zip(self.pattern.column(j)) {
                *value = self.results[i as usize].map_or(0.0, |slot| machine.values[slot.index()]);
            }
        }
        Ok(())
    }

    fn run(&mut self, machine: &mut Machine, steps: &[Pass]) -> Result<(), Stop> {
        steps.iter().try_for_each(|step| self.step(machine, step))
    }

    fn step(&mut self, machine: &mut Machine, step: &Pass) -> Result<(), Stop> {
        match step {
            Pass::Code(chunk) => {
                self.evaluate_chunk(machine, *chunk, &mut []);
                Ok(())
            }
            Pass::Call(call) => self.call(machine, call),
            Pass::Solve(kernel, pass) => {
                solve(machine, *kernel, pass);
                Ok(())
            }
            Pass::Newton(newton, space, pass) => self.newton(machine, *newton, *space, pass),
            Pass::Guarded(guard, straight, fallback) => {
                self.run(machine, if machine.fell_back(*guard) { fallback } else { straight })
            }
            Pass::If(condition, then, otherwise) => {
                let mut holds = [0.0];
                self.evaluate_chunk(machine, *condition, &mut holds);
                self.run(machine, if holds[0] != 0.0 { then } else { otherwise })
            }
        }
    }

    fn evaluate_chunk(&mut self, machine: &mut Machine, chunk: ChunkId, out: &mut [f64]) {
        let time = machine.time;
        let Machine { values, pre, .. } = machine;
        let mut memory = Memory { values, pre, time, scratch: &mut self.scratch };
        self.code.evaluate(chunk, &mut memory, out);
    }

    /// The derivative of a function along a direction, by its derivative; was it found?
    fn call_exactly(&mut self, machine: &mut Machine, call: &CallPass, exact: &Exact) -> bool {
        let Some(derived) = self.derived.clone() else { return false };
        let count = call.count + exact.rates.len();
        let mut buffer = std::mem::take(&mut self.buffer);
        let (args, rest) = buffer.split_at_mut(count);
        let (direction, rest) = rest.split_at_mut(call.count);
        let results = &mut rest[..exact.results];
        self.evaluate_chunk(machine, call.args, &mut args[..call.count]);
        self.evaluate_chunk(machine, call.directions, direction);
        for (rate, &k) in args[call.count..].iter_mut().zip(&exact.rates) {
            *rate = direction[k as usize];
        }
        let done = machine.call_other(
            &derived.functions,
            &derived.pool,
            exact.function,
            args,
            results,
            &mut self.space,
        );
        let done = done.is_ok() && results.iter().all(|value| value.is_finite());
        if done {
            for (slot, place) in call.outputs.iter().zip(&exact.places) {
                if let Some(slot) = slot {
                    machine.values[slot.index()] = place.map_or(0.0, |k| results[k as usize]);
                }
            }
        }
        self.buffer = buffer;
        done
    }

    /// The derivative of a function along a direction, by a difference. An argument outside the domain makes the other
    /// side do.
    fn call(&mut self, machine: &mut Machine, call: &CallPass) -> Result<(), Stop> {
        if let Some(exact) = &call.exact
            && self.call_exactly(machine, call, exact)
        {
            return Ok(());
        }
        let mut buffer = std::mem::take(&mut self.buffer);
        let (args, rest) = buffer.split_at_mut(call.count);
        let (direction, rest) = rest.split_at_mut(call.count);
        let (here, rest) = rest.split_at_mut(call.results);
        let there = &mut rest[..call.results];
        self.evaluate_chunk(machine, call.args, args);
        self.evaluate_chunk(machine, call.directions, direction);
        // The argument that moves most, in relation to its size, moves by the square root of the precision.
        let speed =
            args.iter().zip(&*direction).map(|(a, d)| d.abs() / a.abs().max(1e-3)).fold(0.0, f64::max);
        let mut outcome = Ok(());
        if speed > 0.0 && speed.is_finite() {
            let h = f64::EPSILON.sqrt() / speed;
            outcome = machine.call_function(call.function, args, here);
            for sign in [1.0, -1.0] {
                if outcome.is_err() {
                    break;
                }
                args.iter_mut().zip(&*direction).for_each(|(a, d)| *a += sign * h * d);
                let moved = machine.call_function(call.function, args, there);
                args.iter_mut().zip(&*direction).for_each(|(a, d)| *a -= sign * h * d);
                match moved {
                    Ok(()) => {
                        there.iter_mut().zip(&*here).for_each(|(y, y0)| *y = sign * (*y - y0) / h);
                        break;
                    }
                    Err(stop) if sign < 0.0 => outcome = Err(stop),
                    Err(_) => {}
                }
            }
        } else {
            there.fill(0.0);
        }
        if outcome.is_ok() {
            for (slot, derivative) in call.outputs.iter().zip(there) {
                if let Some(slot) = slot {
                    machine.values[slot.index()] = *derivative;
                }
            }
        }
        self.buffer = buffer;
        outcome.map_err(Stop::from)
    }

    fn newton(
        &mut self,
        machine: &mut Machine,
        newton: usize,
        space: usize,
        pass: &NewtonPass,
    ) -> Result<(), Stop> {
        let n = pass.unknowns.len();
        if !self.newtons[space].factored {
            self.residual_jacobian(machine, newton, space, pass)?;
        }
        pass.unknowns.iter().for_each(|v| machine.values[v.index()] = 0.0);
        self.run(machine, &pass.steps)?;
        let own = &mut self.newtons[space];
        for (b, slot) in own.rhs.iter_mut().zip(&pass.residuals) {
            *b = slot.map_or(0.0, |slot| -machine.values[slot.index()]);
        }
        own.matrix.solve(&mut own.rhs[..n]);
        for (x, v) in own.rhs.iter().zip(&pass.unknowns) {
            machine.values[v.index()] = *x;
        }
        self.run(machine, &pass.steps)
    }

    /// The derivatives of the residuals by the unknowns, factorised: those of the model if it has them, else a pass per
    /// unknown. What the system depends on from outside has derivatives by the states, which are left as they are.
    fn residual_jacobian(
        &mut self,
        machine: &mut Machine,
        newton: usize,
        space: usize,
        pass: &NewtonPass,
    ) -> Result<(), Stop> {
        let n = pass.unknowns.len();
        let model = machine.model().clone();
        if let Some((steps, entries)) = &model.newtons[newton].jacobian {
            machine.run(steps, Mode::Continuous)?;
            let matrix = self.newtons[space].matrix.matrix_mut();
            matrix.fill(0.0);
            for &(r, c, v) in entries {
                matrix[c as usize * n + r as usize] += machine.values[v.index()];
            }
        } else {
            // With all unknowns at rest, and with one of them moving: the difference is its column.
            pass.unknowns.iter().for_each(|v| machine.values[v.index()] = 0.0);
            self.run(machine, &pass.steps)?;
            let number = |machine: &Machine, slot: &Option<VarId>| {
                slot.map_or(0.0, |slot| machine.values[slot.index()])
            };
            let rest: Vec<f64> = pass.residuals.iter().map(|slot| number(machine, slot)).collect();
            for (j, v) in pass.unknowns.iter().enumerate() {
                machine.values[v.index()] = 1.0;
                self.run(machine, &pass.steps)?;
                machine.values[v.index()] = 0.0;
                let matrix = self.newtons[space].matrix.matrix_mut();
                for (i, (slot, rest)) in pass.residuals.iter().zip(&rest).enumerate() {
                    matrix[j * n + i] = number(machine, slot) - rest;
                }
            }
        }
        let own = &mut self.newtons[space];
        own.factored = true;
        own.matrix.factor_in_place().map_err(|_| crate::machine::singular(&model.newtons[newton].unknowns))
    }
}

/// `A dx = db - dA x`, with the factors of the model.
fn solve(machine: &mut Machine, kernel: usize, pass: &SolvePass) {
    machine.solve_again(kernel, |values, b| {
        for (b, slot) in b.iter_mut().zip(&pass.rhs) {
            *b = slot.map_or(0.0, |slot| values[slot.index()]);
        }
        for &(r, c, slot) in &pass.entries {
            b[r as usize] -= values[slot.index()] * values[pass.unknowns[c as usize].index()];
        }
    });
    machine.scatter(kernel, &pass.slots);
}

struct Lowering<'p> {
    model: &'p CompiledModel,
    compiler: Compiler<'p>,
    slots: Vec<Option<VarId>>,
    /// The numbers of the next systems of the model.
    next: Systems,
    spaces: Vec<NewtonSpace>,
    buffer: usize,
    /// Where calls are differentiated by calls.
    calls: Option<Calls>,
    /// The expressions of the program, with the derivatives of its functions.
    pool: Option<Pool>,
    /// Those that are called.
    derived: Vec<FunctionId>,
}

impl Lowering<'_> {
    fn slot(&self, v: VarId) -> Option<VarId> {
        self.slots[v.index()]
    }

    fn steps(&mut self, steps: &[Step]) -> Result<Vec<Pass>, Error> {
        let mut out = Vec::new();
        let mut run: Vec<Assign> = Vec::new();
        for step in steps {
            match step {
                Step::Assign(assign) => run.push(*assign),
                step => match straight_line(step) {
                    Some(assigns) => run.extend(assigns),
                    None => {
                        self.flush(&mut run, &mut out)?;
                        self.step(step, &mut out)?;
                    }
                },
            }
        }
        self.flush(&mut run, &mut out)?;
        Ok(out)
    }

    /// The derivative of a function along the direction in which the arguments of a call move. None where there is none, and for
    /// functions of texts, which belong to the run.
    fn exact(&mut self, call: &program::Call) -> Option<Exact> {
        let calls = self.calls.as_mut()?;
        let own = &self.model.program.pool;
        let inputs = Layout::of_inputs(own.function(call.function))?;
        let outputs = Layout::of_outputs(own.function(call.function))?;
        if call.impure
            || call.args.len() != inputs.len
            || inputs.entries.iter().any(|e| e.scalar == Scalar::String)
        {
            return None;
        }
        let slots = &self.slots;
        let moves = |arg: &ExprId| own.contains_any(*arg, |v| slots[v.index()].is_some());
        let moving: Vec<bool> = inputs
            .entries
            .iter()
            .map(|e| e.scalar == Scalar::Real && call.args[e.offset..e.offset + e.len].iter().any(moves))
            .collect();
        let pool = self.pool.get_or_insert_with(|| own.clone());
        let (function, passed) = calls.directional_function(pool, call.function, &moving).ok()?;
        let rates =
            passed.iter().filter_map(|&k| inputs.entries.get(k)).flat_map(|e| e.offset..e.offset + e.len);
        let rates: Vec<u32> = rates.map(|k| k as u32).collect();
        let wanted = Layout::of_inputs(pool.function(function))?;
        let results = Layout::of_outputs(pool.function(function))?.len;
        let (mut places, mut next) = (vec![None; outputs.len], 0);
        for entry in outputs.entries.iter().filter(|e| e.scalar == Scalar::Real) {
            for place in &mut places[entry.offset..entry.offset + entry.len] {
                *place = Some(next);
                next += 1;
            }
        }
        if wanted.len != call.args.len() + rates.len() || results != next as usize {
            return None;
        }
        self.derived.push(function);
        Some(Exact { function, rates, places, results })
    }

    fn flush(&mut self, run: &mut Vec<Assign>, out: &mut Vec<Pass>) -> Result<(), Error> {
        if run.iter().any(|assign| self.slot(assign.variable).is_some()) {
            let slots = &self.slots;
            out.push(Pass::Code(self.compiler.add_tangent(run, &|v| slots[v.index()])?));
        }
        run.clear();
        Ok(())
    }

    fn step(&mut self, step: &Step, out: &mut Vec<Pass>) -> Result<(), Error> {
        match step {
            Step::Call(call) => {
                let outputs: Vec<Option<VarId>> =
                    call.outputs.iter().map(|v| v.and_then(|v| self.slot(v))).collect();
                if outputs.iter().all(Option::is_none) {
                    return Ok(());
                }
                let results = crate::compiled_model::results(&self.model.program.pool, call);
                let count = call.args.len();
                self.buffer = self.buffer.max(2 * (count + results));
                let args = self.compiler.add_outputs(&call.args)?;
                let slots = &self.slots;
                let directions = self.compiler.add_output_tangents(&call.args, &|v| slots[v.index()])?;
                let function = call.function;
                let exact = self.exact(call);
                if let Some(exact) = &exact {
                    self.buffer = self.buffer.max(2 * count + exact.rates.len() + exact.results);
                }
                out.push(Pass::Call(Box::new(CallPass {
                    function,
                    args,
                    directions,
                    count,
                    results,
                    outputs,
                    exact,
                })));
            }
            Step::Solve(solve) => {
                let kernel = self.next.kernels;
                self.next.kernels += 1;
                if self.model.kernels.get(kernel).map(|k| &k.unknowns) != Some(&solve.unknowns) {
                    return Err(Error::Unsupported("a linear system out of order".to_owned()));
                }
                let slots: Option<Vec<VarId>> = solve.unknowns.iter().map(|&v| self.slot(v)).collect();
                let Some(slots) = slots else { return Ok(()) };
                let mut entries = Vec::new();
                for &(r, c, v) in &solve.entries {
                    if let Some(slot) = self.slot(v) {
                        entries.push((r, c, slot));
                        if solve.kind == SolveKind::Symmetric && r != c {
                            entries.push((c, r, slot));
                        }
                    }
                }
                let rhs = solve.rhs.iter().map(|&v| self.slot(v)).collect();
                let unknowns = solve.unknowns.clone();
                out.push(Pass::Solve(kernel, Box::new(SolvePass { entries, rhs, unknowns, slots })));
            }
            Step::System(system) => match &system.form {
                Form::Linear { steps, guard: None, .. } => out.extend(self.steps(steps)?),
                Form::Linear { steps, guard: Some(guard), .. } => {
                    let steps = self.steps(steps)?;
                    self.next.skip(&guard.check);
                    let fallback = self.steps(&guard.fallback)?;
                    let index = self.next.guards;
                    self.next.guards += 1;
                    if self.model.guards.get(index).map(|g| &g.unknowns) != Some(&system.unknowns) {
                        return Err(Error::Unsupported("a guarded system out of order".to_owned()));
                    }
                    out.push(Pass::Guarded(index, steps, fallback));
                }
                Form::Nonlinear(nonlinear) => {
                    let steps = self.steps(&nonlinear.steps)?;
                    if let Some(jacobian) = &nonlinear.jacobian {
                        self.next.skip(&jacobian.steps);
                    }
                    let newton = self.next.newtons;
                    self.next.newtons += 1;
                    if self.model.newtons.get(newton).map(|k| &k.unknowns) != Some(&nonlinear.unknowns) {
                        return Err(Error::Unsupported("a nonlinear system out of order".to_owned()));
                    }
                    let unknowns: Option<Vec<VarId>> =
                        nonlinear.unknowns.iter().map(|&v| self.slot(v)).collect();
                    let Some(unknowns) = unknowns else { return Ok(()) };
                    let residuals = nonlinear.residuals.iter().map(|&v| self.slot(v)).collect();
                    let n = unknowns.len();
                    self.spaces.push(NewtonSpace {
                        matrix: DenseLu::new(n),
                        rhs: vec![0.0; n],
                        factored: false,
                    });
                    let pass = NewtonPass { unknowns, residuals, steps };
                    out.push(Pass::Newton(newton, self.spaces.len() - 1, Box::new(pass)));
                }
                Form::Mixed { continuous, discrete, .. } => {
                    out.extend(self.steps(continuous)?);
                    self.next.skip(discrete);
                }
            },
            Step::If(condition, then, otherwise) => {
                let condition = self.compiler.add_outputs(&[*condition])?;
                let (then, otherwise) = (self.steps(then)?, self.steps(otherwise)?);
                if !(then.is_empty() && otherwise.is_empty()) {
                    out.push(Pass::If(condition, then, otherwise));
                }
            }
            Step::When(when) => {
                for branch in &when.branches {
                    self.next.skip(&branch.steps);
                }
            }
            Step::Assign(_) | Step::Reinit(..) | Step::Assert(_) | Step::Relation(_) | Step::Terminate(_) => {
            }
        }
        Ok(())
    }
}
