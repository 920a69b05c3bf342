//! Which equations have to be differentiated, and how often, until the highest derivatives can be solved for.
//!
//! The algorithm of C. C. Pantelides (*The consistent initialization of differential-algebraic systems*, SIAM J. Sci. Stat.
//! Comput. 9, 1988), carried out on offsets instead of a growing graph: a variable with its derivatives is one *chain*,
//! `order(e, j)` is the highest derivative of chain `j` in equation `e`, `c(e)` counts the differentiations so far and `d(j)` is
//! the highest derivative that occurs. Equation `e` may then be matched with chain `j` where `order(e, j) + c(e) = d(j)`.
//!
//! Each round augments the matching from all unmatched equations at once. If some stay unmatched, everything they reach
//! along alternating paths must be differentiated (it is singular in the highest derivatives whatever the rest does),
//! and `c` grows by one for exactly these. So the search cost of a failing round is paid by the differentiations
//! it finds, and the counts are the smallest possible ones; they equal the canonical offsets of Pryce's method
//! ([`signature`](crate::signature)), which the tests use as the oracle.
//!
//! Before the first round a matching of equations and chains is sought regardless of order. If there is none the rounds would
//! never end: the system is structurally singular, and the error names the equations.

use std::fmt;

use crate::dulmage_mendelsohn::{Piece, dulmage_mendelsohn, minimal_singular_subset};
use crate::ids::{Edge, Eqn, Id, IdVec, Var};
use crate::incidence::{Incidence, IncidenceBuilder};
use crate::matching::{Augmenter, Matching, maximum_matching};
use crate::work::tick;

/// Variables linked to their derivatives: chain `j` is a variable, its derivative, the derivative of that, and so on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chains {
    start: Vec<u32>,
    members: Vec<Var>,
    place: IdVec<Var, (u32, u32)>,
}

impl Chains {
    /// Links variables by `derivative[v]`, the derivative of `v` where there is one.
    pub fn new(derivative: &IdVec<Var, Option<Var>>) -> Result<Chains, PantelidesError> {
        let mut integral: IdVec<Var, Option<Var>> = IdVec::filled(None, derivative.len());
        for (var, der) in derivative.iter() {
            if let Some(der) = der {
                if der.index() >= derivative.len() || integral[*der].is_some() {
                    return Err(PantelidesError::NotAChain { var });
                }
                integral[*der] = Some(var);
            }
        }
        let mut chains =
            Chains { start: vec![0], members: Vec::new(), place: IdVec::filled((0, 0), derivative.len()) };
        for base in derivative.ids().filter(|var| integral[*var].is_none()) {
            let chain = chains.len() as u32;
            let mut order = 0;
            let mut next = Some(base);
            while let Some(var) = next {
                chains.place[var] = (chain, order);
                chains.members.push(var);
                order += 1;
                next = derivative[var];
            }
            chains.start.push(chains.members.len() as u32);
        }
        if chains.members.len() < derivative.len() {
            let on_chain: std::collections::BTreeSet<Var> = chains.members.iter().copied().collect();
            let var = derivative.ids().find(|var| !on_chain.contains(var)).unwrap_or(Var(0));
            return Err(PantelidesError::NotAChain { var });
        }
        Ok(chains)
    }

    /// The number of chains.
    pub fn len(&self) -> usize {
        self.start.len() - 1
    }

    /// Whether there is no chain.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The variables of a chain, the undifferentiated one first.
    pub fn members(&self, chain: usize) -> &[Var] {
        &self.members[self.start[chain] as usize..self.start[chain + 1] as usize]
    }

    /// The chain of a variable and the order of derivative it is.
    pub fn place(&self, var: Var) -> (usize, u32) {
        let (chain, order) = self.place[var];
        (chain as usize, order)
    }
}

/// Why Pantelides' algorithm has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PantelidesError {
    /// The variable's derivatives form a cycle, or its derivative is also the derivative of another variable.
    NotAChain {
        /// A variable at fault.
        var: Var,
    },
    /// Some equations cannot be matched even when all orders of derivative are allowed. Each piece is a minimal set of such
    /// equations, with the (undifferentiated) variables that occur in them: one less than there are equations.
    Singular {
        /// One minimal set for each connected overdetermined piece.
        subsets: Vec<Piece>,
    },
}

impl fmt::Display for PantelidesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PantelidesError::NotAChain { var } => {
                write!(f, "the derivatives of variable {} do not form a chain", var.0)
            }
            PantelidesError::Singular { subsets } => {
                write!(f, "structurally singular:")?;
                for piece in subsets {
                    write!(f, " {} equations for {} variables;", piece.eqns.len(), piece.vars.len())?;
                }
                Ok(())
            }
        }
    }
}

impl std::error::Error for PantelidesError {}

/// The result: offsets, and the numbering of the derivatives that have to be added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexReduction {
    /// How often each equation is differentiated.
    pub differentiations: IdVec<Eqn, u32>,
    /// The chains of the original variables.
    pub chains: Chains,
    /// The highest derivative of each chain that occurs after differentiation.
    pub highest: Vec<u32>,
    /// The new variable `Var(n + k)`, where `n` is the original number of variables, is the derivative of `new_vars[k]`
    /// (which may be new itself).
    pub new_vars: Vec<Var>,
    /// The new equation `Eqn(m + k)`, where `m` is the original number of equations, is the derivative of `new_eqns[k]`
    /// (which may be new itself).
    pub new_eqns: Vec<Eqn>,
    /// The equations, each differentiated as often as needed, against the chains, each by its highest derivative: row
    /// `e` stands for the last derivative of equation `e`, column `j` for the highest derivative of chain `j`. Solvability is that of
    /// the differentiated equation.
    pub highest_incidence: Incidence,
    /// A matching in [`highest_incidence`](Self::highest_incidence) that covers every equation.
    pub matching: Matching,
    first_new_var: Vec<u32>,
    first_new_eqn: IdVec<Eqn, u32>,
}

impl IndexReduction {
    /// The variable that is the derivative of the given order of a chain; new ones are numbered after the original ones.
    /// `None` for an order that does not occur.
    pub fn var_at(&self, chain: usize, order: u32) -> Option<Var> {
        let members = self.chains.members(chain);
        match members.get(order as usize) {
            Some(var) => Some(*var),
            None if order <= self.highest[chain] => {
                Some(Var(self.first_new_var[chain] + order - members.len() as u32))
            }
            None => None,
        }
    }

    /// The equation that is the given derivative of an original one; `None` if it is not differentiated as often.
    pub fn eqn_at(&self, eqn: Eqn, order: u32) -> Option<Eqn> {
        match order {
            0 => Some(eqn),
            _ if order <= self.differentiations[eqn] => Some(Eqn(self.first_new_eqn[eqn] + order - 1)),
            _ => None,
        }
    }

    /// The highest derivative, as a variable, of a chain.
    pub fn highest_var(&self, chain: usize) -> Var {
        self.var_at(chain, self.highest[chain]).unwrap_or(self.chains.members(chain)[0])
    }

    /// The number of variables, new ones included.
    pub fn var_count(&self) -> usize {
        self.chains.members.len() + self.new_vars.len()
    }

    /// Degrees of freedom: the number of initial values the system needs. Equations must be as many as chains.
    pub fn degrees_of_freedom(&self) -> i64 {
        let orders: u64 = self.highest.iter().map(|d| u64::from(*d)).sum();
        let differentiations: u64 = self.differentiations.as_slice().iter().map(|c| u64::from(*c)).sum();
        orders as i64 - differentiations as i64
    }

    /// The structural index: 0 for an implicit ODE, 1 when algebraic variables appear and nothing is differentiated.
    pub fn structural_index(&self) -> u32 {
        let most = self.differentiations.as_slice().iter().max().copied().unwrap_or(0);
        most + u32::from(self.highest.contains(&0))
    }
}

/// Finds the smallest numbers of differentiations. `derivative[v]` is the variable that is the time derivative of `v`.
///
/// There may be more chains than equations (the matching then leaves some out), but not fewer.
pub fn pantelides(
    incidence: &Incidence,
    derivative: &IdVec<Var, Option<Var>>,
) -> Result<IndexReduction, PantelidesError> {
    let chains = Chains::new(derivative)?;
    let graph = ChainGraph::new(incidence, &chains);
    check_regular(&graph, &chains)?;

    let by_chain = &graph.incidence;
    let mut count: IdVec<Eqn, u32> = IdVec::filled(0, incidence.eqn_count());
    let mut highest: IdVec<Var, u32> = IdVec::filled(0, chains.len());
    for o in by_chain.occurrences() {
        highest[o.var] = highest[o.var].max(graph.order[o.edge]);
    }
    // The bulk of a model needs no differentiation: match it with all the machinery for large graphs first.
    let top = by_chain.filtered(|o| graph.order[o.edge] == highest[o.var]);
    let mut matching = maximum_matching(&top);

    let mut augmenter = Augmenter::new(by_chain);
    let mut free: Vec<Eqn> = matching.unmatched_eqns().collect();
    loop {
        augmenter.augment(by_chain, &mut matching, &mut free, |eqn, chain, edge| {
            graph.order[edge] + count[eqn] == highest[chain]
        });
        if free.is_empty() {
            break;
        }
        for &eqn in augmenter.reached() {
            count[eqn] += 1;
            tick(by_chain.vars(eqn).len());
            for o in by_chain.row(eqn) {
                highest[o.var] = highest[o.var].max(graph.order[o.edge] + count[eqn]);
            }
        }
    }
    Ok(number_derivatives(incidence, chains, &graph, count, highest, matching))
}

/// Equations against chains, with the highest order of derivative of each occurrence.
struct ChainGraph {
    incidence: Incidence,
    order: IdVec<Edge, u32>,
}

impl ChainGraph {
    fn new(incidence: &Incidence, chains: &Chains) -> ChainGraph {
        let mut builder = IncidenceBuilder::new(incidence.eqn_count(), chains.len());
        let mut order = Vec::with_capacity(incidence.edge_count());
        let mut row = Vec::new();
        for eqn in incidence.eqn_ids() {
            row.clear();
            row.extend(incidence.row(eqn).map(|o| {
                let (chain, order) = chains.place(o.var);
                (chain, std::cmp::Reverse(order), o.solvability)
            }));
            // Sorted by chain, highest order first: only that one counts.
            row.sort_unstable();
            row.dedup_by_key(|entry| entry.0);
            for &(chain, std::cmp::Reverse(highest), solvability) in &row {
                builder.add(eqn, Var::from_index(chain), solvability);
                order.push(highest);
            }
        }
        ChainGraph { incidence: builder.build(), order: IdVec::from_vec(order) }
    }
}

fn check_regular(graph: &ChainGraph, chains: &Chains) -> Result<(), PantelidesError> {
    let matching = maximum_matching(&graph.incidence);
    if matching.size() == graph.incidence.eqn_count() {
        return Ok(());
    }
    let parts = dulmage_mendelsohn(&graph.incidence, &matching);
    let subsets = parts
        .over
        .pieces
        .iter()
        .filter_map(|piece| piece.eqns.iter().find(|eqn| matching.var_of(**eqn).is_none()))
        .map(|unmatched| {
            let mut piece = minimal_singular_subset(&graph.incidence, &matching, *unmatched);
            for var in &mut piece.vars {
                *var = chains.members(var.index())[0];
            }
            piece
        })
        .collect();
    Err(PantelidesError::Singular { subsets })
}

fn number_derivatives(
    incidence: &Incidence,
    chains: Chains,
    graph: &ChainGraph,
    count: IdVec<Eqn, u32>,
    highest: IdVec<Var, u32>,
    matching: Matching,
) -> IndexReduction {
    let mut new_vars = Vec::new();
    let mut first_new_var = Vec::with_capacity(chains.len());
    for chain in 0..chains.len() {
        let members = chains.members(chain);
        first_new_var.push((incidence.var_count() + new_vars.len()) as u32);
        let mut last = members[members.len() - 1];
        for _ in members.len() as u32..=highest[Var::from_index(chain)] {
            let new = Var::from_index(incidence.var_count() + new_vars.len());
            new_vars.push(last);
            last = new;
        }
    }
    let mut new_eqns = Vec::new();
    let mut first_new_eqn: IdVec<Eqn, u32> = IdVec::new();
    for (eqn, &count) in count.iter() {
        first_new_eqn.push((incidence.eqn_count() + new_eqns.len()) as u32);
        let mut last = eqn;
        for _ in 0..count {
            let new = Eqn::from_index(incidence.eqn_count() + new_eqns.len());
            new_eqns.push(last);
            last = new;
        }
    }
    let highest_incidence = graph
        .incidence
        .with_solvability(|o| if count[o.eqn] > 0 { o.solvability.differentiated() } else { o.solvability })
        .filtered(|o| graph.order[o.edge] + count[o.eqn] == highest[o.var]);
    IndexReduction {
        differentiations: count,
        chains,
        highest: highest.into_vec(),
        new_vars,
        new_eqns,
        highest_incidence,
        matching,
        first_new_var,
        first_new_eqn,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// The planar pendulum as a second order system: x'' = -λx, y'' = -λy - g, x² + y² = L².
    /// Variables: 0 x, 1 x', 2 x'', 3 y, 4 y', 5 y'', 6 λ.
    pub(crate) fn pendulum() -> (Incidence, IdVec<Var, Option<Var>>) {
        let g = Incidence::from_rows(7, &[vec![2, 6, 0], vec![5, 6, 3], vec![0, 3]]);
        let derivative =
            IdVec::from_vec(vec![Some(Var(1)), Some(Var(2)), None, Some(Var(4)), Some(Var(5)), None, None]);
        (g, derivative)
    }

    #[test]
    fn the_pendulum_has_index_three_and_its_constraint_is_differentiated_twice() {
        let (g, derivative) = pendulum();
        let r = pantelides(&g, &derivative).unwrap();
        assert_eq!(r.differentiations.as_slice(), [0, 0, 2]);
        assert_eq!(r.highest, [2, 2, 0]);
        assert_eq!((r.structural_index(), r.degrees_of_freedom()), (3, 2));
        assert!(r.new_vars.is_empty());
        assert_eq!(r.new_eqns, [Eqn(2), Eqn(3)]);
        assert_eq!(r.eqn_at(Eqn(2), 2), Some(Eqn(4)));
        assert_eq!(r.eqn_at(Eqn(2), 3), None);
        assert!(r.matching.is_perfect());
    }

    #[test]
    fn missing_derivatives_are_numbered_after_the_original_variables() {
        // x' = u, x = f(t): the second equation is differentiated once, and x' exists already.
        let g = Incidence::from_rows(3, &[vec![1, 2], vec![0]]);
        let derivative = IdVec::from_vec(vec![Some(Var(1)), None, None]);
        let r = pantelides(&g, &derivative).unwrap();
        assert_eq!(r.differentiations.as_slice(), [0, 1]);
        assert_eq!(r.degrees_of_freedom(), 0);

        // x' = y, y' = u, x = f(t) with no second derivative of x given: x'' is new.
        let g = Incidence::from_rows(5, &[vec![1, 2], vec![3, 4], vec![0]]);
        let derivative = IdVec::from_vec(vec![Some(Var(1)), None, Some(Var(3)), None, None]);
        let r = pantelides(&g, &derivative).unwrap();
        assert_eq!(r.differentiations.as_slice(), [1, 0, 2]);
        assert_eq!(r.new_vars, [Var(1)]);
        assert_eq!(r.var_at(0, 2), Some(Var(5)));
        assert_eq!(r.new_eqns, [Eqn(0), Eqn(2), Eqn(4)]);
        assert_eq!(r.eqn_at(Eqn(2), 2), Some(Eqn(5)));
        assert_eq!(r.var_count(), 6);
    }

    #[test]
    fn a_singular_system_names_its_equations() {
        // Two equations for x and x' alone; y and z are fine.
        let g = Incidence::from_rows(4, &[vec![2, 3], vec![0], vec![1, 0], vec![2]]);
        let derivative = IdVec::from_vec(vec![Some(Var(1)), None, None, None]);
        let error = pantelides(&g, &derivative).unwrap_err();
        let expected = Piece { eqns: vec![Eqn(1), Eqn(2)], vars: vec![Var(0)] };
        assert_eq!(error, PantelidesError::Singular { subsets: vec![expected] });
        assert_eq!(error.to_string(), "structurally singular: 2 equations for 1 variables;");
    }

    #[test]
    fn derivatives_that_are_no_chain_are_refused() {
        let g = Incidence::from_rows(2, &[vec![0], vec![1]]);
        let cycle = IdVec::from_vec(vec![Some(Var(1)), Some(Var(0))]);
        assert!(matches!(pantelides(&g, &cycle), Err(PantelidesError::NotAChain { .. })));
        let shared = IdVec::from_vec(vec![Some(Var(1)), Some(Var(1))]);
        assert!(matches!(pantelides(&g, &shared), Err(PantelidesError::NotAChain { .. })));
    }
}
