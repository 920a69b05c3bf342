//! Derivatives of functions against differences, and the use of `derivative` and `inverse` annotations.

mod function_common;

use function_common::*;
use kausal_symbolic::derivative::{CallDerivative, derivative, time_derivative};
use kausal_symbolic::evaluate::{Values, evaluate};
use kausal_symbolic::function::calls::Calls;
use kausal_symbolic::function::differentiate::call_time_derivative;
use kausal_symbolic::function::*;
use kausal_symbolic::solve::CallInverse;
use kausal_symbolic::{ExprId, Node, Op, Pool, VarId};

/// Numbers that look random and are the same every time.
fn numbers(count: usize, seed: u64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(2_862_933_555_777_941_757).wrapping_add(3_037_000_493);
    (0..count)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64 * 1.6 - 0.8
        })
        .collect()
}

fn scalars(values: &[Value<f64>]) -> Vec<f64> {
    values.iter().flat_map(|value| value.scalars().to_vec()).collect()
}

/// The derivative of the algorithm in a random direction against central differences.
fn check_derivative(pool: &mut Pool, f: FunctionId, args: &[Value<f64>]) {
    let d = Calls::new().derivative_function(pool, f).unwrap();
    assert_eq!(check::check_function(pool, d), Vec::<String>::new(), "{}", pool.function(d).name);
    let function = pool.function(f).clone();
    let real = |k: &usize| function.local(function.inputs[*k]).scalar == Scalar::Real;
    let moving: Vec<usize> = (0..args.len()).filter(real).collect();
    let directions: Vec<Value<f64>> = moving
        .iter()
        .map(|&k| {
            let mut more = numbers(args[k].scalars().len(), 7 + k as u64).into_iter();
            args[k].map(|_| more.next().unwrap())
        })
        .collect();
    let at = |h: f64| {
        let mut moved = args.to_vec();
        for (&k, direction) in moving.iter().zip(&directions) {
            let mut by = direction.scalars().iter();
            moved[k] = args[k].map(|x| x + h * by.next().unwrap());
        }
        let outputs = run(pool, f, &moved).unwrap();
        let real = outputs
            .iter()
            .zip(&function.outputs)
            .filter(|(_, output)| function.local(**output).scalar == Scalar::Real)
            .map(|(value, _)| value.clone());
        scalars(&real.collect::<Vec<_>>())
    };
    let all: Vec<Value<f64>> = args.iter().chain(&directions).cloned().collect();
    let found = scalars(&run(pool, d, &all).unwrap());
    let h = 1e-5;
    let (right, left) = (at(h), at(-h));
    assert_eq!(found.len(), right.len());
    for k in 0..found.len() {
        let expected = (right[k] - left[k]) / (2.0 * h);
        // Central differences with this step are good to about 1e-9 for functions of this size.
        assert!(
            (found[k] - expected).abs() < 1e-6 * (1.0 + expected.abs()),
            "{}: {} {expected}",
            k,
            found[k]
        );
    }
}

/// A function `y = expression(x)` of a scalar.
fn of_scalar(pool: &mut Pool, make: impl FnOnce(E) -> E) -> FunctionId {
    let mut b = B::new("f");
    let x = b.real_in("x");
    let y = b.real_out("y");
    let s = b.set(y, make(e(x)));
    b.body(vec![s]);
    b.done(pool)
}

#[test]
fn operators() {
    let mut pool = Pool::new();
    let unary: [(Op, f64); 15] = [
        (Op::Neg, 0.3),
        (Op::Sqrt, 0.7),
        (Op::Exp, 0.3),
        (Op::Log, 0.7),
        (Op::Log10, 0.7),
        (Op::Sin, 0.3),
        (Op::Cos, 0.3),
        (Op::Tan, 0.3),
        (Op::Asin, 0.3),
        (Op::Acos, 0.3),
        (Op::Atan, 0.3),
        (Op::Sinh, 0.3),
        (Op::Cosh, 0.3),
        (Op::Tanh, 0.3),
        (Op::Abs, -0.3),
    ];
    for (function, x) in unary {
        let f = of_scalar(&mut pool, |u| op(function, [u * 1.1]));
        check_derivative(&mut pool, f, &[num(x)]);
    }
    let binary: [fn(E) -> E; 16] = [
        |u| op(Op::Pow, [u, e(3.0)]),
        |u| op(Op::Pow, [u, e(2.0)]),
        |u| op(Op::Pow, [u.clone(), u + 1.0]),
        |u| op(Op::Atan2, [u.clone() * u.clone(), u + 1.0]),
        |u| op(Op::Min, [u.clone(), u * 2.0]),
        |u| op(Op::Max, [u.clone(), e(0.1)]),
        |u| op(Op::Mod, [u.clone() * 7.0, u + 1.0]),
        |u| op(Op::Rem, [u.clone() * 7.0, u + 1.0]),
        |u| u.clone() / (u.clone() * u + 2.0),
        |u| op(Op::Mul, [u.clone(), e(3.0), u.clone(), u]),
        |u| op(Op::If, [less(u.clone(), 0.5), u.clone() * u, e(0.0)]),
        |u| op(Op::If, [less(u.clone(), 0.1), e(1.0), u.clone() * u]),
        |u| op(Op::NoEvent, [u.clone() * u]),
        |u| op(Op::Smooth, [e(1.0), u.clone() * u]),
        |u| op(Op::Homotopy, [u.clone() * u.clone(), u]),
        |u| u.clone() + op(Op::Floor, [u.clone() * 9.0]) * u,
    ];
    for make in binary {
        let f = of_scalar(&mut pool, make);
        check_derivative(&mut pool, f, &[num(0.43)]);
    }
    // 0^x is 0 for every positive x.
    let f = of_scalar(&mut pool, |u| op(Op::Pow, [e(0.0), u]));
    check_derivative(&mut pool, f, &[num(2.0)]);
}

/// A function `y = expression(v, M, s)` of a vector of 3, a matrix of 3 x 3 and a scalar.
fn of_arrays(pool: &mut Pool, dims: &[Dim], make: impl FnOnce(&mut B, E, E, E) -> E) -> FunctionId {
    let mut b = B::new("f");
    let v = b.f.input("v", R, &[Dim::Unknown]);
    let m = b.f.input("M", R, &[Dim::Known(3), Dim::Unknown]);
    let s = b.real_in("s");
    let y = b.f.output("y", R, dims);
    let value = make(&mut b, e(v), e(m), e(s));
    let statement = b.set(y, value);
    b.body(vec![statement]);
    b.done(pool)
}

#[test]
fn array_functions() {
    use ArrayFn::*;
    let mut pool = Pool::new();
    let args =
        [Value::vector(numbers(3, 1)), Array::from_vec(&[3, 3], numbers(9, 2)).unwrap().into(), num(0.4)];
    let scalar: [fn(E, E, E) -> E; 11] = [
        |v, _, _| arr(Sum, [v]),
        |_, m, _| arr(ProductOf, [m]),
        |v, _, _| arr(ProductOf, [v]),
        |_, m, _| arr(MinOf, [m]),
        |v, _, s| arr(MaxOf, [v * s]),
        |v, _, _| arr(Product, [v.clone(), v]),
        |v, m, _| arr(Product, [arr(Product, [v.clone(), m]), v]),
        |v, _, _| at(v.clone(), [e(2.0)]) * at(v, [e(1.0)]),
        |v, _, s| arr(ArrayFn::Scalar, [arr(Construct, [s])]) * arr(Sum, [v]),
        |v, _, s| size(v, 1.0) * s,
        |_, m, s| arr(Sum, [arr(Ndims, [m]) * s]),
    ];
    for make in scalar {
        let f = of_arrays(&mut pool, &[], |_, v, m, s| make(v, m, s));
        check_derivative(&mut pool, f, &args);
    }
    let vector_valued: [fn(E, E, E) -> E; 14] = [
        |v, m, _| arr(Product, [m, v]),
        |v, m, _| arr(Product, [v, m]),
        |v, m, _| arr(Cross, [v.clone(), arr(Product, [m, v])]),
        |v, _, s| v.clone() * v * s,
        |v, _, s| v / s,
        |v, _, s| v + s,
        |v, _, s| op(Op::Add, [arr(Fill, [e(1.0), size(v, 1.0)]), s]),
        |_, _, s| arr(Construct, [s.clone(), e(1.0), s.clone() * s]),
        |v, _, s| arr(Cat, [e(1.0), v.clone(), arr(Construct, [s, e(2.0)]), v]),
        |_, _, s| arr(Linspace, [s.clone(), e(2.0), e(4.0)]),
        |_, _, s| arr(Range, [s.clone(), s.clone() * 0.5 + 0.1, s * 3.0 + 0.4]),
        |_, m, _| E::I(Box::new(m), vec![None, Some(e(2.0))]),
        |_, m, _| arr(Vector, [E::I(Box::new(m), vec![Some(range(2.0, 2.0)), None])]),
        |v, _, s| op(Op::If, [less(v.clone(), s), v.clone() * v, e(3.0)]),
    ];
    for make in vector_valued {
        let f = of_arrays(&mut pool, &[Dim::Unknown], |_, v, m, s| make(v, m, s));
        check_derivative(&mut pool, f, &args);
    }
    let matrix_valued: [fn(E, E, E) -> E; 12] = [
        |_, m, _| arr(Transpose, [m]),
        |_, m, _| arr(Product, [m.clone(), arr(Transpose, [m])]),
        |_, m, _| arr(MatrixPower, [m, e(3.0)]),
        |_, m, _| arr(MatrixPower, [m, e(0.0)]),
        |_, m, _| arr(Symmetric, [m]),
        |v, _, _| arr(Skew, [v]),
        |v, _, _| arr(Diagonal, [v]),
        |v, _, s| arr(OuterProduct, [v.clone(), v * s]),
        |v, _, _| arr(Matrix, [v]),
        |v, _, _| arr(Promote, [v, e(2.0)]),
        |_, _, s| arr(Fill, [s, e(2.0), e(2.0)]),
        |_, m, s| arr(Identity, [e(3.0)]) * s + m,
    ];
    for make in matrix_valued {
        let f = of_arrays(&mut pool, &[Dim::Unknown, Dim::Unknown], |_, v, m, s| make(v, m, s));
        check_derivative(&mut pool, f, &args);
    }
}

#[test]
fn reductions_with_iterators() {
    let mut pool = Pool::new();
    let args =
        [Value::vector(numbers(3, 3)), Array::from_vec(&[3, 3], numbers(9, 4)).unwrap().into(), num(0.4)];
    for reduction in [Reduction::Sum, Reduction::Product, Reduction::Min, Reduction::Max] {
        let f = of_arrays(&mut pool, &[], |b, v, m, s| {
            let (i, j) = (b.int("i"), b.int("j"));
            let body = at(v, [e(i)]) * at(m, [e(i), e(j)]) + s;
            E::For(reduction, Box::new(body), vec![(i, range(1.0, 3.0)), (j, range(2.0, 3.0))])
        });
        check_derivative(&mut pool, f, &args);
    }
    let f = of_arrays(&mut pool, &[Dim::Unknown], |b, v, _, s| {
        let i = b.int("i");
        E::For(Reduction::Array, Box::new(at(v, [e(i)]) * s * i), vec![(i, range(1.0, 3.0))])
    });
    check_derivative(&mut pool, f, &args);
    // An iterator that runs over changing numbers is not supported, and says so.
    let f = of_arrays(&mut pool, &[Dim::Unknown], |b, v, _, s| {
        let x = b.real("x");
        E::For(Reduction::Array, Box::new(e(x) * s), vec![(x, v)])
    });
    let error = Calls::new().derivative_function(&mut pool, f).unwrap_err();
    assert!(matches!(error.kind(), EvalErrorKind::NotDifferentiable(_)));
}

#[test]
fn loops_and_branches() {
    let mut pool = Pool::new();
    let mut b = B::new("walk");
    let x = b.f.input("x", R, &[Dim::Unknown]);
    let n = b.f.input("n", INT, &[]);
    let y = b.real_out("y");
    let count = b.f.output("count", INT, &[]);
    let all = b.f.output("all", R, &[Dim::Unknown]);
    let dim = b.computed(size(x, 1.0));
    let table = b.f.protected("table", R, &[dim, dim]);
    let constant = b.real("constant");
    b.initial(constant, e(2.5));
    let square = b.real("square");
    b.initial(square, arr(ArrayFn::Product, [e(x), e(x)]));
    let (i, j) = (b.int("i"), b.int("j"));
    let value = b.real("value");
    let fill = b.set_at(table, [e(i), e(j)], at(x, [e(i)]) * at(x, [e(j)]) * e(i) + e(constant));
    let inner = b.for_(j, range(1.0, size(x, 1.0)), vec![fill]);
    let outer = b.for_(i, range(1.0, size(x, 1.0)), vec![inner]);
    // a loop over real numbers that change
    let grow = b.set(y, e(y) + op(Op::Sin, [e(value)]) * y + value);
    let over = b.for_(value, e(x), vec![grow]);
    let again = vec![b.set(y, op(Op::Cos, [e(y)]) * e(square)), b.set(count, e(count) + 1.0)];
    let rounds = b.while_(less(count, n), again);
    let big = vec![b.set(y, e(y) * e(y)), Stmt::Return];
    let branch = b.if_(less(1e3, y), big, vec![]);
    let s1 = b.set(y, 0.5);
    let s2 = b.set(all, at(table, [e(2.0)]));
    b.body(vec![s1, outer, over, s2, rounds, branch]);
    let f = b.done(&mut pool);
    check_derivative(&mut pool, f, &[Value::vector(numbers(4, 5)), num(3.0)]);
}

#[test]
fn calls_and_recursion() {
    let mut pool = Pool::new();
    // sinAndCos with two real outputs and an integer between them
    let mut b = B::new("sinAndCos");
    let x = b.real_in("x");
    let (s, n, c) = (b.real_out("s"), b.f.output("n", INT, &[]), b.real_out("c"));
    let body = vec![b.set(s, op(Op::Sin, [e(x)])), b.set(n, 2.0), b.set(c, op(Op::Cos, [e(x)]))];
    b.body(body);
    let sin_and_cos = b.done(&mut pool);
    // power(x, n) by recursion
    let power = pool.add_function(Function::named("power"));
    let mut b = B::new("power");
    let x = b.real_in("x");
    let n = b.f.input("n", INT, &[]);
    let y = b.real_out("y");
    let less_of_it = E::C(power, vec![e(x), e(n) - 1.0], 0);
    let body = b.set(y, op(Op::If, [less(n, 1.0), e(1.0), e(x) * less_of_it]));
    b.body(vec![body]);
    pool.set_function(power, b.f);
    check_derivative(&mut pool, power, &[num(0.7), num(5.0)]);
    let mut b = B::new("user");
    let (x, z) = (b.real_in("x"), b.real_in("z"));
    let (y, w) = (b.real_out("y"), b.real_out("w"));
    let (p, q, k) = (b.real("p"), b.f.protected("q", R, &[Dim::Known(2)]), b.int("k"));
    let both = b.t(E::C(sin_and_cos, vec![e(x) * z], 0));
    let one = b.f.number(1.0);
    let into = Target::elements(q, &[one]);
    let s1 = Stmt::AssignCall(vec![Some(Target::whole(p)), Some(Target::whole(k)), Some(into)], both);
    let s2 = b.set(y, e(p) * at(q, [e(1.0)]) + E::C(sin_and_cos, vec![e(z)], 2));
    let s3 = b.set(w, call(power, [e(y) + 1.0, e(k) + 1.0]));
    // (x, x) := f(x): the old value counts
    let s4 = b.set_call(&[Some(p), None, None], call(sin_and_cos, [e(p)]));
    let s5 = b.set(w, e(w) * p);
    // a call that does not change
    let s6 = b.set_call(&[Some(p)], call(sin_and_cos, [e(0.3)]));
    let s7 = b.set(w, e(w) + e(p) * x);
    b.body(vec![s1, s2, s3, s4, s5, s6, s7]);
    let f = b.done(&mut pool);
    check_derivative(&mut pool, f, &[num(0.7), num(0.6)]);
    // The second derivative is the derivative of the derivative.
    let mut calls = Calls::new();
    let d = calls.derivative_function(&mut pool, f).unwrap();
    check_derivative(&mut pool, d, &[num(0.7), num(0.6), num(0.2), num(-0.4)]);
}

#[test]
fn what_cannot_be_differentiated() {
    let mut pool = Pool::new();
    let mut b = B::new("foreign");
    let x = b.real_in("x");
    let y = b.real_out("y");
    let args = vec![b.t(x)];
    b.f.body = Body::External(Box::new(ExternalBody {
        language: "C".into(),
        name: "foreign".into(),
        result: Some(y),
        args,
        annotations: vec![],
        view: Default::default(),
    }));
    let foreign = b.done(&mut pool);
    let f = of_scalar(&mut pool, |u| call(foreign, [u]));
    let mut calls = Calls::new();
    let error = calls.derivative_function(&mut pool, f).unwrap_err();
    assert_eq!(error.to_string(), "cannot be differentiated: foreign is foreign and has no derivative");
    assert!(calls.derivative_function(&mut pool, f).is_err());
    // If nothing changes, nothing needs to be known.
    let f = of_scalar(&mut pool, |u| call(foreign, [e(2.0)]) * u);
    calls.derivative_function(&mut pool, f).unwrap();
    let x = pool.var(VarId(0));
    assert_eq!(calls.partial(&mut pool, foreign, &[x], 0, 0), None);
}

#[test]
fn partial_derivative_functions() {
    let mut pool = Pool::new();
    // der(f, x) and der(f, x, y) of sin(x)*y^2 + w*w, where w is a vector
    let mut b = B::new("f");
    let (x, y) = (b.real_in("x"), b.real_in("y"));
    let w = b.f.input("w", R, &[Dim::Unknown]);
    let z = b.real_out("z");
    let value = op(Op::Sin, [e(x)]) * op(Op::Pow, [e(y), e(2.0)]) + arr(ArrayFn::Product, [e(w), e(w)]);
    let s = b.set(z, value);
    b.body(vec![s]);
    let f = b.done(&mut pool);
    let mut calls = Calls::new();
    let fx = calls.partial_derivative_function(&mut pool, f, &[x]).unwrap();
    let fxy = calls.partial_derivative_function(&mut pool, f, &[x, y]).unwrap();
    assert_eq!(pool.function(fxy).name, "f_der_x_der_y");
    assert_eq!(check::check_function(&pool, fxy), Vec::<String>::new());
    let args = [num(0.4), num(3.0), vec_of(&[1.0, 2.0])];
    let close = |f: FunctionId, expected: f64| {
        let found = run(&pool, f, &args).unwrap()[0].as_scalar().unwrap();
        assert!((found - expected).abs() < 1e-14, "{found} {expected}");
    };
    close(fx, 0.4f64.cos() * 9.0);
    close(fxy, 0.4f64.cos() * 6.0);
    assert!(calls.partial_derivative_function(&mut pool, f, &[w]).is_err());
}

/// An external function with this signature, to be recognised in expressions.
fn declared(pool: &mut Pool, name: &str, inputs: &[&str], ints: &[&str], output: &str) -> FunctionId {
    let mut b = B::new(name);
    for input in inputs {
        if ints.contains(input) {
            b.f.input(input, INT, &[])
        } else {
            b.real_in(input)
        };
    }
    let y = b.real_out(output);
    b.f.body = Body::External(Box::new(ExternalBody {
        language: "C".into(),
        name: name.into(),
        result: Some(y),
        args: vec![],
        annotations: vec![],
        view: Default::default(),
    }));
    b.done(pool)
}

fn note(function: FunctionId, order: u32, zero: &[u32], none: &[u32]) -> DerivativeNote {
    let locals = |list: &[u32]| list.iter().map(|&k| LocalId(k)).collect();
    DerivativeNote { function, order, zero: locals(zero), none: locals(none) }
}

fn add_note(pool: &mut Pool, f: FunctionId, note: DerivativeNote) {
    let mut function = pool.function(f).clone();
    function.notes.derivatives.push(note);
    pool.set_function(f, function);
    assert_eq!(check::check_function(pool, f), Vec::<String>::new());
}

fn call_of(pool: &mut Pool, f: FunctionId, args: &[ExprId]) -> ExprId {
    let call = pool.call(f, args);
    pool.output(call, 0)
}

/// The derivative of variable k is variable 10 + k.
fn rate(pool: &mut Pool, var: VarId) -> ExprId {
    pool.var(VarId(var.0 + 10))
}

#[test]
fn annotations_are_used() {
    let mut pool = Pool::new();
    // f(x, n, y) has fx(x, n, y, dx) for constant y, and fxy(x, n, y, dx, dy).
    let f = declared(&mut pool, "f", &["x", "n", "y"], &["n"], "z");
    let fx = declared(&mut pool, "fx", &["x", "n", "y", "dx"], &["n"], "z");
    let fxy = declared(&mut pool, "fxy", &["x", "n", "y", "dx", "dy"], &["n"], "z");
    add_note(&mut pool, f, note(fx, 1, &[2], &[]));
    add_note(&mut pool, f, note(fxy, 1, &[], &[]));
    let [x, n, y, dx, dy] = [0, 1, 2, 10, 12].map(|k| pool.var(VarId(k)));
    let (zero, one) = (pool.zero(), pool.one());
    let mut calls = Calls::new();
    let value = call_of(&mut pool, f, &[x, n, y]);
    // partial derivatives
    let by_x = derivative(&mut pool, value, VarId(0), &mut calls).unwrap();
    assert_eq!(by_x, call_of(&mut pool, fx, &[x, n, y, one]));
    let by_y = derivative(&mut pool, value, VarId(2), &mut calls).unwrap();
    assert_eq!(by_y, call_of(&mut pool, fxy, &[x, n, y, zero, one]));
    assert_eq!(derivative(&mut pool, value, VarId(1), &mut calls).unwrap(), zero);
    // along time: linear in the rates
    let along = time_derivative(&mut pool, value, &mut rate, &mut calls).unwrap();
    let (a, b) = (pool.mul(by_x, dx), pool.mul(by_y, dy));
    assert_eq!(along, pool.add(a, b));
    let all = call_time_derivative(&mut pool, &mut calls, f, &[x, n, y], &[dx, zero, dy]).unwrap();
    assert_eq!(all, [along]);
}

#[test]
fn no_derivative_means_along_the_motion() {
    let mut pool = Pool::new();
    // position({q, qd}, t) = q; its derivative is qd, if the arguments are what they say
    let position = declared(&mut pool, "position", &["q", "qd", "t"], &[], "y");
    let velocity = declared(&mut pool, "velocity", &["q", "qd", "t", "dt"], &[], "y");
    let acceleration = declared(&mut pool, "acceleration", &["q", "qd", "t", "dt", "ddt"], &[], "y");
    add_note(&mut pool, position, note(velocity, 1, &[], &[0, 1]));
    add_note(&mut pool, velocity, note(acceleration, 2, &[], &[0, 1]));
    let [q, qd] = [0, 1].map(|k| pool.var(VarId(k)));
    let (time, zero, one) = (pool.time(), pool.zero(), pool.one());
    let mut calls = Calls::new();
    let value = call_of(&mut pool, position, &[q, qd, time]);
    let first = time_derivative(&mut pool, value, &mut rate, &mut calls).unwrap();
    assert_eq!(first, call_of(&mut pool, velocity, &[q, qd, time, one]));
    let second = time_derivative(&mut pool, first, &mut rate, &mut calls).unwrap();
    assert_eq!(second, call_of(&mut pool, acceleration, &[q, qd, time, one, zero]));
}

#[test]
fn second_derivatives() {
    let mut pool = Pool::new();
    // A table of one argument with first and second derivative.
    let table = declared(&mut pool, "table", &["id", "u"], &["id"], "y");
    let first = declared(&mut pool, "der_table", &["id", "u", "du"], &["id"], "y");
    let second = declared(&mut pool, "der_der_table", &["id", "u", "du", "ddu"], &["id"], "y");
    add_note(&mut pool, table, note(first, 1, &[], &[0]));
    add_note(&mut pool, first, note(second, 2, &[], &[0]));
    let [id, u, du, ddu] = [0, 1, 11, 21].map(|k| pool.var(VarId(k)));
    let (zero, one) = (pool.zero(), pool.one());
    let mut calls = Calls::new();
    let value = call_of(&mut pool, table, &[id, u]);
    let along = time_derivative(&mut pool, value, &mut rate, &mut calls).unwrap();
    let slope = call_of(&mut pool, first, &[id, u, one]);
    assert_eq!(along, pool.mul(slope, du));
    let twice = time_derivative(&mut pool, along, &mut rate, &mut calls).unwrap();
    let curvature = call_of(&mut pool, second, &[id, u, one, zero]);
    let (du2, straight) = (pool.powi(du, 2), pool.mul(slope, ddu));
    let curved = pool.mul(curvature, du2);
    assert_eq!(twice, pool.add(curved, straight));
    // A call that is a derivative along a motion gets the second derivative along it.
    let moving = call_of(&mut pool, first, &[id, u, du]);
    let along = time_derivative(&mut pool, moving, &mut rate, &mut calls).unwrap();
    assert_eq!(along, call_of(&mut pool, second, &[id, u, du, ddu]));
}

#[test]
fn second_derivatives_of_functions_of_two_numbers() {
    let mut pool = Pool::new();
    let table = declared(&mut pool, "table", &["u", "v"], &[], "y");
    let first = declared(&mut pool, "der_table", &["u", "v", "du", "dv"], &[], "y");
    let second = declared(&mut pool, "der_der_table", &["u", "v", "du", "dv", "ddu", "ddv"], &[], "y");
    add_note(&mut pool, table, note(first, 1, &[], &[]));
    add_note(&mut pool, first, note(second, 2, &[], &[]));
    let [u, v, du, dv, ddu] = [0, 1, 10, 11, 20].map(|k| pool.var(VarId(k)));
    let (zero, one, fixed) = (pool.zero(), pool.one(), pool.constant(0.3));
    let mut calls = Calls::new();
    // One of the numbers does not move: y'' = f_uu*du^2 + f_u*ddu.
    let value = call_of(&mut pool, table, &[u, fixed]);
    let along = time_derivative(&mut pool, value, &mut rate, &mut calls).unwrap();
    let twice = time_derivative(&mut pool, along, &mut rate, &mut calls).unwrap();
    let slope = call_of(&mut pool, first, &[u, fixed, one, zero]);
    let curvature = call_of(&mut pool, second, &[u, fixed, one, zero, zero, zero]);
    let (du2, straight) = (pool.powi(du, 2), pool.mul(slope, ddu));
    let curved = pool.mul(curvature, du2);
    assert_eq!(twice, pool.add(curved, straight));
    // The slope along u, where both move: f_uu*du + f_uv*dv, which is (B(e + d, e + d) - B(e - d, e - d))/4.
    let slope = call_of(&mut pool, first, &[u, v, one, zero]);
    let along = time_derivative(&mut pool, slope, &mut rate, &mut calls).unwrap();
    let (plus, minus, against) = (pool.add(one, du), pool.sub(one, du), pool.sub(zero, dv));
    let plus = call_of(&mut pool, second, &[u, v, plus, dv, zero, zero]);
    let minus = call_of(&mut pool, second, &[u, v, minus, against, zero, zero]);
    let difference = pool.sub(plus, minus);
    let quarter = pool.constant(0.25);
    assert_eq!(along, pool.mul(quarter, difference));
}

#[test]
fn annotations_are_used_inside_functions() {
    let mut pool = Pool::new();
    // g(x, y) = x*y is said to have the derivative 100*dx for constant y, which no algorithm would give.
    let mut b = B::new("g_der");
    let (x, y, dx) = (b.real_in("x"), b.real_in("y"), b.real_in("dx"));
    let z = b.real_out("z");
    let s = b.set(z, e(100.0) * dx + (e(x) - e(x)) * y);
    b.body(vec![s]);
    let g_der = b.done(&mut pool);
    let mut b = B::new("g");
    let (x, y) = (b.real_in("x"), b.real_in("y"));
    let z = b.real_out("z");
    let s = b.set(z, e(x) * y);
    b.body(vec![s]);
    let g = b.done(&mut pool);
    add_note(&mut pool, g, note(g_der, 1, &[1], &[]));
    let mut calls = Calls::new();
    let constant = of_scalar(&mut pool, |u| call(g, [u * 2.0, e(3.0)]));
    let changing = of_scalar(&mut pool, |u| call(g, [u.clone() * 2.0, u]));
    for (f, expected) in [(constant, 200.0), (changing, 2.0 * 2.0 * 5.0)] {
        let d = calls.derivative_function(&mut pool, f).unwrap();
        assert_eq!(run(&pool, d, &[num(5.0), num(1.0)]).unwrap(), [num(expected)]);
    }
    // der(g, x) takes the annotation as well.
    let by_x = calls.partial_derivative_function(&mut pool, g, &[x]).unwrap();
    assert_eq!(run(&pool, by_x, &[num(5.0), num(7.0)]).unwrap(), [num(100.0)]);
}

/// Runs calls that are left in expressions.
struct World<'a>(&'a [f64]);

impl Values for World<'_> {
    fn variable(&mut self, var: VarId) -> f64 {
        self.0[var.index()]
    }

    fn call(&mut self, pool: &Pool, function: FunctionId, args: &[f64]) -> Vec<f64> {
        let outputs = layout::Layout::of_outputs(pool.function(function)).unwrap();
        let mut out = vec![f64::NAN; outputs.len];
        Evaluator::new(Numbers::new(pool)).call_flat(function, args, &mut out).unwrap();
        out
    }
}

#[test]
fn expressions_with_calls() {
    let mut pool = Pool::new();
    // norm of a vector by a loop, called with expressions of two variables
    let mut b = B::new("norm");
    let x = b.f.input("x", R, &[Dim::Unknown]);
    let y = b.real_out("y");
    let i = b.int("i");
    let more = b.set(y, e(y) + at(x, [e(i)]) * at(x, [e(i)]));
    let all = b.for_(i, range(1.0, size(x, 1.0)), vec![more]);
    let last = b.set(y, op(Op::Sqrt, [e(y)]));
    b.body(vec![all, last]);
    let norm = b.done(&mut pool);
    let [p, q] = [0, 1].map(|k| pool.var(VarId(k)));
    let sine = pool.apply(Op::Sin, p);
    let product = pool.mul(p, q);
    for parts in [vec![sine, product], vec![sine, product, p, q, sine, q, product]] {
        let mut calls = Calls::new();
        let value = calls.keep(&mut pool, norm, &[Value::vector(parts)]).unwrap()[0].as_scalar().unwrap();
        assert!(matches!(pool.node(value), Node::Output(..)));
        let (at_p, at_q) = (0.8, -1.3);
        for var in [0, 1] {
            let slope = derivative(&mut pool, value, VarId(var), &mut calls).unwrap();
            let found = evaluate(&pool, slope, &mut World(&[at_p, at_q]));
            let h = 1e-6;
            let at = |by: f64| {
                let mut point = [at_p, at_q];
                point[var as usize] += by;
                evaluate(&pool, value, &mut World(&point))
            };
            let expected = (at(h) - at(-h)) / (2.0 * h);
            assert!((found - expected).abs() < 1e-8, "{found} {expected}");
        }
    }
}

#[test]
fn inverses() {
    let mut pool = Pool::new();
    // h(p, T, X) with inverse T(p, h, X); X has any size
    let mut b = B::new("T_phX");
    let (p, h) = (b.real_in("p"), b.real_in("h"));
    let xs = b.f.input("X", R, &[Dim::Unknown]);
    let t = b.real_out("T");
    let s = b.set(t, (e(h) - e(p)) / arr(ArrayFn::Sum, [e(xs)]));
    b.body(vec![s]);
    let inverse = b.done(&mut pool);
    let mut b = B::new("h_pTX");
    let (p, t) = (b.real_in("p"), b.real_in("T"));
    let xs = b.f.input("X", R, &[Dim::Unknown]);
    let h = b.real_out("h");
    let s = b.set(h, e(p) + e(t) * arr(ArrayFn::Sum, [e(xs)]));
    b.body(vec![s]);
    b.f.notes.inverses = vec![InverseNote { input: t, function: inverse, args: vec![p, h, xs] }];
    let f = b.done(&mut pool);
    let mut calls = Calls::new();
    let [p, t, x1, x2, h] = [0, 1, 2, 3, 4].map(|k| pool.var(VarId(k)));
    let args = [Value::Scalar(p), Value::Scalar(t), Value::vector(vec![x1, x2])];
    let closed = calls.close(&mut pool, f, &args).unwrap();
    let flat = [p, t, x1, x2];
    let solution = calls.inverse(&mut pool, closed, &flat, 0, 1, h).unwrap();
    let found = evaluate(&pool, solution, &mut World(&[1.0, f64::NAN, 0.25, 0.5, 4.0]));
    assert_eq!(found, 4.0);
    assert_eq!(calls.inverse(&mut pool, closed, &flat, 0, 0, h), None);
    assert_eq!(calls.inverse(&mut pool, closed, &flat, 0, 2, h), None);
}
