//! Short names for building and recognising expressions.

use crate::node::{ExprId, Node, Op};
use crate::pool::Pool;

impl Pool {
    /// 0
    pub fn zero(&mut self) -> ExprId {
        self.constant(0.0)
    }

    /// 1
    pub fn one(&mut self) -> ExprId {
        self.constant(1.0)
    }

    /// `a + b`; for many terms [`Pool::sum`] is faster.
    pub fn add(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.op(Op::Add, &[a, b])
    }

    /// `a - b`
    pub fn sub(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let minus = self.neg(b);
        self.op(Op::Add, &[a, minus])
    }

    /// `a * b`
    pub fn mul(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.op(Op::Mul, &[a, b])
    }

    /// `a ^ b`
    pub fn pow(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.op(Op::Pow, &[a, b])
    }

    /// `a ^ n` for a number `n`.
    pub fn powi(&mut self, a: ExprId, n: i32) -> ExprId {
        let n = self.constant(f64::from(n));
        self.op(Op::Pow, &[a, n])
    }

    /// `factor * a` for a number.
    pub fn times(&mut self, factor: f64, a: ExprId) -> ExprId {
        let factor = self.constant(factor);
        self.op(Op::Mul, &[factor, a])
    }

    /// A function of one argument.
    pub fn apply(&mut self, op: Op, a: ExprId) -> ExprId {
        self.op(op, &[a])
    }

    /// `sqrt(a)`
    pub fn sqrt(&mut self, a: ExprId) -> ExprId {
        self.op(Op::Sqrt, &[a])
    }

    /// `abs(a)`
    pub fn abs(&mut self, a: ExprId) -> ExprId {
        self.op(Op::Abs, &[a])
    }

    /// `min(a, b)`
    pub fn min(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.op(Op::Min, &[a, b])
    }

    /// `max(a, b)`
    pub fn max(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.op(Op::Max, &[a, b])
    }

    /// `a < b`
    pub fn less(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.op(Op::Less, &[a, b])
    }

    /// `a <= b`
    pub fn less_equal(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.op(Op::LessEqual, &[a, b])
    }

    /// `a == b`
    pub fn equal(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.op(Op::Equal, &[a, b])
    }

    /// `a and b`
    pub fn and(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.op(Op::And, &[a, b])
    }

    /// `a or b`
    pub fn or(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.op(Op::Or, &[a, b])
    }

    /// `if c then a else b`
    pub fn if_then_else(&mut self, c: ExprId, a: ExprId, b: ExprId) -> ExprId {
        self.op(Op::If, &[c, a, b])
    }

    /// `noEvent(a)`
    pub fn no_event(&mut self, a: ExprId) -> ExprId {
        self.op(Op::NoEvent, &[a])
    }

    /// `time`
    pub fn time(&mut self) -> ExprId {
        self.op(Op::Time, &[])
    }

    /// Is it the number 0?
    pub fn is_zero(&self, a: ExprId) -> bool {
        self.as_constant(a) == Some(0.0)
    }

    /// Is it the number 1?
    pub fn is_one(&self, a: ExprId) -> bool {
        self.as_constant(a) == Some(1.0)
    }

    /// Is it a number?
    pub fn is_constant(&self, a: ExprId) -> bool {
        self.as_constant(a).is_some()
    }

    /// The operand, if it is a negation.
    pub fn as_neg(&self, a: ExprId) -> Option<ExprId> {
        match self.node(a) {
            Node::Op(Op::Neg, &[inner]) => Some(inner),
            _ => None,
        }
    }

    /// The operator and its arguments, if it is one.
    pub fn as_op(&self, a: ExprId) -> Option<(Op, &[ExprId])> {
        match self.node(a) {
            Node::Op(op, args) => Some((op, args)),
            _ => None,
        }
    }
}
