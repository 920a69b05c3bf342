//! Colours by meaning: what the grammar alone cannot tell.

use kausal_syntax::ast::{ClassKind, Variability};
use serde_json::{Value, json};

use super::navigation::is_declaration;
use crate::worker::Worker;
use crate::world::{Resolved, What};

/// The kinds of tokens, by number.
pub const TOKEN_TYPES: [&str; 9] = [
    "namespace",
    "class",
    "type",
    "function",
    "variable",
    "parameter",
    "enumMember",
    "property",
    "interface",
];

/// `textDocument/semanticTokens/full` and `/range`
pub fn tokens(w: &mut Worker, params: &Value) -> Option<Value> {
    let d = w.document(params)?;
    let (path, text, lines) = (d.path.clone(), d.text.clone(), d.lines.clone());
    let range = params.get("range").map(|r| d.span(r, w.encoding));
    let file = w.world.file(&path)?;
    let names = w.world.names(file);
    let mut found: Vec<(u32, u32, u32, u32, u32)> = Vec::new();
    for name in names.iter() {
        for (i, part) in name.parts.iter().enumerate() {
            if range.is_some_and(|r| part.span.end < r.start || part.span.start > r.end) {
                continue;
            }
            let Resolved::Found(target) = w.world.resolve(file, name, i) else { continue };
            let kind = match target.what {
                What::Class(k) => match w.world.classes().kind(k) {
                    ClassKind::Package => 0,
                    ClassKind::Function | ClassKind::OperatorFunction => 3,
                    ClassKind::Type => 2,
                    ClassKind::Connector | ClassKind::ExpandableConnector => 8,
                    _ => 1,
                },
                What::Component { member, .. } => {
                    let variability = w.world.classes().component(&member).map(|i| i.variability);
                    match variability {
                        Ok(v) if v <= Variability::Parameter => 5,
                        _ => 4,
                    }
                }
                What::Loop => 4,
                What::Literal => 6,
                What::Builtin(_) => 3,
                What::Attribute(_) => 7,
            };
            let (line, column) = lines.position(&text, part.span.start, w.encoding);
            let (_, end) = lines.position(&text, part.span.end, w.encoding);
            found.push((
                line,
                column,
                end.saturating_sub(column),
                kind,
                u32::from(is_declaration(&name.kind)),
            ));
        }
    }
    w.world.forget_messages();
    found.sort_unstable();
    found.dedup_by_key(|t| (t.0, t.1));
    let mut data = Vec::with_capacity(found.len() * 5);
    let (mut last_line, mut last_column) = (0, 0);
    for (line, column, length, kind, modifiers) in found {
        let from = if line == last_line { last_column } else { 0 };
        data.extend([line - last_line, column - from, length, kind, modifiers]);
        (last_line, last_column) = (line, column);
    }
    Some(json!({"data": data}))
}
