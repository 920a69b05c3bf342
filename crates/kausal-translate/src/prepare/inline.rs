//! Calls become what their functions compute, wherever that is possible and not too large.
//!
//! This happens before index reduction, also for functions with a `derivative` annotation: what a formula depends
//! on is then visible, and differentiating the formula gives what the annotation would. Calls that stay (foreign
//! functions, loops of unknown length, large bodies) are differentiated by their annotation. Of those, outputs that are
//! numbers whatever the variables among the arguments are become these numbers: a capacitance of zero is no
//! capacitance, and which variables are states depends on it.

use kausal_model::flat::{Action, ActionKind, Origin};
use kausal_symbolic::evaluate::evaluate;
use kausal_symbolic::function::inline::{Stage, inline_flat, should_inline};
use kausal_symbolic::function::sizes::constant_outputs;
use kausal_symbolic::function::{Assertion, Text};
use kausal_symbolic::{ExprId, Node, Op, Pool, VarId};
use rustc_hash::FxHashMap;

use crate::equations::rewrite::{Memo, rewrite};
use crate::equations::work::{Role, Work};

/// Inlines calls in all equations. With `silent`, what comes out has no `noEvent`: events were dealt with before, and
/// functions cause none.
pub(crate) fn inline(work: &mut Work, silent: bool) {
    let mut calls = std::mem::take(&mut work.calls);
    // The outputs of each call that was inlined; `None` for calls that stay.
    let mut bodies: FxHashMap<ExprId, Option<Vec<ExprId>>> = FxHashMap::default();
    let mut silenced = Memo::sparse();
    let mut known: FxHashMap<ExprId, Vec<Option<f64>>> = FxHashMap::default();
    let numbers_of = parameter_numbers(work);
    let mut checked: Vec<Assertion<ExprId>> = Vec::new();
    work.map_expressions(&mut |pool, memo, e| {
        if !pool.has_calls(e) {
            return e;
        }
        rewrite(pool, e, memo, &mut |pool, id| {
            let Node::Output(call, k) = pool.node(id) else { return id };
            let body = bodies.entry(call).or_insert_with(|| {
                let Node::Call(function, args) = pool.node(call) else { return None };
                let args = args.to_vec();
                let budget = should_inline(pool, function, Stage::Late)?;
                let (outputs, assertions) =
                    inline_flat(pool, &mut calls, function, &args, Stage::Late, budget)?;
                // A body with assertions of its own stays a call: they must be checked where it is evaluated. Those about
                // parameters that hold (the points of a table ascend) are checked by the model.
                let mut serious = assertions.into_iter().filter(|a| !a.warning).peekable();
                let holds = |pool: &Pool, e: ExprId| {
                    evaluate(pool, e, &mut |v: VarId| numbers_of.get(&v).copied().unwrap_or(f64::NAN)) == 1.0
                };
                let about_parameters =
                    |pool: &Pool, e: ExprId| pool.variables_of(e).iter().all(|v| numbers_of.contains_key(v));
                while let Some(assertion) =
                    serious.next_if(|a| about_parameters(pool, a.condition) && holds(pool, a.condition))
                {
                    checked.push(assertion);
                }
                serious.next().is_none().then_some(outputs)
            });
            match body.as_ref().and_then(|outputs| outputs.get(k as usize)) {
                Some(&output) if silent => without_no_event(pool, output, &mut silenced),
                Some(&output) => output,
                None => {
                    let known = known.entry(call).or_insert_with(|| numbers(pool, call));
                    match known.get(k as usize).copied().flatten() {
                        Some(value) => pool.constant(value),
                        None => id,
                    }
                }
            }
        })
    });
    work.calls = calls;
    check(work, checked);
}

/// Parameters that are numbers.
fn parameter_numbers(work: &Work) -> FxHashMap<VarId, f64> {
    let parameters = work.vars.iter().zip((0..).map(VarId)).filter(|(var, _)| var.role == Role::Parameter);
    parameters.filter_map(|(var, v)| Some((v, work.pool.as_constant(var.binding?)?))).collect()
}

/// Assertions of bodies become assertions of the model.
fn check(work: &mut Work, assertions: Vec<Assertion<ExprId>>) {
    for assertion in assertions {
        let message = match &assertion.message {
            Text::Known(text) => work.pool.text(text),
            Text::Expr(e) => *e,
        };
        let (condition, warning) = (assertion.condition, false);
        let kind = ActionKind::Assert { condition, message, warning };
        let same = |action: &Action| matches!(&action.kind, ActionKind::Assert { condition: c, .. } if *c == condition);
        if !work.actions.iter().any(same) {
            work.actions.push(Action { kind, origin: Origin::default() });
        }
    }
}

/// The outputs of a call that are numbers. Where all of them are the call stays: it may have assertions.
fn numbers(pool: &Pool, call: ExprId) -> Vec<Option<f64>> {
    let Node::Call(function, args) = pool.node(call) else { return Vec::new() };
    let constant = |&arg: &ExprId| pool.as_constant(arg).is_some();
    if pool.function(function).notes.impure || !args.iter().any(constant) {
        return Vec::new();
    }
    constant_outputs(pool, function, args).filter(|outputs| outputs.contains(&None)).unwrap_or_default()
}

fn without_no_event(pool: &mut Pool, e: ExprId, memo: &mut Memo) -> ExprId {
    rewrite(pool, e, memo, &mut |pool, id| match pool.node(id) {
        Node::Op(Op::NoEvent, args) => args[0],
        Node::Op(Op::Smooth, args) => args[1],
        _ => id,
    })
}
