//! Error weights: what counts as one unit of error in each state.
//!
//! `w_i = 1 / (rtol |x_i| + atol nominal_i)`, and errors are measured in the weighted root-mean-square norm
//! `‖v‖ = √(Σ (v_i w_i)² / n)`. A step is accepted when the norm of its local error is at most one, so
//! tolerances mean the same for a model of one state and of ten thousand, in any units.
//!
//! A nominal size of one is what states have of which nobody has said it. Where such a state has always been smaller, its
//! absolute tolerance may follow the largest value it has had ([`Weights::following`]), down to a thousandth: an error
//! larger than the state itself may lead to where the equations have no solution, as with the second species of Robertson's reaction, which must not
//! become negative. Not further down: what is zero but for rounding is not worth small steps.

/// Tolerances and the weights they give at the current point.
#[derive(Clone, Debug)]
pub struct Weights {
    rtol: f64,
    atol: Vec<f64>,
    values: Vec<f64>,
    /// The absolute tolerance of states whose usual size nobody has said, if they are as large as one.
    followed_atol: f64,
    /// The largest that each of these states has been, less than nothing at first; no state is larger than that of the others.
    /// Empty where none is followed.
    largest: Vec<f64>,
}

/// Smaller states have the tolerance of this size.
const SMALLEST_SIZE: f64 = 1e-3;

impl Weights {
    /// Tolerances for states of these nominal sizes.
    pub fn new(rtol: f64, atol: f64, nominal: impl Iterator<Item = f64>) -> Self {
        let atol: Vec<f64> = nominal.map(|size| atol * usable(size)).collect();
        let values = vec![0.0; atol.len()];
        Weights { rtol, atol, values, followed_atol: 0.0, largest: Vec::new() }
    }

    /// The same, where absolute tolerances of states with a nominal size of one follow these states.
    pub fn following(rtol: f64, atol: f64, nominal: impl Iterator<Item = f64>) -> Self {
        let sizes: Vec<f64> = nominal.collect();
        let largest =
            sizes.iter().map(|&size| if usable(size) == 1.0 { -1.0 } else { f64::INFINITY }).collect();
        Weights { followed_atol: atol, largest, ..Weights::new(rtol, atol, sizes.into_iter()) }
    }

    fn follow(&mut self, x: &[f64]) {
        // Seldom, and that is seen without branches.
        let grows =
            |largest: &[f64]| x.iter().zip(largest).fold(false, |any, (x, most)| any | (x.abs() > *most));
        if !grows(&self.largest) {
            return;
        }
        for ((largest, atol), x) in self.largest.iter_mut().zip(&mut self.atol).zip(x) {
            if x.abs() > *largest {
                *largest = x.abs();
                *atol = self.followed_atol * x.abs().clamp(SMALLEST_SIZE, 1.0);
            }
        }
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

    #[test]
    fn tolerances_follow_states_of_unsaid_size() {
        let mut w = Weights::following(0.0, 1e-6, [1.0, 2.0].into_iter());
        let mut tolerance = |x: f64| {
            w.update(&[x, x]);
            (1e6 / w.values()[0], 1e6 / w.values()[1])
        };
        for (x, wanted) in [(0.0, 1e-3), (1e-4, 1e-3), (-0.1, 0.1), (0.01, 0.1), (50.0, 1.0), (0.0, 1.0)] {
            let (followed, said) = tolerance(x);
            assert!(
                (followed - wanted).abs() < 1e-12 && (said - 2.0).abs() < 1e-12,
                "{x}: {followed}, {said}"
            );
        }
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
