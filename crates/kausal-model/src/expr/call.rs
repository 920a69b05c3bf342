//! Calls: built-in functions, user functions, record constructors, external objects (specification chapter 12).

use kausal_symbolic::ExprId;
use kausal_symbolic::function::Array;
use kausal_syntax::ast::{self, Arg, ClassKind, ComponentRef, Name};
use kausal_syntax::{Ast, Diagnostic, Symbol};

use super::builtin::{Call, is_builtin};
use super::reference::{Cursor, ref_text};
use crate::class::{KlassId, MemberKind, Res, annotation_flag};
use crate::flattener::{Flattener, Scope, assignable, with_ty};
use crate::lookup::Found;
use crate::modifier::Up;
use crate::prelude::Builtin;
use crate::value::{FunctionValue, RecordValue, Ty, Value};

/// An argument with its value.
#[derive(Clone, Debug)]
pub struct ValueArg {
    /// Given by name.
    pub name: Option<Symbol>,
    /// Its value.
    pub value: Value,
}

impl Flattener<'_> {
    /// All outputs of a call.
    pub fn eval_call(
        &mut self,
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
            if let Some(k) = self.user_function(scope, name) {
                return self.eval_user_call(scope, ast, expr, k, args);
            }
            if is_builtin(name.as_str()) {
                return self.eval_builtin(Call { scope, ast, expr, name: name.as_str(), args });
            }
        }
        if let [only] = parts
            && function.global
            && is_builtin(only.name.symbol.as_str())
        {
            return self.eval_builtin(Call { scope, ast, expr, name: only.name.symbol.as_str(), args });
        }
        if let [first, second] = parts
            && first.name.symbol.as_str() == "Connections"
            && matches!(second.name.symbol.as_str(), "isRoot" | "rooted")
        {
            let value = self.is_root(scope, ast, expr, args)?;
            return Ok(vec![value]);
        }
        match self.resolve_ref(scope, ast, function)? {
            Cursor::Class(k, frame) => {
                if let Some(name) = self.external_builtin(k) {
                    let args = self.ordered_args(scope, expr, k, args)?;
                    return self.eval_builtin(Call { scope, ast, expr, name: &name, args: &args });
                }
                let values = self.eval_args(scope, args)?;
                // A class found through a component belongs to that component.
                let scope = Scope { inst: frame.unwrap_or(scope.inst), ..scope };
                self.call_class(scope, expr, k, values)
            }
            Cursor::Value(Value::Function(f)) => {
                let mut values = self.eval_args(scope, args)?;
                values.extend(f.bound.iter().map(|(n, v)| ValueArg { name: Some(*n), value: v.clone() }));
                self.call_function(scope, expr, f.klass, values)
            }
            _ => {
                let message = format!("{} is not a function", ref_text(ast, function));
                Err(self.at_expr(scope, expr, "K0207", message))
            }
        }
    }

    /// Is there a class of this name that is not built in?
    pub fn user_defined(&mut self, scope: Scope, name: &str) -> bool {
        self.user_function(scope, Symbol::new(name)).is_some()
    }

    fn user_function(&mut self, scope: Scope, name: Symbol) -> Option<KlassId> {
        if self.locals[scope.locals as usize..].iter().any(|(n, _)| *n == name) {
            return None;
        }
        match self.cx.find(scope.klass, name)? {
            Found::Class(k) => {
                let def = self.cx.key(k).def;
                (!self.cx.builtins.contains_key(&def)).then_some(k)
            }
            Found::Component { .. } => None,
        }
    }

    fn eval_args(&mut self, scope: Scope, args: &[Arg]) -> Res<Vec<ValueArg>> {
        let mut values = Vec::with_capacity(args.len());
        let mut failed = None;
        for arg in args {
            match self.eval(scope, arg.value) {
                Ok(value) => values.push(ValueArg { name: arg.name.map(|n| n.symbol), value }),
                Err(e) => failed = Some(e),
            }
        }
        failed.map_or(Ok(values), Err)
    }

    /// A call of a class that is not built in.
    pub fn eval_user_call(
        &mut self,
        scope: Scope,
        ast: &Ast,
        expr: ast::ExprId,
        k: KlassId,
        args: &[Arg],
    ) -> Res<Vec<Value>> {
        if let Some(name) = self.external_builtin(k) {
            let args = self.ordered_args(scope, expr, k, args)?;
            return self.eval_builtin(Call { scope, ast, expr, name: &name, args: &args });
        }
        // What stands for an algorithm section gets the values before an event that its `when` statements ask for.
        let in_when = self.in_when;
        self.in_when |= self.generates_events(k);
        let values = self.eval_args(scope, args);
        self.in_when = in_when;
        self.call_class(scope, expr, k, values?)
    }

    /// The arguments of a function that stands for a built-in one, in the order of its inputs and without their names.
    pub(crate) fn ordered_args(
        &mut self,
        scope: Scope,
        expr: ast::ExprId,
        k: KlassId,
        args: &[Arg],
    ) -> Res<Vec<Arg>> {
        if args.iter().all(|a| a.name.is_none()) {
            return Ok(args.to_vec());
        }
        let signature = self.signature(k)?;
        let mut slots: Vec<Option<Arg>> = vec![None; signature.inputs.len()];
        for (i, arg) in args.iter().enumerate() {
            let at = match arg.name {
                Some(name) => signature.inputs.iter().position(|input| input.name == name.symbol),
                None => Some(i),
            };
            match at.and_then(|at| slots.get_mut(at)) {
                Some(slot @ None) => *slot = Some(Arg { name: None, ..*arg }),
                slot => {
                    let class = self.cx.name(k);
                    let message = match (slot.is_some(), arg.name) {
                        (true, _) => format!("an input of {class} is given twice"),
                        (_, Some(name)) => format!("{class} has no input {}", name.symbol),
                        _ => format!("{class} has only {} inputs", signature.inputs.len()),
                    };
                    return Err(self.at_expr(scope, expr, "K0371", message));
                }
            }
        }
        Ok(slots.into_iter().flatten().collect())
    }

    fn generates_events(&self, k: KlassId) -> bool {
        let ast = self.cx.ast(k);
        let class = &ast.classes[self.cx.lib.def(self.cx.key(k).def).class];
        annotation_flag(&ast, class.description.annotation, "GenerateEvents") == Some(true)
    }

    /// A call with values.
    pub fn call_class(
        &mut self,
        scope: Scope,
        expr: ast::ExprId,
        k: KlassId,
        args: Vec<ValueArg>,
    ) -> Res<Vec<Value>> {
        match self.cx.deep_kind(k) {
            ClassKind::Record => self.construct_record(scope, expr, k, args).map(|v| vec![v]),
            ClassKind::OperatorRecord => {
                self.construct_operator_record(scope, expr, k, args).map(|v| vec![v])
            }
            ClassKind::Function | ClassKind::OperatorFunction => self.call_function(scope, expr, k, args),
            ClassKind::Operator => self.call_operator(scope, expr, k, args),
            _ => {
                if let Some(leaf) = self.cx.leaf(k) {
                    match leaf.builtin {
                        Builtin::Enumeration(def) => {
                            return self.construct_enumeration(scope, expr, def, args);
                        }
                        Builtin::ExternalObject => return self.construct_external(scope, expr, k, args),
                        _ => {}
                    }
                }
                let message = format!("{} is not a function", self.cx.name(k));
                let location = self.cx.lib.location(scope.file, self.cx.lib.ast_ref(scope.file).span(expr));
                let defined = self.cx.def_location(self.cx.key(k).def);
                let diagnostic = Diagnostic::error("K0207", message)
                    .at(location, "called here")
                    .at(defined, "defined here");
                Err(self.cx.report(diagnostic))
            }
        }
    }

    fn construct_enumeration(
        &mut self,
        scope: Scope,
        expr: ast::ExprId,
        def: crate::library::DefId,
        args: Vec<ValueArg>,
    ) -> Res<Vec<Value>> {
        match args.as_slice() {
            [ValueArg { value: Value::Plain(Ty::Integer | Ty::Enumeration(_), array), .. }] => {
                let count = self.enumeration_size(Builtin::Enumeration(def)).unwrap_or(usize::MAX);
                let outside = |&e: &ExprId| self.pool.as_constant(e).filter(|&x| x < 1.0 || x > count as f64);
                if let Some(x) = array.data().iter().find_map(outside) {
                    let name = self.cx.lib.full_name(def);
                    let message = format!("{name} has {count} values: there is none with the number {x}");
                    return Err(self.at_expr(scope, expr, "K0348", message));
                }
                Ok(vec![Value::Plain(Ty::Enumeration(def), array.clone())])
            }
            _ => Err(self.at_expr(scope, expr, "K0348", "an enumeration value is made of one Integer")),
        }
    }

    /// `function f(a = b)` as an argument, or a bare function name.
    pub(super) fn eval_partial(
        &mut self,
        scope: Scope,
        ast: &Ast,
        function: Name,
        args: &[Arg],
    ) -> Res<Value> {
        let klass = self.cx.lookup_name(scope.klass, ast, scope.file, function)?;
        let mut bound = Vec::with_capacity(args.len());
        for arg in args {
            if let Some(name) = arg.name {
                bound.push((name.symbol, self.eval(scope, arg.value)?));
            }
        }
        Ok(Value::Function(Box::new(FunctionValue { klass, bound })))
    }

    /// A record from its fields (specification section 12.6).
    pub fn construct_record(
        &mut self,
        scope: Scope,
        expr: ast::ExprId,
        k: KlassId,
        args: Vec<ValueArg>,
    ) -> Res<Value> {
        let members = self.cx.members(k)?;
        let record_scope = self.static_inst(k);
        let mut given: Vec<Option<Value>> = vec![None; members.components.len()];
        let mut infos = Vec::with_capacity(members.components.len());
        for &i in &members.components {
            infos.push(self.cx.component(&members.items[i as usize])?);
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
                        Some(name) => format!("{} has no field {name}", self.cx.name(k)),
                        None => format!("{} has only {} fields", self.cx.name(k), infos.len()),
                    };
                    return Err(self.at_expr(scope, expr, "K0352", message));
                }
            }
        }
        let first_local = self.locals.len();
        let mut result = Vec::with_capacity(infos.len());
        let mut outcome = Ok(());
        for (info, value) in infos.iter().zip(&mut given) {
            if let Some(value) = value {
                let value = match info.leaf {
                    Some(leaf) if value.ty() == Some(Ty::Integer) => {
                        with_ty(value.clone(), Ty::of(leaf.builtin))
                    }
                    _ => value.clone(),
                };
                self.locals.push((info.name, value));
            }
        }
        for (info, value) in infos.iter().zip(given) {
            let value = match value {
                Some(value) => self.check_field(scope, expr, info, value),
                None => self.default_field(scope, expr, k, record_scope, info, first_local),
            };
            match value {
                Ok(value) => {
                    self.locals.push((info.name, value.clone()));
                    result.push((info.name, value));
                }
                Err(e) => {
                    outcome = Err(e);
                    break;
                }
            }
        }
        self.locals.truncate(first_local);
        outcome?;
        Ok(Value::Record(Box::new(RecordValue { klass: k, shape: Vec::new(), fields: result })))
    }

    fn check_field(
        &mut self,
        scope: Scope,
        expr: ast::ExprId,
        info: &crate::class::ComponentInfo,
        value: Value,
    ) -> Res<Value> {
        if let Some(leaf) = info.leaf {
            let ty = Ty::of(leaf.builtin);
            if !value.ty().is_some_and(|t| assignable(ty, t)) {
                let message = format!("the field {} is {}, not {}", info.name, ty.text(), value.describe());
                return Err(self.at_expr(scope, expr, "K0317", message));
            }
            return Ok(with_ty(value, ty));
        }
        Ok(value)
    }

    fn default_field(
        &mut self,
        scope: Scope,
        expr: ast::ExprId,
        k: KlassId,
        at: crate::instance::InstId,
        info: &crate::class::ComponentInfo,
        first_local: usize,
    ) -> Res<Value> {
        let Some(place) = info.binding else {
            if info.leaf.is_none() && matches!(info.kind, ClassKind::Record | ClassKind::OperatorRecord) {
                return self.construct_record(scope, expr, info.klass, Vec::new());
            }
            let message = format!("the field {} of {} needs a value", info.name, self.cx.name(k));
            let location = self.cx.lib.location(scope.file, self.cx.lib.ast_ref(scope.file).span(expr));
            let diagnostic =
                Diagnostic::error("K0353", message).at(location, "").at(info.location, "declared here");
            return Err(self.cx.report(diagnostic));
        };
        let inner = if place.up == Up(1) || place.up == Up::STATIC {
            Scope { klass: place.scope, inst: at, file: place.file, locals: first_local as u32 }
        } else {
            let at = self.static_inst(place.scope);
            Scope { klass: place.scope, inst: at, file: place.file, locals: self.locals.len() as u32 }
        };
        let value = self.eval(inner, place.expr)?;
        self.check_field(scope, expr, info, value)
    }

    /// The name of the built-in function that an external function stands for.
    pub fn external_builtin(&mut self, k: KlassId) -> Option<String> {
        let key = self.cx.key(k);
        let file = self.cx.file(k);
        let ast = self.cx.lib.ast(file);
        let class = &ast.classes[self.cx.lib.def(key.def).class];
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
                let base = self.cx.members(k).ok()?.bases.first().copied()?;
                self.external_builtin(base)
            }
            _ => None,
        }
    }

    /// The functions of an operator of an operator record: the operator itself, or all it holds.
    pub fn operator_functions(&mut self, k: KlassId) -> Vec<KlassId> {
        match self.cx.deep_kind(k) {
            ClassKind::Function | ClassKind::OperatorFunction => vec![k],
            _ => {
                let Ok(members) = self.cx.members(k) else { return Vec::new() };
                let mut out = Vec::new();
                for member in &members.items {
                    if matches!(member.kind, MemberKind::Class(_))
                        && let Some(Found::Class(f)) = self.cx.step(k, member.name)
                    {
                        out.push(f);
                    }
                }
                out
            }
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

fn flatten_front(value: &Value, rank: usize, count: usize) -> Value {
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
