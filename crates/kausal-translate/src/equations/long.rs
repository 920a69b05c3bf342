//! Which variables a long equation may be solved for.
//!
//! Each variable is looked at alone, but not in the whole equation: that would cost the square of the length of a sum. In
//! every long sum or product the operands without the variable are drawn together into one variable that stands for
//! them, with the bounds of their sum or product. What remains is as long as the way from the root to the
//! variable, and says the same about it: how it enters, what would be divided by, and where the rest lies.

use kausal_structure::Solvability;
use kausal_symbolic::interval::{Interval, Ranges};
use kausal_symbolic::substitute::map_children;
use kausal_symbolic::visit::reachable;
use kausal_symbolic::{ExprId, Node, Op, Pool, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::equations::work::{Work, subtract};

/// Bounds of the operands of a long sum or product before and after each of them. Sums inside sums are one.
struct Operands {
    op: Op,
    /// The last place of each operand.
    place: FxHashMap<ExprId, usize>,
    /// Those that occur more than once.
    repeated: FxHashSet<ExprId>,
    /// Of the first `k` operands.
    before: Vec<Interval>,
    /// Of those from `k` on.
    after: Vec<Interval>,
}

impl Operands {
    fn new(op: Op, args: &[(ExprId, Interval)]) -> Operands {
        let none = Interval::point(if op == Op::Add { 0.0 } else { 1.0 });
        let join = |a: Interval, b: Interval| if op == Op::Add { a.plus(b) } else { a.times(b) };
        let (mut before, mut after) = (vec![none], vec![none]);
        for k in 0..args.len() {
            before.push(join(before[k], args[k].1));
            after.push(join(args[args.len() - 1 - k].1, after[k]));
        }
        after.reverse();
        let (mut place, mut repeated) = (FxHashMap::default(), FxHashSet::default());
        for (k, &(id, _)) in args.iter().enumerate() {
            if place.insert(id, k).is_some() {
                repeated.insert(id);
            }
        }
        Operands { op, place, repeated, before, after }
    }

    /// Bounds of all operands but some. Where a variable is in several of them they must be linear in it, and where the
    /// others lie does not matter.
    fn without(&self, some: &[ExprId]) -> Interval {
        let [only] = some else { return Interval::ALL };
        let Some(&k) = self.place.get(only).filter(|_| !self.repeated.contains(only)) else {
            return Interval::ALL;
        };
        match self.op {
            Op::Add => self.before[k].plus(self.after[k + 1]),
            _ => self.before[k].times(self.after[k + 1]),
        }
    }
}

/// An equation with long sums or products.
pub(crate) struct LongEquation {
    sides: [ExprId; 2],
    /// What each node is directly below of.
    above: FxHashMap<ExprId, Vec<ExprId>>,
    long: FxHashMap<ExprId, Operands>,
    /// Bounds of what contains something long, and the sides'.
    bounds: FxHashMap<ExprId, Interval>,
    /// The variables for what contains something long, as far as they were needed.
    standing_for: FxHashMap<ExprId, ExprId>,
    /// Bounds of the variables that stand for others; the first of them has the number `first`.
    stand_ins: Vec<Interval>,
    first: usize,
}

impl LongEquation {
    /// `None` where nothing has more operands than `many`.
    pub fn new(work: &Work, sides: [ExprId; 2], many: usize) -> Option<LongEquation> {
        let pool = &work.pool;
        let nodes = reachable(pool, &sides, |id| pool.has_variables(id));
        let mut above: FxHashMap<ExprId, Vec<ExprId>> = FxHashMap::default();
        for &id in &nodes {
            for &child in pool.children(id) {
                above.entry(child).or_default().push(id);
            }
        }
        // A sum that is an operand of one other sum, and nothing else, is a part of that one.
        let whole = wholes(pool, &nodes, &above, sides);
        let mut operands: FxHashMap<ExprId, Vec<ExprId>> = FxHashMap::default();
        for (&id, &root) in &whole {
            let own = pool.children(id).iter().filter(|child| whole.get(child) != Some(&root));
            operands.entry(root).or_default().extend(own);
        }
        operands.retain(|_, args| args.len() > many);
        if operands.is_empty() {
            return None;
        }
        let mut ranges = Ranges::new(|v: VarId| work.bounds.get(v.index()).copied().unwrap_or(Interval::ALL));
        let (mut long, mut bounds) = (FxHashMap::default(), FxHashMap::default());
        for &id in &nodes {
            if let (Some(args), Node::Op(op, _)) = (operands.get_mut(&id), pool.node(id)) {
                // What was found in a table has no order of its own.
                args.sort_unstable();
                let args: Vec<_> = args.iter().map(|&arg| (arg, ranges.of(pool, arg))).collect();
                long.insert(id, Operands::new(op, &args));
            }
            let heavy =
                long.contains_key(&id) || pool.children(id).iter().any(|child| bounds.contains_key(child));
            if heavy {
                bounds.insert(id, ranges.of(pool, id));
            }
        }
        for parents in above.values_mut() {
            for parent in parents.iter_mut() {
                if let Some(root) = whole.get(parent).filter(|root| long.contains_key(root)) {
                    *parent = *root;
                }
            }
            parents.dedup();
        }
        for side in sides {
            bounds.insert(side, ranges.of(pool, side));
        }
        let (standing_for, stand_ins, first) = (FxHashMap::default(), Vec::new(), work.vars.len());
        Some(LongEquation { sides, above, long, bounds, standing_for, stand_ins, first })
    }

    /// May the equation be solved for the variable?
    pub fn solvability(&mut self, work: &mut Work, v: VarId) -> Solvability {
        let leaf = work.pool.var(v);
        // The nodes that contain the variable, and through which of their operands.
        let mut through: FxHashMap<ExprId, Vec<ExprId>> = FxHashMap::default();
        let mut open = vec![leaf];
        while let Some(id) = open.pop() {
            for &parent in self.above.get(&id).into_iter().flatten() {
                let known = through.entry(parent).or_insert_with(|| {
                    open.push(parent);
                    Vec::new()
                });
                if !known.contains(&id) {
                    known.push(id);
                }
            }
        }
        // An operand has a smaller number than what it is an operand of.
        let mut containing: Vec<ExprId> = through.keys().copied().collect();
        containing.sort_unstable();
        let mut short: FxHashMap<ExprId, ExprId> = FxHashMap::from_iter([(leaf, leaf)]);
        for id in containing {
            let result = match self.long.get(&id) {
                Some(operands) => {
                    let some = &through[&id];
                    let again = some.iter().filter(|child| operands.repeated.contains(child));
                    let mut args: Vec<ExprId> = some.iter().chain(again).map(|child| short[child]).collect();
                    let (op, rest) = (operands.op, operands.without(some));
                    args.push(self.stand_in(work, rest));
                    work.pool.op(op, &args)
                }
                None => {
                    let children = work.pool.children(id).to_vec();
                    let now: Vec<ExprId> =
                        children.iter().map(|&child| self.shortened(work, child, &short)).collect();
                    let mut now = now.into_iter();
                    map_children(&mut work.pool, id, |child| now.next().unwrap_or(child))
                }
            };
            short.insert(id, result);
        }
        let sides = self.sides.map(|side| self.shortened(work, side, &short));
        let residual = subtract(&mut work.pool, sides[0], sides[1]);
        let (first, stand_ins) = (self.first, &self.stand_ins);
        let known = |v: VarId| stand_ins.get(v.index().checked_sub(first)?).copied();
        crate::equations::solve::alone(work, sides, residual, v, &known)
    }

    /// What stands for a node: where it contains the variable its short form, and a variable where it is long.
    fn shortened(&mut self, work: &mut Work, id: ExprId, short: &FxHashMap<ExprId, ExprId>) -> ExprId {
        if let Some(&known) = short.get(&id).or_else(|| self.standing_for.get(&id)) {
            return known;
        }
        let Some(&bounds) = self.bounds.get(&id).filter(|_| work.pool.has_variables(id)) else { return id };
        let result = self.stand_in(work, bounds);
        self.standing_for.insert(id, result);
        result
    }

    /// A variable for an expression within these bounds.
    fn stand_in(&mut self, work: &mut Work, bounds: Interval) -> ExprId {
        let v = VarId((self.first + self.stand_ins.len()) as u32);
        self.stand_ins.push(bounds);
        work.pool.var(v)
    }
}

/// The outermost sum or product that each one is a part of.
fn wholes(
    pool: &Pool,
    nodes: &[ExprId],
    above: &FxHashMap<ExprId, Vec<ExprId>>,
    sides: [ExprId; 2],
) -> FxHashMap<ExprId, ExprId> {
    let op_of = |id: ExprId| match pool.node(id) {
        Node::Op(op @ (Op::Add | Op::Mul), _) => Some(op),
        _ => None,
    };
    let mut whole = FxHashMap::default();
    // An operand has a smaller number than what it is an operand of.
    for &id in nodes.iter().rev().filter(|&&id| op_of(id).is_some()) {
        let root = match above.get(&id).map(Vec::as_slice) {
            Some(&[parent]) if op_of(parent) == op_of(id) && !sides.contains(&id) => {
                whole.get(&parent).copied().unwrap_or(parent)
            }
            _ => id,
        };
        whole.insert(id, root);
    }
    whole
}
