//! Dense or sparse behind one face, and matrices of the form `α I + β J`.

use serde::{Deserialize, Serialize};

use super::{DenseLu, Factored, Pattern, Scalar, Singular, SparseLu};

/// Below this order a sparse pattern is not worth its indices.
const DENSE_UP_TO: usize = 8;

/// How the values of a matrix are laid out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Structure {
    /// Column-major square matrix of this order.
    Dense(usize),
    /// Values on a pattern.
    Sparse(Pattern),
}

impl Structure {
    /// The layout of matrices on `pattern`: sparse where that pays, else dense.
    pub fn choose(n: usize, pattern: Option<Pattern>) -> Structure {
        match pattern {
            Some(p) if n > DENSE_UP_TO && p.entries() * 3 <= n * n => Structure::Sparse(p),
            _ => Structure::Dense(n),
        }
    }

    /// Order of the matrix.
    pub fn n(&self) -> usize {
        match self {
            Structure::Dense(n) => *n,
            Structure::Sparse(p) => p.n(),
        }
    }

    /// Number of values.
    pub fn entries(&self) -> usize {
        match self {
            Structure::Dense(n) => n * n,
            Structure::Sparse(p) => p.entries(),
        }
    }
}

/// A dense or sparse LU factorisation.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Factor<T = f64> {
    /// Dense.
    Dense(DenseLu<T>),
    /// Sparse.
    Sparse(Box<SparseLu<T>>),
}

impl<T: Scalar> Factor<T> {
    /// Space, and for sparse matrices the elimination order.
    pub fn new(structure: &Structure) -> Result<Self, Singular> {
        Ok(match structure {
            Structure::Dense(n) => Factor::Dense(DenseLu::new(*n)),
            Structure::Sparse(p) => Factor::Sparse(Box::new(SparseLu::new(p)?)),
        })
    }

    /// Factorises; sparse matrices on the pivots of the last time where these are still good.
    pub fn factor(&mut self, values: &[T]) -> Result<(), Singular> {
        match self {
            Factor::Dense(lu) => lu.factor(values),
            Factor::Sparse(lu) => lu.refactor(values),
        }
    }

    /// Solves `A x = b`, overwriting `b` by `x`.
    pub fn solve(&mut self, b: &mut [T]) {
        match self {
            Factor::Dense(lu) => lu.solve(b),
            Factor::Sparse(lu) => lu.solve(b),
        }
    }

    /// How often a sparse matrix had to be pivoted anew.
    pub fn repivots(&self) -> u64 {
        match self {
            Factor::Dense(_) => 0,
            Factor::Sparse(lu) => lu.repivots(),
        }
    }
}

impl Factored for Factor<f64> {
    fn n(&self) -> usize {
        match self {
            Factor::Dense(lu) => lu.n(),
            Factor::Sparse(lu) => lu.pattern().n(),
        }
    }

    fn solve(&mut self, b: &mut [f64]) {
        Factor::solve(self, b);
    }

    fn solve_transposed(&mut self, b: &mut [f64]) {
        match self {
            Factor::Dense(lu) => lu.solve_transposed(b),
            Factor::Sparse(lu) => lu.solve_transposed(b),
        }
    }
}

/// `α I + β J` for a Jacobian `J` of fixed structure, factorised: the matrix of every implicit method.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Shifted<T = f64> {
    factor: Factor<T>,
    values: Vec<T>,
    /// Position of each entry of `J`; empty when the positions are the same.
    entry: Vec<u32>,
    /// Position of each diagonal element.
    diagonal: Vec<u32>,
}

impl<T: Scalar> Shifted<T> {
    /// Space for Jacobians of this structure. A full diagonal makes the pattern regular, so this does not
    /// fail.
    pub fn new(jacobian: &Structure) -> Self {
        let (structure, entry, diagonal) = match jacobian {
            Structure::Dense(n) => {
                (jacobian.clone(), Vec::new(), (0..*n).map(|j| (j * (n + 1)) as u32).collect())
            }
            Structure::Sparse(p) => {
                let with = p.with_diagonal();
                let place = |i, j| with.position(i, j).unwrap_or(0) as u32;
                let diagonal = (0..p.n()).map(|j| place(j, j)).collect();
                let entry = if with.entries() == p.entries() {
                    Vec::new()
                } else {
                    p.iter().map(|(i, j)| place(i, j)).collect()
                };
                (Structure::Sparse(with), entry, diagonal)
            }
        };
        let values = vec![T::ZERO; structure.entries()];
        let factor = Factor::new(&structure).unwrap_or_else(|_| Factor::Dense(DenseLu::new(structure.n())));
        Shifted { factor, values, entry, diagonal }
    }

    /// Factorises `α I + β J`.
    pub fn factor(&mut self, alpha: T, beta: T, jacobian: &[f64]) -> Result<(), Singular> {
        let values = match &mut self.factor {
            Factor::Dense(lu) => lu.matrix_mut(),
            Factor::Sparse(_) => &mut self.values[..],
        };
        if self.entry.is_empty() {
            for (v, &j) in values.iter_mut().zip(jacobian) {
                *v = beta.scale(j);
            }
        } else {
            values.fill(T::ZERO);
            for (&p, &j) in self.entry.iter().zip(jacobian) {
                values[p as usize] = beta.scale(j);
            }
        }
        for &p in &self.diagonal {
            values[p as usize] += alpha;
        }
        match &mut self.factor {
            Factor::Dense(lu) => lu.factor_in_place(),
            Factor::Sparse(lu) => lu.refactor(&self.values),
        }
    }

    /// Solves `(α I + β J) x = b`, overwriting `b` by `x`.
    pub fn solve(&mut self, b: &mut [T]) {
        self.factor.solve(b);
    }

    /// How often a sparse matrix had to be pivoted anew.
    pub fn repivots(&self) -> u64 {
        self.factor.repivots()
    }
}

impl Factor<f64> {
    /// Is the determinant of the factorised matrix below zero?
    pub fn is_negative(&self) -> bool {
        match self {
            Factor::Dense(lu) => lu.is_negative(),
            Factor::Sparse(lu) => {
                let (pivots, odd) = lu.pivots();
                pivots.iter().fold(odd, |negative, &pivot| negative != (pivot < 0.0))
            }
        }
    }
}

impl Shifted<f64> {
    /// Is the determinant of the factorised matrix below zero?
    pub fn is_negative(&self) -> bool {
        self.factor.is_negative()
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Random;
    use super::*;
    use crate::linear::Complex;

    /// Dense and sparse give the same solution, real and complex, with and without a full diagonal.
    #[test]
    fn dense_and_sparse_agree() {
        let mut random = Random::new(31);
        for (n, full) in [(9, true), (9, false), (40, false)] {
            let diagonal = (0..n).filter(|_| full).map(|j| (j, j));
            let pattern =
                Pattern::new(n, (0..2 * n).map(|_| (random.below(n), random.below(n))).chain(diagonal));
            let values: Vec<f64> = (0..pattern.entries()).map(|_| random.symmetric()).collect();
            let mut dense = vec![0.0; n * n];
            for ((i, j), &v) in pattern.iter().zip(&values) {
                dense[i + n * j] = v;
            }
            let b: Vec<f64> = (0..n).map(|_| random.symmetric()).collect();
            let mut sparse_solver = Shifted::new(&Structure::Sparse(pattern));
            let mut dense_solver = Shifted::new(&Structure::Dense(n));
            for (alpha, beta) in [(1.0, -0.3), (2.0, 1.0)] {
                sparse_solver.factor(alpha, beta, &values).unwrap();
                dense_solver.factor(alpha, beta, &dense).unwrap();
                let (mut x, mut y) = (b.clone(), b.clone());
                sparse_solver.solve(&mut x);
                dense_solver.solve(&mut y);
                assert!(x.iter().zip(&y).all(|(x, y)| (x - y).abs() < 1e-10 * (1.0 + y.abs())));
            }
            let mut sparse_solver: Shifted<Complex> = Shifted::new(&sparse_structure(&dense, n));
            let mut dense_solver: Shifted<Complex> = Shifted::new(&Structure::Dense(n));
            let alpha = Complex::new(2.0, 3.0);
            sparse_solver.factor(alpha, -Complex::ONE, &values).unwrap();
            dense_solver.factor(alpha, -Complex::ONE, &dense).unwrap();
            let mut x: Vec<Complex> = b.iter().map(|&v| Complex::new(v, 1.0)).collect();
            let mut y = x.clone();
            sparse_solver.solve(&mut x);
            dense_solver.solve(&mut y);
            assert!(x.iter().zip(&y).all(|(x, y)| (*x - *y).size() < 1e-10));
        }
    }

    fn sparse_structure(dense: &[f64], n: usize) -> Structure {
        let entries = (0..n * n).filter(|&k| dense[k] != 0.0).map(|k| (k % n, k / n));
        Structure::Sparse(Pattern::new(n, entries))
    }

    /// The sign of the determinant of `I + β J`, dense and sparse; with `β = 0` it is one.
    #[test]
    fn the_determinant_has_a_sign() {
        let mut random = Random::new(7);
        for trial in 0..40 {
            let n = 9 + trial % 5;
            let pattern = Pattern::new(n, (0..n).flat_map(|j| [(j, j), ((j * 7 + 3) % n, j)]));
            let jacobian: Vec<f64> = (0..pattern.entries()).map(|_| random.symmetric()).collect();
            let mut dense = vec![0.0; n * n];
            pattern.iter().zip(&jacobian).for_each(|((i, j), &value)| dense[i + n * j] = value);
            let (mut a, mut b) = (
                Shifted::<f64>::new(&Structure::Dense(n)),
                Shifted::<f64>::new(&Structure::Sparse(pattern.clone())),
            );
            for beta in [0.0, 3.0, 0.7] {
                a.factor(1.0, beta, &dense).unwrap();
                b.factor(1.0, beta, &jacobian).unwrap();
                assert_eq!(a.is_negative(), b.is_negative(), "{trial} {beta}");
                assert!(beta > 0.0 || !a.is_negative(), "{trial}");
            }
        }
    }
}
