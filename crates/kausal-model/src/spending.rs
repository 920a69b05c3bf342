//! Paying for everything that is unrolled, and what is said when nothing is left.

use kausal_syntax::{Diagnostic, Location, Span, ast};

use crate::budget::{LIMIT, Over, Passes};
use crate::class::{Reported, Res};
use crate::flattener::Flattener;
use crate::library::FileId;
use crate::tree::Scope;

/// Pays for something written at a place.
#[inline]
pub(crate) fn spend(fl: &mut Flattener<'_>, units: u64, file: FileId, span: Span) -> Res<()> {
    if fl.budget.pay(units) { Ok(()) } else { Err(broke(fl, Some((file, span)))) }
}

/// Pays for something whose place is that of the reference looked at last.
#[inline]
pub(crate) fn spend_here(fl: &mut Flattener<'_>, units: u64) -> Res<()> {
    if fl.budget.pay(units) { Ok(()) } else { Err(broke(fl, None)) }
}

#[cold]
pub(crate) fn broke(fl: &mut Flattener<'_>, place: Option<(FileId, Span)>) -> Reported {
    fl.budget.spent = u64::MAX;
    if fl.budget.over.is_none() {
        let place = place.map(|(file, span)| fl.cx.lib.location(file, span)).or(fl.used_at);
        fl.budget.over = Some(Over { place, mark: fl.cx.diagnostics.len() });
    }
    Reported
}

/// Begins another pass of a loop. Two passes show what all will cost; what comes up only once is in the first.
pub(crate) fn next_pass(fl: &mut Flattener<'_>, passes: &mut Passes, file: FileId, span: Span) -> Res<()> {
    match enough_for(fl, passes) {
        true => Ok(()),
        false => Err(broke(fl, Some((file, span)))),
    }
}

/// The same for the elements of an array, whose place is known.
pub(crate) fn next_pass_at(fl: &mut Flattener<'_>, passes: &mut Passes, place: Option<Location>) -> Res<()> {
    if enough_for(fl, passes) {
        return Ok(());
    }
    fl.used_at = place.or(fl.used_at);
    Err(broke(fl, None))
}

pub(crate) fn enough_for(fl: &mut Flattener<'_>, passes: &mut Passes) -> bool {
    let spent = fl.budget.spent;
    if passes.done > 0 {
        passes.least = passes.least.min(spent.saturating_sub(passes.last));
    }
    if passes.done == 2 && passes.least.saturating_mul(passes.count - 2) > LIMIT.saturating_sub(spent) {
        return false;
    }
    passes.last = spent;
    passes.done += 1;
    fl.budget.pay(1)
}

/// Reports that the budget was used up. What was reported afterwards only follows from that; where something else was
/// wrong before, that is the cause.
pub(crate) fn report_budget(fl: &mut Flattener<'_>) {
    let Some(Over { place, mark }) = fl.budget.over.take() else { return };
    fl.cx.diagnostics.truncate(mark);
    if fl.cx.diagnostics.iter().any(Diagnostic::is_error) {
        return;
    }
    let message = format!("{} becomes too large: it would have tens of millions of terms", fl.model_name);
    let mut diagnostic = Diagnostic::error("K0339", message).help(
        "loops and arrays of equations are written out: is a range or a size larger than intended? What only computes \
         a value can be a function",
    );
    if let Some(place) = place {
        diagnostic = diagnostic.at(place, "too much here");
    }
    fl.cx.report(diagnostic);
}

/// Pays for what an expression makes.
pub(crate) fn spend_at(fl: &mut Flattener<'_>, scope: Scope, expr: ast::ExprId, units: u64) -> Res<()> {
    if fl.budget.pay(units) {
        return Ok(());
    }
    let span = fl.cx.lib.ast_ref(scope.file).span(expr);
    Err(broke(fl, Some((scope.file, span))))
}
