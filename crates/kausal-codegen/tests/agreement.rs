//! Interpreter and machine code do exactly what `Op::eval` says, on random code.

mod common;

use common::{TIME, arrays, cook, oracle, recipe, same, values};
use kausal_codegen::{Backend, Compiler, Memory};
use kausal_symbolic::{Op, Pool, VarId};
use kausal_translate::program::Assign;
use proptest::prelude::*;

fn run(pool: &Pool, assigns: &[Assign], backend: Backend, values: &[f64]) -> Vec<f64> {
    let mut compiler = Compiler::new(pool, backend);
    let chunk = compiler.add(assigns).unwrap();
    let code = compiler.finish().unwrap();
    assert_eq!(code.note(), None);
    let mut scratch = code.scratch();
    let (mut values, pre) = arrays(values);
    code.run(chunk, &mut Memory { values: &mut values, pre: &pre, time: TIME, scratch: &mut scratch });
    values
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn all_agree_with_the_definition(recipe in recipe(true), start in values()) {
        let (pool, assigns) = cook(&recipe);
        let (mut expected, _) = arrays(&start);
        oracle(&pool, &assigns, &mut expected);
        for backend in [Backend::Interpreter, Backend::Jit, Backend::JitOptimised] {
            let found = run(&pool, &assigns, backend, &start);
            prop_assert!(same(&expected, &found), "{backend:?}: {found:?} instead of {expected:?}");
        }
    }
}

fn assign(variable: u32, value: kausal_symbolic::ExprId) -> Assign {
    Assign { variable: VarId(variable), value, equation: None }
}

/// Runs assignments on these values with every back end, which must agree; gives the values afterwards.
fn everywhere(pool: &Pool, assigns: &[Assign], start: &[f64]) -> Vec<f64> {
    let mut results = [Backend::Interpreter, Backend::Jit, Backend::JitOptimised].map(|backend| {
        let mut compiler = Compiler::new(pool, backend);
        let chunk = compiler.add(assigns).unwrap();
        let code = compiler.finish().unwrap();
        let (mut values, mut scratch) = (start.to_vec(), code.scratch());
        code.run(chunk, &mut Memory { values: &mut values, pre: &[], time: 0.0, scratch: &mut scratch });
        values
    });
    assert!(same(&results[0], &results[1]) && same(&results[0], &results[2]), "{results:?}");
    std::mem::take(&mut results[0])
}

/// A read after an assignment sees the new value, one before it the old one.
#[test]
fn order_of_assignments_counts() {
    let mut pool = Pool::new();
    let [x, y, z] = [0, 1, 2].map(|v| pool.var(VarId(v)));
    let one = pool.constant(1.0);
    let next = pool.op(Op::Add, &[x, one]);
    let values = everywhere(
        &pool,
        &[assign(1, next), assign(0, next), assign(2, next), assign(3, y), assign(0, y), assign(4, next)],
        &[1.0, 0.0, 0.0, 0.0, 0.0],
    );
    assert_eq!(values, [2.0, 2.0, 3.0, 2.0, 3.0]);
    // Exchange two variables.
    let values = everywhere(&pool, &[assign(2, x), assign(0, y), assign(1, z)], &[5.0, 7.0, 0.0]);
    assert_eq!(values, [7.0, 5.0, 5.0]);
}

/// 100,000 nested operations: no recursion, and pieces of bounded length.
#[test]
fn deep_expressions() {
    let mut pool = Pool::new();
    let (x, y) = (pool.var(VarId(0)), pool.var(VarId(1)));
    let mut e = x;
    for k in 0..50_000 {
        let c = pool.constant(1.0 + f64::from(k % 7));
        let quotient = pool.op(Op::Div, &[e, c]);
        e = pool.op(Op::Add, &[quotient, y]);
    }
    let values = everywhere(&pool, &[assign(2, e)], &[1.0, 0.5, 0.0]);
    let mut expected = 1.0;
    for k in 0..50_000 {
        expected = expected / (1.0 + f64::from(k % 7)) + 0.5;
    }
    assert_eq!(values[2], expected);
}

/// Each `if` needs the one before in both branches: doubling would never end.
#[test]
fn nested_branches_share() {
    let mut pool = Pool::new();
    let x = pool.var(VarId(0));
    let zero = pool.constant(0.0);
    let mut e = x;
    for k in 0..5_000 {
        let c = pool.constant(f64::from(k % 13) / 10.0);
        let test = pool.op(Op::Less, &[c, e]);
        let sine = pool.op(Op::Sin, &[e]);
        let exponential = pool.op(Op::Exp, &[e]);
        let shifted = pool.op(Op::Add, &[exponential, zero]);
        e = pool.op(Op::If, &[test, sine, shifted]);
    }
    let values = everywhere(&pool, &[assign(1, e)], &[0.3, 0.0]);
    let mut expected: f64 = 0.3;
    for k in 0..5_000 {
        let c = f64::from(k % 13) / 10.0;
        expected = if c < expected { expected.sin() } else { expected.exp() };
    }
    assert_eq!(values[1], expected);
}

/// A chain of `elseif` with 3,000 branches is deeper than lazy branches go.
#[test]
fn long_chain_of_branches() {
    let mut pool = Pool::new();
    let x = pool.var(VarId(0));
    let mut e = pool.constant(-1.0);
    for k in (0..3_000).rev() {
        let c = pool.constant(f64::from(k));
        let test = pool.op(Op::Less, &[x, c]);
        let shifted = pool.op(Op::Add, &[x, c]);
        let value = pool.op(Op::Sqrt, &[shifted]);
        e = pool.op(Op::If, &[test, value, e]);
    }
    for (x, expected) in [(17.5, (17.5_f64 + 18.0).sqrt()), (2500.5, 5001.5_f64.sqrt()), (1e9, -1.0)] {
        assert_eq!(everywhere(&pool, &[assign(1, e)], &[x, 0.0])[1], expected);
    }
}

/// Long code with many values shared over long distances, so that pieces exchange them.
#[test]
fn pieces_exchange_values() {
    let mut pool = Pool::new();
    let n = 3_000;
    let vars: Vec<_> = (0..n).map(|v| pool.var(VarId(v))).collect();
    let shared: Vec<_> = (0..n as usize)
        .map(|k| {
            let product = pool.op(Op::Mul, &[vars[k], vars[(k * 7 + 1) % n as usize]]);
            pool.op(Op::Sqrt, &[product])
        })
        .collect();
    let mut assigns = Vec::new();
    for k in 0..n as usize {
        let far = shared[(k * 577 + 31) % n as usize];
        let sum = pool.op(Op::Add, &[shared[k], far]);
        assigns.push(assign(n + k as u32, sum));
        // Every third variable is overwritten although later lines still want its old value.
        if k % 3 == 0 {
            assigns.push(assign(k as u32, far));
        }
    }
    let start: Vec<f64> = (0..2 * n).map(|v| f64::from(v % 11) + 0.25).collect();
    let found = everywhere(&pool, &assigns, &start);
    let mut expected = start;
    for a in &assigns {
        expected[a.variable.index()] =
            kausal_symbolic::evaluate::evaluate(&pool, a.value, &mut |v: VarId| expected[v.index()]);
    }
    assert!(same(&expected, &found));
}

#[test]
fn outputs_and_text() {
    let mut pool = Pool::new();
    let (x, a, b) = (pool.var(VarId(0)), pool.text("a"), pool.text("b"));
    let zero = pool.constant(0.0);
    let test = pool.op(Op::Less, &[x, zero]);
    let choice = pool.op(Op::If, &[test, a, b]);
    for backend in [Backend::Interpreter, Backend::Jit] {
        let mut compiler = Compiler::new(&pool, backend);
        let chunk = compiler.add_outputs(&[test, choice, x]).unwrap();
        let code = compiler.finish().unwrap();
        let (mut out, mut scratch) = ([9.0; 3], code.scratch());
        let mut values = [-2.0];
        let mut memory = Memory { values: &mut values, pre: &[], time: 0.0, scratch: &mut scratch };
        code.evaluate(chunk, &mut memory, &mut out);
        assert_eq!(out, [1.0, 0.0, -2.0]);
    }
}

#[test]
fn what_is_not_allowed_is_an_error() {
    let mut pool = Pool::new();
    let x = pool.var(VarId(0));
    let der = pool.op(Op::Der, &[x]);
    let good = pool.op(Op::Sin, &[x]);
    let mut compiler = Compiler::new(&pool, Backend::Jit);
    let error = compiler.add(&[assign(1, good), assign(2, der)]).unwrap_err();
    assert_eq!(error.to_string(), "code cannot be made for the operator Der");
    // The compiler is not spoilt by it.
    let chunk = compiler.add(&[assign(1, good)]).unwrap();
    let code = compiler.finish().unwrap();
    let (mut values, mut scratch) = ([0.5, 0.0], code.scratch());
    code.run(chunk, &mut Memory { values: &mut values, pre: &[], time: 0.0, scratch: &mut scratch });
    assert_eq!(values[1], 0.5_f64.sin());
}

#[test]
#[should_panic(expected = "values are too short")]
fn short_arrays_are_refused() {
    let mut pool = Pool::new();
    let x = pool.var(VarId(5));
    let mut compiler = Compiler::new(&pool, Backend::Jit);
    let chunk = compiler.add(&[assign(0, x)]).unwrap();
    let code = compiler.finish().unwrap();
    let mut scratch = code.scratch();
    code.run(chunk, &mut Memory { values: &mut [0.0], pre: &[], time: 0.0, scratch: &mut scratch });
}
