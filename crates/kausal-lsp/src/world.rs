//! The classes of a workspace as an editor sees them: files as they are in its buffers, and what names stand for.
//!
//! One [`World`] belongs to one thread. It reads files when something in them is asked for; an edited file is parsed again and
//! takes the place of the old one, everything else stays.

use std::collections::HashMap;
use std::sync::{Arc, RwLock};

use kausal_model::class::{Classes, KlassId, Member, MemberKind};
use kausal_model::expr::builtin::is_builtin;
use kausal_model::library::FileId;
use kausal_model::lookup::Found;
use kausal_model::{Files, Workspace};
use kausal_syntax::ast::{ClassBody, ClassId, ClassKind};
use kausal_syntax::{Ast, Location, Symbol};
use rustc_hash::FxHashMap;

use crate::references::{Kind, Owner, Part, Reference, references};

/// Makes the reader of files a workspace needs: the disk and what is built in.
pub type MakeFiles = Arc<dyn Fn() -> Box<dyn Files> + Send + Sync>;

/// Texts of open buffers by path: they count, whatever the disk has.
pub type Buffers = Arc<RwLock<HashMap<String, Arc<str>>>>;

/// Where classes come from.
#[derive(Clone)]
pub struct Places {
    /// Reads files.
    pub files: MakeFiles,
    /// Folders in which top-level packages are searched.
    pub folders: Vec<String>,
    /// Open buffers.
    pub buffers: Buffers,
}

struct Overlay {
    files: Box<dyn Files>,
    buffers: Buffers,
}

impl Files for Overlay {
    fn list(&self, folder: &str) -> Option<Vec<String>> {
        self.files.list(folder)
    }
    fn read(&self, path: &str) -> Option<String> {
        let buffers = self.buffers.read().unwrap_or_else(|e| e.into_inner());
        match buffers.get(path) {
            Some(text) => Some(text.to_string()),
            None => self.files.read(path),
        }
    }
    fn problem(&self, path: &str) -> Option<String> {
        self.files.problem(path)
    }
}

/// What a name stands for.
#[derive(Clone, Copy, Debug)]
pub enum What {
    /// A class.
    Class(KlassId),
    /// A component of the class `owner`.
    Component {
        /// Where it was found.
        owner: KlassId,
        /// The member.
        member: Member,
    },
    /// A loop variable.
    Loop,
    /// A literal of an enumeration.
    Literal,
    /// A function, operator or variable of the language.
    Builtin(Symbol),
    /// An attribute of a built-in type.
    Attribute(Symbol),
}

/// What a name stands for, and where that is declared.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The name in its declaration; nothing for what is part of the language.
    pub location: Option<Location>,
    /// What it is.
    pub what: What,
}

/// What became of looking for a name.
#[derive(Clone, Copy, Debug)]
pub enum Resolved {
    /// It was found.
    Found(Target),
    /// This part does not exist, looked for in this class or from the scope.
    Missing(usize, Option<KlassId>),
    /// It cannot be told: something else is wrong, or members are not declared.
    Unknown,
}

/// Attributes of built-in types (specification section 4.9).
pub const ATTRIBUTES: [(&str, &str); 10] = [
    ("quantity", "\"\""),
    ("unit", "\"\""),
    ("displayUnit", "\"\""),
    ("min", ""),
    ("max", ""),
    ("start", "0"),
    ("fixed", "false"),
    ("nominal", "1"),
    ("unbounded", "false"),
    ("stateSelect", "StateSelect.default"),
];

/// The classes of a workspace.
pub struct World {
    places: Places,
    workspace: Workspace,
    names: FxHashMap<FileId, Arc<Vec<Reference>>>,
}

impl World {
    /// A world without any class read.
    pub fn new(places: Places) -> World {
        let workspace = World::workspace(&places);
        World { places, workspace, names: FxHashMap::default() }
    }

    fn workspace(places: &Places) -> Workspace {
        let files = Overlay { files: (places.files)(), buffers: places.buffers.clone() };
        let mut workspace = Workspace::new(Box::new(files));
        for folder in &places.folders {
            workspace.add_folder(folder);
        }
        workspace
    }

    /// Forgets everything: files came or went.
    pub fn reset(&mut self) {
        self.workspace = World::workspace(&self.places);
        self.names.clear();
    }

    /// All classes.
    pub fn classes(&mut self) -> &mut Classes {
        self.workspace.classes()
    }

    /// All classes and how to flatten them.
    pub fn model(&mut self) -> &mut Workspace {
        &mut self.workspace
    }

    /// A buffer has another text.
    pub fn change(&mut self, path: &str, text: &str) {
        if let Some(file) = self.workspace.classes().lib.file_named(path) {
            let before = self.declared(file);
            self.names.remove(&file);
            self.workspace.replace_file(path, text);
            self.forget_messages();
            // Another name, or another package: it stands elsewhere, and what was there is gone.
            let file = self.workspace.classes().lib.file_named(path);
            if file.map(|file| self.declared(file)) != Some(before) {
                self.reset();
            }
        }
    }

    /// What a file declares at its top, with the package it is in.
    fn declared(&mut self, file: FileId) -> (Option<String>, Vec<Symbol>) {
        let ast = self.ast(file);
        let within = ast.within.map(|w| ast.name_text(w));
        (within, ast.roots.iter().map(|&root| ast.classes[root].name.symbol).collect())
    }

    /// The file with this path, read if need be.
    pub fn file(&mut self, path: &str) -> Option<FileId> {
        if let Some(file) = self.workspace.classes().lib.file_named(path) {
            return Some(file);
        }
        if !path.ends_with(".mo") {
            return None;
        }
        let text = self.text_of(path)?;
        let parse = kausal_syntax::modelica::parse(kausal_syntax::SourceId(0), text.as_str().into());
        let within = parse.ast.within.map(|w| parse.ast.name_text(w)).filter(|w| !w.is_empty());
        for &root in &parse.ast.roots {
            let name = parse.ast.classes[root].name.symbol;
            let full = within.as_ref().map_or(name.to_string(), |w| format!("{w}.{name}"));
            self.workspace.classes().by_path(&full);
            if let Some(file) = self.workspace.classes().lib.file_named(path) {
                // What was asked for to find it leaves no traces.
                self.workspace.classes().forget();
                self.forget_messages();
                return Some(file);
            }
        }
        self.workspace.add_source(path, &text);
        self.workspace.classes().forget();
        self.forget_messages();
        self.workspace.classes().lib.file_named(path)
    }

    fn text_of(&self, path: &str) -> Option<String> {
        Overlay { files: (self.places.files)(), buffers: self.places.buffers.clone() }.read(path)
    }

    /// Messages of lookups nobody asked for are dropped.
    pub fn forget_messages(&mut self) {
        let classes = self.workspace.classes();
        classes.take_diagnostics();
        classes.lib.diagnostics.clear();
    }

    /// The tree of a file.
    pub fn ast(&mut self, file: FileId) -> Arc<Ast> {
        self.workspace.classes().lib.ast(file)
    }

    /// All names of a file.
    pub fn names(&mut self, file: FileId) -> Arc<Vec<Reference>> {
        if let Some(names) = self.names.get(&file) {
            return names.clone();
        }
        let names = Arc::new(references(&self.ast(file)));
        // Only a few files are looked at again and again.
        if self.names.len() > 64 {
            self.names.clear();
        }
        self.names.insert(file, names.clone());
        names
    }

    /// The name at this place, and which part of it.
    pub fn name_at(&mut self, file: FileId, offset: u32) -> Option<(Reference, usize)> {
        let names = self.names(file);
        names.iter().find_map(|r| {
            let part = r.parts.iter().position(|p| p.span.start <= offset && offset <= p.span.end)?;
            Some((r.clone(), part))
        })
    }

    /// The innermost class around a place.
    pub fn class_at(&mut self, file: FileId, offset: u32) -> Option<ClassId> {
        let ast = self.ast(file);
        let around = ast.classes.iter().filter(|(_, c)| {
            matches!(c.body, ClassBody::Long(_)) && c.span.start <= offset && offset <= c.span.end
        });
        around.min_by_key(|(_, c)| c.span.end - c.span.start).map(|(id, _)| id)
    }

    /// A class of a file, as seen from the top.
    pub fn klass(&mut self, file: FileId, class: ClassId) -> Option<KlassId> {
        let classes = self.workspace.classes();
        let def = classes.lib.def_of(file, class);
        classes.klass_of_def(def).filter(|&k| classes.key(k).def == def)
    }

    /// What part `upto` of a name stands for.
    pub fn resolve(&mut self, file: FileId, name: &Reference, upto: usize) -> Resolved {
        let source = self.workspace.classes().lib.ast_ref(file).source;
        let here = |span| Location { source, span };
        let declared = |what, span| Resolved::Found(Target { location: Some(here(span)), what });
        let part = name.parts[upto];
        match &name.kind {
            Kind::Loop(span) if upto == 0 => declared(What::Loop, *span),
            Kind::Loop(_) => Resolved::Unknown,
            Kind::Literal(_) => declared(What::Literal, part.span),
            Kind::Class(id) => match self.klass(file, *id) {
                Some(k) => declared(What::Class(k), part.span),
                None => Resolved::Unknown,
            },
            Kind::Component(id) => {
                let Some(owner) = name.scope.and_then(|scope| self.klass(file, scope)) else {
                    return Resolved::Unknown;
                };
                let Some(members) = self.classes().members_if_built(owner) else { return Resolved::Unknown };
                let is_it = |m: &&Member| m.kind == MemberKind::Component(*id);
                match members.items.iter().find(|m| is_it(m) && m.origin == owner) {
                    Some(&member) => declared(What::Component { owner, member }, part.span),
                    None => Resolved::Unknown,
                }
            }
            Kind::Modifier(owner, path) => self.modifier(file, name, owner, path, upto),
            Kind::Argument(function) => {
                let function = Reference { parts: function.clone(), kind: Kind::Function, ..name.clone() };
                match self.resolve(file, &function, function.parts.len() - 1) {
                    Resolved::Found(Target { what: What::Class(k), .. }) => self.member(k, part.name, upto),
                    _ => Resolved::Unknown,
                }
            }
            Kind::Import => self.path(None, true, &name.parts, upto),
            Kind::Type | Kind::Value | Kind::Function => {
                let scope = match name.scope {
                    Some(scope) => match self.klass(file, scope) {
                        Some(k) => Some(k),
                        None => return Resolved::Unknown,
                    },
                    None => self.outside(file),
                };
                self.path(scope, name.global, &name.parts, upto)
            }
        }
    }

    /// The package a file is in.
    fn outside(&mut self, file: FileId) -> Option<KlassId> {
        let ast = self.ast(file);
        let classes = self.workspace.classes();
        let root = classes.lib.def_of(file, *ast.roots.first()?);
        let parent = classes.lib.def(root).parent?;
        classes.klass_of_def(parent)
    }

    /// Follows a path from a scope.
    pub fn path(&mut self, scope: Option<KlassId>, global: bool, parts: &[Part], upto: usize) -> Resolved {
        let first = parts[0].name;
        let classes = self.workspace.classes();
        let found = match scope {
            Some(k) if !global => classes.find(k, first),
            _ => classes.root(first).map(Found::Class),
        };
        let Some(mut found) = found else {
            let known = is_builtin(first.as_str()) || LANGUAGE.contains(&first.as_str());
            return match known && upto == 0 {
                true => Resolved::Found(Target { location: None, what: What::Builtin(first) }),
                false if known => Resolved::Unknown,
                false => Resolved::Missing(0, None),
            };
        };
        for (i, part) in parts.iter().enumerate().take(upto + 1).skip(1) {
            let (next, within) = match found {
                Found::Class(k) => {
                    if let Some(location) = self.literal(k, part.name) {
                        return Resolved::Found(Target { location: Some(location), what: What::Literal });
                    }
                    (self.workspace.classes().step(k, part.name), k)
                }
                Found::Component { member, .. } => {
                    let classes = self.workspace.classes();
                    let Ok(info) = classes.component(&member) else { return Resolved::Unknown };
                    (classes.find_in(info.klass, part.name), info.klass)
                }
            };
            match next {
                Some(next) => found = next,
                None => return self.missing(i, within),
            }
        }
        Resolved::Found(self.target(found))
    }

    fn missing(&mut self, part: usize, within: KlassId) -> Resolved {
        let classes = self.workspace.classes();
        let open = classes.deep_kind(within) == ClassKind::ExpandableConnector || classes.is_broken(within);
        if open || classes.leaf(within).is_some() {
            Resolved::Unknown
        } else {
            Resolved::Missing(part, Some(within))
        }
    }

    fn target(&mut self, found: Found) -> Target {
        let classes = self.workspace.classes();
        match found {
            Found::Class(k) => {
                let location = classes.def_location(classes.key(k).def);
                Target { location: self.visible(location), what: What::Class(k) }
            }
            Found::Component { owner, member, .. } => {
                let location = classes.member_location(&member);
                Target { location: self.visible(location), what: What::Component { owner, member } }
            }
        }
    }

    /// What is built into the language has no place anybody could look at.
    fn visible(&mut self, location: Location) -> Option<Location> {
        let name = &self.workspace.sources().get(location.source).name;
        (name != "built-in").then_some(location)
    }

    fn literal(&mut self, k: KlassId, name: Symbol) -> Option<Location> {
        let classes = self.workspace.classes();
        let mut at = k;
        for _ in 0..100 {
            let def = classes.key(at).def;
            if let ClassBody::Enumeration(Some(literals)) = &classes.lib.class(def).body {
                let literal = literals.iter().find(|l| l.name.symbol == name)?;
                let span = literal.name.span;
                return Some(classes.location(at, span));
            }
            at = classes.members(at).ok()?.bases.first().copied()?;
        }
        None
    }

    /// The class whose elements a modifier names.
    pub fn modified(
        &mut self,
        file: FileId,
        scope: Option<ClassId>,
        owner: &Owner,
        path: &[Symbol],
    ) -> Option<KlassId> {
        let mut klass = match owner {
            Owner::Component(id) => {
                let owner = self.klass(file, scope?)?;
                let classes = self.workspace.classes();
                let members = classes.members_if_built(owner)?;
                let own =
                    members.items.iter().find(|m| m.kind == MemberKind::Component(*id) && m.origin == owner);
                match own {
                    Some(member) => classes.component(member).ok()?.klass,
                    // A redeclaration within a modifier: only its type is known.
                    None => {
                        let ast = classes.lib.ast(file);
                        let name = ast.components[*id].type_name;
                        classes.lookup_name(owner, &ast, file, name).ok()?
                    }
                }
            }
            Owner::Base(parts) => {
                let scope = match scope {
                    Some(scope) => Some(self.klass(file, scope)?),
                    None => self.outside(file),
                };
                match self.path(scope, false, parts, parts.len() - 1) {
                    Resolved::Found(Target { what: What::Class(k), .. }) => k,
                    _ => return None,
                }
            }
        };
        for &name in path {
            klass = match self.workspace.classes().find_in(klass, name)? {
                Found::Class(k) => k,
                Found::Component { member, .. } => self.workspace.classes().component(&member).ok()?.klass,
            };
        }
        Some(klass)
    }

    fn modifier(
        &mut self,
        file: FileId,
        name: &Reference,
        owner: &Owner,
        path: &[Symbol],
        upto: usize,
    ) -> Resolved {
        let Some(mut klass) = self.modified(file, name.scope, owner, path) else { return Resolved::Unknown };
        for part in &name.parts[..upto] {
            klass = match self.workspace.classes().find_in(klass, part.name) {
                Some(Found::Class(k)) => k,
                Some(Found::Component { member, .. }) => match self.workspace.classes().component(&member) {
                    Ok(info) => info.klass,
                    Err(_) => return Resolved::Unknown,
                },
                None => return Resolved::Unknown,
            };
        }
        self.member(klass, name.parts[upto].name, upto)
    }

    fn member(&mut self, k: KlassId, name: Symbol, part: usize) -> Resolved {
        match self.workspace.classes().find_in(k, name) {
            Some(found) => Resolved::Found(self.target(found)),
            None if self.workspace.classes().leaf(k).is_some() => {
                match ATTRIBUTES.iter().any(|(a, _)| *a == name.as_str()) {
                    true => Resolved::Found(Target { location: None, what: What::Attribute(name) }),
                    false => Resolved::Unknown,
                }
            }
            None => self.missing(part, k),
        }
    }
}

/// Names that have a meaning without being declared, besides functions.
const LANGUAGE: [&str; 12] = [
    "time",
    "der",
    "initial",
    "terminal",
    "pure",
    "impure",
    "inStream",
    "actualStream",
    "Connections",
    "connect",
    "assert",
    "cardinality",
];
