//! Friction and impacts: a ball that bounces (and comes to rest after infinitely many impacts), a mass on a spring with dry
//! friction that sticks and slips, a mass between stiff stops.

use std::f64::consts::TAU;

use crate::case::{Case, Expectation, number};
use crate::choices::Choices;
use crate::reference::truth::Signal;
use crate::reference::{Affine, Cause, Hybrid, Method, State};

/// One of them.
pub fn generate(choices: &mut Choices) -> Case {
    match choices.count("what", 0, 2) {
        0 => ball(choices),
        1 => friction(choices),
        _ => contact(choices),
    }
}

const G: f64 = 9.81;

/// A ball, falling from a height; it rests once its speed is below rounding.
struct Ball {
    height: f64,
    speed: f64,
    part: f64,
    pace: f64,
}

fn ball(choices: &mut Choices) -> Case {
    let height = choices.scale("height", 0.01, 100.0);
    let ball = Ball {
        height,
        speed: (2.0 * G * height).sqrt() * choices.number("speed", -0.5, 0.5),
        part: choices.number("part", 0.3, 0.95),
        pace: 0.05 * (height / G).sqrt(),
    };
    let impact = (ball.speed + (ball.speed * ball.speed + 2.0 * G * height).sqrt()) / G;
    let flight = 2.0 * ball.part * (ball.speed * ball.speed + 2.0 * G * height).sqrt() / G;
    let rest = impact + flight / (1.0 - ball.part);
    let beyond = choices.flag("beyond", 0.4);
    let part_of_it =
        if beyond { choices.number("after", 1.1, 2.5) } else { choices.number("before", 0.3, 0.97) };
    let form = choices.count("form", 0, 1);
    let rule = match form {
        0 => format!("when h <= 0 then reinit(v, -{}*pre(v)); end when;", number(ball.part)),
        _ => format!("when h <= 0 and v < 0 then reinit(v, -{}*v); end when;", number(ball.part)),
    };
    let text = format!(
        "model Ball\n  Real h(start = {}, fixed = true), v(start = {}, fixed = true);\nequation\n  der(h) = v;\n  der(v) = -{G};\n  {rule}\nend Ball;\n",
        number(height),
        number(ball.speed)
    );
    Case {
        name: "Ball".to_owned(),
        text,
        stop: rest * part_of_it,
        signals: vec![("h".to_owned(), Signal::Real)],
        reference: Box::new(ball),
        expectation: if beyond { Expectation::DiagnosticAllowed } else { Expectation::Solvable },
    }
}

/// `x = (h, v)`, `d = (at rest)`.
impl Hybrid for Ball {
    fn start(&self) -> State {
        State { x: vec![self.height, self.speed], d: vec![0] }
    }
    fn method(&self) -> Method {
        Method::Exponential
    }
    fn pace(&self) -> f64 {
        self.pace
    }
    fn sizes(&self) -> Vec<f64> {
        vec![self.height, (G * self.height).sqrt()]
    }
    fn rate(&self, _t: f64, _d: &[i64], _x: &[f64], _dx: &mut [f64]) {}
    fn affine(&self, d: &[i64]) -> Option<Affine> {
        if d[0] == 1 {
            // At rest, also after a disturbance.
            let a = vec![vec![-1.0 / self.pace, 0.0], vec![0.0, -1.0 / self.pace]];
            return Some(Affine { a, b: vec![0.0; 2] });
        }
        Some(Affine { a: vec![vec![0.0, 1.0], vec![0.0; 2]], b: vec![0.0, -G] })
    }
    fn guards(&self, _t: f64, d: &[i64], x: &[f64], out: &mut Vec<f64>) {
        out.push(if d[0] == 0 && x[1] < 0.0 { -x[0] } else { -1.0 });
    }
    fn switch(&self, _t: f64, state: &mut State, _cause: Cause) {
        state.x[1] *= -self.part;
        if state.x[1] < 1e-7 * (G * self.height).sqrt() {
            *state = State { x: vec![0.0, 0.0], d: vec![1] };
        }
    }
    fn signal_sizes(&self) -> Vec<f64> {
        vec![self.height]
    }
    fn outputs(&self, _t: f64, state: &State) -> Vec<f64> {
        vec![state.x[0]]
    }
}

/// A mass on a spring, driven by a sine, with dry friction.
struct Friction {
    mass: f64,
    stiffness: f64,
    damping: f64,
    force: f64,
    frequency: f64,
    slide: f64,
    stick: f64,
}

fn friction(choices: &mut Choices) -> Case {
    let library = choices.flag("library", 0.5);
    let frequency = choices.scale("frequency", 0.1, 20.0);
    let mass = choices.scale("mass", 0.1, 100.0);
    let natural = frequency * choices.scale("natural", 0.3, 3.0);
    let force = choices.scale("force", 1.0, 1000.0);
    let slide = force * choices.number("slide", 0.1, 0.8);
    let f = Friction {
        mass,
        stiffness: mass * (TAU * natural).powi(2),
        damping: if library { 0.0 } else { mass * TAU * natural * choices.number("damping", 0.0, 0.3) },
        force,
        frequency,
        slide,
        stick: slide * choices.number("peak", 1.0, 1.2),
    };
    let stop = choices.number("periods", 1.0, 10.0) / frequency;
    let drive = format!("{}*sin({}*time)", number(f.force), number(TAU * f.frequency));
    let text = if library {
        format!(
            "model Friction\n  Kausal.Translational.Mass mass(m = {}, s(start = 0, fixed = true), v(start = 0, fixed = true));\n  Kausal.Translational.SupportFriction friction(f_c = {}, peak = {});\n  Kausal.Translational.Spring spring(c = {});\n  Kausal.Translational.Fixed wall;\n  Kausal.Translational.Sources.Force force;\nequation\n  force.f = {drive};\n  connect(wall.flange, spring.a); connect(spring.b, mass.a); connect(mass.b, friction.a); connect(friction.b, force.flange);\nend Friction;\n",
            number(f.mass),
            number(f.slide),
            number(f.stick / f.slide),
            number(f.stiffness)
        )
    } else {
        let (slide, stick) = (number(f.slide), number(f.stick));
        format!(
            "model Friction\n  Real x(start = 0, fixed = true), v(start = 0, fixed = true), F;\n  Integer mode(start = 0, fixed = true);\nequation\n  F = {drive} - {}*x;\n  der(x) = v;\n  {}*der(v) = if mode == 0 then 0 else F - {slide}*mode - {}*v;\n  when pre(mode) == 0 and F > {stick} then mode = 1;\n  elsewhen pre(mode) == 0 and F < -{stick} then mode = -1;\n  elsewhen pre(mode) == 1 and v < 0 then mode = 0; reinit(v, 0);\n  elsewhen pre(mode) == -1 and v > 0 then mode = 0; reinit(v, 0);\n  end when;\nend Friction;\n",
            number(f.stiffness),
            number(f.mass),
            number(f.damping)
        )
    };
    let names = if library { ["mass.s", "mass.v"] } else { ["x", "v"] };
    let signals = names.iter().map(|n| ((*n).to_owned(), Signal::Real)).collect();
    let expectation = Expectation::Solvable;
    Case { name: "Friction".to_owned(), text, stop, signals, reference: Box::new(f), expectation }
}

/// `x = (position, velocity, sin, cos)`, `d = (direction)`.
impl Hybrid for Friction {
    fn start(&self) -> State {
        State { x: vec![0.0, 0.0, 0.0, 1.0], d: vec![0] }
    }
    fn method(&self) -> Method {
        Method::Exponential
    }
    fn pace(&self) -> f64 {
        let natural = (self.stiffness / self.mass).sqrt() / TAU;
        0.02 / natural.max(self.frequency)
    }
    fn sizes(&self) -> Vec<f64> {
        let size = self.force / self.stiffness;
        vec![size, size * (self.stiffness / self.mass).sqrt(), 0.0, 0.0]
    }
    fn rate(&self, _t: f64, _d: &[i64], _x: &[f64], _dx: &mut [f64]) {}
    fn affine(&self, d: &[i64]) -> Option<Affine> {
        let mut a = vec![vec![0.0; 4]; 4];
        let mut b = vec![0.0; 4];
        a[2][3] = TAU * self.frequency;
        a[3][2] = -TAU * self.frequency;
        if d[0] == 0 {
            // Sticking, also after a disturbance.
            a[1][1] = -1.0 / self.pace();
        } else {
            a[0][1] = 1.0;
            a[1][0] = -self.stiffness / self.mass;
            a[1][1] = -self.damping / self.mass;
            a[1][2] = self.force / self.mass;
            b[1] = -self.slide * d[0] as f64 / self.mass;
        }
        Some(Affine { a, b })
    }
    fn guards(&self, _t: f64, d: &[i64], x: &[f64], out: &mut Vec<f64>) {
        let force = self.force * x[2] - self.stiffness * x[0];
        match d[0] {
            0 => out.extend([force - self.stick, -force - self.stick]),
            direction => out.push(-x[1] * direction as f64),
        }
    }
    fn switch(&self, _t: f64, state: &mut State, cause: Cause) {
        state.d[0] = match (state.d[0], cause) {
            (0, Cause::Guard(0)) => 1,
            (0, _) => -1,
            _ => 0,
        };
        state.x[1] = 0.0;
    }
    fn signal_sizes(&self) -> Vec<f64> {
        self.sizes()[..2].to_vec()
    }
    fn outputs(&self, _t: f64, state: &State) -> Vec<f64> {
        state.x[..2].to_vec()
    }
}

/// A mass that falls on a stiff spring with a damper.
struct Contact {
    height: f64,
    stiffness: f64,
    damping: f64,
}

fn contact(choices: &mut Choices) -> Case {
    let height = choices.scale("height", 0.01, 10.0);
    let stiffness = choices.scale("stiffness", 1e3, 1e8);
    let damping = 2.0 * stiffness.sqrt() * choices.number("damping", 0.01, 0.5);
    let c = Contact { height, stiffness, damping };
    let stop = (2.0 * height / G).sqrt() * choices.number("falls", 1.2, 6.0);
    let condition = match choices.count("form", 0, 1) {
        0 => format!("if x < 0 then -{}*x - {}*v else 0", number(stiffness), number(damping)),
        _ => format!("noEvent(if x < 0 then -{}*x - {}*v else 0)", number(stiffness), number(damping)),
    };
    let text = format!(
        "model Contact\n  Real x(start = {}, fixed = true), v(start = 0, fixed = true);\nequation\n  der(x) = v;\n  der(v) = -{G} + {condition};\nend Contact;\n",
        number(height)
    );
    Case {
        name: "Contact".to_owned(),
        text: text
            .replace("+ if", "+ (if")
            .replace("else 0;", if text.contains("noEvent") { "else 0;" } else { "else 0);" }),
        stop,
        signals: vec![("x".to_owned(), Signal::Real)],
        reference: Box::new(c),
        expectation: Expectation::Solvable,
    }
}

impl Hybrid for Contact {
    fn start(&self) -> State {
        State { x: vec![self.height, 0.0], d: vec![0] }
    }
    fn method(&self) -> Method {
        Method::Exponential
    }
    fn pace(&self) -> f64 {
        (0.1 / self.stiffness.sqrt())
            .max(0.001 * (self.height / G).sqrt())
            .min(0.02 * (self.height / G).sqrt())
    }
    fn sizes(&self) -> Vec<f64> {
        vec![self.height, (G * self.height).sqrt()]
    }
    fn rate(&self, _t: f64, _d: &[i64], _x: &[f64], _dx: &mut [f64]) {}
    fn affine(&self, d: &[i64]) -> Option<Affine> {
        let (k, c) = if d[0] == 1 { (self.stiffness, self.damping) } else { (0.0, 0.0) };
        Some(Affine { a: vec![vec![0.0, 1.0], vec![-k, -c]], b: vec![0.0, -G] })
    }
    fn guards(&self, _t: f64, d: &[i64], x: &[f64], out: &mut Vec<f64>) {
        out.push(if d[0] == 0 { -x[0] } else { x[0] });
    }
    fn switch(&self, _t: f64, state: &mut State, _cause: Cause) {
        state.d[0] = 1 - state.d[0];
    }
    fn signal_sizes(&self) -> Vec<f64> {
        vec![self.height]
    }
    fn outputs(&self, _t: f64, state: &State) -> Vec<f64> {
        vec![state.x[0]]
    }
}
