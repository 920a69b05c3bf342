//! Where blocks and classes end, and what to think of an `end`, or an `else`, that is missing, wrong or too many.
//!
//! Indentation has no meaning in Modelica, but where an `end` is missing it tells best which one.

use crate::ast::Ident;
use crate::diagnostic::Diagnostic;
use crate::source::Span;

use super::parser::{Block, Parser};
use super::token::T;

impl Parser<'_> {
    /// Does something stand here that no block can contain, so that the innermost one ends?
    pub fn block_ends(&mut self) -> bool {
        match self.kind() {
            T::Eof | T::Annotation => true,
            T::End => !self.ends_headless(),
            // `for;` without its `end`.
            kind @ (T::If | T::For | T::When | T::While) => {
                self.peek(1) == T::Semi && self.block_open(|b| b.keyword == kind)
            }
            // They end any block within the one they belong to; if there is none, they are strays.
            T::Else | T::Elseif | T::Elsewhen => self.block_open(|b| matches!(b.keyword, T::If | T::When)),
            T::Initial => matches!(self.peek(1), T::Equation | T::Algorithm),
            T::Ident => self.block_word().is_some(),
            kind => kind.is_section() || kind.starts_declaration(),
        }
    }

    /// Words of other languages in the place of `elseif` and `end if`.
    pub fn block_word(&self) -> Option<T> {
        let text = self.token_text();
        if !text.starts_with(['e', 'E', 'o', 'n']) || text.len() > 10 {
            return None;
        }
        let word = text.to_ascii_lowercase().replace('_', "");
        let next = self.peek(1);
        match word.as_str() {
            "elsif" | "elif" | "elseif" if !matches!(next, T::Eq | T::ColonEq | T::Dot | T::LBracket) => {
                Some(T::Elseif)
            }
            "endif" if next == T::Semi => Some(T::If),
            "endfor" if next == T::Semi => Some(T::For),
            "endwhile" if next == T::Semi => Some(T::While),
            "endwhen" if next == T::Semi => Some(T::When),
            _ => None,
        }
    }

    /// At `elseif`, or at a word that must have been meant so.
    pub fn at_elseif(&mut self) -> bool {
        if self.at(T::Elseif) {
            return true;
        }
        if self.at(T::Ident) && self.block_word() == Some(T::Elseif) {
            let here = self.location(self.span());
            let message = format!("`{}` is written `elseif` in Modelica", self.token_text());
            self.report(Diagnostic::error("K0118", message).at(here, "write `elseif`"));
            return true;
        }
        false
    }

    /// `elsewhen` in an `if` that stands in no `when`.
    pub fn elsewhen_in_if(&mut self) -> bool {
        if !self.at(T::Elsewhen) || self.block_open(|b| b.keyword == T::When) {
            return false;
        }
        let here = self.location(self.span());
        self.report(
            Diagnostic::error("K0118", "`elsewhen` belongs to `when`; a branch of `if` begins with `elseif`")
                .at(here, "write `elseif`"),
        );
        true
    }

    /// `elseif` or `else` in a `when` that stands in no `if`.
    pub fn elseif_in_when(&mut self) -> bool {
        if !matches!(self.kind(), T::Else | T::Elseif) || self.block_open(|b| b.keyword == T::If) {
            return false;
        }
        let here = self.location(self.span());
        self.report(if self.at(T::Else) {
            Diagnostic::error("K0118", "`when` has no `else`")
                .at(here, "")
                .help("a `when` acts at an instant; use `elsewhen condition then`, or an `if` equation")
        } else {
            Diagnostic::error("K0118", "`elseif` belongs to `if`; a branch of `when` begins with `elsewhen`")
                .at(here, "write `elsewhen`")
        });
        true
    }

    /// Is this the `end` of a block whose beginning could not be read?
    fn ends_headless(&self) -> bool {
        let next = self.peek(1);
        self.headless > 0
            && matches!(next, T::If | T::For | T::When | T::While)
            && !self.block_open(|b| b.keyword == next)
    }

    /// Reads over the `end` of a block whose beginning could not be read.
    pub fn end_of_headless(&mut self) {
        self.headless -= 1;
        self.bump();
        self.bump();
        self.eat(T::Semi);
    }

    /// `else` and its like without `if` or `when`.
    pub fn stray_branch(&mut self) {
        if self.headless > 0 {
            let is_else = self.at(T::Else);
            self.bump();
            if !is_else {
                let mark = self.mark();
                self.skip_head(mark);
                self.eat(T::Then);
            }
            return;
        }
        let here = self.location(self.span());
        let text = self.token_text();
        let word = if self.at(T::Elsewhen) { "when" } else { "if" };
        self.report(
            Diagnostic::error("K0118", format!("`{text}` without `{word}`"))
                .at(here, format!("no `{word}` is open here")),
        );
        let is_else = self.at(T::Else);
        self.bump();
        if !is_else {
            let mark = self.mark();
            self.skip_head(mark);
            self.eat(T::Then);
        }
    }

    pub fn branch_behind_else(&mut self, first: Span) {
        let (here, first) = (self.location(self.span()), self.location(first));
        let message = format!("`{}` behind `else`", self.token_text());
        self.report(
            Diagnostic::error("K0118", message)
                .at(here, "this branch can never be taken")
                .at(first, "`else` is the last branch"),
        );
    }

    /// Is there an open block like this, without leaving the class?
    pub fn block_open(&self, like: impl Fn(&Block) -> bool) -> bool {
        self.blocks.iter().rev().take_while(|b| b.name.is_none()).any(like)
    }

    /// Is there an open class of this name?
    fn class_open(&self, name: &str) -> bool {
        self.blocks.iter().any(|b| b.name.is_some_and(|n| n.as_str() == name))
    }

    /// `end if` and so on, for the innermost block.
    pub fn close_block(&mut self) {
        if let Some(block) = self.blocks.pop() {
            let keyword = block.keyword;
            if self.at(T::End) && self.peek(1) == keyword {
                let end = self.span();
                self.bump();
                self.bump();
                self.check_indentation(block, end);
            } else {
                self.no_end_of_block(block);
            }
        }
        self.leave_part();
    }

    /// Remembers a block whose `end` stands below the beginning of another block of its kind: if an `end` turns out
    /// to be missing, it was probably its.
    fn check_indentation(&mut self, block: Block, end: Span) {
        let Some(column) = self.indentation(end) else { return };
        if self.indentation(block.span).is_none_or(|own| own == column) {
            return;
        }
        let above = |p: &Self, b: &Block| b.keyword == block.keyword && p.indentation(b.span) == Some(column);
        if self.suspect.is_none() && self.block_open(|b| above(self, b)) {
            self.suspect = Some((block, end));
        }
    }

    /// How far the line is indented that begins with this token.
    pub fn indentation(&self, span: Span) -> Option<usize> {
        let before = &self.text.as_bytes()[..span.start as usize];
        let blanks = before.iter().rev().take_while(|b| matches!(b, b' ' | b'\t')).count();
        let begins_line =
            before.len() == blanks || matches!(before[before.len() - blanks - 1], b'\n' | b'\r');
        begins_line.then_some(blanks)
    }

    /// How far the line is indented in which this stands.
    pub fn line_indentation(&self, span: Span) -> usize {
        let line = self.text[..span.start as usize].rfind(['\n', '\r']).map_or(0, |i| i + 1);
        self.text[line..].bytes().take_while(|b| matches!(b, b' ' | b'\t')).count()
    }

    /// Among equations a class begins, no deeper than this one: then this one has no `end`.
    pub fn class_ended_before_this(&mut self) -> bool {
        if !self.kind().starts_class() || self.at(T::Pure) || !self.at_line_start() {
            return false;
        }
        let Some(&Block { name: Some(name), span, .. }) = self.blocks.last() else { return false };
        if self.indentation(self.span()).is_none_or(|column| column > self.line_indentation(span)) {
            return false;
        }
        let (opened, here) = (self.location(span), self.location(self.span()));
        self.report(
            Diagnostic::error("K0115", format!("`{name}` has no `end {name};`"))
                .at(opened, format!("`{name}` begins here"))
                .at(here, format!("`end {name};` is missing before this")),
        );
        self.implied_end = Some(self.pos);
        true
    }

    #[cold]
    fn no_end_of_block(&mut self, block: Block) {
        let word = block.keyword.name();
        let word = word.trim_matches('`');
        let opened = self.location(block.span);
        let here = self.span();
        if self.at(T::Ident) {
            // `endif`
            let written = self.token_text();
            if self.block_word() == Some(block.keyword) {
                let here = self.location(here);
                self.report(
                    Diagnostic::error("K0114", format!("`{written}` is written `end {word}` in Modelica"))
                        .at(here, format!("write `end {word}`")),
                );
                self.bump();
                return;
            }
        }
        if self.at(block.keyword) && self.peek(1) == T::Semi {
            let here = self.location(here);
            self.report(
                Diagnostic::error("K0114", format!("this `{word}` must end with `end {word}`"))
                    .at(here, "`end` is missing before this")
                    .at(opened, format!("the `{word}` begins here")),
            );
            self.bump();
            return;
        }
        if self.at(T::End) {
            let next = self.peek(1);
            let both = here.to(Span::new(self.tokens[self.pos + 1].start, self.tokens[self.pos + 1].end));
            let next_text = self.text_of(self.tokens[self.pos + 1]);
            let belongs_outside = match next {
                T::If | T::For | T::When | T::While => self.block_open(|b| b.keyword == next),
                T::Ident => self.class_open(next_text),
                _ => false,
            };
            if !belongs_outside {
                let both = self.location(if matches!(next, T::Semi | T::Eof) { here } else { both });
                self.report(
                    Diagnostic::error("K0114", format!("this `{word}` must end with `end {word}`"))
                        .at(both, format!("expected `end {word}`"))
                        .at(opened, format!("the `{word}` begins here")),
                );
                self.bump();
                if next == T::Ident || next.is_keyword() && self.peek(1) == T::Semi {
                    self.bump();
                }
                return;
            }
        }
        self.implied_end = Some(self.pos);
        let (block, place, before) = match self.suspect.take() {
            Some((suspect, end)) if suspect.keyword == block.keyword => {
                (suspect, end, format!("by its indentation, this `end {word}` belongs to another `{word}`"))
            }
            _ => {
                let place = if self.at(T::Eof) { self.previous() } else { here };
                (block, place, format!("`end {word}` is missing before {}", self.found()))
            }
        };
        let (opened, here) = (self.location(block.span), self.location(place));
        let mut diagnostic = Diagnostic::error("K0115", format!("this `{word}` has no `end {word}`"))
            .at(opened, format!("the `{word}` begins here"))
            .at(here, before);
        if let Some(inner) = block.else_if {
            let inner = self.location(inner);
            diagnostic = diagnostic
                .at(inner, "`else if` opens a second `if`, which needs its own `end if`")
                .help("write `elseif` to add a branch");
        }
        self.report(diagnostic);
        self.missing_end = true;
    }

    /// At `end` or the end of the file: does the class end here? Otherwise the `end` was a stray one and is gone.
    pub fn end_of_class(&mut self) -> bool {
        let Some(&Block { keyword: _, name: Some(name), span, .. }) = self.blocks.last() else { return true };
        let next = self.tokens.get(self.pos + 1).copied();
        if self.at(T::End)
            && self.peek(1) == T::Ident
            && next.is_some_and(|t| self.text_of(t) == name.as_str())
        {
            self.bump();
            self.bump();
            self.missing_end = false;
            return true;
        }
        self.odd_end_of_class(Ident { symbol: name, span })
    }

    /// At an `end` of another name: does the class end further below, by name and by indentation?
    fn ends_later(&self, class: Ident, end: Span) -> bool {
        let deeper = self.indentation(end).is_some_and(|column| column > self.line_indentation(class.span));
        let name = class.symbol.as_str();
        let later = self.tokens[self.pos + 1..]
            .windows(2)
            .any(|pair| pair[0].kind == T::End && pair[1].kind == T::Ident && self.text_of(pair[1]) == name);
        deeper && later
    }

    /// At `Name;`: the end of the class, without the word.
    pub fn end_without_end(&mut self) -> bool {
        let Some(&Block { name: Some(name), span, .. }) = self.blocks.last() else { return false };
        if self.token_text() != name.as_str() || !self.at_line_start() {
            return false;
        }
        let (here, opened) = (self.location(self.span()), self.location(span));
        self.report(
            Diagnostic::error("K0114", format!("expected `end {name}`"))
                .at(here, "`end` is missing before this")
                .at(opened, format!("`{name}` begins here")),
        );
        self.bump();
        true
    }

    #[cold]
    fn odd_end_of_class(&mut self, class: Ident) -> bool {
        let name = class.symbol.as_str();
        let opened = self.location(class.span);
        if self.at(T::Eof) {
            self.implied_end = Some(self.pos);
            if !self.missing_end {
                let here = self.location(self.previous());
                self.report(
                    Diagnostic::error("K0115", format!("`{name}` has no `end {name};`"))
                        .at(opened, format!("`{name}` begins here"))
                        .at(here, "the file ends behind this"),
                );
                self.missing_end = true;
            }
            return true;
        }
        let here = self.span();
        let next = self.tokens[self.pos + 1];
        let next_text = self.text_of(next);
        let both = here.to(Span::new(next.start, next.end));
        match next.kind {
            T::If | T::For | T::When | T::While => {
                if self.headless > 0 {
                    self.end_of_headless();
                    return false;
                }
                if !self.missing_end {
                    let both = self.location(both);
                    self.report(
                        Diagnostic::error("K0116", format!("`end {next_text}` without `{next_text}`"))
                            .at(both, format!("no `{next_text}` is open here"))
                            .help(format!("remove it, or add the `{next_text}` it belongs to")),
                    );
                }
                self.bump();
                self.bump();
                self.eat(T::Semi);
                false
            }
            // The class has no name, or one that was refused already.
            _ if class.span.start == class.span.end || next_text == name => {
                self.bump();
                self.bump();
                true
            }
            T::Ident if self.class_open(next_text) => {
                self.implied_end = Some(self.pos);
                if !self.missing_end {
                    let both = self.location(both);
                    self.report(
                        Diagnostic::error("K0115", format!("`{name}` has no `end {name};`"))
                            .at(opened, format!("`{name}` begins here"))
                            .at(both, format!("`end {name};` is missing before this")),
                    );
                }
                true
            }
            T::Ident if self.ends_later(class, here) => {
                if !self.failed_names.iter().any(|n| n.as_str() == next_text) {
                    let both = self.location(both);
                    self.report(
                        Diagnostic::error("K0116", format!("`end {next_text}` ends nothing"))
                            .at(both, format!("no `{next_text}` is open here"))
                            .at(opened, format!("`{name}` begins here, and ends further below")),
                    );
                }
                self.bump();
                self.bump();
                self.eat(T::Semi);
                false
            }
            T::Ident => {
                let place = self.location(Span::new(next.start, next.end));
                self.report(
                    Diagnostic::error("K0114", format!("`{name}` ends with `end {next_text}`"))
                        .at(place, format!("expected `{name}`"))
                        .at(opened, format!("`{name}` begins here")),
                );
                self.bump();
                self.bump();
                true
            }
            kind => {
                let place = self.location(if kind.is_keyword() { both } else { here });
                self.report(
                    Diagnostic::error("K0114", format!("expected `end {name}`"))
                        .at(place, format!("the name `{name}` is missing behind `end`"))
                        .at(opened, format!("`{name}` begins here")),
                );
                self.bump();
                if kind.is_keyword() && self.peek(1) == T::Semi {
                    self.bump();
                }
                true
            }
        }
    }
}
