//! Solving an equation for one variable.
//!
//! The side with the variable is peeled from outside: terms and factors without it go to the other side, functions
//! are inverted, choices are solved branch by branch. Where several terms contain it, they must be linear in it. What
//! was divided by, and what an inverse function needs, is proven with the [`Ranges`] or reported as a [`Demand`].

use std::f64::consts::{FRAC_PI_2, LN_10, PI};

use rustc_hash::FxHashSet;

use crate::function::FunctionId;
use crate::interval::Ranges;
use crate::linear::linear_coefficients;
use crate::node::{ExprId, Node, Op, VarId};
use crate::pool::Pool;
use crate::simplify::Args;
use crate::visit::reachable;

/// An equation solved for a variable, or why not.
#[derive(Clone, Debug, PartialEq)]
pub enum Solved {
    /// `var = value` is equivalent where the demands hold.
    Explicit(Solution),
    /// The variable is there, but the equation cannot be solved for it.
    Nonlinear,
    /// The variable is not there, or cancels.
    Absent,
}

/// `var = value`.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// The value; free of the variable.
    pub value: ExprId,
    /// Is the equation linear in the variable?
    pub linear: bool,
    /// What is known about everything that was divided by.
    pub safety: DivisorSafety,
    /// What is not proven. Empty unless the safety is [`DivisorSafety::Unknown`].
    pub demands: Vec<Demand>,
}

/// What is known about the divisors, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DivisorSafety {
    /// Numbers other than zero, or nothing was divided by.
    Constant,
    /// Proven to be nonzero, and everything else that inverse functions need.
    Proven,
    /// Not proven.
    Unknown,
}

/// What must hold for the solution to be valid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Demand {
    /// The expression.
    pub expr: ExprId,
    /// What must hold for it.
    pub kind: DemandKind,
}

/// Kinds of demands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DemandKind {
    /// It was divided by.
    Nonzero,
    /// Its logarithm was taken.
    Positive,
    /// It is the value of a root, an absolute value, or was put under a root.
    Nonnegative,
    /// It is the value or argument of a function with this range.
    Within(f64, f64),
}

/// Knows inverses of functions.
pub trait CallInverse {
    /// The argument `input` for which the scalar output `output` of the function takes the given value, the other
    /// arguments as they are. `None`: not known.
    fn inverse(
        &mut self,
        pool: &mut Pool,
        function: FunctionId,
        args: &[ExprId],
        output: u32,
        input: u32,
        value: ExprId,
    ) -> Option<ExprId>;
}

/// No inverse is known.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoInverses;

impl CallInverse for NoInverses {
    fn inverse(
        &mut self,
        _: &mut Pool,
        _: FunctionId,
        _: &[ExprId],
        _: u32,
        _: u32,
        _: ExprId,
    ) -> Option<ExprId> {
        None
    }
}

/// Branches inside branches are followed this deep.
const DEPTH: usize = 32;
/// So many branches are solved in all.
const BRANCHES: usize = 256;

/// Solves `lhs = rhs` for a variable.
///
/// ```
/// use kausal_symbolic::{Pool, VarId, interval::Ranges, solve::{NoInverses, Solved, solve_for}};
/// let mut pool = Pool::new();
/// let [u, r, i] = [0, 1, 2].map(|k| pool.var(VarId(k)));
/// let drop = pool.mul(r, i);
/// let solved = solve_for(&mut pool, u, drop, VarId(2), &mut Ranges::unknown(), &mut NoInverses);
/// let Solved::Explicit(solution) = solved else { panic!() };
/// assert_eq!(solution.value, pool.div(u, r));
/// assert_eq!(solution.demands[0].expr, r);
/// ```
pub fn solve_for(
    pool: &mut Pool,
    lhs: ExprId,
    rhs: ExprId,
    var: VarId,
    ranges: &mut Ranges<'_>,
    inverses: &mut dyn CallInverse,
) -> Solved {
    let (target, value) = match (pool.contains(lhs, var), pool.contains(rhs, var)) {
        (true, false) => (lhs, rhs),
        (false, true) => (rhs, lhs),
        (false, false) => return Solved::Absent,
        (true, true) => {
            let difference = pool.sub(lhs, rhs);
            if !pool.contains(difference, var) {
                return Solved::Absent;
            }
            (difference, pool.zero())
        }
    };
    let dependent = dependent_nodes(pool, target, var);
    let mut peeler = Peeler { var, dependent, ranges, inverses, branches: BRANCHES };
    peeler.peel(pool, target, value, DEPTH, false)
}

fn dependent_nodes(pool: &mut Pool, expr: ExprId, var: VarId) -> FxHashSet<ExprId> {
    let mut dependent = FxHashSet::default();
    for id in reachable(pool, &[expr], |id| pool.has_variables(id)) {
        let depends = match pool.node(id) {
            Node::Var(v) => v == var,
            _ => pool.children(id).iter().any(|child| dependent.contains(child)),
        };
        if depends {
            dependent.insert(id);
        }
    }
    dependent
}

struct Peeler<'a, 'b> {
    var: VarId,
    /// The nodes that contain the variable.
    dependent: FxHashSet<ExprId>,
    ranges: &'a mut Ranges<'b>,
    inverses: &'a mut dyn CallInverse,
    branches: usize,
}

/// A target that is not peeled yet and the value it must have.
struct Progress {
    target: ExprId,
    value: ExprId,
    linear: bool,
    safety: DivisorSafety,
    demands: Vec<Demand>,
    /// The target stands below `noEvent`: what leaves it is wrapped again.
    quiet: bool,
}

enum Step {
    Continue,
    Done,
    Stuck(Solved),
}

impl Peeler<'_, '_> {
    fn peel(&mut self, pool: &mut Pool, target: ExprId, value: ExprId, depth: usize, quiet: bool) -> Solved {
        let mut at = Progress {
            target,
            value,
            linear: true,
            safety: DivisorSafety::Constant,
            demands: Vec::new(),
            quiet,
        };
        loop {
            match self.step(pool, &mut at, depth) {
                Step::Continue => {}
                Step::Done => {
                    return Solved::Explicit(Solution {
                        value: at.value,
                        linear: at.linear,
                        safety: at.safety,
                        demands: at.demands,
                    });
                }
                Step::Stuck(reason) => return reason,
            }
        }
    }

    fn step(&mut self, pool: &mut Pool, at: &mut Progress, depth: usize) -> Step {
        let (op, args) = match pool.node(at.target) {
            Node::Var(_) => return Step::Done,
            Node::Output(call, output) => return self.call(pool, at, call, output),
            Node::Op(op, args) => (op, Args::from_slice(args)),
            _ => return Step::Stuck(Solved::Nonlinear),
        };
        match (op, args.as_slice()) {
            (Op::Neg, &[a]) => {
                at.value = pool.neg(at.value);
                at.target = a;
                Step::Continue
            }
            (Op::Add, terms) => self.sum(pool, at, terms),
            (Op::Mul, factors) => {
                let (with, without): (Args, Args) =
                    factors.iter().copied().partition(|f| self.dependent.contains(f));
                let &[only] = with.as_slice() else { return Step::Stuck(Solved::Nonlinear) };
                let others = pool.product(&without);
                let others = quieted(pool, at, others);
                self.demand(pool, at, others, DemandKind::Nonzero);
                at.value = pool.div(at.value, others);
                at.target = only;
                Step::Continue
            }
            (Op::Div, &[a, b]) => self.quotient(pool, at, a, b),
            (Op::NoEvent, &[a]) => {
                at.quiet = true;
                at.target = a;
                Step::Continue
            }
            (Op::Smooth, &[order, a]) if !self.dependent.contains(&order) => {
                at.target = a;
                Step::Continue
            }
            (Op::If, &[c, a, b]) if !self.dependent.contains(&c) => {
                self.choice(pool, at, Some(c), a, b, depth)
            }
            (Op::Homotopy, &[a, b]) => self.choice(pool, at, None, a, b, depth),
            (Op::Pow, &[a, b]) => self.power(pool, at, a, b),
            (_, &[a]) => self.function(pool, at, op, a),
            _ => Step::Stuck(Solved::Nonlinear),
        }
    }

    fn sum(&mut self, pool: &mut Pool, at: &mut Progress, terms: &[ExprId]) -> Step {
        let (with, without): (Args, Args) =
            terms.iter().copied().partition(|term| self.dependent.contains(term));
        let rest = pool.sum(&without);
        let rest = quieted(pool, at, rest);
        at.value = pool.sub(at.value, rest);
        if let &[only] = with.as_slice() {
            at.target = only;
            return Step::Continue;
        }
        let sum = pool.sum(&with);
        self.linear(pool, at, sum)
    }

    /// Several terms contain the variable: they must be linear in it.
    fn linear(&mut self, pool: &mut Pool, at: &mut Progress, sum: ExprId) -> Step {
        let var = self.var;
        let Some(linear) = linear_coefficients(pool, sum, |v| v == var) else {
            return Step::Stuck(Solved::Nonlinear);
        };
        let Some(coefficient) = linear.coefficient(var) else { return Step::Stuck(Solved::Absent) };
        let coefficient = quieted(pool, at, coefficient);
        let rest = quieted(pool, at, linear.rest);
        self.demand(pool, at, coefficient, DemandKind::Nonzero);
        let top = pool.sub(at.value, rest);
        at.value = pool.div(top, coefficient);
        Step::Done
    }

    fn quotient(&mut self, pool: &mut Pool, at: &mut Progress, a: ExprId, b: ExprId) -> Step {
        match (self.dependent.contains(&a), self.dependent.contains(&b)) {
            (_, false) => {
                let b = quieted(pool, at, b);
                at.value = pool.mul(at.value, b);
                at.target = a;
                Step::Continue
            }
            (false, true) => {
                at.linear = false;
                let a = quieted(pool, at, a);
                self.demand(pool, at, at.value, DemandKind::Nonzero);
                at.value = pool.div(a, at.value);
                at.target = b;
                Step::Continue
            }
            (true, true) => {
                // a/b = v where b is not zero is a - v*b = 0.
                at.linear = false;
                let product = pool.mul(at.value, b);
                let difference = pool.sub(a, product);
                at.value = pool.zero();
                self.linear(pool, at, difference)
            }
        }
    }

    /// `if` (with its condition) and `homotopy`: both branches solved.
    fn choice(
        &mut self,
        pool: &mut Pool,
        at: &mut Progress,
        condition: Option<ExprId>,
        a: ExprId,
        b: ExprId,
        depth: usize,
    ) -> Step {
        if depth == 0 || self.branches < 2 {
            return self.linear(pool, at, at.target);
        }
        self.branches -= 2;
        let both = self.dependent.contains(&a) && self.dependent.contains(&b);
        if !both {
            // One branch says nothing about the variable; as a whole it may still be linear.
            return self.linear(pool, at, at.target);
        }
        let first = self.peel(pool, a, at.value, depth - 1, at.quiet);
        let second = self.peel(pool, b, at.value, depth - 1, at.quiet);
        let (Solved::Explicit(first), Solved::Explicit(second)) = (first, second) else {
            return Step::Stuck(Solved::Nonlinear);
        };
        at.linear &= first.linear && second.linear;
        at.safety = at.safety.max(first.safety).max(second.safety);
        match condition {
            Some(condition) => {
                let condition = quieted(pool, at, condition);
                at.value = pool.if_then_else(condition, first.value, second.value);
                // A demand of a branch need not hold outside it.
                for (demand, holds) in
                    first.demands.iter().map(|d| (d, true)).chain(second.demands.iter().map(|d| (d, false)))
                {
                    let neutral = pool.constant(match demand.kind {
                        DemandKind::Within(low, high) => low.max(high.min(1.0)),
                        _ => 1.0,
                    });
                    let (yes, no) = if holds { (demand.expr, neutral) } else { (neutral, demand.expr) };
                    let expr = pool.if_then_else(condition, yes, no);
                    at.demands.push(Demand { expr, kind: demand.kind });
                }
            }
            None => {
                at.value = pool.op(Op::Homotopy, &[first.value, second.value]);
                at.demands.extend(first.demands);
                at.demands.extend(second.demands);
            }
        }
        Step::Done
    }

    fn power(&mut self, pool: &mut Pool, at: &mut Progress, a: ExprId, b: ExprId) -> Step {
        at.linear = false;
        let one = pool.one();
        match (self.dependent.contains(&a), self.dependent.contains(&b)) {
            (true, false) => {
                let exponent = pool.as_constant(b);
                let integer = exponent.is_some_and(|n| n.fract() == 0.0);
                let even = exponent.is_some_and(|n| (n / 2.0).fract() == 0.0);
                let b = quieted(pool, at, b);
                let inverse = pool.div(one, b);
                let range = self.ranges.of(pool, a);
                at.target = a;
                if integer && !even {
                    at.value = if self.ranges.is_nonnegative(pool, at.value) {
                        pool.pow(at.value, inverse)
                    } else {
                        let sign = pool.apply(Op::Sign, at.value);
                        let size = pool.abs(at.value);
                        let root = pool.pow(size, inverse);
                        pool.mul(sign, root)
                    };
                    return Step::Continue;
                }
                // A power that is not an integer has a base that is not negative.
                let fractional = exponent.is_some_and(|n| n.fract() != 0.0);
                if !(fractional || range.low >= 0.0 || integer && range.high <= 0.0) {
                    return Step::Stuck(Solved::Nonlinear);
                }
                let growing = exponent.is_some_and(|n| n > 0.0);
                let kind = if growing { DemandKind::Nonnegative } else { DemandKind::Positive };
                self.demand(pool, at, b, DemandKind::Nonzero);
                self.demand(pool, at, at.value, kind);
                let root = pool.pow(at.value, inverse);
                at.value = if fractional || range.low >= 0.0 { root } else { pool.neg(root) };
                Step::Continue
            }
            (false, true) => {
                let a = quieted(pool, at, a);
                let base = pool.apply(Op::Log, a);
                self.demand(pool, at, a, DemandKind::Positive);
                self.demand(pool, at, base, DemandKind::Nonzero);
                self.demand(pool, at, at.value, DemandKind::Positive);
                let log = pool.apply(Op::Log, at.value);
                at.value = pool.div(log, base);
                at.target = b;
                Step::Continue
            }
            _ => Step::Stuck(Solved::Nonlinear),
        }
    }

    fn function(&mut self, pool: &mut Pool, at: &mut Progress, op: Op, a: ExprId) -> Step {
        at.linear = false;
        let v = at.value;
        let range = self.ranges.of(pool, a);
        let one = pool.one();
        let (value, demand) = match op {
            Op::Exp => (pool.apply(Op::Log, v), Some(DemandKind::Positive)),
            Op::Log => (pool.apply(Op::Exp, v), None),
            Op::Log10 => {
                let scaled = pool.times(LN_10, v);
                (pool.apply(Op::Exp, scaled), None)
            }
            Op::Sqrt => (pool.powi(v, 2), Some(DemandKind::Nonnegative)),
            Op::Sin if range.is_within(-FRAC_PI_2, FRAC_PI_2) => {
                (pool.apply(Op::Asin, v), Some(DemandKind::Within(-1.0, 1.0)))
            }
            Op::Cos if range.is_within(0.0, PI) => {
                (pool.apply(Op::Acos, v), Some(DemandKind::Within(-1.0, 1.0)))
            }
            Op::Cos if range.is_within(-PI, 0.0) => {
                let angle = pool.apply(Op::Acos, v);
                (pool.neg(angle), Some(DemandKind::Within(-1.0, 1.0)))
            }
            Op::Tan if range.is_within(-FRAC_PI_2, FRAC_PI_2) => (pool.apply(Op::Atan, v), None),
            Op::Asin => (pool.apply(Op::Sin, v), Some(DemandKind::Within(-FRAC_PI_2, FRAC_PI_2))),
            Op::Acos => (pool.apply(Op::Cos, v), Some(DemandKind::Within(0.0, PI))),
            Op::Atan => (pool.apply(Op::Tan, v), Some(DemandKind::Within(-FRAC_PI_2, FRAC_PI_2))),
            Op::Sinh => {
                // sign(v) log(|v| + sqrt(v^2 + 1)) does not cancel for negative v; near zero its error is that of 1.
                let square = pool.powi(v, 2);
                let inside = pool.add(square, one);
                let root = pool.sqrt(inside);
                let size = pool.abs(v);
                let sum = pool.add(size, root);
                let log = pool.apply(Op::Log, sum);
                let sign = pool.apply(Op::Sign, v);
                (pool.mul(sign, log), None)
            }
            Op::Tanh => {
                let (above, below) = (pool.add(one, v), pool.sub(one, v));
                let ratio = pool.div(above, below);
                let log = pool.apply(Op::Log, ratio);
                (pool.times(0.5, log), Some(DemandKind::Within((-1f64).next_up(), 1f64.next_down())))
            }
            Op::Cosh if range.low >= 0.0 || range.high <= 0.0 => {
                let square = pool.powi(v, 2);
                let inside = pool.sub(square, one);
                let root = pool.sqrt(inside);
                let sum = pool.add(v, root);
                let log = pool.apply(Op::Log, sum);
                let value = if range.low >= 0.0 { log } else { pool.neg(log) };
                (value, Some(DemandKind::Within(1.0, f64::INFINITY)))
            }
            Op::Abs if range.low >= 0.0 => (v, Some(DemandKind::Nonnegative)),
            Op::Abs if range.high <= 0.0 => (pool.neg(v), Some(DemandKind::Nonnegative)),
            _ => return Step::Stuck(Solved::Nonlinear),
        };
        if let Some(kind) = demand {
            self.demand(pool, at, v, kind);
        }
        at.value = value;
        at.target = a;
        Step::Continue
    }

    fn call(&mut self, pool: &mut Pool, at: &mut Progress, call: ExprId, output: u32) -> Step {
        at.linear = false;
        let Node::Call(function, args) = pool.node(call) else { return Step::Stuck(Solved::Nonlinear) };
        let args = Args::from_slice(args);
        let mut with = args.iter().enumerate().filter(|(_, arg)| self.dependent.contains(arg));
        let (Some((input, &target)), None) = (with.next(), with.next()) else {
            return Step::Stuck(Solved::Nonlinear);
        };
        match self.inverses.inverse(pool, function, &args, output, input as u32, at.value) {
            Some(value) => {
                at.value = value;
                at.target = target;
                Step::Continue
            }
            None => Step::Stuck(Solved::Nonlinear),
        }
    }

    fn demand(&mut self, pool: &Pool, at: &mut Progress, expr: ExprId, kind: DemandKind) {
        let range = self.ranges.of(pool, expr);
        let holds = match kind {
            DemandKind::Nonzero => range.nonzero,
            DemandKind::Positive => range.is_positive(),
            DemandKind::Nonnegative => range.low >= 0.0,
            DemandKind::Within(low, high) => range.is_within(low, high),
        };
        let safety = match (holds, pool.is_constant(expr)) {
            (true, true) => DivisorSafety::Constant,
            (true, false) => DivisorSafety::Proven,
            (false, _) => {
                at.demands.push(Demand { expr, kind });
                DivisorSafety::Unknown
            }
        };
        at.safety = at.safety.max(safety);
    }
}

/// What leaves a `noEvent` keeps it.
fn quieted(pool: &mut Pool, at: &Progress, expr: ExprId) -> ExprId {
    if at.quiet { pool.no_event(expr) } else { expr }
}
