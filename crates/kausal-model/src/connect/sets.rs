//! Connection sets (specification sections 9.1 and 9.2): equal potentials, flows that sum to zero.

use kausal_symbolic::{Op, VarId};
use kausal_syntax::ast::{Causality, FlowPrefix, Variability};
use kausal_syntax::{Diagnostic, Location};

use rustc_hash::{FxHashMap, FxHashSet};

use super::{End, Link, Partition};
use crate::class::{Reported, Res};
use crate::flat::{Action, ActionKind, Equation, Origin, OriginKind};
use crate::flattener::Flattener;
use crate::instance::{InstId, Node};

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

impl Flattener<'_> {
    /// The equations of all connections, and zero for flow variables that are not connected.
    pub fn connection_equations(&mut self) -> Vec<Equation> {
        let mut sets = Sets::default();
        let links = std::mem::take(&mut self.connections.links);
        for link in &links {
            let _ = self.connect_ends(&mut sets, link, link.a, link.b);
        }
        self.connections.links = links;
        for (a, b, location) in std::mem::take(&mut sets.settled) {
            let _ = self.connect_settled(a, b, location);
        }
        self.check_sources(&mut sets);
        sets.grow(self.slots.len());
        self.connections.absent = self.absent_elements(&mut |var| sets.potentials.find(var));
        let mut out = Vec::new();
        self.emit_potentials(&mut sets, &mut out);
        self.emit_flows(&mut sets, &mut out);
        self.emit_unconnected(&mut sets, &mut out);
        self.stream_equations(&mut out);
        out.append(&mut sets.residues);
        out
    }

    /// What the connections of one component come to, counted by themselves.
    pub(crate) fn local_connections(&mut self, links: &[Link]) -> LocalConnections {
        let mut sets = Sets::default();
        let mut local = LocalConnections::default();
        for link in links {
            let _ = self.connect_ends(&mut sets, link, link.a, link.b);
            for end in [link.a, link.b] {
                if end.outside {
                    self.connectors_below(end.inst, &mut local.outside);
                }
            }
        }
        let mut roots = FxHashSet::default();
        for v in 0..sets.potential_used.len() as u32 {
            if sets.potential_used[v as usize] {
                local.leaves.push(self.slots[v as usize].0);
                local.equations += usize::from(sets.potentials.find(v) != v);
            }
        }
        for face in 0..sets.flow_used.len() as u32 {
            if sets.flow_used[face as usize] {
                local.leaves.push(self.slots[face as usize / 2].0);
                local.equations += usize::from(roots.insert(sets.flows.find(face)));
                if face % 2 == 0 {
                    local.flows.insert(VarId(face / 2));
                }
            }
        }
        local
    }

    fn connectors_below(&self, id: InstId, out: &mut FxHashSet<InstId>) {
        let mut stack = vec![id];
        while let Some(id) = stack.pop() {
            match &self.inst(id).node {
                Node::Struct => {
                    out.insert(id);
                    stack.extend(self.below(id));
                }
                Node::Array(_, elements) => stack.extend(elements.iter()),
                _ => {}
            }
        }
    }

    fn connect_ends(&mut self, sets: &mut Sets, link: &Link, a: End, b: End) -> Res<()> {
        let (Ok(ia), Ok(ib)) = (self.resolve(a.inst), self.resolve(b.inst)) else { return Err(Reported) };
        if self.connections.graph.broken.contains(&(ia, ib)) {
            let mut residues = std::mem::take(&mut sets.residues);
            let result = self.broken_equations(link, ia, ib, &mut residues);
            sets.residues = residues;
            return result;
        }
        match (self.inst(ia).node.clone(), self.inst(ib).node.clone()) {
            (Node::Disabled, _) | (_, Node::Disabled) => Ok(()),
            (Node::Leaf(_, sa), Node::Leaf(_, sb)) => {
                let single = a.element.is_some() || b.element.is_some();
                if !single && sa != sb {
                    return Err(self.mismatch(link, ia, ib, "their sizes differ"));
                }
                self.connect_leaves(sets, link, End { inst: ia, ..a }, End { inst: ib, ..b })
            }
            (Node::Struct, Node::Struct) => {
                self.connect_structs(sets, link, End { inst: ia, ..a }, End { inst: ib, ..b })
            }
            (Node::Array(sa, ea), Node::Array(sb, eb)) => {
                if sa != sb {
                    return Err(self.mismatch(link, ia, ib, "their sizes differ"));
                }
                for (&x, &y) in ea.iter().zip(eb.iter()) {
                    self.connect_ends(sets, link, End { inst: x, ..a }, End { inst: y, ..b })?;
                }
                Ok(())
            }
            _ => Err(self.mismatch(link, ia, ib, "they are of different kinds")),
        }
    }

    fn connect_structs(&mut self, sets: &mut Sets, link: &Link, a: End, b: End) -> Res<()> {
        if self.is_expandable(a.inst) != self.is_expandable(b.inst) {
            return Err(self.mismatch(link, a.inst, b.inst, "only one of them is expandable"));
        }
        if self.is_expandable(a.inst) {
            let mut names = Vec::new();
            for end in [a, b] {
                for member in self.present_members(end.inst)? {
                    let name = self.inst(member).name;
                    if !names.contains(&name) {
                        names.push(name);
                    }
                }
            }
            for name in names {
                if let (Some(x), Some(y)) = (self.child(a.inst, name)?, self.child(b.inst, name)?) {
                    self.connect_ends(sets, link, End { inst: x, ..a }, End { inst: y, ..b })?;
                }
            }
            return Ok(());
        }
        for child in self.children(a.inst)? {
            let name = self.inst(child).name;
            let other = match self.child(b.inst, name)? {
                Some(other) => other,
                None => {
                    let reason = format!("only one of them has {name}");
                    return Err(self.mismatch(link, a.inst, b.inst, &reason));
                }
            };
            self.connect_ends(sets, link, End { inst: child, ..a }, End { inst: other, ..b })?;
        }
        if self.children(b.inst)?.len() > self.children(a.inst)?.len() {
            return Err(self.mismatch(link, a.inst, b.inst, "one has more variables than the other"));
        }
        Ok(())
    }

    fn mismatch(&mut self, link: &Link, a: InstId, b: InstId, reason: &str) -> Reported {
        let message = format!("{} and {} cannot be connected: {reason}", self.path(a), self.path(b));
        let mut diagnostic = Diagnostic::error("K0233", message).at(link.location, "connected here");
        for id in [a, b] {
            if let Some(info) = &self.inst(id).info {
                diagnostic = diagnostic.at(info.location, "declared here");
            }
        }
        self.cx.report(diagnostic)
    }

    fn connect_leaves(&mut self, sets: &mut Sets, link: &Link, a: End, b: End) -> Res<()> {
        let (fa, fb) = (self.inst(a.inst).flow, self.inst(b.inst).flow);
        if fa != fb {
            return Err(self.mismatch(
                link,
                a.inst,
                b.inst,
                "one is a flow or stream variable, the other is not",
            ));
        }
        if fa == FlowPrefix::Stream {
            return Ok(());
        }
        let ta = self.inst(a.inst).info.as_ref().and_then(|i| i.leaf).map(|l| l.builtin);
        let tb = self.inst(b.inst).info.as_ref().and_then(|i| i.leaf).map(|l| l.builtin);
        if ta != tb {
            return Err(self.mismatch(link, a.inst, b.inst, "their types differ"));
        }
        if self.inst(a.inst).variability <= Variability::Parameter
            || self.inst(b.inst).variability <= Variability::Parameter
        {
            sets.settled.push((a.inst, b.inst, link.location));
            return Ok(());
        }
        if self.is_source(a) && self.is_source(b) {
            let message = format!(
                "{} and {} are both outputs: they cannot be connected",
                self.path(a.inst),
                self.path(b.inst)
            );
            let mut diagnostic = Diagnostic::error("K0229", message).at(link.location, "connected here");
            for id in [a.inst, b.inst] {
                if let Some(info) = &self.inst(id).info {
                    diagnostic = diagnostic.at(info.location, "declared here");
                }
            }
            return Err(self.cx.report(diagnostic));
        }
        let (Some((va, na)), Some((vb, nb))) = (self.variables(a.inst), self.variables(b.inst)) else {
            return Err(Reported);
        };
        let range = |element: Option<u32>, n: usize| match element {
            Some(i) => (i, 1),
            None => (0, n as u32),
        };
        let ((oa, ca), (ob, cb)) = (range(a.element, na), range(b.element, nb));
        if ca != cb {
            return Err(self.mismatch(link, a.inst, b.inst, "their sizes differ"));
        }
        sets.grow(self.slots.len());
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
                    if self.gives_value(end) {
                        sets.sources.push((link.owner, sink, source, link.location));
                    }
                }
            }
        }
        Ok(())
    }

    /// What is connected gets its value from one output (specification section 9.3).
    fn check_sources(&mut self, sets: &mut Sets) {
        let mut first: FxHashMap<(InstId, u32), (u32, Location)> = Default::default();
        for (owner, sink, var, location) in std::mem::take(&mut sets.sources) {
            let Some(&(other, place)) = first.get(&(owner, sink)).filter(|f| f.0 != var) else {
                first.entry((owner, sink)).or_insert((var, location));
                continue;
            };
            let name = |var| self.variable_name(VarId(var));
            let message = format!("{} and {} both give {} its value", name(other), name(var), name(sink));
            let diagnostic = Diagnostic::error("K0229", message)
                .at(location, "connected here")
                .at(place, "and here")
                .help("an input gets its value from one connection");
            self.report_at_decl(self.slots[var as usize].0, diagnostic);
        }
    }

    /// Connected parameters and constants must be equal (specification section 9.2): this is checked now as far as
    /// their values are known, and when the model starts where they can still be changed.
    fn connect_settled(&mut self, a: InstId, b: InstId, location: Location) -> Res<()> {
        let (x, y) = (self.instance_value(a)?, self.instance_value(b)?);
        let (mut left, mut right) = (Vec::new(), Vec::new());
        x.scalars(&mut left);
        y.scalars(&mut right);
        for (l, r) in left.into_iter().zip(right) {
            if l == r {
                continue;
            }
            let values = self.peek(l).zip(self.peek(r));
            if let Some((l, r)) = values.filter(|(l, r)| l != r) {
                return Err(self.settled_differ(a, b, l, r, location));
            }
            let text = x.ty() == Some(crate::value::Ty::String);
            if values.is_some() && (text || self.is_settled(l) && self.is_settled(r)) {
                continue;
            }
            let condition = self.pool.op(Op::Equal, &[l, r]);
            let message = format!("connected parameters differ: {} and {}", self.path(a), self.path(b));
            let message = self.pool.text(&message);
            let kind = ActionKind::Assert { condition, message, warning: false };
            let origin = self.connect_origin(Some(location), OriginKind::Connect);
            self.connections.assertions.push(Action { kind, origin });
        }
        Ok(())
    }

    /// Is it a literal, or made of parameters whose values were used?
    fn is_settled(&self, e: kausal_symbolic::ExprId) -> bool {
        self.is_literal(e)
            || matches!(self.pool.node(e), kausal_symbolic::Node::Var(v) if self.evaluated.contains(&v))
    }

    fn settled_differ(
        &mut self,
        a: InstId,
        b: InstId,
        x: kausal_symbolic::ExprId,
        y: kausal_symbolic::ExprId,
        location: Location,
    ) -> Reported {
        let text = |this: &Self, e| match this.pool.node(e) {
            kausal_symbolic::Node::Const(x) => x.to_string(),
            kausal_symbolic::Node::Text(t) => format!("{:?}", this.pool.text_of(t)),
            _ => "unknown".to_owned(),
        };
        let message = format!(
            "{} is {} and {} is {}: connected parameters must be equal",
            self.path(a),
            text(self, x),
            self.path(b),
            text(self, y)
        );
        let mut diagnostic = Diagnostic::error("K0243", message).at(location, "connected here");
        for id in [a, b] {
            let place = match self.own_binding(id) {
                Some(place) => {
                    let span = self.cx.lib.ast_ref(place.file).span(place.expr);
                    Some(self.cx.lib.location(place.file, span))
                }
                None => self.inst(id).info.as_ref().map(|i| i.location),
            };
            if let Some(place) = place {
                diagnostic = diagnostic.at(place, "this value");
            }
        }
        self.cx.report(diagnostic)
    }

    /// Is the end an output of a component? (Inputs of the owner say what others are as well, but a protected one
    /// is a common way to choose between a conditional input and a value of its own.)
    fn is_source(&self, end: End) -> bool {
        !end.outside && self.inst(end.inst).causality == Causality::Output
    }

    /// The same, or a public input of the owner.
    fn gives_value(&self, end: End) -> bool {
        let inst = self.inst(end.inst);
        self.is_source(end) || end.outside && inst.causality == Causality::Input && !inst.protected
    }

    fn emit_potentials(&mut self, sets: &mut Sets, out: &mut Vec<Equation>) {
        for v in 0..sets.potential_used.len() as u32 {
            if !sets.potential_used[v as usize] {
                continue;
            }
            let first = sets.potentials.find(v);
            if first == v {
                continue;
            }
            let (lhs, rhs) = (self.pool.var(VarId(first)), self.pool.var(VarId(v)));
            out.push(Equation {
                lhs,
                rhs,
                origin: self.connect_origin(sets.location[v as usize], OriginKind::Connect),
            });
        }
    }

    fn connect_origin(&self, location: Option<Location>, kind: OriginKind) -> Origin {
        Origin { component: String::new(), location, kind }
    }

    fn emit_flows(&mut self, sets: &mut Sets, out: &mut Vec<Equation>) {
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
                let v = self.pool.var(VarId(face / 2));
                terms.push(if face % 2 == 1 { self.pool.op(Op::Neg, &[v]) } else { v });
            }
            let lhs = match terms.as_slice() {
                [one] => *one,
                _ => self.pool.op(Op::Add, &terms),
            };
            let rhs = self.pool.constant(0.0);
            let location = sets.location[(set[0] / 2) as usize];
            out.push(Equation { lhs, rhs, origin: self.connect_origin(location, OriginKind::FlowSum) });
        }
    }

    /// A flow variable that is connected to nothing outside its component is zero.
    fn emit_unconnected(&mut self, sets: &mut Sets, out: &mut Vec<Equation>) {
        let mut zero = Vec::new();
        let mut in_buses = false;
        for v in 0..self.slots.len() as u32 {
            let (inst, _) = self.slots[v as usize];
            if self.inst(inst).flow != FlowPrefix::Flow
                || self.inst(inst).variability <= Variability::Parameter
                || !self.in_connector(inst)
            {
                continue;
            }
            // What was added to an expandable connector has nothing but connections on its inside, too (section 9.2).
            let bus = sets.is_flow_used(2 * v) && !sets.is_flow_used(2 * v + 1) && self.in_bus(inst);
            if bus || !sets.is_flow_used(2 * v) {
                zero.push(v);
                in_buses |= bus;
            }
        }
        if in_buses {
            sets.leave_out_redundant(&mut zero);
        }
        for v in zero {
            let (inst, _) = self.slots[v as usize];
            let (lhs, rhs) = (self.pool.var(VarId(v)), self.pool.constant(0.0));
            let location = self.inst(inst).info.as_ref().map(|i| i.location);
            out.push(Equation { lhs, rhs, origin: self.connect_origin(location, OriginKind::Unconnected) });
        }
    }

    /// Is the instance part of an expandable connector?
    fn in_bus(&self, id: InstId) -> bool {
        let mut at = self.inst(id).parent;
        while let Some(i) = at {
            if self.is_expandable(i) {
                return true;
            }
            at = self.inst(i).parent;
        }
        false
    }

    /// Is the instance a connector or part of one?
    pub fn in_connector(&self, id: InstId) -> bool {
        let mut at = Some(id);
        while let Some(i) = at {
            if self.is_connector(i) {
                return true;
            }
            at = self.inst(i).parent;
        }
        false
    }
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
