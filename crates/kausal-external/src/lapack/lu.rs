//! Elimination: LU with partial pivoting, Cholesky, triangular systems, norms (Golub and Van Loan, chapters 3 and 4).

use crate::frame::Matrix;

/// A factorisation `A = P L U`; L has ones on its diagonal, and both are in one matrix.
#[derive(Clone, Debug)]
pub(crate) struct Lu {
    pub matrix: Matrix,
    /// Row `i` was exchanged with row `pivots[i]`.
    pub pivots: Vec<usize>,
    /// The first pivot that is zero.
    pub singular: Option<usize>,
}

/// Factorises a matrix of any size.
pub(crate) fn factor(mut a: Matrix) -> Lu {
    let steps = a.rows.min(a.cols);
    let mut pivots = Vec::with_capacity(steps);
    let mut singular = None;
    for k in 0..steps {
        let mut p = k;
        for r in k + 1..a.rows {
            if a[(r, k)].abs() > a[(p, k)].abs() {
                p = r;
            }
        }
        pivots.push(p);
        if a[(p, k)] == 0.0 {
            singular = singular.or(Some(k));
            continue;
        }
        for c in 0..a.cols {
            let (x, y) = (a[(k, c)], a[(p, c)]);
            a[(k, c)] = y;
            a[(p, c)] = x;
        }
        for r in k + 1..a.rows {
            let factor = a[(r, k)] / a[(k, k)];
            a[(r, k)] = factor;
            for c in k + 1..a.cols {
                let x = a[(k, c)];
                a[(r, c)] -= factor * x;
            }
        }
    }
    Lu { matrix: a, pivots, singular }
}

impl Lu {
    /// From a factorisation made before.
    pub fn with_pivots(matrix: Matrix, pivots: Vec<usize>) -> Lu {
        let singular = (0..matrix.rows).find(|&i| matrix[(i, i)] == 0.0);
        Lu { matrix, pivots, singular }
    }

    /// As if no rows had been exchanged.
    pub fn without_pivots(matrix: Matrix) -> Lu {
        let pivots = (0..matrix.rows).collect();
        Lu::with_pivots(matrix, pivots)
    }

    /// As LAPACK says it: 0, or the number of the pivot that is zero.
    pub fn info(&self) -> f64 {
        self.singular.map_or(0.0, |k| (k + 1) as f64)
    }

    /// Solves `A X = B` or `A' X = B`; the matrix is square.
    pub fn solve(&self, b: &Matrix, trans: bool) -> Matrix {
        let mut x = b.clone();
        if trans {
            x = triangular(&self.matrix, &x, true, true, false);
            x = triangular(&self.matrix, &x, false, true, true);
            for (i, &p) in self.pivots.iter().enumerate().rev() {
                swap_rows(&mut x, i, p);
            }
            return x;
        }
        for (i, &p) in self.pivots.iter().enumerate() {
            swap_rows(&mut x, i, p);
        }
        x = triangular(&self.matrix, &x, false, false, true);
        triangular(&self.matrix, &x, true, false, false)
    }

    /// 1 divided by the norms of the matrix and of its inverse, in the norm of largest column sums or largest row sums.
    pub fn reciprocal_condition(&self, norm: f64, infinity: bool) -> f64 {
        if self.singular.is_some() || norm == 0.0 {
            return 0.0;
        }
        let inverse = self.solve(&Matrix::identity(self.matrix.rows), false);
        let inverse = if infinity { inverse.transpose() } else { inverse };
        1.0 / (norm * inverse.norm_1())
    }
}

fn swap_rows(m: &mut Matrix, i: usize, j: usize) {
    if i != j && i < m.rows && j < m.rows {
        for c in 0..m.cols {
            let (x, y) = (m[(i, c)], m[(j, c)]);
            m[(i, c)] = y;
            m[(j, c)] = x;
        }
    }
}

/// Solves a triangular system with the upper or lower triangle of a matrix, or its transpose.
pub(crate) fn triangular(a: &Matrix, b: &Matrix, upper: bool, trans: bool, unit: bool) -> Matrix {
    let n = a.rows.min(a.cols).min(b.rows);
    let element = |r: usize, c: usize| if trans { a[(c, r)] } else { a[(r, c)] };
    let mut x = b.clone();
    for step in 0..n {
        // The transpose of an upper triangle is a lower one.
        let backward = upper != trans;
        let i = if backward { n - 1 - step } else { step };
        let solved = if backward { i + 1..n } else { 0..i };
        for c in 0..x.cols {
            let mut sum = x[(i, c)];
            for k in solved.clone() {
                sum -= element(i, k) * x[(k, c)];
            }
            x[(i, c)] = if unit { sum } else { sum / element(i, i) };
        }
    }
    x
}

/// Replaces a triangle by the Cholesky factor; gives `info`: 0, or the order of the minor that is not positive.
pub(crate) fn cholesky(a: &mut Matrix, upper: bool) -> f64 {
    let place = |r: usize, c: usize| if upper { (c, r) } else { (r, c) };
    for j in 0..a.rows {
        let mut pivot = a[(j, j)];
        for k in 0..j {
            pivot -= a[place(j, k)] * a[place(j, k)];
        }
        if pivot <= 0.0 || pivot.is_nan() {
            return (j + 1) as f64;
        }
        let pivot = pivot.sqrt();
        a[(j, j)] = pivot;
        for i in j + 1..a.rows {
            let mut sum = a[place(i, j)];
            for k in 0..j {
                sum -= a[place(i, k)] * a[place(j, k)];
            }
            a[place(i, j)] = sum / pivot;
        }
    }
    0.0
}

/// A norm by LAPACK's letter: largest element, column sums, row sums, Frobenius.
pub(crate) fn norm(a: &Matrix, kind: &str) -> f64 {
    match kind {
        "M" | "m" => a.data.iter().fold(0.0, |m, x| m.max(x.abs())),
        "I" | "i" => a.transpose().norm_1(),
        "F" | "f" | "E" | "e" => a.data.iter().map(|x| x * x).sum::<f64>().sqrt(),
        _ => a.norm_1(),
    }
}

/// A tridiagonal matrix.
pub(crate) fn from_diagonals(sub: &[f64], diagonal: &[f64], sup: &[f64]) -> Matrix {
    let n = diagonal.len();
    let mut a = Matrix::zeros(n, n);
    for i in 0..n {
        a[(i, i)] = diagonal[i];
        if i + 1 < n {
            a[(i + 1, i)] = sub.get(i).copied().unwrap_or(0.0);
            a[(i, i + 1)] = sup.get(i).copied().unwrap_or(0.0);
        }
    }
    a
}

/// A matrix from LAPACK's band storage: element (i, j) is in row `lower + upper + i - j` of column j.
pub(crate) fn from_bands(n: usize, lower: usize, upper: usize, bands: &Matrix) -> Matrix {
    let n = n.min(bands.cols);
    let mut a = Matrix::zeros(n, n);
    for j in 0..n {
        for i in j.saturating_sub(upper)..(j + lower + 1).min(n) {
            let row = lower + upper + i - j;
            if row < bands.rows {
                a[(i, j)] = bands[(row, j)];
            }
        }
    }
    a
}
