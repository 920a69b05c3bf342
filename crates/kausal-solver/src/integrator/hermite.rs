//! Cubic Hermite interpolation between the ends of a step, for methods without a continuous extension of their own.

use super::core::Core;

/// The beginning of the last step; its end is the current point.
#[derive(Clone, Debug)]
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

    pub fn interpolate(&self, core: &Core, t: f64, x: &mut [f64]) {
        let h = core.t - core.t_old;
        let s = (t - core.t_old) / h;
        let r = 1.0 - s;
        let (b0, b1) = (r * r * (1.0 + 2.0 * s), s * s * (3.0 - 2.0 * s));
        let (d0, d1) = (h * s * r * r, -h * s * s * r);
        for i in 0..x.len() {
            x[i] = b0 * self.x_old[i] + b1 * core.x[i] + d0 * self.dx_old[i] + d1 * core.dx[i];
        }
    }
}
