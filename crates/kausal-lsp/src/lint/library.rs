//! Lints that need the libraries a file uses: classes of others that are deprecated, and connectors of their components that nothing
//! is connected to. What the file alone tells is told by [`super::physics`].

use kausal_model::class::KlassId;
use kausal_model::library::FileId;
use kausal_syntax::ast::{ClassBody, ClassKind, Element, FlowPrefix};
use kausal_syntax::{Ast, Diagnostic, Symbol};
use rustc_hash::FxHashSet;

use super::at;
use super::physics::{class_of, is_complete, obsolete};
use crate::features::describe;
use crate::references::{Kind, Reference};
use crate::world::{Resolved, Target, What, World};

/// These lints of a file.
pub(super) fn of_file(world: &mut World, path: &str) -> Vec<Diagnostic> {
    let Some(file) = world.file(path) else { return Vec::new() };
    let (ast, names) = (world.ast(file), world.names(file));
    let mut out = deprecated(world, file, &ast, &names);
    out.extend(open_connectors(world, file, &ast, &names));
    world.forget_messages();
    out
}

fn deprecated(world: &mut World, file: FileId, ast: &Ast, names: &[Reference]) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    for r in names.iter().filter(|r| matches!(r.kind, Kind::Type | Kind::Function) && !r.in_annotation) {
        let last = r.parts.len() - 1;
        let Resolved::Found(Target { what: What::Class(k), .. }) = world.resolve(file, r, last) else {
            continue;
        };
        let Some(why) = obsolete_around(world, file, k) else { continue };
        let name = r.parts[last];
        let mut d =
            Diagnostic::warning("K0608", format!("{} is deprecated", name.name)).at(at(ast, name.span), "");
        if !why.is_empty() {
            d = d.help(why);
        }
        out.push(d);
    }
    out
}

/// Why a class of another file, or a package it is in, is not to be used any more.
fn obsolete_around(world: &mut World, file: FileId, k: KlassId) -> Option<String> {
    let classes = world.classes();
    let mut around = Some(classes.key(k).def);
    while let Some(def) = around {
        let known = classes.lib.def(def);
        let (of, parent) = (known.file, known.parent);
        if of == file {
            return None;
        }
        let class = classes.lib.class(def);
        if let Some(why) = obsolete(classes.lib.ast_ref(of), class) {
            return Some(why);
        }
        around = parent;
    }
    None
}

fn open_connectors(world: &mut World, file: FileId, ast: &Ast, names: &[Reference]) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    for (id, class) in ast.classes.iter() {
        let ClassBody::Long(body) = &class.body else { continue };
        if !is_complete(ast, class) {
            continue;
        }
        let Some(klass) = world.klass(file, id) else { continue };
        let mut mentioned: FxHashSet<(Symbol, Symbol)> = FxHashSet::default();
        for r in names.iter().filter(|r| r.scope == Some(id) && !r.in_annotation) {
            if let [owner, connector, ..] = &r.parts[..] {
                mentioned.insert((owner.name, connector.name));
            }
        }
        let components = describe::components(world, klass);
        for element in &body.elements {
            let Element::Component(c) = element else { continue };
            let component = &ast.components[*c];
            // Of classes of the file the file tells.
            if class_of(ast, component.type_name, id).is_some() {
                continue;
            }
            let Some(info) = components.iter().find(|i| i.component == *c && i.file == file) else {
                continue;
            };
            if info.leaf.is_some() || !info.dims.is_empty() || info.condition.is_some() {
                continue;
            }
            let open: Vec<String> = describe::components(world, info.klass)
                .into_iter()
                .filter(|inner| {
                    let plain = inner.dims.is_empty() && inner.condition.is_none() && !inner.protected;
                    plain
                        && !mentioned.contains(&(info.name, inner.name))
                        && world.classes().deep_kind(inner.klass) == ClassKind::Connector
                        && describe::components(world, inner.klass).iter().any(|v| v.flow == FlowPrefix::Flow)
                })
                .map(|inner| format!("{}.{}", info.name, inner.name))
                .collect();
            // Free ends are common; where nothing at all is connected, somebody forgot to. What is `inner` is used from elsewhere.
            let is_used = info.inner || mentioned.iter().any(|(owner, _)| *owner == info.name);
            if open.is_empty() || is_used {
                continue;
            }
            let verb = if open.len() == 1 { "is" } else { "are" };
            out.push(
                Diagnostic::warning("K0605", format!("{} {verb} not connected", open.join(", ")))
                    .at(at(ast, component.name.span), "nothing flows through it there")
                    .help("connect it, or say that it is meant to be open: `// lint: allow K0605`"),
            );
        }
    }
    out
}
