//! States that are selected while the model runs.
//!
//! A [`StateSet`](kausal_translate::program::StateSet) has candidates, of which constraints determine some from the
//! others. Which ones is a choice of columns of the constraints' Jacobian `J`. With the columns `D` of what is determined
//! and `S` of the states, `W = D⁻¹ S` says how much each determined variable moves with each state, and `|W[i, j]|` is also
//! the ratio of volumes if the two change places. So a choice is good when no element of `W` is large (D. E. Knuth,
//! *Semi-optimal bases for linear dependencies*, Linear and Multilinear Algebra 17, 1985; M. Gu and S. C. Eisenstat,
//! *Efficient algorithms for computing a strong rank-revealing QR factorization*, SIAM J. Sci. Comput. 17, 1996). It is kept
//! as long as that holds; else determined variables and states change places until no exchange gains anything, with the
//! same values of all variables.

use kausal_codegen::ChunkId;
use kausal_symbolic::VarId;
use kausal_translate::program::StateSet;
use rustc_hash::FxHashMap;

use crate::machine::{Machine, Stop};

/// A choice is changed when an exchange makes the volume larger than the present one by more than the inverse of this. What
/// is computed from the states is then at most about so much less exact than they are, and its higher derivatives, which
/// the error of a step depends on, stay moderate: they grow with powers of the ratio. The new choice cannot be bettered by
/// any exchange, so there is some way to go before it is changed again.
pub(crate) const WORSE: f64 = 0.8;

/// The part of the tolerance that is left to states where some are selected, `1/√(1 + 1/WORSE²)`: what is determined by
/// a state errs by up to `1/WORSE` of its error, and the tolerance is for both together.
pub(crate) const SHARE_OF_STATES: f64 = 0.62;

/// Exchanges that gain less than this part do not count: without a gain they might go round in circles by rounding.
const GAIN: f64 = 0.01;

/// Columns whose volume is less than this part of another choice's determine nothing.
const NOTHING: f64 = 1e-8;

impl Machine {
    /// Selects states anew where the selection has become bad; was one changed? All variables keep their values.
    pub fn reselect(&mut self) -> bool {
        let model = self.model().clone();
        let mut changed = false;
        for (set, &chunk) in model.program.state_sets.iter().zip(&model.state_sets) {
            let Some(jacobian) = self.constraints(set, chunk) else { continue };
            let mut basis = match self.basis_now(set, &jacobian) {
                Some(basis) if basis.largest(set.settled).0 * WORSE <= 1.0 => continue,
                Some(basis) => basis,
                None => match Basis::new(&jacobian, set, |_| true) {
                    Some(basis) => basis,
                    None => continue,
                },
            };
            basis.improve(set.settled, |_| true);
            self.select(set, &basis.columns);
            changed = true;
        }
        changed
    }

    /// How good the selection of the worst set is here: the least ratio of its volume to that of another after one exchange.
    pub(crate) fn selection_quality(&mut self) -> f64 {
        let model = self.model().clone();
        let mut worst = 1.0f64;
        for (set, &chunk) in model.program.state_sets.iter().zip(&model.state_sets) {
            let Some(jacobian) = self.constraints(set, chunk) else { continue };
            let quality = match self.basis_now(set, &jacobian) {
                Some(basis) => 1.0 / basis.largest(set.settled).0.max(1.0),
                None if Basis::new(&jacobian, set, |_| true).is_some() => 0.0,
                None => 1.0,
            };
            worst = worst.min(quality);
        }
        worst
    }

    /// The variable that each state stands for: for one of a set the candidate that is selected, else itself.
    pub(crate) fn stands_for(&self) -> Vec<VarId> {
        let program = &self.model().program;
        let mut stands: FxHashMap<VarId, VarId> = FxHashMap::default();
        for set in &program.state_sets {
            for (&state, row) in set.states.iter().zip(&set.selection) {
                let mut entries = set.candidates.iter().zip(row);
                let picked = entries.find(|(_, entry)| self.values[entry.index()] != 0.0);
                stands.extend(picked.map(|(&candidate, _)| (state, candidate)));
            }
        }
        let states = program.states.iter().map(|state| state.variable);
        states.map(|v| stands.get(&v).copied().unwrap_or(v)).collect()
    }

    /// The columns that the selection leaves to the constraints, if they are regular.
    fn basis_now(&self, set: &StateSet, jacobian: &[f64]) -> Option<Basis> {
        let mut selected = vec![false; set.candidates.len()];
        for row in &set.selection {
            for (selected, entry) in selected.iter_mut().zip(row) {
                *selected |= self.values[entry.index()] != 0.0;
            }
        }
        Basis::new(jacobian, set, |j| !selected[j])
    }

    /// Gives the variables that `reinit` names their values. Those that could be states become states first, so that the
    /// others follow from them; where constraints determine one from the others that are set, it is promised the value.
    pub(crate) fn reinitialise(&mut self) {
        let model = self.model().clone();
        if self.located.is_empty() {
            let differences = model.program.relations.iter().map(|r| self.values[r.difference.index()]);
            self.located = differences.collect();
        }
        let reinits = std::mem::take(&mut self.reinits);
        for (place, &(v, value)) in reinits.iter().enumerate() {
            let sets = || model.program.state_sets.iter().zip(&model.state_sets);
            let found = sets().find_map(|(set, &chunk)| {
                let j = set.candidates.iter().position(|c| *c == v)?;
                Some((set, chunk, j))
            });
            if let Some((set, chunk, j)) = found {
                if self.row_of(set, j).is_none() {
                    let so_far: Vec<VarId> = reinits[..=place].iter().map(|(v, _)| *v).collect();
                    if !self.select_with(set, chunk, &so_far) {
                        self.promised.push((v, value));
                        continue;
                    }
                }
                if let Some(i) = self.row_of(set, j) {
                    self.values[set.states[i].index()] = value;
                }
            }
            self.values[v.index()] = value;
        }
    }

    /// Has everything that was promised a value got it?
    pub(crate) fn check_reinit_consistency(&mut self) -> Result<(), Stop> {
        const CLOSE: f64 = 1e-6;
        for (v, value) in std::mem::take(&mut self.promised) {
            let (got, nominal) = (self.values[v.index()], self.model().program.variables[v.index()].nominal);
            let kept = (got - value).abs() <= CLOSE * value.abs().max(nominal);
            if !kept {
                return Err(Stop::NotAState(v));
            }
        }
        Ok(())
    }

    /// Derivatives of the constraints of a set, if they are finite.
    fn constraints(&mut self, set: &StateSet, chunk: ChunkId) -> Option<Vec<f64>> {
        let mut jacobian = vec![0.0; set.jacobian.len()];
        self.evaluate(chunk, &mut jacobian);
        (!jacobian.is_empty() && jacobian.iter().all(|v| v.is_finite())).then_some(jacobian)
    }

    /// Which of the states of a set a candidate is.
    fn row_of(&self, set: &StateSet, candidate: usize) -> Option<usize> {
        set.selection.iter().position(|row| self.values[row[candidate].index()] != 0.0)
    }

    /// Selects the best states among those choices that contain all of `wanted`; are there any?
    fn select_with(&mut self, set: &StateSet, chunk: ChunkId, wanted: &[VarId]) -> bool {
        let Some(jacobian) = self.constraints(set, chunk) else { return false };
        let free = |j: usize| !wanted.contains(&set.candidates[j]);
        let Some(mut basis) = Basis::new(&jacobian, set, free) else { return false };
        basis.improve(set.settled, free);
        let possible = basis.largest(set.settled).0 * NOTHING <= 1.0;
        if possible {
            self.select(set, &basis.columns);
        }
        possible
    }

    /// The states of a set are all candidates but those whose columns are `determined`.
    fn select(&mut self, set: &StateSet, determined: &[usize]) {
        let states = (0..set.candidates.len()).filter(|j| !determined.contains(&(set.settled + j)));
        for (i, picked) in states.enumerate() {
            for (j, entry) in set.selection[i].iter().enumerate() {
                self.values[entry.index()] = f64::from(u8::from(j == picked));
            }
            self.values[set.states[i].index()] = self.values[set.candidates[picked].index()];
        }
        self.events += 1;
    }
}

/// Columns of a Jacobian that determine what they belong to, and the Jacobian in terms of them.
#[derive(Debug)]
struct Basis {
    /// `D⁻¹ J`, row by row.
    a: Vec<f64>,
    n: usize,
    /// For each row the column that is one there and zero elsewhere.
    columns: Vec<usize>,
}

impl Basis {
    /// By elimination with complete pivoting, first in the columns of what is never a state, then in those of the
    /// candidates that pass the test. `None` where that ends early.
    fn new(jacobian: &[f64], set: &StateSet, allowed: impl Fn(usize) -> bool) -> Option<Basis> {
        let settled = set.settled;
        let n = settled + set.candidates.len();
        let first: Vec<usize> = (0..settled).collect();
        let then: Vec<usize> = (settled..n).filter(|j| allowed(j - settled)).collect();
        Basis::of_columns(jacobian, n, first, then)
    }

    fn of_columns(jacobian: &[f64], n: usize, mut first: Vec<usize>, mut then: Vec<usize>) -> Option<Basis> {
        const NONE: usize = usize::MAX;
        let m = jacobian.len().checked_div(n)?;
        let mut basis = Basis { a: jacobian.to_vec(), n, columns: vec![NONE; m] };
        for _ in 0..m {
            let open = if first.is_empty() { &mut then } else { &mut first };
            let mut pivot = (0.0, 0, 0);
            for (i, row) in basis.a.chunks_exact(n).enumerate().filter(|(i, _)| basis.columns[*i] == NONE) {
                for (place, &j) in open.iter().enumerate() {
                    if row[j].abs() > pivot.0 {
                        pivot = (row[j].abs(), i, place);
                    }
                }
            }
            let (size, row, place) = pivot;
            if size == 0.0 {
                return None;
            }
            let column = open.swap_remove(place);
            basis.exchange(row, column);
        }
        Some(basis)
    }

    /// Lets a column be the one of a row.
    fn exchange(&mut self, row: usize, column: usize) {
        let n = self.n;
        let pivot = self.a[row * n + column];
        let filled: Vec<(usize, f64)> =
            (0..n).map(|j| (j, self.a[row * n + j] / pivot)).filter(|(_, value)| *value != 0.0).collect();
        for (i, other) in self.a.chunks_exact_mut(n).enumerate() {
            let factor = other[column];
            if i != row && factor != 0.0 {
                filled.iter().for_each(|&(j, value)| other[j] -= factor * value);
                other[column] = 0.0;
            }
        }
        filled.iter().for_each(|&(j, value)| self.a[row * n + j] = value);
        self.a[row * n + column] = 1.0;
        self.columns[row] = column;
    }

    /// The largest element in rows of candidates and columns of other candidates; its row and column.
    fn largest(&self, settled: usize) -> (f64, usize, usize) {
        self.largest_where(settled, |_| true)
    }

    fn largest_where(&self, settled: usize, allowed: impl Fn(usize) -> bool) -> (f64, usize, usize) {
        let mut basic = vec![false; self.n];
        self.columns.iter().for_each(|&j| basic[j] = true);
        let open: Vec<usize> = (settled..self.n).filter(|&j| !basic[j] && allowed(j - settled)).collect();
        let mut largest = (0.0, 0, 0);
        for (i, row) in self.a.chunks_exact(self.n).enumerate().filter(|(i, _)| self.columns[*i] >= settled) {
            for &j in &open {
                if row[j].abs() > largest.0 {
                    largest = (row[j].abs(), i, j);
                }
            }
        }
        largest
    }

    /// Exchanges candidates for others that pass the test, until no exchange gains anything.
    fn improve(&mut self, settled: usize, allowed: impl Fn(usize) -> bool) {
        loop {
            let (size, row, column) = self.largest_where(settled, &allowed);
            if size <= 1.0 + GAIN {
                return;
            }
            self.exchange(row, column);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Basis;

    fn sorted(basis: &Basis) -> Vec<usize> {
        let mut columns = basis.columns.clone();
        columns.sort_unstable();
        columns
    }

    #[test]
    fn exchanges_find_the_larger_volume() {
        let mut basis = Basis::of_columns(&[3.0, 4.0], 2, vec![], vec![0]).expect("regular");
        assert_eq!(basis.largest(0), (4.0 / 3.0, 0, 1));
        basis.improve(0, |_| true);
        assert_eq!(basis.columns, [1]);
        // Of [[1, 2, 3], [2, 4, 1]] columns 0 and 1 are parallel, |det| of 0 and 2 is 5, of 1 and 2 it is 10.
        let matrix = [1.0, 2.0, 3.0, 2.0, 4.0, 1.0];
        assert!(Basis::of_columns(&matrix, 3, vec![], vec![0, 1]).is_none());
        let mut basis = Basis::of_columns(&matrix, 3, vec![], vec![0, 2]).expect("regular");
        assert!((basis.largest(0).0 - 2.0).abs() < 1e-14);
        basis.improve(0, |_| true);
        assert_eq!(sorted(&basis), [1, 2]);
        // A settled column stays: 2 cannot be exchanged for 1, which determines nothing beside 0.
        let mut basis = Basis::of_columns(&matrix, 3, vec![0], vec![2]).expect("regular");
        basis.improve(1, |_| true);
        assert_eq!(sorted(&basis), [0, 2]);
    }

    /// After any improvement no exchange gains more than a per cent, and the result has the columns it names.
    #[test]
    fn no_exchange_gains_after_improvement() {
        let (m, n) = (5, 12);
        let mut seed = 1u64;
        let matrix: Vec<f64> = (0..m * n)
            .map(|_| {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
            })
            .collect();
        let mut basis = Basis::of_columns(&matrix, n, vec![], (0..m).collect()).expect("regular");
        basis.improve(0, |_| true);
        assert!(basis.largest(0).0 <= 1.01);
        let anew = Basis::of_columns(&matrix, n, vec![], sorted(&basis)).expect("regular");
        assert!(anew.largest(0).0 <= 1.01 + 1e-9);
    }
}
