//! What steps that solve a linear block cost: operations of each evaluation, operations done once, numerical kernels.

use kausal_structure::Operations;
use kausal_symbolic::count::{Counter, Operations as Count, written_operations};
use kausal_symbolic::{ExprId, VarId};
use rustc_hash::FxHashSet;

use crate::blocks::emitter::Emitter;
use crate::program::{Solve, SolveKind, Step};

/// What is computed once counts this much of what is computed again and again.
pub(crate) const ONCE: f64 = 0.1;
/// What calling a numerical kernel costs, in operations: straight-line code is left, a matrix is filled, and entered again.
pub(crate) const KERNEL: f64 = 60.0;

/// Does the expression depend on parameters, and variables that do, only?
pub(crate) fn is_once(emitter: &Emitter, e: ExprId, known: &FxHashSet<VarId>) -> bool {
    let work = &*emitter.work;
    !work.pool.has_context(e) && !work.pool.contains_any(e, |v| !work.is_parameter(v) && !known.contains(&v))
}

/// What steps cost.
pub(crate) fn price(each: Count, once: Count, steps: &[Step]) -> f64 {
    // Each entry of a matrix is written and read once more; of a symmetric one only a half is there.
    let kernels = steps.iter().filter_map(|step| match step {
        Step::Solve(solve) => Some(KERNEL + solve.entries.len() as f64),
        _ => None,
    });
    each.total() as f64 + ONCE * once.total() as f64 + kernels.sum::<f64>()
}

/// Operations of each evaluation as the papers count them: every one that is written.
pub(crate) fn written(emitter: &Emitter, steps: &[Step]) -> u64 {
    counted(emitter, steps, &mut |e| written_operations(&emitter.work.pool, e)).0.total()
}

/// Operations of each evaluation, and those done once; what is common is computed once.
pub(crate) fn operations(emitter: &Emitter, steps: &[Step]) -> (Count, Count) {
    let mut counter = Counter::new();
    counted(emitter, steps, &mut |e| counter.add(&emitter.work.pool, e))
}

/// Operations of each evaluation, and those done once, with a count for formulas.
fn counted(emitter: &Emitter, steps: &[Step], count: &mut dyn FnMut(ExprId) -> Count) -> (Count, Count) {
    let mut known: FxHashSet<VarId> = FxHashSet::default();
    let (mut each, mut once) = (Count::default(), Count::default());
    for step in steps {
        match step {
            Step::Assign(assign) => {
                let count = count(assign.value);
                if is_once(emitter, assign.value, &known) {
                    known.insert(assign.variable);
                    once += count;
                } else {
                    each += count;
                }
            }
            Step::Solve(solve) => {
                let constant = |v: &VarId| known.contains(v) || emitter.work.is_parameter(*v);
                let fixed = solve.entries.iter().all(|(_, _, v)| constant(v));
                let (factors, solution) = kernel_operations(solve);
                if fixed {
                    once += factors;
                } else {
                    each += factors;
                }
                if fixed && solve.rhs.iter().all(constant) {
                    once += solution;
                    known.extend(solve.unknowns.iter().copied());
                } else {
                    each += solution;
                }
            }
            Step::Call(call) => {
                each.call += 1;
                call.args.iter().for_each(|&arg| each += count(arg));
            }
            _ => {}
        }
    }
    (each, once)
}

/// Factorisation and solution of a full matrix.
fn kernel_operations(solve: &Solve) -> (Count, Count) {
    let n = solve.unknowns.len() as u64;
    let all = match solve.kind {
        SolveKind::Symmetric => Operations::dense_symmetric(n),
        _ => Operations::dense(n),
    };
    let solution = Count { mul: n * n, add: n * n.saturating_sub(1), call: 0 };
    let factors = Count {
        mul: all.mul.saturating_sub(solution.mul),
        add: all.add.saturating_sub(solution.add),
        call: 0,
    };
    (factors, solution)
}
