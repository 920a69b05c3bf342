//! Which Modelica files are below the opened folders, and when they were written.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Files by path, with time and size.
pub type Stamps = BTreeMap<String, (Option<SystemTime>, u64)>;

/// Entries of folders that are looked at; of larger ones the first.
const MAX_ENTRIES: usize = 50_000;
/// How deep packages lie in folders.
const MAX_DEPTH: usize = 24;

/// All `.mo` and `package.order` files below folders. Links are not followed.
pub fn stamps(folders: &[PathBuf]) -> Stamps {
    let (mut out, mut left) = (Stamps::new(), MAX_ENTRIES);
    for folder in folders {
        collect(folder, 0, &mut left, &mut out);
    }
    out
}

fn collect(folder: &Path, depth: usize, left: &mut usize, out: &mut Stamps) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let Some(less) = left.checked_sub(1) else { return };
        *left = less;
        let (name, path) = (entry.file_name(), entry.path());
        let name = name.to_string_lossy();
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() && depth < MAX_DEPTH && !name.starts_with('.') {
            collect(&path, depth + 1, left, out);
        } else if kind.is_file() && (name.ends_with(".mo") || name == "package.order") {
            let Ok(data) = entry.metadata() else { continue };
            out.insert(path.to_string_lossy().into_owned(), (data.modified().ok(), data.len()));
        }
    }
}

/// Files that came, went or were written.
pub fn differences(before: &Stamps, now: &Stamps) -> Vec<String> {
    let changed = now.iter().filter(|(path, stamp)| before.get(*path) != Some(stamp)).map(|(path, _)| path);
    let gone = before.keys().filter(|path| !now.contains_key(*path));
    changed.chain(gone).cloned().collect()
}
