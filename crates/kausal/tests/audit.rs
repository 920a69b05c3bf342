//! The estimated errors of `--audit` against true ones, on models with known answers; and what it says of events.

#[path = "support/elliptic.rs"]
mod elliptic;
#[path = "audit/known.rs"]
mod known;

use std::sync::Arc;

use kausal::audit::{self, Audit, Incomplete};
use kausal::simulate::Output;
use kausal::{Backend, CompiledModel, Method, Session, Settings, Trajectory};
use known::{Known, models};

fn compiled(text: &str) -> Arc<CompiledModel> {
    let mut session = Session::new();
    session.add_text("M.mo", text);
    let flat = session.flatten("M").expect("a correct model");
    let program = session.translate(&flat, &Default::default()).expect("a regular model");
    Arc::new(session.compile(program, Backend::Auto).expect("code"))
}

/// The result of a run, and what its audit says.
fn outcome(text: &str, settings: &Settings) -> (Trajectory, Result<Audit, Incomplete>) {
    let mut trajectory = Trajectory::default();
    let outputs = vec![Output { wanted: &|_| true, sink: &mut trajectory, path: None }];
    let all = |_: &str| true;
    let (ended, outcome) =
        audit::run_into(&compiled(text), settings, &all, outputs, None, &mut |_| true, &|| false);
    assert!(ended.diagnostics.iter().all(|d| !d.is_error()), "{:?}", ended.diagnostics);
    (trajectory, outcome.expect("a run that did not fail"))
}

fn audited(text: &str, settings: &Settings) -> (Trajectory, Audit) {
    let (trajectory, outcome) = outcome(text, settings);
    (trajectory, outcome.unwrap_or_else(|i| panic!("{}", i.incomplete)))
}

/// A signal: its largest value, the true error and the estimated one.
struct Measured {
    what: String,
    size: f64,
    truth: f64,
    estimate: f64,
}

/// True errors are those at output points: instants that are there once.
fn measured(known: &Known, settings: &Settings) -> Vec<Measured> {
    let settings = Settings { stop: known.stop, interval: known.stop / 500.0, ..settings.clone() };
    let (trajectory, audit) = audited(&known.text, &settings);
    let time = &trajectory.time;
    let once =
        |i: &usize| (*i == 0 || time[i - 1] < time[*i]) && time.get(i + 1).is_none_or(|t| *t > time[*i]);
    let points: Vec<usize> = (0..time.len()).filter(once).collect();
    let of = |(name, truth): &(&'static str, Box<dyn Fn(f64) -> f64>)| {
        let values = trajectory.get(name).expect("a signal");
        let largest = |f: &dyn Fn(usize) -> f64| points.iter().map(|i| f(*i).abs()).fold(0.0, f64::max);
        Measured {
            what: format!("{} {name}", known.name),
            size: largest(&|i| values[i]),
            truth: largest(&|i| values[i] - truth(time[i])),
            estimate: audit.signal(name).expect("an estimate").error,
        }
    };
    known.truths.iter().map(of).collect()
}

/// The estimate is within a factor of ten of the true error for nine signals of ten, and below a tenth of it for at most one of a
/// hundred. Errors that are rounding in both runs say nothing about the estimate.
fn check(settings: &Settings) {
    const ROUNDING: f64 = 1e-13;
    let all: Vec<Measured> = models().iter().flat_map(|known| measured(known, settings)).collect();
    let told: Vec<&Measured> = all.iter().filter(|m| m.truth > ROUNDING * m.size).collect();
    let (mut near, mut below) = (0, 0);
    let mut listed = String::new();
    for m in &told {
        let ratio = m.estimate / m.truth;
        let within = (0.1..=10.0).contains(&ratio);
        near += usize::from(within);
        below += usize::from(ratio < 0.1);
        if !within {
            listed.push_str(&format!("  {}: true {:.1e}, estimated {:.1e}\n", m.what, m.truth, m.estimate));
        }
    }
    let what = format!(
        "{}, {:e}: {} signals, {near} near, {below} below\n{listed}",
        settings.method,
        settings.tolerance,
        told.len()
    );
    println!("{what}");
    assert!(told.len() >= 40, "{what}");
    assert!(near * 10 >= told.len() * 9, "{what}");
    assert!(below * 100 <= told.len(), "{what}");
}

#[test]
fn there_are_forty_models() {
    assert!(models().len() >= 40);
}

#[test]
fn estimates_at_default_settings() {
    check(&Settings::default());
}

#[test]
fn estimates_for_loose_tolerances() {
    check(&Settings { tolerance: 1e-4, ..Settings::default() });
}

#[test]
fn estimates_for_bdf() {
    check(&Settings { method: Method::Bdf, ..Settings::default() });
}

#[test]
fn estimates_for_radau() {
    check(&Settings { method: Method::Radau, tolerance: 1e-5, ..Settings::default() });
}

#[test]
fn estimates_for_tight_tolerances() {
    check(&Settings { tolerance: 1e-8, ..Settings::default() });
}

#[test]
fn estimates_for_rosenbrock() {
    check(&Settings { method: Method::Rosenbrock, ..Settings::default() });
}

/// A step that is far too long is seen, named and said; the band is as wide as the error.
#[test]
fn a_coarse_run_is_found_out() {
    let text = "model M Real x(start = 1, fixed = true), v(start = 0, fixed = true); equation der(x) = v; der(v) = -x; end M;";
    let settings = Settings {
        stop: 10.0,
        interval: 0.1,
        method: Method::ExplicitEuler,
        fixed_step: Some(0.01),
        ..Settings::default()
    };
    let (trajectory, audit) = audited(text, &settings);
    // Euler's circle grows by (1 + h²)^(t/2h) = exp(t h/2) to first order: by 0.05 at time 10.
    let error = audit.signal("x").expect("an estimate").error;
    assert!((0.03..0.07).contains(&error), "{error}");
    let said = audit.diagnostics();
    assert!(said.len() == 1 && said[0].code == "K0551" && said[0].message.contains(" x "), "{said:?}");
    let band = audit.band("x").expect("a band");
    assert_eq!(band.len(), trajectory.time.len());
    assert_eq!(band.iter().copied().fold(0.0, f64::max), error);
    assert!(audit.text().contains("\n  x "), "{}", audit.text());
}

/// A pulse inside a step of a run that looks at conditions only where steps end: the second run sees it, and says which condition
/// changed.
#[test]
fn an_event_that_the_run_misses_is_named() {
    let text = "model M Real x(start = 0, fixed = true), n(start = 0, fixed = true);
        equation der(x) = 1; der(n) = if abs(x - 0.505) < 0.0015 then 1000 else 0; end M;";
    let settings = Settings {
        method: Method::RungeKutta4,
        fixed_step: Some(0.25),
        interval: 0.25,
        events_at_steps: true,
        ..Settings::default()
    };
    let (_, audit) = audited(text, &settings);
    assert!(audit.events.only_in_audit == 2 && audit.events.only_in_run == 0, "{:?}", audit.events);
    assert!((audit.events.unmatched[0].time - 0.5035).abs() < 1e-6, "{:?}", audit.events);
    assert!((audit.signal("n").expect("an estimate").error - 3.0).abs() < 1e-3);
    let codes: Vec<&str> = audit.diagnostics().iter().map(|d| d.code).collect();
    assert_eq!(codes, ["K0551", "K0553"]);
}

/// An event that comes late by the error of the run is reported as a shift, and a signal that jumps there is not wrong by the
/// height of the jump.
#[test]
fn a_shifted_event_is_no_error_of_the_size_of_its_jump() {
    let text = "model M Real x(start = 0, fixed = true), u; Boolean high = x > 1; equation der(x) = exp(time) - x; u = if high then 100 else 0; end M;";
    // x = sinh(time), 1 at asinh(1).
    let settings = Settings {
        stop: 2.0,
        interval: 0.0005,
        method: Method::ExplicitEuler,
        fixed_step: Some(0.01),
        ..Settings::default()
    };
    let (_, audit) = audited(text, &settings);
    let [moved] = &audit.events.moved[..] else { panic!("{:?}", audit.events) };
    assert!(
        (moved.audit_time - 1.0f64.asinh()).abs() < 1e-7 && (moved.time - moved.audit_time) > 1e-3,
        "{moved:?}"
    );
    assert_eq!(audit.signal("u").expect("an estimate").error, 0.0);
    assert!(audit.events.only_in_run + audit.events.only_in_audit == 0);
    // 1e-4 of the two seconds is worth a word.
    assert!(audit.diagnostics().iter().any(|d| d.code == "K0553" && d.message.contains("moved")));
}

/// A condition that decides nothing is not searched for: that it is seen at some output point is no event that moved.
#[test]
fn what_decides_nothing_does_not_move() {
    let text = "model M Real x(start = 0, fixed = true); Boolean on = time > 10;
        Real y = if on then (if x > 0.5005 then 1 else 2) else 0; equation der(x) = 1; end M;";
    for interval in [0.1, 0.03] {
        let (_, audit) = audited(text, &Settings { interval, ..Settings::default() });
        assert!(audit.diagnostics().is_empty(), "{:?}", audit.diagnostics());
    }
}

/// A second run that fails is no failure of the run.
#[test]
fn an_audit_that_cannot_be_is_said() {
    // Both runs are kept in memory; so many numbers are not.
    let text = "model M Real x[100](each start = 1, each fixed = true); equation der(x) = -x; end M;";
    let settings = Settings { stop: 1e-3, interval: 1e-9, ..Settings::default() };
    let model = compiled(text);
    let none = |_: &str| true;
    let (ended, outcome) =
        audit::run_into(&model, &settings, &none, Vec::new(), None, &mut |_| false, &|| false);
    assert!(ended.diagnostics.iter().any(|d| d.is_error()), "it was stopped");
    let Some(Err(incomplete)) = outcome else { panic!("too many numbers") };
    assert!(incomplete.incomplete.contains("too many") && incomplete.diagnostic().code == "K0552");
}

/// With output points at every step, those of the run are those of its audit.
#[test]
fn every_step_may_be_an_output_point() {
    let text = "model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;";
    let settings = Settings { stop: 5.0, interval: 0.0, tolerance: 1e-4, ..Settings::default() };
    let (trajectory, audit) = audited(text, &settings);
    assert_eq!(audit.points(), trajectory.time.len());
    let values = trajectory.get("x").expect("x");
    let truth = trajectory.time.iter().zip(values).map(|(t, x)| (x - (-t).exp()).abs()).fold(0.0, f64::max);
    let ratio = audit.signal("x").expect("an estimate").error / truth;
    assert!((0.9..1.1).contains(&ratio), "{ratio}");
}
