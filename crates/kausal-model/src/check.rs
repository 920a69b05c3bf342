//! Counting equations and unknowns (specification section 4.7).

use kausal_symbolic::VarId;
use rustc_hash::FxHashSet;

use crate::flat::{Action, ActionKind, Causality, FlatModel, Variability};

/// How many equations and unknowns a flat model has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Scalar equations, those of `when` clauses and of what is given from outside included: top-level inputs, and what
    /// overdetermined connectors of the model itself have too many.
    pub equations: usize,
    /// Scalar variables that are neither constants nor parameters.
    pub unknowns: usize,
}

impl Counts {
    /// Are there as many equations as unknowns?
    pub fn balanced(self) -> bool {
        self.equations == self.unknowns
    }
}

/// Counts the equations and unknowns of a flat model.
pub fn count(flat: &FlatModel) -> Counts {
    let unknown = |v: &&crate::flat::Variable| v.variability > Variability::Parameter;
    let unknowns = flat.variables.iter().filter(unknown).count();
    let inputs = flat.variables.iter().filter(unknown).filter(|v| v.causality == Causality::Input).count();
    let mut assigned = FxHashSet::default();
    for when in &flat.whens {
        for branch in &when.branches {
            assigned_in(&branch.actions, &mut assigned);
        }
    }
    // An input with a declaration equation is not given from outside.
    let bound = flat
        .equations
        .iter()
        .filter(|e| e.origin.kind == crate::flat::OriginKind::Binding)
        .filter(|e| match flat.pool.node(e.lhs) {
            kausal_symbolic::Node::Var(v) => flat.variable(v).causality == Causality::Input,
            _ => false,
        })
        .count();
    // Conditions of `when` statements are variables of our own making, each with its equation.
    let auxiliary = flat.variables.iter().filter(|v| is_auxiliary(&v.name)).count();
    let clocked: usize = flat.clocked.iter().map(|w| w.equations.len()).sum();
    Counts {
        equations: flat.equations.len() + clocked + assigned.len() + inputs + flat.outside
            - bound
            - auxiliary,
        unknowns: unknowns - auxiliary,
    }
}

/// The variables that actions assign.
pub fn assigned_in(actions: &[Action], out: &mut FxHashSet<VarId>) {
    for action in actions {
        match &action.kind {
            ActionKind::Assign(var, _) => {
                out.insert(*var);
            }
            ActionKind::If(_, a, b) => {
                assigned_in(a, out);
                assigned_in(b, out);
            }
            _ => {}
        }
    }
}

/// Was the variable made for the condition of a `when` statement?
pub fn is_auxiliary(name: &str) -> bool {
    name.rsplit('.').next().is_some_and(|last| last.trim_start_matches('\'').starts_with("$when"))
}
