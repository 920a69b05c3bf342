//! What only results need is computed only for results.
//!
//! A linear block that the derivatives depend on may have unknowns that nothing else depends on, like the forces in the joints of a
//! mechanism. Their assignments, where they are the last ones of the block, move from the dynamics to the outputs. A
//! guard that looks at all equations of the block computes them first. Where it has tripped, the unknowns come from a solver with
//! pivoting and the temporaries of the block mean nothing: so only what does not read these may move.

use kausal_symbolic::{Pool, VarId};
use rustc_hash::FxHashSet;

use crate::program::flow::reads;
use crate::program::{Form, Step};

/// Moves assignments from the dynamics to the front of the outputs; `wanted` is what the dynamics are for.
pub(crate) fn defer(pool: &Pool, wanted: FxHashSet<VarId>, dynamics: &mut [Step], outputs: &mut Vec<Step>) {
    let mut needed = wanted;
    let mut moved: Vec<Step> = Vec::new();
    for step in dynamics.iter_mut().rev() {
        if let Step::System(system) = step
            && let Form::Linear { steps, guard, .. } = &mut system.form
        {
            let mut late = late_steps(pool, steps, &needed);
            if let Some(guard) = guard.as_mut().filter(|guard| !guard.residuals.is_empty()) {
                guard.check.splice(0..0, late.iter().cloned());
            }
            late.append(&mut moved);
            moved = late;
        }
        reads(pool, step, &mut needed);
    }
    outputs.splice(0..0, moved);
}

/// The steps of a block that would stay and those that would move, given what is needed of it.
pub(crate) fn split(pool: &Pool, steps: &[Step], needed: &FxHashSet<VarId>) -> (Vec<Step>, Vec<Step>) {
    let mut kept = steps.to_vec();
    let late = late_steps(pool, &mut kept, needed);
    (kept, late)
}

/// Takes the last assignments of a block away, as far as nothing needs them.
fn late_steps(pool: &Pool, steps: &mut Vec<Step>, needed: &FxHashSet<VarId>) -> Vec<Step> {
    let own = temporaries(steps);
    let mut kept = Vec::new();
    let mut late = Vec::new();
    let mut read: FxHashSet<VarId> = FxHashSet::default();
    while let Some(Step::Assign(assign)) = steps.last() {
        let movable = assign.equation.is_some()
            && !needed.contains(&assign.variable)
            && !read.contains(&assign.variable)
            && !pool.contains_any(assign.value, |v| own.contains(&v));
        let value = assign.value;
        let Some(step) = steps.pop() else { break };
        if movable {
            late.push(step);
        } else {
            read.extend(pool.variables_of(value));
            kept.push(step);
        }
    }
    steps.extend(kept.into_iter().rev());
    late.reverse();
    late
}

/// What the block computes on the way.
fn temporaries(steps: &[Step]) -> FxHashSet<VarId> {
    let mut out = FxHashSet::default();
    for step in steps {
        match step {
            Step::Assign(assign) if assign.equation.is_none() => _ = out.insert(assign.variable),
            Step::Call(call) => out.extend(call.outputs.iter().flatten()),
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{Assign, EquationRef, Guard, LinearMethod, System};
    use kausal_symbolic::Op;

    fn assign(variable: u32, value: kausal_symbolic::ExprId, unknown: bool) -> Step {
        Step::Assign(Assign { variable: VarId(variable), value, equation: unknown.then_some(EquationRef(0)) })
    }

    fn variables(steps: &[Step]) -> Vec<u32> {
        let own = steps.iter().filter_map(|s| match s {
            Step::Assign(a) => Some(a.variable.0),
            _ => None,
        });
        own.collect()
    }

    /// A block with the pivot v5, the quotient v6 and the unknowns v1 (wanted), v2 (by v1), v3 (by v2), v4 (by the quotient).
    #[test]
    fn unknowns_that_nothing_needs_move_and_stay_in_the_check() {
        let mut pool = Pool::new();
        let [x, a, b, pivot, quotient] = [0, 1, 2, 5, 6].map(|k| pool.var(VarId(k)));
        let ratio = pool.op(Op::Div, &[x, pivot]);
        let steps = vec![
            assign(5, x, false),
            assign(6, ratio, false),
            assign(1, quotient, true),
            assign(4, quotient, true),
            assign(2, a, true),
            assign(3, b, true),
        ];
        let guard = Guard {
            pivots: vec![(VarId(5), VarId(5))],
            residuals: vec![(VarId(7), VarId(8))],
            ..Guard::default()
        };
        let form = Form::Linear {
            method: LinearMethod::Relaxed,
            symmetric: false,
            steps,
            guard: Some(Box::new(guard)),
        };
        let system = System {
            equations: Vec::new(),
            unknowns: [1, 2, 3, 4].map(VarId).to_vec(),
            tearing_variables: Vec::new(),
            residuals: Vec::new(),
            mixed: false,
            form,
            alternatives: Vec::new(),
        };
        let mut dynamics = vec![Step::System(Box::new(system))];
        let mut outputs = vec![assign(9, b, true)];
        defer(&pool, [VarId(1)].into_iter().collect(), &mut dynamics, &mut outputs);
        assert_eq!(variables(&outputs), [2, 3, 9]);
        let Step::System(system) = &dynamics[0] else { panic!("a system") };
        let Form::Linear { steps, guard, .. } = &system.form else { panic!("linear") };
        assert_eq!(variables(steps), [5, 6, 1, 4]);
        assert_eq!(variables(&guard.as_ref().unwrap().check), [2, 3]);
    }
}
