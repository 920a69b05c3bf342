//! Runs that are carried on step by step, with values set in between.

use std::sync::Arc;

use kausal::{Backend, CompiledModel, Options, Session, Settings, tune};
use kausal_runtime::inputs::Signal;
use kausal_runtime::tunable::Refused;
use kausal_runtime::{Machine, NotSet, Observer, RunError, Simulator};
use kausal_solver::Method;
use kausal_symbolic::VarId;

fn compiled(session: &mut Session, name: &str) -> Arc<CompiledModel> {
    let flat = session.flatten(name).expect("a correct model");
    let program = session.translate(&flat, &Options::default()).expect("a program");
    Arc::new(session.compile(program, Backend::Interpreter).expect("code"))
}

fn model(text: &str) -> Arc<CompiledModel> {
    let mut session = Session::new();
    session.add_text("M.mo", text);
    compiled(&mut session, "M")
}

/// Instants and the value of one variable.
#[derive(Default)]
struct Rows(Option<VarId>, Vec<(f64, f64)>);

impl Observer for Rows {
    fn record(&mut self, machine: &Machine) {
        self.1.push((machine.time, self.0.map_or(0.0, |v| machine.value(v))));
    }
}

fn started(model: &Arc<CompiledModel>, settings: &Settings) -> Simulator {
    let mut simulator = Simulator::new(model.clone(), settings.clone());
    simulator.initialise(&mut Rows::default()).expect("initial values");
    simulator
}

fn variable(simulator: &Simulator, name: &str) -> VarId {
    tune::find(&simulator.model().program, name).expect("a variable")
}

fn value(simulator: &Simulator, name: &str) -> f64 {
    simulator.value(variable(simulator, name)).expect("a value")
}

fn go(simulator: &mut Simulator, t: f64) {
    simulator.advance_to(t, &mut Rows::default()).expect("a run");
    assert!((simulator.time() - t).abs() <= 1e-12 * t.abs(), "{} is not {t}", simulator.time());
}

fn set(simulator: &mut Simulator, name: &str, value: f64) {
    let v = variable(simulator, name);
    simulator.set(v, value).expect("settable");
}

/// Events, samples, delays, friction, clocks, a changing choice of states: a run in parts makes the steps of one without a pause, and
/// ends where that ends, but for what Newton's iteration leaves open when values are asked for in between.
#[test]
fn a_run_in_parts_makes_the_same_steps() {
    let models = [
        "BouncingBall",
        "FurutaPendulum",
        "RC",
        "Robot",
        "SampledControl",
        "Rectifier",
        "StickSlip",
        "Thermostat",
    ];
    let known: Vec<String> = kausal::examples::examples().into_iter().map(|(name, _)| name).collect();
    let mut compared = 0;
    for name in &known {
        let last = name.rsplit('.').next().expect("a name");
        if !models.contains(&last) {
            continue;
        }
        let mut session = Session::new();
        let model = compiled(&mut session, name);
        let stop = 0.3 * model.program.experiment.stop.unwrap_or(1.0);
        for method in [Method::Auto, Method::Bdf, Method::Esdirk4] {
            let settings = Settings { stop, interval: stop / 20.0, method, ..Settings::default() };
            let (whole, outcome) = kausal_runtime::simulate(model.clone(), &settings, &mut Rows::default());
            outcome.expect("a run");
            let mut simulator = started(&model, &settings);
            for k in 1..=17 {
                go(&mut simulator, stop * f64::from(k) / 17.0);
            }
            simulator.finish(&mut Rows::default()).expect("an end");
            let parts = simulator.statistics();
            let events = |s: &kausal_runtime::Statistics| (s.state_events, s.time_events);
            assert_eq!(events(&parts), events(&whole), "{name} {method}");
            // An evaluation more may find a defect that others have missed.
            let most = whole.steps + whole.steps / 10 + 5;
            assert!(parts.steps <= most, "{name} {method}: {} steps, not {}", parts.steps, whole.steps);
            compared += 1;
        }
    }
    assert!(compared >= 12, "{compared}");
}

/// `x' = u`, one held at 0 up to 0.3 and at 2 from there: 1.4 at time one, with every method.
#[test]
fn an_input_that_is_set_is_an_event() {
    let model = model("model M input Real u; Real x(start = 0, fixed = true); equation der(x) = u; end M;");
    for (method, step) in [
        (Method::Auto, None),
        (Method::Bdf, None),
        (Method::Radau, None),
        (Method::DormandPrince, None),
        (Method::Rosenbrock, None),
        (Method::RungeKutta4, Some(0.07)),
        (Method::ImplicitEuler, Some(0.07)),
    ] {
        let settings = Settings { method, fixed_step: step, ..Settings::default() };
        let mut simulator = started(&model, &settings);
        go(&mut simulator, 0.3);
        set(&mut simulator, "u", 2.0);
        go(&mut simulator, 1.0);
        assert!((value(&simulator, "x") - 1.4).abs() < 1e-6, "{method}: {}", value(&simulator, "x"));
        assert_eq!(value(&simulator, "u"), 2.0);
    }
}

/// A signal from 0.5 on: `u = 1 + 2 (t - 0.5)`, so `x(1.5) = 0.5 + 1 + 1`; a jump to zero at 1 in it is an event: 0.5 + 0.5 + 0.25.
#[test]
fn an_input_may_take_a_signal_on_the_way() {
    let model = model(
        "model M input Real u(start = 1); Real x(start = 0, fixed = true); equation der(x) = u; end M;",
    );
    for (times, values, wanted) in
        [(vec![0.5, 1.5], vec![1.0, 3.0], 2.5), (vec![0.5, 1.0, 1.0, 1.5], vec![1.0, 2.0, 0.0, 0.0], 1.25)]
    {
        let mut simulator = started(&model, &Settings { stop: 1.5, ..Settings::default() });
        go(&mut simulator, 0.5);
        let u = variable(&simulator, "u");
        let signal = Signal::points(&times, &values, false).expect("points");
        simulator.set_signal(u, signal).expect("an input");
        go(&mut simulator, 1.5);
        assert!((value(&simulator, "x") - wanted).abs() < 1e-6, "{}", value(&simulator, "x"));
    }
}

/// `m = 2 k` follows `k`; a matrix of constants is factorised again: `x1' = 2 k`, `y` from a linear system with `k`.
#[test]
fn parameters_that_are_set_hold_from_there_on() {
    let model = model(
        "model M parameter Real k = 1; parameter Real m = 2*k; Real x(start = 0, fixed = true); Real a; Real b;
           equation der(x) = m; k*a + b = 3; a - k*b = time; end M;",
    );
    let mut simulator = started(&model, &Settings::default());
    go(&mut simulator, 0.25);
    assert!((value(&simulator, "x") - 0.5).abs() < 1e-9);
    set(&mut simulator, "k", 3.0);
    simulator.settle(&mut Rows::default()).expect("an event");
    assert_eq!((value(&simulator, "m"), value(&simulator, "x")), (6.0, value(&simulator, "x")));
    go(&mut simulator, 1.0);
    assert!((value(&simulator, "x") - 5.0).abs() < 1e-8, "{}", value(&simulator, "x"));
    // 3 a + b = 3, a - 3 b = 1.
    assert!((value(&simulator, "a") - 1.0).abs() < 1e-9 && value(&simulator, "b").abs() < 1e-9);
}

/// A delay of 0.25 of an input that jumps at 0.3: `x(1) = 0.45`, whatever is asked for in between.
#[test]
fn the_past_goes_on() {
    let model = model(
        "model M input Real u; Real y = delay(u, 0.25); Real x(start = 0, fixed = true); equation der(x) = y; end M;",
    );
    let mut simulator = started(&model, &Settings::default());
    for k in 1..=3 {
        go(&mut simulator, 0.1 * f64::from(k));
    }
    set(&mut simulator, "u", 1.0);
    for k in 4..=20 {
        go(&mut simulator, 0.05 * f64::from(k).max(6.5));
    }
    assert!((value(&simulator, "x") - 0.45).abs() < 1e-6, "{}", value(&simulator, "x"));
}

/// Ticks every 0.1 up to 0.45, then every 0.25: at 0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1.
#[test]
fn samples_are_counted_on_and_their_interval_may_change() {
    let model = model(
        "model M parameter Real T = 0.1; discrete Integer n(start = 0, fixed = true);
           equation when sample(0, T) then n = pre(n) + 1; end when; end M;",
    );
    let mut simulator = started(&model, &Settings { stop: 2.0, ..Settings::default() });
    go(&mut simulator, 0.3);
    assert_eq!(value(&simulator, "n"), 4.0);
    go(&mut simulator, 0.45);
    set(&mut simulator, "T", 0.25);
    go(&mut simulator, 1.05);
    assert_eq!(value(&simulator, "n"), 8.0);
}

/// A ball that is thrown up on its way, and one that bounces beyond the end that was said: energy, in the head.
#[test]
fn states_are_set_and_a_run_goes_on_behind_its_end() {
    let model = model(
        "model M Real h(start = 1, fixed = true); Real v(start = 0, fixed = true); Integer n(start = 0, fixed = true);
           equation der(h) = v; der(v) = -10; when h < 0 then reinit(v, -pre(v)); n = pre(n) + 1; end when; end M;",
    );
    let mut simulator = started(&model, &Settings { stop: 0.5, tolerance: 1e-8, ..Settings::default() });
    go(&mut simulator, 0.1);
    set(&mut simulator, "v", 0.0);
    set(&mut simulator, "h", 1.8);
    // It falls for 0.6, and comes back after 1.2.
    go(&mut simulator, 0.69);
    assert_eq!(value(&simulator, "n"), 0.0);
    go(&mut simulator, 0.71);
    assert_eq!(value(&simulator, "n"), 1.0);
    go(&mut simulator, 1.3);
    assert!((value(&simulator, "h") - 1.8).abs() < 1e-4, "{}", value(&simulator, "h"));
    go(&mut simulator, 1.91);
    assert_eq!(value(&simulator, "n"), 2.0);
}

/// Records: at the start, at each instant asked for, before and behind an event, and once where nothing happens.
#[test]
fn what_is_asked_for_is_recorded_once() {
    let model = model("model M input Real u; Real x(start = 0, fixed = true); equation der(x) = u; end M;");
    let mut simulator = Simulator::new(model.clone(), Settings { interval: 0.4, ..Settings::default() });
    let mut rows = Rows(Some(tune::find(&model.program, "u").expect("u")), Vec::new());
    simulator.initialise(&mut rows).expect("initial values");
    simulator.advance_to(0.3, &mut rows).expect("a run");
    let u = variable(&simulator, "u");
    simulator.set(u, 1.0).expect("an input");
    simulator.advance_to(0.3, &mut rows).expect("an event");
    simulator.advance_to(0.5, &mut rows).expect("a run");
    simulator.finish(&mut rows).expect("an end");
    assert_eq!(rows.1, [(0.0, 0.0), (0.3, 0.0), (0.3, 1.0), (0.4, 1.0), (0.5, 1.0)]);
    assert_eq!(simulator.statistics().end, 0.5);
}

#[test]
fn what_cannot_be_set_is_refused() {
    let model = model(
        "model M parameter Integer n = 2; parameter Real k = 1; input Real u; Real x(start = 0, fixed = true); Real y = 2*u;
           Real z[n] = fill(time, n); Real r(start = 1);
         equation der(x) = k; r^2 = k + x^2; end M;",
    );
    let mut simulator = Simulator::new(model, Settings::default());
    let [n, k, u, x, y] = ["n", "k", "u", "x", "y"].map(|name| variable(&simulator, name));
    assert!(matches!(simulator.set(n, 3.0), Err(NotSet::Refused(Refused::Structural(..)))));
    simulator.set(x, 5.0).expect("a start value");
    simulator.set(u, 7.0).expect("an input");
    simulator.initialise(&mut Rows::default()).expect("initial values");
    assert_eq!((value(&simulator, "x"), value(&simulator, "y")), (5.0, 14.0));
    assert_eq!(simulator.set(y, 3.0), Err(NotSet::Computed(y)));
    assert!(matches!(simulator.set(n, 3.0), Err(NotSet::Refused(Refused::Structural(..)))));
    assert!(matches!(simulator.set(k, -3.0), Err(NotSet::Refused(Refused::Sign(_)))));
    assert!(simulator.set(u, "text").is_err());
    simulator.set(k, 3.0).expect("a parameter");
    go(&mut simulator, 1.0);
    assert!((value(&simulator, "x") - 8.0).abs() < 1e-9);
}

#[test]
fn a_model_that_ends_itself_comes_no_farther() {
    let model = model(
        "model M Real x(start = 0, fixed = true); equation der(x) = 1; when x > 0.5 then terminate(\"full\"); end when; end M;",
    );
    let mut simulator = started(&model, &Settings::default());
    go(&mut simulator, 0.4);
    assert!(!simulator.is_terminated());
    simulator.advance_to(0.8, &mut Rows::default()).expect("a run");
    assert!(simulator.is_terminated() && (simulator.time() - 0.5).abs() < 1e-6);
    assert_eq!(simulator.statistics().terminated.as_deref(), Some("full"));
}

#[test]
fn a_run_that_was_not_started_says_so() {
    let model = model("model M Real x = time; end M;");
    let mut simulator = Simulator::new(model, Settings::default());
    assert!(matches!(simulator.advance_to(0.5, &mut Rows::default()), Err(RunError::Stopped(_))));
    assert_eq!(simulator.value(VarId(0)), None);
}
