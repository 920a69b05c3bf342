//! Finding state events: the first time in a step at which one of many functions changes sides.
//!
//! A function is on its *positive side* where it is greater than zero, else on the other; zero itself is not
//! positive. An event happens when a function changes sides, in either direction: the definition of event
//! indicators in the Functional Mock-up Interface (2.0, §3.1). The time reported is one at which the function
//! *has* changed, so the model evaluated there sees the new side, and the same change is not found again. A
//! function that is exactly zero at the start is on the other side and may rise at once; one that touches zero
//! from above has fallen.
//!
//! A function that ceases to be a number has changed; one that is none stays on its side until it is a number again.
//!
//! A function that was just put on a side may be zero but for rounding, and its sign says nothing. Such a one
//! gets a band ([`EventFinder::set_band`]): it changes sides only where it is past zero by more than that. Once
//! it has been outside the band on its own side, the band is gone and zero is zero again.
//!
//! [`EventFinder::search`] narrows a bracket in which no function has changed at the left end and some have
//! at the right end, always cutting near where the earliest of them seems to cross, until the bracket is
//! `1e-12` of the step or the rounding of time. The cut is that of the ITP method (Oliveira & Takahashi, ACM
//! TOMS 47, 2021): as fast as secants on smooth functions, and never more than one evaluation slower than
//! bisection on any. Functions that change within that width change at once.
//!
//! [`Chattering`] notices when events pile up.

use serde::{Deserialize, Serialize};

use crate::error::ModelError;

/// Relative width of the bracket at which the search ends.
const RELATIVE_WIDTH: f64 = 1e-12;

/// A function may have been at zero inside a step where its lowest point there seems to be below this part of its values
/// at the ends; so many looks are taken at it, none nearer to the ends than this part of the step.
const DIP_PART: f64 = 0.5;
const DIP_LOOKS: usize = 6;
const DIP_EDGE: f64 = 0.02;

/// The way a function crosses zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Direction {
    /// From zero or below to above zero.
    Rising,
    /// From above zero to zero or below.
    Falling,
}

/// A function that has changed sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Crossing {
    /// Index of the function.
    pub index: usize,
    /// The way it went.
    pub direction: Direction,
}

/// Functions whose signs are watched.
pub trait Functions {
    /// The functions on the solution at `t`.
    fn evaluate(&mut self, t: f64, values: &mut [f64]) -> Result<(), ModelError>;

    /// Does it make a difference whether these have changed? Where it does not, they have from now on.
    fn decide(&mut self, changed: &[usize]) -> bool {
        let _ = changed;
        true
    }
}

/// Functions whose changes are events, all of them.
struct All<F>(F);

impl<F: FnMut(f64, &mut [f64]) -> Result<(), ModelError>> Functions for All<F> {
    fn evaluate(&mut self, t: f64, values: &mut [f64]) -> Result<(), ModelError> {
        (self.0)(t, values)
    }
}

/// Looks for events of a fixed number of functions.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EventFinder {
    /// Sides at the beginning of the step.
    positive: Vec<bool>,
    /// The same as factors that make functions positive on their sides.
    signs: Vec<f64>,
    /// How far past zero a function must be to have changed; zero for all but those that began at zero.
    bands: Vec<f64>,
    /// Values at the left end, the right end and a point between.
    left: Vec<f64>,
    right: Vec<f64>,
    middle: Vec<f64>,
    crossings: Vec<Crossing>,
    /// Values before those at the left end, and how long before; zero where there are none.
    older: Vec<f64>,
    older_step: f64,
    /// Functions that have changed by the end of a step.
    changed: Vec<usize>,
    /// The last instant before the event found last at which nothing had changed.
    before: f64,
    /// Points inside a step at which sides are compared besides its end.
    interior_points: usize,
    evaluations: u64,
}

/// One over the last step, and over that and this one together, in units of this one.
#[derive(Clone, Copy, Debug)]
struct Spacing {
    per_before: f64,
    per_both: f64,
}

impl Spacing {
    fn new(older_step: f64, step: f64) -> Self {
        let before = older_step / step;
        Spacing { per_before: 1.0 / before, per_both: 1.0 / (1.0 + before) }
    }
}

impl EventFinder {
    /// For `count` functions.
    pub fn new(count: usize) -> Self {
        EventFinder {
            positive: vec![false; count],
            signs: vec![-1.0; count],
            bands: vec![0.0; count],
            left: vec![0.0; count],
            right: vec![0.0; count],
            middle: vec![0.0; count],
            crossings: Vec::with_capacity(count),
            older: vec![0.0; count],
            older_step: 0.0,
            changed: Vec::with_capacity(count),
            before: f64::NEG_INFINITY,
            interior_points: 0,
            evaluations: 0,
        }
    }

    /// Also compares sides at so many points inside each step, to catch functions that cross twice in it.
    /// None by default.
    pub fn with_interior_points(mut self, points: usize) -> Self {
        self.interior_points = points;
        self
    }

    /// Takes the sides from the values at the beginning of an integration or after an event.
    pub fn start(&mut self, values: &[f64]) {
        self.left.copy_from_slice(values);
        for (i, &v) in values.iter().enumerate() {
            self.set_side(i, v > 0.0);
        }
        self.bands.fill(0.0);
        self.older_step = 0.0;
    }

    /// Puts one function on a side, where the model knows better than the value: a relation that is held
    /// during an event.
    pub fn set_side(&mut self, index: usize, positive: bool) {
        self.positive[index] = positive;
        self.signs[index] = if positive { 1.0 } else { -1.0 };
    }

    /// Lets one function change sides only where it is past zero by more than `band`, until it has been that far
    /// from zero on its own side.
    pub fn set_band(&mut self, index: usize, band: f64) {
        self.bands[index] = band.max(0.0);
    }

    /// How far past zero a function must be to have changed sides.
    pub fn band(&self, index: usize) -> f64 {
        self.bands[index]
    }

    /// The sides the functions are on.
    pub fn sides(&self) -> &[bool] {
        &self.positive
    }

    /// What the last search found, in the order of the functions.
    pub fn crossings(&self) -> &[Crossing] {
        &self.crossings
    }

    /// The last instant before the event found last at which nothing had changed, where one was looked at.
    pub fn before(&self) -> f64 {
        self.before
    }

    /// Has a function changed sides? What is not a number has not.
    pub fn shows_change(&self, values: &[f64]) -> bool {
        values.iter().enumerate().any(|(i, &v)| !v.is_nan() && self.has_changed(i, v))
    }

    /// Goes to where functions have changed sides, without a search. What is not a number stays as it is.
    pub fn cross_to(&mut self, values: &[f64]) {
        for (i, &v) in values.iter().enumerate() {
            self.right[i] = if v.is_nan() { self.left[i] } else { v };
        }
        self.before = f64::NEG_INFINITY;
        self.crossings.clear();
        self.settle();
    }

    /// These have changed sides, as somebody knows who has set their sides; the functions have these values.
    pub fn changed_at_once(&mut self, changed: &[usize], values: &[f64]) {
        self.left.copy_from_slice(values);
        (self.before, self.older_step) = (f64::NEG_INFINITY, 0.0);
        self.crossings.clear();
        for &index in changed {
            let direction = if self.positive[index] { Direction::Rising } else { Direction::Falling };
            self.crossings.push(Crossing { index, direction });
        }
    }

    /// Evaluations of all functions so far.
    pub fn evaluations(&self) -> u64 {
        self.evaluations
    }

    /// Looks for the first event in `(t0, t1]`; `evaluate(t, values)` gives the functions on the solution at
    /// `t`.
    ///
    /// Without an event the step is done and the sides are unchanged. With one, the time returned is that of
    /// the event, [`crossings`](Self::crossings) says which functions have changed, and the sides are the new
    /// ones.
    pub fn search(
        &mut self,
        t0: f64,
        t1: f64,
        evaluate: impl FnMut(f64, &mut [f64]) -> Result<(), ModelError>,
    ) -> Result<Option<f64>, ModelError> {
        self.search_in(t0, t1, &mut All(evaluate))
    }

    /// The same where changes may decide nothing: these are not looked for, the functions only change sides.
    pub fn search_in(
        &mut self,
        t0: f64,
        t1: f64,
        functions: &mut impl Functions,
    ) -> Result<Option<f64>, ModelError> {
        self.crossings.clear();
        if self.positive.is_empty() {
            return Ok(None);
        }
        let points = self.interior_points + 1;
        let mut a = t0;
        for k in 1..=points {
            let end = if k == points { t1 } else { t0 + (t1 - t0) * k as f64 / points as f64 };
            while a < end {
                let mut b = end;
                self.evaluations += 1;
                functions.evaluate(b, &mut self.right)?;
                if !self.changed(&self.right)
                    && let Some(dip) = self.look_into_dip(a, b, functions)?
                {
                    b = dip;
                }
                if !self.changed(&self.right) {
                    std::mem::swap(&mut self.older, &mut self.left);
                    std::mem::swap(&mut self.left, &mut self.right);
                    self.older_step = b - a;
                    self.narrow_bands();
                } else if !self.decide(functions) {
                    self.settle();
                    self.crossings.clear();
                } else {
                    let evaluate = &mut |t: f64, values: &mut [f64]| functions.evaluate(t, values);
                    let width = (RELATIVE_WIDTH * (t1 - t0)).max(2.0 * f64::EPSILON * t0.abs().max(t1.abs()));
                    let t = self.narrow(a, b, width, evaluate)?;
                    let t = self.gather(t, (t + width).min(t1), evaluate)?;
                    self.settle();
                    return Ok(Some(t));
                }
                a = b;
            }
        }
        Ok(None)
    }

    /// Where no function has changed at the right end but some may have changed twice on the way, looks near the lowest
    /// point of each; if one has changed there, the right end is there.
    fn look_into_dip(
        &mut self,
        a: f64,
        b: f64,
        functions: &mut impl Functions,
    ) -> Result<Option<f64>, ModelError> {
        for i in 0..self.positive.len() {
            let Some(mut lowest) = self.dip(i, self.right[i], Spacing::new(self.older_step, b - a)) else {
                continue;
            };
            let height = |this: &Self, value: f64| if this.positive[i] { value } else { -value };
            // Three points with the lowest in the middle, and the parabola through them.
            for _ in 0..DIP_LOOKS {
                let t = a + lowest.clamp(DIP_EDGE, 1.0 - DIP_EDGE) * (b - a);
                if !(t > a && t < b) {
                    break;
                }
                self.evaluations += 1;
                functions.evaluate(t, &mut self.middle)?;
                if self.changed(&self.middle) {
                    std::mem::swap(&mut self.right, &mut self.middle);
                    return Ok(Some(t));
                }
                let u = (t - a) / (b - a);
                let heights = [self.left[i], self.middle[i], self.right[i]].map(|v| height(self, v));
                let slopes = [(heights[1] - heights[0]) / u, (heights[2] - heights[1]) / (1.0 - u)];
                let bend = slopes[1] - slopes[0];
                let start = slopes[0] - bend * u;
                let next = -start / (2.0 * bend);
                let low = heights[0] - start * start / (4.0 * bend);
                let hopeful = bend > 0.0 && low < DIP_PART * heights[1];
                if !hopeful || (next - u).abs() < DIP_EDGE {
                    break;
                }
                lowest = next;
            }
        }
        Ok(None)
    }

    /// Where in the step, as a part of it, a function may come near zero: by the parabola through its values at both
    /// ends and before.
    fn dip(&self, index: usize, end: f64, spacing: Spacing) -> Option<f64> {
        if self.older_step <= 0.0 || self.bands[index] > 0.0 {
            return None;
        }
        let height = |value: f64| if self.positive[index] { value } else { -value };
        let (older, here, end) = (height(self.older[index]), height(self.left[index]), height(end));
        let (fell, rose) = ((here - older) * spacing.per_before, end - here);
        let bend = (rose - fell) * spacing.per_both;
        let start = rose - bend;
        // It goes down at first and up at last.
        if !(bend > 0.0 && start < 0.0 && start + 2.0 * bend > 0.0) {
            return None;
        }
        let low = here - start * start / (4.0 * bend);
        (low < DIP_PART * here.min(end)).then_some(-start / (2.0 * bend))
    }

    /// Do the changes at the right end decide anything?
    fn decide(&mut self, functions: &mut impl Functions) -> bool {
        let mut changed = std::mem::take(&mut self.changed);
        changed.clear();
        changed.extend((0..self.positive.len()).filter(|&i| self.has_changed(i, self.right[i])));
        let decide = functions.decide(&changed);
        self.changed = changed;
        decide
    }

    /// Goes to the end of a step where the functions are known well enough to see that none has changed or is about to: each
    /// is on its side, and further from zero than a good part of what it has moved in the step. Where that is not so,
    /// nothing happens.
    ///
    /// The values are those near the end of the step: each may be off by so much as `near` says.
    pub fn pass_clear(&mut self, t0: f64, t1: f64, values: &[f64], near: &[f64]) -> bool {
        const PART: f64 = 0.5;
        let (older_step, step) = (self.older_step, t1 - t0);
        let spacing = Spacing::new(older_step, step);
        let n = self.positive.len();
        let (values, near) = (&values[..n], &near[..n]);
        let (left, older) = (&self.left[..n], &self.older[..n]);
        let (bands, signs) = (&self.bands[..n], &self.signs[..n]);
        let dips = older_step > 0.0;
        // One loop without branches, for there are many functions and it is run after every step.
        let mut doubts = 0u64;
        for i in 0..n {
            let (sign, band, value) = (signs[i], bands[i], values[i]);
            let (older, here, end) = (sign * older[i], sign * left[i], sign * value);
            let size = value.abs();
            // What has not moved at all is where it was.
            let away = (size >= PART * (end - here).abs()) & (size > band) & (size > near[i]);
            let stays = (end > -band) & (away | (end == here));
            // As `dip` has it.
            let (fell, rose) = ((here - older) * spacing.per_before, end - here);
            let bend = (rose - fell) * spacing.per_both;
            let start = rose - bend;
            let turns = (bend > 0.0) & (start < 0.0) & (start + 2.0 * bend > 0.0);
            let lower = if here < end { here } else { end };
            let low = 4.0 * bend * (here - DIP_PART * lower) < start * start;
            doubts |= u64::from(!(stays & !(turns & low & (band <= 0.0) & dips)));
        }
        if doubts != 0 {
            return false;
        }
        std::mem::swap(&mut self.older, &mut self.left);
        self.older_step = t1 - t0;
        self.left.copy_from_slice(values);
        self.narrow_bands();
        true
    }

    /// At the end of all steps: functions that have come within `near(index)` of zero count as having changed, and so
    /// do those past zero within their band, for no later step will tell. Has one?
    pub fn settle_near_zero(&mut self, near: impl Fn(usize) -> f64) -> bool {
        self.crossings.clear();
        self.before = f64::NEG_INFINITY;
        for index in 0..self.positive.len() {
            let value = self.left[index];
            let past = (value > 0.0) != self.positive[index];
            if past || self.bands[index] == 0.0 && value.abs() <= near(index) {
                let now = !self.positive[index];
                let direction = if now { Direction::Rising } else { Direction::Falling };
                self.crossings.push(Crossing { index, direction });
                self.set_side(index, now);
            }
        }
        !self.crossings.is_empty()
    }

    fn changed(&self, values: &[f64]) -> bool {
        values.iter().enumerate().any(|(i, &v)| self.has_changed(i, v))
    }

    /// What is not a number any more has changed: somebody must look at it.
    fn has_changed(&self, index: usize, value: f64) -> bool {
        if value.is_nan() {
            return !self.left[index].is_nan();
        }
        (self.past(index, value) > 0.0) != self.positive[index]
    }

    /// The value as seen from where the function counts as zero.
    fn past(&self, index: usize, value: f64) -> f64 {
        if self.positive[index] { value + self.bands[index] } else { value - self.bands[index] }
    }

    /// Functions that have left their band on their own side need it no more.
    fn narrow_bands(&mut self) {
        for ((band, v), sign) in self.bands.iter_mut().zip(&self.left).zip(&self.signs) {
            *band = if sign * v > *band { 0.0 } else { *band };
        }
    }

    /// Narrows `[a, b]`, where sides are old at `a` and some are new at `b`, and returns the right end.
    fn narrow(
        &mut self,
        mut a: f64,
        mut b: f64,
        width: f64,
        evaluate: &mut impl FnMut(f64, &mut [f64]) -> Result<(), ModelError>,
    ) -> Result<f64, ModelError> {
        let truncation = 0.2 / (b - a);
        // What bisection would need, and one more to be clever with.
        let most = ((b - a) / width).log2().ceil().max(0.0) as i32 + 1;
        for count in 0..=most {
            if b - a <= width {
                break;
            }
            let half = 0.5 * (a + b);
            let secant = self.earliest_secant(a, b);
            // Towards the middle by a little more than the secant is likely to be wrong.
            let shift = (truncation * (b - a) * (b - a)).min((half - secant).abs());
            let truncated = if secant < half { secant + shift } else { secant - shift };
            // Never so far from the middle that bisection could no longer finish in time.
            let radius = (0.5 * width * 2f64.powi(most - count) - 0.5 * (b - a)).max(0.0);
            let mut c = truncated.max(half - radius).min(half + radius);
            c = c.max(a + 0.25 * width).min(b - 0.25 * width);
            if !(c > a && c < b) {
                break;
            }
            self.evaluations += 1;
            evaluate(c, &mut self.middle)?;
            if self.changed(&self.middle) {
                b = c;
                std::mem::swap(&mut self.right, &mut self.middle);
            } else {
                a = c;
                std::mem::swap(&mut self.left, &mut self.middle);
            }
        }
        self.before = a;
        Ok(b)
    }

    /// Where the secant of the earliest crossing function meets zero.
    fn earliest_secant(&self, a: f64, b: f64) -> f64 {
        let mut earliest = f64::INFINITY;
        for i in 0..self.positive.len() {
            let (l, r) = (self.past(i, self.left[i]), self.past(i, self.right[i]));
            if (r > 0.0) != self.positive[i] {
                let t = a + (b - a) * (l / (l - r));
                // A jump to or from infinity: no secant to speak of.
                earliest = earliest.min(if t.is_finite() { t } else { 0.5 * (a + b) });
            }
        }
        if earliest.is_finite() { earliest } else { 0.5 * (a + b) }
    }

    /// Functions that change within the width of the search after `t` change at `t`: moves on to where they
    /// have.
    fn gather(
        &mut self,
        t: f64,
        later: f64,
        evaluate: &mut impl FnMut(f64, &mut [f64]) -> Result<(), ModelError>,
    ) -> Result<f64, ModelError> {
        if self.positive.len() < 2 || later <= t {
            return Ok(t);
        }
        self.evaluations += 1;
        evaluate(later, &mut self.middle)?;
        let (mut more, mut lost) = (false, false);
        for (i, (&now, &then)) in self.right.iter().zip(&self.middle).enumerate() {
            more |= self.has_changed(i, then) && !self.has_changed(i, now);
            lost |= self.has_changed(i, now) && !self.has_changed(i, then);
        }
        if more && !lost {
            std::mem::swap(&mut self.right, &mut self.middle);
            return Ok(later);
        }
        Ok(t)
    }

    /// Records what has changed at the right end and makes it the new start.
    fn settle(&mut self) {
        for index in 0..self.positive.len() {
            if self.has_changed(index, self.right[index]) {
                let now = !self.positive[index];
                let direction = if now { Direction::Rising } else { Direction::Falling };
                self.crossings.push(Crossing { index, direction });
                self.set_side(index, now);
                self.bands[index] = 0.0;
            }
        }
        std::mem::swap(&mut self.left, &mut self.right);
        self.older_step = 0.0;
    }
}

/// Notices events that pile up: more than `limit` in a window of time.
#[derive(Clone, Debug)]
pub struct Chattering {
    window: f64,
    /// Times of the last events, as a ring.
    times: Vec<f64>,
    next: usize,
    filled: bool,
    /// How often each function has crossed while events were close together.
    counts: Vec<u32>,
}

/// Events have piled up.
#[derive(Clone, Debug, PartialEq)]
pub struct ChatteringReport {
    /// Time of the first event of the pile.
    pub from: f64,
    /// Time of the last.
    pub to: f64,
    /// Number of events.
    pub events: usize,
    /// Functions that crossed, and how often; most often first.
    pub functions: Vec<(usize, u32)>,
}

impl Chattering {
    /// Watches `count` functions for `limit` events within `window`.
    pub fn new(count: usize, limit: usize, window: f64) -> Self {
        Chattering { window, times: vec![0.0; limit.max(2)], next: 0, filled: false, counts: vec![0; count] }
    }

    /// Records an event; a report when it completes a pile. Events must come in the order of time.
    pub fn record(&mut self, t: f64, crossings: &[Crossing]) -> Option<ChatteringReport> {
        let limit = self.times.len();
        let last = self.times[(self.next + limit - 1) % limit];
        let any = self.filled || self.next > 0;
        if any && t - last > self.window {
            self.clear();
        }
        for c in crossings {
            if let Some(count) = self.counts.get_mut(c.index) {
                *count += 1;
            }
        }
        self.times[self.next] = t;
        self.next = (self.next + 1) % limit;
        self.filled |= self.next == 0;
        let from = if self.filled { self.times[self.next] } else { self.times[0] };
        if !self.filled || t - from > self.window {
            return None;
        }
        let mut functions: Vec<(usize, u32)> =
            self.counts.iter().enumerate().filter(|(_, c)| **c > 0).map(|(i, &c)| (i, c)).collect();
        functions.sort_by_key(|&(i, c)| (std::cmp::Reverse(c), i));
        self.clear();
        Some(ChatteringReport { from, to: t, events: limit, functions })
    }

    fn clear(&mut self) {
        self.next = 0;
        self.filled = false;
        self.counts.fill(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(finder: &mut EventFinder, t0: f64, t1: f64, f: impl Fn(f64) -> Vec<f64>) -> Option<f64> {
        finder.start(&f(t0));
        finder
            .search(t0, t1, |t, g| {
                g.copy_from_slice(&f(t));
                Ok(())
            })
            .unwrap()
    }

    #[test]
    fn what_is_nearly_there_at_the_end_has_arrived() {
        let mut finder = EventFinder::new(3);
        finder.start(&[1.0, 1.0, 0.0]);
        finder.set_band(2, 1e-9);
        let at = |t: f64| [1e-14 + 1.0 - t, 2.0 - t, 0.0];
        let found = finder.search(0.0, 1.0, |t, g| {
            g.copy_from_slice(&at(t));
            Ok(())
        });
        assert_eq!(found.unwrap(), None);
        assert!(finder.settle_near_zero(|_| 1e-12));
        assert_eq!(finder.crossings(), [Crossing { index: 0, direction: Direction::Falling }]);
    }

    #[test]
    fn located_to_a_trillionth_of_the_step_in_few_evaluations() {
        let cases: [(fn(f64) -> f64, f64); 6] = [
            (|t| t - 0.3, 0.3),
            (|t| (t - 0.7).powi(3), 0.7),
            (|t| 1.0 - 2.0 * (-(t * 5.0)).exp(), 2f64.ln() / 5.0),
            (|t| (t - 0.999_999).tanh() * 1e6, 0.999_999),
            (|t| (t.sqrt() - 0.5) * 1e-200, 0.25),
            (|t| if t < 0.123 { -1.0 } else { 3.0 }, 0.123),
        ];
        for (k, (f, exact)) in cases.into_iter().enumerate() {
            let mut finder = EventFinder::new(1);
            let t = find(&mut finder, 0.0, 1.0, |t| vec![f(t)]).unwrap();
            assert!((t - exact).abs() <= 2e-12, "case {k}: {t}");
            assert!(f(t) > 0.0, "case {k}: the function has not changed yet");
            // Bisection needs 41 beside the one at the end of the step; smooth functions with simple zeros
            // much less.
            let limit = if matches!(k, 0 | 2 | 4) { 16 } else { 43 };
            assert!(finder.evaluations() <= limit, "case {k}: {} evaluations", finder.evaluations());
            assert_eq!(finder.crossings(), [Crossing { index: 0, direction: Direction::Rising }]);
        }
    }

    #[test]
    fn the_first_of_many_and_several_at_once() {
        let f = |t: f64| vec![t - 0.8, 0.5 - t, t - 0.9, t - 0.5, 2.0 - t];
        let mut finder = EventFinder::new(5);
        let t = find(&mut finder, 0.0, 1.0, f).unwrap();
        assert!((t - 0.5).abs() < 1e-12);
        assert_eq!(
            finder.crossings(),
            [
                Crossing { index: 1, direction: Direction::Falling },
                Crossing { index: 3, direction: Direction::Rising }
            ]
        );
        // Continued from there, the others follow, each once.
        let mut evaluate = |t: f64, g: &mut [f64]| {
            g.copy_from_slice(&f(t));
            Ok(())
        };
        let second = finder.search(t, 1.0, &mut evaluate).unwrap().unwrap();
        assert!((second - 0.8).abs() < 1e-12);
        assert_eq!(finder.crossings()[0].index, 0);
        let third = finder.search(second, 1.0, &mut evaluate).unwrap().unwrap();
        assert!((third - 0.9).abs() < 1e-12);
        assert_eq!(finder.search(third, 1.0, &mut evaluate).unwrap(), None);
    }

    #[test]
    fn starting_at_zero() {
        // Rising from zero: an event right after the start. Falling from zero: none.
        let mut finder = EventFinder::new(1);
        let t = find(&mut finder, 2.0, 3.0, |t| vec![t - 2.0]).unwrap();
        assert!(t > 2.0 && t < 2.0 + 3e-12, "{t}");
        assert_eq!(find(&mut finder, 2.0, 3.0, |t| vec![2.0 - t]), None);
        // Touching zero from above counts as falling; staying at zero is nothing.
        let t = find(&mut finder, 0.0, 1.0, |t| vec![(1.0 - t).max(0.0)]).unwrap();
        assert!((t - 1.0).abs() < 1e-12);
        assert_eq!(finder.crossings()[0].direction, Direction::Falling);
        assert_eq!(find(&mut finder, 0.0, 1.0, |_| vec![0.0]), None);
    }

    #[test]
    fn double_crossings_need_interior_points() {
        let f = |t: f64| vec![(t - 0.4) * (t - 0.6)];
        assert_eq!(find(&mut EventFinder::new(1), 0.0, 1.0, f), None);
        let t = find(&mut EventFinder::new(1).with_interior_points(1), 0.0, 1.0, f).unwrap();
        assert!((t - 0.4).abs() < 1e-12);
    }

    #[test]
    fn far_from_zero_time_the_width_is_that_of_rounding() {
        let mut finder = EventFinder::new(1);
        let t = find(&mut finder, 1e6, 1e6 + 1e-6, |t| vec![t - (1e6 + 0.3e-6)]).unwrap();
        assert!((t - (1e6 + 0.3e-6)).abs() <= 1e-9);
    }

    #[test]
    fn chattering_is_noticed_and_names_the_functions() {
        let mut watch = Chattering::new(3, 100, 1e-3);
        let rising = [Crossing { index: 2, direction: Direction::Rising }];
        // Far apart: never a report.
        assert!((0..500).all(|k| watch.record(f64::from(k), &rising).is_none()));
        // A pile: reported at the hundredth.
        let reports: Vec<_> = (0..100)
            .filter_map(|k| {
                let both = [rising[0], Crossing { index: 0, direction: Direction::Falling }];
                watch.record(1000.0 + 1e-6 * f64::from(k), if k % 4 == 0 { &both } else { &rising })
            })
            .collect();
        assert_eq!(reports.len(), 1);
        assert_eq!(reports[0].functions, [(2, 100), (0, 25)]);
        assert_eq!(reports[0].events, 100);
        assert!((reports[0].to - reports[0].from - 99e-6).abs() < 1e-9);
        // Zero crossings of a bouncing ball accumulate but slowly enough: intervals halve, the window is not
        // reached.
        let mut watch = Chattering::new(1, 50, 1e-9);
        let mut t = 0.0;
        assert!((0..40).all(|k| {
            t += 0.5f64.powi(k);
            watch.record(t, &[]).is_none()
        }));
    }
}
