//! Operators of operator records (specification chapter 14): `Complex` and its like.
//!
//! The functions of an operator are tried in order; a number is converted with the constructor if no function
//! takes it as it is. Products of vectors and matrices are made of `'*'` and `'+'` of the elements.

use kausal_symbolic::function::Index;
use kausal_syntax::ast::{BinaryOp, UnaryOp};
use kausal_syntax::{Symbol, ast};

use crate::class::{Classes, Reported, Res};
use crate::expr::arguments::{Call, ValueArg, flatten_record_array};
use crate::expr::place::operator_text;
use crate::expr::{arguments, place};
use crate::flattener::Flattener;
use crate::ids::KlassId;
use crate::tree::Scope;
use crate::value::{Ty, Value, reshape_front};
use crate::{class, interface, value};

/// The type of an argument.
#[derive(Clone, Copy, Debug)]
pub struct ArgType {
    /// Of scalars.
    pub ty: Option<Ty>,
    /// The class of a record.
    pub record: Option<KlassId>,
    /// How many dimensions.
    pub rank: usize,
}

fn operator_of(cx: &mut Classes, k: KlassId, name: &str) -> Option<KlassId> {
    match cx.step(k, Symbol::new(name))? {
        class::Found::Class(op) => Some(op),
        class::Found::Component { .. } => None,
    }
}

fn no_operator(
    fl: &mut Flattener<'_>,
    scope: Scope,
    at: ast::ExprId,
    op: &str,
    values: &[&Value],
) -> Reported {
    let kinds: Vec<String> = values.iter().map(|v| describe(fl.cx, v)).collect();
    let message = format!("{op} cannot be applied to {}", kinds.join(" and "));
    place::at_expr(fl, scope, at, "K0340", message)
}

/// What to call a value in messages, records by their class.
pub fn describe(cx: &Classes, value: &Value) -> String {
    match value {
        Value::Record(record) => {
            let text = value.describe();
            text.replacen("a record", &cx.name(record.klass), 1)
        }
        other => other.describe(),
    }
}

pub(super) fn overloaded_unary(
    fl: &mut Flattener<'_>,
    scope: Scope,
    at: ast::ExprId,
    op: UnaryOp,
    value: Value,
) -> Res<Value> {
    let Value::Record(record) = &value else {
        return Err(no_operator(fl, scope, at, "a sign", &[&value]));
    };
    if matches!(op, UnaryOp::Plus | UnaryOp::ElementPlus) {
        return Ok(value);
    }
    let name = if op == UnaryOp::Not { "'not'" } else { "'-'" };
    let Some(operator) = operator_of(fl.cx, record.klass, name) else {
        return Err(no_operator(fl, scope, at, name, &[&value]));
    };
    map_elements(fl, scope, at, &value, &mut |this, item| {
        apply_operator(this, scope, at, operator, name, vec![item])
    })
}

fn map_elements(
    fl: &mut Flattener<'_>,
    scope: Scope,
    at: ast::ExprId,
    value: &Value,
    f: &mut dyn FnMut(&mut Flattener<'_>, Value) -> Res<Value>,
) -> Res<Value> {
    if value.rank() == 0 {
        return f(fl, value.clone());
    }
    let items = elements(fl, scope, at, value)?;
    let mut out = Vec::with_capacity(items.len());
    for item in items {
        out.push(f(fl, item)?);
    }
    if out.is_empty() {
        return Ok(value.clone());
    }
    let joined = fl.construct(scope, at, out)?;
    Ok(reshape_front(joined, value.shape()))
}

/// The elements of an array of any rank, in order.
pub fn elements(fl: &mut Flattener<'_>, scope: Scope, at: ast::ExprId, value: &Value) -> Res<Vec<Value>> {
    let flat = flatten_record_array(value);
    let count = flat.shape().first().copied().unwrap_or(0);
    let mut items = Vec::with_capacity(count);
    for i in 1..=count {
        match flat.index(&[Index::One(i)]) {
            Ok(item) => items.push(item),
            Err(e) => return Err(place::at_expr(fl, scope, at, "K0332", e.to_string())),
        }
    }
    Ok(items)
}

pub(super) fn overloaded_binary(
    fl: &mut Flattener<'_>,
    scope: Scope,
    at: ast::ExprId,
    op: BinaryOp,
    a: Value,
    b: Value,
) -> Res<Value> {
    match (op, a.rank(), b.rank()) {
        (_, 0, 0) => overloaded_scalars(fl, scope, at, op, a, b),
        (BinaryOp::Mul, 1, 1) => {
            let (x, y) = (elements(fl, scope, at, &a)?, elements(fl, scope, at, &b)?);
            inner_product(fl, scope, at, &x, &y)
        }
        (BinaryOp::Mul, m, n) if m + n >= 3 => overloaded_product(fl, scope, at, &a, &b),
        (_, 0, _) => map_elements(fl, scope, at, &b, &mut |this, y| {
            overloaded_scalars(this, scope, at, op, a.clone(), y)
        }),
        (_, _, 0) => map_elements(fl, scope, at, &a, &mut |this, x| {
            overloaded_scalars(this, scope, at, op, x, b.clone())
        }),
        _ if a.shape() == b.shape() => {
            let ys = elements(fl, scope, at, &b)?;
            let mut ys = ys.into_iter();
            map_elements(fl, scope, at, &a, &mut |this, x| match ys.next() {
                Some(y) => overloaded_scalars(this, scope, at, op, x, y),
                None => Err(Reported),
            })
        }
        _ => Err(no_operator(fl, scope, at, operator_text(op), &[&a, &b])),
    }
}

fn overloaded_product(
    fl: &mut Flattener<'_>,
    scope: Scope,
    at: ast::ExprId,
    a: &Value,
    b: &Value,
) -> Res<Value> {
    let (sa, sb) = (a.shape().to_vec(), b.shape().to_vec());
    let (n, inner) = if sa.len() == 2 { (sa[0], sa[1]) } else { (1, sa[0]) };
    let (inner_b, m) = if sb.len() == 2 { (sb[0], sb[1]) } else { (sb[0], 1) };
    if inner != inner_b {
        return Err(no_operator(fl, scope, at, "*", &[a, b]));
    }
    let (xs, ys) = (elements(fl, scope, at, a)?, elements(fl, scope, at, b)?);
    let mut out = Vec::with_capacity(n * m);
    for i in 0..n {
        let row = &xs[i * inner..(i + 1) * inner];
        for j in 0..m {
            let column: Vec<Value> = (0..inner).map(|k| ys[k * m + j].clone()).collect();
            out.push(inner_product(fl, scope, at, row, &column)?);
        }
    }
    let mut shape = Vec::new();
    if sa.len() == 2 {
        shape.push(n);
    }
    if sb.len() == 2 {
        shape.push(m);
    }
    let joined = fl.construct(scope, at, out)?;
    Ok(reshape_front(joined, &shape))
}

fn inner_product(
    fl: &mut Flattener<'_>,
    scope: Scope,
    at: ast::ExprId,
    x: &[Value],
    y: &[Value],
) -> Res<Value> {
    let mut total: Option<Value> = None;
    for (a, b) in x.iter().zip(y) {
        let product = overloaded_scalars(fl, scope, at, BinaryOp::Mul, a.clone(), b.clone())?;
        total = Some(match total {
            None => product,
            Some(sum) => fl.binary(scope, at, BinaryOp::Add, sum, product)?,
        });
    }
    total.ok_or_else(|| place::at_expr(fl, scope, at, "K0354", "a product of empty arrays of records"))
}

fn overloaded_scalars(
    fl: &mut Flattener<'_>,
    scope: Scope,
    at: ast::ExprId,
    op: BinaryOp,
    a: Value,
    b: Value,
) -> Res<Value> {
    let text = operator_text(op).trim_start_matches('.');
    let name = format!("'{text}'");
    let klass = match (&a, &b) {
        (Value::Record(record), _) | (_, Value::Record(record)) => record.klass,
        _ => return fl.binary(scope, at, op, a, b),
    };
    let Some(operator) = operator_of(fl.cx, klass, &name) else {
        return Err(no_operator(fl, scope, at, text, &[&a, &b]));
    };
    apply_operator(fl, scope, at, operator, text, vec![a, b])
}

/// The first function of an operator that takes these values.
fn apply_operator(
    fl: &mut Flattener<'_>,
    scope: Scope,
    at: ast::ExprId,
    operator: KlassId,
    text: &str,
    values: Vec<Value>,
) -> Res<Value> {
    let functions = arguments::operator_functions(fl.cx, operator);
    for &f in &functions {
        if accepts(fl, f, &values) {
            return call_one(fl, scope, at, f, values);
        }
    }
    // A number becomes a record with the constructor.
    let klass = values.iter().find_map(|v| match v {
        Value::Record(record) => Some(record.klass),
        _ => None,
    });
    if let Some(klass) = klass
        && values.iter().any(|v| !matches!(v, Value::Record(_)))
    {
        let mut converted = Vec::with_capacity(values.len());
        for value in &values {
            converted.push(match value {
                Value::Record(_) => value.clone(),
                _ => construct_operator_record(
                    fl,
                    scope,
                    at,
                    klass,
                    vec![ValueArg { name: None, value: value.clone() }],
                )?,
            });
        }
        for &f in &functions {
            if accepts(fl, f, &converted) {
                return call_one(fl, scope, at, f, converted);
            }
        }
    }
    let refs: Vec<&Value> = values.iter().collect();
    Err(no_operator(fl, scope, at, text, &refs))
}

fn call_one(
    fl: &mut Flattener<'_>,
    scope: Scope,
    at: ast::ExprId,
    f: KlassId,
    values: Vec<Value>,
) -> Res<Value> {
    let args = values.into_iter().map(|value| ValueArg { name: None, value }).collect();
    let outputs = fl.call_function(scope, at, f, args)?;
    outputs.into_iter().next().ok_or(Reported)
}

/// Can a function be called with these values, as they are?
fn accepts(fl: &mut Flattener<'_>, f: KlassId, values: &[Value]) -> bool {
    let types: Vec<ArgType> = values
        .iter()
        .map(|v| ArgType {
            ty: v.ty(),
            record: match v {
                Value::Record(record) => Some(record.klass),
                _ => None,
            },
            rank: v.rank(),
        })
        .collect();
    accepts_types(fl, f, &types)
}

/// Can a function be called with values of these types, as they are?
pub fn accepts_types(fl: &mut Flattener<'_>, f: KlassId, types: &[ArgType]) -> bool {
    let Ok(signature) = interface::signature(fl, f) else { return false };
    let inputs = &signature.inputs;
    if inputs.len() < types.len() || inputs[types.len()..].iter().any(|i| i.binding.is_none()) {
        return false;
    }
    inputs.iter().zip(types).all(|(input, value)| {
        if input.dims.len() != value.rank {
            return false;
        }
        match (value.ty, value.record, input.leaf) {
            (Some(ty), _, Some(leaf)) => value::assignable(Ty::of(leaf.builtin), ty),
            (_, Some(record), None) => same_record(fl.cx, record, input.klass),
            _ => false,
        }
    })
}

fn same_record(cx: &mut Classes, a: KlassId, b: KlassId) -> bool {
    base_def(cx, a) == base_def(cx, b)
}

/// The definition at the end of a chain of short class definitions.
fn base_def(cx: &mut Classes, k: KlassId) -> crate::library::DefId {
    let mut at = k;
    loop {
        let def = cx.key(at).def;
        if !matches!(cx.lib.class(def).body, ast::ClassBody::Short(_)) {
            return def;
        }
        match cx.members(at).ok().and_then(|m| m.bases.first().copied()) {
            Some(base) => at = base,
            None => return def,
        }
    }
}

/// `R(…)` of an operator record: one of its constructors, or field by field.
pub(super) fn construct_operator_record(
    fl: &mut Flattener<'_>,
    scope: Scope,
    expr: ast::ExprId,
    k: KlassId,
    args: Vec<ValueArg>,
) -> Res<Value> {
    if let Some(operator) = operator_of(fl.cx, k, "'constructor'") {
        let positional: Vec<Value> =
            args.iter().take_while(|a| a.name.is_none()).map(|a| a.value.clone()).collect();
        for f in arguments::operator_functions(fl.cx, operator) {
            let named = args.len() > positional.len();
            if named && takes_named(fl.cx, f, &args) || !named && accepts(fl, f, &positional) {
                let outputs = fl.call_function(scope, expr, f, args)?;
                return outputs.into_iter().next().ok_or(Reported);
            }
        }
    }
    fl.construct_record(scope, expr, k, args)
}

fn takes_named(cx: &mut Classes, f: KlassId, args: &[ValueArg]) -> bool {
    let Ok(members) = cx.members(f) else { return false };
    args.iter().all(|a| a.name.is_none_or(|n| members.index.contains_key(&n)))
}

/// `String(r)` of an operator record.
pub(super) fn overloaded_string(fl: &mut Flattener<'_>, c: Call<'_>, value: Value) -> Res<Value> {
    let Value::Record(record) = &value else { return Err(arguments::wrong_args(fl, c)) };
    let Some(operator) = operator_of(fl.cx, record.klass, "'String'") else {
        return Err(arguments::wrong_args(fl, c));
    };
    apply_operator(fl, c.scope, c.expr, operator, "String", vec![value])
}

/// A call of an operator by name.
pub(super) fn call_operator(
    fl: &mut Flattener<'_>,
    scope: Scope,
    expr: ast::ExprId,
    k: KlassId,
    args: Vec<ValueArg>,
) -> Res<Vec<Value>> {
    let values = args.into_iter().map(|a| a.value).collect();
    let name = fl.cx.name(k);
    apply_operator(fl, scope, expr, k, &name, values).map(|v| vec![v])
}
