//! The state of the parser, and the small steps all productions are made of.

use std::sync::Arc;

use crate::arena::List;
use crate::ast::{Arg, Expr, Iterator as ForIndex};
use crate::ast::{Ast, ClassId, ExprId, Ident, ModArg, Name, RefPart, StringLiteral};
use crate::diagnostic::Diagnostic;
use crate::source::{Location, SourceId, Span};
use crate::symbol::Symbol;

use super::token::{T, Token};

/// How deep expressions, modifiers, equations and classes may be nested, all counted together: brackets, operators
/// of another precedence and `if` expressions count one each; modifiers, blocks and classes, which need more of
/// the stack, count two. A build without any optimisation needs 1 MB for that.
pub const MAX_DEPTH: u32 = 600;

/// After so many errors the rest of the file is not read.
pub const MAX_DIAGNOSTICS: usize = 100;

/// The code of the message that there were too many.
pub(super) const STOPPED: &str = "K0128";

/// The error was reported; the production cannot be completed.
pub(super) struct Bail;

/// What a production gives back.
pub(super) type Res<X> = Result<X, Bail>;

/// Something that needs an `end`.
#[derive(Clone, Copy)]
pub(super) struct Block {
    /// `if`, `for`, `when`, `while`; for a class the keyword of its kind.
    pub keyword: T,
    /// The name of a class.
    pub name: Option<Symbol>,
    /// Where it begins: the keyword, or the name of the class.
    pub span: Span,
    /// The `if` right behind an `else` within it, if there is one.
    pub else_if: Option<Span>,
}

pub(super) struct Parser<'t> {
    pub text: &'t str,
    pub tokens: &'t [Token],
    pub pos: usize,
    pub ast: Ast,
    diagnostics: Vec<Diagnostic>,
    /// The start of the last error: a second one at the same place says nothing new.
    last_error: Option<u32>,
    /// No more is read and reported.
    stopped: bool,
    pub depth: u32,
    /// The class being read.
    pub class: Option<ClassId>,
    /// The brackets being read, as indices of their tokens.
    pub brackets: Vec<usize>,
    /// How many subscripts are being read: `end` is a value there.
    pub subscripts: u32,
    /// What is waiting for its `end`.
    pub blocks: Vec<Block>,
    /// A missing `end` was reported, and no class has ended properly since: what follows may be its consequence.
    pub missing_end: bool,
    /// The text ends within a comment: what is missing at its end is no mistake of its own.
    pub cut_off: bool,
    /// A block that ended where, by its indentation, another one should have, and the `end` it took.
    pub suspect: Option<(Block, Span)>,
    /// The token at which a missing `end` was reported: its `;` is missing too.
    pub implied_end: Option<usize>,
    /// Names that began a declaration which could not be read: perhaps classes without their keyword.
    pub failed_names: Vec<Symbol>,
    /// How many blocks were left by skipping their beginning: so many `end`s belong to nothing.
    pub headless: usize,
    /// Someone writes `{ }` around blocks; said once.
    pub braces: bool,
    /// For each `[` the `]` that closes it; made when it is first asked for.
    matching: Vec<u32>,
    /// Lists under construction, one stack for each kind.
    pub scratch: Scratch,
}

#[derive(Default)]
pub(super) struct Scratch {
    pub idents: Vec<Ident>,
    pub parts: Vec<RefPart>,
    pub exprs: Vec<ExprId>,
    pub rows: Vec<List<ExprId>>,
    pub args: Vec<Arg>,
    pub branches: Vec<(ExprId, ExprId)>,
    pub iterators: Vec<ForIndex>,
    pub mod_args: Vec<ModArg>,
    pub strings: Vec<StringLiteral>,
}

/// Where the parser stood; see [`Parser::mark`].
#[derive(Clone, Copy)]
pub(super) struct Mark {
    depth: u32,
    subscripts: u32,
    blocks: usize,
    brackets: usize,
}

impl Mark {
    /// How many brackets were open.
    pub fn bracket_count(self) -> usize {
        self.brackets
    }
}

impl<'t> Parser<'t> {
    pub fn new(source: SourceId, text: &'t Arc<str>, tokens: &'t [Token]) -> Self {
        Parser {
            text,
            tokens,
            pos: 0,
            ast: Ast::new(source, text.clone()),
            diagnostics: Vec::new(),
            last_error: None,
            stopped: false,
            depth: 0,
            class: None,
            brackets: Vec::new(),
            subscripts: 0,
            blocks: Vec::new(),
            missing_end: false,
            cut_off: false,
            suspect: None,
            implied_end: None,
            failed_names: Vec::new(),
            headless: 0,
            braces: false,
            matching: Vec::new(),
            scratch: Scratch::default(),
        }
    }

    pub fn finish(mut self) -> (Ast, Vec<Diagnostic>) {
        self.ast.shrink_to_fit();
        (self.ast, self.diagnostics)
    }

    // ---- tokens ----

    #[inline]
    pub fn kind(&self) -> T {
        self.tokens[self.pos].kind
    }

    #[inline]
    pub fn at(&self, kind: T) -> bool {
        self.kind() == kind
    }

    /// The kind of the token `ahead` of this one.
    #[inline]
    pub fn peek(&self, ahead: usize) -> T {
        self.tokens.get(self.pos + ahead).map_or(T::Eof, |t| t.kind)
    }

    #[inline]
    pub fn token(&self) -> Token {
        self.tokens[self.pos]
    }

    /// The range of this token.
    #[inline]
    pub fn span(&self) -> Span {
        let t = self.token();
        Span::new(t.start, t.end)
    }

    /// Where this token begins.
    #[inline]
    pub fn start(&self) -> u32 {
        self.token().start
    }

    /// The range of the token before this one.
    #[inline]
    pub fn previous(&self) -> Span {
        match self.pos.checked_sub(1) {
            Some(i) => Span::new(self.tokens[i].start, self.tokens[i].end),
            None => Span::default(),
        }
    }

    /// From `start` to the last token read.
    #[inline]
    pub fn span_from(&self, start: u32) -> Span {
        Span::new(start, self.previous().end.max(start))
    }

    /// The text of this token.
    pub fn token_text(&self) -> &'t str {
        self.text_of(self.token())
    }

    pub fn text_of(&self, t: Token) -> &'t str {
        &self.text[t.start as usize..t.end as usize]
    }

    /// Goes to the next token; stays at the end.
    #[inline]
    pub fn bump(&mut self) {
        if self.pos + 1 < self.tokens.len() {
            self.pos += 1;
        }
    }

    #[inline]
    pub fn eat(&mut self, kind: T) -> bool {
        let here = self.at(kind);
        if here {
            self.bump();
        }
        here
    }

    /// Is this the first token of its line?
    pub fn at_line_start(&self) -> bool {
        let from = self.previous().end as usize;
        self.text[from..self.start() as usize].bytes().any(|b| matches!(b, b'\n' | b'\r')) || self.pos == 0
    }

    /// Does a `]` close the innermost open `[`? What cannot be part of an expression ends the search.
    pub fn bracket_is_closed(&mut self) -> bool {
        if self.matching.is_empty() {
            self.matching = vec![u32::MAX; self.tokens.len()];
            let mut open: Vec<usize> = Vec::new();
            for (i, token) in self.tokens.iter().enumerate() {
                match token.kind {
                    T::LBracket => open.push(i),
                    T::RBracket => {
                        if let Some(start) = open.pop() {
                            self.matching[start] = i as u32;
                        }
                    }
                    T::Annotation | T::Then | T::Loop | T::Connect | T::When => open.clear(),
                    kind if kind.is_section() || kind.starts_declaration() && kind != T::Function => {
                        open.clear()
                    }
                    _ => {}
                }
            }
        }
        let innermost = self.brackets.iter().rev().find(|&&i| self.tokens[i].kind == T::LBracket);
        innermost.is_some_and(|&i| self.matching[i] != u32::MAX)
    }

    // ---- reports ----

    pub fn location(&self, span: Span) -> Location {
        Location { source: self.ast.source, span }
    }

    pub fn report(&mut self, diagnostic: Diagnostic) {
        let start = diagnostic.labels.first().map(|l| l.location.span.start);
        if self.stopped || (start.is_some() && start == self.last_error) || (self.cut_off && self.at(T::Eof))
        {
            return;
        }
        self.last_error = start;
        self.diagnostics.push(diagnostic);
        if self.diagnostics.len() >= MAX_DIAGNOSTICS {
            let here = self.location(self.span());
            self.stop(
                Diagnostic::error(
                    STOPPED,
                    format!("{MAX_DIAGNOSTICS} errors; the rest of the file was not read"),
                )
                .at(here, "reading stopped here"),
            );
        }
    }

    /// A last report; nothing more is read.
    pub fn stop(&mut self, diagnostic: Diagnostic) {
        if !self.stopped {
            self.diagnostics.push(diagnostic);
            self.stopped = true;
        }
        self.pos = self.tokens.len() - 1;
    }

    pub fn has_reports(&self) -> bool {
        !self.diagnostics.is_empty()
    }

    /// Was an error reported at or behind `start`?
    pub fn reported_since(&self, start: u32) -> bool {
        self.stopped || self.last_error.is_some_and(|e| e >= start)
    }

    // ---- nesting ----

    /// One level of an expression.
    #[inline]
    pub fn enter(&mut self) -> Res<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH { Err(self.too_deep()) } else { Ok(()) }
    }

    #[inline]
    pub fn leave(&mut self) {
        self.depth -= 1;
    }

    /// One level of modifiers, of equations or statements, or of classes.
    #[inline]
    pub fn enter_part(&mut self) -> Res<()> {
        self.depth += 2;
        if self.depth > MAX_DEPTH { Err(self.too_deep()) } else { Ok(()) }
    }

    #[inline]
    pub fn leave_part(&mut self) {
        self.depth -= 2;
    }

    #[cold]
    fn too_deep(&mut self) -> Bail {
        let here = self.location(self.span());
        self.stop(
            Diagnostic::error("K0120", format!("nested too deeply: more than {MAX_DEPTH} levels"))
                .at(here, "this is one level too many; the rest of the file was not read")
                .help("split the expression or the model into named parts"),
        );
        Bail
    }

    /// Remembers where to return to when a production fails.
    pub fn mark(&self) -> Mark {
        Mark {
            depth: self.depth,
            subscripts: self.subscripts,
            blocks: self.blocks.len(),
            brackets: self.brackets.len(),
        }
    }

    /// Forgets the productions that failed since `mark`, but not the brackets they left open: skipping to the end
    /// of the broken text needs them (see [`Parser::forget_brackets`]).
    pub fn unwind(&mut self, mark: Mark) {
        self.depth = mark.depth;
        self.subscripts = mark.subscripts;
        self.blocks.truncate(mark.blocks);
    }

    pub fn forget_brackets(&mut self, mark: Mark) {
        self.brackets.truncate(mark.brackets);
    }

    /// An opening bracket.
    pub fn open(&mut self) {
        self.brackets.push(self.pos);
        self.bump();
    }

    // ---- words ----

    /// This token as an identifier, whatever it is.
    #[inline]
    pub fn take_ident(&mut self) -> Ident {
        let ident = Ident { symbol: Symbol::new(self.token_text()), span: self.span() };
        self.bump();
        ident
    }

    #[inline]
    pub fn ident(&mut self, expected: &str) -> Res<Ident> {
        if self.at(T::Ident) { Ok(self.take_ident()) } else { self.no_ident(expected) }
    }

    /// `IDENT { "." IDENT }`
    pub fn name(&mut self, expected: &str) -> Res<Name> {
        let start = self.start();
        let base = self.scratch.idents.len();
        let first = self.ident(expected)?;
        self.scratch.idents.push(first);
        while self.at(T::Dot) && !matches!(self.peek(1), T::LBrace | T::Star) {
            self.bump();
            let part = self.ident("a name")?;
            self.scratch.idents.push(part);
        }
        let parts = self.ast.lists.idents.add(self.scratch.idents.drain(base..));
        Ok(Name { global: false, parts, span: self.span_from(start) })
    }

    /// `["."] name`
    pub fn type_specifier(&mut self, expected: &str) -> Res<Name> {
        let start = self.start();
        let global = self.eat(T::Dot);
        let name = self.name(expected)?;
        Ok(Name { global, span: self.span_from(start), ..name })
    }

    /// `[ STRING { "+" STRING } ]`
    pub fn description_string(&mut self) -> Box<[StringLiteral]> {
        if !matches!(self.kind(), T::Str | T::BadStr) {
            return Box::default();
        }
        let base = self.scratch.strings.len();
        loop {
            if self.at(T::Str) {
                let span = self.span();
                self.scratch.strings.push(StringLiteral { span });
            }
            self.bump();
            if !(self.at(T::Plus) && matches!(self.peek(1), T::Str | T::BadStr)) {
                break;
            }
            self.bump();
        }
        self.scratch.strings.drain(base..).collect()
    }

    pub fn add_error(&mut self, span: Span) -> ExprId {
        self.ast.add_expr(Expr::Error, span)
    }
}
