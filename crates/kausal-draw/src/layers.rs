//! The layers of a class: graphics of its bases and its own, components with their icons, connections (specification
//! sections 18.6.1 to 18.6.4).
//!
//! A class is drawn base by base in the order of the `extends` clauses, then itself; each level has its primitives first,
//! then its components, then its connections.

use kausal_model::instance::InstId;
use kausal_model::view::{Annotation, Datum, Level};
use kausal_syntax::Ast;
use kausal_syntax::ast::{ClassBody, ComponentRef, Equation, EquationKind, ModId};

use crate::attributes::Attributes;
use crate::font;
use crate::geometry::{Point, Transform, middle, rectangle};
use crate::graphics::{self, Canvas};
use crate::macros::Subject;
use crate::scene::{Anchor, Color, Fill, Group, Item, LinePattern, Shape, Stroke, Text};

/// The two layers of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// How it looks as a component.
    Icon,
    /// What it is made of.
    Diagram,
}

impl Layer {
    fn name(self) -> &'static str {
        match self {
            Layer::Icon => "Icon",
            Layer::Diagram => "Diagram",
        }
    }

    fn map_name(self) -> &'static str {
        match self {
            Layer::Icon => "IconMap",
            Layer::Diagram => "DiagramMap",
        }
    }
}

/// A coordinate system.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coordinates {
    /// Its corners.
    pub extent: [Point; 2],
    /// Components of the class should keep the shape of it.
    pub preserve: bool,
}

/// What a class has where nothing is said.
const DEFAULT: [Point; 2] = [[-100.0, -100.0], [100.0, 100.0]];
/// The extent of a base class that is not mapped.
const NULL: [Point; 2] = [[0.0, 0.0], [0.0, 0.0]];
/// The size of a component whose placement has no extent: the default `initialScale` of the default coordinate system.
const UNPLACED: [Point; 2] = [[-10.0, -10.0], [10.0, 10.0]];
/// How deep icons may be made of icons.
const MAX_DEPTH: u32 = 12;

/// The coordinate system of a layer: extent and shape are inherited separately (section 18.6.1.1).
pub fn coordinates(canvas: &mut Canvas<'_, '_>, level: &Level, layer: Layer) -> Coordinates {
    let (extent, preserve) = given(canvas, level, layer);
    Coordinates { extent: extent.unwrap_or(DEFAULT), preserve: preserve.unwrap_or(true) }
}

fn given(canvas: &mut Canvas<'_, '_>, level: &Level, layer: Layer) -> (Option<[Point; 2]>, Option<bool>) {
    let (mut extent, mut preserve) = (None, None);
    if let Some(annotation) = canvas.view.class_annotation(level, layer.name())
        && let Some(system) = Attributes::of(&annotation).nested("coordinateSystem")
    {
        extent = system.extent(canvas.view, "extent", None).filter(|&[a, b]| a[0] != b[0] && a[1] != b[1]);
        preserve = system.boolean(canvas.view, "preserveAspectRatio", None);
    }
    if extent.is_none() || preserve.is_none() {
        let first = level.bases.iter().find(|(_, clause)| {
            let map = map_of(canvas, level, *clause, layer);
            map.is_none_or(|m| m.0 == NULL)
        });
        if let Some((base, _)) = first {
            let inherited = given(canvas, base, layer);
            extent = extent.or(inherited.0);
            preserve = preserve.or(inherited.1);
        }
    }
    (extent, preserve)
}

/// Where a base class goes, and whether its primitives are shown (section 18.6.3).
pub(crate) fn map_of(
    canvas: &mut Canvas<'_, '_>,
    level: &Level,
    clause: Option<ModId>,
    layer: Layer,
) -> Option<([Point; 2], bool)> {
    let ast = canvas.view.ast(level.file);
    let modification = kausal_model::class::annotation_modify(&ast, clause, layer.map_name())?;
    let map = Attributes::of(&Annotation { ast, modification, scope: canvas.view.scope(level) });
    let extent = map.extent(canvas.view, "extent", None).unwrap_or(NULL);
    let visible = map.boolean(canvas.view, "primitivesVisible", None).unwrap_or(true);
    Some((extent, visible))
}

/// How a layer is drawn.
#[derive(Clone, Copy)]
pub(crate) struct How {
    pub layer: Layer,
    /// Primitives are shown.
    pub primitives: bool,
    /// From the coordinates of the class to those of the drawing.
    pub transform: Transform,
    pub depth: u32,
}

/// Draws a layer of an instance.
pub fn draw(
    canvas: &mut Canvas<'_, '_>,
    level: &Level,
    subject: &Subject,
    layer: Layer,
    transform: Transform,
    out: &mut Vec<Item>,
) {
    draw_level(canvas, level, subject, How { layer, primitives: true, transform, depth: 0 }, out);
}

pub(crate) fn draw_level(
    canvas: &mut Canvas<'_, '_>,
    level: &Level,
    subject: &Subject,
    how: How,
    out: &mut Vec<Item>,
) {
    for (base, clause) in &level.bases {
        let (extent, visible) = map_of(canvas, level, *clause, how.layer).unwrap_or((NULL, true));
        let mut inner = How { primitives: how.primitives && visible, ..how };
        if extent != NULL {
            let system = coordinates(canvas, base, how.layer);
            let to = if system.preserve { shaped(system.extent, extent) } else { extent };
            inner.transform = Transform::between(system.extent, to).then(how.transform);
            if extent[0][0] == extent[1][0] || extent[0][1] == extent[1][1] {
                continue;
            }
        }
        draw_level(canvas, base, subject, inner, out);
    }
    if how.primitives {
        primitives(canvas, level, subject, how, out);
    }
    components(canvas, level, how, out);
    if how.layer == Layer::Diagram && how.depth == 0 {
        connections(canvas, level, how, out);
    }
}

/// The part of an extent, around its middle, that has the shape of another.
fn shaped(from: [Point; 2], to: [Point; 2]) -> [Point; 2] {
    let size = |e: [Point; 2], i: usize| e[1][i] - e[0][i];
    let factor = (size(to, 0) / size(from, 0)).abs().min((size(to, 1) / size(from, 1)).abs());
    let mut out = to;
    for i in 0..2 {
        let middle = (to[0][i] + to[1][i]) / 2.0;
        let half = size(from, i).abs() * factor / 2.0 * size(to, i).signum();
        out[0][i] = middle - half;
        out[1][i] = middle + half;
    }
    out
}

pub(crate) fn primitives(
    canvas: &mut Canvas<'_, '_>,
    level: &Level,
    subject: &Subject,
    how: How,
    out: &mut Vec<Item>,
) {
    let Some(annotation) = canvas.view.class_annotation(level, how.layer.name()) else { return };
    let at = canvas.at;
    for (kind, attributes) in Attributes::of(&annotation).calls(canvas.view, "graphics", at) {
        graphics::draw(canvas, kind, &attributes, subject, how.transform, out);
    }
}

/// Has a layer of this class or a base graphics of its own?
pub(crate) fn has_graphics(canvas: &mut Canvas<'_, '_>, level: &Level, layer: Layer) -> bool {
    let own = canvas.view.class_annotation(level, layer.name());
    own.is_some_and(|a| !Attributes::of(&a).calls(canvas.view, "graphics", None).is_empty())
        || level.bases.iter().any(|(base, _)| has_graphics(canvas, base, layer))
}

fn components(canvas: &mut Canvas<'_, '_>, level: &Level, how: How, out: &mut Vec<Item>) {
    if how.depth >= MAX_DEPTH {
        return;
    }
    for component in canvas.view.components(level) {
        let Some(info) = canvas.view.info(component) else { continue };
        if info.leaf.is_some() && !canvas.view.is_connector(component) {
            continue;
        }
        let is_connector = canvas.view.is_connector(component);
        // Only public connectors are seen from outside (section 18.6.2).
        if how.layer == Layer::Icon && (!is_connector || info.protected) {
            continue;
        }
        let Some(annotation) = canvas.view.component_annotation(level, component, "Placement") else {
            continue;
        };
        let placement = Attributes::of(&annotation);
        let Some(place) = transformation(canvas, &placement, how.layer) else { continue };
        let enabled = canvas.view.is_enabled(component).unwrap_or(true);
        // What does not exist is seen only where its class is worked on.
        if !enabled && how.depth > 0 {
            continue;
        }
        let mut group = Group {
            name: canvas.view.path(component),
            class: canvas.view.full_name(info.klass),
            disabled: !enabled,
            items: Vec::new(),
        };
        draw_component(canvas, component, is_connector, place, how, &mut group.items);
        if !group.items.is_empty() {
            out.push(Item::Group(group));
        }
    }
}

pub(crate) fn draw_component(
    canvas: &mut Canvas<'_, '_>,
    component: InstId,
    is_connector: bool,
    place: Place,
    how: How,
    out: &mut Vec<Item>,
) {
    let level = canvas.view.levels(component);
    // A connector in a diagram shows its diagram, if it has one.
    let diagram = is_connector && how.layer == Layer::Diagram && has_graphics(canvas, &level, Layer::Diagram);
    let layer = if diagram { Layer::Diagram } else { Layer::Icon };
    let system = coordinates(canvas, &level, layer);
    let transform = place.transform(system.extent).then(how.transform);
    let subject = Subject {
        inst: component,
        name: canvas.view.name(component).as_str().to_owned(),
        class: canvas.view.short_name(level.klass).to_owned(),
    };
    let inner = How { layer, primitives: true, transform, depth: how.depth + 1 };
    if !is_connector {
        plain_box(canvas, &level, &subject, inner, out);
    }
    draw_level(canvas, &level, &subject, inner, out);
}

/// A box with the name, for what has no icon of its own: connectors alone would float in the diagram.
pub(crate) fn plain_box(
    canvas: &mut Canvas<'_, '_>,
    level: &Level,
    subject: &Subject,
    how: How,
    out: &mut Vec<Item>,
) {
    if has_graphics(canvas, level, Layer::Icon) {
        return;
    }
    let extent = coordinates(canvas, level, Layer::Icon).extent;
    let outline = rectangle(extent, 0.0).into_iter().map(|s| s.map(how.transform)).collect();
    let width = graphics::width(0.25, how.transform.scale());
    let stroke = Some(Stroke { color: PLAIN, width, pattern: LinePattern::Solid });
    out.push(Item::Shape(Shape { outline, stroke, fill: Fill::Solid([255; 3]) }));
    let room = how.transform.scale() * (extent[1][0] - extent[0][0]).abs();
    let wide = font::width(&subject.name, false).max(f64::MIN_POSITIVE);
    // As large as fits between connectors at the sides, and no larger than other names.
    let size = (0.7 * room / wide).min(0.2 * room);
    out.push(Item::Text(Text {
        lines: vec![subject.name.clone()],
        at: how.transform.apply(middle(extent[0], extent[1])),
        angle: 0.0,
        size,
        anchor: Anchor::Middle,
        color: PLAIN,
        bold: false,
        italic: false,
        underline: false,
        font: String::new(),
        width: wide * size,
    }));
}

/// The colour of boxes that no library has drawn.
const PLAIN: Color = [95, 95, 95];

/// Where a component is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// Two corners, before the turn.
    pub extent: [Point; 2],
    /// Counter-clockwise, in degrees.
    pub rotation: f64,
    /// What it turns around, and where that is.
    pub origin: Point,
}

impl Place {
    /// From the coordinates of the class of the component to those around it.
    pub(crate) fn transform(&self, extent: [Point; 2]) -> Transform {
        Transform::between(extent, self.extent)
            .then(Transform::rotate(self.rotation))
            .then(Transform::shift(self.origin))
    }

    /// Where its middle is.
    pub fn center(&self) -> Point {
        let middle = crate::geometry::middle(self.extent[0], self.extent[1]);
        Transform::rotate(self.rotation).then(Transform::shift(self.origin)).apply(middle)
    }
}

/// Where a component is in a layer; `None` if it is not to be seen there.
pub(crate) fn transformation(
    canvas: &mut Canvas<'_, '_>,
    placement: &Attributes,
    layer: Layer,
) -> Option<Place> {
    let at = canvas.at;
    let view = &mut *canvas.view;
    let mut visible = placement.boolean(view, "visible", at);
    let mut transformation = placement.nested("transformation");
    if layer == Layer::Icon {
        visible = placement.boolean(view, "iconVisible", at).or(visible);
        transformation = placement.nested("iconTransformation").or(transformation);
    }
    if visible == Some(false) {
        return None;
    }
    let transformation = transformation?;
    Some(Place {
        extent: transformation.extent(view, "extent", at).unwrap_or(UNPLACED),
        rotation: transformation.number(view, "rotation", at).unwrap_or(0.0),
        origin: transformation.point(view, "origin", at).unwrap_or_default(),
    })
}

fn connections(canvas: &mut Canvas<'_, '_>, level: &Level, how: How, out: &mut Vec<Item>) {
    let ast = canvas.view.ast(level.file);
    let ClassBody::Long(body) = canvas.view.class_body(level, &ast) else { return };
    for section in body.equations.iter().filter(|s| !s.initial) {
        connections_in(canvas, level, &ast, &section.equations, false, how, out);
    }
}

fn connections_in(
    canvas: &mut Canvas<'_, '_>,
    level: &Level,
    ast: &std::sync::Arc<Ast>,
    equations: &[Equation],
    disabled: bool,
    how: How,
    out: &mut Vec<Item>,
) {
    for equation in equations {
        match &equation.kind {
            EquationKind::Connect(a, b) => {
                let Some(annotation) = equation.description.annotation else { continue };
                let scope = canvas.view.scope(level);
                let annotation = Annotation { ast: ast.clone(), modification: annotation, scope };
                connection(canvas, level, [a, b], &annotation, disabled, how, out);
            }
            EquationKind::For { body, .. } => connections_in(canvas, level, ast, body, disabled, how, out),
            EquationKind::If { branches, otherwise } => {
                let scope = canvas.view.scope(level);
                let mut decided = false;
                for (condition, body) in branches {
                    let holds = match canvas.view.evaluate(scope, *condition, canvas.at) {
                        Some(Datum::Boolean(holds)) => Some(holds),
                        _ => None,
                    };
                    let off = disabled || decided || holds == Some(false);
                    connections_in(canvas, level, ast, body, off, how, out);
                    decided |= holds == Some(true);
                }
                connections_in(canvas, level, ast, otherwise, disabled || decided, how, out);
            }
            _ => {}
        }
    }
}

/// A connection: its line and the text on it (section 18.6.4).
fn connection(
    canvas: &mut Canvas<'_, '_>,
    level: &Level,
    ends: [&ComponentRef; 2],
    annotation: &Annotation,
    disabled: bool,
    how: How,
    out: &mut Vec<Item>,
) {
    let all = Attributes::of(annotation);
    let Some(line) = all.nested("Line") else { return };
    let at = canvas.at;
    if line.boolean(canvas.view, "visible", at) == Some(false) {
        return;
    }
    let words = ends.map(|end| reference(&annotation.ast, end));
    let exists = ends.iter().all(|end| {
        let first = annotation.ast.lists.parts.get(end.parts).first();
        let component = first.and_then(|p| canvas.view.component(level.inst, p.name.symbol));
        component.and_then(|c| canvas.view.is_enabled(c)).unwrap_or(true)
    });
    let mut group = Group {
        name: words.join(" "),
        class: String::new(),
        disabled: disabled || !exists,
        items: Vec::new(),
    };
    let origin = line.point(canvas.view, "origin", at).unwrap_or_default();
    let rotation = line.number(canvas.view, "rotation", at).unwrap_or(0.0);
    let transform = Transform::rotate(rotation).then(Transform::shift(origin)).then(how.transform);
    graphics::line(canvas, &line, transform, &mut group.items);
    if let Some(text) = all.nested("Text") {
        label(canvas, &line, &text, &words, transform, &mut group.items);
    }
    if !group.items.is_empty() {
        out.push(Item::Group(group));
    }
}

/// The text on a connection, placed from one of the points of its line.
fn label(
    canvas: &mut Canvas<'_, '_>,
    line: &Attributes,
    text: &Attributes,
    ends: &[String; 2],
    transform: Transform,
    out: &mut Vec<Item>,
) {
    /// The height of a text whose extent has none, in millimetres: that of the specification's example.
    const HEIGHT: f64 = 4.0;
    let at = canvas.at;
    if text.boolean(canvas.view, "visible", at) == Some(false) {
        return;
    }
    let Some(points) = line.points(canvas.view, "points", at) else { return };
    let index = text.number(canvas.view, "index", at).unwrap_or(1.0) as i64;
    let position = if index < 0 { points.len() as i64 + index } else { index - 1 };
    let Some(&point) = usize::try_from(position).ok().and_then(|i| points.get(i)) else { return };
    let template = text.text(canvas.view, "string", at).or_else(|| text.text(canvas.view, "textString", at));
    let Some(template) = template else { return };
    let last = |path: &str| path.rsplit('.').next().unwrap_or(path).to_owned();
    let words = template.replace("%first", &last(&ends[0])).replace("%second", &last(&ends[1]));
    let Some(mut extent) = text.extent(canvas.view, "extent", at) else { return };
    if extent[0][1] == extent[1][1] {
        extent[1][1] += HEIGHT;
    }
    // The text begins or ends at the point: its width is not limited.
    let origin = text.point(canvas.view, "origin", at).unwrap_or_default();
    let rotation = text.number(canvas.view, "rotation", at).unwrap_or(0.0);
    let transform = Transform::rotate(rotation)
        .then(Transform::shift(origin))
        .then(Transform::shift(point))
        .then(transform);
    let alignment = text.literal(canvas.view, "horizontalAlignment", at);
    let alignment = alignment.as_deref().unwrap_or(if index < 0 { "Right" } else { "Left" });
    let color = text
        .color(canvas.view, "textColor", at)
        .or_else(|| text.color(canvas.view, "lineColor", at))
        .unwrap_or([0; 3]);
    graphics::placed(canvas, text, &words, extent, Some(alignment), color, transform, out);
}

pub(crate) fn reference(ast: &Ast, reference: &ComponentRef) -> String {
    let span = reference.span;
    ast.text[span.start as usize..span.end as usize].split_whitespace().collect()
}
