//! Is a tearing valid? The definition, written down independently of the code that finds tearings.

use std::fmt;

use crate::ids::{Eqn, Id, IdVec, Var};
use crate::tearing::{Tearing, TearingProblem};

/// What is wrong with a tearing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TearingFault {
    /// There are not as many residual equations as tearing variables.
    CountsDiffer,
    /// The variable is neither torn nor computed, or more than once.
    VariableNotOnce(Var),
    /// The equation is neither residual nor used, or more than once.
    EquationNotOnce(Eqn),
    /// The equation may not be solved for the variable (or does not contain it).
    NotSolvable(Eqn, Var),
    /// The equation needs a variable that is computed later.
    TooEarly(Eqn, Var),
}

impl fmt::Display for TearingFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TearingFault::CountsDiffer => {
                write!(f, "residual equations and tearing variables differ in number")
            }
            TearingFault::VariableNotOnce(var) => write!(f, "{var:?} is not determined exactly once"),
            TearingFault::EquationNotOnce(eqn) => write!(f, "{eqn:?} is not used exactly once"),
            TearingFault::NotSolvable(eqn, var) => write!(f, "{eqn:?} may not be solved for {var:?}"),
            TearingFault::TooEarly(eqn, var) => write!(f, "{eqn:?} needs {var:?}, which is computed later"),
        }
    }
}

impl std::error::Error for TearingFault {}

/// Checks a tearing of a square block against its definition.
pub fn check(problem: &TearingProblem, tearing: &Tearing) -> Result<(), TearingFault> {
    let incidence = problem.incidence;
    if tearing.residuals.len() != tearing.tearing_variables.len() {
        return Err(TearingFault::CountsDiffer);
    }
    let mut var_count: IdVec<Var, u32> = IdVec::filled(0, incidence.var_count());
    let mut eqn_count: IdVec<Eqn, u32> = IdVec::filled(0, incidence.eqn_count());
    for &var in &tearing.tearing_variables {
        if var.index() >= incidence.var_count() {
            return Err(TearingFault::VariableNotOnce(var));
        }
        var_count[var] += 1;
    }
    for &eqn in &tearing.residuals {
        if eqn.index() >= incidence.eqn_count() {
            return Err(TearingFault::EquationNotOnce(eqn));
        }
        eqn_count[eqn] += 1;
    }
    let mut known: IdVec<Var, bool> = var_count.as_slice().iter().map(|n| *n > 0).collect();
    for step in &tearing.sequence {
        let solvable = incidence.find(step.eqn, step.var).is_some_and(|edge| problem.may_solve(edge));
        if !solvable {
            return Err(TearingFault::NotSolvable(step.eqn, step.var));
        }
        if let Some(&var) = incidence.vars(step.eqn).iter().find(|var| **var != step.var && !known[**var]) {
            return Err(TearingFault::TooEarly(step.eqn, var));
        }
        known[step.var] = true;
        var_count[step.var] += 1;
        eqn_count[step.eqn] += 1;
    }
    if let Some((var, _)) = var_count.iter().find(|(_, n)| **n != 1) {
        return Err(TearingFault::VariableNotOnce(var));
    }
    if let Some((eqn, _)) = eqn_count.iter().find(|(_, n)| **n != 1) {
        return Err(TearingFault::EquationNotOnce(eqn));
    }
    Ok(())
}
