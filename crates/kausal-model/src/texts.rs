//! Strings that must be known when the flat model is left: names of files, above all.
//!
//! What foreign functions make of strings (`loadResource("modelica://…")`, `fullPathName`, `substring`) needs the
//! libraries, which only this room knows. So the value of a `String` parameter that calls foreign functions becomes
//! a literal, and so do the strings given to foreign functions, as to the constructor of a table.

use kausal_symbolic::function::layout::Layout;
use kausal_symbolic::function::{Body, Scalar, Term};
use kausal_symbolic::substitute::Substitution;
use kausal_symbolic::{ExprId, FunctionId, Node as Expression, Pool};
use rustc_hash::FxHashSet;

use crate::bindings;
use crate::flattener::Flattener;

/// The value of a parameter with its strings settled as far as they can be; `text` for a `String`.
pub(crate) fn settle_texts(fl: &mut Flattener<'_>, e: ExprId, text: bool) -> ExprId {
    if !fl.pool.has_calls(e) {
        return e;
    }
    let calls = calls_below(&fl.pool, e);
    if text && calls.iter().any(|&(_, function)| is_foreign(&fl.pool, function)) {
        return fl.fold(e).unwrap_or(e);
    }
    let mut replaced = Substitution::new();
    for (call, function) in calls {
        if !is_foreign(&fl.pool, function) {
            continue;
        }
        for arg in text_arguments(&fl.pool, call, function) {
            if let Ok(value) = fl.fold(arg) {
                replaced.set_expr(arg, value);
            }
        }
    }
    if replaced.is_empty() { e } else { replaced.apply(&mut fl.pool, e) }
}

fn calls_below(pool: &Pool, e: ExprId) -> Vec<(ExprId, FunctionId)> {
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    let mut stack = vec![e];
    while let Some(e) = stack.pop() {
        if !pool.has_calls(e) || !seen.insert(e) {
            continue;
        }
        if let Expression::Call(function, _) = pool.node(e) {
            found.push((e, function));
        }
        stack.extend_from_slice(pool.children(e));
    }
    found
}

/// The strings a function is called with that are not literals.
fn text_arguments(pool: &Pool, call: ExprId, function: FunctionId) -> Vec<ExprId> {
    let Some(layout) = Layout::of_inputs(pool.function(function)) else { return Vec::new() };
    let is_text = |i: usize| layout.find(i).is_some_and(|(entry, _)| entry.scalar == Scalar::String);
    let args = pool.children(call).iter().copied().enumerate();
    args.filter(|&(i, arg)| is_text(i) && !bindings::is_literal(pool, arg)).map(|(_, arg)| arg).collect()
}

/// Is the function foreign, or does it call one that is?
fn is_foreign(pool: &Pool, function: FunctionId) -> bool {
    let mut seen = FxHashSet::default();
    let mut stack = vec![function];
    while let Some(id) = stack.pop() {
        let Some(function) = pool.get_function(id).filter(|_| seen.insert(id)) else { continue };
        if matches!(function.body, Body::External(_)) {
            return true;
        }
        stack.extend(function.terms.iter().filter_map(|term| match term {
            Term::Call(called, ..) => Some(*called),
            _ => None,
        }));
    }
    false
}
