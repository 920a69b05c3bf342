//! Derivatives of the terms of a function.
//!
//! The derivative of a term has the same number of dimensions as the term; `None` stands for zero. Where a function
//! has no derivative at a point, that of one side is taken, as in [`derivative`](crate::derivative).

use rustc_hash::FxHashMap;

use super::calls::Calls;
use super::differentiate::{Chosen, choose};
use super::typing::TermType;
use super::{
    ArrayFn, EvalError, EvalErrorKind, Function, FunctionId, LocalId, Reduction, Scalar, Subscript, Target,
    Term, TermId,
};
use crate::node::Op;
use crate::pool::Pool;

/// Differentiates the terms of one function.
pub(super) struct Terms<'p> {
    pub(super) function: Function,
    pool: &'p mut Pool,
    calls: &'p mut Calls,
    /// The types of the terms of the original function.
    types: Vec<TermType>,
    companions: Vec<Option<LocalId>>,
    known: FxHashMap<TermId, Option<TermId>>,
}

impl<'p> Terms<'p> {
    pub(super) fn new(
        pool: &'p mut Pool,
        calls: &'p mut Calls,
        function: Function,
        types: Vec<TermType>,
        companions: Vec<Option<LocalId>>,
    ) -> Self {
        Terms { function, pool, calls, types, companions, known: FxHashMap::default() }
    }

    /// The variable that holds the derivative of this one.
    pub(super) fn companion(&self, local: LocalId) -> Option<LocalId> {
        self.companions.get(local.0 as usize).copied().flatten()
    }

    /// The initial value of a companion follows from that of the variable.
    pub(super) fn initial(&mut self, local: LocalId) -> Result<(), EvalError> {
        if let Some(companion) = self.companion(local)
            && let Some(initial) = self.function.local(local).initial
            && !self.function.inputs.contains(&local)
        {
            let rate = self.rate_or_zeros(initial)?;
            self.function.set_initial(companion, rate);
        }
        Ok(())
    }

    pub(super) fn calls_impure(&self, call: TermId) -> bool {
        match self.function.term(call) {
            Term::Call(called, ..) => self.called(*called).is_none_or(|called| called.notes.impure),
            _ => false,
        }
    }

    fn called(&self, id: FunctionId) -> Option<&Function> {
        self.pool.get_function(id)
    }

    /// The derivative, written out as zeros where it is zero.
    pub(super) fn rate_or_zeros(&mut self, term: TermId) -> Result<TermId, EvalError> {
        match self.rate(term)? {
            Some(rate) => Ok(rate),
            None => self.zeros_like(term),
        }
    }

    /// What a target holds, as a term.
    pub(super) fn target_term(&mut self, target: &Target) -> TermId {
        let whole = self.function.local_term(target.local);
        if target.subscripts.is_empty() {
            return whole;
        }
        self.function.add(Term::Index(whole, target.subscripts.clone()))
    }

    /// Zeros with the sizes of what a target holds.
    pub(super) fn zeros_of_rank_of(&mut self, place: TermId, target: &Target) -> Result<TermId, EvalError> {
        let scalars = target.subscripts.iter().filter(|subscript| match subscript {
            Subscript::All => false,
            Subscript::Index(index) => self.types[index.0 as usize].rank == Some(0),
        });
        let rank = self.function.local(target.local).dims.len().saturating_sub(scalars.count());
        let zero = self.number(0.0);
        Ok(filled_like(&mut self.function, zero, place, rank))
    }

    fn zeros_like(&mut self, term: TermId) -> Result<TermId, EvalError> {
        let zero = self.number(0.0);
        self.like(zero, term)
    }

    /// A scalar repeated for every element of a term.
    fn like(&mut self, scalar: TermId, term: TermId) -> Result<TermId, EvalError> {
        match self.rank(term) {
            Some(rank) => Ok(filled_like(&mut self.function, scalar, term, rank)),
            None => Err(self.fail("an array whose dimensions are not known")),
        }
    }

    fn rank(&self, term: TermId) -> Option<usize> {
        self.types.get(term.0 as usize).and_then(|ty| ty.rank).map(usize::from)
    }

    fn fail(&self, why: &str) -> EvalError {
        EvalErrorKind::NotDifferentiable(format!("{}: {why}", self.function.name)).into()
    }

    fn number(&mut self, value: f64) -> TermId {
        self.function.number(value)
    }

    fn op(&mut self, op: Op, args: &[TermId]) -> TermId {
        self.function.op(op, args)
    }

    fn mul(&mut self, a: TermId, b: TermId) -> TermId {
        self.op(Op::Mul, &[a, b])
    }

    fn sum(&mut self, terms: Vec<TermId>) -> Option<TermId> {
        match terms[..] {
            [] => None,
            [one] => Some(one),
            _ => Some(self.op(Op::Add, &terms)),
        }
    }

    /// The derivative of a term of the original function; `None` if it is zero.
    pub(super) fn rate(&mut self, term: TermId) -> Result<Option<TermId>, EvalError> {
        if let Some(&known) = self.known.get(&term) {
            return Ok(known);
        }
        let rate = match self.function.term(term).clone() {
            Term::Const(_) | Term::Text(_) | Term::Outer(_) => None,
            Term::Local(local) => self.companion(local).map(|local| self.function.local_term(local)),
            Term::Index(array, subscripts) => {
                self.rate(array)?.map(|rate| self.function.add(Term::Index(rate, subscripts)))
            }
            Term::Op(op, args) => self.op_rate(term, op, &args)?,
            Term::Array(array_fn, args) => self.array_rate(term, array_fn, &args)?,
            Term::Call(_, _, number) => match self.call_rate(term)? {
                None => None,
                Some((call, real_outputs)) => self.output(call, &real_outputs, number),
            },
            Term::For(reduction, body, iterators) => self.for_rate(reduction, body, &iterators)?,
        };
        self.known.insert(term, rate);
        Ok(rate)
    }

    fn output(&mut self, call: TermId, real_outputs: &[bool], number: u32) -> Option<TermId> {
        let number = number as usize;
        if !real_outputs.get(number).copied().unwrap_or(false) {
            return None;
        }
        let place = real_outputs[..number].iter().filter(|&&real| real).count() as u32;
        match self.function.term(call).clone() {
            Term::Call(function, args, _) => Some(self.function.add(Term::Call(function, args, place))),
            _ => None,
        }
    }

    /// The call of the derivative of what a call calls, and which outputs of that are real. `None` if the arguments
    /// do not change.
    pub(super) fn call_rate(&mut self, call: TermId) -> Result<Option<(TermId, Vec<bool>)>, EvalError> {
        let Term::Call(id, args, _) = self.function.term(call).clone() else { return Ok(None) };
        let Some(called) = self.called(id) else { return Err(EvalErrorKind::NoFunction(id).into()) };
        let is_real = |local: &LocalId| called.local(*local).scalar == Scalar::Real;
        let real_inputs: Vec<bool> = called.inputs.iter().map(is_real).collect();
        let real_outputs: Vec<bool> = called.outputs.iter().map(is_real).collect();
        let given = called.inputs.len() == args.len();
        // A rate that cannot be formed need not be asked for: `noDerivative` arguments follow from others.
        let mut rates = Vec::with_capacity(args.len());
        for (&arg, &real) in args.iter().zip(&real_inputs) {
            rates.push(if real { self.rate(arg) } else { Ok(None) });
        }
        let moving: Vec<bool> = rates.iter().map(|rate| !matches!(rate, Ok(None))).collect();
        if moving.iter().all(|&moves| !moves) {
            return Ok(None);
        }
        if !given {
            return Err(self.fail("a call that relies on default arguments"));
        }
        let derivative = match choose(self.pool, id, &moving, |note| note.order <= 1) {
            Some(chosen) => chosen,
            None => {
                let passed = (0..args.len()).filter(|&k| real_inputs[k]).collect();
                Chosen { function: self.calls.derivative_function(self.pool, id)?, passed }
            }
        };
        let mut all = args.clone();
        for k in derivative.passed {
            all.push(match std::mem::replace(&mut rates[k], Ok(None))? {
                Some(rate) => rate,
                None => self.zeros_like(args[k])?,
            });
        }
        let call = self.function.call(derivative.function, &all);
        Ok(Some((call, real_outputs)))
    }

    fn op_rate(&mut self, term: TermId, op: Op, args: &[TermId]) -> Result<Option<TermId>, EvalError> {
        let mut rates = Vec::with_capacity(args.len());
        for &arg in args {
            rates.push(self.rate(arg)?);
        }
        if op == Op::Time || op == Op::Delay || op == Op::Der {
            return Err(self.fail("something that depends on time by itself"));
        }
        if rates.iter().all(Option::is_none) {
            return Ok(None);
        }
        Ok(match (op, args, &rates[..]) {
            (Op::Add, _, _) => {
                let present: Vec<TermId> = rates.iter().flatten().copied().collect();
                let widest = args.iter().zip(&rates).filter(|(_, rate)| rate.is_some());
                let widest = widest.map(|(&arg, _)| self.rank(arg)).max().flatten();
                let sum = self.sum(present);
                match sum {
                    Some(sum) if widest == Some(0) && self.rank(term) != Some(0) => {
                        Some(self.like(sum, term)?)
                    }
                    sum => sum,
                }
            }
            (Op::Mul, _, _) => {
                let mut products = Vec::new();
                for (k, rate) in rates.iter().enumerate() {
                    if let Some(rate) = rate {
                        let mut factors = args.to_vec();
                        factors[k] = *rate;
                        products.push(self.op(Op::Mul, &factors));
                    }
                }
                self.sum(products)
            }
            (Op::Neg | Op::NoEvent, _, &[Some(rate)]) => Some(self.op(op, &[rate])),
            (Op::Div, &[a, b], &[da, db]) => {
                let mut parts = Vec::new();
                if let Some(da) = da {
                    parts.push(self.op(Op::Div, &[da, b]));
                }
                if let Some(db) = db {
                    let top = self.mul(a, db);
                    let bottom = self.mul(b, b);
                    let quotient = self.op(Op::Div, &[top, bottom]);
                    parts.push(self.op(Op::Neg, &[quotient]));
                }
                self.sum(parts)
            }
            (Op::Pow, &[a, b], &[da, db]) => self.power_rate(term, a, b, da, db),
            (Op::Atan2, &[y, x], &[dy, dx]) => {
                let (xx, yy) = (self.mul(x, x), self.mul(y, y));
                let bottom = self.op(Op::Add, &[xx, yy]);
                let mut parts = Vec::new();
                if let Some(dy) = dy {
                    parts.push(self.mul(x, dy));
                }
                if let Some(dx) = dx {
                    let product = self.mul(y, dx);
                    parts.push(self.op(Op::Neg, &[product]));
                }
                self.sum(parts).map(|top| self.op(Op::Div, &[top, bottom]))
            }
            (Op::Abs, &[a], &[Some(da)]) => {
                let zero = self.number(0.0);
                let negative = self.op(Op::Less, &[a, zero]);
                let minus = self.op(Op::Neg, &[da]);
                Some(self.op(Op::If, &[negative, minus, da]))
            }
            (Op::Min | Op::Max, &[a, b], &[da, db]) => {
                let first =
                    if op == Op::Min { self.op(Op::Less, &[a, b]) } else { self.op(Op::Less, &[b, a]) };
                let zero = self.number(0.0);
                Some(self.op(Op::If, &[first, da.unwrap_or(zero), db.unwrap_or(zero)]))
            }
            (Op::If, &[condition, a, b], &[_, da, db]) => {
                if da.is_none() && db.is_none() {
                    None
                } else {
                    let da = match da {
                        Some(da) => da,
                        None => self.zeros_like(a)?,
                    };
                    let db = match db {
                        Some(db) => db,
                        None => self.zeros_like(b)?,
                    };
                    Some(self.op(Op::If, &[condition, da, db]))
                }
            }
            (Op::Mod | Op::Rem, &[a, b], &[da, db]) => {
                let mut parts: Vec<TermId> = da.into_iter().collect();
                if let Some(db) = db {
                    let quotient = self.op(Op::Div, &[a, b]);
                    let whole = match op {
                        Op::Mod => self.op(Op::Floor, &[quotient]),
                        _ => self.op(Op::IntegerDiv, &[a, b]),
                    };
                    let change = self.mul(whole, db);
                    parts.push(self.op(Op::Neg, &[change]));
                }
                self.sum(parts)
            }
            (Op::Smooth, &[order, _], &[_, Some(rate)]) => match *self.function.term(order) {
                Term::Const(value) if value >= 1.0 => {
                    let order = self.number(value - 1.0);
                    Some(self.op(Op::Smooth, &[order, rate]))
                }
                _ => Some(rate),
            },
            (Op::Homotopy, &[a, s], &[da, ds]) => {
                let da = match da {
                    Some(da) => da,
                    None => self.zeros_like(a)?,
                };
                let ds = match ds {
                    Some(ds) => ds,
                    None => self.zeros_like(s)?,
                };
                Some(self.op(Op::Homotopy, &[da, ds]))
            }
            (_, &[a], &[Some(da)]) => self.slope(op, a, term).map(|slope| self.mul(slope, da)),
            // Piecewise constant: relations, floor, sign, …
            _ => None,
        })
    }

    fn power_rate(
        &mut self,
        term: TermId,
        a: TermId,
        b: TermId,
        da: Option<TermId>,
        db: Option<TermId>,
    ) -> Option<TermId> {
        let mut parts = Vec::new();
        if let Some(da) = da {
            let lower = match *self.function.term(b) {
                Term::Const(2.0) => a,
                Term::Const(exponent) => {
                    let exponent = self.number(exponent - 1.0);
                    self.op(Op::Pow, &[a, exponent])
                }
                _ => {
                    let minus_one = self.number(-1.0);
                    let exponent = self.op(Op::Add, &[b, minus_one]);
                    self.op(Op::Pow, &[a, exponent])
                }
            };
            let change = self.op(Op::Mul, &[b, lower, da]);
            parts.push(match self.function.term(b) {
                Term::Const(_) => change,
                // a^0 does not change, also at a = 0, where 0*a^(-1) would be no number.
                _ => {
                    let zero = self.number(0.0);
                    let constant = self.op(Op::Equal, &[b, zero]);
                    self.op(Op::If, &[constant, zero, change])
                }
            });
        }
        if let Some(db) = db {
            // 0^b is 0 for all positive b, so it does not change.
            let zero = self.number(0.0);
            let none = self.op(Op::Equal, &[a, zero]);
            let log = self.op(Op::Log, &[a]);
            let change = self.op(Op::Mul, &[term, log, db]);
            parts.push(self.op(Op::If, &[none, zero, change]));
        }
        self.sum(parts)
    }

    /// The derivative of a function of one argument; `term` is its value. `None` if it is piecewise constant.
    fn slope(&mut self, op: Op, a: TermId, term: TermId) -> Option<TermId> {
        let one = self.number(1.0);
        let square = |this: &mut Self, x: TermId| this.mul(x, x);
        let one_minus_square = |this: &mut Self, x: TermId| {
            let square = square(this, x);
            let minus = this.op(Op::Neg, &[square]);
            this.op(Op::Add, &[one, minus])
        };
        Some(match op {
            Op::Sqrt => {
                let half = self.number(0.5);
                self.op(Op::Div, &[half, term])
            }
            Op::Exp => term,
            Op::Log => self.op(Op::Div, &[one, a]),
            Op::Log10 => {
                let factor = self.number(std::f64::consts::LOG10_E);
                self.op(Op::Div, &[factor, a])
            }
            Op::Sin => self.op(Op::Cos, &[a]),
            Op::Cos => {
                let sine = self.op(Op::Sin, &[a]);
                self.op(Op::Neg, &[sine])
            }
            Op::Tan => {
                let square = square(self, term);
                self.op(Op::Add, &[one, square])
            }
            Op::Asin | Op::Acos => {
                let inside = one_minus_square(self, a);
                let root = self.op(Op::Sqrt, &[inside]);
                let slope = self.op(Op::Div, &[one, root]);
                if op == Op::Asin { slope } else { self.op(Op::Neg, &[slope]) }
            }
            Op::Atan => {
                let square = square(self, a);
                let bottom = self.op(Op::Add, &[one, square]);
                self.op(Op::Div, &[one, bottom])
            }
            Op::Sinh => self.op(Op::Cosh, &[a]),
            Op::Cosh => self.op(Op::Sinh, &[a]),
            Op::Tanh => one_minus_square(self, term),
            _ => return None,
        })
    }

    fn array_rate(
        &mut self,
        term: TermId,
        array_fn: ArrayFn,
        args: &[TermId],
    ) -> Result<Option<TermId>, EvalError> {
        match array_fn {
            // Linear in the arguments from this place on; sizes and dimensions come before or after.
            ArrayFn::Construct => self.linear(array_fn, args, 0..args.len()),
            ArrayFn::Cat => self.linear(array_fn, args, 1..args.len()),
            ArrayFn::Linspace => self.linear(array_fn, args, 0..args.len().min(2)),
            ArrayFn::Transpose
            | ArrayFn::Fill
            | ArrayFn::Diagonal
            | ArrayFn::Sum
            | ArrayFn::Symmetric
            | ArrayFn::Skew
            | ArrayFn::Scalar
            | ArrayFn::Vector
            | ArrayFn::Matrix
            | ArrayFn::Promote => self.linear(array_fn, args, 0..args.len().min(1)),
            ArrayFn::Product | ArrayFn::OuterProduct | ArrayFn::Cross => {
                let &[a, b] = args else { return Ok(None) };
                let mut parts = Vec::new();
                if let Some(da) = self.rate(a)? {
                    parts.push(self.function.array(array_fn, &[da, b]));
                }
                if let Some(db) = self.rate(b)? {
                    parts.push(self.function.array(array_fn, &[a, db]));
                }
                Ok(self.sum(parts))
            }
            ArrayFn::Range => self.range_rate(term, args),
            ArrayFn::MatrixPower => {
                let &[matrix, exponent] = args else { return Ok(None) };
                let Some(rate) = self.rate(matrix)? else { return Ok(None) };
                self.matrix_power_rate(term, matrix, exponent, rate).map(Some)
            }
            ArrayFn::ProductOf => {
                let &[array] = args else { return Ok(None) };
                let Some(rate) = self.rate(array)? else { return Ok(None) };
                self.product_rate(array, rate).map(Some)
            }
            ArrayFn::MinOf | ArrayFn::MaxOf => {
                let &[array] = args else { return Ok(None) };
                let Some(rate) = self.rate(array)? else { return Ok(None) };
                // Where several elements are extreme, the mean of their derivatives.
                let is_extreme = self.op(Op::Equal, &[array, term]);
                let (zero, one) = (self.number(0.0), self.number(1.0));
                let chosen = self.op(Op::If, &[is_extreme, rate, zero]);
                let counted = self.op(Op::If, &[is_extreme, one, zero]);
                let total = self.function.array(ArrayFn::Sum, &[chosen]);
                let count = self.function.array(ArrayFn::Sum, &[counted]);
                Ok(Some(self.op(Op::Div, &[total, count])))
            }
            ArrayFn::Size
            | ArrayFn::SizeOf
            | ArrayFn::Ndims
            | ArrayFn::Identity
            | ArrayFn::Concat
            | ArrayFn::ToString => Ok(None),
        }
    }

    /// A function that is linear in these arguments together and takes the others as they are.
    fn linear(
        &mut self,
        array_fn: ArrayFn,
        args: &[TermId],
        moving: std::ops::Range<usize>,
    ) -> Result<Option<TermId>, EvalError> {
        let mut rates = Vec::with_capacity(moving.len());
        for &arg in &args[moving.clone()] {
            rates.push(self.rate(arg)?);
        }
        if rates.iter().all(Option::is_none) {
            return Ok(None);
        }
        let mut derived = args.to_vec();
        for (k, rate) in moving.zip(rates) {
            derived[k] = match rate {
                Some(rate) => rate,
                None => self.zeros_like(args[k])?,
            };
        }
        Ok(Some(self.function.array(array_fn, &derived)))
    }

    /// The elements of `start : step : stop` are `start + k*step`.
    fn range_rate(&mut self, term: TermId, args: &[TermId]) -> Result<Option<TermId>, EvalError> {
        let start = self.rate(args[0])?;
        let step = if args.len() == 3 { self.rate(args[1])? } else { None };
        let mut parts = Vec::new();
        if let Some(start) = start {
            parts.push(self.like(start, term)?);
        }
        if let Some(step) = step {
            let (zero, one, minus_one) = (self.number(0.0), self.number(1.0), self.number(-1.0));
            let count = self.function.array(ArrayFn::SizeOf, &[term, one]);
            let last = self.op(Op::Add, &[count, minus_one]);
            let places = self.function.array(ArrayFn::Range, &[zero, last]);
            parts.push(self.mul(places, step));
        }
        Ok(self.sum(parts))
    }

    /// The sum of `A^k * A' * A^(n-1-k)` for k from 0 to n-1.
    fn matrix_power_rate(
        &mut self,
        term: TermId,
        matrix: TermId,
        exponent: TermId,
        rate: TermId,
    ) -> Result<TermId, EvalError> {
        let k = self.function.protected("power", Scalar::Integer, &[]);
        let at = self.function.local_term(k);
        let (zero, minus_one) = (self.number(0.0), self.number(-1.0));
        let last = self.op(Op::Add, &[exponent, minus_one]);
        let range = self.function.array(ArrayFn::Range, &[zero, last]);
        let minus = self.op(Op::Neg, &[at]);
        let rest = self.op(Op::Add, &[last, minus]);
        let before = self.function.array(ArrayFn::MatrixPower, &[matrix, at]);
        let after = self.function.array(ArrayFn::MatrixPower, &[matrix, rest]);
        let left = self.function.array(ArrayFn::Product, &[before, rate]);
        let body = self.function.array(ArrayFn::Product, &[left, after]);
        let sum = self.function.add(Term::For(Reduction::Sum, body, vec![(k, range)]));
        // The power 0 is constant, and the sum would be empty.
        let zeros = self.zeros_like(term)?;
        let is_constant = self.op(Op::LessEqual, &[exponent, zero]);
        Ok(self.op(Op::If, &[is_constant, zeros, sum]))
    }

    /// The sum over all elements of their rate times the product of all others.
    fn product_rate(&mut self, array: TermId, rate: TermId) -> Result<TermId, EvalError> {
        let Some(rank) = self.rank(array) else {
            return Err(self.fail("the product of an array whose dimensions are not known"));
        };
        if rank == 0 {
            return Ok(rate);
        }
        let one = self.number(1.0);
        let mut outer = Vec::with_capacity(rank);
        let mut inner = Vec::with_capacity(rank);
        let mut same = Vec::with_capacity(rank);
        for k in 0..rank {
            let dimension = self.number((k + 1) as f64);
            let size = self.function.array(ArrayFn::SizeOf, &[array, dimension]);
            let range = self.function.array(ArrayFn::Range, &[one, size]);
            let i = self.function.protected("element", Scalar::Integer, &[]);
            let j = self.function.protected("other", Scalar::Integer, &[]);
            outer.push((i, range));
            inner.push((j, range));
            let (i, j) = (self.function.local_term(i), self.function.local_term(j));
            same.push(self.op(Op::Equal, &[i, j]));
        }
        let is_same = if same.len() == 1 { same[0] } else { self.op(Op::And, &same) };
        let subscripts = |this: &mut Self, list: &[(LocalId, TermId)]| -> Vec<TermId> {
            list.iter().map(|(local, _)| this.function.local_term(*local)).collect()
        };
        let (at_outer, at_inner) = (subscripts(self, &outer), subscripts(self, &inner));
        let factor = self.function.index(array, &at_inner);
        let factor = self.op(Op::If, &[is_same, one, factor]);
        let others = self.function.add(Term::For(Reduction::Product, factor, inner));
        let change = self.function.index(rate, &at_outer);
        let body = self.mul(change, others);
        Ok(self.function.add(Term::For(Reduction::Sum, body, outer)))
    }

    fn for_rate(
        &mut self,
        reduction: Reduction,
        body: TermId,
        iterators: &[(LocalId, TermId)],
    ) -> Result<Option<TermId>, EvalError> {
        for (local, range) in iterators {
            if self.companion(*local).is_some() && self.rate(*range)?.is_some() {
                return Err(self.fail("an array constructor that runs over changing numbers"));
            }
        }
        let Some(rate) = self.rate(body)? else { return Ok(None) };
        match reduction {
            Reduction::Array | Reduction::Sum => {
                Ok(Some(self.function.add(Term::For(reduction, rate, iterators.to_vec()))))
            }
            Reduction::Product | Reduction::Min | Reduction::Max => {
                let array = self.collected(body, iterators);
                let rates = self.function.add(Term::For(Reduction::Array, rate, iterators.to_vec()));
                let array_fn = match reduction {
                    Reduction::Product => return self.product_rate(array, rates).map(Some),
                    Reduction::Min => ArrayFn::MinOf,
                    _ => ArrayFn::MaxOf,
                };
                let value = self.function.array(array_fn, &[array]);
                self.known.insert(array, Some(rates));
                self.array_rate(value, array_fn, &[array])
            }
        }
    }

    /// All values a reduction runs over, as an array.
    fn collected(&mut self, body: TermId, iterators: &[(LocalId, TermId)]) -> TermId {
        let scalar = self.types[body.0 as usize].scalar;
        let array = self.function.add(Term::For(Reduction::Array, body, iterators.to_vec()));
        let unknown = TermType { scalar: Scalar::Real, rank: None };
        self.types.resize(array.0 as usize, unknown);
        self.types.push(TermType { scalar, rank: u8::try_from(iterators.len()).ok() });
        array
    }
}

/// A scalar repeated for every element of a term with so many dimensions.
pub(super) fn filled_like(f: &mut Function, scalar: TermId, term: TermId, rank: usize) -> TermId {
    if rank == 0 {
        return scalar;
    }
    let mut args = vec![scalar];
    for k in 0..rank {
        let dimension = f.number((k + 1) as f64);
        args.push(f.array(ArrayFn::SizeOf, &[term, dimension]));
    }
    f.array(ArrayFn::Fill, &args)
}
