//! `delay(x, d, dmax)` reads the past at the instant that the `d` of the same instant says, whatever the method, the
//! tolerance and the distance of output points. References are closed forms.

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

/// The largest distance of a variable from what it must be.
fn error(run: &Run, variable: &str, wanted: impl Fn(f64) -> f64) -> f64 {
    assert!(run.diagnostics.iter().all(|d| !d.is_error()), "{:?}", run.diagnostics);
    let values = run.trajectory.get(variable).expect("a variable of the model");
    let distances = run.trajectory.time.iter().zip(values).map(|(&t, value)| (value - wanted(t)).abs());
    distances.fold(0.0, |largest, d| if d > largest || d.is_nan() { d } else { largest })
}

const METHODS: [Method; 5] = [Method::Auto, Method::Bdf, Method::Radau, Method::Esdirk4, Method::Rosenbrock];

/// An algebraic delay that nothing else depends on is computed in every evaluation, not at output points only. What is
/// delayed has a closed form, so a few tolerances are what cubics through its past may be off.
#[test]
fn an_algebraic_delay_is_that_of_its_instant() {
    let text = "model M Real y, d; Real z(start = 0, fixed = true);
      equation d = 0.5 + 0.3*sin(time); y = delay(sin(3*time), d, 1.0); der(z) = y; end M;";
    let wanted = |t: f64| (3.0 * (t - 0.5 - 0.3 * t.sin()).max(0.0)).sin();
    for method in METHODS {
        for tolerance in [1e-3, 1e-6, 1e-8] {
            for interval in [0.001, 0.1, 1.0] {
                let settings = Settings { stop: 5.0, interval, method, tolerance, ..Settings::default() };
                let off = error(&run(text, &settings), "y", wanted) / tolerance;
                assert!(off < 5.0, "{method} at {tolerance:e}, every {interval} s: {off} tolerances");
            }
        }
    }
}

/// Delays that depend on what they delay, on a state, and that become nothing and grow again. Closed forms: the past of `time` is
/// zero before the start; `y = t - 0.5 - 0.1 y`; `x = exp(-t)`.
#[test]
fn computed_delays_are_solved_for() {
    type Case = (&'static str, fn(f64) -> f64);
    let cases: [Case; 3] = [
        (
            "Real z(start = 0, fixed = true); equation y = delay(time, d, 3); d = 0.5 + 0.1*y; der(z) = y;",
            |t| ((t - 0.5) / 1.1).max(0.0),
        ),
        ("Real x(start = 1, fixed = true); equation der(x) = -x; d = x; y = delay(time, d, 2);", |t| {
            (t - (-t).exp()).max(0.0)
        }),
        (
            "Real z(start = 0, fixed = true);
             equation d = abs(sin(time)); y = delay(sin(2*time), d, 1); der(z) = y;",
            |t| (2.0 * (t - t.sin().abs()).max(0.0)).sin(),
        ),
    ];
    for (text, wanted) in cases {
        let text = format!("model M Real y, d; {text} end M;");
        for method in [Method::Auto, Method::Bdf, Method::Radau] {
            for tolerance in [1e-3, 1e-6] {
                let settings =
                    Settings { stop: 4.0, interval: 0.05, method, tolerance, ..Settings::default() };
                let off = error(&run(&text, &settings), "y", wanted) / tolerance;
                assert!(off < 20.0, "{method} at {tolerance:e}: {off} tolerances in {text}");
            }
        }
    }
}

/// A delay that no iteration finds ends the run with a reason, not with the value of the last round.
#[test]
fn a_delay_that_is_not_found_ends_the_run() {
    let text = "model M Real y, d; Real z(start = 0, fixed = true);
      equation y = delay(time, d, 10); d = 2 + 1.5*sin(y); der(z) = y; end M;";
    let run = run(text, &Settings { stop: 6.0, ..Settings::default() });
    assert!(run.diagnostics.iter().any(|d| d.code == "K0520"), "{:?}", run.diagnostics);
}

/// A jump arrives when the delay of that instant has passed, at T = 0.7 + d(T).
#[test]
fn a_jump_arrives_at_the_delay_of_its_arrival() {
    let text = "model M Real d, y, u; Real z(start = 0, fixed = true);
      equation u = if time > 0.7 then 1.0 else 0.0;
      d = 0.5 + 0.3*sin(time); y = delay(u, d, 1.0); der(z) = y - 0.2*z; end M;";
    let arrival = (0..100).fold(1.2, |t: f64, _| 1.2 + 0.3 * t.sin());
    let wanted = |t: f64| if t > arrival { 5.0 * (1.0 - (-0.2 * (t - arrival)).exp()) } else { 0.0 };
    for method in METHODS {
        for tolerance in [1e-3, 1e-6] {
            let settings = Settings { stop: 3.0, interval: 0.01, method, tolerance, ..Settings::default() };
            let off = error(&run(text, &settings), "z", wanted) / tolerance;
            assert!(off < 20.0, "{method} at {tolerance:e}: {off} tolerances");
        }
    }
}

/// A delay that depends on time alone is that of the end of an inlined step, too, not of its beginning. `x = sin(t)` solves this.
#[test]
fn a_delay_that_depends_on_time_is_not_that_of_the_last_step() {
    let text = "model M Real x(start = 0, fixed = true); Real d; equation d = 0.3 + 0.2*sin(time);
      der(x) = cos(time) - delay(x, 0.3 + 0.2*sin(time), 1) + (if noEvent(time > d) then sin(time - d) else 0); end M;";
    for (inline, method) in
        [(Inline::Bdf, Method::Bdf), (Inline::Radau, Method::Radau), (Inline::Off, Method::Auto)]
    {
        for tolerance in [1e-4, 1e-6, 1e-8] {
            let settings = Settings { stop: 10.0, interval: 0.1, method, tolerance, ..Settings::default() };
            let off = error(&run_inlined(text, inline, &settings), "x", f64::sin) / tolerance;
            assert!(off < 200.0, "{inline:?} at {tolerance:e}: {off} tolerances");
        }
    }
}
