//! `kausal simulate`.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kausal::explain::html::{Page, RunShown};
use kausal::plot;
use kausal::result::Sink;
use kausal::simulate::{Ended, Output, run_into, unmatched};
use kausal::{
    Backend, Diagnostic, Inline, JacobianMode, Method, Session, Settings, Trajectory, Writing, glob,
    method_of, store,
};
use serde::Serialize;

use super::model;
use super::results::sketch;
use crate::arguments::{JacobianChoice, Simulate};
use crate::progress::Progress;
use crate::{interrupt, output};

#[derive(Serialize)]
struct Report<'a> {
    model: &'a str,
    start: f64,
    stop: f64,
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
}

#[derive(Serialize)]
struct Seconds {
    translate: f64,
    codegen: f64,
    initialize: f64,
    integrate: f64,
    write: f64,
}

pub fn run(arguments: &Simulate) -> bool {
    let mut session = model::session(&arguments.model);
    // What is wrong with the names of files is said before the work, not after it.
    let names = arguments.output.iter().map(|path| store::check(path));
    let names = names.chain(arguments.plot_file.iter().map(|path| plot::check(path)));
    if let Err(d) = names.collect::<Result<(), Diagnostic>>() {
        return fail(&session, d);
    }
    let Some((flat, program)) = model::program(&mut session, &arguments.model, &arguments.translation) else {
        return false;
    };
    let settings = match settings(arguments, &flat.experiment) {
        Ok(settings) => settings,
        Err(message) => return fail(&session, Diagnostic::error("K0908", message)),
    };
    if let Some(d) = unmatched(&program, arguments.variables.iter().chain(&arguments.plot)) {
        return fail(&session, d);
    }
    let page = arguments.report.as_ref().map(|_| Page::new(&flat, &program, session.sources()));
    let backend = if arguments.interpret { Backend::Interpreter } else { Backend::Jit };
    let compiled = session.compile(program, backend);
    let diagnostics = session.take_diagnostics();
    output::show(&diagnostics, session.sources());
    let Some(compiled) = compiled else { return false };
    let mut files: Vec<(&PathBuf, Box<dyn Sink>)> = Vec::new();
    for path in &arguments.output {
        match store::create(path) {
            Ok(sink) => files.push((path, sink)),
            Err(d) => return fail(&session, d),
        }
    }
    let wanted = |name: &str| glob::any(&arguments.variables, name) || glob::listed(&arguments.plot, name);
    let shown = |name: &str| match needs_all(arguments) {
        true => wanted(name),
        false => glob::listed(&arguments.plot, name),
    };
    let mut memory = Trajectory::default();
    let mut outputs: Vec<Output> = Vec::new();
    for (path, sink) in &mut files {
        outputs.push(Output { wanted: &wanted, sink: &mut **sink, path: Some(path.as_path()) });
    }
    if plots(arguments) || arguments.report.is_some() {
        outputs.push(Output { wanted: &shown, sink: &mut memory, path: None });
    }
    let ended = watched(arguments, &settings, Arc::new(compiled), outputs);
    drop(files);
    let failed = output::show(&ended.diagnostics, session.sources());
    let start = Instant::now();
    let drawn = draw(arguments, &session, &flat.name, &memory)
        && page.is_none_or(|page| write_report(arguments, &session, &settings, &ended, &memory, page));
    let seconds = start.elapsed().as_secs_f64();
    report(arguments, &session, &flat.name, &settings, &ended, !failed, seconds);
    drawn && !failed
}

/// Runs, with everything that can end a run from outside.
fn watched(
    arguments: &Simulate,
    settings: &Settings,
    model: Arc<kausal::CompiledModel>,
    outputs: Vec<Output>,
) -> Ended {
    let limit = arguments.timeout.filter(|s| s.is_finite() && *s > 0.0).map(Duration::from_secs_f64);
    interrupt::begin();
    if let Some(limit) = limit {
        interrupt::exit_after(limit);
    }
    let mut progress = Progress::of_run(settings.start, settings.stop);
    let ended = run_into(model, settings, outputs, limit, &mut |time| {
        progress.advance(time);
        !interrupt::asked()
    });
    interrupt::end();
    progress.clear();
    ended
}

fn settings(arguments: &Simulate, experiment: &kausal::Experiment) -> Result<Settings, String> {
    let start = arguments.start.or(experiment.start).unwrap_or(0.0);
    let stop = arguments.stop.or(experiment.stop).unwrap_or(start + 1.0);
    if !(stop >= start && stop.is_finite() && start.is_finite()) {
        return Err(format!("the run cannot go from {start} to {stop}"));
    }
    let tolerance = arguments.tolerance.or(experiment.tolerance).unwrap_or(1e-6);
    if !(tolerance > 0.0 && tolerance < 1.0) {
        return Err(format!("the tolerance must lie between 0 and 1, not be {tolerance}"));
    }
    let interval = match (arguments.output_interval, arguments.number_of_intervals) {
        (Some(interval), _) if interval.is_finite() && interval >= 0.0 => interval,
        (Some(interval), _) => return Err(format!("the output interval cannot be {interval}")),
        (None, Some(0)) => return Err("the number of output intervals must be positive".into()),
        (None, Some(n)) => (stop - start) / f64::from(n),
        (None, None) => experiment.interval.filter(|i| *i > 0.0).unwrap_or((stop - start) / 500.0),
    };
    let jacobian = match arguments.jacobian {
        JacobianChoice::Auto => JacobianMode::Auto,
        JacobianChoice::Symbolic => JacobianMode::Symbolic,
        JacobianChoice::Numeric => JacobianMode::Numeric,
        JacobianChoice::NumericDense => JacobianMode::NumericDense,
        JacobianChoice::NumericDenseAnew => JacobianMode::NumericDenseAnew,
    };
    let (mut method, fixed_step) = (arguments.method, arguments.step);
    let inline = model::inline(arguments.translation.inline);
    if method == Method::Auto {
        method = method_of(inline, fixed_step.is_some()).unwrap_or(method);
    }
    if method.is_fixed_step() && fixed_step.is_none() {
        return Err("this method takes steps of one size: give it with --step, in seconds".into());
    }
    let max_order = match inline {
        Inline::ImplicitEuler => 1,
        _ => Settings::default().max_order,
    };
    let files = if arguments.allow_external { Writing::Anywhere } else { Writing::Below(".".into()) };
    Ok(Settings {
        start,
        stop,
        interval,
        tolerance,
        method,
        fixed_step,
        jacobian,
        max_order,
        files,
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

fn draw(arguments: &Simulate, session: &Session, model: &str, trajectory: &Trajectory) -> bool {
    if !plots(arguments) {
        return true;
    }
    for path in &arguments.plot_file {
        if let Err(d) = plot::write(trajectory, model, &arguments.plot, path) {
            return fail(session, d);
        }
    }
    if !arguments.plot_file.is_empty() || arguments.report.is_some() || arguments.json {
        return true;
    }
    match plot::of(trajectory, model, &arguments.plot) {
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
    ended: &Ended,
    trajectory: &Trajectory,
    page: Page,
) -> bool {
    let Some(path) = &arguments.report else { return true };
    let run = RunShown {
        statistics: &ended.statistics,
        start: settings.start,
        method: &settings.method.to_string(),
        tolerance: settings.tolerance,
        seconds: ended.seconds,
        trajectory,
        plot: &arguments.plot,
    };
    match std::fs::write(path, page.with_run(&run)) {
        Ok(()) => true,
        Err(error) => fail(session, store::unwritable(path, None, &error)),
    }
}

fn report(
    arguments: &Simulate,
    session: &Session,
    model: &str,
    settings: &Settings,
    ended: &Ended,
    completed: bool,
    write: f64,
) {
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
        });
        return;
    }
    let mut text = format!(
        "{model}: {} to {}, {}, {}, {}\n",
        settings.start,
        s.end,
        output::counted(s.steps, "step"),
        output::counted(s.rhs_evaluations, "evaluation"),
        output::counted(s.state_events + s.time_events, "event")
    );
    if let Some(message) = &s.terminated {
        text.push_str(&format!("ended by the model: {message}\n"));
    }
    output::say(&text);
    output::detail(&format!(
        "method {}, tolerance {}, output every {}\n\
         {} rejected steps, {} Jacobians, {} Newton iterations, {} of them failed, {} pivot fallbacks\n\
         {} state events, {} time events\n\
         translate {:.3} s, code {:.3} s, initial values {:.3} s, integration {:.3} s\n",
        settings.method,
        settings.tolerance,
        settings.interval,
        s.rejected,
        s.jacobians,
        s.newton_iterations,
        s.nonlinear_failures,
        s.pivot_fallbacks,
        s.state_events,
        s.time_events,
        seconds.translate,
        seconds.codegen,
        seconds.initialize,
        seconds.integrate
    ));
}
