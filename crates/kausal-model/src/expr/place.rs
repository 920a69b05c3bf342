//! Diagnostics at the place of an expression.

use kausal_symbolic::ExprId;
use kausal_symbolic::function::{Array, ArrayResult, Index};
use kausal_syntax::ast::{BinaryOp, ComponentRef};
use kausal_syntax::{Ast, Diagnostic, Location, ast};

use crate::class;
use crate::class::{MemberKind, Reported, Res};
use crate::flattener::Flattener;
use crate::spending::spend_at;
use crate::tree::Scope;
use crate::value::{Ty, Value};

/// A reference as text, for messages.
pub fn ref_text(ast: &Ast, reference: &ComponentRef) -> String {
    ast.text[reference.span.start as usize..reference.span.end as usize].to_owned()
}

/// A result of an array routine, or its error at an expression.
pub fn array_result(
    fl: &mut Flattener<'_>,
    scope: Scope,
    at: ast::ExprId,
    ty: Ty,
    result: ArrayResult<Array<ExprId>>,
) -> Res<Value> {
    match result {
        Ok(array) => {
            spend_at(fl, scope, at, array.len() as u64)?;
            Ok(Value::Plain(ty, array))
        }
        Err(e) => Err(at_expr(fl, scope, at, "K0332", e.to_string())),
    }
}

/// An operator as written.
pub fn operator_text(op: BinaryOp) -> &'static str {
    use BinaryOp::*;
    match op {
        Add => "+",
        Sub => "-",
        Mul => "*",
        Div => "/",
        Pow => "^",
        ElementAdd => ".+",
        ElementSub => ".-",
        ElementMul => ".*",
        ElementDiv => "./",
        ElementPow => ".^",
        Equal => "==",
        NotEqual => "<>",
        Less => "<",
        LessEqual => "<=",
        Greater => ">",
        GreaterEqual => ">=",
        And => "and",
        Or => "or",
    }
}

/// Reports at an expression, with the declarations of what is used in it.
pub fn at_expr(
    fl: &mut Flattener<'_>,
    scope: Scope,
    expr: ast::ExprId,
    code: &'static str,
    message: impl Into<String>,
) -> Reported {
    let span = fl.cx.lib.ast_ref(scope.file).span(expr);
    let diagnostic = Diagnostic::error(code, message).at(fl.cx.lib.location(scope.file, span), "");
    let diagnostic = with_declarations(fl, diagnostic, scope, &[expr]);
    fl.cx.report(diagnostic)
}

/// The same with advice.
pub(crate) fn at_expr_helped(
    fl: &mut Flattener<'_>,
    scope: Scope,
    expr: ast::ExprId,
    code: &'static str,
    message: impl Into<String>,
    help: &str,
) -> Reported {
    let span = fl.cx.lib.ast_ref(scope.file).span(expr);
    let diagnostic = Diagnostic::error(code, message).at(fl.cx.lib.location(scope.file, span), "");
    let diagnostic = with_declarations(fl, diagnostic, scope, &[expr]);
    fl.cx.report(diagnostic.help(help))
}

/// Adds where the components used in expressions are declared: the first three.
pub fn with_declarations(
    fl: &mut Flattener<'_>,
    mut diagnostic: Diagnostic,
    scope: Scope,
    exprs: &[ast::ExprId],
) -> Diagnostic {
    let ast = fl.cx.lib.ast(scope.file);
    let mut references = Vec::new();
    for &expr in exprs {
        crate::walk::references(&ast, expr, &mut |r| references.push(*r));
    }
    let mut places: Vec<Location> = Vec::new();
    for reference in references {
        if let Some(place) = declaration(fl, scope, &ast, &reference)
            && !places.contains(&place)
            && places.len() < 3
        {
            places.push(place);
        }
    }
    for place in places {
        diagnostic = diagnostic.at(place, "declared here");
    }
    diagnostic
}

/// Where the component a reference leads to is declared, as far as classes tell.
pub(crate) fn declaration(
    fl: &mut Flattener<'_>,
    scope: Scope,
    ast: &Ast,
    reference: &ComponentRef,
) -> Option<Location> {
    let (first, rest) = ast.lists.parts.get(reference.parts).split_first()?;
    let name = first.name.symbol;
    if reference.global || fl.locals[scope.locals as usize..].iter().any(|(n, _)| *n == name) {
        return None;
    }
    let class::Found::Component { mut member, .. } = fl.cx.find(scope.klass, name)? else { return None };
    for part in rest {
        let klass = fl.cx.component(&member).ok()?.klass;
        let members = fl.cx.members(klass).ok()?;
        let next = members.items[*members.index.get(&part.name.symbol)? as usize];
        if !matches!(next.kind, MemberKind::Component(_)) {
            return None;
        }
        member = next;
    }
    Some(fl.cx.member_location(&member))
}

/// Where a loop variable without a range is used.
#[derive(Clone, Copy)]
pub enum IteratorBody<'a> {
    /// In an expression.
    Expr(ast::ExprId),
    /// In equations.
    Equations(&'a [ast::Equation]),
    /// In statements.
    Statements(&'a [ast::Statement]),
}

/// The values a loop variable takes.
#[derive(Clone, Debug)]
pub enum LoopValues {
    /// Scalars of one type.
    Scalars(Ty, Vec<ExprId>),
    /// A vector of records.
    Records(Value),
}

impl LoopValues {
    /// How many.
    pub fn len(&self) -> usize {
        match self {
            LoopValues::Scalars(_, list) => list.len(),
            LoopValues::Records(value) => value.shape().first().copied().unwrap_or(0),
        }
    }

    /// None?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One of them, counted from 0.
    pub fn get(&self, i: usize) -> Value {
        match self {
            LoopValues::Scalars(ty, list) => Value::scalar(*ty, list[i]),
            LoopValues::Records(value) => value.index(&[Index::One(i + 1)]).unwrap_or(Value::Nothing),
        }
    }
}
