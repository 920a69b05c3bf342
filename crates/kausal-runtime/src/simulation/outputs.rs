//! Output points: where they are, and the values there.

use super::passage::PartEnd;
use super::{Observer, Run, RunError, Settings, finite};
use crate::machine::Stop;
use crate::tolerances::GRID;

impl Run {
    /// The next output point, if there are any.
    pub(super) fn next_output_point(&self) -> Option<f64> {
        let Settings { start, stop, interval, instants, .. } = &self.settings;
        match &**instants {
            [] if *interval <= 0.0 => None,
            [] => Some(start + self.next_output as f64 * interval),
            instants => Some(instants.get(self.next_output as usize - 1).copied().unwrap_or(*stop)),
        }
    }

    /// Records output points in (t0, t1], which is in a step from `before` to `end`, or the step itself, up to where the step is found to be wrong: then it has been taken
    /// back, and the answer is no. The end of the run, of the last step before an event and of a part of a step are recorded by
    /// others.
    pub(super) fn outputs(
        &mut self,
        (before, end): (f64, f64),
        (t0, t1): (f64, f64),
        ends: PartEnd,
        observer: &mut dyn Observer,
    ) -> Result<bool, RunError> {
        let Settings { stop, interval, .. } = self.settings;
        self.follow_derivatives(t1)?;
        if self.next_output_point().is_none() && t1 > t0 && ends == PartEnd::Step && t1 < stop {
            self.at(t1, true)?;
            observer.record(self.machine()?);
            self.note_derivatives()?;
        }
        while let Some(t) = self.next_output_point() {
            // The last point is the stop time itself, recorded at the end.
            if t > t1 || t >= stop - GRID * interval {
                return Ok(true);
            }
            if !(ends == PartEnd::Event && t == t1) {
                self.output_at(t, before, end)?;
                if self.has_found_defect()? {
                    if !self.confirm_defect(before)? {
                        return Ok(false);
                    }
                    self.output_at(t, before, end)?;
                }
                observer.record(self.machine()?);
                self.note_derivatives()?;
            }
            self.next_output += 1;
        }
        Ok(true)
    }

    /// Values at an output point in the step from `t0` to `t1`.
    ///
    /// A step of one size is as long as the user wants it, and a curve between its ends may leave the domain of the model although
    /// both ends are in it. There the straight line between them takes its place.
    fn output_at(&mut self, t: f64, t0: f64, t1: f64) -> Result<(), RunError> {
        let Err(error) = self.at(t, true) else { return Ok(()) };
        let undefined = matches!(error, RunError::Integration(_, _, Some(Stop::Failed(_))));
        if !undefined || !self.settings.method.is_fixed_step() || t >= t1 {
            return Err(error);
        }
        let (mut begin, mut end) = (self.state.clone(), self.state.clone());
        let solver = self.solver()?;
        solver.interpolate(t0, &mut begin);
        solver.interpolate(t1, &mut end);
        let s = (t - t0) / (t1 - t0);
        let line: Vec<f64> = begin.iter().zip(&end).map(|(a, b)| a + s * (b - a)).collect();
        let side = self.side()?;
        let outcome = side.evaluate(t, &line, true).and_then(|()| finite(&side.machine));
        outcome.map_err(|_| error)
    }
}
