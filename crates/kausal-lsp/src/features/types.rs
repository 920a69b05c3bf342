//! What a class is based on, and what is based on it.

use kausal_model::class::KlassId;
use kausal_syntax::Location;
use kausal_syntax::ast::{ClassBody, Element};
use serde_json::{Value, json};

use super::describe;
use crate::worker::Worker;
use crate::world::{Resolved, Target, What};

/// An item of a hierarchy. Its data is the full name of the class.
pub fn item(w: &mut Worker, k: KlassId) -> Option<Value> {
    let classes = w.world.classes();
    let (name, kind, def) = (classes.name(k), classes.kind(k), classes.key(k).def);
    let location = classes.def_location(def);
    let class = classes.lib.class(def).span;
    let short = classes.lib.class(def).name.symbol;
    let place = w.location(location)?;
    let all = w.location(Location { span: class, ..location })?;
    Some(json!({
        "name": short.as_str(),
        "detail": name,
        "kind": describe::symbol_kind(kind),
        "uri": place["uri"],
        "range": all["range"],
        "selectionRange": place["range"],
        "data": name,
    }))
}

/// The class under the cursor, or that of the component there.
pub fn class_under(w: &mut Worker, params: &Value) -> Option<KlassId> {
    let (file, offset) = w.cursor(params)?;
    let (name, part) = w.world.name_at(file, offset)?;
    match w.world.resolve(file, &name, part) {
        Resolved::Found(Target { what: What::Class(k), .. }) => Some(k),
        Resolved::Found(Target { what: What::Component { member, .. }, .. }) => {
            Some(describe::info(&mut w.world, &member)?.klass)
        }
        _ => None,
    }
}

/// The class of an item.
pub fn class_of(w: &mut Worker, params: &Value) -> Option<KlassId> {
    w.world.classes().by_path(params["item"]["data"].as_str()?)
}

/// `textDocument/prepareTypeHierarchy`
pub fn prepare(w: &mut Worker, params: &Value) -> Option<Value> {
    let k = class_under(w, params)?;
    Some(json!([item(w, k)?]))
}

/// `typeHierarchy/supertypes`
pub fn supertypes(w: &mut Worker, params: &Value) -> Option<Value> {
    let k = class_of(w, params)?;
    let bases = w.world.classes().members_if_built(k)?.bases.clone();
    Some(Value::Array(bases.into_iter().filter_map(|b| item(w, b)).collect()))
}

/// `typeHierarchy/subtypes`
pub fn subtypes(w: &mut Worker, params: &Value) -> Option<Value> {
    let k = class_of(w, params)?;
    Some(Value::Array(derived(w, k).into_iter().filter_map(|k| item(w, k)).collect()))
}

/// `textDocument/implementation`: the classes that are based on the one here.
pub fn implementations(w: &mut Worker, params: &Value) -> Option<Value> {
    let k = class_under(w, params)?;
    let mut out = Vec::new();
    for k in derived(w, k) {
        let classes = w.world.classes();
        let location = classes.def_location(classes.key(k).def);
        out.extend(w.location(location));
    }
    Some(Value::Array(out))
}

/// The classes with an `extends` clause of this class, or short for it.
fn derived(w: &mut Worker, k: KlassId) -> Vec<KlassId> {
    let classes = w.world.classes();
    let def = classes.key(k).def;
    let name = classes.lib.class(def).name.symbol;
    let wanted = classes.def_location(def);
    // Names of classes are void as soon as a file is read that replaces texts: paths are not.
    let mut paths: Vec<String> = Vec::new();
    for file in w.index.files.values() {
        for entry in file.classes.iter().filter(|e| e.bases.contains(&name)) {
            paths.push(match entry.container.as_str() {
                "" => entry.name.to_string(),
                container => format!("{container}.{}", entry.name),
            });
        }
    }
    let mut out = Vec::new();
    for path in paths {
        let classes = w.world.classes();
        let Some(candidate) = classes.by_path(&path) else { continue };
        let candidate_def = classes.key(candidate).def;
        let is_based = match &classes.lib.class(candidate_def).body {
            ClassBody::Long(body) if !body.elements.iter().any(|e| matches!(e, Element::Extends(_))) => false,
            _ => {
                let bases = classes.members_if_built(candidate).map(|m| m.bases.clone()).unwrap_or_default();
                bases.iter().any(|&b| classes.def_location(classes.key(b).def) == wanted)
            }
        };
        if is_based {
            out.push(candidate);
        }
    }
    out
}
