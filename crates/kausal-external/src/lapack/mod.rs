//! Linear algebra under the names of LAPACK, as `Modelica.Math.Matrices.LAPACK` declares it.
//!
//! The algorithms are textbook ones for the small dense matrices of models (G. H. Golub, C. F. Van Loan, *Matrix
//! Computations*, 4th edition, 2013):
//!
//! - [`lu`]: elimination with pivoting, Cholesky, triangular systems
//! - [`qr`]: Householder reflections, with and without pivoting; least squares
//! - [`schur`]: Hessenberg form, Francis' iteration, reordering, Sylvester equations
//! - [`eigen`]: eigenvalues and eigenvectors
//! - [`svd`]: one-sided Jacobi rotations
//!
//! A matrix argument has two dimensions and is itself, whatever the order of its elements in the memory of Fortran. The last
//! argument `info` is 0, or says as in LAPACK where a matrix is singular. Not available are generalised eigenvalues
//! (`dggev`, `dggevx`, `dhgeqz`).

pub(crate) mod eigen;
pub(crate) mod lu;
pub(crate) mod qr;
pub(crate) mod schur;
pub(crate) mod svd;

use crate::frame::{Frame, Matrix, Outcome};
use crate::{Kind, Native};

pub(crate) fn find(name: &str) -> Option<(Kind, Native)> {
    let native: Native = match name {
        "dgesv" => |_, f| {
            let info = f.square(2)?.solve_into(f, 5)?;
            f.set_number(7, info);
            Ok(())
        },
        "dgesvx" => gesvx,
        "dgetrf" => |_, f| {
            let lu = lu::factor(f.matrix(2)?);
            f.set_matrix(2, &lu.matrix)?;
            f.set_numbers(4, pivots_out(&lu.pivots))?;
            f.set_number(5, lu.info());
            Ok(())
        },
        "dgetrs" => |_, f| {
            let lu = lu_argument(f, 3, 5)?;
            let x = lu.solve(&f.matrix(6)?, transposed(f.text(0)?));
            f.set_matrix(6, &x)?;
            f.set_number(8, 0.0);
            Ok(())
        },
        "dgetri" => |_, f| {
            let lu = lu_argument(f, 1, 3)?;
            if lu.singular.is_none() {
                f.set_matrix(1, &lu.solve(&Matrix::identity(lu.matrix.rows), false))?;
            }
            f.set_number(6, lu.info());
            Ok(())
        },
        "dgecon" => |_, f| {
            let lu = lu::Lu::without_pivots(f.square(2)?);
            let infinity = matches!(f.text(0)?, "I" | "i");
            f.set_number(5, lu.reciprocal_condition(f.number(4)?, infinity));
            f.set_number(8, 0.0);
            Ok(())
        },
        "dgtsv" => |_, f| {
            let matrix = lu::from_diagonals(f.numbers(2)?, f.numbers(3)?, f.numbers(4)?);
            let info = matrix.solve_into(f, 5)?;
            f.set_number(7, info);
            Ok(())
        },
        "dgbsv" => |_, f| {
            let matrix = lu::from_bands(f.count(0)?, f.count(1)?, f.count(2)?, &f.matrix(4)?);
            let info = matrix.solve_into(f, 7)?;
            f.set_number(9, info);
            Ok(())
        },
        "dpotrf" => |_, f| {
            let mut matrix = f.square(2)?;
            let info = lu::cholesky(&mut matrix, is_upper(f.text(0)?));
            f.set_matrix(2, &matrix)?;
            f.set_number(4, info);
            Ok(())
        },
        "dtrsm" => |_, f| {
            let left = !matches!(f.text(0)?, "R" | "r");
            let (upper, trans) = (is_upper(f.text(1)?), transposed(f.text(2)?));
            let unit = matches!(f.text(3)?, "U" | "u");
            let mut b = f.matrix(9)?;
            b.data.iter_mut().for_each(|x| *x *= f.number(6).unwrap_or(1.0));
            let a = f.square(7)?;
            // X A = B is A' X' = B'.
            let x = if left {
                lu::triangular(&a, &b, upper, trans, unit)
            } else {
                lu::triangular(&a, &b.transpose(), upper, !trans, unit).transpose()
            };
            f.set_matrix(9, &x)
        },
        "dlange" => |_, f| {
            let matrix = f.matrix(3)?;
            f.give_number(lu::norm(&matrix, f.text(0)?))
        },
        "dgels" => |_, f| {
            let (a, b) = (f.matrix(4)?, f.matrix(6)?);
            let a = if transposed(f.text(0)?) { a.transpose() } else { a };
            let x = qr::least_squares(&a, &b, 0.0).0;
            f.set_matrix(6, &x)?;
            f.set_number(10, 0.0);
            Ok(())
        },
        "dgelsy" => |_, f| {
            let (x, rank) = qr::least_squares(&f.matrix(3)?, &f.matrix(5)?, f.number(8)?);
            f.set_matrix(5, &x)?;
            f.set_number(9, rank as f64);
            f.set_number(12, 0.0);
            Ok(())
        },
        "dgglse" => |_, f| {
            let x = qr::constrained_least_squares(&f.matrix(3)?, &f.matrix(5)?, &f.matrix(7)?, &f.matrix(8)?);
            f.set_numbers(9, x.data)?;
            f.set_number(12, 0.0);
            Ok(())
        },
        "dgeqrf" => |_, f| {
            let qr = qr::factor(f.matrix(2)?, false);
            f.set_matrix(2, &qr.matrix)?;
            f.set_numbers(4, qr.tau)?;
            f.set_number(7, 0.0);
            Ok(())
        },
        "dgeqp3" => |_, f| {
            let qr = qr::factor(f.matrix(2)?, true);
            f.set_matrix(2, &qr.matrix)?;
            f.set_numbers(4, pivots_out(&qr.columns))?;
            f.set_numbers(5, qr.tau)?;
            f.set_number(8, 0.0);
            Ok(())
        },
        "dorgqr" => |_, f| {
            let q = qr::form_q(&f.matrix(3)?, f.numbers(5)?);
            f.set_matrix(3, &q)?;
            f.set_number(8, 0.0);
            Ok(())
        },
        "dormqr" => |_, f| {
            let c = multiply_q(&f.matrix(5)?, f.numbers(7)?, &f.matrix(8)?, 0, f.text(0)?, f.text(1)?);
            f.set_matrix(8, &c)?;
            f.set_number(12, 0.0);
            Ok(())
        },
        "dgehrd" => |_, f| {
            let mut matrix = f.square(3)?;
            let tau = schur::hessenberg(&mut matrix, f.count(1)?, f.count(2)?);
            f.set_matrix(3, &matrix)?;
            f.set_numbers(5, tau)?;
            f.set_number(8, 0.0);
            Ok(())
        },
        "dorghr" => |_, f| {
            let q = schur::form_q(&f.square(3)?, f.numbers(5)?);
            f.set_matrix(3, &q)?;
            f.set_number(8, 0.0);
            Ok(())
        },
        "dormhr" => |_, f| {
            let c = multiply_q(&f.matrix(6)?, f.numbers(8)?, &f.matrix(9)?, 1, f.text(0)?, f.text(1)?);
            f.set_matrix(9, &c)?;
            f.set_number(13, 0.0);
            Ok(())
        },
        _ => return eigen::find(name).or_else(|| svd::find(name)).map(|native| (Kind::Pure, native)),
    };
    Some((Kind::Pure, native))
}

/// `(fact, trans, n, nrhs, A, lda, AF, ldaf, ipiv, equed, R, C, B, ldb, X, ldx, rcond, ferr, berr, work, iwork, info)`
fn gesvx(_: &crate::StandardExternals, f: &mut Frame<'_>) -> Outcome<()> {
    let a = f.square(4)?;
    let lu = lu::factor(a.clone());
    let rcond = lu.reciprocal_condition(a.norm_1(), false);
    f.set_number(16, rcond);
    f.set_number(21, lu.info());
    if lu.singular.is_none() {
        let x = lu.solve(&f.matrix(12)?, transposed(f.text(1)?));
        f.set_matrix(14, &x)?;
        // As LAPACK says: singular to working precision.
        if rcond < f64::EPSILON {
            f.set_number(21, (a.rows + 1) as f64);
        }
    }
    Ok(())
}

impl Matrix {
    /// Solves for the matrix in an argument and puts the solution there; gives `info`.
    fn solve_into(self, f: &mut Frame<'_>, i: usize) -> Outcome<f64> {
        let lu = lu::factor(self);
        if lu.singular.is_none() {
            let x = lu.solve(&f.matrix(i)?, false);
            f.set_matrix(i, &x)?;
        }
        Ok(lu.info())
    }
}

/// A factorisation in two arguments: the matrix, and the pivots counted from 1.
fn lu_argument(f: &Frame<'_>, matrix: usize, pivots: usize) -> Outcome<lu::Lu> {
    let matrix = f.square(matrix)?;
    let n = matrix.rows;
    let pivots = f.numbers(pivots)?.iter().map(|&p| (p as usize).clamp(1, n.max(1)) - 1).collect();
    Ok(lu::Lu::with_pivots(matrix, pivots))
}

/// Multiplies by the orthogonal matrix of a QR factorisation, whose reflections may begin a few rows below the diagonal.
fn multiply_q(a: &Matrix, tau: &[f64], c: &Matrix, below: usize, side: &str, trans: &str) -> Matrix {
    let from_right = matches!(side, "R" | "r");
    let c = if from_right { c.transpose() } else { c.clone() };
    // C Q is (Q' C')'.
    let product = qr::apply_q(a, tau, c, transposed(trans) != from_right, below);
    if from_right { product.transpose() } else { product }
}

fn transposed(trans: &str) -> bool {
    matches!(trans, "T" | "t" | "C" | "c")
}

fn is_upper(uplo: &str) -> bool {
    matches!(uplo, "U" | "u")
}

fn pivots_out(pivots: &[usize]) -> Vec<f64> {
    pivots.iter().map(|&p| (p + 1) as f64).collect()
}

#[cfg(test)]
mod tests;
