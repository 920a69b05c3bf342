//! Initial values with the operator `homotopy` (specification section 3.7.4.4): the problem with the simplified expressions is
//! solved first, then the expressions are changed into the actual ones little by little, and each solution is the guess for the
//! next problem.
//!
//! The parameter λ of the change is one for the whole model: a solution at λ is a solution of all initial equations. Steps
//! grow as long as they succeed and are halved where the iteration does not converge. Where the simplified problem has no
//! solution, or the way to the actual one is lost, the actual problem is tried from the guesses themselves, as if there were no
//! `homotopy`.
//!
//! What holds before: parameters are known and start values are in their places. What holds after: the initial equations are
//! solved with the actual expressions.

use kausal_symbolic::VarId;

use super::iteration::solve_with_delays;
use crate::machine::mixed::is_iterated;
use crate::machine::{Machine, Stop};

/// The first step of λ, …
const FIRST_STEP: f64 = 0.25;
/// … and the smallest one.
const MIN_STEP: f64 = 1e-3;

/// Solves the initial problem. `lambda` says which of the two expressions counts.
pub(super) fn solve(machine: &mut Machine, lambda: VarId) -> Result<(), Stop> {
    let lambda = lambda.index();
    machine.values[lambda] = 1.0;
    // Linear equations have one solution, however it is approached, and of those that differ by relations only the one is taken
    // that is nearest to the start values.
    if !is_iterated(&machine.model().clone().initial) {
        return solve_with_delays(machine);
    }
    let guesses = machine.values.clone();
    machine.values[lambda] = 0.0;
    if solved(machine, false)? {
        match follow(machine, lambda)? {
            Some(steps) => {
                machine.homotopy_steps = steps;
                return Ok(());
            }
            None => machine.values.copy_from_slice(&guesses),
        }
    } else {
        machine.values.copy_from_slice(&guesses);
    }
    solve_with_delays(machine)
}

/// From the solution of the simplified problem to that of the actual one; how many steps were made, if they led there.
fn follow(machine: &mut Machine, lambda: usize) -> Result<Option<u32>, Stop> {
    let (mut reached, mut step, mut steps) = (0.0_f64, FIRST_STEP, 0);
    let mut solution = machine.values.clone();
    while reached < 1.0 {
        let next = (reached + step).min(1.0);
        machine.values[lambda] = next;
        if solved(machine, next == 1.0)? {
            (reached, step, steps) = (next, 2.0 * step, steps + 1);
            solution.copy_from_slice(&machine.values);
        } else {
            machine.values.copy_from_slice(&solution);
            step *= 0.5;
            if step < MIN_STEP {
                return Ok(None);
            }
        }
    }
    Ok(Some(steps))
}

/// Solves the problem as it is at this λ. Assertions speak of the actual one only, and it is looked at from where it is solved: where
/// relations have no solution on the way, a shorter step is less work than their combinations.
fn solved(machine: &mut Machine, actual: bool) -> Result<bool, Stop> {
    machine.is_simplified = true;
    let mut outcome = solve_with_delays(machine);
    machine.is_simplified = false;
    if actual && outcome.is_ok() {
        outcome = solve_with_delays(machine);
    }
    match outcome {
        Ok(()) => Ok(true),
        Err(stop @ (Stop::Interrupted | Stop::Crash(_) | Stop::Terminate(_))) => Err(stop),
        Err(_) => Ok(false),
    }
}
