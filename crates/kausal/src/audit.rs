//! `--audit`: an estimate of the global error of every signal, from a second run.
//!
//! Tolerances bound what a step does wrong, not what a run adds up to, and a method can be wrong in a way its own error estimate
//! does not see. So the run is made a second time: with a method of another family, a much tighter tolerance and steps
//! that cannot pass over what happens between them, on another core. The distance of the two is the error of the run itself as
//! far as the second one is more exact (Shampine 1986, "Global error estimation with one-step methods", calls it
//! reintegration). [`errors`] compares the signals, [`switches`] the events; [`words`] says what came out.

mod errors;
pub(crate) mod switches;
pub(crate) mod words;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use kausal_runtime::{CompiledModel, RunFiles, Settings};
use kausal_solver::Method;
use kausal_translate::Program;
use serde::Serialize;

use crate::failure;
use crate::result::{Trajectory, Values};
use crate::simulate::{Ended, Output, States, instant, run_logged};
use errors::{Rows, Window};
use switches::{Alignment, Switch, SwitchLog, align};

/// By how much the tolerance of the second run is tighter than that of the first one: what is estimated is right to as many digits as the
/// second run has more, and three are enough to see one.
const TIGHTER: f64 = 1e3;
/// Tighter ones drown in rounding errors: some thousand steps of them.
const TIGHTEST: f64 = 1e-12;
/// Steps of the second run at least: as many as a result has points, where nobody asks for another number.
const FEWEST_STEPS: f64 = 500.0;
/// The second run may take this many times as long as the first one, and this much more.
const PATIENCE: f64 = 20.0;
const PATIENCE_SECONDS: f64 = 2.0;
/// Numbers that are kept of a run at most: two runs are two gigabytes then.
const MAX_NUMBERS: f64 = 1.25e8;
/// An error of this many times the tolerance is said: a run that goes well stays below it.
const EXCESS: f64 = 100.0;
/// A signal counts as this share of the largest one with its unit at least: what is smaller is a difference of such ones, and
/// has their errors.
const SHARE_OF_UNIT: f64 = 1e-3;
/// Events that are listed one by one.
const LISTED: usize = 20;
/// The stack of a run: that of the main thread of a program.
const STACK: usize = 8 << 20;

/// What the second run says about the first one.
#[derive(Clone, Debug, Serialize)]
pub struct Audit {
    /// The method of the second run.
    pub method: String,
    /// Its tolerance.
    pub tolerance: f64,
    /// Seconds it took.
    pub seconds: f64,
    /// All signals that change, the worst first.
    pub signals: Vec<SignalError>,
    /// What became of events.
    pub events: Events,
    /// The tolerance of the run itself.
    #[serde(skip)]
    asked: f64,
    /// From its start to its end.
    #[serde(skip)]
    span: f64,
    #[serde(skip)]
    runs: Compared,
}

/// The estimated error of a signal.
#[derive(Clone, Debug, Serialize)]
pub struct SignalError {
    /// Its name.
    pub name: String,
    /// The largest distance from the second run.
    pub error: f64,
    /// The same relative to the size of the signal, or to a part of the largest one with its unit.
    pub relative: f64,
    /// When that was.
    pub at: f64,
    /// Signals with the same number are always equal or opposite.
    #[serde(skip)]
    column: usize,
}

/// Events of the two runs.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Events {
    /// Changes of conditions that both runs have.
    pub compared: usize,
    /// How far apart in time these are at most.
    pub largest_shift: f64,
    /// Those that moved by more than the tolerance, of the run; the farthest first.
    pub moved: Vec<Moved>,
    /// How many happened in the run only, and in the second run only.
    pub only_in_run: usize,
    /// See [`Events::only_in_run`].
    pub only_in_audit: usize,
    /// The first of them.
    pub unmatched: Vec<Unmatched>,
    /// There are more changes than can be compared: none was.
    pub too_many: bool,
}

/// An event that is at another instant in the second run.
#[derive(Clone, Debug, Serialize)]
pub struct Moved {
    /// The condition that changes.
    pub condition: String,
    /// When it does in the run.
    pub time: f64,
    /// When it does in the second run.
    pub audit_time: f64,
}

/// An event that one of the runs does not have.
#[derive(Clone, Debug, Serialize)]
pub struct Unmatched {
    /// The condition that changes.
    pub condition: String,
    /// When.
    pub time: f64,
    /// Is it the run that has it, or else the second one?
    pub in_run: bool,
}

/// Why there is no estimate.
#[derive(Clone, Debug, Serialize)]
pub struct Incomplete {
    /// The method of the second run.
    pub method: String,
    /// Its tolerance.
    pub tolerance: f64,
    /// Why it has no result.
    pub incomplete: String,
    /// See [`Ended::torn`](crate::simulate::Ended::torn), of the second run.
    #[serde(skip)]
    pub torn: Vec<String>,
}

/// Both runs, for bands.
#[derive(Clone, Debug, Default)]
struct Compared {
    ours: Trajectory,
    theirs: Trajectory,
    rows: Rows,
}

/// What a run left behind.
struct Recorded {
    trajectory: Trajectory,
    log: SwitchLog,
}

/// How far the first run is.
#[derive(Clone, Copy)]
enum First {
    Running,
    Done(f64),
    Failed,
}

/// Runs a model as [`run_into`](crate::simulate::run_into) does, and a second time beside it. `wanted` are the signals that are
/// compared; `over` asks whether the second run shall end. Nothing is said about a run that fails.
pub fn run_into(
    model: &Arc<CompiledModel>,
    settings: &Settings,
    wanted: &(dyn Fn(&str) -> bool + Sync),
    outputs: Vec<Output>,
    limit: Option<Duration>,
    progress: &mut dyn FnMut(f64) -> bool,
    over: &(dyn Fn() -> bool + Sync),
) -> (Ended, Option<Result<Audit, Incomplete>>) {
    let (mut trajectory, mut log) = (Trajectory::default(), SwitchLog::default());
    let second = plan(settings);
    let too_large = too_large(&model.program, settings, wanted);
    let mut outputs: Vec<Output> = outputs
        .into_iter()
        .map(|output| Output { wanted: output.wanted, sink: output.sink, path: output.path })
        .collect();
    if too_large.is_none() {
        outputs.push(Output { wanted, sink: &mut trajectory, path: None });
    }
    let mut first = |outputs| {
        run_logged(model.clone(), settings, &States::default(), outputs, limit, progress, Some(&mut log))
    };
    let incomplete = |why: String, torn: Vec<String>| Incomplete {
        method: second.method.to_string(),
        tolerance: second.tolerance,
        incomplete: why,
        torn,
    };
    if let Some(why) = too_large {
        return (first(outputs), Some(Err(incomplete(why, Vec::new()))));
    }
    let state = Mutex::new(First::Running);
    // Output points at every step are known after the run, and C code of others may have memory of its own.
    let beside = settings.interval > 0.0 && model.foreign_functions().is_empty();
    let (ended, other) = thread::scope(|scope| {
        let alongside = || again(model, &second, wanted, &state, over);
        let thread = beside.then(|| thread::Builder::new().stack_size(STACK).spawn_scoped(scope, alongside));
        let ended = first(outputs);
        let failed = ended.diagnostics.iter().any(|d| d.is_error());
        let now = if failed { First::Failed } else { First::Done(ended.seconds) };
        *state.lock().unwrap_or_else(PoisonError::into_inner) = now;
        let other = thread.and_then(Result::ok).and_then(|thread| thread.join().ok());
        (ended, other)
    });
    if ended.diagnostics.iter().any(|d| d.is_error()) {
        return (ended, None);
    }
    let other = other.unwrap_or_else(|| {
        let every = settings.interval <= 0.0;
        let instants = if every { instants(&trajectory.time) } else { settings.instants.clone() };
        let interval = if every { second.max_step.unwrap_or(0.0) } else { second.interval };
        again(model, &Settings { instants, interval, ..second.clone() }, wanted, &state, over)
    });
    let outcome = match other {
        Ok((theirs, seconds)) => {
            Ok(assess(&model.program, Recorded { trajectory, log }, theirs, settings, &second, seconds))
        }
        Err((why, torn)) => Err(incomplete(why, torn)),
    };
    (ended, Some(outcome))
}

/// The settings of the second run.
pub fn plan(settings: &Settings) -> Settings {
    let span = settings.stop - settings.start;
    let longest = (span > 0.0).then_some(span / FEWEST_STEPS);
    Settings {
        method: match settings.method {
            Method::Radau | Method::FixedRadau => Method::Esdirk4,
            _ => Method::Radau,
        },
        tolerance: rounded(settings.tolerance / TIGHTER).max(TIGHTEST),
        max_step: longest.map(|longest| settings.max_step.unwrap_or(longest).min(longest)),
        fixed_step: None,
        inlined: false,
        events_at_steps: false,
        iterations: None,
        // What the model writes is written once.
        files: RunFiles::default(),
        max_order: Settings::default().max_order,
        ..settings.clone()
    }
}

/// A tolerance as people write it.
fn rounded(tolerance: f64) -> f64 {
    format!("{tolerance:.3e}").parse().unwrap_or(tolerance)
}

/// Instants one by one, without the first and the last.
fn instants(time: &[f64]) -> Arc<[f64]> {
    let mut instants: Vec<f64> = time.to_vec();
    instants.dedup();
    match &instants[..] {
        [_, inner @ .., _] => Arc::from(inner),
        _ => Arc::from([]),
    }
}

/// Why two runs cannot be kept, if so.
fn too_large(program: &Program, settings: &Settings, wanted: &dyn Fn(&str) -> bool) -> Option<String> {
    let points = if settings.interval > 0.0 {
        ((settings.stop - settings.start) / settings.interval).max(settings.instants.len() as f64)
    } else {
        FEWEST_STEPS
    };
    let signals = program.variables.iter().filter(|v| wanted(&v.name)).count();
    (points * signals as f64 > MAX_NUMBERS).then(|| {
        format!("{signals} signals at {points:.0} points are too many to keep; choose some with --variables, or fewer points")
    })
}

/// The second run: what it recorded, and in how many seconds; or why there is nothing, with what was torn.
fn again(
    model: &Arc<CompiledModel>,
    settings: &Settings,
    wanted: &dyn Fn(&str) -> bool,
    first: &Mutex<First>,
    over: &dyn Fn() -> bool,
) -> Result<(Recorded, f64), (String, Vec<String>)> {
    let (mut trajectory, mut log) = (Trajectory::default(), SwitchLog::default());
    let begin = Instant::now();
    let mut late = None;
    let output = Output { wanted, sink: &mut trajectory, path: None };
    let mut go_on = |time: f64| {
        let in_time = match *first.lock().unwrap_or_else(PoisonError::into_inner) {
            First::Running => true,
            First::Done(seconds) => begin.elapsed().as_secs_f64() < PATIENCE * seconds + PATIENCE_SECONDS,
            First::Failed => false,
        };
        if !in_time {
            late = Some(time);
        }
        in_time && !over()
    };
    let ended = run_logged(
        model.clone(),
        settings,
        &States::default(),
        vec![output],
        None,
        &mut go_on,
        Some(&mut log),
    );
    if let Some(time) = late {
        let why = format!(
            "it took more than {PATIENCE} times as long as the run, and came to time {}",
            instant(time)
        );
        return Err((why, Vec::new()));
    }
    match ended.diagnostics.iter().find(|d| d.is_error()) {
        Some(d) => Err((d.message.clone(), ended.torn)),
        None => Ok((Recorded { trajectory, log }, ended.seconds)),
    }
}

/// Compares two runs.
fn assess(
    program: &Program,
    ours: Recorded,
    theirs: Recorded,
    settings: &Settings,
    second: &Settings,
    seconds: f64,
) -> Audit {
    let span = (settings.stop - settings.start).abs();
    let significant = settings.tolerance * span;
    let too_many = ours.log.is_full() || theirs.log.is_full();
    let aligned = if too_many { Alignment::default() } else { align(&ours.log, &theirs.log) };
    let alignment = without_incidental(aligned, &ours, &theirs, EXCESS * significant);
    let instants = |&(i, j): &(usize, usize)| {
        let (first, second) = (ours.log.switches[i].time, theirs.log.switches[j].time);
        (first != second).then_some(Window { first, second })
    };
    let windows: Vec<Window> = alignment.pairs.iter().filter_map(instants).collect();
    let rows = Rows::new(&ours.trajectory, &theirs.trajectory, &windows);
    let events = Events { too_many, ..events(program, &alignment, &ours.log, &theirs.log, significant) };
    let runs = Compared { ours: ours.trajectory, theirs: theirs.trajectory, rows };
    Audit {
        method: second.method.to_string(),
        tolerance: second.tolerance,
        seconds,
        signals: signals(&runs),
        events,
        asked: settings.tolerance,
        span,
        runs,
    }
}

/// The errors of all signals, the worst first.
fn signals(runs: &Compared) -> Vec<SignalError> {
    let Compared { ours, theirs, rows } = runs;
    let size =
        |column: &Vec<f64>| column.iter().filter(|v| v.is_finite()).fold(0.0, |m: f64, v| m.max(v.abs()));
    let sizes: Vec<f64> = ours.columns.iter().map(size).collect();
    let pairs = ours.columns.iter().zip(&theirs.columns);
    let largest: Vec<_> = pairs.map(|(a, b)| rows.largest(&ours.time, a, b)).collect();
    let mut of_unit: HashMap<&str, f64> = HashMap::new();
    let mut found = Vec::new();
    for signal in &ours.signals {
        if let Values::Column(column, _) = signal.values {
            let known = of_unit.entry(&signal.unit).or_default();
            *known = known.max(sizes[column]);
        }
    }
    for signal in &ours.signals {
        let Values::Column(column, _) = signal.values else { continue };
        let Some(&errors::Largest { error, at }) = largest.get(column) else { continue };
        let unit = of_unit.get(signal.unit.as_str()).copied().unwrap_or_default();
        let size = sizes[column].max(SHARE_OF_UNIT * unit);
        let relative = if error > 0.0 { error / size.max(f64::MIN_POSITIVE) } else { 0.0 };
        found.push(SignalError { name: signal.name.clone(), error, relative, at, column });
    }
    found.sort_by(|a, b| b.relative.total_cmp(&a.relative));
    found
}

/// Takes changes away that say nothing: a condition that decides nothing at present is not searched for, and is seen to have
/// changed at an output point or when another event makes all of them be evaluated. The latter is an instant that both runs
/// have for another reason.
fn without_incidental(found: Alignment, ours: &Recorded, theirs: &Recorded, near: f64) -> Alignment {
    let steady = |&(i, j): &(usize, usize)| {
        let (a, b) = (ours.log.switches[i], theirs.log.switches[j]);
        (a.located && b.located && (a.time - b.time).abs() <= near).then_some((a, b))
    };
    let steady: Vec<(Switch, Switch)> = found.pairs.iter().filter_map(steady).collect();
    let (mut here, mut there): (Vec<Switch>, Vec<Switch>) = steady.into_iter().unzip();
    for side in [&mut here, &mut there] {
        side.sort_by(|a, b| a.time.total_cmp(&b.time));
    }
    let known: Vec<f64> = {
        let others = theirs.trajectory.events();
        let both = |t: &f64| others.binary_search_by(|other| other.total_cmp(t)).is_ok();
        ours.trajectory.events().into_iter().filter(both).collect()
    };
    let is_incidental = |switch: &Switch, side: &[Switch]| {
        if !switch.located {
            return true;
        }
        let from = side.partition_point(|s| s.time < switch.time);
        let mut same = side[from..].iter().take_while(|s| s.time == switch.time);
        same.any(|s| s.relation != switch.relation)
            || known.binary_search_by(|t| t.total_cmp(&switch.time)).is_ok()
    };
    let (a, b) = (&ours.log.switches, &theirs.log.switches);
    let mut kept = found;
    kept.pairs.retain(|&(i, j)| {
        let moved = (a[i].time - b[j].time).abs() > near;
        let incidental = is_incidental(&a[i], &here) && is_incidental(&b[j], &there);
        a[i].located && b[j].located && !(moved && incidental)
    });
    kept.only_first.retain(|&i| !is_incidental(&a[i], &here));
    kept.only_second.retain(|&j| !is_incidental(&b[j], &there));
    kept
}

/// What became of events. Shifts below what the tolerance makes of the whole run are not listed.
fn events(
    program: &Program,
    found: &Alignment,
    ours: &SwitchLog,
    theirs: &SwitchLog,
    significant: f64,
) -> Events {
    let shift = |&(i, j): &(usize, usize)| (ours.switches[i].time - theirs.switches[j].time).abs();
    let mut moved: Vec<(usize, usize)> =
        found.pairs.iter().copied().filter(|p| shift(p) > significant).collect();
    moved.sort_by(|a, b| shift(b).total_cmp(&shift(a)));
    let name = |switch: &Switch| {
        let text = failure::condition(program, switch.relation);
        text.unwrap_or_else(|| {
            program.variables[program.relations[switch.relation as usize].variable.index()].name.clone()
        })
    };
    let alone = |(log, i, in_run): (&SwitchLog, usize, bool)| (log.switches[i], in_run);
    let first = found.only_first.iter().map(|i| (ours, *i, true));
    let second = found.only_second.iter().map(|j| (theirs, *j, false));
    let mut unmatched: Vec<(Switch, bool)> = first.chain(second).map(alone).collect();
    unmatched.sort_by(|a, b| a.0.time.total_cmp(&b.0.time));
    Events {
        compared: found.pairs.len(),
        largest_shift: found.pairs.iter().map(shift).fold(0.0, f64::max),
        moved: moved
            .iter()
            .take(LISTED)
            .map(|&(i, j)| (ours.switches[i], theirs.switches[j]))
            .map(|(a, b)| Moved { condition: name(&a), time: a.time, audit_time: b.time })
            .collect(),
        only_in_run: found.only_first.len(),
        only_in_audit: found.only_second.len(),
        unmatched: unmatched
            .iter()
            .take(LISTED)
            .map(|(s, in_run)| Unmatched { condition: name(s), time: s.time, in_run: *in_run })
            .collect(),
        too_many: false,
    }
}

impl Audit {
    /// The estimated error of a signal.
    pub fn signal(&self, name: &str) -> Option<&SignalError> {
        self.signals.iter().find(|s| s.name == name)
    }

    /// The estimated error of a signal at each row of the run.
    pub fn band(&self, name: &str) -> Option<Vec<f64>> {
        let Values::Column(column, _) = self.runs.ours.signal(name)?.values else { return None };
        Some(self.runs.rows.band(self.runs.ours.columns.get(column)?, self.runs.theirs.columns.get(column)?))
    }

    /// How many points in time were compared.
    pub fn points(&self) -> usize {
        self.runs.rows.len()
    }
}
