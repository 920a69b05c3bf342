//! Expressions of equations: from syntax in a scope to arrays of scalar expressions.
//!
//! - [`reference`]: `a.b[2].c`, through instances, packages, records and loop variables
//! - [`operator`]: arithmetic, relations, `if`, ranges, array constructors and reductions
//! - [`builtin`]: operators with function syntax and built-in functions
//! - [`call`]: functions, record constructors, external objects
//! - [`iteration`]: loop variables without a range
//! - [`kept`]: operators that stay in the flat model: those of clocked models, `spatialDistribution`
//! - [`overload`]: operators of operator records

pub(crate) mod arguments;
pub mod builtin;
pub mod call;
pub mod defaults;
pub mod iteration;
pub mod opaque;
pub mod operator;
pub mod overload;
pub(crate) mod place;
pub mod reference;
pub mod string;

use kausal_syntax::ast;
use kausal_syntax::ast::Expr;

use crate::class::{Reported, Res};
use crate::expr::place::at_expr;
use crate::flattener::Flattener;
use crate::tree::Scope;
use crate::value::Value;
use crate::{fold, spending};

/// How deep expressions may be nested, counting the calls and bindings they lead to.
const MAX_DEPTH: u32 = 1500;

impl Flattener<'_> {
    /// The value of an expression.
    pub fn eval(&mut self, scope: Scope, expr: ast::ExprId) -> Res<Value> {
        if self.depth > MAX_DEPTH {
            let span = self.cx.lib.ast_ref(scope.file).span(expr);
            return Err(self.error_at("K0304", "the expression is nested too deeply", scope.file, span));
        }
        if !self.budget.pay(1) {
            let span = self.cx.lib.ast_ref(scope.file).span(expr);
            return Err(spending::broke(self, Some((scope.file, span))));
        }
        self.depth += 1;
        let value = eval_inner(self, scope, expr);
        self.depth -= 1;
        value
    }
}

fn eval_inner(fl: &mut Flattener<'_>, scope: Scope, expr: ast::ExprId) -> Res<Value> {
    let ast = fl.cx.lib.ast(scope.file);
    if let Some(value) = fold::literal(&mut fl.pool, &ast, expr) {
        return Ok(value);
    }
    match ast.exprs[expr] {
        Expr::Ref(reference) => reference::eval_ref(fl, scope, &ast, &reference),
        Expr::Unary(op, a) => operator::eval_unary(fl, scope, &ast, expr, op, a),
        Expr::Binary(..) => operator::eval_binary(fl, scope, &ast, expr),
        Expr::If { branches, otherwise } => {
            operator::eval_if(fl, scope, ast.lists.branches.get(branches), otherwise)
        }
        Expr::Range { start, step, stop } => operator::eval_range(fl, scope, start, step, stop),
        Expr::Call { function, args } => {
            let outputs = call::eval_call(fl, scope, &ast, expr, &function, ast.lists.args.get(args))?;
            Ok(outputs.into_iter().next().unwrap_or(Value::Nothing))
        }
        Expr::CallFor { function, body, iterators } => operator::eval_reduction(
            fl,
            scope,
            &ast,
            expr,
            &function,
            body,
            ast.lists.iterators.get(iterators),
        ),
        Expr::Function { function, args } => {
            call::eval_partial(fl, scope, &ast, function, ast.lists.args.get(args))
        }
        Expr::Array(items) => {
            let values = eval_all(fl, scope, ast.lists.exprs.get(items).iter().copied())?;
            fl.construct(scope, expr, values)
        }
        Expr::ArrayFor { body, iterators } => {
            operator::eval_comprehension(fl, scope, expr, body, ast.lists.iterators.get(iterators))
        }
        Expr::Matrix(rows) => operator::eval_matrix(fl, scope, &ast, expr, ast.lists.rows.get(rows)),
        Expr::Tuple(items) => match ast.lists.exprs.get(items) {
            [one] => fl.eval(scope, *one),
            _ => Err(at_expr(fl, scope, expr, "K0305", "a list of receivers is not a value")),
        },
        Expr::End => match fl.ends.last() {
            Some(&n) => {
                let n = fl.pool.constant(n as f64);
                Ok(Value::scalar(crate::value::Ty::Integer, n))
            }
            None => Err(at_expr(fl, scope, expr, "K0306", "`end` has a meaning only inside subscripts")),
        },
        Expr::Missing => Ok(Value::Nothing),
        Expr::Colon => {
            Err(at_expr(fl, scope, expr, "K0307", "`:` has a meaning only as a subscript or dimension"))
        }
        Expr::Error => Err(Reported),
        Expr::Integer(_) | Expr::Real(_) | Expr::String(_) | Expr::Boolean(_) => Err(Reported),
    }
}

/// The values of several expressions; what is wrong with each of them is reported.
pub fn eval_all(
    fl: &mut Flattener<'_>,
    scope: Scope,
    exprs: impl ExactSizeIterator<Item = ast::ExprId>,
) -> Res<Vec<Value>> {
    let mut values = Vec::with_capacity(exprs.len());
    let mut failed = false;
    for expr in exprs {
        match fl.eval(scope, expr) {
            Ok(value) => values.push(value),
            Err(Reported) => failed = true,
        }
    }
    if failed { Err(Reported) } else { Ok(values) }
}
