//! The graphs behind a system of equations: what determines what, in which order, and what must be solved together.
//!
//! This crate sees equations and variables as numbers, an occurrence of one in the other as an edge, and on each edge only
//! whether the equation may be solved for the variable ([`Solvability`]). It knows no expressions, no time and no
//! numerics. The story of a translation, told in its words:
//!
//! ```text
//!   Incidence ── pantelides ──► how often to differentiate ── select_states ──► states and dummy derivatives
//!       │
//!       ├── maximum_matching ──► Matching ── dulmage_mendelsohn ──► too many, too few, just right
//!       │                           │
//!       │                           └── blt ──► blocks in the order of solution
//!       │                                         │
//!       │             each block of several equations, by Extractor, then one of
//!       │                                         │
//!       │       tearing::tear, tear_as_declared, tear_nested ──► few variables for Newton, the rest in sequence
//!       │       branch_tearing ──► sweeps of successive substitution
//!       │       elimination_order, symmetric_order, relaxed_blt ──► pivots for straight-line elimination
//!       │
//!       └── colour_columns ──► columns of a Jacobian to evaluate together
//! ```
//!
//! ```
//! use kausal_structure::*;
//! use kausal_structure::tearing::{tear, Effort, TearingProblem};
//!
//! // e0: a = 1,  e1: b + c = a,  e2: b - c = d,  e3: d = b·c  (variables a b c d = 0 1 2 3)
//! let mut builder = IncidenceBuilder::new(4, 4);
//! for (eqn, vars) in [(0, vec![0]), (1, vec![0, 1, 2]), (2, vec![1, 2, 3])] {
//!     for var in vars {
//!         builder.add(Eqn(eqn), Var(var), Solvability::LinearConstant);
//!     }
//! }
//! builder.add(Eqn(3), Var(3), Solvability::LinearConstant);
//! builder.add(Eqn(3), Var(1), Solvability::LinearUnsafe);
//! builder.add(Eqn(3), Var(2), Solvability::LinearUnsafe);
//! let incidence = builder.build();
//!
//! let matching = maximum_matching(&incidence);
//! assert!(matching.is_perfect());
//! let form = blt(&incidence, &matching);
//! let sizes: Vec<usize> = form.blocks().map(|block| block.size()).collect();
//! assert_eq!(sizes, [1, 3]); // a first, then b, c and d together
//!
//! let last = form.block(1);
//! let block = Extractor::new(&incidence).extract(last.eqns, last.vars);
//! let torn = tear(&TearingProblem::new(&block.incidence, SolvabilitySet::SAFE), Effort::default());
//! assert!(torn.optimal);
//! assert_eq!(torn.tearing.tearing_variables.len(), 1); // one guess, two assignments, one residual
//! ```
//!
//! Invariants:
//! - **Same input, same output.** Hash tables are looked into, never iterated over.
//! - **No recursion.** Depth is on explicit stacks; a chain of a million equations is an ordinary input.
//! - **(Almost) linear**, except where a name says otherwise: [`tearing::exact`] is exponential with a limit on nodes, and
//!   [`signature`] is cubic.
//! - **Ids are local.** An id belongs to the graph it was used to build; [`Subsystem`] translates.

pub mod alias;
pub mod blt;
pub mod branch_tearing;
pub mod colouring;
pub mod digraph;
pub mod dulmage_mendelsohn;
pub mod dummy_derivatives;
pub mod elimination;
pub mod feedback;
pub mod ids;
pub mod incidence;
mod levels;
pub mod matching;
pub mod minimum_degree;
pub mod pantelides;
pub mod relaxing;
pub mod signature;
pub mod solvability;
pub mod tearing;
mod work;

#[cfg(test)]
mod scale_tests;

pub use blt::{Block, Blt, blt};
pub use colouring::{Colouring, colour_columns};
pub use digraph::{Components, Digraph};
pub use dulmage_mendelsohn::{Determined, DulmageMendelsohn, Part, Piece, dulmage_mendelsohn};
pub use dummy_derivatives::{Certainty, StatePriority, StateSelection, select_states};
pub use elimination::recursive::{RecursiveOrder, recursive_order};
pub use elimination::{
    Elimination, EliminationProblem, Operations, bounded_count_in_order, bounded_elimination_order,
    count_in_order, elimination_order,
};
pub use ids::{Edge, Eqn, Id, IdVec, Var};
pub use incidence::{Extractor, Incidence, IncidenceBuilder, Occurrence, Subsystem};
pub use matching::{
    Augmenter, Matching, augment, maximum_matching, maximum_matching_in, maximum_matching_preferring,
};
pub use minimum_degree::{SymmetricElimination, SymmetricProblem, symmetric_order};
pub use pantelides::{IndexReduction, PantelidesError, pantelides};
pub use relaxing::{RelaxedBlt, RelaxedSingular, relaxed_blt};
pub use solvability::{Solvability, SolvabilitySet};
pub use tearing::{Assignment, Tearing};
