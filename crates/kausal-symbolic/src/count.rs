//! Counting operations as the papers do.
//!
//! Every binary `+ - * /` counts one, a unary minus nothing, a function call one `call`. `x^2` is one
//! multiplication, `x^3` two, `x^4` two, as [`power`](crate::evaluate::power) computes them; other powers are calls.
//! Relations, logic, `if` and what only steers events (`noEvent`, `smooth`, `pre`, …) count nothing.

use std::ops::{Add, AddAssign};

use rustc_hash::FxHashMap;

use crate::evaluate::{MULTIPLIED_POWER, power_operations};
use crate::node::{ExprId, Node, Op};
use crate::pool::Pool;
use crate::visit::reachable;

/// Numbers of operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Operations {
    /// `+` and `-`
    pub add: u64,
    /// `*` and `/`
    pub mul: u64,
    /// Calls of functions, also of built-in ones.
    pub call: u64,
}

impl Operations {
    /// All of them.
    pub fn total(self) -> u64 {
        self.add.saturating_add(self.mul).saturating_add(self.call)
    }
}

impl Add for Operations {
    type Output = Operations;

    fn add(self, other: Operations) -> Operations {
        Operations {
            add: self.add.saturating_add(other.add),
            mul: self.mul.saturating_add(other.mul),
            call: self.call.saturating_add(other.call),
        }
    }
}

impl AddAssign for Operations {
    fn add_assign(&mut self, other: Operations) {
        *self = *self + other;
    }
}

/// The operations of one node without its arguments.
pub fn node_operations(pool: &Pool, id: ExprId) -> Operations {
    let call = Operations { call: 1, ..Operations::default() };
    let mul = |n: u64| Operations { mul: n, ..Operations::default() };
    match pool.node(id) {
        Node::Const(_) | Node::Text(_) | Node::Var(_) | Node::Output(..) => Operations::default(),
        Node::Call(..) => call,
        Node::Op(op, args) => match op {
            Op::Add => Operations { add: (args.len() as u64).saturating_sub(1), ..Operations::default() },
            Op::Mul => mul((args.len() as u64).saturating_sub(1)),
            Op::Div => mul(1),
            Op::Pow => match args.get(1).and_then(|&n| pool.as_constant(n)) {
                Some(n) if n.fract() == 0.0 && n.abs() <= f64::from(MULTIPLIED_POWER) => {
                    mul(u64::from(power_operations(n)))
                }
                _ => call,
            },
            Op::Sqrt
            | Op::Exp
            | Op::Log
            | Op::Log10
            | Op::Sin
            | Op::Cos
            | Op::Tan
            | Op::Asin
            | Op::Acos
            | Op::Atan
            | Op::Atan2
            | Op::Sinh
            | Op::Cosh
            | Op::Tanh
            | Op::Abs
            | Op::Sign
            | Op::Min
            | Op::Max
            | Op::Floor
            | Op::Ceil
            | Op::Integer
            | Op::IntegerDiv
            | Op::Mod
            | Op::Rem
            | Op::Delay => call,
            Op::Neg
            | Op::Less
            | Op::LessEqual
            | Op::Equal
            | Op::NotEqual
            | Op::Not
            | Op::And
            | Op::Or
            | Op::If
            | Op::Time
            | Op::Der
            | Op::Pre
            | Op::Initial
            | Op::Terminal
            | Op::Sample
            | Op::NoEvent
            | Op::Smooth
            | Op::Homotopy => Operations::default(),
        },
    }
}

/// The operations of an expression written out, common parts counted as often as they occur; saturating.
pub fn written_operations(pool: &Pool, expr: ExprId) -> Operations {
    let mut counts: FxHashMap<ExprId, Operations> = FxHashMap::default();
    for id in reachable(pool, &[expr], |_| true) {
        let mut count = node_operations(pool, id);
        for child in pool.children(id) {
            count += counts[child];
        }
        counts.insert(id, count);
    }
    counts[&expr]
}

/// The operations of several expressions when everything common is computed once.
pub fn shared_operations(pool: &Pool, exprs: &[ExprId]) -> Operations {
    let mut counter = Counter::new();
    for &expr in exprs {
        counter.add(pool, expr);
    }
    counter.total
}

/// Counts expressions one after the other; what was counted before is not counted again.
#[derive(Clone, Debug, Default)]
pub struct Counter {
    /// The operations so far.
    pub total: Operations,
    seen: rustc_hash::FxHashSet<ExprId>,
}

impl Counter {
    /// Nothing counted.
    pub fn new() -> Self {
        Counter::default()
    }

    /// Adds an expression and returns what it adds.
    pub fn add(&mut self, pool: &Pool, expr: ExprId) -> Operations {
        let mut new = Operations::default();
        let mut stack = vec![expr];
        while let Some(id) = stack.pop() {
            if self.seen.insert(id) {
                new += node_operations(pool, id);
                stack.extend(pool.children(id));
            }
        }
        self.total += new;
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::VarId;

    #[test]
    fn as_the_papers_count() {
        let mut pool = Pool::new();
        let [a, b, c] = [0, 1, 2].map(|i| pool.var(VarId(i)));
        let check = |pool: &Pool, e: ExprId, add: u64, mul: u64, call: u64| {
            assert_eq!(written_operations(pool, e), Operations { add, mul, call });
        };
        let difference = pool.sub(a, b);
        check(&pool, difference, 1, 0, 0);
        let minus = pool.neg(a);
        check(&pool, minus, 0, 0, 0);
        let cube = pool.powi(a, 3);
        check(&pool, cube, 0, 2, 0);
        let root = pool.sqrt(cube);
        check(&pool, root, 0, 2, 1);
        let quotient = pool.div(difference, c);
        check(&pool, quotient, 1, 1, 0);
        let sine = pool.apply(Op::Sin, quotient);
        let twice = pool.mul(sine, quotient);
        check(&pool, twice, 2, 3, 1);
        assert_eq!(shared_operations(&pool, &[twice, quotient]), Operations { add: 1, mul: 2, call: 1 });
        let power = pool.pow(a, b);
        check(&pool, power, 0, 0, 1);
        let mut counter = Counter::new();
        counter.add(&pool, quotient);
        assert_eq!(counter.add(&pool, twice), Operations { add: 0, mul: 1, call: 1 });
    }

    #[test]
    fn written_out_exponentially_large() {
        let mut pool = Pool::new();
        let mut e = pool.var(VarId(0));
        for _ in 0..100 {
            let (s, c) = (pool.apply(Op::Sin, e), pool.apply(Op::Cos, e));
            e = pool.mul(s, c);
        }
        assert_eq!(written_operations(&pool, e).mul, u64::MAX);
        assert_eq!(shared_operations(&pool, &[e]), Operations { add: 0, mul: 100, call: 200 });
    }
}
