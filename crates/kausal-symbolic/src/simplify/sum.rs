//! Sums, signs and numeric factors.
//!
//! Every term is a numeric factor times a body. Terms with the same body are added; bodies are compared by id.

use smallvec::SmallVec;

use super::Args;
use crate::node::{ExprId, Node, Op};
use crate::pool::Pool;

/// Inner sums, products, `and` and `or` with more arguments than this are not taken apart. This keeps a sum that is
/// built term by term from costing quadratic time.
pub const FLAT: usize = 64;

/// `numerator / denominator * body`; the body has neither a sign nor a numeric factor. A number has the body 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scaled {
    pub(crate) numerator: f64,
    pub(crate) denominator: f64,
    pub(crate) body: ExprId,
}

impl Pool {
    /// The sum of any number of terms; 0 for none. Linear in their number, up to sorting.
    pub fn sum(&mut self, terms: &[ExprId]) -> ExprId {
        let mut constant = 0.0;
        let mut items: SmallVec<[(ExprId, ExprId); 8]> = SmallVec::new();
        for &term in terms {
            match self.node(term) {
                Node::Op(Op::Add, inner) if inner.len() <= FLAT => {
                    let inner = Args::from_slice(inner);
                    for term in inner {
                        self.take_term(term, &mut constant, &mut items);
                    }
                }
                Node::Op(Op::Neg, &[sum]) => match self.node(sum) {
                    Node::Op(Op::Add, inner) if inner.len() <= FLAT => {
                        let inner = Args::from_slice(inner);
                        for term in inner {
                            let term = self.neg(term);
                            self.take_term(term, &mut constant, &mut items);
                        }
                    }
                    _ => self.take_term(term, &mut constant, &mut items),
                },
                _ => self.take_term(term, &mut constant, &mut items),
            }
        }
        items.sort_by_key(|&(body, _)| body);
        let mut args = Args::with_capacity(items.len() + 1);
        let mut again = false;
        let mut start = 0;
        while start < items.len() {
            let body = items[start].0;
            let end = start + items[start..].iter().take_while(|item| item.0 == body).count();
            if end == start + 1 {
                args.push(items[start].1);
            } else if let Some(term) = self.like_terms(&items[start..end]) {
                // 3*(a + b) - 2*(a + b) is a sum again.
                let bare = self.as_neg(term).unwrap_or(term);
                again |= matches!(self.node(bare), Node::Op(Op::Add, inner) if inner.len() <= FLAT);
                args.push(term);
            }
            start = end;
        }
        if constant != 0.0 || args.is_empty() {
            args.push(self.constant(constant));
        }
        match args.as_slice() {
            &[only] => only,
            _ if again => self.sum(&args),
            _ => self.store_sum(args),
        }
    }

    fn take_term(&mut self, term: ExprId, constant: &mut f64, items: &mut SmallVec<[(ExprId, ExprId); 8]>) {
        match self.as_constant(term) {
            Some(value) if (*constant + value).is_finite() => *constant += value,
            Some(_) => items.push((term, term)),
            None => items.push((self.split(term).body, term)),
        }
    }

    /// Adds terms with the same body; `None` when they cancel.
    fn like_terms(&mut self, items: &[(ExprId, ExprId)]) -> Option<ExprId> {
        let parts: SmallVec<[Scaled; 8]> = items.iter().map(|&(_, term)| self.split(term)).collect();
        // Over the same denominator first: x/3 + x/3 + x/3 is x.
        let mut total = 0.0;
        let mut largest: f64 = 0.0;
        let mut done: SmallVec<[f64; 8]> = SmallVec::new();
        let uniform = parts.iter().all(|part| part.denominator == parts[0].denominator);
        for part in &parts {
            if done.contains(&part.denominator) {
                continue;
            }
            done.push(part.denominator);
            let same = parts.iter().filter(|other| other.denominator == part.denominator);
            let denominator = if uniform { 1.0 } else { part.denominator };
            total += same.clone().map(|other| other.numerator).sum::<f64>() / denominator;
            largest = same.fold(largest, |m, other| m.max((other.numerator / denominator).abs()));
        }
        if total.abs() <= 2.0 * f64::EPSILON * largest {
            return None;
        }
        let denominator = if uniform { parts[0].denominator } else { 1.0 };
        Some(self.scale(Scaled { numerator: total, denominator, body: parts[0].body }))
    }

    /// Stores a sum whose terms are simplified and ordered; pulls the sign out when all are negative.
    fn store_sum(&mut self, mut args: Args) -> ExprId {
        let negative = args.iter().all(|&term| match self.node(term) {
            Node::Const(value) => value < 0.0,
            Node::Op(op, _) => op == Op::Neg,
            _ => false,
        });
        if !negative {
            return self.intern_op(Op::Add, &args);
        }
        for term in &mut args {
            *term = self.neg(*term);
        }
        let sum = self.intern_op(Op::Add, &args);
        self.intern_op(Op::Neg, &[sum])
    }

    /// `-a`
    pub fn neg(&mut self, a: ExprId) -> ExprId {
        match self.node(a) {
            Node::Const(value) => self.constant(-value),
            Node::Op(Op::Neg, &[inner]) => inner,
            Node::Op(Op::Add, terms) if terms.len() <= FLAT && terms.iter().any(|&t| self.is_negative(t)) => {
                let mut terms = Args::from_slice(terms);
                for term in &mut terms {
                    *term = self.neg(*term);
                }
                self.intern_op(Op::Add, &terms)
            }
            _ => self.intern_op(Op::Neg, &[a]),
        }
    }

    /// Is it a negative number or does it carry a minus sign?
    pub fn is_negative(&self, a: ExprId) -> bool {
        match self.node(a) {
            Node::Const(value) => value < 0.0,
            Node::Op(Op::Neg, _) => true,
            _ => false,
        }
    }

    /// Takes sign and numeric factor off.
    pub(crate) fn split(&mut self, term: ExprId) -> Scaled {
        let mut sign = 1.0;
        let mut body = term;
        if let Node::Op(Op::Neg, &[inner]) = self.node(term) {
            sign = -1.0;
            body = inner;
        }
        let scaled = |numerator: f64, denominator: f64, body: ExprId| {
            // A factor of infinity or NaN is left where it is.
            let fine =
                numerator.is_finite() && denominator.is_finite() && denominator != 0.0 && numerator != 0.0;
            fine.then_some(Scaled { numerator, denominator, body })
        };
        let found = match self.node(body) {
            Node::Const(value) => {
                let one = self.constant(1.0);
                scaled(sign * value, 1.0, one)
            }
            Node::Op(Op::Mul, factors) => match self.as_constant(factors[0]) {
                Some(value) => {
                    let rest = Args::from_slice(&factors[1..]);
                    let body =
                        if let &[only] = rest.as_slice() { only } else { self.intern_op(Op::Mul, &rest) };
                    scaled(sign * value, 1.0, body)
                }
                None => None,
            },
            Node::Op(Op::Div, &[a, b]) => match (self.as_constant(a), self.as_constant(b)) {
                (None, Some(value)) => scaled(sign, value, a),
                (Some(value), None) if value != 1.0 => {
                    let one = self.constant(1.0);
                    let body = self.intern_op(Op::Div, &[one, b]);
                    scaled(sign * value, 1.0, body)
                }
                _ => None,
            },
            _ => None,
        };
        found.unwrap_or(Scaled { numerator: sign, denominator: 1.0, body })
    }

    /// Puts sign and numeric factor on again, as few operations as possible.
    pub(crate) fn scale(&mut self, scaled: Scaled) -> ExprId {
        let Scaled { numerator, denominator, body } = scaled;
        let negative = (numerator < 0.0) != (denominator < 0.0);
        let positive = self.scale_positive(numerator.abs(), denominator.abs(), body);
        if negative { self.neg(positive) } else { positive }
    }

    fn scale_positive(&mut self, numerator: f64, denominator: f64, body: ExprId) -> ExprId {
        let factor = numerator / denominator;
        if factor == 1.0 {
            return body;
        }
        if !factor.is_normal() {
            if numerator == 0.0 {
                return self.constant(0.0);
            }
            return self.scale_apart(numerator, denominator, body);
        }
        match self.node(body) {
            Node::Const(1.0) => return self.constant(factor),
            Node::Op(Op::Div, &[one, b]) if self.is_one(one) && !self.is_constant(b) => {
                let factor = self.constant(factor);
                return self.intern_op(Op::Div, &[factor, b]);
            }
            Node::Op(Op::Div, _) => return self.times_number(factor, body),
            _ => {}
        }
        if denominator == 1.0 {
            return self.times_number(factor, body);
        }
        let divisor = denominator / numerator;
        let exact = factor.mul_add(denominator, -numerator) == 0.0;
        let exact_divisor = divisor.is_normal() && divisor.mul_add(numerator, -denominator) == 0.0;
        let divide = if numerator == 1.0 {
            true
        } else if exact && factor.fract() == 0.0 {
            false
        } else if exact_divisor && divisor.fract() == 0.0 {
            true
        } else {
            !exact && exact_divisor
        };
        if divide {
            let divisor = self.constant(divisor);
            self.intern_op(Op::Div, &[body, divisor])
        } else {
            self.times_number(factor, body)
        }
    }

    fn times_number(&mut self, factor: f64, body: ExprId) -> ExprId {
        if matches!(self.node(body), Node::Op(Op::Mul, factors) if self.is_zero(factors[0])) {
            return body;
        }
        let factor = self.constant(factor);
        let mut args = Args::new();
        args.push(factor);
        match self.node(body) {
            Node::Op(Op::Mul, factors) => args.extend_from_slice(factors),
            _ => args.push(body),
        }
        self.intern_op(Op::Mul, &args)
    }

    /// For factors whose quotient is not representable: two operations.
    fn scale_apart(&mut self, numerator: f64, denominator: f64, body: ExprId) -> ExprId {
        let product = if numerator == 1.0 { body } else { self.times_number(numerator, body) };
        if denominator == 1.0 {
            return product;
        }
        let denominator = self.constant(denominator);
        self.intern_op(Op::Div, &[product, denominator])
    }
}
