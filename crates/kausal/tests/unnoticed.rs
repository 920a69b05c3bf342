//! Events that decide nothing are none, and events that the continuous part does not read leave the integrator alone.

use std::sync::Arc;

use kausal::simulate::{self, Run};
use kausal::{Backend, Inline, Method, Options, Session, Settings};

fn run(text: &str, inline: Inline, method: Method) -> Run {
    let mut session = Session::new();
    session.add_text("M.mo", text);
    let flat = session.flatten("M").expect("a flat model");
    let options = Options { inline, ..Options::default() };
    let program = session.translate(&flat, &options).expect("a program");
    let compiled = session.compile(program, Backend::Jit).expect("code");
    let settings = Settings { stop: 12.0, interval: 0.5, method, tolerance: 1e-7, ..Settings::default() };
    let run = simulate::run(Arc::new(compiled), &settings, &|_| true, None, &mut |_| true);
    assert!(run.diagnostics.is_empty(), "{:?}", run.diagnostics);
    run
}

const WAYS: [(Inline, Method); 3] =
    [(Inline::Off, Method::Bdf), (Inline::Off, Method::Auto), (Inline::Bdf, Method::Bdf)];

const OSCILLATOR: &str = "Real x(start = 1, fixed = true), v(start = 0, fixed = true); equation der(x) = v; der(v) = -x;";

/// `x > 0.5` decides nothing while nothing is armed: no events.
#[test]
fn relations_that_decide_nothing_cause_no_events() {
    let text = format!(
        "model M Boolean armed(start = false, fixed = true), above; {OSCILLATOR}
         armed = time > 20; above = pre(armed) and x > 0.5; end M;"
    );
    for (inline, method) in WAYS {
        assert_eq!(run(&text, inline, method).statistics.state_events, 0, "{inline:?} {method}");
    }
}

/// What is armed at an event in between is seen from then on: x = cos(t) crosses 0.5 at 2π - π/3 = 5.236, then at 7.33 and
/// 11.52; the first crossing at 1.047 is before.
#[test]
fn relations_decide_again_when_the_rest_changes() {
    let text = format!(
        "model M Boolean armed(start = false, fixed = true), above; Integer n(start = 0, fixed = true); {OSCILLATOR}
         armed = time > 3; above = armed and x > 0.5;
         when change(above) then n = pre(n) + 1; end when; end M;"
    );
    for (inline, method) in WAYS {
        let run = run(&text, inline, method);
        let n = run.trajectory.get("n").expect("n");
        assert_eq!(n.last(), Some(&3.0), "{inline:?} {method}");
        let at = |value: f64| run.trajectory.time[n.iter().position(|&k| k == value).expect("counted")];
        for (k, exact) in [(1.0, 5.235_988), (2.0, 7.330_383), (3.0, 11.519_173)] {
            assert!((at(k) - exact).abs() < 1e-4, "{inline:?} {method}: crossing {k} at {}", at(k));
        }
    }
}

/// A counter of crossings that nothing continuous reads: the integrator takes the same steps as without it.
#[test]
fn events_that_nothing_continuous_reads_do_not_restart() {
    let alone = format!("model M {OSCILLATOR} end M;");
    let counted = format!(
        "model M Integer n(start = 0, fixed = true); {OSCILLATOR} when x > 0.5 then n = pre(n) + 1; end when; end M;"
    );
    for (inline, method) in WAYS {
        let (alone, counted) = (run(&alone, inline, method), run(&counted, inline, method));
        assert_eq!(counted.trajectory.get("n").and_then(|n| n.last().copied()), Some(2.0));
        assert_eq!(counted.statistics.steps, alone.statistics.steps, "{inline:?} {method}");
    }
}

/// One that is read restarts: the velocity is reversed, so the position has the mirror image of its way.
#[test]
fn events_that_change_states_do_restart() {
    let text = format!("model M {OSCILLATOR} when x < 0 then reinit(v, -v); end when; end M;");
    for (inline, method) in WAYS {
        let run = run(&text, inline, method);
        let x = run.trajectory.get("x").expect("x");
        let smallest = x.iter().copied().fold(f64::INFINITY, f64::min);
        assert!(smallest > -1e-6, "{inline:?} {method}: {smallest}");
        // |cos(12)|
        assert!((x[x.len() - 1] - 0.843_854).abs() < 1e-4, "{inline:?} {method}: {}", x[x.len() - 1]);
    }
}
