//! Index reduction and state selection.
//!
//! Pantelides' algorithm (C. C. Pantelides, *The consistent initialization of differential-algebraic systems*,
//! SIAM J. Sci. Stat. Comput. 9, 1988) says how often each equation has to be differentiated; dummy
//! derivatives (Mattsson and Söderlind, 1993) say which variables stay states. Both are structural and live
//! in `kausal-structure`; here their answers become equations and variables.
//!
//! What structure leaves open is decided by numbers in [`states`](crate::reduce::states).
//!
//! After: every differentiated equation is in the list beside the one it came from; a variable is a state when
//! [`Selection::states`] says so; the derivatives of all others are ordinary unknowns.

use kausal_model::flat::{Origin, StateSelect, Type};
use kausal_structure::{
    Certainty, Id, IdVec, PantelidesError, StatePriority, Var as Column, pantelides, select_states,
};
use kausal_symbolic::interval::Interval;
use kausal_symbolic::visit::Visitor;
use kausal_symbolic::{ExprId, VarId};
use kausal_syntax::Diagnostic;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::equations::derivative::time_derivative;
use crate::equations::sort::is_continuous;
use crate::equations::sort::{Singular, Sorting};
use crate::equations::work::text;
use crate::equations::work::{Equation, EquationForm, Role, Work};
use crate::program::StateSet;
use crate::reduce::states::{self, NOT_DIFFERENTIATED, Reduced, Restarted};

/// The states, in the order of the variables.
#[derive(Clone, Debug, Default)]
pub(crate) struct Selection {
    pub states: Vec<VarId>,
    /// Those whose start values count; the same but for members of dynamic sets.
    pub at_start: Vec<VarId>,
    /// States selected while the model runs.
    pub sets: Vec<StateSet>,
}

/// Differentiates what must be differentiated and selects states. Variables that are to be states, but whose
/// derivatives the model does not have, get derivatives, and so do those whose derivatives only initial equations speak
/// of; where that leads nowhere it is as if nothing had been wished.
pub(crate) fn reduce(work: &mut Work) -> Result<Selection, Singular> {
    let mut wished = wished(work);
    wished.extend(only_at_start(work));
    if wished.is_empty() {
        return reduce_as_is(work);
    }
    let before = work.clone();
    for &v in &wished {
        let derivative = work.derivative_of(v);
        let helper = work.add_helper(format!("wished({})", work.var(v).name), Type::Real, Role::Continuous);
        let (lhs, rhs) = (work.pool.var(helper), work.pool.var(derivative));
        let origin = Origin { location: work.var(v).location, ..Origin::default() };
        let form = EquationForm::Plain;
        work.equations.push(Equation { lhs, rhs, origin, form, order: 0, model: None, hints: Vec::new() });
    }
    work.bounds.resize(work.vars.len(), Interval::ALL);
    let said = before.diagnostics.len();
    match reduce_as_is(work) {
        Ok(selection) if !work.diagnostics[said..].iter().any(Diagnostic::is_error) => Ok(selection),
        _ => {
            *work = before;
            reduce_as_is(work)
        }
    }
}

/// `stateSelect = prefer` and `always` also mean variables that do not appear differentiated (specification section
/// 4.8.7.1).
fn wished(work: &Work) -> Vec<VarId> {
    (0..work.vars.len() as u32)
        .map(VarId)
        .filter(|&v| {
            let var = work.var(v);
            matches!(var.select, StateSelect::Prefer | StateSelect::Always)
                && var.role == Role::Continuous
                && var.ty == Type::Real
                && var.alias.is_none()
                && var.derivative.is_none()
        })
        .collect()
}

/// Variables whose derivatives stand in initial equations and nowhere else: what they are must follow from the model.
fn only_at_start(work: &Work) -> Vec<VarId> {
    let derivatives: FxHashMap<VarId, VarId> = (0..work.vars.len() as u32)
        .map(VarId)
        .filter(|&v| work.var(v).role == Role::Continuous && work.var(v).alias.is_none())
        .filter_map(|v| work.var(v).derivative.map(|d| (d, v)))
        .collect();
    let among = |equations: &[Equation]| -> FxHashSet<VarId> {
        let (mut visitor, mut all) = (Visitor::default(), Vec::new());
        visitor.begin(&work.pool);
        for side in equations.iter().flat_map(|e| [e.lhs, e.rhs]) {
            visitor.variables(&work.pool, side, &mut all);
        }
        all.into_iter().filter(|v| derivatives.contains_key(v)).collect()
    };
    let at_start = among(&work.initial_equations);
    if at_start.is_empty() {
        return Vec::new();
    }
    let always = among(&work.equations);
    let mut found: Vec<VarId> =
        at_start.iter().filter(|d| !always.contains(d)).map(|d| derivatives[d]).collect();
    found.sort_unstable();
    found
}

fn reduce_as_is(work: &mut Work) -> Result<Selection, Singular> {
    let rows: Vec<usize> = (0..work.equations.len()).filter(|&i| is_continuous(work, i)).collect();
    // What is delayed is only looked at: nothing depends on it at the same instant.
    let carried = work.transports.iter().flat_map(|t| t.inputs);
    let delayed: FxHashSet<VarId> = work.delays.iter().map(|d| d.input).chain(carried).collect();
    let columns: Vec<VarId> = (0..work.vars.len() as u32)
        .map(VarId)
        .filter(|v| !delayed.contains(v))
        .filter(|&v| work.var(v).role == Role::Continuous && work.var(v).alias.is_none())
        .collect();
    let place: FxHashMap<VarId, usize> = columns.iter().enumerate().map(|(i, &v)| (v, i)).collect();
    let derivative: IdVec<Column, Option<Column>> = columns
        .iter()
        .map(|&v| work.var(v).derivative.and_then(|d| place.get(&d)).map(|&i| Column::from_index(i)))
        .collect();
    let sorting = Sorting::for_differentiation(work, rows, columns);
    let reduction = match pantelides(&sorting.incidence, &derivative) {
        Ok(reduction) => reduction,
        Err(PantelidesError::Singular { subsets }) => {
            return Err(crate::reduce::singular::all_too_many(work, &sorting, &derivative, subsets));
        }
        Err(PantelidesError::NotAChain { .. }) => return Err(Singular::default()),
    };

    let natural: Vec<bool> = work.vars.iter().map(|v| v.derivative.is_some()).collect();
    // Variables of the reduction, old and new, in our numbering.
    let mut variables: Vec<VarId> = sorting.columns.clone();
    variables.resize(reduction.var_count(), VarId(0));
    for chain in 0..reduction.chains.len() {
        let mut v = sorting.columns[reduction.chains.members(chain)[0].index()];
        for order in 1..=reduction.highest[chain] {
            v = work.derivative_of(v);
            if let Some(column) = reduction.var_at(chain, order) {
                variables[column.index()] = v;
            }
        }
    }
    for (eqn, &times) in reduction.differentiations.iter() {
        let mut last = sorting.rows[eqn.index()];
        for _ in 0..times {
            last = differentiate(work, last);
        }
        if times > 0 {
            let e = &work.equations[sorting.rows[eqn.index()]];
            let place = if e.origin.component.is_empty() {
                "the model".to_owned()
            } else {
                e.origin.component.clone()
            };
            work.report.index_reduced.push(format!("{} (in {place}), {times}×", text(work, last)));
        }
    }

    let restarted = states::restarted(work);
    let priority = |work: &Work, v: VarId| {
        let natural = natural.get(v.index()).is_some_and(|n| *n);
        priority(work, v, natural, restarted.contains_key(&v))
    };
    let mut selection = select_states(&reduction, |column| priority(work, variables[column.index()]));
    let reduced = Reduced { reduction: &reduction, sorting: &sorting, variables: &variables };
    // Level by level, because what is open one order below depends on what was chosen above. Numbers have weighed
    // all wishes already, so what they say is final.
    const DECIDED: i32 = 4_000_000;
    let mut unwanted: FxHashMap<VarId, i32> = FxHashMap::default();
    let mut judgements = Vec::new();
    let levels = reduction.differentiations.as_slice().iter().max().copied().unwrap_or(0);
    for level in 0..levels {
        let here = states::judge(work, &selection, level, &reduced, &restarted, &priority);
        if here.is_empty() {
            continue;
        }
        states::unwanted(&here, &reduced, &mut unwanted);
        judgements.extend(here);
        selection = select_states(&reduction, |column| {
            let v = variables[column.index()];
            let weight = unwanted.get(&v).copied().unwrap_or(0).saturating_mul(DECIDED);
            StatePriority(priority(work, v).0.saturating_sub(weight))
        });
    }
    for choice in &selection.choices {
        let names: Vec<&str> =
            choice.dummies.iter().map(|d| work.var(variables[d.index()]).name.as_str()).collect();
        let certainty = match &choice.certainty {
            Certainty::Forced => "there was no choice",
            Certainty::Safe => "they can be solved for without a division by zero",
            Certainty::Open(_) => "the numbers must show that they can be solved for",
        };
        let sentence = format!("not integrated because of constraints: {} ({certainty})", names.join(", "));
        work.report.decisions.push(sentence);
    }
    overruled(work, &selection, &variables);
    let mut states: Vec<VarId> = selection.states.iter().map(|s| variables[s.index()]).collect();
    states.sort_unstable();
    let at_start = states.clone();
    let sets = states::dynamic_sets(work, &judgements, &reduced, &restarted, &mut states);
    for set in &sets {
        let names: Vec<&str> = set.candidates.iter().map(|v| work.var(*v).name.as_str()).collect();
        let constant = |&e: &ExprId| !work.pool.contains_any(e, |v| !work.is_parameter(v));
        let sentence = format!(
            "{} of {} {} while the model runs: {}",
            set.states.len(),
            names.join(", "),
            if set.states.len() == 1 { "is selected as a state" } else { "are selected as states" },
            match set.jacobian.iter().all(constant) {
                true => "`reinit` sets more of them than can be states at once",
                false => "no choice is good everywhere",
            },
        );
        let mut d = Diagnostic::note("K0414", sentence.clone());
        if let Some(location) = work.var(set.candidates[0]).location {
            d = d.at(location, "one of them");
        }
        work.report.decisions.push(sentence);
        if !work.diagnostics.iter().any(Diagnostic::is_error) {
            work.diagnostics.push(d);
        }
    }
    not_restarted(work, &restarted, &states, &sets);
    Ok(Selection { states, at_start, sets })
}

/// What `reinit` sets must be a state (specification section 8.3.6), or one of those selected as states while the model
/// runs: those the event sets are selected then. What is neither is an error: the new value would be lost.
fn not_restarted(work: &mut Work, restarted: &Restarted, states: &[VarId], sets: &[StateSet]) {
    for (v, location) in restarted {
        let selectable = sets.iter().any(|set| set.candidates.contains(v));
        if states.contains(v) || selectable || work.var(*v).role != Role::Continuous {
            continue;
        }
        let name = &work.var(*v).name;
        let mut d = Diagnostic::error(
            "K0417",
            format!("{name} cannot be reinitialised: it is no state, constraints determine it from others"),
        )
        .help("reinitialise the states it follows from, or take the constraint away");
        if let Some(location) = location.or(work.var(*v).location) {
            d = d.at(location, "reinitialised here");
        }
        work.diagnostics.push(d);
    }
}

/// `stateSelect = always` and `never` are demands: what could not be met is said.
fn overruled(work: &mut Work, selection: &kausal_structure::StateSelection, variables: &[VarId]) {
    let states: FxHashSet<VarId> = selection.states.iter().map(|s| variables[s.index()]).collect();
    for &d in variables {
        let Some(v) = work.var(d).integral else { continue };
        let (message, help) = match (work.var(v).select, states.contains(&v)) {
            (StateSelect::Always, false) => (
                format!("{} cannot be a state: constraints determine it from other states", work.var(v).name),
                "take `stateSelect = StateSelect.always` from it or from what it is constrained by",
            ),
            (StateSelect::Never, true) if work.no_states.contains(&v) => (
                format!(
                    "the translator command `variable unknown {}` is not followed: nothing but its derivative determines it",
                    work.var(v).name
                ),
                "take the command away, or add an equation that determines it from other states",
            ),
            (StateSelect::Never, true) => (
                format!("{} is told never to be a state, but nothing else determines it", work.var(v).name),
                "take `stateSelect = StateSelect.never` from it",
            ),
            _ => continue,
        };
        let mut d = Diagnostic::warning("K0413", message).help(help);
        if let Some(location) = work.var(v).location {
            d = d.at(location, "declared here");
        }
        work.diagnostics.push(d);
    }
}

/// How much a variable is wanted as a state; `natural` if the model itself differentiates it. What only index reduction
/// differentiates is no state unless it is preferred (specification section 18.8.8). What `reinit` sets has to be one,
/// which goes before preferences.
fn priority(work: &Work, v: VarId, natural: bool, restarted: bool) -> StatePriority {
    const RESTARTED: StatePriority = StatePriority(StatePriority::ALWAYS.0 / 2);
    let var = work.var(v);
    let base = match var.select {
        StateSelect::Avoid | StateSelect::Default | StateSelect::Prefer if restarted => RESTARTED,
        StateSelect::Avoid | StateSelect::Default if !natural => NOT_DIFFERENTIATED,
        StateSelect::Never => StatePriority::NEVER,
        StateSelect::Avoid => StatePriority::AVOID,
        StateSelect::Default => StatePriority::DEFAULT,
        StateSelect::Prefer => StatePriority::PREFER,
        StateSelect::Always => StatePriority::ALWAYS,
    };
    // A fixed start value is a wish; a given one a small wish; a variable the model does not have is none.
    let wish = match (var.fixed, var.start, var.made) {
        (Some(true), _, _) => 100,
        (_, Some(_), false) => 10,
        (_, _, true) => -10,
        _ => 0,
    };
    StatePriority(base.0 + wish)
}

/// Adds the time derivative of an equation.
fn differentiate(work: &mut Work, equation: usize) -> usize {
    let Equation { lhs, rhs, origin, order, hints, .. } = work.equations[equation].clone();
    let said = work.diagnostics.len();
    let lhs = time_derivative(work, lhs);
    let rhs = time_derivative(work, rhs);
    // der(residue(x)) = residue(der(x)), and likewise for relax.
    let hints = hints.into_iter().map(|(kind, target)| (kind, time_derivative(work, target))).collect();
    if let Some(location) = origin.location {
        for d in &mut work.diagnostics[said..] {
            *d = d.clone().at(location, "in this equation");
        }
    }
    work.equations.push(Equation {
        lhs,
        rhs,
        origin,
        form: EquationForm::Plain,
        order: order + 1,
        model: None,
        hints,
    });
    work.equations.len() - 1
}
