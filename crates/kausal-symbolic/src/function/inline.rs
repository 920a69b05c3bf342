//! Turns calls into the expressions their functions compute.
//!
//! **Policy** (specification section 12.8): `Inline` and `LateInline` are honoured; a function with a `derivative`
//! or `inverse` annotation stays a call until these have been used; other functions are inlined if they are
//! small, that is if few expressions come out. Impure, foreign and recursive functions stay calls, and so does what
//! needs a number that is only known at run time: the length of a loop, a size, a string.

use super::calls::{Applied, Calls};
use super::evaluator::{Evaluator, Limits};
use super::layout::{Layout, flatten, unflatten};
use super::symbolic::Symbolic;
use super::value::Value;
use super::{Body, EvalError, Function, FunctionId, Scalar, Stmt, Term};
use crate::node::ExprId;
use crate::pool::Pool;

/// How far the translation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Before equations are differentiated and solved.
    Early,
    /// After index reduction.
    Reduced,
    /// After all symbolic work.
    Late,
}

/// New expressions a function may make that asks to be inlined.
pub const BUDGET: usize = 20_000;

/// New expressions a function may make that does not ask.
pub const SMALL_BUDGET: usize = 120;

/// A function that does not ask to be inlined may have so many statements.
const SMALL_STATEMENTS: usize = 24;

/// Statements and loop rounds while inlining.
const STEPS: u64 = 500_000;

/// Shall calls of this function be inlined now? If so, with how many new expressions at most.
pub fn should_inline(pool: &Pool, id: FunctionId, stage: Stage) -> Option<usize> {
    let budget = inline_budget(pool, id, stage)?;
    (!is_recursive(pool, id)).then_some(budget)
}

/// As [`should_inline`] for a function that does not call itself.
pub(super) fn inline_budget(pool: &Pool, id: FunctionId, stage: Stage) -> Option<usize> {
    let function = pool.function(id);
    if !can_inline(function) {
        return None;
    }
    let notes = &function.notes;
    if notes.late_inline == Some(true) {
        return (stage == Stage::Late).then_some(BUDGET);
    }
    if notes.inline_after_index_reduction {
        return (stage != Stage::Early).then_some(BUDGET);
    }
    match notes.inline {
        Some(true) => Some(BUDGET),
        None if notes.generate_events => Some(BUDGET),
        Some(false) => None,
        None => {
            let annotated = !notes.derivatives.is_empty() || !notes.inverses.is_empty();
            (is_small(function) && (!annotated || stage == Stage::Late)).then_some(SMALL_BUDGET)
        }
    }
}

/// Nothing about the function itself forbids it.
fn can_inline(function: &Function) -> bool {
    let foreign = matches!(&function.body, Body::External(external) if external.builtin().is_none());
    !foreign
        && !function.notes.impure
        && function.outputs.iter().all(|&output| function.local(output).scalar != Scalar::String)
}

fn is_small(function: &Function) -> bool {
    let Body::Algorithm(statements) = &function.body else { return true };
    let mut count = 0;
    let mut stack: Vec<&[Stmt]> = vec![statements];
    while let Some(block) = stack.pop() {
        count += block.len();
        if count > SMALL_STATEMENTS {
            return false;
        }
        for statement in block {
            stack.extend(statement.blocks());
        }
    }
    true
}

/// Does the function call itself, directly or through others?
pub fn is_recursive(pool: &Pool, id: FunctionId) -> bool {
    let count = pool.functions().count();
    let mut seen = vec![false; count];
    let mut stack = vec![id];
    while let Some(next) = stack.pop() {
        let called = pool.function(next).terms.iter().filter_map(|term| match term {
            Term::Call(called, ..) if (called.0 as usize) < count => Some(*called),
            _ => None,
        });
        for called in called {
            if called == id {
                return true;
            }
            if !std::mem::replace(&mut seen[called.0 as usize], true) {
                stack.push(called);
            }
        }
    }
    false
}

/// Should a call inside an inlined function stay a call, before index reduction?
fn stays_early(function: &Function) -> bool {
    let notes = &function.notes;
    stays_reduced(function)
        || notes.inline_after_index_reduction
        || notes.inline.is_none() && (!notes.derivatives.is_empty() || !notes.inverses.is_empty())
}

/// The same after index reduction.
fn stays_reduced(function: &Function) -> bool {
    stays_late(function) || function.notes.late_inline == Some(true)
}

/// The same after all symbolic work.
fn stays_late(function: &Function) -> bool {
    !can_inline(function) || function.notes.inline == Some(false) && function.notes.late_inline != Some(true)
}

/// Beside relations that cause events: functions that cause none stay calls, to be inlined by themselves.
fn stays_beside_events(function: &Function) -> bool {
    !function.notes.generate_events || stays_late(function)
}

/// The body of a function for these arguments. Functions it calls are inlined as well or stay calls.
pub fn inline(
    pool: &mut Pool,
    calls: &mut Calls,
    function: FunctionId,
    args: &[Value<ExprId>],
    stage: Stage,
    budget: usize,
) -> Result<Applied, EvalError> {
    let keep = match stage {
        Stage::Early => stays_early,
        Stage::Reduced => stays_reduced,
        Stage::Late => stays_late,
    };
    let events = pool.function(function).notes.generate_events;
    if events && let Ok(applied) = inline_with(pool, calls, function, args, budget, stays_beside_events) {
        return Ok(applied);
    }
    inline_with(pool, calls, function, args, budget, keep)
}

fn inline_with(
    pool: &mut Pool,
    calls: &mut Calls,
    function: FunctionId,
    args: &[Value<ExprId>],
    budget: usize,
    keep: fn(&Function) -> bool,
) -> Result<Applied, EvalError> {
    let events = pool.function(function).notes.generate_events;
    let domain = Symbolic::new(pool).with_budget(budget).with_events(events).with_calls(calls, keep);
    let limits = Limits { steps: STEPS, ..Limits::default() };
    let mut evaluator = Evaluator::new(domain).with_limits(limits);
    let outputs = evaluator.call(function, args)?;
    Ok(Applied { outputs, assertions: evaluator.domain.assertions })
}

/// All scalar outputs of a closed function for all its scalar arguments; `None` if it cannot be inlined within the
/// budget, or if an assertion is left, which would be lost.
pub fn inline_call(
    pool: &mut Pool,
    function: FunctionId,
    args: &[ExprId],
    budget: usize,
) -> Option<Vec<ExprId>> {
    let (outputs, assertions) = inline_flat(pool, &mut Calls::new(), function, args, Stage::Late, budget)?;
    assertions.iter().all(|assertion| assertion.warning).then_some(outputs)
}

/// As [`inline_call`], with the assertions that are left.
pub fn inline_flat(
    pool: &mut Pool,
    calls: &mut Calls,
    function: FunctionId,
    args: &[ExprId],
    stage: Stage,
    budget: usize,
) -> Option<(Vec<ExprId>, Vec<super::Assertion<ExprId>>)> {
    let layout = Layout::of_inputs(pool.function(function))?;
    if layout.len != args.len() {
        return None;
    }
    let args = unflatten(pool, &layout, args)?;
    let applied = inline(pool, calls, function, &args, stage, budget).ok()?;
    Some((flatten(pool, &applied.outputs), applied.assertions))
}
