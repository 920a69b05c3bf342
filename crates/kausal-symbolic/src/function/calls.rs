//! Calls as expressions.
//!
//! [`Calls::apply`] is what a call in an equation becomes: numbers if all arguments are, the body of the function
//! if it shall be inlined, otherwise one [`Node::Call`](crate::Node::Call) of a function with known sizes.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use super::array::{Array, Shape, element_count};
use super::domain::{Assertion, Numbers};
use super::evaluator::{Evaluator, Limits};
use super::inline::{Stage, inline, inline_budget, is_recursive};
use super::layout::{Layout, flatten, is_closed};
use super::sizes::{Maybe, output_shapes};
use super::specialise::specialise;
use super::symbolic::Symbolic;
use super::value::{Text, Value};
use super::{Apart, Dim, EvalError, EvalErrorKind, Function, FunctionId, Scalar};
use crate::node::ExprId;
use crate::pool::Pool;

/// Remembers which functions were made from which, so that each is made once. Belongs to one pool.
#[derive(Clone, Debug, Default)]
pub struct Calls {
    closed: FxHashMap<(FunctionId, Vec<Shape>, Vec<Shape>), FunctionId>,
    pub(super) derivatives: FxHashMap<FunctionId, Option<FunctionId>>,
    recursive: FxHashMap<FunctionId, bool>,
}

/// What a call became.
#[derive(Clone, Debug, PartialEq)]
pub struct Applied {
    /// The values of all outputs.
    pub outputs: Vec<Value<ExprId>>,
    /// What must hold besides; left from an inlined body.
    pub assertions: Vec<Assertion<ExprId>>,
}

/// A call with constant arguments may take so many steps at translation.
const CONSTANT_STEPS: u64 = 2_000_000;

impl Calls {
    /// Nothing remembered yet.
    pub fn new() -> Self {
        Calls::default()
    }

    /// The values of all outputs of a call: as numbers, as the inlined body, or as a call. Missing arguments take
    /// their defaults.
    pub fn apply(
        &mut self,
        pool: &mut Pool,
        function: FunctionId,
        args: &[Value<ExprId>],
        stage: Stage,
    ) -> Result<Applied, EvalError> {
        if let Some(outputs) = constant_call(pool, function, args) {
            return Ok(Applied { outputs, assertions: Vec::new() });
        }
        let recursive = *self.recursive.entry(function).or_insert_with(|| is_recursive(pool, function));
        if !recursive
            && let Some(budget) = inline_budget(pool, function, stage)
            && let Ok(applied) = inline(pool, self, function, args, stage, budget)
        {
            return Ok(applied);
        }
        Ok(Applied { outputs: self.keep(pool, function, args)?, assertions: Vec::new() })
    }

    /// The values of all outputs of a call that stays a call. Missing arguments take their defaults.
    pub fn keep(
        &mut self,
        pool: &mut Pool,
        function: FunctionId,
        args: &[Value<ExprId>],
    ) -> Result<Vec<Value<ExprId>>, EvalError> {
        let args = self.complete(pool, function, args)?;
        let closed = self.close(pool, function, &args)?;
        let flat = flatten(pool, &args);
        let layout = Layout::of_outputs(pool.function(closed));
        let layout = layout.ok_or_else(|| EvalErrorKind::Malformed("an output without sizes".into()))?;
        // Each element becomes an expression.
        element_count(&[layout.len])?;
        let call = pool.call(closed, &flat);
        let mut outputs = Vec::with_capacity(layout.entries.len());
        for entry in &layout.entries {
            let scalars: Vec<ExprId> =
                (entry.offset..entry.offset + entry.len).map(|k| pool.output(call, k as u32)).collect();
            outputs.push(if entry.scalar == Scalar::String {
                let texts = scalars.into_iter().map(Text::Expr).collect();
                Value::texts(Array::from_vec(&entry.shape, texts)?)
            } else {
                Array::from_vec(&entry.shape, scalars)?.into()
            });
        }
        Ok(outputs)
    }

    /// As [`keep`](Calls::keep), for a call that must not be taken for another one with the same arguments: of an impure
    /// function, which may give something else every time, or of a constructor, which makes another object every time
    /// (specification sections 12.3 and 12.9.7). Expressions are equal if they look equal, so the call gets a function of
    /// its own.
    pub fn keep_apart(
        &mut self,
        pool: &mut Pool,
        function: FunctionId,
        args: &[Value<ExprId>],
    ) -> Result<Vec<Value<ExprId>>, EvalError> {
        let completed = self.complete(pool, function, args)?;
        let closed = self.close(pool, function, &completed)?;
        let own = copy_for_one_call(pool, closed);
        self.keep(pool, own, &completed)
    }

    /// All arguments of a call: missing ones take their defaults.
    fn complete<'a>(
        &mut self,
        pool: &mut Pool,
        function: FunctionId,
        args: &'a [Value<ExprId>],
    ) -> Result<Cow<'a, [Value<ExprId>]>, EvalError> {
        if args.len() == pool.function(function).inputs.len() {
            return Ok(Cow::Borrowed(args));
        }
        let domain = Symbolic::new(pool).with_events(false);
        Evaluator::new(domain).complete_arguments(function, args).map(Cow::Owned)
    }

    /// The function with all sizes known, for a call with these arguments.
    pub fn close(
        &mut self,
        pool: &mut Pool,
        function: FunctionId,
        args: &[Value<ExprId>],
    ) -> Result<FunctionId, EvalError> {
        if has_these_inputs(pool.function(function), args) {
            return Ok(function);
        }
        let known: Vec<Value<Maybe>> = args
            .iter()
            .map(|arg| arg.map(|expr| pool.as_constant(expr).map_or(Maybe::UNKNOWN, Maybe::known)))
            .collect();
        let outputs = output_shapes(pool, function, &known)?;
        let inputs: Vec<Shape> = args.iter().map(|arg| arg.shape().into()).collect();
        let key = (function, inputs, outputs);
        if let Some(&closed) = self.closed.get(&key) {
            return Ok(closed);
        }
        let closed = specialise(pool, function, &key.1, &key.2);
        self.closed.insert(key, closed);
        Ok(closed)
    }
}

/// Must calls of this function with equal arguments be made each?
pub fn is_apart(function: &Function) -> bool {
    function.notes.impure || function.notes.constructs.is_some()
}

/// A copy of a function that only one call uses.
pub fn copy_for_one_call(pool: &mut Pool, id: FunctionId) -> FunctionId {
    let mut own = pool.function(id).clone();
    let of = own.notes.apart.map_or(id, |apart| apart.of);
    own.notes.apart = Some(Apart { of, call: pool.functions().count() as u32 });
    pool.add_function(own)
}

/// Is the function closed, and made for arguments of these sizes and kinds?
fn has_these_inputs(function: &Function, args: &[Value<ExprId>]) -> bool {
    is_closed(function)
        && function.inputs.len() == args.len()
        && function.inputs.iter().zip(args).all(|(&input, arg)| {
            let local = function.local(input);
            let fits = |(dim, size): (&Dim, &usize)| *dim == Dim::Known(*size);
            local.dims.len() == arg.shape().len()
                && local.dims.iter().zip(arg.shape()).all(fits)
                && arg.is_text() == (local.scalar == Scalar::String)
        })
}

/// The outputs as constants if all arguments are constant and the function can be run now.
pub fn constant_call(
    pool: &mut Pool,
    function: FunctionId,
    args: &[Value<ExprId>],
) -> Option<Vec<Value<ExprId>>> {
    if pool.function(function).notes.impure {
        return None;
    }
    let mut numbers = Vec::with_capacity(args.len());
    for arg in args {
        if let Value::Text(texts) = arg
            && texts.data().iter().any(|text| text.known().is_none())
        {
            return None;
        }
        numbers.push(arg.try_map(|expr| pool.as_constant(expr))?);
    }
    let limits = Limits { steps: CONSTANT_STEPS, ..Limits::default() };
    let mut evaluator = Evaluator::new(Numbers::new(pool)).with_limits(limits);
    let outputs = evaluator.call(function, &numbers).ok()?;
    if !evaluator.warnings.is_empty() {
        return None;
    }
    Some(outputs.iter().map(|output| output.map(|number| pool.constant(number))).collect())
}
