//! `kausal simulate`.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kausal::audit::{Audit, Incomplete};
use kausal::explain::html::{Page, RunShown};
use kausal::plot;
use kausal::runner::{Finished, Runner, Stage, Watch};
use kausal::simulate::{Ended, instant, unmatched};
use kausal::{
    Backend, Diagnostic, FlatModel, Inline, JacobianMode, Method, Program, Session, Settings, Trajectory,
    Writing, glob, method_of, store,
};
use serde::Serialize;

use super::results::sketch;
use super::{Outcome, model};
use crate::arguments::Simulate;
use crate::progress::{self, Progress, Waiting};
use crate::{interrupt, output};

#[derive(Serialize)]
struct Report<'a> {
    model: &'a str,
    start: f64,
    stop: f64,
    /// Where the run ended.
    end: f64,
    completed: bool,
    steps: u64,
    rejected: u64,
    rhs_evaluations: u64,
    jacobians: u64,
    newton_iterations: u64,
    nonlinear_failures: u64,
    pivot_fallbacks: u64,
    state_events: u64,
    time_events: u64,
    terminated: Option<&'a str>,
    seconds: Seconds,
    /// Warnings of the run.
    warnings: Vec<Said<'a>>,
    /// With --audit.
    #[serde(skip_serializing_if = "Option::is_none")]
    audit: Option<Audited<'a>>,
}

/// A warning in a report.
#[derive(Serialize)]
struct Said<'a> {
    code: &'a str,
    message: &'a str,
}

/// What came of an audit.
#[derive(Serialize)]
#[serde(untagged)]
enum Audited<'a> {
    Done(&'a Audit),
    Incomplete(&'a Incomplete),
}

#[derive(Serialize)]
struct Seconds {
    translate: f64,
    codegen: f64,
    initialize: f64,
    integrate: f64,
    write: f64,
}

/// The order of BDF with steps of one size, where none is asked for: the highest that is stable for all that decays.
const USUAL_FIXED_ORDER: usize = 2;

/// Points in time of a result.
const MOST_POINTS: f64 = 1e8;

pub fn run(arguments: &Simulate) -> Outcome {
    let limit = arguments.timeout.map(Duration::from_secs_f64);
    interrupt::begin(limit);
    let mut session = model::session(&arguments.model);
    let misused = |session: &Session, d: Diagnostic| {
        output::show(&[d], session.sources());
        Outcome::Misused
    };
    // What contradicts itself is said before the work, not after it.
    let method = match method(arguments) {
        Ok(method) => method,
        Err(d) => return misused(&session, d),
    };
    let mut said = Vec::new();
    let translated = model::program(&mut session, &arguments.model, &arguments.translation, &mut said);
    let Some((flat, program)) = translated else {
        if arguments.json {
            model::print_failure(&session, &arguments.model, &said);
        }
        return Outcome::Wrong;
    };
    if let Some(d) = unmatched(&program, arguments.variables.iter().chain(&arguments.plot)) {
        return fail(&session, d).into();
    }
    let mut warnings = Vec::new();
    warnings.extend(arguments.iterations.and_then(|n| model::superfluous_iterations(n, &program)));
    let settings = settings(arguments, method, &flat.experiment, &mut warnings);
    let settings = match settings {
        Ok(mut settings) => {
            let length = (settings.start, settings.stop);
            match kausal::inputs::from_files(&program, &arguments.inputs, length) {
                Ok((inputs, said)) => {
                    settings.inputs = Arc::new(inputs);
                    warnings.extend(said);
                }
                Err(d) => return fail(&session, d).into(),
            }
            output::show(&warnings, session.sources());
            settings
        }
        Err(d) if arguments.start.or(arguments.stop).is_none() => return fail(&session, d).into(),
        Err(d) => return misused(&session, d),
    };
    simulated(arguments, session, flat, program, settings).into()
}

/// The run, with everything that is written about it.
fn simulated(
    arguments: &Simulate,
    mut session: Session,
    flat: FlatModel,
    program: Program,
    settings: Settings,
) -> bool {
    let backend = if arguments.interpret { Backend::Interpreter } else { Backend::Auto };
    let compiled = progress::waiting("making code", || session.compile(program, backend));
    let diagnostics = session.take_diagnostics();
    output::show(&diagnostics, session.sources());
    let Some(compiled) = compiled else { return false };
    let Some(options) = model::options(&arguments.translation, &session) else { return false };
    let wanted = |name: &str| glob::any(&arguments.variables, name) || glob::listed(&arguments.plot, name);
    let all = needs_all(arguments);
    let shown = |name: &str| if all { wanted(name) } else { glob::listed(&arguments.plot, name) };
    let is_shown = plots(arguments) || arguments.report.is_some();
    // What came before the run has taken its part.
    let limit =
        arguments.timeout.map(|limit| Duration::from_secs_f64(limit).saturating_sub(interrupt::since()));
    let runner = Runner::new(Arc::new(compiled))
        .recovering(&flat, &options)
        .backend(backend)
        .settings(settings.clone())
        .wanted(&wanted)
        .kept(if is_shown { Some(&shown) } else { None })
        .files(&arguments.output)
        .audit(arguments.audit)
        .limit(limit)
        .cancel(interrupt::cancel());
    let finished = runner.run(&mut Shower { settings: &settings, progress: None, waiting: None });
    let Finished { mut ended, trajectory, audit, model, seconds, .. } = match finished {
        Ok(finished) => finished,
        Err(d) => return fail(&session, d),
    };
    session.seconds.translate += seconds.translate;
    session.seconds.codegen += seconds.codegen;
    match &audit {
        Some(Ok(audit)) => ended.diagnostics.extend(audit.diagnostics()),
        Some(Err(incomplete)) => ended.diagnostics.push(incomplete.diagnostic()),
        None => {}
    }
    let failed = output::show(&ended.diagnostics, session.sources());
    let broken = ended.diagnostics.iter().any(|d| d.code == "K0907");
    if !arguments.json && !broken {
        arguments.output.iter().for_each(|path| output::wrote(path));
    }
    let start = Instant::now();
    let page = arguments.report.as_ref().map(|_| Page::new(&flat, &model.program, session.sources()));
    let run = Shown { ended: &ended, memory: &trajectory, audit: audit.as_ref() };
    let drawn = draw(arguments, &session, &flat.name, &run)
        && page.is_none_or(|page| write_report(arguments, &session, &settings, &run, page));
    let seconds = start.elapsed().as_secs_f64();
    report(arguments, &session, &flat.name, &settings, &run, !failed, seconds);
    // The program ends here, and its memory with it: nothing is gained by giving it back piece by piece.
    std::mem::forget((session, flat, model));
    drawn && !failed
}

/// Shows how far it is, and tells who may end it what is going on.
struct Shower<'a> {
    settings: &'a Settings,
    progress: Option<Progress>,
    waiting: Option<Waiting>,
}

impl Watch for Shower<'_> {
    fn enter(&mut self, stage: Stage) {
        self.waiting = None;
        match stage {
            Stage::Translate => self.waiting = Some(Waiting::begin("translating")),
            Stage::Compile => self.waiting = Some(Waiting::begin("making code")),
            Stage::Run => {
                interrupt::run();
                self.progress = Some(Progress::of_run(self.settings.start, self.settings.stop));
            }
            Stage::Over => {
                interrupt::end();
                if let Some(progress) = self.progress.take() {
                    progress.clear();
                }
            }
        }
    }

    fn proceed(&mut self, time: f64) -> bool {
        if let Some(progress) = &mut self.progress {
            progress.advance(time);
        }
        true
    }
}

/// What is shown of the run that counts.
struct Shown<'a> {
    ended: &'a Ended,
    memory: &'a Trajectory,
    audit: Option<&'a Result<Audit, Incomplete>>,
}

impl Shown<'_> {
    /// The audit, if it was completed.
    fn audit(&self) -> Option<&Audit> {
        self.audit.and_then(|outcome| outcome.as_ref().ok())
    }
}

/// The method, if the options that choose it agree.
fn method(arguments: &Simulate) -> Result<Method, Diagnostic> {
    let inline = arguments.translation.inline;
    if let Some(d) = model::contradiction(&arguments.translation) {
        return Err(d);
    }
    let asked = match arguments.method {
        Method::Bdf if arguments.step.is_some() => Method::FixedBdf,
        Method::Radau if arguments.step.is_some() => Method::FixedRadau,
        other => other,
    };
    let own = method_of(inline, arguments.step.is_some());
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
    unused_options(arguments, method)?;
    if arguments.order.is_some() && inline == Inline::Mixed && arguments.step.is_some() {
        let message = "--inline mixed with --step has implicit and explicit Euler, which are of order 1";
        return Err(Diagnostic::error("K0908", message).help("leave --order out, or write --inline bdf"));
    }
    if arguments.order.is_some() && !matches!(method, Method::Auto | Method::Bdf | Method::FixedBdf) {
        let message =
            format!("--order is for backward differentiation formulas; {method} has an order of its own");
        return Err(Diagnostic::error("K0908", message).help("leave it out, or choose --method bdf"));
    }
    if arguments.max_step.is_some() && method.is_fixed_step() {
        let message =
            format!("--max-step is for methods that choose their steps; {method} has those of --step");
        return Err(Diagnostic::error("K0908", message).help("leave it out, or choose a smaller --step"));
    }
    let fixed: Vec<&str> =
        Method::ALL.iter().filter(|(method, _)| method.is_fixed_step()).map(|(_, name)| *name).collect();
    match arguments.step {
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

/// Options that would have no effect are refused, with the reason.
fn unused_options(arguments: &Simulate, method: Method) -> Result<(), Diagnostic> {
    let inline = arguments.translation.inline;
    let inlined = !matches!(inline, Inline::Off | Inline::Auto);
    let refused = |message: String, help: &str| Err(Diagnostic::error("K0908", message).help(help));
    if arguments.order.is_some() && inline == Inline::ImplicitEuler {
        let message =
            "--order is for backward differentiation formulas; implicit-euler is the one of order 1";
        return refused(message.to_owned(), "leave it out, or write --inline bdf");
    }
    // The stages of a Rosenbrock method fall back on it.
    if arguments.jacobian != JacobianMode::Auto && inlined && inline != Inline::Rosenbrock {
        let message = format!(
            "--jacobian says where the integrator has its Jacobian from; with --inline {} the model has matrices of its own",
            inline.name()
        );
        return refused(message, "leave it out, or --inline");
    }
    if arguments.iterations.is_some() && !(inlined && method.is_fixed_step() && inline != Inline::Euler) {
        let message = "--iterations bounds those of an implicit inlined step of one size".to_owned();
        return refused(message, "leave it out, or choose --inline and --step");
    }
    if arguments.events && !method.is_fixed_step() {
        let message = format!(
            "--events at-steps is for methods with steps of one size; {method} chooses its steps itself"
        );
        return refused(message, "leave it out: events are then located");
    }
    Ok(())
}

fn settings(
    arguments: &Simulate,
    method: Method,
    experiment: &kausal::Experiment,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Settings, Diagnostic> {
    let start = arguments.start.or(experiment.start).unwrap_or(0.0);
    let length = experiment.stop.map_or(1.0, |stop| stop - experiment.start.unwrap_or(0.0));
    // Who starts after the end that the model gives means as long a run, later.
    let later = |stop: &f64| arguments.start.is_none() || *stop > start;
    let stop = arguments.stop.or(experiment.stop.filter(later)).unwrap_or(start + length);
    if !(stop >= start && stop.is_finite() && start.is_finite()) {
        return Err(Diagnostic::error("K0908", format!("the run cannot go from {start} to {stop}")).help(
            "--start and --stop say where it starts and ends; otherwise the experiment annotation does",
        ));
    }
    let tolerance = arguments.tolerance.or(experiment.tolerance).unwrap_or(1e-6);
    if !(tolerance > 0.0 && tolerance < 1.0) {
        let message = format!("the tolerance must lie between 0 and 1, not be {tolerance}");
        return Err(Diagnostic::error("K0908", message).help("give another one with --tolerance"));
    }
    let asked = arguments.output_interval.is_some() || arguments.number_of_intervals.is_some();
    let mut interval = match (arguments.output_interval, arguments.number_of_intervals) {
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
    let max_order = match (arguments.order, arguments.translation.inline) {
        (_, Inline::ImplicitEuler) => 1,
        (Some(order), _) => usize::from(order),
        (None, _) if method == Method::FixedBdf => USUAL_FIXED_ORDER,
        (None, _) => Settings::default().max_order,
    };
    let files = if arguments.model.allow_external { Writing::Anywhere } else { Writing::Below(".".into()) };
    Ok(Settings {
        start,
        stop,
        interval,
        tolerance,
        method,
        fixed_step: arguments.step,
        max_step: arguments.max_step,
        jacobian: arguments.jacobian,
        max_order,
        files,
        events_at_steps: arguments.events,
        iterations: arguments.iterations,
        ..Settings::default()
    })
}

fn fail(session: &Session, diagnostic: Diagnostic) -> bool {
    output::show(&[diagnostic], session.sources());
    false
}

/// Is something drawn?
fn plots(arguments: &Simulate) -> bool {
    !arguments.plot_file.is_empty() || !arguments.plot.is_empty()
}

/// Does the plot choose among all signals, or offer them?
fn needs_all(arguments: &Simulate) -> bool {
    let page = |path: &PathBuf| path.extension().is_some_and(|e| e == "html");
    arguments.plot.is_empty() || arguments.plot_file.iter().any(page)
}

fn draw(arguments: &Simulate, session: &Session, model: &str, run: &Shown) -> bool {
    if !plots(arguments) {
        return true;
    }
    for path in &arguments.plot_file {
        if let Err(d) = plot::write_audited(run.memory, model, &arguments.plot, path, run.audit()) {
            return fail(session, d);
        }
        if !arguments.json {
            output::wrote(path);
        }
    }
    if !arguments.plot_file.is_empty() || arguments.report.is_some() || arguments.json {
        return true;
    }
    match plot::of(run.memory, model, &arguments.plot) {
        Ok(plot) => sketch(&plot),
        Err(message) => return fail(session, Diagnostic::error("K0910", message)),
    }
    true
}

/// Writes the report with the run.
fn write_report(
    arguments: &Simulate,
    session: &Session,
    settings: &Settings,
    run: &Shown,
    page: Page,
) -> bool {
    let Some(path) = &arguments.report else { return true };
    let run = RunShown {
        statistics: &run.ended.statistics,
        start: settings.start,
        method: &settings.method.to_string(),
        tolerance: settings.tolerance,
        seconds: run.ended.seconds,
        trajectory: run.memory,
        plot: &arguments.plot,
        audit: run.audit(),
    };
    match std::fs::write(path, page.with_run(&run)) {
        Ok(()) => {
            if !arguments.json {
                output::wrote(path);
            }
            true
        }
        Err(error) => fail(session, store::unwritable(path, None, &error)),
    }
}

fn report(
    arguments: &Simulate,
    session: &Session,
    model: &str,
    settings: &Settings,
    run: &Shown,
    completed: bool,
    write: f64,
) {
    let ended = run.ended;
    let s = &ended.statistics;
    let seconds = Seconds {
        translate: session.seconds.load + session.seconds.flatten + session.seconds.translate,
        codegen: session.seconds.codegen,
        initialize: ended.seconds_initialize,
        integrate: ended.seconds - ended.seconds_initialize,
        write,
    };
    if arguments.json {
        output::print_json(&Report {
            model,
            start: settings.start,
            stop: s.end,
            end: s.end,
            completed,
            steps: s.steps,
            rejected: s.rejected,
            rhs_evaluations: s.rhs_evaluations,
            jacobians: s.jacobians,
            newton_iterations: s.newton_iterations,
            nonlinear_failures: s.nonlinear_failures,
            pivot_fallbacks: s.pivot_fallbacks,
            state_events: s.state_events,
            time_events: s.time_events,
            terminated: s.terminated.as_deref(),
            seconds,
            warnings: ended
                .diagnostics
                .iter()
                .filter(|d| !d.is_error())
                .map(|d| Said { code: d.code, message: &d.message })
                .collect(),
            audit: run.audit.map(|outcome| match outcome {
                Ok(audit) => Audited::Done(audit),
                Err(incomplete) => Audited::Incomplete(incomplete),
            }),
        });
        return;
    }
    // A run that did not come to its end says how far it should have gone.
    let whole = (completed && s.terminated.is_none()) || s.end >= settings.stop;
    let of = if whole { String::new() } else { format!(" of {}", instant(settings.stop)) };
    let mut text = format!(
        "{model}: {} to {}{of}, {}, {}, {}\n",
        instant(settings.start),
        instant(s.end),
        output::counted(s.steps, "step"),
        output::counted(s.rhs_evaluations, "evaluation"),
        output::counted(s.state_events + s.time_events, "event")
    );
    if let Some(message) = &s.terminated {
        text.push_str(&format!("ended by the model: {message}\n"));
    }
    if let Some(audit) = run.audit() {
        text.push_str(&audit.text());
    }
    output::say(&text);
    if let Some(since) = s.stiffer_since {
        output::detail(&format!("all states are treated as stiff since {}\n", instant(since)));
    }
    // Its formula is that of another method.
    let method = match arguments.translation.inline {
        Inline::Mixed => format!("mixed ({})", settings.method),
        _ => settings.method.to_string(),
    };
    output::detail(&format!(
        "method {method}, tolerance {}, output every {}\n\
         {}, {}, {}, {} of them failed, {}\n\
         {}, {}\n\
         translate {:.3} s, code {:.3} s, initial values {:.3} s, integration {:.3} s\n",
        settings.tolerance,
        settings.interval,
        output::counted(s.rejected, "rejected step"),
        output::counted(s.jacobians, "Jacobian"),
        output::counted(s.newton_iterations, "Newton iteration"),
        s.nonlinear_failures,
        output::counted(s.pivot_fallbacks, "pivot fallback"),
        output::counted(s.state_events, "state event"),
        output::counted(s.time_events, "time event"),
        seconds.translate,
        seconds.codegen,
        seconds.initialize,
        seconds.integrate
    ));
}
