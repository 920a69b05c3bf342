//! Chains of masses, springs and dampers, some of the springs cubic, as arrays or made of parts of the built-in library.

use crate::case::{Case, Expectation, number};
use crate::choices::Choices;
use crate::reference::truth::Signal;
use crate::reference::{Cause, Hybrid, Method, State};

struct Springs {
    masses: Vec<f64>,
    /// One more than masses: the first to the wall, the last free.
    stiffness: Vec<f64>,
    damping: Vec<f64>,
    cubic: f64,
    start: Vec<f64>,
    fastest: f64,
    /// `above = x[1] > level` is a result that decides nothing.
    level: Option<f64>,
}

/// A chain.
pub fn generate(choices: &mut Choices) -> Case {
    let count = choices.count("masses", 1, 12);
    let library = choices.flag("library", 0.4);
    let rate = choices.scale("rate", 0.1, 100.0);
    let mass = choices.scale("mass", 1e-3, 1e3);
    let cubic = if !library && choices.flag("cubic", 0.4) { choices.scale("bend", 0.1, 10.0) } else { 0.0 };
    let mut s = Springs {
        masses: Vec::new(),
        stiffness: Vec::new(),
        damping: Vec::new(),
        cubic,
        start: Vec::new(),
        fastest: 0.0,
        level: None,
    };
    for k in 0..count {
        s.masses.push(mass * choices.scale(&format!("m{k}"), 0.3, 3.0));
        s.stiffness.push(mass * rate * rate * choices.scale(&format!("c{k}"), 0.2, 20.0));
        s.damping.push(mass * rate * choices.number(&format!("d{k}"), 0.0, 0.2));
        s.start.push(choices.number(&format!("x{k}"), -1.0, 1.0));
        s.fastest = (4.0 * s.stiffness[k] * (1.0 + 4.0 * cubic) / s.masses[k]).sqrt().max(s.fastest);
    }
    s.level = choices.flag("watched", 0.5).then(|| choices.number("level", -0.5, 0.5));
    let stop = choices.number("length", 3.0, 30.0) / rate;
    let text = if library { components(&s) } else { equations(&s) };
    let name = |k: usize| if library { format!("m{k}.s") } else { format!("x[{k}]") };
    let mut signals: Vec<_> = (1..=count).map(|k| (name(k), Signal::Real)).collect();
    if s.level.is_some() {
        signals.push(("above".to_owned(), Signal::Whole));
    }
    let expectation = Expectation::Solvable;
    Case { name: "Springs".to_owned(), text, stop, signals, reference: Box::new(s), expectation }
}

fn list(values: &[f64]) -> String {
    values.iter().map(|v| number(*v)).collect::<Vec<_>>().join(", ")
}

fn equations(s: &Springs) -> String {
    let n = s.masses.len();
    format!(
        "model Springs\n  parameter Real m[{n}] = {{{}}}, c[{n}] = {{{}}}, d[{n}] = {{{}}};\n  Real x[{n}](start = {{{}}}, each fixed = true), v[{n}](each start = 0, each fixed = true), e[{n}], r[{n}], f[{}];\n{}equation\n{}  der(x) = v;\n  for k in 1:{n} loop\n    e[k] = if k == 1 then x[1] else x[k] - x[max(1, k - 1)];\n    r[k] = if k == 1 then v[1] else v[k] - v[max(1, k - 1)];\n    f[k] = c[k]*(e[k] + {}*e[k]^3) + d[k]*r[k];\n    m[k]*der(v[k]) = f[k + 1] - f[k];\n  end for;\n  f[{}] = 0;\nend Springs;\n",
        list(&s.masses),
        list(&s.stiffness),
        list(&s.damping),
        list(&s.start),
        n + 1,
        s.watched("x[1]").0,
        s.watched("x[1]").1,
        number(s.cubic),
        n + 1
    )
}

fn components(s: &Springs) -> String {
    let mut text = "model Springs\n  Kausal.Translational.Fixed wall;\n".to_owned();
    let mut connections = String::new();
    for k in 1..=s.masses.len() {
        text += &format!(
            "  Kausal.Translational.Mass m{k}(m = {}, s(start = {}, fixed = true), v(start = 0, fixed = true));\n  Kausal.Translational.SpringDamper c{k}(c = {}, d = {});\n",
            number(s.masses[k - 1]),
            number(s.start[k - 1]),
            number(s.stiffness[k - 1]),
            number(s.damping[k - 1])
        );
        let before = if k == 1 { "wall.flange".to_owned() } else { format!("m{}.b", k - 1) };
        connections += &format!("  connect({before}, c{k}.a); connect(c{k}.b, m{k}.a);\n");
    }
    let (declared, watched) = s.watched("m1.s");
    text + &declared + "equation\n" + &watched + &connections + "end Springs;\n"
}

impl Springs {
    /// Declaration and equation of the relation that is a result.
    fn watched(&self, position: &str) -> (String, String) {
        match self.level {
            Some(level) => {
                ("  Boolean above;\n".to_owned(), format!("  above = {position} > {};\n", number(level)))
            }
            None => (String::new(), String::new()),
        }
    }
}

impl Hybrid for Springs {
    fn start(&self) -> State {
        let mut x = self.start.clone();
        x.extend(vec![0.0; self.start.len()]);
        State { x, d: vec![i64::from(self.level.is_some_and(|level| self.start[0] > level))] }
    }
    fn method(&self) -> Method {
        Method::Extrapolation
    }
    fn pace(&self) -> f64 {
        0.3 / self.fastest
    }
    fn sizes(&self) -> Vec<f64> {
        let n = self.start.len();
        let mut sizes = vec![1.0; n];
        sizes.extend(vec![self.fastest; n]);
        sizes
    }
    fn rate(&self, _t: f64, _d: &[i64], x: &[f64], dx: &mut [f64]) {
        let n = self.start.len();
        let (x, v) = x.split_at(n);
        let force = |k: usize| {
            if k == n {
                return 0.0;
            }
            let (e, r) = if k == 0 { (x[0], v[0]) } else { (x[k] - x[k - 1], v[k] - v[k - 1]) };
            self.stiffness[k] * (e + self.cubic * e.powi(3)) + self.damping[k] * r
        };
        for k in 0..n {
            dx[k] = v[k];
            dx[n + k] = (force(k + 1) - force(k)) / self.masses[k];
        }
    }
    fn guards(&self, _t: f64, d: &[i64], x: &[f64], out: &mut Vec<f64>) {
        let beyond = self.level.map(|level| if d[0] == 1 { level - x[0] } else { x[0] - level });
        out.extend(beyond);
    }
    fn switch(&self, _t: f64, state: &mut State, _cause: Cause) {
        state.d[0] = 1 - state.d[0];
    }
    fn signal_sizes(&self) -> Vec<f64> {
        vec![1.0; self.start.len() + usize::from(self.level.is_some())]
    }
    fn outputs(&self, _t: f64, state: &State) -> Vec<f64> {
        let mut out = state.x[..self.start.len()].to_vec();
        out.extend(self.level.map(|_| state.d[0] as f64));
        out
    }
}
