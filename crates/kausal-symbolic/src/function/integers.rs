//! Integers inside functions are exact, or the function fails.
//!
//! All numbers are doubles, and whole ones are exact up to 2^53. Beyond it digits are lost without a trace, and the remainder of
//! what is left means nothing. So results of Integer arithmetic are looked at where they are kept, in a variable of type Integer,
//! and before `div`, `mod` and `rem` make them small again. Real numbers are not looked at.

use super::typing::TermType;
use super::{ArrayFn, Function, Scalar, Term, TermId};
use crate::node::Op;

/// Beyond it whole numbers next to each other are more than one apart.
pub const LARGEST_INTEGER: f64 = 9_007_199_254_740_992.0;

/// Is a number no Integer that can be trusted?
#[inline]
pub fn is_inexact(value: f64) -> bool {
    value.is_nan() || value.abs() > LARGEST_INTEGER
}

/// May the value of an expression of type Integer be too large? What only passes values on, or counts, may not.
pub fn may_be_inexact(function: &Function, term: TermId) -> bool {
    match function.term(term) {
        Term::Const(value) => is_inexact(*value),
        Term::Text(_) | Term::Local(_) | Term::Outer(_) | Term::Index(..) | Term::Call(..) => false,
        Term::Op(op, _) => {
            matches!(
                op,
                Op::Add | Op::Mul | Op::Pow | Op::Integer | Op::IntegerDiv | Op::If | Op::Mod | Op::Rem
            )
        }
        Term::Array(array_fn, _) => !matches!(
            array_fn,
            ArrayFn::Size
                | ArrayFn::SizeOf
                | ArrayFn::Ndims
                | ArrayFn::Identity
                | ArrayFn::Range
                | ArrayFn::Construct
        ),
        Term::For(..) => true,
    }
}

/// Is it a division with remainder of two Integers?
pub fn divides_integers(op: Op, args: &[TermType]) -> bool {
    matches!(op, Op::IntegerDiv | Op::Mod | Op::Rem)
        && args.iter().all(|arg| arg.scalar == Scalar::Integer && arg.rank == Some(0))
}

/// What is said of a number that is too large.
pub fn too_large(value: f64) -> String {
    format!("{value:e} is too large for an Integer, which is exact up to 2^53")
}
