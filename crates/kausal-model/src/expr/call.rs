//! Calls: built-in functions, user functions, record constructors, external objects (specification chapter 12).

use kausal_symbolic::ExprId;
use kausal_syntax::ast::{Arg, ClassKind, ComponentRef, Name};
use kausal_syntax::{Ast, Diagnostic, Symbol, ast};

use crate::class::{Classes, ComponentInfo, Res, annotation_flag};
use crate::connect::overconstrained;
use crate::expr::arguments::{Call, ValueArg, is_builtin};
use crate::expr::defaults::evaluation_order;
use crate::expr::place::ref_text;
use crate::expr::reference::Cursor;
use crate::expr::{overload, place};
use crate::flattener::Flattener;
use crate::ids::KlassId;
use crate::modifier::Up;
use crate::prelude::{Builtin, EnumerationType};
use crate::tree::Scope;
use crate::value::{FunctionValue, RecordValue, Ty, Value, assignable, with_ty};
use crate::{class, functions, instance, interface};

/// The fields of a record being made that are evaluated already: a part of the local names.
#[derive(Clone, Copy)]
struct Fields {
    first: usize,
    end: usize,
}

impl Flattener<'_> {
    /// A record from its fields (specification section 12.6).
    pub fn construct_record(
        &mut self,
        scope: Scope,
        expr: ast::ExprId,
        k: KlassId,
        args: Vec<ValueArg>,
    ) -> Res<Value> {
        construct_inside(self, scope, expr, k, args, &[])
    }
}

/// All outputs of a call.
pub fn eval_call(
    fl: &mut Flattener<'_>,
    scope: Scope,
    ast: &Ast,
    expr: ast::ExprId,
    function: &ComponentRef,
    args: &[Arg],
) -> Res<Vec<Value>> {
    let parts = ast.lists.parts.get(function.parts);
    if let [only] = parts
        && !function.global
    {
        let name = only.name.symbol;
        if let Some(k) = user_function(fl, scope, name) {
            return eval_user_call(fl, scope, ast, expr, k, args);
        }
        if is_builtin(name.as_str()) {
            return fl.eval_builtin(Call { scope, ast, expr, name: name.as_str(), args });
        }
    }
    if let [only] = parts
        && function.global
        && is_builtin(only.name.symbol.as_str())
    {
        return fl.eval_builtin(Call { scope, ast, expr, name: only.name.symbol.as_str(), args });
    }
    if let [first, second] = parts
        && first.name.symbol.as_str() == "Connections"
        && matches!(second.name.symbol.as_str(), "isRoot" | "rooted")
    {
        let value = overconstrained::is_root(fl, scope, ast, expr, args)?;
        return Ok(vec![value]);
    }
    match fl.resolve_ref(scope, ast, function)? {
        Cursor::Class(k, frame) => {
            if let Some(name) = external_builtin(fl.cx, k) {
                let args = ordered_args(fl, scope, expr, k, args)?;
                return fl.eval_builtin(Call { scope, ast, expr, name: &name, args: &args });
            }
            let values = eval_args(fl, scope, args)?;
            // A class found through a component belongs to that component.
            let scope = Scope { inst: frame.unwrap_or(scope.inst), ..scope };
            call_class(fl, scope, expr, k, values)
        }
        Cursor::Value(Value::Function(f)) => {
            let mut values = eval_args(fl, scope, args)?;
            values.extend(f.bound.iter().map(|(n, v)| ValueArg { name: Some(*n), value: v.clone() }));
            fl.call_function(scope, expr, f.klass, values)
        }
        _ => {
            let called = ref_text(ast, function);
            let message = format!("{called} is not a function");
            let help = format!("elements of an array are written {called}[…], a product {called}*(…)");
            Err(place::at_expr_helped(fl, scope, expr, "K0207", message, &help))
        }
    }
}

/// Is there a class of this name that is not built in?
pub fn user_defined(fl: &mut Flattener<'_>, scope: Scope, name: &str) -> bool {
    user_function(fl, scope, Symbol::new(name)).is_some()
}

pub(crate) fn user_function(fl: &mut Flattener<'_>, scope: Scope, name: Symbol) -> Option<KlassId> {
    if fl.locals[scope.locals as usize..].iter().any(|(n, _)| *n == name) {
        return None;
    }
    match fl.cx.find(scope.klass, name)? {
        class::Found::Class(k) => {
            let def = fl.cx.key(k).def;
            (!fl.cx.builtins.contains_key(&def)).then_some(k)
        }
        class::Found::Component { .. } => None,
    }
}

fn eval_args(fl: &mut Flattener<'_>, scope: Scope, args: &[Arg]) -> Res<Vec<ValueArg>> {
    let mut values = Vec::with_capacity(args.len());
    let mut failed = None;
    for arg in args {
        match fl.eval(scope, arg.value) {
            Ok(value) => values.push(ValueArg { name: arg.name.map(|n| n.symbol), value }),
            Err(e) => failed = Some(e),
        }
    }
    failed.map_or(Ok(values), Err)
}

/// A call of a class that is not built in.
pub fn eval_user_call(
    fl: &mut Flattener<'_>,
    scope: Scope,
    ast: &Ast,
    expr: ast::ExprId,
    k: KlassId,
    args: &[Arg],
) -> Res<Vec<Value>> {
    if let Some(name) = external_builtin(fl.cx, k) {
        let args = ordered_args(fl, scope, expr, k, args)?;
        return fl.eval_builtin(Call { scope, ast, expr, name: &name, args: &args });
    }
    // What stands for an algorithm section gets the values before an event that its `when` statements ask for.
    let in_when = fl.in_when;
    fl.in_when |= generates_events(fl.cx, k);
    let values = eval_args(fl, scope, args);
    fl.in_when = in_when;
    call_class(fl, scope, expr, k, values?)
}

/// The arguments of a function that stands for a built-in one, in the order of its inputs and without their names.
pub(crate) fn ordered_args(
    fl: &mut Flattener<'_>,
    scope: Scope,
    expr: ast::ExprId,
    k: KlassId,
    args: &[Arg],
) -> Res<Vec<Arg>> {
    if args.iter().all(|a| a.name.is_none()) {
        return Ok(args.to_vec());
    }
    let signature = interface::signature(fl, k)?;
    let mut slots: Vec<Option<Arg>> = vec![None; signature.inputs.len()];
    for (i, arg) in args.iter().enumerate() {
        let at = match arg.name {
            Some(name) => signature.inputs.iter().position(|input| input.name == name.symbol),
            None => Some(i),
        };
        match at.and_then(|at| slots.get_mut(at)) {
            Some(slot @ None) => *slot = Some(Arg { name: None, ..*arg }),
            slot => {
                let class = fl.cx.name(k);
                let message = match (slot.is_some(), arg.name) {
                    (true, _) => format!("an input of {class} is given twice"),
                    (_, Some(name)) => format!("{class} has no input {}", name.symbol),
                    _ => interface::too_many_arguments(&class, signature.inputs.len()),
                };
                return Err(place::at_expr(fl, scope, expr, "K0371", message));
            }
        }
    }
    Ok(slots.into_iter().flatten().collect())
}

fn generates_events(cx: &Classes, k: KlassId) -> bool {
    let ast = cx.ast(k);
    let class = &ast.classes[cx.lib.def(cx.key(k).def).class];
    annotation_flag(&ast, class.description.annotation, "GenerateEvents") == Some(true)
}

/// A call with values.
pub fn call_class(
    fl: &mut Flattener<'_>,
    scope: Scope,
    expr: ast::ExprId,
    k: KlassId,
    args: Vec<ValueArg>,
) -> Res<Vec<Value>> {
    match fl.cx.deep_kind(k) {
        ClassKind::Record => fl.construct_record(scope, expr, k, args).map(|v| vec![v]),
        ClassKind::OperatorRecord => {
            overload::construct_operator_record(fl, scope, expr, k, args).map(|v| vec![v])
        }
        ClassKind::Function | ClassKind::OperatorFunction => fl.call_function(scope, expr, k, args),
        ClassKind::Operator => overload::call_operator(fl, scope, expr, k, args),
        _ => {
            if let Some(leaf) = fl.cx.leaf(k) {
                match leaf.builtin {
                    Builtin::Enumeration(def) => {
                        return construct_enumeration(fl, scope, expr, def, args);
                    }
                    Builtin::ExternalObject => {
                        return functions::construct_external(fl, scope, expr, k, args);
                    }
                    _ => {}
                }
            }
            let message = format!("{} is not a function", fl.cx.name(k));
            let location = fl.cx.lib.location(scope.file, fl.cx.lib.ast_ref(scope.file).span(expr));
            let defined = fl.cx.def_location(fl.cx.key(k).def);
            let diagnostic =
                Diagnostic::error("K0207", message).at(location, "called here").at(defined, "defined here");
            Err(fl.cx.report(diagnostic))
        }
    }
}

fn construct_enumeration(
    fl: &mut Flattener<'_>,
    scope: Scope,
    expr: ast::ExprId,
    enumeration: EnumerationType,
    args: Vec<ValueArg>,
) -> Res<Vec<Value>> {
    match args.as_slice() {
        [ValueArg { value: Value::Plain(Ty::Integer | Ty::Enumeration(_), array), .. }] => {
            let count =
                instance::enumeration_size(fl.cx, Builtin::Enumeration(enumeration)).unwrap_or(usize::MAX);
            let outside = |&e: &ExprId| fl.pool.as_constant(e).filter(|&x| x < 1.0 || x > count as f64);
            if let Some(x) = array.data().iter().find_map(outside) {
                let name = fl.cx.lib.full_name(enumeration.def);
                let message = format!("{name} has {count} values: there is none with the number {x}");
                return Err(place::at_expr(fl, scope, expr, "K0348", message));
            }
            Ok(vec![Value::Plain(Ty::Enumeration(enumeration), array.clone())])
        }
        _ => Err(place::at_expr(fl, scope, expr, "K0348", "an enumeration value is made of one Integer")),
    }
}

/// `function f(a = b)` as an argument, or a bare function name.
pub(super) fn eval_partial(
    fl: &mut Flattener<'_>,
    scope: Scope,
    ast: &Ast,
    function: Name,
    args: &[Arg],
) -> Res<Value> {
    let klass = fl.cx.lookup_name(scope.klass, ast, scope.file, function)?;
    let mut bound = Vec::with_capacity(args.len());
    for arg in args {
        if let Some(name) = arg.name {
            bound.push((name.symbol, fl.eval(scope, arg.value)?));
        }
    }
    Ok(Value::Function(Box::new(FunctionValue { klass, bound })))
}

/// A record that is a field of other records being made: modifiers of the field use the fields of those.
fn construct_inside(
    fl: &mut Flattener<'_>,
    scope: Scope,
    expr: ast::ExprId,
    k: KlassId,
    args: Vec<ValueArg>,
    around: &[Fields],
) -> Res<Value> {
    let members = fl.cx.members(k)?;
    let mut given: Vec<Option<Value>> = vec![None; members.components.len()];
    let mut infos = Vec::with_capacity(members.components.len());
    for &i in &members.components {
        infos.push(fl.cx.component(&members.items[i as usize])?);
    }
    let mut position = 0;
    for arg in args {
        let at = match arg.name {
            Some(name) => infos.iter().position(|i| i.name == name),
            None => {
                while infos
                    .get(position)
                    .is_some_and(|i| i.is_final || i.variability == ast::Variability::Constant)
                {
                    position += 1;
                }
                position += 1;
                Some(position - 1)
            }
        };
        match at.and_then(|at| given.get_mut(at)) {
            Some(slot) => *slot = Some(arg.value),
            None => {
                let message = match arg.name {
                    Some(name) => format!("{} has no field {name}", fl.cx.name(k)),
                    None => format!("{} has only {} fields", fl.cx.name(k), infos.len()),
                };
                return Err(place::at_expr(fl, scope, expr, "K0352", message));
            }
        }
    }
    let first_local = fl.locals.len();
    let fields = record_fields(fl, scope, expr, k, &infos, given, around);
    fl.locals.truncate(first_local);
    Ok(Value::Record(Box::new(RecordValue { klass: k, shape: Vec::new(), fields: fields? })))
}

/// The fields in the order of their declarations; they are evaluated in the order in which they use each other.
fn record_fields(
    fl: &mut Flattener<'_>,
    scope: Scope,
    expr: ast::ExprId,
    k: KlassId,
    infos: &[std::sync::Arc<ComponentInfo>],
    mut given: Vec<Option<Value>>,
    around: &[Fields],
) -> Res<Vec<(Symbol, Value)>> {
    let first = fl.locals.len();
    let order = evaluation_order(fl.cx, infos, &|i| given[i].is_some());
    let mut values: Vec<Option<Value>> = vec![None; infos.len()];
    for i in order {
        let info = &infos[i];
        let value = match given[i].take() {
            Some(value) => check_field(fl, scope, expr, info, value)?,
            None => default_field(fl, scope, expr, k, info, first, around)?,
        };
        fl.locals.push((info.name, value.clone()));
        values[i] = Some(value);
    }
    Ok(infos.iter().zip(values).filter_map(|(info, value)| Some((info.name, value?))).collect())
}

fn check_field(
    fl: &mut Flattener<'_>,
    scope: Scope,
    expr: ast::ExprId,
    info: &ComponentInfo,
    value: Value,
) -> Res<Value> {
    if let Some(leaf) = info.leaf {
        let ty = Ty::of(leaf.builtin);
        if !value.ty().is_some_and(|t| assignable(ty, t)) {
            let message = format!("the field {} is {}, not {}", info.name, ty.text(), value.describe());
            return Err(place::at_expr(fl, scope, expr, "K0317", message));
        }
        return Ok(with_ty(value, ty));
    }
    Ok(value)
}

fn default_field(
    fl: &mut Flattener<'_>,
    scope: Scope,
    expr: ast::ExprId,
    k: KlassId,
    info: &ComponentInfo,
    first: usize,
    around: &[Fields],
) -> Res<Value> {
    let Some(place) = info.binding else {
        if info.leaf.is_none() && matches!(info.kind, ClassKind::Record | ClassKind::OperatorRecord) {
            let mut around = around.to_vec();
            around.push(Fields { first, end: fl.locals.len() });
            return construct_inside(fl, scope, expr, info.klass, Vec::new(), &around);
        }
        let message = format!("the field {} of {} needs a value", info.name, fl.cx.name(k));
        let location = fl.cx.lib.location(scope.file, fl.cx.lib.ast_ref(scope.file).span(expr));
        let diagnostic =
            Diagnostic::error("K0353", message).at(location, "").at(info.location, "declared here");
        return Err(fl.cx.report(diagnostic));
    };
    let inside =
        |at, first: usize| Scope { klass: place.scope, inst: at, file: place.file, locals: first as u32 };
    let value = if place.up == Up(1) || place.up == Up::STATIC {
        let at = instance::static_inst(fl, k);
        fl.eval(inside(at, first), place.expr)?
    } else {
        let at = instance::static_inst(fl, place.scope);
        let levels = usize::from(place.up.0).saturating_sub(1);
        match around.len().checked_sub(levels).and_then(|i| around.get(i)).copied() {
            // The fields of the record around it, without those of the records in it.
            Some(fields) => {
                let hidden = fl.locals.split_off(fields.end);
                let value = fl.eval(inside(at, fields.first), place.expr);
                fl.locals.extend(hidden);
                value?
            }
            None => {
                let first = fl.locals.len();
                fl.eval(inside(at, first), place.expr)?
            }
        }
    };
    check_field(fl, scope, expr, info, value)
}

/// The name of the built-in function that an external function stands for.
pub fn external_builtin(cx: &mut Classes, k: KlassId) -> Option<String> {
    let key = cx.key(k);
    let file = cx.file(k);
    let ast = cx.lib.ast(file);
    let class = &ast.classes[cx.lib.def(key.def).class];
    match &class.body {
        ast::ClassBody::Long(body) => {
            let external = body.external.as_ref()?;
            if ast.string(external.language?) != "builtin" {
                return None;
            }
            let name = match &external.call {
                Some(call) => call.function.symbol.as_str(),
                None => class.name.symbol.as_str(),
            };
            is_builtin(name).then(|| name.to_owned())
        }
        ast::ClassBody::Short(_) => {
            let base = cx.members(k).ok()?.bases.first().copied()?;
            external_builtin(cx, base)
        }
        _ => None,
    }
}
