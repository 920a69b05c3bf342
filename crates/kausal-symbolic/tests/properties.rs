//! Properties of random expressions, each against a plain tree that knows nothing of the pool.
//!
//! The random numbers are the same in every run; `PROPTEST_CASES` makes the runs longer.

mod common;

use common::{Bounded, Tree, agree, letter, parse, show};
use kausal_symbolic::count::{shared_operations, written_operations};
use kausal_symbolic::derivative::{NoCalls, derivative, gradient};
use kausal_symbolic::evaluate::evaluate;
use kausal_symbolic::factor::Factoring;
use kausal_symbolic::interval::{Interval, Ranges};
use kausal_symbolic::linear::linear_coefficients;
use kausal_symbolic::solve::{DemandKind, NoInverses, Solved, solve_for};
use kausal_symbolic::substitute::{map_children, substitute};
use kausal_symbolic::visit::reachable;
use kausal_symbolic::{ExprId, Op, Pool, VarId};
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestCaseError, TestRng, TestRunner};

const VARS: usize = 4;

fn numbers() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => prop::sample::select(vec![0.0, 1.0, -1.0, 2.0, -2.0, 3.0, 4.0, 10.0]),
        2 => prop::sample::select(vec![0.5, 0.1, 0.3, 1.5, -0.7, 1e-3, 1e6]),
    ]
}

fn leaves() -> impl Strategy<Value = Tree> {
    prop_oneof![3 => (0..VARS as u32).prop_map(Tree::Var), 2 => numbers().prop_map(Tree::Const)]
}

/// Sums, products, quotients and small powers.
fn arithmetic(inner: impl Strategy<Value = Tree> + Clone + 'static) -> impl Strategy<Value = Tree> {
    let many = prop::collection::vec(inner.clone(), 2..4);
    prop_oneof![
        5 => many.clone().prop_map(|args| Tree::Op(Op::Add, args)),
        5 => many.prop_map(|args| Tree::Op(Op::Mul, args)),
        2 => inner.clone().prop_map(|a| Tree::Op(Op::Neg, vec![a])),
        4 => (inner.clone(), inner.clone()).prop_map(|(a, b)| Tree::Op(Op::Div, vec![a, b])),
        1 => (inner, prop::sample::select(vec![-2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 0.5, 1.5]))
            .prop_map(|(a, n)| Tree::Op(Op::Pow, vec![a, Tree::Const(n)])),
    ]
}

fn conditions(inner: impl Strategy<Value = Tree> + Clone + 'static) -> impl Strategy<Value = Tree> {
    let relation = (prop::sample::select(vec![Op::Less, Op::LessEqual]), inner.clone(), inner)
        .prop_map(|(op, a, b)| Tree::Op(op, vec![a, b]));
    relation.prop_recursive(2, 6, 2, |inner| {
        prop_oneof![
            inner.clone().prop_map(|a| Tree::Op(Op::Not, vec![a])),
            (prop::sample::select(vec![Op::And, Op::Or]), inner.clone(), inner)
                .prop_map(|(op, a, b)| Tree::Op(op, vec![a, b])),
        ]
    })
}

/// Everything that has a value without a context.
fn expressions() -> impl Strategy<Value = Tree> {
    expressions_with(&[Op::Sign, Op::Floor, Op::Ceil, Op::Integer], &[Op::Mod, Op::Rem, Op::IntegerDiv])
}

/// Without steps: between two of many steps a function looks smooth.
fn smooth_expressions() -> impl Strategy<Value = Tree> {
    expressions_with(&[], &[])
}

fn expressions_with(unary: &[Op], binary: &[Op]) -> impl Strategy<Value = Tree> {
    let (more_unary, more_binary) = (unary.to_vec(), binary.to_vec());
    leaves().prop_recursive(5, 40, 3, move |inner| {
        let mut unary = vec![
            Op::Sqrt,
            Op::Exp,
            Op::Log,
            Op::Log10,
            Op::Sin,
            Op::Cos,
            Op::Tan,
            Op::Asin,
            Op::Acos,
            Op::Atan,
            Op::Sinh,
            Op::Cosh,
            Op::Tanh,
            Op::Abs,
            Op::NoEvent,
        ];
        let mut binary = vec![Op::Atan2, Op::Min, Op::Max, Op::Pow];
        unary.extend(&more_unary);
        binary.extend(&more_binary);
        prop_oneof![
            12 => arithmetic(inner.clone()),
            3 => (prop::sample::select(unary), inner.clone()).prop_map(|(op, a)| Tree::Op(op, vec![a])),
            2 => (prop::sample::select(binary), inner.clone(), inner.clone())
                .prop_map(|(op, a, b)| Tree::Op(op, vec![a, b])),
            2 => (conditions(inner.clone()), inner.clone(), inner.clone())
                .prop_map(|(c, a, b)| Tree::Op(Op::If, vec![c, a, b])),
        ]
    })
}

/// Expressions that are often linear in some variable.
fn tame_expressions() -> impl Strategy<Value = Tree> {
    leaves().prop_recursive(4, 24, 3, |inner| {
        prop_oneof![
            12 => arithmetic(inner.clone()),
            1 => (prop::sample::select(vec![Op::Exp, Op::Log, Op::Sqrt, Op::Atan, Op::NoEvent]), inner.clone())
                .prop_map(|(op, a)| Tree::Op(op, vec![a])),
            1 => (conditions(inner.clone()), inner.clone(), inner.clone())
                .prop_map(|(c, a, b)| Tree::Op(Op::If, vec![c, a, b])),
        ]
    })
}

fn points() -> impl Strategy<Value = [f64; VARS]> {
    prop::array::uniform4(prop_oneof![-3.0..3.0f64, 0.01..10.0f64])
}

fn bounded(point: [f64; VARS]) -> [Bounded; VARS] {
    point.map(|value| Bounded { value, error: 0.0 })
}

fn value_at(pool: &Pool, expr: ExprId, point: &[f64; VARS]) -> f64 {
    evaluate(pool, expr, &mut |v: VarId| point[v.index()])
}

/// Runs a property; it says whether the case told anything. At least one in ten must.
fn check<S: Strategy>(strategy: S, property: impl Fn(S::Value) -> Result<bool, TestCaseError>) {
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    let config = ProptestConfig { cases: config.cases.max(3000), ..config };
    let cases = config.cases;
    let told = std::cell::Cell::new(0u32);
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let result = TestRunner::new_with_rng(config, rng).run(&strategy, |value| {
        told.set(told.get() + u32::from(property(value)?));
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    assert!(told.get() * 10 >= cases, "only {} of {cases} cases told anything", told.get());
}

fn fail(message: String) -> Result<bool, TestCaseError> {
    Err(TestCaseError::fail(message))
}

#[test]
fn simplification_keeps_the_value() {
    check((expressions(), points()), |(tree, point)| {
        let mut pool = Pool::new();
        let expr = tree.build(&mut pool);
        let Some(expected) = tree.value(&bounded(point)) else { return Ok(false) };
        let actual = value_at(&pool, expr, &point);
        if !agree(expected, actual) {
            return fail(format!("{expected:?} became {actual} of {}", show(&pool, expr)));
        }
        Ok(true)
    });
}

#[test]
fn simplification_never_adds_operations() {
    check(expressions(), |tree| {
        let mut pool = Pool::new();
        let expr = tree.build(&mut pool);
        let (before, after) = (tree.operations(), written_operations(&pool, expr).total());
        if after > before {
            return fail(format!("{before} operations became {after}: {}", show(&pool, expr)));
        }
        Ok(shared_operations(&pool, &[expr]).total() <= after)
    });
}

#[test]
fn factoring_keeps_the_value_and_saves_operations() {
    check((expressions(), points()), |(tree, point)| {
        let mut pool = Pool::new();
        let expr = tree.build(&mut pool);
        let result = Factoring::new().apply(&mut pool, expr);
        let (before, after) =
            (written_operations(&pool, expr).total(), written_operations(&pool, result).total());
        if after > before {
            return fail(format!("{before} operations became {after}: {}", show(&pool, result)));
        }
        let Some(expected) = tree.value(&bounded(point)) else { return Ok(false) };
        let actual = value_at(&pool, result, &point);
        if !agree(expected, actual) {
            return fail(format!("{expected:?} became {actual} of {}", show(&pool, result)));
        }
        Ok(true)
    });
}

#[test]
fn what_is_printed_reads_back() {
    check(expressions(), |tree| {
        let mut pool = Pool::new();
        let expr = tree.build(&mut pool);
        let text = show(&pool, expr);
        let again = parse(&text).build(&mut pool);
        if again != expr {
            return fail(format!("{text} reads as {}", show(&pool, again)));
        }
        Ok(true)
    });
}

#[test]
fn derivatives_are_slopes() {
    check((smooth_expressions(), points()), |(tree, point)| {
        let mut pool = Pool::new();
        let expr = tree.build(&mut pool);
        let x = VarId(0);
        let Ok(slope) = derivative(&mut pool, expr, x, &mut NoCalls) else {
            return fail("no derivative".to_owned());
        };
        let symbolic = value_at(&pool, slope, &point);
        // Central differences with two steps; where they disagree, the function is not smooth enough there.
        let difference = |step: f64| {
            let side = |sign: f64| {
                let mut moved = bounded(point);
                moved[0].value += sign * step;
                tree.value(&moved)
            };
            let (up, down) = (side(1.0)?, side(-1.0)?);
            Some(((up.value - down.value) / (2.0 * step), (up.error + down.error) / step))
        };
        let (Some((coarse, _)), Some((fine, noise))) = (difference(2e-4), difference(0.7431e-4)) else {
            return Ok(false);
        };
        let accuracy = 4.0 * (coarse - fine).abs() + 4.0 * noise + 1e-9 * fine.abs() + 1e-9;
        if accuracy > 1e-3 * (1.0 + fine.abs()) {
            return Ok(false);
        }
        if (symbolic - fine).abs() > accuracy {
            return fail(format!("{symbolic} instead of {fine}: {}", show(&pool, slope)));
        }
        let row = gradient(&mut pool, expr, |_| true, &mut NoCalls).unwrap_or_default();
        let from_row = row.iter().find(|&&(v, _)| v == x).map_or(0.0, |&(_, e)| value_at(&pool, e, &point));
        if (from_row - symbolic).abs() > 1e-9 * (1.0 + symbolic.abs()) {
            return fail(format!("{from_row} in the gradient, {symbolic} alone"));
        }
        Ok(tree.operations() > 0)
    });
}

#[test]
fn linear_coefficients_make_the_expression() {
    let told = std::cell::Cell::new(0);
    check((tame_expressions(), points(), points()), |(tree, point, other)| {
        let mut pool = Pool::new();
        let expr = tree.build(&mut pool);
        let unknown = |v: VarId| v.0 < 2;
        let Some(linear) = linear_coefficients(&mut pool, expr, unknown) else { return Ok(true) };
        for part in linear.coefficients.iter().map(|&(_, c)| c).chain([linear.rest]) {
            if pool.contains_any(part, unknown) {
                return fail(format!("{} is not free of unknowns", show(&pool, part)));
            }
        }
        for point in [point, [other[0], other[1], point[2], point[3]]] {
            let Some(expected) = tree.value(&bounded(point)) else { return Ok(false) };
            let mut terms = vec![value_at(&pool, linear.rest, &point)];
            for &(v, c) in &linear.coefficients {
                terms.push(value_at(&pool, c, &point) * point[v.index()]);
            }
            let sum: f64 = terms.iter().sum();
            let size: f64 = terms.iter().map(|term| term.abs()).sum();
            let slack = Bounded { error: expected.error + f64::EPSILON * size, ..expected };
            if !agree(slack, sum) {
                return fail(format!("{sum} instead of {expected:?}: {}", show(&pool, expr)));
            }
        }
        told.set(told.get() + i32::from(!linear.coefficients.is_empty()));
        Ok(true)
    });
    assert!(told.get() > 500, "{} linear expressions", told.get());
}

#[test]
fn solutions_solve() {
    let told = std::cell::Cell::new(0);
    check((tame_expressions(), tame_expressions(), points()), |(lhs, rhs, point)| {
        let mut pool = Pool::new();
        let (left, right) = (lhs.build(&mut pool), rhs.build(&mut pool));
        let x = VarId(0);
        let mut ranges = Ranges::unknown();
        let Solved::Explicit(solution) = solve_for(&mut pool, left, right, x, &mut ranges, &mut NoInverses)
        else {
            return Ok(true);
        };
        if pool.contains(solution.value, x) {
            return fail(format!("{} contains the variable", show(&pool, solution.value)));
        }
        for demand in &solution.demands {
            let value = value_at(&pool, demand.expr, &point);
            let holds = match demand.kind {
                DemandKind::Nonzero => value.abs() > 1e-6,
                DemandKind::Positive => value > 1e-6,
                DemandKind::Nonnegative => value >= 0.0,
                DemandKind::Within(low, high) => low <= value && value <= high,
            };
            if !holds {
                return Ok(true);
            }
        }
        let value = value_at(&pool, solution.value, &point);
        // Put into both sides with an error that covers the rounding on the way here.
        let mut at = bounded(point);
        let text = parse(&show(&pool, solution.value));
        let Some(own) = text.value(&at) else { return Ok(true) };
        at[0] = Bounded { value, error: own.error + 4.0 * f64::EPSILON * (1.0 + value.abs()) };
        let (Some(l), Some(r)) = (lhs.value(&at), rhs.value(&at)) else { return Ok(true) };
        if (l.value - r.value).abs() > 64.0 * (l.error + r.error) {
            return fail(format!("{} = {value} gives {l:?} and {r:?}", show(&pool, solution.value)));
        }
        told.set(told.get() + 1);
        Ok(true)
    });
    assert!(told.get() > 300, "{} solutions", told.get());
}

#[test]
fn values_lie_in_their_intervals() {
    check((expressions(), points(), points()), |(tree, point, other)| {
        let mut pool = Pool::new();
        let expr = tree.build(&mut pool);
        let bounds = |v: VarId| {
            let (a, b) = (point[v.index()], other[v.index()]);
            Interval::new(a.min(b), a.max(b))
        };
        let mut ranges = Ranges::new(bounds);
        let middle = std::array::from_fn(|i| 0.5 * (point[i] + other[i]));
        let mut told = false;
        'points: for point in [point, other, middle] {
            if tree.value(&bounded(point)).is_none() {
                continue;
            }
            for id in reachable(&pool, &[expr], |_| true) {
                let (interval, value) = (ranges.of(&pool, id), value_at(&pool, id, &point));
                if !interval.contains(value) {
                    let shrinks = |op| matches!(op, Op::Pow | Op::Exp | Op::Mul | Op::Div);
                    if value.abs() < 1e-300 && pool.as_op(id).is_some_and(|(op, _)| shrinks(op)) {
                        // What is too small to represent is zero although it should not be.
                        continue 'points;
                    }
                    return fail(format!("{value} is not in {interval:?}: {}", show(&pool, id)));
                }
                told |= interval.low > f64::NEG_INFINITY || interval.high < f64::INFINITY || interval.nonzero;
            }
        }
        Ok(told)
    });
}

#[test]
fn substitution_is_evaluation_elsewhere() {
    check((expressions(), expressions(), points()), |(tree, inner, point)| {
        let mut pool = Pool::new();
        let (expr, value) = (tree.build(&mut pool), inner.build(&mut pool));
        let replaced = substitute(&mut pool, expr, &[(VarId(0), value)]);
        let same = map_children(&mut pool, expr, |child| child);
        if same != expr {
            return fail(format!("{} changed by itself", show(&pool, expr)));
        }
        let mut at = bounded(point);
        let Some(put) = inner.value(&at) else { return Ok(false) };
        at[0] = put;
        let Some(expected) = tree.value(&at) else { return Ok(false) };
        let actual = value_at(&pool, replaced, &point);
        if !agree(expected, actual) {
            return fail(format!("{actual} instead of {expected:?}: {}", show(&pool, replaced)));
        }
        Ok(true)
    });
}

#[test]
fn variables_are_those_that_matter() {
    check((expressions(), points(), points()), |(tree, point, other)| {
        let mut pool = Pool::new();
        let expr = tree.build(&mut pool);
        let variables = pool.variables_of(expr);
        let mut moved = other;
        for v in &variables {
            moved[v.index()] = point[v.index()];
            if !show(&pool, expr).contains(&letter(v.0)) {
                return fail(format!("{} does not show {}", show(&pool, expr), letter(v.0)));
            }
        }
        let (a, b) = (value_at(&pool, expr, &point), value_at(&pool, expr, &moved));
        if a.to_bits() != b.to_bits() && !(a.is_nan() && b.is_nan()) {
            return fail(format!("{a} and {b}: {}", show(&pool, expr)));
        }
        Ok(true)
    });
}
