//! Ending a run from outside: Ctrl-C, a signal, or a limit of time.
//!
//! The first request ends the run after the current step, with results up to there. Who asks again while a step does
//! not end, or sets a limit that such a step oversteps, stops the functions of the model; and who asks once more, the
//! program. Before and after the run a request ends the
//! program as it always does.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

static REQUESTS: AtomicUsize = AtomicUsize::new(0);
static RUNNING: AtomicBool = AtomicBool::new(false);

/// The exit code of a program ended by Ctrl-C.
const INTERRUPTED: i32 = 130;

/// Shorter runs are not listened to: nobody is that quick, and a thread for it would be a part of their time.
const PATIENCE: Duration = Duration::from_millis(20);

/// So long a step may take when the limit is over before the functions in it are stopped.
const LATE: Duration = Duration::from_millis(200);

thread_local! {
    /// When to begin listening; none when that is not due or done.
    static LISTEN_AT: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// The run begins. Until its first steps are done there is nothing to keep, and a request ends the program.
pub fn expect() {
    RUNNING.store(true, Ordering::Relaxed);
    LISTEN_AT.set(Some(Instant::now() + PATIENCE));
}

/// A step was made: from now on a request is noted instead of ending the program.
pub fn listen() {
    if LISTEN_AT.get().is_none_or(|at| Instant::now() < at) {
        return;
    }
    LISTEN_AT.set(None);
    // Where signals cannot be had, Ctrl-C does what it always does.
    let _ = ctrlc::set_handler(|| {
        if !RUNNING.load(Ordering::Relaxed) {
            std::process::exit(INTERRUPTED);
        }
        match REQUESTS.fetch_add(1, Ordering::Relaxed) {
            0 => {}
            1 => match kausal::foreign_under_way() {
                // Nothing stops it; rows are in the files already.
                Some(name) => {
                    eprintln!("error[K0522]: interrupted in the foreign function {name}, which does not end");
                    std::process::exit(INTERRUPTED);
                }
                None => kausal::stop_functions(),
            },
            _ => std::process::exit(INTERRUPTED),
        }
    });
}

/// A request ends the program, and this before it.
pub fn end_with(before: impl Fn() + Send + 'static) {
    // Where signals cannot be had, Ctrl-C does what it always does.
    let _ = ctrlc::set_handler(move || {
        before();
        std::process::exit(INTERRUPTED);
    });
}

/// The run is over.
pub fn end() {
    RUNNING.store(false, Ordering::Relaxed);
}

/// Did somebody ask?
pub fn asked() -> bool {
    REQUESTS.load(Ordering::Relaxed) > 0
}

/// Ends the program when the limit is long over and the run is not: a single step that takes for ever asks nobody.
pub fn exit_after(limit: Duration) {
    let grace = limit / 2 + Duration::from_secs(2);
    std::thread::spawn(move || {
        std::thread::sleep(limit + LATE);
        if RUNNING.load(Ordering::Relaxed) {
            kausal::stop_functions();
        }
        std::thread::sleep(LATE);
        if let Some(name) = kausal::foreign_under_way()
            && RUNNING.load(Ordering::Relaxed)
        {
            // Nothing stops it; rows are in the files already.
            eprintln!(
                "error[K0521]: the time limit was reached in the foreign function {name}, which does not end"
            );
            std::process::exit(1);
        }
        std::thread::sleep(grace);
        if RUNNING.load(Ordering::Relaxed) {
            eprintln!("error[K0521]: the time limit is over, and a single step or function does not end");
            std::process::exit(1);
        }
    });
}
