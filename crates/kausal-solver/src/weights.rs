//! Error weights: what counts as one unit of error in each state.
//!
//! `w_i = 1 / (rtol |x_i| + atol nominal_i)`, and errors are measured in the weighted root-mean-square norm
//! `‖v‖ = √(Σ (v_i w_i)² / n)`. A step is accepted when the norm of its local error is at most one, so
//! tolerances mean the same for a model of one state and of ten thousand, in any units.
//!
//! The size of a state may be said (`nominal`), or follow from what is known ([`Size`], [`Weights::following`]). A state whose
//! size nobody has said has an absolute tolerance relative to the largest value it has had, at most one, so that it keeps its
//! size where it decays. A start value that is not zero is a size; from zero a state grows, and until it has
//! done so it is measured by a small part of the other states ([`SMALLEST_PART`]): of those in its own equation that have a
//! start value, or of the largest of all; where nothing has a size, of one. So the units of a model
//! as a whole do not matter: what is in nanomoles per litre is as exact as what is in metres.
//!
//! What is zero but for rounding is not worth small steps. Its errors do not become smaller with the step, and that is how it is
//! told from a small state: where steps are rejected again and again for one state, its tolerance is raised
//! ([`Weights::raise`]), up to the part of one that a state of unknown size has beside states of size one.

use serde::{Deserialize, Serialize};

/// Tolerances and the weights they give at the current point.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Weights {
    rtol: f64,
    atol: Vec<f64>,
    values: Vec<f64>,
    /// The absolute tolerance of states whose usual size nobody has said, if they are as large as one.
    followed_atol: f64,
    /// What is known of the states; empty where no tolerance follows its state.
    followed: Vec<Followed>,
    /// The largest that each followed state has been, less than nothing at first; no state is larger than that of the others.
    /// Empty where none is followed.
    largest: Vec<f64>,
    /// What is known of the groups of states that act on each other.
    groups: Vec<Group>,
}

/// States that act on each other, directly or through others. What is a rounding error in one group says nothing about another.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Group {
    /// The largest size of its states so far.
    overall: f64,
    /// One of them has a size that is said, or a start value. Else all may be zero but for rounding, and are measured as if
    /// they were beside states of size one.
    known: bool,
}

/// What is known of the size of a state before a run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Size {
    /// It is said.
    Said(f64),
    /// It starts with this value, which is not zero.
    Started(f64),
    /// It grows from values of any size, so that its errors are relative to what it is at the time.
    Relative,
    /// Nothing; but the smallest start value, not zero, of the states that its derivative depends on. Infinite where there is none.
    Unknown {
        /// That start value.
        beside: f64,
    },
}

impl Size {
    /// Of what has this nominal size, one being what nobody has said.
    pub fn of_nominal(nominal: f64) -> Size {
        match usable(nominal) {
            1.0 => Size::Unknown { beside: f64::INFINITY },
            size => Size::Said(size),
        }
    }
}

/// A state whose tolerance follows it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Followed {
    group: usize,
    /// The floor is that of a state beside such ones; zero where the state has a start value and needs no floor.
    beside: f64,
    /// At least this size, for errors below are rounding.
    raised: f64,
}

/// A state of unknown size is measured as if it were this part of the others.
const SMALLEST_PART: f64 = 1e-3;
/// No size is smaller, so that squares of weighted values stay finite.
const SMALLEST_SIZE: f64 = 1e-60;

impl Weights {
    /// Tolerances for states of these nominal sizes.
    pub fn new(rtol: f64, atol: f64, nominal: impl Iterator<Item = f64>) -> Self {
        let atol: Vec<f64> = nominal.map(|size| atol * usable(size)).collect();
        let values = vec![0.0; atol.len()];
        let (followed, largest) = (Vec::new(), Vec::new());
        Weights { rtol, atol, values, followed_atol: 0.0, followed, largest, groups: Vec::new() }
    }

    /// The same, where absolute tolerances of states whose size is not said follow these states. Each has the number of its
    /// group: states that act on each other have the same.
    pub fn following(rtol: f64, atol: f64, states: impl Iterator<Item = (usize, Size)>) -> Self {
        let states: Vec<(usize, Size)> = states.collect();
        let nominal = |size: &Size| match *size {
            Size::Said(size) => size,
            Size::Relative => SMALLEST_SIZE,
            Size::Started(_) | Size::Unknown { .. } => 1.0,
        };
        let overall = |size: &Size| match *size {
            Size::Said(size) => usable(size),
            Size::Started(value) => value.abs(),
            Size::Relative | Size::Unknown { .. } => 0.0,
        };
        let largest = |size: &Size| match *size {
            Size::Said(_) | Size::Relative => f64::INFINITY,
            Size::Started(value) => value.abs(),
            Size::Unknown { .. } => -1.0,
        };
        let beside = |size: &Size| match *size {
            Size::Unknown { beside } => beside,
            _ => 0.0,
        };
        let count = states.iter().map(|(group, _)| group + 1).max().unwrap_or(0);
        let mut groups = vec![Group::default(); count];
        for (group, size) in &states {
            groups[*group].overall = groups[*group].overall.max(overall(size));
            groups[*group].known |= overall(size) > 0.0;
        }
        let followed =
            |(group, size): &(usize, Size)| Followed { group: *group, beside: beside(size), raised: 0.0 };
        let mut weights = Weights {
            followed_atol: atol,
            followed: states.iter().map(followed).collect(),
            largest: states.iter().map(|(_, size)| largest(size)).collect(),
            groups,
            ..Weights::new(rtol, atol, states.iter().map(|(_, size)| nominal(size)))
        };
        weights.settle();
        weights
    }

    fn follow(&mut self, x: &[f64]) {
        // Seldom, and that is seen without branches.
        let grows =
            |largest: &[f64]| x.iter().zip(largest).fold(false, |any, (x, most)| any | (x.abs() > *most));
        if !grows(&self.largest) {
            return;
        }
        for ((largest, own), x) in self.largest.iter_mut().zip(&self.followed).zip(x) {
            if x.abs() > *largest {
                *largest = x.abs();
                let group = &mut self.groups[own.group];
                group.overall = group.overall.max(x.abs());
            }
        }
        self.settle();
    }

    /// Absolute tolerances from what is known now.
    fn settle(&mut self) {
        for ((atol, own), largest) in self.atol.iter_mut().zip(&self.followed).zip(&self.largest) {
            if *largest < f64::INFINITY {
                let Group { overall, known } = self.groups[own.group];
                let others = if known { overall.min(1.0) } else { 1.0 };
                let floor = (SMALLEST_PART * others.min(own.beside)).max(own.raised).max(SMALLEST_SIZE);
                *atol = self.followed_atol * largest.max(floor).min(1.0);
            }
        }
    }

    /// Steps are rejected again and again for this state although they become smaller: its error, or what is left of an iteration,
    /// is rounding, and its tolerance becomes this large, but not larger than that of a state of unknown size beside states
    /// of size one.
    pub fn raise(&mut self, state: usize, tolerance: f64) {
        let (Some(own), Some(largest)) = (self.followed.get_mut(state), self.largest.get(state)) else {
            return;
        };
        if !(*largest < SMALLEST_PART && self.followed_atol > 0.0) {
            return;
        }
        let raised = (tolerance / self.followed_atol).min(SMALLEST_PART);
        if raised > own.raised {
            own.raised = raised;
            let before = self.atol[state];
            self.settle();
            self.values[state] = 1.0 / (1.0 / self.values[state] + (self.atol[state] - before).max(0.0));
        }
    }

    /// The states that have moved and yet have always been below their absolute tolerance, or so little above that no digit is
    /// certain. What is a rounding error of the largest state of the group does not count.
    pub fn below_tolerance(&self) -> Vec<usize> {
        const ROUNDING: f64 = 1e4 * f64::EPSILON;
        /// A first digit is certain from here on.
        const DIGIT: f64 = 10.0;
        let below = |&i: &usize| {
            let least = ROUNDING * self.groups[self.followed[i].group].overall;
            self.largest[i] > least && self.largest[i] < DIGIT * self.atol[i]
        };
        (0..self.largest.len()).filter(below).collect()
    }

    /// The absolute tolerance of a state.
    pub fn absolute(&self, state: usize) -> f64 {
        self.atol.get(state).copied().unwrap_or(0.0)
    }

    /// The absolute tolerances of all states.
    pub fn absolutes(&self) -> &[f64] {
        &self.atol
    }

    /// The relative tolerance.
    pub fn relative(&self) -> f64 {
        self.rtol
    }

    /// Sets the weights at `x`.
    pub fn update(&mut self, x: &[f64]) {
        self.follow(x);
        for ((w, atol), x) in self.values.iter_mut().zip(&self.atol).zip(x) {
            *w = 1.0 / (self.rtol * x.abs() + atol);
        }
    }

    /// Sets the weights at the larger of two points, as one-step methods do for the two ends of a step.
    pub fn update_between(&mut self, x: &[f64], y: &[f64]) {
        self.follow(x);
        for (((w, atol), x), y) in self.values.iter_mut().zip(&self.atol).zip(x).zip(y) {
            *w = 1.0 / (self.rtol * x.abs().max(y.abs()) + atol);
        }
    }

    /// The weights.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Weighted root-mean-square norm.
    pub fn norm(&self, v: &[f64]) -> f64 {
        norm(&self.values, v)
    }

    /// The component with the largest weighted size; the first that is not a number if there is one.
    pub fn dominating(&self, v: &[f64]) -> usize {
        largest(&self.values, v).unwrap_or(0)
    }
}

/// What an iteration for `x` need not make smaller where errors of formulas are to be seen alone: the weighted size of what is a
/// little more than rounding errors, and of what is nothing.
pub fn rounding(weights: &[f64], x: &[f64]) -> f64 {
    const ROUNDING: f64 = 1e-12;
    (ROUNDING * norm(weights, x)).max(ROUNDING)
}

/// The component with the largest weighted size; the first that is not a number if there is one.
pub(crate) fn largest(weights: &[f64], v: &[f64]) -> Option<usize> {
    let (mut worst, mut size) = (None, -1.0);
    for (i, (v, w)) in v.iter().zip(weights).enumerate() {
        let s = (v * w).abs();
        if s.is_nan() {
            return Some(i);
        }
        if s > size {
            (worst, size) = (Some(i), s);
        }
    }
    worst
}

/// Weighted root-mean-square norm of `v`. Zero for an empty vector.
#[inline]
pub fn norm(weights: &[f64], v: &[f64]) -> f64 {
    (sum_of_squares(weights, v) / v.len().max(1) as f64).sqrt()
}

/// `Σ (v_i w_i)²`, in several sums side by side: one after the other, each addition would wait for the one before.
#[inline]
pub fn sum_of_squares(weights: &[f64], v: &[f64]) -> f64 {
    const LANES: usize = 4;
    let n = v.len().min(weights.len());
    let (v, w) = (v[..n].chunks_exact(LANES), weights[..n].chunks_exact(LANES));
    let mut sum: f64 = v.remainder().iter().zip(w.remainder()).map(|(v, w)| (v * w) * (v * w)).sum();
    let mut sums = [0.0; LANES];
    for (v, w) in v.zip(w) {
        for k in 0..LANES {
            let s = v[k] * w[k];
            sums[k] += s * s;
        }
    }
    sum += (sums[0] + sums[1]) + (sums[2] + sums[3]);
    sum
}

/// The first component that is infinite or not a number.
pub fn first_not_finite(v: &[f64]) -> Option<usize> {
    v.iter().position(|v| !v.is_finite())
}

/// A nominal value of zero, or one that is not a number, says nothing: one.
fn usable(nominal: f64) -> f64 {
    let size = nominal.abs();
    if size > 0.0 && size.is_finite() { size } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNKNOWN: Size = Size::Unknown { beside: f64::INFINITY };

    /// The absolute tolerances at `x`, in units of the tolerance.
    fn sizes(w: &mut Weights, x: &[f64]) -> Vec<f64> {
        w.update(x);
        (0..x.len()).map(|i| w.absolute(i) / 1e-6).collect()
    }

    /// Of states that all act on each other.
    fn following(sizes: &[Size]) -> Weights {
        Weights::following(0.0, 1e-6, sizes.iter().map(|size| (0, *size)))
    }

    fn near(found: &[f64], wanted: &[f64]) {
        let same = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-12 * b.abs();
        assert!(found.iter().zip(wanted).all(same), "{found:?} instead of {wanted:?}");
    }

    #[test]
    fn tolerances_follow_states_of_unsaid_size() {
        let mut w = following(&[Size::of_nominal(1.0), Size::of_nominal(2.0)]);
        for (x, wanted) in [(0.0, 1e-3), (1e-4, 1e-3), (-0.1, 0.1), (0.01, 0.1), (50.0, 1.0), (0.0, 1.0)] {
            near(&sizes(&mut w, &[x, x]), &[wanted, 2.0]);
        }
    }

    /// A model in other units has the same tolerances, in its units.
    #[test]
    fn small_models_are_measured_by_themselves() {
        for unit in [1e-9, 1e-15] {
            let mut w = following(&[Size::Started(unit), UNKNOWN]);
            near(&sizes(&mut w, &[unit, 0.0]), &[unit, 1e-3 * unit]);
            near(&sizes(&mut w, &[0.0, 0.5 * unit]), &[unit, 0.5 * unit]);
        }
        // Nothing is known: it may be rounding.
        let mut w = following(&[UNKNOWN]);
        near(&sizes(&mut w, &[0.0]), &[1e-3]);
        near(&sizes(&mut w, &[1e-9]), &[1e-3]);
    }

    /// Beside a temperature a concentration is measured by the others of its equation.
    #[test]
    fn a_state_from_zero_is_measured_by_its_equation() {
        let beside = Size::Unknown { beside: 1e-9 };
        let mut w = following(&[Size::Started(300.0), beside, UNKNOWN]);
        near(&sizes(&mut w, &[300.0, 0.0, 0.0]), &[1.0, 1e-12, 1e-3]);
    }

    #[test]
    fn what_is_rounding_gets_a_tolerance_it_can_meet() {
        let mut w = following(&[UNKNOWN, Size::Said(1.0)]);
        w.update(&[1e-17, 1.0]);
        w.raise(0, 1e-12);
        assert!((w.absolute(0) - 1e-9).abs() < 1e-24, "beside a state of size one it has that already");
        let mut w = following(&[UNKNOWN, Size::Started(1e-12)]);
        w.update(&[1e-17, 1e-12]);
        w.raise(0, 1e-16);
        assert!((w.absolute(0) - 1e-16).abs() < 1e-28 && (w.values()[0] - 1e16).abs() < 1e4);
        w.raise(0, 1.0);
        assert!((w.absolute(0) - 1e-9).abs() < 1e-24, "not without limit");
    }

    #[test]
    fn states_below_their_tolerance_are_found() {
        let mut w = following(&[Size::Started(1.0), UNKNOWN, UNKNOWN]);
        w.update(&[1.0, 1e-10, 1e-16]);
        assert_eq!(w.below_tolerance(), [1], "the last is rounding of the first");
        w.update(&[1.0, 2e-8, 1e-16]);
        assert_eq!(w.below_tolerance(), [0usize; 0]);
    }

    #[test]
    fn relative_states_have_no_absolute_tolerance() {
        let mut w =
            Weights::following(1e-6, 1e-6, [(0, Size::Started(1.0)), (0, Size::Relative)].into_iter());
        w.update(&[1.0, 1e-20]);
        assert!((w.values()[1] * 1e-26 - 1.0).abs() < 1e-9);
        assert_eq!(w.below_tolerance(), [0usize; 0]);
    }

    /// A small group beside a large one is measured by itself.
    #[test]
    fn groups_do_not_measure_each_other() {
        let states = [(0, Size::Started(300.0)), (1, Size::Started(1e-12)), (1, UNKNOWN)];
        let mut w = Weights::following(0.0, 1e-6, states.into_iter());
        near(&sizes(&mut w, &[300.0, 1e-12, 0.0]), &[1.0, 1e-12, 1e-15]);
    }

    #[test]
    fn one_unit_of_error_has_norm_one() {
        let mut w = Weights::new(1e-3, 1e-6, [1.0, 1e5, 0.0].into_iter());
        w.update(&[2.0, 0.0, -1.0]);
        let unit = [2e-3 + 1e-6, 1e-1, 1e-3 + 1e-6];
        assert!((w.norm(&unit) - 1.0).abs() < 1e-15);
        assert_eq!(w.dominating(&[0.0, 1.0, 0.1]), 2);
        assert_eq!(w.dominating(&[0.0, f64::NAN, 1e9]), 1);
        assert_eq!(norm(&[], &[]), 0.0);
        // All of a length that is no multiple of the sums side by side.
        let (w, v): (Vec<f64>, Vec<f64>) = (1..=11).map(|i| (1.0, f64::from(i))).unzip();
        assert_eq!(sum_of_squares(&w, &v), 506.0);
    }
}
