//! A translated model as bytes: portable data without machine code.
//!
//! ```text
//! magic      8 bytes   89 'K' 'A' 'U' 'S' 'A' 'L' 0A: no text, and broken where line ends were translated
//! format     u32       which layout, little endian as all numbers here
//! checksum   u32       CRC-32 of all that follows
//! lengths    3 * u64   of the three parts
//! program    postcard  Program, the options it was translated with, names and lengths of the sources
//! sources    postcard  the lines that locations point to (see `excerpt`)
//! model      deflate   postcard of the flat model; begins with its length (u64)
//! ```
//!
//! The program is read at once, the other parts when they are needed: the lines for diagnostics, the flat model to translate again
//! (other options, other values of structural parameters, without tearing after a torn system has failed).
//!
//! **Nothing in a file is trusted.** Lengths never decide how much memory is taken, nesting has a bound, and what was read is
//! [verified](crate::program::verify). A file cannot name code: foreign functions are declarations, which run only where the user allows
//! them to.

mod excerpt;

use std::fmt;
use std::sync::Arc;

use kausal_model::FlatModel;
use kausal_syntax::{Location, Sources};
use serde::{Deserialize, Serialize};

use crate::options::Options;
use crate::program::Program;
use crate::program::verify;
use crate::program::verify::Faults;
use excerpt::Excerpt;

/// The layout that is written, and the only one that is read. Every change of [`Program`], [`FlatModel`], [`Options`] or of what
/// they contain makes it another one.
pub const FORMAT: u32 = 3;

/// The first bytes of a file.
pub const MAGIC: [u8; 8] = *b"\x89KAUSAL\n";

/// Bytes before the parts.
const HEAD: usize = MAGIC.len() + 4 + 4 + 3 * 8;

/// Deflate level of the flat model: beyond it files get hardly smaller, and writing gets slow.
const LEVEL: u8 = 6;

/// A flat model takes at most so many bytes for each byte it is packed in: what deflate can do at most.
const MAX_RATIO: u64 = 1032;

/// A stored model that was read.
#[derive(Debug)]
pub struct Stored {
    /// The program, verified.
    pub program: Program,
    /// The options it was translated with.
    pub options: Options,
    /// What is read when it is needed.
    pub rest: Arc<Rest>,
}

/// The parts of a stored model that few runs need.
#[derive(Debug)]
pub struct Rest {
    /// Names of the sources and lengths of their texts.
    names: Vec<(String, u32)>,
    /// The locations of the program.
    locations: Vec<Location>,
    sources: Vec<u8>,
    model: Vec<u8>,
}

/// What the first part has.
#[derive(Serialize)]
struct First<'a> {
    options: &'a Options,
    names: Vec<(&'a str, u32)>,
    program: &'a Program,
}

/// The same, read.
#[derive(Deserialize)]
struct FirstRead {
    options: Options,
    names: Vec<(String, u32)>,
    program: Program,
}

/// Why bytes are no stored model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoredError {
    /// They do not begin like one.
    Foreign,
    /// The layout is another one than [`FORMAT`].
    Format(u32),
    /// They end too early.
    Truncated,
    /// Something was changed on the way.
    Damaged,
    /// It cannot be read although the checksum is right: what is wrong.
    Unreadable(String),
    /// It was read, but is no program.
    Wrong(Faults),
}

impl std::error::Error for StoredError {}

impl fmt::Display for StoredError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoredError::Foreign => f.write_str("is not a stored model"),
            StoredError::Format(format) if *format > FORMAT => {
                write!(f, "was written by a newer version (format {format}; this version reads {FORMAT})")
            }
            StoredError::Format(format) => {
                write!(f, "was written by an older version (format {format}; this version reads {FORMAT})")
            }
            StoredError::Truncated => f.write_str("is truncated"),
            StoredError::Damaged => f.write_str("is damaged: its checksum is wrong"),
            StoredError::Unreadable(why) => write!(f, "cannot be read: {why}"),
            StoredError::Wrong(faults) => {
                let first = faults.0.first().map(ToString::to_string).unwrap_or_default();
                write!(f, "contains no correct program: {first}")
            }
        }
    }
}

/// A translated model as bytes. `model` is what the program was translated from with `options`.
///
/// # Errors
/// Where the program would be refused when it is read ([`Program::verify`]), so that nobody finds that out only later; or the text
/// says which part could not be written.
pub fn write(
    program: &Program,
    model: &FlatModel,
    options: &Options,
    sources: &Sources,
) -> Result<Vec<u8>, String> {
    program.verify().map_err(|faults| StoredError::Wrong(faults).to_string())?;
    encode(program, model, options, sources)
}

/// The same without a look at the program. For tests of what is refused when it is read.
///
/// # Errors
/// The text says which part could not be written.
pub fn encode(
    program: &Program,
    model: &FlatModel,
    options: &Options,
    sources: &Sources,
) -> Result<Vec<u8>, String> {
    let excerpts = excerpt::of(program, model, sources);
    let names = excerpts.iter().map(|e| (e.name.as_str(), e.len)).collect();
    let failed = |part: &'static str| move |error: postcard::Error| format!("{part}: {error}");
    let first = postcard::to_stdvec(&First { options, names, program }).map_err(failed("program"))?;
    let pieces: Vec<_> = excerpts.iter().map(|e| &e.pieces).collect();
    let second = postcard::to_stdvec(&pieces).map_err(failed("sources"))?;
    let flat = postcard::to_stdvec(model).map_err(failed("model"))?;
    let mut third = (flat.len() as u64).to_le_bytes().to_vec();
    third.extend(miniz_oxide::deflate::compress_to_vec(&flat, LEVEL));

    let parts = [first, second, third];
    let mut out = Vec::with_capacity(HEAD + parts.iter().map(Vec::len).sum::<usize>());
    out.extend(MAGIC);
    out.extend(FORMAT.to_le_bytes());
    out.extend([0; 4]);
    parts.iter().for_each(|part| out.extend((part.len() as u64).to_le_bytes()));
    parts.iter().for_each(|part| out.extend(part));
    seal(&mut out);
    Ok(out)
}

/// Puts the checksum of what follows into its place. For tests that change bytes on purpose.
pub fn seal(bytes: &mut [u8]) {
    let at = MAGIC.len() + 4;
    if let Some((head, rest)) = bytes.split_at_mut_checked(at + 4) {
        head[at..].copy_from_slice(&crc32fast::hash(rest).to_le_bytes());
    }
}

/// Do bytes begin like a stored model?
pub fn is_stored(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// Reads a stored model.
///
/// # Errors
/// Where the bytes are something else, of another format, damaged, or no correct program.
pub fn read(bytes: &[u8]) -> Result<Stored, StoredError> {
    let [first, second, third] = parts(bytes)?;
    let unreadable = |error: postcard::Error| StoredError::Unreadable(format!("program, {error}"));
    let FirstRead { options, names, program } = postcard::from_bytes(first).map_err(unreadable)?;
    let lengths: Vec<u32> = names.iter().map(|(_, len)| *len).collect();
    let locations = excerpt::locations(&program);
    if !locations.iter().all(|l| excerpt::lies_in(l, &lengths)) {
        return Err(StoredError::Unreadable("a location lies outside its source".to_owned()));
    }
    program.verify().map_err(StoredError::Wrong)?;
    let rest = Rest { names, locations, sources: second.to_vec(), model: third.to_vec() };
    Ok(Stored { program, options, rest: Arc::new(rest) })
}

/// The three parts of bytes that are what was written.
fn parts(bytes: &[u8]) -> Result<[&[u8]; 3], StoredError> {
    if !is_stored(bytes) {
        let truncated = !bytes.is_empty() && MAGIC.starts_with(bytes);
        return Err(if truncated { StoredError::Truncated } else { StoredError::Foreign });
    }
    let number = |at: usize| bytes.get(at..at + 4).and_then(|b| b.try_into().ok()).map(u32::from_le_bytes);
    let long = |at: usize| bytes.get(at..at + 8).and_then(|b| b.try_into().ok()).map(u64::from_le_bytes);
    let at = MAGIC.len();
    let format = number(at).ok_or(StoredError::Truncated)?;
    if format != FORMAT {
        return Err(StoredError::Format(format));
    }
    let checksum = number(at + 4).ok_or(StoredError::Truncated)?;
    let lengths = [0, 1, 2].map(|k| long(at + 8 + 8 * k).and_then(|n| usize::try_from(n).ok()));
    let [Some(a), Some(b), Some(c)] = lengths else { return Err(StoredError::Truncated) };
    let rest = bytes.get(HEAD..).ok_or(StoredError::Truncated)?;
    let whole = a.checked_add(b).and_then(|ab| ab.checked_add(c)).ok_or(StoredError::Damaged)?;
    if rest.len() < whole {
        return Err(StoredError::Truncated);
    }
    if rest.len() > whole || crc32fast::hash(&bytes[at + 8..]) != checksum {
        return Err(StoredError::Damaged);
    }
    let (first, rest) = rest.split_at(a);
    let (second, third) = rest.split_at(b);
    Ok([first, second, third])
}

impl Rest {
    /// The sources that locations of the program and of the flat model point into: their names, and of their texts the lines in
    /// question, at their places.
    ///
    /// # Errors
    /// Where this part is not what a translation writes.
    pub fn sources(&self) -> Result<Sources, StoredError> {
        let unreadable = |why: String| StoredError::Unreadable(format!("sources, {why}"));
        let pieces: Vec<Vec<excerpt::Piece>> =
            postcard::from_bytes(&self.sources).map_err(|error| unreadable(error.to_string()))?;
        if pieces.len() != self.names.len() {
            return Err(unreadable("some are missing".to_owned()));
        }
        let excerpts = self.names.iter().zip(pieces);
        let excerpts =
            excerpts.map(|((name, len), pieces)| Excerpt { name: name.clone(), len: *len, pieces }).collect();
        let sources = excerpt::restored(excerpts).map_err(|why| unreadable(why.to_owned()))?;
        let cut = |l: &Location| {
            let text = &sources.get(l.source).text;
            !text.is_char_boundary(l.span.start as usize) || !text.is_char_boundary(l.span.end as usize)
        };
        match self.locations.iter().any(cut) {
            true => Err(unreadable("a location lies inside a character".to_owned())),
            false => Ok(sources),
        }
    }

    /// The flat model that the program was translated from.
    ///
    /// # Errors
    /// Where this part is not what a translation writes.
    pub fn flat(&self) -> Result<FlatModel, StoredError> {
        let unreadable = |why: &str| StoredError::Unreadable(format!("model, {why}"));
        let (len, packed) = self.model.split_first_chunk().ok_or_else(|| unreadable("no length"))?;
        let len = u64::from_le_bytes(*len);
        if len > MAX_RATIO * (packed.len() as u64 + 1) {
            return Err(unreadable("its length is impossible"));
        }
        let bytes = miniz_oxide::inflate::decompress_to_vec_with_limit(packed, len as usize)
            .map_err(|_| unreadable("it cannot be unpacked"))?;
        let model: FlatModel =
            postcard::from_bytes(&bytes).map_err(|error| unreadable(&error.to_string()))?;
        let lengths: Vec<u32> = self.names.iter().map(|(_, len)| *len).collect();
        if !excerpt::locations_of_model(&model).iter().all(|l| excerpt::lies_in(l, &lengths)) {
            return Err(unreadable("a location lies outside its source"));
        }
        verify::flat::check(&model).map_err(|why| unreadable(&why))?;
        Ok(model)
    }
}
