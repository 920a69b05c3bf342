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

mod data;
pub mod externals;
mod foreign;
mod loops;
pub mod lower;
mod notes;
pub mod term;
mod term_builtin;
pub mod term_call;

use std::sync::Arc;

use kausal_symbolic::function::calls::{Calls, constant_call, is_apart};
use kausal_symbolic::function::evaluator::Limits;
use kausal_symbolic::function::inline::{Stage, inline, should_inline};
use kausal_symbolic::function::layout::{Flat, Layout};
use kausal_symbolic::function::{self as f, Array, EvalError, Evaluator, Numbers, Scalar, Text};
use kausal_symbolic::{ExprId, FunctionId, Node as Expression};
use kausal_syntax::ast::{self, Causality, ClassKind};
use kausal_syntax::{Diagnostic, Symbol};
use rustc_hash::FxHashMap;

use crate::class::{ComponentInfo, KlassId, Reported, Res};
use crate::expr::call::ValueArg;
use crate::expr::defaults::evaluation_order;
use crate::flattener::{Flattener, Scope, assignable, with_ty};
use crate::fold::Unfolded;
use crate::modifier::Up;
use crate::value::{FunctionValue, RecordValue, Ty, Value};

/// A function that asks to be inlined may make so many new expressions.
const INLINE_BUDGET: usize = 400;

/// Steps that functions may take while a model is flattened, all their runs together. The examples of the standard library
/// need at most 37,000.
const FOLD_STEPS: u64 = 10_000_000;

/// Functions lowered so far.
#[derive(Debug, Default)]
pub struct Functions {
    /// Small functions that make strings.
    pub texts: FxHashMap<(String, Vec<Scalar>), FunctionId>,
    /// Functions that stand for operators.
    pub kept: crate::expr::kept::KeptFunctions,
    /// The last call made, for calls without outputs.
    pub last_call: Option<ExprId>,
    pub(crate) lowered: FxHashMap<FunctionKey, Res<FunctionId>>,
    signatures: FxHashMap<KlassId, Res<Arc<Signature>>>,
    pub(crate) calls: Calls,
    /// Functions declared impure, as far as somebody asked.
    pub(crate) impure: FxHashMap<KlassId, bool>,
    /// Calls of impure functions in equations, and where they are.
    pub(crate) impure_calls: FxHashMap<ExprId, (KlassId, kausal_syntax::Location)>,
    /// The model is flat text: its calls were found to be in the right places before.
    pub(crate) placed: bool,
    /// Inside `pure(…)`.
    pub(crate) in_pure: bool,
    /// Classes of external objects that something makes.
    pub(crate) constructed: Vec<KlassId>,
    inlinable: FxHashMap<FunctionId, bool>,
    run: FxHashMap<(FunctionId, Vec<ExprId>), Result<Vec<ExprId>, String>>,
    /// Steps taken in all these runs.
    steps: u64,
}

impl Functions {
    /// How long the next run may take.
    fn limits_left(&self) -> Limits {
        Limits { steps: FOLD_STEPS.saturating_sub(self.steps), ..Limits::default() }
    }

    fn count_steps(&mut self, steps: u64) {
        self.steps += steps;
    }
}

/// What a lowered function is made of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FunctionKey {
    /// The class.
    pub klass: KlassId,
    /// For every function among its arguments: its name, the function given, and the names and types of the
    /// arguments bound to it.
    pub functions: Vec<FunctionArgument>,
}

/// A function given as an argument.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FunctionArgument {
    /// The input.
    pub input: Symbol,
    /// What is given.
    pub klass: KlassId,
    /// Bound arguments.
    pub bound: Vec<(Symbol, BoundType)>,
}

/// What an argument bound to a function is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum BoundType {
    /// Scalars of one type, with so many dimensions.
    Plain(Ty, usize),
    /// A record, or an array of records with so many dimensions.
    Record(KlassId, usize, Vec<(Symbol, BoundType)>),
}

impl BoundType {
    fn of_value(value: &Value) -> Option<BoundType> {
        match value {
            Value::Plain(ty, array) => Some(BoundType::Plain(*ty, array.rank())),
            Value::Record(record) => {
                let fields = record.fields.iter().map(|(n, v)| Some((*n, BoundType::of_value(v)?)));
                Some(BoundType::Record(record.klass, record.shape.len(), fields.collect::<Option<_>>()?))
            }
            Value::Nothing | Value::Function(_) => None,
        }
    }

    fn of_term(value: &term::TVal) -> Option<BoundType> {
        match value {
            term::TVal::Plain { ty, rank, .. } => Some(BoundType::Plain(*ty, *rank)),
            term::TVal::Record { klass, rank, fields } => {
                let fields = fields.iter().map(|(n, v)| Some((*n, BoundType::of_term(v)?)));
                Some(BoundType::Record(*klass, *rank, fields.collect::<Option<_>>()?))
            }
            term::TVal::Function { .. } | term::TVal::Nothing => None,
        }
    }
}

/// The inputs and outputs of a function.
#[derive(Debug, Default)]
pub struct Signature {
    /// Inputs, in order.
    pub inputs: Vec<Arc<ComponentInfo>>,
    /// Outputs, in order.
    pub outputs: Vec<Arc<ComponentInfo>>,
    /// Everything else.
    pub locals: Vec<Arc<ComponentInfo>>,
}

impl ComponentInfo {
    /// Is it a function as an argument?
    pub fn is_function(&self) -> bool {
        matches!(self.kind, ClassKind::Function | ClassKind::OperatorFunction)
    }
}

impl Flattener<'_> {
    /// The inputs and outputs of a function.
    pub fn signature(&mut self, k: KlassId) -> Res<Arc<Signature>> {
        if let Some(signature) = self.functions.signatures.get(&k) {
            return signature.clone();
        }
        let signature = self.make_signature(k).map(Arc::new);
        self.functions.signatures.insert(k, signature.clone());
        signature
    }

    fn make_signature(&mut self, k: KlassId) -> Res<Signature> {
        let members = self.cx.members(k)?;
        let mut signature = Signature::default();
        for &i in &members.components {
            let info = self.cx.component(&members.items[i as usize])?;
            match info.causality {
                Causality::Input => signature.inputs.push(info),
                Causality::Output => signature.outputs.push(info),
                Causality::None => signature.locals.push(info),
            }
        }
        Ok(signature)
    }

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
        let signature = self.signature(k)?;
        let values = self.match_args(scope, expr, k, &signature, args)?;
        match self.vector_size(&signature, &values) {
            None => self.call_scalar(scope, expr, k, &signature, values),
            Some(shape) => self.call_vectorized(scope, expr, k, &signature, values, &shape),
        }
    }

    /// One value per input: given by position or name, or the default.
    fn match_args(
        &mut self,
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
                    let message = format!("the input {name} of {} is given twice", self.cx.name(k));
                    return Err(self.call_error(scope, expr, k, "K0371", message));
                }
                Some(slot) => *slot = Some(arg.value),
                None => {
                    let message = match arg.name {
                        Some(name) => format!("{} has no input {name}", self.cx.name(k)),
                        None => format!("{} has only {} inputs", self.cx.name(k), signature.inputs.len()),
                    };
                    return Err(self.call_error(scope, expr, k, "K0371", message));
                }
            }
        }
        let first_local = self.locals.len();
        let result = self.complete_args(scope, expr, k, signature, given, first_local);
        self.locals.truncate(first_local);
        result
    }

    fn complete_args(
        &mut self,
        scope: Scope,
        expr: ast::ExprId,
        k: KlassId,
        signature: &Signature,
        given: Vec<Option<Value>>,
        first_local: usize,
    ) -> Res<Vec<Value>> {
        for (info, value) in signature.inputs.iter().zip(&given) {
            if let Some(value) = value {
                self.locals.push((info.name, value.clone()));
            }
        }
        let order = evaluation_order(self.cx, &signature.inputs, &|i| given[i].is_some());
        let mut values: Vec<Option<Value>> = vec![None; given.len()];
        let mut given = given;
        for i in order {
            let info = &signature.inputs[i];
            values[i] = Some(match given[i].take() {
                Some(value) => self.check_arg(scope, expr, k, info, value)?,
                None => {
                    let value = self.default_arg(scope, expr, k, info, first_local)?;
                    self.locals.push((info.name, value.clone()));
                    value
                }
            });
        }
        Ok(values.into_iter().flatten().collect())
    }

    fn default_arg(
        &mut self,
        scope: Scope,
        expr: ast::ExprId,
        k: KlassId,
        info: &ComponentInfo,
        first_local: usize,
    ) -> Res<Value> {
        let Some(place) = info.binding else {
            if info.leaf.is_none() && !info.is_function() && info.dims.is_empty() {
                // A record whose fields all have defaults.
                return self.construct_record(scope, expr, info.klass, Vec::new());
            }
            let message = format!("the input {} of {} is not given", info.name, self.cx.name(k));
            return Err(self.call_error(scope, expr, k, "K0372", message));
        };
        let inner = if self.has_base(k, place.scope) {
            let at = self.static_inst(k);
            Scope { klass: place.scope, inst: at, file: place.file, locals: first_local as u32 }
        } else {
            // A modifier of the function: its names belong to the component the function was found in.
            let up = if place.up == Up::STATIC { place.up } else { Up(place.up.0.saturating_sub(1)) };
            let at = self.instance_of(scope.inst, up, place.scope);
            Scope { klass: place.scope, inst: at, file: place.file, locals: self.locals.len() as u32 }
        };
        let value = self.eval(inner, place.expr)?;
        self.check_arg(scope, expr, k, info, value)
    }

    fn check_arg(
        &mut self,
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
                let members = self.cx.members(info.klass)?;
                let mut fields = Vec::with_capacity(record.fields.len());
                for &i in &members.components {
                    let name = members.items[i as usize].name;
                    match value.field(name) {
                        Some(field) => fields.push((name, field.clone())),
                        None => {
                            let message = format!(
                                "the input {} of {} has a field {name}, the value has not",
                                info.name,
                                self.cx.name(k)
                            );
                            return Err(self.call_error(scope, expr, k, "K0373", message));
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
                match self.function_misfit(given, &bound, info.klass) {
                    None => Ok(value),
                    Some(why) => {
                        let (given, called) = (self.cx.name(given), self.cx.name(k));
                        let message = format!("{given} cannot be the input {} of {called}: {why}", info.name);
                        Err(self.call_error(scope, expr, k, "K0373", message))
                    }
                }
            }
            _ => {
                let expected = match info.leaf {
                    Some(leaf) => Ty::of(leaf.builtin).text().to_owned(),
                    None => self.cx.name(info.klass),
                };
                let message = format!(
                    "the input {} of {} is {expected}, not {}",
                    info.name,
                    self.cx.name(k),
                    self.describe(&value)
                );
                Err(self.call_error(scope, expr, k, "K0373", message))
            }
        }
    }

    /// Why a function with some of its inputs bound cannot be called like another one (specification section 6.6).
    pub(crate) fn function_misfit(
        &mut self,
        given: KlassId,
        bound: &[Symbol],
        wanted: KlassId,
    ) -> Option<String> {
        let (Ok(given), Ok(wanted)) = (self.signature(given), self.signature(wanted)) else { return None };
        for name in bound {
            if !given.inputs.iter().any(|i| i.name == *name) {
                return Some(format!("it has no input {name}"));
            }
        }
        let inputs: Vec<_> = given.inputs.iter().filter(|i| !bound.contains(&i.name)).cloned().collect();
        for (what, have, want) in
            [("input", &inputs, &wanted.inputs), ("output", &given.outputs, &wanted.outputs)]
        {
            for (i, w) in want.iter().enumerate() {
                let Some(h) = have.get(i) else {
                    return Some(format!("it has no {what} {}", w.name));
                };
                let (a, b) = (self.interface_text(h), self.interface_text(w));
                if h.name != w.name {
                    let order = if i == 0 { "first" } else { "next" };
                    return Some(format!("its {order} {what} is {}, not {}", h.name, w.name));
                }
                let same = match (h.leaf, w.leaf) {
                    (Some(x), Some(y)) => x.builtin == y.builtin,
                    (None, None) => self.missing_members(w.klass, h.klass).is_empty(),
                    _ => false,
                };
                if !same || h.dims.len() != w.dims.len() {
                    return Some(format!("its {what} {} is {a}, not {b}", h.name));
                }
            }
        }
        let extra = inputs.get(wanted.inputs.len()..).unwrap_or_default();
        let extra = extra.iter().find(|i| i.binding.is_none())?;
        Some(format!("its input {} has no value then", extra.name))
    }

    fn interface_text(&self, info: &ComponentInfo) -> String {
        let base = match info.leaf {
            Some(leaf) => self.type_name(Ty::of(leaf.builtin)),
            None => self.cx.name(info.klass),
        };
        match info.dims.len() {
            0 => base,
            n => format!("{base}[{}]", vec![":"; n].join(", ")),
        }
    }

    fn call_error(
        &mut self,
        scope: Scope,
        expr: ast::ExprId,
        k: KlassId,
        code: &'static str,
        message: String,
    ) -> Reported {
        let diagnostic = self.call_diagnostic(scope, expr, k, code, message);
        self.cx.report(diagnostic)
    }

    fn call_diagnostic(
        &mut self,
        scope: Scope,
        expr: ast::ExprId,
        k: KlassId,
        code: &'static str,
        message: String,
    ) -> Diagnostic {
        let location = self.cx.lib.location(scope.file, self.cx.lib.ast_ref(scope.file).span(expr));
        let defined = self.cx.def_location(self.cx.key(k).def);
        Diagnostic::error(code, message).at(location, "called here").at(defined, "defined here")
    }

    /// The dimensions over which a call goes element by element (specification section 12.4.6).
    fn vector_size(&self, signature: &Signature, values: &[Value]) -> Option<Vec<usize>> {
        signature.inputs.iter().zip(values).find_map(|(info, value)| {
            let surplus = value.rank().checked_sub(info.dims.len())?;
            (surplus > 0 && !matches!(value, Value::Function(_))).then(|| value.shape()[..surplus].to_vec())
        })
    }

    fn call_vectorized(
        &mut self,
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
                    return Err(self.call_error(scope, expr, k, "K0374", message));
                }
                match value.index(&index) {
                    Ok(v) => element.push(v),
                    Err(e) => return Err(self.call_error(scope, expr, k, "K0332", e.to_string())),
                }
            }
            let outputs = self.call_scalar(scope, expr, k, signature, element)?;
            for (column, output) in columns.iter_mut().zip(outputs) {
                column.push(output);
            }
        }
        let mut out = Vec::with_capacity(columns.len());
        for (column, info) in columns.into_iter().zip(&signature.outputs) {
            if column.is_empty() {
                let ty = info.leaf.map_or(Ty::Real, |l| Ty::of(l.builtin));
                let array = Array::from_vec(shape, Vec::new());
                out.push(self.array_result(scope, expr, ty, array)?);
                continue;
            }
            let value = self.construct(scope, expr, column)?;
            out.push(crate::flattener::reshape_front(value, shape));
        }
        Ok(out)
    }

    fn call_scalar(
        &mut self,
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
                    key.functions.push(self.function_argument(info.name, function, &mut bound))
                }
                other => self.flat_args(other, &mut flat),
            }
        }
        bound.iter().for_each(|v| self.flat_args(v, &mut flat));
        let function = self.lower_function(&key).map_err(|Reported| {
            self.note_call(scope, expr, k);
            Reported
        })?;
        self.functions.last_call = None;
        let outputs = self.apply(scope, expr, k, function, flat)?;
        self.note_impure(scope, expr, k);
        let scalars: usize = outputs.iter().map(|o| o.shape().iter().product::<usize>()).sum();
        self.spend_at(scope, expr, scalars as u64 * crate::budget::OUTPUT)?;
        let mut outputs = outputs.into_iter();
        let mut out = Vec::with_capacity(signature.outputs.len());
        for info in &signature.outputs {
            out.push(self.assemble(info, &mut outputs)?);
        }
        Ok(out)
    }

    fn function_argument(
        &mut self,
        input: Symbol,
        function: &FunctionValue,
        bound: &mut Vec<Value>,
    ) -> FunctionArgument {
        let mut list = Vec::new();
        for (name, value) in &function.bound {
            if let Some(ty) = BoundType::of_value(value) {
                list.push((*name, ty));
                bound.push(value.clone());
            }
        }
        FunctionArgument { input, klass: function.klass, bound: list }
    }

    fn note_call(&mut self, scope: Scope, expr: ast::ExprId, k: KlassId) {
        let name = self.cx.name(k);
        let span = self.cx.lib.ast_ref(scope.file).span(expr);
        let location = self.cx.lib.location(scope.file, span);
        self.cx.report(Diagnostic::note("K0375", format!("{name} is called here")).at(location, ""));
    }

    fn apply(
        &mut self,
        scope: Scope,
        expr: ast::ExprId,
        k: KlassId,
        function: FunctionId,
        mut args: Vec<f::Value<ExprId>>,
    ) -> Res<Vec<f::Value<ExprId>>> {
        match self.try_apply(function, &args) {
            Ok(outputs) => Ok(outputs),
            Err(first) => {
                // Sizes may depend on parameters, or on data.
                self.folded_arguments(&mut args);
                if let Ok(outputs) = self.try_apply(function, &args) {
                    return Ok(outputs);
                }
                if let Some(outputs) = self.run_now(function, &args) {
                    return Ok(outputs);
                }
                let message = format!("{} cannot be called like this: {first}", self.cx.name(k));
                let diagnostic = self.call_diagnostic(scope, expr, k, "K0376", message);
                Err(self.cx.report(match self.size_help(&first, &args) {
                    Some(help) => diagnostic.help(help),
                    None => diagnostic,
                }))
            }
        }
    }

    /// Numbers if all arguments are numbers, the body of a function that asks for it and is small, or a call.
    fn try_apply(
        &mut self,
        function: FunctionId,
        args: &[f::Value<ExprId>],
    ) -> Result<Vec<f::Value<ExprId>>, EvalError> {
        if let Some(outputs) = constant_call(&mut self.pool, function, args) {
            return Ok(outputs);
        }
        if self.may_inline(function) {
            match inline(
                &mut self.pool,
                &mut self.functions.calls,
                function,
                args,
                Stage::Early,
                INLINE_BUDGET,
            ) {
                Ok(applied) if applied.assertions.is_empty() => return Ok(applied.outputs),
                _ => {
                    self.functions.inlinable.insert(function, false);
                }
            }
        }
        let calls = &mut self.functions.calls;
        let outputs = match is_apart(self.pool.function(function)) {
            true => calls.keep_apart(&mut self.pool, function, args)?,
            false => calls.keep(&mut self.pool, function, args)?,
        };
        let first = outputs.iter().find_map(|o| o.scalars().first().copied());
        self.functions.last_call = match first.map(|e| self.pool.node(e)) {
            Some(Expression::Output(call, _)) => Some(call),
            _ => Some(self.keep_effect(function, args)?),
        };
        Ok(outputs)
    }

    /// Functions that ask to be inlined early are; for all others there is time later.
    fn may_inline(&mut self, function: FunctionId) -> bool {
        if let Some(&known) = self.functions.inlinable.get(&function) {
            return known;
        }
        let notes = &self.pool.function(function).notes;
        let may = notes.inline == Some(true)
            && !notes.kept
            && should_inline(&self.pool, function, Stage::Early).is_some();
        self.functions.inlinable.insert(function, may);
        may
    }

    /// The call node itself.
    fn keep_effect(&mut self, function: FunctionId, args: &[f::Value<ExprId>]) -> Result<ExprId, EvalError> {
        let closed = self.functions.calls.close(&mut self.pool, function, args)?;
        let flat = f::layout::flatten(&mut self.pool, args);
        Ok(self.pool.call(closed, &flat))
    }

    /// A value as arguments of a lowered function: one per field.
    fn flat_args(&self, value: &Value, out: &mut Vec<f::Value<ExprId>>) {
        match value {
            Value::Plain(Ty::String, array) => {
                let texts = array.map(|&e| match self.pool.node(e) {
                    Expression::Text(t) => Text::Known(self.pool.text_of(t).into()),
                    _ => Text::Expr(e),
                });
                out.push(f::Value::texts(texts));
            }
            Value::Plain(_, array) => out.push(array.clone().into()),
            Value::Record(record) => record.fields.iter().for_each(|(_, v)| self.flat_args(v, out)),
            Value::Nothing | Value::Function(_) => {}
        }
    }

    /// A value of a declared type from the outputs of a lowered function.
    fn assemble(
        &mut self,
        info: &ComponentInfo,
        outputs: &mut dyn Iterator<Item = f::Value<ExprId>>,
    ) -> Res<Value> {
        if let Some(leaf) = info.leaf {
            let Some(value) = outputs.next() else { return Err(Reported) };
            let ty = Ty::of(leaf.builtin);
            return Ok(Value::Plain(ty, self.plain_array(value)?));
        }
        let members = self.cx.members(info.klass)?;
        let mut fields = Vec::with_capacity(members.components.len());
        for &i in &members.components {
            let member = members.items[i as usize];
            let field = self.cx.component(&member)?;
            fields.push((field.name, self.assemble(&field, outputs)?));
        }
        let shape = fields.first().map_or(Vec::new(), |(_, v): &(Symbol, Value)| {
            v.shape()[..info.dims.len().min(v.rank())].to_vec()
        });
        Ok(Value::Record(Box::new(RecordValue { klass: info.klass, shape, fields })))
    }

    fn plain_array(&mut self, value: f::Value<ExprId>) -> Res<Array<ExprId>> {
        match value {
            f::Value::Text(texts) => Ok(texts.map(|t| match t {
                Text::Known(text) => self.pool.text(text),
                Text::Expr(e) => *e,
            })),
            other => other.into_array().map_err(|_| Reported),
        }
    }

    /// An external object made by its constructor: the call stays a call.
    pub fn construct_external(
        &mut self,
        scope: Scope,
        expr: ast::ExprId,
        k: KlassId,
        args: Vec<ValueArg>,
    ) -> Res<Vec<Value>> {
        let Some(crate::lookup::Found::Class(constructor)) = self.cx.step(k, Symbol::new("constructor"))
        else {
            let message = format!("{} has no constructor", self.cx.name(k));
            return Err(self.call_error(scope, expr, k, "K0377", message));
        };
        self.note_constructed(k, constructor);
        self.call_function(scope, expr, constructor, args)
    }

    /// The constructor knows the class it makes objects of: calls of it are printed with that name.
    pub(crate) fn note_constructed(&mut self, k: KlassId, constructor: KlassId) {
        let key = FunctionKey { klass: constructor, functions: Vec::new() };
        if self.functions.lowered.contains_key(&key) {
            return;
        }
        if let Ok(id) = self.lower_function(&key) {
            let mut function = self.pool.function(id).clone();
            function.notes.constructs = Some(self.external_class(k));
            self.pool.set_function(id, function);
            self.functions.constructed.push(k);
        }
    }

    /// The full name of the class of an external object, whatever other names it was given.
    pub(crate) fn external_class(&mut self, klass: KlassId) -> String {
        const MAX_NAMES: usize = 100;
        let mut at = klass;
        for _ in 0..MAX_NAMES {
            if !matches!(self.cx.lib.class(self.cx.key(at).def).body, ast::ClassBody::Short(_)) {
                break;
            }
            match self.cx.members(at).ok().and_then(|m| m.bases.first().copied()) {
                Some(base) => at = base,
                None => break,
            }
        }
        self.cx.name(at)
    }

    /// The constructor or destructor of a class of external objects.
    pub(crate) fn external_member(&mut self, k: KlassId, name: &str) -> Option<FunctionId> {
        let crate::lookup::Found::Class(klass) = self.cx.step(k, Symbol::new(name))? else { return None };
        self.lower_function(&FunctionKey { klass, functions: Vec::new() }).ok()
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

    /// How many scalars a closed function gives back.
    pub fn output_count(&self, function: FunctionId) -> Option<usize> {
        Layout::of_outputs(self.pool.function(function)).map(|l| l.len)
    }
}
