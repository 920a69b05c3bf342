//! What a model may touch: one policy for reading, writing, listing and the environment.
//!
//! A model is data: without the user's word it touches nothing. It reads the files of the libraries it uses, of its own
//! folder, and those that the user named; it writes new data files into a fresh folder of the run. Everything else needs a
//! permission for a folder, or that for everything. Paths are compared after all links in them are resolved.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::Metadata;
use std::path::{Component, Path, PathBuf};

/// What a model may touch.
///
/// ```
/// use kausal_external::Permissions;
/// let folder = tempfile::tempdir().unwrap();
/// let mut permissions = Permissions::default();
/// assert!(permissions.readable(folder.path()).is_none());
/// permissions.allow_read(folder.path());
/// assert!(permissions.readable(&folder.path().join("a.txt")).is_some());
/// assert!(permissions.readable(&folder.path().join("../a.txt")).is_none());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Permissions {
    everything: bool,
    /// Folders of libraries and models, files that the user named: read, not listed.
    given: Vec<PathBuf>,
    /// Folders that are read and listed.
    read: Vec<PathBuf>,
    /// Folders in which everything may be changed.
    write: Vec<PathBuf>,
    /// Files that are read in the place of others, by the names of these.
    instead: BTreeMap<PathBuf, PathBuf>,
    /// What is special to one run.
    pub(crate) run: RunFiles,
}

/// The files of one run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunFiles {
    /// The folder that new files of the model go to. It is made when the first one comes, with a number behind its name
    /// where there is one already. None: they are kept in memory for the time of the run.
    pub folder: Option<PathBuf>,
    /// What the run itself writes: no model may change it.
    pub outputs: Vec<PathBuf>,
}

impl Permissions {
    /// All that the user may do: for models that are trusted like a program.
    pub fn everything() -> Permissions {
        Permissions { everything: true, ..Permissions::default() }
    }

    /// Is everything allowed?
    pub fn is_everything(&self) -> bool {
        self.everything
    }

    /// Allows everything from now on.
    pub fn allow_everything(&mut self) {
        self.everything = true;
    }

    /// A folder of a library or of the model, or a file that the user named: it may be read.
    pub fn give(&mut self, path: &Path) {
        add(&mut self.given, path);
    }

    /// A folder that may be read and listed.
    pub fn allow_read(&mut self, folder: &Path) {
        add(&mut self.read, folder);
    }

    /// A folder in which files may be read, listed, written, moved and removed.
    pub fn allow_write(&mut self, folder: &Path) {
        add(&mut self.write, folder);
    }

    /// What the model calls by this name is read from another file, which was given: the model has travelled, and its files with it.
    pub fn read_instead(&mut self, name: &Path, file: &Path) {
        self.instead.insert(name.to_owned(), file.to_owned());
    }

    /// The same permissions for one run.
    #[must_use]
    pub fn for_run(&self, run: &RunFiles) -> Permissions {
        Permissions { run: run.clone(), ..self.clone() }
    }

    /// Where a path leads, if it may be read.
    pub fn readable(&self, path: &Path) -> Option<PathBuf> {
        let real = resolved(self.instead.get(path).map_or(path, PathBuf::as_path))?;
        let folders = [&self.given, &self.read, &self.write];
        let allowed = self.everything || folders.into_iter().any(|folders| is_below(&real, folders));
        allowed.then_some(real)
    }

    /// Where a folder is, if its names may be listed.
    pub fn listable(&self, path: &Path) -> Option<PathBuf> {
        let real = resolved(path)?;
        (self.everything || is_below(&real, &self.read) || is_below(&real, &self.write)).then_some(real)
    }

    /// Where a path leads, if it may be changed. The last part of it is not followed: it is what is changed.
    pub fn changeable(&self, path: &Path) -> Option<PathBuf> {
        let path = std::path::absolute(path).ok()?;
        let real = match (path.parent(), path.file_name()) {
            (Some(parent), Some(name)) => resolved(parent)?.join(name),
            _ => return None,
        };
        (self.everything || is_below(&real, &self.write)).then_some(real)
    }

    /// Does a path lead to what the run itself writes, or to a folder that holds it?
    pub(crate) fn is_output(&self, path: &Path) -> bool {
        let identity = path.metadata().ok().as_ref().and_then(identity);
        self.run.outputs.iter().any(|output| {
            let same = || output.metadata().ok().as_ref().and_then(self::identity);
            resolved(output).is_some_and(|real| real.starts_with(path))
                || (identity.is_some() && same() == identity)
        })
    }
}

fn add(folders: &mut Vec<PathBuf>, path: &Path) {
    // What does not exist gives no permission: it might become a link.
    if let Ok(real) = path.canonicalize()
        && !folders.contains(&real)
    {
        folders.push(real);
    }
}

fn is_below(real: &Path, folders: &[PathBuf]) -> bool {
    folders.iter().any(|folder| real.starts_with(folder))
}

/// The path with all links resolved. Of what does not exist, the part that does is resolved; where the rest leads upwards,
/// there is no answer.
pub(crate) fn resolved(path: &Path) -> Option<PathBuf> {
    let path = std::path::absolute(path).ok()?;
    let mut rest: Vec<&OsStr> = Vec::new();
    let mut at = path.as_path();
    loop {
        if let Ok(real) = at.canonicalize() {
            return Some(rest.iter().rev().fold(real, |path, part| path.join(part)));
        }
        // `..` has no name: behind what does not exist it leads nowhere.
        rest.push(at.file_name()?);
        at = at.parent()?;
    }
}

/// How names of data files end.
const DATA: [&str; 8] = ["mat", "txt", "csv", "tsv", "dat", "log", "out", "json"];

/// The part of a name below the working directory, if it is that of a data file there; otherwise why not.
pub(crate) fn data_name(name: &Path, folder_itself: bool) -> Result<PathBuf, &'static str> {
    const OUTSIDE: &str = "it is not below the working directory";
    let ends = name.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase);
    if !folder_itself && ends.is_none_or(|e| !DATA.contains(&e.as_str())) {
        return Err("its name does not end like that of a data file (.mat, .txt, .csv, …)");
    }
    let relative = if name.is_absolute() {
        let here = std::env::current_dir().map_err(|_| "there is no working directory")?;
        let real = here.canonicalize().unwrap_or_else(|_| here.clone());
        name.strip_prefix(&here).or_else(|_| name.strip_prefix(&real)).map_err(|_| OUTSIDE)?
    } else {
        name
    };
    let mut path = PathBuf::new();
    for part in relative.components() {
        match part {
            Component::CurDir => {}
            Component::Normal(part) if part.to_string_lossy().starts_with('.') => {
                return Err("a part of its name is hidden");
            }
            Component::Normal(part) if part.to_string_lossy().chars().any(char::is_control) => {
                return Err("its name has a character that is none of a text");
            }
            Component::Normal(part) => path.push(part),
            _ => return Err(OUTSIDE),
        }
    }
    if path.as_os_str().is_empty() { Err("it has no name") } else { Ok(path) }
}

/// What a file is, whatever its name: the device and the number on it.
#[cfg(unix)]
fn identity(data: &Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((data.dev(), data.ino()))
}

#[cfg(not(unix))]
fn identity(_: &Metadata) -> Option<(u64, u64)> {
    None
}

/// Has a file more than one name?
#[cfg(unix)]
pub(crate) fn has_other_names(data: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    data.is_file() && data.nlink() > 1
}

#[cfg(not(unix))]
pub(crate) fn has_other_names(_: &Metadata) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_new_files() {
        let here = std::env::current_dir().unwrap();
        for (name, place) in [("a.txt", "a.txt"), ("./b.MAT", "b.MAT"), ("deep/c.dat", "deep/c.dat")] {
            assert_eq!(data_name(Path::new(name), false), Ok(PathBuf::from(place)));
            assert_eq!(data_name(&here.join(name), false), Ok(PathBuf::from(place)));
        }
        for name in [
            "a",
            "Makefile",
            "run.sh",
            ".a.txt",
            ".git/a.txt",
            "../a.txt",
            "b/../../a.txt",
            "/a.txt",
            "a\n.txt",
        ] {
            assert!(data_name(Path::new(name), false).is_err(), "{name}");
        }
        assert!(data_name(Path::new("."), true).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn links_are_resolved_first() {
        let (inside, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let secret = outside.path().join("secret.txt");
        std::fs::write(&secret, "x").unwrap();
        let link = inside.path().join("link.txt");
        std::os::unix::fs::symlink(&secret, &link).unwrap();
        std::os::unix::fs::symlink(outside.path(), inside.path().join("folder")).unwrap();
        let mut permissions = Permissions::default();
        permissions.give(inside.path());
        permissions.allow_write(inside.path());
        assert!(permissions.readable(&inside.path().join("own.txt")).is_some());
        assert!(permissions.readable(&link).is_none());
        assert!(permissions.readable(&inside.path().join("folder/secret.txt")).is_none());
        assert!(permissions.readable(&inside.path().join("folder/nothing/../../x")).is_none());
        assert!(permissions.changeable(&inside.path().join("folder/new.txt")).is_none());
        // The link itself may be removed; what it leads to is another thing.
        assert!(permissions.changeable(&link).is_some());
        assert!(permissions.listable(outside.path()).is_none());
        assert!(Permissions::everything().readable(&link).is_some());
    }

    #[test]
    fn files_travel_with_models() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("table.txt");
        std::fs::write(&file, "x").unwrap();
        let mut permissions = Permissions::default();
        permissions.read_instead(Path::new("/nowhere/table.txt"), &file);
        // Another name is no permission.
        assert!(permissions.readable(Path::new("/nowhere/table.txt")).is_none());
        permissions.give(folder.path());
        assert_eq!(permissions.readable(Path::new("/nowhere/table.txt")), file.canonicalize().ok());
        assert!(permissions.readable(Path::new("/nowhere/other.txt")).is_none());
    }

    #[test]
    fn outputs_are_known_by_any_name() {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("r.csv");
        std::fs::write(&output, "x").unwrap();
        let run = RunFiles { folder: None, outputs: vec![output.clone()] };
        let permissions = Permissions::everything().for_run(&run);
        let real = folder.path().canonicalize().unwrap();
        assert!(permissions.is_output(&real.join("r.csv")) && permissions.is_output(&real));
        assert!(!permissions.is_output(&real.join("s.csv")));
        if cfg!(unix) {
            std::fs::hard_link(&output, folder.path().join("s.csv")).unwrap();
            assert!(permissions.is_output(&real.join("s.csv")));
        }
    }
}
