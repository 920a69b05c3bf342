//! # kausal-model: from classes to one flat model
//!
//! Libraries, lookup, inheritance, modifiers, connections, arrays and functions: an [`Ast`](kausal_syntax::Ast)
//! per file comes in, a [`FlatModel`] goes out, a list of scalar variables and equations with every name
//! resolved.
//!
//! ```text
//! classes      library, class, lookup, modifier, builtins   files → definitions (DefId), classes with modifiers (KlassId)
//! tables       tree, sink, flat, flattener                  the state of one flattening: data, and what calls back
//! instances    instance, inner, interface                   the tree of components (InstId), sizes, conditions
//! evaluation   bindings, fold, ranges                       what components are worth
//! elaboration  expr, functions, equation, algorithm         expressions → arrays of scalars (ExprId), functions
//! connections  connect                                      sets, streams, graphs → equations
//! rules        rules                                        what is wrong although flattening could go on
//! lowering     flatten, print                               all of it in order → FlatModel, its text
//! views        view, units, workspace                       one class looked at; drawings, documentation, editors
//! ```
//!
//! A stage imports what lies before it or in it, and no module depends on itself (`tests/rooms.rs`). Expressions need sizes,
//! sizes need values, values need expressions: what calls back is a method of [`flattener::Flattener`], everything else a
//! free function that takes the narrowest state it needs.
//!
//! **This room does not know how equations are sorted or solved**, and it reads no files itself: where text
//! comes from is behind [`library::Files`].

mod advice;
pub mod algorithm;
mod annotation;
mod bindings;
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
mod ids;
mod inner;
pub mod instance;
mod interface;
pub mod library;
pub mod lookup;
pub mod modifier;
pub mod prelude;
pub mod print;
mod ranges;
pub mod rules;
mod sink;
mod spending;
mod state_machine;
pub mod texts;
mod tree;
pub mod units;
pub mod value;
pub mod view;
pub mod walk;
pub mod workspace;

pub use flat::FlatModel;
pub use library::{Files, NoFiles};
pub use print::print_flat;
pub use workspace::Workspace;
