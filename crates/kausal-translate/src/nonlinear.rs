//! Nonlinear systems: torn, linear systems inside, with a symbolic Jacobian of what is left.
//!
//! Tearing paper (Elmqvist and Otter 1994), "Solving torn non-linear systems": `y = g(z)` in sequence, residuals
//! `h(y, z)`, and `dH/dz = dh/dy dg/dz + dh/dz` formed symbolically, column by column with the chain rule. What is
//! iterated on is decided in `nested`.

use std::collections::BTreeMap;

use kausal_structure::SolvabilitySet;
use kausal_structure::tearing::declared::{Completion, tear_as_declared};
use kausal_structure::tearing::{Effort, FORBIDDEN, TearingProblem, tear};
use kausal_symbolic::{ExprId, Op, VarId};
use rustc_hash::FxHashMap;

use crate::Tearing as Choice;
use crate::discretize::without_stage;
use crate::emit::Emitter;
use crate::nested::{self, Part, Plan};
use crate::program::{EquationRef, Form, Iteration, Jacobian, Nonlinear, Solve, SolveKind, Step};
use crate::solve::{self, Solution};
use crate::sort::{Block, Sorting};
use crate::{declared, eliminate, linear, seeded};

/// What is computed inside, for the chain rule.
enum Computed {
    Formula(VarId, ExprId),
    /// A linear system: equations and unknowns.
    Linear(Block),
    /// What a torn linear system leaves to a solver.
    Kernel(Solve),
}

/// The system of a block that is not linear in its unknowns.
pub(crate) fn emit(emitter: &mut Emitter, block: &Block) -> Step {
    let sorting = Sorting::new(emitter.work, block.equations.clone(), block.unknowns.clone());
    let plan = plan(emitter, block, &sorting);
    let mut unknowns: Vec<VarId> = plan.iterated.iter().map(|&c| block.unknowns[c]).collect();
    let mut residual_equations: Vec<usize> = plan.residuals.iter().map(|&r| block.equations[r]).collect();
    let mut steps = Vec::new();
    let mut computed: Vec<Computed> = Vec::new();
    for part in &plan.parts {
        match part {
            Part::Assign(row, column) => {
                let (equation, unknown) = (block.equations[*row], block.unknowns[*column]);
                match solve::solve(emitter.work, equation, unknown) {
                    Solution::Explicit(value) => {
                        computed.push(Computed::Formula(unknown, value));
                        emitter.assign(unknown, value, Some(EquationRef(equation as u32)), &mut steps);
                    }
                    Solution::None => {
                        // Promised but not delivered: iterate on it as well.
                        unknowns.push(unknown);
                        residual_equations.push(equation);
                    }
                }
            }
            Part::Linear(rows, columns) => {
                let inner = Block {
                    equations: rows.iter().map(|&r| block.equations[r]).collect(),
                    unknowns: columns.iter().map(|&c| block.unknowns[c]).collect(),
                };
                match linear::emit(emitter, &inner) {
                    Some(step) => {
                        match straight_line(emitter, &step) {
                            Some(formulas) => computed.extend(formulas),
                            None => computed.push(Computed::Linear(inner)),
                        }
                        steps.push(step);
                    }
                    None => {
                        unknowns.extend(inner.unknowns);
                        residual_equations.extend(inner.equations);
                    }
                }
            }
        }
    }
    let mut residuals = Vec::new();
    let mut formulas = Vec::new();
    for &equation in &residual_equations {
        let value = emitter.work.residual(equation);
        formulas.push(value);
        let slot = emitter.slot();
        emitter.assign(slot, value, None, &mut steps);
        residuals.push(slot);
    }
    let jacobian = jacobian(emitter, &unknowns, &computed, &formulas);
    let nonlinear = Nonlinear { unknowns, steps, residuals, jacobian, iteration: Iteration::Newton };
    let residuals = residual_equations.iter().map(|&e| EquationRef(e as u32)).collect();
    emitter.newton(block, nonlinear, residuals)
}

/// What is iterated on: as found, or as declared where that is prescribed or no more.
fn plan(emitter: &mut Emitter, block: &Block, sorting: &Sorting) -> Plan {
    let must_not = |v: &VarId| emitter.untorn.contains(without_stage(&emitter.work.var(*v).name));
    let choice = match emitter.settings.tearing {
        _ if !emitter.untorn.is_empty() && block.unknowns.iter().any(must_not) => Choice::Off,
        choice => choice,
    };
    let solvable = match choice {
        Choice::Off => SolvabilitySet::NONE,
        _ => SolvabilitySet::EXPLICIT,
    };
    let hints = emitter.hints.of(emitter.work, block);
    let mut problem = TearingProblem::new(&sorting.incidence, solvable);
    nested::weights(emitter, block, &mut problem.weight);
    for &v in &hints.kept {
        problem.weight[v] = FORBIDDEN;
    }
    if choice == Choice::Off {
        return Plan::torn(&tear(&problem, Effort::default()).tearing);
    }
    if choice == Choice::Auto
        && let Some(plan) = seeded::plan(emitter, block, &problem)
    {
        return plan;
    }
    if !hints.tears() {
        let found = Plan::torn(&tear(&problem, Effort::default()).tearing);
        return nested::improved(emitter, block, &problem, found);
    }
    let declared = tear_as_declared(&problem, &hints.tearing, Completion::Automatic);
    if choice == Choice::Declared {
        if let Some(d) = declared::diagnose(emitter.work, block, &declared, &hints) {
            emitter.report(d);
        }
        return Plan::torn(&declared.tearing);
    }
    let found = tear(&problem, Effort::default()).tearing;
    let fewer = found.tearing_variables.len() < declared.tearing.tearing_variables.len();
    nested::improved(emitter, block, &problem, Plan::torn(if fewer { &found } else { &declared.tearing }))
}

/// The formulas of a linear system in an inlined step that needs no solver: what depends on the step size only has no
/// derivatives, so these cost less than a second solution.
fn straight_line(emitter: &Emitter, step: &Step) -> Option<Vec<Computed>> {
    let Step::System(system) = step else { return None };
    let Form::Linear { steps, .. } = &system.form else { return None };
    let formula = |step: &Step| match step {
        Step::Assign(assign) => Some(Computed::Formula(assign.variable, assign.value)),
        Step::Solve(solve) if solve.kind != SolveKind::Symmetric => Some(Computed::Kernel(solve.clone())),
        _ => None,
    };
    if emitter.seeds.is_empty() { None } else { steps.iter().map(formula).collect() }
}

/// Derivatives of the residuals by the iteration variables; `None` where a formula cannot be differentiated.
fn jacobian(
    emitter: &mut Emitter,
    unknowns: &[VarId],
    computed: &[Computed],
    residuals: &[ExprId],
) -> Option<Jacobian> {
    let mut steps = Vec::new();
    // Gradients by iteration variable, of everything computed so far.
    let mut gradient: FxHashMap<VarId, Vec<(usize, ExprId)>> = FxHashMap::default();
    let one = emitter.work.pool.constant(1.0);
    for (k, &v) in unknowns.iter().enumerate() {
        gradient.insert(v, vec![(k, one)]);
    }
    for part in computed {
        match part {
            Computed::Formula(v, formula) => {
                let row = chain_rule(emitter, *formula, &gradient, &mut steps)?;
                gradient.insert(*v, row);
            }
            Computed::Linear(block) => through_system(emitter, block, &mut gradient, &mut steps)?,
            Computed::Kernel(solve) => through_kernel(emitter, solve, &mut gradient, &mut steps),
        }
    }
    let mut entries = Vec::new();
    for (r, &formula) in residuals.iter().enumerate() {
        for (k, value) in chain_rule(emitter, formula, &gradient, &mut steps)? {
            entries.push((r as u32, k as u32, emitter.held(value, &mut steps)));
        }
    }
    let mut sensitivities = Vec::new();
    let mut states: Vec<VarId> =
        gradient.keys().copied().filter(|v| emitter.integrated.contains(v)).collect();
    states.sort_unstable();
    for state in states {
        for (k, value) in gradient.get(&state).cloned().unwrap_or_default() {
            sensitivities.push((state, k as u32, emitter.held(value, &mut steps)));
        }
    }
    Some(Jacobian { steps, entries, sensitivities })
}

/// From `A(z) x = b(z)` follows `A dx = db - dA x`: minus the derivative of the residuals with `x` at rest.
fn through_system(
    emitter: &mut Emitter,
    block: &Block,
    gradient: &mut FxHashMap<VarId, Vec<(usize, ExprId)>>,
    out: &mut Vec<Step>,
) -> Option<()> {
    let place: FxHashMap<VarId, usize> = block.unknowns.iter().enumerate().map(|(i, &v)| (v, i)).collect();
    let mut matrix = Vec::new();
    let mut right: BTreeMap<usize, Vec<(usize, ExprId)>> = BTreeMap::new();
    for (r, &equation) in block.equations.iter().enumerate() {
        let (coefficients, _) = solve::linear(emitter.work, equation, &|v| place.contains_key(&v))?;
        let mut row = Vec::new();
        for (v, coefficient) in coefficients {
            let held = emitter.held(coefficient, out);
            row.push((place[&v], emitter.work.pool.var(held)));
        }
        matrix.push(row);
        let residual = emitter.work.residual(equation);
        for (k, slope) in chain_rule(emitter, residual, gradient, out)? {
            right.entry(k).or_default().push((r, emitter.work.pool.op(Op::Neg, &[slope])));
        }
    }
    let mut rows: Vec<Vec<(usize, ExprId)>> = vec![Vec::new(); block.unknowns.len()];
    let zero = emitter.work.pool.constant(0.0);
    let kind = if block.unknowns.len() <= linear::DENSE_WHOLE { SolveKind::Dense } else { SolveKind::Sparse };
    for (k, slopes) in right {
        let mut side = vec![zero; block.equations.len()];
        slopes.into_iter().for_each(|(r, slope)| side[r] = slope);
        let slots: Vec<VarId> = block.unknowns.iter().map(|_| emitter.slot()).collect();
        eliminate::kernel(emitter, &matrix, &side, &slots, kind, out);
        for (row, slot) in rows.iter_mut().zip(slots) {
            row.push((k, emitter.work.pool.var(slot)));
        }
    }
    gradient.extend(block.unknowns.iter().copied().zip(rows));
    Some(())
}

/// The same for the kernel of a torn system: `A dx = db - dA x`.
fn through_kernel(
    emitter: &mut Emitter,
    solve: &Solve,
    gradient: &mut FxHashMap<VarId, Vec<(usize, ExprId)>>,
    out: &mut Vec<Step>,
) {
    let n = solve.unknowns.len();
    let mut right: BTreeMap<usize, Vec<Vec<ExprId>>> = BTreeMap::new();
    for (r, v) in solve.rhs.iter().enumerate() {
        for &(k, slope) in gradient.get(v).into_iter().flatten() {
            right.entry(k).or_insert_with(|| vec![Vec::new(); n])[r].push(slope);
        }
    }
    for (r, c, v) in &solve.entries {
        for &(k, slope) in gradient.get(v).into_iter().flatten() {
            let pool = &mut emitter.work.pool;
            let x = pool.var(solve.unknowns[*c as usize]);
            let product = pool.op(Op::Mul, &[slope, x]);
            let term = pool.op(Op::Neg, &[product]);
            right.entry(k).or_insert_with(|| vec![Vec::new(); n])[*r as usize].push(term);
        }
    }
    let mut rows: Vec<Vec<(usize, ExprId)>> = vec![Vec::new(); n];
    for (k, terms) in right {
        let mut rhs = Vec::with_capacity(n);
        for terms in terms {
            let value = solve::sum(&mut emitter.work.pool, &terms);
            rhs.push(emitter.held(value, out));
        }
        let unknowns: Vec<VarId> = (0..n).map(|_| emitter.slot()).collect();
        for (row, slot) in rows.iter_mut().zip(&unknowns) {
            row.push((k, emitter.work.pool.var(*slot)));
        }
        out.push(Step::Solve(Solve { rhs, unknowns, ..solve.clone() }));
    }
    gradient.extend(solve.unknowns.iter().copied().zip(rows));
}

fn chain_rule(
    emitter: &mut Emitter,
    formula: ExprId,
    gradient: &FxHashMap<VarId, Vec<(usize, ExprId)>>,
    out: &mut Vec<Step>,
) -> Option<Vec<(usize, ExprId)>> {
    let mut sums: Vec<(usize, Vec<ExprId>)> = Vec::new();
    for v in emitter.work.pool.variables_of(formula) {
        let Some(own) = gradient.get(&v) else { continue };
        if own.is_empty() {
            continue;
        }
        let partial = solve::partial(emitter.work, formula, v)?;
        let partial = emitter.temporary(partial, out);
        for &(k, slope) in own {
            let term = emitter.work.pool.op(Op::Mul, &[partial, slope]);
            match sums.iter_mut().find(|(column, _)| *column == k) {
                Some((_, terms)) => terms.push(term),
                None => sums.push((k, vec![term])),
            }
        }
    }
    sums.sort_unstable_by_key(|&(k, _)| k);
    let zero = emitter.work.pool.constant(0.0);
    let mut row = Vec::new();
    for (k, terms) in sums {
        let value = solve::sum(&mut emitter.work.pool, &terms);
        if value != zero {
            row.push((k, emitter.temporary(value, out)));
        }
    }
    Some(row)
}
