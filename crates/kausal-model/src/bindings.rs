//! What components are worth: bindings, values of instances, constants.

use std::sync::Arc;

use kausal_symbolic::function::Array;
use kausal_symbolic::{ExprId, Pool, VarId};
use kausal_syntax::ast::{BinaryOp, ClassKind, Expr, Variability};
use kausal_syntax::{Diagnostic, Symbol, ast};

use crate::class::{Place, Reported, Res};
use crate::flattener::Flattener;
use crate::ids::InstId;
use crate::instance::settled;
use crate::modifier::{ANY_LEVELS, Up};
use crate::tree::{Inst, Scope};
use crate::value::{
    RecordValue, Ty, Value, assignable, dimensions_text, fill, reshape_front, sizes_text, with_ty,
};
use crate::{fold, instance, spending, tree};

impl Flattener<'_> {
    /// The binding that counts, if it is the instance's own.
    pub fn own_binding(&self, id: InstId) -> Option<Place> {
        binding_level(self, id)?.0
    }

    /// The value of an expression that belongs to many elements of an array: evaluated once.
    pub fn eval_shared(&mut self, scope: Scope, expr: ast::ExprId) -> Res<Arc<Value>> {
        let key = (scope.file, expr, scope.inst);
        if let Some(value) = self.values.get(&key) {
            return value.clone();
        }
        let value = self.eval(scope, expr).map(Arc::new);
        self.values.insert(key, value.clone());
        value
    }

    /// The binding of an instance, before it is cut to the elements of arrays the instance is in.
    pub fn binding_uncut(&mut self, id: InstId) -> Res<Option<Arc<Value>>> {
        match binding_level(self, id) {
            None => Ok(None),
            Some((Some(place), _)) => {
                let scope = instance::place_scope(self, id, &place);
                let in_array = !instance::path_subscripts(self, scope.inst, id).is_empty();
                if in_array || matches!(self.inst(id).node, tree::Node::Resolving) {
                    self.eval_shared(scope, place.expr).map(Some)
                } else {
                    let key = (scope.file, place.expr, scope.inst);
                    match self.values.get(&key) {
                        Some(value) => value.clone().map(Some),
                        None => self.eval(scope, place.expr).map(|v| Some(Arc::new(v))),
                    }
                }
            }
            Some((None, _)) => {
                let (parent, name) = (self.inst(id).parent, self.inst(id).name);
                let Some(parent) = parent else { return Ok(None) };
                let Some(value) = self.binding(parent)? else { return Ok(None) };
                match value.field(name) {
                    Some(field) => Ok(Some(Arc::new(field.clone()))),
                    None => {
                        let path = self.path(parent);
                        let message =
                            format!("the value of {path} has no field {name}, it is {}", value.describe());
                        Err(instance::report_at_decl(self, parent, Diagnostic::error("K0321", message)))
                    }
                }
            }
        }
    }

    /// The binding of an instance, as it is written: parameters stay variables.
    pub fn binding(&mut self, id: InstId) -> Res<Option<Arc<Value>>> {
        match self.bindings.get(&id) {
            Some(Some(value)) => return value.clone(),
            Some(None) => {
                let path = self.path(id);
                let message = format!("the value of {path} depends on itself");
                return Err(instance::report_at_decl(self, id, Diagnostic::error("K0315", message)));
            }
            None => {}
        }
        self.bindings.insert(id, None);
        let value = find_binding(self, id);
        self.bindings.insert(id, Some(value.clone()));
        value
    }
}

/// Where the binding of an instance comes from: its own, or its owner's record value.
pub(crate) fn binding_level(fl: &Flattener<'_>, id: InstId) -> Option<(Option<Place>, u32)> {
    let inst = fl.inst(id);
    let info = inst.info.as_ref()?;
    let level = |up: Up| if up == Up::STATIC { 0 } else { u32::from(up.0) };
    let own = info.binding.map(|place| (Some(place), level(place.up)));
    // A connector made of a record (`connector Out = output Complex`) may have a value like one.
    let holds = |p: &InstId| instance::is_record(fl, *p) || instance::is_connector(fl, *p);
    let owner = inst.parent.filter(holds).and_then(|p| binding_level(fl, p));
    match (own, owner) {
        (Some(own), Some((_, above))) if own.1 > above + 1 => Some(own),
        (_, Some((_, above))) => Some((None, above + 1)),
        (own, None) => own,
    }
}

/// Has the instance a binding, its own or one of a record it is in?
pub fn has_binding(fl: &Flattener<'_>, id: InstId) -> bool {
    binding_level(fl, id).is_some()
}

pub(crate) fn find_binding(fl: &mut Flattener<'_>, id: InstId) -> Res<Option<Arc<Value>>> {
    let Some(value) = fl.binding_uncut(id)? else { return Ok(None) };
    instance::resolve(fl, id)?;
    let shape: Vec<usize> = match &fl.inst(id).node {
        tree::Node::Leaf(_, shape) | tree::Node::Array(shape, _) => shape.to_vec(),
        _ => Vec::new(),
    };
    let place = fl.own_binding(id);
    let subs = match &place {
        Some(place) if place.levels == ANY_LEVELS => {
            let scope = instance::place_scope(fl, id, place);
            instance::path_subscripts(fl, scope.inst, id)
        }
        Some(place) => {
            let above = self::above(fl, id, place.levels);
            let subs = above.map_or_else(Vec::new, |above| instance::path_subscripts(fl, above, id));
            check_each_value(fl, id, place, &value, shape.len(), &subs)?;
            subs
        }
        None => fl.inst(id).subs.iter().map(|&s| s as usize).collect(),
    };
    let value = instance::cut(fl, id, value, shape.len(), &subs)?;
    let value = if value.rank() == 0
        && !shape.is_empty()
        && place.is_some_and(|p| p.each || p.up == Up(0) || is_modifier(fl, id, &p))
    {
        Arc::new(fill(&value, &shape))
    } else {
        value
    };
    if value.shape() != shape.as_slice() {
        let message = format!(
            "{} has {}, but its value has {}",
            fl.path(id),
            sizes_text(&shape),
            sizes_text(value.shape())
        );
        let mut diagnostic = Diagnostic::error("K0316", message);
        let product =
            |p: &Place| matches!(fl.cx.lib.ast_ref(p.file).exprs[p.expr], Expr::Binary(BinaryOp::Mul, ..));
        if value.rank() < shape.len() && place.as_ref().is_some_and(product) {
            diagnostic = diagnostic.help("element by element a product is written `.*`");
        }
        let diagnostic = match place {
            Some(p) => {
                let span = fl.cx.lib.ast_ref(p.file).span(p.expr);
                diagnostic.at(fl.cx.lib.location(p.file, span), "this value")
            }
            None => diagnostic,
        };
        return Err(instance::report_at_decl(fl, id, diagnostic));
    }
    let leaf = fl.inst(id).info.as_ref().and_then(|i| i.leaf);
    if let (Some(leaf), Some(place)) = (leaf, place) {
        let ty = Ty::of(leaf.builtin);
        if !value.ty().is_some_and(|t| assignable(ty, t)) {
            let message = format!("{} is {}, but its value is {}", fl.path(id), ty.text(), value.describe());
            let span = fl.cx.lib.ast_ref(place.file).span(place.expr);
            let location = fl.cx.lib.location(place.file, span);
            let mut diagnostic = Diagnostic::error("K0317", message).at(location, "this value");
            let help = match (ty, value.ty()) {
                (Ty::Real | Ty::Integer, Some(Ty::String)) => Some("write numbers without quotes"),
                (Ty::Integer, Some(Ty::Real)) => Some("declare it Real, or use integer(…) or div(…)"),
                (Ty::String, Some(_)) => Some("texts stand in quotes; String(x) makes one of a number"),
                (Ty::Boolean, Some(_)) => Some("truth values are true and false"),
                (Ty::Real | Ty::Integer, Some(Ty::Boolean)) => {
                    Some("a truth value becomes a number with `if b then 1 else 0`")
                }
                _ => None,
            };
            diagnostic.help = help.map(str::to_owned);
            return Err(instance::report_at_decl(fl, id, diagnostic));
        }
    }
    Ok(Some(value))
}

/// The instance `levels` above; the root if there are not so many.
pub(crate) fn above(fl: &Flattener<'_>, id: InstId, levels: u16) -> Option<InstId> {
    let mut at = id;
    for _ in 0..levels {
        match fl.inst(at).parent {
            Some(parent) => at = parent,
            None => break,
        }
    }
    (at != id).then_some(at)
}

/// A modifier of an array of components has a dimension for each of theirs, unless it says `each` (specification
/// section 7.2.5); `rank` is what one element needs.
pub(crate) fn check_each_value(
    fl: &mut Flattener<'_>,
    id: InstId,
    place: &Place,
    value: &Value,
    rank: usize,
    subs: &[usize],
) -> Res<()> {
    let given = value.rank();
    if given == rank + subs.len() {
        return check_split(fl, id, place, value, subs);
    }
    let span = fl.cx.lib.ast_ref(place.file).span(place.expr);
    let location = fl.cx.lib.location(place.file, span);
    let path = fl.path(id);
    if given >= rank && given < rank + subs.len() {
        // What is meant is clear, and other tools take it. What is said of the first element holds for all.
        if subs.iter().all(|&s| s == 1) {
            let message = format!(
                "`each` is missing: {path} is part of an array, and this is one value for all of them"
            );
            let help = "write `each` in front of the modifier, or give an array of values";
            let warning = Diagnostic::warning("K0227", message).at(location, "this value").help(help);
            instance::report_at_decl(fl, id, warning);
        }
        return Ok(());
    }
    if given == 0 && is_modifier(fl, id, place) {
        let message = format!("`each` is missing: {path} is an array, and this is one value for all of it");
        let help = "write `each` in front of the modifier, or give an array of values";
        let warning = Diagnostic::warning("K0227", message).at(location, "this value").help(help);
        instance::report_at_decl(fl, id, warning);
        return Ok(());
    }
    if place.each && given > rank + subs.len() {
        let message = format!(
            "`each` gives every element the whole value, but {path} has {} and the value has {}",
            dimensions_text(rank),
            dimensions_text(given)
        );
        let help = "leave out `each` to give every element its own part of the value";
        let diagnostic = Diagnostic::error("K0227", message).at(location, "this value").help(help);
        return Err(instance::report_at_decl(fl, id, diagnostic));
    }
    Ok(())
}

/// Does the value of a variable come from a modifier, and not from its declaration?
pub(crate) fn is_modifier(fl: &Flattener<'_>, id: InstId, place: &Place) -> bool {
    let declared = fl.inst(id).info.as_ref().and_then(|info| {
        let ast = fl.cx.lib.ast_ref(info.file);
        Some((info.file, ast.modifications[ast.components[info.component].modification?].span))
    });
    let span = fl.cx.lib.ast_ref(place.file).span(place.expr);
    declared.is_none_or(|(file, own)| file != place.file || span.start < own.start || own.end < span.end)
}

/// The value that is split among the elements of arrays of components has their sizes.
pub(crate) fn check_split(
    fl: &mut Flattener<'_>,
    id: InstId,
    place: &Place,
    value: &Value,
    subs: &[usize],
) -> Res<()> {
    if subs.is_empty() {
        return Ok(());
    }
    let mut sizes: Vec<usize> = Vec::new();
    let mut at = id;
    while sizes.len() < subs.len() {
        let inst = fl.inst(at);
        let (Some(parent), name, part) = (inst.parent, inst.name, !inst.subs.is_empty()) else { break };
        if part
            && let Some(array) = instance::child(fl, parent, name)?
            && let tree::Node::Array(shape, _) = &fl.inst(array).node
        {
            sizes.splice(0..0, shape.iter().copied());
        }
        at = parent;
    }
    if sizes.len() != subs.len() || value.shape()[..subs.len()] == sizes {
        return Ok(());
    }
    // What is said of the first element holds for all.
    if subs.iter().any(|&s| s != 1) {
        return Err(Reported);
    }
    let message = format!(
        "the value of {} has {}, but it is for {} elements",
        fl.path(id),
        sizes_text(value.shape()),
        sizes.iter().map(usize::to_string).collect::<Vec<_>>().join(" x ")
    );
    let span = fl.cx.lib.ast_ref(place.file).span(place.expr);
    let location = fl.cx.lib.location(place.file, span);
    let diagnostic = Diagnostic::error("K0316", message).at(location, "this value");
    Err(instance::report_at_decl(fl, id, diagnostic))
}

/// A new variable of a component: a Boolean for the condition of a `when` statement, or a Real for a value it
/// hands on.
pub fn auxiliary(fl: &mut Flattener<'_>, owner: InstId, ty: Ty) -> Res<InstId> {
    let Some(klass) = fl.cx.root(Symbol::new("'$Auxiliary'")) else { return Err(Reported) };
    let members = fl.cx.members(klass)?;
    let real = ty == Ty::Real;
    let info = fl.cx.component(&members.items[usize::from(real)])?;
    let number = fl.auxiliaries.entry(owner).or_insert(0);
    *number += 1;
    let name = Symbol::new(&format!("$when{number}{}", if real { "value" } else { "" }));
    let inst = Inst {
        parent: Some(owner),
        name,
        klass: info.klass,
        info: Some(info),
        subs: Box::default(),
        variability: if real { Variability::Continuous } else { Variability::Discrete },
        causality: ast::Causality::None,
        flow: ast::FlowPrefix::None,
        protected: true,
        is_static: false,
        node: tree::Node::Leaf(None, Box::default()),
        children: None,
    };
    Ok(instance::push(fl, inst))
}

/// What a resolved instance is worth in an expression.
pub fn instance_value(fl: &mut Flattener<'_>, id: InstId) -> Res<Value> {
    let id = instance::resolve(fl, id)?;
    match &fl.inst(id).node {
        tree::Node::Leaf(..) => leaf_value(fl, id),
        tree::Node::Struct => struct_value(fl, id),
        tree::Node::Array(shape, elements) => {
            let (shape, elements) = (shape.to_vec(), elements.to_vec());
            array_value(fl, id, &shape, &elements)
        }
        tree::Node::Disabled => {
            let path = fl.path(id);
            let message = format!("{path} is used, but its condition is false: it does not exist");
            Err(instance::report_at_decl(fl, id, Diagnostic::error("K0318", message)))
        }
        _ => Err(Reported),
    }
}

/// A list of instances of one class as an array.
pub fn array_value(fl: &mut Flattener<'_>, id: InstId, shape: &[usize], elements: &[InstId]) -> Res<Value> {
    spending::spend_here(fl, elements.len() as u64)?;
    if elements.is_empty() {
        return empty_value(fl, id, shape);
    }
    let mut values = Vec::with_capacity(elements.len());
    for &element in elements {
        values.push(instance_value(fl, element)?);
    }
    let joined = Value::construct(&values).map_err(|e| instance::array_error(fl, id, &e.to_string()))?;
    match joined {
        Some(value) => Ok(reshape_front(value, shape)),
        None => Err(Reported),
    }
}

/// An array of records without elements: a value of the right type needs a look at the class.
pub(crate) fn empty_value(fl: &mut Flattener<'_>, id: InstId, shape: &[usize]) -> Res<Value> {
    let klass = fl.inst(id).klass;
    let probe = instance::static_inst(fl, klass);
    let mut fields = Vec::new();
    for child in instance::children(fl, probe)? {
        let info = fl.inst(child).info.clone();
        let ty = info.as_ref().and_then(|i| i.leaf).map_or(Ty::Real, |l| Ty::of(l.builtin));
        let mut full = shape.to_vec();
        full.extend(std::iter::repeat_n(0, info.map_or(0, |i| i.dims.len())));
        if let Ok(array) = Array::from_vec(&full, Vec::new()) {
            fields.push((fl.inst(child).name, Value::Plain(ty, array)));
        }
    }
    Ok(Value::Record(Box::new(RecordValue { klass, shape: shape.to_vec(), fields })))
}

pub(crate) fn struct_value(fl: &mut Flattener<'_>, id: InstId) -> Res<Value> {
    let klass = fl.inst(id).klass;
    let kind = fl.cx.deep_kind(klass);
    let is_static = fl.inst(id).is_static || fl.inst(id).variability == Variability::Constant;
    if is_static
        && has_binding(fl, id)
        && let Some(value) = fl.binding(id)?
    {
        return Ok(Value::clone(&value));
    }
    if fl.cx.leaf(klass).is_some() {
        return Err(Reported);
    }
    if !matches!(
        kind,
        ClassKind::Record | ClassKind::OperatorRecord | ClassKind::Connector | ClassKind::Class
    ) {
        let path = fl.path(id);
        let message =
            format!("{path} is used as a value, but it is a component of class {}", fl.cx.name(klass));
        let mut diagnostic = Diagnostic::error("K0319", message).help("use one of its variables");
        if let Some(place) = fl.used_at {
            diagnostic = diagnostic.at(place, "used here");
        }
        return Err(instance::report_at_decl(fl, id, diagnostic));
    }
    let mut fields = Vec::new();
    for child in instance::children(fl, id)? {
        let name = fl.inst(child).name;
        let resolved = instance::resolve(fl, child)?;
        if matches!(fl.inst(resolved).node, tree::Node::Disabled) {
            continue;
        }
        fields.push((name, instance_value(fl, resolved)?));
    }
    Ok(Value::Record(Box::new(RecordValue { klass, shape: Vec::new(), fields })))
}

pub(crate) fn leaf_value(fl: &mut Flattener<'_>, id: InstId) -> Res<Value> {
    let inst = fl.inst(id);
    let tree::Node::Leaf(_, shape) = &inst.node else { return Err(Reported) };
    let shape = shape.clone();
    let Some(info) = inst.info.clone() else { return Err(Reported) };
    let ty = info.leaf.map_or(Ty::Real, |l| Ty::of(l.builtin));
    if inst.is_static || inst.variability == Variability::Constant {
        return constant_value(fl, id).map(|v| Value::clone(&v));
    }
    if inst.variability == Variability::Parameter && ty != Ty::External {
        let (evaluate, is_final) = settled(fl, id);
        if (evaluate || is_final)
            && has_binding(fl, id)
            && let Some(value) = fl.binding(id)?
            && (evaluate || is_closed(&fl.pool, &value))
            && let Some(value) = fold::try_fold_value(fl, &value)
        {
            mark_evaluated(fl, id);
            return Ok(with_ty(value, ty));
        }
    }
    let Some((first, count)) = instance::variables(fl, id) else { return Err(Reported) };
    spending::spend_here(fl, count as u64)?;
    let data = (0..count as u32).map(|i| fl.pool.var(VarId(first.0 + i))).collect();
    match Array::from_vec(&shape, data) {
        Ok(array) => Ok(Value::Plain(ty, array)),
        Err(e) => Err(instance::array_error(fl, id, &e.to_string())),
    }
}

/// Does no scalar depend on anything that may be changed?
pub(crate) fn is_closed(pool: &Pool, value: &Value) -> bool {
    let mut scalars = Vec::new();
    value.scalars(&mut scalars);
    scalars.iter().all(|&e| !pool.has_variables(e))
}

/// Are all scalars numbers or strings?
pub fn is_constant(pool: &Pool, value: &Value) -> bool {
    let mut scalars = Vec::new();
    value.scalars(&mut scalars);
    scalars.iter().all(|&e| is_literal(pool, e))
}

/// A number or a string?
pub fn is_literal(pool: &Pool, e: ExprId) -> bool {
    matches!(pool.node(e), kausal_symbolic::Node::Const(_) | kausal_symbolic::Node::Text(_))
}

pub(crate) fn mark_evaluated(fl: &mut Flattener<'_>, id: InstId) {
    if let Some((first, count)) = instance::variables(fl, id) {
        fl.evaluated.extend((0..count as u32).map(|i| VarId(first.0 + i)));
    }
}

/// The value of a constant, or of anything in a package.
pub fn constant_value(fl: &mut Flattener<'_>, id: InstId) -> Res<Arc<Value>> {
    match fl.constants.get(&id) {
        Some(Some(value)) => return value.clone(),
        Some(None) => {
            let path = fl.path(id);
            let message = format!("the value of {path} depends on itself");
            return Err(instance::report_at_decl(fl, id, Diagnostic::error("K0315", message)));
        }
        None => {}
    }
    fl.constants.insert(id, None);
    let value = find_constant(fl, id);
    fl.constants.insert(id, Some(value.clone()));
    value
}

pub(crate) fn find_constant(fl: &mut Flattener<'_>, id: InstId) -> Res<Arc<Value>> {
    let Some(value) = fl.binding(id)? else {
        let path = fl.path(id);
        let message = format!("the constant {path} has no value");
        return Err(instance::report_at_decl(fl, id, Diagnostic::error("K0320", message)));
    };
    let info = fl.inst(id).info.clone();
    let ty = info.as_ref().and_then(|i| i.leaf).map_or(Ty::Real, |l| Ty::of(l.builtin));
    if is_constant(&fl.pool, &value) {
        return Ok(Arc::new(with_ty(Value::clone(&value), ty)));
    }
    match fold::fold_value(fl, &value) {
        Ok(value) => Ok(Arc::new(with_ty(value, ty))),
        Err(why) => {
            let why = fold::explain(fl, why)?;
            let path = fl.path(id);
            let message = format!("the value of the constant {path} {why}");
            Err(instance::report_at_decl(fl, id, Diagnostic::error("K0322", message)))
        }
    }
}
