//! Places in texts as the protocol counts them: lines from 0, and within a line units of UTF-16 or UTF-8; and paths as it
//! names them.

use kausal_syntax::Span;
use serde_json::{Value, json};

/// In what the columns of a line are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// What every client can.
    Utf16,
    /// Bytes.
    Utf8,
}

/// Where the lines of a text begin.
#[derive(Clone, Debug)]
pub struct Lines {
    starts: Vec<u32>,
}

impl Lines {
    /// The lines of a text.
    pub fn new(text: &str) -> Lines {
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        for (i, &b) in bytes.iter().enumerate() {
            if b == b'\n' || b == b'\r' && bytes.get(i + 1) != Some(&b'\n') {
                starts.push(i as u32 + 1);
            }
        }
        Lines { starts }
    }

    /// The line of a byte.
    pub fn line(&self, offset: u32) -> usize {
        self.starts.partition_point(|&s| s <= offset) - 1
    }

    /// The first byte of a line.
    pub fn start(&self, line: usize) -> u32 {
        self.starts.get(line).copied().unwrap_or(u32::MAX)
    }

    /// Line and column of a byte.
    pub fn position(&self, text: &str, offset: u32, encoding: Encoding) -> (u32, u32) {
        let mut offset = offset.min(text.len() as u32);
        while !text.is_char_boundary(offset as usize) {
            offset -= 1;
        }
        let line = self.line(offset);
        let before = &text[self.starts[line] as usize..offset as usize];
        let column = match encoding {
            Encoding::Utf8 => before.len(),
            Encoding::Utf16 if before.is_ascii() => before.len(),
            Encoding::Utf16 => before.chars().map(char::len_utf16).sum(),
        };
        (line as u32, column as u32)
    }

    /// The byte at a line and column; what is behind the end of a line is its end.
    pub fn offset(&self, text: &str, line: u32, column: u32, encoding: Encoding) -> u32 {
        let Some(&start) = self.starts.get(line as usize) else { return text.len() as u32 };
        let end = self.starts.get(line as usize + 1).map_or(text.len(), |&e| e as usize);
        let content = text[start as usize..end].trim_end_matches(['\n', '\r']);
        let mut left = column as usize;
        for (i, c) in content.char_indices() {
            let units = if encoding == Encoding::Utf8 { c.len_utf8() } else { c.len_utf16() };
            if left < units {
                return start + i as u32;
            }
            left -= units;
        }
        start + content.len() as u32
    }

    /// A range of the protocol.
    pub fn range(&self, text: &str, span: Span, encoding: Encoding) -> Value {
        let (l0, c0) = self.position(text, span.start, encoding);
        let (l1, c1) = self.position(text, span.end.max(span.start), encoding);
        json!({"start": {"line": l0, "character": c0}, "end": {"line": l1, "character": c1}})
    }
}

/// The path of a `file:` address.
pub fn path_of(uri: &str) -> Option<String> {
    let rest = uri.strip_prefix("file://")?;
    // A host stands before the first slash.
    let path = &rest[rest.find('/')?..];
    let mut out = Vec::with_capacity(path.len());
    let mut bytes = path.bytes();
    while let Some(b) = bytes.next() {
        if b != b'%' {
            out.push(b);
            continue;
        }
        let (high, low) = (bytes.next()?, bytes.next()?);
        let digit = |b: u8| (b as char).to_digit(16);
        out.push((digit(high)? * 16 + digit(low)?) as u8);
    }
    String::from_utf8(out).ok()
}

/// The address of a path.
pub fn uri_of(path: &str) -> String {
    let mut out = String::from("file://");
    for b in path.bytes() {
        match b {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => out.push(b as char),
            _ => out.push_str(&format!("%{b:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_there_and_back() {
        let text = "a\nbé€😀c\r\n\rd";
        let lines = Lines::new(text);
        for encoding in [Encoding::Utf8, Encoding::Utf16] {
            for (i, c) in text.char_indices().filter(|&(_, c)| c != '\n' && c != '\r') {
                let (line, column) = lines.position(text, i as u32, encoding);
                assert_eq!(lines.offset(text, line, column, encoding), i as u32, "{c}");
            }
        }
        let c = text.find('c').unwrap() as u32;
        assert_eq!(lines.position(text, c, Encoding::Utf16), (1, 5));
        assert_eq!(lines.position(text, c, Encoding::Utf8), (1, 10));
        assert_eq!(lines.offset(text, 1, 99, Encoding::Utf16), c + 1);
        assert_eq!(lines.offset(text, 99, 0, Encoding::Utf16), text.len() as u32);
    }

    #[test]
    fn addresses_there_and_back() {
        let path = "/a b/ü%/Modelica 4.1.0/x.mo";
        assert_eq!(path_of(&uri_of(path)).as_deref(), Some(path));
        assert_eq!(path_of("file:///a%20b/c%3A.mo").as_deref(), Some("/a b/c:.mo"));
        assert_eq!(path_of("untitled:1"), None);
    }
}
