//! Replacing parts of expressions, all at once.
//!
//! What is put in is not looked into again. What changes is built anew and simplified; what does not keeps its id.

use rustc_hash::FxHashMap;

use crate::node::{ExprId, Node, VarId};
use crate::pool::Pool;
use crate::simplify::Args;
use crate::visit::reachable;

/// What is replaced by what. Remembers its results, so that many expressions together cost their size once.
#[derive(Clone, Debug, Default)]
pub struct Substitution {
    replaced: FxHashMap<ExprId, ExprId>,
    results: FxHashMap<ExprId, ExprId>,
    /// Something else than a variable is replaced, so expressions without variables may change too.
    parts: bool,
}

impl Substitution {
    /// Nothing is replaced.
    pub fn new() -> Self {
        Substitution::default()
    }

    /// Is nothing replaced?
    pub fn is_empty(&self) -> bool {
        self.replaced.is_empty()
    }

    /// Replaces a variable.
    pub fn set(&mut self, pool: &mut Pool, var: VarId, value: ExprId) {
        let var = pool.var(var);
        self.replaced.insert(var, value);
        self.results.clear();
    }

    /// Replaces an expression wherever it occurs as a whole.
    pub fn set_expr(&mut self, part: ExprId, value: ExprId) {
        self.replaced.insert(part, value);
        self.parts = true;
        self.results.clear();
    }

    /// The expression with everything replaced.
    pub fn apply(&mut self, pool: &mut Pool, expr: ExprId) -> ExprId {
        let (replaced, results, parts) = (&self.replaced, &self.results, self.parts);
        let open = |id: ExprId| {
            (parts || pool.has_variables(id)) && !replaced.contains_key(&id) && !results.contains_key(&id)
        };
        for id in reachable(pool, &[expr], open) {
            let result = map_children(pool, id, |child| self.look_up(child));
            self.results.insert(id, result);
        }
        self.look_up(expr)
    }

    fn look_up(&self, id: ExprId) -> ExprId {
        let found = self.replaced.get(&id).or_else(|| self.results.get(&id));
        found.copied().unwrap_or(id)
    }
}

/// The expression with its variables replaced, for use once.
pub fn substitute(pool: &mut Pool, expr: ExprId, values: &[(VarId, ExprId)]) -> ExprId {
    let mut substitution = Substitution::new();
    for &(var, value) in values {
        substitution.set(pool, var, value);
    }
    substitution.apply(pool, expr)
}

/// The node with other things directly below it, simplified.
pub fn map_children(pool: &mut Pool, id: ExprId, mut map: impl FnMut(ExprId) -> ExprId) -> ExprId {
    let mut changed = false;
    let children: Args = pool
        .children(id)
        .iter()
        .map(|&child| {
            let result = map(child);
            changed |= result != child;
            result
        })
        .collect();
    if !changed {
        return id;
    }
    match pool.node(id) {
        Node::Op(op, _) => pool.op(op, &children),
        Node::Call(function, _) => pool.call(function, &children),
        Node::Output(_, k) => pool.output(children[0], k),
        Node::Const(_) | Node::Text(_) | Node::Var(_) => id,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::Op;

    #[test]
    fn at_once_and_simplified() {
        let mut pool = Pool::new();
        let [x, y] = [0, 1].map(|i| pool.var(VarId(i)));
        let difference = pool.sub(x, y);
        let swapped = substitute(&mut pool, difference, &[(VarId(0), y), (VarId(1), x)]);
        assert_eq!(swapped, pool.neg(difference));
        assert_eq!(substitute(&mut pool, difference, &[(VarId(1), x)]), pool.zero());
        let sine = pool.apply(Op::Sin, difference);
        let mut parts = Substitution::new();
        parts.set_expr(difference, x);
        assert_eq!(parts.apply(&mut pool, sine), pool.apply(Op::Sin, x));
        let time = pool.time();
        parts.set_expr(time, y);
        let sine = pool.apply(Op::Sin, time);
        assert_eq!(parts.apply(&mut pool, sine), pool.apply(Op::Sin, y));
    }

    #[test]
    fn deep_and_shared() {
        let mut pool = Pool::new();
        let (x, y) = (pool.var(VarId(0)), pool.var(VarId(1)));
        let mut e = x;
        for _ in 0..50_000 {
            let (s, c) = (pool.apply(Op::Sin, e), pool.apply(Op::Cos, e));
            e = pool.mul(s, c);
        }
        let changed = substitute(&mut pool, e, &[(VarId(0), y)]);
        assert_eq!(pool.variables_of(changed), [VarId(1)]);
        assert_eq!(substitute(&mut pool, changed, &[(VarId(1), x)]), e);
    }
}
