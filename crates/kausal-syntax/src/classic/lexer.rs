//! Classic notation: from text to tokens.
//!
//! Blanks and comments in braces disappear; a token remembers whether it is the first on its line, because a
//! line break can end a statement (the parser decides). What cannot be a token is reported here and becomes
//! [`Kind::Junk`], about which the parser says nothing more. Slips from other notations (`// comment`,
//! `! comment`, `"string"`) are recognised and skipped as a whole, one message each.
//!
//! After [`lex`] the last token is [`Kind::EndOfText`], and all spans lie on character boundaries.

use super::diagnose::{code, error};
use crate::diagnostic::Diagnostic;
use crate::source::{Location, SourceId, Span};

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// An identifier.
    Ident,
    /// An unsigned number.
    Number,
    /// A reserved word.
    Word(Word),
    /// `(`
    LeftParen,
    /// `)`
    RightParen,
    /// `[`
    LeftBracket,
    /// `]`
    RightBracket,
    /// `,`
    Comma,
    /// `;`
    Semicolon,
    /// `.`
    Dot,
    /// `:`
    Colon,
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `*`
    Star,
    /// `/`
    Slash,
    /// `//`
    Parallel,
    /// `\`
    Backslash,
    /// `^` or `**`
    Power,
    /// `=`
    Equal,
    /// `==`
    EqualEqual,
    /// `:=`
    Assign,
    /// `<>`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// Characters without a meaning; already reported.
    Junk,
    /// Not in the token list: the parser sees it where a line break ends a statement.
    LineEnd,
    /// Behind the last token.
    EndOfText,
}

/// The reserved words. `at`, `der`, `residue`, `relax` and `Time` are ordinary names in their places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// `model`
    Model,
    /// `class`
    Class,
    /// `end`
    End,
    /// `inherit`
    Inherit,
    /// `parameter`
    Parameter,
    /// `constant`
    Constant,
    /// `local`
    Local,
    /// `cut`
    Cut,
    /// `main`
    Main,
    /// `path`
    Path,
    /// `node`
    Node,
    /// `submodel`
    Submodel,
    /// `connect`
    Connect,
    /// `if`
    If,
    /// `then`
    Then,
    /// `elseif`
    ElseIf,
    /// `else`
    Else,
    /// `and`
    And,
    /// `or`
    Or,
    /// `not`
    Not,
}

/// The words that begin a statement; also what a misspelt first word is compared with.
pub(super) const STATEMENT_WORDS: [&str; 11] = [
    "model",
    "end",
    "inherit",
    "parameter",
    "constant",
    "local",
    "cut",
    "main",
    "path",
    "submodel",
    "connect",
];

impl Word {
    fn of(text: &str) -> Option<Word> {
        Some(match text {
            "model" => Word::Model,
            "class" => Word::Class,
            "end" => Word::End,
            "inherit" => Word::Inherit,
            "parameter" => Word::Parameter,
            "constant" => Word::Constant,
            "local" => Word::Local,
            "cut" => Word::Cut,
            "main" => Word::Main,
            "path" => Word::Path,
            "node" => Word::Node,
            "submodel" => Word::Submodel,
            "connect" => Word::Connect,
            "if" => Word::If,
            "then" => Word::Then,
            "elseif" => Word::ElseIf,
            "else" => Word::Else,
            "and" => Word::And,
            "or" => Word::Or,
            "not" => Word::Not,
            _ => return None,
        })
    }

    /// Does a statement begin with it?
    pub(super) fn begins_statement(self) -> bool {
        !matches!(
            self,
            Word::Class
                | Word::If
                | Word::Then
                | Word::ElseIf
                | Word::Else
                | Word::And
                | Word::Or
                | Word::Not
        )
    }
}

/// A token and where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    /// What it is.
    pub(super) kind: Kind,
    /// Where it stands.
    pub(super) span: Span,
    /// Is it the first of its line?
    pub(super) line_start: bool,
}

impl Kind {
    /// Does a line that ends with this token go on in the next one?
    pub(super) fn continues_line(self) -> bool {
        match self {
            Kind::Comma
            | Kind::Plus
            | Kind::Minus
            | Kind::Star
            | Kind::Slash
            | Kind::Parallel
            | Kind::Backslash
            | Kind::Power
            | Kind::Equal
            | Kind::EqualEqual
            | Kind::Assign
            | Kind::NotEqual
            | Kind::Less
            | Kind::LessEqual
            | Kind::GreaterEqual => true,
            // `>` also closes a path: `main path P <A - B>`. The parser knows which it is.
            Kind::Greater => false,
            Kind::Word(word) => matches!(
                word,
                Word::If | Word::Then | Word::ElseIf | Word::Else | Word::And | Word::Or | Word::Not
            ),
            _ => false,
        }
    }
}

/// The tokens of a text.
pub(super) struct Lexed {
    /// In order, with [`Kind::EndOfText`] at the end.
    pub(super) tokens: Vec<Token>,
    /// What was dropped, and why.
    pub(super) diagnostics: Vec<Diagnostic>,
    /// The text is no text; a message says so and nothing else needs saying.
    pub(super) binary: bool,
}

/// Cuts `text` into tokens.
pub(super) fn lex(source: SourceId, text: &str) -> Lexed {
    let mut lexer = Lexer {
        source,
        text,
        bytes: text.as_bytes(),
        at: 0,
        line_start: true,
        depth: 0,
        tokens: Vec::new(),
        diagnostics: Vec::new(),
    };
    if let Some(at) = first_control_byte(lexer.bytes) {
        let byte = lexer.bytes[at];
        let message = format!("this is not a text: it has a byte {byte:#04x}");
        lexer.report(
            error(code::CHARACTER, message)
                .at(lexer.location(at, at + 1), "")
                .help("a .dym file is plain text (UTF-8)"),
        );
        lexer.push_end();
        return Lexed { tokens: lexer.tokens, diagnostics: lexer.diagnostics, binary: true };
    }
    lexer.run();
    Lexed { tokens: lexer.tokens, diagnostics: lexer.diagnostics, binary: false }
}

fn first_control_byte(bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|&b| b < 0x20 && !matches!(b, b'\t' | b'\n' | b'\r' | 0x0c | 0x1a))
}

struct Lexer<'a> {
    source: SourceId,
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    line_start: bool,
    /// Open parentheses and brackets, to tell a `//` that goes on with a connection from a stray comment.
    depth: usize,
    tokens: Vec<Token>,
    diagnostics: Vec<Diagnostic>,
}

impl Lexer<'_> {
    fn run(&mut self) {
        if self.text.starts_with('\u{feff}') {
            self.at = '\u{feff}'.len_utf8();
        }
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'\n' | b'\r' => {
                    self.line_start = true;
                    self.at += 1;
                }
                b' ' | b'\t' | 0x0c | 0x1a => self.at += 1,
                b'{' => self.comment(),
                b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.ident(),
                b'0'..=b'9' => self.number(),
                b'.' if self.bytes.get(self.at + 1).is_some_and(u8::is_ascii_digit) && !self.after_name() => {
                    self.number();
                }
                128.. if self.text[self.at..].chars().next().is_some_and(char::is_alphabetic) => self.ident(),
                _ => self.symbol(byte),
            }
        }
        self.push_end();
    }

    fn push_end(&mut self) {
        let end = self.bytes.len() as u32;
        self.tokens.push(Token { kind: Kind::EndOfText, span: Span::new(end, end), line_start: true });
    }

    fn push(&mut self, kind: Kind, len: usize) {
        let span = Span::new(self.at as u32, (self.at + len) as u32);
        self.tokens.push(Token { kind, span, line_start: self.line_start });
        self.line_start = false;
        self.at += len;
    }

    fn location(&self, start: usize, end: usize) -> Location {
        Location { source: self.source, span: Span::new(start as u32, end as u32) }
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Does a dot here belong to a name or a closing parenthesis just before it?
    fn after_name(&self) -> bool {
        self.tokens.last().is_some_and(|t| {
            t.span.end as usize == self.at && matches!(t.kind, Kind::Ident | Kind::RightParen | Kind::Word(_))
        })
    }

    fn end_of_line(&self, from: usize) -> usize {
        self.bytes[from..]
            .iter()
            .position(|b| matches!(b, b'\n' | b'\r'))
            .map_or(self.bytes.len(), |i| from + i)
    }

    /// `{ … }`, over lines as it likes. A comment that never ends, or that has another one opening on a later
    /// line, was probably meant to end on its first line: the reading goes on there.
    fn comment(&mut self) {
        let start = self.at;
        let line_end = self.end_of_line(start);
        let Some(close) = self.bytes[start..].iter().position(|&b| b == b'}').map(|i| start + i) else {
            let opened = self.location(start, start + 1);
            self.report(
                error(code::COMMENT, "this comment has no end")
                    .at(opened, "opened here")
                    .help("close it with `}`"),
            );
            self.at = line_end;
            return;
        };
        let inner = (line_end < close)
            .then(|| self.bytes[line_end..close].iter().position(|&b| b == b'{').map(|i| line_end + i))
            .flatten();
        if let Some(inner) = inner {
            let (opened, second) = (self.location(start, start + 1), self.location(inner, inner + 1));
            self.report(
                error(code::COMMENT, "this comment has no end before the next one begins")
                    .at(opened, "opened here")
                    .at(second, "the next one")
                    .help("close it with `}`; comments do not nest"),
            );
            self.at = line_end;
            return;
        }
        self.at = close + 1;
    }

    /// A name or a reserved word. Letters with accents and of other alphabets are reported, once for the name.
    fn ident(&mut self) {
        let rest = &self.text[self.at..];
        let len = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        let name = &rest[..len];
        if !name.is_ascii() {
            let message = format!("`{name}` cannot be a name");
            let place = self.location(self.at, self.at + len);
            let help = "names are made of the letters a–z and A–Z, digits and `_`";
            self.report(error(code::CHARACTER, message).at(place, "").help(help));
        }
        let kind = Word::of(name).map_or(Kind::Ident, Kind::Word);
        self.push(kind, len);
    }

    /// `1`, `1.5`, `1.`, `.5`, `1.E-5`.
    fn number(&mut self) {
        let digits = |from: usize| {
            from + self.bytes[from..]
                .iter()
                .position(|b| !b.is_ascii_digit())
                .unwrap_or(self.bytes.len() - from)
        };
        let mut end = digits(self.at);
        if self.bytes.get(end) == Some(&b'.') {
            end = digits(end + 1);
        }
        if matches!(self.bytes.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(self.bytes.get(end + 1), Some(b'+' | b'-')));
            if self.bytes.get(end + 1 + sign).is_some_and(u8::is_ascii_digit) {
                end = digits(end + 1 + sign);
            }
        }
        self.push(Kind::Number, end - self.at);
    }

    fn symbol(&mut self, byte: u8) {
        let next = self.bytes.get(self.at + 1).copied();
        let (kind, len) = match (byte, next) {
            (b'*', Some(b'*')) => (Kind::Power, 2),
            (b'=', Some(b'=')) => (Kind::EqualEqual, 2),
            (b':', Some(b'=')) => (Kind::Assign, 2),
            (b'<', Some(b'>')) => (Kind::NotEqual, 2),
            (b'<', Some(b'=')) => (Kind::LessEqual, 2),
            (b'>', Some(b'=')) => (Kind::GreaterEqual, 2),
            (b'/', Some(b'*')) => return self.foreign_block_comment(),
            (b'/', Some(b'/')) if self.line_start && self.statement_over() => return self.foreign_line(2),
            (b'/', Some(b'/')) => (Kind::Parallel, 2),
            (b'(', _) => (Kind::LeftParen, 1),
            (b')', _) => (Kind::RightParen, 1),
            (b'[', _) => (Kind::LeftBracket, 1),
            (b']', _) => (Kind::RightBracket, 1),
            (b',', _) => (Kind::Comma, 1),
            (b';', _) => (Kind::Semicolon, 1),
            (b'.', _) => (Kind::Dot, 1),
            (b':', _) => (Kind::Colon, 1),
            (b'+', _) => (Kind::Plus, 1),
            (b'-', _) => (Kind::Minus, 1),
            (b'*', _) => (Kind::Star, 1),
            (b'/', _) => (Kind::Slash, 1),
            (b'\\', _) => (Kind::Backslash, 1),
            (b'^', _) => (Kind::Power, 1),
            (b'=', _) => (Kind::Equal, 1),
            (b'<', _) => (Kind::Less, 1),
            (b'>', _) => (Kind::Greater, 1),
            (b'!' | b'#' | b'%', _) => return self.foreign_line(1),
            (b'"', _) => return self.foreign_string(),
            (b'}', _) => return self.stray_brace(),
            _ => return self.junk(),
        };
        match kind {
            Kind::LeftParen | Kind::LeftBracket => self.depth += 1,
            Kind::RightParen | Kind::RightBracket => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        self.push(kind, len);
    }

    /// Is there nothing before this line that it could go on with?
    fn statement_over(&self) -> bool {
        self.depth == 0 && !self.tokens.last().is_some_and(|t| t.kind.continues_line())
    }

    fn foreign_line(&mut self, len: usize) {
        let sign = &self.text[self.at..self.at + len];
        let message = format!("`{sign}` does not begin a comment here");
        let place = self.location(self.at, self.at + len);
        self.report(error(code::FOREIGN, message).at(place, "").help("write comments in braces: `{ … }`"));
        self.at = self.end_of_line(self.at);
    }

    fn foreign_block_comment(&mut self) {
        let place = self.location(self.at, self.at + 2);
        self.report(
            error(code::FOREIGN, "`/*` does not begin a comment here")
                .at(place, "")
                .help("write comments in braces: `{ … }`"),
        );
        self.at = match self.text[self.at + 2..].find("*/") {
            Some(i) => self.at + 2 + i + 2,
            None => self.end_of_line(self.at),
        };
    }

    fn foreign_string(&mut self) {
        let line_end = self.end_of_line(self.at);
        let end = self.text[self.at + 1..line_end].find('"').map_or(line_end, |i| self.at + 1 + i + 1);
        let place = self.location(self.at, end);
        self.report(
            error(code::FOREIGN, "the classic notation has no strings")
                .at(place, "")
                .help("a remark about a declaration is a comment in braces: `{ … }`"),
        );
        self.at = end;
    }

    fn stray_brace(&mut self) {
        let place = self.location(self.at, self.at + 1);
        self.report(
            error(code::COMMENT, "this `}` ends no comment")
                .at(place, "")
                .help("comments do not nest: the first `}` ends one"),
        );
        self.at += 1;
    }

    /// A run of characters that mean nothing: one message for all of them.
    fn junk(&mut self) {
        let rest = &self.text[self.at..];
        let means_something =
            |c: char| c.is_alphanumeric() || c.is_whitespace() || "_{}()[],;.:+-*/\\^=<>".contains(c);
        let first = rest.chars().next().map_or(0, char::len_utf8);
        let len = first + rest[first..].find(means_something).unwrap_or(rest.len() - first);
        let run = &rest[..len];
        let message = match run.chars().count() {
            1 if run.contains(char::is_whitespace) => {
                format!("the character {} has no meaning here", run.escape_unicode())
            }
            1 => format!("the character `{run}` has no meaning here"),
            _ => "these characters have no meaning here".to_owned(),
        };
        self.report(error(code::CHARACTER, message).at(self.location(self.at, self.at + len), ""));
        self.push(Kind::Junk, len);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(Kind, &str)> {
        let lexed = lex(SourceId(0), text);
        assert!(lexed.diagnostics.is_empty(), "{:?}", lexed.diagnostics);
        let slice = |s: Span| &text[s.start as usize..s.end as usize];
        lexed.tokens.iter().map(|t| (t.kind, slice(t.span))).collect()
    }

    #[test]
    fn cut_of_the_drive_train() {
        let expected = [
            (Kind::Word(Word::Cut), "cut"),
            (Kind::Ident, "r"),
            (Kind::LeftParen, "("),
            (Kind::Ident, "w"),
            (Kind::Comma, ","),
            (Kind::Ident, "a"),
            (Kind::Slash, "/"),
            (Kind::Minus, "-"),
            (Kind::Ident, "tr"),
            (Kind::RightParen, ")"),
            (Kind::EndOfText, ""),
        ];
        assert_eq!(kinds("cut r (w, a /- tr) {right cut}"), expected);
    }

    #[test]
    fn numbers_of_all_forms() {
        for text in ["1", "1.5", "1.", ".5", "1.E-5", "2e10", "3E+2"] {
            assert_eq!(kinds(text)[0], (Kind::Number, text));
        }
        assert_eq!(kinds("1e")[..2], [(Kind::Number, "1"), (Kind::Ident, "e")]);
    }

    #[test]
    fn line_starts_of_all_line_ends() {
        let lexed = lex(SourceId(0), "a b\nc\r\nd\re { \n } f");
        let starts: Vec<bool> = lexed.tokens.iter().map(|t| t.line_start).collect();
        // A line break inside a comment is part of the comment.
        assert_eq!(starts, [true, false, true, true, true, false, true]);
    }

    #[test]
    fn foreign_comments_are_one_message_each() {
        for text in ["// don't", "! it's \"x", "/* { */", "\"a { b\"", "# x"] {
            let lexed = lex(SourceId(0), text);
            assert_eq!(lexed.diagnostics.len(), 1, "{text}: {:?}", lexed.diagnostics);
            assert_eq!(lexed.tokens.len(), 1, "{text}");
        }
    }
}
