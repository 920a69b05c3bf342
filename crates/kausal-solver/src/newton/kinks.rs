//! Across kinks.
//!
//! On a linear piece the residual falls along Newton's direction as `(1 - λ) F`, up to the kink where the piece ends. If the piece
//! beyond is steeper, the natural level there, still measured with the matrix of this side, soon is above `1 - λ/2` of what it was
//! where the step began (the restricted monotonicity test; Deuflhard, §3.2). The longest step below that thus ends just
//! beyond the kink, by about the slope of this piece over that of the next one. From there the method goes on with the matrix of that piece, as J. Katzenelson does from piece to piece (*An
//! algorithm for solving nonlinear resistor networks*, Bell System Technical Journal 44, 1965). An amplifier that saturates and
//! is fed back is the case in point: between its ends Newton's method jumps to and fro over the piece on which the solution is.
//!
//! Where the determinants of the two matrices have different signs the path turns back at the kink: it is a fold, there is no solution
//! that way, and the iteration ends, so that others may look elsewhere.

use super::{Newton, NonlinearSystem};
use crate::error::ModelError;

/// The step is known to this part of itself: slopes of pieces that differ by more than the inverse are not told apart from jumps.
const NEXT: f64 = 1e-12;

impl Newton {
    /// Goes on from an accepted damping factor towards the one that was refused, as long as the natural level falls at least
    /// half as fast as on a straight line. Leaves the trial point; returns the size of the simplified correction there.
    pub(super) fn go_on<S: NonlinearSystem>(
        &mut self,
        system: &mut S,
        x: &[f64],
        size: f64,
        accepted: f64,
    ) -> Result<f64, ModelError> {
        let (mut good, mut bad) = (accepted, self.refused.unwrap_or(accepted));
        while bad - good > NEXT * bad {
            let middle = 0.5 * (good + bad);
            match self.try_damping(system, x, middle)? {
                Some(simplified) if simplified <= (1.0 - 0.5 * middle) * size => good = middle,
                _ => bad = middle,
            }
        }
        self.last.damping = good;
        Ok(self.try_damping(system, x, good)?.unwrap_or(size))
    }
}
