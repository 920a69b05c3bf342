//! What formatting changes, as edits of white space: cursors and marks of an editor stay where they are.

use kausal_syntax::Span;
use kausal_syntax::modelica::{Lexeme, LexemeKind, lexemes};

/// Replaces a range of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// What is replaced.
    pub span: Span,
    /// By what.
    pub text: String,
}

/// The edits that turn `text` into `formatted`, which [`crate::format`] made of it.
pub fn edits(text: &str, formatted: &str) -> Vec<Edit> {
    let (old, new) = (units(text), units(formatted));
    let mut out = Vec::new();
    let (mut old_end, mut new_end) = (0u32, 0u32);
    let ends = [(text.len() as u32, formatted.len() as u32)];
    let starts = old.iter().zip(&new).map(|(o, n)| (o.start, n.start));
    let mut units = old.iter().zip(&new);
    for (old_start, new_start) in starts.chain(ends) {
        let before = &text[old_end as usize..old_start as usize];
        let after = &formatted[new_end as usize..new_start as usize];
        if before != after {
            out.push(Edit { span: Span::new(old_end, old_start), text: after.to_owned() });
        }
        if let Some((o, n)) = units.next() {
            (old_end, new_end) = (o.end, n.end);
        }
    }
    out
}

/// All that is not white space.
fn units(text: &str) -> Vec<Span> {
    let trimmed = |l: &Lexeme| match l.kind {
        LexemeKind::LineComment | LexemeKind::BlockComment => {
            let part = &text[l.span.start as usize..l.span.end as usize];
            Span::new(l.span.start, l.span.start + part.trim_end().len() as u32)
        }
        _ => l.span,
    };
    lexemes(text).iter().map(trimmed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_lead_to_the_formatted_text() {
        let text = "  model   M // c  \n Real x;end M;\n\n\n";
        let formatted = crate::format(text).unwrap();
        let mut edited = text.to_owned();
        for edit in edits(text, &formatted).iter().rev() {
            edited.replace_range(edit.span.start as usize..edit.span.end as usize, &edit.text);
        }
        assert_eq!(edited, formatted);
        assert_eq!(edits(&formatted, &formatted), []);
    }
}
