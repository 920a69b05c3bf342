//! Networks of exponential diodes: random ones with a capacitor at each node, and a coil that drives its current through a
//! freewheeling diode, where the voltage is the solution of a steep scalar equation.

use std::f64::consts::TAU;

use super::circuit::{Diode, Parts};
use crate::case::{Case, Expectation, number};
use crate::choices::Choices;
use crate::reference::truth::Signal;
use crate::reference::{Cause, Hybrid, Method, State};

/// A network.
pub fn generate(choices: &mut Choices) -> Case {
    if choices.flag("coil", 0.3) { coil(choices) } else { network(choices) }
}

struct Network {
    amplitude: f64,
    offset: f64,
    frequency: f64,
    source: f64,
    capacitances: Vec<f64>,
    /// From, to (0: ground), resistance.
    resistors: Vec<(usize, usize, f64)>,
    diodes: Vec<(usize, usize, Diode)>,
}

fn network(choices: &mut Choices) -> Case {
    let form = choices.count("form", 0, 2);
    let nodes = choices.count("nodes", 1, 4);
    let frequency = choices.scale("frequency", 10.0, 1e4);
    let mut n = Network {
        amplitude: choices.scale("amplitude", 0.5, 50.0),
        offset: 0.0,
        frequency,
        source: choices.scale("source", 1.0, 1000.0),
        capacitances: Vec::new(),
        resistors: Vec::new(),
        diodes: Vec::new(),
    };
    if form == 0 && choices.flag("shifted", 0.3) {
        n.offset = n.amplitude * choices.number("offset", -1.0, 1.0);
    }
    for k in 1..=nodes {
        n.capacitances.push(choices.scale(&format!("c{k}"), 1e-3, 10.0) / (n.source * frequency));
        let leak = choices.scale(&format!("leak{k}"), 0.5, 100.0) * n.source;
        n.resistors.push((k, 0, leak));
        if k > 1 {
            let before = choices.count(&format!("before{k}"), 1, k - 1);
            if choices.flag(&format!("resistor{k}"), 0.4) {
                n.resistors.push((before, k, n.source * choices.scale(&format!("r{k}"), 0.01, 10.0)));
            } else {
                add_diode(&mut n, choices, &format!("d{k}"), before, k, form);
            }
        }
    }
    for k in 1..=choices.count("more", 1, 4) {
        let from = choices.count(&format!("from{k}"), 0, nodes);
        let to = choices.count(&format!("to{k}"), 0, nodes);
        if from != to {
            add_diode(&mut n, choices, &format!("m{k}"), from, to, form);
        }
    }
    let stop = choices.number("periods", 1.0, 10.0) / frequency;
    let text = match form {
        0 => equations(&n),
        _ => components(&n, if form == 1 { Parts::Own } else { Parts::Library }),
    };
    let name = |k: usize| if form == 0 { format!("u[{k}]") } else { format!("c{k}.v") };
    let signals = (1..=nodes).map(|k| (name(k), Signal::Real)).collect();
    let expectation = Expectation::Solvable;
    Case { name: "Network".to_owned(), text, stop, signals, reference: Box::new(n), expectation }
}

fn add_diode(n: &mut Network, choices: &mut Choices, name: &str, from: usize, to: usize, form: usize) {
    let diode = Diode {
        saturation: choices.scale(&format!("{name}.saturation"), 1e-14, 1e-8),
        vt: choices.number(&format!("{name}.vt"), 0.025, 0.05),
        gp: if form == 2 { 1e-8 } else { 0.0 },
        limit: if form == 2 { 15.0 } else { f64::INFINITY },
    };
    if choices.flag(&format!("{name}.turned"), 0.5) {
        n.diodes.push((to, from, diode));
    } else {
        n.diodes.push((from, to, diode));
    }
}

fn equations(n: &Network) -> String {
    let count = n.capacitances.len();
    let at = |k: usize| if k == 0 { "0".to_owned() } else { format!("u[{k}]") };
    let mut sums: Vec<String> = vec![String::new(); count + 1];
    sums[1] = format!(
        "({} + {}*sin({}*time) - u[1])/{}",
        number(n.offset),
        number(n.amplitude),
        number(TAU * n.frequency),
        number(n.source)
    );
    for (a, b, r) in &n.resistors {
        sums[*a] += &format!(" - ({} - {})/{}", at(*a), at(*b), number(*r));
        sums[*b] += &format!(" + ({} - {})/{}", at(*a), at(*b), number(*r));
    }
    let mut text = format!("model Network\n  Real u[{count}](each start = 0, each fixed = true);\n");
    if !n.diodes.is_empty() {
        text += &format!("  Real i[{}];\n", n.diodes.len());
    }
    text += "equation\n";
    for (k, (a, b, d)) in n.diodes.iter().enumerate() {
        let k = k + 1;
        text += &format!(
            "  i[{k}] = {}*(exp(({} - {})/{}) - 1);\n",
            number(d.saturation),
            at(*a),
            at(*b),
            number(d.vt)
        );
        sums[*a] += &format!(" - i[{k}]");
        sums[*b] += &format!(" + i[{k}]");
    }
    for k in 1..=count {
        text += &format!(
            "  {}*der(u[{k}]) = {};\n",
            number(n.capacitances[k - 1]),
            sums[k].trim_start_matches(" + ")
        );
    }
    text + "end Network;\n"
}

fn components(n: &Network, parts: Parts) -> String {
    let mut text = format!(
        "{}model Network\n  {} source(V = {}, f = {});\n  {} rs(R = {});\n  {} g;\n",
        parts.head(),
        parts.class("SineVoltage"),
        number(n.amplitude),
        number(n.frequency),
        parts.class("Resistor"),
        number(n.source),
        parts.class("Ground")
    );
    let at = |k: usize| if k == 0 { "g.p".to_owned() } else { format!("c{k}.p") };
    let mut connections =
        "  connect(source.n, g.p); connect(source.p, rs.p); connect(rs.n, c1.p);\n".to_owned();
    for (k, c) in n.capacitances.iter().enumerate() {
        let k = k + 1;
        text += &format!(
            "  {} c{k}(C = {}, v(start = 0, fixed = true));\n",
            parts.class("Capacitor"),
            number(*c)
        );
        connections += &format!("  connect(c{k}.n, g.p);\n");
    }
    for (k, (a, b, r)) in n.resistors.iter().enumerate() {
        text += &format!("  {} r{k}(R = {});\n", parts.class("Resistor"), number(*r));
        connections += &format!("  connect(r{k}.p, {}); connect(r{k}.n, {});\n", at(*a), at(*b));
    }
    for (k, (a, b, d)) in n.diodes.iter().enumerate() {
        text += &format!(
            "  {} d{k}(Ids = {}, Vt = {});\n",
            parts.class("Diode"),
            number(d.saturation),
            number(d.vt)
        );
        connections += &format!("  connect(d{k}.p, {}); connect(d{k}.n, {});\n", at(*a), at(*b));
    }
    text + "equation\n" + &connections + "end Network;\n"
}

impl Hybrid for Network {
    fn start(&self) -> State {
        State { x: vec![0.0; self.capacitances.len()], d: vec![] }
    }
    fn method(&self) -> Method {
        Method::Radau
    }
    fn pace(&self) -> f64 {
        0.02 / self.frequency
    }
    fn sizes(&self) -> Vec<f64> {
        vec![self.amplitude; self.capacitances.len()]
    }
    fn rate(&self, t: f64, _d: &[i64], x: &[f64], dx: &mut [f64]) {
        let at = |k: usize| if k == 0 { 0.0 } else { x[k - 1] };
        let mut into = vec![0.0; x.len() + 1];
        into[1] = (self.offset + self.amplitude * (TAU * self.frequency * t).sin() - x[0]) / self.source;
        for (a, b, r) in &self.resistors {
            let i = (at(*a) - at(*b)) / r;
            into[*a] -= i;
            into[*b] += i;
        }
        for (a, b, d) in &self.diodes {
            let i = d.at(at(*a) - at(*b)).0;
            into[*a] -= i;
            into[*b] += i;
        }
        for k in 0..x.len() {
            dx[k] = into[k + 1] / self.capacitances[k];
        }
    }
    fn signal_sizes(&self) -> Vec<f64> {
        self.sizes()
    }
    fn outputs(&self, _t: f64, state: &State) -> Vec<f64> {
        state.x.clone()
    }
}

/// A coil behind a switched source with a resistor; a diode from ground carries its current while the source is off.
struct Coil {
    voltage: f64,
    series: f64,
    inductance: f64,
    winding: f64,
    diode: Diode,
    period: f64,
    duty: f64,
}

fn coil(choices: &mut Choices) -> Case {
    let series = choices.scale("series", 0.1, 100.0);
    let period = choices.scale("period", 1e-4, 1.0);
    let c = Coil {
        voltage: choices.scale("voltage", 1.0, 100.0),
        series,
        inductance: choices.scale("inductance", 0.1, 10.0) * series * period,
        winding: series * choices.scale("winding", 0.01, 1.0),
        diode: Diode {
            saturation: choices.scale("saturation", 1e-14, 1e-8),
            vt: choices.number("vt", 0.025, 0.05),
            gp: 0.0,
            limit: f64::INFINITY,
        },
        period,
        duty: choices.number("duty", 0.2, 0.8),
    };
    // Off: the source is open but for a leak, or it is a short circuit behind the resistor.
    let stop = period * choices.number("periods", 1.0, 10.0);
    let text = format!(
        "model Coil\n  Real i(start = 0, fixed = true), v, id;\n  Real source;\nequation\n  source = if mod(time, {}) < {} then {} else -{};\n  id = {}*(exp(-v/{}) - 1);\n  i = (source - v)/{} + id;\n  {}*der(i) = v - {}*i;\nend Coil;\n",
        number(period),
        number(c.duty * period),
        number(c.voltage),
        number(c.voltage),
        number(c.diode.saturation),
        number(c.diode.vt),
        number(series),
        number(c.inductance),
        number(c.winding)
    );
    let signals = ["i", "v"].iter().map(|n| ((*n).to_owned(), Signal::Real)).collect();
    let expectation = Expectation::Solvable;
    Case { name: "Coil".to_owned(), text, stop, signals, reference: Box::new(c), expectation }
}

impl Coil {
    /// The voltage of the node: the current through the diode alone is what the source behind its resistor and the coil leave,
    /// which is a diode behind a resistor with an equivalent source.
    fn node(&self, d: &[i64], i: f64) -> f64 {
        let source = if d[0] == 1 { self.voltage } else { -self.voltage };
        // (source - v)/R + id(-v) = i, so -v + R id(-v) = R i - source.
        let across = self.series * i - source;
        let current = self.diode.behind(self.series, across);
        self.series * current - across
    }
}

impl Hybrid for Coil {
    fn start(&self) -> State {
        State { x: vec![0.0], d: vec![1, 0] }
    }
    fn method(&self) -> Method {
        Method::Radau
    }
    fn pace(&self) -> f64 {
        0.05 * self.period
    }
    fn sizes(&self) -> Vec<f64> {
        vec![self.voltage / self.series]
    }
    fn rate(&self, _t: f64, d: &[i64], x: &[f64], dx: &mut [f64]) {
        dx[0] = (self.node(d, x[0]) - self.winding * x[0]) / self.inductance;
    }
    fn next_instant(&self, _t: f64, state: &State) -> f64 {
        let k = state.d[1] as f64;
        if state.d[0] == 1 { (k + self.duty) * self.period } else { (k + 1.0) * self.period }
    }
    fn switch(&self, _t: f64, state: &mut State, _cause: Cause) {
        state.d[1] += 1 - state.d[0];
        state.d[0] = 1 - state.d[0];
    }
    fn signal_sizes(&self) -> Vec<f64> {
        vec![self.voltage / self.series, self.voltage]
    }
    fn outputs(&self, _t: f64, state: &State) -> Vec<f64> {
        vec![state.x[0], self.node(&state.d, state.x[0])]
    }
}
