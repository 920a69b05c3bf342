//! Dense LU factorisation with partial pivoting and implicit row scaling.
//!
//! `P A = L U`, right-looking, column-major. Rows compete for the pivot by their size relative to the largest
//! element of the row in `A` (Golub & Van Loan, *Matrix Computations*, 4th ed., §3.5.2), so that the choice
//! does not depend on the units of the equations. `new` allocates; `factor` and `solve` do not.

use serde::{Deserialize, Serialize};

use super::{Factored, ROUNDING, Scalar, Singular};

/// A dense LU factorisation of an `n` by `n` matrix.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DenseLu<T = f64> {
    n: usize,
    /// Unit lower triangle below the diagonal, upper triangle on and above it, column-major.
    lu: Vec<T>,
    /// One over each pivot: a division in each step of a solution would be most of its time.
    inverses: Vec<T>,
    /// Row exchanged with row `k` at elimination step `k`.
    pivot: Vec<usize>,
    /// One over the largest element of each row, following the exchanges.
    scale: Vec<f64>,
    /// Largest element of each column of the scaled matrix: what its pivot is compared to.
    column_size: Vec<f64>,
}

impl<T: Scalar> DenseLu<T> {
    /// Space for a matrix of order `n`.
    pub fn new(n: usize) -> Self {
        DenseLu {
            n,
            lu: vec![T::ZERO; n * n],
            inverses: vec![T::ZERO; n],
            pivot: vec![0; n],
            scale: vec![1.0; n],
            column_size: vec![0.0; n],
        }
    }

    /// Order of the matrix.
    pub fn n(&self) -> usize {
        self.n
    }

    /// The matrix to be factorised by [`factor_in_place`](Self::factor_in_place), column-major.
    pub fn matrix_mut(&mut self) -> &mut [T] {
        &mut self.lu
    }

    /// Factorises the column-major matrix `a`.
    pub fn factor(&mut self, a: &[T]) -> Result<(), Singular> {
        self.lu.copy_from_slice(a);
        self.factor_in_place()
    }

    /// Factorises what was written to [`matrix_mut`](Self::matrix_mut).
    pub fn factor_in_place(&mut self) -> Result<(), Singular> {
        // With the order a literal, loops over small matrices have no overhead.
        match self.n {
            1 => self.factor_sized(1),
            2 => self.factor_sized(2),
            3 => self.factor_sized(3),
            4 => self.factor_sized(4),
            5 => self.factor_sized(5),
            6 => self.factor_sized(6),
            7 => self.factor_sized(7),
            8 => self.factor_sized(8),
            n => self.factor_sized(n),
        }
    }

    #[inline(always)]
    fn factor_sized(&mut self, n: usize) -> Result<(), Singular> {
        self.scale_rows(n);
        for k in 0..n {
            let (pivot_row, size) = self.choose_pivot(n, k);
            if !size.is_finite() || size <= ROUNDING * self.column_size[k] {
                return Err(Singular { column: k });
            }
            self.exchange_rows(n, k, pivot_row);
            self.eliminate(n, k);
        }
        Ok(())
    }

    /// What the determinant is made of: pivots, and whether a row was exchanged for each.
    fn diagonal(&self) -> impl Iterator<Item = (T, bool)> + '_ {
        (0..self.n).map(|k| (self.lu[k * self.n + k], self.pivot[k] != k))
    }

    /// Solves `A x = b`, overwriting `b` by `x`.
    pub fn solve(&self, b: &mut [T]) {
        match self.n {
            1 => self.solve_sized(1, b),
            2 => self.solve_sized(2, b),
            3 => self.solve_sized(3, b),
            4 => self.solve_sized(4, b),
            5 => self.solve_sized(5, b),
            6 => self.solve_sized(6, b),
            7 => self.solve_sized(7, b),
            8 => self.solve_sized(8, b),
            n => self.solve_sized(n, b),
        }
    }

    #[inline(always)]
    fn solve_sized(&self, n: usize, b: &mut [T]) {
        let b = &mut b[..n];
        for k in 0..n {
            b.swap(k, self.pivot[k]);
        }
        for k in 0..n {
            let bk = b[k];
            if bk != T::ZERO {
                subtract_multiple(&mut b[k + 1..n], &self.lu[k * n + k + 1..(k + 1) * n], bk);
            }
        }
        for k in (0..n).rev() {
            let column = &self.lu[k * n..(k + 1) * n];
            b[k] = b[k] * self.inverses[k];
            let bk = b[k];
            subtract_multiple(&mut b[..k], &column[..k], bk);
        }
    }

    /// Solves `Aᵀ x = b` (not conjugated), overwriting `b` by `x`.
    pub fn solve_transposed(&self, b: &mut [T]) {
        let n = self.n;
        for k in 0..n {
            let column = &self.lu[k * n..(k + 1) * n];
            let sum = dot(&column[..k], &b[..k]);
            b[k] = (b[k] - sum) / column[k];
        }
        for k in (0..n).rev() {
            let column = &self.lu[k * n..(k + 1) * n];
            let sum = dot(&column[k + 1..], &b[k + 1..n]);
            b[k] -= sum;
        }
        for k in (0..n).rev() {
            b.swap(k, self.pivot[k]);
        }
    }

    #[inline(always)]
    fn scale_rows(&mut self, n: usize) {
        self.scale.fill(0.0);
        for column in self.lu.chunks_exact(n.max(1)) {
            for (largest, &a) in self.scale.iter_mut().zip(column) {
                *largest = largest.max(a.size());
            }
        }
        for s in &mut self.scale {
            // An empty row has no pivot to offer; elimination will find the column that goes without.
            *s = if *s > 0.0 { 1.0 / *s } else { 0.0 };
        }
        for (size, column) in self.column_size.iter_mut().zip(self.lu.chunks_exact(n.max(1))) {
            *size =
                column.iter().zip(&self.scale).fold(0.0, |largest, (a, s)| f64::max(largest, a.size() * s));
        }
    }

    #[inline(always)]
    fn choose_pivot(&self, n: usize, k: usize) -> (usize, f64) {
        let column = &self.lu[k * n..(k + 1) * n];
        let (mut best, mut size) = (k, -1.0);
        for i in k..n {
            let candidate = column[i].size() * self.scale[i];
            if candidate > size || candidate.is_nan() {
                (best, size) = (i, candidate);
            }
            if candidate.is_nan() {
                break;
            }
        }
        (best, size)
    }

    #[inline(always)]
    fn exchange_rows(&mut self, n: usize, k: usize, row: usize) {
        self.pivot[k] = row;
        if row != k {
            self.scale.swap(k, row);
            for column in self.lu.chunks_exact_mut(n) {
                column.swap(k, row);
            }
        }
    }

    /// Divides column `k` by its pivot and subtracts its multiples from the columns to the right.
    #[inline(always)]
    fn eliminate(&mut self, n: usize, k: usize) {
        let (left, right) = self.lu.split_at_mut((k + 1) * n);
        let column = &mut left[k * n..];
        let inverse = T::ONE / column[k];
        self.inverses[k] = inverse;
        for l in &mut column[k + 1..] {
            *l = *l * inverse;
        }
        let multipliers = &column[k + 1..];
        for other in right.chunks_exact_mut(n) {
            let u = other[k];
            if u != T::ZERO {
                subtract_multiple(&mut other[k + 1..], multipliers, u);
            }
        }
    }
}

impl Factored for DenseLu<f64> {
    fn n(&self) -> usize {
        self.n
    }

    fn solve(&mut self, b: &mut [f64]) {
        DenseLu::solve(self, b);
    }

    fn solve_transposed(&mut self, b: &mut [f64]) {
        DenseLu::solve_transposed(self, b);
    }
}

#[inline]
fn subtract_multiple<T: Scalar>(y: &mut [T], x: &[T], by: T) {
    for (y, &x) in y.iter_mut().zip(x) {
        *y -= x * by;
    }
}

#[inline]
fn dot<T: Scalar>(x: &[T], y: &[T]) -> T {
    let mut sum = T::ZERO;
    for (&x, &y) in x.iter().zip(y) {
        sum += x * y;
    }
    sum
}

impl DenseLu<f64> {
    /// Is the determinant of the matrix below zero?
    pub fn is_negative(&self) -> bool {
        self.diagonal().fold(false, |negative, (d, exchanged)| negative ^ (d < 0.0) ^ exchanged)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Random, residual};
    use super::*;
    use crate::linear::Complex;

    #[test]
    fn solves_random_systems_to_working_precision() {
        let mut random = Random::new(7);
        for n in [1, 2, 3, 5, 8, 13, 40] {
            for _ in 0..20 {
                let mut a: Vec<f64> = (0..n * n).map(|_| random.symmetric()).collect();
                // Rows in very different units.
                for i in 0..n {
                    let unit = 10f64.powi((random.uniform() * 40.0) as i32 - 20);
                    for j in 0..n {
                        a[i + n * j] *= unit;
                    }
                }
                let b: Vec<f64> = (0..n).map(|_| random.symmetric()).collect();
                let mut lu = DenseLu::new(n);
                lu.factor(&a).unwrap();
                let mut x = b.clone();
                lu.solve(&mut x);
                assert!(residual(n, &a, &x, &b) < 1e-13 * n as f64);
                let transposed: Vec<f64> = (0..n * n).map(|k| a[(k % n) * n + k / n]).collect();
                let mut y = b.clone();
                lu.solve_transposed(&mut y);
                assert!(residual(n, &transposed, &y, &b) < 1e-13 * n as f64);
            }
        }
    }

    #[test]
    fn solves_complex_systems() {
        let mut random = Random::new(3);
        let n = 9;
        let a: Vec<Complex> =
            (0..n * n).map(|_| Complex::new(random.symmetric(), random.symmetric())).collect();
        let x: Vec<Complex> = (0..n).map(|_| Complex::new(random.symmetric(), random.symmetric())).collect();
        let mut b = vec![Complex::ZERO; n];
        for j in 0..n {
            for i in 0..n {
                b[i] += a[i + n * j] * x[j];
            }
        }
        let mut lu = DenseLu::new(n);
        lu.factor(&a).unwrap();
        lu.solve(&mut b);
        assert!(b.iter().zip(&x).all(|(b, x)| (*b - *x).size() < 1e-12));
    }

    #[test]
    fn names_the_column_without_a_pivot() {
        let mut lu = DenseLu::new(3);
        assert_eq!(lu.factor(&[1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 4.0, 5.0, 6.0]), Err(Singular { column: 1 }));
        // An empty row leaves the last column without a pivot.
        assert_eq!(lu.factor(&[1.0, 0.0, 3.0, 2.0, 0.0, 1.0, 4.0, 0.0, 6.0]), Err(Singular { column: 2 }));
        assert_eq!(
            lu.factor(&[f64::NAN, 0.0, 3.0, 2.0, 0.0, 1.0, 4.0, 0.0, 6.0]),
            Err(Singular { column: 0 })
        );
        // Singular only up to rounding errors: row 3 = 2 row 2 - row 1.
        let tenths = [0.1, 0.4, 0.7, 0.2, 0.5, 0.8, 0.3, 0.6, 0.9];
        assert_eq!(lu.factor(&tenths), Err(Singular { column: 2 }));
        // Units of the unknowns do not make a matrix singular.
        assert_eq!(lu.factor(&[1.0, 1.0, 0.0, 1e-30, 2e-30, 0.0, 0.0, 0.0, 1e-300]), Ok(()));
        assert_eq!(DenseLu::<f64>::new(0).factor(&[]), Ok(()));
    }

    #[test]
    fn the_sign_of_a_determinant_is_known() {
        let mut lu = DenseLu::new(2);
        for (matrix, negative) in [
            ([1.0, 0.0, 0.0, 1.0], false),
            ([0.0, 1.0, 1.0, 0.0], true),
            ([1.0, 3.0, 2.0, 4.0], true),
            ([-1.0, 0.0, 0.0, -1.0], false),
            ([4.0, 3.0, 2.0, 2.0], false),
        ] {
            lu.factor(&matrix).expect("not singular");
            assert_eq!(lu.is_negative(), negative, "{matrix:?}");
        }
    }
}
