//! Products in a sum that have a factor in common become one product: `a*b + a*c` is `a*(b + c)`.
//!
//! Before, after [`pairs`](crate::blocks::pairs): the temporaries of an eliminated block are sums of products. A sum that only one
//! other sum reads is written into it, where that brings a common factor together: an inertia that is moved to another point in
//! two halves has each component of the distance twice. After: the same values, each factor once in a sum.
//!
//! Unknowns of the block stay as they are: they may be left for later, when its temporaries mean nothing.

use kausal_symbolic::{ExprId, Node, Op, Pool, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::blocks::emitter::{Emitter, is_atom};
use crate::equations::solve;
use crate::program::Step;

/// Sums with more terms are left as they are.
const LONG: usize = 24;

/// A term without its sign, and whether it is subtracted.
type Term = (ExprId, bool);

/// Takes common factors out of the sums of temporaries; `kept` are read by others.
pub(crate) fn take_out(emitter: &mut Emitter, steps: &mut Vec<Step>, kept: &FxHashSet<VarId>) {
    let reads = reads(&emitter.work.pool, steps);
    // Sums that are read once, by the variables that hold them.
    let mut once: FxHashMap<VarId, Vec<Term>> = FxHashMap::default();
    let mut inlined: FxHashSet<VarId> = FxHashSet::default();
    for step in steps.iter_mut() {
        let Step::Assign(assign) = step else { continue };
        if assign.equation.is_some() {
            continue;
        }
        let Some(own) = sum_terms(&emitter.work.pool, assign.value) else { continue };
        let (terms, from) = with_inner(&emitter.work.pool, &own, &once);
        let chosen = if saved(&emitter.work.pool, &terms) > saved(&emitter.work.pool, &own) {
            inlined.extend(from);
            terms
        } else {
            own
        };
        if saved(&emitter.work.pool, &chosen) > 0 {
            assign.value = factored(&mut emitter.work.pool, &chosen);
        }
        if reads.get(&assign.variable) == Some(&1) && !kept.contains(&assign.variable) {
            once.insert(assign.variable, chosen);
        }
    }
    steps.retain(|step| !matches!(step, Step::Assign(assign) if inlined.contains(&assign.variable)));
}

/// How often each variable is read.
fn reads(pool: &Pool, steps: &[Step]) -> FxHashMap<VarId, usize> {
    let mut count: FxHashMap<VarId, usize> = FxHashMap::default();
    let mut read = |v: VarId| *count.entry(v).or_default() += 1;
    for step in steps {
        match step {
            Step::Assign(assign) => {
                // A variable twice in one formula is read twice.
                let mut stack = vec![assign.value];
                while let Some(e) = stack.pop() {
                    match pool.node(e) {
                        Node::Var(v) => read(v),
                        Node::Op(_, args) | Node::Call(_, args) => stack.extend(args),
                        Node::Output(call, _) => stack.push(call),
                        _ => {}
                    }
                }
            }
            Step::Call(call) => call.args.iter().flat_map(|&a| pool.variables_of(a)).for_each(&mut read),
            Step::Solve(solve) => {
                solve.entries.iter().for_each(|&(_, _, v)| read(v));
                solve.rhs.iter().for_each(|&v| read(v));
            }
            _ => {}
        }
    }
    count
}

fn sum_terms(pool: &Pool, value: ExprId) -> Option<Vec<Term>> {
    let Node::Op(Op::Add, args) = pool.node(value) else { return None };
    let signed = |&e: &ExprId| pool.as_neg(e).map_or((e, false), |inner| (inner, true));
    (args.len() <= LONG).then(|| args.iter().map(signed).collect())
}

/// The terms with sums that are read here only written out, and which these were.
fn with_inner(pool: &Pool, own: &[Term], once: &FxHashMap<VarId, Vec<Term>>) -> (Vec<Term>, Vec<VarId>) {
    let (mut terms, mut from) = (Vec::new(), Vec::new());
    for &(e, negative) in own {
        let inner = pool.as_var(e).and_then(|v| once.get(&v).map(|terms| (v, terms)));
        match inner.filter(|(_, inner)| terms.len() + inner.len() + own.len() <= LONG) {
            Some((v, inner)) => {
                terms.extend(inner.iter().map(|&(e, n)| (e, n != negative)));
                from.push(v);
            }
            None => terms.push((e, negative)),
        }
    }
    (terms, from)
}

/// The factors of a product of two that are not divided.
fn factors(pool: &Pool, e: ExprId) -> Option<[ExprId; 2]> {
    match pool.node(e) {
        Node::Op(Op::Mul, &[a, b]) if is_atom(pool, a) && is_atom(pool, b) => Some([a, b]),
        _ => None,
    }
}

/// Groups of terms with a common factor: the most frequent factors first, then those that come first.
fn groups(pool: &Pool, terms: &[Term]) -> Vec<(ExprId, Vec<usize>)> {
    let mut open: Vec<usize> = (0..terms.len()).filter(|&k| factors(pool, terms[k].0).is_some()).collect();
    let mut out = Vec::new();
    loop {
        let mut places: Vec<(ExprId, Vec<usize>)> = Vec::new();
        for &k in &open {
            for f in factors(pool, terms[k].0).into_iter().flatten() {
                match places.iter_mut().find(|(known, _)| *known == f) {
                    Some((_, list)) if list.last() != Some(&k) => list.push(k),
                    Some(_) => {}
                    None => places.push((f, vec![k])),
                }
            }
        }
        let most = places.iter().map(|(_, list)| list.len()).max().unwrap_or(0);
        let Some(best) = places.into_iter().find(|(_, list)| list.len() == most && most > 1) else {
            return out;
        };
        open.retain(|k| !best.1.contains(k));
        out.push(best);
    }
}

/// Multiplications that factors taken out save.
fn saved(pool: &Pool, terms: &[Term]) -> usize {
    groups(pool, terms).iter().map(|(_, list)| list.len() - 1).sum()
}

fn factored(pool: &mut Pool, terms: &[Term]) -> ExprId {
    let groups = groups(pool, terms);
    let first: FxHashMap<usize, usize> =
        groups.iter().enumerate().map(|(g, (_, list))| (list[0], g)).collect();
    let grouped: FxHashSet<usize> = groups.iter().flat_map(|(_, list)| list.iter().copied()).collect();
    let mut sum = Vec::with_capacity(terms.len());
    for (k, &(e, negative)) in terms.iter().enumerate() {
        let term = match first.get(&k) {
            Some(&g) => {
                let (factor, ref list) = groups[g];
                let mut inner = Vec::with_capacity(list.len());
                for &i in list {
                    let other = match factors(pool, terms[i].0) {
                        Some([a, b]) if a == factor => b,
                        Some([a, _]) => a,
                        None => terms[i].0,
                    };
                    // The sign of the first term stands before the product.
                    inner.push(if terms[i].1 != negative { pool.op(Op::Neg, &[other]) } else { other });
                }
                let inner = solve::sum(pool, &inner);
                pool.op(Op::Mul, &[factor, inner])
            }
            None if grouped.contains(&k) => continue,
            None => e,
        };
        sum.push(if negative { pool.op(Op::Neg, &[term]) } else { term });
    }
    solve::sum(pool, &sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kausal_symbolic::count::written_operations;

    fn multiplications(pool: &Pool, e: ExprId) -> u64 {
        written_operations(pool, e).mul
    }

    /// `x*a + y*b - x*c + z` is `x*(a - c) + y*b + z`.
    #[test]
    fn a_common_factor_is_multiplied_once() {
        let mut pool = Pool::default();
        let [x, y, z, a, b, c] = [0, 1, 2, 3, 4, 5].map(|k| pool.var(VarId(k)));
        let products = [[x, a], [y, b], [x, c]].map(|factors| pool.op(Op::Mul, &factors));
        let terms = [(products[0], false), (products[1], false), (products[2], true), (z, false)];
        assert_eq!(saved(&pool, &terms), 1);
        let sum = factored(&mut pool, &terms);
        assert_eq!(multiplications(&pool, sum), 2);
        let names = ["x", "y", "z", "a", "b", "c"];
        let values: [f64; 6] = [2.0, 3.0, 5.0, 7.0, 11.0, 13.0];
        let text = kausal_symbolic::print::print(&pool, sum, &|v| names[v.index()].to_owned());
        let value = kausal_symbolic::evaluate::evaluate(&pool, sum, &mut |v: VarId| values[v.index()]);
        assert_eq!(value, 2.0 * 7.0 + 3.0 * 11.0 - 2.0 * 13.0 + 5.0, "{text}");
    }

    /// A sum that is read once is written into its reader where that brings factors together, and only there.
    #[test]
    fn inner_sums_are_written_out_where_that_pays() {
        let mut pool = Pool::default();
        let [x, a, b, inner, other] = [0, 1, 2, 3, 4].map(|k| pool.var(VarId(k)));
        let (xa, xb) = (pool.op(Op::Mul, &[x, a]), pool.op(Op::Mul, &[x, b]));
        let once = FxHashMap::from_iter([(VarId(3), vec![(xa, true), (b, false)])]);
        let (terms, from) = with_inner(&pool, &[(xb, false), (inner, true), (other, false)], &once);
        assert_eq!(from, [VarId(3)]);
        assert_eq!(terms, [(xb, false), (xa, false), (b, true), (other, false)]);
        assert_eq!(saved(&pool, &terms), 1);
    }
}
