//! The second stage: index reduction, state selection, and what is said of models without a unique solution.

pub(crate) mod index;
pub(crate) mod rank;
pub(crate) mod singular;
pub(crate) mod states;
