//! Ranges of loop variables that are written without one (specification section 11.2.2.1).

use kausal_syntax::ast::{ComponentRef, Expr};
use kausal_syntax::{Ast, Diagnostic, Symbol, ast};

use crate::class::{Classes, Res};
use crate::expr::place::{IteratorBody, LoopValues};
use crate::expr::reference::Cursor;
use crate::expr::{place, reference};
use crate::flattener::Flattener;
use crate::tree::Scope;
use crate::value::Ty;
use crate::{interface, spending, tree};

/// The values of a loop variable without a range: the subscripts it is used as (specification section 11.2.2.1). All
/// dimensions it is a subscript of are alike.
pub fn implicit_range(
    fl: &mut Flattener<'_>,
    scope: Scope,
    iterator: &ast::Iterator,
    body: IteratorBody<'_>,
) -> Res<LoopValues> {
    let ast = fl.cx.lib.ast(scope.file);
    let name = iterator.name.symbol;
    let mut found: Option<(Ty, usize, ComponentRef)> = None;
    for (reference, i, d) in subscripted_by(&ast, name, body) {
        let mut parts = ast.lists.parts.get(reference.parts)[..=i].to_vec();
        parts[i].subscripts = kausal_syntax::arena::List::EMPTY;
        let mark = fl.cx.diagnostics.len();
        let Ok(cursor) = reference::resolve_parts(fl, scope, &ast, &reference, &parts) else {
            fl.cx.diagnostics.truncate(mark);
            continue;
        };
        let shape = match &cursor {
            Cursor::Inst(id) => match &fl.inst(*id).node {
                tree::Node::Leaf(_, shape) | tree::Node::Array(shape, _) => shape.to_vec(),
                _ => Vec::new(),
            },
            Cursor::Insts { shape, .. } => shape.clone(),
            Cursor::Value(value) => value.shape().to_vec(),
            Cursor::Class(..) | Cursor::Disabled(_) => Vec::new(),
        };
        let Some(&n) = shape.get(d) else { continue };
        let ty = match &cursor {
            Cursor::Inst(id) => {
                reference::index_types(fl, *id).get(d).copied().flatten().unwrap_or(Ty::Integer)
            }
            _ => Ty::Integer,
        };
        let Some((first, size, before)) = found else {
            found = Some((ty, n, reference));
            continue;
        };
        if (first, size) != (ty, n) {
            let (a, b) = (range_text(fl.cx, first, size), range_text(fl.cx, ty, n));
            let message = format!("the range of {name} cannot be deduced: it would be {a}, and {b}");
            let place = |this: &Flattener<'_>, r: ComponentRef| this.cx.lib.location(scope.file, r.span);
            let diagnostic = Diagnostic::error("K0355", message)
                .at(place(fl, before), "one subscript")
                .at(place(fl, reference), "another subscript")
                .help(format!("write the range: `for {name} in … loop`"));
            return Err(fl.cx.report(diagnostic));
        }
    }
    let Some((ty, n, _)) = found else {
        let message = format!("the range of {name} cannot be deduced: it is not used as a subscript");
        return Err(fl.error_at("K0355", message, scope.file, iterator.name.span));
    };
    let first = if ty == Ty::Boolean { 0 } else { 1 };
    spending::spend(fl, n as u64, scope.file, iterator.name.span)?;
    Ok(place::LoopValues::Scalars(ty, (0..n).map(|i| fl.pool.constant((first + i) as f64)).collect()))
}

fn range_text(cx: &Classes, ty: Ty, size: usize) -> String {
    match ty {
        Ty::Integer => format!("1:{size}"),
        other => interface::type_name(cx, other),
    }
}

/// Where a loop variable is a subscript: the reference, which part of it, and which dimension.
pub fn subscripted_by(ast: &Ast, name: Symbol, body: IteratorBody<'_>) -> Vec<(ComponentRef, usize, usize)> {
    let mut uses = Vec::new();
    let is_iterator = |e: ast::ExprId| match ast.exprs[e] {
        Expr::Ref(r) => {
            matches!(ast.lists.parts.get(r.parts), [p] if p.name.symbol == name && p.subscripts.is_empty())
        }
        _ => false,
    };
    let mut note = |r: &ComponentRef| {
        for (i, part) in ast.lists.parts.get(r.parts).iter().enumerate() {
            for (d, &sub) in ast.lists.exprs.get(part.subscripts).iter().enumerate() {
                if is_iterator(sub) {
                    uses.push((*r, i, d));
                }
            }
        }
    };
    match body {
        place::IteratorBody::Expr(e) => crate::walk::references(ast, e, &mut note),
        place::IteratorBody::Equations(list) => {
            crate::walk::connect_refs(list, &mut note);
            crate::walk::equation_exprs(ast, list, &mut |e| crate::walk::references(ast, e, &mut note));
        }
        place::IteratorBody::Statements(list) => crate::walk::statements(list, &mut |s| {
            crate::walk::statement_targets(s, &mut |target| {
                note(target);
                for part in ast.lists.parts.get(target.parts) {
                    for &sub in ast.lists.exprs.get(part.subscripts) {
                        crate::walk::references(ast, sub, &mut note);
                    }
                }
            });
            crate::walk::statement_exprs(ast, s, &mut |e| crate::walk::references(ast, e, &mut note));
        }),
    }
    uses
}
