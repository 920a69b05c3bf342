//! Where impure functions can be called (specification section 12.3): in `when`, in initial equations and algorithms, in the
//! values of parameters and external objects, and in other impure functions; wrapped in `pure(…)` everywhere.
//!
//! Functions that call impure ones without being declared so, and calls only for their effects (`print(…)` among equations)
//! are found in libraries, and are taken.

use kausal_symbolic::ExprId;
use kausal_syntax::ast::{self, Purity};
use kausal_syntax::{Diagnostic, Location};

use crate::class::{KlassId, Reported, Res, annotation_modify, annotation_value};
use crate::equation::Sink;
use crate::flattener::{Flattener, Scope};
use crate::functions::lower::Lower;
use crate::print::{NOTE, PLACED};

const HELP: &str =
    "call it in `when`, in an initial equation or for a parameter, or wrap the call in pure(…)";

impl Flattener<'_> {
    /// Is a function declared `impure`, by itself or by what it extends?
    pub(crate) fn is_impure(&mut self, k: KlassId) -> bool {
        if let Some(&known) = self.functions.impure.get(&k) {
            return known;
        }
        let mut chain = Vec::new();
        self.function_chain(k, &mut chain);
        let purity = |this: &Self, k| this.cx.lib.class(this.cx.key(k).def).purity;
        let known = chain.iter().any(|&k| purity(self, k) == Purity::Impure);
        self.functions.impure.insert(k, known);
        known
    }

    /// Flat text has lost what was in which place, and says so.
    pub(crate) fn note_placed(&mut self, k: KlassId) {
        let ast = self.cx.ast(k);
        let class = &ast.classes[self.cx.lib.def(self.cx.key(k).def).class];
        let note = annotation_modify(&ast, class.description.annotation, NOTE);
        self.functions.placed = note.is_some_and(|id| annotation_value(&ast, Some(id), PLACED).is_some());
    }

    /// Notes a call in an equation; whether it may be there is known when it is known where it ends up.
    pub(crate) fn note_impure(&mut self, scope: Scope, expr: ast::ExprId, k: KlassId) {
        let exempt = self.functions.in_pure || self.functions.placed || self.in_when;
        if exempt || !self.is_impure(k) {
            return;
        }
        if let Some(call) = self.functions.last_call {
            let span = self.cx.lib.ast_ref(scope.file).span(expr);
            let place = self.cx.lib.location(scope.file, span);
            self.functions.impure_calls.entry(call).or_insert((k, place));
        }
    }

    /// Equations that hold all the time call no impure functions.
    pub(super) fn check_purity(&mut self, sink: &Sink) {
        if self.functions.impure_calls.is_empty() {
            return;
        }
        let roots: Vec<ExprId> = sink.equations.iter().flat_map(|e| [e.lhs, e.rhs]).collect();
        for e in kausal_symbolic::visit::reachable(&self.pool, &roots, |_| true) {
            if let Some((k, place)) = self.functions.impure_calls.remove(&e) {
                self.impure_here(k, place);
            }
        }
    }

    /// A call in an algorithm section.
    pub(crate) fn check_pure_place(&mut self, lo: &Lower, expr: ast::ExprId, k: KlassId) -> Res<()> {
        if self.functions.in_pure || self.functions.placed || !self.is_impure(k) {
            return Ok(());
        }
        if lo.outer.as_ref().is_none_or(crate::algorithm::Outer::may_be_impure) {
            return Ok(());
        }
        let span = self.cx.lib.ast_ref(lo.file).span(expr);
        let place = self.cx.lib.location(lo.file, span);
        Err(self.impure_here(k, place))
    }

    fn impure_here(&mut self, k: KlassId, place: Location) -> Reported {
        let message = format!("{} is impure: it cannot be called here", self.cx.name(k));
        let defined = self.cx.def_location(self.cx.key(k).def);
        let diagnostic = Diagnostic::error("K0392", message)
            .at(place, "called here")
            .at(defined, "declared `impure` here")
            .help(HELP);
        self.cx.report(diagnostic)
    }
}
