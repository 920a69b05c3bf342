//! Are two formulas the same value, however they are written?
//!
//! A formula is a rational function of its variables, and of whatever stands below operators that are not arithmetic.
//! Evaluated exactly at one random point of a finite field, different functions agree with a probability of their degree
//! over the size of the field (J. T. Schwartz, *Fast probabilistic algorithms for verification of polynomial identities*,
//! 1980). The field is that of the integers modulo `2^61 - 1`, the point follows from the numbers of the variables: formulas
//! with the same *fingerprint* are the same, and a fingerprint of zero is zero.
//!
//! This is how an elimination sees that a matrix it makes is symmetric, whatever sums and products its two halves were
//! made of, and that a sum cancels although no two of its terms are written alike.

use kausal_symbolic::{ExprId, Node, Op, Pool, VarId};
use rustc_hash::FxHashMap;

/// The prime `2^61 - 1`.
const P: u64 = (1 << 61) - 1;

/// The value of a formula at the random point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Fingerprint(u64);

impl Fingerprint {
    /// Is the formula zero?
    pub fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// The smaller of this and its negative, and whether it is the negative that was given.
    pub fn magnitude(self) -> (Fingerprint, bool) {
        let negative = negate(self.0);
        if negative < self.0 { (Fingerprint(negative), true) } else { (self, false) }
    }
}

/// Fingerprints of the formulas of one pool; variables that stand for formulas have theirs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fingerprints {
    known: FxHashMap<ExprId, u64>,
    defined: FxHashMap<VarId, u64>,
    /// Numbers stand for the simple fractions next to them.
    rounded: bool,
}

impl Fingerprints {
    /// Fingerprints for which `0.1` is a tenth and `0.333…` a third: numbers that are fractions up to rounding.
    pub fn rounded() -> Fingerprints {
        Fingerprints { rounded: true, ..Fingerprints::default() }
    }

    fn constant(&self, c: f64) -> Option<u64> {
        fraction(c).filter(|_| self.rounded).or_else(|| number(c))
    }

    /// The variable holds this value from now on. To be said before the variable is used.
    pub fn define(&mut self, variable: VarId, value: Fingerprint) {
        self.defined.insert(variable, value.0);
    }

    /// The variable has this value of the field.
    pub fn define_value(&mut self, variable: VarId, value: u64) {
        self.defined.insert(variable, value);
    }

    /// The variable is this number.
    pub fn define_number(&mut self, variable: VarId, value: f64) {
        if let Some(value) = self.constant(value) {
            self.defined.insert(variable, value);
        }
    }

    /// Its value in the field.
    pub fn value(&mut self, pool: &Pool, e: ExprId) -> u64 {
        self.of(pool, e).0
    }

    /// The fingerprint of a formula.
    pub fn of(&mut self, pool: &Pool, e: ExprId) -> Fingerprint {
        let mut stack = vec![e];
        while let Some(&top) = stack.last() {
            if self.known.contains_key(&top) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            stack.extend(pool.children(top).iter().filter(|child| !self.known.contains_key(child)));
            if stack.len() == before {
                let value = self.node(pool, top);
                self.known.insert(top, value);
                stack.pop();
            }
        }
        Fingerprint(self.known[&e])
    }

    /// One node, its children being known.
    fn node(&self, pool: &Pool, e: ExprId) -> u64 {
        let child = |k: usize| self.known[&pool.children(e)[k]];
        let all = || pool.children(e).iter().map(|c| self.known[c]);
        match pool.node(e) {
            Node::Const(c) => self.constant(c).unwrap_or_else(|| mixed(1, &[c.to_bits()])),
            Node::Var(v) => self.defined.get(&v).copied().unwrap_or_else(|| mixed(2, &[u64::from(v.0)])),
            Node::Op(Op::Add, _) => all().fold(0, add),
            Node::Op(Op::Mul, _) => all().fold(1, times),
            Node::Op(Op::Neg, _) => negate(child(0)),
            Node::Op(Op::Div, _) if child(1) != 0 => times(child(0), inverse(child(1))),
            Node::Op(Op::Pow, args) => match pool.as_constant(args[1]) {
                Some(n) if n.fract() == 0.0 && (0.0..=64.0).contains(&n) => power(child(0), n as u64),
                Some(n) if n.fract() == 0.0 && (-64.0..0.0).contains(&n) && child(0) != 0 => {
                    inverse(power(child(0), -n as u64))
                }
                _ => self.opaque(pool, e),
            },
            _ => self.opaque(pool, e),
        }
    }

    /// What is not arithmetic is a number of its own, the same for the same arguments.
    fn opaque(&self, pool: &Pool, e: ExprId) -> u64 {
        let mut parts = match pool.node(e) {
            Node::Op(op, _) => vec![3, op as u64],
            Node::Call(function, _) => vec![4, u64::from(function.0)],
            Node::Output(_, k) => vec![5, u64::from(k)],
            // Strings, and what else has no arguments to tell it by.
            _ => vec![6, u64::from(e.0)],
        };
        parts.extend(pool.children(e).iter().map(|c| self.known[c]));
        mixed(7, &parts)
    }
}

/// A finite number exactly, as an integer times a power of two.
fn number(x: f64) -> Option<u64> {
    if !x.is_finite() {
        return None;
    }
    let bits = x.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i64;
    let fraction = bits & ((1 << 52) - 1);
    let (mantissa, exponent) =
        if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) };
    // 2^61 is one: multiplying with a power of two turns the 61 bits round.
    let turned = exponent.rem_euclid(61) as u32;
    let value = reduce(u128::from(mantissa) << turned);
    Some(if x < 0.0 { negate(value) } else { value })
}

/// The fraction with a small denominator that a number is, up to rounding: the first of its continued fraction's convergents
/// that is as near as numbers are (Hardy & Wright, *An Introduction to the Theory of Numbers*, chapter X).
fn fraction(x: f64) -> Option<u64> {
    const LARGEST: f64 = 1e6;
    let size = x.abs();
    // Whole numbers are exact; of very small ones nothing is left to see.
    if x.fract() == 0.0 || !(1e-9..1e9).contains(&size) {
        return None;
    }
    let (mut before, mut last) = ((0.0, 1.0), (1.0, 0.0));
    let mut rest = size;
    for _ in 0..40 {
        let whole = rest.floor();
        let next: (f64, f64) = (whole * last.0 + before.0, whole * last.1 + before.1);
        if next.1 > LARGEST || next.0 > 1e15 {
            return None;
        }
        if (size - next.0 / next.1).abs() <= f64::EPSILON * size {
            let value = times(reduce(next.0 as u128), inverse(next.1 as u64));
            return Some(if x < 0.0 { negate(value) } else { value });
        }
        (before, last, rest) = (last, next, 1.0 / (rest - whole));
    }
    None
}

fn reduce(x: u128) -> u64 {
    let folded = (x & u128::from(P)) as u64 + (x >> 61) as u64;
    let folded = (folded & P) + (folded >> 61);
    if folded >= P { folded - P } else { folded }
}

pub(crate) fn add(a: u64, b: u64) -> u64 {
    reduce(u128::from(a) + u128::from(b))
}

pub(crate) fn times(a: u64, b: u64) -> u64 {
    reduce(u128::from(a) * u128::from(b))
}

pub(crate) fn negate(a: u64) -> u64 {
    if a == 0 { 0 } else { P - a }
}

fn power(base: u64, mut exponent: u64) -> u64 {
    let (mut square, mut out) = (base, 1);
    while exponent > 0 {
        if exponent & 1 == 1 {
            out = times(out, square);
        }
        square = times(square, square);
        exponent >>= 1;
    }
    out
}

/// By Fermat's little theorem.
pub(crate) fn inverse(a: u64) -> u64 {
    power(a, P - 2)
}

/// A number of the field that looks random (the finaliser of SplitMix64, as in `growth`).
pub(crate) fn mixed(seed: u64, parts: &[u64]) -> u64 {
    let mut x = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for &part in parts {
        x = x.wrapping_add(part).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(0x632b_e59b_d9b4_e019);
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^= x >> 31;
    }
    reduce(u128::from(x))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Formulas {
        pool: Pool,
        prints: Fingerprints,
    }

    impl Formulas {
        fn of(&mut self, op: Op, args: &[ExprId]) -> ExprId {
            self.pool.op(op, args)
        }

        fn same(&mut self, a: ExprId, b: ExprId) -> bool {
            assert_ne!(a, b, "the pool sees it already");
            self.prints.of(&self.pool, a) == self.prints.of(&self.pool, b)
        }
    }

    fn formulas() -> (Formulas, [ExprId; 4]) {
        let mut pool = Pool::new();
        let x = [0, 1, 2, 3].map(|k| pool.var(VarId(k)));
        (Formulas { pool, prints: Fingerprints::default() }, x)
    }

    #[test]
    fn sums_of_products_are_the_same_in_any_form() {
        let (mut f, [a, b, c, d]) = formulas();
        let (ac, ad, bc, bd) =
            (f.of(Op::Mul, &[a, c]), f.of(Op::Mul, &[a, d]), f.of(Op::Mul, &[b, c]), f.of(Op::Mul, &[b, d]));
        let expanded = f.of(Op::Add, &[ac, ad, bc, bd]);
        let (left, right) = (f.of(Op::Add, &[a, b]), f.of(Op::Add, &[c, d]));
        let factored = f.of(Op::Mul, &[left, right]);
        assert!(f.same(expanded, factored));
        let other = f.of(Op::Add, &[ac, ad, bc]);
        assert!(!f.same(expanded, other));
    }

    #[test]
    fn quotients_and_decimal_fractions() {
        let (mut f, [a, b, c, _]) = formulas();
        let tenth = f.pool.constant(-0.1);
        let scaled = f.of(Op::Mul, &[tenth, a]);
        let quotient = f.of(Op::Div, &[scaled, b]);
        let (first, second) = (f.of(Op::Mul, &[quotient, c]), f.of(Op::Div, &[c, b]));
        let second = f.of(Op::Mul, &[second, scaled]);
        assert!(f.same(first, second));
        // Minus one over itself plus one is nothing; what is not arithmetic is compared by its arguments.
        let (sine, cosine) = (f.of(Op::Sin, &[first]), f.of(Op::Cos, &[first]));
        let other = f.of(Op::Sin, &[second]);
        assert!(f.same(sine, other) && !f.same(sine, cosine));
    }

    #[test]
    fn what_cancels_is_zero_and_signs_are_seen() {
        let (mut f, [a, b, c, d]) = formulas();
        let (p, q) = (f.of(Op::Mul, &[a, b]), f.of(Op::Mul, &[c, d]));
        let held = f.pool.var(VarId(9));
        let sum = f.of(Op::Add, &[p, q]);
        let value = f.prints.of(&f.pool, sum);
        f.prints.define(VarId(9), value);
        let (np, nq) = (f.of(Op::Neg, &[p]), f.of(Op::Neg, &[q]));
        let nothing = f.of(Op::Add, &[held, np, nq]);
        assert!(f.prints.of(&f.pool, nothing).is_zero());
        let negative = f.of(Op::Neg, &[held]);
        let (one, other) = (f.prints.of(&f.pool, negative), f.prints.of(&f.pool, held));
        assert_eq!(one.magnitude().0, other.magnitude().0);
        assert_ne!(one.magnitude().1, other.magnitude().1);
    }

    #[test]
    fn numbers_keep_their_arithmetic() {
        let value = |x| number(x).unwrap();
        assert_eq!(times(value(0.375), value(8.0)), 3);
        assert_eq!(add(value(-2.5), value(2.5)), 0);
        assert_eq!(times(value(1e-300), inverse(value(1e-300))), 1);
        assert_eq!(number(f64::NAN), None);
    }

    #[test]
    fn fractions_are_seen_behind_rounded_numbers() {
        let value = |x| fraction(x).unwrap();
        assert_eq!(times(value(0.1), 10), 1);
        assert_eq!(times(value(-1.0 / 3.0), 3), negate(1));
        assert_eq!(times(value(0.1), 3), value(0.3), "0.1*3 is not 0.3 in binary numbers");
        assert_eq!(fraction(std::f64::consts::PI), None);
        assert_eq!(fraction(2.0), None);
    }
}
