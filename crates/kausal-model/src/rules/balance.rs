//! Which component is not balanced (specification section 4.7).
//!
//! Every component is counted by itself: its own variables against its own equations, where what others have to provide
//! (inputs, and one equation per flow variable of a connector) counts as given, and what a component asks of its owner
//! counts as an unknown of the owner. What one component has too few another may have too many: such a model can be
//! solved, and is given with a warning. Classes in the classic notation know nothing of this: of them only the whole counts.

use kausal_symbolic::{Node as Expression, VarId};
use kausal_syntax::ast::{Causality, ClassKind, FlowPrefix};
use kausal_syntax::{Diagnostic, Severity};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::check::{Counts, assigned_in, is_auxiliary};
use crate::class::Classes;
use crate::connect::{links, overconstrained, sets};
use crate::flat::OriginKind;
use crate::flattener::Flattener;
use crate::ids::{InstId, KlassId};
use crate::instance::{is_given_outside, is_unknown};
use crate::rules::cause;
use crate::sink::Sink;
use crate::{bindings, instance, tree};

/// What the specification asks for although the whole has as many equations as unknowns.
const RULE: &str = "every model needs as many equations as unknowns by itself; what its owner is to provide is an `input`, or comes through connectors";

/// The parts of one component, those of components in it left out.
#[derive(Default)]
struct Parts {
    /// Itself, and its records and connectors.
    structs: Vec<InstId>,
    /// Its scalars and arrays of them.
    leaves: Vec<InstId>,
    /// Components with equations of their own.
    components: Vec<InstId>,
    /// Something in it is only known in the whole model.
    unclear: bool,
}

/// One component that is not balanced.
struct Culprit {
    id: InstId,
    counts: Counts,
}

/// Reports a model that is not balanced, with the components to blame.
pub(crate) fn check_balance(fl: &mut Flattener<'_>, root: InstId, klass: KlassId, sink: &Sink) {
    fl.outside = overconstrained::decided_outside(fl, root);
    let counts = totals(fl, sink);
    if counts.balanced() {
        check_parts(fl, root, sink);
        return;
    }
    let culprits = self::culprits(fl, root, sink, true);
    let name = fl.cx.name(klass);
    let location = fl.cx.def_location(fl.cx.key(klass).def);
    let mut diagnostic =
        Diagnostic::error("K0240", format!("{name} has {}", sentence(counts))).at(location, "this model");
    if let [Culprit { id, counts }] = culprits.as_slice()
        && *id == root
        && counts.equations > counts.unknowns
    {
        diagnostic = diagnostic.help("leave out an equation, or declare another variable");
    }
    // What is to be mended comes before what follows from it.
    report_open_inputs(fl, root, sink);
    let diagnostic = cause::with_cause(fl, diagnostic, counts, sink);
    fl.cx.report(diagnostic);
    let mut seen: Vec<crate::library::DefId> = Vec::new();
    for culprit in culprits {
        let class = fl.inst(culprit.id).klass;
        let def = fl.cx.key(class).def;
        if culprit.id != root && !seen.contains(&def) {
            seen.push(def);
            report_culprit(fl, &culprit, class, Severity::Error);
        }
    }
}

/// The whole is balanced; all its parts must be, too.
fn check_parts(fl: &mut Flattener<'_>, root: InstId, sink: &Sink) {
    for culprit in culprits(fl, root, sink, false) {
        let class = fl.inst(culprit.id).klass;
        if is_classic(fl.cx, class) {
            continue;
        }
        if culprit.id == root {
            let name = fl.cx.name(class);
            let location = fl.cx.def_location(fl.cx.key(class).def);
            let message = format!("{name}, without its components, has {}", sentence(culprit.counts));
            fl.cx.report(Diagnostic::warning("K0241", message).at(location, "this model").help(RULE));
        } else {
            report_culprit(fl, &culprit, class, Severity::Warning);
        }
    }
}

fn is_classic(cx: &Classes, klass: KlassId) -> bool {
    let location = cx.def_location(cx.key(klass).def);
    cx.lib.sources().get(location.source).name.ends_with(".dym")
}

fn report_culprit(fl: &mut Flattener<'_>, culprit: &Culprit, class: KlassId, severity: Severity) {
    let path = fl.path(culprit.id);
    let name = fl.cx.name(class);
    let message = format!("the component {path} of class {name} has {}", sentence(culprit.counts));
    let defined = fl.cx.def_location(fl.cx.key(class).def);
    let mut diagnostic = match severity {
        Severity::Error => Diagnostic::error("K0241", message),
        _ => Diagnostic::warning("K0241", message).help(RULE),
    };
    if let Some(info) = &fl.inst(culprit.id).info {
        diagnostic = diagnostic.at(info.location, "this component");
    }
    fl.cx.report(diagnostic.at(defined, "its class is not balanced"));
}

/// Equations and unknowns of the whole model, as [`crate::check::count`] counts them.
fn totals(fl: &mut Flattener<'_>, sink: &Sink) -> Counts {
    let (mut unknowns, mut inputs) = (0, 0);
    for &(leaf, _) in &fl.slots {
        if is_unknown(fl, leaf) && !is_auxiliary(fl.inst(leaf).name.as_str()) {
            unknowns += 1;
            let inst = fl.inst(leaf);
            let input =
                inst.causality == Causality::Input && !inst.protected && instance::is_top_level(fl, leaf);
            inputs += usize::from(input && !bindings::has_binding(fl, leaf));
        }
    }
    let mut assigned = FxHashSet::default();
    for branch in sink.whens.iter().flat_map(|w| &w.branches) {
        assigned_in(&branch.actions, &mut assigned);
    }
    let auxiliary = sink.equations.iter().filter(|e| defines_auxiliary(fl, e.lhs)).count();
    let clocked: usize = sink.clocked.iter().map(|w| w.equations.len()).sum();
    let given = assigned.len() + inputs + fl.outside;
    Counts { equations: sink.equations.len() + clocked - auxiliary + given, unknowns }
}

fn defines_auxiliary(fl: &Flattener<'_>, lhs: kausal_symbolic::ExprId) -> bool {
    matches!(fl.pool.node(lhs), Expression::Var(v) if is_auxiliary(fl.inst(fl.slots[v.index()].0).name.as_str()))
}

fn scalars(fl: &Flattener<'_>, leaf: InstId) -> usize {
    match &fl.inst(leaf).node {
        tree::Node::Leaf(_, shape) => shape.iter().product(),
        _ => 0,
    }
}

/// All components that are not balanced; one per class with its modifiers. What is inside them is looked at once per
/// class as well, unless everything is wanted.
fn culprits(fl: &mut Flattener<'_>, root: InstId, sink: &Sink, everything: bool) -> Vec<Culprit> {
    let written = equations_by_component(fl, sink);
    let mut links: FxHashMap<InstId, Vec<links::Link>> = FxHashMap::default();
    for link in &fl.connections.links {
        links.entry(link.owner).or_default().push(*link);
    }
    let mut out = Vec::new();
    let mut seen = FxHashSet::default();
    let mut stack = vec![root];
    while let Some(id) = stack.pop() {
        let new = seen.insert(fl.inst(id).klass);
        if !new && !everything {
            continue;
        }
        let parts = self::parts(fl, id);
        stack.extend(parts.components.iter().rev());
        if !new {
            continue;
        }
        let own = links.get(&id).map_or(&[][..], Vec::as_slice);
        if let Some(counts) = local_counts(fl, &parts, own, &written)
            && !counts.balanced()
        {
            out.push(Culprit { id, counts });
        }
    }
    out
}

fn equations_by_component<'s>(fl: &mut Flattener<'_>, sink: &'s Sink) -> FxHashMap<&'s str, usize> {
    let mut written: FxHashMap<&str, usize> = FxHashMap::default();
    for equation in sink.equations.iter().chain(sink.clocked.iter().flat_map(|w| &w.equations)) {
        let local = match equation.origin.kind {
            OriginKind::Equation | OriginKind::Binding | OriginKind::Algorithm => true,
            OriginKind::Connect => !equation.origin.component.is_empty(),
            OriginKind::FlowSum | OriginKind::Unconnected => false,
        };
        if local && !defines_auxiliary(fl, equation.lhs) {
            *written.entry(&equation.origin.component).or_default() += 1;
        }
    }
    let mut assigned: FxHashMap<&str, FxHashSet<VarId>> = FxHashMap::default();
    for when in &sink.whens {
        let set = assigned.entry(&when.origin.component).or_default();
        when.branches.iter().for_each(|b| assigned_in(&b.actions, set));
    }
    for (component, set) in assigned {
        *written.entry(component).or_default() += set.len();
    }
    written
}

fn parts(fl: &mut Flattener<'_>, id: InstId) -> Parts {
    let mut parts = Parts { unclear: fl.connections.dependent.contains(&id), ..Parts::default() };
    let mut stack = vec![id];
    while let Some(at) = stack.pop() {
        match fl.inst(at).node.clone() {
            tree::Node::Struct if at != id && has_equations(fl, at) => parts.components.push(at),
            tree::Node::Struct => {
                parts.unclear |=
                    instance::is_expandable(fl, at) || overconstrained::is_overdetermined(fl, at);
                parts.structs.push(at);
                stack.extend(instance::below(fl, at).into_iter().rev());
            }
            tree::Node::Array(_, elements) => stack.extend(elements.iter().rev()),
            tree::Node::Leaf(..) => {
                parts.unclear |= overconstrained::is_overdetermined(fl, at);
                parts.leaves.push(at);
            }
            tree::Node::Outer(_) => {
                parts.unclear |= fl.inst(at).info.as_ref().is_some_and(|i| i.leaf.is_some())
            }
            _ => {}
        }
    }
    parts
}

/// Is it a model or block, with equations that belong to it?
fn has_equations(fl: &Flattener<'_>, id: InstId) -> bool {
    fl.inst(id)
        .info
        .as_ref()
        .is_some_and(|i| matches!(i.kind, ClassKind::Model | ClassKind::Block | ClassKind::Class))
}

/// Is the leaf something that others have to provide an equation for? Nobody can connect a protected input of a
/// component; a protected flow variable is zero outside.
fn is_given(fl: &Flattener<'_>, leaf: InstId) -> bool {
    if !is_unknown(fl, leaf) {
        return false;
    }
    let component = component_of(fl, leaf);
    match fl.inst(leaf).flow {
        FlowPrefix::Flow => instance::in_connector(fl, leaf),
        _ => {
            fl.inst(leaf).causality == Causality::Input
                && !is_protected_in(fl, leaf, component)
                && (!bindings::has_binding(fl, leaf)
                    || instance::in_connector(fl, leaf) && is_bound_inside(fl, leaf, component))
        }
    }
}

/// Is the value of a part written in the class of the component? That of an input connector says what something else
/// is: `RealInput u = internal`.
fn is_bound_inside(fl: &Flattener<'_>, part: InstId, component: InstId) -> bool {
    let Some(place) = fl.own_binding(part) else { return false };
    let Some(owner) = instance::ancestor(fl, part, place.up) else { return false };
    let mut at = Some(owner);
    while let Some(id) = at {
        if id == component {
            return true;
        }
        at = fl.inst(id).parent;
    }
    false
}

/// The component with equations that a part belongs to.
fn component_of(fl: &Flattener<'_>, part: InstId) -> InstId {
    let mut at = part;
    while let Some(parent) = fl.inst(at).parent {
        at = parent;
        if has_equations(fl, at) {
            break;
        }
    }
    at
}

/// Is a part of a component protected in it?
fn is_protected_in(fl: &Flattener<'_>, part: InstId, component: InstId) -> bool {
    let mut at = Some(part);
    while let Some(id) = at.filter(|&id| id != component) {
        if fl.inst(id).info.as_ref().is_some_and(|i| i.protected) {
            return true;
        }
        at = fl.inst(id).parent;
    }
    false
}

fn local_counts(
    fl: &mut Flattener<'_>,
    parts: &Parts,
    links: &[links::Link],
    written: &FxHashMap<&str, usize>,
) -> Option<Counts> {
    let (mut unknowns, mut equations) = (0, 0);
    let counts = |l: InstId| is_unknown(fl, l) && !is_auxiliary(fl.inst(l).name.as_str());
    for &leaf in parts.leaves.iter().filter(|&&l| counts(l)) {
        unknowns += scalars(fl, leaf);
        if is_given(fl, leaf) {
            equations += scalars(fl, leaf);
        }
    }
    for &part in &parts.structs {
        equations += written.get(fl.path(part).as_str()).copied().unwrap_or(0);
    }
    let mut unclear = parts.unclear;
    let mut reachable: FxHashSet<InstId> = parts.leaves.iter().copied().collect();
    let mut asked = Vec::new();
    for &component in &parts.components {
        let inner = self::parts(fl, component);
        unclear |= inner.unclear;
        reachable.extend(inner.leaves.iter().copied());
        asked.extend(inner.leaves.into_iter().filter(|&l| is_given(fl, l)));
    }
    if unclear {
        return None;
    }
    let local = sets::local_connections(fl, links);
    if local.leaves.iter().any(|l| !reachable.contains(l)) {
        // A connector of an outer component takes part.
        return None;
    }
    equations += local.equations;
    for leaf in asked {
        unknowns += scalars(fl, leaf);
        if fl.inst(leaf).flow == FlowPrefix::Flow
            && let Some((first, count)) = instance::variables(fl, leaf)
        {
            let open = |i: &u32| !local.flows.contains(&VarId(first.0 + i));
            equations += (0..count as u32).filter(open).count();
        }
    }
    // What streams out of an own connector that is connected inside is known from there.
    for &leaf in &parts.leaves {
        if fl.inst(leaf).flow == FlowPrefix::Stream
            && fl.inst(leaf).parent.is_some_and(|c| local.outside.contains(&c))
        {
            equations += scalars(fl, leaf);
        }
    }
    Some(Counts { equations, unknowns })
}

/// Inputs of components that are neither connected nor used in an equation of their owner.
fn report_open_inputs(fl: &mut Flattener<'_>, root: InstId, sink: &Sink) {
    let mut connected = FxHashSet::default();
    let links = fl.connections.links.clone();
    for leaf in sets::local_connections(fl, &links).leaves {
        connected.insert(leaf);
    }
    let mut used: FxHashMap<InstId, FxHashSet<String>> = FxHashMap::default();
    let mut seen = FxHashSet::default();
    for equation in sink.equations.iter().chain(sink.clocked.iter().flat_map(|w| &w.equations)) {
        if !matches!(equation.origin.kind, OriginKind::Equation | OriginKind::Algorithm) {
            continue;
        }
        let mut stack = vec![equation.lhs, equation.rhs];
        seen.clear();
        while let Some(e) = stack.pop() {
            if !seen.insert(e) {
                continue;
            }
            match fl.pool.node(e) {
                Expression::Var(v) => {
                    let leaf = fl.slots[v.index()].0;
                    if fl.inst(leaf).causality == Causality::Input {
                        used.entry(leaf).or_default().insert(equation.origin.component.clone());
                    }
                }
                Expression::Op(_, args) | Expression::Call(_, args) => stack.extend_from_slice(args),
                Expression::Output(call, _) => stack.push(call),
                _ => {}
            }
        }
    }
    report_idle_inputs(fl, &links, &used);
    let mut stack = vec![root];
    while let Some(id) = stack.pop() {
        let parts = self::parts(fl, id);
        stack.extend(parts.components.iter().rev());
        if id == root {
            continue;
        }
        let path = fl.path(id);
        for leaf in parts.leaves {
            let elsewhere = used.get(&leaf).is_some_and(|set| set.iter().any(|c| !c.starts_with(&path)));
            if fl.inst(leaf).flow == FlowPrefix::None
                && is_given(fl, leaf)
                && !connected.contains(&leaf)
                && !elsewhere
            {
                let path = fl.path(leaf);
                let message = format!("the input {path} is not connected and has no value");
                let mut diagnostic = Diagnostic::error("K0242", message);
                if let Some(info) = &fl.inst(id).info {
                    diagnostic = diagnostic.at(info.location, "this component needs it");
                }
                diagnostic = diagnostic
                    .help(format!("connect {path} to an output, or give it a value by an equation"));
                instance::report_at_decl(fl, leaf, diagnostic);
            }
        }
    }
}

/// Inputs that are connected to other inputs, and to nothing that would give them a value.
fn report_idle_inputs(
    fl: &mut Flattener<'_>,
    links: &[links::Link],
    used: &FxHashMap<InstId, FxHashSet<String>>,
) {
    let mut sets = links::Partition::default();
    sets.grow(fl.insts.len());
    let mut members: Vec<(InstId, kausal_syntax::Location)> = Vec::new();
    for link in links {
        sets.unite(link.a.inst.0, link.b.inst.0);
        members.extend([(link.a.inst, link.location), (link.b.inst, link.location)]);
    }
    let mut idle: Vec<(u32, Vec<InstId>, kausal_syntax::Location)> = Vec::new();
    let mut fed: FxHashSet<u32> = FxHashSet::default();
    for (inst, location) in members {
        let set = sets.find(inst.0);
        let input = matches!(fl.inst(inst).node, tree::Node::Leaf(..))
            && is_unknown(fl, inst)
            && fl.inst(inst).causality == Causality::Input
            && !bindings::has_binding(fl, inst)
            && fl.inst(inst).flow == FlowPrefix::None
            && !is_given_outside(fl, inst)
            && !used.contains_key(&inst);
        if !input {
            fed.insert(set);
            continue;
        }
        match idle.iter_mut().find(|(s, ..)| *s == set) {
            Some((_, list, _)) if list.contains(&inst) => {}
            Some((_, list, _)) => list.push(inst),
            None => idle.push((set, vec![inst], location)),
        }
    }
    for (set, list, location) in idle {
        if fed.contains(&set) {
            continue;
        }
        let names: Vec<String> = list.iter().take(3).map(|&i| fl.path(i)).collect();
        let message = format!("{} are inputs, connected to each other and to no output", names.join(", "));
        let diagnostic = Diagnostic::error("K0242", message).at(location, "connected here");
        instance::report_at_decl(fl, list[0], diagnostic);
    }
}

/// `5 equations for 6 unknowns: 1 equation is missing`
fn sentence(counts: Counts) -> String {
    let plural = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let Counts { equations, unknowns } = counts;
    let difference = equations.abs_diff(unknowns);
    let verdict = match (equations < unknowns, difference) {
        (true, 1) => "1 equation is missing".to_owned(),
        (true, n) => format!("{n} equations are missing"),
        (false, 1) => "1 equation is too many".to_owned(),
        (false, n) => format!("{n} equations are too many"),
    };
    format!("{} for {}: {verdict}", plural(equations, "equation"), plural(unknowns, "unknown"))
}
