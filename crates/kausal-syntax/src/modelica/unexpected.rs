//! What was expected and what was found instead: the messages every production can give, and those about brackets
//! and `=`.
//!
//! A function that gives back [`Bail`] ends its production; the others only report, and the caller reads on as if
//! the text were right.

use crate::diagnostic::Diagnostic;
use crate::source::Span;

use super::parser::{Bail, Parser, Res};
use super::token::T;

/// The longest piece of text quoted in a message.
const MAX_QUOTE: usize = 40;

/// Attributes of variables.
const ATTRIBUTES: [&str; 8] =
    ["start", "fixed", "min", "max", "unit", "displayUnit", "nominal", "stateSelect"];

/// Keywords as some write them.
const CAPITALS: [&str; 12] = [
    "Model",
    "Package",
    "Function",
    "Block",
    "Record",
    "Connector",
    "Equation",
    "Algorithm",
    "Parameter",
    "End",
    "Connect",
    "Extends",
];

impl Parser<'_> {
    /// The token here, in the user's terms.
    pub fn found(&self) -> String {
        let text = self.token_text();
        match self.kind() {
            T::Eof => "the end of the file".to_owned(),
            T::Str | T::BadStr => "a string".to_owned(),
            kind if kind.is_keyword() => format!("the keyword `{text}`"),
            _ if text.chars().count() > MAX_QUOTE => {
                format!("`{}…`", text.chars().take(MAX_QUOTE).collect::<String>())
            }
            _ => format!("`{text}`"),
        }
    }

    /// Something else stands here than `expected`.
    #[cold]
    pub fn unexpected(&mut self, expected: &str) -> Bail {
        let found = self.found();
        let span = self.span();
        let here = self.location(span);
        let diagnostic = match self.kind() {
            T::BadStr => return Bail,
            T::BadChar => self.bad_character(),
            T::BadNumber => self.bad_number(),
            T::Prime => Diagnostic::error("K0127", "`'` behind a name has no meaning in Modelica")
                .at(here, "")
                .help("the derivative of `x` is written `der(x)`"),
            T::RParen | T::RBracket | T::RBrace if self.brackets.is_empty() => {
                self.closes_nothing();
                return Bail;
            }
            T::Eof => {
                let last = self.previous();
                let here = self.location(Span::new(last.end, last.end));
                Diagnostic::error("K0101", format!("expected {expected}, found {found}"))
                    .at(here, format!("expected {expected}"))
            }
            _ => Diagnostic::error("K0101", format!("expected {expected}, found {found}"))
                .at(here, format!("expected {expected}")),
        };
        let diagnostic = match self.advice() {
            Some(help) if diagnostic.help.is_none() => diagnostic.help(help),
            _ => diagnostic,
        };
        self.report(diagnostic);
        Bail
    }

    /// What to do about the token here, by itself.
    fn advice(&self) -> Option<&'static str> {
        let before = self.pos.checked_sub(1).map(|i| self.tokens[i]);
        Some(match self.kind() {
            T::Ident if self.token_text().starts_with('\'') => {
                "`'…'` is a quoted name; strings are written with double quotes: `\"…\"`"
            }
            T::Ident
                if before.is_some_and(|t| t.kind == T::Ident)
                    && matches!(self.peek(1), T::Eq | T::ColonEq)
                    && ATTRIBUTES.contains(&self.token_text()) =>
            {
                "attributes stand in parentheses: `Real x(start = 1)`"
            }
            T::Ident if CAPITALS.contains(&self.token_text()) => {
                "keywords are written in lower case: `model`, `package`, `function`, `equation`, `end`"
            }
            T::Plus | T::Minus | T::Star | T::Slash
                if matches!(self.peek(1), T::Eq | T::Plus | T::Minus)
                    && self.tokens[self.pos + 1].start == self.token().end =>
            {
                "write it out: `x := x + 1`"
            }
            T::Eq
                if !self.brackets.is_empty()
                    && before.is_some_and(|t| {
                        matches!(t.kind, T::Ident | T::Integer | T::Real | T::RParen | T::RBracket)
                    }) =>
            {
                "a comparison is written `==`"
            }
            T::Eq
                if before.is_some_and(|t| {
                    matches!(t.kind, T::Ident | T::Integer | T::Real | T::RParen | T::RBracket)
                }) =>
            {
                "bindings and equations have one `=`; a comparison is written `==`"
            }
            T::Ident
                if before.is_some_and(|t| matches!(t.kind, T::Integer | T::Real))
                    && !self.at_line_start() =>
            {
                "a product is written with `*`; units are not written behind values"
            }
            T::Comma if self.brackets.is_empty() && self.peek(1) == T::Ident && self.peek(2) == T::Eq => {
                "each equation ends with `;`, also in one line"
            }
            T::LParen if before.is_some_and(|t| t.kind == T::For) => {
                "write `for i in 1:n loop`, without parentheses"
            }
            T::Then => "is `if` or `when` missing before the condition?",
            T::Loop => "is `for` or `while` missing before this?",
            T::Equation | T::Algorithm | T::Public | T::Protected if self.blocks.is_empty() => {
                "was the class before it ended too early?"
            }
            T::ColonEq => "`:=` assigns in an `algorithm`; equations and bindings are written with `=`",
            T::Colon if self.brackets.is_empty() => "a range has at most two `:`",
            T::LBrace => "blocks have no braces in Modelica: they begin with a keyword and end with `end`",
            T::Elseif | T::Else | T::Elsewhen => "no `if` or `when` is open here",
            _ => return None,
        })
    }

    fn bad_character(&self) -> Diagnostic {
        let here = self.location(self.span());
        let text = self.token_text();
        let first = text.chars().next().unwrap_or(' ');
        let help = match first {
            '\u{2018}' | '\u{2019}' | '\u{201a}' | '\u{201c}' | '\u{201d}' | '\u{201e}' | '\u{ab}'
            | '\u{bb}' => Some("strings are written with plain double quotes: `\"…\"`"),
            '\u{2212}' | '\u{2013}' | '\u{2014}' => Some("write `-`"),
            '\u{d7}' | '\u{b7}' | '\u{22c5}' => Some("a product is written `*`"),
            '\u{f7}' => Some("a quotient is written `/`"),
            '\u{2264}' => Some("write `<=`"),
            '\u{2265}' => Some("write `>=`"),
            '\u{2260}' => Some("write `<>`"),
            '#' | '%' => Some("comments begin with `//`"),
            '&' => Some("the logical operator is written `and`"),
            '|' if text == "|" => {
                Some("the absolute value of x is written `abs(x)`, the logical operator `or`")
            }
            '|' => Some("the logical operator is written `or`"),
            '?' => Some("a choice is written `if condition then a else b`"),
            '~' => Some("the logical operator is written `not`"),
            _ => None,
        };
        if help.is_none() && text.chars().any(char::is_alphabetic) {
            return Diagnostic::error("K0105", format!("`{text}` is not a name in Modelica"))
                .at(here, "names have only the letters a to z and A to Z, digits and `_`");
        }
        let shown: String = text.chars().take(MAX_QUOTE).flat_map(char::escape_debug).collect();
        let diagnostic = Diagnostic::error("K0105", format!("`{shown}` has no meaning in Modelica"))
            .at(here, "unknown character");
        match help {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        }
    }

    fn bad_number(&self) -> Diagnostic {
        let here = self.location(self.span());
        let text = self.token_text();
        let diagnostic =
            Diagnostic::error("K0109", format!("`{text}` is neither a number nor a name")).at(here, "");
        let letters = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        let digits = &text[..text.len() - letters.len()];
        if letters.eq_ignore_ascii_case("e") {
            diagnostic.help("the exponent is missing")
        } else if self.pos > 0
            && (self.tokens[self.pos - 1].kind == T::Ident || self.tokens[self.pos - 1].kind.starts_class())
            && !digits.contains('.')
        {
            diagnostic.help("names begin with a letter or `_`")
        } else {
            diagnostic
                .help(format!("write `{digits}*{letters}` for a product; names begin with a letter or `_`"))
        }
    }

    /// A closing bracket that was never opened.
    pub fn closes_nothing(&mut self) {
        let here = self.location(self.span());
        let message = format!("{} closes nothing", self.found());
        self.report(
            Diagnostic::error("K0103", message)
                .at(here, "no such bracket is open here")
                .help("remove it, or add the opening one"),
        );
    }

    /// A closing bracket for the innermost open one.
    #[inline]
    pub fn close(&mut self, kind: T) -> Res<()> {
        if self.at(kind) {
            self.bump();
            self.brackets.pop();
            return Ok(());
        }
        self.no_close(kind)
    }

    #[cold]
    fn no_close(&mut self, kind: T) -> Res<()> {
        let Some(&open) = self.brackets.last() else { return Err(self.unexpected(kind.name())) };
        let open = self.tokens[open];
        let opened = self.location(Span::new(open.start, open.end));
        let (open_name, close_name) = (open.kind.name(), kind.name());
        let found = self.found();
        match self.kind() {
            T::RParen | T::RBracket | T::RBrace => {
                let here = self.location(self.span());
                self.report(
                    Diagnostic::error("K0103", format!("{open_name} is closed by {found}"))
                        .at(here, format!("expected {close_name}"))
                        .at(opened, "opened here"),
                );
                // A bracket that closes an outer one: who knows which one is missing or too many.
                if self.closes_outer_bracket() {
                    return Err(Bail);
                }
                self.bump();
            }
            at if matches!(at, T::Semi | T::Eof | T::Annotation)
                || matches!(at, T::Then | T::Loop) && self.ends_line()
                || at == T::End && self.end_ends_block()
                || at.is_section()
                || (at.starts_declaration() && self.at_line_start()) =>
            {
                let end = self.previous().end;
                let here = self.location(Span::new(end, end));
                self.report(
                    Diagnostic::error("K0103", format!("{open_name} is not closed"))
                        .at(here, format!("expected {close_name}"))
                        .at(opened, "opened here"),
                );
            }
            T::BadStr => return Err(Bail),
            T::BadChar | T::BadNumber | T::Prime => return Err(self.unexpected("")),
            at => {
                let here = self.location(self.span());
                let or = if at == T::Comma { "" } else { "`,` or " };
                let expected = format!("expected {or}{close_name}, found {found}");
                let mut diagnostic = Diagnostic::error("K0101", expected)
                    .at(here, "")
                    .at(opened, format!("{open_name} is opened here"));
                diagnostic.help = self.advice().map(str::to_owned);
                self.report(diagnostic);
                return Err(Bail);
            }
        }
        self.brackets.pop();
        Ok(())
    }

    fn closes_outer_bracket(&self) -> bool {
        let opening = match self.kind() {
            T::RParen => T::LParen,
            T::RBracket => T::LBracket,
            _ => T::LBrace,
        };
        self.brackets.iter().any(|&i| self.tokens[i].kind == opening)
    }

    pub fn expect_open(&mut self, expected: &str) -> Res<()> {
        if !self.at(T::LParen) {
            return Err(self.unexpected(expected));
        }
        self.open();
        Ok(())
    }

    /// `=`, also when written otherwise.
    pub fn expect_equals(&mut self) -> Res<()> {
        match self.kind() {
            T::Eq => {}
            T::EqEq => self.wrong_equals("K0112", "a value is given with `=`, not `==`", "`=`"),
            T::ColonEq => self.wrong_equals("K0110", "a value is given with `=`, not `:=`", "`=`"),
            _ => return Err(self.unexpected("`=`")),
        }
        self.bump();
        Ok(())
    }

    pub fn wrong_equals(&mut self, code: &'static str, message: &str, right: &str) {
        let here = self.location(self.span());
        self.report(Diagnostic::error(code, message).at(here, format!("write {right}")));
    }
}
