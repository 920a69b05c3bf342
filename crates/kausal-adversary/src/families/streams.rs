//! Stream connectors with flows that turn: tanks with a pressure of their own, each behind a pipe to a common junction without
//! volume, where what flows in mixes. Masses and enthalpies are conserved; flows decide which tank's enthalpy is carried.

use crate::case::{Case, Expectation, number};
use crate::choices::Choices;
use crate::reference::truth::Signal;
use crate::reference::{Cause, Hybrid, Method, State};

struct Tank {
    mass: f64,
    enthalpy: f64,
    stiffness: f64,
    swing: f64,
    w: f64,
    p: f64,
    conductance: f64,
}

struct Streams {
    tanks: Vec<Tank>,
    fastest: f64,
}

/// Tanks at a junction.
pub fn generate(choices: &mut Choices) -> Case {
    let count = choices.count("tanks", 2, 4);
    let w = choices.scale("w", 0.01, 10.0);
    let enthalpy = choices.scale("enthalpy", 1.0, 1e6);
    let mass = choices.scale("mass", 0.1, 100.0);
    let mut tanks = Vec::new();
    for k in 0..count {
        tanks.push(Tank {
            mass: mass * choices.number(&format!("m{k}"), 1.0, 3.0),
            enthalpy: enthalpy * choices.number(&format!("h{k}"), 0.3, 1.0),
            stiffness: 1.0,
            swing: mass * choices.number(&format!("swing{k}"), 0.1, 0.6),
            w: w * choices.number(&format!("w{k}"), 0.3, 1.0),
            p: choices.number(&format!("p{k}"), 0.0, 6.0),
            conductance: w * choices.number(&format!("g{k}"), 0.2, 2.0),
        });
    }
    let stop = choices.number("length", 3.0, 40.0) / w;
    let m = Streams { tanks, fastest: w };
    let text = text(&m);
    let mut signals = Vec::new();
    for k in 1..=count {
        signals.extend([(format!("t{k}.M"), Signal::Real), (format!("t{k}.h"), Signal::Real)]);
    }
    let expectation = Expectation::Solvable;
    Case { name: "Streams".to_owned(), text, stop, signals, reference: Box::new(m), expectation }
}

fn text(m: &Streams) -> String {
    let mut text = "\
connector Port Real p; flow Real m; stream Real h; end Port;
model Tank Port a; parameter Real k, A, w, ph, M0, h0;
  Real M(start = M0, fixed = true), U(start = M0*h0, fixed = true), h;
equation der(M) = a.m; der(U) = a.m*actualStream(a.h); U = M*h; a.h = h; a.p = k*M + A*sin(w*time + ph); end Tank;
model Pipe Port a, b; parameter Real G;
equation a.m = G*(a.p - b.p); a.m + b.m = 0; a.h = inStream(b.h); b.h = inStream(a.h); end Pipe;
model Streams
"
    .to_owned();
    let mut connections = String::new();
    for (k, t) in m.tanks.iter().enumerate() {
        let k = k + 1;
        text += &format!(
            "  Tank t{k}(k = {}, A = {}, w = {}, ph = {}, M0 = {}, h0 = {}); Pipe p{k}(G = {});\n",
            number(t.stiffness),
            number(t.swing),
            number(t.w),
            number(t.p),
            number(t.mass),
            number(t.enthalpy),
            number(t.conductance)
        );
        connections += &format!("  connect(t{k}.a, p{k}.a);");
        connections += &if k > 1 { format!(" connect(p1.b, p{k}.b);\n") } else { "\n".to_owned() };
    }
    text + "equation\n" + &connections + "end Streams;\n"
}

impl Streams {
    /// Flows out of the tanks.
    fn flows(&self, t: f64, x: &[f64]) -> Vec<f64> {
        let pressure = |k: usize| {
            let tank = &self.tanks[k];
            tank.stiffness * x[2 * k] + tank.swing * (tank.w * t + tank.p).sin()
        };
        let all: f64 = self.tanks.iter().map(|t| t.conductance).sum();
        let junction: f64 =
            self.tanks.iter().enumerate().map(|(k, t)| t.conductance * pressure(k)).sum::<f64>() / all;
        self.tanks.iter().enumerate().map(|(k, t)| t.conductance * (pressure(k) - junction)).collect()
    }
}

/// `x` has mass and enthalpy of each tank, `d` whether it flows out.
impl Hybrid for Streams {
    fn start(&self) -> State {
        let x = self.tanks.iter().flat_map(|t| [t.mass, t.mass * t.enthalpy]).collect();
        let flows = self.flows(0.0, &self.tanks.iter().flat_map(|t| [t.mass, 0.0]).collect::<Vec<_>>());
        State { x, d: flows.iter().map(|q| i64::from(*q > 0.0)).collect() }
    }
    fn method(&self) -> Method {
        Method::Extrapolation
    }
    fn pace(&self) -> f64 {
        0.05 / self.fastest
    }
    fn sizes(&self) -> Vec<f64> {
        self.tanks.iter().flat_map(|t| [t.mass, t.mass * t.enthalpy]).collect()
    }
    fn rate(&self, t: f64, d: &[i64], x: &[f64], dx: &mut [f64]) {
        let flows = self.flows(t, x);
        let h = |k: usize| x[2 * k + 1] / x[2 * k];
        let (mut mass, mut carried) = (0.0, 0.0);
        for k in (0..flows.len()).filter(|&k| d[k] == 1) {
            mass += flows[k];
            carried += flows[k] * h(k);
        }
        for k in 0..flows.len() {
            dx[2 * k] = -flows[k];
            // Where nothing flows nothing is carried.
            let mixed = if mass.abs() > 0.0 { carried / mass } else { 0.0 };
            dx[2 * k + 1] = -flows[k] * if d[k] == 1 { h(k) } else { mixed };
        }
    }
    fn guards(&self, t: f64, d: &[i64], x: &[f64], out: &mut Vec<f64>) {
        out.extend(self.flows(t, x).iter().zip(d).map(|(q, &outward)| if outward == 1 { -q } else { *q }));
    }
    fn switch(&self, _t: f64, state: &mut State, cause: Cause) {
        if let Cause::Guard(k) = cause {
            state.d[k] = 1 - state.d[k];
        }
    }
    fn signal_sizes(&self) -> Vec<f64> {
        self.tanks.iter().flat_map(|t| [t.mass, t.enthalpy]).collect()
    }
    fn outputs(&self, _t: f64, state: &State) -> Vec<f64> {
        state.x.chunks(2).flat_map(|c| [c[0], c[1] / c[0]]).collect()
    }
}
