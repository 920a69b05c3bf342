//! What is carried along by a flow: `spatialDistribution` (specification section 3.7.4.2).
//!
//! A particle at place `p` when the flow has come to `x` is known by `p - x`, which never changes: its mark. What is
//! between the two ends is a list of marks and values, ascending. A flow forwards adds marks at the front, one
//! backwards at the back, and what leaves is read at the other end, by a cubic through neighbours as for delays, of which there are
//! as many as the tolerance asks for.
//! What enters at an event has its mark twice, for its slope may jump there: no cubic reaches over it. Where it jumps itself, the
//! position at which it leaves is watched by a relation (`Transport::arrivals`), so that it leaves in an event of its own.
//!
//! What comes out at the end where something enters is what enters. It is found by repetition, for the equations may
//! lead from the one to the other by way of other pipes.

use std::collections::VecDeque;

use kausal_solver::Reason;
use kausal_symbolic::VarId;
use serde::{Deserialize, Serialize};

use super::delay::{INSIDE, MOST_TIMES};
use crate::machine::{Failure, Machine, Stop};
use crate::tolerances::has_moved;

/// Positions closer than this cannot be told apart; the distance of the ends is one.
const NEAR: f64 = 1e-11;
/// Relative differences that are no jump.
const SMALL: f64 = 1e-9;
/// Where no jump will arrive, it is awaited so many lengths from here.
const FAR: f64 = 1e3;
/// A step carries nothing farther than this part of the way, as far as the last step tells.
const FARTHEST: f64 = 0.1;
/// Marks kept behind the end where things leave, as neighbours of a cubic.
const NEIGHBOURS: usize = 4;

/// All transports of a model.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Transports {
    pipes: Vec<Pipe>,
    /// Position and direction of each, as computed last.
    flows: Vec<f64>,
    /// Room for new ones while they are compared.
    again: Vec<f64>,
    /// The instant of the last values that were kept, and the longest step they suggest.
    kept: f64,
    longest: f64,
}

/// What is between the ends.
#[derive(Debug, Default, Clone, Serialize, Deserialize)]
struct Pipe {
    points: VecDeque<Point>,
    /// The position to which the list has been brought.
    position: f64,
    /// Did it come there forwards?
    forward: bool,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Point {
    mark: f64,
    value: f64,
    /// Given at the start: between such points values are on straight lines.
    given: bool,
}

impl Transports {
    /// From the initial distributions.
    pub(crate) fn start(machine: &mut Machine) -> Transports {
        let model = machine.model().clone();
        let count = model.program.transports.len();
        let mut all = Transports {
            flows: vec![0.0; 2 * count],
            again: vec![0.0; 2 * count],
            kept: machine.time,
            longest: f64::INFINITY,
            ..Transports::default()
        };
        if count == 0 {
            return all;
        }
        machine.evaluate(model.transport_flows, &mut all.flows);
        let given: usize = model.program.transports.iter().map(|t| 2 * t.points.len()).sum();
        let mut numbers = vec![0.0; given];
        machine.evaluate(model.transport_starts, &mut numbers);
        let mut rest = &numbers[..];
        for (transport, flow) in model.program.transports.iter().zip(all.flows.chunks(2)) {
            let n = transport.points.len();
            let (places, values) = rest[..2 * n].split_at(n);
            rest = &rest[2 * n..];
            all.pipes.push(Pipe::new(places, values, flow[0], flow[1] != 0.0));
        }
        all.begin(machine);
        all
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.pipes.is_empty()
    }

    /// Gives the outputs their values for the flow as it is. A flow that ran ahead of what is known is a failure
    /// that a shorter step mends.
    pub(crate) fn read(&mut self, machine: &mut Machine) -> Result<(), Stop> {
        let model = machine.model().clone();
        machine.evaluate(model.transport_flows, &mut self.flows);
        let flows = self.flows.chunks(2);
        for ((pipe, transport), flow) in self.pipes.iter().zip(&model.program.transports).zip(flows) {
            let (x, forward) = (flow[0], flow[1] != 0.0);
            if !x.is_finite() || (x - pipe.position).abs() > 1.0 {
                let unknowns = transport.inputs.to_vec();
                return Err(Stop::Failed(Failure {
                    reason: Reason::OutsideDomain,
                    unknowns,
                    residual: None,
                }));
            }
            let (entry, exit) = ends(forward);
            let arrivals = transport.arrivals.map(|v| machine.values[v.index()]);
            machine.values[transport.outputs[exit].index()] = pipe.leaving(x, forward, arrivals);
            machine.values[transport.outputs[entry].index()] =
                machine.values[transport.inputs[entry].index()];
        }
        Ok(())
    }

    /// Did the evaluation change what was read before it?
    pub(crate) fn changed(&mut self, machine: &mut Machine) -> bool {
        let model = machine.model().clone();
        machine.evaluate(model.transport_flows, &mut self.again);
        let mut changed = self.again != self.flows;
        for (transport, flow) in model.program.transports.iter().zip(self.flows.chunks(2)) {
            let (entry, _) = ends(flow[1] != 0.0);
            let value = |v: VarId| machine.values[v.index()];
            let (given, shown) = (value(transport.inputs[entry]), value(transport.outputs[entry]));
            changed |= has_moved(given, shown);
        }
        changed
    }

    /// A step was made: what had left before it is forgotten.
    pub(crate) fn forget(&mut self) {
        self.pipes.iter_mut().for_each(Pipe::forget);
    }

    /// Adds what has entered up to the machine's instant.
    pub(crate) fn keep(&mut self, machine: &Machine) {
        let model = machine.model().clone();
        let elapsed = machine.time - self.kept;
        let mut farthest = 0.0_f64;
        for (i, (pipe, transport)) in self.pipes.iter_mut().zip(&model.program.transports).enumerate() {
            farthest = farthest.max((self.flows[2 * i] - pipe.position).abs());
            pipe.go(self.flows[2 * i], transport.inputs.map(|v| machine.values[v.index()]));
        }
        if elapsed > 0.0 {
            self.longest = if farthest > 0.0 { elapsed * FARTHEST / farthest } else { f64::INFINITY };
            self.kept = machine.time;
        }
    }

    /// How many times more points the last step, kept at equal distances in time, should have for this tolerance.
    pub(crate) fn refinement(&self, machine: &Machine, tolerance: f64) -> usize {
        let program = &machine.model().program;
        let wanted = self.pipes.iter().zip(&program.transports).map(|(pipe, transport)| {
            let input = transport.inputs[ends(pipe.forward).0];
            let size = machine.values[input.index()].abs().max(program.variables[input.index()].nominal);
            (pipe.error_of_last() / (tolerance * size)).powf(0.25)
        });
        wanted.fold(1.0, f64::max).min(MOST_TIMES).ceil() as usize
    }

    /// At an event: what has left is gone, jumps too.
    pub(crate) fn turn(&mut self) {
        self.pipes.iter_mut().for_each(Pipe::trim);
    }

    /// An event is over: what enters may have jumped, and the next jumps to leave are watched.
    pub(crate) fn begin(&mut self, machine: &mut Machine) {
        let model = machine.model().clone();
        machine.evaluate(model.transport_flows, &mut self.flows);
        for (i, (pipe, transport)) in self.pipes.iter_mut().zip(&model.program.transports).enumerate() {
            let (x, forward) = (self.flows[2 * i], self.flows[2 * i + 1] != 0.0);
            let inputs = transport.inputs.map(|v| machine.values[v.index()]);
            pipe.go(x, inputs);
            pipe.trim();
            pipe.jump(forward, inputs[ends(forward).0]);
            let [front, back] = pipe.arrivals();
            machine.values[transport.arrivals[0].index()] = front;
            machine.values[transport.arrivals[1].index()] = back;
            for (&relation, difference) in transport.relations.iter().zip([x - front, back - x]) {
                let relation = &model.program.relations[relation as usize];
                machine.values[relation.difference.index()] = difference;
                machine.values[relation.variable.index()] = 1.0;
                machine.pre[relation.variable.index()] = 1.0;
            }
        }
    }

    /// The longest step that does not run ahead of what is known, if the flow goes on as it did.
    pub(crate) fn longest_step(&self) -> f64 {
        self.longest
    }
}

/// The values at the initial solution, before there is a past: at one end what enters, at the other what stands there.
/// Did one of them change?
pub(crate) fn at_start(machine: &mut Machine) -> bool {
    let model = machine.model().clone();
    let transports = &model.program.transports;
    if transports.is_empty() {
        return false;
    }
    let mut flows = vec![0.0; 2 * transports.len()];
    machine.evaluate(model.transport_flows, &mut flows);
    let mut numbers = vec![0.0; transports.iter().map(|t| 2 * t.points.len()).sum()];
    machine.evaluate(model.transport_starts, &mut numbers);
    let mut rest = &numbers[..];
    let mut changed = false;
    for (transport, flow) in transports.iter().zip(flows.chunks(2)) {
        let n = transport.points.len();
        let (places, values) = rest[..2 * n].split_at(n);
        rest = &rest[2 * n..];
        let forward = flow[1] != 0.0;
        let (entry, exit) = ends(forward);
        let pipe = Pipe::new(places, values, flow[0], forward);
        let entering = machine.values[transport.inputs[entry].index()];
        let leaving = pipe.leaving(flow[0], forward, pipe.arrivals());
        for (end, new) in [(entry, entering), (exit, leaving)] {
            let old = &mut machine.values[transport.outputs[end].index()];
            changed |= has_moved(new, *old);
            *old = new;
        }
    }
    changed
}

/// Where things enter and where they leave: end 0 or 1.
fn ends(forward: bool) -> (usize, usize) {
    if forward { (0, 1) } else { (1, 0) }
}

impl Pipe {
    fn new(places: &[f64], values: &[f64], position: f64, forward: bool) -> Pipe {
        let mut points: VecDeque<Point> = places
            .iter()
            .zip(values)
            .map(|(&place, &value)| Point { mark: place - position, value, given: true })
            .collect();
        points.make_contiguous().sort_by(|a, b| a.mark.total_cmp(&b.mark));
        let mut pipe = Pipe { points, position, forward };
        // Beyond the outermost points that were given their values hold.
        for (end, place) in [(0, 0.0), (1, 1.0)] {
            let mark = place - position;
            let outermost = if end == 0 { pipe.points.front() } else { pipe.points.back() };
            let Some(&outermost) = outermost else { continue };
            let point = Point { mark, ..outermost };
            if end == 0 && outermost.mark > mark {
                pipe.points.push_front(point);
            } else if end == 1 && outermost.mark < mark {
                pipe.points.push_back(point);
            }
        }
        pipe
    }

    /// Brings the list to position `x`, with these values at the ends.
    fn go(&mut self, x: f64, inputs: [f64; 2]) {
        if x == self.position || !x.is_finite() {
            return;
        }
        let forward = x > self.position;
        if forward != self.forward {
            self.trim();
        }
        self.position = x;
        self.forward = forward;
        if forward {
            self.points.push_front(Point { mark: -x, value: inputs[0], given: false });
        } else {
            self.points.push_back(Point { mark: 1.0 - x, value: inputs[1], given: false });
        }
    }

    /// Drops what has left, but for the neighbours of a cubic.
    fn forget(&mut self) {
        let (low, high) = (-self.position, 1.0 - self.position);
        while self.points.len() > NEIGHBOURS && self.points[self.points.len() - NEIGHBOURS].mark > high {
            self.points.pop_back();
        }
        while self.points.len() > NEIGHBOURS && self.points[NEIGHBOURS - 1].mark < low {
            self.points.pop_front();
        }
    }

    /// The list ends exactly at both ends; a jump that stands at one has left.
    fn trim(&mut self) {
        let (low, high) = (-self.position, 1.0 - self.position);
        // Of points that stand at an end the innermost is what is there.
        let at = |end: f64| move |p: &&Point| (p.mark - end).abs() <= NEAR;
        let (front, back) = (self.points.iter().rev().find(at(low)), self.points.iter().find(at(high)));
        let front = front.map_or_else(|| self.value_at(low), |p| p.value);
        let back = back.map_or_else(|| self.value_at(high), |p| p.value);
        while self.points.front().is_some_and(|p| p.mark <= low + NEAR) {
            self.points.pop_front();
        }
        while self.points.back().is_some_and(|p| p.mark >= high - NEAR) {
            self.points.pop_back();
        }
        let given = |p: Option<&Point>| p.is_none_or(|p| p.given);
        let (front_given, back_given) = (given(self.points.front()), given(self.points.back()));
        self.points.push_front(Point { mark: low, value: front, given: front_given });
        self.points.push_back(Point { mark: high, value: back, given: back_given });
    }

    /// What enters now has this value, whatever it was before, and any slope.
    fn jump(&mut self, forward: bool, value: f64) {
        self.forward = forward;
        let outermost = if forward { self.points.front_mut() } else { self.points.back_mut() };
        let Some(outermost) = outermost else { return };
        if (outermost.value - value).abs() <= SMALL * value.abs().max(outermost.value.abs()) {
            outermost.value = value;
        }
        let point = Point { mark: outermost.mark, value, given: false };
        if forward { self.points.push_front(point) } else { self.points.push_back(point) }
    }

    /// The error of cubics in what entered last, of which there are [`INSIDE`] points within the step: as its middle differs from
    /// the cubic through the others, which is four times as much as that of a cubic at the end of a piece.
    fn error_of_last(&self) -> f64 {
        const { assert!(INSIDE == 3) };
        let newest = |i: usize| if self.forward { i } else { self.points.len().wrapping_sub(1 + i) };
        let mut last = [Point { mark: 0.0, value: 0.0, given: true }; INSIDE + 2];
        for (i, point) in last.iter_mut().enumerate() {
            let Some(found) = self.points.get(newest(i)).filter(|p| !p.given) else { return 0.0 };
            *point = *found;
        }
        if last.windows(2).any(|pair| pair[0].mark == pair[1].mark) {
            return 0.0;
        }
        let [a, b, middle, c, d] = last;
        (middle.value - polynomial(&[a, b, c, d], middle.mark)).abs() / 4.0
    }

    /// The positions at which the next jumps leave, forwards and backwards.
    fn arrivals(&self) -> [f64; 2] {
        let (low, high) = (-self.position + NEAR, 1.0 - self.position - NEAR);
        let marks = self.points.iter().zip(self.points.iter().skip(1));
        let jumps = marks.filter(|(a, b)| a.mark == b.mark && a.value != b.value).map(|(a, _)| a.mark);
        let inside: Vec<f64> = jumps.filter(|&m| m > low - 2.0 * NEAR && m < high + 2.0 * NEAR).collect();
        let forwards = inside.iter().copied().filter(|&m| m < high).reduce(f64::max);
        let backwards = inside.iter().copied().filter(|&m| m > low).reduce(f64::min);
        [forwards.map_or(self.position + FAR, |m| 1.0 - m), backwards.map_or(self.position - FAR, |m| -m)]
    }

    /// What leaves when the flow has come to `x`. A jump leaves in its event, not before: until then the value in
    /// front of it holds.
    fn leaving(&self, x: f64, forward: bool, arrivals: [f64; 2]) -> f64 {
        if forward {
            if x >= arrivals[0] { self.beside(1.0 - arrivals[0], true) } else { self.value_at(1.0 - x) }
        } else if x <= arrivals[1] {
            self.beside(-arrivals[1], false)
        } else {
            self.value_at(-x)
        }
    }

    /// The value on one side of the jump at `mark`.
    fn beside(&self, mark: f64, above: bool) -> f64 {
        let near = |p: &&Point| (p.mark - mark).abs() <= NEAR;
        let found = if above { self.points.iter().rev().find(near) } else { self.points.iter().find(near) };
        found.map_or_else(|| self.value_at(mark), |p| p.value)
    }

    /// The value at a mark; outside the list that at its end.
    fn value_at(&self, mark: f64) -> f64 {
        let n = self.points.len();
        let right = self.points.partition_point(|p| p.mark < mark);
        if right == 0 || right >= n {
            return self.points.get(right.min(n.wrapping_sub(1))).map_or(0.0, |p| p.value);
        }
        self.between(right - 1, right, mark)
    }

    /// On a line, or on the polynomial through up to four neighbours on one side of all jumps.
    fn between(&self, left: usize, right: usize, mark: f64) -> f64 {
        let (a, b) = (self.points[left], self.points[right]);
        if a.mark == b.mark {
            return b.value;
        }
        let (mut from, mut to) = (left, right);
        if !a.given && !b.given {
            let smooth =
                |i: usize, j: usize| !self.points[j].given && self.points[i].mark != self.points[j].mark;
            while from > 0 && left - from < 2 && smooth(from, from - 1) {
                from -= 1;
            }
            while to + 1 < self.points.len() && to - right < 2 && smooth(to, to + 1) {
                to += 1;
            }
        }
        // One neighbour on each side; two on one side where the other has none.
        while to - from > 3 {
            if left - from > to - right { from += 1 } else { to -= 1 }
        }
        let mut points = [a; 4];
        let count = to - from + 1;
        points.iter_mut().zip(self.points.range(from..=to)).for_each(|(point, found)| *point = *found);
        polynomial(&points[..count], mark)
    }
}

/// The polynomial through some points, by differences from the first, so that a constant is read as it is.
fn polynomial(points: &[Point], mark: f64) -> f64 {
    let Some(base) = points.first().map(|p| p.value) else { return 0.0 };
    let mut sum = base;
    for (i, point) in points.iter().enumerate() {
        let others = points.iter().enumerate().filter(|(j, _)| *j != i);
        let weight: f64 = others.map(|(_, other)| (mark - other.mark) / (point.mark - other.mark)).product();
        sum += weight * (point.value - base);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pipe() -> Pipe {
        Pipe::new(&[0.0, 0.5, 1.0], &[1.0, 2.0, 4.0], 10.0, true)
    }

    #[test]
    fn the_initial_distribution_is_carried_out_on_straight_lines() {
        let pipe = pipe();
        let leaving = |x: f64| pipe.leaving(x, true, pipe.arrivals());
        for (x, value) in [(10.0, 4.0), (10.25, 3.0), (10.5, 2.0), (10.75, 1.5)] {
            assert!((leaving(x) - value).abs() < 1e-12, "{x}: {}", leaving(x));
        }
        assert_eq!(pipe.leaving(9.75, false, pipe.arrivals()), 1.5);
    }

    #[test]
    fn what_enters_leaves_one_length_later() {
        let mut pipe = pipe();
        let entering = |x: f64| (3.0 * x).sin();
        pipe.jump(true, entering(10.0));
        for k in 1..=100 {
            let x = 10.0 + 0.02 * f64::from(k);
            pipe.forget();
            pipe.go(x, [entering(x), 0.0]);
        }
        let leaving = pipe.leaving(12.01, true, pipe.arrivals());
        assert!((leaving - entering(11.01)).abs() < 1e-6, "{leaving}");
        assert!(pipe.points.len() < 60, "{}", pipe.points.len());
    }

    /// `max(0, x - 10)^2 + …` enters: its slope jumps at an event, and it leaves as it came.
    #[test]
    fn no_cubic_reaches_over_a_jump_of_the_slope() {
        let mut pipe = Pipe::new(&[0.0, 1.0], &[2.0, 2.0], 9.6, true);
        pipe.jump(true, 2.0);
        let entering = |x: f64| 2.0 + (x - 10.0).max(0.0) * (3.0 - (x - 10.0));
        for k in 1..=15 {
            let x = 9.6 + 0.1 * f64::from(k);
            pipe.go(x, [entering(x), 0.0]);
            if k == 4 {
                pipe.trim();
                pipe.jump(true, entering(x));
            }
        }
        for mark in [-10.05, -9.95, -10.15, -10.73] {
            let read = pipe.value_at(mark);
            assert!((read - entering(-mark)).abs() < 1e-12, "{mark}: {read}");
        }
        assert_eq!(pipe.arrivals(), [11.1 + FAR, 11.1 - FAR], "what does not jump is not awaited");
    }

    /// Of x⁴ with points a quarter apart the cubic at the end of a piece is wrong by at most (1/4)⁴.
    #[test]
    fn the_error_of_cubics_in_what_entered_last() {
        let mut pipe = Pipe::new(&[0.0, 1.0], &[0.0, 0.0], 0.0, true);
        pipe.jump(true, 0.0);
        for k in 1..=4 {
            let x = 0.25 * f64::from(k);
            pipe.go(x, [x.powi(4), 0.0]);
        }
        assert!((pipe.error_of_last() - 0.25f64.powi(4)).abs() < 1e-15);
        pipe.trim();
        pipe.jump(true, 1.0);
        assert_eq!(pipe.error_of_last(), 0.0, "behind an event nothing is known yet");
    }

    #[test]
    fn a_jump_leaves_at_its_position_and_a_turned_flow_brings_it_back() {
        let mut pipe = Pipe::new(&[0.0, 1.0], &[1.0, 1.0], 0.0, true);
        pipe.jump(true, 5.0);
        assert_eq!(pipe.arrivals()[0], 1.0);
        pipe.go(0.4, [5.0, 0.0]);
        assert_eq!(pipe.leaving(0.4, true, pipe.arrivals()), 1.0);
        assert_eq!(pipe.arrivals(), [1.0, 0.0]);
        // Backwards: five leaves at the front until the jump is back.
        assert_eq!(pipe.leaving(0.2, false, pipe.arrivals()), 5.0);
        pipe.go(0.2, [0.0, 7.0]);
        pipe.go(0.0, [0.0, 7.0]);
        pipe.trim();
        assert_eq!(pipe.leaving(0.0, false, pipe.arrivals()), 1.0);
        // What came in at the back in the meantime is the first to leave there.
        pipe.go(-0.1, [0.0, 7.0]);
        assert_eq!(pipe.leaving(-0.1, true, pipe.arrivals()), 7.0);
        pipe.forget();
        assert_eq!(pipe.leaving(-0.1, true, pipe.arrivals()), 7.0);
    }
}
