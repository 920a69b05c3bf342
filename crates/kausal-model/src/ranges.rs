//! Subscripts that are known only while the model runs: they must lie within the array.
//!
//! In equations `a[i]` has become `if i == 1 then a[1] elseif … else a[n]`, which has a value whatever `i` is. The
//! specification (section 10.5) makes a subscript that is out of bounds an error. So the model gets an assertion for each
//! such choice: `1 <= i and i <= n`, as far as the choice is looked at. It may stand in a branch of `if`, or behind
//! `and` and `or`, which is why formulas are walked with what must hold to get there.

use kausal_symbolic::print::print_limited;
use kausal_symbolic::{ExprId, Node, Op, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::equation::Sink;
use crate::flat::{Action, ActionKind, Origin};
use crate::flattener::Flattener;

/// A formula with more choices than this is not looked at any further.
const MOST: usize = 10_000;

impl Flattener<'_> {
    /// Remembers a subscript and how many elements it chooses from.
    pub(crate) fn note_subscript(&mut self, position: ExprId, size: usize) {
        let sizes = self.subscripts.entry(position).or_default();
        if !sizes.contains(&size) {
            sizes.push(size);
        }
    }

    /// Adds assertions about subscripts to the equations and `when` clauses they stand in.
    pub(crate) fn assert_ranges(&mut self, sink: &mut Sink) {
        if self.subscripts.is_empty() {
            return;
        }
        let subscripts = std::mem::take(&mut self.subscripts);
        let mut known: FxHashSet<ExprId> = FxHashSet::default();
        let mut standing = Vec::new();
        for equation in &sink.equations {
            for side in [equation.lhs, equation.rhs] {
                let found = self.ranges_in(side, &equation.origin, &subscripts);
                standing.extend(found.into_iter().filter(|action| known.insert(condition(action))));
            }
        }
        sink.actions.extend(standing);
        for when in &mut sink.whens {
            for branch in &mut when.branches {
                let mut found = Vec::new();
                for action in &branch.actions {
                    if let ActionKind::Assign(_, value) | ActionKind::Reinit(_, value) = action.kind {
                        found.extend(self.ranges_in(value, &action.origin, &subscripts));
                    }
                }
                branch.actions.splice(0..0, found);
            }
        }
    }

    /// Assertions about the choices in a formula.
    fn ranges_in(
        &mut self,
        root: ExprId,
        origin: &Origin,
        subscripts: &FxHashMap<ExprId, Vec<usize>>,
    ) -> Vec<Action> {
        let mut found = Vec::new();
        let mut seen: FxHashSet<(ExprId, Option<ExprId>)> = FxHashSet::default();
        let mut stack: Vec<(ExprId, Option<ExprId>)> = vec![(root, None)];
        while let Some((e, guard)) = stack.pop() {
            if seen.len() > MOST || !seen.insert((e, guard)) {
                continue;
            }
            if let Some((position, largest, parts)) = self.choice(e, subscripts) {
                let sizes = subscripts.get(&position).map_or(&[][..], Vec::as_slice);
                let fits = sizes.iter().copied().filter(|&size| size as f64 > largest).min();
                if let Some(size) = fits {
                    found.push(self.in_range(position, size, guard, origin));
                }
                stack.push((position, guard));
                stack.extend(parts.into_iter().map(|part| (part, guard)));
                continue;
            }
            let node = match self.pool.node(e) {
                Node::Op(op, args) => Some((op, args.to_vec())),
                Node::Call(_, args) => Some((Op::Add, args.to_vec())),
                Node::Output(call, _) => Some((Op::Add, vec![call])),
                _ => None,
            };
            let Some((op, args)) = node else { continue };
            match (op, &args[..]) {
                (Op::If, &[c, a, b]) => {
                    stack.push((c, guard));
                    let (yes, no) = (self.also(guard, c, true), self.also(guard, c, false));
                    stack.extend([(a, yes), (b, no)]);
                }
                (Op::And | Op::Or, args) => {
                    let mut guard = guard;
                    for &arg in args {
                        stack.push((arg, guard));
                        guard = self.also(guard, arg, op == Op::And);
                    }
                }
                (_, args) => stack.extend(args.iter().map(|&arg| (arg, guard))),
            }
        }
        found
    }

    /// A choice by a subscript: the subscript, the largest number it is compared with, and what is chosen from.
    fn choice(
        &self,
        e: ExprId,
        subscripts: &FxHashMap<ExprId, Vec<usize>>,
    ) -> Option<(ExprId, f64, Vec<ExprId>)> {
        let (position, _, _, _) = self.compared(e, subscripts)?;
        let (mut largest, mut parts, mut rest) = (0.0_f64, Vec::new(), e);
        while let Some((same, number, yes, no)) = self.compared(rest, subscripts)
            && same == position
        {
            largest = largest.max(number);
            parts.push(yes);
            rest = no;
        }
        parts.push(rest);
        Some((position, largest, parts))
    }

    /// `if position == number then yes else no`
    fn compared(
        &self,
        e: ExprId,
        subscripts: &FxHashMap<ExprId, Vec<usize>>,
    ) -> Option<(ExprId, f64, ExprId, ExprId)> {
        let Node::Op(Op::If, &[c, yes, no]) = self.pool.node(e) else { return None };
        let Node::Op(Op::Equal, &[a, b]) = self.pool.node(c) else { return None };
        let pair = |position, number| {
            let number = self.pool.as_constant(number)?;
            subscripts.contains_key(&position).then_some((position, number, yes, no))
        };
        pair(a, b).or_else(|| pair(b, a))
    }

    /// The guard, and the condition on top of it or its contrary.
    fn also(&mut self, guard: Option<ExprId>, condition: ExprId, holds: bool) -> Option<ExprId> {
        let condition = if holds { condition } else { self.pool.op(Op::Not, &[condition]) };
        Some(match guard {
            Some(guard) => self.pool.op(Op::And, &[guard, condition]),
            None => condition,
        })
    }

    fn in_range(&mut self, position: ExprId, size: usize, guard: Option<ExprId>, origin: &Origin) -> Action {
        let name = |v: VarId| self.variable_name(v);
        let text = print_limited(&self.pool, position, &name, 60);
        let (one, last) = (self.pool.constant(1.0), self.pool.constant(size as f64));
        let above = self.pool.op(Op::LessEqual, &[one, position]);
        let below = self.pool.op(Op::LessEqual, &[position, last]);
        let mut condition = self.pool.op(Op::And, &[above, below]);
        if let Some(guard) = guard {
            let elsewhere = self.pool.op(Op::Not, &[guard]);
            condition = self.pool.op(Op::Or, &[elsewhere, condition]);
        }
        let message = self.pool.text(&format!("the subscript {text} is outside 1:{size}"));
        let kind = ActionKind::Assert { condition, message, warning: false };
        Action { kind, origin: origin.clone() }
    }
}

fn condition(action: &Action) -> ExprId {
    match action.kind {
        ActionKind::Assert { condition, .. } => condition,
        _ => ExprId(u32::MAX),
    }
}
