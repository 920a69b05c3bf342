//! What could stay hidden from a method that looks at the ends of its steps: corners of what a flow carries, and conditions
//! that begin to hold right behind an event. References are closed forms.

use std::sync::Arc;

use kausal::simulate::{self, Run};
use kausal::{Backend, Inline, Method, Options, Session, Settings};

/// Simulates the model `M` of a text.
fn run(text: &str, settings: &Settings) -> Run {
    run_inlined(text, Options::default().inline, settings)
}

fn run_inlined(text: &str, inline: Inline, settings: &Settings) -> Run {
    let mut session = Session::new();
    session.add_text("M.mo", text);
    let flat = session.flatten("M").expect("a correct model");
    let options = Options { inline, ..Options::default() };
    let program = session.translate(&flat, &options).expect("a regular model");
    let model = session.compile(program, Backend::Jit).expect("code");
    simulate::run(Arc::new(model), settings, &|_| true, None, &mut |_| true)
}

/// The largest distance of a variable from what it must be.
fn error(run: &Run, variable: &str, wanted: impl Fn(f64) -> f64) -> f64 {
    assert!(run.diagnostics.iter().all(|d| !d.is_error()), "{:?}", run.diagnostics);
    let values = run.trajectory.get(variable).expect("a variable of the model");
    let distances = run.trajectory.time.iter().zip(values).map(|(&t, value)| (value - wanted(t)).abs());
    distances.fold(0.0, |largest, d| if d > largest || d.is_nan() { d } else { largest })
}

const METHODS: [Method; 5] = [Method::Auto, Method::Bdf, Method::Radau, Method::Esdirk4, Method::Rosenbrock];

/// What enters a pipe has a corner at an event, and leaves with it: `x = 1` after 4 s.
#[test]
fn a_pipe_carries_corners() {
    let text = "model M
      Real left, right; Real y(start = 0, fixed = true);
    equation
      (left, right) = spatialDistribution(if time < 1 then 0 else 10*sin(time - 1), 0, time/4, true, {0, 1}, {0, 0});
      der(y) = right;
    end M;";
    let wanted = |t: f64| 10.0 * (1.0 - (t - 5.0).max(0.0).cos());
    for method in METHODS {
        for tolerance in [1e-4, 1e-6, 1e-8] {
            let settings = Settings { stop: 12.0, interval: 0.06, tolerance, method, ..Settings::default() };
            let off = error(&run(text, &settings), "y", wanted) / (tolerance * 20.0);
            assert!(off < 50.0, "{method} at {tolerance:e}: {off} tolerances");
        }
    }
}

/// The instant of an event is kept, and what lasts from then on begins right behind it: `t0 = 5 ln(5/4)`.
#[test]
fn what_begins_at_an_event_holds_behind_it() {
    let t0 = 5.0 * 1.25_f64.ln();
    for condition in ["time > t0", "not time <= t0", "time - t0 > 0"] {
        let text = format!(
            "model M
              Real x(start = 0, fixed = true), y(start = 0, fixed = true); discrete Real t0(start = 1e9, fixed = true);
            equation
              der(x) = 1 - 0.2*x;
              when x > 1 then t0 = time; end when;
              der(y) = if ({condition}) and time < t0 + 0.5 then 1 else 0;
            end M;"
        );
        let run = run(&text, &Settings { stop: 4.0, interval: 0.1, ..Settings::default() });
        let off = error(&run, "y", |t| (t - t0).clamp(0.0, 0.5));
        assert!(off < 1e-5, "{condition}: {off}");
    }
}

/// A ball that keeps little or much of its speed comes to rest at `t∞ = (v0 + u)/g + 2 u e/(g (1 - e))`, where it hits the ground first with
/// `u`. Its bounces become smaller than every tolerance and shorter than the clock can tell, and steps of order one made anything of
/// them: it fell through the ground, without a word.
#[test]
fn a_ball_that_comes_to_rest_does_not_fall_through_the_ground() {
    const G: f64 = 9.81;
    let u = (1.7_f64.powi(2) + 2.0 * G).sqrt();
    let ways = METHODS.map(|method| (Inline::Off, method));
    for (inline, method) in
        ways.into_iter().chain([(Inline::Bdf, Method::Bdf), (Inline::Radau, Method::Radau)])
    {
        for (e, tolerance) in
            [0.1, 0.3, 0.4, 0.6, 0.85].into_iter().flat_map(|e| [1e-4, 1e-6, 1e-8].map(|t| (e, t)))
        {
            let text = format!(
                "model M Real h(start = 1, fixed = true), v(start = 1.7, fixed = true);
                 equation der(h) = v; der(v) = -{G}; when h < 0 then reinit(v, -{e}*pre(v)); end when; end M;"
            );
            let settings = Settings { stop: 8.0, interval: 0.1, tolerance, method, ..Settings::default() };
            let run = run_inlined(&text, inline, &settings);
            let codes: Vec<&str> = run.diagnostics.iter().map(|d| d.code).collect();
            let which = format!("{e}, {inline:?} {method} at {tolerance:e}");
            assert_eq!(codes, ["K0513"], "{which}");
            let lowest = run.trajectory.get("h").expect("h").iter().copied().fold(0.0, f64::min);
            assert!(lowest > -tolerance, "{which}: {lowest}");
            // A bounce as high as the tolerance takes `√(8 tolerance/g)`, and with those behind it `1/(1 - e)` times that: twice as long is what
            // errors of that height can make of the end.
            let rest = (1.7 + u) / G + 2.0 * u * e / (G * (1.0 - e));
            let unknown = 2.0 * (8.0 * tolerance / G).sqrt() / (1.0 - e);
            assert!(
                (run.statistics.end - rest).abs() < unknown,
                "{which}: {} for {rest}",
                run.statistics.end
            );
        }
    }
}
