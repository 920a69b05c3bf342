//! Which inputs of a function an output depends on, and what in an algorithm section varies between events.
//!
//! The order of statements does not count: a local depends on everything that is assigned to it anywhere, and on the
//! conditions around that. What is assigned by a call with several results counts as independent of its arguments where it is not
//! known which of them decide, so that a rule that asks about dependence says too little rather than too much.

use kausal_symbolic::function::layout::Layout;
use kausal_symbolic::function::{Body, Function, LocalId, Stmt, Term, TermId};
use kausal_symbolic::{Op, Pool};
use rustc_hash::FxHashSet;

/// The places of the scalar arguments that decide what the scalar result at this place is. Arrays count as a whole. `None`
/// where that is not known: sizes are open, or there is no algorithm.
pub(super) fn inputs_of(function: &Function, output: usize) -> Option<Vec<usize>> {
    let result = Layout::of_outputs(function)?.find(output)?.0.local;
    let reached = reached_from(function, result)?;
    let inputs = Layout::of_inputs(function)?;
    let entries = inputs.entries.iter().filter(|entry| reached.contains(&entry.local));
    Some(entries.flat_map(|entry| entry.offset..entry.offset + entry.len).collect())
}

/// All locals that decide what a local is.
fn reached_from(function: &Function, result: LocalId) -> Option<FxHashSet<LocalId>> {
    let Body::Algorithm(statements) = &function.body else { return None };
    let mut assigned = Vec::new();
    collect(statements, &mut assigned);
    let mut reached: FxHashSet<LocalId> = FxHashSet::default();
    let mut open = vec![result];
    while let Some(id) = open.pop() {
        if !reached.insert(id) {
            continue;
        }
        let initial = function.local(id).initial.filter(|_| !function.inputs.contains(&id));
        let own = assigned.iter().filter(|(target, _, result)| *target == id && result.is_none());
        let values = own.map(|(_, value, _)| *value);
        for value in values.chain(initial) {
            read(function, value, &mut open);
        }
    }
    Some(reached)
}

/// The locals of an algorithm section that vary between events. Those of `varying` do, those of `held` do not, whatever is
/// assigned to them: that happens at events.
pub(super) fn varying(
    pool: &Pool,
    section: &Function,
    varying: &[LocalId],
    held: &[LocalId],
) -> FxHashSet<LocalId> {
    let mut found: FxHashSet<LocalId> = varying.iter().copied().collect();
    let Body::Algorithm(statements) = &section.body else { return found };
    let mut assigned = Vec::new();
    collect(statements, &mut assigned);
    loop {
        let before = found.len();
        for &(target, value, result) in &assigned {
            if held.contains(&target) || found.contains(&target) {
                continue;
            }
            if varies(pool, section, (value, result), &found) {
                found.insert(target);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

/// Does a term vary between events? Relations and what else only jumps do not, outside `noEvent`; functions cause no events.
/// The second part of `value` says which result of a call is meant.
fn varies(
    pool: &Pool,
    section: &Function,
    value: (TermId, Option<u32>),
    varying: &FxHashSet<LocalId>,
) -> bool {
    let mut seen: FxHashSet<(TermId, bool)> = FxHashSet::default();
    let mut stack = vec![(value.0, false)];
    while let Some((id, smooth)) = stack.pop() {
        if !seen.insert((id, smooth)) {
            continue;
        }
        let term = section.term(id);
        match term {
            Term::Local(local) if varying.contains(local) => return true,
            Term::Op(Op::Time | Op::Der | Op::Delay, _) => return true,
            Term::Op(Op::NoEvent, args) => stack.extend(args.iter().map(|&arg| (arg, true))),
            Term::Op(op, _) if only_jumps(*op, smooth) => {}
            Term::Call(called, args, output) => {
                let called = pool.function(*called);
                let output = value.1.filter(|_| id == value.0).unwrap_or(*output);
                let deciding = match called.outputs.get(output as usize) {
                    _ if called.notes.generate_events => Some(FxHashSet::default()),
                    Some(&result) if called.outputs.len() > 1 => {
                        Some(reached_from(called, result).unwrap_or_default())
                    }
                    _ => None,
                };
                let decides = |k: usize| match &deciding {
                    Some(locals) => called.inputs.get(k).is_some_and(|input| locals.contains(input)),
                    None => true,
                };
                stack.extend((0..args.len()).filter(|&k| decides(k)).map(|k| (args[k], smooth)));
            }
            _ => stack.extend(term.parts().into_iter().map(|part| (part, smooth))),
        }
    }
    false
}

/// Does the result of an operator change at events only, whatever its arguments do?
pub(super) fn only_jumps(op: Op, smooth: bool) -> bool {
    match op {
        Op::Less
        | Op::LessEqual
        | Op::Equal
        | Op::NotEqual
        | Op::Integer
        | Op::Floor
        | Op::Ceil
        | Op::IntegerDiv
        | Op::Sign => !smooth,
        Op::Pre | Op::Initial | Op::Terminal | Op::Sample => true,
        _ => false,
    }
}

/// What is assigned: to which local, what, and for `(a, b) := f(x)` which result of the call that is.
type Assigned = (LocalId, TermId, Option<u32>);

/// Each local that is assigned to with each value and each condition around it.
fn collect(statements: &[Stmt], out: &mut Vec<Assigned>) {
    let mut stack: Vec<(&Stmt, Vec<TermId>)> = statements.iter().map(|s| (s, Vec::new())).collect();
    while let Some((statement, around)) = stack.pop() {
        let under = |local: LocalId| around.iter().map(move |&condition| (local, condition, None));
        match statement {
            Stmt::Assign(target, value) => {
                out.push((target.local, *value, None));
                out.extend(under(target.local));
            }
            Stmt::AssignCall(targets, call) => {
                for (k, target) in targets.iter().enumerate() {
                    let Some(target) = target else { continue };
                    out.push((target.local, *call, Some(k as u32)));
                    out.extend(under(target.local));
                }
            }
            Stmt::If(branches, otherwise) => {
                let mut conditions = around;
                for (condition, inner) in branches {
                    conditions.push(*condition);
                    stack.extend(inner.iter().map(|s| (s, conditions.clone())));
                }
                stack.extend(otherwise.iter().map(|s| (s, conditions.clone())));
            }
            Stmt::For(local, range, inner) => {
                out.push((*local, *range, None));
                let mut conditions = around;
                conditions.push(*range);
                stack.extend(inner.iter().map(|s| (s, conditions.clone())));
            }
            Stmt::While(condition, inner) => {
                let mut conditions = around;
                conditions.push(*condition);
                stack.extend(inner.iter().map(|s| (s, conditions.clone())));
            }
            Stmt::Break | Stmt::Return | Stmt::Assert(..) | Stmt::Call(_) => {}
        }
    }
}

/// The locals a term reads.
fn read(function: &Function, root: TermId, out: &mut Vec<LocalId>) {
    let mut seen: FxHashSet<TermId> = FxHashSet::default();
    let mut stack = vec![root];
    while let Some(id) = stack.pop() {
        if seen.insert(id) {
            let term = &function.terms[id.0 as usize];
            if let Term::Local(local) = term {
                out.push(*local);
            }
            stack.extend(term.parts());
        }
    }
}

#[cfg(test)]
mod tests {
    use kausal_symbolic::Op;
    use kausal_symbolic::function::{Dim, Scalar};

    use super::*;

    /// `(a, b) := f(x, k)` with `if k > 0 then a := 1; else a := 2; b := x*a`.
    #[test]
    fn conditions_count_and_other_outputs_do_not() {
        let mut f = Function::named("f");
        let (x, k) = (f.input("x", Scalar::Real, &[]), f.input("k", Scalar::Integer, &[]));
        let (a, b) = (f.output("a", Scalar::Integer, &[]), f.output("b", Scalar::Real, &[]));
        let (zero, one, two) = (f.number(0.0), f.number(1.0), f.number(2.0));
        let [tx, tk, ta] = [x, k, a].map(|local| f.local_term(local));
        let positive = f.op(Op::Less, &[zero, tk]);
        let product = f.op(Op::Mul, &[tx, ta]);
        f.push(Stmt::If(vec![(positive, vec![Stmt::assign(a, one)])], vec![Stmt::assign(a, two)]));
        f.push(Stmt::assign(b, product));
        assert_eq!(inputs_of(&f, 0), Some(vec![1]));
        assert_eq!(inputs_of(&f, 1), Some(vec![0, 1]));
    }

    /// `(a, w) := f(x, y)` with arrays: `a := integer(y); w := {x[1], a}`. The results are `a`, `w[1]` and `w[2]`, the arguments
    /// `x[1]`, `x[2]` and `y`.
    #[test]
    fn arrays_count_as_a_whole() {
        let mut f = Function::named("f");
        let (x, y) = (f.input("x", Scalar::Real, &[Dim::Known(2)]), f.input("y", Scalar::Real, &[]));
        let a = f.output("a", Scalar::Integer, &[]);
        let w = f.output("w", Scalar::Real, &[Dim::Known(2)]);
        let [tx, ty] = [x, y].map(|local| f.local_term(local));
        let whole = f.op(Op::Integer, &[ty]);
        f.push(Stmt::assign(a, whole));
        f.push(Stmt::assign(w, tx));
        assert_eq!(inputs_of(&f, 0), Some(vec![2]));
        assert_eq!(inputs_of(&f, 2), Some(vec![0, 1]));
    }
}
