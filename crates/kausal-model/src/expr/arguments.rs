//! Arguments of calls: named and positional, and how many there may be.

use kausal_symbolic::Pool;
use kausal_symbolic::function::Array;
use kausal_syntax::ast::{Arg, ClassKind};
use kausal_syntax::{Ast, Symbol, ast};

use crate::builtins::{Actual, Place, entry, is_clocked, is_state_machine};
use crate::class;
use crate::class::{Classes, MemberKind, Reported, Res};
use crate::expr::place;
use crate::flattener::Flattener;
use crate::ids::KlassId;
use crate::tree::Scope;
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

/// Names that are built in, whatever is in scope.
pub fn is_builtin(name: &str) -> bool {
    entry(name).is_some_and(|entry| entry.place != Place::Statement)
        || is_clocked(name)
        || is_state_machine(name)
}

/// Arguments by position or name.
pub fn named_args<const N: usize>(
    fl: &mut Flattener<'_>,
    c: Call<'_>,
    names: [&str; N],
) -> Res<[ast::ExprId; N]> {
    let mut found = [None; N];
    for (i, arg) in c.args.iter().enumerate() {
        let at = match arg.name {
            Some(name) => names.iter().position(|n| *n == name.symbol.as_str()),
            None => Some(i),
        };
        match at {
            Some(at) if at < N && found[at].is_none() => found[at] = Some(arg.value),
            _ => return Err(wrong_args(fl, c)),
        }
    }
    let mut out = [c.expr; N];
    for (to, from) in out.iter_mut().zip(found) {
        *to = from.ok_or(()).map_err(|()| wrong_args(fl, c))?;
    }
    Ok(out)
}

/// An integer constant.
pub fn integer(pool: &mut Pool, value: f64) -> Value {
    let e = pool.constant(value);
    Value::scalar(Ty::Integer, e)
}

/// Checks the number of arguments.
pub fn arity(fl: &mut Flattener<'_>, c: Call<'_>, min: usize, max: usize) -> Res<()> {
    if (min..=max).contains(&c.args.len()) { Ok(()) } else { Err(wrong_args(fl, c)) }
}

/// Reports arguments a built-in function cannot take.
pub fn wrong_args(fl: &mut Flattener<'_>, c: Call<'_>) -> Reported {
    let message = format!("{} cannot be called with these arguments", c.name);
    let location = fl.cx.lib.location(c.scope.file, c.ast.span(c.expr));
    let mut diagnostic = kausal_syntax::Diagnostic::error("K0351", message).at(location, "");
    diagnostic = place::with_declarations(fl, diagnostic, c.scope, &[c.expr]);
    if let Some(usage) = usage(c.name) {
        diagnostic = diagnostic.help(format!("it is called as {usage}"));
    }
    fl.cx.report(diagnostic)
}

/// What the table of built-in functions wants to know of an argument.
pub(crate) fn actual(value: &Value) -> Actual {
    Actual {
        ty: value.ty(),
        record: matches!(value, Value::Record(_)),
        rank: value.rank(),
        text: value.describe(),
    }
}

/// How built-in functions are called.
pub(crate) fn usage(name: &str) -> Option<&'static str> {
    entry(name).and_then(|entry| entry.usage)
}

/// An argument with its value.
#[derive(Clone, Debug)]
pub struct ValueArg {
    /// Given by name.
    pub name: Option<Symbol>,
    /// Its value.
    pub value: Value,
}

/// The functions of an operator of an operator record: the operator itself, or all it holds.
pub fn operator_functions(cx: &mut Classes, k: KlassId) -> Vec<KlassId> {
    match cx.deep_kind(k) {
        ClassKind::Function | ClassKind::OperatorFunction => vec![k],
        _ => {
            let Ok(members) = cx.members(k) else { return Vec::new() };
            let mut out = Vec::new();
            for member in &members.items {
                if matches!(member.kind, MemberKind::Class(_))
                    && let Some(class::Found::Class(f)) = cx.step(k, member.name)
                {
                    out.push(f);
                }
            }
            out
        }
    }
}

/// An array of records of any rank as a vector.
pub fn flatten_record_array(value: &Value) -> Value {
    match value {
        Value::Record(record) => {
            let count: usize = record.shape.iter().product();
            let rank = record.shape.len();
            let fields = record.fields.iter().map(|(n, v)| (*n, flatten_front(v, rank, count))).collect();
            Value::Record(Box::new(RecordValue { klass: record.klass, shape: vec![count], fields }))
        }
        other => flatten_front(other, other.rank(), other.shape().iter().product()),
    }
}

pub(crate) fn flatten_front(value: &Value, rank: usize, count: usize) -> Value {
    match value {
        Value::Plain(ty, array) => {
            let mut shape = vec![count];
            shape.extend_from_slice(&array.shape()[rank..]);
            match Array::from_vec(&shape, array.data().to_vec()) {
                Ok(array) => Value::Plain(*ty, array),
                Err(_) => value.clone(),
            }
        }
        Value::Record(record) => {
            let mut shape = vec![count];
            shape.extend_from_slice(&record.shape[rank..]);
            let fields = record.fields.iter().map(|(n, v)| (*n, flatten_front(v, rank, count))).collect();
            Value::Record(Box::new(RecordValue { klass: record.klass, shape, fields }))
        }
        other => other.clone(),
    }
}
