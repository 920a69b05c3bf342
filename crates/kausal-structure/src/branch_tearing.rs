//! Branch tearing: loops solved by successive substitution instead of Newton's method.
//!
//! Elmqvist and Otter, *Methods for tearing systems of equations in object-oriented modeling*, section "Branch tearing in bipartite
//! graphs". Each equation is given the variable it is solved for (a matching along edges that may be solved); then branches
//! between an equation `f` and a variable `x` are torn until no loop is left:
//!
//! - *first kind*: `x` is known from the last sweep, `f` gives its new value; like Jacobi's iteration, all equations of a sweep see
//!   the old value;
//! - *second kind*: `f` uses the value of `x` from the last sweep, and `x` is computed later in this sweep; like Gauss and Seidel's
//!   iteration, equations after that see the new value.
//!
//! Both tear at the same small set of variables that meets every loop of the directed graph; only these have to be stored
//! between sweeps and tested for convergence.

use std::collections::BinaryHeap;

use crate::digraph::Digraph;
use crate::feedback::feedback_vertex_set;
use crate::ids::{Eqn, Id, IdVec, Var};
use crate::incidence::Incidence;
use crate::matching::Matching;
use crate::solvability::SolvabilitySet;
use crate::tearing::{Assignment, Effort, solvable_matching};

/// Which of the two ways a branch is torn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BranchKind {
    /// Jacobi-like.
    First,
    /// Gauss–Seidel-like.
    Second,
}

/// One sweep of a successive substitution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sweep {
    /// The kind of tearing.
    pub kind: BranchKind,
    /// The variables whose values from the last sweep are used, sorted.
    pub iterated: Vec<Var>,
    /// The assignments of a sweep in order. Second kind: an equation uses the newest value of each variable.
    pub sequence: Vec<Assignment>,
    /// First kind: the new values of the iterated variables, computed after the sequence from their old values.
    pub updates: Vec<Assignment>,
    /// The torn branches, sorted by equation: for the first kind between each iterated variable and the equation that gives
    /// it, for the second between an equation and each variable of which it uses the old value.
    pub torn: Vec<(Eqn, Var)>,
}

/// Equations that cannot be given a variable they may be solved for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotSolvable {
    /// Equations without a variable.
    pub eqns: Vec<Eqn>,
    /// Variables without an equation.
    pub vars: Vec<Var>,
}

/// Orders a block for successive substitution.
pub fn branch_tearing(
    incidence: &Incidence,
    solvable: SolvabilitySet,
    kind: BranchKind,
    effort: Effort,
) -> Result<Sweep, NotSolvable> {
    let matching = solvable_matching(incidence, solvable);
    if !matching.is_perfect() {
        return Err(NotSolvable {
            eqns: matching.unmatched_eqns().collect(),
            vars: matching.unmatched_vars().collect(),
        });
    }
    Ok(sweep_for_matching(incidence, &matching, kind, effort))
}

/// Orders a block whose causality is given by a perfect matching.
///
/// # Panics
/// When the matching is not perfect.
pub fn sweep_for_matching(
    incidence: &Incidence,
    matching: &Matching,
    kind: BranchKind,
    effort: Effort,
) -> Sweep {
    assert!(matching.is_perfect(), "branch tearing needs a perfect matching");
    let needs = dependencies(incidence, matching);
    let cut = feedback_vertex_set(&needs, None, effort).nodes;
    let mut is_cut: IdVec<Eqn, bool> = IdVec::filled(false, incidence.eqn_count());
    for &node in &cut {
        is_cut[Eqn(node)] = true;
    }
    let order = substitution_order(&needs, &is_cut, kind);
    let assign = |eqn: Eqn| matching.var_of(eqn).map(|var| Assignment { eqn, var });
    match kind {
        BranchKind::First => {
            let updates: Vec<Assignment> = cut.iter().filter_map(|node| assign(Eqn(*node))).collect();
            let mut iterated: Vec<Var> = updates.iter().map(|step| step.var).collect();
            iterated.sort_unstable();
            Sweep {
                kind,
                iterated,
                sequence: order.iter().filter(|eqn| !is_cut[**eqn]).filter_map(|eqn| assign(*eqn)).collect(),
                torn: updates.iter().map(|step| (step.eqn, step.var)).collect(),
                updates,
            }
        }
        BranchKind::Second => {
            let mut position: IdVec<Eqn, usize> = IdVec::filled(0, order.len());
            for (k, eqn) in order.iter().enumerate() {
                position[*eqn] = k;
            }
            let later = |eqn: Eqn, var: Var| {
                matching.eqn_of(var).is_some_and(|source| position[source] > position[eqn])
            };
            let torn: Vec<(Eqn, Var)> =
                incidence.occurrences().filter(|o| later(o.eqn, o.var)).map(|o| (o.eqn, o.var)).collect();
            let mut iterated: Vec<Var> = torn.iter().map(|branch| branch.1).collect();
            iterated.sort_unstable();
            iterated.dedup();
            let sequence = order.into_iter().filter_map(assign).collect();
            Sweep { kind, iterated, sequence, updates: Vec::new(), torn }
        }
    }
}

/// Equation `a` needs equation `b` if `b` gives a variable of `a`.
fn dependencies(incidence: &Incidence, matching: &Matching) -> Digraph {
    let arcs = incidence.occurrences().filter_map(|o| {
        let source = matching.eqn_of(o.var)?;
        (source != o.eqn).then_some((o.eqn.0, source.0))
    });
    Digraph::from_arcs(incidence.eqn_count(), arcs)
}

/// An order in which each equation comes after what it needs, cut equations excepted. For the second kind a cut equation
/// comes as early as its own needs allow, so that as many equations as possible see its new value; for the first it
/// does not matter where it stands.
fn substitution_order(needs: &Digraph, is_cut: &IdVec<Eqn, bool>, kind: BranchKind) -> Vec<Eqn> {
    let count = needs.node_count();
    let mut waiting = vec![0u32; count];
    let reversed = Digraph::from_arcs(count, needs.arcs().map(|(eqn, source)| (source, eqn)));
    for (eqn, source) in needs.arcs() {
        if !is_cut[Eqn(source)] {
            waiting[eqn as usize] += 1;
        }
    }
    // Largest first: cut equations before others for the second kind, then in the order of the equations.
    let rank = |eqn: u32| (kind == BranchKind::Second && is_cut[Eqn(eqn)], std::cmp::Reverse(eqn));
    let mut ready: BinaryHeap<_> =
        (0..count as u32).filter(|eqn| waiting[*eqn as usize] == 0).map(rank).collect();
    let mut order = Vec::with_capacity(count);
    while let Some((_, std::cmp::Reverse(eqn))) = ready.pop() {
        order.push(Eqn::from_index(eqn as usize));
        if is_cut[Eqn(eqn)] {
            continue;
        }
        for &dependent in reversed.successors(eqn) {
            waiting[dependent as usize] -= 1;
            if waiting[dependent as usize] == 0 {
                ready.push(rank(dependent));
            }
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matching::is_matching;

    fn full() -> (Incidence, Matching) {
        let g = Incidence::from_rows(3, &vec![vec![0, 1, 2]; 3]);
        let mut m = Matching::empty(&g);
        (0..3).for_each(|k| m.assign(Eqn(k), Var(k)));
        assert!(is_matching(&g, &m));
        (g, m)
    }

    fn vars(steps: &[Assignment]) -> Vec<u32> {
        steps.iter().map(|step| step.var.0).collect()
    }

    #[test]
    fn the_full_example_of_the_paper_first_kind() {
        // Two of three branches f - x are torn; the third variable is computed, then both new values from the old ones.
        let (g, m) = full();
        let sweep = sweep_for_matching(&g, &m, BranchKind::First, Effort::default());
        assert_eq!((sweep.sequence.len(), sweep.updates.len(), sweep.iterated.len()), (1, 2, 2));
        assert!(sweep.torn.iter().all(|(eqn, var)| m.var_of(*eqn) == Some(*var)));
    }

    #[test]
    fn the_full_example_of_the_paper_second_kind() {
        // x1(OLD, OLD), x2(x1, OLD), x3(x1, x2): three torn branches, two iterated variables.
        let (g, m) = full();
        let sweep = sweep_for_matching(&g, &m, BranchKind::Second, Effort::default());
        assert_eq!((sweep.sequence.len(), sweep.torn.len(), sweep.iterated.len()), (3, 3, 2));
        let order = vars(&sweep.sequence);
        assert_eq!(sweep.torn.iter().filter(|(_, var)| var.0 == order[2]).count(), 2);
        assert_eq!(sweep.torn.iter().filter(|(_, var)| var.0 == order[1]).count(), 1);
    }

    #[test]
    fn a_block_that_may_not_be_solved_says_so() {
        let g = Incidence::from_rows(2, &[vec![0], vec![0, 1]]).filtered(|o| o.var == Var(0));
        let error =
            branch_tearing(&g, SolvabilitySet::SAFE, BranchKind::First, Effort::default()).unwrap_err();
        assert_eq!((error.eqns.len(), error.vars), (1, vec![Var(1)]));
    }
}
