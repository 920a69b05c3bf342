//! Runs that Ctrl-C ends.
//!
//! CPython handles signals in its main thread only, between two steps of the interpreter. A run that is asked for there goes to
//! another thread, and the main thread waits for it without the interpreter's lock, looking every now and then whether
//! somebody wants it to end. Threads that have nothing to do wait for the next run: handing a run over takes some microseconds.

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;

use crate::errors::fault;

/// How often the main thread looks.
pub const TICK: Duration = Duration::from_millis(50);

/// Large enough for models with deep expressions, as the main thread's is. What is not used takes no memory.
const STACK: usize = 64 << 20;

type Job = Box<dyn FnOnce() + Send>;

/// Threads without a job, and the process they belong to: a forked one has none of them.
static IDLE: Mutex<(u32, Vec<Sender<Job>>)> = Mutex::new((0, Vec::new()));

/// Does a job in another thread. `tick` is called in this one every now and then; what it fails with is given back, and
/// `stop` is called then: the job shall come to its end soon. The job's result is `None` where it panicked.
pub fn wait<T: Send + 'static>(
    py: Python<'_>,
    job: impl FnOnce() -> T + Send + 'static,
    stop: impl Fn(),
    mut tick: impl FnMut(Python<'_>) -> PyResult<()>,
) -> (Option<T>, Option<PyErr>) {
    let (done, result) = mpsc::channel();
    spawn(Box::new(move || {
        // Who asked may have gone.
        let _ = done.send(job());
    }));
    let mut failure: Option<PyErr> = None;
    let result = Mutex::new(result);
    loop {
        let received = py.detach(|| result.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(TICK));
        match received {
            Ok(value) => return (Some(value), failure),
            Err(RecvTimeoutError::Disconnected) => return (None, failure),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Err(error) = py.check_signals().and_then(|()| tick(py)) {
            stop();
            failure.get_or_insert(error);
        }
    }
}

/// Does a job in another thread; a signal whose handler raises an exception ends the waiting, and the job goes on for nobody.
pub fn until_signal<T: Send + 'static>(
    py: Python<'_>,
    job: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let (done, result) = mpsc::channel();
    spawn(Box::new(move || {
        let _ = done.send(job());
    }));
    let result = Mutex::new(result);
    loop {
        let received = py.detach(|| result.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(TICK));
        match received {
            Ok(value) => return Ok(value),
            Err(RecvTimeoutError::Disconnected) => return Err(fault(py)),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
        }
    }
}

fn spawn(job: Job) {
    let mut job = job;
    loop {
        let Some(idle) = idle().1.pop() else { break };
        match idle.send(job) {
            Ok(()) => return,
            Err(returned) => job = returned.0,
        }
    }
    let (sender, jobs) = mpsc::channel::<Job>();
    // One that cannot be started takes its job with it: who waits for the job is told so.
    let _ = thread::Builder::new().name("kausal".into()).stack_size(STACK).spawn(move || {
        job();
        loop {
            idle().1.push(sender.clone());
            match jobs.recv() {
                Ok(next) => next(),
                Err(_) => return,
            }
        }
    });
}

fn idle() -> std::sync::MutexGuard<'static, (u32, Vec<Sender<Job>>)> {
    let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if idle.0 != process {
        *idle = (process, Vec::new());
    }
    idle
}
