//! Strings in equations: what is known is joined at once, the rest becomes a small function that is called
//! with the numbers (specification section 3.7.1.2).

use kausal_symbolic::function::array::MAX_TEXT;
use kausal_symbolic::function::text::{TextFormat, format_number};
use kausal_symbolic::function::{
    Array, ArrayFn, Body, Dim, Function, Local, LocalId, Scalar, Stmt, Target, Term, TermId,
};
use kausal_symbolic::{ExprId, Node as Expression, Op, Pool};
use kausal_syntax::ast;

use crate::builtins::string_option;
use crate::class::Res;
use crate::expr::arguments::{Call, actual};
use crate::expr::{arguments, overload, place};
use crate::flattener::Flattener;
use crate::tree::Scope;
use crate::value::{Ty, Value, scalar_of};

/// `a + b` of strings.
pub(super) fn concat(
    fl: &mut Flattener<'_>,
    scope: Scope,
    at: ast::ExprId,
    x: &Array<ExprId>,
    y: &Array<ExprId>,
) -> Res<Value> {
    if x.shape() != y.shape() {
        return Err(place::at_expr(
            fl,
            scope,
            at,
            "K0332",
            "arrays of strings must have equal sizes to be joined",
        ));
    }
    let mut data = Vec::with_capacity(x.len());
    for (&a, &b) in x.data().iter().zip(y.data()) {
        if text_length(&fl.pool, a) + text_length(&fl.pool, b) > MAX_TEXT {
            let message = format!("this makes a string of more than {MAX_TEXT} bytes");
            return Err(place::at_expr(fl, scope, at, "K0386", message));
        }
        data.push(concat_scalars(fl, a, b));
    }
    let result = Array::from_vec(x.shape(), data);
    place::array_result(fl, scope, at, Ty::String, result)
}

fn text_length(pool: &Pool, e: ExprId) -> usize {
    match pool.node(e) {
        Expression::Text(t) => pool.text_of(t).len(),
        _ => 0,
    }
}

fn concat_scalars(fl: &mut Flattener<'_>, a: ExprId, b: ExprId) -> ExprId {
    match (fl.pool.node(a), fl.pool.node(b)) {
        (Expression::Text(x), Expression::Text(y)) => {
            let joined = format!("{}{}", fl.pool.text_of(x), fl.pool.text_of(y));
            fl.pool.text(&joined)
        }
        _ => text_function(fl, "+", ArrayFn::Concat, &[(a, Scalar::String), (b, Scalar::String)]),
    }
}

/// A function of scalars with one string as its result, and its call.
fn text_function(fl: &mut Flattener<'_>, name: &str, f: ArrayFn, args: &[(ExprId, Scalar)]) -> ExprId {
    let kinds: Vec<Scalar> = args.iter().map(|a| a.1).collect();
    let key = (name.to_owned(), kinds);
    let id = match fl.functions.texts.get(&key) {
        Some(&id) => id,
        None => {
            let mut function = Function { name: format!("String{name}"), ..Function::default() };
            for (i, (_, scalar)) in args.iter().enumerate() {
                let local =
                    Local { name: format!("u{}", i + 1), scalar: *scalar, dims: Vec::new(), initial: None };
                function.locals.push(local);
                function.inputs.push(LocalId(i as u32));
                function.terms.push(Term::Local(LocalId(i as u32)));
            }
            let out = LocalId(args.len() as u32);
            function.locals.push(Local {
                name: "y".to_owned(),
                scalar: Scalar::String,
                dims: Vec::<Dim>::new(),
                initial: None,
            });
            function.outputs.push(out);
            let inputs = (0..args.len() as u32).map(TermId).collect();
            function.terms.push(Term::Array(f, inputs));
            let value = TermId(args.len() as u32);
            let target = Target { local: out, subscripts: Vec::new() };
            function.body = Body::Algorithm(vec![Stmt::Assign(target, value)]);
            let id = fl.pool.add_function(function);
            fl.functions.texts.insert(key, id);
            id
        }
    };
    let args: Vec<ExprId> = args.iter().map(|a| a.0).collect();
    let call = fl.pool.call(id, &args);
    fl.pool.output(call, 0)
}

/// `String(value, …)`
pub(super) fn builtin_string(fl: &mut Flattener<'_>, c: Call<'_>) -> Res<Value> {
    let mut value = None;
    let mut options: [Option<ExprId>; 3] = [None; 3];
    let mut format = None;
    for (i, arg) in c.args.iter().enumerate() {
        let v = fl.eval(c.scope, arg.value)?;
        if i == 0 && arg.name.is_none() {
            value = Some(v);
            continue;
        }
        let of = value.as_ref().and_then(Value::ty);
        match string_option(i, arg.name.map(|n| n.symbol.as_str()), of, &actual(&v)) {
            Some(3) => format = v.as_scalar(),
            Some(n) => options[n] = v.as_scalar(),
            None => return Err(arguments::wrong_args(fl, c)),
        }
    }
    let Some(value) = value else { return Err(arguments::wrong_args(fl, c)) };
    if matches!(value, Value::Record(_)) {
        return overload::overloaded_string(fl, c, value);
    }
    let (Some(ty), Some(e)) = (value.ty(), value.as_scalar()) else {
        return Err(arguments::wrong_args(fl, c));
    };
    if ty == Ty::String {
        return Ok(value);
    }
    if let Ty::Enumeration(enumeration) = ty
        && let ast::ClassBody::Enumeration(Some(literals)) = &fl.cx.lib.class(enumeration.def).body
    {
        let names: Vec<String> = literals.iter().map(|l| l.name.symbol.as_str().to_owned()).collect();
        let known = |option: Option<ExprId>| option.and_then(|o| fl.pool.as_constant(o));
        let (width, left) = (known(options[1]), known(options[2]));
        // One text for each literal.
        if width.is_some_and(|width| width * names.len() as f64 > MAX_TEXT as f64) {
            let message = format!("this makes strings of more than {MAX_TEXT} bytes");
            return Err(place::at_expr(fl, c.scope, c.expr, "K0386", message));
        }
        let texts: Vec<String> = names.iter().map(|name| padded(name, width, left)).collect();
        return Ok(Value::scalar(Ty::String, literal_text(&mut fl.pool, e, &texts)));
    }
    let kind = scalar_of(ty);
    let known: Option<Vec<Option<f64>>> =
        options.iter().map(|o| o.map_or(Some(None), |e| fl.pool.as_constant(e).map(Some))).collect();
    let fixed_format = format.map(|f| match fl.pool.node(f) {
        Expression::Text(t) => Some(fl.pool.text_of(t).to_owned()),
        _ => None,
    });
    if let (Some(x), Some(known)) = (fl.pool.as_constant(e), known) {
        let text_format = match fixed_format {
            Some(Some(text)) => Some(TextFormat::C(text.as_str().into())),
            Some(None) => None,
            None => Some(TextFormat::Options([known[0], known[1], known[2]])),
        };
        // One that is too long is an error of the run.
        if let Some(Ok(text)) = text_format.map(|text_format| format_number(x, kind, &text_format)) {
            let text = fl.pool.text(&text);
            return Ok(Value::scalar(Ty::String, text));
        }
    }
    let mut args = vec![(e, kind)];
    if let Some(format) = format {
        args.push((format, Scalar::String));
    } else if options.iter().any(Option::is_some) {
        let defaults = [(6.0, Scalar::Integer), (0.0, Scalar::Integer), (1.0, Scalar::Boolean)];
        for (option, (default, scalar)) in options.into_iter().zip(defaults) {
            let e = option.unwrap_or_else(|| fl.pool.constant(default));
            args.push((e, scalar));
        }
    }
    let e = text_function(fl, "", ArrayFn::ToString, &args);
    Ok(Value::scalar(Ty::String, e))
}

/// The text of an enumeration value: one of those of its literals.
fn literal_text(pool: &mut Pool, e: ExprId, texts: &[String]) -> ExprId {
    if let Some(x) = pool.as_constant(e)
        && let Some(text) = texts.get((x as usize).wrapping_sub(1))
    {
        return pool.text(text);
    }
    let mut value = pool.text(texts.last().map_or("", String::as_str));
    for (i, text) in texts.iter().enumerate().rev().skip(1) {
        let ordinal = pool.constant((i + 1) as f64);
        let here = pool.op(Op::Equal, &[e, ordinal]);
        let text = pool.text(text);
        value = pool.op(Op::If, &[here, text, value]);
    }
    value
}

/// A text with the least length asked for, on the left unless that is not wanted (specification section 3.7.2).
pub fn padded(text: &str, width: Option<f64>, left: Option<f64>) -> String {
    let width = (width.unwrap_or(0.0).max(0.0) as usize).min(MAX_TEXT);
    let blanks = " ".repeat(width.saturating_sub(text.chars().count()));
    if left == Some(0.0) { blanks + text } else { text.to_owned() + &blanks }
}
