//! The icon of a class itself: shapes are drawn, changed and taken away in `Icon(graphics = {…})` (specification section 18.6).
//! Only what the class writes itself is edited; what it inherits is drawn by its bases.

use kausal_syntax::ast::{Arg, ExprId};
use kausal_syntax::{Span, ast::Expr};

use crate::Point;
use crate::edit::{Draft, Refusal, Stop};
use crate::modifiers;
use crate::placement::{points, read_number, read_points, write_points};
use crate::source::Source;

/// A shape of an icon, by what is written about it with numbers and words.
#[derive(Clone, Debug, PartialEq)]
pub struct Graphic {
    /// `Rectangle`, `Line`, …
    pub kind: String,
    /// Two corners.
    pub extent: Option<[Point; 2]>,
    /// The corners of a line or polygon.
    pub points: Option<Vec<Point>>,
    /// Where its own origin is.
    pub origin: Point,
    /// Counter-clockwise around it, in degrees.
    pub rotation: f64,
    /// `color` of a line, `textColor` of a text, `lineColor` of others.
    pub line: Option<[u8; 3]>,
    /// `fillColor`
    pub fill: Option<[u8; 3]>,
    /// Is it filled?
    pub is_filled: bool,
    /// The text, without its quotes.
    pub text: Option<String>,
}

const GRAPHICS: [&str; 2] = ["Icon", "graphics"];

/// The shapes that a class draws in its icon itself, from the bottom to the top.
pub fn graphics(source: &Source, class: &str) -> Vec<Graphic> {
    let Some(id) = source.class(class) else { return Vec::new() };
    let annotation = source.def(id).description.annotation;
    let Some((_, items)) = list(source, annotation) else { return Vec::new() };
    items.iter().map(|&e| graphic(source, e)).collect()
}

fn list(source: &Source, annotation: Option<kausal_syntax::ast::ModId>) -> Option<(ExprId, &[ExprId])> {
    let array = modifiers::find(source, annotation, &GRAPHICS)?;
    let Expr::Array(items) = source.ast.exprs[array] else { return None };
    Some((array, source.ast.lists.exprs.get(items)))
}

fn arguments(source: &Source, e: ExprId) -> &[Arg] {
    match source.ast.exprs[e] {
        Expr::Call { args, .. } => source.ast.lists.args.get(args),
        _ => &[],
    }
}

fn argument(source: &Source, e: ExprId, name: &str) -> Option<ExprId> {
    let named = |a: &&Arg| a.name.as_ref().is_some_and(|n| n.symbol.as_str() == name);
    arguments(source, e).iter().find(named).map(|a| a.value)
}

fn graphic(source: &Source, e: ExprId) -> Graphic {
    let written = source.slice(source.ast.span(e));
    let kind = written.split('(').next().unwrap_or_default().trim().to_owned();
    let value = |name: &str| argument(source, e, name);
    let list = |name: &str| -> Option<Vec<Point>> {
        Some(read_points(&source.ast, value(name)?)?.into_iter().map(|(p, _)| p).collect())
    };
    let color = |name: &str| -> Option<[u8; 3]> {
        let Expr::Array(items) = source.ast.exprs[value(name)?] else { return None };
        let parts = source.ast.lists.exprs.get(items).iter();
        let parts: Option<Vec<u8>> =
            parts.map(|&x| read_number(&source.ast, x).map(|v| v.clamp(0.0, 255.0) as u8)).collect();
        <[u8; 3]>::try_from(parts?).ok()
    };
    let origin = value("origin").and_then(|e| match source.ast.exprs[e] {
        Expr::Array(items) => match source.ast.lists.exprs.get(items) {
            &[x, y] => Some([read_number(&source.ast, x)?, read_number(&source.ast, y)?]),
            _ => None,
        },
        _ => None,
    });
    let extent = list("extent").and_then(|l| <[Point; 2]>::try_from(l).ok());
    let words = |name: &str| value(name).map(|e| source.slice(source.ast.span(e)).trim().to_owned());
    let text = words("textString").or_else(|| words("string"));
    Graphic {
        extent,
        points: list("points"),
        origin: origin.unwrap_or_default(),
        rotation: value("rotation").and_then(|e| read_number(&source.ast, e)).unwrap_or(0.0),
        line: match kind.as_str() {
            "Line" => color("color"),
            "Text" => color("textColor").or_else(|| color("lineColor")),
            _ => color("lineColor"),
        },
        fill: color("fillColor"),
        is_filled: words("fillPattern").is_some_and(|p| !p.ends_with("None")),
        text: text.map(|t| t.trim_matches('"').to_owned()),
        kind,
    }
}

fn item(draft: &Draft<'_>, index: usize) -> Result<ExprId, Refusal> {
    let annotation = draft.source.def(draft.class).description.annotation;
    let found = list(draft.source, annotation).and_then(|(_, items)| items.get(index).copied());
    found.ok_or_else(|| Refusal(format!("the icon has no shape {}", index + 1)))
}

/// Draws a shape above the others: a record constructor such as `Rectangle(extent={{-80,-40},{80,40}})`.
pub(crate) fn draw(draft: &mut Draft<'_>, shape: &str) -> Result<(), Stop> {
    modifiers::check_expression(shape)?;
    let source = draft.source;
    let annotation = source.def(draft.class).description.annotation;
    if let Some((array, items)) = list(source, annotation) {
        let Some(last) = items.last().map(|&e| source.ast.span(e)) else {
            let at = source.ast.span(array).start + 1;
            return Ok(draft.replace(at, at, shape)?);
        };
        // In a line of its own where the last one is.
        let gap = match source.begins_line(last.start) {
            true => format!(",{}{}", source.newline(), source.indent(last.start)),
            false => ", ".to_owned(),
        };
        return Ok(draft.replace(last.end, last.end, format!("{gap}{shape}"))?);
    }
    if modifiers::find(source, annotation, &GRAPHICS).is_some() {
        return Err(Refusal("the shapes of the icon are no list that is written out".to_owned()).into());
    }
    if let Some(icon) = annotation.and_then(|id| modifiers::path_of(source, id, &["Icon"])) {
        let at = source.ast.modifications[icon].span.start;
        return modifiers::insert(draft, icon, at, &format!("graphics={{{shape}}}"));
    }
    // A second one goes into the list that this one begins.
    draft.check_unchanged()?;
    modifiers::in_class_annotation(draft, &format!("Icon(graphics={{{shape}}})"))
}

/// Writes corners of a shape in the place of those that stand there.
pub(crate) fn reshape(draft: &mut Draft<'_>, index: usize, corners: &[Point]) -> Result<(), Stop> {
    let e = item(draft, index)?;
    for name in ["extent", "points"] {
        if let Some(old) = argument(draft.source, e, name) {
            if name == "extent" && corners.len() != 2 {
                return Err(Refusal("an extent has two corners".to_owned()).into());
            }
            return write_points(draft, old, corners);
        }
    }
    let name = if matches!(graphic(draft.source, e).kind.as_str(), "Line" | "Polygon") {
        "points"
    } else {
        "extent"
    };
    give(draft, e, name, &points(corners))
}

/// Writes an attribute of a shape.
pub(crate) fn restyle(draft: &mut Draft<'_>, index: usize, name: &str, value: &str) -> Result<(), Stop> {
    modifiers::check_expression(value)?;
    let e = item(draft, index)?;
    match argument(draft.source, e, name) {
        Some(old) => {
            let span = draft.source.ast.span(old);
            Ok(draft.replace(span.start, span.end, value)?)
        }
        None => give(draft, e, name, value),
    }
}

fn give(draft: &mut Draft<'_>, e: ExprId, name: &str, value: &str) -> Result<(), Stop> {
    let source = draft.source;
    let end = source.ast.span(e).end;
    match arguments(source, e).last() {
        Some(last) => {
            let at = source.ast.span(last.value).end;
            Ok(draft.replace(at, at, format!(", {name}={value}"))?)
        }
        // Before the closing parenthesis.
        None => Ok(draft.replace(end - 1, end - 1, format!("{name}={value}"))?),
    }
}

/// Takes a shape away, with the comma that is left over.
pub(crate) fn erase(draft: &mut Draft<'_>, index: usize) -> Result<(), Stop> {
    let source = draft.source;
    let gone = source.ast.span(item(draft, index)?);
    let next = item(draft, index + 1).ok().map(|e| source.ast.span(e));
    let before = index.checked_sub(1).and_then(|i| item(draft, i).ok()).map(|e| source.ast.span(e));
    let span = match (next, before) {
        (Some(next), _) => Span::new(gone.start, next.start),
        (None, Some(before)) => Span::new(before.end, gone.end),
        // The language knows no empty list.
        (None, None) => {
            let annotation = source.def(draft.class).description.annotation;
            let icon = annotation.and_then(|id| modifiers::path_of(source, id, &["Icon"]));
            let at = icon.map_or(gone.start, |id| source.ast.modifications[id].span.start);
            modifiers::remove(draft, modifiers::Holder { modification: icon, at }, &["graphics"])?;
            return Ok(());
        }
    };
    Ok(draft.replace(span.start, span.end, "")?)
}
