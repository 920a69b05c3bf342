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

/// Are some of these variables, which follow from the iteration variables `x`, mostly rounding errors?
pub(super) fn are_lost(system: &mut TornSystem, x: &[f64], variables: &[VarId]) -> bool {
    if system.newton.all.len() <= x.len() {
        return false;
    }
    let values = |system: &TornSystem| -> Vec<f64> {
        variables.iter().map(|v| system.machine.values[v.index()]).collect()
    };
    let mut residuals = vec![0.0; x.len()];
    let before = values(system);
    let sign = |i: usize| if i % 2 == 0 { MOVED } else { -MOVED };
    let moved: Vec<f64> = (0..x.len()).map(|i| x[i] + sign(i) * x[i].abs().max(system.nominal(i))).collect();
    let outcome = system.residual(&moved, &mut residuals);
    let after = values(system);
    let back = system.residual(x, &mut residuals);
    if outcome.is_err() || back.is_err() {
        return false;
    }
    let program = &system.machine.model.program;
    let sizes = variables.iter().zip(&before);
    let sizes = sizes.map(|(v, value)| value.abs().max(program.variables[v.index()].nominal));
    let mut changes = before.iter().zip(&after).zip(sizes).map(|((b, a), size)| (a - b).abs() / size);
    changes.any(|change| change > GROWTH * MOVED)
}
