//! Calls become what their functions compute, where the functions ask for it or are small.
//!
//! Flattening inlined what may be inlined early; what has a `derivative` or `inverse` annotation, or asks for
//! it, waits until these have been used (specification section 12.8).

use kausal_symbolic::function::inline::{Stage, inline_flat, should_inline};
use kausal_symbolic::{ExprId, Node};
use rustc_hash::FxHashMap;

use crate::rewrite::rewrite;
use crate::work::Work;

/// Inlines calls in all equations.
pub(crate) fn inline(work: &mut Work, stage: Stage) {
    let mut calls = std::mem::take(&mut work.calls);
    // The outputs of each call that was inlined; `None` for calls that stay.
    let mut bodies: FxHashMap<ExprId, Option<Vec<ExprId>>> = FxHashMap::default();
    work.map_expressions(&mut |pool, memo, e| {
        if !pool.has_calls(e) {
            return e;
        }
        rewrite(pool, e, memo, &mut |pool, id| {
            let Node::Output(call, k) = pool.node(id) else { return id };
            let body = bodies.entry(call).or_insert_with(|| {
                let Node::Call(function, args) = pool.node(call) else { return None };
                let args = args.to_vec();
                let budget = should_inline(pool, function, stage)?;
                let (outputs, assertions) = inline_flat(pool, &mut calls, function, &args, stage, budget)?;
                // A body with assertions of its own stays a call: they must be checked where it is evaluated.
                assertions.iter().all(|a| a.warning).then_some(outputs)
            });
            body.as_ref().and_then(|outputs| outputs.get(k as usize)).copied().unwrap_or(id)
        })
    });
    work.calls = calls;
}
