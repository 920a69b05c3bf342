//! `kausal simulate`.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kausal::plot;
use kausal::simulate::Run;
use kausal::{Backend, Diagnostic, JacobianMode, Session, Settings, Trajectory, glob, store};
use serde::Serialize;

use super::model;
use super::results::show_plot;
use crate::arguments::{JacobianChoice, Simulate};
use crate::output;

#[derive(Serialize)]
struct Report<'a> {
    model: &'a str,
    start: f64,
    stop: f64,
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
    let Some((flat, program)) = model::program(&mut session, &arguments.model, &arguments.translation) else {
        return false;
    };
    let settings = match settings(arguments, &flat.experiment) {
        Ok(settings) => settings,
        Err(message) => return fail(&session, "K0908", &message),
    };
    let backend = if arguments.interpret { Backend::Interpreter } else { Backend::Jit };
    let compiled = session.compile(program, backend);
    let diagnostics = session.take_diagnostics();
    output::show(&diagnostics, session.sources());
    let Some(compiled) = compiled else { return false };
    let limit = arguments.timeout.filter(|s| s.is_finite() && *s > 0.0).map(Duration::from_secs_f64);
    let wanted = |name: &str| {
        arguments.variables.is_empty()
            || arguments.variables.iter().any(|glob| glob::matches(glob, name))
            || arguments.plot.iter().any(|p| p == name)
    };
    let run = kausal::simulate::run(Arc::new(compiled), &settings, &wanted, limit, &mut |_| true);
    let failed = output::show(&run.diagnostics, session.sources());
    let start = Instant::now();
    let written = write(arguments, &session, &flat.name, &run.trajectory);
    let seconds = start.elapsed().as_secs_f64();
    report(arguments, &session, &flat.name, &settings, &run, seconds);
    written && !failed
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
    };
    let (method, fixed_step) = (arguments.method, arguments.step);
    Ok(Settings { start, stop, interval, tolerance, method, fixed_step, jacobian })
}

fn fail(session: &Session, code: &'static str, message: &str) -> bool {
    output::show(&[Diagnostic::error(code, message)], session.sources());
    false
}

fn write(arguments: &Simulate, session: &Session, model: &str, trajectory: &Trajectory) -> bool {
    if let Some(path) = &arguments.output
        && let Err(diagnostic) = store::write(trajectory, path)
    {
        output::show(&[diagnostic], session.sources());
        return false;
    }
    if arguments.plot.is_empty() && arguments.plot_file.is_none() {
        return true;
    }
    match plot::of(trajectory, model, &arguments.plot) {
        Ok(_) if arguments.plot_file.is_none() && arguments.json => true,
        Ok(plot) => show_plot(&plot, arguments.plot_file.as_deref(), session.sources()),
        Err(message) => fail(session, "K0910", &message),
    }
}

fn report(arguments: &Simulate, session: &Session, model: &str, settings: &Settings, run: &Run, write: f64) {
    let s = &run.statistics;
    if arguments.json {
        output::print_json(&Report {
            model,
            start: settings.start,
            stop: s.end,
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
            seconds: Seconds {
                translate: session.seconds.load + session.seconds.flatten + session.seconds.translate,
                codegen: session.seconds.codegen,
                initialize: run.seconds_initialize,
                integrate: run.seconds - run.seconds_initialize,
                write,
            },
        });
        return;
    }
    let mut text = format!(
        "{model}: {} to {}, {} steps, {} evaluations, {} events\n",
        settings.start,
        s.end,
        s.steps,
        s.rhs_evaluations,
        s.state_events + s.time_events
    );
    if let Some(message) = &s.terminated {
        text.push_str(&format!("ended by the model: {message}\n"));
    }
    output::print(&text);
}
