//! What depends on parameters only is computed once: such steps leave their section.

use kausal_symbolic::visit::Visitor;
use kausal_symbolic::{ExprId, Node, Op, VarId};
use rustc_hash::FxHashSet;

use crate::equations::work::{Role, Work};
use crate::program::{Assign, Form, Step};

/// Moves steps of these that are constant during a run. `fixed` are temporaries known to be, `done` what is computed already.
pub(crate) fn hoist_in(
    work: &Work,
    steps: &mut Vec<Step>,
    fixed: &mut FxHashSet<VarId>,
    done: &mut FxHashSet<VarId>,
    moved: &mut Vec<Step>,
) {
    steps.retain_mut(|step| match step {
        Step::Assign(Assign { variable, value, equation: None }) => {
            if done.contains(variable) {
                return false;
            }
            let constant = is_fixed(work, *value, fixed) && work.var(*variable).role == Role::Temporary;
            if constant {
                fixed.insert(*variable);
                done.insert(*variable);
                moved.push(step.clone());
            }
            !constant
        }
        Step::Call(call) => {
            let constant = !call.impure
                && call.args.iter().all(|&arg| is_fixed(work, arg, fixed))
                && call.outputs.iter().flatten().all(|&v| work.var(v).role == Role::Temporary);
            if constant {
                // Another section may want other outputs of the same call.
                if call.outputs.iter().flatten().any(|v| !done.contains(v)) {
                    moved.push(Step::Call(call.clone()));
                }
                fixed.extend(call.outputs.iter().flatten());
                done.extend(call.outputs.iter().flatten());
            }
            !constant
        }
        Step::Solve(solve) => {
            solve.constant = solve.entries.iter().all(|(_, _, v)| work.is_parameter(*v) || fixed.contains(v));
            true
        }
        Step::System(system) => {
            match &mut system.form {
                Form::Linear { steps, .. } => hoist_in(work, steps, fixed, done, moved),
                Form::Nonlinear(nonlinear) => {
                    hoist_in(work, &mut nonlinear.steps, fixed, done, moved);
                    if let Some(jacobian) = &mut nonlinear.jacobian {
                        hoist_in(work, &mut jacobian.steps, fixed, done, moved);
                    }
                }
                Form::Mixed { continuous, .. } => hoist_in(work, continuous, fixed, done, moved),
            }
            true
        }
        _ => true,
    });
}

/// Does the expression depend on parameters, and what was found to depend on them, only?
fn is_fixed(work: &Work, e: ExprId, fixed: &FxHashSet<VarId>) -> bool {
    !work.pool.contains_any(e, |v| !work.is_parameter(v) && !fixed.contains(&v)) && !contains_time(work, e)
}

fn contains_time(work: &Work, e: ExprId) -> bool {
    if !work.pool.has_context(e) {
        return false;
    }
    let mut visitor = Visitor::new();
    visitor.reachable(&work.pool, &[e]).iter().any(|&id| matches!(work.pool.node(id), Node::Op(Op::Time, _)))
}
