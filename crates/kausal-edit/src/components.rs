//! Declarations: added, taken away, renamed, copied, described.

use kausal_syntax::ast::{ClassId, Component, ComponentId, Element};
use kausal_syntax::modelica::is_keyword;

use crate::Point;
use crate::connections::{append_line, remove};
use crate::edit::{Draft, LayerName, Refusal, Stop};
use crate::modifiers::closed;
use crate::placement::{self, Placed};
use crate::source::Source;

/// A component that is added.
pub(crate) struct New<'e> {
    pub type_name: &'e str,
    pub name: Option<&'e str>,
    pub stem: Option<&'e str>,
    pub center: Option<Point>,
    pub size: Point,
    pub rotation: f64,
    pub modifiers: &'e str,
    pub prefix: &'e str,
}

/// A parameter that is added.
pub(crate) struct Parameter<'e> {
    pub name: &'e str,
    pub type_name: &'e str,
    pub value: Option<String>,
    pub attributes: [(&'static str, Option<String>); 4],
    pub description: Option<String>,
    pub dialog: [(&'static str, Option<String>); 2],
}

/// A text between quotes.
pub(crate) fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn is_identifier(name: &str) -> bool {
    if let Some(inner) = name.strip_prefix('\'').and_then(|n| n.strip_suffix('\'')) {
        return !inner.is_empty() && !inner.contains(['\'', '\\', '\n', '\r']) && inner.is_ascii();
    }
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_')
        && !is_keyword(name)
}

fn is_name(name: &str) -> bool {
    let name = name.strip_prefix('.').unwrap_or(name);
    !name.is_empty() && name.split('.').all(is_identifier)
}

/// Does the class declare something of this name itself?
fn declares(source: &Source, class: ClassId, name: &str) -> bool {
    let Ok(body) = source.body(class) else { return false };
    source.def(class).name.symbol.as_str() == name
        || body.elements.iter().any(|e| match e {
            Element::Component(c) => source.ast.components[*c].name.symbol.as_str() == name,
            Element::Class(c) => source.ast.classes[*c].name.symbol.as_str() == name,
            _ => false,
        })
}

/// Can something have this name?
pub(crate) fn check_free(
    source: &Source,
    class: ClassId,
    name: &str,
    named: &[String],
) -> Result<(), Refusal> {
    if !is_identifier(name) {
        return Err(Refusal(format!("`{name}` is no name for a component")));
    }
    if declares(source, class, name) || named.iter().any(|n| n == name) {
        return Err(Refusal(format!("there is a {name} already")));
    }
    Ok(())
}

/// A name made of a class or of another name, with a number where that is taken.
pub(crate) fn fresh(source: &Source, class: ClassId, stem: &str, is_class: bool, named: &[String]) -> String {
    let last = stem.rsplit('.').next().unwrap_or(stem).trim_matches('\'');
    let plain: String = last.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    let mut stem = match plain.chars().next() {
        // `PI` stays, `Resistor` becomes `resistor`.
        Some(c)
            if is_class
                && c.is_ascii_uppercase()
                && !plain.chars().nth(1).is_some_and(|c| c.is_ascii_uppercase()) =>
        {
            c.to_ascii_lowercase().to_string() + &plain[1..]
        }
        Some(c) if c.is_ascii_digit() => format!("c{plain}"),
        Some(_) => plain,
        None => "component".to_owned(),
    };
    let free = |name: &str| check_free(source, class, name, named).is_ok();
    if free(&stem) {
        return stem;
    }
    let digits = stem.len() - stem.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let from: u64 = stem[stem.len() - digits..].parse().unwrap_or(0);
    stem.truncate(stem.len() - digits);
    let mut names = (from + 1..).map(|k| format!("{stem}{k}"));
    names.find(|name| free(name)).unwrap_or(stem)
}

/// Declares a component.
pub(crate) fn add(draft: &mut Draft<'_>, new: &New<'_>) -> Result<String, Stop> {
    if !is_name(new.type_name) {
        return Err(Refusal(format!("`{}` is no class", new.type_name)).into());
    }
    let name = match new.name {
        Some(name) => {
            draft.take(name)?;
            name.to_owned()
        }
        None => draft.fresh(new.stem.unwrap_or(new.type_name), new.stem.is_none()),
    };
    let mut text = String::new();
    if !new.prefix.is_empty() {
        let words = ["inner", "outer", "parameter", "replaceable", "input", "output", "final", "constant"];
        if !new.prefix.split_whitespace().all(|w| words.contains(&w)) {
            return Err(Refusal(format!("`{}` cannot stand before a component", new.prefix)).into());
        }
        text.push_str(new.prefix.trim());
        text.push(' ');
    }
    text.push_str(&format!("{} {name}", new.type_name));
    if !new.modifiers.trim().is_empty() {
        check_modifiers(new.modifiers)?;
        text.push_str(&format!("({})", closed(new.modifiers)));
    }
    if let Some(center) = new.center {
        let placed = placement::fresh(center, new.size, new.rotation);
        text.push_str(&format!(" annotation({})", placement::written(&placed, LayerName::Diagram)));
    }
    declare(draft, &text, false)?;
    Ok(name)
}

fn check_modifiers(modifiers: &str) -> Result<(), Refusal> {
    let text = format!("model M Real x({modifiers}\n); end M;");
    let parse = kausal_syntax::modelica::parse(kausal_syntax::SourceId(0), text.as_str().into());
    match parse.has_errors() || parse.ast.classes.len() != 1 {
        true => Err(Refusal(format!("`{modifiers}` are no modifiers"))),
        false => Ok(()),
    }
}

/// Writes a declaration behind the last public one; parameters behind the last parameter.
fn declare(draft: &mut Draft<'_>, text: &str, parameter: bool) -> Result<(), Stop> {
    let source = draft.source;
    let class = draft.class;
    let body = source.body(class)?;
    let span_of = |e: &Element| match e {
        Element::Import(i) => (i.span.start, i.span.end, i.protected),
        Element::Extends(e) => (e.span.start, e.span.end, e.protected),
        Element::Class(c) => {
            let c = &source.ast.classes[*c];
            (c.span.start, c.span.end, c.prefixes.protected)
        }
        Element::Component(c) => {
            let c = &source.ast.components[*c];
            (c.span.start, c.span.end, c.prefixes.protected)
        }
    };
    let is_parameter = |e: &&Element| match e {
        Element::Component(c) => {
            source.ast.components[*c].variability == kausal_syntax::ast::Variability::Parameter
        }
        Element::Import(_) | Element::Extends(_) => true,
        Element::Class(_) => false,
    };
    let public = || body.elements.iter().rev().filter(|e| !span_of(e).2);
    let after = match parameter {
        true => public().find(is_parameter),
        false => public().next(),
    };
    let outer = source.indent(source.def(class).span.start).to_owned();
    if let Some(element) = after {
        let (start, end, _) = span_of(element);
        let end = source.semicolon(end);
        let end = end.ok_or_else(|| Refusal("the last declaration does not end".to_owned()))?;
        let indent = match source.begins_line(start) {
            true => source.indent(start).to_owned(),
            false => format!("{outer}  "),
        };
        return append_line(draft, end, &indent, text);
    }
    // Behind the name and the description of the class.
    let def = source.def(class);
    let head = def.description.strings.last().map_or(def.name.span.end, |s| s.span.end);
    let head = match body.modification {
        Some(id) => head.max(source.ast.modifications[id].span.end),
        None => head,
    };
    append_line(draft, head, &format!("{outer}  "), text)
}

/// Declares a parameter.
pub(crate) fn parameter(draft: &mut Draft<'_>, new: &Parameter<'_>) -> Result<String, Stop> {
    if !is_name(new.type_name) {
        return Err(Refusal(format!("`{}` is no class", new.type_name)).into());
    }
    draft.take(new.name)?;
    let mut text = format!("parameter {} {}", new.type_name, new.name);
    let attributes: Vec<String> = new
        .attributes
        .iter()
        .filter_map(|(name, v)| Some(format!("{name}={}", closed(v.as_ref()?))))
        .collect();
    if !attributes.is_empty() {
        check_modifiers(&attributes.join(", "))?;
        text.push_str(&format!("({})", attributes.join(", ")));
    }
    if let Some(value) = &new.value {
        crate::modifiers::check_expression(value)?;
        text.push_str(&format!("={}", closed(value)));
    }
    if let Some(description) = &new.description {
        text.push_str(&format!(" {}", quoted(description)));
    }
    let dialog: Vec<String> =
        new.dialog.iter().filter_map(|(name, v)| Some(format!("{name}={}", quoted(v.as_ref()?)))).collect();
    if !dialog.is_empty() {
        text.push_str(&format!(" annotation(Dialog({}))", dialog.join(", ")));
    }
    declare(draft, &text, true)?;
    Ok(new.name.to_owned())
}

/// Takes a component away, with its connections.
pub(crate) fn delete(draft: &mut Draft<'_>, name: &str) -> Result<(), Stop> {
    draft.check_unconnected(name)?;
    let source = draft.source;
    let id = source.component(draft.class, name)?;
    let clause = source.clause(draft.class, id)?;
    let end_of = |id: ComponentId| {
        let end = source.separator(source.ast.components[id].span.end).and_then(|i| source.lexeme(i));
        end.map(|l| l.span).ok_or_else(|| Refusal(format!("the declaration of {name} does not end")))
    };
    let index = clause.iter().position(|&c| c == id).unwrap_or(0);
    let (from, to) = match (&clause[..], index) {
        ([_], _) => {
            let lines = source.whole_lines(source.ast.components[id].span.start, end_of(id)?.end);
            (lines.start, lines.end)
        }
        (_, 0) => {
            let next = source.ast.components[clause[1]].name.span.start;
            (source.ast.components[id].name.span.start, next)
        }
        _ => (end_of(clause[index - 1])?.start, end_of(id)?.start),
    };
    draft.replace(from, to, "")?;
    for at in draft.connections().of_component(name).to_vec() {
        remove(draft, at)?;
    }
    Ok(())
}

/// Gives a component another name, wherever the class uses it.
pub(crate) fn rename(draft: &mut Draft<'_>, name: &str, new: &str) -> Result<(), Stop> {
    let source = draft.source;
    source.component(draft.class, name)?;
    if name == new {
        return Ok(());
    }
    // What was written meanwhile may use the name.
    draft.check_unchanged()?;
    draft.take(new)?;
    let within = |scope: Option<ClassId>| {
        let mut at = scope;
        while let Some(class) = at {
            if class == draft.class {
                return true;
            }
            // A class in this one that has its own means its own.
            if declares(source, class, name) {
                return false;
            }
            at = source.def(class).parent;
        }
        false
    };
    use kausal_lsp::ReferenceKind as Kind;
    let mut places = Vec::new();
    for reference in kausal_lsp::references(&source.ast) {
        let first = reference.parts[0];
        if first.name.as_str() != name || reference.global {
            continue;
        }
        let is_it = match &reference.kind {
            Kind::Value | Kind::Function => within(reference.scope),
            Kind::Component(_) => reference.scope == Some(draft.class),
            _ => false,
        };
        if is_it {
            places.push(first.span);
        }
    }
    for span in places {
        draft.replace(span.start, span.end, new)?;
    }
    Ok(())
}

/// Declares a component once more.
pub(crate) fn duplicate(
    draft: &mut Draft<'_>,
    name: &str,
    by: Point,
    new: Option<&str>,
) -> Result<String, Stop> {
    let source = draft.source;
    let id = source.component(draft.class, name)?;
    let clause = source.clause(draft.class, id)?;
    let first = &source.ast.components[clause[0]];
    let c: &Component = &source.ast.components[id];
    let new = match new {
        Some(new) => {
            draft.take(new)?;
            new.to_owned()
        }
        None => draft.fresh(name, false),
    };
    let end = source.separator(c.span.end).and_then(|i| source.lexeme(i));
    let end = end.map(|l| l.span.start).ok_or_else(|| Refusal("the declaration does not end".to_owned()))?;
    draft.claim(first.span.start, end + 1)?;
    // The declaration by itself, in a class of its own.
    let head = &source.text[first.span.start as usize..first.name.span.start as usize];
    let tail = source.text[c.name.span.end as usize..end as usize].trim_end();
    let alone = format!("model M {head}{new}{tail}\n; end M;");
    let moved = match placement::read(source, id, LayerName::Diagram) {
        Some(_) => {
            let edits = [crate::Edit::Move { component: new.clone(), by }];
            crate::edit(&alone, "M", &edits).map_err(Stop::Refused)?.text
        }
        None => alone,
    };
    let inner = moved.strip_prefix("model M ").and_then(|t| t.strip_suffix("\n; end M;"));
    declare(draft, inner.unwrap_or_default(), false)?;
    Ok(new)
}

/// Gives a component another class.
pub(crate) fn set_type(draft: &mut Draft<'_>, name: &str, type_name: &str) -> Result<(), Stop> {
    let source = draft.source;
    let id = source.component(draft.class, name)?;
    if !is_name(type_name) {
        return Err(Refusal(format!("`{type_name}` is no class")).into());
    }
    if source.clause(draft.class, id)?.len() > 1 {
        return Err(Refusal(format!("{name} is declared together with others of its class")).into());
    }
    let span = source.ast.components[id].type_name.span;
    Ok(draft.replace(span.start, span.end, type_name)?)
}

/// Writes what a component, or the class, says about itself.
pub(crate) fn describe(draft: &mut Draft<'_>, component: &str, text: &str) -> Result<(), Stop> {
    let source = draft.source;
    let (description, behind) = match component.is_empty() {
        true => {
            let def = source.def(draft.class);
            (&def.description, def.name.span.end)
        }
        false => {
            let c = &source.ast.components[source.component(draft.class, component)?];
            (&c.description, c.span.end)
        }
    };
    let strings = &description.strings;
    if let (Some(first), Some(last)) = (strings.first(), strings.last()) {
        if !text.is_empty() {
            return Ok(draft.replace(first.span.start, last.span.end, quoted(text))?);
        }
        let gone = source.before(first.span.start).and_then(|i| source.lexeme(i));
        let from = gone.map_or(first.span.start, |l| l.span.end);
        return Ok(draft.replace(from, last.span.end, "")?);
    }
    if text.is_empty() {
        return Ok(());
    }
    Ok(draft.replace(behind, behind, format!(" {}", quoted(text)))?)
}

/// Writes dimensions behind the name of a component.
pub(crate) fn dimension(draft: &mut Draft<'_>, name: &str, dimensions: &str) -> Result<(), Stop> {
    let source = draft.source;
    let c = &source.ast.components[source.component(draft.class, name)?];
    let text = dimensions.trim();
    let parse = format!("model M Real x{text}; end M;");
    let parse = kausal_syntax::modelica::parse(kausal_syntax::SourceId(0), parse.as_str().into());
    if !text.is_empty() && (!text.starts_with('[') || parse.has_errors() || parse.ast.classes.len() != 1) {
        return Err(Refusal(format!("`{text}` are no dimensions")).into());
    }
    Ok(draft.replace(c.name.span.end, source.behind_name(c), text)?)
}

/// Where a component is, if that is written with numbers.
pub(crate) fn placed(source: &Source, id: ComponentId) -> Option<Placed> {
    placement::read(source, id, LayerName::Diagram)
}
