//! The third stage: how a block of equations is solved. `emit` begins with a block; `linear` prices the ways of a linear one,
//! `nonlinear` decides what is iterated on, `sweeps` iterates by substitution. `emitter` is the workspace they share.

pub(crate) mod amplification;
pub(crate) mod calls;
pub(crate) mod candidates;
pub(crate) mod computed;
pub(crate) mod declared;
pub(crate) mod defer;
pub(crate) mod eliminate;
pub(crate) mod emit;
pub(crate) mod emitter;
pub(crate) mod factors;
pub(crate) mod growth;
pub(crate) mod guards;
pub(crate) mod hoist;
pub(crate) mod iteration_variables;
pub(crate) mod linear;
pub(crate) mod nested;
pub(crate) mod nonlinear;
pub(crate) mod orders;
pub(crate) mod pairs;
pub(crate) mod plan;
pub(crate) mod prices;
pub(crate) mod sweeps;
