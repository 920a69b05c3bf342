//! Many runs of one model with other values each: on all cores, from one compiled model.
//!
//! ```
//! use kausal::Model;
//! use kausal::sweep::{Distribution, Values};
//!
//! let text = "model Decay parameter Real k = 1; Real x(start = 1, fixed = true); equation der(x) = -k*x; end Decay;";
//! let model = Model::from_text(text)?;
//! let runs = model.sweep().vary("k", Values::linear(0.0, 2.0, 5)).last("x").run()?;
//! let x = runs.get("final(x)").expect("asked for");
//! assert!((x[4] - (-2.0f64).exp()).abs() < 1e-5);
//!
//! let runs = model.sweep().vary("k", Distribution::Uniform(0.0, 1.0)).runs(100).seed(7).mean("x").run()?;
//! assert_eq!((runs.len(), runs.failed()), (100, 0));
//! # Ok::<(), kausal::Error>(())
//! ```
//!
//! - [`design`]: which values the runs have; [`random`]: random ones
//! - [`quantities`]: the numbers that are kept of each run
//! - [`device`]: the same runs on a GPU
//! - `variants`: the translations it takes; `run`: threads; `collect` and `file`: rows, in order, in memory and in files
//!
//! A run that fails is a row with its reason. What a run computes depends on its values only: neither on the number of threads,
//! nor on where a sweep was interrupted. Values that other translations are needed for are translated once each.

mod collect;
pub mod design;
pub mod device;
mod file;
pub mod quantities;
pub mod random;
mod run;
mod runs;
pub(crate) mod variants;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use kausal_gpu::Engine;
use kausal_runtime::Settings;
use kausal_syntax::Diagnostic;

use crate::cancel::Cancel;
use crate::error::{Error, ErrorKind};
use crate::glob;
use crate::model::Model;
use crate::request::Request;
use crate::settings::Setting;
use crate::simulate::unmatched;
use collect::{Collector, Output};
use design::{Axis, Design};
use file::{Mark, Table};
use quantities::Kept;
use run::Work;
use variants::Variants;

pub use design::{Distribution, Values, parse_table, parse_values};
pub use device::{Device, Report};
pub use file::check;
pub use quantities::{Quantity, Side};
pub use random::Sampling;
pub use run::Progress;
pub use runs::{Runs, Status};

/// A sweep, with what is asked of it. What nobody says about a run follows from the `experiment` annotation.
#[must_use = "nothing is run until `run` is called"]
pub struct Sweep<'a> {
    model: Model,
    axes: Vec<Axis>,
    count: Option<u64>,
    part: Option<(u64, u64)>,
    seed: u64,
    sampling: Sampling,
    quantities: Vec<Quantity>,
    traced: Vec<String>,
    grid: Vec<f64>,
    intervals: Option<u32>,
    request: Request,
    threads: Option<usize>,
    limit: Option<Duration>,
    cancel: Cancel,
    table: Option<PathBuf>,
    trace_table: Option<PathBuf>,
    resume: bool,
    keep: Option<bool>,
    device: Device,
    engine: Option<Arc<dyn Engine>>,
    progress: Option<Box<dyn FnMut(Progress) -> bool + 'a>>,
}

/// What came of it.
#[derive(Clone, Debug, Default)]
pub struct Swept {
    /// The runs, if they are kept in memory.
    pub runs: Runs,
    /// How many there are in all.
    pub total: u64,
    /// Runs of an interrupted sweep that were there already.
    pub found: u64,
    /// Runs that were made now.
    pub made: u64,
    /// Those of them that failed.
    pub failed: u64,
    /// It came to its end.
    pub complete: bool,
    /// Seconds it took.
    pub seconds: f64,
    /// Threads it used.
    pub threads: usize,
    /// What a GPU did, if one was asked for.
    pub device: Option<Report>,
}

impl Model {
    /// Many runs with other values each.
    pub fn sweep(&self) -> Sweep<'static> {
        Sweep {
            request: self.usual_request(),
            model: self.clone(),
            axes: Vec::new(),
            count: None,
            part: None,
            seed: 0,
            sampling: Sampling::Random,
            quantities: Vec::new(),
            traced: Vec::new(),
            grid: Vec::new(),
            intervals: None,
            threads: None,
            limit: None,
            cancel: Cancel::new(),
            table: None,
            trace_table: None,
            resume: false,
            keep: None,
            device: Device::Cpu,
            engine: None,
            progress: None,
        }
    }
}

impl<'a> Sweep<'a> {
    /// Varies a parameter or a start value: a list of values, or a [`Distribution`]. Lists are combined as a grid, the last one
    /// changes fastest.
    pub fn vary(mut self, name: &str, values: impl Into<Values>) -> Self {
        let name = name.to_owned();
        self.axes.push(match values.into() {
            Values::List(list) => Axis::Rows(vec![name], list.into_iter().map(|value| vec![value]).collect()),
            Values::Random(distribution) => Axis::Random(name, distribution),
        });
        self
    }

    /// Varies several together: one row of values for each run.
    pub fn table<S: Into<String>>(
        mut self,
        names: impl IntoIterator<Item = S>,
        rows: Vec<Vec<Setting>>,
    ) -> Self {
        self.axes.push(Axis::Rows(names.into_iter().map(Into::into).collect(), rows));
        self
    }

    /// How many runs, where random values are drawn.
    pub fn runs(mut self, runs: u64) -> Self {
        self.count = Some(runs);
        self
    }

    /// Only the runs from one on up to another, which is left out: a part of a sweep that others make the rest of.
    pub fn part(mut self, from: u64, to: u64) -> Self {
        self.part = Some((from, to));
        self
    }

    /// What random values follow from.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// How random values are spread.
    pub fn sampling(mut self, sampling: Sampling) -> Self {
        self.sampling = sampling;
        self
    }

    /// Keeps a number of each run; its variable may be a pattern.
    pub fn quantity(mut self, quantity: Quantity) -> Self {
        self.quantities.push(quantity);
        self
    }

    /// Keeps the value of a variable at the end: `final(x)`.
    pub fn last(self, name: &str) -> Self {
        self.quantity(Quantity::Final(name.to_owned()))
    }

    /// Keeps its smallest value: `min(x)`.
    pub fn min(self, name: &str) -> Self {
        self.quantity(Quantity::Min(name.to_owned()))
    }

    /// Keeps its largest value: `max(x)`.
    pub fn max(self, name: &str) -> Self {
        self.quantity(Quantity::Max(name.to_owned()))
    }

    /// Keeps its mean over time: `mean(x)`.
    pub fn mean(self, name: &str) -> Self {
        self.quantity(Quantity::Mean(name.to_owned()))
    }

    /// Keeps its integral over time: `integral(x)`.
    pub fn integral(self, name: &str) -> Self {
        self.quantity(Quantity::Integral(name.to_owned()))
    }

    /// Keeps the values of variables at these instants.
    pub fn trajectories<S: Into<String>>(
        mut self,
        patterns: impl IntoIterator<Item = S>,
        instants: impl Into<Vec<f64>>,
    ) -> Self {
        self.traced.extend(patterns.into_iter().map(Into::into));
        self.grid = instants.into();
        self
    }

    /// The same at the ends of so many intervals of one size, and at the start.
    pub fn trajectories_over<S: Into<String>>(
        mut self,
        patterns: impl IntoIterator<Item = S>,
        intervals: u32,
    ) -> Self {
        self.traced.extend(patterns.into_iter().map(Into::into));
        self.intervals = Some(intervals);
        self
    }

    /// What is asked of each run.
    pub fn request(mut self, request: Request) -> Self {
        self.request = request;
        self
    }

    /// Where runs start.
    pub fn start(mut self, time: f64) -> Self {
        self.request.start = Some(time);
        self
    }

    /// Where runs end.
    pub fn stop(mut self, time: f64) -> Self {
        self.request.stop = Some(time);
        self
    }

    /// The relative tolerance of runs.
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.request.tolerance = Some(tolerance);
        self
    }

    /// The integration method of runs.
    pub fn method(mut self, method: kausal_solver::Method) -> Self {
        self.request.method = method;
        self
    }

    /// How many runs at a time; one for each core, if nobody says anything.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads.max(1));
        self
    }

    /// What makes the runs: the cores, a GPU, or a GPU where there is one and it can.
    pub fn device(mut self, device: Device) -> Self {
        self.device = device;
        self
    }

    /// A device that is not found but given.
    pub fn engine(mut self, engine: Arc<dyn Engine>) -> Self {
        self.engine = Some(engine);
        self
    }

    /// How long one run may take.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.limit = Some(limit);
        self
    }

    /// Who may end it from another thread.
    pub fn cancel(mut self, cancel: &Cancel) -> Self {
        self.cancel = cancel.clone();
        self
    }

    /// A row for each run goes to this file while the sweep goes on: `.csv` or `.parquet`.
    pub fn write(mut self, path: impl Into<PathBuf>) -> Self {
        self.table = Some(path.into());
        self
    }

    /// Trajectories go to this file: a row for each run and instant.
    pub fn write_trajectories(mut self, path: impl Into<PathBuf>) -> Self {
        self.trace_table = Some(path.into());
        self
    }

    /// Goes on where the sweep that wrote these files was interrupted.
    pub fn resume(mut self, resume: bool) -> Self {
        self.resume = resume;
        self
    }

    /// Whether runs are kept in memory; if nobody says anything, they are where no file is written.
    pub fn keep(mut self, keep: bool) -> Self {
        self.keep = Some(keep);
        self
    }

    /// Told some times a second how far it is: shall it go on?
    pub fn progress<'b>(self, progress: impl FnMut(Progress) -> bool + 'b) -> Sweep<'b>
    where
        'a: 'b,
    {
        Sweep { progress: Some(Box::new(progress)), ..self }
    }

    /// Makes all runs. Those that fail are rows; an error is what no run can be made with.
    pub fn run(self) -> Result<Runs, Error> {
        self.keep(true).sweep().map(|swept| swept.runs)
    }

    /// The same, told how it went.
    pub fn sweep(mut self) -> Result<Swept, Error> {
        self.model = self.model.settled()?;
        let model = self.model.clone();
        let refused = |d: Diagnostic| model.error(ErrorKind::Request, d);
        let unwritable = |d: Diagnostic| model.error(ErrorKind::Output, d);
        let begin = Instant::now();
        let design = Design::new(std::mem::take(&mut self.axes), self.count, self.seed, self.sampling);
        let design = design.map_err(refused)?;
        let settings = self.settings().map_err(refused)?;
        let kept = self.kept(&settings)?;
        let settings = with_instants(settings, &kept);
        let variants = Variants::new(&model, design.names(), &kept.variables)?;
        for name in design.names() {
            if !variants.base.has(name) && !model.flat().variables.iter().any(|v| v.name == *name) {
                let program = &variants.base.compiled.program;
                let d = unmatched(program, std::iter::once(name));
                return Err(refused(d.unwrap_or_else(|| Diagnostic::error("K0910", name.clone()))));
            }
        }
        let (first, end) =
            self.part.map_or((0, design.runs), |(a, b)| (a.min(design.runs), b.min(design.runs)));
        let writes = self.table.is_some() || self.trace_table.is_some();
        let keep = self.keep.unwrap_or(!writes);
        let mark = writes.then(|| self.mark(&design, &settings, &kept));
        let (output, next) = match &mark {
            Some(mark) => self.open(&design, &kept, mark, first, end).map_err(unwritable)?,
            None => (None, first),
        };
        let mut collector = Collector::new(&design, &kept, next, keep, output);
        let threads =
            self.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
        let threads = threads.min(usize::try_from(end.saturating_sub(next)).unwrap_or(usize::MAX)).max(1);
        let work = Work {
            design: &design,
            variants: &variants,
            kept: &kept,
            settings: &settings,
            options: model.options(),
            backend: model.backend(),
            limit: self.limit,
            cancel: &self.cancel,
            end,
        };
        let mut nobody = |_: Progress| true;
        let told: &mut dyn FnMut(Progress) -> bool = match &mut self.progress {
            Some(progress) => &mut **progress,
            None => &mut nobody,
        };
        let mut complete = next >= end;
        let mut report = None;
        let engines = match (self.device, complete) {
            (Device::Cpu, _) | (_, true) => Vec::new(),
            _ => match device::engines(self.engine.take()) {
                Ok(engines) => engines,
                Err(why) if self.device == Device::Auto => {
                    report = Some(Report::refused(why));
                    Vec::new()
                }
                Err(why) => return Err(refused(device::unavailable(&why))),
            },
        };
        if !engines.is_empty() {
            match device::Ensembles::new(&work, &engines) {
                Ok(mut ensembles) => {
                    (collector, complete) =
                        ensembles.all(next, threads, collector, told).map_err(unwritable)?;
                    report = Some(ensembles.report());
                }
                Err(why) if self.device == Device::Auto => report = Some(Report::refused(why)),
                Err(why) => return Err(refused(device::unfit(model.name(), &why))),
            }
        }
        if !complete && !self.cancel.is_cancelled() && report.as_ref().is_none_or(|r| r.refused.is_some()) {
            (collector, complete) = run::all(&work, next, threads, collector, told).map_err(unwritable)?;
        }
        let done = collector.done();
        collector.finish().map_err(unwritable)?;
        if complete {
            self.tables().for_each(Mark::remove);
        }
        let failed = collector.failed;
        let runs = collector.runs;
        let seconds = begin.elapsed().as_secs_f64();
        Ok(Swept {
            runs,
            total: end - first,
            found: next - first,
            made: done - next,
            failed,
            complete,
            seconds,
            threads,
            device: report,
        })
    }

    fn tables(&self) -> impl Iterator<Item = &Path> {
        self.table.iter().chain(&self.trace_table).map(PathBuf::as_path)
    }

    fn settings(&self) -> Result<Settings, Diagnostic> {
        let method = self.request.method()?;
        self.request.settings(method, &self.model.experiment(), &mut Vec::new())
    }

    /// What is kept of each run, with patterns read.
    fn kept(&self, settings: &Settings) -> Result<Kept, Error> {
        let compiled = self.model.compiled()?;
        let program = &compiled.program;
        let asked: Vec<String> = self.quantities.iter().map(|q| q.variable().to_owned()).collect();
        if let Some(d) = unmatched(program, asked.iter().chain(&self.traced)) {
            return Err(self.model.error(ErrorKind::Request, d));
        }
        let names: Vec<&str> = crate::result::recorded(program).collect();
        let mut quantities: Vec<Quantity> = Vec::new();
        for (quantity, pattern) in self.quantities.iter().zip(&asked) {
            for name in names.iter().filter(|name| **name == pattern || glob::matches(pattern, name)) {
                let one = quantity.of(name);
                if !quantities.contains(&one) {
                    quantities.push(one);
                }
            }
        }
        let is_traced = |name: &&&str| self.traced.iter().any(|p| **name == p || glob::matches(p, name));
        let traced: Vec<String> = names.iter().filter(is_traced).map(|name| (*name).to_owned()).collect();
        let Settings { start, stop, interval, .. } = *settings;
        let grid = match self.intervals {
            _ if traced.is_empty() => Vec::new(),
            Some(n) => (0..=n).map(|k| start + (stop - start) * f64::from(k) / f64::from(n.max(1))).collect(),
            None => self.grid.clone(),
        };
        let inside = grid.iter().all(|t| (start..=stop).contains(t)) && grid.is_sorted();
        if !traced.is_empty() && (grid.is_empty() || !inside) {
            let message =
                format!("trajectories need instants between {start} and {stop}, in ascending order");
            return Err(self.model.error(ErrorKind::Request, Diagnostic::error("K0570", message)));
        }
        Ok(Kept::new(quantities, &traced, grid, 1e-9 * interval))
    }

    /// Opens the tables: how many runs are there already?
    fn open(
        &self,
        design: &Design,
        kept: &Kept,
        mark: &Mark,
        first: u64,
        end: u64,
    ) -> Result<(Option<Output>, u64), Diagnostic> {
        let (batch, trace_batch) = (collect::columns(design, kept), collect::trace_columns(kept));
        let points = kept.grid.len() as u64;
        let tables = [(&self.table, &batch, 1), (&self.trace_table, &trace_batch, points)];
        if self.trace_table.is_some() && points == 0 {
            return Err(Diagnostic::error("K0570", "a table of trajectories needs variables and instants"));
        }
        let mut next = first;
        let exist = self.tables().all(Path::exists);
        if self.resume && exist && self.tables().next().is_some() {
            // Runs that all tables have, up to the end of a group of rows.
            let mut common: Option<Vec<u64>> = None;
            for (path, columns, rows) in tables {
                let Some(path) = path else { continue };
                let ends = Table::ends(path, columns)?;
                let runs: Vec<u64> = ends.iter().filter(|n| *n % rows == 0).map(|n| n / rows).collect();
                common = Some(match common {
                    Some(mut known) => {
                        known.retain(|n| runs.binary_search(n).is_ok());
                        known
                    }
                    None => runs,
                });
            }
            next = first + common.unwrap_or_default().last().copied().unwrap_or(0).min(end - first);
            let known = self.tables().all(|path| Mark::read(path).as_ref() == Some(mark));
            if !known && next < end {
                let name = self.tables().next().map(|path| path.display().to_string()).unwrap_or_default();
                let message = format!("{name} was not left behind by this sweep");
                return Err(Diagnostic::error("K0571", message).help(
                    "give the same model and the same options, or leave --resume away to write it anew",
                ));
            }
            if next == end {
                return Ok((None, next));
            }
        }
        let open = |path: &Option<PathBuf>, columns: &[file::Column], rows: u64| match path {
            Some(path) if next > first => Table::resume(path, columns, (next - first) * rows).map(Some),
            Some(path) => {
                mark.write(path)?;
                Table::create(path, columns).map(Some)
            }
            None => Ok(None),
        };
        let rows = open(&self.table, &batch, 1)?;
        let traces = open(&self.trace_table, &trace_batch, points)?;
        Ok((Some(Output { rows, traces, batch, trace_batch, held: 0, written: Instant::now() }), next))
    }

    /// What two sweeps must agree in to be one.
    fn mark(&self, design: &Design, settings: &Settings, kept: &Kept) -> Mark {
        let mut hash = Hash::default();
        let own = (
            &self.part,
            &self.seed,
            &self.sampling,
            &self.limit,
            self.model.options(),
            self.model.set_values(),
        );
        // Writing into a hash does not fail.
        _ = write!(hash, "{} {own:?} {settings:?} {kept:?}", crate::print_flat(self.model.flat()));
        let mut row = Vec::new();
        for run in 0..design.runs {
            design.row(run, &mut row);
            _ = write!(hash, "{row:?}");
        }
        let identity = format!("{:016x}", hash.0);
        Mark { model: self.model.name().to_owned(), runs: design.runs, identity }
    }
}

/// Only what somebody looks at is a point of output.
fn with_instants(settings: Settings, kept: &Kept) -> Settings {
    let Settings { start, stop, interval, .. } = settings;
    let mut instants: Vec<f64> = kept.grid.iter().copied().filter(|t| *t > start).collect();
    if !kept.is_only_final() {
        if instants.is_empty() {
            return settings;
        }
        let points = if interval > 0.0 { ((stop - start) / interval).ceil() as u64 } else { 0 };
        instants.extend((1..points).map(|k| start + k as f64 * interval));
        instants.sort_by(f64::total_cmp);
        instants.dedup();
    }
    if instants.last().is_none_or(|t| *t < stop) {
        instants.push(stop);
    }
    Settings { instants: instants.into(), ..settings }
}

/// Fowler, Noll and Vo's hash, 64 bits: the same in all versions and on all machines.
struct Hash(u64);

impl Default for Hash {
    fn default() -> Hash {
        Hash(0xcbf2_9ce4_8422_2325)
    }
}

impl std::fmt::Write for Hash {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        for byte in text.bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        Ok(())
    }
}
