//! `min` and `max` of variables in the run: who leaves them is named once, and nobody else.

use std::sync::Arc;

use kausal::{Backend, Diagnostic, Session, Settings, simulate};

/// The warnings about bounds when the model `M` of a text runs.
fn warnings(text: &str, settings: &Settings) -> Vec<String> {
    let mut session = Session::new();
    session.add_text("M.mo", text);
    let flat = session.flatten("M").expect("a correct model");
    let program = session.translate(&flat, &Default::default()).expect("a regular model");
    let model = session.compile(program, Backend::Jit).expect("code");
    let run = simulate::run(Arc::new(model), settings, &|_| true, None, &mut |_| true);
    assert!(run.diagnostics.iter().all(|d| !d.is_error()), "{:?}", run.diagnostics);
    let about_bounds = |d: Diagnostic| (d.code == "K0550").then_some(d.message);
    run.diagnostics.into_iter().filter_map(about_bounds).collect()
}

/// Output points every 0.1, up to 2.
fn settings() -> Settings {
    Settings { stop: 2.0, interval: 0.1, ..Settings::default() }
}

#[test]
fn a_variable_outside_its_bounds_is_named_once() {
    let said = warnings(
        "model M Real x(start = 1, fixed = true, min = 0); equation der(x) = -1; end M;",
        &settings(),
    );
    assert_eq!(said, ["x is -0.1 at time 1.1, below its min of 0, and goes to -1"]);
}

/// The bound is a parameter, and one that the initial problem finds; both sides are looked at.
#[test]
fn bounds_may_be_parameters() {
    let said = warnings(
        "model M parameter Real limit = 2; parameter Real low(fixed = false); Real x(min = low, max = limit + 1) = 4*time - 2;
         initial equation 2*low + 2 = 0; end M;",
        &settings(),
    );
    assert_eq!(
        said,
        ["x is -2 at time 0, below its min of -1", "x is 3.2 at time 1.3, above its max of 3, and goes to 6",]
    );
}

#[test]
fn discrete_variables_and_literals_have_bounds_too() {
    let said = warnings(
        "model M type Level = enumeration(low, middle, high); Integer n(max = 2, start = 0, fixed = true);
           Level level(max = Level.middle, start = Level.low, fixed = true);
         equation when sample(0.25, 0.5) then n = pre(n) + 1; level = if n > 3 then Level.high else Level.low; end when; end M;",
        &settings(),
    );
    assert_eq!(
        said,
        [
            "n is 3 at time 1.25, above its max of 2, and goes to 4",
            "level is high at time 1.75, above its max of middle"
        ]
    );
}

#[test]
fn parameters_are_looked_at_once() {
    let said = warnings(
        "model M parameter Real a = 3; parameter Real p(max = 5) = 2*a; Real x = p*time; end M;",
        &settings(),
    );
    assert_eq!(said, ["the parameter p is 6, above its max of 5"]);
}

/// What is written down is said when the model is read, or when it is set, and not a second time in the run.
#[test]
fn a_written_value_is_said_once() {
    let mut session = Session::new();
    session.add_text("M.mo", "model M parameter Real p(max = 5) = 1; Real x = p*time; end M;");
    let mut flat = session.flatten("M").expect("a correct model");
    assert!(session.set(&mut flat, &[("p".to_owned(), 7.0)]));
    let said: Vec<(&str, String)> =
        session.take_diagnostics().into_iter().map(|d| (d.code, d.message)).collect();
    assert_eq!(said, [("K0330", "p is set to 7, above its maximum 5".to_owned())]);
    assert!(
        warnings("model M parameter Real p(max = 5) = 7; Real x = p*time; end M;", &settings()).is_empty()
    );
}

/// Errors of the size of the tolerance are no violation: a decaying state swings around zero by as much, and a state that is
/// bounded where it ends comes as near as the tolerance. Neither are infinite bounds.
#[test]
fn the_accuracy_of_the_run_is_no_violation() {
    let text = "model M Real x(start = 1, fixed = true, min = 0), y(start = 0, fixed = true, max = 1000, nominal = 1000);
           Real s(max = 1) = sin(7*time), free(min = -1e400) = -time;
         equation der(x) = -300*x; der(y) = 20*(1000 - y); end M;";
    for tolerance in [1e-3, 1e-6, 1e-9] {
        let said = warnings(text, &Settings { tolerance, ..settings() });
        assert!(said.is_empty(), "{tolerance}: {said:?}");
    }
}

/// Variables that are always equal, or opposite, each by its own declaration; with the same bound one speaks for all.
#[test]
fn aliases_have_their_own_bounds() {
    let said = warnings(
        "model M model Part Real u(min = 0); end Part; Part a, b; Real x = 1 - time; Real y(min = -0.5) = -x;
         equation a.u = x; b.u = x; end M;",
        &settings(),
    );
    assert_eq!(
        said,
        [
            "y is -1 at time 0, below its min of -0.5",
            "a.u (and one more variable, always equal) is -0.1 at time 1.1, below its min of 0, and goes to -1",
        ]
    );
}

/// A jump out of the bounds and back is seen at its events, between output points.
#[test]
fn events_are_looked_at() {
    let said = warnings(
        "model M Real x(max = 1) = if time > 0.55 and time < 0.56 then 5 else 0; end M;",
        &settings(),
    );
    assert_eq!(said, ["x is 5 at time 0.55, above its max of 1"]);
}

#[test]
fn many_are_counted() {
    let said = warnings("model M Real x[20](each max = 1) = {i*time for i in 1:20}; end M;", &settings());
    assert_eq!(said.len(), 13);
    assert_eq!(
        said.last().map(String::as_str),
        Some("8 more variables leave their bounds (min, max) in this run")
    );
}
