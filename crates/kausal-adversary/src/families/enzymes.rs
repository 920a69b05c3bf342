//! An enzyme that is saturated by its substrate until that is used up, and may be held by an inhibitor: slow manifolds that end,
//! and that go on behind their end where they are fast to leave. Nothing is negative in the truth.

use crate::case::{Case, Expectation, number};
use crate::choices::Choices;
use crate::reference::truth::Signal;
use crate::reference::{Hybrid, Method, State};

struct Enzyme {
    substrate: f64,
    enzyme: f64,
    bind: f64,
    release: f64,
    turn: f64,
    /// Substrate that flows in.
    feed: f64,
    stop: f64,
}

/// An enzyme with its substrate.
pub fn generate(choices: &mut Choices) -> Case {
    let form = choices.count("form", 0, 1);
    let size = choices.scale("size", 1e-9, 1e3);
    let enzyme = size * choices.scale("enzyme", 1e-3, 0.3);
    let turn = choices.scale("turn", 1e-2, 1e2);
    let release = turn * choices.scale("release", 0.01, 100.0);
    // The concentration at which half of the enzyme is bound.
    let half = size * choices.scale("half", 1e-6, 1e-1);
    let duration = size / (turn * enzyme);
    let stop = duration * choices.number("length", 0.3, 4.0);
    let feed = if choices.flag("fed", 0.3) { turn * enzyme * choices.number("feed", 0.1, 0.7) } else { 0.0 };
    let m = Enzyme { substrate: size, enzyme, bind: (release + turn) / half, release, turn, feed, stop };
    let names = ["s", "c", "p"];
    Case {
        name: "Enzyme".to_owned(),
        text: text(&m, form),
        stop,
        signals: names.iter().map(|n| ((*n).to_owned(), Signal::Real)).collect(),
        reference: Box::new(m),
        expectation: Expectation::Solvable,
    }
}

fn text(m: &Enzyme, form: usize) -> String {
    let [s, e, bind, release, turn, feed] =
        [m.substrate, m.enzyme, m.bind, m.release, m.turn, m.feed].map(number);
    let free = match form {
        // As a state, or from what is conserved.
        0 => format!(
            "  Real e(start = {e}, fixed = true);\nequation\n  der(e) = -r + {release}*c + {turn}*c;\n"
        ),
        _ => format!("  Real e;\nequation\n  e + c = {e};\n"),
    };
    format!(
        "model Enzyme\n  Real s(start = {s}, fixed = true), c(start = 0, fixed = true), p(start = 0, fixed = true), r;\n{free}  r = {bind}*s*e;\n  der(s) = {feed} - r + {release}*c;\n  der(c) = r - ({release} + {turn})*c;\n  der(p) = {turn}*c;\nend Enzyme;\n"
    )
}

/// `x = (s, c, p)`.
impl Hybrid for Enzyme {
    fn start(&self) -> State {
        State { x: vec![self.substrate, 0.0, 0.0], d: vec![] }
    }
    fn method(&self) -> Method {
        Method::Radau
    }
    fn pace(&self) -> f64 {
        0.02 * self.stop
    }
    fn sizes(&self) -> Vec<f64> {
        vec![self.substrate, self.enzyme, self.substrate]
    }
    fn rate(&self, _t: f64, _d: &[i64], x: &[f64], dx: &mut [f64]) {
        let bound = self.bind * x[0] * (self.enzyme - x[1]);
        dx[0] = self.feed - bound + self.release * x[1];
        dx[1] = bound - (self.release + self.turn) * x[1];
        dx[2] = self.turn * x[1];
    }
    fn signal_sizes(&self) -> Vec<f64> {
        self.sizes()
    }
    fn outputs(&self, _t: f64, state: &State) -> Vec<f64> {
        state.x.clone()
    }
}
