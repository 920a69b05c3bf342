//! From a class to a flat model, step by step: instances, connections, bindings and equations, variables.

use kausal_symbolic::{ExprId, VarId};
use kausal_syntax::ast::{Causality, ClassBody, Expr, FlowPrefix, Variability};
use kausal_syntax::{Diagnostic, Location, Symbol};
use rustc_hash::FxHashSet;

use crate::annotation::{annotation_modify, annotation_value};
use crate::budget::Passes;
use crate::class::{Classes, Res};
use crate::connect::{collect, sets};
use crate::flat::{
    Enumeration, Equation, EquationId, Experiment, ExternalObject, FlatModel, Hint, Origin, OriginKind,
    StateSelect, Type, Variable,
};
use crate::flattener::Flattener;
use crate::ids::{InstId, KlassId};
use crate::instance::{below, is_top_level};
use crate::prelude::{Builtin, EnumerationType};
use crate::rules::{balance, classes, flat, open_packages, purity};
use crate::sink::{Context, Sink};
use crate::state_machine::expand::expand;
use crate::state_machine::plan::Plan;
use crate::tree::{Inst, Scope};
use crate::value::{Value, sizes_text};
use crate::{
    algorithm, bindings, connect, equation, fold, functions, inner, instance, ranges, rules, sink, spending,
    state_machine, texts, tree,
};

/// Flattens a class. What is wrong with it is in [`Classes::diagnostics`]; errors there make the result useless.
pub fn flatten(cx: &mut Classes, klass: KlassId) -> FlatModel {
    let name = cx.name(klass);
    let this = &mut Flattener::new(cx);
    this.model_name = name.clone();
    classes::check_root(this.cx, klass);
    purity::note_placed(this, klass);
    let root = root_instance(this, klass);
    for name in this.cx.outer_classes(klass) {
        inner::missing_inner_class(this.cx, klass, name);
    }
    this.instantiate(root);
    if this.too_many || this.budget.is_over() {
        spending::report_budget(this);
        return FlatModel { name, ..FlatModel::default() };
    }
    collect_all(this, root);
    connect::finish_connections(this);
    let mut sink = sink::Sink::default();
    let mut initial = sink::Sink::default();
    flatten_all(this, root, &mut sink, &mut initial);
    let connections = sets::connection_equations(this);
    default_elements(this, &mut sink);
    sink.equations.extend(connections);
    sink.actions.append(&mut this.connections.assertions);
    if this.budget.is_over() {
        spending::report_budget(this);
        return FlatModel { name, ..FlatModel::default() };
    }
    rules::check_instances(this);
    open_packages::name_open_packages(this, root);
    flat::hold_integer_fields(this, &mut sink);
    flat::check_flat(this, &sink);
    let plan = state_machine::plan_state_machines(this);
    // What several states define is counted when it has become one equation.
    if plan.is_empty() && !this.cx.diagnostics.iter().any(kausal_syntax::Diagnostic::is_error) {
        balance::check_balance(this, root, klass, &sink);
    }
    finish(this, klass, name, sink, initial, &plan)
}

/// Types that variables have, each once.
#[derive(Default)]
struct Types {
    enumerations: Vec<Enumeration>,
    external_objects: Vec<ExternalObject>,
}

impl Flattener<'_> {
    /// Everything below an instance that exists: resolved, with variables in the order of the tree.
    pub(crate) fn instantiate(&mut self, id: InstId) {
        if !matches!(self.inst(id).node, tree::Node::Raw | tree::Node::Struct)
            || instance::resolve(self, id).is_err()
        {
            if let tree::Node::Leaf(..) = self.inst(id).node {
                instance::variables(self, id);
            } else if let tree::Node::Array(_, elements) = self.inst(id).node.clone() {
                elements.iter().for_each(|&e| self.instantiate(e));
            }
            return;
        }
        match self.inst(id).node.clone() {
            tree::Node::Leaf(..) => {
                instance::variables(self, id);
            }
            // Members of expandable connectors exist only where they are used.
            tree::Node::Struct if instance::is_expandable(self, id) => {}
            tree::Node::Struct => {
                if let Ok(children) = instance::children(self, id) {
                    children.into_iter().for_each(|c| self.instantiate(c));
                }
                // Missing inner components may be added on the way.
                let mut done = 0;
                while let Some(&extra) = self.extra.get(&id).and_then(|list| list.get(done)) {
                    done += 1;
                    self.instantiate(extra);
                }
            }
            tree::Node::Array(_, elements) => {
                let mut passes = Passes::new(elements.len());
                let place = self.inst(id).info.as_ref().map(|i| i.location);
                for &e in elements.iter() {
                    if spending::next_pass_at(self, &mut passes, place).is_err() {
                        return;
                    }
                    self.instantiate(e);
                }
            }
            _ => {}
        }
    }
}

/// The instance at the top of a tree.
pub(crate) fn root_instance(fl: &mut Flattener<'_>, klass: KlassId) -> InstId {
    let name = fl.cx.lib.class(fl.cx.key(klass).def).name.symbol;
    instance::push(
        fl,
        Inst {
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
            node: tree::Node::Struct,
            children: None,
        },
    )
}

/// Calls `f` for every component with components, owners first.
fn each_struct(fl: &mut Flattener<'_>, id: InstId, f: &mut dyn FnMut(&mut Flattener<'_>, InstId)) {
    match fl.inst(id).node.clone() {
        tree::Node::Struct => {
            f(fl, id);
            for child in below(fl, id) {
                each_struct(fl, child, f);
            }
        }
        tree::Node::Array(_, elements) => {
            let mut passes = Passes::new(elements.len());
            let place = fl.inst(id).info.as_ref().map(|i| i.location);
            for &e in elements.iter() {
                if spending::next_pass_at(fl, &mut passes, place).is_err() {
                    return;
                }
                each_struct(fl, e, f);
            }
        }
        _ => {}
    }
}

fn collect_all(fl: &mut Flattener<'_>, root: InstId) {
    fl.connections.collecting = true;
    each_struct(fl, root, &mut |this, id| {
        let klass_here = this.inst(id).klass;
        let sections = instance::sections(this, klass_here);
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
                collect::collect_connections(this, cx, &section.equations);
            }
        }
    });
    fl.connections.collecting = false;
}

fn flatten_all(fl: &mut Flattener<'_>, root: InstId, sink: &mut Sink, initial: &mut Sink) {
    each_struct(fl, root, &mut |this, id| {
        let path = this.path(id);
        for child in below(this, id) {
            binding_equations(this, child, &path, sink);
        }
        let klass_here = this.inst(id).klass;
        let sections = instance::sections(this, klass_here);
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
                equation::equations(
                    this,
                    cx,
                    &section.equations,
                    if section.initial { initial } else { sink },
                );
            }
            for section in &body.algorithms {
                let cx = Context { scope, ast: &ast, component: &path, initial: section.initial };
                algorithm::algorithm(this, cx, section, if section.initial { initial } else { sink });
            }
        }
    });
}

/// Elements of vectors of expandable connectors that nothing is connected to, and that no equation uses, have the default
/// value of their type (specification section 9.1.3).
fn default_elements(fl: &mut Flattener<'_>, sink: &mut Sink) {
    let absent = std::mem::take(&mut fl.connections.absent);
    if absent.is_empty() {
        return;
    }
    let mut roots: Vec<ExprId> = sink.equations.iter().flat_map(|e| [e.lhs, e.rhs]).collect();
    for when in &sink.whens {
        for branch in &when.branches {
            let mut assigned = FxHashSet::default();
            crate::check::assigned_in(&branch.actions, &mut assigned);
            roots.extend(assigned.into_iter().map(|v| fl.pool.var(v)));
        }
    }
    let used: FxHashSet<VarId> = kausal_symbolic::visit::reachable(&fl.pool, &roots, |_| true)
        .into_iter()
        .filter_map(|e| fl.pool.as_var(e))
        .collect();
    for set in absent {
        let Some(&first) = set.first().filter(|_| !set.iter().any(|v| used.contains(v))) else {
            continue;
        };
        let (leaf, _) = fl.slots[first.index()];
        let Some(info) = fl.inst(leaf).info.clone() else { continue };
        let rhs = match info.leaf.map(|l| l.builtin) {
            Some(Builtin::String) => fl.pool.text(""),
            Some(Builtin::Enumeration(_)) => fl.pool.constant(1.0),
            _ => fl.pool.constant(0.0),
        };
        let lhs = fl.pool.var(first);
        let component = fl.inst(leaf).parent.map_or_else(String::new, |p| fl.path(p));
        let origin = Origin { component, location: Some(info.location), kind: OriginKind::Connect };
        sink.equations.push(Equation { lhs, rhs, origin });
    }
}

/// A declaration `Real x = e` of something that is not a parameter is an equation.
fn binding_equations(fl: &mut Flattener<'_>, id: InstId, owner: &str, sink: &mut Sink) {
    let inst = fl.inst(id);
    // External objects are made once, like parameters.
    let external = |i: &crate::class::ComponentInfo| {
        i.leaf.is_some_and(|l| matches!(l.builtin, Builtin::ExternalObject))
    };
    if inst.variability <= Variability::Parameter
        || inst.info.as_deref().is_some_and(external)
        || !matches!(inst.node, tree::Node::Leaf(..))
        || !bindings::has_binding(fl, id)
    {
        return;
    }
    let Ok(Some(value)) = fl.binding(id) else { return };
    let Value::Plain(_, array) = &*value else { return };
    let Some((first, _)) = instance::variables(fl, id) else { return };
    let location = fl.inst(id).info.as_ref().map(|i| i.location);
    for (i, &rhs) in array.data().iter().enumerate() {
        let lhs = fl.pool.var(VarId(first.0 + i as u32));
        let origin = Origin { component: owner.to_owned(), location, kind: OriginKind::Binding };
        sink.equations.push(Equation { lhs, rhs, origin });
    }
}

fn finish(
    fl: &mut Flattener<'_>,
    klass: KlassId,
    name: String,
    mut sink: Sink,
    mut initial: Sink,
    plan: &Plan,
) -> FlatModel {
    let mut types = Types::default();
    let mut variables = Vec::with_capacity(fl.slots.len());
    let mut at = 0;
    while at < fl.slots.len() {
        let (inst, _) = fl.slots[at];
        let count = instance::variables(fl, inst).map_or(1, |(_, n)| n).max(1);
        leaf_variables(fl, inst, &mut types, &mut variables);
        at += count;
    }
    ranges::assert_ranges(fl, &variables, &mut sink, &mut initial);
    // Functions may have objects of their own.
    for klass in std::mem::take(&mut fl.functions.constructed) {
        external_object(fl, klass, &mut types);
    }
    for var in &fl.assigned_when {
        let v = &mut variables[var.index()];
        v.variability = v.variability.min(Variability::Discrete);
    }
    for &leaf in &fl.when_leaves {
        if let tree::Node::Leaf(Some(first), shape) = &fl.insts[leaf.0 as usize].node {
            for i in 0..shape.iter().product::<usize>() {
                let v = &mut variables[first.index() + i];
                v.variability = v.variability.min(Variability::Discrete);
            }
        }
    }
    for var in &fl.evaluated {
        variables[var.index()].evaluated = true;
    }
    let hints = sink
        .hints
        .iter()
        .map(|&(i, target, kind)| Hint { equation: EquationId(i as u32), target, kind })
        .collect();
    let (description, experiment) = about(fl, klass);
    spending::report_budget(fl);
    let components = own_components(fl);
    let mut flat = FlatModel {
        name,
        description,
        pool: std::mem::take(&mut fl.pool),
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
        components,
        outside: fl.outside,
    };
    if !plan.is_empty() && !fl.cx.diagnostics.iter().any(Diagnostic::is_error) {
        for diagnostic in expand(&mut flat, plan) {
            fl.cx.report(diagnostic);
        }
    }
    flat
}

/// The components of the model itself and where they are declared.
fn own_components(fl: &Flattener<'_>) -> Vec<(String, Location)> {
    let root = fl.insts.iter().position(|i| i.parent.is_none() && !i.is_static);
    let Some(root) = root.map(|i| InstId(i as u32)) else { return Vec::new() };
    let place = |id: InstId| {
        let inst = fl.inst(id);
        Some((inst.name.as_str().to_owned(), inst.info.as_ref()?.location))
    };
    instance::known_children(fl, root).filter_map(place).collect()
}

fn leaf_variables(fl: &mut Flattener<'_>, id: InstId, types: &mut Types, out: &mut Vec<Variable>) {
    let tree::Node::Leaf(Some(first), shape) = fl.inst(id).node.clone() else { return };
    let count = shape.iter().product::<usize>();
    let inst = fl.inst(id);
    let (variability, causality, flow, protected) =
        (inst.variability, inst.causality, inst.flow, inst.protected);
    let Some(info) = inst.info.clone() else { return };
    let builtin = info.leaf.map_or(Builtin::Real, |l| l.builtin);
    let ty = flat_type(fl, builtin, info.klass, types);
    let variability = match (variability, ty) {
        (Variability::Continuous, Type::Real) => Variability::Continuous,
        (Variability::Continuous, Type::External(_)) => Variability::Parameter,
        (Variability::Continuous, _) => Variability::Discrete,
        (v, _) => v,
    };
    // Nobody outside sees what is protected.
    let causality = if is_top_level(fl, id) && !protected { causality } else { Causality::None };
    let binding = if variability <= Variability::Parameter { fl.binding(id).ok().flatten() } else { None };
    let binding = binding.as_deref().cloned();
    let attribute = |this: &mut Flattener<'_>, name: &str| {
        let symbol = Symbol::new(name);
        let value = fold::attribute(this, id, symbol).ok().flatten()?;
        check_attribute_size(this, id, symbol, &value, &shape).ok()?;
        flat::check_attribute(this, id, name, &value).is_ok().then_some(value)
    };
    let start = attribute(fl, "start");
    let fixed = attribute(fl, "fixed");
    let min = attribute(fl, "min");
    let max = attribute(fl, "max");
    let nominal = attribute(fl, "nominal");
    let select = attribute(fl, "stateSelect");
    let unbounded = attribute(fl, "unbounded");
    let unit = attribute(fl, "unit");
    let display_unit = attribute(fl, "displayUnit");
    let quantity = attribute(fl, "quantity");
    let start_location = ["start", "fixed"].iter().find_map(|name| {
        let (place, _) = fl.cx.attribute(info.leaf?.mods, Symbol::new(name))?;
        let span = fl.cx.lib.ast_ref(place.file).span(place.expr);
        Some(fl.cx.lib.location(place.file, span))
    });
    let ast = fl.cx.lib.ast(info.file);
    let written = &ast.components[info.component].description;
    let description = ast.description(written);
    let noted = annotation_modify(&ast, written.annotation, crate::print::NOTE)
        .is_some_and(|id| annotation_value(&ast, Some(id), crate::print::EVALUATED).is_some());
    let element = |value: &Option<Value>, i: usize| match value {
        Some(Value::Plain(_, array)) if array.rank() == 0 => array.data().first().copied(),
        Some(Value::Plain(_, array)) => array.data().get(i).copied(),
        _ => None,
    };
    flat::check_bounds(fl, id, &binding, &min, &max);
    for i in 0..count {
        let number = |this: &mut Flattener<'_>, value: &Option<Value>| {
            let e = element(value, i)?;
            let e = this.fold(e).ok()?;
            this.pool.as_constant(e)
        };
        let fixed = number(fl, &fixed).map(|x| x != 0.0);
        let unbounded = number(fl, &unbounded).is_some_and(|x| x != 0.0);
        let state_select = match number(fl, &select) {
            Some(1.0) => StateSelect::Never,
            Some(2.0) => StateSelect::Avoid,
            Some(4.0) => StateSelect::Prefer,
            Some(5.0) => StateSelect::Always,
            _ => StateSelect::Default,
        };
        let binding = element(&binding, i).map(|e| texts::settle_texts(fl, e, ty == Type::String));
        out.push(Variable {
            name: instance::variable_name(fl, VarId(first.0 + i as u32)),
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
            unit: text_of(fl, element(&unit, i)),
            display_unit: text_of(fl, element(&display_unit, i)),
            quantity: text_of(fl, element(&quantity, i)),
            description: description.clone(),
            location: Some(info.location),
            start_location,
        });
    }
}

/// An attribute is one value for all elements, or one for each.
fn check_attribute_size(
    fl: &mut Flattener<'_>,
    id: InstId,
    name: Symbol,
    value: &Value,
    shape: &[usize],
) -> Res<()> {
    if value.rank() == 0 || value.shape() == shape {
        return Ok(());
    }
    let message = format!(
        "{} has {}, but its attribute {name} has {}",
        fl.path(id),
        sizes_text(shape),
        sizes_text(value.shape())
    );
    let mut diagnostic = Diagnostic::error("K0316", message);
    let leaf = fl.inst(id).info.as_ref().and_then(|i| i.leaf);
    if let Some((place, _)) = leaf.and_then(|leaf| fl.cx.attribute(leaf.mods, name)) {
        let span = fl.cx.lib.ast_ref(place.file).span(place.expr);
        diagnostic = diagnostic.at(fl.cx.lib.location(place.file, span), "this value");
    }
    Err(instance::report_at_decl(fl, id, diagnostic))
}

/// What a string is, if it is known.
fn text_of(fl: &mut Flattener<'_>, e: Option<kausal_symbolic::ExprId>) -> String {
    match e.and_then(|e| fl.fold(e).ok()).map(|e| fl.pool.node(e)) {
        Some(kausal_symbolic::Node::Text(t)) => fl.pool.text_of(t).to_owned(),
        _ => String::new(),
    }
}

fn flat_type(fl: &mut Flattener<'_>, builtin: Builtin, klass: KlassId, types: &mut Types) -> Type {
    match builtin {
        Builtin::Real => Type::Real,
        Builtin::Integer => Type::Integer,
        Builtin::Boolean => Type::Boolean,
        Builtin::Clock => Type::Clock,
        Builtin::String => Type::String,
        Builtin::ExternalObject => Type::External(external_object(fl, klass, types)),
        Builtin::Enumeration(EnumerationType { def, .. }) => {
            let name = fl.cx.lib.full_name(def);
            let at = types.enumerations.iter().position(|e| e.name == name).unwrap_or_else(|| {
                let literals = match &fl.cx.lib.class(def).body {
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

fn external_object(fl: &mut Flattener<'_>, klass: KlassId, types: &mut Types) -> u32 {
    let name = functions::external_class(fl.cx, klass);
    let at = types.external_objects.iter().position(|o| o.name == name).unwrap_or_else(|| {
        let constructor = functions::external_member(fl, klass, "constructor");
        let destructor = functions::external_member(fl, klass, "destructor");
        types.external_objects.push(ExternalObject { name, constructor, destructor });
        types.external_objects.len() - 1
    });
    at as u32
}

fn about(fl: &mut Flattener<'_>, klass: KlassId) -> (String, Experiment) {
    let ast = fl.cx.ast(klass);
    let class = &ast.classes[fl.cx.lib.def(fl.cx.key(klass).def).class];
    let description = ast.description(&class.description);
    let mut experiment = Experiment::default();
    if let Some(id) = annotation_modify(&ast, class.description.annotation, "experiment") {
        let scope_inst = instance::static_inst(fl, klass);
        let scope =
            Scope { klass, inst: scope_inst, file: fl.cx.file(klass), locals: fl.locals.len() as u32 };
        let number = |this: &mut Flattener<'_>, name: &str| -> Option<f64> {
            let expr = annotation_value(&ast, Some(id), name)?;
            if matches!(ast.exprs[expr], Expr::Error) {
                return None;
            }
            this.structural_number(scope, expr, "the experiment").ok()
        };
        experiment.start = number(fl, "StartTime");
        experiment.stop = number(fl, "StopTime");
        experiment.tolerance = number(fl, "Tolerance");
        experiment.interval = number(fl, "Interval");
    }
    (description, experiment)
}

/// Needed by callers that only look at results.
pub type Flat = Res<FlatModel>;
