//! Cubic Hermite interpolation between the ends of a step, for methods without a continuous extension of
//! their own.

use serde::{Deserialize, Serialize};

use super::core::Core;

/// The beginning of the last step; its end is the current point.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Hermite {
    x_old: Vec<f64>,
    dx_old: Vec<f64>,
}

impl Hermite {
    pub fn new(n: usize) -> Self {
        Hermite { x_old: vec![0.0; n], dx_old: vec![0.0; n] }
    }

    /// Remembers the beginning of a step that has been accepted.
    pub fn begin(&mut self, x: &[f64], dx: &[f64]) {
        self.x_old.copy_from_slice(x);
        self.dx_old.copy_from_slice(dx);
    }

    /// The states there, and their slopes.
    pub fn beginning(&self) -> [&[f64]; 2] {
        [&self.x_old, &self.dx_old]
    }

    /// The cubic at `t`, inside the last step or a little beyond it.
    pub fn interpolate(&self, core: &Core, t: f64, x: &mut [f64]) {
        let h = core.t - core.t_old;
        let s = (t - core.t_old) / h;
        cubic([&self.x_old, &core.x], [&self.dx_old, &core.dx], h, s, x);
    }
}

/// The cubic with these values and slopes at the two ends of an interval of length `h`, at the part `s` of
/// it.
pub(crate) fn cubic(value: [&[f64]; 2], slope: [&[f64]; 2], h: f64, s: f64, x: &mut [f64]) {
    let r = 1.0 - s;
    let (b0, b1) = (r * r * (1.0 + 2.0 * s), s * s * (3.0 - 2.0 * s));
    let (d0, d1) = (h * s * r * r, -h * s * s * r);
    for i in 0..x.len() {
        x[i] = b0 * value[0][i] + b1 * value[1][i] + d0 * slope[0][i] + d1 * slope[1][i];
    }
}
