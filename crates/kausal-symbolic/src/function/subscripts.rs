//! Reading and writing elements.
//!
//! A subscript that is an expression reads `if i == 1 then a[1] else if i == 2 …`, and writes to every element
//! that it may mean, by `if`.

use std::sync::Arc;

use smallvec::SmallVec;

use super::array::{Array, ArrayErrorKind, Index, Shape, as_subscript};
use super::domain::Domain;
use super::evaluator::Evaluator;
use super::routine::Routine;
use super::value::{Text, Value};
use super::{EvalError, EvalErrorKind, LocalId, Scalar, Subscript, Target, TermId};
use crate::node::Op;

/// Unknown subscripts may mean at most so many elements.
const MAX_CHOICES: usize = 256;

/// A subscript that has been evaluated.
#[derive(Clone, Debug)]
enum Sub<T> {
    Known(Index),
    Unknown(T),
    /// A vector of this length whose elements are not all known.
    UnknownMany(usize),
}

type Subs<T> = SmallVec<[Sub<T>; 2]>;

impl<D: Domain> Evaluator<'_, D> {
    /// Where an element of a local array is whose subscripts are known numbers. `None` if it is not that.
    fn element_offset(
        &mut self,
        routine: &Routine,
        base: usize,
        local: LocalId,
        subscripts: &[Subscript],
    ) -> Result<Option<usize>, EvalError> {
        let at = base + local.0 as usize;
        let rank = match &self.stack[at] {
            Some(Value::Array(array)) => array.rank(),
            _ => return Ok(None),
        };
        if rank != subscripts.len() {
            return Ok(None);
        }
        let mut offset = 0;
        for (k, subscript) in subscripts.iter().enumerate() {
            let &Subscript::Index(term) = subscript else { return Ok(None) };
            if !routine.is_number(term) {
                return Ok(None);
            }
            let index = self.eval_number(routine, base, term)?;
            let Some(index) = self.domain.value(index) else { return Ok(None) };
            let size = match &self.stack[at] {
                Some(Value::Array(array)) => array.shape()[k],
                _ => return Ok(None),
            };
            offset = offset * size + as_subscript(index, k + 1, size)? - 1;
        }
        Ok(Some(offset))
    }

    /// Elements of a value.
    pub(super) fn read_elements(
        &mut self,
        routine: &Routine,
        base: usize,
        value: &Value<D::Scalar>,
        subscripts: &[Subscript],
    ) -> Result<Value<D::Scalar>, EvalError> {
        let shape: Shape = value.shape().into();
        let subs = self.subscripts(routine, base, subscripts, &shape)?;
        let Some(known) = all_known(&subs) else {
            return self.read_unknown(value, &subs);
        };
        select(value, &known)
    }

    /// `target[…] := value`
    pub(super) fn assign_elements(
        &mut self,
        routine: &Routine,
        base: usize,
        target: &Target,
        value: Value<D::Scalar>,
    ) -> Result<(), EvalError> {
        let at = base + target.local.0 as usize;
        if let Value::Scalar(element) = value
            && let Some(offset) = self.element_offset(routine, base, target.local, &target.subscripts)?
            && let Some(Value::Array(array)) = &mut self.stack[at]
        {
            Arc::make_mut(array).set_at(offset, element);
            return Ok(());
        }
        let shape: Shape = match &self.stack[at] {
            Some(place) => place.shape().into(),
            None => Shape::new(),
        };
        let subs = self.subscripts(routine, base, &target.subscripts, &shape)?;
        let Some(known) = all_known(&subs) else {
            return self.assign_unknown(at, &subs, &value);
        };
        self.put(at, &known, &value)
    }

    fn put(&mut self, at: usize, index: &[Index], value: &Value<D::Scalar>) -> Result<(), EvalError> {
        match (&mut self.stack[at], value) {
            (Some(Value::Array(array)), value) => {
                Ok(Arc::make_mut(array).assign(index, &*value.as_array()?)?)
            }
            (Some(Value::Text(array)), Value::Text(texts)) => Ok(Arc::make_mut(array).assign(index, texts)?),
            _ => Err(ArrayErrorKind::Mixed(":=").into()),
        }
    }

    fn subscripts(
        &mut self,
        routine: &Routine,
        base: usize,
        subscripts: &[Subscript],
        shape: &[usize],
    ) -> Result<Subs<D::Scalar>, EvalError> {
        if subscripts.len() > shape.len() {
            let found = subscripts.len();
            return Err(ArrayErrorKind::TooManySubscripts { found, shape: shape.into() }.into());
        }
        let mut subs = Subs::new();
        for (k, (subscript, &size)) in subscripts.iter().zip(shape).enumerate() {
            let term = match subscript {
                Subscript::All => {
                    subs.push(Sub::Known(Index::All));
                    continue;
                }
                Subscript::Index(term) => *term,
            };
            let value = self.eval(routine, base, term)?;
            subs.push(match &value {
                Value::Scalar(index) => match self.domain.value(*index) {
                    Some(number) => Sub::Known(Index::One(as_subscript(number, k + 1, size)?)),
                    None => {
                        self.require_within(routine, term, *index, size)?;
                        Sub::Unknown(*index)
                    }
                },
                Value::Array(list) if list.rank() == 1 => {
                    let numbers: Option<Vec<f64>> =
                        list.data().iter().map(|&index| self.domain.value(index)).collect();
                    match numbers {
                        None => Sub::UnknownMany(list.len()),
                        Some(numbers) => Sub::Known(Index::Many(
                            numbers
                                .into_iter()
                                .map(|number| as_subscript(number, k + 1, size))
                                .collect::<Result<_, _>>()?,
                        )),
                    }
                }
                _ => {
                    let found = value.shape().into();
                    let needs = "numbers or vectors of numbers";
                    return Err(ArrayErrorKind::WrongShape { what: "a subscript", needs, found }.into());
                }
            });
        }
        Ok(subs)
    }

    /// A subscript that becomes a choice must be one of the choices; a value of an enumeration always is.
    fn require_within(
        &mut self,
        routine: &Routine,
        term: TermId,
        index: D::Scalar,
        size: usize,
    ) -> Result<(), EvalError> {
        if !D::KEEPS_CALLS || routine.types[term.0 as usize].scalar == Scalar::Enumeration {
            return Ok(());
        }
        let (first, last) = (self.domain.number(1.0), self.domain.number(size as f64));
        let above = self.domain.op(Op::LessEqual, &[first, index])?;
        let below = self.domain.op(Op::LessEqual, &[index, last])?;
        let within = self.domain.op(Op::And, &[above, below])?;
        if self.truth(within) == Some(true) {
            return Ok(());
        }
        let message = format!("{}: a subscript is outside 1 to {size}", routine.function.name);
        self.require(within, Text::from(message.as_str()), false)
    }

    fn read_unknown(
        &mut self,
        value: &Value<D::Scalar>,
        subs: &Subs<D::Scalar>,
    ) -> Result<Value<D::Scalar>, EvalError> {
        if let Some(unknown) = self.domain.unknown() {
            let mut shape = Shape::new();
            for (k, &size) in value.shape().iter().enumerate() {
                match subs.get(k) {
                    None | Some(Sub::Known(Index::All)) => shape.push(size),
                    Some(Sub::Known(Index::Many(list))) => shape.push(list.len()),
                    Some(Sub::UnknownMany(count)) => shape.push(*count),
                    Some(Sub::Known(Index::One(_)) | Sub::Unknown(_)) => {}
                }
            }
            return match value {
                Value::Text(_) => Err(ArrayErrorKind::NotANumber("a subscript").into()),
                _ => Ok(Array::filled(unknown, &shape)?.into()),
            };
        }
        let choices = self.choices(value.shape(), subs)?;
        let mut chosen: Option<Value<D::Scalar>> = None;
        for (condition, index) in choices.into_iter().rev() {
            let here = select(value, &index)?;
            chosen = Some(match chosen {
                None => here,
                Some(others) => self.merge(condition, here, others)?,
            });
        }
        chosen.ok_or_else(|| EvalErrorKind::NotInlinable("a subscript of an empty array").into())
    }

    fn assign_unknown(
        &mut self,
        at: usize,
        subs: &Subs<D::Scalar>,
        value: &Value<D::Scalar>,
    ) -> Result<(), EvalError> {
        let Some(place) = self.stack[at].clone() else {
            return Err(ArrayErrorKind::NotANumber("a subscript").into());
        };
        if let Some(unknown) = self.domain.unknown() {
            let everywhere: Vec<Index> = subs
                .iter()
                .map(|sub| match sub {
                    Sub::Known(index) => index.clone(),
                    _ => Index::All,
                })
                .collect();
            let shape: Shape = select(&place, &everywhere)?.shape().into();
            return self.put(at, &everywhere, &Array::filled(unknown, &shape)?.into());
        }
        for (condition, index) in self.choices(place.shape(), subs)? {
            let old = select(&place, &index)?;
            let new = self.merge(condition, value.clone(), old)?;
            self.put(at, &index, &new)?;
        }
        Ok(())
    }

    /// Everything that unknown subscripts may mean, with the condition for it.
    fn choices(
        &mut self,
        shape: &[usize],
        subs: &Subs<D::Scalar>,
    ) -> Result<Vec<(D::Scalar, Vec<Index>)>, EvalError> {
        let yes = self.domain.number(1.0);
        let mut choices: Vec<(D::Scalar, Vec<Index>)> = vec![(yes, Vec::new())];
        for (sub, &size) in subs.iter().zip(shape) {
            match sub {
                Sub::Known(index) => choices.iter_mut().for_each(|(_, list)| list.push(index.clone())),
                Sub::UnknownMany(_) => return Err(ArrayErrorKind::NotANumber("a subscript").into()),
                Sub::Unknown(index) => {
                    if choices.len() * size > MAX_CHOICES {
                        return Err(ArrayErrorKind::NotANumber("a subscript").into());
                    }
                    let mut more = Vec::with_capacity(choices.len() * size);
                    for (condition, list) in &choices {
                        for k in 1..=size {
                            let number = self.domain.number(k as f64);
                            let mut here = self.domain.op(Op::Equal, &[*index, number])?;
                            if self.truth(*condition) != Some(true) {
                                here = self.domain.op(Op::And, &[*condition, here])?;
                            }
                            let mut list = list.clone();
                            list.push(Index::One(k));
                            more.push((here, list));
                        }
                    }
                    choices = more;
                }
            }
        }
        Ok(choices)
    }
}

fn all_known<T>(subs: &Subs<T>) -> Option<SmallVec<[Index; 2]>> {
    subs.iter()
        .map(|sub| match sub {
            Sub::Known(index) => Some(index.clone()),
            _ => None,
        })
        .collect()
}

fn select<T: Copy>(value: &Value<T>, index: &[Index]) -> Result<Value<T>, EvalError> {
    Ok(match value {
        Value::Text(texts) => Value::texts(texts.index(index)?),
        Value::Array(array) => array.index(index)?.into(),
        Value::Scalar(_) if index.is_empty() => value.clone(),
        Value::Scalar(_) => {
            return Err(ArrayErrorKind::TooManySubscripts { found: index.len(), shape: Shape::new() }.into());
        }
    })
}
