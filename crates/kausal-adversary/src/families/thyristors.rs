//! Thyristors: fired at an angle of each period where the source is above the back voltage, put out by their own current, which
//! `reinit` sets to zero. Each firing finds the relation that put out the last one.

use std::f64::consts::TAU;

use crate::case::{Case, Expectation, number};
use crate::choices::Choices;
use crate::reference::truth::Signal;
use crate::reference::{Affine, Cause, Hybrid, Method, State};

struct Thyristor {
    amplitude: f64,
    frequency: f64,
    resistance: f64,
    inductance: f64,
    back: f64,
    /// The first firing.
    delay: f64,
}

/// A thyristor with a coil and a battery.
pub fn generate(choices: &mut Choices) -> Case {
    let form = choices.count("form", 0, 2);
    let frequency = choices.scale("frequency", 0.1, 1e4);
    let amplitude = choices.scale("amplitude", 1.0, 400.0);
    let resistance = choices.scale("resistance", 0.1, 100.0);
    let m = Thyristor {
        amplitude,
        frequency,
        resistance,
        inductance: resistance / (TAU * frequency) * choices.scale("lag", 0.05, 5.0),
        back: if choices.flag("battery", 0.5) { amplitude * choices.number("back", 0.05, 0.5) } else { 0.0 },
        delay: choices.number("angle", 0.12, 0.4) / frequency,
    };
    let stop = choices.number("periods", 1.2, 20.0) / frequency;
    let text = text(&m, form);
    Case {
        name: "Thyristor".to_owned(),
        text,
        stop,
        signals: vec![("i".to_owned(), Signal::Real), ("n".to_owned(), Signal::Whole)],
        reference: Box::new(m),
        expectation: Expectation::Solvable,
    }
}

fn text(m: &Thyristor, form: usize) -> String {
    let period = number(1.0 / m.frequency);
    let delay = number(m.delay);
    let (declared, rule, fired) = match form {
        0 => ("", String::new(), format!("sample({delay}, {period})")),
        1 => (
            "  Boolean fire;\n",
            format!("  fire = mod(time, {period}) >= {delay};\n"),
            "edge(fire)".to_owned(),
        ),
        _ => (
            "  Real next(start = 0, fixed = true);\n  Boolean fire;\n",
            format!(
                "  fire = time >= pre(next) + {delay};\n  when fire then next = pre(next) + {period}; end when;\n"
            ),
            "fire".to_owned(),
        ),
    };
    let back = number(m.back);
    format!(
        "model Thyristor\n  Real i(start = 0, fixed = true), u;\n  Boolean on(start = false, fixed = true);\n  Integer n(start = 0, fixed = true);\n{declared}equation\n  u = {}*sin({}*time) - {back};\n{rule}  when {fired} then on = pre(on) or u > 0; n = pre(n) + 1;\n  elsewhen pre(on) and i < 0 then on = false; n = pre(n); reinit(i, 0);\n  end when;\n  der(i) = if on then (u - {}*i)/{} else 0;\nend Thyristor;\n",
        number(m.amplitude),
        number(TAU * m.frequency),
        number(m.resistance),
        number(m.inductance)
    )
}

/// `x = (i, sin, cos)`, `d = (on, firings)`.
impl Hybrid for Thyristor {
    fn start(&self) -> State {
        State { x: vec![0.0, 0.0, 1.0], d: vec![0, 0] }
    }
    fn method(&self) -> Method {
        Method::Exponential
    }
    fn pace(&self) -> f64 {
        0.02 / self.frequency
    }
    fn sizes(&self) -> Vec<f64> {
        vec![self.amplitude / self.resistance, 0.0, 0.0]
    }
    fn rate(&self, _t: f64, _d: &[i64], _x: &[f64], _dx: &mut [f64]) {}
    fn affine(&self, d: &[i64]) -> Option<Affine> {
        let w = TAU * self.frequency;
        let current = match d[0] {
            // At zero, also after a disturbance.
            0 => (vec![-1.0 / self.pace(), 0.0, 0.0], 0.0),
            _ => (
                vec![-self.resistance / self.inductance, self.amplitude / self.inductance, 0.0],
                -self.back / self.inductance,
            ),
        };
        let a = vec![current.0, vec![0.0, 0.0, w], vec![0.0, -w, 0.0]];
        Some(Affine { a, b: vec![current.1, 0.0, 0.0] })
    }
    fn guards(&self, _t: f64, d: &[i64], x: &[f64], out: &mut Vec<f64>) {
        out.push(if d[0] == 1 { -x[0] } else { -1.0 });
    }
    fn next_instant(&self, _t: f64, state: &State) -> f64 {
        self.delay + state.d[1] as f64 / self.frequency
    }
    fn switch(&self, _t: f64, state: &mut State, cause: Cause) {
        match cause {
            Cause::Guard(_) => {
                state.d[0] = 0;
                state.x[0] = 0.0;
            }
            Cause::Instant => {
                state.d[1] += 1;
                if self.amplitude * state.x[1] > self.back {
                    state.d[0] = 1;
                }
            }
        }
    }
    fn signal_sizes(&self) -> Vec<f64> {
        vec![self.amplitude / self.resistance, 0.0]
    }
    fn outputs(&self, _t: f64, state: &State) -> Vec<f64> {
        vec![state.x[0], state.d[1] as f64]
    }
}
