//! What is looked at while a linear system is solved in a static order, and what takes its place where that is not good enough.
//!
//! Divisors and residuals are looked at in the run. Where they are bad, an elimination gives way to a torn form of the same block,
//! which pivots what is left of it, and is guarded itself; that gives way to the whole block with pivoting. A block that loses its
//! digits at one instant mostly does so again, so what comes second counts as well.

use kausal_symbolic::{ExprId, Op};

use crate::blocks::eliminate::{self, Plan, Row, Solved, kernel};
use crate::blocks::emitter::Emitter;
use crate::equations::solve;
use crate::equations::sort::Block;
use crate::program::{EquationRef, Form, Guard, LinearMethod, SolveKind, Step, System};

/// Whole systems up to this size are factorised as full matrices.
pub(crate) const DENSE_WHOLE: usize = 8;
/// Shorter sequences cannot lose many digits: their residuals are not looked at.
pub(crate) const CHECKED: usize = 12;

/// The whole block left to a solver with pivoting.
pub(crate) fn whole(emitter: &mut Emitter, block: &Block, rows: &[Row]) -> Vec<Step> {
    let mut steps = Vec::new();
    let matrix: Vec<Vec<(usize, ExprId)>> = rows.iter().map(|r| r.coefficients.clone()).collect();
    let right: Vec<ExprId> = rows.iter().map(|r| r.right).collect();
    let kind = if rows.len() <= DENSE_WHOLE { SolveKind::Dense } else { SolveKind::Sparse };
    kernel(emitter, &matrix, &right, &block.unknowns, kind, &mut steps);
    steps
}

/// What is looked at while the model runs; nothing where everything is proven. The other way comes before the whole block.
pub(crate) fn guard(
    emitter: &mut Emitter,
    block: &Block,
    rows: &[Row],
    constant: bool,
    solved: &Solved,
    other: Option<&Plan>,
) -> Option<Box<Guard>> {
    // In an inlined step the error estimate looks at the states, and near rest residuals are small differences.
    let varies = !constant && emitter.formulas.is_empty();
    // Also a short sequence loses digits where a divisor is small.
    let checked = varies && (rows.len() >= CHECKED || !solved.pivots.is_empty());
    if solved.pivots.is_empty() && !checked {
        return None;
    }
    let mut guard = Guard { pivots: solved.pivots.clone(), ..Guard::default() };
    if checked {
        for row in rows {
            let mut terms = vec![emitter.work.pool.op(Op::Neg, &[row.right])];
            for &(c, coefficient) in &row.coefficients {
                let x = emitter.work.pool.var(block.unknowns[c]);
                terms.push(emitter.work.pool.op(Op::Mul, &[coefficient, x]));
            }
            let residual = solve::sum(&mut emitter.work.pool, &terms);
            let sizes: Vec<ExprId> = terms.iter().map(|&t| emitter.work.pool.op(Op::Abs, &[t])).collect();
            let size = solve::sum(&mut emitter.work.pool, &sizes);
            let (r, s) = (emitter.slot(), emitter.slot());
            emitter.assign(r, residual, None, &mut guard.check);
            emitter.assign(s, size, None, &mut guard.check);
            guard.residuals.push((r, s));
        }
    }
    for &(pivot, size) in &solved.sums {
        let slot = emitter.slot();
        emitter.assign(slot, size, None, &mut guard.check);
        guard.sums.push((pivot, slot));
    }
    let other = other.filter(|_| checked).and_then(|plan| torn(emitter, block, rows, constant, plan));
    guard.fallback = other.map_or_else(|| whole(emitter, block, rows), |step| vec![step]);
    Some(Box::new(guard))
}

/// The torn form of the block, with a guard of its own.
fn torn(emitter: &mut Emitter, block: &Block, rows: &[Row], constant: bool, plan: &Plan) -> Option<Step> {
    let solved = eliminate::solve(emitter, block, rows, plan)?;
    let guard = guard(emitter, block, rows, constant, &solved, None);
    let equations: Vec<EquationRef> = block.equations.iter().map(|&e| EquationRef(e as u32)).collect();
    let method = if solved.left == 0 { LinearMethod::ClosedForm } else { LinearMethod::Torn };
    Some(Step::System(Box::new(System {
        tearing_variables: plan.core_columns.iter().map(|&c| block.unknowns[c]).collect(),
        residuals: plan.core_rows.iter().map(|&r| equations[r]).collect(),
        equations,
        unknowns: block.unknowns.clone(),
        mixed: false,
        form: Form::Linear { method, symmetric: plan.symmetric.is_some(), steps: solved.steps, guard },
        alternatives: Vec::new(),
    })))
}
