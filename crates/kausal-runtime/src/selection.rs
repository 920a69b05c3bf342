//! States that are selected while the model runs.
//!
//! A [`StateSet`](kausal_translate::program::StateSet) has candidates, of which constraints determine some from the
//! others. Which ones is a choice of columns of the constraints' Jacobian: it must be regular, and is best where its
//! volume is large. The choice is kept as long as it is not much worse than the one that elimination with complete
//! pivoting gives now; else that one is taken, with the same values of all variables.

use crate::machine::Machine;

/// A choice is changed when the volume of its columns is less than this part of the best choice's.
const MUCH_WORSE: f64 = 0.15;

impl Machine {
    /// Selects states anew where the selection has become bad; was one changed? All variables keep their values.
    pub fn reselect(&mut self) -> bool {
        let model = self.model().clone();
        let mut changed = false;
        for (set, &chunk) in model.program.state_sets.iter().zip(&model.state_sets) {
            // Columns of what is never a state come first.
            let (settled, n) = (set.settled, set.candidates.len());
            let width = settled + n;
            let m = set.jacobian.len().checked_div(width).unwrap_or(0);
            let mut jacobian = vec![0.0; m * width];
            self.evaluate(chunk, &mut jacobian);
            if jacobian.iter().any(|v| !v.is_finite()) {
                continue;
            }
            let is_state = |j: usize| set.selection.iter().any(|row| self.values[row[j].index()] != 0.0);
            let now: Vec<usize> = (0..n).filter(|&j| !is_state(j)).map(|j| settled + j).collect();
            let all: Vec<usize> = (settled..width).collect();
            let (_, volume) = eliminate(&jacobian, width, settled, &now);
            let (best, largest) = eliminate(&jacobian, width, settled, &all);
            if volume >= MUCH_WORSE * largest || best.len() != m {
                continue;
            }
            let states = (0..n).filter(|j| !best.contains(&(settled + j)));
            for (i, picked) in states.enumerate() {
                for (j, entry) in set.selection[i].iter().enumerate() {
                    self.values[entry.index()] = f64::from(u8::from(j == picked));
                }
                self.values[set.states[i].index()] = self.values[set.candidates[picked].index()];
            }
            changed = true;
            self.events += 1;
        }
        changed
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
