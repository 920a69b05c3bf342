//! What can be known of a term before the function runs: its type and its number of dimensions.
//!
//! Types were checked before a function came in; this finds them again, so that `String` writes integers as
//! integers, derivatives are made of real numbers only, and scalar terms take the short way through the evaluator.

use super::{ArrayFn, Function, FunctionId, Reduction, Scalar, Subscript, Term, TermId};
use crate::node::Op;

/// What is known of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TermType {
    /// What its elements are.
    pub scalar: Scalar,
    /// Its number of dimensions, where it can be told.
    pub rank: Option<u8>,
}

impl TermType {
    fn new(scalar: Scalar, rank: usize) -> Self {
        TermType { scalar, rank: u8::try_from(rank).ok() }
    }

    /// Is it a single number?
    pub fn is_number(self) -> bool {
        self.rank == Some(0) && self.scalar != Scalar::String
    }
}

/// What is wrong with the terms of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BadTerm {
    /// A term that does not exist is used.
    Missing(TermId),
    /// A local variable that does not exist is used in this term.
    NoLocal(TermId),
    /// A term contains itself.
    Cyclic(TermId),
}

/// The types of all terms. `output` tells the type of a function's output: (function, number).
pub fn term_types(
    function: &Function,
    output: &dyn Fn(FunctionId, u32) -> Option<TermType>,
) -> Result<Vec<TermType>, BadTerm> {
    let order = term_order(function)?;
    let mut types = vec![TermType::new(Scalar::Real, 0); function.terms.len()];
    for term in order {
        let ty = term_type(function, &types, term, output)?;
        types[term.0 as usize] = ty;
    }
    Ok(types)
}

/// All terms, parts before what they are part of.
pub fn term_order(function: &Function) -> Result<Vec<TermId>, BadTerm> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done,
    }
    let count = function.terms.len();
    let mut state = vec![State::New; count];
    let mut order = Vec::with_capacity(count);
    let mut stack: Vec<(TermId, bool)> = Vec::new();
    for root in 0..count as u32 {
        stack.push((TermId(root), false));
        while let Some((term, leave)) = stack.pop() {
            let at = term.0 as usize;
            if leave {
                state[at] = State::Done;
                order.push(term);
                continue;
            }
            match state.get(at) {
                None => return Err(BadTerm::Missing(term)),
                Some(State::Done) => continue,
                Some(State::Open) => return Err(BadTerm::Cyclic(term)),
                Some(State::New) => {}
            }
            state[at] = State::Open;
            stack.push((term, true));
            for part in function.terms[at].parts() {
                match state.get(part.0 as usize) {
                    None => return Err(BadTerm::Missing(part)),
                    Some(State::Open) => return Err(BadTerm::Cyclic(part)),
                    Some(State::Done) => {}
                    Some(State::New) => stack.push((part, false)),
                }
            }
        }
    }
    Ok(order)
}

fn term_type(
    function: &Function,
    types: &[TermType],
    id: TermId,
    output: &dyn Fn(FunctionId, u32) -> Option<TermType>,
) -> Result<TermType, BadTerm> {
    let of = |term: TermId| types[term.0 as usize];
    Ok(match &function.terms[id.0 as usize] {
        Term::Const(value) if value.fract() == 0.0 => TermType::new(Scalar::Integer, 0),
        Term::Const(_) | Term::Outer(_) => TermType::new(Scalar::Real, 0),
        Term::Text(_) => TermType::new(Scalar::String, 0),
        Term::Local(local) => {
            let local = function.locals.get(local.0 as usize).ok_or(BadTerm::NoLocal(id))?;
            TermType::new(local.scalar, local.dims.len())
        }
        Term::Index(array, subscripts) => {
            let TermType { scalar, rank } = of(*array);
            let mut left = rank;
            for subscript in subscripts {
                if let Subscript::Index(index) = subscript {
                    left = match (left, of(*index).rank) {
                        (Some(left), Some(0)) => left.checked_sub(1),
                        (left, Some(1)) => left,
                        _ => None,
                    };
                }
            }
            TermType { scalar, rank: left }
        }
        Term::Op(op, args) => {
            let args: Vec<TermType> = args.iter().map(|&arg| of(arg)).collect();
            TermType { scalar: op_scalar(*op, &args), rank: max_rank(args.iter().map(|arg| arg.rank)) }
        }
        Term::Array(array_fn, args) => array_type(function, types, *array_fn, args),
        Term::Call(called, _, number) => {
            output(*called, *number).unwrap_or(TermType { scalar: Scalar::Real, rank: None })
        }
        Term::For(reduction, body, iterators) => {
            if iterators.iter().any(|(local, _)| local.0 as usize >= function.locals.len()) {
                return Err(BadTerm::NoLocal(id));
            }
            let TermType { scalar, rank } = of(*body);
            match reduction {
                Reduction::Array => TermType { scalar, rank: rank.map(|rank| rank + iterators.len() as u8) },
                _ => TermType { scalar, rank },
            }
        }
    })
}

fn max_rank(mut ranks: impl Iterator<Item = Option<u8>>) -> Option<u8> {
    ranks.try_fold(0, |max, rank| Some(max.max(rank?)))
}

/// `Real` wins over `Integer`, and a string over both.
fn join(scalars: impl Iterator<Item = Scalar>) -> Scalar {
    scalars
        .reduce(|a, b| if a == Scalar::Integer || b == Scalar::String { b } else { a })
        .unwrap_or(Scalar::Real)
}

fn op_scalar(op: Op, args: &[TermType]) -> Scalar {
    let all = || args.iter().map(|arg| arg.scalar);
    match op {
        Op::Add | Op::Mul | Op::Neg | Op::Abs | Op::Min | Op::Max | Op::Mod | Op::Rem | Op::IntegerDiv => {
            join(all())
        }
        Op::Less
        | Op::LessEqual
        | Op::Equal
        | Op::NotEqual
        | Op::Not
        | Op::And
        | Op::Or
        | Op::Initial
        | Op::Terminal
        | Op::Sample => Scalar::Boolean,
        Op::Sign | Op::Integer => Scalar::Integer,
        Op::If => join(all().skip(1)),
        Op::Pre | Op::NoEvent => join(all().take(1)),
        _ => Scalar::Real,
    }
}

fn array_type(function: &Function, types: &[TermType], array_fn: ArrayFn, args: &[TermId]) -> TermType {
    let of = |k: usize| args.get(k).map(|term| types[term.0 as usize]);
    let first = of(0).unwrap_or(TermType::new(Scalar::Real, 0));
    let constant = |k: usize| match args.get(k).map(|term| &function.terms[term.0 as usize]) {
        Some(Term::Const(value)) => Some(*value as u8),
        _ => None,
    };
    let known = |rank: usize| TermType::new(first.scalar, rank);
    match array_fn {
        ArrayFn::Construct => TermType {
            scalar: join((0..args.len()).filter_map(of).map(|ty| ty.scalar)),
            rank: first.rank.map(|rank| rank + 1),
        },
        ArrayFn::Cat => {
            let parts = || (1..args.len()).filter_map(of);
            TermType {
                scalar: join(parts().map(|ty| ty.scalar)),
                rank: max_rank(parts().map(|ty| ty.rank).chain([constant(0)])),
            }
        }
        ArrayFn::Range => {
            TermType { scalar: join((0..args.len()).filter_map(of).map(|ty| ty.scalar)), rank: Some(1) }
        }
        ArrayFn::Product => {
            let second = of(1).unwrap_or(first);
            let rank = match (first.rank, second.rank) {
                (Some(0), rank) | (rank, Some(0)) => rank,
                (Some(a @ 1..=2), Some(b @ 1..=2)) => Some(a + b - 2),
                _ => None,
            };
            TermType { scalar: join([first.scalar, second.scalar].into_iter()), rank }
        }
        ArrayFn::Transpose => first,
        ArrayFn::Size => TermType::new(Scalar::Integer, 1),
        ArrayFn::SizeOf | ArrayFn::Ndims => TermType::new(Scalar::Integer, 0),
        ArrayFn::Fill => TermType {
            scalar: first.scalar,
            rank: first.rank.map(|rank| rank + args.len().saturating_sub(1) as u8),
        },
        ArrayFn::Identity => TermType::new(Scalar::Integer, 2),
        ArrayFn::MatrixPower
        | ArrayFn::Diagonal
        | ArrayFn::OuterProduct
        | ArrayFn::Symmetric
        | ArrayFn::Skew
        | ArrayFn::Matrix => known(2),
        ArrayFn::Linspace => TermType::new(Scalar::Real, 1),
        ArrayFn::Cross | ArrayFn::Vector => known(1),
        ArrayFn::Sum | ArrayFn::ProductOf | ArrayFn::MinOf | ArrayFn::MaxOf | ArrayFn::Scalar => known(0),
        ArrayFn::Promote => TermType { scalar: first.scalar, rank: constant(1) },
        ArrayFn::Concat => TermType {
            scalar: Scalar::String,
            rank: max_rank((0..args.len()).filter_map(of).map(|ty| ty.rank)),
        },
        ArrayFn::ToString => TermType { scalar: Scalar::String, rank: first.rank },
    }
}
