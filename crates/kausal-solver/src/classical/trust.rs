//! Whether a small correction means that the solution is near.
//!
//! A correction `M⁻¹ r` is small where the residual `r` is, or where the matrix `M` is large. In stiff equations both are right;
//! but a matrix that was made at another point may be too large by any factor (that of a diode which conducts, where it blocks),
//! and then every guess looks like a solution, with an error estimate of nothing. What a matrix is worth is seen only where a
//! correction is followed by an evaluation: corrections and residuals must both become smaller. Evaluating each last correction
//! would cost half as much again, so a matrix that has been seen to make a residual smaller is trusted with others of about the
//! same size, until it has been seen to fail. A residual that is itself within the tolerance needs no trust.

use serde::{Deserialize, Serialize};

/// A correction that is followed by one of at most this part of it has come near to the solution. Far from it, Newton's method
/// for a power `p` leaves `(1 - 1/p)^p` of the residual: a quarter for squares, and more for higher powers and the exponential
/// function, `1/e`.
pub(crate) const NEAR_SOLUTION: f64 = 0.25;
/// One that is followed by at most this part of it, and no more than the one before it was, converges slowly.
const SLOW: f64 = 0.5;
/// Residuals up to this ratio are of the same size: one and a half orders of magnitude.
const SAME_SIZE: f64 = 30.0;
/// And so much larger may be a residual as a multiple of its correction. A corner of the equations is seen there: behind it the
/// correction of what the first one left is many orders of magnitude smaller.
const SAME_STIFFNESS: f64 = 1e3;

/// A correction of an iteration.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Correction {
    /// In error weights: the correction, and the residual that it was made from.
    pub size: f64,
    pub residual: f64,
    /// The larger of both as a part of that of the one before; zero for the first.
    pub ratio: f64,
}

impl Correction {
    /// Would so much more of it still be less than the error that a step may make? What was seen in another step says nothing of a
    /// matrix that has become wrong since, by as much as residuals of the same size differ: with that of a diode which conducts no
    /// longer the predictor does all the work, step by step. Where each step begins with a matrix of its own that is no question.
    pub fn is_harmless(&self) -> bool {
        SAME_SIZE * self.size <= 1.0
    }

    /// One that follows another with the same matrix.
    pub fn after(before: &Correction, size: f64, residual: f64) -> Correction {
        Correction { size, residual, ratio: (size / before.size).max(residual / before.residual) }
    }

    /// Is what is left after the correction before so little that the matrix must be about right?
    pub fn shows_contraction(&self, before: &Correction) -> bool {
        self.ratio <= NEAR_SOLUTION || self.ratio <= SLOW && self.ratio <= before.ratio
    }
}

/// What a matrix has been seen to do.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Trust {
    /// The last correction that made the residual smaller as it should.
    seen: Option<Correction>,
}

impl Trust {
    /// `next` follows `before`, with the same matrix: does this one do what it should?
    pub fn learn(&mut self, before: &Correction, next: &Correction) -> bool {
        let contracts = next.shows_contraction(before);
        if contracts {
            self.seen = Some(*before);
        } else if !(next.ratio <= SLOW) {
            self.seen = None;
        }
        contracts
    }

    /// May a correction like this one be believed without an evaluation? In the same step residuals become smaller from one
    /// correction to the next.
    pub fn covers(&self, correction: &Correction, same_step: bool) -> bool {
        self.seen.is_some_and(|seen| {
            correction.residual <= SAME_SIZE * seen.residual
                && (same_step || seen.residual <= SAME_SIZE * correction.residual)
                && correction.residual * seen.size <= SAME_STIFFNESS * seen.residual * correction.size
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn correction(size: f64, residual: f64) -> Correction {
        Correction { size, residual, ratio: 0.0 }
    }

    #[test]
    fn a_new_matrix_is_trusted_after_it_has_contracted() {
        let mut trust = Trust::default();
        let first = correction(1.0, 1e4);
        assert!(!trust.covers(&first, false));
        assert!(trust.learn(&first, &Correction::after(&first, 1e-2, 1e2)));
        assert!(trust.covers(&correction(0.5, 5e3), false));
        // Smaller residuals in the same step only.
        assert!(!trust.covers(&correction(1e-4, 1.0), false));
        assert!(trust.covers(&correction(1e-4, 1.0), true));
    }

    #[test]
    fn only_small_corrections_are_harmless() {
        assert!(correction(0.03, 5e3).is_harmless());
        assert!(!correction(0.5, 5e3).is_harmless());
        assert!(!correction(f64::NAN, 5e3).is_harmless());
    }

    /// Newton's method far out on an exponential function: each correction is one unit of its argument, and leaves 1/e.
    #[test]
    fn corrections_on_an_exponential_function_are_no_contraction() {
        let mut trust = Trust::default();
        let first = correction(1e-3, 1e8);
        let left = (-1.0f64).exp();
        assert!(!trust.learn(&first, &Correction::after(&first, 1e-3 * left, 1e8 * left)));
        assert!(!trust.covers(&first, true));
    }

    /// Behind a corner corrections vanish because the matrix is that of the other side; the residual does not.
    #[test]
    fn corrections_that_vanish_without_the_residual_are_not_believed() {
        let mut trust = Trust::default();
        let first = correction(300.0, 500.0);
        assert!(!trust.learn(&first, &Correction::after(&first, 2e-3, 700.0)));
        // And where the residual becomes smaller by chance, what is left is of another kind.
        let first = correction(2e4, 4e4);
        let next = Correction::after(&first, 2e-2, 9e3);
        assert!(trust.learn(&first, &next));
        assert!(!trust.covers(&next, true));
    }
}
