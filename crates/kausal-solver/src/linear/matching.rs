//! A row for every column: maximum matching of rows and columns of a sparse matrix.
//!
//! Before a matrix is ordered it needs a diagonal to prefer as pivots. Depth-first augmenting paths with
//! look-ahead (Duff, MC21, *ACM TOMS* 7, 1981), without recursion. A column left unmatched proves that the
//! matrix is singular whatever its values are.

use super::{Pattern, Singular};

const NONE: u32 = u32::MAX;

/// For each column the row matched to it, or the first column that can have none.
pub(super) fn match_rows(pattern: &Pattern) -> Result<Vec<u32>, Singular> {
    let n = pattern.n();
    let mut row_of = vec![NONE; n];
    let mut column_of = vec![NONE; n];
    // The natural diagonal, where there is one, keeps symmetric structure symmetric.
    for j in 0..n {
        if pattern.position(j, j).is_some() {
            row_of[j] = j as u32;
            column_of[j] = j as u32;
        }
    }
    let mut search = Search {
        visited: vec![NONE; n],
        look: (0..n).map(|j| pattern.range(j).start).collect(),
        next: vec![0; n],
        path: Vec::with_capacity(n),
    };
    for j in 0..n {
        if row_of[j] == NONE && !search.augment(pattern, j, &mut row_of, &mut column_of) {
            return Err(Singular { column: j });
        }
    }
    Ok(row_of)
}

struct Search {
    /// The root column of the last search that saw this column.
    visited: Vec<u32>,
    /// Position up to which a column has been scanned for free rows; rows never become free again.
    look: Vec<usize>,
    /// Position of the next edge to follow from a column on the path.
    next: Vec<usize>,
    path: Vec<u32>,
}

impl Search {
    fn augment(&mut self, pattern: &Pattern, root: usize, row_of: &mut [u32], column_of: &mut [u32]) -> bool {
        let rows = pattern.rows();
        self.path.clear();
        self.path.push(root as u32);
        self.visited[root] = root as u32;
        self.next[root] = pattern.range(root).start;
        while let Some(&column) = self.path.last() {
            let j = column as usize;
            let end = pattern.range(j).end;
            while self.look[j] < end {
                let row = rows[self.look[j]] as usize;
                self.look[j] += 1;
                if column_of[row] == NONE {
                    self.flip_path(row, row_of, column_of);
                    return true;
                }
            }
            let mut advanced = false;
            while self.next[j] < end {
                let row = rows[self.next[j]] as usize;
                self.next[j] += 1;
                let other = column_of[row] as usize;
                if self.visited[other] != root as u32 {
                    self.visited[other] = root as u32;
                    self.next[other] = pattern.range(other).start;
                    self.path.push(other as u32);
                    advanced = true;
                    break;
                }
            }
            if !advanced {
                self.path.pop();
            }
        }
        false
    }

    /// Gives the free row to the last column of the path, its old row to the one before, and so on to the
    /// root.
    fn flip_path(&mut self, free: usize, row_of: &mut [u32], column_of: &mut [u32]) {
        let mut row = free as u32;
        for &column in self.path.iter().rev() {
            let old = row_of[column as usize];
            row_of[column as usize] = row;
            column_of[row as usize] = column;
            row = old;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::testing::Random;

    #[test]
    fn finds_a_hidden_permutation() {
        let mut random = Random::new(2);
        for n in [1, 2, 10, 100] {
            let mut permutation: Vec<usize> = (0..n).collect();
            random.shuffle(&mut permutation);
            let noise: Vec<_> = (0..n).map(|_| (random.below(n), random.below(n))).collect();
            let p = Pattern::new(n, permutation.iter().enumerate().map(|(j, &i)| (i, j)).chain(noise));
            let matched = match_rows(&p).unwrap();
            let mut seen = vec![false; n];
            for (j, &i) in matched.iter().enumerate() {
                assert!(p.position(i as usize, j).is_some());
                assert!(!std::mem::replace(&mut seen[i as usize], true));
            }
        }
    }

    #[test]
    fn names_a_column_without_a_row() {
        // Columns 1 and 2 both have only row 0.
        let p = Pattern::new(3, [(0, 0), (1, 0), (2, 0), (0, 1), (0, 2)]);
        assert!(matches!(match_rows(&p), Err(Singular { column: 1 | 2 })));
    }

    #[test]
    fn a_long_chain_does_not_recurse() {
        let n = 200_000;
        // Column j has rows j and j+1, the last one only row 0: every column must move.
        let chain = (0..n - 1).flat_map(|j| [(j, j), (j + 1, j)]).chain([(0, n - 1)]);
        let matched = match_rows(&Pattern::new(n, chain)).unwrap();
        assert_eq!(matched[n - 1], 0);
        assert_eq!(matched[0], 1);
    }
}
