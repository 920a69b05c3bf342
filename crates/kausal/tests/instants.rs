//! Events whose instants are known in advance happen exactly then, each once.

use std::sync::Arc;

use kausal::{Backend, Session, Settings, simulate};

/// Steps of time as arguments of functions: the same events as outside of them.
#[test]
fn steps_of_time_in_arguments() {
    let text = "model M
      function shifted input Real x; output Real y; algorithm y := x; for i in 1:2 loop y := y + 1; end for; end shifted;
      function chosen input Real v[:]; input Integer n; output Real y; algorithm y := v[n]; end chosen;
      Real a = shifted(floor(3*time)), b = shifted(sqrt(mod(time, 0.3))), c = chosen({1, 2, 3, 4, 5}, integer(1 + 4*time));
      Real x(start = 0, fixed = true); equation der(x) = a; end M;";
    let mut session = Session::new();
    session.add_text("M.mo", text);
    let flat = session.flatten("M").expect("a correct model");
    let program = session.translate(&flat, &Default::default()).expect("a regular model");
    let model = session.compile(program, Backend::Jit).expect("code");
    let settings = Settings { stop: 0.8, interval: 0.1, ..Settings::default() };
    let run = simulate::run(Arc::new(model), &settings, &|_| true, None, &mut |_| true);
    assert!(run.diagnostics.is_empty(), "{:?}", run.diagnostics);
    assert_eq!((run.statistics.state_events, run.statistics.time_events), (0, 7));
    let time = &run.trajectory.time;
    let doubled: Vec<f64> = time.windows(2).filter(|w| w[0] == w[1]).map(|w| w[0]).collect();
    let wanted = [0.25, 0.3, 1.0 / 3.0, 0.5, 0.6, 2.0 / 3.0, 0.75];
    assert_eq!(doubled.len(), wanted.len(), "{doubled:?}");
    assert!(doubled.iter().zip(wanted).all(|(t, w)| (t - w).abs() <= 2.0 * f64::EPSILON), "{doubled:?}");
    let end = |name| run.trajectory.get(name).and_then(|v| v.last().copied()).unwrap_or(f64::NAN);
    assert_eq!((end("a"), end("c")), (4.0, 4.0));
    assert!((end("b") - 0.2f64.sqrt() - 2.0).abs() < 1e-12);
    // Two thirds of 2.5 on the mean, and 4 for the rest.
    assert!((end("x") - (5.0 / 3.0 + 4.0 * (0.8 - 2.0 / 3.0))).abs() < 1e-9);
}
