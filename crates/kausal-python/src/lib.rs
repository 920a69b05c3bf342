//! The module `kausal._kausal` of the Python package: models, runs and solutions for Python.
//!
//! What people see is Python (`python/kausal`): names, tables, pictures. Here is what needs Rust: the calls of the crate `kausal`,
//! columns that reach NumPy and Arrow without copies ([`solution`], [`arrow`]), runs without the interpreter's lock that Ctrl-C
//! ends ([`waiting`]) or other threads do ([`cancel`]), and errors as exceptions ([`errors`]).
//!
//! The module uses the stable interface of CPython 3.10, so that one wheel serves all later versions, and needs neither an
//! interpreter nor its headers to be built.

mod arrow;
mod cancel;
mod derivatives;
mod errors;
mod model;
mod options;
mod run;
mod solution;
mod sweep;
mod waiting;

/// The module.
#[pyo3::pymodule]
mod _kausal {
    #[pymodule_export]
    use crate::cancel::Cancel;
    #[pymodule_export]
    use crate::model::Model;
    #[pymodule_export]
    use crate::run::Row;
    #[pymodule_export]
    use crate::solution::{Column, Solution};
    #[pymodule_export]
    use crate::sweep::Numbers;

    use pyo3::prelude::*;

    /// The version of Kausal.
    #[pyfunction]
    fn version() -> &'static str {
        env!("CARGO_PKG_VERSION")
    }

    /// The models of the built-in library, with what they say about themselves.
    #[pyfunction]
    fn examples() -> Vec<(String, String)> {
        kausal::examples::examples()
    }
}
