//! Pryce's structural analysis by a signature matrix: a second, independent way to the counts of
//! [`pantelides`](crate::pantelides()).
//!
//! J. D. Pryce, *A simple structural analysis method for DAEs*, BIT 41, 2001. The signature matrix holds the highest order of
//! derivative of each variable in each equation. A transversal of highest value (an assignment problem) fixes the number of
//! degrees of freedom; the smallest offsets `c ≥ 0`, `d` with `d(j) - c(i) ≥ σ(i, j)`, equality on the transversal, are the
//! numbers of differentiations and the highest derivatives.
//!
//! The assignment is solved by the Hungarian method on a dense matrix, O(n³): meant for small systems and as an oracle.

/// A square signature matrix: `rows[i]` lists `(variable, highest order of derivative)` of equation `i`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The entries of each row; absent means the variable does not occur.
    pub rows: Vec<Vec<(usize, u32)>>,
}

/// The result of the analysis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offsets {
    /// How often each equation is differentiated.
    pub eqn: Vec<u32>,
    /// The highest derivative of each variable.
    pub var: Vec<u32>,
    /// The variable of each equation on the transversal.
    pub transversal: Vec<usize>,
    /// The value of the transversal: the degrees of freedom.
    pub value: u64,
}

impl Signature {
    /// The canonical (smallest) offsets, or `None` if the matrix has no transversal, that is, is structurally singular.
    pub fn offsets(&self) -> Option<Offsets> {
        let n = self.rows.len();
        let transversal = self.highest_transversal()?;
        let on_transversal = |i: usize| -> i64 {
            let order =
                self.rows[i].iter().filter(|entry| entry.0 == transversal[i]).map(|entry| entry.1).max();
            i64::from(order.unwrap_or(0))
        };
        // The smallest offsets by fixed-point iteration from c = 0.
        let mut c = vec![0i64; n];
        let mut d;
        loop {
            d = vec![0i64; n];
            for (i, row) in self.rows.iter().enumerate() {
                for &(j, order) in row {
                    d[j] = d[j].max(i64::from(order) + c[i]);
                }
            }
            let next: Vec<i64> = (0..n).map(|i| d[transversal[i]] - on_transversal(i)).collect();
            if next == c {
                break;
            }
            c = next;
        }
        let value = (0..n).map(|i| on_transversal(i) as u64).sum();
        Some(Offsets {
            eqn: c.into_iter().map(|x| x as u32).collect(),
            var: d.into_iter().map(|x| x as u32).collect(),
            transversal,
            value,
        })
    }

    /// The variable of each equation on a transversal of highest value.
    fn highest_transversal(&self) -> Option<Vec<usize>> {
        let n = self.rows.len();
        let largest = self.rows.iter().flatten().map(|entry| i64::from(entry.1)).max().unwrap_or(0);
        // A missing entry costs more than any complete transversal can gain.
        let missing = (largest + 1) * (n as i64 + 1);
        let mut cost = vec![vec![missing; n]; n];
        for (i, row) in self.rows.iter().enumerate() {
            for &(j, order) in row {
                cost[i][j] = cost[i][j].min(largest - i64::from(order));
            }
        }
        let assignment = hungarian(&cost);
        assignment.iter().enumerate().all(|(i, &j)| cost[i][j] < missing).then_some(assignment)
    }
}

/// The column of each row in an assignment of least total cost: shortest augmenting paths with potentials.
fn hungarian(cost: &[Vec<i64>]) -> Vec<usize> {
    let n = cost.len();
    const INFINITE: i64 = i64::MAX / 4;
    // Row and column 0 are artificial; row_of[j] is the row matched with column j.
    let mut row_potential = vec![0i64; n + 1];
    let mut column_potential = vec![0i64; n + 1];
    let mut row_of = vec![0usize; n + 1];
    for row in 1..=n {
        row_of[0] = row;
        let mut column = 0;
        let mut distance = vec![INFINITE; n + 1];
        let mut previous = vec![0usize; n + 1];
        let mut done = vec![false; n + 1];
        while row_of[column] != 0 {
            done[column] = true;
            let here = row_of[column];
            let (mut step, mut nearest) = (INFINITE, 0);
            for j in (1..=n).filter(|j| !done[*j]) {
                let reduced = cost[here - 1][j - 1] - row_potential[here] - column_potential[j];
                if reduced < distance[j] {
                    distance[j] = reduced;
                    previous[j] = column;
                }
                if distance[j] < step {
                    step = distance[j];
                    nearest = j;
                }
            }
            for j in 0..=n {
                if done[j] {
                    row_potential[row_of[j]] += step;
                    column_potential[j] -= step;
                } else {
                    distance[j] -= step;
                }
            }
            column = nearest;
        }
        while column != 0 {
            row_of[column] = row_of[previous[column]];
            column = previous[column];
        }
    }
    let mut column_of = vec![0usize; n];
    for j in 1..=n {
        column_of[row_of[j] - 1] = j - 1;
    }
    column_of
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pendulum_of_the_paper() {
        // Pryce, section 2: x'' + xλ = 0, y'' + yλ - g = 0, x² + y² - L² = 0; c = (0, 0, 2), d = (2, 2, 0).
        let rows = vec![vec![(0, 2), (2, 0)], vec![(1, 2), (2, 0)], vec![(0, 0), (1, 0)]];
        let offsets = Signature { rows }.offsets().unwrap();
        assert_eq!((offsets.eqn, offsets.var, offsets.value), (vec![0, 0, 2], vec![2, 2, 0], 2));
    }

    #[test]
    fn no_transversal_no_offsets() {
        let rows = vec![vec![(0, 1)], vec![(0, 0)]];
        assert_eq!(Signature { rows }.offsets(), None);
        assert!(Signature { rows: vec![] }.offsets().is_some());
    }
}
