//! Models with known answers: each with the closed form of its signals.

use std::f64::consts::{FRAC_PI_2, PI};

use crate::elliptic::{agm, amplitude, sn};

/// A model `M`, how long it runs, and what its signals must be.
pub struct Known {
    pub name: &'static str,
    pub text: String,
    pub stop: f64,
    pub truths: Vec<(&'static str, Box<dyn Fn(f64) -> f64>)>,
}

fn known(name: &'static str, body: &str, stop: f64) -> Known {
    Known { name, text: format!("model M {body} end M;"), stop, truths: Vec::new() }
}

impl Known {
    fn is(mut self, signal: &'static str, truth: impl Fn(f64) -> f64 + 'static) -> Known {
        self.truths.push((signal, Box::new(truth)));
        self
    }
}

/// All of them.
pub fn models() -> Vec<Known> {
    [scalars(), oscillations(), systems(), motions(), switched(), delayed()].into_iter().flatten().collect()
}

/// One state, solved by separation or by an integrating factor.
fn scalars() -> Vec<Known> {
    let one = |name, right: &str, start: f64, stop| {
        known(name, &format!("Real x(start = {start:?}, fixed = true); equation der(x) = {right};"), stop)
    };
    vec![
        one("decay", "-x", 1.0, 5.0).is("x", |t| (-t).exp()),
        one("growth", "x", 1.0, 5.0).is("x", f64::exp),
        one("logistic", "x*(1 - x)", 0.1, 10.0).is("x", |t| 1.0 / (1.0 + 9.0 * (-t).exp())),
        one("Bernoulli", "x - x^3", 0.1, 8.0).is("x", |t| 1.0 / (1.0 + 99.0 * (-2.0 * t).exp()).sqrt()),
        one("Riccati, growing", "1 + x^2", 0.0, 1.4).is("x", f64::tan),
        one("Riccati, settling", "1 - x^2", 0.0, 4.0).is("x", f64::tanh),
        one("forced", "sin(time) - x", 1.0, 10.0).is("x", |t| 0.5 * (t.sin() - t.cos()) + 1.5 * (-t).exp()),
        one("Prothero and Robinson", "-100*(x - cos(time)) - sin(time)", 1.0, 5.0).is("x", f64::cos),
        one("arc tangent", "1/(1 + time^2)", 0.0, 10.0).is("x", f64::atan),
        one("periodic coefficient", "x*cos(time)", 1.0, 15.0).is("x", |t| t.sin().exp()),
        one("hyperbola", "-x^2", 1.0, 20.0).is("x", |t| 1.0 / (1.0 + t)),
        one("Torricelli", "-sqrt(x)", 1.0, 1.5).is("x", |t| (1.0 - 0.5 * t).powi(2)),
        one("Gaussian", "-2*time*x", 1.0, 3.0).is("x", |t| (-t * t).exp()),
        one("Gompertz", "-x*log(x)", 0.1, 6.0).is("x", |t| (0.1f64.ln() * (-t).exp()).exp()),
        one("fast source", "cos(50*time)", 0.0, 2.0).is("x", |t| (50.0 * t).sin() / 50.0),
    ]
}

/// Two states of a linear oscillator, or several.
fn oscillations() -> Vec<Known> {
    let wd = (4.0f64 - 0.04).sqrt();
    let wr = (4.0f64 - 0.25).sqrt();
    let r3 = 3.0f64.sqrt();
    vec![
        known("oscillator", "Real x(start = 1, fixed = true), v(start = 0, fixed = true); equation der(x) = v; der(v) = -x;", 20.0)
            .is("x", f64::cos)
            .is("v", |t| -t.sin()),
        known("fast oscillator", "Real x(start = 1, fixed = true), v(start = 0, fixed = true); equation der(x) = v; der(v) = -900*x;", 2.0)
            .is("x", |t| (30.0 * t).cos())
            .is("v", |t| -30.0 * (30.0 * t).sin()),
        known("damped oscillator", "Real x(start = 1, fixed = true), v(start = 0, fixed = true); equation der(x) = v; der(v) = -4*x - 0.4*v;", 15.0)
            .is("x", move |t| (-0.2 * t).exp() * ((wd * t).cos() + 0.2 / wd * (wd * t).sin()))
            .is("v", move |t| -(-0.2 * t).exp() * 4.0 / wd * (wd * t).sin()),
        known("resonance", "Real x(start = 0, fixed = true), v(start = 0, fixed = true); equation der(x) = v; der(v) = cos(time) - x;", 15.0)
            .is("x", |t| 0.5 * t * t.sin()),
        known("RLC circuit", "Real v(start = 0, fixed = true), i(start = 0, fixed = true), loss = i^2; equation 0.25*der(v) = i; der(i) = 1 - v - i;", 10.0)
            .is("v", move |t| 1.0 - (-0.5 * t).exp() * ((wr * t).cos() + 0.5 / wr * (wr * t).sin()))
            .is("i", move |t| (-0.5 * t).exp() / wr * (wr * t).sin())
            .is("loss", move |t| ((-0.5 * t).exp() / wr * (wr * t).sin()).powi(2)),
        known("rotating frame", "Real x(start = 1, fixed = true), y(start = 0, fixed = true); equation der(x) = -0.1*x - 5*y; der(y) = 5*x - 0.1*y;", 10.0)
            .is("x", |t| (-0.1 * t).exp() * (5.0 * t).cos())
            .is("y", |t| (-0.1 * t).exp() * (5.0 * t).sin()),
        known(
            "coupled oscillators",
            "Real x1(start = 1, fixed = true), x2(start = 0, fixed = true), v1(start = 0, fixed = true), v2(start = 0, fixed = true);
             equation der(x1) = v1; der(x2) = v2; der(v1) = x2 - 2*x1; der(v2) = x1 - 2*x2;",
            15.0,
        )
        .is("x1", move |t| 0.5 * (t.cos() + (r3 * t).cos()))
        .is("x2", move |t| 0.5 * (t.cos() - (r3 * t).cos())),
    ]
}

/// Linear systems and loops.
fn systems() -> Vec<Known> {
    let rate = 4.0 * 121.0 * (PI / 22.0).sin().powi(2);
    let mode = move |i: f64| move |t: f64| (i * PI / 11.0).sin() * (-rate * t).exp();
    vec![
        known(
            "stiff linear",
            "Real x(start = 1, fixed = true), y(start = 0, fixed = true); equation der(x) = 998*x + 1998*y; der(y) = -999*x - 1999*y;",
            3.0,
        )
        .is("x", |t| 2.0 * (-t).exp() - (-1000.0 * t).exp())
        .is("y", |t| (-1000.0 * t).exp() - (-t).exp()),
        known(
            "cascade",
            "Real x[3](start = {1, 0, 0}, each fixed = true); equation der(x[1]) = -x[1]; der(x[2]) = x[1] - x[2]; der(x[3]) = x[2] - x[3];",
            10.0,
        )
        .is("x[1]", |t| (-t).exp())
        .is("x[2]", |t| t * (-t).exp())
        .is("x[3]", |t| 0.5 * t * t * (-t).exp()),
        known(
            "reactions",
            "Real a(start = 1, fixed = true), b(start = 0, fixed = true), c = 1 - a - b; equation der(a) = -a; der(b) = a - 100*b;",
            4.0,
        )
        .is("a", |t| (-t).exp())
        .is("b", |t| ((-t).exp() - (-100.0 * t).exp()) / 99.0)
        .is("c", |t| 1.0 - (-t).exp() - ((-t).exp() - (-100.0 * t).exp()) / 99.0),
        known(
            "nonlinear loop",
            "Real x(start = 2, fixed = true), z(start = 1); equation z^3 + z = x; der(x) = -3*z^3 - z;",
            4.0,
        )
        .is("x", |t| (-3.0 * t).exp() + (-t).exp())
        .is("z", |t| (-t).exp()),
        known(
            "heat conduction",
            "constant Real pi = 3.14159265358979323846; Real u[10](start = {sin(i*pi/11) for i in 1:10}, each fixed = true);
             equation der(u[1]) = 121*(u[2] - 2*u[1]); der(u[10]) = 121*(u[9] - 2*u[10]);
             for i in 2:9 loop der(u[i]) = 121*(u[i - 1] - 2*u[i] + u[i + 1]); end for;",
            0.3,
        )
        .is("u[1]", mode(1.0))
        .is("u[5]", mode(5.0)),
        known(
            "measured decay",
            "Real x(start = 1, fixed = true), y(start = 0, fixed = true), power = x*y; equation der(x) = -0.5*x; der(y) = x^2 - y;",
            8.0,
        )
        .is("y", |t| t * (-t).exp())
        .is("power", |t| t * (-1.5 * t).exp()),
    ]
}

/// Motions: circles, ellipses and elliptic functions.
fn motions() -> Vec<Known> {
    // A pendulum released from rest at an angle; length and gravity are 1.
    let swing = |angle: f64| {
        let k = (0.5 * angle).sin();
        let quarter = FRAC_PI_2 / agm(1.0, (1.0 - k * k).sqrt());
        move |t: f64| 2.0 * (k * sn(t + quarter, k)).asin()
    };
    let (wide, narrow) = (swing(2.0), swing(1.0));
    let k = 0.51f64.sqrt();
    let duffing = (2.0f64.sqrt(), 0.5);
    // An orbit from its perihelion, eccentricity one half, by Kepler's equation.
    let kepler = |t: f64| {
        let mut e = t;
        for _ in 0..60 {
            e -= (e - 0.5 * e.sin() - t) / (1.0 - 0.5 * e.cos());
        }
        (e.cos() - 0.5, 0.75f64.sqrt() * e.sin())
    };
    let orbit = |start: &str| {
        format!(
            "Real x({}, fixed = true), y(start = 0, fixed = true), u(start = 0, fixed = true), w({}, fixed = true);
             equation der(x) = u; der(y) = w; der(u) = -x/(x^2 + y^2)^1.5; der(w) = -y/(x^2 + y^2)^1.5;",
            start.split(';').next().unwrap_or_default(),
            start.split(';').next_back().unwrap_or_default()
        )
    };
    vec![
        known("circular orbit", &orbit("start = 1;start = 1"), 12.0).is("x", f64::cos).is("y", f64::sin),
        known("elliptic orbit", &orbit("start = 0.5;start = sqrt(3)"), 12.0)
            .is("x", move |t| kepler(t).0)
            .is("y", move |t| kepler(t).1),
        known(
            "pendulum",
            "Real phi(start = 2, fixed = true), w(start = 0, fixed = true); equation der(phi) = w; der(w) = -sin(phi);",
            10.0,
        )
        .is("phi", wide),
        known(
            "pendulum of index 3",
            "Real x(start = sin(1), fixed = true), y(start = -cos(1)), u(start = 0, fixed = true), w, f;
             equation der(x) = u; der(y) = w; der(u) = -f*x; der(w) = -f*y - 1; x^2 + y^2 = 1;",
            5.0,
        )
        .is("x", move |t| narrow(t).sin())
        .is("y", move |t| -narrow(t).cos()),
        known(
            "rigid body",
            "Real a(start = 0, fixed = true), b(start = 1, fixed = true), c(start = 1, fixed = true);
             equation der(a) = b*c; der(b) = -a*c; der(c) = -0.51*a*b;",
            12.0,
        )
        .is("a", move |t| sn(t, k))
        .is("b", move |t| amplitude(t, k).cos())
        .is("c", move |t| (1.0 - 0.51 * sn(t, k).powi(2)).sqrt()),
        known(
            "Duffing",
            "Real x(start = 1, fixed = true), v(start = 0, fixed = true); equation der(x) = v; der(v) = -x - x^3;",
            12.0,
        )
        .is("x", move |t| amplitude(duffing.0 * t, duffing.1).cos()),
    ]
}

/// What switches, at instants in closed form.
fn switched() -> Vec<Known> {
    // Up from 0 with a limit of 2, down from 1, up from 1/2 and so on: x behind each switch by its exponential.
    let thermostat = |t: f64| {
        let (mut begin, mut x, mut on) = (0.0, 0.0, true);
        loop {
            let end: f64 = begin + if on { ((2.0f64 - x) / 1.0).ln() } else { 2.0f64.ln() };
            let value = |s: f64| if on { 2.0 + (x - 2.0) * (-s).exp() } else { x * (-s).exp() };
            if t < end {
                return value(t - begin);
            }
            (begin, x, on) = (end, if on { 1.0 } else { 0.5 }, !on);
        }
    };
    // g = 10, from height 1; each bounce keeps 0.8 of the speed.
    let ball = |t: f64| {
        let first = 0.2f64.sqrt();
        if t < first {
            return (1.0 - 5.0 * t * t, -10.0 * t);
        }
        let (mut begin, mut speed) = (first, 8.0 * first);
        while t >= begin + 0.2 * speed {
            begin += 0.2 * speed;
            speed *= 0.8;
        }
        let s = t - begin;
        (speed * s - 5.0 * s * s, speed - 10.0 * s)
    };
    let third = 2.0 * PI / 3.0;
    let mirrored = move |t: f64| ((t + third).rem_euclid(2.0 * third) - third).cos();
    // On for half a second, off for half a second.
    let pulses = |t: f64| {
        let (mut x, mut begin, mut on) = (0.0f64, 0.0, true);
        while t >= begin + 0.5 {
            x = if on { 1.0 + (x - 1.0) * (-0.5f64).exp() } else { x * (-0.5f64).exp() };
            (begin, on) = (begin + 0.5, !on);
        }
        if on { 1.0 + (x - 1.0) * (begin - t).exp() } else { x * (begin - t).exp() }
    };
    // x relaxes to minus half of what it was at the last sample.
    let sampled = |t: f64| {
        let (mut x, mut begin, mut u) = (1.0f64, 0.0, 0.0);
        while t >= begin + 0.5 {
            x = u + (x - u) * (-0.5f64).exp();
            (begin, u) = (begin + 0.5, -0.5 * x);
        }
        u + (x - u) * (begin - t).exp()
    };
    vec![
        known(
            "switched RC",
            "Real x(start = 0, fixed = true); equation der(x) = if time < 1 then 1 - x else -x;",
            3.0,
        )
        .is("x", |t| if t < 1.0 { 1.0 - (-t).exp() } else { (1.0 - (-1.0f64).exp()) * (1.0 - t).exp() }),
        known(
            "thermostat",
            "Real x(start = 0, fixed = true); Boolean on(start = true, fixed = true);
             equation der(x) = if on then 2 - x else -x;
             when {x >= 1, x <= 0.5} then on = x < 0.75; end when;",
            5.0,
        )
        .is("x", thermostat),
        known(
            "bouncing ball",
            "Real h(start = 1, fixed = true), v(start = 0, fixed = true);
             equation der(h) = v; der(v) = -10; when h < 0 then reinit(v, -0.8*pre(v)); end when;",
            2.2,
        )
        .is("h", move |t| ball(t).0)
        .is("v", move |t| ball(t).1),
        known(
            "oscillator at a wall",
            "Real x(start = 1, fixed = true), v(start = 0, fixed = true);
             equation der(x) = v; der(v) = -x; when x < -0.5 then reinit(v, -pre(v)); end when;",
            9.0,
        )
        .is("x", mirrored),
        known(
            "pulses",
            "constant Real pi = 3.14159265358979323846; Real x(start = 0, fixed = true);
             equation der(x) = (if sin(2*pi*time) >= 0 then 1 else 0) - x;",
            3.25,
        )
        .is("x", pulses),
        known(
            "sample and hold",
            "Real x(start = 1, fixed = true), u(start = 0, fixed = true);
             equation der(x) = u - x; when sample(0.5, 0.5) then u = -0.5*x; end when;",
            3.25,
        )
        .is("x", sampled),
    ]
}

/// Delays by the method of steps.
fn delayed() -> Vec<Known> {
    let steps = |sign: f64, delay: f64| {
        move |t: f64| {
            let (mut sum, mut k, mut factor) = (1.0, 1, 1.0);
            while t > f64::from(k - 1) * delay {
                factor *= sign / f64::from(k);
                sum += factor * (t - f64::from(k - 1) * delay).powi(k);
                k += 1;
            }
            sum
        }
    };
    vec![
        known("delayed decay", "Real x(start = 1, fixed = true); equation der(x) = -delay(x, 1);", 5.0)
            .is("x", steps(-1.0, 1.0)),
        known("delayed growth", "Real x(start = 1, fixed = true); equation der(x) = delay(x, 0.5);", 3.0)
            .is("x", steps(1.0, 0.5)),
    ]
}
