//! Why a result differs from its reference, as far as computing it again can tell.
//!
//! The model is run again at a much tighter tolerance: with the method of the run itself, with one of another family whose steps
//! pass over nothing ([`audit::plan`](crate::audit::plan)), and twice with numbers of the model changed by a billionth of
//! themselves, one way and the other. What these runs, the run itself and the reference say about the signals that differ decides
//! ([`Cause`]):
//!
//! | the two exact runs | those with changed numbers | with the reference | with the run itself | |
//! | --- | --- | --- | --- | --- |
//! | – | – | the first agrees | – | [`Cause::Inexact`]: the run is less exact than its reference |
//! | agree | agree | differ | agree | [`Cause::Converged`]: no accuracy leads to the reference |
//! | agree | agree | differ | differ | [`Cause::Between`]: neither is exact |
//! | differ | – | – | – | [`Cause::Undetermined`]: no accuracy asked for here determines the signal |
//! | agree | differ | – | – | [`Cause::Sensitive`]: what decides is smaller than anything known of the model |
//!
//! `Converged` says that the difference is not one of integration: the reference was computed less exactly, or has another
//! solution, which is so where it differs from the start on. What the run itself said about equations that determine nothing is
//! told in any case.

use std::collections::HashSet;
use std::sync::Arc;

use kausal_runtime::{CompiledModel, Overrides, Settings, tunable};
use kausal_symbolic::VarId;
use kausal_syntax::Diagnostic;
use kausal_translate::program::Kind;
use serde::{Deserialize, Serialize};

use super::text::short;
use crate::audit;
use crate::compare::{self, Deviation, Tube, compare};
use crate::result::Trajectory;

/// Numbers of the model are changed by this part of themselves: less than a step's tolerance, more than rounding.
const CHANGE: f64 = 1e-9;

/// What was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reason {
    /// What the runs say together.
    pub cause: Cause,
    /// The tolerance of the two runs that were made for it.
    pub tolerance: f64,
    /// The method of the second of them.
    pub method: String,
    /// How far the reference is outside the tube around the first of them, at worst.
    pub reference: Option<Distance>,
    /// How far the two are outside each other's, at worst.
    pub exact: Option<Distance>,
    /// How far the run itself is outside the tube around the first of them, at worst.
    pub own: Option<Distance>,
    /// How far the run with changed numbers that is farther away is outside that tube, at worst.
    pub changed: Option<Distance>,
    /// One of the runs with changed numbers agrees with the reference.
    pub reached: bool,
    /// What the run itself said that it leaves open.
    pub open: Option<String>,
}

/// What it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Cause {
    /// The result of the run is not exact enough: more exact ones agree with the reference.
    Inexact,
    /// More exact runs agree with the result, and not with the reference.
    Converged,
    /// More exact runs agree with each other, neither with the result nor with the reference.
    Between,
    /// More exact runs do not agree with each other.
    Undetermined,
    /// A run with numbers changed by next to nothing does not agree with the more exact ones.
    Sensitive,
    /// The model could not be run so exactly.
    Unknown,
}

/// How far a signal is outside a tube.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Distance {
    /// Which signal.
    pub signal: String,
    /// Where it leaves the tube.
    pub since: f64,
    /// How far outside it is at worst, as a share of the signal's range.
    pub relative: f64,
}

impl Distance {
    fn of(deviations: &[Deviation]) -> Option<Distance> {
        let d = compare::worst(deviations)?;
        let relative = d.relative.unwrap_or(f64::INFINITY);
        Some(Distance { signal: d.signal.clone(), since: d.since, relative })
    }

    fn words(&self) -> String {
        format!(
            "{} from time {} on, by up to {} %",
            self.signal,
            short(self.since, 6),
            short(100.0 * self.relative, 3)
        )
    }
}

/// What is known before.
#[derive(Clone, Copy, Debug)]
pub struct Differing<'a> {
    /// The result.
    pub result: &'a Trajectory,
    /// Its reference.
    pub reference: &'a Trajectory,
    /// What differs.
    pub deviations: &'a [Deviation],
    /// How far it may be off.
    pub tube: &'a Tube,
    /// How the result was computed.
    pub settings: &'a Settings,
    /// From what.
    pub model: &'a Arc<CompiledModel>,
    /// What was said about it.
    pub said: &'a [Diagnostic],
}

/// Finds out; `run` makes a run, None where it does not come to its end.
pub fn find(differing: &Differing, run: &mut dyn FnMut(Settings) -> Option<Trajectory>) -> Reason {
    let &Differing { result, reference, deviations, tube, settings, model, said } = differing;
    let other = audit::plan(settings);
    let exact = Settings { tolerance: other.tolerance, ..settings.clone() };
    let mut reason = Reason {
        cause: Cause::Unknown,
        tolerance: other.tolerance,
        method: other.method.to_string(),
        reference: None,
        exact: None,
        own: None,
        changed: None,
        reached: false,
        open: said.iter().find(|d| leaves_open(d)).map(|d| first_part(&d.message)),
    };
    let Some(first) = run(exact.clone()) else { return reason };
    let names: HashSet<String> = deviations.iter().map(|d| compare::plain(&d.signal)).collect();
    let distance = |result: &Trajectory, reference: &Trajectory| {
        let wanted = |name: &str| names.contains(&compare::plain(name));
        Distance::of(&compare(result, reference, tube, &wanted).deviations)
    };
    reason.reference = distance(&first, reference);
    reason.own = distance(&first, result);
    if reason.reference.is_none() {
        return Reason { cause: Cause::Inexact, ..reason };
    }
    let Some(second) = run(other) else { return reason };
    reason.exact = distance(&first, &second);
    if reason.exact.is_none() {
        for sign in [1.0, -1.0] {
            let Some(overrides) = changed(model, sign * CHANGE) else { break };
            let Some(moved) = run(Settings { overrides: Arc::new(overrides), ..exact.clone() }) else {
                continue;
            };
            let away = distance(&first, &moved);
            reason.reached |= away.is_some() && distance(&moved, reference).is_none();
            let farther = |a: &Distance| reason.changed.as_ref().is_none_or(|b| a.relative > b.relative);
            if away.as_ref().is_some_and(farther) {
                reason.changed = away;
            }
        }
    }
    reason.cause = match (&reason.exact, &reason.changed, &reason.own) {
        (Some(_), ..) => Cause::Undetermined,
        (None, Some(_), _) => Cause::Sensitive,
        (None, None, None) => Cause::Converged,
        (None, None, Some(_)) => Cause::Between,
    };
    reason
}

/// Says the run that equations determine nothing, or nearly nothing?
fn leaves_open(d: &Diagnostic) -> bool {
    matches!(d.code, "K0532" | "K0533")
}

/// A message up to where it lists equations.
fn first_part(message: &str) -> String {
    let message = message.split(": the solution closest").next().unwrap_or(message);
    message.split("; ").next().unwrap_or(message).to_owned()
}

/// Real parameters and start values that are initial conditions, each changed by this part of itself, one up and the next down.
fn changed(model: &Arc<CompiledModel>, by: f64) -> Option<Overrides> {
    let program = &model.program;
    let mut all = Overrides::new();
    let variables = (0..).map(VarId).zip(&program.variables);
    let parameters = variables.filter(|(_, v)| v.kind == Kind::Parameter).map(|(id, _)| id);
    let starts = program.starts.iter().filter(|s| s.changeable && s.equation.is_some()).map(|s| s.variable);
    let mut by = by;
    for v in parameters.chain(starts) {
        let variable = &program.variables[v.index()];
        if variable.is_real() && variable.value != 0.0 && variable.value.is_finite() {
            // What is structural stays as it is.
            if all.set(program, v, variable.value * (1.0 + by)).is_ok() {
                by = -by;
            }
        }
    }
    (!all.is_empty() && tunable::admits(model, &all).is_ok()).then_some(all)
}

/// It in words.
pub fn words(reason: &Reason) -> String {
    let (tolerance, method) = (reason.tolerance, &reason.method);
    let runs = format!("runs at tolerance {tolerance:e} with the same method and with {method}");
    let of = |distance: &Option<Distance>| distance.as_ref().map(Distance::words).unwrap_or_default();
    let found = match reason.cause {
        Cause::Inexact => {
            format!("the result is not exact enough: at tolerance {tolerance:e} it agrees with the reference")
        }
        Cause::Converged => {
            let away = of(&reason.reference);
            format!(
                "the result converges, and not to the reference: {runs} agree with it; the reference leaves them ({away})"
            )
        }
        Cause::Between => format!(
            "neither is exact: {runs} agree with each other; the reference leaves them ({}), and so does the result ({})",
            of(&reason.reference),
            of(&reason.own)
        ),
        Cause::Undetermined => {
            format!("not determined to this accuracy: {runs} leave each other ({})", of(&reason.exact))
        }
        Cause::Sensitive => format!(
            "not determined to this accuracy: with numbers of the model changed by {CHANGE:e} of themselves the result leaves its own \
             tube ({}){}",
            of(&reason.changed),
            if reason.reached { "; so changed, it agrees with the reference" } else { "" }
        ),
        Cause::Unknown => format!("unknown: not all {runs} come to an end"),
    };
    match &reason.open {
        Some(open) => format!("{found}. The run says: {open}"),
        None => found,
    }
}
