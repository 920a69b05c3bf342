//! Why a result differs from its reference: models whose references are on another solution, more exact, or decided by rounding.

use kausal::compare::Tube;
use kausal::verify::Verdict;
use kausal::verify::child::{Task, run};
use kausal::verify::reason::{Cause, Reason, words};
use kausal::{Inline, Session, csv};

/// The reason why a model differs from this function of time.
fn reason(text: &str, signal: &str, stop: f64, reference: impl Fn(f64) -> f64) -> Reason {
    let mut rows = format!("time,{signal}\n");
    for k in 0..=200 {
        let t = stop * f64::from(k) / 200.0;
        rows.push_str(&format!("{t},{}\n", reference(t)));
    }
    let mut session = Session::new();
    session.add_text("M.mo", text);
    let reference = csv::read(&rows).expect("a table");
    let task =
        Task { model: "M", reference: &reference, tube: Tube::default(), keep: None, inline: Inline::Off };
    let outcome = run(&mut session, &task, &mut |_| (), &mut |known| assert!(known.reason.is_none()));
    assert_eq!(outcome.verdict, Verdict::Differs, "{outcome:?}");
    outcome.reason.expect("a reason")
}

#[test]
fn a_reference_that_is_another_solution_is_told_from_a_loose_tolerance() {
    let decay = "model M Real x(start = 1, fixed = true); equation der(x) = -x; \
                 annotation (experiment(StopTime = 2)); end M;";
    let other = reason(decay, "x", 2.0, |t| (-1.1 * t).exp());
    assert_eq!(other.cause, Cause::Converged, "{other:?}");
    assert!(words(&other).contains("converges, and not to the reference"));
    // A hundred turns at a tolerance of a hundredth.
    let loose = "model M Real x(start = 1, fixed = true), y(start = 0, fixed = true); equation der(x) = -10*y; \
                 der(y) = 10*x; annotation (experiment(StopTime = 60, Tolerance = 1e-3)); end M;";
    let loose = reason(loose, "x", 60.0, |t| (10.0 * t).cos());
    assert_eq!(loose.cause, Cause::Inexact, "{loose:?}");
}

/// A pendulum that stands on its head but for rounding, and one that just comes there: what it does then is decided by less
/// than what is known of its numbers.
#[test]
fn what_rounding_decides_is_said() {
    let head = "model M parameter Real g = 9.81; Real phi(start = 3.141592653589793, fixed = true); \
                Real w(start = 0, fixed = true); equation der(phi) = w; der(w) = -g*sin(phi); \
                annotation (experiment(StopTime = 15)); end M;";
    let head = reason(head, "phi", 15.0, |t| if t < 10.0 { std::f64::consts::PI } else { 0.0 });
    assert!(matches!(head.cause, Cause::Sensitive | Cause::Undetermined), "{head:?}");
    assert!(words(&head).starts_with("not determined to this accuracy"));
    // A peak that touches a threshold: with a billionth less it does not.
    let graze = "model M parameter Real top = 10; Real x = top*sin(time); Boolean b(start = false, fixed = true); \
                 equation when x >= 9.99999999999 then b = true; end when; \
                 annotation (experiment(StopTime = 3)); end M;";
    let graze = reason(graze, "b", 3.0, |_| 0.0);
    assert_eq!(graze.cause, Cause::Sensitive, "{graze:?}");
    assert!(graze.reached && words(&graze).contains("so changed, it agrees with the reference"));
}
