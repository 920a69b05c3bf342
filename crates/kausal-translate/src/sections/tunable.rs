//! What a run may change of a program, and why it may not change the rest.
//!
//! Formulas of a program contain parameters, not their values, so most parameters may be given another value in front of a run.
//! Not so those whose values are in the program in another way: as sizes and conditions (flattening says which), as numbers that
//! attributes have become, or in decisions that would have been others. What a parameter depends on shares its fate there.
//!
//! Decisions that only need a *divisor to differ from zero*, or a parameter to keep its sign, are none of these: whoever gives a
//! parameter another value can look at that (`kausal_runtime::tunable`).
//!
//! A start value is a first guess, or an initial condition `x = start`; it may be changed where the program has it at a single
//! place that a run can find. Where it became a number in a check, or was handed to another variable, it may not.

use kausal_model::FlatModel;
use kausal_model::flat::{Type, Variability};
use kausal_symbolic::{ExprId, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::equations::work::{Role, Work};
use crate::program::flow;
use crate::program::{EquationRef, Start, Step, Structural};
use crate::sections::build::Sections;

/// Parameters of the model that cannot be changed without another translation, by ascending variable.
pub(crate) fn structural(work: &Work, model: &FlatModel) -> Vec<(VarId, Structural)> {
    let mut found: FxHashMap<VarId, Structural> = FxHashMap::default();
    for (i, declared) in model.variables.iter().enumerate() {
        let (v, var) = (VarId(i as u32), &work.vars[i]);
        if declared.variability > Variability::Parameter {
            if var.role == Role::Parameter && var.alias.is_none() {
                found.insert(v, Structural::Equation);
            }
            continue;
        }
        let why = match (declared.variability, var.role) {
            (Variability::Constant, _) => Structural::Constant,
            _ if declared.evaluated => Structural::Evaluated,
            (_, Role::FreeParameter) => Structural::Initial,
            _ if declared.binding.is_none() => Structural::Valueless,
            _ => continue,
        };
        found.insert(v, why);
    }
    for (i, var) in work.vars.iter().enumerate() {
        if var.role == Role::Parameter && !var.made {
            continue;
        }
        let bounds = [var.min, var.max].map(|bound| bound.filter(|_| var.ty == Type::Real));
        for e in bounds.into_iter().chain([var.nominal]).flatten() {
            let why = Structural::Attribute(VarId(i as u32));
            mark_with_causes(work, &work.pool.variables_of(e), why, &mut found);
        }
    }
    let mut decided_by: Vec<VarId> = work.decided_by.iter().copied().collect();
    decided_by.sort_unstable();
    for v in decided_by {
        mark_with_causes(work, &[v], Structural::Decision(v), &mut found);
    }
    let of_model = model.variables.len();
    let mut all: Vec<_> = found.into_iter().filter(|(v, _)| v.index() < of_model).collect();
    all.sort_unstable_by_key(|(v, _)| *v);
    all
}

/// Marks parameters, and those their values depend on.
fn mark_with_causes(
    work: &Work,
    variables: &[VarId],
    why: Structural,
    found: &mut FxHashMap<VarId, Structural>,
) {
    let mut seen: FxHashSet<VarId> = FxHashSet::default();
    let mut open: Vec<VarId> = variables.to_vec();
    while let Some(v) = open.pop() {
        let v = work.resolve(v).0;
        if work.var(v).role != Role::Parameter || !seen.insert(v) {
            continue;
        }
        found.entry(v).or_insert(why);
        open.extend(work.var(v).binding.map(|b| work.pool.variables_of(b)).unwrap_or_default());
    }
}

/// Start values that runs may change, by ascending variable.
pub(crate) fn starts(work: &Work, model: &FlatModel, sections: &Sections) -> Vec<Start> {
    // What initial conditions became: an assignment by itself, or part of something else.
    let mut alone: FxHashMap<VarId, EquationRef> = FxHashMap::default();
    let mut hidden: FxHashSet<VarId> = sections.checks.iter().filter_map(|check| check.fixed).collect();
    let start_of = |e: EquationRef| work.starts.get(&(e.0 as usize)).copied();
    for step in &sections.initial {
        match step {
            Step::Assign(assign) => {
                if let Some((e, v)) = assign.equation.and_then(|e| Some((e, start_of(e)?))) {
                    alone.insert(v, e);
                }
            }
            step => {
                for step in flow::nested([step]) {
                    if let Step::System(system) = step {
                        hidden.extend(system.equations.iter().filter_map(|&e| start_of(e)));
                    }
                }
            }
        }
    }
    let pre: FxHashMap<VarId, VarId> = work.pre.iter().map(|p| (p.variable, p.slot)).collect();
    let mut all = Vec::new();
    for (i, declared) in model.variables.iter().enumerate() {
        let (v, var) = (VarId(i as u32), &work.vars[i]);
        let open = matches!(var.role, Role::Continuous | Role::Discrete | Role::Input) && var.alias.is_none();
        if declared.variability <= Variability::Parameter || !open {
            continue;
        }
        // A fixed start value of an alias may have taken its place, or be the same by comparison.
        let place = declared.start_location.or(declared.location);
        let own = declared.start.is_some() && var.start_location == place && !work.decided_by.contains(&v);
        let of_parameters = |e: ExprId| {
            !work.pool.has_calls(e) && !work.pool.contains_any(e, |w| work.var(w).role != Role::Parameter)
        };
        let slots = [Some(v), pre.get(&v).copied()].into_iter().flatten();
        let first = all.len();
        all.extend(slots.filter_map(|slot| {
            let value = work.var(slot).start?;
            let changeable = own && !hidden.contains(&slot) && of_parameters(value);
            Some(Start { variable: v, slot, value, equation: alone.get(&slot).copied(), changeable })
        }));
        // At all places or at none.
        let changeable = all[first..].iter().all(|start: &Start| start.changeable);
        all[first..].iter_mut().for_each(|start| start.changeable = changeable);
        if !changeable {
            let found = all.split_off(first);
            all.extend(found.into_iter().filter(|start| work.pool.as_constant(start.value).is_none()));
        }
    }
    all
}
