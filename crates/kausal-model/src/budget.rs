//! How much a model may become while it is flattened: a few wrong digits in the range of a loop or the size of an array
//! make more terms than any memory holds. Everything that is unrolled is paid from one budget; a loop whose first passes
//! show that it cannot be paid ends there, not when the money is gone.
//!
//! A unit is about what one term takes: some tens of bytes, a fraction of a microsecond. When the budget is spent every
//! evaluation fails at once, and what is reported is the place where that happened.

use kausal_syntax::{Diagnostic, Location, Span};

use crate::class::{Reported, Res};
use crate::flattener::Flattener;
use crate::library::FileId;

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

/// What was spent.
#[derive(Debug, Default)]
pub(crate) struct Budget {
    spent: u64,
    /// The place where it was used up.
    over: Option<Over>,
}

#[derive(Debug)]
struct Over {
    place: Option<Location>,
    /// So many diagnostics were there before.
    mark: usize,
}

/// The passes of a loop.
#[derive(Debug)]
pub(crate) struct Passes {
    count: u64,
    done: u64,
    last: u64,
    least: u64,
}

impl Budget {
    /// Is there enough left for this?
    #[inline]
    pub(crate) fn pay(&mut self, units: u64) -> bool {
        self.spent = self.spent.saturating_add(units);
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

impl Flattener<'_> {
    /// Pays for something written at a place.
    #[inline]
    pub(crate) fn spend(&mut self, units: u64, file: FileId, span: Span) -> Res<()> {
        if self.budget.pay(units) { Ok(()) } else { Err(self.broke(Some((file, span)))) }
    }

    /// Pays for something whose place is that of the reference looked at last.
    #[inline]
    pub(crate) fn spend_here(&mut self, units: u64) -> Res<()> {
        if self.budget.pay(units) { Ok(()) } else { Err(self.broke(None)) }
    }

    #[cold]
    pub(crate) fn broke(&mut self, place: Option<(FileId, Span)>) -> Reported {
        self.budget.spent = u64::MAX;
        if self.budget.over.is_none() {
            let place = place.map(|(file, span)| self.cx.lib.location(file, span)).or(self.used_at);
            self.budget.over = Some(Over { place, mark: self.cx.diagnostics.len() });
        }
        Reported
    }

    /// Begins another pass of a loop. Two passes show what all will cost; what comes up only once is in the first.
    pub(crate) fn next_pass(&mut self, passes: &mut Passes, file: FileId, span: Span) -> Res<()> {
        match self.enough_for(passes) {
            true => Ok(()),
            false => Err(self.broke(Some((file, span)))),
        }
    }

    /// The same for the elements of an array, whose place is known.
    pub(crate) fn next_pass_at(&mut self, passes: &mut Passes, place: Option<Location>) -> Res<()> {
        if self.enough_for(passes) {
            return Ok(());
        }
        self.used_at = place.or(self.used_at);
        Err(self.broke(None))
    }

    fn enough_for(&mut self, passes: &mut Passes) -> bool {
        let spent = self.budget.spent;
        if passes.done > 0 {
            passes.least = passes.least.min(spent.saturating_sub(passes.last));
        }
        if passes.done == 2 && passes.least.saturating_mul(passes.count - 2) > LIMIT.saturating_sub(spent) {
            return false;
        }
        passes.last = spent;
        passes.done += 1;
        self.budget.pay(1)
    }

    /// Reports that the budget was used up. What was reported afterwards only follows from that; where something else was
    /// wrong before, that is the cause.
    pub(crate) fn report_budget(&mut self) {
        let Some(Over { place, mark }) = self.budget.over.take() else { return };
        self.cx.diagnostics.truncate(mark);
        if self.cx.diagnostics.iter().any(Diagnostic::is_error) {
            return;
        }
        let message =
            format!("{} becomes too large: it would have tens of millions of terms", self.model_name);
        let mut diagnostic = Diagnostic::error("K0339", message).help(
            "loops and arrays of equations are written out: is a range or a size larger than intended? What only computes \
             a value can be a function",
        );
        if let Some(place) = place {
            diagnostic = diagnostic.at(place, "too much here");
        }
        self.cx.report(diagnostic);
    }
}
