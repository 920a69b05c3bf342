//! Walking the graph: each node once, without recursion.
//!
//! A [`Visitor`] keeps its tables between walks (a node is visited when its stamp is the current one), so a walk
//! costs what it visits and not the size of the pool. For a single walk [`reachable`] needs no tables.

use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use crate::node::{ExprId, Node, VarId};
use crate::pool::Pool;

/// Reusable tables for walks over a pool.
#[derive(Clone, Debug)]
pub struct Visitor {
    stamps: Vec<u32>,
    /// That of this walk; never the zero of nodes that no walk has visited, so a new visitor is at the start of a walk.
    stamp: u32,
    stack: Vec<ExprId>,
    order: Vec<ExprId>,
}

impl Default for Visitor {
    fn default() -> Self {
        Visitor { stamps: Vec::new(), stamp: 1, stack: Vec::new(), order: Vec::new() }
    }
}

impl Visitor {
    /// Empty tables; they grow with the pool.
    pub fn new() -> Self {
        Visitor::default()
    }

    /// Starts a new walk: nothing is visited.
    pub fn begin(&mut self, pool: &Pool) {
        if self.stamp == u32::MAX {
            self.stamps.fill(0);
            self.stamp = 0;
        }
        self.stamp += 1;
        if self.stamps.len() < pool.len() {
            self.stamps.resize(pool.len(), 0);
        }
    }

    /// Marks a node as visited in this walk; was it new?
    pub fn visit(&mut self, id: ExprId) -> bool {
        let stamp = &mut self.stamps[id.0 as usize];
        let new = *stamp != self.stamp;
        *stamp = self.stamp;
        new
    }

    /// Has the node been visited in this walk?
    pub fn is_visited(&self, id: ExprId) -> bool {
        self.stamps.get(id.0 as usize) == Some(&self.stamp)
    }

    /// All distinct nodes of these expressions, arguments before what they are arguments of (ascending ids).
    pub fn reachable(&mut self, pool: &Pool, roots: &[ExprId]) -> &[ExprId] {
        self.reachable_where(pool, roots, |_| true)
    }

    /// As [`Visitor::reachable`], leaving out nodes that do not pass the test and what is reached only through them.
    pub fn reachable_where(
        &mut self,
        pool: &Pool,
        roots: &[ExprId],
        mut enter: impl FnMut(ExprId) -> bool,
    ) -> &[ExprId] {
        self.begin(pool);
        self.order.clear();
        for &root in roots {
            if self.visit(root) && enter(root) {
                self.stack.push(root);
            }
            while let Some(id) = self.stack.pop() {
                self.order.push(id);
                for &child in pool.children(id) {
                    if self.visit(child) && enter(child) {
                        self.stack.push(child);
                    }
                }
            }
        }
        self.order.sort_unstable();
        &self.order
    }

    /// Adds the variables of an expression to the list, in the order they are met from left to right, each once
    /// in this walk: after one [`Visitor::begin`] several expressions add only what is new.
    pub fn variables(&mut self, pool: &Pool, expr: ExprId, variables: &mut Vec<VarId>) {
        if self.stamps.len() < pool.len() {
            self.stamps.resize(pool.len(), 0);
        }
        self.stack.push(expr);
        while let Some(id) = self.stack.pop() {
            if !pool.has_variables(id) || !self.visit(id) {
                continue;
            }
            if let Node::Var(var) = pool.node(id) {
                variables.push(var);
            }
            self.stack.extend(pool.children(id).iter().rev());
        }
    }
}

/// All distinct nodes of these expressions that pass the test and are reached through such, arguments before what
/// they are arguments of (ascending ids).
pub fn reachable(pool: &Pool, roots: &[ExprId], mut enter: impl FnMut(ExprId) -> bool) -> Vec<ExprId> {
    let mut seen = Seen::default();
    let mut order = Vec::new();
    let mut stack: SmallVec<[ExprId; 16]> = roots.iter().rev().copied().collect();
    while let Some(id) = stack.pop() {
        if seen.insert(id) && enter(id) {
            order.push(id);
            stack.extend(pool.children(id).iter().copied().filter(|&child| !seen.contains(child)));
        }
    }
    order.sort_unstable();
    order
}

/// The nodes seen in one walk. Most expressions are small: a short list asks for no memory and is searched faster than
/// a table; a table takes over where there are many.
#[derive(Default)]
struct Seen {
    few: SmallVec<[ExprId; Seen::FEW]>,
    many: FxHashSet<ExprId>,
}

impl Seen {
    const FEW: usize = 24;

    fn contains(&self, id: ExprId) -> bool {
        if self.many.is_empty() { self.few.contains(&id) } else { self.many.contains(&id) }
    }

    /// Was it new?
    fn insert(&mut self, id: ExprId) -> bool {
        if !self.many.is_empty() {
            return self.many.insert(id);
        }
        if self.few.contains(&id) {
            return false;
        }
        if self.few.len() < Seen::FEW {
            self.few.push(id);
        } else {
            self.many.extend(self.few.drain(..));
            self.many.insert(id);
        }
        true
    }
}

impl Pool {
    /// The variables of an expression, each once, in the order they are met from left to right.
    pub fn variables_of(&self, expr: ExprId) -> Vec<VarId> {
        let mut seen = Seen::default();
        let mut variables = Vec::new();
        let mut stack = vec![expr];
        while let Some(id) = stack.pop() {
            if !self.has_variables(id) || !seen.insert(id) {
                continue;
            }
            if let Node::Var(var) = self.node(id) {
                variables.push(var);
            }
            stack.extend(self.children(id).iter().rev());
        }
        variables
    }

    /// Does the expression contain any of the variables that pass the test?
    pub fn contains_any(&self, expr: ExprId, mut test: impl FnMut(VarId) -> bool) -> bool {
        let mut seen = Seen::default();
        let mut stack = vec![expr];
        while let Some(id) = stack.pop() {
            if !self.has_variables(id) {
                continue;
            }
            if let Node::Var(var) = self.node(id) {
                if test(var) {
                    return true;
                }
                continue;
            }
            if seen.insert(id) {
                stack.extend(self.children(id));
            }
        }
        false
    }

    /// Does the variable occur in the expression?
    pub fn contains(&self, expr: ExprId, var: VarId) -> bool {
        self.contains_any(expr, |v| v == var)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::Op;

    #[test]
    fn variables_from_left_to_right() {
        let mut pool = Pool::new();
        let [x, y, z] = [2, 0, 1].map(|i| pool.var(VarId(i)));
        let product = pool.op(Op::Mul, &[y, z]);
        let sum = pool.op(Op::Add, &[x, product, y]);
        assert_eq!(pool.variables_of(sum), [VarId(2), VarId(0), VarId(1)]);
        assert!(pool.contains(sum, VarId(1)) && !pool.contains(product, VarId(2)));
        let mut visitor = Visitor::new();
        // A new visitor begins a walk, as `begin` does.
        for _ in 0..2 {
            let mut variables = Vec::new();
            visitor.variables(&pool, product, &mut variables);
            visitor.variables(&pool, sum, &mut variables);
            assert_eq!(variables, [VarId(0), VarId(1), VarId(2)]);
            visitor.begin(&pool);
        }
    }

    #[test]
    fn deep_graphs_are_walked() {
        let mut pool = Pool::new();
        let mut e = pool.var(VarId(0));
        for _ in 0..200_000 {
            e = pool.op(Op::Sin, &[e]);
        }
        assert!(pool.contains(e, VarId(0)));
        assert_eq!(Visitor::new().reachable(&pool, &[e]).len(), 200_001);
        assert_eq!(pool.variables_of(e), [VarId(0)]);
    }
}
