//! Texts and places in them.

use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A half-open range of bytes in one text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The range `start..end`.
    pub fn new(start: u32, end: u32) -> Self {
        Span { start, end }
    }

    /// The smallest range that holds both.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// Names one text in [`Sources`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SourceId(pub u32);

/// A place in one of the [`Sources`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Location {
    /// The text.
    pub source: SourceId,
    /// The range in it.
    pub span: Span,
}

/// One text with the name users know it by (usually a path).
#[derive(Clone, Debug)]
pub struct Source {
    /// What to call it in messages.
    pub name: String,
    /// The text itself, without a byte order mark.
    pub text: Arc<str>,
}

/// All texts read so far.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    items: Vec<Source>,
}

impl Sources {
    /// Registers a text; a leading byte order mark is dropped.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<Arc<str>>) -> SourceId {
        self.items.push(Source { name: name.into(), text: without_mark(text.into()) });
        SourceId(self.items.len() as u32 - 1)
    }

    /// Gives a registered text another content: it was edited. Places in the old one are void.
    pub fn replace(&mut self, id: SourceId, text: impl Into<Arc<str>>) {
        self.items[id.0 as usize].text = without_mark(text.into());
    }

    /// The text of `id`.
    pub fn get(&self, id: SourceId) -> &Source {
        &self.items[id.0 as usize]
    }

    /// Line and column (both from 1, the column in characters) of byte `offset`.
    pub fn line_column(&self, id: SourceId, offset: u32) -> (usize, usize) {
        line_column(&self.get(id).text, offset)
    }
}

fn without_mark(text: Arc<str>) -> Arc<str> {
    match text.strip_prefix('\u{feff}') {
        Some(rest) => Arc::from(rest),
        None => text,
    }
}

/// Line and column (both from 1, the column in characters) of byte `offset` of `text`. Line ends are `\n`,
/// `\r\n` and a lone `\r`.
pub fn line_column(text: &str, offset: u32) -> (usize, usize) {
    let bytes = text.as_bytes();
    let offset = (offset as usize).min(bytes.len());
    let (mut line, mut line_start, mut i) = (1, 0, 0);
    while i < offset {
        let end_of_line = match bytes[i] {
            b'\n' => true,
            b'\r' => bytes.get(i + 1) != Some(&b'\n'),
            _ => false,
        };
        i += 1;
        if end_of_line {
            line += 1;
            line_start = i;
        }
    }
    let column = text.get(line_start..offset).map_or(offset - line_start, |s| s.chars().count()) + 1;
    (line, column)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_all_endings() {
        let text = "a\nb\r\nc\rdé\u{20ac}f";
        let at = |c: char| line_column(text, text.find(c).unwrap() as u32);
        assert_eq!(at('a'), (1, 1));
        assert_eq!(at('b'), (2, 1));
        assert_eq!(at('c'), (3, 1));
        assert_eq!(at('f'), (4, 4));
    }

    #[test]
    fn byte_order_mark_is_dropped() {
        let mut sources = Sources::default();
        let id = sources.add("x.mo", "\u{feff}model");
        assert_eq!(&*sources.get(id).text, "model");
        sources.replace(id, "\u{feff}block");
        assert_eq!(&*sources.get(id).text, "block");
    }
}
