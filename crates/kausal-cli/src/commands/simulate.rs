//! `kausal simulate`.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kausal::plot::{Curve, Plot, svg, terminal};
use kausal::simulate::Run;
use kausal::{Backend, Diagnostic, Session, Settings, Trajectory, csv};
use serde::Serialize;

use super::model;
use crate::arguments::Simulate;
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
            || arguments.variables.iter().any(|glob| matches(glob, name))
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
    Ok(Settings { start, stop, interval, tolerance, method: arguments.method, fixed_step: arguments.step })
}

fn fail(session: &Session, code: &'static str, message: &str) -> bool {
    output::show(&[Diagnostic::error(code, message)], session.sources());
    false
}

fn write(arguments: &Simulate, session: &Session, model: &str, trajectory: &Trajectory) -> bool {
    if let Some(path) = &arguments.output {
        if path.extension().is_none_or(|e| e != "csv") {
            return fail(session, "K0909", &format!("{}: results are written as .csv", path.display()));
        }
        let written = File::create(path).and_then(|f| csv::write(trajectory, &mut BufWriter::new(f)));
        if let Err(error) = written {
            return fail(session, "K0907", &format!("cannot write {}: {error}", path.display()));
        }
    }
    if arguments.plot.is_empty() && arguments.plot_file.is_none() {
        return true;
    }
    match plot(arguments, model, trajectory) {
        Ok(plot) => match &arguments.plot_file {
            Some(path) => write_plot(session, path, &plot),
            None => {
                if !arguments.json {
                    output::print(&terminal::write(&plot, 72, 18));
                }
                true
            }
        },
        Err(message) => fail(session, "K0910", &message),
    }
}

fn write_plot(session: &Session, path: &Path, plot: &Plot) -> bool {
    if path.extension().is_none_or(|e| e != "svg") {
        return fail(session, "K0909", &format!("{}: plots are written as .svg", path.display()));
    }
    match std::fs::write(path, svg::write(plot)) {
        Ok(()) => true,
        Err(error) => fail(session, "K0907", &format!("cannot write {}: {error}", path.display())),
    }
}

/// The curves asked for; without any, the first few that change.
fn plot(arguments: &Simulate, model: &str, trajectory: &Trajectory) -> Result<Plot, String> {
    let mut names = arguments.plot.clone();
    if names.is_empty() {
        names = kausal::result::interesting(trajectory, 4);
    }
    let mut curves = Vec::new();
    for name in &names {
        let Some(signal) = trajectory.signal(name) else {
            let nearest = kausal::session::nearest(name, trajectory.signals.iter().map(|s| s.name.as_str()));
            let hint = nearest.map_or(String::new(), |n| format!("; did you mean {n}?"));
            return Err(format!("there is no variable {name} to plot{hint}"));
        };
        curves.push(Curve {
            name: name.clone(),
            unit: signal.unit.clone(),
            x: trajectory.time.clone(),
            y: trajectory.values(signal),
        });
    }
    Ok(Plot { title: model.to_owned(), x_label: "time [s]".into(), curves })
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

/// Does the name match a pattern with `*` and `?`?
fn matches(glob: &str, name: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (glob.chars().collect(), name.chars().collect());
    // The usual greedy scan: remember the last star and come back to it.
    let (mut p, mut t, mut star) = (0, 0, None);
    while t < text.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(&c) if c == '?' || c == text[t] => {
                p += 1;
                t += 1;
            }
            _ => match star {
                Some((sp, st)) => {
                    star = Some((sp, st + 1));
                    (p, t) = (sp + 1, st + 1);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn globs() {
        assert!(matches("a.*.v", "a.b.c.v") && matches("*", "") && matches("x?", "x1"));
        assert!(!matches("a.*.v", "a.b.c.w") && !matches("x?", "x") && !matches("", "x"));
    }
}
