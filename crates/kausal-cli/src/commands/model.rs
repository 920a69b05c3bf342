//! `kausal check`, `flatten`, `translate` and `examples`.

use std::io::Write;
use std::path::Path;

use kausal::session::balance;
use kausal::stored::{self, Flat};
use kausal::{
    CSettings, Commands, Diagnostic, FlatModel, Inline, Options, Program, Session, Sources, render, summary,
};
use serde::Serialize;

use super::{Outcome, import};
use crate::arguments::{self, Check, Examples, Flatten, Translate, Translation};
use crate::{output, progress};

/// A session with the libraries a user asked for.
pub fn session(model: &arguments::Model) -> Session {
    let mut session = Session::new();
    for folder in &model.libraries {
        session.add_library(folder);
    }
    session.add_modelica_path();
    session.check_units(model.units);
    let allowed = session.allowed();
    model.allow_read.iter().for_each(|folder| allowed.allow_read(folder));
    model.allow_write.iter().for_each(|folder| allowed.allow_write(folder));
    session.set_host(kausal_fmi::import::host::FmuHost::shared());
    if model.allow_external {
        session.allow_external();
    }
    session
}

/// The flat model, or diagnostics shown and `None`.
pub fn flat(session: &mut Session, model: &arguments::Model) -> Option<FlatModel> {
    flat_saying(session, model, &mut Vec::new())
}

/// The flat model; what was said meanwhile is shown and kept.
fn flat_saying(
    session: &mut Session,
    model: &arguments::Model,
    said: &mut Vec<Diagnostic>,
) -> Option<FlatModel> {
    let flat = progress::waiting("reading and flattening", || match stored::is_stored(&model.name) {
        true => {
            let path = Path::new(&model.name);
            if session.stored().is_none() {
                session.open_stored(path)?;
            }
            session.stored_flat(path)
        }
        false if import::is_fmu(&model.name) => import::flat(session, model),
        false => session.find(&model.name, model.inside.as_deref()).and_then(|name| session.flatten(&name)),
    });
    let diagnostics = session.take_diagnostics();
    output::show(&diagnostics, session.sources());
    said.extend(diagnostics);
    flat
}

/// What programs read where there is no translation.
#[derive(Serialize)]
struct FailureReport<'a> {
    model: &'a str,
    completed: bool,
    diagnostics: Vec<render::JsonDiagnostic>,
}

/// Prints that a model could not be translated, and why, as JSON.
pub fn print_failure(session: &Session, model: &arguments::Model, said: &[Diagnostic]) {
    output::print_json(&FailureReport {
        model: model.inside.as_deref().unwrap_or(&model.name),
        completed: false,
        diagnostics: render::json(said, session.sources()),
    });
}

/// The flat model with settings and its program, or `None`; what was said meanwhile is shown and kept.
pub fn program(
    session: &mut Session,
    model: &arguments::Model,
    how: &Translation,
    said: &mut Vec<Diagnostic>,
) -> Option<(Flat, Program)> {
    if is_as_stored(session, how) {
        return session.take_stored();
    }
    let flat = flat_saying(session, model, said)?;
    program_of(session, flat, how, said)
}

/// The same for a run. A stored program is not translated again for settings: these are left for the run, if there are any.
pub fn program_for_run<'h>(
    session: &mut Session,
    model: &arguments::Model,
    how: &'h Translation,
    said: &mut Vec<Diagnostic>,
) -> Option<(Flat, Program, &'h [(String, String)])> {
    let unset = Translation { settings: Vec::new(), ..how.clone() };
    if is_as_stored(session, &unset) {
        how.settings.iter().for_each(|(_, value)| allow_named_file(session, value));
        return session.take_stored().map(|(flat, program)| (flat, program, how.settings.as_slice()));
    }
    program(session, model, how, said).map(|(flat, program)| (flat, program, &[][..]))
}

/// Who names a file in a setting lets the model read it.
fn allow_named_file(session: &mut Session, value: &str) {
    let path = Path::new(value.trim().trim_matches('"'));
    if path.is_file() {
        session.allowed().give(path);
    }
}

/// Opens a stored model, if one is named, and takes over the options it was translated with where none are given. Errors are
/// shown and give `false`.
pub fn adopt(session: &mut Session, model: &arguments::Model, how: &mut Translation) -> bool {
    if !stored::is_stored(&model.name) {
        return true;
    }
    let Some(stored) = session.open_stored(Path::new(&model.name)) else {
        let diagnostics = session.take_diagnostics();
        output::show(&diagnostics, &Sources::default());
        return false;
    };
    let own = &stored.options;
    let usual = Options::default();
    if how.tearing == usual.tearing {
        how.tearing = own.tearing;
    }
    if how.relaxing == usual.relaxing {
        how.relaxing = own.relaxing;
    }
    if how.inline == usual.inline {
        how.inline = own.inline;
        if how.stiff.is_empty() {
            how.stiff = own.stiff.clone().unwrap_or_default();
        }
    }
    if how.loops == usual.loops {
        how.loops = own.loops;
    }
    true
}

/// Is the program wanted as the stored model has it? Otherwise its flat model is translated again.
pub fn is_as_stored(session: &Session, how: &Translation) -> bool {
    let Some(stored) = session.stored() else { return false };
    let own = &stored.options;
    let given = how.no_hints || how.commands.is_some() || !how.settings.is_empty();
    !given
        && (how.tearing, how.relaxing, how.inline, how.loops)
            == (own.tearing, own.relaxing, own.inline, own.loops)
        && how.stiff == own.stiff.clone().unwrap_or_default()
}

/// The flat model with settings and its program; what was said meanwhile is shown and kept.
pub fn program_of(
    session: &mut Session,
    mut flat: FlatModel,
    how: &Translation,
    said: &mut Vec<Diagnostic>,
) -> Option<(Flat, Program)> {
    if is_as_stored(session, how) {
        return session.take_stored();
    }
    let options = options(how, session)?;
    how.settings.iter().for_each(|(_, value)| allow_named_file(session, value));
    let program = if session.set(&mut flat, &how.settings) {
        if how.no_hints {
            flat.hints.clear();
        }
        progress::waiting("translating", || session.translate(&flat, &options))
    } else {
        None
    };
    let diagnostics = session.take_diagnostics();
    output::show(&diagnostics, session.sources());
    said.extend(diagnostics);
    if let Some(report) = program.as_ref().map(|p| &p.report)
        && !report.valueless.is_empty()
    {
        output::detail(&format!("parameters without a value: {}\n", report.valueless.join(", ")));
    }
    if let Some(stiffness) = program.as_ref().and_then(|p| p.report.stiffness.as_ref()) {
        output::detail(&format!("{stiffness}\n"));
    }
    program.map(|program| (flat.into(), program))
}

/// The options of a translation; a file of commands that cannot be read is shown and gives `None`.
pub fn options(how: &Translation, session: &Session) -> Option<Options> {
    Some(Options {
        tearing: how.tearing,
        relaxing: how.relaxing,
        inline: how.inline,
        stiff: (!how.stiff.is_empty()).then(|| how.stiff.clone()),
        loops: how.loops,
        commands: commands(how, session)?,
        untorn: Vec::new(),
        continuous_silent: false,
    })
}

/// A text that the user named.
pub fn read_text(path: &Path) -> std::io::Result<String> {
    const LARGEST: u64 = 1 << 30;
    String::from_utf8(kausal::read_regular(path, LARGEST)?).map_err(std::io::Error::other)
}

/// The translator commands a user gave.
fn commands(how: &Translation, session: &Session) -> Option<Commands> {
    let Some(path) = &how.commands else {
        return Some(session.stored().map(|stored| stored.options.commands.clone()).unwrap_or_default());
    };
    let text = match read_text(path) {
        Ok(text) => text,
        Err(e) => {
            let message = format!("cannot read {}: {e}", path.display());
            output::show(&[Diagnostic::error("K0452", message)], session.sources());
            return None;
        }
    };
    let (commands, diagnostics) = Commands::parse(&text);
    output::show(&diagnostics, session.sources());
    diagnostics.is_empty().then_some(commands)
}

#[derive(Serialize)]
struct CheckReport<'a> {
    model: &'a str,
    equations: usize,
    unknowns: usize,
    balanced: bool,
}

pub fn check(arguments: &Check) -> bool {
    let mut session = session(&arguments.model);
    let mut said = Vec::new();
    let Some(flat) = flat_saying(&mut session, &arguments.model, &mut said) else {
        if arguments.json {
            print_failure(&session, &arguments.model, &said);
        }
        return false;
    };
    let balance = balance(&flat);
    let balanced = balance.equations == balance.unknowns;
    if arguments.json {
        output::print_json(&CheckReport {
            model: &flat.name,
            equations: balance.equations,
            unknowns: balance.unknowns,
            balanced,
        });
    } else {
        let verdict = if balanced { "balanced" } else { "not balanced" };
        output::say(&format!(
            "{}: {}, {}, {verdict}\n",
            flat.name,
            output::counted(balance.equations as u64, "equation"),
            output::counted(balance.unknowns as u64, "unknown")
        ));
    }
    balanced
}

pub fn flatten(arguments: &Flatten) -> bool {
    let mut session = session(&arguments.model);
    let mut said = Vec::new();
    match flat_saying(&mut session, &arguments.model, &mut said) {
        None if arguments.json => {
            print_failure(&session, &arguments.model, &said);
            false
        }
        Some(flat) if arguments.json => {
            output::print_json(&kausal::flattened::flattened(&flat, session.sources()));
            true
        }
        Some(flat) => {
            output::print(&kausal::print_flat(&flat));
            true
        }
        None => false,
    }
}

/// What makes no sense about the options of a translation.
pub fn contradiction(how: &Translation) -> Option<Diagnostic> {
    let named = how.stiff.first()?;
    if how.stiff.iter().any(|name| name.trim().is_empty()) {
        let d = Diagnostic::error("K0908", "--stiff has a state without a name");
        return Some(d.help(
            "give names of states, separated by commas, or leave it out: the fast ones are then found",
        ));
    }
    (how.inline != Inline::Mixed).then(|| {
        let message = format!(
            "--stiff {named} has no effect: only --inline mixed treats stiff states unlike the others"
        );
        Diagnostic::error("K0908", message).help("leave it out, or write --inline mixed")
    })
}

/// What makes no sense about the options of C text.
fn c_contradiction(arguments: &Translate) -> Option<Diagnostic> {
    let inline = arguments.translation.inline;
    let refused = |message: String, help: &str| Some(Diagnostic::error("K0908", message).help(help));
    if arguments.order.is_some() && !matches!(inline, Inline::Bdf | Inline::Auto) {
        let message = "--order is for backward differentiation formulas in C".to_owned();
        return refused(message, "leave it out, or write --inline bdf");
    }
    if arguments.iterations.is_some() && matches!(inline, Inline::Off | Inline::Euler) {
        let message = "--iterations bounds those of an implicit inlined step in C".to_owned();
        return refused(message, "leave it out, or choose --inline");
    }
    if (arguments.order.is_some() || arguments.iterations.is_some()) && arguments.c.is_none() {
        let option = if arguments.order.is_some() { "--order" } else { "--iterations" };
        return refused(
            format!("{option} is for C text, and none is asked for"),
            "leave it out, or write --c FILE",
        );
    }
    if let Some(path) = arguments.output.as_ref().filter(|path| !stored::is_stored(&path.to_string_lossy())) {
        let message =
            format!("stored models have names that end with {}: {}", stored::ENDING, path.display());
        return refused(
            message,
            "rename it; --c FILE writes C, and results are written by `kausal simulate`",
        );
    }
    if inline == Inline::Rosenbrock && arguments.c.is_some() {
        let message = "--inline rosenbrock has no step in C: the method chooses its steps, and those of the C text \
                       are of one size";
        let help = "take --inline trapezoidal, bdf (with --order) or radau: they have steps of one size, too";
        return Some(Diagnostic::error("K0914", message).help(help));
    }
    None
}

pub fn translate(arguments: &Translate) -> Outcome {
    let mut session = session(&arguments.model);
    let mut arguments = arguments.clone();
    if !adopt(&mut session, &arguments.model, &mut arguments.translation) {
        return Outcome::Wrong;
    }
    let arguments = &arguments;
    if let Some(d) = contradiction(&arguments.translation).or_else(|| c_contradiction(arguments)) {
        output::show(&[d], session.sources());
        return Outcome::Misused;
    }
    translated(arguments, &mut session).into()
}

fn translated(arguments: &Translate, session: &mut Session) -> bool {
    let mut said = Vec::new();
    let translated = program(session, &arguments.model, &arguments.translation, &mut said);
    let Some((flat, program)) = translated else {
        if arguments.json {
            print_failure(session, &arguments.model, &said);
        }
        return false;
    };
    if arguments.c.is_some() {
        output::show(without_effect(arguments, &program).as_slice(), session.sources());
    }
    if let Some(path) = &arguments.c
        && !write_c(&program, path, c_settings(arguments), session)
    {
        return false;
    }
    if let Some(path) = &arguments.output
        && !write_stored(arguments, path, &program, &flat, session)
    {
        return false;
    }
    if arguments.json {
        output::print_json(&summary::of(&program, session.seconds));
    } else if arguments.program_text {
        output::print(&kausal::program_text(&program));
    } else if arguments.listing || wants_listing(&arguments.translation) {
        output::print(&kausal::listing(&program));
    } else {
        output::say(&summary::text(&program, output::list_length()));
    }
    true
}

fn write_stored(
    arguments: &Translate,
    path: &Path,
    program: &Program,
    flat: &FlatModel,
    session: &Session,
) -> bool {
    let Some(options) = options(&arguments.translation, session) else { return false };
    match stored::write(path, program, flat, &options, session.sources()) {
        Ok(()) => {
            if !arguments.json {
                output::wrote(path);
            }
            true
        }
        Err(d) => !output::show(&[d], session.sources()),
    }
}

/// Do the translator commands ask for the listing?
fn wants_listing(how: &Translation) -> bool {
    let text = how.commands.as_ref().and_then(|path| read_text(path).ok());
    text.is_some_and(|text| Commands::parse(&text).0.wants_listing())
}

/// What the options ask for and the step of this model in C does not have.
fn without_effect(arguments: &Translate, program: &Program) -> Option<Diagnostic> {
    let help = "choose a method, for instance --inline implicit-euler or trapezoidal";
    if arguments.translation.inline == Inline::Auto
        && program.discretized.is_none()
        && !program.states.is_empty()
    {
        let why = program.report.decisions.iter().find(|text| text.starts_with("inlining the integration"));
        let why = why.map_or(String::new(), |text| format!(" ({text})"));
        let message = format!("--inline auto inlines nothing here{why}: the C text has no step");
        return Some(Diagnostic::warning("K0915", message).help(help));
    }
    arguments.iterations.and_then(|n| superfluous_iterations(n, program))
}

/// Where a step has nothing to iterate on, a bound of iterations has no effect.
pub fn superfluous_iterations(iterations: u32, program: &Program) -> Option<Diagnostic> {
    let message = format!("--iterations {iterations} has no effect: no system of the step is iterated");
    (program.discretized.is_some() && !summary::step_iterates(program))
        .then(|| Diagnostic::note("K0915", message))
}

/// What a run does between the functions of the C text, and whoever calls them must do.
fn left_to_caller(program: &Program) -> Vec<Diagnostic> {
    let tasks = [
        (!program.delays.is_empty(), "keeping what is delayed and setting it before each call"),
        (!program.transports.is_empty(), "spatialDistribution: setting what leaves before each call"),
    ];
    let left = tasks.iter().filter(|(there, _)| *there);
    let warning = |(_, task): &(bool, &str)| {
        Diagnostic::warning("K0913", format!("the C text leaves to its caller: {task}"))
    };
    left.map(warning).collect()
}

fn c_settings(arguments: &Translate) -> CSettings {
    let usual = CSettings::default();
    CSettings {
        order: arguments.order.map_or(usual.order, usize::from),
        iterations: arguments.iterations.unwrap_or(usual.iterations),
    }
}

fn write_c(program: &Program, path: &Path, settings: CSettings, session: &Session) -> bool {
    let written = kausal::c_code_with(program, settings).and_then(|text| {
        std::fs::write(path, text).map_err(|e| format!("cannot write {}: {e}", path.display()))
    });
    match written {
        Ok(()) => {
            output::wrote(path);
            output::show(&left_to_caller(program), session.sources());
            true
        }
        Err(message) => {
            output::show(&[Diagnostic::error("K0907", message)], session.sources());
            false
        }
    }
}

#[derive(Serialize)]
struct Example {
    name: String,
    description: String,
    /// A step of the tutorial: copied, then run; otherwise a model of the library that runs by its name.
    tutorial: bool,
}

pub fn examples(arguments: &Examples) -> bool {
    if !arguments.copy.is_empty() {
        return arguments.copy.iter().all(|name| copy(name));
    }
    let listed = |list: Vec<(String, String)>, tutorial: bool| -> Vec<Example> {
        list.into_iter().map(|(name, description)| Example { name, description, tutorial }).collect()
    };
    let tutorial = listed(kausal::examples::tutorial(), true);
    let library = listed(kausal::examples::examples(), false);
    if arguments.json {
        output::print_json(&tutorial.into_iter().chain(library).collect::<Vec<_>>());
        return true;
    }
    let width = tutorial.iter().chain(&library).map(|e| e.name.len()).max().unwrap_or(0);
    let mut text =
        String::from("The tutorial, from one resistor to the robot (kausal examples --copy Resistor):\n");
    for e in &tutorial {
        text.push_str(&format!("  {:width$}  {}\n", e.name, e.description));
    }
    text.push_str("\nThe library (kausal simulate Kausal.Examples.RC --plot 'capacitor.*'):\n");
    for e in &library {
        text.push_str(&format!("  {:width$}  {}\n", e.name, e.description));
    }
    output::print(&text);
    true
}

/// Writes an example to a file, unless there is one of that name.
fn copy(name: &str) -> bool {
    let copy = match kausal::examples::copy(name) {
        Ok(copy) => copy,
        Err(meant) => {
            let mut d = Diagnostic::error("K0200", format!("there is no example {name}"));
            d = d.help(match meant {
                Some(meant) => format!("did you mean {meant}?"),
                None => "`kausal examples` lists them".to_owned(),
            });
            output::show(&[d], &Sources::default());
            return false;
        }
    };
    let file = std::fs::OpenOptions::new().write(true).create_new(true).open(&copy.file);
    match file.and_then(|mut file| file.write_all(copy.text.as_bytes())) {
        Ok(()) => {
            output::say(&format!(
                "wrote {}: kausal simulate {} --plot-file {}.html\n",
                copy.file,
                copy.file,
                stem(&copy.file)
            ));
            true
        }
        Err(error) => {
            let mut d = Diagnostic::error("K0907", format!("cannot write {}: {error}", copy.file));
            if error.kind() == std::io::ErrorKind::AlreadyExists {
                d = d.help("it is not overwritten: rename or remove it first");
            }
            !output::show(&[d], &Sources::default())
        }
    }
}

fn stem(file: &str) -> &str {
    file.split_once('.').map_or(file, |(stem, _)| stem)
}
