//! Animations: the shapes of a model and their motion in a result, as a page for the browser.
//!
//! A shape is a component with the variables of `Modelica.Mechanics.MultiBody.Visualizers.Advanced.Shape`, which every
//! library that shows bodies hands its shapes to (through `ModelicaServices.Animation.Shape`): position `r`, orientation
//! `R.T`, `r_shape`, `lengthDirection`, `widthDirection`, sizes and colour. What kind it is (`shapeType`) is a text, which
//! results do not have; the model has it. Components of `Kausal.MultiBody` have no shapes: they are drawn by their frames.

mod bodies;
mod vectors;

use std::path::Path;

pub use kausal_animate::packed;

use kausal_animate::mesh::{self, Mesh};
use kausal_animate::{Animation, Channel, Shape, Signal};
use kausal_model::view::{Datum, View};
use kausal_syntax::Diagnostic;

use crate::draw::read_picture;
use crate::result::{self, Trajectory};
use crate::session::Session;

/// Numbers in a page at most; about six bytes each.
const LIMIT: usize = 500_000;
/// Instants in a page: enough for a minute of smooth motion, and never fewer than a short motion needs.
const INSTANTS: (usize, usize) = (200, 1800);
/// Signals that can be plotted beside the picture.
const SIGNALS: usize = 24;

impl Session {
    /// The animation of a result of a model; an error where it has no shapes.
    pub fn animation(&mut self, class: &str, result: &Trajectory) -> Result<Animation, Diagnostic> {
        let prefixes = prefixes(result);
        let vectors = vectors::prefixes(result);
        let frames = bodies::frames(result);
        if prefixes.is_empty() && vectors.is_empty() && frames.is_empty() {
            let message = format!("{class} has nothing to animate: its result has no shapes of bodies");
            let help = "bodies are components of Modelica.Mechanics.MultiBody, with animation enabled, or of Kausal.MultiBody";
            return Err(Diagnostic::error("K0931", message).help(help));
        }
        let (first, last) = (result.time.first().copied(), result.time.last().copied());
        let (start, stop) = (first.unwrap_or(0.0), last.unwrap_or(0.0));
        let names: Vec<String> = result::interesting(result, SIGNALS);
        let row = prefixes.len() * 7 + vectors.len() * 20 + frames.len() * 7 + names.len();
        let wanted = ((stop - start) * 60.0).ceil() as usize + 1;
        let count = wanted.clamp(INSTANTS.0, INSTANTS.1).min((LIMIT / row.max(1)).max(2));
        let time: Vec<f64> =
            (0..count).map(|i| start + (stop - start) * i as f64 / (count - 1) as f64).collect();
        let rows: Vec<(usize, f64)> = time.iter().map(|&t| row_at(result, t)).collect();
        let samples = |name: &str| sampled(result, name, &rows);
        let Some(mut view) = self.view(class) else {
            return Err(Diagnostic::error("K0200", format!("there is no class {class}")));
        };
        let mut shapes: Vec<Shape> =
            prefixes.iter().filter_map(|prefix| shape(&mut view, prefix, count, &samples)).collect();
        let meshes = meshes(&mut view, &mut shapes);
        shapes.extend(bodies::shapes(&frames, count, &samples));
        shapes.extend(vectors::shapes(&mut view, &vectors, count, extent(&shapes), &samples));
        // The world of the model, or of its mechanics.
        let is_world = |name: &&str| *name == "world.n[1]" || name.ends_with(".world.n[1]");
        let world = result.signals.iter().map(|s| s.name.as_str()).find(is_world);
        let world = world.and_then(|name| name.strip_suffix("[1]")).unwrap_or("world.n");
        let gravity = [1, 2, 3].map(|k| samples(&format!("{world}[{k}]")));
        let up = match &gravity {
            [Some(x), Some(y), Some(z)] => [-x[0], -y[0], -z[0]].map(|v| v as f32),
            _ => [0.0, 1.0, 0.0],
        };
        let signals = names.iter().filter_map(|name| {
            let signal = result.signal(name)?;
            let values = samples(name)?.into_iter().map(|v| v as f32).collect();
            Some(Signal { name: name.clone(), unit: kausal_draw::units::pretty(&signal.unit), values })
        });
        Ok(Animation {
            title: class.to_owned(),
            time: time.iter().map(|&t| t as f32).collect(),
            up,
            shapes,
            meshes,
            signals: signals.collect(),
        })
    }
}

/// Writes an animation as a page.
pub fn write(animation: &Animation, path: &Path) -> Result<(), Diagnostic> {
    let page = kausal_animate::page(animation).ok_or_else(unavailable)?;
    let fail =
        |e: std::io::Error| Diagnostic::error("K0930", format!("cannot write {}: {e}", path.display()));
    std::fs::write(path, page).map_err(fail)
}

/// What there is to say where [`is_available`] is false.
pub fn unavailable() -> Diagnostic {
    let message = "this program was built without Node.js, which the page of an animation comes from";
    Diagnostic::error("K0932", message).help("install Node.js 20 or later and build the program again")
}

/// Was the program built with what an animation needs?
pub fn is_available() -> bool {
    kausal_animate::is_available()
}

/// The paths of the shapes in a result, in its order.
fn prefixes(result: &Trajectory) -> Vec<String> {
    let names: std::collections::HashSet<&str> = result.signals.iter().map(|s| s.name.as_str()).collect();
    let is_shape = |prefix: &str| {
        let parts =
            ["R.T[1,1]", "r[1]", "r_shape[1]", "widthDirection[1]", "length", "width", "height", "extra"];
        parts.iter().all(|part| names.contains(format!("{prefix}.{part}").as_str()))
    };
    let prefix = |name: &str| name.strip_suffix(".lengthDirection[1]").map(str::to_owned);
    result.signals.iter().filter_map(|s| prefix(&s.name)).filter(|p| is_shape(p)).collect()
}

/// The last row that is not later than an instant, and how far the instant is to the next.
fn row_at(result: &Trajectory, time: f64) -> (usize, f64) {
    let row = result.time.partition_point(|&t| t <= time).saturating_sub(1);
    let part = match (result.time.get(row), result.time.get(row + 1)) {
        (Some(&a), Some(&b)) if b > a => (time - a) / (b - a),
        _ => 0.0,
    };
    (row, part)
}

fn sampled(result: &Trajectory, name: &str, rows: &[(usize, f64)]) -> Option<Vec<f64>> {
    let signal = result.signal(name)?;
    let value = |&(row, part): &(usize, f64)| {
        let here = result.value(signal, row);
        if part == 0.0 { here } else { here + part * (result.value(signal, row + 1) - here) }
    };
    Some(rows.iter().map(value).collect())
}

fn shape(
    view: &mut View<'_>,
    prefix: &str,
    count: usize,
    samples: &dyn Fn(&str) -> Option<Vec<f64>>,
) -> Option<Shape> {
    let all = |parts: &[&str]| -> Option<Vec<Vec<f64>>> {
        parts.iter().map(|part| samples(&format!("{prefix}.{part}"))).collect()
    };
    let origin = all(&["r[1]", "r[2]", "r[3]"])?;
    let own = all(&["r_shape[1]", "r_shape[2]", "r_shape[3]"])?;
    let turn = all(&[
        "R.T[1,1]", "R.T[1,2]", "R.T[1,3]", "R.T[2,1]", "R.T[2,2]", "R.T[2,3]", "R.T[3,1]", "R.T[3,2]",
        "R.T[3,3]",
    ])?;
    let length = all(&["lengthDirection[1]", "lengthDirection[2]", "lengthDirection[3]"])?;
    let width = all(&["widthDirection[1]", "widthDirection[2]", "widthDirection[3]"])?;
    let sizes = all(&["length", "width", "height"])?;
    let extra = samples(&format!("{prefix}.extra")).unwrap_or_else(|| vec![0.0; count]);
    let color = all(&["color[1]", "color[2]", "color[3]"]);
    let color = color.unwrap_or_else(|| vec![vec![155.0; count]; 3]);
    let matrix = |i: usize| -> [f64; 9] { std::array::from_fn(|k| turn[k][i]) };
    let vector = |list: &[Vec<f64>], i: usize| [list[0][i], list[1][i], list[2][i]];
    let (mut position, mut rotation) = (Vec::new(), Vec::new());
    let mut before = [0.0, 0.0, 0.0, 1.0];
    for i in 0..count {
        // T turns from the world to the local frame; its transpose turns back.
        let t = matrix(i);
        let back = |v: [f64; 3]| -> [f64; 3] {
            std::array::from_fn(|k| t[k] * v[0] + t[k + 3] * v[1] + t[k + 6] * v[2])
        };
        let at = back(vector(&own, i));
        let r = vector(&origin, i);
        position.extend((0..3).map(|k| (r[k] + at[k]) as f32));
        let (x, y, z) = axes(back(vector(&length, i)), back(vector(&width, i)));
        let mut q = quaternion(x, y, z);
        // Of the two quaternions of an orientation the one near the last.
        if q.iter().zip(before).map(|(a, b)| a * b).sum::<f64>() < 0.0 {
            q = q.map(|v| -v);
        }
        before = q;
        rotation.extend(q.map(|v| v as f32));
    }
    let size = (0..count).flat_map(|i| [sizes[0][i], sizes[1][i], sizes[2][i], extra[i]].map(|v| v as f32));
    let color = (0..count).flat_map(|i| vector(&color, i).map(|v| v as f32));
    Some(Shape {
        name: prefix.to_owned(),
        kind: kind(view, prefix),
        mesh: None,
        position: Channel::new(3, position),
        rotation: Channel::new(4, rotation),
        size: Channel::new(4, size.collect()),
        color: Channel::new(3, color.collect()),
    })
}

/// The size of the box around all places of shapes; 1 where there is only one.
fn extent(shapes: &[Shape]) -> f64 {
    let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for at in shapes.iter().flat_map(|s| s.position.data.chunks_exact(3)) {
        for k in 0..3 {
            (low[k], high[k]) = (low[k].min(at[k]), high[k].max(at[k]));
        }
    }
    let size = low.iter().zip(high).map(|(a, b)| f64::from(b - a).powi(2)).sum::<f64>().sqrt();
    if size.is_finite() && size > 0.0 { size } else { 1.0 }
}

/// Reads the files of shapes, each once. One that cannot be read leaves a box of its size.
fn meshes(view: &mut View<'_>, shapes: &mut [Shape]) -> Vec<Mesh> {
    let mut known: Vec<(String, Option<usize>)> = Vec::new();
    let (mut out, mut left) = (Vec::new(), 9 * mesh::MAX_TRIANGLES);
    for shape in shapes.iter_mut().filter(|s| mesh::is_file(&s.kind)) {
        let found = known.iter().find(|(name, _)| *name == shape.kind).map(|(_, found)| *found);
        shape.mesh = found.unwrap_or_else(|| {
            let data = read_picture(view, &shape.kind);
            let mesh = data.and_then(|data| mesh::read(&shape.kind, &data));
            let index = mesh.filter(|m| m.corners.len() <= left).map(|m| {
                left -= m.corners.len();
                out.push(m);
                out.len() - 1
            });
            known.push((shape.kind.clone(), index));
            index
        });
    }
    out
}

/// The `shapeType` of a shape; `box` is what the library has where nothing is said.
fn kind(view: &mut View<'_>, prefix: &str) -> String {
    let root = view.root();
    let found = view.find(root, &format!("{prefix}.shapeType"));
    match found.and_then(|inst| view.value(inst, None)) {
        Some(Datum::Text(kind)) => kind,
        _ => "box".to_owned(),
    }
}

/// Axes at right angles: x along the length, y as near to the width as it can be. Where the directions are parallel or
/// zero, any will do (as `Modelica.Mechanics.MultiBody.Frames.axesRotations` does for width).
fn axes(length: [f64; 3], width: [f64; 3]) -> ([f64; 3], [f64; 3], [f64; 3]) {
    let unit = |v: [f64; 3]| {
        let size = v.iter().map(|x| x * x).sum::<f64>().sqrt();
        (size > 1e-12).then(|| v.map(|x| x / size))
    };
    let x = unit(length).unwrap_or([1.0, 0.0, 0.0]);
    let z = unit(cross(x, width)).unwrap_or_else(|| {
        let least = if x[0].abs() < 0.9 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
        unit(cross(x, least)).unwrap_or([0.0, 0.0, 1.0])
    });
    (x, cross(z, x), z)
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The quaternion x, y, z, w of a rotation with these columns (Shepperd, Journal of Guidance and Control 1, 1978).
fn quaternion(x: [f64; 3], y: [f64; 3], z: [f64; 3]) -> [f64; 4] {
    let (m00, m11, m22) = (x[0], y[1], z[2]);
    let trace = m00 + m11 + m22;
    let largest = [m00, m11, m22, trace].into_iter().fold(f64::NEG_INFINITY, f64::max);
    let q = if largest == trace {
        [y[2] - z[1], z[0] - x[2], x[1] - y[0], 1.0 + trace]
    } else if largest == m00 {
        [1.0 + m00 - m11 - m22, y[0] + x[1], z[0] + x[2], y[2] - z[1]]
    } else if largest == m11 {
        [y[0] + x[1], 1.0 + m11 - m00 - m22, z[1] + y[2], z[0] - x[2]]
    } else {
        [z[0] + x[2], z[1] + y[2], 1.0 + m22 - m00 - m11, x[1] - y[0]]
    };
    let size = q.iter().map(|v| v * v).sum::<f64>().sqrt();
    if size > 0.0 { q.map(|v| v / size) } else { [0.0, 0.0, 0.0, 1.0] }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// v' = v + 2 q × (q × v + w v)
    fn turned(q: [f64; 4], v: [f64; 3]) -> [f64; 3] {
        let u = [q[0], q[1], q[2]];
        let c = cross(u, v);
        let inner: [f64; 3] = std::array::from_fn(|i| c[i] + q[3] * v[i]);
        let outer = cross(u, inner);
        std::array::from_fn(|i| v[i] + 2.0 * outer[i])
    }

    #[test]
    fn quaternions_turn_the_axes_where_they_belong() {
        let cases = [
            ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]),
            ([0.0, 1.0, 0.0], [1.0, 0.0, 0.0]),
            ([-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]),
            ([0.0, 0.0, 1.0], [0.0, -1.0, 0.0]),
            ([0.6, 0.8, 0.0], [0.3, 0.1, 0.9]),
            ([0.0, 0.0, -2.0], [0.0, 0.0, 1.0]),
        ];
        for (length, width) in cases {
            let (x, y, z) = axes(length, width);
            let q = quaternion(x, y, z);
            for (axis, wanted) in [([1.0, 0.0, 0.0], x), ([0.0, 1.0, 0.0], y), ([0.0, 0.0, 1.0], z)] {
                let got = turned(q, axis);
                assert!(got.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-12), "{length:?} {width:?}");
            }
        }
    }
}
