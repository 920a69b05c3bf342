//! One file of a library is edited: its classes are replaced, everything else stays.
//!
//! Before: names of classes ([`DefId`]) were given out for the old text. After: those of the classes of this file are
//! void; classes stored below them (files of a package that is a folder, files with a `within` clause) have their new
//! parents. The number of definitions does not grow with the number of edits: a file keeps the names it has,
//! and gets a longer row of them, with room to grow, only where the new text has more classes.

use kausal_syntax::ast::ClassId;
use kausal_syntax::{Ast, Diagnostic, Span, Symbol};
use rustc_hash::FxHashMap;

use crate::library::{Def, DefId, FileId, Library, Parsed, Stored};

impl Library {
    /// The file read under this name; of several the last.
    pub fn file_named(&self, name: &str) -> Option<FileId> {
        let is_it = |p: &Parsed| self.sources.get(p.ast.source).name == name;
        self.parsed.iter().rposition(is_it).map(|at| FileId(at as u32))
    }

    /// Replaces the text of a file; gives what the parser says about the new one. `None` where the file was not read
    /// yet, or is in the classic notation, whose files depend on one another.
    pub(crate) fn replace_file(&mut self, name: &str, text: &str) -> Option<Vec<Diagnostic>> {
        let file = self.file_named(name).filter(|_| !name.ends_with(".dym"))?;
        let source = self.ast_ref(file).source;
        self.sources.replace(source, text);
        let parse = kausal_syntax::modelica::parse(source, self.sources.get(source).text.clone());
        let below = self.take_out(file);
        self.put_in(file, parse.ast);
        let before = std::mem::take(&mut self.diagnostics);
        match self.parsed[file.0 as usize].stored.clone() {
            Stored::Given => {
                self.place_given(file);
            }
            Stored::Loaded { parent, name, folder } => self.place_loaded(file, parent, name, folder),
        }
        self.attach(file, below);
        self.note_uses(file);
        self.diagnostics = before;
        Some(parse.diagnostics)
    }

    fn range(&self, file: FileId) -> std::ops::Range<u32> {
        let Parsed { first, room, .. } = self.parsed[file.0 as usize];
        first..first + room
    }

    /// Takes the classes of a file out of their parents. Gives the classes of other files that are stored in them, by
    /// the path within this file.
    fn take_out(&mut self, file: FileId) -> Vec<(Vec<Symbol>, Symbol, DefId)> {
        let range = self.range(file);
        let own = |def: DefId| range.contains(&def.0);
        let mut below = Vec::new();
        let ast = self.ast(file);
        for (class, _) in ast.classes.iter() {
            let def = self.def_of(file, class);
            let Some(children) = self.defs[def.0 as usize].children.take() else { continue };
            for (name, child) in children {
                if let Some(child) = child.filter(|&c| !own(c)) {
                    below.push((path_in(&ast, class), name, child));
                }
            }
        }
        for &root in &ast.roots {
            let def = self.def_of(file, root);
            let name = ast.classes[root].name.symbol;
            let siblings = match self.def(def).parent {
                None => Some(&mut self.roots),
                Some(parent) => self.defs[parent.0 as usize].children.as_mut(),
            };
            if let Some(siblings) = siblings
                && siblings.get(&name) == Some(&Some(def))
            {
                siblings.remove(&name);
            }
        }
        self.root_order.retain(|&def| !own(def));
        self.failed.retain(|(parent, _)| !parent.is_some_and(own));
        below
    }

    /// Enters the classes of the new tree.
    fn put_in(&mut self, file: FileId, ast: Ast) {
        let count = ast.classes.len() as u32;
        let blank =
            Def { file, class: ClassId::new(0), parent: None, folder: None, children: None, listed: None };
        let parsed = &mut self.parsed[file.0 as usize];
        if count > parsed.room {
            parsed.first = self.defs.len() as u32;
            parsed.room = count + count / 2;
            self.defs.resize(self.defs.len() + parsed.room as usize, blank.clone());
        }
        let first = parsed.first;
        for (class, def) in ast.classes.iter() {
            let parent = def.parent.map(|p| DefId(first + p.index() as u32));
            self.defs[first as usize + class.index()] = Def { class, parent, ..blank.clone() };
        }
        parsed.ast = std::sync::Arc::new(ast);
    }

    fn place_loaded(&mut self, file: FileId, parent: Option<DefId>, name: Symbol, folder: Option<String>) {
        let ast = self.ast(file);
        let class = ast.roots.iter().copied().find(|&c| ast.classes[c].name.symbol == name);
        let def = class.map(|class| self.def_of(file, class));
        // A class that is gone is not found, as if there had never been a file.
        if let Some(def) = def {
            let d = &mut self.defs[def.0 as usize];
            d.parent = parent;
            d.folder = folder;
            self.failed.remove(&(parent, name));
        }
        match parent {
            None => {
                self.roots.insert(name, def);
                self.root_order.extend(def);
            }
            Some(parent) => {
                if let Some(children) = &mut self.defs[parent.0 as usize].children {
                    children.insert(name, def);
                }
            }
        }
    }

    /// Gives classes of other files to their new parents.
    fn attach(&mut self, file: FileId, below: Vec<(Vec<Symbol>, Symbol, DefId)>) {
        let ast = self.ast(file);
        let paths: FxHashMap<Vec<Symbol>, ClassId> = match below.is_empty() {
            true => FxHashMap::default(),
            false => ast.classes.iter().map(|(class, _)| (path_in(&ast, class), class)).collect(),
        };
        for (path, name, child) in below {
            let parent = paths.get(&path).map(|&class| self.def_of(file, class));
            self.defs[child.0 as usize].parent = parent;
            let its_file = self.def(child).file;
            if let Stored::Loaded { parent: of_file, .. } = &mut self.parsed[its_file.0 as usize].stored {
                *of_file = parent;
            }
            let Some(parent) = parent else { continue };
            self.own_children(parent);
            if let Some(children) = &mut self.defs[parent.0 as usize].children {
                children.entry(name).or_insert(Some(child));
            }
        }
    }

    /// Where the text of a file is registered.
    pub fn file_location(&self, file: FileId) -> kausal_syntax::Location {
        self.location(file, Span::default())
    }
}

/// The names of a class and of those around it, within its file.
fn path_in(ast: &Ast, class: ClassId) -> Vec<Symbol> {
    let mut path = Vec::new();
    let mut at = Some(class);
    while let Some(class) = at {
        path.push(ast.classes[class].name.symbol);
        at = ast.classes[class].parent;
    }
    path.reverse();
    path
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use crate::{Files, NoFiles, Workspace};

    struct Memory(HashMap<&'static str, &'static str>);

    impl Files for Memory {
        fn list(&self, folder: &str) -> Option<Vec<String>> {
            let inside = |path: &&str| {
                let rest = path.strip_prefix(folder)?.strip_prefix('/')?;
                Some(rest.split('/').next()?.to_owned())
            };
            let mut names: Vec<String> = self.0.keys().filter_map(inside).collect();
            names.sort();
            names.dedup();
            (!names.is_empty()).then_some(names)
        }
        fn read(&self, path: &str) -> Option<String> {
            self.0.get(path).map(|&t| t.to_owned())
        }
    }

    fn library() -> Workspace {
        let mut workspace = Workspace::new(Box::new(Memory(HashMap::from([
            (
                "L/P/package.mo",
                "within; package P constant Real c = 1; model Own Real x = c; end Own; end P;",
            ),
            ("L/P/A.mo", "within P; model A extends B; Real y = c; end A;"),
            ("L/P/B.mo", "within P; model B Real x = 1; end B;"),
            ("L/P/Q/package.mo", "within P; package Q end Q;"),
            ("L/P/Q/C.mo", "within P.Q; model C extends A; end C;"),
        ]))));
        workspace.add_folder("L");
        workspace
    }

    fn unknowns(workspace: &mut Workspace, path: &str) -> Result<usize, Vec<&'static str>> {
        let (model, diagnostics) = workspace.flatten(path);
        match model.filter(|_| diagnostics.is_empty()) {
            Some(model) => Ok(model.variables.len()),
            None => Err(diagnostics.iter().map(|d| d.code).collect()),
        }
    }

    #[test]
    fn a_base_class_and_a_package_change() {
        let mut w = library();
        assert_eq!(unknowns(&mut w, "P.Q.C"), Ok(2));
        assert!(w.replace_file("L/P/B.mo", "within P; model B Real x = 1; Real z = 2; end B;").is_some());
        assert_eq!(unknowns(&mut w, "P.Q.C"), Ok(3));
        // The package gets more classes than it had; those in its folder stay in it.
        let text = "within; package P model N end N; model Own Real x[3] = {1, 2, c}; end Own; constant Real c = 3; \
                    model M extends B; end M; model O end O; end P;";
        assert!(w.replace_file("L/P/package.mo", text).is_some());
        assert_eq!(unknowns(&mut w, "P.Q.C"), Ok(3));
        assert_eq!(unknowns(&mut w, "P.M"), Ok(2));
        assert_eq!(unknowns(&mut w, "P.Own"), Ok(3));
    }

    #[test]
    fn a_class_goes_and_comes_back() {
        let mut w = library();
        assert_eq!(unknowns(&mut w, "P.A"), Ok(2));
        assert!(w.replace_file("L/P/B.mo", "within P; model").is_some());
        assert_eq!(unknowns(&mut w, "P.A"), Err(vec!["K0202"]));
        assert!(w.replace_file("L/P/B.mo", "within P; model B end B;").is_some());
        assert_eq!(unknowns(&mut w, "P.A"), Ok(1));
        // Without its package a class is nowhere; with it again it is read again.
        assert!(w.replace_file("L/P/package.mo", "").is_some());
        assert!(unknowns(&mut w, "P.A").is_err());
        assert!(w.replace_file("L/P/package.mo", "within; package P constant Real c = 1; end P;").is_some());
        assert_eq!(unknowns(&mut w, "P.A"), Ok(2));
    }

    #[test]
    fn texts_given_by_hand_change() {
        let mut w = Workspace::new(Box::new(NoFiles));
        w.add_source("a.mo", "package A model M Real x = 1; end M; end A;");
        w.add_source("b.mo", "model N extends A.M; end N;");
        assert_eq!(unknowns(&mut w, "N"), Ok(1));
        assert!(
            w.replace_file("a.mo", "package Z end Z; package A model M Real x = 1, y = 2; end M; end A;")
                .is_some()
        );
        assert_eq!(unknowns(&mut w, "N"), Ok(2));
        assert!(w.replace_file("b.mo", "model K extends A.M; end K;").is_some());
        assert_eq!(unknowns(&mut w, "K"), Ok(2));
        assert!(unknowns(&mut w, "N").is_err());
        assert!(w.replace_file("c.mo", "").is_none());
    }

    #[test]
    fn definitions_do_not_grow_with_edits() {
        let mut w = Workspace::new(Box::new(NoFiles));
        w.add_source("a.mo", "model A end A;");
        let text = |n: usize| (0..n).map(|i| format!("model M{i} end M{i};\n")).collect::<String>();
        for i in 0..1000 {
            w.replace_file("a.mo", &text(i % 8));
        }
        let count = w.classes().lib.defs.len();
        for i in 0..1000 {
            w.replace_file("a.mo", &text(i % 8));
        }
        assert_eq!(w.classes().lib.defs.len(), count);
    }
}
