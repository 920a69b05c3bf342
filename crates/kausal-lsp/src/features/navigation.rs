//! Where something is declared, and everywhere it is used.

use kausal_model::library::FileId;
use kausal_syntax::{Location, Symbol, modelica};
use serde_json::{Value, json};

use super::describe;
use crate::lines::{Lines, uri_of};
use crate::references::Kind;
use crate::worker::Worker;
use crate::world::{Resolved, Target, What};

/// What is under the cursor, its name and the place of that.
fn target(w: &mut Worker, params: &Value) -> Option<(Target, Symbol, kausal_syntax::Span)> {
    let (file, offset) = w.cursor(params)?;
    let (name, part) = w.world.name_at(file, offset)?;
    match w.world.resolve(file, &name, part) {
        Resolved::Found(target) => Some((target, name.parts[part].name, name.parts[part].span)),
        _ => None,
    }
}

/// `textDocument/definition`
pub fn definition(w: &mut Worker, params: &Value) -> Option<Value> {
    let (target, ..) = target(w, params)?;
    w.location(target.location?)
}

/// `textDocument/typeDefinition`
pub fn type_definition(w: &mut Worker, params: &Value) -> Option<Value> {
    let (target, ..) = target(w, params)?;
    let klass = match target.what {
        What::Class(k) => k,
        What::Component { member, .. } => describe::info(&mut w.world, &member)?.klass,
        _ => return None,
    };
    let classes = w.world.classes();
    let location = classes.def_location(classes.key(klass).def);
    w.location(location)
}

/// A use of a name: where, and whether it is assigned or declared there.
struct Use {
    file: FileId,
    span: kausal_syntax::Span,
    is_declaration: bool,
    is_assigned: bool,
}

/// All uses of what is declared at a place.
fn uses(w: &mut Worker, name: Symbol, declared: Location, paths: &[String]) -> Vec<Use> {
    let mut out = Vec::new();
    for path in paths {
        let Some(file) = w.world.file(path) else { continue };
        let source = w.world.ast(file).source;
        let names = w.world.names(file);
        for r in names.iter() {
            for (i, part) in r.parts.iter().enumerate().filter(|(_, p)| p.name == name) {
                let Resolved::Found(target) = w.world.resolve(file, r, i) else { continue };
                if target.location != Some(declared) {
                    continue;
                }
                let is_declaration = declared == Location { source, span: part.span };
                let is_assigned = r.is_assigned && i + 1 == r.parts.len();
                out.push(Use { file, span: part.span, is_declaration, is_assigned });
            }
        }
        // `end Name` and short imports have the name, too.
        if let Some(span) = end_name(w, file, declared, source) {
            out.push(Use { file, span, is_declaration: false, is_assigned: false });
        }
    }
    w.world.forget_messages();
    out
}

/// The name behind the `end` of a class that is declared in this file.
fn end_name(
    w: &mut Worker,
    file: FileId,
    declared: Location,
    source: kausal_syntax::SourceId,
) -> Option<kausal_syntax::Span> {
    if declared.source != source {
        return None;
    }
    let ast = w.world.ast(file);
    let (_, class) = ast.classes.iter().find(|(_, c)| c.name.span == declared.span)?;
    let text = &ast.text[class.span.start as usize..class.span.end as usize];
    let at =
        text.trim_end_matches(|c: char| c == ';' || c.is_whitespace()).rfind(class.name.symbol.as_str())?;
    let before = text[..at].trim_end();
    let start = class.span.start + at as u32;
    let span = kausal_syntax::Span::new(start, start + class.name.symbol.as_str().len() as u32);
    (before.ends_with("end") && span != class.name.span).then_some(span)
}

fn all_uses(w: &mut Worker, params: &Value) -> Option<(Vec<Use>, Symbol)> {
    let (target, written, _) = target(w, params)?;
    let declared = target.location?;
    // An import may rename: what is declared has its own name.
    let text = w.world.model().sources().get(declared.source).text.clone();
    let name =
        text.get(declared.span.start as usize..declared.span.end as usize).map_or(written, Symbol::new);
    let paths = match target.what {
        What::Loop => vec![w.world.model().sources().get(declared.source).name.clone()],
        _ => w.files_with(name),
    };
    Some((uses(w, name, declared, &paths), name))
}

/// `textDocument/references`
pub fn references(w: &mut Worker, params: &Value) -> Option<Value> {
    let with_declaration = params["context"]["includeDeclaration"].as_bool().unwrap_or(true);
    let (uses, _) = all_uses(w, params)?;
    let mut out = Vec::new();
    for u in uses.iter().filter(|u| with_declaration || !u.is_declaration) {
        let source = w.world.ast(u.file).source;
        out.extend(w.location(Location { source, span: u.span }));
    }
    Some(Value::Array(out))
}

/// `textDocument/documentHighlight`
pub fn highlight(w: &mut Worker, params: &Value) -> Option<Value> {
    let (target, name, span) = target(w, params)?;
    let path = w.document(params)?.path.clone();
    let uses = match target.location {
        Some(declared) => uses(w, name, declared, &[path]),
        None => {
            let (file, _) = w.cursor(params)?;
            vec![Use { file, span, is_declaration: false, is_assigned: false }]
        }
    };
    let d = w.document(params)?;
    let highlight = |u: &Use| {
        let kind = if u.is_assigned || u.is_declaration { 3 } else { 2 };
        json!({"range": d.lines.range(&d.text, u.span, w.encoding), "kind": kind})
    };
    Some(Value::Array(uses.iter().map(highlight).collect()))
}

/// `textDocument/prepareRename`
pub fn prepare_rename(w: &mut Worker, params: &Value) -> Option<Value> {
    let (target, name, span) = target(w, params)?;
    let location = target.location?;
    w.location(location)?;
    let d = w.document(params)?;
    Some(json!({"range": d.lines.range(&d.text, span, w.encoding), "placeholder": name.as_str()}))
}

/// `textDocument/rename`
pub fn rename(w: &mut Worker, params: &Value) -> Result<Value, String> {
    let new = params["newName"].as_str().unwrap_or_default();
    if !is_name(new) {
        return Err(format!("`{new}` is not a name: letters, digits and `_`, or anything in single quotes"));
    }
    let Some((uses, name)) = all_uses(w, params) else {
        return Err("nothing that can be renamed is here".to_owned());
    };
    let Some(declaration) = uses.iter().find(|u| u.is_declaration) else {
        return Err(format!("{name} is declared outside of this workspace"));
    };
    let files: Vec<FileId> = {
        let mut files: Vec<FileId> = uses.iter().map(|u| u.file).collect();
        files.dedup();
        files
    };
    let mut changes = Vec::new();
    for file in files {
        let source = w.world.ast(file).source;
        let (path, text) = {
            let s = w.world.model().sources().get(source);
            (s.name.clone(), s.text.clone())
        };
        if path.starts_with("built-in:") {
            return Err(format!("{name} belongs to the built-in library"));
        }
        let lines = Lines::new(&text);
        let mut spans: Vec<kausal_syntax::Span> =
            uses.iter().filter(|u| u.file == file).map(|u| u.span).collect();
        spans.sort_by_key(|s| s.start);
        spans.dedup();
        // Under another name an import stays what it is to the rest of its class.
        let edits: Vec<Value> = spans
            .iter()
            .filter(|s| text.get(s.start as usize..s.end as usize) == Some(name.as_str()))
            .map(|&s| json!({"range": lines.range(&text, s, w.encoding), "newText": new}))
            .collect();
        changes.push(json!({"textDocument": {"uri": uri_of(&path), "version": null}, "edits": edits}));
    }
    // A class that is a file has its name.
    let source = w.world.ast(declaration.file).source;
    let path = w.world.model().sources().get(source).name.clone();
    let ast = w.world.ast(declaration.file);
    let is_root = ast.roots.iter().any(|&c| ast.classes[c].name.span == declaration.span);
    if is_root && path.ends_with(&format!("/{name}.mo")) {
        let renamed = format!("{}{new}.mo", &path[..path.len() - name.as_str().len() - 3]);
        changes.push(json!({"kind": "rename", "oldUri": uri_of(&path), "newUri": uri_of(&renamed)}));
    }
    Ok(json!({"documentChanges": changes}))
}

fn is_name(text: &str) -> bool {
    let quoted = text.len() > 2
        && text.starts_with('\'')
        && text.ends_with('\'')
        && !text[1..text.len() - 1].contains(['\'', '\n']);
    let mut chars = text.chars();
    let plain = chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_');
    quoted || plain && !modelica::is_keyword(text)
}

/// Is the name a declaration?
pub fn is_declaration(kind: &Kind) -> bool {
    matches!(kind, Kind::Class(_) | Kind::Component(_) | Kind::Literal(_))
}
