//! Events at the ends of steps, as real time wants them: what has changed in a step takes effect at its end, and nothing is searched
//! for inside. Generated C does the same (`kausal-codegen/src/c/event.rs`), so that a run shows what the target will do.

use super::passage::PartEnd;
use super::{Observer, Run, RunError};
use crate::tolerances::is_same_instant;

impl Run {
    /// One step and the event at its end, if there is one.
    pub(super) fn advance_to_step_end(
        &mut self,
        target: f64,
        asked: bool,
        observer: &mut dyn Observer,
    ) -> Result<(), RunError> {
        let before = self.time();
        let due = self.next_time_event()?;
        let mut end = before;
        // What is due at once needs no step.
        if due > before {
            self.limit_step()?;
            self.side()?.keep_guesses(before);
            let stop = self.settings.stop;
            let limit = if asked { stop.min(target) } else { stop };
            end = match self.solver()?.step(limit) {
                Ok(report) => report.t,
                Err(error) => return Err(self.integration_error(&error)),
            };
        }
        self.follow(end)?;
        self.changed.clear();
        if end > before {
            self.look_at_relations(end)?;
        }
        let crossed = !self.changed.is_empty();
        let event = crossed || end >= due || is_same_instant(due, end);
        self.keep_past(before, end)?;
        let ends = if event { PartEnd::Event } else { PartEnd::Step };
        self.outputs((before, end), (before, end), ends, observer)?;
        if !event {
            return self.reselect(end);
        }
        self.pass_event(end, crossed, None, observer)?;
        // Ticks that have passed in the step come one after the other.
        self.changed.clear();
        while self.stats.terminated.is_none() && self.next_time_event()? <= end {
            self.pass_event(end, false, None, observer)?;
        }
        Ok(())
    }

    /// The relations that have plainly changed by the end of a step: one that is zero but for rounding stays where it is.
    fn look_at_relations(&mut self, end: f64) -> Result<(), RunError> {
        if self.watched.is_empty() {
            return Ok(());
        }
        self.at(end, false)?;
        let mut values = vec![0.0; self.watched.len()];
        self.crossing_values(&mut values)?;
        self.find_changes(&values)
    }

    /// The relations that have plainly changed where their functions have these values.
    pub(super) fn find_changes(&mut self, values: &[f64]) -> Result<(), RunError> {
        let watched = std::mem::take(&mut self.watched);
        let machine = self.machine()?;
        let model = machine.model().clone();
        let changes = |(r, value): &(&u32, &f64)| {
            let relation = &model.program.relations[**r as usize];
            let held = machine.values[relation.variable.index()] != 0.0;
            value.abs() > machine.rounding_of(**r) && held != ((**value > 0.0) != relation.or_equal)
        };
        let changed: Vec<u32> = watched.iter().zip(values).filter(changes).map(|(r, _)| *r).collect();
        self.watched = watched;
        self.changed = changed;
        Ok(())
    }
}
