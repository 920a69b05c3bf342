//! `kausal verify`.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use kausal::verify::pool::{self, Job, Limits};
use kausal::verify::{self, Outcome, Report, Verdict, child, figures, html, markdown, text};
use kausal::{Inline, glob, store};

use super::results::{fail, read, tube};
use crate::arguments::{Verify, VerifyModel};
use crate::{interrupt, output, progress};

pub fn run(arguments: &Verify) -> bool {
    let tube = tube(&arguments.tube);
    let other = match arguments.figures.as_deref().map(read_figures).transpose() {
        Ok(figures) => figures.unwrap_or_default(),
        Err(message) => return fail("K0912", &message),
    };
    let wanted = |model: &str| glob::any(&arguments.filter, model);
    let jobs = match pool::jobs(&arguments.reference, &wanted) {
        Ok(jobs) => jobs,
        Err(error) => {
            return fail("K0901", &format!("cannot read {}: {error}", arguments.reference.display()));
        }
    };
    if jobs.is_empty() {
        return fail("K0910", &format!("{} has no reference to compare with", arguments.reference.display()));
    }
    if let Some(folder) = &arguments.keep
        && let Err(error) = std::fs::create_dir_all(folder)
    {
        return fail("K0907", &format!("cannot write to {}: {error}", folder.display()));
    }
    let program = match std::env::current_exe() {
        Ok(program) => program,
        Err(error) => return fail("K0901", &format!("cannot find the program itself: {error}")),
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let limits = Limits {
        jobs: arguments.jobs.unwrap_or(cores).max(1),
        timeout: Duration::from_secs_f64(arguments.timeout),
        memory: (arguments.memory > 0).then_some(arguments.memory),
    };
    // They are groups of their own, which Ctrl-C on a terminal does not reach.
    interrupt::end_with(pool::stop_all);
    let start = Instant::now();
    let progress = Progress::new(jobs.len());
    let outcomes = pool::run(&jobs, &limits, &|job| command(arguments, &program, job), &|outcome| {
        progress.tell(outcome)
    });
    progress.clear();
    let report = verify::report(outcomes, &other, tube, start.elapsed().as_secs_f64());
    let written = write(arguments, &report);
    if arguments.json {
        output::print_json(&without_curves(&report));
    } else {
        output::print(&text::write(&report));
    }
    written && report.agree == report.models
}

/// What verifies one model: this program again.
fn command(arguments: &Verify, program: &Path, job: &Job) -> Vec<OsString> {
    let mut command: Vec<OsString> = vec![program.into(), "verify-model".into()];
    let mut option = |name: &str, value: OsString| command.extend([name.into(), value]);
    option("--reference", job.reference.clone().into());
    for folder in &arguments.libraries {
        option("--library", folder.into());
    }
    for file in &arguments.load {
        option("--load", file.into());
    }
    option("--tolerance", arguments.tube.tolerance.to_string().into());
    option("--floor", arguments.tube.floor.to_string().into());
    option("--noise", arguments.tube.noise.to_string().into());
    option("--time-tolerance", arguments.tube.time_tolerance.to_string().into());
    option("--inline", arguments.inline.name().into());
    if let Some(folder) = &arguments.keep {
        option("--keep", folder.join(format!("{}.csv", job.model)).into());
    }
    if arguments.allow_external {
        command.push("--allow-external".into());
    }
    command.extend(["--".into(), job.model.clone().into()]);
    command
}

fn read_figures(path: &Path) -> Result<Vec<figures::Figures>, String> {
    let text =
        super::model::read_text(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    figures::read(&text).map_err(|error| format!("{} is not a list of figures: {error}", path.display()))
}

/// Pages, where asked for.
fn write(arguments: &Verify, report: &Report) -> bool {
    let title = &title(report);
    let mut pages = Vec::new();
    if let Some(path) = &arguments.html {
        let reference = |model: &str| store::read(&arguments.reference.join(format!("{model}.csv"))).ok();
        pages.push((path, html::write(report, title, &reference)));
    }
    if let Some(path) = &arguments.markdown {
        let page = markdown::write(report, title, &shown_command(arguments));
        pages.push((path, without_folders(page, arguments)));
    }
    pages.into_iter().all(|(path, page)| match std::fs::write(path, page) {
        Ok(()) => true,
        Err(error) => fail("K0907", &format!("cannot write {}: {error}", path.display())),
    })
}

/// `Verification of …`, with the library the models come from, if it is one.
fn title(report: &Report) -> String {
    let root = |row: &verify::Row| row.outcome.model.split('.').next().unwrap_or_default().to_owned();
    match report.rows.first().map(root) {
        Some(first) if report.rows.iter().all(|row| root(row) == first) => format!("Verification of {first}"),
        _ => "Verification".to_owned(),
    }
}

/// The command that makes the page anew, with what it depends on; nothing in it depends on where this machine keeps it.
fn shown_command(arguments: &Verify) -> String {
    let mut command = format!("kausal verify --reference {}", relative(&arguments.reference));
    for glob in &arguments.filter {
        command.push_str(&format!(" --filter '{glob}'"));
    }
    for folder in &arguments.libraries {
        command.push_str(&format!(" --library {}", relative(folder)));
    }
    for file in &arguments.load {
        command.push_str(&format!(" --load {}", relative(file)));
    }
    if arguments.inline != Inline::Off {
        command.push_str(&format!(" --inline {}", arguments.inline.name()));
    }
    command.push_str(&format!(" --timeout {}", arguments.timeout));
    if let Some(path) = &arguments.figures {
        command.push_str(&format!(" --figures {}", relative(path)));
    }
    if let Some(path) = &arguments.markdown {
        command.push_str(&format!(" --markdown {}", relative(path)));
    }
    command
}

/// A path as seen from the folder the command runs in.
fn relative(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    if !path.is_absolute() {
        return path.display().to_string();
    }
    let (from, to): (Vec<_>, Vec<_>) = (here.components().collect(), path.components().collect());
    let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n(Component::ParentDir, from.len() - common);
    up.chain(to[common..].iter().copied()).collect::<PathBuf>().display().to_string()
}

/// Messages may name files of libraries: without the folder they are in, the same on every machine.
fn without_folders(page: String, arguments: &Verify) -> String {
    let path = std::env::var_os("MODELICAPATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(arguments.libraries.iter().cloned());
    folders.filter(|f| f.is_absolute()).fold(page, |page, folder| {
        let folder = folder.display().to_string();
        page.replace(&format!("{}/", folder.trim_end_matches('/')), "")
    })
}

fn without_curves(report: &Report) -> Report {
    let mut report = report.clone();
    report.rows.iter_mut().for_each(|row| row.outcome.curves.clear());
    report
}

/// A bar on a terminal that says how far it is.
struct Progress {
    bar: Option<ProgressBar>,
    /// How many agree, differ and fail.
    counts: Mutex<[usize; 3]>,
}

impl Progress {
    fn new(total: usize) -> Progress {
        Progress { bar: progress::bar(total as u64), counts: Mutex::new([0; 3]) }
    }

    fn tell(&self, outcome: &Outcome) {
        let Ok(mut counts) = self.counts.lock() else { return };
        counts[match outcome.verdict {
            Verdict::Agrees => 0,
            Verdict::Differs => 1,
            Verdict::Fails => 2,
        }] += 1;
        let [agree, differ, fail] = *counts;
        if let Some(bar) = &self.bar {
            bar.set_message(format!("{agree} agree, {differ} differ, {fail} fail  {}", outcome.model));
            bar.set_position((agree + differ + fail) as u64);
        }
    }

    fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Verifies one model: stages and the outcome go to stdout, for the process that asked.
pub fn model(arguments: &VerifyModel) -> bool {
    let tube = tube(&arguments.tube);
    let Some(reference) = read(&arguments.reference) else { return false };
    let mut session = super::model::session(&arguments.model);
    for file in &arguments.load {
        session.add_file(file);
    }
    let Some(model) = session.find(&arguments.model.name, arguments.model.inside.as_deref()) else {
        return false;
    };
    let keep = arguments.keep.as_deref();
    let task = child::Task { model: &model, reference: &reference, tube, keep, inline: arguments.inline };
    let enter = &mut |stage: verify::Stage| output::print(&format!("stage {}\n", stage.name()));
    let outcome = child::run(&mut session, &task, enter, &mut |outcome| output::print_json(outcome));
    output::print_json(&outcome);
    outcome.verdict == Verdict::Agrees
}
