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
use rustc_hash::{FxHashMap, FxHashSet};

use crate::blocks::emitter::Emitter;
use crate::blocks::guards;
use crate::blocks::nested;
use crate::blocks::plan::{Part, Plan};
use crate::blocks::{declared, eliminate, iteration_variables, linear};
use crate::equations::solve::{self, Solution};
use crate::equations::sort::{Block, Sorting};
use crate::options::Tearing as Choice;
use crate::program::without_stage;
use crate::program::{EquationRef, Form, Iteration, Jacobian, Nonlinear, Solve, SolveKind, Step};

/// What is computed inside, for the chain rule.
enum Computed {
    Formula(VarId, ExprId),
    /// A linear system: equations and unknowns.
    Linear(Block),
    /// What a torn linear system leaves to a solver.
    Kernel(Solve),
    /// A nonlinear system of one unknown: what follows from that, and the residual.
    Inner {
        unknown: VarId,
        computed: Vec<Computed>,
        residual: ExprId,
    },
}

/// Derivatives by iteration variables, given by their places.
type Gradients = FxHashMap<VarId, Vec<(usize, ExprId)>>;

/// A nonlinear system while it is put together.
#[derive(Default)]
struct Torn {
    unknowns: Vec<VarId>,
    /// The equations that are to become true.
    residuals: Vec<usize>,
    steps: Vec<Step>,
    computed: Vec<Computed>,
}

/// The system of a block that is not linear in its unknowns.
pub(crate) fn emit(emitter: &mut Emitter, block: &Block) -> Step {
    let sorting = Sorting::new(emitter.work, block.equations.clone(), block.unknowns.clone());
    let plan = plan(emitter, block, &sorting);
    let torn = follow(emitter, block, &plan);
    finish(emitter, block, torn).0
}

/// The residuals of a system and their Jacobian; gives also the residuals as formulas.
fn finish(emitter: &mut Emitter, block: &Block, torn: Torn) -> (Step, Vec<Computed>, Vec<ExprId>) {
    let Torn { unknowns, residuals: equations, mut steps, computed } = torn;
    let mut residuals = Vec::new();
    let mut formulas = Vec::new();
    for &equation in &equations {
        let value = emitter.work.residual(equation);
        formulas.push(value);
        let slot = emitter.slot();
        emitter.assign(slot, value, None, &mut steps);
        residuals.push(slot);
    }
    let jacobian = jacobian(emitter, &unknowns, &computed, &formulas);
    let nonlinear = Nonlinear { unknowns, steps, residuals, jacobian, iteration: Iteration::Newton };
    let residuals = equations.iter().map(|&e| EquationRef(e as u32)).collect();
    (emitter.newton(block, nonlinear, residuals), computed, formulas)
}

/// The steps of a plan.
fn follow(emitter: &mut Emitter, block: &Block, plan: &Plan) -> Torn {
    let part_of = |rows: &[usize], columns: &[usize]| Block {
        equations: rows.iter().map(|&r| block.equations[r]).collect(),
        unknowns: columns.iter().map(|&c| block.unknowns[c]).collect(),
    };
    let Block { equations, unknowns } = part_of(&plan.residuals, &plan.iterated);
    let mut torn = Torn { unknowns, residuals: equations, ..Torn::default() };
    for part in &plan.parts {
        match part {
            Part::Assign(row, column) => {
                let (equation, unknown) = (block.equations[*row], block.unknowns[*column]);
                match solve::solve(emitter.work, equation, unknown) {
                    Solution::Explicit(value) => {
                        torn.computed.push(Computed::Formula(unknown, value));
                        emitter.assign(unknown, value, Some(EquationRef(equation as u32)), &mut torn.steps);
                    }
                    Solution::None => {
                        // Promised but not delivered: iterate on it as well.
                        torn.unknowns.push(unknown);
                        torn.residuals.push(equation);
                    }
                }
            }
            Part::Linear(rows, columns) => {
                let inner = part_of(rows, columns);
                match linear::emit(emitter, &inner) {
                    Some(step) => {
                        match straight_line(emitter, &step) {
                            Some(formulas) => torn.computed.extend(formulas),
                            None => torn.computed.push(Computed::Linear(inner)),
                        }
                        torn.steps.push(step);
                    }
                    None => {
                        torn.unknowns.extend(inner.unknowns);
                        torn.residuals.extend(inner.equations);
                    }
                }
            }
            Part::Inner(plan) => {
                let inner = follow(emitter, block, plan);
                inside(emitter, &part_of(&plan.rows(), &plan.columns()), inner, &mut torn);
            }
        }
    }
    torn
}

/// A system of one unknown inside another one. Where its derivative is not to be had it is part of that.
fn inside(emitter: &mut Emitter, block: &Block, inner: Torn, torn: &mut Torn) {
    let residual = inner.residuals.first().map(|&equation| emitter.work.residual(equation));
    let can = match (&inner.unknowns[..], residual) {
        (&[unknown], Some(residual)) if inner.residuals.len() == 1 => {
            let mark = emitter.mark();
            let known = jacobian(emitter, &[unknown], &inner.computed, &[residual]).is_some();
            emitter.rollback(mark);
            known
        }
        _ => false,
    };
    if !can {
        torn.unknowns.extend(inner.unknowns);
        torn.residuals.extend(inner.residuals);
        torn.steps.extend(inner.steps);
        torn.computed.extend(inner.computed);
        return;
    }
    let unknown = inner.unknowns[0];
    let (mut step, computed, residuals) = finish(emitter, block, inner);
    if let Step::System(system) = &mut step
        && let Form::Nonlinear(nonlinear) = &mut system.form
        && let Some(jacobian) = &mut nonlinear.jacobian
    {
        // Only the last iteration of a step moves states by derivatives.
        jacobian.sensitivities.clear();
    }
    torn.steps.push(step);
    torn.computed.extend(residuals.first().map(|&residual| Computed::Inner { unknown, computed, residual }));
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
        && let Some(plan) = iteration_variables::plan(emitter, block, &problem)
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
    let mut gradient: Gradients = FxHashMap::default();
    let one = emitter.work.pool.constant(1.0);
    for (k, &v) in unknowns.iter().enumerate() {
        gradient.insert(v, vec![(k, one)]);
    }
    through(emitter, computed, &mut gradient, &mut steps)?;
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

/// The derivatives of all that is computed.
fn through(
    emitter: &mut Emitter,
    computed: &[Computed],
    gradient: &mut Gradients,
    out: &mut Vec<Step>,
) -> Option<()> {
    for part in computed {
        match part {
            Computed::Formula(v, formula) => {
                let row = chain_rule(emitter, *formula, gradient, out)?;
                gradient.insert(*v, row);
            }
            Computed::Linear(block) => through_system(emitter, block, gradient, out)?,
            Computed::Kernel(solve) => through_kernel(emitter, solve, gradient, out),
            Computed::Inner { unknown, computed, residual } => {
                through_iteration(emitter, *unknown, computed, *residual, gradient, out)?;
            }
        }
    }
    Some(())
}

/// From `F(x, z) = 0` follows `dx = -(dF/dz)/(dF/dx) dz`. What is computed from `x` is differentiated by it as by one variable
/// more first.
fn through_iteration(
    emitter: &mut Emitter,
    unknown: VarId,
    computed: &[Computed],
    residual: ExprId,
    gradient: &mut Gradients,
    out: &mut Vec<Step>,
) -> Option<()> {
    const OWN: usize = usize::MAX;
    let one = emitter.work.pool.constant(1.0);
    let outside: FxHashSet<VarId> = gradient.keys().copied().collect();
    gradient.insert(unknown, vec![(OWN, one)]);
    through(emitter, computed, gradient, out)?;
    let mut row = chain_rule(emitter, residual, gradient, out)?;
    let own = row.iter().position(|&(k, _)| k == OWN)?;
    let (_, pivot) = row.swap_remove(own);
    let pivot = emitter.work.pool.op(Op::Neg, &[pivot]);
    let mut motion = Vec::new();
    for (k, slope) in row {
        let value = emitter.work.pool.op(Op::Div, &[slope, pivot]);
        motion.push((k, emitter.temporary(value, out)));
    }
    let mut inside: Vec<VarId> = gradient.keys().copied().filter(|v| !outside.contains(v)).collect();
    inside.sort_unstable();
    for v in inside {
        let mut row = gradient.remove(&v).unwrap_or_default();
        if let Some(own) = row.iter().position(|&(k, _)| k == OWN) {
            let (_, factor) = row.swap_remove(own);
            for &(k, by) in &motion {
                let pool = &mut emitter.work.pool;
                let term = pool.op(Op::Mul, &[factor, by]);
                match row.iter_mut().find(|(column, _)| *column == k) {
                    Some((_, slope)) => *slope = pool.op(Op::Add, &[*slope, term]),
                    None => row.push((k, term)),
                }
            }
            for (_, slope) in &mut row {
                *slope = emitter.temporary(*slope, out);
            }
        }
        row.sort_unstable_by_key(|&(k, _)| k);
        gradient.insert(v, row);
    }
    Some(())
}

/// From `A(z) x = b(z)` follows `A dx = db - dA x`: minus the derivative of the residuals with `x` at rest.
fn through_system(
    emitter: &mut Emitter,
    block: &Block,
    gradient: &mut Gradients,
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
    let kind = if block.unknowns.len() <= guards::DENSE_WHOLE { SolveKind::Dense } else { SolveKind::Sparse };
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
fn through_kernel(emitter: &mut Emitter, solve: &Solve, gradient: &mut Gradients, out: &mut Vec<Step>) {
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
    gradient: &Gradients,
    out: &mut Vec<Step>,
) -> Option<Vec<(usize, ExprId)>> {
    let mut sums: Vec<(usize, Vec<ExprId>)> = Vec::new();
    for v in emitter.work.pool.variables_of(formula) {
        let Some(own) = gradient.get(&v) else { continue };
        if own.is_empty() {
            continue;
        }
        let partial = match emitter.seeds.is_empty() {
            true => solve::partial(emitter.work, formula, v)?,
            false => solve::slope(emitter.work, formula, v)?,
        };
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
