//! Nonlinear loops with several roots, each known in closed form and apart from the others all along: the root near the start
//! value must be found, and followed.

use crate::case::{Case, Expectation, number};
use crate::choices::Choices;
use crate::reference::truth::Signal;
use crate::reference::{Hybrid, Method, State};

/// `centre + swing sin(w t + p)`
#[derive(Clone, Copy)]
struct Wave {
    centre: f64,
    swing: f64,
    w: f64,
    p: f64,
}

impl Wave {
    fn at(&self, t: f64) -> f64 {
        self.centre + self.swing * (self.w * t + self.p).sin()
    }
    fn text(&self) -> String {
        let [c, s, w, p] = [self.centre, self.swing, self.w, self.p].map(number);
        format!("{c} + {s}*sin({w}*time + {p})")
    }
}

enum Kind {
    /// A cubic polynomial with three roots.
    Cubic([Wave; 3], usize),
    /// A line cuts a circle in two points: `x² + y² = r²`, `y - x = c`.
    Circle { radius: Wave, shift: Wave, upper: bool },
    /// `sin(y) = s`, on one of its branches.
    Sine { level: Wave, branch: i64 },
    /// `y + a sinh(y/b) = …` has one root, and is steep: the right side is made so that the root is the wave.
    Steep { root: Wave, a: f64, b: f64 },
}

struct Roots {
    kind: Kind,
    tau: f64,
    fastest: f64,
    size: f64,
}

/// A loop with a state that follows the root.
pub fn generate(choices: &mut Choices) -> Case {
    let w = choices.scale("w", 0.1, 50.0);
    let wave = |choices: &mut Choices, name: &str, centre: f64, swing: f64| Wave {
        centre,
        swing: swing * choices.number(&format!("{name}.swing"), 0.1, 1.0),
        w: w * choices.number(&format!("{name}.w"), 0.3, 1.0),
        p: choices.number(&format!("{name}.p"), 0.0, 6.0),
    };
    let size = choices.scale("size", 1e-3, 1e3);
    let kind = match choices.count("kind", 0, 3) {
        0 => {
            let gap = choices.number("gap", 0.5, 2.0);
            let waves = [-1.0, 0.0, 1.0]
                .map(|k: f64| wave(choices, &format!("root{}", k + 1.0), size * k * gap, 0.35 * size * gap));
            Kind::Cubic(waves, choices.count("which", 0, 2))
        }
        1 => Kind::Circle {
            radius: wave(choices, "radius", size, 0.2 * size),
            shift: wave(choices, "shift", 0.0, 0.7 * size),
            upper: choices.flag("upper", 0.5),
        },
        2 => Kind::Sine {
            level: wave(choices, "level", 0.0, 0.9),
            branch: choices.count("branch", 0, 4) as i64 - 2,
        },
        _ => {
            let centre = size * choices.number("centre", -1.0, 1.0);
            Kind::Steep {
                root: wave(choices, "root", centre, size),
                a: size * choices.scale("a", 1e-3, 10.0),
                b: size * choices.scale("b", 0.03, 1.0),
            }
        }
    };
    let size = if matches!(kind, Kind::Sine { .. }) { 1.0 } else { size };
    let m = Roots { kind, tau: choices.scale("tau", 0.3, 30.0) / w, fastest: w, size };
    let stop = choices.number("length", 3.0, 30.0) / w;
    let text = text(&m);
    Case {
        name: "Roots".to_owned(),
        text,
        stop,
        signals: vec![("y".to_owned(), Signal::Real), ("z".to_owned(), Signal::Real)],
        reference: Box::new(m),
        expectation: Expectation::Solvable,
    }
}

fn text(m: &Roots) -> String {
    // A tenth of the size beside the root.
    let start = number(m.root(0.0) + 0.05 * m.size);
    let (declared, equations) = match &m.kind {
        Kind::Cubic(waves, _) => (
            "r[3], a, b, c".to_owned(),
            format!(
                "  r = {{{}, {}, {}}};\n  a = r[1] + r[2] + r[3]; b = r[1]*r[2] + r[2]*r[3] + r[3]*r[1]; c = r[1]*r[2]*r[3];\n  y^3 - a*y^2 + b*y = c;\n",
                waves[0].text(),
                waves[1].text(),
                waves[2].text()
            ),
        ),
        Kind::Circle { radius, shift, .. } => {
            let x = number(m.root(0.0) - shift.at(0.0) + 0.05 * m.size);
            let text = format!("  x^2 + y^2 = ({})^2;\n  y - x = {};\n", radius.text(), shift.text());
            (format!("x(start = {x})"), text)
        }
        Kind::Sine { level, .. } => ("s".to_owned(), format!("  s = {};\n  sin(y) = s;\n", level.text())),
        Kind::Steep { root, a, b } => {
            let (a, b) = (number(*a), number(*b));
            (
                "u".to_owned(),
                format!("  u = {};\n  y + {a}*sinh(y/{b}) = u + {a}*sinh(u/{b});\n", root.text()),
            )
        }
    };
    format!(
        "model Roots\n  Real y(start = {start}), {declared};\n  Real z(start = 0, fixed = true);\nequation\n{equations}  der(z) = (y - z)/{};\nend Roots;\n",
        number(m.tau)
    )
}

impl Roots {
    fn root(&self, t: f64) -> f64 {
        match &self.kind {
            Kind::Cubic(waves, which) => waves[*which].at(t),
            Kind::Circle { radius, shift, upper } => {
                // x = (-c ± sqrt(2 r² - c²))/2, y = x + c
                let (r, c) = (radius.at(t), shift.at(t));
                let root = (2.0 * r * r - c * c).sqrt();
                0.5 * (c + if *upper { root } else { -root })
            }
            Kind::Sine { level, branch } => {
                let angle = level.at(t).asin();
                let turned = if branch % 2 == 0 { angle } else { -angle };
                std::f64::consts::PI * *branch as f64 + turned
            }
            Kind::Steep { root, .. } => root.at(t),
        }
    }
}

impl Hybrid for Roots {
    fn start(&self) -> State {
        State { x: vec![0.0], d: vec![] }
    }
    fn method(&self) -> Method {
        Method::Extrapolation
    }
    fn pace(&self) -> f64 {
        0.1 / self.fastest
    }
    fn sizes(&self) -> Vec<f64> {
        vec![self.size]
    }
    fn rate(&self, t: f64, _d: &[i64], x: &[f64], dx: &mut [f64]) {
        dx[0] = (self.root(t) - x[0]) / self.tau;
    }
    fn signal_sizes(&self) -> Vec<f64> {
        vec![self.size, self.size]
    }
    fn outputs(&self, t: f64, state: &State) -> Vec<f64> {
        vec![self.root(t), state.x[0]]
    }
}
