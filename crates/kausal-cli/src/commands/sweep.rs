//! `kausal sweep`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use kausal::sweep::{self, Progress, Quantity, Sweep, Swept};
use kausal::{Backend, Diagnostic, Model, Request, Sources};
use serde::Serialize;

use super::{Outcome, model};
use crate::arguments;
use crate::progress::{self, Counted};
use crate::{interrupt, output};

#[derive(Serialize)]
struct Report<'a> {
    model: &'a str,
    runs: u64,
    /// Runs that were there already.
    found: u64,
    made: u64,
    failed: u64,
    completed: bool,
    threads: usize,
    seconds: f64,
    /// What a GPU did, where one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    device: Option<OnDevice<'a>>,
    output: Option<&'a PathBuf>,
    /// Per number that is kept: its smallest and largest value and its mean over the runs made now.
    quantities: BTreeMap<&'a str, Spread>,
}

#[derive(Serialize)]
struct OnDevice<'a> {
    name: &'a str,
    /// Why it did nothing.
    refused: Option<&'a str>,
    /// What went wrong with a batch, which the cores made then.
    fault: Option<&'a str>,
    runs: u64,
    /// Runs that were made again on the cores.
    again: u64,
    kernels: usize,
    compile_seconds: f64,
    prepare_seconds: f64,
    kernel_seconds: f64,
    steps: u64,
}

impl OnDevice<'_> {
    fn of(report: &sweep::Report) -> OnDevice<'_> {
        OnDevice {
            name: &report.name,
            refused: report.refused.as_deref(),
            fault: report.fault.as_deref(),
            runs: report.runs,
            again: report.again,
            kernels: report.kernels,
            compile_seconds: report.compiling,
            prepare_seconds: report.preparing,
            kernel_seconds: report.working,
            steps: report.steps,
        }
    }
}

#[derive(Clone, Copy, Serialize)]
struct Spread {
    min: f64,
    mean: f64,
    max: f64,
}

pub fn run(arguments: &arguments::Sweep) -> Outcome {
    let Some(model) = loaded(&arguments.model, &arguments.translation) else { return Outcome::Wrong };
    let sweep = match asked(arguments, &model) {
        Ok(sweep) => sweep,
        Err(d) => {
            output::show(&[d], &Sources::default());
            return Outcome::Misused;
        }
    };
    let bar = Counted::begin();
    interrupt::run();
    let swept = sweep
        .cancel(interrupt::cancel())
        .progress(|p: Progress| {
            bar.advance(p.done, p.total, &rest(&p));
            true
        })
        .sweep();
    interrupt::end();
    bar.clear();
    match swept {
        Ok(swept) => report(arguments, &model, &swept),
        Err(error) => {
            output::fail(&error);
            if error.kind() == kausal::ErrorKind::Request { Outcome::Misused } else { Outcome::Wrong }
        }
    }
}

/// The model with what is asked of its translation; errors are shown.
pub fn loaded(which: &arguments::Model, how: &arguments::Translation) -> Option<Model> {
    let mut session = model::session(which);
    let mut how = how.clone();
    if !model::adopt(&mut session, which, &mut how) {
        return None;
    }
    let options = model::options(&how, &session)?;
    let stored = model::is_as_stored(&session, &how).then(|| session.take_stored()).flatten();
    let (flat, program) = match stored {
        Some((flat, program)) => ((*flat).clone(), Some(program)),
        None => {
            let mut flat = model::flat(&mut session, which)?;
            if how.no_hints {
                flat.hints.clear();
            }
            (flat, None)
        }
    };
    let settings: Vec<(String, kausal::Setting)> =
        how.settings.iter().map(|(name, value)| (name.clone(), value.clone().into())).collect();
    let made = progress::waiting("translating", || {
        let model = Model::of_session(session, flat, options, Backend::Auto, program)?;
        let model = if settings.is_empty() { model } else { model.with_all(&settings)? };
        model.program()?;
        Ok(model)
    });
    match made {
        Ok(model) => {
            output::show(&model.diagnostics(), &Sources::default());
            Some(model)
        }
        Err(error) => {
            output::fail(&error);
            None
        }
    }
}

fn asked(arguments: &arguments::Sweep, model: &Model) -> Result<Sweep<'static>, Diagnostic> {
    let request = Request {
        start: arguments.start,
        stop: arguments.stop,
        tolerance: arguments.tolerance,
        intervals: arguments.number_of_intervals,
        method: arguments.method,
        step: arguments.step,
        inline: arguments.translation.inline,
        ..Request::default()
    };
    let mut sweep = model.sweep().request(request).seed(arguments.seed).sampling(arguments.design);
    for path in &arguments.table {
        let unreadable = |why: String| {
            Diagnostic::error("K0570", format!("{} is no table of values: {why}", path.display()))
        };
        let text = model::read_text(path).map_err(|error| unreadable(error.to_string()))?;
        let (names, rows) = sweep::parse_table(&text).map_err(unreadable)?;
        sweep = sweep.table(names, rows);
    }
    for (name, values) in &arguments.vary {
        sweep = sweep.vary(name, values.clone());
    }
    let kinds: [(&Vec<String>, fn(String) -> Quantity); 5] = [
        (&arguments.last, Quantity::Final),
        (&arguments.min, Quantity::Min),
        (&arguments.max, Quantity::Max),
        (&arguments.mean, Quantity::Mean),
        (&arguments.integral, Quantity::Integral),
    ];
    for (names, kind) in kinds {
        sweep = names.iter().fold(sweep, |sweep, name| sweep.quantity(kind(name.clone())));
    }
    sweep = arguments.when.iter().fold(sweep, |sweep, when| sweep.quantity(when.clone()));
    if let Some(runs) = arguments.runs {
        sweep = sweep.runs(runs);
    }
    if let Some(path) = &arguments.trajectory_output {
        sweep = sweep.trajectories_over(arguments.trajectories.clone(), arguments.trajectory_intervals);
        sweep = sweep.write_trajectories(path);
    }
    if let Some(path) = &arguments.output {
        sweep = sweep.write(path);
    }
    if let Some(limit) = arguments.run_timeout {
        sweep = sweep.timeout(Duration::from_secs_f64(limit));
    }
    if let Some(jobs) = arguments.jobs {
        sweep = sweep.threads(jobs);
    }
    let sweep = sweep.device(arguments.device);
    Ok(sweep.resume(arguments.resume).keep(arguments.output.is_none()))
}

/// What is said behind the number of runs.
fn rest(p: &Progress) -> String {
    let failed = if p.failed > 0 { format!(", {} failed", p.failed) } else { String::new() };
    let left = p.left.map_or(String::new(), |left| format!(", {} left", progress::duration(left)));
    failed + &left
}

fn report(arguments: &arguments::Sweep, model: &Model, swept: &Swept) -> Outcome {
    let made = swept.made;
    let failed = (swept.failed > 0).then(|| {
        let reason = (0..swept.runs.len()).find(|&k| swept.runs.status(k).is_some_and(|s| !s.is_good()));
        let reason = reason
            .and_then(|k| swept.runs.reason(k))
            .map_or(String::new(), |why| format!("; the first: {why}"));
        let message = format!("{} of {} failed{reason}", swept.failed, output::counted(made, "run"));
        // Where nothing went well, nothing was computed.
        match swept.failed == made {
            true => Diagnostic::error("K0572", message),
            false => Diagnostic::warning("K0572", message),
        }
        .help("the column `reason` of the table says why")
    });
    if let Some(d) = &failed {
        output::show(std::slice::from_ref(d), &Sources::default());
    }
    if let Some(fault) = swept.device.as_ref().and_then(|device| device.fault.as_deref()) {
        let d = Diagnostic::warning("K0573", format!("a batch of runs went to the cores: {fault}"));
        output::show(&[d], &Sources::default());
    }
    if arguments.json {
        output::print_json(&Report {
            model: model.name(),
            runs: swept.total,
            found: swept.found,
            made,
            failed: swept.failed,
            completed: swept.complete,
            threads: swept.threads,
            seconds: swept.seconds,
            device: swept.device.as_ref().map(OnDevice::of),
            output: arguments.output.as_ref(),
            quantities: swept
                .runs
                .quantities()
                .iter()
                .filter_map(|q| Some((q.as_str(), spread(swept, q)?)))
                .collect(),
        });
    } else {
        arguments.output.iter().chain(&arguments.trajectory_output).for_each(|path| output::wrote(path));
        output::say(&text(model, swept));
    }
    if !swept.complete {
        let d = Diagnostic::error(
            "K0522",
            format!("the sweep was stopped after {} of {} runs", swept.found + made, swept.total),
        );
        output::show(&[d.help("the same command with --resume goes on")], &Sources::default());
    }
    Outcome::from(swept.complete && !failed.is_some_and(|d| d.is_error()))
}

/// The numbers of one kind in the runs that went well.
fn spread(swept: &Swept, quantity: &str) -> Option<Spread> {
    let column = swept.runs.get(quantity)?;
    let known: Vec<f64> = column.into_iter().filter(|value| value.is_finite()).collect();
    let (first, n) = (*known.first()?, known.len() as f64);
    let fold = |f: fn(f64, f64) -> f64| known.iter().copied().fold(first, f);
    Some(Spread { min: fold(f64::min), max: fold(f64::max), mean: known.iter().sum::<f64>() / n })
}

fn text(model: &Model, swept: &Swept) -> String {
    let found = if swept.found > 0 { format!(" ({} were there)", swept.found) } else { String::new() };
    let mut text = format!(
        "{}: {}{found}, {} failed, {} on {}\n",
        model.name(),
        output::counted(swept.found + swept.made, "run"),
        swept.failed,
        format_args!("{:.3} s", swept.seconds),
        output::counted(swept.threads as u64, "thread")
    );
    match &swept.device {
        Some(sweep::Report { refused: Some(why), .. }) => text.push_str(&format!("on the cores: {why}\n")),
        Some(r) => text.push_str(&format!(
            "{}: {} in {:.4} s, kernels compiled in {:.2} s, {} made again on the cores\n",
            r.name,
            output::counted(r.runs, "run"),
            r.working,
            r.compiling,
            r.again
        )),
        None => {}
    }
    for quantity in swept.runs.quantities() {
        if let Some(Spread { min, mean, max }) = spread(swept, quantity) {
            text.push_str(&format!("{quantity}: {min} to {max}, mean {mean}\n"));
        }
    }
    text
}
