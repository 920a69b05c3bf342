//! Expressions of a function become operands of a [`Routine`](super::Routine), with the statements that compute
//! them.
//!
//! Array functions are those of `kausal-symbolic`, run in the domain of operands: an array is a list of operands
//! here, and an operator on two of them is a statement.

use kausal_symbolic::evaluate::MULTIPLIED_POWER;
use kausal_symbolic::function::integers::divides_integers;
use kausal_symbolic::function::operations::{array_function, element_wise, reduce};
use kausal_symbolic::function::{
    Array, ArrayErrorKind, ArrayFn, ArrayResult, Body, Domain, Function, LocalId, Reduction, Scalar, Shape,
    Subscript, Term, TermId, Value,
};
use kausal_symbolic::{FunctionId, Op};

use super::lower::{Fit, Home, Lower, Unfit, count};
use super::{Compute, Count, Operand, OperandId, Place, Stmt, Varying};
use crate::scalar::{Binary, Unary};

/// The domain of operands: what array functions compute with.
struct Operands<'l, 'a> {
    lower: &'l mut Lower<'a>,
    /// Why an operator failed, since array functions have their own errors.
    unfit: Option<Unfit>,
}

impl Domain for Operands<'_, '_> {
    type Scalar = OperandId;

    fn number(&mut self, value: f64) -> OperandId {
        self.lower.operand(Operand::Const(value))
    }

    fn value(&self, scalar: OperandId) -> Option<f64> {
        match self.lower.peek(scalar) {
            Operand::Const(value) => Some(*value),
            _ => None,
        }
    }

    fn op(&mut self, op: Op, args: &[OperandId]) -> ArrayResult<OperandId> {
        self.lower.operator(op, args).map_err(|unfit| {
            self.unfit = Some(unfit);
            ArrayErrorKind::NotANumber("an operator").into()
        })
    }

    fn function(&self, _: FunctionId) -> Option<&Function> {
        None
    }
}

impl Lower<'_> {
    /// The value of an expression.
    pub fn value(&mut self, term: TermId) -> Fit<Value<OperandId>> {
        self.deeper()?;
        let value = self.any(term)?;
        self.depth -= 1;
        Ok(value)
    }

    /// The value of an expression that is one number.
    pub fn number(&mut self, term: TermId) -> Fit<OperandId> {
        let value = self.value(term)?;
        self.number_of(&value)
    }

    pub fn number_of(&self, value: &Value<OperandId>) -> Fit<OperandId> {
        match value.as_scalar() {
            Ok(number) => Ok(number),
            Err(_) => self.unfit("an array or a string where a number is expected"),
        }
    }

    /// The value of an expression if it is known now; nothing is computed for it.
    pub fn known(&mut self, term: TermId) -> Fit<Option<f64>> {
        let (number, _) = self.apart(|this| this.number(term))?;
        Ok(self.constant(number))
    }

    /// The value of a local variable.
    pub fn local(&mut self, local: LocalId) -> Fit<Value<OperandId>> {
        Ok(match self.homes[local.0 as usize].clone() {
            Home::None => {
                return self
                    .unfit(format!("{} is a string, or used too early", self.function.local(local).name));
            }
            Home::Text(shape) => {
                let elements = (0..count(&shape)).map(|_| self.opaque()).collect();
                self.shaped(&shape, elements)?
            }
            Home::Known(value) => Value::Scalar(self.operand(Operand::Const(value))),
            Home::Slot(slot) | Home::Counter(.., slot) => Value::Scalar(self.operand(Operand::Slot(slot))),
            Home::Array(array, shape) => {
                let elements =
                    (0..count(&shape)).map(|k| self.operand(Operand::Element(array, Place::at(k)))).collect();
                self.array_of(&shape, elements)?
            }
        })
    }

    fn array_of(&self, shape: &Shape, elements: Vec<OperandId>) -> Fit<Value<OperandId>> {
        match Array::from_vec(shape, elements) {
            Ok(array) => Ok(array.into()),
            Err(error) => self.unfit(error.to_string()),
        }
    }

    fn any(&mut self, term: TermId) -> Fit<Value<OperandId>> {
        let function = self.function;
        match function.term(term) {
            Term::Const(value) => Ok(Value::Scalar(self.operand(Operand::Const(*value)))),
            Term::Text(_) | Term::Array(ArrayFn::Concat | ArrayFn::ToString, _) => {
                Ok(Value::Scalar(self.opaque()))
            }
            Term::Local(local) => self.local(*local),
            Term::Outer(_) => self.unfit("a variable of the model"),
            Term::Index(array, subscripts) => self.index(*array, subscripts),
            Term::Op(Op::If, args) => match args[..] {
                [condition, a, b] => self.choice(condition, a, b),
                _ => self.unfit("an if without two branches"),
            },
            Term::Op(op @ (Op::And | Op::Or), args) => self.logic(*op, args),
            Term::Op(Op::Add, args) if args.iter().any(|&arg| self.is_text(arg)) => {
                Ok(Value::Scalar(self.opaque()))
            }
            Term::Op(_, args) if args.iter().any(|&arg| self.is_text(arg)) => {
                self.unfit("a string is looked at")
            }
            Term::Op(op, args) if self.divides_integers(*op, args) => {
                let numbers = args.iter().map(|&arg| self.number(arg)).collect::<Fit<Vec<_>>>()?;
                numbers.iter().try_for_each(|&number| self.exact(number))?;
                self.operator(*op, &numbers).map(Value::Scalar)
            }
            Term::Op(op, args) => self.element_wise(*op, args),
            Term::Array(ArrayFn::SizeOf, args) => self.size_of(args),
            Term::Array(array_fn, args) => {
                let args = args.iter().map(|&arg| self.value(arg)).collect::<Fit<Vec<_>>>()?;
                let extreme = matches!(array_fn, ArrayFn::MinOf | ArrayFn::MaxOf);
                if extreme && args.iter().any(|arg| count(arg.shape()) == 0) {
                    return self.unfit("the extreme of no elements");
                }
                self.with_operands(|domain| array_function(domain, *array_fn, Scalar::Real, &args))
            }
            Term::Call(_, _, number) => {
                let outputs = self.outputs(term)?;
                match outputs.into_iter().nth(*number as usize) {
                    Some(value) => Ok(value),
                    None => self.unfit("an output that does not exist"),
                }
            }
            Term::For(reduction, body, iterators) => self.comprehension(*reduction, *body, iterators),
        }
    }

    fn divides_integers(&self, op: Op, args: &[TermId]) -> bool {
        let types: Vec<_> = args.iter().map(|arg| self.types[arg.0 as usize]).collect();
        divides_integers(op, &types)
    }

    /// An operator on numbers or arrays.
    pub fn element_wise(&mut self, op: Op, args: &[TermId]) -> Fit<Value<OperandId>> {
        let args = args.iter().map(|&arg| self.value(arg)).collect::<Fit<Vec<_>>>()?;
        self.with_operands(|domain| element_wise(domain, op, &args))
    }

    /// A string: whoever gets it passes it on.
    fn opaque(&mut self) -> OperandId {
        self.operand(Operand::Const(f64::NAN))
    }

    /// Is the value of an expression a string?
    fn is_text(&self, term: TermId) -> bool {
        let mut term = term;
        // Down the first part that decides, which cannot go on for longer than there are terms.
        for _ in 0..self.function.terms.len() {
            term = match self.function.term(term) {
                Term::Text(_) | Term::Array(ArrayFn::Concat | ArrayFn::ToString, _) => return true,
                Term::Local(local) => return self.function.local(*local).scalar == Scalar::String,
                Term::Call(called, _, number) => {
                    let called = self.pool.function(*called);
                    let output = called.outputs.get(*number as usize);
                    return output.is_some_and(|&output| called.local(output).scalar == Scalar::String);
                }
                Term::Index(part, _) | Term::For(_, part, _) => *part,
                Term::Op(Op::If | Op::Smooth, args) if args.len() > 1 => args[1],
                Term::Op(Op::Add | Op::NoEvent, args) | Term::Array(_, args) if !args.is_empty() => args[0],
                _ => return false,
            };
        }
        false
    }

    fn with_operands(
        &mut self,
        compute: impl FnOnce(&mut Operands<'_, '_>) -> ArrayResult<Value<OperandId>>,
    ) -> Fit<Value<OperandId>> {
        let mut domain = Operands { lower: self, unfit: None };
        let result = compute(&mut domain);
        let unfit = domain.unfit;
        match (result, unfit) {
            (_, Some(unfit)) => Err(unfit),
            (Ok(value), None) => Ok(value),
            (Err(error), None) => self.unfit(error.to_string()),
        }
    }

    /// `size(a, i)`: computes nothing of `a`.
    fn size_of(&mut self, args: &[TermId]) -> Fit<Value<OperandId>> {
        let &[array, dimension] = args else { return self.unfit("size without a dimension") };
        let (value, _) = self.apart(|this| this.value(array))?;
        let dimension = self.known(dimension)?;
        let size = dimension.and_then(|d| value.shape().get((d as usize).wrapping_sub(1)).copied());
        match size {
            Some(size) => Ok(Value::Scalar(self.operand(Operand::Const(size as f64)))),
            None => self.unfit("the size of a dimension that does not exist"),
        }
    }

    /// An operator on numbers; known ones are computed now.
    pub fn operator(&mut self, op: Op, args: &[OperandId]) -> Fit<OperandId> {
        let known: Option<Vec<f64>> = args.iter().map(|&arg| self.constant(arg)).collect();
        if let Some(known) = known
            && !op.is_context_dependent()
        {
            return Ok(self.operand(Operand::Const(op.eval(&known))));
        }
        match (op, args) {
            (Op::Add | Op::Mul | Op::And | Op::Or, &[first, ref rest @ ..]) => {
                let op = match op {
                    Op::Add => Binary::Add,
                    Op::Mul => Binary::Mul,
                    Op::And => Binary::And,
                    _ => Binary::Or,
                };
                rest.iter().try_fold(first, |value, &arg| match self.negated.get(&arg) {
                    Some(&inner) if op == Binary::Add => {
                        self.compute(Compute::Binary(Binary::Sub, value, inner))
                    }
                    _ => self.compute(Compute::Binary(op, value, arg)),
                })
            }
            (Op::If, &[c, a, b]) => self.compute(Compute::Select(c, a, b)),
            (Op::NoEvent | Op::Homotopy, &[a, ..]) | (Op::Smooth, &[_, a]) => Ok(a),
            (Op::Neg, &[a]) => {
                let negative = self.compute(Compute::Unary(Unary::Neg, a))?;
                self.negated.insert(negative, a);
                Ok(negative)
            }
            (_, &[a]) => match Unary::of(op) {
                Some(op) => self.compute(Compute::Unary(op, a)),
                None => self.unfit(format!("the operator {op:?}")),
            },
            (Op::Pow, &[a, b]) => self.power(a, b),
            (_, &[a, b]) => match Binary::of(op) {
                Some(op) => self.compute(Compute::Binary(op, a, b)),
                None => self.unfit(format!("the operator {op:?}")),
            },
            _ => self.unfit(format!("the operator {op:?}")),
        }
    }

    /// A power; small known exponents are the multiplications that [`kausal_symbolic::evaluate::power`] does.
    fn power(&mut self, base: OperandId, exponent: OperandId) -> Fit<OperandId> {
        let whole = |y: &f64| y.fract() == 0.0 && y.abs() <= f64::from(MULTIPLIED_POWER) && *y != 0.0;
        let Some(y) = self.constant(exponent).filter(whole) else {
            return self.compute(Compute::Binary(Binary::Pow, base, exponent));
        };
        let mut n = y.abs() as u32;
        let mut square = base;
        let mut result: Option<OperandId> = None;
        loop {
            if n & 1 == 1 {
                result = Some(match result {
                    Some(result) => self.compute(Compute::Binary(Binary::Mul, result, square))?,
                    None => square,
                });
            }
            n >>= 1;
            if n == 0 {
                break;
            }
            square = self.compute(Compute::Binary(Binary::Mul, square, square))?;
        }
        let result = result.unwrap_or(base);
        if y > 0.0 {
            return Ok(result);
        }
        let one = self.operand(Operand::Const(1.0));
        self.compute(Compute::Binary(Binary::Div, one, result))
    }

    /// `and`, `or`: what comes later is computed only if it counts.
    fn logic(&mut self, op: Op, args: &[TermId]) -> Fit<Value<OperandId>> {
        let decisive = op == Op::Or;
        let mut value: Option<OperandId> = None;
        for &arg in args {
            let (next, statements) = self.apart(|this| this.number(arg))?;
            let Some(before) = value else {
                self.emit_all(statements)?;
                match self.constant(next) {
                    Some(known) if (known != 0.0) == decisive => {
                        let known = self.operand(Operand::Const(f64::from(u8::from(decisive))));
                        return Ok(Value::Scalar(known));
                    }
                    Some(_) => {}
                    None => value = Some(next),
                }
                continue;
            };
            if statements.is_empty() {
                value = Some(self.operator(op, &[before, next])?);
                continue;
            }
            let slot = self.slot(None);
            self.emit(Stmt::Set(slot, Compute::Copy(before)))?;
            let so_far = self.operand(Operand::Slot(slot));
            let mut inner = statements;
            let both = if decisive { Binary::Or } else { Binary::And };
            inner.push(Stmt::Set(slot, Compute::Binary(both, so_far, next)));
            let (then, otherwise) = if decisive { (Vec::new(), inner) } else { (inner, Vec::new()) };
            self.emit(Stmt::If(so_far, then, otherwise))?;
            // From here on the slot keeps its value, but it was written twice: a copy is a temporary again.
            value = Some(self.compute(Compute::Copy(so_far))?);
        }
        let value = match value {
            Some(value) => value,
            None => self.operand(Operand::Const(f64::from(u8::from(!decisive)))),
        };
        // A single number that is not 0 or 1 becomes so.
        let one = self.operand(Operand::Const(1.0));
        Ok(Value::Scalar(match args.len() {
            1 => self.operator(Op::And, &[one, value])?,
            _ => value,
        }))
    }

    /// `if`: only the branch that counts is computed.
    fn choice(&mut self, condition: TermId, a: TermId, b: TermId) -> Fit<Value<OperandId>> {
        let condition = self.value(condition)?;
        if !condition.shape().is_empty() {
            let args = [condition, self.value(a)?, self.value(b)?];
            return self.with_operands(|domain| element_wise(domain, Op::If, &args));
        }
        let condition = self.number_of(&condition)?;
        if let Some(known) = self.constant(condition) {
            return self.value(if known != 0.0 { a } else { b });
        }
        let (a, mut then) = self.apart(|this| this.value(a))?;
        let (b, mut otherwise) = self.apart(|this| this.value(b))?;
        if a.shape() != b.shape() {
            return self.unfit("branches of different sizes");
        }
        let mut chosen = Vec::with_capacity(a.scalars().len());
        let lazy = !then.is_empty() || !otherwise.is_empty();
        for (&a, &b) in a.scalars().iter().zip(b.scalars()) {
            if !lazy {
                chosen.push(self.compute(Compute::Select(condition, a, b))?);
                continue;
            }
            let slot = self.slot(None);
            then.push(Stmt::Set(slot, Compute::Copy(a)));
            otherwise.push(Stmt::Set(slot, Compute::Copy(b)));
            chosen.push(self.operand(Operand::Slot(slot)));
        }
        if lazy {
            self.emit(Stmt::If(condition, then, otherwise))?;
        }
        let shape: Shape = a.shape().into();
        if shape.is_empty() { Ok(Value::Scalar(chosen[0])) } else { self.array_of(&shape, chosen) }
    }

    /// Elements. Those of a local variable are read where they are; others are put into an array first if a subscript
    /// varies.
    fn index(&mut self, array: TermId, subscripts: &[Subscript]) -> Fit<Value<OperandId>> {
        if let Term::Local(local) = self.function.term(array)
            && let Home::Array(array, shape) = self.homes[local.0 as usize].clone()
        {
            let (places, kept) = self.places(&shape, subscripts)?;
            let elements: Vec<OperandId> =
                places.into_iter().map(|place| self.operand(Operand::Element(array, place))).collect();
            return self.shaped(&kept, elements);
        }
        let value = self.value(array)?;
        let shape: Shape = value.shape().into();
        let (places, kept) = self.places(&shape, subscripts)?;
        if places.iter().all(|place| place.terms.is_empty()) {
            let all = value.scalars();
            let elements = places.iter().map(|place| all[place.offset as usize]).collect();
            return self.shaped(&kept, elements);
        }
        let array = self.array("value", count(&shape))?;
        self.copy(array, &value)?;
        let elements = places.into_iter().map(|place| self.operand(Operand::Element(array, place))).collect();
        self.shaped(&kept, elements)
    }

    fn shaped(&self, shape: &Shape, elements: Vec<OperandId>) -> Fit<Value<OperandId>> {
        match elements[..] {
            [one] if shape.is_empty() => Ok(Value::Scalar(one)),
            _ => self.array_of(shape, elements),
        }
    }

    /// A subscript that is a loop variable plus a number, if it stays within the bounds.
    pub fn affine(&mut self, term: TermId, size: usize) -> Fit<Option<Place>> {
        let (local, shift) = match self.function.term(term) {
            Term::Local(local) => (*local, 0.0),
            Term::Op(Op::Add, args) => match args[..] {
                [a, b] => match (self.function.term(a), self.function.term(b)) {
                    (Term::Local(local), _) if self.is_counter(*local) => match self.known(b)? {
                        Some(shift) => (*local, shift),
                        None => return Ok(None),
                    },
                    (_, Term::Local(local)) if self.is_counter(*local) => match self.known(a)? {
                        Some(shift) => (*local, shift),
                        None => return Ok(None),
                    },
                    _ => return Ok(None),
                },
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        let Home::Counter(counter, start, step, Some(rounds), _) = self.homes[local.0 as usize] else {
            return Ok(None);
        };
        let first = start + shift;
        let last = first + step * (rounds as f64 - 1.0);
        let whole = first.fract() == 0.0 && step.fract() == 0.0 && first.abs() < 1e9 && step.abs() < 1e9;
        let within = |index: f64| index >= 1.0 && index <= size as f64;
        if rounds == 0 || !whole || !within(first) || !within(last) {
            return Ok(None);
        }
        let terms = vec![(step as i64, Varying::Counter(counter))];
        Ok(Some(Place { offset: first as i64 - 1, terms }))
    }

    fn is_counter(&self, local: LocalId) -> bool {
        matches!(self.homes[local.0 as usize], Home::Counter(..))
    }

    /// All outputs of a call; any other expression is its only output.
    pub fn outputs(&mut self, term: TermId) -> Fit<Vec<Value<OperandId>>> {
        let Term::Call(called, args, _) = self.function.term(term) else {
            return Ok(vec![self.value(term)?]);
        };
        if let Body::External(external) = &self.pool.function(*called).body
            && external.name == "ModelicaError"
        {
            let message = match args.first().map(|&arg| self.function.term(arg)) {
                Some(Term::Text(text)) => text.clone(),
                _ => {
                    self.this().vague = true;
                    format!("{} fails", self.function.name)
                }
            };
            self.emit(Stmt::Fail(message))?;
            return Ok(Vec::new());
        }
        let args = args.iter().map(|&arg| self.value(arg)).collect::<Fit<Vec<_>>>()?;
        let shapes: Vec<Shape> = args.iter().map(|arg| arg.shape().into()).collect();
        self.deeper()?;
        let routine = self.routines.get(self.pool, *called, shapes)?;
        self.depth -= 1;
        let outputs = self.routines.list[routine].outputs.clone();
        if outputs.len() != self.pool.function(*called).outputs.len() {
            return self.unfit("a function calls itself while its sizes are not known");
        }
        let name = self.pool.function(*called).name.clone();
        let elements: Vec<OperandId> = args.iter().flat_map(|arg| arg.scalars().iter().copied()).collect();
        let given: Vec<Operand> = elements.iter().map(|&element| self.peek(element).clone()).collect();
        if let Some(outputs) = self.made.find(routine, &given) {
            return Ok(outputs);
        }
        let arguments = self.array(&format!("{name}.in"), elements.len())?;
        for (k, &element) in elements.iter().enumerate() {
            self.emit(Stmt::Put(arguments, Place::at(k), element))?;
        }
        let results = self.array(&format!("{name}.out"), outputs.iter().map(|shape| count(shape)).sum())?;
        self.emit(Stmt::Call(routine, arguments, results))?;
        let mut offset = 0;
        let outputs = outputs
            .iter()
            .map(|shape| {
                let places = offset..offset + count(shape);
                offset = places.end;
                // Copied, because a call in a loop writes to the same place again.
                let elements = places
                    .map(|k| {
                        let element = self.operand(Operand::Element(results, Place::at(k)));
                        self.compute(Compute::Copy(element))
                    })
                    .collect::<Fit<Vec<_>>>()?;
                self.shaped(shape, elements)
            })
            .collect::<Fit<Vec<_>>>()?;
        self.made.add(routine, given, outputs.clone());
        Ok(outputs)
    }

    /// `{body for i in range, …}` and reductions; the first iterator is the innermost.
    fn comprehension(
        &mut self,
        reduction: Reduction,
        body: TermId,
        iterators: &[(LocalId, TermId)],
    ) -> Fit<Value<OperandId>> {
        let saved: Vec<Home> =
            iterators.iter().map(|(local, _)| self.homes[local.0 as usize].clone()).collect();
        let mut ranges = Vec::with_capacity(iterators.len());
        for &(local, range) in iterators {
            ranges.push((local, self.rounds(local, range)?, self.homes[local.0 as usize].clone()));
        }
        let mut sizes = Shape::new();
        for (_, (_, _, rounds), _) in ranges.iter().rev() {
            match rounds {
                Count::Known(rounds) => sizes.push(*rounds as usize),
                Count::Computed(_) => return self.unfit("a for expression of unknown length"),
            }
        }
        let total = count(&sizes);
        let (value, statements) = self.apart(|this| {
            for (local, (round, _, _), home) in &ranges {
                this.homes[local.0 as usize] = home.clone();
                this.emit_all(round.clone())?;
            }
            this.value(body)
        })?;
        for ((local, _), home) in iterators.iter().zip(saved) {
            self.homes[local.0 as usize] = home;
        }
        if total == 0 {
            return self.unfit("an empty for expression");
        }
        let inner: Shape = value.shape().into();
        let array = self.array("values", total * count(&inner))?;
        // The first iterator varies fastest: it is the last dimension of the list.
        let mut place = Place::default();
        let mut stride = count(&inner) as i64;
        for (_, (_, counter, rounds), _) in &ranges {
            place.terms.push((stride, Varying::Counter(*counter)));
            if let Count::Known(rounds) = rounds {
                stride *= *rounds as i64;
            }
        }
        let mut block = statements;
        for (k, &element) in value.scalars().iter().enumerate() {
            let mut place = place.clone();
            place.offset = k as i64;
            block.push(Stmt::Put(array, place, element));
        }
        for (_, (_, counter, rounds), _) in &ranges {
            block = vec![Stmt::Loop(*counter, *rounds, block)];
        }
        self.emit_all(block)?;
        let mut shape = sizes;
        let elements: Vec<OperandId> =
            (0..total * count(&inner)).map(|k| self.operand(Operand::Element(array, Place::at(k)))).collect();
        if reduction == Reduction::Array {
            shape.extend_from_slice(&inner);
            return self.array_of(&shape, elements);
        }
        let values = elements
            .chunks(count(&inner).max(1))
            .map(|chunk| self.shaped(&inner, chunk.to_vec()))
            .collect::<Fit<Vec<_>>>()?;
        self.with_operands(|domain| reduce(domain, reduction, &values, Scalar::Real, inner.len()))
    }
}
