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

fn fixed(method: Method, step: f64, stop: f64) -> Settings {
    Settings { method, fixed_step: Some(step), stop, interval: step, ..Settings::default() }
}

const FIXED: [(Inline, Method); 3] = [
    (Inline::ImplicitEuler, Method::ImplicitEuler),
    (Inline::Trapezoidal, Method::Trapezoidal),
    (Inline::Bdf, Method::FixedBdf),
];

/// Steps of one size have the errors of their formula: those of iterations are hardly more than rounding, whatever the tolerance is.
#[test]
fn fixed_steps_do_not_depend_on_the_tolerance() {
    let text = "model M Real x(start = 1, fixed = true), v(start = 0, fixed = true);
      equation der(x) = v; der(v) = -sin(x) - v^3; end M;";
    for (inline, method) in FIXED {
        let of = |inline, tolerance| {
            run(text, inline, Settings { tolerance, max_order: 4, ..fixed(method, 1.0 / 64.0, 2.0) })
        };
        let inlined = of(inline, 1e-3);
        for (inline, tolerance) in [(inline, 1e-9), (Inline::Off, 1e-3), (Inline::Off, 1e-9)] {
            let difference = difference(&inlined, &of(inline, tolerance), "x");
            assert!(difference < 1e-11, "{method:?}, {inline:?} with {tolerance}: {difference:e}");
        }
    }
}

/// Chemical kinetics with rates that differ by nine powers of ten: the second species is fast from the start, and the step from
/// zero goes far beyond what is in balance. A continued solution is no guess there, and the step has other solutions.
#[test]
fn fixed_steps_are_solved_where_the_guess_is_far_away() {
    let text = "model M
      Real a(start = 1, fixed = true), b(start = 0, fixed = true), c(start = 0, fixed = true);
    equation
      der(a) = -0.05*a + 2e4*b*c; der(b) = 0.05*a - 2e4*b*c - 2e7*b^2; der(c) = 2e7*b^2;
    end M;";
    let exact = run(text, Inline::Off, Settings { stop: 20.0, tolerance: 1e-9, ..Settings::default() });
    let end = |run: &Run| run.trajectory.get("a").and_then(|a| a.last().copied()).expect("a value");
    for (inline, method) in FIXED {
        let inlined = run(text, inline, Settings { max_order: 2, ..fixed(method, 0.1, 20.0) });
        let error = (end(&inlined) - end(&exact)).abs();
        assert!(error < 5e-3, "{inline:?}: {error:e}");
        if inline != Inline::Bdf {
            let difference = difference(&inlined, &run(text, Inline::Off, fixed(method, 0.1, 20.0)), "a");
            assert!(difference < 1e-8, "{inline:?}: {difference:e}");
        }
    }
}

/// The same with the inlined step as with the classical one in `numerics.rs`: near `x = 1` corrections are small because the
/// matrix is large, and no solution is near.
#[test]
fn fixed_steps_are_solved_although_corrections_are_small() {
    let text = "model M Real x(start = 0.5, fixed = true), y(start = 0, fixed = true);
      equation der(x) = if x >= 1 then 0 else 1/sqrt(1 - x); der(y) = x*y^2 + 1; end M;";
    for step in [0.1, 0.013, 0.001] {
        let run = run(text, Inline::ImplicitEuler, fixed(Method::ImplicitEuler, step, 0.5));
        let x = run.trajectory.get("x").expect("a variable of the model");
        assert!(x.windows(2).all(|w| w[1] >= w[0] - 1e-6), "{step}: {:?}", x.last());
    }
}

/// At rest where the matrix of the step is singular: with `h = 1/64` its only entry that counts is `1 - 2*32*h`.
#[test]
fn a_solution_is_one_where_the_matrix_is_singular() {
    let text = "model M Real p(start = 32, fixed = true), l(start = 0, fixed = true);
      equation der(p) = p^2 - 1024; der(l) = p; end M;";
    for inline in [Inline::ImplicitEuler, Inline::Off] {
        let run = run(text, inline, fixed(Method::ImplicitEuler, 1.0 / 64.0, 1.0));
        let p = run.trajectory.get("p").expect("a variable of the model");
        assert!(p.iter().all(|p| *p == 32.0), "{inline:?}: {p:?}");
    }
}

/// States that are not stiff where the run begins become so, at an event or slowly: then stability must not limit the steps. Without
/// another choice it took some 400,000 of them with the first model. The closed forms: `x` follows the cosine, and so does `y`.
#[test]
fn states_that_become_stiff_are_treated_so() {
    let at_an_event = "model M Real x(start = 1, fixed = true), y(start = 0, fixed = true);
      equation der(x) = -(if time > 1 then 2e5 else 2)*(x - cos(time)); der(y) = x^2 - y; end M;";
    let slowly = "model M Real x(start = 1, fixed = true), y(start = 0, fixed = true);
      equation der(x) = -exp(6*time)*(x^3 - cos(time)^3); der(y) = x^2 - y; end M;";
    for (text, from) in [(at_an_event, 1.0), (slowly, 0.2)] {
        let settings = Settings { stop: 2.0, interval: 0.1, method: Method::Bdf, ..Settings::default() };
        let run = run(text, Inline::Mixed, settings);
        let end = run.trajectory.get("x").and_then(|x| x.last().copied()).expect("a value");
        assert!((end - 2f64.cos()).abs() < 1e-4, "{end}");
        assert!(run.statistics.steps < 500, "{} steps", run.statistics.steps);
        let since = run.statistics.stiffer_since.expect("another choice");
        assert!(since >= from && since < 2.0, "{since}");
    }
    // A filter that is stiff from the start, and what is not and never will be.
    let early = "model M Real x(start = 1, fixed = true), y(start = 0, fixed = true);
      equation der(x) = -1e5*(x + x^3 - 2*cos(time)); der(y) = x^2 - y; end M;";
    let settings = Settings { stop: 2.0, interval: 0.1, method: Method::Bdf, ..Settings::default() };
    assert_eq!(run(early, Inline::Mixed, settings).statistics.stiffer_since, None);
}
