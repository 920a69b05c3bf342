//! Where classes come from: texts given by hand, and folders of libraries, loaded lazily.
//!
//! A class definition is named by a [`DefId`]; loading a file makes one for every class in it. A package that
//! is a folder knows the names in that folder and parses a child only when somebody asks for it
//! (specification section 13.4). Nothing here knows what a class means.

use std::sync::Arc;

use kausal_syntax::ast::{ClassBody, ClassDef, ClassId, Element};
use kausal_syntax::{Ast, Diagnostic, Location, Sources, Span, Symbol};
use rustc_hash::FxHashMap;

/// The outside world: folders and files. Paths are joined with `/`.
pub trait Files {
    /// The names in a folder, in any order; `None` if there is no such folder.
    fn list(&self, folder: &str) -> Option<Vec<String>>;
    /// The text of a file; `None` if it cannot be read.
    fn read(&self, path: &str) -> Option<String>;
}

/// No files at all: only texts given by hand.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFiles;

impl Files for NoFiles {
    fn list(&self, _: &str) -> Option<Vec<String>> {
        None
    }
    fn read(&self, _: &str) -> Option<String> {
        None
    }
}

/// Names a parsed file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// Names a class definition of some file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DefId(pub u32);

/// A class definition and where it belongs.
#[derive(Clone, Debug)]
pub struct Def {
    /// The file it is in.
    pub file: FileId,
    /// Which class of that file.
    pub class: ClassId,
    /// The class it stands in.
    pub parent: Option<DefId>,
    /// The folder of a package stored as one.
    folder: Option<String>,
    /// Nested classes by name, those written in the class itself and those loaded from the folder.
    children: Option<FxHashMap<Symbol, Option<DefId>>>,
    /// The names in the folder that may be children.
    listed: Option<FxHashMap<Symbol, Child>>,
}

#[derive(Clone, Copy, Debug)]
enum Child {
    File,
    Folder,
}

struct Parsed {
    ast: Arc<Ast>,
    first: u32,
}

/// All classes known so far and the folders more can come from.
pub struct Library {
    files: Box<dyn Files>,
    search: Vec<String>,
    search_listed: Vec<Option<Vec<String>>>,
    sources: Sources,
    parsed: Vec<Parsed>,
    defs: Vec<Def>,
    roots: FxHashMap<Symbol, Option<DefId>>,
    root_order: Vec<DefId>,
    /// Complaints of the parser, to be taken by whoever asks next.
    pub diagnostics: Vec<Diagnostic>,
}

impl Library {
    /// A library over `files`, without any class.
    pub fn new(files: Box<dyn Files>) -> Self {
        Library {
            files,
            search: Vec::new(),
            search_listed: Vec::new(),
            sources: Sources::default(),
            parsed: Vec::new(),
            defs: Vec::new(),
            roots: FxHashMap::default(),
            root_order: Vec::new(),
            diagnostics: Vec::new(),
        }
    }

    /// Adds a folder in which top-level packages are searched; earlier ones win.
    pub fn add_folder(&mut self, folder: &str) {
        self.search.push(folder.trim_end_matches('/').to_owned());
        self.search_listed.push(None);
        self.roots.retain(|_, def| def.is_some());
    }

    /// All texts.
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// The tree of a file.
    pub fn ast(&self, file: FileId) -> Arc<Ast> {
        self.parsed[file.0 as usize].ast.clone()
    }

    /// The tree of a file, borrowed.
    pub fn ast_ref(&self, file: FileId) -> &Ast {
        &self.parsed[file.0 as usize].ast
    }

    /// A definition.
    pub fn def(&self, def: DefId) -> &Def {
        &self.defs[def.0 as usize]
    }

    /// The syntax of a definition.
    pub fn class(&self, def: DefId) -> &ClassDef {
        let d = self.def(def);
        &self.ast_ref(d.file).classes[d.class]
    }

    /// The definition of a class of a file.
    pub fn def_of(&self, file: FileId, class: ClassId) -> DefId {
        DefId(self.parsed[file.0 as usize].first + class.index() as u32)
    }

    /// Where something in a file stands.
    pub fn location(&self, file: FileId, span: Span) -> Location {
        Location { source: self.ast_ref(file).source, span }
    }

    /// The full name of a definition.
    pub fn full_name(&self, def: DefId) -> String {
        let mut names = Vec::new();
        let mut at = Some(def);
        while let Some(d) = at {
            names.push(self.class(d).name.symbol.as_str());
            at = self.def(d).parent;
        }
        names.reverse();
        names.join(".")
    }

    /// Parses `text` and enters its classes, below the package its `within` clause names.
    pub fn add_source(&mut self, name: &str, text: &str) -> Vec<DefId> {
        let file = self.parse(name, text.to_owned());
        let ast = self.ast(file);
        let mut parent = None;
        if let Some(within) = ast.within {
            for part in ast.lists.idents.get(within.parts) {
                let next = match parent {
                    None => self.root(part.symbol),
                    Some(p) => self.child(p, part.symbol),
                };
                if next.is_none() {
                    let text = ast.name_text(within);
                    self.diagnostics.push(
                        Diagnostic::error(
                            "K0201",
                            format!("there is no package {text} to put this file into"),
                        )
                        .at(self.location(file, within.span), "named here"),
                    );
                    break;
                }
                parent = next;
            }
        }
        let mut out = Vec::new();
        for &class in &ast.roots {
            let def = self.def_of(file, class);
            let symbol = ast.classes[class].name.symbol;
            self.defs[def.0 as usize].parent = parent;
            match parent {
                None => {
                    self.roots.insert(symbol, Some(def));
                    self.root_order.push(def);
                }
                Some(p) => {
                    self.own_children(p);
                    if let Some(children) = &mut self.defs[p.0 as usize].children {
                        children.insert(symbol, Some(def));
                    }
                }
            }
            out.push(def);
        }
        out
    }

    /// A class at the top, loaded if need be.
    pub fn root(&mut self, name: Symbol) -> Option<DefId> {
        if let Some(&def) = self.roots.get(&name) {
            return def;
        }
        let def = self.load_root(name);
        self.roots.insert(name, def);
        if let Some(def) = def {
            self.root_order.push(def);
        }
        def
    }

    /// The names of the classes at the top that are loaded, for messages.
    pub fn root_names(&self) -> Vec<Symbol> {
        self.root_order.iter().map(|&d| self.class(d).name.symbol).collect()
    }

    /// A class written in `parent`, or stored in its folder.
    pub fn child(&mut self, parent: DefId, name: Symbol) -> Option<DefId> {
        self.own_children(parent);
        let d = &self.defs[parent.0 as usize];
        if let Some(children) = &d.children
            && let Some(&child) = children.get(&name)
        {
            return child;
        }
        d.folder.as_ref()?;
        let child = self.load_child(parent, name);
        if let Some(children) = &mut self.defs[parent.0 as usize].children {
            children.insert(name, child);
        }
        child
    }

    /// A child that is stored in the folder of `parent` and not written in it.
    pub fn folder_child(&mut self, parent: DefId, name: Symbol) -> Option<DefId> {
        self.defs[parent.0 as usize].folder.as_ref()?;
        self.child(parent, name)
    }

    /// The names of all children, those in folders included, sorted.
    pub fn child_names(&mut self, parent: DefId) -> Vec<Symbol> {
        self.own_children(parent);
        self.list_folder(parent);
        let d = &self.defs[parent.0 as usize];
        let mut names: Vec<Symbol> = Vec::new();
        if let Some(children) = &d.children {
            names.extend(children.iter().filter(|(_, c)| c.is_some()).map(|(&n, _)| n));
        }
        if let Some(listed) = &d.listed {
            names.extend(listed.keys());
        }
        names.sort_by_key(|n| n.as_str());
        names.dedup();
        names
    }

    /// The path of a `modelica://Library/…` resource.
    pub fn resource(&self, uri: &str) -> Option<String> {
        let rest = uri.strip_prefix("modelica://")?;
        let (package, path) = rest.split_once('/').unwrap_or((rest, ""));
        let mut def: Option<DefId> = None;
        for part in package.split('.') {
            let name = Symbol::new(part);
            def = match def {
                None => *self.roots.get(&name)?,
                Some(d) => *self.def(d).children.as_ref()?.get(&name)?,
            };
            def?;
        }
        let mut at = def;
        while let Some(d) = at {
            if let Some(folder) = &self.def(d).folder {
                return Some(format!("{folder}/{path}"));
            }
            at = self.def(d).parent;
        }
        None
    }

    fn own_children(&mut self, parent: DefId) {
        if self.defs[parent.0 as usize].children.is_some() {
            return;
        }
        let mut children = FxHashMap::default();
        let file = self.def(parent).file;
        if let ClassBody::Long(body) = &self.class(parent).body {
            for element in &body.elements {
                if let Element::Class(class) = element {
                    let name = self.ast_ref(file).classes[*class].name.symbol;
                    children.insert(name, Some(self.def_of(file, *class)));
                }
            }
        }
        self.defs[parent.0 as usize].children = Some(children);
    }

    fn list_folder(&mut self, parent: DefId) {
        let d = &self.defs[parent.0 as usize];
        if d.listed.is_some() {
            return;
        }
        let Some(folder) = d.folder.clone() else { return };
        let mut listed = FxHashMap::default();
        for name in self.files.list(&folder).unwrap_or_default() {
            if name == "package.mo" || name == "package.order" || name.starts_with('.') {
                continue;
            }
            if let Some(stem) = name.strip_suffix(".mo") {
                listed.insert(Symbol::new(stem), Child::File);
            } else if !name.contains('.') {
                listed.insert(Symbol::new(&name), Child::Folder);
            }
        }
        self.defs[parent.0 as usize].listed = Some(listed);
    }

    fn load_child(&mut self, parent: DefId, name: Symbol) -> Option<DefId> {
        self.list_folder(parent);
        let d = &self.defs[parent.0 as usize];
        let child = *d.listed.as_ref()?.get(&name)?;
        let folder = d.folder.clone()?;
        match child {
            Child::File => self.load(&format!("{folder}/{name}.mo"), None, Some(parent), name),
            Child::Folder => {
                let inner = format!("{folder}/{name}");
                self.load(&format!("{inner}/package.mo"), Some(inner), Some(parent), name)
            }
        }
    }

    fn load_root(&mut self, name: Symbol) -> Option<DefId> {
        for i in 0..self.search.len() {
            let folder = self.search[i].clone();
            if self.search_listed[i].is_none() {
                self.search_listed[i] = Some(self.files.list(&folder).unwrap_or_default());
            }
            let names = self.search_listed[i].as_deref().unwrap_or_default();
            let Some(found) = best_root(names, name.as_str()) else { continue };
            let path = format!("{folder}/{found}");
            let loaded = if found.ends_with(".mo") {
                self.load(&path, None, None, name)
            } else {
                self.load(&format!("{path}/package.mo"), Some(path.clone()), None, name)
            };
            if loaded.is_some() {
                return loaded;
            }
        }
        None
    }

    fn load(
        &mut self,
        path: &str,
        folder: Option<String>,
        parent: Option<DefId>,
        name: Symbol,
    ) -> Option<DefId> {
        let text = self.files.read(path)?;
        let file = self.parse(path, text);
        let ast = self.ast(file);
        let class = ast.roots.iter().copied().find(|&c| ast.classes[c].name.symbol == name)?;
        let def = self.def_of(file, class);
        let d = &mut self.defs[def.0 as usize];
        d.parent = parent;
        d.folder = folder;
        Some(def)
    }

    fn parse(&mut self, name: &str, text: String) -> FileId {
        let source = self.sources.add(name, text);
        let text = self.sources.get(source).text.clone();
        let parse = if name.ends_with(".dym") {
            kausal_syntax::classic::parse(source, text)
        } else {
            kausal_syntax::modelica::parse(source, text)
        };
        self.diagnostics.extend(parse.diagnostics);
        let file = FileId(self.parsed.len() as u32);
        let first = self.defs.len() as u32;
        for (class, def) in parse.ast.classes.iter() {
            let parent = def.parent.map(|p| DefId(first + p.index() as u32));
            self.defs.push(Def { file, class, parent, folder: None, children: None, listed: None });
        }
        self.parsed.push(Parsed { ast: Arc::new(parse.ast), first });
        file
    }
}

/// The entry for a top-level class: `Name`, `Name.mo`, or the highest version of `Name 1.2.3` and
/// `Name 1.2.3.mo`. An entry without a version wins.
fn best_root<'a>(names: &'a [String], name: &str) -> Option<&'a str> {
    let mut best: Option<(Vec<u64>, &str)> = None;
    for entry in names {
        let stem = entry.strip_suffix(".mo").unwrap_or(entry);
        let version = if stem == name {
            vec![u64::MAX]
        } else if let Some(version) = stem.strip_prefix(name).and_then(|rest| rest.strip_prefix(' ')) {
            version.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok()).collect()
        } else {
            continue;
        };
        if best.as_ref().is_none_or(|(v, _)| *v < version) {
            best = Some((version, entry));
        }
    }
    best.map(|(_, entry)| entry)
}
