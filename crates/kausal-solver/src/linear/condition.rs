//! How ill-conditioned a factorised matrix is.
//!
//! The 1-norm of the inverse is estimated from a few solves with the matrix and its transpose (Hager 1984;
//! Higham, *ACM TOMS* 14, 1988, algorithm 4.1). The estimate is a lower bound and rarely off by more than a
//! factor of three.

use super::{Factored, Pattern};

/// Largest column sum of a dense column-major matrix.
pub fn norm1_dense(n: usize, a: &[f64]) -> f64 {
    a.chunks_exact(n.max(1)).map(|column| column.iter().map(|v| v.abs()).sum()).fold(0.0, f64::max)
}

/// Largest column sum of a sparse matrix.
pub fn norm1_sparse(pattern: &Pattern, values: &[f64]) -> f64 {
    (0..pattern.n()).map(|j| values[pattern.range(j)].iter().map(|v| v.abs()).sum()).fold(0.0, f64::max)
}

/// Estimates the 1-norm of the inverse of a factorised matrix. `work` needs room for `2 n` numbers.
pub fn inverse_norm1(matrix: &mut impl Factored, work: &mut [f64]) -> f64 {
    let n = matrix.n();
    if n == 0 {
        return 0.0;
    }
    let (x, z) = work[..2 * n].split_at_mut(n);
    x.fill(1.0 / n as f64);
    matrix.solve(x);
    let mut estimate: f64 = x.iter().map(|v| v.abs()).sum();
    let mut last = usize::MAX;
    for _ in 0..4 {
        for (z, &x) in z.iter_mut().zip(&*x) {
            *z = if x < 0.0 { -1.0 } else { 1.0 };
        }
        matrix.solve_transposed(z);
        let j = largest(z);
        if j == last {
            break;
        }
        last = j;
        x.fill(0.0);
        x[j] = 1.0;
        matrix.solve(x);
        let sum: f64 = x.iter().map(|v| v.abs()).sum();
        if !(sum > estimate) {
            break;
        }
        estimate = sum;
    }
    // A vector with growing elements of alternating sign catches the cases the search walks past.
    for (i, x) in x.iter_mut().enumerate() {
        let size = 1.0 + i as f64 / (n.max(2) - 1) as f64;
        *x = if i % 2 == 0 { size } else { -size };
    }
    matrix.solve(x);
    let alternative = 2.0 * x.iter().map(|v| v.abs()).sum::<f64>() / (3.0 * n as f64);
    estimate.max(alternative)
}

fn largest(z: &[f64]) -> usize {
    let mut best = 0;
    for (i, v) in z.iter().enumerate() {
        if v.abs() > z[best].abs() {
            best = i;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::{DenseLu, testing::Random};

    /// The exact 1-norm of the inverse, column by column.
    fn exact(lu: &DenseLu<f64>) -> f64 {
        let n = lu.n();
        (0..n)
            .map(|j| {
                let mut e = vec![0.0; n];
                e[j] = 1.0;
                lu.solve(&mut e);
                e.iter().map(|v| v.abs()).sum()
            })
            .fold(0.0, f64::max)
    }

    #[test]
    fn estimate_is_a_close_lower_bound() {
        let mut random = Random::new(21);
        for n in [1, 2, 5, 20] {
            for _ in 0..50 {
                let a: Vec<f64> = (0..n * n).map(|_| random.symmetric()).collect();
                let mut lu = DenseLu::new(n);
                lu.factor(&a).unwrap();
                let exact = exact(&lu);
                let estimate = inverse_norm1(&mut lu, &mut vec![0.0; 2 * n]);
                assert!(estimate <= exact * (1.0 + 1e-9) && estimate >= exact / 5.0, "{estimate} {exact}");
            }
        }
    }

    #[test]
    fn hilbert_matrix_of_order_eight() {
        // The inverse is known exactly (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed.,
        // §28.1).
        let n = 8;
        let choose = |n: usize, k: usize| (0..k).fold(1.0, |c, i| c * (n - i) as f64 / (i + 1) as f64);
        let inverse: Vec<f64> = (0..n * n)
            .map(|k| {
                let (i, j) = (k % n + 1, k / n + 1);
                let square = choose(i + j - 2, i - 1).powi(2);
                (i + j - 1) as f64 * choose(n + i - 1, n - j) * choose(n + j - 1, n - i) * square
            })
            .collect();
        let a: Vec<f64> = (0..n * n).map(|k| 1.0 / ((k % n + k / n + 1) as f64)).collect();
        let mut lu = DenseLu::new(n);
        lu.factor(&a).unwrap();
        let estimate = inverse_norm1(&mut lu, &mut vec![0.0; 2 * n]);
        assert!((estimate / norm1_dense(n, &inverse) - 1.0).abs() < 1e-4, "{estimate:e}");
    }
}
