//! Which inputs of a function an output depends on.
//!
//! The order of statements does not count: a local depends on everything that is assigned to it anywhere, and on the
//! conditions around that. What is assigned by a call with several results counts as independent of its arguments, so
//! that a rule that asks about dependence says too little rather than too much.

use kausal_symbolic::function::{Body, Function, LocalId, Stmt, Term, TermId};
use rustc_hash::FxHashSet;

/// The places of the inputs, among the inputs, that decide what the output at this place is. `None` where places do not say
/// which argument or result is meant: there are arrays or records.
pub(super) fn inputs_of(function: &Function, output: usize) -> Option<Vec<usize>> {
    let local = |id: &LocalId| &function.locals[id.0 as usize];
    let plain = |id: &LocalId| local(id).dims.is_empty() && !local(id).name.contains('.');
    if !function.inputs.iter().chain(&function.outputs).all(plain) {
        return None;
    }
    let Body::Algorithm(statements) = &function.body else { return None };
    let mut assigned = Vec::new();
    collect(statements, &mut assigned);
    let mut reached: FxHashSet<LocalId> = FxHashSet::default();
    let mut open = vec![*function.outputs.get(output)?];
    while let Some(id) = open.pop() {
        if !reached.insert(id) {
            continue;
        }
        let initial = local(&id).initial.filter(|_| !function.inputs.contains(&id));
        let values = assigned.iter().filter(|(target, _)| *target == id).map(|(_, value)| *value);
        for value in values.chain(initial) {
            read(function, value, &mut open);
        }
    }
    let inputs = function.inputs.iter().enumerate();
    Some(inputs.filter(|(_, id)| reached.contains(id)).map(|(place, _)| place).collect())
}

/// Each local that is assigned to with each value and each condition around it.
fn collect(statements: &[Stmt], out: &mut Vec<(LocalId, TermId)>) {
    let mut stack: Vec<(&Stmt, Vec<TermId>)> = statements.iter().map(|s| (s, Vec::new())).collect();
    while let Some((statement, around)) = stack.pop() {
        match statement {
            Stmt::Assign(target, value) => {
                out.push((target.local, *value));
                out.extend(around.iter().map(|&condition| (target.local, condition)));
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
                out.push((*local, *range));
                let mut conditions = around;
                conditions.push(*range);
                stack.extend(inner.iter().map(|s| (s, conditions.clone())));
            }
            Stmt::While(condition, inner) => {
                let mut conditions = around;
                conditions.push(*condition);
                stack.extend(inner.iter().map(|s| (s, conditions.clone())));
            }
            Stmt::AssignCall(..) | Stmt::Break | Stmt::Return | Stmt::Assert(..) | Stmt::Call(_) => {}
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
    use kausal_symbolic::function::Scalar;

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
}
