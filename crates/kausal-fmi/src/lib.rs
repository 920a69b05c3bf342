//! # kausal-fmi: models for other tools
//!
//! An FMU (Functional Mock-up Interface, versions 2.0 and 3.0, of the Modelica Association) is an archive with a description of a
//! model and a library that computes it. Here the library is ready made (`kausal-fmu`) and the model is data: exporting compiles
//! nothing.
//!
//! ```text
//! modelDescription.xml            description → fmi2 or fmi3
//! resources/model.kausal          the stored model
//! resources/files                 files that it reads
//! resources/external/<platform>   external C functions that it calls, compiled
//! binaries/<platform>/<name>.so   the library
//! documentation, icon, terminals  what tools show
//! ```
//!
//! - [`description`]: what there is to say about a model, whatever the version of the standard
//! - [`variables`]: its variables, and which of them are aliases
//! - [`arrays`]: which of them are elements of arrays
//! - [`appearance`]: icon, documentation, connectors
//! - [`structure`]: who depends on whom
//! - [`units`]: units in terms of the SI
//! - [`fmi2`], [`fmi3`]: the two notations; [`xml`] writes them
//! - [`resources`]: files that a model reads
//! - [`library`]: where the library is
//! - [`export`]: all of it as an archive
//! - [`source`]: the C text of a model in the place of stored model and library
//! - [`import`]: FMUs of others, as components and alone
//! - [`references`]: value references, which the library uses, too

pub mod appearance;
pub mod arrays;
pub mod description;
pub mod export;
pub mod fmi2;
pub mod fmi3;
pub mod import;
pub mod library;
pub mod references;
pub mod resources;
pub mod source;
pub mod structure;
pub use kausal_model::units::symbols as units;
pub mod variables;
pub mod xml;

/// The lengths of arrays, in the folder of resources.
pub const ARRAYS: &str = "model.arrays";

/// The folder of external C functions, in that of resources; below it is one for each platform.
pub const EXTERNAL: &str = "external";

/// The stored model, in the folder of resources.
pub const STORED_MODEL: &str = "model.kausal";
