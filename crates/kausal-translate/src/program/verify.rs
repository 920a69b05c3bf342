//! What must hold of every [`Program`]; its readers rely on it and look at none of it again.
//!
//! | part | holds |
//! | --- | --- |
//! | [`ids`] | every id names something that exists; aliases lead to what is computed, in one step |
//! | [`expressions`] | formulas contain what a program may contain (see [`crate::program`]); calls have the arguments of their function |
//! | [`shapes`] | systems are square, entries lie inside and stand once, symmetric kernels have their lower triangle, residuals go with iteration variables |
//! | [`order`] | in each section everything is computed before it is read, and once; no section computes what is not its own |
//!
//! It runs behind every translation in tests and debug builds, and on every program that is loaded. Faults are bugs of the
//! translation, or files that were not written by it: no model can cause one.

mod expressions;
pub(crate) mod flat;
mod ids;
mod order;
mod place;
mod shapes;

use std::fmt;

pub use place::{Part, Place, Section};

use crate::program::Program;

/// So many faults are told at most: one of them has mostly caused the others.
const MAX_FAULTS: usize = 20;

/// Something that does not hold of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where.
    pub place: Place,
    /// What.
    pub kind: FaultKind,
}

/// What does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// An id names nothing: what it should name, its number, and how many there are.
    OutOfRange {
        /// What it should name.
        what: &'static str,
        /// Its number.
        number: usize,
        /// How many there are.
        count: usize,
    },
    /// A list has another length than what it goes with.
    Length {
        /// Which list.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The length it must have.
        expected: usize,
    },
    /// A number is none or has the wrong sign.
    BadNumber {
        /// Which one.
        what: &'static str,
        /// Of which variable.
        variable: String,
    },
    /// An alias of an alias, or of itself.
    AliasOfAlias(String),
    /// An alias is read or computed; what it stands for should be.
    AliasUsed(String),
    /// A formula contains an operator that no formula of a program may contain.
    Operator(&'static str),
    /// A formula contains a call; calls are steps of their own.
    CallInFormula,
    /// A formula is a string where a number is needed.
    TextInFormula,
    /// A function is not well-formed.
    Function(String),
    /// An entry of a matrix lies outside of it.
    Entry {
        /// Its row.
        row: u32,
        /// Its column.
        column: u32,
        /// The size of the matrix.
        size: usize,
    },
    /// An entry of a matrix stands twice.
    EntryTwice {
        /// Its row.
        row: u32,
        /// Its column.
        column: u32,
    },
    /// An entry above the diagonal of a matrix of which only the lower triangle is given.
    AboveDiagonal {
        /// Its row.
        row: u32,
        /// Its column.
        column: u32,
    },
    /// A variable stands twice in a list.
    Twice {
        /// Which list.
        what: &'static str,
        /// The variable.
        variable: String,
    },
    /// A variable of one list is missing in another one.
    Missing {
        /// What it should be among.
        what: &'static str,
        /// The variable.
        variable: String,
    },
    /// A variable is read before it is computed.
    Undefined(String),
    /// A variable is computed more than once.
    ComputedTwice(String),
    /// A variable that a section is for is not computed by it.
    NotComputed(String),
    /// A section computes what is given there: parameters, states, discrete variables.
    NotItsOwn {
        /// The variable.
        variable: String,
        /// What it is.
        kind: &'static str,
    },
    /// A variable is not of the kind that the table it stands in asks for.
    WrongKind {
        /// The table.
        what: &'static str,
        /// The variable.
        variable: String,
    },
    /// A formula reads what may change where only parameters and discrete variables may be read.
    Changing(String),
    /// Steps that cannot stand here.
    Misplaced(&'static str),
}

impl Program {
    /// Everything that is wrong with the program, up to a bound.
    ///
    /// # Errors
    /// Faults of the first part that has some (see [`crate::verify`]): later parts rely on the earlier ones.
    pub fn verify(&self) -> Result<(), Faults> {
        let mut found = Found { program: self, faults: Vec::new() };
        for part in [ids::check, expressions::check, shapes::check, order::check] {
            part(&mut found);
            if !found.faults.is_empty() {
                return Err(Faults(found.faults));
            }
        }
        Ok(())
    }
}

/// Faults of a program, at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Faults(pub Vec<Fault>);

/// The program that is looked at, and what was found so far.
struct Found<'a> {
    program: &'a Program,
    faults: Vec<Fault>,
}

impl Found<'_> {
    fn add(&mut self, place: &Place, kind: FaultKind) {
        if self.faults.len() < MAX_FAULTS {
            self.faults.push(Fault { place: place.clone(), kind });
        }
    }

    /// A variable as messages call it. Its id exists.
    fn name(&self, id: kausal_symbolic::VarId) -> String {
        self.program.variables[id.index()].name.clone()
    }
}

impl std::error::Error for Faults {}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, fault) in self.0.iter().enumerate() {
            let line = if i == 0 { "" } else { "\n" };
            write!(f, "{line}{fault}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.kind)
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use FaultKind as K;
        match self {
            K::OutOfRange { what, number, count } => write!(f, "there is no {what} {number} among {count}"),
            K::Length { what, found, expected } => write!(f, "{found} {what} instead of {expected}"),
            K::BadNumber { what, variable } => write!(f, "the {what} of {variable} is not possible"),
            K::AliasOfAlias(name) => write!(f, "{name} is an alias of an alias"),
            K::AliasUsed(name) => write!(f, "the alias {name} is used itself"),
            K::Operator(name) => write!(f, "a formula contains the operator {name}"),
            K::CallInFormula => f.write_str("a formula contains a call of a function"),
            K::TextInFormula => f.write_str("a string stands where a number is needed"),
            K::Function(problem) => f.write_str(problem),
            K::Entry { row, column, size } => {
                write!(f, "the entry ({row}, {column}) lies outside a matrix of size {size}")
            }
            K::EntryTwice { row, column } => write!(f, "the entry ({row}, {column}) is given twice"),
            K::AboveDiagonal { row, column } => {
                write!(f, "the entry ({row}, {column}) of a symmetric matrix lies above the diagonal")
            }
            K::Twice { what, variable } => write!(f, "{variable} is twice among the {what}"),
            K::Missing { what, variable } => write!(f, "{variable} is not among the {what}"),
            K::Undefined(name) => write!(f, "{name} is read before it is computed"),
            K::ComputedTwice(name) => write!(f, "{name} is computed twice"),
            K::NotComputed(name) => write!(f, "{name} is not computed"),
            K::NotItsOwn { variable, kind } => write!(f, "{variable} is computed, but is {kind}"),
            K::WrongKind { what, variable } => write!(f, "{variable} cannot be among the {what}"),
            K::Changing(name) => write!(f, "{name} may change where nothing may"),
            K::Misplaced(what) => write!(f, "{what} cannot stand here"),
        }
    }
}
