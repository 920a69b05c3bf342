//! Bodies of `Kausal.MultiBody`, which has no shapes of its own: what lies between two frames of a component is a bar, a joint
//! whose frames stay together is a pin along its axis, a mass is a ball. All of it follows from the motion of the frames.

use std::collections::HashSet;

use kausal_animate::{Channel, Shape};

use super::vectors::Motion;
use crate::result::Trajectory;

/// Diameters of bars, pins and balls, and the length of a pin, by the size of what moves.
const BAR: f64 = 1.0 / 50.0;
const PIN: (f64, f64) = (1.0 / 22.0, 1.0 / 30.0);
const BALL: f64 = 1.0 / 16.0;
/// Frames that stay closer together than this part of the size are one.
const CLOSE: f64 = 1e-6;

const GREY: [f32; 3] = [150.0, 156.0, 166.0];
const RED: [f32; 3] = [205.0, 70.0, 45.0];
const BLUE: [f32; 3] = [45.0, 110.0, 205.0];

/// A frame of a component, in space or in a plane.
pub struct Frame {
    /// The path of the component.
    component: String,
    /// Its own name.
    name: String,
    is_planar: bool,
}

impl Frame {
    fn path(&self) -> String {
        format!("{}.{}", self.component, self.name)
    }
}

/// The frames in a result, in its order.
pub fn frames(result: &Trajectory) -> Vec<Frame> {
    let names: HashSet<&str> = result.signals.iter().map(|s| s.name.as_str()).collect();
    let has =
        |path: &str, parts: &[&str]| parts.iter().all(|p| names.contains(format!("{path}.{p}").as_str()));
    let in_space = ["m.r[3]", "m.S[1,1]", "m.S[3,3]", "m.omega[1]", "f[3]", "t[3]"];
    let in_plane = ["r[2]", "phi", "f[1]", "f[2]", "t"];
    let frame = |name: &str| {
        let (path, is_planar) = match name.strip_suffix(".m.r[1]") {
            Some(path) => (path, false),
            None => (name.strip_suffix(".r[1]")?, true),
        };
        let (component, own) = path.rsplit_once('.')?;
        let known =
            if is_planar { has(path, &in_plane) && !has(path, &["r[3]"]) } else { has(path, &in_space) };
        known.then(|| Frame { component: component.to_owned(), name: own.to_owned(), is_planar })
    };
    result.signals.iter().filter_map(|s| frame(&s.name)).collect()
}

/// Where a frame is at all instants; the columns of its orientation are its axes in the world.
struct Place {
    origin: Vec<[f64; 3]>,
    axes: Vec<[[f64; 3]; 3]>,
}

impl Place {
    /// A point or direction of the frame, in the world.
    fn turned(&self, i: usize, v: [f64; 3]) -> [f64; 3] {
        std::array::from_fn(|k| (0..3).map(|j| self.axes[i][j][k] * v[j]).sum())
    }
}

fn place(frame: &Frame, count: usize, samples: &dyn Fn(&str) -> Option<Vec<f64>>) -> Option<Place> {
    let path = frame.path();
    let one = |part: String| samples(&format!("{path}.{part}"));
    if frame.is_planar {
        let (x, y, phi) = (one("r[1]".into())?, one("r[2]".into())?, one("phi".into())?);
        let axes = phi.iter().map(|phi| {
            let (s, c) = phi.sin_cos();
            [[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]]
        });
        return Some(Place { origin: (0..count).map(|i| [x[i], y[i], 0.0]).collect(), axes: axes.collect() });
    }
    let list = |names: [String; 3]| -> Option<Vec<Vec<f64>>> { names.into_iter().map(one).collect() };
    let r = list([1, 2, 3].map(|k| format!("m.r[{k}]")))?;
    // S turns from the world into the frame: its rows are the axes.
    let rows: Vec<Vec<Vec<f64>>> =
        (1..4).map(|j| list([1, 2, 3].map(|k| format!("m.S[{j},{k}]")))).collect::<Option<_>>()?;
    let at = |v: &[Vec<f64>], i: usize| [v[0][i], v[1][i], v[2][i]];
    Some(Place {
        origin: (0..count).map(|i| at(&r, i)).collect(),
        axes: (0..count).map(|i| [at(&rows[0], i), at(&rows[1], i), at(&rows[2], i)]).collect(),
    })
}

/// The shapes of the components that have these frames.
pub fn shapes(frames: &[Frame], count: usize, samples: &dyn Fn(&str) -> Option<Vec<f64>>) -> Vec<Shape> {
    let places: Vec<(&Frame, Place)> =
        frames.iter().filter_map(|f| Some((f, place(f, count, samples)?))).collect();
    let size = extent(&places);
    let mut out = Vec::new();
    let mut drawn: HashSet<Vec<u64>> = HashSet::new();
    for (k, (frame, a)) in places.iter().enumerate() {
        if frame.name != "a" {
            continue;
        }
        let component = frame.component.as_str();
        let three = |name: &str| -> Option<[f64; 3]> {
            let part = |k: usize| Some(samples(&format!("{component}.{name}[{k}]"))?[0]);
            Some([part(1)?, part(2)?, part(3).or(frame.is_planar.then_some(0.0))?])
        };
        let other = places[k + 1..].iter().take_while(|(f, _)| f.component == component);
        match other.into_iter().find(|(f, _)| f.name == "b") {
            Some((_, b)) => {
                let apart = (0..count).any(|i| distance(a.origin[i], b.origin[i]) > CLOSE * size);
                if apart {
                    bar(&mut out, &mut drawn, component, &a.origin, &b.origin, size);
                } else if let Some(e) = three("e").or(frame.is_planar.then_some([0.0, 0.0, 1.0])) {
                    pin(&mut out, component, a, e, size);
                }
            }
            None if samples(&format!("{component}.m")).is_some() => {
                let own = three("r_CM").unwrap_or_default();
                let at: Vec<[f64; 3]> = (0..count).map(|i| sum(a.origin[i], a.turned(i, own))).collect();
                if (0..count).any(|i| distance(a.origin[i], at[i]) > CLOSE * size) {
                    bar(&mut out, &mut drawn, component, &a.origin, &at, size);
                }
                ball(&mut out, component, &at, size);
            }
            None => {}
        }
    }
    out
}

fn sum(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|k| a[k] + b[k])
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt()
}

/// The size of the box around all frames; 1 where there is only one place.
fn extent(places: &[(&Frame, Place)]) -> f64 {
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for at in places.iter().flat_map(|(_, p)| &p.origin) {
        for k in 0..3 {
            (low[k], high[k]) = (low[k].min(at[k]), high[k].max(at[k]));
        }
    }
    let size = distance(low, high);
    if size.is_finite() && size > 0.0 { size } else { 1.0 }
}

/// A bar between two points, once: a component and what is in it may have the same ends.
fn bar(
    out: &mut Vec<Shape>,
    drawn: &mut HashSet<Vec<u64>>,
    component: &str,
    from: &[[f64; 3]],
    to: &[[f64; 3]],
    size: f64,
) {
    let ends = |i: usize| from[i].into_iter().chain(to[i]).map(f64::to_bits);
    let last = from.len().saturating_sub(1);
    if !drawn.insert([0, last / 2, last].into_iter().flat_map(ends).collect()) {
        return;
    }
    let mut motion = Motion::default();
    for (a, b) in from.iter().zip(to) {
        let length = distance(*a, *b);
        let along = std::array::from_fn(|k| b[k] - a[k]);
        motion.push(*a, along, [length, BAR * size, BAR * size, 0.0]);
    }
    out.push(shape(component, "cylinder", motion, GREY));
}

fn pin(out: &mut Vec<Shape>, component: &str, place: &Place, axis: [f64; 3], size: f64) {
    let mut motion = Motion::default();
    let (length, width) = (PIN.0 * size, PIN.1 * size);
    for i in 0..place.origin.len() {
        let along = place.turned(i, axis);
        let whole = distance(along, [0.0; 3]).max(f64::MIN_POSITIVE);
        let from = std::array::from_fn(|k| place.origin[i][k] - along[k] / whole * length / 2.0);
        motion.push(from, along, [length, width, width, 0.0]);
    }
    out.push(shape(component, "cylinder", motion, RED));
}

fn ball(out: &mut Vec<Shape>, component: &str, at: &[[f64; 3]], size: f64) {
    let mut motion = Motion::default();
    let width = BALL * size;
    for p in at {
        // A sphere begins at its origin and reaches along the first axis.
        motion.push([p[0] - width / 2.0, p[1], p[2]], [1.0, 0.0, 0.0], [width, width, width, 0.0]);
    }
    out.push(shape(component, "sphere", motion, BLUE));
}

fn shape(component: &str, kind: &str, motion: Motion, color: [f32; 3]) -> Shape {
    let count = motion.position.len() / 3;
    Shape {
        name: component.to_owned(),
        kind: kind.to_owned(),
        mesh: None,
        position: Channel::new(3, motion.position),
        rotation: Channel::new(4, motion.rotation),
        size: Channel::new(4, motion.size),
        color: Channel::new(3, color.repeat(count)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::{Signal, Values};

    fn result(values: &[(&str, f64)]) -> Trajectory {
        let signal = |(name, value): &(&str, f64)| Signal {
            name: (*name).into(),
            unit: String::new(),
            description: String::new(),
            values: Values::Constant(*value),
        };
        Trajectory { time: vec![0.0, 1.0], signals: values.iter().map(signal).collect(), columns: Vec::new() }
    }

    fn drawn(values: &[(&str, f64)]) -> Vec<Shape> {
        let result = result(values);
        shapes(&frames(&result), 2, &|name| result.get(name))
    }

    /// A body a quarter turned around z at x = 1: what is along its x axis is along y of the world.
    #[test]
    fn a_mass_is_a_ball_at_its_centre_and_a_bar_to_it() {
        let shapes = drawn(&[
            ("c.a.m.r[1]", 1.0),
            ("c.a.m.r[2]", 0.0),
            ("c.a.m.r[3]", 0.0),
            ("c.a.m.S[1,1]", 0.0),
            ("c.a.m.S[1,2]", 1.0),
            ("c.a.m.S[1,3]", 0.0),
            ("c.a.m.S[2,1]", -1.0),
            ("c.a.m.S[2,2]", 0.0),
            ("c.a.m.S[2,3]", 0.0),
            ("c.a.m.S[3,1]", 0.0),
            ("c.a.m.S[3,2]", 0.0),
            ("c.a.m.S[3,3]", 1.0),
            ("c.a.m.omega[1]", 0.0),
            ("c.a.f[3]", 0.0),
            ("c.a.t[3]", 0.0),
            ("c.m", 2.0),
            ("c.r_CM[1]", 0.5),
            ("c.r_CM[2]", 0.0),
            ("c.r_CM[3]", 0.0),
        ]);
        let kinds: Vec<&str> = shapes.iter().map(|s| s.kind.as_str()).collect();
        assert_eq!(kinds, ["cylinder", "sphere"]);
        assert_eq!(shapes[0].position.data[..3], [1.0, 0.0, 0.0]);
        assert_eq!(shapes[0].size.data[0], 0.5);
        let half = BALL as f32 / 2.0;
        assert_eq!(shapes[1].position.data[..3], [1.0 - half, 0.5, 0.0]);
    }

    /// In a plane: a bar between frames that are apart, a pin where they are one; nothing of what has no frames.
    #[test]
    fn bars_and_pins_follow_from_frames() {
        let plane = |component: &str, x: [f64; 2]| -> Vec<(String, f64)> {
            let frame = |name: &str, x: f64| {
                [("r[1]", x), ("r[2]", 0.0), ("phi", 0.0), ("f[1]", 0.0), ("f[2]", 0.0), ("t", 0.0)]
                    .map(|(part, value)| (format!("{component}.{name}.{part}"), value))
            };
            frame("a", x[0]).into_iter().chain(frame("b", x[1])).collect()
        };
        let all: Vec<(String, f64)> =
            plane("joint", [0.0, 0.0]).into_iter().chain(plane("bar", [0.0, 2.0])).collect();
        let all: Vec<(&str, f64)> = all.iter().map(|(n, v)| (n.as_str(), *v)).collect();
        let shapes = drawn(&all);
        let names: Vec<&str> = shapes.iter().map(|s| s.name.as_str()).collect();
        assert_eq!(names, ["joint", "bar"]);
        assert_eq!(shapes[1].size.data[0], 2.0);
        assert!(drawn(&[("ball.r[1]", 0.0), ("ball.r[2]", 0.0), ("ball.phi", 0.0)]).is_empty());
    }
}
