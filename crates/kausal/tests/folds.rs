//! Long implicit steps hold solutions that are fast to leave: nothing in the step equation says that they are none.

use std::sync::Arc;

use kausal::simulate;
use kausal::{Backend, Method, Session, Settings};

/// An enzyme that is saturated until its substrate is used up: behind that instant the slow solution goes on below zero, where it is
/// unstable by a rate of some thousand a second. In the kinetics nothing becomes negative, and all substrate becomes product.
#[test]
fn a_substrate_that_is_used_up_is_not_negative() {
    let text = "model M
        Real s(start = 2, fixed = true), e(start = 0.015, fixed = true), c(start = 0, fixed = true);
        Real p(start = 0, fixed = true);
      equation
        der(s) = -2e4*s*e + 0.15*c;
        der(e) = -2e4*s*e + 0.22*c;
        der(c) = 2e4*s*e - 0.22*c;
        der(p) = 0.07*c;
      end M;";
    for method in [Method::Auto, Method::Bdf, Method::Esdirk3, Method::Esdirk4] {
        for tolerance in [1e-3, 1e-4, 1e-6] {
            let mut session = Session::new();
            session.add_text("M.mo", text);
            let flat = session.flatten("M").expect("a correct model");
            let program = session.translate(&flat, &Default::default()).expect("a regular model");
            let model = session.compile(program, Backend::Jit).expect("code");
            let settings =
                Settings { stop: 7000.0, interval: 14.0, method, tolerance, ..Settings::default() };
            let run = simulate::run(Arc::new(model), &settings, &|_| true, None, &mut |_| true);
            assert!(run.diagnostics.iter().all(|d| !d.is_error()), "{:?}", run.diagnostics);
            let allowed = 20.0 * tolerance * 2.0;
            let column = |name: &str| run.trajectory.get(name).expect("a variable of the model");
            for (k, t) in run.trajectory.time.iter().enumerate() {
                let (s, p) = (column("s")[k], column("p")[k]);
                assert!(s > -allowed && p < 2.0 + allowed, "{method} {tolerance:e}: s({t}) = {s}, p = {p}");
            }
            let left = 2.0 - column("p").last().expect("a value");
            assert!(left.abs() < allowed, "{method} {tolerance:e}: {left} is left");
        }
    }
}
