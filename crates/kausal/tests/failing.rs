//! Models that must fail while they run, each with the diagnostic it must give.
//!
//! The head of each file in `failing/` says `expect:` (codes; none for a run that ends well), `says:` (what the
//! messages must contain: a variable, the text of an assertion) and `recorded:` (results up to here are kept). Every
//! message says when it happened and names an equation, a condition or what must hold. What was recorded before the
//! last instant is always finite.

mod support;

use std::sync::Arc;
use std::time::Duration;

use kausal::{Backend, Inline, Method, Options, Session, Settings, method_of, render, simulate};
use support::{Outcome, notes};

fn check(name: &str, text: &str) -> Result<(), String> {
    let (session, diagnostics, outcome) = support::run(name, text);
    let rendered = render::text(&diagnostics, session.sources(), false);
    let Outcome::Ran(run) = outcome else { return Err(format!("it does not translate:\n{rendered}")) };
    let codes: Vec<&str> = diagnostics.iter().map(|d| d.code).collect();
    let expected: Vec<&str> = notes(text, "expect").into_iter().flat_map(str::split_whitespace).collect();
    if codes != expected {
        return Err(format!("expected {expected:?}, got {codes:?}\n{rendered}"));
    }
    for part in notes(text, "says") {
        if !diagnostics.iter().any(|d| contains_word(&d.message, part)) {
            return Err(format!("nothing said contains {part:?}:\n{rendered}"));
        }
    }
    // When, and in which equation: without them nobody knows where to look.
    for d in diagnostics.iter().filter(|d| d.is_error()) {
        let where_to_look = [
            "; the equation",
            "; the condition",
            "(chattering): ",
            "; what must hold is",
            "the initial condition ",
        ];
        if !d.message.contains(" time ") || !where_to_look.iter().any(|w| d.message.contains(w)) {
            return Err(format!("the time or the equation is missing:\n{rendered}"));
        }
    }
    for d in diagnostics.iter().filter(|d| d.code == "K0532") {
        if d.labels.is_empty() || !d.message.contains("; the equation") {
            return Err(format!("what leaves something open is not named:\n{rendered}"));
        }
    }
    let time = &run.trajectory.time;
    if let [recorded] = notes(text, "recorded")[..] {
        let wanted: f64 = recorded.parse().map_err(|_| format!("{recorded} is not a number"))?;
        let last = time.last().copied().unwrap_or(f64::NEG_INFINITY);
        if last < wanted {
            return Err(format!("recorded up to {last} instead of {wanted}"));
        }
    }
    let end = time.last().copied().unwrap_or_default();
    let kept = time.iter().filter(|t| **t < end).count();
    if run.trajectory.columns.iter().any(|column| column[..kept].iter().any(|v| !v.is_finite())) {
        return Err("what was recorded is not finite".into());
    }
    Ok(())
}

/// Does the text contain the part, not as a piece of a longer name?
fn contains_word(text: &str, part: &str) -> bool {
    let inside = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    text.match_indices(part).any(|(at, _)| {
        !inside(text[..at].chars().next_back()) && !inside(text[at + part.len()..].chars().next())
    })
}

#[test]
fn diagnostics_of_failing_runs() {
    let corpus = support::corpus("failing");
    assert!(corpus.len() >= 25, "{} models", corpus.len());
    let failures: Vec<String> = corpus
        .iter()
        .filter_map(|(name, text)| check(name, text).err().map(|what| format!("{name}: {what}")))
        .collect();
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

/// A run of an oscillator with a limit of real time, or watched by somebody who stops it.
fn watched(limit: Option<Duration>, progress: &mut dyn FnMut(f64) -> bool) -> simulate::Run {
    let text = "model M Real x(start = 1, fixed = true), v(start = 0, fixed = true); equation der(x) = v; der(v) = -x; end M;";
    let mut session = Session::new();
    session.add_text("M.mo", text);
    let flat = session.flatten("M").expect("a correct model");
    let program = session.translate(&flat, &Default::default()).expect("a regular model");
    let model = session.compile(program, Backend::Jit).expect("code");
    let settings = Settings { stop: 1e6, interval: 1.0, ..Settings::default() };
    simulate::run(Arc::new(model), &settings, &|_| true, limit, progress)
}

#[test]
fn a_time_limit_keeps_results() {
    // Seconds of work are asked for; on a busy machine a few milliseconds may pass before the first row.
    let run = watched(Some(Duration::from_millis(300)), &mut |_| true);
    assert_eq!(run.diagnostics.iter().map(|d| d.code).collect::<Vec<_>>(), ["K0521"]);
    assert!(run.trajectory.time.len() > 1 && run.statistics.end < 1e6);
}

#[test]
fn who_watches_may_stop() {
    let run = watched(None, &mut |time| time < 100.0);
    assert_eq!(run.diagnostics.iter().map(|d| d.code).collect::<Vec<_>>(), ["K0522"]);
    let last = run.trajectory.time.last().copied().unwrap_or_default();
    assert!((99.0..110.0).contains(&last), "{last}");
}

/// x grows without bound before the first step of this size ends: no state solves the step.
#[test]
fn steps_of_one_size_without_solution_name_a_state() {
    let text = "model M Real x(start = 1, fixed = true), y(start = 0, fixed = true);
      equation der(x) = exp(x^2) + y; der(y) = x; end M;";
    for method in [Method::ImplicitEuler, Method::Trapezoidal] {
        let mut session = Session::new();
        session.add_text("M.mo", text);
        let flat = session.flatten("M").expect("a correct model");
        let program = session.translate(&flat, &Default::default()).expect("a regular model");
        let model = session.compile(program, Backend::Jit).expect("code");
        let settings = Settings { stop: 5.0, method, fixed_step: Some(0.5), ..Settings::default() };
        let run = simulate::run(Arc::new(model), &settings, &|_| true, None, &mut |_| true);
        let [d] = &run.diagnostics[..] else { panic!("{method}: {:?}", run.diagnostics) };
        assert_eq!(d.code, "K0520");
        for part in ["did not converge, mostly because of x", "the equation is der(x) ="] {
            assert!(d.message.contains(part), "{method}: {}", d.message);
        }
    }
}

/// Simulates the model `M` of a text, with steps of its own.
fn run_inlined(text: &str, inline: Inline, settings: &Settings) -> simulate::Run {
    let mut session = Session::new();
    session.add_text("M.mo", text);
    let flat = session.flatten("M").expect("a correct model");
    let options = Options { inline, ..Options::default() };
    let program = session.translate(&flat, &options).expect("a regular model");
    let model = session.compile(program, Backend::Auto).expect("code");
    simulate::run(Arc::new(model), settings, &|_| true, None, &mut |_| true)
}

/// What an inlined step cannot solve is told in equations of the model, with the stage it belongs to, not in those of the method.
#[test]
fn inlined_steps_without_solution_speak_of_the_model() {
    let text = "model M Real x(start = 1, fixed = true), y(start = 0, fixed = true);
      equation der(x) = exp(x^2) + y; der(y) = x; end M;";
    for (inline, stage) in [
        (Inline::ImplicitEuler, ""),
        (Inline::Trapezoidal, ""),
        (Inline::Bdf, ""),
        (Inline::Radau, " in stage 3 of the step"),
    ] {
        let method = method_of(inline, true).expect("a method");
        let settings =
            Settings { stop: 5.0, method, max_order: 2, fixed_step: Some(0.5), ..Settings::default() };
        let run = run_inlined(text, inline, &settings);
        let [d] = &run.diagnostics[..] else { panic!("{method}: {:?}", run.diagnostics) };
        let parts = [
            format!("the iteration for x does not converge{stage}"),
            "the equation is der(x) = exp(x^2) + y".to_owned(),
        ];
        for part in parts {
            assert!(d.message.contains(&part), "{method}: {}", d.message);
        }
        for internal in ["old(", "factor of the derivatives", "Q1"] {
            assert!(!d.message.contains(internal), "{method}: {}", d.message);
        }
    }
}

/// Where steps become too small, whatever the method, a variable and its equation are named.
#[test]
fn too_small_steps_name_a_state() {
    let text = "model M Real x(start = 1, fixed = true), w(start = 2, fixed = true), q;
      equation der(x) = x^2; q = x + w; der(w) = -q; end M;";
    let methods = [
        Method::Auto,
        Method::Bdf,
        Method::Radau,
        Method::Esdirk3,
        Method::Esdirk4,
        Method::Rosenbrock,
        Method::DormandPrince,
    ];
    for (inline, method) in methods.map(|method| (Inline::Off, method)).into_iter().chain([
        (Inline::ImplicitEuler, Method::Bdf),
        (Inline::Bdf, Method::Bdf),
        (Inline::Radau, Method::Radau),
        (Inline::Rosenbrock, Method::Rosenbrock),
        (Inline::Mixed, Method::Bdf),
    ]) {
        let settings = Settings { stop: 5.0, method, ..Settings::default() };
        let run = run_inlined(text, inline, &settings);
        let [d] = &run.diagnostics[..] else { panic!("{method}: {:?}", run.diagnostics) };
        assert!(d.code == "K0520" && d.message.contains("; the equation"), "{method}: {}", d.message);
        assert!(["x", "w"].iter().any(|state| contains_word(&d.message, state)), "{method}: {}", d.message);
        assert!(run.trajectory.time.last().is_some_and(|t| *t > 0.9), "{method}: results are lost");
    }
}

/// The stages of a linear model are eliminated into formulas, and these are nobody's business.
#[test]
fn stages_without_a_slope_speak_of_the_model() {
    let text = "model M Real x(start = 1, fixed = true); equation (1 - time)*der(x) = 2 - x; end M;";
    let settings = Settings { stop: 5.0, method: Method::Radau, ..Settings::default() };
    let run = run_inlined(text, Inline::Radau, &settings);
    let [d] = &run.diagnostics[..] else { panic!("{:?}", run.diagnostics) };
    assert!(d.message.ends_with("the equation is (1 - time)*der(x) = 2 - x"), "{}", d.message);
}
