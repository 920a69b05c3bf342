//! Equations and statements (specification appendix A.2.6). Their blocks differ only in what stands inside, so
//! they share them: see [`Item`].

use crate::arena::List;
use crate::ast::{ComponentRef, Equation, EquationKind, Expr, ExprId, Statement, StatementKind};
use crate::diagnostic::Diagnostic;
use crate::source::Span;

use super::parser::{Block, Parser, Res};
use super::token::T;

/// What stands in the blocks of a section: an [`Equation`] or a [`Statement`].
pub(super) trait Item: Sized {
    /// Reads one, without its `;`.
    fn read(p: &mut Parser<'_>) -> Res<Self>;
}

impl Item for Equation {
    fn read(p: &mut Parser<'_>) -> Res<Self> {
        let start = p.start();
        let kind = p.equation_kind()?;
        let span = p.span_from(start);
        Ok(Equation { kind, description: p.description()?, span })
    }
}

impl Item for Statement {
    fn read(p: &mut Parser<'_>) -> Res<Self> {
        let start = p.start();
        let kind = p.statement_kind()?;
        let span = p.span_from(start);
        Ok(Statement { kind, description: p.description()?, span })
    }
}

/// The parts of an `if`.
type Branches<I> = (Vec<(ExprId, Vec<I>)>, Vec<I>);

impl Parser<'_> {
    /// Reads one equation or statement with its `;`; a broken one is skipped.
    pub fn item<I: Item>(&mut self, items: &mut Vec<I>) {
        self.recovering(|p| {
            items.push(I::read(p)?);
            p.semicolon("`;`")
        });
    }

    /// The items of a block, up to whatever ends it.
    fn items<I: Item>(&mut self) -> Vec<I> {
        let mut items = Vec::new();
        while !self.block_ends() {
            let before = self.pos;
            if self.at(T::Semi) {
                self.stray_semicolon();
            } else if self.at(T::End) {
                self.end_of_headless();
            } else if matches!(self.kind(), T::Else | T::Elseif | T::Elsewhen) {
                self.stray_branch();
            } else if self.braces && matches!(self.kind(), T::LBrace | T::RBrace) {
                self.bump();
            } else {
                self.item(&mut items);
            }
            if self.pos == before {
                self.bump();
            }
        }
        items.shrink_to_fit();
        items
    }

    /// The keyword of a block; [`Parser::close_block`] belongs to it.
    fn open_block(&mut self) -> Res<()> {
        self.enter_part()?;
        let (keyword, span) = (self.kind(), self.span());
        self.blocks.push(Block { keyword, name: None, span, else_if: None });
        self.bump();
        Ok(())
    }

    fn equation_kind(&mut self) -> Res<EquationKind> {
        match self.kind() {
            T::If => {
                let (branches, otherwise) = self.if_block()?;
                Ok(EquationKind::If { branches, otherwise })
            }
            T::For => {
                self.open_block()?;
                let iterators = self.for_head();
                let body = self.items();
                self.close_block();
                Ok(EquationKind::For { iterators, body })
            }
            T::When => Ok(EquationKind::When { branches: self.when_block()? }),
            T::While => {
                self.while_in_equations();
                self.open_block()?;
                self.condition(T::Loop);
                let body = self.items();
                self.close_block();
                Ok(EquationKind::For { iterators: List::EMPTY, body })
            }
            T::Connect => {
                let (a, b) = self.connect_clause()?;
                Ok(EquationKind::Connect(a, b))
            }
            T::Break | T::Return => Err(self.statement_in_equations()),
            _ => self.plain_equation(),
        }
    }

    /// `a = b` or `f(x)`
    fn plain_equation(&mut self) -> Res<EquationKind> {
        let left = self.simple_expression()?;
        match self.kind() {
            T::Eq => self.bump(),
            T::ColonEq => {
                self.wrong_equals("K0110", "an equation is written with `=`, not `:=`", "`=`");
                self.bump();
            }
            T::Then | T::Loop => return Err(self.unexpected("`=`")),
            _ => match self.ast.exprs[left] {
                Expr::Call { .. } | Expr::CallFor { .. } => return Ok(EquationKind::Call(left)),
                Expr::Binary(crate::ast::BinaryOp::Equal, a, b) => {
                    self.comparison_as_equation(a, b);
                    return Ok(EquationKind::Equal(a, b));
                }
                _ => return Err(self.no_equation()),
            },
        }
        let right = self.expression()?;
        Ok(EquationKind::Equal(left, right))
    }

    /// `connect ( a, b )`
    pub fn connect_clause(&mut self) -> Res<(ComponentRef, ComponentRef)> {
        self.bump();
        self.expect_open("`(` and two connectors")?;
        let a = self.component_reference("a connector")?;
        if !self.eat(T::Comma) {
            return Err(self.unexpected("`,` and a second connector"));
        }
        let b = self.component_reference("a connector")?;
        self.close(T::RParen)?;
        Ok((a, b))
    }

    fn statement_kind(&mut self) -> Res<StatementKind> {
        match self.kind() {
            T::If => {
                let (branches, otherwise) = self.if_block()?;
                Ok(StatementKind::If { branches, otherwise })
            }
            T::For => {
                self.open_block()?;
                let iterators = self.for_head();
                let body = self.items();
                self.close_block();
                Ok(StatementKind::For { iterators, body })
            }
            T::While => {
                self.open_block()?;
                let condition = self.condition(T::Loop);
                let body = self.items();
                self.close_block();
                Ok(StatementKind::While { condition, body })
            }
            T::When => Ok(StatementKind::When { branches: self.when_block()? }),
            T::Break => {
                self.bump();
                Ok(StatementKind::Break)
            }
            T::Return => {
                self.bump();
                self.check_return_value()?;
                Ok(StatementKind::Return)
            }
            T::LParen => self.tuple_assignment(),
            T::Ident | T::Dot => self.assignment_or_call(),
            _ => Err(self.no_statement()),
        }
    }

    fn assignment_or_call(&mut self) -> Res<StatementKind> {
        let target = self.component_reference("a statement")?;
        if self.at(T::LParen) {
            let call = self.call(target)?;
            if matches!(self.kind(), T::ColonEq | T::Eq) {
                self.assignment_to_call(call);
                self.bump();
                let value = self.expression()?;
                return Ok(StatementKind::Assign(target, value));
            }
            return Ok(StatementKind::Call(call));
        }
        if self.at(T::Prime) {
            self.prime(target);
        }
        self.assign_sign()?;
        let value = self.expression()?;
        Ok(StatementKind::Assign(target, value))
    }

    /// `( a, , b ) := f(x)`
    fn tuple_assignment(&mut self) -> Res<StatementKind> {
        self.open();
        let mut targets = Vec::new();
        loop {
            let missing = matches!(self.kind(), T::Comma | T::RParen);
            targets.push(if missing { None } else { Some(self.component_reference("a variable")?) });
            if !self.eat(T::Comma) {
                break;
            }
        }
        self.close(T::RParen)?;
        self.assign_sign()?;
        let call = self.expression()?;
        Ok(StatementKind::AssignTuple { targets: targets.into(), call })
    }

    /// `if c then … elseif d then … else … end if`
    fn if_block<I: Item>(&mut self) -> Res<Branches<I>> {
        let behind_else = self.pos > 0 && self.tokens[self.pos - 1].kind == T::Else && !self.at_line_start();
        if let Some(outer) = self.blocks.last_mut().filter(|_| behind_else) {
            let t = self.tokens[self.pos];
            outer.else_if = Some(Span::new(t.start, t.end));
        }
        self.open_block()?;
        let mut branches = Vec::new();
        let mut otherwise = Vec::new();
        let condition = self.condition(T::Then);
        branches.push((condition, self.items()));
        let mut has_else: Option<Span> = None;
        loop {
            if self.at_elseif() || self.elsewhen_in_if() {
                if let Some(first) = has_else {
                    self.branch_behind_else(first);
                }
                self.bump();
                let condition = self.condition(T::Then);
                branches.push((condition, self.items()));
            } else if self.at(T::Else) {
                if let Some(first) = has_else {
                    self.branch_behind_else(first);
                }
                has_else = Some(self.span());
                self.bump();
                otherwise.extend(self.items());
            } else {
                break;
            }
        }
        branches.shrink_to_fit();
        self.close_block();
        Ok((branches, otherwise))
    }

    /// `when c then … elsewhen d then … end when`
    fn when_block<I: Item>(&mut self) -> Res<Vec<(ExprId, Vec<I>)>> {
        self.open_block()?;
        let mut branches = Vec::new();
        let condition = self.condition(T::Then);
        branches.push((condition, self.items()));
        while self.at(T::Elsewhen) || self.elseif_in_when() {
            let is_else = self.at(T::Else);
            self.bump();
            if is_else {
                self.items::<I>();
                continue;
            }
            let condition = self.condition(T::Then);
            branches.push((condition, self.items()));
        }
        branches.shrink_to_fit();
        self.close_block();
        Ok(branches)
    }

    /// `i in a, j in b loop`
    fn for_head(&mut self) -> List<crate::ast::Iterator> {
        let mark = self.mark();
        let start = self.start();
        let iterators = match self.for_indices() {
            Ok(iterators) => iterators,
            Err(_) => {
                self.skip_head(mark);
                List::EMPTY
            }
        };
        self.expect_then_or_loop(T::Loop, start);
        iterators
    }

    /// A condition and the word behind it. A broken one does not lose the block.
    fn condition(&mut self, word: T) -> ExprId {
        let mark = self.mark();
        let start = self.start();
        let condition = match self.condition_expression() {
            Ok(condition) => condition,
            Err(_) => {
                self.skip_head(mark);
                let span = self.span_from(start);
                self.add_error(span)
            }
        };
        self.expect_then_or_loop(word, start);
        condition
    }

    /// `while` where only equations may be.
    fn while_in_equations(&mut self) {
        let here = self.location(self.span());
        self.report(
            Diagnostic::error(
                "K0135",
                "`while` is a statement: it stands in an `algorithm`, not among equations",
            )
            .at(here, "")
            .help("write a `for` loop, or move the loop to an `algorithm` section"),
        );
    }
}
