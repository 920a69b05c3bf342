//! The lossless view of a text: all lexical units and all comments in order (specification section 2). What formats or
//! colours a text works on it.
//!
//! After: between two neighbours there is white space only, so that a text is its lexemes and the white space
//! between them, whatever is wrong with it.

use crate::source::{SourceId, Span};

use super::lexer;
use super::token::T;

/// What a [`Lexeme`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LexemeKind {
    /// A keyword.
    Keyword,
    /// An identifier, plain or quoted.
    Ident,
    /// An unsigned number.
    Number,
    /// A string with its quotes.
    String,
    /// An operator, a bracket or a separator.
    Sign,
    /// `// …`, to the end of the line.
    LineComment,
    /// `/* … */`.
    BlockComment,
    /// What is no Modelica.
    Wrong,
}

/// A lexical unit or a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lexeme {
    /// What it is.
    pub kind: LexemeKind,
    /// Where it stands.
    pub span: Span,
}

/// All lexical units and comments of a text.
///
/// ```
/// use kausal_syntax::modelica::{LexemeKind, lexemes};
/// let kinds: Vec<LexemeKind> = lexemes("x = 1; // one").iter().map(|l| l.kind).collect();
/// use LexemeKind::*;
/// assert_eq!(kinds, [Ident, Sign, Number, Sign, LineComment]);
/// ```
pub fn lexemes(text: &str) -> Vec<Lexeme> {
    let lexed = lexer::lex(SourceId(0), text);
    let mut out = Vec::with_capacity(lexed.tokens.len() + 16);
    let mut end = 0;
    for token in &lexed.tokens {
        comments(text, end, token.start, &mut out);
        if token.kind != T::Eof {
            out.push(Lexeme { kind: kind(token.kind), span: Span::new(token.start, token.end) });
        }
        end = token.end;
    }
    out
}

fn kind(token: T) -> LexemeKind {
    match token {
        T::Ident => LexemeKind::Ident,
        T::Integer | T::Real => LexemeKind::Number,
        T::Str => LexemeKind::String,
        T::BadNumber
        | T::BadStr
        | T::BadChar
        | T::Prime
        | T::BangEq
        | T::AndAnd
        | T::OrOr
        | T::Bang
        | T::StarStar
        | T::EqLess
        | T::EqGreater => LexemeKind::Wrong,
        keyword if keyword.is_keyword() => LexemeKind::Keyword,
        _ => LexemeKind::Sign,
    }
}

/// The comments between two tokens, where there is nothing else but white space.
fn comments(text: &str, from: u32, to: u32, out: &mut Vec<Lexeme>) {
    let bytes = text.as_bytes();
    let to = to as usize;
    let mut at = from as usize;
    while let Some(slash) = bytes[at..to].iter().position(|&b| b == b'/') {
        let start = at + slash;
        let rest = &text[start..to];
        let (kind, len) = if let Some(inside) = rest.strip_prefix("/*") {
            (LexemeKind::BlockComment, inside.find("*/").map_or(rest.len(), |i| i + 4))
        } else {
            (LexemeKind::LineComment, rest.find(['\n', '\r']).unwrap_or(rest.len()))
        };
        at = start + len;
        out.push(Lexeme { kind, span: Span::new(start as u32, at as u32) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_tokens() {
        let text = "/* a\n // b */ model M // c\r\n \"/* no */\" x/**/y*/";
        let parts: Vec<&str> =
            lexemes(text).iter().map(|l| &text[l.span.start as usize..l.span.end as usize]).collect();
        assert_eq!(
            parts,
            ["/* a\n // b */", "model", "M", "// c", "\"/* no */\"", "x", "/**/", "y", "*", "/"]
        );
    }

    #[test]
    fn nothing_is_lost_of_broken_texts() {
        for text in ["\"open", "/* open", "'open", "a # b", "1e x''", "é 2x \u{a0}// é"] {
            let mut at = 0;
            for l in lexemes(text) {
                assert!(text[at..l.span.start as usize].chars().all(char::is_whitespace), "{text}");
                at = l.span.end as usize;
            }
            assert!(text[at..].chars().all(char::is_whitespace), "{text}");
        }
    }
}
