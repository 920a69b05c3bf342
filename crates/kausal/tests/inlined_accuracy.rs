//! How exact inlined steps are: an iteration on few variables, the rest of the states following from them, must not do harm
//! that an iteration on all states does not do.

use std::sync::Arc;

use kausal::simulate::{self, Run};
use kausal::{Backend, Inline, Method, Options, Session, Settings};

fn run(text: &str, inline: Inline, settings: Settings) -> Run {
    let mut session = Session::new();
    session.add_text("M.mo", text);
    let flat = session.flatten("M").expect("a flat model");
    let options = Options { inline, ..Options::default() };
    let program = session.translate(&flat, &options).expect("a program");
    let compiled = session.compile(program, Backend::Jit).expect("code");
    let run = simulate::run(Arc::new(compiled), &settings, &|_| true, None, &mut |_| true);
    assert!(run.diagnostics.is_empty(), "{inline:?}: {:?}", run.diagnostics);
    run
}

/// The largest difference of two runs in one variable.
fn difference(a: &Run, b: &Run, name: &str) -> f64 {
    let (a, b) = (a.trajectory.get(name).expect("a column"), b.trajectory.get(name).expect("a column"));
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// A free body turns about its middle axis, which is unstable: small errors of energy and momentum, which the equations
/// preserve, are magnified by a million. Local errors are smooth and cancel, those of an iteration do not.
const TURNING: &str =
    "model M Real a(start = 0.02, fixed = true), b(start = 8, fixed = true), c(start = 0, fixed = true);
  equation 2*der(a) = -b*c; 3*der(b) = 2*c*a; 4*der(c) = -a*b; end M;";

/// The oracle is a run with a tolerance of 1e-11, what it is compared with is the classical interface with the same tolerance.
/// Single ratios are a matter of luck, hence the geometric mean; it was 230 (BDF) and 600 (Radau) before iterations aimed at
/// much less than the tolerance.
#[test]
fn motion_that_is_unstable_is_as_exact_as_with_the_classical_interface() {
    let settings =
        |method, tolerance| Settings { stop: 10.0, interval: 0.1, method, tolerance, ..Settings::default() };
    let exact = run(TURNING, Inline::Off, settings(Method::Radau, 1e-11));
    for (inline, method) in [(Inline::Bdf, Method::Bdf), (Inline::Radau, Method::Radau)] {
        let tolerances = [1e-5, 1e-6, 1e-7, 1e-8];
        let mut product = 1.0;
        let (mut on, mut off) = (0, 0);
        for tolerance in tolerances {
            let inlined = run(TURNING, inline, settings(method, tolerance));
            let classical = run(TURNING, Inline::Off, settings(method, tolerance));
            product *= difference(&inlined, &exact, "b") / difference(&classical, &exact, "b");
            on += inlined.statistics.rhs_evaluations;
            off += classical.statistics.rhs_evaluations;
        }
        let ratio = f64::powf(product, 1.0 / tolerances.len() as f64);
        assert!(ratio < 8.0, "{inline:?}: errors are {ratio} times those of the classical interface");
        assert!(4 * on < 5 * off, "{inline:?}: {on} evaluations instead of {off}");
    }
}
