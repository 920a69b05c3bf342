//! Calls inside functions: user functions, record constructors, operators of records.

use std::sync::Arc;

use kausal_symbolic::FunctionId;
use kausal_symbolic::function::{ArrayFn, LocalId, Reduction, Subscript, Term, TermId};
use kausal_syntax::ast::{Arg, BinaryOp, ClassKind, ComponentRef};
use kausal_syntax::{Ast, Symbol, ast};
use rustc_hash::FxHashMap;

use crate::class::{Classes, ComponentInfo, Place, Reported, Res};
use crate::expr::arguments::is_builtin;
use crate::expr::defaults::evaluation_order;
use crate::expr::overload::ArgType;
use crate::expr::reference::Cursor;
use crate::expr::{arguments, builtin, call, overload, place};
use crate::flattener::Flattener;
use crate::functions::context::Lower;
use crate::functions::table::{FunctionArgument, FunctionKey, Signature, TVal};
use crate::functions::term::cat;
use crate::functions::term_builtin::arg_type;
use crate::functions::{context, table, term, term_builtin};
use crate::ids::KlassId;
use crate::prelude::Builtin;
use crate::rules::purity;
use crate::value::{Ty, assignable};
use crate::{class, functions, interface, tree};

/// A call of a user function.
pub struct LoweredCall {
    function: FunctionId,
    args: Vec<TermId>,
    /// The outputs, as declared.
    pub outputs: Vec<TVal>,
}

impl LoweredCall {
    /// The term of the call.
    pub fn first_term(&self, lo: &mut Lower) -> TermId {
        lo.term(Term::Call(self.function, self.args.clone(), 0))
    }
}

/// An argument of a call.
#[derive(Clone)]
pub struct TermArg {
    name: Option<Symbol>,
    value: TVal,
}

/// The fields of a record, or the inputs of a function, that have values already.
#[derive(Clone)]
struct Names {
    klass: KlassId,
    env: FxHashMap<Symbol, TVal>,
}

impl Flattener<'_> {
    /// What a call in a function is worth: its first output.
    pub(super) fn lower_call(
        &mut self,
        lo: &mut Lower,
        ast: &Ast,
        expr: ast::ExprId,
        function: &ComponentRef,
        args: &[Arg],
    ) -> Res<TVal> {
        if let Some(name) = builtin_called(self, lo, ast, function)? {
            let scope = term::constant_scope(self, lo);
            let mut ordered = args.to_vec();
            if args.iter().any(|a| a.name.is_some()) {
                match quiet_resolve(self, scope, ast, function) {
                    Ok(Cursor::Class(k, _)) if call::external_builtin(self.cx, k).is_some() => {
                        ordered = call::ordered_args(self, scope, expr, k, args)?;
                    }
                    _ => builtin::check_positional(self.cx, scope, &name, args)?,
                }
            }
            return term_builtin::lower_builtin(self, lo, ast, expr, &name, &ordered);
        }
        match callee(self, lo, ast, expr, function)? {
            Callee::Bound(klass, bound) => {
                let mut args = lower_args(self, lo, args)?;
                args.extend(bound.into_iter().map(|(n, value)| TermArg { name: Some(n), value }));
                call_value(self, lo, expr, klass, args)
            }
            Callee::Class(k) => {
                let args = lower_args(self, lo, args)?;
                lower_class_call(self, lo, expr, k, args)
            }
        }
    }

    pub(super) fn lower_overloaded(
        &mut self,
        lo: &mut Lower,
        expr: ast::ExprId,
        klass: KlassId,
        name: &str,
        values: Vec<TVal>,
    ) -> Res<TVal> {
        match self.cx.step(klass, Symbol::new(name)) {
            Some(class::Found::Class(operator)) => apply_functions(self, lo, expr, operator, name, values),
            _ => {
                let message = format!("{} has no operator {name}", self.cx.name(klass));
                Err(term::at_term(self, lo, expr, "K0340", message))
            }
        }
    }

    /// Element by element where one or both are arrays of records.
    pub(super) fn lower_overloaded_arrays(
        &mut self,
        lo: &mut Lower,
        expr: ast::ExprId,
        klass: KlassId,
        op: BinaryOp,
        name: &str,
        a: TVal,
        b: TVal,
    ) -> Res<TVal> {
        let (ra, rb) = (a.rank(), b.rank());
        if ra == 0 && rb == 0 {
            return self.lower_overloaded(lo, expr, klass, name, vec![a, b]);
        }
        let elementwise = ra == 0 || rb == 0 || (ra == rb && !matches!(op, BinaryOp::Mul | BinaryOp::Div));
        let whole = if ra > 0 { a.any_term() } else { b.any_term() };
        let (true, Some(whole), 1) = (elementwise, whole, ra.max(rb)) else {
            let message = format!("{name} of arrays of records is not supported in functions yet");
            return Err(term::at_term(self, lo, expr, "K0391", message));
        };
        let one = lo.term(Term::Const(1.0));
        let local = lo.local("i".to_owned(), Ty::Integer, Vec::new());
        let size = lo.term(Term::Array(ArrayFn::SizeOf, vec![whole, one]));
        let range = lo.term(Term::Array(ArrayFn::Range, vec![one, size]));
        let index = lo.term(Term::Local(local));
        let mut element = |value: TVal| match value.rank() {
            0 => value,
            _ => value.map(-1, &mut |term, rank| {
                let mut subs = vec![Subscript::Index(index)];
                subs.resize(rank.max(1), Subscript::All);
                lo.term(Term::Index(term, subs))
            }),
        };
        let (x, y) = (element(a), element(b));
        let value = self.lower_overloaded(lo, expr, klass, name, vec![x, y])?;
        Ok(value.map(1, &mut |term, _| lo.term(Term::For(Reduction::Array, term, vec![(local, range)]))))
    }
}

/// A call with all its outputs; `None` if it is not a user function.
pub(super) fn lower_user_call(
    fl: &mut Flattener<'_>,
    lo: &mut Lower,
    ast: &Ast,
    expr: ast::ExprId,
    function: &ComponentRef,
    args: &[Arg],
) -> Res<Option<LoweredCall>> {
    if builtin_called(fl, lo, ast, function)?.is_some() {
        return Ok(None);
    }
    let (k, bound) = match callee(fl, lo, ast, expr, function)? {
        Callee::Bound(klass, bound) => (klass, bound),
        Callee::Class(k) => (k, Vec::new()),
    };
    if !matches!(fl.cx.deep_kind(k), ClassKind::Function | ClassKind::OperatorFunction) {
        return Ok(None);
    }
    purity::check_pure_place(fl, lo, expr, k)?;
    let mut args = lower_args(fl, lo, args)?;
    args.extend(bound.into_iter().map(|(n, value)| TermArg { name: Some(n), value }));
    let signature = interface::signature(fl, k)?;
    let values = match_terms(fl, lo, expr, k, &signature, args)?;
    if surplus(&signature, &values).is_some() {
        return Ok(None);
    }
    call_terms(fl, lo, k, &signature, values).map(Some)
}

fn builtin_called(
    fl: &mut Flattener<'_>,
    lo: &mut Lower,
    ast: &Ast,
    function: &ComponentRef,
) -> Res<Option<String>> {
    let parts = ast.lists.parts.get(function.parts);
    let [only] = parts else {
        // `Modelica.Math.sin` is another name of `sin`.
        if function.global || !lo.env.contains_key(&parts[0].name.symbol) {
            let scope = term::constant_scope(fl, lo);
            if let Ok(Cursor::Class(k, _)) = quiet_resolve(fl, scope, ast, function) {
                return Ok(call::external_builtin(fl.cx, k));
            }
        }
        return Ok(None);
    };
    let name = only.name.symbol;
    if function.global && is_builtin(name.as_str()) {
        return Ok(Some(name.as_str().to_owned()));
    }
    if lo.env.contains_key(&name) {
        return Ok(None);
    }
    match fl.cx.find(lo.klass, name) {
        Some(class::Found::Class(k)) => {
            let def = fl.cx.key(k).def;
            if fl.cx.builtins.contains_key(&def) {
                return Ok(Some(name.as_str().to_owned()));
            }
            Ok(call::external_builtin(fl.cx, k))
        }
        _ => Ok(is_builtin(name.as_str()).then(|| name.as_str().to_owned())),
    }
}

fn quiet_resolve(
    fl: &mut Flattener<'_>,
    scope: tree::Scope,
    ast: &Ast,
    function: &ComponentRef,
) -> Res<Cursor> {
    let mark = fl.cx.diagnostics.len();
    let result = fl.resolve_ref(scope, ast, function);
    if result.is_err() {
        fl.cx.diagnostics.truncate(mark);
    }
    result
}

fn callee(
    fl: &mut Flattener<'_>,
    lo: &mut Lower,
    ast: &Ast,
    expr: ast::ExprId,
    function: &ComponentRef,
) -> Res<Callee> {
    let parts = ast.lists.parts.get(function.parts);
    if let [only] = parts
        && let Some(table::TVal::Function { klass, bound }) = lo.env.get(&only.name.symbol)
    {
        return Ok(Callee::Bound(*klass, bound.clone()));
    }
    let scope = term::constant_scope(fl, lo);
    match fl.resolve_ref(scope, ast, function)? {
        Cursor::Class(k, _) => Ok(Callee::Class(k)),
        _ => {
            let message = format!("{} is not a function", place::ref_text(ast, function));
            Err(term::at_term(fl, lo, expr, "K0207", message))
        }
    }
}

fn lower_args(fl: &mut Flattener<'_>, lo: &mut Lower, args: &[Arg]) -> Res<Vec<TermArg>> {
    let mut values = Vec::with_capacity(args.len());
    for arg in args {
        let value = term::lower_expr(fl, lo, arg.value)?;
        values.push(TermArg { name: arg.name.map(|n| n.symbol), value });
    }
    Ok(values)
}

fn lower_class_call(
    fl: &mut Flattener<'_>,
    lo: &mut Lower,
    expr: ast::ExprId,
    k: KlassId,
    args: Vec<TermArg>,
) -> Res<TVal> {
    match fl.cx.deep_kind(k) {
        ClassKind::Record => lower_record(fl, lo, expr, k, args),
        ClassKind::OperatorRecord => lower_operator_record(fl, lo, expr, k, args),
        ClassKind::Function | ClassKind::OperatorFunction => call_value(fl, lo, expr, k, args),
        ClassKind::Operator => {
            let values = args.into_iter().map(|a| a.value).collect();
            apply_functions(fl, lo, expr, k, "the operator", values)
        }
        _ => {
            if let Some(leaf) = fl.cx.leaf(k) {
                match (leaf.builtin, args.as_slice()) {
                    (
                        Builtin::Enumeration(def),
                        [TermArg { value: table::TVal::Plain { rank, term, .. }, .. }],
                    ) => {
                        return Ok(table::TVal::Plain { ty: Ty::Enumeration(def), rank: *rank, term: *term });
                    }
                    (Builtin::ExternalObject, _) => {
                        if let Some(class::Found::Class(constructor)) =
                            fl.cx.step(k, Symbol::new("constructor"))
                        {
                            functions::note_constructed(fl, k, constructor);
                            return call_value(fl, lo, expr, constructor, args);
                        }
                    }
                    _ => {}
                }
            }
            let message = format!("{} is not a function", fl.cx.name(k));
            Err(term::at_term(fl, lo, expr, "K0207", message))
        }
    }
}

/// The first output of a function, element by element where arrays are given for scalars.
fn call_value(
    fl: &mut Flattener<'_>,
    lo: &mut Lower,
    expr: ast::ExprId,
    k: KlassId,
    args: Vec<TermArg>,
) -> Res<TVal> {
    purity::check_pure_place(fl, lo, expr, k)?;
    let signature = interface::signature(fl, k)?;
    let values = match_terms(fl, lo, expr, k, &signature, args)?;
    match surplus(&signature, &values) {
        None => {
            let call = call_terms(fl, lo, k, &signature, values)?;
            match call.outputs.into_iter().next() {
                Some(value) => Ok(value),
                None => Ok(table::TVal::Nothing),
            }
        }
        Some((at, extra)) => call_elements(fl, lo, k, &signature, values, at, extra),
    }
}

fn call_elements(
    fl: &mut Flattener<'_>,
    lo: &mut Lower,
    k: KlassId,
    signature: &Signature,
    values: Vec<TVal>,
    at: usize,
    extra: usize,
) -> Res<TVal> {
    let Some(whole) = values[at].any_term() else { return Err(Reported) };
    let one = lo.term(Term::Const(1.0));
    let mut iterators: Vec<(LocalId, TermId)> = Vec::with_capacity(extra);
    let mut subs = Vec::with_capacity(extra);
    for d in 1..=extra {
        let local = lo.local(format!("i{d}"), Ty::Integer, Vec::new());
        let dimension = lo.term(Term::Const(d as f64));
        let size = lo.term(Term::Array(ArrayFn::SizeOf, vec![whole, dimension]));
        let range = lo.term(Term::Array(ArrayFn::Range, vec![one, size]));
        iterators.push((local, range));
        let index = lo.term(Term::Local(local));
        subs.push(Subscript::Index(index));
    }
    let mut elements = Vec::with_capacity(values.len());
    for (info, value) in signature.inputs.iter().zip(&values) {
        if value.rank() > info.dims.len() {
            elements.push(value.map(-(extra as isize), &mut |term, rank| {
                let mut subs = subs.clone();
                subs.resize(rank.max(extra), Subscript::All);
                lo.term(Term::Index(term, subs))
            }));
        } else {
            elements.push(value.clone());
        }
    }
    let call = call_terms(fl, lo, k, signature, elements)?;
    let Some(value) = call.outputs.into_iter().next() else { return Ok(table::TVal::Nothing) };
    // The first iterator varies fastest: the last dimension comes first.
    iterators.reverse();
    Ok(value
        .map(extra as isize, &mut |term, _| lo.term(Term::For(Reduction::Array, term, iterators.clone()))))
}

fn call_terms(
    fl: &mut Flattener<'_>,
    lo: &mut Lower,
    k: KlassId,
    signature: &Signature,
    values: Vec<TVal>,
) -> Res<LoweredCall> {
    let mut key = FunctionKey { klass: k, functions: Vec::new() };
    let mut args = Vec::new();
    let mut extra = Vec::new();
    for (info, value) in signature.inputs.iter().zip(&values) {
        match value {
            table::TVal::Function { klass, bound } => {
                let mut list = Vec::new();
                for (name, value) in bound {
                    if let Some(ty) = table::BoundType::of_term(value) {
                        list.push((*name, ty));
                        value.terms(&mut extra);
                    }
                }
                key.functions.push(FunctionArgument { input: info.name, klass: *klass, bound: list });
            }
            other => other.terms(&mut args),
        }
    }
    args.extend(extra);
    let function = fl.lower_function(&key)?;
    let mut number = 0;
    let mut outputs = Vec::with_capacity(signature.outputs.len());
    for info in &signature.outputs {
        outputs.push(output_value(fl.cx, lo, function, &args, info, 0, &mut number)?);
    }
    Ok(LoweredCall { function, args, outputs })
}

fn output_value(
    cx: &mut Classes,
    lo: &mut Lower,
    function: FunctionId,
    args: &[TermId],
    info: &ComponentInfo,
    front: usize,
    number: &mut u32,
) -> Res<TVal> {
    let rank = front + info.dims.len();
    if let Some(leaf) = info.leaf {
        let term = lo.term(Term::Call(function, args.to_vec(), *number));
        *number += 1;
        return Ok(table::TVal::Plain { ty: Ty::of(leaf.builtin), rank, term });
    }
    let members = cx.members(info.klass)?;
    let mut fields = Vec::with_capacity(members.components.len());
    for &i in &members.components {
        let field = cx.component(&members.items[i as usize])?;
        fields.push((field.name, output_value(cx, lo, function, args, &field, rank, number)?));
    }
    Ok(table::TVal::Record { klass: info.klass, rank, fields })
}

/// One value per input: given by position or name, or the default.
fn match_terms(
    fl: &mut Flattener<'_>,
    lo: &mut Lower,
    expr: ast::ExprId,
    k: KlassId,
    signature: &Signature,
    args: Vec<TermArg>,
) -> Res<Vec<TVal>> {
    let given = place_args(fl, lo, expr, k, &signature.inputs, args, |_| true)?;
    complete_terms(fl, lo, expr, k, &signature.inputs, given, &[])
}

fn place_args(
    fl: &mut Flattener<'_>,
    lo: &mut Lower,
    expr: ast::ExprId,
    k: KlassId,
    formals: &[Arc<ComponentInfo>],
    args: Vec<TermArg>,
    positional: fn(&ComponentInfo) -> bool,
) -> Res<Vec<Option<TVal>>> {
    let mut given: Vec<Option<TVal>> = vec![None; formals.len()];
    let mut position = 0;
    for arg in args {
        let at = match arg.name {
            Some(name) => formals.iter().position(|i| i.name == name),
            None => {
                while formals.get(position).is_some_and(|i| !positional(i)) {
                    position += 1;
                }
                position += 1;
                Some(position - 1)
            }
        };
        match at.and_then(|at| given.get_mut(at)) {
            Some(Some(_)) => {
                let name = at.and_then(|at| formals.get(at)).map_or("", |i| i.name.as_str());
                let message = format!("the input {name} of {} is given twice", fl.cx.name(k));
                return Err(term::at_term(fl, lo, expr, "K0371", message));
            }
            Some(slot) => *slot = Some(arg.value),
            None => {
                let message = match arg.name {
                    Some(name) => format!("{} has no input {name}", fl.cx.name(k)),
                    None => format!("{} has only {} inputs", fl.cx.name(k), formals.len()),
                };
                return Err(term::at_term(fl, lo, expr, "K0371", message));
            }
        }
    }
    Ok(given)
}

/// Values for all, defaults where nothing is given; defaults may use the other values, and those of the records
/// `around` it.
fn complete_terms(
    fl: &mut Flattener<'_>,
    lo: &mut Lower,
    expr: ast::ExprId,
    k: KlassId,
    formals: &[Arc<ComponentInfo>],
    given: Vec<Option<TVal>>,
    around: &[Names],
) -> Res<Vec<TVal>> {
    let mut names = Names { klass: k, env: FxHashMap::default() };
    for (info, value) in formals.iter().zip(&given) {
        if let Some(value) = value {
            names.env.insert(info.name, value.clone());
        }
    }
    let order = evaluation_order(fl.cx, formals, &|i| given[i].is_some());
    let mut values: Vec<Option<TVal>> = vec![None; given.len()];
    let mut given = given;
    for i in order {
        let info = &formals[i];
        let value = match given[i].take() {
            Some(value) => value,
            None => match info.binding {
                Some(place) => {
                    let mut frames = around.to_vec();
                    frames.push(names);
                    let value = lower_default(fl, lo, &place, &mut frames);
                    names = frames.pop().unwrap_or_else(|| Names { klass: k, env: FxHashMap::default() });
                    let value = value?;
                    names.env.insert(info.name, value.clone());
                    value
                }
                None if info.leaf.is_none() && !info.is_function() => {
                    let mut frames = around.to_vec();
                    frames.push(names.clone());
                    let value = lower_record_inside(fl, lo, expr, info.klass, Vec::new(), &frames)?;
                    names.env.insert(info.name, value.clone());
                    value
                }
                None => {
                    let message = format!("the input {} of {} is not given", info.name, fl.cx.name(k));
                    return Err(term::at_term(fl, lo, expr, "K0372", message));
                }
            },
        };
        values[i] = Some(check_term(fl, lo, expr, k, info, value)?);
    }
    Ok(values.into_iter().flatten().collect())
}

/// A default: it sees the names of the class it is written in, the innermost of `frames` that has them.
fn lower_default(fl: &mut Flattener<'_>, lo: &mut Lower, place: &Place, frames: &mut [Names]) -> Res<TVal> {
    let (klass, file) = (lo.klass, lo.file);
    (lo.klass, lo.file) = (place.scope, place.file);
    let outer = lo.outer.take();
    let mut nothing = FxHashMap::default();
    let seen = frames.iter_mut().rev().find(|names| context::has_base(fl.cx, names.klass, place.scope));
    let env = seen.map_or(&mut nothing, |names| &mut names.env);
    let before = std::mem::replace(&mut lo.env, std::mem::take(env));
    let value = term::lower_expr(fl, lo, place.expr);
    *env = std::mem::replace(&mut lo.env, before);
    lo.outer = outer;
    (lo.klass, lo.file) = (klass, file);
    value
}

fn check_term(
    fl: &mut Flattener<'_>,
    lo: &mut Lower,
    expr: ast::ExprId,
    k: KlassId,
    info: &ComponentInfo,
    value: TVal,
) -> Res<TVal> {
    match (&value, info.leaf) {
        (table::TVal::Plain { ty, rank, term }, Some(leaf)) if assignable(Ty::of(leaf.builtin), *ty) => {
            Ok(table::TVal::Plain { ty: Ty::of(leaf.builtin), rank: *rank, term: *term })
        }
        (table::TVal::Record { klass, rank, .. }, None) if !info.is_function() => {
            let members = fl.cx.members(info.klass)?;
            let mut fields = Vec::with_capacity(members.components.len());
            for &i in &members.components {
                let name = members.items[i as usize].name;
                match value.field(name) {
                    Some(field) => fields.push((name, field.clone())),
                    None => {
                        let message = format!("the value of {} has no field {name}", info.name);
                        return Err(term::at_term(fl, lo, expr, "K0373", message));
                    }
                }
            }
            Ok(table::TVal::Record { klass: *klass, rank: *rank, fields })
        }
        (table::TVal::Function { klass, bound }, None) if info.is_function() => {
            let bound: Vec<Symbol> = bound.iter().map(|(n, _)| *n).collect();
            match interface::function_misfit(fl, *klass, &bound, info.klass) {
                None => Ok(value),
                Some(why) => {
                    let (given, called) = (fl.cx.name(*klass), fl.cx.name(k));
                    let message = format!("{given} cannot be the input {} of {called}: {why}", info.name);
                    Err(term::at_term(fl, lo, expr, "K0373", message))
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
                value.describe()
            );
            Err(term::at_term(fl, lo, expr, "K0373", message))
        }
    }
}

/// A record from its fields.
fn lower_record(
    fl: &mut Flattener<'_>,
    lo: &mut Lower,
    expr: ast::ExprId,
    k: KlassId,
    args: Vec<TermArg>,
) -> Res<TVal> {
    lower_record_inside(fl, lo, expr, k, args, &[])
}

/// A record that is a field of other records being made.
fn lower_record_inside(
    fl: &mut Flattener<'_>,
    lo: &mut Lower,
    expr: ast::ExprId,
    k: KlassId,
    args: Vec<TermArg>,
    around: &[Names],
) -> Res<TVal> {
    let members = fl.cx.members(k)?;
    let mut infos = Vec::with_capacity(members.components.len());
    for &i in &members.components {
        infos.push(fl.cx.component(&members.items[i as usize])?);
    }
    let given = place_args(fl, lo, expr, k, &infos, args, |i| {
        !i.is_final && i.variability != ast::Variability::Constant
    })?;
    let values = complete_terms(fl, lo, expr, k, &infos, given, around)?;
    let fields = infos.iter().map(|i| i.name).zip(values).collect();
    Ok(table::TVal::Record { klass: k, rank: 0, fields })
}

fn lower_operator_record(
    fl: &mut Flattener<'_>,
    lo: &mut Lower,
    expr: ast::ExprId,
    k: KlassId,
    args: Vec<TermArg>,
) -> Res<TVal> {
    if let Some(class::Found::Class(operator)) = fl.cx.step(k, Symbol::new("'constructor'")) {
        let types: Vec<ArgType> =
            args.iter().take_while(|a| a.name.is_none()).map(|a| arg_type(&a.value)).collect();
        let named = types.len() < args.len();
        for f in arguments::operator_functions(fl.cx, operator) {
            if named || overload::accepts_types(fl, f, &types) {
                return call_value(fl, lo, expr, f, args);
            }
        }
    }
    lower_record(fl, lo, expr, k, args)
}

fn apply_functions(
    fl: &mut Flattener<'_>,
    lo: &mut Lower,
    expr: ast::ExprId,
    operator: KlassId,
    name: &str,
    values: Vec<TVal>,
) -> Res<TVal> {
    let functions = arguments::operator_functions(fl.cx, operator);
    let types: Vec<ArgType> = values.iter().map(arg_type).collect();
    let args = |values: Vec<TVal>| values.into_iter().map(|value| TermArg { name: None, value }).collect();
    for &f in &functions {
        if overload::accepts_types(fl, f, &types) {
            return call_value(fl, lo, expr, f, args(values));
        }
    }
    let klass = values.iter().find_map(|v| match v {
        table::TVal::Record { klass, .. } => Some(*klass),
        _ => None,
    });
    if let Some(klass) = klass
        && values.iter().any(|v| !matches!(v, table::TVal::Record { .. }))
    {
        let mut converted = Vec::with_capacity(values.len());
        for value in values {
            converted.push(match value {
                table::TVal::Record { .. } => value,
                _ => lower_operator_record(fl, lo, expr, klass, vec![TermArg { name: None, value }])?,
            });
        }
        let types: Vec<ArgType> = converted.iter().map(arg_type).collect();
        for &f in &functions {
            if overload::accepts_types(fl, f, &types) {
                return call_value(fl, lo, expr, f, args(converted));
            }
        }
    }
    Err(term::at_term(fl, lo, expr, "K0340", format!("{name} cannot be applied to these values")))
}

/// `cat(dimension, …)` of terms, for those who make arrays elsewhere.
pub fn cat_terms(lo: &mut Lower, dimension: usize, parts: Vec<TermId>) -> TermId {
    cat(lo, dimension, parts)
}

enum Callee {
    Class(KlassId),
    Bound(KlassId, Vec<(Symbol, TVal)>),
}

/// The first input that gets an array for a scalar, and by how many dimensions.
fn surplus(signature: &Signature, values: &[TVal]) -> Option<(usize, usize)> {
    signature.inputs.iter().zip(values).enumerate().find_map(|(i, (info, value))| {
        let extra = value.rank().checked_sub(info.dims.len())?;
        (extra > 0 && !matches!(value, table::TVal::Function { .. })).then_some((i, extra))
    })
}
