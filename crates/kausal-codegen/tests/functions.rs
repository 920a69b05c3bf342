//! Functions as machine code do what the evaluator does.

mod common;

use common::functions::{random, samples};
use common::same;
use kausal_codegen::{Backend, Called, Functions};
use kausal_symbolic::function::layout::Layout;
use kausal_symbolic::function::{
    ArrayFn, Body, Dim, Evaluator, ExternalBody, Function, Numbers, Scalar, Stmt,
};
use kausal_symbolic::{FunctionId, Op, Pool};

/// Calls with code and with the evaluator; both agree, or both fail.
fn compare(pool: &Pool, functions: &Functions, id: FunctionId, arguments: &[f64]) {
    let len = Layout::of_outputs(pool.function(id)).unwrap().len;
    let (mut found, mut expected) = (vec![0.0; len], vec![0.0; len]);
    let called = functions.call(id, arguments, &mut found, &mut functions.memory());
    let evaluated = Evaluator::new(Numbers::new(pool)).call_flat(id, arguments, &mut expected);
    let name = &pool.function(id).name;
    match evaluated {
        Ok(()) => {
            assert_eq!(called, Called::Done, "{name}({arguments:?})");
            assert!(same(&expected, &found), "{name}({arguments:?}): {found:?} instead of {expected:?}");
        }
        Err(error) => assert_eq!(called, Called::Failed, "{name}({arguments:?}): {error}"),
    }
}

#[test]
fn samples_agree_with_the_evaluator() {
    let mut pool = Pool::new();
    let samples = samples(&mut pool);
    for backend in [Backend::Jit, Backend::JitOptimised] {
        let functions = Functions::new(&pool, samples.iter().map(|sample| sample.id), backend).unwrap();
        let left: Vec<_> = functions.left_to_the_evaluator().collect();
        assert!(left.is_empty(), "{left:?}");
        for sample in &samples {
            for arguments in &sample.arguments {
                compare(&pool, &functions, sample.id, arguments);
            }
        }
    }
}

/// Recursion without end fails, and leaves the stack alone.
#[test]
fn endless_recursion_fails() {
    let mut pool = Pool::new();
    let samples = samples(&mut pool);
    let fibonacci = samples.iter().find(|sample| sample.name == "fibonacci").unwrap().id;
    let functions = Functions::new(&pool, [fibonacci], Backend::Jit).unwrap();
    let (mut out, mut memory) = ([0.0], functions.memory());
    assert_eq!(functions.call(fibonacci, &[-3.0], &mut out, &mut memory), Called::Failed);
    assert_eq!(functions.call(fibonacci, &[10.0], &mut out, &mut memory), Called::Done);
    assert_eq!(out, [55.0]);
}

#[test]
fn random_functions_agree_with_the_evaluator() {
    let mut pool = Pool::new();
    let ids: Vec<FunctionId> = (0..400).map(|seed| pool.add_function(random(seed))).collect();
    let functions = Functions::new(&pool, ids.iter().copied(), Backend::Jit).unwrap();
    let left: Vec<_> = functions.left_to_the_evaluator().collect();
    assert!(left.is_empty(), "{left:?}");
    for &id in &ids {
        for arguments in [[1.0, 2.0, 3.0, 4.0], [-0.5, 0.0, 7.25, -3.0], [1e10, -1e-3, 2.0, 0.1]] {
            compare(&pool, &functions, id, &arguments);
        }
    }
}

/// Strings are passed on, and written into messages by the evaluator only; looking at one does not fit.
#[test]
fn strings() {
    let mut pool = Pool::new();
    let mut inner = Function::named("inner");
    let name = inner.input("name", Scalar::String, &[]);
    let x = inner.input("x", Scalar::Real, &[]);
    let y = inner.output("y", Scalar::Real, &[]);
    let (tname, tx, zero, two) =
        (inner.local_term(name), inner.local_term(x), inner.number(0.0), inner.number(2.0));
    let positive = inner.op(Op::Less, &[zero, tx]);
    let text = inner.text(" is negative");
    let message = inner.array(ArrayFn::Concat, &[tname, text]);
    inner.push(Stmt::Assert(positive, message, two));
    let root = inner.op(Op::Sqrt, &[tx]);
    inner.push(Stmt::assign(y, root));
    let inner = pool.add_function(inner);
    let mut outer = Function::named("outer");
    let x = outer.input("x", Scalar::Real, &[]);
    let name = outer.input("name", Scalar::String, &[]);
    let y = outer.output("y", Scalar::Real, &[]);
    let (tx, tname) = (outer.local_term(x), outer.local_term(name));
    let call = outer.call(inner, &[tname, tx]);
    outer.push(Stmt::assign(y, call));
    let mut looking = outer.clone();
    let outer = pool.add_function(outer);
    looking.name = "looking".to_owned();
    let water = looking.text("water");
    let same = looking.op(Op::Equal, &[tname, water]);
    looking.push(Stmt::assign(y, same));
    let looking = pool.add_function(looking);

    let functions = Functions::new(&pool, [outer, looking], Backend::Jit).unwrap();
    let left: Vec<_> = functions.left_to_the_evaluator().collect();
    assert_eq!(left, [(looking, "looking: a string is looked at")]);
    let (mut out, mut memory) = ([0.0], functions.memory());
    assert_eq!(functions.call(outer, &[9.0, 0.0], &mut out, &mut memory), Called::Done);
    assert_eq!(out, [3.0]);
    assert_eq!(functions.call(outer, &[-9.0, 0.0], &mut out, &mut memory), Called::Failed);
}

/// A subscript that is wrong for these sizes fails where it is reached, and only there.
#[test]
fn a_branch_for_other_sizes() {
    let mut pool = Pool::new();
    let mut f = Function::named("third");
    let a = f.input("a", Scalar::Real, &[Dim::Known(2)]);
    let x = f.input("x", Scalar::Real, &[]);
    let y = f.output("y", Scalar::Real, &[]);
    let (ta, tx, zero, one, three) =
        (f.local_term(a), f.local_term(x), f.number(0.0), f.number(1.0), f.number(3.0));
    let large = f.op(Op::Less, &[zero, tx]);
    let (third, first) = (f.index(ta, &[three]), f.index(ta, &[one]));
    f.push(Stmt::If(vec![(large, vec![Stmt::assign(y, third)])], vec![Stmt::assign(y, first)]));
    let id = pool.add_function(f);
    let functions = Functions::new(&pool, [id], Backend::Jit).unwrap();
    compare(&pool, &functions, id, &[7.0, 8.0, -1.0]);
    compare(&pool, &functions, id, &[7.0, 8.0, 1.0]);
    let (mut out, mut memory) = ([0.0], functions.memory());
    assert_eq!(functions.call(id, &[7.0, 8.0, -1.0], &mut out, &mut memory), Called::Done);
    assert_eq!(out, [7.0]);
}

/// What does not fit is left to the evaluator, with the reason; what it calls is not spoilt.
#[test]
fn what_does_not_fit() {
    let mut pool = Pool::new();
    let mut foreign = Function::named("foreign");
    foreign.output("y", Scalar::Real, &[]);
    foreign.body = Body::External(Box::new(ExternalBody {
        language: "C".to_owned(),
        name: "foreign".to_owned(),
        result: None,
        args: Vec::new(),
        annotations: Vec::new(),
        view: Default::default(),
    }));
    let foreign = pool.add_function(foreign);
    let mut good = Function::named("good");
    let x = good.input("x", Scalar::Real, &[]);
    let y = good.output("y", Scalar::Real, &[]);
    let term = good.local_term(x);
    let sine = good.op(Op::Sin, &[term]);
    good.push(Stmt::assign(y, sine));
    let good = pool.add_function(good);
    let mut both = Function::named("both");
    let x = both.input("x", Scalar::Real, &[]);
    let y = both.output("y", Scalar::Real, &[]);
    let term = both.local_term(x);
    let (first, second) = (both.call(good, &[term]), both.call(foreign, &[]));
    let sum = both.op(Op::Add, &[first, second]);
    both.push(Stmt::assign(y, sum));
    let both = pool.add_function(both);

    let functions = Functions::new(&pool, [both, good], Backend::Jit).unwrap();
    let left: Vec<_> = functions.left_to_the_evaluator().collect();
    assert_eq!(left, [(both, "foreign is foreign code")]);
    let (mut out, mut memory) = ([0.0], functions.memory());
    assert_eq!(functions.call(both, &[0.5], &mut out, &mut memory), Called::NotCompiled);
    assert_eq!(functions.call(good, &[0.5], &mut out, &mut memory), Called::Done);
    assert_eq!(out, [0.5_f64.sin()]);
    let none = Functions::new(&pool, [good], Backend::Interpreter).unwrap();
    assert_eq!(none.call(good, &[0.5], &mut out, &mut none.memory()), Called::NotCompiled);
}
