//! Files that a model reads travel with it (FMI 3.0, section 2.5.1.2): tables, matrices, whatever a text in it names.
//!
//! In the FMU they stand under `resources/files`, and `resources/model.files` says which name of the model each of them has:
//!
//! ```text
//! 1/table.txt<TAB>FOLDER/models/table.txt
//! ```

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kausal::{Diagnostic, read_regular};
use kausal_runtime::{CompiledModel, Machine, Mode};
use kausal_symbolic::{TextId, VarId};

/// The folder of the files, in that of the resources.
pub const FOLDER: &str = "files";

/// The list of the files, in the folder of the resources.
pub const LIST: &str = "model.files";

/// A file that travels.
#[derive(Clone, Debug)]
pub struct Resource {
    /// What the model calls it.
    pub called: String,
    /// Its name in the folder of files.
    pub name: String,
    /// What is in it.
    pub bytes: Vec<u8>,
}

/// The largest file that goes into an FMU; tables are no larger.
const MAX_BYTES: u64 = 1 << 30;

/// The files that texts of a model name, and that it may read.
///
/// # Errors
/// Where one of them cannot be read.
pub fn resources(model: &Arc<CompiledModel>) -> Result<Vec<Resource>, Diagnostic> {
    let program = &model.program;
    let pool = &program.pool;
    let mut texts: BTreeSet<String> =
        (0..pool.text_count() as u32).map(|i| pool.text_of(TextId(i)).to_owned()).collect();
    let mut machine = Machine::new(model.clone());
    // What fails here fails when the model is initialised, and says so.
    let _ = machine.run(&model.parameters, Mode::Initial);
    let variables = (0..program.variables.len() as u32).map(VarId);
    let strings = variables.filter(|v| program.variables[v.index()].is_string());
    texts.extend(strings.filter_map(|v| machine.text_of(v)));
    let mut all = Vec::new();
    for called in texts {
        let path = Path::new(&called);
        let Some(real) = file_of(model, path) else { continue };
        let bytes = read_regular(&real, MAX_BYTES).map_err(|error| {
            Diagnostic::error("K0712", format!("{called} cannot be read: {error}"))
                .help("the model reads it, so it is to become a part of the FMU")
        })?;
        let base = path.file_name().and_then(|name| name.to_str()).unwrap_or("file");
        all.push(Resource { name: format!("{}/{base}", all.len() + 1), called, bytes });
    }
    Ok(all)
}

/// The file that a text names, where it is one that the model may read; no source of models.
fn file_of(model: &CompiledModel, path: &Path) -> Option<PathBuf> {
    let plain = path.to_str().is_some_and(|text| !text.is_empty() && !text.contains(['\n', '\r', '\t']));
    if !plain || path.extension().is_none_or(|ending| ending == "mo") {
        return None;
    }
    model.permissions.readable(path).filter(|real| real.is_file())
}

/// The list of files.
pub fn written(all: &[Resource]) -> String {
    all.iter().map(|file| format!("{}\t{}\n", file.name, file.called)).collect()
}

/// Reads what [`written`] gives: names in the folder of files, and what the model calls them. Names that lead out of it are left out.
pub fn read(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let inside =
        |name: &str| Path::new(name).components().all(|part| matches!(part, std::path::Component::Normal(_)));
    text.lines().filter_map(|line| line.split_once('\t')).filter(move |(name, _)| inside(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_back() {
        let file =
            Resource { called: "/a b/t.txt".to_owned(), name: "1/t.txt".to_owned(), bytes: Vec::new() };
        assert_eq!(read(&written(&[file])).collect::<Vec<_>>(), [("1/t.txt", "/a b/t.txt")]);
        assert_eq!(read("../x\ty\n/etc/x\ty\nz\n").count(), 0);
    }
}
