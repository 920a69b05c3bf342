//! Symmetric indefinite factorisation `P A Pᵀ = L D Lᵀ` with pivots of order one and two.
//!
//! Bunch–Kaufman partial pivoting (Golub & Van Loan, *Matrix Computations*, 4th ed., §4.4.4): half the work
//! of LU and as stable, for the symmetric systems that tearing with paired variables and residues gives. Only
//! the lower triangle of `A` is read. `new` allocates; `factor` and `solve` do not.

use serde::{Deserialize, Serialize};

use super::{Factored, Singular};

/// The pivot threshold that bounds the growth of either pivot size equally: (1 + √17)/8.
const ALPHA: f64 = 0.640_388_203_202_208;

/// A factorisation of a symmetric matrix of order `n`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Ldlt {
    n: usize,
    /// Lower triangle, column-major: unit `L` below the blocks of `D`.
    a: Vec<f64>,
    /// Row and column exchanged with the last row of the pivot block that starts or ends here.
    exchange: Vec<usize>,
    /// Whether a pivot of order two starts here.
    double: Vec<bool>,
}

impl Ldlt {
    /// Space for a matrix of order `n`.
    pub fn new(n: usize) -> Self {
        Ldlt { n, a: vec![0.0; n * n], exchange: vec![0; n], double: vec![false; n] }
    }

    /// Order of the matrix.
    pub fn n(&self) -> usize {
        self.n
    }

    /// Factorises the matrix whose lower triangle is in the column-major `a`.
    pub fn factor(&mut self, a: &[f64]) -> Result<(), Singular> {
        self.a.copy_from_slice(a);
        let n = self.n;
        let mut k = 0;
        while k < n {
            let (double, row) = self.choose_pivot(k)?;
            let last = if double { k + 1 } else { k };
            self.exchange_symmetric(k, last, row);
            self.exchange[k] = row;
            self.double[k] = double;
            if double {
                self.exchange[k + 1] = row;
                self.double[k + 1] = false;
                self.eliminate_two(k);
            } else {
                self.eliminate_one(k);
            }
            k = last + 1;
        }
        Ok(())
    }

    /// Solves `A x = b`, overwriting `b` by `x`.
    pub fn solve(&self, b: &mut [f64]) {
        let n = self.n;
        let mut k = 0;
        while k < n {
            let width = self.width(k);
            b.swap(k + width - 1, self.exchange[k]);
            k += width;
        }
        k = 0;
        while k < n {
            let width = self.width(k);
            for j in k..k + width {
                let bj = b[j];
                for i in k + width..n {
                    b[i] -= self.a[i + j * n] * bj;
                }
            }
            self.divide_by_block(k, b);
            k += width;
        }
        let mut end = n;
        while end > 0 {
            let k = self.start_of_block(end);
            for j in k..end {
                for i in end..n {
                    b[j] -= self.a[i + j * n] * b[i];
                }
            }
            end = k;
        }
        end = n;
        while end > 0 {
            let k = self.start_of_block(end);
            b.swap(end - 1, self.exchange[k]);
            end = k;
        }
    }

    fn width(&self, k: usize) -> usize {
        if self.double[k] { 2 } else { 1 }
    }

    fn start_of_block(&self, end: usize) -> usize {
        if end >= 2 && self.double[end - 2] { end - 2 } else { end - 1 }
    }

    /// Numbers of positive and negative eigenvalues (Sylvester's law of inertia).
    pub fn inertia(&self) -> (usize, usize) {
        let (mut positive, mut negative, mut k) = (0, 0, 0);
        while k < self.n {
            if self.double[k] {
                // Pivots of order two are taken only when indefinite.
                (positive, negative, k) = (positive + 1, negative + 1, k + 2);
            } else {
                if self.a[k + k * self.n] > 0.0 {
                    positive += 1;
                } else {
                    negative += 1;
                }
                k += 1;
            }
        }
        (positive, negative)
    }

    fn at(&self, i: usize, j: usize) -> f64 {
        if i >= j { self.a[i + j * self.n] } else { self.a[j + i * self.n] }
    }

    /// Whether the next pivot is a block of order two, and which row becomes its last.
    fn choose_pivot(&self, k: usize) -> Result<(bool, usize), Singular> {
        let n = self.n;
        let diagonal = self.at(k, k).abs();
        let (mut row, mut largest) = (k, 0.0);
        for i in k + 1..n {
            let size = self.at(i, k).abs();
            if size > largest {
                (row, largest) = (i, size);
            }
        }
        let top = diagonal.max(largest);
        if top == 0.0 || !top.is_finite() || diagonal.is_nan() {
            return Err(Singular { column: k });
        }
        if diagonal >= ALPHA * largest {
            return Ok((false, k));
        }
        let mut row_largest: f64 = 0.0;
        for j in k..n {
            if j != row {
                row_largest = row_largest.max(self.at(row, j).abs());
            }
        }
        if diagonal * row_largest >= ALPHA * largest * largest {
            return Ok((false, k));
        }
        if self.at(row, row).abs() >= ALPHA * row_largest {
            return Ok((false, row));
        }
        Ok((true, row))
    }

    /// Exchanges rows and columns `p` and `r` of the trailing matrix and rows `p` and `r` of the finished
    /// part of `L`.
    fn exchange_symmetric(&mut self, k: usize, p: usize, r: usize) {
        if p == r {
            return;
        }
        let n = self.n;
        let (p, r) = (p.min(r), p.max(r));
        for j in 0..k {
            self.a.swap(p + j * n, r + j * n);
        }
        // Between k and p both are below the diagonal of column j.
        for j in k..p {
            self.a.swap(p + j * n, r + j * n);
        }
        for j in p + 1..r {
            self.a.swap(j + p * n, r + j * n);
        }
        for i in r + 1..n {
            self.a.swap(i + p * n, i + r * n);
        }
        self.a.swap(p + p * n, r + r * n);
    }

    fn eliminate_one(&mut self, k: usize) {
        let n = self.n;
        let (left, right) = self.a.split_at_mut((k + 1) * n);
        let column = &mut left[k * n..];
        let d = column[k];
        for (j, other) in (k + 1..n).zip(right.chunks_exact_mut(n)) {
            let l = column[j] / d;
            if l != 0.0 {
                for (a, c) in other[j..].iter_mut().zip(&column[j..]) {
                    *a -= l * c;
                }
            }
        }
        for l in &mut column[k + 1..] {
            *l /= d;
        }
    }

    fn eliminate_two(&mut self, k: usize) {
        let n = self.n;
        let (left, right) = self.a.split_at_mut((k + 2) * n);
        let (first, second) = left[k * n..].split_at_mut(n);
        let (d11, d21, d22) = (first[k], first[k + 1], second[k + 1]);
        // Scaled by the off-diagonal element, the largest of the block, the determinant neither over- nor
        // underflows.
        let (e11, e22) = (d11 / d21, d22 / d21);
        let factor = 1.0 / (d21 * (e11 * e22 - 1.0));
        for (j, other) in (k + 2..n).zip(right.chunks_exact_mut(n)) {
            let (a1, a2) = (first[j], second[j]);
            let l1 = factor * (e22 * a1 - a2);
            let l2 = factor * (e11 * a2 - a1);
            if l1 != 0.0 || l2 != 0.0 {
                for ((a, c1), c2) in other[j..].iter_mut().zip(&first[j..]).zip(&second[j..]) {
                    *a -= l1 * c1 + l2 * c2;
                }
            }
            // Row j of the two columns is not read again, rows below j are.
            (first[j], second[j]) = (l1, l2);
        }
    }

    fn divide_by_block(&self, k: usize, b: &mut [f64]) {
        let n = self.n;
        if self.double[k] {
            let (d11, d21, d22) = (self.a[k + k * n], self.a[k + 1 + k * n], self.a[k + 1 + (k + 1) * n]);
            let (e11, e22) = (d11 / d21, d22 / d21);
            let factor = 1.0 / (d21 * (e11 * e22 - 1.0));
            let (b1, b2) = (b[k], b[k + 1]);
            b[k] = factor * (e22 * b1 - b2);
            b[k + 1] = factor * (e11 * b2 - b1);
        } else {
            b[k] /= self.a[k + k * n];
        }
    }
}

impl Factored for Ldlt {
    fn n(&self) -> usize {
        self.n
    }

    fn solve(&mut self, b: &mut [f64]) {
        Ldlt::solve(self, b);
    }

    fn solve_transposed(&mut self, b: &mut [f64]) {
        Ldlt::solve(self, b);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Random, residual};
    use super::*;

    #[test]
    fn solves_random_indefinite_systems() {
        let mut random = Random::new(11);
        for n in [1, 2, 3, 4, 7, 12, 30] {
            for round in 0..40 {
                let mut a = vec![0.0; n * n];
                for i in 0..n {
                    for j in 0..=i {
                        let mut v = random.symmetric();
                        // Zero diagonals force pivots of order two.
                        if i == j && round % 2 == 0 && n > 1 {
                            v = 0.0;
                        }
                        a[i + n * j] = v;
                        a[j + n * i] = v;
                    }
                }
                let b: Vec<f64> = (0..n).map(|_| random.symmetric()).collect();
                let mut x = b.clone();
                let mut f = Ldlt::new(n);
                f.factor(&a).unwrap();
                f.solve(&mut x);
                assert!(residual(n, &a, &x, &b) < 1e-11, "n = {n}: {}", residual(n, &a, &x, &b));
            }
        }
    }

    #[test]
    fn inertia_of_a_saddle_point() {
        // [[2, 1], [1, 0]] has one eigenvalue of each sign; diag(1, 2, 3) none negative.
        let mut f = Ldlt::new(2);
        f.factor(&[2.0, 1.0, 1.0, 0.0]).unwrap();
        assert_eq!(f.inertia(), (1, 1));
        let mut f = Ldlt::new(3);
        f.factor(&[1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 3.0]).unwrap();
        assert_eq!(f.inertia(), (3, 0));
    }

    #[test]
    fn singular_is_an_error() {
        let mut f = Ldlt::new(2);
        assert_eq!(f.factor(&[1.0, 1.0, 1.0, 1.0]), Err(Singular { column: 1 }));
        assert_eq!(f.factor(&[0.0; 4]), Err(Singular { column: 0 }));
        assert!(f.factor(&[f64::NAN, 1.0, 1.0, 1.0]).is_err());
    }
}
