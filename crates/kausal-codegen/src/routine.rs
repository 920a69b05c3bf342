//! Functions with known sizes as simple code: numbers, arrays in memory, loops and branches.
//!
//! A [`Function`](kausal_symbolic::Function) computes with arrays of any size. Here all sizes are known: of its
//! inputs, because it is called with scalars laid out, and of everything else, because it follows from them.
//! Array expressions became operations on their elements; loops over statements stayed loops. C text and machine
//! code are made from this; where it does not fit (strings, foreign code, sizes that depend on values), the
//! evaluator of `kausal-symbolic` runs the function, and it is what both are tested against.
//!
//! After [`lower`]: every [`Slot`] and [`ArrayId`] exists, a slot is written before it is read or starts as 0,
//! subscripts are checked before they are used.

mod common_calls;
mod lower;
pub(crate) mod scalars;
pub(crate) mod specialise;
mod terms;

use kausal_symbolic::function::Shape;

use crate::scalar::{Binary, Unary};
pub(crate) use lower::{Routines, visit};

/// Names a number of a [`Routine`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Slot(pub u32);

/// Names an array of a [`Routine`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ArrayId(pub u32);

/// The array of all inputs.
pub(crate) const INPUTS: ArrayId = ArrayId(0);
/// The array of all outputs.
pub(crate) const OUTPUTS: ArrayId = ArrayId(1);

/// Names a loop counter, which runs from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Counter(pub u32);

/// Names an [`Operand`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct OperandId(pub u32);

/// Something that has a value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Operand {
    Const(f64),
    Slot(Slot),
    Element(ArrayId, Place),
    /// A loop counter as a number.
    Counter(Counter),
}

/// An element of an array: an offset and multiples of counters and subscripts.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Place {
    pub offset: i64,
    pub terms: Vec<(i64, Varying)>,
}

/// The part of a place that varies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Varying {
    Counter(Counter),
    /// A number that was checked to be a whole one.
    Whole(Slot),
}

impl Place {
    /// A fixed element.
    pub fn at(offset: usize) -> Self {
        Place { offset: offset as i64, terms: Vec::new() }
    }
}

/// What is computed in one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Compute {
    Copy(OperandId),
    Unary(Unary, OperandId),
    Binary(Binary, OperandId, OperandId),
    /// `if c then a else b`, both of which are there.
    Select(OperandId, OperandId, OperandId),
}

impl Compute {
    pub fn operands(&self) -> impl Iterator<Item = OperandId> {
        let list = match *self {
            Compute::Copy(a) | Compute::Unary(_, a) => [Some(a), None, None],
            Compute::Binary(_, a, b) => [Some(a), Some(b), None],
            Compute::Select(c, a, b) => [Some(c), Some(a), Some(b)],
        };
        list.into_iter().flatten()
    }
}

/// How often a loop runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Count {
    Known(u64),
    /// A whole number, not negative.
    Computed(OperandId),
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Stmt {
    Set(Slot, Compute),
    Put(ArrayId, Place, OperandId),
    Loop(Counter, Count, Vec<Stmt>),
    /// The first statements are done before every look at the condition.
    While(Vec<Stmt>, OperandId, Vec<Stmt>),
    If(OperandId, Vec<Stmt>, Vec<Stmt>),
    Break,
    Return,
    /// Fails unless the number is a whole one from 1 to the size.
    Check(OperandId, usize),
    /// The function fails.
    Fail(String),
    /// A warning is due. Machine code leaves the call to the evaluator, which can say it; C goes on.
    Warn(String),
    /// Calls a routine with an array of arguments; its outputs go to another array.
    Call(usize, ArrayId, ArrayId),
}

/// An array: its name and how many elements it has.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Storage {
    pub name: String,
    pub len: usize,
}

/// A function, lowered for certain sizes of its inputs.
#[derive(Clone, Debug)]
pub(crate) struct Routine {
    /// The name of the function it comes from.
    pub name: String,
    /// Names of the slots; temporaries have none.
    pub slots: Vec<Option<String>>,
    /// [`INPUTS`], [`OUTPUTS`], then the others.
    pub arrays: Vec<Storage>,
    pub operands: Vec<Operand>,
    pub counters: u32,
    pub body: Vec<Stmt>,
    /// The sizes of the outputs.
    pub outputs: Vec<Shape>,
    /// Some message is not the one the function would give, since it does without strings; or it warns.
    pub vague: bool,
}

impl Routine {
    pub fn operand(&self, id: OperandId) -> &Operand {
        &self.operands[id.0 as usize]
    }
}
