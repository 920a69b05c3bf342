//! Two terms that several sums have in common are added up once.
//!
//! Elimination writes each value as one sum of products. A part of one sum may be the whole or a part of another: an inertia
//! without the motion of its joint, and the same moved to another point. Terms are compared two by two, up to a
//! common sign; a pair with a product in it is worth a variable if it occurs twice.

use kausal_symbolic::{ExprId, Node, Op, Pool};
use rustc_hash::FxHashMap;

use crate::blocks::emitter::Emitter;
use crate::equations::solve;
use crate::program::Step;

/// Longer sums are left as they are.
const LONG: usize = 16;

/// Two terms, the smaller id first, and whether their signs differ.
type Pair = (ExprId, ExprId, bool);

/// Computes pairs of terms once that occur in several assignments.
pub(crate) fn share(emitter: &mut Emitter, steps: &mut Vec<Step>) {
    let mut found: FxHashMap<Pair, Vec<usize>> = FxHashMap::default();
    let mut order: Vec<Pair> = Vec::new();
    for (k, step) in steps.iter().enumerate() {
        for pair in pairs(&emitter.work.pool, &terms(&emitter.work.pool, step)) {
            let places = found.entry(pair).or_insert_with(|| {
                order.push(pair);
                Vec::new()
            });
            if places.last() != Some(&k) {
                places.push(k);
            }
        }
    }
    // New variables, each before the step that needs it first.
    let mut inserted: Vec<(usize, Step)> = Vec::new();
    for pair in order {
        let places = &found[&pair];
        if places.len() < 2 {
            continue;
        }
        let has = |k: &&usize| {
            let terms = terms(&emitter.work.pool, &steps[**k]);
            pairs(&emitter.work.pool, &terms).contains(&pair)
        };
        let places: Vec<usize> = places.iter().filter(has).copied().collect();
        let [first, _, ..] = places[..] else { continue };
        let mut own = Vec::new();
        let pool = &mut emitter.work.pool;
        let second = if pair.2 { pool.op(Op::Neg, &[pair.1]) } else { pair.1 };
        let sum = pool.op(Op::Add, &[pair.0, second]);
        let held = emitter.temporary(sum, &mut own);
        emitter.bound(held, sum);
        inserted.extend(own.into_iter().map(|step| (first, step)));
        for k in places {
            replace(&mut emitter.work.pool, &mut steps[k], pair, held);
        }
    }
    inserted.sort_by_key(|&(at, _)| at);
    let mut inserted = inserted.into_iter().peekable();
    let old = std::mem::take(steps);
    for (k, step) in old.into_iter().enumerate() {
        while let Some((_, new)) = inserted.next_if(|&(at, _)| at <= k) {
            steps.push(new);
        }
        steps.push(step);
    }
}

/// The terms of an assigned sum without their signs, and whether there was a minus.
fn terms(pool: &Pool, step: &Step) -> Vec<(ExprId, bool)> {
    let Step::Assign(assign) = step else { return Vec::new() };
    // Unknowns of the block may be left for later, when its temporaries mean nothing.
    if assign.equation.is_some() {
        return Vec::new();
    }
    match pool.node(assign.value) {
        Node::Op(Op::Add, args) if args.len() <= LONG => {
            args.iter().map(|&term| signed(pool, term)).collect()
        }
        _ => Vec::new(),
    }
}

fn signed(pool: &Pool, term: ExprId) -> (ExprId, bool) {
    pool.as_neg(term).map_or((term, false), |inner| (inner, true))
}

fn pairs(pool: &Pool, terms: &[(ExprId, bool)]) -> Vec<Pair> {
    let is_product = |e: ExprId| matches!(pool.node(e), Node::Op(Op::Mul | Op::Div, _));
    let mut out = Vec::new();
    for (k, &(a, a_negative)) in terms.iter().enumerate() {
        for &(b, b_negative) in &terms[k + 1..] {
            if a != b && (is_product(a) || is_product(b)) {
                out.push((a.min(b), a.max(b), a_negative != b_negative));
            }
        }
    }
    out
}

/// Puts the variable in the place of the two terms.
fn replace(pool: &mut Pool, step: &mut Step, pair: Pair, held: ExprId) {
    let own = terms(pool, step);
    let Step::Assign(assign) = step else { return };
    let Some(&(_, negative)) = own.iter().find(|&&(e, _)| e == pair.0) else { return };
    let mut sum: Vec<ExprId> = Vec::with_capacity(own.len());
    let mut push = |e: ExprId, negative: bool, pool: &mut Pool| {
        sum.push(if negative { pool.op(Op::Neg, &[e]) } else { e });
    };
    push(held, negative, pool);
    own.iter().filter(|&&(e, _)| e != pair.0 && e != pair.1).for_each(|&(e, n)| push(e, n, pool));
    assign.value = solve::sum(pool, &sum);
}
