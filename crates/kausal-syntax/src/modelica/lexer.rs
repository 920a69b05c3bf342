//! From text to [`Token`]s (specification section 2 and appendix A.1).
//!
//! After: the tokens cover the text in order, the last one is [`T::Eof`], white space and comments are gone. What
//! is no Modelica stays in the list as a token of its own kind; only what has no end (strings, comments, quoted
//! names) is reported here, because only here is known where it began.

use crate::diagnostic::Diagnostic;
use crate::source::{Location, SourceId, Span};

use super::parser::MAX_DIAGNOSTICS;
use super::token::{T, Token, word_kind};

/// What [`lex`] gives back.
pub(super) struct Lexed {
    pub tokens: Vec<Token>,
    pub diagnostics: Vec<Diagnostic>,
}

/// `true` for the bytes of a word.
static WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut b = 0;
    while b < 256 {
        table[b] = (b as u8).is_ascii_alphanumeric() || b as u8 == b'_';
        b += 1;
    }
    table
};

/// How often a string without an end may be cut off at its line and the rest read again.
const MAX_STRING_REPAIRS: usize = 8;

/// Cuts `text` (at most 4 GB) into tokens.
pub(super) fn lex(source: SourceId, text: &str) -> Lexed {
    let start = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let mut lexer = Lexer {
        source,
        text,
        bytes: text.as_bytes(),
        at: start,
        tokens: Vec::with_capacity(text.len() / 6 + 16),
        diagnostics: Vec::new(),
        repairs: 0,
        unclosed_until: 0,
    };
    lexer.run();
    let end = text.len() as u32;
    lexer.tokens.push(Token { kind: T::Eof, start: end, end });
    Lexed { tokens: lexer.tokens, diagnostics: lexer.diagnostics }
}

struct Lexer<'t> {
    source: SourceId,
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    tokens: Vec<Token>,
    diagnostics: Vec<Diagnostic>,
    repairs: usize,
    /// Up to here no `'` finds its partner.
    unclosed_until: usize,
}

impl Lexer<'_> {
    fn run(&mut self) {
        while let Some(&b) = self.bytes.get(self.at) {
            match b {
                b' ' | b'\t' | b'\r' | b'\n' => self.at += 1,
                b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                    let start = self.at;
                    let end = self.word_end(start);
                    self.push(word_kind(&self.bytes[start..end]), end);
                }
                b'0'..=b'9' => self.number(),
                b'"' => self.string(),
                b'\'' => self.quoted(),
                b'(' => self.push(T::LParen, self.at + 1),
                b')' => self.push(T::RParen, self.at + 1),
                b'[' => self.push(T::LBracket, self.at + 1),
                b']' => self.push(T::RBracket, self.at + 1),
                b'{' => self.push(T::LBrace, self.at + 1),
                b'}' => self.push(T::RBrace, self.at + 1),
                b';' => self.push(T::Semi, self.at + 1),
                b',' => self.push(T::Comma, self.at + 1),
                b'+' => self.push(T::Plus, self.at + 1),
                b'-' => self.push(T::Minus, self.at + 1),
                b'^' => self.push(T::Caret, self.at + 1),
                b'/' => match self.peek(1) {
                    b'/' => self.line_comment(),
                    b'*' => self.block_comment(),
                    _ => self.push(T::Slash, self.at + 1),
                },
                b'*' => match self.peek(1) {
                    b'*' => self.push(T::StarStar, self.at + 2),
                    _ => self.push(T::Star, self.at + 1),
                },
                b'.' => match self.peek(1) {
                    b'0'..=b'9' => self.number(),
                    b'+' => self.push(T::DotPlus, self.at + 2),
                    b'-' => self.push(T::DotMinus, self.at + 2),
                    b'*' => self.push(T::DotStar, self.at + 2),
                    b'/' if !matches!(self.peek(2), b'/' | b'*') => self.push(T::DotSlash, self.at + 2),
                    b'^' => self.push(T::DotCaret, self.at + 2),
                    _ => self.push(T::Dot, self.at + 1),
                },
                b':' => match self.peek(1) {
                    b'=' => self.push(T::ColonEq, self.at + 2),
                    _ => self.push(T::Colon, self.at + 1),
                },
                b'=' => match self.peek(1) {
                    b'=' => self.push(T::EqEq, self.at + 2),
                    b'<' => self.push(T::EqLess, self.at + 2),
                    b'>' => self.push(T::EqGreater, self.at + 2),
                    _ => self.push(T::Eq, self.at + 1),
                },
                b'<' => match self.peek(1) {
                    b'=' => self.push(T::LessEq, self.at + 2),
                    b'>' => self.push(T::NotEq, self.at + 2),
                    _ => self.push(T::Less, self.at + 1),
                },
                b'>' => match self.peek(1) {
                    b'=' => self.push(T::GreaterEq, self.at + 2),
                    _ => self.push(T::Greater, self.at + 1),
                },
                b'!' | b'~' if self.peek(1) == b'=' => self.push(T::BangEq, self.at + 2),
                b'!' => self.push(T::Bang, self.at + 1),
                b'&' if self.peek(1) == b'&' => self.push(T::AndAnd, self.at + 2),
                b'|' if self.peek(1) == b'|' => self.push(T::OrOr, self.at + 2),
                _ => self.bad(),
            }
        }
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    #[inline]
    fn push(&mut self, kind: T, end: usize) {
        self.tokens.push(Token { kind, start: self.at as u32, end: end as u32 });
        self.at = end;
    }

    #[inline]
    fn word_end(&self, mut at: usize) -> usize {
        while at < self.bytes.len() && WORD[self.bytes[at] as usize] {
            at += 1;
        }
        at
    }

    fn digits_end(&self, mut at: usize) -> usize {
        while self.bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    }

    fn number(&mut self) {
        let mut end = self.digits_end(self.at);
        let mut kind = T::Integer;
        if self.bytes.get(end) == Some(&b'.') {
            kind = T::Real;
            end = self.digits_end(end + 1);
        }
        if matches!(self.bytes.get(end), Some(b'e' | b'E')) {
            let sign = matches!(self.bytes.get(end + 1), Some(b'+' | b'-')) as usize;
            let exponent = self.digits_end(end + 1 + sign);
            if exponent > end + 1 + sign {
                kind = T::Real;
                end = exponent;
            }
        }
        let word = self.word_end(end);
        if word > end {
            kind = T::BadNumber;
            end = word;
        }
        self.push(kind, end);
    }

    fn string(&mut self) {
        let start = self.at;
        let mut at = start + 1;
        loop {
            match self.bytes.get(at) {
                Some(b'"') => return self.push(T::Str, at + 1),
                Some(b'\\') => {
                    self.check_escape(at);
                    at += 2;
                }
                Some(_) => at += 1,
                None => return self.unclosed_string(start),
            }
        }
    }

    /// Warns about an escape that is none.
    fn check_escape(&mut self, at: usize) {
        const ESCAPES: &[u8] = b"'\"?\\abfnrtv";
        let Some(c) = self.text.get(at + 1..).and_then(|rest| rest.chars().next()) else { return };
        if !c.is_ascii() || !ESCAPES.contains(&(c as u8)) {
            let span = Span::new(at as u32, (at + 1 + c.len_utf8()) as u32);
            self.report(
                Diagnostic::warning("K0132", format!("`\\{}` is not an escape sequence", c.escape_default()))
                    .at(self.location(span), "")
                    .help("a backslash is written `\\\\`, a quote `\\\"`, a line break `\\n`"),
            );
        }
    }

    /// The text ended within a string. With one quote missing, all quotes behind it changed sides, so the culprit
    /// is the first string whose closing quote has a word stuck to it; if there is none, it is this string.
    fn unclosed_string(&mut self, start: usize) {
        let culprit = self.tokens.iter().position(|t| {
            t.kind == T::Str && self.bytes.get(t.end as usize).is_some_and(|&b| WORD[b as usize] || b >= 128)
        });
        let start = match culprit {
            Some(index) => {
                let start = self.tokens[index].start as usize;
                self.tokens.truncate(index);
                self.diagnostics
                    .retain(|d| d.labels.first().is_none_or(|l| l.location.span.start < start as u32));
                start
            }
            None => start,
        };
        let rest = &self.bytes[start..];
        let line = rest.iter().position(|b| matches!(b, b'\n' | b'\r')).unwrap_or(rest.len());
        let mut end = start + line;
        // The `;` at the end of the line was hardly meant as text.
        let trimmed = self.text[start..end].trim_end();
        if trimmed.ends_with(';') && trimmed.len() > 1 {
            end = start + trimmed.len() - 1;
        }
        self.report(
            Diagnostic::error("K0106", "this string is not closed")
                .at(self.location(Span::new(start as u32, start as u32 + 1)), "the string begins here")
                .help("strings end with `\"`; a quote within a string is written `\\\"`"),
        );
        self.repairs += 1;
        if self.repairs > MAX_STRING_REPAIRS {
            end = self.bytes.len();
        }
        self.at = start;
        self.push(T::BadStr, end);
    }

    /// A quoted identifier, or the prime of `x'`.
    fn quoted(&mut self) {
        let start = self.at;
        let behind_name = self.tokens.last().is_some_and(|t| {
            t.end as usize == start
                && (t.kind == T::Prime || t.kind == T::Ident && self.bytes[t.start as usize] != b'\'')
        });
        if behind_name {
            return self.push(T::Prime, start + 1);
        }
        if start < self.unclosed_until {
            return self.push(T::BadChar, start + 1);
        }
        let mut at = start + 1;
        loop {
            match self.bytes.get(at) {
                Some(b'\'') => return self.push(T::Ident, at + 1),
                Some(b'\\') => at += 2,
                Some(b'\n' | b'\r') | None => break,
                Some(_) => at += 1,
            }
        }
        self.report(
            Diagnostic::error("K0108", "this quoted name is not closed")
                .at(self.location(Span::new(start as u32, start as u32 + 1)), "the name begins here")
                .help("`'` begins and ends a quoted name on one line; strings are written with `\"`"),
        );
        self.unclosed_until = at;
        // To the next sign that could not be meant as part of a name.
        let rest = &self.text[start + 1..];
        let len = rest.find(|c: char| c.is_control() || ";,=()[]{}\"".contains(c)).unwrap_or(rest.len());
        self.push(T::Ident, start + 1 + rest[..len].trim_end().len());
    }

    fn line_comment(&mut self) {
        let rest = &self.bytes[self.at..];
        self.at += rest.iter().position(|b| matches!(b, b'\n' | b'\r')).unwrap_or(rest.len());
    }

    fn block_comment(&mut self) {
        let start = self.at;
        let mut at = start + 2;
        while at + 1 < self.bytes.len() {
            if self.bytes[at] == b'*' && self.bytes[at + 1] == b'/' {
                self.at = at + 2;
                return;
            }
            at += 1;
        }
        self.report(
            Diagnostic::error("K0107", "this comment is not closed")
                .at(self.location(Span::new(start as u32, start as u32 + 2)), "the comment begins here")
                .help("a comment that begins with `/*` ends with `*/`"),
        );
        self.at = self.bytes.len();
    }

    /// A run of what begins nothing: one token, so one complaint.
    fn bad(&mut self) {
        let rest = &self.text[self.at..];
        let mut len = 0;
        let mut letters = false;
        for (i, c) in rest.char_indices() {
            let odd = !c.is_ascii() && !c.is_whitespace()
                || matches!(c, '#' | '$' | '%' | '&' | '?' | '@' | '\\' | '`' | '|' | '~')
                || c.is_ascii_control() && !c.is_ascii_whitespace();
            // A letter with an accent belongs to the word around it.
            if !(odd || letters && (c.is_ascii_alphanumeric() || c == '_')) {
                break;
            }
            letters |= c.is_alphabetic();
            len = i + c.len_utf8();
        }
        if len == 0 {
            len = rest.chars().next().map_or(1, char::len_utf8);
            // Unicode white space separates like any other.
            if rest.starts_with(char::is_whitespace) {
                self.at += len;
                return;
            }
        }
        let end = self.at + len;
        // `Größe`: the token before is the beginning of the same word.
        if let Some(last) = self.tokens.last()
            && letters
            && last.end as usize == self.at
            && (last.kind == T::Ident && self.bytes[last.start as usize] != b'\'' || last.kind.is_keyword())
        {
            self.at = last.start as usize;
            self.tokens.pop();
        }
        self.push(T::BadChar, end);
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() < MAX_DIAGNOSTICS {
            self.diagnostics.push(diagnostic);
        }
    }

    fn location(&self, span: Span) -> Location {
        Location { source: self.source, span }
    }
}
