//! Functions: a small typed language with arrays, loops and several outputs.
//!
//! It is what a Modelica function becomes once its names are resolved. Records are gone: a record variable is
//! one local per field (`r.x`), an array of records one array per field. Sizes may depend on the inputs.
//! Subscripts count from 1: one of type `Boolean` comes in with 1 added, an enumeration value as its ordinal. The
//! names of enumeration values are gone too: `String(e)` comes in as an element of a vector of strings.
//!
//! | to | use |
//! | --- | --- |
//! | build and print functions | [`build`], [`mod@print`], [`check`] |
//! | compute with arrays of numbers or expressions | [`Array`], [`algebra`], [`operations`] |
//! | run a function, at translation or at run time | [`Evaluator`] on [`Numbers`] |
//! | turn a call in an equation into expressions | [`calls::Calls::apply`] |
//! | differentiate calls, solve through them | [`calls::Calls`] as [`CallDerivative`](crate::derivative::CallDerivative) and [`CallInverse`](crate::solve::CallInverse) |
//! | `der(f, x)` | [`calls::Calls::partial_derivative_function`] |

pub mod algebra;
pub mod array;
pub mod build;
pub mod calls;
pub mod check;
mod derivative_terms;
pub mod differentiate;
pub mod domain;
mod error;
pub mod evaluator;
pub mod externals;
pub mod inline;
pub mod integers;
pub mod interrupt;
pub mod inverse;
pub mod layout;
pub mod operations;
pub mod print;
pub mod routine;
pub mod sizes;
pub mod specialise;
mod statements;
mod subscripts;
pub mod symbolic;
mod terms;
pub mod text;
pub mod typing;
pub mod value;

pub use array::{Array, ArrayError, ArrayErrorKind, ArrayResult, Index, Shape};
pub use domain::{Assertion, Domain, Numbers};
pub use error::{EvalError, EvalErrorKind};
pub use evaluator::{Evaluator, Limits};
pub use externals::{ExternalArg, ExternalCall, ExternalError, Externals};
use serde::{Deserialize, Serialize};
pub use sizes::Sizes;
pub use symbolic::Symbolic;
pub use value::{Text, Value};

use crate::nesting::limited;
use crate::node::{Op, VarId};

/// Names a function in a [`Pool`](crate::Pool).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FunctionId(pub u32);

/// Names a local variable of a [`Function`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LocalId(pub u32);

/// Names an expression of a [`Function`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TermId(pub u32);

/// What a scalar is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Scalar {
    /// `Real`
    Real,
    /// `Integer`
    Integer,
    /// `Boolean`
    Boolean,
    /// `String`
    String,
    /// An enumeration; the value is the ordinal from 1.
    Enumeration,
    /// An external object; the value is a handle.
    External,
}

/// A function.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Function {
    /// Its full name.
    pub name: String,
    /// All local variables: inputs, outputs and protected ones.
    pub locals: Vec<Local>,
    /// The inputs, in order.
    pub inputs: Vec<LocalId>,
    /// The outputs, in order.
    pub outputs: Vec<LocalId>,
    /// Expressions.
    pub terms: Vec<Term>,
    /// What it does.
    pub body: Body,
    /// What its annotations say.
    pub notes: Notes,
}

/// A local variable of a function.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Local {
    /// Its name, with dots for the fields of a record.
    pub name: String,
    /// What its elements are.
    pub scalar: Scalar,
    /// Its dimensions; an input may have unknown ones.
    pub dims: Vec<Dim>,
    /// Default or initial value.
    pub initial: Option<TermId>,
}

/// One dimension of a local variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Dim {
    /// Known.
    Known(usize),
    /// Computed from other locals when the function starts.
    Computed(TermId),
    /// `:` (given by the argument or the first assignment)
    Unknown,
}

impl Function {
    /// The name the model gives it: without the sizes that were added where a version for these was made.
    pub fn shown_name(&self) -> &str {
        let sizes = self.inputs.iter().chain(&self.outputs).flat_map(|&id| &self.local(id).dims);
        let sizes: Vec<usize> = sizes
            .filter_map(|dim| match dim {
                Dim::Known(size) => Some(*size),
                _ => None,
            })
            .collect();
        let mut name = self.name.as_str();
        for size in sizes.iter().rev() {
            name = name.strip_suffix(&format!("_{size}")).unwrap_or(name);
        }
        name
    }
}

/// What a function does.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Body {
    /// Statements.
    Algorithm(Vec<Stmt>),
    /// Foreign code.
    External(Box<ExternalBody>),
}

impl Default for Body {
    fn default() -> Self {
        Body::Algorithm(Vec::new())
    }
}

/// `external "C" y = f(x)`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ExternalBody {
    /// `C`, `FORTRAN 77`, `builtin`.
    pub language: String,
    /// The foreign name.
    pub name: String,
    /// What the foreign result is assigned to.
    pub result: Option<LocalId>,
    /// The arguments.
    pub args: Vec<TermId>,
    /// `Include`, `Library`, … annotations as (name, value).
    pub annotations: Vec<(String, String)>,
    /// How foreign code sees all this.
    pub view: ForeignView,
}

/// What foreign code needs to know of a declaration (specification section 12.9.1). Native versions do without.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForeignView {
    /// What each of the arguments is.
    pub args: Vec<ForeignType>,
    /// What the result is.
    pub result: Option<Scalar>,
    /// Arguments that together are one record.
    pub records: Vec<ForeignRecord>,
    /// Declared `impure`.
    pub impure: bool,
    /// Where headers are.
    pub include_folders: Vec<String>,
    /// Where libraries are.
    pub library_folders: Vec<String>,
    /// Where sources are.
    pub source_folders: Vec<String>,
}

/// An argument of a foreign function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForeignType {
    /// What its elements are.
    pub scalar: Scalar,
    /// How many dimensions it has.
    pub rank: usize,
    /// A size of an array, which has a type of its own.
    pub size: bool,
}

/// Arguments of a foreign function that are passed as one record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForeignRecord {
    /// The first of them.
    pub first: usize,
    /// The fields in order, one argument each, with dots for those of records in the record.
    pub fields: Vec<String>,
    /// How many dimensions the record has.
    pub rank: usize,
    /// The function returns it: its fields are the last arguments.
    pub result: bool,
}

/// `Inline`, `derivative`, `inverse`, …
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Notes {
    /// `Inline = true/false`
    pub inline: Option<bool>,
    /// `LateInline = true/false`
    pub late_inline: Option<bool>,
    /// `InlineAfterIndexReduction = true`
    pub inline_after_index_reduction: bool,
    /// `GenerateEvents = true`: relations keep their events when the function is inlined.
    pub generate_events: bool,
    /// `smoothOrder = n`
    pub smooth_order: Option<u32>,
    /// `smoothOrder(normallyConstant = x)`
    pub normally_constant: Vec<LocalId>,
    /// `derivative = f`, in order of preference.
    pub derivatives: Vec<DerivativeNote>,
    /// `inverse(x = f(…))`: (the input solved for, the function, its arguments as the names of inputs and outputs).
    pub inverses: Vec<InverseNote>,
    /// Declared `impure`, or external without being declared pure.
    pub impure: bool,
    /// It asks to be inlined, but calls of it were kept while flattening: reading the flat model keeps them too.
    pub kept: bool,
    /// Of the constructor of an external object: its class.
    pub constructs: Option<String>,
    /// It is a copy that one call has for itself, so that the call is never taken for another one.
    pub apart: Option<Apart>,
    /// The classes of variables that are external objects.
    pub external_classes: Vec<(LocalId, String)>,
}

/// A copy of a function for one call (see [`Calls::keep_apart`](calls::Calls::keep_apart)).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Apart {
    /// What it is a copy of.
    pub of: FunctionId,
    /// The number of the call, which no other one has.
    pub call: u32,
}

/// `derivative(order = 2, zeroDerivative = k, noDerivative = m) = f`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DerivativeNote {
    /// The function that computes the derivative.
    pub function: FunctionId,
    /// `order`
    pub order: u32,
    /// Inputs whose derivative must be zero.
    pub zero: Vec<LocalId>,
    /// Inputs whose derivative is not passed.
    pub none: Vec<LocalId>,
}

/// `inverse(x = f(y, z))`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct InverseNote {
    /// The input that is solved for.
    pub input: LocalId,
    /// The function that computes it.
    pub function: FunctionId,
    /// Its arguments: inputs and outputs of this function.
    pub args: Vec<LocalId>,
}

/// A statement.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Stmt {
    /// `target := value`
    Assign(Target, TermId),
    /// `(a, , b) := f(x)`
    AssignCall(Vec<Option<Target>>, TermId),
    /// `if … elseif … else`
    If(
        #[serde(deserialize_with = "limited")] Vec<(TermId, Vec<Stmt>)>,
        #[serde(deserialize_with = "limited")] Vec<Stmt>,
    ),
    /// `for local in range loop`: the range is a vector.
    For(LocalId, TermId, #[serde(deserialize_with = "limited")] Vec<Stmt>),
    /// `while`
    While(TermId, #[serde(deserialize_with = "limited")] Vec<Stmt>),
    /// `break`
    Break,
    /// `return`
    Return,
    /// `assert(condition, message, level)`; the level is 1 for a warning, 2 for an error.
    Assert(TermId, TermId, TermId),
    /// A call for its effects.
    Call(TermId),
}

/// What is assigned to: a local, or elements of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Target {
    /// The local.
    pub local: LocalId,
    /// Empty for the whole of it.
    pub subscripts: Vec<Subscript>,
}

/// One subscript.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Subscript {
    /// `:`
    All,
    /// A scalar, or a vector of indices.
    Index(TermId),
}

/// An expression of a function; its value is a scalar or an array.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Term {
    /// A number.
    Const(f64),
    /// A string.
    Text(String),
    /// A whole local.
    Local(LocalId),
    /// A variable outside (only where equations are evaluated as terms).
    Outer(VarId),
    /// Elements of a value.
    Index(TermId, Vec<Subscript>),
    /// A scalar operator, element by element; a scalar argument goes with every element of an array.
    Op(Op, Vec<TermId>),
    /// An array function.
    Array(ArrayFn, Vec<TermId>),
    /// A user function; the value is its output of this number.
    Call(FunctionId, Vec<TermId>, u32),
    /// `{body for i in range, …}` folded by the reduction; the first iterator is the innermost, as in
    /// `{{body for i in …} for j in …}`. Ranges do not depend on other iterators.
    For(Reduction, TermId, Vec<(LocalId, TermId)>),
}

/// Functions of arrays (specification chapter 10), and of strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ArrayFn {
    /// `{a, b, …}`: one dimension more.
    Construct,
    /// `cat(k, a, b, …)`; the first argument is the dimension. Arrays with fewer dimensions than others, or than `k`,
    /// are promoted; for `[a; b]` of scalars and vectors the arguments come in promoted to two dimensions.
    Cat,
    /// `start : step : stop`
    Range,
    /// `a * b`: vector, matrix and scalar products.
    Product,
    /// `a ^ n` of a square matrix.
    MatrixPower,
    /// `transpose`
    Transpose,
    /// `size(a)`
    Size,
    /// `size(a, i)`
    SizeOf,
    /// `ndims`
    Ndims,
    /// `fill(value, n, m, …)`
    Fill,
    /// `identity(n)`
    Identity,
    /// `diagonal(v)`
    Diagonal,
    /// `linspace(a, b, n)`
    Linspace,
    /// `sum(a)`
    Sum,
    /// `product(a)`
    ProductOf,
    /// `min(a)`
    MinOf,
    /// `max(a)`
    MaxOf,
    /// `outerProduct`
    OuterProduct,
    /// `symmetric`
    Symmetric,
    /// `cross`
    Cross,
    /// `skew`
    Skew,
    /// `scalar`
    Scalar,
    /// `vector`
    Vector,
    /// `matrix`
    Matrix,
    /// `promote(a, n)`
    Promote,
    /// String concatenation.
    Concat,
    /// `String(value, format…)`: value, significantDigits, minimumLength, leftJustified, all optional but the first;
    /// or the value and a format of the C language as a string.
    ToString,
}

/// How `for` expressions are folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Reduction {
    /// `{… for …}` and `array(… for …)`
    Array,
    /// `sum`
    Sum,
    /// `product`
    Product,
    /// `min`
    Min,
    /// `max`
    Max,
}
