//! A static order for symmetric elimination: pivots on the diagonal, half the operations.
//!
//! Approximate minimum degree on the quotient graph (P. R. Amestoy, T. A. Davis and I. S. Duff, *An approximate minimum degree ordering
//! algorithm*, SIAM J. Matrix Anal. Appl. 17, 1996): an eliminated node becomes an *element*, the clique of its neighbours, kept as one list;
//! elements that a new one covers are absorbed. Memory stays linear in the pattern whatever the fill. Trees and chains are eliminated from
//! their leaves without fill.
//!
//! A node may stand for a block of several equations, and may be barred from being a pivot until a neighbour is eliminated (a constraint,
//! whose diagonal is zero at first) or for good.

use std::collections::BTreeSet;

use crate::elimination::Operations;
use crate::ids::{Eqn, Id, IdVec, Var};
use crate::incidence::Incidence;
use crate::levels::{End, levels};
use crate::work::tick;

/// When a node may be a pivot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum PivotRule {
    /// At any time.
    #[default]
    Always,
    /// Once a neighbour has been eliminated: its diagonal is zero before.
    AfterNeighbour,
    /// Never: it is left to the core.
    Never,
}

/// A structurally symmetric block: row `k` is paired with one column, and both are node `k`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymmetricProblem {
    /// The neighbours of each node, sorted, without the node itself.
    pub neighbours: Vec<Vec<u32>>,
    /// The number of equations each node stands for.
    pub size: Vec<u32>,
    /// When each node may be a pivot.
    pub rule: Vec<PivotRule>,
}

/// An order of symmetric elimination and its price.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymmetricElimination {
    /// The nodes in order.
    pub order: Vec<u32>,
    /// Nodes left for a solver, sorted.
    pub core: Vec<u32>,
    /// Entries below the diagonal that were not there in the beginning (those of the core are not counted).
    pub fill: u64,
    /// Operations of `L D Lᵀ`, right-hand side and back substitution, without those of solving the core.
    pub operations: Operations,
}

impl SymmetricProblem {
    /// The block in which equation `e` is paired with `pair[e]`, or `None` if the pairing is not one-to-one or the pattern is
    /// not symmetric under it. Diagonal entries need not be there: nodes without one may be pivots only after a neighbour.
    pub fn from_incidence(pattern: &Incidence, pair: &IdVec<Eqn, Var>) -> Option<SymmetricProblem> {
        if pattern.eqn_count() != pattern.var_count() || pair.len() != pattern.eqn_count() {
            return None;
        }
        let mut node_of: IdVec<Var, Option<u32>> = IdVec::filled(None, pattern.var_count());
        for (eqn, var) in pair.iter() {
            if var.index() >= pattern.var_count() || node_of[*var].replace(eqn.0).is_some() {
                return None;
            }
        }
        let mut neighbours = Vec::with_capacity(pattern.eqn_count());
        let mut rule = Vec::with_capacity(pattern.eqn_count());
        for eqn in pattern.eqn_ids() {
            let mut nodes = Vec::with_capacity(pattern.vars(eqn).len());
            let mut has_diagonal = false;
            for &var in pattern.vars(eqn) {
                let node = node_of[var]?;
                pattern.find(Eqn(node), pair[eqn])?;
                if node == eqn.0 {
                    has_diagonal = true;
                } else {
                    nodes.push(node);
                }
            }
            nodes.sort_unstable();
            neighbours.push(nodes);
            rule.push(if has_diagonal { PivotRule::Always } else { PivotRule::AfterNeighbour });
        }
        let size = vec![1; neighbours.len()];
        Some(SymmetricProblem { neighbours, size, rule })
    }
}

/// Chooses an order: the best of several, as [`elimination_order`](crate::elimination::elimination_order) does.
pub fn symmetric_order(problem: &SymmetricProblem) -> SymmetricElimination {
    const SMALL: usize = 20_000;
    let price = |result: &SymmetricElimination| {
        let core: u64 = result.core.iter().map(|node| u64::from(problem.size[*node as usize])).sum();
        (result.operations + Operations::dense_symmetric(core)).total()
    };
    let mut best = State::new(problem).run(None, u64::MAX);
    if best.fill == 0 {
        return best;
    }
    let entries: usize = problem.neighbours.iter().map(Vec::len).sum();
    let steps: &[u32] = if entries <= SMALL { &[1, 2, 3, 4, 6] } else { &[2] };
    for end in [End::Near, End::Far] {
        let levels =
            levels(problem.size.len(), end, |node, list| list.extend(&problem.neighbours[node as usize]));
        for &step in steps {
            let result = State::new(problem).run(Some((&levels, step)), price(&best));
            if price(&result) < price(&best) {
                best = result;
            }
        }
    }
    best
}

struct State<'p> {
    problem: &'p SymmetricProblem,
    alive: Vec<bool>,
    /// Neighbours that no element covers.
    nodes: Vec<Vec<u32>>,
    /// Elements a node belongs to.
    elements: Vec<Vec<u32>>,
    /// The nodes of an element; an element has the number of the node whose elimination made it.
    members: Vec<Vec<u32>>,
    weight: Vec<u64>,
    absorbed: Vec<bool>,
    degree: Vec<u64>,
    /// Whether its rule bars the node from being a pivot, yet or for good.
    barred: Vec<bool>,
    admitted: Vec<bool>,
    queue: BTreeSet<(u64, u32)>,
    stamp: Vec<u32>,
    outside: Vec<u64>,
    outside_stamp: Vec<u32>,
    clock: u32,
    remaining: u64,
    order: Vec<u32>,
    position: Vec<usize>,
    factor: u64,
    operations: Operations,
}

impl<'p> State<'p> {
    fn new(problem: &'p SymmetricProblem) -> Self {
        let n = problem.size.len();
        let size = |node: &u32| u64::from(problem.size[*node as usize]);
        let degree: Vec<u64> = problem.neighbours.iter().map(|list| list.iter().map(size).sum()).collect();
        let barred: Vec<bool> = problem.rule.iter().map(|rule| *rule != PivotRule::Always).collect();
        State {
            problem,
            alive: vec![true; n],
            nodes: problem.neighbours.clone(),
            elements: vec![Vec::new(); n],
            members: vec![Vec::new(); n],
            weight: vec![0; n],
            absorbed: vec![false; n],
            degree,
            barred,
            admitted: vec![false; n],
            queue: BTreeSet::new(),
            stamp: vec![0; n],
            outside: vec![0; n],
            outside_stamp: vec![0; n],
            clock: 0,
            remaining: problem.size.iter().map(|s| u64::from(*s)).sum(),
            order: Vec::with_capacity(n),
            position: vec![usize::MAX; n],
            factor: 0,
            operations: Operations::default(),
        }
    }

    /// Eliminates until nothing is left, no pivot is allowed, or more than `bound` operations are needed. With levels, pivots are
    /// sought in the highest levels first, and `step` more levels are admitted whenever none is left.
    fn run(mut self, levels: Option<(&[u32], u32)>, bound: u64) -> SymmetricElimination {
        let mut outside: Vec<u32> = (0..self.alive.len() as u32).collect();
        if let Some((level, _)) = levels {
            outside.sort_by_key(|node| (level[*node as usize], std::cmp::Reverse(*node)));
        }
        while let Some(&first) = outside.last() {
            let lowest = levels.map_or(0, |(level, step)| (level[first as usize] + 1).saturating_sub(step));
            while let Some(node) =
                outside.pop_if(|node| levels.is_none_or(|(level, _)| level[*node as usize] >= lowest))
            {
                self.admitted[node as usize] = true;
                self.enqueue(node);
            }
            while self.operations.total() < bound {
                let Some((_, node)) = self.queue.pop_first() else { break };
                self.eliminate(node);
            }
        }
        self.finish()
    }

    fn enqueue(&mut self, node: u32) {
        let n = node as usize;
        if self.alive[n] && self.admitted[n] && !self.barred[n] {
            self.queue.insert((self.degree[n], node));
        }
    }

    fn finish(self) -> SymmetricElimination {
        let size = |node: u32| u64::from(self.problem.size[node as usize]);
        let core: Vec<u32> = (0..self.alive.len() as u32).filter(|node| self.alive[*node as usize]).collect();
        let original = |node: u32| {
            let later = self.problem.neighbours[node as usize].iter();
            let later = later.filter(|n| self.position[**n as usize] > self.position[node as usize]);
            size(node) * later.map(|n| size(*n)).sum::<u64>() + size(node) * (size(node) - 1) / 2
        };
        let fill = self.factor - self.order.iter().map(|node| original(*node)).sum::<u64>();
        SymmetricElimination { order: self.order, core, fill, operations: self.operations }
    }

    fn eliminate(&mut self, pivot: u32) {
        let size = |node: u32| u64::from(self.problem.size[node as usize]);
        let p = pivot as usize;
        self.clock += 1;
        let clock = self.clock;
        self.alive[p] = false;
        self.stamp[p] = clock;
        self.position[p] = self.order.len();
        self.order.push(pivot);
        self.remaining -= size(pivot);

        // The clique of the pivot: its own neighbours and those of its elements, which it absorbs.
        let mut clique: Vec<u32> = std::mem::take(&mut self.nodes[p]);
        clique.retain(|n| {
            self.alive[*n as usize] && std::mem::replace(&mut self.stamp[*n as usize], clock) != clock
        });
        for element in std::mem::take(&mut self.elements[p]) {
            if std::mem::replace(&mut self.absorbed[element as usize], true) {
                continue;
            }
            for node in std::mem::take(&mut self.members[element as usize]) {
                tick(1);
                let n = node as usize;
                if self.alive[n] && std::mem::replace(&mut self.stamp[n], clock) != clock {
                    clique.push(node);
                }
            }
        }
        let weight: u64 = clique.iter().map(|n| size(*n)).sum();
        self.count(size(pivot), weight);

        // For each element that meets the clique: how much of it lies outside.
        for &node in &clique {
            let n = node as usize;
            let absorbed = &self.absorbed;
            self.elements[n].retain(|element| !absorbed[*element as usize]);
            tick(self.elements[n].len());
            for &element in &self.elements[n] {
                let e = element as usize;
                if std::mem::replace(&mut self.outside_stamp[e], clock) != clock {
                    self.outside[e] = self.weight[e];
                }
                self.outside[e] -= size(node);
            }
        }
        for &node in &clique {
            let n = node as usize;
            let mut degree = weight - size(node);
            let (absorbed, outside) = (&mut self.absorbed, &self.outside);
            self.elements[n].retain(|element| {
                let e = *element as usize;
                absorbed[e] |= outside[e] == 0;
                degree += outside[e];
                !absorbed[e]
            });
            let (alive, stamp) = (&self.alive, &self.stamp);
            tick(self.nodes[n].len());
            self.nodes[n].retain(|other| {
                let keep = alive[*other as usize] && stamp[*other as usize] != clock;
                degree += if keep { size(*other) } else { 0 };
                keep
            });
            self.elements[n].push(pivot);
            degree = degree.min(self.degree[n] + weight - size(node)).min(self.remaining - size(node));
            self.queue.remove(&(self.degree[n], node));
            self.degree[n] = degree;
            self.barred[n] &= self.problem.rule[n] == PivotRule::Never;
            self.enqueue(node);
        }
        self.weight[p] = weight;
        self.members[p] = clique;
    }

    fn count(&mut self, size: u64, weight: u64) {
        for k in 0..size {
            let below = weight + size - 1 - k;
            self.factor += below;
            self.operations.mul += below + below * (below + 1) / 2 + below + below + 1;
            self.operations.add += below * (below + 1) / 2 + below + below;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(edges: &[(u32, u32)], nodes: usize) -> SymmetricProblem {
        let mut neighbours = vec![Vec::new(); nodes];
        for &(a, b) in edges {
            neighbours[a as usize].push(b);
            neighbours[b as usize].push(a);
        }
        neighbours.iter_mut().for_each(|list| list.sort_unstable());
        SymmetricProblem { neighbours, size: vec![1; nodes], rule: vec![PivotRule::Always; nodes] }
    }

    #[test]
    fn a_tree_is_eliminated_without_fill() {
        let edges: Vec<(u32, u32)> = (1..63).map(|k| ((k - 1) / 2, k)).collect();
        let result = symmetric_order(&problem(&edges, 63));
        assert_eq!((result.fill, result.order.len(), result.core.len()), (0, 63, 0));
        // 62 nodes with one entry below the diagonal (1 + 1 + 2 + 1 mul, 1 + 2 add), and the root (1 mul).
        assert_eq!(result.operations, Operations { mul: 62 * 5 + 1, add: 62 * 3 });
    }

    #[test]
    fn a_full_matrix_costs_what_the_formula_says_also_in_blocks() {
        let edges: Vec<(u32, u32)> = (0..6).flat_map(|a| (0..a).map(move |b| (a, b))).collect();
        let scalar = symmetric_order(&problem(&edges, 6));
        assert_eq!((scalar.fill, scalar.operations), (0, Operations::dense_symmetric(6)));
        let mut blocks = problem(&[(0, 1), (1, 2), (0, 2)], 3);
        blocks.size = vec![2; 3];
        let blocks = symmetric_order(&blocks);
        assert_eq!((blocks.fill, blocks.operations), (0, Operations::dense_symmetric(6)));
    }

    #[test]
    fn a_ring_has_the_fill_it_must_have() {
        let edges: Vec<(u32, u32)> = (0..8).map(|k| (k, (k + 1) % 8)).collect();
        assert_eq!(symmetric_order(&problem(&edges, 8)).fill, 8 - 3);
    }

    #[test]
    fn constraints_wait_for_a_neighbour_and_barred_nodes_stay() {
        let mut star = problem(&[(0, 1), (0, 2), (0, 3)], 4);
        star.rule =
            vec![PivotRule::AfterNeighbour, PivotRule::Always, PivotRule::Never, PivotRule::AfterNeighbour];
        let result = symmetric_order(&star);
        assert_eq!((result.order, result.core), (vec![1, 0, 3], vec![2]));
    }

    #[test]
    fn a_pairing_is_checked_for_symmetry() {
        // Row 0 is paired with column 1 and row 1 with column 0; the entries (0,0) and (1,1) mirror each other.
        let g = Incidence::from_rows(2, &[vec![0, 1], vec![1]]);
        let swapped = IdVec::from_vec(vec![Var(1), Var(0)]);
        let found = SymmetricProblem::from_incidence(&g, &swapped).unwrap();
        assert_eq!(found.neighbours, [vec![1], vec![0]]);
        assert_eq!(found.rule, [PivotRule::Always, PivotRule::AfterNeighbour]);
        let straight = IdVec::from_vec(vec![Var(0), Var(1)]);
        assert_eq!(SymmetricProblem::from_incidence(&g, &straight), None);
        let twice = IdVec::from_vec(vec![Var(0), Var(0)]);
        assert_eq!(SymmetricProblem::from_incidence(&g, &twice), None);
    }
}
