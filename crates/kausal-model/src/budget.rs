//! How much a model may become while it is flattened: a few wrong digits in the range of a loop or the size of an array
//! make more terms than any memory holds. Everything that is unrolled is paid from one budget; a loop whose first passes
//! show that it cannot be paid ends there, not when the money is gone.
//!
//! A unit is about what one term takes: some tens of bytes, a fraction of a microsecond. When the budget is spent every
//! evaluation fails at once, and what is reported is the place where that happened.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use kausal_syntax::Location;

/// All a model may cost. 100,000 connected RC cells, which are 1.5 million equations, cost 40 million; no example of
/// the standard library costs more than a hundredth.
pub(crate) const LIMIT: u64 = 100_000_000;
/// What a scalar variable costs, with its name and attributes.
pub(crate) const VARIABLE: u64 = 12;
/// What a component costs.
pub(crate) const INSTANCE: u64 = 4;
/// What a variable costs that a statement at an event needs, with its part in the function it belongs to.
pub(crate) const AUXILIARY: u64 = 40;
/// What a scalar that a function gives back costs.
pub(crate) const OUTPUT: u64 = 8;
/// What an equation costs, with where it comes from.
pub(crate) const EQUATION: u64 = 2;

/// So many units are spent between two looks at the flag that interrupts: well below a millisecond.
const LOOK: u64 = 10_000;

/// What was spent.
#[derive(Debug)]
pub(crate) struct Budget {
    pub(crate) spent: u64,
    /// Up to here nothing has to be asked: the limit, or the next look at the flag.
    free: u64,
    /// Ends the work: somebody does not need the result any more.
    pub(crate) interrupt: Option<Arc<AtomicBool>>,
    /// The place where it was used up.
    pub(crate) over: Option<Over>,
}

#[derive(Debug)]
pub(crate) struct Over {
    pub(crate) place: Option<Location>,
    /// So many diagnostics were there before.
    pub(crate) mark: usize,
}

/// The passes of a loop.
#[derive(Debug)]
pub(crate) struct Passes {
    pub(crate) count: u64,
    pub(crate) done: u64,
    pub(crate) last: u64,
    pub(crate) least: u64,
}

impl Budget {
    /// All of it, unless the flag is raised.
    pub(crate) fn new(interrupt: Option<Arc<AtomicBool>>) -> Self {
        let free = if interrupt.is_some() { LOOK } else { LIMIT };
        Budget { spent: 0, free, interrupt, over: None }
    }

    /// Is there enough left for this?
    #[inline]
    pub(crate) fn pay(&mut self, units: u64) -> bool {
        self.spent = self.spent.saturating_add(units);
        self.spent <= self.free || self.look()
    }

    #[cold]
    fn look(&mut self) -> bool {
        if self.interrupt.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            self.spent = u64::MAX;
        }
        self.free = self.spent.saturating_add(LOOK).min(LIMIT);
        self.spent <= LIMIT
    }

    /// Would there be enough left for this?
    pub(crate) fn suffices(&self, units: u64) -> bool {
        self.spent.saturating_add(units) <= LIMIT
    }

    /// Is nothing left?
    pub(crate) fn is_over(&self) -> bool {
        self.over.is_some()
    }
}

impl Passes {
    pub(crate) fn new(count: usize) -> Self {
        Passes { count: count as u64, done: 0, last: 0, least: u64::MAX }
    }
}
