//! The lexical units of a text with the comments and blank lines before them, and what the layout asks of ranges of
//! them: how wide they are on one line, whether they can be on one line, and which bracket closes which.

use kausal_syntax::modelica::{Lexeme, LexemeKind, lexemes};

use crate::spacing;

/// A lexical unit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'t> {
    pub kind: LexemeKind,
    pub text: &'t str,
    /// Its comments among [`Tokens::comments`]: those before it.
    pub comments: (u32, u32),
    /// Is there an empty line right before it (behind its comments)?
    pub blank: bool,
    /// The bracket that closes this one, or this place itself.
    pub close: u32,
    /// On one line, is there a space before it?
    pub spaced: bool,
}

/// A comment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Comment<'t> {
    pub text: &'t str,
    /// Does it begin on the line of what is before it?
    pub trailing: bool,
    /// Is there an empty line before it?
    pub blank: bool,
    /// Must a line end behind it?
    pub ends_line: bool,
}

/// All of a text.
pub(crate) struct Tokens<'t> {
    pub items: Vec<Token<'t>>,
    pub comments: Vec<Comment<'t>>,
    /// Comments behind the last token.
    pub last_comments: (u32, u32),
    /// How a line ends in this text.
    pub line_end: &'static str,
    /// Does the text begin with a byte order mark?
    pub has_mark: bool,
    /// The column each token would begin at if all were on one line.
    columns: Vec<u32>,
    /// How many things that need a line end are before each token, and within the tokens before.
    breaks: Vec<u32>,
}

impl<'t> Tokens<'t> {
    pub fn new(text: &'t str) -> Tokens<'t> {
        let units = lexemes(text);
        let mut items: Vec<Token<'t>> = Vec::with_capacity(units.len());
        let mut comments: Vec<Comment<'t>> = Vec::new();
        let mut from = 0;
        // The first comment of a file has nothing before it on its line.
        let mut line_begins = true;
        let has_mark = text.starts_with('\u{feff}');
        let mut end = if has_mark { 3 } else { 0 };
        let slice = |l: &Lexeme| &text[l.span.start as usize..l.span.end as usize];
        for unit in &units {
            let gap = &text[end..unit.span.start as usize];
            let lines = line_ends(gap);
            end = unit.span.end as usize;
            if matches!(unit.kind, LexemeKind::LineComment | LexemeKind::BlockComment) {
                let comment = slice(unit);
                // Behind a comment that ends its line another one has a line of its own, too.
                let after_line =
                    comments.len() > from as usize && comments.last().is_some_and(|c| c.ends_line);
                let trailing = lines == 0 && !line_begins && !after_line;
                comments.push(Comment {
                    text: comment.trim_end(),
                    trailing,
                    blank: lines > 1,
                    ends_line: unit.kind == LexemeKind::LineComment
                        || comment.contains(['\n', '\r'])
                        || !trailing,
                });
                // What follows a comment of its own on the same line belongs to it.
                line_begins = false;
                continue;
            }
            line_begins = false;
            items.push(Token {
                kind: unit.kind,
                text: slice(unit),
                comments: (from, comments.len() as u32),
                blank: lines > 1,
                close: items.len() as u32,
                spaced: false,
            });
            from = comments.len() as u32;
        }
        let last_comments = (from, comments.len() as u32);
        let line_end = match text.find(['\n', '\r']) {
            Some(at) if text[at..].starts_with("\r\n") => "\r\n",
            _ => "\n",
        };
        let mut tokens = Tokens {
            items,
            comments,
            last_comments,
            line_end,
            has_mark,
            columns: Vec::new(),
            breaks: Vec::new(),
        };
        tokens.pair_brackets();
        spacing::decide(&mut tokens.items);
        tokens.measure();
        tokens
    }

    fn pair_brackets(&mut self) {
        let mut open: Vec<usize> = Vec::new();
        for i in 0..self.items.len() {
            match self.items[i].text {
                "(" | "[" | "{" => open.push(i),
                ")" | "]" | "}" => {
                    if let Some(at) = open.pop() {
                        self.items[at].close = i as u32;
                    }
                }
                _ => {}
            }
        }
    }

    fn measure(&mut self) {
        self.columns = Vec::with_capacity(self.items.len() + 1);
        self.breaks = Vec::with_capacity(self.items.len() + 1);
        let (mut column, mut breaks) = (0u32, 0u32);
        for token in &self.items {
            for comment in &self.comments[token.comments.0 as usize..token.comments.1 as usize] {
                column += width(comment.text) + 2;
                breaks += u32::from(comment.ends_line || !comment.trailing);
            }
            column += u32::from(token.spaced);
            self.columns.push(column);
            self.breaks.push(breaks);
            column += width(token.text);
            breaks += u32::from(token.kind == LexemeKind::String && token.text.contains(['\n', '\r']));
        }
        self.columns.push(column);
        self.breaks.push(breaks);
    }

    /// How wide the tokens `from..to` are on one line, from the beginning of the first.
    pub fn width(&self, from: usize, to: usize) -> usize {
        if from >= to {
            return 0;
        }
        (self.columns[to - 1] - self.columns[from]) as usize + width(self.items[to - 1].text) as usize
    }

    /// Must there be a line end within the tokens `from..to`?
    pub fn has_breaks(&self, from: usize, to: usize) -> bool {
        from < to && {
            let last = &self.items[to - 1];
            let inside = last.kind == LexemeKind::String && last.text.contains(['\n', '\r']);
            inside || self.breaks[to - 1] > self.breaks[from]
        }
    }

    pub fn comments(&self, range: (u32, u32)) -> &[Comment<'t>] {
        &self.comments[range.0 as usize..range.1 as usize]
    }

    pub fn close(&self, at: usize) -> usize {
        self.items[at].close as usize
    }

    pub fn is_open(&self, at: usize) -> bool {
        self.close(at) != at
    }
}

fn width(text: &str) -> u32 {
    if text.is_ascii() { text.len() as u32 } else { text.chars().count() as u32 }
}

/// How many lines end in white space.
pub(crate) fn line_ends(gap: &str) -> usize {
    let bytes = gap.as_bytes();
    let ends = bytes.iter().enumerate();
    ends.filter(|&(i, &b)| b == b'\n' || b == b'\r' && bytes.get(i + 1) != Some(&b'\n')).count()
}

/// Has the text the same units and comments in the same order?
pub(crate) fn same(tokens: &Tokens, text: &str) -> bool {
    let mut units = tokens.items.iter();
    let mut comments = tokens.comments.iter();
    let mut seen = 0u32;
    for unit in lexemes(text) {
        let part = &text[unit.span.start as usize..unit.span.end as usize];
        let is_same = match unit.kind {
            LexemeKind::LineComment | LexemeKind::BlockComment => {
                seen += 1;
                comments.next().is_some_and(|c| c.text == part.trim_end())
            }
            kind => units.next().is_some_and(|t| t.kind == kind && t.text == part && t.comments.1 == seen),
        };
        if !is_same {
            return false;
        }
    }
    units.next().is_none() && comments.next().is_none()
}
