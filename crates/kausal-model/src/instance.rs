//! The instance tree: one node per component, grown where somebody looks.
//!
//! A component of a built-in type is a leaf, also when it is an array; an array of anything else has a node
//! per element. Dimensions and conditions are evaluated when a node is [resolved](Flattener::resolve); which
//! parameters that needs is found out on the way, with cycles detected. A package has a static instance of
//! its own, for its constants.

use std::sync::Arc;

use kausal_symbolic::function::Index;
use kausal_symbolic::function::array::{as_size, element_count};
use kausal_symbolic::{ExprId, VarId};
use kausal_syntax::ast::{Causality, ClassKind, Expr, FlowPrefix, Variability};
use kausal_syntax::{Diagnostic, Symbol};

use crate::class::{ComponentInfo, KlassId, MemberKind, Place, Reported, Res};
use crate::flattener::{Flattener, Scope};
use crate::modifier::Up;
use crate::prelude::Builtin;
use crate::value::{Ty, Value};

/// Names an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct InstId(pub u32);

/// A component somewhere in the tree.
#[derive(Debug)]
pub struct Inst {
    /// The component it belongs to; of an element of an array, that of the array.
    pub parent: Option<InstId>,
    /// Its name.
    pub name: Symbol,
    /// Its class.
    pub klass: KlassId,
    /// How it is declared; nothing for the root and for packages.
    pub info: Option<Arc<ComponentInfo>>,
    /// Which element of an array of components.
    pub subs: Box<[u32]>,
    /// The most constant of its own and its owners'.
    pub variability: Variability,
    /// Its own or its owner's.
    pub causality: Causality,
    /// Its own or its owner's.
    pub flow: FlowPrefix,
    /// It or an owner is protected.
    pub protected: bool,
    /// Part of a package.
    pub is_static: bool,
    /// A component whose declared class could not be found, or the like.
    pub node: Node,
    /// Its components, by slot: the first and how many; they are numbered one behind the other.
    pub children: Option<(InstId, u32)>,
}

/// What an instance turned out to be.
#[derive(Clone, Debug)]
pub enum Node {
    /// Not looked at yet.
    Raw,
    /// Being looked at.
    Resolving,
    /// Its condition is false.
    Disabled,
    /// Something is wrong with it, and was reported.
    Failed,
    /// Scalars of a built-in type: the first variable, if any was made, and the dimensions.
    Leaf(Option<VarId>, Box<[usize]>),
    /// A component with components.
    Struct,
    /// An array of those.
    Array(Box<[usize]>, Arc<[InstId]>),
    /// An `outer` component: the `inner` one.
    Outer(InstId),
}

/// How deep components may be nested.
const MAX_DEPTH: usize = 250;
/// How often a class may contain itself without a condition that could end it.
const MAX_SELF: usize = 8;

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

    /// The instance `up` levels above, if there is one.
    pub fn ancestor(&self, id: InstId, up: Up) -> Option<InstId> {
        if up == Up::STATIC {
            return None;
        }
        let mut at = id;
        for _ in 0..up.0 {
            at = self.inst(at).parent?;
        }
        Some(at)
    }

    /// The instance of `owner` that is `up` levels above `id`; the static one if there is none. Classes without instances
    /// (functions, packages) count levels like others, so what is found there must be checked.
    pub fn instance_of(&mut self, id: InstId, up: Up, owner: KlassId) -> InstId {
        if let Some(at) = self.ancestor(id, up) {
            let klass = self.inst(at).klass;
            if klass == owner || self.derives_from(klass, owner) {
                return at;
            }
        }
        self.static_inst(owner)
    }

    /// Is `base` the definition of `klass` or of one of its bases?
    fn derives_from(&mut self, klass: KlassId, base: KlassId) -> bool {
        let def = self.cx.key(base).def;
        if let Some(&known) = self.derives.get(&(klass, def)) {
            return known;
        }
        let known = self.cx.key(klass).def == def
            || self.cx.members(klass).is_ok_and(|m| m.bases.iter().any(|&b| self.derives_from(b, base)));
        self.derives.insert((klass, def), known);
        known
    }

    /// The instance that holds the constants of a package.
    pub fn static_inst(&mut self, klass: KlassId) -> InstId {
        if let Some(&id) = self.statics.get(&klass) {
            return id;
        }
        let name = self.cx.lib.class(self.cx.key(klass).def).name.symbol;
        let id = self.push(Inst {
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
        });
        self.statics.insert(klass, id);
        id
    }

    /// Adds an instance.
    pub fn push(&mut self, inst: Inst) -> InstId {
        self.insts.push(inst);
        InstId(self.insts.len() as u32 - 1)
    }

    /// Where an expression that belongs to `inst` is to be evaluated.
    pub fn place_scope(&mut self, inst: InstId, place: &Place) -> Scope {
        let at = self.ancestor(inst, place.up);
        let at = match at {
            Some(at) => at,
            None => self.static_inst(place.scope),
        };
        Scope { klass: place.scope, inst: at, file: place.file, locals: self.locals.len() as u32 }
    }

    /// The component `name` of an instance (not resolved).
    pub fn child(&mut self, id: InstId, name: Symbol) -> Res<Option<InstId>> {
        let klass = self.inst(id).klass;
        let members = self.cx.members(klass)?;
        let Some(&i) = members.index.get(&name) else { return Ok(self.extra_child(id, name)) };
        if !matches!(members.items[i as usize].kind, MemberKind::Component(_)) {
            return Ok(None);
        }
        let slot = members.slot[i as usize] as usize;
        let children = self.expand(id)?;
        Ok(Some(InstId(children.0 + slot as u32)))
    }

    /// The components of an instance: the id of the first; they are numbered one behind the other.
    pub fn expand(&mut self, id: InstId) -> Res<InstId> {
        if let Some((first, _)) = self.inst(id).children {
            return Ok(first);
        }
        self.check_depth(id)?;
        self.check_count()?;
        let klass = self.inst(id).klass;
        let members = self.cx.members(klass)?;
        self.spend_here(members.components.len() as u64 * crate::budget::INSTANCE)?;
        let first = InstId(self.insts.len() as u32);
        let owner = self.inst(id);
        let (variability, causality, flow) = (owner.variability, owner.causality, owner.flow);
        let (protected, is_static) = (owner.protected, owner.is_static);
        for &i in &members.components {
            let member = members.items[i as usize];
            let info = self.cx.component(&member);
            let inst = match info {
                Ok(info) => {
                    let info = if info.outer_classes.is_empty() || is_static {
                        info
                    } else {
                        self.with_inner_classes(id, info)
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
            self.push(inst);
        }
        self.insts[id.0 as usize].children = Some((first, members.components.len() as u32));
        Ok(first)
    }

    /// The components of an instance, as far as somebody has looked.
    pub fn known_children(&self, id: InstId) -> impl Iterator<Item = InstId> + use<> {
        let (first, count) = self.inst(id).children.unwrap_or((InstId(0), 0));
        (first.0..first.0 + count).map(InstId)
    }

    /// The components of an instance.
    pub fn children(&mut self, id: InstId) -> Res<Vec<InstId>> {
        self.expand(id)?;
        Ok(self.known_children(id).collect())
    }

    /// Stops at components that contain their own class without end, and at those that are nested too deeply; a class that
    /// contains itself under a condition may end by itself.
    fn check_depth(&mut self, id: InstId) -> Res<()> {
        if self.too_deep {
            return Err(Reported);
        }
        let def = self.cx.key(self.inst(id).klass).def;
        let conditional = |this: &Self, id: InstId| {
            let inst = this.inst(id);
            !inst.subs.is_empty() || inst.info.as_ref().is_some_and(|i| i.condition.is_some())
        };
        let (mut depth, mut same, mut at) = (0, 0, self.inst(id).parent);
        let mut endless = !conditional(self, id);
        while let Some(parent) = at {
            depth += 1;
            if self.cx.key(self.inst(parent).klass).def == def {
                same += usize::from(endless);
                endless = true;
            }
            endless &= !conditional(self, parent);
            at = self.inst(parent).parent;
        }
        if depth <= MAX_DEPTH && same <= MAX_SELF {
            return Ok(());
        }
        // One way down is enough: there may be very many.
        self.too_deep = true;
        let name = self.cx.lib.full_name(def);
        let diagnostic = if same > MAX_SELF {
            Diagnostic::error("K0220", format!("a {name} contains a {name}, without end"))
        } else {
            let message = format!("components are nested more than {MAX_DEPTH} levels deep, here a {name}");
            Diagnostic::error("K0223", message)
                .help("does a class contain itself under a condition that always holds?")
        };
        let diagnostic = match &self.inst(id).info {
            Some(info) if same > MAX_SELF => {
                diagnostic.at(info.location, "this component contains its own class")
            }
            Some(info) => diagnostic.at(info.location, "this component"),
            None => diagnostic,
        };
        Err(self.cx.report(diagnostic))
    }

    /// Finds out what an instance is; an `outer` one leads to its `inner`.
    pub fn resolve(&mut self, id: InstId) -> Res<InstId> {
        match self.inst(id).node {
            Node::Raw => {}
            Node::Outer(inner) => return self.resolve(inner),
            Node::Failed => return Err(Reported),
            Node::Resolving => {
                let path = self.path(id);
                let message = format!("whether {path} exists, or its size, depends on itself");
                let diagnostic = Diagnostic::error("K0310", message);
                return Err(self.report_at_decl(id, diagnostic));
            }
            _ => return Ok(id),
        }
        self.insts[id.0 as usize].node = Node::Resolving;
        match self.resolve_new(id) {
            Ok(node) => {
                self.insts[id.0 as usize].node = node;
                match self.inst(id).node {
                    Node::Outer(inner) => self.resolve(inner),
                    _ => Ok(id),
                }
            }
            Err(Reported) => {
                self.insts[id.0 as usize].node = Node::Failed;
                Err(Reported)
            }
        }
    }

    fn resolve_new(&mut self, id: InstId) -> Res<Node> {
        let Some(info) = self.inst(id).info.clone() else { return Ok(Node::Struct) };
        if info.outer && !self.inst(id).is_static {
            if info.inner {
                self.inner_twin(id);
            }
            return self.find_inner(id, &info);
        }
        if let Some(place) = &info.condition
            && !self.static_inst_owner(id)
        {
            let scope = self.place_scope(id, place);
            if !self.structural_bool(scope, place.expr, "the condition of a component")? {
                return Ok(Node::Disabled);
            }
        }
        let shape = self.shape_of(id, &info)?;
        if info.leaf.is_some() {
            return Ok(Node::Leaf(None, shape.into_boxed_slice()));
        }
        if shape.is_empty() {
            return Ok(Node::Struct);
        }
        let count = element_count(&shape).map_err(|e| self.array_error(id, &e.to_string()))?;
        let mut elements = Vec::with_capacity(count);
        let mut subs = vec![1u32; shape.len()];
        for _ in 0..count {
            let array = self.inst(id);
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
            elements.push(self.push(element));
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

    fn static_inst_owner(&self, id: InstId) -> bool {
        self.inst(id).is_static
    }

    /// The dimensions of a component: first those that its value has to tell, since others may be made of them, as in
    /// `A[:, size(A, 1)]`.
    fn shape_of(&mut self, id: InstId, info: &ComponentInfo) -> Res<Vec<usize>> {
        if info.dims.is_empty() {
            return Ok(Vec::new());
        }
        let open = |this: &Self, place: &Place| {
            matches!(this.cx.lib.ast_ref(place.file).exprs[place.expr], Expr::Colon)
        };
        let mut sizes: Vec<Option<usize>> = vec![None; info.dims.len()];
        let mut given: Option<Vec<usize>> = None;
        for (d, place) in info.dims.iter().enumerate() {
            if !open(self, place) {
                continue;
            }
            if given.is_none() {
                given = Some(self.shape_of_binding(id, info)?);
            }
            sizes[d] = given.as_ref().and_then(|g| g.get(d)).copied();
            if sizes[d].is_none() {
                let path = self.path(id);
                let message = format!("the size of {path} is not given: it has no value to take it from");
                let diagnostic = Diagnostic::error("K0311", message);
                return Err(self.report_at_decl(id, diagnostic));
            }
        }
        for (d, place) in info.dims.iter().enumerate() {
            if sizes[d].is_some() {
                continue;
            }
            if d > 0 || given.is_some() {
                self.sizes.insert(id, sizes.clone());
            }
            let scope = self.place_scope(id, place);
            sizes[d] = Some(self.dimension(scope, place.expr)?);
        }
        self.sizes.remove(&id);
        let shape: Vec<usize> = sizes.into_iter().flatten().collect();
        if is_too_large(&shape) {
            let message =
                format!("{} has {}: too many elements", self.path(id), crate::flattener::sizes_text(&shape));
            let help = format!("an array has at most {LARGEST_ARRAY} elements: is a size wrong?");
            return Err(self.report_at_decl(id, Diagnostic::error("K0308", message).help(help)));
        }
        let count = shape.iter().product::<usize>() as u64;
        let paid = if info.leaf.is_some() {
            self.budget.pay(count * crate::budget::VARIABLE)
        } else {
            // An element costs as much as its components at least.
            let members = self.cx.members(info.klass)?.components.len() as u64;
            self.budget.pay(count * crate::budget::INSTANCE)
                && self.budget.suffices(count * members * crate::budget::INSTANCE)
        };
        if !paid {
            self.used_at = Some(info.location);
            return Err(self.broke(None));
        }
        Ok(shape)
    }

    /// The dimensions of a component taken from its binding, which may be that of an array of its owner.
    fn shape_of_binding(&mut self, id: InstId, info: &ComponentInfo) -> Res<Vec<usize>> {
        let Some(value) = self.raw_binding(id)? else { return Ok(Vec::new()) };
        let surplus = value.rank().saturating_sub(info.dims.len());
        Ok(value.shape()[surplus..].to_vec())
    }

    /// A dimension: an integer, or a type with as many values.
    pub fn dimension(&mut self, scope: Scope, expr: kausal_syntax::ast::ExprId) -> Res<usize> {
        if let Some(n) = self.type_as_dimension(scope, expr) {
            return Ok(n);
        }
        let given = self.eval(scope, expr)?;
        if given.ty().is_some_and(|t| t != Ty::Integer) {
            let ast = self.cx.lib.ast(scope.file);
            let message = format!("the size of an array must be an Integer, not {}", given.describe());
            return Err(self.cx.error("K0312", message, scope.file, ast.span(expr)));
        }
        let value = self.structural_number(scope, expr, "the size of an array")?;
        as_size("the size of an array", value).map_err(|e| {
            let ast = self.cx.lib.ast(scope.file);
            self.cx.error("K0312", e.to_string(), scope.file, ast.span(expr))
        })
    }

    fn find_inner(&mut self, id: InstId, info: &ComponentInfo) -> Res<Node> {
        let mut at = self.inst(id).parent.and_then(|p| self.inst(p).parent);
        let mut last = self.inst(id).parent;
        while let Some(owner) = at {
            if let Some(found) = self.inner_child(owner, info.name)? {
                return self.outer_to(found, id, info);
            }
            last = Some(owner);
            at = self.inst(owner).parent;
        }
        let Some(root) = last else { return Err(Reported) };
        if let Some(found) = self.inner_child(root, info.name)? {
            return self.outer_to(found, id, info);
        }
        self.missing_inner(id, info, root)
    }

    /// The `inner` component must have what the `outer` declaration promises.
    fn outer_to(&mut self, inner: InstId, id: InstId, info: &ComponentInfo) -> Res<Node> {
        let klass = self.inst(inner).klass;
        if self.added_inner.contains(&inner) && self.cx.key(klass).def != self.cx.key(info.klass).def {
            return Err(self.different_outer(inner, id, info));
        }
        let missing = self.missing_members(info.klass, klass);
        if missing.is_empty() {
            return Ok(Node::Outer(inner));
        }
        let (path, wanted, found) = (self.path(id), self.cx.name(info.klass), self.cx.name(klass));
        let message = format!(
            "the inner component {} is a {found}, but the outer one {path} needs a {wanted}: it has no {}",
            info.name,
            missing.join(", ")
        );
        let mut diagnostic = Diagnostic::error("K0228", message).at(info.location, "declared outer here");
        if let Some(inner) = &self.inst(inner).info {
            diagnostic = diagnostic.at(inner.location, "declared inner here");
        }
        Err(self.cx.report(diagnostic))
    }

    fn inner_child(&mut self, owner: InstId, name: Symbol) -> Res<Option<InstId>> {
        let Some(child) = self.child(owner, name)? else { return Ok(None) };
        let Some(info) = self.inst(child).info.as_ref().filter(|i| i.inner) else {
            // The outer declaration may stand where the missing inner one was added.
            return Ok(self.extra_child(owner, name).filter(|added| self.added_inner.contains(added)));
        };
        if info.outer && !self.inst(child).is_static {
            return Ok(self.inner_twin(child));
        }
        Ok(Some(child))
    }

    /// `inner outer` declares two components of one name (specification section 5.4): the declaration itself is the
    /// outer one, which the class refers to; this is the inner one, which the components of the class find and to
    /// which all modifiers belong.
    fn inner_twin(&mut self, id: InstId) -> Option<InstId> {
        let outer = self.inst(id);
        let (owner, name) = (outer.parent?, outer.name);
        if let Some(known) = self.extra_child(owner, name) {
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
        let twin = self.push(inst);
        self.extra.entry(owner).or_default().push(twin);
        Some(twin)
    }

    /// Without an `inner` declaration one is made at the top (specification section 5.4).
    fn missing_inner(&mut self, id: InstId, info: &ComponentInfo, root: InstId) -> Res<Node> {
        let name = info.name;
        let path = self.path(id);
        let help = self.missing_inner_message(info.klass).unwrap_or_else(|| {
            let class = self.cx.name(info.klass);
            format!("add `inner {class} {name};` to the model")
        });
        self.cx.report(
            Diagnostic::warning(
                "K0221",
                format!(
                    "there is no inner component {name} for the outer one {path}; one is added at the top"
                ),
            )
            .at(info.location, "declared outer here")
            .help(help),
        );
        let klass = self.cx.key(info.klass).def;
        let klass = self.cx.klass_of_def(klass).unwrap_or(info.klass);
        let leaf = self.cx.leaf(klass);
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
        let added = self.push(inst);
        self.added_inner.insert(added);
        self.extra.entry(root).or_default().push(added);
        Ok(Node::Outer(added))
    }

    /// A component that no declaration made: a missing `inner`, or a member of an expandable connector.
    pub fn extra_child(&self, id: InstId, name: Symbol) -> Option<InstId> {
        self.extra.get(&id)?.iter().copied().find(|&c| self.inst(c).name == name)
    }

    /// The variables of a leaf: the first; they are made when first asked for.
    pub fn variables(&mut self, id: InstId) -> Option<(VarId, usize)> {
        let Node::Leaf(first, shape) = &self.inst(id).node else { return None };
        let count = shape.iter().product();
        if let Some(first) = first {
            return Some((*first, count));
        }
        if shape.is_empty() {
            // Arrays are paid when their size is known; what fails then is the next thing that is evaluated.
            self.budget.pay(crate::budget::VARIABLE);
        }
        let first = VarId(self.slots.len() as u32);
        for offset in 0..count as u32 {
            self.slots.push((id, offset));
        }
        if let Node::Leaf(slot, _) = &mut self.insts[id.0 as usize].node {
            *slot = Some(first);
        }
        Some((first, count))
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

    /// The name of one variable.
    pub fn variable_name(&self, var: VarId) -> String {
        let (inst, offset) = self.slots[var.index()];
        let mut out = self.path(inst);
        if let Node::Leaf(_, shape) = &self.inst(inst).node {
            push_subs(&mut out, &subscripts_of(offset as usize, shape));
        }
        out
    }

    /// The expression of the binding of an instance before it is cut to the elements of arrays it is in.
    fn raw_binding(&mut self, id: InstId) -> Res<Option<Arc<Value>>> {
        self.binding_uncut(id)
    }

    /// The instances along the path that are elements of arrays: their subscripts, from just below `above`
    /// down to `id`.
    pub fn path_subscripts(&self, above: InstId, id: InstId) -> Vec<usize> {
        let mut parts: Vec<&[u32]> = Vec::new();
        let mut at = id;
        while at != above {
            let inst = self.inst(at);
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
    pub fn is_record(&self, id: InstId) -> bool {
        self.inst(id)
            .info
            .as_ref()
            .is_some_and(|i| matches!(i.kind, ClassKind::Record | ClassKind::OperatorRecord))
    }

    /// Is it a connector?
    pub fn is_connector(&self, id: InstId) -> bool {
        self.inst(id)
            .info
            .as_ref()
            .is_some_and(|i| matches!(i.kind, ClassKind::Connector | ClassKind::ExpandableConnector))
    }

    /// Cuts an array value to the element that a path of subscripts leads to: as many dimensions as the value
    /// has more than `rank`.
    pub fn cut(&mut self, id: InstId, value: Arc<Value>, rank: usize, subs: &[usize]) -> Res<Arc<Value>> {
        let surplus = value.rank().saturating_sub(rank);
        if surplus == 0 {
            return Ok(value);
        }
        if surplus > subs.len() {
            let path = self.path(id);
            use crate::flattener::dimensions_text;
            let (has, given) = (dimensions_text(rank), dimensions_text(value.rank()));
            let mut diagnostic =
                Diagnostic::error("K0313", format!("{path} has {has}, but its value has {given}"));
            if let Some(place) = self.own_binding(id) {
                let span = self.cx.lib.ast_ref(place.file).span(place.expr);
                diagnostic = diagnostic.at(self.cx.lib.location(place.file, span), "this value");
            }
            return Err(self.report_at_decl(id, diagnostic));
        }
        let index: Vec<Index> = subs[subs.len() - surplus..].iter().map(|&s| Index::One(s)).collect();
        match value.index(&index) {
            Ok(value) => Ok(Arc::new(value)),
            Err(_) => {
                let message = format!(
                    "the value of {} has {}: that does not fit the array it is in",
                    self.path(id),
                    crate::flattener::sizes_text(value.shape())
                );
                let diagnostic = Diagnostic::error("K0316", message);
                let diagnostic = match self.own_binding(id) {
                    Some(place) => {
                        let span = self.cx.lib.ast_ref(place.file).span(place.expr);
                        diagnostic.at(self.cx.lib.location(place.file, span), "this value")
                    }
                    None => diagnostic,
                };
                Err(self.report_at_decl(id, diagnostic))
            }
        }
    }

    /// Reports a problem with an array at the declaration of an instance.
    pub fn array_error(&mut self, id: InstId, message: &str) -> Reported {
        let path = self.path(id);
        let diagnostic = Diagnostic::error("K0314", format!("{path}: {message}"));
        self.report_at_decl(id, diagnostic)
    }

    /// Reports with the declaration of an instance as the place.
    pub fn report_at_decl(&mut self, id: InstId, diagnostic: Diagnostic) -> Reported {
        let location = self.inst(id).info.as_ref().map(|i| i.location);
        let diagnostic = match location {
            Some(location) => diagnostic.at(location, "declared here"),
            None => diagnostic,
        };
        self.cx.report(diagnostic)
    }

    /// The number of values of an enumeration.
    pub fn enumeration_size(&self, builtin: Builtin) -> Option<usize> {
        match builtin {
            Builtin::Boolean => Some(2),
            Builtin::Enumeration(e) => match &self.cx.lib.class(e.def).body {
                kausal_syntax::ast::ClassBody::Enumeration(Some(literals)) => Some(literals.len()),
                _ => None,
            },
            _ => None,
        }
    }

    /// A variable as an expression.
    pub fn var(&mut self, var: VarId) -> ExprId {
        self.pool.var(var)
    }
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
