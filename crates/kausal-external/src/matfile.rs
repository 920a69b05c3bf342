//! Real matrices in MAT files: version 4, and the later ones before 7.3, whose elements may be compressed.
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

fn find_5(file: &Reader<'_>, name: &str) -> Result<Option<Matrix>, String> {
    let mut at = 0;
    while let Some((code, data, next)) = element(file, at) {
        at = next;
        let inflated;
        let data = if code == COMPRESSED {
            inflated = inflate_zlib(data.bytes, crate::files::LARGEST_FILE as usize)?;
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
        if let Some(found) = matrix_5(&data, name)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// A matrix element: flags, sizes, name, real part.
fn matrix_5(data: &Reader<'_>, name: &str) -> Result<Option<Matrix>, String> {
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
    if found != name.as_bytes() {
        return Ok(None);
    }
    let [rows, cols] = sizes[..] else { return Err("it has not two dimensions".to_owned()) };
    if !(FIRST_NUMERIC..=LAST_NUMERIC).contains(&class) {
        return Err("it is not a matrix of numbers".to_owned());
    }
    let numbers = element(data, at).and_then(|(code, real, _)| real.numbers(code)).ok_or("it is damaged")?;
    matrix(rows as usize, cols as usize, &numbers).map(Some)
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
}
