//! Runs a compiled model and keeps what was recorded; failures become diagnostics.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kausal_runtime::machine::{Failure, Stop};
use kausal_runtime::{CompiledModel, Machine, Observer, RunError, Settings, Statistics};
use kausal_solver::Reason;
use kausal_symbolic::print::print_limited;
use kausal_symbolic::{ExprId, Node, VarId};
use kausal_syntax::Diagnostic;
use kausal_translate::Program;
use kausal_translate::program::Kind;

use crate::result::{Recorder, Trajectory};

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
}

/// Runs a model and records the variables that pass the test. `stop` is asked after every step.
pub fn run(
    model: Arc<CompiledModel>,
    settings: &Settings,
    wanted: &dyn Fn(&str) -> bool,
    limit: Option<Duration>,
    progress: &mut dyn FnMut(f64) -> bool,
) -> Run {
    let start = Instant::now();
    let recorder = Recorder::new(&model.program, wanted);
    let mut watcher =
        Watcher { recorder, deadline: limit.map(|l| start + l), progress, timed_out: false, first: None };
    let (statistics, result) = kausal_runtime::simulate(model.clone(), settings, &mut watcher);
    let Watcher { recorder, timed_out, first, .. } = watcher;
    let mut diagnostics: Vec<Diagnostic> =
        statistics.warnings.iter().map(|w| Diagnostic::warning("K0530", w.clone())).collect();
    if let Err(error) = result {
        diagnostics.push(explain(&model.program, &error, timed_out));
    }
    Run {
        trajectory: recorder.finish(),
        statistics,
        diagnostics,
        seconds: start.elapsed().as_secs_f64(),
        seconds_initialize: first.unwrap_or(start).duration_since(start).as_secs_f64(),
    }
}

struct Watcher<'a> {
    recorder: Recorder,
    deadline: Option<Instant>,
    progress: &'a mut dyn FnMut(f64) -> bool,
    timed_out: bool,
    first: Option<Instant>,
}

impl Observer for Watcher<'_> {
    fn record(&mut self, machine: &Machine) {
        self.first.get_or_insert_with(Instant::now);
        self.recorder.record(machine);
    }

    fn proceed(&mut self, time: f64) -> bool {
        if self.deadline.is_some_and(|d| Instant::now() > d) {
            self.timed_out = true;
            return false;
        }
        (self.progress)(time)
    }
}

/// The diagnostic of a failed run.
fn explain(program: &Program, error: &RunError, timed_out: bool) -> Diagnostic {
    match error {
        RunError::Initial(stop) => {
            let (what, help) = describe(program, stop);
            let d = Diagnostic::error("K0510", format!("no consistent initial values: {what}"))
                .help(help.unwrap_or("give start values near the solution, or fix other variables"));
            let place = match stop {
                Stop::Contradiction(check, ..) => program.checks.get(*check).and_then(|c| c.origin.location),
                _ => None,
            };
            match place {
                Some(location) => d.at(location, "this one"),
                None => d,
            }
        }
        RunError::Event(t, stop) => {
            with_help("K0511", format!("the event at time {t} cannot be solved"), describe(program, stop))
        }
        RunError::EventLoop(t, restless) => Diagnostic::error(
            "K0512",
            format!(
                "the event at time {t} does not come to rest: conditions switch each other back and forth{}",
                listed(restless.iter().filter_map(|v| spoken(program, *v)))
            ),
        )
        .help("use pre() where a condition depends on what it changes, or add a hysteresis"),
        RunError::Chattering(t, crossed) => Diagnostic::error(
            "K0513",
            format!(
                "events follow each other without progress at time {t} (chattering){}",
                listed(crossed.iter().filter_map(|&r| relation_text(program, r)))
            ),
        )
        .help("add a hysteresis to the switching condition, or model the sliding state itself"),
        RunError::Integration(t, what, stop) => {
            let detail = match stop {
                Some(stop) => describe(program, stop),
                None => (String::new(), None),
            };
            with_help(
                "K0520",
                format!("the integration cannot go on at time {t}: {}", named(program, what)),
                detail,
            )
        }
        RunError::Stopped(t) if timed_out => {
            Diagnostic::error("K0521", format!("the time limit was reached at time {t}"))
                .help("give more with --timeout, or a shorter run with --stop")
        }
        RunError::Stopped(t) => Diagnostic::error("K0522", format!("stopped at time {t}")),
    }
}

/// A few names behind a colon.
fn listed(names: impl Iterator<Item = String>) -> String {
    const SHOWN: usize = 5;
    let mut names: Vec<String> = names.collect();
    let more = names.len().saturating_sub(SHOWN);
    names.truncate(SHOWN);
    match (names.is_empty(), more) {
        (true, _) => String::new(),
        (false, 0) => format!(": {}", names.join(", ")),
        (false, more) => format!(": {} and {more} more", names.join(", ")),
    }
}

/// What a variable is called by the user: its name, or for a relation its text.
fn spoken(program: &Program, v: VarId) -> Option<String> {
    match program.variables[v.index()].kind {
        Kind::Helper => {
            let relation = program.relations.iter().position(|r| r.variable == v)?;
            relation_text(program, relation as u32)
        }
        _ => Some(program.variables[v.index()].name.clone()),
    }
}

/// A relation as `difference < 0`, with the difference written out.
fn relation_text(program: &Program, relation: u32) -> Option<String> {
    const LONGEST: usize = 200;
    let relation = program.relations.get(relation as usize)?;
    let is_it = |e: ExprId| matches!(program.pool.node(e), Node::Var(v) if v == relation.difference);
    let difference = program
        .equations
        .iter()
        .find_map(|e| if is_it(e.lhs) { Some(e.rhs) } else { is_it(e.rhs).then_some(e.lhs) })?;
    let name = |v: VarId| program.variables[v.index()].name.clone();
    let text = print_limited(&program.pool, difference, &name, LONGEST);
    Some(format!("`{text} {} 0`", if relation.or_equal { "<=" } else { "<" }))
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

/// Replaces "state 3" of the solver by its name.
fn named(program: &Program, text: &str) -> String {
    let Some((before, rest)) = text.split_once("state ") else { return text.to_owned() };
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    let name = digits.parse::<usize>().ok().and_then(|i| program.states.get(i)).map(|s| s.variable);
    match name {
        Some(v) => format!("{before}{}{}", program.variables[v.index()].name, &rest[digits.len()..]),
        None => text.to_owned(),
    }
}

fn describe(program: &Program, stop: &Stop) -> (String, Option<&'static str>) {
    match stop {
        Stop::Assertion(message) => (format!("assertion violated: {message}"), None),
        Stop::Terminate(message) => (format!("terminated: {message}"), None),
        Stop::Function(message) => (message.clone(), None),
        Stop::Contradiction(check, left, right) => {
            let what = program.checks.get(*check).map_or("", |c| c.text.as_str());
            let help = "the other initial conditions determine everything in it: take it away, or one of them";
            (format!("the initial condition {what} contradicts the others: {left} is not {right}"), Some(help))
        }
        Stop::Failed(Failure { reason, unknowns, residual }) => {
            const SHOWN: usize = 8;
            let names: Vec<&str> =
                unknowns.iter().take(SHOWN).map(|v| program.variables[v.index()].name.as_str()).collect();
            let more = if unknowns.len() > SHOWN {
                format!(" and {} more", unknowns.len() - SHOWN)
            } else {
                String::new()
            };
            let names = format!("{}{more}", names.join(", "));
            let (what, help) = match reason {
                Reason::NoConvergence => (
                    format!("the iteration for {names} does not converge"),
                    Some("give start values (and nominal values) near the solution for these variables"),
                ),
                Reason::SingularMatrix => (
                    format!("the system of equations for {names} is singular"),
                    Some(
                        "these variables are not determined here: is a part disconnected, or a parameter zero?",
                    ),
                ),
                Reason::NotFinite => (
                    format!("{names} is not a finite number"),
                    Some("look for a division by zero, or a square root or logarithm of a negative number"),
                ),
                Reason::OutsideDomain => (format!("an argument is outside its domain, in {names}"), None),
            };
            let residual = match residual {
                Some((_, r)) if *reason == Reason::SingularMatrix => {
                    format!(", and its equations contradict each other by {r:e}")
                }
                Some((_, r)) if *reason == Reason::NoConvergence => format!(" (largest residual {r:e})"),
                _ => String::new(),
            };
            (format!("{what}{residual}"), help)
        }
    }
}
