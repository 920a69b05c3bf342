//! Delays: equations with a constant delay, followed by the method of steps, and variable delays of known signals.

use crate::case::{Case, Expectation, number};
use crate::choices::Choices;
use crate::reference::truth::Signal;
use crate::reference::{Cause, Hybrid, Method, State};

/// One of them.
pub fn generate(choices: &mut Choices) -> Case {
    if choices.flag("variable", 0.5) { variable(choices) } else { constant(choices) }
}

/// `x' = a x + b x(t - delay) + c`, or `x' = b x (1 - x(t - delay))`.
struct Constant {
    logistic: bool,
    a: f64,
    b: f64,
    c: f64,
    start: f64,
    delay: f64,
    /// So many delays fit into the run.
    parts: usize,
}

fn constant(choices: &mut Choices) -> Case {
    let logistic = choices.flag("logistic", 0.4);
    let delay = choices.scale("delay", 0.01, 10.0);
    let length = choices.number("length", 1.5, 9.0);
    let m = Constant {
        logistic,
        a: choices.number("a", -2.0, 0.0) / delay,
        b: if logistic { choices.number("b", 0.3, 1.8) } else { choices.number("b", -1.5, 1.0) } / delay,
        c: if logistic { 0.0 } else { choices.number("c", -1.0, 1.0) / delay },
        start: choices.number("start", 0.2, 1.5),
        delay,
        parts: length.ceil() as usize,
    };
    let lag = number(delay);
    let rate = if logistic {
        format!("{}*x*(1 - delay(x, {lag}))", number(m.b))
    } else {
        format!("{}*x + {}*delay(x, {lag}) + {}", number(m.a), number(m.b), number(m.c))
    };
    let text = format!(
        "model Delays\n  Real x(start = {}, fixed = true);\nequation\n  der(x) = {rate};\nend Delays;\n",
        number(m.start)
    );
    Case {
        name: "Delays".to_owned(),
        text,
        stop: length * delay,
        signals: vec![("x".to_owned(), Signal::Real)],
        reference: Box::new(m),
        expectation: Expectation::Solvable,
    }
}

/// All pieces of the length of the delay are integrated side by side from their beginnings: piece k sees piece k - 1 at the
/// same place. `x` has the pieces and then their values at their beginnings, `d` the number of the present piece.
impl Hybrid for Constant {
    fn start(&self) -> State {
        let mut x = vec![self.start; self.parts];
        x.extend(vec![self.start; self.parts]);
        State { x, d: vec![0] }
    }
    fn method(&self) -> Method {
        Method::Extrapolation
    }
    fn pace(&self) -> f64 {
        0.05 * self.delay
    }
    fn sizes(&self) -> Vec<f64> {
        let mut sizes = vec![1.0; self.parts];
        sizes.extend(vec![0.0; self.parts]);
        sizes
    }
    fn rate(&self, _t: f64, d: &[i64], x: &[f64], dx: &mut [f64]) {
        dx.fill(0.0);
        for k in 0..=d[0] as usize {
            let before = if k == 0 { self.start } else { x[k - 1] };
            dx[k] = match self.logistic {
                true => self.b * x[k] * (1.0 - before),
                false => self.a * x[k] + self.b * before + self.c,
            };
        }
    }
    fn next_instant(&self, _t: f64, state: &State) -> f64 {
        let next = state.d[0] + 1;
        if (next as usize) < self.parts { next as f64 * self.delay } else { f64::INFINITY }
    }
    fn switch(&self, _t: f64, state: &mut State, _cause: Cause) {
        let now = state.d[0] as usize;
        state.x[self.parts + now + 1] = state.x[now];
        for k in 0..=now + 1 {
            state.x[k] = state.x[self.parts + k];
        }
        state.d[0] += 1;
    }
    fn signal_sizes(&self) -> Vec<f64> {
        vec![1.0]
    }
    fn outputs(&self, _t: f64, state: &State) -> Vec<f64> {
        vec![state.x[state.d[0] as usize]]
    }
}

/// `y = delay(sin(w t + p), d, most)` with a delay `d` that varies, and `z' = y - z/tau`.
struct Variable {
    w: f64,
    p: f64,
    mean: f64,
    swing: f64,
    rate: f64,
    tau: f64,
}

fn variable(choices: &mut Choices) -> Case {
    let mean = choices.scale("mean", 0.01, 10.0);
    let m = Variable {
        w: choices.scale("w", 0.5, 10.0) / mean,
        p: choices.number("p", 0.0, 6.0),
        mean,
        swing: choices.number("swing", 0.1, 0.7),
        rate: choices.number("rate", 0.2, 1.0) / mean,
        tau: mean * choices.scale("tau", 0.3, 30.0),
    };
    let state = choices.flag("state", 0.4);
    let stop = mean * choices.number("length", 3.0, 20.0);
    let (declared, rule) = if state {
        // The same delay as the solution of a differential equation.
        (
            format!("d(start = {}, fixed = true)", number(mean)),
            format!("der(d) = {}*cos({}*time)", number(mean * m.swing * m.rate), number(m.rate)),
        )
    } else {
        (
            "d".to_owned(),
            format!("d = {} + {}*sin({}*time)", number(mean), number(mean * m.swing), number(m.rate)),
        )
    };
    let text = format!(
        "model Delays\n  Real y, {declared}, z(start = 0, fixed = true);\nequation\n  {rule};\n  y = delay(sin({}*time + {}), d, {});\n  der(z) = y - z/{};\nend Delays;\n",
        number(m.w),
        number(m.p),
        number(2.0 * mean),
        number(m.tau)
    );
    Case {
        name: "Delays".to_owned(),
        text,
        stop,
        signals: vec![("y".to_owned(), Signal::Real), ("z".to_owned(), Signal::Real)],
        reference: Box::new(m),
        expectation: Expectation::Solvable,
    }
}

impl Variable {
    fn delayed(&self, t: f64) -> f64 {
        // Before the start a signal has the value it starts with.
        (self.w * self.origin(t).max(0.0) + self.p).sin()
    }

    /// The instant whose value arrives at `t`.
    fn origin(&self, t: f64) -> f64 {
        t - self.mean * (1.0 + self.swing * (self.rate * t).sin())
    }
}

impl Hybrid for Variable {
    fn start(&self) -> State {
        State { x: vec![0.0], d: vec![0] }
    }
    fn method(&self) -> Method {
        Method::Extrapolation
    }
    fn pace(&self) -> f64 {
        0.05 / self.w.max(1.0 / self.mean)
    }
    fn sizes(&self) -> Vec<f64> {
        vec![1.0 / self.w]
    }
    fn rate(&self, t: f64, _d: &[i64], x: &[f64], dx: &mut [f64]) {
        dx[0] = self.delayed(t) - x[0] / self.tau;
    }
    /// The first value arrives: a kink, which no step may go over.
    fn guards(&self, t: f64, d: &[i64], _x: &[f64], out: &mut Vec<f64>) {
        out.push(if d[0] == 0 { self.origin(t) } else { -1.0 });
    }
    fn switch(&self, _t: f64, state: &mut State, _cause: Cause) {
        state.d[0] = 1;
    }
    fn signal_sizes(&self) -> Vec<f64> {
        vec![1.0, 0.0]
    }
    fn outputs(&self, t: f64, state: &State) -> Vec<f64> {
        vec![self.delayed(t), state.x[0]]
    }
}
