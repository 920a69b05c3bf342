//! The smallest tearing set of a small block, by branch and bound.
//!
//! A node of the search is a matrix of at most 64 rows and columns kept as bit sets. It is reduced by the rules of
//! [`contraction`](crate::tearing::contraction), then a column is chosen that is either torn or never torn.
//!
//! The bound: before the first column can be solved for, some row must have all its other columns torn. A row with two columns
//! that are never torn cannot be that row. So at least one column less than the shortest possible row must be torn. The same
//! holds with rows and columns exchanged.
//!
//! "Never torn" may be spread to merged columns of no smaller weight: a tearing set with such a column instead
//! costs no less than one in the branch in which the first column is torn, which is searched as well.

use crate::ids::Var;
use crate::tearing::sequence::Solver;
use crate::tearing::{FORBIDDEN, Tearing, TearingProblem, contraction::Contraction};

/// The largest number of rows or columns.
pub const SIZE_LIMIT: usize = 64;

/// A reduced block: for each row its columns and whether the row may be solved for them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Core {
    /// The entries.
    pub rows: Vec<Vec<(usize, bool)>>,
    /// What tearing a column costs; [`FORBIDDEN`] columns are never torn.
    pub weight: Vec<u32>,
    /// The variable torn when the column is.
    pub var: Vec<Var>,
}

/// The outcome of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search {
    /// The variables to tear, if a set lighter than the bound was found.
    pub torn: Option<Vec<Var>>,
    /// Whether the search ran to its end, so that there is nothing lighter.
    pub complete: bool,
    /// The nodes visited.
    pub nodes: usize,
}

/// A tearing of least weight, or `None` if there is none without a [`FORBIDDEN`] variable, if the block is larger than
/// [`SIZE_LIMIT`] after reductions, or if `node_limit` nodes did not suffice.
pub fn minimum(problem: &TearingProblem, node_limit: usize) -> Option<Tearing> {
    let mut reduced = Contraction::new(problem.incidence, |edge| problem.may_solve(edge), &problem.weight);
    reduced.reduce();
    if reduced.size() > SIZE_LIMIT || reduced.torn().iter().any(|var| problem.weight[*var] == FORBIDDEN) {
        return None;
    }
    let found = search(&reduced.core(), u64::MAX, node_limit);
    let vars = reduced.torn().iter().copied().chain(found.torn.filter(|_| found.complete)?);
    Some(Solver::new(problem).tearing(&vars.collect::<Vec<_>>()))
}

#[derive(Clone)]
struct Node {
    /// Per row: the columns, and those it may be solved for.
    row: Vec<(u64, u64)>,
    /// Per column: the rows, and those that may be solved for it.
    column: Vec<(u64, u64)>,
    rows: u64,
    columns: u64,
    never: u64,
    weight: Vec<u32>,
    member: Vec<u8>,
    torn: u64,
    spent: u64,
}

/// Searches for a set of columns that weighs less than `bound`.
pub fn search(core: &Core, bound: u64, node_limit: usize) -> Search {
    let mut result = Search { torn: None, complete: true, nodes: 0 };
    if core.rows.len() > SIZE_LIMIT || core.var.len() > SIZE_LIMIT {
        result.complete = false;
        return result;
    }
    let mut bound = bound;
    let mut best: Option<u64> = None;
    let mut open = vec![root(core)];
    while let Some(mut node) = open.pop() {
        if result.nodes >= node_limit {
            result.complete = false;
            break;
        }
        result.nodes += 1;
        if !node.reduce() || node.spent >= bound {
            continue;
        }
        if node.columns == 0 {
            bound = node.spent;
            best = Some(node.torn);
            continue;
        }
        match node.least_cost_to_come() {
            Some(more) if node.spent + more < bound => {}
            _ => continue,
        }
        let Some(column) = node.branch_column() else { continue };
        let mut without = node.clone();
        without.never |= 1 << column;
        open.push(without);
        node.tear(column);
        open.push(node);
    }
    result.torn = best.map(|bits| ones(bits).map(|column| core.var[column]).collect());
    result
}

fn root(core: &Core) -> Node {
    let mut node = Node {
        row: vec![(0, 0); core.rows.len()],
        column: vec![(0, 0); core.var.len()],
        rows: mask(core.rows.len()),
        columns: mask(core.var.len()),
        never: 0,
        weight: core.weight.clone(),
        member: (0..core.var.len() as u8).collect(),
        torn: 0,
        spent: 0,
    };
    for (r, row) in core.rows.iter().enumerate() {
        for &(c, usable) in row {
            node.row[r].0 |= 1 << c;
            node.row[r].1 |= u64::from(usable) << c;
            node.column[c].0 |= 1 << r;
            node.column[c].1 |= u64::from(usable) << r;
        }
    }
    for (c, weight) in core.weight.iter().enumerate() {
        node.never |= u64::from(*weight == FORBIDDEN) << c;
    }
    node
}

impl Node {
    /// Applies the rules until none applies. Returns false if a column would have to be torn that must not be.
    fn reduce(&mut self) -> bool {
        loop {
            let mut changed = false;
            for r in ones(self.rows) {
                changed |= self.reduce_row(r);
            }
            for c in ones(self.columns) {
                if self.columns >> c & 1 == 0 {
                    continue;
                }
                match self.reduce_column(c) {
                    Some(step) => changed |= step,
                    None => return false,
                }
            }
            if !changed {
                return true;
            }
        }
    }

    fn reduce_row(&mut self, r: usize) -> bool {
        let (present, usable) = self.row[r];
        if usable == 0 {
            self.remove_row(r);
            return true;
        }
        if present.count_ones() == 1 {
            self.remove_row(r);
            self.remove_column(present.trailing_zeros() as usize);
            return true;
        }
        if present.count_ones() == 2 {
            let a = usable.trailing_zeros() as usize;
            let b = (present & !(1 << a)).trailing_zeros() as usize;
            if usable.count_ones() == 2 {
                self.remove_row(r);
                self.merge_columns(a, b, true);
                return true;
            }
            let a_never = self.never >> a & 1 == 1;
            if self.column[a].1.count_ones() == 1 && (a_never || self.weight[b] <= self.weight[a]) {
                self.remove_row(r);
                self.merge_columns(a, b, false);
                return true;
            }
        }
        false
    }

    fn reduce_column(&mut self, c: usize) -> Option<bool> {
        let (present, usable) = self.column[c];
        let never = self.never >> c & 1 == 1;
        if usable == 0 {
            if never {
                return None;
            }
            self.tear(c);
            return Some(true);
        }
        let replaceable = |node: &Node, rows: u64| {
            never || ones(rows).all(|r| ones(node.row[r].1).all(|other| node.weight[other] <= node.weight[c]))
        };
        if present.count_ones() == 1 && replaceable(self, present) {
            self.remove_row(present.trailing_zeros() as usize);
            self.remove_column(c);
            return Some(true);
        }
        if present.count_ones() == 2 {
            let a = usable.trailing_zeros() as usize;
            let b = (present & !(1 << a)).trailing_zeros() as usize;
            let may_merge = if usable.count_ones() == 2 {
                replaceable(self, present)
            } else {
                self.row[a].1.count_ones() == 1 && replaceable(self, 1 << b)
            };
            if may_merge {
                self.remove_column(c);
                self.merge_rows(a, b);
                return Some(true);
            }
        }
        Some(false)
    }

    fn tear(&mut self, c: usize) {
        self.torn |= 1 << self.member[c];
        self.spent += u64::from(self.weight[c]);
        self.remove_column(c);
    }

    fn remove_row(&mut self, r: usize) {
        for c in ones(self.row[r].0) {
            self.column[c].0 &= !(1 << r);
            self.column[c].1 &= !(1 << r);
        }
        self.row[r] = (0, 0);
        self.rows &= !(1 << r);
    }

    fn remove_column(&mut self, c: usize) {
        for r in ones(self.column[c].0) {
            self.row[r].0 &= !(1 << c);
            self.row[r].1 &= !(1 << c);
        }
        self.column[c] = (0, 0);
        self.columns &= !(1 << c);
    }

    /// Merges column `a` into `b`. If each follows from the other, either may stand for both.
    fn merge_columns(&mut self, a: usize, b: usize, both_ways: bool) {
        let (pa, ua) = self.column[a];
        let (pb, ub) = self.column[b];
        if both_ways {
            let (a_never, b_never) = (self.never >> a & 1 == 1, self.never >> b & 1 == 1);
            let (wa, wb) = (self.weight[a], self.weight[b]);
            let take_a = match (a_never, b_never) {
                (false, false) | (true, true) => wa < wb,
                (false, true) => wa < wb,
                (true, false) => wa <= wb,
            };
            if take_a {
                self.weight[b] = wa;
                self.member[b] = self.member[a];
                self.never = self.never & !(1 << b) | u64::from(a_never) << b;
            }
        }
        self.remove_column(a);
        self.column[b] = (pa | pb, ua & !pb | ub & !pa);
        for r in ones(pa | pb) {
            self.row[r].0 |= 1 << b;
            self.row[r].1 = self.row[r].1 & !(1 << b) | (self.column[b].1 >> r & 1) << b;
        }
    }

    fn merge_rows(&mut self, a: usize, b: usize) {
        let (pa, ua) = self.row[a];
        let (pb, ub) = self.row[b];
        self.remove_row(a);
        self.row[b] = (pa | pb, ua & !pb | ub & !pa);
        for c in ones(pa | pb) {
            self.column[c].0 |= 1 << b;
            self.column[c].1 = self.column[c].1 & !(1 << b) | (self.row[b].1 >> c & 1) << b;
        }
    }

    /// A lower bound for the weight still to be spent; `None` if this node leads nowhere.
    fn least_cost_to_come(&self) -> Option<u64> {
        let may_tear = self.columns & !self.never;
        let lightest = ones(may_tear).map(|c| u64::from(self.weight[c])).min()?;
        let by_rows = ones(self.rows)
            .filter(|r| {
                let (present, usable) = self.row[*r];
                let never = present & self.never;
                never == 0 || never.count_ones() == 1 && usable & never != 0
            })
            .map(|r| u64::from(self.row[r].0.count_ones()) - 1)
            .min();
        // Without such a row nothing can ever be solved for, so all columns would have to be torn.
        let by_rows = match by_rows {
            Some(count) => count,
            None if self.columns & self.never == 0 => u64::from(self.columns.count_ones()),
            None => return None,
        };
        let columns = i64::from(self.columns.count_ones());
        let rows = i64::from(self.rows.count_ones());
        let shortest_column =
            ones(self.columns).map(|c| i64::from(self.column[c].0.count_ones())).min().unwrap_or(1);
        let by_columns = (shortest_column - 1 + columns - rows).max(0) as u64;
        Some(by_rows.max(by_columns) * lightest)
    }

    /// The column in most rows that may be torn.
    fn branch_column(&self) -> Option<usize> {
        ones(self.columns & !self.never)
            .max_by_key(|c| (self.column[*c].0.count_ones(), std::cmp::Reverse(*c)))
    }
}

fn mask(n: usize) -> u64 {
    if n >= 64 { u64::MAX } else { (1 << n) - 1 }
}

fn ones(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (bits != 0).then(|| {
            let lowest = bits.trailing_zeros() as usize;
            bits &= bits - 1;
            lowest
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::incidence::Incidence;
    use crate::solvability::SolvabilitySet;
    use crate::tearing::check::check;

    #[test]
    fn a_full_block_needs_all_but_one_and_the_lightest_ones() {
        let g = Incidence::from_rows(4, &vec![vec![0, 1, 2, 3]; 4]);
        let mut problem = TearingProblem::new(&g, SolvabilitySet::SAFE);
        problem.weight[Var(1)] = 2000;
        let tearing = minimum(&problem, 10_000).unwrap();
        assert_eq!(tearing.tearing_variables, [Var(0), Var(2), Var(3)]);
        assert_eq!(check(&problem, &tearing), Ok(()));
    }

    #[test]
    fn forbidding_every_variable_leaves_no_tearing() {
        let g = Incidence::from_rows(2, &[vec![0, 1], vec![0, 1]]);
        let mut problem = TearingProblem::new(&g, SolvabilitySet::SAFE);
        problem.weight[Var(0)] = FORBIDDEN;
        assert_eq!(minimum(&problem, 1000).unwrap().tearing_variables, [Var(1)]);
        problem.weight[Var(1)] = FORBIDDEN;
        assert_eq!(minimum(&problem, 1000), None);
    }

    #[test]
    fn set_bits_are_listed_in_order() {
        assert_eq!(ones(0b1001_0010).collect::<Vec<_>>(), [1, 4, 7]);
        assert_eq!((mask(3), mask(64)), (7, u64::MAX));
    }
}
