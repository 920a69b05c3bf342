//! What is asked of a run, and the settings that follow: options that contradict each other are refused, and what nobody says
//! follows from the `experiment` annotation of the model.

use kausal_model::flat::Experiment;
use kausal_runtime::simulation::inlined::method_of;
use kausal_runtime::{JacobianMode, RunFiles, Settings};
use kausal_solver::Method;
use kausal_syntax::Diagnostic;
use kausal_translate::Inline;

use crate::simulate::instant;

/// What is asked of a run; what is `None` follows from the model.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Start of the run.
    pub start: Option<f64>,
    /// End of the run.
    pub stop: Option<f64>,
    /// Relative tolerance.
    pub tolerance: Option<f64>,
    /// Distance of output points; with 0 every step is one.
    pub interval: Option<f64>,
    /// How many distances of output points there are.
    pub intervals: Option<u32>,
    /// The integration method.
    pub method: Method,
    /// The method whose formula is a part of the program.
    pub inline: Inline,
    /// Step of fixed-step methods.
    pub step: Option<f64>,
    /// The longest step of methods that choose their steps.
    pub max_step: Option<f64>,
    /// The largest order of BDF, or its order with steps of one size.
    pub order: Option<u8>,
    /// Where the Jacobian comes from.
    pub jacobian: JacobianMode,
    /// Newton iterations that a system of an inlined step may take.
    pub iterations: Option<u32>,
    /// Events take effect at the ends of steps.
    pub events_at_steps: bool,
    /// Where functions of the model write new files.
    pub files: RunFiles,
}

impl Default for Request {
    fn default() -> Request {
        Request {
            start: None,
            stop: None,
            tolerance: None,
            interval: None,
            intervals: None,
            method: Method::Auto,
            inline: Inline::Off,
            step: None,
            max_step: None,
            order: None,
            jacobian: JacobianMode::Auto,
            iterations: None,
            events_at_steps: false,
            files: RunFiles::default(),
        }
    }
}

/// The order of BDF with steps of one size, where none is asked for: the highest that is stable for all that decays.
const USUAL_FIXED_ORDER: usize = 2;

/// Points in time of a result.
const MOST_POINTS: f64 = 1e8;

impl Request {
    /// The method, if the options that choose it agree.
    pub fn method(&self) -> Result<Method, Diagnostic> {
        self.valid()?;
        let inline = self.inline;
        let asked = match self.method {
            Method::Bdf if self.step.is_some() => Method::FixedBdf,
            Method::Radau if self.step.is_some() => Method::FixedRadau,
            other => other,
        };
        let own = method_of(inline, self.step.is_some());
        if let Some(own) = own
            && asked != Method::Auto
            && asked != own
        {
            let inlined = Inline::ALL.iter().find(|(_, name)| *name == asked.to_string());
            let d = Diagnostic::error(
                "K0908",
                format!(
                    "--inline {} makes the formula of its own method a part of the model: --method {asked} is another one",
                    inline.name()
                ),
            );
            return Err(d.help(match inlined {
                Some((_, name)) => format!("leave --method out, or write --inline {name}"),
                None => "leave --method out, or --inline".to_owned(),
            }));
        }
        let method = own.unwrap_or(asked);
        self.unused(method)?;
        if self.order.is_some() && inline == Inline::Mixed && self.step.is_some() {
            let message = "--inline mixed with --step has implicit and explicit Euler, which are of order 1";
            return Err(Diagnostic::error("K0908", message).help("leave --order out, or write --inline bdf"));
        }
        if self.order.is_some() && !matches!(method, Method::Auto | Method::Bdf | Method::FixedBdf) {
            let message =
                format!("--order is for backward differentiation formulas; {method} has an order of its own");
            return Err(Diagnostic::error("K0908", message).help("leave it out, or choose --method bdf"));
        }
        if self.max_step.is_some() && method.is_fixed_step() {
            let message =
                format!("--max-step is for methods that choose their steps; {method} has those of --step");
            return Err(Diagnostic::error("K0908", message).help("leave it out, or choose a smaller --step"));
        }
        let fixed: Vec<&str> =
            Method::ALL.iter().filter(|(method, _)| method.is_fixed_step()).map(|(_, name)| *name).collect();
        match self.step {
        None if method.is_fixed_step() => {
            Err(Diagnostic::error("K0908", format!("the method {method} takes steps of one size"))
                .help("give it with --step, in seconds"))
        }
        Some(_) if inline == Inline::Rosenbrock => {
            let message = "--inline rosenbrock chooses its steps itself; --step is for methods with steps of one size";
            Err(Diagnostic::error("K0908", message)
                .help("leave --step out, or write --inline implicit-euler, trapezoidal, bdf (with --order) or radau"))
        }
        Some(_) if !method.is_fixed_step() => Err(Diagnostic::error(
            "K0908",
            format!("--step is for methods with steps of one size; {method} chooses its steps itself"),
        )
        .help(format!(
            "leave it out, or choose one of {} with --method; --output-interval says how often results are recorded",
            fixed.join(", ")
        ))),
        _ => Ok(method),
    }
    }

    /// Numbers that make no sense are refused.
    fn valid(&self) -> Result<(), Diagnostic> {
        let positive = |what: &str, value: Option<f64>| match value {
            Some(value) if !(value > 0.0 && value.is_finite()) => {
                Err(Diagnostic::error("K0908", format!("the {what} must be positive, not {value}")))
            }
            _ => Ok(()),
        };
        positive("step", self.step)?;
        positive("longest step", self.max_step)?;
        if let Some(interval) = self.interval.filter(|i| !(*i >= 0.0 && i.is_finite())) {
            return Err(Diagnostic::error("K0908", format!("the output interval cannot be {interval}")));
        }
        if self.intervals == Some(0) {
            return Err(Diagnostic::error("K0908", "there must be at least one output interval"));
        }
        match self.order {
            Some(order) if !(1..=5).contains(&order) => {
                Err(Diagnostic::error("K0908", format!("the order must lie between 1 and 5, not be {order}")))
            }
            _ => Ok(()),
        }
    }

    /// Options that would have no effect are refused, with the reason.
    fn unused(&self, method: Method) -> Result<(), Diagnostic> {
        let inline = self.inline;
        let inlined = !matches!(inline, Inline::Off | Inline::Auto);
        let refused = |message: String, help: &str| Err(Diagnostic::error("K0908", message).help(help));
        if self.order.is_some() && inline == Inline::ImplicitEuler {
            let message =
                "--order is for backward differentiation formulas; implicit-euler is the one of order 1";
            return refused(message.to_owned(), "leave it out, or write --inline bdf");
        }
        // The stages of a Rosenbrock method fall back on it.
        if self.jacobian != JacobianMode::Auto && inlined && inline != Inline::Rosenbrock {
            let message = format!(
                "--jacobian says where the integrator has its Jacobian from; with --inline {} the model has matrices of its own",
                inline.name()
            );
            return refused(message, "leave it out, or --inline");
        }
        if self.iterations.is_some() && !(inlined && method.is_fixed_step() && inline != Inline::Euler) {
            let message = "--iterations bounds those of an implicit inlined step of one size".to_owned();
            return refused(message, "leave it out, or choose --inline and --step");
        }
        if self.events_at_steps && !method.is_fixed_step() {
            let message = format!(
                "--events at-steps is for methods with steps of one size; {method} chooses its steps itself"
            );
            return refused(message, "leave it out: events are then located");
        }
        Ok(())
    }

    /// The settings of a run with this method; the `experiment` annotation says what nobody else does.
    pub fn settings(
        &self,
        method: Method,
        experiment: &Experiment,
        warnings: &mut Vec<Diagnostic>,
    ) -> Result<Settings, Diagnostic> {
        let start = self.start.or(experiment.start).unwrap_or(0.0);
        let length = experiment.stop.map_or(1.0, |stop| stop - experiment.start.unwrap_or(0.0));
        // Who starts after the end that the model gives means as long a run, later.
        let later = |stop: &f64| self.start.is_none() || *stop > start;
        let stop = self.stop.or(experiment.stop.filter(later)).unwrap_or(start + length);
        if !(stop >= start && stop.is_finite() && start.is_finite()) {
            return Err(Diagnostic::error("K0908", format!("the run cannot go from {start} to {stop}")).help(
            "--start and --stop say where it starts and ends; otherwise the experiment annotation does",
        ));
        }
        let tolerance = self.tolerance.or(experiment.tolerance).unwrap_or(1e-6);
        if !(tolerance > 0.0 && tolerance < 1.0) {
            let message = format!("the tolerance must lie between 0 and 1, not be {tolerance}");
            return Err(Diagnostic::error("K0908", message).help("give another one with --tolerance"));
        }
        let asked = self.interval.is_some() || self.intervals.is_some();
        let mut interval = match (self.interval, self.intervals) {
            (Some(interval), _) => interval,
            (None, Some(n)) => (stop - start) / f64::from(n),
            (None, None) => experiment.interval.filter(|i| *i > 0.0).unwrap_or((stop - start) / 500.0),
        };
        let points = (stop - start) / interval;
        if !asked && points > MOST_POINTS {
            interval = (stop - start) / MOST_POINTS;
            warnings.push(
            Diagnostic::warning(
                "K0524",
                format!(
                    "the experiment annotation asks for results at {points:.3e} points: they are written at \
                     {MOST_POINTS:.0e}, every {}",
                    instant(interval)
                ),
            )
            .help("choose another --output-interval, or --number-of-intervals"),
        );
        } else if interval > 0.0 && points > MOST_POINTS {
            let message =
                format!("results at {points:.3e} points are too many: up to {MOST_POINTS:.0e} are written");
            return Err(Diagnostic::error("K0908", message)
                .help("choose a larger --output-interval, or a smaller --number-of-intervals"));
        }
        let max_order = match (self.order, self.inline) {
            (_, Inline::ImplicitEuler) => 1,
            (Some(order), _) => usize::from(order),
            (None, _) if method == Method::FixedBdf => USUAL_FIXED_ORDER,
            (None, _) => Settings::default().max_order,
        };
        Ok(Settings {
            start,
            stop,
            interval,
            tolerance,
            method,
            fixed_step: self.step,
            max_step: self.max_step,
            jacobian: self.jacobian,
            max_order,
            files: self.files.clone(),
            events_at_steps: self.events_at_steps,
            iterations: self.iterations,
            ..Settings::default()
        })
    }
}
