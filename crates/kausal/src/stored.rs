//! Stored models: files with a translated model, which are read in milliseconds (see [`kausal_translate::stored`] for what is in
//! them).
//!
//! ```no_run
//! use std::path::Path;
//! use kausal::{Session, stored};
//! # fn main() -> Result<(), kausal::Diagnostic> {
//! let mut session = Session::new();
//! let flat = session.flatten("Kausal.Examples.RC").expect("a model of the library");
//! let program = session.translate(&flat, &Default::default()).expect("a regular model");
//! stored::write(Path::new("RC.kausal"), &program, &flat, &Default::default(), session.sources())?;
//!
//! let model = stored::read(Path::new("RC.kausal"))?;
//! assert_eq!(model.program.name, "Kausal.Examples.RC");
//! # Ok(())
//! # }
//! ```

use std::ops::Deref;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use kausal_model::FlatModel;
use kausal_syntax::{Diagnostic, Sources};
use kausal_translate::stored::StoredError;
use kausal_translate::{Options, Program};

use crate::store;

pub use kausal_translate::stored::{Rest, Stored};

/// The largest file that is read.
const MAX_BYTES: u64 = 1 << 31;

/// The ending of the names of such files.
pub const ENDING: &str = ".kausal";

/// Does a name mean a stored model?
pub fn is_stored(name: &str) -> bool {
    name.ends_with(ENDING)
}

/// Writes a translated model. `flat` is what it was translated from with these options.
///
/// # Errors
/// Where the file cannot be written.
pub fn write(
    path: &Path,
    program: &Program,
    flat: &FlatModel,
    options: &Options,
    sources: &Sources,
) -> Result<(), Diagnostic> {
    let bytes = kausal_translate::stored::write(program, flat, options, sources)
        .map_err(|why| Diagnostic::error("K0916", format!("{} cannot be stored: {why}", program.name)))?;
    std::fs::write(path, bytes).map_err(|error| store::unwritable(path, None, &error))
}

/// Reads a stored model.
///
/// # Errors
/// Where the file cannot be read, is damaged, or was written by another version.
pub fn read(path: &Path) -> Result<Stored, Diagnostic> {
    let bytes = kausal_external::read_regular(path, MAX_BYTES).map_err(|error| {
        Diagnostic::error("K0917", format!("{} cannot be read: {error}", path.display()))
            .help("`kausal translate MODEL -o model.kausal` writes such a file")
    })?;
    kausal_translate::stored::read(&bytes).map_err(|error| diagnostic(path, &error))
}

/// What is wrong with a file.
pub fn diagnostic(path: &Path, error: &StoredError) -> Diagnostic {
    let help = match error {
        StoredError::Foreign => "`kausal translate MODEL -o model.kausal` writes such a file",
        StoredError::Format(format) if *format > kausal_translate::stored::FORMAT => {
            "use that version, or store the model again with this one: `kausal translate MODEL -o model.kausal`"
        }
        _ => "store the model again: `kausal translate MODEL -o model.kausal`",
    };
    Diagnostic::error("K0917", format!("{} {error}", path.display())).help(help)
}

/// A flat model that may come from a stored one: then it is unpacked when somebody asks for it.
#[derive(Debug)]
pub struct Flat {
    model: OnceLock<FlatModel>,
    rest: Option<Arc<Rest>>,
}

impl Flat {
    /// The one of a stored model.
    pub fn stored(rest: Arc<Rest>) -> Flat {
        Flat { model: OnceLock::new(), rest: Some(rest) }
    }
}

impl From<FlatModel> for Flat {
    fn from(model: FlatModel) -> Flat {
        Flat { model: model.into(), rest: None }
    }
}

impl Deref for Flat {
    type Target = FlatModel;

    /// A file whose checksum is right and whose flat model is none was not written by Kausal: it is an empty model.
    fn deref(&self) -> &FlatModel {
        let unpacked = || self.rest.as_ref().and_then(|rest| rest.flat().ok()).unwrap_or_default();
        self.model.get_or_init(unpacked)
    }
}
