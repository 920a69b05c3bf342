//! Decompression of zlib streams (RFC 1950, RFC 1951): what MAT files use.
//!
//! The checksum at the end is not verified.

/// Decompresses; at most `limit` bytes come out.
pub(crate) fn inflate_zlib(bytes: &[u8], limit: usize) -> Result<Vec<u8>, String> {
    match bytes {
        [method, flags, ..] if method & 15 == 8 && flags & 32 == 0 => {}
        _ => return Err("its compression is unknown".to_owned()),
    }
    let mut stream = Bits { bytes, at: 2, bit: 0 };
    let mut out = Vec::new();
    loop {
        let last = stream.take(1)?;
        match stream.take(2)? {
            0 => stored(&mut stream, &mut out)?,
            1 => {
                let lengths: Vec<u8> = (0..288)
                    .map(|i| [8, 9, 7, 8][usize::from(i > 143) + usize::from(i > 255) + usize::from(i > 279)])
                    .collect();
                compressed(&mut stream, &mut out, limit, &Code::new(&lengths), &Code::new(&[5; 30]))?;
            }
            2 => {
                let (literals, distances) = codes(&mut stream)?;
                compressed(&mut stream, &mut out, limit, &literals, &distances)?;
            }
            _ => return Err(damaged()),
        }
        if out.len() > limit {
            return Err("it is too large".to_owned());
        }
        if last == 1 {
            return Ok(out);
        }
    }
}

fn damaged() -> String {
    "its compressed data are damaged".to_owned()
}

/// Bits from the lowest on.
struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
    bit: u32,
}

impl Bits<'_> {
    fn take(&mut self, count: u32) -> Result<usize, String> {
        let mut value = 0;
        for i in 0..count {
            let byte = *self.bytes.get(self.at).ok_or_else(damaged)?;
            value |= usize::from(byte >> self.bit & 1) << i;
            self.bit += 1;
            if self.bit == 8 {
                self.bit = 0;
                self.at += 1;
            }
        }
        Ok(value)
    }
}

/// A canonical Huffman code: how many codes there are of each length, and the symbols in the order of their codes.
struct Code {
    counts: [usize; 16],
    symbols: Vec<usize>,
}

impl Code {
    fn new(lengths: &[u8]) -> Code {
        let mut counts = [0; 16];
        let mut symbols = Vec::new();
        for length in 1..16u8 {
            for (symbol, _) in lengths.iter().enumerate().filter(|&(_, &l)| l == length) {
                counts[usize::from(length)] += 1;
                symbols.push(symbol);
            }
        }
        Code { counts, symbols }
    }

    fn symbol(&self, stream: &mut Bits<'_>) -> Result<usize, String> {
        let (mut code, mut first, mut index) = (0, 0, 0);
        for &count in &self.counts[1..] {
            code |= stream.take(1)?;
            if code < first + count {
                return self.symbols.get(index + code - first).copied().ok_or_else(damaged);
            }
            index += count;
            first = (first + count) << 1;
            code <<= 1;
        }
        Err(damaged())
    }
}

fn stored(stream: &mut Bits<'_>, out: &mut Vec<u8>) -> Result<(), String> {
    if stream.bit > 0 {
        stream.bit = 0;
        stream.at += 1;
    }
    let (len, complement) = (stream.take(16)?, stream.take(16)?);
    if len != !complement & 0xffff {
        return Err(damaged());
    }
    out.extend(stream.bytes.get(stream.at..stream.at + len).ok_or_else(damaged)?);
    stream.at += len;
    Ok(())
}

/// The two codes of a block that brings its own.
fn codes(stream: &mut Bits<'_>) -> Result<(Code, Code), String> {
    const ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
    let literals = stream.take(5)? + 257;
    let distances = stream.take(5)? + 1;
    let mut lengths = [0u8; 19];
    for &place in ORDER.iter().take(stream.take(4)? + 4) {
        lengths[place] = stream.take(3)? as u8;
    }
    let code = Code::new(&lengths);
    let mut all: Vec<u8> = Vec::new();
    while all.len() < literals + distances {
        let (length, times) = match code.symbol(stream)? {
            16 => (*all.last().ok_or_else(damaged)?, stream.take(2)? + 3),
            17 => (0, stream.take(3)? + 3),
            18 => (0, stream.take(7)? + 11),
            length => (length as u8, 1),
        };
        all.extend(std::iter::repeat_n(length, times));
    }
    let distances = all.get(literals..literals + distances).ok_or_else(damaged)?;
    Ok((Code::new(&all[..literals]), Code::new(distances)))
}

fn compressed(
    stream: &mut Bits<'_>,
    out: &mut Vec<u8>,
    limit: usize,
    literals: &Code,
    distances: &Code,
) -> Result<(), String> {
    loop {
        let symbol = literals.symbol(stream)?;
        let length = match symbol {
            0..=255 => {
                out.push(symbol as u8);
                continue;
            }
            256 => return Ok(()),
            285 => 258,
            257..=264 => symbol - 254,
            265..=284 => {
                let extra = (symbol - 261) / 4;
                3 + ((4 + (symbol - 261) % 4) << extra) + stream.take(extra as u32)?
            }
            _ => return Err(damaged()),
        };
        let distance = match distances.symbol(stream)? {
            code @ 0..=3 => code + 1,
            code @ 4..=29 => {
                let extra = code / 2 - 1;
                1 + ((2 + code % 2) << extra) + stream.take(extra as u32)?
            }
            _ => return Err(damaged()),
        };
        let start = out.len().checked_sub(distance).ok_or_else(damaged)?;
        if out.len() + length > limit {
            return Err("it is too large".to_owned());
        }
        for i in 0..length {
            out.push(out[start + i]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_of_zlib() {
        // Made with Python: zlib.compress(b"abcabcabcabcabcabc", 9), fixed codes.
        let fixed = FIXED;
        assert_eq!(inflate_zlib(&fixed, 1000).unwrap(), b"abcabcabcabcabcabc");
        // Made with Python: zlib.compress(bytes(i*i % 23 * (i % 5) for i in range(400)), 9), its own codes.
        let dynamic = DYNAMIC;
        let expected: Vec<u8> = (0..400u32).map(|i| (i * i % 23 * (i % 5)) as u8).collect();
        assert_eq!(inflate_zlib(dynamic, 1000).unwrap(), expected);
        assert!(inflate_zlib(dynamic, 100).is_err());
        assert!(inflate_zlib(&dynamic[..20], 1000).is_err());
        assert!(inflate_zlib(b"ab", 10).is_err());
    }

    const FIXED: [u8; 13] = *b"\x78\xda\x4b\x4c\x4a\x4e\x44\x45\x00\x41\x7c\x06\xe5";
    const DYNAMIC: &[u8] = b"\x78\xda\xed\xcd\xb1\x09\xc4\x30\x0c\x40\xd1\x1f\x5b\x18\x19\x14\x10\xaa\x4c\xae\x71\x21\x48\xeb\x22\xa4\x4e\x99\xfd\x27\xba\x09\x6e\x83\x7b\x0b\x3c\x36\xfd\x3c\xec\xed\x5e\x34\x1b\x8b\x7a\xb4\x07\x29\x08\x7d\xb6\x8b\x18\x63\xa0\xe3\x36\xca\xfc\x38\x14\x4b\xca\xd1\x5f\xd4\x62\x12\xed\x54\xba\x56\x90\x58\x4a\xcd\x9c\x34\xcf\x97\x5d\x56\xb2\x51\x1d\x97\xd3\x30\x8f\x81\x65\xbf\xf0\x30\xe1\x5f\xfe\x2e\xbf\xba\x25\x19\x40";
}
