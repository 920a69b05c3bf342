//! Derivatives of a run by parameters and start values.
//!
//! ```
//! use kausal::Model;
//!
//! let model = Model::from_text("model Decay parameter Real k = 2; Real x(start = 3, fixed = true); equation der(x) = -k*x; end Decay;")?;
//! let found = model.simulation().stop(1.0).tolerance(1e-8).sensitivities(["k", "x"], ["x"])?;
//! let last = found.time.len() - 1;
//! // x = 3 exp(-k t): by k it is -t x, by its start value x/3.
//! let x = 3.0 * (-2.0f64).exp();
//! assert!((found.of("x", "k").unwrap()[last] + x).abs() < 1e-6);
//! assert!((found.of("x", "x").unwrap()[last] - x / 3.0).abs() < 1e-6);
//! # Ok::<(), kausal::Error>(())
//! ```
//!
//! They are carried along by the program's own derivatives ([`kausal_runtime::simulation::sensitivity`]), at the tolerance of the run,
//! through the initial problem and through events.

use std::sync::Arc;

use kausal_runtime::simulation::sensitivity::{self, Doubt, NotSmooth, Wanted};
use kausal_runtime::{Machine, Observer, RunError, Settings};
use kausal_syntax::Diagnostic;
use kausal_translate::Program;

use super::given;
use super::simulation::{Simulation, points};
use crate::cancel::Watchdog;
use crate::error::{Error, ErrorKind};
use crate::internal::guarded;
use crate::simulate::{self, instant, unmatched};
use crate::tune::{self, Refusal};

/// Values and derivatives over the instants of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sensitivities {
    /// The instants; at events there are two, before and behind.
    pub time: Vec<f64>,
    /// What derivatives are taken by.
    pub by: Vec<String>,
    /// What is differentiated.
    pub of: Vec<String>,
    /// Values, one variable after the other.
    pub values: Vec<Vec<f64>>,
    /// Derivatives, one variable after the other: over instants, and there by each of [`Sensitivities::by`].
    pub derivatives: Vec<Vec<f64>>,
    /// Warnings of the run, and where derivatives are doubtful.
    pub diagnostics: Vec<Diagnostic>,
}

impl Sensitivities {
    /// The derivatives of a variable by a parameter, over the instants.
    pub fn of(&self, variable: &str, by: &str) -> Option<Vec<f64>> {
        let i = self.of.iter().position(|name| name == variable)?;
        let j = self.by.iter().position(|name| name == by)?;
        Some(self.derivatives[i].iter().skip(j).step_by(self.by.len()).copied().collect())
    }
}

impl Simulation<'_> {
    /// Runs it, and carries along the derivatives of variables `of` by parameters and start values `by`. What is recorded is these
    /// variables and their derivatives, at the output points of the run and at events.
    ///
    /// # Errors
    /// Where a name is unknown, the model has no such derivatives (`K0577`), or the run fails.
    pub fn sensitivities<A: Into<String>, B: Into<String>>(
        self,
        by: impl IntoIterator<Item = A>,
        of: impl IntoIterator<Item = B>,
    ) -> Result<Sensitivities, Error> {
        let by: Vec<String> = by.into_iter().map(Into::into).collect();
        let of: Vec<String> = of.into_iter().map(Into::into).collect();
        // Some parameters of the model may have been set behind its translation, with another sign.
        let model = self.model.clone();
        let wrong = |kind: ErrorKind, d: Diagnostic| model.error(kind, d);
        let refused = |d: Diagnostic| wrong(ErrorKind::Request, d);
        let method = self.request.method().map_err(refused)?;
        let compiled = model.compiled()?;
        let program = &compiled.program;
        let mut diagnostics = Vec::new();
        let settings =
            self.request.settings(method, &model.experiment(), &mut diagnostics).map_err(refused)?;
        let length = (settings.start, settings.stop);
        let (inputs, said) = given::all(program, &self.columns, &self.given, length).map_err(refused)?;
        diagnostics.extend(said);
        let instants = points(self.instants, settings.start, settings.stop);
        let under_way = self.cancel.begin();
        let settings = Settings {
            inputs: Arc::new(inputs),
            instants,
            overrides: model.overrides(),
            interrupt: under_way.interrupt.clone(),
            ..settings
        };
        let find = |name: &String| {
            tune::find(program, name).ok_or_else(|| {
                let d = unmatched(program, std::iter::once(name));
                refused(
                    d.unwrap_or_else(|| Diagnostic::error("K0910", format!("there is no variable {name}"))),
                )
            })
        };
        let wanted = Wanted {
            by: by.iter().map(find).collect::<Result<_, _>>()?,
            of: of.iter().map(find).collect::<Result<_, _>>()?,
        };
        let _watchdog = Watchdog::new(self.limit, &under_way.interrupt);
        let mut watch = Watching { progress: self.progress };
        let run = guarded(|| sensitivity::sensitivities(compiled.clone(), &settings, &wanted, &mut watch));
        let run = run.map_err(|fault| wrong(ErrorKind::Internal, fault))?;
        let (found, _, outcome) = run.map_err(|why| refused(not_smooth(program, &why)))?;
        if let Err(error) = outcome {
            let stopped = matches!(error, RunError::Stopped(_)) || settings.interrupt.is_requested();
            let late = stopped && settings.interrupt.is_requested() && !self.cancel.is_cancelled();
            let kind = match (late, stopped) {
                (true, _) => ErrorKind::TimedOut,
                (false, true) => ErrorKind::Cancelled,
                (false, false) => ErrorKind::Run,
            };
            return Err(wrong(kind, simulate::explain(program, &error, settings.start, late)));
        }
        let mut doubts = found.doubts;
        doubts.dedup();
        diagnostics.extend(doubts.iter().take(MOST_DOUBTS).map(doubtful));
        Ok(Sensitivities {
            time: found.time,
            by,
            of,
            values: found.values,
            derivatives: found.derivatives,
            diagnostics,
        })
    }
}

/// So many doubts are said.
const MOST_DOUBTS: usize = 20;

fn doubtful(doubt: &Doubt) -> Diagnostic {
    let (t, why) = match doubt {
        Doubt::Coincident(t) => {
            (t, "several events come together there, which move apart with the parameters")
        }
        Doubt::Grazing(t) => (t, "what crosses zero there only touches it"),
        Doubt::Switching(t) => (t, "a little change of a parameter makes the event another one"),
    };
    Diagnostic::warning("K0578", format!("behind time {} derivatives are one-sided: {why}", instant(*t)))
        .help("the trajectory has a kink as a function of the parameter there; compare with runs beside it")
}

fn not_smooth(program: &Program, why: &NotSmooth) -> Diagnostic {
    let name = |v: &kausal_symbolic::VarId| program.variables[v.index()].name.as_str();
    let refuse = |text: String| Diagnostic::error("K0577", text);
    match why {
        NotSmooth::Delay => {
            refuse(format!("{} has delays: derivatives of its runs are not carried along", program.name))
                .help("replace them by approximations (Padé) first, or take differences of runs")
        }
        NotSmooth::Clock => refuse(format!(
            "{} has clocked equations: derivatives of its runs are not carried along",
            program.name
        ))
        .help("take differences of runs"),
        NotSmooth::Impure => refuse(format!(
            "{} calls functions with a memory at its events: they cannot be called twice",
            program.name
        ))
        .help("take differences of runs"),
        NotSmooth::Discrete(v) => refuse(format!("{} is not Real: there is no derivative by it", name(v))),
        NotSmooth::Unsupported(what) => refuse(format!("{} cannot be differentiated: {what}", program.name)),
        NotSmooth::Refused(v, why) => match tune::refusal(program, name(v), *why) {
            Refusal::Wrong(d) => *d,
            Refusal::Structural(name, reason) => {
                refuse(format!("there is no derivative by {name}: {reason}"))
                    .help("derivatives are by parameters that a run can change, and by start values")
            }
        },
    }
}

struct Watching<'a> {
    progress: Option<Box<dyn FnMut(f64) -> bool + Send + 'a>>,
}

impl Observer for Watching<'_> {
    fn record(&mut self, _machine: &Machine) {}

    fn proceed(&mut self, time: f64) -> bool {
        self.progress.as_mut().is_none_or(|progress| progress(time))
    }
}
