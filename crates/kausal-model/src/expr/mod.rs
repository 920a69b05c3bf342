//! Expressions of equations: from syntax in a scope to arrays of scalar expressions.
//!
//! - [`reference`]: `a.b[2].c`, through instances, packages, records and loop variables
//! - [`operator`]: arithmetic, relations, `if`, ranges, array constructors and reductions
//! - [`builtin`]: operators with function syntax and built-in functions
//! - [`call`]: functions, record constructors, external objects
//! - [`iteration`]: loop variables without a range
//! - [`kept`]: operators that stay in the flat model: those of clocked models, `spatialDistribution`
//! - [`overload`]: operators of operator records

pub mod builtin;
pub mod call;
pub mod defaults;
pub mod iteration;
pub mod kept;
pub mod operator;
pub mod overload;
pub mod reference;
pub mod string;

use kausal_syntax::ast::{self, ComponentRef, Expr};
use kausal_syntax::{Ast, Diagnostic, Location};

use crate::class::{MemberKind, Reported, Res};
use crate::flattener::{Flattener, Scope};
use crate::lookup::Found;
use crate::value::Value;

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
            return Err(self.broke(Some((scope.file, span))));
        }
        self.depth += 1;
        let value = self.eval_inner(scope, expr);
        self.depth -= 1;
        value
    }

    fn eval_inner(&mut self, scope: Scope, expr: ast::ExprId) -> Res<Value> {
        let ast = self.cx.lib.ast(scope.file);
        if let Some(value) = self.literal(&ast, expr) {
            return Ok(value);
        }
        match ast.exprs[expr] {
            Expr::Ref(reference) => self.eval_ref(scope, &ast, &reference),
            Expr::Unary(op, a) => self.eval_unary(scope, &ast, expr, op, a),
            Expr::Binary(..) => self.eval_binary(scope, &ast, expr),
            Expr::If { branches, otherwise } => {
                self.eval_if(scope, ast.lists.branches.get(branches), otherwise)
            }
            Expr::Range { start, step, stop } => self.eval_range(scope, start, step, stop),
            Expr::Call { function, args } => {
                let outputs = self.eval_call(scope, &ast, expr, &function, ast.lists.args.get(args))?;
                Ok(outputs.into_iter().next().unwrap_or(Value::Nothing))
            }
            Expr::CallFor { function, body, iterators } => {
                self.eval_reduction(scope, &ast, expr, &function, body, ast.lists.iterators.get(iterators))
            }
            Expr::Function { function, args } => {
                self.eval_partial(scope, &ast, function, ast.lists.args.get(args))
            }
            Expr::Array(items) => {
                let values = self.eval_all(scope, ast.lists.exprs.get(items).iter().copied())?;
                self.construct(scope, expr, values)
            }
            Expr::ArrayFor { body, iterators } => {
                self.eval_comprehension(scope, expr, body, ast.lists.iterators.get(iterators))
            }
            Expr::Matrix(rows) => self.eval_matrix(scope, &ast, expr, ast.lists.rows.get(rows)),
            Expr::Tuple(items) => match ast.lists.exprs.get(items) {
                [one] => self.eval(scope, *one),
                _ => Err(self.at_expr(scope, expr, "K0305", "a list of receivers is not a value")),
            },
            Expr::End => match self.ends.last() {
                Some(&n) => {
                    let n = self.pool.constant(n as f64);
                    Ok(Value::scalar(crate::value::Ty::Integer, n))
                }
                None => Err(self.at_expr(scope, expr, "K0306", "`end` has a meaning only inside subscripts")),
            },
            Expr::Missing => Ok(Value::Nothing),
            Expr::Colon => {
                Err(self.at_expr(scope, expr, "K0307", "`:` has a meaning only as a subscript or dimension"))
            }
            Expr::Error => Err(Reported),
            Expr::Integer(_) | Expr::Real(_) | Expr::String(_) | Expr::Boolean(_) => Err(Reported),
        }
    }

    /// The values of several expressions; what is wrong with each of them is reported.
    pub fn eval_all(
        &mut self,
        scope: Scope,
        exprs: impl ExactSizeIterator<Item = ast::ExprId>,
    ) -> Res<Vec<Value>> {
        let mut values = Vec::with_capacity(exprs.len());
        let mut failed = false;
        for expr in exprs {
            match self.eval(scope, expr) {
                Ok(value) => values.push(value),
                Err(Reported) => failed = true,
            }
        }
        if failed { Err(Reported) } else { Ok(values) }
    }

    /// Reports at an expression, with the declarations of what is used in it.
    pub fn at_expr(
        &mut self,
        scope: Scope,
        expr: ast::ExprId,
        code: &'static str,
        message: impl Into<String>,
    ) -> Reported {
        let span = self.cx.lib.ast_ref(scope.file).span(expr);
        let diagnostic = Diagnostic::error(code, message).at(self.cx.lib.location(scope.file, span), "");
        let diagnostic = self.with_declarations(diagnostic, scope, &[expr]);
        self.cx.report(diagnostic)
    }

    /// Adds where the components used in expressions are declared: the first three.
    pub fn with_declarations(
        &mut self,
        mut diagnostic: Diagnostic,
        scope: Scope,
        exprs: &[ast::ExprId],
    ) -> Diagnostic {
        let ast = self.cx.lib.ast(scope.file);
        let mut references = Vec::new();
        for &expr in exprs {
            crate::walk::references(&ast, expr, &mut |r| references.push(*r));
        }
        let mut places: Vec<Location> = Vec::new();
        for reference in references {
            if let Some(place) = self.declaration(scope, &ast, &reference)
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
    fn declaration(&mut self, scope: Scope, ast: &Ast, reference: &ComponentRef) -> Option<Location> {
        let (first, rest) = ast.lists.parts.get(reference.parts).split_first()?;
        let name = first.name.symbol;
        if reference.global || self.locals[scope.locals as usize..].iter().any(|(n, _)| *n == name) {
            return None;
        }
        let Found::Component { mut member, .. } = self.cx.find(scope.klass, name)? else { return None };
        for part in rest {
            let klass = self.cx.component(&member).ok()?.klass;
            let members = self.cx.members(klass).ok()?;
            let next = members.items[*members.index.get(&part.name.symbol)? as usize];
            if !matches!(next.kind, MemberKind::Component(_)) {
                return None;
            }
            member = next;
        }
        Some(self.cx.member_location(&member))
    }
}
