//! # The adversary
//!
//! Random models of the families that engineers build every day, each with an independent truth: what [`reference`] makes of
//! them shares no code with the compiler or the run. A model is drawn from named [`choices`], run by the built program like a
//! user would ([`mod@check`]), and what is wrong is made small by replacing choices with simpler ones ([`mod@reduce`]).
//!
//! ```text
//! seed → choices → families::*: Modelica text + reference::Hybrid
//!                       │                     │
//!                  kausal simulate     reference::certain (two finenesses, two disturbed runs)
//!                       └────── check ────────┘
//!                       right · diagnostic · silently wrong · hang
//! ```

// Matrices are written with subscripts, as on paper; comparisons that are no numbers fail.
#![allow(clippy::needless_range_loop, clippy::neg_cmp_op_on_partial_ord)]

pub mod campaign;
pub mod case;
pub mod check;
pub mod choices;
pub mod families;
pub mod options;
pub mod random;
pub mod reduce;
pub mod reference;
