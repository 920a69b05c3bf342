//! Functions turned into expressions. The oracle is the same function run on numbers.

mod function_common;

use function_common::*;
use kausal_symbolic::evaluate::{Values, evaluate_all};
use kausal_symbolic::function::calls::{Applied, Calls};
use kausal_symbolic::function::inline::{BUDGET, Stage, inline, inline_call, should_inline};
use kausal_symbolic::function::*;
use kausal_symbolic::{ExprId, Node, Op, Pool, VarId};
use proptest::prelude::*;

/// Values of variables, and calls run by the evaluator.
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

/// Variables in the place of numbers.
fn variables(pool: &mut Pool, args: &[Value<f64>]) -> (Vec<Value<ExprId>>, Vec<f64>) {
    let mut values = Vec::new();
    let vars = args
        .iter()
        .map(|arg| {
            arg.map(|x| {
                values.push(x);
                pool.var(VarId(values.len() as u32 - 1))
            })
        })
        .collect();
    (vars, values)
}

fn inlined(pool: &mut Pool, f: FunctionId, args: &[Value<ExprId>]) -> Result<Applied, EvalError> {
    inline(pool, &mut Calls::new(), f, args, Stage::Late, BUDGET)
}

/// The function gives the same on numbers and as expressions.
fn agree(pool: &mut Pool, f: FunctionId, args: &[Value<f64>]) {
    let expected = run(pool, f, args).unwrap();
    let (vars, values) = variables(pool, args);
    let applied = inlined(pool, f, &vars).unwrap();
    assert_eq!(applied.outputs.len(), expected.len());
    for (output, expected) in applied.outputs.iter().zip(&expected) {
        assert_eq!(output.shape(), expected.shape());
        let found = evaluate_all(pool, output.scalars(), &mut World(&values));
        for (found, expected) in found.iter().zip(expected.scalars()) {
            let close = (found - expected).abs() <= 1e-9 * (1.0 + expected.abs());
            assert!(close || found.is_nan() && expected.is_nan(), "{found} {expected}");
        }
    }
}

#[test]
fn loops_with_known_ranges() {
    let mut pool = Pool::new();
    let mut b = B::new("polynomial");
    let c = b.f.input("c", R, &[Dim::Unknown]);
    let x = b.real_in("x");
    let y = b.real_out("y");
    let i = b.int("i");
    let start = b.set(y, at(c, [size(c, 1.0)]));
    let step = b.set(y, e(y) * x + at(c, [e(i)]));
    let count = arr(ArrayFn::Range, [size(c, 1.0) - 1.0, e(-1.0), e(1.0)]);
    let all = b.for_(i, count, vec![step]);
    b.body(vec![start, all]);
    let f = b.done(&mut pool);
    agree(&mut pool, f, &[vec_of(&[1.0, -2.0, 0.5, 3.0]), num(1.7)]);
    agree(&mut pool, f, &[vec_of(&[4.0]), num(1.7)]);
}

/// A rotation about an axis, applied to a vector: `e*e*v + (v - e*e*v)*cos - cross(e, v)*sin`.
fn rotate(pool: &mut Pool) -> FunctionId {
    let mut b = B::new("rotate");
    let axis = b.f.input("e", R, &[Dim::Known(3)]);
    let angle = b.real_in("angle");
    let v = b.f.input("v", R, &[Dim::Known(3)]);
    let t = b.f.protected("T", R, &[Dim::Known(3), Dim::Known(3)]);
    let y = b.f.output("y", R, &[Dim::Known(3)]);
    let outer = arr(ArrayFn::OuterProduct, [e(axis), e(axis)]);
    let identity = arr(ArrayFn::Identity, [e(3.0)]);
    let (sine, cosine) = (op(Op::Sin, [e(angle)]), op(Op::Cos, [e(angle)]));
    let s1 = b.set(t, outer.clone() + (identity - outer) * cosine - arr(ArrayFn::Skew, [e(axis)]) * sine);
    let s2 = b.set(y, arr(ArrayFn::Product, [e(t), e(v)]));
    b.body(vec![s1, s2]);
    b.done(pool)
}

#[test]
fn rotations_reach_scalars() {
    let mut pool = Pool::new();
    let f = rotate(&mut pool);
    agree(&mut pool, f, &[vec_of(&[0.6, 0.0, 0.8]), num(0.3), vec_of(&[1.0, 2.0, 3.0])]);
    // About a fixed axis only the other components turn, and nothing of the matrix is left.
    let [angle, x, y, z] = [0, 1, 2, 3].map(|k| pool.var(VarId(k)));
    let (zero, one) = (pool.zero(), pool.one());
    let axis = Value::vector(vec![zero, zero, one]);
    let args = [axis, Value::Scalar(angle), Value::vector(vec![x, y, z])];
    let result = inlined(&mut pool, f, &args).unwrap();
    assert_eq!(result.outputs[0].scalars()[2], z);
    let (sine, cosine) = (pool.apply(Op::Sin, angle), pool.apply(Op::Cos, angle));
    let (a, b) = (pool.mul(cosine, x), pool.mul(sine, y));
    assert_eq!(result.outputs[0].scalars()[0], pool.add(a, b));
}

#[test]
fn conditions_become_if() {
    let mut pool = Pool::new();
    let mut b = B::new("piecewise");
    let x = b.real_in("x");
    let y = b.real_out("y");
    let z = b.f.output("z", R, &[Dim::Known(2)]);
    let low = vec![b.set(y, -e(x)), b.set_at(z, [e(1.0)], 5.0)];
    let middle = vec![b.set(y, e(x) * x)];
    let high = vec![b.set(y, 1.0), b.set_at(z, [e(2.0)], x)];
    let conditions = vec![(b.t(less(x, 0.0)), low), (b.t(less(x, 1.0)), middle)];
    b.body(vec![Stmt::If(conditions, high)]);
    let f = b.done(&mut pool);
    for x in [-2.0, 0.0, 0.5, 1.0, 3.0] {
        agree(&mut pool, f, &[num(x)]);
    }
    // Nothing in a function causes events.
    let x = pool.var(VarId(0));
    let result = inlined(&mut pool, f, &[Value::Scalar(x)]).unwrap();
    assert!(result.outputs.iter().flat_map(Value::scalars).all(|&expr| !pool.has_events(expr)));
    // Unless it shall.
    let mut with_events = pool.function(f).clone();
    with_events.notes.generate_events = true;
    let f = pool.add_function(with_events);
    let result = inlined(&mut pool, f, &[Value::Scalar(x)]).unwrap();
    assert!(pool.has_events(result.outputs[0].scalars()[0]));
}

/// The position of the first element above a limit, and the sum up to it; by `break` and by `return`.
fn first_above(pool: &mut Pool, by_return: bool) -> FunctionId {
    let mut b = B::new("firstAbove");
    let x = b.f.input("x", R, &[Dim::Unknown]);
    let limit = b.real_in("limit");
    let sum = b.real_out("sum");
    let index = b.real_out("index");
    let i = b.int("i");
    let leave = if by_return { Stmt::Return } else { Stmt::Break };
    let found = vec![b.set(index, i), leave];
    let look = b.if_(less(limit, at(x, [e(i)])), found, vec![]);
    let more = b.set(sum, e(sum) + at(x, [e(i)]));
    let all = b.for_(i, range(1.0, size(x, 1.0)), vec![look, more]);
    let negative = vec![b.set(index, -1.0), Stmt::Return];
    let early = b.if_(less(limit, -5.0), negative, vec![]);
    let after = b.set(sum, e(sum) * 2.0);
    b.body(vec![early, all, after]);
    b.done(pool)
}

#[test]
fn leaving_under_conditions() {
    let mut pool = Pool::new();
    for by_return in [false, true] {
        let f = first_above(&mut pool, by_return);
        for limit in [-9.0, -1.0, 0.5, 2.5, 10.0] {
            agree(&mut pool, f, &[vec_of(&[1.0, 2.0, 3.0, 4.0]), num(limit)]);
            agree(&mut pool, f, &[vec_of(&[]), num(limit)]);
        }
    }
}

#[test]
fn both_ways_may_leave() {
    let mut pool = Pool::new();
    let mut b = B::new("sign");
    let x = b.real_in("x");
    let y = b.real_out("y");
    let positive = vec![b.set(y, 1.0), Stmt::Return];
    let negative = vec![b.set(y, -1.0), Stmt::Return];
    let s = b.if_(less(0.0, x), positive, negative);
    let never = b.set(y, 99.0);
    b.body(vec![s, never]);
    let f = b.done(&mut pool);
    agree(&mut pool, f, &[num(2.0)]);
    agree(&mut pool, f, &[num(-2.0)]);
    let x = pool.var(VarId(0));
    let result = inlined(&mut pool, f, &[Value::Scalar(x)]).unwrap();
    assert!(matches!(pool.node(result.outputs[0].scalars()[0]), Node::Op(Op::If, _)));
}

#[test]
fn subscripts_that_are_expressions() {
    let mut pool = Pool::new();
    let mut b = B::new("move");
    let x = b.f.input("x", R, &[Dim::Known(3), Dim::Known(2)]);
    let k = b.f.input("k", INT, &[]);
    let l = b.f.input("l", INT, &[]);
    let y = b.f.output("y", R, &[Dim::Known(3), Dim::Known(2)]);
    let z = b.real_out("z");
    let s1 = b.set(y, x);
    let s2 = b.set_at(y, [e(k), e(l)], 100.0);
    let s3 = b.set_slice(y, vec![Some(e(k)), None], E::I(Box::new(e(x)), vec![Some(e(4.0) - e(k)), None]));
    let s4 = b.set(z, at(y, [e(k), e(l)]) + at(x, [e(2.0), e(l)]));
    b.body(vec![s1, s2, s3, s4]);
    let f = b.done(&mut pool);
    let x = mat(&[&[1.0, 2.0], &[3.0, 4.0], &[5.0, 6.0]]);
    for (k, l) in [(1.0, 1.0), (2.0, 2.0), (3.0, 1.0)] {
        agree(&mut pool, f, &[x.clone(), num(k), num(l)]);
    }
}

fn twice(pool: &mut Pool) -> FunctionId {
    let mut b = B::new("twice");
    let x = b.f.input("x", R, &[Dim::Unknown]);
    let n = b.computed(size(x, 1.0));
    let y = b.f.output("y", R, &[n]);
    let args = vec![b.t(x), b.t(y)];
    b.f.body = Body::External(Box::new(ExternalBody {
        language: "C".into(),
        name: "twice".into(),
        result: None,
        args,
        annotations: vec![],
        view: Default::default(),
    }));
    b.done(pool)
}

#[test]
fn what_cannot_be_inlined_stays_a_call() {
    let mut pool = Pool::new();
    let twice = twice(&mut pool);
    let mut b = B::new("sumOfTwice");
    let x = b.f.input("x", R, &[Dim::Known(2)]);
    let y = b.real_out("y");
    let s = b.set(y, arr(ArrayFn::Sum, [call(twice, [e(x)])]) + 1.0);
    b.body(vec![s]);
    let f = b.done(&mut pool);
    let [p, q] = [0, 1].map(|k| pool.var(VarId(k)));
    let mut calls = Calls::new();
    let args = [Value::vector(vec![p, q])];
    let result = calls.apply(&mut pool, f, &args, Stage::Early).unwrap();
    let sum = result.outputs[0].scalars()[0];
    assert!(pool.has_calls(sum));
    // The foreign function got known sizes, once.
    let closed: Vec<&str> =
        pool.functions().map(|(_, f)| f.name.as_str()).filter(|name| name.starts_with("twice_")).collect();
    assert_eq!(closed, ["twice_2_2"]);
    let functions = pool.functions().count();
    assert_eq!(calls.apply(&mut pool, f, &args, Stage::Early).unwrap(), result);
    assert_eq!(pool.functions().count(), functions);
    // Without a way to keep calls this is an error.
    let mut evaluator = Evaluator::new(Symbolic::new(&mut pool));
    let error = evaluator.call(f, &args).unwrap_err();
    assert_eq!(*error.kind(), EvalErrorKind::NoExternal("twice".into()));
}

#[test]
fn loops_of_unknown_length_stay_calls() {
    let mut pool = Pool::new();
    // Newton's method: the number of rounds depends on x.
    let mut b = B::new("root");
    let x = b.real_in("x");
    let y = b.real_out("y");
    let step = vec![b.set(y, (e(y) + e(x) / y) / 2.0)];
    let start = b.set(y, x);
    let error = op(Op::Abs, [e(y) * y - x]);
    let s = b.while_(less(1e-12, error), step);
    b.body(vec![start, s]);
    let root = b.done(&mut pool);
    let mut b = B::new("distance");
    let (x, y) = (b.real_in("x"), b.real_in("y"));
    let d = b.real_out("d");
    let s = b.set(d, call(root, [e(x) * x + e(y) * y]));
    b.body(vec![s]);
    b.f.notes.inline = Some(true);
    let distance = b.done(&mut pool);
    let unknown = pool.var(VarId(0));
    assert_eq!(inline_call(&mut pool, root, &[unknown], BUDGET), None, "the length of the loop depends on x");
    assert_eq!(should_inline(&pool, distance, Stage::Early), Some(BUDGET));
    agree(&mut pool, distance, &[num(3.0), num(4.0)]);
    let [x, y] = [0, 1].map(|k| pool.var(VarId(k)));
    let args = [Value::Scalar(x), Value::Scalar(y)];
    let result = Calls::new().apply(&mut pool, distance, &args, Stage::Early).unwrap();
    let call = result.outputs[0].scalars()[0];
    let Node::Output(call, 0) = pool.node(call) else { panic!("not a call") };
    let Node::Call(called, _) = pool.node(call) else { panic!("not a call") };
    assert_eq!(called, root);
    // With numbers there is nothing left of it.
    let [three, four] = [3.0, 4.0].map(|x| Value::Scalar(pool.constant(x)));
    let result = Calls::new().apply(&mut pool, distance, &[three, four], Stage::Early).unwrap();
    assert!((pool.as_constant(result.outputs[0].scalars()[0]).unwrap() - 5.0).abs() < 1e-9);
}

/// What decided a branch is known inside it: the loop of a search in two points ends after one round.
#[test]
fn branches_decide_loops_inside_them() {
    let mut pool = Pool::new();
    let mut b = B::new("search");
    let (x, limit) = (b.real_in("x"), b.real_in("limit"));
    let (i, y) = (b.int("i"), b.real_out("y"));
    let one = b.set(i, 1.0);
    let next = b.set(i, e(i) + 1.0);
    let search = b.while_(op(Op::And, [less(e(i), 2.0), less(e(limit), e(x))]), vec![next]);
    let back = b.set(i, e(i) - 1.0);
    let branch = b.if_(less(e(limit), e(x)), vec![search, back], vec![]);
    let result = b.set(y, e(x) * e(i));
    b.body(vec![one, branch, result]);
    let f = b.done(&mut pool);
    let [x, limit] = [0, 1].map(|k| pool.var(VarId(k)));
    assert_eq!(inline_call(&mut pool, f, &[x, limit], BUDGET), Some(vec![x]));
}

#[test]
fn the_policy() {
    let mut pool = Pool::new();
    let mut b = B::new("f");
    let x = b.real_in("x");
    let y = b.real_out("y");
    let s = b.set(y, e(x) * 2.0);
    b.body(vec![s]);
    let plain = b.f;
    let mut id = |change: &dyn Fn(&mut Function)| {
        let mut f = plain.clone();
        change(&mut f);
        pool.add_function(f)
    };
    let note = DerivativeNote { function: FunctionId(0), order: 1, zero: vec![], none: vec![] };
    let small = id(&|_| {});
    let late = id(&|f| f.notes.late_inline = Some(true));
    let both = id(&|f| (f.notes.inline, f.notes.late_inline) = (Some(true), Some(true)));
    let never = id(&|f| f.notes.inline = Some(false));
    let after = id(&|f| f.notes.inline_after_index_reduction = true);
    let derived = id(&|f| f.notes.derivatives = vec![note.clone()]);
    let impure = id(&|f| (f.notes.impure, f.notes.inline) = (true, Some(true)));
    let large = id(&|f| {
        for _ in 0..30 {
            f.push(Stmt::assign(y, TermId(0)));
        }
    });
    let recursive = id(&|f| {
        f.call(FunctionId(8), &[TermId(0)]);
    });
    assert_eq!(recursive, FunctionId(8));
    let stages =
        |f| [Stage::Early, Stage::Reduced, Stage::Late].map(|s| should_inline(&pool, f, s).is_some());
    assert_eq!(stages(small), [true, true, true]);
    assert_eq!(stages(late), [false, false, true]);
    assert_eq!(stages(both), [false, false, true]);
    assert_eq!(stages(never), [false, false, false]);
    assert_eq!(stages(after), [false, true, true]);
    assert_eq!(stages(derived), [false, false, true]);
    assert_eq!(stages(impure), [false, false, false]);
    assert_eq!(stages(large), [false, false, false]);
    assert_eq!(stages(recursive), [false, false, false]);
}

#[test]
fn the_budget_is_kept() {
    let mut pool = Pool::new();
    let mut b = B::new("power");
    let x = b.real_in("x");
    let y = b.real_out("y");
    let i = b.int("i");
    let start = b.set(y, x);
    let step = b.set(y, op(Op::Sin, [e(y)]) + x);
    let s = b.for_(i, range(1.0, 1000.0), vec![step]);
    b.body(vec![start, s]);
    let f = b.done(&mut pool);
    let x = pool.var(VarId(0));
    let before = pool.len();
    assert_eq!(inline_call(&mut pool, f, &[x], 100), None);
    assert!(pool.len() < before + 110);
    assert!(inline_call(&mut pool, f, &[x], 5000).is_some());
}

#[test]
fn assertions_are_kept() {
    let mut pool = Pool::new();
    let mut b = B::new("checked");
    let (x, y) = (b.real_in("x"), b.real_in("y"));
    let z = b.real_out("z");
    let text = arr(ArrayFn::Concat, [e("x = "), arr(ArrayFn::ToString, [e(x)])]);
    let check = vec![b.assert_(less(x, 10.0), text, 2.0), b.set(z, x)];
    let s1 = b.if_(less(0.0, y), check, vec![]);
    let s2 = b.assert_(less(0.0, 1.0), e("never"), 2.0);
    b.body(vec![s1, s2]);
    let f = b.done(&mut pool);
    let [x, y] = [0, 1].map(|k| pool.var(VarId(k)));
    let result = inlined(&mut pool, f, &[Value::Scalar(x), Value::Scalar(y)]).unwrap();
    let [assertion] = &result.assertions[..] else { panic!("{:?}", result.assertions) };
    let holds = |x: f64, y: f64| evaluate_all(&pool, &[assertion.condition], &mut World(&[x, y]))[0];
    assert_eq!([holds(20.0, 1.0), holds(5.0, 1.0), holds(20.0, -1.0)], [0.0, 1.0, 1.0]);
    // The message is a string that is made when it is needed.
    let Text::Expr(message) = assertion.message else { panic!("{:?}", assertion.message) };
    assert!(matches!(pool.node(message), Node::Output(..)));
    // Someone who has no place for assertions gets nothing.
    assert_eq!(inline_call(&mut pool, f, &[x, y], BUDGET), None);
    // A condition that is known is decided.
    let ten = pool.constant(20.0);
    let one = pool.one();
    let error = inlined(&mut pool, f, &[Value::Scalar(ten), Value::Scalar(one)]).unwrap_err();
    assert_eq!(*error.kind(), EvalErrorKind::Assertion("x = 20".into()));
}

#[test]
fn sizes_of_outputs() {
    use kausal_symbolic::function::sizes::{Maybe, output_shapes};
    let mut pool = Pool::new();
    let unknown = |n: usize| Value::vector(vec![Maybe::UNKNOWN; n]);
    // y = x[1:k] with k an argument; z has as many elements as a loop that leaves early finds in a known list
    let mut b = B::new("head");
    let x = b.f.input("x", R, &[Dim::Unknown]);
    let k = b.f.input("k", INT, &[]);
    let y = b.f.output("y", R, &[Dim::Unknown]);
    let sum = b.f.output("sum", R, &[Dim::Known(1), Dim::Unknown]);
    let total = b.real("total");
    let s1 = b.set(y, at(x, [range(1.0, k)]));
    let more = vec![b.set(total, e(total) * 2.0)];
    let s2 = b.while_(less(total, 100.0), more);
    let small = vec![b.set(total, 3.0)];
    let s3 = b.if_(less(at(x, [e(1.0)]), 0.0), small, vec![]);
    let start = b.set(total, arr(ArrayFn::Sum, [e(x)]));
    let s4 = b.set(sum, arr(ArrayFn::Fill, [e(total), e(1.0), size(y, 1.0) + 1.0]));
    b.body(vec![start, s1, s2, s3, s4]);
    let f = b.done(&mut pool);
    let shapes = output_shapes(&pool, f, &[unknown(5), Value::Scalar(Maybe::known(2.0))]).unwrap();
    assert_eq!(shapes.iter().map(|shape| shape.to_vec()).collect::<Vec<_>>(), [vec![2], vec![1, 3]]);
    let error = output_shapes(&pool, f, &[unknown(5), Value::Scalar(Maybe::UNKNOWN)]).unwrap_err();
    assert!(error.to_string().contains("the length of a range is not known"), "{error}");
    // A size that depends on a condition is not known.
    let mut b = B::new("either");
    let x = b.real_in("x");
    let y = b.f.output("y", R, &[Dim::Unknown]);
    let (one, two) = (vec![b.set(y, vector([e(x)]))], vec![b.set(y, vector([e(x), e(x)]))]);
    let s = b.if_(less(x, 0.0), one, two);
    b.body(vec![s]);
    let f = b.done(&mut pool);
    let error = output_shapes(&pool, f, &[Value::Scalar(Maybe::UNKNOWN)]).unwrap_err();
    assert_eq!(*error.kind(), EvalErrorKind::NotInlinable("a size depends on a condition"));
    assert!(output_shapes(&pool, f, &[Value::Scalar(Maybe::known(1.0))]).is_ok());
}

#[test]
fn sizes_through_foreign_functions() {
    use kausal_symbolic::function::sizes::{Maybe, output_shapes};
    let mut pool = Pool::new();
    let twice = twice(&mut pool);
    let mut b = B::new("longer");
    let x = b.f.input("x", R, &[Dim::Unknown]);
    let y = b.f.output("y", R, &[Dim::Unknown]);
    let t = b.f.protected("t", R, &[Dim::Unknown]);
    let s1 = b.set(t, call(twice, [e(x)]));
    let s2 = b.set(y, arr(ArrayFn::Cat, [e(1.0), e(t), e(x)]));
    b.body(vec![s1, s2]);
    let f = b.done(&mut pool);
    let shapes = output_shapes(&pool, f, &[Value::vector(vec![Maybe::UNKNOWN; 2])]).unwrap();
    assert_eq!(shapes[0].to_vec(), [4]);
    let mut calls = Calls::new();
    let x = pool.var(VarId(0));
    assert!(calls.keep(&mut pool, f, &[]).is_err());
    assert!(calls.keep(&mut pool, f, &[Value::Scalar(x)]).is_err());
    let kept = calls.keep(&mut pool, f, &[Value::vector(vec![x])]).unwrap();
    assert_eq!(kept[0].shape(), &[2]);
}

#[test]
fn kept_calls_get_default_arguments() {
    let mut pool = Pool::new();
    let mut b = B::new("scaled");
    let (x, gain) = (b.real_in("x"), b.real_in("gain"));
    b.initial(gain, e(x) + 1.0);
    let y = b.real_out("y");
    let s = b.set(y, e(gain) * x);
    b.body(vec![s]);
    let f = b.done(&mut pool);
    let x = pool.var(VarId(0));
    let kept = Calls::new().keep(&mut pool, f, &[Value::Scalar(x)]).unwrap();
    assert_eq!(evaluate_all(&pool, kept[0].scalars(), &mut World(&[3.0])), [12.0]);
}

#[test]
fn equations_as_terms() {
    // What a model evaluates: terms over variables outside, with events.
    let mut pool = Pool::new();
    let mut f = Function::named("equation");
    let [a, b] = [0, 1].map(|k| f.add(Term::Outer(VarId(k))));
    let both = f.array(ArrayFn::Construct, &[a, b]);
    let squares = f.op(Op::Mul, &[both, both]);
    let condition = f.op(Op::Less, &[a, b]);
    let zeros = f.op(Op::Neg, &[both]);
    let value = f.op(Op::If, &[condition, squares, zeros]);
    let result = Evaluator::new(Symbolic::new(&mut pool)).term(&f, value, &[]).unwrap();
    assert_eq!(result.shape(), &[2]);
    let first = result.scalars()[0];
    assert!(pool.has_events(first));
    assert_eq!(evaluate_all(&pool, &[first], &mut World(&[3.0, 4.0])), [9.0]);
    assert_eq!(evaluate_all(&pool, &[first], &mut World(&[3.0, 2.0])), [-3.0]);
    let error = Evaluator::new(Numbers::new(&pool)).term(&f, value, &[]).unwrap_err();
    assert_eq!(error.to_string(), "a variable of the model is not known as a number here");
}

#[test]
fn arrays_of_expressions() {
    let mut pool = Pool::new();
    let x = pool.var(VarId(0));
    let mut d = Symbolic::new(&mut pool);
    // A range that begins at a variable has a known length if the variable cancels.
    let three = d.number(3.0);
    let stop = d.op(Op::Add, &[x, three]).unwrap();
    assert_eq!(algebra::range(&mut d, x, None, stop).unwrap().len(), 4);
    let error = algebra::range(&mut d, three, None, x).unwrap_err();
    assert_eq!(error.to_string(), "the length of a range is not known as a number here");
    let m = Array::from_vec(&[1, 1], vec![x]).unwrap();
    let power = m.matrix_power(&mut d, 3.0).unwrap().into_scalar().unwrap();
    assert_eq!(power, pool.powi(x, 3));
}

// ---- random functions -------------------------------------------------------------------------------------------

/// A random scalar expression over the locals of [`random_function`].
#[derive(Clone, Debug)]
enum X {
    Number(i8),
    Scalar(u8),
    Element(u8),
    LoopElement,
    Unary(u8, Box<X>),
    Binary(u8, Box<X>, Box<X>),
    Choice(Box<X>, Box<X>, Box<X>),
    Dot,
}

#[derive(Clone, Debug)]
enum S {
    Set(u8, X),
    SetElement(u8, X),
    SetLoopElement(X),
    SetVector(X),
    If(X, Vec<S>, Vec<S>),
    Loop(Vec<S>),
    Leave(X),
}

fn expression() -> impl Strategy<Value = X> {
    let leaf = prop_oneof![
        any::<i8>().prop_map(X::Number),
        any::<u8>().prop_map(X::Scalar),
        any::<u8>().prop_map(X::Element),
        Just(X::LoopElement),
        Just(X::Dot),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        prop_oneof![
            (any::<u8>(), inner.clone()).prop_map(|(k, a)| X::Unary(k, Box::new(a))),
            (any::<u8>(), inner.clone(), inner.clone()).prop_map(|(k, a, b)| X::Binary(
                k,
                Box::new(a),
                Box::new(b)
            )),
            (inner.clone(), inner.clone(), inner).prop_map(|(c, a, b)| X::Choice(
                Box::new(c),
                Box::new(a),
                Box::new(b)
            )),
        ]
    })
}

fn statements() -> impl Strategy<Value = Vec<S>> {
    let leaf = prop_oneof![
        (any::<u8>(), expression()).prop_map(|(k, x)| S::Set(k, x)),
        (any::<u8>(), expression()).prop_map(|(k, x)| S::SetElement(k, x)),
        expression().prop_map(S::SetLoopElement),
        expression().prop_map(S::SetVector),
        expression().prop_map(S::Leave),
    ];
    let statement = leaf.prop_recursive(3, 16, 4, |inner| {
        let block = proptest::collection::vec(inner, 1..4);
        prop_oneof![
            (expression(), block.clone(), block.clone()).prop_map(|(c, a, b)| S::If(c, a, b)),
            block.prop_map(S::Loop),
        ]
    });
    proptest::collection::vec(statement, 1..6)
}

struct Random {
    b: B,
    scalars: Vec<LocalId>,
    v: LocalId,
    i: LocalId,
}

impl Random {
    fn x(&self, x: &X) -> E {
        match x {
            X::Number(n) => e(f64::from(*n) / 16.0),
            X::Scalar(k) => e(self.scalars[*k as usize % self.scalars.len()]),
            X::Element(k) => at(self.v, [e(f64::from(k % 3 + 1))]),
            X::LoopElement => at(self.v, [e(self.i)]),
            X::Dot => arr(ArrayFn::Product, [e(self.v), e(self.v)]),
            X::Unary(k, a) => {
                let ops = [Op::Sin, Op::Tanh, Op::Neg, Op::Abs, Op::Cos, Op::Atan];
                op(ops[*k as usize % ops.len()], [self.x(a)])
            }
            X::Binary(k, a, b) => {
                let (a, b) = (self.x(a), self.x(b));
                match k % 6 {
                    0 => a + b,
                    1 => a - b,
                    2 => op(Op::Sin, [a]) * b,
                    3 => op(Op::Min, [a, b]),
                    4 => op(Op::Max, [a, b]),
                    _ => a / (op(Op::Abs, [b]) + 1.0),
                }
            }
            // Limits nobody computes: exact expressions and rounded numbers are on the same side of them.
            X::Choice(c, a, b) => op(Op::If, [less(self.x(c), 0.0123), self.x(a), self.x(b)]),
        }
    }

    fn block(&mut self, list: &[S], depth: u32) -> Vec<Stmt> {
        list.iter().map(|s| self.statement(s, depth)).collect()
    }

    fn statement(&mut self, s: &S, depth: u32) -> Stmt {
        match s {
            S::Set(k, x) => {
                let (local, x) = (self.scalars[2 + *k as usize % 2], self.x(x));
                self.b.set(local, op(Op::Tanh, [x]) * 3.0)
            }
            S::SetElement(k, x) => {
                let x = self.x(x);
                self.b.set_at(self.v, [e(f64::from(k % 3 + 1))], op(Op::Sin, [x]))
            }
            S::SetLoopElement(x) => {
                let x = self.x(x);
                self.b.set_at(self.v, [e(self.i)], op(Op::Cos, [x]))
            }
            S::SetVector(x) => {
                let x = self.x(x);
                self.b.set(self.v, op(Op::Tanh, [e(self.v) * x]))
            }
            S::If(c, a, b) => {
                let (a, b) = (self.block(a, depth), self.block(b, depth));
                let c = less(0.1017, self.x(c));
                self.b.if_(c, a, b)
            }
            S::Loop(body) => {
                let body = self.block(body, depth + 1);
                self.b.for_(self.i, range(1.0, 3.0), body)
            }
            S::Leave(c) => {
                let leave = if depth > 0 { Stmt::Break } else { Stmt::Return };
                let c = less(0.5031, self.x(c));
                self.b.if_(c, vec![leave], vec![])
            }
        }
    }
}

/// Two inputs, two outputs, a vector: random statements over them.
fn random_function(pool: &mut Pool, list: &[S]) -> FunctionId {
    let mut b = B::new("random");
    let (p, q) = (b.real_in("p"), b.real_in("q"));
    let (y, z) = (b.real_out("y"), b.real_out("z"));
    let v = b.f.output("v", R, &[Dim::Known(3)]);
    let i = b.int("i");
    b.initial(i, e(1.0));
    b.initial(v, vector([e(p), e(q), e(p) * q]));
    b.initial(y, e(p) + 0.25);
    b.initial(z, e(q) - 0.25);
    let mut random = Random { b, scalars: vec![p, q, y, z], v, i };
    let body = random.block(list, 0);
    random.b.body(body);
    random.b.done(pool)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn random_functions_agree(list in statements(), p in -2.0..2.0f64, q in -2.0..2.0f64) {
        let mut pool = Pool::new();
        let f = random_function(&mut pool, &list);
        let expected = run(&pool, f, &[num(p), num(q)]).unwrap();
        let (vars, values) = variables(&mut pool, &[num(p), num(q)]);
        let applied = inline(&mut pool, &mut Calls::new(), f, &vars, Stage::Late, 200_000);
        // What was neither set nor read on one way may differ; too large expressions are refused.
        if let Ok(applied) = applied {
            for (output, expected) in applied.outputs.iter().zip(&expected) {
                let found = evaluate_all(&pool, output.scalars(), &mut World(&values));
                for (found, expected) in found.iter().zip(expected.scalars()) {
                    prop_assert!((found - expected).abs() <= 1e-7 * (1.0 + expected.abs()), "{found} {expected}");
                }
            }
        }
    }

    /// The derivative of the algorithm against differences. Near a kink the differences to both sides disagree, and
    /// nothing is said.
    #[test]
    fn random_functions_are_differentiated(list in statements(), p in -2.0..2.0f64, q in -2.0..2.0f64) {
        let mut pool = Pool::new();
        let f = random_function(&mut pool, &list);
        let derivative = Calls::new().derivative_function(&mut pool, f).unwrap();
        prop_assert_eq!(check::check_function(&pool, derivative), Vec::<String>::new());
        let at = |h: f64| -> Vec<f64> {
            let outputs = run(&pool, f, &[num(p + 0.6 * h), num(q - 0.8 * h)]).unwrap();
            outputs.iter().flat_map(|output| output.scalars().to_vec()).collect()
        };
        let found = run(&pool, derivative, &[num(p), num(q), num(0.6), num(-0.8)]).unwrap();
        let found: Vec<f64> = found.iter().flat_map(|output| output.scalars().to_vec()).collect();
        let h = 1e-5;
        let (here, right, left, near_right, near_left) = (at(0.0), at(h), at(-h), at(h / 2.0), at(-h / 2.0));
        for k in 0..here.len() {
            let wide = (right[k] - left[k]) / (2.0 * h);
            let narrow = (near_right[k] - near_left[k]) / h;
            let (one, other) = ((right[k] - here[k]) / h, (here[k] - left[k]) / h);
            let scale = 1.0 + wide.abs();
            if (wide - narrow).abs() < 1e-5 * scale && (one - other).abs() < 1e-2 * scale {
                prop_assert!((found[k] - wide).abs() < 1e-4 * scale, "{} instead of {wide}", found[k]);
            }
        }
    }
}
