//! What the built-in library has to try.

use std::sync::Arc;

use kausal_model::Files;
use kausal_syntax::ast::{ClassBody, ClassDef, ClassKind, Element, ModArg};
use kausal_syntax::{Ast, SourceId, modelica};

use crate::files::{BUILT_IN, DiskAndBuiltIn};

/// All models of `Kausal.Examples` that can be run, with what they say about themselves, by name.
pub fn examples() -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![(format!("{BUILT_IN}/Kausal/Examples"), "Kausal.Examples".to_owned())];
    while let Some((folder, package)) = folders.pop() {
        for name in DiskAndBuiltIn.list(&folder).unwrap_or_default() {
            let path = format!("{folder}/{name}");
            if DiskAndBuiltIn.list(&path).is_some() {
                folders.push((path, format!("{package}.{name}")));
            } else if name.ends_with(".mo")
                && let Some(text) = DiskAndBuiltIn.read(&path)
            {
                let ast = modelica::parse(SourceId(0), Arc::from(text)).ast;
                let inside = if name == "package.mo" { None } else { Some(package.as_str()) };
                collect(&ast, inside, &package, &mut found);
            }
        }
    }
    found.sort();
    found
}

/// Adds the runnable models of a file; in a `package.mo` those inside its class.
fn collect(ast: &Ast, inside: Option<&str>, package: &str, found: &mut Vec<(String, String)>) {
    for &root in &ast.roots {
        let class = &ast.classes[root];
        if inside.is_some() {
            add(ast, class, package, found);
        } else if let ClassBody::Long(body) = &class.body {
            for element in &body.elements {
                if let Element::Class(id) = element {
                    add(ast, &ast.classes[*id], package, found);
                }
            }
        }
    }
}

fn add(ast: &Ast, class: &ClassDef, package: &str, found: &mut Vec<(String, String)>) {
    let name = format!("{package}.{}", class.name.symbol);
    let runnable =
        matches!(class.kind, ClassKind::Model | ClassKind::Block | ClassKind::Class) && !class.partial;
    if runnable && has_experiment(ast, class) {
        found.push((name, ast.description(&class.description)));
    } else if class.kind == ClassKind::Package
        && let ClassBody::Long(body) = &class.body
    {
        for element in &body.elements {
            if let Element::Class(id) = element {
                add(ast, &ast.classes[*id], &name, found);
            }
        }
    }
}

fn has_experiment(ast: &Ast, class: &ClassDef) -> bool {
    let Some(annotation) = class.description.annotation else { return false };
    ast.modifications[annotation].args.iter().any(|arg| match arg {
        ModArg::Modify(modify) => ast.name_text(modify.name) == "experiment",
        _ => false,
    })
}
