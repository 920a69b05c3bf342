//! Classes with everything that modifies them: a [`Klass`] is a definition, the class it stands in, and its
//! modifiers (specification chapters 4, 5.6 and 7).
//!
//! Klasses are interned, their members (own and inherited) and the types of their components are worked out
//! once, when first asked for. Nothing here depends on instances: whatever needs values is left as a reference
//! to an expression and to the level of the instance tree where it is to be evaluated.
//!
//! `extends B(m)` makes a klass of `B` whose modifiers are those of the deriving class, its redeclared
//! elements, and `m`, in this order; so a member of a base already sees every redeclaration.

mod members;

use std::sync::Arc;

use kausal_syntax::ast::{
    Binding, Causality, ClassBody, ClassKind, ComponentId, FlowPrefix, ModId, Variability,
};
use kausal_syntax::{Ast, Diagnostic, Location, Span, Symbol};
use rustc_hash::{FxHashMap, FxHashSet};

pub use crate::annotation::{annotation_modify, annotation_value};
pub use crate::ids::KlassId;
use crate::library::{DefId, FileId, Files, Library};
use crate::modifier::{ModItem, ModTable, ModWhat, ModsId, Up, binding_of};
use crate::prelude;
use crate::prelude::{Builtin, EnumerationType};

/// Something went wrong and was reported.
#[derive(Clone, Copy, Debug)]
pub struct Reported;

/// A result whose error was already reported.
pub type Res<T> = Result<T, Reported>;

/// What makes a klass what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// The definition.
    pub def: DefId,
    /// The class it stands in.
    pub enclosing: Option<KlassId>,
    /// The instance of the class it stands in, seen from an instance of this one.
    pub enclosing_up: Up,
    /// Its modifiers.
    pub mods: ModsId,
    /// What `class extends` extends.
    pub extended: Option<KlassId>,
}

struct Klass {
    key: Key,
    state: State,
    leaf: Option<Option<Leaf>>,
}

enum State {
    New,
    Building,
    Built(Arc<Members>),
}

/// The members of a class, own and inherited.
#[derive(Debug, Default)]
pub struct Members {
    /// All of them; bases first.
    pub items: Vec<Member>,
    /// By name.
    pub index: FxHashMap<Symbol, u32>,
    /// The base classes, in order.
    pub bases: Vec<KlassId>,
    /// For each base class the annotation of its `extends` clause, in the file of the class.
    pub base_annotations: Vec<Option<ModId>>,
    /// Positions of the components among the items.
    pub components: Vec<u32>,
    /// For each item its position among the components.
    pub slot: Vec<u32>,
}

/// One member.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    /// Its name.
    pub name: Symbol,
    /// The class or base class that declares it.
    pub origin: KlassId,
    /// What it is.
    pub kind: MemberKind,
    /// Below `protected`, here or on the way down.
    pub protected: bool,
    /// What modifies it, seen from the component (of a class: from the declaring class).
    pub mods: ModsId,
}

/// Component or class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberKind {
    /// A component, of the file of its origin.
    Component(ComponentId),
    /// A class.
    Class(DefId),
}

/// A built-in type at the end of a chain of type definitions.
#[derive(Clone, Copy, Debug)]
pub struct Leaf {
    /// Which.
    pub builtin: Builtin,
    /// All modifiers of its attributes.
    pub mods: ModsId,
}

/// An expression and where it is to be evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The expression.
    pub expr: kausal_syntax::ast::ExprId,
    /// The class whose names it uses (and whose file it is in).
    pub scope: KlassId,
    /// The file.
    pub file: FileId,
    /// The instance.
    pub up: Up,
    /// Written with `each`.
    pub each: bool,
    /// How many levels it has array dimensions for: see [`ModItem::levels`].
    pub levels: u16,
}

/// A component as declared and redeclared.
#[derive(Clone, Debug)]
pub struct ComponentInfo {
    /// Its name.
    pub name: Symbol,
    /// Its class with all modifiers, seen from the component.
    pub klass: KlassId,
    /// The built-in type it comes down to.
    pub leaf: Option<Leaf>,
    /// Dimensions, those of the component before those of its type.
    pub dims: Vec<Place>,
    /// How many of them belong to the declaration itself.
    pub own_dims: usize,
    /// Its binding.
    pub binding: Option<Place>,
    /// `final`
    pub is_final: bool,
    /// `annotation(Evaluate = true)`
    pub evaluate: Option<bool>,
    /// `constant`, …
    pub variability: Variability,
    /// `input`, `output`, also from the type.
    pub causality: Causality,
    /// `flow`, `stream`
    pub flow: FlowPrefix,
    /// `inner`
    pub inner: bool,
    /// `outer`
    pub outer: bool,
    /// Outer classes that its class declares or inherits.
    pub outer_classes: Vec<Symbol>,
    /// Below `protected`.
    pub protected: bool,
    /// `if condition`
    pub condition: Option<Place>,
    /// The kind of its class.
    pub kind: ClassKind,
    /// The file of the declaration that counts.
    pub file: FileId,
    /// That declaration.
    pub component: ComponentId,
    /// Where its name stands.
    pub location: Location,
}

/// The classes of a session and how they are found.
pub struct Classes {
    /// Where definitions come from.
    pub lib: Library,
    /// Foreign code that functions may call while flattening.
    pub foreign: Option<Arc<kausal_external::foreign::Foreign>>,
    /// Whether the units of models that are flattened are checked.
    pub check_units: bool,
    /// What models may read beyond the libraries they use.
    pub allowed: kausal_external::Permissions,
    /// Where this is raised, flattening ends early: its result is not needed any more.
    pub interrupt: Option<Arc<std::sync::atomic::AtomicBool>>,
    /// Lists of modifiers.
    pub mods: ModTable,
    klasses: Vec<Klass>,
    index: FxHashMap<Key, KlassId>,
    infos: FxHashMap<(KlassId, Symbol), Res<Arc<ComponentInfo>>>,
    /// Components whose types are being looked up.
    typing: FxHashSet<(KlassId, Symbol)>,
    /// Built-in types.
    pub builtins: FxHashMap<DefId, Builtin>,
    /// What went wrong so far.
    pub diagnostics: Vec<Diagnostic>,
    /// Where in [`Classes::diagnostics`] a message is, by code, places and text without the numbers of elements.
    reported: FxHashMap<(&'static str, Vec<Location>, String), usize>,
    /// Messages like one that was reported.
    repeated: FxHashMap<usize, FxHashSet<String>>,
    /// Names already looked for.
    pub(crate) found: FxHashMap<(KlassId, Symbol), Option<Found>>,
    /// Classes with a base class that was not found: what they lack may be in there.
    broken: FxHashSet<DefId>,
    depth: u32,
}

/// How deep classes may be nested in one another while they are worked out.
const MAX_DEPTH: u32 = 400;

impl Classes {
    /// What models may read: what is allowed, and what belongs to the libraries read so far.
    pub fn permissions(&self) -> kausal_external::Permissions {
        let mut permissions = self.allowed.clone();
        self.lib.folders().iter().for_each(|folder| permissions.give(std::path::Path::new(folder)));
        permissions
    }

    /// Only the built-in classes.
    pub fn new(files: Box<dyn Files>) -> Self {
        let mut lib = Library::new(files);
        let mut builtins = FxHashMap::default();
        for def in lib.add_source("built-in", prelude::TEXT) {
            if let Some(builtin) = prelude::builtin(lib.class(def).name.symbol.as_str()) {
                builtins.insert(def, builtin);
            }
        }
        Classes {
            lib,
            foreign: None,
            check_units: true,
            allowed: Default::default(),
            interrupt: None,
            mods: ModTable::default(),
            klasses: Vec::new(),
            index: FxHashMap::default(),
            infos: FxHashMap::default(),
            typing: FxHashSet::default(),
            builtins,
            diagnostics: Vec::new(),
            reported: FxHashMap::default(),
            repeated: FxHashMap::default(),
            found: FxHashMap::default(),
            broken: FxHashSet::default(),
            depth: 0,
        }
    }

    /// Forgets what was worked out about classes, so that what is wrong with them is reported again. Names of
    /// classes given out before are void; definitions stay.
    pub fn forget(&mut self) {
        self.mods = ModTable::default();
        self.klasses.clear();
        self.index.clear();
        self.infos.clear();
        self.typing.clear();
        self.found.clear();
        self.broken.clear();
        self.depth = 0;
    }

    /// Is a base class of this class unknown?
    pub fn is_broken(&mut self, k: KlassId) -> bool {
        if self.broken.is_empty() {
            return false;
        }
        let mut stack = vec![k];
        let mut seen = FxHashSet::default();
        while let Some(k) = stack.pop() {
            if !seen.insert(k) {
                continue;
            }
            if self.broken.contains(&self.key(k).def) {
                return true;
            }
            if let State::Built(members) = &self.klasses[k.0 as usize].state {
                stack.extend(members.bases.iter().copied());
            }
        }
        false
    }

    /// Are members of some class being worked out?
    pub fn is_building(&self) -> bool {
        self.depth > 0
    }

    /// What makes a klass what it is.
    pub fn key(&self, k: KlassId) -> Key {
        self.klasses[k.0 as usize].key
    }

    /// Interns a klass.
    pub fn intern(&mut self, key: Key) -> KlassId {
        if let Some(&k) = self.index.get(&key) {
            return k;
        }
        let k = KlassId(self.klasses.len() as u32);
        self.klasses.push(Klass { key, state: State::New, leaf: None });
        self.index.insert(key, k);
        k
    }

    /// The file of a klass.
    pub fn file(&self, k: KlassId) -> FileId {
        self.lib.def(self.key(k).def).file
    }

    /// The tree of the file of a klass.
    pub fn ast(&self, k: KlassId) -> Arc<Ast> {
        self.lib.ast(self.file(k))
    }

    /// The kind of the class.
    pub fn kind(&self, k: KlassId) -> ClassKind {
        self.lib.class(self.key(k).def).kind
    }

    /// The kind of the class, taken from a base class where `class` or `type` says too little.
    pub fn deep_kind(&mut self, k: KlassId) -> ClassKind {
        let mut at = k;
        for _ in 0..MAX_DEPTH {
            let kind = self.kind(at);
            let short = matches!(self.lib.class(self.key(at).def).body, ClassBody::Short(_));
            match kind {
                ClassKind::Class
                | ClassKind::Model
                | ClassKind::Type
                | ClassKind::Connector
                | ClassKind::Record
                    if short || matches!(kind, ClassKind::Class) =>
                {
                    match self.members(at).ok().and_then(|m| m.bases.first().copied()) {
                        Some(base) => {
                            let deeper = self.kind(base);
                            if kind == ClassKind::Connector && deeper != ClassKind::ExpandableConnector {
                                return kind;
                            }
                            if kind == ClassKind::Record && deeper != ClassKind::OperatorRecord {
                                return kind;
                            }
                            at = base;
                        }
                        None => return kind,
                    }
                }
                _ => return kind,
            }
        }
        self.kind(k)
    }

    /// The full name of the class.
    pub fn name(&self, k: KlassId) -> String {
        self.lib.full_name(self.key(k).def)
    }

    /// Where a part of the text of a klass stands.
    pub fn location(&self, k: KlassId, span: Span) -> Location {
        self.lib.location(self.file(k), span)
    }

    /// Reports an error at a place in the text of a klass.
    pub fn error(&mut self, code: &'static str, message: String, file: FileId, span: Span) -> Reported {
        let location = self.lib.location(file, span);
        self.report(Diagnostic::error(code, message).at(location, ""))
    }

    /// Reports once: the same message at the same place is not repeated, and of messages that differ in the elements of
    /// arrays they name only the first is kept, with how many more there are.
    pub fn report(&mut self, diagnostic: Diagnostic) -> Reported {
        let key = (
            diagnostic.code,
            diagnostic.labels.iter().map(|l| l.location).collect::<Vec<_>>(),
            without_elements(&diagnostic.message),
        );
        // What was reported may have been taken back since.
        let known = self.reported.get(&key).copied().filter(|&at| {
            let like = |d: &Diagnostic| d.code == key.0 && without_elements(&d.message) == key.2;
            self.diagnostics.get(at).is_some_and(like)
        });
        match known {
            Some(at) => {
                if self.diagnostics[at].message != diagnostic.message {
                    self.repeated.entry(at).or_default().insert(diagnostic.message);
                }
            }
            None => {
                let at = self.diagnostics.len();
                self.repeated.remove(&at);
                self.reported.insert(key, at);
                self.diagnostics.push(diagnostic);
            }
        }
        Reported
    }

    /// Hands over what was reported.
    pub fn take_diagnostics(&mut self) -> Vec<Diagnostic> {
        let mut list = std::mem::take(&mut self.diagnostics);
        for (at, others) in std::mem::take(&mut self.repeated) {
            if let Some(d) = list.get_mut(at) {
                let message = std::mem::take(&mut d.message);
                d.message = format!("{message} (and {} more like it)", others.len());
            }
        }
        self.reported.clear();
        list
    }

    /// The same klass seen from an instance `by` levels further down.
    pub fn shift(&mut self, k: KlassId, by: Up) -> KlassId {
        if by == Up(0) {
            return k;
        }
        let key = self.key(k);
        let mods = self.mods.shift(key.mods, by);
        let extended = key.extended.map(|e| self.shift(e, by));
        self.intern(Key { enclosing_up: key.enclosing_up.plus(by), mods, extended, ..key })
    }

    /// The same klass with other modifiers.
    pub fn with_mods(&mut self, k: KlassId, mods: Vec<ModItem>) -> KlassId {
        let mods = self.mods.add(mods);
        let key = self.key(k);
        self.intern(Key { mods, ..key })
    }

    /// Where a member is declared.
    pub fn member_location(&self, member: &Member) -> Location {
        let file = self.file(member.origin);
        let span = match member.kind {
            MemberKind::Component(id) => self.lib.ast_ref(file).components[id].name.span,
            MemberKind::Class(def) => return self.def_location(def),
        };
        self.lib.location(file, span)
    }

    /// Where a class is defined.
    pub fn def_location(&self, def: DefId) -> Location {
        self.lib.location(self.lib.def(def).file, self.lib.class(def).name.span)
    }

    /// The klass of a class member, redeclarations followed.
    pub fn class_member(&mut self, member: &Member) -> KlassId {
        let MemberKind::Class(def) = member.kind else { return member.origin };
        let items = self.mods.get(member.mods);
        self.redeclared(def, member.origin, &items)
    }

    /// The klass of the class `def` written in `origin`, under these modifiers.
    pub fn redeclared(&mut self, def: DefId, origin: KlassId, items: &[ModItem]) -> KlassId {
        // An outer class is the inner one.
        let inner = items.iter().find_map(|m| match m.what {
            ModWhat::Inner(_, klass) => Some((klass, m.up)),
            _ => None,
        });
        if let Some((klass, up)) = inner {
            return self.shift(klass, up);
        }
        let plain_items = |items: &[ModItem]| -> Vec<ModItem> {
            items
                .iter()
                .filter(|m| !matches!(m.what, ModWhat::Class(_) | ModWhat::Component(_)))
                .copied()
                .collect()
        };
        let Some(at) = items.iter().position(|m| matches!(m.what, ModWhat::Class(_))) else {
            let mut mods = plain_items(items);
            mods.extend(self.constraining(def, origin));
            let mods = self.mods.add(mods);
            return self.intern(Key {
                def,
                enclosing: Some(origin),
                enclosing_up: Up(0),
                mods,
                extended: None,
            });
        };
        let item = items[at];
        let ModWhat::Class(class) = item.what else { return origin };
        let new = self.lib.def_of(item.file, class);
        let mut mods = plain_items(&items[..at]);
        let extends = matches!(&self.lib.class(new).body, ClassBody::Long(body) if body.class_extends);
        let extended = if extends {
            Some(self.redeclared(def, origin, &items[at + 1..]))
        } else {
            mods.extend(plain_items(&items[at + 1..]).into_iter().map(|m| ModItem { low: true, ..m }));
            // Redeclarations that are redeclared again leave what their constraining clauses say (section 7.3.2).
            mods.extend(items[at + 1..].iter().filter_map(|m| match m.what {
                ModWhat::Class(class) => {
                    let id = self.lib.ast_ref(m.file).classes[class].constraint.as_ref()?.modification?;
                    Some(ModItem { low: true, ..plain(m.file, ModWhat::Arguments(id), m.scope, m.up) })
                }
                _ => None,
            }));
            mods.extend(self.constraining_default(def, origin));
            None
        };
        let mods = self.mods.add(mods);
        self.intern(Key { def: new, enclosing: Some(item.scope), enclosing_up: item.up, mods, extended })
    }

    fn constraining(&self, def: DefId, origin: KlassId) -> Option<ModItem> {
        let class = self.lib.class(def);
        let id = class.constraint.as_ref()?.modification?;
        let file = self.lib.def(def).file;
        Some(ModItem { low: true, ..plain(file, ModWhat::Arguments(id), origin, Up(0)) })
    }

    fn constraining_default(&self, def: DefId, origin: KlassId) -> Option<ModItem> {
        let class = self.lib.class(def);
        if class.constraint.is_some() {
            return self.constraining(def, origin);
        }
        let ClassBody::Short(short) = &class.body else { return None };
        let file = self.lib.def(def).file;
        Some(ModItem { low: true, ..plain(file, ModWhat::Arguments(short.modification?), origin, Up(0)) })
    }

    /// The built-in type a class comes down to.
    pub fn leaf(&mut self, k: KlassId) -> Option<Leaf> {
        if let Some(leaf) = self.klasses[k.0 as usize].leaf {
            return leaf;
        }
        let key = self.key(k);
        let leaf = if let Some(&builtin) = self.builtins.get(&key.def) {
            Some(Leaf { builtin, mods: key.mods })
        } else if matches!(self.lib.class(key.def).body, ClassBody::Enumeration(_)) {
            let builtin = Builtin::Enumeration(EnumerationType::new(&self.lib, key.def));
            Some(Leaf { builtin, mods: key.mods })
        } else {
            // Set before the bases are asked, so that a class based on itself ends here.
            self.klasses[k.0 as usize].leaf = Some(None);
            let bases = self.members(k).map(|m| m.bases.clone()).unwrap_or_default();
            bases.iter().find_map(|&b| self.leaf(b))
        };
        self.klasses[k.0 as usize].leaf = Some(leaf);
        leaf
    }

    /// Dimensions of an array type, seen from an instance of the class.
    pub fn class_dims(&mut self, k: KlassId) -> Vec<Place> {
        let mut out = Vec::new();
        let mut at = k;
        for _ in 0..MAX_DEPTH {
            let key = self.key(at);
            let file = self.file(at);
            let ast = self.lib.ast(file);
            let class = &ast.classes[self.lib.def(key.def).class];
            if let ClassBody::Short(short) = &class.body {
                for &expr in ast.lists.exprs.get(short.dims) {
                    let scope = key.enclosing.unwrap_or(at);
                    out.push(Place { expr, scope, file, up: key.enclosing_up, each: false, levels: 0 });
                }
            }
            let Some(base) = self.members(at).ok().and_then(|m| (m.bases.len() == 1).then(|| m.bases[0]))
            else {
                break;
            };
            at = base;
        }
        out
    }

    /// `input` or `output` said by a type definition.
    pub fn class_causality(&mut self, k: KlassId) -> Causality {
        let mut at = k;
        for _ in 0..MAX_DEPTH {
            let key = self.key(at);
            let ClassBody::Short(short) = &self.lib.class(key.def).body else { break };
            if short.causality != Causality::None {
                return short.causality;
            }
            let Some(base) = self.members(at).ok().and_then(|m| m.bases.first().copied()) else { break };
            at = base;
        }
        Causality::None
    }

    /// All there is to know about a component of a class.
    pub fn component(&mut self, member: &Member) -> Res<Arc<ComponentInfo>> {
        let id = (member.origin, member.name);
        if let Some(info) = self.infos.get(&id) {
            return info.clone();
        }
        if !self.typing.insert(id) {
            // `a.B a`: what is looked for is in what it is.
            let name = member.name;
            let message = format!("the type of {name} is looked for in {name} itself");
            let diagnostic = Diagnostic::error("K0203", message)
                .at(self.member_location(member), "")
                .help("the first part of a type is a class or a package, and no component has its name");
            return Err(self.report(diagnostic));
        }
        let info = self.component_info(member).map(Arc::new);
        self.typing.remove(&id);
        self.infos.insert(id, info.clone());
        info
    }

    fn component_info(&mut self, member: &Member) -> Res<ComponentInfo> {
        let MemberKind::Component(original) = member.kind else { return Err(Reported) };
        let origin_file = self.file(member.origin);
        let items = self.mods.get(member.mods);
        let at = items.iter().position(|m| matches!(m.what, ModWhat::Component(_)));
        let (file, component, scope, up) = match at {
            Some(i) => {
                let ModWhat::Component(c) = items[i].what else { return Err(Reported) };
                (items[i].file, c, items[i].scope, items[i].up)
            }
            None => (origin_file, original, member.origin, Up(1)),
        };
        let ast = self.lib.ast(file);
        let decl = &ast.components[component];
        let found = self.lookup_name(scope, &ast, file, decl.type_name)?;
        let class = self.shift(found, up);

        let is_plain = |m: &&ModItem| !matches!(m.what, ModWhat::Class(_) | ModWhat::Component(_));
        let mut mods: Vec<ModItem> =
            items[..at.unwrap_or(items.len())].iter().filter(is_plain).copied().collect();
        if let Some(id) = decl.modification {
            // A redeclaration among the modifiers of an array has values for all elements, as other modifiers have.
            let levels = at.map_or(1, |i| items[i].levels.max(1));
            let item = plain(file, ModWhat::Whole(id), scope, up);
            mods.push(ModItem { is_final: decl.prefixes.is_final, levels, ..item });
        }
        let origin_ast = self.lib.ast(origin_file);
        let original_decl = &origin_ast.components[original];
        if let Some(i) = at {
            // Redeclarations that are redeclared again leave what their constraining clauses say (section 7.3.2).
            mods.extend(items[i + 1..].iter().filter_map(|m| match m.what {
                ModWhat::Whole(id) => Some(ModItem { what: ModWhat::Arguments(id), ..*m }),
                ModWhat::Component(c) => {
                    let constraint = self.lib.ast_ref(m.file).components[c].constraint.as_ref();
                    let id = constraint?.modification?;
                    Some(declared(plain(m.file, ModWhat::Arguments(id), m.scope, m.up)))
                }
                ModWhat::Class(_) => None,
                _ => Some(*m),
            }));
            if original_decl.constraint.is_none()
                && let Some(id) = original_decl.modification
            {
                mods.push(declared(plain(origin_file, ModWhat::Arguments(id), member.origin, Up(1))));
            }
        }
        for (f, d, s, u) in [(file, decl, scope, up), (origin_file, original_decl, member.origin, Up(1))] {
            if let Some(id) = d.constraint.as_ref().and_then(|c| c.modification) {
                mods.push(declared(plain(f, ModWhat::Arguments(id), s, u)));
            }
            if at.is_none() {
                break;
            }
        }
        mods.extend_from_slice(&self.mods.get(self.key(class).mods));

        // A redeclaration without a value keeps that of the declaration it replaces.
        let kept: Vec<ModItem> = match at {
            None => Vec::new(),
            Some(i) => {
                let original = original_decl
                    .modification
                    .map(|id| declared(plain(origin_file, ModWhat::Whole(id), member.origin, Up(1))));
                items[i + 1..].iter().filter(is_plain).copied().chain(original).collect()
            }
        };
        let mut binding = None;
        let mut is_final = decl.prefixes.is_final;
        for item in mods.iter().chain(&kept) {
            match binding_of(&self.lib, item) {
                Some(Binding::Expr(expr)) => {
                    binding = Some(Place {
                        expr,
                        scope: item.scope,
                        file: item.file,
                        up: item.up,
                        each: item.each,
                        levels: item.levels,
                    });
                    is_final |= item.is_final;
                    break;
                }
                Some(Binding::Break) => break,
                _ => {}
            }
        }
        let klass = self.with_mods(class, mods);
        let place = |expr, f, s, u| Place { expr, scope: s, file: f, up: u, each: false, levels: 0 };
        let mut dims: Vec<Place> = Vec::new();
        for list in [decl.dims, decl.type_dims] {
            dims.extend(ast.lists.exprs.get(list).iter().map(|&e| place(e, file, scope, up)));
        }
        if dims.is_empty() && at.is_some() {
            for list in [original_decl.dims, original_decl.type_dims] {
                let list = origin_ast.lists.exprs.get(list).iter();
                dims.extend(list.map(|&e| place(e, origin_file, member.origin, Up(1))));
            }
        }
        let own_dims = dims.len();
        dims.extend(self.class_dims(klass));
        let condition = match (decl.condition, original_decl.condition) {
            (Some(e), _) => Some(place(e, file, scope, up)),
            (None, Some(e)) => Some(place(e, origin_file, member.origin, Up(1))),
            _ => None,
        };
        let or = |a: Variability, b: Variability| if a == Variability::Continuous { b } else { a };
        let causality = match (decl.causality, original_decl.causality) {
            (Causality::None, Causality::None) => self.class_causality(klass),
            (Causality::None, c) => c,
            (c, _) => c,
        };
        let flow = if decl.flow == FlowPrefix::None { original_decl.flow } else { decl.flow };
        Ok(ComponentInfo {
            name: member.name,
            klass,
            leaf: self.leaf(klass),
            dims,
            own_dims,
            binding,
            is_final,
            evaluate: annotation_flag(&ast, decl.description.annotation, "Evaluate"),
            variability: or(decl.variability, original_decl.variability),
            causality,
            flow,
            inner: decl.prefixes.inner || original_decl.prefixes.inner,
            outer: decl.prefixes.outer || original_decl.prefixes.outer,
            outer_classes: self.outer_classes(klass),
            protected: member.protected,
            condition,
            kind: self.deep_kind(klass),
            file,
            component,
            location: self.lib.location(file, decl.name.span),
        })
    }

    /// The names of the outer classes among the members of a class.
    pub fn outer_classes(&mut self, k: KlassId) -> Vec<Symbol> {
        let Some(members) = self.members_if_built(k) else { return Vec::new() };
        let outer = members.items.iter().filter(|m| match m.kind {
            MemberKind::Class(def) => self.lib.class(def).prefixes.outer,
            MemberKind::Component(_) => false,
        });
        outer.map(|m| m.name).collect()
    }

    /// The binding of an attribute such as `start` among the modifiers of a built-in type.
    pub fn attribute(&mut self, mods: ModsId, name: Symbol) -> Option<(Place, bool)> {
        let items = self.mods.of_element(&self.lib, mods, name, Up(0));
        let items = self.mods.get(items);
        items.iter().find_map(|item| match binding_of(&self.lib, item) {
            Some(Binding::Expr(expr)) => {
                let place = Place {
                    expr,
                    scope: item.scope,
                    file: item.file,
                    up: item.up,
                    each: item.each,
                    levels: item.levels,
                };
                Some((place, item.is_final))
            }
            _ => None,
        })
    }
}

fn plain(file: FileId, what: ModWhat, scope: KlassId, up: Up) -> ModItem {
    ModItem { file, what, scope, up, is_final: false, each: false, low: false, levels: 0 }
}

/// The same, written in the declaration of a component, which may be an array.
fn declared(item: ModItem) -> ModItem {
    ModItem { levels: 1, ..item }
}

/// The value of a Boolean annotation at the top of an annotation clause.
pub fn annotation_flag(ast: &Ast, annotation: Option<kausal_syntax::ast::ModId>, name: &str) -> Option<bool> {
    match ast.exprs[annotation_value(ast, annotation, name)?] {
        kausal_syntax::ast::Expr::Boolean(value) => Some(value),
        _ => None,
    }
}

/// A message without the numbers in brackets: `a[3].x` becomes `a[].x`.
fn without_elements(message: &str) -> String {
    let mut out = String::with_capacity(message.len());
    let mut inside = false;
    for c in message.chars() {
        match c {
            '[' => inside = true,
            ']' => inside = false,
            '0'..='9' | ',' if inside => continue,
            _ => {}
        }
        out.push(c);
    }
    out
}

/// Can the class be flattened: a model or block, not a partial one?
pub fn is_model(kind: ClassKind) -> bool {
    matches!(kind, ClassKind::Model | ClassKind::Block | ClassKind::Class)
}

/// What a name stands for.
#[derive(Clone, Copy, Debug)]
pub enum Found {
    /// A class.
    Class(KlassId),
    /// A component of the class `owner`; its instance is `up` levels above.
    Component {
        /// The class it was found in.
        owner: KlassId,
        /// The member.
        member: Member,
        /// Where the instance of the owner is.
        up: Up,
    },
}

/// What a kind of class is called.
pub(crate) fn kind_text(kind: ClassKind) -> &'static str {
    match kind {
        ClassKind::Package => "package",
        ClassKind::Function | ClassKind::OperatorFunction => "function",
        ClassKind::Operator => "operator",
        ClassKind::Record | ClassKind::OperatorRecord => "record",
        ClassKind::Connector | ClassKind::ExpandableConnector => "connector",
        ClassKind::Type => "type",
        ClassKind::Model => "model",
        ClassKind::Block => "block",
        ClassKind::Class => "class",
    }
}
