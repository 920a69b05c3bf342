//! Where a sparse square matrix may differ from zero, column by column, and what follows from it: the
//! transposed pattern, the sum with a diagonal, and groups of columns that finite differences can evaluate
//! together.

use serde::{Deserialize, Serialize};

/// The structure of a square sparse matrix, compressed by columns.
///
/// Values belonging to a pattern are a plain slice: all of column 0 in order of rows, then column 1, and so
/// on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pattern {
    n: usize,
    start: Vec<usize>,
    rows: Vec<u32>,
}

impl Pattern {
    /// The pattern of order `n` with these `(row, column)` entries, in any order; duplicates count once.
    ///
    /// Entries outside the matrix are an error of the caller and panic.
    pub fn new(n: usize, entries: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut list: Vec<(u32, u32)> = entries
            .into_iter()
            .map(|(row, column)| {
                assert!(row < n && column < n, "entry ({row}, {column}) is outside a matrix of order {n}");
                (column as u32, row as u32)
            })
            .collect();
        list.sort_unstable();
        list.dedup();
        let mut start = vec![0; n + 1];
        for &(column, _) in &list {
            start[column as usize + 1] += 1;
        }
        for j in 0..n {
            start[j + 1] += start[j];
        }
        Pattern { n, start, rows: list.into_iter().map(|(_, row)| row).collect() }
    }

    /// Order of the matrix.
    pub fn n(&self) -> usize {
        self.n
    }

    /// Number of entries.
    pub fn entries(&self) -> usize {
        self.rows.len()
    }

    /// Positions of column `j` in the slice of values.
    pub fn range(&self, j: usize) -> std::ops::Range<usize> {
        self.start[j]..self.start[j + 1]
    }

    /// Rows of column `j`, ascending.
    pub fn column(&self, j: usize) -> &[u32] {
        &self.rows[self.range(j)]
    }

    /// Rows of all entries, in the order of the values.
    pub fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// Position of an entry in the slice of values.
    pub fn position(&self, row: usize, column: usize) -> Option<usize> {
        let range = self.range(column);
        self.rows[range.clone()].binary_search(&(row as u32)).ok().map(|k| range.start + k)
    }

    /// All entries as `(row, column)`, in the order of the values.
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..self.n).flat_map(move |j| self.column(j).iter().map(move |&i| (i as usize, j)))
    }

    /// The pattern with every diagonal entry present.
    pub fn with_diagonal(&self) -> Pattern {
        if (0..self.n).all(|j| self.position(j, j).is_some()) {
            return self.clone();
        }
        Pattern::new(self.n, self.iter().chain((0..self.n).map(|j| (j, j))))
    }

    /// The transposed pattern.
    pub fn transposed(&self) -> Pattern {
        Pattern::new(self.n, self.iter().map(|(i, j)| (j, i)))
    }

    /// `y = A x` for values on this pattern.
    pub fn multiply(&self, values: &[f64], x: &[f64], y: &mut [f64]) {
        y.fill(0.0);
        for j in 0..self.n {
            for k in self.range(j) {
                y[self.rows[k] as usize] += values[k] * x[j];
            }
        }
    }
}

/// Groups of columns no two of which share a row, so that one difference of function values gives all columns
/// of a group.
///
/// Curtis, Powell & Reid (1974): greedy, columns with many entries first. The number of groups is at least
/// the largest number of entries in a row, and close to it for the patterns of physical models.
pub fn column_groups(pattern: &Pattern) -> Vec<Vec<u32>> {
    let n = pattern.n();
    let by_row = pattern.transposed();
    let mut order: Vec<u32> = (0..n as u32).collect();
    order.sort_by_key(|&j| (std::cmp::Reverse(pattern.column(j as usize).len()), j));
    let mut colour_of = vec![u32::MAX; n];
    // `taken[c] == j` while looking at column j: some neighbour of j has colour c.
    let mut taken: Vec<u32> = Vec::new();
    let mut groups: Vec<Vec<u32>> = Vec::new();
    for &j in &order {
        for &row in pattern.column(j as usize) {
            for &neighbour in by_row.column(row as usize) {
                let colour = colour_of[neighbour as usize];
                if colour != u32::MAX {
                    taken[colour as usize] = j;
                }
            }
        }
        let colour = taken.iter().position(|&t| t != j).unwrap_or_else(|| {
            taken.push(u32::MAX);
            groups.push(Vec::new());
            taken.len() - 1
        });
        colour_of[j as usize] = colour as u32;
        groups[colour].push(j);
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::testing::Random;

    #[test]
    fn entries_are_sorted_and_unique() {
        let p = Pattern::new(3, [(2, 0), (0, 0), (2, 0), (1, 2)]);
        assert_eq!(p.column(0), &[0, 2]);
        assert_eq!(p.column(1), &[] as &[u32]);
        assert_eq!(p.position(1, 2), Some(2));
        assert_eq!(p.position(1, 1), None);
        assert_eq!(p.transposed().column(2), &[0]);
        assert_eq!(p.with_diagonal().entries(), 5);
    }

    #[test]
    fn groups_partition_the_columns_without_shared_rows() {
        let mut random = Random::new(5);
        for n in [1, 4, 17, 60] {
            let p = Pattern::new(n, (0..3 * n).map(|_| (random.below(n), random.below(n))));
            let groups = column_groups(&p);
            let mut seen = vec![false; n];
            for group in &groups {
                let mut rows = vec![false; n];
                for &j in group {
                    assert!(!std::mem::replace(&mut seen[j as usize], true));
                    for &i in p.column(j as usize) {
                        assert!(!std::mem::replace(&mut rows[i as usize], true));
                    }
                }
            }
            assert!(seen.iter().all(|&s| s));
        }
    }

    #[test]
    fn a_tridiagonal_matrix_needs_three_groups() {
        let n = 1000;
        let band = (0..n).flat_map(|j: usize| (j.saturating_sub(1)..(j + 2).min(n)).map(move |i| (i, j)));
        assert_eq!(column_groups(&Pattern::new(n, band)).len(), 3);
    }
}
