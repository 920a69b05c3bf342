//! What is under the cursor: declaration, description, unit, where it comes from.

use kausal_model::class::{KlassId, annotation_modify, annotation_value};
use kausal_syntax::ast::Expr;
use serde_json::{Value, json};

use super::{describe, value};
use crate::worker::Worker;
use crate::world::{Resolved, Target, What, World};

/// `textDocument/hover`
pub fn hover(w: &mut Worker, params: &Value) -> Option<Value> {
    let (file, offset) = w.cursor(params)?;
    let (name, part) = w.world.name_at(file, offset)?;
    let Resolved::Found(target) = w.world.resolve(file, &name, part) else { return None };
    let text = markdown(&mut w.world, &target)?;
    let span = name.parts[part].span;
    let d = w.document(params)?;
    Some(json!({
        "contents": {"kind": "markdown", "value": text},
        "range": d.lines.range(&d.text, span, w.encoding),
    }))
}

/// What there is to say about a name.
pub fn markdown(world: &mut World, target: &Target) -> Option<String> {
    Some(match target.what {
        What::Class(k) => class(world, k),
        What::Component { owner, member } => {
            let info = describe::info(world, &member)?;
            let mut out = code(&describe::declaration(world, &info));
            push(&mut out, &describe::description(world, &info));
            let mut facts = Vec::new();
            for (attribute, words) in
                [("unit", "unit"), ("displayUnit", "shown in"), ("quantity", "quantity")]
            {
                if let Some(value) = describe::attribute(world, &info, attribute) {
                    facts.push(format!("{words} `{value}`"));
                }
            }
            if let Some(known) = value::computed(world, &info) {
                facts.push(format!("value `{}`", value::shown(known)));
            }
            push(&mut out, &facts.join(", "));
            let classes = world.classes();
            let (origin, owner) = (classes.name(member.origin), classes.name(owner));
            let inherited = if origin == owner { String::new() } else { format!(", inherited by `{owner}`") };
            push(&mut out, &format!("declared in `{origin}`{inherited}"));
            out
        }
        What::Loop => "loop variable".to_owned(),
        What::Literal => {
            let location = target.location?;
            let text = world.model().sources().get(location.source).text.clone();
            format!("literal `{}`", text.get(location.span.start as usize..location.span.end as usize)?)
        }
        What::Builtin(name) => {
            let usage = kausal_model::builtins::entry(name.as_str()).and_then(|e| e.usage);
            let mut out = code(usage.unwrap_or(name.as_str()));
            push(&mut out, "part of the language");
            out
        }
        What::Attribute(name) => format!("attribute `{name}` of a built-in type"),
    })
}

fn code(text: &str) -> String {
    format!("```modelica\n{text}\n```")
}

fn push(out: &mut String, text: &str) {
    if !text.is_empty() {
        out.push_str("\n\n");
        out.push_str(text);
    }
}

fn class(world: &mut World, k: KlassId) -> String {
    let classes = world.classes();
    let def = classes.key(k).def;
    let partial = if classes.lib.class(def).partial { "partial " } else { "" };
    let head = format!("{partial}{} {}", describe::kind_word(classes.kind(k)), classes.name(k));
    let mut out = code(&head);
    push(&mut out, &describe::class_description(world, k));
    if world.classes().kind(k) == kausal_syntax::ast::ClassKind::Function {
        let inputs = describe::inputs(world, k);
        let list: Vec<String> =
            inputs.iter().map(|i| format!("- `{}` {}", i.name, describe::description(world, i))).collect();
        push(&mut out, &list.join("\n"));
    }
    if let Some(html) = documentation(world, k) {
        push(&mut out, &first_paragraphs(&html));
    }
    out
}

fn documentation(world: &mut World, k: KlassId) -> Option<String> {
    let classes = world.classes();
    let ast = classes.ast(k);
    let annotation = classes.lib.class(classes.key(k).def).description.annotation;
    let documentation = annotation_modify(&ast, annotation, "Documentation")?;
    match ast.exprs[annotation_value(&ast, Some(documentation), "info")?] {
        Expr::String(s) => Some(ast.string(s).into_owned()),
        _ => None,
    }
}

/// The beginning of a documentation as plain text: tags gone, about ten lines.
fn first_paragraphs(html: &str) -> String {
    let mut out = String::new();
    let mut rest = html;
    while let Some(open) = rest.find('<') {
        out.push_str(&rest[..open]);
        let Some(close) = rest[open..].find('>') else { break };
        let tag = rest[open + 1..open + close].trim_start_matches('/').to_lowercase();
        if matches!(
            tag.split_whitespace().next(),
            Some("p" | "br" | "li" | "h1" | "h2" | "h3" | "h4" | "tr" | "pre")
        ) {
            out.push('\n');
        }
        rest = &rest[open + close + 1..];
    }
    if !html.contains('<') {
        out.push_str(html);
    }
    let text = out.replace("&lt;", "<").replace("&gt;", ">").replace("&nbsp;", " ").replace("&amp;", "&");
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|l| !l.is_empty()).take(10).collect();
    lines.join("  \n")
}
