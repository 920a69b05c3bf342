//! One model, from its text to the comparison; run in a process of its own.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use kausal_codegen::Backend;
use kausal_model::flat::Experiment;
use kausal_model::{FlatModel, check};
use kausal_runtime::simulation::inlined::method_of;
use kausal_runtime::{CompiledModel, Settings};
use kausal_syntax::{Diagnostic, Sources};
use kausal_translate::{Inline, Options, Program};

use super::reason::{self, Differing, Reason};
use super::{Curve, Outcome, Problem, Seconds, Size, Stage, Verdict, Work};
use crate::compare::{self, Deviation, Tube, compare};
use crate::result::Trajectory;
use crate::runner::{Finished, Runner, Watch};
use crate::session::Session;
use crate::{store, summary};

/// Intervals at whose distance a run searches for crossings: with so many, one is as long as the default width of the tube in time.
const INTERVALS: f64 = 1000.0;
/// Output points of each of them. A result is compared as a polyline: of a peak between two points that are a width apart it would lose
/// `h²/8` times its curvature, of one between a quarter of that a sixteenth.
const POINTS: u32 = 4;
/// Signals shown in pictures, and points of each.
const PICTURES: usize = 4;
const PICTURE_POINTS: usize = 400;

/// What to do.
#[derive(Clone, Copy, Debug)]
pub struct Task<'a> {
    /// The model's path.
    pub model: &'a str,
    /// Its reference.
    pub reference: &'a Trajectory,
    /// How far it may be off.
    pub tube: Tube,
    /// Where the result is kept, if anywhere.
    pub keep: Option<&'a Path>,
    /// The method whose formula becomes part of the model; none that needs a fixed step.
    pub inline: Inline,
}

/// Does it; `enter` is told each stage before it starts, and `known` an outcome before its reason is searched for, which takes more runs.
pub fn run(
    session: &mut Session,
    task: &Task,
    enter: &mut dyn FnMut(Stage),
    known: &mut dyn FnMut(&Outcome),
) -> Outcome {
    let start = Instant::now();
    let mut outcome = Outcome {
        model: task.model.to_owned(),
        verdict: Verdict::Fails,
        stage: Stage::Load,
        error: None,
        signals: task.reference.signals.len(),
        deviations: Vec::new(),
        reason: None,
        size: None,
        work: None,
        seconds: Seconds::default(),
        curves: Vec::new(),
    };
    // A failure has left its traces in the outcome.
    let compared = stages(session, task, &mut outcome, enter);
    outcome.seconds.flatten = session.seconds.load + session.seconds.flatten;
    outcome.seconds.translate += session.seconds.translate;
    outcome.seconds.compile += session.seconds.codegen;
    outcome.seconds.total = start.elapsed().as_secs_f64();
    if let Some(compared) = compared.filter(|_| outcome.verdict == Verdict::Differs) {
        known(&outcome);
        outcome.reason = Some(compared.reason(task, &outcome.deviations));
        outcome.seconds.reason = start.elapsed().as_secs_f64() - outcome.seconds.total;
    }
    outcome
}

/// What was run, and what came out.
struct Compared {
    flat: FlatModel,
    options: Options,
    model: Arc<CompiledModel>,
    settings: Settings,
    result: Trajectory,
    said: Vec<Diagnostic>,
}

impl Compared {
    /// Why it differs.
    fn reason(&self, task: &Task, deviations: &[Deviation]) -> Reason {
        let wanted: HashSet<String> = deviations.iter().map(|d| compare::plain(&d.signal)).collect();
        let wanted = |name: &str| wanted.contains(&compare::plain(name));
        let differing = Differing {
            result: &self.result,
            reference: task.reference,
            deviations,
            tube: &task.tube,
            settings: &self.settings,
            model: &self.model,
            said: &self.said,
        };
        reason::find(&differing, &mut |settings| {
            let runner =
                Runner::new(self.model.clone()).recovering(&self.flat, &self.options).settings(settings);
            let finished = runner.kept(Some(&wanted)).run(&mut ()).ok()?;
            finished.is_complete().then_some(finished.trajectory)
        })
    }
}

/// Goes on until something fails.
fn stages(
    session: &mut Session,
    task: &Task,
    outcome: &mut Outcome,
    enter: &mut dyn FnMut(Stage),
) -> Option<Compared> {
    let mut at = |outcome: &mut Outcome, stage| {
        outcome.stage = stage;
        enter(stage);
    };
    at(outcome, Stage::Flatten);
    let flat = session.flatten(task.model);
    let flat = passed(session, outcome, flat)?;
    at(outcome, Stage::Translate);
    let options = Options { inline: task.inline, ..Options::default() };
    let program = session.translate(&flat, &options);
    let program = passed(session, outcome, program)?;
    outcome.size = Some(Size { equations: check::count(&flat).equations, ..size(&program) });
    let settings = Settings {
        method: method_of(task.inline, false).unwrap_or_default(),
        ..settings(&flat.experiment, &task.reference.time)
    };
    at(outcome, Stage::Compile);
    let compiled = session.compile(program, Backend::Auto);
    let compiled = passed(session, outcome, compiled)?;
    at(outcome, Stage::Initialise);
    let wanted: HashSet<String> = task.reference.signals.iter().map(|s| compare::plain(&s.name)).collect();
    let wanted =
        |name: &str| wanted.contains(name) || (name.contains(' ') && wanted.contains(&compare::plain(name)));
    let model = Arc::new(compiled);
    let runner = Runner::new(model.clone()).recovering(&flat, &options).settings(settings.clone());
    let mut initialised = Initialised { enter: &mut || at(outcome, Stage::Simulate), told: false };
    let finished = runner.kept(Some(&wanted)).run(&mut initialised);
    let result = finished.map_err(|d| vec![d]).and_then(|finished| judged(finished, outcome));
    let (result, said) = match result {
        Ok(result) => result,
        Err(diagnostics) => {
            let first = diagnostics.iter().find(|d| d.is_error());
            outcome.error = first.map(|d| problem(d, session.sources()));
            // An integration that fails in its first step has initial values all the same.
            outcome.stage = match first {
                Some(d) if d.code == "K0510" => Stage::Initialise,
                _ => Stage::Simulate,
            };
            return None;
        }
    };
    at(outcome, Stage::Compare);
    if let Some(path) = task.keep
        && let Err(d) = store::write(&result, path)
    {
        outcome.error = Some(problem(&d, session.sources()));
        return None;
    }
    let comparison = compare(&result, task.reference, &task.tube, &|_| true);
    outcome.verdict = if comparison.agrees() { Verdict::Agrees } else { Verdict::Differs };
    outcome.curves = curves(&result, &comparison.deviations);
    outcome.deviations = comparison.deviations;
    Some(Compared { flat, options, model, settings, result, said })
}

/// Passes on what a stage gave, or notes its first error.
fn passed<T>(session: &mut Session, outcome: &mut Outcome, value: Option<T>) -> Option<T> {
    let diagnostics = session.take_diagnostics();
    if value.is_none() {
        let first = diagnostics.iter().find(|d| d.is_error());
        if let Some(d) = first {
            // Libraries are read while flattening; what is wrong with their texts belongs to loading.
            if outcome.stage == Stage::Flatten && (d.code.starts_with("K01") || d.code == "K0200") {
                outcome.stage = Stage::Load;
            }
            outcome.error = Some(problem(d, session.sources()));
        }
    }
    value
}

/// Tells when the first step is made.
struct Initialised<'a> {
    enter: &'a mut dyn FnMut(),
    told: bool,
}

impl Watch for Initialised<'_> {
    fn proceed(&mut self, _: f64) -> bool {
        if !std::mem::replace(&mut self.told, true) {
            (self.enter)();
        }
        true
    }
}

/// Notes what a run took; gives its result, or what was said where it failed.
fn judged(
    finished: Finished,
    outcome: &mut Outcome,
) -> Result<(Trajectory, Vec<Diagnostic>), Vec<Diagnostic>> {
    let s = &finished.ended.statistics;
    outcome.work = Some(Work {
        steps: s.steps,
        evaluations: s.rhs_evaluations,
        jacobians: s.jacobians,
        state_events: s.state_events,
        time_events: s.time_events,
        end: s.end,
    });
    outcome.seconds.simulate += finished.seconds.run;
    outcome.seconds.translate += finished.seconds.translate;
    outcome.seconds.compile += finished.seconds.codegen;
    match finished.is_complete() {
        true => Ok((finished.trajectory, finished.ended.diagnostics)),
        false => Err(finished.ended.diagnostics),
    }
}

fn problem(d: &Diagnostic, sources: &Sources) -> Problem {
    let place = d.labels.first().map(|label| {
        let id = label.location.source;
        let (line, _) = sources.line_column(id, label.location.span.start);
        format!("{}:{line}", sources.get(id).name)
    });
    Problem { code: d.code.to_owned(), message: d.message.clone(), place }
}

fn size(program: &Program) -> Size {
    let summary = summary::of(program, crate::session::Seconds::default());
    let mut size = Size { states: summary.states.len(), ..Size::default() };
    for system in summary.systems.iter().filter(|s| s.section == "dynamics" && s.torn > 0) {
        if system.kind == "linear" { size.linear.push(system.torn) } else { size.nonlinear.push(system.torn) }
    }
    size
}

/// What the model's `experiment` annotation says, or else what the reference spans, and at least that far; output points where the
/// reference has its own, and others between them.
fn settings(experiment: &Experiment, time: &[f64]) -> Settings {
    let defaults = Settings::default();
    let start = experiment.start.or(time.first().copied()).unwrap_or(defaults.start);
    // A reference that goes beyond the end of the experiment asks for what is there.
    let ends = experiment.stop.into_iter().chain(time.last().copied());
    let stop = ends.reduce(f64::max).unwrap_or(defaults.stop).max(start);
    let tolerance = experiment.tolerance.unwrap_or(defaults.tolerance);
    let interval = (stop - start) / INTERVALS;
    Settings { start, stop, tolerance, interval, instants: instants(start, stop, time), ..defaults }
}

/// The instants of the reference between start and stop, and evenly spaced ones where there is room between them.
fn instants(start: f64, stop: f64, time: &[f64]) -> Arc<[f64]> {
    let points = POINTS * INTERVALS as u32;
    let interval = (stop - start) / f64::from(points);
    // Closer points say the same.
    let close = 1e-3 * interval;
    let mut own: Vec<f64> = time.iter().copied().filter(|t| *t > start && *t < stop).collect();
    own.sort_by(f64::total_cmp);
    own.dedup();
    let mut all = own.clone();
    for k in 1..points {
        let t = start + f64::from(k) * interval;
        let next = own.partition_point(|o| *o < t - close);
        if own.get(next).is_none_or(|o| *o > t + close) && t > start && t < stop {
            all.push(t);
        }
    }
    all.sort_by(f64::total_cmp);
    all.dedup();
    all.into()
}

/// The signals that are farthest off, thinned out: of each stretch its lowest and highest point.
fn curves(result: &Trajectory, deviations: &[Deviation]) -> Vec<Curve> {
    let by_name = compare::names(result);
    let mut worst: Vec<&Deviation> = deviations.iter().collect();
    worst.sort_by(|a, b| b.relative.unwrap_or(0.0).total_cmp(&a.relative.unwrap_or(0.0)));
    let found = worst.iter().filter_map(|d| Some((d, *by_name.get(&compare::plain(&d.signal))?)));
    found
        .take(PICTURES)
        .map(|(d, i)| {
            let values = result.values(&result.signals[i]);
            let rows = thinned(&values);
            Curve {
                signal: d.signal.clone(),
                time: rows.iter().map(|&r| result.time[r]).collect(),
                values: rows.iter().map(|&r| values[r]).collect(),
            }
        })
        .collect()
}

fn thinned(values: &[f64]) -> Vec<usize> {
    if values.len() <= PICTURE_POINTS {
        return (0..values.len()).filter(|i| values[*i].is_finite()).collect();
    }
    let stretch = values.len().div_ceil(PICTURE_POINTS / 2);
    let mut rows = Vec::new();
    for (k, part) in values.chunks(stretch).enumerate() {
        let finite =
            || part.iter().enumerate().filter(|(_, v)| v.is_finite()).map(|(i, v)| (*v, k * stretch + i));
        let low = finite().min_by(|a, b| a.0.total_cmp(&b.0));
        let high = finite().max_by(|a, b| a.0.total_cmp(&b.0));
        let mut pair: Vec<usize> = low.into_iter().chain(high).map(|(_, i)| i).collect();
        pair.sort_unstable();
        pair.dedup();
        rows.extend(pair);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::csv;

    fn verify(text: &str, model: &str, reference: &str) -> (Outcome, Vec<Stage>) {
        let mut session = Session::new();
        session.add_text("Test.mo", text);
        let reference = csv::read(reference).unwrap();
        let mut stages = Vec::new();
        let task =
            Task { model, reference: &reference, tube: Tube::default(), keep: None, inline: Inline::Off };
        let outcome = run(&mut session, &task, &mut |s| stages.push(s), &mut |_| ());
        (outcome, stages)
    }

    const DECAY: &str = "model Decay Real x(start = 1, fixed = true); Real y = -x; equation der(x) = -x; \
                         annotation (experiment(StopTime = 2)); end Decay;";

    /// exp(-t) at 0, 0.5, 1 and 2, and its negative, which is an alias.
    const EXPONENTIAL: &str = "time,x,y\n0,1,-1\n0.5,0.60653066,-0.60653066\n1,0.36787944,-0.36787944\n\
                               2,0.13533528,-0.13533528\n";

    #[test]
    fn a_model_that_agrees() {
        let (outcome, stages) = verify(DECAY, "Decay", EXPONENTIAL);
        assert_eq!(outcome.verdict, Verdict::Agrees, "{outcome:?}");
        assert_eq!(stages, Stage::ALL[1..]);
        assert_eq!(outcome.size.unwrap().states, 1);
        assert!(outcome.work.unwrap().steps > 0);
    }

    #[test]
    fn a_model_that_differs() {
        let (outcome, _) = verify(DECAY, "Decay", &EXPONENTIAL.replace("0.36787944,", "0.5,"));
        assert_eq!((outcome.verdict, outcome.stage), (Verdict::Differs, Stage::Compare));
        assert_eq!(outcome.deviations.len(), 1);
        assert_eq!((outcome.deviations[0].signal.as_str(), outcome.deviations[0].time), ("x", 1.0));
        assert_eq!(outcome.curves.len(), 1);
    }

    #[test]
    fn failures_name_their_stage() {
        let stage = |text: &str| {
            let (outcome, _) = verify(text, "M", "time,x\n0,0\n1,0\n");
            assert_eq!(outcome.verdict, Verdict::Fails);
            assert!(outcome.error.is_some(), "{outcome:?}");
            outcome.stage
        };
        assert_eq!(stage("model N end N;"), Stage::Load);
        assert_eq!(stage("model M Real x = y; end M;"), Stage::Flatten);
        assert_eq!(stage("model M Real x, y; equation x = 1; end M;"), Stage::Translate);
        assert_eq!(stage("model M Real x; equation x^2 = -1 - time; end M;"), Stage::Initialise);
        assert_eq!(
            stage("model M Real x(start = 1, fixed = true); equation der(x) = x^2*10; end M;"),
            Stage::Simulate
        );
    }

    #[test]
    fn output_points_hit_the_points_of_the_reference() {
        let time = [0.0, 0.1, 0.1, 0.1234567, 0.5 + 1e-9, 1.0];
        let s = settings(&Experiment::default(), &time);
        assert_eq!((s.start, s.stop, s.interval), (0.0, 1.0, 1e-3));
        assert!(s.instants.is_sorted_by(|a, b| a < b));
        for t in &time[1..5] {
            assert!(s.instants.contains(t), "{t}");
        }
        // 3999 between four thousand intervals, of which two are given by the reference, and one more point.
        assert_eq!(s.instants.len(), 4000);
        // Beyond the experiment's end there is something to compare with.
        let experiment = Experiment { stop: Some(0.25), ..Experiment::default() };
        assert_eq!(settings(&experiment, &time).stop, 1.0);
        assert_eq!(settings(&experiment, &[0.0, 0.1]).stop, 0.25);
        // An instant only.
        assert!(settings(&Experiment::default(), &[0.0, 0.0]).instants.is_empty());
    }

    /// Where the reference has its points, the result has them too: exactly.
    #[test]
    fn results_are_compared_where_the_reference_is() {
        let mut session = Session::new();
        session.add_text("Decay.mo", DECAY);
        let flat = session.flatten("Decay").unwrap();
        let program = session.translate(&flat, &Options::default()).unwrap();
        let model = session.compile(program, Backend::Jit).unwrap();
        let settings = settings(&flat.experiment, &[0.0, 0.3333333333, 0.7123, 2.0]);
        let run = Runner::new(Arc::new(model)).settings(settings).run(&mut ()).unwrap();
        for t in [0.0, 0.3333333333, 0.7123, 2.0] {
            assert!(run.trajectory.time.contains(&t), "{t}");
        }
    }

    #[test]
    fn pictures_keep_the_peaks() {
        let values: Vec<f64> = (0..10_000).map(|i| if i == 4321 { 1.0 } else { 0.0 }).collect();
        let rows = thinned(&values);
        assert!(rows.len() <= PICTURE_POINTS && rows.contains(&4321));
        assert!(rows.is_sorted());
    }
}
