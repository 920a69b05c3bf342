//! A run with what is asked of it, each by its name.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use kausal_runtime::{JacobianMode, RunFiles, Settings};
use kausal_solver::Method;
use kausal_syntax::Diagnostic;

use super::{Given, Model, Solution, given};
use crate::cancel::Cancel;
use crate::error::{Error, ErrorKind};
use crate::glob;
use crate::request::Request;
use crate::result::Sink;
use crate::runner::{Runner, Watch};
use crate::simulate::unmatched;

/// A run of a model. What nobody says follows from its `experiment` annotation.
///
/// ```
/// use kausal::Model;
/// let model = Model::from_text("model Decay Real x(start = 1, fixed = true); equation der(x) = -x; end Decay;")?;
/// let mut steps = 0;
/// let solution = model
///     .simulation()
///     .stop(2.0)
///     .intervals(10)
///     .variables(["x"])
///     .progress(|_time| {
///         steps += 1;
///         true
///     })
///     .run()?;
/// assert_eq!((solution.time().len(), solution.end()), (11, 2.0));
/// assert!(steps > 0);
/// # Ok::<(), kausal::Error>(())
/// ```
#[must_use = "nothing is run until `run` is called"]
pub struct Simulation<'a> {
    pub(super) model: Model,
    pub(super) request: Request,
    pub(super) given: Vec<(String, Given)>,
    pub(super) columns: Vec<PathBuf>,
    variables: Vec<String>,
    files: Vec<PathBuf>,
    kept: bool,
    audit: bool,
    pub(super) limit: Option<Duration>,
    pub(super) cancel: Cancel,
    pub(super) instants: Vec<f64>,
    pub(super) progress: Option<Box<dyn FnMut(f64) -> bool + Send + 'a>>,
    observer: Option<Box<dyn Sink + Send + 'a>>,
}

impl<'a> Simulation<'a> {
    pub(super) fn new(model: Model) -> Simulation<'a> {
        let inline = model.base.options.inline;
        Simulation {
            request: Request { inline, ..Request::default() },
            model,
            given: Vec::new(),
            columns: Vec::new(),
            variables: Vec::new(),
            files: Vec::new(),
            kept: true,
            audit: false,
            limit: None,
            cancel: Cancel::new(),
            instants: Vec::new(),
            progress: None,
            observer: None,
        }
    }

    /// Where it starts.
    pub fn start(mut self, time: f64) -> Self {
        self.request.start = Some(time);
        self
    }

    /// Where it ends.
    pub fn stop(mut self, time: f64) -> Self {
        self.request.stop = Some(time);
        self
    }

    /// The relative tolerance; absolute ones are relative to nominal values.
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.request.tolerance = Some(tolerance);
        self
    }

    /// The distance of output points; with 0 every step is one.
    pub fn interval(mut self, seconds: f64) -> Self {
        self.request.interval = Some(seconds);
        self
    }

    /// How many intervals between output points there are.
    pub fn intervals(mut self, number: u32) -> Self {
        self.request.intervals = Some(number);
        self
    }

    /// The output points, one by one, instead of a distance; the start and the end are there, too.
    pub fn instants(mut self, instants: impl IntoIterator<Item = f64>) -> Self {
        self.instants.extend(instants);
        self
    }

    /// The integration method.
    pub fn method(mut self, method: Method) -> Self {
        self.request.method = method;
        self
    }

    /// The step of methods with steps of one size.
    pub fn step(mut self, seconds: f64) -> Self {
        self.request.step = Some(seconds);
        self
    }

    /// The longest step of methods that choose their steps.
    pub fn max_step(mut self, seconds: f64) -> Self {
        self.request.max_step = Some(seconds);
        self
    }

    /// The largest order of BDF; with steps of one size its only one.
    pub fn order(mut self, order: u8) -> Self {
        self.request.order = Some(order);
        self
    }

    /// Where the Jacobian comes from.
    pub fn jacobian(mut self, mode: JacobianMode) -> Self {
        self.request.jacobian = mode;
        self
    }

    /// Newton iterations that a system of an inlined step of one size may take.
    pub fn iterations(mut self, number: u32) -> Self {
        self.request.iterations = Some(number);
        self
    }

    /// Events take effect at the ends of steps of one size.
    pub fn events_at_steps(mut self, at_steps: bool) -> Self {
        self.request.events_at_steps = at_steps;
        self
    }

    /// Gives an input a value, points, a function, or a column of a file; without, it keeps its start value.
    ///
    /// ```
    /// use kausal::{Given, Model};
    /// let tank = Model::from_text("model Tank input Real u; Real x(start = 0, fixed = true); equation der(x) = u; end Tank;")?;
    /// for (given, filled) in [
    ///     (Given::from(2.0), 2.0),
    ///     (Given::from((vec![0.0, 1.0], vec![0.0, 1.0])), 0.5),
    ///     (Given::function(|t| 3.0 * t * t), 1.0),
    /// ] {
    ///     let solution = tank.simulation().input("u", given).run()?;
    ///     assert!((solution["x"].last().unwrap() - filled).abs() < 1e-5);
    /// }
    /// # Ok::<(), kausal::Error>(())
    /// ```
    pub fn input(mut self, name: impl Into<String>, given: impl Into<Given>) -> Self {
        self.given.push((name.into(), given.into()));
        self
    }

    /// Gives every input the column of a file that has its name.
    pub fn inputs(mut self, path: impl Into<PathBuf>) -> Self {
        self.columns.push(path.into());
        self
    }

    /// Where functions of the model write new files; if nobody says anything, in memory only.
    pub fn writing(mut self, files: RunFiles) -> Self {
        self.request.files = files;
        self
    }

    /// The variables that are recorded, by name or with `*` and `?`; all, if nobody says anything.
    pub fn variables<S: Into<String>>(mut self, patterns: impl IntoIterator<Item = S>) -> Self {
        self.variables.extend(patterns.into_iter().map(Into::into));
        self
    }

    /// Results go to this file as well, while the run goes on: `.csv`, `.mat` or `.parquet`.
    pub fn write(mut self, path: impl Into<PathBuf>) -> Self {
        self.files.push(path.into());
        self
    }

    /// Whether the solution is kept in memory; not so, long runs go to files only.
    pub fn keep(mut self, kept: bool) -> Self {
        self.kept = kept;
        self
    }

    /// Estimates the error of the run by a second one.
    pub fn audit(mut self, audit: bool) -> Self {
        self.audit = audit;
        self
    }

    /// How long it may take.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.limit = Some(limit);
        self
    }

    /// Who may end it from another thread.
    pub fn cancel(mut self, cancel: &Cancel) -> Self {
        self.cancel = cancel.clone();
        self
    }

    /// Asked after every step, with the instant it came to: shall the run go on?
    pub fn progress<'b>(self, progress: impl FnMut(f64) -> bool + Send + 'b) -> Simulation<'b>
    where
        'a: 'b,
    {
        Simulation { progress: Some(Box::new(progress)), ..self }
    }

    /// Told every record of the variables that are recorded, while the run goes on. A run that is made again, because a system
    /// of equations failed, starts it anew.
    pub fn observe<'b>(self, observer: impl Sink + Send + 'b) -> Simulation<'b>
    where
        'a: 'b,
    {
        Simulation { observer: Some(Box::new(observer)), ..self }
    }

    /// Runs it. A run that fails is an error with the solution up to there ([`Error::partial`]).
    pub fn run(self) -> Result<Solution, Error> {
        let Simulation {
            model, request, given, columns, variables, files, kept, audit, limit, cancel, ..
        } = self;
        let refused = |d: Diagnostic| Error::new(ErrorKind::Request, vec![d], model.base.session().sources());
        let method = request.method().map_err(refused)?;
        let made = model.made()?;
        if let Some(d) = unmatched(&made.compiled.program, variables.iter()) {
            return Err(refused(d));
        }
        let mut warnings = Vec::new();
        let settings = request.settings(method, &model.flat.experiment, &mut warnings).map_err(refused)?;
        let length = (settings.start, settings.stop);
        let (inputs, said) = given::all(&made.compiled.program, &columns, &given, length).map_err(refused)?;
        warnings.extend(said);
        let instants = points(self.instants, settings.start, settings.stop);
        let overrides = model.overrides.clone();
        let settings = Settings { inputs: Arc::new(inputs), instants, overrides, ..settings };
        let mut observer = self.observer;
        let wanted = |name: &str| glob::any(&variables, name);
        let runner = Runner::new(made.compiled.clone())
            .recovering(&model.flat, &model.base.options)
            .backend(model.base.backend)
            .settings(settings)
            .wanted(&wanted)
            .kept(if kept { Some(&wanted) } else { None })
            .observer(observer.as_deref_mut().map(|sink| sink as &mut dyn Sink))
            .files(&files)
            .audit(audit)
            .limit(limit)
            .cancel(&cancel);
        let finished = runner.run(&mut Asked { progress: self.progress });
        let mut finished =
            finished.map_err(|d| Error::new(ErrorKind::Output, vec![d], model.base.session().sources()))?;
        finished.ended.diagnostics.splice(0..0, warnings);
        let (complete, ending) = (finished.is_complete(), finished.ended.ending);
        let solution = Solution::new(finished);
        match complete {
            true => Ok(solution),
            false => Err(Error::of_run(solution, ending, model.base.session().sources())),
        }
    }
}

/// Output points of a run, in order; none are none.
pub(super) fn points(mut instants: Vec<f64>, start: f64, stop: f64) -> Arc<[f64]> {
    if instants.is_empty() {
        return Arc::from([]);
    }
    instants.retain(|t| *t > start && *t < stop);
    instants.push(stop);
    instants.sort_by(f64::total_cmp);
    instants.dedup();
    instants.into()
}

/// Asks a closure.
struct Asked<'a> {
    progress: Option<Box<dyn FnMut(f64) -> bool + Send + 'a>>,
}

impl Watch for Asked<'_> {
    fn proceed(&mut self, time: f64) -> bool {
        self.progress.as_mut().is_none_or(|progress| progress(time))
    }
}
