//! What a function computes with: numbers, expressions, or only what is known of them.
//!
//! One evaluator and one set of array routines serve three domains: [`Numbers`] runs a function,
//! [`Symbolic`](super::Symbolic) turns its body into expressions, [`Sizes`](super::Sizes) finds the sizes of its
//! outputs without knowing the values of its inputs.

use std::fmt::Debug;

use super::array::{ArrayErrorKind, ArrayResult};
use super::text::{TextFormat, format_number};
use super::value::{Text, Value};
use super::{EvalError, Function, FunctionId, Scalar};
use crate::node::{Op, VarId};
use crate::pool::Pool;

/// What a function computes with.
pub trait Domain {
    /// An element.
    type Scalar: Copy + PartialEq + Debug;

    /// Are expressions made, which may be evaluated in another order, several times, or never?
    const REORDERS: bool = false;
    /// Can it keep calls as calls, see [`Domain::keep_call`]?
    const KEEPS_CALLS: bool = false;

    /// Are two elements that are equal the same, whatever is known of them?
    const EQUAL_IS_SAME: bool = false;

    /// A known number.
    fn number(&mut self, value: f64) -> Self::Scalar;

    /// The number, if it is known.
    fn value(&self, scalar: Self::Scalar) -> Option<f64>;

    /// An operator on its arguments.
    fn op(&mut self, op: Op, args: &[Self::Scalar]) -> ArrayResult<Self::Scalar>;

    /// An operator on one argument.
    #[inline]
    fn op1(&mut self, op: Op, a: Self::Scalar) -> ArrayResult<Self::Scalar> {
        self.op(op, &[a])
    }

    /// An operator on two arguments.
    #[inline]
    fn op2(&mut self, op: Op, a: Self::Scalar, b: Self::Scalar) -> ArrayResult<Self::Scalar> {
        self.op(op, &[a, b])
    }

    /// A function that bodies call.
    fn function(&self, id: FunctionId) -> Option<&Function>;

    /// A variable outside the function.
    fn outer(&mut self, _var: VarId) -> Option<Self::Scalar> {
        None
    }

    /// The sum of products of two lists.
    fn inner_product(
        &mut self,
        pairs: impl Iterator<Item = (Self::Scalar, Self::Scalar)>,
    ) -> ArrayResult<Self::Scalar> {
        let mut products = smallvec::SmallVec::<[Self::Scalar; 8]>::new();
        for (a, b) in pairs {
            products.push(self.op(Op::Mul, &[a, b])?);
        }
        self.sum(&products)
    }

    /// The sum of all.
    fn sum(&mut self, terms: &[Self::Scalar]) -> ArrayResult<Self::Scalar> {
        match terms {
            [] => Ok(self.number(0.0)),
            [one] => Ok(*one),
            _ => self.op(Op::Add, terms),
        }
    }

    /// Strings one behind the other.
    fn concat(&mut self, parts: &[Text]) -> ArrayResult<Text> {
        concat_known(parts).ok_or_else(|| ArrayErrorKind::NotANumber("a string").into())
    }

    /// `String(value, …)`
    fn to_text(
        &mut self,
        value: Self::Scalar,
        kind: Scalar,
        format: &TextFormat<Self::Scalar>,
    ) -> ArrayResult<Text> {
        let known = format.map(|option| self.value(option));
        match (self.value(value), known) {
            (Some(value), Some(format)) => Ok(Text::from(format_number(value, kind, &format)?.as_str())),
            _ => Err(ArrayErrorKind::NotANumber("a string").into()),
        }
    }

    /// A relation between strings.
    fn compare_texts(&mut self, op: Op, a: &Text, b: &Text) -> ArrayResult<Self::Scalar> {
        let (Some(a), Some(b)) = (a.known(), b.known()) else {
            return Err(ArrayErrorKind::NotANumber("a string").into());
        };
        compare_known(op, a, b).map(|holds| self.number(holds))
    }

    /// One of two strings, by a condition that is not known.
    fn merge_texts(&mut self, _condition: Self::Scalar, a: &Text, b: &Text) -> ArrayResult<Text> {
        if a == b { Ok(a.clone()) } else { Err(ArrayErrorKind::NotANumber("a string").into()) }
    }

    /// Takes note of an assertion whose condition is not known; the domain may refuse.
    fn assertion(&mut self, _assertion: Assertion<Self::Scalar>) -> ArrayResult<()> {
        Err(ArrayErrorKind::NotANumber("the condition of an assertion").into())
    }

    /// A value of which nothing is known. A domain that has one lets loops run until nothing changes any
    /// more instead of step by step.
    fn unknown(&mut self) -> Option<Self::Scalar> {
        None
    }

    /// Keeps a call as a call, rather than running it; `None` if the domain cannot.
    fn keep_call(
        &mut self,
        _function: FunctionId,
        _args: &[Value<Self::Scalar>],
    ) -> Result<Option<Vec<Value<Self::Scalar>>>, EvalError> {
        Ok(None)
    }

    /// Should this call be kept even if it could be run?
    fn prefers_call(&self, _function: FunctionId) -> bool {
        false
    }

    /// How many assertions were taken note of; [`Domain::forget_assertions`] goes back to that.
    fn assertion_count(&self) -> usize {
        0
    }

    /// Forgets assertions after this many.
    fn forget_assertions(&mut self, _count: usize) {}
}

/// An assertion that could not be decided.
#[derive(Clone, Debug, PartialEq)]
pub struct Assertion<T> {
    /// What must hold.
    pub condition: T,
    /// What to say otherwise.
    pub message: Text,
    /// Only a warning.
    pub warning: bool,
}

pub(crate) fn concat_known(parts: &[Text]) -> Option<Text> {
    if let [one] = parts {
        return Some(one.clone());
    }
    let known: Option<Vec<&str>> = parts.iter().map(Text::known).collect();
    Some(Text::Known(known?.concat().into()))
}

pub(crate) fn compare_known(op: Op, a: &str, b: &str) -> ArrayResult<f64> {
    let holds = match op {
        Op::Equal => a == b,
        Op::NotEqual => a != b,
        Op::Less => a < b,
        Op::LessEqual => a <= b,
        _ => return Err(ArrayErrorKind::Mixed("an operator").into()),
    };
    Ok(f64::from(u8::from(holds)))
}

/// The domain of numbers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Numbers<'p> {
    pool: Option<&'p Pool>,
}

impl<'p> Numbers<'p> {
    /// Numbers, with the functions of a pool.
    pub fn new(pool: &'p Pool) -> Self {
        Numbers { pool: Some(pool) }
    }

    /// Numbers, with only those functions the evaluator has been given.
    pub fn detached() -> Numbers<'static> {
        Numbers { pool: None }
    }
}

impl Domain for Numbers<'_> {
    type Scalar = f64;

    fn number(&mut self, value: f64) -> f64 {
        value
    }

    fn value(&self, scalar: f64) -> Option<f64> {
        Some(scalar)
    }

    #[inline]
    fn op(&mut self, op: Op, args: &[f64]) -> ArrayResult<f64> {
        if op.is_context_dependent() {
            return Err(ArrayErrorKind::NoContext(op).into());
        }
        Ok(op.eval(args))
    }

    #[inline]
    fn op2(&mut self, op: Op, a: f64, b: f64) -> ArrayResult<f64> {
        // The most frequent ones without a detour; the same as `Op::eval` says.
        match op {
            Op::Add => Ok(a + b),
            Op::Mul => Ok(a * b),
            Op::Div => Ok(a / b),
            _ => self.op(op, &[a, b]),
        }
    }

    fn function(&self, id: FunctionId) -> Option<&Function> {
        self.pool?.get_function(id)
    }

    fn inner_product(&mut self, pairs: impl Iterator<Item = (f64, f64)>) -> ArrayResult<f64> {
        Ok(pairs.map(|(a, b)| a * b).reduce(|sum, product| sum + product).unwrap_or(0.0))
    }
}
