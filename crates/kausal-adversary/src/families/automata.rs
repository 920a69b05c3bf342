//! Hybrid automata: random modes with affine flows that turn and decay, guards on half spaces, resets. Exact but for the
//! location of the guards.

use crate::case::{Case, Expectation, number};
use crate::choices::Choices;
use crate::reference::truth::Signal;
use crate::reference::{Affine, Cause, Hybrid, Method, State};

struct Edge {
    from: usize,
    to: usize,
    /// `factors · x > level`
    factors: Vec<f64>,
    level: f64,
    /// `x[k] := factor x[k] + term`
    reset: Option<(usize, f64, f64)>,
}

struct Automaton {
    start: Vec<f64>,
    modes: Vec<Affine>,
    edges: Vec<Edge>,
    fastest: f64,
}

/// An automaton.
pub fn generate(choices: &mut Choices) -> Case {
    let states = choices.count("states", 1, 3);
    let count = choices.count("modes", 2, 4);
    let pace = choices.scale("rate", 0.01, 100.0);
    let start: Vec<f64> = (0..states).map(|k| choices.number(&format!("x{k}"), -1.0, 1.0)).collect();
    let mut modes = Vec::new();
    for m in 0..count {
        let mut a = vec![vec![0.0; states]; states];
        let mut b = vec![0.0; states];
        for i in 0..states {
            for j in 0..states {
                a[i][j] = pace
                    * if i == j {
                        choices.number(&format!("a{m}_{i}{j}"), -1.5, 0.1)
                    } else {
                        choices.number(&format!("a{m}_{i}{j}"), -3.0, 3.0)
                    };
            }
            b[i] = pace * choices.number(&format!("b{m}_{i}"), -2.0, 2.0);
        }
        modes.push(Affine { a, b });
    }
    let mut edges = Vec::new();
    for m in 0..count {
        for e in 0..choices.count(&format!("edges{m}"), 1, 2) {
            let n = format!("e{m}_{e}");
            let other = choices.count(&format!("{n}.to"), 0, count - 2);
            let mut factors = vec![0.0; states];
            for (k, factor) in factors.iter_mut().enumerate() {
                *factor = choices.number(&format!("{n}.f{k}"), -1.0, 1.0);
            }
            let reset = choices.flag(&format!("{n}.resets"), 0.4).then(|| {
                (
                    choices.count(&format!("{n}.which"), 0, states - 1),
                    choices.number(&format!("{n}.by"), -0.9, 0.9),
                    choices.number(&format!("{n}.plus"), -0.3, 0.3),
                )
            });
            let mut level = choices.number(&format!("{n}.level"), 0.3, 1.2);
            // A `when` clause whose condition holds from the start is not active: no guard of the first mode does.
            let at_start: f64 = factors.iter().zip(&start).map(|(f, x)| f * x).sum();
            if m == 0 && level < at_start + 0.05 {
                level = at_start + 0.05;
            }
            edges.push(Edge { from: m, to: (m + 1 + other) % count, factors, level, reset });
        }
    }
    let model = Automaton { start, modes, edges, fastest: 0.02 / pace };
    let stop = choices.number("length", 3.0, 40.0) / pace;
    let text = text(&model);
    let mut signals: Vec<(String, Signal)> =
        (1..=states).map(|k| (format!("x[{k}]"), Signal::Real)).collect();
    signals.push(("m".to_owned(), Signal::Whole));
    signals.push(("n".to_owned(), Signal::Whole));
    let expectation = Expectation::Solvable;
    Case { name: "Automaton".to_owned(), text, stop, signals, reference: Box::new(model), expectation }
}

fn sum(factors: &[f64]) -> String {
    let terms = factors.iter().enumerate().map(|(k, f)| format!("{}*x[{}]", number(*f), k + 1));
    terms.collect::<Vec<_>>().join(" + ")
}

fn text(a: &Automaton) -> String {
    let starts: Vec<String> = a.start.iter().map(|v| number(*v)).collect();
    let mut text = format!(
        "model Automaton\n  Real x[{}](start = {{{}}}, each fixed = true);\n  Integer m(start = 1, fixed = true), n(start = 0, fixed = true);\nequation\n",
        a.start.len(),
        starts.join(", ")
    );
    for i in 0..a.start.len() {
        text += &format!("  der(x[{}]) = ", i + 1);
        for (m, flow) in a.modes.iter().enumerate() {
            let formula = format!("{} + {}", sum(&flow.a[i]), number(flow.b[i]));
            text += &if m + 1 == a.modes.len() {
                format!("{formula};\n")
            } else {
                format!("if m == {} then {formula} else ", m + 1)
            };
        }
    }
    for (k, e) in a.edges.iter().enumerate() {
        let word = if k == 0 { "when" } else { "elsewhen" };
        text += &format!(
            "  {word} pre(m) == {} and {} > {} then\n",
            e.from + 1,
            sum(&e.factors),
            number(e.level)
        );
        text += &format!("    m = {}; n = pre(n) + 1;", e.to + 1);
        if let Some((x, by, plus)) = e.reset {
            text += &format!(" reinit(x[{0}], {1}*x[{0}] + {2});", x + 1, number(by), number(plus));
        }
        text += "\n";
    }
    text + "  end when;\nend Automaton;\n"
}

/// `d = (mode, switches)`.
impl Hybrid for Automaton {
    fn start(&self) -> State {
        State { x: self.start.clone(), d: vec![0, 0] }
    }
    fn method(&self) -> Method {
        Method::Exponential
    }
    fn pace(&self) -> f64 {
        self.fastest
    }
    fn sizes(&self) -> Vec<f64> {
        vec![1.0; self.start.len()]
    }
    fn rate(&self, _t: f64, _d: &[i64], _x: &[f64], _dx: &mut [f64]) {}
    fn affine(&self, d: &[i64]) -> Option<Affine> {
        self.modes.get(d[0] as usize).cloned()
    }
    fn guards(&self, _t: f64, d: &[i64], x: &[f64], out: &mut Vec<f64>) {
        for e in &self.edges {
            let sum: f64 = e.factors.iter().zip(x).map(|(f, x)| f * x).sum();
            out.push(if e.from as i64 == d[0] { sum - e.level } else { -1.0 });
        }
    }
    fn switch(&self, _t: f64, state: &mut State, cause: Cause) {
        let Cause::Guard(k) = cause else { return };
        let edge = &self.edges[k];
        state.d[0] = edge.to as i64;
        state.d[1] += 1;
        if let Some((x, by, plus)) = edge.reset {
            state.x[x] = by * state.x[x] + plus;
        }
    }
    fn signal_sizes(&self) -> Vec<f64> {
        vec![0.0; self.start.len() + 2]
    }
    fn outputs(&self, _t: f64, state: &State) -> Vec<f64> {
        let mut out = state.x.clone();
        out.extend([(state.d[0] + 1) as f64, state.d[1] as f64]);
        out
    }
}
