//! Operators, `if`, ranges, array constructors and reductions (specification sections 3.4 and 10.4 to 10.6).

use kausal_symbolic::function::algebra::{broadcast, range};
use kausal_symbolic::function::array::MAX_ELEMENTS;
use kausal_symbolic::function::{Array, ArrayResult};
use kausal_symbolic::{ExprId, Op};
use kausal_syntax::ast::{BinaryOp, ComponentRef, Expr, Iterator, UnaryOp};
use kausal_syntax::{Ast, ast};

use crate::budget::Passes;
use crate::class::{Reported, Res};
use crate::expr::place::{IteratorBody, LoopValues, array_result, operator_text};
use crate::expr::{arguments, iteration, overload, place, reference, string};
use crate::flattener::Flattener;
use crate::spending::spend_at;
use crate::tree::Scope;
use crate::value::{Ty, Value, reshape_front};
use crate::{bindings, fold, instance, spending, value};

impl Flattener<'_> {
    /// A binary operator on two values.
    pub fn binary(&mut self, scope: Scope, at: ast::ExprId, op: BinaryOp, a: Value, b: Value) -> Res<Value> {
        let (Value::Plain(ta, x), Value::Plain(tb, y)) = (&a, &b) else {
            if matches!(a, Value::Record(_)) || matches!(b, Value::Record(_)) {
                return overload::overloaded_binary(self, scope, at, op, a, b);
            }
            return Err(cannot(self, scope, at, op, &a, &b));
        };
        use BinaryOp::*;
        if matches!(op, And | Or) {
            if (*ta, *tb) != (Ty::Boolean, Ty::Boolean) {
                return Err(cannot(self, scope, at, op, &a, &b));
            }
            let op = if op == And { Op::And } else { Op::Or };
            let result = broadcast(&mut self.sym(), op, &[x, y]);
            return array_result(self, scope, at, Ty::Boolean, result);
        }
        if matches!(op, Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual) {
            return relation(self, scope, at, op, &a, &b);
        }
        if (*ta, *tb) == (Ty::String, Ty::String) && matches!(op, Add | ElementAdd) {
            return string::concat(self, scope, at, x, y);
        }
        if !ta.is_number() || !tb.is_number() {
            return Err(cannot(self, scope, at, op, &a, &b));
        }
        if matches!(op, Div | ElementDiv) && y.data().iter().any(|&e| self.pool.as_constant(e) == Some(0.0)) {
            return Err(place::at_expr(self, scope, at, "K0329", "this divides by zero"));
        }
        let same_shape = x.shape() == y.shape();
        let scalar_in = x.rank() == 0 || y.rank() == 0;
        let joined = if (*ta, *tb) == (Ty::Integer, Ty::Integer) { Ty::Integer } else { Ty::Real };
        if op == Mul && x.rank() > 0 && y.rank() > 0 {
            // One product, which is part of a sum, for every element of the left and every column of the right.
            let columns = if y.rank() == 2 { y.shape()[1] } else { 1 };
            spend_at(self, scope, at, (x.len() as u64).saturating_mul(2 * columns as u64))?;
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
                return matrix_power(self, scope, at, joined, x, exponent);
            }
            ElementPow => (Ty::Real, broadcast(&mut d, Op::Pow, &[x, y])),
            _ => {
                let _ = scalar_in;
                return Err(cannot(self, scope, at, op, &a, &b));
            }
        };
        array_result(self, scope, at, ty, result)
    }

    /// `{a, b, …}`
    pub fn construct(&mut self, scope: Scope, expr: ast::ExprId, values: Vec<Value>) -> Res<Value> {
        if values.is_empty() {
            return Err(place::at_expr(
                self,
                scope,
                expr,
                "K0345",
                "an array needs at least one element; use fill(…, 0)",
            ));
        }
        let elements: usize = values.iter().map(|v| v.shape().iter().product::<usize>()).sum();
        spend_at(self, scope, expr, elements as u64)?;
        match Value::construct(&values) {
            Ok(Some(value)) => Ok(value),
            Ok(None) => Err(place::at_expr(
                self,
                scope,
                expr,
                "K0331",
                "the elements of an array have different types",
            )),
            Err(e) => Err(place::at_expr(self, scope, expr, "K0332", e.to_string())),
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
        let values = iterator_values(self, scope, iterator, body)?;
        let mut passes = Passes::new(values.len());
        for i in 0..values.len() {
            spending::next_pass(self, &mut passes, scope.file, iterator.name.span)?;
            let value = values.get(i);
            self.locals.push((iterator.name.symbol, value.clone()));
            let result = pass(self, &value);
            self.locals.pop();
            result?;
        }
        Ok(())
    }
}

pub(super) fn eval_unary(
    fl: &mut Flattener<'_>,
    scope: Scope,
    _ast: &Ast,
    expr: ast::ExprId,
    op: UnaryOp,
    a: ast::ExprId,
) -> Res<Value> {
    let value = fl.eval(scope, a)?;
    match (op, &value) {
        (UnaryOp::Plus | UnaryOp::ElementPlus, Value::Plain(ty, _)) if ty.is_number() => Ok(value),
        (UnaryOp::Minus | UnaryOp::ElementMinus, Value::Plain(ty, array)) if ty.is_number() => {
            let negated = array.map_op(&mut fl.sym(), Op::Neg);
            array_result(fl, scope, expr, *ty, negated)
        }
        (UnaryOp::Not, Value::Plain(Ty::Boolean, array)) => {
            let negated = array.map_op(&mut fl.sym(), Op::Not);
            array_result(fl, scope, expr, Ty::Boolean, negated)
        }
        (_, Value::Record(_)) => overload::overloaded_unary(fl, scope, expr, op, value),
        _ => {
            let text = if op == UnaryOp::Not { "not" } else { "a sign" };
            let message = format!("{text} cannot be applied to {}", value.describe());
            Err(place::at_expr(fl, scope, expr, "K0340", message))
        }
    }
}

/// A chain of left-associative operators is evaluated without recursion.
pub(super) fn eval_binary(fl: &mut Flattener<'_>, scope: Scope, ast: &Ast, expr: ast::ExprId) -> Res<Value> {
    let mut spine = Vec::new();
    let mut at = expr;
    while let Expr::Binary(op, a, b) = ast.exprs[at] {
        spine.push((at, op, b));
        at = a;
    }
    // What is wrong on the right is reported also where the left is wrong.
    let mut value = fl.eval(scope, at);
    while let Some((at, op, b)) = spine.pop() {
        let right = fl.eval(scope, b);
        value = match (value, right) {
            (Ok(value), Ok(right)) => fl.binary(scope, at, op, value, right),
            _ => Err(Reported),
        };
    }
    value
}

fn matrix_power(
    fl: &mut Flattener<'_>,
    scope: Scope,
    at: ast::ExprId,
    ty: Ty,
    x: &Array<ExprId>,
    exponent: Option<ExprId>,
) -> Res<Value> {
    let n = exponent.and_then(|e| fl.fold(e).ok()).and_then(|e| fl.pool.as_constant(e));
    let Some(n) = n else {
        let message = "the exponent of a matrix must be known at compile time";
        return Err(place::at_expr(fl, scope, at, "K0341", message));
    };
    if let [rows, columns] = x.shape() {
        let products = (n.abs() + 1.0).log2().ceil().max(1.0) as u64 * 2;
        let each = (x.len() as u64).saturating_mul((*rows).max(*columns) as u64);
        spend_at(fl, scope, at, each.saturating_mul(products))?;
    }
    let result = x.matrix_power(&mut fl.sym(), n);
    array_result(fl, scope, at, ty, result)
}

fn relation(
    fl: &mut Flattener<'_>,
    scope: Scope,
    at: ast::ExprId,
    op: BinaryOp,
    a: &Value,
    b: &Value,
) -> Res<Value> {
    let (Value::Plain(ta, x), Value::Plain(tb, y)) = (a, b) else {
        return Err(cannot(fl, scope, at, op, a, b));
    };
    if ta.join(*tb).is_none() || x.rank() != 0 || y.rank() != 0 {
        return Err(cannot(fl, scope, at, op, a, b));
    }
    let (l, r) = (x.data()[0], y.data()[0]);
    use BinaryOp::*;
    if matches!(op, Equal | NotEqual)
        && (*ta == Ty::Real || *tb == Ty::Real)
        && fold::variability(fl, l).max(fold::variability(fl, r)) > ast::Variability::Parameter
    {
        let message = format!("{} cannot compare Reals that vary: rounding decides", operator_text(op));
        let help = "use < or >, or compare the distance: abs(a - b) < eps";
        let span = fl.cx.lib.ast_ref(scope.file).span(at);
        let location = fl.cx.lib.location(scope.file, span);
        let diagnostic = kausal_syntax::Diagnostic::error("K0359", message).at(location, "").help(help);
        let diagnostic = place::with_declarations(fl, diagnostic, scope, &[at]);
        return Err(fl.cx.report(diagnostic));
    }
    let (op, args) = match op {
        Less => (Op::Less, [l, r]),
        LessEqual => (Op::LessEqual, [l, r]),
        Greater => (Op::Less, [r, l]),
        GreaterEqual => (Op::LessEqual, [r, l]),
        NotEqual => (Op::NotEqual, [l, r]),
        _ => (Op::Equal, [l, r]),
    };
    let e = if *ta == Ty::String { compare_texts(fl, op, args) } else { fl.pool.op(op, &args) };
    Ok(Value::scalar(Ty::Boolean, e))
}

fn compare_texts(fl: &mut Flattener<'_>, op: Op, args: [ExprId; 2]) -> ExprId {
    if args.iter().all(|&a| bindings::is_literal(&fl.pool, a)) {
        let e = fl.pool.op(op, &args);
        return fl.fold(e).unwrap_or(e);
    }
    fl.pool.op(op, &args)
}

fn cannot(
    fl: &mut Flattener<'_>,
    scope: Scope,
    at: ast::ExprId,
    op: BinaryOp,
    a: &Value,
    b: &Value,
) -> crate::class::Reported {
    let message = format!("{} cannot be applied to {} and {}", operator_text(op), a.describe(), b.describe());
    let is = |v: &Value, ty: Ty| v.ty() == Some(ty);
    let mixed = (a.rank() == 0) != (b.rank() == 0);
    let text = is(a, Ty::String) || is(b, Ty::String);
    let help = match op {
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div
            if is(a, Ty::Boolean) != is(b, Ty::Boolean) && a.rank() + b.rank() == 0 =>
        {
            "a truth value becomes a number with `if b then 1 else 0`"
        }
        BinaryOp::Add if mixed && !text => "`.+` adds a number to every element",
        BinaryOp::Sub if mixed && !text => "`.-` subtracts from every element",
        BinaryOp::Add if text => "String(x) makes a text of a number",
        BinaryOp::Div if b.rank() > 0 => "`./` divides element by element",
        BinaryOp::Pow if a.rank() > 0 => "`.^` is the power of every element",
        _ => return place::at_expr(fl, scope, at, "K0340", message),
    };
    place::at_expr_helped(fl, scope, at, "K0340", message, help)
}

/// `if … then … else`. A branch whose condition is known is taken or left without evaluating the others; if the
/// branches do not fit together, or one cannot be evaluated, the condition is evaluated as a parameter.
pub(super) fn eval_if(
    fl: &mut Flattener<'_>,
    scope: Scope,
    branches: &[(ast::ExprId, ast::ExprId)],
    otherwise: ast::ExprId,
) -> Res<Value> {
    let Some(&(condition_expr, then)) = branches.first() else { return fl.eval(scope, otherwise) };
    let condition = fl.eval(scope, condition_expr)?;
    let (Some(Ty::Boolean), Some(c)) = (condition.ty(), condition.as_scalar()) else {
        let message = format!("the condition of `if` must be Boolean, not {}", condition.describe());
        return Err(place::at_expr(fl, scope, condition_expr, "K0342", message));
    };
    if let Some(known) = fl.pool.as_constant(c) {
        check_branch_kinds(fl, scope, branches, otherwise)?;
        return if known != 0.0 {
            fl.eval(scope, then)
        } else {
            eval_if(fl, scope, &branches[1..], otherwise)
        };
    }
    let mark = fl.cx.diagnostics.len();
    let a = fl.eval(scope, then);
    let b = eval_if(fl, scope, &branches[1..], otherwise);
    if let (Ok(a), Ok(b)) = (&a, &b)
        && a.shape() == b.shape()
        && fits(a, b)
    {
        return Ok(reference::choose(&mut fl.pool, c, a, b));
    }
    check_branch_kinds(fl, scope, branches, otherwise)?;
    match fl.fold(c).ok().and_then(|e| fl.pool.as_constant(e)) {
        Some(known) => {
            let taken = if known != 0.0 { a } else { b };
            if taken.is_ok() {
                // What went wrong did so in the branch that is not taken.
                fl.cx.diagnostics.truncate(mark);
            }
            taken
        }
        None => {
            let (a, b) = (a?, b?);
            let message = format!("the branches of `if` differ: {} and {}", a.describe(), b.describe());
            Err(place::at_expr(fl, scope, then, "K0343", message))
        }
    }
}

/// The branches of `if` must fit together also where one of them is never taken (specification section 3.6.5). Only
/// what can be seen without evaluating is compared: a branch that is not taken may have no value.
fn check_branch_kinds(
    fl: &mut Flattener<'_>,
    scope: Scope,
    branches: &[(ast::ExprId, ast::ExprId)],
    otherwise: ast::ExprId,
) -> Res<()> {
    let ast = fl.cx.lib.ast(scope.file);
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
        let place = |this: &Flattener<'_>, e| this.cx.lib.location(scope.file, ast.span(e));
        let diagnostic = kausal_syntax::Diagnostic::error("K0343", message)
            .at(place(fl, before), "one branch")
            .at(place(fl, e), "another branch");
        return Err(fl.cx.report(diagnostic));
    }
    Ok(())
}

pub(super) fn eval_range(
    fl: &mut Flattener<'_>,
    scope: Scope,
    start: ast::ExprId,
    step: Option<ast::ExprId>,
    stop: ast::ExprId,
) -> Res<Value> {
    let first = fold::structural(fl, scope, start, "the beginning of a range")?;
    let step_value = match step {
        Some(step) => Some(fold::structural(fl, scope, step, "the step of a range")?),
        None => None,
    };
    let last = fold::structural(fl, scope, stop, "the end of a range")?;
    let (Some(ta), Some(tb)) = (first.ty(), last.ty()) else {
        return Err(place::at_expr(fl, scope, start, "K0344", "a range needs scalar numbers"));
    };
    let step_ty = step_value.as_ref().map_or(Some(Ty::Integer), Value::ty);
    let ty = match ta.join(tb) {
        Some(Ty::Integer) if step_ty == Some(Ty::Real) => Ty::Real,
        Some(ty) => ty,
        None => {
            return Err(place::at_expr(fl, scope, start, "K0344", "both ends of a range must have one type"));
        }
    };
    let (Some(a), Some(b)) = (first.as_scalar(), last.as_scalar()) else {
        return Err(place::at_expr(fl, scope, start, "K0344", "a range needs scalars"));
    };
    let step_scalar = step_value.and_then(|v| v.as_scalar());
    let number = |e: ExprId| fl.pool.as_constant(e);
    if let (Some(from), Some(to), Some(by)) = (number(a), number(b), step_scalar.map_or(Some(1.0), number))
        && by != 0.0
    {
        let steps = ((to - from) / by).max(0.0);
        let units = if steps > MAX_ELEMENTS as f64 { u64::MAX } else { steps as u64 };
        spend_at(fl, scope, stop, units)?;
    }
    let array = range(&mut fl.sym(), a, step_scalar, b);
    array_result(fl, scope, stop, ty, array)
}

pub(super) fn eval_matrix(
    fl: &mut Flattener<'_>,
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
            let value = fl.eval(scope, item)?;
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
            promoted.push(promote(fl, scope, expr, value, rank)?);
        }
        joined.push(cat(fl, scope, expr, 2, &promoted)?);
    }
    cat(fl, scope, expr, 1, &joined)
}

/// `cat(dimension, …)`
pub fn cat(
    fl: &mut Flattener<'_>,
    scope: Scope,
    expr: ast::ExprId,
    dimension: usize,
    parts: &[Value],
) -> Res<Value> {
    let elements: usize = parts.iter().map(|v| v.shape().iter().product::<usize>()).sum();
    spend_at(fl, scope, expr, elements as u64)?;
    match Value::cat(dimension, parts) {
        Ok(Some(value)) => Ok(value),
        Ok(None) => {
            Err(place::at_expr(fl, scope, expr, "K0331", "the parts of an array have different types"))
        }
        Err(e) => Err(place::at_expr(fl, scope, expr, "K0332", e.to_string())),
    }
}

/// Dimensions of size 1 behind the others, up to a rank.
pub fn promote(
    fl: &mut Flattener<'_>,
    scope: Scope,
    expr: ast::ExprId,
    value: Value,
    rank: usize,
) -> Res<Value> {
    match value {
        Value::Plain(ty, array) => {
            let promoted = array.promote(rank);
            array_result(fl, scope, expr, ty, promoted)
        }
        Value::Record(record) if record.shape.len() < rank => {
            let mut shape = record.shape.clone();
            shape.resize(rank, 1);
            if record.shape.is_empty() {
                // One record is the only element.
                return Ok(value::fill(&Value::Record(record), &shape));
            }
            let value = arguments::flatten_record_array(&Value::Record(record));
            Ok(reshape_front(value, &shape))
        }
        other => Ok(other),
    }
}

/// The values a loop variable takes.
pub fn iterator_values(
    fl: &mut Flattener<'_>,
    scope: Scope,
    iterator: &Iterator,
    body: IteratorBody<'_>,
) -> Res<LoopValues> {
    let Some(range) = iterator.range else {
        return iteration::implicit_range(fl, scope, iterator, body);
    };
    if let Some(builtin) = instance::type_named(fl, scope, range)
        && let Some(n) = instance::enumeration_size(fl.cx, builtin)
    {
        let ty = Ty::of(builtin);
        let first = if ty == Ty::Boolean { 0 } else { 1 };
        let values = (0..n).map(|i| fl.pool.constant((first + i) as f64)).collect();
        return Ok(LoopValues::Scalars(ty, values));
    }
    match fl.eval(scope, range)? {
        Value::Plain(ty, array) if array.rank() == 1 => Ok(LoopValues::Scalars(ty, array.into_data())),
        Value::Record(record) if record.shape.len() == 1 => Ok(LoopValues::Records(Value::Record(record))),
        other => {
            let message =
                format!("a loop needs a vector to run over, not {}", overload::describe(fl.cx, &other));
            match other.describe() == "Integer" {
                true => Err(place::at_expr_helped(
                    fl,
                    scope,
                    range,
                    "K0346",
                    message,
                    "write 1:n to run from 1 to n",
                )),
                false => Err(place::at_expr(fl, scope, range, "K0346", message)),
            }
        }
    }
}

/// `{body for i in r, j in s}`: the last iterator is the outermost dimension.
pub(super) fn eval_comprehension(
    fl: &mut Flattener<'_>,
    scope: Scope,
    expr: ast::ExprId,
    body: ast::ExprId,
    iterators: &[Iterator],
) -> Res<Value> {
    let Some((last, rest)) = iterators.split_last() else { return fl.eval(scope, body) };
    let mut items = Vec::new();
    fl.each_pass(scope, last, IteratorBody::Expr(body), &mut |this, _| {
        items.push(eval_comprehension(this, scope, expr, body, rest)?);
        Ok(())
    })?;
    if items.is_empty() {
        let mut shape = vec![0];
        shape.extend(rest.iter().map(|_| 0));
        let array = Array::from_vec(&shape, Vec::new());
        return array_result(fl, scope, expr, Ty::Real, array);
    }
    fl.construct(scope, expr, items)
}

pub(super) fn eval_reduction(
    fl: &mut Flattener<'_>,
    scope: Scope,
    ast: &Ast,
    expr: ast::ExprId,
    function: &ComponentRef,
    body: ast::ExprId,
    iterators: &[Iterator],
) -> Res<Value> {
    let name = place::ref_text(ast, function);
    if name == "array" {
        return eval_comprehension(fl, scope, expr, body, iterators);
    }
    let mut items = Vec::new();
    collect(fl, scope, body, iterators, &mut items)?;
    let op = match name.as_str() {
        "sum" => Op::Add,
        "product" => Op::Mul,
        "min" => Op::Min,
        "max" => Op::Max,
        _ => {
            let message = format!("{name} is not a reduction: sum, product, min, max or array is needed");
            return Err(place::at_expr(fl, scope, expr, "K0347", message));
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
        return Ok(Value::scalar(ty, fl.pool.constant(empty)));
    };
    for item in items {
        total = match (op, &total, &item) {
            (Op::Add, ..) => fl.binary(scope, expr, BinaryOp::Add, total, item)?,
            (Op::Mul, ..) => fl.binary(scope, expr, BinaryOp::Mul, total, item)?,
            (_, Value::Plain(ta, x), Value::Plain(tb, y)) => {
                let ty = ta.join(*tb).unwrap_or(Ty::Real);
                let result = broadcast(&mut fl.sym(), op, &[x, y]);
                array_result(fl, scope, expr, ty, result)?
            }
            _ => return Err(place::at_expr(fl, scope, expr, "K0340", "min and max need numbers")),
        };
    }
    Ok(total)
}

fn collect(
    fl: &mut Flattener<'_>,
    scope: Scope,
    body: ast::ExprId,
    iterators: &[Iterator],
    items: &mut Vec<Value>,
) -> Res<()> {
    let Some((first, rest)) = iterators.split_first() else {
        items.push(fl.eval(scope, body)?);
        return Ok(());
    };
    fl.each_pass(scope, first, IteratorBody::Expr(body), &mut |this, _| {
        collect(this, scope, body, rest, items)
    })
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
