//! # kausal-fmu: the library inside FMUs
//!
//! An FMU that Kausal exports has the translated model as data (`resources/model.kausal`) and this library as its binary. It
//! reads the model and runs it with `kausal-runtime`: the same code as in `kausal simulate`.
//!
//! - [`instance`]: an instance of the model, what may be set and asked for when, without any C
//! - [`solved`]: Co-Simulation, with the integrators of `kausal-runtime`
//! - [`log`]: what is told to the importing tool
//! - `boundary`: pointers, texts, panics
//! - [`fmi2`], [`fmi3`]: the functions of the two standards; [`states`]: those of both that save an instance
//!
//! **No panic leaves an entry point**, it is a `Fatal` with a message. **Nothing is shared between instances**: any number of them
//! runs in as many threads. `unsafe` are only the lines that follow pointers of the importing tool.

mod boundary;
pub mod fmi2;
pub mod fmi3;
pub mod instance;
pub mod log;
pub mod solved;
pub mod states;
