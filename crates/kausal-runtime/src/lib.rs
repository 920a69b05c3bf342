//! # kausal-runtime: a program that runs
//!
//! Between [`Program`](kausal_translate::Program) and result: straight-line parts are compiled
//! ([`image`]), the steps between them are executed here ([`machine`]: linear and nonlinear systems, mixed
//! systems, `when` clauses), and [`simulation`] carries the whole through time: initial values, integration,
//! events.
//!
//! [`CompiledModel`] is immutable and shared between threads; a [`Machine`] is one run's memory and allocates
//! nothing while it runs.
//!
//! **This room does not know where models come from or where results go**: an [`Observer`] is told.

pub mod compiled_model;
mod foresight;
pub mod function;
pub mod inputs;
pub mod jacobian;
pub mod linearization;
pub mod machine;
mod message;
mod selection;
pub mod simulation;
pub mod stiff;
mod tangent;
mod tolerances;
pub mod tunable;

pub use compiled_model::CompiledModel;
pub use inputs::Inputs;
pub use jacobian::JacobianMode;
pub use kausal_external::{Permissions, RunFiles};
pub use kausal_symbolic::function::interrupt::Interrupt;
pub use machine::{Machine, Mode};
pub use simulation::exchange::Exchange;
pub use simulation::simulator::{NotSet, Simulator};
pub use simulation::snapshot::{NotSaved, Snapshot, SnapshotError, Surroundings};
pub use simulation::{Observer, Obstacle, RunError, Settings, Statistics, simulate};
pub use tunable::Overrides;
