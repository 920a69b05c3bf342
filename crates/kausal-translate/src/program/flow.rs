//! What steps read and what they write, over all they contain: systems, guards, Jacobians, branches.

use kausal_symbolic::{Pool, VarId};
use rustc_hash::FxHashSet;

use crate::program::{Discretized, Form, Kind, Nonlinear, Program, Step};

/// Adds everything a step reads, guards included.
pub fn reads(pool: &Pool, step: &Step, out: &mut FxHashSet<VarId>) {
    let mut stack = vec![step];
    while let Some(step) = stack.pop() {
        match step {
            Step::Assign(assign) => out.extend(pool.variables_of(assign.value)),
            Step::Call(call) => out.extend(call.args.iter().flat_map(|&arg| pool.variables_of(arg))),
            Step::Solve(solve) => {
                out.extend(solve.entries.iter().map(|&(_, _, v)| v));
                out.extend(&solve.rhs);
            }
            Step::System(system) => {
                match &system.form {
                    Form::Nonlinear(nonlinear) => out.extend(&nonlinear.unknowns),
                    Form::Mixed { unknowns, .. } => out.extend(unknowns),
                    Form::Linear { .. } => {}
                }
                stack.extend(parts(&system.form));
            }
            Step::If(condition, then, otherwise) => {
                out.extend(pool.variables_of(*condition));
                stack.extend(then.iter().chain(otherwise));
            }
            Step::Assert(assert) => {
                out.extend(assert.holds);
                out.extend(pool.variables_of(assert.condition));
                out.extend(pool.variables_of(assert.message));
            }
            Step::When(when) => {
                for branch in &when.branches {
                    out.extend(&branch.conditions);
                    stack.extend(&branch.steps);
                }
            }
            Step::Reinit(_, value) | Step::Terminate(value) => out.extend(pool.variables_of(*value)),
            Step::Relation(_) => {}
        }
    }
}

/// What the continuous part, with the inlined step, takes from elsewhere: it is the same between events.
pub fn held(program: &Program) -> Vec<VarId> {
    let inlined = program.discretized.iter().flat_map(|d| [Some(d), d.filter.as_deref()]).flatten();
    let inlined = inlined.flat_map(|d| d.factors.iter().chain(&d.steps));
    let (mut read, mut written) = (FxHashSet::default(), FxHashSet::default());
    for step in program.dynamics.iter().chain(inlined) {
        reads(&program.pool, step, &mut read);
        writes(step, &mut written);
    }
    let fixed = |v: &VarId| program.variables[v.index()].kind == Kind::Parameter;
    let mut held: Vec<VarId> = read.difference(&written).copied().filter(|v| !fixed(v)).collect();
    // An inlined step computes states; `reinit` changes them.
    held.extend(program.states.iter().map(|state| state.variable));
    held.sort_unstable();
    held.dedup();
    held
}

/// Steps with all that they contain, in no particular order.
pub fn nested<'a>(steps: impl IntoIterator<Item = &'a Step>) -> Vec<&'a Step> {
    let mut stack: Vec<&Step> = steps.into_iter().collect();
    let mut all = Vec::new();
    while let Some(step) = stack.pop() {
        all.push(step);
        match step {
            Step::System(system) => stack.extend(parts(&system.form)),
            Step::If(_, then, otherwise) => stack.extend(then.iter().chain(otherwise)),
            Step::When(when) => stack.extend(when.branches.iter().flat_map(|branch| &branch.steps)),
            _ => {}
        }
    }
    all
}

/// Does a step iterate on something by Newton's method?
pub fn iterates<'a>(steps: impl IntoIterator<Item = &'a Step>) -> bool {
    let is_nonlinear = |step: &&Step| matches!(step, Step::System(s) if matches!(s.form, Form::Nonlinear(_)));
    nested(steps).iter().any(is_nonlinear)
}

/// What depends on the step size and is there for predictions of a run only (`Jacobian::sensitivities`): whoever makes none does
/// without.
pub fn only_predicts(pool: &Pool, section: &Discretized) -> FxHashSet<VarId> {
    let (mut read, mut predicting) = (FxHashSet::default(), FxHashSet::default());
    for step in section.factors.iter().chain(&section.steps) {
        reads(pool, step, &mut read);
    }
    for step in nested(&section.steps) {
        let Step::System(system) = step else { continue };
        let Form::Nonlinear(Nonlinear { jacobian: Some(jacobian), .. }) = &system.form else { continue };
        read.extend(jacobian.entries.iter().map(|&(_, _, v)| v));
        predicting.extend(jacobian.sensitivities.iter().map(|&(_, _, v)| v));
    }
    predicting.retain(|v| !read.contains(v));
    predicting
}

/// Adds everything a step gives a value to.
pub fn writes(step: &Step, out: &mut FxHashSet<VarId>) {
    let mut stack = vec![step];
    while let Some(step) = stack.pop() {
        match step {
            Step::Assign(assign) => _ = out.insert(assign.variable),
            Step::Call(call) => out.extend(call.outputs.iter().flatten()),
            Step::Solve(solve) => out.extend(&solve.unknowns),
            Step::System(system) => {
                out.extend(&system.unknowns);
                stack.extend(parts(&system.form));
            }
            Step::If(_, then, otherwise) => stack.extend(then.iter().chain(otherwise)),
            Step::When(when) => stack.extend(when.branches.iter().flat_map(|branch| &branch.steps)),
            Step::Reinit(..) | Step::Assert(_) | Step::Relation(_) | Step::Terminate(_) => {}
        }
    }
}

/// The steps a system is solved by. What a guard checks is made of what these read and write.
pub(crate) fn parts(form: &Form) -> Vec<&Step> {
    match form {
        Form::Linear { steps, guard, .. } => {
            steps.iter().chain(guard.iter().flat_map(|guard| &guard.fallback)).collect()
        }
        Form::Nonlinear(nonlinear) => {
            let jacobian = nonlinear.jacobian.iter().flat_map(|jacobian| &jacobian.steps);
            nonlinear.steps.iter().chain(jacobian).collect()
        }
        Form::Mixed { continuous, discrete, .. } => continuous.iter().chain(discrete).collect(),
    }
}
