//! The past of delayed expressions: `delay(expression, delay, maximum)` (specification section 3.7.4.1).
//!
//! Each delayed expression is kept at the ends of steps and at a few instants inside them, as far back as the
//! largest delay, and read by a cubic through four neighbours. A jump of the expression at an event splits its past:
//! no cubic reaches over it, and it arrives as an event of its own when the delay has passed. Steps are not longer
//! than the shortest delay, so that what is read lies in the past; only where that would take too many steps is the
//! last cubic continued. What is delayed by nothing is itself, found by
//! repetition.

use kausal_symbolic::VarId;

use crate::machine::{Machine, Stop};
use crate::simulation::schedule::is_same_instant;

/// Instants inside each step that are kept besides its end.
pub(crate) const INSIDE: usize = 3;
/// Steps are at least this part of the run, however short a delay is.
const SHORTEST: f64 = 1e-5;

/// The past of all delayed expressions.
#[derive(Debug, Default)]
pub(crate) struct Histories {
    pasts: Vec<Past>,
    /// Delay and maximum of each, as computed last.
    times: Vec<f64>,
    /// Where integration last began: there the past is read behind a jump, later before it.
    begun: f64,
    /// Room for new delays while they are compared with the old.
    again: Vec<f64>,
}

/// The past of one expression.
#[derive(Debug, Default)]
struct Past {
    /// Instants, ascending; a jump has its instant twice.
    instants: Vec<f64>,
    values: Vec<f64>,
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
        histories
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
            if past.values.last() != Some(&value) {
                past.instants.push(machine.time);
                past.values.push(value);
                arrive(machine.time + self.times[2 * i]);
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
        let mut changed = self.again != self.times;
        std::mem::swap(&mut self.again, &mut self.times);
        let delays = model.program.delays.iter().zip(self.times.chunks(2));
        for (delay, _) in delays.filter(|(_, times)| times[0] == 0.0) {
            let value = |v: VarId| machine.values[v.index()];
            let (input, shown) = (value(delay.input), value(delay.variable));
            changed |= (input - shown).abs() > 1e-12 * input.abs().max(shown.abs());
        }
        changed
    }

    /// Is every delay between zero and its maximum?
    pub(crate) fn check(&self, machine: &Machine) -> Result<(), Stop> {
        const ROUNDING: f64 = 1e-9;
        for (times, delay) in self.times.chunks(2).zip(&machine.model().program.delays) {
            let (delayed, most) = (times[0], times[1]);
            let slack = ROUNDING * most.abs().max(delayed.abs()) + f64::EPSILON * machine.time.abs();
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
                return Err(Stop::Assertion(said));
            }
        }
        Ok(())
    }

    /// The longest step that keeps within the past, in a run of this length.
    pub(crate) fn longest_step(&self, length: f64) -> f64 {
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

    /// Drops what lies before `oldest`, but for the neighbours of a cubic; now and then, not each time.
    fn forget(&mut self, oldest: f64) {
        const NEIGHBOURS: usize = 4;
        let unused = self.instants.partition_point(|&t| t < oldest).saturating_sub(NEIGHBOURS);
        if unused > self.instants.len() / 2 {
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
            if right == 0 || self.instants[right] == self.instants[right - 1] {
                return last;
            }
        }
        self.cubic(right, t)
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
    fn the_distant_past_is_forgotten() {
        let mut past = Past::default();
        for k in 0..10_000 {
            past.push(f64::from(k), 0.0);
            past.forget(f64::from(k) - 10.0);
        }
        assert!(past.instants.len() < 50, "{}", past.instants.len());
    }
}
