//! Expandable connectors (specification section 9.1.3): members come into being by being connected.
//!
//! A connection to a member that is not declared waits until it is known what it is connected to; then the member is
//! made after that, in the connector and in all expandable connectors connected with it. Members that are declared but
//! neither connected nor used do not exist. An array that is declared with `[:]`, or not at all, is as long as the largest
//! subscript it is connected with anywhere; elements that nothing is connected to have the default value of their type.

use std::sync::Arc;

use kausal_symbolic::VarId;
use kausal_symbolic::function::array::element_count;
use kausal_syntax::ast::{Causality, Expr, FlowPrefix};
use kausal_syntax::{Diagnostic, Location, Symbol, ast};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::class::{ComponentInfo, Res};
use crate::connect::collect;
use crate::connect::links::{End, Link, Missing, Partition, Side, Undeclared, Waiting};
use crate::expr::reference::Cursor;
use crate::flattener::Flattener;
use crate::ids::InstId;
use crate::instance::is_expandable;
use crate::sink::Context;
use crate::tree::{Inst, Node};
use crate::{bindings, instance, tree};

impl Flattener<'_> {
    /// Takes note of a connection to a member that does not exist yet; true if it is one.
    pub(super) fn collect_undeclared(
        &mut self,
        cx: Context<'_>,
        a: &ast::ComponentRef,
        b: &ast::ComponentRef,
        location: Location,
    ) -> Res<bool> {
        let (left, right) = (missing_member(self, cx, a)?, missing_member(self, cx, b)?);
        if left.is_none() && right.is_none() {
            return Ok(false);
        }
        let mut sides = Vec::with_capacity(2);
        for (missing, reference) in [(left, a), (right, b)] {
            sides.push(match missing {
                Some(missing) => Waiting::Missing(missing),
                None => match collect::side(self, cx, reference)? {
                    Some(side) => {
                        if let Some(end) = side.ends.first()
                            && !collect::is_connectable(self, end.inst)
                        {
                            return Err(collect::not_a_connector(self, cx, reference, end.inst));
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
}

fn missing_member(
    fl: &mut Flattener<'_>,
    cx: Context<'_>,
    reference: &ast::ComponentRef,
) -> Res<Option<Missing>> {
    let parts = cx.ast.lists.parts.get(reference.parts);
    for n in 1..parts.len() {
        let Cursor::Inst(bus) = fl.resolve_prefix(cx.scope, cx.ast, reference, &parts[..n])? else {
            return Ok(None);
        };
        if !matches!(fl.inst(bus).node, tree::Node::Struct) || !is_expandable(fl, bus) {
            continue;
        }
        let name = parts[n].name.symbol;
        if let Some(child) = instance::child(fl, bus, name)?
            && !is_sizeless(fl, child)
        {
            continue;
        }
        if n + 1 < parts.len() {
            let message = format!("{name} is not declared in the expandable connector, so it has no members");
            return Err(fl.error_at("K0235", message, cx.scope.file, reference.span));
        }
        let subscript = match cx.ast.lists.exprs.get(parts[n].subscripts) {
            [] => None,
            [one] if !matches!(cx.ast.exprs[*one], Expr::Colon) => {
                Some(fl.structural_number(cx.scope, *one, "a subscript")? as usize)
            }
            _ => {
                let message =
                    "only one subscript is allowed for an undeclared member of an expandable connector";
                return Err(fl.error_at("K0235", message, cx.scope.file, reference.span));
            }
        };
        let outside = collect::is_outside(fl, cx, reference)?;
        return Ok(Some(Missing { bus, name, subscript, outside }));
    }
    Ok(None)
}

/// Makes all members of expandable connectors.
pub(super) fn expand_connectors(fl: &mut Flattener<'_>) {
    let mut waiting = std::mem::take(&mut fl.connections.undeclared);
    mark_present(fl);
    let all = waiting.clone();
    for missing in all.iter().flat_map(|w| &w.sides) {
        if let Waiting::Missing(missing) = missing
            && let Ok(Some(child)) = instance::child(fl, missing.bus, missing.name)
            && is_sizeless(fl, child)
        {
            let groups = bus_groups(fl);
            if let Some(size) = widest(fl, &all, missing, &groups) {
                let _ = size_member(fl, child, &[size]);
            }
        }
    }
    loop {
        let mut changed = false;
        let groups = bus_groups(fl);
        let mut rest = Vec::new();
        for item in &waiting {
            match (&item.sides[0], &item.sides[1]) {
                (Waiting::Known(known), Waiting::Missing(missing))
                | (Waiting::Missing(missing), Waiting::Known(known)) => {
                    let size = widest(fl, &all, missing, &groups);
                    let Ok(end) = make_member(fl, missing, known, size) else { continue };
                    for (a, b) in known.ends.iter().zip(end) {
                        fl.connections.links.push(Link {
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
        changed |= spread_members(fl);
        // What has been made may be what others wait for.
        for item in &mut rest {
            for side in &mut item.sides {
                if let Waiting::Missing(missing) = side
                    && let Ok(Some(child)) = instance::child(fl, missing.bus, missing.name)
                    && let Ok(known) = known_side(fl, child, missing)
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
                    mark_path(fl, a.inst);
                    mark_path(fl, b.inst);
                    let link =
                        Link { a: *a, b: *b, location: item.location, owner: item.owner, broken: false };
                    fl.connections.links.push(link);
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
        fl.cx.report(Diagnostic::error("K0235", message).at(item.location, ""));
    }
}

fn known_side(fl: &mut Flattener<'_>, child: InstId, missing: &Missing) -> Res<Side> {
    let child = instance::resolve(fl, child)?;
    let end = End { inst: child, element: None, outside: missing.outside };
    Ok(match (&fl.inst(child).node, missing.subscript) {
        (tree::Node::Leaf(_, shape), Some(i)) if !shape.is_empty() => {
            Side { shape: Vec::new(), ends: vec![End { element: Some(i as u32 - 1), ..end }] }
        }
        (tree::Node::Array(_, elements), Some(i)) => {
            let inst = elements.get(i.wrapping_sub(1)).copied().unwrap_or(child);
            Side { shape: Vec::new(), ends: vec![End { inst, ..end }] }
        }
        (tree::Node::Array(shape, elements), None) => {
            let ends = elements.iter().map(|&inst| End { inst, ..end }).collect();
            Side { shape: shape.to_vec(), ends }
        }
        _ => Side { shape: Vec::new(), ends: vec![end] },
    })
}

/// Makes an undeclared member like what it is connected to.
fn make_member(
    fl: &mut Flattener<'_>,
    missing: &Missing,
    known: &Side,
    size: Option<usize>,
) -> Res<Vec<End>> {
    if instance::child(fl, missing.bus, missing.name)?.is_none() {
        let Some(first) = known.ends.first() else { return Ok(Vec::new()) };
        let shape = match size {
            Some(n) => vec![n],
            None => known.shape.clone(),
        };
        let leaf_shape = match &fl.inst(first.inst).node {
            tree::Node::Leaf(_, s) if first.element.is_none() => s.to_vec(),
            _ => Vec::new(),
        };
        let shape = if shape.is_empty() { leaf_shape } else { shape };
        add_member(fl, missing.bus, missing.name, first.inst, &shape)?;
    }
    let Some(child) = instance::child(fl, missing.bus, missing.name)? else { return Ok(Vec::new()) };
    mark_path(fl, child);
    let side = known_side(fl, child, missing)?;
    // An array of scalars is one end here; the other side has one end per element.
    if side.ends.len() == 1 && known.ends.len() > 1 {
        let end = side.ends[0];
        return Ok((0..known.ends.len() as u32).map(|i| End { element: Some(i), ..end }).collect());
    }
    Ok(side.ends)
}

/// Is it a vector of an expandable connector whose size is not declared, and not known yet?
fn is_sizeless(fl: &Flattener<'_>, id: InstId) -> bool {
    let inst = fl.inst(id);
    let Some(info) = &inst.info else { return false };
    let open = |d: &crate::class::Place| matches!(fl.cx.lib.ast_ref(d.file).exprs[d.expr], Expr::Colon);
    matches!(inst.node, tree::Node::Raw)
        && info.binding.is_none()
        && matches!(info.dims[..], [d] if open(&d))
        && inst.parent.is_some_and(|p| is_expandable(fl, p))
}

/// Gives a declared vector its size.
fn size_member(fl: &mut Flattener<'_>, id: InstId, shape: &[usize]) -> Res<()> {
    let inst = fl.inst(id);
    let Some(info) = inst.info.clone() else { return Ok(()) };
    let node = if info.leaf.is_some() {
        tree::Node::Leaf(None, shape.into())
    } else {
        let count = element_count(shape).unwrap_or(0);
        let mut elements = Vec::with_capacity(count);
        for i in 0..count {
            let inst = fl.inst(id);
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
                node: tree::Node::Struct,
                children: None,
            };
            elements.push(instance::push(fl, element));
        }
        tree::Node::Array(shape.into(), elements.into())
    };
    fl.insts[id.0 as usize].node = node;
    fl.instantiate(id);
    Ok(())
}

/// Which expandable connectors are connected with one another, those in them included: a number for each set.
fn bus_groups(fl: &mut Flattener<'_>) -> BusGroups {
    let mut groups = BusGroups::default();
    let links: Vec<(InstId, InstId)> = fl.connections.links.iter().map(|l| (l.a.inst, l.b.inst)).collect();
    // Those that stand for themselves first: what is in them is named after them.
    for nested in [false, true] {
        for &(a, b) in &links {
            let (Ok(a), Ok(b)) = (instance::resolve(fl, a), instance::resolve(fl, b)) else { continue };
            if !is_expandable(fl, a) || !is_expandable(fl, b) {
                continue;
            }
            let (x, y) = (outermost_bus(fl, a), outermost_bus(fl, b));
            if nested != (x.1.is_empty() && y.1.is_empty()) {
                let (x, y) = (groups.number(x), groups.number(y));
                groups.sets.unite(x, y);
            }
        }
    }
    groups
}

/// The expandable connector that an expandable connector is in, and the names that lead there.
fn outermost_bus(fl: &Flattener<'_>, bus: InstId) -> (InstId, Vec<Symbol>) {
    let (mut at, mut names) = (bus, Vec::new());
    while let Some(parent) = fl.inst(at).parent.filter(|&p| is_expandable(fl, p)) {
        names.push(fl.inst(at).name);
        at = parent;
    }
    names.reverse();
    (at, names)
}

/// The size of a vector whose elements are connected: the largest subscript, or the size of one connected as a whole, in
/// all connectors connected with this one.
fn widest(
    fl: &mut Flattener<'_>,
    all: &[Undeclared],
    missing: &Missing,
    groups: &BusGroups,
) -> Option<usize> {
    let group = groups.of(outermost_bus(fl, missing.bus));
    let mut subscripted = false;
    let mut size: Option<usize> = None;
    for item in all {
        for (side, other) in [(&item.sides[0], &item.sides[1]), (&item.sides[1], &item.sides[0])] {
            let Waiting::Missing(m) = side else { continue };
            let same =
                m.bus == missing.bus || group.is_some() && groups.of(outermost_bus(fl, m.bus)) == group;
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
        if let Ok(Some(child)) = instance::child(fl, bus, missing.name)
            && !is_sizeless(fl, child)
            && let Ok(child) = instance::resolve(fl, child)
            && let tree::Node::Leaf(_, shape) | tree::Node::Array(shape, _) = &fl.inst(child).node
        {
            size = size.max(shape.first().copied());
        }
    }
    size.filter(|_| subscripted || instance::child(fl, missing.bus, missing.name).is_ok_and(|c| c.is_some()))
}

/// Elements of vectors of expandable connectors that nothing outside such connectors is connected to, set by set.
pub(super) fn absent_elements(fl: &mut Flattener<'_>, set_of: &mut dyn FnMut(u32) -> u32) -> Vec<Vec<VarId>> {
    if fl.present.is_empty() {
        return Vec::new();
    }
    let mut elements = vec![false; fl.slots.len()];
    let mut last: Option<(InstId, bool)> = None;
    for (element, &(leaf, _)) in elements.iter_mut().zip(&fl.slots) {
        *element = match last {
            Some((known, element)) if known == leaf => element,
            _ => is_bus_element(fl, leaf),
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
fn is_bus_element(fl: &Flattener<'_>, leaf: InstId) -> bool {
    let inst = fl.inst(leaf);
    if inst.flow != FlowPrefix::None || inst.variability <= ast::Variability::Parameter {
        return false;
    }
    let mut element = matches!(&inst.node, tree::Node::Leaf(_, shape) if !shape.is_empty());
    let mut at = leaf;
    while let Some(parent) = fl.inst(at).parent {
        element |= !fl.inst(at).subs.is_empty();
        if is_expandable(fl, parent) {
            return element && !bindings::has_binding(fl, leaf);
        }
        at = parent;
    }
    false
}

fn add_member(fl: &mut Flattener<'_>, bus: InstId, name: Symbol, like: InstId, shape: &[usize]) -> Res<()> {
    let Some(info) = fl.inst(like).info.clone() else { return Ok(()) };
    let (klass, flow) = (fl.inst(like).klass, fl.inst(like).flow);
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
    let variability = fl.inst(like).variability;
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
        instance::push(fl, new(tree::Node::Leaf(None, shape.into()), Box::default()))
    } else if shape.is_empty() {
        instance::push(fl, new(tree::Node::Struct, Box::default()))
    } else {
        let count = element_count(shape).unwrap_or(0);
        let mut elements = Vec::with_capacity(count);
        for i in 0..count {
            let subs = crate::instance::subscripts_of(i, shape).iter().map(|&s| s as u32).collect();
            elements.push(instance::push(fl, new(tree::Node::Struct, subs)));
        }
        instance::push(fl, new(tree::Node::Array(shape.into(), elements.into()), Box::default()))
    };
    fl.extra.entry(bus).or_default().push(id);
    fl.instantiate(id);
    Ok(())
}

/// Declared members that are connected to something.
fn mark_present(fl: &mut Flattener<'_>) {
    let links = fl.connections.links.clone();
    for link in links {
        for end in [link.a, link.b] {
            mark_path(fl, end.inst);
        }
    }
}

/// A member that exists makes those exist that it is in; true if that is new.
fn mark_path(fl: &mut Flattener<'_>, id: InstId) -> bool {
    let mut changed = false;
    let mut at = id;
    while let Some(parent) = fl.inst(at).parent {
        if is_expandable(fl, parent) {
            let name = fl.inst(at).name;
            if let Ok(Some(child)) = instance::child(fl, parent, name) {
                changed |= fl.present.insert(child);
            }
        }
        at = parent;
    }
    changed
}

/// Connected expandable connectors have the same members.
fn spread_members(fl: &mut Flattener<'_>) -> bool {
    let mut changed = false;
    for link in fl.connections.links.clone() {
        changed |= spread_pair(fl, link.a.inst, link.b.inst).unwrap_or(false);
    }
    changed
}

fn spread_pair(fl: &mut Flattener<'_>, a: InstId, b: InstId) -> Res<bool> {
    let (a, b) = (instance::resolve(fl, a)?, instance::resolve(fl, b)?);
    if !is_expandable(fl, a) || !is_expandable(fl, b) {
        return Ok(false);
    }
    let mut changed = false;
    for (from, to) in [(a, b), (b, a)] {
        for member in present_members(fl, from)? {
            let name = fl.inst(member).name;
            let shape = match &fl.inst(member).node {
                tree::Node::Leaf(_, shape) | tree::Node::Array(shape, _) => shape.to_vec(),
                _ => Vec::new(),
            };
            match instance::child(fl, to, name)? {
                None => {
                    add_member(fl, to, name, member, &shape)?;
                    changed = true;
                }
                Some(other) if is_sizeless(fl, other) => {
                    size_member(fl, other, &shape)?;
                    changed = true;
                }
                Some(_) => {}
            }
            if let Some(other) = instance::child(fl, to, name)? {
                changed |= mark_path(fl, other);
                changed |= spread_pair(fl, member, other)?;
            }
        }
    }
    Ok(changed)
}

/// The members of an expandable connector that exist.
pub fn present_members(fl: &mut Flattener<'_>, bus: InstId) -> Res<Vec<InstId>> {
    let mut out = Vec::new();
    let mut seen = FxHashSet::default();
    instance::expand(fl, bus)?;
    for member in instance::below(fl, bus) {
        if fl.present.contains(&member) && seen.insert(member) {
            let resolved = instance::resolve(fl, member)?;
            out.push(resolved);
        }
    }
    Ok(out)
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
