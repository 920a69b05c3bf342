//! What the operations of a tape mean, in numbers.
//!
//! They mean what [`Op::eval`](kausal_symbolic::Op::eval) says. The interpreter calls [`Unary::apply`] and
//! [`Binary::apply`], machine code calls the same Rust functions for what is not a single instruction, and C
//! text writes the same formulas. Booleans are 0 and 1; any nonzero number counts as true. A relation with NaN
//! is false, `<>` is true.

use kausal_symbolic::Op;
use kausal_symbolic::evaluate::{MULTIPLIED_POWER, larger, modulo, power, sign, smaller};

/// An operation on one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unary {
    /// `-x`
    Neg,
    /// `not x`
    Not,
    /// `|x|`
    Abs,
    /// -1, 0 or 1
    Sign,
    /// Square root
    Sqrt,
    /// Largest integer not above
    Floor,
    /// Smallest integer not below
    Ceil,
    /// `e^x`
    Exp,
    /// Natural logarithm
    Log,
    /// Decimal logarithm
    Log10,
    /// Sine
    Sin,
    /// Cosine
    Cos,
    /// Tangent
    Tan,
    /// Inverse sine
    Asin,
    /// Inverse cosine
    Acos,
    /// Inverse tangent
    Atan,
    /// Hyperbolic sine
    Sinh,
    /// Hyperbolic cosine
    Cosh,
    /// Hyperbolic tangent
    Tanh,
}

/// An operation on two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binary {
    /// `a + b`
    Add,
    /// `a - b`
    Sub,
    /// `a * b`
    Mul,
    /// `a / b`
    Div,
    /// `a ^ b`
    Pow,
    /// Angle of the point (b, a)
    Atan2,
    /// `a` if `a < b`, else `b`
    Min,
    /// `a` if `a > b`, else `b`
    Max,
    /// Quotient without fraction
    IntegerDiv,
    /// `a - floor(a/b)*b`
    Mod,
    /// `a - trunc(a/b)*b`
    Rem,
    /// `a < b`
    Less,
    /// `a <= b`
    LessEqual,
    /// `a == b`
    Equal,
    /// `a <> b`
    NotEqual,
    /// `a and b`
    And,
    /// `a or b`
    Or,
}

impl Unary {
    /// The operation an operator of one argument is.
    pub(crate) fn of(op: Op) -> Option<Unary> {
        Some(match op {
            Op::Neg => Unary::Neg,
            Op::Not => Unary::Not,
            Op::Abs => Unary::Abs,
            Op::Sign => Unary::Sign,
            Op::Sqrt => Unary::Sqrt,
            Op::Floor | Op::Integer => Unary::Floor,
            Op::Ceil => Unary::Ceil,
            Op::Exp => Unary::Exp,
            Op::Log => Unary::Log,
            Op::Log10 => Unary::Log10,
            Op::Sin => Unary::Sin,
            Op::Cos => Unary::Cos,
            Op::Tan => Unary::Tan,
            Op::Asin => Unary::Asin,
            Op::Acos => Unary::Acos,
            Op::Atan => Unary::Atan,
            Op::Sinh => Unary::Sinh,
            Op::Cosh => Unary::Cosh,
            Op::Tanh => Unary::Tanh,
            _ => return None,
        })
    }

    /// The value.
    #[inline(always)]
    pub fn apply(self, x: f64) -> f64 {
        match self {
            Unary::Neg => -x,
            Unary::Not => boolean(x == 0.0),
            Unary::Abs => x.abs(),
            Unary::Sign => sign(x),
            Unary::Sqrt => x.sqrt(),
            Unary::Floor => x.floor(),
            Unary::Ceil => x.ceil(),
            Unary::Exp => x.exp(),
            Unary::Log => x.ln(),
            Unary::Log10 => x.log10(),
            Unary::Sin => x.sin(),
            Unary::Cos => x.cos(),
            Unary::Tan => x.tan(),
            Unary::Asin => x.asin(),
            Unary::Acos => x.acos(),
            Unary::Atan => x.atan(),
            Unary::Sinh => x.sinh(),
            Unary::Cosh => x.cosh(),
            Unary::Tanh => x.tanh(),
        }
    }

    /// The library function machine code calls for it; none if it is done in place.
    pub(crate) fn library(self) -> Option<extern "C" fn(f64) -> f64> {
        Some(match self {
            Unary::Exp => exp,
            Unary::Log => log,
            Unary::Log10 => log10,
            Unary::Sin => sin,
            Unary::Cos => cos,
            Unary::Tan => tan,
            Unary::Asin => asin,
            Unary::Acos => acos,
            Unary::Atan => atan,
            Unary::Sinh => sinh,
            Unary::Cosh => cosh,
            Unary::Tanh => tanh,
            _ => return None,
        })
    }
}

impl Binary {
    /// The operation an operator of two arguments is; sums, products, `and` and `or` may have more and are not here.
    pub(crate) fn of(op: Op) -> Option<Binary> {
        Some(match op {
            Op::Div => Binary::Div,
            Op::Pow => Binary::Pow,
            Op::Atan2 => Binary::Atan2,
            Op::Min => Binary::Min,
            Op::Max => Binary::Max,
            Op::IntegerDiv => Binary::IntegerDiv,
            Op::Mod => Binary::Mod,
            Op::Rem => Binary::Rem,
            Op::Less => Binary::Less,
            Op::LessEqual => Binary::LessEqual,
            Op::Equal => Binary::Equal,
            Op::NotEqual => Binary::NotEqual,
            _ => return None,
        })
    }

    /// The value.
    #[inline(always)]
    pub fn apply(self, a: f64, b: f64) -> f64 {
        match self {
            Binary::Add => a + b,
            Binary::Sub => a - b,
            Binary::Mul => a * b,
            Binary::Div => a / b,
            Binary::Pow => power(a, b),
            Binary::Atan2 => a.atan2(b),
            Binary::Min => smaller(a, b),
            Binary::Max => larger(a, b),
            Binary::IntegerDiv => (a / b).trunc(),
            Binary::Mod => modulo(a, b),
            Binary::Rem => a - (a / b).trunc() * b,
            Binary::Less => boolean(a < b),
            Binary::LessEqual => boolean(a <= b),
            Binary::Equal => boolean(a == b),
            Binary::NotEqual => boolean(a != b),
            Binary::And => boolean(a != 0.0 && b != 0.0),
            Binary::Or => boolean(a != 0.0 || b != 0.0),
        }
    }

    /// The library function machine code calls for it; none if it is done in place.
    pub(crate) fn library(self) -> Option<extern "C" fn(f64, f64) -> f64> {
        match self {
            Binary::Pow => Some(pow),
            Binary::Atan2 => Some(atan2),
            _ => None,
        }
    }

    /// Is the value a Boolean?
    pub fn is_boolean(self) -> bool {
        matches!(
            self,
            Binary::Less | Binary::LessEqual | Binary::Equal | Binary::NotEqual | Binary::And | Binary::Or
        )
    }
}

#[inline(always)]
fn boolean(value: bool) -> f64 {
    f64::from(u8::from(value))
}

extern "C" fn exp(x: f64) -> f64 {
    x.exp()
}
extern "C" fn log(x: f64) -> f64 {
    x.ln()
}
extern "C" fn log10(x: f64) -> f64 {
    x.log10()
}
extern "C" fn sin(x: f64) -> f64 {
    x.sin()
}
extern "C" fn cos(x: f64) -> f64 {
    x.cos()
}
extern "C" fn tan(x: f64) -> f64 {
    x.tan()
}
extern "C" fn asin(x: f64) -> f64 {
    x.asin()
}
extern "C" fn acos(x: f64) -> f64 {
    x.acos()
}
extern "C" fn atan(x: f64) -> f64 {
    x.atan()
}
extern "C" fn sinh(x: f64) -> f64 {
    x.sinh()
}
extern "C" fn cosh(x: f64) -> f64 {
    x.cosh()
}
extern "C" fn tanh(x: f64) -> f64 {
    x.tanh()
}
extern "C" fn pow(a: f64, b: f64) -> f64 {
    power(a, b)
}
extern "C" fn library_pow(a: f64, b: f64) -> f64 {
    a.powf(b)
}

/// The function for powers with this exponent, if it is known: the library's own where [`power`] would come to it.
pub(crate) fn power_function(exponent: Option<f64>) -> extern "C" fn(f64, f64) -> f64 {
    let multiplied = |y: f64| y.fract() == 0.0 && y.abs() <= f64::from(MULTIPLIED_POWER);
    match exponent {
        Some(y) if !multiplied(y) => library_pow,
        _ => pow,
    }
}

extern "C" fn atan2(a: f64, b: f64) -> f64 {
    a.atan2(b)
}
