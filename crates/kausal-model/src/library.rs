//! Where classes come from: texts given by hand, and folders of libraries, loaded lazily.
//!
//! A class definition is named by a [`DefId`]; loading a file makes one for every class in it. A package that
//! is a folder knows the names in that folder and parses a child only when somebody asks for it
//! (specification section 13.4). Nothing here knows what a class means.

mod conversion;
mod replace;

use std::sync::Arc;

use kausal_syntax::ast::{ClassBody, ClassDef, ClassId, Element, Ident, ModArg};
use kausal_syntax::{Ast, Diagnostic, Location, SourceId, Sources, Span, Symbol};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::annotation::{annotation_modify, annotation_value};

/// The outside world: folders and files. Paths are joined with `/`.
pub trait Files: Send {
    /// The names in a folder, in any order; `None` if there is no such folder.
    fn list(&self, folder: &str) -> Option<Vec<String>>;
    /// The text of a file; `None` if it cannot be read.
    fn read(&self, path: &str) -> Option<String>;
    /// Why a file that exists cannot be read, as the end of a sentence about it.
    fn problem(&self, _path: &str) -> Option<String> {
        None
    }
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
    /// The name of its first class, and how many names it has.
    first: u32,
    room: u32,
    stored: Stored,
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
    /// What `uses` annotations ask for.
    wanted: FxHashMap<Symbol, Wanted>,
    /// What files in the classic notation may use of each other.
    classic: kausal_syntax::classic::Interfaces,
    prelude_read: bool,
    /// Classes whose file was found but is not what it should be; that was reported.
    failed: FxHashSet<(Option<DefId>, Symbol)>,
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
            wanted: FxHashMap::default(),
            classic: Default::default(),
            prelude_read: false,
            failed: FxHashSet::default(),
            diagnostics: Vec::new(),
        }
    }

    /// Adds a folder in which top-level packages are searched; earlier ones win.
    pub fn add_folder(&mut self, folder: &str) {
        self.search.push(folder.trim_end_matches('/').to_owned());
        self.search_listed.push(None);
        self.roots.retain(|_, def| def.is_some());
    }

    /// The folders in which top-level packages are searched.
    pub fn search_folders(&self) -> &[String] {
        &self.search
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

    /// The class at the top that a text belongs to.
    pub fn top_of(&self, source: SourceId) -> Option<DefId> {
        let parsed = self.parsed.iter().find(|p| p.ast.source == source).filter(|p| p.room > 0)?;
        let mut at = DefId(parsed.first);
        while let Some(parent) = self.def(at).parent {
            at = parent;
        }
        Some(at)
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
        self.place_given(file)
    }

    /// Puts the classes of a text that was given by hand where they belong.
    fn place_given(&mut self, file: FileId) -> Vec<DefId> {
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
                        .at(self.location(file, within.span), "named here")
                        .help("leave the line with `within` out, or load the library it belongs to"),
                    );
                    break;
                }
                parent = next;
            }
        }
        let mut out = Vec::new();
        let mut seen: FxHashMap<Symbol, Span> = FxHashMap::default();
        for &class in &ast.roots {
            let def = self.def_of(file, class);
            let Ident { symbol, span } = ast.classes[class].name;
            if let Some(first) = seen.insert(symbol, span) {
                self.diagnostics.push(
                    Diagnostic::error("K0212", format!("{symbol} is defined twice in this file"))
                        .at(self.location(file, span), "again here")
                        .at(self.location(file, first), "first here"),
                );
            }
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

    /// The names of the classes at the top that the folders have, loaded or not.
    pub fn available_roots(&mut self) -> Vec<Symbol> {
        let mut names: Vec<String> = Vec::new();
        for i in 0..self.search.len() {
            let folder = self.search[i].clone();
            if self.search_listed[i].is_none() {
                self.search_listed[i] = Some(self.files.list(&folder).unwrap_or_default());
            }
            for entry in self.search_listed[i].as_deref().unwrap_or_default() {
                let is_name = |name: &str| {
                    name.bytes().next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
                        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
                };
                match entry.strip_suffix(".mo") {
                    Some("package") => {}
                    Some(stem) => names.extend(is_name(stem).then(|| stem.to_owned())),
                    // `Name` or `Name 1.2.3`, with a package in it.
                    None => {
                        let name = entry.split(' ').next().unwrap_or_default();
                        let path = format!("{folder}/{entry}");
                        let has_package = || {
                            let inside = self.files.list(&path).unwrap_or_default();
                            inside.iter().any(|n| n == "package.mo")
                        };
                        if is_name(name) && has_package() {
                            names.push(name.to_owned());
                        }
                    }
                }
            }
        }
        names.sort();
        names.dedup();
        names.iter().map(|name| Symbol::new(name)).collect()
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
        let mut top = None;
        while let Some(d) = at {
            if let Some(folder) = &self.def(d).folder {
                return Some(format!("{folder}/{path}"));
            }
            top = Some(d);
            at = self.def(d).parent;
        }
        // A package that is one file has its resources beside it.
        let file = self.location(self.def(top?).file, Span::default()).source;
        let folder = self.sources.get(file).name.rsplit_once('/').map_or(".", |(folder, _)| folder);
        Some(format!("{folder}/{path}"))
    }

    /// Where the data of the libraries read so far may be: the folder of a package that is one, and the folder
    /// `Resources` beside one that is a file.
    pub fn folders(&self) -> Vec<String> {
        let folder = |&def: &DefId| match &self.def(def).folder {
            Some(folder) => Some(folder.clone()),
            None => {
                let file = self.location(self.def(def).file, Span::default()).source;
                let (folder, _) = self.sources.get(file).name.rsplit_once('/')?;
                Some(format!("{folder}/Resources"))
            }
        };
        let mut folders: Vec<String> = self.root_order.iter().filter_map(folder).collect();
        folders.sort();
        folders.dedup();
        folders
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
        self.check_order(parent, &folder, &listed);
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
        let wanted = self.wanted.get(&name).map(|w| w.version.clone());
        let mut candidates = self.candidates(name);
        if let Some(wanted) = &wanted {
            for candidate in &mut candidates {
                candidate.suits = suits(&self.version_at(candidate, name), wanted);
            }
            // The sort is stable: among equals the order of the folders counts.
            candidates.sort_by_key(|c| std::cmp::Reverse(c.suits));
        }
        let def = candidates.iter().find_map(|c| self.load_candidate(c, name))?;
        self.check_version(name, def);
        Some(def)
    }

    /// Where a class at the top may come from, in the order of the folders; in a folder the one without a version in its
    /// name first, then the highest version.
    fn candidates(&mut self, name: Symbol) -> Vec<Candidate> {
        let mut out = Vec::new();
        for i in 0..self.search.len() {
            let folder = self.search[i].clone();
            if self.search_listed[i].is_none() {
                self.search_listed[i] = Some(self.files.list(&folder).unwrap_or_default());
            }
            let names = self.search_listed[i].as_deref().unwrap_or_default();
            let mut found: Vec<(Option<Version>, &String)> = names
                .iter()
                .filter_map(|entry| Some((named_version(entry, name.as_str())?, entry)))
                .collect();
            found.sort_by(|a, b| (a.0.is_some(), &b.0, a.1).cmp(&(b.0.is_some(), &a.0, b.1)));
            out.extend(found.into_iter().map(|(version, entry)| {
                let path = format!("{folder}/{entry}");
                Candidate { path, version, suits: Suits::Not }
            }));
        }
        out
    }

    fn load_candidate(&mut self, candidate: &Candidate, name: Symbol) -> Option<DefId> {
        let path = &candidate.path;
        if path.ends_with(".mo") {
            self.load(path, None, None, name)
        } else {
            self.load(&format!("{path}/package.mo"), Some(path.clone()), None, name)
        }
    }

    /// The version of a library that is not loaded: in its name, or in its annotation.
    fn version_at(&self, candidate: &Candidate, name: Symbol) -> Version {
        if let Some(version) = &candidate.version {
            return version.clone();
        }
        let path = &candidate.path;
        let text = match path.ends_with(".mo") {
            true => self.files.read(path),
            false => self.files.read(&format!("{path}/package.mo")),
        };
        let Some(text) = text else { return Version::default() };
        let parse = kausal_syntax::modelica::parse(kausal_syntax::SourceId(0), text.into());
        let class = parse.ast.roots.iter().find(|&&c| parse.ast.classes[c].name.symbol == name);
        class.and_then(|&c| annotated_version(&parse.ast, c)).unwrap_or_default()
    }

    /// Notes what the `uses` annotations of the classes of a file ask for (specification section 18.8.2).
    fn note_uses(&mut self, file: FileId) {
        let ast = self.ast(file);
        for &class in &ast.roots {
            let annotation = ast.classes[class].description.annotation;
            let Some(uses) = annotation_modify(&ast, annotation, "uses") else { continue };
            for arg in &ast.modifications[uses].args {
                let ModArg::Modify(modify) = arg else { continue };
                let [library] = ast.lists.idents.get(modify.name.parts) else { continue };
                let Some(version) = string_of(&ast, annotation_value(&ast, modify.modification, "version"))
                else {
                    continue;
                };
                let name = library.symbol;
                let user = ast.classes[class].name.symbol;
                let location = self.location(file, library.span);
                let wanted = Wanted { version: version_of(&version), text: version, user, location };
                self.wanted.entry(name).or_insert(wanted);
                if let Some(&Some(def)) = self.roots.get(&name) {
                    self.check_version(name, def);
                }
            }
        }
    }

    /// Warns of a library whose first version number is not the one asked for.
    fn check_version(&mut self, name: Symbol, def: DefId) {
        let d = self.def(def);
        let (file, class) = (d.file, d.class);
        let ast = self.ast(file);
        let (Some(wanted), Some(found)) = (self.wanted.get(&name), annotated_version(&ast, class)) else {
            return;
        };
        if wanted.version.first() == found.first() {
            return;
        }
        let found: Vec<String> = found.iter().map(u64::to_string).collect();
        let Wanted { text, user, location, .. } = wanted;
        let message = format!("{user} was written for {name} {text}, but {name} {} is used", found.join("."));
        let defined = self.location(file, ast.classes[class].name.span);
        let warning = Diagnostic::warning("K0208", message)
            .at(*location, "asked for here")
            .at(defined, "this one was found")
            .help(format!("add a folder with {name} {text} to MODELICAPATH or with --library"));
        self.wanted.remove(&name);
        self.diagnostics.push(warning);
    }

    fn load(
        &mut self,
        path: &str,
        folder: Option<String>,
        parent: Option<DefId>,
        name: Symbol,
    ) -> Option<DefId> {
        let Some(text) = self.files.read(path) else {
            if let Some(why) = self.files.problem(path) {
                self.failed.insert((parent, name));
                let message = format!("{name} should be in {path}, but that file {why}");
                self.diagnostics.push(Diagnostic::error("K0902", message));
            }
            return None;
        };
        let file = self.parse(path, text);
        self.parsed[file.0 as usize].stored = Stored::Loaded { parent, name, folder: folder.clone() };
        let ast = self.ast(file);
        let Some(class) = ast.roots.iter().copied().find(|&c| ast.classes[c].name.symbol == name) else {
            self.wrong_name(path, file, parent, name);
            return None;
        };
        self.check_within(file, parent);
        let def = self.def_of(file, class);
        let d = &mut self.defs[def.0 as usize];
        d.parent = parent;
        d.folder = folder;
        Some(def)
    }

    /// Was a file found for this class that is not what it should be?
    pub fn failed_to_load(&self, parent: Option<DefId>, name: Symbol) -> bool {
        self.failed.contains(&(parent, name))
    }

    /// A file or folder is named like the class in it (specification section 13.4).
    fn wrong_name(&mut self, path: &str, file: FileId, parent: Option<DefId>, name: Symbol) {
        self.failed.insert((parent, name));
        let ast = self.ast(file);
        let diagnostic = match ast.roots.first().map(|&c| ast.classes[c].name) {
            Some(other) => {
                let message =
                    format!("{path} should define the class {name}, but it defines {}", other.symbol);
                Diagnostic::error("K0209", message)
                    .at(self.location(file, other.span), "defined here")
                    .help("a file or folder has the name of the class it holds")
            }
            None => Diagnostic::error(
                "K0209",
                format!("{path} should define the class {name}, but it defines none"),
            ),
        };
        self.diagnostics.push(diagnostic);
    }

    /// The `within` clause of a file in the folder of a package names that package (specification section 13.4.3).
    fn check_within(&mut self, file: FileId, parent: Option<DefId>) {
        let ast = self.ast(file);
        let Some(within) = ast.within.filter(|w| !w.parts.is_empty()) else { return };
        let said = ast.name_text(within);
        let stored = parent.map(|p| self.full_name(p));
        if stored.as_deref() == Some(said.as_str()) {
            return;
        }
        let message = match &stored {
            Some(package) => format!("this file says `within {said}`, but it is stored in {package}"),
            None => {
                format!("this file says `within {said}`, but it is stored at the top of a library folder")
            }
        };
        let help = match stored {
            Some(package) => format!("write `within {package};`"),
            None => "leave out the name after `within`, or move the file into the folder of its package"
                .to_owned(),
        };
        let location = self.location(file, within.span);
        self.diagnostics.push(Diagnostic::error("K0201", message).at(location, "named here").help(help));
    }

    /// What `package.order` names is in the package (specification section 13.4.1).
    fn check_order(&mut self, parent: DefId, folder: &str, listed: &FxHashMap<Symbol, Child>) {
        let path = format!("{folder}/package.order");
        let Some(text) = self.files.read(&path) else { return };
        self.own_children(parent);
        let file = self.def(parent).file;
        let ast = self.ast(file);
        let own = |name: Symbol| match &ast.classes[self.def(parent).class].body {
            ClassBody::Long(body) => body.elements.iter().any(|e| match e {
                Element::Class(c) => ast.classes[*c].name.symbol == name,
                Element::Component(c) => ast.components[*c].name.symbol == name,
                _ => false,
            }),
            _ => false,
        };
        let mut missing = Vec::new();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let name = line.trim();
            let symbol = Symbol::new(name);
            if !name.is_empty() && !listed.contains_key(&symbol) && !own(symbol) {
                missing.push((symbol, Span::new(start, start + line.trim_end().len() as u32)));
            }
            start += line.len() as u32;
        }
        if missing.is_empty() {
            return;
        }
        let source = self.sources.add(&path, text);
        for (name, span) in missing {
            let package = self.full_name(parent);
            self.diagnostics.push(
                Diagnostic::error("K0905", format!("package.order names {name}, which is not in {package}"))
                    .at(Location { source, span }, "no such file, folder or declaration")
                    .help("remove the line, or add the class"),
            );
        }
    }

    fn parse(&mut self, name: &str, text: String) -> FileId {
        if name.ends_with(".dym") {
            self.read_prelude();
            let source = self.sources.add(name, text);
            let text = self.sources.get(source).text.clone();
            let mut parses = kausal_syntax::classic::parse_with(&mut self.classic, &[(source, text)]);
            // One file in, one out.
            return self.enter(parses.remove(0));
        }
        let source = self.sources.add(name, text);
        let text = self.sources.get(source).text.clone();
        let file = self.enter(kausal_syntax::modelica::parse(source, text));
        self.note_uses(file);
        file
    }

    fn enter(&mut self, parse: kausal_syntax::Parse) -> FileId {
        self.diagnostics.extend(parse.diagnostics);
        let file = FileId(self.parsed.len() as u32);
        let first = self.defs.len() as u32;
        for (class, def) in parse.ast.classes.iter() {
            let parent = def.parent.map(|p| DefId(first + p.index() as u32));
            self.defs.push(Def { file, class, parent, folder: None, children: None, listed: None });
        }
        let room = self.defs.len() as u32 - first;
        self.parsed.push(Parsed { ast: Arc::new(parse.ast), first, room, stored: Stored::Given });
        file
    }

    /// The classes in the classic notation that library folders hold in `classic/`: every file in this notation may use
    /// them, one of its own of the same name comes first.
    fn read_prelude(&mut self) {
        if std::mem::replace(&mut self.prelude_read, true) {
            return;
        }
        let mut files = Vec::new();
        for folder in self.search.clone() {
            let mut names = self.files.list(&format!("{folder}/{CLASSIC}")).unwrap_or_default();
            names.retain(|n| n.ends_with(".dym"));
            names.sort();
            for name in names {
                let path = format!("{folder}/{CLASSIC}/{name}");
                if let Some(text) = self.files.read(&path) {
                    let source = self.sources.add(&path, text);
                    files.push((source, self.sources.get(source).text.clone()));
                }
            }
        }
        for parse in kausal_syntax::classic::parse_with(&mut self.classic, &files) {
            let file = self.enter(parse);
            let ast = self.ast(file);
            for &class in &ast.roots {
                let def = self.def_of(file, class);
                let slot = self.roots.entry(ast.classes[class].name.symbol).or_default();
                if slot.is_none() {
                    *slot = Some(def);
                    self.root_order.push(def);
                }
            }
        }
    }
}

/// Where a library folder keeps classes in the classic notation.
const CLASSIC: &str = "classic";

/// The numbers of a version: `4.0.0`.
type Version = Vec<u64>;

/// What a `uses` annotation asks for.
#[derive(Debug)]
struct Wanted {
    version: Version,
    text: String,
    user: Symbol,
    location: Location,
}

/// Where a class at the top may come from.
#[derive(Debug)]
struct Candidate {
    path: String,
    /// The version in its name.
    version: Option<Version>,
    suits: Suits,
}

/// How well a version suits the one asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Suits {
    Not,
    Older,
    Newer,
    Exactly,
}

fn suits(version: &Version, wanted: &Version) -> Suits {
    if version == wanted {
        Suits::Exactly
    } else if version.first() != wanted.first() {
        Suits::Not
    } else if version > wanted {
        Suits::Newer
    } else {
        Suits::Older
    }
}

fn version_of(text: &str) -> Version {
    text.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok()).collect()
}

/// Is the entry of a folder `Name`, `Name.mo`, `Name 1.2.3` or `Name 1.2.3.mo`? Then with which version.
fn named_version(entry: &str, name: &str) -> Option<Option<Version>> {
    let stem = entry.strip_suffix(".mo").unwrap_or(entry);
    if stem == name {
        return Some(None);
    }
    stem.strip_prefix(name).and_then(|rest| rest.strip_prefix(' ')).map(|v| Some(version_of(v)))
}

fn annotated_version(ast: &Ast, class: ClassId) -> Option<Version> {
    let annotation = ast.classes[class].description.annotation;
    string_of(ast, annotation_value(ast, annotation, "version")).map(|text| version_of(&text))
}

fn string_of(ast: &Ast, expr: Option<kausal_syntax::ast::ExprId>) -> Option<String> {
    match ast.exprs[expr?] {
        kausal_syntax::ast::Expr::String(s) => Some(ast.string(s).to_string()),
        _ => None,
    }
}

/// How a file came into the library.
#[derive(Clone, Debug)]
pub(crate) enum Stored {
    /// As a text: the `within` clause says where it belongs.
    Given,
    /// For this class of this parent, which has this folder.
    Loaded { parent: Option<DefId>, name: Symbol, folder: Option<String> },
}
