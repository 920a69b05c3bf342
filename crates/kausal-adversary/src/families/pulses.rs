//! Narrow pulses in smooth models, without events: clipped sines, bells, triangles, beside states that are far slower. A step
//! that jumps over one is silently wrong.

use std::f64::consts::TAU;

use crate::case::{Case, Expectation, number};
use crate::choices::Choices;
use crate::reference::truth::Signal;
use crate::reference::{Hybrid, Method, State};

enum Pulse {
    /// `noEvent(max(0, sin(w t + p) - c))/(1 - c)`
    Clipped { w: f64, p: f64, c: f64 },
    /// Sum of `exp(-((t - t0)/s)^2)`
    Bells(Vec<(f64, f64)>),
    /// `noEvent(max(0, 1 - abs(t - t0)/s))`
    Triangles(Vec<(f64, f64)>),
}

struct Pulses {
    pulse: Pulse,
    height: f64,
    tau: f64,
    second: Option<f64>,
    pace: f64,
}

/// Pulses on a slow state, and on one that follows it.
pub fn generate(choices: &mut Choices) -> Case {
    let stop = choices.scale("stop", 1e-2, 1e6);
    let kind = choices.count("kind", 0, 2);
    let width = stop * choices.scale("width", 3e-3, 5e-2);
    let pulse = if kind == 0 {
        // The part of the period in which the sine is above c is acos(c)/pi.
        let c = choices.number("level", 0.0, 0.97);
        let w = (TAU * choices.number("turns", 1.0, 20.0)) / stop;
        Pulse::Clipped { w, p: choices.number("phase", 0.0, 6.0), c }
    } else {
        let list = (0..choices.count("count", 1, 3))
            .map(|k| {
                let at = stop * choices.number(&format!("at{k}"), 0.1, 0.9);
                (at, width * choices.number(&format!("wide{k}"), 0.5, 1.0))
            })
            .collect();
        if kind == 1 { Pulse::Bells(list) } else { Pulse::Triangles(list) }
    };
    let pace = match &pulse {
        Pulse::Clipped { w, c, .. } => 0.1 * c.acos() / w,
        _ => 0.1 * width,
    };
    let m = Pulses {
        pulse,
        height: choices.scale("height", 0.1, 100.0),
        tau: stop * choices.scale("tau", 0.05, 5.0),
        second: choices.flag("second", 0.4).then(|| stop * choices.scale("second_tau", 0.05, 5.0)),
        pace,
    };
    let text = text(&m);
    let mut signals = vec![("x".to_owned(), Signal::Real)];
    if m.second.is_some() {
        signals.push(("z".to_owned(), Signal::Real));
    }
    let expectation = Expectation::Solvable;
    Case { name: "Pulses".to_owned(), text, stop, signals, reference: Box::new(m), expectation }
}

fn text(m: &Pulses) -> String {
    let sum = |list: &[(f64, f64)], one: &dyn Fn(String, String) -> String| {
        list.iter().map(|(t0, s)| one(number(*t0), number(*s))).collect::<Vec<_>>().join(" + ")
    };
    let pulse = match &m.pulse {
        Pulse::Clipped { w, p, c } => format!(
            "noEvent(max(0, sin({}*time + {}) - {}))/{}",
            number(*w),
            number(*p),
            number(*c),
            number(1.0 - c)
        ),
        Pulse::Bells(list) => sum(list, &|t0, s| format!("exp(-((time - {t0})/{s})^2)")),
        Pulse::Triangles(list) => sum(list, &|t0, s| format!("noEvent(max(0, 1 - abs(time - {t0})/{s}))")),
    };
    let (declared, second) = match m.second {
        Some(tau) => (", z(start = 0, fixed = true)", format!("  der(z) = (x - z)/{};\n", number(tau))),
        None => ("", String::new()),
    };
    format!(
        "model Pulses\n  Real x(start = 0, fixed = true){declared}, u;\nequation\n  u = {pulse};\n  der(x) = ({}*u - x)/{};\n{second}end Pulses;\n",
        number(m.height),
        number(m.tau)
    )
}

impl Pulses {
    fn at(&self, t: f64) -> f64 {
        match &self.pulse {
            Pulse::Clipped { w, p, c } => ((w * t + p).sin() - c).max(0.0) / (1.0 - c),
            Pulse::Bells(list) => list.iter().map(|(t0, s)| (-((t - t0) / s).powi(2)).exp()).sum(),
            Pulse::Triangles(list) => list.iter().map(|(t0, s)| (1.0 - (t - t0).abs() / s).max(0.0)).sum(),
        }
    }
}

impl Hybrid for Pulses {
    fn start(&self) -> State {
        State { x: vec![0.0; 1 + usize::from(self.second.is_some())], d: vec![] }
    }
    fn method(&self) -> Method {
        Method::Extrapolation
    }
    fn pace(&self) -> f64 {
        self.pace
    }
    fn sizes(&self) -> Vec<f64> {
        // The largest value is noted as it comes; this only is a size to begin with.
        vec![self.height * self.pace / self.tau; 1 + usize::from(self.second.is_some())]
    }
    /// Kinks, so that no step goes over one.
    fn next_instant(&self, t: f64, _state: &State) -> f64 {
        let after = t * (1.0 + 1e-12) + 1e-12 * self.pace;
        match &self.pulse {
            Pulse::Bells(_) => f64::INFINITY,
            Pulse::Triangles(list) => list
                .iter()
                .flat_map(|(t0, s)| [t0 - s, *t0, t0 + s])
                .filter(|k| *k > after)
                .fold(f64::INFINITY, f64::min),
            Pulse::Clipped { w, p, c } => {
                // sin(w t + p) = c at asin c and pi - asin c, and every turn after.
                let next = |angle: f64| {
                    let turns = ((w * after + p - angle) / TAU).floor() + 1.0;
                    (angle + TAU * turns - p) / w
                };
                next(c.asin()).min(next(std::f64::consts::PI - c.asin()))
            }
        }
    }
    fn rate(&self, t: f64, _d: &[i64], x: &[f64], dx: &mut [f64]) {
        dx[0] = (self.height * self.at(t) - x[0]) / self.tau;
        if let Some(tau) = self.second {
            dx[1] = (x[0] - x[1]) / tau;
        }
    }
    fn signal_sizes(&self) -> Vec<f64> {
        vec![0.0; 1 + usize::from(self.second.is_some())]
    }
    fn outputs(&self, _t: f64, state: &State) -> Vec<f64> {
        state.x.clone()
    }
}
