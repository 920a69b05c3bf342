//! Finds the sizes of what a function gives back, from the sizes of its arguments.
//!
//! The domain [`Sizes`] computes with numbers of which some are not known. Both branches of an undecided `if` are
//! taken, a loop of unknown length is gone through until nothing changes any more, and what differs afterwards is
//! not known. This ends: a value that has become unknown stays so.
//!
//! The same domain tells which outputs are numbers whatever the unknown arguments are, see [`constant_outputs`].

use super::array::{Array, ArrayErrorKind, ArrayResult, Shape};
use super::domain::{Assertion, Domain, concat_known};
use super::evaluator::{Evaluator, Limits};
use super::layout::{Layout, unflatten};
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

/// Statements and loop rounds while looking for constant outputs.
const STEPS: u64 = 20_000;

/// For each scalar output of a closed function its value, where it is the same for all values of those arguments that
/// are no numbers: a capacitance, say, that is zero because the parameters among the arguments are. `None` if the
/// function does something that cannot be followed.
pub fn constant_outputs(pool: &Pool, function: FunctionId, args: &[ExprId]) -> Option<Vec<Option<f64>>> {
    let layout = Layout::of_inputs(pool.get_function(function)?)?;
    if layout.len != args.len() {
        return None;
    }
    let args: Vec<Value<Maybe>> = unflatten(pool, &layout, args)?
        .iter()
        .map(|value| value.map(|e| Maybe(pool.as_constant(e))))
        .collect();
    let domain = Sizes { pool, values: true };
    let limits = Limits { steps: STEPS, ..Limits::default() };
    let outputs = Evaluator::new(domain).with_limits(limits).call(function, &args).ok()?;
    let mut flat = Vec::new();
    for output in &outputs {
        match output {
            Value::Text(texts) => flat.extend(texts.data().iter().map(|_| None)),
            numbers => flat.extend(numbers.scalars().iter().map(|n| n.0.filter(|n| n.is_finite()))),
        }
    }
    Some(flat)
}

/// The domain of numbers of which some are not known.
#[derive(Clone, Copy, Debug)]
pub struct Sizes<'p> {
    pool: &'p Pool,
    /// Values are wanted, not only sizes: a loop of unknown length, which may be left early, tells nothing of them.
    values: bool,
}

impl<'p> Sizes<'p> {
    /// The domain, with the functions of a pool.
    pub fn new(pool: &'p Pool) -> Self {
        Sizes { pool, values: false }
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
            // Numbers are finite.
            (Op::Mul, _, _) if args.iter().any(|arg| arg.0 == Some(0.0)) => Maybe::known(0.0),
            (Op::Div, [Maybe(Some(0.0)), _], _) => Maybe::known(0.0),
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
            (Some(value), Some(format)) => Text::from(format_number(value, kind, &format)?.as_str()),
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
        (!self.values).then_some(Maybe::UNKNOWN)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::function::Stmt;

    /// `function f input C; input v; output q; output c; if v > 1 then c := C; else c := 2*C; end if; q := c*v;`
    #[test]
    fn outputs_that_no_unknown_changes() {
        let mut pool = Pool::new();
        let mut f = Function::named("f");
        let (c0, v) = (f.input("C", Scalar::Real, &[]), f.input("v", Scalar::Real, &[]));
        let (q, c) = (f.output("q", Scalar::Real, &[]), f.output("c", Scalar::Real, &[]));
        let (c0, v, c_term) = (f.local_term(c0), f.local_term(v), f.local_term(c));
        let (one, two) = (f.number(1.0), f.number(2.0));
        let above = f.op(Op::Less, &[one, v]);
        let twice = f.op(Op::Mul, &[two, c0]);
        f.push(Stmt::If(vec![(above, vec![Stmt::assign(c, c0)])], vec![Stmt::assign(c, twice)]));
        let charge = f.op(Op::Mul, &[c_term, v]);
        f.push(Stmt::assign(q, charge));
        let f = pool.add_function(f);
        let x = pool.var(VarId(0));
        let (zero, three) = (pool.constant(0.0), pool.constant(3.0));
        assert_eq!(constant_outputs(&pool, f, &[zero, x]), Some(vec![Some(0.0), Some(0.0)]));
        assert_eq!(constant_outputs(&pool, f, &[three, x]), Some(vec![None, None]));
        assert_eq!(constant_outputs(&pool, f, &[x, x]), Some(vec![None, None]));
        assert_eq!(constant_outputs(&pool, f, &[x]), None);
    }
}
