//! Where texts come from: the built-in library, shipped inside the binary, and the disk.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};

use include_dir::{Dir, DirEntry, include_dir};
use kausal_external::read_regular;

static LIBRARY: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../library");

/// Places in longer texts cannot be counted.
pub(crate) const LARGEST: u64 = u32::MAX as u64 - 1;

/// The folder under which the built-in libraries appear.
pub const BUILT_IN: &str = "built-in:";

/// The disk, and the built-in library below [`BUILT_IN`].
#[derive(Clone, Copy, Debug, Default)]
pub struct DiskAndBuiltIn;

impl Files for DiskAndBuiltIn {
    fn list(&self, folder: &str) -> Option<Vec<String>> {
        if let Some(inside) = built_in(folder) {
            let dir = if inside.is_empty() { &LIBRARY } else { entry(inside)?.as_dir()? };
            let name = |path: &std::path::Path| path.file_name().and_then(|n| n.to_str()).map(str::to_owned);
            return Some(dir.entries().iter().filter_map(|e| name(e.path())).collect());
        }
        let entries = std::fs::read_dir(folder).ok()?;
        let mut names: Vec<String> = entries.filter_map(|e| e.ok()?.file_name().into_string().ok()).collect();
        names.sort();
        Some(names)
    }

    fn read(&self, path: &str) -> Option<String> {
        match built_in(path) {
            Some(inside) => entry(inside)?.as_file()?.contents_utf8().map(str::to_owned),
            None => String::from_utf8(read_regular(Path::new(path), LARGEST).ok()?).ok(),
        }
    }

    fn problem(&self, path: &str) -> Option<String> {
        match read_regular(Path::new(path), LARGEST) {
            Ok(bytes) => {
                let from = std::str::from_utf8(&bytes).err()?.valid_up_to();
                Some(format!("is not UTF-8 text (from byte {from} on): save it as UTF-8"))
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => Some(format!("cannot be read: {error}")),
        }
    }
}

/// Reads files; see [`kausal_model::Files`].
pub use kausal_model::Files;
/// What is in a folder.
pub fn list(files: &dyn Files, folder: &str) -> Option<Vec<String>> {
    files.list(folder)
}

/// The text of a file.
pub fn read(files: &dyn Files, path: &str) -> Option<String> {
    files.read(path)
}

/// Texts that are being edited, by path: they count, whatever the disk has.
pub type Buffers = Arc<RwLock<HashMap<String, Arc<str>>>>;

/// The disk and the built-in library, with texts that are being edited in the place of files, or beside them.
#[derive(Clone, Debug, Default)]
pub struct WithBuffers(pub Buffers);

impl Files for WithBuffers {
    fn list(&self, folder: &str) -> Option<Vec<String>> {
        let listed = DiskAndBuiltIn.list(folder);
        let folder = folder.trim_end_matches('/');
        let buffers = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let inside = |path: &String| Some(path.strip_prefix(folder)?.strip_prefix('/')?.to_owned());
        let mut more: Vec<String> = buffers.keys().filter_map(inside).filter(|n| !n.contains('/')).collect();
        if more.is_empty() {
            return listed;
        }
        let mut names = listed.unwrap_or_default();
        more.retain(|name| !names.contains(name));
        names.append(&mut more);
        names.sort();
        Some(names)
    }

    fn read(&self, path: &str) -> Option<String> {
        let buffer = self.0.read().unwrap_or_else(PoisonError::into_inner).get(path).cloned();
        buffer.map_or_else(|| DiskAndBuiltIn.read(path), |text| Some(text.to_string()))
    }

    fn problem(&self, path: &str) -> Option<String> {
        DiskAndBuiltIn.problem(path)
    }
}

/// A file or folder of the built-in library, found folder by folder: paths are compared as texts, which is much quicker
/// than part by part.
fn entry(inside: &str) -> Option<&'static DirEntry<'static>> {
    let mut folder = &LIBRARY;
    let mut ends = inside.match_indices('/').map(|(at, _)| at).chain([inside.len()]);
    loop {
        let path = &inside[..ends.next()?];
        let found = folder.entries().iter().find(|e| e.path().as_os_str() == path)?;
        if path.len() == inside.len() {
            return Some(found);
        }
        folder = found.as_dir()?;
    }
}

fn built_in(path: &str) -> Option<&str> {
    path.strip_prefix(BUILT_IN).map(|inside| inside.trim_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_a_file() {
        let folder = std::env::temp_dir().join(format!("kausal-files-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("Latin1.mo");
        std::fs::write(&path, b"model Latin1 \"Gr\xfc\xdfe\" end Latin1;").unwrap();
        let path = path.to_str().unwrap();
        assert!(DiskAndBuiltIn.read(path).is_none());
        assert_eq!(
            DiskAndBuiltIn.problem(path).as_deref(),
            Some("is not UTF-8 text (from byte 16 on): save it as UTF-8")
        );
        assert!(DiskAndBuiltIn.problem("nothing/here.mo").is_none());
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn the_built_in_library_is_inside() {
        let files = DiskAndBuiltIn;
        assert!(files.list(BUILT_IN).unwrap().contains(&"Kausal".to_owned()));
        let package = files.read(&format!("{BUILT_IN}/Kausal/package.mo")).unwrap();
        assert!(package.contains("package Kausal"));
        assert!(files.list("built-in:/Nothing").is_none());
        assert!(files.list("built-in:/Kausal/package.mo").is_none());
        assert!(files.read("built-in:/Kausal").is_none());
        assert!(files.read("built-in:/Kausal/package.mo/more").is_none());
        assert!(files.list("built-in:/Kausal").unwrap().contains(&"package.mo".to_owned()));
    }
}
