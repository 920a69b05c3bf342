//! Result files of a run, set aside while another run writes files of the same names.

use std::fs;
use std::path::{Path, PathBuf};

/// Files that were moved out of the way. They come back, unless the new ones are better.
pub(crate) struct Backup {
    /// Where they were, and where they are.
    moved: Vec<(PathBuf, PathBuf)>,
}

impl Backup {
    /// Moves files away, those that can be: a pipe is none.
    pub fn new(files: &[PathBuf]) -> Backup {
        let is_file = |path: &&PathBuf| fs::symlink_metadata(path).is_ok_and(|m| m.is_file());
        let moves = |path: &PathBuf| {
            let other = beside(path)?;
            fs::rename(path, &other).ok().map(|()| (path.clone(), other))
        };
        Backup { moved: files.iter().filter(is_file).filter_map(moves).collect() }
    }

    /// The new files are better.
    pub fn forget(mut self) {
        for (_, other) in self.moved.drain(..) {
            // What cannot be removed does no harm.
            let _ = fs::remove_file(other);
        }
    }
}

impl Drop for Backup {
    fn drop(&mut self) {
        for (path, other) in self.moved.drain(..) {
            let _ = fs::rename(other, path);
        }
    }
}

/// A name in the same folder that nothing has.
fn beside(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_string_lossy();
    (1..100).map(|k| path.with_file_name(format!("{name}.before{k}"))).find(|other| !other.exists())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_come_back_or_are_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("r.csv");
        let write = |text: &str| fs::write(&file, text).expect("a file");
        let count = || fs::read_dir(folder.path()).expect("a folder").count();
        write("first");
        let backup = Backup::new(std::slice::from_ref(&file));
        write("second");
        drop(backup);
        assert_eq!((fs::read_to_string(&file).expect("text").as_str(), count()), ("first", 1));
        let backup = Backup::new(std::slice::from_ref(&file));
        write("third");
        backup.forget();
        assert_eq!((fs::read_to_string(&file).expect("text").as_str(), count()), ("third", 1));
    }
}
