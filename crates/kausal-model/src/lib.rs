//! # kausal-model: from classes to one flat model
//!
//! Libraries, lookup, inheritance, modifiers, connections, arrays and functions: an [`Ast`](kausal_syntax::Ast)
//! per file comes in, a [`FlatModel`] goes out, a list of scalar variables and equations with every name
//! resolved.
//!
//! ```text
//! library    files, packages, definitions             DefId
//! class      definitions with modifiers, members      KlassId     lookup, modifier
//! instance   the tree of components                   InstId      flattener, fold
//! expr       expressions → arrays of scalars          ExprId      functions
//! equation   equations, when, algorithms              connect
//! flatten    all of it in order                       FlatModel   check, print
//! ```
//!
//! **This room does not know how equations are sorted or solved**, and it reads no files itself: where text
//! comes from is behind [`library::Files`].

pub mod algorithm;
mod budget;
pub mod builtins;
pub mod check;
pub mod class;
pub mod connect;
pub mod equation;
pub mod expr;
pub mod flat;
pub mod flatten;
pub mod flattener;
pub mod fold;
pub mod functions;
mod inner;
pub mod instance;
pub mod library;
pub mod lookup;
pub mod modifier;
pub mod prelude;
pub mod print;
mod ranges;
pub mod rules;
pub mod texts;
pub mod value;
pub mod walk;
pub mod workspace;

pub use flat::FlatModel;
pub use library::{Files, NoFiles};
pub use print::print_flat;
pub use workspace::Workspace;
