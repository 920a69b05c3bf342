//! Foreign functions that travel: compiled where the model is exported, loaded where it runs.
//!
//! What is packed are files for one folder: the shared object with the wrappers, and the libraries that it loads in its turn, which
//! it finds beside itself. Wrappers are known by their places, so both sides list the functions in the same order. Libraries of the
//! system are not packed.

use std::path::{Path, PathBuf};

use kausal_symbolic::function::Function;

use super::{Foreign, Loaded, build, declared, keys, load, wrappers};

/// The name of the shared object among the packed files.
pub const OBJECT: &str = "functions";

/// A file that travels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packed {
    /// Its name; it has no folder.
    pub name: String,
    /// What is in it.
    pub bytes: Vec<u8>,
}

/// Compiles functions for a run elsewhere.
///
/// # Errors
/// What the compiler says, or which file cannot be read.
pub fn pack(functions: &[&Function]) -> Result<Vec<Packed>, String> {
    let list = declared(functions);
    let folder = tempfile::Builder::new().prefix("kausal-").tempdir();
    let folder = folder.map_err(|error| format!("there is no folder for temporary files: {error}"))?;
    let object = build::build(&list, folder.path(), build::Libraries::Beside)?;
    let mut packed = vec![Packed { name: OBJECT.to_owned(), bytes: bytes(&object)? }];
    for library in build::shared_libraries(&list) {
        for file in with_other_names(&library) {
            let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
            if !packed.iter().any(|known| known.name == name) {
                packed.push(Packed { name, bytes: bytes(&file)? });
            }
        }
    }
    Ok(packed)
}

fn bytes(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|error| format!("{} cannot be read: {error}", path.display()))
}

/// A library `libx.so` with what stands beside it as `libx.so.1`: it may call itself so, and is then looked for under that name.
fn with_other_names(library: &Path) -> Vec<PathBuf> {
    let mut all = vec![library.to_owned()];
    let (Some(folder), Some(name)) = (library.parent(), library.file_name().and_then(|name| name.to_str()))
    else {
        return all;
    };
    let entries =
        std::fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
    let versioned = |path: &PathBuf| {
        let own = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        own.strip_prefix(name).is_some_and(|rest| rest.starts_with('.')) && path.is_file()
    };
    all.extend(entries.filter(versioned));
    all.sort();
    all
}

impl Foreign {
    /// Loads functions that were packed, from the folder of their files. Whoever calls this has the user's word that they may run.
    ///
    /// # Errors
    /// Where the folder has no such functions, or none for this machine.
    pub fn unpacked(functions: &[&Function], folder: &Path) -> Result<Foreign, String> {
        let list = declared(functions);
        let object = folder.join(OBJECT);
        if !object.is_file() {
            return Err(format!("{} is not there", object.display()));
        }
        let loaded: Vec<Loaded> = load::load(&object, &wrappers(&list))?;
        let foreign = Foreign::default();
        foreign.loaded().extend(keys(list).zip(loaded.into_iter().map(Ok)));
        Ok(foreign)
    }
}
