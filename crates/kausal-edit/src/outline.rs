//! What a class is made of, by the names that edits use: which parts changed between two texts is told by it without looking
//! at anything else.

use kausal_syntax::Span;
use kausal_syntax::ast::{ClassId, Element};

use crate::Point;
use crate::components::placed;
use crate::connections::Connections;
use crate::placement::{Placed, read_points};
use crate::source::Source;

/// A component of a class.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Its name.
    pub name: String,
    /// Its declaration with description and annotation, without `;`.
    pub span: Span,
    /// Where it is, if that is written with numbers.
    pub placed: Option<Placed>,
    /// The declaration without white space and without the numbers of its place: what its picture depends on.
    pub looks: String,
}

/// A connection of a class.
#[derive(Clone, Debug, PartialEq)]
pub struct ConnectionOutline {
    /// Its id: the ends as written and, for equal ones, a number.
    pub id: String,
    /// The ends as written.
    pub ends: [String; 2],
    /// The equation with its annotation, without `;`.
    pub span: Span,
    /// The points of its line, if they are written as numbers.
    pub points: Option<Vec<Point>>,
    /// Its text without the points.
    pub looks: String,
}

/// What a class declares and connects itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outline {
    /// Components in the order of the text.
    pub components: Vec<Part>,
    /// Connections in the order of the text.
    pub connections: Vec<ConnectionOutline>,
    /// Everything else, without white space at the ends of its pieces.
    pub rest: String,
}

/// The outline of a class; `None` where there is no such class with a body.
pub fn outline(source: &Source, class: &str) -> Option<Outline> {
    let id = source.class(class)?;
    let mut out = Outline::default();
    let mut gone: Vec<Span> = Vec::new();
    for element in &source.body(id).ok()?.elements {
        let Element::Component(c) = *element else { continue };
        let part = part(source, id, c);
        gone.push(part.span);
        out.components.push(part);
    }
    for c in Connections::new(source, id).list {
        let end = last_before_separator(source, c.span);
        let span = Span::new(c.span.start, end);
        let points = c.points.and_then(|e| read_points(&source.ast, e));
        let hole = c.points.map(|e| source.ast.span(e));
        gone.push(span);
        out.connections.push(ConnectionOutline {
            id: c.id,
            ends: c.ends,
            span,
            points: points.map(|list| list.into_iter().map(|(p, _)| p).collect()),
            looks: without(source, span, hole.into_iter().collect()),
        });
    }
    out.rest = rest(&without(source, source.def(id).span, gone));
    Some(out)
}

fn last_before_separator(source: &Source, span: Span) -> u32 {
    let end = source.separator(span.end).and_then(|i| source.lexeme(i)).map(|l| l.span.start);
    let last = end.and_then(|at| source.before(at)).and_then(|i| source.lexeme(i));
    last.map_or(span.end, |l| l.span.end)
}

fn part(source: &Source, class: ClassId, id: kausal_syntax::ast::ComponentId) -> Part {
    let c = &source.ast.components[id];
    let first = source.clause(class, id).ok().and_then(|list| list.first().copied()).unwrap_or(id);
    let head = &source.ast.components[first];
    let span = Span::new(c.span.start, last_before_separator(source, c.span));
    let mut holes = Vec::new();
    let annotation = c.description.annotation;
    for attribute in ["extent", "rotation", "origin"] {
        let path = ["Placement", "transformation", attribute];
        holes.extend(crate::modifiers::find(source, annotation, &path).map(|e| source.ast.span(e)));
    }
    let mut looks = without(source, span, holes);
    if first != id {
        looks.insert_str(0, source.slice(Span::new(head.span.start, head.name.span.start)));
    }
    Part { name: c.name.symbol.as_str().to_owned(), span, placed: placed(source, id), looks }
}

/// What is left, word by word: without separators, and without the word that connections make necessary.
fn rest(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || matches!(c, ';' | ',' | '\u{1}'));
    words.filter(|word| !word.is_empty() && *word != "equation").collect::<Vec<_>>().join(" ")
}

/// A text without some places in it.
fn without(source: &Source, span: Span, mut holes: Vec<Span>) -> String {
    holes.sort_by_key(|h| h.start);
    let mut out = String::new();
    let mut at = span.start;
    for hole in holes {
        if hole.start >= at {
            out.push_str(source.slice(Span::new(at, hole.start)).trim());
            out.push('\u{1}');
            at = hole.end;
        }
    }
    out.push_str(source.slice(Span::new(at, span.end.max(at))).trim());
    out
}
