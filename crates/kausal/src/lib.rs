//! # Kausal
//!
//! Acausal models in, fast causal programs out. Load, set, simulate:
//!
//! ```
//! use kausal::Model;
//!
//! fn main() -> Result<(), kausal::Error> {
//!     let text = "model Decay parameter Real k = 1; Real x(start = 1, fixed = true); equation der(x) = -k*x; end Decay;";
//!     let model = Model::from_text(text)?; // or Model::load("Decay.mo"), or Model::load("Kausal.Examples.Robot")
//!     let x = model.with("k", 2.0)?.simulate()?["x"].to_vec();
//!     assert!((x[x.len() - 1] - (-2.0f64).exp()).abs() < 1e-5);
//!     Ok(())
//! }
//! ```
//!
//! [`Model`] is the front door. Behind it, step by step: [`Session`] reads, flattens, translates and compiles, [`runner::Runner`]
//! runs and recovers where a run fails, [`simulate`] is one run.
//!
//! Files, the clock and everything else of the outside world are used here and in the command line tool only.

pub mod animate;
pub mod audit;
mod backup;
mod bounds;
pub mod browse;
mod cancel;
pub mod compare;
pub mod count;
pub mod csv;
pub mod draw;
mod error;
pub mod examples;
pub mod explain;
pub mod failure;
pub mod files;
pub mod flattened;
pub mod format;
pub mod glob;
pub mod inputs;
pub mod internal;
pub mod linearize;
pub mod mat;
pub mod model;
pub mod parquet;
pub mod parse;
pub mod plot;
pub mod render;
mod request;
pub mod result;
pub mod runner;
pub mod saved;
pub mod session;
mod settings;
pub mod simulate;
mod stiff;
pub mod store;
pub mod stored;
pub mod summary;
pub mod sweep;
pub mod tune;
pub mod verify;

pub use cancel::Cancel;
pub use error::{Error, ErrorKind};
pub use kausal_codegen::Backend;
pub use kausal_model::FlatModel;
pub use kausal_model::flat::Experiment;
pub use kausal_model::print_flat;
pub use kausal_runtime::simulation::inlined::method_of;
pub use kausal_runtime::{
    CompiledModel, JacobianMode, Overrides, Permissions, RunFiles, Settings, Statistics,
};
pub use kausal_solver::Method;
pub use kausal_syntax::{Diagnostic, Sources};
pub use kausal_translate::{Commands, Inline, Loops, Options, Program, Relaxing, Tearing};
pub use model::{
    Given, Loader, Model, Sensitivities, Simulation, Solution, Value, VariableInfo, VariableKind,
    VariableType,
};
pub use request::Request;
pub use result::Trajectory;
pub use session::Session;
pub use settings::Setting;

pub use kausal_codegen::c::Settings as CSettings;

/// The foreign function that runs in this moment: nothing ends it that it does not ask for.
pub use kausal_external::foreign::under_way as foreign_under_way;
/// Who runs components from outside, for [`Session::set_host`].
pub use kausal_external::foreign::{Guest, Host, Packed, is_hosted};
pub use kausal_external::{open_regular, read_regular};

/// The examples of the guide run.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/src/rust.md")]
struct Guide;

/// The sorted and solved equations, in the form the papers print.
pub fn listing(program: &Program) -> String {
    kausal_codegen::listing::write(program)
}

/// All of a program as text that parses back with [`kausal_translate::text::parse`].
pub fn program_text(program: &Program) -> String {
    kausal_translate::text::write(program)
}

/// The program as C text.
pub fn c_code(program: &Program) -> Result<String, String> {
    c_code_with(program, CSettings::default())
}

/// The program as C text, with the order and the bound of iterations of its inlined step.
pub fn c_code_with(program: &Program, settings: CSettings) -> Result<String, String> {
    kausal_codegen::c::write_with(program, settings).map_err(|error| error.to_string())
}
