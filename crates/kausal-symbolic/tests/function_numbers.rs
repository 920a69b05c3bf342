//! Functions run on numbers. Expected values are worked out by hand or follow from the definition of what is
//! computed.

mod function_common;

use function_common::*;
use kausal_symbolic::function::*;
use kausal_symbolic::{Op, Pool};

/// Sorts a vector by exchanging neighbours.
fn bubble_sort(pool: &mut Pool) -> FunctionId {
    let mut b = B::new("bubbleSort");
    let x = b.f.input("x", R, &[Dim::Unknown]);
    let n = b.computed(size(x, 1.0));
    let y = b.f.output("y", R, &[n]);
    let (i, j) = (b.int("i"), b.int("j"));
    let old = b.real("old");
    let here = at(y, [e(j)]);
    let next = at(y, [e(j) + 1.0]);
    let exchange =
        vec![b.set(old, here.clone()), b.set_at(y, [e(j)], next.clone()), b.set_at(y, [e(j) + 1.0], old)];
    let inner = b.if_(less(next, here), exchange, vec![]);
    let inner = b.for_(j, range(1.0, size(x, 1.0) - e(i)), vec![inner]);
    let outer = b.for_(i, range(1.0, size(x, 1.0) - 1.0), vec![inner]);
    let start = b.set(y, x);
    b.body(vec![start, outer]);
    b.done(pool)
}

#[test]
fn sorting() {
    let mut pool = Pool::new();
    let sort = bubble_sort(&mut pool);
    let sorted = |data: &[f64]| run(&pool, sort, &[vec_of(data)]).unwrap().remove(0);
    assert_eq!(sorted(&[3.0, 1.0, 2.0]), vec_of(&[1.0, 2.0, 3.0]));
    assert_eq!(sorted(&[5.0]), vec_of(&[5.0]));
    assert_eq!(sorted(&[]), vec_of(&[]));
    let data: Vec<f64> = (0..50).map(|k| f64::from((k * 37) % 50)).collect();
    let expected: Vec<f64> = (0..50).map(f64::from).collect();
    assert_eq!(sorted(&data), vec_of(&expected));
}

/// The inverse of a matrix by elimination with row exchanges.
fn inverse(pool: &mut Pool) -> FunctionId {
    let mut b = B::new("inverse");
    let a = b.f.input("A", R, &[Dim::Unknown, Dim::Unknown]);
    let n = b.int("n");
    b.initial(n, size(a, 1.0));
    let dim = b.computed(e(n));
    let inv = b.f.output("Ainv", R, &[dim, dim]);
    let wide = b.computed(e(2.0) * n);
    let m = b.f.protected("M", R, &[dim, wide]);
    let (i, j, p) = (b.int("i"), b.int("j"), b.int("p"));
    let factor = b.real("factor");
    let row = |r: E| E::I(Box::new(e(m)), vec![Some(r), None]);
    let whole_row = b.f.protected("row", R, &[wide]);
    let mut body = vec![];
    let s = b.assert_(equal(size(a, 1.0), size(a, 2.0)), e("A is not square"), 2.0);
    body.push(s);
    let identity = arr(ArrayFn::Identity, [e(n)]);
    let s = b.set(m, arr(ArrayFn::Cat, [e(2.0), e(a), identity]));
    body.push(s);
    // find the pivot, exchange, divide, eliminate
    let bigger = less(op(Op::Abs, [at(m, [e(p), e(i)])]), op(Op::Abs, [at(m, [e(j), e(i)])]));
    let take = vec![b.set(p, j)];
    let take = b.if_(bigger, take, vec![]);
    let search = b.for_(j, range(e(i) + 1.0, n), vec![take]);
    let singular = b.assert_(op(Op::NotEqual, [at(m, [e(p), e(i)]), e(0.0)]), e("A is singular"), 2.0);
    let save = b.set(whole_row, row(e(i)));
    let swap1 = b.set_slice(m, vec![Some(e(i)), None], row(e(p)));
    let swap2 = b.set_slice(m, vec![Some(e(p)), None], whole_row);
    let divide = b.set_slice(m, vec![Some(e(i)), None], row(e(i)) / at(m, [e(i), e(i)]));
    let eliminate = vec![
        b.set(factor, at(m, [e(j), e(i)])),
        b.set_slice(m, vec![Some(e(j)), None], row(e(j)) - e(factor) * row(e(i))),
    ];
    let eliminate = b.if_(op(Op::NotEqual, [e(j), e(i)]), eliminate, vec![]);
    let eliminate = b.for_(j, range(1.0, n), vec![eliminate]);
    let start = b.set(p, i);
    let outer =
        b.for_(i, range(1.0, n), vec![start, search, singular, save, swap1, swap2, divide, eliminate]);
    body.push(outer);
    let right = E::I(Box::new(e(m)), vec![None, Some(range(e(n) + 1.0, e(2.0) * n))]);
    let s = b.set(inv, right);
    body.push(s);
    b.body(body);
    b.done(pool)
}

#[test]
fn inverse_of_a_matrix() {
    let mut pool = Pool::new();
    let inverse = inverse(&mut pool);
    let a = mat(&[&[0.0, 2.0], &[4.0, 8.0]]);
    let expected = mat(&[&[-1.0, 0.25], &[0.5, 0.0]]);
    assert_eq!(run(&pool, inverse, &[a]).unwrap(), [expected]);
    assert_eq!(run(&pool, inverse, &[mat(&[])]).unwrap()[0].shape(), &[0, 0]);
    // Hilbert matrix: its inverse has whole numbers.
    let hilbert = Array::from_fn(&[4, 4], |at| 1.0 / (at[0] + at[1] + 1) as f64).unwrap();
    let result = run(&pool, inverse, &[hilbert.into()]).unwrap().remove(0);
    assert!((result.scalars()[5] - 1200.0).abs() < 1e-8);
    let error = run(&pool, inverse, &[mat(&[&[1.0, 2.0], &[2.0, 4.0]])]).unwrap_err();
    assert_eq!(error.to_string(), "assertion failed: A is singular\n  in function inverse");
    let error = run(&pool, inverse, &[mat(&[&[1.0, 2.0]])]).unwrap_err();
    assert_eq!(*error.kind(), EvalErrorKind::Assertion("A is not square".into()));
}

/// A function that calls itself: `build` gets its id.
fn recursive(pool: &mut Pool, name: &str, build: impl FnOnce(&mut B, FunctionId)) -> FunctionId {
    let id = pool.add_function(Function::named(name));
    let mut b = B::new(name);
    build(&mut b, id);
    pool.set_function(id, b.f);
    assert_eq!(check::check_function(pool, id), Vec::<String>::new());
    id
}

fn factorial(pool: &mut Pool) -> FunctionId {
    recursive(pool, "factorial", |b, id| {
        let n = b.f.input("n", INT, &[]);
        let y = b.f.output("y", INT, &[]);
        let smaller = call(id, [e(n) - 1.0]);
        let value = op(Op::If, [less(n, 2.0), e(1.0), e(n) * smaller]);
        let s = b.set(y, value);
        b.body(vec![s]);
    })
}

fn ackermann(pool: &mut Pool) -> FunctionId {
    recursive(pool, "ackermann", |b, id| {
        let m = b.f.input("m", INT, &[]);
        let n = b.f.input("n", INT, &[]);
        let y = b.f.output("y", INT, &[]);
        let first = vec![b.set(y, e(n) + 1.0), Stmt::Return];
        let first = b.if_(equal(m, 0.0), first, vec![]);
        let second = vec![b.set(y, call(id, [e(m) - 1.0, e(1.0)])), Stmt::Return];
        let second = b.if_(equal(n, 0.0), second, vec![]);
        let third = b.set(y, call(id, [e(m) - 1.0, call(id, [e(m), e(n) - 1.0])]));
        b.body(vec![first, second, third]);
    })
}

#[test]
fn recursion() {
    let mut pool = Pool::new();
    let (factorial, ackermann) = (factorial(&mut pool), ackermann(&mut pool));
    assert_eq!(run(&pool, factorial, &[num(10.0)]).unwrap(), [num(3_628_800.0)]);
    assert_eq!(run(&pool, factorial, &[num(0.0)]).unwrap(), [num(1.0)]);
    assert_eq!(run(&pool, ackermann, &[num(2.0), num(3.0)]).unwrap(), [num(9.0)]);
    assert_eq!(run(&pool, ackermann, &[num(3.0), num(3.0)]).unwrap(), [num(61.0)]);
}

#[test]
fn recursion_without_end_is_an_error() {
    let mut pool = Pool::new();
    let forever = recursive(&mut pool, "forever", |b, id| {
        let n = b.real_in("n");
        let y = b.real_out("y");
        let s = b.set(y, call(id, [e(n) + 1.0]) + 1.0);
        b.body(vec![s]);
    });
    let error = run(&pool, forever, &[num(1.0)]).unwrap_err();
    assert_eq!(*error.kind(), EvalErrorKind::TooManyCalls);
    assert!(error.trace().len() > 3);
}

#[test]
fn loops_without_end_are_an_error() {
    let mut pool = Pool::new();
    let mut b = B::new("forever");
    let y = b.real_out("y");
    let step = vec![b.set(y, e(y) + 1.0)];
    let s = b.while_(less(0.0, 1.0), step);
    b.body(vec![s]);
    let f = b.done(&mut pool);
    let limits = Limits { steps: 10_000, ..Limits::default() };
    let error = Evaluator::new(Numbers::new(&pool)).with_limits(limits).call(f, &[]).unwrap_err();
    assert_eq!(*error.kind(), EvalErrorKind::TooManySteps);
}

#[test]
fn strings() {
    let mut pool = Pool::new();
    let mut b = B::new("describe");
    let name = b.f.input("name", Scalar::String, &[]);
    let values = b.f.input("values", R, &[Dim::Unknown]);
    let exact = b.f.input("exact", Scalar::Boolean, &[]);
    let text = b.f.output("text", Scalar::String, &[]);
    let i = b.int("i");
    let string = |x: E| arr(ArrayFn::ToString, [x]);
    let start = b.set(text, arr(ArrayFn::Concat, [e(name), e(" ("), string(size(values, 1.0)), e("):")]));
    let more = b.set(text, arr(ArrayFn::Concat, [e(text), e(" "), string(at(values, [e(i)]))]));
    let all = b.for_(i, range(1.0, size(values, 1.0)), vec![more]);
    let end = b.set(text, arr(ArrayFn::Concat, [e(text), e(" "), string(e(exact))]));
    let special = vec![b.set(text, "nobody")];
    let special = b.if_(equal(name, ""), special, vec![]);
    b.body(vec![start, all, end, special]);
    let f = b.done(&mut pool);
    let describe = |name: &str, values: &[f64]| {
        let args = [Value::text(name), vec_of(values), num(1.0)];
        let result = run(&pool, f, &args).unwrap().remove(0);
        result.as_text().unwrap().to_string()
    };
    assert_eq!(describe("x", &[1.5, 1e-7, 1234567.0]), "x (3): 1.5 1e-07 1.23457e+06 true");
    assert_eq!(describe("", &[]), "nobody");
    let error = run(&pool, f, &[num(1.0), vec_of(&[]), num(0.0)]).unwrap_err();
    assert_eq!(error.to_string(), "name: a string and a number do not go together\n  in function describe");
}

#[test]
fn arrays_of_strings() {
    let mut pool = Pool::new();
    let mut b = B::new("pick");
    let k = b.f.input("k", INT, &[]);
    let names = b.f.protected("names", Scalar::String, &[Dim::Known(3)]);
    let y = b.f.output("y", Scalar::String, &[]);
    let all = b.f.output("all", Scalar::String, &[Dim::Known(2)]);
    let s1 = b.set(names, vector([e("red"), e("green"), e("blue")]));
    let s2 = b.set_at(names, [e(2.0)], "yellow");
    let s3 = b.set(y, at(names, [e(k)]));
    let s4 = b.set(all, at(names, [range(2.0, 3.0)]));
    b.body(vec![s1, s2, s3, s4]);
    let f = b.done(&mut pool);
    let outputs = run(&pool, f, &[num(2.0)]).unwrap();
    assert_eq!(outputs[0], Value::text("yellow"));
    assert_eq!(outputs[1].as_texts().unwrap().data()[1].known(), Some("blue"));
    assert!(run(&pool, f, &[num(4.0)]).is_err());
}

#[test]
fn several_outputs() {
    let mut pool = Pool::new();
    let mut b = B::new("divide");
    let x = b.f.input("x", INT, &[]);
    let y = b.f.input("y", INT, &[]);
    let quotient = b.f.output("quotient", INT, &[]);
    let rest = b.f.output("rest", INT, &[]);
    let s1 = b.set(quotient, op(Op::IntegerDiv, [e(x), e(y)]));
    let s2 = b.set(rest, op(Op::Rem, [e(x), e(y)]));
    b.body(vec![s1, s2]);
    let divide = b.done(&mut pool);
    let mut b = B::new("gcd");
    let x = b.f.input("x", INT, &[]);
    let y = b.f.input("y", INT, &[]);
    let d = b.f.output("d", INT, &[]);
    let other = b.int("other");
    let rest = b.int("rest");
    let start = vec![b.set(d, x), b.set(other, y)];
    let step = vec![
        b.set_call(&[None, Some(rest)], call(divide, [e(d), e(other)])),
        b.set(d, other),
        b.set(other, rest),
    ];
    let s = b.while_(op(Op::NotEqual, [e(other), e(0.0)]), step);
    b.body(start);
    b.body(vec![s]);
    let gcd = b.done(&mut pool);
    assert_eq!(run(&pool, divide, &[num(17.0), num(5.0)]).unwrap(), [num(3.0), num(2.0)]);
    assert_eq!(run(&pool, gcd, &[num(252.0), num(105.0)]).unwrap(), [num(21.0)]);
    let second = E::C(divide, vec![e(17.0), e(5.0)], 1);
    let mut b = B::new("expression");
    let term = b.t(second);
    assert_eq!(Evaluator::new(Numbers::new(&pool)).term(&b.f, term, &[]).unwrap(), num(2.0));
}

#[test]
fn leaving_loops() {
    let mut pool = Pool::new();
    // The position of a value, by `return` and by `break`.
    let mut b = B::new("findValue");
    let x = b.f.input("x", INT, &[Dim::Unknown]);
    let val = b.f.input("val", INT, &[]);
    let index = b.f.output("index", INT, &[]);
    let i = b.int("i");
    let found = vec![b.set(index, i), Stmt::Return];
    let look = b.if_(equal(at(x, [e(i)]), val), found, vec![]);
    let all = b.for_(i, range(1.0, size(x, 1.0)), vec![look]);
    let none = b.set(index, 0.0);
    b.body(vec![all, none, Stmt::Return]);
    let by_return = b.done(&mut pool);
    let mut b = B::new("countUntil");
    let x = b.f.input("x", INT, &[Dim::Unknown]);
    let val = b.f.input("val", INT, &[]);
    let count = b.f.output("count", INT, &[]);
    let i = b.int("i");
    let j = b.int("j");
    let leave = b.if_(equal(at(x, [e(i)]), val), vec![Stmt::Break], vec![]);
    // The inner break leaves the inner loop only.
    let inner = b.for_(j, range(1.0, 5.0), vec![Stmt::Break]);
    let more = b.set(count, e(count) + 1.0);
    let all = b.for_(i, range(1.0, size(x, 1.0)), vec![leave, inner, more]);
    b.body(vec![all]);
    let by_break = b.done(&mut pool);
    let x = vec_of(&[4.0, 7.0, 9.0, 7.0]);
    for (val, position, count) in [(4.0, 1.0, 0.0), (7.0, 2.0, 1.0), (9.0, 3.0, 2.0), (5.0, 0.0, 4.0)] {
        assert_eq!(run(&pool, by_return, &[x.clone(), num(val)]).unwrap(), [num(position)]);
        assert_eq!(run(&pool, by_break, &[x.clone(), num(val)]).unwrap(), [num(count)]);
    }
}

#[test]
fn default_arguments() {
    let mut pool = Pool::new();
    let mut b = B::new("scaled");
    let x = b.real_in("x");
    let gain = b.real_in("gain");
    let offset = b.real_in("offset");
    b.initial(gain, e(offset) + 1.0);
    b.initial(offset, e(x) * 10.0);
    let y = b.real_out("y");
    let s = b.set(y, e(gain) * x + e(offset));
    b.body(vec![s]);
    let f = b.done(&mut pool);
    assert_eq!(run(&pool, f, &[num(2.0), num(3.0), num(4.0)]).unwrap(), [num(10.0)]);
    assert_eq!(run(&pool, f, &[num(2.0), num(3.0)]).unwrap(), [num(26.0)]);
    assert_eq!(run(&pool, f, &[num(2.0)]).unwrap(), [num(62.0)]);
    let skipped = Evaluator::new(Numbers::new(&pool))
        .call_with_defaults(f, vec![Some(num(2.0)), None, Some(num(4.0))])
        .unwrap();
    assert_eq!(skipped, [num(14.0)]);
    let error = run(&pool, f, &[]).unwrap_err();
    assert_eq!(*error.kind(), EvalErrorKind::MissingArgument("x".into()));
    let error = run(&pool, f, &[num(1.0), num(1.0), num(1.0), num(1.0)]).unwrap_err();
    assert_eq!(*error.kind(), EvalErrorKind::TooManyArguments { inputs: 3, found: 4 });
}

#[test]
fn cyclic_initial_values() {
    let mut pool = Pool::new();
    let mut b = B::new("cyclic");
    let (x, y) = (b.real("x"), b.real_out("y"));
    b.initial(x, e(y) + 1.0);
    b.initial(y, e(x) + 1.0);
    let f = pool.add_function(b.f);
    assert!(matches!(run(&pool, f, &[]).unwrap_err().kind(), EvalErrorKind::Cyclic(_)));
    assert_eq!(check::check_function(&pool, f).len(), 1);
}

#[test]
fn arrays_that_grow() {
    let mut pool = Pool::new();
    let mut b = B::new("collectPositive");
    let x = b.f.input("x", R, &[Dim::Unknown]);
    let y = b.f.output("xpos", R, &[Dim::Unknown]);
    let i = b.int("i");
    let more = vec![b.set(y, arr(ArrayFn::Cat, [e(1.0), e(y), at(x, [range(i, i)])]))];
    let s = b.if_(less(0.0, at(x, [e(i)])), more, vec![]);
    let s = b.for_(i, range(1.0, size(x, 1.0)), vec![s]);
    b.body(vec![s]);
    let f = b.done(&mut pool);
    assert_eq!(run(&pool, f, &[vec_of(&[1.0, -2.0, 3.0, 0.0, 5.0])]).unwrap(), [vec_of(&[1.0, 3.0, 5.0])]);
    assert_eq!(run(&pool, f, &[vec_of(&[])]).unwrap(), [vec_of(&[])]);
}

#[test]
fn declared_sizes_are_checked() {
    let mut pool = Pool::new();
    let mut b = B::new("joinThreeVectors");
    let v: Vec<LocalId> = ["v1", "v2", "v3"].map(|name| b.f.input(name, R, &[Dim::Unknown])).into();
    let n = b.computed(size(v[0], 1.0) + size(v[1], 1.0) + size(v[2], 1.0));
    let y = b.f.output("vres", R, &[n]);
    let s = b.set(y, arr(ArrayFn::Cat, [e(1.0), e(v[0]), e(v[1]), e(v[2])]));
    b.body(vec![s]);
    let join = b.done(&mut pool);
    let args = [vec_of(&[1.0]), vec_of(&[]), vec_of(&[2.0, 3.0])];
    assert_eq!(run(&pool, join, &args).unwrap(), [vec_of(&[1.0, 2.0, 3.0])]);

    let mut b = B::new("trace");
    let a = b.f.input("A", R, &[Dim::Unknown, Dim::Unknown]);
    let n = b.computed(size(a, 1.0));
    b.f.locals[a.0 as usize].dims[1] = n;
    let y = b.real_out("y");
    let i = b.int("i");
    let sum = E::For(Reduction::Sum, Box::new(at(a, [e(i), e(i)])), vec![(i, range(1.0, size(a, 1.0)))]);
    let s = b.set(y, sum);
    b.body(vec![s]);
    let trace = b.done(&mut pool);
    assert_eq!(run(&pool, trace, &[mat(&[&[1.0, 2.0], &[3.0, 4.0]])]).unwrap(), [num(5.0)]);
    let error = run(&pool, trace, &[mat(&[&[1.0, 2.0]])]).unwrap_err();
    assert_eq!(error.to_string(), "A: dimension 2 has size 2 and should have 1\n  in function trace");
    let error = run(&pool, trace, &[num(1.0)]).unwrap_err();
    assert_eq!(error.to_string(), "A: a value with 0 dimensions where 2 are declared\n  in function trace");

    let mut b = B::new("wrong");
    let y = b.f.output("y", R, &[Dim::Known(2)]);
    let s = b.set(y, vector([e(1.0), e(2.0), e(3.0)]));
    b.body(vec![s]);
    let wrong = b.done(&mut pool);
    let error = run(&pool, wrong, &[]).unwrap_err();
    assert_eq!(error.to_string(), "y: sizes {2} and {3} differ\n  in function wrong");
}

#[test]
fn what_is_never_set_is_zero() {
    let mut pool = Pool::new();
    let mut b = B::new("nothing");
    b.real_out("x");
    b.f.output("v", R, &[Dim::Known(2)]);
    b.f.output("s", Scalar::String, &[]);
    b.f.output("w", R, &[Dim::Unknown]);
    let f = b.done(&mut pool);
    let outputs = run(&pool, f, &[]).unwrap();
    assert_eq!(outputs, [num(0.0), vec_of(&[0.0, 0.0]), Value::text(""), vec_of(&[])]);
}

#[test]
fn array_constructors_with_iterators() {
    let mut pool = Pool::new();
    let mut b = B::new("toeplitz");
    let n = b.f.input("n", INT, &[]);
    let dim = b.computed(e(n));
    let dim2 = b.computed(e(n) + 1.0);
    let y = b.f.output("y", R, &[dim2, dim]);
    let (i, j) = (b.int("i"), b.int("j"));
    // {i - j for i in 1:n, j in 1:n+1} = {{i - j for i in 1:n} for j in 1:n+1}
    let all = E::For(
        Reduction::Array,
        Box::new(e(i) - e(j)),
        vec![(i, range(1.0, n)), (j, range(1.0, e(n) + 1.0))],
    );
    let s = b.set(y, all);
    b.body(vec![s]);
    let f = b.done(&mut pool);
    assert_eq!(run(&pool, f, &[num(2.0)]).unwrap(), [mat(&[&[0.0, 1.0], &[-1.0, 0.0], &[-2.0, -1.0]])]);
    assert_eq!(run(&pool, f, &[num(0.0)]).unwrap()[0].shape(), &[1, 0]);
}

#[test]
fn reductions() {
    let reduce = |reduction: Reduction, body: fn(E) -> E, values: E| {
        let mut b = B::new("reduction");
        let i = b.int("i");
        let term = b.t(E::For(reduction, Box::new(body(e(i))), vec![(i, values)]));
        let pool = Pool::new();
        Evaluator::new(Numbers::new(&pool)).term(&b.f, term, &[]).unwrap()
    };
    let square = |x: E| op(Op::Pow, [x, e(2.0)]);
    // The examples of specification section 10.3.4.1.
    assert_eq!(reduce(Reduction::Sum, |i| i, range(1.0, 10.0)), num(55.0));
    assert_eq!(reduce(Reduction::Sum, square, vector([e(1.0), e(3.0), e(7.0), e(6.0)])), num(95.0));
    assert_eq!(reduce(Reduction::Max, square, vector([e(3.0), e(7.0), e(6.0)])), num(49.0));
    assert_eq!(reduce(Reduction::Min, square, vector([e(3.0), e(7.0), e(6.0)])), num(9.0));
    assert_eq!(reduce(Reduction::Product, |i| i, range(1.0, 4.0)), num(24.0));
    assert_eq!(reduce(Reduction::Product, |i| i, range(1.0, 0.0)), num(1.0));
    assert_eq!(reduce(Reduction::Sum, |i| i, range(1.0, 0.0)), num(0.0));
    assert_eq!(reduce(Reduction::Min, |i| i, range(1.0, 0.0)), num(2_147_483_647.0));
    assert_eq!(reduce(Reduction::Max, |i| i / 1.5, range(1.0, 0.0)), num(-f64::MAX));
    let pair = |i: E| vector([i.clone(), e(10.0) * i]);
    assert_eq!(reduce(Reduction::Sum, pair, range(1.0, 3.0)), vec_of(&[6.0, 60.0]));
    assert_eq!(reduce(Reduction::Array, pair, range(1.0, 2.0)), mat(&[&[1.0, 10.0], &[2.0, 20.0]]));
}

#[test]
fn array_functions_as_terms() {
    let v = |data: &[f64]| E::A(ArrayFn::Construct, data.iter().map(|&x| e(x)).collect());
    let m = || vector([v(&[1.0, 2.0]), v(&[3.0, 4.0])]);
    let ok = |x: E| value_of(x).unwrap();
    use ArrayFn::*;
    assert_eq!(ok(arr(Transpose, [m()])), mat(&[&[1.0, 3.0], &[2.0, 4.0]]));
    assert_eq!(ok(arr(Product, [m(), v(&[1.0, 1.0])])), vec_of(&[3.0, 7.0]));
    assert_eq!(ok(arr(Product, [e(2.0), e(3.0)])), num(6.0));
    assert_eq!(ok(arr(MatrixPower, [m(), e(2.0)])), mat(&[&[7.0, 10.0], &[15.0, 22.0]]));
    assert_eq!(ok(arr(Size, [m()])), vec_of(&[2.0, 2.0]));
    assert_eq!(ok(arr(Size, [e(1.0)])), vec_of(&[]));
    assert_eq!(ok(arr(SizeOf, [m(), e(2.0)])), num(2.0));
    assert!(value_of(arr(SizeOf, [m(), e(3.0)])).is_err());
    assert_eq!(ok(arr(Ndims, [m()])), num(2.0));
    assert_eq!(ok(arr(Fill, [e(7.0), e(2.0)])), vec_of(&[7.0, 7.0]));
    assert!(value_of(arr(Fill, [e(7.0), e(-2.0)])).is_err());
    assert_eq!(ok(arr(Identity, [e(2.0)])), mat(&[&[1.0, 0.0], &[0.0, 1.0]]));
    assert_eq!(ok(arr(Diagonal, [v(&[2.0, 3.0])])), mat(&[&[2.0, 0.0], &[0.0, 3.0]]));
    assert_eq!(ok(arr(Linspace, [e(0.0), e(1.0), e(3.0)])), vec_of(&[0.0, 0.5, 1.0]));
    assert_eq!(ok(arr(Sum, [m()])), num(10.0));
    assert_eq!(ok(arr(ProductOf, [m()])), num(24.0));
    assert_eq!(ok(arr(MinOf, [m()])), num(1.0));
    assert_eq!(ok(arr(MaxOf, [m()])), num(4.0));
    assert_eq!(ok(arr(OuterProduct, [v(&[1.0, 2.0]), v(&[3.0])])), mat(&[&[3.0], &[6.0]]));
    assert_eq!(ok(arr(Symmetric, [m()])), mat(&[&[1.0, 2.0], &[2.0, 4.0]]));
    assert_eq!(ok(arr(Cross, [v(&[1.0, 0.0, 0.0]), v(&[0.0, 1.0, 0.0])])), vec_of(&[0.0, 0.0, 1.0]));
    assert_eq!(ok(arr(Skew, [v(&[1.0, 2.0, 3.0])])).scalars()[1], -3.0);
    assert_eq!(ok(arr(ArrayFn::Scalar, [v(&[5.0])])), num(5.0));
    assert_eq!(ok(arr(Vector, [arr(Matrix, [v(&[5.0, 6.0])])])), vec_of(&[5.0, 6.0]));
    assert_eq!(ok(arr(Matrix, [v(&[5.0, 6.0])])), mat(&[&[5.0], &[6.0]]));
    assert_eq!(ok(arr(Promote, [v(&[5.0, 6.0]), e(3.0)])).shape(), &[2, 1, 1]);
    assert_eq!(ok(arr(Range, [e(1.0), e(0.5), e(2.0)])), vec_of(&[1.0, 1.5, 2.0]));
    assert_eq!(ok(arr(Cat, [e(2.0), m(), m()])).shape(), &[2, 4]);
    // [v1; v2] is a column
    let column = |x: E| arr(Promote, [x, e(2.0)]);
    assert_eq!(ok(arr(Cat, [e(1.0), column(v(&[1.0])), column(v(&[2.0, 3.0]))])).shape(), &[3, 1]);
    assert_eq!(ok(m() + m()), mat(&[&[2.0, 4.0], &[6.0, 8.0]]));
    assert_eq!(ok(op(Op::Sin, [v(&[0.0])])), vec_of(&[0.0]));
    assert_eq!(ok(op(Op::Not, [v(&[0.0, 1.0])])), vec_of(&[1.0, 0.0]));
    assert_eq!(ok(op(Op::If, [v(&[0.0, 1.0]), v(&[1.0, 2.0]), e(7.0)])), vec_of(&[7.0, 2.0]));
    assert!(value_of(m() + v(&[1.0, 2.0])).is_err());
    assert!(value_of(e("a") + 1.0).is_err());
    assert_eq!(ok(e("a") + "b"), Value::text("ab"));
    let slice = E::I(Box::new(m()), vec![None, Some(e(2.0))]);
    assert_eq!(ok(slice), vec_of(&[2.0, 4.0]));
    assert_eq!(ok(E::I(Box::new(m()), vec![Some(e(2.0))])), vec_of(&[3.0, 4.0]));
    assert!(value_of(E::I(Box::new(e(1.0)), vec![Some(e(1.0))])).is_err());
}

#[test]
fn only_what_is_needed_is_evaluated() {
    let mut pool = Pool::new();
    let mut b = B::new("firstAbove");
    let x = b.f.input("x", R, &[Dim::Unknown]);
    let i = b.f.output("i", INT, &[]);
    let safe = b.real_out("safe");
    let step = vec![b.set(i, e(i) + 1.0)];
    let inside = op(Op::LessEqual, [e(i), size(x, 1.0)]);
    let go_on = op(Op::And, [inside, less(at(x, [e(i)]), 10.0)]);
    let start = b.set(i, 1.0);
    let s = b.while_(go_on, step);
    let last = b.set(safe, op(Op::If, [less(size(x, 1.0), i), e(-1.0), at(x, [e(i)])]));
    b.body(vec![start, s, last]);
    let f = b.done(&mut pool);
    assert_eq!(run(&pool, f, &[vec_of(&[1.0, 20.0, 3.0])]).unwrap(), [num(2.0), num(20.0)]);
    assert_eq!(run(&pool, f, &[vec_of(&[1.0, 2.0])]).unwrap(), [num(3.0), num(-1.0)]);
}

#[test]
fn assertions() {
    let mut pool = Pool::new();
    let mut b = B::new("root");
    let x = b.real_in("x");
    let y = b.real_out("y");
    let message = arr(ArrayFn::Concat, [e("x is "), arr(ArrayFn::ToString, [e(x)])]);
    let s1 = b.assert_(op(Op::LessEqual, [e(0.0), e(x)]), message, 2.0);
    let s2 = b.assert_(less(x, 100.0), e("x is large"), 1.0);
    let s3 = b.set(y, op(Op::Sqrt, [e(x)]));
    b.body(vec![s1, s2, s3]);
    let root = b.done(&mut pool);
    let mut b = B::new("caller");
    let y = b.real_out("y");
    let s = b.set(y, call(root, [e(-0.5)]));
    b.body(vec![s]);
    let caller = b.done(&mut pool);
    let error = run(&pool, caller, &[]).unwrap_err();
    assert_eq!(error.to_string(), "assertion failed: x is -0.5\n  in function root\n  in function caller");
    let mut evaluator = Evaluator::new(Numbers::new(&pool));
    assert_eq!(evaluator.call(root, &[num(400.0)]).unwrap(), [num(20.0)]);
    assert_eq!(evaluator.warnings, ["x is large"]);
}

/// Doubles its first argument and reports how many it got.
struct Doubling;

impl Externals for Doubling {
    fn call(&self, call: &ExternalCall<'_>) -> Result<Vec<Value<f64>>, ExternalError> {
        match call.body.name.as_str() {
            "twice" => {
                let written: Vec<bool> = call.args.iter().map(|arg| arg.written).collect();
                assert_eq!(written, [false, true]);
                Ok(vec![num(call.args.len() as f64), call.args[0].value.map(|x| 2.0 * x)])
            }
            "broken" => Err(ExternalError::Failed("no".into())),
            _ => Err(ExternalError::Unavailable),
        }
    }
}

fn external(name: &str, pool: &mut Pool) -> FunctionId {
    let mut b = B::new("external");
    let x = b.f.input("x", R, &[Dim::Unknown]);
    let count = b.f.output("count", INT, &[]);
    let n = b.computed(size(x, 1.0));
    let y = b.f.output("y", R, &[n]);
    let args = vec![b.t(x), b.t(y)];
    b.f.body = Body::External(Box::new(ExternalBody {
        language: "C".into(),
        name: name.into(),
        result: Some(count),
        args,
        annotations: vec![],
        view: Default::default(),
    }));
    b.done(pool)
}

#[test]
fn foreign_functions() {
    let mut pool = Pool::new();
    let [twice, broken, other] = ["twice", "broken", "other"].map(|name| external(name, &mut pool));
    let x = [vec_of(&[1.0, 2.0])];
    let kind = |result: Result<Vec<Value<f64>>, EvalError>| result.unwrap_err().kind().clone();
    assert_eq!(kind(run(&pool, twice, &x)), EvalErrorKind::NoExternal("twice".into()));
    let mut evaluator = Evaluator::new(Numbers::new(&pool)).with_externals(&Doubling);
    assert_eq!(evaluator.call(twice, &x).unwrap(), [num(2.0), vec_of(&[2.0, 4.0])]);
    let message = "no".to_owned();
    assert_eq!(kind(evaluator.call(broken, &x)), EvalErrorKind::External { name: "broken".into(), message });
    assert_eq!(kind(evaluator.call(other, &x)), EvalErrorKind::NoExternal("other".into()));
}

#[test]
fn built_in_functions_need_no_foreign_code() {
    let mut pool = Pool::new();
    let mut b = B::new("Modelica.Math.atan2");
    let (u1, u2) = (b.real_in("u1"), b.real_in("u2"));
    let y = b.real_out("y");
    let args = vec![b.t(u1), b.t(u2)];
    b.f.body = Body::External(Box::new(ExternalBody {
        language: "builtin".into(),
        name: "atan2".into(),
        result: Some(y),
        args,
        annotations: vec![],
        view: Default::default(),
    }));
    let f = b.done(&mut pool);
    assert_eq!(run(&pool, f, &[num(1.0), num(1.0)]).unwrap(), [num(std::f64::consts::FRAC_PI_4)]);
}

#[test]
fn flat_calls() {
    let mut pool = Pool::new();
    let mut b = B::new("mix");
    let a = b.f.input("a", R, &[Dim::Known(2), Dim::Known(2)]);
    let x = b.f.input("x", R, &[Dim::Known(2)]);
    let k = b.real_in("k");
    let y = b.f.output("y", R, &[Dim::Known(2)]);
    let z = b.real_out("z");
    let s1 = b.set(y, arr(ArrayFn::Product, [e(a), e(x)]) * k);
    let s2 = b.set(z, arr(ArrayFn::Sum, [e(x)]));
    b.body(vec![s1, s2]);
    let f = b.done(&mut pool);
    let routines = vec![Some(std::sync::Arc::new(
        Evaluator::new(Numbers::new(&pool)).prepare(pool.function(f)).unwrap(),
    ))];
    let mut evaluator = Evaluator::new(Numbers::detached()).with_routines(routines);
    let mut out = [0.0; 3];
    evaluator.call_flat(f, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 10.0], &mut out).unwrap();
    assert_eq!(out, [170.0, 390.0, 11.0]);
    assert!(evaluator.call_flat(f, &[1.0], &mut out).is_err());
    assert!(evaluator.call_flat(f, &[1.0; 8], &mut out).is_err());
    assert!(evaluator.call_flat(f, &[1.0; 7], &mut out[..2]).is_err());
    assert!(evaluator.call(FunctionId(7), &[]).is_err());
}

#[test]
fn flat_calls_with_strings() {
    let mut pool = Pool::new();
    let f = symbolic::to_text_function(&mut pool, Scalar::Integer, false);
    let args = [7.0, 6.0, 3.0, 0.0].map(layout::Flat::Number);
    let result = Evaluator::new(Numbers::new(&pool)).call_flat_with_texts(f, &args).unwrap();
    assert_eq!(result, [layout::Flat::Text("  7".into())]);
}

#[test]
fn malformed_functions_are_errors() {
    let mut pool = Pool::new();
    let mut broken = |build: &dyn Fn(&mut Function)| {
        let mut f = Function::named("broken");
        f.output("y", R, &[]);
        build(&mut f);
        let id = pool.add_function(f);
        assert!(!check::check_function(&pool, id).is_empty());
        let error = run(&pool, id, &[]).unwrap_err();
        assert!(
            matches!(error.kind(), EvalErrorKind::Malformed(_) | EvalErrorKind::NoFunction(_)),
            "{error}"
        );
    };
    broken(&|f| f.push(Stmt::assign(LocalId(0), TermId(99))));
    broken(&|f| {
        let one = f.number(1.0);
        f.push(Stmt::assign(LocalId(9), one));
    });
    broken(&|f| {
        let itself = f.add(Term::Op(Op::Neg, vec![TermId(0)]));
        f.push(Stmt::assign(LocalId(0), itself));
    });
    broken(&|f| {
        let local = f.local_term(LocalId(5));
        f.push(Stmt::assign(LocalId(0), local));
    });
    broken(&|f| {
        let call = f.call(FunctionId(1000), &[]);
        f.push(Stmt::assign(LocalId(0), call));
    });
    broken(&|f| {
        let range = f.array(ArrayFn::Range, &[]);
        f.push(Stmt::For(LocalId(0), range, vec![]));
    });
    broken(&|f| f.inputs.push(LocalId(70)));
    broken(&|f| {
        let mut body = vec![Stmt::Return];
        for _ in 0..200 {
            let one = f.number(1.0);
            body = vec![Stmt::If(vec![(one, body)], vec![])];
        }
        f.body = Body::Algorithm(body);
    });
}

#[test]
fn long_sums_are_no_problem_and_deep_ones_are_refused() {
    let mut pool = Pool::new();
    let mut b = B::new("long");
    let x = b.real_in("x");
    let y = b.real_out("y");
    let mut sum = b.t(x);
    for _ in 0..20_000 {
        let one = b.f.number(1.0);
        sum = b.f.op(Op::Add, &[sum, one]);
    }
    b.f.push(Stmt::assign(y, sum));
    let long = b.done(&mut pool);
    assert_eq!(run(&pool, long, &[num(0.5)]).unwrap(), [num(20_000.5)]);
    let mut b = B::new("deep");
    let x = b.real_in("x");
    let y = b.real_out("y");
    let mut deep = b.t(x);
    for _ in 0..20_000 {
        deep = b.f.op(Op::Sin, &[deep]);
    }
    b.f.push(Stmt::assign(y, deep));
    let deep = pool.add_function(b.f);
    let error = run(&pool, deep, &[num(0.5)]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "malformed function: an expression is nested too deeply\n  in function deep"
    );
}

/// Deep expressions inside deep recursion end in an error, not in an overflow of the stack of a test thread.
#[test]
fn the_deepest_nesting_is_refused_in_time() {
    let mut pool = Pool::new();
    let id = pool.add_function(Function::named("deepest"));
    let mut b = B::new("deepest");
    let n = b.f.input("n", INT, &[]);
    let y = b.real_out("y");
    let mut value = b.t(E::C(id, vec![e(n) - 1.0], 0));
    for _ in 0..240 {
        value = b.f.op(Op::NoEvent, &[value]);
    }
    let zero = b.f.number(0.0);
    let stop = b.t(less(n, 1.0));
    let value = b.f.op(Op::If, &[stop, zero, value]);
    b.f.push(Stmt::assign(y, value));
    pool.set_function(id, b.f);
    assert_eq!(run(&pool, id, &[num(3.0)]).unwrap(), [num(0.0)]);
    assert_eq!(*run(&pool, id, &[num(190.0)]).unwrap_err().kind(), EvalErrorKind::TooManyCalls);
}
