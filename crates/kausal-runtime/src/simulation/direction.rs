//! Which way relations go: what a step says must agree with the derivatives of the model.
//!
//! Errors of a step are compared with tolerances, and what is far below these may have any value and any sign: a ball that bounces
//! less high than the tolerance may be said to fall at once, or to come down while its speed is upwards. But an event asks for the
//! sign only, and its reaction to a wrong one (a speed that is reversed although it already was) is no small error. So the sign is
//! asked for twice. Behind an event, a function that is zero leaves it to the side that its derivative along the solution gives
//! it. And where a function crosses zero, its derivative must have the direction in which it crosses. A step that
//! contradicts this is made again, and shorter; where the states are stiff, the derivative is that of an implicit
//! step at the very point, for that on the continuous solution may be anything. And a function that its derivative takes from zero
//! to its own side is seen there before it comes back.
//!
//! A function that has left zero and comes back has been on a *flight*. One that goes no farther than some tolerances may be off by
//! any part of itself, and so may be the speed with which it comes back. That is no error while it is one flight. But a ball that comes
//! to rest makes one after the other, and what becomes of it follows from their ratios: with steps of order one they lost all
//! their speed in one of them, and the ball fell through the floor. So behind a small flight the method begins exactly.

use kausal_solver::events::{Crossing, Direction, EventFinder};
use serde::{Deserialize, Serialize};

use super::{Run, RunError};
use crate::tolerances::is_same_instant;

/// Part of a step over which the tangent is followed: the functions are nearly straight there, and what they change by is still more
/// than rounding where the step is.
const PART: f64 = 1.0 / 256.0;
/// A step that is made again is at least this part of what it was: as after an error test that failed.
const SHORTEST_PART: f64 = 0.1;

/// A flight is small where some tolerances are more than this part of it.
const KNOWN: f64 = 0.1;
/// The apex of a parabola over the ground, as a part of what it would reach with its first speed in the time up to its end.
const APEX: f64 = 0.25;

/// When functions were at zero.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Flights {
    /// The last event at which each function changed sides; empty before the first.
    since: Vec<f64>,
    /// The last flight, if it was a small one.
    small: Option<f64>,
}

/// Where a step begins behind an event.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Departure {
    t: f64,
    states: Vec<f64>,
    slopes: Vec<f64>,
}

impl Run {
    /// All values are those behind an event, with functions at zero or none.
    pub(super) fn note_departure(&mut self, at_zero: bool) -> Result<(), RunError> {
        self.departure = None;
        if at_zero && !self.settings.method.is_fixed_step() {
            let side = self.side()?;
            let slopes = side.states.iter().map(|(_, d)| side.machine.values[d.index()]).collect();
            self.departure = Some(Departure { t: side.machine.time, states: side.state(), slopes });
        }
        Ok(())
    }

    /// What the functions change by along a tangent over `span`; not a number where that is unknown or may be rounding.
    fn along_tangent(&mut self, from: &Departure, span: f64) -> Result<Vec<f64>, RunError> {
        let begin = self.known_differences(from.t, &from.states)?;
        let moved: Vec<f64> = from.states.iter().zip(&from.slopes).map(|(x, d)| x + span * d).collect();
        let mut end = self.known_differences(from.t + span, &moved)?;
        let watched = std::mem::take(&mut self.watched);
        let machine = self.machine()?;
        let model = machine.model().clone();
        for ((end, begin), &r) in end.iter_mut().zip(&begin).zip(&watched) {
            let change = *end - begin;
            let noise = match model.iterated[r as usize] {
                true => machine.rounding_of(r),
                false => machine.noise_of(r).max(f64::EPSILON * (begin.abs() + end.abs())),
            };
            *end = if change.abs() > noise { change } else { f64::NAN };
        }
        self.watched = watched;
        Ok(end)
    }

    /// Where a step from `t0` began, if that was behind an event with functions at zero.
    fn departure_at(&self, t0: f64) -> Option<Departure> {
        self.departure.as_ref().filter(|from| from.t == t0).cloned()
    }

    /// The functions that are zero at `t0`, where a step begins behind an event, and go to the other side by their derivatives.
    /// They have changed sides there, whatever the step makes of it, and however far behind zero the event was found.
    pub(super) fn leaving(&mut self, finder: &EventFinder, t0: f64) -> Result<Vec<usize>, RunError> {
        let Some(from) = self.departure_at(t0) else { return Ok(Vec::new()) };
        if self.solver()?.t_old() != t0 {
            return Ok(Vec::new());
        }
        let span = PART * (self.solver()?.t() - t0);
        let changes = self.along_tangent(&from, span)?;
        let leaves = |i: &usize| {
            let change = changes[*i];
            finder.band(*i) > 0.0 && !change.is_nan() && (change > 0.0) != finder.sides()[*i]
        };
        Ok((0..changes.len()).filter(leaves).collect())
    }

    /// Does the step contradict the derivatives of what changes in it, at the crossing found? Then it is made again.
    pub(super) fn goes_wrong_way(
        &mut self,
        before: f64,
        crossing: Option<f64>,
        end: f64,
    ) -> Result<bool, RunError> {
        let Some(t) = crossing.filter(|_| !self.settings.method.is_fixed_step()) else { return Ok(false) };
        if !self.comes_back_unseen(before, t)? && !self.crosses_wrongly(before, t, end)? {
            return Ok(false);
        }
        let step = end - before;
        let length = (t - before).clamp(SHORTEST_PART * step, 0.5 * step);
        if self.solver()?.t_old() == before {
            self.shorten_step(before, before + length)?;
        } else {
            self.go_back(before)?;
            self.shorter = before + length;
        }
        self.solver()?.start_exactly(length);
        Ok(true)
    }

    /// An event has changed sides at `t`. Where it was an impact, which makes other states of those that came, and the end of a small
    /// flight, the integrator begins exactly. States that go on as they were keep their errors below the tolerance, as a
    /// flow at rest does, whose sign means nothing.
    pub(super) fn begin_flights(&mut self, t: f64, hit: bool) -> Result<(), RunError> {
        let crossings: Vec<usize> =
            self.finder.iter().flat_map(|f| f.crossings()).map(|crossing| crossing.index).collect();
        self.flights.since.resize(self.watched.len(), f64::NEG_INFINITY);
        crossings.iter().for_each(|&i| self.flights.since[i] = t);
        if let Some(length) = self.flights.small.filter(|_| hit) {
            self.solver()?.start_exactly(length);
        }
        Ok(())
    }

    /// Functions cross zero at `t`, with these slopes: has one been on a small flight?
    fn note_flights(&mut self, t: f64, slopes: &[f64]) -> Result<(), RunError> {
        // The error test lets a single state be off by so many tolerances.
        let tolerance = self.settings.tolerance * (self.state.len().max(1) as f64).sqrt();
        let crossings: Vec<usize> =
            self.finder.iter().flat_map(|f| f.crossings()).map(|crossing| crossing.index).collect();
        for i in crossings {
            let Some(&since) = self.flights.since.get(i).filter(|since| !is_same_instant(**since, t)) else {
                continue;
            };
            let relation = self.watched[i];
            let unknown = tolerance * self.machine()?.size_of(relation);
            let flight = t - since;
            // What is lost in rounding is small.
            let farther = APEX * slopes[i].abs() * flight > unknown / KNOWN;
            self.flights.small = if farther { None } else { Some(flight) };
        }
        Ok(())
    }

    /// Does a function cross zero at `t` that was zero where the step began and has not been on its own side since, although its
    /// derivative takes it there?
    fn comes_back_unseen(&mut self, before: f64, t: f64) -> Result<bool, RunError> {
        let Some(from) = self.departure_at(before) else { return Ok(false) };
        if self.solver()?.t_old() != before {
            return Ok(false);
        }
        let crossings: Vec<Crossing> = self.finder.iter().flat_map(|f| f.crossings()).copied().collect();
        let at_zero = |c: &&Crossing| self.bands.get(c.index).is_some_and(|band| *band > 0.0);
        let suspects: Vec<Crossing> = crossings.iter().filter(at_zero).copied().collect();
        if suspects.is_empty() {
            return Ok(false);
        }
        let span = PART * (self.solver()?.t() - before);
        let changes = self.along_tangent(&from, span)?;
        let mut values = vec![0.0; self.watched.len()];
        if self.look_quietly(before + 0.5 * (t - before)).is_err() {
            return Ok(false);
        }
        self.crossing_values(&mut values)?;
        Ok(suspects.iter().any(|c| {
            let own = if c.direction == Direction::Falling { 1.0 } else { -1.0 };
            let noise = self.bands[c.index];
            own * changes[c.index] > 0.0 && own * values[c.index] <= noise
        }))
    }

    /// Does a function cross zero at `t` against its derivative?
    fn crosses_wrongly(&mut self, before: f64, t: f64, end: f64) -> Result<bool, RunError> {
        if self.look_quietly(t).is_err() {
            return Ok(false);
        }
        let side = self.side()?;
        let slopes = side.states.iter().map(|(_, d)| side.machine.values[d.index()]).collect();
        let mut there = Departure { t, states: side.state(), slopes };
        let mut changes = self.slopes_at(&there, before, end)?;
        if self.contradicts(&changes) {
            let solver = self.solver()?;
            if solver.is_explicit() {
                return Ok(true);
            }
            let guesses = solver.model().model().machine.values.clone();
            let mut inside = kausal_solver::Inside::default();
            let implicit = solver.implicit_slopes(t, &there.slopes, &mut inside);
            solver.model_mut().model_mut().machine.values = guesses;
            if let Some(slopes) = implicit {
                there.slopes = slopes;
                changes = self.slopes_at(&there, before, end)?;
                if self.contradicts(&changes) {
                    return Ok(true);
                }
            }
        }
        self.note_flights(t, &changes)?;
        Ok(false)
    }

    /// The slopes of the functions along the tangent at a crossing. Right behind the event before it they change by more than
    /// rounding only farther away: over a part of the whole step, which is one smooth piece.
    fn slopes_at(&mut self, there: &Departure, before: f64, end: f64) -> Result<Vec<f64>, RunError> {
        let (near, far) = (PART * (there.t - before), PART * (end - before));
        let slopes = |changes: Vec<f64>, span: f64| changes.into_iter().map(move |change| change / span);
        let mut found: Vec<f64> = slopes(self.along_tangent(there, near)?, near).collect();
        let crossings = || self.finder.iter().flat_map(|f| f.crossings());
        if far > near && crossings().any(|crossing| found[crossing.index].is_nan()) {
            let farther = slopes(self.along_tangent(there, far)?, far);
            for (slope, farther) in found.iter_mut().zip(farther).filter(|(slope, _)| slope.is_nan()) {
                *slope = farther;
            }
        }
        Ok(found)
    }

    /// All values at `t`, where they can be evaluated.
    fn look_quietly(&mut self, t: f64) -> Result<(), RunError> {
        let ended = self.ended;
        let outcome = self.at(t, false);
        self.ended = ended;
        outcome
    }

    fn contradicts(&self, slopes: &[f64]) -> bool {
        self.finder.iter().flat_map(|finder| finder.crossings()).any(|crossing| {
            let slope = slopes[crossing.index];
            if crossing.direction == Direction::Rising { slope < 0.0 } else { slope > 0.0 }
        })
    }
}
