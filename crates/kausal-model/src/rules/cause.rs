//! What is most likely behind a model that is not balanced: variables that stand in no equation, variables that two
//! places give a value. The first ones are named; whether they are all is a question for matching, which comes later.

use kausal_symbolic::{ExprId, Node as Expression, VarId};
use kausal_syntax::Diagnostic;
use rustc_hash::FxHashSet;

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

    fn with_unused(&self, diagnostic: Diagnostic, sink: &Sink) -> Diagnostic {
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
        let names: Vec<String> = open.iter().take(NAMED).map(|&v| self.variable_name(v)).collect();
        let more = if open.len() > NAMED { " and others" } else { "" };
        let verb = if open.len() == 1 { "is" } else { "are" };
        diagnostic.help(format!("{}{more} {verb} in no equation", names.join(", ")))
    }

    /// A declaration with a value, a `when` clause or an algorithm determines its variable; an equation `x = …` besides is
    /// likely to be the one too many. (Of two equations with `x` on the left one may determine something else.)
    fn with_twice(&self, diagnostic: Diagnostic, sink: &Sink) -> Diagnostic {
        let mut given: FxHashSet<VarId> = FxHashSet::default();
        for branch in sink.whens.iter().flat_map(|w| &w.branches) {
            assigned_in(&branch.actions, &mut given);
        }
        let defined = |kind: OriginKind| {
            let of_kind = sink.equations.iter().filter(move |e| e.origin.kind == kind);
            of_kind.filter_map(|e| self.as_variable(e.lhs))
        };
        given.extend(defined(OriginKind::Binding));
        given.extend(defined(OriginKind::Algorithm));
        match defined(OriginKind::Equation).find(|v| given.contains(v)) {
            Some(var) => {
                let name = self.variable_name(var);
                diagnostic.help(format!("{name} is given two values: leave one of them out"))
            }
            None => diagnostic,
        }
    }
}
