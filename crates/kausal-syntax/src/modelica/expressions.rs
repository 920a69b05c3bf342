//! Expressions (specification appendix A.2.7): precedence climbing over the table of section 3.2.
//!
//! After: the range of an expression includes the parentheses around it, which the tree does not keep.

use crate::arena::List;
use crate::ast::UnaryOp;
use crate::ast::{
    Arg, BinaryOp, ComponentRef, Expr, ExprId, Ident, Iterator as ForIndex, RefPart, StringLiteral,
};
use crate::diagnostic::Diagnostic;

use super::parser::{Parser, Res};
use super::token::T;

// Binding strength, from loose to tight.
const OR: u8 = 1;
const AND: u8 = 2;
const NOT: u8 = 3;
const RELATION: u8 = 4;
const SUM: u8 = 5;
const PRODUCT: u8 = 6;
const POWER: u8 = 7;

/// The binary operator a token stands for and how tightly it binds.
#[inline]
fn binary_operator(kind: T) -> Option<(BinaryOp, u8)> {
    Some(match kind {
        T::Or | T::OrOr => (BinaryOp::Or, OR),
        T::And | T::AndAnd => (BinaryOp::And, AND),
        T::EqEq => (BinaryOp::Equal, RELATION),
        T::NotEq | T::BangEq => (BinaryOp::NotEqual, RELATION),
        T::Less => (BinaryOp::Less, RELATION),
        T::LessEq | T::EqLess => (BinaryOp::LessEqual, RELATION),
        T::Greater => (BinaryOp::Greater, RELATION),
        T::GreaterEq | T::EqGreater => (BinaryOp::GreaterEqual, RELATION),
        T::Plus => (BinaryOp::Add, SUM),
        T::Minus => (BinaryOp::Sub, SUM),
        T::DotPlus => (BinaryOp::ElementAdd, SUM),
        T::DotMinus => (BinaryOp::ElementSub, SUM),
        T::Star => (BinaryOp::Mul, PRODUCT),
        T::Slash => (BinaryOp::Div, PRODUCT),
        T::DotStar => (BinaryOp::ElementMul, PRODUCT),
        T::DotSlash => (BinaryOp::ElementDiv, PRODUCT),
        T::Caret | T::StarStar => (BinaryOp::Pow, POWER),
        T::DotCaret => (BinaryOp::ElementPow, POWER),
        _ => return None,
    })
}

impl Parser<'_> {
    pub fn expression(&mut self) -> Res<ExprId> {
        if self.at(T::If) { self.if_expression() } else { self.simple_expression() }
    }

    fn if_expression(&mut self) -> Res<ExprId> {
        self.enter()?;
        let start = self.span();
        let base = self.scratch.branches.len();
        self.bump();
        let otherwise = loop {
            let condition = self.condition_expression()?;
            self.expect_then_in_expression()?;
            let value = self.expression()?;
            self.scratch.branches.push((condition, value));
            if self.at_elseif() {
                self.bump();
            } else if self.eat(T::Else) {
                break self.expression()?;
            } else {
                return Err(self.missing_else(start));
            }
        };
        let branches = self.ast.lists.branches.add(self.scratch.branches.drain(base..));
        self.leave();
        let span = self.span_from(start.start);
        Ok(self.ast.add_expr(Expr::If { branches, otherwise }, span))
    }

    pub fn simple_expression(&mut self) -> Res<ExprId> {
        let start = self.start();
        let first = self.operators(OR)?;
        if !self.at(T::Colon) {
            return Ok(first);
        }
        self.bump();
        let second = self.operators(OR)?;
        let (step, stop) =
            if self.eat(T::Colon) { (Some(second), self.operators(OR)?) } else { (None, second) };
        let span = self.span_from(start);
        Ok(self.ast.add_expr(Expr::Range { start: first, step, stop }, span))
    }

    /// A chain of operators that bind at least as tightly as `min`.
    fn operators(&mut self, min: u8) -> Res<ExprId> {
        self.enter()?;
        let start = self.start();
        let mut left = match self.kind() {
            T::Plus | T::Minus | T::DotPlus | T::DotMinus | T::Not | T::Bang => self.prefixed(min)?,
            _ => self.primary()?,
        };
        while let Some((op, strength)) = binary_operator(self.kind()) {
            if strength < min {
                break;
            }
            self.check_operator();
            self.bump();
            let right = self.operators(strength + 1)?;
            let span = self.span_from(start);
            left = self.ast.add_expr(Expr::Binary(op, left, right), span);
            if matches!(strength, RELATION | POWER)
                && let Some((_, next)) = binary_operator(self.kind())
                && next == strength
            {
                self.chained_operator(strength == POWER);
            }
        }
        self.leave();
        Ok(left)
    }

    /// `not` and signs; where they may not stand their meaning is plain all the same.
    fn prefixed(&mut self, min: u8) -> Res<ExprId> {
        let start = self.start();
        let (op, strength) = match self.kind() {
            T::Plus => (UnaryOp::Plus, SUM),
            T::Minus => (UnaryOp::Minus, SUM),
            T::DotPlus => (UnaryOp::ElementPlus, SUM),
            T::DotMinus => (UnaryOp::ElementMinus, SUM),
            _ => (UnaryOp::Not, NOT),
        };
        self.check_operator();
        if min > strength {
            self.misplaced_prefix();
        }
        self.bump();
        let operand = self.operators((strength + 1).max(min))?;
        let span = self.span_from(start);
        Ok(self.ast.add_expr(Expr::Unary(op, operand), span))
    }

    fn primary(&mut self) -> Res<ExprId> {
        let span = self.span();
        let expr = match self.kind() {
            T::Ident | T::Dot => return self.reference_or_call(),
            T::Integer => self.integer(),
            T::Real => self.real(),
            T::Str => Expr::String(StringLiteral { span }),
            T::True => Expr::Boolean(true),
            T::False => Expr::Boolean(false),
            T::LParen => return self.parenthesized(),
            T::LBracket => return self.matrix(),
            T::LBrace => return self.array(),
            T::Der | T::Initial | T::Pure if self.peek(1) == T::LParen => {
                let name = self.take_ident();
                let part = RefPart { name, subscripts: List::EMPTY };
                let parts = self.ast.lists.parts.add([part]);
                return self.call(ComponentRef { global: false, parts, span });
            }
            T::End if self.end_is_value() => Expr::End,
            T::BadStr => Expr::Error,
            _ => return self.no_primary(),
        };
        self.bump();
        Ok(self.ast.add_expr(expr, span))
    }

    fn real(&mut self) -> Expr {
        let value = self.token_text().parse().unwrap_or(f64::INFINITY);
        if value == f64::INFINITY {
            let here = self.location(self.span());
            self.report(
                Diagnostic::warning("K0133", "this number is too large and is read as infinity").at(here, ""),
            );
        }
        Expr::Real(value)
    }

    fn integer(&mut self) -> Expr {
        let text = self.token_text();
        match text.parse() {
            Ok(value) => Expr::Integer(value),
            Err(_) => {
                let here = self.location(self.span());
                self.report(
                    Diagnostic::warning("K0133", "this integer is too large and is read as a real number")
                        .at(here, ""),
                );
                Expr::Real(text.parse().unwrap_or(f64::INFINITY))
            }
        }
    }

    fn reference_or_call(&mut self) -> Res<ExprId> {
        let reference = self.component_reference("an expression")?;
        match self.kind() {
            T::LParen => self.call(reference),
            T::Prime => {
                self.prime(reference);
                Ok(self.ast.add_expr(Expr::Ref(reference), reference.span))
            }
            _ => Ok(self.ast.add_expr(Expr::Ref(reference), reference.span)),
        }
    }

    /// `["."] IDENT [ subscripts ] { "." IDENT [ subscripts ] }`
    pub fn component_reference(&mut self, expected: &str) -> Res<ComponentRef> {
        let start = self.start();
        let global = self.eat(T::Dot);
        let base = self.scratch.parts.len();
        let mut name = self.ident(expected)?;
        loop {
            let subscripts = self.subscripts()?;
            self.scratch.parts.push(RefPart { name, subscripts });
            if !self.eat(T::Dot) {
                break;
            }
            name = self.ident("a name")?;
        }
        let parts = self.ast.lists.parts.add(self.scratch.parts.drain(base..));
        Ok(ComponentRef { global, parts, span: self.span_from(start) })
    }

    /// `[ "[" subscript { "," subscript } "]" ]`
    pub fn subscripts(&mut self) -> Res<List<ExprId>> {
        if !self.at(T::LBracket) {
            return Ok(List::EMPTY);
        }
        self.open();
        self.subscripts += 1;
        let base = self.scratch.exprs.len();
        loop {
            let subscript = if self.at(T::Colon) && matches!(self.peek(1), T::Comma | T::RBracket) {
                let span = self.span();
                self.bump();
                self.ast.add_expr(Expr::Colon, span)
            } else {
                self.expression()?
            };
            self.scratch.exprs.push(subscript);
            if !self.eat(T::Comma) {
                break;
            }
        }
        self.close(T::RBracket)?;
        self.subscripts -= 1;
        Ok(self.ast.lists.exprs.add(self.scratch.exprs.drain(base..)))
    }

    /// `( … )` behind the function.
    pub fn call(&mut self, function: ComponentRef) -> Res<ExprId> {
        let start = function.span.start;
        let base = self.scratch.args.len();
        self.open();
        if !self.at(T::RParen) {
            let mut named = false;
            loop {
                let arg = self.argument(&mut named)?;
                if self.at(T::For) && arg.name.is_none() && self.scratch.args.len() == base {
                    let iterators = self.for_indices_behind()?;
                    self.close(T::RParen)?;
                    let span = self.span_from(start);
                    return Ok(self
                        .ast
                        .add_expr(Expr::CallFor { function, body: arg.value, iterators }, span));
                }
                self.scratch.args.push(arg);
                if !self.eat(T::Comma) {
                    break;
                }
            }
        }
        self.close(T::RParen)?;
        let args = self.ast.lists.args.add(self.scratch.args.drain(base..));
        let span = self.span_from(start);
        let call = self.ast.add_expr(Expr::Call { function, args }, span);
        self.check_behind_call(call)?;
        Ok(call)
    }

    fn argument(&mut self, named: &mut bool) -> Res<Arg> {
        if self.at(T::Ident) && matches!(self.peek(1), T::Eq | T::ColonEq) {
            let name = self.take_ident();
            if self.at(T::ColonEq) {
                self.wrong_equals("K0110", "an argument is given a value with `=`, not `:=`", "`=`");
            }
            self.bump();
            *named = true;
            return Ok(Arg { name: Some(name), value: self.function_argument()? });
        }
        if *named {
            return Err(self.positional_behind_named());
        }
        Ok(Arg { name: None, value: self.function_argument()? })
    }

    fn function_argument(&mut self) -> Res<ExprId> {
        if self.at(T::Function) { self.partial_application() } else { self.expression() }
    }

    /// `function f(a = b)`
    fn partial_application(&mut self) -> Res<ExprId> {
        self.enter()?;
        let start = self.start();
        self.bump();
        let function = self.type_specifier("the name of a function")?;
        let base = self.scratch.args.len();
        self.expect_open("`(` and the named arguments")?;
        if !self.at(T::RParen) {
            loop {
                let name = self.ident("the name of an argument")?;
                self.expect_equals()?;
                let value = self.function_argument()?;
                self.scratch.args.push(Arg { name: Some(name), value });
                if !self.eat(T::Comma) {
                    break;
                }
            }
        }
        self.close(T::RParen)?;
        let args = self.ast.lists.args.add(self.scratch.args.drain(base..));
        self.leave();
        let span = self.span_from(start);
        Ok(self.ast.add_expr(Expr::Function { function, args }, span))
    }

    /// `( [expression] { "," [expression] } )`: one expression, or a list of receivers.
    fn parenthesized(&mut self) -> Res<ExprId> {
        let start = self.start();
        self.open();
        let base = self.scratch.exprs.len();
        loop {
            let item = if matches!(self.kind(), T::Comma | T::RParen) {
                let here = self.start();
                self.ast.add_expr(Expr::Missing, crate::Span::new(here, here))
            } else {
                self.condition_expression()?
            };
            self.scratch.exprs.push(item);
            if !self.eat(T::Comma) {
                break;
            }
        }
        self.close(T::RParen)?;
        let span = self.span_from(start);
        if self.scratch.exprs.len() == base + 1 {
            let only = self.scratch.exprs[base];
            if !matches!(self.ast.exprs[only], Expr::Missing) {
                self.scratch.exprs.truncate(base);
                self.ast.expr_spans[only.index()] = span;
                self.check_behind_call(only)?;
                return Ok(only);
            }
        }
        let items = self.ast.lists.exprs.add(self.scratch.exprs.drain(base..));
        Ok(self.ast.add_expr(Expr::Tuple(items), span))
    }

    fn matrix(&mut self) -> Res<ExprId> {
        let start = self.start();
        self.open();
        let rows_base = self.scratch.rows.len();
        loop {
            let base = self.scratch.exprs.len();
            loop {
                let item = self.expression()?;
                self.scratch.exprs.push(item);
                if !self.eat(T::Comma) {
                    break;
                }
            }
            let row = self.ast.lists.exprs.add(self.scratch.exprs.drain(base..));
            self.scratch.rows.push(row);
            if !self.matrix_goes_on() {
                break;
            }
            self.bump();
        }
        self.close(T::RBracket)?;
        let rows = self.ast.lists.rows.add(self.scratch.rows.drain(rows_base..));
        let span = self.span_from(start);
        Ok(self.ast.add_expr(Expr::Matrix(rows), span))
    }

    fn array(&mut self) -> Res<ExprId> {
        let start = self.start();
        self.open();
        let base = self.scratch.exprs.len();
        loop {
            let item = self.expression()?;
            if self.at(T::For) && self.scratch.exprs.len() == base {
                let iterators = self.for_indices_behind()?;
                self.close(T::RBrace)?;
                let span = self.span_from(start);
                return Ok(self.ast.add_expr(Expr::ArrayFor { body: item, iterators }, span));
            }
            self.scratch.exprs.push(item);
            if !self.eat(T::Comma) {
                break;
            }
        }
        self.close(T::RBrace)?;
        let items = self.ast.lists.exprs.add(self.scratch.exprs.drain(base..));
        let span = self.span_from(start);
        Ok(self.ast.add_expr(Expr::Array(items), span))
    }

    /// `for i in r, j in s` behind an expression.
    fn for_indices_behind(&mut self) -> Res<List<ForIndex>> {
        self.bump();
        self.for_indices()
    }

    /// `IDENT [ in expression ] { "," IDENT [ in expression ] }`
    pub fn for_indices(&mut self) -> Res<List<ForIndex>> {
        let base = self.scratch.iterators.len();
        loop {
            let name: Ident = self.ident("a loop variable")?;
            let range = if self.at_in() { Some(self.expression()?) } else { None };
            self.scratch.iterators.push(ForIndex { name, range });
            if !self.eat(T::Comma) {
                break;
            }
        }
        Ok(self.ast.lists.iterators.add(self.scratch.iterators.drain(base..)))
    }
}
