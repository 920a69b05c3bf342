//! What models write: where it goes, and how it gets there.
//!
//! In memory nothing leaves the run, and what was written can be read again. Otherwise new data files go to a fresh folder of
//! the run, whatever stands in the working directory under their names; the model finds them there again by these names.
//! What existed before the run is changed only in folders the user has named, and never by way of a link or of a second
//! name; what the run itself writes is not changed at all.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::StandardExternals;
use crate::files::LARGEST_FILE;
use crate::frame::{Outcome, failed};
use crate::permissions::{data_name, has_other_names};

/// So many files and folders one run makes at most.
const MOST_FILES: usize = 1000;

/// Files in memory by name; none where one was removed.
pub(crate) type Kept = BTreeMap<String, Option<Vec<u8>>>;

/// What a run has written outside of memory.
#[derive(Debug, Default)]
pub(crate) struct Written {
    /// The fresh folder, once it was made.
    folder: Option<PathBuf>,
    /// Files by the full name the model has for them, and where they are.
    files: BTreeMap<PathBuf, PathBuf>,
    /// The same for folders.
    folders: BTreeMap<PathBuf, PathBuf>,
    /// Everything made so far, also what was removed again.
    made: usize,
}

impl Written {
    /// Was nothing written outside of memory?
    pub(crate) fn is_empty(&self) -> bool {
        self.made == 0 && self.folder.is_none() && self.files.is_empty() && self.folders.is_empty()
    }
}

/// What the run has written by that name, if files are kept in memory: its content, or none if it was removed.
pub(crate) fn kept(externals: &StandardExternals, name: &str) -> Option<Option<Vec<u8>>> {
    externals.state().files.get(name).cloned()
}

/// Where the file or folder is that the run made by this name.
pub(crate) fn own(externals: &StandardExternals, name: &str) -> Option<PathBuf> {
    let key = std::path::absolute(name).ok()?;
    let state = externals.state();
    let written = &state.written_files;
    let inside = || written.folder.as_ref().filter(|folder| key.starts_with(folder)).map(|_| key.clone());
    written.files.get(&key).or_else(|| written.folders.get(&key)).cloned().or_else(inside)
}

impl StandardExternals {
    /// The files the run has written and not removed, in the order of their names.
    pub fn files(&self) -> Vec<PathBuf> {
        self.state().written_files.files.values().cloned().collect()
    }
}

/// Replaces a file.
pub(crate) fn replace(externals: &StandardExternals, name: &str, content: Vec<u8>) -> Outcome<()> {
    write(externals, name, &content, false)
}

/// Writes behind what a file has.
pub(crate) fn append(externals: &StandardExternals, name: &str, content: &[u8]) -> Outcome<()> {
    write(externals, name, content, true)
}

fn write(externals: &StandardExternals, name: &str, content: &[u8], append: bool) -> Outcome<()> {
    count(externals, name, content.len())?;
    if is_memory(externals) {
        let before = match kept(externals, name) {
            _ if !append => Vec::new(),
            Some(content) => content.unwrap_or_default(),
            None if crate::files::is_file(externals, name)? => crate::files::bytes(externals, name)?,
            None => Vec::new(),
        };
        externals.state().files.insert(name.to_owned(), Some([&before, content].concat()));
        return Ok(());
    }
    let path = place(externals, name)?;
    let is_new = path.symlink_metadata().is_err();
    if is_new {
        count_made(externals, name)?;
    }
    let mut options = OpenOptions::new();
    match (is_new, append) {
        // What stands there meanwhile is not overwritten, nor is a link followed.
        (true, _) => options.write(true).create_new(true),
        (false, true) => options.append(true),
        (false, false) => options.write(true).truncate(true),
    };
    options
        .open(&path)
        .and_then(|mut file| file.write_all(content))
        .or_else(|error| failed(format!("the file {name} cannot be written: {error}")))?;
    note(externals, name, path, false);
    Ok(())
}

/// Removes a file.
pub(crate) fn remove(externals: &StandardExternals, name: &str) -> Outcome<()> {
    if is_memory(externals) {
        externals.state().files.insert(name.to_owned(), None);
        return Ok(());
    }
    let path = existing(externals, name, "removing")?;
    fs::remove_file(path).or_else(|error| failed(format!("the file {name} cannot be removed: {error}")))?;
    forget(externals, name);
    Ok(())
}

/// Makes a folder.
pub(crate) fn make_folder(externals: &StandardExternals, name: &str) -> Outcome<()> {
    refuse_memory(externals, name)?;
    let path = new_place(externals, name, true)?;
    count_made(externals, name)?;
    fs::create_dir(&path).or_else(|error| failed(format!("{name} cannot be made: {error}")))?;
    note(externals, name, path, true);
    Ok(())
}

/// Removes an empty folder.
pub(crate) fn remove_folder(externals: &StandardExternals, name: &str) -> Outcome<()> {
    refuse_memory(externals, name)?;
    let path = existing(externals, name, "removing")?;
    fs::remove_dir(path).or_else(|error| failed(format!("{name} cannot be removed: {error}")))?;
    forget(externals, name);
    Ok(())
}

/// Gives a file or folder another name.
pub(crate) fn rename(externals: &StandardExternals, old: &str, new: &str) -> Outcome<()> {
    refuse_memory(externals, old)?;
    let from = existing(externals, old, "moving")?;
    let is_folder = from.is_dir();
    let to = new_place(externals, new, is_folder)?;
    fs::rename(&from, &to).or_else(|error| failed(format!("{old} cannot be renamed to {new}: {error}")))?;
    forget(externals, old);
    note(externals, new, to, is_folder);
    Ok(())
}

fn is_memory(externals: &StandardExternals) -> bool {
    externals.options.permissions.run.folder.is_none()
}

fn refuse_memory(externals: &StandardExternals, name: &str) -> Outcome<()> {
    match is_memory(externals) {
        true => refuse("changing", name, "files are kept in memory here"),
        false => Ok(()),
    }
}

/// One run writes no more than can be read.
fn count(externals: &StandardExternals, name: &str, bytes: usize) -> Outcome<()> {
    let mut state = externals.state();
    state.written = state.written.saturating_add(bytes as u64);
    if state.written > LARGEST_FILE {
        return failed(format!(
            "the file {name} cannot be written: more than {LARGEST_FILE} bytes are not written in a run"
        ));
    }
    Ok(())
}

fn count_made(externals: &StandardExternals, name: &str) -> Outcome<()> {
    let mut state = externals.state();
    state.written_files.made += 1;
    if state.written_files.made > MOST_FILES {
        return failed(format!("{name} cannot be made: a run makes at most {MOST_FILES} files and folders"));
    }
    Ok(())
}

fn note(externals: &StandardExternals, name: &str, path: PathBuf, is_folder: bool) {
    let Ok(key) = std::path::absolute(name) else { return };
    let mut state = externals.state();
    let written = &mut state.written_files;
    if is_folder { &mut written.folders } else { &mut written.files }.insert(key, path);
}

fn forget(externals: &StandardExternals, name: &str) {
    let Ok(key) = std::path::absolute(name) else { return };
    let mut state = externals.state();
    let written = &mut state.written_files;
    // It may have been made by its other name: below the fresh folder.
    let path = written.files.remove(&key).or_else(|| written.folders.remove(&key)).unwrap_or(key);
    written.files.retain(|_, other| !other.starts_with(&path));
    written.folders.retain(|_, other| !other.starts_with(&path));
}

fn refuse<T>(what: &str, name: &str, why: &str) -> Outcome<T> {
    failed(format!(
        "{what} the file {name} is not allowed: {why}; --allow-write DIR allows it below a folder"
    ))
}

/// The path of a file that exists, and that may be changed.
fn existing(externals: &StandardExternals, name: &str, what: &str) -> Outcome<PathBuf> {
    let permissions = &externals.options.permissions;
    let own = own(externals, name);
    let Some(path) = own.clone().or_else(|| permissions.changeable(Path::new(name))) else {
        return refuse(what, name, "the run has not written it");
    };
    if permissions.is_output(&path) {
        return failed(format!("{what} the file {name} is not allowed: the run itself writes it"));
    }
    match path.symlink_metadata() {
        Ok(_) => Ok(path),
        Err(error) => failed(format!("{name} cannot be changed: {error}")),
    }
}

/// The path a file may be written at.
fn place(externals: &StandardExternals, name: &str) -> Outcome<PathBuf> {
    let permissions = &externals.options.permissions;
    let path = match own(externals, name) {
        Some(path) => path,
        None => match permissions.changeable(Path::new(name)) {
            Some(path) => path,
            None => return fresh(externals, name, false),
        },
    };
    if permissions.is_output(&path) {
        return failed(format!("writing the file {name} is not allowed: the run itself writes it"));
    }
    let Ok(data) = path.symlink_metadata() else { return Ok(path) };
    if data.is_symlink() && permissions.is_everything() {
        // A link may lead to a device, which is none of the files that are written.
        return match path.metadata() {
            Ok(data) if data.is_file() => Ok(path),
            _ => failed(format!("the file {name} cannot be written: it leads to no file")),
        };
    }
    match &data {
        data if data.is_symlink() => refuse("writing", name, "it is a link"),
        data if !data.is_file() => failed(format!("{name} cannot be written: it is not a file")),
        data if has_other_names(data) && !permissions.is_everything() => {
            refuse("writing", name, "it has a second name (a hard link)")
        }
        _ => Ok(path),
    }
}

/// The path of something that does not exist yet.
fn new_place(externals: &StandardExternals, name: &str, is_folder: bool) -> Outcome<PathBuf> {
    let permissions = &externals.options.permissions;
    let path = match own(externals, name).or_else(|| permissions.changeable(Path::new(name))) {
        Some(path) => path,
        None => fresh(externals, name, is_folder)?,
    };
    match path.symlink_metadata() {
        Ok(_) => failed(format!("{name} cannot be made: it exists")),
        Err(_) => Ok(path),
    }
}

/// The path of a new file in the folder of the run, which is made if need be.
fn fresh(externals: &StandardExternals, name: &str, is_folder: bool) -> Outcome<PathBuf> {
    let permissions = &externals.options.permissions;
    let inside = match data_name(Path::new(name), is_folder) {
        Ok(inside) => inside,
        Err(why) => return refuse("writing", name, why),
    };
    // What the model could have read it might mean.
    if permissions.readable(Path::new(name)).is_some_and(|path| path.symlink_metadata().is_ok()) {
        return refuse("writing", name, "it existed before the run");
    }
    let Some(wanted) = &permissions.run.folder else {
        return refuse("writing", name, "there is no folder for it");
    };
    let made = externals.state().written_files.folder.clone();
    let folder = match made {
        Some(folder) => folder,
        None => match make_fresh(wanted) {
            Ok(folder) => folder,
            Err(error) => {
                return failed(format!("the file {name} cannot be written: {}: {error}", wanted.display()));
            }
        },
    };
    externals.state().written_files.folder = Some(folder.clone());
    let path = folder.join(&inside);
    // Folders on the way: those the name asks for, if the model could have had them.
    if let (Some(parent), Some(above)) = (inside.parent(), path.parent())
        && !above.is_dir()
    {
        let made = externals.state().written_files.made;
        if made + parent.components().count() > MOST_FILES {
            return failed(format!(
                "{name} cannot be made: a run makes at most {MOST_FILES} files and folders"
            ));
        }
        externals.state().written_files.made += parent.components().count();
        if let Err(error) = fs::create_dir_all(above) {
            return failed(format!("the file {name} cannot be written: {error}"));
        }
    }
    Ok(path)
}

/// Makes the folder of a run: by its name, or with a number behind it where that exists.
fn make_fresh(wanted: &Path) -> io::Result<PathBuf> {
    const MOST: usize = 10_000;
    let named = |k: usize| {
        let mut name = wanted.as_os_str().to_owned();
        name.push(format!("-{k}"));
        PathBuf::from(name)
    };
    let mut error = io::Error::other("there are too many of them");
    for folder in std::iter::once(wanted.to_owned()).chain((2..MOST).map(named)) {
        match fs::create_dir(&folder) {
            Ok(()) => return std::path::absolute(&folder),
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => error = e,
            Err(e) => return Err(e),
        }
    }
    Err(error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, Permissions, RunFiles};
    use tempfile::TempDir;

    struct Scene {
        folder: TempDir,
        permissions: Permissions,
    }

    impl Scene {
        /// A folder with a file `old.txt` and a folder for new files.
        fn new() -> Scene {
            let folder = tempfile::tempdir().unwrap();
            fs::write(folder.path().join("old.txt"), "old\n").unwrap();
            let run = RunFiles { folder: Some(folder.path().join("M-files")), outputs: Vec::new() };
            Scene { permissions: Permissions::default().for_run(&run), folder }
        }

        fn path(&self, name: &str) -> String {
            self.folder.path().canonicalize().unwrap().join(name).to_str().unwrap().to_owned()
        }

        fn externals(&self) -> StandardExternals {
            StandardExternals::new(Options { permissions: self.permissions.clone(), ..Options::default() })
        }

        fn text(&self, name: &str) -> String {
            fs::read_to_string(self.path(name)).unwrap()
        }
    }

    #[test]
    fn new_data_files_go_to_a_fresh_folder() {
        let scene = Scene::new();
        let externals = scene.externals();
        append(&externals, "kausal-test-a.txt", b"1").unwrap();
        append(&externals, "./kausal-test-a.txt", b"2").unwrap();
        replace(&externals, "deep/b.csv", b"x".to_vec()).unwrap();
        assert_eq!(scene.text("M-files/kausal-test-a.txt"), "12");
        assert_eq!(externals.files().len(), 2);
        assert_eq!(own(&externals, "deep/b.csv"), Some(scene.path("M-files/deep/b.csv").into()));
        for name in
            ["a", "run.sh", ".a.txt", "../a.txt", "/a.txt", &scene.path("a.txt"), &scene.path("old.txt")]
        {
            assert!(append(&externals, name, b"x").is_err(), "{name}");
            assert!(replace(&externals, name, b"x".to_vec()).is_err(), "{name}");
            assert!(remove(&externals, name).is_err(), "{name}");
            assert!(rename(&externals, name, "c.txt").is_err(), "{name}");
        }
        assert_eq!(scene.text("old.txt"), "old\n");
        // What it has made it may move and remove.
        rename(&externals, "kausal-test-a.txt", "c.txt").unwrap();
        remove(&externals, "c.txt").unwrap();
        assert!(rename(&externals, "deep/b.csv", "b.sh").is_err());
        make_folder(&externals, "deeper").unwrap();
        remove_folder(&externals, "deeper").unwrap();
        assert_eq!(externals.files(), [PathBuf::from(scene.path("M-files/deep/b.csv"))]);
        // Another run has another folder.
        append(&scene.externals(), "a.txt", b"y").unwrap();
        assert_eq!(scene.text("M-files-2/a.txt"), "y");
    }

    #[test]
    fn what_could_be_read_is_not_shadowed() {
        let mut scene = Scene::new();
        scene.permissions.give(scene.folder.path());
        let externals = scene.externals();
        assert!(append(&externals, &scene.path("old.txt"), b"x").is_err());
        assert_eq!(scene.text("old.txt"), "old\n");
    }

    #[test]
    fn folders_the_user_named() {
        let mut scene = Scene::new();
        scene.permissions.allow_write(scene.folder.path());
        scene.permissions.run.outputs.push(scene.folder.path().join("r.csv"));
        fs::write(scene.path("r.csv"), "result").unwrap();
        let externals = scene.externals();
        append(&externals, &scene.path("old.txt"), b"new\n").unwrap();
        append(&externals, &scene.path("Makefile"), b"x").unwrap();
        rename(&externals, &scene.path("old.txt"), &scene.path("older.txt")).unwrap();
        assert_eq!(scene.text("older.txt"), "old\nnew\n");
        remove(&externals, &scene.path("Makefile")).unwrap();
        for act in [
            append(&externals, &scene.path("r.csv"), b"x"),
            remove(&externals, &scene.path("r.csv")),
            rename(&externals, &scene.path("r.csv"), &scene.path("s.csv")),
            rename(&externals, &scene.path(""), "elsewhere"),
            append(&externals, "/no/such/place.txt", b"x"),
        ] {
            assert!(act.is_err());
        }
        assert_eq!(scene.text("r.csv"), "result");
    }

    #[cfg(unix)]
    #[test]
    fn neither_links_nor_second_names_lead_outside() {
        let mut scene = Scene::new();
        let inside = tempfile::tempdir().unwrap();
        scene.permissions.allow_write(inside.path());
        let path = |name: &str| inside.path().join(name).to_str().unwrap().to_owned();
        std::os::unix::fs::symlink(scene.path("old.txt"), path("link.txt")).unwrap();
        std::os::unix::fs::symlink(scene.path("new.txt"), path("dangling.txt")).unwrap();
        std::os::unix::fs::symlink(scene.folder.path(), path("folder")).unwrap();
        fs::hard_link(scene.path("old.txt"), path("hard.txt")).unwrap();
        let externals = scene.externals();
        for name in ["link.txt", "dangling.txt", "folder/new.txt", "hard.txt"] {
            assert!(append(&externals, &path(name), b"x").is_err(), "{name}");
            assert!(replace(&externals, &path(name), b"x".to_vec()).is_err(), "{name}");
        }
        assert_eq!(scene.text("old.txt"), "old\n");
        assert!(!Path::new(&scene.path("new.txt")).exists());
    }

    #[test]
    fn in_memory_nothing_leaves_the_run() {
        let scene = Scene::new();
        let mut permissions = Permissions::default();
        permissions.give(scene.folder.path());
        let externals = StandardExternals::new(Options { permissions, ..Options::default() });
        let name = &scene.path("old.txt");
        append(&externals, name, b"2\n").unwrap();
        assert_eq!(kept(&externals, name), Some(Some(b"old\n2\n".to_vec())));
        remove(&externals, name).unwrap();
        assert_eq!(kept(&externals, name), Some(None));
        append(&externals, name, b"3\n").unwrap();
        assert_eq!(kept(&externals, name), Some(Some(b"3\n".to_vec())));
        assert_eq!(scene.text("old.txt"), "old\n");
    }

    #[test]
    fn one_run_makes_so_many_files() {
        let scene = Scene::new();
        let externals = scene.externals();
        for i in 0..MOST_FILES {
            append(&externals, &format!("{i}.txt"), b"").unwrap();
        }
        assert!(append(&externals, "one-more.txt", b"").is_err());
        append(&externals, "0.txt", b"x").unwrap();
    }
}
