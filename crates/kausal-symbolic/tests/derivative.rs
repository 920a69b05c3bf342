//! Derivatives, as text.

mod common;

use common::{read, show, var};
use kausal_symbolic::derivative::{
    CallDerivative, NoCalls, NotDifferentiable, Rates, derivative, gradient, time_derivative,
};
use kausal_symbolic::{ExprId, Function, FunctionId, Op, Pool, VarId};

/// With respect to `x`.
fn check(text: &str, expected: &str) {
    let mut pool = Pool::new();
    let expr = read(&mut pool, text);
    let result = derivative(&mut pool, expr, var("x"), &mut NoCalls).unwrap();
    assert_eq!(show(&pool, result), expected, "{text}");
}

/// With respect to time; the derivative of each letter up to `m` is 13 letters on, all others are constant.
fn check_time(text: &str, expected: &str) {
    let mut pool = Pool::new();
    let expr = read(&mut pool, text);
    let mut rate = |pool: &mut Pool, v: VarId| if v.0 < 13 { pool.var(VarId(v.0 + 13)) } else { pool.zero() };
    let result = time_derivative(&mut pool, expr, &mut rate, &mut NoCalls).unwrap();
    assert_eq!(show(&pool, result), expected, "{text}");
}

#[test]
fn elementary() {
    check("3*x + y", "3");
    check("x*y*z", "y*z");
    check("x^2", "2*x");
    check("x^3", "3*x^2");
    check("a/x", "-a/x/x");
    check("x/a", "1/a");
    check("sqrt(x)", "0.5/sqrt(x)");
    check("exp(2*x)", "2*exp(2*x)");
    check("log(x)", "1/x");
    check("cos(x*y)", "-y*sin(x*y)");
    check("tan(x)", "tan(x)^2 + 1");
    check("atan(x)", "1/(x^2 + 1)");
    check("atan2(x, y)", "y/(y^2 + x^2)");
    check("asin(x)", "1/sqrt(1 - x^2)");
    check("sinh(x) + cosh(x)", "sinh(x) + cosh(x)");
    check("tanh(x)", "1 - tanh(x)^2");
    check("2^x", "0.6931471805599453*2^x");
    check("x^2.5", "2.5*x^1.5");
    check("y + 1", "0");
    // Zero where y is, also at x = 0.
    check("x^y", "y*(if noEvent(y == 0) then 0 else x^(y - 1))");
}

#[test]
fn piecewise() {
    check("abs(x)", "if noEvent(0 <= x) then 1 else -1");
    check("min(x, y)", "if noEvent(x < y) then 1 else 0");
    check("max(2*x, x)", "if noEvent(2*x < x) then 1 else 2");
    check("if y < z then x^2 else x", "if y < z then 2*x else 1");
    check("noEvent(if x < z then x^2 else x)", "noEvent(if x < z then 2*x else 1)");
    check("smooth(2, if x < z then x^3 else 0)", "smooth(1, if x < z then 3*x^2 else 0)");
    check("mod(x, 3)", "1");
    check("floor(x) + sign(x) + integer(x) + pre(x)", "0");
    check("der(x)*x", "der(x)");
    check("homotopy(x^2, x)", "homotopy(2*x, 1)");
    check("delay(x, 1)", "0");
}

#[test]
fn along_time() {
    check_time("a*b", "b*n + a*o");
    check_time("time^2", "2*time");
    check_time("sin(a) + z", "n*cos(a)");
    check_time("a/b", "(n - o*(a/b))/b");
    check_time("sqrt(a^2 + b^2)", "(a*n + b*o)/sqrt(a^2 + b^2)");
    check_time("delay(a, 2)", "delay(n, 2)");
    check_time("der(z)", "der(der(z))");
}

#[test]
fn power_is_safe_at_zero() {
    let mut pool = Pool::new();
    let expr = read(&mut pool, "x^y");
    let slope = derivative(&mut pool, expr, var("y"), &mut NoCalls).unwrap();
    let at = |x: f64| {
        kausal_symbolic::evaluate::evaluate(&pool, slope, &mut |v| if v == var("x") { x } else { 2.0 })
    };
    assert_eq!(at(0.0), 0.0);
    assert!((at(3.0) - 9.0 * 3f64.ln()).abs() < 1e-14);
}

#[test]
fn gradients_leave_out_zeros() {
    let mut pool = Pool::new();
    let expr = read(&mut pool, "a*b + sin(c)/b + d");
    let row = gradient(&mut pool, expr, |v| v != var("d"), &mut NoCalls).unwrap();
    let text: Vec<String> = row.iter().map(|&(v, e)| format!("{} {}", v.0, show(&pool, e))).collect();
    assert_eq!(text, ["0 b", "1 a - sin(c)/b/b", "2 cos(c)/b"]);
}

#[test]
fn long_sums_and_deep_graphs() {
    let mut pool = Pool::new();
    let terms: Vec<ExprId> = (0..100_000).map(|i| pool.var(VarId(i))).collect();
    let squares: Vec<ExprId> = terms.iter().map(|&term| pool.powi(term, 2)).collect();
    let sum = pool.sum(&squares);
    let row = gradient(&mut pool, sum, |_| true, &mut NoCalls).unwrap();
    assert_eq!(row.len(), 100_000);
    assert_eq!(row[7].1, pool.times(2.0, terms[7]));
    let mut deep = terms[0];
    for _ in 0..100_000 {
        deep = pool.apply(Op::Sin, deep);
    }
    assert!(derivative(&mut pool, deep, VarId(0), &mut NoCalls).is_ok());
}

struct Doubling;

impl CallDerivative for Doubling {
    fn partial(
        &mut self,
        pool: &mut Pool,
        _: FunctionId,
        args: &[ExprId],
        k: u32,
        input: u32,
    ) -> Option<ExprId> {
        (k == 0).then(|| pool.times(2.0, args[input as usize]))
    }
}

#[test]
fn calls_are_asked_for() {
    let mut pool = Pool::new();
    let [x, y] = [0, 1].map(|i| pool.var(VarId(i)));
    let function = pool.add_function(Function { name: "f".into(), ..Function::default() });
    let argument = pool.mul(x, y);
    let call = pool.call(function, &[argument, y]);
    let [first, second] = [0, 1].map(|k| pool.output(call, k));
    let result = derivative(&mut pool, first, VarId(0), &mut Doubling).unwrap();
    // 2*(x*y) times the derivative y of the argument
    let square = pool.powi(y, 2);
    let product = pool.mul(x, square);
    assert_eq!(result, pool.times(2.0, product));
    let refused = derivative(&mut pool, second, VarId(0), &mut Doubling);
    assert_eq!(refused, Err(NotDifferentiable { part: second }));
    assert_eq!(derivative(&mut pool, second, VarId(5), &mut NoCalls), Ok(pool.zero()));
}

#[test]
fn rates_are_remembered() {
    let mut pool = Pool::new();
    let x = pool.var(VarId(0));
    let mut asked = 0;
    let mut rates = Rates::new(true);
    let mut rate = |pool: &mut Pool, _: VarId| {
        asked += 1;
        pool.one()
    };
    let sine = pool.apply(Op::Sin, x);
    rates.of(&mut pool, sine, &mut rate, &mut NoCalls).unwrap();
    let cosine = pool.apply(Op::Cos, x);
    rates.of(&mut pool, cosine, &mut rate, &mut NoCalls).unwrap();
    assert_eq!(asked, 1);
}
