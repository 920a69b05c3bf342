//! Tearing: solving a simultaneous block by guessing a few of its variables.
//!
//! Node tearing of H. Elmqvist and M. Otter, *Methods for tearing systems of equations in object-oriented modeling*, 1994: given the
//! *tearing variables*, the other variables follow one after the other, each from one equation that may be solved
//! for it; the equations left over are the *residual equations*. As many are left over as there are tearing variables.
//!
//! What follows from a set of known variables does not depend on the order in which it is computed. So a set of tearing
//! variables is all a search has to find; [`sequence`](mod@sequence) then gives the assignments and the residuals. The finders:
//!
//! - [`contraction`]: reductions that keep a minimum, then a greedy choice, repeated; almost linear,
//! - [`exact`]: the same reductions inside branch and bound, for what is left of small blocks,
//! - [`declared`]: tearing variables and residuals given by the modeller, completed and diagnosed,
//! - [`nested`]: loops that remain inside a torn block, torn again.
//!
//! [`tear`] runs them and keeps the best. Costs are weights: a tearing set is better if the sum of its weights is smaller.

pub mod check;
pub mod contraction;
pub mod declared;
pub mod exact;
pub mod nested;
pub mod sequence;

use crate::ids::{Edge, Eqn, IdVec, Var};
use crate::incidence::{Incidence, Occurrence};
use crate::matching::{Matching, maximum_matching_preferring};
use crate::solvability::{Solvability, SolvabilitySet};
use crate::tearing::contraction::{Choice, Contraction};
use crate::tearing::sequence::Solver;

/// An equation solved for a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Assignment {
    /// The equation.
    pub eqn: Eqn,
    /// The variable it gives.
    pub var: Var,
}

/// A torn block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tearing {
    /// The variables a solver iterates on, sorted.
    pub tearing_variables: Vec<Var>,
    /// The equations whose residuals the solver makes zero, sorted.
    pub residuals: Vec<Eqn>,
    /// The other variables in the order in which they are computed.
    pub sequence: Vec<Assignment>,
}

/// The weight of a variable that must not be torn.
pub const FORBIDDEN: u32 = u32::MAX;

/// The weight of a variable nobody said anything about. Weights slightly below it express a preference among tearing sets of
/// equal size; much smaller or larger ones trade size against preference.
pub const DEFAULT_WEIGHT: u32 = 1000;

/// A block to be torn: an incidence, the ways of solving that are allowed, and wishes.
#[derive(Clone, Debug)]
pub struct TearingProblem<'a> {
    /// The block. All of its equations and variables take part.
    pub incidence: &'a Incidence,
    /// An equation may be solved for a variable if the solvability of the edge is in here.
    pub solvable: SolvabilitySet,
    /// What tearing a variable costs, at least 1. [`FORBIDDEN`] variables are torn only if nothing else helps.
    pub weight: IdVec<Var, u32>,
    /// Equations that should rather be residuals: used to solve for something only when no other equation can.
    pub preferred_residual: IdVec<Eqn, bool>,
}

impl<'a> TearingProblem<'a> {
    /// The problem without wishes.
    pub fn new(incidence: &'a Incidence, solvable: SolvabilitySet) -> Self {
        Self {
            incidence,
            solvable,
            weight: IdVec::filled(DEFAULT_WEIGHT, incidence.var_count()),
            preferred_residual: IdVec::filled(false, incidence.eqn_count()),
        }
    }

    /// Whether the edge may be used to solve for its variable.
    pub fn may_solve(&self, edge: Edge) -> bool {
        self.solvable.contains(self.incidence.solvability(edge))
    }

    /// The sum of the weights of these variables.
    pub fn total_weight(&self, vars: &[Var]) -> u64 {
        vars.iter().map(|var| u64::from(self.weight[*var])).sum()
    }
}

/// How hard [`tear`] tries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Branch and bound is used when no more than this many equations and variables remain after reductions (at most 64).
    pub exact_limit: usize,
    /// Nodes after which branch and bound gives up and the best found so far is kept.
    pub node_limit: usize,
    /// Steps, in visited edges, spent on taking superfluous tearing variables out again.
    pub prune_limit: usize,
}

impl Default for Effort {
    fn default() -> Self {
        Self { exact_limit: 40, node_limit: 5_000, prune_limit: 500_000 }
    }
}

/// Which finder gave the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// Reductions alone: nothing had to be chosen.
    Reduction,
    /// Contraction with a greedy choice.
    Contraction,
    /// Contraction of the transposed block: residual equations are chosen, tearing variables are what is left.
    ResidualContraction,
    /// A feedback vertex set of the block with a fixed matching.
    Feedback,
    /// Branch and bound.
    Exact,
}

/// The result of [`tear`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Torn {
    /// The torn block.
    pub tearing: Tearing,
    /// The sum of the weights of the tearing variables.
    pub weight: u64,
    /// Whether no tearing set has a smaller weight, for certain.
    pub optimal: bool,
    /// Where it came from.
    pub method: Method,
}

/// Finds a small set of tearing variables.
///
/// The result is always a valid tearing ([`check::check`]): in the worst case every variable is torn. A
/// [`FORBIDDEN`] variable is among the tearing variables only if the block has no tearing without one that was found.
pub fn tear(problem: &TearingProblem, effort: Effort) -> Torn {
    let incidence = problem.incidence;
    let mut reduced = Contraction::new(incidence, |edge| problem.may_solve(edge), &problem.weight);
    reduced.reduce();
    let mut solver = Solver::new(problem);
    if reduced.is_empty() {
        let torn = reduced.torn().to_vec();
        let weight = problem.total_weight(&torn);
        let tearing = solver.tearing(&torn);
        return Torn { weight, optimal: true, method: Method::Reduction, tearing };
    }

    let mut best = Best { problem, solver, prune_limit: effort.prune_limit, found: None };
    let (weight, vars, method) = best.of_heuristics(&reduced);
    let mut torn = (weight, vars, method);
    let mut optimal = weight <= best.least_possible();
    if !optimal && reduced.size() <= effort.exact_limit.min(exact::SIZE_LIMIT) {
        let forced = problem.total_weight(reduced.torn());
        let result = exact::search(&reduced.core(), weight.saturating_sub(forced), effort.node_limit);
        optimal = result.complete;
        if let Some(found) = result.torn {
            let vars: Vec<Var> = reduced.torn().iter().copied().chain(found).collect();
            torn = (problem.total_weight(&vars), vars, Method::Exact);
        }
    }
    let (weight, vars, method) = torn;
    Torn { tearing: best.solver.tearing(&vars), weight, optimal, method }
}

/// The lightest tearing set found so far.
struct Best<'p, 'a> {
    problem: &'p TearingProblem<'a>,
    solver: Solver<'p, 'a>,
    prune_limit: usize,
    found: Option<(u64, Vec<Var>, Method)>,
}

impl Best<'_, '_> {
    /// Runs the heuristics one after the other until one of them cannot be beaten.
    fn of_heuristics(&mut self, reduced: &Contraction) -> (u64, Vec<Var>, Method) {
        const CHOICES: [Choice; 2] = [Choice::MostEquations, Choice::ShortestEquation];
        let problem = self.problem;
        for choice in CHOICES {
            let mut contraction = reduced.clone();
            contraction.finish(choice);
            if self.consider(contraction.torn().to_vec(), Method::Contraction) {
                return self.take();
            }
        }
        let transposed = problem.incidence.transpose();
        let preferred = problem.preferred_residual.as_slice().iter();
        let weight = preferred.map(|preferred| DEFAULT_WEIGHT - u32::from(*preferred)).collect();
        let solvable = |edge| problem.solvable.contains(transposed.solvability(edge));
        let mut by_rows = Contraction::new(&transposed, solvable, &weight);
        by_rows.reduce();
        for choice in CHOICES {
            let mut contraction = by_rows.clone();
            contraction.finish(choice);
            let residuals: Vec<Eqn> = contraction.torn().iter().map(|var| Eqn(var.0)).collect();
            if self.consider(left_over_vars(problem, &residuals), Method::ResidualContraction) {
                return self.take();
            }
        }
        self.consider(feedback(problem), Method::Feedback);
        self.take()
    }

    /// Keeps the set if it is lighter than what was found before. Returns whether no set can be lighter still.
    fn consider(&mut self, vars: Vec<Var>, method: Method) -> bool {
        let vars = prune(self.problem, &mut self.solver, vars, self.prune_limit);
        let weight = self.problem.total_weight(&vars);
        if self.found.as_ref().is_none_or(|found| weight < found.0) {
            self.found = Some((weight, vars, method));
        }
        weight <= self.least_possible()
    }

    /// A loop that reductions cannot dissolve needs at least one variable.
    fn least_possible(&self) -> u64 {
        self.problem.weight.as_slice().iter().min().map_or(0, |weight| u64::from(*weight))
    }

    fn take(&mut self) -> (u64, Vec<Var>, Method) {
        let everything = || self.problem.incidence.var_ids().collect();
        self.found.take().unwrap_or_else(|| (u64::MAX, everything(), Method::Contraction))
    }
}

/// Takes out tearing variables that follow from the others, the heaviest and latest first, as long as steps are left.
fn prune(problem: &TearingProblem, solver: &mut Solver, mut vars: Vec<Var>, limit: usize) -> Vec<Var> {
    if vars.len() <= 1 {
        return vars;
    }
    let cost = problem.incidence.edge_count() + problem.incidence.eqn_count() + 1;
    let mut candidates = vars.clone();
    candidates.reverse();
    candidates.sort_by_key(|var| std::cmp::Reverse(problem.weight[*var]));
    for candidate in candidates.into_iter().take(limit / cost) {
        let rest: Vec<Var> = vars.iter().copied().filter(|var| *var != candidate).collect();
        if solver.is_complete(&rest) {
            vars = rest;
        }
    }
    vars
}

/// The variables that no equation is left to solve for when these equations are residuals. Solved backwards: an
/// equation gives the variable that is needed nowhere else, and so on.
fn left_over_vars(problem: &TearingProblem, residuals: &[Eqn]) -> Vec<Var> {
    let incidence = problem.incidence;
    let mut open: IdVec<Eqn, bool> = IdVec::filled(true, incidence.eqn_count());
    for eqn in residuals {
        open[*eqn] = false;
    }
    let mut solved: IdVec<Var, bool> = IdVec::filled(false, incidence.var_count());
    let mut uses: IdVec<Var, usize> =
        incidence.var_ids().map(|var| incidence.eqns(var).iter().filter(|eqn| open[**eqn]).count()).collect();
    let mut ready: Vec<Var> = uses.iter().filter(|(_, n)| **n == 1).map(|(var, _)| var).collect();
    while let Some(var) = ready.pop() {
        let Some(o) = incidence.column(var).find(|o| open[o.eqn]) else { continue };
        if !problem.may_solve(o.edge) {
            continue;
        }
        open[o.eqn] = false;
        solved[var] = true;
        for &other in incidence.vars(o.eqn) {
            uses[other] -= 1;
            if uses[other] == 1 {
                ready.push(other);
            }
        }
    }
    solved.iter().filter(|(_, solved)| !**solved).map(|(var, _)| var).collect()
}

/// Tearing with causality fixed first: match along solvable edges, best ones preferred, then cut the cycles.
fn feedback(problem: &TearingProblem) -> Vec<Var> {
    let incidence = problem.incidence;
    let matching = solvable_matching(incidence, problem.solvable);
    let matched = |o: Occurrence| matching.var_of(o.eqn) == Some(o.var);
    let fixed = incidence
        .with_solvability(|o| if matched(o) { Solvability::LinearConstant } else { Solvability::Never });
    let mut contraction = Contraction::new(
        &fixed,
        |edge| fixed.solvability(edge) == Solvability::LinearConstant,
        &problem.weight,
    );
    contraction.finish(Choice::MostEquations);
    contraction.torn().to_vec()
}

/// A maximum matching along solvable edges, safer ones preferred.
pub(crate) fn solvable_matching(incidence: &Incidence, solvable: SolvabilitySet) -> Matching {
    let usable = incidence.filtered(|o| solvable.contains(o.solvability));
    maximum_matching_preferring(&usable, |o| o.solvability.rank() as u8)
}

#[cfg(test)]
mod tests;
