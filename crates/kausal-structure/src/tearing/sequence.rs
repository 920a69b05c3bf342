//! What follows from known variables: the assignments of a torn block, in order.
//!
//! An equation with a single unknown, for which it may be solved, gives that unknown. Repeating this reaches the same set
//! of variables in whatever order it is done; among several equations that could give a variable the safest is taken,
//! and preferred residuals last. Linear in the block.

use std::collections::VecDeque;

use crate::ids::{Eqn, Id, IdVec, Var};
use crate::tearing::{Assignment, Tearing, TearingProblem};
use crate::work::tick;

/// Solves one problem for different sets of known variables; keeps its scratch space.
#[derive(Debug)]
pub struct Solver<'p, 'a> {
    problem: &'p TearingProblem<'a>,
    banned: IdVec<Eqn, bool>,
    known: IdVec<Var, bool>,
    unknowns: IdVec<Eqn, u32>,
    /// The exclusive or of the indices of the unknown variables: the variable itself when only one is left.
    mixed: IdVec<Eqn, u32>,
    ready: [VecDeque<Eqn>; 6],
    used: IdVec<Eqn, bool>,
    sequence: Vec<Assignment>,
}

impl<'p, 'a> Solver<'p, 'a> {
    /// Scratch space for this problem.
    pub fn new(problem: &'p TearingProblem<'a>) -> Self {
        let (eqns, vars) = (problem.incidence.eqn_count(), problem.incidence.var_count());
        Self {
            problem,
            banned: IdVec::filled(false, eqns),
            known: IdVec::filled(false, vars),
            unknowns: IdVec::filled(0, eqns),
            mixed: IdVec::filled(0, eqns),
            ready: Default::default(),
            used: IdVec::filled(false, eqns),
            sequence: Vec::new(),
        }
    }

    /// Equations that are never used to solve for anything from now on.
    pub fn ban(&mut self, eqns: &[Eqn]) {
        for eqn in eqns {
            self.banned[*eqn] = true;
        }
    }

    /// Computes what follows from these variables.
    pub fn solve(&mut self, given: &[Var]) -> &[Assignment] {
        let incidence = self.problem.incidence;
        self.sequence.clear();
        for eqn in incidence.eqn_ids() {
            self.used[eqn] = false;
            self.unknowns[eqn] = incidence.vars(eqn).len() as u32;
            self.mixed[eqn] = incidence.vars(eqn).iter().fold(0, |mixed, var| mixed ^ var.0);
        }
        tick(incidence.edge_count() + incidence.eqn_count());
        for var in incidence.var_ids() {
            self.known[var] = false;
        }
        for eqn in incidence.eqn_ids().filter(|eqn| incidence.vars(*eqn).len() == 1) {
            self.enqueue(eqn);
        }
        for &var in given {
            self.learn(var);
        }
        while let Some(eqn) = self.ready.iter_mut().find_map(VecDeque::pop_front) {
            let var = Var(self.mixed[eqn]);
            if self.unknowns[eqn] == 1 && !self.known[var] {
                self.used[eqn] = true;
                self.sequence.push(Assignment { eqn, var });
                self.learn(var);
            }
        }
        &self.sequence
    }

    /// Whether everything follows from these variables.
    pub fn is_complete(&mut self, given: &[Var]) -> bool {
        self.solve(given);
        self.known.as_slice().iter().all(|known| *known)
    }

    /// After [`solve`](Self::solve): whether the variable is given or follows.
    pub fn is_known(&self, var: Var) -> bool {
        self.known[var]
    }

    /// After [`solve`](Self::solve): whether the equation gave a variable.
    pub fn is_used(&self, eqn: Eqn) -> bool {
        self.used[eqn]
    }

    /// After [`solve`](Self::solve): how many variables of the equation are unknown.
    pub fn unknowns(&self, eqn: Eqn) -> usize {
        self.unknowns[eqn] as usize
    }

    /// The tearing with these variables; variables that do not follow from them are torn as well.
    pub fn tearing(&mut self, given: &[Var]) -> Tearing {
        let mut tearing_variables = given.to_vec();
        if !self.is_complete(&tearing_variables) {
            tearing_variables.extend(self.known.iter().filter(|(_, known)| !**known).map(|(var, _)| var));
            self.solve(&tearing_variables);
        }
        tearing_variables.sort_unstable();
        tearing_variables.dedup();
        let residuals = self.used.iter().filter(|(_, used)| !**used).map(|(eqn, _)| eqn).collect();
        Tearing { tearing_variables, residuals, sequence: self.sequence.clone() }
    }

    fn learn(&mut self, var: Var) {
        if std::mem::replace(&mut self.known[var], true) {
            return;
        }
        let incidence = self.problem.incidence;
        tick(incidence.eqns(var).len());
        for &eqn in incidence.eqns(var) {
            self.unknowns[eqn] -= 1;
            self.mixed[eqn] ^= var.0;
            if self.unknowns[eqn] == 1 && !self.used[eqn] {
                self.enqueue(eqn);
            }
        }
    }

    fn enqueue(&mut self, eqn: Eqn) {
        let var = Var(self.mixed[eqn]);
        if self.banned[eqn] || var.index() >= self.problem.incidence.var_count() {
            return;
        }
        let Some(edge) = self.problem.incidence.find(eqn, var) else { return };
        if self.problem.may_solve(edge) {
            let rank = self.problem.incidence.solvability(edge).rank();
            let queue = if self.problem.preferred_residual[eqn] { 5 } else { rank };
            self.ready[queue].push_back(eqn);
        }
    }
}
