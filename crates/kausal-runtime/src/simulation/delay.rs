//! The past of delayed expressions: `delay(expression, delay, maximum)` (specification section 3.7.4.1).
//!
//! Each delayed expression is kept at the ends of steps and at instants inside them, so many that cubics through four
//! neighbours are as exact as the tolerance asks for, as far back as the largest delay. Events split its past: no cubic
//! reaches over one. Where the expression or its slope jumps, that arrives as an event of its own when the delay has
//! passed, and so on through delays of what is delayed. Steps are not longer
//! than the shortest delay, so that what is read lies in the past; only where that would take too many steps is the
//! last cubic continued. What is delayed by nothing is itself, found by
//! repetition.

use kausal_symbolic::VarId;
use serde::{Deserialize, Serialize};

use crate::machine::{Machine, Stop};
use crate::tolerances::{GRID, has_moved, is_same_instant};

/// Instants inside each step that are kept besides its end.
pub(crate) const INSIDE: usize = 3;
/// So many times more where the expression bends, at most.
pub(crate) const MOST_TIMES: f64 = 32.0;
/// Steps are at least this part of the run, however short a delay is.
const SHORTEST: f64 = 1e-5;

/// The past of all delayed expressions.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Histories {
    pasts: Vec<Past>,
    /// Delay and maximum of each, as computed last.
    times: Vec<f64>,
    /// Where integration last began: there the past is read behind a jump, later before it.
    begun: f64,
    /// Room for new delays while they are compared with the old.
    again: Vec<f64>,
    /// So far the last cubic may be continued.
    continued: f64,
}

/// The past of one expression.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Past {
    /// Instants, ascending; a jump has its instant twice.
    instants: Vec<f64>,
    values: Vec<f64>,
    /// Where the past was split last, as a place of the first instant behind, until it is known whether the slope jumps.
    split: Option<usize>,
}

impl Histories {
    /// Before the start everything had the value it has now.
    pub(crate) fn start(machine: &mut Machine) -> Histories {
        let model = machine.model().clone();
        let count = model.program.delays.len();
        let mut histories =
            Histories { times: vec![0.0; 2 * count], again: vec![0.0; 2 * count], ..Histories::default() };
        histories.pasts.resize_with(count, Past::default);
        histories.begun = machine.time;
        if count > 0 {
            machine.evaluate(model.delay_times, &mut histories.times);
        }
        histories.keep(machine);
        // Before the start nothing has moved.
        histories.pasts.iter_mut().for_each(|past| past.split = Some(0));
        histories
    }

    /// How many instants there are of each, to come back to.
    pub(crate) fn lengths(&self) -> Vec<usize> {
        self.pasts.iter().map(|past| past.instants.len()).collect()
    }

    /// Forgets what was kept after that.
    pub(crate) fn shorten(&mut self, lengths: &[usize]) {
        for (past, &length) in self.pasts.iter_mut().zip(lengths) {
            past.instants.truncate(length);
            past.values.truncate(length);
        }
    }

    /// How many times more instants the last step, kept at equal distances, should have for this tolerance.
    pub(crate) fn refinement(&self, machine: &Machine, tolerance: f64) -> usize {
        let program = &machine.model().program;
        let wanted = self.pasts.iter().zip(&program.delays).map(|(past, delay)| {
            let size = past.values.last().map_or(0.0, |v| v.abs());
            let size = size.max(program.variables[delay.input.index()].nominal);
            (past.error_of_last() / (tolerance * size)).powf(0.25)
        });
        wanted.fold(1.0, f64::max).min(MOST_TIMES).ceil() as usize
    }

    /// The step behind an event has been kept: where slopes have jumped there, `arrive` is told when that arrives.
    pub(crate) fn settle(&mut self, machine: &Machine, tolerance: f64, mut arrive: impl FnMut(f64)) {
        const FEW: usize = 3;
        let program = &machine.model().program;
        let few = self.pasts.len() <= FEW;
        for (i, (past, delay)) in self.pasts.iter_mut().zip(&program.delays).enumerate() {
            let Some(split) = past.split.take() else { continue };
            let size = past.values.last().map_or(0.0, |v| v.abs());
            let size = size.max(program.variables[delay.input.index()].nominal);
            let Some(&t) = past.instants.get(split) else { continue };
            let ((behind, error), (before, other)) = (past.slope(split, 1), past.slope(split, -1));
            let (jump, delayed) = ((behind - before).abs(), self.times[2 * i]);
            // What the longest step would be wrong by, where it is more than the slopes may be wrong by.
            let felt = jump * delayed > tolerance * size && jump > error + other;
            if !felt {
                continue;
            }
            arrive(t + delayed);
            // What is integrated there has a jump of its curvature, which arrives later still.
            if few {
                self.times.iter().step_by(2).for_each(|later| arrive(t + delayed + later));
            }
        }
    }

    /// Is there nothing to do?
    pub(crate) fn is_empty(&self) -> bool {
        self.pasts.is_empty()
    }

    /// Adds the current values.
    pub(crate) fn keep(&mut self, machine: &Machine) {
        let model = machine.model().clone();
        for (past, delay) in self.pasts.iter_mut().zip(&model.program.delays) {
            past.push(machine.time, machine.values[delay.input.index()]);
        }
    }

    /// Ends the past at the machine's instant with its values: what was kept of later instants never was.
    pub(crate) fn end_at(&mut self, machine: &Machine) {
        self.pasts.iter_mut().for_each(|past| past.end_at(machine.time));
        self.keep(machine);
    }

    /// Forgets what no delay reaches from `now` on.
    pub(crate) fn forget(&mut self, now: f64) {
        for (past, times) in self.pasts.iter_mut().zip(self.times.chunks(2)) {
            past.forget(now - times[0].max(times[1]));
        }
    }

    /// An event is over and integration begins anew: jumps are kept, and `arrive` is told when they arrive.
    pub(crate) fn begin(&mut self, machine: &Machine, mut arrive: impl FnMut(f64)) {
        let model = machine.model().clone();
        self.begun = machine.time;
        for (i, (past, delay)) in self.pasts.iter_mut().zip(&model.program.delays).enumerate() {
            let value = machine.values[delay.input.index()];
            let jumps = past.values.last() != Some(&value);
            if jumps || past.instants.last() == Some(&machine.time) {
                past.instants.push(machine.time);
                past.values.push(value);
            }
            match jumps {
                true => arrive(machine.time + self.times[2 * i]),
                false => past.split = Some(past.instants.len() - 1),
            }
        }
    }

    /// From here on the past is read behind the jumps that arrive now.
    pub(crate) fn turn(&mut self, now: f64) {
        self.begun = now;
    }

    /// Gives the delayed variables their values at the machine's instant, with the delays as they are.
    pub(crate) fn read(&mut self, machine: &mut Machine) {
        let model = machine.model().clone();
        let now = machine.time;
        let behind = now <= self.begun || is_same_instant(now, self.begun);
        for (i, (past, delay)) in self.pasts.iter().zip(&model.program.delays).enumerate() {
            let delayed = self.times[2 * i];
            machine.values[delay.variable.index()] = if delayed == 0.0 {
                machine.values[delay.input.index()]
            } else {
                past.at(now - delayed.max(0.0), behind)
            };
        }
    }

    /// Computes the delays from the machine's values; did one change, or what is not delayed at all?
    pub(crate) fn update_times(&mut self, machine: &mut Machine) -> bool {
        let model = machine.model().clone();
        machine.evaluate(model.delay_times, &mut self.again);
        // Instants are not known better than this.
        let rounding = 4.0 * f64::EPSILON * machine.time.abs();
        let differs = |(a, b): (&f64, &f64)| {
            let distance = (a - b).abs();
            distance.is_nan() || distance > rounding + 4.0 * f64::EPSILON * b.abs()
        };
        let mut changed = self.again.iter().zip(&self.times).any(differs);
        std::mem::swap(&mut self.again, &mut self.times);
        let delays = model.program.delays.iter().zip(self.times.chunks(2));
        for (delay, _) in delays.filter(|(_, times)| times[0] == 0.0) {
            let value = |v: VarId| machine.values[v.index()];
            let (input, shown) = (value(delay.input), value(delay.variable));
            changed |= has_moved(input, shown);
        }
        changed
    }

    /// Is every delay between zero and its maximum?
    pub(crate) fn check(&self, machine: &Machine) -> Result<(), Stop> {
        for (times, delay) in self.times.chunks(2).zip(&machine.model().program.delays) {
            let (delayed, most) = (times[0], times[1]);
            let slack = GRID * most.abs().max(delayed.abs()) + f64::EPSILON * machine.time.abs();
            if delayed < -slack || delayed > most + slack || delayed.is_nan() {
                let what = &machine.model().program.variables[delay.variable.index()].description;
                let said = if delayed < -slack {
                    format!(
                        "the delay time of {what} is {delayed}; what must hold is that it is not negative"
                    )
                } else {
                    format!(
                        "the delay time of {what} is {delayed}; what must hold is that it is at most {most}"
                    )
                };
                return Err(Stop::Assertion(said.into()));
            }
        }
        Ok(())
    }

    /// Is everything that is read now known? Of delays that are too short for steps of their length the last cubic goes on.
    pub(crate) fn is_known(&self, now: f64) -> bool {
        let mut read = self.pasts.iter().zip(self.times.chunks(2)).filter(|(_, times)| times[0] > 0.0);
        read.all(|(past, times)| {
            let (at, last) = (now - times[0], past.instants.last().copied().unwrap_or(f64::INFINITY));
            at <= last + self.continued || is_same_instant(at, last)
        })
    }

    /// The longest step that keeps within the past, in a run of this length.
    pub(crate) fn longest_step(&mut self, length: f64) -> f64 {
        self.continued = SHORTEST * length;
        let delays = self.times.iter().step_by(2).copied().filter(|&delay| delay != 0.0);
        let shortest = delays.fold(f64::INFINITY, f64::min);
        shortest.max(SHORTEST * length)
    }
}

impl Past {
    fn push(&mut self, instant: f64, value: f64) {
        if self.instants.last().is_none_or(|&last| instant > last) {
            self.instants.push(instant);
            self.values.push(value);
        }
    }

    fn end_at(&mut self, instant: f64) {
        let known = self.instants.partition_point(|&t| t <= instant);
        self.instants.truncate(known);
        self.values.truncate(known);
        self.split = self.split.filter(|&split| split < known);
    }

    /// Drops what lies before `oldest`, but for the neighbours of a cubic; now and then, not each time.
    fn forget(&mut self, oldest: f64) {
        const NEIGHBOURS: usize = 4;
        let unused = self.instants.partition_point(|&t| t < oldest).saturating_sub(NEIGHBOURS);
        if unused > self.instants.len() / 2 && self.split.is_none() {
            self.instants.drain(..unused);
            self.values.drain(..unused);
        }
    }

    /// The value at `t`; at a jump that before it, or the one `behind` it.
    fn at(&self, t: f64, behind: bool) -> f64 {
        let (Some(&first), Some(&last)) = (self.instants.first(), self.values.last()) else { return 0.0 };
        if t <= first && !(behind && is_same_instant(t, first)) {
            return self.values[0];
        }
        let mut right = if behind {
            self.instants.partition_point(|&k| k <= t || is_same_instant(k, t))
        } else {
            self.instants.partition_point(|&k| k < t && !is_same_instant(k, t))
        };
        right = right.clamp(1, self.instants.len());
        if right == self.instants.len() {
            // Later than anything kept: the last piece goes on.
            right -= 1;
            if right > 0 && self.instants[right] == self.instants[right - 1] {
                if self.values[right] != self.values[right - 1] {
                    return last;
                }
                right -= 1;
            }
            if right == 0 || self.instants[right] == self.instants[right - 1] {
                return last;
            }
        }
        self.cubic(right, t)
    }

    /// The error of cubics in the last step, of which there are [`INSIDE`] instants at equal distances: as its middle
    /// differs from the cubic through the others, which is four times as much as that of a cubic at the end of a piece.
    fn error_of_last(&self) -> f64 {
        const { assert!(INSIDE == 3) };
        let Some(&[a, b, middle, c, d]) = self.values.last_chunk::<5>() else { return 0.0 };
        (middle - (4.0 * (b + c) - a - d) / 6.0).abs() / 4.0
    }

    /// The slope at an instant, of what lies behind it (1) or before it (-1), by up to four instants, and how much it may be wrong:
    /// as much as it differs from that by one instant less. None where nothing is known.
    fn slope(&self, at: usize, direction: i32) -> (f64, f64) {
        const POINTS: usize = 4;
        let mut points: Vec<usize> = vec![at];
        let mut k = at;
        // The twin of the instant, before it.
        if direction < 0 {
            if at == 0 {
                return (0.0, 0.0);
            }
            k -= 1;
            points[0] = k;
        }
        while points.len() < POINTS {
            let Some(next) = k.checked_add_signed(direction as isize).filter(|&n| n < self.instants.len())
            else {
                break;
            };
            if self.instants[next] == self.instants[k] {
                break;
            }
            points.push(next);
            k = next;
        }
        let slope = self.lagrange_slope(&points);
        let fewer = points.len() > 2;
        let error =
            if fewer { (slope - self.lagrange_slope(&points[..points.len() - 1])).abs() } else { 0.0 };
        (slope, error)
    }

    /// The derivative of Lagrange's polynomial at the first point.
    fn lagrange_slope(&self, points: &[usize]) -> f64 {
        let (t, v) = (self.instants[points[0]], self.values[points[0]]);
        let mut slope = 0.0;
        for &i in &points[1..] {
            let mut weight = 1.0 / (self.instants[i] - t);
            for &j in points[1..].iter().filter(|&&j| j != i) {
                weight *= (t - self.instants[j]) / (self.instants[i] - self.instants[j]);
            }
            slope += weight * (self.values[i] - v);
        }
        slope
    }

    /// The polynomial through up to four neighbours of the interval that ends at `right`, on one side of all jumps.
    fn cubic(&self, right: usize, t: f64) -> f64 {
        let left = right - 1;
        if self.instants[left] == self.instants[right] {
            return self.values[right];
        }
        let joined = |k: usize| self.instants[k] != self.instants[k + 1];
        let mut from = left;
        while from > 0 && left - from < 2 && joined(from - 1) {
            from -= 1;
        }
        let mut to = right;
        while to + 1 < self.instants.len() && to - right < 2 && joined(to) {
            to += 1;
        }
        // One neighbour on each side; two on one side where the other has none.
        while to - from > 3 {
            if left - from > to - right { from += 1 } else { to -= 1 }
        }
        // Differences from one of them, so that a constant is read as it is.
        let base = self.values[left];
        let mut sum = base;
        for i in from..=to {
            let mut weight = 1.0;
            for j in (from..=to).filter(|&j| j != i) {
                weight *= (t - self.instants[j]) / (self.instants[i] - self.instants[j]);
            }
            sum += weight * (self.values[i] - base);
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn past(points: &[(f64, f64)]) -> Past {
        let mut past = Past::default();
        for &(t, v) in points {
            past.instants.push(t);
            past.values.push(v);
        }
        past
    }

    #[test]
    fn a_cubic_is_read_exactly() {
        let f = |t: f64| 1.0 + t * (2.0 - t * (3.0 - 0.5 * t));
        let past = past(&[0.0, 0.3, 0.5, 1.1, 1.4, 2.0].map(|t| (t, f(t))));
        for t in [0.1, 0.3, 0.45, 0.9, 1.3, 1.99, 2.0] {
            assert!((past.at(t, false) - f(t)).abs() < 1e-12, "{t}: {}", past.at(t, false));
        }
        assert_eq!(past.at(-5.0, false), f(0.0));
    }

    #[test]
    fn nothing_reaches_over_a_jump() {
        let past = past(&[(0.0, 1.0), (1.0, 1.0), (2.0, 1.0), (2.0, 5.0), (3.0, 6.0), (4.0, 7.0)]);
        assert_eq!(past.at(1.9, false), 1.0);
        assert_eq!(past.at(2.0, false), 1.0);
        assert_eq!(past.at(2.0, true), 5.0);
        assert!((past.at(2.5, false) - 5.5).abs() < 1e-14);
    }

    #[test]
    fn slopes_on_both_sides_of_a_split() {
        let past = past(&[(0.0, 0.0), (0.5, 0.25), (1.0, 1.0), (1.0, 1.0), (1.2, 0.6), (1.5, 0.0)]);
        assert!((past.slope(3, -1).0 - 2.0).abs() < 1e-14, "of t²");
        assert!((past.slope(3, 1).0 + 2.0).abs() < 1e-14, "of a line");
        assert_eq!(past.slope(0, -1).0, 0.0, "nothing moved before the start");
    }

    /// Of t⁴ with instants a quarter apart the cubic at the end of a piece is wrong by at most (1/4)⁴.
    #[test]
    fn the_error_of_cubics() {
        let past = past(&[0.0, 0.25, 0.5, 0.75, 1.0].map(|t: f64| (t, t.powi(4))));
        assert!((past.error_of_last() - 0.25f64.powi(4)).abs() < 1e-15);
    }

    #[test]
    fn the_distant_past_is_forgotten() {
        let mut past = Past::default();
        for k in 0..10_000 {
            past.push(f64::from(k), 0.0);
            past.forget(f64::from(k) - 10.0);
        }
        assert!(past.instants.len() < 50, "{}", past.instants.len());
    }
}
