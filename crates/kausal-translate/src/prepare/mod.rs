//! The first stage: from the flat model to equations. Translator commands, inlining of functions, lifting of what is not a
//! formula, alias elimination.

pub(crate) mod alias;
pub(crate) mod inline;
pub(crate) mod lift;
pub(crate) mod semi_linear;
pub(crate) mod traces;
pub(crate) mod wishes;
