//! The last stage: the sections of the program (parameters, initial problem, dynamics, events, outputs), and their assembly.

pub(crate) mod assemble;
pub(crate) mod build;
pub(crate) mod initial;
pub(crate) mod tunable;
