//! Exports a model: description, stored model and library in an archive.
//!
//! The same model gives the same bytes: the archive has no dates.

use std::io::{Cursor, Write};
use std::path::Path;
use std::sync::Arc;

use kausal::{Diagnostic, Options, Sources};
use kausal_model::FlatModel;
use kausal_runtime::CompiledModel;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::appearance::Appearance;
use crate::description::{Description, Kinds};
use crate::library::Library;
use crate::references::token;
use crate::{ARRAYS, STORED_MODEL, arrays, fmi2, fmi3, resources};

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
    let foreign = what.model.foreign_functions();
    if let Some(&function) = foreign.first() {
        let name = &program.pool.function(function).name;
        let message =
            format!("{} calls the external function {name}, which an FMU does not contain", program.name);
        return Err(Diagnostic::error("K0711", message).help(
            "write the function in Modelica; the standard external functions of the library are built in",
        ));
    }
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
