//! Successive substitution: Jacobi, Gauss–Seidel, and the relaxing iteration on block matrices.
//!
//! Branch tearing leaves loops of the form `x := G(x)` (*Methods for tearing systems of equations*, Elmqvist
//! & Otter 1994). Torn by the first kind, all new values are computed from the old ones ([`jacobi`]); by the
//! second kind, each from the newest ([`gauss_seidel`]). *Relaxing* (Otter, Elmqvist & Cellier 1996, §4) does
//! the same with blocks: relaxed occurrences use the value of the last sweep, diagonal blocks are solved by
//! elimination, and only relaxed variables are iteration variables. For nonlinear blocks [`gauss_seidel`] is
//! all that is needed, since its caller solves a block as it likes; for linear systems, even very large ones,
//! [`BlockRelaxation`] does it all.
//!
//! None of these converges for every system. All stop with a recoverable failure when changes grow instead of
//! shrinking.

use crate::error::{ModelError, Reason, Recoverable};
use crate::linear::{DenseLu, Pattern, Singular};

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IterationOptions {
    /// Largest estimated relative error of an iteration variable, in units of its size.
    pub tolerance: f64,
    /// Largest number of sweeps.
    pub max_sweeps: u32,
    /// Part of each change that is applied: below one damps, above one accelerates. One is plain
    /// substitution.
    pub relaxation: f64,
}

impl Default for IterationOptions {
    fn default() -> Self {
        IterationOptions { tolerance: 1e-10, max_sweeps: 1000, relaxation: 1.0 }
    }
}

/// How an iteration went.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Iterated {
    /// Sweeps over all variables.
    pub sweeps: u32,
    /// Factor by which the last sweep reduced the changes.
    pub contraction: f64,
}

/// Solves `x = G(x)` from the guess in `x`: `update(x, new)` writes `G(x)`. `nominal` holds the usual sizes,
/// `work` room for as many numbers as `x`.
pub fn jacobi(
    x: &mut [f64],
    nominal: &[f64],
    options: &IterationOptions,
    work: &mut [f64],
    mut update: impl FnMut(&[f64], &mut [f64]) -> Result<(), ModelError>,
) -> Result<Iterated, ModelError> {
    let mut watch = Watch::new(options);
    loop {
        update(x, work)?;
        let mut change: f64 = 0.0;
        for i in 0..x.len() {
            let delta = work[i] - x[i];
            change = larger(change, delta.abs() / size(work[i], nominal[i]));
            x[i] += options.relaxation * delta;
        }
        if let Some(done) = watch.sweep(change)? {
            return Ok(done);
        }
    }
}

/// Solves a system by solving its parts one after the other, each with the newest values of the others:
/// `solve_part(k, x)` replaces the values of part `k` in `x`. Convergence is judged by the variables listed
/// in `iteration_variables`, those that are used before they are computed; `work` needs room for as many
/// numbers as that list has.
pub fn gauss_seidel(
    x: &mut [f64],
    parts: usize,
    iteration_variables: &[usize],
    nominal: &[f64],
    options: &IterationOptions,
    work: &mut [f64],
    mut solve_part: impl FnMut(usize, &mut [f64]) -> Result<(), ModelError>,
) -> Result<Iterated, ModelError> {
    let mut watch = Watch::new(options);
    loop {
        for (old, &i) in work.iter_mut().zip(iteration_variables) {
            *old = x[i];
        }
        for part in 0..parts {
            solve_part(part, x)?;
        }
        let mut change: f64 = 0.0;
        for (old, &i) in work.iter().zip(iteration_variables) {
            let delta = x[i] - old;
            change = larger(change, delta.abs() / size(x[i], nominal[i]));
            x[i] = old + options.relaxation * delta;
        }
        if let Some(done) = watch.sweep(change)? {
            return Ok(done);
        }
    }
}

/// The relaxing iteration for a linear system cut into blocks.
///
/// The blocks are solved in their order. An entry right of the diagonal block is relaxed: it multiplies the
/// value of the last sweep, and its column is an iteration variable.
#[derive(Clone, Debug)]
pub struct BlockRelaxation {
    blocks: Vec<Block>,
    iteration_variables: Vec<usize>,
    /// Entries outside the diagonal blocks, by rows: start of each row, then columns and positions in the
    /// values.
    row_start: Vec<usize>,
    columns: Vec<u32>,
    positions: Vec<u32>,
    work: Vec<f64>,
    right_side: Vec<f64>,
}

#[derive(Clone, Debug)]
struct Block {
    unknowns: Vec<u32>,
    lu: DenseLu,
    /// Entries of the diagonal block: place in the dense matrix and position in the values.
    entries: Vec<(u32, u32)>,
}

impl BlockRelaxation {
    /// Prepares for matrices on `pattern`, where block `k` is made of the equations and unknowns `blocks[k]`.
    /// The blocks must contain every unknown once; where they do not, the column of the first offender is
    /// named.
    pub fn new(pattern: &Pattern, blocks: &[Vec<usize>]) -> Result<Self, Singular> {
        let n = pattern.n();
        let mut block_of = vec![u32::MAX; n];
        let mut place = vec![0; n];
        for (k, block) in blocks.iter().enumerate() {
            for (p, &i) in block.iter().enumerate() {
                if i >= n || block_of[i] != u32::MAX {
                    return Err(Singular { column: i });
                }
                (block_of[i], place[i]) = (k as u32, p);
            }
        }
        if let Some(column) = block_of.iter().position(|&b| b == u32::MAX) {
            return Err(Singular { column });
        }
        let mut list: Vec<Block> = blocks
            .iter()
            .map(|b| Block {
                unknowns: b.iter().map(|&i| i as u32).collect(),
                lu: DenseLu::new(b.len()),
                entries: Vec::new(),
            })
            .collect();
        let mut outside: Vec<(u32, u32, u32)> = Vec::new();
        let mut relaxed = vec![false; n];
        for (position, (i, j)) in pattern.iter().enumerate() {
            if block_of[i] == block_of[j] {
                let block = &mut list[block_of[i] as usize];
                let size = block.unknowns.len();
                block.entries.push(((place[i] + size * place[j]) as u32, position as u32));
            } else {
                outside.push((i as u32, j as u32, position as u32));
                relaxed[j] |= block_of[j] > block_of[i];
            }
        }
        outside.sort_unstable();
        let mut row_start = vec![0; n + 1];
        for &(i, _, _) in &outside {
            row_start[i as usize + 1] += 1;
        }
        for i in 0..n {
            row_start[i + 1] += row_start[i];
        }
        let iteration_variables: Vec<usize> = (0..n).filter(|&j| relaxed[j]).collect();
        let widest = blocks.iter().map(Vec::len).max().unwrap_or(0);
        Ok(BlockRelaxation {
            blocks: list,
            work: vec![0.0; iteration_variables.len()],
            right_side: vec![0.0; widest],
            iteration_variables,
            row_start,
            columns: outside.iter().map(|e| e.1).collect(),
            positions: outside.iter().map(|e| e.2).collect(),
        })
    }

    /// The unknowns that are used before they are computed.
    pub fn iteration_variables(&self) -> &[usize] {
        &self.iteration_variables
    }

    /// Factorises the diagonal blocks.
    pub fn factor(&mut self, values: &[f64]) -> Result<(), Singular> {
        for block in &mut self.blocks {
            let matrix = block.lu.matrix_mut();
            matrix.fill(0.0);
            for &(place, position) in &block.entries {
                matrix[place as usize] = values[position as usize];
            }
            if let Err(s) = block.lu.factor_in_place() {
                return Err(Singular { column: block.unknowns[s.column] as usize });
            }
        }
        Ok(())
    }

    /// Solves `A x = b` from the guess in `x`, with the blocks factorised from these values.
    pub fn solve(
        &mut self,
        values: &[f64],
        b: &[f64],
        x: &mut [f64],
        nominal: &[f64],
        options: &IterationOptions,
    ) -> Result<Iterated, ModelError> {
        let BlockRelaxation { blocks, iteration_variables, row_start, columns, positions, work, right_side } =
            self;
        let solve_block = |k: usize, x: &mut [f64]| {
            let block = &blocks[k];
            let right_side = &mut right_side[..block.unknowns.len()];
            for (r, &i) in right_side.iter_mut().zip(&block.unknowns) {
                let row = row_start[i as usize]..row_start[i as usize + 1];
                let known: f64 = columns[row.clone()]
                    .iter()
                    .zip(&positions[row])
                    .map(|(&j, &p)| values[p as usize] * x[j as usize])
                    .sum();
                *r = b[i as usize] - known;
            }
            block.lu.solve(right_side);
            for (r, &i) in right_side.iter().zip(&block.unknowns) {
                x[i as usize] = *r;
            }
            Ok(())
        };
        let count = blocks.len();
        gauss_seidel(x, count, iteration_variables, nominal, options, work, solve_block)
    }
}

/// Watches the changes from sweep to sweep.
struct Watch {
    options: IterationOptions,
    sweeps: u32,
    last: f64,
    contraction: f64,
    grown: u32,
}

impl Watch {
    fn new(options: &IterationOptions) -> Self {
        Watch { options: *options, sweeps: 0, last: f64::INFINITY, contraction: 1.0, grown: 0 }
    }

    /// Done, when the error that the contraction predicts is small enough; a failure, when changes keep
    /// growing.
    fn sweep(&mut self, change: f64) -> Result<Option<Iterated>, ModelError> {
        self.sweeps += 1;
        if !change.is_finite() {
            return Err(Recoverable::new(Reason::NotFinite).into());
        }
        if self.sweeps > 1 && self.last > 0.0 {
            self.contraction = change / self.last;
        }
        self.grown = if change > self.last { self.grown + 1 } else { 0 };
        self.last = change;
        let to_come = if self.contraction < 0.99 {
            change * (self.contraction / (1.0 - self.contraction)).min(1.0)
        } else {
            change
        };
        // A contraction seen once may be luck: the change itself must be small too, if less so.
        if change == 0.0 || (to_come <= self.options.tolerance && change <= self.options.tolerance.sqrt()) {
            return Ok(Some(Iterated { sweeps: self.sweeps, contraction: self.contraction }));
        }
        if self.sweeps >= self.options.max_sweeps || self.grown >= 10 {
            return Err(Recoverable::new(Reason::NoConvergence).into());
        }
        Ok(None)
    }
}

fn size(x: f64, nominal: f64) -> f64 {
    x.abs().max(nominal.abs()).max(f64::MIN_POSITIVE)
}

/// Like `max`, but not-a-number wins.
fn larger(a: f64, b: f64) -> f64 {
    if a >= b { a } else { b }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::SparseLu;
    use crate::linear::testing::Random;

    /// x = cos(y), y = sin(x)/2.
    fn loop_of_two(x: &[f64], new: &mut [f64]) -> Result<(), ModelError> {
        new[0] = x[1].cos();
        new[1] = 0.5 * x[0].sin();
        Ok(())
    }

    #[test]
    fn jacobi_and_gauss_seidel_agree_and_the_latter_is_faster() {
        let options = IterationOptions::default();
        let mut x = [0.0, 0.0];
        let first = jacobi(&mut x, &[1.0; 2], &options, &mut [0.0; 2], loop_of_two).unwrap();
        let mut y = [0.0, 0.0];
        let second = gauss_seidel(&mut y, 2, &[1], &[1.0; 2], &options, &mut [0.0; 1], |k, x| {
            if k == 0 {
                x[0] = x[1].cos();
            } else {
                x[1] = 0.5 * x[0].sin();
            }
            Ok(())
        })
        .unwrap();
        assert!((x[0] - x[1].cos()).abs() < 1e-9 && (x[1] - 0.5 * x[0].sin()).abs() < 1e-9);
        assert!((x[0] - y[0]).abs() < 1e-9 && (x[1] - y[1]).abs() < 1e-9);
        assert!(second.sweeps < first.sweeps, "{second:?} {first:?}");
    }

    #[test]
    fn divergence_is_a_recoverable_failure_and_damping_cures_it() {
        // x = 3 - 2x has the solution 1 and diverges with factor -2; damped by 1/3 it converges at once.
        let update = |x: &[f64], new: &mut [f64]| {
            new[0] = 3.0 - 2.0 * x[0];
            Ok(())
        };
        let mut x = [0.0];
        let failed = jacobi(&mut x, &[1.0], &IterationOptions::default(), &mut [0.0], update);
        assert!(matches!(failed, Err(ModelError::Recoverable(_))));
        let damped = IterationOptions { relaxation: 0.3, ..IterationOptions::default() };
        x = [0.0];
        jacobi(&mut x, &[1.0], &damped, &mut [0.0], update).unwrap();
        assert!((x[0] - 1.0).abs() < 1e-9);
    }

    /// A chain of strongly coupled pairs with weak coupling between them: 20,000 equations.
    #[test]
    fn relaxing_solves_a_large_system_of_blocks() {
        let pairs = 10_000;
        let n = 2 * pairs;
        let mut random = Random::new(4);
        let mut entries = Vec::new();
        for k in 0..pairs {
            let (a, b) = (2 * k, 2 * k + 1);
            entries.extend([(a, a, 1.0), (a, b, 5.0), (b, a, -4.0), (b, b, 2.0)]);
            if k > 0 {
                entries.push((a, a - 2, 0.5 * random.symmetric()));
                entries.push((a - 1, a, 0.5 * random.symmetric()));
            }
        }
        let pattern = Pattern::new(n, entries.iter().map(|e| (e.0, e.1)));
        let mut values = vec![0.0; pattern.entries()];
        for &(i, j, v) in &entries {
            values[pattern.position(i, j).unwrap()] = v;
        }
        let b: Vec<f64> = (0..n).map(|_| random.symmetric()).collect();
        let blocks: Vec<Vec<usize>> = (0..pairs).map(|k| vec![2 * k, 2 * k + 1]).collect();
        let mut relaxation = BlockRelaxation::new(&pattern, &blocks).unwrap();
        // Only the first of each pair but the first is used before it is computed.
        assert_eq!(relaxation.iteration_variables().len(), pairs - 1);
        relaxation.factor(&values).unwrap();
        let mut x = vec![0.0; n];
        let nominal = vec![1.0; n];
        let options = IterationOptions { tolerance: 1e-12, ..IterationOptions::default() };
        let done = relaxation.solve(&values, &b, &mut x, &nominal, &options).unwrap();
        assert!(done.sweeps < 40, "{done:?}");
        let mut direct = SparseLu::new(&pattern).unwrap();
        direct.factor(&values).unwrap();
        let mut reference = b.clone();
        direct.solve(&mut reference);
        assert!(x.iter().zip(&reference).all(|(x, r)| (x - r).abs() < 1e-10));
    }

    #[test]
    fn a_singular_block_and_a_missing_unknown_are_named() {
        let pattern = Pattern::new(3, (0..9).map(|k| (k % 3, k / 3)));
        let mut relaxation = BlockRelaxation::new(&pattern, &[vec![0], vec![1, 2]]).unwrap();
        assert_eq!(
            relaxation.factor(&[1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0]),
            Err(Singular { column: 2 })
        );
        assert_eq!(BlockRelaxation::new(&pattern, &[vec![0], vec![2]]).err(), Some(Singular { column: 1 }));
    }
}
