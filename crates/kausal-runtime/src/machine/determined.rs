//! Does a nonlinear system determine its unknowns? Equations that say the same are solved by every point of a curve, and
//! Newton's method stops at any of them.
//!
//! Once, at the first solution of each system, the rank of its Jacobian is looked at, in units of the unknowns and with
//! entries that are rounding errors taken as zero. A rank that is too low may also be that of a double root, as of
//! `x² = 0`, where the solution is alone: so a step is made in a direction that the Jacobian leaves open and led back to
//! the equations by the smallest corrections (Gauss-Newton; Deuflhard, *Newton Methods for Nonlinear Problems*, §4.4).
//! Only if that ends at another solution something is not determined.

use kausal_solver::linear::solve_deficient;
use kausal_solver::newton::NonlinearSystem;
use kausal_symbolic::VarId;

use super::nonlinear::TornSystem;

/// Larger systems are not looked at.
const LARGEST: usize = 100;
/// The step away from the solution, in units of the unknowns.
const STEP: f64 = 1e-2;
/// A solution this far away is another one.
const ELSEWHERE: f64 = 1e-3;
/// Points beside the solution, in units of the unknowns, where residuals are nothing but rounding errors.
const BESIDE: [f64; 10] = [-1e-13, -4e-14, -2e-14, -1e-14, -3e-15, 5e-15, 1e-14, 2e-14, 4e-14, 1e-13];
/// Residuals up to so many times those are zero.
const ROUNDING: f64 = 1e2;
/// So are those that such a part of the unknowns makes.
const SMALL: f64 = 1e-10;
const CORRECTIONS: usize = 8;

/// The unknowns of the whole block that move from one solution to another near it; none where `x` is the only one.
pub(super) fn undetermined(system: &mut TornSystem, x: &[f64]) -> Vec<VarId> {
    if x.is_empty() || x.len() > LARGEST || !system.has_jacobian() {
        return Vec::new();
    }
    look(system, x).unwrap_or_default()
}

fn look(system: &mut TornSystem, x: &[f64]) -> Option<Vec<VarId>> {
    let n = x.len();
    let size: Vec<f64> = (0..n).map(|j| x[j].abs().max(system.nominal(j))).collect();
    let noise = rounding(system, x, &size)?;
    let mut matrix = jacobian(system, x, &size, &noise)?;
    // What of a direction that no unknown is left out of the rows do not see.
    let direction: Vec<f64> =
        (0..n).map(|j| if j % 2 == 0 { 1.0 } else { -1.0 } / (1.0 + j as f64)).collect();
    let mut seen: Vec<f64> = (0..n).map(|i| (0..n).map(|j| matrix[i + n * j] * direction[j]).sum()).collect();
    let ones = vec![1.0; n];
    let found = solve_deficient(&mut matrix, &mut seen, &ones, &ones);
    if found.rank == n {
        return None;
    }
    let mut open: Vec<f64> = direction.iter().zip(&seen).map(|(p, d)| p - d).collect();
    let largest = open.iter().fold(0.0f64, |most, v| most.max(v.abs()));
    if !(largest > 0.0 && largest.is_finite()) {
        return None;
    }
    open.iter_mut().for_each(|v| *v *= STEP / largest);

    let mut r = vec![0.0; n];
    system.residual(x, &mut r).ok()?;
    let before = values(system);
    let mut at: Vec<f64> = (0..n).map(|j| x[j] + open[j] * size[j]).collect();
    for _ in 0..CORRECTIONS {
        system.residual(&at, &mut r).ok()?;
        let mut matrix = jacobian(system, &at, &size, &noise)?;
        let zero = |i: usize| {
            let row = (0..n).map(|j| matrix[i + n * j].abs()).fold(0.0, f64::max);
            r[i].abs() <= ROUNDING * noise[i] + SMALL * row
        };
        if (0..n).all(zero) {
            let inside = (0..n).all(|j| (system.bounds(j).0..=system.bounds(j).1).contains(&at[j]));
            let away = (0..n).map(|j| (at[j] - x[j]).abs() / size[j]).fold(0.0, f64::max);
            return (inside && away > ELSEWHERE).then(|| moved(system, &before));
        }
        solve_deficient(&mut matrix, &mut r, &ones, &ones);
        (0..n).for_each(|j| at[j] -= r[j] * size[j]);
    }
    None
}

/// Sizes of residuals that mean nothing.
fn rounding(system: &mut TornSystem, x: &[f64], size: &[f64]) -> Option<Vec<f64>> {
    let (mut noise, mut r) = (vec![0.0f64; x.len()], vec![0.0; x.len()]);
    for beside in BESIDE {
        let at: Vec<f64> = x.iter().zip(size).map(|(x, size)| x + beside * size).collect();
        system.residual(&at, &mut r).ok()?;
        noise.iter_mut().zip(&r).for_each(|(n, r)| *n = n.max(r.abs()));
    }
    Some(noise)
}

/// The dense Jacobian in units of the unknowns, without entries that are rounding errors.
fn jacobian(system: &mut TornSystem, x: &[f64], size: &[f64], noise: &[f64]) -> Option<Vec<f64>> {
    let n = x.len();
    let pattern = system.jacobian_pattern();
    let mut entries = vec![0.0; pattern.as_ref().map_or(n * n, |p| p.iter().count())];
    system.jacobian(x, &mut entries).ok()?;
    let mut matrix = match pattern {
        None => entries,
        Some(pattern) => {
            let mut dense = vec![0.0; n * n];
            pattern.iter().zip(&entries).for_each(|((i, j), v)| dense[i + n * j] = *v);
            dense
        }
    };
    for (k, v) in matrix.iter_mut().enumerate() {
        *v *= size[k / n];
        if STEP * v.abs() <= ROUNDING * noise[k % n] {
            *v = 0.0;
        }
    }
    matrix.iter().all(|v| v.is_finite()).then_some(matrix)
}

fn values(system: &TornSystem) -> Vec<f64> {
    system.newton.all.iter().map(|v| system.machine.values[v.index()]).collect()
}

fn moved(system: &TornSystem, before: &[f64]) -> Vec<VarId> {
    let variables = &system.machine.model.program.variables;
    let differs = |v: VarId, old: f64, new: f64| {
        (new - old).abs() > ELSEWHERE * ELSEWHERE * old.abs().max(variables[v.index()].nominal)
    };
    let all = system.newton.all.iter().zip(before).zip(values(system));
    all.filter(|&((v, old), new)| differs(*v, *old, new)).map(|((v, _), _)| *v).collect()
}
