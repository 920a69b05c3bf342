//! What a run knows in advance: when conditions of time alone change, and how long steps may be beside what turns.
//!
//! See [`foresight`](crate::foresight). Instants are found behind each event, for what a condition compares with may have changed
//! there; in between nothing can change them.

use kausal_symbolic::VarId;
use kausal_symbolic::time_function::{Change, Enclosure};

use super::schedule::is_same_instant;
use crate::machine::Machine;

/// Steps in a period of what reaches a state: every pulse that lasts this part of a period meets the end of a step; what is
/// shorter shows inside steps (`defect`).
const STEPS_PER_PERIOD: f64 = 8.0;

/// The next instants.
#[derive(Debug, Default)]
pub(crate) struct Foreseen {
    /// When each relation of time changes next, or when to look again.
    next: Vec<f64>,
    /// Does it change then?
    changes: Vec<bool>,
    /// What each of them read when that was found.
    inputs: Vec<Vec<u64>>,
    /// Time is told apart by this.
    resolution: f64,
    stop: f64,
}

impl Foreseen {
    /// For a run between two instants.
    pub(crate) fn new(machine: &Machine, start: f64, stop: f64) -> Foreseen {
        let count = machine.model().foresight.relations.len();
        Foreseen {
            next: vec![f64::NEG_INFINITY; count],
            changes: vec![false; count],
            inputs: vec![Vec::new(); count],
            resolution: 2.0 * f64::EPSILON * start.abs().max(stop.abs()),
            stop,
        }
    }

    /// Looks for the next instants after `now`, where those that are known no longer hold.
    pub(crate) fn look_ahead(&mut self, machine: &Machine, now: f64) {
        let model = machine.model().clone();
        let held = |v: VarId| machine.values[v.index()];
        for (i, (relation, function)) in model.foresight.relations.iter().enumerate().take(self.next.len()) {
            let relation = &model.program.relations[*relation as usize];
            let side = machine.values[relation.variable.index()];
            let inputs: Vec<u64> = function.held().map(held).chain([side]).map(f64::to_bits).collect();
            let passed = self.next[i] <= now || is_same_instant(self.next[i], now);
            if !passed && inputs == self.inputs[i] {
                continue;
            }
            let change =
                function.first_change(now, self.stop, side != 0.0, relation.or_equal, self.resolution, &held);
            (self.next[i], self.changes[i]) = match change {
                Change::At(t) => (t.max(now + self.resolution), true),
                Change::None => (f64::INFINITY, false),
                Change::NoneUntil(t) => (t, false),
            };
            self.inputs[i] = inputs;
        }
    }

    /// The first instant.
    pub(crate) fn next(&self) -> f64 {
        self.next.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// Tells the machine which relations change at its instant, and to what.
    pub(crate) fn mark_due(&self, machine: &mut Machine) {
        let model = machine.model().clone();
        let now = machine.time;
        for (i, (relation, _)) in model.foresight.relations.iter().enumerate().take(self.next.len()) {
            if self.changes[i] && is_same_instant(self.next[i], now) {
                let variable = model.program.relations[*relation as usize].variable;
                machine.foreseen[*relation as usize] = Some(machine.values[variable.index()] == 0.0);
            }
        }
    }
}

/// How long steps may be beside periodic signals.
#[derive(Debug, Default)]
pub(crate) struct Periods {
    /// How far each signal ranges in the whole run.
    ranges: Vec<f64>,
    tolerance: f64,
    stop: f64,
    room: Vec<Enclosure>,
}

impl Periods {
    pub(crate) fn new(machine: &Machine, start: f64, stop: f64, tolerance: f64) -> Periods {
        let held = |v: VarId| machine.values[v.index()];
        let signals = machine.model().foresight.signals.iter();
        let ranges = signals.map(|signal| width(signal.enclose(start, stop, &held))).collect();
        Periods { ranges, tolerance, stop, room: Vec::new() }
    }

    /// The longest step from `now`. A signal that will stay within the tolerance, measured by its range, turns for nobody.
    pub(crate) fn longest_step(&mut self, machine: &Machine, now: f64) -> f64 {
        let held = |v: VarId| machine.values[v.index()];
        let mut longest = f64::INFINITY;
        for (signal, range) in machine.model().foresight.signals.iter().zip(&mut self.ranges) {
            let rest = width(signal.enclose_in(now, self.stop, &held, &mut self.room));
            // Discrete variables may have made it larger since.
            *range = range.max(rest);
            if rest > self.tolerance * *range {
                longest = longest.min(signal.shortest_period(now, &held, &mut self.room) / STEPS_PER_PERIOD);
            }
        }
        longest
    }
}

fn width(enclosure: Enclosure) -> f64 {
    enclosure.value.high - enclosure.value.low
}
