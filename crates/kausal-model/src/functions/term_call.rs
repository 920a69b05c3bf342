//! Calls inside functions: built-in functions, user functions, record constructors, operators of records.

use std::sync::Arc;

use kausal_symbolic::function::array::MAX_TEXT;
use kausal_symbolic::function::text::{TextFormat, format_number};
use kausal_symbolic::function::{ArrayFn, LocalId, Reduction, Scalar, Subscript, Term, TermId};
use kausal_symbolic::{FunctionId, Op};
use kausal_syntax::ast::{self, Arg, BinaryOp, ClassKind, ComponentRef};
use kausal_syntax::{Ast, Symbol};
use rustc_hash::FxHashMap;

use super::lower::Lower;
use super::term::{TVal, cat, choose, join};
use super::{BoundType, FunctionArgument, FunctionKey, Signature};
use crate::class::{ComponentInfo, KlassId, Place, Reported, Res};
use crate::expr::builtin::is_builtin;
use crate::expr::kept::{is_clocked, is_state_machine};
use crate::expr::overload::ArgType;
use crate::expr::reference::Cursor;
use crate::expr::string::{padded, scalar_of};
use crate::flattener::{Flattener, assignable};
use crate::lookup::Found;
use crate::prelude::Builtin;
use crate::value::Ty;

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
        if let Some(name) = self.builtin_called(lo, ast, function)? {
            let scope = self.constant_scope(lo);
            let mut ordered = args.to_vec();
            if args.iter().any(|a| a.name.is_some()) {
                match self.quiet_resolve(scope, ast, function) {
                    Ok(Cursor::Class(k, _)) if self.external_builtin(k).is_some() => {
                        ordered = self.ordered_args(scope, expr, k, args)?;
                    }
                    _ => self.check_positional(scope, &name, args)?,
                }
            }
            return self.lower_builtin(lo, ast, expr, &name, &ordered);
        }
        match self.callee(lo, ast, expr, function)? {
            Callee::Bound(klass, bound) => {
                let mut args = self.lower_args(lo, args)?;
                args.extend(bound.into_iter().map(|(n, value)| TermArg { name: Some(n), value }));
                self.call_value(lo, expr, klass, args)
            }
            Callee::Class(k) => {
                let args = self.lower_args(lo, args)?;
                self.lower_class_call(lo, expr, k, args)
            }
        }
    }

    /// A call with all its outputs; `None` if it is not a user function.
    pub(super) fn lower_user_call(
        &mut self,
        lo: &mut Lower,
        ast: &Ast,
        expr: ast::ExprId,
        function: &ComponentRef,
        args: &[Arg],
    ) -> Res<Option<LoweredCall>> {
        if self.builtin_called(lo, ast, function)?.is_some() {
            return Ok(None);
        }
        let (k, bound) = match self.callee(lo, ast, expr, function)? {
            Callee::Bound(klass, bound) => (klass, bound),
            Callee::Class(k) => (k, Vec::new()),
        };
        if !matches!(self.cx.deep_kind(k), ClassKind::Function | ClassKind::OperatorFunction) {
            return Ok(None);
        }
        self.check_pure_place(lo, expr, k)?;
        let mut args = self.lower_args(lo, args)?;
        args.extend(bound.into_iter().map(|(n, value)| TermArg { name: Some(n), value }));
        let signature = self.signature(k)?;
        let values = self.match_terms(lo, expr, k, &signature, args)?;
        if surplus(&signature, &values).is_some() {
            return Ok(None);
        }
        self.call_terms(lo, k, &signature, values).map(Some)
    }

    fn builtin_called(&mut self, lo: &mut Lower, ast: &Ast, function: &ComponentRef) -> Res<Option<String>> {
        let parts = ast.lists.parts.get(function.parts);
        let [only] = parts else {
            // `Modelica.Math.sin` is another name of `sin`.
            if function.global || !lo.env.contains_key(&parts[0].name.symbol) {
                let scope = self.constant_scope(lo);
                if let Ok(Cursor::Class(k, _)) = self.quiet_resolve(scope, ast, function) {
                    return Ok(self.external_builtin(k));
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
        match self.cx.find(lo.klass, name) {
            Some(Found::Class(k)) => {
                let def = self.cx.key(k).def;
                if self.cx.builtins.contains_key(&def) {
                    return Ok(Some(name.as_str().to_owned()));
                }
                Ok(self.external_builtin(k))
            }
            _ => Ok(is_builtin(name.as_str()).then(|| name.as_str().to_owned())),
        }
    }

    fn quiet_resolve(
        &mut self,
        scope: crate::flattener::Scope,
        ast: &Ast,
        function: &ComponentRef,
    ) -> Res<Cursor> {
        let mark = self.cx.diagnostics.len();
        let result = self.resolve_ref(scope, ast, function);
        if result.is_err() {
            self.cx.diagnostics.truncate(mark);
        }
        result
    }

    fn callee(
        &mut self,
        lo: &mut Lower,
        ast: &Ast,
        expr: ast::ExprId,
        function: &ComponentRef,
    ) -> Res<Callee> {
        let parts = ast.lists.parts.get(function.parts);
        if let [only] = parts
            && let Some(TVal::Function { klass, bound }) = lo.env.get(&only.name.symbol)
        {
            return Ok(Callee::Bound(*klass, bound.clone()));
        }
        let scope = self.constant_scope(lo);
        match self.resolve_ref(scope, ast, function)? {
            Cursor::Class(k, _) => Ok(Callee::Class(k)),
            _ => {
                let message =
                    format!("{} is not a function", crate::expr::reference::ref_text(ast, function));
                Err(self.at_term(lo, expr, "K0207", message))
            }
        }
    }

    fn lower_args(&mut self, lo: &mut Lower, args: &[Arg]) -> Res<Vec<TermArg>> {
        let mut values = Vec::with_capacity(args.len());
        for arg in args {
            let value = self.lower_expr(lo, arg.value)?;
            values.push(TermArg { name: arg.name.map(|n| n.symbol), value });
        }
        Ok(values)
    }

    fn lower_class_call(
        &mut self,
        lo: &mut Lower,
        expr: ast::ExprId,
        k: KlassId,
        args: Vec<TermArg>,
    ) -> Res<TVal> {
        match self.cx.deep_kind(k) {
            ClassKind::Record => self.lower_record(lo, expr, k, args),
            ClassKind::OperatorRecord => self.lower_operator_record(lo, expr, k, args),
            ClassKind::Function | ClassKind::OperatorFunction => self.call_value(lo, expr, k, args),
            ClassKind::Operator => {
                let values = args.into_iter().map(|a| a.value).collect();
                self.apply_functions(lo, expr, k, "the operator", values)
            }
            _ => {
                if let Some(leaf) = self.cx.leaf(k) {
                    match (leaf.builtin, args.as_slice()) {
                        (
                            Builtin::Enumeration(def),
                            [TermArg { value: TVal::Plain { rank, term, .. }, .. }],
                        ) => {
                            return Ok(TVal::Plain { ty: Ty::Enumeration(def), rank: *rank, term: *term });
                        }
                        (Builtin::ExternalObject, _) => {
                            if let Some(Found::Class(constructor)) =
                                self.cx.step(k, Symbol::new("constructor"))
                            {
                                self.note_constructed(k, constructor);
                                return self.call_value(lo, expr, constructor, args);
                            }
                        }
                        _ => {}
                    }
                }
                let message = format!("{} is not a function", self.cx.name(k));
                Err(self.at_term(lo, expr, "K0207", message))
            }
        }
    }

    /// The first output of a function, element by element where arrays are given for scalars.
    fn call_value(&mut self, lo: &mut Lower, expr: ast::ExprId, k: KlassId, args: Vec<TermArg>) -> Res<TVal> {
        self.check_pure_place(lo, expr, k)?;
        let signature = self.signature(k)?;
        let values = self.match_terms(lo, expr, k, &signature, args)?;
        match surplus(&signature, &values) {
            None => {
                let call = self.call_terms(lo, k, &signature, values)?;
                match call.outputs.into_iter().next() {
                    Some(value) => Ok(value),
                    None => Ok(TVal::Nothing),
                }
            }
            Some((at, extra)) => self.call_elements(lo, k, &signature, values, at, extra),
        }
    }

    fn call_elements(
        &mut self,
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
        let call = self.call_terms(lo, k, signature, elements)?;
        let Some(value) = call.outputs.into_iter().next() else { return Ok(TVal::Nothing) };
        // The first iterator varies fastest: the last dimension comes first.
        iterators.reverse();
        Ok(value.map(extra as isize, &mut |term, _| {
            lo.term(Term::For(Reduction::Array, term, iterators.clone()))
        }))
    }

    fn call_terms(
        &mut self,
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
                TVal::Function { klass, bound } => {
                    let mut list = Vec::new();
                    for (name, value) in bound {
                        if let Some(ty) = BoundType::of_term(value) {
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
        let function = self.lower_function(&key)?;
        let mut number = 0;
        let mut outputs = Vec::with_capacity(signature.outputs.len());
        for info in &signature.outputs {
            outputs.push(self.output_value(lo, function, &args, info, 0, &mut number)?);
        }
        Ok(LoweredCall { function, args, outputs })
    }

    fn output_value(
        &mut self,
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
            return Ok(TVal::Plain { ty: Ty::of(leaf.builtin), rank, term });
        }
        let members = self.cx.members(info.klass)?;
        let mut fields = Vec::with_capacity(members.components.len());
        for &i in &members.components {
            let field = self.cx.component(&members.items[i as usize])?;
            fields.push((field.name, self.output_value(lo, function, args, &field, rank, number)?));
        }
        Ok(TVal::Record { klass: info.klass, rank, fields })
    }

    /// One value per input: given by position or name, or the default.
    fn match_terms(
        &mut self,
        lo: &mut Lower,
        expr: ast::ExprId,
        k: KlassId,
        signature: &Signature,
        args: Vec<TermArg>,
    ) -> Res<Vec<TVal>> {
        let given = self.place_args(lo, expr, k, &signature.inputs, args, |_| true)?;
        self.complete_terms(lo, expr, k, &signature.inputs, given)
    }

    fn place_args(
        &mut self,
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
                    let message = format!("the input {name} of {} is given twice", self.cx.name(k));
                    return Err(self.at_term(lo, expr, "K0371", message));
                }
                Some(slot) => *slot = Some(arg.value),
                None => {
                    let message = match arg.name {
                        Some(name) => format!("{} has no input {name}", self.cx.name(k)),
                        None => format!("{} has only {} inputs", self.cx.name(k), formals.len()),
                    };
                    return Err(self.at_term(lo, expr, "K0371", message));
                }
            }
        }
        Ok(given)
    }

    /// Values for all, defaults where nothing is given; defaults may use the other values.
    fn complete_terms(
        &mut self,
        lo: &mut Lower,
        expr: ast::ExprId,
        k: KlassId,
        formals: &[Arc<ComponentInfo>],
        given: Vec<Option<TVal>>,
    ) -> Res<Vec<TVal>> {
        let mut env: FxHashMap<Symbol, TVal> = FxHashMap::default();
        for (info, value) in formals.iter().zip(&given) {
            if let Some(value) = value {
                env.insert(info.name, value.clone());
            }
        }
        let mut values = Vec::with_capacity(given.len());
        for (info, value) in formals.iter().zip(given) {
            let value = match value {
                Some(value) => value,
                None => match info.binding {
                    Some(place) => {
                        let value = self.lower_default(lo, k, &place, &mut env)?;
                        env.insert(info.name, value.clone());
                        value
                    }
                    None if info.leaf.is_none() && !info.is_function() => {
                        self.lower_record(lo, expr, info.klass, Vec::new())?
                    }
                    None => {
                        let message = format!("the input {} of {} is not given", info.name, self.cx.name(k));
                        return Err(self.at_term(lo, expr, "K0372", message));
                    }
                },
            };
            values.push(self.check_term(lo, expr, k, info, value)?);
        }
        Ok(values)
    }

    fn lower_default(
        &mut self,
        lo: &mut Lower,
        k: KlassId,
        place: &Place,
        env: &mut FxHashMap<Symbol, TVal>,
    ) -> Res<TVal> {
        let (klass, file) = (lo.klass, lo.file);
        (lo.klass, lo.file) = (place.scope, place.file);
        let outer = lo.outer.take();
        let inner = if self.has_base(k, place.scope) { std::mem::take(env) } else { FxHashMap::default() };
        let before = std::mem::replace(&mut lo.env, inner);
        let value = self.lower_expr(lo, place.expr);
        let inner = std::mem::replace(&mut lo.env, before);
        if self.has_base(k, place.scope) {
            *env = inner;
        }
        lo.outer = outer;
        (lo.klass, lo.file) = (klass, file);
        value
    }

    fn check_term(
        &mut self,
        lo: &mut Lower,
        expr: ast::ExprId,
        k: KlassId,
        info: &ComponentInfo,
        value: TVal,
    ) -> Res<TVal> {
        match (&value, info.leaf) {
            (TVal::Plain { ty, rank, term }, Some(leaf)) if assignable(Ty::of(leaf.builtin), *ty) => {
                Ok(TVal::Plain { ty: Ty::of(leaf.builtin), rank: *rank, term: *term })
            }
            (TVal::Record { klass, rank, .. }, None) if !info.is_function() => {
                let members = self.cx.members(info.klass)?;
                let mut fields = Vec::with_capacity(members.components.len());
                for &i in &members.components {
                    let name = members.items[i as usize].name;
                    match value.field(name) {
                        Some(field) => fields.push((name, field.clone())),
                        None => {
                            let message = format!("the value of {} has no field {name}", info.name);
                            return Err(self.at_term(lo, expr, "K0373", message));
                        }
                    }
                }
                Ok(TVal::Record { klass: *klass, rank: *rank, fields })
            }
            (TVal::Function { klass, bound }, None) if info.is_function() => {
                let bound: Vec<Symbol> = bound.iter().map(|(n, _)| *n).collect();
                match self.function_misfit(*klass, &bound, info.klass) {
                    None => Ok(value),
                    Some(why) => {
                        let (given, called) = (self.cx.name(*klass), self.cx.name(k));
                        let message = format!("{given} cannot be the input {} of {called}: {why}", info.name);
                        Err(self.at_term(lo, expr, "K0373", message))
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
                    value.describe()
                );
                Err(self.at_term(lo, expr, "K0373", message))
            }
        }
    }

    /// A record from its fields.
    fn lower_record(
        &mut self,
        lo: &mut Lower,
        expr: ast::ExprId,
        k: KlassId,
        args: Vec<TermArg>,
    ) -> Res<TVal> {
        let members = self.cx.members(k)?;
        let mut infos = Vec::with_capacity(members.components.len());
        for &i in &members.components {
            infos.push(self.cx.component(&members.items[i as usize])?);
        }
        let given = self.place_args(lo, expr, k, &infos, args, |i| {
            !i.is_final && i.variability != ast::Variability::Constant
        })?;
        let values = self.complete_terms(lo, expr, k, &infos, given)?;
        let fields = infos.iter().map(|i| i.name).zip(values).collect();
        Ok(TVal::Record { klass: k, rank: 0, fields })
    }

    fn lower_operator_record(
        &mut self,
        lo: &mut Lower,
        expr: ast::ExprId,
        k: KlassId,
        args: Vec<TermArg>,
    ) -> Res<TVal> {
        if let Some(Found::Class(operator)) = self.cx.step(k, Symbol::new("'constructor'")) {
            let types: Vec<ArgType> =
                args.iter().take_while(|a| a.name.is_none()).map(|a| arg_type(&a.value)).collect();
            let named = types.len() < args.len();
            for f in self.operator_functions(operator) {
                if named || self.accepts_types(f, &types) {
                    return self.call_value(lo, expr, f, args);
                }
            }
        }
        self.lower_record(lo, expr, k, args)
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
            Some(Found::Class(operator)) => self.apply_functions(lo, expr, operator, name, values),
            _ => {
                let message = format!("{} has no operator {name}", self.cx.name(klass));
                Err(self.at_term(lo, expr, "K0340", message))
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
            return Err(self.at_term(lo, expr, "K0391", message));
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

    fn apply_functions(
        &mut self,
        lo: &mut Lower,
        expr: ast::ExprId,
        operator: KlassId,
        name: &str,
        values: Vec<TVal>,
    ) -> Res<TVal> {
        let functions = self.operator_functions(operator);
        let types: Vec<ArgType> = values.iter().map(arg_type).collect();
        let args =
            |values: Vec<TVal>| values.into_iter().map(|value| TermArg { name: None, value }).collect();
        for &f in &functions {
            if self.accepts_types(f, &types) {
                return self.call_value(lo, expr, f, args(values));
            }
        }
        let klass = values.iter().find_map(|v| match v {
            TVal::Record { klass, .. } => Some(*klass),
            _ => None,
        });
        if let Some(klass) = klass
            && values.iter().any(|v| !matches!(v, TVal::Record { .. }))
        {
            let mut converted = Vec::with_capacity(values.len());
            for value in values {
                converted.push(match value {
                    TVal::Record { .. } => value,
                    _ => self.lower_operator_record(lo, expr, klass, vec![TermArg { name: None, value }])?,
                });
            }
            let types: Vec<ArgType> = converted.iter().map(arg_type).collect();
            for &f in &functions {
                if self.accepts_types(f, &types) {
                    return self.call_value(lo, expr, f, args(converted));
                }
            }
        }
        Err(self.at_term(lo, expr, "K0340", format!("{name} cannot be applied to these values")))
    }

    fn lower_builtin(
        &mut self,
        lo: &mut Lower,
        ast: &Ast,
        expr: ast::ExprId,
        name: &str,
        args: &[Arg],
    ) -> Res<TVal> {
        if is_clocked(name) || is_state_machine(name) {
            return self.lower_event(lo, ast, expr, name, args);
        }
        if matches!(name, "pre" | "edge" | "change" | "der" | "sample" | "initial" | "terminal" | "delay") {
            return self.lower_event(lo, ast, expr, name, args);
        }
        let silent = matches!(name, "noEvent" | "smooth");
        if let Some(outer) = lo.outer.as_mut().filter(|_| silent) {
            outer.silence(true);
        }
        let in_pure = std::mem::replace(&mut self.functions.in_pure, name == "pure");
        let values: Res<Vec<TVal>> = args.iter().map(|arg| self.lower_expr(lo, arg.value)).collect();
        self.functions.in_pure = in_pure;
        if let Some(outer) = lo.outer.as_mut().filter(|_| silent) {
            outer.silence(false);
        }
        let values = values?;
        match self.builtin_terms(lo, name, args, &values) {
            Some(value) => Ok(value),
            None => {
                let kinds: Vec<String> = values.iter().map(TVal::describe).collect();
                let message = format!("{name} cannot be called with {}", kinds.join(", "));
                Err(self.at_term(lo, expr, "K0351", message))
            }
        }
    }

    fn builtin_terms(&mut self, lo: &mut Lower, name: &str, args: &[Arg], values: &[TVal]) -> Option<TVal> {
        let plain = |ty, rank, term| Some(TVal::Plain { ty, rank, term });
        if let Some(op) = kausal_symbolic::function::externals::builtin_op(name)
            && !(matches!(name, "min" | "max") && values.len() == 1)
        {
            let mut terms = Vec::with_capacity(values.len());
            let mut rank = 0;
            let mut ty = Ty::Integer;
            for value in values {
                let TVal::Plain { ty: t, rank: r, term } = value else { return None };
                rank = rank.max(*r);
                ty = ty.join(*t).unwrap_or(*t);
                terms.push(*term);
            }
            let ty = match op {
                Op::Abs | Op::Min | Op::Max | Op::IntegerDiv | Op::Mod | Op::Rem => ty,
                Op::Sign | Op::Integer => Ty::Integer,
                _ => Ty::Real,
            };
            return plain(ty, rank, lo.term(Term::Op(op, terms)));
        }
        let first = values.first();
        let first_plain = match first {
            Some(TVal::Plain { ty, rank, term }) => Some((*ty, *rank, *term)),
            _ => None,
        };
        let all: Option<Vec<TermId>> = values
            .iter()
            .map(|v| match v {
                TVal::Plain { term, .. } => Some(*term),
                _ => None,
            })
            .collect();
        let unary = |lo: &mut Lower, f: ArrayFn, rank: usize| {
            let (ty, _, term) = first_plain?;
            Some(TVal::Plain { ty, rank, term: lo.term(Term::Array(f, vec![term])) })
        };
        match name {
            "integer" => plain(Ty::Integer, first_plain?.1, lo.term(Term::Op(Op::Integer, all?))),
            "Integer" => plain(Ty::Integer, first_plain?.1, first_plain?.2),
            "Real" => plain(Ty::Real, first_plain?.1, first_plain?.2),
            "pure" | "noEvent" => first.cloned(),
            "smooth" => values.get(1).cloned(),
            "homotopy" => {
                let actual = args
                    .iter()
                    .position(|a| a.name.is_some_and(|n| n.symbol.as_str() == "actual"))
                    .unwrap_or(0);
                values.get(actual).cloned()
            }
            "min" | "max" => unary(lo, if name == "min" { ArrayFn::MinOf } else { ArrayFn::MaxOf }, 0),
            "sum" => match first? {
                TVal::Plain { .. } => unary(lo, ArrayFn::Sum, 0),
                _ => None,
            },
            "product" => unary(lo, ArrayFn::ProductOf, 0),
            "scalar" => {
                Some(first?.map(-(first?.rank() as isize), &mut |t, _| {
                    lo.term(Term::Array(ArrayFn::Scalar, vec![t]))
                }))
            }
            "vector" => unary(lo, ArrayFn::Vector, 1),
            "matrix" => unary(lo, ArrayFn::Matrix, 2),
            "transpose" => unary(lo, ArrayFn::Transpose, 2),
            "symmetric" => unary(lo, ArrayFn::Symmetric, 2),
            "diagonal" => unary(lo, ArrayFn::Diagonal, 2),
            "skew" => unary(lo, ArrayFn::Skew, 2),
            "identity" => plain(Ty::Integer, 2, lo.term(Term::Array(ArrayFn::Identity, all?))),
            "cross" => plain(Ty::Real, 1, lo.term(Term::Array(ArrayFn::Cross, all?))),
            "outerProduct" => plain(Ty::Real, 2, lo.term(Term::Array(ArrayFn::OuterProduct, all?))),
            "linspace" => plain(Ty::Real, 1, lo.term(Term::Array(ArrayFn::Linspace, all?))),
            "zeros" | "ones" => {
                let mut list = vec![lo.term(Term::Const(if name == "ones" { 1.0 } else { 0.0 }))];
                list.extend(all?);
                plain(Ty::Integer, list.len() - 1, lo.term(Term::Array(ArrayFn::Fill, list)))
            }
            "fill" => {
                let sizes: Vec<TermId> = values[1..].iter().filter_map(TVal::any_term).collect();
                Some(first?.map(sizes.len() as isize, &mut |t, _| {
                    let mut list = vec![t];
                    list.extend_from_slice(&sizes);
                    lo.term(Term::Array(ArrayFn::Fill, list))
                }))
            }
            "cat" => {
                let mut ty: Option<Ty> = None;
                let mut rank = 1;
                for value in &values[1..] {
                    let TVal::Plain { ty: t, rank: r, .. } = value else { return None };
                    ty = Some(ty.map_or(*t, |old| join(old, *t)));
                    rank = rank.max(*r);
                }
                plain(ty?, rank, lo.term(Term::Array(ArrayFn::Cat, all?)))
            }
            "promote" => {
                let (ty, _, _) = first_plain?;
                let rank = match lo.function.terms[all.as_ref()?.get(1)?.0 as usize] {
                    Term::Const(n) => n as usize,
                    _ => return None,
                };
                plain(ty, rank, lo.term(Term::Array(ArrayFn::Promote, all?)))
            }
            "array" => {
                let mut terms = Vec::new();
                let (mut ty, rank) = (first_plain?.0, first_plain?.1);
                for value in values {
                    let TVal::Plain { ty: t, rank: r, term } = value else { return None };
                    if *r != rank {
                        return None;
                    }
                    ty = join(ty, *t);
                    terms.push(*term);
                }
                plain(ty, rank + 1, lo.term(Term::Array(ArrayFn::Construct, terms)))
            }
            "size" => {
                let array = first?.any_term()?;
                match values.get(1).and_then(TVal::any_term) {
                    Some(d) => plain(Ty::Integer, 0, lo.term(Term::Array(ArrayFn::SizeOf, vec![array, d]))),
                    None => plain(Ty::Integer, 1, lo.term(Term::Array(ArrayFn::Size, vec![array]))),
                }
            }
            "ndims" => plain(Ty::Integer, 0, lo.term(Term::Const(first?.rank() as f64))),
            "semiLinear" => {
                let t = all?;
                let [x, a, b] = t[..] else { return None };
                let zero = lo.term(Term::Const(0.0));
                let c = lo.term(Term::Op(Op::LessEqual, vec![zero, x]));
                let xa = lo.term(Term::Op(Op::Mul, vec![x, a]));
                let xb = lo.term(Term::Op(Op::Mul, vec![x, b]));
                plain(Ty::Real, 0, lo.term(Term::Op(Op::If, vec![c, xa, xb])))
            }
            "String" => self.string_term(lo, args, values),
            _ => None,
        }
    }

    fn string_term(&mut self, lo: &mut Lower, args: &[Arg], values: &[TVal]) -> Option<TVal> {
        let TVal::Plain { ty, rank: 0, term } = values.first()? else { return None };
        let mut options: [Option<TermId>; 3] = [None; 3];
        let mut format = None;
        for (i, (arg, value)) in args.iter().zip(values).enumerate().skip(1) {
            let TVal::Plain { ty: t, rank: 0, term } = value else { return None };
            let at = match arg.name.map(|n| n.symbol.as_str()) {
                Some("significantDigits") => 0,
                Some("minimumLength") => 1,
                Some("leftJustified") => 2,
                Some("format") => 3,
                Some(_) => return None,
                None if *t == Ty::String => 3,
                None if *ty == Ty::Real => i - 1,
                None => i,
            };
            match at {
                3 => format = Some(*term),
                n => *options.get_mut(n)? = Some(*term),
            }
        }
        if let Ty::Enumeration(def) = ty
            && let ast::ClassBody::Enumeration(Some(literals)) = &self.cx.lib.class(*def).body
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
                let text = TVal::Plain { ty: Ty::String, rank: 0, term: lo.term(Term::Text(name)) };
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
            return Some(TVal::Plain { ty: Ty::String, rank: 0, term: lo.term(Term::Text(text)) });
        }
        let mut list = vec![*term];
        if let Some(format) = format {
            list.push(format);
        } else if options.iter().any(Option::is_some) {
            for (option, default) in options.into_iter().zip([6.0, 0.0, 1.0]) {
                list.push(option.unwrap_or_else(|| lo.term(Term::Const(default))));
            }
        }
        Some(TVal::Plain { ty: Ty::String, rank: 0, term: lo.term(Term::Array(ArrayFn::ToString, list)) })
    }

    /// `cat(dimension, …)` of terms, for those who make arrays elsewhere.
    pub fn cat_terms(lo: &mut Lower, dimension: usize, parts: Vec<TermId>) -> TermId {
        cat(lo, dimension, parts)
    }
}

enum Callee {
    Class(KlassId),
    Bound(KlassId, Vec<(Symbol, TVal)>),
}

/// The type of an argument.
fn arg_type(value: &TVal) -> ArgType {
    match value {
        TVal::Plain { ty, rank, .. } => ArgType { ty: Some(*ty), record: None, rank: *rank },
        TVal::Record { klass, rank, .. } => ArgType { ty: None, record: Some(*klass), rank: *rank },
        _ => ArgType { ty: None, record: None, rank: 0 },
    }
}

/// The first input that gets an array for a scalar, and by how many dimensions.
fn surplus(signature: &Signature, values: &[TVal]) -> Option<(usize, usize)> {
    signature.inputs.iter().zip(values).enumerate().find_map(|(i, (info, value))| {
        let extra = value.rank().checked_sub(info.dims.len())?;
        (extra > 0 && !matches!(value, TVal::Function { .. })).then_some((i, extra))
    })
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
