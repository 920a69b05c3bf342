//! Models with the values they must give, and the comparison.

use kausal::{Trajectory, render};

use super::Outcome;

/// What a model must give.
pub struct Case {
    pub model: &'static str,
    pub checks: Vec<Check>,
}

/// What a variable must be.
pub struct Check {
    variable: &'static str,
    wanted: Wanted,
    within: f64,
}

enum Wanted {
    Start(f64),
    End(f64),
    Along(Box<dyn Fn(f64) -> f64>),
}

/// A model and its checks.
pub fn case(model: &'static str, checks: Vec<Check>) -> Case {
    Case { model, checks }
}

/// The value at the start, with an absolute bound.
pub fn start(variable: &'static str, value: f64, within: f64) -> Check {
    Check { variable, wanted: Wanted::Start(value), within }
}

/// The value at the end, with an absolute bound.
pub fn end(variable: &'static str, value: f64, within: f64) -> Check {
    Check { variable, wanted: Wanted::End(value), within }
}

/// A whole number or truth value at the end.
pub fn exactly(variable: &'static str, value: f64) -> Check {
    end(variable, value, 0.0)
}

/// All values over time, with an absolute bound.
pub fn along(variable: &'static str, value: impl Fn(f64) -> f64 + 'static, within: f64) -> Check {
    Check { variable, wanted: Wanted::Along(Box::new(value)), within }
}

/// Runs a group and compares; every file of the group must have a case.
pub fn check(group: &str, cases: Vec<Case>) {
    let files: Vec<(String, String)> =
        super::corpus("simulation").into_iter().filter(|(name, _)| name.starts_with(group)).collect();
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    let mut known: Vec<&str> = cases.iter().map(|c| c.model).collect();
    known.sort_unstable();
    assert_eq!(names, known, "every file has a case and every case a file");

    let mut failures = Vec::new();
    for case in &cases {
        let (_, text) = files.iter().find(|(name, _)| name == case.model).expect("it was found above");
        let (session, diagnostics, outcome) = super::run(case.model, text);
        if diagnostics.iter().any(|d| d.is_error()) {
            failures.push(format!(
                "{}:\n{}",
                case.model,
                render::text(&diagnostics, session.sources(), false)
            ));
            continue;
        }
        let Outcome::Ran(run) = outcome else { continue };
        for check in &case.checks {
            if let Err(what) = compare(&run.trajectory, check) {
                failures.push(format!("{}: {what}", case.model));
            }
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

fn compare(trajectory: &Trajectory, check: &Check) -> Result<(), String> {
    let Check { variable, wanted, within } = check;
    let values = match *variable {
        "time" => trajectory.time.clone(),
        name => trajectory.get(name).ok_or_else(|| format!("there is no {name}"))?,
    };
    let last = values.len().checked_sub(1).ok_or("nothing was recorded")?;
    let close = |i: usize, wanted: f64| {
        let (t, got) = (trajectory.time[i], values[i]);
        // Written so that a value that is not a number fails.
        if (got - wanted).abs() <= *within {
            return Ok(());
        }
        let off = (got - wanted).abs();
        Err(format!("{variable} at {t}: got {got}, wanted {wanted}, {off:.1e} off instead of {within:.1e}"))
    };
    match wanted {
        Wanted::Start(wanted) => close(0, *wanted),
        Wanted::End(wanted) => close(last, *wanted),
        Wanted::Along(f) => (0..=last).try_for_each(|i| close(i, f(trajectory.time[i]))),
    }
}
