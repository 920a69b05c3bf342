//! Tearing as the modeller declared it: followed, completed where possible, and diagnosed where not.
//!
//! `residue(x)` in an equation declares a tearing variable and a residual equation; either may also be declared alone (Elmqvist and
//! Otter, section "Tearing information in the model"). A declaration is a hint: it may speak of equations and
//! variables outside the block, there may be more variables than equations or fewer, and together they may not suffice.
//!
//! Declared variables are torn and declared equations are residuals, whatever else is needed. If loops remain,
//! [`Remaining`] says which, and what stands in the way: divisions that are not allowed, and parts with too many or too few
//! equations. With [`Completion::Automatic`] further variables are torn until the block is solved.

use crate::blt::blt;
use crate::dulmage_mendelsohn::{Part, dulmage_mendelsohn};
use crate::ids::{Eqn, Id, IdVec, Var};
use crate::incidence::{Extractor, Subsystem};
use crate::matching::maximum_matching;
use crate::solvability::Solvability;
use crate::tearing::contraction::{Choice, Contraction};
use crate::tearing::sequence::Solver;
use crate::tearing::{Assignment, FORBIDDEN, Tearing, TearingProblem};

/// Declared tearing variables and residual equations, in no particular order; they need not come in pairs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declaration {
    /// Variables declared to be torn.
    pub variables: Vec<Var>,
    /// Equations declared to be residuals.
    pub residuals: Vec<Eqn>,
}

/// What of a declaration concerns a block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Restricted {
    /// The part inside the block, in the block's numbering.
    pub inside: Declaration,
    /// The part outside, in the outer numbering. It is ignored: where there is no loop there is nothing to tear.
    pub ignored: Declaration,
}

impl Declaration {
    /// Splits a declaration into what concerns a block and what does not.
    pub fn restrict_to(&self, block: &Subsystem) -> Restricted {
        let mut restricted = Restricted::default();
        for &var in &self.variables {
            match block.local_var(var) {
                Some(local) => restricted.inside.variables.push(local),
                None => restricted.ignored.variables.push(var),
            }
        }
        for &eqn in &self.residuals {
            match block.local_eqn(eqn) {
                Some(local) => restricted.inside.residuals.push(local),
                None => restricted.ignored.residuals.push(eqn),
            }
        }
        restricted
    }
}

/// What to do if a declaration does not suffice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completion {
    /// Tear further variables until everything is solved.
    Automatic,
    /// Leave the loops and report them.
    Report,
}

/// A block torn as declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredTearing {
    /// The tearing. Complete and valid if [`remaining`](Self::remaining) is empty or the completion automatic; otherwise what
    /// could be solved, and only the declared residuals together with equations that turned out to be superfluous.
    pub tearing: Tearing,
    /// Whether variables and residuals are exactly the declared ones.
    pub as_declared: bool,
    /// Tearing variables that were not declared.
    pub added_variables: Vec<Var>,
    /// Residual equations that were not declared.
    pub added_residuals: Vec<Eqn>,
    /// Declared tearing variables that are forbidden to be torn; they were not torn.
    pub refused_variables: Vec<Var>,
    /// What the declaration alone left unsolved.
    pub remaining: Remaining,
}

/// What a declaration leaves unsolved: the equations that are neither used nor declared residuals, against the variables that
/// are neither torn nor computed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remaining {
    /// The unsolved equations, sorted.
    pub eqns: Vec<Eqn>,
    /// The unsolved variables, sorted.
    pub vars: Vec<Var>,
    /// Loops among them: blocks of several equations, in the order in which they would be solved.
    pub loops: Vec<RemainingLoop>,
    /// Equations in which one unknown is left for which they may not be solved.
    pub blocked: Vec<Blocked>,
    /// Equations too many: nothing is left for them to determine, so they have to be residuals as well.
    pub too_many: Part,
    /// Variables too many: no equation is left for them, so they have to be torn as well.
    pub too_few: Part,
}

impl Remaining {
    /// Whether nothing is left: the declaration suffices.
    pub fn is_empty(&self) -> bool {
        self.vars.is_empty()
    }
}

/// Equations that still have to be solved together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemainingLoop {
    /// The equations.
    pub eqns: Vec<Eqn>,
    /// Their variables, in the same order.
    pub vars: Vec<Var>,
}

/// An equation that would give a variable if it were allowed to be solved for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blocked {
    /// The equation and the variable.
    pub assignment: Assignment,
    /// Why not.
    pub solvability: Solvability,
}

/// Tears a block as declared (in the block's numbering; ids out of range are ignored).
pub fn tear_as_declared(
    problem: &TearingProblem,
    declaration: &Declaration,
    completion: Completion,
) -> DeclaredTearing {
    let incidence = problem.incidence;
    let in_block = |var: &Var| var.index() < incidence.var_count();
    let mut declared = sorted(declaration.variables.iter().copied().filter(in_block));
    let refused_variables: Vec<Var> =
        declared.iter().copied().filter(|var| problem.weight[*var] == FORBIDDEN).collect();
    declared.retain(|var| problem.weight[*var] != FORBIDDEN);
    let residuals =
        sorted(declaration.residuals.iter().copied().filter(|e| e.index() < incidence.eqn_count()));

    let mut solver = Solver::new(problem);
    solver.ban(&residuals);
    solver.solve(&declared);
    let remaining = diagnose(problem, &solver, &residuals);

    let mut torn = declared.clone();
    if completion == Completion::Automatic && !remaining.is_empty() {
        torn.extend(complete(problem, &remaining));
        // What the completion chose for the rest may make some of it follow; and a declared residual may be the only way
        // to avoid a forbidden variable, which is torn here as the last resort.
        torn = solver.tearing(&torn).tearing_variables;
    }
    let tearing = match completion {
        Completion::Automatic => solver.tearing(&torn),
        Completion::Report => partial(problem, &mut solver, &declared, &residuals),
    };
    let added_variables = without(&tearing.tearing_variables, &declared);
    let added_residuals = without(&tearing.residuals, &residuals);
    DeclaredTearing {
        as_declared: remaining.is_empty() && added_variables.is_empty() && added_residuals.is_empty(),
        tearing,
        added_variables,
        added_residuals,
        refused_variables,
        remaining,
    }
}

/// What is left after [`Solver::solve`], and why.
fn diagnose(problem: &TearingProblem, solver: &Solver, residuals: &[Eqn]) -> Remaining {
    let incidence = problem.incidence;
    let vars: Vec<Var> = incidence.var_ids().filter(|var| !solver.is_known(*var)).collect();
    if vars.is_empty() {
        return Remaining::default();
    }
    let mut is_residual: IdVec<Eqn, bool> = IdVec::filled(false, incidence.eqn_count());
    for eqn in residuals {
        is_residual[*eqn] = true;
    }
    let eqns: Vec<Eqn> =
        incidence.eqn_ids().filter(|eqn| !solver.is_used(*eqn) && !is_residual[*eqn]).collect();
    let rest = Extractor::new(incidence).extract(&eqns, &vars);
    let matching = maximum_matching(&rest.incidence);
    let parts = dulmage_mendelsohn(&rest.incidence, &matching);
    let form = blt(&rest.incidence, &matching);
    let loops = form
        .blocks()
        .filter(|block| block.size() > 1)
        .map(|block| RemainingLoop {
            eqns: block.eqns.iter().map(|eqn| rest.eqns[*eqn]).collect(),
            vars: block.vars.iter().map(|var| rest.vars[*var]).collect(),
        })
        .collect();
    let blocked = eqns
        .iter()
        .filter(|eqn| solver.unknowns(**eqn) == 1)
        .filter_map(|eqn| incidence.row(*eqn).find(|o| !solver.is_known(o.var)))
        .map(|o| Blocked { assignment: Assignment { eqn: o.eqn, var: o.var }, solvability: o.solvability })
        .collect();
    let too_many = outer_part(parts.over, &rest);
    let too_few = outer_part(parts.under, &rest);
    Remaining { eqns, vars, loops, blocked, too_many, too_few }
}

fn outer_part(mut part: Part, rest: &Subsystem) -> Part {
    let eqns = |list: &mut Vec<Eqn>| list.iter_mut().for_each(|eqn| *eqn = rest.eqns[*eqn]);
    let vars = |list: &mut Vec<Var>| list.iter_mut().for_each(|var| *var = rest.vars[*var]);
    eqns(&mut part.eqns);
    vars(&mut part.vars);
    for piece in &mut part.pieces {
        eqns(&mut piece.eqns);
        vars(&mut piece.vars);
    }
    part
}

/// Variables to tear in addition, so that the rest follows without the declared residuals.
fn complete(problem: &TearingProblem, remaining: &Remaining) -> Vec<Var> {
    let rest = Extractor::new(problem.incidence).extract(&remaining.eqns, &remaining.vars);
    let weight: IdVec<Var, u32> = rest.vars.as_slice().iter().map(|var| problem.weight[*var]).collect();
    let mut reduced = Contraction::new(
        &rest.incidence,
        |edge| problem.solvable.contains(rest.incidence.solvability(edge)),
        &weight,
    );
    reduced.reduce();
    let total = |vars: &[Var]| vars.iter().map(|var| u64::from(weight[*var])).sum::<u64>();
    let mut best: Option<Vec<Var>> = None;
    for choice in [Choice::MostEquations, Choice::ShortestEquation] {
        let mut contraction = reduced.clone();
        contraction.finish(choice);
        if best.as_ref().is_none_or(|best| total(contraction.torn()) < total(best)) {
            best = Some(contraction.torn().to_vec());
        }
    }
    best.unwrap_or_default().into_iter().map(|var| rest.vars[var]).collect()
}

/// What the declaration alone solves. Equations that follow without being declared residuals are reported as such only if
/// all of their variables are known.
fn partial(problem: &TearingProblem, solver: &mut Solver, declared: &[Var], residuals: &[Eqn]) -> Tearing {
    let sequence = solver.solve(declared).to_vec();
    let superfluous =
        problem.incidence.eqn_ids().filter(|eqn| !solver.is_used(*eqn) && solver.unknowns(*eqn) == 0);
    let residuals = sorted(superfluous.chain(residuals.iter().copied()));
    Tearing { tearing_variables: declared.to_vec(), residuals, sequence }
}

fn sorted<I: Id>(ids: impl Iterator<Item = I>) -> Vec<I> {
    let mut ids: Vec<I> = ids.collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

fn without<I: Id>(ids: &[I], excluded: &[I]) -> Vec<I> {
    ids.iter().copied().filter(|id| excluded.binary_search(id).is_err()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::incidence::{Incidence, IncidenceBuilder};
    use crate::solvability::SolvabilitySet;
    use crate::tearing::check::check;

    /// Four equations, each with three of four variables: two of them must be torn.
    fn chain_of_loops() -> Incidence {
        Incidence::from_rows(4, &[vec![0, 1, 2], vec![1, 2, 3], vec![0, 2, 3], vec![0, 1, 3]])
    }

    fn problem(incidence: &Incidence) -> TearingProblem<'_> {
        TearingProblem::new(incidence, SolvabilitySet::SAFE)
    }

    fn declaration(variables: &[u32], residuals: &[u32]) -> Declaration {
        Declaration {
            variables: variables.iter().map(|v| Var(*v)).collect(),
            residuals: residuals.iter().map(|e| Eqn(*e)).collect(),
        }
    }

    #[test]
    fn a_complete_declaration_is_followed_to_the_letter() {
        let g = chain_of_loops();
        let p = problem(&g);
        let result = tear_as_declared(&p, &declaration(&[2, 1], &[3, 2]), Completion::Report);
        assert!(result.as_declared && result.remaining.is_empty());
        assert_eq!(check(&p, &result.tearing), Ok(()));
        assert_eq!(result.tearing.residuals, [Eqn(2), Eqn(3)]);
    }

    #[test]
    fn a_lone_tearing_variable_finds_its_residual() {
        let g = Incidence::from_rows(3, &[vec![0, 1], vec![1, 2], vec![2, 0]]);
        let p = problem(&g);
        let result = tear_as_declared(&p, &declaration(&[1], &[]), Completion::Report);
        assert!(!result.as_declared && result.remaining.is_empty());
        assert_eq!((result.added_variables.len(), result.added_residuals.len()), (0, 1));
        assert_eq!(check(&p, &result.tearing), Ok(()));
    }

    #[test]
    fn a_lone_residual_finds_its_variable_or_says_what_is_missing() {
        let g = Incidence::from_rows(3, &[vec![0, 1], vec![1, 2], vec![2, 0]]);
        let p = problem(&g);
        let result = tear_as_declared(&p, &declaration(&[], &[1]), Completion::Automatic);
        assert_eq!(result.tearing.residuals, [Eqn(1)]);
        assert_eq!(result.added_variables.len(), 1);
        assert_eq!(check(&p, &result.tearing), Ok(()));
        let result = tear_as_declared(&p, &declaration(&[], &[1]), Completion::Report);
        // Two equations, three variables: any of them could be torn.
        assert_eq!(result.remaining.too_few.vars, [Var(0), Var(1), Var(2)]);
        assert_eq!(result.remaining.too_few.pieces[0].surplus(), -1);
    }

    #[test]
    fn an_incomplete_declaration_names_the_loop_and_is_completed() {
        let g = chain_of_loops();
        let p = problem(&g);
        let result = tear_as_declared(&p, &declaration(&[0], &[0]), Completion::Report);
        let [only] = &result.remaining.loops[..] else { panic!("one loop expected") };
        assert_eq!(only.eqns, [Eqn(1), Eqn(2), Eqn(3)]);
        assert_eq!(result.remaining.vars, [Var(1), Var(2), Var(3)]);
        let result = tear_as_declared(&p, &declaration(&[0], &[0]), Completion::Automatic);
        assert_eq!(check(&p, &result.tearing), Ok(()));
        assert_eq!(result.tearing.tearing_variables.len(), 2);
        assert!(result.tearing.residuals.contains(&Eqn(0)));
    }

    #[test]
    fn a_division_that_is_not_safe_is_named() {
        let mut b = IncidenceBuilder::new(2, 2);
        b.add(Eqn(0), Var(0), Solvability::LinearConstant)
            .add(Eqn(0), Var(1), Solvability::LinearUnsafe)
            .add(Eqn(1), Var(0), Solvability::LinearConstant)
            .add(Eqn(1), Var(1), Solvability::LinearUnsafe);
        let g = b.build();
        let p = problem(&g);
        let result = tear_as_declared(&p, &declaration(&[0], &[1]), Completion::Report);
        let blocked = Blocked {
            assignment: Assignment { eqn: Eqn(0), var: Var(1) },
            solvability: Solvability::LinearUnsafe,
        };
        assert_eq!(result.remaining.blocked, [blocked]);
        let result = tear_as_declared(&p, &declaration(&[0], &[1]), Completion::Automatic);
        assert_eq!(result.tearing.tearing_variables, [Var(0), Var(1)]);
        assert_eq!(check(&p, &result.tearing), Ok(()));
    }

    #[test]
    fn a_contradictory_declaration_is_explained() {
        // Variable 0 occurs only in equations that are declared residuals.
        let g = Incidence::from_rows(3, &[vec![0, 1], vec![0, 2], vec![1, 2]]);
        let p = problem(&g);
        let result = tear_as_declared(&p, &declaration(&[1, 2], &[0, 1]), Completion::Report);
        assert_eq!(result.remaining.vars, [Var(0)]);
        assert_eq!(result.remaining.too_many.eqns, [Eqn(2)]);
        assert_eq!(result.remaining.too_few.vars, [Var(0)]);
    }

    #[test]
    fn hints_outside_the_block_are_ignored_and_forbidden_ones_refused() {
        let g = Incidence::from_rows(4, &[vec![3], vec![0, 1, 3], vec![0, 1]]);
        let block = Extractor::new(&g).extract(&[Eqn(1), Eqn(2)], &[Var(0), Var(1)]);
        let restricted = declaration(&[3, 1], &[0, 2]).restrict_to(&block);
        assert_eq!(restricted.inside, declaration(&[1], &[1]));
        assert_eq!(restricted.ignored, declaration(&[3], &[0]));
        let mut p = problem(&block.incidence);
        p.weight[Var(1)] = FORBIDDEN;
        let result = tear_as_declared(&p, &restricted.inside, Completion::Automatic);
        assert_eq!(result.refused_variables, [Var(1)]);
        assert_eq!(result.tearing.tearing_variables, [Var(0)]);
    }
}
