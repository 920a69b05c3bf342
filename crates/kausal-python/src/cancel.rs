//! Ending what goes on in other threads, from Python.
//!
//! A [`kausal::Cancel`] ends all runs it was given to. What is asked for in Python has one of its own, so that an observer that has
//! seen enough, or a function that fails, ends its own run only; a [`Cancel`] of Python ends all that were made under it. Runs look
//! at it in Rust, without the interpreter's lock.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;

/// Ends what it was given to, from any thread: `m.simulate(cancel=c)` here, `c.cancel()` there.
#[pyclass(frozen, module = "kausal._kausal")]
pub struct Cancel {
    /// Its own request, and those of whoever it is under.
    requests: Vec<Request>,
}

type Request = Arc<Mutex<Shared>>;

#[derive(Default)]
struct Shared {
    asked: bool,
    /// How many there have been.
    count: u64,
    under_way: Vec<(u64, kausal::Cancel)>,
}

#[pymethods]
impl Cancel {
    /// A request that nobody has made yet; one that is made above is made here, too.
    #[new]
    #[pyo3(signature = (above = None))]
    fn new(above: Option<&Bound<'_, Cancel>>) -> Cancel {
        let above = above.map_or_else(Vec::new, |above| above.get().requests.clone());
        Cancel { requests: std::iter::once(Request::default()).chain(above).collect() }
    }

    /// Ends all it was given to, and what it will be given to.
    fn cancel(&self) {
        if let Some(own) = self.requests.first() {
            let mut own = lock(own);
            own.asked = true;
            own.under_way.iter().for_each(|(_, cancel)| cancel.cancel());
        }
    }

    /// Was it asked for?
    #[getter]
    fn cancelled(&self) -> bool {
        self.requests.iter().any(|request| lock(request).asked)
    }

    fn __repr__(&self) -> &'static str {
        if self.cancelled() { "<Cancel: asked for>" } else { "<Cancel>" }
    }
}

/// What ends one thing that was asked for: as long as the value lives, requests of others do, too.
#[derive(Default)]
pub struct Own {
    /// What ends it.
    pub cancel: kausal::Cancel,
    /// Those requests, and its number there.
    above: Vec<(Request, u64)>,
}

impl Own {
    /// Something begins.
    pub fn under(above: Option<&Cancel>) -> Own {
        let cancel = kausal::Cancel::new();
        let join = |request: &Request| {
            let mut shared = lock(request);
            // Whoever asked before this was known has not reached it.
            if shared.asked {
                cancel.cancel();
            }
            shared.count += 1;
            let number = shared.count;
            shared.under_way.push((number, cancel.clone()));
            (request.clone(), number)
        };
        let above = above.map_or_else(Vec::new, |above| above.requests.iter().map(join).collect());
        Own { cancel, above }
    }

    /// Did somebody else ask for the end?
    pub fn is_asked_for(&self) -> bool {
        self.above.iter().any(|(request, _)| lock(request).asked)
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        for (request, number) in &self.above {
            lock(request).under_way.retain(|(other, _)| other != number);
        }
    }
}

fn lock(request: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    request.lock().unwrap_or_else(PoisonError::into_inner)
}
