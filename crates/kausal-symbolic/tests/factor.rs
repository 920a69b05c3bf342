//! Common factors taken out of sums, as text.

mod common;

use common::{read, show};
use kausal_symbolic::Pool;
use kausal_symbolic::factor::Factoring;

fn check(text: &str, expected: &str) {
    let mut pool = Pool::new();
    let expr = read(&mut pool, text);
    let result = Factoring::new().apply(&mut pool, expr);
    assert_eq!(show(&pool, result), expected, "{text}");
}

#[test]
fn common_factors() {
    check("a*x + b*x", "x*(a + b)");
    check("a*x - b*x + c", "c + x*(a - b)");
    check("a/r + b/r", "(a + b)/r");
    check("2*a + 2*b", "2*(a + b)");
    check("a/2 - b/2", "(a - b)/2");
    check("x + a*x", "x + a*x");
    check("1/r + a/r", "(a + 1)/r");
    check("a*x^2 + b*x^2", "x^2*(a + b)");
    check("a*x^2 + b*x + c", "c + x*(b + a*x)");
    check("sin(a*x + b*x)", "sin(x*(a + b))");
    check("a*x + b*x + c*y + d*y", "x*(a + b) + y*(c + d)");
    check("a + b", "a + b");
}
