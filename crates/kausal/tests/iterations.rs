//! Iterations that end are solutions: circuits with exponential diodes and no resistance beside them, springs with a steep end and
//! contacts without events, by every implicit method and at loose tolerances too.

use std::sync::Arc;

use kausal::simulate::{self, Run};
use kausal::{Backend, Method, Session, Settings};

const METHODS: [Method; 5] =
    [Method::Bdf, Method::Radau, Method::Esdirk3, Method::Esdirk4, Method::Rosenbrock];

/// Simulates the model `M` of a text.
fn run(text: &str, settings: &Settings) -> Run {
    let mut session = Session::new();
    session.add_text("M.mo", text);
    let flat = session.flatten("M").expect("a correct model");
    let program = session.translate(&flat, &Default::default()).expect("a regular model");
    let model = session.compile(program, Backend::Jit).expect("code");
    simulate::run(Arc::new(model), settings, &|_| true, None, &mut |_| true)
}

fn settings(method: Method, tolerance: f64, stop: f64) -> Settings {
    Settings { method, tolerance, stop, interval: stop / 200.0, ..Settings::default() }
}

fn column(run: &Run, name: &str) -> Vec<f64> {
    assert!(run.diagnostics.iter().all(|d| !d.is_error()), "{:?}", run.diagnostics);
    run.trajectory.get(name).expect("a variable of the model")
}

/// A coil whose current goes on through a diode when its switch opens. The current rises towards `V/R` with `L/R` and falls
/// with the voltage of the diode, so it is between zero and `V/R` all the time; when the switch has been open for long it is what
/// its leak lets through. A matrix of the one kept in the other ended at 1e7 A.
#[test]
fn a_freewheel_current_stays_below_that_of_its_resistance() {
    let text = "model M
      parameter Real V = 24, L = 1e-3, R = 4, T = 0.02;
      Real vd, id, current; Real i(start = 0, fixed = true); Boolean on = sin(2*3.141592653589793*time/T) > 0;
    equation
      current = (V + vd)/(if on then 1e-2 else 1e7);
      id = 1e-12*(exp(vd/0.025) - 1);
      i = current + id;
      L*der(i) = -vd - R*i;
    end M;";
    for method in METHODS {
        for tolerance in [1e-3, 1e-4, 1e-6] {
            let run = run(text, &settings(method, tolerance, 0.06));
            let i = column(&run, "i");
            let most = 24.0 / 4.0;
            let slack = 20.0 * tolerance * most;
            assert!(i.iter().all(|i| *i > -slack && *i < most + slack), "{method} at {tolerance:e}: {i:?}");
            // At the end of the second period with the switch closed, ten time constants after it was.
            let end = i[i.len() * 5 / 6 - 2];
            let wanted = 24.0 / (4.0 + 1e-2);
            assert!((end - wanted).abs() < slack, "{method} at {tolerance:e}: {end}");
        }
    }
}

/// A capacitor charged through a diode alone, by a voltage that rises: the diode carries `C*slope + u/R` when it conducts, so that
/// its voltage, the only one between source and capacitor, is known but for what `u` is off.
#[test]
fn a_diode_alone_carries_what_the_capacitor_takes() {
    let text = "model M
      parameter Real slope = 2e4, C = 1e-4, R = 1, Is = 1e-9, vt = 0.05;
      Real v, i; Real u(start = 0, fixed = true);
    equation
      i = Is*(exp(v/vt) - 1); slope*time - 5 = v + u; C*der(u) = i - u/R;
    end M;";
    for method in METHODS {
        for tolerance in [1e-3, 1e-4, 1e-6] {
            let run = run(text, &settings(method, tolerance, 0.01));
            let (u, time) = (column(&run, "u"), &run.trajectory.time);
            for (u, t) in u.iter().zip(time).skip(20) {
                let source = 2e4 * t - 5.0;
                // The current moves the voltage by some tens of millivolts only: two rounds find it.
                let voltage = |u: f64| 0.05 * (1.0 + (1e-4 * 2e4 + u) / 1e-9).ln();
                let wanted = source - voltage(source - voltage(source));
                let slack = 20.0 * tolerance * source.max(1.0) + 1e-3;
                assert!((u - wanted).abs() < slack, "{method} at {tolerance:e}, {t}: {u}, not {wanted}");
            }
        }
    }
}

/// A ball on a stiff contact with damping, without events, never comes higher than it was let fall from. With the matrix of the
/// contact in free flight every guess looked like a solution, and it rose to six metres.
#[test]
fn a_ball_does_not_rise_above_its_start() {
    let text = "model M
      Real x(start = 0.4, fixed = true), v(start = 0, fixed = true);
    equation
      der(x) = v; der(v) = -9.81 + noEvent(if x < 0 then -2e7*x - 150*v else 0);
    end M;";
    for method in METHODS {
        for tolerance in [1e-3, 1e-4, 1e-6] {
            let run = run(text, &settings(method, tolerance, 1.5));
            // A step that fails is no wrong number.
            let x = run.trajectory.get("x").expect("a variable of the model");
            let highest = x.iter().fold(0.0, |a: f64, x| a.max(*x));
            assert!(highest < 0.4 * (1.0 + 50.0 * tolerance), "{method} at {tolerance:e}: {highest}");
        }
    }
}
