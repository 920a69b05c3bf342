//! Expandable connectors (specification section 9.1.3): members come into being by being connected.
//!
//! A connection to a member that is not declared waits until it is known what it is connected to; then the member is
//! made after that, in the connector and in all expandable connectors connected with it. Members that are declared but
//! neither connected nor used do not exist. An array that is declared with `[:]`, or not at all, is as long as the largest
//! subscript it is connected with anywhere; elements that nothing is connected to have the default value of their type.

use std::sync::Arc;

use kausal_symbolic::VarId;
use kausal_symbolic::function::array::element_count;
use kausal_syntax::ast::{self, Causality, ClassKind, Expr, FlowPrefix};
use kausal_syntax::{Diagnostic, Location, Symbol};
use rustc_hash::{FxHashMap, FxHashSet};

use super::collect::Side;
use super::{End, Link, Partition};
use crate::class::{ComponentInfo, Res};
use crate::equation::Context;
use crate::expr::reference::Cursor;
use crate::flattener::Flattener;
use crate::instance::{Inst, InstId, Node};

/// A connection with a member of an expandable connector that nobody declared.
#[derive(Clone, Debug)]
pub struct Undeclared {
    sides: [Waiting; 2],
    location: Location,
    owner: InstId,
}

#[derive(Clone, Debug)]
enum Waiting {
    Known(Side),
    Missing(Missing),
}

#[derive(Clone, Debug)]
struct Missing {
    bus: InstId,
    name: Symbol,
    subscript: Option<usize>,
    outside: bool,
}

impl Flattener<'_> {
    /// Takes note of a connection to a member that does not exist yet; true if it is one.
    pub(super) fn collect_undeclared(
        &mut self,
        cx: Context<'_>,
        a: &ast::ComponentRef,
        b: &ast::ComponentRef,
        location: Location,
    ) -> Res<bool> {
        let (left, right) = (self.missing_member(cx, a)?, self.missing_member(cx, b)?);
        if left.is_none() && right.is_none() {
            return Ok(false);
        }
        let mut sides = Vec::with_capacity(2);
        for (missing, reference) in [(left, a), (right, b)] {
            sides.push(match missing {
                Some(missing) => Waiting::Missing(missing),
                None => match self.side(cx, reference)? {
                    Some(side) => {
                        if let Some(end) = side.ends.first()
                            && !self.is_connectable(end.inst)
                        {
                            return Err(self.not_a_connector(cx, reference, end.inst));
                        }
                        Waiting::Known(side)
                    }
                    None => return Ok(true),
                },
            });
        }
        if let Ok(sides) = <[Waiting; 2]>::try_from(sides) {
            self.connections.undeclared.push(Undeclared { sides, location, owner: cx.scope.inst });
        }
        Ok(true)
    }

    fn missing_member(&mut self, cx: Context<'_>, reference: &ast::ComponentRef) -> Res<Option<Missing>> {
        let parts = cx.ast.lists.parts.get(reference.parts);
        for n in 1..parts.len() {
            let Cursor::Inst(bus) = self.resolve_prefix(cx.scope, cx.ast, reference, &parts[..n])? else {
                return Ok(None);
            };
            if !matches!(self.inst(bus).node, Node::Struct) || !self.is_expandable(bus) {
                continue;
            }
            let name = parts[n].name.symbol;
            if let Some(child) = self.child(bus, name)?
                && !self.is_sizeless(child)
            {
                continue;
            }
            if n + 1 < parts.len() {
                let message =
                    format!("{name} is not declared in the expandable connector, so it has no members");
                return Err(self.error_at("K0235", message, cx.scope.file, reference.span));
            }
            let subscript = match cx.ast.lists.exprs.get(parts[n].subscripts) {
                [] => None,
                [one] if !matches!(cx.ast.exprs[*one], Expr::Colon) => {
                    Some(self.structural_number(cx.scope, *one, "a subscript")? as usize)
                }
                _ => {
                    let message =
                        "only one subscript is allowed for an undeclared member of an expandable connector";
                    return Err(self.error_at("K0235", message, cx.scope.file, reference.span));
                }
            };
            let outside = self.is_outside(cx, reference)?;
            return Ok(Some(Missing { bus, name, subscript, outside }));
        }
        Ok(None)
    }

    /// Is it an expandable connector?
    pub fn is_expandable(&self, id: InstId) -> bool {
        self.inst(id).info.as_ref().is_some_and(|i| i.kind == ClassKind::ExpandableConnector)
    }

    /// Makes all members of expandable connectors.
    pub(super) fn expand_connectors(&mut self) {
        let mut waiting = std::mem::take(&mut self.connections.undeclared);
        self.mark_present();
        let all = waiting.clone();
        for missing in all.iter().flat_map(|w| &w.sides) {
            if let Waiting::Missing(missing) = missing
                && let Ok(Some(child)) = self.child(missing.bus, missing.name)
                && self.is_sizeless(child)
            {
                let groups = self.bus_groups();
                if let Some(size) = self.widest(&all, missing, &groups) {
                    let _ = self.size_member(child, &[size]);
                }
            }
        }
        loop {
            let mut changed = false;
            let groups = self.bus_groups();
            let mut rest = Vec::new();
            for item in &waiting {
                match (&item.sides[0], &item.sides[1]) {
                    (Waiting::Known(known), Waiting::Missing(missing))
                    | (Waiting::Missing(missing), Waiting::Known(known)) => {
                        let size = self.widest(&all, missing, &groups);
                        let Ok(end) = self.make_member(missing, known, size) else { continue };
                        for (a, b) in known.ends.iter().zip(end) {
                            self.connections.links.push(Link {
                                a: *a,
                                b,
                                location: item.location,
                                owner: item.owner,
                                broken: false,
                            });
                        }
                        changed = true;
                    }
                    _ => rest.push(item.clone()),
                }
            }
            changed |= self.spread_members();
            // What has been made may be what others wait for.
            for item in &mut rest {
                for side in &mut item.sides {
                    if let Waiting::Missing(missing) = side
                        && let Ok(Some(child)) = self.child(missing.bus, missing.name)
                        && let Ok(known) = self.known_side(child, missing)
                    {
                        *side = Waiting::Known(known);
                        changed = true;
                    }
                }
            }
            waiting = Vec::new();
            for item in rest {
                if let [Waiting::Known(x), Waiting::Known(y)] = &item.sides {
                    for (a, b) in x.ends.iter().zip(&y.ends) {
                        self.mark_path(a.inst);
                        self.mark_path(b.inst);
                        let link =
                            Link { a: *a, b: *b, location: item.location, owner: item.owner, broken: false };
                        self.connections.links.push(link);
                    }
                } else {
                    waiting.push(item);
                }
            }
            if !changed {
                break;
            }
        }
        for item in waiting {
            let message = "what these members of expandable connectors are cannot be found out: nothing declared is connected";
            self.cx.report(Diagnostic::error("K0235", message).at(item.location, ""));
        }
    }

    fn known_side(&mut self, child: InstId, missing: &Missing) -> Res<Side> {
        let child = self.resolve(child)?;
        let end = End { inst: child, element: None, outside: missing.outside };
        Ok(match (&self.inst(child).node, missing.subscript) {
            (Node::Leaf(_, shape), Some(i)) if !shape.is_empty() => {
                Side { shape: Vec::new(), ends: vec![End { element: Some(i as u32 - 1), ..end }] }
            }
            (Node::Array(_, elements), Some(i)) => {
                let inst = elements.get(i.wrapping_sub(1)).copied().unwrap_or(child);
                Side { shape: Vec::new(), ends: vec![End { inst, ..end }] }
            }
            (Node::Array(shape, elements), None) => {
                let ends = elements.iter().map(|&inst| End { inst, ..end }).collect();
                Side { shape: shape.to_vec(), ends }
            }
            _ => Side { shape: Vec::new(), ends: vec![end] },
        })
    }

    /// Makes an undeclared member like what it is connected to.
    fn make_member(&mut self, missing: &Missing, known: &Side, size: Option<usize>) -> Res<Vec<End>> {
        if self.child(missing.bus, missing.name)?.is_none() {
            let Some(first) = known.ends.first() else { return Ok(Vec::new()) };
            let shape = match size {
                Some(n) => vec![n],
                None => known.shape.clone(),
            };
            let leaf_shape = match &self.inst(first.inst).node {
                Node::Leaf(_, s) if first.element.is_none() => s.to_vec(),
                _ => Vec::new(),
            };
            let shape = if shape.is_empty() { leaf_shape } else { shape };
            self.add_member(missing.bus, missing.name, first.inst, &shape)?;
        }
        let Some(child) = self.child(missing.bus, missing.name)? else { return Ok(Vec::new()) };
        self.mark_path(child);
        let side = self.known_side(child, missing)?;
        // An array of scalars is one end here; the other side has one end per element.
        if side.ends.len() == 1 && known.ends.len() > 1 {
            let end = side.ends[0];
            return Ok((0..known.ends.len() as u32).map(|i| End { element: Some(i), ..end }).collect());
        }
        Ok(side.ends)
    }

    /// Is it a vector of an expandable connector whose size is not declared, and not known yet?
    fn is_sizeless(&self, id: InstId) -> bool {
        let inst = self.inst(id);
        let Some(info) = &inst.info else { return false };
        let open = |d: &crate::class::Place| matches!(self.cx.lib.ast_ref(d.file).exprs[d.expr], Expr::Colon);
        matches!(inst.node, Node::Raw)
            && info.binding.is_none()
            && matches!(info.dims[..], [d] if open(&d))
            && inst.parent.is_some_and(|p| self.is_expandable(p))
    }

    /// Gives a declared vector its size.
    fn size_member(&mut self, id: InstId, shape: &[usize]) -> Res<()> {
        let inst = self.inst(id);
        let Some(info) = inst.info.clone() else { return Ok(()) };
        let node = if info.leaf.is_some() {
            Node::Leaf(None, shape.into())
        } else {
            let count = element_count(shape).unwrap_or(0);
            let mut elements = Vec::with_capacity(count);
            for i in 0..count {
                let inst = self.inst(id);
                let element = Inst {
                    parent: inst.parent,
                    name: inst.name,
                    klass: inst.klass,
                    info: inst.info.clone(),
                    subs: crate::instance::subscripts_of(i, shape).iter().map(|&s| s as u32).collect(),
                    variability: inst.variability,
                    causality: inst.causality,
                    flow: inst.flow,
                    protected: inst.protected,
                    is_static: inst.is_static,
                    node: Node::Struct,
                    children: None,
                };
                elements.push(self.push(element));
            }
            Node::Array(shape.into(), elements.into())
        };
        self.insts[id.0 as usize].node = node;
        self.instantiate(id);
        Ok(())
    }

    /// Which expandable connectors are connected with one another, those in them included: a number for each set.
    fn bus_groups(&mut self) -> BusGroups {
        let mut groups = BusGroups::default();
        let links: Vec<(InstId, InstId)> =
            self.connections.links.iter().map(|l| (l.a.inst, l.b.inst)).collect();
        // Those that stand for themselves first: what is in them is named after them.
        for nested in [false, true] {
            for &(a, b) in &links {
                let (Ok(a), Ok(b)) = (self.resolve(a), self.resolve(b)) else { continue };
                if !self.is_expandable(a) || !self.is_expandable(b) {
                    continue;
                }
                let (x, y) = (self.outermost_bus(a), self.outermost_bus(b));
                if nested != (x.1.is_empty() && y.1.is_empty()) {
                    let (x, y) = (groups.number(x), groups.number(y));
                    groups.sets.unite(x, y);
                }
            }
        }
        groups
    }

    /// The expandable connector that an expandable connector is in, and the names that lead there.
    fn outermost_bus(&self, bus: InstId) -> (InstId, Vec<Symbol>) {
        let (mut at, mut names) = (bus, Vec::new());
        while let Some(parent) = self.inst(at).parent.filter(|&p| self.is_expandable(p)) {
            names.push(self.inst(at).name);
            at = parent;
        }
        names.reverse();
        (at, names)
    }

    /// The size of a vector whose elements are connected: the largest subscript, or the size of one connected as a whole, in
    /// all connectors connected with this one.
    fn widest(&mut self, all: &[Undeclared], missing: &Missing, groups: &BusGroups) -> Option<usize> {
        let group = groups.of(self.outermost_bus(missing.bus));
        let mut subscripted = false;
        let mut size: Option<usize> = None;
        for item in all {
            for (side, other) in [(&item.sides[0], &item.sides[1]), (&item.sides[1], &item.sides[0])] {
                let Waiting::Missing(m) = side else { continue };
                let same =
                    m.bus == missing.bus || group.is_some() && groups.of(self.outermost_bus(m.bus)) == group;
                if m.name != missing.name || !same {
                    continue;
                }
                subscripted |= m.subscript.is_some();
                let whole = match other {
                    Waiting::Known(side) => side.shape.first().copied(),
                    Waiting::Missing(_) => None,
                };
                size = size.max(m.subscript.or(whole));
            }
        }
        for bus in groups.members(group) {
            if let Ok(Some(child)) = self.child(bus, missing.name)
                && !self.is_sizeless(child)
                && let Ok(child) = self.resolve(child)
                && let Node::Leaf(_, shape) | Node::Array(shape, _) = &self.inst(child).node
            {
                size = size.max(shape.first().copied());
            }
        }
        size.filter(|_| subscripted || self.child(missing.bus, missing.name).is_ok_and(|c| c.is_some()))
    }

    /// Elements of vectors of expandable connectors that nothing outside such connectors is connected to, set by set.
    pub(super) fn absent_elements(&mut self, set_of: &mut dyn FnMut(u32) -> u32) -> Vec<Vec<VarId>> {
        if self.present.is_empty() {
            return Vec::new();
        }
        let mut elements = vec![false; self.slots.len()];
        let mut last: Option<(InstId, bool)> = None;
        for (element, &(leaf, _)) in elements.iter_mut().zip(&self.slots) {
            *element = match last {
                Some((known, element)) if known == leaf => element,
                _ => self.is_bus_element(leaf),
            };
            last = Some((leaf, *element));
        }
        if !elements.contains(&true) {
            return Vec::new();
        }
        let mut sets: FxHashMap<u32, Option<Vec<VarId>>> = FxHashMap::default();
        for (var, element) in (0u32..).zip(elements) {
            let set = sets.entry(set_of(var)).or_insert_with(|| Some(Vec::new()));
            match set {
                Some(list) if element => list.push(VarId(var)),
                _ => *set = None,
            }
        }
        let mut out: Vec<Vec<VarId>> = sets.into_values().flatten().filter(|s| !s.is_empty()).collect();
        out.sort();
        out
    }

    /// Is it an element of a vector of an expandable connector, or in one?
    fn is_bus_element(&self, leaf: InstId) -> bool {
        let inst = self.inst(leaf);
        if inst.flow != FlowPrefix::None || inst.variability <= ast::Variability::Parameter {
            return false;
        }
        let mut element = matches!(&inst.node, Node::Leaf(_, shape) if !shape.is_empty());
        let mut at = leaf;
        while let Some(parent) = self.inst(at).parent {
            element |= !self.inst(at).subs.is_empty();
            if self.is_expandable(parent) {
                return element && !self.has_binding(leaf);
            }
            at = parent;
        }
        false
    }

    fn add_member(&mut self, bus: InstId, name: Symbol, like: InstId, shape: &[usize]) -> Res<()> {
        let Some(info) = self.inst(like).info.clone() else { return Ok(()) };
        let (klass, flow) = (self.inst(like).klass, self.inst(like).flow);
        let info = Arc::new(ComponentInfo {
            name,
            binding: None,
            condition: None,
            causality: Causality::None,
            inner: false,
            outer: false,
            dims: Vec::new(),
            own_dims: 0,
            ..(*info).clone()
        });
        let is_leaf = info.leaf.is_some();
        let variability = self.inst(like).variability;
        let new = |node: Node, subs: Box<[u32]>| Inst {
            parent: Some(bus),
            name,
            klass,
            info: Some(info.clone()),
            subs,
            variability,
            causality: Causality::None,
            flow: if is_leaf { flow } else { FlowPrefix::None },
            protected: false,
            is_static: false,
            node,
            children: None,
        };
        let id = if is_leaf {
            self.push(new(Node::Leaf(None, shape.into()), Box::default()))
        } else if shape.is_empty() {
            self.push(new(Node::Struct, Box::default()))
        } else {
            let count = element_count(shape).unwrap_or(0);
            let mut elements = Vec::with_capacity(count);
            for i in 0..count {
                let subs = crate::instance::subscripts_of(i, shape).iter().map(|&s| s as u32).collect();
                elements.push(self.push(new(Node::Struct, subs)));
            }
            self.push(new(Node::Array(shape.into(), elements.into()), Box::default()))
        };
        self.extra.entry(bus).or_default().push(id);
        self.instantiate(id);
        Ok(())
    }

    /// Declared members that are connected to something.
    fn mark_present(&mut self) {
        let links = self.connections.links.clone();
        for link in links {
            for end in [link.a, link.b] {
                self.mark_path(end.inst);
            }
        }
    }

    /// A member that exists makes those exist that it is in; true if that is new.
    fn mark_path(&mut self, id: InstId) -> bool {
        let mut changed = false;
        let mut at = id;
        while let Some(parent) = self.inst(at).parent {
            if self.is_expandable(parent) {
                let name = self.inst(at).name;
                if let Ok(Some(child)) = self.child(parent, name) {
                    changed |= self.present.insert(child);
                }
            }
            at = parent;
        }
        changed
    }

    /// Connected expandable connectors have the same members.
    fn spread_members(&mut self) -> bool {
        let mut changed = false;
        for link in self.connections.links.clone() {
            changed |= self.spread_pair(link.a.inst, link.b.inst).unwrap_or(false);
        }
        changed
    }

    fn spread_pair(&mut self, a: InstId, b: InstId) -> Res<bool> {
        let (a, b) = (self.resolve(a)?, self.resolve(b)?);
        if !self.is_expandable(a) || !self.is_expandable(b) {
            return Ok(false);
        }
        let mut changed = false;
        for (from, to) in [(a, b), (b, a)] {
            for member in self.present_members(from)? {
                let name = self.inst(member).name;
                let shape = match &self.inst(member).node {
                    Node::Leaf(_, shape) | Node::Array(shape, _) => shape.to_vec(),
                    _ => Vec::new(),
                };
                match self.child(to, name)? {
                    None => {
                        self.add_member(to, name, member, &shape)?;
                        changed = true;
                    }
                    Some(other) if self.is_sizeless(other) => {
                        self.size_member(other, &shape)?;
                        changed = true;
                    }
                    Some(_) => {}
                }
                if let Some(other) = self.child(to, name)? {
                    changed |= self.mark_path(other);
                    changed |= self.spread_pair(member, other)?;
                }
            }
        }
        Ok(changed)
    }

    /// The members of an expandable connector that exist.
    pub fn present_members(&mut self, bus: InstId) -> Res<Vec<InstId>> {
        let mut out = Vec::new();
        let mut seen = FxHashSet::default();
        self.expand(bus)?;
        for member in self.below(bus) {
            if self.present.contains(&member) && seen.insert(member) {
                let resolved = self.resolve(member)?;
                out.push(resolved);
            }
        }
        Ok(out)
    }
}

/// Expandable connectors that are connected with one another. One that is in another is named by that and the names that
/// lead to it.
#[derive(Default)]
struct BusGroups {
    numbers: FxHashMap<(InstId, Vec<Symbol>), u32>,
    order: Vec<InstId>,
    sets: Partition,
}

impl BusGroups {
    fn number(&mut self, (bus, names): (InstId, Vec<Symbol>)) -> u32 {
        let bus = match names.is_empty() {
            true => bus,
            false => self.representative(bus),
        };
        let next = self.order.len() as u32;
        match self.numbers.entry((bus, names)) {
            std::collections::hash_map::Entry::Occupied(known) => *known.get(),
            std::collections::hash_map::Entry::Vacant(new) => {
                new.insert(next);
                self.order.push(bus);
                self.sets.grow(next as usize + 1);
                next
            }
        }
    }

    fn representative(&self, bus: InstId) -> InstId {
        match self.numbers.get(&(bus, Vec::new())) {
            Some(&n) => self.order[self.sets.root(n) as usize],
            None => bus,
        }
    }

    fn of(&self, (bus, names): (InstId, Vec<Symbol>)) -> Option<u32> {
        let bus = if names.is_empty() { bus } else { self.representative(bus) };
        let key = (bus, names);
        self.numbers.get(&key).map(|&n| self.sets.root(n))
    }

    /// The outermost connectors of a set.
    fn members(&self, group: Option<u32>) -> Vec<InstId> {
        let Some(group) = group else { return Vec::new() };
        let mut list: Vec<(u32, InstId)> = self
            .numbers
            .iter()
            .filter(|((_, names), n)| names.is_empty() && self.sets.root(**n) == group)
            .map(|((bus, _), &n)| (n, *bus))
            .collect();
        list.sort_unstable();
        list.into_iter().map(|(_, bus)| bus).collect()
    }
}
