//! Simplification, done once when an expression is built.
//!
//! The stored form, which every rule keeps:
//!
//! - **Sums** are flat (up to [`FLAT`] terms of an inner sum are taken over), ordered by the creation of their terms
//!   with the number last, without like terms; not all terms are negative.
//! - **Products** are flat, ordered likewise with the number first; equal factors are a power; the number is
//!   positive.
//! - **Signs** are outside: `Neg` stands above products and quotients, never inside them. `a - b` is
//!   `Add[a, Neg b]`. `Neg` of a sum stays only when all its terms are positive.
//! - **Numeric factors** of a quotient are outside too: `2*(a/b)`, except `2/b`. A division by a number stays one:
//!   `x/0.1` is not `10*x`. Two numeric factors become one, which rounds no more often than the two did.
//! - **Numbers** are folded with [`Op::eval`] where the result is finite; `1/0` stays as it is.
//!
//! Nothing is expanded or factored, so an operator costs time in its own arguments only and the result never has
//! more operations. The usual liberties are taken: `x - x`, `0*x` and `0/x` are 0, `x/x` and `x^0` are 1, whatever
//! `x` is; `sqrt(x)^2` and `exp(log(x))`, which say something about the sign of `x`, stay. Like terms whose
//! coefficients cancel up to rounding (`0.1*x + 0.2*x - 0.3*x`) are gone.
//!
//! Relations are kept as written, so that one relation causes one event; `not`, `and`, `or` and `if` are
//! simplified around them, and the order of `and` and `or` is kept because guards come first.

mod product;
mod sum;

use smallvec::SmallVec;

use crate::evaluate::power_operations;
use crate::node::{ExprId, Node, Op};
use crate::pool::Pool;

pub(crate) use product::Powers;
pub use sum::FLAT;
pub(crate) use sum::Scaled;

pub(crate) type Args = SmallVec<[ExprId; 8]>;

impl Pool {
    pub(crate) fn simplified(&mut self, op: Op, args: &[ExprId]) -> ExprId {
        match (op, args) {
            (Op::Add, _) => self.sum(args),
            (Op::Mul, _) => self.product(args),
            (Op::Neg, &[a]) => self.neg(a),
            (Op::Div, &[a, b]) => self.div(a, b),
            (Op::Not, &[a]) => self.not(a),
            (Op::And | Op::Or, _) => self.conjunction(op, args),
            (Op::If, &[c, a, b]) => self.choice(c, a, b),
            (Op::Pre | Op::Delay, &[a, ..]) if self.is_constant(a) => a,
            (Op::Der, &[a]) if self.is_constant(a) => self.constant(0.0),
            (Op::Homotopy, &[a, b]) if a == b => a,
            (Op::NoEvent, &[a]) | (Op::Smooth, &[_, a]) if !self.has_events(a) => a,
            (Op::Sample | Op::Initial | Op::Terminal | Op::Time | Op::Homotopy, _) => {
                self.intern_op(op, args)
            }
            _ => match self.folded(op, args) {
                Some(value) => self.constant(value),
                None => self.rewritten(op, args),
            },
        }
    }

    /// The value, if all arguments are numbers and the value is finite.
    fn folded(&self, op: Op, args: &[ExprId]) -> Option<f64> {
        let mut values: SmallVec<[f64; 8]> = SmallVec::new();
        for &arg in args {
            values.push(self.as_constant(arg)?);
        }
        let value = op.eval(&values);
        (value.is_finite() && !args.is_empty() && !op.is_context_dependent()).then_some(value)
    }

    fn rewritten(&mut self, op: Op, args: &[ExprId]) -> ExprId {
        match (op, args) {
            (Op::Pow, &[a, b]) => self.simplified_power(a, b),
            (Op::Min | Op::Max, &[a, b]) => self.extremum(op, a, b),
            (Op::Less | Op::NotEqual, &[a, b]) if a == b => self.boolean(false),
            (Op::LessEqual | Op::Equal, &[a, b]) if a == b => self.boolean(true),
            (Op::Equal | Op::NotEqual, &[a, b]) => match (self.node(a), self.node(b)) {
                (Node::Text(_), Node::Text(_)) => self.boolean(op == Op::NotEqual),
                // The older one first, a number second.
                _ if self.is_constant(a) || b < a && !self.is_constant(b) => self.intern_op(op, &[b, a]),
                _ => self.intern_op(op, args),
            },
            (Op::Sin | Op::Tan | Op::Asin | Op::Atan | Op::Sinh | Op::Tanh | Op::Sign, &[a]) => {
                match self.node(a) {
                    Node::Op(Op::Neg, &[inner]) => {
                        let positive = self.op(op, &[inner]);
                        self.neg(positive)
                    }
                    _ => self.intern_op(op, args),
                }
            }
            (Op::Cos | Op::Cosh | Op::Abs, &[a]) => match self.node(a) {
                Node::Op(Op::Neg, &[inner]) => self.op(op, &[inner]),
                Node::Op(Op::Abs, &[inner]) => self.op(op, &[inner]),
                Node::Op(Op::Sqrt | Op::Exp | Op::Cosh, _) if op == Op::Abs => a,
                _ => self.intern_op(op, args),
            },
            (Op::Sqrt, &[a]) => match self.node(a) {
                Node::Op(Op::Pow, &[base, exponent]) if self.as_constant(exponent) == Some(2.0) => {
                    self.op(Op::Abs, &[base])
                }
                _ => self.intern_op(op, args),
            },
            (Op::Log, &[a]) => match self.node(a) {
                Node::Op(Op::Exp, &[inner]) => inner,
                _ => self.intern_op(op, args),
            },
            (Op::Floor | Op::Ceil | Op::Integer, &[a]) => match self.node(a) {
                Node::Op(Op::Floor | Op::Ceil | Op::Integer | Op::IntegerDiv, _) => a,
                _ => self.intern_op(op, args),
            },
            _ => self.intern_op(op, args),
        }
    }

    fn simplified_power(&mut self, base: ExprId, exponent: ExprId) -> ExprId {
        if self.as_constant(base) == Some(1.0) {
            return base;
        }
        let Some(n) = self.as_constant(exponent) else { return self.intern_op(Op::Pow, &[base, exponent]) };
        let integer = n.fract() == 0.0;
        let even = integer && (n / 2.0).fract() == 0.0;
        if n == 0.0 {
            return self.constant(1.0);
        }
        if n == 1.0 {
            return base;
        }
        if n == 0.5 {
            return self.op(Op::Sqrt, &[base]);
        }
        if integer && n < 0.0 {
            let positive = self.constant(-n);
            let denominator = self.op(Op::Pow, &[base, positive]);
            let one = self.constant(1.0);
            return self.div(one, denominator);
        }
        match self.node(base) {
            Node::Op(Op::Neg, &[inner]) if integer => {
                let power = self.op(Op::Pow, &[inner, exponent]);
                if even { power } else { self.neg(power) }
            }
            Node::Op(Op::Abs, &[inner]) if even => self.op(Op::Pow, &[inner, exponent]),
            Node::Op(Op::Pow, &[inner, first]) if integer => match self.as_constant(first) {
                Some(m)
                    if m.fract() == 0.0
                        && power_operations(m * n) <= power_operations(m) + power_operations(n) =>
                {
                    let product = self.constant(m * n);
                    self.op(Op::Pow, &[inner, product])
                }
                _ => self.intern_op(Op::Pow, &[base, exponent]),
            },
            _ => self.intern_op(Op::Pow, &[base, exponent]),
        }
    }

    fn extremum(&mut self, op: Op, a: ExprId, b: ExprId) -> ExprId {
        if a == b {
            return a;
        }
        let (number, other) = match (self.as_constant(a), self.as_constant(b)) {
            (Some(number), None) => (number, b),
            (None, Some(number)) => (number, a),
            _ => return self.intern_op(op, &[a.min(b), a.max(b)]),
        };
        // A number stands second; two of them become one.
        if let Node::Op(inner, &[x, y]) = self.node(other)
            && inner == op
            && let Some(second) = self.as_constant(y)
            && !(number.is_nan() || second.is_nan())
        {
            let y = self.constant(op.eval(&[number, second]));
            return self.op(op, &[x, y]);
        }
        let number = self.constant(number);
        self.intern_op(op, &[other, number])
    }

    /// `not a`
    pub fn not(&mut self, a: ExprId) -> ExprId {
        match self.node(a) {
            Node::Const(value) => self.boolean(value == 0.0),
            Node::Op(Op::Not, &[inner]) => inner,
            _ => self.intern_op(Op::Not, &[a]),
        }
    }

    /// `and` and `or`: flat, each argument once, the order kept.
    fn conjunction(&mut self, op: Op, args: &[ExprId]) -> ExprId {
        let absorbing = op == Op::Or;
        let mut flat = Args::new();
        for &arg in args {
            match self.node(arg) {
                Node::Const(value) if (value != 0.0) == absorbing => return self.boolean(absorbing),
                Node::Const(_) => {}
                Node::Op(inner, below) if inner == op && below.len() <= FLAT => flat.extend_from_slice(below),
                _ => flat.push(arg),
            }
        }
        let mut seen = rustc_hash::FxHashSet::default();
        flat.retain(|arg| seen.insert(*arg));
        for &arg in &flat {
            if let Node::Op(Op::Not, &[inner]) = self.node(arg)
                && seen.contains(&inner)
            {
                return self.boolean(absorbing);
            }
        }
        match flat.as_slice() {
            [] => self.boolean(!absorbing),
            &[only] => only,
            _ => self.intern_op(op, &flat),
        }
    }

    fn choice(&mut self, c: ExprId, a: ExprId, b: ExprId) -> ExprId {
        if a == b {
            return a;
        }
        match self.node(c) {
            Node::Const(value) => return if value != 0.0 { a } else { b },
            Node::Op(Op::Not, &[inner]) => return self.op(Op::If, &[inner, b, a]),
            _ => {}
        }
        // A branch that asks the same question again knows the answer.
        match (self.node(a), self.node(b)) {
            (Node::Op(Op::If, &[again, yes, _]), _) if again == c => self.op(Op::If, &[c, yes, b]),
            (_, Node::Op(Op::If, &[again, _, no])) if again == c => self.op(Op::If, &[c, a, no]),
            _ => self.intern_op(Op::If, &[c, a, b]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::VarId;

    /// Simplifying what is stored gives it back, not by looking it up but by the rules.
    #[test]
    fn the_stored_form_is_a_fixed_point() {
        const OPS: [Op; 24] = [
            Op::Add,
            Op::Add,
            Op::Add,
            Op::Mul,
            Op::Mul,
            Op::Mul,
            Op::Neg,
            Op::Neg,
            Op::Div,
            Op::Div,
            Op::Div,
            Op::Pow,
            Op::Sqrt,
            Op::Sin,
            Op::Cos,
            Op::Abs,
            Op::Min,
            Op::Less,
            Op::Equal,
            Op::Not,
            Op::And,
            Op::Or,
            Op::If,
            Op::NoEvent,
        ];
        // A linear congruential generator (Knuth's constants): the same graphs in every run.
        let mut state = 1u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as usize % below
        };
        for _ in 0..3000 {
            let mut pool = Pool::new();
            let mut nodes: Vec<ExprId> = (0..3).map(|i| pool.var(VarId(i))).collect();
            nodes.extend([0.0, 1.0, 2.0, -3.0, 0.1, 0.5].map(|value| pool.constant(value)));
            for _ in 0..60 {
                let op = OPS[random(OPS.len())];
                let arity = match op {
                    Op::Add | Op::Mul | Op::And | Op::Or => 2 + random(3),
                    Op::Div | Op::Pow | Op::Min | Op::Less | Op::Equal => 2,
                    Op::If => 3,
                    _ => 1,
                };
                let args: Vec<ExprId> = (0..arity).map(|_| nodes[random(nodes.len())]).collect();
                nodes.push(pool.op(op, &args));
            }
            for id in nodes {
                if let Node::Op(op, args) = pool.node(id) {
                    let args = args.to_vec();
                    let again = pool.simplified(op, &args);
                    let text = |id| crate::print::print(&pool, id, &|var| format!("v{}", var.0));
                    assert_eq!(again, id, "{} became {}", text(id), text(again));
                }
            }
        }
    }
}
