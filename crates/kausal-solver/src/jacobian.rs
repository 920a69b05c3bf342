//! Jacobians of vector functions: written by the function's owner, or found by finite differences of groups
//! of columns.

use serde::{Deserialize, Serialize};

use crate::error::ModelError;
use crate::linear::{Pattern, Structure, column_groups};

/// A function from `n` numbers to `n` numbers with an optional Jacobian.
pub(crate) trait Function {
    fn n(&self) -> usize;
    fn pattern(&self) -> Option<Pattern>;
    fn has_jacobian(&self) -> bool;
    fn evaluate(&mut self, x: &[f64], f: &mut [f64]) -> Result<(), ModelError>;
    /// On the pattern if there is one, else column-major.
    fn jacobian(&mut self, x: &[f64], values: &mut [f64]) -> Result<(), ModelError>;
}

/// The Jacobian of a function at its last evaluation.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Jacobian {
    structure: Structure,
    values: Vec<f64>,
    source: Source,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
enum Source {
    /// The values are written as they are stored.
    Direct,
    /// The values are written on a pattern and stored dense.
    Scattered { pattern: Pattern, values: Vec<f64> },
    /// One difference for each group of columns.
    Differences { pattern: Option<Pattern>, groups: Vec<Vec<u32>>, shifted: Vec<f64>, f: Vec<f64> },
}

impl Jacobian {
    pub fn new(function: &impl Function) -> Self {
        let n = function.n();
        let pattern = function.pattern();
        let structure = Structure::choose(n, pattern.clone());
        let source = match (function.has_jacobian(), &structure, pattern) {
            (true, Structure::Dense(_), Some(pattern)) => {
                Source::Scattered { values: vec![0.0; pattern.entries()], pattern }
            }
            (true, _, _) => Source::Direct,
            (false, _, pattern) => {
                let groups = match &pattern {
                    Some(p) => column_groups(p),
                    None => (0..n as u32).map(|j| vec![j]).collect(),
                };
                Source::Differences { pattern, groups, shifted: vec![0.0; n], f: vec![0.0; n] }
            }
        };
        let values = vec![0.0; structure.entries()];
        Jacobian { structure, values, source }
    }

    pub fn structure(&self) -> &Structure {
        &self.structure
    }

    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Evaluates at `x`, where the function is `fx`, with differences of the given increments. Returns how
    /// many evaluations of the function it took.
    pub fn evaluate(
        &mut self,
        function: &mut impl Function,
        x: &[f64],
        fx: &[f64],
        increment: impl Fn(usize) -> f64,
    ) -> Result<u64, ModelError> {
        match &mut self.source {
            Source::Direct => function.jacobian(x, &mut self.values)?,
            Source::Scattered { pattern, values } => {
                function.jacobian(x, values)?;
                let n = pattern.n();
                for ((i, j), &v) in pattern.iter().zip(&*values) {
                    self.values[i + n * j] = v;
                }
            }
            Source::Differences { pattern, groups, shifted, f } => {
                let mut evaluations = 0;
                shifted.copy_from_slice(x);
                for group in groups.iter() {
                    let mut sign = 1.0;
                    for attempt in 0..2 {
                        for &j in group {
                            let j = j as usize;
                            shifted[j] = x[j] + sign * increment(j);
                        }
                        evaluations += 1;
                        match function.evaluate(shifted, f) {
                            Ok(()) => break,
                            // The other side may be inside the domain.
                            Err(ModelError::Recoverable(_)) if attempt == 0 => sign = -1.0,
                            Err(e) => return Err(e),
                        }
                    }
                    for &j in group {
                        let j = j as usize;
                        // What was added after rounding, not what was meant to be added.
                        let inverse = 1.0 / (shifted[j] - x[j]);
                        store_column(&self.structure, pattern.as_ref(), j, f, fx, inverse, &mut self.values);
                        shifted[j] = x[j];
                    }
                }
                return Ok(evaluations);
            }
        }
        self.mend(function, x, fx, increment)
    }

    /// Columns that are not finite, as that of a square root at zero, are replaced by differences: these are as steep as the
    /// function is over the distance that counts. How many evaluations that took.
    fn mend(
        &mut self,
        function: &mut impl Function,
        x: &[f64],
        fx: &[f64],
        increment: impl Fn(usize) -> f64,
    ) -> Result<u64, ModelError> {
        if self.values.iter().all(|v| v.is_finite()) {
            return Ok(0);
        }
        let n = x.len();
        let range = |j: usize| match &self.structure {
            Structure::Dense(_) => n * j..n * (j + 1),
            Structure::Sparse(pattern) => pattern.range(j),
        };
        let spoilt: Vec<usize> =
            (0..n).filter(|&j| self.values[range(j)].iter().any(|v| !v.is_finite())).collect();
        let pattern = if let Source::Scattered { pattern, .. } = &self.source { Some(pattern) } else { None };
        let (mut shifted, mut f, mut evaluations) = (x.to_vec(), vec![0.0; n], 0);
        for j in spoilt {
            for sign in [1.0, -1.0] {
                shifted[j] = x[j] + sign * increment(j);
                evaluations += 1;
                match function.evaluate(&shifted, &mut f) {
                    Ok(()) => break,
                    Err(ModelError::Recoverable(_)) if sign > 0.0 => {}
                    Err(error) => return Err(error),
                }
            }
            let inverse = 1.0 / (shifted[j] - x[j]);
            store_column(&self.structure, pattern, j, &f, fx, inverse, &mut self.values);
            shifted[j] = x[j];
        }
        Ok(evaluations)
    }

    /// Largest weighted column sum `Σ_i w_i |J_ij| / w_j`, a bound of the eigenvalues.
    pub fn weighted_norm(&self, weights: &[f64]) -> f64 {
        let n = weights.len();
        let sum = |j: usize| -> f64 {
            let column: f64 = match &self.structure {
                Structure::Dense(_) => (0..n).map(|i| weights[i] * self.values[i + n * j].abs()).sum(),
                Structure::Sparse(p) => {
                    p.range(j).map(|k| weights[p.rows()[k] as usize] * self.values[k].abs()).sum()
                }
            };
            column / weights[j]
        };
        (0..n).map(sum).fold(0.0, f64::max)
    }

    /// For each row `Σ_j |J_ij| s_j`: what the function changes by when every argument changes by its scale.
    pub fn row_sizes(&self, scale: &[f64], sizes: &mut [f64]) {
        let n = scale.len();
        sizes.fill(0.0);
        for j in 0..n {
            match &self.structure {
                Structure::Dense(_) => {
                    for i in 0..n {
                        sizes[i] += self.values[i + n * j].abs() * scale[j];
                    }
                }
                Structure::Sparse(p) => {
                    for k in p.range(j) {
                        sizes[p.rows()[k] as usize] += self.values[k].abs() * scale[j];
                    }
                }
            }
        }
    }

    /// The diagonal element `J_ii`.
    pub fn diagonal(&self, i: usize) -> f64 {
        match &self.structure {
            Structure::Dense(n) => self.values[i * (n + 1)],
            Structure::Sparse(p) => p.position(i, i).map_or(0.0, |k| self.values[k]),
        }
    }
}

fn store_column(
    structure: &Structure,
    pattern: Option<&Pattern>,
    j: usize,
    f: &[f64],
    fx: &[f64],
    inverse: f64,
    values: &mut [f64],
) {
    let n = f.len();
    let difference = |i: usize| (f[i] - fx[i]) * inverse;
    match (structure, pattern) {
        (Structure::Sparse(p), _) => {
            for k in p.range(j) {
                values[k] = difference(p.rows()[k] as usize);
            }
        }
        (Structure::Dense(_), Some(p)) => {
            for &i in p.column(j) {
                values[i as usize + n * j] = difference(i as usize);
            }
        }
        (Structure::Dense(_), None) => {
            for i in 0..n {
                values[i + n * j] = difference(i);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Reason;

    /// Tridiagonal, with a square root that ends the domain at zero.
    struct Chain {
        n: usize,
        sparse: bool,
    }

    impl Function for Chain {
        fn n(&self) -> usize {
            self.n
        }
        fn pattern(&self) -> Option<Pattern> {
            let n = self.n;
            self.sparse.then(|| {
                Pattern::new(
                    n,
                    (0..n).flat_map(|j| (j.saturating_sub(1)..(j + 2).min(n)).map(move |i| (i, j))),
                )
            })
        }
        fn has_jacobian(&self) -> bool {
            false
        }
        fn evaluate(&mut self, x: &[f64], f: &mut [f64]) -> Result<(), ModelError> {
            for i in 0..self.n {
                if x[i] > 4.0 {
                    return Err(ModelError::recoverable(Reason::OutsideDomain));
                }
                let left = if i > 0 { x[i - 1] } else { 0.0 };
                let right = if i + 1 < self.n { x[i + 1] } else { 0.0 };
                f[i] = (4.0 - x[i]).sqrt() + left * right + 2.0 * left;
            }
            Ok(())
        }
        fn jacobian(&mut self, _: &[f64], _: &mut [f64]) -> Result<(), ModelError> {
            Err(ModelError::fatal("none"))
        }
    }

    #[test]
    fn differences_agree_dense_and_sparse_and_respect_the_domain() {
        let n = 20;
        // The last argument sits on the border of the domain: only the backward difference exists.
        let mut x: Vec<f64> = (0..n).map(|i| 0.1 * i as f64).collect();
        x[n - 1] = 4.0 - 1e-12;
        let mut fx = vec![0.0; n];
        let mut jacobians = Vec::new();
        for sparse in [false, true] {
            let mut chain = Chain { n, sparse };
            chain.evaluate(&x, &mut fx).unwrap();
            let mut jacobian = Jacobian::new(&chain);
            let evaluations = jacobian.evaluate(&mut chain, &x, &fx, |_| 1e-7).unwrap();
            assert_eq!(evaluations, if sparse { 4 } else { n as u64 + 1 });
            jacobians.push(jacobian);
        }
        let Structure::Sparse(p) = jacobians[1].structure().clone() else { panic!("sparse") };
        for ((i, j), &v) in p.iter().zip(jacobians[1].values()) {
            let dense = jacobians[0].values()[i + n * j];
            assert!((v - dense).abs() <= 1e-6 * (1.0 + v.abs()), "({i}, {j}): {v} {dense}");
        }
        let exact = -0.5 / (4.0 - x[3]).sqrt();
        assert!((jacobians[0].diagonal(3) - exact).abs() < 1e-6);
    }
}
