//! Columns of a Jacobian that can be evaluated together: no two columns of one colour share a row.
//!
//! A. R. Curtis, M. J. D. Powell and J. K. Reid, *On the estimation of sparse Jacobian matrices*, 1974: greedy colouring of the
//! columns (distance two in the bipartite graph). Columns are taken in their own order and again with the longest first; the
//! colouring with fewer colours is kept. The number of colours is at least the length of the longest row.
//!
//! Each row remembers below which colour all are taken, so a long row costs time linear in its length, not its square.

use rustc_hash::FxHashSet;

use crate::ids::{Eqn, IdVec, Var};
use crate::incidence::Incidence;
use crate::work::tick;

/// A colouring of columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Colouring {
    /// The colour of each column, from 0.
    pub colour: IdVec<Var, u32>,
    /// The number of colours.
    pub colours: usize,
}

impl Colouring {
    /// The columns of each colour, in ascending order.
    pub fn groups(&self) -> Vec<Vec<Var>> {
        let mut groups = vec![Vec::new(); self.colours];
        for (var, colour) in self.colour.iter() {
            groups[*colour as usize].push(var);
        }
        groups
    }
}

/// Colours the columns of a pattern. Empty columns get colour 0.
pub fn colour_columns(pattern: &Incidence) -> Colouring {
    let natural: Vec<Var> = pattern.var_ids().collect();
    let mut longest_first = natural.clone();
    longest_first.sort_by_key(|var| std::cmp::Reverse(pattern.eqns(*var).len()));
    let (a, b) = (greedy(pattern, &natural), greedy(pattern, &longest_first));
    if b.colours < a.colours { b } else { a }
}

fn greedy(pattern: &Incidence, order: &[Var]) -> Colouring {
    let mut taken: FxHashSet<u64> = FxHashSet::default();
    let mut first_free: IdVec<Eqn, u32> = IdVec::filled(0, pattern.eqn_count());
    let mut colour: IdVec<Var, u32> = IdVec::filled(0, pattern.var_count());
    let mut colours = usize::from(!order.is_empty());
    let key = |eqn: Eqn, colour: u32| u64::from(eqn.0) << 32 | u64::from(colour);
    for &var in order {
        let rows = pattern.eqns(var);
        let mut candidate = rows.iter().map(|eqn| first_free[*eqn]).max().unwrap_or(0);
        while rows.iter().any(|eqn| taken.contains(&key(*eqn, candidate))) {
            tick(rows.len());
            candidate += 1;
        }
        tick(rows.len());
        colour[var] = candidate;
        colours = colours.max(candidate as usize + 1);
        for &eqn in rows {
            taken.insert(key(eqn, candidate));
            while taken.contains(&key(eqn, first_free[eqn])) {
                tick(1);
                first_free[eqn] += 1;
            }
        }
    }
    Colouring { colour, colours }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tridiagonal_pattern_needs_three_colours() {
        let rows: Vec<Vec<u32>> =
            (0..10u32).map(|k| (k.saturating_sub(1)..=(k + 1).min(9)).collect()).collect();
        let colouring = colour_columns(&Incidence::from_rows(10, &rows));
        assert_eq!(colouring.colours, 3);
        assert_eq!(colouring.groups().iter().map(Vec::len).sum::<usize>(), 10);
    }

    #[test]
    fn an_arrow_pattern_with_the_full_row_needs_as_many_as_it_is_long() {
        let mut rows: Vec<Vec<u32>> = (0..6u32).map(|k| vec![k]).collect();
        rows.push((0..6).collect());
        assert_eq!(colour_columns(&Incidence::from_rows(6, &rows)).colours, 6);
        assert_eq!(colour_columns(&Incidence::from_rows(0, &[[0u32; 0]; 0])).colours, 0);
    }
}
