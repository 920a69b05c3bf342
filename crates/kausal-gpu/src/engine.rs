//! What makes the runs of an ensemble: a GPU, or in tests a compiler of this machine.

use std::fmt;

use crate::ensemble::{Batch, Ensemble, Finished};

/// Something that compiles kernels.
pub trait Engine: Send + Sync {
    /// How it is called.
    fn name(&self) -> String;

    /// Makes a kernel of an ensemble.
    ///
    /// # Errors
    /// What went wrong.
    fn compile(&self, ensemble: &Ensemble) -> Result<Box<dyn Kernel>, Fault>;

    /// Bytes of memory a batch may take.
    fn memory(&self) -> usize;
}

/// A kernel that is ready.
pub trait Kernel: Send + Sync {
    /// Makes the runs of a batch.
    ///
    /// # Errors
    /// What went wrong with all of them.
    fn run(&self, batch: &Batch) -> Result<Finished, Fault>;
}

/// Why a device cannot be used, or does not do what it should.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault(pub String);

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
