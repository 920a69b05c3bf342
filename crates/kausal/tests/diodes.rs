//! Diodes at loose tolerances and currents that are set to zero where they end: what everybody builds first. Truths are closed forms.

use std::sync::Arc;

use kausal::simulate::{self, Run};
use kausal::{Backend, Method, Session, Settings};

const METHODS: [Method; 6] =
    [Method::Auto, Method::Bdf, Method::Radau, Method::Esdirk3, Method::Esdirk4, Method::Rosenbrock];

fn run(text: &str, settings: &Settings) -> Run {
    let mut session = Session::new();
    session.add_text("M.mo", text);
    let flat = session.flatten("M").expect("a correct model");
    let program = session.translate(&flat, &Default::default()).expect("a regular model");
    let model = session.compile(program, Backend::Jit).expect("code");
    let run = simulate::run(Arc::new(model), settings, &|_| true, None, &mut |_| true);
    assert!(run.diagnostics.iter().all(|d| !d.is_error()), "{:?}", run.diagnostics);
    run
}

/// The matrix of a diode that conducts is larger by many orders of magnitude than that of one that blocks. Corrections made with it
/// are small whatever the residual, and a step whose predictor does all the work drains the capacitor. It discharges through its
/// resistor alone: from each peak on its voltage is at least that of the source's peak less the diode's at the load's current,
/// times the exponential.
#[test]
fn a_capacitor_is_not_drained_by_its_rectifier() {
    let (peak, period, load, capacitance) = (60.0, 1.25e-3, 1e3, 5e-6);
    let text = "model M
        Real v, i, u(start = 0, fixed = true);
      equation
        i = 4.8e-14*(exp(v/0.03) - 1);
        60*sin(2*3.141592653589793*800*time) = v + u;
        5e-6*der(u) = i - u/1000;
      end M;";
    // What the diode takes at the peak's current.
    let least = peak - 0.03 * f64::ln(peak / load / 4.8e-14);
    for method in METHODS {
        for tolerance in [1e-3, 3e-4, 1e-4] {
            let settings = Settings { stop: 0.025, interval: 5e-5, method, tolerance, ..Settings::default() };
            let run = run(text, &settings);
            let u = run.trajectory.get("u").expect("a variable of the model");
            // A small multiple of the tolerance, of the size of the voltage.
            let allowed = 20.0 * tolerance * peak;
            for (&t, u) in run.trajectory.time.iter().zip(u) {
                let since = (t - 0.25 * period).rem_euclid(period);
                let bound = least * (-since / (load * capacitance)).exp();
                assert!(t < 0.25 * period || u > bound - allowed, "{method} {tolerance:e}: u({t}) = {u}");
                assert!(u < peak + allowed, "{method} {tolerance:e}: u({t}) = {u}");
            }
        }
    }
}

/// A thyristor is fired each second, carries `2 s - 4 s²` and goes out when that comes back to zero, half a second later: a current
/// that `reinit` has set to zero is not below zero any more, and does not put out the next one.
#[test]
fn a_current_that_is_set_to_zero_is_zero() {
    let text = "model M
        Real i(start = 0, fixed = true), s(start = 0, fixed = true), charge(start = 0, fixed = true);
        Boolean on(start = false, fixed = true), below;
        Integer fired(start = 0, fixed = true), out(start = 0, fixed = true);
      equation
        der(s) = 1;
        der(i) = if on then 2 - 8*s else 0;
        der(charge) = i;
        below = i < 0;
        when sample(0.25, 1) then reinit(s, 0); fired = pre(fired) + 1; end when;
        when edge(fires) then on = true; out = pre(out);
        elsewhen pre(on) and i < 0 then on = false; out = pre(out) + 1; reinit(i, 0); end when;
        fires = sample(0.25, 1);
      end M;"
        .replace("Boolean on", "Boolean fires, on");
    for method in METHODS {
        for interval in [0.05, 0.37, 6.0] {
            let settings = Settings { stop: 6.0, interval, method, ..Settings::default() };
            let run = run(&text, &settings);
            let last =
                |name: &str| run.trajectory.get(name).and_then(|v| v.last().copied()).expect("a value");
            assert_eq!([last("fired"), last("out"), last("below")], [6.0, 6.0, 0.0], "{method} {interval}");
            // Each pulse is 1/4 - 1/6.
            assert!((last("charge") - 0.5).abs() < 1e-5, "{method} {interval}: {}", last("charge"));
        }
    }
}
