//! Derivatives of functions (specification section 12.7).
//!
//! The derivative of a function `y = f(x, n)` is a function `dy = f'(x, n, dx)`: all inputs, then one more for each
//! real input, and one output for each real output. It comes from a `derivative` annotation, or else from the
//! algorithm: every real variable gets a companion, and every assignment is preceded by one to the companion. This
//! is forward differentiation, so loops, branches, recursion and arrays need nothing special.
//!
//! In expressions the derivative is used with unit directions, `f'(x, n, e_k)*dx_k` for each argument that changes:
//! this is linear in the rates for all to see, and partial derivatives share the same calls. Only if many arguments
//! change, one call gets all the rates.

use rustc_hash::FxHashMap;

use super::calls::Calls;
use super::derivative_terms::Terms;
use super::layout::{Layout, unflatten};
use super::routine::Routine;
use super::value::Value;
use super::{
    Body, DerivativeNote, Dim, EvalError, EvalErrorKind, Function, FunctionId, LocalId, Scalar, Stmt, Target,
    Term, TermId,
};
use crate::derivative::CallDerivative;
use crate::node::{ExprId, Op};
use crate::pool::Pool;

/// Up to so many rates that are not zero, the derivative is a sum of partial derivatives times rates.
const MAX_PARTIALS: usize = 4;

impl CallDerivative for Calls {
    fn partial(
        &mut self,
        pool: &mut Pool,
        function: FunctionId,
        args: &[ExprId],
        output: u32,
        input: u32,
    ) -> Option<ExprId> {
        let zero = pool.zero();
        let mut rates = vec![zero; args.len()];
        *rates.get_mut(input as usize)? = pool.one();
        self.call_derivative(pool, function, args, &rates, output)
    }

    fn directional(
        &mut self,
        pool: &mut Pool,
        function: FunctionId,
        args: &[ExprId],
        rates: &[ExprId],
        output: u32,
    ) -> Option<ExprId> {
        let layout = Layout::of_inputs(pool.function(function))?;
        let zero = pool.zero();
        let mut rates = rates.to_vec();
        for entry in layout.entries.iter().filter(|entry| entry.scalar != Scalar::Real) {
            rates.get_mut(entry.offset..entry.offset + entry.len)?.fill(zero);
        }
        let moving = rates.iter().filter(|&&rate| !pool.is_zero(rate)).count();
        if moving <= MAX_PARTIALS && !needs_all_rates(pool, function, moving) {
            let mut terms = Vec::with_capacity(moving);
            for (input, &rate) in rates.iter().enumerate() {
                if !pool.is_zero(rate) {
                    let partial = self.partial(pool, function, args, output, input as u32)?;
                    terms.push(pool.op(Op::Mul, &[partial, rate]));
                }
            }
            return Some(match terms[..] {
                [] => pool.zero(),
                [one] => one,
                _ => pool.op(Op::Add, &terms),
            });
        }
        self.call_derivative(pool, function, args, &rates, output)
    }
}

/// Some annotations want the rates as they are: those that hold along a motion only, and those with a second
/// derivative, which is given for the first one along the same motion. So many arguments change.
fn needs_all_rates(pool: &Pool, id: FunctionId, moving: usize) -> bool {
    let function = pool.function(id);
    function.notes.derivatives.iter().any(|note| {
        let real = |input: &LocalId| function.local(*input).scalar == Scalar::Real;
        let next = &pool.function(note.function).notes.derivatives;
        note.order > 1 || note.none.iter().any(real) || moving > 1 && next.iter().any(|note| note.order > 1)
    })
}

impl Calls {
    /// The derivative of one scalar output of a call when its arguments change with these rates: one call of the
    /// derivative function. `None` if there is none.
    fn call_derivative(
        &mut self,
        pool: &mut Pool,
        id: FunctionId,
        args: &[ExprId],
        rates: &[ExprId],
        output: u32,
    ) -> Option<ExprId> {
        let function = pool.function(id);
        let inputs = Layout::of_inputs(function)?;
        let outputs = Layout::of_outputs(function)?;
        let (result, element) = outputs.find(output as usize)?;
        if result.scalar != Scalar::Real || args.len() != inputs.len || rates.len() != inputs.len {
            return Some(pool.zero());
        }
        let real_before = outputs.entries.iter().take_while(|entry| entry.local != result.local);
        let number = real_before.filter(|entry| entry.scalar == Scalar::Real).count();
        let moving: Vec<bool> = inputs
            .entries
            .iter()
            .map(|entry| {
                entry.scalar == Scalar::Real
                    && rates[entry.offset..entry.offset + entry.len].iter().any(|&rate| !pool.is_zero(rate))
            })
            .collect();
        if moving.iter().all(|&moves| !moves) {
            return Some(pool.zero());
        }
        let mut values = unflatten(pool, &inputs, args)?;
        let rate_values = unflatten(pool, &inputs, rates)?;
        if let Some(rate) = self.second_derivative(pool, id, &values, &rate_values, number, element) {
            return Some(rate);
        }
        let functions: &Pool = pool;
        let chosen = choose(functions, id, &moving, |note| {
            note.order <= 1 || follows(functions, id, note, &values, &rate_values)
        });
        let derivative = match chosen {
            Some(Chosen { function, passed }) => {
                values.extend(passed.iter().map(|&k| rate_values[k].clone()));
                function
            }
            None => {
                let derivative = self.derivative_function(pool, id).ok()?;
                let real = |k: &usize| inputs.entries[*k].scalar == Scalar::Real;
                values.extend((0..values.len()).filter(real).map(|k| rate_values[k].clone()));
                derivative
            }
        };
        let outputs = self.keep(pool, derivative, &values).ok()?;
        outputs.get(number)?.scalars().get(element).copied()
    }

    /// The derivative of `f'(x, s)`, where `f'` is the derivative of a function of numbers `x` and has a second
    /// derivative `f''(x, dx, ddx)`, but `s` is not the rate of `x`. Both are linear in their last arguments, so it
    /// is `B(s, dx) + f'(x, ds)`, where `f''(x, v, 0) = B(v, v)` with a symmetric bilinear form `B`: where the same one
    /// of the numbers moves in both, `B` is `f''(x, e, 0)` times both speeds; otherwise
    /// `4*B(s, dx) = f''(x, s + dx, 0) - f''(x, s - dx, 0)`.
    fn second_derivative(
        &mut self,
        pool: &mut Pool,
        id: FunctionId,
        values: &[Value<ExprId>],
        rates: &[Value<ExprId>],
        number: usize,
        element: usize,
    ) -> Option<ExprId> {
        let function = pool.function(id);
        let note = function.notes.derivatives.iter().find(|note| note.order == 2)?.clone();
        if follows(pool, id, &note, values, rates) {
            return None;
        }
        let excluded = |input: &LocalId| note.zero.contains(input) || note.none.contains(input);
        let real: Vec<usize> =
            real_inputs(function).into_iter().filter(|&k| !excluded(&function.inputs[k])).collect();
        let count = real.len() / 2;
        if count == 0
            || real.len() != 2 * count
            || pool.function(note.function).inputs.len() != values.len() + count
        {
            return None;
        }
        let scalars = |from: &[Value<ExprId>], at: &[usize]| -> Option<Vec<ExprId>> {
            at.iter()
                .map(|&k| match from[k] {
                    Value::Scalar(value) => Some(value),
                    _ => None,
                })
                .collect()
        };
        let (x, s) = real.split_at(count);
        let (speeds, dx, ds) = (scalars(values, s)?, scalars(rates, x)?, scalars(rates, s)?);
        let mut call = |pool: &mut Pool, function: FunctionId, direction: &[ExprId]| -> Option<ExprId> {
            let mut args = values.to_vec();
            for (&k, &value) in s.iter().zip(direction) {
                args[k] = Value::Scalar(value);
            }
            if function != id {
                args.extend(std::iter::repeat_n(Value::Scalar(pool.zero()), count));
            }
            self.keep(pool, function, &args).ok()?.get(number)?.scalars().get(element).copied()
        };
        let mut terms = Vec::new();
        match (lone(pool, &speeds), lone(pool, &dx)) {
            (Lone::None, _) | (_, Lone::None) => {}
            (Lone::At(i), Lone::At(j)) if i == j => {
                let unit = unit(pool, count, i);
                let second = call(pool, note.function, &unit)?;
                terms.push(pool.op(Op::Mul, &[second, speeds[i], dx[i]]));
            }
            _ => {
                let pairs: Vec<(ExprId, ExprId)> = speeds.iter().copied().zip(dx.iter().copied()).collect();
                let sums: Vec<ExprId> = pairs.iter().map(|&(s, d)| pool.op(Op::Add, &[s, d])).collect();
                let differences: Vec<ExprId> = pairs.iter().map(|&(s, d)| pool.sub(s, d)).collect();
                let plus = call(pool, note.function, &sums)?;
                let minus = call(pool, note.function, &differences)?;
                let difference = pool.sub(plus, minus);
                let quarter = pool.constant(0.25);
                terms.push(pool.op(Op::Mul, &[quarter, difference]));
            }
        }
        match lone(pool, &ds) {
            Lone::None => {}
            Lone::At(i) => {
                let unit = unit(pool, count, i);
                let first = call(pool, id, &unit)?;
                terms.push(pool.op(Op::Mul, &[first, ds[i]]));
            }
            Lone::Several => terms.push(call(pool, id, &ds)?),
        }
        Some(match terms[..] {
            [] => pool.zero(),
            [one] => one,
            _ => pool.op(Op::Add, &terms),
        })
    }

    /// The function that computes the derivative of a function from its algorithm.
    ///
    /// Its inputs are all inputs and one more for each real input, in order; its outputs are one for each real
    /// output.
    pub fn derivative_function(&mut self, pool: &mut Pool, id: FunctionId) -> Result<FunctionId, EvalError> {
        if let Some(known) = self.derivatives.get(&id) {
            let name = || pool.function(id).name.clone();
            return known.ok_or_else(|| EvalErrorKind::NotDifferentiable(name()).into());
        }
        // A function that calls itself needs to know its derivative before it exists.
        let before: Vec<FunctionId> = self.derivatives.keys().copied().collect();
        let reserved = pool.add_function(Function::named(&format!("{}_der", pool.function(id).name)));
        self.derivatives.insert(id, Some(reserved));
        match differentiate(pool, self, id) {
            Ok(function) => {
                pool.set_function(reserved, function);
                Ok(reserved)
            }
            Err(error) => {
                // What was made meanwhile may call what now does not exist.
                self.derivatives.retain(|made, _| before.contains(made));
                self.derivatives.insert(id, None);
                Err(error)
            }
        }
    }

    /// The function that computes the derivative of a function along a direction in which these inputs move, and the places of the inputs
    /// whose rates it takes behind all inputs: that of a `derivative` annotation, or of the algorithm. Its outputs are one for each
    /// real output.
    pub fn directional_function(
        &mut self,
        pool: &mut Pool,
        id: FunctionId,
        moving: &[bool],
    ) -> Result<(FunctionId, Vec<usize>), EvalError> {
        // What an annotation does not take into account holds along a motion only; here it must not move.
        let place = |input: &LocalId| pool.function(id).input_position(*input);
        let rests = |input: &LocalId| place(input).is_none_or(|k| !moving.get(k).copied().unwrap_or(false));
        if let Some(chosen) = choose(pool, id, moving, |note| note.order <= 1 && note.none.iter().all(rests))
        {
            return Ok((chosen.function, chosen.passed));
        }
        let passed = real_inputs(pool.function(id));
        Ok((self.derivative_function(pool, id)?, passed))
    }

    /// `der(f, x, y)`: the partial derivative with respect to these inputs, one after the other
    /// (specification section 12.7.2). It has the inputs and the real outputs of `f`.
    pub fn partial_derivative_function(
        &mut self,
        pool: &mut Pool,
        id: FunctionId,
        inputs: &[LocalId],
    ) -> Result<FunctionId, EvalError> {
        let mut current = id;
        let places: Vec<usize> =
            inputs.iter().filter_map(|&input| pool.function(id).input_position(input)).collect();
        for place in places {
            let derivative = self.derivative_for_one(pool, current, place)?;
            current = pool.add_function(partial(pool, current, derivative, place)?);
        }
        Ok(current)
    }

    /// A derivative function that takes the rates of all real inputs, or of this one only.
    fn derivative_for_one(
        &mut self,
        pool: &mut Pool,
        id: FunctionId,
        place: usize,
    ) -> Result<Chosen, EvalError> {
        let function = pool.function(id);
        let moving: Vec<bool> = (0..function.inputs.len()).map(|k| k == place).collect();
        if let Some(chosen) = choose(pool, id, &moving, |note| note.order == 1 && note.none.is_empty()) {
            return Ok(chosen);
        }
        let passed = real_inputs(function);
        Ok(Chosen { function: self.derivative_function(pool, id)?, passed })
    }
}

/// Which of some speeds are not zero.
enum Lone {
    None,
    At(usize),
    Several,
}

fn lone(pool: &Pool, speeds: &[ExprId]) -> Lone {
    let mut places = (0..speeds.len()).filter(|&k| !pool.is_zero(speeds[k]));
    match (places.next(), places.next()) {
        (None, _) => Lone::None,
        (Some(at), None) => Lone::At(at),
        _ => Lone::Several,
    }
}

/// One along one direction, zero along all others.
fn unit(pool: &mut Pool, count: usize, at: usize) -> Vec<ExprId> {
    let (zero, one) = (pool.zero(), pool.one());
    (0..count).map(|k| if k == at { one } else { zero }).collect()
}

/// A derivative function, and the inputs whose rates it wants.
pub(super) struct Chosen {
    pub(super) function: FunctionId,
    pub(super) passed: Vec<usize>,
}

fn real_inputs(function: &Function) -> Vec<usize> {
    let real = |k: &usize| function.local(function.inputs[*k]).scalar == Scalar::Real;
    (0..function.inputs.len()).filter(real).collect()
}

/// The first `derivative` annotation that may be used when these inputs change.
pub(super) fn choose(
    pool: &Pool,
    id: FunctionId,
    moving: &[bool],
    allowed: impl Fn(&DerivativeNote) -> bool,
) -> Option<Chosen> {
    let function = pool.function(id);
    let place = |local: &LocalId| function.input_position(*local);
    for note in &function.notes.derivatives {
        let fixed = |local: &LocalId| place(local).is_none_or(|k| !moving.get(k).copied().unwrap_or(false));
        if !note.zero.iter().all(fixed) || !allowed(note) {
            continue;
        }
        let excluded = |k: &usize| {
            let input = &function.inputs[*k];
            note.zero.contains(input) || note.none.contains(input)
        };
        let mut passed: Vec<usize> = real_inputs(function).into_iter().filter(|k| !excluded(k)).collect();
        if note.order > 1 {
            // Only the rates of the highest derivatives are new: the last inputs of this function.
            let more = pool.function(note.function).inputs.len().saturating_sub(function.inputs.len());
            passed = passed.split_off(passed.len().saturating_sub(more));
        }
        let fits = pool.function(note.function).inputs.len() == function.inputs.len() + passed.len();
        let useful = passed.iter().any(|&k| moving.get(k).copied().unwrap_or(false)) || note.order > 1;
        if fits && useful {
            return Some(Chosen { function: note.function, passed });
        }
    }
    None
}

/// May an annotation of order n+1 be used here? It may, if this call is an nth derivative: if what it is given as
/// derivatives of its arguments are their derivatives.
fn follows(
    pool: &Pool,
    id: FunctionId,
    note: &DerivativeNote,
    values: &[Value<ExprId>],
    rates: &[Value<ExprId>],
) -> bool {
    let function = pool.function(id);
    let more = pool.function(note.function).inputs.len().saturating_sub(function.inputs.len());
    let excluded = |input: &LocalId| note.zero.contains(input) || note.none.contains(input);
    let real: Vec<usize> =
        real_inputs(function).into_iter().filter(|&k| !excluded(&function.inputs[k])).collect();
    // The real inputs are x, dx, d2x, …, each with `more` of them.
    more > 0
        && real.len().is_multiple_of(more)
        && real.len() / more == note.order as usize
        && (0..real.len() - more).all(|k| rates[real[k]] == values[real[k + more]])
}

/// The algorithm of a function, differentiated.
fn differentiate(pool: &mut Pool, calls: &mut Calls, id: FunctionId) -> Result<Function, EvalError> {
    let function = pool.function(id);
    let name = function.name.clone();
    let fail = |why: &str| EvalErrorKind::NotDifferentiable(format!("{name} {why}"));
    if function.notes.impure {
        return Err(fail("is impure").into());
    }
    let output = |called: FunctionId, number: u32| {
        let called = pool.get_function(called)?;
        super::evaluator::output_type(called, number)
    };
    let Routine { mut function, mut types, .. } = Routine::new(function, &output)?;
    let statements = match std::mem::take(&mut function.body) {
        Body::Algorithm(statements) => statements,
        Body::External(external) => {
            let op = external.builtin().ok_or_else(|| fail("is foreign and has no derivative"))?;
            let result = external.result.or(function.outputs.first().copied());
            let result = result.ok_or_else(|| fail("has no output"))?;
            let value = function.op(op, &external.args);
            types.push(super::typing::TermType { scalar: Scalar::Real, rank: Some(0) });
            vec![Stmt::assign(result, value)]
        }
    };
    let active = active_locals(&function, &statements);
    let mut companions = vec![None; function.locals.len()];
    let inputs = function.inputs.clone();
    for at in 0..companions.len() {
        let local = &function.locals[at];
        if active[at] && local.scalar == Scalar::Real {
            let (name, dims) = (format!("der_{}", local.name), local.dims.clone());
            companions[at] = Some(function.protected(&name, Scalar::Real, &dims));
        }
    }
    function.name.push_str("_der");
    function.inputs.extend(inputs.iter().filter_map(|input| companions[input.0 as usize]));
    let outputs = std::mem::take(&mut function.outputs);
    function.outputs = outputs.iter().filter_map(|output| companions[output.0 as usize]).collect();
    if function.outputs.is_empty() {
        return Err(fail("has no real output").into());
    }
    let locals = companions.len();
    let mut terms = Terms::new(pool, calls, function, types, companions);
    for at in 0..locals {
        terms.initial(LocalId(at as u32))?;
    }
    let mut body = Vec::new();
    Statements { terms: &mut terms }.block(&statements, &mut body)?;
    let mut function = terms.function;
    function.body = Body::Algorithm(body);
    function.notes = super::Notes {
        inline: function.notes.inline,
        late_inline: function.notes.late_inline,
        inline_after_index_reduction: function.notes.inline_after_index_reduction,
        smooth_order: function.notes.smooth_order.and_then(|order| order.checked_sub(1)),
        normally_constant: function.notes.normally_constant,
        ..super::Notes::default()
    };
    Ok(function)
}

/// The locals whose derivative may be other than zero. All real inputs and outputs count, and loops go round.
fn active_locals(function: &Function, statements: &[Stmt]) -> Vec<bool> {
    let mut active = vec![false; function.locals.len()];
    for local in function.inputs.iter().chain(&function.outputs) {
        active[local.0 as usize] = function.local(*local).scalar == Scalar::Real;
    }
    // What each assigned local may get its value from.
    let mut flows: Vec<(LocalId, Vec<LocalId>)> = Vec::new();
    let mut sources: FxHashMap<TermId, Vec<LocalId>> = FxHashMap::default();
    let mut read = |term: TermId| {
        let found = sources.entry(term).or_insert_with(|| {
            let mut locals = Vec::new();
            super::routine::locals_of(function, term, &mut locals);
            locals
        });
        found.clone()
    };
    for (at, local) in function.locals.iter().enumerate() {
        if let Some(initial) = local.initial {
            flows.push((LocalId(at as u32), read(initial)));
        }
    }
    for term in &function.terms {
        if let Term::For(_, _, iterators) = term {
            flows.extend(iterators.iter().map(|(local, range)| (*local, read(*range))));
        }
    }
    let mut stack: Vec<&[Stmt]> = vec![statements];
    while let Some(block) = stack.pop() {
        for statement in block {
            match statement {
                Stmt::Assign(_, value) | Stmt::AssignCall(_, value) | Stmt::For(_, value, _) => {
                    statement.for_each_local(&mut |local| flows.push((local, read(*value))));
                }
                _ => {}
            }
            stack.extend(statement.blocks());
        }
    }
    loop {
        let mut changed = false;
        for (local, from) in &flows {
            let at = local.0 as usize;
            if !active[at]
                && function.locals[at].scalar == Scalar::Real
                && from.iter().any(|source| active[source.0 as usize])
            {
                active[at] = true;
                changed = true;
            }
        }
        if !changed {
            return active;
        }
    }
}

/// Differentiates statements.
struct Statements<'t, 'p> {
    terms: &'t mut Terms<'p>,
}

impl Statements<'_, '_> {
    fn block(&mut self, statements: &[Stmt], out: &mut Vec<Stmt>) -> Result<(), EvalError> {
        for statement in statements {
            match statement {
                Stmt::Assign(target, value) => {
                    if let Some(companion) = self.terms.companion(target.local) {
                        let rate = self.terms.rate_or_zeros(*value)?;
                        out.push(Stmt::Assign(with_local(target, companion), rate));
                    }
                    out.push(statement.clone());
                }
                Stmt::AssignCall(targets, call) => self.call(statement, targets, *call, out)?,
                Stmt::If(branches, otherwise) => {
                    let mut derived = Vec::with_capacity(branches.len());
                    for (condition, body) in branches {
                        derived.push((*condition, self.inner(body)?));
                    }
                    out.push(Stmt::If(derived, self.inner(otherwise)?));
                }
                Stmt::While(condition, body) => out.push(Stmt::While(*condition, self.inner(body)?)),
                Stmt::For(local, range, body) => self.for_loop(*local, *range, body, out)?,
                Stmt::Call(call) => {
                    if self.terms.calls_impure(*call) {
                        let name = self.terms.function.name.clone();
                        let why = format!("{name} has effects");
                        return Err(EvalErrorKind::NotDifferentiable(why).into());
                    }
                    out.push(statement.clone());
                }
                Stmt::Break | Stmt::Return | Stmt::Assert(..) => out.push(statement.clone()),
            }
        }
        Ok(())
    }

    fn inner(&mut self, statements: &[Stmt]) -> Result<Vec<Stmt>, EvalError> {
        let mut out = Vec::new();
        self.block(statements, &mut out)?;
        Ok(out)
    }

    /// `(a, b) := f(x)` after `(der_a, der_b) := f'(x, der_x)`
    fn call(
        &mut self,
        statement: &Stmt,
        targets: &[Option<Target>],
        call: TermId,
        out: &mut Vec<Stmt>,
    ) -> Result<(), EvalError> {
        let companion = |this: &Self, target: &Option<Target>| {
            let target = target.as_ref()?;
            Some(with_local(target, this.terms.companion(target.local)?))
        };
        match self.terms.call_rate(call)? {
            None => {
                out.push(statement.clone());
                for target in targets.iter().flatten() {
                    if let Some(companion) = self.terms.companion(target.local) {
                        let place = self.terms.target_term(target);
                        let zeros = self.terms.zeros_of_rank_of(place, target)?;
                        out.push(Stmt::Assign(with_local(target, companion), zeros));
                    }
                }
            }
            Some((rate, real_outputs)) => {
                let derived: Vec<Option<Target>> = targets
                    .iter()
                    .zip(&real_outputs)
                    .filter(|(_, real)| **real)
                    .map(|(target, _)| companion(self, target))
                    .collect();
                out.push(Stmt::AssignCall(derived, rate));
                out.push(statement.clone());
            }
        }
        Ok(())
    }

    /// A loop over real numbers that change needs their rates: it becomes one over their places.
    fn for_loop(
        &mut self,
        local: LocalId,
        range: TermId,
        body: &[Stmt],
        out: &mut Vec<Stmt>,
    ) -> Result<(), EvalError> {
        let inner = self.inner(body)?;
        let rate = match self.terms.companion(local) {
            Some(companion) => self.terms.rate(range)?.map(|rate| (companion, rate)),
            None => None,
        };
        let Some((companion, rate)) = rate else {
            let mut inner = inner;
            if let Some(companion) = self.terms.companion(local) {
                let zero = self.terms.function.number(0.0);
                inner.insert(0, Stmt::assign(companion, zero));
            }
            out.push(Stmt::For(local, range, inner));
            return Ok(());
        };
        let f = &mut self.terms.function;
        let name = f.local(local).name.clone();
        let values = f.protected(&format!("{name}_values"), Scalar::Real, &[Dim::Unknown]);
        let rates = f.protected(&format!("{name}_rates"), Scalar::Real, &[Dim::Unknown]);
        let place = f.protected(&format!("{name}_place"), Scalar::Integer, &[]);
        out.push(Stmt::assign(values, range));
        out.push(Stmt::assign(rates, rate));
        let (values, rates, at) = (f.local_term(values), f.local_term(rates), f.local_term(place));
        let one = f.number(1.0);
        let count = f.array(super::ArrayFn::SizeOf, &[values, one]);
        let places = f.array(super::ArrayFn::Range, &[one, count]);
        let (value, rate) = (f.index(values, &[at]), f.index(rates, &[at]));
        let mut whole = vec![Stmt::assign(local, value), Stmt::assign(companion, rate)];
        whole.extend(inner);
        out.push(Stmt::For(place, places, whole));
        Ok(())
    }
}

fn with_local(target: &Target, local: LocalId) -> Target {
    Target { local, subscripts: target.subscripts.clone() }
}

/// A function that calls a derivative with rate 1 for one input and 0 for the others.
fn partial(pool: &Pool, id: FunctionId, derivative: Chosen, place: usize) -> Result<Function, EvalError> {
    let original = pool.function(id);
    let input = original.local(original.inputs[place]);
    if input.scalar != Scalar::Real || !input.dims.is_empty() {
        let why = format!("{} is not a real number", input.name);
        return Err(EvalErrorKind::NotDifferentiable(why).into());
    }
    // All locals stay, so that sizes can be computed as before; the algorithm is one call.
    let mut f = Function {
        name: format!("{}_der_{}", original.name, input.name),
        locals: original.locals.clone(),
        inputs: original.inputs.clone(),
        outputs: Vec::new(),
        terms: original.terms.clone(),
        ..Function::default()
    };
    f.notes.inline = original.notes.inline;
    f.outputs = original
        .outputs
        .iter()
        .copied()
        .filter(|&output| original.local(output).scalar == Scalar::Real)
        .collect();
    for &output in &f.outputs.clone() {
        f.locals[output.0 as usize].initial = None;
    }
    let mut args: Vec<TermId> = f.inputs.clone().into_iter().map(|input| f.local_term(input)).collect();
    for &k in &derivative.passed {
        let rate = f.number(if k == place { 1.0 } else { 0.0 });
        let local = f.inputs[k];
        let rank = f.local(local).dims.len();
        let value = args[k];
        args.push(super::derivative_terms::filled_like(&mut f, rate, value, rank));
    }
    let call = f.call(derivative.function, &args);
    let targets = f.outputs.iter().map(|&output| Some(Target::whole(output))).collect();
    f.push(Stmt::AssignCall(targets, call));
    Ok(f)
}

/// The time derivative of all outputs of a call whose arguments are `args` and change with `rates`, as one call or
/// sum of calls; `None` if there is none. Outputs that are not real have the rate 0.
pub fn call_time_derivative(
    pool: &mut Pool,
    calls: &mut Calls,
    function: FunctionId,
    args: &[ExprId],
    rates: &[ExprId],
) -> Option<Vec<ExprId>> {
    let outputs = Layout::of_outputs(pool.function(function))?;
    (0..outputs.len as u32).map(|output| calls.directional(pool, function, args, rates, output)).collect()
}
