//! Operations of a whole program as the papers count them.
//!
//! Every binary `+ - * /` of the sorted and solved equations counts once, what depends on parameters only included. What
//! only the initial problem needs does not (the papers' programs have none), nor does the current into `Common`, which is a
//! node of potential zero and nothing more in the papers; both are told apart. Dense kernels count what they do, a sparse
//! one an operation of each kind an entry.

use std::collections::HashSet;

use kausal_codegen::count::steps_operations;
use kausal_symbolic::count::Operations;
use kausal_symbolic::{Pool, VarId};
use kausal_translate::Program;
use kausal_translate::program::{Form, Kind, Step};

/// Operations as the papers count them, and what is left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PapersCount {
    /// Everything that is computed from states and parameters.
    pub total: Operations,
    /// What derivatives need of it: forces, positions and the like that only results need are left out.
    pub derivatives: Operations,
    /// Left out: the current into `Common`.
    pub common: Operations,
    /// Left out: what depends on parameters only and only the initial problem needs.
    pub initial: Operations,
}

/// Counts.
pub fn papers_count(program: &Program) -> PapersCount {
    let pool = &program.pool;
    let apart = |v: VarId| program.variables[v.index()].name.starts_with("Common.");
    let all = |_: VarId| true;
    let counted = |v: VarId| !apart(v);
    let total = part(program, true, &counted);
    let with_common = part(program, true, &all);
    let everything = [&program.parameters, &program.dynamics, &program.outputs];
    let everything = everything.iter().fold(Operations::default(), |sum, s| sum + steps_operations(pool, s));
    PapersCount {
        total,
        derivatives: part(program, false, &counted),
        common: difference(with_common, total),
        initial: difference(everything, with_common),
    }
}

/// The operations of the dynamics, with or without what only results need, and of the parameters behind them.
fn part(program: &Program, outputs: bool, counted: &dyn Fn(VarId) -> bool) -> Operations {
    let pool = &program.pool;
    let outputs: &[Step] = if outputs { &program.outputs } else { &[] };
    let own = |step: &&Step| !matches!(step, Step::Assign(a) if !counted(a.variable));
    let steps: Vec<&Step> = program.dynamics.iter().chain(outputs).filter(own).collect();
    let mut needed = HashSet::new();
    let mut total = Operations::default();
    for step in steps {
        reads(pool, step, &mut needed);
        total += steps_operations(pool, std::slice::from_ref(step));
    }
    // A variable of the model is wanted for itself; what the translation added only where it is read.
    let helper = |v: VarId| program.variables[v.index()].kind == Kind::Helper;
    for step in program.parameters.iter().rev() {
        let mut written = Vec::new();
        writes(step, &mut written);
        if written.iter().any(|&v| needed.contains(&v) || (counted(v) && !helper(v))) {
            reads(pool, step, &mut needed);
            total += steps_operations(pool, std::slice::from_ref(step));
        }
    }
    total
}

fn difference(a: Operations, b: Operations) -> Operations {
    Operations { add: a.add - b.add, mul: a.mul - b.mul, call: a.call - b.call }
}

/// What a step reads; guards and their fallbacks are no part of the solution.
fn reads(pool: &Pool, step: &Step, out: &mut HashSet<VarId>) {
    let mut stack = vec![step];
    while let Some(step) = stack.pop() {
        match step {
            Step::Assign(assign) => out.extend(pool.variables_of(assign.value)),
            Step::Call(call) => out.extend(call.args.iter().flat_map(|&a| pool.variables_of(a))),
            Step::Solve(solve) => {
                out.extend(solve.entries.iter().map(|e| e.2));
                out.extend(&solve.rhs);
            }
            Step::System(system) => match &system.form {
                Form::Linear { steps, .. } => stack.extend(steps),
                Form::Nonlinear(n) => {
                    stack.extend(&n.steps);
                    stack.extend(n.jacobian.iter().flat_map(|j| &j.steps));
                }
                Form::Mixed { continuous, discrete, .. } => stack.extend(continuous.iter().chain(discrete)),
            },
            Step::If(condition, then, otherwise) => {
                out.extend(pool.variables_of(*condition));
                stack.extend(then.iter().chain(otherwise));
            }
            Step::Assert(assert) => out.extend(pool.variables_of(assert.condition)),
            Step::When(_) | Step::Reinit(..) | Step::Relation(_) | Step::Terminate(_) => {}
        }
    }
}

/// What a step computes.
fn writes(step: &Step, out: &mut Vec<VarId>) {
    match step {
        Step::Assign(assign) => out.push(assign.variable),
        Step::Call(call) => out.extend(call.outputs.iter().flatten()),
        Step::Solve(solve) => out.extend(&solve.unknowns),
        Step::System(system) => out.extend(&system.unknowns),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, Session};

    /// Counted by hand: `k = 2*p` (1 mul) and `y = k*x` and `der(x) = -x/p` (1 mul each), of which `y` only results need;
    /// the start value takes two more.
    #[test]
    fn parts_are_told_apart() {
        let mut session = Session::new();
        session.add_text(
            "M.mo",
            "model M parameter Real p = 3; parameter Real k = 2*p; Real x; Real y;
             initial equation x = p*(p + 1);
             equation y = k*x; der(x) = -x/p; end M;",
        );
        let flat = session.flatten("M").expect("a model");
        let program = session.translate(&flat, &Options::default()).expect("a program");
        let count = papers_count(&program);
        assert_eq!((count.total.mul, count.total.add), (3, 0), "{count:?}");
        assert_eq!(count.derivatives.mul, 2, "{count:?}");
        assert_eq!(count.common, Operations::default());
    }
}
