//! States that are selected while the model runs.
//!
//! A [`StateSet`](kausal_translate::program::StateSet) has candidates, of which constraints determine some from the
//! others. Which ones is a choice of columns of the constraints' Jacobian: it must be regular, and is best where its
//! volume is large. The choice is kept as long as it is not much worse than the one that elimination with complete
//! pivoting gives now; else that one is taken, with the same values of all variables.

use kausal_codegen::ChunkId;
use kausal_symbolic::VarId;
use kausal_translate::program::StateSet;

use crate::machine::{Machine, Stop};

/// A choice is changed when the volume of its columns is less than this part of the best choice's. What is computed
/// from the states is then at most about so much less exact than they are, and its higher derivatives, which the error
/// of a step depends on, stay moderate: they grow with powers of the ratio. The new choice is the best one, so there is
/// some way to go before it is changed again.
pub(crate) const WORSE: f64 = 0.7;

/// Columns whose volume is less than this part of the best choice's determine nothing.
const NOTHING: f64 = 1e-8;

/// A selection beside the best one.
struct Compared {
    /// The volume of its columns as a part of the best one's.
    quality: f64,
    /// The columns of the best one.
    best: Vec<usize>,
}

impl Machine {
    /// Selects states anew where the selection has become bad; was one changed? All variables keep their values.
    pub fn reselect(&mut self) -> bool {
        let model = self.model().clone();
        let mut changed = false;
        for (set, &chunk) in model.program.state_sets.iter().zip(&model.state_sets) {
            if let Some(Compared { quality, best }) = self.compare(set, chunk)
                && quality < WORSE
            {
                self.select(set, &best);
                changed = true;
            }
        }
        changed
    }

    /// How good the selection of the worst set is here, as a part of the best one.
    pub(crate) fn selection_quality(&mut self) -> f64 {
        let model = self.model().clone();
        let sets = model.program.state_sets.iter().zip(&model.state_sets);
        let mut worst = 1.0f64;
        for (set, &chunk) in sets {
            worst = worst.min(self.compare(set, chunk).map_or(1.0, |compared| compared.quality));
        }
        worst
    }

    /// Compares the selection of a set with the best one, if there is one.
    fn compare(&mut self, set: &StateSet, chunk: ChunkId) -> Option<Compared> {
        // Columns of what is never a state come first.
        let (settled, n) = (set.settled, set.candidates.len());
        let jacobian = self.constraints(set, chunk)?;
        let width = settled + n;
        let now: Vec<usize> =
            (0..n).filter(|&j| self.row_of(set, j).is_none()).map(|j| settled + j).collect();
        let all: Vec<usize> = (settled..width).collect();
        let (_, volume) = eliminate(&jacobian, width, settled, &now);
        let (best, largest) = eliminate(&jacobian, width, settled, &all);
        (best.len() == jacobian.len() / width && largest > 0.0)
            .then(|| Compared { quality: volume / largest, best })
    }

    /// Gives the variables that `reinit` names their values. Those that could be states become states first, so that the
    /// others follow from them; where constraints determine one from the others that are set, it is promised the value.
    pub(crate) fn reinitialise(&mut self) {
        let model = self.model().clone();
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
    pub(crate) fn keep_promises(&mut self) -> Result<(), Stop> {
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
        let settled = set.settled;
        let width = settled + set.candidates.len();
        let all: Vec<usize> = (settled..width).collect();
        let others: Vec<usize> =
            all.iter().copied().filter(|j| !wanted.contains(&set.candidates[j - settled])).collect();
        let (best, volume) = eliminate(&jacobian, width, settled, &others);
        let (_, largest) = eliminate(&jacobian, width, settled, &all);
        let possible = best.len() == jacobian.len() / width && volume > NOTHING * largest;
        if possible {
            self.select(set, &best);
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

/// Elimination with complete pivoting, first in the `settled` columns at the beginning, then in `columns`: all pivot
/// columns, and the volume that those of `columns` add.
fn eliminate(matrix: &[f64], n: usize, settled: usize, columns: &[usize]) -> (Vec<usize>, f64) {
    let m = matrix.len().checked_div(n).unwrap_or(0);
    let mut a = matrix.to_vec();
    let (mut rows, mut chosen, mut volume): (Vec<usize>, Vec<usize>, f64) =
        ((0..m).collect(), Vec::new(), 1.0);
    let first: Vec<usize> = (0..settled).collect();
    for k in 0..m {
        let from: &[usize] = if k < settled { &first } else { columns };
        let mut pivot = (0.0, 0, 0);
        for (place, &i) in rows.iter().enumerate() {
            for &j in from.iter().filter(|j| !chosen.contains(j)) {
                let size = a[i * n + j].abs();
                if size > pivot.0 {
                    pivot = (size, place, j);
                }
            }
        }
        let (size, place, column) = pivot;
        if size == 0.0 {
            return (chosen, 0.0);
        }
        let row = rows.swap_remove(place);
        for &i in &rows {
            let factor = a[i * n + column] / a[row * n + column];
            for j in 0..n {
                a[i * n + j] -= factor * a[row * n + j];
            }
        }
        if k >= settled {
            volume *= size;
        }
        chosen.push(column);
    }
    (chosen, volume)
}

#[cfg(test)]
mod tests {
    use super::eliminate;

    #[test]
    fn volumes() {
        let (columns, volume) = eliminate(&[3.0, 4.0], 2, 0, &[0, 1]);
        assert_eq!((columns, volume), (vec![1], 4.0));
        // |det| of columns 0 and 2 of [[1, 2, 3], [2, 4, 1]] is 5; columns 0 and 1 are parallel.
        let matrix = [1.0, 2.0, 3.0, 2.0, 4.0, 1.0];
        assert!((eliminate(&matrix, 3, 0, &[0, 2]).1 - 5.0).abs() < 1e-14);
        assert_eq!(eliminate(&matrix, 3, 0, &[0, 1]).1, 0.0);
        assert!((eliminate(&matrix, 3, 0, &[0, 1, 2]).1 - 10.0).abs() < 1e-14);
        // With column 0 settled by its larger element, what column 2 adds is 3 - 1/2.
        assert_eq!(eliminate(&matrix, 3, 1, &[1, 2]), (vec![0, 2], 2.5));
    }
}
