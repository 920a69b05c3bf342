//! A buffer of the editor: its text, where its lines begin, its tree, and what is known to be wrong with it.

use std::sync::Arc;

use kausal_syntax::{Ast, Diagnostic, SourceId, Span, modelica};
use serde_json::Value;

use crate::checker::Told;
use crate::lines::{Encoding, Lines};

/// A buffer.
pub struct Document {
    /// How the client calls it.
    pub uri: String,
    /// Where it is stored.
    pub path: String,
    /// Counts edits, as the client does.
    pub version: i64,
    /// The text.
    pub text: Arc<str>,
    /// Its lines.
    pub lines: Lines,
    /// Its tree.
    pub ast: Arc<Ast>,
    /// What the parser says.
    pub syntax: Vec<Diagnostic>,
    /// What the last check said, moved along with the text since.
    pub told: Vec<Told>,
    /// Where it was edited last.
    pub edited_at: u32,
}

impl Document {
    /// A buffer that was opened.
    pub fn new(uri: &str, path: &str, version: i64, text: &str) -> Document {
        let (ast, syntax) = parse(text);
        Document {
            uri: uri.to_owned(),
            path: path.to_owned(),
            version,
            text: text.into(),
            lines: Lines::new(text),
            ast,
            syntax,
            told: Vec::new(),
            edited_at: 0,
        }
    }

    /// Changes ranges of the text, one after the other.
    pub fn change(&mut self, version: i64, changes: &[Value], encoding: Encoding) {
        self.version = version;
        let mut text = self.text.to_string();
        let mut lines = std::mem::replace(&mut self.lines, Lines::new(""));
        for change in changes {
            let new = change["text"].as_str().unwrap_or_default();
            let at = |end: &str| {
                let p = &change["range"][end];
                let (line, column) = (p["line"].as_u64()? as u32, p["character"].as_u64()? as u32);
                Some(lines.offset(&text, line, column, encoding))
            };
            match (at("start"), at("end")) {
                (Some(start), Some(end)) if start <= end => {
                    move_along(&mut self.told, start, end, new.len() as u32);
                    self.edited_at = start;
                    text.replace_range(start as usize..end as usize, new);
                }
                _ => {
                    self.told.clear();
                    text = new.to_owned();
                }
            }
            lines = Lines::new(&text);
        }
        (self.ast, self.syntax) = parse(&text);
        self.text = text.into();
        self.lines = lines;
    }

    /// A range of the protocol as a range of bytes.
    pub fn span(&self, range: &Value, encoding: Encoding) -> Span {
        let at = |end: &str| {
            let number = |name: &str| range[end][name].as_u64().unwrap_or(0) as u32;
            self.lines.offset(&self.text, number("line"), number("character"), encoding)
        };
        Span::new(at("start"), at("end"))
    }
}

fn parse(text: &str) -> (Arc<Ast>, Vec<Diagnostic>) {
    let parse = modelica::parse(SourceId(0), text.into());
    (Arc::new(parse.ast), parse.diagnostics)
}

/// What is behind an edit moves with it; what it touches is gone until the next check.
fn move_along(told: &mut Vec<Told>, start: u32, end: u32, length: u32) {
    told.retain(|t| t.span.end < start || t.span.start > end);
    for t in told {
        // Their places may be anywhere.
        t.fixes.clear();
        if t.span.start > end {
            t.span.start = t.span.start - end + start + length;
            t.span.end = t.span.end - end + start + length;
        }
    }
}
