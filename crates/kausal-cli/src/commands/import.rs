//! `kausal import`, and FMUs in the place of models.

use std::path::Path;

use kausal::{Diagnostic, FlatModel, Session, Sources};
use kausal_fmi::export::Version;
use kausal_fmi::import::Fmu;
use kausal_fmi::import::block::{self, Block, unquoted};
use kausal_fmi::import::interface::Role;
use serde::Serialize;

use super::Outcome;
use crate::arguments::{self, FmuKind, Import};
use crate::output;

#[derive(Serialize)]
struct Report<'a> {
    model: &'a str,
    file: Option<&'a Path>,
    block: &'a str,
    fmi: &'a str,
    kind: &'a str,
    states: usize,
    event_indicators: usize,
    variables: usize,
    left_out: &'a [String],
}

fn role(kind: FmuKind) -> Role {
    match kind {
        FmuKind::Me => Role::ModelExchange,
        FmuKind::Cs => Role::CoSimulation,
    }
}

/// The FMU, as what it is used, and its block; errors are given back.
fn read(path: &Path, kind: Option<FmuKind>, locals: bool) -> Result<(Fmu, Role, Block), Vec<Diagnostic>> {
    let fmu = Fmu::open(path)?;
    let role = fmu.role(kind.map(role)).map_err(|d| vec![d])?;
    let block = block::write(&fmu, role, locals);
    Ok((fmu, role, block))
}

fn left_out(block: &Block) -> Option<Diagnostic> {
    const SHOWN: usize = 5;
    let list = &block.left_out;
    let more = list.len().saturating_sub(SHOWN);
    let shown = list.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let message = format!("not in the block {}: {shown}{more}", block.name);
    let d = Diagnostic::note("K0730", message);
    (!list.is_empty())
        .then(|| d.help("binary data, clocks, and texts that are no parameters cannot be passed"))
}

pub fn run(arguments: &Import) -> Outcome {
    let none = Sources::default();
    if let Some(path) =
        arguments.output.as_ref().filter(|path| path.extension().is_none_or(|end| end != "mo"))
    {
        let d = Diagnostic::error(
            "K0908",
            format!("blocks are written to files that end with .mo: {}", path.display()),
        );
        output::show(&[d.help("rename it")], &none);
        return Outcome::Misused;
    }
    let (fmu, role, block) = match read(&arguments.fmu, arguments.kind, arguments.locals) {
        Ok(read) => read,
        Err(said) => return Outcome::from(!output::show(&said, &none)),
    };
    output::show(left_out(&block).as_slice(), &none);
    // It can be read here, and run elsewhere.
    if let Err(d) = fmu.binary(role) {
        let warning = Diagnostic::warning("K0727", d.message);
        output::show(&[warning.help(d.help.unwrap_or_default())], &none);
    }
    if let Some(path) = &arguments.output
        && let Err(error) = std::fs::write(path, &block.text)
    {
        let d = Diagnostic::error("K0907", format!("cannot write {}: {error}", path.display()));
        return Outcome::from(!output::show(&[d], &none));
    }
    if arguments.json {
        output::print_json(&Report {
            model: &fmu.interface.name,
            file: arguments.output.as_deref(),
            block: &block.name,
            fmi: if fmu.interface.version == Version::Two { "2.0" } else { "3.0" },
            kind: role.words(),
            states: fmu.interface.states.len(),
            event_indicators: fmu.interface.indicators,
            variables: fmu.interface.variables.len(),
            left_out: &block.left_out,
        });
    } else {
        match &arguments.output {
            Some(path) => output::wrote(path),
            None => output::print(&block.text),
        }
    }
    Outcome::Done
}

/// Is this name one of an FMU?
pub fn is_fmu(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|ending| ending == "fmu")
}

/// The flat model of an FMU alone, with all its variables under their own names.
pub fn flat(session: &mut Session, model: &arguments::Model) -> Option<FlatModel> {
    let block = match read(Path::new(&model.name), model.fmu_kind, true) {
        Ok((_, _, block)) => block,
        Err(said) => {
            said.into_iter().for_each(|d| session.report(d));
            return None;
        }
    };
    left_out(&block).into_iter().for_each(|d| session.report(d));
    session.add_text(&format!("{} (as a block)", model.name), &block.text);
    let mut flat = session.flatten(&block.name)?;
    for variable in flat.variables.iter_mut().filter(|variable| variable.name.contains('\'')) {
        variable.name = unquoted(&variable.name);
    }
    Some(flat)
}
