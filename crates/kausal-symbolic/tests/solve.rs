//! Solving equations for a variable, as text.

mod common;

use common::{read, show, var};
use kausal_symbolic::evaluate::evaluate;
use kausal_symbolic::interval::{Interval, Ranges};
use kausal_symbolic::solve::{DivisorSafety, NoInverses, Solved, solve_for};
use kausal_symbolic::{Pool, VarId};

/// `p`, `q` are positive, `s` lies between -1 and 1.
fn bounds(v: VarId) -> Interval {
    match v {
        v if v == var("p") || v == var("q") => Interval::new(0.0, f64::INFINITY).without_zero(),
        v if v == var("s") => Interval::new(-1.0, 1.0),
        _ => Interval::ALL,
    }
}

fn solve(pool: &mut Pool, equation: &str, name: &str) -> Solved {
    let (lhs, rhs) = equation.split_once(" = ").unwrap();
    let (lhs, rhs) = (read(pool, lhs), read(pool, rhs));
    solve_for(pool, lhs, rhs, var(name), &mut Ranges::new(bounds), &mut NoInverses)
}

fn check(equation: &str, name: &str, expected: &str, safety: DivisorSafety) {
    let mut pool = Pool::new();
    match solve(&mut pool, equation, name) {
        Solved::Explicit(solution) => {
            assert_eq!(show(&pool, solution.value), expected, "{equation} for {name}");
            assert_eq!(solution.safety, safety, "{equation} for {name}");
            assert_eq!(solution.demands.is_empty(), safety < DivisorSafety::Unknown);
        }
        other => panic!("{equation} for {name}: {other:?}"),
    }
}

fn check_not(equation: &str, name: &str, expected: Solved) {
    let mut pool = Pool::new();
    assert_eq!(solve(&mut pool, equation, name), expected, "{equation} for {name}");
}

use DivisorSafety::{Constant, Proven, Unknown};

#[test]
fn linear() {
    check("u = r*i", "i", "u/r", Unknown);
    check("u = p*i", "i", "u/p", Proven);
    check("u = r*i", "u", "i*r", Constant);
    check("0 = v - w", "v", "w", Constant);
    check("0 = v - w", "w", "v", Constant);
    check("a + b - c = 0", "c", "a + b", Constant);
    check("a + b - c = 0", "a", "c - b", Constant);
    check("a + b + c = 0", "a", "-(b + c)", Constant);
    check("2*x = y", "x", "y/2", Constant);
    check("(a - x)/r = i", "x", "a - i*r", Constant);
    check("p*(x - a) + q*(x - b) = 0", "x", "(a*p + b*q)/(p + q)", Proven);
    check("x = a*x + b", "x", "b/(1 - a)", Unknown);
    check("a*x + b*x + c = 0", "x", "-c/(a + b)", Unknown);
    check("p*x = p*y", "x", "y", Proven);
    check("x*(y + 1)^2 = z", "x", "z/(y + 1)^2", Unknown);
    check("x*((y + 1)^2 + 1) = z", "x", "z/((y + 1)^2 + 1)", Proven);
}

#[test]
fn choices() {
    check("(if a < b then 2*x else x + 1) = c", "x", "if a < b then c/2 else c - 1", Constant);
    check("(if a < b then p*x else -q*x) = c", "x", "if a < b then c/p else -c/q", Proven);
    check("noEvent(if a < b then 2*x else x) = c", "x", "if noEvent(a < b) then c/2 else c", Constant);
    check("(if a < b then exp(x) else 2*x) = p", "x", "if a < b then log(p) else p/2", Proven);
    check_not("(if x < b then 2*x else x) = c", "x", Solved::Nonlinear);
    // Where the condition does not hold, x is not determined: the coefficient is the demand.
    let mut pool = Pool::new();
    let Solved::Explicit(solution) = solve(&mut pool, "(if a < b then 2*x else y) = c", "x") else {
        panic!()
    };
    assert_eq!(show(&pool, solution.demands[0].expr), "if a < b then 2 else 0");
    // A demand inside a branch is none outside.
    let Solved::Explicit(solution) = solve(&mut pool, "(if a < b then r*x else x) = c", "x") else {
        panic!()
    };
    assert_eq!(show(&pool, solution.demands[0].expr), "if a < b then r else 1");
}

#[test]
fn functions() {
    check("y = exp(x)", "x", "log(y)", Unknown);
    check("p = exp(x)", "x", "log(p)", Proven);
    check("y = log(2*x)", "x", "exp(y)/2", Constant);
    check("p = sqrt(x)", "x", "p^2", Proven);
    check("y = x^3", "x", "sign(y)*abs(y)^0.3333333333333333", Constant);
    check("p = x^3", "x", "p^0.3333333333333333", Constant);
    check("q = p^2", "p", "sqrt(q)", Proven);
    check("y = sin(s)", "s", "asin(y)", Unknown);
    check("y = tan(s)", "s", "atan(y)", Constant);
    check("p/x = q", "x", "p/q", Proven);
    check("y = (x + 1)/(x + 2)", "x", "(2*y - 1)/(1 - y)", Unknown);
    check("y = abs(p)", "p", "y", Unknown);
    check("p = 2^x", "x", "log(p)/0.6931471805599453", Proven);
    check("s = tanh(x)/2", "x", "0.5*log((2*s + 1)/(1 - 2*s))", Unknown);
    check_not("y = x^2", "x", Solved::Nonlinear);
    check_not("y = sin(x)", "x", Solved::Nonlinear);
    check_not("y = x + sin(x)", "x", Solved::Nonlinear);
    check_not("y = x*z*exp(x)", "x", Solved::Nonlinear);
    check_not("y = x + z", "w", Solved::Absent);
    check_not("x + y = z + x", "x", Solved::Absent);
}

/// The inverses of `sinh` and `tanh` are written with `log`; near zero they keep the absolute error of about 1e-16.
#[test]
fn hyperbolic_inverses() {
    let mut pool = Pool::new();
    for (equation, f) in [("y = sinh(x)", f64::sinh as fn(f64) -> f64), ("y = tanh(x)", f64::tanh)] {
        let Solved::Explicit(solution) = solve(&mut pool, equation, "x") else { panic!("{equation}") };
        for x in [-3.0, -1.0, -1e-6, 0.0, 1e-3, 0.5, 2.0] {
            let found = evaluate(&pool, solution.value, &mut |_| f(x));
            assert!((found - x).abs() < 1e-13 * (1.0 + x.abs()), "{equation} at {x}: {found}");
        }
    }
}
