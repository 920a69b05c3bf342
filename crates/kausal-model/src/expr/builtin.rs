//! Operators with function syntax and built-in functions (specification sections 3.7 and 10.3).
//!
//! `residue(x)` is zero and `relax(x)` is `x`: both leave a hint for the equation they stand in.

use kausal_symbolic::function::algebra::{broadcast, broadcast_shape, identity, linspace};
use kausal_symbolic::function::array::as_size;
use kausal_symbolic::function::externals::builtin_op;
use kausal_symbolic::function::{Array, ArrayResult};
use kausal_symbolic::{ExprId, Op};
use kausal_syntax::Ast;
use kausal_syntax::ast::{self, Arg, Expr};

use super::kept::{is_clocked, is_state_machine};
use super::reference::Cursor;
use crate::builtins::{Actual, Entry, Misfit, Place, entry};
use crate::class::{Reported, Res};
use crate::flat::HintKind;
use crate::flattener::{Flattener, PendingHint, Scope};
use crate::instance::{InstId, Node};
use crate::lookup::Found;
use crate::value::{RecordValue, Ty, Value};

/// The call being evaluated.
#[derive(Clone, Copy)]
pub struct Call<'a> {
    /// Where.
    pub scope: Scope,
    /// The tree.
    pub ast: &'a Ast,
    /// The whole call.
    pub expr: ast::ExprId,
    /// What is called.
    pub name: &'a str,
    /// With what.
    pub args: &'a [Arg],
}

/// Can its arguments be given by name? The specification calls only some like that; clocked operators look at names
/// themselves.
fn takes_names(name: &str) -> bool {
    entry(name).is_some_and(|entry| entry.named) || is_clocked(name) || is_state_machine(name)
}

/// Names that are built in, whatever is in scope.
pub fn is_builtin(name: &str) -> bool {
    entry(name).is_some_and(|entry| entry.place != Place::Statement)
        || is_clocked(name)
        || is_state_machine(name)
}

impl Flattener<'_> {
    /// A built-in function; the arguments are not evaluated yet.
    pub fn eval_builtin(&mut self, c: Call<'_>) -> Res<Vec<Value>> {
        let one = |value: Res<Value>| value.map(|v| vec![v]);
        self.check_positional(c.scope, c.name, c.args)?;
        if is_clocked(c.name) {
            return one(self.eval_clocked(c));
        }
        if is_state_machine(c.name) {
            return Err(self.state_machine(c));
        }
        if entry(c.name).is_some_and(|entry| !entry.takes(c.args.len())) {
            return Err(self.wrong_args(c));
        }
        match c.name {
            "der" => one(self.builtin_der(c)),
            "residue" => one(self.builtin_hint(c, HintKind::Residue)),
            "relax" => one(self.builtin_hint(c, HintKind::Relax)),
            "size" => one(self.builtin_size(c)),
            "ndims" => {
                let rank = self.arg_shape(c, 0)?.len();
                Ok(vec![self.integer(rank as f64)])
            }
            "initial" | "terminal" => {
                let op = if c.name == "initial" { Op::Initial } else { Op::Terminal };
                let e = self.pool.op(op, &[]);
                Ok(vec![Value::scalar(Ty::Boolean, e)])
            }
            "homotopy" => one(self.builtin_homotopy(c)),
            "inStream" | "actualStream" => one(self.builtin_stream(c)),
            "cardinality" => {
                self.connections.dependent.insert(c.scope.inst);
                one(self.builtin_cardinality(c))
            }
            "getInstanceName" => {
                let name = self.instance_name(Some(c.scope.inst));
                let e = self.pool.text(&name);
                Ok(vec![Value::scalar(Ty::String, e)])
            }
            "String" => one(self.builtin_string(c)),
            "pure" => {
                let in_pure = std::mem::replace(&mut self.functions.in_pure, true);
                let value = self.eval(c.scope, c.args[0].value);
                self.functions.in_pure = in_pure;
                one(value)
            }
            "spatialDistribution" => self.spatial_distribution(c),
            "sample" => one(self.builtin_sample(c)),
            _ => {
                let values = self.eval_all(c.scope, c.args.iter().map(|a| a.value))?;
                one(self.builtin_values(c, values))
            }
        }
    }

    /// What `getInstanceName` gives in an instance (specification section 3.7.4.4); in functions, which belong to no
    /// instance, it is the name of the simulated model.
    pub(crate) fn instance_name(&self, inst: Option<InstId>) -> String {
        let path = inst.filter(|&i| !self.inst(i).is_static).map(|i| self.path(i)).unwrap_or_default();
        let model = last_name(&self.model_name);
        if path.is_empty() { model.to_owned() } else { format!("{model}.{path}") }
    }

    /// Only some built-in functions have names for their arguments (specification sections 3.7 and 12.4.1).
    pub(crate) fn check_positional(&mut self, scope: Scope, name: &str, args: &[Arg]) -> Res<()> {
        let named = args.iter().find_map(|a| a.name);
        let Some(named) = named.filter(|_| !takes_names(name)) else { return Ok(()) };
        let message = format!("{name} has no argument named {}: its arguments have no names", named.symbol);
        let location = self.cx.lib.location(scope.file, named.span);
        let mut diagnostic = kausal_syntax::Diagnostic::error("K0351", message).at(location, "this name");
        if let Some(usage) = usage(name) {
            diagnostic = diagnostic.help(format!("it is called as {usage}"));
        }
        Err(self.cx.report(diagnostic))
    }

    /// A built-in function of values.
    pub fn builtin_values(&mut self, c: Call<'_>, values: Vec<Value>) -> Res<Value> {
        let Some(entry) = entry(c.name) else { return Err(self.wrong_args(c)) };
        self.check_arguments(c, entry, &values)?;
        let types: Vec<Option<Ty>> = values.iter().map(Value::ty).collect();
        let ty = entry.result(&types);
        match c.name {
            "min" | "max" => self.builtin_extreme(c, values),
            "Integer" | "Real" | "Boolean" => {
                let [value] = self.exactly::<1>(c, values)?;
                Ok(crate::flattener::with_ty(value, ty))
            }
            "sum" | "product" => {
                let [value] = self.exactly::<1>(c, values)?;
                self.builtin_total(c, value)
            }
            "pre" => {
                let [value] = self.exactly::<1>(c, values)?;
                self.note_pre(c, &value);
                Ok(value.map(&mut |e| self.pre(e)))
            }
            "edge" => {
                let [value] = self.exactly::<1>(c, values)?;
                self.note_pre(c, &value);
                Ok(value.map(&mut |e| {
                    let before = self.pre(e);
                    let not = self.pool.op(Op::Not, &[before]);
                    self.pool.op(Op::And, &[e, not])
                }))
            }
            "change" => {
                let [value] = self.exactly::<1>(c, values)?;
                self.note_pre(c, &value);
                let changed = value.map(&mut |e| {
                    let before = self.pre(e);
                    self.pool.op(Op::NotEqual, &[e, before])
                });
                Ok(crate::flattener::with_ty(changed, Ty::Boolean))
            }
            "noEvent" => {
                let [value] = self.exactly::<1>(c, values)?;
                Ok(value.map(&mut |e| self.pool.op(Op::NoEvent, &[e])))
            }
            "smooth" => {
                let [order, value] = self.exactly::<2>(c, values)?;
                let Some(p) = order.as_scalar() else { return Err(self.wrong_args(c)) };
                if self.variability(p) > ast::Variability::Parameter {
                    let message = "the order of smooth must be an Integer parameter";
                    return Err(self.at_expr(c.scope, c.expr, "K0351", message));
                }
                Ok(value.map(&mut |e| self.pool.op(Op::Smooth, &[p, e])))
            }
            "delay" => {
                let scalars: Option<Vec<ExprId>> = values.iter().skip(1).map(Value::as_scalar).collect();
                let Some(times) = scalars else { return Err(self.wrong_args(c)) };
                let (delay, max) = (times[0], *times.get(1).unwrap_or(&times[0]));
                self.check_delay(c, delay, max)?;
                Ok(values[0].map(&mut |e| self.pool.op(Op::Delay, &[e, delay, max])))
            }
            "semiLinear" => {
                let values = self.exactly::<3>(c, values)?;
                let [Value::Plain(_, x), Value::Plain(_, p), Value::Plain(_, n)] = &values else {
                    return Err(self.wrong_args(c));
                };
                let shape = broadcast_shape([x, p, n].iter().map(|a| a.shape()));
                let result = shape.and_then(|shape| {
                    let count = shape.iter().product::<usize>();
                    let at = |a: &Array<ExprId>, i: usize| a.data()[if a.rank() == 0 { 0 } else { i }];
                    let data = (0..count).map(|i| self.semi_linear(at(x, i), at(p, i), at(n, i))).collect();
                    Array::from_vec(&shape, data)
                });
                self.array_result(c.scope, c.expr, Ty::Real, result)
            }
            name => match builtin_op(name) {
                Some(op) => {
                    self.check_divisor(c, op, &values)?;
                    self.elementwise(c, op, &values, ty)
                }
                None => self.builtin_array(c, ty, values),
            },
        }
    }

    /// Are the arguments what the table says? Sizes are known here: what they do not fit is said of the arrays.
    fn check_arguments(&mut self, c: Call<'_>, entry: &Entry, values: &[Value]) -> Res<()> {
        match entry.check(&values.iter().map(actual).collect::<Vec<_>>()) {
            Ok(()) | Err(Misfit::Dimensions(_)) => Ok(()),
            Err(Misfit::Arguments) => Err(self.wrong_args(c)),
            Err(misfit) => Err(self.at_expr(c.scope, c.expr, misfit.code(), misfit.message(c.name))),
        }
    }

    fn check_divisor(&mut self, c: Call<'_>, op: Op, values: &[Value]) -> Res<()> {
        if matches!(op, Op::IntegerDiv | Op::Mod | Op::Rem)
            && let Some(Value::Plain(_, divisor)) = values.get(1)
            && divisor.data().iter().any(|&e| self.pool.as_constant(e) == Some(0.0))
        {
            let message = format!("{} divides by zero", c.name);
            return Err(self.at_expr(c.scope, c.expr, "K0329", message));
        }
        Ok(())
    }

    /// `sample(start, interval)`, or `sample(u)` and `sample(u, clock)` of clocked models.
    fn builtin_sample(&mut self, c: Call<'_>) -> Res<Value> {
        let last = match c.args {
            [_, last] => self.eval(c.scope, last.value)?,
            _ => return self.eval_clocked(c),
        };
        if last.ty() == Some(Ty::Clock) {
            return self.eval_clocked(c);
        }
        let [start, interval] = self.named_args(c, ["start", "interval"])?;
        let (start, interval) = (self.eval(c.scope, start)?, self.eval(c.scope, interval)?);
        let number = |v: &Value| v.ty().is_some_and(Ty::is_number);
        match (start.as_scalar(), interval.as_scalar()) {
            (Some(a), Some(b)) if number(&start) && number(&interval) => {
                self.check_sample(c, a, b)?;
                let e = self.pool.op(Op::Sample, &[a, b]);
                Ok(Value::scalar(Ty::Boolean, e))
            }
            _ => Err(self.wrong_args(c)),
        }
    }

    /// The times of `sample` do not vary, and the interval is positive (specification section 3.7.5).
    fn check_sample(&mut self, c: Call<'_>, start: ExprId, interval: ExprId) -> Res<()> {
        if self.variability(start).max(self.variability(interval)) > ast::Variability::Parameter {
            let message = "the start and the interval of sample must be parameters";
            return Err(self.at_expr(c.scope, c.expr, "K0351", message));
        }
        if let Some(x) = self.pool.as_constant(interval).filter(|x| *x <= 0.0) {
            let message = format!("the interval of sample must be positive, not {x}");
            return Err(self.at_expr(c.scope, c.expr, "K0351", message));
        }
        Ok(())
    }

    /// The delay is not negative; where it varies its maximum is given (specification section 3.7.4.1).
    fn check_delay(&mut self, c: Call<'_>, delay: ExprId, max: ExprId) -> Res<()> {
        if let Some(x) = self.pool.as_constant(delay).filter(|x| *x < 0.0) {
            let message = format!("the delay must not be negative, but it is {x}");
            return Err(self.at_expr(c.scope, c.expr, "K0351", message));
        }
        if self.variability(max) > ast::Variability::Parameter {
            let message = "a delay that varies needs a maximum: delay(expression, delay, maximum)";
            return Err(self.at_expr(c.scope, c.expr, "K0351", message));
        }
        Ok(())
    }

    /// `smooth(0, if x >= 0 then positive*x else negative*x)`
    fn semi_linear(&mut self, x: ExprId, positive: ExprId, negative: ExprId) -> ExprId {
        let zero = self.pool.constant(0.0);
        let forward = self.pool.op(Op::LessEqual, &[zero, x]);
        let a = self.pool.op(Op::Mul, &[x, positive]);
        let b = self.pool.op(Op::Mul, &[x, negative]);
        let e = self.pool.op(Op::If, &[forward, a, b]);
        self.pool.op(Op::Smooth, &[zero, e])
    }

    fn builtin_array(&mut self, c: Call<'_>, ty: Ty, values: Vec<Value>) -> Res<Value> {
        match c.name {
            "array" => self.construct(c.scope, c.expr, values),
            "scalar" | "vector" | "matrix" | "transpose" | "symmetric" | "diagonal" | "skew" => {
                let [value] = self.exactly::<1>(c, values)?;
                if let Value::Record(_) = value {
                    return self.reshape_record(c, value);
                }
                let Value::Plain(_, array) = value else { return Err(self.wrong_args(c)) };
                if c.name == "diagonal" {
                    self.not_too_large(c, &[array.len(), array.len()])?;
                }
                let result: ArrayResult<Array<ExprId>> = match c.name {
                    "scalar" => array.into_scalar().map(Array::scalar),
                    "vector" => array.into_vector(),
                    "matrix" => array.into_matrix(),
                    "transpose" => array.transpose(),
                    "symmetric" => array.symmetric(),
                    "diagonal" => array.diagonal(&mut self.sym()),
                    _ => array.skew(&mut self.sym()),
                };
                self.array_result(c.scope, c.expr, ty, result)
            }
            "outerProduct" | "cross" => {
                let [a, b] = self.exactly::<2>(c, values)?;
                let (Value::Plain(_, x), Value::Plain(_, y)) = (a, b) else {
                    return Err(self.wrong_args(c));
                };
                self.spend_at(c.scope, c.expr, (x.len() as u64).saturating_mul(y.len() as u64))?;
                let mut d = self.sym();
                let result =
                    if c.name == "cross" { x.cross(&mut d, &y) } else { x.outer_product(&mut d, &y) };
                self.array_result(c.scope, c.expr, ty, result)
            }
            "identity" => {
                let [n] = self.exactly::<1>(c, values)?;
                let n = self.size_arg(c, &n)?;
                self.not_too_large(c, &[n, n])?;
                let result = identity(&mut self.sym(), n);
                self.array_result(c.scope, c.expr, ty, result)
            }
            "zeros" | "ones" => {
                let mut shape = Vec::with_capacity(values.len());
                for value in &values {
                    shape.push(self.size_arg(c, value)?);
                }
                self.not_too_large(c, &shape)?;
                let element = self.pool.constant(if c.name == "ones" { 1.0 } else { 0.0 });
                self.array_result(c.scope, c.expr, ty, Array::filled(element, &shape))
            }
            "fill" => {
                let Some((value, sizes)) = values.split_first() else { return Err(self.wrong_args(c)) };
                let mut shape = Vec::with_capacity(sizes.len());
                for size in sizes {
                    shape.push(self.size_arg(c, size)?);
                }
                self.not_too_large(c, &shape)?;
                Ok(self.fill(value, &shape))
            }
            "linspace" => {
                let [a, b, n] = self.exactly::<3>(c, values)?;
                let (Some(first), Some(last)) = (a.as_scalar(), b.as_scalar()) else {
                    return Err(self.wrong_args(c));
                };
                let n = self.size_arg(c, &n)?;
                self.spend_at(c.scope, c.expr, 12 * n as u64)?;
                let result = linspace(&mut self.sym(), first, last, n as f64);
                self.array_result(c.scope, c.expr, ty, result)
            }
            "cat" => {
                let Some((dimension, parts)) = values.split_first() else { return Err(self.wrong_args(c)) };
                let dimension = self.size_arg(c, dimension)?;
                if dimension == 0 {
                    return Err(self.wrong_args(c));
                }
                self.cat(c.scope, c.expr, dimension, parts)
            }
            "promote" => {
                let [value, rank] = self.exactly::<2>(c, values)?;
                let rank = self.size_arg(c, &rank)?;
                self.promote(c.scope, c.expr, value, rank)
            }
            _ => {
                let message = format!("the built-in function {} is not supported yet", c.name);
                Err(self.at_expr(c.scope, c.expr, "K0391", message))
            }
        }
    }

    /// `scalar`, `vector`, `transpose` of an array of records: field by field.
    fn reshape_record(&mut self, c: Call<'_>, value: Value) -> Res<Value> {
        let Value::Record(record) = value else { return Err(self.wrong_args(c)) };
        let shape = match (c.name, &record.shape[..]) {
            ("vector", shape) => vec![shape.iter().product()],
            ("transpose", [n, m]) => vec![*m, *n],
            ("scalar", _) => Vec::new(),
            _ => return Err(self.wrong_args(c)),
        };
        let mut fields = Vec::with_capacity(record.fields.len());
        for (name, field) in record.fields {
            let ty = field.ty().unwrap_or(Ty::Real);
            fields.push((name, self.builtin_array(c, ty, vec![field])?));
        }
        Ok(Value::Record(Box::new(RecordValue { klass: record.klass, shape, fields })))
    }

    fn builtin_extreme(&mut self, c: Call<'_>, values: Vec<Value>) -> Res<Value> {
        let op = if c.name == "min" { Op::Min } else { Op::Max };
        match values.len() {
            1 => {
                let Value::Plain(ty, array) = &values[0] else { return Err(self.wrong_args(c)) };
                let empty = if op == Op::Min { f64::MAX } else { -f64::MAX };
                let mut d = self.sym();
                let result = if op == Op::Min { array.min(&mut d, empty) } else { array.max(&mut d, empty) };
                self.array_result(c.scope, c.expr, *ty, result.map(Array::scalar))
            }
            2 => {
                let ty = values[0].ty().and_then(|t| t.join(values[1].ty()?));
                let Some(ty) = ty else { return Err(self.wrong_args(c)) };
                // Enumerations and truth values have an order too (specification section 3.5).
                match (values[0].as_scalar(), values[1].as_scalar()) {
                    (Some(a), Some(b)) if !ty.is_number() => {
                        self.builtin_extreme(c, vec![Value::Plain(ty, Array::vector(vec![a, b]))])
                    }
                    _ => self.elementwise(c, op, &values, ty),
                }
            }
            _ => Err(self.wrong_args(c)),
        }
    }

    fn builtin_total(&mut self, c: Call<'_>, value: Value) -> Res<Value> {
        match value {
            Value::Plain(ty, array) => {
                let mut d = self.sym();
                let total = if c.name == "sum" { array.sum(&mut d) } else { array.product(&mut d) };
                self.array_result(c.scope, c.expr, ty, total.map(Array::scalar))
            }
            Value::Record(ref record) if c.name == "sum" => {
                let count: usize = record.shape.iter().product();
                let flat = crate::expr::call::flatten_record_array(&value);
                let mut total: Option<Value> = None;
                for i in 1..=count {
                    let item = match flat.index(&[kausal_symbolic::function::Index::One(i)]) {
                        Ok(item) => item,
                        Err(e) => return Err(self.at_expr(c.scope, c.expr, "K0332", e.to_string())),
                    };
                    total = Some(match total {
                        None => item,
                        Some(sum) => self.binary(c.scope, c.expr, ast::BinaryOp::Add, sum, item)?,
                    });
                }
                total.ok_or_else(|| self.wrong_args(c))
            }
            _ => Err(self.wrong_args(c)),
        }
    }

    /// Notes what `pre`, `edge` and `change` are applied to outside `when` clauses, where only discrete variables have a
    /// value before an event (specification section 3.7.5).
    pub(crate) fn note_pre(&mut self, c: Call<'_>, value: &Value) {
        if self.in_when {
            return;
        }
        let location = self.cx.lib.location(c.scope.file, c.ast.span(c.expr));
        let mut scalars = Vec::new();
        value.scalars(&mut scalars);
        self.pre_uses.extend(scalars.into_iter().map(|e| (e, location)));
    }

    /// `pre(v)`; of what never changes it is the value itself.
    pub fn pre(&mut self, e: ExprId) -> ExprId {
        if self.variability(e) <= ast::Variability::Parameter {
            return e;
        }
        self.pool.op(Op::Pre, &[e])
    }

    fn builtin_der(&mut self, c: Call<'_>) -> Res<Value> {
        let arg = c.args[0].value;
        if let Expr::Call { function, args } = c.ast.exprs[arg]
            && super::reference::ref_text(c.ast, &function) == "residue"
            && !self.user_defined(c.scope, "residue")
        {
            let Some(inner) = c.ast.lists.args.get(args).first() else { return Err(self.wrong_args(c)) };
            let value = self.eval(c.scope, inner.value)?;
            let target = self.derivative(c, &value)?;
            return self.hint(c, HintKind::Residue, target);
        }
        let value = self.eval(c.scope, arg)?;
        self.derivative(c, &value)
    }

    fn derivative(&mut self, c: Call<'_>, value: &Value) -> Res<Value> {
        match value {
            Value::Plain(ty @ (Ty::Real | Ty::Integer), array) => {
                for &e in array.data() {
                    self.check_differentiable(c, *ty, e)?;
                }
                let array = array.map(|&e| self.der(e));
                Ok(Value::Plain(Ty::Real, array))
            }
            Value::Record(record) => {
                let mut fields = Vec::with_capacity(record.fields.len());
                for (name, field) in &record.fields {
                    fields.push((*name, self.derivative(c, field)?));
                }
                Ok(Value::Record(Box::new(RecordValue {
                    klass: record.klass,
                    shape: record.shape.clone(),
                    fields,
                })))
            }
            other => {
                let message = format!("der needs a Real, not {}", other.describe());
                Err(self.at_expr(c.scope, c.expr, "K0349", message))
            }
        }
    }

    /// What only jumps has no derivative.
    fn check_differentiable(&mut self, c: Call<'_>, ty: Ty, e: ExprId) -> Res<()> {
        let kausal_symbolic::Node::Var(var) = self.pool.node(e) else { return Ok(()) };
        let (leaf, _) = self.slots[var.index()];
        let what = match (ty, self.inst(leaf).variability) {
            (_, ast::Variability::Constant | ast::Variability::Parameter) => return Ok(()),
            (Ty::Integer, _) => "an Integer",
            (_, ast::Variability::Discrete) => "discrete",
            _ => return Ok(()),
        };
        let message = format!("{} has no derivative: it is {what}", self.variable_name(var));
        let location = self.cx.lib.location(c.scope.file, c.ast.span(c.expr));
        let diagnostic =
            kausal_syntax::Diagnostic::error("K0349", message).at(location, "differentiated here");
        Err(self.report_at_decl(leaf, diagnostic))
    }

    /// `der(e)`; of what never changes it is zero.
    pub fn der(&mut self, e: ExprId) -> ExprId {
        if self.variability(e) <= ast::Variability::Parameter {
            return self.pool.constant(0.0);
        }
        self.pool.op(Op::Der, &[e])
    }

    fn builtin_hint(&mut self, c: Call<'_>, kind: HintKind) -> Res<Value> {
        let value = self.eval(c.scope, c.args[0].value)?;
        self.hint(c, kind, value)
    }

    fn hint(&mut self, c: Call<'_>, kind: HintKind, value: Value) -> Res<Value> {
        let Value::Plain(ty @ (Ty::Real | Ty::Integer), array) = value else {
            let name = if kind == HintKind::Relax { "relax" } else { "residue" };
            let message = format!("{name} needs a Real, not {}", value.describe());
            return Err(self.at_expr(c.scope, c.expr, "K0349", message));
        };
        self.hints.push(PendingHint { kind, target: array.clone() });
        if kind == HintKind::Relax {
            return Ok(Value::Plain(ty, array));
        }
        let zero = self.pool.constant(0.0);
        Ok(Value::Plain(ty, array.map(|_| zero)))
    }

    fn builtin_homotopy(&mut self, c: Call<'_>) -> Res<Value> {
        let [actual, simplified] = self.named_args(c, ["actual", "simplified"])?;
        let a = self.eval(c.scope, actual)?;
        let b = self.eval(c.scope, simplified)?;
        if a.shape() != b.shape() {
            return Err(self.wrong_args(c));
        }
        let mut others = Vec::new();
        b.scalars(&mut others);
        let mut others = others.into_iter();
        Ok(a.map(&mut |x| match others.next() {
            Some(y) => self.pool.op(Op::Homotopy, &[x, y]),
            None => x,
        }))
    }

    /// Arguments by position or name.
    pub fn named_args<const N: usize>(&mut self, c: Call<'_>, names: [&str; N]) -> Res<[ast::ExprId; N]> {
        let mut found = [None; N];
        for (i, arg) in c.args.iter().enumerate() {
            let at = match arg.name {
                Some(name) => names.iter().position(|n| *n == name.symbol.as_str()),
                None => Some(i),
            };
            match at {
                Some(at) if at < N && found[at].is_none() => found[at] = Some(arg.value),
                _ => return Err(self.wrong_args(c)),
            }
        }
        let mut out = [c.expr; N];
        for (to, from) in out.iter_mut().zip(found) {
            *to = from.ok_or(()).map_err(|()| self.wrong_args(c))?;
        }
        Ok(out)
    }

    fn builtin_size(&mut self, c: Call<'_>) -> Res<Value> {
        if let Some(n) = self.size_so_far(c)? {
            return Ok(self.integer(n as f64));
        }
        let shape = self.arg_shape(c, 0)?;
        match c.args.get(1) {
            None => {
                let data = shape.iter().map(|&n| self.pool.constant(n as f64)).collect();
                Ok(Value::Plain(Ty::Integer, Array::vector(data)))
            }
            Some(arg) => {
                let dimension = self.eval(c.scope, arg.value)?;
                if !dimension.ty().is_some_and(Ty::is_number) || dimension.rank() > 0 {
                    return Err(self.wrong_args(c));
                }
                let d = self.structural_number(c.scope, arg.value, "the dimension of size")?;
                match shape.get((d as usize).wrapping_sub(1)) {
                    Some(&n) => Ok(self.integer(n as f64)),
                    None => {
                        let message = format!("there is no dimension {d}: the argument has {}", shape.len());
                        Err(self.at_expr(c.scope, c.expr, "K0350", message))
                    }
                }
            }
        }
    }

    /// `size(A, i)` in a dimension of `A` itself: one of those already known.
    fn size_so_far(&mut self, c: Call<'_>) -> Res<Option<usize>> {
        let ([array, dimension], false) = (c.args, self.sizes.is_empty()) else { return Ok(None) };
        let Expr::Ref(reference) = c.ast.exprs[array.value] else { return Ok(None) };
        let [part] = c.ast.lists.parts.get(reference.parts) else { return Ok(None) };
        let name = part.name.symbol;
        let Some(Found::Component { owner, up, .. }) = self.cx.find(c.scope.klass, name) else {
            return Ok(None);
        };
        let at = self.instance_of(c.scope.inst, up, owner);
        let Some(child) = self.child(at, name)? else { return Ok(None) };
        if !part.subscripts.is_empty() || !matches!(self.inst(child).node, Node::Resolving) {
            return Ok(None);
        }
        let d = self.structural_number(c.scope, dimension.value, "the dimension of size")?;
        let known = self.sizes.get(&child).and_then(|sizes| sizes.get((d as usize).wrapping_sub(1)));
        Ok(known.copied().flatten())
    }

    /// The dimensions of an argument, without building its value where it is a component.
    pub fn arg_shape(&mut self, c: Call<'_>, i: usize) -> Res<Vec<usize>> {
        let Some(arg) = c.args.get(i) else { return Err(self.wrong_args(c)) };
        if let Expr::Ref(reference) = c.ast.exprs[arg.value] {
            match self.resolve_ref(c.scope, c.ast, &reference)? {
                Cursor::Inst(id) => match &self.inst(id).node {
                    Node::Leaf(_, shape) | Node::Array(shape, _) => return Ok(shape.to_vec()),
                    Node::Struct => return Ok(Vec::new()),
                    _ => {}
                },
                Cursor::Insts { shape, .. } => return Ok(shape),
                Cursor::Value(value) => return Ok(value.shape().to_vec()),
                Cursor::Class(..) | Cursor::Disabled(_) => {}
            }
        }
        Ok(self.eval(c.scope, arg.value)?.shape().to_vec())
    }

    /// An integer constant.
    pub fn integer(&mut self, value: f64) -> Value {
        let e = self.pool.constant(value);
        Value::scalar(Ty::Integer, e)
    }

    fn size_arg(&mut self, c: Call<'_>, value: &Value) -> Res<usize> {
        let Some(e) = value.as_scalar() else { return Err(self.wrong_args(c)) };
        let number = match self.fold(e) {
            Ok(e) => self.pool.as_constant(e),
            Err(why) => {
                let why = self.explain(why)?;
                let message =
                    format!("a size given to {} must be known at compile time, but it {why}", c.name);
                return Err(self.at_expr(c.scope, c.expr, "K0301", message));
            }
        };
        let Some(number) = number else { return Err(self.wrong_args(c)) };
        as_size("a size", number).map_err(|e| self.at_expr(c.scope, c.expr, "K0312", e.to_string()))
    }

    /// Sizes are often computed: a wrong one must not take all memory.
    fn not_too_large(&mut self, c: Call<'_>, shape: &[usize]) -> Res<()> {
        if !crate::instance::is_too_large(shape) {
            return Ok(());
        }
        let sizes = crate::flattener::sizes_text(shape);
        let message = format!("{} makes an array of {sizes}: too many elements", c.name);
        Err(self.at_expr(c.scope, c.expr, "K0308", message))
    }

    /// An operator on numbers, element by element.
    fn elementwise(&mut self, c: Call<'_>, op: Op, values: &[Value], ty: Ty) -> Res<Value> {
        let mut arrays = Vec::with_capacity(values.len());
        for value in values {
            match value {
                Value::Plain(_, array) => arrays.push(array),
                _ => return Err(self.wrong_args(c)),
            }
        }
        let result = broadcast(&mut self.sym(), op, &arrays);
        self.array_result(c.scope, c.expr, ty, result)
    }

    fn exactly<const N: usize>(&mut self, c: Call<'_>, values: Vec<Value>) -> Res<[Value; N]> {
        values.try_into().map_err(|_| self.wrong_args(c))
    }

    /// Checks the number of arguments.
    pub fn arity(&mut self, c: Call<'_>, min: usize, max: usize) -> Res<()> {
        if (min..=max).contains(&c.args.len()) { Ok(()) } else { Err(self.wrong_args(c)) }
    }

    /// Reports arguments a built-in function cannot take.
    pub fn wrong_args(&mut self, c: Call<'_>) -> Reported {
        let message = format!("{} cannot be called with these arguments", c.name);
        let location = self.cx.lib.location(c.scope.file, c.ast.span(c.expr));
        let mut diagnostic = kausal_syntax::Diagnostic::error("K0351", message).at(location, "");
        diagnostic = self.with_declarations(diagnostic, c.scope, &[c.expr]);
        if let Some(usage) = usage(c.name) {
            diagnostic = diagnostic.help(format!("it is called as {usage}"));
        }
        self.cx.report(diagnostic)
    }
}

/// What the table of built-in functions wants to know of an argument.
pub(super) fn actual(value: &Value) -> Actual {
    Actual {
        ty: value.ty(),
        record: matches!(value, Value::Record(_)),
        rank: value.rank(),
        text: value.describe(),
    }
}

/// How built-in functions are called.
fn usage(name: &str) -> Option<&'static str> {
    entry(name).and_then(|entry| entry.usage)
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
