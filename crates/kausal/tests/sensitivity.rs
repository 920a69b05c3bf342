//! Derivatives of runs by parameters and start values, against closed forms and against differences of runs with tight tolerances.

use kausal::{ErrorKind, Model, Sensitivities};

struct Case {
    name: &'static str,
    text: &'static str,
    stop: f64,
    by: &'static [&'static str],
    of: &'static [&'static str],
    /// Derivatives by the closed form at the end, `of` by `of`, in each by `by`.
    exact: Option<&'static [f64]>,
}

const E2: f64 = 0.1353352832366127;

const CASES: &[Case] = &[
    Case {
        name: "decay",
        text: "model M parameter Real k = 2; parameter Real c = 3; Real x(start = c, fixed = true); equation der(x) = -k*x; end M;",
        stop: 1.0,
        by: &["k", "c"],
        of: &["x"],
        exact: Some(&[-3.0 * E2, E2]),
    },
    Case {
        name: "start value",
        text: "model M Real x(start = 3, fixed = true); Real y = x*x; equation der(x) = -2*x; end M;",
        stop: 1.0,
        by: &["x"],
        of: &["x", "y"],
        exact: Some(&[E2, 6.0 * E2 * E2]),
    },
    Case {
        name: "dependent parameter",
        text: "model M parameter Real a = 2; final parameter Real k = a^2; Real x(start = 1, fixed = true); equation der(x) = -k*x; end M;",
        stop: 0.5,
        by: &["a"],
        of: &["x"],
        exact: Some(&[-2.0 * E2]),
    },
    Case {
        name: "oscillator",
        text: "model M parameter Real w = 2; Real x(start = 1, fixed = true); Real v(start = 0, fixed = true); equation der(x) = v; der(v) = -w^2*x; end M;",
        stop: 1.0,
        // x = cos(w t)
        by: &["w"],
        of: &["x"],
        exact: Some(&[-0.9092974268256817]),
    },
    Case {
        name: "logistic growth",
        text: "model M parameter Real r = 1.5; parameter Real K = 4; Real x(start = 0.5, fixed = true); equation der(x) = r*x*(1 - x/K); end M;",
        stop: 2.0,
        by: &["r", "K", "x"],
        of: &["x"],
        exact: None,
    },
    Case {
        name: "stiff reaction",
        text: "model M parameter Real k1 = 0.04; parameter Real k3 = 1e4; Real a(start = 1, fixed = true); Real b(start = 0, fixed = true, nominal = 1e-5); Real c(start = 0, fixed = true); equation der(a) = -k1*a + k3*b*c; der(b) = k1*a - k3*b*c - 3e7*b^2; der(c) = 3e7*b^2; end M;",
        stop: 10.0,
        by: &["k1", "k3"],
        of: &["a", "c"],
        exact: None,
    },
    Case {
        name: "van der Pol",
        text: "model M parameter Real mu = 2; Real x(start = 2, fixed = true); Real v(start = 0, fixed = true); equation der(x) = v; der(v) = mu*(1 - x^2)*v - x; end M;",
        stop: 5.0,
        by: &["mu", "v"],
        of: &["x", "v"],
        exact: None,
    },
    Case {
        name: "nonlinear loop",
        text: "model M parameter Real a = 1.5; Real x(start = 1, fixed = true); Real y(start = 1); equation der(x) = -y; y + 0.3*sin(y) + 0.2*y^3 = a*x; end M;",
        stop: 1.0,
        by: &["a"],
        of: &["x", "y"],
        exact: None,
    },
    Case {
        name: "linear loop",
        text: "model M parameter Real R1 = 2; parameter Real R2 = 3; parameter Real C = 0.5; Real v(start = 1, fixed = true); Real i1, i2, u; equation u = R1*i1; u = v + R2*i2; i1 + i2 = 0.2*u - 1; C*der(v) = i2; end M;",
        stop: 1.0,
        by: &["R1", "R2", "C"],
        of: &["v", "i1"],
        exact: None,
    },
    Case {
        name: "initial equation: steady state",
        text: "model M parameter Real p = 2; parameter Real q = 0.7; Real x(start = 1); Real y(start = 0, fixed = true); initial equation der(x) = 0; equation der(x) = p - x^3 + sin(time); der(y) = q*x - y; end M;",
        stop: 1.5,
        by: &["p", "q"],
        of: &["x", "y"],
        exact: None,
    },
    Case {
        name: "initial equation: free parameter",
        text: "model M parameter Real goal = 3; parameter Real k(fixed = false, start = 1); Real x(start = 1, fixed = true); initial equation der(x) = goal*x^2 - 1; equation der(x) = k*x - 0.3*x^2; end M;",
        stop: 0.5,
        by: &["goal"],
        of: &["x"],
        exact: None,
    },
    Case {
        name: "pendulum of index 3",
        text: "model M parameter Real L = 1; parameter Real g = 9.81; parameter Real phi0 = 1; Real x(start = 0.8); Real y(start = -0.5); Real vx, vy, F; Real phi = atan2(x, -y); initial equation phi = phi0; der(phi) = 0; equation der(x) = vx; der(y) = vy; der(vx) = -F*x; der(vy) = -F*y - g; x^2 + y^2 = L^2; end M;",
        stop: 0.8,
        by: &["L", "g", "phi0"],
        of: &["x", "y"],
        exact: None,
    },
    Case {
        name: "pendulum of index 3 all the way round",
        text: "model M parameter Real L = 1; parameter Real g = 9.81; Real x(start = 0.8); Real y(start = -0.5); Real vx, vy, F; Real phi = atan2(x, -y); initial equation phi = 1; der(phi) = 8; equation der(x) = vx; der(y) = vy; der(vx) = -F*x; der(vy) = -F*y - g; x^2 + y^2 = L^2; end M;",
        stop: 2.0,
        by: &["L", "g"],
        of: &["x", "y"],
        exact: None,
    },
    Case {
        name: "two masses, one shaft (index 2 by connection)",
        text: "model M parameter Real J1 = 1; parameter Real J2 = 2; parameter Real k = 5; Real p1(start = 1, fixed = true); Real w1(start = 0, fixed = true); Real p2, w2, t; equation der(p1) = w1; der(p2) = w2; p2 = 3*p1; J1*der(w1) = -k*p1 + 3*t; J2*der(w2) = -t; end M;",
        stop: 2.0,
        by: &["J1", "J2", "k"],
        of: &["p2"],
        exact: None,
    },
    Case {
        name: "bouncing ball",
        text: "model M parameter Real e = 0.8; parameter Real g = 10; Real h(start = 1, fixed = true); Real v(start = 0, fixed = true); equation der(h) = v; der(v) = -g; when h <= 0 then reinit(v, -e*pre(v)); end when; end M;",
        stop: 1.0,
        by: &["e", "g", "h"],
        of: &["h", "v"],
        exact: None,
    },
    Case {
        name: "three bounces",
        text: "model M parameter Real e = 0.8; parameter Real g = 10; Real h(start = 1, fixed = true); Real v(start = 0, fixed = true); equation der(h) = v; der(v) = -g; when h <= 0 then reinit(v, -e*pre(v)); end when; end M;",
        stop: 2.0,
        by: &["e", "g", "h"],
        of: &["h", "v"],
        exact: None,
    },
    Case {
        name: "relay",
        text: "model M parameter Real limit = 0.6; parameter Real k = 1.2; Real x(start = 0, fixed = true); Real y(start = 0, fixed = true); equation der(x) = k; der(y) = if x > limit then 2 - y else 1 + y; end M;",
        stop: 1.0,
        by: &["limit", "k"],
        of: &["y"],
        exact: None,
    },
    Case {
        name: "time event",
        text: "model M parameter Real T = 0.4; parameter Real u = 3; Real x(start = 0, fixed = true); equation der(x) = (if time > T then u else 1) - x; end M;",
        stop: 1.0,
        by: &["T", "u"],
        of: &["x"],
        // x(T) = 1 - exp(-T); x(1) = u + (x(T) - u) exp(T - 1): by T it is (1 - u) exp(T - 1), by u it is 1 - exp(T - 1).
        exact: Some(&[-1.097623272188053, 0.4511883639059735]),
    },
    Case {
        name: "sampled controller",
        text: "model M parameter Real k = 2; parameter Real T = 0.13; discrete Real u(start = 0, fixed = true); Real x(start = 1, fixed = true); equation der(x) = u - 0.5*x; when sample(0, T) then u = -k*x + 0.2*pre(u); end when; end M;",
        stop: 1.0,
        by: &["k", "T", "x"],
        of: &["x", "u"],
        exact: None,
    },
    Case {
        name: "counted and kept at crossings",
        text: "model M parameter Real w = 7; parameter Real a = 0.5; discrete Real last(start = 0, fixed = true); Real s(start = 0, fixed = true); Real x(start = 0, fixed = true); equation der(s) = w; der(x) = last - x; when sin(s) > a then last = pre(last)*0.5 + time; end when; end M;",
        stop: 2.2,
        by: &["w", "a"],
        of: &["x", "last"],
        exact: None,
    },
    Case {
        name: "ideal diode",
        text: "model M parameter Real R = 2; parameter Real C = 0.05; Boolean off(start = false); Real s, i, u; Real v(start = 0, fixed = true); equation off = s < 0; u = if off then s else 0; i = if off then 0 else s; sin(6*time) = u + R*i + v; C*der(v) = i - v/10; end M;",
        stop: 2.0,
        by: &["R", "C"],
        of: &["v", "i"],
        exact: None,
    },
    Case {
        name: "friction with stick and slip",
        text: "model M parameter Real mu = 0.4; parameter Real k = 3; Integer mode(start = 0, fixed = true); Real x(start = 0, fixed = true); Real v(start = 0, fixed = true); Real f; equation f = k*(sin(2*time) - x); der(x) = v; der(v) = if mode == 0 then 0 else f - mu*mode; algorithm when {mode == 0 and f > 1.2*mu, mode == 0 and f < -1.2*mu} then mode := if f > 0 then 1 else -1; elsewhen {v < 0 and pre(mode) == 1, v > 0 and pre(mode) == -1} then mode := 0; reinit(v, 0); end when; end M;",
        stop: 2.0,
        by: &["mu", "k"],
        of: &["x", "v"],
        exact: None,
    },
    Case {
        name: "a function with a loop and a derivative that is found",
        text: "model M function f input Real x; input Real a; output Real y; algorithm y := 0; for i in 1:5 loop y := y*x + a/i; end for; end f; parameter Real a = 0.4; Real x(start = 1, fixed = true); equation der(x) = -f(x, a); end M;",
        stop: 1.0,
        by: &["a"],
        of: &["x"],
        exact: None,
    },
    Case {
        name: "forced by time with a kink",
        text: "model M parameter Real A = 2; parameter Real f = 1.3; Real x(start = 0, fixed = true); equation der(x) = abs(A*sin(2*3.141592653589793*f*time)) - x; end M;",
        stop: 1.0,
        by: &["A", "f"],
        of: &["x"],
        exact: None,
    },
    Case {
        name: "an integrator that saturates",
        text: "model M parameter Real K = 3; parameter Real top = 1.1; Real x(start = 0, fixed = true); Real y = min(top, K*x); Real z(start = 0, fixed = true); equation der(x) = 1 - 0.2*x; der(z) = y; end M;",
        stop: 1.5,
        by: &["K", "top"],
        of: &["z", "y"],
        exact: None,
    },
    Case {
        name: "no states: a formula of time",
        text: "model M parameter Real a = 2; Real y = a^2*time; end M;",
        stop: 1.0,
        by: &["a"],
        of: &["y"],
        exact: Some(&[4.0]),
    },
];

/// The derivatives of a case at an instant that is the last output point.
fn found(case: &Case, tolerance: f64, method: kausal::Method) -> Result<Sensitivities, kausal::Error> {
    let model = Model::from_text(case.text)?;
    let run = model.simulation().stop(case.stop).tolerance(tolerance).intervals(10).method(method);
    run.sensitivities(case.by.iter().copied(), case.of.iter().copied())
}

fn at_the_end(of: &Sensitivities) -> Vec<f64> {
    let k = of.by.len();
    of.derivatives.iter().flat_map(|d| d[d.len() - k..].to_vec()).collect()
}

/// Central differences of runs with a tight tolerance, extrapolated from two steps (Richardson).
fn differences(case: &Case) -> Vec<f64> {
    let model = Model::from_text(case.text).unwrap();
    let mut all = vec![0.0; case.by.len() * case.of.len()];
    for (j, name) in case.by.iter().enumerate() {
        let value: f64 = model.variable(name).and_then(|v| v.value).and_then(|v| v.number()).unwrap_or(0.0);
        let size = if value == 0.0 { 1.0 } else { value.abs() };
        let end = |h: f64| -> Vec<f64> {
            let moved = model.with(name, value + h).unwrap();
            let run = moved.simulation().stop(case.stop).tolerance(1e-11).intervals(10).run();
            let solution = run.unwrap_or_else(|e| panic!("{}: {e}", case.name));
            case.of.iter().map(|name| solution.last(name).unwrap()).collect()
        };
        let central =
            |h: f64| -> Vec<f64> { end(h).iter().zip(end(-h)).map(|(a, b)| (a - b) / (2.0 * h)).collect() };
        let h = 2e-3 * size;
        for (i, (fine, coarse)) in central(0.5 * h).iter().zip(central(h)).enumerate() {
            all[i * case.by.len() + j] = (4.0 * fine - coarse) / 3.0;
        }
    }
    all
}

/// Every derivative within so much of the largest one by the same parameter, or of itself.
fn compare(case: &Case, found: &[f64], wanted: &[f64], within: f64) -> Vec<String> {
    let k = case.by.len();
    let mut wrong = Vec::new();
    for (at, (a, b)) in found.iter().zip(wanted).enumerate() {
        let column = wanted.iter().skip(at % k).step_by(k).fold(0.0f64, |m, v| m.max(v.abs()));
        let what = format!("{}: {} by {}", case.name, case.of[at / k], case.by[at % k]);
        if (a - b).abs().partial_cmp(&(within * column.max(1e-3))) != Some(std::cmp::Ordering::Less) {
            wrong.push(format!("{what}: {a}, expected {b}"));
        }
    }
    wrong
}

#[test]
fn derivatives_are_those_of_closed_forms_and_of_differences() {
    assert!(CASES.len() >= 25);
    let mut wrong = Vec::new();
    for case in CASES {
        // Differences err by the square of their step where the solution bends, closed forms do not.
        let (wanted, within) = match case.exact {
            Some(exact) => (exact.to_vec(), 1e-6),
            None => (differences(case), 2e-5),
        };
        match found(case, 1e-9, kausal::Method::Auto) {
            Ok(found) => {
                wrong.extend(found.diagnostics.iter().map(|d| format!("{}: {}", case.name, d.message)));
                wrong.extend(compare(case, &at_the_end(&found), &wanted, within));
            }
            Err(error) => wrong.push(format!("{}: {error}", case.name)),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn output_points_between_steps_are_as_exact() {
    let case = &CASES[0];
    let model = Model::from_text(case.text).unwrap();
    let found =
        model.simulation().stop(1.0).tolerance(1e-8).intervals(100).sensitivities(["k", "c"], ["x"]).unwrap();
    for (i, t) in found.time.iter().enumerate() {
        let x = (-2.0 * t).exp();
        let [by_k, by_c] = [found.derivatives[0][2 * i], found.derivatives[0][2 * i + 1]];
        assert!((by_k + 3.0 * t * x).abs() < 1e-6 && (by_c - x).abs() < 1e-6, "at {t}: {by_k}, {by_c}");
    }
    assert_eq!(found.time.len(), 101);
}

#[test]
fn methods_agree_at_the_tolerance_of_the_run() {
    use kausal::Method::{Bdf, DormandPrince, Esdirk4, Radau, Rosenbrock};
    let mut wrong: Vec<String> = Vec::new();
    for name in ["bouncing ball", "nonlinear loop", "pendulum of index 3", "ideal diode"] {
        let case = CASES.iter().find(|case| case.name == name).unwrap();
        let fine = at_the_end(&found(case, 1e-10, kausal::Method::Auto).unwrap());
        for method in [Bdf, Radau, Esdirk4, DormandPrince, Rosenbrock] {
            match found(case, 1e-6, method) {
                Ok(rough) => wrong.extend(
                    compare(case, &at_the_end(&rough), &fine, 2e-3).iter().map(|w| format!("{method}, {w}")),
                ),
                Err(error) => wrong.push(format!("{method}, {name}: {error}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_run_is_the_same_with_derivatives() {
    let case = CASES.iter().find(|case| case.name == "three bounces").unwrap();
    let model = Model::from_text(case.text).unwrap();
    let plain = model.simulation().stop(case.stop).intervals(10).run().unwrap();
    let with = model.simulation().stop(case.stop).intervals(10).sensitivities(["e"], ["h"]).unwrap();
    assert_eq!(plain.time(), &with.time[..]);
    assert_eq!(&plain["h"], &with.values[0][..]);
}

#[test]
fn what_has_no_derivatives_is_refused() {
    let refused = |text: &str, by: &str, code: &str| {
        let run = Model::from_text(text).unwrap();
        let error = run.simulation().sensitivities([by], ["x"]).expect_err(text);
        assert_eq!((error.code(), error.kind()), (code, ErrorKind::Request), "{error}");
    };
    refused(
        "model M parameter Real T = 0.1; Real x(start = 1, fixed = true); equation der(x) = -delay(x, T); end M;",
        "T",
        "K0577",
    );
    refused(
        "model M parameter Integer n = 2; Real x(start = 1, fixed = true); equation der(x) = -n*x; end M;",
        "n",
        "K0577",
    );
    refused("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;", "y", "K0910");
}
