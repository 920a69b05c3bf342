//! Diagnostics for people (the source line, a caret range, advice) and for programs (JSON). The one place
//! where diagnostics become text.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use kausal_syntax::{Diagnostic, Severity, Sources};
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
    let mut group = Group::with_title(level.primary_title(d.message.as_str()).id(d.code));
    // One snippet per text, the primary one first.
    let mut order: Vec<_> = Vec::new();
    for label in &d.labels {
        if !order.contains(&label.location.source) {
            order.push(label.location.source);
        }
    }
    for id in order {
        let source = sources.get(id);
        let mut snippet = Snippet::source(&*source.text).path(source.name.as_str());
        for (i, label) in d.labels.iter().enumerate().filter(|(_, l)| l.location.source == id) {
            let kind = if i == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
            let range = clamp(&source.text, label.location.span.start, label.location.span.end);
            let annotation = kind.span(range);
            snippet = snippet.annotation(if label.message.is_empty() {
                annotation
            } else {
                annotation.label(label.message.as_str())
            });
        }
        group = group.element(snippet);
    }
    if let Some(help) = &d.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    renderer.render(&[group])
}

/// The range on character boundaries and inside the text.
fn clamp(text: &str, start: u32, end: u32) -> std::ops::Range<usize> {
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
