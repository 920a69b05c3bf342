//! The state of one flattening, and what components are worth: bindings, constants, structural parameters.
//!
//! Expressions are evaluated to arrays of scalar expressions in which a parameter stays a variable. Where a
//! number is needed (a size, a condition of a component) the expression is [folded](Flattener::fold): parameters
//! are replaced by their values and marked as evaluated.

use std::sync::Arc;

use kausal_symbolic::function::{Array, ArrayResult, Domain, Function, FunctionId};
use kausal_symbolic::{ExprId, Op, Pool, VarId};
use kausal_syntax::ast::{self, ClassKind, Variability};
use kausal_syntax::{Diagnostic, Span, Symbol};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::class::{Classes, KlassId, Place, Reported, Res};
use crate::flat::HintKind;
use crate::instance::{Inst, InstId, Node};
use crate::library::FileId;
use crate::modifier::{ANY_LEVELS, Up};
use crate::value::{RecordValue, Ty, Value};

/// Where an expression is evaluated.
#[derive(Clone, Copy, Debug)]
pub struct Scope {
    /// The class whose names it uses.
    pub klass: KlassId,
    /// The instance of that class (or of one that extends it).
    pub inst: InstId,
    /// The file it is written in.
    pub file: FileId,
    /// Local names from here on in [`Flattener::locals`] are visible.
    pub locals: u32,
}

/// A hint met in the equation being evaluated.
#[derive(Clone, Debug)]
pub struct PendingHint {
    /// Which.
    pub kind: HintKind,
    /// On what.
    pub target: Array<ExprId>,
}

/// The state of one flattening.
pub struct Flattener<'w> {
    /// All classes.
    pub cx: &'w mut Classes,
    /// All instances.
    pub insts: Vec<Inst>,
    /// Instances of packages.
    pub statics: FxHashMap<KlassId, InstId>,
    /// Inner components that nobody declared.
    pub(crate) added_inner: FxHashSet<InstId>,
    /// Components without a declaration, by owner.
    pub extra: FxHashMap<InstId, Vec<InstId>>,
    /// All expressions.
    pub pool: Pool,
    /// For every variable the leaf it belongs to and which element it is.
    pub slots: Vec<(InstId, u32)>,
    /// Parameters whose value was used.
    pub evaluated: FxHashSet<VarId>,
    /// Loop variables and the like, innermost last.
    pub locals: Vec<(Symbol, Value)>,
    /// Sizes that `end` stands for, innermost last.
    pub ends: Vec<usize>,
    /// Hints of the equation being evaluated.
    pub hints: Vec<PendingHint>,
    /// Lowered functions.
    pub functions: crate::functions::Functions,
    /// Connections, once collected.
    pub connections: crate::connect::Connections,
    /// The full name of the model.
    pub model_name: String,
    /// How many variables of overdetermined connectors its surroundings decide.
    pub outside: usize,
    /// Variables assigned in `when` clauses.
    pub assigned_when: FxHashSet<VarId>,
    /// Leaves assigned in `when` statements of algorithms.
    pub when_leaves: FxHashSet<InstId>,
    /// Expressions that choose by a subscript known only while the model runs: it, and from how many elements.
    pub(crate) subscripts: FxHashMap<ExprId, (ExprId, usize)>,
    /// Integer subscripts that are known only while the model runs.
    pub(crate) positions: FxHashSet<ExprId>,
    /// The equation being evaluated stands in a `when` clause.
    pub(crate) in_when: bool,
    /// What `pre` is applied to outside `when` clauses, and where.
    pub(crate) pre_uses: Vec<(ExprId, kausal_syntax::Location)>,
    /// The reference being evaluated, and the conditional component it leads through.
    pub(crate) used_at: Option<kausal_syntax::Location>,
    pub(crate) conditional: Option<InstId>,
    /// What the dimensions of a component are indexed by, where it is known.
    pub(crate) index_types: FxHashMap<(KlassId, FileId, ast::ComponentId), Arc<[Option<Ty>]>>,
    /// Values are only looked at: nothing is marked as evaluated.
    pub(crate) peeking: bool,
    /// Components are nested too deeply: nothing more is made.
    pub(crate) too_deep: bool,
    /// Members of expandable connectors that exist.
    pub present: FxHashSet<InstId>,
    /// Auxiliary variables, by component.
    auxiliaries: FxHashMap<InstId, u32>,
    /// The sizes known so far of components that are being resolved.
    pub(crate) sizes: FxHashMap<InstId, Vec<Option<usize>>>,
    pub(crate) derives: FxHashMap<(KlassId, crate::library::DefId), bool>,
    pub(crate) sections: FxHashMap<KlassId, Arc<[KlassId]>>,
    bindings: FxHashMap<InstId, Option<Res<Option<Arc<Value>>>>>,
    values: FxHashMap<(FileId, ast::ExprId, InstId), Res<Arc<Value>>>,
    constants: FxHashMap<InstId, Option<Res<Arc<Value>>>>,
    pub(crate) folded: FxHashMap<ExprId, ExprId>,
    pub(crate) folding: FxHashSet<VarId>,
    pub(crate) depth: u32,
    /// So many instances were made before somebody asked how many there would be.
    pub(crate) counted: bool,
    /// There are more components than can be.
    pub(crate) too_many: bool,
    /// What was spent on terms.
    pub(crate) budget: crate::budget::Budget,
}

/// The pool as a domain for array routines.
pub struct Sym<'a>(pub &'a mut Pool);

impl Domain for Sym<'_> {
    type Scalar = ExprId;

    fn number(&mut self, value: f64) -> ExprId {
        self.0.constant(value)
    }

    fn value(&self, scalar: ExprId) -> Option<f64> {
        self.0.as_constant(scalar)
    }

    fn op(&mut self, op: Op, args: &[ExprId]) -> ArrayResult<ExprId> {
        Ok(self.0.op(op, args))
    }

    fn function(&self, id: FunctionId) -> Option<&Function> {
        Some(self.0.function(id))
    }
}

impl<'w> Flattener<'w> {
    /// Nothing flattened yet.
    pub fn new(cx: &'w mut Classes) -> Self {
        Flattener {
            cx,
            insts: Vec::new(),
            statics: FxHashMap::default(),
            added_inner: FxHashSet::default(),
            extra: FxHashMap::default(),
            pool: Pool::new(),
            slots: Vec::new(),
            evaluated: FxHashSet::default(),
            locals: Vec::new(),
            ends: Vec::new(),
            hints: Vec::new(),
            functions: Default::default(),
            connections: Default::default(),
            model_name: String::new(),
            outside: 0,
            assigned_when: FxHashSet::default(),
            when_leaves: FxHashSet::default(),
            subscripts: FxHashMap::default(),
            positions: FxHashSet::default(),
            in_when: false,
            pre_uses: Vec::new(),
            used_at: None,
            conditional: None,
            index_types: FxHashMap::default(),
            peeking: false,
            too_deep: false,
            present: FxHashSet::default(),
            auxiliaries: FxHashMap::default(),
            sizes: FxHashMap::default(),
            derives: FxHashMap::default(),
            sections: FxHashMap::default(),
            bindings: FxHashMap::default(),
            values: FxHashMap::default(),
            constants: FxHashMap::default(),
            folded: FxHashMap::default(),
            folding: FxHashSet::default(),
            depth: 0,
            counted: false,
            too_many: false,
            budget: Default::default(),
        }
    }

    /// The pool as a domain for array routines.
    pub fn sym(&mut self) -> Sym<'_> {
        Sym(&mut self.pool)
    }

    /// Reports an error at an expression.
    pub fn error_at(
        &mut self,
        code: &'static str,
        message: impl Into<String>,
        file: FileId,
        span: Span,
    ) -> Reported {
        self.cx.error(code, message.into(), file, span)
    }

    /// Where the binding of an instance comes from: its own, or its owner's record value.
    fn binding_level(&self, id: InstId) -> Option<(Option<Place>, u32)> {
        let inst = self.inst(id);
        let info = inst.info.as_ref()?;
        let level = |up: Up| if up == Up::STATIC { 0 } else { u32::from(up.0) };
        let own = info.binding.map(|place| (Some(place), level(place.up)));
        // A connector made of a record (`connector Out = output Complex`) may have a value like one.
        let holds = |p: &InstId| self.is_record(*p) || self.is_connector(*p);
        let owner = inst.parent.filter(holds).and_then(|p| self.binding_level(p));
        match (own, owner) {
            (Some(own), Some((_, above))) if own.1 > above + 1 => Some(own),
            (_, Some((_, above))) => Some((None, above + 1)),
            (own, None) => own,
        }
    }

    /// Has the instance a binding, its own or one of a record it is in?
    pub fn has_binding(&self, id: InstId) -> bool {
        self.binding_level(id).is_some()
    }

    /// The binding that counts, if it is the instance's own.
    pub fn own_binding(&self, id: InstId) -> Option<Place> {
        self.binding_level(id)?.0
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
        match self.binding_level(id) {
            None => Ok(None),
            Some((Some(place), _)) => {
                let scope = self.place_scope(id, &place);
                let in_array = !self.path_subscripts(scope.inst, id).is_empty();
                if in_array || matches!(self.inst(id).node, Node::Resolving) {
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
                        Err(self.report_at_decl(parent, Diagnostic::error("K0321", message)))
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
                return Err(self.report_at_decl(id, Diagnostic::error("K0315", message)));
            }
            None => {}
        }
        self.bindings.insert(id, None);
        let value = self.find_binding(id);
        self.bindings.insert(id, Some(value.clone()));
        value
    }

    fn find_binding(&mut self, id: InstId) -> Res<Option<Arc<Value>>> {
        let Some(value) = self.binding_uncut(id)? else { return Ok(None) };
        self.resolve(id)?;
        let shape: Vec<usize> = match &self.inst(id).node {
            Node::Leaf(_, shape) | Node::Array(shape, _) => shape.to_vec(),
            _ => Vec::new(),
        };
        let place = self.own_binding(id);
        let subs = match &place {
            Some(place) if place.levels == ANY_LEVELS => {
                let scope = self.place_scope(id, place);
                self.path_subscripts(scope.inst, id)
            }
            Some(place) => {
                let above = self.above(id, place.levels);
                let subs = above.map_or_else(Vec::new, |above| self.path_subscripts(above, id));
                self.check_each_value(id, place, &value, shape.len(), &subs)?;
                subs
            }
            None => self.inst(id).subs.iter().map(|&s| s as usize).collect(),
        };
        let value = self.cut(id, value, shape.len(), &subs)?;
        let value = if value.rank() == 0
            && !shape.is_empty()
            && place.is_some_and(|p| p.each || p.up == Up(0) || self.is_modifier(id, &p))
        {
            Arc::new(self.fill(&value, &shape))
        } else {
            value
        };
        if value.shape() != shape.as_slice() {
            let message = format!(
                "{} has {}, but its value has {}",
                self.path(id),
                sizes_text(&shape),
                sizes_text(value.shape())
            );
            let diagnostic = Diagnostic::error("K0316", message);
            let diagnostic = match place {
                Some(p) => {
                    let span = self.cx.lib.ast_ref(p.file).span(p.expr);
                    diagnostic.at(self.cx.lib.location(p.file, span), "this value")
                }
                None => diagnostic,
            };
            return Err(self.report_at_decl(id, diagnostic));
        }
        let leaf = self.inst(id).info.as_ref().and_then(|i| i.leaf);
        if let (Some(leaf), Some(place)) = (leaf, place) {
            let ty = Ty::of(leaf.builtin);
            if !value.ty().is_some_and(|t| assignable(ty, t)) {
                let message =
                    format!("{} is {}, but its value is {}", self.path(id), ty.text(), value.describe());
                let span = self.cx.lib.ast_ref(place.file).span(place.expr);
                let location = self.cx.lib.location(place.file, span);
                let diagnostic = Diagnostic::error("K0317", message).at(location, "this value");
                return Err(self.report_at_decl(id, diagnostic));
            }
        }
        Ok(Some(value))
    }

    /// The instance `levels` above; the root if there are not so many.
    fn above(&self, id: InstId, levels: u16) -> Option<InstId> {
        let mut at = id;
        for _ in 0..levels {
            match self.inst(at).parent {
                Some(parent) => at = parent,
                None => break,
            }
        }
        (at != id).then_some(at)
    }

    /// A modifier of an array of components has a dimension for each of theirs, unless it says `each` (specification
    /// section 7.2.5); `rank` is what one element needs.
    fn check_each_value(
        &mut self,
        id: InstId,
        place: &Place,
        value: &Value,
        rank: usize,
        subs: &[usize],
    ) -> Res<()> {
        let given = value.rank();
        if given == rank + subs.len() {
            return self.check_split(id, place, value, subs);
        }
        let span = self.cx.lib.ast_ref(place.file).span(place.expr);
        let location = self.cx.lib.location(place.file, span);
        let path = self.path(id);
        if given >= rank && given < rank + subs.len() {
            // What is meant is clear, and other tools take it. What is said of the first element holds for all.
            if subs.iter().all(|&s| s == 1) {
                let message = format!(
                    "`each` is missing: {path} is part of an array, and this is one value for all of them"
                );
                let help = "write `each` in front of the modifier, or give an array of values";
                let warning = Diagnostic::warning("K0227", message).at(location, "this value").help(help);
                self.report_at_decl(id, warning);
            }
            return Ok(());
        }
        if given == 0 && self.is_modifier(id, place) {
            let message =
                format!("`each` is missing: {path} is an array, and this is one value for all of it");
            let help = "write `each` in front of the modifier, or give an array of values";
            let warning = Diagnostic::warning("K0227", message).at(location, "this value").help(help);
            self.report_at_decl(id, warning);
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
            return Err(self.report_at_decl(id, diagnostic));
        }
        Ok(())
    }

    /// Does the value of a variable come from a modifier, and not from its declaration?
    fn is_modifier(&self, id: InstId, place: &Place) -> bool {
        let declared = self.inst(id).info.as_ref().and_then(|info| {
            let ast = self.cx.lib.ast_ref(info.file);
            Some((info.file, ast.modifications[ast.components[info.component].modification?].span))
        });
        let span = self.cx.lib.ast_ref(place.file).span(place.expr);
        declared.is_none_or(|(file, own)| file != place.file || span.start < own.start || own.end < span.end)
    }

    /// The value that is split among the elements of arrays of components has their sizes.
    fn check_split(&mut self, id: InstId, place: &Place, value: &Value, subs: &[usize]) -> Res<()> {
        if subs.is_empty() {
            return Ok(());
        }
        let mut sizes: Vec<usize> = Vec::new();
        let mut at = id;
        while sizes.len() < subs.len() {
            let inst = self.inst(at);
            let (Some(parent), name, part) = (inst.parent, inst.name, !inst.subs.is_empty()) else { break };
            if part
                && let Some(array) = self.child(parent, name)?
                && let Node::Array(shape, _) = &self.inst(array).node
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
            self.path(id),
            sizes_text(value.shape()),
            sizes.iter().map(usize::to_string).collect::<Vec<_>>().join(" x ")
        );
        let span = self.cx.lib.ast_ref(place.file).span(place.expr);
        let location = self.cx.lib.location(place.file, span);
        let diagnostic = Diagnostic::error("K0316", message).at(location, "this value");
        Err(self.report_at_decl(id, diagnostic))
    }

    /// A new variable of a component: a Boolean for the condition of a `when` statement, or a Real for a value it
    /// hands on.
    pub fn auxiliary(&mut self, owner: InstId, ty: Ty) -> Res<InstId> {
        let Some(klass) = self.cx.root(Symbol::new("'$Auxiliary'")) else { return Err(Reported) };
        let members = self.cx.members(klass)?;
        let real = ty == Ty::Real;
        let info = self.cx.component(&members.items[usize::from(real)])?;
        let number = self.auxiliaries.entry(owner).or_insert(0);
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
            node: Node::Leaf(None, Box::default()),
            children: None,
        };
        Ok(self.push(inst))
    }

    /// A scalar value for every element.
    pub fn fill(&mut self, value: &Value, shape: &[usize]) -> Value {
        match value {
            Value::Plain(ty, array) => match Array::fill(array, shape) {
                Ok(array) => Value::Plain(*ty, array),
                Err(_) => value.clone(),
            },
            Value::Record(record) => {
                let fields = record.fields.iter().map(|(n, v)| (*n, self.fill(v, shape))).collect();
                let mut full = shape.to_vec();
                full.extend_from_slice(&record.shape);
                Value::Record(Box::new(RecordValue { klass: record.klass, shape: full, fields }))
            }
            other => other.clone(),
        }
    }

    /// What a resolved instance is worth in an expression.
    pub fn instance_value(&mut self, id: InstId) -> Res<Value> {
        let id = self.resolve(id)?;
        match &self.inst(id).node {
            Node::Leaf(..) => self.leaf_value(id),
            Node::Struct => self.struct_value(id),
            Node::Array(shape, elements) => {
                let (shape, elements) = (shape.to_vec(), elements.to_vec());
                self.array_value(id, &shape, &elements)
            }
            Node::Disabled => {
                let path = self.path(id);
                let message = format!("{path} is used, but its condition is false: it does not exist");
                Err(self.report_at_decl(id, Diagnostic::error("K0318", message)))
            }
            _ => Err(Reported),
        }
    }

    /// A list of instances of one class as an array.
    pub fn array_value(&mut self, id: InstId, shape: &[usize], elements: &[InstId]) -> Res<Value> {
        self.spend_here(elements.len() as u64)?;
        if elements.is_empty() {
            return self.empty_value(id, shape);
        }
        let mut values = Vec::with_capacity(elements.len());
        for &element in elements {
            values.push(self.instance_value(element)?);
        }
        let joined = Value::construct(&values).map_err(|e| self.array_error(id, &e.to_string()))?;
        match joined {
            Some(value) => Ok(reshape_front(value, shape)),
            None => Err(Reported),
        }
    }

    /// An array of records without elements: a value of the right type needs a look at the class.
    fn empty_value(&mut self, id: InstId, shape: &[usize]) -> Res<Value> {
        let klass = self.inst(id).klass;
        let probe = self.static_inst(klass);
        let mut fields = Vec::new();
        for child in self.children(probe)? {
            let info = self.inst(child).info.clone();
            let ty = info.as_ref().and_then(|i| i.leaf).map_or(Ty::Real, |l| Ty::of(l.builtin));
            let mut full = shape.to_vec();
            full.extend(std::iter::repeat_n(0, info.map_or(0, |i| i.dims.len())));
            if let Ok(array) = Array::from_vec(&full, Vec::new()) {
                fields.push((self.inst(child).name, Value::Plain(ty, array)));
            }
        }
        Ok(Value::Record(Box::new(RecordValue { klass, shape: shape.to_vec(), fields })))
    }

    fn struct_value(&mut self, id: InstId) -> Res<Value> {
        let klass = self.inst(id).klass;
        let kind = self.cx.deep_kind(klass);
        let is_static = self.inst(id).is_static || self.inst(id).variability == Variability::Constant;
        if is_static
            && self.has_binding(id)
            && let Some(value) = self.binding(id)?
        {
            return Ok(Value::clone(&value));
        }
        if self.cx.leaf(klass).is_some() {
            return Err(Reported);
        }
        if !matches!(
            kind,
            ClassKind::Record | ClassKind::OperatorRecord | ClassKind::Connector | ClassKind::Class
        ) {
            let path = self.path(id);
            let message =
                format!("{path} is used as a value, but it is a component of class {}", self.cx.name(klass));
            let mut diagnostic = Diagnostic::error("K0319", message).help("use one of its variables");
            if let Some(place) = self.used_at {
                diagnostic = diagnostic.at(place, "used here");
            }
            return Err(self.report_at_decl(id, diagnostic));
        }
        let mut fields = Vec::new();
        for child in self.children(id)? {
            let name = self.inst(child).name;
            let resolved = self.resolve(child)?;
            if matches!(self.inst(resolved).node, Node::Disabled) {
                continue;
            }
            fields.push((name, self.instance_value(resolved)?));
        }
        Ok(Value::Record(Box::new(RecordValue { klass, shape: Vec::new(), fields })))
    }

    fn leaf_value(&mut self, id: InstId) -> Res<Value> {
        let inst = self.inst(id);
        let Node::Leaf(_, shape) = &inst.node else { return Err(Reported) };
        let shape = shape.clone();
        let Some(info) = inst.info.clone() else { return Err(Reported) };
        let ty = info.leaf.map_or(Ty::Real, |l| Ty::of(l.builtin));
        if inst.is_static || inst.variability == Variability::Constant {
            return self.constant_value(id).map(|v| Value::clone(&v));
        }
        if inst.variability == Variability::Parameter && ty != Ty::External {
            let (evaluate, is_final) = self.settled(id);
            if (evaluate || is_final)
                && self.has_binding(id)
                && let Some(value) = self.binding(id)?
                && (evaluate || self.is_closed(&value))
                && let Some(value) = self.try_fold_value(&value)
            {
                self.mark_evaluated(id);
                return Ok(with_ty(value, ty));
            }
        }
        let Some((first, count)) = self.variables(id) else { return Err(Reported) };
        self.spend_here(count as u64)?;
        let data = (0..count as u32).map(|i| self.pool.var(VarId(first.0 + i))).collect();
        match Array::from_vec(&shape, data) {
            Ok(array) => Ok(Value::Plain(ty, array)),
            Err(e) => Err(self.array_error(id, &e.to_string())),
        }
    }

    /// Is a parameter to be evaluated now, and is it final? By its own declaration or that of a record it is in.
    pub(crate) fn settled(&self, id: InstId) -> (bool, bool) {
        let (mut evaluate, mut is_final) = (None, false);
        let mut at = Some(id);
        while let Some(id) = at {
            let inst = self.inst(id);
            // Only records are parameters and have components.
            let Some(info) = inst.info.as_ref().filter(|_| inst.variability <= Variability::Parameter) else {
                break;
            };
            evaluate = evaluate.or(info.evaluate);
            is_final |= info.is_final;
            at = inst.parent;
        }
        (evaluate == Some(true), is_final && evaluate.is_none())
    }

    /// Does no scalar depend on anything that may be changed?
    fn is_closed(&self, value: &Value) -> bool {
        let mut scalars = Vec::new();
        value.scalars(&mut scalars);
        scalars.iter().all(|&e| !self.pool.has_variables(e))
    }

    /// Are all scalars numbers or strings?
    pub fn is_constant(&self, value: &Value) -> bool {
        let mut scalars = Vec::new();
        value.scalars(&mut scalars);
        scalars.iter().all(|&e| self.is_literal(e))
    }

    /// A number or a string?
    pub fn is_literal(&self, e: ExprId) -> bool {
        matches!(self.pool.node(e), kausal_symbolic::Node::Const(_) | kausal_symbolic::Node::Text(_))
    }

    fn mark_evaluated(&mut self, id: InstId) {
        if let Some((first, count)) = self.variables(id) {
            self.evaluated.extend((0..count as u32).map(|i| VarId(first.0 + i)));
        }
    }

    /// The value of a constant, or of anything in a package.
    pub fn constant_value(&mut self, id: InstId) -> Res<Arc<Value>> {
        match self.constants.get(&id) {
            Some(Some(value)) => return value.clone(),
            Some(None) => {
                let path = self.path(id);
                let message = format!("the value of {path} depends on itself");
                return Err(self.report_at_decl(id, Diagnostic::error("K0315", message)));
            }
            None => {}
        }
        self.constants.insert(id, None);
        let value = self.find_constant(id);
        self.constants.insert(id, Some(value.clone()));
        value
    }

    fn find_constant(&mut self, id: InstId) -> Res<Arc<Value>> {
        let Some(value) = self.binding(id)? else {
            let path = self.path(id);
            let message = format!("the constant {path} has no value");
            return Err(self.report_at_decl(id, Diagnostic::error("K0320", message)));
        };
        let info = self.inst(id).info.clone();
        let ty = info.as_ref().and_then(|i| i.leaf).map_or(Ty::Real, |l| Ty::of(l.builtin));
        if self.is_constant(&value) {
            return Ok(Arc::new(with_ty(Value::clone(&value), ty)));
        }
        match self.fold_value(&value) {
            Ok(value) => Ok(Arc::new(with_ty(value, ty))),
            Err(why) => {
                let why = self.explain(why)?;
                let path = self.path(id);
                let message = format!("the value of the constant {path} {why}");
                Err(self.report_at_decl(id, Diagnostic::error("K0322", message)))
            }
        }
    }
}

/// May a value of type `from` be given to something of type `to`?
pub fn assignable(to: Ty, from: Ty) -> bool {
    to == from || (to == Ty::Real && from == Ty::Integer)
}

/// The same scalars as another type: an `Integer` given to a `Real`.
pub fn with_ty(value: Value, ty: Ty) -> Value {
    match value {
        Value::Plain(_, array) => Value::Plain(ty, array),
        other => other,
    }
}

/// Replaces the first dimension by several.
pub fn reshape_front(value: Value, shape: &[usize]) -> Value {
    match value {
        Value::Plain(ty, array) => {
            let mut full = shape.to_vec();
            full.extend_from_slice(&array.shape()[1..]);
            match array.clone().reshape(&full) {
                Ok(array) => Value::Plain(ty, array),
                Err(_) => Value::Plain(ty, array),
            }
        }
        Value::Record(record) => {
            let mut full = shape.to_vec();
            full.extend_from_slice(&record.shape[1..]);
            let fields = record.fields.into_iter().map(|(n, v)| (n, reshape_front(v, shape))).collect();
            Value::Record(Box::new(RecordValue { klass: record.klass, shape: full, fields }))
        }
        other => other,
    }
}

/// `no dimensions`, `1 dimension`, `2 dimensions`
pub fn dimensions_text(rank: usize) -> String {
    match rank {
        0 => "no dimensions".to_owned(),
        1 => "1 dimension".to_owned(),
        n => format!("{n} dimensions"),
    }
}

/// `no dimensions`, `size 3`, `size 2 x 3`
pub fn sizes_text(shape: &[usize]) -> String {
    if shape.is_empty() {
        return "no dimensions".to_owned();
    }
    let sizes: Vec<String> = shape.iter().map(usize::to_string).collect();
    format!("size {}", sizes.join(" x "))
}
