//! What happens where the text is broken: skipping to a place that can be trusted, a forgotten `;`, and equations
//! among declarations.

use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::symbol::Symbol;

use super::classes::Section;
use super::parser::{Bail, Mark, Parser, Res, Scratch};
use super::token::T;
use crate::ast::LongBody;

impl Parser<'_> {
    /// Runs `read`; if it fails, goes on behind the broken text.
    pub fn recovering(&mut self, read: impl FnOnce(&mut Self) -> Res<()>) {
        let mark = self.mark();
        let before = self.pos;
        if read(self).is_err() {
            if self.tokens[before].kind == T::Ident {
                self.failed_names.push(Symbol::new(self.text_of(self.tokens[before])));
            }
            self.recover(mark);
            // A word that begins something, and began nothing here.
            if self.pos == before && !self.block_ends() {
                self.bump();
                self.recover(mark);
            }
        }
    }

    /// Skips to behind the next `;` that is not within brackets, or to before a word that begins something new.
    pub fn recover(&mut self, mark: Mark) {
        self.unwind(mark);
        self.scratch = Scratch::default();
        while !self.at(T::Eof) {
            match self.kind() {
                T::Semi => {
                    let in_matrix = self.innermost_bracket() == Some(T::LBracket);
                    if !in_matrix || !self.matrix_goes_on() {
                        self.bump();
                        break;
                    }
                }
                T::LParen | T::LBracket | T::LBrace => self.brackets.push(self.pos),
                T::RParen | T::RBracket | T::RBrace => {
                    self.brackets.pop();
                }
                T::End if self.end_ends_block() => break,
                T::Then | T::Loop if self.ends_line() && self.brackets.len() == mark.bracket_count() => {
                    self.headless += 1;
                    self.bump();
                    break;
                }
                kind if kind.is_section() => break,
                T::Initial if matches!(self.peek(1), T::Equation | T::Algorithm) => break,
                kind if (kind.starts_declaration() || matches!(kind, T::Else | T::Elseif | T::Elsewhen))
                    && self.at_line_start() =>
                {
                    break;
                }
                T::If | T::For | T::When | T::While | T::Connect
                    if self.at_line_start() && self.brackets.is_empty() =>
                {
                    break;
                }
                _ => {}
            }
            self.bump();
        }
        self.forget_brackets(mark);
    }

    /// Skips the rest of a broken `if …`, `for …`, up to its `then` or `loop` or the end of the line.
    pub fn skip_head(&mut self, mark: Mark) {
        self.unwind(mark);
        self.scratch = Scratch::default();
        self.forget_brackets(mark);
        while !matches!(self.kind(), T::Then | T::Loop | T::Semi | T::Eof) && !self.at_line_start() {
            self.bump();
        }
    }

    fn innermost_bracket(&self) -> Option<T> {
        self.brackets.last().map(|&i| self.tokens[i].kind)
    }

    /// At a `;` within `[ ]`: does another row follow?
    pub fn matrix_goes_on(&mut self) -> bool {
        self.at(T::Semi) && (!self.ends_line() && !self.peek(1).is_keyword() || self.bracket_is_closed())
    }

    /// Is this `end` the end of a block, not the last index of an array?
    pub fn end_ends_block(&self) -> bool {
        matches!(
            self.peek(1),
            T::Ident | T::If | T::For | T::When | T::While | T::Semi | T::Eof | T::BadNumber | T::BadChar
        ) || self.peek(1).is_section()
    }

    pub fn end_is_value(&self) -> bool {
        self.subscripts > 0 && !self.end_ends_block()
    }

    /// `;`, or a good reason to believe that only it is missing.
    pub fn semicolon(&mut self, expected: &str) -> Res<()> {
        if self.eat(T::Semi) {
            return Ok(());
        }
        self.no_semicolon(expected)
    }

    #[cold]
    fn no_semicolon(&mut self, expected: &str) -> Res<()> {
        if matches!(self.kind(), T::RParen | T::RBracket | T::RBrace) {
            self.closes_nothing();
            while matches!(self.kind(), T::RParen | T::RBracket | T::RBrace) {
                self.bump();
            }
            if self.eat(T::Semi) {
                return Ok(());
            }
        }
        if self.implied_end == Some(self.pos) {
            return Ok(());
        }
        if self.quoted_as_string() && self.peek(1) == T::Semi {
            self.report_quoted_string();
            self.bump();
            return Ok(());
        }
        if self.something_new_begins() {
            let end = self.previous().end;
            let here = self.location(Span::new(end, end));
            self.report(Diagnostic::error("K0102", "missing `;`").at(here, "expected `;` here"));
            return Ok(());
        }
        Err(self.unexpected(expected))
    }

    /// Does this token look like the beginning of the next declaration or equation?
    fn something_new_begins(&self) -> bool {
        let kind = self.kind();
        let next = self.peek(1);
        match kind {
            T::Eof | T::End | T::Annotation => true,
            T::Else | T::Elseif | T::Elsewhen => true,
            T::Ident | T::Dot | T::LParen if self.at_line_start() => true,
            T::Ident => matches!(next, T::Eq | T::ColonEq) || next == T::Ident && self.peek(2) != T::Ident,
            T::If | T::For | T::When | T::While | T::Connect | T::Der | T::Break | T::Return => {
                self.at_line_start()
            }
            T::Initial => matches!(next, T::Equation | T::Algorithm),
            _ => kind.is_section() || kind.starts_declaration(),
        }
    }

    // ---- sections ----

    /// Are the next words a declaration among equations, or an equation among declarations? Says so and changes
    /// the section, so that the rest is read as it was meant.
    pub fn check_section(&mut self, section: Section, implied: bool, body: &mut LongBody) -> Section {
        match section {
            Section::Elements => match self.equation_ahead() {
                None => section,
                Some(_) if implied => {
                    if body.algorithms.is_empty() {
                        Section::Equations
                    } else {
                        Section::Algorithms
                    }
                }
                Some(sign) => {
                    let algorithm = sign == T::ColonEq
                        || self.blocks.last().is_some_and(|b| b.keyword == T::Function)
                        || matches!(self.kind(), T::While | T::Return | T::Break);
                    self.equation_among_declarations(algorithm);
                    let start = self.start();
                    self.push_section(body, algorithm, false, start)
                }
            },
            Section::Equations | Section::Algorithms => {
                if !self.declaration_ahead() {
                    return section;
                }
                if !implied {
                    self.declaration_among_equations(section == Section::Algorithms);
                }
                Section::Elements
            }
        }
    }

    /// Behind the name (with subscripts) that begins here.
    fn behind_name(&self) -> usize {
        let mut i = self.pos;
        let kind = |i: usize| self.tokens.get(i).map_or(T::Eof, |t| t.kind);
        if kind(i) == T::Dot {
            i += 1;
        }
        while kind(i) == T::Ident {
            i += 1;
            if kind(i) == T::LBracket {
                let mut depth = 0usize;
                loop {
                    match kind(i) {
                        T::LBracket => depth += 1,
                        T::RBracket => depth -= 1,
                        T::Eof | T::Semi => return i,
                        _ => {}
                    }
                    i += 1;
                    if depth == 0 {
                        break;
                    }
                }
            }
            if kind(i) != T::Dot {
                break;
            }
            i += 1;
        }
        i
    }

    /// Among declarations: does an equation or statement begin here? Then which sign tells so.
    #[inline]
    fn equation_ahead(&self) -> Option<T> {
        match self.kind() {
            T::Ident if self.peek(1) == T::Ident => None,
            T::Ident | T::Dot => {
                let kind = self.tokens[self.behind_name().min(self.tokens.len() - 1)].kind;
                match kind {
                    T::LParen => Some(self.sign_ahead()),
                    T::Eq | T::ColonEq | T::EqEq | T::Plus | T::Minus | T::Star | T::Slash | T::Prime => {
                        Some(kind)
                    }
                    _ => None,
                }
            }
            T::Pure if self.peek(1) != T::LParen => None,
            kind if kind.starts_equation() => Some(self.sign_ahead()),
            T::LParen | T::Minus | T::Integer | T::Real | T::LBracket | T::LBrace => Some(self.sign_ahead()),
            _ => None,
        }
    }

    /// The first `=` or `:=` outside brackets before the next `;`.
    fn sign_ahead(&self) -> T {
        let mut depth = 0usize;
        for token in &self.tokens[self.pos..] {
            match token.kind {
                T::LParen | T::LBracket | T::LBrace => depth += 1,
                T::RParen | T::RBracket | T::RBrace => depth = depth.saturating_sub(1),
                T::Eq | T::ColonEq if depth == 0 => return token.kind,
                T::Semi | T::Eof => break,
                _ => {}
            }
        }
        T::Eq
    }

    /// Among equations: does a declaration begin here?
    #[inline]
    fn declaration_ahead(&self) -> bool {
        match self.kind() {
            T::Ident if self.peek(1) == T::Ident => self.same_line(self.pos + 1),
            T::Ident | T::Dot if matches!(self.peek(1), T::Dot | T::LBracket | T::Ident) => {
                let i = self.behind_name();
                self.tokens.get(i).is_some_and(|t| t.kind == T::Ident) && self.same_line(i)
            }
            kind => kind.starts_declaration(),
        }
    }

    /// Is this the last token of its line?
    pub fn ends_line(&self) -> bool {
        self.pos + 1 >= self.tokens.len() || !self.same_line(self.pos + 1)
    }

    /// Does token `i` stand on the line of the token before it?
    pub fn same_line(&self, i: usize) -> bool {
        let gap = self.tokens[i - 1].end as usize..self.tokens[i].start as usize;
        !self.text[gap].bytes().any(|b| matches!(b, b'\n' | b'\r'))
    }

    /// At the top of a file: no class begins here.
    pub fn no_class_here(&mut self) {
        let here = self.span();
        if self.at(T::End) && self.end_ends_block() {
            let next = self.tokens[self.pos + 1];
            let named = matches!(next.kind, T::Ident | T::If | T::For | T::When | T::While);
            let both = if named { here.to(Span::new(next.start, next.end)) } else { here };
            let text = if named { format!("end {}", self.text_of(next)) } else { "end".to_owned() };
            let both = self.location(both);
            self.report(
                Diagnostic::error("K0116", format!("`{text}` ends nothing"))
                    .at(both, "no class is open here")
                    .help("remove it, or look for a class that was ended too early"),
            );
            self.bump();
            if named {
                self.bump();
            }
            self.eat(T::Semi);
        } else if self.at(T::Semi) {
            self.stray_semicolon();
            return;
        } else if self.at(T::Within) {
            let here = self.location(here);
            self.report(Diagnostic::error("K0101", "`within` must be the first in the file").at(here, ""));
        } else {
            let _: Bail = self.unexpected("a class definition (`model`, `package`, `function`, …)");
        }
        // What follows is of the same broken piece: only a class or another `end` begins something new.
        while !self.at(T::Eof) {
            let kind = self.kind();
            let fresh = self.at_line_start() || self.tokens[self.pos.saturating_sub(1)].kind == T::Semi;
            if fresh && (kind.starts_class() || kind == T::Final && self.peek(1).starts_class()) {
                break;
            }
            self.bump();
        }
    }
}
