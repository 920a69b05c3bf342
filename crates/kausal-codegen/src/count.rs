//! Operations of a program, counted as the papers count.
//!
//! Every binary `+ - * /` in the sorted and solved equations counts one, a unary minus nothing, a function call
//! one call ([`written_operations`]). An evaluation is counted: one iteration of a nonlinear system with its
//! Jacobian and the solution of its linear equations, one pass of a mixed system, all branches of `when` and `if`.
//! The numerical kernels count what they do when nothing is zero; a sparse one, whose work depends on the fill-in,
//! one multiplication and one addition an entry.

use kausal_symbolic::count::{Operations, written_operations};
use kausal_symbolic::{ExprId, Pool};
use kausal_translate::Program;
use kausal_translate::program::{Form, Iteration, Solve, SolveKind, Step, System};

/// Operations of each section.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sections {
    /// [`Program::parameters`]
    pub parameters: Operations,
    /// [`Program::initial`]
    pub initial: Operations,
    /// [`Program::dynamics`]
    pub dynamics: Operations,
    /// [`Program::outputs`]
    pub outputs: Operations,
    /// [`Program::discrete`]
    pub discrete: Operations,
    /// [`Program::discretized`]
    pub discretized: Operations,
}

/// Counts the operations of a program.
pub fn operations(program: &Program) -> Sections {
    let count = |steps: &[Step]| steps_operations(&program.pool, steps);
    Sections {
        parameters: count(&program.parameters),
        initial: count(&program.initial),
        dynamics: count(&program.dynamics),
        outputs: count(&program.outputs),
        discrete: count(&program.discrete),
        discretized: program.discretized.as_ref().map_or_else(Operations::default, |d| count(&d.steps)),
    }
}

/// Counts the operations of steps, those inside included.
pub fn steps_operations(pool: &Pool, steps: &[Step]) -> Operations {
    let mut total = Operations::default();
    let mut stack: Vec<&[Step]> = vec![steps];
    while let Some(steps) = stack.pop() {
        for step in steps {
            total += step_operations(pool, step, &mut stack);
        }
    }
    total
}

/// Counts the operations of a system of equations: of one iteration, where it is iterated.
pub fn system_operations(pool: &Pool, system: &System) -> Operations {
    let mut inside: Vec<&[Step]> = Vec::new();
    let own = enter(system, &mut inside);
    inside.into_iter().fold(own, |sum, steps| sum + steps_operations(pool, steps))
}

/// The operations of one step; steps inside it are left on the stack.
fn step_operations<'s>(pool: &Pool, step: &'s Step, stack: &mut Vec<&'s [Step]>) -> Operations {
    let written = |expression: ExprId| written_operations(pool, expression);
    match step {
        Step::Assign(assign) => written(assign.value),
        Step::Call(call) => {
            let one = Operations { call: 1, ..Operations::default() };
            call.args.iter().fold(one, |sum, &arg| sum + written(arg))
        }
        Step::Solve(solve) => kernel(solve),
        Step::System(system) => enter(system, stack),
        Step::When(when) => {
            stack.extend(when.branches.iter().map(|branch| branch.steps.as_slice()));
            Operations::default()
        }
        Step::Reinit(_, value) => written(*value),
        Step::Assert(assert) => written(assert.condition),
        Step::Relation(_) | Step::Terminate(_) => Operations::default(),
        Step::If(condition, then, otherwise) => {
            stack.extend([then.as_slice(), otherwise.as_slice()]);
            written(*condition)
        }
    }
}

/// What a system takes besides its steps, which are left on the stack.
fn enter<'s>(system: &'s System, stack: &mut Vec<&'s [Step]>) -> Operations {
    match &system.form {
        Form::Linear { steps, .. } => {
            stack.push(steps);
            Operations::default()
        }
        Form::Nonlinear(nonlinear) => {
            stack.push(&nonlinear.steps);
            stack.extend(nonlinear.jacobian.as_ref().map(|jacobian| jacobian.steps.as_slice()));
            let n = nonlinear.unknowns.len() as u64;
            match nonlinear.iteration {
                Iteration::Newton => factorisation(n) + solution(n),
                Iteration::Jacobi | Iteration::GaussSeidel => Operations::default(),
            }
        }
        Form::Mixed { continuous, discrete, .. } => {
            stack.extend([continuous.as_slice(), discrete.as_slice()]);
            Operations::default()
        }
    }
}

fn kernel(solve: &Solve) -> Operations {
    let n = solve.unknowns.len() as u64;
    let factors = match solve.kind {
        _ if solve.constant => Operations::default(),
        SolveKind::Dense => factorisation(n),
        SolveKind::Symmetric => {
            let full = factorisation(n);
            Operations { add: full.add / 2, mul: full.mul / 2, call: 0 }
        }
        SolveKind::Sparse => Operations::default(),
    };
    let entries = solve.entries.len() as u64;
    match solve.kind {
        SolveKind::Sparse => Operations { add: entries, mul: entries, call: 0 },
        _ => factors + solution(n),
    }
}

/// LU factorisation of a full matrix.
fn factorisation(n: u64) -> Operations {
    let below = n.saturating_sub(1);
    let add = n.saturating_mul(below).saturating_mul(2 * n.max(1) - 1) / 6;
    Operations { add, mul: add.saturating_add(n.saturating_mul(below) / 2), call: 0 }
}

/// Forward and back substitution.
fn solution(n: u64) -> Operations {
    Operations { add: n.saturating_mul(n.saturating_sub(1)), mul: n.saturating_mul(n), call: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counted by hand: 2x2 elimination is one division, one multiplication and one subtraction; its substitutions
    /// are 2 + 2 more multiplications or divisions and 1 + 1 subtractions. For 3x3: 3 + 5 and 5, then 9 and 6.
    #[test]
    fn small_factorisations() {
        assert_eq!(factorisation(1) + solution(1), Operations { add: 0, mul: 1, call: 0 });
        assert_eq!(factorisation(2), Operations { add: 1, mul: 2, call: 0 });
        assert_eq!(solution(2), Operations { add: 2, mul: 4, call: 0 });
        assert_eq!(factorisation(3), Operations { add: 5, mul: 8, call: 0 });
        assert_eq!(solution(3), Operations { add: 6, mul: 9, call: 0 });
    }
}
