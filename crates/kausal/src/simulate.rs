//! Runs a compiled model and keeps what was recorded; failures become diagnostics.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kausal_model::flat::Type;
use kausal_runtime::machine::{Failure, Stop};
use kausal_runtime::{CompiledModel, Machine, Observer, RunError, Settings, Snapshot, Statistics};
use kausal_solver::Reason;
use kausal_symbolic::VarId;
use kausal_syntax::Diagnostic;
use kausal_translate::Program;
use kausal_translate::program::{Check, Kind};

use crate::audit::switches::SwitchLog;
use crate::bounds::BoundsCheck;
use crate::cancel::Watchdog;
use crate::failure;
use crate::glob;
use crate::internal::guarded;
use crate::result::{Recorder, Sink, Trajectory};
use crate::saved;
use crate::session::nearest;
use crate::store;

/// How a run ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ending {
    /// At its end, or where the model ended it.
    #[default]
    Complete,
    /// The model or the integrator cannot go on.
    Failed,
    /// Ended from outside.
    Cancelled,
    /// It took longer than it may.
    TimedOut,
    /// Results cannot be written.
    Unwritable,
    /// A fault of this program.
    Fault,
}

/// What a run gave.
#[derive(Debug)]
pub struct Run {
    /// What was recorded, up to the error if there was one.
    pub trajectory: Trajectory,
    /// What it took.
    pub statistics: Statistics,
    /// Why it ended early, and warnings of the model.
    pub diagnostics: Vec<Diagnostic>,
    /// Seconds for initialisation and integration.
    pub seconds: f64,
    /// Seconds until the initial values were there.
    pub seconds_initialize: f64,
    /// The iteration variables of the torn system that failed, if that is why the run ended: see
    /// [`Runner`](crate::runner::Runner).
    pub torn: Vec<String>,
    /// That system lost digits.
    pub lost_digits: bool,
    /// States that grew out of their absolute tolerances by themselves: another run with [`Settings::relative`] knows them.
    pub emerged: Vec<String>,
}

/// What a run told somebody: the same without the records, which went elsewhere.
#[derive(Debug)]
pub struct Ended {
    /// What it took.
    pub statistics: Statistics,
    /// How it ended.
    pub ending: Ending,
    /// Why it ended early, and warnings of the model.
    pub diagnostics: Vec<Diagnostic>,
    /// Seconds for initialisation and integration.
    pub seconds: f64,
    /// Seconds until the initial values were there.
    pub seconds_initialize: f64,
    /// The iteration variables of the torn system that failed, if that is why the run ended: see
    /// [`Runner`](crate::runner::Runner).
    pub torn: Vec<String>,
    /// That system lost digits.
    pub lost_digits: bool,
    /// States that grew out of their absolute tolerances by themselves: another run with [`Settings::relative`] knows them.
    pub emerged: Vec<String>,
    /// Its state, where that was asked for and could be taken.
    pub snapshot: Option<Snapshot>,
}

/// Where a run begins other than at its initial values, and where its state is taken.
#[derive(Clone, Debug, Default)]
pub struct States {
    /// It goes on from here.
    pub from: Option<Arc<Snapshot>>,
    /// It ends here and not where the run it goes on with was to end.
    pub stop: Option<f64>,
    /// Its state is taken.
    pub save: Option<SaveAt>,
}

/// Where the state of a run is taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SaveAt {
    /// Where it ends.
    End,
    /// At an instant.
    Time(f64),
}

/// Where records go: the variables that pass the test, to a sink.
pub struct Output<'a> {
    /// Which variables.
    pub wanted: &'a dyn Fn(&str) -> bool,
    /// Where to.
    pub sink: &'a mut dyn Sink,
    /// The file behind the sink, for messages.
    pub path: Option<&'a Path>,
}

/// Runs a model and records the variables that pass the test. `progress` is asked after every step whether to go on.
pub fn run(
    model: Arc<CompiledModel>,
    settings: &Settings,
    wanted: &dyn Fn(&str) -> bool,
    limit: Option<Duration>,
    progress: &mut dyn FnMut(f64) -> bool,
) -> Run {
    let mut trajectory = Trajectory::default();
    let output = Output { wanted, sink: &mut trajectory, path: None };
    let ended = run_into(model, settings, vec![output], limit, progress);
    Run {
        trajectory,
        statistics: ended.statistics,
        diagnostics: ended.diagnostics,
        seconds: ended.seconds,
        seconds_initialize: ended.seconds_initialize,
        torn: ended.torn,
        lost_digits: ended.lost_digits,
        emerged: ended.emerged,
    }
}

/// Runs a model and passes each record on at once. A sink that fails ends the run; what the others have is complete up
/// to there.
pub fn run_into(
    model: Arc<CompiledModel>,
    settings: &Settings,
    outputs: Vec<Output>,
    limit: Option<Duration>,
    progress: &mut dyn FnMut(f64) -> bool,
) -> Ended {
    run_logged(model, settings, &States::default(), outputs, limit, progress, None)
}

/// The same; the conditions that change are noted in a log, if there is one.
pub(crate) fn run_logged(
    model: Arc<CompiledModel>,
    settings: &Settings,
    states: &States,
    outputs: Vec<Output>,
    limit: Option<Duration>,
    progress: &mut dyn FnMut(f64) -> bool,
    log: Option<&mut SwitchLog>,
) -> Ended {
    let start = Instant::now();
    let outputs = outputs.into_iter().map(|o| (Recorder::new(&model.program, o.wanted), o)).collect();
    let deadline = limit.and_then(|l| start.checked_add(l));
    let careful = !model.foreign_functions().is_empty();
    let mut watcher = Watcher {
        outputs,
        careful,
        kept: start,
        deadline,
        progress,
        timed_out: false,
        reached: settings.start,
        first: None,
        broken: Vec::new(),
        bounds: BoundsCheck::new(settings.tolerance),
        log,
    };
    let watchdog = Watchdog::new(limit, &settings.interrupt);
    let mut taken = None;
    let outcome = guarded(|| states.run(&model, settings, &mut watcher, &mut taken));
    drop(watchdog);
    let (mut statistics, result) = match outcome {
        Ok(Ok((statistics, result))) => (statistics, result.map_err(Cause::Error)),
        Ok(Err(d)) => (Statistics { end: watcher.reached, ..Statistics::default() }, Err(Cause::State(d))),
        Err(fault) => {
            (Statistics { end: watcher.reached, ..Statistics::default() }, Err(Cause::Fault(fault)))
        }
    };
    let seconds = start.elapsed().as_secs_f64();
    watcher.finish();
    let mut diagnostics: Vec<Diagnostic> =
        statistics.warnings.iter().map(|w| failure::warning(&model.program, w)).collect();
    diagnostics.extend(watcher.bounds.warnings(&model.program));
    let undetermined = failure::united(&model.program, &statistics.undetermined);
    diagnostics.extend(undetermined.iter().map(|u| failure::undetermined(&model.program, u)));
    diagnostics.extend(statistics.lost_digits.iter().map(|l| failure::lost_in_linear(&model.program, l)));
    diagnostics.extend(failure::below_tolerance(&model.program, &statistics.below_tolerance));
    diagnostics.extend(failure::emerged(&model.program, &statistics.emerged));
    let name = |(v, _): &(kausal_symbolic::VarId, f64)| model.program.variables[v.index()].name.clone();
    let emerged = statistics.emerged.iter().map(name).collect();
    diagnostics.extend(statistics.messages.iter().map(|m| Diagnostic::note("K0531", m.clone())));
    diagnostics.append(&mut watcher.broken);
    let snapshot = match taken {
        Some(Ok(snapshot)) => Some(snapshot),
        Some(Err(why)) => {
            diagnostics.push(saved::not_saved(&model.program, &why));
            None
        }
        None => None,
    };
    let error = match &result {
        Err(Cause::Error(error)) => Some(error),
        _ => None,
    };
    let torn = error.map_or_else(Vec::new, |error| failure::torn(&model.program, error));
    let lost_digits = !torn.is_empty() && error.is_some_and(failure::lost_digits);
    let unwritable = diagnostics.iter().any(Diagnostic::is_error);
    let ending = match result {
        // That a sink failed has been said.
        Err(Cause::Error(RunError::Stopped(_))) | Ok(()) if unwritable => Ending::Unwritable,
        Ok(()) => Ending::Complete,
        Err(Cause::Fault(fault)) => {
            diagnostics.push(fault);
            Ending::Fault
        }
        Err(Cause::State(d)) => {
            diagnostics.push(d);
            Ending::Failed
        }
        Err(Cause::Error(error)) => {
            // The integrator may have gone ahead of what is right; how far the run came is what the message says.
            statistics.end = reached(&error, settings.start);
            let late = watcher.timed_out || watcher.deadline.is_some_and(|d| Instant::now() > d);
            diagnostics.push(explain(&model.program, &error, settings.start, late));
            match error {
                RunError::Stopped(_) if late => Ending::TimedOut,
                RunError::Stopped(_) => Ending::Cancelled,
                _ => Ending::Failed,
            }
        }
    };
    // A run that records nothing has spent all of it on initial values.
    let seconds_initialize = watcher.first.map_or(seconds, |first| first.duration_since(start).as_secs_f64());
    Ended {
        statistics,
        ending,
        diagnostics,
        seconds,
        seconds_initialize,
        torn,
        lost_digits,
        emerged,
        snapshot,
    }
}

/// Why a run ended early.
enum Cause {
    Error(RunError),
    /// A fault of this program.
    Fault(Diagnostic),
    /// The state it was to go on from is none of this model.
    State(Diagnostic),
}

struct Watcher<'a, 'b> {
    outputs: Vec<(Recorder, Output<'a>)>,
    /// Foreign code may end the program, or never end itself: each row may be the last one.
    careful: bool,
    /// When what was recorded was last made safe.
    kept: Instant,
    deadline: Option<Instant>,
    progress: &'b mut dyn FnMut(f64) -> bool,
    timed_out: bool,
    /// How far it came.
    reached: f64,
    first: Option<Instant>,
    /// Sinks that failed are gone from `outputs`; this says why.
    broken: Vec<Diagnostic>,
    bounds: BoundsCheck,
    log: Option<&'b mut SwitchLog>,
}

impl Watcher<'_, '_> {
    fn finish(&mut self) {
        for (mut recorder, output) in self.outputs.drain(..) {
            if let Err(error) = recorder.finish(output.sink) {
                self.broken.push(failed(output.path, None, &error));
            }
        }
    }
}

fn failed(path: Option<&Path>, time: Option<f64>, error: &io::Error) -> Diagnostic {
    store::unwritable(path.unwrap_or(Path::new("the result")), time, error)
}

impl Observer for Watcher<'_, '_> {
    fn record(&mut self, machine: &Machine) {
        /// Who ends the program by force loses no more than this.
        const OFTEN: Duration = Duration::from_millis(250);
        let now = Instant::now();
        self.first.get_or_insert(now);
        self.reached = machine.time;
        self.bounds.look(machine);
        if let Some(log) = &mut self.log {
            log.look(machine);
        }
        let broken = &mut self.broken;
        let careful = self.careful || now.duration_since(self.kept) > OFTEN;
        if careful {
            self.kept = now;
        }
        self.outputs.retain_mut(|(recorder, output)| {
            let recorded = recorder.record(machine, output.sink);
            match recorded.and_then(|()| if careful { output.sink.keep() } else { Ok(()) }) {
                Ok(()) => true,
                Err(error) => {
                    // What can still be saved is; a full disk has been said.
                    let _ = recorder.finish(output.sink);
                    broken.push(failed(output.path, Some(machine.time), &error));
                    false
                }
            }
        });
    }

    fn proceed(&mut self, time: f64) -> bool {
        if self.deadline.is_some_and(|d| Instant::now() > d) {
            self.timed_out = true;
            return false;
        }
        self.broken.is_empty() && (self.progress)(time)
    }
}

/// An instant as people read it: neither rows of zeros nor more digits than it has.
pub fn instant(t: f64) -> String {
    kausal_solver::error::instant(t)
}

/// How far a run came that failed.
pub(crate) fn reached(error: &RunError, start: f64) -> f64 {
    match error {
        RunError::Initial(_) => start,
        RunError::Event(t, _)
        | RunError::EventLoop(t, _)
        | RunError::Chattering(t, _)
        | RunError::Integration(t, ..)
        | RunError::Stopped(t) => *t,
    }
}

/// An error when a pattern (a name, or with `*` and `?`) stands for no variable of the program.
pub fn unmatched<'a>(program: &Program, patterns: impl Iterator<Item = &'a String>) -> Option<Diagnostic> {
    let names = || program.variables.iter().filter(|v| v.kind != Kind::Helper).map(|v| v.name.as_str());
    for pattern in patterns {
        if names().any(|name| name == pattern || glob::matches(pattern, name)) {
            continue;
        }
        let d = Diagnostic::error("K0910", format!("there is no variable {pattern}"));
        return Some(match nearest(pattern, names()) {
            Some(nearest) => d.help(format!("did you mean {nearest}?")),
            None => d.help("kausal flatten prints all variables; * and ? stand for any characters"),
        });
    }
    None
}

/// The diagnostic of a failed run.
pub fn explain(program: &Program, error: &RunError, start: f64, timed_out: bool) -> Diagnostic {
    let d = described(program, error, start, timed_out);
    failure::with_equations(d, program, error)
}

fn described(program: &Program, error: &RunError, start: f64, timed_out: bool) -> Diagnostic {
    if let RunError::Initial(Stop::Crash(what))
    | RunError::Event(_, Stop::Crash(what))
    | RunError::Integration(_, _, Some(Stop::Crash(what))) = error
    {
        return Diagnostic::error("K0543", format!("at time {}: {what}", instant(reached(error, start))))
            .help("the results up to there are kept; look for the fault in the C code");
    }
    let start = instant(start);
    match error {
        RunError::Initial(stop) => {
            let (what, help) = describe(program, stop);
            let d =
                Diagnostic::error("K0510", format!("no consistent initial values at time {start}: {what}"));
            let d = match (help, stop) {
                (Some(help), _) => d.help(help),
                // Start values have no part in what a function or an assertion says.
                (None, Stop::Function(..) | Stop::Assertion(_) | Stop::Terminate(_)) => d,
                (None, _) => d.help("give start values near the solution, or fix other variables"),
            };
            let place = match stop {
                Stop::Contradiction(check, ..) => program.checks.get(*check).and_then(|c| c.origin.location),
                _ => None,
            };
            let fixed = |check: &Check| check.fixed.is_some();
            let is_fixed = matches!(stop, Stop::Contradiction(check, ..) if program.checks.get(*check).is_some_and(fixed));
            match place {
                Some(location) if is_fixed => d.at(location, "fixed here"),
                Some(location) => d.at(location, "this one"),
                None => d,
            }
        }
        RunError::Event(t, stop) => with_help(
            "K0511",
            format!("the event at time {} cannot be solved", instant(*t)),
            describe(program, stop),
        ),
        RunError::EventLoop(t, restless) => Diagnostic::error(
            "K0512",
            format!(
                "the event at time {} does not come to rest: conditions switch each other back and forth{}",
                instant(*t),
                failure::listed(program, restless)
            ),
        )
        .help("use pre() where a condition depends on what it changes, or add a hysteresis"),
        RunError::Chattering(t, relations) if known_in_advance(program, relations) => Diagnostic::error(
            "K0513",
            format!(
                "events follow each other too fast at time {} for the run to come to its end (chattering){}",
                instant(*t),
                failure::conditions(program, relations)
            ),
        )
        .help("make the steps of this larger, or put noEvent(…) around what need not be found exactly"),
        RunError::Chattering(t, relations) => Diagnostic::error(
            "K0513",
            format!(
                "events follow each other without progress at time {} (chattering){}",
                instant(*t),
                failure::conditions(program, relations)
            ),
        )
        .help("add a hysteresis to the switching condition, or model the sliding state itself"),
        RunError::Integration(t, obstacle, stop) => {
            let detail = match stop {
                Some(stop) => describe(program, stop),
                None => (String::new(), None),
            };
            let what = failure::obstacle(program, *t, obstacle);
            with_help(
                "K0520",
                format!("the integration cannot go on at time {}: {what}", instant(*t)),
                detail,
            )
        }
        RunError::Stopped(t) if timed_out => {
            Diagnostic::error("K0521", format!("the time limit was reached at time {}", instant(*t)))
                .help("give more with --timeout, or a shorter run with --stop")
        }
        RunError::Stopped(t) => Diagnostic::error("K0522", format!("stopped at time {}", instant(*t))),
    }
}

fn with_help(
    code: &'static str,
    message: String,
    (detail, help): (String, Option<&'static str>),
) -> Diagnostic {
    let text = if detail.is_empty() { message } else { format!("{message}: {detail}") };
    let d = Diagnostic::error(code, text);
    match help {
        Some(help) => d.help(help),
        None => d,
    }
}

/// Are these relations that change at instants which are known in advance, or none, as at samples?
fn known_in_advance(program: &Program, relations: &[u32]) -> bool {
    relations.iter().all(|&r| program.relations.get(r as usize).is_some_and(|r| r.timed.is_some()))
}

pub(crate) fn describe(program: &Program, stop: &Stop) -> (String, Option<&'static str>) {
    match stop {
        Stop::Assertion(violated) => (format!("assertion violated: {}", violated.text), None),
        Stop::Terminate(message) => (format!("terminated: {message}"), None),
        Stop::Function(_, message) | Stop::Crash(message) => (message.clone(), None),
        Stop::NotInteger(v, value) => {
            let name = &program.variables[v.index()].name;
            if value.fract() != 0.0 {
                let help = "an equation for an Integer must have a solution that is a whole number";
                (format!("the Integer {name} would be {value}"), Some(help))
            } else {
                let help = "Integers are exact up to 9007199254740992; use a Real for larger numbers";
                (format!("the Integer {name} is too large: {value:e}"), Some(help))
            }
        }
        Stop::Interrupted => ("it was stopped".to_owned(), None),
        Stop::Undefined(_) => (
            "a condition is neither true nor false, for what it compares is not a number".to_owned(),
            Some(
                "look for a square root or logarithm of a negative number; a branch that is taken only where it can be computed may stand around it",
            ),
        ),
        Stop::NotAState(v) => {
            let help = "at one event, reinitialise only variables that can be chosen freely there";
            let name = &program.variables[v.index()].name;
            (format!("{name} cannot be reinitialised here: constraints determine it from others"), Some(help))
        }
        Stop::Contradiction(check, left, right)
            if let Some(Some(v)) = program.checks.get(*check).map(|c| c.fixed) =>
        {
            let name = &program.variables[v.index()].name;
            let what = format!("{name} is fixed to start at {right}, but the equations make it {left}");
            let unconnected = program.checks.get(*check).is_some_and(|c| c.unconnected);
            (
                what,
                Some(if unconnected {
                    "nothing is connected there, so nothing flows: connect it, or take `fixed = true` away"
                } else {
                    "remove `fixed = true`, or remove the other condition that determines it"
                }),
            )
        }
        Stop::Contradiction(check, left, right) => {
            let what = program.checks.get(*check).map_or("", |c| c.text.as_str());
            let help = "the equations of the model and the other initial conditions determine everything in it: take it away, or one \
                 of them";
            (
                format!(
                    "an initial condition contradicts the others: {left} is not {right}; the equation is {what}"
                ),
                Some(help),
            )
        }
        Stop::Failed(Failure { reason, unknowns, residual }) => {
            const SHOWN: usize = 8;
            let sweep = failure::substitution(program, unknowns);
            let names = failure::names(program, sweep.unwrap_or(unknowns));
            let more = if names.len() > SHOWN {
                format!(" and {} more", names.len() - SHOWN)
            } else {
                String::new()
            };
            let names = format!("{}{more}", names[..names.len().min(SHOWN)].join(", "));
            // The worst of several unknowns, in the order of the residuals.
            let worst = residual.and_then(|(row, _)| unknowns.get(row)).or(unknowns.first());
            let stage = worst.map_or(String::new(), |v| failure::stage(program, unknowns, *v));
            let is_number = |v: &VarId| program.variables[v.index()].ty == Type::Real;
            let (what, help) = match reason {
                Reason::NoConvergence | Reason::NotFinite if sweep.is_some() => (
                    format!("successive substitution for {names} does not converge"),
                    Some(
                        "it converges where each equation depends most on the variable it is solved for; --loops newton does \
                         not ask for that",
                    ),
                ),
                Reason::NoConvergence if !unknowns.iter().any(is_number) => (
                    match unknowns.iter().any(|v| program.variables[v.index()].kind != Kind::Helper) {
                        true => format!("no value of {names} agrees with all equations"),
                        false => "neither side of a condition agrees with all equations".to_owned(),
                    },
                    Some(
                        "a condition depends on what it decides: is one the wrong way round, or is pre(…) meant, the value \
                         before the event?",
                    ),
                ),
                Reason::NoConvergence if failure::in_step(program, unknowns) => (
                    format!("the iteration for {names} does not converge{stage}"),
                    Some(
                        "is something discontinuous here that is no event (noEvent)? With --step, a smaller one or more \
                         --iterations may help",
                    ),
                ),
                Reason::NoConvergence => (
                    format!("the iteration for {names} does not converge"),
                    Some("give start values (and nominal values) near the solution for these variables"),
                ),
                Reason::SingularMatrix if residual.is_some() => (
                    match unknowns.len() {
                        1 => format!("the equation for {names} has no solution near here"),
                        _ => format!("the system of equations for {names} is singular"),
                    },
                    Some("two equations may contradict each other, or a fixed start value may be infeasible"),
                ),
                Reason::SingularMatrix => (
                    format!("the system of equations for {names} is singular{stage}"),
                    Some(
                        "these variables are not determined here: is a part disconnected, or a parameter zero?",
                    ),
                ),
                Reason::NotFinite => (
                    format!("{names} is not a finite number{stage}"),
                    Some(
                        "look for a division by zero, or a square root or logarithm of a negative number; where a condition \
                         guards it, noEvent(…) around both is evaluated as it stands, without waiting for the event",
                    ),
                ),
                Reason::OutsideDomain => (format!("an argument is outside its domain, in {names}"), None),
                Reason::LostDigits => (
                    format!("what is computed from {names} has lost its digits"),
                    Some("`--tearing off` solves the equations together"),
                ),
            };
            let residual = match residual {
                Some((_, r)) if *reason == Reason::SingularMatrix => match unknowns.len() {
                    1 => format!(": it is off by {}", r.abs()),
                    _ => format!(", and its equations contradict each other by {}", r.abs()),
                },
                Some((_, r)) if *reason == Reason::NoConvergence => {
                    format!(" (largest residual {:e})", r.abs())
                }
                _ => String::new(),
            };
            (format!("{what}{residual}"), help)
        }
    }
}
