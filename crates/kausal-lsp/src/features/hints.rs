//! Inlay hints: units of declared variables that the declaration does not show, and values of parameters that are computed from others.

use serde_json::{Value, json};

use super::{describe, value};
use crate::references::Kind;
use crate::worker::Worker;
use crate::world::{Resolved, Target, What};

/// `textDocument/inlayHint`
pub fn hints(w: &mut Worker, params: &Value) -> Option<Value> {
    let d = w.document(params)?;
    let span = d.span(&params["range"], w.encoding);
    let (path, text, lines) = (d.path.clone(), d.text.clone(), d.lines.clone());
    let file = w.world.file(&path)?;
    let names = w.world.names(file);
    let mut out = Vec::new();
    for name in names.iter() {
        let at = name.parts[0].span;
        if !matches!(name.kind, Kind::Component(_)) || at.end < span.start || at.start > span.end {
            continue;
        }
        let Resolved::Found(Target { what: What::Component { member, .. }, .. }) =
            w.world.resolve(file, name, 0)
        else {
            continue;
        };
        let Some(info) = describe::info(&mut w.world, &member) else { continue };
        let mut hint = |offset: u32, label: String| {
            let (line, column) = lines.position(&text, offset, w.encoding);
            out.push(json!({
                "position": {"line": line, "character": column},
                "label": label,
                "paddingLeft": true,
            }));
        };
        // Written here, nobody needs a hint.
        let rest = &text[at.end as usize..];
        let statement = &rest[..rest.find(';').unwrap_or(rest.len())];
        let unit = describe::attribute(&mut w.world, &info, "unit");
        if let Some(unit) = unit.filter(|unit| unit != "1" && !statement.contains("unit")) {
            hint(at.end, format!("[{unit}]"));
        }
        let binding = info.binding.filter(|b| b.file == file);
        if let Some((binding, known)) = binding.zip(value::computed(&mut w.world, &info)) {
            let end = w.world.ast(file).span(binding.expr).end;
            hint(end, format!("= {}", value::shown(known)));
        }
    }
    Some(Value::Array(out))
}
