//! The equations and unknowns of a block in another order.
//!
//! Searches for tearing variables and for orders of elimination break ties by number, and numbers follow the text of a model:
//! the same equations written in another order may come out dearer. An order that follows from the equations alone
//! runs through the block from one end to the other, by distance, as for a matrix of small bandwidth (E. Cuthill and J. McKee, 1969),
//! and takes what is equally far by what it looks like from where it stands (B. Weisfeiler and A. Leman, 1968).

use std::collections::VecDeque;
use std::hash::{Hash, Hasher};

use kausal_structure::{Eqn, Id, Incidence, Var as Column};
use rustc_hash::FxHasher;

use crate::equations::sort::Block;

/// New numbers for rows and columns.
#[derive(Clone, Debug)]
pub(crate) struct Renumbering {
    /// The old row of each new one.
    pub rows: Vec<usize>,
    columns: Vec<usize>,
    new_row: Vec<usize>,
    new_column: Vec<usize>,
}

impl Renumbering {
    fn new(rows: Vec<usize>, columns: Vec<usize>) -> Self {
        let inverse = |order: &[usize]| {
            let mut out = vec![0; order.len()];
            order.iter().enumerate().for_each(|(new, &old)| out[old] = new);
            out
        };
        let (new_row, new_column) = (inverse(&rows), inverse(&columns));
        Renumbering { rows, columns, new_row, new_column }
    }

    /// All as it is.
    pub fn none(n: usize) -> Self {
        Renumbering::new((0..n).collect(), (0..n).collect())
    }

    /// By distance from one end of the block, what is equally far by its surroundings.
    pub fn by_distance(incidence: &Incidence, is_unit: &dyn Fn(Eqn, Column) -> bool) -> Self {
        let graph = Graph::new(incidence, is_unit);
        let order = graph.ordered();
        let rows = order.iter().copied().filter(|&n| n < graph.rows).collect();
        let columns = order.iter().filter(|&&n| n >= graph.rows).map(|&n| n - graph.rows).collect();
        Renumbering::new(rows, columns)
    }

    /// The other way round.
    pub fn reversed(&self) -> Self {
        let back = |order: &[usize]| order.iter().rev().copied().collect();
        Renumbering::new(back(&self.rows), back(&self.columns))
    }

    /// The new number of a row.
    pub fn row(&self, e: Eqn) -> Eqn {
        Eqn(self.new_row[e.index()] as u32)
    }

    /// The new number of a column.
    pub fn column(&self, v: Column) -> Column {
        Column(self.new_column[v.index()] as u32)
    }

    /// Entries of a row by new columns.
    pub fn entries<T: Copy>(&self, row: &[(usize, T)]) -> Vec<(usize, T)> {
        let mut out: Vec<(usize, T)> = row.iter().map(|&(c, x)| (self.new_column[c], x)).collect();
        out.sort_unstable_by_key(|&(c, _)| c);
        out
    }

    /// The block with its equations and unknowns in the new order.
    pub fn block(&self, block: &Block) -> Block {
        Block {
            equations: self.rows.iter().map(|&r| block.equations[r]).collect(),
            unknowns: self.columns.iter().map(|&c| block.unknowns[c]).collect(),
        }
    }
}

/// Rows and, after them, columns; neighbours with what joins them.
struct Graph {
    rows: usize,
    neighbours: Vec<Vec<(usize, u64)>>,
    /// What a node looks like from where it stands.
    colour: Vec<u64>,
}

impl Graph {
    fn new(incidence: &Incidence, is_unit: &dyn Fn(Eqn, Column) -> bool) -> Self {
        let rows = incidence.eqn_count();
        let mut neighbours = vec![Vec::new(); rows + incidence.var_count()];
        for o in incidence.occurrences() {
            let label = 2 * o.solvability.rank() as u64 + u64::from(is_unit(o.eqn, o.var));
            let (r, c) = (o.eqn.index(), rows + o.var.index());
            neighbours[r].push((c, label));
            neighbours[c].push((r, label));
        }
        let colour = (0..neighbours.len()).map(|n| u64::from(n < rows)).collect();
        let mut graph = Graph { rows, neighbours, colour };
        graph.refine();
        graph
    }

    /// Tells nodes apart by what they can see.
    fn refine(&mut self) {
        const ROUNDS: usize = 24;
        for _ in 0..ROUNDS {
            let next = |n: usize| {
                let mut seen: Vec<(u64, u64)> =
                    self.neighbours[n].iter().map(|&(m, label)| (label, self.colour[m])).collect();
                seen.sort_unstable();
                let mut hasher = FxHasher::default();
                (self.colour[n], seen).hash(&mut hasher);
                hasher.finish()
            };
            self.colour = (0..self.colour.len()).map(next).collect();
        }
    }

    /// All nodes by distance from one end. What is in no way joined to the rest begins anew.
    fn ordered(&self) -> Vec<usize> {
        const ENDS: usize = 3;
        let mut first = (0..self.colour.len()).min_by_key(|&n| (self.neighbours[n].len(), self.colour[n]));
        for _ in 0..ENDS {
            first = first.and_then(|n| self.nodes_from(n).last().copied());
        }
        let mut order = first.map_or(Vec::new(), |n| self.nodes_from(n));
        if order.len() < self.colour.len() {
            let mut seen = vec![false; self.colour.len()];
            order.iter().for_each(|&n| seen[n] = true);
            order.extend((0..seen.len()).filter(|&n| !seen[n]));
        }
        order
    }

    /// Nodes by distance from one of them, by colour where that is equal.
    fn nodes_from(&self, start: usize) -> Vec<usize> {
        let mut seen = vec![false; self.colour.len()];
        seen[start] = true;
        let mut queue = VecDeque::from([start]);
        let mut order = Vec::with_capacity(self.colour.len());
        while let Some(n) = queue.pop_front() {
            order.push(n);
            let mut next: Vec<usize> =
                self.neighbours[n].iter().map(|&(m, _)| m).filter(|&m| !seen[m]).collect();
            next.sort_unstable_by_key(|&m| (self.colour[m], m));
            for m in next {
                seen[m] = true;
                queue.push_back(m);
            }
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line of equations `x[k] + x[k + 1]`, the last with one unknown, in two orders of both: the new order is the same.
    #[test]
    fn the_order_follows_from_the_equations() {
        let n = 9u32;
        let line: Vec<Vec<u32>> = (0..n).map(|k| if k + 1 < n { vec![k, k + 1] } else { vec![k] }).collect();
        let shuffle = |k: u32| (k * 4 + 2) % n;
        let mut shuffled = vec![Vec::new(); n as usize];
        for (k, row) in line.iter().enumerate() {
            let mut row: Vec<u32> = row.iter().map(|&c| shuffle(c)).collect();
            row.sort_unstable();
            shuffled[shuffle(k as u32) as usize] = row;
        }
        let order = |rows: &[Vec<u32>]| {
            Renumbering::by_distance(&Incidence::from_rows(n as usize, rows), &|_, _| false)
        };
        let (plain, other) = (order(&line), order(&shuffled));
        let renamed =
            |list: &[usize]| -> Vec<usize> { list.iter().map(|&k| shuffle(k as u32) as usize).collect() };
        assert_eq!(renamed(&plain.rows), other.rows);
        assert_eq!(renamed(&plain.columns), other.columns);
        assert_eq!(plain.reversed().reversed().rows, plain.rows);
    }
}
