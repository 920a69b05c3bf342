//! `kausal export`.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kausal::runner::Runner;
use kausal::stored::Flat;
use kausal::{Backend, CSettings, CompiledModel, Diagnostic, Inline, Options, Session, Settings, store};
use kausal_fmi::appearance::Appearance;
use kausal_fmi::description::{Kinds, identifier};
use kausal_fmi::export::{self, How, Version, What};
use kausal_fmi::{library, source};
use serde::Serialize;

use super::{Outcome, model};
use crate::arguments::{Export, FmuKind};
use crate::{output, progress};

#[derive(Serialize)]
struct Report<'a> {
    model: &'a str,
    file: &'a str,
    fmi: &'a str,
    bytes: usize,
    states: usize,
    inputs: usize,
    outputs: usize,
    seconds: f64,
}

/// How long it may take to find out with which program a model starts.
const LONGEST: Duration = Duration::from_secs(10);

/// And with which it runs: as long as one waits for a file. A longer run is not made to its end, and its first program is exported.
const LONGEST_RUN: Duration = Duration::from_secs(60);

/// What a run comes to rest with goes into the FMU: where initial values are found with another program only, as the runner finds
/// them, that one; and where a torn nonlinear system fails or loses its digits later on, the one that the run ended with. An FMU
/// has one program, and nobody who could begin again with another.
fn rehearsed(
    session: &mut Session,
    compiled: Arc<CompiledModel>,
    flat: &Flat,
    options: &Options,
) -> Arc<CompiledModel> {
    let experiment = compiled.program.experiment;
    let start = experiment.start.unwrap_or(0.0);
    let run = |model: &Arc<CompiledModel>, stop: f64, backend: Backend, longest: Duration| {
        let tolerance = experiment.tolerance.unwrap_or(Settings::default().tolerance);
        let settings = Settings { start, stop, tolerance, ..Settings::default() };
        let runner = Runner::new(model.clone())
            .recovering_lazily(flat, options)
            .backend(backend)
            .settings(settings)
            .kept(None)
            .limit(Some(longest));
        runner.run(&mut ()).map_or(model.clone(), |finished| finished.model)
    };
    let started = run(&compiled, start, Backend::Interpreter, LONGEST);
    let Some(stop) = experiment.stop.filter(|_| export::iterates_torn(&started.program)) else {
        return started;
    };
    match session.compile(started.program.clone(), Backend::Auto) {
        Some(fast) => run(&Arc::new(fast), stop, Backend::Auto, LONGEST_RUN),
        None => started,
    }
}

/// What makes no sense about the options.
fn misused(arguments: &Export) -> Option<Diagnostic> {
    let refused = |message: String, help: &str| Some(Diagnostic::error("K0908", message).help(help));
    if let Some(d) = model::contradiction(&arguments.translation) {
        return Some(d);
    }
    let named = arguments.output.as_ref();
    if let Some(path) = named.filter(|path| path.extension().is_none_or(|ending| ending != "fmu")) {
        return refused(format!("FMUs have names that end with .fmu: {}", path.display()), "rename it");
    }
    if arguments.source && !arguments.kinds.contains(&FmuKind::Cs) {
        let message = "C text makes its own steps: --source has no Model Exchange".to_owned();
        return refused(message, "leave out --source, or --kind me");
    }
    if arguments.source && arguments.translation.inline == Inline::Rosenbrock {
        let message = "--inline rosenbrock has no step in C: the method chooses its steps".to_owned();
        return refused(message, "take --inline radau, bdf, trapezoidal, implicit-euler or euler");
    }
    None
}

/// How many steps the C text makes in a run, where nobody says how long they are.
const STEPS: f64 = 1000.0;

/// The C text of the model as an archive.
fn source(what: What, arguments: &Export) -> Result<Vec<u8>, Diagnostic> {
    let program = &what.model.program;
    if let Some(d) = source::refused(&what) {
        return Err(d);
    }
    let experiment = program.experiment;
    let span = experiment.stop.unwrap_or(1.0) - experiment.start.unwrap_or(0.0);
    let positive = |size: &f64| *size > 0.0;
    let shares = Some(span / STEPS).filter(positive).unwrap_or(1.0 / STEPS);
    let usual = experiment.interval.filter(positive).unwrap_or(shares);
    let step = arguments.step.unwrap_or(usual);
    let code = kausal::c_code_with(program, CSettings::default()).map_err(|why| {
        Diagnostic::error("K0713", format!("{} cannot be exported as C text: {why}", program.name))
    })?;
    source::archive(what, arguments.fmi, &code, step)
}

pub fn run(arguments: &Export) -> Outcome {
    let start = Instant::now();
    let mut session = model::session(&arguments.model);
    let mut arguments = arguments.clone();
    if !model::adopt(&mut session, &arguments.model, &mut arguments.translation) {
        return Outcome::Wrong;
    }
    if arguments.source && arguments.translation.inline == Inline::Off {
        arguments.translation.inline = Inline::Radau;
    }
    let arguments = &arguments;
    let path = arguments.output.clone();
    if let Some(d) = misused(arguments) {
        output::show(&[d], session.sources());
        return Outcome::Misused;
    }
    let mut said = Vec::new();
    let translated = model::program(&mut session, &arguments.model, &arguments.translation, &mut said);
    let Some((flat, program)) = translated else {
        if arguments.json {
            model::print_failure(&session, &arguments.model, &said);
        }
        return Outcome::Wrong;
    };
    let name = program.name.clone();
    let compiled = progress::waiting("making code", || session.compile(program, Backend::Interpreter));
    let diagnostics = session.take_diagnostics();
    output::show(&diagnostics, session.sources());
    let Some(compiled) = compiled.map(Arc::new) else { return Outcome::Wrong };
    let Some(options) = model::options(&arguments.translation, &session) else { return Outcome::Wrong };
    let compiled = rehearsed(&mut session, compiled, &flat, &options);
    let wanted = |kind: FmuKind| arguments.kinds.contains(&kind);
    let kinds = Kinds { model_exchange: wanted(FmuKind::Me), co_simulation: wanted(FmuKind::Cs) };
    let how = How { version: arguments.fmi, kinds };
    let appearance = Appearance::of(&mut session, &name);
    // What its pictures lack keeps no model from being exported.
    session.take_diagnostics();
    let what = What {
        flat: &flat,
        model: &compiled,
        options: &options,
        sources: session.sources(),
        appearance: &appearance,
    };
    let path = path.unwrap_or_else(|| PathBuf::from(format!("{}.fmu", identifier(&name))));
    let made = match arguments.source {
        true => source(what, arguments),
        false => library::find().and_then(|libraries| export::archive(what, how, &libraries)),
    };
    let written = |bytes: &[u8]| match arguments.output {
        Some(_) => export::write(&path, bytes),
        // The model has chosen the name.
        None => store::write_new(&path, bytes).map_err(|error| store::unwritable(&path, None, &error)),
    };
    let made = made.and_then(|bytes| written(&bytes).map(|()| bytes.len()));
    let bytes = match made {
        Ok(bytes) => bytes,
        Err(d) => return Outcome::from(!output::show(&[d], session.sources())),
    };
    if arguments.json {
        output::print_json(&Report {
            model: &name,
            file: &path.to_string_lossy(),
            fmi: if arguments.fmi == Version::Two { "2.0" } else { "3.0" },
            bytes,
            states: compiled.program.states.len(),
            inputs: compiled.program.inputs.len(),
            outputs: compiled.program.output_variables.len(),
            seconds: start.elapsed().as_secs_f64(),
        });
    } else {
        output::wrote(&path);
    }
    Outcome::Done
}
