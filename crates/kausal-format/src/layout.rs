//! One statement in one line, or in several where it is too long or has comments and texts of several lines.
//!
//! A range of tokens that does not fit is broken at the outermost places first: before its annotation and its
//! description, at the branches of an `if` expression, at the operators that bind least; then within brackets. Parts
//! fill the lines; arguments with names, calls within arrays and rows of matrices have a line each.

use kausal_syntax::modelica::LexemeKind;

use crate::tokens::{Comment, Tokens};
use crate::{INDENT, WIDTH};

/// What comes before the next token.
#[derive(Clone, Copy, Debug)]
enum Gap {
    /// Nothing was written yet.
    Start,
    /// A space, or nothing.
    Flat,
    /// The end of a line.
    Line {
        /// How far the token stands to the right.
        indent: usize,
        /// How far comments on lines before it do.
        comments: usize,
        /// May an empty line stay before it?
        blank: bool,
        /// May an empty line stay before the first comment, or what is there instead?
        blank_first: bool,
    },
}

/// Places where a line may end, those that bind least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    /// Before an annotation, a description, a constraining clause.
    Clause,
    /// Behind a comma outside of brackets.
    Comma,
    /// Before `else` and `elseif`.
    Else,
    /// Behind `then`.
    Then,
    /// Before `for` in brackets.
    For,
    Or,
    And,
    Relation,
    Sum,
    Product,
}

pub(crate) struct Writer<'a, 't> {
    tokens: &'a Tokens<'t>,
    out: String,
    column: usize,
    gap: Gap,
    /// Where a line begins that a comment makes necessary.
    hang: usize,
    in_annotation: bool,
    /// Is what comes next the first in a body?
    first: bool,
}

impl<'a, 't> Writer<'a, 't> {
    pub fn new(tokens: &'a Tokens<'t>) -> Self {
        let length: usize = tokens.items.iter().map(|t| t.text.len() + 2).sum();
        let mut out = String::with_capacity(length + length / 4);
        if tokens.has_mark {
            out.push('\u{feff}');
        }
        Writer { tokens, out, column: 0, gap: Gap::Start, hang: 0, in_annotation: false, first: true }
    }

    /// Comments behind the last token, and the end of the last line.
    pub fn finish(mut self) -> String {
        let comments = self.tokens.last_comments;
        if !matches!(self.gap, Gap::Start) {
            self.gap = Gap::Line { indent: 0, comments: 0, blank: false, blank_first: true };
        }
        self.comments(comments);
        if self.column > 0 {
            self.out.push_str(self.tokens.line_end);
        }
        self.out
    }

    /// The next token begins a line within a body.
    pub fn inner_line(&mut self, indent: usize) {
        if !matches!(self.gap, Gap::Start) {
            self.gap = Gap::Line { indent, comments: indent, blank: true, blank_first: !self.first };
        }
        self.first = false;
    }

    /// The next token begins a line and divides or ends a body.
    pub fn outer_line(&mut self, indent: usize, blank: bool) {
        let first = self.first;
        self.gap = Gap::Line { indent, comments: indent + INDENT, blank, blank_first: !first };
        self.first = false;
    }

    /// What comes next is the first in a body.
    pub fn open_block(&mut self) {
        self.first = true;
    }

    /// Writes a token with its comments, behind what was decided to be before it.
    pub fn token(&mut self, at: usize) {
        let token = &self.tokens.items[at];
        let must_end = self.comments(token.comments);
        let had_comments = token.comments.0 < token.comments.1;
        match self.gap {
            Gap::Line { indent, blank, blank_first, .. } => {
                let blank = token.blank && blank && (blank_first || had_comments);
                self.new_line(indent, blank);
            }
            _ if must_end => {
                let indent = if matches!(self.gap, Gap::Start) { 0 } else { self.hang };
                self.new_line(indent, token.blank && matches!(self.gap, Gap::Start));
            }
            Gap::Flat if token.spaced || had_comments => self.push(" "),
            _ => {}
        }
        self.push(token.text);
        self.gap = Gap::Flat;
    }

    /// Writes comments; must a line end behind them?
    fn comments(&mut self, range: (u32, u32)) -> bool {
        let mut must_end = false;
        for (i, &Comment { text, trailing, blank, ends_line }) in
            self.tokens.comments(range).iter().enumerate()
        {
            match self.gap {
                Gap::Start if i == 0 => {}
                _ if trailing && !must_end => self.push(" "),
                Gap::Line { comments, blank_first, .. } => {
                    self.new_line(comments, blank && (blank_first || i > 0))
                }
                Gap::Start => self.new_line(0, blank),
                Gap::Flat => self.new_line(self.hang, false),
            }
            self.push(text);
            must_end = ends_line;
        }
        must_end
    }

    fn new_line(&mut self, indent: usize, blank: bool) {
        for _ in 0..1 + usize::from(blank) {
            self.out.push_str(self.tokens.line_end);
        }
        self.out.extend(std::iter::repeat_n(' ', indent));
        self.column = indent;
    }

    fn push(&mut self, text: &str) {
        self.out.push_str(text);
        match text.rfind(['\n', '\r']) {
            Some(at) => self.column = text[at + 1..].chars().count(),
            None if text.is_ascii() => self.column += text.len(),
            None => self.column += text.chars().count(),
        }
    }

    /// The column where a token would begin.
    fn start(&self, at: usize) -> usize {
        match self.gap {
            Gap::Start => 0,
            Gap::Flat => self.column + usize::from(self.tokens.items[at].spaced),
            Gap::Line { indent, .. } => indent,
        }
    }

    fn break_line(&mut self, indent: usize) {
        self.gap = Gap::Line { indent, comments: indent, blank: false, blank_first: false };
    }

    fn fits(&self, from: usize, to: usize, tail: usize) -> bool {
        !self.tokens.has_breaks(from, to) && self.start(from) + self.tokens.width(from, to) + tail <= WIDTH
    }

    fn flat(&mut self, from: usize, to: usize) {
        (from..to).for_each(|at| self.token(at));
    }

    /// Writes the tokens `from..to`, which stand at `indent` and are followed by `tail` characters that stay with
    /// them.
    pub fn range(&mut self, from: usize, to: usize, indent: usize, tail: usize) {
        if from >= to {
            return;
        }
        self.hang = indent + INDENT;
        if self.fits(from, to, tail) {
            return self.flat(from, to);
        }
        let outside = self.in_annotation;
        self.in_annotation |= self.tokens.items[from].text == "annotation";
        match self.places(from, to) {
            Some((level, places)) => self.broken(from, to, indent, tail, level, &places),
            None => self.words(from, to, indent, tail),
        }
        self.in_annotation = outside;
    }

    /// The places of the outermost level where a line may end.
    fn places(&self, from: usize, to: usize) -> Option<(Level, Vec<usize>)> {
        let mut best: Option<(Level, Vec<usize>)> = None;
        let mut at = self.tokens.close(from) + 1;
        while at < to {
            if let Some(level) = self.level(at) {
                match &mut best {
                    Some((known, places)) if *known == level => places.push(at),
                    Some((known, _)) if *known < level => {}
                    _ => best = Some((level, vec![at])),
                }
            }
            at = self.tokens.close(at) + 1;
        }
        best
    }

    fn level(&self, at: usize) -> Option<Level> {
        let (before, this) = (&self.tokens.items[at - 1], &self.tokens.items[at]);
        let behind_operand = match before.kind {
            LexemeKind::Ident | LexemeKind::Number | LexemeKind::String => true,
            LexemeKind::Keyword => matches!(before.text, "end" | "true" | "false" | "break" | "return"),
            _ => matches!(before.text, ")" | "]" | "}"),
        };
        if this.kind == LexemeKind::String && behind_operand {
            return Some(Level::Clause);
        }
        Some(match this.text {
            "annotation" | "constrainedby" => Level::Clause,
            "else" | "elseif" => Level::Else,
            "for" => Level::For,
            "or" => Level::Or,
            "and" => Level::And,
            "<" | "<=" | ">" | ">=" | "==" | "<>" => Level::Relation,
            "+" | "-" | ".+" | ".-" if behind_operand => Level::Sum,
            "*" | "/" | ".*" | "./" if behind_operand => Level::Product,
            _ if before.text == "," => Level::Comma,
            _ if before.text == "then" => Level::Then,
            _ => return None,
        })
    }

    /// Writes parts, on the same line where they fit.
    fn broken(&mut self, from: usize, to: usize, indent: usize, tail: usize, level: Level, places: &[usize]) {
        let mut current = indent;
        let mut part = from;
        for (i, &end) in places.iter().chain([&to]).enumerate() {
            let rest = if end == to { tail } else { 0 };
            let text = self.tokens.items[part].text;
            let must = level == Level::Else || text == "annotation";
            if i > 0 && (must || !self.fits(part, end, rest)) {
                current = indent + INDENT;
                self.break_line(current);
            }
            self.range(part, end, current, rest);
            part = end;
        }
    }

    /// Writes words, and the brackets between them, broken where they do not fit.
    fn words(&mut self, from: usize, to: usize, indent: usize, tail: usize) {
        let mut at = from;
        while at < to {
            if !self.tokens.is_open(at) {
                self.hang = indent + INDENT;
                self.token(at);
                at += 1;
                continue;
            }
            let close = self.tokens.close(at);
            let next = (close + 1..to).find(|&i| self.tokens.is_open(i)).map(|i| i + 1);
            let until = next.unwrap_or(to);
            let rest = if next.is_some() { 0 } else { tail };
            if !self.tokens.has_breaks(at, close + 1)
                && self.start(at) + self.tokens.width(at, until) + rest <= WIDTH
            {
                self.hang = indent + INDENT;
                self.flat(at, close + 1);
            } else {
                let behind = self.tokens.width(at, until) - self.tokens.width(at, close + 1);
                self.brackets(at, close, indent, behind + rest);
            }
            at = close + 1;
        }
    }

    /// Writes what is in brackets in several lines.
    fn brackets(&mut self, open: usize, close: usize, indent: usize, tail: usize) {
        self.token(open);
        let parts = self.parts(open, close);
        let inside = indent + INDENT;
        if parts.len() == 1 && self.is_hugged(open + 1, close) {
            self.range(open + 1, close, indent, tail + 1);
        } else {
            let each = self.has_a_line_each(open, &parts);
            for (i, &(from, to)) in parts.iter().enumerate() {
                let rest = if i + 1 == parts.len() { tail + 1 } else { 0 };
                let useless = i == 0 && self.column <= inside;
                if each || !useless && !self.fits(from, to, rest) {
                    self.break_line(inside);
                }
                self.range(from, to, inside, rest);
            }
        }
        self.hang = indent;
        self.token(close);
    }

    /// The parts between commas (rows of a matrix: between semicolons), each with its separator.
    fn parts(&self, open: usize, close: usize) -> Vec<(usize, usize)> {
        let ends_at = |separator: &str| {
            let mut ends = Vec::new();
            let mut at = open + 1;
            while at < close {
                if self.tokens.items[at].text == separator {
                    ends.push(at + 1);
                }
                at = self.tokens.close(at) + 1;
            }
            ends
        };
        let mut ends = ends_at(";");
        if ends.is_empty() {
            ends = ends_at(",");
        }
        let mut parts = Vec::with_capacity(ends.len() + 1);
        let mut from = open + 1;
        for end in ends.into_iter().chain([close]) {
            if from < end {
                parts.push((from, end));
            }
            from = end;
        }
        parts
    }

    /// Does the only part of brackets end with brackets of its own, or a text of several lines, so that it needs no line
    /// for itself?
    fn is_hugged(&self, from: usize, to: usize) -> bool {
        let last = &self.tokens.items[to - 1];
        let closes = matches!(last.text, ")" | "]" | "}");
        let is_text = last.kind == LexemeKind::String && last.text.contains(['\n', '\r']);
        (closes || is_text)
            && self.places(from, to).is_none()
            && self.tokens.items[from].comments.0 == self.tokens.items[from].comments.1
    }

    fn has_a_line_each(&self, open: usize, parts: &[(usize, usize)]) -> bool {
        let text = |at: usize| self.tokens.items[at].text;
        match text(open) {
            "(" if self.in_annotation => parts.iter().any(|&(from, to)| {
                let calls = (from..to).any(|at| text(at) == "(" && self.tokens.is_open(at));
                calls || self.tokens.has_breaks(from, to)
            }),
            "(" => parts.iter().any(|&(from, to)| {
                let mut at = from;
                while at < to {
                    let is_clause = at > from && self.level(at) == Some(Level::Clause);
                    if text(at) == "=" || is_clause {
                        return true;
                    }
                    at = self.tokens.close(at) + 1;
                }
                false
            }),
            "{" => {
                let ends_with = |to: usize, sign: &str| {
                    let last = if text(to - 1) == "," { to - 2 } else { to - 1 };
                    text(last) == sign
                };
                parts.iter().any(|&(_, to)| ends_with(to, ")"))
                    || !self.in_annotation
                        && parts.iter().all(|&(from, to)| text(from) == "{" && ends_with(to, "}"))
            }
            _ => parts.first().is_some_and(|&(_, to)| text(to - 1) == ";"),
        }
    }
}
