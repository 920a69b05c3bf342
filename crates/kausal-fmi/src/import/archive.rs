//! The archive of an FMU. It was made by somebody else, and none of what it says is believed: names may not lead out of it, sizes
//! are bounded, what is unpacked is counted.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::path::{Path, PathBuf};

use kausal::{Diagnostic, open_regular};
use zip::ZipArchive;
use zip::result::ZipError;

/// More files than any FMU has.
const MAX_FILES: usize = 100_000;
/// What may be unpacked, in bytes.
const MAX_UNPACKED: u64 = 8 << 30;
/// What may be unpacked in any case, in bytes: beyond that, an archive may not grow more than [`MAX_GROWTH`] times.
const SMALL: u64 = 64 << 20;
/// Tables of numbers as text shrink to a fifth, the emptiest of binaries to a fiftieth; a bomb grows a thousand times.
const MAX_GROWTH: u64 = 200;
/// How long a description may be, in bytes.
const MAX_DESCRIPTION: u64 = 1 << 30;

/// An archive whose names and sizes are in order.
#[derive(Debug)]
pub struct Archive {
    path: PathBuf,
    /// The names of its files, in the order of the archive.
    names: Vec<String>,
    zip: ZipArchive<BufReader<File>>,
}

impl Archive {
    /// Opens a file.
    ///
    /// # Errors
    /// Where it is no archive, or one that should not be unpacked.
    pub fn open(path: &Path) -> Result<Archive, Diagnostic> {
        let unreadable = |why: String| {
            Diagnostic::error("K0720", format!("{} cannot be read as an FMU: {why}", path.display()))
        };
        let file = open_regular(path).map_err(|error| {
            let d = unreadable(error.to_string());
            if path.is_dir() { d.help("an FMU is one file: pack the folder as a zip archive") } else { d }
        })?;
        let metadata = file.metadata().map_err(|error| unreadable(error.to_string()))?;
        let zip = ZipArchive::new(BufReader::new(file)).map_err(|error| {
            unreadable(words(&error)).help("an FMU is a zip archive with modelDescription.xml at its top")
        })?;
        let mut archive = Archive { path: path.to_owned(), names: Vec::new(), zip };
        archive.check(metadata.len())?;
        Ok(archive)
    }

    fn says(&self, code: &'static str, what: impl std::fmt::Display) -> Diagnostic {
        Diagnostic::error(code, format!("{}: {what}", self.path.display()))
    }

    fn check(&mut self, size: u64) -> Result<(), Diagnostic> {
        if self.zip.len() > MAX_FILES {
            let what =
                format!("the archive has {} files; no FMU needs more than {MAX_FILES}", self.zip.len());
            return Err(self.says("K0722", what));
        }
        let (mut packed, mut unpacked) = (0_u64, 0_u64);
        let mut names = HashSet::new();
        for i in 0..self.zip.len() {
            let facts = facts(&mut self.zip, i).map_err(|why| self.says("K0720", why))?;
            packed = packed.saturating_add(facts.packed);
            unpacked = unpacked.saturating_add(facts.unpacked);
            let Facts { name, link, encrypted, .. } = facts;
            if let Some(why) = leads_out(&name) {
                return Err(self
                    .says("K0721", format!("the archive has a file {name:?}: {why}"))
                    .help("an FMU that writes outside of its folder is broken or malicious: do not use it"));
            }
            if link {
                let what = format!("the archive has a link {name:?}, which may lead out of it");
                return Err(self
                    .says("K0721", what)
                    .help("FMUs have files only: pack what the link points to"));
            }
            if encrypted {
                return Err(self.says("K0720", format!("the file {name} in the archive is encrypted")));
            }
            if !names.insert(name.trim_end_matches('/').to_owned()) {
                let what = format!("the archive has the file {name} twice");
                return Err(self
                    .says("K0720", what)
                    .help("it is not known which of them is meant: pack it again"));
            }
            self.names.push(name);
        }
        if packed > size {
            let what = format!("its files are {packed} bytes in an archive of {size}: they overlap");
            return Err(self.says("K0722", what).help("this is how archives are built that fill a disk"));
        }
        if unpacked > MAX_UNPACKED || unpacked > SMALL.max(size.saturating_mul(MAX_GROWTH)) {
            let what = format!("the archive of {size} bytes would be {unpacked} bytes unpacked");
            return Err(self.says("K0722", what).help(format!(
                "more than {MAX_GROWTH} times as much, or 8 GiB, is not unpacked: this is how archives are built that fill a disk"
            )));
        }
        Ok(())
    }

    /// The names of its files.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// A text in it.
    ///
    /// # Errors
    /// Where it is not there, or is no text in UTF-8.
    pub fn text(&mut self, name: &str) -> Result<String, Diagnostic> {
        if !self.names.iter().any(|other| other == name) {
            let nested = self.names.iter().find(|other| other.ends_with(&format!("/{name}")));
            let d = self.says("K0723", format!("the archive has no {name} at its top"));
            return Err(match nested {
                Some(other) => {
                    d.help(format!("there is {other}: pack what is in that folder, not the folder"))
                }
                None => d.help("is it an FMU?"),
            });
        }
        let mut bytes = Vec::new();
        let read = match self.zip.by_name(name) {
            Ok(file) if file.size() > MAX_DESCRIPTION => Err(format!("{name} is longer than 1 GiB")),
            Ok(file) => {
                let size = file.size();
                // What is longer than it says is cut off, and then fails its checksum.
                file.take(size + 1).read_to_end(&mut bytes).map_err(|error| format!("{name}: {error}"))
            }
            Err(error) => Err(words(&error)),
        };
        read.map_err(|why| self.says("K0720", why))?;
        String::from_utf8(bytes).map_err(|_| {
            self.says("K0723", format!("{name} is not in UTF-8"))
                .help("both versions of the standard demand it")
        })
    }

    /// Unpacks everything into a folder.
    ///
    /// # Errors
    /// Where the archive is broken, or a file cannot be written.
    pub fn unpack(&mut self, folder: &Path) -> Result<(), Diagnostic> {
        for i in 0..self.zip.len() {
            let unpacked = unpack(&mut self.zip, i, &self.names[i], folder);
            unpacked.map_err(|why| self.says("K0720", why))?;
        }
        Ok(())
    }
}

/// What an archive says about one of its files.
struct Facts {
    name: String,
    link: bool,
    encrypted: bool,
    packed: u64,
    unpacked: u64,
}

fn facts(zip: &mut ZipArchive<BufReader<File>>, i: usize) -> Result<Facts, String> {
    let file = zip.by_index_raw(i).map_err(|error| words(&error))?;
    let name =
        file.name().map_err(|_| "the archive has a file whose name is no text".to_owned())?.into_owned();
    let (packed, unpacked) = (file.compressed_size(), file.size());
    Ok(Facts { name, link: file.is_symlink(), encrypted: file.encrypted(), packed, unpacked })
}

fn unpack(zip: &mut ZipArchive<BufReader<File>>, i: usize, name: &str, folder: &Path) -> Result<(), String> {
    let file = zip.by_index(i).map_err(|error| words(&error))?;
    let size = file.size();
    let told = |error: std::io::Error| format!("{name} cannot be unpacked: {error}");
    let path = folder.join(name);
    if file.is_dir() {
        return std::fs::create_dir_all(&path).map_err(told);
    }
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent).map_err(told)?;
    }
    let mut out = File::create(&path).map_err(told)?;
    let written = std::io::copy(&mut file.take(size + 1), &mut out).map_err(told)?;
    if written != size {
        return Err(format!("{name} is {written} bytes long, not {size} as the archive says"));
    }
    out.flush().map_err(told)
}

/// Why a name of a file in an archive is not one below the folder that it is unpacked to.
fn leads_out(name: &str) -> Option<&'static str> {
    if name.is_empty() || name.contains('\0') {
        return Some("that is no name");
    }
    if name.starts_with('/') || name.contains(':') {
        return Some("it is not relative to the archive");
    }
    if name.contains('\\') {
        return Some("names in archives are separated by /, and \\ leads elsewhere on some systems");
    }
    let parts = name.strip_suffix('/').unwrap_or(name).split('/');
    parts.into_iter().any(|part| matches!(part, ".." | "." | "")).then_some("it leads out of the archive")
}

/// What the reader of archives says, without its own preamble.
fn words(error: &ZipError) -> String {
    match error {
        ZipError::Io(error) => error.to_string(),
        ZipError::InvalidArchive(why) => format!("it is no zip archive ({why})"),
        other => other.to_string(),
    }
}
