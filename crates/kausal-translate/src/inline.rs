//! Calls become what their functions compute, wherever that is possible and not too large.
//!
//! This happens before index reduction, also for functions with a `derivative` annotation: what a formula depends
//! on is then visible, and differentiating the formula gives what the annotation would. Calls that stay (foreign
//! functions, loops of unknown length, large bodies) are differentiated by their annotation. Of those, outputs that are
//! numbers whatever the variables among the arguments are become these numbers: a capacitance of zero is no
//! capacitance, and which variables are states depends on it.

use kausal_symbolic::function::inline::{Stage, inline_flat, should_inline};
use kausal_symbolic::function::sizes::constant_outputs;
use kausal_symbolic::{ExprId, Node, Op, Pool};
use rustc_hash::FxHashMap;

use crate::rewrite::rewrite;
use crate::work::Work;

/// Inlines calls in all equations. With `silent`, what comes out has no `noEvent`: events were dealt with before, and
/// functions cause none.
pub(crate) fn inline(work: &mut Work, silent: bool) {
    let mut calls = std::mem::take(&mut work.calls);
    // The outputs of each call that was inlined; `None` for calls that stay.
    let mut bodies: FxHashMap<ExprId, Option<Vec<ExprId>>> = FxHashMap::default();
    let mut silenced = FxHashMap::default();
    let mut known: FxHashMap<ExprId, Vec<Option<f64>>> = FxHashMap::default();
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
                // A body with assertions of its own stays a call: they must be checked where it is evaluated.
                assertions.iter().all(|a| a.warning).then_some(outputs)
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

fn without_no_event(pool: &mut Pool, e: ExprId, memo: &mut FxHashMap<ExprId, ExprId>) -> ExprId {
    rewrite(pool, e, memo, &mut |pool, id| match pool.node(id) {
        Node::Op(Op::NoEvent, args) => args[0],
        Node::Op(Op::Smooth, args) => args[1],
        _ => id,
    })
}
