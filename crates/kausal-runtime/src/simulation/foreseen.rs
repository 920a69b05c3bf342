//! What a run knows in advance: when conditions of time alone change, and how long steps may be beside what turns.
//!
//! See [`foresight`](crate::foresight). Instants are found behind each event, for what a condition compares with may have changed
//! there; in between nothing can change them.

use kausal_symbolic::VarId;
use kausal_symbolic::time_function::{Change, Enclosure};
use serde::{Deserialize, Serialize};

use crate::compiled_model::CompiledModel;
use crate::machine::Machine;
use crate::tolerances::is_same_instant;

/// Steps in a period of what reaches a state: every pulse that lasts this part of a period meets the end of a step; what is
/// shorter shows inside steps (`defect`).
const STEPS_PER_PERIOD: f64 = 8.0;

/// In one step the shape of a signal passes through no more than this part of its range: a bump has four steps on each side.
const PART_OF_RANGE: f64 = 0.25;
/// What moves at most so many times as fast as at the beginning of a step is no surprise for its error estimate.
const FORESEEABLE: f64 = 4.0;
/// A jump of a signal is in a step of this part of the run.
const SHORTEST_CALM: f64 = 1e-9;
const MAX_RESTLESS: u32 = 8;

/// The next instants.
#[derive(Debug, Default, Serialize, Deserialize)]
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

    /// The run goes on to a later end: all is looked for again.
    pub(crate) fn extend_to(&mut self, stop: f64) {
        self.resolution = self.resolution.max(2.0 * f64::EPSILON * stop.abs());
        self.stop = stop;
        self.next.fill(f64::NEG_INFINITY);
    }

    /// Is this what there is to say of a model?
    pub(crate) fn fits(&self, model: &CompiledModel) -> bool {
        let count = model.foresight.relations.len();
        self.next.len() == count && self.changes.len() == count && self.inputs.len() == count
    }

    /// Where whoever carries the run on has come past its end, or changes that: instants are known up to another one.
    pub(crate) fn reach(&mut self, now: f64, length: f64) {
        if now >= self.stop {
            self.extend_to(now + length);
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

    /// The first instant, given another event at `due`. Where several relations change at the same instant but for rounding, it is
    /// the last of theirs: all have changed there, and what jumps with a relation is computed as it is behind it.
    pub(crate) fn next(&self, due: f64) -> f64 {
        let first = self.next.iter().copied().fold(due, f64::min);
        let together = |i: &usize| self.changes[*i] && is_same_instant(self.next[*i], first);
        (0..self.next.len()).filter(together).fold(first, |last, i| last.max(self.next[i]))
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

/// How long steps may be beside signals that are known in advance.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Signals {
    /// How far each signal ranges in the whole run, and each of its shapes, with its place.
    ranges: Vec<(f64, Vec<Shape>)>,
    /// Up to here no shape passes through more than a part of its range.
    calm_until: f64,
    tolerance: f64,
    start: f64,
    stop: f64,
    /// Steps in a row in which a signal would not calm down.
    restless: u32,
    #[serde(skip)]
    room: Vec<Enclosure>,
}

/// A function in a signal that is no straight line.
#[derive(Debug, Serialize, Deserialize)]
struct Shape {
    /// Its place among the parts of the signal.
    place: usize,
    /// How far it ranges in the whole run.
    range: f64,
    /// How fast it moves where the step begins.
    speed: f64,
}

impl Signals {
    pub(crate) fn new(machine: &Machine, start: f64, stop: f64, tolerance: f64) -> Signals {
        let signals = machine.model().foresight.signals.iter();
        let ranges = signals
            .map(|s| (0.0, s.shapes().map(|place| Shape { place, range: 0.0, speed: 0.0 }).collect()))
            .collect();
        let calm_until = f64::NEG_INFINITY;
        let mut all = Signals { ranges, calm_until, tolerance, start, stop, restless: 0, room: Vec::new() };
        all.look_ahead(machine, start);
        all
    }

    /// What was constant may have changed: signals may range farther from `now` on than was known.
    pub(crate) fn look_ahead(&mut self, machine: &Machine, now: f64) {
        let held = |v: VarId| machine.values[v.index()];
        self.calm_until = f64::NEG_INFINITY;
        for (signal, (range, shapes)) in machine.model().foresight.signals.iter().zip(&mut self.ranges) {
            *range = range.max(width(signal.enclose_in(now, self.stop, &held, &mut self.room)));
            for shape in shapes {
                shape.range = shape.range.max(width(self.room[shape.place]));
            }
        }
    }

    /// The longest step from `now` beside what is periodic. A signal that will stay within the tolerance, measured by its range,
    /// turns for nobody.
    pub(crate) fn longest_step(&mut self, machine: &Machine, now: f64) -> f64 {
        let held = |v: VarId| machine.values[v.index()];
        let mut longest = f64::INFINITY;
        for (signal, (range, _)) in machine.model().foresight.signals.iter().zip(&self.ranges) {
            if !signal.is_periodic() {
                continue;
            }
            let rest = width(signal.enclose_in(now, self.stop, &held, &mut self.room));
            if rest > self.tolerance * *range {
                longest = longest.min(signal.shortest_period(now, &held, &mut self.room) / STEPS_PER_PERIOD);
            }
        }
        longest
    }

    /// Where a step from `now` must end at the latest for no shape of a signal to be stepped over.
    pub(crate) fn end_of_calm(&mut self, machine: &Machine, now: f64) -> f64 {
        if now < self.calm_until || self.ranges.is_empty() {
            return if self.ranges.is_empty() { f64::INFINITY } else { self.calm_until };
        }
        let shortest = SHORTEST_CALM * (self.stop - self.start);
        self.look_at_slopes(machine, now);
        let mut reach = self.stop - now;
        while reach > shortest && !self.is_calm(machine, now, now + reach) {
            reach *= 0.5;
        }
        // A jump takes one such step, or two. What never calms down is enclosed too widely to say anything.
        self.restless = if reach > shortest { 0 } else { self.restless + 1 };
        if self.restless > MAX_RESTLESS {
            self.ranges.iter_mut().for_each(|(_, shapes)| shapes.clear());
            return f64::INFINITY;
        }
        self.calm_until = now + reach.max(shortest);
        self.calm_until
    }

    /// How fast shapes move at present: that is seen at the beginning of a step, and error estimates account for it.
    fn look_at_slopes(&mut self, machine: &Machine, now: f64) {
        let held = |v: VarId| machine.values[v.index()];
        let Signals { ranges, room, .. } = self;
        for (signal, (_, shapes)) in machine.model().foresight.signals.iter().zip(ranges) {
            signal.enclose_in(now, now, &held, room);
            for shape in shapes {
                let slope = room[shape.place].slope;
                let speed = slope.low.abs().max(slope.high.abs());
                shape.speed = if speed.is_finite() { speed } else { 0.0 };
            }
        }
    }

    fn is_calm(&mut self, machine: &Machine, from: f64, to: f64) -> bool {
        let held = |v: VarId| machine.values[v.index()];
        let Signals { ranges, room, tolerance, .. } = self;
        machine.model().foresight.signals.iter().zip(ranges).all(|(signal, (range, shapes))| {
            let passed = width(signal.enclose_in(from, to, &held, room));
            passed <= *tolerance * *range
                || shapes.iter().all(|shape| {
                    // What changes by less than the tolerance is constant, and may be so but for rounding.
                    let nothing = *tolerance * size(room[shape.place]);
                    let foreseeable = FORESEEABLE * shape.speed * (to - from);
                    width(room[shape.place]) <= (PART_OF_RANGE * shape.range).max(nothing).max(foreseeable)
                })
        })
    }
}

fn size(enclosure: Enclosure) -> f64 {
    enclosure.value.low.abs().max(enclosure.value.high.abs())
}

fn width(enclosure: Enclosure) -> f64 {
    let width = enclosure.value.high - enclosure.value.low;
    // Both bounds infinite: it does not move.
    if width.is_nan() { 0.0 } else { width }
}
