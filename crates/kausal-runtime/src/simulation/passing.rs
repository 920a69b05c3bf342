//! What states pass through inside a step: bumps of what is computed from them, narrower than the step.
//!
//! A cam, a burning law by the crank angle, or what acts within a millimetre of some place is nothing nearly everywhere. A method that
//! chooses its steps by what it sees at a few instants walks past it, and output points need not meet it either. But between the
//! ends of a step states follow a curve that is known, the continuous solution. So the *shapes* in the formulas of derivatives
//! (`kausal_symbolic::path_function`) are enclosed along that curve, all at once for the whole step. A shape that is monotone there,
//! or whose enclosure is as wide as what it is at the ends, hides nothing. Otherwise the step is halved, in thought only, until
//! nothing more can be hidden or until something is found: a shape that is, at some instant, not what its values and slopes at the ends
//! of the step foretell. There the model itself is evaluated, and the defect of the step (`defect`) says whether it matters.
//!
//! Curves are polynomials of at most the fifth degree, whatever the method. They are written in Bernstein's basis, in which the
//! coefficients enclose the curve and are halved by averages (Farouki, *The Bernstein polynomial basis: a centennial retrospective*,
//! Comput. Aided Geom. Design 29, 2012).
//!
//! What is computed by iteration, by functions that are called or from the past is not enclosed.

use std::sync::Arc;

use kausal_symbolic::VarId;
use kausal_symbolic::interval::Interval;
use kausal_symbolic::time_function::Enclosure;
use serde::{Deserialize, Serialize};

use super::Run;
use super::foreseen::PART_OF_RANGE;
use crate::compiled_model::CompiledModel;
use crate::foresight::Passages;
use crate::machine::Machine;

/// Degree of the curves.
const DEGREE: usize = 5;
/// A curve in Bernstein's basis.
type Curve = [f64; DEGREE + 1];
/// From values at equal distances to that basis, in parts of 240.
const TO_BERNSTEIN: [Curve; DEGREE + 1] = [
    [240.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [-308.0, 1200.0, -1200.0, 800.0, -300.0, 48.0],
    [269.0, -1450.0, 2950.0, -2300.0, 925.0, -154.0],
    [-154.0, 925.0, -2300.0, 2950.0, -1450.0, 269.0],
    [48.0, -300.0, 800.0, -1200.0, 1200.0, -308.0],
    [0.0, 0.0, 0.0, 0.0, 0.0, 240.0],
];
/// Stretches that are enclosed in one step at most: a bump of a millionth of the step is found in forty. Each step earns so many: a
/// model whose shapes cannot be told from bumps does not spend its time on that.
const MOST_STRETCHES: u32 = 200;
const EARNED: u32 = 4;
/// What is shorter than this part of a step is an instant.
const SHORTEST: f64 = 1e-12;
/// Shapes of a step at which the model itself is evaluated.
const MOST_LOOKS: usize = 4;
/// Shapes that could not be enclosed narrowly enough are left alone for a step, and each time for twice as many, up to so many.
const MAX_REST: u32 = 32;
/// Roundings in the coefficients of a curve: each is a sum of six products.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// What is known of the shapes.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Passing {
    shapes: Vec<Rest>,
    /// Stretches that were enclosed and are not yet earned.
    spent: u32,
    /// Where in the last step the model is to be evaluated, in ascending order.
    found: Vec<f64>,
    #[serde(skip)]
    room: Room,
}

/// How many steps a shape is left alone, and how many the last time.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Rest {
    steps: u32,
    last: u32,
}

impl Rest {
    fn is_over(&mut self) -> bool {
        let over = self.steps == 0;
        self.steps = self.steps.saturating_sub(1);
        over
    }

    fn begin(&mut self) {
        self.last = (2 * self.last).clamp(1, MAX_REST);
        self.steps = self.last;
    }
}

/// A stretch of the step that may hide something, and the samples at its ends.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    from: f64,
    to: f64,
    samples: (usize, usize),
}

/// Work space.
#[derive(Debug, Default)]
struct Room {
    /// States at the ends of the step and between them.
    states: Vec<f64>,
    parts: Vec<Enclosure>,
    /// The curves of what is read, for each open stretch.
    curves: Vec<Curve>,
    stretches: Vec<Stretch>,
    /// Shapes that may hide something.
    open: Vec<usize>,
    /// Where shapes were evaluated, and their values there, all shapes of an instant in a row.
    instants: Vec<f64>,
    values: Vec<f64>,
    /// Values and slopes at both ends.
    ends: [Vec<Enclosure>; 2],
    /// The last enclosures.
    enclosures: Vec<Enclosure>,
    /// Where the samples of each shape lie.
    seen: Vec<(f64, f64)>,
    /// How far each shape is from what its ends foretell, at most, and the sample.
    surprises: Vec<(f64, usize)>,
}

impl Passing {
    /// Where in the last step something shows that its ends do not tell of, in ascending order.
    pub(super) fn found(&self) -> &[f64] {
        &self.found
    }

    /// Looks at a step along the curves in `room`.
    fn find(&mut self, machine: &Machine, passages: &Passages, (t0, t1): (f64, f64), tolerance: f64) {
        let count = passages.function.len();
        self.shapes.resize(count, Rest::default());
        self.spent = self.spent.saturating_sub(EARNED);
        let room = &mut self.room;
        let reader = Reader { machine, passages, t0, step: t1 - t0 };
        room.open.clear();
        room.open.extend((0..count).filter(|&k| self.shapes[k].is_over()));
        if room.open.is_empty() {
            return;
        }
        reader.enclose(&room.curves, (0.0, 1.0), &mut room.parts, &mut room.enclosures);
        // What is monotone is between its values at the ends, and so is what hardly moves.
        let Room { open, enclosures, .. } = room;
        open.retain(|&k| !is_plain(enclosures[k], tolerance));
        if open.is_empty() {
            return;
        }
        room.begin(&reader);
        self.spent += room.search(&reader, tolerance, MOST_STRETCHES - self.spent);
        if self.spent >= MOST_STRETCHES {
            // What is left is enclosed too widely to say anything.
            room.open.iter().for_each(|&k| self.shapes[k].begin());
        }
        self.keep_surprises(t0, t1 - t0);
    }

    /// Keeps the instants of the greatest surprises, each between its neighbours.
    fn keep_surprises(&mut self, t0: f64, step: f64) {
        let room = &self.room;
        let part = |k: usize| room.surprises[k].0 / (room.seen[k].1 - room.seen[k].0);
        let mut found: Vec<usize> =
            (0..room.surprises.len()).filter(|&k| room.surprises[k].0 > 0.0).collect();
        found.sort_by(|&i, &j| part(j).total_cmp(&part(i)));
        found.truncate(MOST_LOOKS);
        if found.is_empty() {
            return;
        }
        let mut order: Vec<f64> = room.instants.clone();
        order.sort_by(f64::total_cmp);
        let mut instants = Vec::new();
        for &k in &found {
            let at = room.instants[room.surprises[k].1];
            let place = order.partition_point(|s| *s < at);
            instants.extend(order[place.saturating_sub(1)..].iter().take(3).copied());
        }
        instants.retain(|s| *s > 0.0 && *s < 1.0);
        instants.sort_by(f64::total_cmp);
        instants.dedup();
        self.found.extend(instants.iter().map(|s| t0 + s * step));
    }
}

impl Room {
    /// The curves of the later half of the stretch that was taken last stand in its place, and those of the earlier one behind.
    fn halve_last(&mut self, curves: usize, read: usize) {
        self.curves.resize(curves + 2 * read, [0.0; DEGREE + 1]);
        for i in curves..curves + read {
            let (earlier, later) = halve(&self.curves[i]);
            (self.curves[i], self.curves[i + read]) = (later, earlier);
        }
    }

    /// The shapes at both ends.
    fn begin(&mut self, reader: &Reader) {
        self.instants.clear();
        self.values.clear();
        for (end, enclosures) in [0.0, 1.0].into_iter().zip(&mut self.ends) {
            reader.at_end(&self.curves, end, &mut self.parts, enclosures);
            self.instants.push(end);
            self.values.extend(enclosures.iter().map(|e| middle(e.value)));
        }
        let count = self.ends[0].len();
        let (begin, end) = self.values.split_at(count);
        self.seen.clear();
        self.seen.extend(begin.iter().zip(end).map(|(a, b)| (a.min(*b), a.max(*b))));
        self.surprises.clear();
        self.surprises.resize(count, (0.0, 0));
        self.stretches.clear();
        self.stretches.push(Stretch { from: 0.0, to: 1.0, samples: (0, 1) });
    }

    /// Halves stretches until they hide nothing, or until so many were looked at. How many were?
    fn search(&mut self, reader: &Reader, tolerance: f64, credit: u32) -> u32 {
        let count = self.ends[0].len();
        let read = reader.passages.read.len();
        let mut spent = 0;
        while let Some(stretch) = self.stretches.pop() {
            let curves = self.stretches.len() * read;
            let Stretch { from, to, samples } = stretch;
            if spent > 0 {
                reader.enclose(&self.curves[curves..], (from, to), &mut self.parts, &mut self.enclosures);
            }
            spent += 1;
            let hides = self.open.iter().any(|&k| self.hides(k, samples, tolerance));
            if !hides || to - from < SHORTEST {
                continue;
            }
            if spent >= credit {
                let hides = |k: &usize| self.hides(*k, samples, tolerance);
                self.open = self.open.iter().copied().filter(hides).collect();
                break;
            }
            // The later half takes its place, and the earlier one comes next.
            self.halve_last(curves, read);
            let half = 0.5 * (from + to);
            reader.at_start(&self.curves[curves..curves + read], half, &mut self.parts, &mut self.enclosures);
            let sample = self.instants.len();
            self.instants.push(half);
            self.values.extend(self.enclosures.iter().map(|e| middle(e.value)));
            for ((low, high), value) in self.seen.iter_mut().zip(&self.values[sample * count..]) {
                (*low, *high) = (low.min(*value), high.max(*value));
            }
            for i in 0..self.open.len() {
                let k = self.open[i];
                let surprise = self.surprise(k, sample, half, reader.step, tolerance);
                if surprise > self.surprises[k].0 {
                    self.surprises[k] = (surprise, sample);
                }
            }
            self.stretches.push(Stretch { from: half, to, samples: (sample, samples.1) });
            self.stretches.push(Stretch { from, to: half, samples: (samples.0, sample) });
        }
        spent
    }

    fn value(&self, sample: usize, shape: usize) -> f64 {
        self.values[sample * self.ends[0].len() + shape]
    }

    /// The size of a shape in this step, and its range, by what was seen of it.
    fn seen(&self, shape: usize) -> (f64, f64) {
        let (low, high) = self.seen[shape];
        (low.abs().max(high.abs()), high - low)
    }

    /// May a shape be, between these samples, beyond them by more than a part of what it was seen to move by?
    fn hides(&self, shape: usize, (left, right): (usize, usize), tolerance: f64) -> bool {
        let enclosure = self.enclosures[shape];
        if is_plain(enclosure, tolerance) {
            return false;
        }
        let (a, b) = (self.value(left, shape), self.value(right, shape));
        let (low, high) = (a.min(b), a.max(b));
        let beyond = (enclosure.value.high - high).max(low - enclosure.value.low);
        let (size, range) = self.seen(shape);
        // What cannot be enclosed may hide anything.
        beyond.is_nan() || beyond > (tolerance * size).max(PART_OF_RANGE * range)
    }

    /// How far a sample is from what values and slopes at the ends foretell, where that is a good part of the range of the shape.
    fn surprise(&self, shape: usize, sample: usize, s: f64, step: f64, tolerance: f64) -> f64 {
        let [begin, end] = [&self.ends[0][shape], &self.ends[1][shape]];
        let (a, b) = (middle(begin.value), middle(end.value));
        let line = a + (b - a) * s;
        let (slope_a, slope_b) = (step * middle(begin.slope) - (b - a), step * middle(end.slope) - (b - a));
        let bend = s * (1.0 - s) * ((1.0 - s) * slope_a - s * slope_b);
        let foretold = if bend.is_finite() { line + bend } else { line };
        let (size, range) = self.seen(shape);
        let off = (self.value(sample, shape) - foretold).abs();
        if off > (PART_OF_RANGE * range).max(tolerance * size) { off } else { 0.0 }
    }
}

/// What formulas read, on a stretch of the step.
struct Reader<'a> {
    machine: &'a Machine,
    passages: &'a Passages,
    t0: f64,
    step: f64,
}

impl Reader<'_> {
    fn enclose(
        &self,
        curves: &[Curve],
        (from, to): (f64, f64),
        parts: &mut Vec<Enclosure>,
        out: &mut Vec<Enclosure>,
    ) {
        let per_time = 1.0 / ((to - from) * self.step);
        let time = Interval::new(self.t0 + from * self.step, self.t0 + to * self.step);
        self.evaluate(time, |i| on_curve(&curves[i], per_time), parts, out);
    }

    /// At one end of the whole step.
    fn at_end(&self, curves: &[Curve], s: f64, parts: &mut Vec<Enclosure>, out: &mut Vec<Enclosure>) {
        let last = if s > 0.0 { DEGREE } else { 0 };
        let before = last.saturating_sub(1);
        let slope = DEGREE as f64 / self.step;
        let point = |i: usize| {
            let curve: &Curve = &curves[i];
            let slope = slope * (curve[before + 1] - curve[before]);
            Enclosure { value: Interval::point(curve[last]), slope: Interval::point(slope) }
        };
        self.evaluate(Interval::point(self.t0 + s * self.step), point, parts, out);
    }

    /// Where the curves begin.
    fn at_start(&self, curves: &[Curve], s: f64, parts: &mut Vec<Enclosure>, out: &mut Vec<Enclosure>) {
        let still = Interval::point(0.0);
        let point = |i: usize| Enclosure { value: Interval::point(curves[i][0]), slope: still };
        self.evaluate(Interval::point(self.t0 + s * self.step), point, parts, out);
    }

    fn evaluate(
        &self,
        time: Interval,
        on_path: impl Fn(usize) -> Enclosure,
        parts: &mut Vec<Enclosure>,
        out: &mut Vec<Enclosure>,
    ) {
        let read = |v: VarId| match self.passages.read.binary_search_by_key(&v, |(v, _)| *v) {
            Ok(i) => on_path(i),
            Err(_) => {
                let value = Interval::point(self.machine.values[v.index()]);
                Enclosure { value, slope: Interval::point(0.0) }
            }
        };
        let time = Enclosure { value: time, slope: Interval::point(1.0) };
        out.clear();
        out.extend(self.passages.function.enclose(time, &read, parts));
    }
}

/// Is it monotone, or does it move by less than the tolerance?
fn is_plain(enclosure: Enclosure, tolerance: f64) -> bool {
    let Enclosure { value, slope } = enclosure;
    let size = value.low.abs().max(value.high.abs());
    let still = value.high - value.low <= tolerance.max(ROUNDING) * size;
    still || slope.low >= 0.0 || slope.high <= 0.0
}

/// Where a curve lies and how it moves.
fn on_curve(curve: &Curve, per_time: f64) -> Enclosure {
    let bounds = |values: &mut dyn Iterator<Item = f64>| {
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)))
    };
    let (low, high) = bounds(&mut curve.iter().copied());
    let (falls, rises) = bounds(&mut curve.windows(2).map(|pair| pair[1] - pair[0]));
    // What is a rounding of the curve is no slope.
    let noise = ROUNDING * low.abs().max(high.abs());
    let scale = DEGREE as f64 * per_time;
    let (falls, rises) = (scale * (falls - noise), scale * (rises + noise));
    Enclosure { value: Interval::new(low, high), slope: Interval::new(falls, rises) }
}

/// Both halves of a curve (de Casteljau).
fn halve(curve: &Curve) -> (Curve, Curve) {
    let (mut left, mut right) = (*curve, *curve);
    for (level, end) in left.iter_mut().enumerate().skip(1) {
        for i in 0..=DEGREE - level {
            right[i] = 0.5 * (right[i] + right[i + 1]);
        }
        *end = right[0];
    }
    (left, right)
}

fn middle(interval: Interval) -> f64 {
    0.5 * (interval.low + interval.high)
}

impl Run {
    /// Looks for what a step hides that its ends do not tell of.
    pub(super) fn look_for_hidden(&mut self, before: f64, end: f64) {
        self.passing.found.clear();
        let tolerance = self.settings.tolerance;
        if let Some(model) = self.draw_curves(before, end)
            && let (Some(passages), Some(solver)) = (&model.foresight.passages, &self.solver)
        {
            self.passing.find(&solver.model().model().machine, passages, (before, end), tolerance);
        }
    }

    /// The curves of the states that shapes read, in a step; none where there are no shapes, or where steps are as they are.
    fn draw_curves(&mut self, before: f64, end: f64) -> Option<Arc<CompiledModel>> {
        let solver = self.solver.as_ref()?;
        let model = &solver.model().model().model;
        let passages = model.foresight.passages.as_ref()?;
        if end <= before || solver.t_old() != before || self.settings.method.is_fixed_step() {
            return None;
        }
        let room = &mut self.passing.room;
        room.states.resize(solver.x().len(), 0.0);
        room.curves.clear();
        room.curves.resize(passages.read.len(), [0.0; DEGREE + 1]);
        for k in 0..=DEGREE {
            let t = if k == DEGREE { end } else { before + (end - before) * k as f64 / DEGREE as f64 };
            solver.interpolate(t, &mut room.states);
            for (curve, (_, state)) in room.curves.iter_mut().zip(&passages.read) {
                let value = room.states[*state as usize] / 240.0;
                for (c, row) in curve.iter_mut().zip(&TO_BERNSTEIN) {
                    *c += row[k] * value;
                }
            }
        }
        Some(model.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `t^5` and its halves, from values at equal distances.
    #[test]
    fn curves_are_polynomials() {
        let mut curve = [0.0; DEGREE + 1];
        for k in 0..=DEGREE {
            let value = (k as f64 / DEGREE as f64).powi(5) / 240.0;
            curve.iter_mut().zip(&TO_BERNSTEIN).for_each(|(c, row)| *c += row[k] * value);
        }
        let wanted = [0.0, 0.0, 0.0, 0.0, 0.0, 1.0];
        assert!(curve.iter().zip(wanted).all(|(c, w)| (c - w).abs() < 1e-14), "{curve:?}");
        let (earlier, later) = halve(&curve);
        assert!((earlier[DEGREE] - 1.0 / 32.0).abs() < 1e-14 && earlier[DEGREE] == later[0]);
        let Enclosure { value, slope } = on_curve(&later, 2.0);
        assert!(value.low > 0.0 && value.high == 1.0 && slope.low > 0.0);
        assert!((slope.low - 5.0 / 16.0).abs() < 1e-12 && (slope.high - 5.0).abs() < 1e-12, "{slope:?}");
    }
}
