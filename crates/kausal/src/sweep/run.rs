//! Makes the runs of a sweep on several threads.
//!
//! Each thread takes the next few runs that nobody has, so that none waits while there is work; how many follows from how long
//! runs take. Rows come to the [`Collector`] in any order and leave it in theirs. Nothing of a run is shared but the compiled
//! model: what it computes does not depend on the thread, or on what else goes on.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use kausal_codegen::Backend;
use kausal_runtime::{Interrupt, Machine, Observer, RunError, Settings, Statistics};
use kausal_syntax::Diagnostic;
use kausal_translate::Options;

use super::collect::Collector;
use super::design::Design;
use super::quantities::{Follower, Kept};
use super::runs::{Row, Status};
use super::variants::{Variant, Variants, first_error, line};
use crate::cancel::Cancel;
use crate::failure;
use crate::internal::guarded;
use crate::runner::{Runner, Watch};
use crate::settings::Setting;
use crate::simulate::{self, Ending};

/// What all threads know.
pub(super) struct Work<'a> {
    pub design: &'a Design,
    pub variants: &'a Variants<'a>,
    pub kept: &'a Kept,
    pub settings: &'a Settings,
    pub options: &'a Options,
    pub backend: Backend,
    pub limit: Option<Duration>,
    pub cancel: &'a Cancel,
    /// The first run behind those that are wanted.
    pub end: u64,
}

/// How far it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Runs that are over, those of an interrupted sweep included.
    pub done: u64,
    /// Runs there will be.
    pub total: u64,
    /// Runs that failed since the sweep was begun or resumed.
    pub failed: u64,
    /// Seconds since then.
    pub seconds: f64,
    /// Seconds that are left, as far as can be told.
    pub left: Option<f64>,
}

/// Runs a thread takes at a time take about so long: beside that a lock is nothing.
const AT_A_TIME: Duration = Duration::from_millis(2);
const MOST_AT_A_TIME: u64 = 1024;
/// How often it is looked at whether somebody asks for the end, and whether a run takes too long.
const OFTEN: Duration = Duration::from_millis(20);
/// A step that is under way when the time is over may end by itself within this.
const LATE: Duration = Duration::from_millis(300);

/// What is under way in a thread: since when, and what ends it.
type UnderWay = Mutex<Option<(Instant, Interrupt)>>;

/// Makes all runs from `begin` on. The calling thread is told how far it is and may end it; was all made?
pub(super) fn all(
    work: &Work,
    begin: u64,
    threads: usize,
    collector: Collector,
    progress: &mut dyn FnMut(Progress) -> bool,
) -> Result<(Collector, bool), Diagnostic> {
    let next = AtomicU64::new(begin);
    let over = AtomicBool::new(false);
    let shared = Shared { collector: Mutex::new(collector), room: Condvar::new() };
    let slots: Vec<UnderWay> = (0..threads).map(|_| Mutex::new(None)).collect();
    let running = (Mutex::new(threads), Condvar::new());
    let start = Instant::now();
    std::thread::scope(|scope| {
        for slot in &slots {
            let (next, over, shared, running) = (&next, &over, &shared, &running);
            scope.spawn(move || {
                let outcome = guarded(|| thread(work, next, over, shared, slot));
                if let Err(fault) = outcome.and_then(|outcome| outcome) {
                    over.store(true, Ordering::SeqCst);
                    lock(&shared.collector).broken.get_or_insert(fault);
                }
                shared.room.notify_all();
                *lock(&running.0) -= 1;
                running.1.notify_all();
            });
        }
        let mut left = lock(&running.0);
        while *left > 0 {
            left = running.1.wait_timeout(left, OFTEN).unwrap_or_else(PoisonError::into_inner).0;
            drop(left);
            let (done, failed) = {
                let collector = lock(&shared.collector);
                (collector.done(), collector.failed)
            };
            let seconds = start.elapsed().as_secs_f64();
            let (made, rest) = (done.saturating_sub(begin), work.end.saturating_sub(done));
            let pace = (made > 0).then(|| seconds / made as f64 * rest as f64);
            if !progress(Progress { done, total: work.end, failed, seconds, left: pace })
                || work.cancel.is_cancelled()
            {
                over.store(true, Ordering::SeqCst);
            }
            let ends = over.load(Ordering::SeqCst);
            for slot in &slots {
                if let Some((since, interrupt)) = &*lock(slot)
                    && (ends || work.limit.is_some_and(|limit| since.elapsed() > limit.saturating_add(LATE)))
                {
                    interrupt.request();
                }
            }
            left = lock(&running.0);
        }
    });
    let mut collector = shared.collector.into_inner().unwrap_or_else(PoisonError::into_inner);
    match collector.broken.take() {
        Some(broken) => Err(broken),
        None => {
            let complete = collector.done() >= work.end;
            Ok((collector, complete))
        }
    }
}

/// Makes these runs, each by whichever thread is free; none where somebody asks for the end. Rows come in the order of the runs.
pub(super) fn chosen(work: &Work, runs: &[u64], threads: usize, over: &AtomicBool) -> Vec<Option<Row>> {
    let next = AtomicUsize::new(0);
    let rows: Mutex<Vec<Option<Row>>> = Mutex::new(vec![None; runs.len()]);
    std::thread::scope(|scope| {
        for _ in 0..threads.min(runs.len()) {
            scope.spawn(|| {
                let slot = UnderWay::default();
                let mut maker =
                    Maker { work, slot: &slot, over, follower: Follower::new(work.kept), row: Vec::new() };
                while let Some((at, &run)) = {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    runs.get(at).map(|run| (at, run))
                } {
                    let row = maker.run(run);
                    lock(&rows)[at] = row;
                }
            });
        }
    });
    rows.into_inner().unwrap_or_else(PoisonError::into_inner)
}

struct Shared {
    collector: Mutex<Collector>,
    /// Rows that wait for an earlier one have become less.
    room: Condvar,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One thread, until there is nothing left to do.
fn thread(
    work: &Work,
    next: &AtomicU64,
    over: &AtomicBool,
    shared: &Shared,
    slot: &UnderWay,
) -> Result<(), Diagnostic> {
    let mut maker = Maker { work, slot, over, follower: Follower::new(work.kept), row: Vec::new() };
    let mut at_a_time = 1;
    let cores = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    loop {
        let begin = next.fetch_add(at_a_time, Ordering::Relaxed);
        let end = (begin + at_a_time).min(work.end);
        if begin >= end {
            return Ok(());
        }
        let since = Instant::now();
        let mut rows = Vec::with_capacity((end - begin) as usize);
        for run in begin..end {
            match maker.run(run) {
                Some(row) => rows.push(row),
                None => break,
            }
        }
        let complete = rows.len() as u64 == end - begin;
        let one = since.elapsed().as_secs_f64() / (end - begin) as f64;
        // At the end nobody takes so many that others have nothing.
        let fair = (work.end - end) / (4 * cores);
        at_a_time = ((AT_A_TIME.as_secs_f64() / one.max(1e-9)) as u64).min(fair).clamp(1, MOST_AT_A_TIME);
        let mut collector = lock(&shared.collector);
        let first = collector.done() == begin;
        // Whoever everybody waits for never waits.
        while !first && collector.is_full() && collector.done() < begin && !over.load(Ordering::Relaxed) {
            collector = shared.room.wait_timeout(collector, OFTEN).unwrap_or_else(PoisonError::into_inner).0;
        }
        collector.take(begin, rows)?;
        drop(collector);
        shared.room.notify_all();
        if !complete {
            return Ok(());
        }
    }
}

/// Makes runs, one after the other.
struct Maker<'a> {
    work: &'a Work<'a>,
    slot: &'a UnderWay,
    over: &'a AtomicBool,
    follower: Follower,
    row: Vec<Setting>,
}

impl Maker<'_> {
    /// One run; none where somebody has asked for the end.
    fn run(&mut self, run: u64) -> Option<Row> {
        if self.over.load(Ordering::Relaxed) || self.work.cancel.is_cancelled() {
            return None;
        }
        let mut values = std::mem::take(&mut self.row);
        self.work.design.row(run, &mut values);
        let prepared = guarded(|| self.work.variants.prepare(&values));
        self.row = values;
        let (variant, overrides) = match prepared {
            Ok(Ok(prepared)) => prepared,
            Ok(Err(reason)) => return Some(self.failed(reason)),
            Err(fault) => return Some(self.failed(line(&fault))),
        };
        let begin = Instant::now();
        let interrupt = Interrupt::default();
        *lock(self.slot) = Some((begin, interrupt.clone()));
        let settings = Settings { overrides: Arc::new(overrides), interrupt, ..self.work.settings.clone() };
        let row = self.simulated(&variant, &settings, begin);
        *lock(self.slot) = None;
        match row.status {
            Status::TimedOut if self.over.load(Ordering::SeqCst) || self.work.cancel.is_cancelled() => None,
            _ => Some(row),
        }
    }

    fn failed(&self, reason: String) -> Row {
        let numbers = vec![f64::NAN; self.work.kept.quantities.len()];
        let trace = vec![f64::NAN; self.work.kept.trace()];
        Row { status: Status::Failed, reason: Some(reason), end: f64::NAN, numbers, trace }
    }

    fn simulated(&mut self, variant: &Variant, settings: &Settings, begin: Instant) -> Row {
        self.follower.begin();
        let deadline = self.work.limit.and_then(|limit| begin.checked_add(limit));
        let mut watcher = Watcher {
            follower: &mut self.follower,
            kept: self.work.kept,
            variant,
            deadline,
            over: self.over,
        };
        let outcome = guarded(|| kausal_runtime::simulate(variant.compiled.clone(), settings, &mut watcher));
        let program = &variant.compiled.program;
        let (statistics, error) = match outcome {
            Ok((statistics, Ok(()))) => (statistics, None),
            Ok((statistics, Err(error))) => (statistics, Some(error)),
            Err(fault) => return self.failed(line(&fault)),
        };
        let torn = error.as_ref().is_some_and(|error| !failure::torn(program, error).is_empty());
        if torn || !statistics.emerged.is_empty() {
            return self.recovered(variant, settings, deadline);
        }
        match error {
            None => self.good(warning(program, &statistics), &statistics),
            Some(RunError::Stopped(end)) => self.timed_out(end),
            Some(error) => {
                let end = simulate::reached(&error, settings.start);
                let said = simulate::explain(program, &error, settings.start, false);
                Row { end, ..self.failed(line(&said)) }
            }
        }
    }

    fn timed_out(&self, end: f64) -> Row {
        let seconds = self.work.limit.unwrap_or_default().as_secs_f64();
        let reason =
            format!("K0521: the time limit of {seconds} s was reached at time {}", simulate::instant(end));
        Row { status: Status::TimedOut, end, ..self.failed(reason) }
    }

    fn good(&mut self, warning: Option<String>, statistics: &Statistics) -> Row {
        let mut numbers = Vec::with_capacity(self.work.kept.quantities.len());
        self.follower.finish(self.work.kept, &mut numbers);
        let (status, reason) = match &statistics.terminated {
            Some(message) => (Status::Terminated, Some(message.clone())),
            None => (Status::Complete, warning),
        };
        Row { status, reason, end: statistics.end, numbers, trace: self.follower.trace.clone() }
    }

    /// What is done where one run fails: the policy for all runs. What counts is told from its trajectory.
    fn recovered(&mut self, variant: &Variant, settings: &Settings, deadline: Option<Instant>) -> Row {
        let variables = &self.work.kept.variables;
        let wanted = |name: &str| variables.iter().any(|known| known == name);
        let runner = Runner::new(variant.compiled.clone())
            .recovering(&variant.flat, self.work.options)
            .backend(self.work.backend)
            .settings(settings.clone())
            .wanted(&wanted)
            .kept(Some(&wanted))
            .limit(deadline.map(|end| end.saturating_duration_since(Instant::now())))
            .cancel(self.work.cancel);
        let finished = match guarded(|| runner.run(&mut Asked { over: self.over })) {
            Ok(Ok(finished)) => finished,
            Ok(Err(d)) | Err(d) => return self.failed(line(&d)),
        };
        let (ended, trajectory) = (finished.ended, finished.trajectory);
        match ended.ending {
            Ending::Complete => {}
            Ending::TimedOut | Ending::Cancelled => return self.timed_out(ended.statistics.end),
            _ => return Row { end: ended.statistics.end, ..self.failed(first_error(&ended.diagnostics)) },
        }
        let signals: Vec<_> = variables.iter().map(|name| trajectory.signal(name)).collect();
        self.follower.begin();
        for (row, time) in trajectory.time.iter().enumerate() {
            let values = signals.iter().map(|s| s.map_or(f64::NAN, |s| trajectory.value(s, row)));
            self.follower.tell(self.work.kept, *time, values);
        }
        let warning = ended.diagnostics.iter().find(|d| d.code != "K0531").map(line);
        self.good(warning, &ended.statistics)
    }
}

/// The first thing to say about a run that came to its end.
fn warning(program: &kausal_translate::Program, s: &Statistics) -> Option<String> {
    if s.warnings.is_empty()
        && s.undetermined.is_empty()
        && s.lost_digits.is_empty()
        && s.below_tolerance.is_empty()
    {
        return None;
    }
    let digits = s.lost_digits.iter().map(|l| failure::lost_in_linear(program, l));
    let open = s.undetermined.iter().map(|u| failure::undetermined(program, u));
    let warnings = s.warnings.iter().map(|w| failure::warning(program, w));
    let below = failure::below_tolerance(program, &s.below_tolerance);
    digits.chain(open).chain(warnings).chain(below).next().as_ref().map(line)
}

/// Follows one run.
struct Watcher<'a> {
    follower: &'a mut Follower,
    kept: &'a Kept,
    variant: &'a Variant,
    deadline: Option<Instant>,
    over: &'a AtomicBool,
}

impl Observer for Watcher<'_> {
    fn record(&mut self, machine: &Machine) {
        self.follower.read(self.kept, &self.variant.sources, machine);
    }

    fn proceed(&mut self, _time: f64) -> bool {
        !self.over.load(Ordering::Relaxed) && self.deadline.is_none_or(|end| Instant::now() < end)
    }
}

struct Asked<'a> {
    over: &'a AtomicBool,
}

impl Watch for Asked<'_> {
    fn proceed(&mut self, _time: f64) -> bool {
        !self.over.load(Ordering::Relaxed)
    }
}
