//! What all passes work on: variables and equations between the flat model and the program (`work`), what they are solved for,
//! their derivatives, their order. Knows no pass.

pub(crate) mod derivative;
pub(crate) mod identity;
pub(crate) mod long;
pub(crate) mod parameters;
pub(crate) mod rewrite;
pub(crate) mod solvability;
pub(crate) mod solve;
pub(crate) mod sort;
pub(crate) mod work;
