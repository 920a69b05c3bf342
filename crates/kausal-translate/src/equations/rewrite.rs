//! Rebuilding shared expressions from the leaves up, without recursion.

use kausal_symbolic::{ExprId, Node, Pool};
use rustc_hash::FxHashMap;

/// What expressions were rebuilt to.
#[derive(Clone, Debug)]
pub(crate) enum Memo {
    /// By number, for passes over a whole model: neighbours of the graph are neighbours here.
    Dense(Vec<u32>),
    /// For a few expressions.
    Sparse(FxHashMap<ExprId, ExprId>),
}

impl Memo {
    const NONE: u32 = u32::MAX;

    /// For most expressions of a model.
    pub fn dense() -> Memo {
        Memo::Dense(Vec::new())
    }

    /// For a few of them.
    pub fn sparse() -> Memo {
        Memo::Sparse(FxHashMap::default())
    }

    pub fn get(&self, id: ExprId) -> Option<ExprId> {
        match self {
            Memo::Dense(all) => all.get(id.0 as usize).filter(|&&e| e != Memo::NONE).map(|&e| ExprId(e)),
            Memo::Sparse(some) => some.get(&id).copied(),
        }
    }

    pub fn contains(&self, id: ExprId) -> bool {
        self.get(id).is_some()
    }

    pub fn insert(&mut self, id: ExprId, result: ExprId) {
        match self {
            Memo::Dense(all) => {
                let at = id.0 as usize;
                if all.len() <= at {
                    all.resize(at + 1, Memo::NONE);
                }
                all[at] = result.0;
            }
            Memo::Sparse(some) => {
                some.insert(id, result);
            }
        }
    }
}

/// Rebuilds `root`: every node is rebuilt from its rebuilt arguments, then shown to `replace`, which may give
/// another expression for it. `memo` carries what was rebuilt before; the same `replace` must go with it.
pub(crate) fn rewrite(
    pool: &mut Pool,
    root: ExprId,
    memo: &mut Memo,
    replace: &mut dyn FnMut(&mut Pool, ExprId) -> ExprId,
) -> ExprId {
    let mut stack = vec![(root, false)];
    while let Some((id, arguments_done)) = stack.pop() {
        if memo.contains(id) {
            continue;
        }
        if !arguments_done {
            stack.push((id, true));
            for_each_argument(pool, id, |arg| {
                if !memo.contains(arg) {
                    stack.push((arg, false));
                }
            });
            continue;
        }
        let rebuilt = rebuild(pool, id, &mut |arg| memo.get(arg).unwrap_or(arg));
        let result = replace(pool, rebuilt);
        memo.insert(id, result);
    }
    memo.get(root).unwrap_or(root)
}

/// Calls `f` with each argument of a node.
pub(crate) fn for_each_argument(pool: &Pool, id: ExprId, mut f: impl FnMut(ExprId)) {
    match pool.node(id) {
        Node::Op(_, args) | Node::Call(_, args) => args.iter().copied().for_each(f),
        Node::Output(call, _) => f(call),
        Node::Const(_) | Node::Text(_) | Node::Var(_) => {}
    }
}

/// The same node on other arguments.
pub(crate) fn rebuild(pool: &mut Pool, id: ExprId, map: &mut dyn FnMut(ExprId) -> ExprId) -> ExprId {
    match pool.node(id) {
        Node::Op(op, args) => {
            let new: Vec<ExprId> = args.iter().map(|&a| map(a)).collect();
            if new.as_slice() == args { id } else { pool.op(op, &new) }
        }
        Node::Call(function, args) => {
            let new: Vec<ExprId> = args.iter().map(|&a| map(a)).collect();
            if new.as_slice() == args { id } else { pool.call(function, &new) }
        }
        Node::Output(call, k) => {
            let new = map(call);
            if new == call { id } else { pool.output(new, k) }
        }
        Node::Const(_) | Node::Text(_) | Node::Var(_) => id,
    }
}
