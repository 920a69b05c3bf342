//! Functions as text, and what the checker finds.

mod function_common;

use function_common::*;
use kausal_symbolic::function::print::{print_function, quote_name};
use kausal_symbolic::function::*;
use kausal_symbolic::{Op, Pool};

fn show(pool: &Pool, f: FunctionId) -> String {
    print_function(pool, f, &|id| quote_name(&pool.function(id).name))
}

#[test]
fn everything_at_once() {
    let mut pool = Pool::new();
    let helper = pool.add_function(Function::named("Some.helper"));
    let mut b = B::new("Some.helper");
    let x = b.real_in("x");
    let (y, z) = (b.real_out("y"), b.real_out("z"));
    let s = vec![b.set(y, x), b.set(z, x)];
    b.body(s);
    pool.set_function(helper, b.f);
    let mut b = B::new("all");
    let v = b.f.input("v", R, &[Dim::Unknown]);
    let r = b.real_in("r.x");
    let flag = b.f.input("flag", Scalar::Boolean, &[]);
    b.initial(flag, e(1.0));
    let n = b.computed(size(v, 1.0));
    let y = b.f.output("y", R, &[n]);
    let text = b.f.output("text", Scalar::String, &[]);
    let m = b.f.protected("m", R, &[n, Dim::Known(2)]);
    let (i, j) = (b.int("i"), b.int("j"));
    let (c, d) = (b.real("c"), b.real("d"));
    let s = vec![b.set(y, (e(v) + e(v)) * r - e(v) / (e(r) - 1.0))];
    b.body(s);
    let s = vec![b.set(y, e(v) * e(v) + 1.0), b.set(y, op(Op::Pow, [e(v), e(2.0)]))];
    b.body(s);
    let s =
        b.set_slice(m, vec![None, Some(e(1.0))], arr(ArrayFn::Product, [e(m), vector([e(1.0), e(-2.0)])]));
    b.body(vec![s]);
    let inner = vec![b.set_at(y, [e(i)], -op(Op::Sin, [e(r)])), Stmt::Break];
    let condition = op(Op::And, [e(flag), op(Op::Or, [less(i, 2.0), op(Op::Not, [e(flag)])])]);
    let inner = b.if_(condition, inner, vec![Stmt::Return]);
    let range = arr(ArrayFn::Range, [size(v, 1.0), e(-1.0), e(1.0)]);
    let s = b.for_(i, range, vec![inner]);
    b.body(vec![s]);
    let choice = op(Op::If, [equal(flag, 1.0), e(1.0), e(r)]);
    let sum = E::For(Reduction::Sum, Box::new(at(v, [e(j)])), vec![(j, function_common::range(1.0, 3.0))]);
    let s = vec![b.set(c, choice * sum), b.set_call(&[None, Some(d)], call(helper, [e(c)]))];
    let s = b.while_(op(Op::LessEqual, [e(c), e(1e-9)]), s);
    b.body(vec![s]);
    let written = arr(ArrayFn::ToString, [e(r), e(4.0)]);
    let s = b.set(text, arr(ArrayFn::Concat, [e("a \"b\" "), written]));
    b.body(vec![s]);
    let s = b.assert_(less(0.0, r), e(text), 1.0);
    b.body(vec![s]);
    b.f.notes.inline = Some(false);
    b.f.notes.smooth_order = Some(2);
    b.f.notes.derivatives = vec![DerivativeNote { function: helper, order: 2, zero: vec![v], none: vec![r] }];
    let f = b.done(&mut pool);
    let expected = r#"function all
  input Real v[:];
  input Real 'r.x';
  input Boolean flag = true;
  output Real y[size(v, 1)];
  output String text;
protected
  Real m[size(v, 1), 2];
  Real c;
  Real d;
algorithm
  y := (v + v)*'r.x' - v/('r.x' - 1);
  y := v.*v .+ 1;
  y := v .^ 2;
  m[:, 1] := m*{1, -2};
  for i in size(v, 1):-1:1 loop
    if flag and (i < 2 or not flag) then
      y[i] := -sin('r.x');
      break;
    else
      return;
    end if;
  end for;
  while c <= 1e-9 loop
    c := (if flag == true then 1 else 'r.x')*sum(v[j] for j in 1:3);
    (, d) := 'Some.helper'(c);
  end while;
  text := "a \"b\" " + String('r.x', significantDigits=4);
  assert(0 < 'r.x', text, AssertionLevel.warning);
  annotation(Inline=false, smoothOrder=2, derivative(order=2, zeroDerivative=v, noDerivative='r.x')='Some.helper');
end all;
"#;
    assert_eq!(show(&pool, f), expected);
}

#[test]
fn derivatives_can_be_read() {
    let mut pool = Pool::new();
    let mut b = B::new("f");
    let (x, n) = (b.real_in("x"), b.f.input("n", INT, &[]));
    let y = b.real_out("y");
    let i = b.int("i");
    let start = b.set(y, 1.0);
    let step = b.set(y, e(y) * op(Op::Sin, [e(x)]));
    let s = b.for_(i, range(1.0, n), vec![step]);
    b.body(vec![start, s]);
    let f = b.done(&mut pool);
    let d = calls::Calls::new().derivative_function(&mut pool, f).unwrap();
    let expected = "function f_der
  input Real x;
  input Integer n;
  input Real der_x;
  output Real der_y;
protected
  Real y;
algorithm
  der_y := 0;
  y := 1;
  for i in 1:n loop
    der_y := der_y*sin(x) + y*(cos(x)*der_x);
    y := y*sin(x);
  end for;
end f_der;
";
    assert_eq!(show(&pool, d), expected);
}

#[test]
fn foreign_functions() {
    let mut pool = Pool::new();
    let mut b = B::new("Pkg.f");
    let x = b.real_in("x");
    let y = b.real_out("y");
    let args = vec![b.t(e(x) * 2.0), b.t(3.0)];
    b.f.body = Body::External(Box::new(ExternalBody {
        language: "C".into(),
        name: "c_f".into(),
        result: Some(y),
        args,
        annotations: vec![("Library".into(), "m".into())],
        view: Default::default(),
    }));
    let f = b.done(&mut pool);
    let expected = "function 'Pkg.f'
  input Real x;
  output Real y;
external \"C\" y = c_f(x*2, 3);
  annotation(Library=\"m\");
end 'Pkg.f';
";
    assert_eq!(show(&pool, f), expected);
}

#[test]
fn the_checker_finds_mistakes() {
    let mut pool = Pool::new();
    let mut problems = |build: &dyn Fn(&mut B, LocalId, LocalId)| {
        let mut b = B::new("f");
        let x = b.f.input("x", R, &[Dim::Known(2)]);
        let y = b.real_out("y");
        build(&mut b, x, y);
        let id = pool.add_function(b.f);
        let problems = check::check_function(&pool, id);
        assert_eq!(problems.len(), 1, "{problems:?}");
        problems[0].clone()
    };
    let find = |problem: String, expected: &str| assert_eq!(problem, format!("f: {expected}"));
    find(
        problems(&|b, x, y| {
            let s = b.set(y, x);
            b.body(vec![s])
        }),
        "y with 0 dimensions gets a value with Some(1)",
    );
    find(
        problems(&|b, _, y| {
            let s = b.set(y, "a");
            b.body(vec![s])
        }),
        "y gets a value of another kind",
    );
    find(
        problems(&|b, x, _| {
            let s = b.while_(e(x), vec![]);
            b.body(vec![s])
        }),
        "a condition is not a scalar",
    );
    find(
        problems(&|b, x, _| {
            b.t(at(x, [e(1.0), e(1.0)]));
        }),
        "too many subscripts (term 3)",
    );
    find(
        problems(&|b, _, y| {
            b.t(op(Op::Div, [e(y)]));
        }),
        "Div with 1 arguments (term 1)",
    );
    find(
        problems(&|b, _, y| {
            b.t(arr(ArrayFn::Cross, [e(y)]));
        }),
        "Cross with 1 arguments (term 1)",
    );
    find(problems(&|b, _, _| b.body(vec![Stmt::Break])), "break outside a loop");
    find(problems(&|b, x, _| b.f.outputs.push(x)), "x is declared twice");
    find(
        problems(&|b, _, y| {
            let s = b.for_(y, e(1.0), vec![]);
            b.body(vec![s])
        }),
        "the range of a loop is not a vector",
    );
    find(
        problems(&|b, _, y| {
            let s = b.set_at(y, [e(1.0)], 1.0);
            b.body(vec![s])
        }),
        "too many subscripts for y",
    );
    find(
        problems(&|b, _, y| {
            let c = b.t(y);
            b.body(vec![Stmt::Call(c)])
        }),
        "a statement that is not a call",
    );
    find(
        problems(&|b, _, y| {
            b.f.notes.inverses = vec![InverseNote { input: y, function: FunctionId(0), args: vec![] }]
        }),
        "an inverse annotation names what is no input or output",
    );
    find(
        problems(&|b, x, _| {
            b.f.notes.derivatives =
                vec![DerivativeNote { function: FunctionId(99), order: 1, zero: vec![x], none: vec![] }];
        }),
        "a derivative that does not exist",
    );
    find(
        problems(&|b, _, _| {
            b.t(E::C(FunctionId(0), vec![], 0));
        }),
        "f with 0 arguments",
    );
}
