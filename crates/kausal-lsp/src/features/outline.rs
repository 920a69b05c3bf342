//! The structure of a text: symbols, folds, selections, lenses.

use kausal_syntax::ast::{ClassBody, ClassId, ClassKind, Element, Variability};
use kausal_syntax::modelica::{LexemeKind, lexemes};
use kausal_syntax::{Ast, Span};
use serde_json::{Value, json};

use super::describe::symbol_kind;
use crate::document::Document;
use crate::lines::uri_of;
use crate::worker::Worker;

/// `textDocument/documentSymbol`
pub fn document_symbols(w: &mut Worker, params: &Value) -> Option<Value> {
    let d = w.document(params)?;
    let symbols = d.ast.roots.iter().map(|&c| class_symbol(w, d, c)).collect();
    Some(Value::Array(symbols))
}

fn class_symbol(w: &Worker, d: &Document, id: ClassId) -> Value {
    let class = &d.ast.classes[id];
    let mut children = Vec::new();
    if let ClassBody::Long(body) = &class.body {
        for element in &body.elements {
            match element {
                Element::Class(c) => children.push(class_symbol(w, d, *c)),
                Element::Component(c) => {
                    let c = &d.ast.components[*c];
                    let kind = match c.variability {
                        Variability::Constant => 14,
                        Variability::Parameter => 7,
                        _ => 8,
                    };
                    let range = d.lines.range(&d.text, c.span.to(c.name.span), w.encoding);
                    children.push(json!({
                        "name": c.name.symbol.as_str(),
                        "detail": d.ast.name_text(c.type_name),
                        "kind": kind,
                        "range": range,
                        "selectionRange": d.lines.range(&d.text, c.name.span, w.encoding),
                    }));
                }
                _ => {}
            }
        }
    } else if let ClassBody::Enumeration(Some(literals)) = &class.body {
        for l in literals {
            let range = d.lines.range(&d.text, l.name.span, w.encoding);
            children.push(
                json!({"name": l.name.symbol.as_str(), "kind": 22, "range": range, "selectionRange": range}),
            );
        }
    }
    let kind = if matches!(class.body, ClassBody::Enumeration(_)) { 10 } else { symbol_kind(class.kind) };
    json!({
        "name": class.name.symbol.as_str(),
        "detail": d.ast.description(&class.description),
        "kind": kind,
        "range": d.lines.range(&d.text, class.span.to(class.name.span), w.encoding),
        "selectionRange": d.lines.range(&d.text, class.name.span, w.encoding),
        "children": children,
    })
}

/// As many symbols of a workspace are given at once.
const MAX_SYMBOLS: usize = 256;

/// `workspace/symbol`
pub fn workspace_symbols(w: &mut Worker, params: &Value) -> Option<Value> {
    let query = params["query"].as_str().unwrap_or_default();
    let found = w.index.find(query, MAX_SYMBOLS).into_iter().map(|(path, e)| {
        let (line, from, to) = e.place;
        json!({
            "name": e.name.as_str(),
            "kind": symbol_kind(e.kind),
            "containerName": e.container,
            "location": {
                "uri": uri_of(path),
                "range": {"start": {"line": line, "character": from}, "end": {"line": line, "character": to}},
            },
        })
    });
    Some(Value::Array(found.collect()))
}

/// `textDocument/foldingRange`
pub fn folding(w: &mut Worker, params: &Value) -> Option<Value> {
    let d = w.document(params)?;
    let mut out = Vec::new();
    let mut fold = |span: Span, kind: Option<&str>| {
        let (from, to) = (d.lines.line(span.start), d.lines.line(span.end));
        if to > from {
            let mut range = json!({"startLine": from, "endLine": to});
            if let Some(kind) = kind {
                range["kind"] = kind.into();
            }
            out.push(range);
        }
    };
    for (_, class) in d.ast.classes.iter() {
        // The line with `end` stays.
        let end = d.lines.start(d.lines.line(class.span.end)).saturating_sub(1);
        fold(Span::new(class.span.start, end.max(class.span.start)), None);
    }
    for (_, m) in d.ast.modifications.iter() {
        fold(m.span, None);
    }
    let units = lexemes(&d.text);
    let mut i = 0;
    while i < units.len() {
        let l = &units[i];
        match l.kind {
            LexemeKind::BlockComment | LexemeKind::String => {
                fold(l.span, (l.kind == LexemeKind::BlockComment).then_some("comment"))
            }
            LexemeKind::LineComment => {
                let first = l.span;
                while units.get(i + 1).is_some_and(|n| {
                    n.kind == LexemeKind::LineComment
                        && d.lines.line(n.span.start) == d.lines.line(units[i].span.start) + 1
                }) {
                    i += 1;
                }
                fold(first.to(units[i].span), Some("comment"));
            }
            _ => {}
        }
        i += 1;
    }
    Some(Value::Array(out))
}

/// `textDocument/selectionRange`
pub fn selection(w: &mut Worker, params: &Value) -> Option<Value> {
    let d = w.document(params)?;
    let positions = params["positions"].as_array()?;
    let out = positions.iter().map(|p| {
        let number = |name: &str| p[name].as_u64().unwrap_or(0) as u32;
        let offset = d.lines.offset(&d.text, number("line"), number("character"), w.encoding);
        let mut chain = Value::Null;
        for span in spans_around(&d.ast, &d.text, offset) {
            let mut next = json!({"range": d.lines.range(&d.text, span, w.encoding)});
            if !chain.is_null() {
                next["parent"] = chain;
            }
            chain = next;
        }
        if chain.is_null() {
            json!({"range": d.lines.range(&d.text, Span::new(offset, offset), w.encoding)})
        } else {
            chain
        }
    });
    Some(Value::Array(out.collect()))
}

/// All that has this place in it, outermost first.
fn spans_around(ast: &Ast, text: &str, offset: u32) -> Vec<Span> {
    let mut spans = vec![Span::new(0, text.len() as u32)];
    let mut add = |s: Span| {
        if s.start <= offset && offset <= s.end && s.end > s.start {
            spans.push(s);
        }
    };
    for (_, c) in ast.classes.iter() {
        add(c.span);
        if let ClassBody::Long(body) = &c.body {
            body.equations.iter().flat_map(|s| &s.equations).for_each(|e| add(e.span));
            body.algorithms.iter().flat_map(|s| &s.statements).for_each(|s| add(s.span));
        }
    }
    ast.components.iter().for_each(|(_, c)| add(c.span));
    ast.modifications.iter().for_each(|(_, m)| add(m.span));
    ast.expr_spans.iter().for_each(|&s| add(s));
    for l in lexemes(text) {
        add(l.span);
    }
    spans.sort_by_key(|s| (std::cmp::Reverse(s.end - s.start), s.start));
    spans.dedup();
    // Only what is within the one before.
    let mut out: Vec<Span> = Vec::new();
    for s in spans {
        if out.last().is_none_or(|o| o.start <= s.start && s.end <= o.end) {
            out.push(s);
        }
    }
    out
}

/// `textDocument/codeLens`
pub fn lenses(w: &mut Worker, params: &Value) -> Option<Value> {
    let d = w.document(params)?;
    let within = d.ast.within.map(|n| d.ast.name_text(n)).filter(|n| !n.is_empty());
    let mut out = Vec::new();
    for (id, class) in d.ast.classes.iter() {
        let runs = matches!(class.kind, ClassKind::Model | ClassKind::Block | ClassKind::Class)
            && matches!(class.body, ClassBody::Long(_))
            && !class.partial
            && class.name.span.end > class.name.span.start;
        if !runs {
            continue;
        }
        let mut names = Vec::new();
        let mut at = Some(id);
        while let Some(c) = at {
            names.push(d.ast.classes[c].name.symbol.as_str());
            at = d.ast.classes[c].parent;
        }
        names.extend(within.as_deref());
        names.reverse();
        let full = names.join(".");
        let range = d.lines.range(&d.text, class.name.span, w.encoding);
        for (title, command) in [
            ("Simulate", "kausal.simulate"),
            ("Explain", "kausal.explain"),
            ("Diagram", "kausal.draw"),
            ("Check", "kausal.check"),
        ] {
            out.push(json!({
                "range": range,
                "command": {"title": title, "command": command, "arguments": [d.uri, full]},
            }));
        }
    }
    Some(Value::Array(out))
}
