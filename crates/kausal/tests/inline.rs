//! Inline integration: what the paper shows (Elmqvist, Otter and Cellier 1995), convergence orders, and the same results as
//! with the classical interface.

use std::sync::Arc;

use kausal::simulate::{self, Run};
use kausal::summary::{self, Summary};
use kausal::{
    Backend, Experiment, Inline, JacobianMode, Method, Options, Program, Session, Settings, method_of,
};

fn translated(model: &str, text: &str, inline: Inline) -> (Session, Program, Experiment) {
    let mut session = Session::new();
    if !text.is_empty() {
        session.add_text("M.mo", text);
    }
    let flat = session.flatten(model).expect("a flat model");
    let options = Options { inline, ..Options::default() };
    let program = session.translate(&flat, &options).expect("a program");
    (session, program, flat.experiment)
}

fn summary(model: &str, text: &str, inline: Inline) -> Summary {
    let (session, program, _) = translated(model, text, inline);
    summary::of(&program, session.seconds)
}

fn iterated(model: &str, text: &str, inline: Inline) -> Vec<String> {
    summary(model, text, inline).inline.expect("an inlined step").iteration_variables
}

fn run(model: &str, text: &str, inline: Inline, settings: Settings) -> Run {
    let (mut session, program, _) = translated(model, text, inline);
    let compiled = session.compile(program, Backend::Jit).expect("code");
    simulate::run(Arc::new(compiled), &settings, &|_| true, None, &mut |_| true)
}

fn last(run: &Run, name: &str) -> f64 {
    assert!(run.diagnostics.is_empty(), "{:?}", run.diagnostics);
    let column = run.trajectory.get(name).unwrap_or_else(|| panic!("no {name}"));
    column[column.len() - 1]
}

/// The feedback example of the paper, "A more detailed example": a nonlinear plant, a controller with complex poles.
const FEEDBACK: &str = "model M
  parameter Real w = 3, D = 0.4, k = 2;
  Real x(start = 0.5, fixed = true), y, u, x1(start = 0, fixed = true), x2(start = 0, fixed = true);
equation
  der(x) = -x^3 + sin(x) + u + cos(time);
  y = x + x^3/3;
  der(x1) = x2;
  der(x2) = -2*w*D*x2 - w^2*x1 + w^2*y;
  u = -k*x1;
end M;";

#[test]
fn two_filters_in_series_need_no_iteration() {
    assert!(iterated("Kausal.Examples.TwoFilters", "", Inline::Bdf).is_empty());
    assert!(iterated("Kausal.Examples.TwoFilters", "", Inline::Radau).is_empty());
}

#[test]
fn second_order_systems_iterate_on_half_of_the_states() {
    let text = "model M parameter Integer n = 4; Real p[n](each start = 0.1, each fixed = true);
      Real v[n](each start = 0, each fixed = true);
    equation
      der(p) = v;
      for i in 1:n loop
        der(v[i]) = -sin(p[i]) - v[i]*abs(v[i]) + p[if i < n then i + 1 else 1]^2;
      end for;
    end M;";
    let names = iterated("M", text, Inline::Bdf);
    assert_eq!(names, ["v[1]", "v[2]", "v[3]", "v[4]"]);
    assert_eq!(iterated("M", text, Inline::Radau).len(), 12);
}

#[test]
fn the_feedback_example_iterates_on_one_of_seven() {
    let summary = summary("M", FEEDBACK, Inline::Bdf);
    let nonlinear: Vec<_> =
        summary.systems.iter().filter(|s| s.section == "discretized" && s.kind == "nonlinear").collect();
    assert_eq!(nonlinear.len(), 1);
    assert_eq!((nonlinear[0].size, nonlinear[0].torn), (7, 1));
    // The linear part: der(x2), x2 and x1 as in the paper, solved in closed form.
    let linear: Vec<_> =
        summary.systems.iter().filter(|s| s.section == "discretized" && s.kind == "linear").collect();
    assert_eq!(linear.len(), 1);
    assert_eq!((linear[0].size, linear[0].torn), (3, 0));
}

/// The worst cases of the paper: where no structure can be used, the same variables as in the classical interface. That the
/// iterates are the same is tested with the iteration, `kausal_solver::chord`.
#[test]
fn special_cases_iterate_on_what_the_classical_interface_does() {
    let ode = "model M Real x(start = 1, fixed = true), y(start = 0, fixed = true);
      equation der(x) = y*y - x^3; der(y) = -sin(x*y) - y^3; end M;";
    assert_eq!(iterated("M", ode, Inline::Bdf), ["x", "y"]);
    let dae = "model M Real x(start = 1, fixed = true), w(start = 0.5);
      equation der(x) + w^3 + exp(der(x))*w = x; w + w^5 = sin(x)*der(x) + der(x)^3; end M;";
    let mut names = iterated("M", dae, Inline::Bdf);
    names.sort();
    assert_eq!(names, ["der(x)", "w"]);
}

/// Runs with a fixed step and with half of it: the order that the errors show.
fn observed_order(inline: Inline, text: &str, exact: f64, h: f64, name: &str) -> f64 {
    let error = |h: f64| {
        let method = method_of(inline, true).expect("a method");
        let settings =
            Settings { stop: 1.0, interval: 1.0, method, fixed_step: Some(h), ..Settings::default() };
        (last(&run("M", text, inline, settings), name) - exact).abs()
    };
    (error(h) / error(h / 2.0)).log2()
}

/// A DAE with the solution x = exp(-t²), w = x + sin(t): the closed form is the oracle.
const DAE: &str = "model M Real x(start = 1, fixed = true), w;
  equation der(x) = -2*time*(w - sin(time)) - 3*(x^2 - exp(-2*time^2)); w^3 + w = (x + sin(time))^3 + x + sin(time);
  end M;";

/// The same through an event: at 0.5 the sign of the input changes. x' = -x³ u, so 1/x² grows by 2 u t: x = 1/√(1 + 2·0.5),
/// then 1/√(2 - 2·0.5·0.5) with u = -0.5.
const EVENT: &str = "model M Real x(start = 1, fixed = true); discrete Real u(start = 1, fixed = true);
  equation der(x) = -x^3*u; when time >= 0.5 then u = -0.5; end when; end M;";

#[test]
fn fixed_steps_converge_with_their_orders() {
    let dae = (-1f64).exp();
    let event = 1.0 / 1.5f64.sqrt();
    for (inline, order) in [(Inline::Euler, 1.0), (Inline::ImplicitEuler, 1.0), (Inline::Trapezoidal, 2.0)] {
        for (text, exact) in [(DAE, dae), (EVENT, event)] {
            let observed = observed_order(inline, text, exact, 1.0 / 64.0, "x");
            assert!((observed - order).abs() < 0.15, "{inline:?} shows order {observed} instead of {order}");
        }
    }
}

/// Radau IIA in steps of one size, on the DAE and through the event.
#[test]
fn radau_in_fixed_steps_has_its_order() {
    for (text, exact) in [(DAE, (-1f64).exp()), (EVENT, 1.0 / 1.5f64.sqrt())] {
        let error = |h: f64| {
            let method = method_of(Inline::Radau, true).expect("a method");
            // Only iterations depend on the tolerance.
            let settings = Settings {
                stop: 1.0,
                interval: 1.0,
                method,
                fixed_step: Some(h),
                tolerance: 1e-13,
                ..Settings::default()
            };
            (last(&run("M", text, Inline::Radau, settings), "x") - exact).abs()
        };
        let observed = (error(1.0 / 6.0) / error(1.0 / 12.0)).log2();
        assert!((observed - 5.0).abs() < 0.6, "order {observed}");
    }
}

/// Implicit Euler for the stiff state, explicit Euler for the other: exact numbers by hand. The stiff state after a step of size h
/// is (x + 1000 h y)/(1 + 1000 h) with the new y = y + h (x - y).
#[test]
fn mixed_steps_of_one_size() {
    let text = "model M Real x(start = 1, fixed = true), y(start = 0, fixed = true);
      equation der(x) = -1000*(x - y); der(y) = x - y; end M;";
    let h = 0.01;
    let mut session = Session::new();
    session.add_text("M.mo", text);
    let flat = session.flatten("M").expect("a flat model");
    let options = Options { inline: Inline::Mixed, stiff: Some(vec!["x".to_owned()]), ..Options::default() };
    let program = session.translate(&flat, &options).expect("a program");
    let compiled = session.compile(program, Backend::Jit).expect("code");
    let method = method_of(Inline::Mixed, true).expect("a method");
    let settings = Settings { stop: 0.1, interval: 0.1, method, fixed_step: Some(h), ..Settings::default() };
    let run = simulate::run(Arc::new(compiled), &settings, &|_| true, None, &mut |_| true);
    let (mut x, mut y) = (1.0, 0.0);
    for _ in 0..10 {
        y += h * (x - y);
        x = (x + 1000.0 * h * y) / (1.0 + 1000.0 * h);
    }
    assert!((last(&run, "x") - x).abs() < 1e-13, "{} and not {x}", last(&run, "x"));
    assert!((last(&run, "y") - y).abs() < 1e-13);
}

/// What is said of hints in an inlined step is said in its terms: `h` is `h`, and the derivative is a variable like others.
#[test]
fn hints_in_a_step_are_talked_about_in_its_terms() {
    let said = |text: &str| {
        let mut session = Session::new();
        session.add_text("M.mo", text);
        let flat = session.flatten("M").expect("a flat model");
        let options =
            Options { inline: Inline::Bdf, tearing: kausal::Tearing::Declared, ..Options::default() };
        let program = session.translate(&flat, &options).expect("a program");
        let names = summary::of(&program, session.seconds).inline.expect("a step").iteration_variables;
        (names, session.take_diagnostics())
    };
    let (names, diagnostics) = said(
        "model M Real x(start = 0.5, fixed = true);
         equation der(x) = -x - x^3 + sin(time) + residue(der(x)); end M;",
    );
    assert_eq!(names, ["der(x)"]);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let (_, diagnostics) = said(
        "model M Real x1(start = 1, fixed = true), x2(start = 0, fixed = true);
         equation der(x1) = x2; der(x2) = -sin(x1) - x2^3 + residue(x1); end M;",
    );
    let [d] = &diagnostics[..] else { panic!("{diagnostics:?}") };
    assert_eq!(d.code, "K0431");
    assert!(d.message.contains("x1 = old(x1) + x2*h\n"), "{}", d.message);
}

/// A jump that is no event ends every iteration. The message says where it is, and speaks of steps and not of start values.
#[test]
fn jumps_without_events_are_found() {
    let text = "model M Real x(start = 1, fixed = true), y(start = 0, fixed = true);
      equation
        der(x) = noEvent(if x > 0 then -1 else 1) + 0*y;
        der(y) = x^2 - y;
      end M;";
    for inline in [Inline::ImplicitEuler, Inline::Trapezoidal] {
        let method = method_of(inline, true).expect("a method");
        let settings = Settings { stop: 3.0, method, fixed_step: Some(0.01), ..Settings::default() };
        let run = run("M", text, inline, settings);
        let error = run.diagnostics.iter().find(|d| d.is_error()).expect("an error");
        assert_eq!(error.code, "K0520");
        assert!(!error.labels.is_empty(), "{inline:?}: no place in {error:?}");
        assert!(error.help.iter().any(|h| h.contains("no event")), "{error:?}");
    }
}

/// With few iterations a step of one size fails where it needs more, and the run says so.
#[test]
fn iterations_of_fixed_steps_are_bounded() {
    let text = "model M Real x(start = 1, fixed = true); equation der(x) = -100*exp(10*x); end M;";
    let with = |iterations: u32| {
        let method = method_of(Inline::ImplicitEuler, true).expect("a method");
        let settings =
            Settings { method, fixed_step: Some(1.0), iterations: Some(iterations), ..Settings::default() };
        run("M", text, Inline::ImplicitEuler, settings).diagnostics
    };
    assert!(with(2).iter().any(|d| d.is_error()));
    assert!(with(40).is_empty(), "{:?}", with(40));
}

/// Events at the ends of steps: the crossing at 0.35 is seen at 0.4, one of time at 0.52 at 0.6; located, where they are.
#[test]
fn events_may_wait_for_the_end_of_the_step() {
    let text = "model M Real x(start = 0, fixed = true);
        Real crossed(start = 0, fixed = true), timed(start = 0, fixed = true);
      equation der(x) = 1;
        when x > 0.35 then crossed = time; end when;
        when time > 0.52 then timed = time; end when; end M;";
    for (events_at_steps, crossed, timed) in [(true, 0.4, 0.6), (false, 0.35, 0.52)] {
        let method = method_of(Inline::ImplicitEuler, true).expect("a method");
        let settings = Settings { method, fixed_step: Some(0.1), events_at_steps, ..Settings::default() };
        let run = run("M", text, Inline::ImplicitEuler, settings);
        assert!((last(&run, "crossed") - crossed).abs() < 1e-9, "{}", last(&run, "crossed"));
        assert!((last(&run, "timed") - timed).abs() < 1e-9, "{}", last(&run, "timed"));
    }
}

/// The formulas of BDF, each with its own order and steps of one size, on the DAE and through the event.
#[test]
fn formulas_of_every_order_converge_with_it() {
    for (text, exact) in [(DAE, (-1f64).exp()), (EVENT, 1.0 / 1.5f64.sqrt())] {
        for order in 1..=5 {
            let error = |h: f64| {
                let settings = Settings {
                    stop: 1.0,
                    interval: 1.0,
                    method: method_of(Inline::Bdf, true).expect("a method"),
                    fixed_step: Some(h),
                    max_order: order,
                    ..Settings::default()
                };
                (last(&run("M", text, Inline::Bdf, settings), "x") - exact).abs()
            };
            let h = 1.0 / 64.0;
            let observed = (error(h) / error(h / 2.0)).log2();
            assert!((observed - order as f64).abs() < 0.4, "order {order} shows {observed}");
        }
    }
}

/// How fast the error falls with the number of steps, which is the order of the method: the slope through runs at five tolerances
/// between two. A single one of them may end next to the solution by luck.
fn order_by_work(inline: Inline, text: &str, exact: f64, max_order: usize, [coarse, fine]: [f64; 2]) -> f64 {
    let of = |k: i32| {
        let tolerance = coarse * (fine / coarse).powf(f64::from(k) / 4.0);
        let method = method_of(inline, false).expect("a method");
        let settings =
            Settings { stop: 1.0, interval: 1.0, method, tolerance, max_order, ..Settings::default() };
        let run = run("M", text, inline, settings);
        ((run.statistics.steps as f64).ln(), (last(&run, "x") - exact).abs().ln())
    };
    let runs: Vec<(f64, f64)> = (0..5).map(of).collect();
    let mean = |f: &dyn Fn(&(f64, f64)) -> f64| runs.iter().map(f).sum::<f64>() / 5.0;
    let (steps, error) = (mean(&|r| r.0), mean(&|r| r.1));
    mean(&|r| (r.0 - steps) * (error - r.1)) / mean(&|r| (r.0 - steps).powi(2))
}

/// BDF with its order bounded by k, and Radau: the error falls with the k-th power of the number of steps. Steps and orders
/// vary, also in the beginning and after the event, hence the wide margins; what is tested is that no order is lost.
#[test]
fn orders_of_variable_steps_are_those_of_the_formulas() {
    for (text, exact) in [(DAE, (-1f64).exp()), (EVENT, 1.0 / 1.5f64.sqrt())] {
        for order in 1..=5 {
            // Low orders need many steps: their tolerances are larger.
            let tolerances = match order {
                1 => [1e-4, 1e-6],
                2 => [1e-4, 1e-8],
                _ => [1e-6, 1e-10],
            };
            let observed = order_by_work(Inline::Bdf, text, exact, order, tolerances);
            assert!(observed > 0.75 * order as f64, "BDF of order {order} shows order {observed}");
            assert!(
                order > 2 || observed < 1.5 * order as f64,
                "BDF of order {order} shows order {observed}"
            );
        }
        let observed = order_by_work(Inline::Radau, text, exact, 5, [1e-4, 1e-9]);
        assert!(observed > 3.75, "Radau shows order {observed}");
    }
}

/// With a variable step the error falls with the tolerance; BDF and Radau agree with the closed form.
#[test]
fn variable_steps_keep_the_tolerance() {
    for inline in [Inline::Bdf, Inline::Radau, Inline::Rosenbrock, Inline::Mixed] {
        for (text, exact) in [(DAE, (-1f64).exp()), (EVENT, 1.0 / 1.5f64.sqrt())] {
            for tolerance in [1e-4, 1e-6, 1e-8] {
                let method = method_of(inline, false).expect("a method");
                let settings =
                    Settings { stop: 1.0, interval: 0.1, method, tolerance, ..Settings::default() };
                let error = (last(&run("M", text, inline, settings), "x") - exact).abs();
                assert!(error < 60.0 * tolerance, "{inline:?}, tolerance {tolerance}: error {error:e}");
            }
        }
    }
}

/// Compares all examples that are named, inlined with a method, with the classical interface.
fn assert_same(inline: Inline, tolerance: f64, models: &[&str]) {
    for name in models {
        let model = format!("Kausal.Examples.{name}");
        let (_, _, experiment) = translated(&model, "", Inline::Off);
        let stop = experiment.stop.unwrap_or(1.0);
        let of = |inline: Inline, tolerance: f64| {
            let method = method_of(inline, false).unwrap_or(Method::Auto);
            let interval = stop / 500.0;
            run(&model, "", inline, Settings { stop, interval, method, tolerance, ..Settings::default() })
        };
        let (on, off) = (of(inline, tolerance), of(Inline::Off, 1e-9));
        assert!(on.diagnostics.is_empty(), "{model} {inline:?}: {:?}", on.diagnostics);
        let tube = kausal::compare::Tube::default();
        let comparison = kausal::compare::compare(&on.trajectory, &off.trajectory, &tube, &|_| true);
        assert!(comparison.agrees(), "{model} {inline:?}: {:?}", comparison.worst());
    }
}

/// Everything of the library that is not chaotic or unstable: there small differences grow.
const EXAMPLES: [&str; 27] = [
    "TwoFilters",
    "MotorControl",
    "HeatedRod",
    "DoublePendulum",
    "StickSlip",
    "CoupledClutches",
    "DiodeRectifier",
    "Rectifier",
    "SampledControl",
    "SliderCrank",
    "SpringPendulum",
    "Thermostat",
    "TransmissionLine",
    "VanDerPol",
    "Reaction",
    "Stops",
    "ElasticDriveTrain",
    "BuckConverter",
    "FurutaPendulum",
    "Chain",
    "BondMotor",
    "Pendulum",
    "SeriesResonance",
    "CoolingBody",
    "HangingMass",
    "FourBar",
    "ActiveFilter",
];

#[test]
fn all_examples_give_the_results_of_the_classical_interface_with_bdf() {
    assert_same(Inline::Bdf, 1e-9, &EXAMPLES);
}

#[test]
fn all_examples_give_the_results_of_the_classical_interface_with_radau() {
    assert_same(Inline::Radau, 1e-9, &EXAMPLES);
}

/// The current of a diode is iterated on, and the charge of the capacitor hardly knows of it in a short step: what is exact enough for
/// that state, at a loose tolerance, is no solution of an exponential equation.
#[test]
fn diodes_at_loose_tolerances() {
    let text = "model M Real v, i, u(start = 0, fixed = true);
      equation i = 1e-9*(exp(v/0.025) - 1); 10*sin(50*time) = i + v + u; der(u) = i/0.01 - u/0.5; end M;";
    for inline in [Inline::Bdf, Inline::Radau, Inline::Rosenbrock, Inline::Mixed] {
        let method = method_of(inline, false).unwrap_or(Method::Auto);
        for tolerance in [1e-2, 5e-3, 1e-3, 5e-4] {
            for longest in [0.002, 0.005] {
                let (stop, interval, max_step) = (1.0, 0.1, Some(longest));
                let settings =
                    Settings { stop, interval, method, tolerance, max_step, ..Settings::default() };
                let found = run("M", text, inline, settings);
                let end = found.trajectory.get("u").and_then(|u| u.last().copied()).unwrap_or(f64::NAN);
                // From a run with tolerance 1e-10 and --inline off: 7.4195.
                let what = format!("{inline:?} {tolerance} {longest}: {end}, {:?}", found.diagnostics);
                assert!(found.diagnostics.is_empty() && (end - 7.4195).abs() < 0.2, "{what}");
            }
        }
    }
}

/// Inside the step time is another variable in each stage, and what varies may be all that is on the other side.
#[test]
fn time_and_what_is_held_alone_on_a_side() {
    let continuous = "model M Real x(start = 1, fixed = true); equation x + der(x) = time; end M;";
    let sampled = "model M Real x(start = 1, fixed = true); discrete Real d(start = 0, fixed = true); Integer n(start = 0, fixed = true);
      Real y(start = 0, fixed = true); equation when sample(0.5, 1) then d = 2; n = pre(n) + 3; end when;
      x + der(x) = d; n = y + der(y); end M;";
    // x = t - 1 + 2 exp(-t); and after 0.5: 2 + (exp(-0.5) - 2) exp(0.5 - t), 3 - 3 exp(0.5 - t).
    let decay = (-0.5f64).exp();
    for inline in
        [Inline::Off, Inline::ImplicitEuler, Inline::Bdf, Inline::Radau, Inline::Rosenbrock, Inline::Mixed]
    {
        let method = method_of(inline, false).unwrap_or(Method::Auto);
        let settings = Settings { stop: 1.0, interval: 0.1, method, tolerance: 1e-8, ..Settings::default() };
        let end = |text: &str, name: &str| {
            let found = run("M", text, inline, settings.clone());
            assert!(found.diagnostics.is_empty(), "{inline:?}: {:?}", found.diagnostics);
            found.trajectory.get(name).and_then(|v| v.last().copied()).unwrap_or(f64::NAN)
        };
        let wanted = [2.0 * (-1f64).exp(), 2.0 + (decay - 2.0) * decay, 3.0 - 3.0 * decay];
        let found = [end(continuous, "x"), end(sampled, "x"), end(sampled, "y")];
        for (found, wanted) in found.iter().zip(wanted) {
            assert!((found - wanted).abs() < 1e-5, "{inline:?}: {found} instead of {wanted}");
        }
    }
}

/// One correction at the point and two for each of the six stages, with one matrix: that is the method. It takes no more steps than the
/// classical interface, which has the Jacobian of all states.
#[test]
fn nothing_is_iterated_in_rosenbrock_methods() {
    for name in ["VanDerPol", "Reaction", "Robot"] {
        let model = format!("Kausal.Examples.{name}");
        let (_, _, experiment) = translated(&model, "", Inline::Off);
        let stop = experiment.stop.unwrap_or(1.0);
        let settings = Settings { stop, method: Method::Rosenbrock, tolerance: 1e-5, ..Settings::default() };
        let did = |inline| run(&model, "", inline, settings.clone()).statistics;
        let (on, off) = (did(Inline::Rosenbrock), did(Inline::Off));
        let attempts = on.steps + on.rejected;
        // Besides, some iterations look whether what happens inside a step was seen.
        let besides = on.newton_iterations - 13 * attempts;
        assert!(besides <= attempts / 10, "{name}: {besides} of {attempts}");
        assert!(on.jacobians - attempts <= attempts / 10, "{name}: {} of {attempts}", on.jacobians);
        assert_eq!(on.nonlinear_failures, 0, "{name}");
        // The classical interface looks at its matrix at the end of a step, too, and gives some up for that.
        assert!(on.steps <= off.steps + off.steps / 10, "{name}: {} and {}", on.steps, off.steps);
    }
}

#[test]
fn all_examples_give_the_results_of_the_classical_interface_with_rosenbrock() {
    assert_same(Inline::Rosenbrock, 1e-7, &EXAMPLES);
}

#[test]
fn all_examples_give_the_results_of_the_classical_interface_with_stiff_states_implicit() {
    assert_same(Inline::Mixed, 1e-8, &EXAMPLES);
}

#[test]
fn all_examples_give_the_results_of_the_classical_interface_by_themselves() {
    assert_same(Inline::Auto, 1e-9, &EXAMPLES);
}

/// The automatic choice agrees with what `bench/inline` measures of implicit steps (`docs/inline.md`, "classical BDF / inlined").
#[test]
fn inlining_is_chosen_where_it_pays() {
    let is_on = |name: &str| summary(&format!("Kausal.Examples.{name}"), "", Inline::Auto).inline.is_some();
    for name in ["Robot", "MotorControl", "TwoFilters", "HeatedRod", "TransmissionLine", "DiodeRectifier"] {
        assert!(is_on(name), "{name}");
    }
    let others = ["RobotArm", "ElasticDriveTrain", "Reaction", "VanDerPol", "SpringPendulum", "StickSlip"];
    for name in others {
        assert!(!is_on(name), "{name}");
    }
}

#[test]
fn the_robot_iterates_on_six_variables() {
    let summary = summary("Kausal.Examples.Robot", "", Inline::Bdf);
    assert_eq!(summary.states.len(), 66);
    assert!((1900..2700).contains(&summary.equations), "{} equations", summary.equations);
    assert_eq!(summary.inline.expect("inlined").iteration_variables.len(), 6);
}

#[test]
fn the_robot_iterates_on_eighteen_variables_with_radau() {
    assert_eq!(iterated("Kausal.Examples.Robot", "", Inline::Radau).len(), 18);
}

/// The matrix of the classical interface does not change what an inlined step does.
#[test]
fn inlined_steps_do_not_use_the_jacobian_of_the_states() {
    let settings = |jacobian| Settings { stop: 10.0, method: Method::Bdf, jacobian, ..Settings::default() };
    let of = |jacobian| run("Kausal.Examples.VanDerPol", "", Inline::Bdf, settings(jacobian)).statistics;
    assert_eq!(of(JacobianMode::Auto), of(JacobianMode::NumericDense));
}

/// All inlined methods: with steps of their own, and with steps of one size.
const WAYS: [(Inline, Option<f64>); 9] = [
    (Inline::Bdf, None),
    (Inline::Radau, None),
    (Inline::Rosenbrock, None),
    (Inline::Mixed, None),
    (Inline::Auto, None),
    (Inline::ImplicitEuler, None),
    (Inline::ImplicitEuler, Some(0.01)),
    (Inline::Trapezoidal, Some(0.01)),
    (Inline::Bdf, Some(0.01)),
];

/// A run that fails with one diagnostic, not before `at_least`; its message.
fn failure(text: &str, (inline, fixed_step): (Inline, Option<f64>), at_least: f64) -> String {
    let method = method_of(inline, fixed_step.is_some()).expect("a method");
    let settings = Settings { stop: 2.0, interval: 0.01, method, fixed_step, ..Settings::default() };
    let run = run("M", text, inline, settings);
    assert_eq!(run.diagnostics.len(), 1, "{inline:?} {fixed_step:?}: {:?}", run.diagnostics);
    let last = run.trajectory.time.last().copied().unwrap_or(f64::NAN);
    assert!(last > at_least && last < 1.01, "{inline:?} {fixed_step:?}: results until {last} are kept");
    assert_eq!(run.diagnostics[0].code, "K0520", "{inline:?} {fixed_step:?}");
    run.diagnostics[0].message.clone()
}

/// No solution: the diagnostic names the variables, and what was computed so far is kept.
#[test]
fn failures_name_the_variables_and_keep_the_results() {
    let text = "model M Real x(start = 0.5, fixed = true), w(start = 1);
      equation der(x) = 1; w^2 = 1 - x; end M;";
    for way in WAYS {
        let message = failure(text, way, 0.45);
        assert!(message.contains('w'), "{way:?}: {message}");
    }
}

/// A solution that ends: steps become smaller and smaller, and the diagnostic says of what. Steps of one size end where they have
/// no solution any more, a little before.
#[test]
fn a_solution_that_ends_is_said_and_kept() {
    let text = "model M Real x(start = 1, fixed = true), w; equation der(x) = w*x; w = x; end M;";
    for way in WAYS {
        // x = 1/(1 - t).
        let message = failure(text, way, if way.1.is_some() { 0.9 } else { 0.98 });
        assert!(message.contains('x'), "{way:?}: {message}");
    }
}

/// An iteration matrix that becomes singular: the diagnostic names the variables of the system.
#[test]
fn a_singular_iteration_is_said_and_results_are_kept() {
    // alpha and beta meet at 0.5 when x is 0.25, at time 0.5: the derivatives of the two equations are then the same.
    let text = "model M Real x(start = 0.2, fixed = true), alpha(start = 0.7), beta(start = 0.3);
      equation der(x) = 0.1*(alpha + beta); alpha + beta^3 = 1 - beta + beta^3;
        alpha*beta + (alpha*beta)^3 = x + x^3; end M;";
    for way in WAYS {
        let message = failure(text, way, 0.4);
        assert!(message.contains("alpha") || message.contains("beta"), "{way:?}: {message}");
    }
}

/// A characteristic given by two points is a line, also where a function with loops looks for the interval: the branch that is
/// taken decides the loop. Dynamics with it are linear, so nothing is iterated.
#[test]
fn a_table_of_two_points_is_a_line() {
    let text = "model M
      function table input Real x[:], y[size(x, 1)], u; output Real v; protected Integer i;
      algorithm
        i := 1;
        if u >= x[1] then
          while i < size(x, 1) and u >= x[i] loop i := i + 1; end while;
          i := i - 1;
        end if;
        assert(x[i + 1] > x[i], \"points must ascend\");
        v := y[i] + (y[i + 1] - y[i])*(u - x[i])/(x[i + 1] - x[i]);
      end table;
      parameter Real x[2] = {0, 1}, y[2] = {0.1, 0.3};
      Real w(start = 1, fixed = true), phi(start = 0, fixed = true);
    equation der(phi) = w; der(w) = -3*phi - table(x, y, w); end M;";
    assert!(iterated("M", text, Inline::Bdf).is_empty());
}

/// A motor with its current and a friction that is not linear in the speed, which moves a chain of pendulums through a spring.
const ELASTIC: &str = "model M
  parameter Integer n = 20;
  Real q[n](each start = 0.1, each fixed = true), v[n](each start = 0, each fixed = true), f[n + 1];
  Real p(start = 0.3, fixed = true), w(start = 0, fixed = true), i(start = 0, fixed = true), r;
equation
  f[1] = 5*(p - q[1]) + 0.1*(w - v[1]);
  for k in 2:n loop f[k] = 5*(q[k - 1] - q[k]) + 0.1*(v[k - 1] - v[k]); end for;
  f[n + 1] = 0;
  for k in 1:n loop
    der(q[k]) = v[k];
    der(v[k]) = f[k] - f[k + 1] - sin(q[k]);
  end for;
  der(p) = w;
  0.5*der(w) = i - r - f[1];
  0.1*der(i) = 2*sin(3*time) - i - 0.2*w;
  r = (0.3 + 0.5*exp(-w^2))*tanh(5*w);
end M;";

/// The speed of the motor is found inside, with its angle and its current; the pendulums are not, although each of them depends
/// on itself and its neighbours only.
#[test]
fn a_part_with_one_nonlinear_state_is_iterated_inside() {
    let summary = summary("M", ELASTIC, Inline::Bdf).inline.expect("inlined");
    assert_eq!(summary.inner_variables, ["w"]);
    assert_eq!(summary.iteration_variables.len(), 20);
    assert!(summary.iteration_variables.iter().all(|v| v.contains("v[")), "{summary:?}");
    let settings =
        |method, tolerance| Settings { stop: 5.0, interval: 0.05, method, tolerance, ..Settings::default() };
    let off = run("M", ELASTIC, Inline::Off, settings(Method::Bdf, 1e-10));
    for inline in [Inline::Bdf, Inline::Radau, Inline::Rosenbrock, Inline::Auto] {
        let on = run("M", ELASTIC, inline, settings(method_of(inline, false).expect("a method"), 1e-7));
        assert!(on.diagnostics.is_empty(), "{inline:?}: {:?}", on.diagnostics);
        for name in ["w", "i", "q[1]", "q[20]"] {
            let error = (last(&on, name) - last(&off, name)).abs();
            assert!(error < 1e-5, "{inline:?}: {name} is off by {error:e}");
        }
    }
}

/// A circuit, a motor and an inertia behind a spring are linear, but for a friction by a function that nobody can
/// differentiate, a table: its speed alone is iterated on.
#[test]
fn linear_parts_are_eliminated_behind_functions_without_derivatives() {
    let text = "class Table
      extends ExternalObject;
      function constructor
        input String file; input String name; input Real table[:, 2]; input Integer columns[1];
        output Table table_;
        external \"C\" table_ = ModelicaStandardTables_CombiTable1D_init2(file, name, table, size(table, 1), size(table, 2),
          columns, 1, 1, 2, 0);
      end constructor;
      function destructor input Table table_;
        external \"C\" ModelicaStandardTables_CombiTable1D_close(table_);
      end destructor;
    end Table;
    function look
      input Table table_; input Real u; output Real y;
      external \"C\" y = ModelicaStandardTables_CombiTable1D_getValue(table_, 1, u);
    end look;
    model M
      Table table = Table(\"NoName\", \"NoName\", [0, 0; 1, 0.1; 2, 0.4; 8, 9], {2});
      Real w(start = 1, fixed = true), phi(start = 0, fixed = true), wl(start = 0, fixed = true), i(start = 0, fixed = true);
      Real u1, i1, i2;
    equation
      der(phi) = w - wl; der(wl) = 50*phi; i1 = i + i2; u1 = 10 - 2*i1; u1 = 5*i2;
      0.01*der(i) = u1 - i - w;
      0.1*der(w) = i - 50*phi - look(table, w);
    end M;";
    assert_eq!(iterated("M", text, Inline::Bdf), ["w"]);
    let settings =
        |method| Settings { stop: 0.5, interval: 0.05, method, tolerance: 1e-8, ..Settings::default() };
    let (on, off) = (
        run("M", text, Inline::Bdf, settings(Method::Bdf)),
        run("M", text, Inline::Off, settings(Method::Bdf)),
    );
    assert!((last(&on, "w") - last(&off, "w")).abs() < 1e-6);
}

/// With the parameter of a friction characteristic known, its acceleration follows, but for a jump at zero speed: that is found
/// inside, and nothing else is iterated on.
#[test]
fn jumps_are_found_inside() {
    let text = "model M
      parameter Integer n = 5;
      Real s(start = 1), a, tau, w(start = 1, fixed = true), phi(start = 0, fixed = true);
      Boolean locked; Real q[n](each start = 0.1, each fixed = true), v[n](each start = 0, each fixed = true), b[n];
    equation
      locked = time > 10;
      der(phi) = w; der(w) = a;
      a = if locked then 0 else s - 0.01*sign(w);
      tau = if locked then s else 0.3*w^3;
      9*a + sum(b[k]*cos(phi - q[k]) for k in 1:n) = sin(time) + 5*(q[1] - phi) - tau;
      for k in 1:n loop
        der(q[k]) = v[k]; der(v[k]) = b[k];
        b[k]*(2 + cos(q[k])) + a*cos(q[k] - phi) = sin(q[k] - phi)*v[k]^2 - sin(q[k]) + w;
      end for;
    end M;";
    let summary = summary("M", text, Inline::Bdf).inline.expect("inlined");
    assert_eq!(summary.inner_variables, ["w"]);
    assert_eq!(summary.iteration_variables, ["s", "b[1]", "b[2]", "b[3]", "b[4]", "b[5]"]);
    let settings =
        |method| Settings { stop: 0.5, interval: 0.05, method, tolerance: 1e-8, ..Settings::default() };
    let (on, off) = (
        run("M", text, Inline::Bdf, settings(Method::Bdf)),
        run("M", text, Inline::Off, settings(Method::Bdf)),
    );
    assert!((last(&on, "w") - last(&off, "w")).abs() < 1e-6);
}

/// A fast filter before a slow one: found from the Jacobian at the start. Only the nonlinear stiff state is iterated on.
#[test]
fn stiff_states_are_found_or_named() {
    let text = "model M Real fast(start = 0, fixed = true), slow(start = 0, fixed = true), p(start = 0, fixed = true);
      equation der(fast) = -1e4*(fast + fast^3 - cos(time)); der(slow) = fast - slow^3; der(p) = slow; end M;";
    assert_eq!(iterated("M", text, Inline::Mixed), ["fast"]);
    let mut session = Session::new();
    session.add_text("M.mo", text);
    let flat = session.flatten("M").expect("a flat model");
    let mut with = |names: &[&str]| {
        let stiff = Some(names.iter().map(|n| n.to_string()).collect());
        let options = Options { inline: Inline::Mixed, stiff, ..Options::default() };
        (session.translate(&flat, &options), session.take_diagnostics())
    };
    let (program, said) = with(&["fast", "s*"]);
    assert!(program.is_some() && said.is_empty(), "{said:?}");
    assert_eq!(program.and_then(|p| p.discretized).expect("inlined").substituted.len(), 1);
    let (program, said) = with(&["fas"]);
    assert!(program.is_none());
    assert!(said[0].code == "K0910" && format!("{:?}", said[0]).contains("did you mean fast?"), "{said:?}");
}

/// A derivative that parameters or events determine is no unknown of the step, and no guess takes its place.
#[test]
fn derivatives_that_are_known_stay_known() {
    let text = "model M Real y(start = 0.5, fixed = true), x, z(start = 0, fixed = true); discrete Real u(start = 1, fixed = true);
      equation der(y) = 1; x = y^2; der(z) = u; when time > 0.25 then u = 3; end when; end M;";
    for inline in [Inline::ImplicitEuler, Inline::Bdf, Inline::Radau, Inline::Rosenbrock] {
        let method = method_of(inline, false).unwrap_or(Method::Auto);
        let run = run("M", text, inline, Settings { method, tolerance: 1e-8, ..Settings::default() });
        assert!(run.diagnostics.is_empty(), "{inline:?}: {:?}", run.diagnostics);
        let last = |name: &str| *run.trajectory.get(name).expect("a signal").last().expect("a value");
        for (name, value) in [("y", 1.5), ("x", 2.25), ("z", 0.25 + 3.0 * 0.75)] {
            assert!((last(name) - value).abs() < 1e-6, "{inline:?}: {name} = {}", last(name));
        }
    }
}

/// The generated C takes the same steps: it needs no memory but its struct, and no library but that of mathematics.
#[test]
fn the_step_in_c_takes_the_same_steps() {
    assert_same_in_c(FEEDBACK, "x", "x1");
}

/// So it does with an iteration inside the iteration.
#[test]
fn the_step_in_c_iterates_inside() {
    assert_same_in_c(ELASTIC, "w", "q[20]");
}

/// Compares the values of two variables after a thousand steps.
fn assert_same_in_c(model: &str, first: &str, second: &str) {
    let (_, program, _) = translated("M", model, Inline::ImplicitEuler);
    let slot = |name: &str| program.variables.iter().position(|v| v.name == name).expect("a variable");
    let (x, x1) = (slot(first), slot(second));
    let c = kausal_codegen::c::write(&program).expect("C");
    let includes: Vec<&str> = c.lines().filter(|l| l.starts_with("#include")).collect();
    assert_eq!(includes, ["#include <math.h>"]);
    assert!(!c.contains("alloc(") && !c.contains("printf"));
    let driver = format!(
        "#include <stdio.h>\nint main(void) {{ static model m; model_start(&m); if (model_parameters(&m)) return 1;\n\
         m.initial = 1; if (model_initial(&m)) return 2; m.initial = 0; m.time = 0;\n\
         for (int i = 0; i < 1000; i++) if (model_step(&m, 0.001)) return 3;\n\
         printf(\"%.17g %.17g\\n\", m.v[{x}], m.v[{x1}]); return 0; }}\n"
    );
    let folder = std::env::temp_dir().join(format!(
        "kausal-inline-{}-{}",
        std::process::id(),
        program.variables.len()
    ));
    std::fs::create_dir_all(&folder).expect("a folder");
    let (source, binary) = (folder.join("m.c"), folder.join("m"));
    std::fs::write(&source, format!("{c}\n{driver}")).expect("a file");
    let compiled = std::process::Command::new("cc")
        .args(["-std=c11", "-O1", "-o"])
        .arg(&binary)
        .arg(&source)
        .arg("-lm")
        .output();
    let compiled = match compiled {
        Ok(output) => output,
        // No compiler, no test.
        Err(_) => return,
    };
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    assert_calls_mathematics_only(&folder, &c);
    let output = std::process::Command::new(&binary).output().expect("a run");
    assert!(output.status.success(), "{:?}", output.status);
    let text = String::from_utf8_lossy(&output.stdout);
    let numbers: Vec<f64> = text.split_whitespace().map(|n| n.parse().expect("a number")).collect();
    let settings = Settings {
        stop: 1.0,
        interval: 1.0,
        method: Method::ImplicitEuler,
        fixed_step: Some(0.001),
        tolerance: 1e-10,
        ..Settings::default()
    };
    let run = run("M", model, Inline::ImplicitEuler, settings);
    // Both iterate to a tolerance, ours of 1e-12 relative, the other of a hundredth of 1e-10.
    for (number, name) in numbers.iter().zip([first, second]) {
        assert!((number - last(&run, name)).abs() < 1e-9, "{name}: {number} {}", last(&run, name));
    }
    std::fs::remove_dir_all(&folder).expect("removed");
}

/// What the C text of a model calls from outside are functions of `math.h`.
fn assert_calls_mathematics_only(folder: &std::path::Path, c: &str) {
    let (source, object) = (folder.join("alone.c"), folder.join("alone.o"));
    std::fs::write(&source, c).expect("a file");
    let run = |program: &str, arguments: &[&std::ffi::OsStr]| {
        std::process::Command::new(program).args(arguments).output()
    };
    let compiled =
        run("cc", &["-c".as_ref(), "-O1".as_ref(), source.as_ref(), "-o".as_ref(), object.as_ref()]);
    assert!(compiled.is_ok_and(|output| output.status.success()));
    // No such tool, no test.
    let Ok(output) = run("nm", &["-u".as_ref(), object.as_ref()]) else { return };
    let allowed = [
        "sin", "cos", "tan", "tanh", "exp", "log", "pow", "sqrt", "fabs", "fmin", "fmax", "memset", "memcpy",
    ];
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let name = line.split_whitespace().last().unwrap_or_default();
        // The linker's own, and what compilers make of loops.
        assert!(name.starts_with('_') || allowed.contains(&name), "the step calls {name}");
    }
}
