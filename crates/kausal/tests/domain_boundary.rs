//! Branches that end where their condition does: `if x > 0 then sqrt(x) else 0` and what is like it, with every method.
//!
//! Bounds: about a hundred times the tolerance 1e-6; for steps of one size, 0.01, what the order of the method leaves at the
//! beginning of the last branch, where the derivative of the square root grows without bound.

use std::sync::Arc;

use kausal::simulate::{self, Run};
use kausal::{Backend, Method, Session, Settings, render};

fn ran(text: &str, stop: f64, method: Method, fixed_step: Option<f64>) -> Run {
    let mut session = Session::new();
    session.add_text("M.mo", text);
    let flat = session.flatten("M").expect("a correct model");
    let program = session.translate(&flat, &Default::default()).expect("a regular model");
    let model = session.compile(program, Backend::Jit).expect("code");
    let settings = Settings { stop, interval: stop / 100.0, method, fixed_step, ..Settings::default() };
    let run = simulate::run(Arc::new(model), &settings, &|_| true, None, &mut |_| true);
    let said = render::text(&run.diagnostics, session.sources(), false);
    assert!(run.diagnostics.iter().all(|d| !d.is_error()), "{method}: {said}");
    assert_eq!(run.trajectory.time.last(), Some(&stop), "{method}");
    run
}

fn end(run: &Run, name: &str) -> f64 {
    run.trajectory.get(name).and_then(|values| values.last().copied()).unwrap_or(f64::NAN)
}

/// All methods that choose their steps, with the bound of these, and those with steps of one size, with theirs.
fn all(within: f64, fixed_within: f64, check: impl Fn(Method, Option<f64>, f64)) {
    for (method, _) in Method::ALL {
        let is_fixed = method.is_fixed_step();
        check(method, is_fixed.then_some(0.01), if is_fixed { fixed_within } else { within });
    }
}

/// The branch is only looked at: the integration does not need it. `x = 1 - 2 cos 1 + 2 cos(t + 1)`.
#[test]
fn an_output_with_a_guard() {
    let text = "model M Real x(start = 1, fixed = true), y, z;
      equation der(x) = -2*sin(time + 1); y = if x > 0 then sqrt(x) else 0; z = if x >= 0 then log(x + 1e-300) else 1; end M;";
    all(1e-4, 0.02, |method, step, within| {
        let run = ran(text, 1.0, method, step);
        assert_eq!(run.statistics.state_events, 1, "{method}");
        let (x, y) =
            (run.trajectory.get("x").unwrap_or_default(), run.trajectory.get("y").unwrap_or_default());
        assert!(x.iter().zip(&y).all(|(x, y)| (y - x.max(0.0).sqrt()).abs() < 1e-5), "{method}");
        assert!((end(&run, "x") - (1.0 - 2.0 * 1f64.cos() + 2.0 * 2f64.cos())).abs() < within, "{method}");
        assert_eq!((end(&run, "y"), end(&run, "z")), (0.0, 1.0), "{method}");
    });
}

/// The integration needs the branch, and crosses its end: from 1 to 0 it takes `2 (1 - ln 2)`, by separation of variables.
#[test]
fn a_derivative_with_a_guard() {
    let text = "model M Real x(start = 1, fixed = true), y;
      equation der(x) = -1 - y; y = if x > 0 then sqrt(x) else 0; end M;";
    all(1e-4, 0.01, |method, step, within| {
        let run = ran(text, 1.0, method, step);
        assert_eq!(run.statistics.state_events, 1, "{method}");
        let wanted = 2.0 * (1.0 - 2f64.ln()) - 1.0;
        assert!((end(&run, "x") - wanted).abs() < within, "{method}: {} {wanted}", end(&run, "x"));
    });
}

/// Torricelli's law: the level is `(1 - t/2)^2` until the tank is empty, and stays there.
#[test]
fn an_emptying_tank() {
    let text =
        "model M Real h(start = 1, fixed = true); equation der(h) = if h > 0 then -sqrt(h) else 0; end M;";
    all(1e-5, 1e-3, |method, step, within| {
        let run = ran(text, 3.0, method, step);
        let h = run.trajectory.get("h").unwrap_or_default();
        let law = |t: f64| (1.0 - 0.5 * t.min(2.0)).powi(2);
        let off = run.trajectory.time.iter().zip(&h).map(|(t, h)| (h - law(*t)).abs()).fold(0.0, f64::max);
        let bound = if step.is_some() { 0.01 } else { 1e-4 };
        assert!(off < bound, "{method}: {off}");
        assert!(end(&run, "h").abs() < within, "{method}: {}", end(&run, "h"));
    });
}

/// What must hold all the time must hold when an event has come to rest, and not before a state is reinitialised.
#[test]
fn an_assertion_at_the_threshold() {
    let text = "model M Real x(start = 0, fixed = true);
      equation der(x) = 1; when x >= 0.5 then reinit(x, 0); end when; assert(x <= 0.5, \"too far\"); end M;";
    all(1e-9, 1e-9, |method, step, within| {
        let run = ran(text, 1.2, method, step);
        assert_eq!(run.statistics.state_events, 2, "{method}");
        assert!((end(&run, "x") - 0.2).abs() < within, "{method}");
    });
}

/// A bridge of ideal diodes charges a capacitor. At the start all of them conduct and the equations do not have full rank. The
/// oracle: what is charged through the resistance, by the method of Runge and Kutta in small steps.
#[test]
fn a_bridge_that_begins_without_full_rank() {
    let text = "model M
      model D Real v, i, s(start = 0); Boolean off(start = true);
      equation off = s < 0; v = if off then s else 0; i = if off then 0 else s; end D;
      D d1, d2, d3, d4; Real u = 10*sin(314*time), vp, vn, load, v(start = 0, fixed = true), va, is;
    equation
      va = u - 0.1*is; is = d1.i - d3.i; d1.v = va - vp; d2.v = 0 - vp; d3.v = vn - va; d4.v = vn - 0; v = vp - vn;
      1e-3*der(v) = load - v/10; d1.i + d2.i = load; d3.i + d4.i = load;
    end M;";
    let slope = |t: f64, v: f64| {
        let charging = (((10.0 * (314.0 * t).sin()).abs() - v) / 0.1).max(0.0);
        (charging - v / 10.0) / 1e-3
    };
    let (n, mut v) = (50_000, 0.0);
    let h = 0.05 / f64::from(n);
    for k in 0..n {
        let t = h * f64::from(k);
        let k1 = slope(t, v);
        let k2 = slope(t + 0.5 * h, v + 0.5 * h * k1);
        let k3 = slope(t + 0.5 * h, v + 0.5 * h * k2);
        let k4 = slope(t + h, v + h * k3);
        v += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
    }
    for method in [
        Method::Auto,
        Method::Bdf,
        Method::Radau,
        Method::Esdirk3,
        Method::Esdirk4,
        Method::DormandPrince,
        Method::Tsitouras,
    ] {
        let run = ran(text, 0.05, method, None);
        assert!((end(&run, "v") - v).abs() < 1e-3, "{method}: {} instead of {v}", end(&run, "v"));
    }
}
