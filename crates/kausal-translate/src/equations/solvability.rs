//! Which variables may an equation be solved for? All of them together where it is linear, each alone elsewhere, and long
//! equations in time linear in their length.

use kausal_structure::Solvability;
use kausal_symbolic::linear::linear_coefficients;
use kausal_symbolic::visit::reachable;
use kausal_symbolic::{ExprId, Node, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::equations::long::LongEquation;
use crate::equations::solve::{alone, coefficient_solvability};
use crate::equations::work::Work;

/// With more terms, factors or arguments than this an equation is long: its variables are not looked at one by one in the
/// whole of it. Below, the whole is as quick.
const MANY: usize = 30;

/// For each variable: may the equation be solved for it?
pub(crate) fn plain_solvability(work: &mut Work, equation: usize, variables: &[VarId]) -> Vec<Solvability> {
    if let Some(target) = assigned_by_call(work, equation, MANY) {
        let given = |v: &VarId| if *v == target { Solvability::LinearConstant } else { Solvability::Never };
        return variables.iter().map(given).collect();
    }
    let residual = work.residual(equation);
    if variables.len() <= MANY {
        return together(work, equation, residual, variables);
    }
    // What is an argument of a function with many arguments is not solved for: inverses are of functions with few.
    let arguments = arguments(work, residual);
    let others: Vec<VarId> = variables.iter().copied().filter(|v| !arguments.contains(v)).collect();
    let found: FxHashMap<VarId, Solvability> =
        others.iter().copied().zip(together(work, equation, residual, &others)).collect();
    variables.iter().map(|v| found.get(v).copied().unwrap_or(Solvability::Never)).collect()
}

/// The variable that an equation like `x = f(…)` with more arguments than this gives a value, if it is no argument. An
/// algorithm section is such a call for each variable that it assigns, and each has all the others as arguments, so
/// nothing here looks at an argument more than once.
fn assigned_by_call(work: &Work, equation: usize, many: usize) -> Option<VarId> {
    let pool = &work.pool;
    let (lhs, rhs) = (work.equations[equation].lhs, work.equations[equation].rhs);
    let (target, mut call) = match (pool.as_var(lhs), pool.as_var(rhs)) {
        (Some(v), None) => (v, rhs),
        (None, Some(v)) => (v, lhs),
        _ => return None,
    };
    if let Node::Output(inner, _) = pool.node(call) {
        call = inner;
    }
    let Node::Call(_, args) = pool.node(call) else { return None };
    let other = |&arg: &ExprId| match pool.as_var(arg) {
        Some(v) => v != target,
        None => !pool.contains_any(arg, |v| v == target),
    };
    (args.len() > many && args.iter().all(other)).then_some(target)
}

/// Linear in all of the variables together, or else each alone.
fn together(work: &mut Work, equation: usize, residual: ExprId, variables: &[VarId]) -> Vec<Solvability> {
    let mut sorted: SmallVec<[VarId; 16]> = variables.iter().copied().collect();
    sorted.sort_unstable();
    let together = linear_coefficients(&mut work.pool, residual, |v| sorted.binary_search(&v).is_ok());
    if let Some(linear) = together {
        return variables
            .iter()
            .map(|&v| match linear.coefficient(v) {
                Some(c) => coefficient_solvability(work, c),
                None => Solvability::Never,
            })
            .collect();
    }
    let (lhs, rhs) = (work.equations[equation].lhs, work.equations[equation].rhs);
    if let Some(mut long) = LongEquation::new(work, [lhs, rhs], MANY) {
        return variables.iter().map(|&v| long.solvability(work, v)).collect();
    }
    variables.iter().map(|&v| alone(work, [lhs, rhs], residual, v, &|_| None)).collect()
}

/// The variables that are arguments of function calls.
fn arguments(work: &Work, e: ExprId) -> FxHashSet<VarId> {
    let all = reachable(&work.pool, &[e], |id| work.pool.has_calls(id));
    let calls: Vec<ExprId> =
        all.into_iter().filter(|&id| matches!(work.pool.node(id), Node::Call(..))).collect();
    let inside = reachable(&work.pool, &calls, |id| work.pool.has_variables(id));
    inside.into_iter().filter_map(|id| work.pool.as_var(id)).collect()
}
