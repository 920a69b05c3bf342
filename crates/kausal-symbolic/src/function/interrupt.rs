//! A request from outside that functions end: a loop without end asks nobody else.
//!
//! There is one flag for the whole program, for those who ask (a signal, a limit of time) do not know who runs. Machine code
//! looks at it in its loops as well. Once asked for, it stays: every function fails from then on, and runs come to their
//! end with the results they have.

use std::sync::atomic::{AtomicBool, Ordering};

static REQUESTED: AtomicBool = AtomicBool::new(false);

/// Asks all functions that run, and all that will, to end.
pub fn request() {
    REQUESTED.store(true, Ordering::Relaxed);
}

/// Was it asked for?
#[inline]
pub fn is_requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}

/// The flag itself, one byte, for code that looks at it without a call.
pub fn flag() -> &'static AtomicBool {
    &REQUESTED
}
