//! Calls: built-in functions, user functions, record constructors, external objects (specification chapter 12).

use kausal_symbolic::ExprId;
use kausal_symbolic::function::Array;
use kausal_syntax::ast::{self, Arg, ClassKind, ComponentRef, Name};
use kausal_syntax::{Ast, Diagnostic, Symbol};

use super::builtin::{Call, is_builtin};
use super::defaults::evaluation_order;
use super::reference::{Cursor, ref_text};
use crate::class::{ComponentInfo, KlassId, MemberKind, Res, annotation_flag};
use crate::flattener::{Flattener, Scope, assignable, with_ty};
use crate::lookup::Found;
use crate::modifier::Up;
use crate::prelude::{Builtin, EnumerationType};
use crate::value::{FunctionValue, RecordValue, Ty, Value};

/// An argument with its value.
#[derive(Clone, Debug)]
pub struct ValueArg {
    /// Given by name.
    pub name: Option<Symbol>,
    /// Its value.
    pub value: Value,
}

/// The fields of a record being made that are evaluated already: a part of the local names.
#[derive(Clone, Copy)]
struct Fields {
    first: usize,
    end: usize,
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
        enumeration: EnumerationType,
        args: Vec<ValueArg>,
    ) -> Res<Vec<Value>> {
        match args.as_slice() {
            [ValueArg { value: Value::Plain(Ty::Integer | Ty::Enumeration(_), array), .. }] => {
                let count = self.enumeration_size(Builtin::Enumeration(enumeration)).unwrap_or(usize::MAX);
                let outside = |&e: &ExprId| self.pool.as_constant(e).filter(|&x| x < 1.0 || x > count as f64);
                if let Some(x) = array.data().iter().find_map(outside) {
                    let name = self.cx.lib.full_name(enumeration.def);
                    let message = format!("{name} has {count} values: there is none with the number {x}");
                    return Err(self.at_expr(scope, expr, "K0348", message));
                }
                Ok(vec![Value::Plain(Ty::Enumeration(enumeration), array.clone())])
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
        self.construct_inside(scope, expr, k, args, &[])
    }

    /// A record that is a field of other records being made: modifiers of the field use the fields of those.
    fn construct_inside(
        &mut self,
        scope: Scope,
        expr: ast::ExprId,
        k: KlassId,
        args: Vec<ValueArg>,
        around: &[Fields],
    ) -> Res<Value> {
        let members = self.cx.members(k)?;
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
        let fields = self.record_fields(scope, expr, k, &infos, given, around);
        self.locals.truncate(first_local);
        Ok(Value::Record(Box::new(RecordValue { klass: k, shape: Vec::new(), fields: fields? })))
    }

    /// The fields in the order of their declarations; they are evaluated in the order in which they use each other.
    fn record_fields(
        &mut self,
        scope: Scope,
        expr: ast::ExprId,
        k: KlassId,
        infos: &[std::sync::Arc<ComponentInfo>],
        mut given: Vec<Option<Value>>,
        around: &[Fields],
    ) -> Res<Vec<(Symbol, Value)>> {
        let first = self.locals.len();
        let order = evaluation_order(self.cx, infos, &|i| given[i].is_some());
        let mut values: Vec<Option<Value>> = vec![None; infos.len()];
        for i in order {
            let info = &infos[i];
            let value = match given[i].take() {
                Some(value) => self.check_field(scope, expr, info, value)?,
                None => self.default_field(scope, expr, k, info, first, around)?,
            };
            self.locals.push((info.name, value.clone()));
            values[i] = Some(value);
        }
        Ok(infos.iter().zip(values).filter_map(|(info, value)| Some((info.name, value?))).collect())
    }

    fn check_field(
        &mut self,
        scope: Scope,
        expr: ast::ExprId,
        info: &ComponentInfo,
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
        info: &ComponentInfo,
        first: usize,
        around: &[Fields],
    ) -> Res<Value> {
        let Some(place) = info.binding else {
            if info.leaf.is_none() && matches!(info.kind, ClassKind::Record | ClassKind::OperatorRecord) {
                let mut around = around.to_vec();
                around.push(Fields { first, end: self.locals.len() });
                return self.construct_inside(scope, expr, info.klass, Vec::new(), &around);
            }
            let message = format!("the field {} of {} needs a value", info.name, self.cx.name(k));
            let location = self.cx.lib.location(scope.file, self.cx.lib.ast_ref(scope.file).span(expr));
            let diagnostic =
                Diagnostic::error("K0353", message).at(location, "").at(info.location, "declared here");
            return Err(self.cx.report(diagnostic));
        };
        let inside =
            |at, first: usize| Scope { klass: place.scope, inst: at, file: place.file, locals: first as u32 };
        let value = if place.up == Up(1) || place.up == Up::STATIC {
            let at = self.static_inst(k);
            self.eval(inside(at, first), place.expr)?
        } else {
            let at = self.static_inst(place.scope);
            let levels = usize::from(place.up.0).saturating_sub(1);
            match around.len().checked_sub(levels).and_then(|i| around.get(i)).copied() {
                // The fields of the record around it, without those of the records in it.
                Some(fields) => {
                    let hidden = self.locals.split_off(fields.end);
                    let value = self.eval(inside(at, fields.first), place.expr);
                    self.locals.extend(hidden);
                    value?
                }
                None => {
                    let first = self.locals.len();
                    self.eval(inside(at, first), place.expr)?
                }
            }
        };
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
