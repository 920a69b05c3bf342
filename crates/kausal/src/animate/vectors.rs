//! Vectors of the Standard Library (`ModelicaServices.Animation.Vector`): forces, torques, velocities as arrows.
//!
//! Their lengths are no lengths, so each kind of quantity has a scale of its own: the longest of its vectors in the whole run is
//! a quarter of the size of what moves. Relative positions are lengths and stay what they are.

use std::collections::HashMap;

use kausal_animate::{Channel, Shape};
use kausal_model::view::{Datum, View};

use super::{axes, quaternion};
use crate::result::Trajectory;

/// The longest vector of a quantity, by the size of what moves.
const LONGEST: f64 = 0.25;
/// Length and width of a head in diameters of its line, as `Modelica.Mechanics.MultiBody.Types.Defaults` has them.
const HEAD: (f64, f64) = (5.0, 3.0);
/// Lines are that much thinner than what moves is large, where the world does not say.
const THIN: f64 = 1.0 / 80.0;

/// The paths of the vectors in a result, in its order.
pub fn prefixes(result: &Trajectory) -> Vec<String> {
    let names: std::collections::HashSet<&str> = result.signals.iter().map(|s| s.name.as_str()).collect();
    let is_vector = |prefix: &String| {
        let parts = ["R.T[1,1]", "r[1]", "quantity", "headAtOrigin", "color[1]"];
        parts.iter().all(|part| names.contains(format!("{prefix}.{part}").as_str()))
    };
    let prefix = |name: &str| name.strip_suffix(".coordinates[1]").map(str::to_owned);
    result.signals.iter().filter_map(|s| prefix(&s.name)).filter(is_vector).collect()
}

/// A vector at all instants: where it begins or ends, and what it is, both in the world.
struct Vector {
    name: String,
    quantity: String,
    origin: Vec<[f64; 3]>,
    value: Vec<[f64; 3]>,
    head_at_origin: bool,
    color: [Vec<f64>; 3],
}

/// A line and a head for each vector. `size` is that of what moves.
pub fn shapes(
    view: &mut View<'_>,
    prefixes: &[String],
    count: usize,
    size: f64,
    samples: &dyn Fn(&str) -> Option<Vec<f64>>,
) -> Vec<Shape> {
    let vectors: Vec<Vector> = prefixes.iter().filter_map(|p| vector(view, p, count, samples)).collect();
    let length = |v: &[f64; 3]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
    let mut longest: HashMap<&str, f64> = HashMap::new();
    for v in &vectors {
        let most = v.value.iter().map(length).fold(0.0, f64::max);
        let known = longest.entry(&v.quantity).or_default();
        *known = known.max(most);
    }
    let given = samples("world.defaultArrowDiameter").map(|d| d[0]).filter(|d| *d > 0.0);
    let thin = given.unwrap_or(THIN * size);
    let mut out = Vec::new();
    for v in &vectors {
        let scale = match longest.get(v.quantity.as_str()) {
            _ if v.quantity.ends_with("RelativePosition") => 1.0,
            Some(&most) if most > 0.0 => LONGEST * size / most,
            _ => 1.0,
        };
        let (mut line, mut head) = (Motion::default(), Motion::default());
        for i in 0..count {
            let whole = length(&v.value[i]);
            let direction = if whole > 0.0 { v.value[i].map(|x| x / whole) } else { [1.0, 0.0, 0.0] };
            let whole = whole * scale;
            // A short vector is all head.
            let tip = (HEAD.0 * thin).min(whole);
            let back = if v.head_at_origin { whole } else { 0.0 };
            let from: [f64; 3] = std::array::from_fn(|k| v.origin[i][k] - back * direction[k]);
            let neck = std::array::from_fn(|k| from[k] + (whole - tip) * direction[k]);
            line.push(from, direction, [whole - tip, thin, thin, 0.0]);
            head.push(neck, direction, [tip, HEAD.1 / HEAD.0 * tip, HEAD.1 / HEAD.0 * tip, 0.0]);
        }
        for (part, kind, motion) in [("line", "cylinder", line), ("head", "cone", head)] {
            let color = (0..count).flat_map(|i| [0, 1, 2].map(|k| v.color[k][i] as f32));
            out.push(Shape {
                name: format!("{}.{part}", v.name),
                kind: kind.to_owned(),
                mesh: None,
                position: Channel::new(3, motion.position),
                rotation: Channel::new(4, motion.rotation),
                size: Channel::new(4, motion.size),
                color: Channel::new(3, color.collect()),
            });
        }
    }
    out
}

/// Where a shape is, how it is turned, and how large it is, instant by instant.
#[derive(Default)]
pub struct Motion {
    pub position: Vec<f32>,
    pub rotation: Vec<f32>,
    pub size: Vec<f32>,
}

impl Motion {
    /// A shape that begins at a point and reaches in a direction.
    pub fn push(&mut self, at: [f64; 3], direction: [f64; 3], size: [f64; 4]) {
        let (x, y, z) = axes(direction, [0.0, 1.0, 0.0]);
        let mut q = quaternion(x, y, z).map(|v| v as f32);
        // Of the two quaternions of an orientation the one near the last.
        if let Some(before) = self.rotation.rchunks(4).next()
            && q.iter().zip(before).map(|(a, b)| a * b).sum::<f32>() < 0.0
        {
            q = q.map(|v| -v);
        }
        self.position.extend(at.map(|v| v as f32));
        self.rotation.extend(q);
        self.size.extend(size.map(|v| v as f32));
    }
}

fn vector(
    view: &mut View<'_>,
    prefix: &str,
    count: usize,
    samples: &dyn Fn(&str) -> Option<Vec<f64>>,
) -> Option<Vector> {
    let one = |part: String| samples(&format!("{prefix}.{part}"));
    let three = |name: &str| -> Option<[Vec<f64>; 3]> {
        Some([one(format!("{name}[1]"))?, one(format!("{name}[2]"))?, one(format!("{name}[3]"))?])
    };
    let (origin, own, color) = (three("r")?, three("coordinates")?, three("color")?);
    let rows: Vec<[Vec<f64>; 3]> = (1..4)
        .map(|i| {
            Some([one(format!("R.T[{i},1]"))?, one(format!("R.T[{i},2]"))?, one(format!("R.T[{i},3]"))?])
        })
        .collect::<Option<_>>()?;
    // T turns from the world to the frame of the vector; its transpose turns back.
    let value =
        |i: usize| -> [f64; 3] { std::array::from_fn(|k| (0..3).map(|j| rows[j][k][i] * own[j][i]).sum()) };
    let root = view.root();
    let found = view.find(root, &format!("{prefix}.quantity"));
    let quantity = match found.and_then(|inst| view.value(inst, None)) {
        Some(Datum::Literal(name)) => name,
        _ => one("quantity".to_owned())?[0].to_string(),
    };
    Some(Vector {
        name: prefix.to_owned(),
        quantity,
        origin: (0..count).map(|i| std::array::from_fn(|k| origin[k][i])).collect(),
        value: (0..count).map(value).collect(),
        head_at_origin: one("headAtOrigin".to_owned())?[0] != 0.0,
        color,
    })
}
