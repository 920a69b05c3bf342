//! Point masses and rods in the plane, in Cartesian coordinates: closed loops (four-bar mechanisms) and chains of pendulums.
//! The reference solves for accelerations and forces of the rods at once and integrates with order 12; what it drifts from the
//! constraints is far below what is allowed. The energy is among the signals.

use crate::case::{Case, Expectation, number};
use crate::choices::Choices;
use crate::reference::dense;
use crate::reference::truth::Signal;
use crate::reference::{Hybrid, Method, State};

const G: f64 = 9.81;

/// An end of a rod: a moving point or a place.
#[derive(Clone, Copy)]
enum End {
    Point(usize),
    Place(f64, f64),
}

struct Mechanism {
    masses: Vec<f64>,
    rods: Vec<(End, End)>,
    /// Positions and velocities at the start, x before y for each point.
    start: Vec<f64>,
    speed: f64,
    size: f64,
}

/// A closed loop: crank, coupler and rocker, with masses at both joints.
pub fn four_bar(choices: &mut Choices) -> Case {
    let scale = choices.scale("scale", 0.1, 10.0);
    let (a, b, c) = (
        scale * choices.number("crank", 0.4, 0.8),
        scale * choices.number("rocker", 1.6, 2.2),
        scale * choices.number("coupler", 1.6, 2.2),
    );
    let d = 2.0 * scale;
    let angle = choices.number("angle", 0.4, 2.7) * if choices.flag("below", 0.5) { -1.0 } else { 1.0 };
    let turn = choices.number("turn", -2.0, 2.0) * (G / scale).sqrt();
    let (ax, ay) = (a * angle.cos(), a * angle.sin());
    // The rocker's joint: on the circles around both ends, above their line.
    let (dx, dy) = (d - ax, -ay);
    let distance = dx.hypot(dy);
    let along = (c * c - b * b + distance * distance) / (2.0 * distance);
    let aside = (c * c - along * along).max(0.0).sqrt();
    let (bx, by) = (ax + (along * dx - aside * dy) / distance, ay + (along * dy + aside * dx) / distance);
    let (avx, avy) = (-ay * turn, ax * turn);
    // Velocity of the other joint: at right angles to the rocker, and the same along the coupler.
    let (tx, ty) = (-by, bx - d);
    let rate = ((bx - ax) * avx + (by - ay) * avy) / ((bx - ax) * tx + (by - ay) * ty);
    let m = Mechanism {
        masses: vec![choices.scale("m1", 0.1, 10.0), choices.scale("m2", 0.1, 10.0)],
        rods: vec![
            (End::Place(0.0, 0.0), End::Point(0)),
            (End::Point(0), End::Point(1)),
            (End::Place(d, 0.0), End::Point(1)),
        ],
        start: vec![ax, ay, bx, by, avx, avy, rate * tx, rate * ty],
        speed: (G / scale).sqrt(),
        size: 2.0 * scale,
    };
    let stop = choices.number("length", 1.0, 15.0) / m.speed;
    case(m, stop, 1)
}

/// A chain of pendulums.
pub fn chain(choices: &mut Choices) -> Case {
    let count = choices.count("links", 1, 8);
    let scale = choices.scale("scale", 0.1, 10.0);
    let (mut masses, mut rods, mut places) = (Vec::new(), Vec::new(), Vec::new());
    let (mut x, mut y) = (0.0, 0.0);
    for k in 0..count {
        let length = scale * choices.number(&format!("l{k}"), 0.5, 1.5);
        let angle = choices.number(&format!("angle{k}"), -1.3, 1.3);
        x += length * angle.sin();
        y -= length * angle.cos();
        places.extend([x, y]);
        masses.push(choices.scale(&format!("m{k}"), 0.3, 3.0));
        rods.push((if k == 0 { End::Place(0.0, 0.0) } else { End::Point(k - 1) }, End::Point(k)));
    }
    places.extend(vec![0.0; 2 * count]);
    let m = Mechanism { masses, rods, start: places, speed: (G / scale).sqrt(), size: scale * count as f64 };
    let stop = choices.number("length", 1.0, 8.0) / m.speed;
    case(m, stop, count)
}

fn case(m: Mechanism, stop: f64, freedom: usize) -> Case {
    let text = text(&m, freedom);
    let mut signals = Vec::new();
    for k in 1..=m.masses.len() {
        signals.extend([(format!("x[{k}]"), Signal::Real), (format!("y[{k}]"), Signal::Real)]);
    }
    signals.push(("E".to_owned(), Signal::Real));
    let expectation = Expectation::Solvable;
    Case { name: "Mechanism".to_owned(), text, stop, signals, reference: Box::new(m), expectation }
}

fn text(m: &Mechanism, freedom: usize) -> String {
    let n = m.masses.len();
    let list = |from: usize| (0..n).map(|k| number(m.start[from + 2 * k])).collect::<Vec<_>>().join(", ");
    let fixed = (0..n).map(|k| if k < freedom { "true" } else { "false" }).collect::<Vec<_>>().join(", ");
    let masses = m.masses.iter().map(|v| number(*v)).collect::<Vec<_>>().join(", ");
    let mut text = format!(
        "model Mechanism\n  parameter Real m[{n}] = {{{masses}}}, g = {G};\n  Real x[{n}](start = {{{}}}, fixed = {{{fixed}}}), y[{n}](start = {{{}}});\n  Real vx[{n}](start = {{{}}}, fixed = {{{fixed}}}), vy[{n}](start = {{{}}});\n  Real F[{}], E;\nequation\n  der(x) = vx; der(y) = vy;\n",
        list(0),
        list(1),
        list(2 * n),
        list(2 * n + 1),
        m.rods.len()
    );
    let mut forces = vec![(String::new(), String::new()); n];
    for (k, (from, to)) in m.rods.iter().enumerate() {
        let place = |end: &End| match end {
            End::Point(p) => (format!("x[{}]", p + 1), format!("y[{}]", p + 1)),
            End::Place(x, y) => (number(*x), number(*y)),
        };
        let (a, b) = (place(from), place(to));
        let (dx, dy) = (format!("({} - {})", b.0, a.0), format!("({} - {})", b.1, a.1));
        text += &format!("  {dx}^2 + {dy}^2 = {};\n", number(m.length(k).powi(2)));
        for (end, sign) in [(from, "+"), (to, "-")] {
            if let End::Point(p) = end {
                forces[*p].0 += &format!(" {sign} F[{}]*{dx}", k + 1);
                forces[*p].1 += &format!(" {sign} F[{}]*{dy}", k + 1);
            }
        }
    }
    for (k, (fx, fy)) in forces.iter().enumerate() {
        let k = k + 1;
        text += &format!("  m[{k}]*der(vx[{k}]) = 0{fx};\n  m[{k}]*der(vy[{k}]) = -m[{k}]*g{fy};\n");
    }
    text + &format!("  E = sum(m[k]*((vx[k]^2 + vy[k]^2)/2 + g*y[k]) for k in 1:{n});\nend Mechanism;\n")
}

impl Mechanism {
    fn place(&self, end: End, x: &[f64]) -> (f64, f64) {
        match end {
            End::Point(p) => (x[2 * p], x[2 * p + 1]),
            End::Place(a, b) => (a, b),
        }
    }

    fn length(&self, rod: usize) -> f64 {
        let (a, b) = (self.place(self.rods[rod].0, &self.start), self.place(self.rods[rod].1, &self.start));
        (b.0 - a.0).hypot(b.1 - a.1)
    }
}

impl Hybrid for Mechanism {
    fn start(&self) -> State {
        State { x: self.start.clone(), d: vec![] }
    }
    fn method(&self) -> Method {
        Method::Extrapolation
    }
    fn pace(&self) -> f64 {
        0.05 / self.speed
    }
    fn sizes(&self) -> Vec<f64> {
        let n = self.masses.len();
        let mut sizes = vec![self.size; 2 * n];
        sizes.extend(vec![self.size * self.speed; 2 * n]);
        sizes
    }
    fn rate(&self, _t: f64, _d: &[i64], x: &[f64], dx: &mut [f64]) {
        let half = x.len() / 2;
        let (q, v) = x.split_at(half);
        let count = self.rods.len();
        // Half the gradients of the squared lengths, and what their second derivatives have besides accelerations.
        let mut gradients = vec![vec![0.0; half]; count];
        let mut right = vec![0.0; count];
        for (k, (from, to)) in self.rods.iter().enumerate() {
            let (a, b) = (self.place(*from, q), self.place(*to, q));
            let velocity = |end: &End| match end {
                End::Point(p) => (v[2 * p], v[2 * p + 1]),
                End::Place(..) => (0.0, 0.0),
            };
            let (va, vb) = (velocity(from), velocity(to));
            let (ex, ey) = (b.0 - a.0, b.1 - a.1);
            for (end, sign) in [(from, -1.0), (to, 1.0)] {
                if let End::Point(p) = end {
                    gradients[k][2 * p] += sign * ex;
                    gradients[k][2 * p + 1] += sign * ey;
                }
            }
            let gravity: f64 = (0..half / 2).map(|p| gradients[k][2 * p + 1] * -G).sum();
            right[k] = -((vb.0 - va.0).powi(2) + (vb.1 - va.1).powi(2)) - gravity;
        }
        let mut matrix = vec![vec![0.0; count]; count];
        for i in 0..count {
            for j in 0..count {
                matrix[i][j] =
                    (0..half).map(|k| gradients[i][k] * gradients[j][k] / self.masses[k / 2]).sum();
            }
        }
        if !dense::solve(&mut matrix, &mut right) {
            right.fill(f64::NAN);
        }
        dx[..half].copy_from_slice(v);
        for k in 0..half {
            let pull: f64 = (0..count).map(|r| gradients[r][k] * right[r]).sum();
            dx[half + k] = pull / self.masses[k / 2] - if k % 2 == 1 { G } else { 0.0 };
        }
    }
    fn signal_sizes(&self) -> Vec<f64> {
        let mut sizes = vec![self.size; 2 * self.masses.len()];
        sizes.push(self.masses.iter().sum::<f64>() * G * self.size);
        sizes
    }
    fn outputs(&self, _t: f64, state: &State) -> Vec<f64> {
        let n = self.masses.len();
        let (q, v) = state.x.split_at(2 * n);
        let energy =
            |k: usize| self.masses[k] * (0.5 * (v[2 * k].powi(2) + v[2 * k + 1].powi(2)) + G * q[2 * k + 1]);
        let mut out = q.to_vec();
        out.push((0..n).map(energy).sum());
        out
    }
}
