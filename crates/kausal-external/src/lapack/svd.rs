//! Singular values by one-sided Jacobi rotations (Golub and Van Loan, section 8.6.3): columns are rotated against each other
//! until all are orthogonal. Their lengths are the singular values, accurate also where they are small.

use crate::frame::{Frame, Matrix, Outcome};
use crate::{Native, StandardExternals};

/// Sweeps over all pairs of columns; about ten are enough in practice.
const SWEEPS: usize = 60;

/// `A = U diag(sigma) V'` with square U and V; sigma decreases.
#[derive(Clone, Debug)]
pub(crate) struct Svd {
    pub u: Matrix,
    pub sigma: Vec<f64>,
    pub vt: Matrix,
}

pub(crate) fn find(name: &str) -> Option<Native> {
    Some(match name {
        // (jobu, jobvt, m, n, A, lda, sigma, U, ldu, VT, ldvt, work, lwork, info)
        "dgesvd" => |_: &StandardExternals, f: &mut Frame<'_>| {
            let vectors = !matches!(f.text(0)?, "N" | "n");
            write(f, 4, [6, 7, 9, 13], vectors)
        },
        // (jobz, m, n, A, lda, sigma, U, ldu, VT, ldvt, work, lwork, iwork, info)
        "dgesdd" => |_: &StandardExternals, f: &mut Frame<'_>| {
            let vectors = !matches!(f.text(0)?, "N" | "n");
            write(f, 3, [5, 6, 8, 13], vectors)
        },
        _ => return None,
    })
}

fn write(f: &mut Frame<'_>, matrix: usize, [sigma, u, vt, info]: [usize; 4], vectors: bool) -> Outcome<()> {
    let svd = decompose(&f.matrix(matrix)?);
    f.set_numbers(sigma, svd.sigma)?;
    if vectors {
        f.set_matrix(u, &svd.u)?;
        f.set_matrix(vt, &svd.vt)?;
    }
    f.set_number(info, 0.0);
    Ok(())
}

/// Decomposes a matrix.
pub(crate) fn decompose(a: &Matrix) -> Svd {
    if a.rows < a.cols {
        let other = decompose(&a.transpose());
        return Svd { u: other.vt.transpose(), sigma: other.sigma, vt: other.u.transpose() };
    }
    // Rows of these are the columns of A and V.
    let mut columns = a.transpose();
    let mut v = Matrix::identity(a.cols);
    let (m, n) = (a.rows, a.cols);
    for _ in 0..SWEEPS {
        let mut rotated = false;
        for p in 0..n {
            for q in p + 1..n {
                let dot = |i: usize, j: usize| (0..m).map(|k| columns[(i, k)] * columns[(j, k)]).sum::<f64>();
                let (pp, qq, pq) = (dot(p, p), dot(q, q), dot(p, q));
                if pq == 0.0 || pq.abs() <= f64::EPSILON * (pp * qq).sqrt() {
                    continue;
                }
                rotated = true;
                let zeta = (qq - pp) / (2.0 * pq);
                let tangent = 1.0f64.copysign(zeta) / (zeta.abs() + 1.0f64.hypot(zeta));
                let c = 1.0 / 1.0f64.hypot(tangent);
                let s = c * tangent;
                for matrix in [&mut columns, &mut v] {
                    for k in 0..matrix.cols {
                        let (x, y) = (matrix[(p, k)], matrix[(q, k)]);
                        matrix[(p, k)] = c * x - s * y;
                        matrix[(q, k)] = s * x + c * y;
                    }
                }
            }
        }
        if !rotated {
            break;
        }
    }
    let lengths: Vec<f64> = (0..n).map(|i| (0..m).fold(0.0f64, |l, k| l.hypot(columns[(i, k)]))).collect();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| lengths[j].total_cmp(&lengths[i]));
    let largest = order.first().map_or(0.0, |&i| lengths[i]);
    let mut basis: Vec<Vec<f64>> = Vec::with_capacity(m);
    let mut vt = Matrix::zeros(n, n);
    let mut sigma = Vec::with_capacity(n);
    for (row, &i) in order.iter().enumerate() {
        for k in 0..n {
            vt[(row, k)] = v[(i, k)];
        }
        sigma.push(lengths[i]);
        // The direction of a column that is only rounding is not orthogonal to the others.
        if lengths[i] > f64::EPSILON * largest {
            basis.push((0..m).map(|k| columns[(i, k)] / lengths[i]).collect());
        }
    }
    complete(&mut basis, m);
    let mut u = Matrix::zeros(m, m);
    for (c, vector) in basis.iter().enumerate() {
        for (r, &x) in vector.iter().enumerate() {
            u[(r, c)] = x;
        }
    }
    Svd { u, sigma, vt }
}

/// Adds orthonormal vectors until there are m: from the unit vector that the others cover least.
fn complete(basis: &mut Vec<Vec<f64>>, m: usize) {
    while basis.len() < m {
        let covered = |i: usize| basis.iter().map(|b| b[i] * b[i]).sum::<f64>();
        let least = (0..m).fold((0, f64::INFINITY), |best, i| {
            let c = covered(i);
            if c < best.1 { (i, c) } else { best }
        });
        let mut vector = vec![0.0; m];
        vector[least.0] = 1.0;
        // Twice, so that rounding does not matter.
        for _ in 0..2 {
            for b in basis.iter() {
                let dot: f64 = b.iter().zip(&vector).map(|(b, v)| b * v).sum();
                vector.iter_mut().zip(b).for_each(|(v, b)| *v -= dot * b);
            }
        }
        let length = vector.iter().fold(0.0f64, |l, x| l.hypot(*x));
        vector.iter_mut().for_each(|x| *x /= length);
        basis.push(vector);
    }
}
