//! One to three linear equations in closed form.
//!
//! Matrices are column-major, like everywhere in this crate: `a[i + n*j]` is row `i`, column `j`. Each
//! function overwrites the right-hand side by the solution. A matrix counts as singular when its determinant
//! is lost in the rounding errors of the products it is the sum of; the error then names the column whose
//! elimination failed, or the last one.

use super::Singular;

/// Below this fraction of the products it is the sum of, a determinant is rounding error.
const LOST: f64 = 4.0 * f64::EPSILON;

/// Solves `a x = b` for one unknown.
#[inline]
pub fn solve1(a: f64, b: &mut f64) -> Result<(), Singular> {
    if a == 0.0 || !a.is_finite() {
        return Err(Singular { column: 0 });
    }
    *b /= a;
    Ok(())
}

/// Solves two equations by Cramer's rule on rows scaled to size one.
#[inline]
pub fn solve2(a: &[f64; 4], b: &mut [f64; 2]) -> Result<(), Singular> {
    let s0 = a[0].abs().max(a[2].abs());
    let s1 = a[1].abs().max(a[3].abs());
    if s0 == 0.0 || s1 == 0.0 || a[0].abs().max(a[1].abs()) == 0.0 {
        return Err(Singular { column: 0 });
    }
    let (r0, r1) = (1.0 / s0, 1.0 / s1);
    let (p, q, r, s) = (a[0] * r0, a[2] * r0, a[1] * r1, a[3] * r1);
    let (ps, qr) = (p * s, q * r);
    let det = ps - qr;
    // Not `<=`: a determinant that is not a number must fail too.
    if !(det.abs() > LOST * (ps.abs() + qr.abs())) || !det.is_finite() {
        return Err(Singular { column: 1 });
    }
    let (b0, b1) = (b[0] * r0, b[1] * r1);
    b[0] = (b0 * s - q * b1) / det;
    b[1] = (p * b1 - b0 * r) / det;
    Ok(())
}

/// Solves three equations by the adjugate matrix on rows scaled to size one.
#[inline]
pub fn solve3(a: &[f64; 9], b: &mut [f64; 3]) -> Result<(), Singular> {
    let mut m = *a;
    let mut c = *b;
    for i in 0..3 {
        let size = m[i].abs().max(m[i + 3].abs()).max(m[i + 6].abs());
        if size == 0.0 {
            return Err(Singular { column: 0 });
        }
        let r = 1.0 / size;
        m[i] *= r;
        m[i + 3] *= r;
        m[i + 6] *= r;
        c[i] *= r;
    }
    let minor = |i: usize, j: usize, k: usize, l: usize| m[i] * m[j] - m[k] * m[l];
    // Cofactors of the first column, and the determinant along it.
    let (c0, c1, c2) = (minor(4, 8, 7, 5), minor(7, 2, 1, 8), minor(1, 5, 4, 2));
    let (d0, d1, d2) = (m[0] * c0, m[3] * c1, m[6] * c2);
    let det = d0 + d1 + d2;
    let magnitude = (m[0] * m[4] * m[8]).abs()
        + (m[0] * m[7] * m[5]).abs()
        + (m[3] * m[7] * m[2]).abs()
        + (m[3] * m[1] * m[8]).abs()
        + (m[6] * m[1] * m[5]).abs()
        + (m[6] * m[4] * m[2]).abs();
    if !(det.abs() > LOST * magnitude) || !det.is_finite() {
        return Err(Singular { column: 2 });
    }
    let inv = 1.0 / det;
    b[0] = (c0 * c[0] + minor(6, 5, 3, 8) * c[1] + minor(3, 7, 6, 4) * c[2]) * inv;
    b[1] = (c1 * c[0] + minor(0, 8, 6, 2) * c[1] + minor(6, 1, 0, 7) * c[2]) * inv;
    b[2] = (c2 * c[0] + minor(3, 2, 0, 5) * c[1] + minor(0, 4, 3, 1) * c[2]) * inv;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::{DenseLu, testing::Random};

    #[test]
    fn closed_forms_agree_with_lu() {
        let mut random = Random::new(1);
        for _ in 0..500 {
            let a2: [f64; 4] = std::array::from_fn(|_| random.symmetric());
            let b2: [f64; 2] = std::array::from_fn(|_| random.symmetric());
            let (mut x, mut y) = (b2, b2);
            solve2(&a2, &mut x).unwrap();
            let mut lu = DenseLu::new(2);
            lu.factor(&a2).unwrap();
            lu.solve(&mut y);
            assert!((0..2).all(|i| (x[i] - y[i]).abs() <= 1e-9 * (1.0 + y[i].abs())));

            let a3: [f64; 9] = std::array::from_fn(|_| random.symmetric());
            let b3: [f64; 3] = std::array::from_fn(|_| random.symmetric());
            let (mut x, mut y) = (b3, b3);
            solve3(&a3, &mut x).unwrap();
            let mut lu = DenseLu::new(3);
            lu.factor(&a3).unwrap();
            lu.solve(&mut y);
            assert!((0..3).all(|i| (x[i] - y[i]).abs() <= 1e-8 * (1.0 + y[i].abs())), "{x:?} {y:?}");
        }
    }

    #[test]
    fn badly_scaled_rows_do_no_harm() {
        let mut b = [3e-200, 5e200];
        solve2(&[1e-200, 1e200, 2e-200, 4e200], &mut b).unwrap();
        assert!((b[0] - 1.0).abs() < 1e-15 && (b[1] - 1.0).abs() < 1e-15);
    }

    #[test]
    fn singular_is_an_error() {
        assert_eq!(solve1(0.0, &mut 1.0), Err(Singular { column: 0 }));
        assert_eq!(solve2(&[1.0, 2.0, 2.0, 4.0], &mut [1.0, 1.0]), Err(Singular { column: 1 }));
        assert_eq!(solve2(&[0.0, 0.0, 2.0, 4.0], &mut [1.0, 1.0]), Err(Singular { column: 0 }));
        let a = [1.0, 4.0, 7.0, 2.0, 5.0, 8.0, 3.0, 6.0, 9.0];
        assert_eq!(solve3(&a, &mut [1.0; 3]), Err(Singular { column: 2 }));
        assert!(solve2(&[f64::NAN, 1.0, 1.0, 1.0], &mut [1.0, 1.0]).is_err());
    }
}
