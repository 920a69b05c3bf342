//! Functions that stand for operators that are kept.

use kausal_symbolic::FunctionId;
use kausal_symbolic::function::Scalar;

/// The functions that stand for operators.
pub type KeptFunctions = rustc_hash::FxHashMap<Signature, FunctionId>;

/// An argument of a kept operator: what it is and how large.
pub(crate) type Signature = (String, Vec<(Scalar, Vec<usize>)>, Vec<Scalar>);
