//! Relaxed block lower triangular form: some occurrences are left out while equations are sorted.
//!
//! M. Otter, H. Elmqvist and F. E. Cellier, *"Relaxing" – a symbolic sparse matrix method exploiting the model structure in generating
//! efficient simulation code*, 1996, section 4: during sorting a relaxed variable counts as known in the equations where it is
//! relaxed. The order that results is the order of a Gaussian elimination, block by block, in which the relaxed occurrences are
//! carried along on the right-hand side.
//!
//! Leaving occurrences out may leave a variable without an equation. The error then says which variables and equations are
//! concerned and which relaxed occurrences would repair it.

use crate::blt::{Blt, blt};
use crate::dulmage_mendelsohn::{Determined, DulmageMendelsohn, dulmage_mendelsohn};
use crate::elimination::{Elimination, EliminationProblem, count_in_order};
use crate::ids::{Edge, Eqn, IdVec, Var};
use crate::incidence::Incidence;
use crate::matching::{Matching, maximum_matching_preferring};
use crate::tearing::Assignment;

/// A relaxed form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelaxedBlt {
    /// The blocks in the order of elimination.
    pub blt: Blt,
    /// The matching behind it.
    pub matching: Matching,
    /// The incidence without the relaxed occurrences.
    pub incidence: Incidence,
    /// Occurrences that were to be relaxed and do not exist.
    pub ignored: Vec<(Eqn, Var)>,
}

/// The relaxed form is structurally singular.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelaxedSingular {
    /// Variables that lost their equation: one possible choice of as many as are lacking.
    pub lost_vars: Vec<Var>,
    /// Equations that have nothing left to determine: one possible choice.
    pub spare_eqns: Vec<Eqn>,
    /// All equations and variables concerned.
    pub parts: DulmageMendelsohn,
    /// Relaxed occurrences each of which, taken back, would give one more variable an equation.
    pub repairs: Vec<(Eqn, Var)>,
}

/// Sorts a system without the relaxed occurrences. Matching prefers edges that are safe to solve for.
pub fn relaxed_blt(
    incidence: &Incidence,
    relaxed: &[(Eqn, Var)],
) -> Result<RelaxedBlt, Box<RelaxedSingular>> {
    let mut left_out: IdVec<Edge, bool> = IdVec::filled(false, incidence.edge_count());
    let mut ignored = Vec::new();
    for &(eqn, var) in relaxed {
        match incidence.find(eqn, var) {
            Some(edge) => left_out[edge] = true,
            None => ignored.push((eqn, var)),
        }
    }
    let kept = incidence.filtered(|o| !left_out[o.edge]);
    let matching = maximum_matching_preferring(&kept, |o| o.solvability.rank() as u8);
    if !matching.is_perfect() {
        let parts = dulmage_mendelsohn(&kept, &matching);
        // An edge from the overdetermined to the underdetermined part closes an augmenting path, and no other edge does.
        let repairs = incidence
            .occurrences()
            .filter(|o| left_out[o.edge])
            .filter(|o| {
                parts.eqn_part(o.eqn) == Determined::Over && parts.var_part(o.var) == Determined::Under
            })
            .map(|o| (o.eqn, o.var))
            .collect();
        return Err(Box::new(RelaxedSingular {
            lost_vars: matching.unmatched_vars().collect(),
            spare_eqns: matching.unmatched_eqns().collect(),
            parts,
            repairs,
        }));
    }
    let form = blt(&kept, &matching);
    Ok(RelaxedBlt { blt: form, matching, incidence: kept, ignored })
}

impl RelaxedBlt {
    /// The scalar pivots in the order of elimination: block after block, inside a block in the order of its equations.
    pub fn pivots(&self) -> Vec<Assignment> {
        let pairs = self.blt.eqns().iter().zip(self.blt.vars());
        pairs.map(|(eqn, var)| Assignment { eqn: *eqn, var: *var }).collect()
    }

    /// What Gaussian elimination of the full system in this order costs.
    pub fn elimination(&self, problem: &EliminationProblem) -> Elimination {
        count_in_order(problem, &self.pivots())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solvability::SolvabilitySet;

    /// Drive train of the paper, equation (3): J1 α1 + τ1 = τin; J2 α2 - τ2 = 0; -α1 + i α2 = 0; i τ1 - τ2 = 0.
    /// Variables α1, α2, τ1, τ2.
    fn drive_train() -> Incidence {
        Incidence::from_rows(4, &[vec![0, 2], vec![1, 3], vec![0, 1], vec![2, 3]])
    }

    #[test]
    fn the_drive_train_becomes_triangular() {
        // Shaft: J relax(a) = tl - tr; Gear: al = i relax(ar). Both relaxed occurrences are known when sorting.
        let g = drive_train();
        let form = relaxed_blt(&g, &[(Eqn(0), Var(0)), (Eqn(2), Var(1))]).unwrap();
        assert!(form.blt.blocks().all(|block| block.size() == 1));
        let cost = form.elimination(&EliminationProblem::new(&g, SolvabilitySet::SAFE));
        assert_eq!(cost.pivots.len(), 4);
        assert!(cost.core_eqns.is_empty());
    }

    #[test]
    fn the_gear_turned_round_is_singular_and_the_repair_is_named() {
        // Section 10: relaxing α1 instead of α2 in the gear equation. Then α1 is in no equation at all.
        let g = drive_train();
        let error = relaxed_blt(&g, &[(Eqn(0), Var(0)), (Eqn(2), Var(0))]).unwrap_err();
        assert_eq!(error.lost_vars, [Var(0)]);
        assert_eq!(error.spare_eqns.len(), 1);
        assert_eq!(error.repairs, [(Eqn(0), Var(0)), (Eqn(2), Var(0))]);
        for repair in error.repairs {
            let others = [(Eqn(0), Var(0)), (Eqn(2), Var(0))].into_iter().filter(|r| *r != repair);
            assert!(relaxed_blt(&g, &others.collect::<Vec<_>>()).is_ok());
        }
    }

    #[test]
    fn an_occurrence_that_does_not_exist_is_ignored() {
        let form = relaxed_blt(&drive_train(), &[(Eqn(0), Var(3))]).unwrap();
        assert_eq!(form.ignored, [(Eqn(0), Var(3))]);
        assert_eq!(form.incidence.edge_count(), 8);
    }
}
