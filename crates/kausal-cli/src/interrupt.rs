//! Ending the program from outside: Ctrl-C, a signal, or a limit of time.
//!
//! Before the run there is nothing to keep, and a request ends the program with a word. In the run it cancels the run
//! ([`Cancel`]), which ends with results up to there: functions, systems of equations and the integrator look at its flag. A
//! limit of time lets the current step end first. What looks at nothing, such as foreign code, ends with the program.

use std::process::exit;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use kausal::Cancel;

static REQUESTS: AtomicUsize = AtomicUsize::new(0);
static PHASE: AtomicU8 = AtomicU8::new(PREPARING);
static BEGIN: OnceLock<Instant> = OnceLock::new();
static CANCEL: OnceLock<Cancel> = OnceLock::new();

const PREPARING: u8 = 0;
const RUNNING: u8 = 1;
const OVER: u8 = 2;

/// The exit code of a program ended by Ctrl-C.
const INTERRUPTED: i32 = 130;

/// So long a step may take after the limit before it is made to end, and so long after that what looks at the flag often.
const LATE: Duration = Duration::from_millis(300);
/// And so long what looks at the flag may take to see it.
const GRACE: Duration = Duration::from_secs(2);

/// Why the program shall end.
#[derive(Clone, Copy)]
enum Cause {
    Request,
    Limit,
}

impl Cause {
    /// What is said about what does not end, and the exit code.
    fn end(self, what: &str) -> ! {
        match self {
            Cause::Request => {
                eprintln!("error[K0522]: interrupted {what}");
                exit(INTERRUPTED)
            }
            Cause::Limit => {
                eprintln!("error[K0521]: the time limit was reached {what}");
                exit(1)
            }
        }
    }
}

/// The program begins what may take long, within this limit.
pub fn begin(limit: Option<Duration>) {
    BEGIN.get_or_init(Instant::now);
    // Where signals cannot be had, Ctrl-C does what it always does.
    let _ = ctrlc::set_handler(|| {
        // What was going on before anybody saw the request: the run may be over before the other thread begins.
        let phase = PHASE.load(Ordering::Relaxed);
        match REQUESTS.fetch_add(1, Ordering::Relaxed) {
            0 => {
                cancel().cancel();
                drop(std::thread::spawn(move || make_it_end(Cause::Request, phase)));
            }
            1 => {}
            _ => exit(INTERRUPTED),
        }
    });
    if let Some(limit) = limit {
        std::thread::spawn(move || {
            std::thread::sleep(limit);
            make_it_end(Cause::Limit, PHASE.load(Ordering::Relaxed));
        });
    }
}

/// How long ago that was.
pub fn since() -> Duration {
    BEGIN.get().map_or(Duration::ZERO, Instant::elapsed)
}

/// The run begins: from now on there are results to keep.
pub fn run() {
    PHASE.store(RUNNING, Ordering::Relaxed);
}

/// The run is over.
pub fn end() {
    PHASE.store(OVER, Ordering::Relaxed);
}

/// What ends the runs of this program.
pub fn cancel() -> &'static Cancel {
    CANCEL.get_or_init(Cancel::new)
}

/// A request ends the program, and this before it.
pub fn end_with(before: impl Fn() + Send + 'static) {
    // Where signals cannot be had, Ctrl-C does what it always does.
    let _ = ctrlc::set_handler(move || {
        before();
        exit(INTERRUPTED);
    });
}

/// `phase`: that of the request.
fn make_it_end(cause: Cause, phase: u8) {
    match (phase, cause) {
        (PREPARING, _) => cause.end("while the model was being translated, before the run"),
        (OVER, Cause::Request) => exit(INTERRUPTED),
        _ => {}
    }
    // There may be another run after this one.
    while PHASE.load(Ordering::Relaxed) == OVER {
        std::thread::sleep(LATE);
    }
    let is_running = || PHASE.load(Ordering::Relaxed) == RUNNING;
    std::thread::sleep(LATE);
    if !is_running() {
        return;
    }
    // By now the run has been asked to end, and what looks at its flag has seen that.
    std::thread::sleep(LATE);
    if let Some(name) = kausal::foreign_under_way()
        && is_running()
    {
        // Nothing stops it; rows are in the files already.
        cause.end(&format!("in the foreign function {name}, which does not end"));
    }
    std::thread::sleep(GRACE);
    if is_running() {
        cause.end("in a step that does not end");
    }
}
