//! What is most likely behind a model that is not balanced: variables that stand in no equation, variables that two
//! equations give a value. The first ones are named; whether they are all is a question for matching, which comes later.

use kausal_symbolic::{ExprId, Node as Expression, VarId};
use kausal_syntax::{Diagnostic, Location};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::check::{Counts, assigned_in, is_auxiliary};
use crate::equation::Sink;
use crate::flat::OriginKind;
use crate::flattener::Flattener;

/// So many variables are named.
const NAMED: usize = 3;

impl Flattener<'_> {
    /// Adds the likely cause to a diagnostic about the whole model.
    pub(super) fn with_cause(&self, diagnostic: Diagnostic, counts: Counts, sink: &Sink) -> Diagnostic {
        if counts.equations < counts.unknowns {
            self.with_unused(diagnostic, sink)
        } else {
            self.with_twice(diagnostic, sink)
        }
    }

    fn with_unused(&self, mut diagnostic: Diagnostic, sink: &Sink) -> Diagnostic {
        let mut used: FxHashSet<VarId> = FxHashSet::default();
        let mut seen: FxHashSet<ExprId> = FxHashSet::default();
        for equation in sink.equations.iter().chain(sink.clocked.iter().flat_map(|w| &w.equations)) {
            let mut stack = vec![equation.lhs, equation.rhs];
            while let Some(e) = stack.pop() {
                if !seen.insert(e) {
                    continue;
                }
                match self.pool.node(e) {
                    Expression::Var(v) => {
                        used.insert(v);
                    }
                    Expression::Op(_, args) | Expression::Call(_, args) => stack.extend_from_slice(args),
                    Expression::Output(call, _) => stack.push(call),
                    _ => {}
                }
            }
        }
        for branch in sink.whens.iter().flat_map(|w| &w.branches) {
            assigned_in(&branch.actions, &mut used);
        }
        let is_open = |v: &VarId| {
            let leaf = self.slots[v.index()].0;
            self.is_unknown(leaf)
                && !self.is_given_outside(leaf)
                && !used.contains(v)
                && !is_auxiliary(self.inst(leaf).name.as_str())
        };
        let open: Vec<VarId> = (0..self.slots.len() as u32).map(VarId).filter(is_open).collect();
        if open.is_empty() {
            return diagnostic;
        }
        let mut leaves = Vec::new();
        for v in &open {
            let leaf = self.slots[v.index()].0;
            if !leaves.contains(&leaf) {
                leaves.push(leaf);
            }
        }
        for &leaf in leaves.iter().take(NAMED) {
            if let Some(info) = &self.inst(leaf).info {
                diagnostic = diagnostic.at(info.location, "in no equation");
            }
        }
        let names: Vec<String> = leaves.iter().take(NAMED).map(|&l| self.path(l)).collect();
        let more = if leaves.len() > NAMED { " and others" } else { "" };
        let verb = if leaves.len() == 1 { "is" } else { "are" };
        diagnostic.help(format!("{}{more} {verb} in no equation", names.join(", ")))
    }

    fn with_twice(&self, diagnostic: Diagnostic, sink: &Sink) -> Diagnostic {
        let mut first: FxHashMap<VarId, Option<Location>> = FxHashMap::default();
        for when in &sink.whens {
            let mut assigned = FxHashSet::default();
            when.branches.iter().for_each(|b| assigned_in(&b.actions, &mut assigned));
            first.extend(assigned.into_iter().map(|v| (v, when.origin.location)));
        }
        for equation in &sink.equations {
            let own = matches!(
                equation.origin.kind,
                OriginKind::Equation | OriginKind::Binding | OriginKind::Algorithm
            );
            let Some(var) = self.as_variable(equation.lhs).filter(|_| own) else { continue };
            let Some(&before) = first.get(&var) else {
                first.insert(var, equation.origin.location);
                continue;
            };
            let name = self.variable_name(var);
            let mut diagnostic = diagnostic;
            for place in [before, equation.origin.location].into_iter().flatten() {
                diagnostic = diagnostic.at(place, format!("gives {name} a value"));
            }
            return diagnostic.help(format!("{name} is given two values: leave one of them out"));
        }
        diagnostic
    }
}
