//! Nonlinear systems: torn, with a symbolic Jacobian of what is left.
//!
//! Tearing paper (Elmqvist and Otter 1994), "Solving torn non-linear systems": `y = g(z)` in sequence, residuals
//! `h(y, z)`, and `dH/dz = dh/dy dg/dz + dh/dz` formed symbolically, column by column with the chain rule.

use kausal_structure::tearing::declared::{Completion, tear_as_declared};
use kausal_structure::tearing::{Effort, FORBIDDEN, Tearing, TearingProblem, tear};
use kausal_structure::{Id, SolvabilitySet};
use kausal_symbolic::{ExprId, Op, VarId};
use rustc_hash::FxHashMap;

use crate::Tearing as Choice;
use crate::declared;
use crate::emit::Emitter;
use crate::program::{EquationRef, Jacobian, Nonlinear, Step};
use crate::solve::{self, Solution};
use crate::sort::{Block, Sorting};

/// The system of a block that is not linear in its unknowns.
pub(crate) fn emit(emitter: &mut Emitter, block: &Block) -> Step {
    let sorting = Sorting::new(emitter.work, block.equations.clone(), block.unknowns.clone());
    let solvable = match emitter.settings.tearing {
        Choice::Off => SolvabilitySet::NONE,
        _ => SolvabilitySet::EXPLICIT,
    };
    let torn = torn(emitter, block, &sorting, solvable);
    let mut unknowns: Vec<VarId> = torn.tearing_variables.iter().map(|v| block.unknowns[v.index()]).collect();
    let mut residual_equations: Vec<usize> =
        torn.residuals.iter().map(|e| block.equations[e.index()]).collect();
    let mut steps = Vec::new();
    // What is computed, with its formula, for the chain rule.
    let mut computed: Vec<(VarId, ExprId)> = Vec::new();
    for a in &torn.sequence {
        let (equation, unknown) = (block.equations[a.eqn.index()], block.unknowns[a.var.index()]);
        match solve::solve(emitter.work, equation, unknown) {
            Solution::Explicit(value) => {
                computed.push((unknown, value));
                emitter.assign(unknown, value, Some(EquationRef(equation as u32)), &mut steps);
            }
            Solution::None => {
                // Promised but not delivered: iterate on it as well.
                unknowns.push(unknown);
                residual_equations.push(equation);
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
    let nonlinear = Nonlinear { unknowns, steps, residuals, jacobian };
    let residuals = residual_equations.iter().map(|&e| EquationRef(e as u32)).collect();
    emitter.newton(block, nonlinear, residuals)
}

/// The tearing: found, or as declared where that is prescribed or no larger.
fn torn(emitter: &mut Emitter, block: &Block, sorting: &Sorting, solvable: SolvabilitySet) -> Tearing {
    let hints = emitter.hints.of(emitter.work, block);
    let mut problem = TearingProblem::new(&sorting.incidence, solvable);
    for &v in &hints.kept {
        problem.weight[v] = FORBIDDEN;
    }
    let choice = emitter.settings.tearing;
    if !hints.tears() || choice == Choice::Off {
        return tear(&problem, Effort::default()).tearing;
    }
    let declared = tear_as_declared(&problem, &hints.tearing, Completion::Automatic);
    if choice == Choice::Declared {
        if let Some(d) = declared::diagnose(emitter.work, block, &declared) {
            emitter.report(d);
        }
        return declared.tearing;
    }
    let found = tear(&problem, Effort::default()).tearing;
    let fewer = found.tearing_variables.len() < declared.tearing.tearing_variables.len();
    if fewer { found } else { declared.tearing }
}

/// Derivatives of the residuals by the iteration variables; `None` where a formula cannot be differentiated.
fn jacobian(
    emitter: &mut Emitter,
    unknowns: &[VarId],
    computed: &[(VarId, ExprId)],
    residuals: &[ExprId],
) -> Option<Jacobian> {
    let mut steps = Vec::new();
    // Gradients by iteration variable, of everything computed so far.
    let mut gradient: FxHashMap<VarId, Vec<(usize, ExprId)>> = FxHashMap::default();
    let one = emitter.work.pool.constant(1.0);
    for (k, &v) in unknowns.iter().enumerate() {
        gradient.insert(v, vec![(k, one)]);
    }
    for &(v, formula) in computed {
        let row = chain_rule(emitter, formula, &gradient, &mut steps)?;
        gradient.insert(v, row);
    }
    let mut entries = Vec::new();
    for (r, &formula) in residuals.iter().enumerate() {
        for (k, value) in chain_rule(emitter, formula, &gradient, &mut steps)? {
            entries.push((r as u32, k as u32, emitter.held(value, &mut steps)));
        }
    }
    Some(Jacobian { steps, entries })
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
