//! Expressions of functions: from syntax to terms.
//!
//! Types and numbers of dimensions are known here, sizes are not. A record is the list of its fields.

use kausal_symbolic::function::{ArrayFn, Reduction, Subscript, Term, TermId};
use kausal_symbolic::{Op, Pool};
use kausal_syntax::ast::{BinaryOp, ComponentRef, Expr, RefPart, UnaryOp};
use kausal_syntax::{Ast, ast};

use crate::class::{Reported, Res};
use crate::expr::place;
use crate::expr::place::operator_text;
use crate::expr::reference::Cursor;
use crate::flattener::Flattener;
use crate::functions::context::Lower;
use crate::functions::table;
use crate::functions::table::TVal;
use crate::tree::Scope;
use crate::value::{Ty, Value};
use crate::{bindings, class, fold, ids, instance, spending};

/// Reports at an expression of a function.
pub(super) fn at_term(
    fl: &mut Flattener<'_>,
    lo: &Lower,
    expr: ast::ExprId,
    code: &'static str,
    message: impl Into<String>,
) -> Reported {
    let span = fl.cx.lib.ast_ref(lo.file).span(expr);
    fl.error_at(code, message, lo.file, span)
}

/// An expression of a function.
pub fn lower_expr(fl: &mut Flattener<'_>, lo: &mut Lower, expr: ast::ExprId) -> Res<TVal> {
    if fl.depth > 1500 {
        return Err(at_term(fl, lo, expr, "K0304", "the expression is nested too deeply"));
    }
    if !fl.budget.pay(1) {
        let span = fl.cx.lib.ast_ref(lo.file).span(expr);
        return Err(spending::broke(fl, Some((lo.file, span))));
    }
    fl.depth += 1;
    let value = lower_inner(fl, lo, expr);
    fl.depth -= 1;
    value
}

fn lower_inner(fl: &mut Flattener<'_>, lo: &mut Lower, expr: ast::ExprId) -> Res<TVal> {
    let ast = fl.cx.lib.ast(lo.file);
    let plain = |ty, rank, term| Ok(table::TVal::Plain { ty, rank, term });
    match ast.exprs[expr] {
        Expr::Integer(i) => plain(Ty::Integer, 0, lo.term(Term::Const(i as f64))),
        Expr::Real(x) => plain(Ty::Real, 0, lo.term(Term::Const(x))),
        Expr::Boolean(b) => plain(Ty::Boolean, 0, lo.term(Term::Const(f64::from(u8::from(b))))),
        Expr::String(s) => plain(Ty::String, 0, lo.term(Term::Text(ast.string(s).into_owned()))),
        Expr::Ref(reference) => lower_ref(fl, lo, &ast, &reference),
        Expr::Unary(op, a) => lower_unary(fl, lo, expr, op, a),
        Expr::Binary(..) => {
            let mut spine = Vec::new();
            let mut at = expr;
            while let Expr::Binary(op, a, b) = ast.exprs[at] {
                spine.push((at, op, b));
                at = a;
            }
            let mut value = lower_expr(fl, lo, at);
            while let Some((at, op, b)) = spine.pop() {
                let right = lower_expr(fl, lo, b);
                value = match (value, right) {
                    (Ok(value), Ok(right)) => lower_binary(fl, lo, at, op, value, right),
                    _ => Err(Reported),
                };
            }
            value
        }
        Expr::If { branches, otherwise } => lower_if(fl, lo, ast.lists.branches.get(branches), otherwise),
        Expr::Range { start, step, stop } => lower_range(fl, lo, expr, start, step, stop),
        Expr::Call { function, args } => {
            let args = ast.lists.args.get(args);
            fl.lower_call(lo, &ast, expr, &function, args)
        }
        Expr::CallFor { function, body, iterators } => {
            let name = place::ref_text(&ast, &function);
            let reduction = match name.as_str() {
                "sum" => Reduction::Sum,
                "product" => Reduction::Product,
                "min" => Reduction::Min,
                "max" => Reduction::Max,
                "array" => Reduction::Array,
                _ => {
                    let message =
                        format!("{name} is not a reduction: sum, product, min, max or array is needed");
                    return Err(at_term(fl, lo, expr, "K0347", message));
                }
            };
            fl.lower_reduction(lo, &ast, reduction, body, ast.lists.iterators.get(iterators))
        }
        Expr::ArrayFor { body, iterators } => {
            fl.lower_reduction(lo, &ast, Reduction::Array, body, ast.lists.iterators.get(iterators))
        }
        Expr::Function { function, args } => {
            let klass = fl.cx.lookup_name(lo.klass, &ast, lo.file, function)?;
            let mut bound = Vec::new();
            for arg in ast.lists.args.get(args) {
                if let Some(name) = arg.name {
                    bound.push((name.symbol, lower_expr(fl, lo, arg.value)?));
                }
            }
            Ok(table::TVal::Function { klass, bound })
        }
        Expr::Array(items) => {
            let mut values = Vec::with_capacity(items.len());
            for &item in ast.lists.exprs.get(items) {
                values.push(lower_expr(fl, lo, item)?);
            }
            lower_construct(fl, lo, expr, &values)
        }
        Expr::Matrix(rows) => lower_matrix(fl, lo, &ast, expr, ast.lists.rows.get(rows)),
        Expr::Tuple(items) => match ast.lists.exprs.get(items) {
            [one] => lower_expr(fl, lo, *one),
            _ => Err(at_term(fl, lo, expr, "K0305", "a list of receivers is not a value")),
        },
        Expr::End => match lo.ends.last() {
            Some(&(array, dimension)) => {
                let d = lo.term(Term::Const(dimension as f64));
                plain(Ty::Integer, 0, lo.term(Term::Array(ArrayFn::SizeOf, vec![array, d])))
            }
            None => Err(at_term(fl, lo, expr, "K0306", "`end` has a meaning only inside subscripts")),
        },
        Expr::Missing => Ok(table::TVal::Nothing),
        Expr::Colon => {
            Err(at_term(fl, lo, expr, "K0307", "`:` has a meaning only as a subscript or dimension"))
        }
        Expr::Error => Err(Reported),
    }
}

/// A scalar of a type.
pub(super) fn lower_scalar(
    fl: &mut Flattener<'_>,
    lo: &mut Lower,
    expr: ast::ExprId,
    ty: Option<Ty>,
) -> Res<TermId> {
    match lower_expr(fl, lo, expr)? {
        table::TVal::Plain { ty: found, rank: 0, term } if ty.is_none_or(|t| t == found) => Ok(term),
        other => {
            let expected = ty.map_or("a scalar", Ty::text);
            let message = format!("{expected} is needed here, not {}", other.describe());
            Err(at_term(fl, lo, expr, "K0342", message))
        }
    }
}

fn lower_unary(
    fl: &mut Flattener<'_>,
    lo: &mut Lower,
    expr: ast::ExprId,
    op: UnaryOp,
    a: ast::ExprId,
) -> Res<TVal> {
    let value = lower_expr(fl, lo, a)?;
    match (op, &value) {
        (UnaryOp::Plus | UnaryOp::ElementPlus, table::TVal::Plain { ty, .. }) if ty.is_number() => Ok(value),
        (UnaryOp::Minus | UnaryOp::ElementMinus, table::TVal::Plain { ty, rank, term }) if ty.is_number() => {
            let term = match lo.function.terms[term.0 as usize] {
                Term::Const(x) => lo.term(Term::Const(-x)),
                _ => lo.term(Term::Op(Op::Neg, vec![*term])),
            };
            Ok(table::TVal::Plain { ty: *ty, rank: *rank, term })
        }
        (UnaryOp::Not, table::TVal::Plain { ty: Ty::Boolean, rank, term }) => {
            let term = lo.term(Term::Op(Op::Not, vec![*term]));
            Ok(table::TVal::Plain { ty: Ty::Boolean, rank: *rank, term })
        }
        (UnaryOp::Minus | UnaryOp::ElementMinus | UnaryOp::Not, table::TVal::Record { klass, .. }) => {
            let name = if op == UnaryOp::Not { "'not'" } else { "'-'" };
            fl.lower_overloaded(lo, expr, *klass, name, vec![value.clone()])
        }
        (_, table::TVal::Record { .. }) => Ok(value),
        _ => {
            let message = format!("the operator cannot be applied to {}", value.describe());
            Err(at_term(fl, lo, expr, "K0340", message))
        }
    }
}

pub(super) fn lower_binary(
    fl: &mut Flattener<'_>,
    lo: &mut Lower,
    at: ast::ExprId,
    op: BinaryOp,
    a: TVal,
    b: TVal,
) -> Res<TVal> {
    let (table::TVal::Plain { ty: ta, rank: ra, term: x }, table::TVal::Plain { ty: tb, rank: rb, term: y }) =
        (&a, &b)
    else {
        let name = format!("'{}'", operator_text(op).trim_start_matches('.'));
        return match (&a, &b) {
            (table::TVal::Record { klass, .. }, _) | (_, table::TVal::Record { klass, .. }) => {
                let klass = *klass;
                fl.lower_overloaded_arrays(lo, at, klass, op, &name, a, b)
            }
            _ => Err(cannot_term(fl, lo, at, op, &a, &b)),
        };
    };
    let (ta, tb, ra, rb, x, y) = (*ta, *tb, *ra, *rb, *x, *y);
    use BinaryOp::*;
    let rank = ra.max(rb);
    let fits = ra == rb || ra == 0 || rb == 0;
    let ordered = match op {
        Less => Some((Op::Less, [x, y])),
        LessEqual => Some((Op::LessEqual, [x, y])),
        Greater => Some((Op::Less, [y, x])),
        GreaterEqual => Some((Op::LessEqual, [y, x])),
        _ => None,
    };
    if let Some((op, sides)) = ordered
        && ta.is_number()
        && tb.is_number()
        && join(ta, tb) == Ty::Real
        && rank == 0
        && let Some(value) = fl.lower_relation(lo, op, &sides)?
    {
        return Ok(value);
    }
    let mut make = |ty, rank, op, args: Vec<TermId>| {
        let term = lo.term(Term::Op(op, args));
        Ok(table::TVal::Plain { ty, rank, term })
    };
    match op {
        And | Or if (ta, tb) == (Ty::Boolean, Ty::Boolean) && fits => {
            make(Ty::Boolean, rank, if op == And { Op::And } else { Op::Or }, vec![x, y])
        }
        Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual
            if ta.join(tb).is_some() && ra == 0 && rb == 0 =>
        {
            let (op, args) = match op {
                Less => (Op::Less, vec![x, y]),
                LessEqual => (Op::LessEqual, vec![x, y]),
                Greater => (Op::Less, vec![y, x]),
                GreaterEqual => (Op::LessEqual, vec![y, x]),
                NotEqual => (Op::NotEqual, vec![x, y]),
                _ => (Op::Equal, vec![x, y]),
            };
            make(Ty::Boolean, 0, op, args)
        }
        Add | ElementAdd if (ta, tb) == (Ty::String, Ty::String) && fits => {
            let term = lo.term(Term::Array(ArrayFn::Concat, vec![x, y]));
            Ok(table::TVal::Plain { ty: Ty::String, rank, term })
        }
        _ if !ta.is_number() || !tb.is_number() => Err(cannot_term(fl, lo, at, op, &a, &b)),
        Add | ElementAdd if fits && (op == ElementAdd || ra == rb) => {
            make(join(ta, tb), rank, Op::Add, vec![x, y])
        }
        Sub | ElementSub if fits && (op == ElementSub || ra == rb) => {
            let minus = lo.term(Term::Op(Op::Neg, vec![y]));
            let term = lo.term(Term::Op(Op::Add, vec![x, minus]));
            Ok(table::TVal::Plain { ty: join(ta, tb), rank, term })
        }
        Mul if ra == 0 || rb == 0 => make(join(ta, tb), rank, Op::Mul, vec![x, y]),
        Mul if ra <= 2 && rb <= 2 => {
            let rank = ra + rb - 2;
            let term = lo.term(Term::Array(ArrayFn::Product, vec![x, y]));
            Ok(table::TVal::Plain { ty: join(ta, tb), rank, term })
        }
        ElementMul if fits => make(join(ta, tb), rank, Op::Mul, vec![x, y]),
        Div if rb == 0 => make(Ty::Real, rank, Op::Div, vec![x, y]),
        ElementDiv if fits => make(Ty::Real, rank, Op::Div, vec![x, y]),
        Pow if ra == 0 && rb == 0 => make(Ty::Real, 0, Op::Pow, vec![x, y]),
        Pow if ra == 2 && rb == 0 => {
            let term = lo.term(Term::Array(ArrayFn::MatrixPower, vec![x, y]));
            Ok(table::TVal::Plain { ty: ta, rank: 2, term })
        }
        ElementPow if fits => make(Ty::Real, rank, Op::Pow, vec![x, y]),
        _ => Err(cannot_term(fl, lo, at, op, &a, &b)),
    }
}

fn cannot_term(
    fl: &mut Flattener<'_>,
    lo: &Lower,
    at: ast::ExprId,
    op: BinaryOp,
    a: &TVal,
    b: &TVal,
) -> Reported {
    let message = format!("{} cannot be applied to {} and {}", operator_text(op), a.describe(), b.describe());
    at_term(fl, lo, at, "K0340", message)
}

fn lower_if(
    fl: &mut Flattener<'_>,
    lo: &mut Lower,
    branches: &[(ast::ExprId, ast::ExprId)],
    otherwise: ast::ExprId,
) -> Res<TVal> {
    let Some((&(condition, then), rest)) = branches.split_first() else {
        return lower_expr(fl, lo, otherwise);
    };
    let c = lower_scalar(fl, lo, condition, Some(Ty::Boolean))?;
    if let Term::Const(known) = lo.function.terms[c.0 as usize] {
        return if known != 0.0 { lower_expr(fl, lo, then) } else { lower_if(fl, lo, rest, otherwise) };
    }
    let a = lower_expr(fl, lo, then)?;
    let b = lower_if(fl, lo, rest, otherwise)?;
    match choose(lo, c, &a, &b) {
        Some(value) => Ok(value),
        None => {
            let message = format!("the branches of `if` differ: {} and {}", a.describe(), b.describe());
            Err(at_term(fl, lo, then, "K0343", message))
        }
    }
}

fn lower_range(
    fl: &mut Flattener<'_>,
    lo: &mut Lower,
    expr: ast::ExprId,
    start: ast::ExprId,
    step: Option<ast::ExprId>,
    stop: ast::ExprId,
) -> Res<TVal> {
    let mut ty: Option<Ty> = None;
    let mut terms = Vec::with_capacity(3);
    for e in [Some(start), step, Some(stop)].into_iter().flatten() {
        match lower_expr(fl, lo, e)? {
            table::TVal::Plain { ty: t, rank: 0, term } => {
                terms.push(term);
                ty = Some(ty.map_or(t, |old| old.join(t).unwrap_or(old)));
            }
            other => {
                let message = format!("a range needs scalars, not {}", other.describe());
                return Err(at_term(fl, lo, expr, "K0344", message));
            }
        }
    }
    let term = lo.term(Term::Array(ArrayFn::Range, terms));
    Ok(table::TVal::Plain { ty: ty.unwrap_or(Ty::Integer), rank: 1, term })
}

/// `{a, b, …}`
pub(super) fn lower_construct(
    fl: &mut Flattener<'_>,
    lo: &mut Lower,
    expr: ast::ExprId,
    values: &[TVal],
) -> Res<TVal> {
    match values.first() {
        Some(table::TVal::Plain { ty, rank, .. }) => {
            let mut joined = *ty;
            let mut terms = Vec::with_capacity(values.len());
            for value in values {
                match value {
                    table::TVal::Plain { ty, rank: r, term } if r == rank && joined.join(*ty).is_some() => {
                        joined = join(joined, *ty);
                        terms.push(*term);
                    }
                    _ => {
                        return Err(at_term(
                            fl,
                            lo,
                            expr,
                            "K0331",
                            "the elements of an array have different types",
                        ));
                    }
                }
            }
            let term = lo.term(Term::Array(ArrayFn::Construct, terms));
            Ok(table::TVal::Plain { ty: joined, rank: rank + 1, term })
        }
        Some(table::TVal::Record { klass, rank, fields }) => {
            let mut out = Vec::with_capacity(fields.len());
            for (name, _) in fields {
                let column: Option<Vec<TVal>> = values.iter().map(|v| v.field(*name).cloned()).collect();
                let Some(column) = column else {
                    return Err(at_term(
                        fl,
                        lo,
                        expr,
                        "K0331",
                        "the elements of an array have different types",
                    ));
                };
                out.push((*name, lower_construct(fl, lo, expr, &column)?));
            }
            Ok(table::TVal::Record { klass: *klass, rank: rank + 1, fields: out })
        }
        _ => Err(at_term(fl, lo, expr, "K0345", "an array needs at least one element; use fill(…, 0)")),
    }
}

fn lower_matrix(
    fl: &mut Flattener<'_>,
    lo: &mut Lower,
    ast: &Ast,
    expr: ast::ExprId,
    rows: &[kausal_syntax::arena::List<ast::ExprId>],
) -> Res<TVal> {
    let mut lines = Vec::with_capacity(rows.len());
    for &row in rows {
        let items = ast.lists.exprs.get(row).iter();
        lines.push(items.map(|&item| lower_expr(fl, lo, item)).collect::<Res<Vec<TVal>>>()?);
    }
    match matrix(lo, &lines) {
        Some(value) => Ok(value),
        None => Err(at_term(fl, lo, expr, "K0331", "the elements of a matrix have different types")),
    }
}

/// A scope in which only constants are visible.
pub(super) fn constant_scope(fl: &mut Flattener<'_>, lo: &Lower) -> Scope {
    let inst = match &lo.outer {
        Some(outer) => outer.scope.inst,
        None => instance::static_inst(fl, lo.klass),
    };
    Scope { klass: lo.klass, inst, file: lo.file, locals: fl.locals.len() as u32 }
}

/// A reference: a variable of the function, or a constant from outside.
pub(super) fn lower_ref(
    fl: &mut Flattener<'_>,
    lo: &mut Lower,
    ast: &Ast,
    reference: &ComponentRef,
) -> Res<TVal> {
    let parts = ast.lists.parts.get(reference.parts);
    let Some(first) = parts.first() else { return Err(Reported) };
    if !reference.global
        && first.name.symbol.as_str() == "time"
        && parts.len() == 1
        && !lo.env.contains_key(&first.name.symbol)
    {
        if lo.outer.is_none() {
            let message = "time cannot be used in a function: give it as an argument";
            return Err(fl.error_at("K0382", message, lo.file, reference.span));
        }
        return fl.lower_time(lo);
    }
    if !reference.global
        && let Some(value) = lo.env.get(&first.name.symbol)
    {
        let value = value.clone();
        return lower_parts(fl, lo, ast, value, parts, 0);
    }
    if lo.outer.is_some() && !reference.global {
        return fl.lower_outer_ref(lo, ast, reference);
    }
    lower_constant_ref(fl, lo, ast, reference)
}

/// A reference to constants; subscripts may use variables of the function.
pub(crate) fn lower_constant_ref(
    fl: &mut Flattener<'_>,
    lo: &mut Lower,
    ast: &Ast,
    reference: &ComponentRef,
) -> Res<TVal> {
    let parts = ast.lists.parts.get(reference.parts);
    let scope = constant_scope(fl, lo);
    let split = parts.iter().position(|p| !p.subscripts.is_empty()).unwrap_or(parts.len() - 1);
    let mut prefix = parts[..=split].to_vec();
    prefix[split].subscripts = kausal_syntax::arena::List::EMPTY;
    let cursor = fl.resolve_prefix(scope, ast, reference, &prefix)?;
    let value = match cursor {
        Cursor::Inst(id) => match lo.constants.get(&id) {
            Some(value) => value.clone(),
            None => {
                check_constant_use(fl, lo, reference, id)?;
                let value = bindings::instance_value(fl, id)?;
                let value = embed_folded(fl, lo, reference, &value)?;
                lo.constants.insert(id, value.clone());
                value
            }
        },
        Cursor::Value(value) => embed_folded(fl, lo, reference, &value)?,
        Cursor::Class(klass, _) if split + 1 == parts.len() => {
            let kind = fl.cx.deep_kind(klass);
            if matches!(kind, ast::ClassKind::Function | ast::ClassKind::OperatorFunction) {
                return Ok(table::TVal::Function { klass, bound: Vec::new() });
            }
            let text = place::ref_text(ast, reference);
            let message = format!("{text} is a class, but a value is needed here");
            return Err(fl.error_at("K0204", message, lo.file, reference.span));
        }
        _ => {
            let text = place::ref_text(ast, reference);
            return Err(fl.error_at("K0204", format!("{text} is not a value"), lo.file, reference.span));
        }
    };
    lower_parts(fl, lo, ast, value, parts, split)
}

/// Of what is around a function only constants can be used in it (specification section 5.3.1): anything else would
/// need to know which component is meant.
fn check_constant_use(
    fl: &mut Flattener<'_>,
    lo: &Lower,
    reference: &ComponentRef,
    id: ids::InstId,
) -> Res<()> {
    let inst = fl.inst(id);
    if lo.outer.is_some() || !inst.is_static || inst.variability == ast::Variability::Constant {
        return Ok(());
    }
    let owner = inst.parent.map(|p| fl.inst(p).klass);
    if owner.is_none_or(|k| !class::is_model(fl.cx.deep_kind(k))) {
        return Ok(());
    }
    let path = fl.path(id);
    let message = format!("{path} is not a constant: a function can only use constants from outside");
    let location = fl.cx.lib.location(lo.file, reference.span);
    let diagnostic = kausal_syntax::Diagnostic::error("K0389", message)
        .at(location, "used here")
        .help("declare it `constant`, or give it to the function as an argument");
    Err(instance::report_at_decl(fl, id, diagnostic))
}

fn embed_folded(
    fl: &mut Flattener<'_>,
    lo: &mut Lower,
    reference: &ComponentRef,
    value: &Value,
) -> Res<TVal> {
    match fold::fold_value(fl, value) {
        Ok(value) => embed(&mut fl.pool, lo, &value),
        Err(why) => {
            let why = fold::explain(fl, why)?;
            let message = format!("a function can use only constants from outside, but this {why}");
            Err(fl.error_at("K0381", message, lo.file, reference.span))
        }
    }
}

/// Constants as terms.
pub(crate) fn embed(pool: &mut Pool, lo: &mut Lower, value: &Value) -> Res<TVal> {
    match value {
        Value::Plain(ty, array) => {
            let mut data = array.data().iter();
            let term = embed_array(pool, lo, array.shape(), &mut data);
            Ok(table::TVal::Plain { ty: *ty, rank: array.rank(), term })
        }
        Value::Record(record) => {
            let mut fields = Vec::with_capacity(record.fields.len());
            for (name, field) in &record.fields {
                fields.push((*name, embed(pool, lo, field)?));
            }
            Ok(table::TVal::Record { klass: record.klass, rank: record.shape.len(), fields })
        }
        Value::Function(f) => {
            let mut bound = Vec::new();
            for (name, value) in &f.bound {
                bound.push((*name, embed(pool, lo, value)?));
            }
            Ok(table::TVal::Function { klass: f.klass, bound })
        }
        Value::Nothing => Ok(table::TVal::Nothing),
    }
}

fn embed_array(
    pool: &mut Pool,
    lo: &mut Lower,
    shape: &[usize],
    data: &mut std::slice::Iter<'_, kausal_symbolic::ExprId>,
) -> TermId {
    let Some((&n, rest)) = shape.split_first() else {
        let Some(&e) = data.next() else { return lo.term(Term::Const(f64::NAN)) };
        return match pool.node(e) {
            kausal_symbolic::Node::Text(t) => {
                let text = pool.text_of(t).to_owned();
                lo.term(Term::Text(text))
            }
            kausal_symbolic::Node::Const(x) => lo.term(Term::Const(x)),
            _ => lo.term(Term::Const(f64::NAN)),
        };
    };
    if shape.contains(&0) {
        let mut args = vec![lo.term(Term::Const(0.0))];
        for &n in shape {
            args.push(lo.term(Term::Const(n as f64)));
        }
        return lo.term(Term::Array(ArrayFn::Fill, args));
    }
    let items = (0..n).map(|_| embed_array(pool, lo, rest, data)).collect();
    lo.term(Term::Array(ArrayFn::Construct, items))
}

/// Subscripts of part `from` and all further parts.
pub(super) fn lower_parts(
    fl: &mut Flattener<'_>,
    lo: &mut Lower,
    ast: &Ast,
    value: TVal,
    parts: &[RefPart],
    from: usize,
) -> Res<TVal> {
    lower_parts_from(fl, lo, ast, value, parts, from)
}

/// Subscripts of part `from` and all further parts, applied to the value of the parts before.
pub(crate) fn lower_parts_from(
    fl: &mut Flattener<'_>,
    lo: &mut Lower,
    ast: &Ast,
    value: TVal,
    parts: &[RefPart],
    from: usize,
) -> Res<TVal> {
    let mut value = value;
    for (i, part) in parts.iter().enumerate().skip(from) {
        let before = value.rank();
        if i > from {
            value = match value.field(part.name.symbol) {
                Some(field) => field.clone(),
                None => {
                    let message = format!("{} has no field {}", value.describe(), part.name.symbol);
                    return Err(fl.error_at("K0205", message, lo.file, part.name.span));
                }
            };
        }
        if !part.subscripts.is_empty() {
            // Subscripts of a field come behind the dimensions of the array of records.
            let front = if i > from { before } else { 0 };
            let (subs, scalars) = lower_subscripts(fl, lo, ast, part, &value, front)?;
            let mut all = vec![Subscript::All; front];
            all.extend(subs);
            value = value.map(-(scalars as isize), &mut |term, rank| {
                let mut subs = all.clone();
                subs.resize(rank.max(all.len()), Subscript::All);
                lo.term(Term::Index(term, subs))
            });
        }
    }
    Ok(value)
}

/// Subscripts of a part, the first of which is that of dimension `front + 1`, and how many are scalars.
pub(crate) fn lower_subscripts(
    fl: &mut Flattener<'_>,
    lo: &mut Lower,
    ast: &Ast,
    part: &RefPart,
    value: &TVal,
    front: usize,
) -> Res<(Vec<Subscript>, usize)> {
    let exprs = ast.lists.exprs.get(part.subscripts);
    if exprs.len() + front > value.rank() {
        let message =
            format!("{} has {} dimensions, but {} subscripts", part.name.symbol, value.rank(), exprs.len());
        return Err(fl.error_at("K0334", message, lo.file, part.name.span));
    }
    let whole = value.any_term();
    let mut subs = Vec::with_capacity(exprs.len());
    let mut scalars = 0;
    for (d, &expr) in exprs.iter().enumerate() {
        if matches!(ast.exprs[expr], Expr::Colon) {
            subs.push(Subscript::All);
            continue;
        }
        if let Some(whole) = whole {
            lo.ends.push((whole, front + d + 1));
        }
        let index = lower_expr(fl, lo, expr);
        if whole.is_some() {
            lo.ends.pop();
        }
        match index? {
            table::TVal::Plain { ty: ty @ (Ty::Integer | Ty::Boolean | Ty::Enumeration(_)), rank, term }
                if rank <= 1 =>
            {
                let term = if ty == Ty::Boolean {
                    let one = lo.term(Term::Const(1.0));
                    lo.term(Term::Op(Op::Add, vec![term, one]))
                } else {
                    term
                };
                scalars += usize::from(rank == 0);
                subs.push(Subscript::Index(term));
            }
            other => {
                let message = format!("a subscript must be an integer, not {}", other.describe());
                return Err(at_term(fl, lo, expr, "K0335", message));
            }
        }
    }
    Ok((subs, scalars))
}

/// The type of arithmetic on two numbers.
pub(super) fn join(a: Ty, b: Ty) -> Ty {
    a.join(b).unwrap_or(Ty::Real)
}

/// `[a, b; c, d]`, of records field by field; `None` if the types do not go together.
fn matrix(lo: &mut Lower, rows: &[Vec<TVal>]) -> Option<TVal> {
    if let Some(table::TVal::Record { klass, fields, .. }) = rows.first().and_then(|row| row.first()) {
        let mut out = Vec::with_capacity(fields.len());
        for (name, _) in fields {
            let column = |v: &TVal| {
                // Only fields without dimensions of their own: these stay behind those of the matrix.
                v.field(*name).filter(|f| f.rank() == v.rank()).cloned()
            };
            let columns: Option<Vec<Vec<TVal>>> =
                rows.iter().map(|row| row.iter().map(column).collect()).collect();
            out.push((*name, matrix(lo, &columns?)?));
        }
        return Some(table::TVal::Record { klass: *klass, rank: 2, fields: out });
    }
    let mut ty: Option<Ty> = None;
    let mut lines = Vec::with_capacity(rows.len());
    for row in rows {
        let mut terms = Vec::with_capacity(row.len());
        for item in row {
            let table::TVal::Plain { ty: t, rank, term } = item else { return None };
            ty = Some(match ty {
                None => *t,
                Some(old) => old.join(*t)?,
            });
            let two = lo.term(Term::Const(2.0));
            terms.push(match rank {
                0 | 1 => lo.term(Term::Array(ArrayFn::Promote, vec![*term, two])),
                _ => *term,
            });
        }
        lines.push(cat(lo, 2, terms));
    }
    let term = cat(lo, 1, lines);
    Some(table::TVal::Plain { ty: ty?, rank: 2, term })
}

/// `cat(dimension, …)`
pub(super) fn cat(lo: &mut Lower, dimension: usize, parts: Vec<TermId>) -> TermId {
    if let [one] = parts[..] {
        return one;
    }
    let mut args = vec![lo.term(Term::Const(dimension as f64))];
    args.extend(parts);
    lo.term(Term::Array(ArrayFn::Cat, args))
}

/// `if c then a else b`, field by field; `None` if the types do not fit.
pub(super) fn choose(lo: &mut Lower, c: TermId, a: &TVal, b: &TVal) -> Option<TVal> {
    match (a, b) {
        (
            table::TVal::Plain { ty: ta, rank: ra, term: x },
            table::TVal::Plain { ty: tb, rank: rb, term: y },
        ) if ra == rb => {
            let ty = ta.join(*tb)?;
            let term = lo.term(Term::Op(Op::If, vec![c, *x, *y]));
            Some(table::TVal::Plain { ty, rank: *ra, term })
        }
        (table::TVal::Record { klass, rank, fields }, table::TVal::Record { .. }) => {
            let mut out = Vec::with_capacity(fields.len());
            for (name, x) in fields {
                out.push((*name, choose(lo, c, x, b.field(*name)?)?));
            }
            Some(table::TVal::Record { klass: *klass, rank: *rank, fields: out })
        }
        _ => None,
    }
}
