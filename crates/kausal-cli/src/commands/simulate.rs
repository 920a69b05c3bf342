//! `kausal simulate`.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kausal::audit::{Audit, Incomplete};
use kausal::explain::html::{Page, RunShown};
use kausal::plot;
use kausal::runner::{Finished, Runner, Stage, Watch};
use kausal::simulate::{Ended, SaveAt, States, instant, unmatched};
use kausal::stored::Flat;
use kausal::{
    Backend, Diagnostic, Inline, Program, Request, Session, Settings, Trajectory, glob, saved, store, tune,
};
use serde::Serialize;

use super::results::sketch;
use super::{Outcome, is_to_fail, model};
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
    /// Steps from the simplified initial problem of `homotopy` to the actual one.
    homotopy_steps: u32,
    state_events: u64,
    time_events: u64,
    terminated: Option<&'a str>,
    /// What the model has written.
    files: &'a [PathBuf],
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

pub fn run(arguments: &Simulate) -> Outcome {
    let mut session = model::session(&arguments.model);
    let mut arguments = arguments.clone();
    if !model::adopt(&mut session, &arguments.model, &mut arguments.translation) {
        return Outcome::Wrong;
    }
    let arguments = &arguments;
    let misused = |session: &Session, d: Diagnostic| {
        output::show(&[d], session.sources());
        Outcome::Misused
    };
    if arguments.animate.is_some() && !kausal::animate::is_available() {
        return fail(&session, kausal::animate::unavailable()).into();
    }
    // What contradicts itself is said before the work, not after it.
    let mut request = request(arguments);
    let chosen = model::contradiction(&arguments.translation).map_or_else(|| request.method(), Err);
    let method = match chosen {
        Ok(method) => method,
        Err(d) => return misused(&session, d),
    };
    let mut said = Vec::new();
    let translated =
        model::program_for_run(&mut session, &arguments.model, &arguments.translation, &mut said);
    let Some((flat, program, tuned)) = translated else {
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
    request.files = super::written::files(arguments, &program.name);
    let states = match states(arguments, &mut request) {
        Ok(states) => states,
        Err(d) => return fail(&session, d).into(),
    };
    if states.is_resumed() && !tuned.is_empty() {
        let d = Diagnostic::error("K0908", "the state that was saved has its own values of parameters");
        return misused(&session, d.help("leave --set out"));
    }
    let settings = match request.settings(method, &program.experiment, &mut warnings) {
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
    simulated(arguments, session, flat, program, tuned, Run { settings, states }).into()
}

/// What a run is to do.
struct Run {
    settings: Settings,
    states: States,
}

/// Where the run begins and where its state is taken; what is asked of it is what was asked of the one it goes on with.
fn states(arguments: &Simulate, request: &mut Request) -> Result<States, Diagnostic> {
    let save = match (&arguments.save_state, arguments.save_state_at) {
        (None, _) => None,
        (Some(_), None) => Some(SaveAt::End),
        (Some(_), Some(t)) => Some(SaveAt::Time(t)),
    };
    let Some(path) = &arguments.from_state else { return Ok(States { save, ..States::default() }) };
    let snapshot = saved::read(path)?;
    let about = snapshot.about().map_err(|error| saved::unusable(Some(path), &error))?;
    let stop = arguments.stop.unwrap_or(about.stop);
    (request.start, request.stop) = (Some(about.time), Some(stop));
    Ok(States { from: Some(Arc::new(snapshot)), stop: Some(stop), save })
}

/// The run, with everything that is written about it.
fn simulated(
    arguments: &Simulate,
    mut session: Session,
    flat: Flat,
    program: Program,
    tuned: &[(String, String)],
    run: Run,
) -> bool {
    let Run { mut settings, states } = run;
    let name = program.name.clone();
    let backend = if arguments.interpret { Backend::Interpreter } else { Backend::Auto };
    let compiled = progress::waiting("making code", || session.compile(program, backend));
    let diagnostics = session.take_diagnostics();
    output::show(&diagnostics, session.sources());
    let Some(compiled) = compiled else { return false };
    let Some(options) = model::options(&arguments.translation, &session) else { return false };
    let compiled = Arc::new(compiled);
    if !tuned.is_empty() {
        match tune::overrides(&compiled, tuned) {
            Ok(overrides) => settings.overrides = Arc::new(overrides),
            Err(refusal) => return fail(&session, refusal.diagnostic()),
        }
    }
    let wanted = |name: &str| glob::any(&arguments.variables, name) || glob::listed(&arguments.plot, name);
    let all = needs_all(arguments);
    let shown = |name: &str| if all { wanted(name) } else { glob::listed(&arguments.plot, name) };
    let is_shown = plots(arguments) || arguments.report.is_some() || arguments.animate.is_some();
    // What came before the run has taken its part.
    let limit =
        arguments.timeout.map(|limit| Duration::from_secs_f64(limit).saturating_sub(interrupt::since()));
    let runner = Runner::new(compiled)
        .recovering_lazily(&flat, &options)
        .backend(backend)
        .settings(settings.clone())
        .wanted(&wanted)
        .kept(if is_shown { Some(&shown) } else { None })
        .files(&arguments.output)
        .audit(arguments.audit)
        .limit(limit)
        .states(states)
        .cancel(interrupt::cancel());
    let finished = runner.run(&mut Shower {
        settings: &settings,
        progress: None,
        waiting: None,
        fails: is_to_fail("run"),
    });
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
    if let (Some(path), Some(snapshot)) = (&arguments.save_state, &ended.snapshot) {
        match saved::write(path, snapshot) {
            Ok(()) if arguments.json => {}
            Ok(()) => output::wrote(path),
            Err(d) => ended.diagnostics.push(d),
        }
    }
    let failed = output::show(&ended.diagnostics, session.sources());
    let broken = ended.diagnostics.iter().any(|d| d.code == "K0907");
    if !arguments.json && !broken {
        arguments.output.iter().for_each(|path| output::wrote(path));
    }
    let start = Instant::now();
    let page = arguments
        .report
        .as_ref()
        .map(|_| Page::new(&flat, &model.program, session.sources()).warned(&ended.diagnostics));
    let run = Shown { ended: &ended, memory: &trajectory, audit: audit.as_ref() };
    let drawn = draw(arguments, &session, &name, &run)
        && page.is_none_or(|page| write_report(arguments, &session, &settings, &run, page))
        && animate(arguments, &mut session, &name, &run);
    let seconds = start.elapsed().as_secs_f64();
    report(arguments, &session, &name, &settings, &run, !failed, seconds);
    // The program ends here, and its memory with it: nothing is gained by giving it back piece by piece.
    std::mem::forget((session, flat, model));
    drawn && !failed
}

/// Shows how far it is, and tells who may end it what is going on.
struct Shower<'a> {
    settings: &'a Settings,
    progress: Option<Progress>,
    waiting: Option<Waiting>,
    /// A test asks for a fault in the second half of the run.
    fails: bool,
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
        if self.fails && time > 0.5 * (self.settings.start + self.settings.stop) {
            panic!("asked for by a test");
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

/// What was asked for.
fn request(arguments: &Simulate) -> Request {
    Request {
        start: arguments.start,
        stop: arguments.stop,
        tolerance: arguments.tolerance,
        interval: arguments.output_interval,
        intervals: arguments.number_of_intervals,
        method: arguments.method,
        inline: arguments.translation.inline,
        step: arguments.step,
        max_step: arguments.max_step,
        order: arguments.order,
        jacobian: arguments.jacobian,
        iterations: arguments.iterations,
        events_at_steps: arguments.events,
        files: kausal::RunFiles::default(),
    }
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
    arguments.plot.is_empty() || arguments.animate.is_some() || arguments.plot_file.iter().any(page)
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

/// Writes the animation.
fn animate(arguments: &Simulate, session: &mut Session, model: &str, run: &Shown) -> bool {
    let Some(path) = &arguments.animate else { return true };
    let animation = session.animation(model, run.memory);
    match animation.and_then(|animation| kausal::animate::write(&animation, path)) {
        Ok(()) => {
            if !arguments.json {
                output::wrote(path);
            }
            true
        }
        Err(d) => fail(session, d),
    }
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
            homotopy_steps: s.homotopy_steps,
            state_events: s.state_events,
            time_events: s.time_events,
            terminated: s.terminated.as_deref(),
            files: &s.files,
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
    text.push_str(&super::written::text(&s.files));
    if let Some(audit) = run.audit() {
        text.push_str(&audit.text());
    }
    output::say(&text);
    if s.homotopy_steps > 0 {
        let steps = output::counted(s.homotopy_steps.into(), "step");
        output::detail(&format!("initial values by homotopy, in {steps} from the simplified problem\n"));
    }
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
