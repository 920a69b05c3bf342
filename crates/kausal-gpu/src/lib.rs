//! # kausal-gpu: ensembles on GPUs
//!
//! One program, a million runs: each run is a thread of a GPU, from its column of parameters to the numbers that are kept of it.
//!
//! ```text
//!  Program + what is varied and kept ──prepare──▶ a program that takes columns
//!        ──kausal-codegen (device C)──▶ sections, events, right side, Jacobian
//!        ──text, with the files in `device/`──▶ CUDA C++ ──NVRTC──▶ kernel ──batches──▶ numbers, ends, outcomes
//! ```
//!
//! - [`ensemble`]: what is asked of all runs, and the text of the kernel; why a program is refused
//! - [`engine`]: what makes the runs; [`cuda`]: devices, compilation, launches
//! - `device/*.cu`: what is the same for all programs: two methods that choose their steps (Tsitouras 5(4), RODASP), events with
//!   location on the continuous extension, what is kept of a run, and the loop of a thread
//!
//! The text is C++ for a compiler of this machine as well: the tests run it here, against the simulator on cores. CUDA is loaded when
//! somebody asks for it; without it everything but [`cuda`] works, and that says what is missing.
//!
//! **A run that does not come to its end here is no result**: it comes back with its [`Outcome`], and who asked makes it again on a
//! core, where there are words for what happened. This room knows neither designs of sweeps nor files.

pub mod cuda;
pub mod engine;
pub mod ensemble;

pub use engine::{Engine, Fault, Kernel};
pub use ensemble::{Batch, Ensemble, Finished, Kept, Method, Number, Outcome, Question, Refusal};
