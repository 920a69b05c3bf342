//! Chains of `semiLinear`: what flows through components one after the other.
//!
//! ```text
//! y = semiLinear(x, sa, s1);                s1 = if x >= 0 then sa else sb;
//! y = semiLinear(x, s1, s2);       →        s2 = s1;
//! …                                         …
//! y = semiLinear(x, sN, sb);                y = semiLinear(x, sa, sb);
//! ```
//!
//! (Modelica 3.6, 3.7.2.5.) Where `x` is not zero both say the same. Where it is, the left side leaves `s1` to `sN` open, and as a
//! system it has to be solved with conditions in it; the right side is one formula after the other. Before: aliases are eliminated.
//! After: no chain is left; equations `s2 = s1` are trivial again.
//!
//! An equation counts by what it says and not by how it is written: one side is `±y`, the other a choice by the sign of `x` between
//! two multiples of `x`.

use kausal_model::flat::Type;
use kausal_symbolic::linear::linear_coefficients;
use kausal_symbolic::{ExprId, Node, Op, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::equations::work::{EquationForm, Role, Work};

/// `y = if x >= 0 then forward*x else backward*x`
struct SemiLinear {
    equation: usize,
    y: VarId,
    x: VarId,
    /// True where `x >= 0`, or true where `x <= 0`.
    condition: ExprId,
    is_forward: bool,
    /// True for `x = 0`, too, where it is forward.
    includes_zero: bool,
    forward: ExprId,
    backward: ExprId,
}

/// Resolves all chains; was there one?
pub(crate) fn resolve(work: &mut Work) -> bool {
    let signs = signs(work);
    let mut groups: FxHashMap<(VarId, VarId), Vec<SemiLinear>> = FxHashMap::default();
    let mut order = Vec::new();
    for equation in 0..work.equations.len() {
        let Some(found) = parse(work, &signs, equation) else { continue };
        let key = (found.y, found.x);
        let group = groups.entry(key).or_default();
        if group.is_empty() {
            order.push(key);
        }
        group.push(found);
    }
    let mut any = false;
    for key in order {
        let group = groups.remove(&key).unwrap_or_default();
        for chain in chains(work, &group) {
            replace(work, &chain);
            any = true;
        }
    }
    any
}

/// The sign that the value of a relation's variable tells: of which variable, whether it is true for positive values, and for zero.
fn signs(work: &Work) -> FxHashMap<VarId, (VarId, bool, bool)> {
    let mut values: FxHashMap<VarId, ExprId> = FxHashMap::default();
    for e in work.equations.iter().filter(|e| e.form == EquationForm::Plain) {
        if let Node::Var(v) = work.pool.node(e.lhs) {
            values.insert(v, e.rhs);
        }
    }
    let known = work.relations.iter().filter(|r| !r.trace).filter_map(|r| {
        let (x, negated) = signed(work, *values.get(&r.difference)?)?;
        Some((r.variable, (x, negated, r.or_equal)))
    });
    known.collect()
}

/// A variable, and whether it is negated.
fn signed(work: &Work, e: ExprId) -> Option<(VarId, bool)> {
    match work.pool.node(e) {
        Node::Var(v) => Some((v, false)),
        Node::Op(Op::Neg, args) => work.pool.as_var(args[0]).map(|v| (v, true)),
        _ => None,
    }
}

/// The sign that a condition tells, as [`signs`] has it.
fn sign_of(
    work: &Work,
    signs: &FxHashMap<VarId, (VarId, bool, bool)>,
    condition: ExprId,
) -> Option<(VarId, bool, bool)> {
    match work.pool.node(condition) {
        Node::Var(v) => signs.get(&v).copied(),
        Node::Op(op @ (Op::Less | Op::LessEqual), &[a, b]) => {
            let zero = |e: ExprId| work.pool.as_constant(e) == Some(0.0);
            let (x, negated) = match (zero(a), zero(b)) {
                (true, false) => signed(work, b).map(|(x, negated)| (x, !negated)),
                (false, true) => signed(work, a),
                _ => None,
            }?;
            Some((x, negated, op == Op::LessEqual))
        }
        _ => None,
    }
}

fn parse(
    work: &mut Work,
    signs: &FxHashMap<VarId, (VarId, bool, bool)>,
    equation: usize,
) -> Option<SemiLinear> {
    let e = &work.equations[equation];
    if e.form != EquationForm::Plain || e.order > 0 {
        return None;
    }
    let choice = |side: ExprId| match work.pool.node(side) {
        Node::Op(Op::If, &[c, a, b]) => Some((c, a, b, false)),
        Node::Op(Op::Neg, args) => match work.pool.node(args[0]) {
            Node::Op(Op::If, &[c, a, b]) => Some((c, a, b, true)),
            _ => None,
        },
        _ => None,
    };
    let (side, (condition, yes, no, opposite)) = match (choice(e.lhs), choice(e.rhs)) {
        (None, Some(choice)) => (e.lhs, choice),
        (Some(choice), None) => (e.rhs, choice),
        _ => return None,
    };
    let (y, negated) = signed(work, side)?;
    let (x, is_forward, or_equal) = sign_of(work, signs, condition)?;
    let yes = slope(work, yes, x, negated != opposite)?;
    let no = slope(work, no, x, negated != opposite)?;
    let (forward, backward) = if is_forward { (yes, no) } else { (no, yes) };
    let includes_zero = is_forward == or_equal;
    Some(SemiLinear { equation, y, x, condition, is_forward, includes_zero, forward, backward })
}

/// The factor of a multiple of `x`, or the negative of it.
fn slope(work: &mut Work, of: ExprId, x: VarId, negated: bool) -> Option<ExprId> {
    if work.pool.has_calls(of) {
        return None;
    }
    let linear = linear_coefficients(&mut work.pool, of, |v| v == x)?;
    let &[(_, factor)] = &linear.coefficients[..] else { return None };
    if !work.pool.is_zero(linear.rest) {
        return None;
    }
    Some(if negated { work.pool.op(Op::Neg, &[factor]) } else { factor })
}

/// Those of one `x` and one `y` that follow each other, from `sa` to `sb`.
fn chains<'a>(work: &Work, group: &'a [SemiLinear]) -> Vec<Vec<&'a SemiLinear>> {
    if group.len() < 2 {
        return Vec::new();
    }
    // A level, or its negative where `y` flows the other way.
    let inner = |e: ExprId| {
        let (v, _) = signed(work, e)?;
        let var = work.var(v);
        let own = var.role == Role::Continuous && var.ty == Type::Real && var.alias.is_none() && !var.keep;
        (own && var.integral.is_none() && var.derivative.is_none()).then_some(e)
    };
    // Each of them at the variable it begins with, if that is another one's end; one that two begin with is none's.
    let mut starts: FxHashMap<ExprId, Option<usize>> = FxHashMap::default();
    let mut ends: FxHashMap<ExprId, u32> = FxHashMap::default();
    for (k, one) in group.iter().enumerate() {
        if let Some(level) = inner(one.forward) {
            starts.entry(level).and_modify(|place| *place = None).or_insert(Some(k));
        }
        if let Some(level) = inner(one.backward) {
            *ends.entry(level).or_default() += 1;
        }
    }
    let follower = |k: usize| {
        let level = inner(group[k].backward).filter(|level| ends.get(level) == Some(&1))?;
        starts.get(&level).copied().flatten().filter(|&next| next != k)
    };
    let followed: FxHashSet<usize> = (0..group.len()).filter_map(follower).collect();
    let mut all = Vec::new();
    for first in (0..group.len()).filter(|k| !followed.contains(k)) {
        let (mut chain, mut at) = (vec![&group[first]], first);
        while let Some(next) = follower(at) {
            chain.push(&group[next]);
            at = next;
        }
        if chain.len() > 1 {
            all.push(chain);
        }
    }
    all
}

fn replace(work: &mut Work, chain: &[&SemiLinear]) {
    let (Some(first), Some(last)) = (chain.first(), chain.last()) else { return };
    let (sa, sb) = (first.forward, last.backward);
    let by = chain.iter().find(|one| one.includes_zero).unwrap_or(first);
    let (condition, is_forward) = (by.condition, by.is_forward);
    let choose = |work: &mut Work, forward: ExprId, backward: ExprId| {
        let (yes, no) = if is_forward { (forward, backward) } else { (backward, forward) };
        work.pool.op(Op::If, &[condition, yes, no])
    };
    let x = work.pool.var(first.x);
    let forward = work.pool.op(Op::Mul, &[x, sa]);
    let backward = work.pool.op(Op::Mul, &[x, sb]);
    let whole = choose(work, forward, backward);
    work.equations[first.equation].lhs = work.pool.var(first.y);
    work.equations[first.equation].rhs = whole;
    let inner = choose(work, sa, sb);
    for (k, pair) in chain.windows(2).enumerate() {
        let e = &mut work.equations[pair[1].equation];
        e.lhs = pair[0].backward;
        e.rhs = if k == 0 { inner } else { chain[0].backward };
    }
}
