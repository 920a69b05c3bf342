//! The reference against closed forms: it must be right by itself before it judges others.

use std::time::Duration;

use kausal_adversary::reference::truth::Signal;
use kausal_adversary::reference::{Affine, Cause, Doubt, Hybrid, Method, Plan, State, certain, follow};

/// Follows a model with steps of its pace.
fn values(model: &dyn Hybrid, times: &[f64]) -> Vec<Vec<f64>> {
    let stop = times.last().copied().unwrap_or(0.0);
    let limit = Duration::from_secs(20);
    let plan = Plan { stop, times, longest: model.pace(), tolerance: 1e-11, defect: 0.0, kicks: None, limit };
    follow(model, &plan).expect("a model that can be followed").values
}

/// A ball that loses a part of its speed at the floor.
struct Ball {
    height: f64,
    part: f64,
    method: Method,
}

const G: f64 = 9.81;

impl Hybrid for Ball {
    fn start(&self) -> State {
        State { x: vec![self.height, 0.0], d: vec![0] }
    }
    fn method(&self) -> Method {
        self.method
    }
    fn pace(&self) -> f64 {
        0.02
    }
    fn sizes(&self) -> Vec<f64> {
        vec![1.0, 1.0]
    }
    fn rate(&self, _t: f64, _d: &[i64], x: &[f64], dx: &mut [f64]) {
        dx[0] = x[1];
        dx[1] = -G;
    }
    fn affine(&self, _d: &[i64]) -> Option<Affine> {
        Some(Affine { a: vec![vec![0.0, 1.0], vec![0.0, 0.0]], b: vec![0.0, -G] })
    }
    fn guards(&self, _t: f64, _d: &[i64], x: &[f64], out: &mut Vec<f64>) {
        // Only on the way down: after the impact the ball is at the floor still.
        out.push(if x[1] < 0.0 { -x[0] } else { -1.0 });
    }
    fn switch(&self, _t: f64, state: &mut State, _cause: Cause) {
        state.x[1] *= -self.part;
        state.d[0] += 1;
    }
    fn signal_sizes(&self) -> Vec<f64> {
        vec![0.0, 0.0]
    }
    fn outputs(&self, _t: f64, state: &State) -> Vec<f64> {
        vec![state.x[0], state.d[0] as f64]
    }
}

/// Height of the ball and number of impacts, from the parabolas.
fn bounce(height: f64, part: f64, t: f64) -> (f64, usize) {
    let mut begin = (2.0 * height / G).sqrt();
    if t < begin {
        return (height - 0.5 * G * t * t, 0);
    }
    let mut speed = part * G * begin;
    for count in 1.. {
        let flight = 2.0 * speed / G;
        if t < begin + flight {
            let since = t - begin;
            return (speed * since - 0.5 * G * since * since, count);
        }
        begin += flight;
        speed *= part;
    }
    unreachable!("the loop ends with a result")
}

#[test]
fn a_bouncing_ball_follows_its_parabolas() {
    let times: Vec<f64> = (0..=50).map(|k| 0.04 * f64::from(k)).collect();
    for method in [Method::Exponential, Method::Extrapolation, Method::Radau] {
        let ball = Ball { height: 1.0, part: 0.8, method };
        for (t, got) in times.iter().zip(values(&ball, &times)) {
            let (height, count) = bounce(1.0, 0.8, *t);
            assert!((got[0] - height).abs() < 1e-9, "{method:?} at {t}: {} instead of {height}", got[0]);
            assert_eq!(got[1] as usize, count, "{method:?} at {t}");
        }
    }
}

#[test]
fn an_accumulation_of_impacts_is_said() {
    // The impacts accumulate at sqrt(2 h/g) (1 + e)/(1 - e) = 1.35 s.
    let ball = Ball { height: 1.0, part: 0.5, method: Method::Exponential };
    let plan = Plan {
        stop: 3.0,
        times: &[0.0, 3.0],
        longest: 0.02,
        tolerance: 1e-11,
        defect: 0.0,
        kicks: None,
        limit: Duration::from_secs(20),
    };
    let Err(Doubt::Chattering(t)) = follow(&ball, &plan) else { panic!("not said") };
    assert!((t - 1.354).abs() < 0.01, "{t}");
}

/// A half-wave rectifier with an ideal diode and a resistor, on a resistor in parallel to a capacitor.
struct HalfWave;

impl Hybrid for HalfWave {
    fn start(&self) -> State {
        State { x: vec![0.0], d: vec![0] }
    }
    fn method(&self) -> Method {
        Method::Radau
    }
    fn pace(&self) -> f64 {
        0.05
    }
    fn sizes(&self) -> Vec<f64> {
        vec![1.0]
    }
    fn rate(&self, t: f64, d: &[i64], x: &[f64], dx: &mut [f64]) {
        dx[0] = if d[0] == 1 { 4.0 * (t.sin() - x[0]) } else { 0.0 } - x[0];
    }
    fn guards(&self, t: f64, d: &[i64], x: &[f64], out: &mut Vec<f64>) {
        out.push(if d[0] == 0 { t.sin() - x[0] } else { x[0] - t.sin() });
    }
    fn switch(&self, _t: f64, state: &mut State, _cause: Cause) {
        state.d[0] = 1 - state.d[0];
    }
    fn signal_sizes(&self) -> Vec<f64> {
        vec![0.0]
    }
    fn outputs(&self, _t: f64, state: &State) -> Vec<f64> {
        vec![state.x[0]]
    }
}

#[test]
fn a_half_wave_rectifier_has_its_closed_form() {
    // While it conducts from 0: u' = 4 sin t - 5 u, so u = 4 (5 sin t - cos t)/26 + 4 exp(-5 t)/26. It stops where u = sin t,
    // found by bisection, and decays from there.
    let conducting = |t: f64| (4.0 * (5.0 * t.sin() - t.cos()) + 4.0 * (-5.0 * t).exp()) / 26.0;
    let (mut low, mut high) = (1.0, 3.0);
    for _ in 0..80 {
        let middle: f64 = 0.5 * (low + high);
        if conducting(middle) < middle.sin() { low = middle } else { high = middle }
    }
    let times: Vec<f64> = (0..=60).map(|k| 0.1 * f64::from(k)).collect();
    for (t, got) in times.iter().zip(values(&HalfWave, &times)) {
        let right = if *t < low { conducting(*t) } else { conducting(low) * (low - t).exp() };
        assert!((got[0] - right).abs() < 1e-8, "at {t}: {} instead of {right}", got[0]);
    }
}

/// An oscillator without losses, with a frequency of 1 Hz.
struct Circuit;

impl Hybrid for Circuit {
    fn start(&self) -> State {
        State { x: vec![1.0, 0.0], d: vec![] }
    }
    fn method(&self) -> Method {
        Method::Extrapolation
    }
    fn pace(&self) -> f64 {
        0.05
    }
    fn sizes(&self) -> Vec<f64> {
        vec![1.0, 1.0]
    }
    fn rate(&self, _t: f64, _d: &[i64], x: &[f64], dx: &mut [f64]) {
        dx[0] = std::f64::consts::TAU * x[1];
        dx[1] = -std::f64::consts::TAU * x[0];
    }
    fn signal_sizes(&self) -> Vec<f64> {
        vec![0.0]
    }
    fn outputs(&self, _t: f64, state: &State) -> Vec<f64> {
        vec![state.x[0]]
    }
}

#[test]
fn what_is_allowed_follows_the_tolerance_and_the_length() {
    let at = |tolerance: f64, periods: f64| {
        let times: Vec<f64> = (0..=100).map(|k| periods * f64::from(k) / 100.0).collect();
        let truth = certain(&Circuit, &[Signal::Real], &times, tolerance, Duration::from_secs(20));
        let truth = truth.expect("a certain model");
        for (t, v) in times.iter().zip(&truth.values) {
            assert!((v[0] - (std::f64::consts::TAU * t).cos()).abs() < 1e-7);
        }
        truth.allowed.iter().map(|a| a[0]).fold(0.0, f64::max)
    };
    let (tight, loose) = (at(1e-8, 5.0), at(1e-4, 5.0));
    // Linear but for the number of steps, which falls with the fifth root of the tolerance.
    assert!((loose / tight / 1e4f64.powf(0.8) - 1.0).abs() < 0.01, "{tight} {loose}");
    // At least the multiple of the tolerance, and some disturbances more.
    assert!((2e-3..1e-1).contains(&loose), "{loose}");
}
