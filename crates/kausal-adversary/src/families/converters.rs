//! Switched converters: buck and boost with a clocked switch and a freewheeling diode, continuous and discontinuous
//! conduction, as equations or made of components. Switch and diode have small resistances and conductances, so that every
//! switch leads to an affine system in the current of the inductor and the voltage of the capacitor.

use super::circuit::Parts;
use crate::case::{Case, Expectation, number};
use crate::choices::Choices;
use crate::reference::truth::Signal;
use crate::reference::{Affine, Cause, Hybrid, Method, State};

struct Converter {
    boost: bool,
    input: f64,
    inductance: f64,
    winding: f64,
    capacitance: f64,
    load: f64,
    period: f64,
    duty: f64,
    on: f64,
    off: f64,
}

/// A converter.
pub fn generate(choices: &mut Choices) -> Case {
    let form = choices.count("form", 0, 2);
    let clock = choices.count("clock", 0, 2);
    let boost = choices.flag("boost", 0.5);
    let period = 1.0 / choices.scale("frequency", 1e3, 1e5);
    let load = choices.scale("load", 1.0, 1000.0);
    let c = Converter {
        boost,
        input: choices.scale("input", 5.0, 400.0),
        inductance: choices.scale("inductance", 0.1, 20.0) * load * period,
        winding: if choices.flag("winding", 0.5) {
            load * choices.scale("winding_ratio", 1e-4, 1e-2)
        } else {
            0.0
        },
        capacitance: choices.scale("capacitance", 1.0, 50.0) * period / load,
        load,
        period,
        duty: choices.number("duty", 0.15, 0.85),
        on: load * choices.scale("on", 1e-6, 1e-3),
        off: choices.scale("off", 1e-6, 1e-3) / load,
    };
    let stop = c.period * choices.number("periods", 5.0, 60.0);
    let text = if form == 0 {
        equations(&c, clock)
    } else {
        components(&c, clock, if form == 1 { Parts::Own } else { Parts::Library })
    };
    let names = if form == 0 { ["i", "u"] } else { ["l.i", "c.v"] };
    let signals = names.iter().map(|n| ((*n).to_owned(), Signal::Real)).collect();
    let expectation = Expectation::Solvable;
    Case { name: "Converter".to_owned(), text, stop, signals, reference: Box::new(c), expectation }
}

/// Declarations and equations of the Boolean `sw`.
fn pulses(c: &Converter, clock: usize) -> (String, String) {
    let (period, width) = (number(c.period), number(c.duty * c.period));
    match clock {
        0 => ("  Boolean sw;\n".to_owned(), format!("  sw = mod(time, {period}) < {width};\n")),
        1 => (
            "  Boolean sw; discrete Real begin(start = 0, fixed = true);\n".to_owned(),
            format!(
                "  when sample(0, {period}) then begin = time; end when;\n  sw = time < begin + {width};\n"
            ),
        ),
        _ => {
            // sin(w t + pi/2 - pi d) > cos(pi d) holds for the part d of the period, from 0.
            let pi = std::f64::consts::PI;
            let text = format!(
                "  sw = sin({}*time + {}) > {};\n",
                number(2.0 * pi / c.period),
                number(pi / 2.0 - pi * c.duty),
                number((pi * c.duty).cos())
            );
            ("  Boolean sw(start = true);\n".to_owned(), text)
        }
    }
}

fn equations(c: &Converter, clock: usize) -> String {
    let (declared, rule) = pulses(c, clock);
    let winding = if c.winding > 0.0 { format!(" - {}*i", number(c.winding)) } else { String::new() };
    let (on, off) = (number(c.on), number(c.off));
    let conducts = format!(
        "  off = s < 0;\n  vd = s*(if off then 1 else {on});\n  id = s*(if off then {off} else 1);\n"
    );
    let circuit = if c.boost {
        format!(
            "  vd = x - u;\n  i = x*(if sw then 1/{on} else {off}) + id;\n  {}*der(i) = {} - x{winding};\n  {}*der(u) = id - u/{};\n",
            number(c.inductance),
            number(c.input),
            number(c.capacitance),
            number(c.load)
        )
    } else {
        format!(
            "  vd = -x;\n  i = ({} - x)*(if sw then 1/{on} else {off}) + id;\n  {}*der(i) = x - u{winding};\n  {}*der(u) = i - u/{};\n",
            number(c.input),
            number(c.inductance),
            number(c.capacitance),
            number(c.load)
        )
    };
    format!(
        "model Converter\n  Real i(start = 0, fixed = true), u(start = 0, fixed = true);\n  Real x, vd, id, s(start = 0); Boolean off(start = true);\n{declared}equation\n{rule}{conducts}{circuit}end Converter;\n"
    )
}

fn components(c: &Converter, clock: usize, parts: Parts) -> String {
    let (declared, rule) = pulses(c, clock);
    let resistances = format!("(Ron = {}, Goff = {})", number(c.on), number(c.off));
    let mut text = format!(
        "{}model Converter\n  {} source(V = {});\n  {} l(L = {}, i(start = 0, fixed = true));\n  {} c(C = {}, v(start = 0, fixed = true));\n  {} load(R = {});\n  {} s{resistances};\n  {} d{resistances};\n  {} g;\n{declared}",
        parts.head(),
        parts.class("ConstantVoltage"),
        number(c.input),
        parts.class("Inductor"),
        number(c.inductance),
        parts.class("Capacitor"),
        number(c.capacitance),
        parts.class("Resistor"),
        number(c.load),
        parts.class("IdealSwitch"),
        parts.class("IdealDiode"),
        parts.class("Ground")
    );
    let from = if c.winding > 0.0 {
        text += &format!("  {} w(R = {});\n", parts.class("Resistor"), number(c.winding));
        "w.p"
    } else {
        "l.p"
    };
    text += &format!("equation\n{rule}  s.close = sw;\n");
    if c.winding > 0.0 {
        text += "  connect(w.n, l.p);\n";
    }
    text += &if c.boost {
        format!(
            "  connect(source.p, {from}); connect(l.n, s.p); connect(s.n, g.p); connect(l.n, d.p); connect(d.n, c.p);\n"
        )
    } else {
        format!(
            "  connect(source.p, s.p); connect(s.n, {from}); connect(d.n, {from}); connect(d.p, g.p); connect(l.n, c.p);\n"
        )
    };
    text += "  connect(c.p, load.p); connect(c.n, load.n); connect(c.n, g.p); connect(source.n, g.p);\nend Converter;\n";
    text
}

impl Converter {
    /// The voltage of the node between switch, diode and inductor, as factors of (i, u, input).
    fn node(&self, d: &[i64]) -> ([f64; 3], f64) {
        let gs = if d[0] == 1 { 1.0 / self.on } else { self.off };
        let gd = if d[1] == 1 { 1.0 / self.on } else { self.off };
        let sum = gs + gd;
        let factors = if self.boost { [1.0 / sum, gd / sum, 0.0] } else { [-1.0 / sum, 0.0, gs / sum] };
        (factors, gd)
    }
}

/// `x = (i, u)`, `d = (switch, diode, whole periods)`.
impl Hybrid for Converter {
    fn start(&self) -> State {
        State { x: vec![0.0, 0.0], d: vec![1, 0, 0] }
    }
    fn method(&self) -> Method {
        Method::Exponential
    }
    fn pace(&self) -> f64 {
        0.04 * self.period
    }
    fn sizes(&self) -> Vec<f64> {
        vec![self.input / self.load, self.input]
    }
    fn rate(&self, _t: f64, _d: &[i64], _x: &[f64], _dx: &mut [f64]) {}
    fn affine(&self, d: &[i64]) -> Option<Affine> {
        let (node, gd) = self.node(d);
        let (l, c, sign) = (self.inductance, self.capacitance, if self.boost { -1.0 } else { 1.0 });
        // L i' = ±x ∓ … - winding i: the boost converter has input - x, the buck converter x - u.
        let own_input = if self.boost { 1.0 } else { 0.0 };
        let own_u = if self.boost { 0.0 } else { -1.0 };
        let first = vec![(sign * node[0] - self.winding) / l, (sign * node[1] + own_u) / l];
        let first_b = (sign * node[2] + own_input) * self.input / l;
        let (second, second_b) = if self.boost {
            (vec![gd * node[0] / c, (gd * (node[1] - 1.0) - 1.0 / self.load) / c], 0.0)
        } else {
            (vec![1.0 / c, -1.0 / self.load / c], 0.0)
        };
        Some(Affine { a: vec![first, second], b: vec![first_b, second_b] })
    }
    fn guards(&self, _t: f64, d: &[i64], x: &[f64], out: &mut Vec<f64>) {
        let (node, _) = self.node(d);
        let at = node[0] * x[0] + node[1] * x[1] + node[2] * self.input;
        let across = if self.boost { at - x[1] } else { -at };
        out.push(if d[1] == 1 { -across } else { across });
    }
    fn next_instant(&self, _t: f64, state: &State) -> f64 {
        let k = state.d[2] as f64;
        if state.d[0] == 1 { (k + self.duty) * self.period } else { (k + 1.0) * self.period }
    }
    fn switch(&self, _t: f64, state: &mut State, cause: Cause) {
        match cause {
            Cause::Guard(_) => state.d[1] = 1 - state.d[1],
            Cause::Instant => {
                state.d[2] += 1 - state.d[0];
                state.d[0] = 1 - state.d[0];
            }
        }
    }
    fn signal_sizes(&self) -> Vec<f64> {
        self.sizes()
    }
    fn outputs(&self, _t: f64, state: &State) -> Vec<f64> {
        state.x.clone()
    }
}
