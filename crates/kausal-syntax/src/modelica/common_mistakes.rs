//! The usual slips: what was expected, what was found, and what to write instead.
//!
//! A function that gives back [`Bail`] ends its production; the others only report, and the caller reads on as if
//! the text were right.

use crate::ast::{ClassBody, ClassId, ComponentRef, Expr, ExprId, Ident};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::symbol::Symbol;

use super::parser::{Bail, Parser, Res};
use super::token::T;

impl Parser<'_> {
    /// No identifier stands here. A keyword is taken for one where that is plainly what was meant.
    #[cold]
    pub fn no_ident(&mut self, expected: &str) -> Res<Ident> {
        let kind = self.kind();
        if !kind.is_keyword() {
            return Err(self.unexpected(expected));
        }
        let next = self.peek(1);
        let like_a_name = matches!(
            next,
            T::Semi
                | T::Comma
                | T::Eq
                | T::ColonEq
                | T::LParen
                | T::LBracket
                | T::RParen
                | T::RBracket
                | T::Str
                | T::Dot
        ) || next.is_keyword() && matches!(next, T::Annotation);
        let structural = matches!(kind, T::End | T::Then | T::Loop | T::Annotation | T::And | T::Or | T::Not)
            || matches!(kind, T::If | T::Else | T::Elseif | T::For | T::In)
            || self.at_line_start()
                && (kind.is_section() || kind.starts_declaration() || kind.starts_equation());
        let end_as_name = kind == T::End && !self.at_line_start() && next != T::LParen;
        if structural && !end_as_name || !like_a_name {
            return Err(self.unexpected(expected));
        }
        self.keyword_as_name();
        Ok(self.take_ident())
    }

    pub fn keyword_as_name(&mut self) {
        let here = self.location(self.span());
        let text = self.token_text();
        self.report(
            Diagnostic::error("K0104", format!("`{text}` is a keyword and cannot be used as a name"))
                .at(here, "expected a name")
                .help(format!("choose another name, or quote it: `'{text}'`")),
        );
    }

    /// The name of a class; the class is read on even if it has an odd one, or none.
    pub fn class_name(&mut self) -> Ident {
        match self.kind() {
            // `model` alone on its line, and then a declaration. A name of its own line is followed by the first word of
            // one, never by one that is complete.
            T::Ident
                if self.at_line_start()
                    && self.peek(1) == T::Ident
                    && matches!(self.peek(2), T::Semi | T::Eq | T::LParen | T::Comma | T::Str) =>
            {
                self.no_class_name()
            }
            T::Ident => self.take_ident(),
            T::BadNumber | T::BadChar | T::Integer | T::Real => {
                self.unexpected("the name of a class");
                self.take_ident()
            }
            kind if kind.is_keyword() && !self.at_line_start() && kind != T::End => {
                self.keyword_as_name();
                self.take_ident()
            }
            _ => self.no_class_name(),
        }
    }

    fn no_class_name(&mut self) -> Ident {
        let end = self.previous().end;
        let nowhere = Span::new(end, end);
        let here = self.location(nowhere);
        self.report(
            Diagnostic::error("K0101", "expected the name of the class").at(here, "the name is missing"),
        );
        Ident { symbol: Symbol::new("_"), span: nowhere }
    }

    /// `type T Real`
    pub fn missing_equals(&mut self) {
        let here = self.location(self.span());
        let message = format!("expected `=`, found {}", self.found());
        self.report(Diagnostic::error("K0101", message).at(here, "expected `=` before this"));
    }

    /// `Real x = 1 y = 2`: another component on the same line.
    pub fn missing_comma(&mut self) -> bool {
        if !self.at(T::Ident)
            || self.at_line_start()
            || !matches!(self.peek(1), T::Eq | T::ColonEq | T::LParen | T::LBracket | T::Comma | T::Semi)
            || self.quoted_as_string() && self.peek(1) == T::Semi
        {
            return false;
        }
        self.unexpected("`,` or `;`");
        true
    }

    /// Behind the name of a class: what cannot stand there.
    pub fn check_class_head(&mut self) {
        if self.at(T::LParen) {
            self.unexpected("the declarations of the class");
            let mark = self.mark();
            let mut depth = 0usize;
            while !self.at(T::Eof) {
                match self.kind() {
                    T::LParen => depth += 1,
                    T::RParen => depth -= 1,
                    _ => {}
                }
                self.bump();
                if depth == 0 {
                    break;
                }
            }
            self.unwind(mark);
            self.eat(T::Semi);
        } else if self.at(T::Semi) {
            self.stray_semicolon();
        } else if self.at(T::LBrace) {
            self.unexpected("the declarations of the class");
            self.braces = true;
            self.bump();
        } else if self.quoted_as_string() && !self.at_line_start() {
            self.report_quoted_string();
        }
    }

    /// At `'…'`?
    pub fn quoted_as_string(&self) -> bool {
        self.at(T::Ident) && self.token_text().starts_with('\'')
    }

    /// `'…'` where a string is meant; reads over it.
    pub fn report_quoted_string(&mut self) {
        let here = self.location(self.span());
        self.report(
            Diagnostic::error("K0140", "a string is written with double quotes")
                .at(here, "`'…'` is a quoted name")
                .help("write `\"…\"`"),
        );
        self.bump();
    }

    /// The name of a component, behind its type.
    pub fn component_name(&mut self) -> Res<Ident> {
        if self.at(T::Ident)
            || self.kind().is_keyword()
            || matches!(self.kind(), T::BadChar | T::BadNumber | T::Prime)
        {
            return self.ident("the name of a component");
        }
        let found = self.found();
        let here = self.location(self.span());
        let before = self.pos.checked_sub(1).map(|i| self.tokens[i].kind);
        let diagnostic =
            Diagnostic::error("K0101", format!("expected the name of a component, found {found}"))
                .at(here, "expected a name");
        self.report(match before {
            Some(T::Comma) if matches!(self.kind(), T::Integer | T::Real) => {
                diagnostic.help("the elements of an array stand in braces: `{1, 2, 3}`")
            }
            Some(T::Comma) => diagnostic,
            _ => diagnostic.help("a declaration has a type and a name: `Real x`"),
        });
        Err(Bail)
    }

    pub fn stray_semicolon(&mut self) {
        let here = self.location(self.span());
        let before = self.pos.checked_sub(1).map(|i| self.tokens[i].kind);
        let behind = match before {
            Some(T::Then) => " behind `then`",
            Some(T::Loop) => " behind `loop`",
            Some(T::Else) => " behind `else`",
            Some(T::Equation) => " behind `equation`",
            Some(T::Algorithm) => " behind `algorithm`",
            Some(_) if self.blocks.last().is_some_and(|b| b.name.is_some() && b.span == self.previous()) => {
                " behind the name of a class"
            }
            _ => "",
        };
        let message = format!("there is no `;`{behind}");
        let message = if behind.is_empty() { "this `;` ends nothing".to_owned() } else { message };
        self.report(Diagnostic::error("K0119", message).at(here, "remove it"));
        while self.eat(T::Semi) {}
    }

    // ---- expressions ----

    /// Operators of other languages.
    #[inline]
    pub fn check_operator(&mut self) {
        let right = match self.kind() {
            T::BangEq => "<>",
            T::AndAnd => "and",
            T::OrOr => "or",
            T::Bang => "not",
            T::StarStar => "^",
            T::EqLess => "<=",
            T::EqGreater => ">=",
            _ => return,
        };
        let here = self.location(self.span());
        let message = format!("`{}` is written `{right}` in Modelica", self.token_text());
        self.report(Diagnostic::error("K0113", message).at(here, format!("write `{right}`")));
    }

    pub fn chained_operator(&mut self, power: bool) {
        let here = self.location(self.span());
        self.report(if power {
            Diagnostic::error("K0121", "`^` cannot be chained")
                .at(here, "a second `^`")
                .help("write `(a^b)^c` or `a^(b^c)`")
        } else {
            Diagnostic::error("K0121", "comparisons cannot be chained")
                .at(here, "a second comparison")
                .help("write `a < b and b < c`")
        });
    }

    pub fn misplaced_prefix(&mut self) {
        let here = self.location(self.span());
        let text = self.token_text();
        let diagnostic = Diagnostic::error("K0121", format!("`{text}` cannot stand behind another operator"));
        self.report(match self.kind() {
            T::Not | T::Bang => diagnostic.at(here, "").help("put it in parentheses: `(not a)`"),
            _ => diagnostic.at(here, "").help(format!("put the sign in parentheses: `({text}a)`")),
        });
    }

    /// No expression begins here.
    #[cold]
    pub fn no_primary(&mut self) -> Res<ExprId> {
        let here = self.location(self.span());
        match self.kind() {
            T::If => {
                self.report(
                    Diagnostic::error(
                        "K0121",
                        "an `if` expression behind an operator must stand in parentheses",
                    )
                    .at(here, "")
                    .help("write `a + (if c then x else y)`"),
                );
                return self.expression();
            }
            T::End if !self.end_ends_block() => {
                self.report(
                    Diagnostic::error("K0125", "`end` is a value only in subscripts: `x[end]`")
                        .at(here, "this is not within `[ ]` of a variable"),
                );
                let span = self.span();
                self.bump();
                return Ok(self.add_error(span));
            }
            T::Der | T::Initial | T::Pure => {
                let word = self.token_text();
                self.bump();
                return Err(self.unexpected(&format!("`(` behind `{word}`")));
            }
            T::Function => {
                self.report(
                    Diagnostic::error("K0101", "`function f(…)` can only be an argument of a call")
                        .at(here, ""),
                );
                return Err(Bail);
            }
            kind if kind.is_keyword() => {
                let next = self.peek(1);
                let structural =
                    matches!(kind, T::End | T::Then | T::Loop | T::Else | T::Elseif | T::For | T::In)
                        || kind.is_section()
                        || self.at_line_start();
                if !structural
                    && !next.is_keyword()
                    && !matches!(next, T::Ident | T::Integer | T::Real | T::Str)
                {
                    self.keyword_as_name();
                    let span = self.span();
                    self.bump();
                    return Ok(self.add_error(span));
                }
            }
            _ => {}
        }
        Err(self.unexpected("an expression"))
    }

    /// `x'`
    pub fn prime(&mut self, reference: ComponentRef) {
        let here = self.location(self.span());
        let name = &self.text[reference.span.start as usize..reference.span.end as usize];
        self.report(
            Diagnostic::error("K0127", format!("`{name}'` is not Modelica"))
                .at(here, "")
                .help(format!("the derivative is written `der({name})`, the transpose `transpose({name})`")),
        );
        while self.eat(T::Prime) {}
    }

    /// `f(x).y`, `f(x)[1]`, `(a)[1]`
    #[inline]
    pub fn check_behind_call(&mut self, value: ExprId) -> Res<()> {
        if !matches!(self.kind(), T::LBracket | T::Dot) {
            return Ok(());
        }
        let span = self.ast.span(value);
        if span.end != self.start() {
            return Ok(());
        }
        let what = if self.at(T::Dot) { "a member" } else { "a subscript" };
        let here = self.location(self.span());
        self.report(
            Diagnostic::error("K0136", format!("{what} can only be taken of a variable"))
                .at(here, "")
                .help("give the value to a variable first"),
        );
        Err(Bail)
    }

    pub fn positional_behind_named(&mut self) -> Bail {
        let here = self.location(self.span());
        self.report(
            Diagnostic::error("K0137", "an argument without a name cannot follow a named one")
                .at(here, "")
                .help("give it its name: `name = value`"),
        );
        Bail
    }

    pub fn missing_else(&mut self, start: Span) -> Bail {
        if matches!(self.kind(), T::BadChar | T::BadNumber | T::BadStr | T::Prime) {
            return self.unexpected("`else`");
        }
        let found = self.found();
        let (here, start) = (self.location(self.span()), self.location(start));
        self.report(
            Diagnostic::error("K0124", "an `if` expression needs an `else`")
                .at(here, format!("expected `else`, found {found}"))
                .at(start, "the `if` begins here"),
        );
        Bail
    }

    // ---- conditions and loops ----

    /// An expression before `then` or `loop`, where `=` is a slip for `==`.
    pub fn condition_expression(&mut self) -> Res<ExprId> {
        let start = self.start();
        let left = self.expression()?;
        if !matches!(self.kind(), T::Eq | T::ColonEq) {
            return Ok(left);
        }
        self.wrong_equals("K0112", "a comparison is written `==`", "`==`");
        self.bump();
        let right = self.expression()?;
        let span = self.span_from(start);
        Ok(self.ast.add_expr(Expr::Binary(crate::ast::BinaryOp::Equal, left, right), span))
    }

    /// `then` or `loop` at the head of a block; reading goes on without it.
    #[inline]
    pub fn expect_then_or_loop(&mut self, word: T, start: u32) {
        if !self.eat(word) {
            self.no_then_or_loop(word, start);
        }
    }

    #[cold]
    fn no_then_or_loop(&mut self, word: T, start: u32) {
        let block = self.blocks.last().copied();
        if !self.reported_since(start) {
            let end = self.previous().end;
            let here = self.location(Span::new(end, end));
            let found = self.found();
            let expected = word.name();
            let mut diagnostic = Diagnostic::error("K0117", format!("expected {expected}, found {found}"))
                .at(here, format!("expected {expected}"));
            if let Some(block) = block {
                let opened = self.location(block.span);
                diagnostic = diagnostic.at(opened, format!("to this {}", block.keyword.name()));
            }
            if self.kind() == T::LBrace {
                diagnostic = diagnostic.help(
                    "blocks have no braces: they end with `end if`, `end for`, `end while` or `end when`",
                );
            }
            self.report(diagnostic);
        }
        let other = match self.kind() {
            T::Then | T::Loop => true,
            T::Ident => matches!(self.token_text(), "do" | "Then" | "THEN" | "begin"),
            T::LBrace => {
                self.braces = true;
                true
            }
            _ => false,
        };
        if other {
            self.bump();
        }
        self.eat(T::Semi);
    }

    pub fn expect_then_in_expression(&mut self) -> Res<()> {
        if self.eat(T::Then) {
            return Ok(());
        }
        if matches!(self.kind(), T::BadChar | T::BadNumber | T::BadStr | T::Prime) {
            return Err(self.unexpected("`then`"));
        }
        let end = self.previous().end;
        let here = self.location(Span::new(end, end));
        let message = format!("expected `then`, found {}", self.found());
        self.report(Diagnostic::error("K0117", message).at(here, "expected `then`"));
        // `if a x else y`: the rest is plain.
        if matches!(self.kind(), T::Ident | T::Integer | T::Real | T::Str | T::True | T::False) {
            return Ok(());
        }
        Err(Bail)
    }

    /// `in`, or the `=` of other languages.
    pub fn at_in(&mut self) -> bool {
        if self.eat(T::In) {
            return true;
        }
        if !matches!(self.kind(), T::Eq | T::ColonEq) {
            return false;
        }
        let here = self.location(self.span());
        self.report(
            Diagnostic::error("K0138", "a loop variable runs `in` a range")
                .at(here, "write `in`")
                .help("for example `for i in 1:n loop`"),
        );
        self.bump();
        true
    }

    // ---- equations and statements ----

    /// `a == b` where an equation is expected.
    pub fn comparison_as_equation(&mut self, a: ExprId, b: ExprId) {
        let between = Span::new(self.ast.span(a).end, self.ast.span(b).start);
        let text = &self.text[between.start as usize..between.end as usize];
        let at = between.start + text.find("==").unwrap_or(0) as u32;
        let here = self.location(Span::new(at, at + 2));
        self.report(
            Diagnostic::error("K0112", "an equation is written with `=`, not `==`").at(here, "write `=`"),
        );
    }

    pub fn no_equation(&mut self) -> Bail {
        if matches!(self.kind(), T::Plus | T::Minus | T::Star | T::Slash) {
            return self.unexpected("an equation");
        }
        self.unexpected("`=`")
    }

    pub fn statement_in_equations(&mut self) -> Bail {
        let here = self.location(self.span());
        let text = self.token_text();
        self.report(
            Diagnostic::error(
                "K0135",
                format!("`{text}` is a statement: it stands in an `algorithm`, not among equations"),
            )
            .at(here, ""),
        );
        Bail
    }

    pub fn no_statement(&mut self) -> Bail {
        let here = self.location(self.span());
        match self.kind() {
            T::Connect => {
                self.report(
                    Diagnostic::error("K0135", "`connect` is an equation: it cannot stand in an `algorithm`")
                        .at(here, "")
                        .help("move it to an `equation` section"),
                );
                Bail
            }
            T::Der => {
                self.report(
                    Diagnostic::error("K0135", "a derivative cannot be assigned")
                        .at(here, "expected a variable")
                        .help("write `der(x) = …` in an `equation` section"),
                );
                Bail
            }
            _ => self.unexpected("a statement"),
        }
    }

    /// `:=`, also when written otherwise.
    pub fn assign_sign(&mut self) -> Res<()> {
        match self.kind() {
            T::ColonEq => {}
            T::Eq => self.wrong_equals("K0111", "a statement assigns with `:=`, not `=`", "`:=`"),
            T::EqEq => self.wrong_equals("K0112", "a statement assigns with `:=`, not `==`", "`:=`"),
            _ => return Err(self.unexpected("`:=`")),
        }
        self.bump();
        Ok(())
    }

    /// `x(1) := 2`
    pub fn assignment_to_call(&mut self, call: ExprId) {
        let here = self.location(self.ast.span(call));
        self.report(
            Diagnostic::error("K0139", "a call cannot be assigned to")
                .at(here, "expected a variable")
                .help("subscripts are written in brackets: `x[1] := …`"),
        );
    }

    /// `return x`
    pub fn check_return_value(&mut self) -> Res<()> {
        if matches!(self.kind(), T::Semi | T::Str | T::Annotation | T::Eof | T::End) || self.at_line_start() {
            return Ok(());
        }
        let here = self.location(self.span());
        self.report(
            Diagnostic::error("K0135", "`return` has no value")
                .at(here, "expected `;`")
                .help("assign to the output variable, then `return;`"),
        );
        Err(Bail)
    }

    // ---- declarations ----

    pub fn equation_among_declarations(&mut self, algorithm: bool) {
        let here = self.location(self.span());
        let (what, word) = if algorithm { ("a statement", "algorithm") } else { ("an equation", "equation") };
        self.report(
            Diagnostic::error("K0123", format!("expected a declaration, found {what}"))
                .at(here, format!("{what} among declarations"))
                .help(format!("write the keyword `{word}` before it")),
        );
    }

    pub fn declaration_among_equations(&mut self, algorithm: bool) {
        let here = self.location(self.span());
        let (what, word) = if algorithm { ("a statement", "algorithm") } else { ("an equation", "equation") };
        self.report(
            Diagnostic::error("K0122", format!("expected {what}, found a declaration"))
                .at(here, "a declaration")
                .help(format!(
                    "declarations stand before the keyword `{word}`, or behind `public` or `protected`"
                )),
        );
    }

    /// At the comma of `1,5`: reads over it and the fraction.
    pub fn decimal_comma(&mut self) -> bool {
        let (i, tokens) = (self.pos, self.tokens);
        if i == 0
            || tokens[i - 1].kind != T::Integer
            || !matches!(self.peek(1), T::Integer | T::Real | T::BadNumber)
        {
            return false;
        }
        if tokens[i - 1].end != tokens[i].start || tokens[i].end != tokens[i + 1].start {
            return false;
        }
        let whole = Span::new(tokens[i - 1].start, tokens[i + 1].end);
        let text = self.text[whole.start as usize..whole.end as usize].replace(',', ".");
        let here = self.location(whole);
        self.report(
            Diagnostic::error("K0126", "numbers are written with a decimal point")
                .at(here, format!("write `{text}`")),
        );
        self.bump();
        self.bump();
        true
    }

    /// No modifier stands here.
    pub fn no_modifier(&mut self) -> Bail {
        if matches!(self.kind(), T::Integer | T::Real) {
            let here = self.location(self.span());
            let found = self.found();
            self.report(
                Diagnostic::error("K0134", format!("expected a modifier, found {found}"))
                    .at(here, "a modifier is written `name = value`")
                    .help("dimensions are written in brackets: `x[3]`"),
            );
            return Bail;
        }
        if self.kind().is_keyword() && matches!(self.peek(1), T::Eq | T::LParen) {
            self.keyword_as_name();
            return Bail;
        }
        self.unexpected("a modifier (`name = value`)")
    }

    /// In a modifier a class can only be redeclared in the short form.
    pub fn check_short_class(&mut self, class: ClassId) {
        let class = &self.ast.classes[class];
        if matches!(class.body, ClassBody::Long(_)) {
            let here = self.location(class.name.span);
            self.report(
                Diagnostic::error("K0134", "a class in a modifier must be a short one")
                    .at(here, "")
                    .help("write `redeclare model A = B`, and define `B` elsewhere"),
            );
        }
    }

    pub fn subscripted_modifier(&mut self) -> Bail {
        let here = self.location(self.span());
        self.report(
            Diagnostic::error("K0134", "a modifier cannot have subscripts")
                .at(here, "")
                .help("modify the whole array: `x = {…}`, or `each x = …` for all elements alike"),
        );
        Bail
    }
}
