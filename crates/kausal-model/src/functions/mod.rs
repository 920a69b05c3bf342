//! Functions: from classes to [`Function`]s, and their calls in equations (specification chapter 12).
//!
//! - [`lower`]: declarations, statements, annotations; [`foreign`]: external declarations
//! - [`term`]: expressions of functions; records are lists of fields; [`loops`]: loop variables and reductions
//! - [`term_call`]: calls inside functions
//! - `foreign`: external declarations
//! - [`externals`]: foreign functions that can be run while flattening
//!
//! A function is lowered once per class with its modifiers; one that takes functions as arguments once per
//! choice of those.

pub(crate) mod context;
mod data;
pub mod externals;
mod foreign;
pub(crate) mod kept;
mod loops;
pub mod lower;
mod notes;
pub(crate) mod table;
pub mod term;
mod term_builtin;
pub mod term_call;

use kausal_symbolic::function::calls::{constant_call, is_apart};
use kausal_symbolic::function::inline::{Stage, inline, should_inline};
use kausal_symbolic::function::layout::{Flat, Layout};
use kausal_symbolic::function::{Array, EvalError, Evaluator, Numbers, Text};
use kausal_symbolic::{ExprId, FunctionId, Node as Expression, Pool, function as f};
use kausal_syntax::ast::ClassKind;
use kausal_syntax::{Diagnostic, Symbol, ast};

use crate::class::{Classes, ComponentInfo, Reported, Res};
use crate::expr::arguments::ValueArg;
use crate::expr::defaults::evaluation_order;
use crate::expr::{overload, place};
use crate::flattener::Flattener;
use crate::fold::Unfolded;
use crate::functions::table::{BoundType, FunctionArgument, FunctionKey, Signature};
use crate::ids::KlassId;
use crate::interface::function_misfit;
use crate::modifier::Up;
use crate::tree::Scope;
use crate::value::{FunctionValue, RecordValue, Ty, Value, assignable, with_ty};
use crate::{class, instance, interface, spending, value};

/// A function that asks to be inlined may make so many new expressions.
const INLINE_BUDGET: usize = 400;

impl ComponentInfo {
    /// Is it a function as an argument?
    pub fn is_function(&self) -> bool {
        matches!(self.kind, ClassKind::Function | ClassKind::OperatorFunction)
    }
}

impl Flattener<'_> {
    /// All outputs of a function call in an equation.
    pub fn call_function(
        &mut self,
        scope: Scope,
        expr: ast::ExprId,
        k: KlassId,
        args: Vec<ValueArg>,
    ) -> Res<Vec<Value>> {
        if self.cx.lib.class(self.cx.key(k).def).partial {
            let name = self.cx.name(k);
            let location = self.cx.lib.location(scope.file, self.cx.lib.ast_ref(scope.file).span(expr));
            let defined = self.cx.def_location(self.cx.key(k).def);
            let message = format!("{name} is a partial function and cannot be called");
            let diagnostic =
                Diagnostic::error("K0222", message).at(location, "called here").at(defined, "defined here");
            return Err(self.cx.report(diagnostic));
        }
        let signature = interface::signature(self, k)?;
        let values = match_args(self, scope, expr, k, &signature, args)?;
        match vector_size(&signature, &values) {
            None => call_scalar(self, scope, expr, k, &signature, values),
            Some(shape) => call_vectorized(self, scope, expr, k, &signature, values, &shape),
        }
    }

    /// Runs a function with literals.
    pub fn run_function(&mut self, function: FunctionId, args: &[ExprId]) -> Result<Vec<ExprId>, Unfolded> {
        let key = (function, args.to_vec());
        if let Some(outputs) = self.functions.run.get(&key) {
            return outputs.clone().map_err(|why| Unfolded::Call(function, why));
        }
        let flat: Vec<Flat> = args
            .iter()
            .map(|&e| match self.pool.node(e) {
                Expression::Text(t) => Flat::Text(self.pool.text_of(t).into()),
                Expression::Const(x) => Flat::Number(x),
                _ => Flat::Number(f64::NAN),
            })
            .collect();
        let foreign = self.cx.foreign.clone();
        let externals = externals::Table {
            resources: &|uri: &str| self.cx.lib.resource(uri),
            foreign,
            permissions: &|| self.cx.permissions(),
        };
        let limits = self.functions.limits_left();
        let mut evaluator =
            Evaluator::new(Numbers::new(&self.pool)).with_externals(&externals).with_limits(limits);
        let outputs = evaluator.call_flat_with_texts(function, &flat).map_err(|e| e.to_string());
        self.functions.steps += evaluator.steps();
        let outputs = outputs.map(|list| {
            let scalars = list.into_iter().map(|o| match o {
                Flat::Number(x) => self.pool.constant(x),
                Flat::Text(text) => self.pool.text(&text),
            });
            scalars.collect::<Vec<ExprId>>()
        });
        self.functions.run.insert(key, outputs.clone());
        outputs.map_err(|why| Unfolded::Call(function, why))
    }
}

/// One value per input: given by position or name, or the default.
fn match_args(
    fl: &mut Flattener<'_>,
    scope: Scope,
    expr: ast::ExprId,
    k: KlassId,
    signature: &Signature,
    args: Vec<ValueArg>,
) -> Res<Vec<Value>> {
    let mut given: Vec<Option<Value>> = vec![None; signature.inputs.len()];
    let mut position = 0;
    for arg in args {
        let at = match arg.name {
            Some(name) => signature.inputs.iter().position(|i| i.name == name),
            None => {
                position += 1;
                Some(position - 1)
            }
        };
        match at.and_then(|at| given.get_mut(at)) {
            Some(Some(_)) => {
                let name = at.and_then(|at| signature.inputs.get(at)).map_or("", |i| i.name.as_str());
                let message = format!("the input {name} of {} is given twice", fl.cx.name(k));
                return Err(call_error(fl.cx, scope, expr, k, "K0371", message));
            }
            Some(slot) => *slot = Some(arg.value),
            None => {
                let message = match arg.name {
                    Some(name) => format!("{} has no input {name}", fl.cx.name(k)),
                    None => interface::too_many_arguments(&fl.cx.name(k), signature.inputs.len()),
                };
                return Err(call_error(fl.cx, scope, expr, k, "K0371", message));
            }
        }
    }
    let first_local = fl.locals.len();
    let result = complete_args(fl, scope, expr, k, signature, given, first_local);
    fl.locals.truncate(first_local);
    result
}

fn complete_args(
    fl: &mut Flattener<'_>,
    scope: Scope,
    expr: ast::ExprId,
    k: KlassId,
    signature: &Signature,
    given: Vec<Option<Value>>,
    first_local: usize,
) -> Res<Vec<Value>> {
    for (info, value) in signature.inputs.iter().zip(&given) {
        if let Some(value) = value {
            fl.locals.push((info.name, value.clone()));
        }
    }
    let order = evaluation_order(fl.cx, &signature.inputs, &|i| given[i].is_some());
    let mut values: Vec<Option<Value>> = vec![None; given.len()];
    let mut given = given;
    for i in order {
        let info = &signature.inputs[i];
        values[i] = Some(match given[i].take() {
            Some(value) => check_arg(fl, scope, expr, k, info, value)?,
            None => {
                let value = default_arg(fl, scope, expr, k, info, first_local)?;
                fl.locals.push((info.name, value.clone()));
                value
            }
        });
    }
    Ok(values.into_iter().flatten().collect())
}

fn default_arg(
    fl: &mut Flattener<'_>,
    scope: Scope,
    expr: ast::ExprId,
    k: KlassId,
    info: &ComponentInfo,
    first_local: usize,
) -> Res<Value> {
    let Some(place) = info.binding else {
        if info.leaf.is_none() && !info.is_function() && info.dims.is_empty() {
            // A record whose fields all have defaults.
            return fl.construct_record(scope, expr, info.klass, Vec::new());
        }
        let message = format!("the input {} of {} is not given", info.name, fl.cx.name(k));
        return Err(call_error(fl.cx, scope, expr, k, "K0372", message));
    };
    let inner = if context::has_base(fl.cx, k, place.scope) {
        let at = instance::static_inst(fl, k);
        Scope { klass: place.scope, inst: at, file: place.file, locals: first_local as u32 }
    } else {
        // A modifier of the function: its names belong to the component the function was found in.
        let up = if place.up == Up::STATIC { place.up } else { Up(place.up.0.saturating_sub(1)) };
        let at = instance::instance_of(fl, scope.inst, up, place.scope);
        Scope { klass: place.scope, inst: at, file: place.file, locals: fl.locals.len() as u32 }
    };
    let value = fl.eval(inner, place.expr)?;
    check_arg(fl, scope, expr, k, info, value)
}

fn check_arg(
    fl: &mut Flattener<'_>,
    scope: Scope,
    expr: ast::ExprId,
    k: KlassId,
    info: &ComponentInfo,
    value: Value,
) -> Res<Value> {
    match (&value, info.leaf) {
        (Value::Plain(ty, _), Some(leaf)) if assignable(Ty::of(leaf.builtin), *ty) => {
            Ok(with_ty(value, Ty::of(leaf.builtin)))
        }
        (Value::Record(record), None) if !info.is_function() => {
            // Fields in the order of the declaration.
            let members = fl.cx.members(info.klass)?;
            let mut fields = Vec::with_capacity(record.fields.len());
            for &i in &members.components {
                let name = members.items[i as usize].name;
                match value.field(name) {
                    Some(field) => fields.push((name, field.clone())),
                    None => {
                        let message = format!(
                            "the input {} of {} has a field {name}, the value has not",
                            info.name,
                            fl.cx.name(k)
                        );
                        return Err(call_error(fl.cx, scope, expr, k, "K0373", message));
                    }
                }
            }
            Ok(Value::Record(Box::new(RecordValue {
                klass: record.klass,
                shape: record.shape.clone(),
                fields,
            })))
        }
        (Value::Function(f), None) if info.is_function() => {
            let bound: Vec<Symbol> = f.bound.iter().map(|(n, _)| *n).collect();
            let given = f.klass;
            match function_misfit(fl, given, &bound, info.klass) {
                None => Ok(value),
                Some(why) => {
                    let (given, called) = (fl.cx.name(given), fl.cx.name(k));
                    let message = format!("{given} cannot be the input {} of {called}: {why}", info.name);
                    Err(call_error(fl.cx, scope, expr, k, "K0373", message))
                }
            }
        }
        _ => {
            let expected = match info.leaf {
                Some(leaf) => Ty::of(leaf.builtin).text().to_owned(),
                None => fl.cx.name(info.klass),
            };
            let message = format!(
                "the input {} of {} is {expected}, not {}",
                info.name,
                fl.cx.name(k),
                overload::describe(fl.cx, &value)
            );
            Err(call_error(fl.cx, scope, expr, k, "K0373", message))
        }
    }
}

fn call_error(
    cx: &mut Classes,
    scope: Scope,
    expr: ast::ExprId,
    k: KlassId,
    code: &'static str,
    message: String,
) -> Reported {
    let diagnostic = call_diagnostic(cx, scope, expr, k, code, message);
    cx.report(diagnostic)
}

fn call_diagnostic(
    cx: &mut Classes,
    scope: Scope,
    expr: ast::ExprId,
    k: KlassId,
    code: &'static str,
    message: String,
) -> Diagnostic {
    let location = cx.lib.location(scope.file, cx.lib.ast_ref(scope.file).span(expr));
    let defined = cx.def_location(cx.key(k).def);
    Diagnostic::error(code, message).at(location, "called here").at(defined, "defined here")
}

/// The dimensions over which a call goes element by element (specification section 12.4.6).
fn vector_size(signature: &Signature, values: &[Value]) -> Option<Vec<usize>> {
    signature.inputs.iter().zip(values).find_map(|(info, value)| {
        let surplus = value.rank().checked_sub(info.dims.len())?;
        (surplus > 0 && !matches!(value, Value::Function(_))).then(|| value.shape()[..surplus].to_vec())
    })
}

fn call_vectorized(
    fl: &mut Flattener<'_>,
    scope: Scope,
    expr: ast::ExprId,
    k: KlassId,
    signature: &Signature,
    values: Vec<Value>,
    shape: &[usize],
) -> Res<Vec<Value>> {
    let count: usize = shape.iter().product();
    let mut columns: Vec<Vec<Value>> = vec![Vec::with_capacity(count); signature.outputs.len()];
    for i in 0..count {
        let index: Vec<f::Index> =
            crate::instance::subscripts_of(i, shape).into_iter().map(f::Index::One).collect();
        let mut element = Vec::with_capacity(values.len());
        for (info, value) in signature.inputs.iter().zip(&values) {
            let surplus = value.rank().saturating_sub(info.dims.len());
            if surplus == 0 || matches!(value, Value::Function(_)) {
                element.push(value.clone());
                continue;
            }
            if value.shape()[..surplus] != *shape {
                let message = "arrays given to a function of scalars must have equal sizes".to_owned();
                return Err(call_error(fl.cx, scope, expr, k, "K0374", message));
            }
            match value.index(&index) {
                Ok(v) => element.push(v),
                Err(e) => return Err(call_error(fl.cx, scope, expr, k, "K0332", e.to_string())),
            }
        }
        let outputs = call_scalar(fl, scope, expr, k, signature, element)?;
        for (column, output) in columns.iter_mut().zip(outputs) {
            column.push(output);
        }
    }
    let mut out = Vec::with_capacity(columns.len());
    for (column, info) in columns.into_iter().zip(&signature.outputs) {
        if column.is_empty() {
            let ty = info.leaf.map_or(Ty::Real, |l| Ty::of(l.builtin));
            let array = Array::from_vec(shape, Vec::new());
            out.push(place::array_result(fl, scope, expr, ty, array)?);
            continue;
        }
        let value = fl.construct(scope, expr, column)?;
        out.push(value::reshape_front(value, shape));
    }
    Ok(out)
}

fn call_scalar(
    fl: &mut Flattener<'_>,
    scope: Scope,
    expr: ast::ExprId,
    k: KlassId,
    signature: &Signature,
    values: Vec<Value>,
) -> Res<Vec<Value>> {
    let mut key = FunctionKey { klass: k, functions: Vec::new() };
    let mut flat = Vec::new();
    let mut bound = Vec::new();
    for (info, value) in signature.inputs.iter().zip(&values) {
        match value {
            Value::Function(function) => {
                key.functions.push(function_argument(info.name, function, &mut bound))
            }
            other => flat_args(&fl.pool, other, &mut flat),
        }
    }
    bound.iter().for_each(|v| flat_args(&fl.pool, v, &mut flat));
    let function = fl.lower_function(&key).map_err(|Reported| {
        note_call(fl.cx, scope, expr, k);
        Reported
    })?;
    fl.functions.last_call = None;
    let outputs = apply(fl, scope, expr, k, function, flat)?;
    context::note_impure(fl, scope, expr, k);
    let scalars: usize = outputs.iter().map(|o| o.shape().iter().product::<usize>()).sum();
    spending::spend_at(fl, scope, expr, scalars as u64 * crate::budget::OUTPUT)?;
    let mut outputs = outputs.into_iter();
    let mut out = Vec::with_capacity(signature.outputs.len());
    for info in &signature.outputs {
        out.push(assemble(fl, info, &mut outputs)?);
    }
    Ok(out)
}

fn function_argument(input: Symbol, function: &FunctionValue, bound: &mut Vec<Value>) -> FunctionArgument {
    let mut list = Vec::new();
    for (name, value) in &function.bound {
        if let Some(ty) = BoundType::of_value(value) {
            list.push((*name, ty));
            bound.push(value.clone());
        }
    }
    FunctionArgument { input, klass: function.klass, bound: list }
}

fn note_call(cx: &mut Classes, scope: Scope, expr: ast::ExprId, k: KlassId) {
    let name = cx.name(k);
    let span = cx.lib.ast_ref(scope.file).span(expr);
    let location = cx.lib.location(scope.file, span);
    cx.report(Diagnostic::note("K0375", format!("{name} is called here")).at(location, ""));
}

fn apply(
    fl: &mut Flattener<'_>,
    scope: Scope,
    expr: ast::ExprId,
    k: KlassId,
    function: FunctionId,
    mut args: Vec<f::Value<ExprId>>,
) -> Res<Vec<f::Value<ExprId>>> {
    match try_apply(fl, function, &args) {
        Ok(outputs) => Ok(outputs),
        Err(first) => {
            // Sizes may depend on parameters, or on data.
            data::folded_arguments(fl, &mut args);
            if let Ok(outputs) = try_apply(fl, function, &args) {
                return Ok(outputs);
            }
            if let Some(outputs) = data::run_now(fl, function, &args) {
                return Ok(outputs);
            }
            let message = format!("{} cannot be called like this: {first}", fl.cx.name(k));
            let diagnostic = call_diagnostic(fl.cx, scope, expr, k, "K0376", message);
            Err(fl.cx.report(match data::size_help(fl, &first, &args) {
                Some(help) => diagnostic.help(help),
                None => diagnostic,
            }))
        }
    }
}

/// Numbers if all arguments are numbers, the body of a function that asks for it and is small, or a call.
fn try_apply(
    fl: &mut Flattener<'_>,
    function: FunctionId,
    args: &[f::Value<ExprId>],
) -> Result<Vec<f::Value<ExprId>>, EvalError> {
    if let Some(outputs) = constant_call(&mut fl.pool, function, args) {
        return Ok(outputs);
    }
    if may_inline(fl, function) {
        match inline(&mut fl.pool, &mut fl.functions.calls, function, args, Stage::Early, INLINE_BUDGET) {
            Ok(applied) if applied.assertions.is_empty() => return Ok(applied.outputs),
            _ => {
                fl.functions.inlinable.insert(function, false);
            }
        }
    }
    let calls = &mut fl.functions.calls;
    let outputs = match is_apart(fl.pool.function(function)) {
        true => calls.keep_apart(&mut fl.pool, function, args)?,
        false => calls.keep(&mut fl.pool, function, args)?,
    };
    let first = outputs.iter().find_map(|o| o.scalars().first().copied());
    fl.functions.last_call = match first.map(|e| fl.pool.node(e)) {
        Some(Expression::Output(call, _)) => Some(call),
        _ => Some(keep_effect(fl, function, args)?),
    };
    Ok(outputs)
}

/// Functions that ask to be inlined early are; for all others there is time later.
fn may_inline(fl: &mut Flattener<'_>, function: FunctionId) -> bool {
    if let Some(&known) = fl.functions.inlinable.get(&function) {
        return known;
    }
    let notes = &fl.pool.function(function).notes;
    let may = notes.inline == Some(true)
        && !notes.kept
        && should_inline(&fl.pool, function, Stage::Early).is_some();
    fl.functions.inlinable.insert(function, may);
    may
}

/// The call node itself.
fn keep_effect(
    fl: &mut Flattener<'_>,
    function: FunctionId,
    args: &[f::Value<ExprId>],
) -> Result<ExprId, EvalError> {
    let closed = fl.functions.calls.close(&mut fl.pool, function, args)?;
    let flat = f::layout::flatten(&mut fl.pool, args);
    Ok(fl.pool.call(closed, &flat))
}

/// A value as arguments of a lowered function: one per field.
fn flat_args(pool: &Pool, value: &Value, out: &mut Vec<f::Value<ExprId>>) {
    match value {
        Value::Plain(Ty::String, array) => {
            let texts = array.map(|&e| match pool.node(e) {
                Expression::Text(t) => Text::Known(pool.text_of(t).into()),
                _ => Text::Expr(e),
            });
            out.push(f::Value::texts(texts));
        }
        Value::Plain(_, array) => out.push(array.clone().into()),
        Value::Record(record) => record.fields.iter().for_each(|(_, v)| flat_args(pool, v, out)),
        Value::Nothing | Value::Function(_) => {}
    }
}

/// A value of a declared type from the outputs of a lowered function.
fn assemble(
    fl: &mut Flattener<'_>,
    info: &ComponentInfo,
    outputs: &mut dyn Iterator<Item = f::Value<ExprId>>,
) -> Res<Value> {
    if let Some(leaf) = info.leaf {
        let Some(value) = outputs.next() else { return Err(Reported) };
        let ty = Ty::of(leaf.builtin);
        return Ok(Value::Plain(ty, plain_array(&mut fl.pool, value)?));
    }
    let members = fl.cx.members(info.klass)?;
    let mut fields = Vec::with_capacity(members.components.len());
    for &i in &members.components {
        let member = members.items[i as usize];
        let field = fl.cx.component(&member)?;
        fields.push((field.name, assemble(fl, &field, outputs)?));
    }
    let shape = fields
        .first()
        .map_or(Vec::new(), |(_, v): &(Symbol, Value)| v.shape()[..info.dims.len().min(v.rank())].to_vec());
    Ok(Value::Record(Box::new(RecordValue { klass: info.klass, shape, fields })))
}

fn plain_array(pool: &mut Pool, value: f::Value<ExprId>) -> Res<Array<ExprId>> {
    match value {
        f::Value::Text(texts) => Ok(texts.map(|t| match t {
            Text::Known(text) => pool.text(text),
            Text::Expr(e) => *e,
        })),
        other => other.into_array().map_err(|_| Reported),
    }
}

/// An external object made by its constructor: the call stays a call.
pub fn construct_external(
    fl: &mut Flattener<'_>,
    scope: Scope,
    expr: ast::ExprId,
    k: KlassId,
    args: Vec<ValueArg>,
) -> Res<Vec<Value>> {
    let Some(class::Found::Class(constructor)) = fl.cx.step(k, Symbol::new("constructor")) else {
        let message = format!("{} has no constructor", fl.cx.name(k));
        return Err(call_error(fl.cx, scope, expr, k, "K0377", message));
    };
    note_constructed(fl, k, constructor);
    fl.call_function(scope, expr, constructor, args)
}

/// The constructor knows the class it makes objects of: calls of it are printed with that name.
pub(crate) fn note_constructed(fl: &mut Flattener<'_>, k: KlassId, constructor: KlassId) {
    let key = FunctionKey { klass: constructor, functions: Vec::new() };
    if fl.functions.lowered.contains_key(&key) {
        return;
    }
    if let Ok(id) = fl.lower_function(&key) {
        let mut function = fl.pool.function(id).clone();
        function.notes.constructs = Some(external_class(fl.cx, k));
        fl.pool.set_function(id, function);
        fl.functions.constructed.push(k);
    }
}

/// The full name of the class of an external object, whatever other names it was given.
pub(crate) fn external_class(cx: &mut Classes, klass: KlassId) -> String {
    const MAX_NAMES: usize = 100;
    let mut at = klass;
    for _ in 0..MAX_NAMES {
        if !matches!(cx.lib.class(cx.key(at).def).body, ast::ClassBody::Short(_)) {
            break;
        }
        match cx.members(at).ok().and_then(|m| m.bases.first().copied()) {
            Some(base) => at = base,
            None => break,
        }
    }
    cx.name(at)
}

/// The constructor or destructor of a class of external objects.
pub(crate) fn external_member(fl: &mut Flattener<'_>, k: KlassId, name: &str) -> Option<FunctionId> {
    let class::Found::Class(klass) = fl.cx.step(k, Symbol::new(name))? else { return None };
    fl.lower_function(&FunctionKey { klass, functions: Vec::new() }).ok()
}

/// How many scalars a closed function gives back.
pub fn output_count(pool: &Pool, function: FunctionId) -> Option<usize> {
    Layout::of_outputs(pool.function(function)).map(|l| l.len)
}
