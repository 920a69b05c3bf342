//! Where the value of an expression lies, and that it is not zero.
//!
//! Intervals are computed from the bounds of the variables (their `min` and `max`, or the value of a parameter),
//! rounded outwards. Beside its bounds an interval remembers that zero itself is excluded: `exp(x)` and `sqrt(x)` of a
//! positive `x` come arbitrarily close to zero without reaching it. Every expression is taken to be defined where it is
//! evaluated: `sqrt(x)` says that `x` is not negative, a quotient that its denominator is not zero. Zero is excluded for
//! real numbers: `exp(-1000)` is zero in the computer.

use std::f64::consts::{FRAC_PI_2, PI};

use rustc_hash::FxHashMap;

use crate::node::{ExprId, Node, Op, VarId};
use crate::pool::Pool;
use crate::visit::reachable;

/// All numbers between two bounds, with or without zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Lower bound.
    pub low: f64,
    /// Upper bound.
    pub high: f64,
    /// Zero is not among them.
    pub nonzero: bool,
}

impl Interval {
    /// Nothing is known.
    pub const ALL: Interval = Interval { low: f64::NEG_INFINITY, high: f64::INFINITY, nonzero: false };

    /// Between two bounds; nothing is known where they are not in order.
    pub fn new(low: f64, high: f64) -> Interval {
        if low <= high { Interval { low, high, nonzero: low > 0.0 || high < 0.0 } } else { Interval::ALL }
    }

    /// One number.
    pub fn point(value: f64) -> Interval {
        Interval::new(value, value)
    }

    /// The same without zero.
    pub fn without_zero(self) -> Interval {
        Interval { nonzero: true, ..self }
    }

    /// Is everything greater than zero?
    pub fn is_positive(self) -> bool {
        self.low >= 0.0 && self.nonzero
    }

    /// Is everything less than zero?
    pub fn is_negative(self) -> bool {
        self.high <= 0.0 && self.nonzero
    }

    /// Is a number inside?
    pub fn contains(self, value: f64) -> bool {
        self.low <= value && value <= self.high && !(self.nonzero && value == 0.0)
    }

    /// Does it lie between these bounds?
    pub fn is_within(self, low: f64, high: f64) -> bool {
        low <= self.low && self.high <= high
    }

    /// Where the sum with a number from elsewhere lies.
    pub fn plus(self, other: Interval) -> Interval {
        sum(self, other)
    }

    /// Where the product with a number from elsewhere lies.
    pub fn times(self, other: Interval) -> Interval {
        product(self, other)
    }

    fn or(self, other: Interval) -> Interval {
        Interval {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            nonzero: self.nonzero && other.nonzero,
        }
    }

    fn with_zero_excluded_if(self, nonzero: bool) -> Interval {
        Interval { nonzero: self.nonzero || nonzero, ..self }
    }
}

/// Intervals of expressions, remembered. The bounds of variables do not change meanwhile.
pub struct Ranges<'a> {
    bounds: Box<dyn Fn(VarId) -> Interval + 'a>,
    known: FxHashMap<ExprId, Interval>,
}

impl<'a> Ranges<'a> {
    /// With these bounds of variables.
    pub fn new(bounds: impl Fn(VarId) -> Interval + 'a) -> Self {
        Ranges { bounds: Box::new(bounds), known: FxHashMap::default() }
    }

    /// Nothing is known about the variables.
    pub fn unknown() -> Self {
        Ranges::new(|_| Interval::ALL)
    }

    /// Where the value of the expression lies.
    pub fn of(&mut self, pool: &Pool, expr: ExprId) -> Interval {
        for id in reachable(pool, &[expr], |id| !self.known.contains_key(&id)) {
            let args: Vec<Interval> = pool.children(id).iter().map(|child| self.known[child]).collect();
            let interval = match pool.node(id) {
                Node::Const(value) => Interval::point(value),
                Node::Var(var) => (self.bounds)(var),
                Node::Op(Op::Pow, &[_, n]) => power(args[0], args[1], pool.as_constant(n)),
                Node::Op(op, _) => operator(op, &args),
                Node::Text(_) | Node::Call(..) | Node::Output(..) => Interval::ALL,
            };
            self.known.insert(id, interval);
        }
        self.known[&expr]
    }

    /// Is it proven that the expression is never zero?
    pub fn is_nonzero(&mut self, pool: &Pool, expr: ExprId) -> bool {
        self.of(pool, expr).nonzero
    }

    /// Is it proven that the expression is always greater than zero?
    pub fn is_positive(&mut self, pool: &Pool, expr: ExprId) -> bool {
        self.of(pool, expr).is_positive()
    }

    /// Is it proven that the expression is never less than zero?
    pub fn is_nonnegative(&mut self, pool: &Pool, expr: ExprId) -> bool {
        self.of(pool, expr).low >= 0.0
    }
}

/// A little less. Zero stays: a sum or difference that rounds to zero is zero.
fn down(value: f64) -> f64 {
    if value == 0.0 { value } else { value.next_down() }
}

fn up(value: f64) -> f64 {
    if value == 0.0 { value } else { value.next_up() }
}

/// Where an operator leads from intervals; of a power, `exponent` is its exponent if that is a number.
pub(crate) fn apply(op: Op, args: &[Interval], exponent: Option<f64>) -> Interval {
    match (op, args) {
        (Op::Pow, &[a, b]) => power(a, b, exponent),
        _ => operator(op, args),
    }
}

fn operator(op: Op, args: &[Interval]) -> Interval {
    let unit = Interval { low: -1.0, high: 1.0, nonzero: false };
    match (op, args) {
        (Op::Add, _) => args.iter().copied().reduce(sum).unwrap_or(Interval::point(0.0)),
        (Op::Mul, _) => args.iter().copied().reduce(product).unwrap_or(Interval::point(1.0)),
        (Op::Neg, &[a]) => negative(a),
        (Op::Div, &[a, b]) => product(a, reciprocal(b)),
        (Op::Sqrt, &[a]) => {
            let root = Interval {
                low: down(a.low.max(0.0).sqrt()),
                high: up(a.high.max(0.0).sqrt()),
                nonzero: a.nonzero,
            };
            Interval { low: root.low.max(0.0), ..root }
        }
        (Op::Exp, &[a]) => rising(a, f64::exp, 0.0, f64::INFINITY).without_zero(),
        (Op::Log, &[a]) => logarithm(a, f64::ln),
        (Op::Log10, &[a]) => logarithm(a, f64::log10),
        (Op::Sin, &[a]) if a.is_within(-FRAC_PI_2, FRAC_PI_2) => {
            rising(a, f64::sin, -1.0, 1.0).with_zero_excluded_if(a.nonzero)
        }
        (Op::Cos, &[a]) if a.is_within(-FRAC_PI_2, FRAC_PI_2) => {
            let low = down(a.low.cos().min(a.high.cos())).max(0.0);
            Interval::new(low, 1.0)
        }
        (Op::Sin | Op::Cos, _) => unit,
        (Op::Tan, &[a]) if a.is_within(-FRAC_PI_2, FRAC_PI_2) => {
            rising(a, f64::tan, f64::NEG_INFINITY, f64::INFINITY).with_zero_excluded_if(a.nonzero)
        }
        (Op::Asin, &[a]) => {
            let inside =
                Interval { low: a.low.clamp(-1.0, 1.0), high: a.high.clamp(-1.0, 1.0), nonzero: a.nonzero };
            rising(inside, f64::asin, down(-FRAC_PI_2), up(FRAC_PI_2)).with_zero_excluded_if(a.nonzero)
        }
        (Op::Acos, &[a]) => {
            let low = down(a.high.clamp(-1.0, 1.0).acos()).max(0.0);
            Interval::new(low, up(a.low.clamp(-1.0, 1.0).acos()))
        }
        (Op::Atan, &[a]) => {
            rising(a, f64::atan, down(-FRAC_PI_2), up(FRAC_PI_2)).with_zero_excluded_if(a.nonzero)
        }
        (Op::Atan2, _) => Interval::new(down(-PI), up(PI)),
        (Op::Sinh, &[a]) => {
            rising(a, f64::sinh, f64::NEG_INFINITY, f64::INFINITY).with_zero_excluded_if(a.nonzero)
        }
        (Op::Cosh, &[a]) => {
            let size = magnitude(a);
            Interval::new(down(size.low.cosh()).max(1.0), up(size.high.cosh()))
        }
        (Op::Tanh, &[a]) => rising(a, f64::tanh, -1.0, 1.0).with_zero_excluded_if(a.nonzero),
        (Op::Abs, &[a]) => magnitude(a),
        (Op::Sign, &[a]) => Interval {
            low: if a.is_positive() {
                1.0
            } else if a.low >= 0.0 {
                0.0
            } else {
                -1.0
            },
            high: if a.is_negative() {
                -1.0
            } else if a.high <= 0.0 {
                0.0
            } else {
                1.0
            },
            nonzero: a.nonzero,
        },
        (Op::Min, &[a, b]) => Interval {
            low: a.low.min(b.low),
            high: a.high.min(b.high),
            nonzero: a.nonzero && b.nonzero || a.is_negative() || b.is_negative(),
        },
        (Op::Max, &[a, b]) => Interval {
            low: a.low.max(b.low),
            high: a.high.max(b.high),
            nonzero: a.nonzero && b.nonzero || a.is_positive() || b.is_positive(),
        },
        (Op::Floor | Op::Integer, &[a]) => Interval::new(a.low.floor(), a.high.floor()),
        (Op::Ceil, &[a]) => Interval::new(a.low.ceil(), a.high.ceil()),
        (Op::IntegerDiv, &[a, b]) => {
            let quotient = product(a, reciprocal(b));
            Interval::new(quotient.low.trunc(), quotient.high.trunc())
        }
        (Op::Mod, &[_, b]) if b.low >= 0.0 => Interval::new(0.0, b.high),
        (Op::Mod, &[_, b]) if b.high <= 0.0 => Interval::new(b.low, 0.0),
        (Op::Rem, &[a, b]) => {
            let size = magnitude(b).high;
            Interval::new(if a.low >= 0.0 { 0.0 } else { -size }, if a.high <= 0.0 { 0.0 } else { size })
        }
        (Op::If, &[_, a, b]) | (Op::Homotopy, &[a, b]) => a.or(b),
        (Op::NoEvent | Op::Pre | Op::Delay, &[a, ..]) | (Op::Smooth, &[_, a]) => a,
        _ if op.is_boolean() => Interval::new(0.0, 1.0),
        _ => Interval::ALL,
    }
}

fn sum(a: Interval, b: Interval) -> Interval {
    let (low, high) = (down(a.low + b.low), up(a.high + b.high));
    let same_sign = a.low >= 0.0 && b.low >= 0.0 || a.high <= 0.0 && b.high <= 0.0;
    Interval::new(low, high).with_zero_excluded_if(same_sign && (a.nonzero || b.nonzero))
}

fn negative(a: Interval) -> Interval {
    Interval { low: -a.high, high: -a.low, nonzero: a.nonzero }
}

fn product(a: Interval, b: Interval) -> Interval {
    // A bound of zero makes zero also against infinity; a product too small to represent keeps its sign.
    let times = |x: f64, y: f64| {
        let result = x * y;
        if x == 0.0 || y == 0.0 {
            0.0
        } else if result == 0.0 {
            f64::MIN_POSITIVE.copysign(result)
        } else {
            result
        }
    };
    let corners = [times(a.low, b.low), times(a.low, b.high), times(a.high, b.low), times(a.high, b.high)];
    let low = corners.into_iter().fold(f64::INFINITY, f64::min);
    let high = corners.into_iter().fold(f64::NEG_INFINITY, f64::max);
    // Nothing positive may seem to lie above the smallest number.
    let low = if low == f64::MIN_POSITIVE { 0.0 } else { down(low) };
    let high = if high == -f64::MIN_POSITIVE { 0.0 } else { up(high) };
    Interval { low, high, nonzero: a.nonzero && b.nonzero }
}

/// `1/b`, given that `b` is not zero.
fn reciprocal(b: Interval) -> Interval {
    if b.low >= 0.0 {
        Interval { low: down(1.0 / b.high), high: up(1.0 / b.low.abs()), nonzero: true }
    } else if b.high <= 0.0 {
        Interval { low: down(-1.0 / b.high.abs()), high: up(1.0 / b.low), nonzero: true }
    } else {
        Interval::ALL.without_zero()
    }
}

fn magnitude(a: Interval) -> Interval {
    let high = a.low.abs().max(a.high.abs());
    let low = if a.low > 0.0 || a.high < 0.0 { a.low.abs().min(a.high.abs()) } else { 0.0 };
    Interval { low, high, nonzero: a.nonzero }
}

/// A rising function with its own bounds, computed with an error of a few units in the last place.
fn rising(a: Interval, f: impl Fn(f64) -> f64, least: f64, most: f64) -> Interval {
    let low = down(down(f(a.low))).max(least);
    let high = up(up(f(a.high))).min(most);
    if low.is_nan() || high.is_nan() { Interval::ALL } else { Interval::new(low, high) }
}

fn logarithm(a: Interval, f: impl Fn(f64) -> f64) -> Interval {
    let inside = Interval { low: a.low.max(0.0), high: a.high.max(0.0), nonzero: true };
    let range = rising(inside, f, f64::NEG_INFINITY, f64::INFINITY);
    range.with_zero_excluded_if(a.low > 1.0 || a.high < 1.0)
}

fn power(a: Interval, b: Interval, exponent: Option<f64>) -> Interval {
    match exponent {
        Some(n) if n.fract() == 0.0 && n > 0.0 => {
            let f = |x: f64| crate::evaluate::power(x, n);
            let even = (n / 2.0).fract() == 0.0;
            let base = if even { magnitude(a) } else { a };
            // Repeated multiplication errs by about n units in the last place.
            let slack = n * 2.0 * f64::EPSILON;
            let (low, high) = (f(base.low), f(base.high));
            let low = low - low.abs().min(f64::MAX) * slack;
            let high = high + high.abs().min(f64::MAX) * slack;
            let low = if even { low.max(0.0) } else { low };
            Interval { low, high, nonzero: a.nonzero }
        }
        // Only a base that is not negative has such a power.
        Some(n) if n.fract() != 0.0 && n > 0.0 => {
            let base = Interval { low: a.low.max(0.0), high: a.high.max(0.0), nonzero: a.nonzero };
            rising(base, |x| x.powf(n), 0.0, f64::INFINITY).with_zero_excluded_if(a.nonzero)
        }
        Some(n) if n.fract() != 0.0 => Interval::new(0.0, f64::INFINITY).without_zero(),
        _ if a.is_positive() => Interval::new(0.0, f64::INFINITY).without_zero(),
        _ if a.low >= 0.0 && b.low >= 0.0 => Interval::new(0.0, f64::INFINITY),
        _ => Interval::ALL,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Variables 0 and 1 are positive, 2 lies between -1 and 1, 3 is unknown.
    fn bounds(var: VarId) -> Interval {
        match var.0 {
            0 => Interval::new(1e-6, 1e6),
            1 => Interval::new(0.0, f64::INFINITY).without_zero(),
            2 => Interval::new(-1.0, 1.0),
            _ => Interval::ALL,
        }
    }

    fn check(build: impl FnOnce(&mut Pool, [ExprId; 4]) -> ExprId, nonzero: bool) {
        let mut pool = Pool::new();
        let vars = [0, 1, 2, 3].map(|i| pool.var(VarId(i)));
        let expr = build(&mut pool, vars);
        assert_eq!(Ranges::new(bounds).is_nonzero(&pool, expr), nonzero);
    }

    #[test]
    fn pivots() {
        check(|p, [a, b, ..]| p.add(a, b), true);
        check(|p, [a, b, ..]| p.sub(a, b), false);
        check(
            |p, [a, b, ..]| {
                let q = p.div(a, b);
                let r = p.div(b, a);
                p.add(q, r)
            },
            true,
        );
        check(
            |p, [.., x]| {
                let s = p.powi(x, 2);
                let one = p.one();
                p.add(s, one)
            },
            true,
        );
        check(|p, [.., x]| p.powi(x, 2), false);
        check(
            |p, [a, _, _, x]| {
                let s = p.powi(x, 2);
                p.add(s, a)
            },
            true,
        );
        check(|p, [.., x]| p.apply(Op::Exp, x), true);
        check(
            |p, [_, b, _, _]| {
                let r = p.sqrt(b);
                p.neg(r)
            },
            true,
        );
        check(
            |p, [_, b, c, _]| {
                let d = p.apply(Op::Cos, c);
                p.mul(b, d)
            },
            true,
        );
        check(|p, [.., x]| p.apply(Op::Cos, x), false);
        check(
            |p, [a, b, _, x]| {
                let c = p.less(x, a);
                let m = p.neg(b);
                p.if_then_else(c, a, m)
            },
            true,
        );
        check(
            |p, [a, _, _, x]| {
                let m = p.abs(x);
                p.max(m, a)
            },
            true,
        );
        check(
            |p, [a, _, _, x]| {
                let m = p.abs(x);
                p.min(m, a)
            },
            false,
        );
        check(
            |p, [a, b, _, _]| {
                let m = p.pow(a, b);
                p.neg(m)
            },
            true,
        );
        check(
            |p, [_, _, c, _]| {
                let two = p.constant(2.0);
                p.sub(two, c)
            },
            true,
        );
        check(
            |p, [_, _, c, _]| {
                let one = p.constant(1.0);
                p.sub(one, c)
            },
            false,
        );
        check(
            |p, [.., x]| {
                let t = p.apply(Op::Tanh, x);
                let two = p.constant(2.0);
                p.add(t, two)
            },
            true,
        );
    }
}
