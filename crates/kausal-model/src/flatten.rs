//! From a class to a flat model, step by step: instances, connections, bindings and equations, variables.

use kausal_symbolic::{ExprId, VarId};
use kausal_syntax::ast::{Causality, ClassBody, ClassKind, Expr, FlowPrefix, Variability};
use kausal_syntax::{Diagnostic, Symbol};
use rustc_hash::FxHashSet;

use crate::budget::Passes;
use crate::class::{Classes, KlassId, Res, annotation_modify, annotation_value};
use crate::equation::{Context, Sink};
use crate::flat::{
    Enumeration, Equation, EquationId, Experiment, ExternalObject, FlatModel, Hint, Origin, OriginKind,
    StateSelect, Type, Variable,
};
use crate::flattener::{Flattener, Scope, sizes_text};
use crate::instance::{Inst, InstId, Node};
use crate::prelude::{Builtin, EnumerationType};
use crate::value::Value;

/// Flattens a class. What is wrong with it is in [`Classes::diagnostics`]; errors there make the result useless.
pub fn flatten(cx: &mut Classes, klass: KlassId) -> FlatModel {
    let name = cx.name(klass);
    let mut this = Flattener::new(cx);
    this.model_name = name.clone();
    this.check_root(klass);
    this.note_placed(klass);
    let root = this.root_instance(klass);
    for name in this.cx.outer_classes(klass) {
        this.missing_inner_class(klass, name);
    }
    this.instantiate(root);
    if this.too_many || this.budget.is_over() {
        this.report_budget();
        return FlatModel { name, ..FlatModel::default() };
    }
    this.collect_all(root);
    this.finish_connections();
    let mut sink = Sink::default();
    let mut initial = Sink::default();
    this.flatten_all(root, &mut sink, &mut initial);
    let connections = this.connection_equations();
    this.default_elements(&mut sink);
    sink.equations.extend(connections);
    sink.actions.append(&mut this.connections.assertions);
    if this.budget.is_over() {
        this.report_budget();
        return FlatModel { name, ..FlatModel::default() };
    }
    this.check_instances();
    this.hold_integer_fields(&mut sink);
    this.check_flat(&sink);
    if !this.cx.diagnostics.iter().any(kausal_syntax::Diagnostic::is_error) {
        this.check_balance(root, klass, &sink);
    }
    this.finish(klass, name, sink, initial)
}

/// Types that variables have, each once.
#[derive(Default)]
struct Types {
    enumerations: Vec<Enumeration>,
    external_objects: Vec<ExternalObject>,
}

impl Flattener<'_> {
    fn root_instance(&mut self, klass: KlassId) -> InstId {
        let name = self.cx.lib.class(self.cx.key(klass).def).name.symbol;
        self.push(Inst {
            parent: None,
            name,
            klass,
            info: None,
            subs: Box::default(),
            variability: Variability::Continuous,
            causality: Causality::None,
            flow: FlowPrefix::None,
            protected: false,
            is_static: false,
            node: Node::Struct,
            children: None,
        })
    }

    /// Everything below an instance that exists: resolved, with variables in the order of the tree.
    pub(crate) fn instantiate(&mut self, id: InstId) {
        if !matches!(self.inst(id).node, Node::Raw | Node::Struct) || self.resolve(id).is_err() {
            if let Node::Leaf(..) = self.inst(id).node {
                self.variables(id);
            } else if let Node::Array(_, elements) = self.inst(id).node.clone() {
                elements.iter().for_each(|&e| self.instantiate(e));
            }
            return;
        }
        match self.inst(id).node.clone() {
            Node::Leaf(..) => {
                self.variables(id);
            }
            // Members of expandable connectors exist only where they are used.
            Node::Struct if self.is_expandable(id) => {}
            Node::Struct => {
                if let Ok(children) = self.children(id) {
                    children.into_iter().for_each(|c| self.instantiate(c));
                }
                // Missing inner components may be added on the way.
                let mut done = 0;
                while let Some(&extra) = self.extra.get(&id).and_then(|list| list.get(done)) {
                    done += 1;
                    self.instantiate(extra);
                }
            }
            Node::Array(_, elements) => {
                let mut passes = Passes::new(elements.len());
                let place = self.inst(id).info.as_ref().map(|i| i.location);
                for &e in elements.iter() {
                    if self.next_pass_at(&mut passes, place).is_err() {
                        return;
                    }
                    self.instantiate(e);
                }
            }
            _ => {}
        }
    }

    /// Calls `f` for every component with components, owners first.
    fn each_struct(&mut self, id: InstId, f: &mut dyn FnMut(&mut Self, InstId)) {
        match self.inst(id).node.clone() {
            Node::Struct => {
                f(self, id);
                for child in self.below(id) {
                    self.each_struct(child, f);
                }
            }
            Node::Array(_, elements) => {
                let mut passes = Passes::new(elements.len());
                let place = self.inst(id).info.as_ref().map(|i| i.location);
                for &e in elements.iter() {
                    if self.next_pass_at(&mut passes, place).is_err() {
                        return;
                    }
                    self.each_struct(e, f);
                }
            }
            _ => {}
        }
    }

    /// The components of an instance and those added to it.
    pub fn below(&self, id: InstId) -> Vec<InstId> {
        let mut list: Vec<InstId> = self.known_children(id).collect();
        list.extend(self.extra.get(&id).into_iter().flatten().copied());
        list
    }

    fn collect_all(&mut self, root: InstId) {
        self.connections.collecting = true;
        self.each_struct(root, &mut |this, id| {
            let sections = this.sections(this.inst(id).klass);
            for &klass in sections.iter() {
                let file = this.cx.file(klass);
                let ast = this.cx.lib.ast(file);
                let ClassBody::Long(body) = &ast.classes[this.cx.lib.def(this.cx.key(klass).def).class].body
                else {
                    continue;
                };
                let scope = Scope { klass, inst: id, file, locals: this.locals.len() as u32 };
                let cx = Context { scope, ast: &ast, component: "", initial: false };
                for section in body.equations.iter().filter(|s| !s.initial) {
                    this.collect_connections(cx, &section.equations);
                }
            }
        });
        self.connections.collecting = false;
    }

    /// The classes whose equations an instance of `klass` has: bases first.
    pub fn sections(&mut self, klass: KlassId) -> std::sync::Arc<[KlassId]> {
        if let Some(list) = self.sections.get(&klass) {
            return list.clone();
        }
        let mut list = Vec::new();
        let mut seen = FxHashSet::default();
        self.linearize(klass, &mut seen, &mut list);
        let list: std::sync::Arc<[KlassId]> = list.into();
        self.sections.insert(klass, list.clone());
        list
    }

    fn linearize(&mut self, klass: KlassId, seen: &mut FxHashSet<KlassId>, list: &mut Vec<KlassId>) {
        if !seen.insert(klass) {
            return;
        }
        let Ok(members) = self.cx.members(klass) else { return };
        for &base in &members.bases {
            self.linearize(base, seen, list);
        }
        if let ClassBody::Long(body) = &self.cx.lib.class(self.cx.key(klass).def).body
            && (!body.equations.is_empty() || !body.algorithms.is_empty())
        {
            list.push(klass);
        }
    }

    fn flatten_all(&mut self, root: InstId, sink: &mut Sink, initial: &mut Sink) {
        self.each_struct(root, &mut |this, id| {
            let path = this.path(id);
            for child in this.below(id) {
                this.binding_equations(child, &path, sink);
            }
            let sections = this.sections(this.inst(id).klass);
            for &klass in sections.iter() {
                let file = this.cx.file(klass);
                let ast = this.cx.lib.ast(file);
                let ClassBody::Long(body) = &ast.classes[this.cx.lib.def(this.cx.key(klass).def).class].body
                else {
                    continue;
                };
                let scope = Scope { klass, inst: id, file, locals: this.locals.len() as u32 };
                for section in &body.equations {
                    let cx = Context { scope, ast: &ast, component: &path, initial: section.initial };
                    this.equations(cx, &section.equations, if section.initial { initial } else { sink });
                }
                for section in &body.algorithms {
                    let cx = Context { scope, ast: &ast, component: &path, initial: section.initial };
                    this.algorithm(cx, section, if section.initial { initial } else { sink });
                }
            }
        });
    }

    /// Elements of vectors of expandable connectors that nothing is connected to, and that no equation uses, have the default
    /// value of their type (specification section 9.1.3).
    fn default_elements(&mut self, sink: &mut Sink) {
        let absent = std::mem::take(&mut self.connections.absent);
        if absent.is_empty() {
            return;
        }
        let mut roots: Vec<ExprId> = sink.equations.iter().flat_map(|e| [e.lhs, e.rhs]).collect();
        for when in &sink.whens {
            for branch in &when.branches {
                let mut assigned = FxHashSet::default();
                crate::check::assigned_in(&branch.actions, &mut assigned);
                roots.extend(assigned.into_iter().map(|v| self.pool.var(v)));
            }
        }
        let used: FxHashSet<VarId> = kausal_symbolic::visit::reachable(&self.pool, &roots, |_| true)
            .into_iter()
            .filter_map(|e| self.pool.as_var(e))
            .collect();
        for set in absent {
            let Some(&first) = set.first().filter(|_| !set.iter().any(|v| used.contains(v))) else {
                continue;
            };
            let (leaf, _) = self.slots[first.index()];
            let Some(info) = self.inst(leaf).info.clone() else { continue };
            let rhs = match info.leaf.map(|l| l.builtin) {
                Some(Builtin::String) => self.pool.text(""),
                Some(Builtin::Enumeration(_)) => self.pool.constant(1.0),
                _ => self.pool.constant(0.0),
            };
            let lhs = self.pool.var(first);
            let component = self.inst(leaf).parent.map_or_else(String::new, |p| self.path(p));
            let origin = Origin { component, location: Some(info.location), kind: OriginKind::Connect };
            sink.equations.push(Equation { lhs, rhs, origin });
        }
    }

    /// A declaration `Real x = e` of something that is not a parameter is an equation.
    fn binding_equations(&mut self, id: InstId, owner: &str, sink: &mut Sink) {
        let inst = self.inst(id);
        // External objects are made once, like parameters.
        let external = |i: &crate::class::ComponentInfo| {
            i.leaf.is_some_and(|l| matches!(l.builtin, Builtin::ExternalObject))
        };
        if inst.variability <= Variability::Parameter
            || inst.info.as_deref().is_some_and(external)
            || !matches!(inst.node, Node::Leaf(..))
            || !self.has_binding(id)
        {
            return;
        }
        let Ok(Some(value)) = self.binding(id) else { return };
        let Value::Plain(_, array) = &*value else { return };
        let Some((first, _)) = self.variables(id) else { return };
        let location = self.inst(id).info.as_ref().map(|i| i.location);
        for (i, &rhs) in array.data().iter().enumerate() {
            let lhs = self.pool.var(VarId(first.0 + i as u32));
            let origin = Origin { component: owner.to_owned(), location, kind: OriginKind::Binding };
            sink.equations.push(Equation { lhs, rhs, origin });
        }
    }

    fn finish(mut self, klass: KlassId, name: String, mut sink: Sink, mut initial: Sink) -> FlatModel {
        let mut types = Types::default();
        let mut variables = Vec::with_capacity(self.slots.len());
        let mut at = 0;
        while at < self.slots.len() {
            let (inst, _) = self.slots[at];
            let count = self.variables(inst).map_or(1, |(_, n)| n).max(1);
            self.leaf_variables(inst, &mut types, &mut variables);
            at += count;
        }
        self.assert_ranges(&variables, &mut sink, &mut initial);
        // Functions may have objects of their own.
        for klass in std::mem::take(&mut self.functions.constructed) {
            self.external_object(klass, &mut types);
        }
        for var in &self.assigned_when {
            let v = &mut variables[var.index()];
            v.variability = v.variability.min(Variability::Discrete);
        }
        for &leaf in &self.when_leaves {
            if let Node::Leaf(Some(first), shape) = &self.insts[leaf.0 as usize].node {
                for i in 0..shape.iter().product::<usize>() {
                    let v = &mut variables[first.index() + i];
                    v.variability = v.variability.min(Variability::Discrete);
                }
            }
        }
        for var in &self.evaluated {
            variables[var.index()].evaluated = true;
        }
        let hints = sink
            .hints
            .iter()
            .map(|&(i, target, kind)| Hint { equation: EquationId(i as u32), target, kind })
            .collect();
        let (description, experiment) = self.about(klass);
        self.report_budget();
        FlatModel {
            name,
            description,
            pool: self.pool,
            variables,
            equations: sink.equations,
            initial_equations: initial.equations,
            whens: sink.whens,
            clocked: sink.clocked,
            actions: sink.actions,
            initial_actions: initial.actions,
            hints,
            enumerations: types.enumerations,
            external_objects: types.external_objects,
            experiment,
            outside: self.outside,
        }
    }

    fn leaf_variables(&mut self, id: InstId, types: &mut Types, out: &mut Vec<Variable>) {
        let Node::Leaf(Some(first), shape) = self.inst(id).node.clone() else { return };
        let count = shape.iter().product::<usize>();
        let inst = self.inst(id);
        let (variability, causality, flow, protected) =
            (inst.variability, inst.causality, inst.flow, inst.protected);
        let Some(info) = inst.info.clone() else { return };
        let builtin = info.leaf.map_or(Builtin::Real, |l| l.builtin);
        let ty = self.flat_type(builtin, info.klass, types);
        let variability = match (variability, ty) {
            (Variability::Continuous, Type::Real) => Variability::Continuous,
            (Variability::Continuous, Type::External(_)) => Variability::Parameter,
            (Variability::Continuous, _) => Variability::Discrete,
            (v, _) => v,
        };
        // Nobody outside sees what is protected.
        let causality = if self.is_top_level(id) && !protected { causality } else { Causality::None };
        let binding =
            if variability <= Variability::Parameter { self.binding(id).ok().flatten() } else { None };
        let binding = binding.as_deref().cloned();
        let attribute = |this: &mut Self, name: &str| {
            let symbol = Symbol::new(name);
            let value = this.attribute(id, symbol).ok().flatten()?;
            this.check_attribute_size(id, symbol, &value, &shape).ok()?;
            this.check_attribute(id, name, &value).is_ok().then_some(value)
        };
        let start = attribute(self, "start");
        let fixed = attribute(self, "fixed");
        let min = attribute(self, "min");
        let max = attribute(self, "max");
        let nominal = attribute(self, "nominal");
        let select = attribute(self, "stateSelect");
        let unbounded = attribute(self, "unbounded");
        let unit = attribute(self, "unit");
        let display_unit = attribute(self, "displayUnit");
        let quantity = attribute(self, "quantity");
        let start_location = ["start", "fixed"].iter().find_map(|name| {
            let (place, _) = self.cx.attribute(info.leaf?.mods, Symbol::new(name))?;
            let span = self.cx.lib.ast_ref(place.file).span(place.expr);
            Some(self.cx.lib.location(place.file, span))
        });
        let ast = self.cx.lib.ast(info.file);
        let written = &ast.components[info.component].description;
        let description = ast.description(written);
        let noted = annotation_modify(&ast, written.annotation, crate::print::NOTE)
            .is_some_and(|id| annotation_value(&ast, Some(id), crate::print::EVALUATED).is_some());
        let element = |value: &Option<Value>, i: usize| match value {
            Some(Value::Plain(_, array)) if array.rank() == 0 => array.data().first().copied(),
            Some(Value::Plain(_, array)) => array.data().get(i).copied(),
            _ => None,
        };
        self.check_bounds(id, &binding, &min, &max);
        for i in 0..count {
            let number = |this: &mut Self, value: &Option<Value>| {
                let e = element(value, i)?;
                let e = this.fold(e).ok()?;
                this.pool.as_constant(e)
            };
            let fixed = number(self, &fixed).map(|x| x != 0.0);
            let unbounded = number(self, &unbounded).is_some_and(|x| x != 0.0);
            let state_select = match number(self, &select) {
                Some(1.0) => StateSelect::Never,
                Some(2.0) => StateSelect::Avoid,
                Some(4.0) => StateSelect::Prefer,
                Some(5.0) => StateSelect::Always,
                _ => StateSelect::Default,
            };
            let binding = element(&binding, i).map(|e| self.settle_texts(e, ty == Type::String));
            out.push(Variable {
                name: self.variable_name(VarId(first.0 + i as u32)),
                ty,
                variability,
                causality,
                flow: flow == FlowPrefix::Flow,
                protected,
                binding,
                evaluated: info.is_final || info.evaluate == Some(true) || noted,
                start: element(&start, i),
                fixed,
                min: element(&min, i),
                max: element(&max, i),
                nominal: element(&nominal, i),
                state_select,
                unbounded,
                unit: self.text_of(element(&unit, i)),
                display_unit: self.text_of(element(&display_unit, i)),
                quantity: self.text_of(element(&quantity, i)),
                description: description.clone(),
                location: Some(info.location),
                start_location,
            });
        }
    }

    /// An attribute is one value for all elements, or one for each.
    fn check_attribute_size(&mut self, id: InstId, name: Symbol, value: &Value, shape: &[usize]) -> Res<()> {
        if value.rank() == 0 || value.shape() == shape {
            return Ok(());
        }
        let message = format!(
            "{} has {}, but its attribute {name} has {}",
            self.path(id),
            sizes_text(shape),
            sizes_text(value.shape())
        );
        let mut diagnostic = Diagnostic::error("K0316", message);
        let leaf = self.inst(id).info.as_ref().and_then(|i| i.leaf);
        if let Some((place, _)) = leaf.and_then(|leaf| self.cx.attribute(leaf.mods, name)) {
            let span = self.cx.lib.ast_ref(place.file).span(place.expr);
            diagnostic = diagnostic.at(self.cx.lib.location(place.file, span), "this value");
        }
        Err(self.report_at_decl(id, diagnostic))
    }

    /// What a string is, if it is known.
    fn text_of(&mut self, e: Option<kausal_symbolic::ExprId>) -> String {
        match e.and_then(|e| self.fold(e).ok()).map(|e| self.pool.node(e)) {
            Some(kausal_symbolic::Node::Text(t)) => self.pool.text_of(t).to_owned(),
            _ => String::new(),
        }
    }

    fn flat_type(&mut self, builtin: Builtin, klass: KlassId, types: &mut Types) -> Type {
        match builtin {
            Builtin::Real => Type::Real,
            Builtin::Integer => Type::Integer,
            Builtin::Boolean => Type::Boolean,
            Builtin::Clock => Type::Clock,
            Builtin::String => Type::String,
            Builtin::ExternalObject => Type::External(self.external_object(klass, types)),
            Builtin::Enumeration(EnumerationType { def, .. }) => {
                let name = self.cx.lib.full_name(def);
                let at = types.enumerations.iter().position(|e| e.name == name).unwrap_or_else(|| {
                    let literals = match &self.cx.lib.class(def).body {
                        ClassBody::Enumeration(Some(list)) => {
                            list.iter().map(|l| l.name.symbol.as_str().to_owned()).collect()
                        }
                        _ => Vec::new(),
                    };
                    types.enumerations.push(Enumeration { name, literals });
                    types.enumerations.len() - 1
                });
                Type::Enumeration(at as u32)
            }
        }
    }

    fn external_object(&mut self, klass: KlassId, types: &mut Types) -> u32 {
        let name = self.external_class(klass);
        let at = types.external_objects.iter().position(|o| o.name == name).unwrap_or_else(|| {
            let constructor = self.external_member(klass, "constructor");
            let destructor = self.external_member(klass, "destructor");
            types.external_objects.push(ExternalObject { name, constructor, destructor });
            types.external_objects.len() - 1
        });
        at as u32
    }

    /// Is it an input or output of the whole model: at the top, or in a connector at the top?
    pub(crate) fn is_top_level(&self, id: InstId) -> bool {
        let mut at = id;
        loop {
            let Some(parent) = self.inst(at).parent else { return false };
            if self.inst(parent).parent.is_none() {
                return !self.inst(parent).is_static;
            }
            if !self.is_connector(parent) && !self.is_record(parent) {
                return false;
            }
            at = parent;
        }
    }

    fn about(&mut self, klass: KlassId) -> (String, Experiment) {
        let ast = self.cx.ast(klass);
        let class = &ast.classes[self.cx.lib.def(self.cx.key(klass).def).class];
        let description = ast.description(&class.description);
        let mut experiment = Experiment::default();
        if let Some(id) = annotation_modify(&ast, class.description.annotation, "experiment") {
            let scope_inst = self.static_inst(klass);
            let scope = Scope {
                klass,
                inst: scope_inst,
                file: self.cx.file(klass),
                locals: self.locals.len() as u32,
            };
            let number = |this: &mut Self, name: &str| -> Option<f64> {
                let expr = annotation_value(&ast, Some(id), name)?;
                if matches!(ast.exprs[expr], Expr::Error) {
                    return None;
                }
                this.structural_number(scope, expr, "the experiment").ok()
            };
            experiment.start = number(self, "StartTime");
            experiment.stop = number(self, "StopTime");
            experiment.tolerance = number(self, "Tolerance");
            experiment.interval = number(self, "Interval");
        }
        (description, experiment)
    }

    /// Can the class be flattened: a model or block, not a partial one?
    pub fn is_model(kind: ClassKind) -> bool {
        matches!(kind, ClassKind::Model | ClassKind::Block | ClassKind::Class)
    }
}

/// Needed by callers that only look at results.
pub type Flat = Res<FlatModel>;
