//! Real matrices in MAT files, read and written: version 4, and the later ones before 7.3, whose elements may be compressed.
//!
//! Version 4 is a sequence of matrices: five integers (kind, rows, columns, has an imaginary part, length of the name), the
//! name, the numbers column by column. Later versions have a header of 128 bytes and elements, each a type, a length and
//! data (The MathWorks, *MAT-File Format*).

use crate::frame::Matrix;
use crate::inflate::inflate_zlib;

/// The matrix with this name; none if the file has no such matrix. A structure is searched where the name has a dot.
pub(crate) fn find(bytes: &[u8], name: &str) -> Result<Option<Matrix>, String> {
    if bytes.len() >= 128 && (&bytes[126..128] == b"IM" || &bytes[126..128] == b"MI") {
        let little = &bytes[126..128] == b"IM";
        let version = Reader { bytes: &bytes[124..126], little }.u16(0).unwrap_or(0);
        if version >> 8 != 1 {
            return Err("files of version 7.3 are not supported".to_owned());
        }
        return find_5(&Reader { bytes: &bytes[128..], little }, name);
    }
    find_4(bytes, name)
}

struct Reader<'a> {
    bytes: &'a [u8],
    little: bool,
}

impl<'a> Reader<'a> {
    fn array<const N: usize>(&self, at: usize) -> Option<[u8; N]> {
        let mut array: [u8; N] = self.bytes.get(at..at.checked_add(N)?)?.try_into().ok()?;
        if !self.little {
            array.reverse();
        }
        Some(array)
    }

    fn u16(&self, at: usize) -> Option<u16> {
        self.array(at).map(u16::from_le_bytes)
    }

    fn u32(&self, at: usize) -> Option<usize> {
        self.array(at).map(u32::from_le_bytes).map(|n| n as usize)
    }

    fn part(&self, at: usize, len: usize) -> Option<Reader<'a>> {
        Some(Reader { bytes: self.bytes.get(at..at.checked_add(len)?)?, little: self.little })
    }

    /// Numbers of a type; the codes are those of version 5.
    fn numbers(&self, code: usize) -> Option<Vec<f64>> {
        let width = match code {
            1 | 2 => 1,
            3 | 4 => 2,
            5..=7 => 4,
            9 | 12 | 13 => 8,
            _ => return None,
        };
        (0..self.bytes.len() / width)
            .map(|k| k * width)
            .map(|at| {
                Some(match code {
                    1 => f64::from(*self.bytes.get(at)? as i8),
                    2 => f64::from(*self.bytes.get(at)?),
                    3 => f64::from(i16::from_le_bytes(self.array(at)?)),
                    4 => f64::from(u16::from_le_bytes(self.array(at)?)),
                    5 => f64::from(i32::from_le_bytes(self.array(at)?)),
                    6 => f64::from(u32::from_le_bytes(self.array(at)?)),
                    7 => f64::from(f32::from_le_bytes(self.array(at)?)),
                    12 => i64::from_le_bytes(self.array(at)?) as f64,
                    13 => u64::from_le_bytes(self.array(at)?) as f64,
                    _ => f64::from_le_bytes(self.array(at)?),
                })
            })
            .collect()
    }
}

/// From numbers column by column.
fn matrix(rows: usize, cols: usize, columns: &[f64]) -> Result<Matrix, String> {
    if rows.checked_mul(cols).is_none_or(|n| n > columns.len()) {
        return Err("it is cut off".to_owned());
    }
    Ok(Matrix { rows: cols, cols: rows, data: columns[..rows * cols].to_vec() }.transpose())
}

fn find_4(bytes: &[u8], name: &str) -> Result<Option<Matrix>, String> {
    let mut at = 0;
    while at + 20 <= bytes.len() {
        let unknown = || "the file has an unknown format".to_owned();
        let little = Reader { bytes, little: true };
        let kind = little.u32(at).unwrap_or(0);
        // Below 1000 in the right order of bytes: the thousands say which one it is.
        let reader = if kind < 1000 { little } else { Reader { bytes, little: false } };
        let kind = reader.u32(at).ok_or_else(unknown)? % 1000;
        let header = |i: usize| reader.u32(at + 4 * i).ok_or_else(unknown);
        let (rows, cols, imaginary, name_len) = (header(1)?, header(2)?, header(3)?, header(4)?);
        let (precision, structure) = (kind / 10 % 10, kind % 10);
        let width = [8, 4, 4, 2, 2, 1].get(precision).copied().ok_or_else(unknown)?;
        let code = [9, 7, 5, 3, 4, 2][precision];
        if kind >= 100 || structure > 2 || imaginary > 1 {
            return Err(unknown());
        }
        let count = rows.checked_mul(cols).and_then(|n| n.checked_mul(width)).ok_or_else(unknown)?;
        let start = (at + 20).checked_add(name_len).ok_or_else(unknown)?;
        let found = reader.part(at + 20, name_len).ok_or_else(unknown)?.bytes;
        let found = found.split(|&b| b == 0).next().unwrap_or(&[]);
        if found == name.as_bytes() && structure == 0 {
            let data =
                reader.part(start, count).and_then(|part| part.numbers(code)).ok_or("it is cut off")?;
            return matrix(rows, cols, &data).map(Some);
        }
        at = start.checked_add(count * (1 + imaginary)).ok_or_else(unknown)?;
    }
    Ok(None)
}

/// One element of a file of version 5: its type, its data, and where the next one begins.
fn element<'a>(reader: &Reader<'a>, at: usize) -> Option<(usize, Reader<'a>, usize)> {
    let code = reader.u32(at)?;
    if code >> 16 != 0 {
        // Small elements have type and length in one word.
        return Some((code & 0xffff, reader.part(at + 4, (code >> 16).min(4))?, at + 8));
    }
    let len = reader.u32(at + 4)?;
    let padding = if code == COMPRESSED { 0 } else { (8 - len % 8) % 8 };
    Some((code, reader.part(at + 8, len)?, at.checked_add(8 + len + padding)?))
}

const MATRIX: usize = 14;
const COMPRESSED: usize = 15;

/// So deep structures may be in each other.
const DEEPEST: usize = 16;

fn find_5(file: &Reader<'_>, name: &str) -> Result<Option<Matrix>, String> {
    let mut at = 0;
    while let Some((code, data, next)) = element(file, at) {
        at = next;
        let inflated;
        let data = if code == COMPRESSED {
            inflated = inflate_zlib(data.bytes, largest(data.bytes.len()))?;
            let whole = Reader { bytes: &inflated, little: file.little };
            match element(&whole, 0) {
                Some((MATRIX, data, _)) => Reader { bytes: data.bytes, little: file.little },
                _ => continue,
            }
        } else if code == MATRIX {
            data
        } else {
            continue;
        };
        if let Some(found) = matrix_5(&data, name, DEEPEST)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// How a matrix is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// Version 4.
    Four,
    /// Version 5, as version 6 of the program writes it.
    Six,
    /// Version 5 with elements in zlib's wrapping, as version 7 of the program writes it.
    Seven,
}

impl Format {
    pub fn named(name: &str) -> Option<Format> {
        Some(match name {
            "4" => Format::Four,
            "6" => Format::Six,
            "7" => Format::Seven,
            _ => return None,
        })
    }
}

/// What a file has, with this matrix in the place of one by the same name. An empty file gets the format; others have
/// theirs.
pub(crate) fn with(before: &[u8], name: &str, matrix: &Matrix, format: Format) -> Result<Vec<u8>, String> {
    const TEXT: &[u8] = b"MATLAB 5.0 MAT-file, written by kausal";
    let later = before.len() >= 128 && &before[126..128] == b"IM";
    let unknown = || "the file has an unknown format".to_owned();
    if !before.is_empty() && !later && (before.len() < 20 || before.get(126..128) == Some(b"MI".as_slice())) {
        return Err(unknown());
    }
    let mut out = Vec::new();
    if later {
        out.extend(&before[..128]);
        let file = Reader { bytes: &before[128..], little: true };
        let mut at = 0;
        while let Some((code, data, next)) = element(&file, at) {
            if name_5(code, &data)? != Some(name.as_bytes().to_vec()) {
                out.extend(file.bytes.get(at..next).ok_or_else(unknown)?);
            }
            at = next;
        }
    } else if before.is_empty() && format != Format::Four {
        out.extend(TEXT);
        out.resize(124, b' ');
        out.extend([0x00, 0x01]);
        out.extend(*b"IM");
    } else {
        let mut at = 0;
        while at < before.len() {
            let header =
                |i: usize| Reader { bytes: before, little: true }.u32(at + 4 * i).ok_or_else(unknown);
            let width = match header(0)? {
                kind if kind < 100 => [8, 4, 4, 2, 2, 1].get(kind / 10).copied().ok_or_else(unknown)?,
                _ => return Err("its order of bytes is not the usual one".to_owned()),
            };
            let count =
                header(1)?.checked_mul(header(2)?).and_then(|n| n.checked_mul(width * (1 + header(3).ok()?)));
            let start = (at + 20).checked_add(header(4)?).ok_or_else(unknown)?;
            let found = before.get(at + 20..start).ok_or_else(unknown)?;
            let next = count.and_then(|n| n.checked_add(start)).ok_or_else(unknown)?;
            if found.split(|&b| b == 0).next() != Some(name.as_bytes()) {
                out.extend(before.get(at..next).ok_or_else(unknown)?);
            }
            at = next;
        }
    }
    let element = match (later, before.is_empty(), format) {
        (false, true, Format::Four) | (false, false, _) => element_4(name, matrix),
        (_, _, Format::Seven) => wrapped(&element_5(name, matrix)?),
        _ => element_5(name, matrix),
    };
    out.extend(element?);
    Ok(out)
}

/// The name of a matrix in a file of version 5.
fn name_5(code: usize, data: &Reader<'_>) -> Result<Option<Vec<u8>>, String> {
    let inflated;
    let data = match code {
        COMPRESSED => {
            inflated = inflate_zlib(data.bytes, largest(data.bytes.len()))?;
            match element(&Reader { bytes: &inflated, little: data.little }, 0) {
                Some((MATRIX, data, _)) => Reader { bytes: data.bytes, little: data.little },
                _ => return Ok(None),
            }
        }
        MATRIX => Reader { bytes: data.bytes, little: data.little },
        _ => return Ok(None),
    };
    let name = || -> Option<Vec<u8>> {
        let (_, _, at) = element(&data, 0)?;
        let (_, _, at) = element(&data, at)?;
        element(&data, at).map(|(_, name, _)| name.bytes.to_vec())
    };
    Ok(name())
}

fn word(n: usize) -> Result<[u8; 4], String> {
    u32::try_from(n).map(u32::to_le_bytes).map_err(|_| "it is too large".to_owned())
}

/// The numbers column by column.
fn columns(matrix: &Matrix) -> Vec<u8> {
    let places = (0..matrix.cols).flat_map(|c| (0..matrix.rows).map(move |r| r * matrix.cols + c));
    places.flat_map(|place| matrix.data[place].to_le_bytes()).collect()
}

fn element_4(name: &str, matrix: &Matrix) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    for n in [0, matrix.rows, matrix.cols, 0, name.len() + 1] {
        out.extend(word(n)?);
    }
    out.extend(name.bytes());
    out.push(0);
    out.extend(columns(matrix));
    Ok(out)
}

fn element_5(name: &str, matrix: &Matrix) -> Result<Vec<u8>, String> {
    const NUMBERS: usize = 6;
    let mut data = Vec::new();
    // Flags with the class, sizes, name, numbers: each a type, a length and data up to a whole number of eight bytes.
    for n in [6, 8, NUMBERS, 0, 5, 8, matrix.rows, matrix.cols, 1, name.len()] {
        data.extend(word(n)?);
    }
    data.extend(name.bytes());
    data.resize(data.len().next_multiple_of(8), 0);
    let numbers = columns(matrix);
    data.extend([word(9)?, word(numbers.len())?].concat());
    data.extend(numbers);
    Ok([word(MATRIX)?.as_slice(), &word(data.len())?, &data].concat())
}

/// Wrapped for zlib (RFC 1950) in stored blocks (RFC 1951, section 3.2.4): valid for every reader, and not smaller.
fn wrapped(element: &[u8]) -> Result<Vec<u8>, String> {
    const MODULUS: u32 = 65521;
    let mut out = vec![0x78, 0x01];
    let mut blocks = element.chunks(usize::from(u16::MAX)).peekable();
    while let Some(block) = blocks.next() {
        let len = block.len() as u16;
        out.push(u8::from(blocks.peek().is_none()));
        out.extend(len.to_le_bytes());
        out.extend((!len).to_le_bytes());
        out.extend(block);
    }
    let (a, b) = element.iter().fold((1, 0), |(a, b), &byte| {
        let a = (a + u32::from(byte)) % MODULUS;
        (a, (b + a) % MODULUS)
    });
    out.extend((b << 16 | a).to_be_bytes());
    Ok([word(COMPRESSED)?.as_slice(), &word(out.len())?, &out].concat())
}

/// A matrix element: flags, sizes, name, real part.
fn matrix_5(data: &Reader<'_>, name: &str, deep: usize) -> Result<Option<Matrix>, String> {
    const STRUCTURE: u8 = 2;
    const FIRST_NUMERIC: u8 = 6;
    const LAST_NUMERIC: u8 = 15;
    let parts = || -> Option<_> {
        let (_, flags, at) = element(data, 0)?;
        let (code, sizes, at) = element(data, at)?;
        let (_, found, at) = element(data, at)?;
        let class = (flags.u32(0)? & 0xff) as u8;
        Some((class, sizes.numbers(code)?, found.bytes, at))
    };
    let Some((class, sizes, found, at)) = parts() else { return Err("it is damaged".to_owned()) };
    let rest = match name.strip_prefix(&*String::from_utf8_lossy(found)) {
        Some("") => None,
        // A member of a structure, which has no names of its own inside.
        Some(rest) if class == STRUCTURE && rest.starts_with('.') => Some(&rest[1..]),
        _ => return Ok(None),
    };
    if let Some(rest) = rest {
        return member_5(data, at, rest, deep);
    }
    let [rows, cols] = sizes[..] else { return Err("it has not two dimensions".to_owned()) };
    if !(FIRST_NUMERIC..=LAST_NUMERIC).contains(&class) {
        return Err("it is not a matrix of numbers".to_owned());
    }
    let numbers = element(data, at).and_then(|(code, real, _)| real.numbers(code)).ok_or("it is damaged")?;
    matrix(rows as usize, cols as usize, &numbers).map(Some)
}

/// A member of a structure: the length of names, the names, and the elements, which have no names.
fn member_5(data: &Reader<'_>, at: usize, path: &str, deep: usize) -> Result<Option<Matrix>, String> {
    if deep == 0 {
        return Err("structures are too deep in each other".to_owned());
    }
    let (first, rest) = path.split_once('.').map_or((path, ""), |(first, rest)| (first, rest));
    let names = || -> Option<_> {
        let (_, length, at) = element(data, at)?;
        let (_, names, at) = element(data, at)?;
        let width = length.u32(0).filter(|width| *width > 0)?;
        let found = names
            .bytes
            .chunks(width)
            .position(|name| name.split(|&byte| byte == 0).next() == Some(first.as_bytes()));
        Some((found, at))
    };
    let (found, mut at) = names().ok_or("it is damaged")?;
    let Some(found) = found else { return Ok(None) };
    for _ in 0..found {
        at = element(data, at).ok_or("it is damaged")?.2;
    }
    let (_, member, _) = element(data, at).ok_or("it is damaged")?;
    let inner = if rest.is_empty() { String::new() } else { format!(".{rest}") };
    matrix_5(&member, &inner, deep - 1)
}

/// So many bytes may come out of compressed ones: so much any data may have, and beyond that a hundred times as many. What
/// people measure does not compress like that.
fn largest(compressed: usize) -> usize {
    const ALWAYS: usize = 64 << 20;
    const RATIO: usize = 100;
    compressed.saturating_mul(RATIO).clamp(ALWAYS, crate::files::LARGEST_FILE as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version_4(name: &str, rows: u32, cols: u32, columns: &[f64], big: bool) -> Vec<u8> {
        let word = |n: u32| if big { n.to_be_bytes() } else { n.to_le_bytes() };
        let kind = if big { 1000 } else { 0 };
        let mut bytes: Vec<u8> =
            [kind, rows, cols, 0, name.len() as u32 + 1].iter().flat_map(|&n| word(n)).collect();
        bytes.extend(name.bytes());
        bytes.push(0);
        bytes.extend(columns.iter().flat_map(|x| if big { x.to_be_bytes() } else { x.to_le_bytes() }));
        bytes
    }

    #[test]
    fn version_4_files() {
        for big in [false, true] {
            let mut file = version_4("a", 1, 2, &[7.0, 8.0], big);
            file.extend(version_4("tab", 2, 3, &[1.0, 4.0, 2.0, 5.0, 3.0, 6.0], big));
            let tab = find(&file, "tab").unwrap().unwrap();
            assert_eq!((tab.rows, tab.cols, tab.data), (2, 3, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
            assert_eq!(find(&file, "b"), Ok(None));
            assert!(find(&file[..file.len() - 3], "tab").is_err());
        }
        assert!(find(&[0xab; 40], "a").is_err());
    }

    /// A matrix element in a file of version 5, its numbers as bytes to show small elements and conversion.
    fn version_5() -> Vec<u8> {
        let word = |n: u32| n.to_le_bytes();
        let mut data = Vec::new();
        for n in [6, 8, 6, 0, 5, 8, 2, 2] {
            data.extend(word(n));
        }
        data.extend(word(1 << 16 | 1));
        data.extend(*b"m\0\0\0");
        data.extend(word(4 << 16 | 2));
        data.extend([1, 3, 2, 4]);
        let mut element: Vec<u8> = [14, data.len() as u32].iter().flat_map(|&n| word(n)).collect();
        element.extend(data);
        element
    }

    fn with_header(element: &[u8]) -> Vec<u8> {
        let mut file = vec![b' '; 124];
        file.extend([0x00, 0x01]);
        file.extend(*b"IM");
        file.extend(element);
        file
    }

    #[test]
    fn version_5_files() {
        let plain = with_header(&version_5());
        let m = find(&plain, "m").unwrap().unwrap();
        assert_eq!((m.rows, m.cols, m.data.clone()), (2, 2, vec![1.0, 2.0, 3.0, 4.0]));
        // Compressed, here as one stored block: type 15, the zlib header, length and its complement, data, a checksum.
        let inner = version_5();
        let len = inner.len() as u16;
        let mut stored = vec![0x78, 0x01, 0x01];
        stored.extend(len.to_le_bytes());
        stored.extend((!len).to_le_bytes());
        stored.extend(&inner);
        stored.extend([0; 4]);
        let mut element: Vec<u8> =
            [15, stored.len() as u32].iter().flat_map(|&n: &u32| n.to_le_bytes()).collect();
        element.extend(stored);
        assert_eq!(find(&with_header(&element), "m"), Ok(Some(m)));
        assert_eq!(find(&plain, "x"), Ok(None));
    }

    /// An element: its type and its data, filled up to eight bytes.
    fn part(code: u32, data: &[u8]) -> Vec<u8> {
        let mut bytes = [code, data.len() as u32].iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>();
        bytes.extend(data);
        bytes.resize(bytes.len().next_multiple_of(8), 0);
        bytes
    }

    /// A structure with two members, as the description of the format lays it out.
    fn structure(name: &str, members: [(&str, &[u8]); 2]) -> Vec<u8> {
        let words = |list: &[u32]| list.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>();
        let mut names = Vec::new();
        for (member, _) in members {
            names.extend(member.bytes());
            names.resize(names.len().next_multiple_of(32), 0);
        }
        let mut data =
            [part(6, &words(&[2, 0])), part(5, &words(&[1, 1])), part(1, name.as_bytes())].concat();
        // The length of names is a small element.
        data.extend(words(&[4 << 16 | 5, 32]));
        data.extend(part(1, &names));
        members.iter().for_each(|(_, member)| data.extend(*member));
        part(14, &data)
    }

    #[test]
    fn members_of_structures() {
        let numbers = |values: &[f64]| {
            element_5("", &Matrix { rows: 1, cols: values.len(), data: values.to_vec() }).unwrap()
        };
        let (a, b, c) = (numbers(&[1.0, 2.0]), numbers(&[3.0]), numbers(&[4.0, 5.0, 6.0]));
        let inner = structure("", [("b", &b), ("c", &c)]);
        let file = with_header(&structure("s", [("a", &a), ("deep", &inner)]));
        let data = |name: &str| find(&file, name).map(|found| found.map(|matrix| matrix.data));
        assert_eq!(data("s.a"), Ok(Some(vec![1.0, 2.0])));
        assert_eq!(data("s.deep.c"), Ok(Some(vec![4.0, 5.0, 6.0])));
        assert_eq!((data("s.x"), data("t.a"), data("sa")), (Ok(None), Ok(None), Ok(None)));
        assert!(data("s").is_err() && data("s.deep").is_err());
    }
}
