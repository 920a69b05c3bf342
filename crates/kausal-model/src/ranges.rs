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
use crate::flat::{Action, ActionKind, Origin, OriginKind, Variable};
use crate::flattener::Flattener;

/// A formula with more choices than this is not looked at any further.
const MOST: usize = 10_000;

impl Flattener<'_> {
    /// Remembers an Integer subscript: the values of other types are all subscripts.
    pub(crate) fn note_subscript(&mut self, position: ExprId) {
        self.positions.insert(position);
    }

    /// Is it a subscript that must be looked at?
    pub(crate) fn is_noted(&self, position: ExprId) -> bool {
        self.positions.contains(&position)
    }

    /// Remembers that an expression chooses by a subscript, and from how many elements.
    pub(crate) fn note_choice(&mut self, chosen: ExprId, position: ExprId, size: usize) {
        // What is the same for all subscripts is used elsewhere too.
        if self.positions.contains(&position) && matches!(self.pool.node(chosen), Node::Op(Op::If, _)) {
            self.subscripts.insert(chosen, (position, size));
        }
    }

    /// Adds assertions about subscripts to the equations, `when` clauses and values of parameters they stand in.
    pub(crate) fn assert_ranges(&mut self, variables: &[Variable], sink: &mut Sink, initial: &mut Sink) {
        if self.subscripts.is_empty() {
            return;
        }
        let subscripts = std::mem::take(&mut self.subscripts);
        let mut known: FxHashSet<ExprId> = FxHashSet::default();
        let mut standing = Vec::new();
        for variable in variables {
            if let Some(binding) = variable.binding {
                let location = variable.location;
                let origin = Origin { component: String::new(), location, kind: OriginKind::Binding };
                let found = self.ranges_in(binding, &origin, &subscripts);
                standing.extend(found.into_iter().filter(|action| known.insert(condition(action))));
            }
        }
        let mut first = Vec::new();
        for equation in &initial.equations {
            for side in [equation.lhs, equation.rhs] {
                first.extend(self.ranges_in(side, &equation.origin, &subscripts));
            }
        }
        initial.actions.extend(first);
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
                found.push(self.in_range(position, size, guard, origin));
                stack.push((position, guard));
                stack.extend(self.choice_parts(e, position, size).into_iter().map(|part| (part, guard)));
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

    /// What a choice chooses from.
    fn choice_parts(&self, choice: ExprId, position: ExprId, size: usize) -> Vec<ExprId> {
        let (mut parts, mut rest) = (Vec::new(), choice);
        // The only element of an array is chosen, too, with nothing beside it.
        for _ in 1..size.max(2) {
            let Node::Op(Op::If, &[c, yes, no]) = self.pool.node(rest) else { break };
            if !matches!(self.pool.node(c), Node::Op(Op::Equal, args) if args.contains(&position)) {
                break;
            }
            parts.push(yes);
            rest = no;
        }
        parts.push(rest);
        parts
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
