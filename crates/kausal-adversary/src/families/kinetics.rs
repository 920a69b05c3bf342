//! Mass action kinetics in badly scaled units: concentrations from 1e-12 to 1e6, rates over many orders of magnitude.
//! Every reaction keeps the number of molecules or halves it, so that a weighted sum is conserved.

use crate::case::{Case, Expectation, number};
use crate::choices::Choices;
use crate::reference::truth::Signal;
use crate::reference::{Hybrid, Method, State};

/// `left[0] (+ left[1]) → right`, with a rate constant.
struct Reaction {
    left: Vec<usize>,
    right: Vec<usize>,
    rate: f64,
}

struct Kinetics {
    start: Vec<f64>,
    reactions: Vec<Reaction>,
    stop: f64,
    size: f64,
}

/// Kinetics.
pub fn generate(choices: &mut Choices) -> Case {
    let form = choices.count("form", 0, 1);
    let species = choices.count("species", 2, 5);
    let size = choices.scale("size", 1e-12, 1e6);
    let stop = choices.scale("stop", 1e-3, 1e4);
    let start: Vec<f64> = (0..species)
        .map(|k| {
            if k > 0 && choices.flag(&format!("empty{k}"), 0.5) {
                0.0
            } else {
                size * choices.scale(&format!("x{k}"), 1e-2, 1.0)
            }
        })
        .collect();
    let mut reactions = Vec::new();
    for r in 0..choices.count("reactions", 1, 5) {
        let from = choices.count(&format!("r{r}.from"), 0, species - 1);
        let to = (from + choices.count(&format!("r{r}.step"), 1, species - 1)) % species;
        let speed = choices.scale(&format!("r{r}.speed"), 0.1, 1e5) / stop;
        match choices.count(&format!("r{r}.kind"), 0, 2) {
            0 => reactions.push(Reaction { left: vec![from], right: vec![to], rate: speed }),
            1 => {
                // A + B → 2 C keeps the number.
                let other = choices.count(&format!("r{r}.other"), 0, species - 1);
                reactions.push(Reaction { left: vec![from, other], right: vec![to, to], rate: speed / size });
            }
            _ => {
                // Catalysis: A + B → B + C.
                let other = choices.count(&format!("r{r}.other"), 0, species - 1);
                reactions.push(Reaction {
                    left: vec![from, other],
                    right: vec![other, to],
                    rate: speed / size,
                });
            }
        }
    }
    let model = Kinetics { start, reactions, stop, size };
    let text = text(&model, form);
    let signals = (1..=species).map(|k| (format!("x[{k}]"), Signal::Real)).collect();
    let expectation = Expectation::Solvable;
    Case { name: "Kinetics".to_owned(), text, stop, signals, reference: Box::new(model), expectation }
}

fn text(m: &Kinetics, form: usize) -> String {
    let starts: Vec<String> = m.start.iter().map(|v| number(*v)).collect();
    let mut text = format!(
        "model Kinetics\n  Real x[{}](start = {{{}}}, each fixed = true);\n",
        m.start.len(),
        starts.join(", ")
    );
    let mut changes = vec![String::new(); m.start.len()];
    let mut rates = String::new();
    if form == 0 {
        text += &format!("  Real r[{}];\n", m.reactions.len());
    }
    for (k, r) in m.reactions.iter().enumerate() {
        let factors: Vec<String> = r.left.iter().map(|s| format!("x[{}]", s + 1)).collect();
        let formula = format!("{}*{}", number(r.rate), factors.join("*"));
        let rate = if form == 0 {
            rates += &format!("  r[{}] = {formula};\n", k + 1);
            format!("r[{}]", k + 1)
        } else {
            formula
        };
        r.left.iter().for_each(|s| changes[*s] += &format!(" - {rate}"));
        r.right.iter().for_each(|s| changes[*s] += &format!(" + {rate}"));
    }
    text += "equation\n";
    text += &rates;
    for (k, change) in changes.iter().enumerate() {
        let change = if change.is_empty() { "0" } else { change.trim_start_matches(" + ") };
        text += &format!("  der(x[{}]) = {};\n", k + 1, change.trim());
    }
    text + "end Kinetics;\n"
}

impl Hybrid for Kinetics {
    fn start(&self) -> State {
        State { x: self.start.clone(), d: vec![] }
    }
    fn method(&self) -> Method {
        Method::Radau
    }
    fn pace(&self) -> f64 {
        0.02 * self.stop
    }
    fn sizes(&self) -> Vec<f64> {
        vec![self.size; self.start.len()]
    }
    fn rate(&self, _t: f64, _d: &[i64], x: &[f64], dx: &mut [f64]) {
        dx.fill(0.0);
        for r in &self.reactions {
            let rate = r.rate * r.left.iter().map(|s| x[*s]).product::<f64>();
            r.left.iter().for_each(|s| dx[*s] -= rate);
            r.right.iter().for_each(|s| dx[*s] += rate);
        }
    }
    fn signal_sizes(&self) -> Vec<f64> {
        self.sizes()
    }
    fn outputs(&self, _t: f64, state: &State) -> Vec<f64> {
        state.x.clone()
    }
}
