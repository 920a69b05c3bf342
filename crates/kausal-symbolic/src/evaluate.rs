//! What every operator computes, and the value of an expression.
//!
//! [`Op::eval`] is the one definition of the numbers: constant folding uses it, and the interpreter, machine
//! code and C must agree with it. Booleans are 0 and 1, anything but 0 is true. Arithmetic is IEEE double
//! precision; sums and products are folded from the left.

use crate::function::FunctionId;
use crate::node::{ExprId, Node, Op, VarId};
use crate::pool::Pool;
use crate::visit::reachable;

/// Powers with an integer exponent up to this magnitude are repeated multiplications.
pub const MULTIPLIED_POWER: u32 = 32;

impl Op {
    /// Is it another formula for other arguments? Of `if` and the logical operators the condition is what differs.
    pub fn has_branches(self) -> bool {
        use Op::{Abs, Ceil, Equal, Floor, Integer, Less, LessEqual, Max, Min, NotEqual, Sign};
        matches!(self, Less | LessEqual | Equal | NotEqual | Min | Max | Abs | Sign | Floor | Ceil | Integer)
    }

    /// The value of the operator for these arguments.
    ///
    /// What depends on the context gets the value it has in a steady state: `pre`, `delay` and `noEvent` that of
    /// their expression, `smooth` and `homotopy` that of the (actual) expression, `initial`, `terminal` and
    /// `sample` false, `der` zero. `time` has no value here: NaN.
    pub fn eval(self, args: &[f64]) -> f64 {
        let truth = |b: bool| f64::from(u8::from(b));
        let arg = |i: usize| args.get(i).copied().unwrap_or(f64::NAN);
        let (a, b) = (arg(0), arg(1));
        match self {
            Op::Add => args.iter().skip(1).fold(a, |sum, x| sum + x),
            Op::Mul => args.iter().skip(1).fold(a, |product, x| product * x),
            Op::Neg => -a,
            Op::Div => a / b,
            Op::Pow => power(a, b),
            Op::Sqrt => a.sqrt(),
            Op::Exp => a.exp(),
            Op::Log => a.ln(),
            Op::Log10 => a.log10(),
            Op::Sin => a.sin(),
            Op::Cos => a.cos(),
            Op::Tan => a.tan(),
            Op::Asin => a.asin(),
            Op::Acos => a.acos(),
            Op::Atan => a.atan(),
            Op::Atan2 => a.atan2(b),
            Op::Sinh => a.sinh(),
            Op::Cosh => a.cosh(),
            Op::Tanh => a.tanh(),
            Op::Abs => a.abs(),
            Op::Sign => sign(a),
            Op::Min => smaller(a, b),
            Op::Max => larger(a, b),
            Op::Floor | Op::Integer => a.floor(),
            Op::Ceil => a.ceil(),
            Op::IntegerDiv => (a / b).trunc(),
            Op::Mod => modulo(a, b),
            Op::Rem => a - (a / b).trunc() * b,
            Op::Less => truth(a < b),
            Op::LessEqual => truth(a <= b),
            Op::Equal => truth(a == b),
            Op::NotEqual => truth(a != b),
            Op::Not => truth(a == 0.0),
            Op::And => truth(args.iter().all(|&x| x != 0.0)),
            Op::Or => truth(args.iter().any(|&x| x != 0.0)),
            Op::If => {
                if a != 0.0 {
                    b
                } else {
                    arg(2)
                }
            }
            Op::Time => f64::NAN,
            Op::Der | Op::Initial | Op::Terminal | Op::Sample => 0.0,
            Op::Pre | Op::Delay | Op::NoEvent | Op::Homotopy => a,
            Op::Smooth => b,
        }
    }
}

/// -1, 0 or 1, and of what is not a number no number.
#[inline(always)]
pub fn sign(x: f64) -> f64 {
    if x > 0.0 {
        1.0
    } else if x < 0.0 {
        -1.0
    } else {
        // Zero without its sign.
        x + 0.0
    }
}

/// `a - floor(a/b)*b`. What is subtracted is at most `a`, so that the result is exact for whole numbers that are.
#[inline(always)]
pub fn modulo(a: f64, b: f64) -> f64 {
    let rest = a - (a / b).trunc() * b;
    if rest * b < 0.0 { rest + b } else { rest }
}

/// The smaller of two, the first of equals; not a number where one of them is none.
#[inline(always)]
pub fn smaller(a: f64, b: f64) -> f64 {
    if b < a || b.is_nan() { b } else { a }
}

/// The larger of two, the first of equals; not a number where one of them is none.
#[inline(always)]
pub fn larger(a: f64, b: f64) -> f64 {
    if b > a || b.is_nan() { b } else { a }
}

/// `x^y`. An integer `y` up to [`MULTIPLIED_POWER`] is repeated squaring, the factors multiplied in from the
/// lowest bit up; a negative one is the reciprocal of the positive power; everything else is `pow` of the C library.
pub fn power(x: f64, y: f64) -> f64 {
    if y.fract() != 0.0 || y.abs() > f64::from(MULTIPLIED_POWER) {
        return x.powf(y);
    }
    let mut n = y.abs() as u32;
    let mut result = 1.0;
    let mut square = x;
    while n != 0 {
        if n & 1 == 1 {
            result *= square;
        }
        n >>= 1;
        if n != 0 {
            square *= square;
        }
    }
    if y < 0.0 { 1.0 / result } else { result }
}

/// How many multiplications (and one division for a negative exponent) [`power`] takes for this exponent; more than
/// any repeated multiplication where it calls the library.
pub(crate) fn power_operations(exponent: f64) -> u32 {
    if exponent.fract() != 0.0 || exponent.abs() > f64::from(MULTIPLIED_POWER) {
        return 2 * MULTIPLIED_POWER;
    }
    match exponent.abs() as u32 {
        0 => 0,
        n => n.ilog2() + n.count_ones() - 1 + u32::from(exponent < 0.0),
    }
}

/// Where the values of the leaves come from.
pub trait Values {
    /// The value of a variable.
    fn variable(&mut self, var: VarId) -> f64;

    /// The value of `time`.
    fn time(&mut self) -> f64 {
        f64::NAN
    }

    /// The value of an operator that depends on the context, with the values of its arguments.
    fn context(&mut self, op: Op, args: &[f64]) -> f64 {
        if op == Op::Time { self.time() } else { op.eval(args) }
    }

    /// What an operator that has branches makes of its arguments ([`Op::has_branches`]); to look at branches that the values
    /// of the leaves do not reach.
    fn branch(&mut self, expr: ExprId, op: Op, args: &[f64]) -> f64 {
        let _ = expr;
        op.eval(args)
    }

    /// All scalar outputs of a function.
    fn call(&mut self, _pool: &Pool, _function: FunctionId, _args: &[f64]) -> Vec<f64> {
        Vec::new()
    }
}

impl<F: FnMut(VarId) -> f64> Values for F {
    fn variable(&mut self, var: VarId) -> f64 {
        self(var)
    }
}

/// The value of an expression. Strings and calls have none by themselves: NaN; an output of a call is what
/// [`Values::call`] gives, NaN where it gives too few.
///
/// ```
/// use kausal_symbolic::{Op, Pool, VarId, evaluate::evaluate};
/// let mut pool = Pool::new();
/// let x = pool.var(VarId(0));
/// let square = pool.op(Op::Mul, &[x, x]);
/// assert_eq!(evaluate(&pool, square, &mut |_| 3.0), 9.0);
/// ```
pub fn evaluate(pool: &Pool, expr: ExprId, values: &mut impl Values) -> f64 {
    evaluate_all(pool, &[expr], values)[0]
}

/// The values of several expressions, their common parts computed once.
pub fn evaluate_all(pool: &Pool, exprs: &[ExprId], values: &mut impl Values) -> Vec<f64> {
    let order = reachable(pool, exprs, |_| true);
    let position = |id: ExprId| order.binary_search(&id).unwrap_or(usize::MAX);
    let mut results = vec![f64::NAN; order.len()];
    let mut calls: Vec<(ExprId, Vec<f64>)> = Vec::new();
    let mut scratch = Vec::new();
    for (at, &id) in order.iter().enumerate() {
        if !matches!(pool.node(id), Node::Output(..)) {
            scratch.clear();
            scratch.extend(pool.children(id).iter().map(|&arg| results[position(arg)]));
        }
        results[at] = match pool.node(id) {
            Node::Const(value) => value,
            Node::Text(_) => f64::NAN,
            Node::Var(var) => values.variable(var),
            Node::Op(op, _) if op.is_context_dependent() => values.context(op, &scratch),
            Node::Op(op, _) if op.has_branches() => values.branch(id, op, &scratch),
            Node::Op(op, _) => op.eval(&scratch),
            Node::Call(function, _) => {
                calls.push((id, values.call(pool, function, &scratch)));
                f64::NAN
            }
            Node::Output(call, k) => calls
                .binary_search_by_key(&call, |(id, _)| *id)
                .ok()
                .and_then(|i| calls[i].1.get(k as usize).copied())
                .unwrap_or(f64::NAN),
        };
    }
    exprs.iter().map(|&id| results[position(id)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    // Examples printed in specification section 3.7.2.1.
    #[test]
    fn division_with_remainder_as_specified() {
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-15, "{a} {b}");
        close(Op::Mod.eval(&[3.0, 1.4]), 0.2);
        close(Op::Mod.eval(&[-3.0, 1.4]), 1.2);
        close(Op::Mod.eval(&[3.0, -1.4]), -1.2);
        // The largest Integers, against integer arithmetic.
        for a in (0..200).flat_map(|k| [(1i64 << 53) - k, k - (1i64 << 53)]) {
            for b in
                [3, 10, 591_473, 535_069, 4_194_305, 3_175_502_870_218_611i64].map(|b| [b, -b]).as_flattened()
            {
                let exact = a.rem_euclid(*b) + if *b < 0 && a % b != 0 { *b } else { 0 };
                assert_eq!(Op::Mod.eval(&[a as f64, *b as f64]), exact as f64, "mod({a}, {b})");
            }
        }
        close(Op::Rem.eval(&[3.0, 1.4]), 0.2);
        close(Op::Rem.eval(&[-3.0, 1.4]), -0.2);
        assert_eq!(Op::IntegerDiv.eval(&[-7.0, 2.0]), -3.0);
        assert_eq!(Op::Integer.eval(&[-7.5]), -8.0);
        assert_eq!(Op::Ceil.eval(&[-7.5]), -7.0);
    }

    #[test]
    fn powers() {
        assert_eq!(power(3.0, 3.0), 27.0);
        assert_eq!(power(-2.0, 5.0), -32.0);
        assert_eq!(power(2.0, -2.0), 0.25);
        assert_eq!(power(0.0, 0.0), 1.0);
        assert_eq!(power(2.0, 0.5), 2f64.powf(0.5));
        assert!(power(-2.0, 0.5).is_nan());
        assert_eq!(power(2.0, 40.0), 2f64.powi(40));
        assert_eq!(power(f64::INFINITY, 0.0), 1.0);
        assert!(power(2.0, f64::NAN).is_nan());
    }

    #[test]
    fn logic() {
        assert_eq!(Op::And.eval(&[1.0, 1.0, 0.0]), 0.0);
        assert_eq!(Op::Or.eval(&[0.0, 0.0, 1.0]), 1.0);
        assert_eq!(Op::If.eval(&[1.0, 2.0, 3.0]), 2.0);
        assert_eq!(Op::If.eval(&[0.0, 2.0, 3.0]), 3.0);
        assert_eq!(Op::Sign.eval(&[-0.5]), -1.0);
        assert_eq!(Op::Sign.eval(&[0.0]), 0.0);
        for bad in [[f64::NAN, 1.0], [1.0, f64::NAN], [f64::NAN, f64::NAN]] {
            assert!(Op::Min.eval(&bad).is_nan() && Op::Max.eval(&bad).is_nan());
        }
        assert!(Op::Sign.eval(&[f64::NAN]).is_nan());
        assert_eq!([Op::Min.eval(&[1.0, 2.0]), Op::Max.eval(&[1.0, 2.0])], [1.0, 2.0]);
        assert_eq!(Op::Not.eval(&[0.0]), 1.0);
    }
}
