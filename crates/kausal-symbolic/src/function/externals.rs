//! Foreign functions: what they are given and what they give back.
//!
//! Nothing foreign runs by itself: whoever evaluates passes an [`Externals`], or none. `external "builtin"`
//! functions are operators under another name and need none.

use super::value::Value;
use super::{ExternalBody, Term};
use crate::node::Op;

/// Runs foreign functions.
pub trait Externals {
    /// Runs one. The values given back are the result, if the declaration has one, and then the new value of
    /// every argument that is [written](ExternalArg::written), in order.
    fn call(&self, call: &ExternalCall<'_>) -> Result<Vec<Value<f64>>, ExternalError>;

    /// The object behind a handle is needed no more: it was made by a function for itself.
    fn release(&self, _handle: f64) {}
}

/// A call of a foreign function.
#[derive(Clone, Copy, Debug)]
pub struct ExternalCall<'a> {
    /// The full name of the Modelica function.
    pub function: &'a str,
    /// The declaration: language, foreign name, annotations.
    pub body: &'a ExternalBody,
    /// The arguments in the order of the declaration.
    pub args: &'a [ExternalArg],
    /// Of a constructor: the class of its objects.
    pub constructs: Option<&'a str>,
    /// The number of the call if it is one apart from all others: made again, it gives the same object again.
    pub apart: Option<u32>,
}

/// An argument of a foreign function.
#[derive(Clone, Debug, PartialEq)]
pub struct ExternalArg {
    /// Its value before the call.
    pub value: Value<f64>,
    /// Is it an output or a protected variable, which the foreign function may change?
    pub written: bool,
}

/// Why a foreign function gave nothing back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExternalError {
    /// It is not known, or may not run.
    Unavailable,
    /// It failed, and said this.
    Failed(String),
}

/// The operator behind an `external "builtin"` function.
pub fn builtin_op(name: &str) -> Option<Op> {
    Some(match name {
        "sin" => Op::Sin,
        "cos" => Op::Cos,
        "tan" => Op::Tan,
        "asin" => Op::Asin,
        "acos" => Op::Acos,
        "atan" => Op::Atan,
        "atan2" => Op::Atan2,
        "sinh" => Op::Sinh,
        "cosh" => Op::Cosh,
        "tanh" => Op::Tanh,
        "exp" => Op::Exp,
        "log" => Op::Log,
        "log10" => Op::Log10,
        "sqrt" => Op::Sqrt,
        "abs" => Op::Abs,
        "sign" => Op::Sign,
        "min" => Op::Min,
        "max" => Op::Max,
        "floor" => Op::Floor,
        "ceil" => Op::Ceil,
        "integer" => Op::Integer,
        "div" => Op::IntegerDiv,
        "mod" => Op::Mod,
        "rem" => Op::Rem,
        _ => return None,
    })
}

impl ExternalBody {
    /// The operator, if this is only another name of one.
    pub fn builtin(&self) -> Option<Op> {
        (self.language == "builtin").then(|| builtin_op(&self.name)).flatten()
    }

    /// Does the foreign function write this argument? `is_input` tells of a local.
    pub(super) fn writes(&self, arg: &Term, is_input: impl Fn(super::LocalId) -> bool) -> bool {
        matches!(arg, Term::Local(local) if !is_input(*local))
    }
}
