//! Products and quotients.
//!
//! Factors are collected as powers of bases, the bases compared by id. A quotient inside a product or a quotient is
//! taken apart only when something cancels (`y*(1/x)` is `y/x`); otherwise its shape is kept, because what depends on parameters only is
//! computed once elsewhere.

use smallvec::SmallVec;

use super::Args;
use super::sum::{FLAT, Scaled};
use crate::node::{ExprId, Node, Op};
use crate::pool::Pool;

/// A base and its integer exponent.
pub(crate) type Power = (ExprId, i64);
pub(crate) type Powers = SmallVec<[Power; 8]>;

/// Exponents beyond this are not merged.
const LARGEST_EXPONENT: f64 = 1e9;

impl Pool {
    /// The product of any number of factors; 1 for none.
    pub fn product(&mut self, factors: &[ExprId]) -> ExprId {
        let mut numerator = 1.0;
        let mut denominator = 1.0;
        let mut bodies = Args::new();
        for &factor in factors {
            if self.is_zero(factor) {
                return self.nothing(factor, factors);
            }
            let part = self.split(factor);
            if !times(&mut numerator, part.numerator) || !times(&mut denominator, part.denominator) {
                // The numbers do not fit together: as it is.
                return self.intern_op(Op::Mul, factors);
            }
            match self.node(part.body) {
                Node::Const(1.0) => {}
                Node::Op(Op::Mul, inner) if inner.len() <= FLAT && !self.is_zero(inner[0]) => {
                    bodies.extend_from_slice(inner);
                }
                _ => bodies.push(part.body),
            }
        }
        let body = self.product_of_bodies(&bodies);
        let part = self.split(body);
        if times(&mut numerator, part.numerator) && times(&mut denominator, part.denominator) {
            self.scale(Scaled { numerator, denominator, body: part.body })
        } else {
            self.intern_op(Op::Mul, factors)
        }
    }

    /// A product with the factor zero. Calls that do more than give a number are made all the same: they stay, as the
    /// only factors beside it.
    fn nothing(&mut self, zero: ExprId, factors: &[ExprId]) -> ExprId {
        let mut kept: Args =
            factors.iter().copied().filter(|&factor| self.has_impure_calls(factor)).collect();
        if kept.is_empty() {
            return zero;
        }
        kept.insert(0, zero);
        self.intern_op(Op::Mul, &kept)
    }

    /// `a / b`
    pub fn div(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let (left, right) = (self.as_constant(a), self.as_constant(b));
        match (left, right) {
            (_, Some(0.0)) => return self.intern_op(Op::Div, &[a, b]),
            (Some(x), Some(y)) => {
                return if (x / y).is_finite() {
                    self.constant(x / y)
                } else {
                    self.intern_op(Op::Div, &[a, b])
                };
            }
            (Some(0.0), _) | (_, Some(1.0)) => return a,
            _ => {}
        }
        if a == b {
            return self.constant(1.0);
        }
        let top = self.split(a);
        let bottom = self.split(b);
        let mut numerator = top.numerator;
        let mut denominator = top.denominator;
        if !times(&mut numerator, bottom.denominator) || !times(&mut denominator, bottom.numerator) {
            return self.intern_op(Op::Div, &[a, b]);
        }
        let body = self.quotient_of_bodies(top.body, bottom.body);
        let part = self.split(body);
        if times(&mut numerator, part.numerator) && times(&mut denominator, part.denominator) {
            self.scale(Scaled { numerator, denominator, body: part.body })
        } else {
            self.intern_op(Op::Div, &[a, b])
        }
    }

    fn product_of_bodies(&mut self, bodies: &[ExprId]) -> ExprId {
        let quotients = bodies.iter().any(|&body| matches!(self.node(body), Node::Op(Op::Div, _)));
        let mut powers = Powers::new();
        if quotients {
            for &body in bodies {
                self.take_apart(body, 1, &mut powers);
            }
            if !cancels(&mut powers) {
                // Only reciprocals are moved: y*(1/x) is y/x.
                powers.clear();
                for &body in bodies {
                    match self.node(body) {
                        Node::Op(Op::Div, &[one, b]) if self.is_one(one) && !self.is_constant(b) => {
                            self.take_factors(b, -1, &mut powers);
                        }
                        _ => powers.push(self.power_of(body, 1)),
                    }
                }
            }
        } else {
            for &body in bodies {
                powers.push(self.power_of(body, 1));
            }
        }
        self.build(powers)
    }

    fn quotient_of_bodies(&mut self, a: ExprId, b: ExprId) -> ExprId {
        if a == b {
            return self.constant(1.0);
        }
        if self.is_one(b) {
            return a;
        }
        if let Node::Op(Op::Div, &[c, d]) = self.node(b)
            && (self.is_one(a) || self.is_one(c))
            && !self.is_constant(d)
        {
            // 1/(c/d) and a/(1/d) are one operation less the other way round.
            if self.is_one(a) {
                return self.div(d, c);
            }
            return self.product(&[a, d]);
        }
        if let Node::Op(Op::Div, &[one, q]) = self.node(a)
            && self.is_one(one)
            && !self.is_constant(q)
        {
            // (1/q)/b with one division less.
            let bottom = self.product(&[q, b]);
            return self.div(one, bottom);
        }
        let mut powers = Powers::new();
        self.take_apart(a, 1, &mut powers);
        self.take_apart(b, -1, &mut powers);
        if cancels(&mut powers) { self.build(powers) } else { self.intern_op(Op::Div, &[a, b]) }
    }

    /// Factors of products and quotients inside each other, as many as [`FLAT`].
    pub(crate) fn take_apart(&self, body: ExprId, exponent: i64, powers: &mut Powers) {
        let mut stack: Powers = SmallVec::from_slice(&[(body, exponent)]);
        let mut room = FLAT;
        while let Some((part, exponent)) = stack.pop() {
            match self.node(part) {
                // A division by the number zero stays as it is.
                Node::Op(Op::Div, &[a, b]) if room > 0 && !self.is_constant(b) => {
                    room -= 1;
                    stack.extend([(a, exponent), (b, -exponent)]);
                }
                Node::Op(Op::Mul, factors) if factors.len() <= room => {
                    room -= factors.len();
                    stack.extend(factors.iter().map(|&factor| (factor, exponent)));
                }
                _ => powers.push(self.power_of(part, exponent)),
            }
        }
    }

    fn take_factors(&self, body: ExprId, exponent: i64, powers: &mut Powers) {
        match self.node(body) {
            Node::Op(Op::Mul, factors) if factors.len() <= FLAT => {
                powers.extend(factors.iter().map(|&factor| self.power_of(factor, exponent)));
            }
            _ => powers.push(self.power_of(body, exponent)),
        }
    }

    fn power_of(&self, factor: ExprId, exponent: i64) -> Power {
        if let Node::Op(Op::Pow, &[base, n]) = self.node(factor)
            && let Some(n) = self.as_constant(n)
            && n.fract() == 0.0
            && n.abs() <= LARGEST_EXPONENT
        {
            return (base, n as i64 * exponent);
        }
        (factor, exponent)
    }

    /// A quotient of two products of powers.
    fn build(&mut self, mut powers: Powers) -> ExprId {
        powers.sort_by_key(|&(base, _)| base);
        let mut top = Args::new();
        let mut bottom = Args::new();
        let mut again = false;
        let mut start = 0;
        while start < powers.len() {
            let base = powers[start].0;
            let end = start + powers[start..].iter().take_while(|power| power.0 == base).count();
            let exponent: i64 = powers[start..end].iter().map(|power| power.1).sum();
            start = end;
            if exponent == 0 || self.is_one(base) {
                continue;
            }
            let factor = match exponent.unsigned_abs() {
                1 => base,
                n => {
                    let n = self.constant(n as f64);
                    let power = self.op(Op::Pow, &[base, n]);
                    // abs(x)^2 is x^2, which may go together with another factor.
                    again |= !matches!(self.node(power), Node::Op(Op::Pow, &[same, _]) if same == base);
                    power
                }
            };
            if exponent > 0 { top.push(factor) } else { bottom.push(factor) }
        }
        if again {
            let (top, bottom) = (self.product(&top), self.product(&bottom));
            return self.div(top, bottom);
        }
        let top = self.store_product(&top);
        if bottom.is_empty() {
            return top;
        }
        let bottom = self.store_product(&bottom);
        self.intern_op(Op::Div, &[top, bottom])
    }

    fn store_product(&mut self, factors: &[ExprId]) -> ExprId {
        match factors {
            [] => self.constant(1.0),
            &[only] => only,
            _ => self.intern_op(Op::Mul, factors),
        }
    }
}

/// Does a base occur above and below? Sorts the powers.
fn cancels(powers: &mut Powers) -> bool {
    powers.sort_by_key(|&(base, _)| base);
    powers.windows(2).any(|pair| pair[0].0 == pair[1].0 && (pair[0].1 < 0) != (pair[1].1 < 0))
}

/// Multiplies a numeric factor in, if the product is a usable number.
fn times(product: &mut f64, factor: f64) -> bool {
    let result = *product * factor;
    if result.is_normal() {
        *product = result;
    }
    result.is_normal()
}
