//! `kausal doc`: what is to be known about a class.

use kausal::draw::{self, Document, Entry};
use kausal::{Diagnostic, Sources};
use serde_json::{Value, json};

use super::model;
use crate::arguments::Doc;
use crate::output;

pub fn run(arguments: &Doc) -> bool {
    let mut session = model::session(&arguments.model);
    let class = session.find(&arguments.model.name, arguments.model.inside.as_deref());
    let found = class.and_then(|class| Some((session.document(&class)?, class)));
    let page = found.as_ref().filter(|_| arguments.html.is_some());
    let page = page.map(|(_, class)| class.clone()).and_then(|class| session.document_page(&class));
    let diagnostics = session.take_diagnostics();
    let failed = output::show(&diagnostics, session.sources());
    let Some((documented, _)) = found.filter(|_| !failed) else { return false };
    if let (Some(path), Some(page)) = (&arguments.html, page) {
        match std::fs::write(path, page) {
            Ok(()) => output::wrote(path),
            Err(e) => {
                let message = format!("cannot write {}: {e}", path.display());
                return !output::show(&[Diagnostic::error("K0930", message)], &Sources::default());
            }
        }
    }
    if arguments.json {
        output::print_json(&object(&documented.document, &documented.info));
    } else if arguments.html.is_none() {
        let (columns, _) = output::size();
        output::print(&draw::document_text(&documented.document, columns.clamp(40, 100)));
    }
    true
}

fn object(document: &Document, info: &str) -> Value {
    let entries = |list: &[Entry]| -> Vec<Value> {
        let entry = |e: &Entry| {
            json!({
                "name": e.name, "class": e.class, "value": e.value, "unit": e.unit,
                "description": e.description, "tab": e.tab, "group": e.group,
            })
        };
        list.iter().map(entry).collect()
    };
    let classes: Vec<Value> = document
        .classes
        .iter()
        .map(|(name, kind, description)| json!({"name": name, "kind": kind, "description": description}))
        .collect();
    json!({
        "class": document.class, "kind": document.kind, "description": document.description,
        "bases": document.bases, "parameters": entries(&document.parameters),
        "connectors": entries(&document.connectors), "inputs": entries(&document.inputs),
        "outputs": entries(&document.outputs), "classes": classes, "html": info,
    })
}
