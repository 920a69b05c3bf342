//! Calls in expressions: all scalars of all arguments in one list, all scalars of all outputs in another.
//!
//! [`Node::Call`](crate::Node::Call) has no arrays, so the function it calls must have known sizes: it is *closed*.
//! [`specialise`](super::specialise::specialise) makes a function closed. A string takes one place, like a number.

use std::sync::Arc;

use super::array::{Array, Shape};
use super::domain::Numbers;
use super::evaluator::Evaluator;
use super::value::{Text, Value};
use super::{Dim, EvalError, EvalErrorKind, Function, FunctionId, LocalId, Scalar};
use crate::node::ExprId;
use crate::pool::Pool;

/// Where the scalars of several variables are in one list.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    /// The variables, in order.
    pub entries: Vec<LayoutEntry>,
    /// How many scalars there are.
    pub len: usize,
}

/// Where the scalars of one variable are.
#[derive(Clone, Debug, PartialEq)]
pub struct LayoutEntry {
    /// The variable.
    pub local: LocalId,
    /// What its elements are.
    pub scalar: Scalar,
    /// Its sizes.
    pub shape: Shape,
    /// The place of its first element.
    pub offset: usize,
    /// How many elements it has.
    pub len: usize,
}

impl Layout {
    /// The layout of the inputs of a closed function.
    pub fn of_inputs(function: &Function) -> Option<Self> {
        Layout::of(function, &function.inputs)
    }

    /// The layout of the outputs of a closed function.
    pub fn of_outputs(function: &Function) -> Option<Self> {
        Layout::of(function, &function.outputs)
    }

    fn of(function: &Function, locals: &[LocalId]) -> Option<Self> {
        let mut layout = Layout { entries: Vec::with_capacity(locals.len()), len: 0 };
        for &id in locals {
            let local = function.local(id);
            let shape = known_shape(&local.dims)?;
            let len = shape.iter().fold(1, |n: usize, size| n.saturating_mul(*size));
            layout.entries.push(LayoutEntry {
                local: id,
                scalar: local.scalar,
                shape,
                offset: layout.len,
                len,
            });
            layout.len = layout.len.saturating_add(len);
        }
        Some(layout)
    }

    /// The entry an element belongs to, and which of its elements it is.
    pub fn find(&self, index: usize) -> Option<(&LayoutEntry, usize)> {
        let at = self.entries.partition_point(|entry| entry.offset + entry.len <= index);
        let entry = self.entries.get(at)?;
        Some((entry, index - entry.offset))
    }
}

fn known_shape(dims: &[Dim]) -> Option<Shape> {
    dims.iter()
        .map(|dim| match dim {
            Dim::Known(size) => Some(*size),
            _ => None,
        })
        .collect()
}

/// Are all sizes of inputs and outputs known?
pub fn is_closed(function: &Function) -> bool {
    let known = |&id: &LocalId| known_shape(&function.local(id).dims).is_some();
    function.inputs.iter().all(known) && function.outputs.iter().all(known)
}

/// All scalars of values, as expressions.
pub fn flatten(pool: &mut Pool, values: &[Value<ExprId>]) -> Vec<ExprId> {
    let mut flat = Vec::new();
    for value in values {
        match value {
            Value::Text(texts) => flat.extend(texts.data().iter().map(|text| match text {
                Text::Known(text) => pool.text(text),
                Text::Expr(expr) => *expr,
            })),
            numbers => flat.extend_from_slice(numbers.scalars()),
        }
    }
    flat
}

/// Values from all their scalars; `None` if the list is too short.
pub fn unflatten(pool: &Pool, layout: &Layout, flat: &[ExprId]) -> Option<Vec<Value<ExprId>>> {
    layout
        .entries
        .iter()
        .map(|entry| {
            let scalars = flat.get(entry.offset..entry.offset + entry.len)?;
            Some(if entry.scalar == Scalar::String {
                let texts = scalars.iter().map(|&expr| match pool.node(expr) {
                    crate::Node::Text(text) => Text::from(pool.text_of(text)),
                    _ => Text::Expr(expr),
                });
                Value::texts(Array::from_vec(&entry.shape, texts.collect()).ok()?)
            } else {
                Array::from_vec(&entry.shape, scalars.to_vec()).ok()?.into()
            })
        })
        .collect()
}

/// One scalar argument or result at run time.
#[derive(Clone, Debug, PartialEq)]
pub enum Flat {
    /// A number.
    Number(f64),
    /// A string.
    Text(Arc<str>),
}

impl Evaluator<'_, Numbers<'_>> {
    /// Calls a closed function with all its scalar arguments and writes all its scalar outputs, all of them
    /// numbers.
    pub fn call_flat(&mut self, id: FunctionId, args: &[f64], out: &mut [f64]) -> Result<(), EvalError> {
        let routine = self.routine(id)?;
        let function = routine.function();
        let mut values = Vec::with_capacity(function.inputs.len());
        let mut rest = args;
        for &input in &function.inputs {
            let local = function.local(input);
            if local.dims.is_empty() && local.scalar != Scalar::String {
                let Some((&first, others)) = rest.split_first() else { return Err(wrong_count(args.len())) };
                values.push(Value::Scalar(first));
                rest = others;
                continue;
            }
            let shape = known_shape(&local.dims).ok_or_else(|| not_closed(function))?;
            let len = shape.iter().product();
            let Some((mine, others)) = rest.split_at_checked(len) else {
                return Err(wrong_count(args.len()));
            };
            if local.scalar == Scalar::String {
                return Err(not_closed(function));
            }
            values.push(Array::from_vec(&shape, mine.to_vec())?.into());
            rest = others;
        }
        if !rest.is_empty() {
            return Err(wrong_count(args.len()));
        }
        let mut at = 0;
        for output in self.call(id, &values)? {
            let scalars = output.scalars();
            let Some(place) = out.get_mut(at..at + scalars.len()) else { return Err(wrong_count(out.len())) };
            place.copy_from_slice(scalars);
            at += scalars.len();
        }
        if at == out.len() { Ok(()) } else { Err(wrong_count(out.len())) }
    }

    /// Calls a closed function with all its scalar arguments, strings among them, and gives all scalar outputs.
    pub fn call_flat_with_texts(&mut self, id: FunctionId, args: &[Flat]) -> Result<Vec<Flat>, EvalError> {
        let routine = self.routine(id)?;
        let layout = Layout::of_inputs(routine.function()).ok_or_else(|| not_closed(routine.function()))?;
        if layout.len != args.len() {
            return Err(wrong_count(args.len()));
        }
        let mut values = Vec::with_capacity(layout.entries.len());
        for entry in &layout.entries {
            let mine = &args[entry.offset..entry.offset + entry.len];
            if entry.scalar == Scalar::String {
                let texts = mine.iter().map(|arg| match arg {
                    Flat::Text(text) => Some(Text::Known(text.clone())),
                    Flat::Number(_) => None,
                });
                let texts: Option<Vec<Text>> = texts.collect();
                let texts = texts.ok_or_else(|| wrong_count(args.len()))?;
                values.push(Value::texts(Array::from_vec(&entry.shape, texts)?));
            } else {
                let numbers = mine.iter().map(|arg| match arg {
                    Flat::Number(number) => Some(*number),
                    Flat::Text(_) => None,
                });
                let numbers: Option<Vec<f64>> = numbers.collect();
                let numbers = numbers.ok_or_else(|| wrong_count(args.len()))?;
                values.push(Array::from_vec(&entry.shape, numbers)?.into());
            }
        }
        let mut flat = Vec::new();
        for output in self.call(id, &values)? {
            match &output {
                Value::Text(texts) => {
                    flat.extend(
                        texts.data().iter().map(|text| Flat::Text(text.known().unwrap_or("").into())),
                    );
                }
                numbers => flat.extend(numbers.scalars().iter().map(|&number| Flat::Number(number))),
            }
        }
        Ok(flat)
    }
}

#[cold]
fn not_closed(function: &Function) -> EvalError {
    EvalErrorKind::Malformed(format!("{} is called with scalars and has other arguments", function.name))
        .into()
}

#[cold]
fn wrong_count(count: usize) -> EvalError {
    EvalErrorKind::Malformed(format!("{count} scalars do not fit the function")).into()
}
