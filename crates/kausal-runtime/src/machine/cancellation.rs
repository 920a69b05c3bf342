//! Does a torn sequence leave digits to what it computes?
//!
//! Iteration variables are known to some `1e-12` of their size, and each step of the sequence rounds. A sequence with small
//! divisors or with growth amplifies that, although the equations together may be as well conditioned as can be. So where
//! values are written down, and at events, the iteration variables are moved by a little more than rounding: what moves much
//! more has lost its digits, and the system is to be solved untorn.
//!
//! How large an iteration variable is that is small or zero, as a flux where no current flows, is its nominal value's guess, and
//! with the guess of a volt for a microweber everything computed from it seems to lose its digits. So where that decides, what
//! the solution leaves open is measured instead: by the correction that Newton's method would still make.

use kausal_solver::linear::DenseLu;
use kausal_solver::newton::NonlinearSystem;
use kausal_symbolic::VarId;

use super::nonlinear::TornSystem;
use crate::tolerances::{ITERATION_ROUNDING, MOST_AMPLIFICATION};

/// Larger systems are judged by nominal values alone.
const LARGEST: usize = 200;

/// Are some of `looked_at`, which follow from the iteration variables `x`, mostly rounding errors?
pub(super) fn are_lost(system: &mut TornSystem, x: &[f64], looked_at: &[VarId]) -> bool {
    if system.newton.all.len() <= x.len() {
        return false;
    }
    let sizes: Vec<f64> = (0..x.len()).map(|i| x[i].abs().max(system.nominal(i))).collect();
    let by_nominal: Vec<f64> = sizes.iter().map(|size| ITERATION_ROUNDING * size).collect();
    if !change_much(system, x, &by_nominal, looked_at) {
        return false;
    }
    if x.iter().zip(&sizes).all(|(x, size)| x.abs() == *size) {
        return true;
    }
    let Some(correction) = correction(system, x) else { return true };
    let measured: Vec<f64> = (0..x.len())
        .map(|i| (ITERATION_ROUNDING * x[i].abs()).max(correction[i].abs()).min(by_nominal[i]))
        .collect();
    change_much(system, x, &measured, looked_at)
}

/// Do some of `looked_at` change by much where the iteration variables move by so much?
fn change_much(system: &mut TornSystem, x: &[f64], by: &[f64], looked_at: &[VarId]) -> bool {
    let mut residuals = vec![0.0; x.len()];
    // What a system without full rank leaves open stays where it was, so nothing is computed again afterwards.
    let before = system.machine.values.clone();
    let sign = |i: usize| if i.is_multiple_of(2) { 1.0 } else { -1.0 };
    let moved: Vec<f64> = (0..x.len()).map(|i| x[i] + sign(i) * by[i]).collect();
    let outcome = system.residual(&moved, &mut residuals);
    let after = std::mem::replace(&mut system.machine.values, before);
    let before = &system.machine.values;
    let variables = &system.machine.model.program.variables;
    let change = |v: VarId| {
        let (old, new) = (before[v.index()], after[v.index()]);
        (new - old).abs() / old.abs().max(variables[v.index()].nominal)
    };
    outcome.is_ok() && looked_at.iter().any(|&v| change(v) > MOST_AMPLIFICATION * ITERATION_ROUNDING)
}

/// What Newton's method would still correct at `x`; the values stay.
fn correction(system: &mut TornSystem, x: &[f64]) -> Option<Vec<f64>> {
    let n = x.len();
    if n > LARGEST || !system.has_jacobian() {
        return None;
    }
    let before = system.machine.values.clone();
    let mut residuals = vec![0.0; n];
    let pattern = system.jacobian_pattern();
    let mut entries = vec![0.0; pattern.as_ref().map_or(n * n, |pattern| pattern.entries())];
    let outcome = system.residual(x, &mut residuals).and_then(|()| system.jacobian(x, &mut entries));
    system.machine.values = before;
    outcome.ok()?;
    let mut matrix = vec![0.0; n * n];
    match pattern {
        Some(pattern) => pattern.iter().zip(entries).for_each(|((i, j), value)| matrix[i + n * j] = value),
        None => matrix = entries,
    }
    let mut lu = DenseLu::new(n);
    lu.factor(&matrix).ok()?;
    lu.solve(&mut residuals);
    residuals.iter().all(|r| r.is_finite()).then_some(residuals)
}
