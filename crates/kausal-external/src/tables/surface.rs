//! Surfaces: values over two abscissas.
//!
//! Every kind of interpolation is a sum over the four corners of a cell of products of one function of the first and one
//! of the second abscissa. So extrapolation concerns one abscissa at a time: those functions are continued as straight lines or
//! held, and value and derivatives follow from the products.
//!
//! The smooth surface is that of H. Akima, *A method of bivariate interpolation and smooth surface fitting based on local
//! procedures*, Comm. ACM 17(1), 1974: a bicubic polynomial in every cell with Akima's estimates of the slopes and the mixed
//! derivative at its corners. With points along one line only it is Akima's curve.

use serde::{Deserialize, Serialize};

use super::{Extrapolation, Jet, Smoothness, interval, outside, slopes, wrap};
use crate::frame::{Matrix, Outcome, failed};

/// A table over two abscissas.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Surface {
    /// The abscissas.
    u: [Vec<f64>; 2],
    /// Values, and for smooth surfaces the derivatives by the first, the second, and both abscissas.
    z: Matrix,
    derivatives: Option<[Matrix; 3]>,
    smoothness: Smoothness,
    extrapolation: Extrapolation,
}

/// Value and derivatives of a surface.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct SurfaceJet {
    pub value: f64,
    pub first: [f64; 2],
    /// Twice by the first, by both, twice by the second.
    pub second: [f64; 3],
}

/// The functions of one abscissa: the place of the cell, and for the values at its two ends and the slopes there the
/// functions they are multiplied by, with derivatives.
struct Basis {
    at: usize,
    values: [Jet; 2],
    slopes: [Jet; 2],
}

impl Surface {
    /// From the table: the first column and the first row are the abscissas.
    pub fn new(table: &Matrix, smoothness: Smoothness, extrapolation: Extrapolation) -> Outcome<Surface> {
        let (rows, cols) = (table.rows, table.cols);
        if rows < 2 || cols < 2 {
            return failed(format!(
                "a table of size {rows} x {cols} cannot be interpolated in two dimensions"
            ));
        }
        let u1: Vec<f64> = (1..rows).map(|r| table[(r, 0)]).collect();
        let u2: Vec<f64> = (1..cols).map(|c| table[(0, c)]).collect();
        for (u, what) in [(&u1, "column"), (&u2, "row")] {
            if let Some(pair) = u.windows(2).find(|pair| pair[0] >= pair[1]) {
                return failed(format!(
                    "the first {what} of the table does not increase from {} to {}",
                    pair[0], pair[1]
                ));
            }
        }
        let smoothness = match smoothness {
            Smoothness::Akima if rows <= 3 && cols <= 3 => Smoothness::Linear,
            Smoothness::Linear | Smoothness::Akima | Smoothness::Constant => smoothness,
            other => {
                return failed(format!(
                    "tables over two abscissas with smoothness {other:?} are not available"
                ));
            }
        };
        let mut z = Matrix::zeros(rows - 1, cols - 1);
        for r in 1..rows {
            for c in 1..cols {
                z[(r - 1, c - 1)] = table[(r, c)];
            }
        }
        let derivatives = (smoothness == Smoothness::Akima).then(|| akima(&u1, &u2, &z));
        Ok(Surface { u: [u1, u2], z, derivatives, smoothness, extrapolation })
    }

    /// First and last of both abscissas.
    pub fn ranges(&self) -> [(f64, f64); 2] {
        [0, 1].map(|k| (self.u[k][0], self.u[k][self.u[k].len() - 1]))
    }

    /// Value and derivatives.
    pub fn value(&self, u1: f64, u2: f64) -> Outcome<SurfaceJet> {
        let beyond = |k: usize, u: f64| {
            let (low, high) = self.ranges()[k];
            self.u[k].len() > 1 && (u < low || u > high)
        };
        // Steps are continued like straight lines, in both directions.
        let continued = self.extrapolation == Extrapolation::Linear && (beyond(0, u1) || beyond(1, u2));
        let smoothness = match self.smoothness {
            Smoothness::Constant if continued => Smoothness::Linear,
            other => other,
        };
        let (a, b) = (self.basis(0, u1, smoothness)?, self.basis(1, u2, smoothness)?);
        let mut jet = SurfaceJet::default();
        let mut add = |z: f64, f: &Jet, g: &Jet| {
            jet.value += z * f[0] * g[0];
            jet.first[0] += z * f[1] * g[0];
            jet.first[1] += z * f[0] * g[1];
            jet.second[0] += z * f[2] * g[0];
            jet.second[1] += z * f[1] * g[1];
            jet.second[2] += z * f[0] * g[2];
        };
        for i in 0..self.u[0].len().min(2) {
            for j in 0..self.u[1].len().min(2) {
                let at = (a.at + i, b.at + j);
                add(self.z[at], &a.values[i], &b.values[j]);
                if let Some([d1, d2, d12]) = &self.derivatives {
                    add(d1[at], &a.slopes[i], &b.values[j]);
                    add(d2[at], &a.values[i], &b.slopes[j]);
                    add(d12[at], &a.slopes[i], &b.slopes[j]);
                }
            }
        }
        Ok(jet)
    }

    fn basis(&self, k: usize, u: f64, smoothness: Smoothness) -> Outcome<Basis> {
        let points = &self.u[k];
        let range = self.ranges()[k];
        const ZERO: Jet = [0.0; 3];
        const ONE: Jet = [1.0, 0.0, 0.0];
        if points.len() == 1 {
            return Ok(Basis { at: 0, values: [ONE, ZERO], slopes: [ZERO, ZERO] });
        }
        let inside = u.clamp(range.0, range.1);
        let inside = match self.extrapolation {
            Extrapolation::Periodic => wrap(range, u),
            Extrapolation::None if inside != u => return outside(["u1", "u2"][k], u, range),
            _ => inside,
        };
        let at = interval(points, inside);
        let (begin, width) = (points[at], points[at + 1] - points[at]);
        let v = (inside - begin) / width;
        let scaled =
            |[f, d, s]: Jet, factor: f64| [f * factor, d * factor / width, s * factor / (width * width)];
        let mut basis = match smoothness {
            Smoothness::Constant if inside >= points[at + 1] => {
                Basis { at, values: [ZERO, ONE], slopes: [ZERO, ZERO] }
            }
            Smoothness::Constant => Basis { at, values: [ONE, ZERO], slopes: [ZERO, ZERO] },
            Smoothness::Linear => Basis {
                at,
                values: [scaled([1.0 - v, -1.0, 0.0], 1.0), scaled([v, 1.0, 0.0], 1.0)],
                slopes: [ZERO, ZERO],
            },
            _ => {
                let end = [v * v * (3.0 - 2.0 * v), 6.0 * v * (1.0 - v), 6.0 - 12.0 * v];
                let begin = [1.0 - end[0], -end[1], -end[2]];
                let leaving = [v * (1.0 - v) * (1.0 - v), (1.0 - v) * (1.0 - 3.0 * v), 6.0 * v - 4.0];
                let arriving = [v * v * (v - 1.0), v * (3.0 * v - 2.0), 6.0 * v - 2.0];
                Basis {
                    at,
                    values: [scaled(begin, 1.0), scaled(end, 1.0)],
                    slopes: [scaled(leaving, width), scaled(arriving, width)],
                }
            }
        };
        if inside != u && self.extrapolation != Extrapolation::Periodic {
            let slope = if self.extrapolation == Extrapolation::Hold { 0.0 } else { 1.0 };
            for jet in basis.values.iter_mut().chain(&mut basis.slopes) {
                *jet = [jet[0] + slope * jet[1] * (u - inside), slope * jet[1], 0.0];
            }
        }
        Ok(basis)
    }
}

/// The derivatives at all points.
fn akima(u1: &[f64], u2: &[f64], z: &Matrix) -> [Matrix; 3] {
    let (n, m) = (z.rows, z.cols);
    let mut out = [Matrix::zeros(n, m), Matrix::zeros(n, m), Matrix::zeros(n, m)];
    // Along one line the surface is a curve.
    if n == 1 || m == 1 {
        let (u, k) = if n == 1 { (u2, 1) } else { (u1, 0) };
        if let Some(s) = (u.len() > 2).then(|| slopes::slopes(Smoothness::Akima, u, &z.data)).flatten() {
            out[k].data = s;
        }
        return out;
    }
    let (x, y, z) = extend(u1, u2, z);
    for i in 2..n + 2 {
        for j in 2..m + 2 {
            let dx = |i: usize, j: usize| (z[(i + 1, j)] - z[(i, j)]) / (x[i + 1] - x[i]);
            let dy = |i: usize, j: usize| (z[(i, j + 1)] - z[(i, j)]) / (y[j + 1] - y[j]);
            let (wx, zx) = weigh([dx(i - 2, j), dx(i - 1, j), dx(i, j), dx(i + 1, j)]);
            let (wy, zy) = weigh([dy(i, j - 2), dy(i, j - 1), dy(i, j), dy(i, j + 1)]);
            // The mixed differences of the four cells around the point, weighted in both directions.
            let mixed = |i: usize, j: usize| (dy(i + 1, j) - dy(i, j)) / (x[i + 1] - x[i]);
            let left = wy[0] * mixed(i - 1, j - 1) + wy[1] * mixed(i - 1, j);
            let right = wy[0] * mixed(i, j - 1) + wy[1] * mixed(i, j);
            let at = (i - 2, j - 2);
            out[0][at] = zx;
            out[1][at] = zy;
            out[2][at] = (wx[0] * left + wx[1] * right) / ((wx[0] + wx[1]) * (wy[0] + wy[1]));
        }
    }
    out
}

/// The weights of the two inner of four secants, and the weighted slope.
fn weigh(d: [f64; 4]) -> ([f64; 2], f64) {
    let w =
        if d[0] == d[1] && d[2] == d[3] { [1.0, 1.0] } else { [(d[3] - d[2]).abs(), (d[1] - d[0]).abs()] };
    (w, (w[0] * d[1] + w[1] * d[2]) / (w[0] + w[1]))
}

/// Two points more on every side: abscissas mirrored, values continued by parabolas, or lines where there are two points only.
fn extend(u1: &[f64], u2: &[f64], z: &Matrix) -> (Vec<f64>, Vec<f64>, Matrix) {
    let (x, y) = (extend_abscissas(u1), extend_abscissas(u2));
    let mut wide = Matrix::zeros(z.rows, z.cols + 4);
    for r in 0..z.rows {
        let row = extend_values(&y, &z.data[r * z.cols..(r + 1) * z.cols]);
        wide.data[r * wide.cols..(r + 1) * wide.cols].copy_from_slice(&row);
    }
    let wide = wide.transpose();
    let mut all = Matrix::zeros(wide.rows, wide.cols + 4);
    for r in 0..wide.rows {
        let row = extend_values(&x, &wide.data[r * wide.cols..(r + 1) * wide.cols]);
        all.data[r * all.cols..(r + 1) * all.cols].copy_from_slice(&row);
    }
    (x, y, all.transpose())
}

fn extend_abscissas(u: &[f64]) -> Vec<f64> {
    let n = u.len();
    let (before, after) = if n == 2 {
        ([3.0 * u[0] - 2.0 * u[1], 2.0 * u[0] - u[1]], [2.0 * u[1] - u[0], 3.0 * u[1] - 2.0 * u[0]])
    } else {
        let last = [u[n - 1] + u[n - 2] - u[n - 3], 2.0 * u[n - 1] - u[n - 3]];
        ([2.0 * u[0] - u[2], u[0] + u[1] - u[2]], last)
    };
    before.iter().chain(u).chain(&after).copied().collect()
}

/// `x` is already extended, `y` is not. Secants change by the same amount from point to point.
fn extend_values(x: &[f64], y: &[f64]) -> Vec<f64> {
    let n = y.len();
    let mut all = vec![0.0; n + 4];
    all[2..n + 2].copy_from_slice(y);
    let secant = |all: &[f64], i: usize| (all[i + 1] - all[i]) / (x[i + 1] - x[i]);
    let second = usize::from(n > 2);
    for i in [1, 0] {
        let change = secant(&all, i + 1) - secant(&all, i + 1 + second);
        all[i] = all[i + 1] - (secant(&all, i + 1) + change) * (x[i + 1] - x[i]);
    }
    for i in [n + 2, n + 3] {
        let change = secant(&all, i - 2) - secant(&all, i - 2 - second);
        all[i] = all[i - 1] + (secant(&all, i - 2) + change) * (x[i] - x[i - 1]);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::rows;

    fn table(u1: &[f64], u2: &[f64], z: impl Fn(f64, f64) -> f64) -> Matrix {
        let mut m = Matrix::zeros(u1.len() + 1, u2.len() + 1);
        for (r, &a) in u1.iter().enumerate() {
            m[(r + 1, 0)] = a;
            for (c, &b) in u2.iter().enumerate() {
                m[(0, c + 1)] = b;
                m[(r + 1, c + 1)] = z(a, b);
            }
        }
        m
    }

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-11, "{a} instead of {b}");
    }

    #[test]
    fn bilinear() {
        // From the documentation of CombiTable2Ds: [0,0,1,2; ...] is like this one; the mean of four corners at a cell's middle.
        let t = rows(&[[0.0, 1.0, 2.0], [1.0, 10.0, 20.0], [3.0, 30.0, 80.0]]);
        let s = Surface::new(&t, Smoothness::Linear, Extrapolation::Linear).unwrap();
        close(s.value(2.0, 1.5).unwrap().value, 35.0);
        // Continued: at u2 = 3 the two lines give 30 and 130; in the middle 80.
        close(s.value(2.0, 3.0).unwrap().value, 80.0);
        let jet = s.value(2.0, 1.5).unwrap();
        close(jet.first[0], (30.0 + 80.0 - 10.0 - 20.0) / 2.0 / 2.0);
        close(jet.first[1], (20.0 + 80.0 - 10.0 - 30.0) / 2.0);
        close(jet.second[1], (80.0 - 30.0 - 20.0 + 10.0) / 2.0);
        let s = Surface::new(&t, Smoothness::Linear, Extrapolation::Hold).unwrap();
        let jet = s.value(2.0, 3.0).unwrap();
        close(jet.value, 50.0);
        close(jet.first[1], 0.0);
        let s = Surface::new(&t, Smoothness::Linear, Extrapolation::None).unwrap();
        assert!(s.value(2.0, 3.0).is_err() && s.value(0.0, 1.0).is_err());
        let s = Surface::new(&t, Smoothness::Linear, Extrapolation::Periodic).unwrap();
        close(s.value(4.0, 2.5).unwrap().value, 35.0);
        let s = Surface::new(&t, Smoothness::Constant, Extrapolation::Hold).unwrap();
        close(s.value(2.9, 1.9).unwrap().value, 10.0);
        close(s.value(3.0, 2.0).unwrap().value, 80.0);
    }

    #[test]
    fn akima_reproduces_products_of_parabolas() {
        // On equidistant points Akima's slopes of parabolas are exact, also at the ends, and so is the mixed derivative.
        let z = |a: f64, b: f64| (1.0 + a + a * a) * (2.0 - b * b);
        let (u1, u2) = ([0.0, 1.0, 2.0, 3.0], [-1.0, 0.0, 1.0, 2.0, 3.0]);
        let s = Surface::new(&table(&u1, &u2, z), Smoothness::Akima, Extrapolation::Linear).unwrap();
        for (a, b) in [(0.0, -1.0), (0.5, 0.3), (1.0, 2.2), (2.9, 2.9), (3.0, 3.0)] {
            let jet = s.value(a, b).unwrap();
            close(jet.value, z(a, b));
            close(jet.first[0], (1.0 + 2.0 * a) * (2.0 - b * b));
            close(jet.first[1], (1.0 + a + a * a) * -2.0 * b);
            close(jet.second[0], 2.0 * (2.0 - b * b));
            close(jet.second[1], (1.0 + 2.0 * a) * -2.0 * b);
            close(jet.second[2], (1.0 + a + a * a) * -2.0);
        }
        // A corner: value 13*(-7), slopes 7*(-7) and 13*(-6), mixed 7*(-6), 1 and 2 outside.
        let jet = s.value(4.0, 5.0).unwrap();
        close(jet.value, -91.0 - 49.0 - 2.0 * 78.0 - 2.0 * 42.0);
    }

    #[test]
    fn akima_along_a_line() {
        let z = |_: f64, b: f64| b * b;
        let s =
            Surface::new(&table(&[5.0], &[0.0, 1.0, 2.0, 3.0], z), Smoothness::Akima, Extrapolation::Linear)
                .unwrap();
        close(s.value(99.0, 1.3).unwrap().value, 1.69);
        let t = table(&[0.0, 1.0, 2.0, 3.0], &[5.0], |a, _| a * a);
        let s = Surface::new(&t, Smoothness::Akima, Extrapolation::Linear).unwrap();
        close(s.value(1.3, -7.0).unwrap().value, 1.69);
        close(s.value(4.0, 0.0).unwrap().value, 15.0);
        // Two lines of points: straight across.
        let t = table(&[0.0, 1.0], &[0.0, 1.0, 2.0, 3.0], |a, b| a + b * b);
        let s = Surface::new(&t, Smoothness::Akima, Extrapolation::Linear).unwrap();
        close(s.value(0.25, 1.5).unwrap().value, 2.5);
    }

    #[test]
    fn wrong_tables() {
        let t = rows(&[[0.0, 1.0, 1.0], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]]);
        assert!(Surface::new(&t, Smoothness::Linear, Extrapolation::Linear).is_err());
        let t = rows(&[[0.0, 1.0], [1.0, 5.0]]);
        let one = Surface::new(&t, Smoothness::Akima, Extrapolation::None).unwrap();
        close(one.value(7.0, 8.0).unwrap().value, 5.0);
        assert!(Surface::new(&t, Smoothness::Steffen, Extrapolation::None).is_err());
    }
}
