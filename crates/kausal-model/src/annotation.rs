//! What annotations of a class say.

use kausal_syntax::Ast;
use kausal_syntax::ast::{Binding, ModArg};

/// The expression of an annotation at the top of an annotation clause.
pub fn annotation_value(
    ast: &Ast,
    annotation: Option<kausal_syntax::ast::ModId>,
    name: &str,
) -> Option<kausal_syntax::ast::ExprId> {
    match annotation_modify(ast, annotation, name).map(|m| ast.modifications[m].binding)? {
        Binding::Expr(expr) => Some(expr),
        _ => None,
    }
}

/// The modification of an annotation at the top of an annotation clause.
pub fn annotation_modify(
    ast: &Ast,
    annotation: Option<kausal_syntax::ast::ModId>,
    name: &str,
) -> Option<kausal_syntax::ast::ModId> {
    ast.modifications[annotation?].args.iter().find_map(|arg| match arg {
        ModArg::Modify(m) => match ast.lists.idents.get(m.name.parts) {
            [part] if part.symbol.as_str() == name => m.modification,
            _ => None,
        },
        _ => None,
    })
}
