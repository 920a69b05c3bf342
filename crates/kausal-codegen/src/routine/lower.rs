//! Statements of a function become statements of a [`Routine`].
//!
//! Only what is read is kept: a sweep at the end removes assignments to slots nobody reads.

use kausal_symbolic::function::evaluator::output_type;
use kausal_symbolic::function::integers::{LARGEST_INTEGER, is_inexact, may_be_inexact};
use kausal_symbolic::function::typing::{TermType, term_types};
use kausal_symbolic::function::{ArrayFn, ExternalBody, Function, LocalId, Scalar, TermId};
use kausal_symbolic::function::{Body, Dim, Shape, Stmt as Source, Subscript, Target, Term, Value};
use kausal_symbolic::{FunctionId, Pool};
use rustc_hash::{FxHashMap, FxHashSet};

use super::common_calls::MadeCalls;
use super::{
    ArrayId, Compute, Count, Counter, INPUTS, OUTPUTS, Operand, OperandId, Place, Routine, Slot, Stmt,
    Storage, Varying,
};
use crate::scalar::{Binary, Unary};

/// Why a function does not become a routine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unfit(pub String);

/// Shorthand.
pub(super) type Fit<T> = Result<T, Unfit>;

/// More statements than this, and the evaluator is the better choice.
const MAX_STATEMENTS: usize = 20_000;
/// Larger arrays are left to the evaluator.
const MAX_ELEMENTS: usize = 4_096;
/// Terms and statements nested deeper than this are left to the evaluator.
const MAX_DEPTH: u32 = 100;
/// Rounds of a `while` loop after which the function fails, as it does in the evaluator.
const MAX_ROUNDS: f64 = 1e9;

/// All routines, each for a function and the sizes of its first arguments.
#[derive(Default)]
pub(crate) struct Routines {
    /// In order; a routine may call any other.
    pub list: Vec<Routine>,
    index: FxHashMap<(FunctionId, Vec<Shape>), usize>,
    /// Functions that were refused, with the reason.
    refused: FxHashMap<(FunctionId, Vec<Shape>), Unfit>,
}

impl Routines {
    /// The routine of a function whose inputs have known sizes; it and all it calls are lowered if they were not.
    pub fn closed(&mut self, pool: &Pool, id: FunctionId) -> Fit<usize> {
        let function = pool.function(id);
        let known = |&input: &LocalId| {
            function
                .local(input)
                .dims
                .iter()
                .map(|dim| match dim {
                    Dim::Known(size) => Ok(*size),
                    _ => Err(Unfit("the size of an input is not known".to_owned())),
                })
                .collect::<Fit<Shape>>()
        };
        let shapes = function.inputs.iter().map(known).collect::<Fit<Vec<Shape>>>()?;
        self.get(pool, id, shapes)
    }

    /// The routine of a function for arguments of these sizes. If it does not fit, nothing is left of the attempt.
    pub fn get(&mut self, pool: &Pool, id: FunctionId, shapes: Vec<Shape>) -> Fit<usize> {
        let key = (id, shapes);
        if let Some(&at) = self.index.get(&key) {
            return Ok(at);
        }
        if let Some(unfit) = self.refused.get(&key) {
            return Err(unfit.clone());
        }
        let at = self.list.len();
        self.index.insert(key.clone(), at);
        let lowered = Lower::routine(pool, id, &key.1, self);
        if let Err(unfit) = lowered {
            self.list.truncate(at);
            self.index.retain(|_, index| *index < at);
            self.refused.insert(key, unfit.clone());
            return Err(unfit);
        }
        Ok(at)
    }
}

/// Where a local variable is.
#[derive(Clone, Debug)]
pub(super) enum Home {
    /// Not set up yet.
    None,
    /// A number that never changes.
    Known(f64),
    Slot(Slot),
    Array(ArrayId, Shape),
    /// Strings, which are passed on and never looked at.
    Text(Shape),
    /// The variable of a loop: `start + step*counter`.
    Counter(Counter, f64, f64, Option<u64>, Slot),
}

/// A function being lowered.
pub(super) struct Lower<'a> {
    pub pool: &'a Pool,
    pub function: &'a Function,
    pub routines: &'a mut Routines,
    at: usize,
    /// What is known of terms.
    pub types: Vec<TermType>,
    pub homes: Vec<Home>,
    pub out: Vec<Stmt>,
    /// Results of negations, to subtract where they are added.
    pub negated: FxHashMap<OperandId, OperandId>,
    pub made: MadeCalls,
    pub depth: u32,
    statements: usize,
    prefix: String,
}

impl<'a> Lower<'a> {
    fn routine(pool: &'a Pool, id: FunctionId, shapes: &[Shape], routines: &'a mut Routines) -> Fit<()> {
        let function = pool.function(id);
        let statements: &[Source] = match &function.body {
            Body::Algorithm(statements) => statements,
            Body::External(external) if external.builtin().is_some() => &[],
            Body::External(_) => return Err(Unfit(format!("{} is foreign code", function.name))),
        };
        if function.notes.impure {
            return Err(Unfit(format!("{} has effects", function.name)));
        }
        let output = |called, number| output_type(pool.get_function(called)?, number);
        let types = term_types(function, &output);
        let types = types.map_err(|_| Unfit(format!("{}: an expression without meaning", function.name)))?;
        let at = routines.list.len();
        let storage = |name: &str| Storage { name: name.to_owned(), len: 0 };
        routines.list.push(Routine {
            name: function.name.clone(),
            slots: Vec::new(),
            arrays: vec![storage("in"), storage("out")],
            operands: Vec::new(),
            counters: 0,
            body: Vec::new(),
            outputs: Vec::new(),
            vague: false,
        });
        let mut lower = Lower {
            pool,
            function,
            routines,
            at,
            types,
            homes: vec![Home::None; function.locals.len()],
            out: Vec::new(),
            negated: FxHashMap::default(),
            made: MadeCalls::default(),
            depth: 0,
            statements: 0,
            prefix: format!("{}: ", function.name),
        };
        lower.whole(shapes, statements)
    }

    fn whole(&mut self, shapes: &[Shape], statements: &[Source]) -> Fit<()> {
        self.inputs(shapes)?;
        let changed = changed_locals(self.function);
        for k in 0..self.function.locals.len() {
            self.set_up(LocalId(k as u32), &changed)?;
        }
        let outputs =
            self.function.outputs.iter().map(|&output| self.shape_of(output)).collect::<Fit<Vec<_>>>()?;
        self.this().outputs = outputs.clone();
        self.this().arrays[OUTPUTS.0 as usize].len = outputs.iter().map(|shape| count(shape)).sum();
        if self.function.outputs.iter().any(|&output| self.function.local(output).scalar == Scalar::String) {
            return self.unfit("an output is a string");
        }
        self.block(statements)?;
        if let Body::External(external) = &self.function.body {
            self.operator_by_name(external)?;
        }
        self.deliver()?;
        let body = std::mem::take(&mut self.out);
        self.this().body = body;
        remove_unread(self.this());
        Ok(())
    }

    pub fn this(&mut self) -> &mut Routine {
        &mut self.routines.list[self.at]
    }

    pub fn unfit<T>(&self, why: impl Into<String>) -> Fit<T> {
        Err(Unfit(format!("{}{}", self.prefix, why.into())))
    }

    /// Copies the inputs, since statements may change them.
    fn inputs(&mut self, shapes: &[Shape]) -> Fit<()> {
        if shapes.len() > self.function.inputs.len() {
            return self.unfit("too many arguments");
        }
        let mut offset = 0;
        for (&input, shape) in self.function.inputs.iter().zip(shapes) {
            let local = self.function.local(input);
            if local.scalar == Scalar::External {
                return self.unfit(format!("the input {} is an external object", local.name));
            }
            if local.dims.len() != shape.len() {
                return self.unfit(format!("the input {} has other dimensions", local.name));
            }
            let size = count(shape);
            let home = if local.scalar == Scalar::String {
                Home::Text(shape.clone())
            } else if shape.is_empty() {
                let slot = self.slot(Some(&local.name));
                let from = self.operand(Operand::Element(INPUTS, Place::at(offset)));
                self.emit(Stmt::Set(slot, Compute::Copy(from)))?;
                Home::Slot(slot)
            } else {
                let array = self.array(&local.name, size)?;
                for k in 0..size {
                    let from = self.operand(Operand::Element(INPUTS, Place::at(offset + k)));
                    self.emit(Stmt::Put(array, Place::at(k), from))?;
                }
                Home::Array(array, shape.clone())
            };
            self.homes[input.0 as usize] = home;
            offset += size;
        }
        self.this().arrays[INPUTS.0 as usize].len = offset;
        // Declared sizes that follow from others must fit, as the evaluator checks.
        for (&input, shape) in self.function.inputs.iter().zip(shapes) {
            for (dim, &size) in self.function.local(input).dims.iter().zip(shape) {
                let declared = match dim {
                    Dim::Known(declared) => *declared,
                    Dim::Unknown => continue,
                    Dim::Computed(term) => self.known_size(*term)?,
                };
                if declared != size {
                    return self.unfit("the size of an argument does not fit");
                }
            }
        }
        Ok(())
    }

    /// Gives a local variable its place and initial value; those it needs come first.
    pub fn set_up(&mut self, id: LocalId, changed: &FxHashSet<LocalId>) -> Fit<()> {
        if !matches!(self.homes[id.0 as usize], Home::None) {
            return Ok(());
        }
        self.deeper()?;
        let local = self.function.local(id);
        if local.scalar == Scalar::String && local.dims.is_empty() {
            self.homes[id.0 as usize] = Home::Text(Shape::new());
        }
        if matches!(local.scalar, Scalar::String | Scalar::External) {
            // Others are refused where they are used.
            self.depth -= 1;
            return Ok(());
        }
        for needed in needs(self.function, id) {
            self.set_up(needed, changed)?;
        }
        let shape = self.declared(id)?;
        let initial = local.initial.map(|term| self.value(term)).transpose()?;
        if let (Some(term), Some(value)) = (local.initial, &initial) {
            self.exact_for(id, term, value)?;
        }
        self.homes[id.0 as usize] = match (&initial, shape.is_empty()) {
            (Some(value), true) => {
                let number = self.number_of(value)?;
                match self.this().operand(number).clone() {
                    Operand::Const(known) if !changed.contains(&id) => Home::Known(known),
                    _ => {
                        let slot = self.slot(Some(&local.name));
                        self.emit(Stmt::Set(slot, Compute::Copy(number)))?;
                        Home::Slot(slot)
                    }
                }
            }
            (None, true) => {
                let slot = self.slot(Some(&local.name));
                let zero = self.operand(Operand::Const(0.0));
                self.emit(Stmt::Set(slot, Compute::Copy(zero)))?;
                Home::Slot(slot)
            }
            (_, false) => {
                let shape = match &initial {
                    Some(value) => {
                        let found: Shape = value.shape().into();
                        let fits = |(dim, (size, declared)): (&Dim, (&usize, &usize))| {
                            matches!(dim, Dim::Unknown) || size == declared
                        };
                        if found.len() != shape.len()
                            || !local.dims.iter().zip(found.iter().zip(&shape)).all(fits)
                        {
                            return self
                                .unfit(format!("the initial value of {} has other sizes", local.name));
                        }
                        found
                    }
                    None if local.dims.contains(&Dim::Unknown) => {
                        return self.unfit(format!("the size of {} changes", local.name));
                    }
                    None => shape,
                };
                let array = self.array(&local.name, count(&shape))?;
                match initial {
                    Some(value) => self.copy(array, &value)?,
                    None => self.clear(array)?,
                }
                Home::Array(array, shape)
            }
        };
        self.depth -= 1;
        Ok(())
    }

    fn declared(&mut self, id: LocalId) -> Fit<Shape> {
        let dims = &self.function.local(id).dims;
        dims.iter()
            .map(|dim| match dim {
                Dim::Known(size) => Ok(*size),
                Dim::Unknown => Ok(0),
                Dim::Computed(term) => self.known_size(*term),
            })
            .collect()
    }

    fn known_size(&mut self, term: TermId) -> Fit<usize> {
        match self.known(term)? {
            Some(size) if size >= 0.0 && size.fract() == 0.0 && size <= MAX_ELEMENTS as f64 => {
                Ok(size as usize)
            }
            _ => self.unfit("a size depends on values"),
        }
    }

    fn shape_of(&self, local: LocalId) -> Fit<Shape> {
        match &self.homes[local.0 as usize] {
            Home::Array(_, shape) => Ok(shape.clone()),
            Home::None => self.unfit(format!("{} is not a number", self.function.local(local).name)),
            Home::Text(shape) => Ok(shape.clone()),
            _ => Ok(Shape::new()),
        }
    }

    /// Copies the outputs to where the caller finds them.
    fn deliver(&mut self) -> Fit<()> {
        let mut offset = 0;
        for &output in &self.function.outputs {
            let value = self.local(output)?;
            for &element in value.scalars() {
                self.emit(Stmt::Put(OUTPUTS, Place::at(offset), element))?;
                offset += 1;
            }
        }
        Ok(())
    }

    pub fn slot(&mut self, name: Option<&str>) -> Slot {
        let slots = &mut self.this().slots;
        slots.push(name.map(str::to_owned));
        Slot(slots.len() as u32 - 1)
    }

    pub fn array(&mut self, name: &str, len: usize) -> Fit<ArrayId> {
        if len > MAX_ELEMENTS {
            return self.unfit("a large array");
        }
        let arrays = &mut self.this().arrays;
        arrays.push(Storage { name: name.to_owned(), len });
        Ok(ArrayId(arrays.len() as u32 - 1))
    }

    pub fn operand(&mut self, operand: Operand) -> OperandId {
        let operands = &mut self.this().operands;
        operands.push(operand);
        OperandId(operands.len() as u32 - 1)
    }

    pub fn counter(&mut self) -> Counter {
        let counters = &mut self.this().counters;
        *counters += 1;
        Counter(*counters - 1)
    }

    pub fn emit(&mut self, statement: Stmt) -> Fit<()> {
        self.statements += 1;
        if self.statements > MAX_STATEMENTS {
            return self.unfit("too many statements");
        }
        self.made.written(&statement);
        self.out.push(statement);
        Ok(())
    }

    /// A slot for the result of a computation.
    pub fn compute(&mut self, compute: Compute) -> Fit<OperandId> {
        let slot = self.slot(None);
        self.emit(Stmt::Set(slot, compute))?;
        Ok(self.operand(Operand::Slot(slot)))
    }

    pub fn deeper(&mut self) -> Fit<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH { self.unfit("deep nesting") } else { Ok(()) }
    }

    /// What statements something emits, apart from the others.
    pub fn apart<T>(&mut self, inner: impl FnOnce(&mut Self) -> Fit<T>) -> Fit<(T, Vec<Stmt>)> {
        let outer = std::mem::take(&mut self.out);
        self.made.enter();
        let result = inner(self)?;
        self.made.leave();
        Ok((result, std::mem::replace(&mut self.out, outer)))
    }

    /// Copies a value into an array, element by element; they may be elements of that very array.
    pub fn copy(&mut self, array: ArrayId, value: &Value<OperandId>) -> Fit<()> {
        let places = (0..value.scalars().len()).map(Place::at).collect();
        self.put_all(array, places, value.scalars().to_vec())
    }

    /// Puts elements into places of an array. Those read from the array itself are read before any is written.
    fn put_all(&mut self, array: ArrayId, places: Vec<Place>, mut elements: Vec<OperandId>) -> Fit<()> {
        if elements.len() > 1 {
            for element in &mut elements {
                if matches!(self.this().operand(*element), Operand::Element(from, _) if *from == array) {
                    *element = self.compute(Compute::Copy(*element))?;
                }
            }
        }
        for (place, element) in places.into_iter().zip(elements) {
            self.emit(Stmt::Put(array, place, element))?;
        }
        Ok(())
    }

    fn clear(&mut self, array: ArrayId) -> Fit<()> {
        let len = self.this().arrays[array.0 as usize].len;
        let zero = self.operand(Operand::Const(0.0));
        let counter = self.counter();
        let place = Place { offset: 0, terms: vec![(1, Varying::Counter(counter))] };
        self.emit(Stmt::Loop(counter, Count::Known(len as u64), vec![Stmt::Put(array, place, zero)]))
    }

    fn block(&mut self, statements: &[Source]) -> Fit<()> {
        self.deeper()?;
        statements.iter().try_for_each(|statement| self.statement(statement))?;
        self.depth -= 1;
        Ok(())
    }

    fn statement(&mut self, statement: &Source) -> Fit<()> {
        match statement {
            Source::Assign(target, term) => {
                let value = self.value(*term)?;
                self.exact_for(target.local, *term, &value)?;
                self.assign(target, &value)
            }
            Source::AssignCall(targets, call) => {
                let outputs = self.outputs(*call)?;
                if targets.len() > outputs.len() {
                    return self.unfit("more results than outputs");
                }
                for (target, value) in targets.iter().zip(&outputs) {
                    if let Some(target) = target {
                        self.assign(target, value)?;
                    }
                }
                Ok(())
            }
            Source::If(branches, otherwise) => self.branches(branches, otherwise),
            Source::For(..) | Source::While(..) => {
                self.made.forget();
                match statement {
                    Source::For(local, range, body) => self.for_loop(*local, *range, body)?,
                    Source::While(condition, body) => self.while_loop(*condition, body)?,
                    _ => {}
                }
                self.made.forget();
                Ok(())
            }
            Source::Break => self.emit(Stmt::Break),
            Source::Return => {
                self.deliver()?;
                self.emit(Stmt::Return)
            }
            Source::Assert(condition, message, level) => self.assert(*condition, *message, *level),
            Source::Call(call) => self.outputs(*call).map(|_| ()),
        }
    }

    fn branches(&mut self, branches: &[(TermId, Vec<Source>)], otherwise: &[Source]) -> Fit<()> {
        let Some(((condition, body), rest)) = branches.split_first() else {
            return self.block(otherwise);
        };
        self.deeper()?;
        let condition = self.number(*condition)?;
        if let Some(known) = self.constant(condition) {
            if known != 0.0 {
                self.block(body)?;
            } else {
                self.branches(rest, otherwise)?;
            }
        } else {
            let ((), then) = self.apart(|this| this.block(body))?;
            let ((), other) = self.apart(|this| this.branches(rest, otherwise))?;
            self.emit(Stmt::If(condition, then, other))?;
        }
        self.depth -= 1;
        Ok(())
    }

    fn while_loop(&mut self, condition: TermId, body: &[Source]) -> Fit<()> {
        let rounds = self.slot(None);
        let (zero, one) = (self.operand(Operand::Const(0.0)), self.operand(Operand::Const(1.0)));
        let limit = self.operand(Operand::Const(MAX_ROUNDS));
        let counted = self.operand(Operand::Slot(rounds));
        self.emit(Stmt::Set(rounds, Compute::Copy(zero)))?;
        let (condition, before) = self.apart(|this| this.number(condition))?;
        let ((), body) = self.apart(|this| {
            this.emit(Stmt::Set(rounds, Compute::Binary(Binary::Add, counted, one)))?;
            let over = this.compute(Compute::Binary(Binary::Less, limit, counted))?;
            this.emit(Stmt::If(over, vec![Stmt::Fail("a while loop does not end".to_owned())], Vec::new()))?;
            this.block(body)
        })?;
        self.emit(Stmt::While(before, condition, body))
    }

    fn for_loop(&mut self, local: LocalId, range: TermId, body: &[Source]) -> Fit<()> {
        let outside = self.homes[local.0 as usize].clone();
        let (round, counter, count) = self.rounds(local, range)?;
        let ((), mut statements) = self.apart(|this| {
            this.emit_all(round)?;
            this.block(body)
        })?;
        self.homes[local.0 as usize] = outside;
        if count == Count::Known(0) {
            statements.clear();
        }
        self.emit(Stmt::Loop(counter, count, statements))
    }

    pub fn emit_all(&mut self, statements: Vec<Stmt>) -> Fit<()> {
        statements.into_iter().try_for_each(|statement| self.emit(statement))
    }

    /// Sets a loop variable up: what is done first in each round, the counter, and how many rounds there are.
    pub fn rounds(&mut self, local: LocalId, range: TermId) -> Fit<(Vec<Stmt>, Counter, Count)> {
        let counter = self.counter();
        let slot = self.slot(Some(&self.function.local(local).name.clone()));
        let counted = self.operand(Operand::Counter(counter));
        if let Term::Array(ArrayFn::Range, args) = self.function.term(range) {
            let (start, step, stop) = match args[..] {
                [start, stop] => (start, None, stop),
                [start, step, stop] => (start, Some(step), stop),
                _ => return self.unfit("a range with other than two or three numbers"),
            };
            let start = self.lasting(start)?;
            let step = match step {
                Some(step) => self.lasting(step)?,
                None => self.operand(Operand::Const(1.0)),
            };
            let stop = self.number(stop)?;
            let count = self.range_length(start, step, stop)?;
            let ((), round) = self.apart(|this| {
                let by = this.compute(Compute::Binary(Binary::Mul, counted, step))?;
                this.emit(Stmt::Set(slot, Compute::Binary(Binary::Add, start, by)))
            })?;
            let known = match count {
                Count::Known(count) => Some(count),
                Count::Computed(_) => None,
            };
            self.homes[local.0 as usize] = match (self.constant(start), self.constant(step)) {
                (Some(start), Some(step)) => Home::Counter(counter, start, step, known, slot),
                _ => Home::Slot(slot),
            };
            return Ok((round, counter, count));
        }
        let vector = self.value(range)?;
        let &[len] = vector.shape() else { return self.unfit("a loop over something that is not a vector") };
        let array = self.array("range", len)?;
        self.copy(array, &vector)?;
        let place = Place { offset: 0, terms: vec![(1, Varying::Counter(counter))] };
        let element = self.operand(Operand::Element(array, place));
        self.homes[local.0 as usize] = Home::Slot(slot);
        Ok((vec![Stmt::Set(slot, Compute::Copy(element))], counter, Count::Known(len as u64)))
    }

    /// A number that stays what it is now while a loop changes variables.
    fn lasting(&mut self, term: TermId) -> Fit<OperandId> {
        let number = self.number(term)?;
        if self.constant(number).is_some() { Ok(number) } else { self.compute(Compute::Copy(number)) }
    }

    /// The number of elements of a range, as `range_rounds` of `kausal-symbolic` computes it.
    fn range_length(&mut self, start: OperandId, step: OperandId, stop: OperandId) -> Fit<Count> {
        if let (Some(start), Some(step), Some(stop)) =
            (self.constant(start), self.constant(step), self.constant(stop))
        {
            return match kausal_symbolic::function::algebra::range_rounds(stop - start, step) {
                Ok(count) => Ok(Count::Known(count as u64)),
                Err(_) => self.unfit("a range without end"),
            };
        }
        let constant = |this: &mut Self, value: f64| this.operand(Operand::Const(value));
        let span = self.compute(Compute::Binary(Binary::Sub, stop, start))?;
        let steps = self.compute(Compute::Binary(Binary::Div, span, step))?;
        let (zero, one) = (constant(self, 0.0), constant(self, 1.0));
        let most = constant(self, MAX_ROUNDS);
        // Not a number, without end, or too long.
        let fits = self.compute(Compute::Binary(Binary::LessEqual, steps, most))?;
        let still = self.compute(Compute::Binary(Binary::NotEqual, step, zero))?;
        let both = self.compute(Compute::Binary(Binary::And, fits, still))?;
        self.emit(Stmt::If(both, Vec::new(), vec![Stmt::Fail("a range without end".to_owned())]))?;
        let slack = constant(self, 4.0 * f64::EPSILON);
        let more = self.compute(Compute::Binary(Binary::Mul, slack, steps))?;
        let sum = self.compute(Compute::Binary(Binary::Add, steps, more))?;
        let whole = self.compute(Compute::Unary(Unary::Floor, sum))?;
        let count = self.compute(Compute::Binary(Binary::Add, whole, one))?;
        let negative = self.compute(Compute::Binary(Binary::Less, steps, zero))?;
        Ok(Count::Computed(self.compute(Compute::Select(negative, zero, count))?))
    }

    /// A variable of type Integer gets a value that is exact.
    fn exact_for(&mut self, local: LocalId, term: TermId, value: &Value<OperandId>) -> Fit<()> {
        let integer = self.function.local(local).scalar == Scalar::Integer;
        if integer && may_be_inexact(self.function, term) {
            value.scalars().iter().try_for_each(|&number| self.exact(number))?;
        }
        Ok(())
    }

    /// A result of Integer arithmetic must be exact.
    pub fn exact(&mut self, number: OperandId) -> Fit<()> {
        let fail = Stmt::Fail(format!("{}a number is too large for an Integer", self.prefix));
        match self.constant(number) {
            Some(known) if is_inexact(known) => self.emit(fail),
            Some(_) => Ok(()),
            None => {
                let limit = self.operand(Operand::Const(LARGEST_INTEGER));
                let size = self.compute(Compute::Unary(Unary::Abs, number))?;
                let fits = self.compute(Compute::Binary(Binary::LessEqual, size, limit))?;
                self.emit(Stmt::If(fits, Vec::new(), vec![fail]))
            }
        }
    }

    fn assert(&mut self, condition: TermId, message: TermId, level: TermId) -> Fit<()> {
        let condition = self.number(condition)?;
        if self.constant(condition).is_some_and(|known| known != 0.0) {
            return Ok(());
        }
        let level = self.number(level)?;
        let error = match self.constant(level) {
            Some(level) => level == 2.0,
            None => return self.unfit("an assertion whose level is not known"),
        };
        let message = match self.function.term(message) {
            Term::Text(text) => text.clone(),
            _ => {
                self.this().vague = true;
                format!("an assertion of {} does not hold", self.function.name)
            }
        };
        self.this().vague |= !error;
        let outcome = if error { Stmt::Fail(message) } else { Stmt::Warn(message) };
        self.emit(Stmt::If(condition, Vec::new(), vec![outcome]))
    }

    fn assign(&mut self, target: &Target, value: &Value<OperandId>) -> Fit<()> {
        match self.homes[target.local.0 as usize].clone() {
            Home::Slot(slot) if target.subscripts.is_empty() => {
                let number = self.number_of(value)?;
                self.emit(Stmt::Set(slot, Compute::Copy(number)))
            }
            Home::Array(array, shape) if target.subscripts.is_empty() => {
                if value.shape() != &shape[..] {
                    return self
                        .unfit(format!("{} changes its size", self.function.local(target.local).name));
                }
                self.copy(array, value)
            }
            Home::Array(array, shape) => {
                let (places, kept) = self.places(&shape, &target.subscripts)?;
                if value.shape() != &kept[..] {
                    return self.unfit("elements are assigned a value of another size");
                }
                self.put_all(array, places, value.scalars().to_vec())
            }
            Home::Text(shape) if shape.is_empty() && target.subscripts.is_empty() => Ok(()),
            _ => self.unfit(format!("{} is assigned", self.function.local(target.local).name)),
        }
    }

    /// The body `external "builtin" y = sin(x)`.
    fn operator_by_name(&mut self, external: &ExternalBody) -> Fit<()> {
        let result = external.result.or_else(|| self.function.outputs.first().copied());
        let (Some(op), Some(local)) = (external.builtin(), result) else {
            return self.unfit("foreign code");
        };
        let value = self.element_wise(op, &external.args)?;
        self.assign(&Target { local, subscripts: Vec::new() }, &value)
    }

    /// The places subscripts mean, in order, and the sizes of what they make.
    pub fn places(&mut self, shape: &[usize], subscripts: &[Subscript]) -> Fit<(Vec<Place>, Shape)> {
        if subscripts.len() > shape.len() {
            return self.unfit("too many subscripts");
        }
        let mut places = vec![Place::default()];
        let mut kept = Shape::new();
        for (k, &size) in shape.iter().enumerate() {
            let stride = count(&shape[k + 1..]) as i64;
            let choices: Vec<Place> = match subscripts.get(k) {
                None | Some(Subscript::All) => {
                    kept.push(size);
                    (0..size).map(Place::at).collect()
                }
                Some(Subscript::Index(term)) => {
                    if let Some(place) = self.affine(*term, size)? {
                        vec![place]
                    } else {
                        let index = self.value(*term)?;
                        if !index.shape().is_empty() {
                            kept.extend(index.shape().iter().copied());
                        }
                        if index.shape().len() > 1 {
                            return self.unfit("a subscript that is a matrix");
                        }
                        index
                            .scalars()
                            .iter()
                            .map(|&index| self.subscript(index, size))
                            .collect::<Fit<_>>()?
                    }
                }
            };
            if places.len() * choices.len() > MAX_ELEMENTS {
                return self.unfit("many elements at once");
            }
            let all = places.iter().flat_map(|place| {
                choices.iter().map(move |choice| {
                    let mut place = place.clone();
                    place.offset += stride * choice.offset;
                    place.terms.extend(choice.terms.iter().map(|&(factor, what)| (stride * factor, what)));
                    place
                })
            });
            places = all.collect();
        }
        Ok((places, kept))
    }

    /// A subscript from 0 of a dimension of this size; checked now if it is known, otherwise when it runs.
    fn subscript(&mut self, index: OperandId, size: usize) -> Fit<Place> {
        if let Some(known) = self.constant(index) {
            return match kausal_symbolic::function::array::as_subscript(known, 1, size) {
                Ok(index) => Ok(Place::at(index - 1)),
                // It fails if it is ever reached: a branch for other sizes is not. Nothing is done after a failure.
                Err(_) => {
                    let message = format!("{}: a subscript is out of bounds", self.function.name);
                    self.emit(Stmt::Fail(message))?;
                    Ok(Place::at(0))
                }
            };
        }
        self.emit(Stmt::Check(index, size))?;
        let slot = match *self.peek(index) {
            // A temporary does not change any more.
            Operand::Slot(slot) if self.routines.list[self.at].slots[slot.0 as usize].is_none() => slot,
            _ => {
                let slot = self.slot(None);
                self.emit(Stmt::Set(slot, Compute::Copy(index)))?;
                slot
            }
        };
        Ok(Place { offset: -1, terms: vec![(1, Varying::Whole(slot))] })
    }

    pub fn peek(&self, operand: OperandId) -> &Operand {
        self.routines.list[self.at].operand(operand)
    }

    pub fn constant(&self, operand: OperandId) -> Option<f64> {
        match self.peek(operand) {
            Operand::Const(value) => Some(*value),
            _ => None,
        }
    }
}

/// The number of elements of these sizes.
pub(super) fn count(shape: &[usize]) -> usize {
    shape.iter().product()
}

/// Local variables that statements assign to.
fn changed_locals(function: &Function) -> FxHashSet<LocalId> {
    let mut changed = FxHashSet::default();
    let Body::Algorithm(statements) = &function.body else { return changed };
    let mut stack: Vec<&[Source]> = vec![statements];
    while let Some(block) = stack.pop() {
        for statement in block {
            match statement {
                Source::Assign(target, _) => _ = changed.insert(target.local),
                Source::AssignCall(targets, _) => changed.extend(targets.iter().flatten().map(|t| t.local)),
                _ => {}
            }
            stack.extend(statement.blocks());
        }
    }
    changed
}

/// Local variables that the sizes and the initial value of one read.
fn needs(function: &Function, id: LocalId) -> Vec<LocalId> {
    let local = function.local(id);
    let sizes = local.dims.iter().filter_map(|dim| match dim {
        Dim::Computed(term) => Some(*term),
        _ => None,
    });
    let mut stack: Vec<TermId> = sizes.chain(local.initial).collect();
    let mut bound: FxHashSet<LocalId> = FxHashSet::default();
    let mut seen = FxHashSet::default();
    let mut needs = Vec::new();
    while let Some(term) = stack.pop() {
        if !seen.insert(term) {
            continue;
        }
        match function.term(term) {
            Term::Local(needed) if *needed != id && !needs.contains(needed) => needs.push(*needed),
            Term::For(_, _, iterators) => bound.extend(iterators.iter().map(|(local, _)| *local)),
            _ => {}
        }
        stack.extend(function.term(term).parts());
    }
    needs.retain(|needed| !bound.contains(needed));
    needs
}

/// Removes computations whose result nobody reads.
pub(super) fn remove_unread(routine: &mut Routine) {
    loop {
        let mut read =
            Read { slots: vec![false; routine.slots.len()], arrays: vec![false; routine.arrays.len()] };
        read.arrays[OUTPUTS.0 as usize] = true;
        visit(&routine.body, &mut |statement| match statement {
            Stmt::Set(_, compute) => compute.operands().for_each(|id| read.operand(routine.operand(id))),
            Stmt::Put(_, place, value) => {
                read.place(place);
                read.operand(routine.operand(*value));
            }
            Stmt::Loop(_, Count::Computed(count), _) => read.operand(routine.operand(*count)),
            Stmt::While(_, condition, _) | Stmt::If(condition, ..) | Stmt::Check(condition, _) => {
                read.operand(routine.operand(*condition));
            }
            Stmt::Call(_, arguments, results) => {
                read.arrays[arguments.0 as usize] = true;
                read.arrays[results.0 as usize] = true;
            }
            _ => {}
        });
        let before = size(&routine.body);
        prune(&mut routine.body, &read);
        if size(&routine.body) == before {
            return;
        }
    }
}

/// What is read.
struct Read {
    slots: Vec<bool>,
    arrays: Vec<bool>,
}

impl Read {
    fn operand(&mut self, operand: &Operand) {
        match operand {
            Operand::Slot(slot) => self.slots[slot.0 as usize] = true,
            Operand::Element(array, place) => {
                self.arrays[array.0 as usize] = true;
                self.place(place);
            }
            Operand::Const(_) | Operand::Counter(_) => {}
        }
    }

    fn place(&mut self, place: &Place) {
        for (_, varying) in &place.terms {
            if let Varying::Whole(slot) = varying {
                self.slots[slot.0 as usize] = true;
            }
        }
    }
}

pub(crate) fn visit<'s>(body: &'s [Stmt], f: &mut impl FnMut(&'s Stmt)) {
    let mut stack: Vec<&'s [Stmt]> = vec![body];
    while let Some(block) = stack.pop() {
        for statement in block {
            f(statement);
            match statement {
                Stmt::Loop(_, _, body) => stack.push(body),
                Stmt::While(a, _, b) | Stmt::If(_, a, b) => stack.extend([a.as_slice(), b.as_slice()]),
                _ => {}
            }
        }
    }
}

fn size(body: &[Stmt]) -> usize {
    let mut size = 0;
    visit(body, &mut |_| size += 1);
    size
}

/// Nested no deeper than [`MAX_DEPTH`] allows, a few levels each.
fn prune(body: &mut Vec<Stmt>, read: &Read) {
    body.retain_mut(|statement| match statement {
        Stmt::Set(slot, _) => read.slots[slot.0 as usize],
        Stmt::Put(array, ..) => read.arrays[array.0 as usize],
        Stmt::Loop(_, _, body) => {
            prune(body, read);
            !body.is_empty()
        }
        Stmt::While(a, _, b) => {
            prune(a, read);
            prune(b, read);
            true
        }
        Stmt::If(_, a, b) => {
            prune(a, read);
            prune(b, read);
            !(a.is_empty() && b.is_empty())
        }
        _ => true,
    });
}
