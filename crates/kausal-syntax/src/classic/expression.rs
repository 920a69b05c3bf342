//! Classic notation: expressions and connections.
//!
//! Expressions are read by precedence climbing; from weak to strong: `or`, `and`, `not`, relations,
//! `+ -` (a leading sign takes the whole product, as in Modelica), `* /`, `^` or `**` (which group to the
//! right). Connections have `-` and, stronger, `//`.
//!
//! Nesting deeper than [`MAX_DEPTH`] is an error, so that no text can exhaust the stack.

use super::diagnose::{code, error};
use super::lexer::{Kind, Word};
use super::parser::{Failed, Parsed, Parser};
use super::syntax::{ConnectNode, Connection, Expr, Node, NodeKind};
use crate::ast::{BinaryOp, Ident, UnaryOp};
use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// How deeply expressions and connections may be nested.
const MAX_DEPTH: u32 = 200;

/// Strength of the operators; a higher number binds more tightly.
const NOT: u8 = 3;
const RELATION: u8 = 4;
const PRODUCT: u8 = 6;
const POWER: u8 = 7;

fn binary(kind: Kind) -> Option<(BinaryOp, u8)> {
    Some(match kind {
        Kind::Word(Word::Or) => (BinaryOp::Or, 1),
        Kind::Word(Word::And) => (BinaryOp::And, 2),
        Kind::EqualEqual => (BinaryOp::Equal, RELATION),
        Kind::NotEqual => (BinaryOp::NotEqual, RELATION),
        Kind::Less => (BinaryOp::Less, RELATION),
        Kind::LessEqual => (BinaryOp::LessEqual, RELATION),
        Kind::Greater => (BinaryOp::Greater, RELATION),
        Kind::GreaterEqual => (BinaryOp::GreaterEqual, RELATION),
        Kind::Plus => (BinaryOp::Add, 5),
        Kind::Minus => (BinaryOp::Sub, 5),
        Kind::Star => (BinaryOp::Mul, PRODUCT),
        Kind::Slash => (BinaryOp::Div, PRODUCT),
        Kind::Power => (BinaryOp::Pow, POWER),
        _ => return None,
    })
}

impl Parser<'_> {
    /// Reads an expression; `what` says what it is for.
    pub(super) fn parse_expr(&mut self, what: &str) -> Parsed<Expr> {
        let start = self.file.nodes.len();
        match self.parse_operation(0, what) {
            Ok(_) => Ok(Expr { start, end: self.file.nodes.len() }),
            Err(Failed) => {
                self.file.nodes.truncate(start);
                Err(Failed)
            }
        }
    }

    fn node(&mut self, kind: NodeKind, span: Span) -> usize {
        self.file.nodes.push(Node { kind, span });
        self.file.nodes.len() - 1
    }

    fn span_of(&self, node: usize) -> Span {
        self.file.nodes[node].span
    }

    /// One level deeper, or a message.
    fn enter(&mut self) -> Parsed<()> {
        self.depth += 1;
        if self.depth <= MAX_DEPTH {
            return Ok(());
        }
        let place = self.location(self.here());
        self.report(
            error(code::DEPTH, format!("this is nested more than {MAX_DEPTH} levels deep"))
                .at(place, "")
                .help("introduce variables for parts of it"),
        );
        Err(Failed)
    }

    fn parse_operation(&mut self, weakest: u8, what: &str) -> Parsed<usize> {
        self.enter()?;
        let mut left = self.parse_prefix(weakest, what)?;
        while let Some((op, strength)) = binary(self.peek()) {
            let chained = strength == RELATION
                && is_relation(&self.file.nodes[left].kind)
                && self.slice(self.last()) != ")";
            if strength < weakest || chained {
                break;
            }
            self.bump_joining();
            let side = if strength == POWER { strength } else { strength + 1 };
            let right = self.parse_operation(side, "an operand")?;
            let span = self.span_of(left).to(self.span_of(right));
            left = self.node(NodeKind::Binary(op, left, right), span);
        }
        self.depth -= 1;
        Ok(left)
    }

    fn parse_prefix(&mut self, weakest: u8, what: &str) -> Parsed<usize> {
        let start = self.here();
        let (op, side) = match self.peek() {
            Kind::Minus => (UnaryOp::Minus, PRODUCT.max(weakest)),
            Kind::Plus => (UnaryOp::Plus, PRODUCT.max(weakest)),
            Kind::Word(Word::Not) => (UnaryOp::Not, NOT.max(weakest)),
            Kind::Word(Word::If) => return self.parse_if(),
            _ => return self.parse_primary(what),
        };
        self.bump_joining();
        let operand = self.parse_operation(side, "an operand")?;
        let span = start.to(self.span_of(operand));
        Ok(self.node(NodeKind::Unary(op, operand), span))
    }

    /// `if c then a { elseif d then b } else e`.
    fn parse_if(&mut self) -> Parsed<usize> {
        let start = self.bump();
        let mut branches = Vec::new();
        loop {
            let condition = self.parse_operation(0, "a condition")?;
            self.expect(Kind::Word(Word::Then), "`then`")?;
            let value = self.parse_operation(0, "a value")?;
            branches.push((condition, value));
            if !self.eat(Kind::Word(Word::ElseIf)) {
                break;
            }
        }
        self.expect(Kind::Word(Word::Else), "`else`")?;
        let otherwise = self.parse_operation(0, "a value")?;
        let span = start.to(self.span_of(otherwise));
        Ok(self.node(NodeKind::If(branches.into(), otherwise), span))
    }

    fn parse_primary(&mut self, what: &str) -> Parsed<usize> {
        match self.peek() {
            Kind::Number => self.parse_number(),
            Kind::Ident => self.parse_name(),
            Kind::LeftParen => {
                self.bump();
                let inner = self.parse_operation(0, "an expression")?;
                self.expect(Kind::RightParen, "an operator or `)`")?;
                Ok(inner)
            }
            Kind::LeftBracket => self.parse_bracket(),
            Kind::Word(word) if word.begins_statement() || word == Word::Class => {
                // Reports that it is reserved, or that the expression ends too early.
                self.parse_ident("a name in an expression").and(Err(Failed))
            }
            _ => Err(self.fail(what)),
        }
    }

    fn parse_number(&mut self) -> Parsed<usize> {
        let span = self.bump();
        let text = self.slice(span);
        if let Ok(whole) = text.parse::<i64>() {
            return Ok(self.node(NodeKind::Integer(whole), span));
        }
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(self.node(NodeKind::Real(number), span)),
            _ => {
                let message = format!("the number `{text}` is too large");
                let place = self.location(span);
                self.report(error(code::NUMBER, message).at(place, ""));
                Err(Failed)
            }
        }
    }

    /// `x`, `C3.e`, `x(3)`, `sin(x)`.
    fn parse_name(&mut self) -> Parsed<usize> {
        let path = self.parse_dotted("a name")?;
        let start = path[0].span;
        if self.peek() != Kind::LeftParen {
            let span = start.to(self.last());
            let kind = match (path.len(), path[0].symbol.as_str()) {
                (1, "true") => NodeKind::Boolean(true),
                (1, "false") => NodeKind::Boolean(false),
                _ => NodeKind::Name(path.into()),
            };
            return Ok(self.node(kind, span));
        }
        self.bump();
        let mut args = Vec::new();
        if self.peek() != Kind::RightParen {
            args.push(self.parse_operation(0, "an argument")?);
            while self.eat(Kind::Comma) {
                args.push(self.parse_operation(0, "an argument")?);
            }
        }
        self.expect(Kind::RightParen, "an operator, `,` or `)`")?;
        Ok(self.node(NodeKind::Apply(path.into(), args.into()), start.to(self.last())))
    }

    /// `[a, b, c]`, `[a; b; c]`, `[a, b; c, d]`.
    fn parse_bracket(&mut self) -> Parsed<usize> {
        let start = self.bump();
        let mut rows: Vec<Box<[usize]>> = Vec::new();
        loop {
            let mut row = vec![self.parse_operation(0, "an element")?];
            while self.eat(Kind::Comma) {
                row.push(self.parse_operation(0, "an element")?);
            }
            rows.push(row.into());
            if !self.eat(Kind::Semicolon) {
                break;
            }
        }
        self.expect(Kind::RightBracket, "an operator, `,`, `;` or `]`")?;
        let span = start.to(self.last());
        let columns = rows[0].len();
        if rows.iter().any(|row| row.len() != columns) {
            let place = self.location(span);
            self.report(error(code::DIMENSION, "the rows of this matrix differ in length").at(place, ""));
            return Err(Failed);
        }
        let kind = if rows.len() == 1 || columns == 1 {
            NodeKind::Vector(rows.iter().flat_map(|row| row.iter().copied()).collect())
        } else {
            NodeKind::Matrix(rows.into())
        };
        Ok(self.node(kind, span))
    }
}

fn is_relation(kind: &NodeKind) -> bool {
    use BinaryOp::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
    matches!(kind, NodeKind::Binary(Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual, ..))
}

// Connections.
impl Parser<'_> {
    /// `connect A - (B // C) - \D`, `connect X.Cut at Y.Cut`.
    pub(super) fn parse_connection(&mut self) -> Parsed<Connection> {
        self.bump();
        let mut made = Connection::default();
        let first = self.parse_series(&mut made)?;
        made.sides.push(first);
        while self.peek_at() {
            self.bump_joining();
            let side = self.parse_series(&mut made)?;
            made.sides.push(side);
        }
        if !matches!(self.peek(), Kind::LineEnd | Kind::EndOfText | Kind::Semicolon) {
            return Err(self.fail("`-`, `//`, `at` or the end of the line"));
        }
        Ok(made)
    }

    fn parse_series(&mut self, made: &mut Connection) -> Parsed<usize> {
        self.enter()?;
        let start = self.here();
        let (mut left, mut parallel) = self.parse_parallel(made)?;
        let mut series = false;
        while self.peek() == Kind::Minus {
            self.bump();
            series = true;
            let (right, also_parallel) = self.parse_parallel(made)?;
            parallel = parallel.or(also_parallel);
            left = made.push(ConnectNode::Series(left, right), start.to(self.last()));
        }
        if let (true, Some(sign)) = (series, parallel) {
            let (place, whole) = (self.location(sign), self.location(start.to(self.last())));
            self.report(
                Diagnostic::warning(code::MIXED, "`//` beside `-` without parentheses: `//` is taken first")
                    .at(place, "")
                    .at(whole, "in this connection")
                    .help("say which is meant with parentheses: `A - (B // C)` or `(A - B) // C`"),
            );
        }
        self.depth -= 1;
        Ok(left)
    }

    /// Also says where a `//` stands outside of parentheses.
    fn parse_parallel(&mut self, made: &mut Connection) -> Parsed<(usize, Option<Span>)> {
        let start = self.here();
        let mut left = self.parse_joint(made)?;
        let mut sign = None;
        while self.peek() == Kind::Parallel {
            let span = self.bump();
            sign = sign.or(Some(span));
            let right = self.parse_joint(made)?;
            left = made.push(ConnectNode::Parallel(left, right), start.to(self.last()));
        }
        Ok((left, sign))
    }

    fn parse_joint(&mut self, made: &mut Connection) -> Parsed<usize> {
        let start = self.here();
        let mut reversed = false;
        while self.eat(Kind::Backslash) {
            reversed = !reversed;
        }
        let inner = match self.peek() {
            Kind::LeftParen => {
                self.bump();
                let inner = self.parse_series(made)?;
                if self.peek() == Kind::Comma {
                    return Err(self.fail_modelica_connect(made.spans[inner]));
                }
                self.expect(Kind::RightParen, "`-`, `//` or `)`")?;
                inner
            }
            _ => {
                let start = self.here();
                let path = self.parse_dotted("a component, a node, a cut or `(`")?;
                made.push(ConnectNode::Point(path), start.to(self.last()))
            }
        };
        let whole = start.to(self.last());
        Ok(if reversed { made.push(ConnectNode::Reversed(inner), whole) } else { inner })
    }

    /// `connect(a.p, b.n)`.
    fn fail_modelica_connect(&mut self, first: Span) -> Failed {
        let comma = self.bump();
        let mut second = self.here();
        while matches!(self.peek(), Kind::Ident | Kind::Dot) {
            second = second.to(self.bump());
        }
        let help = format!("write `connect {} at {}`", self.slice(first), self.slice(second));
        let place = self.location(comma);
        self.report(error(code::FOREIGN, "a connection is not written as a pair").at(place, "").help(help));
        Failed
    }
}

/// A name with its dots.
pub(super) fn dotted(path: &[Ident]) -> String {
    path.iter().map(|part| part.symbol.as_str()).collect::<Vec<_>>().join(".")
}
