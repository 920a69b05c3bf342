//! Connection sets (specification sections 9.1 and 9.2): equal potentials, flows that sum to zero.

use kausal_symbolic::{Op, Pool, VarId};
use kausal_syntax::ast::{Causality, FlowPrefix, Variability};
use kausal_syntax::{Diagnostic, Location};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::class::{Reported, Res};
use crate::connect::links::{End, Link, Partition};
use crate::connect::{expandable, overconstrained, stream};
use crate::flat::{Action, ActionKind, Equation, Origin, OriginKind};
use crate::flattener::Flattener;
use crate::ids::InstId;
use crate::instance::in_connector;
use crate::{bindings, fold, instance, tree};

/// The sets being made.
#[derive(Default)]
struct Sets {
    potentials: Partition,
    /// A flow variable has two faces: `2 v` seen from outside its component, `2 v + 1` from inside.
    flows: Partition,
    potential_used: Vec<bool>,
    flow_used: Vec<bool>,
    location: Vec<Option<Location>>,
    /// Connections that are not equalities.
    residues: Vec<Equation>,
    /// Connected parameters and constants, and where.
    settled: Vec<(InstId, InstId, Location)>,
    /// Where variables get their values from in the connections of a component: the component, the variable, the output,
    /// the place.
    sources: Vec<(InstId, u32, u32, Location)>,
}

/// The connections of one component.
#[derive(Default)]
pub(crate) struct LocalConnections {
    /// How many equations they make.
    pub equations: usize,
    /// Flow variables of components that take part.
    pub flows: FxHashSet<VarId>,
    /// Own connectors that take part, and what is in them.
    pub outside: FxHashSet<InstId>,
    /// All leaves that take part.
    pub leaves: Vec<InstId>,
}

/// The equations of all connections, and zero for flow variables that are not connected.
pub fn connection_equations(fl: &mut Flattener<'_>) -> Vec<Equation> {
    let mut sets = Sets::default();
    let links = std::mem::take(&mut fl.connections.links);
    for link in &links {
        let _ = connect_ends(fl, &mut sets, link, link.a, link.b);
    }
    fl.connections.links = links;
    for (a, b, location) in std::mem::take(&mut sets.settled) {
        let _ = connect_settled(fl, a, b, location);
    }
    check_sources(fl, &mut sets);
    sets.grow(fl.slots.len());
    fl.connections.absent = expandable::absent_elements(fl, &mut |var| sets.potentials.find(var));
    let mut out = Vec::new();
    emit_potentials(&mut fl.pool, &mut sets, &mut out);
    emit_flows(&mut fl.pool, &mut sets, &mut out);
    emit_unconnected(fl, &mut sets, &mut out);
    stream::stream_equations(fl, &mut out);
    out.append(&mut sets.residues);
    out
}

/// What the connections of one component come to, counted by themselves.
pub(crate) fn local_connections(fl: &mut Flattener<'_>, links: &[Link]) -> LocalConnections {
    let mut sets = Sets::default();
    let mut local = LocalConnections::default();
    for link in links {
        let _ = connect_ends(fl, &mut sets, link, link.a, link.b);
        for end in [link.a, link.b] {
            if end.outside {
                connectors_below(fl, end.inst, &mut local.outside);
            }
        }
    }
    let mut roots = FxHashSet::default();
    for v in 0..sets.potential_used.len() as u32 {
        if sets.potential_used[v as usize] {
            local.leaves.push(fl.slots[v as usize].0);
            local.equations += usize::from(sets.potentials.find(v) != v);
        }
    }
    for face in 0..sets.flow_used.len() as u32 {
        if sets.flow_used[face as usize] {
            local.leaves.push(fl.slots[face as usize / 2].0);
            local.equations += usize::from(roots.insert(sets.flows.find(face)));
            if face % 2 == 0 {
                local.flows.insert(VarId(face / 2));
            }
        }
    }
    local
}

fn connectors_below(fl: &Flattener<'_>, id: InstId, out: &mut FxHashSet<InstId>) {
    let mut stack = vec![id];
    while let Some(id) = stack.pop() {
        match &fl.inst(id).node {
            tree::Node::Struct => {
                out.insert(id);
                stack.extend(instance::below(fl, id));
            }
            tree::Node::Array(_, elements) => stack.extend(elements.iter()),
            _ => {}
        }
    }
}

fn connect_ends(fl: &mut Flattener<'_>, sets: &mut Sets, link: &Link, a: End, b: End) -> Res<()> {
    let (Ok(ia), Ok(ib)) = (instance::resolve(fl, a.inst), instance::resolve(fl, b.inst)) else {
        return Err(Reported);
    };
    if fl.connections.graph.broken.contains(&(ia, ib)) {
        let mut residues = std::mem::take(&mut sets.residues);
        let result = overconstrained::broken_equations(fl, link, ia, ib, &mut residues);
        sets.residues = residues;
        return result;
    }
    match (fl.inst(ia).node.clone(), fl.inst(ib).node.clone()) {
        (tree::Node::Disabled, _) | (_, tree::Node::Disabled) => Ok(()),
        (tree::Node::Leaf(_, sa), tree::Node::Leaf(_, sb)) => {
            let single = a.element.is_some() || b.element.is_some();
            if !single && sa != sb {
                return Err(mismatch(fl, link, ia, ib, "their sizes differ"));
            }
            connect_leaves(fl, sets, link, End { inst: ia, ..a }, End { inst: ib, ..b })
        }
        (tree::Node::Struct, tree::Node::Struct) => {
            connect_structs(fl, sets, link, End { inst: ia, ..a }, End { inst: ib, ..b })
        }
        (tree::Node::Array(sa, ea), tree::Node::Array(sb, eb)) => {
            if sa != sb {
                return Err(mismatch(fl, link, ia, ib, "their sizes differ"));
            }
            for (&x, &y) in ea.iter().zip(eb.iter()) {
                connect_ends(fl, sets, link, End { inst: x, ..a }, End { inst: y, ..b })?;
            }
            Ok(())
        }
        _ => Err(mismatch(fl, link, ia, ib, "they are of different kinds")),
    }
}

fn connect_structs(fl: &mut Flattener<'_>, sets: &mut Sets, link: &Link, a: End, b: End) -> Res<()> {
    if instance::is_expandable(fl, a.inst) != instance::is_expandable(fl, b.inst) {
        return Err(mismatch(fl, link, a.inst, b.inst, "only one of them is expandable"));
    }
    if instance::is_expandable(fl, a.inst) {
        let mut names = Vec::new();
        for end in [a, b] {
            for member in expandable::present_members(fl, end.inst)? {
                let name = fl.inst(member).name;
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        for name in names {
            if let (Some(x), Some(y)) =
                (instance::child(fl, a.inst, name)?, instance::child(fl, b.inst, name)?)
            {
                connect_ends(fl, sets, link, End { inst: x, ..a }, End { inst: y, ..b })?;
            }
        }
        return Ok(());
    }
    for child in instance::children(fl, a.inst)? {
        let name = fl.inst(child).name;
        let other = match instance::child(fl, b.inst, name)? {
            Some(other) => other,
            None => {
                let reason = format!("only one of them has {name}");
                return Err(mismatch(fl, link, a.inst, b.inst, &reason));
            }
        };
        connect_ends(fl, sets, link, End { inst: child, ..a }, End { inst: other, ..b })?;
    }
    if instance::children(fl, b.inst)?.len() > instance::children(fl, a.inst)?.len() {
        return Err(mismatch(fl, link, a.inst, b.inst, "one has more variables than the other"));
    }
    Ok(())
}

fn mismatch(fl: &mut Flattener<'_>, link: &Link, a: InstId, b: InstId, reason: &str) -> Reported {
    let message = format!("{} and {} cannot be connected: {reason}", fl.path(a), fl.path(b));
    let mut diagnostic = Diagnostic::error("K0233", message).at(link.location, "connected here");
    for id in [a, b] {
        if let Some(info) = &fl.inst(id).info {
            diagnostic = diagnostic.at(info.location, "declared here");
        }
    }
    fl.cx.report(diagnostic)
}

fn connect_leaves(fl: &mut Flattener<'_>, sets: &mut Sets, link: &Link, a: End, b: End) -> Res<()> {
    let (fa, fb) = (fl.inst(a.inst).flow, fl.inst(b.inst).flow);
    if fa != fb {
        return Err(mismatch(fl, link, a.inst, b.inst, "one is a flow or stream variable, the other is not"));
    }
    if fa == FlowPrefix::Stream {
        return Ok(());
    }
    let ta = fl.inst(a.inst).info.as_ref().and_then(|i| i.leaf).map(|l| l.builtin);
    let tb = fl.inst(b.inst).info.as_ref().and_then(|i| i.leaf).map(|l| l.builtin);
    if ta != tb {
        return Err(mismatch(fl, link, a.inst, b.inst, "their types differ"));
    }
    if fl.inst(a.inst).variability <= Variability::Parameter
        || fl.inst(b.inst).variability <= Variability::Parameter
    {
        sets.settled.push((a.inst, b.inst, link.location));
        return Ok(());
    }
    if is_source(fl, a) && is_source(fl, b) {
        let message =
            format!("{} and {} are both outputs: they cannot be connected", fl.path(a.inst), fl.path(b.inst));
        let mut diagnostic = Diagnostic::error("K0229", message).at(link.location, "connected here");
        for id in [a.inst, b.inst] {
            if let Some(info) = &fl.inst(id).info {
                diagnostic = diagnostic.at(info.location, "declared here");
            }
        }
        return Err(fl.cx.report(diagnostic));
    }
    let (Some((va, na)), Some((vb, nb))) = (instance::variables(fl, a.inst), instance::variables(fl, b.inst))
    else {
        return Err(Reported);
    };
    let range = |element: Option<u32>, n: usize| match element {
        Some(i) => (i, 1),
        None => (0, n as u32),
    };
    let ((oa, ca), (ob, cb)) = (range(a.element, na), range(b.element, nb));
    if ca != cb {
        return Err(mismatch(fl, link, a.inst, b.inst, "their sizes differ"));
    }
    sets.grow(fl.slots.len());
    for i in 0..ca {
        let (x, y) = (va.0 + oa + i, vb.0 + ob + i);
        sets.location[x as usize].get_or_insert(link.location);
        sets.location[y as usize].get_or_insert(link.location);
        if fa == FlowPrefix::Flow {
            let (x, y) = (2 * x + u32::from(a.outside), 2 * y + u32::from(b.outside));
            sets.flow_used[x as usize] = true;
            sets.flow_used[y as usize] = true;
            sets.flows.unite(x, y);
        } else {
            sets.potential_used[x as usize] = true;
            sets.potential_used[y as usize] = true;
            sets.potentials.unite(x, y);
            for (end, source, sink) in [(a, x, y), (b, y, x)] {
                if gives_value(fl, end) {
                    sets.sources.push((link.owner, sink, source, link.location));
                }
            }
        }
    }
    Ok(())
}

/// What is connected gets its value from one output (specification section 9.3).
fn check_sources(fl: &mut Flattener<'_>, sets: &mut Sets) {
    let mut first: FxHashMap<(InstId, u32), (u32, Location)> = Default::default();
    for (owner, sink, var, location) in std::mem::take(&mut sets.sources) {
        let Some(&(other, place)) = first.get(&(owner, sink)).filter(|f| f.0 != var) else {
            first.entry((owner, sink)).or_insert((var, location));
            continue;
        };
        // Only one of its states is active at a time.
        if fl.connections.with_states.contains(&owner) {
            continue;
        }
        let name = |var| instance::variable_name(fl, VarId(var));
        let message = format!("{} and {} both give {} its value", name(other), name(var), name(sink));
        let diagnostic = Diagnostic::error("K0229", message)
            .at(location, "connected here")
            .at(place, "and here")
            .help("an input gets its value from one connection");
        let id = fl.slots[var as usize].0;
        instance::report_at_decl(fl, id, diagnostic);
    }
}

/// Connected parameters and constants must be equal (specification section 9.2): this is checked now as far as
/// their values are known, and when the model starts where they can still be changed.
fn connect_settled(fl: &mut Flattener<'_>, a: InstId, b: InstId, location: Location) -> Res<()> {
    let (x, y) = (bindings::instance_value(fl, a)?, bindings::instance_value(fl, b)?);
    let (mut left, mut right) = (Vec::new(), Vec::new());
    x.scalars(&mut left);
    y.scalars(&mut right);
    for (l, r) in left.into_iter().zip(right) {
        if l == r {
            continue;
        }
        let values = fold::peek(fl, l).zip(fold::peek(fl, r));
        if let Some((l, r)) = values.filter(|(l, r)| l != r) {
            return Err(settled_differ(fl, a, b, l, r, location));
        }
        let text = x.ty() == Some(crate::value::Ty::String);
        if values.is_some() && (text || is_settled(fl, l) && is_settled(fl, r)) {
            continue;
        }
        let condition = fl.pool.op(Op::Equal, &[l, r]);
        let message = format!("connected parameters differ: {} and {}", fl.path(a), fl.path(b));
        let message = fl.pool.text(&message);
        let kind = ActionKind::Assert { condition, message, warning: false };
        let origin = connect_origin(Some(location), OriginKind::Connect);
        fl.connections.assertions.push(Action { kind, origin });
    }
    Ok(())
}

/// Is it a literal, or made of parameters whose values were used?
fn is_settled(fl: &Flattener<'_>, e: kausal_symbolic::ExprId) -> bool {
    bindings::is_literal(&fl.pool, e)
        || matches!(fl.pool.node(e), kausal_symbolic::Node::Var(v) if fl.evaluated.contains(&v))
}

fn settled_differ(
    fl: &mut Flattener<'_>,
    a: InstId,
    b: InstId,
    x: kausal_symbolic::ExprId,
    y: kausal_symbolic::ExprId,
    location: Location,
) -> Reported {
    let text = |this: &Flattener<'_>, e| match this.pool.node(e) {
        kausal_symbolic::Node::Const(x) => x.to_string(),
        kausal_symbolic::Node::Text(t) => format!("{:?}", this.pool.text_of(t)),
        _ => "unknown".to_owned(),
    };
    let message = format!(
        "{} is {} and {} is {}: connected parameters must be equal",
        fl.path(a),
        text(fl, x),
        fl.path(b),
        text(fl, y)
    );
    let mut diagnostic = Diagnostic::error("K0243", message).at(location, "connected here");
    for id in [a, b] {
        let place = match fl.own_binding(id) {
            Some(place) => {
                let span = fl.cx.lib.ast_ref(place.file).span(place.expr);
                Some(fl.cx.lib.location(place.file, span))
            }
            None => fl.inst(id).info.as_ref().map(|i| i.location),
        };
        if let Some(place) = place {
            diagnostic = diagnostic.at(place, "this value");
        }
    }
    fl.cx.report(diagnostic)
}

/// Is the end an output of a component? (Inputs of the owner say what others are as well, but a protected one
/// is a common way to choose between a conditional input and a value of its own.)
fn is_source(fl: &Flattener<'_>, end: End) -> bool {
    !end.outside && fl.inst(end.inst).causality == Causality::Output
}

/// The same, or a public input of the owner.
fn gives_value(fl: &Flattener<'_>, end: End) -> bool {
    let inst = fl.inst(end.inst);
    is_source(fl, end) || end.outside && inst.causality == Causality::Input && !inst.protected
}

fn emit_potentials(pool: &mut Pool, sets: &mut Sets, out: &mut Vec<Equation>) {
    for v in 0..sets.potential_used.len() as u32 {
        if !sets.potential_used[v as usize] {
            continue;
        }
        let first = sets.potentials.find(v);
        if first == v {
            continue;
        }
        let (lhs, rhs) = (pool.var(VarId(first)), pool.var(VarId(v)));
        out.push(Equation {
            lhs,
            rhs,
            origin: connect_origin(sets.location[v as usize], OriginKind::Connect),
        });
    }
}

fn connect_origin(location: Option<Location>, kind: OriginKind) -> Origin {
    Origin { component: String::new(), location, kind }
}

fn emit_flows(pool: &mut Pool, sets: &mut Sets, out: &mut Vec<Equation>) {
    let mut members: Vec<Vec<u32>> = Vec::new();
    let mut set_of: FxHashMap<u32, usize> = Default::default();
    for face in 0..sets.flow_used.len() as u32 {
        if sets.flow_used[face as usize] {
            let first = sets.flows.find(face);
            let at = *set_of.entry(first).or_insert_with(|| {
                members.push(Vec::new());
                members.len() - 1
            });
            members[at].push(face);
        }
    }
    for set in members {
        let mut terms = Vec::with_capacity(set.len());
        for &face in &set {
            let v = pool.var(VarId(face / 2));
            terms.push(if face % 2 == 1 { pool.op(Op::Neg, &[v]) } else { v });
        }
        let lhs = match terms.as_slice() {
            [one] => *one,
            _ => pool.op(Op::Add, &terms),
        };
        let rhs = pool.constant(0.0);
        let location = sets.location[(set[0] / 2) as usize];
        out.push(Equation { lhs, rhs, origin: connect_origin(location, OriginKind::FlowSum) });
    }
}

/// A flow variable that is connected to nothing outside its component is zero.
fn emit_unconnected(fl: &mut Flattener<'_>, sets: &mut Sets, out: &mut Vec<Equation>) {
    let mut zero = Vec::new();
    let mut in_buses = false;
    for v in 0..fl.slots.len() as u32 {
        let (inst, _) = fl.slots[v as usize];
        if fl.inst(inst).flow != FlowPrefix::Flow
            || fl.inst(inst).variability <= Variability::Parameter
            || !in_connector(fl, inst)
        {
            continue;
        }
        // What was added to an expandable connector has nothing but connections on its inside, too (section 9.2).
        let bus = sets.is_flow_used(2 * v) && !sets.is_flow_used(2 * v + 1) && in_bus(fl, inst);
        if bus || !sets.is_flow_used(2 * v) {
            zero.push(v);
            in_buses |= bus;
        }
    }
    if in_buses {
        sets.leave_out_redundant(&mut zero);
    }
    for v in zero {
        let (inst, _) = fl.slots[v as usize];
        let (lhs, rhs) = (fl.pool.var(VarId(v)), fl.pool.constant(0.0));
        let location = fl.inst(inst).info.as_ref().map(|i| i.location);
        out.push(Equation { lhs, rhs, origin: connect_origin(location, OriginKind::Unconnected) });
    }
}

/// Is the instance part of an expandable connector?
fn in_bus(fl: &Flattener<'_>, id: InstId) -> bool {
    let mut at = fl.inst(id).parent;
    while let Some(i) = at {
        if instance::is_expandable(fl, i) {
            return true;
        }
        at = fl.inst(i).parent;
    }
    false
}

impl Sets {
    /// Is a face of a flow variable connected?
    fn is_flow_used(&self, face: u32) -> bool {
        self.flow_used.get(face as usize).copied().unwrap_or(false)
    }

    /// Of the flows that are zero by themselves, leaves out one of each set that has no others: their sum says it. Such sets
    /// are those of elements of expandable connectors that nothing is connected to.
    fn leave_out_redundant(&mut self, zero: &mut Vec<u32>) {
        let mut open: FxHashMap<u32, Option<u32>> = FxHashMap::default();
        let known: FxHashSet<u32> = zero.iter().copied().collect();
        for face in 0..self.flow_used.len() as u32 {
            if !self.is_flow_used(face) {
                continue;
            }
            let v = face / 2;
            let first = open.entry(self.flows.find(face)).or_insert(Some(v));
            if !known.contains(&v) {
                *first = None;
            }
        }
        let redundant: FxHashSet<u32> = open.into_values().flatten().collect();
        zero.retain(|v| !redundant.contains(v));
    }

    fn grow(&mut self, count: usize) {
        if self.potential_used.len() < count {
            self.potentials.grow(count);
            self.flows.grow(2 * count);
            self.potential_used.resize(count, false);
            self.flow_used.resize(2 * count, false);
            self.location.resize(count, None);
        }
    }
}
