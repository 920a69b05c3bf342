//! Evaluates functions, in any [`Domain`].
//!
//! One evaluator serves all: on [`Numbers`](super::Numbers) it runs functions, at translation and at run time; on
//! [`Symbolic`](super::Symbolic) it turns calls into expressions. Local variables are places on one stack, arrays
//! are shared until someone changes them, terms that are single numbers never become [`Value`]s on the way.
//!
//! Variables that a function never sets have the value 0, false or "": records of the Modelica libraries are
//! often filled in part only.

use std::sync::Arc;

use smallvec::SmallVec;

use super::array::{Array, ArrayErrorKind, ArrayResult, Shape, as_size};
use super::domain::Domain;
use super::externals::{ExternalArg, ExternalCall, ExternalError, Externals};
use super::interrupt::Interrupt;
use super::routine::Routine;
use super::typing::TermType;
use super::value::{Text, Value};
use super::{
    Body, Dim, EvalError, EvalErrorKind, ExternalBody, Function, FunctionId, Local, LocalId, Scalar, TermId,
};
use crate::node::Op;

/// How long an evaluation may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Statements, loop rounds and calls.
    pub steps: u64,
    /// Calls inside each other.
    pub calls: u32,
    /// Everything inside each other: calls, statements, expressions. Guards the stack of the machine: a level takes
    /// up to about a kilobyte.
    pub nesting: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { steps: 1_000_000_000, calls: 200, nesting: 1200 }
    }
}

/// A call takes as much of the machine's stack as so many levels of expressions.
const LEVELS_OF_A_CALL: u32 = 4;

/// The outputs of a function.
pub(super) type Outputs<T> = SmallVec<[Value<T>; 2]>;

/// The arguments of a call; a missing one takes its default.
pub(super) type Arguments<T> = SmallVec<[Option<Value<T>>; 4]>;

/// Evaluates functions.
pub struct Evaluator<'e, D: Domain> {
    /// What it computes with.
    pub domain: D,
    /// Messages of assertions that only warn.
    pub warnings: Vec<String>,
    limits: Limits,
    externals: Option<&'e dyn Externals>,
    /// Ends what runs from outside.
    interrupt: Option<&'e Interrupt>,
    /// Functions made ready by others.
    prepared: &'e [Option<Arc<Routine>>],
    routines: Vec<Option<Arc<Routine>>>,
    /// Local variables of all active calls.
    pub(super) stack: Vec<Option<Value<D::Scalar>>>,
    /// Conditions, not known as numbers, under which the current statement is reached.
    pub(super) path: Vec<D::Scalar>,
    steps: u64,
    calls: u32,
    nesting: u32,
}

impl<'e, D: Domain> Evaluator<'e, D> {
    /// An evaluator without foreign functions and with ordinary limits.
    pub fn new(domain: D) -> Self {
        Evaluator {
            domain,
            warnings: Vec::new(),
            limits: Limits::default(),
            externals: None,
            interrupt: None,
            prepared: &[],
            routines: Vec::new(),
            stack: Vec::new(),
            path: Vec::new(),
            steps: 0,
            calls: 0,
            nesting: 0,
        }
    }

    /// With these limits.
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// With these foreign functions.
    pub fn with_externals(mut self, externals: &'e dyn Externals) -> Self {
        self.externals = Some(externals);
        self
    }

    /// Ended by this request.
    pub fn with_interrupt(mut self, interrupt: &'e Interrupt) -> Self {
        self.interrupt = Some(interrupt);
        self
    }

    /// With functions made ready before, by their number; others are asked from the domain.
    pub fn with_routines(mut self, routines: Vec<Option<Arc<Routine>>>) -> Self {
        self.routines = routines;
        self
    }

    /// With functions made ready before, by their number, which stay with their owner; those that are `None` are asked
    /// from the domain.
    pub fn with_prepared(mut self, prepared: &'e [Option<Arc<Routine>>]) -> Self {
        self.prepared = prepared;
        self
    }

    /// Calls a function with its first arguments; the others take their defaults. Gives all outputs.
    pub fn call(
        &mut self,
        function: FunctionId,
        args: &[Value<D::Scalar>],
    ) -> Result<Vec<Value<D::Scalar>>, EvalError> {
        self.call_with_defaults(function, args.iter().cloned().map(Some).collect())
    }

    /// Calls a function; an argument that is `None` takes its default. Gives all outputs.
    pub fn call_with_defaults(
        &mut self,
        function: FunctionId,
        args: Vec<Option<Value<D::Scalar>>>,
    ) -> Result<Vec<Value<D::Scalar>>, EvalError> {
        self.steps = 0;
        let routine = self.routine(function)?;
        self.enter(&routine, args.into(), None).map(|outputs| outputs.into_vec())
    }

    /// All arguments of a call: missing ones are their defaults.
    pub fn complete_arguments(
        &mut self,
        function: FunctionId,
        args: &[Value<D::Scalar>],
    ) -> Result<Vec<Value<D::Scalar>>, EvalError> {
        let routine = self.routine(function)?;
        let declared = &routine.function;
        let base = self.stack.len();
        self.stack.resize(base + declared.locals.len(), None);
        self.bind(&routine, base, args.iter().cloned().map(Some).collect())?;
        for &input in routine.setup.iter().filter(|&id| declared.inputs.contains(id)) {
            let at = base + input.0 as usize;
            if self.stack[at].is_none()
                && let Some(initial) = declared.local(input).initial
            {
                let value = self.eval(&routine, base, initial)?;
                check_rank(declared.local(input), &value)?;
                self.stack[at] = Some(value);
            }
        }
        let all = declared.inputs.iter().map(|&input| self.read(&routine, base, input)).collect();
        self.stack.truncate(base);
        Ok(all)
    }

    /// The sizes of outputs that the declarations give; `None` for those that only running it can tell.
    pub(super) fn declared_outputs(
        &mut self,
        function: FunctionId,
        args: &[Value<D::Scalar>],
    ) -> Result<Vec<Option<Shape>>, EvalError> {
        let routine = self.routine(function)?;
        let base = self.stack.len();
        self.stack.resize(base + routine.function.locals.len(), None);
        self.bind(&routine, base, args.iter().cloned().map(Some).collect())?;
        // What else has an initial value may not be known before the run.
        let needed = routine.needed_for_sizes();
        self.set_up_those(&routine, base, |id| needed.contains(&id))?;
        self.check_inputs(&routine, base)?;
        let mut shapes = Vec::with_capacity(routine.function.outputs.len());
        for &output in &routine.function.outputs {
            let flexible = routine.flexible[output.0 as usize];
            let local = routine.function.local(output);
            shapes.push(if flexible { None } else { Some(self.declared_shape(&routine, base, local)?) });
        }
        self.stack.truncate(base);
        Ok(shapes)
    }

    /// The value of an expression of a function, with these values for its first local variables.
    pub fn term(
        &mut self,
        function: &Function,
        term: TermId,
        locals: &[Value<D::Scalar>],
    ) -> Result<Value<D::Scalar>, EvalError> {
        self.steps = 0;
        let routine = self.prepare(function)?;
        if term.0 as usize >= routine.function.terms.len() {
            return Err(EvalErrorKind::Malformed("an expression that does not exist".into()).into());
        }
        let base = self.stack.len();
        let count = routine.function.locals.len();
        self.stack.extend(locals.iter().take(count).cloned().map(Some));
        self.stack.resize(base + count, None);
        let result = self.eval(&routine, base, term);
        self.stack.truncate(base);
        result
    }

    /// Makes a function ready to run.
    pub fn prepare(&self, function: &Function) -> Result<Routine, EvalError> {
        let domain = &self.domain;
        let routines = &self.routines;
        Routine::new(function, &|called, number| {
            let called = match routines.get(called.0 as usize) {
                Some(Some(routine)) => Some(&routine.function),
                _ => domain.function(called),
            };
            output_type(called?, number)
        })
    }

    pub(super) fn routine(&mut self, id: FunctionId) -> Result<Arc<Routine>, EvalError> {
        let at = id.0 as usize;
        if let Some(Some(routine)) = self.prepared.get(at).or_else(|| self.routines.get(at)) {
            return Ok(routine.clone());
        }
        let function = self.domain.function(id).ok_or(EvalErrorKind::NoFunction(id))?;
        let routine = Arc::new(self.prepare(function).map_err(|e| e.within(&function.name))?);
        if self.routines.len() <= at {
            self.routines.resize(at + 1, None);
        }
        self.routines[at] = Some(routine.clone());
        Ok(routine)
    }

    /// Counts a step.
    #[inline]
    pub(super) fn step(&mut self) -> Result<(), EvalError> {
        self.spend(1)
    }

    /// Counts so many steps.
    #[inline]
    pub(super) fn spend(&mut self, steps: u64) -> Result<(), EvalError> {
        self.steps += steps;
        if self.steps > self.limits.steps {
            return Err(EvalErrorKind::TooManySteps.into());
        }
        match self.interrupt {
            Some(interrupt) if interrupt.is_requested() => Err(EvalErrorKind::Interrupted.into()),
            _ => Ok(()),
        }
    }

    /// How many steps the last call took.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Goes one level deeper; [`Evaluator::leave`] must follow unless this fails.
    #[inline]
    pub(super) fn deeper(&mut self, levels: u32) -> Result<(), EvalError> {
        self.nesting += levels;
        if self.nesting > self.limits.nesting {
            self.nesting -= levels;
            return Err(EvalErrorKind::TooManyCalls.into());
        }
        Ok(())
    }

    #[inline]
    pub(super) fn leave(&mut self, levels: u32) {
        self.nesting -= levels;
    }

    /// Calls a function from inside another one: run, or kept as a call where the domain wants that or
    /// running it fails.
    pub(super) fn nested_call(
        &mut self,
        id: FunctionId,
        args: Arguments<D::Scalar>,
    ) -> Result<Outputs<D::Scalar>, EvalError> {
        let routine = self.routine(id)?;
        self.enter(&routine, args, Some(id))
    }

    /// Runs a routine in a new frame. `keep` names the function if the call may be kept as a call.
    fn enter(
        &mut self,
        routine: &Routine,
        args: Arguments<D::Scalar>,
        keep: Option<FunctionId>,
    ) -> Result<Outputs<D::Scalar>, EvalError> {
        if self.calls >= self.limits.calls {
            return Err(EvalErrorKind::TooManyCalls.into());
        }
        self.step()?;
        self.deeper(LEVELS_OF_A_CALL)?;
        self.calls += 1;
        let (base, path) = (self.stack.len(), self.path.len());
        let result = self.run(routine, base, args, keep);
        self.calls -= 1;
        self.leave(LEVELS_OF_A_CALL);
        self.release_objects(routine, base);
        self.stack.truncate(base);
        self.path.truncate(path);
        result.map_err(|error| error.within(routine.function.shown_name()))
    }

    fn run(
        &mut self,
        routine: &Routine,
        base: usize,
        args: Arguments<D::Scalar>,
        keep: Option<FunctionId>,
    ) -> Result<Outputs<D::Scalar>, EvalError> {
        let function = &routine.function;
        self.stack.resize(base + function.locals.len(), None);
        self.bind(routine, base, args)?;
        self.set_up(routine, base)?;
        self.check_inputs(routine, base)?;
        if let Some(id) = keep
            && D::KEEPS_CALLS
        {
            return self.run_or_keep(routine, base, id);
        }
        self.run_body(routine, base)
    }

    fn run_or_keep(
        &mut self,
        routine: &Routine,
        base: usize,
        id: FunctionId,
    ) -> Result<Outputs<D::Scalar>, EvalError> {
        let function = &routine.function;
        let inputs: Vec<_> = function.inputs.iter().map(|&input| self.read(routine, base, input)).collect();
        if D::REORDERS && function.notes.impure {
            return Err(EvalErrorKind::NotInlinable("a call of an impure function").into());
        }
        if self.domain.prefers_call(id)
            && let Some(outputs) = self.domain.keep_call(id, &inputs)?
        {
            return Ok(outputs.into());
        }
        let (path, assertions) = (self.path.len(), self.domain.assertion_count());
        match self.run_body(routine, base) {
            Ok(outputs) => Ok(outputs),
            Err(error) => {
                self.path.truncate(path);
                self.domain.forget_assertions(assertions);
                match self.domain.keep_call(id, &inputs) {
                    Ok(Some(outputs)) => Ok(outputs.into()),
                    _ => Err(error),
                }
            }
        }
    }

    /// Objects a function has made for itself end with the call, the last one first (specification section 12.9.7).
    fn release_objects(&mut self, routine: &Routine, base: usize) {
        let Some(externals) = self.externals else { return };
        for &object in routine.objects.iter().rev() {
            let made = self.stack.get(base + object.0 as usize).and_then(Option::as_ref);
            for &handle in made.map_or(&[][..], Value::scalars) {
                if let Some(handle) = self.domain.value(handle) {
                    externals.release(handle);
                }
            }
        }
    }

    fn run_body(&mut self, routine: &Routine, base: usize) -> Result<Outputs<D::Scalar>, EvalError> {
        let function = &routine.function;
        if D::REORDERS && !routine.objects.is_empty() {
            return Err(EvalErrorKind::NotInlinable("an object of its own").into());
        }
        match &function.body {
            Body::Algorithm(statements) => {
                self.block(routine, base, statements)?;
            }
            Body::External(external) => self.run_external(routine, base, external)?,
        }
        Ok(function
            .outputs
            .iter()
            .map(|&output| match self.stack[base + output.0 as usize].take() {
                Some(value) => value,
                None => self.default_value(function.local(output), &[]),
            })
            .collect())
    }

    /// Puts arguments into the inputs.
    fn bind(&mut self, routine: &Routine, base: usize, args: Arguments<D::Scalar>) -> Result<(), EvalError> {
        let function = &routine.function;
        if args.len() > function.inputs.len() {
            let (inputs, found) = (function.inputs.len(), args.len());
            return Err(EvalErrorKind::TooManyArguments { inputs, found }.into());
        }
        let given = args.len();
        for (&input, arg) in function.inputs.iter().zip(args) {
            let local = function.local(input);
            match arg {
                Some(value) => {
                    check_rank(local, &value)?;
                    self.stack[base + input.0 as usize] = Some(value);
                }
                None if local.initial.is_none() => {
                    return Err(EvalErrorKind::MissingArgument(local.name.clone()).into());
                }
                None => {}
            }
        }
        for &input in &function.inputs[given..] {
            if function.local(input).initial.is_none() {
                return Err(EvalErrorKind::MissingArgument(function.local(input).name.clone()).into());
            }
        }
        Ok(())
    }

    /// Gives sizes and initial values to all local variables that have them.
    fn set_up(&mut self, routine: &Routine, base: usize) -> Result<(), EvalError> {
        self.set_up_those(routine, base, |_| true)
    }

    fn set_up_those(
        &mut self,
        routine: &Routine,
        base: usize,
        wanted: impl Fn(LocalId) -> bool,
    ) -> Result<(), EvalError> {
        for &id in &routine.setup {
            let at = base + id.0 as usize;
            if self.stack[at].is_some() || !wanted(id) {
                continue;
            }
            let local = routine.function.local(id);
            let value = match local.initial {
                Some(initial) => {
                    let value = self.eval(routine, base, initial)?;
                    check_rank(local, &value)?;
                    self.check_sizes(routine, base, local, value.shape())?;
                    self.require_exact_for(routine, id, initial, &value)?;
                    value
                }
                None => {
                    let shape = self.declared_shape(routine, base, local)?;
                    Array::<()>::filled((), &shape)?;
                    self.default_value(local, &shape)
                }
            };
            self.stack[at] = Some(value);
        }
        Ok(())
    }

    fn check_inputs(&mut self, routine: &Routine, base: usize) -> Result<(), EvalError> {
        for &input in &routine.function.inputs {
            let local = routine.function.local(input);
            if local.dims.is_empty() {
                continue;
            }
            if let Some(value) = &self.stack[base + input.0 as usize] {
                let shape: Shape = value.shape().into();
                self.check_sizes(routine, base, local, &shape)?;
            }
        }
        Ok(())
    }

    /// The declared sizes; unknown ones are 0.
    fn declared_shape(&mut self, routine: &Routine, base: usize, local: &Local) -> Result<Shape, EvalError> {
        let mut shape = Shape::new();
        for dim in &local.dims {
            shape.push(match dim {
                Dim::Known(size) => *size,
                Dim::Unknown => 0,
                Dim::Computed(size) => {
                    let size = self.eval_number(routine, base, *size)?;
                    let size = self.domain.value(size).ok_or(ArrayErrorKind::NotANumber("a size"))?;
                    as_size("the size of a variable", size)?
                }
            });
        }
        Ok(shape)
    }

    /// Do sizes fit the declaration? Sizes that are not known as numbers fit.
    fn check_sizes(
        &mut self,
        routine: &Routine,
        base: usize,
        local: &Local,
        shape: &[usize],
    ) -> Result<(), EvalError> {
        for (k, (dim, &size)) in local.dims.iter().zip(shape).enumerate() {
            let declared = match dim {
                Dim::Known(size) => *size as f64,
                Dim::Unknown => continue,
                Dim::Computed(size) => {
                    let size = self.eval_number(routine, base, *size)?;
                    match self.domain.value(size) {
                        Some(size) => size,
                        None => continue,
                    }
                }
            };
            if declared != size as f64 {
                let why = format!("dimension {} has size {size} and should have {declared}", k + 1);
                return Err(EvalErrorKind::WrongValue { local: local.name.clone(), why }.into());
            }
        }
        Ok(())
    }

    /// The value of a variable that nobody set.
    pub(super) fn default_value(&mut self, local: &Local, shape: &[usize]) -> Value<D::Scalar> {
        let rank = local.dims.len();
        let sizes: Shape = if shape.len() == rank { shape.into() } else { smallvec::smallvec![0; rank] };
        let count = sizes.iter().product();
        match local.scalar {
            Scalar::String => Value::texts(Array::new_unchecked(sizes, vec![Text::from(""); count])),
            scalar => {
                let number = self.domain.number(if scalar == Scalar::Enumeration { 1.0 } else { 0.0 });
                Array::new_unchecked(sizes, vec![number; count]).into()
            }
        }
    }

    /// The value of a local variable.
    #[inline]
    pub(super) fn read(&mut self, routine: &Routine, base: usize, local: LocalId) -> Value<D::Scalar> {
        match &self.stack[base + local.0 as usize] {
            Some(value) => value.clone(),
            None => self.default_value(routine.function.local(local), &[]),
        }
    }

    /// Sets the whole of a local variable.
    pub(super) fn store(
        &mut self,
        routine: &Routine,
        base: usize,
        id: LocalId,
        value: Value<D::Scalar>,
    ) -> Result<(), EvalError> {
        let local = routine.function.local(id);
        let at = base + id.0 as usize;
        check_rank(local, &value)?;
        if !local.dims.is_empty()
            && !routine.flexible[id.0 as usize]
            && let Some(old) = &self.stack[at]
            && old.shape() != value.shape()
        {
            // Sizes behind an empty dimension may be unknown to whoever made the value.
            if value.shape().contains(&0) && old.shape().contains(&0) {
                return Ok(());
            }
            let error = super::array::same_shape(":=", old.shape(), value.shape());
            let why = error.map_or_else(|e| e.to_string(), |()| String::new());
            let why = why.trim_start_matches(":=: ").to_owned();
            return Err(EvalErrorKind::WrongValue { local: local.name.clone(), why }.into());
        }
        self.stack[at] = Some(value);
        Ok(())
    }

    fn run_external(
        &mut self,
        routine: &Routine,
        base: usize,
        external: &ExternalBody,
    ) -> Result<(), EvalError> {
        let function = &routine.function;
        if let Some(op) = external.builtin() {
            let args = external
                .args
                .iter()
                .map(|&arg| self.eval(routine, base, arg))
                .collect::<Result<Vec<_>, _>>()?;
            let value = super::operations::element_wise(&mut self.domain, op, &args)?;
            let result = external.result.or_else(|| function.outputs.first().copied());
            return match result {
                Some(result) => self.store(routine, base, result, value),
                None => Ok(()),
            };
        }
        let externals = self.externals.ok_or_else(|| EvalErrorKind::NoExternal(external.name.clone()))?;
        let mut args = Vec::with_capacity(external.args.len());
        for &arg in &external.args {
            let value = self.eval(routine, base, arg)?;
            let domain = &self.domain;
            let value = value
                .try_map(|element| domain.value(element))
                .ok_or(EvalErrorKind::NotInlinable("a foreign function with an unknown argument"))?;
            let is_input = |local| function.inputs.contains(&local);
            args.push(ExternalArg { value, written: external.writes(routine.term(arg), is_input) });
        }
        let call = ExternalCall {
            function: &function.name,
            body: external,
            args: &args,
            constructs: function.notes.constructs.as_deref(),
            apart: function.notes.apart.map(|apart| apart.call),
        };
        let results = externals.call(&call).map_err(|error| match error {
            ExternalError::Unavailable => EvalErrorKind::NoExternal(external.name.clone()),
            ExternalError::Failed(message) => {
                EvalErrorKind::External { name: external.name.clone(), message }
            }
        })?;
        let written = external.args.iter().zip(&args).filter(|(_, arg)| arg.written);
        let targets =
            external.result.into_iter().chain(written.filter_map(|(&arg, _)| match routine.term(arg) {
                super::Term::Local(local) => Some(*local),
                _ => None,
            }));
        let targets: Vec<LocalId> = targets.collect();
        if targets.len() != results.len() {
            let message = format!("{} values instead of {}", results.len(), targets.len());
            return Err(EvalErrorKind::External { name: external.name.clone(), message }.into());
        }
        for (target, value) in targets.into_iter().zip(results) {
            let value = value.map(|element| self.domain.number(element));
            self.store(routine, base, target, value)?;
        }
        Ok(())
    }

    /// A condition as true, false, or not known. What decided a branch is known inside it.
    #[inline]
    pub(super) fn truth(&mut self, condition: D::Scalar) -> Option<bool> {
        let known = self.domain.value(condition).map(|value| value != 0.0);
        if known.is_some() || !D::EQUAL_IS_SAME || self.path.is_empty() {
            return known;
        }
        if self.path.contains(&condition) {
            return Some(true);
        }
        let not = self.domain.op(Op::Not, &[condition]).ok()?;
        self.path.contains(&not).then_some(false)
    }

    /// `if condition then a else b` for values; `why` it would be impossible is about sizes or strings.
    pub(super) fn merge(
        &mut self,
        condition: D::Scalar,
        a: Value<D::Scalar>,
        b: Value<D::Scalar>,
    ) -> Result<Value<D::Scalar>, EvalError> {
        Ok(match (&a, &b) {
            (Value::Scalar(x), Value::Scalar(y)) => Value::Scalar(self.merge_number(condition, *x, *y)?),
            (Value::Array(x), Value::Array(y)) => {
                if Arc::ptr_eq(x, y) {
                    return Ok(a);
                }
                if x.shape() != y.shape() {
                    return Err(EvalErrorKind::NotInlinable("a size depends on a condition").into());
                }
                let mut merged = Vec::with_capacity(x.len());
                for (&x, &y) in x.data().iter().zip(y.data()) {
                    merged.push(self.merge_number(condition, x, y)?);
                }
                Value::Array(Arc::new(Array::new_unchecked(x.shape().into(), merged)))
            }
            (Value::Text(x), Value::Text(y)) if x == y => a,
            (Value::Text(x), Value::Text(y)) if x.shape() == y.shape() => {
                let merged: ArrayResult<Vec<Text>> = x
                    .data()
                    .iter()
                    .zip(y.data())
                    .map(|(x, y)| self.domain.merge_texts(condition, x, y))
                    .collect();
                Value::texts(Array::new_unchecked(x.shape().into(), merged?))
            }
            _ => return Err(EvalErrorKind::NotInlinable("a size depends on a condition").into()),
        })
    }

    fn merge_number(&mut self, condition: D::Scalar, a: D::Scalar, b: D::Scalar) -> ArrayResult<D::Scalar> {
        if a == b { Ok(a) } else { self.domain.op(crate::node::Op::If, &[condition, a, b]) }
    }
}

/// The declared type of an output.
pub fn output_type(function: &Function, number: u32) -> Option<TermType> {
    let local = function.local(*function.outputs.get(number as usize)?);
    Some(TermType { scalar: local.scalar, rank: u8::try_from(local.dims.len()).ok() })
}

/// Is the value of the declared kind, and has it as many dimensions as declared?
fn check_rank<T: Copy>(local: &Local, value: &Value<T>) -> Result<(), EvalError> {
    let rank = match value {
        Value::Scalar(_) => 0,
        _ => value.shape().len(),
    };
    if rank == local.dims.len() && value.is_text() == (local.scalar == Scalar::String) {
        return Ok(());
    }
    let why = if rank == local.dims.len() {
        "a string and a number do not go together".to_owned()
    } else {
        format!("a value with {rank} dimensions where {} are declared", local.dims.len())
    };
    Err(EvalErrorKind::WrongValue { local: local.name.clone(), why }.into())
}
