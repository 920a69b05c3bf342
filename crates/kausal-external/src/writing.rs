//! What models write: where it may go, and how it gets there.
//!
//! A model is data, also one that writes files, so what it writes must not become more than data. In memory nothing
//! leaves the run, and what was written can be read again. Below a folder only data files are touched: their names end
//! like those of data, no part of them is hidden or leads upwards, and no link stands in the way; so a model can neither
//! replace a script nor the settings of a program. Anywhere is for models that are trusted like a program.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Component, Path, PathBuf};

use crate::StandardExternals;
use crate::files::LARGEST_FILE;
use crate::frame::{Outcome, failed};

/// Where files may be written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Writing {
    /// Nowhere: they are kept in memory for the time of the run.
    #[default]
    Memory,
    /// Data files below this folder, which relative names start from.
    Below(PathBuf),
    /// Any file.
    Anywhere,
}

/// How names of data files end.
const DATA: [&str; 8] = ["mat", "txt", "csv", "tsv", "dat", "log", "out", "json"];

/// Files in memory by name; none where one was removed.
pub(crate) type Kept = BTreeMap<String, Option<Vec<u8>>>;

/// What the run has written by that name, if files are kept in memory: its content, or none if it was removed.
pub(crate) fn kept(externals: &StandardExternals, name: &str) -> Option<Option<Vec<u8>>> {
    externals.state().files.get(name).cloned()
}

/// Replaces a file.
pub(crate) fn replace(externals: &StandardExternals, name: &str, content: Vec<u8>) -> Outcome<()> {
    count(externals, name, content.len())?;
    let Some(path) = place(externals, name)? else {
        externals.state().files.insert(name.to_owned(), Some(content));
        return Ok(());
    };
    std::fs::write(path, content)
        .or_else(|error| failed(format!("the file {name} cannot be written: {error}")))
}

/// Writes behind what a file has.
pub(crate) fn append(externals: &StandardExternals, name: &str, content: &[u8]) -> Outcome<()> {
    count(externals, name, content.len())?;
    let Some(path) = place(externals, name)? else {
        let before = match kept(externals, name) {
            Some(content) => content.unwrap_or_default(),
            None => std::fs::read(name).unwrap_or_default(),
        };
        let whole = [&before, content].concat();
        externals.state().files.insert(name.to_owned(), Some(whole));
        return Ok(());
    };
    let open = || std::fs::OpenOptions::new().append(true).create(true).open(&path);
    open()
        .and_then(|mut file| file.write_all(content))
        .or_else(|error| failed(format!("the file {name} cannot be written: {error}")))
}

/// Removes a file.
pub(crate) fn remove(externals: &StandardExternals, name: &str) -> Outcome<()> {
    let Some(path) = place(externals, name)? else {
        externals.state().files.insert(name.to_owned(), None);
        return Ok(());
    };
    std::fs::remove_file(path).or_else(|error| failed(format!("the file {name} cannot be removed: {error}")))
}

/// One run writes no more than can be read.
fn count(externals: &StandardExternals, name: &str, bytes: usize) -> Outcome<()> {
    let mut state = externals.state();
    state.written = state.written.saturating_add(bytes as u64);
    if state.written > LARGEST_FILE {
        return failed(format!("the file {name} cannot be written: too much has been written"));
    }
    Ok(())
}

/// The path a file may be written at; none if it is kept in memory.
fn place(externals: &StandardExternals, name: &str) -> Outcome<Option<PathBuf>> {
    match &externals.options.write {
        Writing::Memory => Ok(None),
        Writing::Anywhere => Ok(Some(PathBuf::from(name))),
        Writing::Below(folder) => match below(folder, Path::new(name)) {
            Ok(path) => Ok(Some(path)),
            Err(why) => failed(format!(
                "writing the file {name} is not allowed: {why}; --allow-external allows what a program may do"
            )),
        },
    }
}

/// The path of a data file below a folder, or why it is none.
fn below(folder: &Path, name: &Path) -> Result<PathBuf, &'static str> {
    const OUTSIDE: &str = "it is not below the working directory";
    let ends = name.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase);
    if ends.is_none_or(|e| !DATA.contains(&e.as_str())) {
        return Err("its name does not end like that of a data file (.mat, .txt, .csv, …)");
    }
    let folder = folder.canonicalize().map_err(|_| "there is no working directory")?;
    let relative = if name.is_absolute() { name.strip_prefix(&folder).map_err(|_| OUTSIDE)? } else { name };
    let mut path = folder;
    for part in relative.components() {
        match part {
            Component::CurDir => continue,
            Component::Normal(part) if part.to_string_lossy().starts_with('.') => {
                return Err("a part of its name is hidden");
            }
            Component::Normal(part) => path.push(part),
            _ => return Err(OUTSIDE),
        }
        if path.symlink_metadata().is_ok_and(|data| data.is_symlink()) {
            return Err("it is reached by way of a link");
        }
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;

    fn writing(write: Writing) -> StandardExternals {
        StandardExternals::new(Options { write, ..Options::default() })
    }

    #[test]
    fn only_data_below_the_folder_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("deep")).unwrap();
        let externals = writing(Writing::Below(folder.path().to_owned()));
        let full = folder.path().canonicalize().unwrap().join("full.csv");
        for name in ["a.txt", "./b.MAT", "deep/c.dat", full.to_str().unwrap()] {
            append(&externals, name, b"x").unwrap();
        }
        assert_eq!(std::fs::read(folder.path().join("deep/c.dat")).unwrap(), b"x");
        let other = outside.path().join("a.txt");
        for name in [
            "a",
            "Makefile",
            "run.sh",
            ".a.txt",
            ".git/a.txt",
            "../a.txt",
            "deep/../../a.txt",
            "no/such/a.txt",
            other.to_str().unwrap(),
        ] {
            assert!(append(&externals, name, b"x").is_err(), "{name}");
            assert!(replace(&externals, name, b"x".to_vec()).is_err(), "{name}");
            assert!(remove(&externals, name).is_err(), "{name}");
        }
        assert!(!other.exists());
        append(&writing(Writing::Anywhere), other.to_str().unwrap(), b"x").unwrap();
        assert!(other.exists());
        remove(&externals, "a.txt").unwrap();
        assert!(!folder.path().join("a.txt").exists());
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(outside.path(), folder.path().join("link")).unwrap();
        std::os::unix::fs::symlink(outside.path().join("b.txt"), folder.path().join("a.txt")).unwrap();
        let externals = writing(Writing::Below(folder.path().to_owned()));
        assert!(append(&externals, "link/a.txt", b"x").is_err());
        assert!(append(&externals, "a.txt", b"x").is_err());
        assert!(std::fs::read_dir(outside.path()).unwrap().next().is_none());
    }

    #[test]
    fn in_memory_nothing_leaves_the_run() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        std::fs::write(&path, "1\n").unwrap();
        let name = path.to_str().unwrap();
        let externals = writing(Writing::Memory);
        append(&externals, name, b"2\n").unwrap();
        assert_eq!(kept(&externals, name), Some(Some(b"1\n2\n".to_vec())));
        remove(&externals, name).unwrap();
        assert_eq!(kept(&externals, name), Some(None));
        append(&externals, name, b"3\n").unwrap();
        assert_eq!(kept(&externals, name), Some(Some(b"3\n".to_vec())));
        assert_eq!(std::fs::read(&path).unwrap(), b"1\n");
    }
}
