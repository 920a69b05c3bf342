//! Which functions call which.

use kausal_model::class::KlassId;
use kausal_model::library::FileId;
use kausal_syntax::ast::ClassKind;
use serde_json::{Value, json};

use super::types::{class_of, class_under, item};
use crate::references::Kind;
use crate::worker::Worker;
use crate::world::{Resolved, Target, What};

/// `textDocument/prepareCallHierarchy`
pub fn prepare(w: &mut Worker, params: &Value) -> Option<Value> {
    let k = class_under(w, params)?;
    Some(json!([item(w, k)?]))
}

/// `callHierarchy/incomingCalls`
pub fn incoming(w: &mut Worker, params: &Value) -> Option<Value> {
    let k = class_of(w, params)?;
    let classes = w.world.classes();
    let def = classes.key(k).def;
    let (wanted, name) = (classes.def_location(def), classes.lib.class(def).name.symbol);
    let mut callers: Vec<(KlassId, Vec<Value>)> = Vec::new();
    // Names of classes are void as soon as another file is read: all are, before any class is looked at.
    let paths = w.files_with(name);
    let files: Vec<FileId> = paths.iter().filter_map(|path| w.world.file(path)).collect();
    for file in files {
        let source = w.world.ast(file).source;
        for r in w.world.names(file).iter().filter(|r| r.kind == Kind::Function) {
            let last = r.parts.len() - 1;
            if r.parts[last].name != name {
                continue;
            }
            let Resolved::Found(target) = w.world.resolve(file, r, last) else { continue };
            if target.location != Some(wanted) {
                continue;
            }
            let Some(caller) = r.scope.and_then(|scope| w.world.klass(file, scope)) else { continue };
            let span = r.parts[last].span;
            let Some(place) = w.location(kausal_syntax::Location { source, span }) else { continue };
            match callers.iter_mut().find(|(k, _)| *k == caller) {
                Some((_, ranges)) => ranges.push(place["range"].clone()),
                None => callers.push((caller, vec![place["range"].clone()])),
            }
        }
    }
    w.world.forget_messages();
    let calls = callers
        .into_iter()
        .filter_map(|(k, ranges)| Some(json!({"from": item(w, k)?, "fromRanges": ranges})));
    Some(Value::Array(calls.collect()))
}

/// `callHierarchy/outgoingCalls`
pub fn outgoing(w: &mut Worker, params: &Value) -> Option<Value> {
    let k = class_of(w, params)?;
    let classes = w.world.classes();
    let def = classes.key(k).def;
    let file = classes.lib.def(def).file;
    let class = classes.lib.def(def).class;
    let source = classes.lib.ast_ref(file).source;
    let mut called: Vec<(KlassId, Vec<Value>)> = Vec::new();
    let names = w.world.names(file);
    for r in names.iter().filter(|r| r.kind == Kind::Function && r.scope == Some(class)) {
        let last = r.parts.len() - 1;
        let Resolved::Found(Target { what: What::Class(k), .. }) = w.world.resolve(file, r, last) else {
            continue;
        };
        if !matches!(w.world.classes().deep_kind(k), ClassKind::Function | ClassKind::OperatorFunction) {
            continue;
        }
        let span = r.parts[last].span;
        let Some(place) = w.location(kausal_syntax::Location { source, span }) else { continue };
        match called.iter_mut().find(|(other, _)| *other == k) {
            Some((_, ranges)) => ranges.push(place["range"].clone()),
            None => called.push((k, vec![place["range"].clone()])),
        }
    }
    w.world.forget_messages();
    let calls =
        called.into_iter().filter_map(|(k, ranges)| Some(json!({"to": item(w, k)?, "fromRanges": ranges})));
    Some(Value::Array(calls.collect()))
}
