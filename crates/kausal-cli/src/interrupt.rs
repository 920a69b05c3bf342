//! Ending the program from outside: Ctrl-C, a signal, a limit of time or of memory.
//!
//! Every command is watched from its first moment. Where there is nothing to keep, a request ends the program with a word. A
//! run is cancelled ([`Cancel`]) and ends with results up to there: functions, systems of equations and the integrator look at
//! its flag. A limit of time lets the current step end first. What looks at nothing, such as foreign code, ends with the
//! program. Before that, result files are completed. A second after Ctrl-C the program is gone, whatever it was doing.

use std::process::exit;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use kausal::Cancel;

use crate::memory::watch::{self, Exhausted};

static REQUESTS: AtomicUsize = AtomicUsize::new(0);
static PHASE: AtomicU8 = AtomicU8::new(PREPARING);
static BEGIN: OnceLock<Instant> = OnceLock::new();
static CANCEL: OnceLock<Cancel> = OnceLock::new();
/// The command runs a model.
static RUNS: AtomicBool = AtomicBool::new(false);
/// What is done before the program ends.
static BEFORE: Mutex<Vec<Box<dyn Fn() + Send>>> = Mutex::new(Vec::new());

const PREPARING: u8 = 0;
const RUNNING: u8 = 1;
const OVER: u8 = 2;

/// The exit code of a program ended by Ctrl-C.
pub const INTERRUPTED: u8 = 130;

/// So long a step may take after the limit before it is made to end, and so long after that what looks at the flag often.
const LATE: Duration = Duration::from_millis(200);
/// And so long what looks at the flag may take to see it.
const GRACE: Duration = Duration::from_millis(300);
/// Nobody waits for the end of a limit.
const GRACE_OF_LIMIT: Duration = Duration::from_secs(2);
/// Then files are completed, unless somebody holds them for longer.
const PATIENCE: Duration = Duration::from_millis(200);

/// Why the program shall end.
#[derive(Clone, Copy)]
enum Cause {
    Request,
    Time,
    Memory(Exhausted),
}

impl Cause {
    /// What is said about what does not end, and the exit code.
    fn end(self, what: &str) -> ! {
        // One of those that end the program speaks.
        static SPOKEN: Mutex<()> = Mutex::new(());
        let spoken = SPOKEN.lock();
        before_the_end();
        match self {
            Cause::Request => eprintln!("error[K0522]: interrupted {what}"),
            Cause::Time => {
                eprintln!("error[K0521]: the time limit was reached {what}");
                eprintln!("  = help: give more with --timeout");
            }
            Cause::Memory(Exhausted::System) => {
                eprintln!("error[K0525]: the system gives no more memory {what}");
                eprintln!("  = help: make the model or the result smaller");
            }
            Cause::Memory(Exhausted::Limit(limit)) => {
                eprintln!("error[K0525]: the memory limit of {limit} MB was reached {what}");
                eprintln!("  = help: give more with --memory, or make the model or the result smaller");
            }
        }
        drop(spoken);
        self.exit()
    }

    fn exit(self) -> ! {
        before_the_end();
        exit(if matches!(self, Cause::Request) { i32::from(INTERRUPTED) } else { 1 })
    }
}

/// Keeps what there is.
fn before_the_end() {
    kausal::store::complete_all(PATIENCE);
    let before = std::mem::take(&mut *BEFORE.lock().unwrap_or_else(PoisonError::into_inner));
    before.iter().for_each(|act| act());
}

/// The command begins, within these limits: of time, and of memory in megabytes. `runs`: it runs a model.
pub fn begin(time: Option<Duration>, memory: Option<u64>, runs: bool) {
    BEGIN.get_or_init(Instant::now);
    RUNS.store(runs, Ordering::Relaxed);
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
            _ => Cause::Request.exit(),
        }
    });
    if let Some(limit) = time {
        std::thread::spawn(move || {
            std::thread::sleep(limit);
            make_it_end(Cause::Time, PHASE.load(Ordering::Relaxed));
        });
    }
    watch::begin(memory, |why| Cause::Memory(why).end(place(PHASE.load(Ordering::Relaxed))));
}

/// What was going on.
fn place(phase: u8) -> &'static str {
    match phase {
        PREPARING if RUNS.load(Ordering::Relaxed) => "while the model was being translated, before the run",
        PREPARING => "before the command was done",
        RUNNING => "in the run",
        _ => "after the run",
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

/// Did somebody ask?
pub fn asked() -> bool {
    REQUESTS.load(Ordering::Relaxed) > 0
}

/// What ends the runs of this program.
pub fn cancel() -> &'static Cancel {
    CANCEL.get_or_init(Cancel::new)
}

/// Something that is done before the program ends by force.
pub fn end_with(before: impl Fn() + Send + 'static) {
    BEFORE.lock().unwrap_or_else(PoisonError::into_inner).push(Box::new(before));
}

/// `phase`: that of the request.
fn make_it_end(cause: Cause, phase: u8) {
    match (phase, cause) {
        (PREPARING, _) => cause.end(place(PREPARING)),
        (OVER, Cause::Request) => cause.exit(),
        _ => {}
    }
    // There may be another run after this one.
    while PHASE.load(Ordering::Relaxed) == OVER {
        std::thread::sleep(LATE);
    }
    let is_running = || PHASE.load(Ordering::Relaxed) == RUNNING;
    std::thread::sleep(LATE);
    if is_running() {
        // By now the run has been asked to end, and what looks at its flag has seen that.
        std::thread::sleep(LATE);
        if let Some(name) = kausal::foreign_under_way()
            && is_running()
        {
            // Nothing stops it; rows are in the files already.
            cause.end(&format!("in the foreign function {name}, which does not end"));
        }
        std::thread::sleep(if matches!(cause, Cause::Request) { GRACE } else { GRACE_OF_LIMIT });
        if is_running() {
            cause.end("in a step that does not end");
        }
    } else if matches!(cause, Cause::Request) {
        std::thread::sleep(LATE + GRACE);
    }
    if matches!(cause, Cause::Request) {
        // What is done with the results (plots, reports) takes too long.
        cause.exit();
    }
}
