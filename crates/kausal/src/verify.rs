//! Verification: simulate every model that has a reference file `<Model.Path>.csv` and compare.
//!
//! Each model runs in a process of its own ([`pool`]), so whatever happens to it is its failure only. The
//! process loads, flattens, translates, compiles, initialises, simulates and compares ([`child`]), says which
//! stage it is in, and ends with an [`Outcome`]; where it differs, more exact runs say why ([`reason`]). What is made of all outcomes: a [`Report`], as [`text`], JSON,
//! [`html`] and [`markdown`], with failures grouped by their cause ([`cause`]) and, where there are
//! [`figures`] of another tool, ours beside them.

pub mod cause;
pub mod child;
pub mod figures;
pub mod html;
pub mod markdown;
pub mod pool;
pub mod reason;
pub mod text;

use serde::{Deserialize, Serialize};

use crate::compare::{Deviation, Tube};
use figures::Figures;
use reason::Reason;

/// The stages a model goes through, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// Finding and parsing the texts.
    Load,
    /// From classes to the flat model.
    Flatten,
    /// From the flat model to the program.
    Translate,
    /// From the program to machine code.
    Compile,
    /// Initial values.
    Initialise,
    /// Integration and events.
    Simulate,
    /// Comparison with the reference.
    Compare,
}

impl Stage {
    /// All of them.
    pub const ALL: [Stage; 7] = [
        Stage::Load,
        Stage::Flatten,
        Stage::Translate,
        Stage::Compile,
        Stage::Initialise,
        Stage::Simulate,
        Stage::Compare,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Load => "load",
            Stage::Flatten => "flatten",
            Stage::Translate => "translate",
            Stage::Compile => "compile",
            Stage::Initialise => "initialise",
            Stage::Simulate => "simulate",
            Stage::Compare => "compare",
        }
    }
}

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Every signal agrees.
    Agrees,
    /// It ran, but not every signal agrees.
    Differs,
    /// It did not run to the end.
    Fails,
}

/// What became of one model.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Outcome {
    /// The model.
    pub model: String,
    /// How it ended.
    pub verdict: Verdict,
    /// The stage reached.
    pub stage: Stage,
    /// The first error.
    pub error: Option<Problem>,
    /// Signals of the reference.
    pub signals: usize,
    /// Those that do not agree.
    pub deviations: Vec<Deviation>,
    /// Why they do not, as far as more exact runs can tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// The size of the problem, when it was translated.
    pub size: Option<Size>,
    /// What the run took, when there was one.
    pub work: Option<Work>,
    /// Seconds by stage.
    pub seconds: Seconds,
    /// The result where it deviates, for pictures.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub curves: Vec<Curve>,
}

/// An error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// The code of the diagnostic, or `crash`, `timeout`, `memory`.
    pub code: String,
    /// What it says.
    pub message: String,
    /// Where, as `file:line`.
    pub place: Option<String>,
}

/// The size of a translated model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Size {
    /// Scalar equations of the flat model.
    pub equations: usize,
    /// Continuous states.
    pub states: usize,
    /// Unknowns left to a linear solver, one number per system.
    pub linear: Vec<usize>,
    /// Unknowns left to Newton's method, one number per system.
    pub nonlinear: Vec<usize>,
}

impl Size {
    /// Unknowns left to solvers in all systems.
    pub fn torn(&self) -> usize {
        self.linear.iter().chain(&self.nonlinear).sum()
    }
}

/// What a run took.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Work {
    /// Accepted steps.
    pub steps: u64,
    /// Evaluations of the right side.
    pub evaluations: u64,
    /// Jacobians.
    pub jacobians: u64,
    /// Events found by a crossing.
    pub state_events: u64,
    /// Events known in advance.
    pub time_events: u64,
    /// Where the run ended.
    pub end: f64,
}

/// Seconds by stage; flattening includes reading libraries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Seconds {
    /// To the flat model.
    pub flatten: f64,
    /// To the program.
    pub translate: f64,
    /// To machine code.
    pub compile: f64,
    /// Initial values, integration, events.
    pub simulate: f64,
    /// The whole process, from start to end, without the next.
    pub total: f64,
    /// More exact runs, where the result differs.
    #[serde(default)]
    pub reason: f64,
}

/// A signal over time, thinned out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// Its name.
    pub signal: String,
    /// Instants.
    pub time: Vec<f64>,
    /// Values.
    pub values: Vec<f64>,
}

/// A model in the report.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// What became of it.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// Another tool's figures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other: Option<Figures>,
}

/// All of it.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// How many models there are.
    pub models: usize,
    /// How many agree.
    pub agree: usize,
    /// How many differ.
    pub differ: usize,
    /// How many fail.
    pub fail: usize,
    /// The tube.
    pub tube: Tube,
    /// The median of our function evaluations over another tool's, over the models that agree.
    pub median_evaluations: Option<f64>,
    /// The median of our steps over another tool's, over the models that agree.
    pub median_steps: Option<f64>,
    /// Seconds from start to end.
    pub seconds: f64,
    /// By package.
    pub packages: Vec<Package>,
    /// What does not agree, by cause.
    pub causes: Vec<cause::Group>,
    /// One row per model, in alphabetical order.
    pub rows: Vec<Row>,
}

/// The models of a package.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// How many models there are.
    pub models: usize,
    /// How many agree.
    pub agree: usize,
    /// How many differ.
    pub differ: usize,
    /// How many fail, by stage; none in the last, which is the comparison.
    pub fail: [usize; 7],
}

/// Sums up outcomes.
pub fn report(outcomes: Vec<Outcome>, other: &[Figures], tube: Tube, seconds: f64) -> Report {
    let mut rows: Vec<Row> = outcomes
        .into_iter()
        .map(|outcome| Row { other: other.iter().find(|f| f.model == outcome.model).cloned(), outcome })
        .collect();
    rows.sort_by(|a, b| a.outcome.model.cmp(&b.outcome.model));
    let count = |verdict| rows.iter().filter(|r| r.outcome.verdict == verdict).count();
    let ratios = |ours: fn(&Work) -> u64, theirs: fn(&Figures) -> Option<u64>| {
        let agreeing = rows.iter().filter(|r| r.outcome.verdict == Verdict::Agrees);
        agreeing
            .filter_map(|r| {
                let (ours, theirs) = (ours(r.outcome.work.as_ref()?), theirs(r.other.as_ref()?)?);
                (theirs > 0).then(|| ours as f64 / theirs as f64)
            })
            .collect::<Vec<f64>>()
    };
    Report {
        models: rows.len(),
        agree: count(Verdict::Agrees),
        differ: count(Verdict::Differs),
        fail: count(Verdict::Fails),
        tube,
        median_evaluations: median(ratios(|w| w.evaluations, |f| f.f_evals)),
        median_steps: median(ratios(|w| w.steps, |f| f.steps)),
        seconds,
        packages: packages(&rows),
        causes: cause::groups(&rows),
        rows,
    }
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let n = values.len();
    let middle = values.get(n / 2)?;
    Some(if n.is_multiple_of(2) { 0.5 * (values[n / 2 - 1] + middle) } else { *middle })
}

fn packages(rows: &[Row]) -> Vec<Package> {
    let mut packages: Vec<Package> = Vec::new();
    for row in rows {
        let name = package(&row.outcome.model);
        let at = match packages.iter().position(|p| p.name == name) {
            Some(at) => at,
            None => {
                packages.push(Package { name, ..Package::default() });
                packages.len() - 1
            }
        };
        let package = &mut packages[at];
        package.models += 1;
        match row.outcome.verdict {
            Verdict::Agrees => package.agree += 1,
            Verdict::Differs => package.differ += 1,
            Verdict::Fails => package.fail[row.outcome.stage as usize] += 1,
        }
    }
    packages.sort_by(|a, b| a.name.cmp(&b.name));
    packages
}

/// The package a model counts to: what stands before `Examples` or the last name, three names at most.
fn package(model: &str) -> String {
    let names: Vec<&str> = model.split('.').collect();
    let before = names.iter().position(|n| *n == "Examples").unwrap_or(names.len() - 1).min(3);
    if before == 0 { "(no package)".into() } else { names[..before].join(".") }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::compare::DeviationKind;

    pub(crate) fn outcome(model: &str, verdict: Verdict, stage: Stage) -> Outcome {
        Outcome {
            model: model.into(),
            verdict,
            stage,
            error: (verdict == Verdict::Fails).then(|| Problem {
                code: "K0402".into(),
                message: "2 unknowns have only 1 equations:\na.x, a.y".into(),
                place: Some("A.mo:3".into()),
            }),
            signals: 2,
            deviations: match verdict {
                Verdict::Differs => vec![Deviation {
                    signal: "a<b>.x".into(),
                    kind: DeviationKind::Outside,
                    since: 0.25,
                    time: 0.5,
                    reference: 1.0,
                    result: Some(2.0),
                    excess: Some(0.9),
                    relative: Some(0.45),
                }],
                _ => Vec::new(),
            },
            reason: (verdict == Verdict::Differs).then(|| Reason {
                cause: reason::Cause::Converged,
                tolerance: 1e-9,
                method: "radau".into(),
                reference: Some(reason::Distance { signal: "a<b>.x".into(), since: 0.25, relative: 0.45 }),
                exact: None,
                own: None,
                changed: None,
                reached: false,
                open: None,
            }),
            size: Some(Size { equations: 10, states: 2, linear: vec![3], nonlinear: vec![1] }),
            work: Some(Work { steps: 10, evaluations: 30, ..Work::default() }),
            seconds: Seconds::default(),
            curves: match verdict {
                Verdict::Differs => {
                    vec![Curve { signal: "a<b>.x".into(), time: vec![0.0, 1.0], values: vec![0.0, 2.0] }]
                }
                _ => Vec::new(),
            },
        }
    }

    pub(crate) fn sample() -> Report {
        let figures = |model: &str, f_evals| Figures {
            model: model.into(),
            f_evals: Some(f_evals),
            steps: Some(20),
            equations: Some(11),
            ..Figures::default()
        };
        let outcomes = vec![
            outcome("L.B.Examples.Two", Verdict::Differs, Stage::Compare),
            outcome("L.B.Examples.One", Verdict::Agrees, Stage::Compare),
            outcome("L.A.Part", Verdict::Fails, Stage::Translate),
            outcome("L.A.Whole", Verdict::Agrees, Stage::Compare),
        ];
        report(outcomes, &[figures("L.B.Examples.One", 15), figures("L.A.Whole", 60)], Tube::default(), 1.0)
    }

    #[test]
    fn outcomes_are_counted() {
        let report = sample();
        assert_eq!((report.models, report.agree, report.differ, report.fail), (4, 2, 1, 1));
        let names: Vec<&str> = report.rows.iter().map(|r| r.outcome.model.as_str()).collect();
        assert_eq!(names, ["L.A.Part", "L.A.Whole", "L.B.Examples.One", "L.B.Examples.Two"]);
        assert_eq!(report.packages.len(), 2);
        assert_eq!(report.packages[0].fail[Stage::Translate as usize], 1);
        // 30 evaluations against 15 and against 60.
        assert_eq!(report.median_evaluations, Some(1.25));
    }

    #[test]
    fn packages_end_before_examples() {
        assert_eq!(package("Modelica.Blocks.Examples.Noise.UniformNoise"), "Modelica.Blocks");
        assert_eq!(
            package("Modelica.Electrical.QuasiStatic.SinglePhase.Examples.X"),
            "Modelica.Electrical.QuasiStatic"
        );
        assert_eq!(package("A.B"), "A");
        assert_eq!(package("A"), "(no package)");
    }

    #[test]
    fn an_outcome_survives_the_way_between_processes() {
        let before = outcome("L.B.Examples.Two", Verdict::Differs, Stage::Compare);
        let text = serde_json::to_string(&before).unwrap();
        let after: Outcome = serde_json::from_str(&text).unwrap();
        assert_eq!(serde_json::to_string(&after).unwrap(), text);
    }
}
