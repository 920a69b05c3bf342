//! Tearing inside tearing: what a few outer tearing variables leave simultaneous is torn again.
//!
//! With some tearing variables known the rest of a block often falls into smaller blocks that still are loops (W. Borutzky and F. E.
//! Cellier, *Tearing in bond graphs with dependent storage elements*, 1996). Each is solved on its own, inside one
//! evaluation of the outer residuals. When the inner blocks are linear they need no iteration at all, so the outer solver iterates
//! only on what is truly nonlinear: [`linearizing_variables`] finds such outer variables.

use crate::blt::blt;
use crate::ids::{Eqn, IdVec, Var};
use crate::incidence::{Extractor, Incidence, Subsystem};
use crate::matching::{Matching, maximum_matching_preferring};
use crate::solvability::{Solvability, SolvabilitySet};
use crate::tearing::{Assignment, Effort, Tearing, TearingProblem, tear};

/// One step of the inner part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NestedStep {
    /// An equation solved for its variable.
    Solve(Assignment),
    /// A loop, torn.
    System(Tearing),
}

/// A block with outer tearing variables and inner systems.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NestedTearing {
    /// The outer tearing variables, sorted.
    pub tearing_variables: Vec<Var>,
    /// The outer residual equations, sorted.
    pub residuals: Vec<Eqn>,
    /// The rest in the order in which it is solved.
    pub steps: Vec<NestedStep>,
}

/// Why there is no nested tearing for the given variables and residuals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotSquare {
    /// Equations that have nothing to determine.
    pub unmatched_eqns: Vec<Eqn>,
    /// Variables without an equation.
    pub unmatched_vars: Vec<Var>,
}

/// Takes the outer variables and residuals as given and tears every loop that remains.
///
/// If `residuals` is `None` they are chosen: the equations left over when the others are matched with the remaining
/// variables, along edges that may be solved as far as possible, and preferred residuals first.
pub fn tear_nested(
    problem: &TearingProblem,
    tearing_variables: &[Var],
    residuals: Option<&[Eqn]>,
    effort: Effort,
) -> Result<NestedTearing, NotSquare> {
    let incidence = problem.incidence;
    let mut torn: IdVec<Var, bool> = IdVec::filled(false, incidence.var_count());
    for var in tearing_variables {
        torn[*var] = true;
    }
    let mut outer: IdVec<Eqn, bool> = IdVec::filled(false, incidence.eqn_count());
    for eqn in residuals.unwrap_or_default() {
        outer[*eqn] = true;
    }
    let vars: Vec<Var> = incidence.var_ids().filter(|var| !torn[*var]).collect();
    let eqns: Vec<Eqn> = incidence.eqn_ids().filter(|eqn| !outer[*eqn]).collect();
    let rest = Extractor::new(incidence).extract(&eqns, &vars);
    let matching = inner_matching(problem, &rest);
    let unmatched_eqns: Vec<Eqn> = matching.unmatched_eqns().map(|eqn| rest.eqns[eqn]).collect();
    let unmatched_vars: Vec<Var> = matching.unmatched_vars().map(|var| rest.vars[var]).collect();
    if !unmatched_vars.is_empty() || residuals.is_some() && !unmatched_eqns.is_empty() {
        return Err(NotSquare { unmatched_eqns, unmatched_vars });
    }
    for eqn in unmatched_eqns {
        outer[eqn] = true;
    }

    let form = blt(&rest.incidence, &matching);
    let mut extractor = Extractor::new(&rest.incidence);
    let mut steps = Vec::with_capacity(form.len());
    for block in form.blocks() {
        let single = (block.eqns[0], block.vars[0]);
        let solvable = rest
            .incidence
            .solvability_of(single.0, single.1)
            .is_some_and(|solvability| problem.solvable.contains(solvability));
        if block.size() == 1 && solvable {
            steps.push(NestedStep::Solve(Assignment { eqn: rest.eqns[single.0], var: rest.vars[single.1] }));
            continue;
        }
        let inner = extractor.extract(block.eqns, block.vars);
        let mut inner_problem = TearingProblem::new(&inner.incidence, problem.solvable);
        for (local, var) in inner.vars.iter() {
            inner_problem.weight[local] = problem.weight[rest.vars[*var]];
        }
        for (local, eqn) in inner.eqns.iter() {
            inner_problem.preferred_residual[local] = problem.preferred_residual[rest.eqns[*eqn]];
        }
        let tearing = tear(&inner_problem, effort).tearing;
        let eqn = |local: Eqn| rest.eqns[inner.eqns[local]];
        let var = |local: Var| rest.vars[inner.vars[local]];
        steps.push(NestedStep::System(Tearing {
            tearing_variables: tearing.tearing_variables.into_iter().map(var).collect(),
            residuals: tearing.residuals.into_iter().map(eqn).collect(),
            sequence: tearing
                .sequence
                .into_iter()
                .map(|step| Assignment { eqn: eqn(step.eqn), var: var(step.var) })
                .collect(),
        }));
    }
    let tearing_variables = torn.iter().filter(|(_, torn)| **torn).map(|(var, _)| var).collect();
    let residuals = outer.iter().filter(|(_, outer)| **outer).map(|(eqn, _)| eqn).collect();
    Ok(NestedTearing { tearing_variables, residuals, steps })
}

fn inner_matching(problem: &TearingProblem, rest: &Subsystem) -> Matching {
    maximum_matching_preferring(&rest.incidence, |o| {
        let residual = u8::from(problem.preferred_residual[rest.eqns[o.eqn]]);
        let forbidden = u8::from(!problem.solvable.contains(o.solvability));
        8 * residual + 16 * forbidden + o.solvability.rank() as u8
    })
}

/// Variables that, once known, leave only linear simultaneous blocks: every nonlinear occurrence is then of a variable that is
/// torn or computed before.
///
/// Starts from the variables that occur nonlinearly inside their loop and drops, heaviest first, those that are not needed.
/// Each trial costs one sorting of the block; `limit` bounds the visited edges, and what was not tried stays.
pub fn linearizing_variables(problem: &TearingProblem, limit: usize) -> Vec<Var> {
    let incidence = problem.incidence;
    let linear = |s: Solvability| SolvabilitySet::LINEAR.contains(s);
    let mut vars: Vec<Var> =
        incidence.var_ids().filter(|var| incidence.column(*var).any(|o| !linear(o.solvability))).collect();
    if !leaves_linear_blocks(incidence, &vars) {
        return vars;
    }
    let mut candidates = vars.clone();
    candidates.reverse();
    candidates.sort_by_key(|var| std::cmp::Reverse(problem.weight[*var]));
    for candidate in candidates.into_iter().take(limit / (incidence.edge_count() + 1)) {
        let fewer: Vec<Var> = vars.iter().copied().filter(|var| *var != candidate).collect();
        if leaves_linear_blocks(incidence, &fewer) {
            vars = fewer;
        }
    }
    vars
}

fn leaves_linear_blocks(incidence: &Incidence, torn: &[Var]) -> bool {
    let mut is_torn: IdVec<Var, bool> = IdVec::filled(false, incidence.var_count());
    for var in torn {
        is_torn[*var] = true;
    }
    let rest = incidence.filtered(|o| !is_torn[o.var]);
    // Matching along linear edges first keeps nonlinear equations free to become residuals.
    let matching = maximum_matching_preferring(&rest, |o| o.solvability.rank() as u8);
    if matching.size() + torn.len() < incidence.var_count() {
        return false;
    }
    let form = blt(&rest, &matching);
    form.blocks().enumerate().all(|(index, block)| {
        block.eqns.iter().all(|eqn| {
            rest.row(*eqn).all(|o| {
                let inside = matching.eqn_of(o.var).and_then(|e| form.block_of(e)) == Some(index);
                let explicit = block.size() == 1 && o.solvability != Solvability::Never;
                !inside || explicit || SolvabilitySet::LINEAR.contains(o.solvability)
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::incidence::IncidenceBuilder;

    #[test]
    fn inner_loops_are_torn_again() {
        // Variable 4 couples two pairs of equations; knowing it leaves two separate loops of two.
        let rows = [vec![0, 1, 4], vec![0, 1], vec![2, 3, 4], vec![2, 3], vec![1, 3, 4]];
        let g = Incidence::from_rows(5, &rows);
        let p = TearingProblem::new(&g, SolvabilitySet::SAFE);
        let nested = tear_nested(&p, &[Var(4)], Some(&[Eqn(4)]), Effort::default()).unwrap();
        let systems: Vec<&Tearing> = nested
            .steps
            .iter()
            .map(|step| match step {
                NestedStep::System(tearing) => tearing,
                NestedStep::Solve(_) => panic!("no single equation expected"),
            })
            .collect();
        assert_eq!(systems.len(), 2);
        assert!(systems.iter().all(|s| s.tearing_variables.len() == 1 && s.sequence.len() == 1));
        assert_eq!(systems[1].tearing_variables.len() + systems[1].sequence.len(), 2);
        let chosen = tear_nested(&p, &[Var(4)], None, Effort::default()).unwrap();
        assert_eq!(chosen.residuals.len(), 1);
        let error = tear_nested(&p, &[Var(4)], Some(&[]), Effort::default()).unwrap_err();
        assert_eq!(error.unmatched_eqns.len(), 1);
    }

    #[test]
    fn only_what_is_nonlinear_is_torn_outside() {
        // x0..x3 in linear loops, x4 enters nonlinearly in two places.
        let mut b = IncidenceBuilder::new(5, 5);
        for (e, row) in [vec![0, 1], vec![0, 1, 2], vec![2, 3], vec![1, 2, 3], vec![3, 4]].iter().enumerate()
        {
            for v in row {
                b.add(Eqn(e as u32), Var(*v), Solvability::LinearConstant);
            }
        }
        b.add(Eqn(0), Var(4), Solvability::Never).add(Eqn(3), Var(4), Solvability::Nonlinear);
        let g = b.build();
        let p = TearingProblem::new(&g, SolvabilitySet::SAFE);
        assert_eq!(linearizing_variables(&p, 10_000), [Var(4)]);
        let nested = tear_nested(&p, &[Var(4)], None, Effort::default()).unwrap();
        assert_eq!((nested.residuals.len(), nested.tearing_variables.len()), (1, 1));
    }

    #[test]
    fn a_linear_block_needs_no_outer_variables() {
        let g = Incidence::from_rows(3, &[vec![0, 1], vec![1, 2], vec![2, 0]]);
        let p = TearingProblem::new(&g, SolvabilitySet::SAFE);
        assert!(linearizing_variables(&p, 10_000).is_empty());
        let nested = tear_nested(&p, &[], None, Effort::default()).unwrap();
        assert!(matches!(&nested.steps[..], [NestedStep::System(t)] if t.tearing_variables.len() == 1));
    }
}
