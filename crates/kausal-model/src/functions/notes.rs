//! What the annotations of a function say: `Inline`, `smoothOrder`, `derivative`, `inverse` (specification sections 12.7
//! to 12.9 and 18.3).

use kausal_symbolic::FunctionId;
use kausal_symbolic::function::print::{KEPT, NOTE};
use kausal_symbolic::function::{DerivativeNote, InverseNote, LocalId, Term};
use kausal_syntax::ast::{Binding, Expr, ModArg, Purity};
use kausal_syntax::{Ast, Diagnostic, ast};

use crate::annotation::{annotation_modify, annotation_value};
use crate::class;
use crate::class::{Classes, Reported, annotation_flag};
use crate::flattener::Flattener;
use crate::functions::context::Lower;
use crate::functions::table::FunctionKey;
use crate::functions::{context, table};
use crate::ids::KlassId;

pub(super) fn lower_notes(fl: &mut Flattener<'_>, lo: &mut Lower, k: KlassId, _id: FunctionId) {
    let mut chain = Vec::new();
    context::function_chain(fl.cx, k, &mut chain);
    for &klass in chain.iter().rev() {
        let ast = fl.cx.ast(klass);
        let class = &ast.classes[fl.cx.lib.def(fl.cx.key(klass).def).class];
        let annotation = class.description.annotation;
        let notes = &mut lo.function.notes;
        notes.inline = notes.inline.or(annotation_flag(&ast, annotation, "Inline"));
        notes.late_inline = notes.late_inline.or(annotation_flag(&ast, annotation, "LateInline"));
        notes.inline_after_index_reduction |=
            annotation_flag(&ast, annotation, "InlineAfterIndexReduction") == Some(true);
        notes.generate_events |= annotation_flag(&ast, annotation, "GenerateEvents") == Some(true);
        notes.impure |= class.purity == Purity::Impure;
        if notes.smooth_order.is_none()
            && let Some(value) = annotation_value(&ast, annotation, "smoothOrder")
            && let Expr::Integer(n) = ast.exprs[value]
        {
            notes.smooth_order = u32::try_from(n).ok();
        }
        if let Some(own) = annotation_modify(&ast, annotation, NOTE) {
            notes.kept |= annotation_flag(&ast, Some(own), KEPT) == Some(true);
        }
        let Some(annotation) = annotation else { continue };
        let modification = &ast.modifications[annotation];
        for arg in &modification.args {
            let ModArg::Modify(modify) = arg else { continue };
            let [name] = ast.lists.idents.get(modify.name.parts) else { continue };
            match name.symbol.as_str() {
                "derivative" => derivative_note(fl, lo, klass, &ast, modify.modification),
                "inverse" => inverse_notes(fl, lo, klass, &ast, modify.modification),
                _ => {}
            }
        }
    }
}

/// The function an annotation names; a name that leads nowhere is worth a warning.
fn named_function(
    fl: &mut Flattener<'_>,
    lo: &Lower,
    klass: KlassId,
    ast: &Ast,
    expr: ast::ExprId,
) -> Option<FunctionId> {
    if note_class(fl.cx, klass, ast, expr).is_none() {
        let file = fl.cx.file(klass);
        let location = fl.cx.lib.location(file, ast.span(expr));
        let message = format!("an annotation of {} names a function that cannot be found", lo.function.name);
        let warning = Diagnostic::warning("K0387", message).at(location, "not found, and not used");
        fl.cx.report(warning);
        return None;
    }
    note_function(fl, klass, ast, expr)
}

fn note_class(cx: &mut Classes, klass: KlassId, ast: &Ast, expr: ast::ExprId) -> Option<KlassId> {
    let reference = match ast.exprs[expr] {
        Expr::Ref(r) => r,
        Expr::Call { function, .. } => function,
        _ => return None,
    };
    let parts = ast.lists.parts.get(reference.parts);
    let first = parts.first()?.name.symbol;
    let mut found =
        if reference.global { cx.root(first).map(class::Found::Class) } else { cx.find(klass, first) }?;
    for part in &parts[1..] {
        let class::Found::Class(k) = found else { return None };
        found = cx.step(k, part.name.symbol)?;
    }
    match found {
        class::Found::Class(k) => Some(k),
        class::Found::Component { .. } => None,
    }
}

fn note_function(fl: &mut Flattener<'_>, klass: KlassId, ast: &Ast, expr: ast::ExprId) -> Option<FunctionId> {
    let k = note_class(fl.cx, klass, ast, expr)?;
    // A derivative that cannot be lowered is as good as none: the function itself still works.
    let mark = fl.cx.diagnostics.len();
    match fl.lower_function(&FunctionKey { klass: k, functions: Vec::new() }) {
        Ok(id) => Some(id),
        Err(Reported) => {
            fl.cx.diagnostics.truncate(mark);
            None
        }
    }
}

fn derivative_note(
    fl: &mut Flattener<'_>,
    lo: &mut Lower,
    klass: KlassId,
    ast: &Ast,
    modification: Option<ast::ModId>,
) {
    let Some(modification) = modification else { return };
    let modification = &ast.modifications[modification];
    let Binding::Expr(expr) = modification.binding else { return };
    let Some(function) = named_function(fl, lo, klass, ast, expr) else { return };
    let mut note = DerivativeNote { function, order: 1, zero: Vec::new(), none: Vec::new() };
    for arg in &modification.args {
        let ModArg::Modify(modify) = arg else { continue };
        let [name] = ast.lists.idents.get(modify.name.parts) else { continue };
        let Some(Binding::Expr(value)) = modify.modification.map(|m| ast.modifications[m].binding) else {
            continue;
        };
        match (name.symbol.as_str(), ast.exprs[value]) {
            ("order", Expr::Integer(n)) => note.order = u32::try_from(n).unwrap_or(1),
            ("zeroDerivative", Expr::Ref(r)) => note.zero.extend(locals_named(lo, ast, &r)),
            ("noDerivative", Expr::Ref(r)) => note.none.extend(locals_named(lo, ast, &r)),
            _ => {}
        }
    }
    lo.function.notes.derivatives.push(note);
}

fn inverse_notes(
    fl: &mut Flattener<'_>,
    lo: &mut Lower,
    klass: KlassId,
    ast: &Ast,
    modification: Option<ast::ModId>,
) {
    let Some(modification) = modification else { return };
    for arg in &ast.modifications[modification].args {
        let ModArg::Modify(modify) = arg else { continue };
        let [name] = ast.lists.idents.get(modify.name.parts) else { continue };
        let Some(Binding::Expr(value)) = modify.modification.map(|m| ast.modifications[m].binding) else {
            continue;
        };
        let Expr::Call { args, .. } = ast.exprs[value] else { continue };
        let Some(table::TVal::Plain { term, .. }) = lo.env.get(&name.symbol) else { continue };
        let Term::Local(input) = lo.function.terms[term.0 as usize] else { continue };
        let mut list = Vec::new();
        for arg in ast.lists.args.get(args) {
            if let Expr::Ref(r) = ast.exprs[arg.value] {
                list.extend(locals_named(lo, ast, &r));
            }
        }
        let Some(function) = named_function(fl, lo, klass, ast, value) else { continue };
        lo.function.notes.inverses.push(InverseNote { input, function, args: list });
    }
}

fn locals_named(lo: &Lower, ast: &Ast, r: &ast::ComponentRef) -> Vec<LocalId> {
    let [part] = ast.lists.parts.get(r.parts) else { return Vec::new() };
    let Some(value) = lo.env.get(&part.name.symbol) else { return Vec::new() };
    let mut terms = Vec::new();
    value.terms(&mut terms);
    terms
        .iter()
        .filter_map(|t| match lo.function.terms[t.0 as usize] {
            Term::Local(local) => Some(local),
            _ => None,
        })
        .collect()
}
