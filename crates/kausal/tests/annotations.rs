//! The library `Kausal` is documented: every class and every part says what it is; every class has a text of its own and
//! an icon, its own or an inherited one; what is made of connected parts has a diagram, and parts and connections a place
//! in it. What is left out is left out for a reason: see [`needs_text`] and [`needs_icon`].

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kausal_syntax::ast::{ClassBody, ClassDef, ClassKind, Element, Equation, EquationKind, ModArg, ModId};
use kausal_syntax::{Ast, SourceId, modelica};

/// Everything in `library/Kausal`, by full name.
struct Library {
    files: Vec<Ast>,
    classes: BTreeMap<String, (usize, kausal_syntax::ast::ClassId)>,
}

impl Library {
    fn read() -> Library {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../library/Kausal");
        let mut paths = vec![(root, "Kausal".to_owned())];
        let mut library = Library { files: Vec::new(), classes: BTreeMap::new() };
        while let Some((folder, package)) = paths.pop() {
            let mut entries: Vec<PathBuf> =
                std::fs::read_dir(&folder).expect("a folder").filter_map(|e| Some(e.ok()?.path())).collect();
            entries.sort();
            for path in entries {
                let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
                if path.is_dir() {
                    paths.push((path, format!("{package}.{name}")));
                } else if path.extension().is_some_and(|e| e == "mo") {
                    let text = std::fs::read_to_string(&path).expect("a readable file");
                    let ast = modelica::parse(SourceId(0), Arc::from(text)).ast;
                    let inside = if name == "package" {
                        package.rsplit_once('.').map_or("", |p| p.0)
                    } else {
                        &package
                    };
                    library.add(ast, inside);
                }
            }
        }
        library
    }

    fn add(&mut self, ast: Ast, inside: &str) {
        let file = self.files.len();
        let mut stack: Vec<_> = ast.roots.iter().map(|&root| (root, inside.to_owned())).collect();
        while let Some((id, inside)) = stack.pop() {
            let class = &ast.classes[id];
            let name = if inside.is_empty() {
                class.name.symbol.to_string()
            } else {
                format!("{inside}.{}", class.name.symbol)
            };
            if let ClassBody::Long(body) = &class.body {
                let nested = body.elements.iter().filter_map(|e| match e {
                    Element::Class(id) => Some(*id),
                    _ => None,
                });
                stack.extend(nested.map(|id| (id, name.clone())));
            }
            self.classes.insert(name, (file, id));
        }
        self.files.push(ast);
    }

    fn class(&self, name: &str) -> Option<(&Ast, &ClassDef)> {
        let &(file, id) = self.classes.get(name)?;
        Some((&self.files[file], &self.files[file].classes[id]))
    }

    /// The full name of what a name means in a class: in it, or in one of the packages around it.
    fn resolve(&self, name: &str, inside: &str) -> Option<String> {
        let mut scope = Some(inside);
        while let Some(package) = scope {
            let full = format!("{package}.{name}");
            if self.classes.contains_key(&full) {
                return Some(full);
            }
            scope = package.rsplit_once('.').map(|(outer, _)| outer);
        }
        self.classes.contains_key(name).then(|| name.to_owned())
    }

    /// Does the class, or one that it extends, have this in its annotation?
    fn has(&self, name: &str, what: &str) -> bool {
        let mut stack = vec![name.to_owned()];
        while let Some(name) = stack.pop() {
            let Some((ast, class)) = self.class(&name) else { continue };
            if annotated(ast, class.description.annotation, what) {
                return true;
            }
            let bases: Vec<String> = match &class.body {
                ClassBody::Long(body) => {
                    let extends = body.elements.iter().filter_map(|e| match e {
                        Element::Extends(e) => Some(ast.name_text(e.base)),
                        _ => None,
                    });
                    extends.collect()
                }
                ClassBody::Short(body) => vec![ast.name_text(body.base)],
                _ => Vec::new(),
            };
            stack.extend(bases.iter().filter_map(|base| self.resolve(base, &name)));
        }
        false
    }
}

fn annotated(ast: &Ast, annotation: Option<ModId>, what: &str) -> bool {
    let Some(annotation) = annotation else { return false };
    ast.modifications[annotation]
        .args
        .iter()
        .any(|arg| matches!(arg, ModArg::Modify(m) if ast.name_text(m.name) == what))
}

/// Is there a text in the class's own annotation?
fn has_text(ast: &Ast, class: &ClassDef) -> bool {
    let Some(annotation) = class.description.annotation else { return false };
    let documentation = ast.modifications[annotation].args.iter().find_map(|arg| match arg {
        ModArg::Modify(m) if ast.name_text(m.name) == "Documentation" => m.modification,
        _ => None,
    });
    annotated(ast, documentation, "info")
}

/// A type is one line: its description, quantity and unit are all there is to say.
fn needs_text(class: &ClassDef) -> bool {
    class.kind != ClassKind::Type
}

/// Types, functions and records stand in no diagram. Partial models are not drawn either: the icon of what extends them
/// lies where theirs would be.
fn needs_icon(class: &ClassDef) -> bool {
    !class.partial && !matches!(class.kind, ClassKind::Type | ClassKind::Function | ClassKind::Record)
}

/// All `connect` equations, also those in loops and branches.
fn connections(equations: &[Equation]) -> Vec<&Equation> {
    let mut out = Vec::new();
    let mut stack: Vec<&Equation> = equations.iter().collect();
    while let Some(equation) = stack.pop() {
        match &equation.kind {
            EquationKind::Connect(..) => out.push(equation),
            EquationKind::For { body, .. } => stack.extend(body),
            EquationKind::If { branches, otherwise } => {
                stack.extend(branches.iter().flat_map(|(_, body)| body).chain(otherwise));
            }
            _ => {}
        }
    }
    out
}

#[test]
fn everything_is_documented_and_drawn() {
    let library = Library::read();
    assert!(library.classes.len() > 400, "{} classes", library.classes.len());
    let mut missing = Vec::new();
    for name in library.classes.keys() {
        let (ast, class) = library.class(name).expect("it is known");
        if ast.description(&class.description).is_empty() {
            missing.push(format!("{name}: no description"));
        }
        if needs_icon(class) && !library.has(name, "Icon") {
            missing.push(format!("{name}: no icon"));
        }
        if needs_text(class) && !has_text(ast, class) {
            missing.push(format!("{name}: no text"));
        }
        let ClassBody::Long(body) = &class.body else { continue };
        for element in &body.elements {
            let Element::Component(id) = element else { continue };
            let component = &ast.components[*id];
            if ast.description(&component.description).is_empty() && class.kind != ClassKind::Function {
                missing.push(format!("{name}: {} has no description", component.name.symbol));
            }
            let of = library.resolve(&ast.name_text(component.type_name), name);
            let kind = of.and_then(|of| library.class(&of).map(|(_, class)| class.kind));
            let placed = matches!(kind, Some(ClassKind::Model | ClassKind::Block | ClassKind::Connector));
            if placed
                && !component.prefixes.outer
                && !annotated(ast, component.description.annotation, "Placement")
            {
                missing.push(format!("{name}: {} has no place", component.name.symbol));
            }
        }
        let connected = body.equations.iter().any(|s| !connections(&s.equations).is_empty());
        if connected && !library.has(name, "Diagram") {
            missing.push(format!("{name}: no diagram"));
        }
        for section in &body.equations {
            let lost = connections(&section.equations)
                .into_iter()
                .filter(|equation| !annotated(ast, equation.description.annotation, "Line"))
                .count();
            if lost > 0 {
                missing.push(format!("{name}: {lost} connections without a line"));
            }
        }
    }
    assert!(missing.is_empty(), "{} gaps:\n{}", missing.len(), missing.join("\n"));
}

/// The page of the guide about the library names every package, and every class of the packages that users choose from.
#[test]
fn the_page_about_the_library_is_complete() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/library.md");
    let page = std::fs::read_to_string(path).expect("docs/src/library.md");
    let library = Library::read();
    let mut missing = Vec::new();
    for name in library.classes.keys() {
        let parts: Vec<&str> = name.split('.').skip(1).collect();
        let listed = match parts[..] {
            [package] => package,
            // Types, constants, icons and examples are not listed one by one; all packages have `Interfaces`.
            ["Units" | "Constants" | "Icons" | "Examples", _] => continue,
            [_, class] => class,
            _ => continue,
        };
        if !page.contains(&format!("`{listed}`")) && !page.contains(&format!("`MultiBody.{listed}`")) {
            missing.push(name);
        }
    }
    assert!(missing.is_empty(), "not on the page: {missing:?}");
}
