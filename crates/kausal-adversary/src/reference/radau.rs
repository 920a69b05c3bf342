//! Radau IIA of order 5 (Hairer, Wanner II, section IV.8) with a full Newton iteration on all three stages, matrices by
//! differences at every stage and every iteration, and corrections that are halved while the residual grows: as plain as
//! possible. Algebraic rows have no derivative on the left side.

use super::dense;

/// The equations of a step.
pub struct Equations<'a> {
    /// Derivatives and residuals.
    pub f: &'a dyn Fn(f64, &[f64], &mut [f64]),
    /// Which rows are algebraic.
    pub algebraic: &'a [bool],
    /// Sizes of the unknowns.
    pub sizes: &'a [f64],
}

/// Corrections below this part of the sizes end the iteration: some hundred units of the last place.
const CONVERGED: f64 = 1e-13;
const ITERATIONS: usize = 40;

fn nodes() -> [f64; 3] {
    let s = 6f64.sqrt();
    [(4.0 - s) / 10.0, (4.0 + s) / 10.0, 1.0]
}

fn weights() -> [[f64; 3]; 3] {
    let s = 6f64.sqrt();
    [
        [(88.0 - 7.0 * s) / 360.0, (296.0 - 169.0 * s) / 1800.0, (-2.0 + 3.0 * s) / 225.0],
        [(296.0 + 169.0 * s) / 1800.0, (88.0 + 7.0 * s) / 360.0, (-2.0 - 3.0 * s) / 225.0],
        [(16.0 - s) / 36.0, (16.0 + s) / 36.0, 1.0 / 9.0],
    ]
}

impl Equations<'_> {
    fn jacobian(&self, t: f64, x: &[f64]) -> Vec<Vec<f64>> {
        let n = x.len();
        let mut columns = vec![vec![0.0; n]; n];
        let (mut up, mut down) = (vec![0.0; n], vec![0.0; n]);
        let mut point = x.to_vec();
        for j in 0..n {
            let d = 1e-6 * (x[j].abs() + 1e-3 * self.sizes[j]).max(1e-300);
            point[j] = x[j] + d;
            (self.f)(t, &point, &mut up);
            point[j] = x[j] - d;
            (self.f)(t, &point, &mut down);
            point[j] = x[j];
            for i in 0..n {
                columns[i][j] = (up[i] - down[i]) / (2.0 * d);
            }
        }
        columns
    }

    /// Residuals of the stages: `z - h A F` where there is a derivative, `F` where there is none.
    fn residual(&self, t: f64, x: &[f64], h: f64, z: &[f64]) -> Vec<f64> {
        let n = x.len();
        let (c, a) = (nodes(), weights());
        let mut rates = vec![0.0; 3 * n];
        for s in 0..3 {
            let point: Vec<f64> = (0..n).map(|i| x[i] + z[s * n + i]).collect();
            (self.f)(t + c[s] * h, &point, &mut rates[s * n..(s + 1) * n]);
        }
        let mut residual = vec![0.0; 3 * n];
        for s in 0..3 {
            for i in 0..n {
                residual[s * n + i] = match self.algebraic[i] {
                    true => rates[s * n + i],
                    false => z[s * n + i] - h * (0..3).map(|j| a[s][j] * rates[j * n + i]).sum::<f64>(),
                };
            }
        }
        residual
    }

    /// One step; `None` where the iteration fails.
    pub fn step(&self, t: f64, x: &[f64], h: f64) -> Option<Vec<f64>> {
        let n = x.len();
        let (c, a) = (nodes(), weights());
        let mut z = vec![0.0; 3 * n];
        let mut residual = self.residual(t, x, h, &z);
        for _ in 0..ITERATIONS {
            if residual.iter().any(|r| !r.is_finite()) {
                return None;
            }
            let jacobians: Vec<_> = (0..3)
                .map(|s| {
                    let point: Vec<f64> = (0..n).map(|i| x[i] + z[s * n + i]).collect();
                    self.jacobian(t + c[s] * h, &point)
                })
                .collect();
            let mut matrix = vec![vec![0.0; 3 * n]; 3 * n];
            for s in 0..3 {
                for i in 0..n {
                    let row = &mut matrix[s * n + i];
                    if self.algebraic[i] {
                        row[s * n..(s + 1) * n].copy_from_slice(&jacobians[s][i]);
                    } else {
                        for j in 0..3 {
                            for k in 0..n {
                                row[j * n + k] -= h * a[s][j] * jacobians[j][i][k];
                            }
                        }
                        row[s * n + i] += 1.0;
                    }
                }
            }
            // Rows are scaled by their largest entry, so that pivots and residuals are comparable.
            let mut correction: Vec<f64> = residual.iter().map(|r| -r).collect();
            let mut scales = vec![1.0; 3 * n];
            for (i, row) in matrix.iter_mut().enumerate() {
                let largest = row
                    .iter()
                    .enumerate()
                    .map(|(j, v)| (v * self.sizes[j % n].max(1e-300)).abs())
                    .fold(0.0, f64::max);
                if !(largest > 0.0 && largest.is_finite()) {
                    return None;
                }
                row.iter_mut().for_each(|v| *v /= largest);
                correction[i] /= largest;
                scales[i] = largest;
            }
            if !dense::solve(&mut matrix, &mut correction) {
                return None;
            }
            let norm = |r: &[f64]| r.iter().zip(&scales).map(|(r, s)| (r / s).powi(2)).sum::<f64>();
            let old = norm(&residual);
            let mut part = 1.0;
            loop {
                let next: Vec<f64> = z.iter().zip(&correction).map(|(z, d)| z + part * d).collect();
                let new = self.residual(t, x, h, &next);
                let measured = norm(&new);
                if measured <= old
                    || (measured.is_finite() && part < 1e-6)
                    || measured.is_finite() && old < 1e-26
                {
                    z = next;
                    residual = new;
                    break;
                }
                part *= 0.5;
                if part < 1e-9 {
                    return None;
                }
            }
            let largest = (0..3 * n)
                .map(|i| {
                    correction[i].abs()
                        / (x[i % n].abs() + z[i].abs()).max(1e-3 * self.sizes[i % n]).max(1e-300)
                })
                .fold(0.0, f64::max);
            if part == 1.0 && largest < CONVERGED * 1e3 {
                // Newton's method converges quadratically: the correction after this one would be far below rounding.
                return Some((0..n).map(|i| x[i] + z[2 * n + i]).collect());
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stiff_decay_and_an_algebraic_row() {
        // x' = -1000 (x - cos t) - sin t with x(0) = 1 is cos t; y is defined by 0 = y³ - x.
        let f = |t: f64, x: &[f64], dx: &mut [f64]| {
            dx[0] = -1000.0 * (x[0] - t.cos()) - t.sin();
            dx[1] = x[1].powi(3) - x[0];
        };
        let equations = Equations { f: &f, algebraic: &[false, true], sizes: &[1.0, 1.0] };
        let mut x = vec![1.0, 1.0];
        for k in 0..50 {
            x = equations.step(0.02 * f64::from(k), &x, 0.02).expect("a solvable step");
        }
        // Order 3 in the stiff limit: h³ = 8e-6 times the fourth derivative over factorials, some 1e-9.
        assert!((x[0] - 1f64.cos()).abs() < 1e-8, "{}", x[0] - 1f64.cos());
        assert!((x[1].powi(3) - x[0]).abs() < 1e-12);
    }
}
