//! Householder reflections: QR with and without pivoting of columns, and least squares (Golub and Van Loan, chapter 5).
//!
//! A factorisation is kept as LAPACK keeps it: R on and above the diagonal, below it the vectors `v` of the reflections
//! `I - tau v v'`, whose first element is 1 and not stored.

use super::lu::triangular;
use crate::frame::Matrix;

/// A factorisation.
#[derive(Clone, Debug)]
pub(crate) struct Qr {
    pub matrix: Matrix,
    pub tau: Vec<f64>,
    /// Column `i` of the factorised matrix was column `columns[i]`.
    pub columns: Vec<usize>,
}

/// Replaces a vector by the reflection that makes all but its first element zero: gives tau, and puts the new first element
/// and the rest of `v` in its place.
pub(crate) fn reflect(x: &mut [f64]) -> f64 {
    let Some((&mut first, rest)) = x.split_first_mut() else { return 0.0 };
    let norm = rest.iter().fold(0.0f64, |n, x| n.hypot(*x));
    if norm == 0.0 {
        return 0.0;
    }
    let beta = -first.hypot(norm).copysign(first);
    rest.iter_mut().for_each(|x| *x /= first - beta);
    x[0] = beta;
    (beta - first) / beta
}

/// Applies `I - tau v v'` to rows `at..` of the columns from `from` on; `v[0]` counts as 1.
pub(crate) fn apply_left(m: &mut Matrix, v: &[f64], tau: f64, at: usize, from: usize) {
    for c in from..m.cols {
        let mut sum = m[(at, c)];
        for (i, v) in v.iter().enumerate().skip(1) {
            sum += v * m[(at + i, c)];
        }
        m[(at, c)] -= tau * sum;
        for (i, v) in v.iter().enumerate().skip(1) {
            m[(at + i, c)] -= tau * sum * v;
        }
    }
}

/// Factorises; with pivoting, the largest remaining column comes next.
pub(crate) fn factor(mut a: Matrix, pivoting: bool) -> Qr {
    let steps = a.rows.min(a.cols);
    let mut columns: Vec<usize> = (0..a.cols).collect();
    let mut tau = Vec::with_capacity(steps);
    for k in 0..steps {
        if pivoting {
            let size = |c: usize| (k..a.rows).map(|r| a[(r, c)] * a[(r, c)]).sum::<f64>();
            let mut p = k;
            for c in k + 1..a.cols {
                if size(c) > size(p) {
                    p = c;
                }
            }
            columns.swap(k, p);
            for r in 0..a.rows {
                let (x, y) = (a[(r, k)], a[(r, p)]);
                a[(r, k)] = y;
                a[(r, p)] = x;
            }
        }
        let mut v: Vec<f64> = (k..a.rows).map(|r| a[(r, k)]).collect();
        let t = reflect(&mut v);
        for (i, &x) in v.iter().enumerate() {
            a[(k + i, k)] = x;
        }
        apply_left(&mut a, &v, t, k, k + 1);
        tau.push(t);
    }
    Qr { matrix: a, tau, columns }
}

/// `Q C` or `Q' C`. The reflections begin this many rows below the diagonal.
pub(crate) fn apply_q(qr: &Matrix, tau: &[f64], mut c: Matrix, trans: bool, below: usize) -> Matrix {
    let count = tau.len().min(qr.cols).min(qr.rows.saturating_sub(below));
    for step in 0..count {
        let k = if trans { step } else { count - 1 - step };
        if k + below >= c.rows {
            continue;
        }
        let v: Vec<f64> = (k + below..qr.rows.min(c.rows)).map(|r| qr[(r, k)]).collect();
        apply_left(&mut c, &v, tau[k], k + below, 0);
    }
    c
}

/// The first columns of Q, as many as the factorised matrix has.
pub(crate) fn form_q(qr: &Matrix, tau: &[f64]) -> Matrix {
    let mut q = Matrix::zeros(qr.rows, qr.cols);
    for i in 0..qr.rows.min(qr.cols) {
        q[(i, i)] = 1.0;
    }
    apply_q(qr, tau, q, false, 0)
}

/// The upper left part of R.
fn leading(qr: &Matrix, rows: usize, cols: usize) -> Matrix {
    let mut r = Matrix::zeros(rows, cols);
    for i in 0..rows {
        for j in i..cols {
            r[(i, j)] = qr[(i, j)];
        }
    }
    r
}

fn rows_of(m: &Matrix, rows: std::ops::Range<usize>) -> Matrix {
    Matrix { rows: rows.len(), cols: m.cols, data: m.data[rows.start * m.cols..rows.end * m.cols].to_vec() }
}

/// Minimises `|A x - b|`, and among all minimisers `|x|`; gives x and the rank of A. A diagonal element of R that is not
/// larger than `rcond` times the first one counts as zero. The result has as many rows as `b`; after x comes what is left
/// of `Q' b`, whose norm is that of the residual.
pub(crate) fn least_squares(a: &Matrix, b: &Matrix, rcond: f64) -> (Matrix, usize) {
    let (m, n) = (a.rows, a.cols);
    let qr = factor(a.clone(), true);
    let largest = if m.min(n) > 0 { qr.matrix[(0, 0)].abs() } else { 0.0 };
    let rank = (0..m.min(n)).take_while(|&i| qr.matrix[(i, i)].abs() > rcond * largest).count();
    let right = apply_q(&qr.matrix, &qr.tau, rows_of(b, 0..m.min(b.rows)), true, 0);
    let c = rows_of(&right, 0..rank);
    let y = if rank == n {
        triangular(&leading(&qr.matrix, n, n), &c, true, false, false)
    } else {
        // The shortest solution of R y = c is in the range of R'.
        let wide = factor(leading(&qr.matrix, rank, n).transpose(), false);
        let inner = triangular(&leading(&wide.matrix, rank, rank), &c, true, true, false);
        let mut y = Matrix::zeros(n, b.cols);
        y.data[..rank * b.cols].copy_from_slice(&inner.data);
        apply_q(&wide.matrix, &wide.tau, y, false, 0)
    };
    let mut x = Matrix::zeros(b.rows.max(n), b.cols);
    for i in 0..n {
        for c in 0..b.cols {
            x[(qr.columns[i], c)] = y[(i, c)];
        }
    }
    for i in n..right.rows {
        for c in 0..b.cols {
            x[(i, c)] = right[(i, c)];
        }
    }
    (x, rank)
}

/// Minimises `|A x - c|` subject to `B x = d`: x is what the constraints say in the range of B' and free in its complement.
pub(crate) fn constrained_least_squares(a: &Matrix, b: &Matrix, c: &Matrix, d: &Matrix) -> Matrix {
    let (n, p) = (a.cols, b.rows.min(a.cols));
    let qr = factor(b.transpose(), false);
    let fixed = triangular(&leading(&qr.matrix, p, p), &rows_of(d, 0..p), true, true, false);
    let q = apply_q(&qr.matrix, &qr.tau, Matrix::identity(n), false, 0);
    let aq = a.times(&q);
    let mut rest = Matrix::zeros(a.rows, n - p);
    let mut right = c.clone();
    for r in 0..a.rows {
        for k in 0..p {
            right[(r, 0)] -= aq[(r, k)] * fixed[(k, 0)];
        }
        for k in p..n {
            rest[(r, k - p)] = aq[(r, k)];
        }
    }
    let (free, _) = least_squares(&rest, &right, 0.0);
    let mut y = Matrix::zeros(n, 1);
    for k in 0..n {
        y[(k, 0)] = if k < p { fixed[(k, 0)] } else { free[(k - p, 0)] };
    }
    q.times(&y)
}
