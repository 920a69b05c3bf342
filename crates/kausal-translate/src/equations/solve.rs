//! What the passes ask of the symbolic room: solvability, solutions, coefficients, partial derivatives.
//!
//! It is safe to divide by a number, by a parameter whose value is known and not zero, and by what is proven
//! nonzero from bounds of variables. Anything else counts as unsafe.

use kausal_structure::Solvability;
use kausal_symbolic::derivative::{CallDerivative, derivative};
use kausal_symbolic::function::calls::Calls;
use kausal_symbolic::function::layout::Layout;
use kausal_symbolic::function::{FunctionId, Scalar};
use kausal_symbolic::interval::{Interval, Ranges};
use kausal_symbolic::linear::linear_coefficients;
use kausal_symbolic::solve::{DivisorSafety, Solved, solve_for};
use kausal_symbolic::{ExprId, Op, Pool, VarId};

use crate::equations::work::Work;

/// An equation solved for a variable.
pub(crate) enum Solution {
    /// `variable = value`.
    Explicit(ExprId),
    /// Only by iteration.
    None,
}

/// May `lhs = rhs` with this residual be solved for one variable? `known` gives bounds of variables that the model does not
/// have.
pub(crate) fn alone(
    work: &mut Work,
    [lhs, rhs]: [ExprId; 2],
    residual: ExprId,
    v: VarId,
    known: &dyn Fn(VarId) -> Option<Interval>,
) -> Solvability {
    let Work { pool, bounds, calls, .. } = work;
    let mut ranges = Ranges::new(|v: VarId| {
        known(v).unwrap_or_else(|| bounds.get(v.index()).copied().unwrap_or(Interval::ALL))
    });
    if let Some(linear) = linear_coefficients(pool, residual, |w| w == v) {
        return match linear.coefficient(v) {
            Some(c) => divisor_solvability(pool, c, &mut ranges),
            None => Solvability::Never,
        };
    }
    match solve_for(pool, lhs, rhs, v, &mut ranges, calls) {
        Solved::Explicit(solution) if solution.safety <= DivisorSafety::Proven => Solvability::Nonlinear,
        _ => Solvability::Never,
    }
}

/// Is it safe to divide by this coefficient?
pub(crate) fn coefficient_solvability(work: &Work, coefficient: ExprId) -> Solvability {
    divisor_solvability(&work.pool, coefficient, &mut ranges(&work.bounds))
}

fn divisor_solvability(pool: &Pool, divisor: ExprId, ranges: &mut Ranges<'_>) -> Solvability {
    match pool.as_constant(divisor) {
        Some(c) if c != 0.0 => Solvability::LinearConstant,
        Some(_) => Solvability::Never,
        None if ranges.is_nonzero(pool, divisor) => Solvability::LinearNonzero,
        None => Solvability::LinearUnsafe,
    }
}

/// Where the value of an expression lies, as far as bounds tell.
pub(crate) fn interval(work: &Work, e: ExprId) -> Interval {
    ranges(&work.bounds).of(&work.pool, e)
}

fn ranges(bounds: &[Interval]) -> Ranges<'_> {
    Ranges::new(|v: VarId| bounds.get(v.index()).copied().unwrap_or(Interval::ALL))
}

fn solved(work: &mut Work, equation: usize, v: VarId) -> Solved {
    let (lhs, rhs) = (work.equations[equation].lhs, work.equations[equation].rhs);
    let Work { pool, bounds, calls, .. } = work;
    solve_for(pool, lhs, rhs, v, &mut ranges(bounds), calls)
}

/// Solves an equation for a variable. A linear one is solved even where its coefficient is not proven nonzero:
/// whoever asks has no other way, and a zero shows at run time.
pub(crate) fn solve(work: &mut Work, equation: usize, variable: VarId) -> Solution {
    match solved(work, equation, variable) {
        Solved::Explicit(s) if s.linear || s.safety <= DivisorSafety::Proven => Solution::Explicit(s.value),
        _ => Solution::None,
    }
}

/// `sum of coefficient * variable + rest = 0`, if the equation is linear in the variables that pass the test.
pub(crate) fn linear(
    work: &mut Work,
    equation: usize,
    unknown: &dyn Fn(VarId) -> bool,
) -> Option<(Vec<(VarId, ExprId)>, ExprId)> {
    let residual = work.residual(equation);
    let linear = linear_coefficients(&mut work.pool, residual, unknown)?;
    Some((linear.coefficients, linear.rest))
}

/// The partial derivative of a formula.
pub(crate) fn partial(work: &mut Work, formula: ExprId, variable: VarId) -> Option<ExprId> {
    derivative(&mut work.pool, formula, variable, &mut work.calls).ok()
}

/// The partial derivative of a formula as an iteration sees it: calls of functions that have no derivative, external ones
/// for example, by differences.
pub(crate) fn slope(work: &mut Work, formula: ExprId, variable: VarId) -> Option<ExprId> {
    match partial(work, formula, variable) {
        Some(slope) => Some(slope),
        None => derivative(&mut work.pool, formula, variable, &mut Differences(&mut work.calls)).ok(),
    }
}

/// Derivatives of calls, by differences where there are no others.
struct Differences<'a>(&'a mut Calls);

impl CallDerivative for Differences<'_> {
    /// `(f(x + d) - f(x - d))/(2 d)`
    fn partial(
        &mut self,
        pool: &mut Pool,
        function: FunctionId,
        args: &[ExprId],
        output: u32,
        input: u32,
    ) -> Option<ExprId> {
        if let Some(known) = self.0.partial(pool, function, args, output, input) {
            return Some(known);
        }
        /// The distance: the cube root of the rounding error as a part of the argument, and a little more, which may be zero.
        const PART: f64 = 6e-6;
        const LEAST: f64 = 1e-9;
        if pool.function(function).notes.impure {
            return None;
        }
        let x = *args.get(input as usize)?;
        let size = pool.op(Op::Abs, &[x]);
        let (part, least) = (pool.constant(PART), pool.constant(LEAST));
        let grown = pool.op(Op::Mul, &[part, size]);
        let distance = pool.op(Op::Add, &[grown, least]);
        let back = pool.op(Op::Neg, &[distance]);
        let at = |pool: &mut Pool, move_by: ExprId| {
            let mut moved = args.to_vec();
            moved[input as usize] = pool.op(Op::Add, &[x, move_by]);
            let call = pool.call(function, &moved);
            pool.output(call, output)
        };
        let (ahead, behind) = (at(pool, distance), at(pool, back));
        let behind = pool.op(Op::Neg, &[behind]);
        let change = pool.op(Op::Add, &[ahead, behind]);
        let twice = pool.op(Op::Add, &[distance, distance]);
        Some(pool.op(Op::Div, &[change, twice]))
    }

    fn directional(
        &mut self,
        pool: &mut Pool,
        function: FunctionId,
        args: &[ExprId],
        rates: &[ExprId],
        output: u32,
    ) -> Option<ExprId> {
        if let Some(known) = self.0.directional(pool, function, args, rates, output) {
            return Some(known);
        }
        let inputs = Layout::of_inputs(pool.function(function))?;
        let mut terms = Vec::new();
        for entry in inputs.entries.iter().filter(|entry| entry.scalar == Scalar::Real) {
            for input in entry.offset..entry.offset + entry.len {
                let rate = *rates.get(input)?;
                if !pool.is_zero(rate) {
                    let partial = self.partial(pool, function, args, output, input as u32)?;
                    terms.push(pool.op(Op::Mul, &[partial, rate]));
                }
            }
        }
        Some(sum(pool, &terms))
    }
}

/// The sum of terms.
pub(crate) fn sum(pool: &mut Pool, terms: &[ExprId]) -> ExprId {
    match terms {
        [] => pool.constant(0.0),
        [one] => *one,
        _ => pool.op(Op::Add, terms),
    }
}
