//! The domain of expressions: evaluating a function here turns its body into expressions of a [`Pool`].
//!
//! Loops must have known ranges. A condition that is an expression becomes `if`. Relations and discontinuous
//! functions cause no events, as for any function (specification section 12.8), unless they shall: that is for
//! equations evaluated with the same routines, and for `GenerateEvents`.

use super::array::{ArrayErrorKind, ArrayResult};
use super::calls::Calls;
use super::domain::{Assertion, Domain, concat_known};
use super::text::{TextFormat, format_number};
use super::value::{Text, Value};
use super::{ArrayFn, EvalError, Function, FunctionId, Scalar, Stmt};
use crate::node::{ExprId, Node, Op, VarId};
use crate::pool::Pool;

/// The domain of expressions.
///
/// ```
/// use kausal_symbolic::function::{Array, Symbolic};
/// use kausal_symbolic::{Op, Pool, VarId};
/// let mut pool = Pool::new();
/// let [x, y] = [0, 1].map(|k| pool.var(VarId(k)));
/// let mut d = Symbolic::new(&mut pool);
/// let v = Array::vector(vec![x, y]);
/// let square = v.product_with(&mut d, &v)?.into_scalar()?;
/// let (xx, yy) = (pool.op(Op::Mul, &[x, x]), pool.op(Op::Mul, &[y, y]));
/// assert_eq!(square, pool.op(Op::Add, &[xx, yy]));
/// # Ok::<(), kausal_symbolic::function::ArrayError>(())
/// ```
pub struct Symbolic<'p> {
    /// Where the expressions are.
    pub pool: &'p mut Pool,
    /// Assertions that could not be decided.
    pub assertions: Vec<Assertion<ExprId>>,
    calls: Option<&'p mut Calls>,
    keep: fn(&Function) -> bool,
    events: bool,
    limit: usize,
}

impl<'p> Symbolic<'p> {
    /// Expressions without limit, with events, for equations. Functions called inside cannot stay calls.
    pub fn new(pool: &'p mut Pool) -> Self {
        Symbolic {
            pool,
            assertions: Vec::new(),
            calls: None,
            keep: |_| false,
            events: true,
            limit: usize::MAX,
        }
    }

    /// At most so many new expressions.
    pub fn with_budget(mut self, budget: usize) -> Self {
        self.limit = self.pool.len().saturating_add(budget);
        self
    }

    /// Do relations cause events?
    pub fn with_events(mut self, events: bool) -> Self {
        self.events = events;
        self
    }

    /// Functions called inside stay calls if `keep` says so or if they cannot become expressions.
    pub fn with_calls(mut self, calls: &'p mut Calls, keep: fn(&Function) -> bool) -> Self {
        self.calls = Some(calls);
        self.keep = keep;
        self
    }

    fn text_expr(&mut self, text: &Text) -> ExprId {
        match text {
            Text::Known(text) => self.pool.text(text),
            Text::Expr(expr) => *expr,
        }
    }
}

impl Domain for Symbolic<'_> {
    type Scalar = ExprId;
    const REORDERS: bool = true;
    const KEEPS_CALLS: bool = true;
    const EQUAL_IS_SAME: bool = true;

    fn number(&mut self, value: f64) -> ExprId {
        self.pool.constant(value)
    }

    fn value(&self, scalar: ExprId) -> Option<f64> {
        self.pool.as_constant(scalar)
    }

    fn op(&mut self, op: Op, args: &[ExprId]) -> ArrayResult<ExprId> {
        let expr = self.pool.op(op, args);
        if self.pool.len() > self.limit {
            return Err(ArrayErrorKind::OverBudget.into());
        }
        if self.events || !causes_events(op) || matches!(self.pool.node(expr), Node::Const(_)) {
            return Ok(expr);
        }
        Ok(self.pool.op(Op::NoEvent, &[expr]))
    }

    fn function(&self, id: FunctionId) -> Option<&Function> {
        self.pool.get_function(id)
    }

    fn outer(&mut self, var: VarId) -> Option<ExprId> {
        Some(self.pool.var(var))
    }

    fn concat(&mut self, parts: &[Text]) -> ArrayResult<Text> {
        if let Some(known) = concat_known(parts) {
            return Ok(known);
        }
        let function = concat_function(self.pool);
        let mut joined: Option<ExprId> = None;
        for part in parts {
            let part = self.text_expr(part);
            joined = Some(match joined {
                None => part,
                Some(joined) => {
                    let call = self.pool.call(function, &[joined, part]);
                    self.pool.output(call, 0)
                }
            });
        }
        Ok(joined.map_or_else(|| Text::from(""), Text::Expr))
    }

    fn to_text(&mut self, value: ExprId, kind: Scalar, format: &TextFormat<ExprId>) -> ArrayResult<Text> {
        if let (Some(value), Some(format)) = (self.value(value), format.map(|option| self.value(option))) {
            return Ok(Text::from(format_number(value, kind, &format)?.as_str()));
        }
        let call = match format {
            TextFormat::C(format) => {
                let function = to_text_function(self.pool, kind, true);
                let format = self.pool.text(format);
                self.pool.call(function, &[value, format])
            }
            TextFormat::Options(options) => {
                let function = to_text_function(self.pool, kind, false);
                let mut args = vec![value];
                for (option, default) in options.iter().zip([6.0, 0.0, 1.0]) {
                    args.push(option.unwrap_or_else(|| self.pool.constant(default)));
                }
                self.pool.call(function, &args)
            }
        };
        Ok(Text::Expr(self.pool.output(call, 0)))
    }

    fn assertion(&mut self, assertion: Assertion<ExprId>) -> ArrayResult<()> {
        if self.value(assertion.condition) != Some(1.0) && !self.assertions.contains(&assertion) {
            self.assertions.push(assertion);
        }
        Ok(())
    }

    fn keep_call(
        &mut self,
        function: FunctionId,
        args: &[Value<ExprId>],
    ) -> Result<Option<Vec<Value<ExprId>>>, EvalError> {
        match &mut self.calls {
            Some(calls) => calls.keep(self.pool, function, args).map(Some),
            None => Ok(None),
        }
    }

    fn prefers_call(&self, function: FunctionId) -> bool {
        self.function(function).is_some_and(|function| (self.keep)(function))
    }

    fn assertion_count(&self) -> usize {
        self.assertions.len()
    }

    fn forget_assertions(&mut self, count: usize) {
        self.assertions.truncate(count);
    }
}

fn causes_events(op: Op) -> bool {
    op.is_relation() || matches!(op, Op::Floor | Op::Ceil | Op::Integer | Op::IntegerDiv | Op::Mod | Op::Rem)
}

/// The function that joins two strings which are not known before the model runs.
pub fn concat_function(pool: &mut Pool) -> FunctionId {
    const NAME: &str = "Kausal.Internal.concat";
    find(pool, NAME).unwrap_or_else(|| {
        let mut f = Function::named(NAME);
        let a = f.input("a", Scalar::String, &[]);
        let b = f.input("b", Scalar::String, &[]);
        let text = f.output("text", Scalar::String, &[]);
        let (a, b) = (f.local_term(a), f.local_term(b));
        let joined = f.array(ArrayFn::Concat, &[a, b]);
        f.push(Stmt::assign(text, joined));
        pool.add_function(f)
    })
}

/// The function that writes numbers which are not known before the model runs.
pub fn to_text_function(pool: &mut Pool, kind: Scalar, with_format: bool) -> FunctionId {
    let by = if with_format { "By" } else { "" };
    let name = format!("Kausal.Internal.string{kind:?}{by}");
    find(pool, &name).unwrap_or_else(|| {
        let mut f = Function::named(&name);
        let mut args = vec![f.input("value", kind, &[])];
        if with_format {
            args.push(f.input("format", Scalar::String, &[]));
        } else {
            args.push(f.input("significantDigits", Scalar::Integer, &[]));
            args.push(f.input("minimumLength", Scalar::Integer, &[]));
            args.push(f.input("leftJustified", Scalar::Boolean, &[]));
        }
        let text = f.output("text", Scalar::String, &[]);
        let args: Vec<_> = args.into_iter().map(|arg| f.local_term(arg)).collect();
        let written = f.array(ArrayFn::ToString, &args);
        f.push(Stmt::assign(text, written));
        pool.add_function(f)
    })
}

fn find(pool: &Pool, name: &str) -> Option<FunctionId> {
    pool.functions().find(|(_, function)| function.name == name).map(|(id, _)| id)
}
