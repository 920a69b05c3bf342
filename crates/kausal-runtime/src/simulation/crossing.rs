//! Relations that change inside a step: which, and when.
//!
//! Each relation is a function that is positive on one side. Between events the finder compares sides at the ends
//! of steps and at the distance of output points, for a function that crosses twice in a step ends on the side it came
//! from. Where three values in a row hint at a dip to zero between two of them, it looks there as well.
//!
//! Right after an event a relation that has just changed is zero but for rounding, and its sign says nothing. Such a
//! function is looked at ever closer to the event: what truly leaves zero grows with the distance, whatever the
//! direction, and what is rounding does not. The function counts as having a sign from where it grows on; until then
//! it stays on the side the event put it on.
//!
//! Changes that decide nothing (`relevance`) are not events. And where the last evaluation in a step, at its end, shows that no
//! function is near zero, there is no other one.

use std::collections::VecDeque;

use kausal_solver::ModelError;
use kausal_solver::events::{EventFinder, Functions};
use kausal_symbolic::VarId;
use kausal_translate::{Program, flow};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

use super::{Obstacle, Run, RunError};
use crate::machine::Machine;
use crate::tolerances::{GRID, is_same_instant};

/// It counts as chattering when so many events follow each other within this part of the run, and the later half of
/// them within this part of that time. The first one: events at the resolution of time, where nothing real happens between them
/// (a thousand roundings of the clock each). The second: at that rate the run would have 1e10 events. The others catch what
/// comes to a limit, like a ball at rest, before the clock can no longer tell its bounces apart: where the later half counts, the
/// distances of events go on shrinking, too. With two events a bounce they are for balls that keep up to 0.83, 0.957 and 0.989 of
/// their speed. A burst of real events, as of a switch with a narrow hysteresis, passes.
const CHATTER_LIMITS: [(usize, f64, f64); 5] =
    [(50, 1e-11, 1.0), (10_000, 1e-6, 1.0), (24, 1e-6, 0.25), (100, 1e-6, 0.25), (400, 1e-6, 0.25)];
/// A ball that keeps no more than 0.11 of its speed is at the resolution of time before. Fewer events are enough for it, all of
/// the same relation, for their distances shrink faster than by chance.
const FEW_OF_ONE: (usize, f64, f64) = (8, 1e-6, 0.012);
/// The same for events at instants that are known in advance, which may be close to each other for a good reason.
const KNOWN_LIMIT: (u32, f64) = (100_000, 1e-5);
/// So many instants close after an event, each this much nearer than the one before.
const CUTS: usize = 12;
const NEARER: f64 = 16.0;
/// The farthest of them are looked at first: nearly always they tell enough, for functions are on their sides there by more than
/// this multiple of what may be rounding, or still zero.
const FEW: usize = 4;
const PLAIN: f64 = 1e3;
/// In this many neighbouring instants a function must grow, each time by this factor, to have left zero.
const GROWING: usize = 3;
const GROWTH: f64 = 3.0;
/// The band of a function that is zero, as a part of what may be rounding.
const AT_EDGE: f64 = 0.5;
/// Growth below this part of what may be rounding says nothing.
const FLOOR: f64 = 1.0;
/// Relations are looked at after this part of the run at the latest.
const LONGEST_PART: f64 = 2e-3;
/// At most so many comparisons in a step.
const MOST_PARTS: f64 = 1000.0;

/// Remembers the last events to see whether they pile up.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Chatter {
    instants: VecDeque<f64>,
    /// So many events in a row were crossings of this relation alone.
    row: (Option<u32>, usize),
    /// Events known in advance since this instant.
    known: (u32, f64),
    /// The last crossing, and what crossed there.
    last: Option<(f64, Vec<u32>)>,
}

impl Chatter {
    pub(crate) fn new() -> Chatter {
        Chatter { instants: VecDeque::new(), row: (None, 0), known: (0, f64::NEG_INFINITY), last: None }
    }

    /// An event that was known in advance, at `t` of a run of this length; do they follow each other so closely that the
    /// run would not come to its end?
    pub(crate) fn count_known(&mut self, t: f64, length: f64) -> bool {
        let (count, since) = self.known;
        if count < KNOWN_LIMIT.0 {
            self.known.0 += 1;
            return false;
        }
        self.known = (0, t);
        t - since <= KNOWN_LIMIT.1 * length
    }

    /// These relations cross at `t` of a run of this length; is that one event too many?
    pub(crate) fn count(&mut self, t: f64, length: f64, crossed: &[u32]) -> bool {
        let most = CHATTER_LIMITS.iter().map(|limit| limit.0).max().unwrap_or(0);
        self.instants.push_front(t);
        self.instants.truncate(most + 1);
        let alone = match crossed {
            [relation] => Some(*relation),
            _ => None,
        };
        let (last, count) = self.row;
        self.row = (alone, if alone == last { count + 1 } else { 1 });
        let few = Some(&FEW_OF_ONE).filter(|few| alone.is_some() && self.row.1 > few.0);
        CHATTER_LIMITS.iter().chain(few).any(|&(count, part, later)| {
            let before = |k: usize| self.instants.get(k).map_or(f64::INFINITY, |first| t - first);
            before(count) <= part * length
                && before(count / 2) <= later * before(count)
                && (later >= 1.0 || self.come_to_a_limit(count))
        })
    }

    /// These relations cross at `t`: which of them crossed at the same instant before, the other way? On neither side of zero they
    /// stay there.
    fn folds(&mut self, t: f64, crossed: &[u32]) -> Vec<u32> {
        let last = self.last.replace((t, crossed.to_vec()));
        let last = last.filter(|(before, _)| is_same_instant(*before, t)).map(|(_, crossed)| crossed);
        crossed.iter().copied().filter(|r| last.iter().flatten().any(|l| l == r)).collect()
    }

    /// Is the largest distance in each quarter of the last events less than in the one before?
    fn come_to_a_limit(&self, count: usize) -> bool {
        let gap = |k: usize| match (self.instants.get(k), self.instants.get(k + 1)) {
            (Some(late), Some(early)) => late - early,
            _ => f64::INFINITY,
        };
        let largest =
            |quarter: usize| (quarter * count / 4..(quarter + 1) * count / 4).map(gap).fold(0.0, f64::max);
        (0..3).all(|quarter| largest(quarter) < largest(quarter + 1))
    }
}

/// Which relations compare something that depends on the result of an iteration. Where the integration method is inlined and
/// its equations are iterated, states do.
pub(crate) fn iterated(program: &Program) -> Vec<bool> {
    let all = program.discretized.as_ref().is_some_and(|d| flow::iterates(d.factors.iter().chain(&d.steps)));
    let mut open: FxHashSet<VarId> = FxHashSet::default();
    for step in &program.dynamics {
        let mut read = FxHashSet::default();
        flow::reads(&program.pool, step, &mut read);
        if read.iter().any(|v| open.contains(v)) || flow::iterates([step]) {
            flow::writes(step, &mut open);
        }
    }
    program.relations.iter().map(|relation| all || open.contains(&relation.difference)).collect()
}

/// Relations whose change is announced for this event.
pub(crate) fn announced(machine: &Machine) -> Vec<u32> {
    let due = |timed: Option<u32>| timed.is_some_and(|i| machine.due[i as usize].is_some());
    let relations = (0..).zip(&machine.model().program.relations);
    let foreseen = |i: u32| machine.foreseen[i as usize].is_some();
    relations.filter(|(i, r)| due(r.timed) || foreseen(*i)).map(|(i, _)| i).collect()
}

impl Run {
    /// The first instant in (t0, t1] where a relation differs from its memory.
    pub(crate) fn first_crossing(&mut self, t0: f64, t1: f64) -> Result<Option<f64>, RunError> {
        let Some(mut finder) = self.finder.take() else { return Ok(None) };
        self.beyond = f64::NEG_INFINITY;
        let mut found = self.search(&mut finder, t0, t1);
        // What is zero but for rounding at the end of the run has crossed there.
        if matches!(found, Ok(None)) && t1 >= self.settings.stop {
            let machine = self.machine()?;
            let bounds: Vec<f64> = machine.roundings().collect();
            if finder.settle_near_zero(|i| bounds[self.watched[i] as usize]) {
                found = Ok(Some(t1));
            }
        }
        // Where the old sides cannot be evaluated, what is past zero by rounding has crossed.
        if matches!(found, Ok(None)) && self.beyond == t1 && finder.settle_near_zero(|_| 0.0) {
            found = Ok(Some(t1));
        }
        self.finder = Some(finder);
        found
    }

    fn search(&mut self, finder: &mut EventFinder, t0: f64, t1: f64) -> Result<Option<f64>, RunError> {
        // Steps of a model without states, or of a smooth one, say nothing about how fast its relations change.
        let interval = Some(self.settings.interval).filter(|&i| i > 0.0).unwrap_or(f64::INFINITY);
        let interval = interval.min(LONGEST_PART * self.length());
        let parts = ((t1 - t0) / interval * (1.0 - GRID)).ceil().clamp(1.0, MOST_PARTS);
        if parts == 1.0 && !self.fresh && self.passes_clear(finder, t0, t1)? {
            return Ok(None);
        }
        let part = (t1 - t0) / parts;
        let mut known = match std::mem::take(&mut self.fresh) {
            true => self.find_signs(finder, t0, part)?,
            false => Vec::new(),
        };
        if let Some((first, values)) = known.first().cloned() {
            let leaving = self.leaving(finder, t0)?;
            if !leaving.is_empty() {
                let decide = Watched { run: self, error: None, known: &mut known }.decide(&leaving);
                leaving.iter().for_each(|&i| finder.set_side(i, !finder.sides()[i]));
                if decide {
                    finder.changed_at_once(&leaving, &values);
                    return Ok(Some(first));
                }
            }
        }
        let mut instants: Vec<f64> = known.iter().map(|(t, _)| *t).collect();
        let far = 1..=parts as i32;
        instants.extend(far.map(|k| if f64::from(k) == parts { t1 } else { t0 + part * f64::from(k) }));
        let mut a = t0;
        for b in instants {
            let mut watched = Watched { run: self, error: None, known: &mut known };
            let found = finder.search_in(a, b, &mut watched);
            match (found, watched.error) {
                (Ok(None), None) => a = b,
                (Ok(t), None) => return Ok(t),
                (_, Some(e)) => return Err(e),
                (Err(e), None) => return Err(RunError::Integration(t1, Obstacle::Location(e), None)),
            }
        }
        Ok(None)
    }

    /// Does what the integrator evaluated last show that nothing has changed?
    fn passes_clear(&mut self, finder: &mut EventFinder, t0: f64, t: f64) -> Result<bool, RunError> {
        let stepper = self.solver()?.model_mut();
        if stepper.model().machine.time != t || !stepper.update_differences() {
            return Ok(false);
        }
        let mut values = std::mem::take(&mut self.differences);
        values.resize(self.watched.len(), 0.0);
        self.crossing_values(&mut values)?;
        // The error test lets a single state be off by so many tolerances.
        let state = self.settings.tolerance * (self.state.len().max(1) as f64).sqrt();
        let mut near = std::mem::take(&mut self.near);
        near.clear();
        let watched = std::mem::take(&mut self.watched);
        let machine = self.machine()?;
        near.extend(watched.iter().map(|&r| state * machine.size_of(r)));
        self.watched = watched;
        let clear = finder.pass_clear(t0, t, &values, &near);
        (self.differences, self.near) = (values, near);
        Ok(clear)
    }

    /// Gives functions that are not yet told from zero the band in which their sign says nothing: what they vary by
    /// where nothing can have changed, or up to where they begin to grow. The functions at instants close after `t0`.
    fn find_signs(
        &mut self,
        finder: &mut EventFinder,
        t0: f64,
        part: f64,
    ) -> Result<Vec<(f64, Vec<f64>)>, RunError> {
        let mut instants: Vec<f64> = (1..=CUTS as i32).map(|k| t0 + part / NEARER.powi(k)).collect();
        instants.retain(|&t| t > t0);
        instants.dedup();
        let few = FEW.min(instants.len());
        let mut known = Vec::with_capacity(instants.len());
        self.look_at(&instants[..few], &mut known)?;
        let plain = self.are_plain(finder, &known)?;
        if !plain {
            self.look_at(&instants[few..], &mut known)?;
        }
        known.reverse();
        let machine = self.machine()?;
        let roundings: Vec<f64> = machine.roundings().collect();
        let noises: Vec<f64> = (0..roundings.len() as u32).map(|r| machine.noise_of(r)).collect();
        let model = machine.model().clone();
        let mut column = Vec::with_capacity(known.len());
        for i in 0..self.watched.len() {
            column.clear();
            column.extend(known.iter().map(|(_, values)| values[i]));
            let band = finder.band(i).max(noise(&column));
            // What is iterated on may still turn back by what iterations leave open. Others do not: a ball that jumps less than
            // that high is above the ground all the same, and falls through it if nobody notices.
            let relation = self.watched[i] as usize;
            let rough = self.settings.method.is_fixed_step() && model.discretized.is_some();
            let least = if model.iterated[relation] || rough { FLOOR * roundings[relation] } else { 0.0 };
            let grown = begins_to_grow(&column).map(|size| 0.5 * size.max(2.0 * least));
            // It is on the side the event put it on, however far from there it was found.
            let behind = column.first().map_or(0.0, |&v| if finder.sides()[i] { -v } else { v });
            finder.set_band(i, grown.map_or(band, |size| band.min(size)).max(behind + noises[relation]));
        }
        Ok(known)
    }

    /// Adds the functions at some instants.
    fn look_at(&mut self, instants: &[f64], known: &mut Vec<(f64, Vec<f64>)>) -> Result<(), RunError> {
        for &t in instants {
            let mut values = vec![0.0; self.watched.len()];
            self.look(t, &mut values)?;
            known.push((t, values));
        }
        Ok(())
    }

    /// The functions at an instant. Where the model cannot be evaluated there because a relation has changed on the way, that
    /// is an event and no failure.
    pub(super) fn look(&mut self, t: f64, values: &mut [f64]) -> Result<(), RunError> {
        let outcome = self.at(t, false).and_then(|()| self.crossing_values(values));
        if outcome.is_ok() && values.iter().all(|v| !v.is_nan()) {
            return Ok(());
        }
        match self.differences_beyond(t)? {
            Some(known) => {
                self.beyond = t;
                values.copy_from_slice(&known);
            }
            None => outcome?,
        }
        Ok(())
    }

    /// Has each function left zero towards its own side, or not left it?
    fn are_plain(&mut self, finder: &EventFinder, known: &[(f64, Vec<f64>)]) -> Result<bool, RunError> {
        let watched = std::mem::take(&mut self.watched);
        let machine = self.machine()?;
        let plain = (0..watched.len()).all(|i| {
            let (positive, band) = (finder.sides()[i], finder.band(i));
            let far = PLAIN * machine.rounding_of(watched[i]);
            let left = |v: f64| (v > 0.0) == positive && v.abs() > far;
            let mut values = known.iter().map(|(_, values)| values[i]);
            values.clone().all(left) || values.all(|v| v.abs() <= band)
        });
        self.watched = watched;
        Ok(plain)
    }

    /// Functions that are positive on one side of each relation.
    pub(super) fn crossing_values(&mut self, values: &mut [f64]) -> Result<(), RunError> {
        let start = self.settings.start;
        let solver = self.solver.as_mut().ok_or_else(|| RunError::Stopped(start))?;
        let machine = &mut solver.model_mut().model_mut().machine;
        machine.differences(&self.functions, &self.watched, values);
        Ok(())
    }

    /// The relations the last search found to change.
    pub(crate) fn crossed(&self) -> Vec<u32> {
        if self.settings.events_at_steps {
            return self.changed.clone();
        }
        self.finder.iter().flat_map(|f| f.crossings()).map(|c| self.watched[c.index]).collect()
    }

    /// Relations that crossed take the side they went to.
    pub(crate) fn flip(&mut self, t: f64) -> Result<(), RunError> {
        let crossed = self.crossed();
        let folded = self.chatter.folds(t, &crossed);
        let machine = self.machine()?;
        let model = machine.model().clone();
        for &r in &crossed {
            let value = &mut machine.values[model.program.relations[r as usize].variable.index()];
            *value = 1.0 - *value;
        }
        machine.crossed = crossed;
        machine.folded = folded;
        Ok(())
    }

    /// What is known of rounding where a step begins.
    pub(super) fn keep_bands(&mut self) {
        self.bands.clear();
        let finder = self.finder.iter();
        self.bands.extend(finder.flat_map(|finder| (0..finder.sides().len()).map(|i| finder.band(i))));
    }

    /// Goes on watching from the current values, which are those where the step began: what was known of rounding there is kept.
    pub(super) fn watch_again(&mut self) -> Result<(), RunError> {
        let Some(mut finder) = self.finder.take() else { return Ok(()) };
        let mut values = vec![0.0; self.watched.len()];
        self.crossing_values(&mut values)?;
        finder.start(&values);
        let watched = std::mem::take(&mut self.watched);
        let bands = std::mem::take(&mut self.bands);
        let machine = self.machine()?;
        let model = machine.model().clone();
        for (i, (&r, &band)) in watched.iter().zip(&bands).enumerate() {
            let relation = &model.program.relations[r as usize];
            let holds = machine.values[relation.variable.index()] != 0.0;
            finder.set_side(i, holds != relation.or_equal);
            finder.set_band(i, band);
        }
        self.watched = watched;
        self.finder = Some(finder);
        Ok(())
    }

    /// Starts watching from the current values, with each relation on the side it is held at.
    pub(crate) fn watch(&mut self) -> Result<(), RunError> {
        if self.watched.is_empty() {
            return Ok(());
        }
        self.find_roundings()?;
        let mut values = vec![0.0; self.watched.len()];
        self.crossing_values(&mut values)?;
        let mut finder = self.finder.take().unwrap_or_else(|| EventFinder::new(values.len()));
        finder.start(&values);
        let watched = std::mem::take(&mut self.watched);
        let crossed = std::mem::take(&mut self.just_crossed);
        let machine = self.machine()?;
        let model = machine.model().clone();
        for (i, &r) in watched.iter().enumerate() {
            let relation = &model.program.relations[r as usize];
            let holds = machine.values[relation.variable.index()] != 0.0;
            finder.set_side(i, holds != relation.or_equal);
            let rounding = machine.rounding_of(r);
            // What is found at the edge of the band is to count as zero in its event, and behind that.
            let band = AT_EDGE * rounding;
            if values[i].abs() <= band || crossed.contains(&r) && values[i].abs() <= rounding {
                finder.set_band(i, band.max(values[i].abs()));
            }
        }
        let at_zero = (0..watched.len()).any(|i| finder.band(i) > 0.0);
        self.watched = watched;
        self.finder = Some(finder);
        self.note_departure(at_zero)
    }
}

/// The relations of a run as functions.
struct Watched<'a> {
    run: &'a mut Run,
    error: Option<RunError>,
    /// Values that were looked at before, and hold until a relation takes another side.
    known: &'a mut Vec<(f64, Vec<f64>)>,
}

impl Functions for Watched<'_> {
    fn evaluate(&mut self, t: f64, values: &mut [f64]) -> Result<(), ModelError> {
        if let Some((_, known)) = self.known.iter().find(|(at, _)| *at == t) {
            values.copy_from_slice(known);
            return Ok(());
        }
        self.run.look(t, values).map_err(|e| {
            self.error = Some(e);
            ModelError::fatal("the model cannot be evaluated")
        })
    }

    fn decide(&mut self, changed: &[usize]) -> bool {
        let relations: Vec<u32> = changed.iter().map(|&i| self.run.watched[i]).collect();
        let Some(solver) = self.run.solver.as_mut() else { return true };
        let machine = &mut solver.model_mut().model_mut().machine;
        let model = machine.model().clone();
        if model.relevance.recall(&mut self.run.answers, &model.program, &machine.values, &relations) {
            return true;
        }
        self.known.clear();
        for r in relations {
            let value = &mut machine.values[model.program.relations[r as usize].variable.index()];
            *value = 1.0 - *value;
        }
        false
    }
}

/// How far past zero a function may be by rounding alone, given at ever larger distances from an event: some times
/// what it varies by at the nearest of them. Zero where it is plainly not zero.
fn noise(values: &[f64]) -> f64 {
    const NEAREST: usize = 6;
    const TIMES: f64 = 8.0;
    let near = &values[..NEAREST.min(values.len())];
    let (low, high) =
        near.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(*v), h.max(*v)));
    let spread = TIMES * (high - low);
    if low <= spread && high >= -spread { spread } else { 0.0 }
}

/// By how much a function, given at ever larger distances from an event, has changed when the change is more than
/// rounding: it grows from one distance to the next.
fn begins_to_grow(values: &[f64]) -> Option<f64> {
    let (&first, rest) = values.split_first()?;
    let changes: Vec<f64> = rest.iter().map(|v| v - first).collect();
    let grows = |w: &[f64]| (w[0] > 0.0) == (w[1] > 0.0) && w[0] != 0.0 && w[1].abs() >= GROWTH * w[0].abs();
    let leaves = |run: &&[f64]| run.windows(2).all(grows);
    changes.windows(GROWING).find(leaves).map(|run| run[GROWING - 1].abs())
}

#[cfg(test)]
mod tests {
    use super::{Chatter, begins_to_grow, noise};

    /// Is a pile of events with these distances noticed in a run of length 10, before the clock cannot tell them apart?
    fn piles(distances: impl Iterator<Item = f64>, relations: u32) -> bool {
        let mut chatter = Chatter::new();
        let mut t = 1.0;
        (0..12_000).zip(distances).any(|(k, distance)| {
            t += distance;
            distance > 1e-13 && chatter.count(t, 10.0, &[k % relations])
        })
    }

    /// A ball leaves and comes back: two events a bounce, which takes this part of the time of the one before.
    fn bounces(ratio: f64) -> impl Iterator<Item = f64> {
        (0..).map(move |k| 0.1 * ratio.powi(k / 2) * if k % 2 == 0 { 1e-3 } else { 1.0 })
    }

    #[test]
    fn events_that_come_to_a_limit_are_noticed_and_regular_ones_are_not() {
        for ratio in [0.3_f64, 0.5, 0.7, 0.79, 0.9, 0.97] {
            assert!(piles(bounces(ratio), 1), "{ratio}");
        }
        assert!(!piles((0..).map(|_| 1e-6), 1));
        assert!(!piles((0..).map(|_| 2e-9), 1));
        assert!(piles((0..).map(|_| 0.9e-9), 1));
        assert!(piles((0..60).map(|_| 1.5e-12), 1));
    }

    /// Few bounces are left to see where each takes a tenth of the time of the one before; that many events of several relations
    /// may come as close to each other by chance.
    #[test]
    fn few_events_are_enough_where_they_are_of_one_relation() {
        for ratio in [0.03, 0.1] {
            assert!(piles(bounces(ratio), 1), "{ratio}");
            assert!(!piles(bounces(ratio), 3), "{ratio}");
        }
    }

    /// Many events close to each other, a pause, some more, and then on.
    #[test]
    fn bursts_of_events_pass() {
        let pause = |k: i32| match k {
            0 => 1e-3,
            1 => 5e-6,
            13 => 1e-7,
            2..28 => 2e-12,
            _ => 1e-3,
        };
        assert!(!piles((0..).map(pause), 1));
    }

    /// A run of length 1: a thousand million events are too many, a hundred million are not.
    #[test]
    fn events_known_in_advance_may_be_too_many() {
        let floods = |distance: f64| {
            let mut chatter = Chatter::new();
            (1..300_000).any(|k| chatter.count_known(f64::from(k) * distance, 1.0))
        };
        assert!(floods(5e-11));
        assert!(!floods(1e-8));
    }

    #[test]
    fn growth_is_told_from_rounding() {
        assert_eq!(begins_to_grow(&[1e-16, -2e-16, 1e-16, 0.0, 1e-16]), None);
        assert_eq!(begins_to_grow(&[1e-16, -1e-16, -1e-15, -2e-14, -3e-13]), Some(2e-14 + 1e-16));
        assert_eq!(noise(&[1.0, 1.0 + 1e-15, 1.0 - 1e-15, 1.0]), 0.0);
        assert_eq!(noise(&[1e-15, -1e-15, 0.0, 1e-15]), 16e-15);
        assert_eq!(begins_to_grow(&[0.0, 0.0, 1e-18, 1e-16, 1e-14]), Some(1e-14));
        let offset = [-5.749e-21, -5.787e-21, -6.460e-21, -1.719e-20, -1.836e-19];
        assert!(begins_to_grow(&offset).is_some_and(|change| change < 2e-20));
    }
}
