//! Graphical primitives (specification section 18.6.5): attributes in the coordinates of a class become shapes in those of
//! the drawing.
//!
//! Lengths of points and extents follow the transformation of the component. A line that is thin in its own class stays
//! as thin in the icon of a component, as on paper: it would vanish otherwise.

use kausal_model::view::{Instant, View};

use crate::attributes::Attributes;
use crate::font;
use crate::geometry::{
    Bounds, Closure, Point, Segment, Transform, ellipse, middle, polygon, polyline, rectangle,
};
use crate::macros::{self, Subject};
use crate::picture;
use crate::scene::{Anchor, Color, Fill, Gradient, Hatch, Item, LINE, LinePattern, Shape, Stroke, Text};

/// Reads the file of a bitmap: a `modelica://` address or a path.
pub type Reader<'a> = &'a dyn Fn(&mut View<'_>, &str) -> Option<Vec<u8>>;

/// What primitives need to know.
pub struct Canvas<'a, 'w> {
    /// The class and its surroundings.
    pub view: &'a mut View<'w>,
    /// The instant of a result, if one is shown.
    pub at: Option<Instant<'a>>,
    /// Reads the files of bitmaps.
    pub files: Reader<'a>,
    /// What could not be drawn as it is written.
    pub notes: Vec<String>,
}

/// Default thickness of lines.
const THICKNESS: f64 = 0.25;
/// The thickest a line may be in an icon that is drawn small, if it is as thick in its class.
const THICK: f64 = 0.5;
const BLACK: Color = [0; 3];
/// What an angle may be off by rounding, in degrees.
const UPRIGHT: f64 = 1e-6;
/// A printer's point in millimetres.
const POINT: f64 = 25.4 / 72.0;

/// Draws one primitive: `Line`, `Polygon`, `Rectangle`, `Ellipse`, `Text` or `Bitmap`.
pub fn draw(
    canvas: &mut Canvas<'_, '_>,
    kind: &str,
    attributes: &Attributes,
    subject: &Subject,
    transform: Transform,
    out: &mut Vec<Item>,
) {
    let at = canvas.at;
    if attributes.boolean(canvas.view, "visible", at) == Some(false) {
        return;
    }
    let origin = attributes.point(canvas.view, "origin", at).unwrap_or_default();
    let rotation = attributes.number(canvas.view, "rotation", at).unwrap_or(0.0);
    let transform = Transform::rotate(rotation).then(Transform::shift(origin)).then(transform);
    match kind {
        "Line" => line(canvas, attributes, transform, out),
        "Polygon" => {
            let Some(points) = attributes.points(canvas.view, "points", at) else { return };
            let smooth = attributes.literal(canvas.view, "smooth", at).is_some_and(|s| s == "Bezier");
            filled(canvas, attributes, polygon(&points, smooth), transform, true, out);
        }
        "Rectangle" => {
            let Some(extent) = attributes.extent(canvas.view, "extent", at) else { return };
            let radius = attributes.number(canvas.view, "radius", at).unwrap_or(0.0);
            filled(canvas, attributes, rectangle(extent, radius), transform, true, out);
            border(canvas, attributes, extent, transform, out);
        }
        "Ellipse" => {
            let Some(extent) = attributes.extent(canvas.view, "extent", at) else { return };
            let start = attributes.number(canvas.view, "startAngle", at).unwrap_or(0.0);
            let end = attributes.number(canvas.view, "endAngle", at).unwrap_or(360.0);
            let closure = match attributes.literal(canvas.view, "closure", at).as_deref() {
                Some("None") => Closure::None,
                Some("Chord") => Closure::Chord,
                Some("Radial") => Closure::Radial,
                _ if start == 0.0 && end == 360.0 => Closure::Chord,
                _ => Closure::Radial,
            };
            let outline = ellipse(extent, start, end, closure);
            filled(canvas, attributes, outline, transform, closure != Closure::None, out);
        }
        "Text" => text(canvas, attributes, subject, transform, out),
        "Bitmap" => picture::bitmap(canvas, attributes, transform, out),
        _ => canvas.notes.push(format!("{kind} in a drawing of {} is no graphical primitive", subject.class)),
    }
}

/// The width of a line with this thickness.
pub fn width(thickness: f64, scale: f64) -> f64 {
    (thickness * scale).max(thickness.clamp(0.0, THICK)).max(0.0)
}

fn pattern(name: Option<&str>) -> Option<LinePattern> {
    Some(match name {
        Some("None") => return None,
        Some("Dash") => LinePattern::Dash,
        Some("Dot") => LinePattern::Dot,
        Some("DashDot") => LinePattern::DashDot,
        Some("DashDotDot") => LinePattern::DashDotDot,
        _ => LinePattern::Solid,
    })
}

/// A `Line`, of a layer or of a connection.
pub fn line(canvas: &mut Canvas<'_, '_>, attributes: &Attributes, transform: Transform, out: &mut Vec<Item>) {
    let at = canvas.at;
    let view = &mut *canvas.view;
    let Some(points) = attributes.points(view, "points", at) else { return };
    let color = attributes.color(view, "color", at).unwrap_or(BLACK);
    let thickness = attributes.number(view, "thickness", at).unwrap_or(THICKNESS);
    let Some(pattern) = pattern(attributes.literal(view, "pattern", at).as_deref()) else { return };
    let smooth = attributes.literal(view, "smooth", at).is_some_and(|s| s == "Bezier");
    let stroke = Stroke { color, width: width(thickness, transform.scale()), pattern };
    let outline = polyline(&points, smooth).into_iter().map(|s| s.map(transform)).collect();
    out.push(Item::Shape(Shape { outline, stroke: Some(stroke), fill: Fill::None }));
    let arrows = attributes.literals(view, "arrow", at);
    if points.len() < 2 || arrows.iter().all(|a| a == "None") {
        return;
    }
    let size = attributes.number(view, "arrowSize", at).unwrap_or(3.0) * transform.scale();
    let placed: Vec<Point> = points.iter().map(|&p| transform.apply(p)).collect();
    let n = placed.len();
    for (arrow, tip, from) in
        [(arrows.first(), placed[0], placed[1]), (arrows.get(1), placed[n - 1], placed[n - 2])]
    {
        if let Some(kind) = arrow {
            arrowhead(kind, tip, from, size, stroke, out);
        }
    }
}

/// An arrow as wide as `size`; each half is three times as long as wide (section 18.6.5.1).
fn arrowhead(kind: &str, tip: Point, from: Point, size: f64, stroke: Stroke, out: &mut Vec<Item>) {
    let (dx, dy) = (tip[0] - from[0], tip[1] - from[1]);
    let length = dx.hypot(dy);
    if length == 0.0 || kind == "None" {
        return;
    }
    let (ux, uy) = (dx / length, dy / length);
    let half = size / 2.0;
    let back = [tip[0] - 3.0 * half * ux, tip[1] - 3.0 * half * uy];
    let left = [back[0] - half * uy, back[1] + half * ux];
    let right = [back[0] + half * uy, back[1] - half * ux];
    let stroke = Stroke { pattern: LinePattern::Solid, ..stroke };
    let (outline, fill) = match kind {
        "Filled" => (polygon(&[tip, left, right], false), Fill::Solid(stroke.color)),
        "Half" => (polyline(&[tip, left], false), Fill::None),
        _ => (polyline(&[left, tip, right], false), Fill::None),
    };
    out.push(Item::Shape(Shape { outline, stroke: Some(stroke), fill }));
}

fn filled(
    canvas: &mut Canvas<'_, '_>,
    attributes: &Attributes,
    outline: Vec<Segment>,
    transform: Transform,
    closed: bool,
    out: &mut Vec<Item>,
) {
    let at = canvas.at;
    let view = &mut *canvas.view;
    let line = attributes.color(view, "lineColor", at).unwrap_or(BLACK);
    let below = attributes.color(view, "fillColor", at).unwrap_or(BLACK);
    let thickness = attributes.number(view, "lineThickness", at).unwrap_or(THICKNESS);
    let pattern = pattern(attributes.literal(view, "pattern", at).as_deref());
    let kind = attributes.literal(view, "fillPattern", at);
    let mut bounds = Bounds::default();
    outline.iter().flat_map(|s| s.points()).for_each(|p| bounds.add(p));
    if bounds.is_empty() {
        return;
    }
    let unit = [[-1.0, -1.0], [1.0, 1.0]];
    let place = Transform::between(unit, [bounds.low, bounds.high]).then(transform);
    let hatch = |kind| Fill::Hatch { kind, line, below };
    let gradient = |kind| Fill::Gradient { kind, rim: line, centre: below, place };
    let fill = match kind.as_deref() {
        Some("Solid") => Fill::Solid(below),
        Some("Horizontal") => hatch(Hatch::Horizontal),
        Some("Vertical") => hatch(Hatch::Vertical),
        Some("Cross") => hatch(Hatch::Cross),
        Some("Forward") => hatch(Hatch::Forward),
        Some("Backward") => hatch(Hatch::Backward),
        Some("CrossDiag") => hatch(Hatch::CrossDiag),
        Some("HorizontalCylinder") => gradient(Gradient::Horizontal),
        Some("VerticalCylinder") => gradient(Gradient::Vertical),
        Some("Sphere") => gradient(Gradient::Sphere),
        _ => Fill::None,
    };
    let fill = if closed { fill } else { Fill::None };
    let stroke =
        pattern.map(|pattern| Stroke { color: line, width: width(thickness, transform.scale()), pattern });
    if stroke.is_none() && fill == Fill::None {
        return;
    }
    let outline = outline.into_iter().map(|s| s.map(transform)).collect();
    out.push(Item::Shape(Shape { outline, stroke, fill }));
}

/// Raised, sunken and engraved frames, inside of the extent: light from the upper left.
fn border(
    canvas: &mut Canvas<'_, '_>,
    attributes: &Attributes,
    extent: [Point; 2],
    transform: Transform,
    out: &mut Vec<Item>,
) {
    /// The width of a frame in parts of the shorter side.
    const PART: f64 = 0.02;
    const LIGHT: Color = [245; 3];
    const DARK: Color = [110; 3];
    let kind = attributes.literal(canvas.view, "borderPattern", canvas.at);
    let frames: &[(f64, Color, Color)] = match kind.as_deref() {
        Some("Raised") => &[(0.5, LIGHT, DARK)],
        Some("Sunken") => &[(0.5, DARK, LIGHT)],
        Some("Engraved") => &[(0.5, DARK, LIGHT), (1.5, LIGHT, DARK)],
        _ => return,
    };
    let (x1, x2) = (extent[0][0].min(extent[1][0]), extent[0][0].max(extent[1][0]));
    let (y1, y2) = (extent[0][1].min(extent[1][1]), extent[0][1].max(extent[1][1]));
    let size = PART * (x2 - x1).min(y2 - y1);
    for &(steps, upper, lower) in frames {
        let d = size * steps;
        let (a, b, c, e) = (x1 + d, y1 + d, x2 - d, y2 - d);
        for (points, color) in [([[a, b], [a, e], [c, e]], upper), ([[a, b], [c, b], [c, e]], lower)] {
            let outline = polyline(&points, false).into_iter().map(|s| s.map(transform)).collect();
            let stroke = Stroke { color, width: size * transform.scale(), pattern: LinePattern::Solid };
            out.push(Item::Shape(Shape { outline, stroke: Some(stroke), fill: Fill::None }));
        }
    }
}

fn text(
    canvas: &mut Canvas<'_, '_>,
    attributes: &Attributes,
    subject: &Subject,
    transform: Transform,
    out: &mut Vec<Item>,
) {
    let at = canvas.at;
    let view = &mut *canvas.view;
    let Some(extent) = attributes.extent(view, "extent", at) else { return };
    // Before version 3.0 of the language the attribute had the name of that of connections.
    let Some(template) =
        attributes.text(view, "textString", at).or_else(|| attributes.text(view, "string", at))
    else {
        return;
    };
    let words = macros::expand(view, subject, &template, at, &mut canvas.notes);
    // Texts of old libraries have the colour of their line.
    let color = attributes
        .color(view, "textColor", at)
        .or_else(|| attributes.color(view, "lineColor", at))
        .unwrap_or(BLACK);
    let alignment = attributes.literal(view, "horizontalAlignment", at);
    placed(canvas, attributes, &words, extent, alignment.as_deref(), color, transform, out);
}

/// Places a text in its extent: upright or turned to the left, never mirrored (section 18.6.5.5).
pub fn placed(
    canvas: &mut Canvas<'_, '_>,
    attributes: &Attributes,
    words: &str,
    extent: [Point; 2],
    alignment: Option<&str>,
    color: Color,
    transform: Transform,
    out: &mut Vec<Item>,
) {
    let at = canvas.at;
    let view = &mut *canvas.view;
    let styles = attributes.literals(view, "textStyle", at);
    let bold = styles.iter().any(|s| s == "Bold");
    let lines: Vec<String> = words.trim_end_matches('\n').split('\n').map(str::to_owned).collect();
    let widest = lines.iter().map(|l| font::width(l, bold)).fold(0.0, f64::max);
    if widest == 0.0 {
        return;
    }
    let (w, h) = ((extent[1][0] - extent[0][0]).abs(), (extent[1][1] - extent[0][1]).abs());
    let along = transform.linear([1.0, 0.0]);
    let across = transform.linear([0.0, 1.0]);
    let room = [w * along[0].hypot(along[1]), h * across[0].hypot(across[1])];
    let given = attributes.number(view, "fontSize", at).unwrap_or(0.0);
    let size = if given > 0.0 {
        given * POINT
    } else {
        let high = room[1] / (LINE * lines.len() as f64);
        let wide = room[0] / widest;
        if w == 0.0 { high } else { high.min(wide) }
    };
    if !(size.is_finite() && size > 0.0) {
        return;
    }
    // The direction of writing, turned by half a turn where it would be upside down.
    let mut angle = along[1].atan2(along[0]).to_degrees();
    let backward = angle > 90.0 + UPRIGHT || angle <= -90.0 + UPRIGHT;
    if backward {
        angle += if angle > 0.0 { -180.0 } else { 180.0 };
    }
    let (left, right) = (extent[0][0].min(extent[1][0]), extent[0][0].max(extent[1][0]));
    let centre = middle(extent[0], extent[1]);
    let (x, anchor) = match alignment {
        Some("Left") => (left, if backward { Anchor::End } else { Anchor::Start }),
        Some("Right") => (right, if backward { Anchor::Start } else { Anchor::End }),
        _ => (centre[0], Anchor::Middle),
    };
    out.push(Item::Text(Text {
        width: widest * size,
        lines,
        at: transform.apply([x, centre[1]]),
        angle,
        size,
        anchor,
        color,
        bold,
        italic: styles.iter().any(|s| s == "Italic"),
        underline: styles.iter().any(|s| s == "UnderLine"),
        font: attributes.text(view, "fontName", at).unwrap_or_default(),
    }));
}
