//! The runs of a sweep on a GPU.
//!
//! Runs are made in batches. Those of one translation that differ in numbers only go to a kernel together; a batch is as large as
//! the memory of the device allows and short enough for whoever waits for the end. What does not come to its end there (the model
//! fails or ends the run, a warning, too many steps) is made again on the cores, which have the words for what happened: rows are
//! those of a sweep without a GPU. A run that turns out to be stiff for the explicit method is made by the linearly implicit one
//! before that.
//!
//! The room `kausal-gpu` knows how: here is what is asked of it, and what becomes of the answers.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use kausal_gpu::{Batch, Engine, Ensemble, Fault, Finished, Kernel, Number, Outcome, Question};
use kausal_runtime::{Overrides, Settings};
use kausal_solver::Method;
use kausal_syntax::Diagnostic;
use rayon::prelude::*;

use super::collect::Collector;
use super::quantities::{Quantity, Side, Source};
use super::run::{self, Progress, Work};
use super::runs::{Row, Status};
use super::variants::{Variant, Variants};
use crate::settings::Setting;

/// What makes the runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Device {
    /// The cores.
    #[default]
    Cpu,
    /// A GPU; it is an error where there is none, or where the model cannot be run on one.
    Cuda,
    /// A GPU where there is one and it can, else the cores.
    Auto,
}

impl Device {
    /// All of them, with their names.
    pub const ALL: [(Device, &'static str); 3] =
        [(Device::Cpu, "cpu"), (Device::Cuda, "cuda"), (Device::Auto, "auto")];
}

/// What a GPU did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Its name.
    pub name: String,
    /// Why it did nothing.
    pub refused: Option<String>,
    /// What went wrong with a batch, which the cores made then.
    pub fault: Option<String>,
    /// Runs that are its own.
    pub runs: u64,
    /// Runs that were made again on the cores.
    pub again: u64,
    /// Kernels that were compiled.
    pub kernels: usize,
    /// Seconds that took.
    pub compiling: f64,
    /// Seconds it took to find out which values go where.
    pub preparing: f64,
    /// Seconds kernels were at work.
    pub working: f64,
    /// Steps of its runs.
    pub steps: u64,
}

impl Report {
    /// Nothing, for this reason.
    pub(super) fn refused(why: String) -> Report {
        Report { refused: Some(why), ..Report::default() }
    }
}

/// The first batch: so many runs tell how long one takes.
const FIRST: usize = 4_096;
const MOST: usize = 1 << 20;
/// A batch should take about so long, for whoever waits for the end.
const AT_A_TIME: Duration = Duration::from_millis(500);
/// Fewer runs of a translation of their own are not worth a kernel.
const WORTH_A_KERNEL: usize = 64;
/// So many attempts at steps are enough for a run on a device, where nobody can end it.
const ATTEMPTS: u32 = 1_000_000;

/// The devices there are.
pub(super) fn engines(given: Option<Arc<dyn Engine>>) -> Result<Vec<Arc<dyn Engine>>, String> {
    match given {
        Some(engine) => Ok(vec![engine]),
        None => {
            let found = kausal_gpu::cuda::devices().map_err(|why| why.to_string())?;
            Ok(found.into_iter().map(|gpu| Arc::new(gpu) as Arc<dyn Engine>).collect())
        }
    }
}

/// There is no GPU.
pub(super) fn unavailable(why: &str) -> Diagnostic {
    Diagnostic::error("K0573", format!("--device cuda: {why}"))
        .help("--device auto makes the runs on the cores where there is no GPU")
}

/// The model cannot be run on one.
pub(super) fn unfit(model: &str, why: &str) -> Diagnostic {
    Diagnostic::error("K0574", format!("{model} cannot be run on a GPU: {why}"))
        .help("--device auto makes the runs on the cores then")
}

/// Kernels, one for each translation and method.
pub(super) struct Ensembles<'a> {
    work: &'a Work<'a>,
    engines: &'a [Arc<dyn Engine>],
    method: kausal_gpu::Method,
    instants: Vec<f64>,
    /// By the place of the translation in memory, which is kept, and whether it is for stiff runs.
    made: HashMap<(usize, bool), Made>,
    report: Report,
}

/// A kernel on each device, and what it is for.
struct Made {
    /// Keeps the translation where it is.
    _variant: Arc<Variant>,
    kernels: Option<Arc<Vec<Box<dyn Kernel>>>>,
    /// Most runs of it were stiff.
    stiff: bool,
    bytes_a_run: usize,
}

/// A run that is about to be made.
enum Prepared {
    /// With these values in this translation.
    Ready(Arc<Variant>, Overrides),
    /// On a core, which knows why it cannot.
    Core,
}

impl<'a> Ensembles<'a> {
    /// The kernel of the translation most runs have is made at once: where that cannot be, nothing is done here.
    pub fn new(work: &'a Work<'a>, engines: &'a [Arc<dyn Engine>]) -> Result<Ensembles<'a>, String> {
        let settings = work.settings;
        let method = method(settings)?;
        let mut ensembles = Ensembles {
            work,
            engines,
            method,
            instants: instants(settings, work.kept.is_only_final() && work.kept.trace() == 0),
            made: HashMap::new(),
            report: Report { name: engines[0].name(), ..Report::default() },
        };
        let mut row = Vec::new();
        work.design.row(0, &mut row);
        let variants: &Variants = work.variants;
        if let Ok((variant, overrides)) = variants.prepare(&row) {
            let stiff = method == kausal_gpu::Method::Rosenbrock;
            ensembles.kernel(&variant, &overrides, stiff)?;
        }
        Ok(ensembles)
    }

    pub fn report(self) -> Report {
        self.report
    }

    /// Makes all runs from `begin` on.
    pub fn all(
        &mut self,
        begin: u64,
        threads: usize,
        mut collector: Collector,
        progress: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<(Collector, bool), Diagnostic> {
        let since = Instant::now();
        let over = AtomicBool::new(false);
        let mut next = begin;
        let mut size = FIRST;
        while next < self.work.end {
            let end = (next + size as u64).min(self.work.end);
            let batch = Instant::now();
            let rows = self.batch(next, end, threads, &over)?;
            let complete = rows.len() as u64 == end - next;
            collector.take(next, rows)?;
            if !complete {
                return Ok((collector, false));
            }
            next = end;
            let growth = AT_A_TIME.as_secs_f64() / batch.elapsed().as_secs_f64().max(1e-6);
            size = ((size as f64 * growth.clamp(0.25, 8.0)) as usize).clamp(FIRST / 4, MOST);
            size = size.min(self.most());
            let seconds = since.elapsed().as_secs_f64();
            let pace = seconds / (next - begin) as f64 * (self.work.end - next) as f64;
            let told = Progress {
                done: next,
                total: self.work.end,
                failed: collector.failed,
                seconds,
                left: Some(pace),
            };
            if !progress(told) || self.work.cancel.is_cancelled() {
                over.store(true, Ordering::SeqCst);
                break;
            }
        }
        let complete = collector.done() >= self.work.end;
        Ok((collector, complete))
    }

    /// Runs that the memory of the devices holds.
    fn most(&self) -> usize {
        let a_run = self.made.values().map(|made| made.bytes_a_run).max().unwrap_or(64).max(1);
        let memory = self.engines.iter().map(|engine| engine.memory()).min().unwrap_or(0);
        (memory * self.engines.len() / a_run).max(1)
    }

    fn batch(
        &mut self,
        begin: u64,
        end: u64,
        threads: usize,
        over: &AtomicBool,
    ) -> Result<Vec<Row>, Diagnostic> {
        let work = self.work;
        let since = Instant::now();
        let prepared: Vec<Prepared> = (begin..end)
            .into_par_iter()
            .map_init(Vec::new, |row: &mut Vec<Setting>, run| {
                work.design.row(run, row);
                match crate::internal::guarded(|| work.variants.prepare(row)) {
                    Ok(Ok((variant, overrides))) => Prepared::Ready(variant, overrides),
                    _ => Prepared::Core,
                }
            })
            .collect();
        self.report.preparing += since.elapsed().as_secs_f64();
        // Runs of one translation together.
        let mut groups: Vec<(Arc<Variant>, Vec<usize>)> = Vec::new();
        let mut places: HashMap<usize, usize> = HashMap::new();
        let mut again: Vec<usize> = Vec::new();
        for (k, run) in prepared.iter().enumerate() {
            match run {
                Prepared::Core => again.push(k),
                Prepared::Ready(variant, _) => {
                    let at = *places.entry(Arc::as_ptr(variant) as usize).or_insert_with(|| {
                        groups.push((variant.clone(), Vec::new()));
                        groups.len() - 1
                    });
                    groups[at].1.push(k);
                }
            }
        }
        let mut rows: Vec<Option<Row>> = Vec::new();
        rows.resize_with(prepared.len(), || None);
        for (variant, members) in groups {
            let left = self.group(&variant, members, &prepared, &mut rows);
            again.extend(left);
        }
        if !again.is_empty() {
            again.sort_unstable();
            self.report.again += again.len() as u64;
            let runs: Vec<u64> = again.iter().map(|&k| begin + k as u64).collect();
            for (k, row) in again.into_iter().zip(run::chosen(work, &runs, threads, over)) {
                rows[k] = row;
            }
        }
        // Up to the first that was not made.
        Ok(rows.into_iter().map_while(|row| row).collect())
    }

    /// Runs of one translation; gives those that are left to the cores.
    fn group(
        &mut self,
        variant: &Arc<Variant>,
        mut members: Vec<usize>,
        prepared: &[Prepared],
        rows: &mut [Option<Row>],
    ) -> Vec<usize> {
        let mut left = Vec::new();
        let is_known = |this: &Self| this.made.contains_key(&(Arc::as_ptr(variant) as usize, false));
        let first_stiff = self.method == kausal_gpu::Method::Rosenbrock
            || self.made.get(&(Arc::as_ptr(variant) as usize, false)).is_some_and(|made| made.stiff);
        for stiff in [first_stiff, true] {
            if members.is_empty() {
                break;
            }
            if !is_known(self) && !stiff && members.len() < WORTH_A_KERNEL {
                break;
            }
            let Prepared::Ready(_, overrides) = &prepared[members[0]] else { break };
            let Ok(Some(kernels)) = self.kernel(variant, overrides, stiff) else { break };
            let finished = match self.launch(&kernels, &members, prepared) {
                Ok(finished) => finished,
                Err(fault) => {
                    self.report.fault.get_or_insert(fault.to_string());
                    break;
                }
            };
            self.report.working += finished.seconds;
            let runs = members.len();
            let mut turned = Vec::new();
            for (at, &k) in members.iter().enumerate() {
                match finished.outcomes[at] {
                    Outcome::Complete => {
                        self.report.runs += 1;
                        self.report.steps += u64::from(finished.steps[at]);
                        rows[k] = Some(row(&finished, at, runs));
                    }
                    Outcome::Stiff if !stiff => turned.push(k),
                    _ => left.push(k),
                }
            }
            if !stiff
                && 2 * turned.len() > runs
                && let Some(made) = self.made.get_mut(&(Arc::as_ptr(variant) as usize, false))
            {
                made.stiff = true;
            }
            members = turned;
            if stiff {
                break;
            }
        }
        left.extend(members);
        left
    }

    /// The kernel for a translation; none where it is known that there is none.
    fn kernel(
        &mut self,
        variant: &Arc<Variant>,
        overrides: &Overrides,
        stiff: bool,
    ) -> Result<Option<Arc<Vec<Box<dyn Kernel>>>>, String> {
        let key = (Arc::as_ptr(variant) as usize, stiff);
        if let Some(made) = self.made.get(&key) {
            return Ok(made.kernels.clone());
        }
        let question = self.question(variant, overrides, stiff);
        let since = Instant::now();
        let compiled = (|| {
            let ensemble =
                Ensemble::new(&variant.compiled.program, &question).map_err(|why| why.to_string())?;
            let kernels: Result<Vec<_>, _> =
                self.engines.iter().map(|engine| engine.compile(&ensemble)).collect();
            Ok::<_, String>((
                kernels.map_err(|why| why.to_string())?,
                ensemble.bytes(1, self.work.kept.grid.len()),
            ))
        })();
        self.report.compiling += since.elapsed().as_secs_f64();
        let (kernels, bytes_a_run, why) = match compiled {
            Ok((kernels, bytes)) => (Some(Arc::new(kernels)), bytes, None),
            Err(why) => (None, 0, Some(why)),
        };
        self.report.kernels += usize::from(kernels.is_some());
        let made = Made { _variant: variant.clone(), kernels: kernels.clone(), stiff: false, bytes_a_run };
        self.made.insert(key, made);
        match why {
            Some(why) => Err(why),
            None => Ok(kernels),
        }
    }

    fn question(&self, variant: &Variant, overrides: &Overrides, stiff: bool) -> Question {
        let kept = self.work.kept;
        let followed = variant.sources.iter().map(|source| match source {
            Source::Slot(v) => kausal_gpu::Kept::Variable(*v),
            Source::Missing => kausal_gpu::Kept::Missing,
        });
        let number = |quantity: &Quantity| match quantity {
            Quantity::Final(_) => Number::Final,
            Quantity::Min(_) => Number::Min,
            Quantity::Max(_) => Number::Max,
            Quantity::Mean(_) => Number::Mean,
            Quantity::Integral(_) => Number::Integral,
            Quantity::When(_, Side::Above, bound) => Number::Above(*bound),
            Quantity::When(_, Side::Below, bound) => Number::Below(*bound),
        };
        Question {
            varied: overrides.numbers().map(|(v, _)| v).collect(),
            followed: followed.collect(),
            numbers: kept.places().iter().zip(&kept.quantities).map(|(&v, q)| (v, number(q))).collect(),
            traced: kept.traced.clone(),
            inside: !kept.is_only_final(),
            method: if stiff { kausal_gpu::Method::Rosenbrock } else { self.method },
        }
    }

    /// Runs of a translation on all devices.
    fn launch(
        &self,
        kernels: &[Box<dyn Kernel>],
        members: &[usize],
        prepared: &[Prepared],
    ) -> Result<Finished, Fault> {
        let settings = self.work.settings;
        let batch = |members: &[usize]| {
            let runs = members.len();
            let mut columns = Vec::new();
            for (r, &k) in members.iter().enumerate() {
                let Prepared::Ready(_, overrides) = &prepared[k] else { continue };
                for (c, (_, number)) in overrides.numbers().enumerate() {
                    if columns.len() < (c + 1) * runs {
                        columns.resize((c + 1) * runs, f64::NAN);
                    }
                    columns[c * runs + r] = number.unwrap_or(f64::NAN);
                }
            }
            Batch {
                columns,
                runs,
                instants: self.instants.clone(),
                grid: self.work.kept.grid.clone(),
                same: self.work.kept.same(),
                start: settings.start,
                stop: settings.stop,
                tolerance: settings.tolerance,
                longest: settings.max_step.unwrap_or(f64::INFINITY),
                most: ATTEMPTS,
            }
        };
        if let [kernel] = kernels {
            return kernel.run(&batch(members));
        }
        // A part for each device, put together again.
        let share = members.len().div_ceil(kernels.len()).max(1);
        let parts: Mutex<Vec<Option<Result<Finished, Fault>>>> = Mutex::new(vec![None; kernels.len()]);
        std::thread::scope(|scope| {
            for ((k, kernel), part) in kernels.iter().enumerate().zip(members.chunks(share)) {
                let (parts, batch) = (&parts, &batch);
                scope.spawn(move || {
                    let finished = kernel.run(&batch(part));
                    parts.lock().unwrap_or_else(PoisonError::into_inner)[k] = Some(finished);
                });
            }
        });
        let parts = parts.into_inner().unwrap_or_else(PoisonError::into_inner);
        parts.into_iter().flatten().collect::<Result<Vec<_>, _>>().map(together)
    }
}

/// Columns of parts of a batch, one behind the other.
fn together(parts: Vec<Finished>) -> Finished {
    let join = |all: fn(&Finished) -> &Vec<f64>| {
        let count = parts.first().map_or(0, |part| all(part).len() / part.ends.len().max(1));
        let column = |k: usize| {
            parts.iter().flat_map(move |part| {
                let n = part.ends.len();
                all(part)[k * n..(k + 1) * n].iter().copied()
            })
        };
        (0..count).flat_map(column).collect()
    };
    Finished {
        numbers: join(|part| &part.numbers),
        traces: join(|part| &part.traces),
        ends: parts.iter().flat_map(|part| part.ends.iter().copied()).collect(),
        outcomes: parts.iter().flat_map(|part| part.outcomes.iter().copied()).collect(),
        steps: parts.iter().flat_map(|part| part.steps.iter().copied()).collect(),
        seconds: parts.iter().map(|part| part.seconds).fold(0.0, f64::max),
    }
}

/// A row of columns.
fn row(finished: &Finished, at: usize, runs: usize) -> Row {
    let of = |columns: &[f64]| columns.iter().skip(at).step_by(runs).copied().collect();
    Row {
        status: Status::Complete,
        reason: None,
        end: finished.ends[at],
        numbers: of(&finished.numbers),
        trace: of(&finished.traces),
    }
}

/// The method on the device, and what no device does.
fn method(settings: &Settings) -> Result<kausal_gpu::Method, String> {
    if settings.events_at_steps || settings.fixed_step.is_some() {
        return Err("it is asked for steps of one size".to_owned());
    }
    if !settings.relative.is_empty() {
        return Err("states are to have no absolute tolerance".to_owned());
    }
    if settings.interval <= 0.0 && settings.instants.is_empty() {
        return Err("every step is to be a point of output".to_owned());
    }
    match settings.method {
        Method::Auto => Ok(kausal_gpu::Method::ExplicitWhile),
        Method::Tsitouras => Ok(kausal_gpu::Method::Explicit),
        Method::Rosenbrock => Ok(kausal_gpu::Method::Rosenbrock),
        other => {
            let name = Method::ALL.iter().find(|(m, _)| *m == other).map_or("this one", |(_, name)| name);
            Err(format!("the methods there are auto, tsit5 and rosenbrock, not {name}"))
        }
    }
}

/// The points of output.
fn instants(settings: &Settings, only_end: bool) -> Vec<f64> {
    let Settings { start, stop, interval, .. } = *settings;
    if only_end {
        return vec![stop];
    }
    if !settings.instants.is_empty() {
        return settings.instants.to_vec();
    }
    let points = ((stop - start) / interval - 1e-9).ceil().max(1.0) as u64;
    (1..points).map(|k| start + k as f64 * interval).chain([stop]).collect()
}
