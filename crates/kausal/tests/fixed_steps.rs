//! Steps of one size through state events: the order of the method is kept, stiff states make no events of their own, and what is
//! between steps does not end a run.

use std::sync::Arc;

use kausal::simulate::{self, Run};
use kausal::{Backend, Inline, Method, Options, Session, Settings, method_of};

/// Simulates the model `M` of a text, with steps of the model's own unless the method is given.
fn run(text: &str, inline: Inline, settings: &Settings) -> Run {
    let mut session = Session::new();
    session.add_text("M.mo", text);
    let flat = session.flatten("M").expect("a correct model");
    let options = Options { inline, ..Options::default() };
    let program = session.translate(&flat, &options).expect("a regular model");
    let model = session.compile(program, Backend::Auto).expect("code");
    simulate::run(Arc::new(model), settings, &|_| true, None, &mut |_| true)
}

fn last(run: &Run, variable: &str) -> f64 {
    assert!(run.diagnostics.iter().all(|d| !d.is_error()), "{:?}", run.diagnostics);
    run.trajectory.get(variable).and_then(|values| values.last().copied()).expect("a value")
}

/// x = exp(t)/2 up to one, at t = ln 2, and from there exp(2(t - ln 2)). Where the event lies in its step differs from one step
/// size to the next, and the error with it: over three halvings that matters little.
#[test]
fn state_events_take_no_order_from_a_method() {
    let text = "model M
      Real x(start = 0.5, fixed = true);
    equation
      der(x) = if x > 1 then 2*x else x;
    end M;";
    let stop: f64 = 1.2;
    let exact = (2.0 * (stop - 2f64.ln())).exp();
    let bdf = |order| (Inline::Bdf, Method::FixedBdf, order, order as f64);
    for (inline, method, max_order, order) in [
        (Inline::Euler, Method::ExplicitEuler, 1, 1.0),
        (Inline::ImplicitEuler, Method::ImplicitEuler, 1, 1.0),
        (Inline::Trapezoidal, Method::Trapezoidal, 2, 2.0),
        (Inline::Off, Method::RungeKutta4, 4, 4.0),
        bdf(2),
        bdf(3),
        bdf(4),
        bdf(5),
        (Inline::Radau, Method::FixedRadau, 5, 5.0),
        (Inline::Off, Method::FixedRadau, 5, 5.0),
    ] {
        let error = |steps: u32| {
            let fixed_step = Some(stop / f64::from(steps));
            let settings = Settings {
                stop,
                interval: stop,
                method,
                max_order,
                fixed_step,
                tolerance: 1e-12,
                ..Settings::default()
            };
            let run = run(text, inline, &settings);
            assert_eq!(run.statistics.state_events, 1, "{method}");
            (last(&run, "x") - exact).abs()
        };
        // Beyond them errors are rounding.
        let coarse = if method == Method::FixedRadau { 5 } else { 40 };
        let measured = (error(coarse) / error(8 * coarse)).log2() / 3.0;
        assert!(measured > order - 0.3, "{} {method} {max_order}: {measured:.2}", inline.name());
    }
}

/// Four ideal diodes between a source and a capacitor, with no resistance but theirs: while they conduct, the capacitor follows
/// the source within a ten-thousandth of a step.
const BRIDGE: &str = "model Diode
  input Real v; output Real i; Real s; Boolean off;
equation
  off = s < 0;
  v = s*(if off then 1 else 1e-5);
  i = s*(if off then 1e-5 else 1);
end Diode;
model M
  Diode d1, d2, d3, d4;
  Real uc(start = 0, fixed = true), ua, ub, i;
equation
  ua - ub = 10*sin(100*3.14159265358979*time)^POWER;
  d1.v = ua - uc; d2.v = ub - uc; d3.v = -ua; d4.v = -ub;
  i + d3.i = d1.i;
  -i + d4.i = d2.i;
  1e-3*der(uc) = d1.i + d2.i - uc/100;
end M;";

/// In ten periods a bridge turns on and off twenty times each. What is between the ends of steps is not near the curve that stiff
/// states are held to, and crosses zero much more often; whether it does depends on how the source is bent.
#[test]
fn stiff_states_make_no_events() {
    for (inline, power) in [Inline::ImplicitEuler, Inline::Trapezoidal, Inline::Radau, Inline::Bdf]
        .into_iter()
        .flat_map(|inline| ["1", "3"].map(|power| (inline, power)))
    {
        // Output points inside steps are places to look at relations, too.
        for interval in [0.2, 1e-5] {
            let settings = Settings {
                stop: 0.2,
                interval,
                method: method_of(inline, true).expect("a method"),
                max_order: 2,
                fixed_step: Some(1e-4),
                ..Settings::default()
            };
            let run = run(&BRIDGE.replace("POWER", power), inline, &settings);
            let voltage = last(&run, "uc");
            let events = run.statistics.state_events;
            assert!((40..=42).contains(&events), "{} {power}: {events} events", inline.name());
            assert!((5.0..10.0).contains(&voltage), "{} {power}: {voltage}", inline.name());
        }
    }
}

/// x = 1 - (t - 0.55)² is above 0.999 between 0.518 and 0.582, inside one step.
#[test]
fn a_relation_that_changes_twice_in_a_step_is_seen() {
    let text = "model M
      Real x(start = 0.6975, fixed = true), v(start = 1.1, fixed = true);
      discrete Real on(start = 0, fixed = true), off(start = 0, fixed = true);
    equation
      der(x) = v; der(v) = -2;
      when x > 0.999 then on = time; end when;
      when x < 0.999 then off = time; end when;
    end M;";
    for inline in [Inline::Trapezoidal, Inline::Radau, Inline::Bdf] {
        let settings = Settings {
            method: method_of(inline, true).expect("a method"),
            max_order: 2,
            fixed_step: Some(0.1),
            interval: 1.0,
            ..Settings::default()
        };
        let run = run(text, inline, &settings);
        let half = 0.001_f64.sqrt();
        for (name, wanted) in [("on", 0.55 - half), ("off", 0.55 + half)] {
            let found = last(&run, name);
            assert!((found - wanted).abs() < 1e-6, "{}: {name} at {found}", inline.name());
        }
    }
}

/// x = (1 - t/2)² can be evaluated where x is not negative. How often results are written does not decide how far the run comes.
#[test]
fn output_points_do_not_end_a_run() {
    let text = "model M Real x(start = 1, fixed = true); equation der(x) = -sqrt(x); end M;";
    for inline in [Inline::ImplicitEuler, Inline::Trapezoidal, Inline::Bdf, Inline::Radau, Inline::Euler] {
        let ends = [0.1, 0.001].map(|interval| {
            let settings = Settings {
                stop: 1.95,
                interval,
                method: method_of(inline, true).expect("a method"),
                max_order: 2,
                fixed_step: Some(0.1),
                ..Settings::default()
            };
            let run = run(text, inline, &settings);
            let x = run.trajectory.get("x").expect("a variable of the model");
            assert!(x.iter().all(|x| x.is_finite()), "{}", inline.name());
            run.statistics.steps
        });
        assert_eq!(ends[0], ends[1], "{}", inline.name());
    }
}
/// A relay that pushes back to where it switches: events without progress are said to be that, as with steps that a method chooses.
#[test]
fn chattering_is_said() {
    let text = "model M Real x(start = 0.5, fixed = true), y(start = 0, fixed = true);
      equation der(x) = if x + 0.1*y > 0 then -1 else 1.5; der(y) = x - y; end M;";
    for inline in [Inline::ImplicitEuler, Inline::Trapezoidal, Inline::Bdf, Inline::Radau] {
        let settings = Settings {
            method: method_of(inline, true).expect("a method"),
            max_order: 2,
            fixed_step: Some(0.01),
            ..Settings::default()
        };
        let run = run(text, inline, &settings);
        let codes: Vec<&str> = run.diagnostics.iter().map(|d| d.code).collect();
        assert_eq!(codes, ["K0513"], "{}", inline.name());
        // Where the rate tells, not the resolution of time, ten thousand events do.
        assert!(run.statistics.state_events <= 10_001, "{}", inline.name());
    }
}

/// Late in a long run time is rounded by a good part of a billionth of a small step; all steps are still the same, and the first
/// order, which needs no past, is implicit Euler.
#[test]
fn steps_are_the_same_far_from_time_zero() {
    let text = "model M parameter Real begin = 1e6; Real x(start = 1, fixed = true);
      equation der(x) = -20*(x - (time - begin)); end M;";
    let end = |inline, method, max_order| {
        let (start, stop) = (1e6, 1e6 + 0.125);
        let (interval, fixed_step) = (0.125, Some(0.125 / 1000.0));
        let settings =
            Settings { start, stop, interval, method, max_order, fixed_step, ..Settings::default() };
        let found = run(text, inline, &settings);
        (last(&found, "x"), found.statistics.rhs_evaluations)
    };
    let (euler, _) = end(Inline::ImplicitEuler, Method::ImplicitEuler, 1);
    // x = t - 1/20 + 21/20 exp(-20 t), where t counts from the start.
    let exact = 0.125 - 0.05 + 1.05 * (-2.5f64).exp();
    for order in 1..=5 {
        let (x, evaluations) = end(Inline::Bdf, Method::FixedBdf, order);
        // Five more for each step of the start.
        assert!(evaluations < 1030, "order {order}: {evaluations}");
        let within = if order == 1 { 2e-3 } else { 1e-5 };
        assert!((x - exact).abs() < within, "order {order}: {x} instead of {exact}");
        if order == 1 {
            assert!((x - euler).abs() < 1e-7, "{x} instead of {euler}");
        }
    }
}

/// The first guess of Robertson's reaction with a step far beyond its fast part.
#[test]
fn order_one_begins_as_implicit_euler_does() {
    let text =
        "model M Real a(start = 1, fixed = true), b(start = 0, fixed = true), c(start = 0, fixed = true);
      equation der(a) = -0.04*a + 1e4*b*c; der(b) = 0.04*a - 1e4*b*c - 3e7*b^2; der(c) = 3e7*b^2; end M;";
    let (stop, interval, max_order) = (1000.0, 1000.0, 1);
    let end = |inline, method| {
        let fixed_step = Some(10.0);
        let settings = Settings { stop, interval, method, max_order, fixed_step, ..Settings::default() };
        last(&run(text, inline, &settings), "a")
    };
    let (bdf, euler) =
        (end(Inline::Bdf, Method::FixedBdf), end(Inline::ImplicitEuler, Method::ImplicitEuler));
    assert!((bdf - euler).abs() < 1e-9, "{bdf} instead of {euler}");
}
