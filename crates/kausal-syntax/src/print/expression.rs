//! Expressions as Modelica text, with as few parentheses as the grammar allows.
//!
//! The recursion follows the nesting of the tree, which the parsers limit; the left side of operators, which they
//! do not limit, is walked in a loop.

use crate::arena::List;
use crate::ast::{Arg, BinaryOp, ComponentRef, Expr, ExprId, Iterator as ForIndex, UnaryOp};

use super::text::Printer;

// What may stand in a place without parentheses, from loose to tight: anything, then as the grammar's productions.
const ANY: u8 = 0;
const SIMPLE: u8 = 1;
const OR: u8 = 2;
const AND: u8 = 3;
const NOT: u8 = 4;
const RELATION: u8 = 5;
const SUM: u8 = 6;
const PRODUCT: u8 = 7;
const POWER: u8 = 8;
const PRIMARY: u8 = 9;

fn strength(expr: &Expr) -> u8 {
    match expr {
        Expr::If { .. } => ANY,
        Expr::Range { .. } => SIMPLE,
        Expr::Binary(op, ..) => binary_strength(*op),
        Expr::Unary(UnaryOp::Not, _) => NOT,
        Expr::Unary(..) => SUM,
        // A negative literal, as a translator may make it, reads back as a sign and a literal.
        Expr::Integer(value) if *value < 0 => SUM,
        Expr::Real(value) if value.is_sign_negative() => SUM,
        _ => PRIMARY,
    }
}

fn binary_strength(op: BinaryOp) -> u8 {
    match op {
        BinaryOp::Or => OR,
        BinaryOp::And => AND,
        BinaryOp::Equal
        | BinaryOp::NotEqual
        | BinaryOp::Less
        | BinaryOp::LessEqual
        | BinaryOp::Greater
        | BinaryOp::GreaterEqual => RELATION,
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::ElementAdd | BinaryOp::ElementSub => SUM,
        BinaryOp::Mul | BinaryOp::Div | BinaryOp::ElementMul | BinaryOp::ElementDiv => PRODUCT,
        BinaryOp::Pow | BinaryOp::ElementPow => POWER,
    }
}

/// The operator as written.
pub(super) fn binary_text(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Pow => "^",
        BinaryOp::ElementAdd => ".+",
        BinaryOp::ElementSub => ".-",
        BinaryOp::ElementMul => ".*",
        BinaryOp::ElementDiv => "./",
        BinaryOp::ElementPow => ".^",
        BinaryOp::Equal => "==",
        BinaryOp::NotEqual => "<>",
        BinaryOp::Less => "<",
        BinaryOp::LessEqual => "<=",
        BinaryOp::Greater => ">",
        BinaryOp::GreaterEqual => ">=",
        BinaryOp::And => "and",
        BinaryOp::Or => "or",
    }
}

/// The operator as written.
pub(super) fn unary_text(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Minus => "-",
        UnaryOp::Plus => "+",
        UnaryOp::ElementMinus => ".-",
        UnaryOp::ElementPlus => ".+",
        UnaryOp::Not => "not",
    }
}

/// A real literal: the shortest text that reads back as the same number.
pub(super) fn real_text(value: f64) -> String {
    if value.is_infinite() {
        // Written as a literal beyond the range, and read back as such.
        return if value > 0.0 { "1e999".to_owned() } else { "-1e999".to_owned() };
    }
    format!("{value:?}")
}

impl Printer<'_> {
    /// An expression where any may stand.
    pub fn expression(&mut self, id: ExprId) {
        self.operand(id, ANY);
    }

    /// An expression on the left of an equation, where no `if` may stand.
    pub fn simple_expression(&mut self, id: ExprId) {
        self.operand(id, SIMPLE);
    }

    fn operand(&mut self, id: ExprId, min: u8) {
        if let Expr::Binary(..) = self.ast.exprs[id] {
            return self.operators(id, min);
        }
        let parentheses = strength(&self.ast.exprs[id]) < min;
        if parentheses {
            self.out.push('(');
        }
        self.plain(id);
        if parentheses {
            self.out.push(')');
        }
    }

    /// A chain of operators: down the left side first, then the right sides on the way back.
    fn operators(&mut self, id: ExprId, min: u8) {
        let mut chain: Vec<(BinaryOp, ExprId, bool)> = Vec::new();
        let (mut at, mut min) = (id, min);
        while let Expr::Binary(op, left, right) = self.ast.exprs[at] {
            let own = binary_strength(op);
            let parentheses = own < min;
            if parentheses {
                self.out.push('(');
            }
            chain.push((op, right, parentheses));
            at = left;
            // Relations and powers do not associate.
            min = if matches!(own, RELATION | POWER) { own + 1 } else { own };
        }
        self.operand(at, min);
        for (op, right, parentheses) in chain.into_iter().rev() {
            let own = binary_strength(op);
            let text = binary_text(op);
            // `2 .* x`: a dot must not join the digits before it.
            if own >= PRODUCT && !text.starts_with('.') {
                self.out.push_str(text);
            } else {
                self.out.push(' ');
                self.out.push_str(text);
                self.out.push(' ');
            }
            self.operand(right, own + 1);
            if parentheses {
                self.out.push(')');
            }
        }
    }

    /// Anything but a binary operation, without parentheses around it.
    fn plain(&mut self, id: ExprId) {
        match self.ast.exprs[id] {
            Expr::Integer(value) => self.out.push_str(&value.to_string()),
            Expr::Real(value) => self.out.push_str(&real_text(value)),
            Expr::String(s) => self.string(s),
            Expr::Boolean(value) => self.out.push_str(if value { "true" } else { "false" }),
            Expr::Ref(reference) => self.reference(reference),
            Expr::Unary(op, operand) => {
                self.out.push_str(unary_text(op));
                if op == UnaryOp::Not {
                    self.out.push(' ');
                    self.operand(operand, RELATION);
                } else {
                    self.operand(operand, PRODUCT);
                }
            }
            Expr::Binary(..) => self.operators(id, ANY),
            Expr::If { branches, otherwise } => {
                let mut word = "if ";
                for &(condition, value) in self.ast.lists.branches.get(branches) {
                    self.out.push_str(word);
                    self.expression(condition);
                    self.out.push_str(" then ");
                    self.expression(value);
                    word = " elseif ";
                }
                self.out.push_str(" else ");
                self.expression(otherwise);
            }
            Expr::Range { start, step, stop } => {
                self.operand(start, OR);
                self.out.push(':');
                if let Some(step) = step {
                    self.operand(step, OR);
                    self.out.push(':');
                }
                self.operand(stop, OR);
            }
            Expr::Call { function, args } => {
                self.reference(function);
                self.call_arguments(args);
            }
            Expr::CallFor { function, body, iterators } => {
                self.reference(function);
                self.out.push('(');
                self.expression(body);
                self.out.push_str(" for ");
                self.iterators(iterators);
                self.out.push(')');
            }
            Expr::Function { function, args } => {
                self.out.push_str("function ");
                self.name(function);
                self.call_arguments(args);
            }
            Expr::Array(items) => {
                self.out.push('{');
                self.expressions(items);
                self.out.push('}');
            }
            Expr::ArrayFor { body, iterators } => {
                self.out.push('{');
                self.expression(body);
                self.out.push_str(" for ");
                self.iterators(iterators);
                self.out.push('}');
            }
            Expr::Matrix(rows) => {
                self.out.push('[');
                for (i, &row) in self.ast.lists.rows.get(rows).iter().enumerate() {
                    if i > 0 {
                        self.out.push_str("; ");
                    }
                    self.expressions(row);
                }
                self.out.push(']');
            }
            Expr::Tuple(items) => {
                self.out.push('(');
                self.expressions(items);
                self.out.push(')');
            }
            Expr::Missing => {}
            Expr::Colon => self.out.push(':'),
            Expr::End => self.out.push_str("end"),
            Expr::Error => self.out.push('…'),
        }
    }

    pub fn expressions(&mut self, items: List<ExprId>) {
        for (i, &item) in self.ast.lists.exprs.get(items).iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            self.expression(item);
        }
    }

    fn call_arguments(&mut self, args: List<Arg>) {
        self.out.push('(');
        for (i, arg) in self.ast.lists.args.get(args).iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            if let Some(name) = arg.name {
                self.out.push_str(name.symbol.as_str());
                self.out.push_str(" = ");
            }
            self.expression(arg.value);
        }
        self.out.push(')');
    }

    pub fn iterators(&mut self, iterators: List<ForIndex>) {
        for (i, iterator) in self.ast.lists.iterators.get(iterators).iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            self.out.push_str(iterator.name.symbol.as_str());
            if let Some(range) = iterator.range {
                self.out.push_str(" in ");
                self.expression(range);
            }
        }
    }

    pub fn reference(&mut self, reference: ComponentRef) {
        for (i, part) in self.ast.lists.parts.get(reference.parts).iter().enumerate() {
            if i > 0 || reference.global {
                self.out.push('.');
            }
            self.out.push_str(part.name.symbol.as_str());
            self.subscripts(part.subscripts);
        }
    }

    /// `[i, j]`, or nothing.
    pub fn subscripts(&mut self, subscripts: List<ExprId>) {
        if !subscripts.is_empty() {
            self.out.push('[');
            self.expressions(subscripts);
            self.out.push(']');
        }
    }
}
