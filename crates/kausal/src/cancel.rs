//! Ending runs from outside: by whoever holds a [`Cancel`], or by a limit of time.
//!
//! Each run has a flag of its own ([`Interrupt`]), which functions, systems of equations, the integrator and foreign code look
//! at. A [`Cancel`] knows the flags of the runs it was given to; a limit of time ends the one run it was set for. Runs that end
//! so keep the results they have.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use kausal_runtime::Interrupt;

/// Ends the runs it is given to. Clones are the same request.
///
/// ```
/// use kausal::Cancel;
/// let cancel = Cancel::new();
/// let other_thread = cancel.clone();
/// other_thread.cancel();
/// assert!(cancel.is_cancelled());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    cancelled: AtomicBool,
    runs: Mutex<Vec<Interrupt>>,
}

impl Cancel {
    /// A request that nobody has made yet.
    pub fn new() -> Cancel {
        Cancel::default()
    }

    /// Ends all runs it was given to, and those it will be given to.
    pub fn cancel(&self) {
        self.shared.cancelled.store(true, Ordering::SeqCst);
        self.runs().iter().for_each(Interrupt::request);
    }

    /// Was it asked for?
    pub fn is_cancelled(&self) -> bool {
        self.shared.cancelled.load(Ordering::SeqCst)
    }

    /// A run begins; it can be ended as long as the value lives.
    pub(crate) fn begin(&self) -> UnderWay {
        let interrupt = Interrupt::default();
        self.runs().push(interrupt.clone());
        // Whoever asked before the run was known has not reached it.
        if self.is_cancelled() {
            interrupt.request();
        }
        UnderWay { cancel: self.clone(), interrupt }
    }

    fn runs(&self) -> MutexGuard<'_, Vec<Interrupt>> {
        self.shared.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A run that can be ended.
pub(crate) struct UnderWay {
    cancel: Cancel,
    /// What ends it.
    pub interrupt: Interrupt,
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.cancel.runs().retain(|other| !std::ptr::eq(other.flag(), self.interrupt.flag()));
    }
}

/// A step that is under way when the time is over may end by itself within this; then it is made to.
const LATE: Duration = Duration::from_millis(300);

/// Ends a run that takes longer than it may, unless this is dropped before.
pub(crate) struct Watchdog {
    /// The thread ends when this goes.
    _over: Option<Sender<()>>,
}

impl Watchdog {
    /// From now on; without a limit there is nothing to watch.
    pub fn new(limit: Option<Duration>, interrupt: &Interrupt) -> Watchdog {
        let Some(limit) = limit else { return Watchdog { _over: None } };
        let (over, wait) = mpsc::channel::<()>();
        let interrupt = interrupt.clone();
        let watch = move || {
            if wait.recv_timeout(limit.saturating_add(LATE)) == Err(RecvTimeoutError::Timeout) {
                interrupt.request();
            }
        };
        // Without a thread the run still ends between two steps.
        let watching = thread::Builder::new().name("watchdog".into()).spawn(watch).is_ok();
        Watchdog { _over: watching.then_some(over) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_ended_by_their_own_request() {
        let (one, other) = (Cancel::new(), Cancel::new());
        let (first, second, third) = (one.begin(), one.begin(), other.begin());
        drop(second);
        one.cancel();
        assert!(first.interrupt.is_requested() && !third.interrupt.is_requested());
        // Who comes late is ended at once.
        assert!(one.begin().interrupt.is_requested());
        assert_eq!(one.runs().len(), 1);
    }

    #[test]
    fn a_limit_ends_one_run_only() {
        let cancel = Cancel::new();
        let (short, long) = (cancel.begin(), cancel.begin());
        let _watchdog = Watchdog::new(Some(Duration::ZERO), &short.interrupt);
        let _patient = Watchdog::new(Some(Duration::from_secs(3600)), &long.interrupt);
        while !short.interrupt.is_requested() {
            thread::sleep(Duration::from_millis(5));
        }
        assert!(!long.interrupt.is_requested() && !cancel.is_cancelled());
    }
}
