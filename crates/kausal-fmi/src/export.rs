//! Exports a model: description, stored model and library in an archive.
//!
//! The same model gives the same bytes: the archive has no dates.

use std::io::{Cursor, Write};
use std::path::Path;
use std::sync::Arc;

use kausal::{Diagnostic, Options, Packed, Sources, is_hosted};
use kausal_model::FlatModel;
use kausal_model::flat::{Causality, Type, Variable};
use kausal_runtime::CompiledModel;
use kausal_translate::program::{Form, Step};
use kausal_translate::{Program, flow};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::appearance::Appearance;
use crate::description::{Description, Kinds};
use crate::library::{Library, Platform};
use crate::references::token;
use crate::{ARRAYS, EXTERNAL, STORED_MODEL, arrays, fmi2, fmi3, resources};

/// Who made it.
pub const TOOL: &str = concat!("Kausal ", env!("CARGO_PKG_VERSION"));

/// Categories of messages, which the library sends them with.
pub const CATEGORIES: [&str; 6] =
    ["logAll", "logEvents", "logStatusWarning", "logStatusDiscard", "logStatusError", "logStatusFatal"];

/// A version of the standard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Version {
    /// 2.0
    Two,
    /// 3.0
    #[default]
    Three,
}

/// How a model is exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct How {
    /// The version of the standard.
    pub version: Version,
    /// What for.
    pub kinds: Kinds,
}

/// What is exported.
#[derive(Clone, Copy, Debug)]
pub struct What<'a> {
    /// The model.
    pub flat: &'a FlatModel,
    /// What it was translated to.
    pub model: &'a Arc<CompiledModel>,
    /// How.
    pub options: &'a Options,
    /// Where it is written.
    pub sources: &'a Sources,
    /// What it looks like.
    pub appearance: &'a Appearance,
}

/// The archive as bytes.
///
/// # Errors
/// Where the model cannot be an FMU, or the library cannot be read.
pub fn archive(what: What, how: How, libraries: &[Library]) -> Result<Vec<u8>, Diagnostic> {
    let program = &what.model.program;
    if let Some(d) = refused(&what) {
        return Err(d);
    }
    let external = external(&what)?;
    let stored = kausal_translate::stored::write(program, what.flat, what.options, what.sources)
        .map_err(|why| Diagnostic::error("K0916", format!("{} cannot be stored: {why}", program.name)))?;
    let description = Description::new(what.flat, what.model, token(&stored), how.kinds);
    let xml = match how.version {
        Version::Two => fmi2::write(&description),
        Version::Three => fmi3::write(&description),
    };
    let broken = |error: std::io::Error| {
        Diagnostic::error("K0712", format!("the archive of {} cannot be made: {error}", program.name))
    };
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let plain = plain();
    let mut add = |name: &str, bytes: &[u8], options: SimpleFileOptions| -> std::io::Result<()> {
        zip.start_file(name, options)?;
        zip.write_all(bytes)
    };
    add("modelDescription.xml", xml.as_bytes(), plain).map_err(broken)?;
    add(&format!("resources/{STORED_MODEL}"), &stored, plain).map_err(broken)?;
    if how.version == Version::Three && !description.arrays.is_empty() {
        let lengths = arrays::written(&description.arrays, &description.variables);
        add(&format!("resources/{ARRAYS}"), lengths.as_bytes(), plain).map_err(broken)?;
    }
    let files = resources::resources(what.model)?;
    if !files.is_empty() {
        let list = resources::written(&files);
        add(&format!("resources/{}", resources::LIST), list.as_bytes(), plain).map_err(broken)?;
    }
    for file in &files {
        let name = format!("resources/{}/{}", resources::FOLDER, file.name);
        add(&name, &file.bytes, plain).map_err(broken)?;
    }
    if let (false, Some(platform)) = (external.is_empty(), Platform::here()) {
        for Packed { name, bytes } in &external {
            let name = format!("resources/{EXTERNAL}/{}/{name}", platform.three);
            add(&name, bytes, plain.unix_permissions(0o755)).map_err(broken)?;
        }
    }
    for (name, bytes) in shown(&what, &description, how.version) {
        add(name, &bytes, plain).map_err(broken)?;
    }
    for library in libraries {
        let folder = match how.version {
            Version::Two => library.platform.two,
            Version::Three => Some(library.platform.three),
        };
        let Some(folder) = folder else { continue };
        let bytes = std::fs::read(&library.path).map_err(|error| {
            Diagnostic::error("K0710", format!("{} cannot be read: {error}", library.path.display()))
        })?;
        let name = format!("binaries/{folder}/{}{}", description.identifier, library.platform.ending);
        add(&name, &bytes, plain.compression_level(Some(FAST)).unix_permissions(0o755)).map_err(broken)?;
    }
    let done = zip.finish().map_err(|error| broken(error.into()))?;
    Ok(done.into_inner())
}

/// Are there nonlinear systems of which a part of the unknowns follows from the others? These can fail where the whole system does not.
pub fn iterates_torn(program: &Program) -> bool {
    let torn = |step: &Step| match step {
        Step::System(system) => {
            matches!(&system.form, Form::Nonlinear(nonlinear) if nonlinear.unknowns.len() < system.unknowns.len())
        }
        _ => false,
    };
    flow::nested(&program.dynamics).into_iter().any(torn)
}

/// Why a model cannot be an FMU, whatever is in the archive.
pub(crate) fn refused(what: &What) -> Option<Diagnostic> {
    let is_clock = |v: &&Variable| v.ty == Type::Clock && v.causality == Causality::Input;
    let clock = &what.flat.variables.iter().find(is_clock)?.name;
    let message =
        format!("{clock} is a clock that is given from outside, which an FMU of Kausal does not take");
    Some(Diagnostic::error("K0714", message).help(format!(
        "give a Boolean in its place, which makes the clock tick where it rises: `input Boolean {clock}_ticks; Clock {clock} = \
         Clock({clock}_ticks);`"
    )))
}

/// The external C functions of a model, compiled to travel with it.
fn external(what: &What) -> Result<Vec<Packed>, Diagnostic> {
    let (program, foreign) = (&what.model.program, what.model.foreign_functions());
    let refused = |why: String, help: &str| Err(Diagnostic::error("K0711", why).help(help.to_owned()));
    let functions = foreign.iter().map(|&id| program.pool.function(id));
    if functions.clone().any(is_hosted) {
        let why =
            format!("{} has an FMU as a component, which an FMU of Kausal does not contain", program.name);
        return refused(why, "export the other components, and connect both FMUs in the importing tool");
    }
    what.model.pack_foreign().or_else(|why| {
        let names: Vec<&str> = functions.map(|function| &function.name[..]).collect();
        let message = format!(
            "the external functions of {} ({}) cannot be packed: {why}",
            program.name,
            names.join(", ")
        );
        refused(message, "they are compiled for the FMU as they are for `kausal simulate`")
    })
}

fn plain() -> SimpleFileOptions {
    SimpleFileOptions::default().compression_method(CompressionMethod::Deflated)
}

/// An archive of some files.
///
/// # Errors
/// Where there is no memory for it.
pub fn packed(model: &str, files: &[(String, Vec<u8>)]) -> Result<Vec<u8>, Diagnostic> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let mut add = |(name, bytes): &(String, Vec<u8>)| -> std::io::Result<()> {
        zip.start_file(name, plain())?;
        zip.write_all(bytes)
    };
    let made = files.iter().try_for_each(&mut add).and_then(|()| Ok(zip.finish()?.into_inner()));
    made.map_err(|error| {
        Diagnostic::error("K0712", format!("the archive of {model} cannot be made: {error}"))
    })
}

/// Files that importing tools show: in FMI 3.0 the icon stands beside the terminals, in FMI 2.0 beside the description.
pub(crate) fn shown(
    what: &What,
    description: &Description,
    version: Version,
) -> Vec<(&'static str, Vec<u8>)> {
    let Appearance { page, icon, .. } = what.appearance;
    let mut files = Vec::new();
    files.extend(page.as_ref().map(|page| ("documentation/index.html", page.clone().into_bytes())));
    match version {
        Version::Two => {
            let png = icon.as_ref().and_then(|icon| icon.png.clone());
            files.extend(png.map(|png| ("model.png", png)));
        }
        Version::Three => {
            let terminals = what.appearance.terminals(what.flat, description);
            let named = |text: String| ("terminalsAndIcons/terminalsAndIcons.xml", text.into_bytes());
            files.extend(terminals.map(named));
            if let Some(icon) = icon {
                files.push(("terminalsAndIcons/icon.svg", icon.svg.clone().into_bytes()));
                files.extend(icon.png.clone().map(|png| ("terminalsAndIcons/icon.png", png)));
            }
        }
    }
    files
}

/// The library is packed quickly: at the usual level it takes longer than everything else.
const FAST: i64 = 1;

/// Writes an archive.
///
/// # Errors
/// Where the file cannot be written.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Diagnostic> {
    std::fs::write(path, bytes)
        .map_err(|error| Diagnostic::error("K0712", format!("{} cannot be written: {error}", path.display())))
}
