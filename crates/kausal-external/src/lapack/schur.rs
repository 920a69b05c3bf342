//! The real Schur form: an orthogonal Z with `A = Z T Z'`, where T is upper triangular but for 2 x 2 blocks of complex
//! pairs of eigenvalues (Golub and Van Loan, sections 7.4 to 7.6).
//!
//! A 2 x 2 block has equal diagonal elements, and its other elements have different signs.

use super::lu;
use super::qr::{apply_left, apply_q, factor, reflect};
use crate::frame::Matrix;

/// Francis steps per eigenvalue before it is given up.
const STEPS: usize = 60;

/// Replaces rows and columns `low..=high` (from 1) by the Hessenberg form, with the reflections below it; gives their factors.
pub(crate) fn hessenberg(a: &mut Matrix, low: usize, high: usize) -> Vec<f64> {
    let n = a.rows;
    let mut tau = vec![0.0; n.saturating_sub(1)];
    let high = high.min(n);
    for k in low.max(1) - 1..high.saturating_sub(2) {
        let mut v: Vec<f64> = (k + 1..high).map(|r| a[(r, k)]).collect();
        tau[k] = reflect(&mut v);
        for (i, &x) in v.iter().enumerate() {
            a[(k + 1 + i, k)] = x;
        }
        apply_left(a, &v, tau[k], k + 1, k + 1);
        apply_right(a, &v, tau[k], k + 1, 0..high);
    }
    tau
}

/// The orthogonal matrix of [`hessenberg`].
pub(crate) fn form_q(a: &Matrix, tau: &[f64]) -> Matrix {
    apply_q(a, tau, Matrix::identity(a.rows), false, 1)
}

/// Applies `I - tau v v'` from the right to columns `at..` of some rows; `v[0]` counts as 1.
fn apply_right(m: &mut Matrix, v: &[f64], tau: f64, at: usize, rows: std::ops::Range<usize>) {
    for r in rows {
        let mut sum = m[(r, at)];
        for (i, v) in v.iter().enumerate().skip(1) {
            sum += v * m[(r, at + i)];
        }
        m[(r, at)] -= tau * sum;
        for (i, v) in v.iter().enumerate().skip(1) {
            m[(r, at + i)] -= tau * sum * v;
        }
    }
}

/// The Schur form of any square matrix: T and Z; or how many eigenvalues were not found.
pub(crate) fn decompose(a: &Matrix) -> Result<(Matrix, Matrix), usize> {
    let mut t = a.clone();
    let tau = hessenberg(&mut t, 1, a.rows);
    let mut z = form_q(&t, &tau);
    for r in 2..t.rows {
        for c in 0..r - 1 {
            t[(r, c)] = 0.0;
        }
    }
    iterate(&mut t, &mut z)?;
    Ok((t, z))
}

/// Francis' iteration on a Hessenberg matrix; the transformations are multiplied to `z` from the right.
pub(crate) fn iterate(t: &mut Matrix, z: &mut Matrix) -> Result<(), usize> {
    let norm = t.norm_1();
    let mut end = t.rows;
    let mut steps = 0;
    while end > 1 {
        let mut begin = end - 1;
        while begin > 0 {
            let neighbours = t[(begin, begin)].abs() + t[(begin - 1, begin - 1)].abs();
            let scale = if neighbours == 0.0 { norm } else { neighbours };
            if t[(begin, begin - 1)].abs() <= f64::EPSILON * scale {
                t[(begin, begin - 1)] = 0.0;
                break;
            }
            begin -= 1;
        }
        if begin + 2 >= end {
            if begin + 2 == end {
                standardise(t, z, begin);
            }
            end = begin;
            steps = 0;
            continue;
        }
        steps += 1;
        if steps > STEPS || !norm.is_finite() {
            return Err(end);
        }
        francis_step(t, z, begin, end, steps % 10 == 0);
    }
    Ok(())
}

/// One step with two shifts on rows `begin..end`, three at least.
fn francis_step(t: &mut Matrix, z: &mut Matrix, begin: usize, end: usize, exceptional: bool) {
    let last = end - 1;
    let (mut sum, mut product) = (
        t[(last - 1, last - 1)] + t[(last, last)],
        t[(last - 1, last - 1)] * t[(last, last)] - t[(last - 1, last)] * t[(last, last - 1)],
    );
    if exceptional {
        // Shifts that have nothing to do with the matrix, against cycles.
        let size = t[(last, last - 1)].abs() + t[(last - 1, last - 2)].abs();
        (sum, product) = (
            1.5 * size + 2.0 * t[(last, last)],
            size * size + t[(last, last)] * (1.5 * size + t[(last, last)]),
        );
    }
    let b = begin;
    let mut v = vec![
        t[(b, b)] * (t[(b, b)] - sum) + t[(b, b + 1)] * t[(b + 1, b)] + product,
        t[(b + 1, b)] * (t[(b, b)] + t[(b + 1, b + 1)] - sum),
        t[(b + 1, b)] * t[(b + 2, b + 1)],
    ];
    let n = t.rows;
    for k in begin..last {
        let tau = reflect(&mut v);
        if k > begin {
            t[(k, k - 1)] = v[0];
            for i in 1..v.len() {
                t[(k + i, k - 1)] = 0.0;
            }
        }
        apply_left(t, &v, tau, k, k);
        apply_right(t, &v, tau, k, 0..(k + 4).min(end));
        apply_right(z, &v, tau, k, 0..n);
        v = (k + 1..(k + 4).min(end)).map(|r| t[(r, k)]).collect();
    }
}

/// Rotates rows and columns k and k+1: the new first basis vector is `c e_k + s e_(k+1)`.
fn rotate(t: &mut Matrix, z: &mut Matrix, k: usize, (c, s): (f64, f64)) {
    for j in 0..t.cols {
        let (x, y) = (t[(k, j)], t[(k + 1, j)]);
        t[(k, j)] = c * x + s * y;
        t[(k + 1, j)] = c * y - s * x;
    }
    for m in [t, z] {
        for i in 0..m.rows {
            let (x, y) = (m[(i, k)], m[(i, k + 1)]);
            m[(i, k)] = c * x + s * y;
            m[(i, k + 1)] = c * y - s * x;
        }
    }
}

/// Makes a 2 x 2 block triangular if its eigenvalues are real, and its diagonal elements equal otherwise.
fn standardise(t: &mut Matrix, z: &mut Matrix, k: usize) {
    let (a, b, c, d) = (t[(k, k)], t[(k, k + 1)], t[(k + 1, k)], t[(k + 1, k + 1)]);
    if c == 0.0 {
        return;
    }
    let half = 0.5 * (a - d);
    let discriminant = half * half + b * c;
    if discriminant >= 0.0 {
        // An eigenvector is (eigenvalue - d, c); take the eigenvalue without cancellation.
        let x = half + discriminant.sqrt().copysign(half);
        let length = x.hypot(c);
        rotate(t, z, k, (x / length, c / length));
        t[(k + 1, k)] = 0.0;
    } else {
        let angle = 0.5 * (d - a).atan2(b + c);
        rotate(t, z, k, (angle.cos(), angle.sin()));
        let mean = 0.5 * (t[(k, k)] + t[(k + 1, k + 1)]);
        t[(k, k)] = mean;
        t[(k + 1, k + 1)] = mean;
    }
}

/// Where the diagonal blocks begin, and their sizes.
pub(crate) fn blocks(t: &Matrix) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    let mut k = 0;
    while k < t.rows {
        let size = if k + 1 < t.rows && t[(k + 1, k)] != 0.0 { 2 } else { 1 };
        out.push((k, size));
        k += size;
    }
    out
}

/// The eigenvalues, real and imaginary parts; of a pair the one with the positive imaginary part comes first.
pub(crate) fn eigenvalues(t: &Matrix) -> (Vec<f64>, Vec<f64>) {
    let (mut re, mut im) = (Vec::new(), Vec::new());
    for (k, size) in blocks(t) {
        if size == 1 {
            re.push(t[(k, k)]);
            im.push(0.0);
        } else {
            let mean = 0.5 * (t[(k, k)] + t[(k + 1, k + 1)]);
            let half = 0.5 * (t[(k, k)] - t[(k + 1, k + 1)]);
            let root = (-(half * half + t[(k, k + 1)] * t[(k + 1, k)])).max(0.0).sqrt();
            re.extend([mean, mean]);
            im.extend([root, -root]);
        }
    }
    (re, im)
}

/// Moves the selected eigenvalues to the front, in their order; gives how many they are. Of a pair both move if one is selected.
pub(crate) fn reorder(t: &mut Matrix, z: &mut Matrix, selected: &[bool]) -> usize {
    let mut order: Vec<(usize, bool)> = blocks(t)
        .into_iter()
        .map(|(k, size)| (size, (k..k + size).any(|i| selected.get(i).copied().unwrap_or(false))))
        .collect();
    // Exchange neighbours until no selected block comes after another one.
    let mut done = 0;
    let mut count = 0;
    for i in 0..order.len() {
        if !order[i].1 {
            continue;
        }
        count += order[i].0;
        for j in (done..i).rev() {
            let at = order[..j].iter().map(|b| b.0).sum();
            exchange(t, z, at, order[j].0, order[j + 1].0);
            order.swap(j, j + 1);
        }
        done += 1;
    }
    count
}

/// Exchanges two neighbouring blocks of sizes p and q (Z. Bai, J. Demmel, *On swapping diagonal blocks in real Schur form*, 1993):
/// `[X; I]` spans the invariant subspace of the second block where `T11 X - X T22 = -T12`.
fn exchange(t: &mut Matrix, z: &mut Matrix, at: usize, p: usize, q: usize) {
    let part = |r: usize, c: usize, rows: usize, cols: usize, t: &Matrix| {
        let mut m = Matrix::zeros(rows, cols);
        for i in 0..rows {
            for j in 0..cols {
                m[(i, j)] = t[(r + i, c + j)];
            }
        }
        m
    };
    let (t11, t22) = (part(at, at, p, p, t), part(at + p, at + p, q, q, t));
    let mut t12 = part(at, at + p, p, q, t);
    t12.data.iter_mut().for_each(|x| *x = -*x);
    let x = sylvester(&t11, &t22, &t12, -1.0);
    let mut basis = Matrix::zeros(p + q, q);
    basis.data[..p * q].copy_from_slice(&x.data);
    for i in 0..q {
        basis[(p + i, i)] = 1.0;
    }
    let qr = factor(basis, false);
    let n = t.rows;
    for k in 0..qr.tau.len() {
        let v: Vec<f64> = (k..p + q).map(|r| qr.matrix[(r, k)]).collect();
        apply_left(t, &v, qr.tau[k], at + k, 0);
        apply_right(t, &v, qr.tau[k], at + k, 0..n);
        apply_right(z, &v, qr.tau[k], at + k, 0..n);
    }
    for r in at + q..at + p + q {
        for c in at..at + q {
            t[(r, c)] = 0.0;
        }
    }
    for (k, size) in [(at, q), (at + q, p)] {
        if size == 2 {
            standardise(t, z, k);
        }
    }
}

/// Solves `A X + sign X B = C` for any A and quasi-triangular B, column by column.
pub(crate) fn sylvester(a: &Matrix, b: &Matrix, c: &Matrix, sign: f64) -> Matrix {
    let (m, n) = (a.rows, b.rows);
    let mut x = Matrix::zeros(m, n);
    // In a lower triangle the last column comes first.
    let lower = (1..n).any(|j| b[(j - 1, j)] != 0.0) && (2..n).all(|j| (0..j - 1).all(|i| b[(i, j)] == 0.0));
    let upper = (2..n).all(|i| (0..i - 1).all(|j| b[(i, j)] == 0.0));
    let backward = lower && !upper;
    let mut groups = if backward { blocks(&b.transpose()) } else { blocks(b) };
    if backward {
        groups.reverse();
    }
    let mut solved: Vec<usize> = Vec::new();
    for (k, size) in groups {
        // (A + sign b_jj I) x_j + the other columns of the group and those solved before.
        let mut matrix = Matrix::zeros(m * size, m * size);
        let mut right = Matrix::zeros(m * size, 1);
        for j in 0..size {
            for r in 0..m {
                for s in 0..m {
                    matrix[(j * m + r, j * m + s)] = a[(r, s)];
                }
                for i in 0..size {
                    matrix[(j * m + r, i * m + r)] += sign * b[(k + i, k + j)];
                }
                let before: f64 = solved.iter().map(|&i| x[(r, i)] * b[(i, k + j)]).sum();
                right[(j * m + r, 0)] = c[(r, k + j)] - sign * before;
            }
        }
        let lu = lu::factor(matrix);
        let solution = if lu.singular.is_none() { lu.solve(&right, false) } else { right };
        for j in 0..size {
            for r in 0..m {
                x[(r, k + j)] = solution[(j * m + r, 0)];
            }
            solved.push(k + j);
        }
    }
    x
}
