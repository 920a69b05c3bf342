//! Operators with function syntax and built-in functions (specification sections 3.7 and 10.3).
//!
//! `residue(x)` is zero and `relax(x)` is `x`: both leave a hint for the equation they stand in.

use kausal_symbolic::function::algebra::{broadcast, broadcast_shape, identity, linspace};
use kausal_symbolic::function::array::as_size;
use kausal_symbolic::function::externals::builtin_op;
use kausal_symbolic::function::integers::{self, is_inexact};
use kausal_symbolic::function::{Array, ArrayResult};
use kausal_symbolic::{ExprId, Op, Pool};
use kausal_syntax::ast;
use kausal_syntax::ast::{Arg, Expr};

use crate::builtins::{Entry, Misfit, entry, is_clocked, is_state_machine};
use crate::class::{Classes, Res};
use crate::connect::stream;
pub use crate::expr::arguments::is_builtin;
use crate::expr::arguments::{Call, actual, integer, named_args, usage, wrong_args};
use crate::expr::reference::Cursor;
use crate::expr::{arguments, call, opaque, operator, place, string};
use crate::flat::HintKind;
use crate::flattener::{Flattener, PendingHint};
use crate::ids::InstId;
use crate::tree::Scope;
use crate::value::{RecordValue, Ty, Value};
use crate::{class, expr, fold, instance, ranges, spending, state_machine, tree, value};

/// Can its arguments be given by name? The specification calls only some like that; clocked operators look at names
/// themselves.
fn takes_names(name: &str) -> bool {
    entry(name).is_some_and(|entry| entry.named) || is_clocked(name) || is_state_machine(name)
}

impl Flattener<'_> {
    /// A built-in function; the arguments are not evaluated yet.
    pub fn eval_builtin(&mut self, c: Call<'_>) -> Res<Vec<Value>> {
        let one = |value: Res<Value>| value.map(|v| vec![v]);
        check_positional(self.cx, c.scope, c.name, c.args)?;
        if is_clocked(c.name) {
            return one(opaque::eval_clocked(self, c));
        }
        if is_state_machine(c.name) {
            return one(state_machine::state_machine_query(self, c));
        }
        if entry(c.name).is_some_and(|entry| !entry.takes(c.args.len())) {
            return Err(wrong_args(self, c));
        }
        match c.name {
            "der" => one(builtin_der(self, c)),
            "residue" => one(builtin_hint(self, c, HintKind::Residue)),
            "relax" => one(builtin_hint(self, c, HintKind::Relax)),
            "size" => one(builtin_size(self, c)),
            "ndims" => {
                let rank = arg_shape(self, c, 0)?.len();
                Ok(vec![integer(&mut self.pool, rank as f64)])
            }
            "initial" | "terminal" => {
                let op = if c.name == "initial" { Op::Initial } else { Op::Terminal };
                let e = self.pool.op(op, &[]);
                Ok(vec![Value::scalar(Ty::Boolean, e)])
            }
            "homotopy" => one(builtin_homotopy(self, c)),
            "inStream" | "actualStream" => one(stream::builtin_stream(self, c)),
            "cardinality" => {
                self.connections.dependent.insert(c.scope.inst);
                one(stream::builtin_cardinality(self, c))
            }
            "getInstanceName" => {
                let name = instance_name(self, Some(c.scope.inst));
                let e = self.pool.text(&name);
                Ok(vec![Value::scalar(Ty::String, e)])
            }
            "String" => one(string::builtin_string(self, c)),
            "pure" => {
                let in_pure = std::mem::replace(&mut self.functions.in_pure, true);
                let value = self.eval(c.scope, c.args[0].value);
                self.functions.in_pure = in_pure;
                one(value)
            }
            "spatialDistribution" => opaque::spatial_distribution(self, c),
            "sample" => one(builtin_sample(self, c)),
            _ => {
                let values = expr::eval_all(self, c.scope, c.args.iter().map(|a| a.value))?;
                one(builtin_values(self, c, values))
            }
        }
    }
}

/// What `getInstanceName` gives in an instance (specification section 3.7.4.4); in functions, which belong to no
/// instance, it is the name of the simulated model.
pub(crate) fn instance_name(fl: &Flattener<'_>, inst: Option<InstId>) -> String {
    let path = inst.filter(|&i| !fl.inst(i).is_static).map(|i| fl.path(i)).unwrap_or_default();
    let model = last_name(&fl.model_name);
    if path.is_empty() { model.to_owned() } else { format!("{model}.{path}") }
}

/// Only some built-in functions have names for their arguments (specification sections 3.7 and 12.4.1).
pub(crate) fn check_positional(cx: &mut Classes, scope: Scope, name: &str, args: &[Arg]) -> Res<()> {
    let named = args.iter().find_map(|a| a.name);
    let Some(named) = named.filter(|_| !takes_names(name)) else { return Ok(()) };
    let message = format!("{name} has no argument named {}: its arguments have no names", named.symbol);
    let location = cx.lib.location(scope.file, named.span);
    let mut diagnostic = kausal_syntax::Diagnostic::error("K0351", message).at(location, "this name");
    if let Some(usage) = usage(name) {
        diagnostic = diagnostic.help(format!("it is called as {usage}"));
    }
    Err(cx.report(diagnostic))
}

/// A built-in function of values.
pub fn builtin_values(fl: &mut Flattener<'_>, c: Call<'_>, values: Vec<Value>) -> Res<Value> {
    let Some(entry) = entry(c.name) else { return Err(wrong_args(fl, c)) };
    check_arguments(fl, c, entry, &values)?;
    let types: Vec<Option<Ty>> = values.iter().map(Value::ty).collect();
    let ty = entry.result(&types);
    match c.name {
        "min" | "max" => builtin_extreme(fl, c, values),
        "Integer" | "Real" | "Boolean" => {
            let [value] = exactly::<1>(fl, c, values)?;
            Ok(value::with_ty(value, ty))
        }
        "sum" | "product" => {
            let [value] = exactly::<1>(fl, c, values)?;
            builtin_total(fl, c, value)
        }
        "pre" => {
            let [value] = exactly::<1>(fl, c, values)?;
            note_pre(fl, c, &value);
            Ok(value.map(&mut |e| pre(fl, e)))
        }
        "edge" => {
            let [value] = exactly::<1>(fl, c, values)?;
            note_pre(fl, c, &value);
            Ok(value.map(&mut |e| {
                let before = pre(fl, e);
                let not = fl.pool.op(Op::Not, &[before]);
                fl.pool.op(Op::And, &[e, not])
            }))
        }
        "change" => {
            let [value] = exactly::<1>(fl, c, values)?;
            note_pre(fl, c, &value);
            let changed = value.map(&mut |e| {
                let before = pre(fl, e);
                fl.pool.op(Op::NotEqual, &[e, before])
            });
            Ok(value::with_ty(changed, Ty::Boolean))
        }
        "noEvent" => {
            let [value] = exactly::<1>(fl, c, values)?;
            Ok(value.map(&mut |e| fl.pool.op(Op::NoEvent, &[e])))
        }
        "smooth" => {
            let [order, value] = exactly::<2>(fl, c, values)?;
            let Some(p) = order.as_scalar() else { return Err(wrong_args(fl, c)) };
            if fold::variability(fl, p) > ast::Variability::Parameter {
                let message = "the order of smooth must be an Integer parameter";
                return Err(place::at_expr(fl, c.scope, c.expr, "K0351", message));
            }
            Ok(value.map(&mut |e| fl.pool.op(Op::Smooth, &[p, e])))
        }
        "delay" => {
            let scalars: Option<Vec<ExprId>> = values.iter().skip(1).map(Value::as_scalar).collect();
            let Some(times) = scalars else { return Err(wrong_args(fl, c)) };
            let (delay, max) = (times[0], *times.get(1).unwrap_or(&times[0]));
            check_delay(fl, c, delay, max)?;
            Ok(values[0].map(&mut |e| fl.pool.op(Op::Delay, &[e, delay, max])))
        }
        "semiLinear" => {
            let values = exactly::<3>(fl, c, values)?;
            let [Value::Plain(_, x), Value::Plain(_, p), Value::Plain(_, n)] = &values else {
                return Err(wrong_args(fl, c));
            };
            let shape = broadcast_shape([x, p, n].iter().map(|a| a.shape()));
            let result = shape.and_then(|shape| {
                let count = shape.iter().product::<usize>();
                let at = |a: &Array<ExprId>, i: usize| a.data()[if a.rank() == 0 { 0 } else { i }];
                let data =
                    (0..count).map(|i| semi_linear(&mut fl.pool, at(x, i), at(p, i), at(n, i))).collect();
                Array::from_vec(&shape, data)
            });
            place::array_result(fl, c.scope, c.expr, Ty::Real, result)
        }
        name => match builtin_op(name) {
            Some(op) => {
                check_divisor(fl, c, op, &values)?;
                let value = elementwise(fl, c, op, &values, ty)?;
                if let (Op::IntegerDiv | Op::Mod | Op::Rem, Value::Plain(Ty::Integer, result)) = (op, &value)
                {
                    check_exact(fl, c, &values)?;
                    result.data().iter().for_each(|&e| ranges::note_division(fl, e));
                }
                Ok(value)
            }
            None => builtin_array(fl, c, ty, values),
        },
    }
}

/// Are the arguments what the table says? Sizes are known here: what they do not fit is said of the arrays.
fn check_arguments(fl: &mut Flattener<'_>, c: Call<'_>, entry: &Entry, values: &[Value]) -> Res<()> {
    match entry.check(&values.iter().map(actual).collect::<Vec<_>>()) {
        Ok(()) | Err(Misfit::Dimensions(_)) => Ok(()),
        Err(Misfit::Arguments) => Err(wrong_args(fl, c)),
        Err(misfit) => Err(place::at_expr(fl, c.scope, c.expr, misfit.code(), misfit.message(c.name))),
    }
}

fn check_divisor(fl: &mut Flattener<'_>, c: Call<'_>, op: Op, values: &[Value]) -> Res<()> {
    if matches!(op, Op::IntegerDiv | Op::Mod | Op::Rem)
        && let Some(Value::Plain(_, divisor)) = values.get(1)
        && divisor.data().iter().any(|&e| fl.pool.as_constant(e) == Some(0.0))
    {
        let message = format!("{} divides by zero", c.name);
        return Err(place::at_expr(fl, c.scope, c.expr, "K0329", message));
    }
    Ok(())
}

/// A division of Integers looks at each of their digits: they must have all of them.
fn check_exact(fl: &mut Flattener<'_>, c: Call<'_>, values: &[Value]) -> Res<()> {
    let operands = values.iter().filter_map(|value| match value {
        Value::Plain(_, operand) => Some(operand.data()),
        _ => None,
    });
    let inexact = operands.flatten().filter_map(|&e| fl.pool.as_constant(e)).find(|&x| is_inexact(x));
    match inexact {
        Some(x) => Err(place::at_expr(fl, c.scope, c.expr, "K0329", integers::too_large(x))),
        None => Ok(()),
    }
}

/// `sample(start, interval)`, or `sample(u)` and `sample(u, clock)` of clocked models.
fn builtin_sample(fl: &mut Flattener<'_>, c: Call<'_>) -> Res<Value> {
    let last = match c.args {
        [_, last] => fl.eval(c.scope, last.value)?,
        _ => return opaque::eval_clocked(fl, c),
    };
    if last.ty() == Some(Ty::Clock) {
        return opaque::eval_clocked(fl, c);
    }
    let [start, interval] = named_args(fl, c, ["start", "interval"])?;
    let (start, interval) = (fl.eval(c.scope, start)?, fl.eval(c.scope, interval)?);
    let number = |v: &Value| v.ty().is_some_and(Ty::is_number);
    match (start.as_scalar(), interval.as_scalar()) {
        (Some(a), Some(b)) if number(&start) && number(&interval) => {
            check_sample(fl, c, a, b)?;
            let e = fl.pool.op(Op::Sample, &[a, b]);
            Ok(Value::scalar(Ty::Boolean, e))
        }
        _ => Err(wrong_args(fl, c)),
    }
}

/// The times of `sample` do not vary, and the interval is positive (specification section 3.7.5).
fn check_sample(fl: &mut Flattener<'_>, c: Call<'_>, start: ExprId, interval: ExprId) -> Res<()> {
    if fold::variability(fl, start).max(fold::variability(fl, interval)) > ast::Variability::Parameter {
        let message = "the start and the interval of sample must be parameters";
        return Err(place::at_expr(fl, c.scope, c.expr, "K0351", message));
    }
    if let Some(x) = fl.pool.as_constant(interval).filter(|x| *x <= 0.0) {
        let message = format!("the interval of sample must be positive, not {x}");
        return Err(place::at_expr(fl, c.scope, c.expr, "K0351", message));
    }
    Ok(())
}

/// The delay is not negative; where it varies its maximum is given (specification section 3.7.4.1).
fn check_delay(fl: &mut Flattener<'_>, c: Call<'_>, delay: ExprId, max: ExprId) -> Res<()> {
    if let Some(x) = fl.pool.as_constant(delay).filter(|x| *x < 0.0) {
        let message = format!("the delay must not be negative, but it is {x}");
        return Err(place::at_expr(fl, c.scope, c.expr, "K0351", message));
    }
    if fold::variability(fl, max) > ast::Variability::Parameter {
        let message = "a delay that varies needs a maximum: delay(expression, delay, maximum)";
        return Err(place::at_expr(fl, c.scope, c.expr, "K0351", message));
    }
    Ok(())
}

/// `smooth(0, if x >= 0 then positive*x else negative*x)`
fn semi_linear(pool: &mut Pool, x: ExprId, positive: ExprId, negative: ExprId) -> ExprId {
    let zero = pool.constant(0.0);
    let forward = pool.op(Op::LessEqual, &[zero, x]);
    let a = pool.op(Op::Mul, &[x, positive]);
    let b = pool.op(Op::Mul, &[x, negative]);
    let e = pool.op(Op::If, &[forward, a, b]);
    pool.op(Op::Smooth, &[zero, e])
}

fn builtin_array(fl: &mut Flattener<'_>, c: Call<'_>, ty: Ty, values: Vec<Value>) -> Res<Value> {
    match c.name {
        "array" => fl.construct(c.scope, c.expr, values),
        "scalar" | "vector" | "matrix" | "transpose" | "symmetric" | "diagonal" | "skew" => {
            let [value] = exactly::<1>(fl, c, values)?;
            if let Value::Record(_) = value {
                return reshape_record(fl, c, value);
            }
            let Value::Plain(_, array) = value else { return Err(wrong_args(fl, c)) };
            if c.name == "diagonal" {
                not_too_large(fl, c, &[array.len(), array.len()])?;
            }
            let result: ArrayResult<Array<ExprId>> = match c.name {
                "scalar" => array.into_scalar().map(Array::scalar),
                "vector" => array.into_vector(),
                "matrix" => array.into_matrix(),
                "transpose" => array.transpose(),
                "symmetric" => array.symmetric(),
                "diagonal" => array.diagonal(&mut fl.sym()),
                _ => array.skew(&mut fl.sym()),
            };
            place::array_result(fl, c.scope, c.expr, ty, result)
        }
        "outerProduct" | "cross" => {
            let [a, b] = exactly::<2>(fl, c, values)?;
            let (Value::Plain(_, x), Value::Plain(_, y)) = (a, b) else {
                return Err(wrong_args(fl, c));
            };
            spending::spend_at(fl, c.scope, c.expr, (x.len() as u64).saturating_mul(y.len() as u64))?;
            let mut d = fl.sym();
            let result = if c.name == "cross" { x.cross(&mut d, &y) } else { x.outer_product(&mut d, &y) };
            place::array_result(fl, c.scope, c.expr, ty, result)
        }
        "identity" => {
            let [n] = exactly::<1>(fl, c, values)?;
            let n = size_arg(fl, c, &n)?;
            not_too_large(fl, c, &[n, n])?;
            let result = identity(&mut fl.sym(), n);
            place::array_result(fl, c.scope, c.expr, ty, result)
        }
        "zeros" | "ones" => {
            let mut shape = Vec::with_capacity(values.len());
            for value in &values {
                shape.push(size_arg(fl, c, value)?);
            }
            not_too_large(fl, c, &shape)?;
            let element = fl.pool.constant(if c.name == "ones" { 1.0 } else { 0.0 });
            place::array_result(fl, c.scope, c.expr, ty, Array::filled(element, &shape))
        }
        "fill" => {
            let Some((value, sizes)) = values.split_first() else { return Err(wrong_args(fl, c)) };
            let mut shape = Vec::with_capacity(sizes.len());
            for size in sizes {
                shape.push(size_arg(fl, c, size)?);
            }
            not_too_large(fl, c, &shape)?;
            Ok(value::fill(value, &shape))
        }
        "linspace" => {
            let [a, b, n] = exactly::<3>(fl, c, values)?;
            let (Some(first), Some(last)) = (a.as_scalar(), b.as_scalar()) else {
                return Err(wrong_args(fl, c));
            };
            let n = size_arg(fl, c, &n)?;
            spending::spend_at(fl, c.scope, c.expr, 12 * n as u64)?;
            let result = linspace(&mut fl.sym(), first, last, n as f64);
            place::array_result(fl, c.scope, c.expr, ty, result)
        }
        "cat" => {
            let Some((dimension, parts)) = values.split_first() else { return Err(wrong_args(fl, c)) };
            let dimension = size_arg(fl, c, dimension)?;
            if dimension == 0 {
                return Err(wrong_args(fl, c));
            }
            operator::cat(fl, c.scope, c.expr, dimension, parts)
        }
        "promote" => {
            let [value, rank] = exactly::<2>(fl, c, values)?;
            let rank = size_arg(fl, c, &rank)?;
            operator::promote(fl, c.scope, c.expr, value, rank)
        }
        _ => {
            let message = format!("the built-in function {} is not supported yet", c.name);
            Err(place::at_expr(fl, c.scope, c.expr, "K0391", message))
        }
    }
}

/// `scalar`, `vector`, `transpose` of an array of records: field by field.
fn reshape_record(fl: &mut Flattener<'_>, c: Call<'_>, value: Value) -> Res<Value> {
    let Value::Record(record) = value else { return Err(wrong_args(fl, c)) };
    let shape = match (c.name, &record.shape[..]) {
        ("vector", shape) => vec![shape.iter().product()],
        ("transpose", [n, m]) => vec![*m, *n],
        ("scalar", _) => Vec::new(),
        _ => return Err(wrong_args(fl, c)),
    };
    let mut fields = Vec::with_capacity(record.fields.len());
    for (name, field) in record.fields {
        let ty = field.ty().unwrap_or(Ty::Real);
        fields.push((name, builtin_array(fl, c, ty, vec![field])?));
    }
    Ok(Value::Record(Box::new(RecordValue { klass: record.klass, shape, fields })))
}

fn builtin_extreme(fl: &mut Flattener<'_>, c: Call<'_>, values: Vec<Value>) -> Res<Value> {
    let op = if c.name == "min" { Op::Min } else { Op::Max };
    match values.len() {
        1 => {
            let Value::Plain(ty, array) = &values[0] else { return Err(wrong_args(fl, c)) };
            let empty = if op == Op::Min { f64::MAX } else { -f64::MAX };
            let mut d = fl.sym();
            let result = if op == Op::Min { array.min(&mut d, empty) } else { array.max(&mut d, empty) };
            place::array_result(fl, c.scope, c.expr, *ty, result.map(Array::scalar))
        }
        2 => {
            let ty = values[0].ty().and_then(|t| t.join(values[1].ty()?));
            let Some(ty) = ty else { return Err(wrong_args(fl, c)) };
            // Enumerations and truth values have an order too (specification section 3.5).
            match (values[0].as_scalar(), values[1].as_scalar()) {
                (Some(a), Some(b)) if !ty.is_number() => {
                    builtin_extreme(fl, c, vec![Value::Plain(ty, Array::vector(vec![a, b]))])
                }
                _ => elementwise(fl, c, op, &values, ty),
            }
        }
        _ => Err(wrong_args(fl, c)),
    }
}

fn builtin_total(fl: &mut Flattener<'_>, c: Call<'_>, value: Value) -> Res<Value> {
    match value {
        Value::Plain(ty, array) => {
            let mut d = fl.sym();
            let total = if c.name == "sum" { array.sum(&mut d) } else { array.product(&mut d) };
            place::array_result(fl, c.scope, c.expr, ty, total.map(Array::scalar))
        }
        Value::Record(ref record) if c.name == "sum" => {
            let count: usize = record.shape.iter().product();
            let flat = arguments::flatten_record_array(&value);
            let mut total: Option<Value> = None;
            for i in 1..=count {
                let item = match flat.index(&[kausal_symbolic::function::Index::One(i)]) {
                    Ok(item) => item,
                    Err(e) => return Err(place::at_expr(fl, c.scope, c.expr, "K0332", e.to_string())),
                };
                total = Some(match total {
                    None => item,
                    Some(sum) => fl.binary(c.scope, c.expr, ast::BinaryOp::Add, sum, item)?,
                });
            }
            total.ok_or_else(|| wrong_args(fl, c))
        }
        _ => Err(wrong_args(fl, c)),
    }
}

/// Notes what `pre`, `edge` and `change` are applied to outside `when` clauses, where only discrete variables have a
/// value before an event (specification section 3.7.5).
pub(crate) fn note_pre(fl: &mut Flattener<'_>, c: Call<'_>, value: &Value) {
    if fl.in_when {
        return;
    }
    let location = fl.cx.lib.location(c.scope.file, c.ast.span(c.expr));
    let mut scalars = Vec::new();
    value.scalars(&mut scalars);
    fl.pre_uses.extend(scalars.into_iter().map(|e| (e, location)));
}

/// `pre(v)`; of what never changes it is the value itself.
pub fn pre(fl: &mut Flattener<'_>, e: ExprId) -> ExprId {
    if fold::variability(fl, e) <= ast::Variability::Parameter {
        return e;
    }
    fl.pool.op(Op::Pre, &[e])
}

fn builtin_der(fl: &mut Flattener<'_>, c: Call<'_>) -> Res<Value> {
    let arg = c.args[0].value;
    if let Expr::Call { function, args } = c.ast.exprs[arg]
        && place::ref_text(c.ast, &function) == "residue"
        && !call::user_defined(fl, c.scope, "residue")
    {
        let Some(inner) = c.ast.lists.args.get(args).first() else { return Err(wrong_args(fl, c)) };
        let value = fl.eval(c.scope, inner.value)?;
        let target = derivative(fl, c, &value)?;
        return hint(fl, c, HintKind::Residue, target);
    }
    let value = fl.eval(c.scope, arg)?;
    derivative(fl, c, &value)
}

fn derivative(fl: &mut Flattener<'_>, c: Call<'_>, value: &Value) -> Res<Value> {
    match value {
        Value::Plain(ty @ (Ty::Real | Ty::Integer), array) => {
            for &e in array.data() {
                check_differentiable(fl, c, *ty, e)?;
            }
            let array = array.map(|&e| der(fl, e));
            Ok(Value::Plain(Ty::Real, array))
        }
        Value::Record(record) => {
            let mut fields = Vec::with_capacity(record.fields.len());
            for (name, field) in &record.fields {
                fields.push((*name, derivative(fl, c, field)?));
            }
            Ok(Value::Record(Box::new(RecordValue {
                klass: record.klass,
                shape: record.shape.clone(),
                fields,
            })))
        }
        other => {
            let message = format!("der needs a Real, not {}", other.describe());
            Err(place::at_expr(fl, c.scope, c.expr, "K0349", message))
        }
    }
}

/// What only jumps has no derivative.
fn check_differentiable(fl: &mut Flattener<'_>, c: Call<'_>, ty: Ty, e: ExprId) -> Res<()> {
    let kausal_symbolic::Node::Var(var) = fl.pool.node(e) else { return Ok(()) };
    let (leaf, _) = fl.slots[var.index()];
    let what = match (ty, fl.inst(leaf).variability) {
        (_, ast::Variability::Constant | ast::Variability::Parameter) => return Ok(()),
        (Ty::Integer, _) => "an Integer",
        (_, ast::Variability::Discrete) => "discrete",
        _ => return Ok(()),
    };
    let message = format!("{} has no derivative: it is {what}", instance::variable_name(fl, var));
    let location = fl.cx.lib.location(c.scope.file, c.ast.span(c.expr));
    let diagnostic = kausal_syntax::Diagnostic::error("K0349", message).at(location, "differentiated here");
    let help = match ty {
        Ty::Integer => "declare it as Real if it changes continuously",
        _ => "what is assigned in `when` changes at events only: differentiate what it is taken from",
    };
    Err(instance::report_at_decl(fl, leaf, diagnostic.help(help)))
}

/// `der(e)`; of what never changes it is zero.
pub fn der(fl: &mut Flattener<'_>, e: ExprId) -> ExprId {
    if fold::variability(fl, e) <= ast::Variability::Parameter {
        return fl.pool.constant(0.0);
    }
    fl.pool.op(Op::Der, &[e])
}

fn builtin_hint(fl: &mut Flattener<'_>, c: Call<'_>, kind: HintKind) -> Res<Value> {
    let value = fl.eval(c.scope, c.args[0].value)?;
    hint(fl, c, kind, value)
}

fn hint(fl: &mut Flattener<'_>, c: Call<'_>, kind: HintKind, value: Value) -> Res<Value> {
    let Value::Plain(ty @ (Ty::Real | Ty::Integer), array) = value else {
        let name = if kind == HintKind::Relax { "relax" } else { "residue" };
        let message = format!("{name} needs a Real, not {}", value.describe());
        return Err(place::at_expr(fl, c.scope, c.expr, "K0349", message));
    };
    fl.hints.push(PendingHint { kind, target: array.clone() });
    if kind == HintKind::Relax {
        return Ok(Value::Plain(ty, array));
    }
    let zero = fl.pool.constant(0.0);
    Ok(Value::Plain(ty, array.map(|_| zero)))
}

fn builtin_homotopy(fl: &mut Flattener<'_>, c: Call<'_>) -> Res<Value> {
    let [actual, simplified] = named_args(fl, c, ["actual", "simplified"])?;
    let a = fl.eval(c.scope, actual)?;
    let b = fl.eval(c.scope, simplified)?;
    if a.shape() != b.shape() {
        return Err(wrong_args(fl, c));
    }
    let mut others = Vec::new();
    b.scalars(&mut others);
    let mut others = others.into_iter();
    Ok(a.map(&mut |x| match others.next() {
        Some(y) => fl.pool.op(Op::Homotopy, &[x, y]),
        None => x,
    }))
}

fn builtin_size(fl: &mut Flattener<'_>, c: Call<'_>) -> Res<Value> {
    if let Some(n) = size_so_far(fl, c)? {
        return Ok(integer(&mut fl.pool, n as f64));
    }
    let shape = arg_shape(fl, c, 0)?;
    match c.args.get(1) {
        None => {
            let data = shape.iter().map(|&n| fl.pool.constant(n as f64)).collect();
            Ok(Value::Plain(Ty::Integer, Array::vector(data)))
        }
        Some(arg) => {
            let dimension = fl.eval(c.scope, arg.value)?;
            if !dimension.ty().is_some_and(Ty::is_number) || dimension.rank() > 0 {
                return Err(wrong_args(fl, c));
            }
            let d = fl.structural_number(c.scope, arg.value, "the dimension of size")?;
            match shape.get((d as usize).wrapping_sub(1)) {
                Some(&n) => Ok(integer(&mut fl.pool, n as f64)),
                None => {
                    let message = format!("there is no dimension {d}: the argument has {}", shape.len());
                    Err(place::at_expr(fl, c.scope, c.expr, "K0350", message))
                }
            }
        }
    }
}

/// `size(A, i)` in a dimension of `A` itself: one of those already known.
fn size_so_far(fl: &mut Flattener<'_>, c: Call<'_>) -> Res<Option<usize>> {
    let ([array, dimension], false) = (c.args, fl.sizes.is_empty()) else { return Ok(None) };
    let Expr::Ref(reference) = c.ast.exprs[array.value] else { return Ok(None) };
    let [part] = c.ast.lists.parts.get(reference.parts) else { return Ok(None) };
    let name = part.name.symbol;
    let Some(class::Found::Component { owner, up, .. }) = fl.cx.find(c.scope.klass, name) else {
        return Ok(None);
    };
    let at = instance::instance_of(fl, c.scope.inst, up, owner);
    let Some(child) = instance::child(fl, at, name)? else { return Ok(None) };
    if !part.subscripts.is_empty() || !matches!(fl.inst(child).node, tree::Node::Resolving) {
        return Ok(None);
    }
    let d = fl.structural_number(c.scope, dimension.value, "the dimension of size")?;
    let known = fl.sizes.get(&child).and_then(|sizes| sizes.get((d as usize).wrapping_sub(1)));
    Ok(known.copied().flatten())
}

/// The dimensions of an argument, without building its value where it is a component.
pub fn arg_shape(fl: &mut Flattener<'_>, c: Call<'_>, i: usize) -> Res<Vec<usize>> {
    let Some(arg) = c.args.get(i) else { return Err(wrong_args(fl, c)) };
    if let Expr::Ref(reference) = c.ast.exprs[arg.value] {
        match fl.resolve_ref(c.scope, c.ast, &reference)? {
            Cursor::Inst(id) => match &fl.inst(id).node {
                tree::Node::Leaf(_, shape) | tree::Node::Array(shape, _) => return Ok(shape.to_vec()),
                tree::Node::Struct => return Ok(Vec::new()),
                _ => {}
            },
            Cursor::Insts { shape, .. } => return Ok(shape),
            Cursor::Value(value) => return Ok(value.shape().to_vec()),
            Cursor::Class(..) | Cursor::Disabled(_) => {}
        }
    }
    Ok(fl.eval(c.scope, arg.value)?.shape().to_vec())
}

fn size_arg(fl: &mut Flattener<'_>, c: Call<'_>, value: &Value) -> Res<usize> {
    let Some(e) = value.as_scalar() else { return Err(wrong_args(fl, c)) };
    let number = match fl.fold(e) {
        Ok(e) => fl.pool.as_constant(e),
        Err(why) => {
            let why = fold::explain(fl, why)?;
            let message = format!("a size given to {} must be known at compile time, but it {why}", c.name);
            return Err(place::at_expr(fl, c.scope, c.expr, "K0301", message));
        }
    };
    let Some(number) = number else { return Err(wrong_args(fl, c)) };
    as_size("a size", number).map_err(|e| place::at_expr(fl, c.scope, c.expr, "K0312", e.to_string()))
}

/// Sizes are often computed: a wrong one must not take all memory.
fn not_too_large(fl: &mut Flattener<'_>, c: Call<'_>, shape: &[usize]) -> Res<()> {
    if !crate::instance::is_too_large(shape) {
        return Ok(());
    }
    let sizes = value::sizes_text(shape);
    let message = format!("{} makes an array of {sizes}: too many elements", c.name);
    Err(place::at_expr(fl, c.scope, c.expr, "K0308", message))
}

/// An operator on numbers, element by element.
fn elementwise(fl: &mut Flattener<'_>, c: Call<'_>, op: Op, values: &[Value], ty: Ty) -> Res<Value> {
    let mut arrays = Vec::with_capacity(values.len());
    for value in values {
        match value {
            Value::Plain(_, array) => arrays.push(array),
            _ => return Err(wrong_args(fl, c)),
        }
    }
    let result = broadcast(&mut fl.sym(), op, &arrays);
    place::array_result(fl, c.scope, c.expr, ty, result)
}

fn exactly<const N: usize>(fl: &mut Flattener<'_>, c: Call<'_>, values: Vec<Value>) -> Res<[Value; N]> {
    values.try_into().map_err(|_| wrong_args(fl, c))
}

/// The last name of a path (specification, section 3.7, `getInstanceName`: an instance is named from the simulated class on, without
/// the packages it is in); a quoted name may have dots of its own.
fn last_name(path: &str) -> &str {
    let quoted = path.strip_suffix('\'').and_then(|rest| rest.rfind('\''));
    &path[quoted.unwrap_or_else(|| path.rfind('.').map_or(0, |dot| dot + 1))..]
}

#[cfg(test)]
mod tests {
    use super::last_name;

    #[test]
    fn a_path_ends_with_its_last_name() {
        assert_eq!(last_name("Vehicle"), "Vehicle");
        assert_eq!(last_name("MyLib.Vehicle"), "Vehicle");
        assert_eq!(last_name("MyLib.'Vehicle 1.2'"), "'Vehicle 1.2'");
        assert_eq!(last_name("'My.Lib'.Vehicle"), "Vehicle");
    }
}
