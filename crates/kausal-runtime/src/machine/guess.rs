//! Guesses for iteration variables from start values of other unknowns.
//!
//! A start value is a guess for the solution, also where the variable is not iterated on but computed by the torn
//! sequence. Before the initial problem is solved for the first time, iteration variables without a start value are
//! therefore fitted: the sequence is to give the start values of the model as nearly as it can, in the sense of least
//! squares (Gauss and Newton, with the damping of Levenberg). Nothing is lost if that leads nowhere: the iteration then
//! begins at the guesses as they were.

use kausal_solver::linear::DenseLu;
use kausal_solver::newton::NonlinearSystem;
use kausal_symbolic::VarId;

use super::nonlinear::TornSystem;

/// More iteration variables are not fitted.
const LARGEST: usize = 20;
const ROUNDS: usize = 6;
/// Start values are guesses: nearer than this is near enough.
const NEAR: f64 = 1e-2;
/// Of the squares of the slopes.
const DAMPING: f64 = 1e-6;

/// What is fitted to what.
struct Fit {
    /// Places of the iteration variables without a start value.
    free: Vec<usize>,
    /// Other unknowns, their start values, and the sizes of these.
    targets: Vec<(VarId, f64, f64)>,
}

/// Moves the guesses `x` so that the start values of other unknowns are met better; were they moved?
pub(super) fn fit(system: &mut TornSystem, x: &mut [f64]) -> bool {
    let Some(fit) = Fit::new(system, x) else { return false };
    let before: Vec<f64> = x.to_vec();
    let moved = fit.improve(system, x);
    if moved.is_none() {
        x.copy_from_slice(&before);
    }
    moved.is_some()
}

impl Fit {
    fn new(system: &TornSystem, x: &[f64]) -> Option<Fit> {
        let free: Vec<usize> = (0..x.len()).filter(|&i| x[i] == 0.0).collect();
        if free.is_empty() || free.len() > LARGEST {
            return None;
        }
        let (machine, newton) = (&*system.machine, system.newton);
        let given = |v: &&VarId| machine.values[v.index()] != 0.0 && !newton.unknowns.contains(v);
        let target = |&v: &VarId| {
            let start = machine.values[v.index()];
            (v, start, start.abs().max(machine.model.program.variables[v.index()].nominal))
        };
        let targets: Vec<_> = newton.all.iter().filter(given).map(target).collect();
        (!targets.is_empty()).then_some(Fit { free, targets })
    }

    /// How far the sequence is from the start values, each in units of its size.
    fn misfit(&self, system: &mut TornSystem, x: &[f64]) -> Option<Vec<f64>> {
        let mut r = vec![0.0; x.len()];
        system.residual(x, &mut r).ok()?;
        let values = &system.machine.values;
        let off: Vec<f64> =
            self.targets.iter().map(|&(v, start, size)| (values[v.index()] - start) / size).collect();
        off.iter().all(|m| m.is_finite()).then_some(off)
    }

    fn improve(&self, system: &mut TornSystem, x: &mut [f64]) -> Option<()> {
        let mut off = self.misfit(system, x)?;
        let first = square(&off);
        for _ in 0..ROUNDS {
            if square(&off) <= NEAR * NEAR {
                break;
            }
            let step = self.step(system, x, &off)?;
            let mut length = 1.0;
            let better = (0..4).find_map(|_| {
                let mut there = x.to_vec();
                self.free.iter().zip(&step).for_each(|(&i, s)| there[i] -= length * s);
                length *= 0.25;
                let new = self.misfit(system, &there)?;
                (square(&new) < 0.9 * square(&off)).then_some((there, new))
            });
            let Some((there, new)) = better else { break };
            x.copy_from_slice(&there);
            off = new;
        }
        (square(&off) < 0.5 * first).then_some(())
    }

    /// The step of Gauss and Newton, by differences.
    fn step(&self, system: &mut TornSystem, x: &[f64], off: &[f64]) -> Option<Vec<f64>> {
        let n = self.free.len();
        let mut moved = x.to_vec();
        let mut slopes = Vec::with_capacity(n);
        for &i in &self.free {
            let by = f64::EPSILON.sqrt() * x[i].abs().max(system.nominal(i));
            moved[i] += by;
            let there = self.misfit(system, &moved)?;
            slopes.push(there.iter().zip(off).map(|(a, b)| (a - b) / by).collect::<Vec<f64>>());
            moved[i] = x[i];
        }
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let mut lu = DenseLu::new(n);
        for i in 0..n {
            for j in 0..n {
                lu.matrix_mut()[j * n + i] = dot(&slopes[i], &slopes[j]);
            }
        }
        let largest = (0..n).map(|i| lu.matrix_mut()[i * n + i]).fold(0.0, f64::max);
        (0..n).for_each(|i| lu.matrix_mut()[i * n + i] += DAMPING * largest);
        lu.factor_in_place().ok()?;
        let mut step: Vec<f64> = slopes.iter().map(|s| dot(s, off)).collect();
        lu.solve(&mut step);
        Some(step)
    }
}

fn square(off: &[f64]) -> f64 {
    off.iter().map(|m| m * m).sum::<f64>() / off.len() as f64
}
