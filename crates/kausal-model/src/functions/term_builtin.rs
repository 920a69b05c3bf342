//! Calls of built-in functions inside functions. What is allowed is in the table of built-in functions; here it becomes
//! terms.

use kausal_symbolic::Op;
use kausal_symbolic::function::array::{MAX_TEXT, as_size};
use kausal_symbolic::function::text::{TextFormat, format_number};
use kausal_symbolic::function::{ArrayFn, Scalar, Term, TermId};
use kausal_syntax::ast::Arg;
use kausal_syntax::{Ast, Diagnostic, ast};

use crate::builtins;
use crate::builtins::{Actual, Entry, Misfit, Need, entry, string_option};
use crate::class::{Classes, Reported, Res};
use crate::expr::builtin;
use crate::expr::overload::ArgType;
use crate::expr::string::padded;
use crate::flattener::Flattener;
use crate::functions::context::Lower;
use crate::functions::table::TVal;
use crate::functions::term::choose;
use crate::functions::{table, term};
use crate::value::{Ty, scalar_of};

/// A call of a built-in function.
pub(super) fn lower_builtin(
    fl: &mut Flattener<'_>,
    lo: &mut Lower,
    ast: &Ast,
    expr: ast::ExprId,
    name: &str,
    args: &[Arg],
) -> Res<TVal> {
    let entry = match entry(name) {
        Some(entry) if entry.place == builtins::Place::Anywhere => entry,
        // What belongs to variables and to the run, not to values: evaluated outside, as in equations.
        _ => return fl.lower_event(lo, ast, expr, name, args),
    };
    if name == "getInstanceName" && args.is_empty() {
        let text = builtin::instance_name(fl, lo.outer.as_ref().map(|outer| outer.scope.inst));
        return Ok(table::TVal::Plain { ty: Ty::String, rank: 0, term: lo.term(Term::Text(text)) });
    }
    if !entry.takes(args.len()) {
        return Err(self::misfit(fl.cx, lo, expr, entry, Misfit::Arguments));
    }
    let silent = matches!(name, "noEvent" | "smooth");
    if let Some(outer) = lo.outer.as_mut().filter(|_| silent) {
        outer.silence(true);
    }
    let in_pure = std::mem::replace(&mut fl.functions.in_pure, name == "pure");
    let values: Res<Vec<TVal>> = args.iter().map(|arg| term::lower_expr(fl, lo, arg.value)).collect();
    fl.functions.in_pure = in_pure;
    if let Some(outer) = lo.outer.as_mut().filter(|_| silent) {
        outer.silence(false);
    }
    let values = values?;
    if let Err(misfit) = entry.check(&values.iter().map(actual).collect::<Vec<_>>()) {
        return Err(self::misfit(fl.cx, lo, expr, entry, misfit));
    }
    check_known(fl, lo, expr, entry, &values)?;
    if name == "array" {
        return term::lower_construct(fl, lo, expr, &values);
    }
    match builtin_terms(fl.cx, lo, entry, args, &values) {
        Some(value) => Ok(value),
        None => Err(self::misfit(fl.cx, lo, expr, entry, Misfit::Arguments)),
    }
}

/// Reports a call that the table of built-in functions does not allow.
fn misfit(cx: &mut Classes, lo: &Lower, expr: ast::ExprId, entry: &Entry, misfit: Misfit) -> Reported {
    let span = cx.lib.ast_ref(lo.file).span(expr);
    let location = cx.lib.location(lo.file, span);
    let usage = entry.usage.filter(|_| misfit == Misfit::Arguments);
    let mut diagnostic = Diagnostic::error(misfit.code(), misfit.message(entry.name)).at(location, "");
    if let Some(usage) = usage {
        diagnostic = diagnostic.help(format!("it is called as {usage}"));
    }
    cx.report(diagnostic)
}

/// Numbers that are written down: sizes, dimensions and divisors that make no sense.
fn check_known(
    fl: &mut Flattener<'_>,
    lo: &Lower,
    expr: ast::ExprId,
    entry: &Entry,
    values: &[TVal],
) -> Res<()> {
    let known = |value: &TVal| match value {
        table::TVal::Plain { rank: 0, term, .. } => match lo.function.terms[term.0 as usize] {
            Term::Const(x) => Some(x),
            _ => None,
        },
        _ => None,
    };
    for (i, value) in values.iter().enumerate() {
        let Some(x) = known(value) else {
            // A number that is not written down must be an Integer.
            if entry.need(i) == Need::Size && matches!(value, table::TVal::Plain { ty: Ty::Real, .. }) {
                return Err(misfit(fl.cx, lo, expr, entry, Misfit::Arguments));
            }
            continue;
        };
        if entry.need(i) == Need::Size
            && entry.name != "size"
            && let Err(e) = as_size("a size", x)
        {
            return Err(term::at_term(fl, lo, expr, "K0312", e.to_string()));
        }
        if i == 1 && x == 0.0 && matches!(entry.name, "div" | "mod" | "rem") {
            let message = format!("{} divides by zero", entry.name);
            return Err(term::at_term(fl, lo, expr, "K0329", message));
        }
    }
    let rank = values.first().map_or(0, table::TVal::rank);
    match (entry.name, values.get(1).and_then(known)) {
        ("size", Some(d)) if d < 1.0 || d > rank as f64 => {
            let message = format!("there is no dimension {d}: the argument has {rank}");
            Err(term::at_term(fl, lo, expr, "K0350", message))
        }
        ("promote", Some(n)) if n < rank as f64 => {
            let text = values[0].describe();
            let message = format!("promote needs not more dimensions than it is promoted to, not {text}");
            Err(misfit(fl.cx, lo, expr, entry, Misfit::Dimensions(message)))
        }
        ("cat", _) if values.first().and_then(known) == Some(0.0) => {
            Err(misfit(fl.cx, lo, expr, entry, Misfit::Arguments))
        }
        _ => Ok(()),
    }
}

/// A call that the table of built-in functions allows.
fn builtin_terms(
    cx: &mut Classes,
    lo: &mut Lower,
    entry: &Entry,
    args: &[Arg],
    values: &[TVal],
) -> Option<TVal> {
    let name = entry.name;
    let types: Vec<Option<Ty>> = values.iter().map(|v| actual(v).ty).collect();
    let ty = entry.result(&types);
    let plain = |rank, term| Some(table::TVal::Plain { ty, rank, term });
    let first = values.first();
    let all: Option<Vec<TermId>> = values
        .iter()
        .map(|v| match v {
            table::TVal::Plain { term, .. } => Some(*term),
            _ => None,
        })
        .collect();
    let rank = values.iter().map(table::TVal::rank).max().unwrap_or(0);
    if let Some(op) = kausal_symbolic::function::externals::builtin_op(name)
        && !(matches!(name, "min" | "max") && values.len() == 1)
    {
        return plain(rank, lo.term(Term::Op(op, all?)));
    }
    let mut array = |f: ArrayFn, rank: usize| plain(rank, lo.term(Term::Array(f, all.clone()?)));
    match name {
        "Integer" | "Real" | "Boolean" => plain(rank, *all?.first()?),
        "pure" | "noEvent" => first.cloned(),
        "smooth" => values.get(1).cloned(),
        "homotopy" => {
            let actual =
                args.iter().position(|a| a.name.is_some_and(|n| n.symbol.as_str() == "actual")).unwrap_or(0);
            values.get(actual).cloned()
        }
        "min" => array(ArrayFn::MinOf, 0),
        "max" => array(ArrayFn::MaxOf, 0),
        "sum" => array(ArrayFn::Sum, 0),
        "product" => array(ArrayFn::ProductOf, 0),
        "scalar" => Some(
            first?.map(-(first?.rank() as isize), &mut |t, _| lo.term(Term::Array(ArrayFn::Scalar, vec![t]))),
        ),
        "vector" => array(ArrayFn::Vector, 1),
        "matrix" => array(ArrayFn::Matrix, 2),
        "transpose" => array(ArrayFn::Transpose, rank),
        "symmetric" => array(ArrayFn::Symmetric, 2),
        "diagonal" => array(ArrayFn::Diagonal, 2),
        "skew" => array(ArrayFn::Skew, 2),
        "identity" => array(ArrayFn::Identity, 2),
        "cross" => array(ArrayFn::Cross, 1),
        "outerProduct" => array(ArrayFn::OuterProduct, 2),
        "linspace" => array(ArrayFn::Linspace, 1),
        "zeros" | "ones" => {
            let mut list = vec![lo.term(Term::Const(if name == "ones" { 1.0 } else { 0.0 }))];
            list.extend(all?);
            plain(list.len() - 1, lo.term(Term::Array(ArrayFn::Fill, list)))
        }
        "fill" => {
            let sizes: Vec<TermId> = values.iter().skip(1).filter_map(table::TVal::any_term).collect();
            Some(first?.map(sizes.len() as isize, &mut |t, _| {
                let mut list = vec![t];
                list.extend_from_slice(&sizes);
                lo.term(Term::Array(ArrayFn::Fill, list))
            }))
        }
        "cat" => {
            let parts = types.iter().skip(1).copied();
            let ty = parts.reduce(|a, b| a?.join(b?)).flatten()?;
            let rank = values.iter().skip(1).map(table::TVal::rank).fold(1, usize::max);
            Some(table::TVal::Plain { ty, rank, term: lo.term(Term::Array(ArrayFn::Cat, all?)) })
        }
        "promote" => {
            let rank = match lo.function.terms[all.as_ref()?.get(1)?.0 as usize] {
                Term::Const(n) => n as usize,
                _ => return None,
            };
            plain(rank, lo.term(Term::Array(ArrayFn::Promote, all?)))
        }
        "size" => {
            let array = first?.any_term()?;
            match values.get(1).and_then(table::TVal::any_term) {
                Some(d) => plain(0, lo.term(Term::Array(ArrayFn::SizeOf, vec![array, d]))),
                None => plain(1, lo.term(Term::Array(ArrayFn::Size, vec![array]))),
            }
        }
        "ndims" => plain(0, lo.term(Term::Const(first?.rank() as f64))),
        "semiLinear" => {
            let t = all?;
            let [x, a, b] = t[..] else { return None };
            let zero = lo.term(Term::Const(0.0));
            let c = lo.term(Term::Op(Op::LessEqual, vec![zero, x]));
            let xa = lo.term(Term::Op(Op::Mul, vec![x, a]));
            let xb = lo.term(Term::Op(Op::Mul, vec![x, b]));
            plain(rank, lo.term(Term::Op(Op::If, vec![c, xa, xb])))
        }
        "String" => string_term(cx, lo, args, values),
        _ => None,
    }
}

fn string_term(cx: &mut Classes, lo: &mut Lower, args: &[Arg], values: &[TVal]) -> Option<TVal> {
    let table::TVal::Plain { ty, rank: 0, term } = values.first()? else { return None };
    let mut options: [Option<TermId>; 3] = [None; 3];
    let mut format = None;
    for (i, (arg, value)) in args.iter().zip(values).enumerate().skip(1) {
        let table::TVal::Plain { term, .. } = value else { return None };
        match string_option(i, arg.name.map(|n| n.symbol.as_str()), Some(*ty), &actual(value))? {
            3 => format = Some(*term),
            n => options[n] = Some(*term),
        }
    }
    if let Ty::Enumeration(e) = ty
        && let ast::ClassBody::Enumeration(Some(literals)) = &cx.lib.class(e.def).body
    {
        let number = |option: Option<TermId>| match lo.function.terms[option?.0 as usize] {
            Term::Const(x) => Some(x),
            _ => None,
        };
        let (width, left) = (number(options[1]), number(options[2]));
        // One text for each literal: what is too long is refused, not cut.
        if width.is_some_and(|width| width * literals.len() as f64 > MAX_TEXT as f64) {
            return None;
        }
        let names: Vec<String> =
            literals.iter().map(|l| padded(l.name.symbol.as_str(), width, left)).collect();
        let mut value: Option<TVal> = None;
        for (i, name) in names.into_iter().enumerate().rev() {
            let text = table::TVal::Plain { ty: Ty::String, rank: 0, term: lo.term(Term::Text(name)) };
            value = Some(match value {
                None => text,
                Some(rest) => {
                    let ordinal = lo.term(Term::Const((i + 1) as f64));
                    let here = lo.term(Term::Op(Op::Equal, vec![*term, ordinal]));
                    choose(lo, here, &text, &rest)?
                }
            });
        }
        return value;
    }
    if let Some(text) = written(lo, *term, scalar_of(*ty), options, format) {
        return Some(table::TVal::Plain { ty: Ty::String, rank: 0, term: lo.term(Term::Text(text)) });
    }
    let mut list = vec![*term];
    if let Some(format) = format {
        list.push(format);
    } else if options.iter().any(Option::is_some) {
        for (option, default) in options.into_iter().zip([6.0, 0.0, 1.0]) {
            list.push(option.unwrap_or_else(|| lo.term(Term::Const(default))));
        }
    }
    Some(table::TVal::Plain { ty: Ty::String, rank: 0, term: lo.term(Term::Array(ArrayFn::ToString, list)) })
}

/// What the table of built-in functions wants to know of an argument.
fn actual(value: &TVal) -> Actual {
    let ArgType { ty, record, rank } = arg_type(value);
    Actual { ty, record: record.is_some(), rank, text: value.describe() }
}

/// A known number as `String` writes it; a number alone no longer tells its type.
fn written(
    lo: &Lower,
    value: TermId,
    kind: Scalar,
    options: [Option<TermId>; 3],
    format: Option<TermId>,
) -> Option<String> {
    let term = |id: TermId| &lo.function.terms[id.0 as usize];
    let Term::Const(x) = *term(value) else { return None };
    let mut numbers = [None; 3];
    for (number, option) in numbers.iter_mut().zip(options) {
        *number = match option.map(term) {
            None => None,
            Some(Term::Const(x)) => Some(*x),
            Some(_) => return None,
        };
    }
    let format = match format.map(term) {
        None => TextFormat::Options(numbers),
        Some(Term::Text(text)) => TextFormat::C(text.as_str().into()),
        Some(_) => return None,
    };
    format_number(x, kind, &format).ok()
}

/// The type of an argument.
pub(crate) fn arg_type(value: &TVal) -> ArgType {
    match value {
        table::TVal::Plain { ty, rank, .. } => ArgType { ty: Some(*ty), record: None, rank: *rank },
        table::TVal::Record { klass, rank, .. } => ArgType { ty: None, record: Some(*klass), rank: *rank },
        _ => ArgType { ty: None, record: None, rank: 0 },
    }
}
