//! Loops solved by successive substitution: branch tearing, and the iteration of the paper on relaxing.
//!
//! Elmqvist and Otter 1994, "Branch tearing in bipartite graphs": each equation is solved for one variable, and some occurrences
//! use the value of the last sweep. Otter, Elmqvist and Cellier 1996, section 4: where the model says `relax(x)`, these are
//! the relaxed occurrences, and what must be solved together without them is a block of its own.
//!
//! | | uses values of the last sweep |
//! | --- | --- |
//! | first kind (Jacobi) | all occurrences of the iterated variables |
//! | second kind (Gauss–Seidel) | those that come before the variable is computed |
//!
//! The values of the last sweep are variables of their own, `old(x)`: the unknowns of a [`Nonlinear`] system whose residuals are
//! `x - old(x)`. A sweep that finds the residuals small is the last.

use kausal_model::flat::Type;
use kausal_structure::branch_tearing::{BranchKind, branch_tearing, sweep_for_matching};
use kausal_structure::matching::Matching;
use kausal_structure::tearing::Effort;
use kausal_structure::{Eqn, Id, Incidence, SolvabilitySet, Var as Column, relaxed_blt};
use kausal_symbolic::derivative::{NoCalls, derivative};
use kausal_symbolic::substitute::substitute;
use kausal_symbolic::{Op, VarId};
use kausal_syntax::Diagnostic;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::blocks::emitter::Emitter;
use crate::equations::parameters;
use crate::equations::solve::{self, Solution};
use crate::equations::sort::{Block, Sorting};
use crate::equations::work::Role;
use crate::options::{Loops, Relaxing};
use crate::program::{EquationRef, Form, Iteration, Nonlinear, Step, System};

/// What is solved together in a sweep, in order, and which occurrences use the last sweep.
struct Order {
    /// Rows and columns.
    groups: Vec<(Vec<Eqn>, Vec<Column>)>,
    torn: FxHashSet<(Eqn, Column)>,
    iterated: Vec<Column>,
}

/// How equations that stay together in a sweep are solved.
pub(crate) type Simultaneous<'f> = &'f mut dyn FnMut(&mut Emitter, &Block) -> Vec<Step>;

/// The block as an iteration; `None` where it cannot be one, and why is reported.
pub(crate) fn emit(emitter: &mut Emitter, block: &Block, simultaneous: Simultaneous) -> Option<Step> {
    let iteration = match emitter.settings.loops {
        Loops::Newton => return None,
        Loops::Jacobi => Iteration::Jacobi,
        Loops::GaussSeidel => Iteration::GaussSeidel,
    };
    let sorting = Sorting::new(emitter.work, block.equations.clone(), block.unknowns.clone());
    let order = relaxed(emitter, block, &sorting.incidence, iteration)
        .or_else(|| torn(dominating(emitter, block, &sorting.incidence), &sorting.incidence, iteration));
    let mark = emitter.mark();
    let step = order.and_then(|order| written(emitter, block, &order, iteration, simultaneous));
    if step.is_none() {
        emitter.rollback(mark);
        let message = format!(
            "a system of {} equations cannot be solved by successive substitution: not each of its equations can be solved \
             for a variable of its own",
            block.equations.len()
        );
        let d = Diagnostic::warning("K0442", message).help("Newton's method is used for it");
        let place = block.equations.iter().find_map(|&e| emitter.work.equations[e].origin.location);
        emitter.report(match place {
            Some(location) => d.at(location, "in this system"),
            None => d,
        });
    }
    step
}

/// The order that follows from `relax`.
fn relaxed(emitter: &Emitter, block: &Block, incidence: &Incidence, iteration: Iteration) -> Option<Order> {
    let hints = emitter.hints.of(emitter.work, block);
    if hints.relaxed.is_empty() || emitter.settings.relaxing == Relaxing::Off {
        return None;
    }
    let form = relaxed_blt(incidence, &hints.relaxed).ok()?;
    let mut position = vec![0; incidence.var_count()];
    let mut groups = Vec::new();
    for (k, block) in form.blt.blocks().enumerate() {
        block.vars.iter().for_each(|v| position[v.index()] = k);
        groups.push((block.eqns.to_vec(), block.vars.to_vec()));
    }
    let later = |(e, v): &(Eqn, Column)| {
        let own = form.matching.var_of(*e).map(|own| position[own.index()]);
        iteration == Iteration::Jacobi || own.is_some_and(|own| position[v.index()] >= own)
    };
    let exists = |(e, v): &(Eqn, Column)| incidence.find(*e, *v).is_some();
    let torn: FxHashSet<(Eqn, Column)> =
        hints.relaxed.iter().copied().filter(|b| exists(b) && later(b)).collect();
    let mut iterated: Vec<Column> = torn.iter().map(|&(_, v)| v).collect();
    iterated.sort_unstable();
    iterated.dedup();
    Some(Order { groups, torn, iterated })
}

/// Each equation with the variable that weighs more in it than all others together, where there is one in all of them: then
/// the iteration converges from anywhere, for linear equations at least. Weights are those at the start values.
fn dominating(emitter: &mut Emitter, block: &Block, incidence: &Incidence) -> Option<Matching> {
    let mut values = (*emitter.parameter_values()).clone();
    let mut matching = Matching::empty(incidence);
    let mut taken = vec![false; incidence.var_count()];
    for row in incidence.eqn_ids() {
        let e = block.equations[row.index()];
        let (lhs, rhs) = (emitter.work.equations[e].lhs, emitter.work.equations[e].rhs);
        let negative = emitter.work.pool.op(Op::Neg, &[rhs]);
        let residual = emitter.work.pool.op(Op::Add, &[lhs, negative]);
        for v in emitter.work.pool.variables_of(residual) {
            if !values.contains_key(&v) {
                let start =
                    emitter.work.var(v).start.and_then(|s| parameters::number(emitter.work, s, &values));
                values.insert(v, start.unwrap_or_else(|| parameters::default(emitter.work, v)));
            }
        }
        let mut weights = Vec::new();
        for &column in incidence.vars(row) {
            let unknown = block.unknowns[column.index()];
            let slope = derivative(&mut emitter.work.pool, residual, unknown, &mut NoCalls).ok()?;
            weights.push((column, parameters::number(emitter.work, slope, &values)?.abs()));
        }
        let all: f64 = weights.iter().map(|(_, weight)| weight).sum();
        let &(column, _) = weights.iter().find(|(_, weight)| 2.0 * weight > all)?;
        if std::mem::replace(&mut taken[column.index()], true) {
            return None;
        }
        matching.assign(row, column);
    }
    Some(matching)
}

/// Branches torn where loops close.
fn torn(given: Option<Matching>, incidence: &Incidence, iteration: Iteration) -> Option<Order> {
    let kind = match iteration {
        Iteration::Jacobi => BranchKind::First,
        _ => BranchKind::Second,
    };
    let sweep = match given {
        Some(matching) => sweep_for_matching(incidence, &matching, kind, Effort::default()),
        None => branch_tearing(incidence, SolvabilitySet::EXPLICIT, kind, Effort::default()).ok()?,
    };
    let single = |a: &kausal_structure::Assignment| (vec![a.eqn], vec![a.var]);
    let groups = sweep.sequence.iter().chain(&sweep.updates).map(single).collect();
    let torn = match kind {
        BranchKind::Second => sweep.torn.iter().copied().collect(),
        // All equations see the old value; the update gives the new one.
        BranchKind::First => {
            let uses = sweep.iterated.iter().flat_map(|&v| incidence.eqns(v).iter().map(move |&e| (e, v)));
            let own: FxHashSet<(Eqn, Column)> = sweep.updates.iter().map(|a| (a.eqn, a.var)).collect();
            uses.filter(|branch| !own.contains(branch)).collect()
        }
    };
    Some(Order { groups, torn, iterated: sweep.iterated })
}

fn written(
    emitter: &mut Emitter,
    block: &Block,
    order: &Order,
    iteration: Iteration,
    simultaneous: Simultaneous,
) -> Option<Step> {
    let mut old: FxHashMap<Column, VarId> = FxHashMap::default();
    for &c in &order.iterated {
        let var = emitter.work.var(block.unknowns[c.index()]).clone();
        let slot = emitter.work.add_helper(format!("old({})", var.name), Type::Real, Role::Temporary);
        let own = &mut emitter.work.vars[slot.index()];
        (own.start, own.nominal, own.unit) = (var.start, var.nominal, var.unit);
        old.insert(c, slot);
    }
    let mut replaced: FxHashMap<Eqn, Vec<(VarId, kausal_symbolic::ExprId)>> = FxHashMap::default();
    let mut torn: Vec<(Eqn, Column)> = order.torn.iter().copied().collect();
    torn.sort_unstable();
    for (e, v) in torn {
        let by = emitter.work.pool.var(old[&v]);
        replaced.entry(e).or_default().push((block.unknowns[v.index()], by));
    }
    let none = Vec::new();
    let mut steps = Vec::new();
    for (rows, columns) in &order.groups {
        match (&rows[..], &columns[..]) {
            (&[row], &[column]) => {
                let (equation, unknown) = (block.equations[row.index()], block.unknowns[column.index()]);
                let Solution::Explicit(value) = solve::solve(emitter.work, equation, unknown) else {
                    steps.extend(inner(emitter, block, (rows, columns), &replaced, simultaneous));
                    continue;
                };
                let by = replaced.get(&row).unwrap_or(&none);
                let value = substitute(&mut emitter.work.pool, value, by);
                emitter.assign(unknown, value, Some(EquationRef(equation as u32)), &mut steps);
            }
            _ => steps.extend(inner(emitter, block, (rows, columns), &replaced, simultaneous)),
        }
    }
    let mut residuals = Vec::new();
    for &c in &order.iterated {
        let pool = &mut emitter.work.pool;
        let (new, last) = (pool.var(block.unknowns[c.index()]), pool.var(old[&c]));
        let negative = pool.op(Op::Neg, &[last]);
        let change = pool.op(Op::Add, &[new, negative]);
        let slot = emitter.slot();
        emitter.assign(slot, change, None, &mut steps);
        residuals.push(slot);
    }
    let unknowns = order.iterated.iter().map(|c| old[c]).collect();
    let nonlinear = Nonlinear { unknowns, steps, residuals, jacobian: None, iteration };
    let mut own: FxHashMap<Column, EquationRef> = FxHashMap::default();
    for (rows, columns) in &order.groups {
        for (row, column) in rows.iter().zip(columns) {
            own.insert(*column, EquationRef(block.equations[row.index()] as u32));
        }
    }
    Some(Step::System(Box::new(System {
        equations: block.equations.iter().map(|&e| EquationRef(e as u32)).collect(),
        unknowns: block.unknowns.clone(),
        tearing_variables: order.iterated.iter().map(|c| block.unknowns[c.index()]).collect(),
        residuals: order.iterated.iter().map(|c| own[c]).collect(),
        mixed: false,
        form: Form::Nonlinear(nonlinear),
        alternatives: Vec::new(),
    })))
}

/// Equations that are solved together in a sweep, or one that is not solved by a formula: a block as any other, with the values of the last sweep known.
fn inner(
    emitter: &mut Emitter,
    block: &Block,
    (rows, columns): (&[Eqn], &[Column]),
    replaced: &FxHashMap<Eqn, Vec<(VarId, kausal_symbolic::ExprId)>>,
    simultaneous: Simultaneous,
) -> Vec<Step> {
    let first = emitter.work.equations.len();
    let originals: Vec<usize> = rows.iter().map(|row| block.equations[row.index()]).collect();
    for (row, &original) in rows.iter().zip(&originals) {
        let mut equation = emitter.work.equations[original].clone();
        if let Some(by) = replaced.get(row) {
            equation.lhs = substitute(&mut emitter.work.pool, equation.lhs, by);
            equation.rhs = substitute(&mut emitter.work.pool, equation.rhs, by);
        }
        emitter.work.equations.push(equation);
    }
    let part = Block {
        equations: (first..emitter.work.equations.len()).collect(),
        unknowns: columns.iter().map(|c| block.unknowns[c.index()]).collect(),
    };
    let loops = std::mem::replace(&mut emitter.settings.loops, Loops::Newton);
    let mut steps = simultaneous(emitter, &part);
    emitter.settings.loops = loops;
    emitter.work.equations.truncate(first);
    rename(&mut steps, &|e: &mut EquationRef| {
        if let Some(&original) = (e.0 as usize).checked_sub(first).and_then(|k| originals.get(k)) {
            *e = EquationRef(original as u32);
        }
    });
    steps
}

/// Gives equations that stood in for others the names of those.
fn rename(steps: &mut [Step], name: &dyn Fn(&mut EquationRef)) {
    let mut stack: Vec<&mut [Step]> = vec![steps];
    while let Some(steps) = stack.pop() {
        for step in steps {
            match step {
                Step::Assign(assign) => assign.equation.iter_mut().for_each(name),
                Step::System(system) => {
                    system.equations.iter_mut().for_each(name);
                    system.residuals.iter_mut().for_each(name);
                    match &mut system.form {
                        Form::Linear { steps, guard, .. } => {
                            stack.push(steps);
                            if let Some(guard) = guard {
                                stack.push(&mut guard.check);
                                stack.push(&mut guard.fallback);
                            }
                        }
                        Form::Nonlinear(nonlinear) => {
                            stack.push(&mut nonlinear.steps);
                            if let Some(jacobian) = &mut nonlinear.jacobian {
                                stack.push(&mut jacobian.steps);
                            }
                        }
                        Form::Mixed { continuous, discrete, .. } => {
                            stack.push(continuous);
                            stack.push(discrete);
                        }
                    }
                }
                Step::If(_, then, otherwise) => {
                    stack.push(then);
                    stack.push(otherwise);
                }
                _ => {}
            }
        }
    }
}
