//! The reference: what a model does according to code of our own that shares nothing with the compiler, the integrators
//! and the events of Kausal. It is slow and careful: short steps, tight tolerances, events located by bisection from the
//! step's beginning. [`certain`] makes two runs of different fineness and says where they differ; three more,
//! disturbed by the tolerance all along, tell how much error a correct simulator may have made by then.

pub mod dense;
pub mod drive;
pub mod exponential;
pub mod extrapolation;
pub mod hybrid;
pub mod radau;
pub mod truth;

pub use drive::{Course, Doubt, Plan, follow};
pub use hybrid::{Affine, Cause, Hybrid, Method, State};
pub use truth::{Truth, certain};
