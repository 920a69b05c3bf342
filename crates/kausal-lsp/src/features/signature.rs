//! The arguments of the call around the cursor.

use kausal_syntax::modelica::{LexemeKind, lexemes};
use serde_json::{Value, json};

use super::{completion, describe};
use crate::worker::Worker;
use crate::world::{Resolved, Target, What};

/// `textDocument/signatureHelp`
pub fn signature_help(w: &mut Worker, params: &Value) -> Option<Value> {
    let (file, offset) = w.cursor(params)?;
    let text = w.document(params)?.text.clone();
    let before: Vec<_> = lexemes(&text[..offset as usize])
        .into_iter()
        .filter(|l| !matches!(l.kind, LexemeKind::LineComment | LexemeKind::BlockComment))
        .collect();
    let context = completion::context(&text, &before)?;
    let scope = w.world.class_at(file, offset);
    let scope = scope.and_then(|c| w.world.klass(file, c));
    let what = w.world.path(scope, context.global, &context.owner, context.owner.len() - 1);
    let (label, doc, parameters, names) = match what {
        Resolved::Found(Target { what: What::Class(k), .. }) => {
            let inputs = describe::inputs(&mut w.world, k);
            let parameters: Vec<String> =
                inputs.iter().map(|i| describe::declaration(&mut w.world, i)).collect();
            let names: Vec<String> = inputs.iter().map(|i| i.name.to_string()).collect();
            let doc = describe::class_description(&mut w.world, k);
            let name = w.world.classes().name(k);
            (format!("{name}({})", parameters.join(", ")), doc, parameters, names)
        }
        Resolved::Found(Target { what: What::Builtin(name), .. }) => {
            let usage = kausal_model::builtins::entry(name.as_str()).and_then(|e| e.usage)?;
            (usage.to_owned(), String::new(), Vec::new(), Vec::new())
        }
        _ => return None,
    };
    let active = match &context.argument {
        Some(name) => names.iter().position(|n| n == name).unwrap_or(context.commas),
        None => context.commas,
    };
    let parameters: Vec<Value> = parameters.iter().map(|p| json!({"label": p})).collect();
    Some(json!({
        "signatures": [{"label": label, "documentation": doc, "parameters": parameters}],
        "activeSignature": 0,
        "activeParameter": active,
    }))
}
