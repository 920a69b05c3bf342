//! Conditions that are periodic in time beside slow states: sines above a level, `mod`, `sample`, sums of two sines. They are
//! counted, and what they switch moves a state that is far slower.

use std::f64::consts::TAU;

use crate::case::{Case, Expectation, number};
use crate::choices::Choices;
use crate::reference::truth::Signal;
use crate::reference::{Cause, Hybrid, Method, State};

#[derive(Clone, Copy, PartialEq)]
enum Condition {
    /// `sin(w t + p) > c`
    Sine { w: f64, p: f64, c: f64 },
    /// `mod(time, T) < d`
    Mod { period: f64, width: f64 },
    /// `sample(first, T)`
    Sample { first: f64, period: f64 },
    /// `sin(w t + p) + a sin(w2 t) > c`
    Beat { w: f64, p: f64, a: f64, w2: f64, c: f64 },
}

struct Periodic {
    conditions: Vec<Condition>,
    tau: f64,
    gain: f64,
    /// Does the first condition drive the state?
    drives: bool,
    pace: f64,
}

/// Conditions of time.
pub fn generate(choices: &mut Choices) -> Case {
    let count = choices.count("conditions", 1, 2);
    let period = choices.scale("period", 1e-4, 10.0);
    let turns = choices.scale("turns", 10.0, 600.0);
    let stop = period * turns;
    let mut conditions = Vec::new();
    let mut shortest: f64 = period;
    for k in 0..count {
        let period = period * if k == 0 { 1.0 } else { choices.number(&format!("ratio{k}"), 0.7, 3.0) };
        shortest = shortest.min(period);
        let w = TAU / period;
        let p = |choices: &mut Choices| choices.number(&format!("p{k}"), 0.05, 6.0);
        conditions.push(match choices.count(&format!("kind{k}"), 0, 3) {
            0 => Condition::Sine { w, p: p(choices), c: choices.number(&format!("c{k}"), -0.95, 0.95) },
            1 => Condition::Mod { period, width: period * choices.number(&format!("width{k}"), 0.05, 0.95) },
            2 => {
                Condition::Sample { first: period * choices.number(&format!("first{k}"), 0.01, 1.0), period }
            }
            _ => Condition::Beat {
                w,
                p: p(choices),
                a: choices.number(&format!("a{k}"), 0.1, 1.0),
                w2: w * choices.number(&format!("w2{k}"), 0.2, 1.0),
                c: choices.number(&format!("c{k}"), -0.8, 0.8),
            },
        });
    }
    let model = Periodic {
        tau: stop * choices.scale("tau", 0.3, 30.0),
        gain: choices.scale("gain", 0.1, 10.0),
        drives: choices.flag("drives", 0.5) && !matches!(conditions[0], Condition::Sample { .. }),
        pace: 0.02 * shortest,
        conditions,
    };
    let text = text(&model);
    let mut signals = vec![("x".to_owned(), Signal::Real)];
    signals.extend((1..=count).map(|k| (format!("n{k}"), Signal::Whole)));
    let expectation = Expectation::Solvable;
    Case { name: "Periodic".to_owned(), text, stop, signals, reference: Box::new(model), expectation }
}

fn text(m: &Periodic) -> String {
    let mut text = "model Periodic\n  Real x(start = 1, fixed = true);\n".to_owned();
    let mut equations = String::new();
    for (k, condition) in m.conditions.iter().enumerate() {
        let k = k + 1;
        text += &format!("  Integer n{k}(start = 0, fixed = true);\n");
        let formula = match *condition {
            Condition::Sine { w, p, c } => format!("sin({}*time + {}) > {}", number(w), number(p), number(c)),
            Condition::Mod { period, width } => format!("mod(time, {}) < {}", number(period), number(width)),
            Condition::Sample { first, period } => {
                let (first, period) = (number(first), number(period));
                equations +=
                    &format!("  when sample({first}, {period}) then n{k} = pre(n{k}) + 1; end when;\n");
                continue;
            }
            Condition::Beat { w, p, a, w2, c } => format!(
                "sin({}*time + {}) + {}*sin({}*time) > {}",
                number(w),
                number(p),
                number(a),
                number(w2),
                number(c)
            ),
        };
        text += &format!("  Boolean b{k};\n");
        equations += &format!("  b{k} = {formula};\n  when b{k} then n{k} = pre(n{k}) + 1; end when;\n");
    }
    let drive =
        if m.drives { format!(" + (if b1 then {} else 0)", number(m.gain / m.tau)) } else { String::new() };
    text + "equation\n  der(x) = -x/" + &number(m.tau) + &drive + ";\n" + &equations + "end Periodic;\n"
}

impl Condition {
    fn level(&self, t: f64) -> f64 {
        match *self {
            Condition::Sine { w, p, c } => (w * t + p).sin() - c,
            Condition::Beat { w, p, a, w2, c } => (w * t + p).sin() + a * (w2 * t).sin() - c,
            // `mod` and `sample` have exact instants instead.
            _ => 0.0,
        }
    }
}

/// `d` has for each condition: is it true, how often it became true, how many instants have passed.
impl Hybrid for Periodic {
    fn start(&self) -> State {
        let mut d = Vec::new();
        for c in &self.conditions {
            let on = match c {
                Condition::Mod { .. } => true,
                Condition::Sample { .. } => false,
                other => other.level(0.0) > 0.0,
            };
            d.extend([i64::from(on), 0, 0]);
        }
        State { x: vec![1.0], d }
    }
    fn method(&self) -> Method {
        Method::Extrapolation
    }
    fn pace(&self) -> f64 {
        self.pace
    }
    fn sizes(&self) -> Vec<f64> {
        vec![1.0]
    }
    fn rate(&self, _t: f64, d: &[i64], x: &[f64], dx: &mut [f64]) {
        dx[0] = -x[0] / self.tau + if self.drives && d[0] == 1 { self.gain / self.tau } else { 0.0 };
    }
    fn guards(&self, t: f64, d: &[i64], _x: &[f64], out: &mut Vec<f64>) {
        for (k, c) in self.conditions.iter().enumerate() {
            if matches!(c, Condition::Sine { .. } | Condition::Beat { .. }) {
                out.push(if d[3 * k] == 1 { -c.level(t) } else { c.level(t) });
            } else {
                out.push(-1.0);
            }
        }
    }
    fn next_instant(&self, _t: f64, state: &State) -> f64 {
        self.instants(state).into_iter().fold(f64::INFINITY, f64::min)
    }
    fn switch(&self, t: f64, state: &mut State, cause: Cause) {
        if let Cause::Guard(k) = cause {
            state.d[3 * k] = 1 - state.d[3 * k];
            state.d[3 * k + 1] += state.d[3 * k];
            return;
        }
        let instants = self.instants(state);
        for (k, instant) in instants.into_iter().enumerate() {
            if instant > t {
                continue;
            }
            match self.conditions[k] {
                Condition::Sample { .. } => state.d[3 * k + 1] += 1,
                _ => {
                    state.d[3 * k] = 1 - state.d[3 * k];
                    state.d[3 * k + 1] += state.d[3 * k];
                }
            }
            state.d[3 * k + 2] += 1;
        }
    }
    fn signal_sizes(&self) -> Vec<f64> {
        vec![0.0; 1 + self.conditions.len()]
    }
    fn outputs(&self, _t: f64, state: &State) -> Vec<f64> {
        let mut out = vec![state.x[0]];
        out.extend((0..self.conditions.len()).map(|k| state.d[3 * k + 1] as f64));
        out
    }
}

impl Periodic {
    /// The next instant of each condition.
    fn instants(&self, state: &State) -> Vec<f64> {
        let next = |(k, c): (usize, &Condition)| {
            let passed = state.d[3 * k + 2];
            match *c {
                Condition::Mod { period, width } if state.d[3 * k] == 1 => {
                    (passed / 2) as f64 * period + width
                }
                Condition::Mod { period, .. } => ((passed + 1) / 2) as f64 * period,
                Condition::Sample { first, period } => first + passed as f64 * period,
                _ => f64::INFINITY,
            }
        };
        self.conditions.iter().enumerate().map(next).collect()
    }
}
