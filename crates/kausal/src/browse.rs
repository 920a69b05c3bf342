//! What there is: libraries, packages and classes as a tree, and the files they are written in.

pub use kausal_draw::document::word;
use kausal_model::library::DefId;
use kausal_syntax::ast::{ClassBody, Element};
use kausal_syntax::{Span, Symbol};

use crate::session::Session;

/// A class in the tree.
#[derive(Clone, Debug)]
pub struct Listed {
    /// Its full name.
    pub class: String,
    /// The last part of it.
    pub name: String,
    /// `model`, `package`, …
    pub kind: &'static str,
    /// What it says about itself.
    pub description: String,
    /// It is not meant to be used as it is.
    pub partial: bool,
    /// There are classes in it.
    pub has_children: bool,
    /// It says how it is to be simulated.
    pub experiment: bool,
    /// It is not to be used any more.
    pub obsolete: bool,
    /// The path of its file.
    pub file: String,
    /// Where it is in that.
    pub span: Span,
}

impl Session {
    /// What is at the top: the built-in libraries and those of the folders, by name.
    ///
    /// ```
    /// let mut session = kausal::Session::new();
    /// assert!(session.listed_roots().iter().any(|root| root.class == "Kausal"));
    /// assert!(session.listed("Kausal.Examples").iter().any(|class| class.name == "RC"));
    /// ```
    pub fn listed_roots(&mut self) -> Vec<Listed> {
        let library = &mut self.workspace.classes().lib;
        let names = library.available_roots();
        let found: Vec<DefId> = names.into_iter().filter_map(|name| library.root(name)).collect();
        found.into_iter().map(|def| self.listed_def(def)).collect()
    }

    /// The classes in a class, in the order of the library.
    pub fn listed(&mut self, class: &str) -> Vec<Listed> {
        let Some(mut view) = self.view(class) else { return Vec::new() };
        let names: Vec<Symbol> = view.children().into_iter().map(|(name, ..)| name).collect();
        let classes = self.workspace.classes();
        let Some(klass) = classes.by_path(class) else { return Vec::new() };
        let parent = classes.key(klass).def;
        let found: Vec<DefId> =
            names.into_iter().filter_map(|name| classes.lib.child(parent, name)).collect();
        found.into_iter().map(|def| self.listed_def(def)).collect()
    }

    /// A class as the tree has it.
    pub fn listed_class(&mut self, class: &str) -> Option<Listed> {
        let classes = self.workspace.classes();
        let klass = classes.by_path(class)?;
        let def = classes.key(klass).def;
        Some(self.listed_def(def))
    }

    /// The text of a file that was read.
    pub fn text_of(&self, file: &str) -> Option<std::sync::Arc<str>> {
        let lib = self.workspace.library();
        let id = lib.file_named(file)?;
        Some(lib.ast_ref(id).text.clone())
    }

    fn listed_def(&mut self, def: DefId) -> Listed {
        let library = &mut self.workspace.classes().lib;
        let in_folder = !library.child_names(def).is_empty();
        let file = library.def(def).file;
        let ast = library.ast_ref(file);
        let class = library.class(def);
        let annotation = class.description.annotation;
        let has = |name: &str| kausal_model::class::annotation_modify(ast, annotation, name).is_some();
        let inside = match &class.body {
            ClassBody::Long(body) => body.elements.iter().any(|e| matches!(e, Element::Class(_))),
            _ => false,
        };
        let obsolete = kausal_model::class::annotation_value(ast, annotation, "obsolete").is_some();
        Listed {
            class: library.full_name(def),
            name: class.name.symbol.as_str().to_owned(),
            kind: word(class.kind),
            description: ast.description(&class.description),
            partial: class.partial,
            has_children: in_folder || inside,
            experiment: has("experiment"),
            obsolete,
            file: library.sources().get(ast.source).name.clone(),
            span: class.span,
        }
    }
}
