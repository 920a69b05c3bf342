//! Counts elementary steps, so that tests can check that an algorithm is (almost) linear without looking at a clock.
//!
//! Outside the crate's own tests the counter does not exist and [`tick`] compiles to nothing.

#[cfg(test)]
thread_local! {
    static STEPS: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// Adds `steps` to the counter of this thread.
#[inline(always)]
pub(crate) fn tick(steps: usize) {
    #[cfg(test)]
    STEPS.with(|counter| counter.set(counter.get() + steps as u64));
    #[cfg(not(test))]
    let _ = steps;
}

/// The steps `task` takes, and its result.
#[cfg(test)]
pub(crate) fn measure<T>(task: impl FnOnce() -> T) -> (u64, T) {
    let before = STEPS.with(|counter| counter.get());
    let result = task();
    (STEPS.with(|counter| counter.get()) - before, result)
}
