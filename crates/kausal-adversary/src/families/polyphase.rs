//! Bridges of ideal diodes without any resistance on a star of sines, with a load of resistor and inductor: the load sees the
//! largest minus the smallest phase, and diodes commutate where two phases cross.

use std::f64::consts::TAU;

use super::circuit::Parts;
use crate::case::{Case, Expectation, number};
use crate::choices::Choices;
use crate::reference::truth::Signal;
use crate::reference::{Cause, Hybrid, Method, State};

struct Polyphase {
    amplitude: f64,
    frequency: f64,
    phases: Vec<f64>,
    load: f64,
    inductance: f64,
}

/// A bridge of 2 to 4 phases.
pub fn generate(choices: &mut Choices) -> Case {
    let parts = *choices.pick("parts", &[Parts::Own, Parts::Library]);
    let count = choices.count("phases", 2, 4);
    let frequency = choices.scale("frequency", 10.0, 1000.0);
    let first = choices.number("phase", 0.05, 6.0);
    let load = choices.scale("load", 0.1, 1000.0);
    let m = Polyphase {
        amplitude: choices.scale("amplitude", 1.0, 400.0),
        frequency,
        phases: (0..count).map(|k| first + TAU * k as f64 / count as f64).collect(),
        load,
        inductance: load / frequency * choices.scale("inductance", 0.05, 10.0),
    };
    let stop = choices.number("periods", 1.0, 12.0) / frequency;
    let text = text(&m, parts);
    Case {
        name: "Polyphase".to_owned(),
        text,
        stop,
        signals: vec![("l.i".to_owned(), Signal::Real), ("r.i".to_owned(), Signal::Real)],
        reference: Box::new(m),
        expectation: Expectation::Solvable,
    }
}

fn text(m: &Polyphase, parts: Parts) -> String {
    let mut text = format!(
        "{}model Polyphase\n  {} r(R = {});\n  {} l(L = {}, i(start = 0, fixed = true));\n  {} g;\n",
        parts.head(),
        parts.class("Resistor"),
        number(m.load),
        parts.class("Inductor"),
        number(m.inductance),
        parts.class("Ground")
    );
    let mut connections = "  connect(r.n, l.p);\n".to_owned();
    for (k, phase) in m.phases.iter().enumerate() {
        let k = k + 1;
        text += &format!(
            "  {} s{k}(V = {}, f = {}, phase = {});\n  {} u{k}(Ron = 0, Goff = 0), d{k}(Ron = 0, Goff = 0);\n",
            parts.class("SineVoltage"),
            number(m.amplitude),
            number(m.frequency),
            number(*phase),
            parts.class("IdealDiode")
        );
        connections += &format!(
            "  connect(s{k}.n, g.p); connect(s{k}.p, u{k}.p); connect(s{k}.p, d{k}.n); connect(u{k}.n, r.p); connect(d{k}.p, l.n);\n"
        );
    }
    text + "equation\n" + &connections + "end Polyphase;\n"
}

impl Polyphase {
    fn phase(&self, k: i64, t: f64) -> f64 {
        self.amplitude * (TAU * self.frequency * t + self.phases[k as usize]).sin()
    }

    fn best(&self, t: f64, sign: f64) -> i64 {
        let count = self.phases.len() as i64;
        let best =
            (0..count).max_by(|&a, &b| (sign * self.phase(a, t)).total_cmp(&(sign * self.phase(b, t))));
        best.unwrap_or(0)
    }
}

/// `x = (current)`, `d = (phase of the conducting upper diode, of the lower one)`.
impl Hybrid for Polyphase {
    fn start(&self) -> State {
        State { x: vec![0.0], d: vec![self.best(0.0, 1.0), self.best(0.0, -1.0)] }
    }
    fn method(&self) -> Method {
        Method::Extrapolation
    }
    fn pace(&self) -> f64 {
        0.02 / self.frequency
    }
    fn sizes(&self) -> Vec<f64> {
        vec![self.amplitude / self.load]
    }
    fn rate(&self, t: f64, d: &[i64], x: &[f64], dx: &mut [f64]) {
        dx[0] = (self.phase(d[0], t) - self.phase(d[1], t) - self.load * x[0]) / self.inductance;
    }
    fn guards(&self, t: f64, d: &[i64], _x: &[f64], out: &mut Vec<f64>) {
        for k in 0..self.phases.len() as i64 {
            out.push(if k == d[0] { -1.0 } else { self.phase(k, t) - self.phase(d[0], t) });
            out.push(if k == d[1] { -1.0 } else { self.phase(d[1], t) - self.phase(k, t) });
        }
    }
    fn switch(&self, _t: f64, state: &mut State, cause: Cause) {
        if let Cause::Guard(k) = cause {
            state.d[k % 2] = (k / 2) as i64;
        }
    }
    fn signal_sizes(&self) -> Vec<f64> {
        vec![self.amplitude / self.load; 2]
    }
    fn outputs(&self, _t: f64, state: &State) -> Vec<f64> {
        vec![state.x[0]; 2]
    }
}
