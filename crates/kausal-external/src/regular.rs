//! Reading files that end: regular ones, up to a size.
//!
//! A pipe waits for a writer, a device gives bytes without end, a socket answers to whoever connects. Whatever is read for
//! a model goes through here, so none of them is ever opened.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The bytes of a regular file, links followed; an error for anything else, and for more than `limit` bytes.
///
/// ```
/// let folder = tempfile::tempdir().unwrap();
/// let file = folder.path().join("a.txt");
/// std::fs::write(&file, "abc").unwrap();
/// assert_eq!(kausal_external::read_regular(&file, 3).unwrap(), b"abc");
/// assert!(kausal_external::read_regular(&file, 2).is_err());
/// assert!(kausal_external::read_regular(folder.path(), 2).is_err());
/// ```
pub fn read_regular(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let file = open_regular(path)?;
    let length = file.metadata()?.len();
    let too_large = || io::Error::other(format!("it is too large: more than {limit} bytes are not read"));
    if length > limit {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(usize::try_from(length).unwrap_or(usize::MAX)).map_err(io::Error::other)?;
    // Some files say that they are empty and are not.
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit { Err(too_large()) } else { Ok(bytes) }
}

/// Opens a regular file for reading, links followed; an error for anything else.
///
/// # Errors
/// Where it is none, or cannot be opened.
pub fn open_regular(path: &Path) -> io::Result<File> {
    let data = std::fs::metadata(path)?;
    if data.is_dir() {
        return Err(io::Error::other("it is a folder"));
    }
    if !data.is_file() {
        return Err(io::Error::other("it is a pipe, a device or a socket, not a file"));
    }
    File::open(path)
}
