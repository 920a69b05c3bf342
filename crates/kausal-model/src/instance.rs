//! The instance tree: one node per component, grown where somebody looks.
//!
//! A component of a built-in type is a leaf, also when it is an array; an array of anything else has a node
//! per element. Dimensions and conditions are evaluated when a node is [resolved](resolve); which
//! parameters that needs is found out on the way, with cycles detected. A package has a static instance of
//! its own, for its constants.

use std::sync::Arc;

use kausal_symbolic::function::Index;
use kausal_symbolic::function::array::{as_size, element_count};
use kausal_symbolic::{ExprId, Pool, VarId};
use kausal_syntax::ast::{Causality, ClassBody, ClassKind, Expr, FlowPrefix, Variability};
use kausal_syntax::{Diagnostic, Symbol, ast};
use rustc_hash::FxHashSet;

use crate::class::{Classes, ComponentInfo, MemberKind, Place, Reported, Res};
use crate::flattener::Flattener;
pub use crate::ids::InstId;
use crate::ids::KlassId;
use crate::modifier::Up;
use crate::prelude::Builtin;
use crate::tree::{Inst, Node, Scope};
use crate::value::{Ty, Value};
use crate::{class, inner, instance, interface, spending, value};

/// How deep components may be nested.
pub(crate) const MAX_DEPTH: usize = 250;
/// How often a class may contain itself without a condition that could end it.
pub(crate) const MAX_SELF: usize = 8;

/// What exceeds this is taken for a mistake rather than tried.
pub(crate) const LARGEST_ARRAY: usize = 10_000_000;

/// Has an array of this shape more elements than any model needs?
pub(crate) fn is_too_large(shape: &[usize]) -> bool {
    let count = shape.iter().try_fold(1usize, |n, &size| n.checked_mul(size));
    // An empty dimension makes an array empty, whatever the others are.
    !shape.contains(&0) && count.is_none_or(|n| n > LARGEST_ARRAY)
}

impl Flattener<'_> {
    /// An instance.
    pub fn inst(&self, id: InstId) -> &Inst {
        &self.insts[id.0 as usize]
    }

    /// The path of an instance: `a.b[2].c`; empty for the root.
    pub fn path(&self, id: InstId) -> String {
        let mut chain = Vec::new();
        let mut at = Some(id);
        while let Some(i) = at {
            chain.push(i);
            at = self.inst(i).parent;
        }
        let mut out = String::new();
        // The last one is the root or a package: without a name in front for the root.
        let last = chain.len() - 1;
        for (n, &i) in chain.iter().enumerate().rev() {
            let inst = self.inst(i);
            if n == last {
                if inst.is_static {
                    out.push_str(&self.cx.name(inst.klass));
                }
                continue;
            }
            if !out.is_empty() {
                out.push('.');
            }
            out.push_str(inst.name.as_str());
            push_subs(&mut out, &inst.subs);
        }
        out
    }
}

/// The instance `up` levels above, if there is one.
pub fn ancestor(fl: &Flattener<'_>, id: InstId, up: Up) -> Option<InstId> {
    if up == Up::STATIC {
        return None;
    }
    let mut at = id;
    for _ in 0..up.0 {
        at = fl.inst(at).parent?;
    }
    Some(at)
}

/// The instance of `owner` that is `up` levels above `id`; the static one if there is none. Classes without instances
/// (functions, packages) count levels like others, so what is found there must be checked.
pub fn instance_of(fl: &mut Flattener<'_>, id: InstId, up: Up, owner: KlassId) -> InstId {
    if let Some(at) = ancestor(fl, id, up) {
        let klass = fl.inst(at).klass;
        if klass == owner || derives_from(fl, klass, owner) {
            return at;
        }
    }
    static_inst(fl, owner)
}

/// Is `base` the definition of `klass` or of one of its bases?
fn derives_from(fl: &mut Flattener<'_>, klass: KlassId, base: KlassId) -> bool {
    let def = fl.cx.key(base).def;
    if let Some(&known) = fl.derives.get(&(klass, def)) {
        return known;
    }
    let known = fl.cx.key(klass).def == def
        || fl.cx.members(klass).is_ok_and(|m| m.bases.iter().any(|&b| derives_from(fl, b, base)));
    fl.derives.insert((klass, def), known);
    known
}

/// The instance that holds the constants of a package.
pub fn static_inst(fl: &mut Flattener<'_>, klass: KlassId) -> InstId {
    if let Some(&id) = fl.statics.get(&klass) {
        return id;
    }
    let name = fl.cx.lib.class(fl.cx.key(klass).def).name.symbol;
    let id = push(
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
            is_static: true,
            node: Node::Struct,
            children: None,
        },
    );
    fl.statics.insert(klass, id);
    id
}

/// Adds an instance.
pub fn push(fl: &mut Flattener<'_>, inst: Inst) -> InstId {
    fl.insts.push(inst);
    InstId(fl.insts.len() as u32 - 1)
}

/// Where an expression that belongs to `inst` is to be evaluated.
pub fn place_scope(fl: &mut Flattener<'_>, inst: InstId, place: &Place) -> Scope {
    let at = ancestor(fl, inst, place.up);
    let at = match at {
        Some(at) => at,
        None => static_inst(fl, place.scope),
    };
    Scope { klass: place.scope, inst: at, file: place.file, locals: fl.locals.len() as u32 }
}

/// The component `name` of an instance (not resolved).
pub fn child(fl: &mut Flattener<'_>, id: InstId, name: Symbol) -> Res<Option<InstId>> {
    let klass = fl.inst(id).klass;
    let members = fl.cx.members(klass)?;
    let Some(&i) = members.index.get(&name) else { return Ok(extra_child(fl, id, name)) };
    if !matches!(members.items[i as usize].kind, MemberKind::Component(_)) {
        return Ok(None);
    }
    let slot = members.slot[i as usize] as usize;
    let children = expand(fl, id)?;
    Ok(Some(InstId(children.0 + slot as u32)))
}

/// The components of an instance: the id of the first; they are numbered one behind the other.
pub fn expand(fl: &mut Flattener<'_>, id: InstId) -> Res<InstId> {
    if let Some((first, _)) = fl.inst(id).children {
        return Ok(first);
    }
    check_depth(fl, id)?;
    fl.check_count()?;
    let klass = fl.inst(id).klass;
    let members = fl.cx.members(klass)?;
    spending::spend_here(fl, members.components.len() as u64 * crate::budget::INSTANCE)?;
    let first = InstId(fl.insts.len() as u32);
    let owner = fl.inst(id);
    let (variability, causality, flow) = (owner.variability, owner.causality, owner.flow);
    let (protected, is_static) = (owner.protected, owner.is_static);
    for &i in &members.components {
        let member = members.items[i as usize];
        let info = fl.cx.component(&member);
        let inst = match info {
            Ok(info) => {
                let info = if info.outer_classes.is_empty() || is_static {
                    info
                } else {
                    fl.with_inner_classes(id, info)
                };
                Inst {
                    parent: Some(id),
                    name: member.name,
                    klass: info.klass,
                    subs: Box::default(),
                    variability: info.variability.min(variability),
                    causality: if info.causality == Causality::None { causality } else { info.causality },
                    flow: if info.flow == FlowPrefix::None { flow } else { info.flow },
                    protected: protected || member.protected,
                    is_static,
                    node: Node::Raw,
                    children: None,
                    info: Some(info),
                }
            }
            Err(Reported) => Inst {
                parent: Some(id),
                name: member.name,
                klass,
                subs: Box::default(),
                variability,
                causality,
                flow,
                protected,
                is_static,
                node: Node::Failed,
                children: Some((InstId(0), 0)),
                info: None,
            },
        };
        push(fl, inst);
    }
    fl.insts[id.0 as usize].children = Some((first, members.components.len() as u32));
    Ok(first)
}

/// The components of an instance, as far as somebody has looked.
pub fn known_children(fl: &Flattener<'_>, id: InstId) -> impl Iterator<Item = InstId> + use<> {
    let (first, count) = fl.inst(id).children.unwrap_or((InstId(0), 0));
    (first.0..first.0 + count).map(InstId)
}

/// The components of an instance.
pub fn children(fl: &mut Flattener<'_>, id: InstId) -> Res<Vec<InstId>> {
    expand(fl, id)?;
    Ok(known_children(fl, id).collect())
}

/// Stops at components that contain their own class without end, and at those that are nested too deeply; a class that
/// contains itself under a condition may end by itself.
fn check_depth(fl: &mut Flattener<'_>, id: InstId) -> Res<()> {
    if fl.too_deep {
        return Err(Reported);
    }
    let def = fl.cx.key(fl.inst(id).klass).def;
    let conditional = |this: &Flattener<'_>, id: InstId| {
        let inst = this.inst(id);
        !inst.subs.is_empty() || inst.info.as_ref().is_some_and(|i| i.condition.is_some())
    };
    let (mut depth, mut same, mut at) = (0, 0, fl.inst(id).parent);
    let mut endless = !conditional(fl, id);
    while let Some(parent) = at {
        depth += 1;
        if fl.cx.key(fl.inst(parent).klass).def == def {
            same += usize::from(endless);
            endless = true;
        }
        endless &= !conditional(fl, parent);
        at = fl.inst(parent).parent;
    }
    if depth <= MAX_DEPTH && same <= MAX_SELF {
        return Ok(());
    }
    // One way down is enough: there may be very many.
    fl.too_deep = true;
    let name = fl.cx.lib.full_name(def);
    let diagnostic = if same > MAX_SELF {
        Diagnostic::error("K0220", format!("a {name} contains a {name}, without end"))
    } else {
        let message = format!("components are nested more than {MAX_DEPTH} levels deep, here a {name}");
        Diagnostic::error("K0223", message)
            .help("does a class contain itself under a condition that always holds?")
    };
    let diagnostic = match &fl.inst(id).info {
        Some(info) if same > MAX_SELF => {
            diagnostic.at(info.location, "this component contains its own class")
        }
        Some(info) => diagnostic.at(info.location, "this component"),
        None => diagnostic,
    };
    Err(fl.cx.report(diagnostic))
}

/// Finds out what an instance is; an `outer` one leads to its `inner`.
pub fn resolve(fl: &mut Flattener<'_>, id: InstId) -> Res<InstId> {
    match fl.inst(id).node {
        Node::Raw => {}
        Node::Outer(inner) => return resolve(fl, inner),
        Node::Failed => return Err(Reported),
        Node::Resolving => {
            let path = fl.path(id);
            let message = format!("whether {path} exists, or its size, depends on itself");
            let diagnostic = Diagnostic::error("K0310", message);
            return Err(report_at_decl(fl, id, diagnostic));
        }
        _ => return Ok(id),
    }
    fl.insts[id.0 as usize].node = Node::Resolving;
    match resolve_new(fl, id) {
        Ok(node) => {
            fl.insts[id.0 as usize].node = node;
            match fl.inst(id).node {
                Node::Outer(inner) => resolve(fl, inner),
                _ => Ok(id),
            }
        }
        Err(Reported) => {
            fl.insts[id.0 as usize].node = Node::Failed;
            Err(Reported)
        }
    }
}

fn resolve_new(fl: &mut Flattener<'_>, id: InstId) -> Res<Node> {
    let Some(info) = fl.inst(id).info.clone() else { return Ok(Node::Struct) };
    if info.outer && !fl.inst(id).is_static {
        let passed_on = info.leaf.is_some() && fl.inst(id).causality == Causality::Output;
        if info.inner && !passed_on {
            inner_twin(fl, id);
        }
        return find_inner(fl, id, &info);
    }
    if let Some(place) = &info.condition
        && !static_inst_owner(fl, id)
    {
        let scope = place_scope(fl, id, place);
        if !fl.structural_bool(scope, place.expr, "the condition of a component")? {
            return Ok(Node::Disabled);
        }
    }
    let shape = shape_of(fl, id, &info)?;
    if info.leaf.is_some() {
        return Ok(Node::Leaf(None, shape.into_boxed_slice()));
    }
    if shape.is_empty() {
        return Ok(Node::Struct);
    }
    let count = element_count(&shape).map_err(|e| array_error(fl, id, &e.to_string()))?;
    let mut elements = Vec::with_capacity(count);
    let mut subs = vec![1u32; shape.len()];
    for _ in 0..count {
        let array = fl.inst(id);
        let element = Inst {
            parent: array.parent,
            name: array.name,
            klass: array.klass,
            info: array.info.clone(),
            subs: subs.clone().into_boxed_slice(),
            variability: array.variability,
            causality: array.causality,
            flow: array.flow,
            protected: array.protected,
            is_static: array.is_static,
            node: Node::Struct,
            children: None,
        };
        elements.push(push(fl, element));
        for d in (0..shape.len()).rev() {
            subs[d] += 1;
            if subs[d] as usize <= shape[d] {
                break;
            }
            subs[d] = 1;
        }
    }
    Ok(Node::Array(shape.into_boxed_slice(), elements.into()))
}

fn static_inst_owner(fl: &Flattener<'_>, id: InstId) -> bool {
    fl.inst(id).is_static
}

/// The dimensions of a component: first those that its value has to tell, since others may be made of them, as in
/// `A[:, size(A, 1)]`.
fn shape_of(fl: &mut Flattener<'_>, id: InstId, info: &ComponentInfo) -> Res<Vec<usize>> {
    if info.dims.is_empty() {
        return Ok(Vec::new());
    }
    let open = |this: &Flattener<'_>, place: &Place| {
        matches!(this.cx.lib.ast_ref(place.file).exprs[place.expr], Expr::Colon)
    };
    let mut sizes: Vec<Option<usize>> = vec![None; info.dims.len()];
    let mut given: Option<Vec<usize>> = None;
    for (d, place) in info.dims.iter().enumerate() {
        if !open(fl, place) {
            continue;
        }
        if given.is_none() {
            given = Some(shape_of_binding(fl, id, info)?);
        }
        sizes[d] = given.as_ref().and_then(|g| g.get(d)).copied();
        if sizes[d].is_none() {
            let path = fl.path(id);
            let message = format!("the size of {path} is not given: it has no value to take it from");
            let diagnostic = Diagnostic::error("K0311", message);
            return Err(report_at_decl(fl, id, diagnostic));
        }
    }
    for (d, place) in info.dims.iter().enumerate() {
        if sizes[d].is_some() {
            continue;
        }
        if d > 0 || given.is_some() {
            fl.sizes.insert(id, sizes.clone());
        }
        let scope = place_scope(fl, id, place);
        sizes[d] = Some(dimension(fl, scope, place.expr)?);
    }
    fl.sizes.remove(&id);
    let shape: Vec<usize> = sizes.into_iter().flatten().collect();
    if is_too_large(&shape) {
        let message = format!("{} has {}: too many elements", fl.path(id), value::sizes_text(&shape));
        let help = format!("an array has at most {LARGEST_ARRAY} elements: is a size wrong?");
        return Err(report_at_decl(fl, id, Diagnostic::error("K0308", message).help(help)));
    }
    let count = shape.iter().product::<usize>() as u64;
    let paid = if info.leaf.is_some() {
        fl.budget.pay(count * crate::budget::VARIABLE)
    } else {
        // An element costs as much as its components at least.
        let members = fl.cx.members(info.klass)?.components.len() as u64;
        fl.budget.pay(count * crate::budget::INSTANCE)
            && fl.budget.suffices(count * members * crate::budget::INSTANCE)
    };
    if !paid {
        fl.used_at = Some(info.location);
        return Err(spending::broke(fl, None));
    }
    Ok(shape)
}

/// The dimensions of a component taken from its binding, which may be that of an array of its owner.
fn shape_of_binding(fl: &mut Flattener<'_>, id: InstId, info: &ComponentInfo) -> Res<Vec<usize>> {
    let Some(value) = raw_binding(fl, id)? else { return Ok(Vec::new()) };
    let surplus = value.rank().saturating_sub(info.dims.len());
    Ok(value.shape()[surplus..].to_vec())
}

/// A dimension: an integer, or a type with as many values.
pub fn dimension(fl: &mut Flattener<'_>, scope: Scope, expr: kausal_syntax::ast::ExprId) -> Res<usize> {
    if let Some(n) = type_as_dimension(fl, scope, expr) {
        return Ok(n);
    }
    let given = fl.eval(scope, expr)?;
    if given.ty().is_some_and(|t| t != Ty::Integer) {
        let ast = fl.cx.lib.ast(scope.file);
        let message = format!("the size of an array must be an Integer, not {}", given.describe());
        return Err(fl.cx.error("K0312", message, scope.file, ast.span(expr)));
    }
    let value = fl.structural_number(scope, expr, "the size of an array")?;
    as_size("the size of an array", value).map_err(|e| {
        let ast = fl.cx.lib.ast(scope.file);
        fl.cx.error("K0312", e.to_string(), scope.file, ast.span(expr))
    })
}

fn find_inner(fl: &mut Flattener<'_>, id: InstId, info: &ComponentInfo) -> Res<Node> {
    let mut at = fl.inst(id).parent.and_then(|p| fl.inst(p).parent);
    let mut last = fl.inst(id).parent;
    while let Some(owner) = at {
        if let Some(found) = inner_child(fl, owner, info.name)? {
            return outer_to(fl, found, id, info);
        }
        last = Some(owner);
        at = fl.inst(owner).parent;
    }
    let Some(root) = last else { return Err(Reported) };
    if let Some(found) = inner_child(fl, root, info.name)? {
        return outer_to(fl, found, id, info);
    }
    missing_inner(fl, id, info, root)
}

/// The `inner` component must have what the `outer` declaration promises.
fn outer_to(fl: &mut Flattener<'_>, inner: InstId, id: InstId, info: &ComponentInfo) -> Res<Node> {
    let klass = fl.inst(inner).klass;
    if fl.added_inner.contains(&inner) && fl.cx.key(klass).def != fl.cx.key(info.klass).def {
        return Err(inner::different_outer(fl, inner, id, info));
    }
    let missing = interface::missing_members(fl.cx, info.klass, klass);
    if missing.is_empty() {
        return Ok(Node::Outer(inner));
    }
    let (path, wanted, found) = (fl.path(id), fl.cx.name(info.klass), fl.cx.name(klass));
    let message = format!(
        "the inner component {} is a {found}, but the outer one {path} needs a {wanted}: it has no {}",
        info.name,
        missing.join(", ")
    );
    let mut diagnostic = Diagnostic::error("K0228", message).at(info.location, "declared outer here");
    if let Some(inner) = &fl.inst(inner).info {
        diagnostic = diagnostic.at(inner.location, "declared inner here");
    }
    Err(fl.cx.report(diagnostic))
}

fn inner_child(fl: &mut Flattener<'_>, owner: InstId, name: Symbol) -> Res<Option<InstId>> {
    let Some(child) = self::child(fl, owner, name)? else { return Ok(None) };
    let Some(info) = fl.inst(child).info.as_ref().filter(|i| i.inner) else {
        // The outer declaration may stand where the missing inner one was added.
        return Ok(extra_child(fl, owner, name).filter(|added| fl.added_inner.contains(added)));
    };
    if info.outer && !fl.inst(child).is_static {
        // Of state machines `inner outer output` passes the variable on (specification section 17.3.7).
        if info.leaf.is_some() && fl.inst(child).causality == Causality::Output {
            return resolve(fl, child).map(Some);
        }
        return Ok(inner_twin(fl, child));
    }
    Ok(Some(child))
}

/// `inner outer` declares two components of one name (specification section 5.4): the declaration itself is the
/// outer one, which the class refers to; this is the inner one, which the components of the class find and to
/// which all modifiers belong.
fn inner_twin(fl: &mut Flattener<'_>, id: InstId) -> Option<InstId> {
    let outer = fl.inst(id);
    let (owner, name) = (outer.parent?, outer.name);
    if let Some(known) = extra_child(fl, owner, name) {
        return Some(known);
    }
    let info = ComponentInfo { outer: false, ..(**outer.info.as_ref()?).clone() };
    let inst = Inst {
        parent: Some(owner),
        name,
        klass: outer.klass,
        info: Some(Arc::new(info)),
        subs: Box::default(),
        variability: outer.variability,
        causality: outer.causality,
        flow: outer.flow,
        protected: outer.protected,
        is_static: false,
        node: Node::Raw,
        children: None,
    };
    let twin = push(fl, inst);
    fl.extra.entry(owner).or_default().push(twin);
    Some(twin)
}

/// Without an `inner` declaration one is made at the top (specification section 5.4).
fn missing_inner(fl: &mut Flattener<'_>, id: InstId, info: &ComponentInfo, root: InstId) -> Res<Node> {
    let name = info.name;
    let path = fl.path(id);
    let class = fl.cx.name(info.klass);
    let help = inner::missing_inner_message(fl.cx, info.klass)
        .unwrap_or_else(|| format!("add `inner {class} {name};` to the model"));
    let mut diagnostic = Diagnostic::warning(
        "K0221",
        format!("there is no inner component {name} for the outer one {path}; one is added at the top"),
    );
    // The outer one is often far inside of a library: the model's own component that brings it comes first.
    let used = component_below(fl, root, id).and_then(|top| fl.inst(top).info.as_ref());
    if let Some(used) = used.filter(|used| used.location != info.location) {
        diagnostic = diagnostic.at(used.location, format!("needs `inner {class} {name};`"));
    }
    fl.cx.report(diagnostic.at(info.location, "declared outer here").help(help));
    let klass = fl.cx.key(info.klass).def;
    let klass = fl.cx.klass_of_def(klass).unwrap_or(info.klass);
    let leaf = fl.cx.leaf(klass);
    let new = ComponentInfo { outer: false, inner: true, klass, leaf, binding: None, ..info.clone() };
    let inst = Inst {
        parent: Some(root),
        name,
        klass,
        info: Some(Arc::new(new)),
        subs: Box::default(),
        variability: info.variability,
        causality: Causality::None,
        flow: FlowPrefix::None,
        protected: false,
        is_static: false,
        node: Node::Raw,
        children: None,
    };
    let added = push(fl, inst);
    fl.added_inner.insert(added);
    fl.extra.entry(root).or_default().push(added);
    Ok(Node::Outer(added))
}

/// The component of `root` that an instance inside of it belongs to.
fn component_below(fl: &Flattener<'_>, root: InstId, id: InstId) -> Option<InstId> {
    let mut at = id;
    while fl.inst(at).parent? != root {
        at = fl.inst(at).parent?;
    }
    Some(at)
}

/// A component that no declaration made: a missing `inner`, or a member of an expandable connector.
pub fn extra_child(fl: &Flattener<'_>, id: InstId, name: Symbol) -> Option<InstId> {
    fl.extra.get(&id)?.iter().copied().find(|&c| fl.inst(c).name == name)
}

/// The variables of a leaf: the first; they are made when first asked for.
pub fn variables(fl: &mut Flattener<'_>, id: InstId) -> Option<(VarId, usize)> {
    let Node::Leaf(first, shape) = &fl.inst(id).node else { return None };
    let count = shape.iter().product();
    if let Some(first) = first {
        return Some((*first, count));
    }
    if shape.is_empty() {
        // Arrays are paid when their size is known; what fails then is the next thing that is evaluated.
        fl.budget.pay(crate::budget::VARIABLE);
    }
    let first = VarId(fl.slots.len() as u32);
    for offset in 0..count as u32 {
        fl.slots.push((id, offset));
    }
    if let Node::Leaf(slot, _) = &mut fl.insts[id.0 as usize].node {
        *slot = Some(first);
    }
    Some((first, count))
}

/// The name of one variable.
pub fn variable_name(fl: &Flattener<'_>, var: VarId) -> String {
    let (inst, offset) = fl.slots[var.index()];
    let mut out = fl.path(inst);
    if let Node::Leaf(_, shape) = &fl.inst(inst).node {
        push_subs(&mut out, &subscripts_of(offset as usize, shape));
    }
    out
}

/// The expression of the binding of an instance before it is cut to the elements of arrays it is in.
fn raw_binding(fl: &mut Flattener<'_>, id: InstId) -> Res<Option<Arc<Value>>> {
    fl.binding_uncut(id)
}

/// The instances along the path that are elements of arrays: their subscripts, from just below `above`
/// down to `id`.
pub fn path_subscripts(fl: &Flattener<'_>, above: InstId, id: InstId) -> Vec<usize> {
    let mut parts: Vec<&[u32]> = Vec::new();
    let mut at = id;
    while at != above {
        let inst = fl.inst(at);
        if !inst.subs.is_empty() {
            parts.push(&inst.subs);
        }
        match inst.parent {
            Some(parent) => at = parent,
            None => break,
        }
    }
    parts.iter().rev().flat_map(|p| p.iter().map(|&s| s as usize)).collect()
}

/// Is it a record?
pub fn is_record(fl: &Flattener<'_>, id: InstId) -> bool {
    fl.inst(id).info.as_ref().is_some_and(|i| matches!(i.kind, ClassKind::Record | ClassKind::OperatorRecord))
}

/// Is it a connector?
pub fn is_connector(fl: &Flattener<'_>, id: InstId) -> bool {
    fl.inst(id)
        .info
        .as_ref()
        .is_some_and(|i| matches!(i.kind, ClassKind::Connector | ClassKind::ExpandableConnector))
}

/// Cuts an array value to the element that a path of subscripts leads to: as many dimensions as the value
/// has more than `rank`.
pub fn cut(
    fl: &mut Flattener<'_>,
    id: InstId,
    value: Arc<Value>,
    rank: usize,
    subs: &[usize],
) -> Res<Arc<Value>> {
    let surplus = value.rank().saturating_sub(rank);
    if surplus == 0 {
        return Ok(value);
    }
    if surplus > subs.len() {
        let path = fl.path(id);
        use value::dimensions_text;
        let (has, given) = (dimensions_text(rank), dimensions_text(value.rank()));
        let mut diagnostic =
            Diagnostic::error("K0313", format!("{path} has {has}, but its value has {given}"));
        if let Some(place) = fl.own_binding(id) {
            let span = fl.cx.lib.ast_ref(place.file).span(place.expr);
            diagnostic = diagnostic.at(fl.cx.lib.location(place.file, span), "this value");
            let brackets = matches!(fl.cx.lib.ast_ref(place.file).exprs[place.expr], Expr::Matrix(_));
            if brackets && (rank, value.rank()) == (1, 2) {
                diagnostic = diagnostic.help("square brackets make a matrix; a vector is written {1, 2, 3}");
            }
        }
        return Err(report_at_decl(fl, id, diagnostic));
    }
    let index: Vec<Index> = subs[subs.len() - surplus..].iter().map(|&s| Index::One(s)).collect();
    match value.index(&index) {
        Ok(value) => Ok(Arc::new(value)),
        Err(_) => {
            let message = format!(
                "the value of {} has {}: that does not fit the array it is in",
                fl.path(id),
                value::sizes_text(value.shape())
            );
            let diagnostic = Diagnostic::error("K0316", message);
            let diagnostic = match fl.own_binding(id) {
                Some(place) => {
                    let span = fl.cx.lib.ast_ref(place.file).span(place.expr);
                    diagnostic.at(fl.cx.lib.location(place.file, span), "this value")
                }
                None => diagnostic,
            };
            Err(report_at_decl(fl, id, diagnostic))
        }
    }
}

/// Reports a problem with an array at the declaration of an instance.
pub fn array_error(fl: &mut Flattener<'_>, id: InstId, message: &str) -> Reported {
    let path = fl.path(id);
    let diagnostic = Diagnostic::error("K0314", format!("{path}: {message}"));
    report_at_decl(fl, id, diagnostic)
}

/// Reports with the declaration of an instance as the place.
pub fn report_at_decl(fl: &mut Flattener<'_>, id: InstId, diagnostic: Diagnostic) -> Reported {
    let location = fl.inst(id).info.as_ref().map(|i| i.location);
    let diagnostic = match location {
        Some(location) => diagnostic.at(location, "declared here"),
        None => diagnostic,
    };
    fl.cx.report(diagnostic)
}

/// The number of values of an enumeration.
pub fn enumeration_size(cx: &Classes, builtin: Builtin) -> Option<usize> {
    match builtin {
        Builtin::Boolean => Some(2),
        Builtin::Enumeration(e) => match &cx.lib.class(e.def).body {
            kausal_syntax::ast::ClassBody::Enumeration(Some(literals)) => Some(literals.len()),
            _ => None,
        },
        _ => None,
    }
}

/// A variable as an expression.
pub fn var(pool: &mut Pool, var: VarId) -> ExprId {
    pool.var(var)
}

/// `[1,2]`
pub fn push_subs<T: std::fmt::Display>(out: &mut String, subs: &[T]) {
    use std::fmt::Write;
    for (i, s) in subs.iter().enumerate() {
        let _ = write!(out, "{}{s}", if i == 0 { '[' } else { ',' });
    }
    if !subs.is_empty() {
        out.push(']');
    }
}

/// The subscripts, from 1, of an element in row-major order.
pub fn subscripts_of(mut offset: usize, shape: &[usize]) -> Vec<usize> {
    let mut subs = vec![0; shape.len()];
    for d in (0..shape.len()).rev() {
        subs[d] = offset % shape[d].max(1) + 1;
        offset /= shape[d].max(1);
    }
    subs
}

/// The components of an instance and those added to it.
pub fn below(fl: &Flattener<'_>, id: InstId) -> Vec<InstId> {
    let mut list: Vec<InstId> = instance::known_children(fl, id).collect();
    list.extend(fl.extra.get(&id).into_iter().flatten().copied());
    list
}

/// The classes whose equations an instance of `klass` has: bases first.
pub fn sections(fl: &mut Flattener<'_>, klass: KlassId) -> std::sync::Arc<[KlassId]> {
    if let Some(list) = fl.sections.get(&klass) {
        return list.clone();
    }
    let mut list = Vec::new();
    let mut seen = FxHashSet::default();
    linearize(fl.cx, klass, &mut seen, &mut list);
    let list: std::sync::Arc<[KlassId]> = list.into();
    fl.sections.insert(klass, list.clone());
    list
}

pub(crate) fn linearize(
    cx: &mut Classes,
    klass: KlassId,
    seen: &mut FxHashSet<KlassId>,
    list: &mut Vec<KlassId>,
) {
    if !seen.insert(klass) {
        return;
    }
    let Ok(members) = cx.members(klass) else { return };
    for &base in &members.bases {
        linearize(cx, base, seen, list);
    }
    if let ClassBody::Long(body) = &cx.lib.class(cx.key(klass).def).body
        && (!body.equations.is_empty() || !body.algorithms.is_empty())
    {
        list.push(klass);
    }
}

/// Is it an input or output of the whole model: at the top, or in a connector at the top?
pub(crate) fn is_top_level(fl: &Flattener<'_>, id: InstId) -> bool {
    let mut at = id;
    loop {
        let Some(parent) = fl.inst(at).parent else { return false };
        if fl.inst(parent).parent.is_none() {
            return !fl.inst(parent).is_static;
        }
        if !instance::is_connector(fl, parent) && !instance::is_record(fl, parent) {
            return false;
        }
        at = parent;
    }
}

/// Is the instance a connector or part of one?
pub fn in_connector(fl: &Flattener<'_>, id: InstId) -> bool {
    let mut at = Some(id);
    while let Some(i) = at {
        if instance::is_connector(fl, i) {
            return true;
        }
        at = fl.inst(i).parent;
    }
    false
}

/// The number of values of a type used as a dimension.
pub fn type_as_dimension(fl: &mut Flattener<'_>, scope: Scope, expr: ast::ExprId) -> Option<usize> {
    let builtin = type_named(fl, scope, expr)?;
    instance::enumeration_size(fl.cx, builtin)
}

/// The built-in type that an expression names, if it does.
pub fn type_named(fl: &mut Flattener<'_>, scope: Scope, expr: ast::ExprId) -> Option<Builtin> {
    let ast = fl.cx.lib.ast(scope.file);
    let Expr::Ref(reference) = ast.exprs[expr] else { return None };
    let parts = ast.lists.parts.get(reference.parts);
    let first = parts.first()?.name.symbol;
    if fl.locals[scope.locals as usize..].iter().any(|(n, _)| *n == first) {
        return None;
    }
    let found = if reference.global {
        fl.cx.root(first).map(class::Found::Class)
    } else {
        fl.cx.find(scope.klass, first)
    };
    let Some(class::Found::Class(mut k)) = found else { return None };
    for part in &parts[1..] {
        match fl.cx.step(k, part.name.symbol)? {
            class::Found::Class(next) => k = next,
            class::Found::Component { .. } => return None,
        }
    }
    Some(fl.cx.leaf(k)?.builtin)
}

pub(crate) fn is_unknown(fl: &Flattener<'_>, leaf: InstId) -> bool {
    let inst = fl.inst(leaf);
    !inst.is_static
        && inst.variability > Variability::Parameter
        && inst.info.as_ref().and_then(|i| i.leaf).is_none_or(|l| l.builtin != Builtin::ExternalObject)
}

/// Is it an input of the whole model, which is given from outside?
pub(crate) fn is_given_outside(fl: &Flattener<'_>, leaf: InstId) -> bool {
    fl.inst(leaf).causality == Causality::Input && is_top_level(fl, leaf)
}

/// Is it an expandable connector?
pub fn is_expandable(fl: &Flattener<'_>, id: InstId) -> bool {
    fl.inst(id).info.as_ref().is_some_and(|i| i.kind == ClassKind::ExpandableConnector)
}

/// Is a parameter to be evaluated now, and is it final? By its own declaration or that of a record it is in.
pub(crate) fn settled(fl: &Flattener<'_>, id: InstId) -> (bool, bool) {
    let (mut evaluate, mut is_final) = (None, false);
    let mut at = Some(id);
    while let Some(id) = at {
        let inst = fl.inst(id);
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
