//! Where integration changes its states.
//!
//! A step must not lead far into where the selected states are bad, for what is computed from them is not exact there: it is
//! made again up to where they become bad. There, at the end of a step, others are selected. All variables keep their values,
//! and so does the past: a method that remembers it is given the past of the new states, which was computed along with that
//! of the old ones, and goes on with its order and its step size.

use super::{Run, RunError};
use crate::selection;

impl Run {
    /// Where the step ends that was made from `before` to `end`: at `before` where it is to be made again because the
    /// selected states are bad at its end.
    pub(super) fn end_of_selection(&mut self, before: f64, end: f64) -> Result<f64, RunError> {
        /// So much worse than where states are selected anew is worth a search, …
        const FAR: f64 = 0.8;
        /// … which ends when the border is known to this part of the step.
        const HALVINGS: usize = 5;
        if self.machine()?.model().program.state_sets.is_empty() || end <= before {
            return Ok(end);
        }
        self.at(end, false)?;
        let quality = self.machine()?.selection_quality();
        if quality >= selection::WORSE {
            self.well_selected = end;
        }
        // What could not end earlier is taken as it is.
        if quality >= FAR * selection::WORSE || end <= self.shorter {
            return Ok(end);
        }
        let (mut good, mut bad) = (before, end);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (good + bad);
            self.at(middle, false)?;
            if self.machine()?.selection_quality() >= selection::WORSE {
                good = middle;
            } else {
                bad = middle;
            }
        }
        self.shorter = bad;
        self.go_back(before)?;
        Ok(before)
    }

    /// States may be selected anew after a step; then integration goes on with them from the same point.
    pub(super) fn reselect(&mut self, end: f64) -> Result<(), RunError> {
        self.note_emerging(end)?;
        if self.machine()?.model().program.state_sets.is_empty() || self.well_selected == end {
            return Ok(());
        }
        self.at(end, false)?;
        if self.machine()?.selection_quality() >= selection::WORSE {
            return Ok(());
        }
        let past = self.values_in_the_past(end)?;
        self.at(end, false)?;
        if !self.machine()?.reselect() {
            return Ok(());
        }
        self.stats.state_selections += 1;
        if let (Some(follower), Some(solver)) = (&mut self.follower, &self.solver) {
            follower.reselected(&solver.model().model().machine)?;
        }
        self.emerging.forget();
        let state = self.solver()?.model().model().state();
        let stands_for = self.machine()?.stands_for();
        let of_states =
            |values: &Vec<f64>| -> Vec<f64> { stands_for.iter().map(|v| values[v.index()]).collect() };
        let past: Vec<Vec<f64>> = past.iter().map(of_states).collect();
        self.solver()?.change_states(end, &state, &past);
        Ok(())
    }

    /// All values at the instants that the integrator remembers, the latest first; none where they cannot all be had.
    fn values_in_the_past(&mut self, end: f64) -> Result<Vec<Vec<f64>>, RunError> {
        let solver = self.solver()?;
        if solver.t() != end || self.side()?.remembers() {
            return Ok(Vec::new());
        }
        let instants = self.solver()?.remembered();
        let mut past = Vec::with_capacity(instants.len());
        for t in instants {
            if self.at(t, false).is_err() {
                return Ok(Vec::new());
            }
            past.push(self.machine()?.values.clone());
        }
        Ok(past)
    }
}
