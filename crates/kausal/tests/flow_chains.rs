//! Flows through components one after the other: chains of `semiLinear`, conditions that are decided before anything is sorted,
//! and what is continuous by its own word. Closed forms.

use std::sync::Arc;

use kausal::runner::{Finished, Runner};
use kausal::{Backend, Options, Session, Settings, summary};

fn run(text: &str, stop: f64) -> (Finished, usize) {
    let mut session = Session::new();
    session.add_text("M.mo", text);
    let flat = session.flatten("M").unwrap_or_else(|| panic!("{:?}", session.take_diagnostics()));
    let options = Options::default();
    let program =
        session.translate(&flat, &options).unwrap_or_else(|| panic!("{:?}", session.take_diagnostics()));
    let systems = summary::of(&program, kausal::session::Seconds::default()).systems.len();
    let model = session.compile(program, Backend::Interpreter).expect("code");
    let runner = Runner::new(Arc::new(model)).recovering(&flat, &options).backend(Backend::Interpreter);
    let settings = Settings { stop, interval: stop / 20.0, ..Settings::default() };
    (runner.settings(settings).run(&mut ()).expect("a run"), systems)
}

/// The levels between components are those of where the flow comes from, also in the half of the time where nothing flows: no
/// system, nothing left open.
#[test]
fn levels_in_a_chain_come_from_upstream() {
    for (flow, name) in
        [("sin(6.283185307179586*time)", "to and fro"), ("max(0, time - 0.5)", "none at first")]
    {
        let text = format!(
            "connector Port Real p; flow Real m; Real h; flow Real H; end Port;
             model Pipe Port a, b; Real h(start = 0); equation a.m + b.m = 0; a.H + b.H = 0; a.p = b.p;
               a.H = semiLinear(a.m, a.h, h); b.H = semiLinear(b.m, b.h, h); end Pipe;
             partial model End parameter Real h = 1; Port port; equation port.H = semiLinear(port.m, port.h, h); end End;
             model Source extends End; input Real m; equation port.m = -m; end Source;
             model Sink extends End; equation port.p = 1; end Sink;
             model M Real flowing = {flow}; Source left(h = 3, m = flowing); Sink right(h = 7); Pipe one, two;
             equation connect(left.port, one.a); connect(one.b, two.a); connect(two.b, right.port); end M;"
        );
        let (run, systems) = run(&text, 1.0);
        assert!(run.is_complete() && run.ended.diagnostics.is_empty(), "{name}: {:?}", run.ended.diagnostics);
        assert_eq!(systems, 0, "{name}");
        let of = |signal: &str| run.trajectory.get(signal).unwrap_or_else(|| panic!("no {signal}"));
        let flows = of("flowing");
        for level in ["one.a.h", "one.h", "one.b.h", "two.h", "two.b.h"] {
            for (h, flow) in of(level).iter().zip(&flows) {
                let from = if *flow >= 0.0 { 3.0 } else { 7.0 };
                let is_rounding = *flow != 0.0 && flow.abs() < 1e-12;
                assert!(
                    (h - from).abs() < 1e-12 || is_rounding,
                    "{name}: {level} is {h} at a flow of {flow}"
                );
            }
        }
        let carried = of("one.a.H");
        assert!(
            carried
                .iter()
                .zip(&flows)
                .all(|(c, m)| { (c - m * if *m >= 0.0 { 3.0 } else { 7.0 }).abs() < 1e-12 })
        );
    }
}

/// Whether a port is below the level is known here, and with it that the pressure is given: a piston whose gas comes from outside.
#[test]
fn conditions_between_numbers_are_decided_before_index_reduction() {
    let text = "model M parameter Real pStart = 101325;
      Real level = 0, height[1], p(start = pStart), m, mass, V = 2 + sin(time); Boolean below[1];
      equation height = {0}; below[1] = level >= height[1];
      der(mass) = m; mass = p*V/1e5; 0 = if below[1] then p - 1e5 else m; end M;";
    let (run, _) = run(text, 1.0);
    assert!(run.is_complete() && run.ended.diagnostics.is_empty(), "{:?}", run.ended.diagnostics);
    let flows = run.trajectory.get("m").expect("a signal");
    for (t, m) in run.trajectory.time.iter().zip(flows) {
        assert!((m - t.cos()).abs() < 1e-9, "{m} at {t}");
    }
}

/// A condition that says of itself that it makes no jump ends no run, even where it is not true.
#[test]
fn what_is_continuous_by_its_own_word_may_rest_on_its_condition() {
    let text = "model M Real x(start = 1e-4, fixed = true);
      equation der(x) = smooth(0, if x > 0 then -1 else 1); end M;";
    let (run, _) = run(text, 2e-4);
    let codes: Vec<&str> = run.ended.diagnostics.iter().map(|d| d.code).collect();
    assert!(run.is_complete() && codes.contains(&"K0539"), "{:?}", run.ended.diagnostics);
    let x = run.trajectory.get("x").expect("a signal");
    assert!(x[x.len() - 1].abs() < 1e-5, "{x:?}");
}
