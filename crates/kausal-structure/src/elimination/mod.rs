//! A static order for Gaussian elimination of a linear block, and what it costs.
//!
//! The straight-line alternative to a solver: pivots are chosen once, from structure alone, so that few operations and little
//! fill result (H. M. Markowitz, *The elimination form of the inverse and its application to linear programming*, 1957). This finds
//! without any hint the orders that relaxing ([`relaxing`](crate::relaxing)) declares by hand: chains and trees of coupled
//! equations are eliminated from the leaves, in a number of operations linear in their size.
//!
//! A pivot must be an entry whose solvability the caller allows. What is known about an entry changes as elimination goes on:
//! a new entry is a product of known factors and as safe as the worst of them; an entry to which something is added
//! may cancel, so nothing is known about it any more ([`Updated::Unproven`]) unless the caller knows better. An entry that is never
//! solved for ([`Solvability::Never`](crate::Solvability::Never)) stays so: the caller has seen it fail. If no allowed pivot is
//! left, the rest is the *core*: a smaller dense system for a solver with pivoting. Elimination with safe pivots only is thus tearing
//! of a linear block, seen from the other side.
//!
//! Operations are counted as the papers do: every `*` and `/` is one multiplication, every `+` and `-` one addition; a factor ±1
//! and a unary minus cost nothing. Counted are elimination, the right-hand side and back substitution.

mod engine;
pub mod recursive;

use std::ops::{Add, AddAssign};

use crate::elimination::engine::{Metric, State};
use crate::ids::{Edge, Eqn, Id, IdVec, Var};
use crate::incidence::{Incidence, Occurrence};
use crate::levels::{End, levels};
use crate::solvability::SolvabilitySet;
use crate::tearing::Assignment;

/// Numbers of operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Operations {
    /// `*` and `/`.
    pub mul: u64,
    /// `+` and `-`.
    pub add: u64,
}

impl Operations {
    /// What solving a full system of `n` equations costs: factorisation, right-hand side and back substitution.
    pub fn dense(n: u64) -> Operations {
        let mut total = Operations::default();
        for rest in 0..n {
            total.mul += rest + rest * rest + rest + rest + 1;
            total.add += rest * rest + rest + rest;
        }
        total
    }

    /// The same for a full symmetric system, without pivoting.
    pub fn dense_symmetric(n: u64) -> Operations {
        let mut total = Operations::default();
        for rest in 0..n {
            total.mul += rest + rest * (rest + 1) / 2 + rest + rest + 1;
            total.add += rest * (rest + 1) / 2 + rest + rest;
        }
        total
    }

    /// All of them.
    pub fn total(self) -> u64 {
        self.mul + self.add
    }
}

impl Add for Operations {
    type Output = Operations;
    fn add(self, other: Operations) -> Operations {
        Operations { mul: self.mul + other.mul, add: self.add + other.add }
    }
}

impl AddAssign for Operations {
    fn add_assign(&mut self, other: Operations) {
        *self = *self + other;
    }
}

/// What is known about an entry after something was added to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Updated {
    /// It may have become zero.
    Unproven,
    /// It keeps its solvability; true for instance of the diagonal of a definite matrix.
    Trusted,
}

/// A linear block to be eliminated.
#[derive(Clone, Debug)]
pub struct EliminationProblem<'a> {
    /// The nonzero pattern. All rows and columns take part.
    pub pattern: &'a Incidence,
    /// An entry may be a pivot if its solvability is in here.
    pub pivots: SolvabilitySet,
    /// Entries that are +1 or -1.
    pub unit: IdVec<Edge, bool>,
    /// If rows and columns stand for blocks: the number of equations of each. A pivot must be square.
    pub eqn_size: Option<IdVec<Eqn, u32>>,
    /// The number of variables of each column.
    pub var_size: Option<IdVec<Var, u32>>,
    /// What is known about updated entries.
    pub updated: Updated,
    /// Elimination stops when the cheapest pivot would update more entries than this; the rest is left as the core.
    pub update_limit: u64,
    /// Updates a pivot that is not [`SolvabilitySet::SAFE`] must save before it is preferred to a safe one.
    pub unsafe_penalty: u64,
    /// The values of the entries at a few points, for scalar entries: with them an updated entry may be a pivot only if it has
    /// one sign at all points and has not cancelled, whatever [`updated`](Self::updated) says.
    pub values: Option<IdVec<Edge, [f64; POINTS]>>,
    mirror: Option<Mirror>,
}

/// The number of points at which entries are sampled.
pub const POINTS: usize = 5;

/// The pairing under which a pattern is symmetric.
#[derive(Clone, Debug)]
struct Mirror {
    column_of: IdVec<Eqn, Var>,
    row_of: IdVec<Var, Eqn>,
}

impl Mirror {
    fn of(&self, row: u32, column: u32) -> (u32, u32) {
        (self.row_of[Var(column)].0, self.column_of[Eqn(row)].0)
    }
}

impl<'a> EliminationProblem<'a> {
    /// The problem of scalar entries, none of them ±1, that are unproven once updated.
    pub fn new(pattern: &'a Incidence, pivots: SolvabilitySet) -> Self {
        Self {
            pattern,
            pivots,
            unit: IdVec::filled(false, pattern.edge_count()),
            eqn_size: None,
            var_size: None,
            updated: Updated::Unproven,
            update_limit: u64::MAX,
            unsafe_penalty: 4,
            values: None,
            mirror: None,
        }
    }

    /// The same for a matrix that is symmetric when equation `e` is paired with variable `pair[e]`; `None` if the pattern is not
    /// symmetric under the pairing. Values, and ±1 and solvability of mirrored entries, must be the same: that is the caller's promise.
    ///
    /// Symmetry is kept: a pivot beside the diagonal is followed by its mirror image (a pivot of two by two), and is taken only if one of
    /// the two diagonal entries is zero, so that the pair is as safe as the entry itself. Then only half of the updates are carried out
    /// and counted. (Inside a pivot that is itself a block of several equations symmetry is not counted.)
    pub fn symmetric(pattern: &'a Incidence, pivots: SolvabilitySet, pair: &IdVec<Eqn, Var>) -> Option<Self> {
        if pattern.eqn_count() != pattern.var_count() || pair.len() != pattern.eqn_count() {
            return None;
        }
        let mut row_of: IdVec<Var, Option<Eqn>> = IdVec::filled(None, pattern.var_count());
        for (eqn, var) in pair.iter() {
            if var.index() >= pattern.var_count() || row_of[*var].replace(eqn).is_some() {
                return None;
            }
        }
        let row_of: IdVec<Var, Eqn> =
            row_of.into_vec().into_iter().collect::<Option<Vec<_>>>().map(IdVec::from_vec)?;
        let is_mirrored = |o: Occurrence| pattern.find(row_of[o.var], pair[o.eqn]).is_some();
        if !pattern.occurrences().all(is_mirrored) {
            return None;
        }
        Some(Self { mirror: Some(Mirror { column_of: pair.clone(), row_of }), ..Self::new(pattern, pivots) })
    }
}

/// An order of elimination and its price.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elimination {
    /// The pivots in order.
    pub pivots: Vec<Assignment>,
    /// Equations left for a solver, sorted.
    pub core_eqns: Vec<Eqn>,
    /// Variables left for a solver, sorted.
    pub core_vars: Vec<Var>,
    /// Scalar equations of the core.
    pub core_size: u64,
    /// Entries of the core.
    pub core_entries: u64,
    /// Entries that were not there in the beginning.
    pub fill: u64,
    /// Operations of elimination, right-hand side and back substitution, without those of solving the core.
    pub operations: Operations,
    /// With a given order: the first pivot that is structurally zero at its turn, where elimination stopped.
    pub zero_pivot: Option<Assignment>,
}

impl Elimination {
    /// Operations when the core is solved as a full system.
    pub fn operations_with_dense_core(&self) -> Operations {
        self.operations + Operations::dense(self.core_size)
    }
}

/// Chooses an order: the best of several.
///
/// Pivots are taken where they cost least, by updates alone or by updates and fill, either anywhere or working through the block from one
/// end to the other, a few levels at a time, which is better for what is long and thin. More is tried on small blocks than on large ones.
pub fn elimination_order(problem: &EliminationProblem) -> Elimination {
    bounded_elimination_order(problem, u64::MAX)
}

/// The same, given up where more than `bound` operations are needed: what is left then is in the core.
pub fn bounded_elimination_order(problem: &EliminationProblem, bound: u64) -> Elimination {
    const SMALL: usize = 5_000;
    const MEDIUM: usize = 50_000;
    let edges = problem.pattern.edge_count();
    let price = |result: &Elimination| result.operations_with_dense_core().total();
    let mut best = State::new(problem, Metric::Updates).run(None, bound);
    if best.fill == 0 {
        return best;
    }
    let mut keep_better = |metric: Metric, levels: Option<(&[u32], u32)>| {
        let result = State::new(problem, metric).run(levels, price(&best).min(bound));
        if price(&result) < price(&best) {
            best = result;
        }
    };
    if edges <= MEDIUM {
        keep_better(Metric::UpdatesAndFill, None);
    }
    for end in [End::Near, End::Far] {
        let levels = line_levels(problem.pattern, end);
        keep_better(Metric::UpdatesAndFill, Some((&levels, 2)));
        if edges <= MEDIUM {
            keep_better(Metric::Updates, Some((&levels, 4)));
        }
        if edges <= SMALL {
            keep_better(Metric::Updates, Some((&levels, 2)));
            keep_better(Metric::UpdatesAndFill, Some((&levels, 4)));
            keep_better(Metric::UpdatesAndFill, Some((&levels, 8)));
        }
    }
    best
}

/// The levels of all rows and, after them, all columns.
fn line_levels(pattern: &Incidence, end: End) -> Vec<u32> {
    let rows = pattern.eqn_count() as u32;
    levels(pattern.eqn_count() + pattern.var_count(), end, |node, list| {
        if node < rows {
            list.extend(pattern.vars(Eqn(node)).iter().map(|var| rows + var.0));
        } else {
            list.extend(pattern.eqns(Var(node - rows)).iter().map(|eqn| eqn.0));
        }
    })
}

/// Counts what a given order costs; whether its pivots are allowed is not asked. For a symmetric problem each pivot beside the diagonal
/// must be followed by its mirror image, else the count is that of no particular elimination.
pub fn count_in_order(problem: &EliminationProblem, pivots: &[Assignment]) -> Elimination {
    State::new(problem, Metric::Updates).run_in_order(pivots, u64::MAX)
}

/// The same, given up where more than `bound` operations are needed: what is left then is in the core.
pub fn bounded_count_in_order(
    problem: &EliminationProblem,
    pivots: &[Assignment],
    bound: u64,
) -> Elimination {
    State::new(problem, Metric::Updates).run_in_order(pivots, bound)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(rows: &[Vec<u32>]) -> Elimination {
        let g = Incidence::from_rows(rows.len(), rows);
        let mut problem = EliminationProblem::new(&g, SolvabilitySet::LINEAR);
        problem.updated = Updated::Trusted;
        elimination_order(&problem)
    }

    #[test]
    fn a_full_system_costs_what_the_formula_says() {
        let result = order(&vec![vec![0, 1, 2, 3]; 4]);
        assert_eq!(result.operations, Operations::dense(4));
        assert_eq!((result.fill, result.pivots.len(), result.core_vars.len()), (0, 4, 0));
    }

    #[test]
    fn an_arrow_is_eliminated_from_its_tips_without_fill() {
        let mut rows: Vec<Vec<u32>> = (0..9u32).map(|k| vec![k, 9]).collect();
        rows.push((0..10).collect());
        let result = order(&rows);
        assert_eq!(result.fill, 0);
        // Each tip: one division, one update (mul, add), right-hand side (mul, add), back substitution (mul, add), pivot (div).
        assert_eq!(result.operations, Operations { mul: 9 * 5 + 1, add: 9 * 3 });
    }

    #[test]
    fn factors_of_one_cost_nothing() {
        // x + y = a, x - y = b: one elimination and one division are left.
        let g = Incidence::from_rows(2, &[vec![0, 1], vec![0, 1]]);
        let mut problem = EliminationProblem::new(&g, SolvabilitySet::LINEAR);
        problem.unit = IdVec::filled(true, 4);
        let result = elimination_order(&problem);
        assert_eq!(result.operations, Operations { mul: 1, add: 3 });
    }

    #[test]
    fn an_updated_entry_is_no_safe_pivot_but_a_new_one_may_be() {
        let full = Incidence::from_rows(2, &[vec![0, 1], vec![0, 1]]);
        let result = elimination_order(&EliminationProblem::new(&full, SolvabilitySet::SAFE));
        assert_eq!((result.pivots.len(), result.core_eqns.len(), result.core_entries), (1, 1, 1));
        // e0: x0 + x1, e1: x0 + x2, e2: x1 + x2 loses x0 to a new entry x1 in e1; then one entry is updated at last.
        let ring = Incidence::from_rows(3, &[vec![0, 1], vec![0, 2], vec![1, 2]]);
        let result = elimination_order(&EliminationProblem::new(&ring, SolvabilitySet::SAFE));
        assert_eq!((result.pivots.len(), result.core_eqns.len(), result.fill), (2, 1, 1));
        assert_eq!(result.operations_with_dense_core().mul, result.operations.mul + 1);
    }

    #[test]
    fn a_given_order_stops_at_a_structural_zero() {
        let g = Incidence::from_rows(2, &[vec![0, 1], vec![0]]);
        let pivot = |e: u32, v: u32| Assignment { eqn: Eqn(e), var: Var(v) };
        let problem = EliminationProblem::new(&g, SolvabilitySet::LINEAR);
        let good = count_in_order(&problem, &[pivot(0, 1), pivot(1, 0)]);
        assert_eq!((good.zero_pivot, good.operations), (None, Operations { mul: 3, add: 1 }));
        let bad = count_in_order(&problem, &[pivot(1, 1), pivot(0, 0)]);
        assert_eq!((bad.zero_pivot, bad.core_vars.len()), (Some(pivot(1, 1)), 2));
    }

    #[test]
    fn blocks_cost_as_much_as_their_scalars() {
        // A chain of three full 2x2 blocks against the same pattern spelled out.
        let blocks = Incidence::from_rows(3, &[vec![0, 1], vec![0, 1, 2], vec![1, 2]]);
        let mut problem = EliminationProblem::new(&blocks, SolvabilitySet::LINEAR);
        problem.updated = Updated::Trusted;
        problem.eqn_size = Some(IdVec::filled(2, 3));
        problem.var_size = Some(IdVec::filled(2, 3));
        let by_block = elimination_order(&problem);
        let scalar_rows: Vec<Vec<u32>> = (0..6u32)
            .map(|k| blocks.vars(Eqn(k / 2)).iter().flat_map(|v| [2 * v.0, 2 * v.0 + 1]).collect())
            .collect();
        let scalars = Incidence::from_rows(6, &scalar_rows);
        let pivots: Vec<Assignment> = by_block
            .pivots
            .iter()
            .flat_map(|p| (0..2).map(|k| Assignment { eqn: Eqn(2 * p.eqn.0 + k), var: Var(2 * p.var.0 + k) }))
            .collect();
        let by_scalar = count_in_order(&EliminationProblem::new(&scalars, SolvabilitySet::LINEAR), &pivots);
        assert_eq!((by_block.operations, by_block.fill), (by_scalar.operations, by_scalar.fill));
    }

    #[test]
    fn symmetry_saves_half_and_is_checked() {
        let full = Incidence::from_rows(4, &vec![vec![0, 1, 2, 3]; 4]);
        let straight: IdVec<Eqn, Var> = (0..4).map(Var).collect();
        let mut problem = EliminationProblem::symmetric(&full, SolvabilitySet::LINEAR, &straight).unwrap();
        problem.updated = Updated::Trusted;
        let result = elimination_order(&problem);
        assert_eq!(result.operations, Operations::dense_symmetric(4));
        assert!(result.pivots.iter().all(|pivot| pivot.eqn.0 == pivot.var.0));
        let lopsided = full.filtered(|o| (o.eqn, o.var) != (Eqn(1), Var(2)));
        assert!(EliminationProblem::symmetric(&lopsided, SolvabilitySet::LINEAR, &straight).is_none());
        let twice = IdVec::filled(Var(0), 4);
        assert!(EliminationProblem::symmetric(&full, SolvabilitySet::LINEAR, &twice).is_none());
    }

    #[test]
    fn a_zero_on_the_diagonal_makes_a_pivot_of_two_by_two() {
        // m a + c l = f, c a = b: the constraint has no diagonal entry; both pivots lie beside the diagonal.
        let g = Incidence::from_rows(2, &[vec![0, 1], vec![0]]);
        let straight: IdVec<Eqn, Var> = (0..2).map(Var).collect();
        let mut problem = EliminationProblem::symmetric(&g, SolvabilitySet::SAFE, &straight).unwrap();
        problem.unit[Edge(0)] = false;
        let result = elimination_order(&problem);
        let pivot = |e: u32, v: u32| Assignment { eqn: Eqn(e), var: Var(v) };
        assert_eq!(result.pivots, [pivot(0, 1), pivot(1, 0)]);
        assert_eq!((result.core_eqns.len(), result.fill), (0, 0));
        assert_eq!(count_in_order(&problem, &result.pivots), result);
    }

    #[test]
    fn a_limit_leaves_the_dense_rest_as_the_core() {
        let g = Incidence::from_rows(
            5,
            &[vec![0, 4], vec![0, 1, 2, 3], vec![1, 2, 3], vec![1, 2, 3], vec![1, 4, 2]],
        );
        let mut problem = EliminationProblem::new(&g, SolvabilitySet::LINEAR);
        problem.update_limit = 1;
        let result = elimination_order(&problem);
        assert_eq!(result.core_eqns.len(), result.core_vars.len());
        assert!(result.core_eqns.len() >= 2 && result.pivots.len() + result.core_eqns.len() == 5);
    }
}
