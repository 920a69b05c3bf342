//! The continuous solution of a part of a step, taken along: a polynomial through its values at Chebyshev points, so exact for the
//! polynomials of all methods (J.-P. Berrut and L. N. Trefethen, *Barycentric Lagrange interpolation*, SIAM Review 46, 2004).

/// One more than the highest degree of the continuous solution of any method.
pub(super) const POINTS: usize = 9;

/// The same for explicit methods: the continuous solution of Runge and Kutta's formulas is of the fourth degree.
pub(super) const EXPLICIT_POINTS: usize = 5;

/// See the [module](self).
#[derive(Clone, Debug, Default)]
pub(super) struct Path {
    times: Vec<f64>,
    /// State after state at each of them.
    values: Vec<f64>,
    n: usize,
    end: f64,
}

impl Path {
    /// Of what `values` gives between two instants.
    pub(super) fn new(
        begin: f64,
        end: f64,
        n: usize,
        points: usize,
        values: &dyn Fn(f64, &mut [f64]),
    ) -> Path {
        // A model without states has one that stays zero.
        let width = n.max(1);
        let mut path =
            Path { times: Vec::with_capacity(points), values: vec![0.0; points * width], n: width, end };
        for i in 0..points {
            let part = 0.5 - 0.5 * (std::f64::consts::PI * i as f64 / (points - 1) as f64).cos();
            let t = if i == points - 1 { end } else { begin + part * (end - begin) };
            values(t, &mut path.values[i * width..(i + 1) * width]);
            path.times.push(t);
        }
        path
    }

    /// Where it begins.
    pub(super) fn begin(&self) -> f64 {
        self.times.first().copied().unwrap_or(f64::NEG_INFINITY)
    }

    /// Where it ends.
    pub(super) fn end(&self) -> f64 {
        self.end
    }

    /// It ends earlier.
    pub(super) fn end_at(&mut self, t: f64) {
        self.end = self.end.min(t);
    }

    /// The values at an instant.
    pub(super) fn at(&self, t: f64, out: &mut [f64]) {
        out.fill(0.0);
        let row = |i: usize| &self.values[i * self.n..(i + 1) * self.n];
        let mut sum = 0.0;
        for (i, node) in self.times.iter().enumerate() {
            let distance = t - node;
            if distance == 0.0 {
                out.iter_mut().zip(row(i)).for_each(|(x, value)| *x = *value);
                return;
            }
            let end = if i == 0 || i + 1 == self.times.len() { 0.5 } else { 1.0 };
            let weight = if i % 2 == 0 { end } else { -end } / distance;
            sum += weight;
            out.iter_mut().zip(row(i)).for_each(|(x, value)| *x += weight * value);
        }
        out.iter_mut().for_each(|x| *x /= sum);
    }
}

#[cfg(test)]
mod tests {
    use super::{EXPLICIT_POINTS, POINTS, Path};

    #[test]
    fn polynomials_of_the_methods_are_exact() {
        for (points, degree) in [(POINTS, 5), (EXPLICIT_POINTS, 4)] {
            let path =
                Path::new(2.0, 3.5, 1, points, &|t: f64, x: &mut [f64]| x[0] = t.powi(degree) - 3.0 * t);
            for i in 0..=20 {
                let t = 2.0 + 1.5 * f64::from(i) / 20.0;
                let mut x = [0.0];
                path.at(t, &mut x);
                assert!((x[0] - (t.powi(degree) - 3.0 * t)).abs() < 1e-11 * t.powi(5), "at {t}: {}", x[0]);
            }
        }
    }
}
