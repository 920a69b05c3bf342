//! How far the difference of a relation may be off because numbers are rounded.
//!
//! A difference of large numbers is zero only up to their last digits: with pressures of six bar, a flow that follows from the
//! difference of two of them cannot be told from none below some 1e-12. How the last digits of the states show in the relations is
//! tried out behind each event: the model is evaluated once with all states off by one or two units of their last digit, each by
//! another amount, so that the differences do not cancel. Below a few times of what the relations change by, their signs say
//! nothing (see `crossing`).

use super::{Run, RunError};

/// So many times what the last digits of the states make of a relation is rounding.
const TIMES: f64 = 8.0;
/// But no more than this part of its size: what is iterated may be off by more, and has another bound.
const MOST: f64 = 1e-9;

impl Run {
    /// Tries out what the last digits of the states make of the relations, from values as they are now.
    pub(super) fn find_roundings(&mut self) -> Result<(), RunError> {
        // Generated C, which such a run is to foretell, does without.
        if self.settings.events_at_steps {
            return Ok(());
        }
        let start = self.settings.start;
        let solver = self.solver.as_mut().ok_or_else(|| RunError::Stopped(start))?;
        let side = solver.model_mut().model_mut();
        let mut disturbed = side.state();
        disturbed.iter_mut().enumerate().for_each(|(i, x)| *x += *x * f64::EPSILON * units(i));
        let values = side.machine.values.clone();
        side.machine.disturbed = true;
        let (t, exact) = (side.machine.time, std::mem::replace(&mut side.machine.exact, true));
        let outcome = side.evaluate(t, &disturbed, false);
        side.machine.exact = exact;
        side.machine.disturbed = false;
        let found = std::mem::replace(&mut side.machine.values, values);
        if outcome.is_ok() {
            for &relation in &self.watched {
                side.machine.note_rounding(relation, &found, TIMES, MOST);
            }
        }
        Ok(())
    }
}

/// By how many units of the last digit a state is moved: one to two, in either direction.
fn units(index: usize) -> f64 {
    // The golden ratio's multiples are spread evenly.
    let spread = (index as f64 * 0.618_033_988_749_894_9).fract();
    if index.is_multiple_of(2) { 1.0 + spread } else { -1.0 - spread }
}

#[cfg(test)]
mod tests {
    use super::units;

    #[test]
    fn states_are_moved_by_amounts_that_do_not_cancel() {
        let all: Vec<f64> = (0..40).map(units).collect();
        assert!(all.iter().all(|u| (1.0..2.0).contains(&u.abs())));
        for (i, a) in all.iter().enumerate() {
            assert!(all[i + 1..].iter().all(|b| (a - b).abs() > 1e-3), "{i}");
        }
    }
}
