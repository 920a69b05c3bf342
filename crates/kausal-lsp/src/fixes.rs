//! Quick fixes, from what diagnostics advise: the words of the advice are what people read, and what is done. What takes more than
//! words, a component to connect to or the unit of a declaration, is looked for in the classes ([`within`]).

use kausal_model::class::KlassId;
use kausal_model::library::FileId;
use kausal_model::prelude::Builtin;
use kausal_model::units::symbols;
use kausal_syntax::ast::{Causality, ClassBody, ClassId, ClassKind, Element};
use kausal_syntax::{Ast, Diagnostic, Span, Symbol};

use crate::checker::Told;
use crate::features::describe;
use crate::references::Part;
use crate::world::{Resolved, Target, What, World};

/// A change that mends what a diagnostic says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What it does.
    pub title: String,
    /// What is replaced.
    pub span: Span,
    /// By what.
    pub text: String,
}

/// The fixes for a diagnostic of a text.
pub fn fixes(text: &str, told: &Told) -> Vec<Fix> {
    let mut out = Vec::new();
    let span = told.span;
    let Some(written) = text.get(span.start as usize..span.end as usize) else { return out };
    let replace = |text: &str| Fix { title: format!("Replace by {text}"), span, text: text.to_owned() };
    if let Some(names) = told.help.as_deref().and_then(|h| h.strip_prefix("did you mean ")?.strip_suffix('?'))
    {
        for name in names.split(" or ").flat_map(|n| n.split(", ")) {
            let name = name.trim_matches('`');
            if !name.is_empty() && !name.contains(' ') {
                // A full name stands for the whole name, of which only a part was marked.
                let start = if name.contains('.') {
                    name_start(text, span.start as usize)
                } else {
                    span.start as usize
                };
                let span = Span::new(start as u32, span.end);
                out.push(Fix { span, ..replace(name) });
            }
        }
    }
    if let Some(right) = told.label.strip_prefix("write `").and_then(|r| r.strip_suffix('`')) {
        out.push(replace(right));
    }
    if told.label == "remove it" {
        out.push(Fix { title: format!("Remove `{written}`"), span, text: String::new() });
    }
    if told.help.as_deref() == Some("leave out `each`")
        && let Some(at) = text[..span.end as usize].rfind("each ")
        && !text[at..span.end as usize].contains([';', '\n'])
    {
        let span = Span::new(at as u32, at as u32 + 5);
        out.push(Fix { title: "Remove `each`".to_owned(), span, text: String::new() });
    }
    if told.code == "K0227"
        && told.message.starts_with("`each` is missing")
        && let Some(at) = modifier_start(text, span.start as usize)
    {
        out.push(Fix {
            title: "Insert `each`".to_owned(),
            span: Span::new(at, at),
            text: "each ".to_owned(),
        });
    }
    if let Some(sign) = told.label.strip_prefix("expected `").and_then(|r| r.strip_suffix("` before this")) {
        let span = Span::new(span.start, span.start);
        out.push(Fix { title: format!("Insert `{sign}`"), span, text: format!("{sign} ") });
    } else if let Some(sign) = told.label.strip_prefix("expected `").and_then(|r| r.strip_suffix('`'))
        && span.start == span.end
    {
        out.push(Fix { title: format!("Insert `{sign}`"), span, text: sign.to_owned() });
    }
    out.extend(told.fixes.iter().cloned());
    out
}

/// Where the name begins in `name = value` whose value begins here.
fn modifier_start(text: &str, value: usize) -> Option<u32> {
    let before = text[..value].trim_end().strip_suffix('=')?.trim_end();
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let name = before.len() - before.trim_end_matches(is_part).len();
    (name > 0).then(|| (before.len() - name) as u32)
}

/// Fixes for a diagnostic about a file that depend on its classes.
pub fn within(world: &mut World, file: FileId, d: &Diagnostic) -> Vec<Fix> {
    match d.code {
        "K0221" => missing_inner(world, file, d).into_iter().collect(),
        "K0242" => open_input(world, file, d).unwrap_or_default(),
        "K0610" | "K0611" => units(world, file, d),
        _ => Vec::new(),
    }
}

/// `inner World world;` before the first component of the class that needs it.
fn missing_inner(world: &mut World, file: FileId, d: &Diagnostic) -> Option<Fix> {
    let ast = world.ast(file);
    let label = d.labels.first().filter(|l| l.location.source == ast.source)?;
    let declared = label.message.strip_prefix("needs `")?.strip_suffix('`')?;
    let class = world.class_at(file, label.location.span.start)?;
    let ClassBody::Long(body) = &ast.classes[class].body else { return None };
    let components = body.elements.iter().filter_map(|e| match e {
        Element::Component(c) => Some(ast.components[*c].span.start),
        _ => None,
    });
    let at = components.min()?;
    let text = format!("{declared}\n{}", indentation(&ast, at));
    Some(Fix { title: format!("Add `{declared}`"), span: Span::new(at, at), text })
}

/// The most outputs that are offered for an input.
const MAX_OUTPUTS: usize = 5;

/// What an open input may be connected to: outputs of the class and of its components; and a value.
fn open_input(world: &mut World, file: FileId, d: &Diagnostic) -> Option<Vec<Fix>> {
    let ast = world.ast(file);
    let label = d.labels.first().filter(|l| l.location.source == ast.source)?;
    let input = d.message.strip_prefix("the input ")?.split(' ').next()?;
    let class = world.class_at(file, label.location.span.start)?;
    let scope = world.klass(file, class)?;
    let mut out = Vec::new();
    if let Some(wanted) = connector(world, scope, input) {
        for (name, kind) in sources(world, scope).into_iter().filter(|(name, _)| !is_of(input, name)) {
            if kind == wanted && out.len() < MAX_OUTPUTS {
                out.extend(equation(&ast, class, &format!("connect({name}, {input});"), "Add"));
            }
        }
    }
    out.extend(equation(&ast, class, &format!("{input} = 0;"), "Add"));
    Some(out)
}

/// Do two names belong to the same component?
fn is_of(input: &str, other: &str) -> bool {
    let component = |name: &str| name.rsplit_once('.').map_or("", |(before, _)| before).to_owned();
    !component(input).is_empty() && component(input) == component(other)
}

/// The built-in type behind an input that is a connector, with the number of its dimensions.
type Signal = (Builtin, usize);

fn connector(world: &mut World, scope: KlassId, name: &str) -> Option<Signal> {
    let mut depth = 0usize;
    let mut plain = String::new();
    for c in name.chars() {
        depth = match c {
            '[' => depth + 1,
            ']' => depth.saturating_sub(1),
            _ => depth,
        };
        if depth == 0 && c != ']' {
            plain.push(c);
        }
    }
    let span = Span::new(0, 0);
    let parts: Vec<Part> = plain.split('.').map(|p| Part { name: Symbol::new(p), span }).collect();
    let found = world.path(Some(scope), false, &parts, parts.len() - 1);
    let Resolved::Found(Target { what: What::Component { member, .. }, .. }) = found else { return None };
    let info = describe::info(world, &member)?;
    // One element of an array is no array.
    let dims = if name.ends_with(']') { 0 } else { info.dims.len() };
    signal(world, info.klass, dims)
}

fn signal(world: &mut World, klass: KlassId, dims: usize) -> Option<Signal> {
    let classes = world.classes();
    let is_connector = classes.deep_kind(klass) == ClassKind::Connector;
    let leaf = classes.leaf(klass).filter(|_| is_connector)?;
    Some((leaf.builtin, dims))
}

/// Signals that drive something: the inputs of the class, and the outputs of its components.
fn sources(world: &mut World, scope: KlassId) -> Vec<(String, Signal)> {
    let mut out = Vec::new();
    for info in describe::components(world, scope) {
        if info.causality == Causality::Input {
            out.extend(signal(world, info.klass, info.dims.len()).map(|s| (info.name.to_string(), s)));
        } else if info.leaf.is_none() && info.dims.is_empty() {
            for inner in describe::components(world, info.klass) {
                if inner.causality == Causality::Output && !inner.protected {
                    let name = format!("{}.{}", info.name, inner.name);
                    out.extend(signal(world, inner.klass, inner.dims.len()).map(|s| (name, s)));
                }
            }
        }
    }
    out
}

/// An equation of a class: before its first one, or in a section of its own.
fn equation(ast: &Ast, class: ClassId, text: &str, verb: &str) -> Option<Fix> {
    let ClassBody::Long(body) = &ast.classes[class].body else { return None };
    let title = format!("{verb} `{text}`");
    let equations = body.equations.iter().filter(|s| !s.initial).flat_map(|s| &s.equations);
    if let Some(at) = equations.map(|e| e.span.start).min() {
        let text = format!("{text}\n{}", indentation(ast, at));
        return Some(Fix { title, span: Span::new(at, at), text });
    }
    // Before the annotation of the class, which is the last of it, or before its end.
    let span = ast.classes[class].span;
    let whole = ast.text.get(span.start as usize..span.end as usize)?;
    let end = whole.rfind(&format!("end {}", ast.classes[class].name.symbol))?;
    let annotation =
        ast.classes[class].description.annotation.map(|a| ast.modifications[a].span.start - span.start);
    let last = match annotation {
        Some(at) => whole[..at as usize].rfind("annotation").unwrap_or(end),
        None => end,
    };
    let at = span.start + last as u32;
    let indent = indentation(ast, at);
    let outer = indentation(ast, span.start);
    let text = match annotation {
        Some(_) => format!("equation\n{indent}{text}\n{indent}"),
        None => format!("equation\n{outer}  {text}\n{outer}"),
    };
    Some(Fix { title, span: Span::new(at, at), text })
}

/// The white space before what begins here, on its line.
fn indentation(ast: &Ast, at: u32) -> String {
    let line = ast.text[..at as usize].rfind('\n').map_or(0, |i| i + 1);
    ast.text[line..at as usize].chars().take_while(|c| c.is_whitespace()).collect()
}

/// Conversions where both sides measure the same, and another unit for what this file declares.
fn units(world: &mut World, file: FileId, d: &Diagnostic) -> Vec<Fix> {
    let ast = world.ast(file);
    let [first, second, ..] = d.labels.as_slice() else { return Vec::new() };
    let (Some(from), Some(to)) = (quoted(&first.message), quoted(&second.message)) else { return Vec::new() };
    let mut out = Vec::new();
    // What comes second is what something else is set to; a declaration is no value.
    for (label, here, there) in [(second, to, from), (first, from, to)] {
        let is_value = label.message.starts_with("in ") && label.location.source == ast.source;
        if d.code == "K0611" && is_value {
            out.extend(conversion(&ast, label.location.span, here, there));
        }
    }
    for (label, unit) in [(first, to), (second, from)] {
        if label.location.source == ast.source {
            out.extend(declared_unit(world, file, label.location.span, unit));
        }
    }
    out
}

/// The words between two quotation marks.
fn quoted(message: &str) -> Option<&str> {
    message.split('"').nth(1)
}

fn conversion(ast: &Ast, span: Span, from: &str, to: &str) -> Option<Fix> {
    let (a, b) = (symbols::parse(from)?, symbols::parse(to)?);
    let factor = a.factor / b.factor;
    if a.offset != b.offset || a.exponents != b.exponents || factor == 1.0 {
        return None;
    }
    let written = ast.text.get(span.start as usize..span.end as usize)?;
    let is_plain = written.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '[' | ']'));
    let text = if is_plain { format!("{factor}*{written}") } else { format!("{factor}*({written})") };
    Some(Fix { title: format!("Convert to \"{to}\": {text}"), span, text })
}

/// Another `unit = "…"` for a variable whose declaration in this file has one.
fn declared_unit(world: &mut World, file: FileId, span: Span, unit: &str) -> Option<Fix> {
    let (name, part) = world.name_at(file, span.start)?;
    let last = name.parts.len() - 1;
    if name.parts[0].span.start != span.start || name.parts[last].span.end != span.end || part > last {
        return None;
    }
    let found = world.resolve(file, &name, last);
    let Resolved::Found(Target { what: What::Component { member, .. }, .. }) = found else { return None };
    let info = describe::info(world, &member)?;
    let (place, _) = world.classes().attribute(info.leaf?.mods, Symbol::new("unit"))?;
    if place.file != file {
        return None;
    }
    let (title, text) = (format!("Declare {} in \"{unit}\"", info.name), format!("\"{unit}\""));
    Some(Fix { title, span: world.ast(file).span(place.expr), text })
}

/// Where the dotted name begins of which a part begins here.
fn name_start(text: &str, at: usize) -> usize {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    text[..at].rfind(|c| !is_part(c)).map_or(0, |i| i + text[i..].chars().next().map_or(1, char::len_utf8))
}
