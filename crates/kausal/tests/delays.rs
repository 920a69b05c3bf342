//! `delay(x, d, dmax)` reads the past at the instant that the `d` of the same instant says, whatever the method, the
//! tolerance and the distance of output points. References are closed forms.

use std::sync::Arc;

use kausal::simulate::{self, Run};
use kausal::{Backend, Method, Session, Settings};

/// Simulates the model `M` of a text.
fn run(text: &str, settings: &Settings) -> Run {
    let mut session = Session::new();
    session.add_text("M.mo", text);
    let flat = session.flatten("M").expect("a correct model");
    let program = session.translate(&flat, &Default::default()).expect("a regular model");
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
