//! Where components are: moved, turned, flipped, made larger (specification section 18.6.2). Numbers that change are written in
//! the place of those that stood there; an extent that is turned gets its own origin.

use kausal_syntax::Ast;
use kausal_syntax::ast::{ComponentId, Expr, ExprId, UnaryOp};

use crate::Point;
use crate::edit::{Axis, Draft, LayerName, Stop};
use crate::modifiers;
use crate::source::Source;

/// Where a component is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placed {
    /// Two corners, before the turn.
    pub extent: [Point; 2],
    /// Counter-clockwise, in degrees.
    pub rotation: f64,
    /// What it turns around, and where that is.
    pub origin: Point,
}

/// What nothing says.
const UNPLACED: [Point; 2] = [[-10.0, -10.0], [10.0, 10.0]];

impl Placed {
    /// Where its middle is.
    pub fn center(&self) -> Point {
        let [a, b] = self.extent;
        let middle = turn([(a[0] + b[0]) / 2.0, (a[1] + b[1]) / 2.0], self.rotation);
        [self.origin[0] + middle[0], self.origin[1] + middle[1]]
    }

    /// The same around its middle: the origin is there.
    fn centered(&self) -> Placed {
        let [a, b] = self.extent;
        let half = [(b[0] - a[0]) / 2.0, (b[1] - a[1]) / 2.0];
        Placed { extent: [[-half[0], -half[1]], half], rotation: self.rotation, origin: self.center() }
    }

    /// Where a point of the picture is once the component is elsewhere.
    pub fn carry(&self, to: &Placed, p: Point) -> Point {
        let (from, to) = (self.centered(), to.centered());
        let local = turn([p[0] - from.origin[0], p[1] - from.origin[1]], -from.rotation);
        let scale =
            |i: usize| if from.extent[1][i] == 0.0 { 1.0 } else { to.extent[1][i] / from.extent[1][i] };
        let moved = turn([local[0] * scale(0), local[1] * scale(1)], to.rotation);
        [round(to.origin[0] + moved[0]), round(to.origin[1] + moved[1])]
    }
}

fn turn(p: Point, degrees: f64) -> Point {
    let (s, c) = match degrees.rem_euclid(360.0) {
        0.0 => (0.0, 1.0),
        90.0 => (1.0, 0.0),
        180.0 => (0.0, -1.0),
        270.0 => (-1.0, 0.0),
        d => d.to_radians().sin_cos(),
    };
    [c * p[0] - s * p[1], s * p[0] + c * p[1]]
}

/// Pictures are drawn in millimetres; a thousandth of them is nothing.
fn round(x: f64) -> f64 {
    (x * 1000.0).round() / 1000.0 + 0.0
}

/// A number as it is written in a picture.
pub fn number(x: f64) -> String {
    let text = format!("{x}");
    match text.len() > 12 && x.abs() >= 0.001 && x.abs() < 1e12 {
        true => format!("{}", round(x)),
        false if x != 0.0 && (x.abs() < 1e-4 || x.abs() >= 1e15) => format!("{x:e}"),
        false => text,
    }
}

/// A point as it is written.
pub(crate) fn point(p: Point) -> String {
    format!("{{{},{}}}", number(round(p[0])), number(round(p[1])))
}

/// Points as they are written.
pub(crate) fn points(list: &[Point]) -> String {
    let all: Vec<String> = list.iter().map(|&p| point(p)).collect();
    format!("{{{}}}", all.join(","))
}

/// A number that is written as one.
pub(crate) fn read_number(ast: &Ast, e: ExprId) -> Option<f64> {
    match ast.exprs[e] {
        Expr::Integer(i) => Some(i as f64),
        Expr::Real(x) => Some(x),
        Expr::Unary(UnaryOp::Minus, a) => read_number(ast, a).map(|x| -x),
        Expr::Unary(UnaryOp::Plus, a) => read_number(ast, a),
        _ => None,
    }
}

fn read_point(ast: &Ast, e: ExprId) -> Option<(Point, [ExprId; 2])> {
    let Expr::Array(items) = ast.exprs[e] else { return None };
    let &[x, y] = ast.lists.exprs.get(items) else { return None };
    Some(([read_number(ast, x)?, read_number(ast, y)?], [x, y]))
}

/// Points that are written as numbers, with where each is.
pub(crate) fn read_points(ast: &Ast, e: ExprId) -> Option<Vec<(Point, [ExprId; 2])>> {
    match ast.exprs[e] {
        Expr::Array(items) => ast.lists.exprs.get(items).iter().map(|&p| read_point(ast, p)).collect(),
        // `[x1, y1; x2, y2]`, as old files have them.
        Expr::Matrix(rows) => {
            let row = |row: &kausal_syntax::arena::List<ExprId>| {
                let &[x, y] = ast.lists.exprs.get(*row) else { return None };
                Some(([read_number(ast, x)?, read_number(ast, y)?], [x, y]))
            };
            ast.lists.rows.get(rows).iter().map(row).collect()
        }
        _ => None,
    }
}

/// Writes numbers in the place of others, each for itself; all of them anew where there are more or fewer.
pub(crate) fn write_points(draft: &mut Draft<'_>, e: ExprId, new: &[Point]) -> Result<(), Stop> {
    let source = draft.source;
    let span = source.ast.span(e);
    match read_points(&source.ast, e) {
        Some(old) if old.len() == new.len() => {
            for ((old, exprs), new) in old.iter().zip(new) {
                for i in 0..2 {
                    write_number(draft, exprs[i], old[i], new[i])?;
                }
            }
            Ok(())
        }
        _ => Ok(draft.replace(span.start, span.end, points(new))?),
    }
}

fn write_number(draft: &mut Draft<'_>, e: ExprId, old: f64, new: f64) -> Result<(), Stop> {
    if round(old) == round(new) {
        return Ok(());
    }
    let span = draft.source.ast.span(e);
    Ok(draft.replace(span.start, span.end, number(round(new)))?)
}

/// The parts of the annotation that say where a component is.
fn path(layer: LayerName, attribute: &str) -> [&str; 3] {
    let transformation = match layer {
        LayerName::Diagram => "transformation",
        LayerName::Icon => "iconTransformation",
    };
    ["Placement", transformation, attribute]
}

/// What is written about the place of a component; `None` where nothing is, or what is written are no numbers.
pub(crate) fn read(source: &Source, component: ComponentId, layer: LayerName) -> Option<Placed> {
    let annotation = source.ast.components[component].description.annotation;
    let value = |attribute: &str| modifiers::find(source, annotation, &path(layer, attribute));
    let ast = &source.ast;
    annotation?;
    let extent = match value("extent") {
        Some(e) => match read_points(ast, e)?[..] {
            [(a, _), (b, _)] => [a, b],
            _ => return None,
        },
        None => UNPLACED,
    };
    let rotation = match value("rotation") {
        Some(e) => read_number(ast, e)?,
        None => 0.0,
    };
    let origin = match value("origin") {
        Some(e) => read_point(ast, e)?.0,
        None => [0.0, 0.0],
    };
    let any = ["extent", "rotation", "origin"].iter().any(|a| value(a).is_some());
    any.then_some(Placed { extent, rotation, origin })
}

/// The annotation for a new component.
pub(crate) fn written(placed: &Placed, layer: LayerName) -> String {
    let name = path(layer, "")[1];
    let mut parts = vec![format!("extent={}", points(&placed.extent))];
    if placed.rotation != 0.0 {
        parts.push(format!("rotation={}", number(placed.rotation)));
    }
    if placed.origin != [0.0, 0.0] {
        parts.push(format!("origin={}", point(placed.origin)));
    }
    format!("Placement({name}({}))", parts.join(", "))
}

/// A new component of this size there.
pub(crate) fn fresh(center: Point, size: Point, rotation: f64) -> Placed {
    let half = [size[0] / 2.0, size[1] / 2.0];
    if rotation != 0.0 {
        return Placed { extent: [[-half[0], -half[1]], half], rotation: angle(rotation), origin: center };
    }
    let extent = [[center[0] - half[0], center[1] - half[1]], [center[0] + half[0], center[1] + half[1]]];
    Placed { extent, rotation: 0.0, origin: [0.0, 0.0] }
}

/// An angle above -180 and at most 180.
fn angle(degrees: f64) -> f64 {
    let a = degrees.rem_euclid(360.0);
    if a > 180.0 { a - 360.0 } else { a }
}

/// Writes where a component is.
fn write(
    draft: &mut Draft<'_>,
    component: ComponentId,
    layer: LayerName,
    old: Option<Placed>,
    new: Placed,
) -> Result<(), Stop> {
    let source = draft.source;
    let c = &source.ast.components[component];
    let annotation = c.description.annotation;
    let found = |attribute: &str| modifiers::find(source, annotation, &path(layer, attribute));
    let has_any = ["extent", "rotation", "origin"].iter().any(|a| found(a).is_some());
    if !has_any {
        return annotate(draft, component, layer, &new);
    }
    let old_rotation = old.map_or(0.0, |o| o.rotation);
    let old_origin = old.map_or([0.0; 2], |o| o.origin);
    let mut missing = Vec::new();
    match found("extent") {
        Some(e) => write_points(draft, e, &new.extent)?,
        None if new.extent != UNPLACED => missing.push(format!("extent={}", points(&new.extent))),
        None => {}
    }
    match found("rotation") {
        Some(e) => {
            let span = source.ast.span(e);
            if angle(old_rotation) != angle(new.rotation) || old.is_none() {
                draft.replace(span.start, span.end, number(round(new.rotation)))?;
            }
        }
        None if new.rotation != 0.0 => missing.push(format!("rotation={}", number(round(new.rotation)))),
        None => {}
    }
    match found("origin") {
        Some(e) => match read_point(&source.ast, e) {
            Some((at, exprs)) => {
                for i in 0..2 {
                    write_number(draft, exprs[i], at[i], new.origin[i])?;
                }
            }
            None if old_origin != new.origin => {
                let span = source.ast.span(e);
                draft.replace(span.start, span.end, point(new.origin))?;
            }
            None => {}
        },
        None if new.origin != [0.0, 0.0] => missing.push(format!("origin={}", point(new.origin))),
        None => {}
    }
    if missing.is_empty() {
        return Ok(());
    }
    let [placement, transformation, _] = path(layer, "");
    let id = annotation.and_then(|id| modifiers::path_of(source, id, &[placement, transformation]));
    match id {
        Some(id) => {
            let at = source.ast.modifications[id].span.start;
            modifiers::insert(draft, id, at, &missing.join(", "))
        }
        None => annotate(draft, component, layer, &new),
    }
}

/// Writes a placement where there is none.
fn annotate(
    draft: &mut Draft<'_>,
    component: ComponentId,
    layer: LayerName,
    new: &Placed,
) -> Result<(), Stop> {
    let source = draft.source;
    let c = &source.ast.components[component];
    let text = written(new, layer);
    let Some(id) = c.description.annotation else {
        let separator = source.separator(c.span.end).and_then(|i| source.lexeme(i)).map(|l| l.span.start);
        let end = separator.and_then(|at| source.before(at)).and_then(|i| source.lexeme(i));
        let at = end.map_or(c.span.end, |l| l.span.end);
        return Ok(draft.replace(at, at, format!(" annotation({text})"))?);
    };
    if let Some(placement) = modifiers::path_of(source, id, &["Placement"]) {
        let inner = text.strip_prefix("Placement(").and_then(|t| t.strip_suffix(')')).unwrap_or(&text);
        let at = source.ast.modifications[placement].span.start;
        return modifiers::insert(draft, placement, at, inner);
    }
    modifiers::insert(draft, id, source.ast.modifications[id].span.start, &text)
}

/// Moves a component.
pub(crate) fn shift(draft: &mut Draft<'_>, name: &str, by: Point) -> Result<(), Stop> {
    change(draft, name, LayerName::Diagram, |old| {
        if old.origin == [0.0, 0.0] && old.rotation == 0.0 {
            let add = |p: Point| [p[0] + by[0], p[1] + by[1]];
            return Placed { extent: old.extent.map(add), ..old };
        }
        if old.origin == [0.0, 0.0] {
            let local = turn(by, -old.rotation);
            let add = |p: Point| [round(p[0] + local[0]), round(p[1] + local[1])];
            return Placed { extent: old.extent.map(add), ..old };
        }
        Placed { origin: [old.origin[0] + by[0], old.origin[1] + by[1]], ..old }
    })
}

/// Turns a component around its middle.
pub(crate) fn rotate(draft: &mut Draft<'_>, name: &str, by: f64) -> Result<(), Stop> {
    change(draft, name, LayerName::Diagram, |old| {
        let turned = old.centered();
        Placed { rotation: angle(old.rotation + by), ..turned }
    })
}

/// Mirrors a component.
pub(crate) fn flip(draft: &mut Draft<'_>, name: &str, axis: Axis) -> Result<(), Stop> {
    change(draft, name, LayerName::Diagram, |old| mirrored(old, axis))
}

fn mirrored(old: Placed, axis: Axis) -> Placed {
    let quarter = old.rotation.rem_euclid(180.0) == 90.0;
    // A mirror in the picture is the other one in the component where that is turned by a quarter.
    let i = usize::from((axis == Axis::Y) != quarter);
    let mut extent = old.extent;
    (extent[0][i], extent[1][i]) = (extent[1][i], extent[0][i]);
    let straight = old.rotation.rem_euclid(90.0) == 0.0;
    if straight && (old.rotation == 0.0 || old.centered() == old) {
        return Placed { extent, ..old };
    }
    let half = old.centered().extent;
    let mut extent = half;
    (extent[0][i], extent[1][i]) = (extent[1][i], extent[0][i]);
    let rotation = if straight { old.rotation } else { angle(-old.rotation) };
    Placed { extent, rotation, origin: old.center() }
}

/// What is asked for; the rest stays.
pub(crate) struct Asked {
    pub center: Option<Point>,
    pub extent: Option<[Point; 2]>,
    pub rotation: Option<f64>,
    pub flip_x: Option<bool>,
    pub flip_y: Option<bool>,
}

/// Places a component.
pub(crate) fn place(draft: &mut Draft<'_>, name: &str, asked: &Asked, layer: LayerName) -> Result<(), Stop> {
    change(draft, name, layer, |old| {
        let mut new = old;
        if let Some(extent) = asked.extent {
            new.extent = extent;
        }
        for (i, flip) in [asked.flip_x, asked.flip_y].into_iter().enumerate() {
            let is = new.extent[0][i] > new.extent[1][i];
            if flip.is_some_and(|flip| flip != is) {
                let extent = &mut new.extent;
                (extent[0][i], extent[1][i]) = (extent[1][i], extent[0][i]);
            }
        }
        if let Some(rotation) = asked.rotation
            && angle(rotation) != angle(new.rotation)
        {
            new = Placed { rotation: angle(rotation), ..new.centered() };
        }
        if let Some(center) = asked.center {
            let at = new.center();
            let by = [center[0] - at[0], center[1] - at[1]];
            match new.origin == [0.0, 0.0] && new.rotation == 0.0 {
                true => new.extent = new.extent.map(|p| [p[0] + by[0], p[1] + by[1]]),
                false => new.origin = [new.origin[0] + by[0], new.origin[1] + by[1]],
            }
        }
        new
    })
}

fn change(
    draft: &mut Draft<'_>,
    name: &str,
    layer: LayerName,
    f: impl FnOnce(Placed) -> Placed,
) -> Result<(), Stop> {
    // Where it is now is not written yet.
    if draft.follow().has(name) {
        return Err(crate::edit::Again.into());
    }
    let source = draft.source;
    let id = source.component(draft.class, name)?;
    let old = read(source, id, layer);
    // A connector without a placement of its own in the icon is where it is in the diagram.
    let from = old.or_else(|| read(source, id, LayerName::Diagram));
    let from = from.unwrap_or(Placed { extent: UNPLACED, rotation: 0.0, origin: [0.0, 0.0] });
    let new = f(from);
    write(draft, id, layer, old, new)?;
    if layer == LayerName::Diagram {
        draft.follow().add(name, from, new);
    }
    Ok(())
}
