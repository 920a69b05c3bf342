//! Linear coefficients: `expr = Σ cᵢ xᵢ + rest` with coefficients and rest free of the unknowns.
//!
//! One walk up finds what depends on the unknowns and whether it does so linearly; one walk down from the root
//! carries the factor with which every node enters the sum, so that shared parts and long sums cost their size.
//! A choice between linear expressions is linear; its coefficients are choices between theirs.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

use crate::node::{ExprId, Node, Op, VarId};
use crate::pool::Pool;
use crate::simplify::Args;
use crate::substitute::map_children;
use crate::visit::reachable;

/// A linear expression taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Linear {
    /// Unknowns and their coefficients, in the order of the ids, none of them the number 0.
    pub coefficients: Vec<(VarId, ExprId)>,
    /// What remains when all unknowns are 0.
    pub rest: ExprId,
}

impl Linear {
    /// The coefficient of an unknown, if it has one.
    pub fn coefficient(&self, var: VarId) -> Option<ExprId> {
        let at = self.coefficients.binary_search_by_key(&var, |&(v, _)| v).ok()?;
        Some(self.coefficients[at].1)
    }
}

/// Takes an expression apart that is linear in the variables that pass the test; `None` where it is not.
///
/// ```
/// use kausal_symbolic::{Pool, VarId, linear::linear_coefficients};
/// let mut pool = Pool::new();
/// let [u, r, i] = [0, 1, 2].map(|k| pool.var(VarId(k)));
/// let drop = pool.mul(r, i);
/// let residual = pool.sub(u, drop);
/// let linear = linear_coefficients(&mut pool, residual, |v| v == VarId(2)).unwrap();
/// assert_eq!(linear.coefficients, [(VarId(2), pool.neg(r))]);
/// assert_eq!(linear.rest, u);
/// ```
pub fn linear_coefficients(pool: &mut Pool, expr: ExprId, unknown: impl Fn(VarId) -> bool) -> Option<Linear> {
    let order = reachable(pool, &[expr], |id| pool.has_variables(id));
    let mut nodes = Nodes { dependent: vec![false; order.len()], order };
    for at in 0..nodes.order.len() {
        let id = nodes.order[at];
        let depends = match pool.node(id) {
            Node::Var(var) => unknown(var),
            _ => pool.children(id).iter().any(|&child| nodes.depends(child)),
        };
        if depends && !enters_linearly(pool, id, &nodes) {
            return None;
        }
        nodes.dependent[at] = depends;
    }
    if !nodes.depends(expr) {
        return Some(Linear { coefficients: Vec::new(), rest: expr });
    }
    let mut choices: FxHashMap<ExprId, Row> = FxHashMap::default();
    let mut rests = nodes.order.clone();
    for at in (0..nodes.order.len()).filter(|&at| nodes.dependent[at]) {
        let id = nodes.order[at];
        if let Some(row) = choice_row(pool, id, &nodes, &choices) {
            choices.insert(id, row);
        }
        let rest_of = |child: ExprId| nodes.place(child).map_or(child, |at| rests[at]);
        let rest = match pool.node(id) {
            Node::Var(_) => pool.zero(),
            Node::Op(Op::Smooth, &[_, a]) => rest_of(a),
            _ => map_children(pool, id, rest_of),
        };
        rests[at] = rest;
    }
    let coefficients = sweep(pool, expr, &nodes, &choices);
    let rest = nodes.place(expr).map_or(expr, |at| rests[at]);
    Some(Linear { coefficients, rest })
}

/// The nodes of an expression that contain variables, and which of them depend on the unknowns. Most expressions are
/// small: places in a sorted list cost less than a hash table, and ask for no memory.
struct Nodes {
    /// Ascending ids.
    order: Vec<ExprId>,
    dependent: Vec<bool>,
}

impl Nodes {
    fn place(&self, id: ExprId) -> Option<usize> {
        self.order.binary_search(&id).ok()
    }

    fn depends(&self, id: ExprId) -> bool {
        self.place(id).is_some_and(|at| self.dependent[at])
    }
}

type Row = Vec<(VarId, ExprId)>;

/// Given that its arguments are linear, is the node?
fn enters_linearly(pool: &Pool, id: ExprId, nodes: &Nodes) -> bool {
    let depends = |arg: &ExprId| nodes.depends(*arg);
    match pool.node(id) {
        Node::Var(_) => true,
        Node::Op(op, args) => match op {
            Op::Add | Op::Neg | Op::NoEvent | Op::Homotopy => true,
            Op::Mul => args.iter().filter(|arg| depends(arg)).count() == 1,
            Op::Div => !depends(&args[1]),
            Op::If | Op::Smooth => !depends(&args[0]),
            _ => false,
        },
        _ => false,
    }
}

/// The coefficients of a choice, or of what must stay wrapped; those below are known.
fn choice_row(pool: &mut Pool, id: ExprId, nodes: &Nodes, choices: &FxHashMap<ExprId, Row>) -> Option<Row> {
    let Node::Op(op, args) = pool.node(id) else { return None };
    let args = Args::from_slice(args);
    match (op, args.as_slice()) {
        (Op::If, &[c, a, b]) => {
            let (a, b) = (sweep(pool, a, nodes, choices), sweep(pool, b, nodes, choices));
            Some(merge(pool, &a, &b, |pool, a, b| pool.if_then_else(c, a, b)))
        }
        (Op::Homotopy, &[a, b]) => {
            let (a, b) = (sweep(pool, a, nodes, choices), sweep(pool, b, nodes, choices));
            Some(merge(pool, &a, &b, |pool, a, b| pool.op(Op::Homotopy, &[a, b])))
        }
        (Op::NoEvent, &[a]) => {
            let mut row = sweep(pool, a, nodes, choices);
            for (_, coefficient) in &mut row {
                *coefficient = pool.no_event(*coefficient);
            }
            Some(row)
        }
        // A coefficient alone need not be as smooth as the whole.
        (Op::Smooth, &[_, a]) => Some(sweep(pool, a, nodes, choices)),
        _ => None,
    }
}

/// From a root down to the unknowns and choices, every node with the factor it has in the root.
fn sweep(pool: &mut Pool, root: ExprId, nodes: &Nodes, choices: &FxHashMap<ExprId, Row>) -> Row {
    let mut found: Row = Vec::new();
    if !nodes.depends(root) {
        return found;
    }
    // The largest id first: every node comes after all that it is an argument of. Factors of one node come together,
    // in the order in which they were found.
    let mut queue = BinaryHeap::from([(root, Reverse(0), pool.one())]);
    let mut passed = 0;
    while let Some((id, _, first)) = queue.pop() {
        let mut parts = Args::from_slice(&[first]);
        while let Some(&(same, _, part)) = queue.peek()
            && same == id
        {
            parts.push(part);
            queue.pop();
        }
        let factor = if parts.len() == 1 { first } else { pool.sum(&parts) };
        if let Some(row) = choices.get(&id) {
            for &(var, coefficient) in row {
                found.push((var, pool.mul(factor, coefficient)));
            }
            continue;
        }
        let mut pass = |child: ExprId, factor: ExprId| {
            passed += 1;
            queue.push((child, Reverse(passed), factor));
        };
        match pool.node(id) {
            Node::Var(var) => found.push((var, factor)),
            Node::Op(Op::Add, terms) => {
                for &term in terms.iter().filter(|&&term| nodes.depends(term)) {
                    pass(term, factor);
                }
            }
            Node::Op(Op::Neg, &[a]) => {
                let factor = pool.neg(factor);
                pass(a, factor);
            }
            Node::Op(Op::Div, &[a, b]) => {
                let factor = pool.div(factor, b);
                pass(a, factor);
            }
            Node::Op(Op::Mul, args) => {
                let mut rest = Args::from_slice(args);
                if let Some(at) = rest.iter().position(|&arg| nodes.depends(arg)) {
                    let child = rest[at];
                    rest[at] = factor;
                    let factor = pool.product(&rest);
                    pass(child, factor);
                }
            }
            _ => {}
        }
    }
    found.sort_by_key(|&(var, _)| var);
    let mut row = Row::with_capacity(found.len());
    for group in found.chunk_by(|a, b| a.0 == b.0) {
        let terms: Args = group.iter().map(|&(_, term)| term).collect();
        let total = if let &[only] = terms.as_slice() { only } else { pool.sum(&terms) };
        if !pool.is_zero(total) {
            row.push((group[0].0, total));
        }
    }
    row
}

fn merge(
    pool: &mut Pool,
    a: &[(VarId, ExprId)],
    b: &[(VarId, ExprId)],
    mut combine: impl FnMut(&mut Pool, ExprId, ExprId) -> ExprId,
) -> Row {
    let zero = pool.zero();
    let (mut i, mut j) = (0, 0);
    let mut row = Row::new();
    while i < a.len() || j < b.len() {
        let var = match (a.get(i), b.get(j)) {
            (Some(left), Some(right)) => left.0.min(right.0),
            (Some(left), None) => left.0,
            (None, Some(right)) => right.0,
            (None, None) => break,
        };
        let take = |row: &[(VarId, ExprId)], at: &mut usize| match row.get(*at) {
            Some(&(v, coefficient)) if v == var => {
                *at += 1;
                coefficient
            }
            _ => zero,
        };
        let (left, right) = (take(a, &mut i), take(b, &mut j));
        row.push((var, combine(pool, left, right)));
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unknown(var: VarId) -> bool {
        var.0 < 2
    }

    #[test]
    fn through_products_quotients_and_choices() {
        let mut pool = Pool::new();
        let [x, y, a, b] = [0, 1, 2, 3].map(|i| pool.var(VarId(i)));
        // a*(x + 2*(y - b))/b + x
        let inner = pool.sub(y, b);
        let inner = pool.times(2.0, inner);
        let inner = pool.add(x, inner);
        let product = pool.mul(a, inner);
        let quotient = pool.div(product, b);
        let expr = pool.add(quotient, x);
        let linear = linear_coefficients(&mut pool, expr, unknown).unwrap();
        let ratio = pool.div(a, b);
        let one = pool.one();
        let cx = pool.add(ratio, one);
        let cy = pool.times(2.0, ratio);
        assert_eq!(linear.coefficients, [(VarId(0), cx), (VarId(1), cy)]);
        assert_eq!(linear.rest, pool.times(-2.0, a));
        // if a < b then 2*x else y + 1
        let condition = pool.less(a, b);
        let double = pool.times(2.0, x);
        let other = pool.add(y, one);
        let choice = pool.if_then_else(condition, double, other);
        let linear = linear_coefficients(&mut pool, choice, unknown).unwrap();
        let (two, zero) = (pool.constant(2.0), pool.zero());
        let cx = pool.if_then_else(condition, two, zero);
        let cy = pool.if_then_else(condition, zero, one);
        assert_eq!(linear.coefficients, [(VarId(0), cx), (VarId(1), cy)]);
        assert_eq!(linear.rest, cy);
    }

    #[test]
    fn what_is_not_linear() {
        let mut pool = Pool::new();
        let [x, y, a] = [0, 1, 2].map(|i| pool.var(VarId(i)));
        let product = pool.mul(x, y);
        let quotient = pool.div(a, x);
        let sine = pool.apply(Op::Sin, x);
        let condition = pool.less(x, a);
        let choice = pool.if_then_else(condition, y, a);
        for expr in [product, quotient, sine, choice] {
            assert_eq!(linear_coefficients(&mut pool, expr, unknown), None);
        }
        let free = pool.apply(Op::Sin, a);
        assert_eq!(
            linear_coefficients(&mut pool, free, unknown),
            Some(Linear { coefficients: Vec::new(), rest: free })
        );
    }

    #[test]
    fn shared_parts_are_walked_once() {
        let mut pool = Pool::new();
        let mut e = pool.var(VarId(0));
        for i in 0..60 {
            let (a, b) = (pool.var(VarId(100 + i)), pool.var(VarId(200 + i)));
            let left = pool.mul(a, e);
            let right = pool.div(e, b);
            e = pool.add(left, right);
        }
        let linear = linear_coefficients(&mut pool, e, unknown).unwrap();
        assert_eq!(linear.coefficients.len(), 1);
        assert!(pool.is_zero(linear.rest));
    }
}
