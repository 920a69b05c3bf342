//! What stands on lines of its own, and how far from the left: classes, sections, equations and statements with what is
//! inside of them (specification appendix A.2).
//!
//! Before: the text has no syntax errors, so that words tell what begins and ends; whatever else comes is written as
//! a statement up to its `;`.

use kausal_syntax::modelica::LexemeKind;

use crate::INDENT;
use crate::layout::Writer;
use crate::tokens::Tokens;

/// Writes all of a text.
pub(crate) fn write(tokens: &Tokens) -> String {
    let mut blocks = Blocks { tokens, writer: Writer::new(tokens), at: 0 };
    while blocks.at < tokens.items.len() {
        blocks.element(0);
    }
    blocks.writer.finish()
}

struct Blocks<'a, 't> {
    tokens: &'a Tokens<'t>,
    writer: Writer<'a, 't>,
    at: usize,
}

impl<'t> Blocks<'_, 't> {
    fn text(&self, at: usize) -> &'t str {
        self.tokens.items.get(at).map_or("", |t| t.text)
    }

    fn is_string(&self, at: usize) -> bool {
        self.tokens.items.get(at).is_some_and(|t| t.kind == LexemeKind::String)
    }

    /// A class, an equation with a body, or what ends with `;`.
    fn element(&mut self, indent: usize) {
        match self.text(self.at) {
            "if" | "for" | "when" | "while" => self.block(indent),
            _ => match self.class_head() {
                Some(end) => self.class(indent, end),
                None => self.statement(indent),
            },
        }
    }

    /// Where the head of a class ends that begins here and has a body.
    fn class_head(&self) -> Option<usize> {
        let mut at = self.at;
        while matches!(
            self.text(at),
            "redeclare"
                | "final"
                | "inner"
                | "outer"
                | "replaceable"
                | "encapsulated"
                | "partial"
                | "pure"
                | "impure"
                | "expandable"
                | "operator"
        ) {
            at += 1;
        }
        match self.text(at) {
            "class" | "model" | "record" | "block" | "connector" | "type" | "package" | "function" => at += 1,
            _ if at > self.at && self.text(at - 1) == "operator" => {}
            _ => return None,
        }
        at += usize::from(self.text(at) == "extends") + 1;
        match self.text(at) {
            "=" => return None,
            "(" => at = self.tokens.close(at) + 1,
            _ => {}
        }
        while self.is_string(at) || self.text(at) == "+" && self.is_string(at + 1) {
            at += 1;
        }
        Some(at.min(self.tokens.items.len()))
    }

    /// A class up to and with the `;` behind its end.
    fn class(&mut self, indent: usize, head: usize) {
        self.line(head, indent);
        self.writer.open_block();
        loop {
            match self.text(self.at) {
                "" => return,
                "end" => break,
                "public" | "protected" | "equation" | "algorithm" => self.section(1, indent),
                "initial" if matches!(self.text(self.at + 1), "equation" | "algorithm") => {
                    self.section(2, indent)
                }
                _ => self.element(indent + INDENT),
            }
        }
        self.end(indent);
    }

    fn section(&mut self, words: usize, indent: usize) {
        self.writer.outer_line(indent, true);
        self.take(self.at + words, indent);
        self.writer.open_block();
    }

    /// `end …;`
    fn end(&mut self, indent: usize) {
        self.writer.outer_line(indent, false);
        let end = self.statement_end();
        self.take(end, indent);
    }

    /// `if`, `for`, `when` or `while` with its body.
    fn block(&mut self, indent: usize) {
        let head = self.block_head(self.at + 1);
        self.line(head, indent);
        self.writer.open_block();
        loop {
            match self.text(self.at) {
                "" => return,
                "end" => break,
                "else" => self.section(1, indent),
                "elseif" | "elsewhen" => {
                    let head = self.block_head(self.at + 1);
                    self.writer.outer_line(indent, true);
                    self.take(head, indent);
                    self.writer.open_block();
                }
                _ => self.element(indent + INDENT),
            }
        }
        self.end(indent);
    }

    /// Behind the `then` or `loop` of a head; an `if` expression in its condition has its own.
    fn block_head(&self, from: usize) -> usize {
        let mut at = from;
        let mut inner = 0usize;
        while at < self.tokens.items.len() {
            match self.text(at) {
                "if" => inner += 1,
                "else" => inner = inner.saturating_sub(1),
                "loop" => return at + 1,
                "then" if inner == 0 => return at + 1,
                ";" => return at + 1,
                _ => {}
            }
            at = self.tokens.close(at) + 1;
        }
        at
    }

    fn statement(&mut self, indent: usize) {
        let end = self.statement_end();
        self.line(end, indent);
    }

    /// Behind the next `;` that is in no bracket.
    fn statement_end(&self) -> usize {
        let mut at = self.at;
        while at < self.tokens.items.len() && self.text(at) != ";" {
            at = self.tokens.close(at) + 1;
        }
        (at + 1).min(self.tokens.items.len())
    }

    fn line(&mut self, end: usize, indent: usize) {
        self.writer.inner_line(indent);
        self.take(end, indent);
    }

    fn take(&mut self, end: usize, indent: usize) {
        // A file that ends within a bracket is none that gets here; it must not keep us for ever all the same.
        let end = end.max(self.at + 1).min(self.tokens.items.len());
        let last = usize::from(self.text(end - 1) == ";" && end - 1 > self.at);
        self.writer.range(self.at, end - last, indent, last);
        if last == 1 {
            self.writer.token(end - 1);
        }
        self.at = end;
    }
}
