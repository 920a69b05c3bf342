//! What an audit found, in words: a few lines below the summary of a run, and warnings.

use std::collections::HashSet;
use std::fmt::Write;

use kausal_syntax::Diagnostic;

use super::{Audit, EXCESS, Events, Incomplete, Moved, SignalError, Unmatched};
use crate::simulate::instant;

/// Signals in the summary, and names in a warning.
const WORST: usize = 5;
const NAMED: usize = 3;

impl Audit {
    /// The worst signals, one of those that are always equal.
    fn worst(&self) -> impl Iterator<Item = &SignalError> {
        let mut seen = HashSet::new();
        self.signals.iter().filter(move |s| s.error > 0.0 && seen.insert(s.column))
    }

    /// For people: the worst signals first, then what became of events.
    pub fn text(&self) -> String {
        let mut out = format!("audit with {} at tolerance {:e}: ", self.method, self.tolerance);
        let worst: Vec<&SignalError> = self.worst().take(WORST).collect();
        if worst.is_empty() {
            out.push_str("no signal differs\n");
        } else {
            out.push_str("estimated errors, the largest first\n");
        }
        let width = worst.iter().map(|s| s.name.chars().count()).max().unwrap_or(0);
        for s in worst {
            // Writing to a string cannot fail.
            let _ = writeln!(
                out,
                "  {:width$}  {}, {} of its size, at time {}",
                s.name,
                figure(s.error),
                figure(s.relative),
                at(s.at)
            );
        }
        let e = &self.events;
        if e.compared + e.only_in_run + e.only_in_audit > 0 {
            let _ = write!(
                out,
                "  {} in both runs",
                counted(e.compared, "change of a condition", "changes of conditions")
            );
            if e.largest_shift > 0.0 {
                let _ = write!(out, ", at most {} s apart", figure(e.largest_shift));
            }
            out.push('\n');
        }
        if e.too_many {
            out.push_str("  events are too many to be compared\n");
        }
        out
    }

    /// What is worth a warning.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        self.too_inexact().into_iter().chain(self.other_events()).chain(self.moved_events()).collect()
    }

    fn too_inexact(&self) -> Option<Diagnostic> {
        let bad: Vec<&SignalError> = self.worst().take_while(|s| s.relative > EXCESS * self.asked).collect();
        let first = bad.first()?;
        let times = first.relative / self.asked;
        let others: Vec<&str> = bad[1..].iter().take(NAMED).map(|s| s.name.as_str()).collect();
        let more = bad.len() - 1 - others.len();
        let also = match (others.is_empty(), more) {
            (true, _) => String::new(),
            (_, 0) => format!("; too large as well: {}", others.join(", ")),
            (_, n) => format!("; too large as well: {} and {n} more", others.join(", ")),
        };
        let message = format!(
            "the estimated error of {} is {} at time {}, {} of its size and {times:.0} times the tolerance{also}",
            first.name,
            figure(first.error),
            at(first.at),
            figure(first.relative)
        );
        Some(Diagnostic::warning("K0551", message).help(
            "choose a smaller --tolerance (or --step); where the error stays, the solution depends on what no method can follow",
        ))
    }

    fn other_events(&self) -> Option<Diagnostic> {
        let Events { only_in_run, only_in_audit, unmatched, .. } = &self.events;
        let first = unmatched.first()?;
        let named = |u: &Unmatched| {
            let which = if u.in_run { "this run" } else { "the second run" };
            format!("{} changes at time {} in {which} only", u.condition, at(u.time))
        };
        let more = only_in_run + only_in_audit - 1;
        let more =
            if more > 0 { format!(", and {more} more changes have no partner") } else { String::new() };
        let message = format!("events of the run and of its audit differ: {}{more}", named(first));
        Some(Diagnostic::warning("K0553", message).help(
            "choose a smaller --tolerance or a --max-step; a condition that is only touched may go either way",
        ))
    }
}

impl Audit {
    fn moved_events(&self) -> Option<Diagnostic> {
        let far = |moved: &&Moved| (moved.time - moved.audit_time).abs() > EXCESS * self.asked * self.span;
        let count = self.events.moved.iter().filter(far).count();
        let first = self.events.moved.first().filter(|_| count > 0)?;
        let more = if count > 1 { format!(", and {} more moved", count - 1) } else { String::new() };
        let message = format!(
            "an event of the run moved: {} changes at time {}, and at time {} in its audit{more}",
            first.condition,
            at(first.time),
            at(first.audit_time)
        );
        Some(Diagnostic::warning("K0553", message).help("choose a smaller --tolerance or a --max-step"))
    }
}

impl Incomplete {
    /// The same as a warning.
    pub fn diagnostic(&self) -> Diagnostic {
        let message = format!(
            "the audit with {} at tolerance {:e} could not be completed: {}",
            self.method, self.tolerance, self.incomplete
        );
        Diagnostic::warning("K0552", message)
            .help("the run itself is not affected; nothing is known about its errors")
    }
}

/// An error as people read it: two digits are more than an estimate has.
pub(crate) fn figure(value: f64) -> String {
    let rounded: f64 = format!("{value:.1e}").parse().unwrap_or(value);
    match rounded {
        v if v == 0.0 || (1e-3..1e4).contains(&v) => format!("{v}"),
        v => format!("{v:.1e}"),
    }
}

/// An instant without the digits that rounding left at the end of it.
fn at(time: f64) -> String {
    instant(format!("{time:.9e}").parse().unwrap_or(time))
}

fn counted(n: usize, one: &str, many: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {many}") }
}
