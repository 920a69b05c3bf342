//! One policy for every front end: run a compiled model, and recover where a run fails.
//!
//! 1. The model is run, with a second run beside it where an audit is asked for ([`audit`]).
//! 2. Where a torn system of equations fails or loses its digits, in one run or the other, the model is translated again
//!    without tearing that system, and run again from the start; so for other systems, as long as new ones fail.
//! 3. Where states grew out of their absolute tolerances by themselves, it is run again without absolute tolerances for these.
//! 4. Where digits were lost and nothing of this leads to the end, the first program runs again and may lose them: few digits are
//!    better than none.
//!
//! The run that came farthest counts: its results are kept, and what is said is about it. A panic in a run is a
//! diagnostic ([`internal`](crate::internal)), and the results so far are kept as after any other failure.
//!
//! ```
//! use std::sync::Arc;
//! use kausal::runner::Runner;
//! use kausal::{Backend, Options, Session};
//!
//! let mut session = Session::new();
//! session.add_text("Decay.mo", "model Decay Real x(start = 1, fixed = true); equation der(x) = -x; end Decay;");
//! let (flat, options) = (session.flatten("Decay").expect("a correct model"), Options::default());
//! let program = session.translate(&flat, &options).expect("a regular model");
//! let model = session.compile(program, Backend::Auto).expect("code");
//! let done = Runner::new(Arc::new(model)).recovering(&flat, &options).run(&mut ()).expect("a run");
//! assert!(done.is_complete());
//! assert!((done.trajectory.get("x").expect("x").last().unwrap() - (-1.0f64).exp()).abs() < 1e-5);
//! ```

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use kausal_codegen::Backend;
use kausal_model::FlatModel;
use kausal_runtime::tunable::admits;
use kausal_runtime::{CompiledModel, Settings};
use kausal_symbolic::VarId;
use kausal_symbolic::function::Function;
use kausal_syntax::Diagnostic;
use kausal_translate::{Options, Program};

use crate::audit::{self, Audit, Incomplete};
use crate::backup::Backup;
use crate::cancel::Cancel;
use crate::internal::guarded;
use crate::result::{Sink, Trajectory};
use crate::session::translation;
use crate::simulate::{Ended, Output, States, instant, run_logged};
use crate::store;
use crate::stored::Flat;
use crate::tune;

/// Which variables are meant, by their names.
pub type Wanted<'a> = &'a (dyn Fn(&str) -> bool + Sync);

/// A run of a compiled model, with all that is done where it fails.
pub struct Runner<'a> {
    model: Arc<CompiledModel>,
    source: Option<(Source<'a>, &'a Options)>,
    backend: Backend,
    settings: Settings,
    wanted: Wanted<'a>,
    kept: Option<Wanted<'a>>,
    observer: RefCell<Option<&'a mut dyn Sink>>,
    files: &'a [PathBuf],
    audit: bool,
    limit: Option<Duration>,
    cancel: Cancel,
    states: States,
}

/// What is going on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The model is translated again.
    Translate,
    /// Code is made.
    Compile,
    /// A run begins, with its initial values.
    Run,
    /// It is over; another one may follow.
    Over,
}

/// Who is told how far it is.
pub trait Watch {
    /// Another stage begins.
    fn enter(&mut self, stage: Stage) {
        let _ = stage;
    }

    /// Asked after every step of a run, with the instant it came to: shall it go on?
    fn proceed(&mut self, time: f64) -> bool {
        let _ = time;
        true
    }
}

/// Nobody.
impl Watch for () {}

/// What came of it.
#[derive(Debug)]
pub struct Finished {
    /// The run that counts.
    pub ended: Ended,
    /// What it recorded in memory.
    pub trajectory: Trajectory,
    /// What a second run says about it, where that was asked for and it was complete.
    pub audit: Option<Result<Audit, Incomplete>>,
    /// What was run.
    pub model: Arc<CompiledModel>,
    /// Seconds of all runs, and of making other programs for them.
    pub seconds: Seconds,
    /// How many runs that took.
    pub attempts: u32,
}

/// Seconds spent, in all runs together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Seconds {
    /// Translating again.
    pub translate: f64,
    /// Making code again.
    pub codegen: f64,
    /// Running.
    pub run: f64,
}

impl Finished {
    /// Did it come to its end without an error?
    pub fn is_complete(&self) -> bool {
        !self.ended.diagnostics.iter().any(Diagnostic::is_error)
    }

    fn leads_further(&self, than: &Finished) -> bool {
        let audited = |run: &Finished| run.is_complete() && !matches!(run.audit, Some(Err(_)));
        let reached = |run: &Finished| (run.is_complete(), audited(run));
        match reached(self).cmp(&reached(than)) {
            std::cmp::Ordering::Equal => {
                !self.is_complete() && self.ended.statistics.end > than.ended.statistics.end
            }
            order => order.is_gt(),
        }
    }
}

/// What is translated again.
#[derive(Clone, Copy)]
enum Source<'a> {
    Flat(&'a FlatModel),
    Stored(&'a Flat),
}

impl<'a> Source<'a> {
    fn flat(self) -> &'a FlatModel {
        match self {
            Source::Flat(flat) => flat,
            Source::Stored(flat) => flat,
        }
    }
}

impl<'a> Runner<'a> {
    /// Of a compiled model: all variables are recorded in memory, nothing ends it from outside.
    pub fn new(model: Arc<CompiledModel>) -> Runner<'a> {
        Runner {
            model,
            source: None,
            backend: Backend::Auto,
            settings: Settings::default(),
            wanted: &|_| true,
            kept: Some(&|_| true),
            observer: RefCell::new(None),
            files: &[],
            audit: false,
            limit: None,
            cancel: Cancel::new(),
            states: States::default(),
        }
    }

    /// Where it comes from: what fails may be translated in another way.
    pub fn recovering(mut self, flat: &'a FlatModel, options: &'a Options) -> Self {
        self.source = Some((Source::Flat(flat), options));
        self
    }

    /// The same for a flat model that may be stored: it is unpacked only where a run fails.
    pub fn recovering_lazily(mut self, flat: &'a Flat, options: &'a Options) -> Self {
        self.source = Some((Source::Stored(flat), options));
        self
    }

    /// How code is made of other translations.
    pub fn backend(mut self, backend: Backend) -> Self {
        self.backend = backend;
        self
    }

    /// From where to where, how, and how exactly.
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// The variables that go to files and are audited.
    pub fn wanted(mut self, wanted: Wanted<'a>) -> Self {
        self.wanted = wanted;
        self
    }

    /// The variables that are recorded in memory, if any.
    pub fn kept(mut self, kept: Option<Wanted<'a>>) -> Self {
        self.kept = kept;
        self
    }

    /// Who is told every record of the wanted variables, while the run goes on. A run that is made again begins anew.
    pub fn observer(mut self, observer: Option<&'a mut dyn Sink>) -> Self {
        self.observer = RefCell::new(observer);
        self
    }

    /// Files that results are written to.
    pub fn files(mut self, files: &'a [PathBuf]) -> Self {
        self.files = files;
        self
    }

    /// Estimates the error of the run by a second one.
    pub fn audit(mut self, audit: bool) -> Self {
        self.audit = audit;
        self
    }

    /// How long all of it may take, from the call of [`Runner::run`] on.
    pub fn limit(mut self, limit: Option<Duration>) -> Self {
        self.limit = limit;
        self
    }

    /// Who may end it.
    pub fn cancel(mut self, cancel: &Cancel) -> Self {
        self.cancel = cancel.clone();
        self
    }

    /// It goes on from the state of another run, or its own state is taken. A run that goes on is not made again from the start, and
    /// not audited.
    pub fn states(mut self, states: States) -> Self {
        self.states = states;
        self
    }

    /// Runs, and recovers where that fails. The error is that a file cannot be opened; whatever is wrong with the run is in
    /// what it gives.
    pub fn run(self, watch: &mut dyn Watch) -> Result<Finished, Diagnostic> {
        let deadline = self.limit.and_then(|limit| Instant::now().checked_add(limit));
        let is_over = || self.cancel.is_cancelled() || deadline.is_some_and(|end| Instant::now() >= end);
        let mut best = self.attempt(&self.model, &self.settings, deadline, watch)?;
        if self.states.is_resumed() {
            return Ok(best);
        }
        let (mut seconds, mut attempts) = (best.seconds, 1);
        let mut failed = Failed::of(&best);
        let lost_digits = failed.lost_digits;
        let mut untorn = Untorn::default();
        let mut notes = Vec::new();
        while let Some((flat, options)) = self.source
            && untorn.add(&failed.torn)
            && !is_over()
        {
            let Some(model) = self.untorn(flat.flat(), options, &untorn.names, &mut seconds, watch) else {
                break;
            };
            notes.push(failed.note());
            let backup = Backup::new(self.files);
            // What the run is given has no place in that program: its first words stand.
            let Some(settings) = self.settings_of(&model) else { break };
            let mut next = match self.attempt(&model, &settings, deadline, watch) {
                Ok(next) => next,
                Err(unwritable) => {
                    best.ended.diagnostics.push(unwritable);
                    break;
                }
            };
            attempts += 1;
            seconds.run += next.seconds.run;
            share_files(&mut best, &mut next);
            failed = Failed::of(&next);
            // Where the other way leads no further, the first message is about the smaller system.
            if next.leads_further(&best) {
                next.ended.diagnostics.splice(0..0, notes.iter().cloned());
                best = next;
                backup.forget();
            }
        }
        if let Some((flat, options)) = self.source
            && chatters(&best)
            && !options.continuous_silent
            && !is_over()
        {
            let options = Options { continuous_silent: true, ..options.clone() };
            let relations = best.model.program.relations.len();
            let model = self
                .untorn(flat.flat(), &options, &untorn.names, &mut seconds, watch)
                .filter(|model| model.program.relations.len() < relations);
            if let Some(model) = model
                && let Some(settings) = self.settings_of(&model)
            {
                let backup = Backup::new(self.files);
                match self.attempt(&model, &settings, deadline, watch) {
                    Ok(mut next) => {
                        attempts += 1;
                        seconds.run += next.seconds.run;
                        share_files(&mut best, &mut next);
                        if next.leads_further(&best) {
                            next.ended.diagnostics.insert(0, without_events(&best));
                            best = next;
                            backup.forget();
                        }
                    }
                    Err(unwritable) => best.ended.diagnostics.push(unwritable),
                }
            }
        }
        let mut relative = self.settings.relative.clone();
        let mut notes = Vec::new();
        while best.ended.emerged.iter().any(|name| !relative.contains(name)) && !is_over() {
            relative.extend(best.ended.emerged.iter().cloned());
            notes.push(measured_relatively(&best.ended.emerged));
            let Some(settings) = self.settings_of(&best.model) else { break };
            let settings = Settings { relative: relative.clone(), ..settings };
            let backup = Backup::new(self.files);
            let mut next = match self.attempt(&best.model, &settings, deadline, watch) {
                Ok(next) => next,
                Err(unwritable) => {
                    best.ended.diagnostics.push(unwritable);
                    break;
                }
            };
            attempts += 1;
            seconds.run += next.seconds.run;
            share_files(&mut best, &mut next);
            // What is not certain does not count.
            if !next.is_complete() && !next.leads_further(&best) {
                break;
            }
            next.ended.diagnostics.splice(0..0, notes.iter().cloned());
            best = next;
            backup.forget();
        }
        if lost_digits && !best.is_complete() && !is_over() {
            // Few digits are better than none.
            let settings = Settings { trust_torn: true, ..self.settings.clone() };
            let backup = Backup::new(self.files);
            match self.attempt(&self.model, &settings, deadline, watch) {
                Ok(mut next) => {
                    attempts += 1;
                    seconds.run += next.seconds.run;
                    share_files(&mut best, &mut next);
                    if next.leads_further(&best) {
                        best = next;
                        backup.forget();
                    }
                }
                Err(unwritable) => best.ended.diagnostics.push(unwritable),
            }
        }
        Ok(Finished { seconds, attempts, ..best })
    }

    /// What is asked of a run, for another program of the model: variables may have other places there.
    fn settings_of(&self, model: &Arc<CompiledModel>) -> Option<Settings> {
        let settings = self.settings.clone();
        if Arc::ptr_eq(model, &self.model) || (settings.overrides.is_empty() && settings.inputs.is_empty()) {
            return Some(settings);
        }
        let (own, other) = (&self.model.program, &model.program);
        let place = |v: VarId| tune::find(other, &own.variables[v.index()].name);
        let overrides = settings.overrides.moved(other, place)?;
        admits(model, &overrides).ok()?;
        let inputs = settings.inputs.moved(other, place)?;
        Some(Settings { overrides: Arc::new(overrides), inputs: Arc::new(inputs), ..settings })
    }

    /// One run, and one beside it for an audit.
    fn attempt(
        &self,
        model: &Arc<CompiledModel>,
        settings: &Settings,
        deadline: Option<Instant>,
        watch: &mut dyn Watch,
    ) -> Result<Finished, Diagnostic> {
        let mut trajectory = Trajectory::default();
        let mut files: Vec<(&Path, Box<dyn Sink>)> = Vec::new();
        for path in self.files {
            files.push((path, store::create(path)?));
        }
        let wanted = |name: &str| (self.wanted)(name);
        let mut outputs: Vec<Output> = Vec::new();
        for (path, sink) in &mut files {
            outputs.push(Output { wanted: &wanted, sink: &mut **sink, path: Some(path) });
        }
        let kept = |name: &str| self.kept.is_some_and(|kept| kept(name));
        if self.kept.is_some() {
            outputs.push(Output { wanted: &kept, sink: &mut trajectory, path: None });
        }
        let mut observer = self.observer.borrow_mut();
        if let Some(sink) = observer.as_deref_mut() {
            outputs.push(Output { wanted: &wanted, sink, path: None });
        }
        let limit = deadline.map(|end| end.saturating_duration_since(Instant::now()));
        let under_way = self.cancel.begin();
        let settings = Settings { interrupt: under_way.interrupt.clone(), ..settings.clone() };
        watch.enter(Stage::Run);
        let mut proceed = |time: f64| watch.proceed(time) && !self.cancel.is_cancelled();
        let (ended, audit) = match self.audit && !self.states.is_resumed() {
            false => {
                let run =
                    run_logged(model.clone(), &settings, &self.states, outputs, limit, &mut proceed, None);
                (run, None)
            }
            true => {
                let cancel = &self.cancel;
                let over = || {
                    let late = deadline.is_some_and(|end| Instant::now() >= end);
                    late || cancel.is_cancelled()
                };
                audit::run_into(model, &settings, self.wanted, outputs, limit, &mut proceed, &over)
            }
        };
        watch.enter(Stage::Over);
        let seconds = Seconds { run: ended.seconds, ..Seconds::default() };
        Ok(Finished { ended, trajectory, audit, model: model.clone(), seconds, attempts: 1 })
    }

    /// The model without tearing systems that have failed: a sequence of formulas may overflow from guesses from which its
    /// equations, taken together, converge. None where there is no such program.
    fn untorn(
        &self,
        flat: &FlatModel,
        options: &Options,
        names: &[String],
        seconds: &mut Seconds,
        watch: &mut dyn Watch,
    ) -> Option<Arc<CompiledModel>> {
        watch.enter(Stage::Translate);
        let start = Instant::now();
        let untorn = options.untorn.iter().chain(names).cloned().collect();
        let options = Options { untorn, ..options.clone() };
        // What there is to say about the model, the first translation has said.
        let program = guarded(|| translation(flat, &options).program).ok().flatten();
        seconds.translate += start.elapsed().as_secs_f64();
        let program = program?;
        watch.enter(Stage::Compile);
        let start = Instant::now();
        let model = guarded(|| self.compiled(program)).ok().flatten();
        seconds.codegen += start.elapsed().as_secs_f64();
        model.map(Arc::new)
    }

    fn compiled(&self, program: Program) -> Option<CompiledModel> {
        let mut model = CompiledModel::new(program, self.backend).ok()?;
        model.permissions = self.model.permissions.clone();
        if let Some(foreign) = &self.model.foreign {
            let pool = &model.program.pool;
            let functions: Vec<&Function> =
                model.foreign_functions().into_iter().map(|id| pool.function(id)).collect();
            foreign.prepare(&functions).ok()?;
            model.foreign = Some(foreign.clone());
        }
        Some(model)
    }
}

/// Did it end because events followed each other without progress?
fn chatters(run: &Finished) -> bool {
    run.ended.diagnostics.iter().any(|d| d.code == "K0513")
}

/// What to say about a run in which what is continuous caused no events.
fn without_events(before: &Finished) -> Diagnostic {
    let message = format!(
        "events followed each other without progress at time {}: run again from the start without events of what is continuous, \
         as semiLinear and smooth(0, …) say",
        instant(before.ended.statistics.end)
    );
    Diagnostic::note("K0539", message)
        .help("flows that rest at zero do that: put noEvent(…) around what need not be found exactly")
}

/// What to say about states that have no absolute tolerances in another run.
fn measured_relatively(names: &[String]) -> Diagnostic {
    let message = format!(
        "{} grew by itself from where the absolute tolerance leaves few digits: run again from the start without one",
        names.join(", ")
    );
    Diagnostic::note("K0538", message)
        .help("say from what size they grow with `nominal`: then it takes one run")
}

/// The iteration variables of systems that are solved untorn because they failed. Programs of one model number their variables
/// in different ways: names are what they have in common.
#[derive(Debug, Default)]
struct Untorn {
    names: Vec<String>,
    rounds: usize,
}

impl Untorn {
    /// Adds those of another system that failed; is it worth another run?
    fn add(&mut self, torn: &[String]) -> bool {
        const MAX_ROUNDS: usize = 8;
        let new = torn.iter().any(|name| !self.names.contains(name));
        self.names.extend_from_slice(torn);
        self.rounds += 1;
        new && self.rounds <= MAX_ROUNDS
    }
}

/// Why a run is made again.
struct Failed {
    /// The iteration variables of the torn system that failed; none where it was not that.
    torn: Vec<String>,
    time: f64,
    lost_digits: bool,
    /// In the run beside it only.
    in_audit: bool,
}

impl Failed {
    fn of(run: &Finished) -> Failed {
        let Ended { torn, statistics, lost_digits, .. } = &run.ended;
        let (torn, in_audit) = match &run.audit {
            Some(Err(incomplete)) if torn.is_empty() => (&incomplete.torn, true),
            _ => (torn, false),
        };
        Failed { torn: torn.clone(), time: statistics.end, lost_digits: *lost_digits, in_audit }
    }

    /// What to say about it.
    fn note(&self) -> Diagnostic {
        let others = self.torn.len().saturating_sub(1);
        let more = if others > 0 { format!(" and {others} more") } else { String::new() };
        let name = self.torn.first().map_or("", String::as_str);
        let what = match (self.in_audit, self.lost_digits) {
            (true, _) => "failed in the run of the audit".to_owned(),
            (false, true) => format!("lost digits at time {}", self.time),
            (false, false) => format!("failed at time {}", self.time),
        };
        let message = format!(
            "the torn system with the iteration variable {name}{more} {what}: solved untorn, from the start"
        );
        Diagnostic::note("K0523", message).help("`--tearing off` does so at once")
    }
}

/// Files of a model are named, whichever of its runs wrote them.
fn share_files(a: &mut Finished, b: &mut Finished) {
    let mut files = std::mem::take(&mut a.ended.statistics.files);
    files.append(&mut b.ended.statistics.files);
    files.sort();
    files.dedup();
    a.ended.statistics.files.clone_from(&files);
    b.ended.statistics.files = files;
}
