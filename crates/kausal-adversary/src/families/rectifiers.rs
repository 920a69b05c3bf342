//! Rectifiers: half-wave and bridge, exponential or ideal diodes, with and without series resistance, as equations, made of
//! components, or of parts of the built-in library. The capacitor's voltage is the only state; an ideal diode conducts while
//! the voltage across it is positive, whatever its resistances.

use std::f64::consts::{PI, TAU};

use super::circuit::{Diode, Parts};
use crate::case::{Case, Expectation, number};
use crate::choices::Choices;
use crate::reference::truth::Signal;
use crate::reference::{Affine, Cause, Hybrid, Method, State};

struct Values {
    amplitude: f64,
    frequency: f64,
    phase: f64,
    load: f64,
    capacitance: f64,
    series: f64,
    diode: Diode,
    on: f64,
    off: f64,
}

/// A rectifier.
pub fn generate(choices: &mut Choices) -> Case {
    let ideal = choices.flag("ideal", 0.4);
    let bridge = ideal && choices.flag("bridge", 0.5);
    let form = choices.count("form", 0, 2);
    let without_series = !bridge && choices.flag("without_series", 0.25);
    let frequency = choices.scale("frequency", 10.0, 1000.0);
    let load = choices.scale("load", 10.0, 1e4);
    let periods = choices.number("periods", 3.0, 25.0);
    let values = Values {
        amplitude: choices.scale("amplitude", 0.8, 300.0),
        frequency,
        phase: if without_series || form == 0 { 0.0 } else { choices.number("phase", 0.0, 3.0) },
        load,
        capacitance: choices.scale("ripple", 0.3, 50.0) / frequency / load,
        series: if without_series { 0.0 } else { load * choices.scale("series", 1e-4, 1e-1) },
        diode: Diode {
            saturation: choices.scale("saturation", 1e-14, 1e-8),
            vt: choices.number("vt", 0.025, 0.05),
            gp: if form == 2 && !ideal { 1e-8 } else { 0.0 },
            limit: if form == 2 && !ideal { 15.0 } else { f64::INFINITY },
        },
        on: choices.scale("on", 1e-5, 1e-2),
        off: choices.scale("off", 1e-8, 1e-5),
    };
    let parts = if form == 1 { Parts::Own } else { Parts::Library };
    let text = match (bridge, form) {
        (true, 0) => bridge_of(&values, Parts::Own),
        (true, _) => bridge_of(&values, parts),
        (false, 0) => equations(&values, ideal),
        (false, _) => half_wave_of(&values, ideal, parts),
    };
    let (voltage, current) = if !bridge && form == 0 { ("u", "i") } else { ("c.v", "source.i") };
    let mut signals = vec![(voltage.to_owned(), Signal::Real)];
    if !bridge {
        signals.push((current.to_owned(), Signal::Real));
    }
    let sign = if form == 0 { 1.0 } else { -1.0 };
    let reference: Box<dyn Hybrid> = match (ideal, bridge) {
        (false, _) => Box::new(Exponential { v: values, sign }),
        (true, false) => Box::new(Ideal { v: values, sign }),
        (true, true) => Box::new(Bridge { v: values }),
    };
    let stop = periods / frequency;
    Case { name: "Rectifier".to_owned(), text, stop, signals, reference, expectation: Expectation::Solvable }
}

fn equations(v: &Values, ideal: bool) -> String {
    let characteristic = if ideal {
        format!(
            "  Real s(start = 0); Boolean off(start = true);\nequation\n  off = s < 0;\n  v = s*(if off then 1 else {});\n  i = s*(if off then {} else 1);\n",
            number(v.on),
            number(v.off)
        )
    } else {
        format!("equation\n  i = {}*(exp(v/{}) - 1);\n", number(v.diode.saturation), number(v.diode.vt))
    };
    let series = if v.series > 0.0 { format!(" + {}*i", number(v.series)) } else { String::new() };
    format!(
        "model Rectifier\n  Real v, i;\n  Real u(start = 0, fixed = true);\n{characteristic}  {}*sin({}*time) = v + u{series};\n  {}*der(u) = i - u/{};\nend Rectifier;\n",
        number(v.amplitude),
        number(TAU * v.frequency),
        number(v.capacitance),
        number(v.load)
    )
}

fn source(v: &Values, parts: Parts) -> String {
    format!(
        "  {} source(V = {}, f = {}, phase = {});\n  {} c(C = {}, v(start = 0, fixed = true));\n  {} load(R = {});\n  {} g;\n",
        parts.class("SineVoltage"),
        number(v.amplitude),
        number(v.frequency),
        number(v.phase),
        parts.class("Capacitor"),
        number(v.capacitance),
        parts.class("Resistor"),
        number(v.load),
        parts.class("Ground")
    )
}

fn half_wave_of(v: &Values, ideal: bool, parts: Parts) -> String {
    let diode = if ideal {
        format!("{} d(Ron = {}, Goff = {})", parts.class("IdealDiode"), number(v.on), number(v.off))
    } else {
        let (class, ids, vt) = (parts.class("Diode"), number(v.diode.saturation), number(v.diode.vt));
        format!("{class} d(Ids = {ids}, Vt = {vt})")
    };
    let mut text = format!("{}model Rectifier\n{}  {diode};\n", parts.head(), source(v, parts));
    if v.series > 0.0 {
        text += &format!("  {} rs(R = {});\n", parts.class("Resistor"), number(v.series));
    }
    text += "equation\n";
    text += if v.series > 0.0 {
        "  connect(source.p, rs.p); connect(rs.n, d.p);\n"
    } else {
        "  connect(source.p, d.p);\n"
    };
    text += "  connect(d.n, c.p); connect(c.p, load.p); connect(c.n, load.n); connect(c.n, source.n); connect(c.n, g.p);\nend Rectifier;\n";
    text
}

fn bridge_of(v: &Values, parts: Parts) -> String {
    let diode = format!("(each Ron = {}, each Goff = {})", number(v.on), number(v.off));
    format!(
        "{}model Rectifier\n{}  {} d[4]{diode};\n  {} rs(R = {});\nequation\n  connect(source.p, rs.p); connect(rs.n, d[1].p); connect(rs.n, d[2].n); connect(source.n, d[3].p); connect(source.n, d[4].n);\n  connect(d[1].n, c.p); connect(d[3].n, c.p); connect(d[2].p, c.n); connect(d[4].p, c.n);\n  connect(c.p, load.p); connect(c.n, load.n); connect(c.n, g.p);\nend Rectifier;\n",
        parts.head(),
        source(v, parts),
        parts.class("IdealDiode"),
        parts.class("Resistor"),
        number(v.series)
    )
}

/// Half-wave with an exponential diode.
struct Exponential {
    v: Values,
    sign: f64,
}

impl Exponential {
    fn current(&self, t: f64, u: f64) -> f64 {
        let v = &self.v;
        v.diode.behind(v.series, v.amplitude * (TAU * v.frequency * t + v.phase).sin() - u)
    }
}

impl Hybrid for Exponential {
    fn start(&self) -> State {
        State { x: vec![0.0], d: vec![] }
    }
    fn method(&self) -> Method {
        Method::Radau
    }
    fn pace(&self) -> f64 {
        0.02 / self.v.frequency
    }
    fn sizes(&self) -> Vec<f64> {
        vec![self.v.amplitude]
    }
    fn rate(&self, t: f64, _d: &[i64], x: &[f64], dx: &mut [f64]) {
        dx[0] = (self.current(t, x[0]) - x[0] / self.v.load) / self.v.capacitance;
    }
    fn signal_sizes(&self) -> Vec<f64> {
        vec![self.v.amplitude, self.v.amplitude / self.v.load]
    }
    fn outputs(&self, t: f64, state: &State) -> Vec<f64> {
        vec![state.x[0], self.sign * self.current(t, state.x[0])]
    }
}

/// Half-wave with an ideal diode: `x = (u, sin, cos)`.
struct Ideal {
    v: Values,
    sign: f64,
}

impl Ideal {
    fn conductance(&self, d: &[i64]) -> f64 {
        let v = &self.v;
        if d[0] == 1 { 1.0 / (v.on + v.series) } else { v.off / (1.0 + v.series * v.off) }
    }
}

fn oscillator(a: &mut [Vec<f64>], at: usize, frequency: f64) {
    a[at][at + 1] = 2.0 * PI * frequency;
    a[at + 1][at] = -2.0 * PI * frequency;
}

impl Hybrid for Ideal {
    fn start(&self) -> State {
        State { x: vec![0.0, self.v.phase.sin(), self.v.phase.cos()], d: vec![0] }
    }
    fn method(&self) -> Method {
        Method::Exponential
    }
    fn pace(&self) -> f64 {
        0.02 / self.v.frequency
    }
    fn sizes(&self) -> Vec<f64> {
        vec![self.v.amplitude, 0.0, 0.0]
    }
    fn rate(&self, _t: f64, _d: &[i64], _x: &[f64], _dx: &mut [f64]) {}
    fn affine(&self, d: &[i64]) -> Option<Affine> {
        let (v, g) = (&self.v, self.conductance(d));
        let mut a = vec![vec![0.0; 3]; 3];
        a[0][0] = -(g + 1.0 / v.load) / v.capacitance;
        a[0][1] = g * v.amplitude / v.capacitance;
        oscillator(&mut a, 1, v.frequency);
        Some(Affine { a, b: vec![0.0; 3] })
    }
    fn guards(&self, _t: f64, d: &[i64], x: &[f64], out: &mut Vec<f64>) {
        let across = self.v.amplitude * x[1] - x[0];
        out.push(if d[0] == 0 { across } else { -across });
    }
    fn switch(&self, _t: f64, state: &mut State, _cause: Cause) {
        state.d[0] = 1 - state.d[0];
    }
    fn signal_sizes(&self) -> Vec<f64> {
        vec![self.v.amplitude, self.v.amplitude / self.v.load]
    }
    fn outputs(&self, _t: f64, state: &State) -> Vec<f64> {
        let x = &state.x;
        vec![x[0], self.sign * self.conductance(&state.d) * (self.v.amplitude * x[1] - x[0])]
    }
}

/// Bridge of four ideal diodes: a to plus, minus to a, b to plus, minus to b; minus is ground.
struct Bridge {
    v: Values,
}

impl Bridge {
    /// Voltages across the diodes as factors of (u, source), but for a positive common factor, which comes second. None of the
    /// factors is a difference, and those of a diode do not depend on its own conductance: its sign is the same before and
    /// after it switches, to the last bit.
    fn across(&self, d: &[i64]) -> ([[f64; 2]; 4], f64) {
        let g: Vec<f64> = (0..4).map(|k| self.conductance(d, k)).collect();
        let s = 1.0 / self.v.series;
        // Node a: (va - vb - source) s + (va - u) g0 + va g1 = 0, node b: (vb - va + source) s + (vb - u) g2 + vb g3 = 0.
        let (p, q) = (s + g[0] + g[1], s + g[2] + g[3]);
        let determinant = s * (g[0] + g[1] + g[2] + g[3]) + (g[0] + g[1]) * (g[2] + g[3]);
        let (a, b) = (s * (g[2] + g[3]), s * (g[0] + g[1]));
        let factors = [
            [-(q * g[1] + s * g[3]), a],
            [-(q * g[0] + s * g[2]), -a],
            [-(p * g[3] + s * g[1]), -b],
            [-(p * g[2] + s * g[0]), b],
        ];
        (factors, 1.0 / determinant)
    }

    fn conductance(&self, d: &[i64], k: usize) -> f64 {
        if d[k] == 1 { 1.0 / self.v.on } else { self.v.off }
    }

    /// The current into capacitor and load as factors of (u, source).
    fn current(&self, d: &[i64]) -> [f64; 2] {
        let (across, common) = self.across(d);
        let part = |j: usize| self.conductance(d, 0) * across[0][j] + self.conductance(d, 2) * across[2][j];
        [common * part(0), common * part(1)]
    }
}

impl Hybrid for Bridge {
    fn start(&self) -> State {
        State { x: vec![0.0, self.v.phase.sin(), self.v.phase.cos()], d: vec![0; 4] }
    }
    fn method(&self) -> Method {
        Method::Exponential
    }
    fn pace(&self) -> f64 {
        0.02 / self.v.frequency
    }
    fn sizes(&self) -> Vec<f64> {
        vec![self.v.amplitude, 0.0, 0.0]
    }
    fn rate(&self, _t: f64, _d: &[i64], _x: &[f64], _dx: &mut [f64]) {}
    fn affine(&self, d: &[i64]) -> Option<Affine> {
        let v = &self.v;
        let i = self.current(d);
        let mut a = vec![vec![0.0; 3]; 3];
        a[0][0] = (i[0] - 1.0 / v.load) / v.capacitance;
        a[0][1] = i[1] * v.amplitude / v.capacitance;
        oscillator(&mut a, 1, v.frequency);
        Some(Affine { a, b: vec![0.0; 3] })
    }
    fn guards(&self, _t: f64, d: &[i64], x: &[f64], out: &mut Vec<f64>) {
        let source = self.v.amplitude * x[1];
        let across = self.across(d).0.map(|factors| factors[0] * x[0] + factors[1] * source);
        out.extend(across.iter().zip(d).map(|(v, &on)| if on == 1 { -v } else { *v }));
    }
    fn switch(&self, _t: f64, state: &mut State, cause: Cause) {
        if let Cause::Guard(k) = cause {
            state.d[k] = 1 - state.d[k];
        }
    }
    fn signal_sizes(&self) -> Vec<f64> {
        vec![self.v.amplitude]
    }
    fn outputs(&self, _t: f64, state: &State) -> Vec<f64> {
        vec![state.x[0]]
    }
}
