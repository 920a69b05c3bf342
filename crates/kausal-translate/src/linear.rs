//! Linear systems: torn to bordered triangular form, solved in closed form where what is left is small.
//!
//! Tearing paper (Elmqvist and Otter 1994), "Solving torn linear systems": with `L y + A12 z = b1` and
//! `A21 y + A22 z = b2`, `H = A22 - A21 L⁻¹ A12` and `c = b2 - A21 L⁻¹ b1` are formed symbolically, `H z = c` is
//! solved, and `y` follows from the original equations.

use kausal_structure::tearing::{Effort, TearingProblem, tear};
use kausal_structure::{Eqn, Id, IncidenceBuilder, SolvabilitySet, Var as Column};
use kausal_symbolic::{ExprId, Op, VarId};
use rustc_hash::FxHashMap;

use crate::Tearing;
use crate::emit::Emitter;
use crate::program::{EquationRef, Form, LinearMethod, Solve, SolveKind, Step, System};
use crate::solve::{self, Solution};
use crate::sort::Block;

/// One equation: `sum of coefficient * unknown = right`.
struct Row {
    coefficients: Vec<(usize, ExprId)>,
    right: ExprId,
}

/// Above this many tearing variables a block is left to a sparse solver as a whole.
const DENSE_LIMIT: usize = 200;

/// The system of a block that is linear in its unknowns; `None` if it is not linear.
pub(crate) fn emit(emitter: &mut Emitter, block: &Block) -> Option<Step> {
    let rows = rows(emitter, block)?;
    let place: FxHashMap<VarId, usize> = block.unknowns.iter().enumerate().map(|(i, &v)| (v, i)).collect();
    let mut builder = IncidenceBuilder::new(rows.len(), block.unknowns.len());
    for (r, row) in rows.iter().enumerate() {
        for &(c, coefficient) in &row.coefficients {
            let s = solve::coefficient_solvability(emitter.work, coefficient);
            builder.add(Eqn(r as u32), Column(c as u32), s);
        }
    }
    let incidence = builder.build();
    let n = rows.len();
    let equations: Vec<EquationRef> = block.equations.iter().map(|&e| EquationRef(e as u32)).collect();
    let mut steps = Vec::new();
    let torn = match emitter.settings.tearing {
        Tearing::Off => None,
        _ => Some(tear(&TearingProblem::new(&incidence, SolvabilitySet::SAFE), Effort::default()).tearing),
    };
    let torn = torn.filter(|t| t.tearing_variables.len() <= DENSE_LIMIT.min(n.max(4) - 1).max(3));
    let Some(torn) = torn else {
        return Some(whole(emitter, block, &rows, equations));
    };

    let z: Vec<usize> = torn.tearing_variables.iter().map(|v| v.index()).collect();
    let z_place: FxHashMap<usize, usize> = z.iter().enumerate().map(|(k, &v)| (v, k)).collect();
    // Each computed unknown as an affine function of the tearing variables.
    let mut affine: FxHashMap<usize, (Vec<(usize, ExprId)>, ExprId)> = FxHashMap::default();
    for a in &torn.sequence {
        let (r, c) = (a.eqn.index(), a.var.index());
        let pivot = rows[r].coefficients.iter().find(|&&(k, _)| k == c).map(|&(_, e)| e)?;
        let (slopes, constant) = combine(emitter, &rows[r], Some(c), &affine, &z_place);
        // coefficient * x + slopes*z = constant, so x = (constant - slopes*z) / coefficient.
        let mut scaled = Vec::new();
        for (k, slope) in slopes {
            let negative = emitter.work.pool.op(Op::Neg, &[slope]);
            let value = emitter.work.pool.op(Op::Div, &[negative, pivot]);
            scaled.push((k, emitter.temporary(value, &mut steps)));
        }
        let value = emitter.work.pool.op(Op::Div, &[constant, pivot]);
        let constant = emitter.temporary(value, &mut steps);
        affine.insert(c, (scaled, constant));
    }
    let mut h: Vec<Vec<(usize, ExprId)>> = Vec::new();
    let mut right = Vec::new();
    for e in &torn.residuals {
        let (slopes, constant) = combine(emitter, &rows[e.index()], None, &affine, &z_place);
        let mut held = Vec::new();
        for (k, slope) in slopes {
            held.push((k, emitter.temporary(slope, &mut steps)));
        }
        h.push(held);
        right.push(emitter.temporary(constant, &mut steps));
    }
    let unknowns: Vec<VarId> = z.iter().map(|&v| block.unknowns[v]).collect();
    let closed = small(emitter, &h, &right, &unknowns, &mut steps);
    if !closed {
        kernel(emitter, &h, &right, &unknowns, SolveKind::Dense, &mut steps);
    }
    for a in &torn.sequence {
        let (equation, unknown) = (block.equations[a.eqn.index()], block.unknowns[a.var.index()]);
        match solve::solve(emitter.work, equation, unknown) {
            Solution::Explicit(value) => {
                emitter.assign(unknown, value, Some(EquationRef(equation as u32)), &mut steps);
            }
            // Its coefficient was found above, so it can be solved; from the affine form if not from the text.
            Solution::None => {
                let (slopes, constant) = affine[&place[&unknown]].clone();
                let mut terms = vec![constant];
                for (k, slope) in slopes {
                    let zk = emitter.work.pool.var(unknowns[k]);
                    terms.push(emitter.work.pool.op(Op::Mul, &[slope, zk]));
                }
                let value = solve::sum(&mut emitter.work.pool, &terms);
                emitter.assign(unknown, value, Some(EquationRef(equation as u32)), &mut steps);
            }
        }
    }
    let residuals = torn.residuals.iter().map(|e| equations[e.index()]).collect();
    Some(Step::System(Box::new(System {
        equations,
        unknowns: block.unknowns.clone(),
        tearing_variables: if closed { Vec::new() } else { unknowns },
        residuals,
        mixed: false,
        form: Form::Linear {
            method: if closed { LinearMethod::ClosedForm } else { LinearMethod::Torn },
            symmetric: false,
            steps,
        },
    })))
}

/// The rows of the block, if all equations are linear in all unknowns.
fn rows(emitter: &mut Emitter, block: &Block) -> Option<Vec<Row>> {
    let place: FxHashMap<VarId, usize> = block.unknowns.iter().enumerate().map(|(i, &v)| (v, i)).collect();
    let mut rows = Vec::new();
    for &equation in &block.equations {
        let (coefficients, rest) = solve::linear(emitter.work, equation, &|v| place.contains_key(&v))?;
        let mut coefficients: Vec<(usize, ExprId)> =
            coefficients.into_iter().map(|(v, e)| (place[&v], e)).collect();
        coefficients.sort_unstable_by_key(|&(c, _)| c);
        let right = emitter.work.pool.op(Op::Neg, &[rest]);
        rows.push(Row { coefficients, right });
    }
    Some(rows)
}

/// The row with computed unknowns replaced: coefficients of the tearing variables, and the right side.
/// The term of column `skip` is left out.
fn combine(
    emitter: &mut Emitter,
    row: &Row,
    skip: Option<usize>,
    affine: &FxHashMap<usize, (Vec<(usize, ExprId)>, ExprId)>,
    z: &FxHashMap<usize, usize>,
) -> (Vec<(usize, ExprId)>, ExprId) {
    let mut slopes: Vec<Vec<ExprId>> = vec![Vec::new(); z.len()];
    let mut constants = vec![row.right];
    for &(c, coefficient) in &row.coefficients {
        if Some(c) == skip {
            continue;
        }
        if let Some(&k) = z.get(&c) {
            slopes[k].push(coefficient);
        } else if let Some((own, constant)) = affine.get(&c) {
            for &(k, slope) in own {
                slopes[k].push(emitter.work.pool.op(Op::Mul, &[coefficient, slope]));
            }
            let product = emitter.work.pool.op(Op::Mul, &[coefficient, *constant]);
            constants.push(emitter.work.pool.op(Op::Neg, &[product]));
        }
    }
    let zero = emitter.work.pool.constant(0.0);
    let slopes = slopes
        .into_iter()
        .enumerate()
        .map(|(k, terms)| (k, solve::sum(&mut emitter.work.pool, &terms)))
        .filter(|&(_, e)| e != zero)
        .collect();
    (slopes, solve::sum(&mut emitter.work.pool, &constants))
}

/// One, two or three unknowns: Cramer's rule. Larger systems are not done here.
fn small(
    emitter: &mut Emitter,
    h: &[Vec<(usize, ExprId)>],
    right: &[ExprId],
    unknowns: &[VarId],
    out: &mut Vec<Step>,
) -> bool {
    let n = unknowns.len();
    if n > 2 {
        return false;
    }
    let zero = emitter.work.pool.constant(0.0);
    let at = |r: usize, c: usize| h[r].iter().find(|&&(k, _)| k == c).map_or(zero, |&(_, e)| e);
    if n == 1 {
        let value = emitter.work.pool.op(Op::Div, &[right[0], at(0, 0)]);
        emitter.assign(unknowns[0], value, None, out);
        return true;
    }
    let cross = |emitter: &mut Emitter, a: ExprId, d: ExprId, b: ExprId, c: ExprId| {
        let pool = &mut emitter.work.pool;
        let (x, y) = (pool.op(Op::Mul, &[a, d]), pool.op(Op::Mul, &[b, c]));
        crate::work::subtract(pool, x, y)
    };
    let determinant = cross(emitter, at(0, 0), at(1, 1), at(0, 1), at(1, 0));
    let determinant = emitter.temporary(determinant, out);
    let first = cross(emitter, right[0], at(1, 1), at(0, 1), right[1]);
    let second = cross(emitter, at(0, 0), right[1], right[0], at(1, 0));
    for (k, numerator) in [first, second].into_iter().enumerate() {
        let value = emitter.work.pool.op(Op::Div, &[numerator, determinant]);
        emitter.assign(unknowns[k], value, None, out);
    }
    true
}

/// A numerical kernel for `h * unknowns = right`.
fn kernel(
    emitter: &mut Emitter,
    h: &[Vec<(usize, ExprId)>],
    right: &[ExprId],
    unknowns: &[VarId],
    kind: SolveKind,
    out: &mut Vec<Step>,
) {
    let mut entries = Vec::new();
    for (r, row) in h.iter().enumerate() {
        for &(c, value) in row {
            entries.push((r as u32, c as u32, emitter.held(value, out)));
        }
    }
    let rhs = right.iter().map(|&e| emitter.held(e, out)).collect();
    out.push(Step::Solve(Solve { entries, rhs, unknowns: unknowns.to_vec(), kind, constant: false }));
}

/// The whole block left to a sparse solver.
fn whole(emitter: &mut Emitter, block: &Block, rows: &[Row], equations: Vec<EquationRef>) -> Step {
    let mut steps = Vec::new();
    let h: Vec<Vec<(usize, ExprId)>> = rows.iter().map(|r| r.coefficients.clone()).collect();
    let right: Vec<ExprId> = rows.iter().map(|r| r.right).collect();
    kernel(emitter, &h, &right, &block.unknowns, SolveKind::Sparse, &mut steps);
    Step::System(Box::new(System {
        equations: equations.clone(),
        unknowns: block.unknowns.clone(),
        tearing_variables: block.unknowns.clone(),
        residuals: equations,
        mixed: false,
        form: Form::Linear { method: LinearMethod::Sparse, symmetric: false, steps },
    }))
}
