//! The units of a model do not matter: small states without a `nominal` size are as exact as others, or it is said that they are not.

use std::sync::Arc;

use kausal::simulate::{self, Run};
use kausal::{Backend, Inline, Method, Options, Session, Settings};

/// Simulates the model `M` of a text.
fn run(text: &str, settings: &Settings) -> Run {
    run_inlined(text, Inline::Off, settings)
}

fn run_inlined(text: &str, inline: Inline, settings: &Settings) -> Run {
    let mut session = Session::new();
    session.add_text("M.mo", text);
    let flat = session.flatten("M").expect("a correct model");
    let options = Options { inline, ..Options::default() };
    let program = session.translate(&flat, &options).expect("a regular model");
    let model = session.compile(program, Backend::Jit).expect("code");
    simulate::run(Arc::new(model), settings, &|_| true, None, &mut |_| true)
}

fn last(run: &Run, variable: &str) -> f64 {
    assert!(run.diagnostics.is_empty(), "{:?}", run.diagnostics);
    run.trajectory.get(variable).and_then(|values| values.last().copied()).expect("a value")
}

const METHODS: [Method; 5] = [Method::Auto, Method::Bdf, Method::Radau, Method::Esdirk4, Method::Rosenbrock];

/// An oscillator in units that make it small takes the steps of one whose size is one, and ends where that ends.
#[test]
fn an_oscillator_in_other_units_is_the_same() {
    let text = |unit: f64| {
        format!(
            "model M Real x(start = {unit:e}, fixed = true), v(start = 0, fixed = true);
             equation der(x) = v; der(v) = -x; end M;"
        )
    };
    for method in METHODS {
        for tolerance in [1e-3, 1e-6] {
            let settings = Settings { stop: 20.0, interval: 0.1, method, tolerance, ..Settings::default() };
            let usual = run(&text(1.0), &settings);
            for unit in [1e-9, 1e-13] {
                let small = run(&text(unit), &settings);
                let (a, b) = (last(&usual, "x"), last(&small, "x") / unit);
                // Products with the unit round, and sums of many steps of that.
                assert!(
                    (a - b).abs() < 1e-3 * tolerance,
                    "{method} at {tolerance:e}, {unit:e}: {b}, not {a}"
                );
                assert_eq!(usual.statistics.steps, small.statistics.steps, "{method} at {tolerance:e}");
            }
        }
    }
}

/// Michaelis–Menten kinetics, S + E ⇌ C → E + P, in nanomoles per litre, alone and beside a temperature. Reference: the classical
/// Runge–Kutta method with 20,000 steps of this test's own, in units of 1e-9.
#[test]
fn nanomolar_kinetics() {
    let reference = {
        let slope = |x: [f64; 4]| {
            let rate = x[1] * x[0];
            [-rate + 0.5 * x[2], -rate + 2.5 * x[2], rate - 2.5 * x[2], 2.0 * x[2]]
        };
        let along = |x: [f64; 4], h: f64, d: [f64; 4]| std::array::from_fn(|i| x[i] + h * d[i]);
        let (mut x, h) = ([1.0, 0.1, 0.0, 0.0], 30.0 / 20_000.0);
        for _ in 0..20_000 {
            let a = slope(x);
            let b = slope(along(x, h / 2.0, a));
            let c = slope(along(x, h / 2.0, b));
            let d = slope(along(x, h, c));
            x = std::array::from_fn(|i| x[i] + h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]));
        }
        x
    };
    let kinetics = "Real S(start = 1e-9, fixed = true), E(start = 1e-10, fixed = true);
      Real C(start = 0, fixed = true), P(start = 0, fixed = true);";
    let equations =
        "der(S) = -1e9*E*S + 0.5*C; der(E) = -1e9*E*S + 2.5*C; der(C) = 1e9*E*S - 2.5*C; der(P) = 2*C;";
    let alone = format!("model M {kinetics} equation {equations} end M;");
    let beside = format!(
        "model M {kinetics} Real T(start = 300, fixed = true); equation {equations} der(T) = 3 - T/100; end M;"
    );
    for text in [alone, beside] {
        for method in METHODS {
            for tolerance in [1e-4, 1e-6, 1e-8] {
                let settings =
                    Settings { stop: 30.0, interval: 0.3, method, tolerance, ..Settings::default() };
                let run = run(&text, &settings);
                // There is no more of substrate and product than 1, of enzyme and complex than 0.1. What decays adds up no more
                // than the local errors of all steps, each of one tolerance.
                let steps = run.statistics.steps as f64;
                for ((name, wanted), size) in
                    ["S", "E", "C", "P"].iter().zip(reference).zip([1.0, 0.1, 0.1, 1.0])
                {
                    let off = (last(&run, name) / 1e-9 - wanted).abs() / size / tolerance;
                    assert!(
                        off < steps,
                        "{method} at {tolerance:e}: {name} is off by {off} tolerances in {steps} steps"
                    );
                }
            }
        }
    }
}

/// A state that nothing tells the size of, beside one that acts on it and is large, is named where no digit of it is certain; with
/// its size said it is right. In the steady state `a = 1e-13 T/300`, with `T = 300`.
#[test]
fn states_below_the_tolerance_are_named() {
    let text = |nominal: &str| {
        format!(
            "model M Real T(start = 301, fixed = true), a(start = 0, fixed = true{nominal});
             equation der(T) = 300 - T; der(a) = 1e-8*T/300 - a; end M;"
        )
    };
    let settings = Settings { stop: 40.0, interval: 0.1, tolerance: 1e-4, ..Settings::default() };
    let said: Vec<_> = run(&text(""), &settings).diagnostics;
    assert!(said.iter().any(|d| d.code == "K0536" && d.message.starts_with("a ")), "{said:?}");
    let run = run(&text(", nominal = 1e-8"), &settings);
    assert!((last(&run, "a") / 1e-8 - 1.0).abs() < 1e-3, "{}", last(&run, "a"));
}

/// States that are zero but for rounding do not make steps without end: some tens of steps without them, here a bound that a run of
/// steps of the size of the noise would pass by far.
#[test]
fn rounding_is_not_followed() {
    let text = "model M Real a(start = 0, fixed = true), b(start = 0, fixed = true);
      equation der(a) = 230*(sin(50*time)^2 + cos(50*time)^2 - 1) - 10*a; der(b) = a - 1000*b; end M;";
    for method in METHODS {
        for tolerance in [1e-3, 1e-6, 1e-8] {
            let settings = Settings { stop: 10.0, interval: 0.1, method, tolerance, ..Settings::default() };
            let run = run(text, &settings);
            // That nothing of them is exact may be said.
            assert!(run.diagnostics.iter().all(|d| d.code == "K0536"), "{:?}", run.diagnostics);
            // The largest tolerance that a state without a size gets beside states of size one, in each step.
            let most = 1e-3 * tolerance * run.statistics.steps as f64;
            let largest =
                run.trajectory.get("a").expect("a state").iter().fold(0.0f64, |m, a| m.max(a.abs()));
            assert!(largest < most, "{method} at {tolerance:e}: {largest:e}");
            assert!(run.statistics.steps < 10_000, "{method} at {tolerance:e}: {}", run.statistics.steps);
        }
    }
}

/// Runs again as long as states are found to grow from below their tolerances by themselves.
fn run_relatively(text: &str, inline: Inline, settings: &Settings) -> Run {
    let mut settings = settings.clone();
    for _ in 0..4 {
        let found = run_inlined(text, inline, &settings);
        if found.emerged.is_empty() {
            return found;
        }
        assert!(found.diagnostics.iter().any(|d| d.code == "K0537"), "{:?}", found.diagnostics);
        settings.relative.extend(found.emerged);
    }
    panic!("there are always more");
}

/// What multiplies itself falls far below its absolute tolerance and comes back: every digit of it counts all the time.
#[test]
fn what_grows_by_itself_is_known_while_it_is_small() {
    let swinging = "model M Real x(start = 1, fixed = true); equation der(x) = 20*cos(time)*x; end M;";
    let from_zero = "model M Real x(start = 0, fixed = true), y(start = 1, fixed = true);
        equation der(x) = 1e-12*y + x; der(y) = 0; end M;";
    let inlined = [(Inline::Bdf, Method::Bdf), (Inline::Radau, Method::Radau)];
    for (inline, method) in METHODS.map(|method| (Inline::Off, method)).into_iter().chain(inlined) {
        for tolerance in [1e-4, 1e-6] {
            let settings = Settings { stop: 11.0, interval: 0.1, method, tolerance, ..Settings::default() };
            let off =
                last(&run_relatively(swinging, inline, &settings), "x") / (20.0 * 11f64.sin()).exp() - 1.0;
            assert!(off.abs() < 5e3 * tolerance, "{inline:?} {method} at {tolerance:e}: off by {off:e}");
            if inline != Inline::Off {
                continue;
            }
            let settings = Settings { stop: 30.0, ..settings };
            let run = run_relatively(from_zero, inline, &settings);
            // Long implicit steps damp what grows and keep it below the tolerance all the time: that is said.
            if run.diagnostics.iter().any(|d| d.code == "K0536") {
                assert!(method != Method::Auto, "at {tolerance:e}");
                continue;
            }
            let off = last(&run, "x") / (1e-12 * 30f64.exp_m1()) - 1.0;
            assert!(off.abs() < 1e3 * tolerance, "{method} at {tolerance:e}: off by {off:e}");
        }
    }
}

/// Prey and predators, each of which falls to a few millionths of what it was: above the tolerance, but with few digits left. What
/// comes back has the errors of those. `x - ln(x) + y - ln(y)` stays what it is.
#[test]
fn what_comes_back_from_above_its_tolerance_is_known() {
    let text = "model M Real x(start = 1, fixed = true), y(start = 12, fixed = true);
        equation der(x) = x*(1 - y); der(y) = y*(x - 1); end M;";
    for method in METHODS {
        for tolerance in [1e-6, 1e-8] {
            let settings = Settings { stop: 40.0, interval: 0.1, method, tolerance, ..Settings::default() };
            let found = run_relatively(text, Inline::Off, &settings);
            let column = |name: &str| found.trajectory.get(name).expect("a column").to_vec();
            let kept =
                column("x").iter().zip(column("y")).map(|(x, y)| x - x.ln() + y - y.ln()).collect::<Vec<_>>();
            let most = kept.iter().map(|v| (v / kept[0] - 1.0).abs()).fold(0.0, f64::max);
            assert!(most < 1e3 * tolerance, "{method} at {tolerance:e}: {most:e}");
        }
    }
}

/// Robertson's reactions to the end: below zero they would explode.
#[test]
fn what_explodes_below_zero_stays_above() {
    let text =
        "model M Real a(start = 1, fixed = true), b(start = 0, fixed = true), c(start = 0, fixed = true);
        equation der(a) = -0.04*a + 1e4*b*c; der(b) = 0.04*a - 1e4*b*c - 3e7*b^2; der(c) = 3e7*b^2; end M;";
    for method in METHODS {
        for tolerance in [1e-3, 1e-4, 1e-6] {
            let settings = Settings { stop: 1e11, interval: 1e9, method, tolerance, ..Settings::default() };
            let run = run_relatively(text, Inline::Off, &settings);
            let (a, c) = (last(&run, "a"), last(&run, "c"));
            // 2.0833e-8 at 1e11 (E. Hairer and G. Wanner, Solving Ordinary Differential Equations II, section IV.10).
            let way = format!("{method} at {tolerance:e}");
            assert!(a.abs() < tolerance && (c - 1.0).abs() < 10.0 * tolerance, "{way}: {a:e}, {c}");
        }
    }
}

/// What is driven by others, or decays, is not said to grow by itself.
#[test]
fn what_is_driven_is_no_reason_for_another_run() {
    let line = "model M parameter Integer n = 20; Real x[n](each start = 0, each fixed = true);
        equation der(x[1]) = 100*(1 - 2*x[1] + x[2]); for k in 2:n - 1 loop der(x[k]) = 100*(x[k - 1] - 2*x[k] + x[k + 1]); end for;
        der(x[n]) = 100*(x[n - 1] - x[n]); end M;";
    let falling =
        "model M Real h(start = 0, fixed = true), v(start = 0, fixed = true), w(start = 1, fixed = true);
        equation der(h) = v; der(v) = -9.81 - 0.1*v; der(w) = -1000*w; end M;";
    let swinging = "model M Real x(start = 1, fixed = true), v(start = 0, fixed = true);
        equation der(x) = v; der(v) = -x - 5*v + (if time > 40 then sin(time - 40) else 0); end M;";
    for method in METHODS {
        for text in [line, falling, swinging] {
            let settings = Settings { stop: 60.0, interval: 0.1, method, ..Settings::default() };
            let found = run(text, &settings);
            assert!(found.emerged.is_empty(), "{method}: {:?}", found.diagnostics);
        }
    }
}
