//! Does a torn sequence leave digits to what it computes?
//!
//! Iteration variables are known to some `1e-12` of their size, and each step of the sequence rounds. A sequence with small
//! divisors or with growth amplifies that, although the equations together may be as well conditioned as can be. So where
//! values are written down, and at events, the iteration variables are moved by a little more than rounding: what moves much
//! more has lost its digits, and the system is to be solved untorn.

use kausal_solver::newton::NonlinearSystem;
use kausal_symbolic::VarId;

use super::nonlinear::TornSystem;

/// Iteration variables are moved by this part of their size.
const MOVED: f64 = 1e-13;
/// More than so many times that is too much for any unknown.
const GROWTH: f64 = 1e6;

/// Are some of `looked_at`, which follow from the iteration variables `x`, mostly rounding errors?
pub(super) fn are_lost(system: &mut TornSystem, x: &[f64], looked_at: &[VarId]) -> bool {
    if system.newton.all.len() <= x.len() {
        return false;
    }
    let mut residuals = vec![0.0; x.len()];
    // What a system without full rank leaves open stays where it was, so nothing is computed again afterwards.
    let before = system.machine.values.clone();
    let sign = |i: usize| if i.is_multiple_of(2) { MOVED } else { -MOVED };
    let moved: Vec<f64> = (0..x.len()).map(|i| x[i] + sign(i) * x[i].abs().max(system.nominal(i))).collect();
    let outcome = system.residual(&moved, &mut residuals);
    let after = std::mem::replace(&mut system.machine.values, before);
    let before = &system.machine.values;
    let variables = &system.machine.model.program.variables;
    let change = |v: VarId| {
        let (old, new) = (before[v.index()], after[v.index()]);
        (new - old).abs() / old.abs().max(variables[v.index()].nominal)
    };
    outcome.is_ok() && looked_at.iter().any(|&v| change(v) > GROWTH * MOVED)
}
