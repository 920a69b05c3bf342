//! Operators, `if`, ranges, array constructors and reductions (specification sections 3.4 and 10.4 to 10.6).

use kausal_symbolic::function::algebra::{broadcast, range};
use kausal_symbolic::function::array::MAX_ELEMENTS;
use kausal_symbolic::function::{Array, ArrayResult, Index};
use kausal_symbolic::{ExprId, Op};
use kausal_syntax::Ast;
use kausal_syntax::ast::{self, BinaryOp, ComponentRef, Expr, Iterator, UnaryOp};

use crate::budget::Passes;
use crate::class::{Reported, Res};
use crate::flattener::{Flattener, Scope, reshape_front};
use crate::value::{Ty, Value};

impl Flattener<'_> {
    pub(super) fn eval_unary(
        &mut self,
        scope: Scope,
        _ast: &Ast,
        expr: ast::ExprId,
        op: UnaryOp,
        a: ast::ExprId,
    ) -> Res<Value> {
        let value = self.eval(scope, a)?;
        match (op, &value) {
            (UnaryOp::Plus | UnaryOp::ElementPlus, Value::Plain(ty, _)) if ty.is_number() => Ok(value),
            (UnaryOp::Minus | UnaryOp::ElementMinus, Value::Plain(ty, array)) if ty.is_number() => {
                let negated = array.map_op(&mut self.sym(), Op::Neg);
                self.array_result(scope, expr, *ty, negated)
            }
            (UnaryOp::Not, Value::Plain(Ty::Boolean, array)) => {
                let negated = array.map_op(&mut self.sym(), Op::Not);
                self.array_result(scope, expr, Ty::Boolean, negated)
            }
            (_, Value::Record(_)) => self.overloaded_unary(scope, expr, op, value),
            _ => {
                let text = if op == UnaryOp::Not { "not" } else { "a sign" };
                let message = format!("{text} cannot be applied to {}", value.describe());
                Err(self.at_expr(scope, expr, "K0340", message))
            }
        }
    }

    /// A chain of left-associative operators is evaluated without recursion.
    pub(super) fn eval_binary(&mut self, scope: Scope, ast: &Ast, expr: ast::ExprId) -> Res<Value> {
        let mut spine = Vec::new();
        let mut at = expr;
        while let Expr::Binary(op, a, b) = ast.exprs[at] {
            spine.push((at, op, b));
            at = a;
        }
        // What is wrong on the right is reported also where the left is wrong.
        let mut value = self.eval(scope, at);
        while let Some((at, op, b)) = spine.pop() {
            let right = self.eval(scope, b);
            value = match (value, right) {
                (Ok(value), Ok(right)) => self.binary(scope, at, op, value, right),
                _ => Err(Reported),
            };
        }
        value
    }

    /// A binary operator on two values.
    pub fn binary(&mut self, scope: Scope, at: ast::ExprId, op: BinaryOp, a: Value, b: Value) -> Res<Value> {
        let (Value::Plain(ta, x), Value::Plain(tb, y)) = (&a, &b) else {
            if matches!(a, Value::Record(_)) || matches!(b, Value::Record(_)) {
                return self.overloaded_binary(scope, at, op, a, b);
            }
            return Err(self.cannot(scope, at, op, &a, &b));
        };
        use BinaryOp::*;
        if matches!(op, And | Or) {
            if (*ta, *tb) != (Ty::Boolean, Ty::Boolean) {
                return Err(self.cannot(scope, at, op, &a, &b));
            }
            let op = if op == And { Op::And } else { Op::Or };
            let result = broadcast(&mut self.sym(), op, &[x, y]);
            return self.array_result(scope, at, Ty::Boolean, result);
        }
        if matches!(op, Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual) {
            return self.relation(scope, at, op, &a, &b);
        }
        if (*ta, *tb) == (Ty::String, Ty::String) && matches!(op, Add | ElementAdd) {
            return self.concat(scope, at, x, y);
        }
        if !ta.is_number() || !tb.is_number() {
            return Err(self.cannot(scope, at, op, &a, &b));
        }
        if matches!(op, Div | ElementDiv) && y.data().iter().any(|&e| self.pool.as_constant(e) == Some(0.0)) {
            return Err(self.at_expr(scope, at, "K0329", "this divides by zero"));
        }
        let same_shape = x.shape() == y.shape();
        let scalar_in = x.rank() == 0 || y.rank() == 0;
        let joined = if (*ta, *tb) == (Ty::Integer, Ty::Integer) { Ty::Integer } else { Ty::Real };
        if op == Mul && x.rank() > 0 && y.rank() > 0 {
            // One product, which is part of a sum, for every element of the left and every column of the right.
            let columns = if y.rank() == 2 { y.shape()[1] } else { 1 };
            self.spend_at(scope, at, (x.len() as u64).saturating_mul(2 * columns as u64))?;
        }
        let mut d = self.sym();
        let (ty, result): (Ty, ArrayResult<Array<ExprId>>) = match op {
            Add if same_shape => (joined, x.plus(&mut d, y)),
            Sub if same_shape => (joined, x.minus(&mut d, y)),
            ElementAdd => (joined, x.plus(&mut d, y)),
            ElementSub => (joined, x.minus(&mut d, y)),
            Mul => (joined, x.product_with(&mut d, y)),
            ElementMul => (joined, broadcast(&mut d, Op::Mul, &[x, y])),
            Div if y.rank() == 0 => (Ty::Real, broadcast(&mut d, Op::Div, &[x, y])),
            ElementDiv => (Ty::Real, broadcast(&mut d, Op::Div, &[x, y])),
            Pow if x.rank() == 0 && y.rank() == 0 => (Ty::Real, broadcast(&mut d, Op::Pow, &[x, y])),
            Pow if y.rank() == 0 => {
                let exponent = y.data().first().copied();
                return self.matrix_power(scope, at, joined, x, exponent);
            }
            ElementPow => (Ty::Real, broadcast(&mut d, Op::Pow, &[x, y])),
            _ => {
                let _ = scalar_in;
                return Err(self.cannot(scope, at, op, &a, &b));
            }
        };
        self.array_result(scope, at, ty, result)
    }

    fn matrix_power(
        &mut self,
        scope: Scope,
        at: ast::ExprId,
        ty: Ty,
        x: &Array<ExprId>,
        exponent: Option<ExprId>,
    ) -> Res<Value> {
        let n = exponent.and_then(|e| self.fold(e).ok()).and_then(|e| self.pool.as_constant(e));
        let Some(n) = n else {
            let message = "the exponent of a matrix must be known at compile time";
            return Err(self.at_expr(scope, at, "K0341", message));
        };
        if let [rows, columns] = x.shape() {
            let products = (n.abs() + 1.0).log2().ceil().max(1.0) as u64 * 2;
            let each = (x.len() as u64).saturating_mul((*rows).max(*columns) as u64);
            self.spend_at(scope, at, each.saturating_mul(products))?;
        }
        let result = x.matrix_power(&mut self.sym(), n);
        self.array_result(scope, at, ty, result)
    }

    fn relation(&mut self, scope: Scope, at: ast::ExprId, op: BinaryOp, a: &Value, b: &Value) -> Res<Value> {
        let (Value::Plain(ta, x), Value::Plain(tb, y)) = (a, b) else {
            return Err(self.cannot(scope, at, op, a, b));
        };
        if ta.join(*tb).is_none() || x.rank() != 0 || y.rank() != 0 {
            return Err(self.cannot(scope, at, op, a, b));
        }
        let (l, r) = (x.data()[0], y.data()[0]);
        use BinaryOp::*;
        if matches!(op, Equal | NotEqual)
            && (*ta == Ty::Real || *tb == Ty::Real)
            && self.variability(l).max(self.variability(r)) > ast::Variability::Parameter
        {
            let message = format!("{} cannot compare Reals that vary: rounding decides", operator_text(op));
            let help = "use < or >, or compare the distance: abs(a - b) < eps";
            let span = self.cx.lib.ast_ref(scope.file).span(at);
            let location = self.cx.lib.location(scope.file, span);
            let diagnostic = kausal_syntax::Diagnostic::error("K0359", message).at(location, "").help(help);
            let diagnostic = self.with_declarations(diagnostic, scope, &[at]);
            return Err(self.cx.report(diagnostic));
        }
        let (op, args) = match op {
            Less => (Op::Less, [l, r]),
            LessEqual => (Op::LessEqual, [l, r]),
            Greater => (Op::Less, [r, l]),
            GreaterEqual => (Op::LessEqual, [r, l]),
            NotEqual => (Op::NotEqual, [l, r]),
            _ => (Op::Equal, [l, r]),
        };
        let e = if *ta == Ty::String { self.compare_texts(op, args) } else { self.pool.op(op, &args) };
        Ok(Value::scalar(Ty::Boolean, e))
    }

    fn compare_texts(&mut self, op: Op, args: [ExprId; 2]) -> ExprId {
        if args.iter().all(|&a| self.is_literal(a)) {
            let e = self.pool.op(op, &args);
            return self.fold(e).unwrap_or(e);
        }
        self.pool.op(op, &args)
    }

    fn cannot(
        &mut self,
        scope: Scope,
        at: ast::ExprId,
        op: BinaryOp,
        a: &Value,
        b: &Value,
    ) -> crate::class::Reported {
        let message =
            format!("{} cannot be applied to {} and {}", operator_text(op), a.describe(), b.describe());
        self.at_expr(scope, at, "K0340", message)
    }

    /// A result of an array routine, or its error at an expression.
    pub fn array_result(
        &mut self,
        scope: Scope,
        at: ast::ExprId,
        ty: Ty,
        result: ArrayResult<Array<ExprId>>,
    ) -> Res<Value> {
        match result {
            Ok(array) => {
                self.spend_at(scope, at, array.len() as u64)?;
                Ok(Value::Plain(ty, array))
            }
            Err(e) => Err(self.at_expr(scope, at, "K0332", e.to_string())),
        }
    }

    /// `if … then … else`. A branch whose condition is known is taken or left without evaluating the others; if the
    /// branches do not fit together, or one cannot be evaluated, the condition is evaluated as a parameter.
    pub(super) fn eval_if(
        &mut self,
        scope: Scope,
        branches: &[(ast::ExprId, ast::ExprId)],
        otherwise: ast::ExprId,
    ) -> Res<Value> {
        let Some(&(condition_expr, then)) = branches.first() else { return self.eval(scope, otherwise) };
        let condition = self.eval(scope, condition_expr)?;
        let (Some(Ty::Boolean), Some(c)) = (condition.ty(), condition.as_scalar()) else {
            let message = format!("the condition of `if` must be Boolean, not {}", condition.describe());
            return Err(self.at_expr(scope, condition_expr, "K0342", message));
        };
        if let Some(known) = self.pool.as_constant(c) {
            self.check_branch_kinds(scope, branches, otherwise)?;
            return if known != 0.0 {
                self.eval(scope, then)
            } else {
                self.eval_if(scope, &branches[1..], otherwise)
            };
        }
        let mark = self.cx.diagnostics.len();
        let a = self.eval(scope, then);
        let b = self.eval_if(scope, &branches[1..], otherwise);
        if let (Ok(a), Ok(b)) = (&a, &b)
            && a.shape() == b.shape()
            && fits(a, b)
        {
            return Ok(self.choose(c, a, b));
        }
        self.check_branch_kinds(scope, branches, otherwise)?;
        match self.fold(c).ok().and_then(|e| self.pool.as_constant(e)) {
            Some(known) => {
                let taken = if known != 0.0 { a } else { b };
                if taken.is_ok() {
                    // What went wrong did so in the branch that is not taken.
                    self.cx.diagnostics.truncate(mark);
                }
                taken
            }
            None => {
                let (a, b) = (a?, b?);
                let message = format!("the branches of `if` differ: {} and {}", a.describe(), b.describe());
                Err(self.at_expr(scope, then, "K0343", message))
            }
        }
    }

    /// The branches of `if` must fit together also where one of them is never taken (specification section 3.6.5). Only
    /// what can be seen without evaluating is compared: a branch that is not taken may have no value.
    fn check_branch_kinds(
        &mut self,
        scope: Scope,
        branches: &[(ast::ExprId, ast::ExprId)],
        otherwise: ast::ExprId,
    ) -> Res<()> {
        let ast = self.cx.lib.ast(scope.file);
        let mut first: Option<(ast::ExprId, Kind)> = None;
        for e in branches.iter().map(|&(_, value)| value).chain([otherwise]) {
            let Some(kind) = kind_of(&ast, e, 0) else { continue };
            let Some((before, other)) = first else {
                first = Some((e, kind));
                continue;
            };
            if kind.fits(other) {
                continue;
            }
            let message = format!("the branches of `if` differ: {} and {}", other.text(), kind.text());
            let place = |this: &Self, e| this.cx.lib.location(scope.file, ast.span(e));
            let diagnostic = kausal_syntax::Diagnostic::error("K0343", message)
                .at(place(self, before), "one branch")
                .at(place(self, e), "another branch");
            return Err(self.cx.report(diagnostic));
        }
        Ok(())
    }

    pub(super) fn eval_range(
        &mut self,
        scope: Scope,
        start: ast::ExprId,
        step: Option<ast::ExprId>,
        stop: ast::ExprId,
    ) -> Res<Value> {
        let first = self.structural(scope, start, "the beginning of a range")?;
        let step_value = match step {
            Some(step) => Some(self.structural(scope, step, "the step of a range")?),
            None => None,
        };
        let last = self.structural(scope, stop, "the end of a range")?;
        let (Some(ta), Some(tb)) = (first.ty(), last.ty()) else {
            return Err(self.at_expr(scope, start, "K0344", "a range needs scalar numbers"));
        };
        let step_ty = step_value.as_ref().map_or(Some(Ty::Integer), Value::ty);
        let ty = match ta.join(tb) {
            Some(Ty::Integer) if step_ty == Some(Ty::Real) => Ty::Real,
            Some(ty) => ty,
            None => {
                return Err(self.at_expr(scope, start, "K0344", "both ends of a range must have one type"));
            }
        };
        let (Some(a), Some(b)) = (first.as_scalar(), last.as_scalar()) else {
            return Err(self.at_expr(scope, start, "K0344", "a range needs scalars"));
        };
        let step_scalar = step_value.and_then(|v| v.as_scalar());
        let number = |e: ExprId| self.pool.as_constant(e);
        if let (Some(from), Some(to), Some(by)) =
            (number(a), number(b), step_scalar.map_or(Some(1.0), number))
            && by != 0.0
        {
            let steps = ((to - from) / by).max(0.0);
            let units = if steps > MAX_ELEMENTS as f64 { u64::MAX } else { steps as u64 };
            self.spend_at(scope, stop, units)?;
        }
        let array = range(&mut self.sym(), a, step_scalar, b);
        self.array_result(scope, stop, ty, array)
    }

    /// `{a, b, …}`
    pub fn construct(&mut self, scope: Scope, expr: ast::ExprId, values: Vec<Value>) -> Res<Value> {
        if values.is_empty() {
            return Err(self.at_expr(
                scope,
                expr,
                "K0345",
                "an array needs at least one element; use fill(…, 0)",
            ));
        }
        let elements: usize = values.iter().map(|v| v.shape().iter().product::<usize>()).sum();
        self.spend_at(scope, expr, elements as u64)?;
        match Value::construct(&values) {
            Ok(Some(value)) => Ok(value),
            Ok(None) => {
                Err(self.at_expr(scope, expr, "K0331", "the elements of an array have different types"))
            }
            Err(e) => Err(self.at_expr(scope, expr, "K0332", e.to_string())),
        }
    }

    pub(super) fn eval_matrix(
        &mut self,
        scope: Scope,
        ast: &Ast,
        expr: ast::ExprId,
        rows: &[kausal_syntax::arena::List<ast::ExprId>],
    ) -> Res<Value> {
        let mut lines = Vec::with_capacity(rows.len());
        for &row in rows {
            let mut values = Vec::with_capacity(row.len());
            let mut rank = 2;
            for &item in ast.lists.exprs.get(row) {
                let value = self.eval(scope, item)?;
                rank = rank.max(value.rank());
                values.push(value);
            }
            lines.push((values, rank));
        }
        let rank = lines.iter().map(|(_, r)| *r).max().unwrap_or(2);
        let mut joined = Vec::with_capacity(lines.len());
        for (values, _) in lines {
            let mut promoted = Vec::with_capacity(values.len());
            for value in values {
                promoted.push(self.promote(scope, expr, value, rank)?);
            }
            joined.push(self.cat(scope, expr, 2, &promoted)?);
        }
        self.cat(scope, expr, 1, &joined)
    }

    /// `cat(dimension, …)`
    pub fn cat(&mut self, scope: Scope, expr: ast::ExprId, dimension: usize, parts: &[Value]) -> Res<Value> {
        let elements: usize = parts.iter().map(|v| v.shape().iter().product::<usize>()).sum();
        self.spend_at(scope, expr, elements as u64)?;
        match Value::cat(dimension, parts) {
            Ok(Some(value)) => Ok(value),
            Ok(None) => Err(self.at_expr(scope, expr, "K0331", "the parts of an array have different types")),
            Err(e) => Err(self.at_expr(scope, expr, "K0332", e.to_string())),
        }
    }

    /// Dimensions of size 1 behind the others, up to a rank.
    pub fn promote(&mut self, scope: Scope, expr: ast::ExprId, value: Value, rank: usize) -> Res<Value> {
        match value {
            Value::Plain(ty, array) => {
                let promoted = array.promote(rank);
                self.array_result(scope, expr, ty, promoted)
            }
            Value::Record(record) if record.shape.len() < rank => {
                let mut shape = record.shape.clone();
                shape.resize(rank, 1);
                if record.shape.is_empty() {
                    // One record is the only element.
                    return Ok(self.fill(&Value::Record(record), &shape));
                }
                let value = crate::expr::call::flatten_record_array(&Value::Record(record));
                Ok(reshape_front(value, &shape))
            }
            other => Ok(other),
        }
    }

    /// The values a loop variable takes.
    pub fn iterator_values(
        &mut self,
        scope: Scope,
        iterator: &Iterator,
        body: IteratorBody<'_>,
    ) -> Res<LoopValues> {
        let Some(range) = iterator.range else {
            return self.implicit_range(scope, iterator, body);
        };
        if let Some(builtin) = self.type_named(scope, range)
            && let Some(n) = self.enumeration_size(builtin)
        {
            let ty = Ty::of(builtin);
            let first = if ty == Ty::Boolean { 0 } else { 1 };
            let values = (0..n).map(|i| self.pool.constant((first + i) as f64)).collect();
            return Ok(LoopValues::Scalars(ty, values));
        }
        match self.eval(scope, range)? {
            Value::Plain(ty, array) if array.rank() == 1 => Ok(LoopValues::Scalars(ty, array.into_data())),
            Value::Record(record) if record.shape.len() == 1 => {
                Ok(LoopValues::Records(Value::Record(record)))
            }
            other => {
                let message = format!("a loop needs a vector to run over, not {}", self.describe(&other));
                Err(self.at_expr(scope, range, "K0346", message))
            }
        }
    }

    /// Does something for every value of a loop variable, which is a local name meanwhile.
    pub(crate) fn each_pass(
        &mut self,
        scope: Scope,
        iterator: &Iterator,
        body: IteratorBody<'_>,
        pass: &mut dyn FnMut(&mut Self, &Value) -> Res<()>,
    ) -> Res<()> {
        let values = self.iterator_values(scope, iterator, body)?;
        let mut passes = Passes::new(values.len());
        for i in 0..values.len() {
            self.next_pass(&mut passes, scope.file, iterator.name.span)?;
            let value = values.get(i);
            self.locals.push((iterator.name.symbol, value.clone()));
            let result = pass(self, &value);
            self.locals.pop();
            result?;
        }
        Ok(())
    }

    /// Pays for what an expression makes.
    pub(crate) fn spend_at(&mut self, scope: Scope, expr: ast::ExprId, units: u64) -> Res<()> {
        if self.budget.pay(units) {
            return Ok(());
        }
        let span = self.cx.lib.ast_ref(scope.file).span(expr);
        Err(self.broke(Some((scope.file, span))))
    }

    /// `{body for i in r, j in s}`: the last iterator is the outermost dimension.
    pub(super) fn eval_comprehension(
        &mut self,
        scope: Scope,
        expr: ast::ExprId,
        body: ast::ExprId,
        iterators: &[Iterator],
    ) -> Res<Value> {
        let Some((last, rest)) = iterators.split_last() else { return self.eval(scope, body) };
        let mut items = Vec::new();
        self.each_pass(scope, last, IteratorBody::Expr(body), &mut |this, _| {
            items.push(this.eval_comprehension(scope, expr, body, rest)?);
            Ok(())
        })?;
        if items.is_empty() {
            let mut shape = vec![0];
            shape.extend(rest.iter().map(|_| 0));
            let array = Array::from_vec(&shape, Vec::new());
            return self.array_result(scope, expr, Ty::Real, array);
        }
        self.construct(scope, expr, items)
    }

    pub(super) fn eval_reduction(
        &mut self,
        scope: Scope,
        ast: &Ast,
        expr: ast::ExprId,
        function: &ComponentRef,
        body: ast::ExprId,
        iterators: &[Iterator],
    ) -> Res<Value> {
        let name = super::reference::ref_text(ast, function);
        if name == "array" {
            return self.eval_comprehension(scope, expr, body, iterators);
        }
        let mut items = Vec::new();
        self.collect(scope, body, iterators, &mut items)?;
        let op = match name.as_str() {
            "sum" => Op::Add,
            "product" => Op::Mul,
            "min" => Op::Min,
            "max" => Op::Max,
            _ => {
                let message = format!("{name} is not a reduction: sum, product, min, max or array is needed");
                return Err(self.at_expr(scope, expr, "K0347", message));
            }
        };
        let mut items = items.into_iter();
        let Some(mut total) = items.next() else {
            // Without an element there is no type: 0 and 1 go with Integers and Reals.
            let (ty, empty) = match op {
                Op::Add => (Ty::Integer, 0.0),
                Op::Mul => (Ty::Integer, 1.0),
                Op::Min => (Ty::Real, f64::MAX),
                _ => (Ty::Real, -f64::MAX),
            };
            return Ok(Value::scalar(ty, self.pool.constant(empty)));
        };
        for item in items {
            total = match (op, &total, &item) {
                (Op::Add, ..) => self.binary(scope, expr, BinaryOp::Add, total, item)?,
                (Op::Mul, ..) => self.binary(scope, expr, BinaryOp::Mul, total, item)?,
                (_, Value::Plain(ta, x), Value::Plain(tb, y)) => {
                    let ty = ta.join(*tb).unwrap_or(Ty::Real);
                    let result = broadcast(&mut self.sym(), op, &[x, y]);
                    self.array_result(scope, expr, ty, result)?
                }
                _ => return Err(self.at_expr(scope, expr, "K0340", "min and max need numbers")),
            };
        }
        Ok(total)
    }

    fn collect(
        &mut self,
        scope: Scope,
        body: ast::ExprId,
        iterators: &[Iterator],
        items: &mut Vec<Value>,
    ) -> Res<()> {
        let Some((first, rest)) = iterators.split_first() else {
            items.push(self.eval(scope, body)?);
            return Ok(());
        };
        self.each_pass(scope, first, IteratorBody::Expr(body), &mut |this, _| {
            this.collect(scope, body, rest, items)
        })
    }
}

/// What a literal or a constructor of an array is, without evaluating it.
#[derive(Clone, Copy)]
struct Kind {
    ty: Option<Ty>,
    rank: usize,
}

impl Kind {
    fn fits(self, other: Kind) -> bool {
        let types = match (self.ty, other.ty) {
            (Some(a), Some(b)) => a.join(b).is_some(),
            _ => true,
        };
        types && self.rank == other.rank
    }

    fn text(self) -> String {
        let ty = self.ty.map_or("a value", Ty::text);
        match self.rank {
            0 => ty.to_owned(),
            n => format!("{ty}[{}]", vec![":"; n].join(", ")),
        }
    }
}

fn kind_of(ast: &Ast, e: ast::ExprId, depth: u32) -> Option<Kind> {
    let scalar = |ty| Some(Kind { ty: Some(ty), rank: 0 });
    match ast.exprs[e] {
        Expr::Integer(_) => scalar(Ty::Integer),
        Expr::Real(_) => scalar(Ty::Real),
        Expr::Boolean(_) => scalar(Ty::Boolean),
        Expr::String(_) => scalar(Ty::String),
        Expr::Unary(_, a) if matches!(ast.exprs[a], Expr::Integer(_) | Expr::Real(_)) => {
            kind_of(ast, a, depth)
        }
        // As deep as arrays that are written down; the rest is found when it is evaluated.
        Expr::Array(items) if depth < 8 => {
            let inner = ast.lists.exprs.get(items).iter().find_map(|&e| kind_of(ast, e, depth + 1))?;
            Some(Kind { rank: inner.rank + 1, ..inner })
        }
        _ => None,
    }
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

fn fits(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Plain(x, _), Value::Plain(y, _)) => x.join(*y).is_some(),
        (Value::Record(x), Value::Record(y)) => {
            x.fields.len() == y.fields.len()
                && x.fields
                    .iter()
                    .zip(&y.fields)
                    .all(|((n, v), (m, w))| n == m && v.shape() == w.shape() && fits(v, w))
        }
        _ => false,
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
