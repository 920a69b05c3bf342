//! Component references (specification sections 5.3 and 10.5): what `a.b[2].c` leads to.
//!
//! A reference through an array of components without subscripts (`cells.v`) is an array; subscripts that are
//! not known at compile time choose among all elements with `if`.

use kausal_symbolic::function::{Array, Index};
use kausal_symbolic::{ExprId, Op, Pool, VarId};
use kausal_syntax::ast::{ClassKind, ComponentRef, Expr, RefPart, Variability};
use kausal_syntax::{Ast, Diagnostic, Symbol, ast};

use crate::class::{Classes, Member, Reported, Res};
use crate::expr::place;
use crate::expr::place::ref_text;
use crate::flattener::Flattener;
use crate::ids::{InstId, KlassId};
use crate::instance::type_named;
use crate::interface::type_name;
use crate::modifier::Up;
use crate::prelude::{Builtin, EnumerationType};
use crate::tree::Scope;
use crate::value::{FunctionValue, Ty, Value, reshape_front};
use crate::{bindings, class, instance, ranges, spending, tree, value};

/// What a part of a reference leads to.
#[derive(Clone, Debug)]
pub enum Cursor {
    /// One instance, resolved.
    Inst(InstId),
    /// Elements of an array of components.
    Insts {
        /// The dimensions.
        shape: Vec<usize>,
        /// The elements.
        list: Vec<InstId>,
        /// Their class.
        klass: KlassId,
    },
    /// A value.
    Value(Value),
    /// A class, and the component through which it was found.
    Class(KlassId, Option<InstId>),
    /// A component whose condition is false, or something in it.
    Disabled(InstId),
}

/// A subscript.
#[derive(Clone, Debug)]
pub enum Sub {
    /// `:`
    All,
    /// A known position.
    One(usize),
    /// Known positions.
    Many(Vec<usize>),
    /// A position known only at run time.
    Symbolic(ExprId),
    /// Several, known at run time.
    Symbolics(Vec<ExprId>),
}

impl Flattener<'_> {
    /// What a reference leads to.
    pub fn resolve_ref(&mut self, scope: Scope, ast: &Ast, reference: &ComponentRef) -> Res<Cursor> {
        resolve_parts(self, scope, ast, reference, ast.lists.parts.get(reference.parts))
    }

    /// What the first parts of a reference lead to.
    pub fn resolve_prefix(
        &mut self,
        scope: Scope,
        ast: &Ast,
        reference: &ComponentRef,
        parts: &[RefPart],
    ) -> Res<Cursor> {
        resolve_parts(self, scope, ast, reference, parts)
    }
}

/// The value of a reference.
pub fn eval_ref(fl: &mut Flattener<'_>, scope: Scope, ast: &Ast, reference: &ComponentRef) -> Res<Value> {
    let parts = ast.lists.parts.get(reference.parts);
    if let [only] = parts
        && only.name.symbol.as_str() == "time"
        && !reference.global
    {
        let time = fl.pool.op(Op::Time, &[]);
        return Ok(Value::scalar(Ty::Real, time));
    }
    let outside = fl.conditional.take();
    let cursor = fl.resolve_ref(scope, ast, reference);
    let conditional = std::mem::replace(&mut fl.conditional, outside);
    let cursor = cursor?;
    fl.used_at = Some(fl.cx.lib.location(scope.file, reference.span));
    let value = cursor_value(fl, scope, ast, reference, cursor)?;
    if let Some(id) = conditional {
        check_unconditional(fl, scope, reference, id);
    }
    Ok(value)
}

/// A component with a condition can only be modified and connected (specification section 4.4.5): what is computed
/// from it would have no meaning without it. The value is known all the same.
pub(crate) fn check_unconditional(
    fl: &mut Flattener<'_>,
    scope: Scope,
    reference: &ComponentRef,
    id: InstId,
) {
    if matches!(fl.inst(id).node, tree::Node::Disabled) {
        return;
    }
    let path = fl.path(id);
    let message =
        format!("{path} is declared with a condition: it can be connected, but not used in expressions");
    let location = fl.cx.lib.location(scope.file, reference.span);
    let diagnostic = Diagnostic::error("K0326", message)
        .at(location, "used here")
        .help("declare it without a condition, or connect what is needed of it");
    instance::report_at_decl(fl, id, diagnostic);
}

/// Notes a component with a condition on the way of a reference.
fn note_condition(fl: &mut Flattener<'_>, child: InstId) {
    let inst = fl.inst(child);
    if !inst.is_static && inst.info.as_ref().is_some_and(|i| i.condition.is_some()) {
        fl.conditional = Some(child);
    }
}

fn cursor_value(
    fl: &mut Flattener<'_>,
    scope: Scope,
    ast: &Ast,
    reference: &ComponentRef,
    cursor: Cursor,
) -> Res<Value> {
    match cursor {
        Cursor::Value(value) => Ok(value),
        Cursor::Disabled(id) => Err(disabled(fl, scope, reference, id)),
        Cursor::Inst(id) => {
            if matches!(fl.inst(id).node, tree::Node::Disabled) {
                return Err(disabled(fl, scope, reference, id));
            }
            bindings::instance_value(fl, id)
        }
        Cursor::Insts { shape, list, klass } => match list.first() {
            Some(&first) => bindings::array_value(fl, first, &shape, &list),
            None => {
                let probe = instance::static_inst(fl, klass);
                bindings::array_value(fl, probe, &shape, &[])
            }
        },
        // A function is a value where it is an argument (specification section 12.4.2).
        Cursor::Class(klass, _)
            if matches!(fl.cx.deep_kind(klass), ClassKind::Function | ClassKind::OperatorFunction) =>
        {
            Ok(Value::Function(Box::new(FunctionValue { klass, bound: Vec::new() })))
        }
        Cursor::Class(k, _) => {
            let text = ref_text(ast, reference);
            let message = format!("{text} is a class, but a value is needed here");
            let location = fl.cx.lib.location(scope.file, reference.span);
            let defined = fl.cx.def_location(fl.cx.key(k).def);
            let diagnostic = Diagnostic::error("K0204", message).at(location, "").at(defined, "defined here");
            Err(fl.cx.report(diagnostic))
        }
    }
}

fn disabled(fl: &mut Flattener<'_>, scope: Scope, reference: &ComponentRef, id: InstId) -> Reported {
    let path = fl.path(id);
    let message = format!("{path} is used, but its condition is false: it does not exist");
    let location = fl.cx.lib.location(scope.file, reference.span);
    let diagnostic = Diagnostic::error("K0318", message).at(location, "used here");
    instance::report_at_decl(fl, id, diagnostic)
}

pub(super) fn resolve_parts(
    fl: &mut Flattener<'_>,
    scope: Scope,
    ast: &Ast,
    reference: &ComponentRef,
    parts: &[RefPart],
) -> Res<Cursor> {
    let Some(first) = parts.first() else { return Err(Reported) };
    let mut cursor = first_part(fl, scope, first, reference.global)?;
    cursor = subscripted(fl, scope, ast, reference, cursor, first)?;
    for part in &parts[1..] {
        cursor = step_part(fl, scope, ast, reference, cursor, part)?;
    }
    Ok(cursor)
}

fn first_part(fl: &mut Flattener<'_>, scope: Scope, part: &RefPart, global: bool) -> Res<Cursor> {
    let name = part.name.symbol;
    if !global
        && let Some((_, value)) = fl.locals[scope.locals as usize..].iter().rev().find(|(n, _)| *n == name)
    {
        return Ok(Cursor::Value(value.clone()));
    }
    let found =
        if global { fl.cx.root(name).map(class::Found::Class) } else { fl.cx.find(scope.klass, name) };
    match found {
        Some(class::Found::Class(k)) => Ok(Cursor::Class(k, None)),
        Some(class::Found::Component { owner, up, member }) => {
            let at = instance::instance_of(fl, scope.inst, up, owner);
            if up != Up(0) {
                check_enclosing(fl.cx, scope, part, owner, &member, up == Up::STATIC)?;
            }
            // A renaming import gives it another name here.
            match instance::child(fl, at, member.name)? {
                Some(child) => {
                    let resolved = instance::resolve(fl, child)?;
                    note_condition(fl, child);
                    Ok(Cursor::Inst(resolved))
                }
                None => Err(fl.cx.not_found(Some(scope.klass), scope.file, &part.name, None)),
            }
        }
        None => {
            if let Some(extra) = instance::extra_child(fl, scope.inst, name) {
                return Ok(Cursor::Inst(instance::resolve(fl, extra)?));
            }
            Err(fl.cx.not_found(Some(scope.klass), scope.file, &part.name, None))
        }
    }
}

fn step_part(
    fl: &mut Flattener<'_>,
    scope: Scope,
    ast: &Ast,
    reference: &ComponentRef,
    cursor: Cursor,
    part: &RefPart,
) -> Res<Cursor> {
    let name = part.name.symbol;
    match cursor {
        Cursor::Class(k, frame) => {
            if let Some(leaf) = fl.cx.leaf(k)
                && let Builtin::Enumeration(def) = leaf.builtin
            {
                return enumeration_literal(fl, scope, part, def).map(Cursor::Value);
            }
            fl.cx.check_visible(scope.klass, scope.file, k, &part.name);
            let next = match fl.cx.step(k, name) {
                Some(class::Found::Class(k)) => Cursor::Class(k, frame),
                Some(class::Found::Component { owner, .. }) => {
                    let at = instance::static_inst(fl, owner);
                    match instance::child(fl, at, name)? {
                        Some(child) => {
                            check_constant(fl, scope, part, k, child)?;
                            Cursor::Inst(instance::resolve(fl, child)?)
                        }
                        None => return Err(Reported),
                    }
                }
                None => {
                    return Err(fl.cx.not_found(Some(scope.klass), scope.file, &part.name, Some(k)));
                }
            };
            subscripted(fl, scope, ast, reference, next, part)
        }
        Cursor::Value(value) => match value.field(name) {
            Some(field) => {
                let field = field.clone();
                // Subscripts of a field come behind the dimensions of the array of records.
                if part.subscripts.is_empty() || value.rank() == 0 {
                    subscripted(fl, scope, ast, reference, Cursor::Value(field), part)
                } else {
                    let mut subs = vec![Sub::All; value.rank()];
                    let own = field.shape()[value.rank()..].to_vec();
                    subs.extend(subscripts(fl, scope, ast, part, &own, None)?);
                    index_value(fl, scope, reference, &field, &subs).map(Cursor::Value)
                }
            }
            None => {
                let message = format!("{} has no field {name}", value.describe());
                Err(fl.error_at("K0205", message, scope.file, part.name.span))
            }
        },
        Cursor::Inst(id) => match fl.inst(id).node.clone() {
            tree::Node::Array(shape, elements) => {
                let klass = fl.inst(id).klass;
                let cursor = Cursor::Insts { shape: shape.to_vec(), list: elements.to_vec(), klass };
                step_part(fl, scope, ast, reference, cursor, part)
            }
            tree::Node::Disabled => Ok(Cursor::Disabled(id)),
            tree::Node::Struct => match instance::child(fl, id, name)? {
                Some(child) => {
                    check_public(fl, scope, part, id, child);
                    note_condition(fl, child);
                    let child = instance::resolve(fl, child)?;
                    subscripted(fl, scope, ast, reference, Cursor::Inst(child), part)
                }
                None => {
                    let klass = fl.inst(id).klass;
                    match fl.cx.find_in(klass, name) {
                        Some(class::Found::Class(k)) => Ok(Cursor::Class(k, Some(id))),
                        _ => Err(fl.cx.not_found(Some(scope.klass), scope.file, &part.name, Some(klass))),
                    }
                }
            },
            _ => {
                let klass = fl.inst(id).klass;
                Err(fl.cx.not_found(Some(scope.klass), scope.file, &part.name, Some(klass)))
            }
        },
        Cursor::Disabled(id) => Ok(Cursor::Disabled(id)),
        Cursor::Insts { shape, list, klass } => {
            step_all(fl, scope, ast, reference, part, &shape, &list, klass)
        }
    }
}

/// Through a class only its constants can be used (specification section 5.3.2): other values belong to components.
fn check_constant(
    fl: &mut Flattener<'_>,
    scope: Scope,
    part: &RefPart,
    class: KlassId,
    child: InstId,
) -> Res<()> {
    let inst = fl.inst(child);
    let Some(info) = inst.info.clone().filter(|_| inst.variability > Variability::Constant) else {
        return Ok(());
    };
    if fl.cx.deep_kind(class) == ClassKind::Package {
        // What is wrong with the package is reported there.
        return Ok(());
    }
    let (name, class) = (part.name.symbol, fl.cx.name(class));
    let message =
        format!("{name} is not a constant of {class}: it has a value only in components of this class");
    let location = fl.cx.lib.location(scope.file, part.name.span);
    Err(fl.cx.report(
        Diagnostic::error("K0249", message)
            .at(location, "used here")
            .at(info.location, "declared here")
            .help("declare a component of the class and use that, or declare it `constant`"),
    ))
}

/// Of the classes around a class only constants can be used in it (specification section 5.3.1): anything else belongs
/// to a component of theirs.
fn check_enclosing(
    cx: &mut Classes,
    scope: Scope,
    part: &RefPart,
    owner: KlassId,
    member: &Member,
    imported: bool,
) -> Res<()> {
    let info = cx.component(member)?;
    if info.variability == Variability::Constant || cx.deep_kind(owner) == ClassKind::Package {
        return Ok(());
    }
    let (name, class) = (part.name.symbol, cx.name(owner));
    let message = match imported {
        true => format!("{name} is not a constant of {class}: only constants can be imported"),
        false => {
            format!("{name} belongs to {class} around this class: only constants can be used from there")
        }
    };
    let location = cx.lib.location(scope.file, part.name.span);
    Err(cx.report(
        Diagnostic::error("K0249", message)
            .at(location, "used here")
            .at(info.location, "declared here")
            .help("declare it in this class and give it its value with a modifier, or make it `constant`"),
    ))
}

/// What is protected cannot be used from outside (specification section 4.1); the value is known all the same.
fn check_public(fl: &mut Flattener<'_>, scope: Scope, part: &RefPart, owner: InstId, child: InstId) {
    let Some(info) = fl.inst(child).info.clone().filter(|i| i.protected) else { return };
    if fl.inst(owner).is_static {
        return;
    }
    let class = fl.cx.name(fl.inst(owner).klass);
    let message = format!("{} of {class} is protected: it cannot be used here", part.name.symbol);
    let location = fl.cx.lib.location(scope.file, part.name.span);
    fl.cx.report(
        Diagnostic::error("K0218", message)
            .at(location, "used here")
            .at(info.location, "declared here, below `protected`"),
    );
}

/// One step in every element of an array of components.
fn step_all(
    fl: &mut Flattener<'_>,
    scope: Scope,
    ast: &Ast,
    reference: &ComponentRef,
    part: &RefPart,
    shape: &[usize],
    list: &[InstId],
    klass: KlassId,
) -> Res<Cursor> {
    if list.is_empty() {
        return step_none(fl.cx, scope, part, shape, klass);
    }
    let mut values = Vec::new();
    let mut next: Vec<InstId> = Vec::new();
    let mut inner: Option<Vec<usize>> = None;
    let mut next_klass = klass;
    for &id in list {
        match step_part(fl, scope, ast, reference, Cursor::Inst(id), part)? {
            Cursor::Value(value) => values.push(value),
            Cursor::Inst(child) => match fl.inst(child).node.clone() {
                tree::Node::Leaf(..) => values.push(bindings::instance_value(fl, child)?),
                tree::Node::Array(s, elements) => {
                    next_klass = fl.inst(child).klass;
                    inner = Some(s.to_vec());
                    next.extend_from_slice(&elements);
                }
                tree::Node::Struct => {
                    next_klass = fl.inst(child).klass;
                    inner = Some(Vec::new());
                    next.push(child);
                }
                _ => return Ok(Cursor::Disabled(child)),
            },
            Cursor::Insts { shape: s, list, klass: k } => {
                next_klass = k;
                inner = Some(s);
                next.extend(list);
            }
            Cursor::Disabled(id) => return Ok(Cursor::Disabled(id)),
            Cursor::Class(..) => return Err(Reported),
        }
    }
    if let Some(inner) = inner {
        let mut full = shape.to_vec();
        full.extend(inner);
        return Ok(Cursor::Insts { shape: full, list: next, klass: next_klass });
    }
    match Value::construct(&values) {
        Ok(Some(value)) => Ok(Cursor::Value(reshape_front(value, shape))),
        Ok(None) => Err(fl.error_at("K0331", "elements of different types", scope.file, part.name.span)),
        Err(e) => Err(fl.error_at("K0332", e.to_string(), scope.file, part.name.span)),
    }
}

/// One step in an array of components that has no elements: only the class tells what comes next.
fn step_none(cx: &mut Classes, scope: Scope, part: &RefPart, shape: &[usize], klass: KlassId) -> Res<Cursor> {
    let members = cx.members(klass)?;
    let Some(&i) = members.index.get(&part.name.symbol) else {
        return Err(cx.not_found(Some(scope.klass), scope.file, &part.name, Some(klass)));
    };
    let info = cx.component(&members.items[i as usize])?;
    let mut full = shape.to_vec();
    let own = if part.subscripts.is_empty() { info.dims.len() } else { 0 };
    full.extend(std::iter::repeat_n(0, own));
    match info.leaf {
        Some(leaf) => match Array::from_vec(&full, Vec::new()) {
            Ok(array) => Ok(Cursor::Value(Value::Plain(Ty::of(leaf.builtin), array))),
            Err(_) => Err(Reported),
        },
        None => Ok(Cursor::Insts { shape: full, list: Vec::new(), klass: info.klass }),
    }
}

/// An enumeration literal.
pub fn enumeration_literal(
    fl: &mut Flattener<'_>,
    scope: Scope,
    part: &RefPart,
    enumeration: EnumerationType,
) -> Res<Value> {
    let def = enumeration.def;
    if let ast::ClassBody::Enumeration(Some(literals)) = &fl.cx.lib.class(def).body
        && let Some(i) = literals.iter().position(|l| l.name.symbol == part.name.symbol)
    {
        let ordinal = fl.pool.constant((i + 1) as f64);
        return Ok(Value::scalar(Ty::Enumeration(enumeration), ordinal));
    }
    let message = format!("{} has no literal {}", fl.cx.lib.full_name(def), part.name.symbol);
    let location = fl.cx.lib.location(scope.file, part.name.span);
    let defined = fl.cx.def_location(def);
    let diagnostic = Diagnostic::error("K0206", message).at(location, "").at(defined, "defined here");
    Err(fl.cx.report(diagnostic))
}

fn subscripted(
    fl: &mut Flattener<'_>,
    scope: Scope,
    ast: &Ast,
    reference: &ComponentRef,
    cursor: Cursor,
    part: &RefPart,
) -> Res<Cursor> {
    if part.subscripts.is_empty() {
        return Ok(cursor);
    }
    match cursor {
        Cursor::Value(value) => {
            let shape = value.shape().to_vec();
            let subs = subscripts(fl, scope, ast, part, &shape, None)?;
            index_value(fl, scope, reference, &value, &subs).map(Cursor::Value)
        }
        Cursor::Inst(id) => match fl.inst(id).node.clone() {
            tree::Node::Leaf(_, shape) => {
                let subs = subscripts(fl, scope, ast, part, &shape, Some(id))?;
                index_leaf(fl, scope, reference, id, &shape, &subs).map(Cursor::Value)
            }
            tree::Node::Array(shape, elements) => {
                let klass = fl.inst(id).klass;
                let subs = subscripts(fl, scope, ast, part, &shape, Some(id))?;
                index_elements(fl, scope, reference, &shape, &elements, klass, &subs)
            }
            tree::Node::Disabled => Ok(Cursor::Disabled(id)),
            _ => {
                let message = format!("{} is not an array", part.name.symbol);
                let location = fl.cx.lib.location(scope.file, reference.span);
                let diagnostic = Diagnostic::error("K0333", message).at(location, "subscripts here");
                Err(instance::report_at_decl(fl, id, diagnostic))
            }
        },
        Cursor::Disabled(id) => Ok(Cursor::Disabled(id)),
        Cursor::Insts { .. } | Cursor::Class(..) => {
            let message = format!("{} is not an array", part.name.symbol);
            Err(fl.error_at("K0333", message, scope.file, part.name.span))
        }
    }
}

/// Subscripts, checked against the dimensions, and against what `of` is indexed by.
pub fn subscripts(
    fl: &mut Flattener<'_>,
    scope: Scope,
    ast: &Ast,
    part: &RefPart,
    shape: &[usize],
    of: Option<InstId>,
) -> Res<Vec<Sub>> {
    let exprs = ast.lists.exprs.get(part.subscripts);
    if exprs.len() > shape.len() {
        let message = format!(
            "{} has {}, but {} subscripts",
            part.name.symbol,
            value::dimensions_text(shape.len()),
            exprs.len()
        );
        let location = fl.cx.lib.location(scope.file, part.name.span);
        let diagnostic = Diagnostic::error("K0334", message).at(location, "");
        return Err(match of {
            Some(id) => instance::report_at_decl(fl, id, diagnostic),
            None => fl.cx.report(diagnostic),
        });
    }
    let kinds = of.map(|id| index_types(fl, id)).unwrap_or_default();
    let mut subs = Vec::with_capacity(exprs.len());
    for (d, (&expr, &size)) in exprs.iter().zip(shape).enumerate() {
        if matches!(ast.exprs[expr], Expr::Colon) {
            subs.push(Sub::All);
            continue;
        }
        fl.ends.push(size);
        let value = subscript_value(fl, scope, expr);
        fl.ends.pop();
        let value = value?;
        let Value::Plain(ty, array) = &value else {
            return Err(place::at_expr(fl, scope, expr, "K0335", "a subscript must be an integer"));
        };
        if !matches!(ty, Ty::Integer | Ty::Boolean | Ty::Enumeration(_)) {
            let message = format!("a subscript must be an integer, not {}", value.describe());
            return Err(place::at_expr(fl, scope, expr, "K0335", message));
        }
        if let Some(&Some(kind)) = kinds.get(d)
            && kind != *ty
        {
            let name = part.name.symbol;
            let message = format!(
                "{name} is indexed by {} in this dimension, not by {}",
                type_name(fl.cx, kind),
                type_name(fl.cx, *ty)
            );
            let span = fl.cx.lib.ast_ref(scope.file).span(expr);
            let diagnostic = Diagnostic::error("K0335", message).at(fl.cx.lib.location(scope.file, span), "");
            return Err(match of {
                Some(id) => instance::report_at_decl(fl, id, diagnostic),
                None => fl.cx.report(diagnostic),
            });
        }
        let first = if *ty == Ty::Boolean { 1.0 } else { 0.0 };
        let mut known = Vec::with_capacity(array.len());
        for &e in array.data() {
            match fl.fold(e).ok().and_then(|e| fl.pool.as_constant(e)) {
                Some(x) => {
                    let x = x + first;
                    if x < 1.0 || x > size as f64 {
                        let message = format!("the subscript {x} is outside 1:{size}");
                        let message = format!("{} of {}", message, part.name.symbol);
                        let span = fl.cx.lib.ast_ref(scope.file).span(expr);
                        let location = fl.cx.lib.location(scope.file, span);
                        let mut diagnostic = Diagnostic::error("K0336", message).at(location, "");
                        if let Some(class::Found::Component { member, .. }) =
                            fl.cx.find(scope.klass, part.name.symbol)
                        {
                            diagnostic = diagnostic.at(fl.cx.member_location(&member), "declared here");
                        }
                        if x == 0.0 {
                            diagnostic = diagnostic.help("subscripts begin with 1");
                        }
                        return Err(fl.cx.report(diagnostic));
                    }
                    known.push(x as usize);
                }
                None if array.rank() == 0 => {
                    if *ty == Ty::Integer {
                        ranges::note_subscript(fl, e);
                    }
                    let shift = fl.pool.constant(first);
                    let e = fl.pool.op(Op::Add, &[e, shift]);
                    subs.push(Sub::Symbolic(if first == 0.0 { array.data()[0] } else { e }));
                }
                // The values of other types are all subscripts.
                None if *ty == Ty::Integer => ranges::note_subscript(fl, e),
                None => {}
            }
        }
        match array.rank() {
            1 if known.len() < array.len() => {
                let shift = fl.pool.constant(first);
                let list = array.data().iter();
                subs.push(Sub::Symbolics(list.map(|&e| fl.pool.op(Op::Add, &[e, shift])).collect()));
            }
            0 => subs.extend(known.first().map(|&n| Sub::One(n))),
            1 => subs.push(Sub::Many(known)),
            _ => {
                return Err(place::at_expr(
                    fl,
                    scope,
                    expr,
                    "K0335",
                    "a subscript must be a scalar or a vector",
                ));
            }
        }
    }
    Ok(subs)
}

/// What the dimensions of a component are indexed by (specification section 10.5.1); `None` where the size comes from
/// its value.
pub(super) fn index_types(fl: &mut Flattener<'_>, id: InstId) -> std::sync::Arc<[Option<Ty>]> {
    let Some(info) = fl.inst(id).info.clone() else { return Default::default() };
    let key = (fl.inst(id).klass, info.file, info.component);
    if let Some(known) = fl.index_types.get(&key) {
        return known.clone();
    }
    let mut kinds = Vec::with_capacity(info.dims.len());
    for place in &info.dims {
        if matches!(fl.cx.lib.ast_ref(place.file).exprs[place.expr], Expr::Colon) {
            kinds.push(None);
            continue;
        }
        let scope = instance::place_scope(fl, id, place);
        let named =
            type_named(fl, scope, place.expr).filter(|&b| instance::enumeration_size(fl.cx, b).is_some());
        kinds.push(Some(named.map_or(Ty::Integer, Ty::of)));
    }
    let kinds: std::sync::Arc<[Option<Ty>]> = kinds.into();
    fl.index_types.insert(key, kinds.clone());
    kinds
}

fn subscript_value(fl: &mut Flattener<'_>, scope: Scope, expr: ast::ExprId) -> Res<Value> {
    fl.eval(scope, expr)
}

/// Elements of a leaf; one element makes one expression, not an array of all.
fn index_leaf(
    fl: &mut Flattener<'_>,
    scope: Scope,
    reference: &ComponentRef,
    id: InstId,
    shape: &[usize],
    subs: &[Sub],
) -> Res<Value> {
    let inst = fl.inst(id);
    let variable = !inst.is_static
        && match inst.variability {
            Variability::Constant => false,
            Variability::Parameter => instance::settled(fl, id) == (false, false),
            _ => true,
        };
    if variable && subs.len() == shape.len() {
        let mut offset = 0;
        let mut scalar = true;
        for (sub, &n) in subs.iter().zip(shape) {
            match sub {
                Sub::One(i) => offset = offset * n + i - 1,
                _ => scalar = false,
            }
        }
        if scalar && let Some((first, _)) = instance::variables(fl, id) {
            let ty = fl.inst(id).info.as_ref().and_then(|i| i.leaf).map_or(Ty::Real, |l| Ty::of(l.builtin));
            let e = fl.pool.var(VarId(first.0 + offset as u32));
            return Ok(Value::scalar(ty, e));
        }
    }
    let inst = fl.inst(id);
    if inst.is_static || inst.variability == Variability::Constant {
        let value = bindings::constant_value(fl, id)?;
        return index_value(fl, scope, reference, &value, subs);
    }
    let value = bindings::instance_value(fl, id)?;
    index_value(fl, scope, reference, &value, subs)
}

fn index_elements(
    fl: &mut Flattener<'_>,
    scope: Scope,
    reference: &ComponentRef,
    shape: &[usize],
    elements: &[InstId],
    klass: KlassId,
    subs: &[Sub],
) -> Res<Cursor> {
    let mut index = Vec::with_capacity(shape.len());
    for sub in subs {
        index.push(match sub {
            Sub::All => Index::All,
            Sub::One(n) => Index::One(*n),
            Sub::Many(list) => Index::Many(list.clone()),
            Sub::Symbolic(_) | Sub::Symbolics(_) => {
                let message = "which component is meant must be known at compile time";
                return Err(fl.error_at("K0338", message, scope.file, reference.span));
            }
        });
    }
    if index.len() == shape.len() && index.iter().all(|i| matches!(i, Index::One(_))) {
        let offset = index.iter().zip(shape).fold(0, |at, (i, &n)| match i {
            Index::One(i) => at * n + i - 1,
            _ => at,
        });
        return match elements.get(offset) {
            Some(&id) => Ok(Cursor::Inst(id)),
            None => Err(Reported),
        };
    }
    while index.len() < shape.len() {
        index.push(Index::All);
    }
    let chosen = Array::from_vec(shape, elements.to_vec()).and_then(|a| a.index(&index));
    match chosen {
        Ok(array) => {
            let shape = array.shape().to_vec();
            Ok(Cursor::Insts { shape, list: array.into_data(), klass })
        }
        Err(e) => Err(fl.error_at("K0332", e.to_string(), scope.file, reference.span)),
    }
}

/// Elements of a value.
pub fn index_value(
    fl: &mut Flattener<'_>,
    scope: Scope,
    reference: &ComponentRef,
    value: &Value,
    subs: &[Sub],
) -> Res<Value> {
    if subs.iter().any(|s| matches!(s, Sub::Symbolics(_))) {
        return index_one_by_one(fl, scope, reference, value, subs);
    }
    if let Some(at) = subs.iter().position(|s| matches!(s, Sub::Symbolic(_))) {
        let Sub::Symbolic(position) = subs[at] else { return Err(Reported) };
        let size = value.shape()[at];
        spending::spend(fl, size as u64, scope.file, reference.span)?;
        let mut result: Option<Value> = None;
        for i in (1..=size).rev() {
            let mut known = subs.to_vec();
            known[at] = Sub::One(i);
            let element = index_value(fl, scope, reference, value, &known)?;
            result = Some(match result {
                None => element,
                Some(rest) => {
                    let i = fl.pool.constant(i as f64);
                    let here = fl.pool.op(Op::Equal, &[position, i]);
                    choose(&mut fl.pool, here, &element, &rest)
                }
            });
        }
        if size == 1 {
            result = result.map(|only| only_element(fl, position, only));
        }
        let mut chosen = Vec::new();
        result.iter().for_each(|value| value.scalars(&mut chosen));
        chosen.into_iter().for_each(|e| ranges::note_choice(fl, e, position, size));
        return result.ok_or_else(|| {
            fl.error_at("K0336", "an array without elements has no element", scope.file, reference.span)
        });
    }
    let index: Vec<Index> = subs
        .iter()
        .map(|s| match s {
            Sub::All | Sub::Symbolic(_) | Sub::Symbolics(_) => Index::All,
            Sub::One(n) => Index::One(*n),
            Sub::Many(list) => Index::Many(list.clone()),
        })
        .collect();
    value.index(&index).map_err(|e| fl.error_at("K0332", e.to_string(), scope.file, reference.span))
}

/// The element of an array that has only one, as a choice: without it nothing would ask what the subscript is.
fn only_element(fl: &mut Flattener<'_>, position: ExprId, only: Value) -> Value {
    if !matches!(&only, Value::Plain(Ty::Real | Ty::Integer, _)) || !ranges::is_noted(fl, position) {
        return only;
    }
    let (one, nothing) = (fl.pool.constant(1.0), fl.pool.constant(0.0));
    let here = fl.pool.op(Op::Equal, &[position, one]);
    let other = only.map(&mut |_| nothing);
    choose(&mut fl.pool, here, &only, &other)
}

/// Elements of which some are only known at run time: the first subscript that takes several takes one after the
/// other.
fn index_one_by_one(
    fl: &mut Flattener<'_>,
    scope: Scope,
    reference: &ComponentRef,
    value: &Value,
    subs: &[Sub],
) -> Res<Value> {
    let several = |s: &Sub| !matches!(s, Sub::One(_) | Sub::Symbolic(_));
    let Some(at) = subs.iter().position(several) else { return Err(Reported) };
    let each: Vec<Sub> = match &subs[at] {
        Sub::All => (1..=value.shape()[at]).map(Sub::One).collect(),
        Sub::Many(list) => list.iter().map(|&n| Sub::One(n)).collect(),
        Sub::Symbolics(list) => list.iter().map(|&e| Sub::Symbolic(e)).collect(),
        one => vec![one.clone()],
    };
    let mut elements = Vec::with_capacity(each.len());
    for one in each {
        let mut chosen = subs.to_vec();
        chosen[at] = one;
        elements.push(index_value(fl, scope, reference, value, &chosen)?);
    }
    match Value::construct(&elements) {
        Ok(Some(value)) => Ok(value),
        Ok(None) => Err(fl.error_at("K0337", "a subscript without elements", scope.file, reference.span)),
        Err(e) => Err(fl.error_at("K0332", e.to_string(), scope.file, reference.span)),
    }
}

/// `if condition then a else b` for every scalar of two values of the same shape.
pub fn choose(pool: &mut Pool, condition: ExprId, a: &Value, b: &Value) -> Value {
    let mut others = Vec::new();
    b.scalars(&mut others);
    let mut others = others.into_iter();
    let value = a.map(&mut |x| match others.next() {
        Some(y) => pool.op(Op::If, &[condition, x, y]),
        None => x,
    });
    match (value, b) {
        (Value::Plain(Ty::Integer, array), Value::Plain(Ty::Real, _)) => Value::Plain(Ty::Real, array),
        (value, _) => value,
    }
}

/// The names of a reference without subscripts.
pub fn ref_names(ast: &Ast, reference: &ComponentRef) -> Vec<Symbol> {
    ast.lists.parts.get(reference.parts).iter().map(|p| p.name.symbol).collect()
}
