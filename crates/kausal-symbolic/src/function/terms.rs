//! Expressions of functions.
//!
//! [`Evaluator::eval_number`] is the short way for terms that are single numbers; [`Evaluator::eval`] takes
//! everything. Conditions, `and` and `or` evaluate no more than they have to, so `i <= n and x[i] > 0` is safe.

use std::sync::Arc;

use smallvec::SmallVec;

use super::array::{Array, ArrayErrorKind, Shape, as_size, as_subscript};
use super::check::array_arity;
use super::domain::Domain;
use super::evaluator::{Arguments, Evaluator, Outputs};
use super::operations::{array_function, collect, element_wise, no_dimension, reduce, reshape_front};
use super::routine::{Routine, Short};
use super::value::Value;
use super::{ArrayFn, EvalError, EvalErrorKind, LocalId, Reduction, Scalar, Term, TermId};
use crate::node::Op;

impl<D: Domain> Evaluator<'_, D> {
    /// The value of a term that is one number.
    pub(super) fn eval_number(
        &mut self,
        routine: &Routine,
        base: usize,
        term: TermId,
    ) -> Result<D::Scalar, EvalError> {
        match routine.short[term.0 as usize] {
            Short::Const(value) => Ok(self.domain.number(value)),
            Short::Local(local) => match &self.stack[base + local.0 as usize] {
                Some(Value::Scalar(value)) => Ok(*value),
                _ => Ok(self.read(routine, base, local).as_scalar()?),
            },
            Short::Op1(op, a) => {
                self.deeper(1)?;
                let a = self.eval_number(routine, base, a);
                self.leave(1);
                Ok(self.domain.op1(op, a?)?)
            }
            Short::Op2(op, a, b) => {
                self.deeper(1)?;
                let a = self.eval_number(routine, base, a);
                let b = self.eval_number(routine, base, b);
                self.leave(1);
                Ok(self.domain.op2(op, a?, b?)?)
            }
            Short::Element1(local, i) => {
                let i = self.eval_number(routine, base, i)?;
                if let Some(index) = self.domain.value(i)
                    && let Some(Value::Array(array)) = &self.stack[base + local.0 as usize]
                    && let &[size] = array.shape()
                {
                    return Ok(array.data()[as_subscript(index, 1, size)? - 1]);
                }
                self.eval_long(routine, base, term)
            }
            Short::Element2(local, i, j) => {
                let i = self.eval_number(routine, base, i)?;
                let j = self.eval_number(routine, base, j)?;
                if let (Some(i), Some(j)) = (self.domain.value(i), self.domain.value(j))
                    && let Some(Value::Array(array)) = &self.stack[base + local.0 as usize]
                    && let &[rows, columns] = array.shape()
                {
                    let (i, j) = (as_subscript(i, 1, rows)?, as_subscript(j, 2, columns)?);
                    return Ok(array.data()[(i - 1) * columns + j - 1]);
                }
                self.eval_long(routine, base, term)
            }
            Short::Long => self.eval_long(routine, base, term),
        }
    }

    #[inline(never)]
    fn eval_long(&mut self, routine: &Routine, base: usize, term: TermId) -> Result<D::Scalar, EvalError> {
        match routine.term(term) {
            Term::Op(op, args) if routine.is_number(term) => self.eval_op(routine, base, *op, args),
            Term::Array(ArrayFn::SizeOf, args) => self.eval_size(routine, base, args),
            _ => Ok(self.eval_any(routine, base, term)?.as_scalar()?),
        }
    }

    /// The value of a term.
    pub(super) fn eval(
        &mut self,
        routine: &Routine,
        base: usize,
        term: TermId,
    ) -> Result<Value<D::Scalar>, EvalError> {
        if routine.is_number(term) {
            return self.eval_number(routine, base, term).map(Value::Scalar);
        }
        self.eval_any(routine, base, term)
    }

    fn eval_any(
        &mut self,
        routine: &Routine,
        base: usize,
        term: TermId,
    ) -> Result<Value<D::Scalar>, EvalError> {
        self.deeper(1)?;
        let value = self.dispatch(routine, base, term);
        self.leave(1);
        value
    }

    fn dispatch(
        &mut self,
        routine: &Routine,
        base: usize,
        term: TermId,
    ) -> Result<Value<D::Scalar>, EvalError> {
        match routine.term(term) {
            Term::Const(value) => Ok(Value::Scalar(self.domain.number(*value))),
            Term::Text(text) => Ok(Value::text(text.as_str())),
            Term::Local(local) => Ok(self.read(routine, base, *local)),
            Term::Outer(var) => match self.domain.outer(*var) {
                Some(value) => Ok(Value::Scalar(value)),
                None => Err(ArrayErrorKind::NotANumber("a variable of the model").into()),
            },
            Term::Index(array, subscripts) => self.eval_index(routine, base, *array, subscripts),
            Term::Op(Op::If, args) if args.len() == 3 => self.eval_if(routine, base, args),
            Term::Op(op, args) => self.eval_elements(routine, base, *op, args),
            Term::Array(array_fn, args) => self.eval_array(routine, base, *array_fn, args),
            Term::Call(_, _, number) => self.eval_call(routine, base, term, *number),
            Term::For(reduction, body, iterators) => {
                self.eval_for(routine, base, *reduction, *body, iterators)
            }
        }
    }

    #[inline(never)]
    fn eval_elements(
        &mut self,
        routine: &Routine,
        base: usize,
        op: Op,
        args: &[TermId],
    ) -> Result<Value<D::Scalar>, EvalError> {
        let args = self.eval_all(routine, base, args)?;
        Ok(element_wise(&mut self.domain, op, &args)?)
    }

    #[inline(never)]
    fn eval_call(
        &mut self,
        routine: &Routine,
        base: usize,
        call: TermId,
        number: u32,
    ) -> Result<Value<D::Scalar>, EvalError> {
        let outputs = self.call_outputs(routine, base, call)?;
        let missing = || EvalErrorKind::Malformed(format!("a function has no output {number}"));
        Ok(outputs.into_iter().nth(number as usize).ok_or_else(missing)?)
    }

    fn eval_all(
        &mut self,
        routine: &Routine,
        base: usize,
        terms: &[TermId],
    ) -> Result<SmallVec<[Value<D::Scalar>; 4]>, EvalError> {
        terms.iter().map(|&term| self.eval(routine, base, term)).collect()
    }

    /// All outputs of a call; any other expression is its only output.
    pub(super) fn call_outputs(
        &mut self,
        routine: &Routine,
        base: usize,
        call: TermId,
    ) -> Result<Outputs<D::Scalar>, EvalError> {
        let Term::Call(function, args, _) = routine.term(call) else {
            return Ok(Outputs::from_iter([self.eval(routine, base, call)?]));
        };
        let mut values = Arguments::new();
        for &arg in args {
            values.push(Some(self.eval(routine, base, arg)?));
        }
        self.nested_call(*function, values)
    }

    #[inline(never)]
    fn eval_index(
        &mut self,
        routine: &Routine,
        base: usize,
        array: TermId,
        subscripts: &[super::Subscript],
    ) -> Result<Value<D::Scalar>, EvalError> {
        let value = self.eval(routine, base, array)?;
        self.read_elements(routine, base, &value, subscripts)
    }

    /// `size(a, i)` without copying the array.
    #[inline(never)]
    fn eval_size(&mut self, routine: &Routine, base: usize, args: &[TermId]) -> Result<D::Scalar, EvalError> {
        let &[array, dimension] = args else { return Err(wrong_arguments()) };
        let dimension = self.eval_number(routine, base, dimension)?;
        let dimension =
            self.domain.value(dimension).ok_or(ArrayErrorKind::NotANumber("the dimension of size"))?;
        let dimension = as_size("the dimension of size", dimension)?;
        let size = |value: &Value<D::Scalar>| {
            let found = dimension.checked_sub(1).and_then(|k| value.shape().get(k).copied());
            found.ok_or_else(|| no_dimension(value.shape()))
        };
        let size = match routine.term(array) {
            Term::Local(local) => match &self.stack[base + local.0 as usize] {
                Some(value) => size(value)?,
                None => size(&self.read(routine, base, *local))?,
            },
            _ => size(&self.eval(routine, base, array)?)?,
        };
        Ok(self.domain.number(size as f64))
    }

    /// An operator on single numbers.
    fn eval_op(
        &mut self,
        routine: &Routine,
        base: usize,
        op: Op,
        args: &[TermId],
    ) -> Result<D::Scalar, EvalError> {
        self.deeper(1)?;
        let value = self.run_op(routine, base, op, args);
        self.leave(1);
        value
    }

    fn run_op(
        &mut self,
        routine: &Routine,
        base: usize,
        op: Op,
        args: &[TermId],
    ) -> Result<D::Scalar, EvalError> {
        match (op, args) {
            (Op::If, _) => Ok(self.eval_if(routine, base, args)?.as_scalar()?),
            (Op::And | Op::Or, _) => self.eval_logic(routine, base, op, args),
            (Op::IntegerDiv | Op::Mod | Op::Rem, &[a, b]) if routine.divides_integers(op, args) => {
                let a = self.eval_number(routine, base, a)?;
                let b = self.eval_number(routine, base, b)?;
                for number in [a, b] {
                    self.require_exact(routine, number)?;
                }
                Ok(self.domain.op2(op, a, b)?)
            }
            _ => Ok(self.eval_elements(routine, base, op, args)?.as_scalar()?),
        }
    }

    /// `and`, `or`: from left to right, no further than needed.
    #[inline(never)]
    fn eval_logic(
        &mut self,
        routine: &Routine,
        base: usize,
        op: Op,
        args: &[TermId],
    ) -> Result<D::Scalar, EvalError> {
        let decisive = op == Op::Or;
        let mut undecided = SmallVec::<[D::Scalar; 4]>::new();
        for &arg in args {
            let value = self.eval_number(routine, base, arg)?;
            match self.truth(value) {
                Some(truth) if truth == decisive => {
                    return Ok(self.domain.number(f64::from(u8::from(truth))));
                }
                Some(_) => {}
                None => undecided.push(value),
            }
        }
        match undecided[..] {
            [] => Ok(self.domain.number(f64::from(u8::from(!decisive)))),
            [one] => Ok(one),
            _ => Ok(self.domain.op(op, &undecided)?),
        }
    }

    /// `if`: only the branch that counts is evaluated, if that is known.
    #[inline(never)]
    fn eval_if(
        &mut self,
        routine: &Routine,
        base: usize,
        args: &[TermId],
    ) -> Result<Value<D::Scalar>, EvalError> {
        let &[condition, a, b] = args else { return Err(wrong_arguments()) };
        let condition = self.eval(routine, base, condition)?;
        let Value::Scalar(condition) = condition else {
            let args = [condition, self.eval(routine, base, a)?, self.eval(routine, base, b)?];
            return Ok(element_wise(&mut self.domain, Op::If, &args)?);
        };
        match self.truth(condition) {
            Some(true) => self.eval(routine, base, a),
            Some(false) => self.eval(routine, base, b),
            None => {
                self.path.push(condition);
                let a = self.eval(routine, base, a)?;
                self.path.pop();
                let not = self.domain.op(Op::Not, &[condition])?;
                self.path.push(not);
                let b = self.eval(routine, base, b)?;
                self.path.pop();
                self.merge(condition, a, b)
            }
        }
    }

    #[inline(never)]
    fn eval_array(
        &mut self,
        routine: &Routine,
        base: usize,
        array_fn: ArrayFn,
        args: &[TermId],
    ) -> Result<Value<D::Scalar>, EvalError> {
        if array_fn == ArrayFn::SizeOf {
            return self.eval_size(routine, base, args).map(Value::Scalar);
        }
        let scalar = args.first().map_or(Scalar::Real, |first| routine.types[first.0 as usize].scalar);
        if !array_arity(array_fn, args.len()) {
            return Err(wrong_arguments());
        }
        let args = self.eval_all(routine, base, args)?;
        let value = array_function(&mut self.domain, array_fn, scalar, &args)?;
        self.spend(size_in_steps(&value))?;
        Ok(value)
    }

    /// `{body for i in range, …}` and reductions; the first iterator is the innermost.
    #[inline(never)]
    fn eval_for(
        &mut self,
        routine: &Routine,
        base: usize,
        reduction: Reduction,
        body: TermId,
        iterators: &[(LocalId, TermId)],
    ) -> Result<Value<D::Scalar>, EvalError> {
        let mut ranges = Vec::with_capacity(iterators.len());
        for &(_, range) in iterators {
            let range = self.eval(routine, base, range)?;
            if range.shape().len() != 1 {
                let found = range.shape().into();
                return Err(ArrayErrorKind::WrongShape { what: "for", needs: "a vector", found }.into());
            }
            ranges.push(range);
        }
        let sizes: Shape = ranges.iter().rev().map(|range| range.shape()[0]).collect();
        let count = super::array::element_count(&sizes)?;
        let saved: Vec<_> =
            iterators.iter().map(|(local, _)| self.stack[base + local.0 as usize].take()).collect();
        let mut at = vec![0usize; iterators.len()];
        let mut values = Vec::with_capacity(count);
        for _ in 0..count {
            self.step()?;
            for ((local, _), (range, &k)) in iterators.iter().zip(ranges.iter().zip(&at)) {
                self.stack[base + local.0 as usize] = Some(match range {
                    Value::Text(texts) => Value::text(texts.data()[k].clone()),
                    numbers => Value::Scalar(numbers.scalars()[k]),
                });
            }
            values.push(self.eval(routine, base, body)?);
            for (k, range) in at.iter_mut().zip(&ranges) {
                *k += 1;
                if *k < range.shape()[0] {
                    break;
                }
                *k = 0;
            }
        }
        for ((local, _), value) in iterators.iter().zip(saved) {
            self.stack[base + local.0 as usize] = value;
        }
        let ty = routine.types[body.0 as usize];
        let rank = usize::from(ty.rank.unwrap_or(0));
        match reduction {
            Reduction::Array if values.is_empty() => {
                let mut shape = sizes;
                shape.resize(iterators.len() + rank, 0);
                Ok(if ty.scalar == Scalar::String {
                    Value::texts(Array::from_vec(&shape, Vec::new())?)
                } else {
                    Value::Array(Arc::new(Array::from_vec(&shape, Vec::new())?))
                })
            }
            Reduction::Array => Ok(reshape_front(collect(&values)?, &sizes)?),
            _ => Ok(reduce(&mut self.domain, reduction, &values, ty.scalar, rank)?),
        }
    }
}

#[cold]
fn wrong_arguments() -> EvalError {
    EvalErrorKind::Malformed("an operator with a wrong number of arguments".into()).into()
}

/// Making a large value takes as long as so many steps.
fn size_in_steps<T: Copy>(value: &Value<T>) -> u64 {
    const PER_STEP: usize = 8;
    let size = match value {
        Value::Scalar(_) => 0,
        Value::Text(texts) => texts.data().iter().map(|text| text.known().map_or(1, str::len)).sum::<usize>(),
        numbers => numbers.shape().iter().product(),
    };
    (size / PER_STEP) as u64
}
