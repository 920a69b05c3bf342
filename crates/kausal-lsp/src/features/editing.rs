//! Formatting and quick fixes.

use kausal_syntax::Span;
use serde_json::{Value, json};

use crate::fixes::fixes;
use crate::worker::Worker;

/// `textDocument/formatting`, `textDocument/rangeFormatting`
pub fn format(w: &mut Worker, params: &Value) -> Option<Value> {
    let d = w.document(params)?;
    let range = match params.get("range") {
        Some(range) => {
            // Whole lines.
            let span = d.span(range, w.encoding);
            let (from, to) = (d.lines.line(span.start), d.lines.line(span.end));
            Span::new(d.lines.start(from).saturating_sub(1), d.lines.start(to + 1).min(d.text.len() as u32))
        }
        None => Span::new(0, d.text.len() as u32),
    };
    edits_within(w, params, range)
}

/// `textDocument/onTypeFormatting`: behind `;`, the statement that ends there.
pub fn format_typed(w: &mut Worker, params: &Value) -> Option<Value> {
    let d = w.document(params)?;
    let number = |name: &str| params["position"][name].as_u64().unwrap_or(0) as u32;
    let offset = d.lines.offset(&d.text, number("line"), number("character"), w.encoding);
    let before = d.text[..(offset as usize).saturating_sub(1)].rfind(';').map_or(0, |i| i as u32 + 1);
    let line = d.lines.start(d.lines.line(offset)).saturating_sub(1);
    edits_within(w, params, Span::new(before.max(line), offset))
}

fn edits_within(w: &Worker, params: &Value, range: Span) -> Option<Value> {
    let d = w.document(params)?;
    let formatted = kausal_format::format(&d.text).ok()?;
    let edits = kausal_format::edits(&d.text, &formatted);
    let inside = edits.iter().filter(|e| range.start <= e.span.start && e.span.end <= range.end);
    let edit = |e: &kausal_format::Edit| json!({"range": d.lines.range(&d.text, e.span, w.encoding), "newText": e.text});
    Some(Value::Array(inside.map(edit).collect()))
}

/// `textDocument/codeAction`
pub fn actions(w: &mut Worker, params: &Value) -> Option<Value> {
    let d = w.document(params)?;
    let span = d.span(&params["range"], w.encoding);
    let mut out = Vec::new();
    for told in Worker::told(d).iter().filter(|t| t.span.start <= span.end && span.start <= t.span.end) {
        for fix in fixes(&d.text, told) {
            let edit = json!({"range": d.lines.range(&d.text, fix.span, w.encoding), "newText": fix.text});
            out.push(json!({
                "title": fix.title,
                "kind": "quickfix",
                "diagnostics": [w.diagnostic(d, told)],
                "edit": {"changes": {(d.uri.clone()): [edit]}},
            }));
        }
    }
    Some(Value::Array(out))
}
