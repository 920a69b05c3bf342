//! Eigenvalues and eigenvectors from the Schur form, under the names `dgeev`, `dgeevx`, `dgees`, `dhseqr`, `dtrevc`,
//! `dtrsen` and `dtrsyl`.

use super::{schur, transposed};
use crate::frame::{Frame, Matrix, Outcome};
use crate::{Native, StandardExternals};

type Complex = (f64, f64);

pub(crate) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "dgeev" => geev,
        "dgeevx" => geevx,
        "dgees" => gees,
        "dhseqr" => hseqr,
        "dtrevc" => trevc,
        "dtrsen" => trsen,
        "dtrsyl" => trsyl,
        _ => return None,
    })
}

fn wants_vectors(job: &str) -> bool {
    matches!(job, "V" | "v")
}

/// `(jobvl, jobvr, n, A, lda, wr, wi, VL, ldvl, VR, ldvr, work, lwork, info)`
fn geev(_: &StandardExternals, f: &mut Frame<'_>) -> Outcome<()> {
    let (left, right) = (wants_vectors(f.text(0)?), wants_vectors(f.text(1)?));
    match schur::decompose(&f.square(3)?) {
        Ok((t, z)) => {
            let (re, im) = schur::eigenvalues(&t);
            f.set_numbers(5, re)?;
            f.set_numbers(6, im)?;
            if left {
                f.set_matrix(7, &normalised(&t, &z.times(&left_vectors(&t))))?;
            }
            if right {
                f.set_matrix(9, &normalised(&t, &z.times(&right_vectors(&t))))?;
            }
            f.set_number(13, 0.0);
        }
        Err(count) => f.set_number(13, count as f64),
    }
    Ok(())
}

/// `(balanc, jobvl, jobvr, sense, n, A, lda, wr, wi, VL, ldvl, VR, ldvr, ilo, ihi, scale, abnrm, rconde, rcondv, work, lwork,
/// iwork, info)`: without balancing.
fn geevx(_: &StandardExternals, f: &mut Frame<'_>) -> Outcome<()> {
    let a = f.square(5)?;
    let n = a.rows;
    match schur::decompose(&a) {
        Ok((t, z)) => {
            let (re, im) = schur::eigenvalues(&t);
            let left = normalised(&t, &z.times(&left_vectors(&t)));
            let right = normalised(&t, &z.times(&right_vectors(&t)));
            // How sensitive an eigenvalue is: the cosine of the angle between its two vectors.
            let mut cosines = vec![0.0; n];
            for (k, size) in schur::blocks(&t) {
                let mut product = (0.0, 0.0);
                for r in 0..n {
                    let part = |m: &Matrix| (m[(r, k)], if size == 2 { m[(r, k + 1)] } else { 0.0 });
                    let (u, v) = (part(&left), part(&right));
                    product = add(product, times((u.0, -u.1), v));
                }
                cosines[k..k + size].fill(product.0.hypot(product.1));
            }
            f.set_matrix(5, &t)?;
            f.set_numbers(7, re)?;
            f.set_numbers(8, im)?;
            f.set_matrix(9, &left)?;
            f.set_matrix(11, &right)?;
            f.set_numbers(17, cosines)?;
            f.set_number(22, 0.0);
        }
        Err(count) => f.set_number(22, count as f64),
    }
    f.set_number(13, 1.0);
    f.set_number(14, n as f64);
    f.set_numbers(15, vec![1.0; n])?;
    f.set_number(16, a.norm_1());
    Ok(())
}

/// `(jobvs, sort, select, n, A, lda, sdim, wr, wi, VS, ldvs, work, lwork, bwork, info)`
fn gees(_: &StandardExternals, f: &mut Frame<'_>) -> Outcome<()> {
    match schur::decompose(&f.square(4)?) {
        Ok((t, z)) => {
            let (re, im) = schur::eigenvalues(&t);
            f.set_matrix(4, &t)?;
            f.set_number(6, 0.0);
            f.set_numbers(7, re)?;
            f.set_numbers(8, im)?;
            f.set_matrix(9, &z)?;
            f.set_number(14, 0.0);
        }
        Err(count) => f.set_number(14, count as f64),
    }
    Ok(())
}

/// `(job, compz, n, ilo, ihi, H, ldh, wr, wi, Z, ldz, work, lwork, info)`
fn hseqr(_: &StandardExternals, f: &mut Frame<'_>) -> Outcome<()> {
    let mut t = f.square(5)?;
    for r in 2..t.rows {
        for c in 0..r - 1 {
            t[(r, c)] = 0.0;
        }
    }
    let compz = f.text(1)?;
    let mut z = if wants_vectors(compz) { f.square(9)? } else { Matrix::identity(t.rows) };
    match schur::iterate(&mut t, &mut z) {
        Ok(()) => {
            let (re, im) = schur::eigenvalues(&t);
            f.set_numbers(7, re)?;
            f.set_numbers(8, im)?;
            f.set_matrix(5, &t)?;
            if !matches!(compz, "N" | "n") {
                f.set_matrix(9, &z)?;
            }
            f.set_number(13, 0.0);
        }
        Err(count) => f.set_number(13, count as f64),
    }
    Ok(())
}

/// `(side, howmny, select, n, T, ldt, VL, ldvl, VR, ldvr, mm, m, work, info)`: all vectors, multiplied by the given matrices if
/// `howmny` is "B". The largest element of each is 1 in absolute value.
fn trevc(_: &StandardExternals, f: &mut Frame<'_>) -> Outcome<()> {
    let t = f.square(4)?;
    let (side, back) = (f.text(0)?, matches!(f.text(1)?, "B" | "b"));
    for (i, skip, vectors) in [(6, "R", left_vectors as fn(&Matrix) -> Matrix), (8, "L", right_vectors)] {
        if side.eq_ignore_ascii_case(skip) {
            continue;
        }
        let mut v = vectors(&t);
        if back {
            v = f.square(i)?.times(&v);
        }
        for (k, size) in schur::blocks(&t) {
            let columns = k..k + size;
            let largest =
                (0..v.rows).map(|r| columns.clone().map(|c| v[(r, c)].abs()).sum()).fold(0.0, f64::max);
            if largest > 0.0 {
                for r in 0..v.rows {
                    columns.clone().for_each(|c| v[(r, c)] /= largest);
                }
            }
        }
        f.set_matrix(i, &v)?;
    }
    f.set_number(13, 0.0);
    Ok(())
}

/// `(job, compq, select, n, T, ldt, Q, ldq, wr, wi, m, s, sep, work, lwork, iwork, liwork, info)`: without condition numbers.
fn trsen(_: &StandardExternals, f: &mut Frame<'_>) -> Outcome<()> {
    let mut t = f.square(4)?;
    let mut q = f.square(6)?;
    let selected: Vec<bool> = f.numbers(2)?.iter().map(|&s| s != 0.0).collect();
    let count = schur::reorder(&mut t, &mut q, &selected);
    let (re, im) = schur::eigenvalues(&t);
    f.set_matrix(4, &t)?;
    if wants_vectors(f.text(1)?) {
        f.set_matrix(6, &q)?;
    }
    f.set_numbers(8, re)?;
    f.set_numbers(9, im)?;
    f.set_number(10, count as f64);
    f.set_number(17, 0.0);
    Ok(())
}

/// `(trana, tranb, isgn, m, n, A, lda, B, ldb, C, ldc, scale, info)`
fn trsyl(_: &StandardExternals, f: &mut Frame<'_>) -> Outcome<()> {
    let side =
        |i: usize, trans: &str| Ok(if transposed(trans) { f.square(i)?.transpose() } else { f.square(i)? });
    let (a, b) = (side(5, f.text(0)?)?, side(7, f.text(1)?)?);
    let x = schur::sylvester(&a, &b, &f.matrix(9)?, f.number(2)?);
    f.set_matrix(9, &x)?;
    f.set_number(11, 1.0);
    f.set_number(12, 0.0);
    Ok(())
}

fn add(a: Complex, b: Complex) -> Complex {
    (a.0 + b.0, a.1 + b.1)
}

fn times(a: Complex, b: Complex) -> Complex {
    (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)
}

fn divide(a: Complex, b: Complex) -> Complex {
    let size = b.0 * b.0 + b.1 * b.1;
    let product = times(a, (b.0, -b.1));
    (product.0 / size, product.1 / size)
}

/// The eigenvectors of a quasi-triangular matrix by back substitution. A column is a real vector; two columns of a complex pair
/// are the real and imaginary part of the vector of the eigenvalue with the positive imaginary part.
pub(crate) fn right_vectors(t: &Matrix) -> Matrix {
    let n = t.rows;
    let (re, im) = schur::eigenvalues(t);
    let smallest = f64::EPSILON * t.norm_1().max(f64::MIN_POSITIVE);
    let all = schur::blocks(t);
    let mut out = Matrix::zeros(n, n);
    for (number, &(k, size)) in all.iter().enumerate() {
        let value = (re[k], im[k]);
        let mut x: Vec<Complex> = vec![(0.0, 0.0); n];
        if size == 1 {
            x[k] = (1.0, 0.0);
        } else {
            // (t_kk - value) x_k + t_(k,k+1) x_(k+1) = 0
            x[k] = (t[(k, k + 1)], 0.0);
            x[k + 1] = (value.0 - t[(k, k)], value.1);
        }
        for &(j, rows) in all[..number].iter().rev() {
            let right = |r: usize| {
                (j + rows..k + size)
                    .fold((0.0, 0.0), |sum, c| add(sum, (-t[(r, c)] * x[c].0, -t[(r, c)] * x[c].1)))
            };
            let shifted = |r: usize| {
                let d = (t[(r, r)] - value.0, -value.1);
                if d.0.hypot(d.1) < smallest { (smallest, 0.0) } else { d }
            };
            if rows == 1 {
                x[j] = divide(right(j), shifted(j));
                continue;
            }
            let (a, d) = (shifted(j), shifted(j + 1));
            let (b, c) = (t[(j, j + 1)], t[(j + 1, j)]);
            let (p, q) = (right(j), right(j + 1));
            let mut determinant = add(times(a, d), (-b * c, 0.0));
            if determinant.0.hypot(determinant.1) < smallest * smallest {
                determinant = (smallest * smallest, 0.0);
            }
            x[j] = divide(add(times(p, d), (-b * q.0, -b * q.1)), determinant);
            x[j + 1] = divide(add(times(a, q), (-c * p.0, -c * p.1)), determinant);
        }
        for (r, x) in x.iter().enumerate() {
            out[(r, k)] = x.0;
            if size == 2 {
                out[(r, k + 1)] = x.1;
            }
        }
    }
    out
}

/// The vectors u with `u^H T = value u^H`: right ones of the transpose, which is quasi-triangular in reverse order.
pub(crate) fn left_vectors(t: &Matrix) -> Matrix {
    let n = t.rows;
    let mut reversed = Matrix::zeros(n, n);
    for r in 0..n {
        for c in 0..n {
            reversed[(r, c)] = t[(n - 1 - c, n - 1 - r)];
        }
    }
    let right = right_vectors(&reversed);
    let mut out = Matrix::zeros(n, n);
    for (k, size) in schur::blocks(t) {
        let from = n - k - size;
        for r in 0..n {
            out[(r, k)] = right[(n - 1 - r, from)];
            if size == 2 {
                out[(r, k + 1)] = -right[(n - 1 - r, from + 1)];
            }
        }
    }
    out
}

/// Vectors of length 1; the largest element of a complex one is real.
fn normalised(t: &Matrix, vectors: &Matrix) -> Matrix {
    let mut v = vectors.clone();
    for (k, size) in schur::blocks(t) {
        let length =
            (0..v.rows).fold(0.0f64, |sum, r| (k..k + size).fold(sum, |sum, c| sum.hypot(v[(r, c)])));
        let mut turn = (1.0, 0.0);
        if size == 2 {
            let sizes = (0..v.rows).map(|r| v[(r, k)].hypot(v[(r, k + 1)]));
            let largest =
                sizes.enumerate().fold((0, 0.0), |best, (r, s)| if s > best.1 { (r, s) } else { best });
            if largest.1 > 0.0 {
                turn = (v[(largest.0, k)] / largest.1, -v[(largest.0, k + 1)] / largest.1);
            }
        }
        for r in 0..v.rows {
            let old = (v[(r, k)], if size == 2 { v[(r, k + 1)] } else { 0.0 });
            let new = times(old, turn);
            v[(r, k)] = new.0 / length;
            if size == 2 {
                v[(r, k + 1)] = new.1 / length;
            }
        }
    }
    v
}
