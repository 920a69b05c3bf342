//! Systems of linear equations.
//!
//! | matrix | solver |
//! | --- | --- |
//! | one to three unknowns | closed form: [`solve1`], [`solve2`], [`solve3`] |
//! | dense | [`DenseLu`]: partial pivoting, rows compared in their own scale |
//! | dense and symmetric | [`Ldlt`]: half the work |
//! | sparse | [`SparseLu`]: ordered and pivoted once, then refactorised on the fixed pattern |
//!
//! [`solve_deficient`] is for what is left when a matrix has no full rank.
//!
//! Dense matrices are column-major slices, sparse ones a [`Pattern`] and a slice of values. All of them
//! report a matrix without a pivot as [`Singular`] with the column of the unknown that is not determined.
//! [`eigenvalues`] are those of a small dense matrix. [`inverse_norm1`] estimates how ill-conditioned a factorised matrix is. [`Factor`] picks dense or sparse
//! from a [`Structure`].

mod condition;
mod deficient;
mod dense;
mod eigen;
mod factor;
mod ldlt;
mod matching;
mod ordering;
mod pattern;
mod scalar;
mod small;
mod sparse_lu;

pub use condition::{inverse_norm1, norm1_dense, norm1_sparse};
pub use deficient::{Deficient, solve_deficient};
pub use dense::DenseLu;
pub use eigen::eigenvalues;
pub use factor::{Factor, Shifted, Structure};
pub use ldlt::Ldlt;
pub use pattern::{Pattern, column_groups};
pub use scalar::{Complex, Scalar};
pub use small::{solve1, solve2, solve3};
pub use sparse_lu::SparseLu;

use std::fmt;

/// The matrix determines no value for the unknown of this column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Singular {
    /// Column of the matrix as it was given, not as it was permuted.
    pub column: usize,
}

impl fmt::Display for Singular {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the matrix is singular: no pivot for column {}", self.column)
    }
}

impl std::error::Error for Singular {}

/// A pivot below this fraction of its column of the (scaled) matrix is what rounding errors leave of zero.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// A factorised real matrix.
pub trait Factored {
    /// Order of the matrix.
    fn n(&self) -> usize;
    /// Solves `A x = b`, overwriting `b` by `x`.
    fn solve(&mut self, b: &mut [f64]);
    /// Solves `Aᵀ x = b`, overwriting `b` by `x`.
    fn solve_transposed(&mut self, b: &mut [f64]);
}

#[cfg(test)]
pub(crate) mod testing {
    //! Reproducible random numbers (SplitMix64) and residuals for the tests of this crate.

    pub struct Random(u64);

    impl Random {
        pub fn new(seed: u64) -> Self {
            Random(seed)
        }

        pub fn next(&mut self) -> u64 {
            self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut z = self.0;
            z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            z ^ (z >> 31)
        }

        /// In [0, 1).
        pub fn uniform(&mut self) -> f64 {
            (self.next() >> 11) as f64 / (1u64 << 53) as f64
        }

        /// In [-1, 1).
        pub fn symmetric(&mut self) -> f64 {
            2.0 * self.uniform() - 1.0
        }

        pub fn below(&mut self, n: usize) -> usize {
            (self.uniform() * n as f64) as usize
        }

        pub fn shuffle<T>(&mut self, list: &mut [T]) {
            for i in (1..list.len()).rev() {
                list.swap(i, self.below(i + 1));
            }
        }
    }

    /// Largest row-wise backward error |b - A x| / (|A| |x| + |b|).
    pub fn residual(n: usize, a: &[f64], x: &[f64], b: &[f64]) -> f64 {
        (0..n)
            .map(|i| {
                let (mut sum, mut size) = (b[i], b[i].abs());
                for j in 0..n {
                    sum -= a[i + n * j] * x[j];
                    size += (a[i + n * j] * x[j]).abs();
                }
                if size > 0.0 { sum.abs() / size } else { 0.0 }
            })
            .fold(0.0, f64::max)
    }
}
