//! Subscripts that are known only while the model runs: they must lie within the array.
//!
//! In equations `a[i]` has become `if i == 1 then a[1] elseif … else a[n]`, which has a value whatever `i` is. The
//! specification (section 10.5) makes a subscript that is out of bounds an error. So the model gets an assertion for each
//! such choice: `1 <= i and i <= n`, as far as the choice is looked at. It may stand in a branch of `if`, or behind
//! `and` and `or`, which is why formulas are walked with what must hold to get there.
//!
//! `div`, `mod` and `rem` of Integers need every digit of their operands, and a product of Integers may have more than a number can
//! hold. What is assigned to an Integer variable is looked at in the run; such operands get an assertion of the same kind.

use kausal_symbolic::function::integers::LARGEST_INTEGER;
use kausal_symbolic::print::print_limited;
use kausal_symbolic::{ExprId, Node, Op, Pool, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::flat::{Action, ActionKind, Origin, OriginKind, Variable};
use crate::flattener::Flattener;
use crate::instance;
use crate::sink::Sink;

/// A formula with more choices than this is not looked at any further.
const MOST: usize = 10_000;

/// Remembers an Integer subscript: the values of other types are all subscripts.
pub(crate) fn note_subscript(fl: &mut Flattener<'_>, position: ExprId) {
    fl.positions.insert(position);
}

/// Is it a subscript that must be looked at?
pub(crate) fn is_noted(fl: &Flattener<'_>, position: ExprId) -> bool {
    fl.positions.contains(&position)
}

/// Remembers that an expression chooses by a subscript, and from how many elements.
pub(crate) fn note_choice(fl: &mut Flattener<'_>, chosen: ExprId, position: ExprId, size: usize) {
    // What is the same for all subscripts is used elsewhere too.
    if fl.positions.contains(&position) && matches!(fl.pool.node(chosen), Node::Op(Op::If, _)) {
        fl.subscripts.insert(chosen, (position, size));
    }
}

/// Remembers a division with remainder of two Integers.
pub(crate) fn note_division(fl: &mut Flattener<'_>, e: ExprId) {
    if operands(&fl.pool, e).any(|operand| may_be_inexact(&fl.pool, operand)) {
        fl.divisions.insert(e);
    }
}

/// What is divided, and by what.
fn operands(pool: &Pool, e: ExprId) -> impl Iterator<Item = ExprId> + use<> {
    let args = match pool.node(e) {
        Node::Op(Op::IntegerDiv | Op::Mod | Op::Rem, args) => args.to_vec(),
        _ => Vec::new(),
    };
    args.into_iter()
}

/// May an Integer have lost digits? Variables are looked at by themselves.
fn may_be_inexact(pool: &Pool, e: ExprId) -> bool {
    matches!(pool.node(e), Node::Op(Op::Add | Op::Mul | Op::Pow | Op::Integer | Op::If, _))
}

/// Adds assertions about subscripts and divided Integers to the equations, `when` clauses and values of parameters they stand in.
pub(crate) fn assert_ranges(
    fl: &mut Flattener<'_>,
    variables: &[Variable],
    sink: &mut Sink,
    initial: &mut Sink,
) {
    if fl.subscripts.is_empty() && fl.divisions.is_empty() {
        return;
    }
    let subscripts = std::mem::take(&mut fl.subscripts);
    let mut known: FxHashSet<ExprId> = FxHashSet::default();
    let mut standing = Vec::new();
    for variable in variables {
        if let Some(binding) = variable.binding {
            let location = variable.location;
            let origin = Origin { component: String::new(), location, kind: OriginKind::Binding };
            let found = ranges_in(fl, binding, &origin, &subscripts);
            standing.extend(found.into_iter().filter(|action| known.insert(condition(action))));
        }
    }
    let mut first = Vec::new();
    for equation in &initial.equations {
        for side in [equation.lhs, equation.rhs] {
            first.extend(ranges_in(fl, side, &equation.origin, &subscripts));
        }
    }
    initial.actions.extend(first);
    for equation in &sink.equations {
        for side in [equation.lhs, equation.rhs] {
            let found = ranges_in(fl, side, &equation.origin, &subscripts);
            standing.extend(found.into_iter().filter(|action| known.insert(condition(action))));
        }
    }
    sink.actions.extend(standing);
    for when in &mut sink.whens {
        for branch in &mut when.branches {
            let mut found = Vec::new();
            for action in &branch.actions {
                if let ActionKind::Assign(_, value) | ActionKind::Reinit(_, value) = action.kind {
                    found.extend(ranges_in(fl, value, &action.origin, &subscripts));
                }
            }
            branch.actions.splice(0..0, found);
        }
    }
}

/// Assertions about the choices in a formula.
fn ranges_in(
    fl: &mut Flattener<'_>,
    root: ExprId,
    origin: &Origin,
    subscripts: &FxHashMap<ExprId, (ExprId, usize)>,
) -> Vec<Action> {
    let mut found = Vec::new();
    let mut seen: FxHashSet<(ExprId, Option<ExprId>)> = FxHashSet::default();
    let mut stack: Vec<(ExprId, Option<ExprId>)> = vec![(root, None)];
    while let Some((e, guard)) = stack.pop() {
        if seen.len() > MOST || !seen.insert((e, guard)) {
            continue;
        }
        if let Some(&(position, size)) = subscripts.get(&e) {
            found.push(in_range(fl, position, size, guard, origin));
            stack.push((position, guard));
            stack.extend(choice_parts(&fl.pool, e, position, size).into_iter().map(|part| (part, guard)));
            continue;
        }
        if fl.divisions.contains(&e) {
            for operand in
                operands(&fl.pool, e).filter(|&operand| may_be_inexact(&fl.pool, operand)).collect::<Vec<_>>()
            {
                found.push(is_exact(fl, operand, guard, origin));
            }
        }
        let node = match fl.pool.node(e) {
            Node::Op(op, args) => Some((op, args.to_vec())),
            Node::Call(_, args) => Some((Op::Add, args.to_vec())),
            Node::Output(call, _) => Some((Op::Add, vec![call])),
            _ => None,
        };
        let Some((op, args)) = node else { continue };
        match (op, &args[..]) {
            (Op::If, &[c, a, b]) => {
                stack.push((c, guard));
                let (yes, no) = (also(&mut fl.pool, guard, c, true), also(&mut fl.pool, guard, c, false));
                stack.extend([(a, yes), (b, no)]);
            }
            (Op::And | Op::Or, args) => {
                let mut guard = guard;
                for &arg in args {
                    stack.push((arg, guard));
                    guard = also(&mut fl.pool, guard, arg, op == Op::And);
                }
            }
            (_, args) => stack.extend(args.iter().map(|&arg| (arg, guard))),
        }
    }
    found
}

/// What a choice chooses from.
fn choice_parts(pool: &Pool, choice: ExprId, position: ExprId, size: usize) -> Vec<ExprId> {
    let (mut parts, mut rest) = (Vec::new(), choice);
    // The only element of an array is chosen, too, with nothing beside it.
    for _ in 1..size.max(2) {
        let Node::Op(Op::If, &[c, yes, no]) = pool.node(rest) else { break };
        if !matches!(pool.node(c), Node::Op(Op::Equal, args) if args.contains(&position)) {
            break;
        }
        parts.push(yes);
        rest = no;
    }
    parts.push(rest);
    parts
}

/// The guard, and the condition on top of it or its contrary.
fn also(pool: &mut Pool, guard: Option<ExprId>, condition: ExprId, holds: bool) -> Option<ExprId> {
    let condition = if holds { condition } else { pool.op(Op::Not, &[condition]) };
    Some(match guard {
        Some(guard) => pool.op(Op::And, &[guard, condition]),
        None => condition,
    })
}

fn in_range(
    fl: &mut Flattener<'_>,
    position: ExprId,
    size: usize,
    guard: Option<ExprId>,
    origin: &Origin,
) -> Action {
    let name = |v: VarId| instance::variable_name(fl, v);
    let text = print_limited(&fl.pool, position, &name, 60);
    let (one, last) = (fl.pool.constant(1.0), fl.pool.constant(size as f64));
    let above = fl.pool.op(Op::LessEqual, &[one, position]);
    let below = fl.pool.op(Op::LessEqual, &[position, last]);
    let condition = fl.pool.op(Op::And, &[above, below]);
    asserted(fl, condition, &format!("the subscript {text} is outside 1:{size}"), guard, origin)
}

fn is_exact(fl: &mut Flattener<'_>, operand: ExprId, guard: Option<ExprId>, origin: &Origin) -> Action {
    let name = |v: VarId| instance::variable_name(fl, v);
    let text = print_limited(&fl.pool, operand, &name, 60);
    let size = fl.pool.op(Op::Abs, &[operand]);
    let limit = fl.pool.constant(LARGEST_INTEGER);
    let condition = fl.pool.op(Op::LessEqual, &[size, limit]);
    let message = format!("{text} is too large for an Integer, which is exact up to 2^53");
    asserted(fl, condition, &message, guard, origin)
}

/// The condition holds where the guard does.
fn asserted(
    fl: &mut Flattener<'_>,
    mut condition: ExprId,
    message: &str,
    guard: Option<ExprId>,
    origin: &Origin,
) -> Action {
    if let Some(guard) = guard {
        let elsewhere = fl.pool.op(Op::Not, &[guard]);
        condition = fl.pool.op(Op::Or, &[elsewhere, condition]);
    }
    let message = fl.pool.text(message);
    let kind = ActionKind::Assert { condition, message, warning: false };
    Action { kind, origin: origin.clone() }
}

fn condition(action: &Action) -> ExprId {
    match action.kind {
        ActionKind::Assert { condition, .. } => condition,
        _ => ExprId(u32::MAX),
    }
}
