//! Diagnostics for people (the source line, a caret range, advice) and for programs (JSON). The one place
//! where diagnostics become text.

use std::borrow::Cow;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use kausal_syntax::{Diagnostic, Severity, Sources, source};
use serde::Serialize;

/// Renders diagnostics as text, one after another, with an empty line between them.
pub fn text(diagnostics: &[Diagnostic], sources: &Sources, color: bool) -> String {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let mut out = String::new();
    for d in diagnostics {
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&one(d, sources, &renderer));
        out.push('\n');
    }
    out
}

fn one(d: &Diagnostic, sources: &Sources, renderer: &Renderer) -> String {
    let level = match d.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let mut group = Group::with_title(level.primary_title(printable(&d.message)).id(d.code));
    // One snippet per text, the primary one first.
    let mut order: Vec<_> = Vec::new();
    for label in &d.labels {
        if !order.contains(&label.location.source) {
            order.push(label.location.source);
        }
    }
    for id in order {
        let source = sources.get(id);
        let ranges: Vec<(usize, Range<usize>)> = d
            .labels
            .iter()
            .enumerate()
            .filter(|(_, label)| label.location.source == id)
            .map(|(i, label)| (i, clamp(&source.text, label.location.span.start, label.location.span.end)))
            .collect();
        let excerpt = excerpt(&source.text, ranges.iter().map(|(_, range)| range.clone()));
        let mut snippet =
            Snippet::source(excerpt.text).path(printable(&source.name)).line_start(excerpt.first_line);
        for (i, range) in ranges {
            let kind = if i == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
            let annotation = kind.span(range.start - excerpt.start..range.end - excerpt.start);
            let message = printable(&d.labels[i].message);
            snippet =
                snippet.annotation(if message.is_empty() { annotation } else { annotation.label(message) });
        }
        group = group.element(snippet);
    }
    if let Some(help) = &d.help {
        group = group.element(Level::HELP.message(printable(help)));
    }
    renderer.render(&[group])
}

/// Does a character do something to a terminal, or to the order of the text, instead of being seen?
fn is_hidden(c: char) -> bool {
    let turns = matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    (c.is_control() && c != '\n' && c != '\t') || turns || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}')
}

/// A text that is only read when it is printed: characters that control a terminal stand as their numbers, `<U+001B>`.
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\r' if rest.peek() == Some(&'\n') => out.push(c),
            c if is_hidden(c) => out.push_str(&format!("<U+{:04X}>", u32::from(c))),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// The same for JSON, which has escapes of its own and still says the same.
pub fn printable_json(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let escape = |c: char| if is_hidden(c) { format!("\\u{:04x}", u32::from(c)) } else { c.to_string() };
    Cow::Owned(text.chars().map(escape).collect())
}

/// The lines of a text that are shown.
struct Excerpt<'a> {
    text: Cow<'a, str>,
    /// Where they begin in the whole text.
    start: usize,
    /// The number of the first one.
    first_line: usize,
}

/// The lines that the ranges lie in. The renderer looks at all it is given, so that whole files would make a few
/// messages about a large file slow. It knows no lone `\r` as the end of a line; here it is one.
fn excerpt(text: &str, ranges: impl Iterator<Item = Range<usize>>) -> Excerpt<'_> {
    /// So much of the last line; the renderer cuts what is too wide for a terminal anyway.
    const REST_OF_LINE: usize = 1000;
    let (mut first, mut last) = (text.len(), 0);
    for range in ranges {
        (first, last) = (first.min(range.start), last.max(range.end));
    }
    let is_end = |c: char| c == '\n' || c == '\r';
    // A place on the second half of `\r\n` is at the end of the line before.
    if text[first..].starts_with('\n') && text[..first].ends_with('\r') {
        first -= 1;
    }
    let start = text[..first].rfind(is_end).map_or(0, |i| i + 1);
    let end = text[last..].char_indices().find(|&(i, c)| is_end(c) || i > REST_OF_LINE);
    let end = end.map_or(text.len(), |(i, _)| last + i);
    let (first_line, _) = source::line_column(text, start as u32);
    let lines = &text[start..end];
    let bytes = lines.as_bytes();
    let is_lone = |i: usize| bytes[i] == b'\r' && bytes.get(i + 1) != Some(&b'\n');
    // Places are counted in bytes: what the renderer does not know as a character that controls a terminal becomes another
    // one of the same length.
    let is_unknown = |c: char| ('\u{80}'..='\u{9f}').contains(&c);
    let shown = |(i, c): (usize, char)| match c {
        _ if is_lone(i) => '\n',
        c if is_unknown(c) => '\u{bf}',
        c => c,
    };
    let lines = if (0..bytes.len()).any(is_lone) || lines.contains(is_unknown) {
        Cow::Owned(lines.char_indices().map(shown).collect())
    } else {
        Cow::Borrowed(lines)
    };
    Excerpt { text: lines, start, first_line }
}

/// The range on character boundaries and inside the text.
fn clamp(text: &str, start: u32, end: u32) -> Range<usize> {
    let mut start = (start as usize).min(text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    let mut end = (end as usize).clamp(start, text.len());
    while !text.is_char_boundary(end) {
        end += 1;
    }
    start..end
}

/// A diagnostic for programs.
#[derive(Debug, Serialize)]
pub struct JsonDiagnostic {
    /// `error`, `warning` or `note`
    pub severity: &'static str,
    /// The stable code.
    pub code: &'static str,
    /// What is wrong.
    pub message: String,
    /// Where.
    pub labels: Vec<JsonLabel>,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

/// A place for programs; lines and columns count from 1.
#[derive(Debug, Serialize)]
pub struct JsonLabel {
    /// The file.
    pub file: String,
    /// First line.
    pub line: usize,
    /// First column, in characters.
    pub column: usize,
    /// Line of the end.
    pub end_line: usize,
    /// Column of the end (one past the last character).
    pub end_column: usize,
    /// What about it.
    pub message: String,
}

/// Diagnostics for programs.
pub fn json(diagnostics: &[Diagnostic], sources: &Sources) -> Vec<JsonDiagnostic> {
    diagnostics
        .iter()
        .map(|d| JsonDiagnostic {
            severity: match d.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Note => "note",
            },
            code: d.code,
            message: d.message.clone(),
            labels: d
                .labels
                .iter()
                .map(|label| {
                    let id = label.location.source;
                    let (line, column) = sources.line_column(id, label.location.span.start);
                    let (end_line, end_column) = sources.line_column(id, label.location.span.end);
                    let file = sources.get(id).name.clone();
                    JsonLabel { file, line, column, end_line, end_column, message: label.message.clone() }
                })
                .collect(),
            help: d.help.clone(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use kausal_syntax::{Location, SourceId, Span};

    fn shown(source: &str, ranges: &[(u32, u32)]) -> String {
        let mut sources = Sources::default();
        let id: SourceId = sources.add("x.mo", source);
        let at = |d: Diagnostic, &(start, end): &(u32, u32)| {
            d.at(Location { source: id, span: Span::new(start, end) }, "here")
        };
        let d = ranges.iter().fold(Diagnostic::error("K0000", "wrong"), at);
        text(&[d], &sources, false)
    }

    #[test]
    fn lines_of_all_endings_are_shown() {
        let expected = "error[K0000]: wrong\n --> x.mo:3:2\n  |\n3 | ghi\n  |  ^ here\n";
        assert_eq!(shown("abc\ndef\nghi\njkl\n", &[(9, 10)]), expected);
        assert_eq!(shown("abc\rdef\rghi\rjkl\r", &[(9, 10)]), expected);
        assert_eq!(shown("abc\r\ndef\r\nghi\r\njkl\r\n", &[(11, 12)]), expected);
    }

    #[test]
    fn several_places_are_shown_with_the_lines_between() {
        let text = shown("abc\rdef\nghi\r\njkl", &[(13, 14), (0, 1)]);
        assert!(text.contains("--> x.mo:4:1\n"), "{text}");
        assert!(text.contains("1 | abc\n  | - here\n"), "{text}");
        assert!(text.contains("4 | jkl\n  | ^ here\n"), "{text}");
    }

    #[test]
    fn places_at_and_behind_the_end() {
        for range in [(3, 3), (3, 4), (90, 99)] {
            let text = shown("abc", &[range]);
            assert!(text.contains("x.mo:1:4\n"), "{text}");
        }
        assert!(shown("", &[(0, 0)]).contains("x.mo"));
        assert!(shown("ab\r\ncd", &[(3, 3)]).contains("x.mo:1:"));
    }

    #[test]
    fn nothing_reaches_the_terminal_unseen() {
        assert_eq!(printable("a\tb\r\nc"), "a\tb\r\nc");
        assert_eq!(printable("a\x1b[2Jb\rc\u{9b}d\u{202e}"), "a<U+001B>[2Jb<U+000D>c<U+009B>d<U+202E>");
        assert_eq!(printable_json("{\"a\u{7f}\u{202e}\"}"), "{\"a\\u007f\\u202e\"}");
        let mut sources = Sources::default();
        let id = sources.add("x\x1b.mo", "abc\x1b[31m\u{9b}\u{202e}def");
        let d = Diagnostic::error("K0000", "wr\x1bong").help("no\u{9b}ne");
        let d = d.at(Location { source: id, span: Span::new(0, 3) }, "he\rre");
        let shown = text(&[d], &sources, false);
        assert!(!shown.contains(is_hidden), "{shown:?}");
    }

    #[test]
    fn a_long_line_is_cut() {
        let long = "é".repeat(1_000_000);
        assert!(shown(&long, &[(10, 12)]).len() < 2000);
    }
}
