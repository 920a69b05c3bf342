//! Where a branch of solutions ends, a number is zero on either side, and what goes on is elsewhere.

use std::sync::Arc;

use kausal::simulate;
use kausal::{Backend, Method, Session, Settings, Trajectory};

fn run(text: &str, stop: f64, method: Method) -> Trajectory {
    let mut session = Session::new();
    session.add_text("M.mo", text);
    let flat = session.flatten("M").expect("a correct model");
    let program = session.translate(&flat, &Default::default()).expect("a regular model");
    let model = session.compile(program, Backend::Jit).expect("code");
    let settings = Settings { stop, interval: stop / 500.0, method, ..Settings::default() };
    let run = simulate::run(Arc::new(model), &settings, &|_| true, None, &mut |_| true);
    assert!(run.diagnostics.iter().all(|d| !d.is_error()), "{method}: {:?}", run.diagnostics);
    run.trajectory
}

fn column(trajectory: &Trajectory, name: &str) -> Vec<f64> {
    trajectory.get(name).expect("a variable of the model")
}

/// An amplifier with positive feedback and an integrator. Each saturated branch ends where its input comes back into the linear
/// range, and the linear branch begins there, to the other side: only the opposite saturation goes on. The integrator is a triangle
/// between the two ends, `2/5*15 + 3/5*x = 15/V0` and its negative, with a slope of 15.
#[test]
fn a_schmitt_trigger_jumps_where_its_branch_ends() {
    let text = "model M
        parameter Real V0 = 15000, limit = 15;
        Real u, v(start = 15), x(start = 0, fixed = true);
      equation
        u = 0.4*v + 0.6*x;
        v = homotopy(smooth(0, if V0*u > limit then limit elseif V0*u < -limit then -limit else V0*u), limit);
        der(x) = -v;
      end M;";
    let end = (15.0 / 15000.0 - 6.0) / 0.6;
    let quarter = -end / 15.0;
    for method in [Method::Auto, Method::Bdf, Method::Radau] {
        let trajectory = run(text, 21.0 * quarter, method);
        let (v, x) = (column(&trajectory, "v"), column(&trajectory, "x"));
        for (i, t) in trajectory.time.iter().enumerate() {
            let phase = (t / quarter + 1.0).rem_euclid(4.0);
            let expected = -end * if phase < 2.0 { 1.0 - phase } else { phase - 3.0 };
            assert!((x[i] - expected).abs() < 1e-4, "{method}: x({t}) = {}, {expected}", x[i]);
            // Within the event both are there.
            if (phase % 2.0).min(2.0 - phase % 2.0) > 1e-6 {
                let expected = if phase < 2.0 { 15.0 } else { -15.0 };
                assert!((v[i] - expected).abs() < 1e-9, "{method}: v({t}) = {}", v[i]);
            }
        }
    }
}
