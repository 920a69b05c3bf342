//! Finds the sizes of what a function gives back, from the sizes of its arguments.
//!
//! The domain [`Sizes`] computes with numbers of which some are not known. Both branches of an undecided `if` are
//! taken, a loop of unknown length is gone through until nothing changes any more, and what differs afterwards is
//! not known. This ends: a value that has become unknown stays so.

use super::array::{Array, ArrayErrorKind, ArrayResult, Shape};
use super::domain::{Assertion, Domain, concat_known};
use super::evaluator::Evaluator;
use super::text::{TextFormat, format_number};
use super::value::{Text, Value};
use super::{EvalError, EvalErrorKind, Function, FunctionId, Scalar};
use crate::node::{ExprId, Op, VarId};
use crate::pool::Pool;

/// A number that may not be known.
#[derive(Clone, Copy, Debug)]
pub struct Maybe(Option<f64>);

impl Maybe {
    /// A number of which nothing is known.
    pub const UNKNOWN: Maybe = Maybe(None);

    /// A known number.
    pub fn known(value: f64) -> Self {
        Maybe(Some(value))
    }

    /// The number, if it is known.
    pub fn value(self) -> Option<f64> {
        self.0
    }
}

impl PartialEq for Maybe {
    fn eq(&self, other: &Self) -> bool {
        self.0.map(f64::to_bits) == other.0.map(f64::to_bits)
    }
}

/// The sizes of all outputs of a function for these arguments, whose elements need not be known. Fails if they
/// depend on what is not known.
pub fn output_shapes(
    pool: &Pool,
    function: FunctionId,
    args: &[Value<Maybe>],
) -> Result<Vec<Shape>, EvalError> {
    let declared = Evaluator::new(Sizes::new(pool)).declared_outputs(function, args)?;
    if let Some(shapes) = declared.into_iter().collect() {
        return Ok(shapes);
    }
    let outputs = Evaluator::new(Sizes::new(pool)).call(function, args)?;
    Ok(outputs.iter().map(|output| output.shape().into()).collect())
}

/// The domain of numbers of which some are not known.
#[derive(Clone, Copy, Debug)]
pub struct Sizes<'p> {
    pool: &'p Pool,
}

impl<'p> Sizes<'p> {
    /// The domain, with the functions of a pool.
    pub fn new(pool: &'p Pool) -> Self {
        Sizes { pool }
    }
}

/// A string of which nothing is known.
fn unknown_text() -> Text {
    Text::Expr(ExprId(u32::MAX))
}

impl Domain for Sizes<'_> {
    type Scalar = Maybe;
    const KEEPS_CALLS: bool = true;

    fn number(&mut self, value: f64) -> Maybe {
        Maybe::known(value)
    }

    fn value(&self, scalar: Maybe) -> Option<f64> {
        scalar.0
    }

    fn op(&mut self, op: Op, args: &[Maybe]) -> ArrayResult<Maybe> {
        let known: Option<smallvec::SmallVec<[f64; 4]>> = args.iter().map(|arg| arg.0).collect();
        Ok(match (op, args, known) {
            (op, _, _) if op.is_context_dependent() => Maybe::UNKNOWN,
            (_, _, Some(known)) => Maybe::known(op.eval(&known)),
            (Op::If, [_, a, b], _) if a == b => *a,
            (Op::If, [Maybe(Some(condition)), a, b], _) => {
                if *condition != 0.0 {
                    *a
                } else {
                    *b
                }
            }
            (Op::And, _, _) if args.contains(&Maybe::known(0.0)) => Maybe::known(0.0),
            (Op::Or, _, _) if args.contains(&Maybe::known(1.0)) => Maybe::known(1.0),
            _ => Maybe::UNKNOWN,
        })
    }

    fn function(&self, id: FunctionId) -> Option<&Function> {
        self.pool.get_function(id)
    }

    fn outer(&mut self, _var: VarId) -> Option<Maybe> {
        Some(Maybe::UNKNOWN)
    }

    fn concat(&mut self, parts: &[Text]) -> ArrayResult<Text> {
        Ok(concat_known(parts).unwrap_or_else(unknown_text))
    }

    fn to_text(&mut self, value: Maybe, kind: Scalar, format: &TextFormat<Maybe>) -> ArrayResult<Text> {
        Ok(match (value.0, format.map(Maybe::value)) {
            (Some(value), Some(format)) => Text::from(format_number(value, kind, &format).as_str()),
            _ => unknown_text(),
        })
    }

    fn compare_texts(&mut self, op: Op, a: &Text, b: &Text) -> ArrayResult<Maybe> {
        let (Some(a), Some(b)) = (a.known(), b.known()) else { return Ok(Maybe::UNKNOWN) };
        super::domain::compare_known(op, a, b).map(Maybe::known)
    }

    fn merge_texts(&mut self, _condition: Maybe, a: &Text, b: &Text) -> ArrayResult<Text> {
        Ok(if a == b { a.clone() } else { unknown_text() })
    }

    fn assertion(&mut self, _assertion: Assertion<Maybe>) -> ArrayResult<()> {
        Ok(())
    }

    fn unknown(&mut self) -> Option<Maybe> {
        Some(Maybe::UNKNOWN)
    }

    fn keep_call(
        &mut self,
        function: FunctionId,
        args: &[Value<Maybe>],
    ) -> Result<Option<Vec<Value<Maybe>>>, EvalError> {
        let shapes = Evaluator::new(*self).declared_outputs(function, args)?;
        let called = self.function(function).ok_or(EvalErrorKind::NoFunction(function))?;
        let mut outputs = Vec::with_capacity(shapes.len());
        for (&output, shape) in called.outputs.iter().zip(shapes) {
            let shape = shape.ok_or(ArrayErrorKind::NotANumber("the size of an output"))?;
            outputs.push(if called.local(output).scalar == Scalar::String {
                Value::texts(Array::filled(unknown_text(), &shape)?)
            } else {
                Array::filled(Maybe::UNKNOWN, &shape)?.into()
            });
        }
        Ok(Some(outputs))
    }
}
