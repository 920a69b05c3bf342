//! Classic notation: from tokens to the tree of [`super::syntax`]; here are tokens, messages and classes.
//! Statements are in [`super::statement`], expressions and connections in [`super::expression`].
//!
//! Recursive descent with one token of lookahead. A statement that cannot be read is reported once and left
//! out; reading goes on at the next line, or where the line break was only skipped because a parenthesis had
//! been left open. The names say what happens: `parse_` reads something or reports, `expect_` reports when
//! the token is another one, `eat_` reads it if it is there.

use super::diagnose::{self, code, did_you_mean, error};
use super::lexer::{Kind, Lexed, Token, Word};
use super::syntax::{Class, File};
use crate::ast::Ident;
use crate::diagnostic::Diagnostic;
use crate::source::{Location, SourceId, Span};
use crate::symbol::Symbol;

/// A message has been written; the statement is given up.
pub(super) struct Failed;

/// What a parsing function returns.
pub(super) type Parsed<T> = Result<T, Failed>;

/// Reads a file.
pub(super) fn parse_file(source: SourceId, text: &str, lexed: Lexed) -> (File, Vec<Diagnostic>) {
    let mut parser = Parser {
        source,
        text,
        tokens: lexed.tokens,
        at: 0,
        statement: 0,
        joined: usize::MAX,
        open: Vec::new(),
        depth: 0,
        file: File::default(),
        diagnostics: lexed.diagnostics,
    };
    if !lexed.binary {
        parser.parse_classes();
    }
    (parser.file, parser.diagnostics)
}

/// The state of reading.
pub(super) struct Parser<'a> {
    source: SourceId,
    text: &'a str,
    tokens: Vec<Token>,
    /// The next token.
    at: usize,
    /// The first token of the statement.
    statement: usize,
    /// The token in front of which a line break does not count, although the one before it does not say so.
    joined: usize,
    /// The parentheses and brackets that are open, as tokens.
    open: Vec<usize>,
    /// How deeply expressions are nested here.
    pub(super) depth: u32,
    /// What has been read.
    pub(super) file: File,
    diagnostics: Vec<Diagnostic>,
}

// Tokens.
impl Parser<'_> {
    fn token(&self, at: usize) -> Token {
        // The last token is the end of the text and nothing moves beyond it.
        self.tokens[at.min(self.tokens.len() - 1)]
    }

    /// The kind of the next token, or [`Kind::LineEnd`] where a line break ends the statement.
    pub(super) fn peek(&self) -> Kind {
        let token = self.token(self.at);
        let goes_on = |at: usize| at == self.joined || self.token(at - 1).kind.continues_line();
        if token.line_start
            && token.kind != Kind::EndOfText
            && self.open.is_empty()
            && self.at > self.statement
            && !goes_on(self.at)
            && !matches!(token.kind, Kind::Word(Word::Then | Word::Else | Word::ElseIf))
        {
            return Kind::LineEnd;
        }
        token.kind
    }

    /// The kind of the token behind the next one, line breaks not counted.
    pub(super) fn peek_second(&self) -> Kind {
        let second = self.token(self.at + 1);
        if second.line_start && self.open.is_empty() { Kind::LineEnd } else { second.kind }
    }

    /// Where the next token stands.
    pub(super) fn here(&self) -> Span {
        self.token(self.at).span
    }

    /// Where the token just read stands.
    pub(super) fn last(&self) -> Span {
        self.token(self.at.saturating_sub(1)).span
    }

    /// Reads a token.
    pub(super) fn bump(&mut self) -> Span {
        let token = self.token(self.at);
        match token.kind {
            Kind::LeftParen | Kind::LeftBracket => self.open.push(self.at),
            Kind::RightParen | Kind::RightBracket => {
                self.open.pop();
            }
            _ => {}
        }
        if token.kind != Kind::EndOfText {
            self.at += 1;
        }
        token.span
    }

    /// Reads an operator behind which a line break does not count.
    pub(super) fn bump_joining(&mut self) -> Span {
        let span = self.bump();
        self.joined = self.at;
        span
    }

    /// Reads the token if it is this one.
    pub(super) fn eat(&mut self, kind: Kind) -> bool {
        let found = self.peek() == kind;
        if found {
            self.bump();
        }
        found
    }

    /// Reads this token or reports that it is missing.
    pub(super) fn expect(&mut self, kind: Kind, what: &str) -> Parsed<Span> {
        if self.peek() == kind { Ok(self.bump()) } else { Err(self.fail(what)) }
    }

    /// The text of a span.
    pub(super) fn slice(&self, span: Span) -> &str {
        &self.text[span.start as usize..span.end as usize]
    }

    /// The text of the next token.
    pub(super) fn word_here(&self) -> &str {
        self.slice(self.here())
    }

    /// The first token of the statement.
    pub(super) fn first_of_statement(&self) -> Token {
        self.token(self.statement)
    }

    /// Reads a name.
    pub(super) fn parse_ident(&mut self, what: &str) -> Parsed<Ident> {
        match self.peek() {
            Kind::Ident => {
                let span = self.bump();
                Ok(Ident { symbol: Symbol::new(self.slice(span)), span })
            }
            Kind::Word(_) if !self.at_new_statement() => {
                let message = format!("`{}` is a reserved word and cannot be {what}", self.word_here());
                let place = self.location(self.here());
                self.report(error(code::KEYWORD, message).at(place, "").help("choose another name"));
                Err(Failed)
            }
            _ => Err(self.fail(what)),
        }
    }

    /// Reads `a.b.c`.
    pub(super) fn parse_dotted(&mut self, what: &str) -> Parsed<Vec<Ident>> {
        let mut path = vec![self.parse_ident(what)?];
        while self.eat(Kind::Dot) {
            path.push(self.parse_ident("a name behind the dot")?);
        }
        Ok(path)
    }

    /// Is the next token the first of a line that begins a statement, although one is open?
    pub(super) fn at_new_statement(&self) -> bool {
        let token = self.token(self.at);
        token.line_start && matches!(token.kind, Kind::Word(word) if word.begins_statement())
    }
}

// Messages.
impl Parser<'_> {
    /// A place in this file.
    pub(super) fn location(&self, span: Span) -> Location {
        Location { source: self.source, span }
    }

    /// Writes a message.
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Reports that `what` was expected here.
    pub(super) fn fail(&mut self, what: &str) -> Failed {
        let token = self.token(self.at);
        if token.kind == Kind::Junk {
            return Failed;
        }
        // What cannot stand in brackets tells that a bracket was forgotten before it.
        let outside = matches!(token.kind, Kind::Semicolon | Kind::Equal | Kind::Assign | Kind::EndOfText);
        if let Some(&open) = self.open.last()
            && (token.line_start || outside)
        {
            return self.fail_unclosed(open, what);
        }
        let (found, place) = self.found();
        let mut diagnostic =
            error(code::EXPECTED, format!("expected {what}, found {found}")).at(self.location(place), "");
        if let Some(help) = self.help_for_found() {
            diagnostic = diagnostic.help(help);
        }
        self.report(diagnostic);
        Failed
    }

    fn fail_unclosed(&mut self, open: usize, what: &str) -> Failed {
        let opening = self.token(open);
        let (sign, close) = if opening.kind == Kind::LeftParen { ('(', ')') } else { ('[', ']') };
        let (found, place) = self.found();
        self.report(
            error(code::UNBALANCED, format!("this `{sign}` is not closed"))
                .at(self.location(opening.span), "opened here")
                .at(self.location(place), format!("expected {what}, found {found}"))
                .help(format!("close it with `{close}`")),
        );
        Failed
    }

    /// The next token in words, and where to point.
    pub(super) fn found(&self) -> (String, Span) {
        let span = self.here();
        match self.peek() {
            Kind::EndOfText => ("the end of the file".to_owned(), span),
            Kind::LineEnd => {
                let end = self.last().end;
                ("the end of the line".to_owned(), Span::new(end, end))
            }
            _ => (format!("`{}`", self.slice(span)), span),
        }
    }

    fn help_for_found(&self) -> Option<String> {
        let token = self.token(self.at);
        Some(match self.peek() {
            Kind::RightParen | Kind::RightBracket if self.open.is_empty() => {
                "there is no bracket open that this one could close".to_owned()
            }
            Kind::Parallel => {
                "`//` connects in parallel and stands in `connect` only; comments are written in braces: `{ … }`"
                    .to_owned()
            }
            Kind::Star | Kind::Slash | Kind::Power | Kind::Equal if self.at == self.statement => {
                "a statement cannot begin with an operator: put it at the end of the line above".to_owned()
            }
            _ if self.at > self.statement
                && (token.line_start || token.kind == Kind::Equal)
                && !matches!(self.peek(), Kind::LineEnd | Kind::EndOfText)
                && self.joined_line() =>
            {
                "the line above ends with an operator or a comma, so this line goes on with it".to_owned()
            }
            Kind::LineEnd if starts_with_operator(token.kind) => {
                "a line break ends a statement: move the operator that begins the next line to the end of this one"
                    .to_owned()
            }
            _ => return None,
        })
    }

    /// Was the line of the next token read as the rest of the one above?
    fn joined_line(&self) -> bool {
        let mut at = self.at;
        while at > self.statement {
            if self.token(at).line_start {
                return true;
            }
            at -= 1;
        }
        false
    }

    /// Goes to where the next statement begins.
    fn recover(&mut self) {
        self.open.clear();
        self.depth = 0;
        loop {
            let token = self.token(self.at);
            if token.kind == Kind::EndOfText || (self.at > self.statement && token.line_start) {
                return;
            }
            self.at += 1;
            if token.kind == Kind::Semicolon {
                return;
            }
        }
    }
}

fn starts_with_operator(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Plus
            | Kind::Minus
            | Kind::Star
            | Kind::Slash
            | Kind::Parallel
            | Kind::Power
            | Kind::Equal
            | Kind::Comma
    )
}

// Classes.
impl Parser<'_> {
    fn parse_classes(&mut self) {
        let mut complained = false;
        loop {
            self.begin_statement();
            match self.peek() {
                Kind::EndOfText => break,
                Kind::Semicolon => {
                    self.bump();
                }
                Kind::Word(Word::Model) => {
                    self.parse_class();
                    complained = false;
                }
                _ => {
                    if !complained {
                        self.report_outside();
                        complained = true;
                    }
                    self.recover();
                }
            }
        }
        if self.file.classes.is_empty() && self.diagnostics.is_empty() {
            let place = self.location(Span::new(0, 0));
            self.report(
                error(code::OUTSIDE, "there is no model in this file")
                    .at(place, "")
                    .help("a model is written `model Name`, its declarations and equations, and `end`"),
            );
        }
    }

    fn report_outside(&mut self) {
        if self.peek() == Kind::Junk {
            return;
        }
        let word = self.word_here().to_owned();
        let place = self.location(self.here());
        let diagnostic = match (self.peek(), diagnose::foreign_statement(&word)) {
            (Kind::Word(Word::End), _) => error(code::OUTSIDE, "this `end` ends no class")
                .at(place, "")
                .help("is there an `end` too many above, or is a line `model class …` missing?"),
            (Kind::Ident, Some(help)) => {
                error(code::FOREIGN, format!("the classic notation has no `{word}`")).at(place, "").help(help)
            }
            _ => error(code::OUTSIDE, "this stands outside of all classes").at(place, "").help(did_you_mean(
                &word,
                ["model"],
                "a class begins with `model class Name` or `model Name` and ends with `end`",
            )),
        };
        self.report(diagnostic);
    }

    fn begin_statement(&mut self) {
        self.statement = self.at;
        self.open.clear();
        self.depth = 0;
    }

    fn parse_class(&mut self) {
        let head = self.here();
        let (name, bases) = match self.parse_class_head() {
            Ok(head) => head,
            Err(Failed) => {
                // Reading goes on inside, so that its lines are not taken for text outside of classes.
                self.recover();
                (None, Vec::new())
            }
        };
        let mut class = Class {
            name: name.unwrap_or(Ident { symbol: Symbol::new(""), span: head }),
            bases,
            items: Vec::new(),
            broken: false,
            span: head,
        };
        let head_end = self.last();
        loop {
            self.begin_statement();
            match self.peek() {
                Kind::Semicolon => {
                    self.bump();
                }
                Kind::Word(Word::End) => {
                    self.parse_end(name);
                    break;
                }
                Kind::Word(Word::Model) | Kind::EndOfText => {
                    let next = self.here();
                    let name = name.map_or("class", |n| n.symbol.as_str());
                    let mut diagnostic = error(code::MISSING_END, format!("`{name}` has no `end`"))
                        .at(self.location(head.to(head_end)), "begins here");
                    if self.peek() != Kind::EndOfText {
                        diagnostic = diagnostic.at(self.location(next), "the next class begins here");
                    }
                    self.report(diagnostic.help("classes do not nest: each one ends with a line `end`"));
                    break;
                }
                _ => {
                    if self.parse_item(&mut class).is_err() {
                        class.broken |= self.first_of_statement().kind != Kind::Word(Word::Connect);
                        self.recover();
                    }
                }
            }
        }
        class.span = head.to(self.last());
        if name.is_some() {
            self.file.classes.push(class);
        }
    }

    /// `model [class] [(Super)] Name`.
    fn parse_class_head(&mut self) -> Parsed<(Option<Ident>, Vec<Ident>)> {
        self.bump();
        self.eat(Kind::Word(Word::Class));
        let mut bases = Vec::new();
        if self.eat(Kind::LeftParen) {
            bases.push(self.parse_ident("the class that is inherited")?);
            while self.eat(Kind::Comma) {
                bases.push(self.parse_ident("the class that is inherited")?);
            }
            self.expect(Kind::RightParen, "`)`")?;
        }
        let name = self.parse_ident("the name of the class")?;
        if self.end_statement("the end of the line behind the name of the class").is_err() {
            self.recover();
        }
        Ok((Some(name), bases))
    }

    /// `end [Name]`.
    fn parse_end(&mut self, name: Option<Ident>) {
        self.bump();
        match self.peek() {
            Kind::Ident => {
                let span = self.bump();
                let found = self.slice(span).to_owned();
                if let Some(name) = name
                    && found != name.symbol.as_str()
                {
                    let message = format!("`end {found}` ends the class `{}`", name.symbol);
                    self.report(
                        error(code::END_NAME, message)
                            .at(self.location(span), "")
                            .at(self.location(name.span), "begins here")
                            .help(format!("write `end`, or `end {}`", name.symbol)),
                    );
                }
            }
            Kind::Word(Word::Model | Word::Class) => {
                let span = self.bump();
                let message = format!("a class ends with `end` alone, not with `end {}`", self.slice(span));
                self.report(error(code::FOREIGN, message).at(self.location(span), "").help("write `end`"));
            }
            _ => {}
        }
        if self.end_statement("the end of the line behind `end`").is_err() {
            self.recover();
        }
    }

    /// The end of the line, a semicolon, or the end of the file.
    pub(super) fn end_statement(&mut self, what: &str) -> Parsed<()> {
        match self.peek() {
            Kind::LineEnd | Kind::EndOfText => Ok(()),
            Kind::Semicolon if self.open.is_empty() => {
                self.bump();
                Ok(())
            }
            _ => Err(self.fail(what)),
        }
    }
}
