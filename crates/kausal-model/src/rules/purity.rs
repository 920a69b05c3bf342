//! Where impure functions can be called (specification section 12.3): in `when`, in initial equations and algorithms, in the
//! values of parameters and external objects, and in other impure functions; wrapped in `pure(…)` everywhere.
//!
//! Functions that call impure ones without being declared so, and calls only for their effects (`print(…)` among equations)
//! are found in libraries, and are taken.

use kausal_symbolic::ExprId;
use kausal_symbolic::function::print::NOTE;
use kausal_syntax::ast;

use crate::annotation::{annotation_modify, annotation_value};
use crate::class::Res;
use crate::flat::PLACED;
use crate::flattener::Flattener;
use crate::functions::context;
use crate::functions::context::{Lower, impure_here, is_impure};
use crate::ids::KlassId;
use crate::sink::Sink;

/// Flat text has lost what was in which place, and says so.
pub(crate) fn note_placed(fl: &mut Flattener<'_>, k: KlassId) {
    let ast = fl.cx.ast(k);
    let class = &ast.classes[fl.cx.lib.def(fl.cx.key(k).def).class];
    let note = annotation_modify(&ast, class.description.annotation, NOTE);
    fl.functions.placed = note.is_some_and(|id| annotation_value(&ast, Some(id), PLACED).is_some());
}

/// Equations that hold all the time call no impure functions.
pub(super) fn check_purity(fl: &mut Flattener<'_>, sink: &Sink) {
    if fl.functions.impure_calls.is_empty() {
        return;
    }
    let roots: Vec<ExprId> = sink.equations.iter().flat_map(|e| [e.lhs, e.rhs]).collect();
    for e in kausal_symbolic::visit::reachable(&fl.pool, &roots, |_| true) {
        if let Some((k, place)) = fl.functions.impure_calls.remove(&e) {
            impure_here(fl.cx, k, place);
        }
    }
}

/// A call in an algorithm section.
pub(crate) fn check_pure_place(fl: &mut Flattener<'_>, lo: &Lower, expr: ast::ExprId, k: KlassId) -> Res<()> {
    if fl.functions.in_pure || fl.functions.placed || !is_impure(fl, k) {
        return Ok(());
    }
    if lo.outer.as_ref().is_none_or(context::Outer::may_be_impure) {
        return Ok(());
    }
    let span = fl.cx.lib.ast_ref(lo.file).span(expr);
    let place = fl.cx.lib.location(lo.file, span);
    Err(impure_here(fl.cx, k, place))
}
