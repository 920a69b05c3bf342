//! A request from outside that a run ends: a loop without end asks nobody else.
//!
//! Every run has a flag of its own, so that one is ended and others go on. Functions, systems of equations and the integrator
//! look at it, machine code in its loops as well. Once asked for, it stays: every function of that run fails from then on, and
//! the run comes to its end with the results it has.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The flag of one run. Clones are the same flag.
///
/// ```
/// use kausal_symbolic::function::interrupt::Interrupt;
/// let (run, other) = (Interrupt::default(), Interrupt::default());
/// run.clone().request();
/// assert!(run.is_requested() && !other.is_requested());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Asks the run to end.
    pub fn request(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Was it asked for?
    #[inline]
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// The flag itself, one byte, for code that looks at it without a call.
    pub fn flag(&self) -> &AtomicBool {
        &self.0
    }
}
