//! # Kausal
//!
//! Acausal models in, fast causal programs out. Load, translate, simulate:
//!
//! ```
//! use std::sync::Arc;
//! use kausal::{Session, Settings, simulate};
//!
//! let mut session = Session::new();
//! session.add_text("Decay.mo", "model Decay Real x(start = 1, fixed = true); equation der(x) = -x; end Decay;");
//! let flat = session.flatten("Decay").expect("a correct model");
//! let program = session.translate(&flat, &Default::default()).expect("a regular model");
//! let model = Arc::new(session.compile(program, kausal::Backend::Jit).expect("code"));
//! let run = simulate::run(model, &Settings::default(), &|_| true, None, &mut |_| true);
//! let x = run.trajectory.get("x").expect("a variable");
//! assert!((x.last().unwrap() - (-1.0f64).exp()).abs() < 1e-5);
//! ```
//!
//! Files, the clock and everything else of the outside world are used here and in the command line tool only.

pub mod audit;
mod backup;
mod bounds;
mod cancel;
pub mod compare;
pub mod count;
pub mod csv;
pub mod examples;
pub mod explain;
pub mod failure;
pub mod files;
pub mod flattened;
pub mod glob;
pub mod inputs;
pub mod internal;
pub mod mat;
pub mod parquet;
pub mod parse;
pub mod plot;
pub mod render;
pub mod result;
pub mod runner;
pub mod session;
mod settings;
pub mod simulate;
mod stiff;
pub mod store;
pub mod summary;
pub mod tune;
pub mod verify;

pub use cancel::Cancel;
pub use kausal_codegen::Backend;
pub use kausal_model::FlatModel;
pub use kausal_model::flat::Experiment;
pub use kausal_model::print_flat;
pub use kausal_runtime::simulation::inlined::method_of;
pub use kausal_runtime::{CompiledModel, JacobianMode, Overrides, Settings, Statistics, Writing};
pub use kausal_solver::Method;
pub use kausal_syntax::{Diagnostic, Sources};
pub use kausal_translate::{Commands, Inline, Loops, Options, Program, Relaxing, Tearing};
pub use result::Trajectory;
pub use session::Session;
pub use settings::Setting;

pub use kausal_codegen::c::Settings as CSettings;

/// The foreign function that runs in this moment: nothing ends it that it does not ask for.
pub use kausal_external::foreign::under_way as foreign_under_way;

/// The sorted and solved equations, in the form the papers print.
pub fn listing(program: &Program) -> String {
    kausal_codegen::listing::write(program)
}

/// The program as C text.
pub fn c_code(program: &Program) -> Result<String, String> {
    c_code_with(program, CSettings::default())
}

/// The program as C text, with the order and the bound of iterations of its inlined step.
pub fn c_code_with(program: &Program, settings: CSettings) -> Result<String, String> {
    kausal_codegen::c::write_with(program, settings).map_err(|error| error.to_string())
}
