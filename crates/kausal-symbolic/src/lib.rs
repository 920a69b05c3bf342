//! # kausal-symbolic: expressions
//!
//! Scalar expressions live in a [`Pool`] as a hash-consed graph: building an expression that exists returns
//! its id, equality is id equality, and simplification happens in the constructors. What an expression can
//! call is a [`function::Function`]: a small typed language with arrays, loops and several outputs, with one
//! evaluator that runs on numbers and on expressions alike.
//!
//! | to | see |
//! | --- | --- |
//! | build and recognise | [`build`], [`simplify`] (what the stored form is), [`node`] |
//! | walk, replace | [`visit`], [`substitute`] |
//! | compute | [`evaluate`] (what every operator means), [`interval`], [`time_function`] |
//! | differentiate | [`derivative`] |
//! | solve | [`solve`], [`linear`] |
//! | judge, improve, show | [`count`], [`factor`], [`print`](mod@print) |
//!
//! **This room knows no equations and no models**; a variable is a number ([`VarId`]) whose meaning is kept
//! elsewhere. Numbers, Booleans (0 and 1), integers and enumeration values (their ordinal from 1) are all
//! `f64` here: types were checked before an expression came in.

pub mod build;
pub mod count;
pub mod derivative;
pub mod evaluate;
pub mod factor;
pub mod function;
pub mod interval;
pub mod linear;
pub mod nesting;
pub mod node;
pub mod pool;
pub mod print;
pub mod simplify;
pub mod solve;
mod stored;
pub mod substitute;
pub mod time_function;
pub mod visit;

pub use function::{Function, FunctionId};
pub use node::{ExprId, Node, Op, TextId, VarId};
pub use pool::Pool;
