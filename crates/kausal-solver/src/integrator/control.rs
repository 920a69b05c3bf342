//! Step size control of the one-step methods.
//!
//! A proportional-integral controller (Gustafsson 1991; Hairer & Wanner II, §IV.2): the next step depends on
//! the error of this step and, a little, on that of the last, which keeps the step sizes of explicit methods
//! from jumping at the border of their stability.

use serde::{Deserialize, Serialize};

/// Parameters and memory of a controller.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Controller {
    /// One over the power of the step the error grows with.
    exponent: f64,
    integral: f64,
    shrink: f64,
    grow: f64,
    last_error: f64,
}

const SAFETY: f64 = 0.9;
/// A step that is larger by less is not worth a factorisation.
pub(crate) const WORTH_IT: f64 = 1.2;

impl Controller {
    /// For an error estimate that behaves like the `power`-th power of the step.
    pub fn new(power: usize, integral: f64, shrink: f64, grow: f64) -> Self {
        let exponent = 1.0 / power as f64 - 0.75 * integral;
        Controller { exponent, integral, shrink, grow, last_error: 1e-4 }
    }

    pub fn reset(&mut self) {
        self.last_error = 1e-4;
    }

    /// Ratio of the next step to this one, which is accepted with this error. After a rejection steps do not
    /// grow.
    pub fn accepted(&mut self, error: f64, after_rejection: bool) -> f64 {
        let ratio = self.ratio(error);
        self.last_error = error.max(1e-4);
        let grow = if after_rejection { 1.0 } else { self.grow };
        ratio.clamp(self.shrink, grow)
    }

    /// Is a step that was made with this error followed by a larger one?
    pub fn would_grow(&self, error: f64) -> bool {
        self.ratio(error) >= WORTH_IT
    }

    fn ratio(&self, error: f64) -> f64 {
        SAFETY * error.max(1e-10).powf(-self.exponent) * self.last_error.powf(self.integral)
    }

    /// Ratio of the repeated step to this one, which is rejected with this error.
    pub fn rejected(&self, error: f64) -> f64 {
        if error.is_finite() { (SAFETY * error.powf(-self.exponent)).clamp(self.shrink, 0.9) } else { 0.1 }
    }
}
