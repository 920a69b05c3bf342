//! Which component is not balanced (specification section 4.7).
//!
//! Every component is counted by itself: its own variables against its own equations, where what others have to provide
//! (inputs, and one equation per flow variable of a connector) counts as given, and what a component asks of its owner
//! counts as an unknown of the owner. What one component has too few another may have too many: such a model can be
//! solved, and is given with a warning. Classes in the classic notation know nothing of this: of them only the whole counts.

use kausal_symbolic::{Node as Expression, VarId};
use kausal_syntax::ast::{Causality, ClassKind, FlowPrefix, Variability};
use kausal_syntax::{Diagnostic, Severity};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::check::{Counts, assigned_in, is_auxiliary};
use crate::class::KlassId;
use crate::equation::Sink;
use crate::flat::OriginKind;
use crate::flattener::Flattener;
use crate::instance::{InstId, Node};
use crate::prelude::Builtin;

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

impl Flattener<'_> {
    /// Reports a model that is not balanced, with the components to blame.
    pub(crate) fn check_balance(&mut self, root: InstId, klass: KlassId, sink: &Sink) {
        self.outside = self.decided_outside(root);
        let counts = self.totals(sink);
        if counts.balanced() {
            self.check_parts(root, sink);
            return;
        }
        let culprits = self.culprits(root, sink, true);
        let name = self.cx.name(klass);
        let location = self.cx.def_location(self.cx.key(klass).def);
        let mut diagnostic =
            Diagnostic::error("K0240", format!("{name} has {}", sentence(counts))).at(location, "this model");
        if let [Culprit { id, counts }] = culprits.as_slice()
            && *id == root
            && counts.equations > counts.unknowns
        {
            diagnostic = diagnostic.help("leave out an equation, or declare another variable");
        }
        let diagnostic = self.with_cause(diagnostic, counts, sink);
        self.cx.report(diagnostic);
        let mut seen: Vec<crate::library::DefId> = Vec::new();
        for culprit in culprits {
            let class = self.inst(culprit.id).klass;
            let def = self.cx.key(class).def;
            if culprit.id != root && !seen.contains(&def) {
                seen.push(def);
                self.report_culprit(&culprit, class, Severity::Error);
            }
        }
        self.report_open_inputs(root, sink);
    }

    /// The whole is balanced; all its parts must be, too.
    fn check_parts(&mut self, root: InstId, sink: &Sink) {
        for culprit in self.culprits(root, sink, false) {
            let class = self.inst(culprit.id).klass;
            if self.is_classic(class) {
                continue;
            }
            if culprit.id == root {
                let name = self.cx.name(class);
                let location = self.cx.def_location(self.cx.key(class).def);
                let message = format!("{name}, without its components, has {}", sentence(culprit.counts));
                self.cx.report(Diagnostic::warning("K0241", message).at(location, "this model").help(RULE));
            } else {
                self.report_culprit(&culprit, class, Severity::Warning);
            }
        }
    }

    fn is_classic(&self, klass: KlassId) -> bool {
        let location = self.cx.def_location(self.cx.key(klass).def);
        self.cx.lib.sources().get(location.source).name.ends_with(".dym")
    }

    fn report_culprit(&mut self, culprit: &Culprit, class: KlassId, severity: Severity) {
        let path = self.path(culprit.id);
        let name = self.cx.name(class);
        let message = format!("the component {path} of class {name} has {}", sentence(culprit.counts));
        let defined = self.cx.def_location(self.cx.key(class).def);
        let mut diagnostic = match severity {
            Severity::Error => Diagnostic::error("K0241", message),
            _ => Diagnostic::warning("K0241", message).help(RULE),
        };
        if let Some(info) = &self.inst(culprit.id).info {
            diagnostic = diagnostic.at(info.location, "this component");
        }
        self.cx.report(diagnostic.at(defined, "its class is not balanced"));
    }

    /// Equations and unknowns of the whole model, as [`crate::check::count`] counts them.
    fn totals(&mut self, sink: &Sink) -> Counts {
        let (mut unknowns, mut inputs) = (0, 0);
        for &(leaf, _) in &self.slots {
            if self.is_unknown(leaf) && !is_auxiliary(self.inst(leaf).name.as_str()) {
                unknowns += 1;
                let inst = self.inst(leaf);
                let input = inst.causality == Causality::Input && !inst.protected && self.is_top_level(leaf);
                inputs += usize::from(input && !self.has_binding(leaf));
            }
        }
        let mut assigned = FxHashSet::default();
        for branch in sink.whens.iter().flat_map(|w| &w.branches) {
            assigned_in(&branch.actions, &mut assigned);
        }
        let auxiliary = sink.equations.iter().filter(|e| self.defines_auxiliary(e.lhs)).count();
        let clocked: usize = sink.clocked.iter().map(|w| w.equations.len()).sum();
        let given = assigned.len() + inputs + self.outside;
        Counts { equations: sink.equations.len() + clocked - auxiliary + given, unknowns }
    }

    fn defines_auxiliary(&self, lhs: kausal_symbolic::ExprId) -> bool {
        matches!(self.pool.node(lhs), Expression::Var(v) if is_auxiliary(self.inst(self.slots[v.index()].0).name.as_str()))
    }

    pub(crate) fn is_unknown(&self, leaf: InstId) -> bool {
        let inst = self.inst(leaf);
        !inst.is_static
            && inst.variability > Variability::Parameter
            && inst.info.as_ref().and_then(|i| i.leaf).is_none_or(|l| l.builtin != Builtin::ExternalObject)
    }

    /// Is it an input of the whole model, which is given from outside?
    pub(super) fn is_given_outside(&self, leaf: InstId) -> bool {
        self.inst(leaf).causality == Causality::Input && self.is_top_level(leaf)
    }

    fn scalars(&self, leaf: InstId) -> usize {
        match &self.inst(leaf).node {
            Node::Leaf(_, shape) => shape.iter().product(),
            _ => 0,
        }
    }

    /// All components that are not balanced; one per class with its modifiers. What is inside them is looked at once per
    /// class as well, unless everything is wanted.
    fn culprits(&mut self, root: InstId, sink: &Sink, everything: bool) -> Vec<Culprit> {
        let written = self.equations_by_component(sink);
        let mut links: FxHashMap<InstId, Vec<crate::connect::Link>> = FxHashMap::default();
        for link in &self.connections.links {
            links.entry(link.owner).or_default().push(*link);
        }
        let mut out = Vec::new();
        let mut seen = FxHashSet::default();
        let mut stack = vec![root];
        while let Some(id) = stack.pop() {
            let new = seen.insert(self.inst(id).klass);
            if !new && !everything {
                continue;
            }
            let parts = self.parts(id);
            stack.extend(parts.components.iter().rev());
            if !new {
                continue;
            }
            let own = links.get(&id).map_or(&[][..], Vec::as_slice);
            if let Some(counts) = self.local_counts(&parts, own, &written)
                && !counts.balanced()
            {
                out.push(Culprit { id, counts });
            }
        }
        out
    }

    fn equations_by_component<'s>(&mut self, sink: &'s Sink) -> FxHashMap<&'s str, usize> {
        let mut written: FxHashMap<&str, usize> = FxHashMap::default();
        for equation in sink.equations.iter().chain(sink.clocked.iter().flat_map(|w| &w.equations)) {
            let local = match equation.origin.kind {
                OriginKind::Equation | OriginKind::Binding | OriginKind::Algorithm => true,
                OriginKind::Connect => !equation.origin.component.is_empty(),
                OriginKind::FlowSum | OriginKind::Unconnected => false,
            };
            if local && !self.defines_auxiliary(equation.lhs) {
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

    fn parts(&mut self, id: InstId) -> Parts {
        let mut parts = Parts { unclear: self.connections.dependent.contains(&id), ..Parts::default() };
        let mut stack = vec![id];
        while let Some(at) = stack.pop() {
            match self.inst(at).node.clone() {
                Node::Struct if at != id && self.has_equations(at) => parts.components.push(at),
                Node::Struct => {
                    parts.unclear |= self.is_expandable(at) || self.is_overdetermined(at);
                    parts.structs.push(at);
                    stack.extend(self.below(at).into_iter().rev());
                }
                Node::Array(_, elements) => stack.extend(elements.iter().rev()),
                Node::Leaf(..) => {
                    parts.unclear |= self.is_overdetermined(at);
                    parts.leaves.push(at);
                }
                Node::Outer(_) => {
                    parts.unclear |= self.inst(at).info.as_ref().is_some_and(|i| i.leaf.is_some())
                }
                _ => {}
            }
        }
        parts
    }

    /// Is it a model or block, with equations that belong to it?
    fn has_equations(&self, id: InstId) -> bool {
        self.inst(id)
            .info
            .as_ref()
            .is_some_and(|i| matches!(i.kind, ClassKind::Model | ClassKind::Block | ClassKind::Class))
    }

    /// Is the leaf something that others have to provide an equation for? Nobody can connect a protected input of a
    /// component; a protected flow variable is zero outside.
    fn is_given(&self, leaf: InstId) -> bool {
        if !self.is_unknown(leaf) {
            return false;
        }
        let component = self.component_of(leaf);
        match self.inst(leaf).flow {
            FlowPrefix::Flow => self.in_connector(leaf),
            _ => {
                self.inst(leaf).causality == Causality::Input
                    && !self.is_protected_in(leaf, component)
                    && (!self.has_binding(leaf)
                        || self.in_connector(leaf) && self.is_bound_inside(leaf, component))
            }
        }
    }

    /// Is the value of a part written in the class of the component? That of an input connector says what something else
    /// is: `RealInput u = internal`.
    fn is_bound_inside(&self, part: InstId, component: InstId) -> bool {
        let Some(place) = self.own_binding(part) else { return false };
        let Some(owner) = self.ancestor(part, place.up) else { return false };
        let mut at = Some(owner);
        while let Some(id) = at {
            if id == component {
                return true;
            }
            at = self.inst(id).parent;
        }
        false
    }

    /// The component with equations that a part belongs to.
    fn component_of(&self, part: InstId) -> InstId {
        let mut at = part;
        while let Some(parent) = self.inst(at).parent {
            at = parent;
            if self.has_equations(at) {
                break;
            }
        }
        at
    }

    /// Is a part of a component protected in it?
    fn is_protected_in(&self, part: InstId, component: InstId) -> bool {
        let mut at = Some(part);
        while let Some(id) = at.filter(|&id| id != component) {
            if self.inst(id).info.as_ref().is_some_and(|i| i.protected) {
                return true;
            }
            at = self.inst(id).parent;
        }
        false
    }

    fn local_counts(
        &mut self,
        parts: &Parts,
        links: &[crate::connect::Link],
        written: &FxHashMap<&str, usize>,
    ) -> Option<Counts> {
        let (mut unknowns, mut equations) = (0, 0);
        let counts = |l: InstId| self.is_unknown(l) && !is_auxiliary(self.inst(l).name.as_str());
        for &leaf in parts.leaves.iter().filter(|&&l| counts(l)) {
            unknowns += self.scalars(leaf);
            if self.is_given(leaf) {
                equations += self.scalars(leaf);
            }
        }
        for &part in &parts.structs {
            equations += written.get(self.path(part).as_str()).copied().unwrap_or(0);
        }
        let mut unclear = parts.unclear;
        let mut reachable: FxHashSet<InstId> = parts.leaves.iter().copied().collect();
        let mut asked = Vec::new();
        for &component in &parts.components {
            let inner = self.parts(component);
            unclear |= inner.unclear;
            reachable.extend(inner.leaves.iter().copied());
            asked.extend(inner.leaves.into_iter().filter(|&l| self.is_given(l)));
        }
        if unclear {
            return None;
        }
        let local = self.local_connections(links);
        if local.leaves.iter().any(|l| !reachable.contains(l)) {
            // A connector of an outer component takes part.
            return None;
        }
        equations += local.equations;
        for leaf in asked {
            unknowns += self.scalars(leaf);
            if self.inst(leaf).flow == FlowPrefix::Flow
                && let Some((first, count)) = self.variables(leaf)
            {
                let open = |i: &u32| !local.flows.contains(&VarId(first.0 + i));
                equations += (0..count as u32).filter(open).count();
            }
        }
        // What streams out of an own connector that is connected inside is known from there.
        for &leaf in &parts.leaves {
            if self.inst(leaf).flow == FlowPrefix::Stream
                && self.inst(leaf).parent.is_some_and(|c| local.outside.contains(&c))
            {
                equations += self.scalars(leaf);
            }
        }
        Some(Counts { equations, unknowns })
    }

    /// Inputs of components that are neither connected nor used in an equation of their owner.
    fn report_open_inputs(&mut self, root: InstId, sink: &Sink) {
        let mut connected = FxHashSet::default();
        let links = self.connections.links.clone();
        for leaf in self.local_connections(&links).leaves {
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
                match self.pool.node(e) {
                    Expression::Var(v) => {
                        let leaf = self.slots[v.index()].0;
                        if self.inst(leaf).causality == Causality::Input {
                            used.entry(leaf).or_default().insert(equation.origin.component.clone());
                        }
                    }
                    Expression::Op(_, args) | Expression::Call(_, args) => stack.extend_from_slice(args),
                    Expression::Output(call, _) => stack.push(call),
                    _ => {}
                }
            }
        }
        self.report_idle_inputs(&links, &used);
        let mut stack = vec![root];
        while let Some(id) = stack.pop() {
            let parts = self.parts(id);
            stack.extend(parts.components.iter().rev());
            if id == root {
                continue;
            }
            let path = self.path(id);
            for leaf in parts.leaves {
                let elsewhere = used.get(&leaf).is_some_and(|set| set.iter().any(|c| !c.starts_with(&path)));
                if self.inst(leaf).flow == FlowPrefix::None
                    && self.is_given(leaf)
                    && !connected.contains(&leaf)
                    && !elsewhere
                {
                    let path = self.path(leaf);
                    let message = format!("the input {path} is not connected and has no value");
                    let mut diagnostic = Diagnostic::error("K0242", message);
                    if let Some(info) = &self.inst(id).info {
                        diagnostic = diagnostic.at(info.location, "this component needs it");
                    }
                    self.report_at_decl(leaf, diagnostic);
                }
            }
        }
    }
}

impl Flattener<'_> {
    /// Inputs that are connected to other inputs, and to nothing that would give them a value.
    fn report_idle_inputs(
        &mut self,
        links: &[crate::connect::Link],
        used: &FxHashMap<InstId, FxHashSet<String>>,
    ) {
        let mut sets = crate::connect::Partition::default();
        sets.grow(self.insts.len());
        let mut members: Vec<(InstId, kausal_syntax::Location)> = Vec::new();
        for link in links {
            sets.unite(link.a.inst.0, link.b.inst.0);
            members.extend([(link.a.inst, link.location), (link.b.inst, link.location)]);
        }
        let mut idle: Vec<(u32, Vec<InstId>, kausal_syntax::Location)> = Vec::new();
        let mut fed: FxHashSet<u32> = FxHashSet::default();
        for (inst, location) in members {
            let set = sets.find(inst.0);
            let input = matches!(self.inst(inst).node, Node::Leaf(..))
                && self.is_unknown(inst)
                && self.inst(inst).causality == Causality::Input
                && !self.has_binding(inst)
                && self.inst(inst).flow == FlowPrefix::None
                && !self.is_given_outside(inst)
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
            let names: Vec<String> = list.iter().take(3).map(|&i| self.path(i)).collect();
            let message =
                format!("{} are inputs, connected to each other and to no output", names.join(", "));
            let diagnostic = Diagnostic::error("K0242", message).at(location, "connected here");
            self.report_at_decl(list[0], diagnostic);
        }
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
