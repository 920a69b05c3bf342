//! C text does what the definition says, and compiles without a warning.

mod common;

use common::functions::{random, samples};
use common::program::{Builder, set};
use common::{SLOTS, TIME, arrays, cc, cook_into, oracle, recipe, same, values};
use kausal_codegen::c;
use kausal_symbolic::function::layout::Layout;
use kausal_symbolic::function::{Body, Evaluator, ExternalBody, Function, Numbers, Scalar, Stmt};
use kausal_symbolic::{FunctionId, Op, VarId};
use kausal_translate::Program;
use kausal_translate::program::{
    Assert, Call, Form, Guard, Jacobian, Kind, LinearMethod, Nonlinear, Relation, Solve, SolveKind, State,
    Step, System, When, WhenBranch,
};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

/// Reads values and `pre` values, runs sections (the letters of the argument), writes values, message and reinits.
const DRIVER: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#ifdef COUNTED
static int counted(model *m)
{
    const int failed = model_dynamics(m);
    if (m->pivot_fallbacks) m->warning = "pivoting";
    return failed;
}
#endif
int main(void)
{
    static model m;
    model_start(&m);
    FILE *in = fopen("in", "rb"), *out = fopen("/dev/stdout", "wb");
    if (in) {
        if (fread(m.v, sizeof(double), model_variables, in) != model_variables) return 2;
        if (fread(m.pre, sizeof(double), model_variables, in) != model_variables) return 2;
        fclose(in);
    }
    m.time = 0.75;
    m.initial = INITIAL;
    int failed = 0;
    for (int call = 0; call < CALLS; call++) failed |= SECTION(&m);
    fwrite(m.v, sizeof(double), model_variables, out);
    if (failed || m.terminate) fprintf(stderr, "%s", m.message);
    else if (m.warning) fprintf(stderr, "warning: %s", m.warning);
    return failed;
}
"#;

/// Runs one section; gives the values afterwards, or what went wrong. `None` without a compiler.
fn run(program: &Program, section: &str, start: Option<(&[f64], &[f64])>) -> Option<(Vec<f64>, String)> {
    run_often(program, section, 1, start)
}

fn run_often(
    program: &Program,
    section: &str,
    calls: u32,
    start: Option<(&[f64], &[f64])>,
) -> Option<(Vec<f64>, String)> {
    let text = c::write(program).unwrap();
    let counted = if section == "counted" { "#define COUNTED\n" } else { "" };
    let driver =
        DRIVER.replace("SECTION", section).replace("INITIAL", "0").replace("CALLS", &calls.to_string());
    let input = start.map(|(values, pre)| [cc::bytes(values), cc::bytes(pre)].concat());
    let files: Vec<(&str, &[u8])> = input.iter().map(|input| ("in", input.as_slice())).collect();
    let output = cc::run(&format!("{text}\n{counted}{driver}"), &files)?;
    Some((cc::numbers(&output.stdout), String::from_utf8_lossy(&output.stderr).into_owned()))
}

/// Many random pieces of code side by side in one program, since starting a compiler takes long.
#[test]
fn c_agrees_with_the_definition() {
    let mut runner = TestRunner::deterministic();
    let mut b = Builder::new("Random");
    let (mut start, mut pre, mut expected) = (Vec::new(), Vec::new(), Vec::new());
    for k in 0..150 {
        let code = recipe(true).new_tree(&mut runner).unwrap().current();
        let (v, p) = arrays(&values().new_tree(&mut runner).unwrap().current());
        (0..SLOTS).for_each(|i| _ = b.variable(&format!("r[{k}].v[{i}]"), Kind::Algebraic, 0.0));
        let assigns = cook_into(&mut b.program.pool, k * SLOTS, &code);
        start.extend(v);
        pre.extend(p);
        expected.clone_from(&start);
        b.program.dynamics.extend(assigns.into_iter().map(Step::Assign));
    }
    let assigns: Vec<_> = b
        .program
        .dynamics
        .iter()
        .filter_map(|step| match step {
            Step::Assign(assign) => Some(*assign),
            _ => None,
        })
        .collect();
    oracle(&b.program.pool, &assigns, &mut expected);
    assert_eq!(TIME, 0.75);
    if let Some((found, message)) = run(&b.program, "model_dynamics", Some((&start, &pre))) {
        assert_eq!(message, "");
        for k in 0..150 {
            let at = k * SLOTS as usize..(k + 1) * SLOTS as usize;
            assert!(
                same(&expected[at.clone()], &found[at.clone()]),
                "{:?}\n{:?}",
                &expected[at.clone()],
                &found[at]
            );
        }
    }
}

/// Functions made by hand and random ones, called from the program, against the evaluator.
#[test]
fn functions() {
    let mut b = Builder::new("Functions");
    let mut calls: Vec<(FunctionId, Vec<f64>)> = Vec::new();
    for sample in samples(&mut b.program.pool) {
        calls.extend(sample.arguments.into_iter().map(|arguments| (sample.id, arguments)));
    }
    for seed in 0..60 {
        let id = b.program.pool.add_function(random(seed));
        calls.extend(
            [[1.0, 2.0, 3.0, 4.0], [-0.5, 0.0, 7.25, -3.0]].map(|arguments| (id, arguments.to_vec())),
        );
    }
    let mut expected = Vec::new();
    for (id, arguments) in calls {
        let len = Layout::of_outputs(b.program.pool.function(id)).unwrap().len;
        let mut outputs = vec![0.0; len];
        if Evaluator::new(Numbers::new(&b.program.pool)).call_flat(id, &arguments, &mut outputs).is_err() {
            continue;
        }
        let inputs: Vec<_> = arguments
            .iter()
            .map(|&value| {
                let v = b.variable("argument", Kind::Parameter, value);
                b.var(v)
            })
            .collect();
        let results: Vec<VarId> = outputs.iter().map(|_| b.helper("result")).collect();
        expected.extend(results.iter().copied().zip(outputs));
        let outputs = results.into_iter().map(Some).collect();
        b.program.dynamics.push(Step::Call(Call { function: id, args: inputs, outputs, impure: false }));
    }
    if let Some((values, message)) = run(&b.program, "model_dynamics", None) {
        assert_eq!(message, "");
        for (v, value) in expected {
            assert!(same(&[values[v.index()]], &[value]), "{v:?}: {} instead of {value}", values[v.index()]);
        }
    }
}

/// A function writes all its outputs, also those the call does not name.
#[test]
fn a_call_has_room_for_all_outputs() {
    let mut b = Builder::new("Room");
    let mut three = Function::named("three");
    let x = three.input("x", Scalar::Real, &[]);
    let tx = three.local_term(x);
    for name in ["a", "b", "c"] {
        let output = three.output(name, Scalar::Real, &[]);
        three.push(Stmt::assign(output, tx));
    }
    let function = b.program.pool.add_function(three);
    let (one, first) = (b.program.pool.constant(1.0), b.helper("first"));
    let call = Call { function, args: vec![one], outputs: vec![Some(first)], impure: false };
    b.program.dynamics = vec![Step::Call(call)];
    let text = c::write(&b.program).unwrap();
    assert!(text.contains("double in[1], out[3];"), "{text}");
}

/// What fails says why, and what does not fit in C names the function.
#[test]
fn functions_that_fail() {
    let mut b = Builder::new("Fails");
    let samples = samples(&mut b.program.pool);
    let id = |name: &str| samples.iter().find(|sample| sample.name == name).unwrap().id;
    let (table, subscripts) = (id("table"), id("subscripts"));
    for (function, count, said) in
        [(table, 9, "u is too large"), (subscripts, 4, "subscripts: a subscript is out of bounds")]
    {
        let large = b.program.pool.constant(12.0);
        let call = Call { function, args: vec![large; count], outputs: Vec::new(), impure: false };
        b.program.dynamics = vec![Step::Call(call)];
        if let Some((_, message)) = run(&b.program, "model_dynamics", None) {
            assert_eq!(message, said);
        }
    }
    let mut foreign = Function::named("Library.foreign");
    foreign.body = Body::External(Box::new(ExternalBody {
        language: "Java".to_owned(),
        name: "foreign".to_owned(),
        result: None,
        args: Vec::new(),
        annotations: Vec::new(),
        view: Default::default(),
    }));
    let function = b.program.pool.add_function(foreign);
    let call = Call { function, args: Vec::new(), outputs: Vec::new(), impure: false };
    b.program.dynamics = vec![Step::Call(call)];
    let error = c::write(&b.program).unwrap_err().to_string();
    assert_eq!(
        error,
        "code cannot be made for the function Library.foreign in C (Library.foreign: foreign code in Java)"
    );
}

fn linear(steps: Vec<Step>, unknowns: &[VarId]) -> Step {
    linear_with(steps, None, unknowns)
}

fn guarded(steps: Vec<Step>, guard: Guard, unknowns: &[VarId]) -> Step {
    linear_with(steps, Some(Box::new(guard)), unknowns)
}

fn linear_with(steps: Vec<Step>, guard: Option<Box<Guard>>, unknowns: &[VarId]) -> Step {
    Step::System(Box::new(System {
        equations: Vec::new(),
        unknowns: unknowns.to_vec(),
        tearing_variables: unknowns.to_vec(),
        residuals: Vec::new(),
        mixed: false,
        form: Form::Linear { method: LinearMethod::Torn, symmetric: false, steps, guard },
        alternatives: Vec::new(),
    }))
}

/// Adds a linear system with these entries (row, column, value) and right sides.
fn add_system(
    b: &mut Builder,
    n: u32,
    entries: &[(u32, u32, f64)],
    rhs: &[f64],
    kind: SolveKind,
    constant: bool,
) -> Vec<VarId> {
    let place = |b: &mut Builder, value: f64| b.variable("coefficient", Kind::Parameter, value);
    let entries = entries.iter().map(|&(r, c, value)| (r, c, place(b, value))).collect();
    let rhs = rhs.iter().map(|&value| place(b, value)).collect();
    let unknowns: Vec<VarId> = (0..n).map(|i| b.variable(&format!("x[{i}]"), Kind::Algebraic, 0.0)).collect();
    let solve = Step::Solve(Solve { entries, rhs, unknowns: unknowns.clone(), kind, constant });
    b.program.dynamics.push(linear(vec![solve], &unknowns));
    unknowns
}

/// Systems whose solution is 1, 2, 3, …: right sides are made from it.
#[test]
fn linear_systems() {
    let mut b = Builder::new("Linear");
    let right = |n: u32, entries: &[(u32, u32, f64)], symmetric: bool| {
        let mut rhs = vec![0.0; n as usize];
        for &(r, c, value) in entries {
            rhs[r as usize] += value * f64::from(c + 1);
            if symmetric && r != c {
                rhs[c as usize] += value * f64::from(r + 1);
            }
        }
        rhs
    };
    let mut all = Vec::new();
    let dense: Vec<_> = (0..3)
        .flat_map(|r| (0..3).map(move |c| (r, c, if r == c { 0.0 } else { f64::from(r + 2 * c) })))
        .collect();
    for constant in [false, true] {
        all.push(add_system(&mut b, 3, &dense, &right(3, &dense, false), SolveKind::Dense, constant));
    }
    // Positive definite, and a saddle point that symmetric elimination refuses.
    let definite = [(0, 0, 4.0), (1, 0, 1.0), (1, 1, 5.0), (2, 1, -2.0), (2, 2, 6.0)];
    let saddle = [(1, 0, 2.0), (2, 1, 3.0), (2, 2, 0.5), (2, 0, 1.0)];
    for entries in [&definite[..], &saddle[..]] {
        for constant in [false, true] {
            all.push(add_system(
                &mut b,
                3,
                entries,
                &right(3, entries, true),
                SolveKind::Symmetric,
                constant,
            ));
        }
    }
    // A chain of 90, rows shuffled: a band.
    let n = 90;
    let chain: Vec<_> = (0..n)
        .flat_map(|i: u32| [(i, i, 2.5), (i, (i + 1) % n, -1.0), (i, (i + n - 1) % n, -1.0)])
        .filter(|&(r, c, _)| r.abs_diff(c) <= 1)
        .map(|(r, c, value)| (r * 7 % n, c, value))
        .collect();
    for constant in [false, true] {
        all.push(add_system(&mut b, n, &chain, &right(n, &chain, false), SolveKind::Sparse, constant));
    }
    let text = c::write(&b.program).unwrap();
    assert!(text.contains("kausal_band_factor(90, ") && text.contains("kausal_ldlt_factor(3, "));
    if let Some((values, message)) = run(&b.program, "model_dynamics", None) {
        assert_eq!(message, "");
        for unknowns in all {
            for (k, v) in unknowns.iter().enumerate() {
                assert!((values[v.index()] - (k + 1) as f64).abs() < 1e-10, "{k}: {}", values[v.index()]);
            }
        }
    }
}

#[test]
fn a_singular_system_is_an_error() {
    let mut b = Builder::new("Singular");
    let entries = [(0, 0, 1.0), (0, 1, 2.0), (1, 0, 2.0), (1, 1, 4.0)];
    add_system(&mut b, 2, &entries, &[1.0, 1.0], SolveKind::Dense, false);
    if let Some((_, message)) = run(&b.program, "model_dynamics", None) {
        assert_eq!(message, "linear system 1 (x[0], x[1]) is singular");
    }
}

/// `a*x + y = 3`, `x + y = 2`, eliminated with the pivot `a`: by hand `x = 1/(a - 1)`. Where `a` is zero, or tiny, the way with
/// pivoting is taken.
#[test]
fn a_pivot_that_vanishes() {
    for (a_value, falls_back) in [(2.0, false), (0.0, true), (1e-14, true)] {
        let mut b = Builder::new("Guarded");
        let a = b.variable("a", Kind::Parameter, a_value);
        let [x, y] = ["x", "y"].map(|name| b.variable(name, Kind::Algebraic, 0.0));
        let size = b.variable("size", Kind::Helper, 1.0);
        let [one, two, three] =
            [1.0, 2.0, 3.0].map(|value| b.variable("coefficient", Kind::Parameter, value));
        let (ea, ey) = (b.var(a), b.var(y));
        let p = &mut b.program.pool;
        let [c1, c2, c3] = [1.0, 2.0, 3.0].map(|value| p.constant(value));
        let (slope, offset) = (p.op(Op::Div, &[c1, ea]), p.op(Op::Div, &[c3, ea]));
        let (left, right) = (p.sub(c1, slope), p.sub(c2, offset));
        let y_value = p.op(Op::Div, &[right, left]);
        let x_right = p.sub(c3, ey);
        let x_value = p.op(Op::Div, &[x_right, ea]);
        let solve = Solve {
            entries: vec![(0, 0, a), (0, 1, one), (1, 0, one), (1, 1, one)],
            rhs: vec![three, two],
            unknowns: vec![x, y],
            kind: SolveKind::Dense,
            constant: false,
        };
        let guard = Guard { pivots: vec![(a, size)], fallback: vec![Step::Solve(solve)], ..Guard::default() };
        let straight = vec![set(y, y_value), set(x, x_value)];
        b.program.dynamics = vec![guarded(straight, guard, &[x, y])];
        if let Some((values, message)) = run(&b.program, "counted", None) {
            assert_eq!(message, if falls_back { "warning: pivoting" } else { "" });
            let exact = 1.0 / (a_value - 1.0);
            assert!((values[x.index()] - exact).abs() < 1e-12, "a = {a_value}: {values:?}");
            assert!((values[y.index()] - (2.0 - exact)).abs() < 1e-12, "a = {a_value}: {values:?}");
        }
    }
}

/// A straight-line solution that loses all digits (here: it is wrong) shows in its residual: at an event at once, between events
/// when it is looked at, and from then on it is not used.
#[test]
fn digits_that_are_lost() {
    let mut b = Builder::new("Lost");
    let [x, residual, size] = ["x", "residual", "size"].map(|name| b.variable(name, Kind::Algebraic, 0.0));
    let [two, four] = [2.0, 4.0].map(|value| b.variable("coefficient", Kind::Parameter, value));
    let ex = b.var(x);
    let p = &mut b.program.pool;
    let (c4, c7, c8) = (p.constant(4.0), p.constant(7.0), p.constant(8.0));
    let double = p.times(2.0, ex);
    let off = p.sub(double, c4);
    let solve = Solve {
        entries: vec![(0, 0, two)],
        rhs: vec![four],
        unknowns: vec![x],
        kind: SolveKind::Dense,
        constant: false,
    };
    let guard = Guard {
        pivots: Vec::new(),
        sums: Vec::new(),
        check: vec![set(residual, off), set(size, c8)],
        residuals: vec![(residual, size)],
        fallback: vec![Step::Solve(solve)],
    };
    let system = guarded(vec![set(x, c7)], guard, &[x]);
    (b.program.dynamics, b.program.discrete) = (vec![system.clone()], vec![system]);
    // Residuals are looked at in the first evaluation.
    for (calls, expected) in [(1, 2.0), (Guard::OFTEN, 2.0), (Guard::OFTEN + 1, 2.0)] {
        if let Some((values, message)) = run_often(&b.program, "model_dynamics", calls, None) {
            assert_eq!((values[x.index()], message.as_str()), (expected, ""), "{calls}");
        }
    }
    if let Some((values, _)) = run_often(&b.program, "model_discrete", 1, None) {
        assert_eq!(values[x.index()], 2.0);
    }
}

/// What follows from an iteration variable by a large factor has no digits left, and C says so: at an event at once, between
/// events when it is looked at.
#[test]
fn torn_systems_that_lose_digits_fail() {
    for (factor, lost) in [(1e3, false), (1e9, true)] {
        let mut b = Builder::new("Torn");
        let [x, y, r] = [("x", 7.0), ("y", 0.0), ("residual", 0.0)]
            .map(|(name, value)| b.variable(name, Kind::Algebraic, value));
        let ex = b.var(x);
        let p = &mut b.program.pool;
        let (two, four) = (p.constant(2.0), p.constant(4.0));
        let off = p.sub(ex, two);
        let amplified = p.times(factor, off);
        let square = p.mul(ex, ex);
        let residual = p.sub(square, four);
        let system = Step::System(Box::new(System {
            equations: Vec::new(),
            unknowns: vec![x, y],
            tearing_variables: vec![x],
            residuals: Vec::new(),
            mixed: false,
            form: Form::Nonlinear(Nonlinear {
                unknowns: vec![x],
                steps: vec![set(y, amplified), set(r, residual)],
                residuals: vec![r],
                jacobian: None,
                ..Nonlinear::default()
            }),
            alternatives: Vec::new(),
        }));
        (b.program.dynamics, b.program.discrete) = (vec![system.clone()], vec![system]);
        for (section, calls) in [("model_dynamics", 1), ("model_dynamics", 40), ("model_discrete", 1)] {
            if let Some((values, message)) = run_often(&b.program, section, calls, None) {
                assert_eq!(message.contains("has lost its digits"), lost, "{section} {factor:e}: {message}");
                assert!((values[x.index()] - 2.0).abs() < 1e-12, "{values:?}");
            }
        }
    }
}

/// x² + y² = 25 and y = 3 + 0·x with x > 0: x = 4; y is computed inside. With and without the Jacobian.
#[test]
fn nonlinear_system() {
    for symbolic in [true, false] {
        let mut b = Builder::new("Nonlinear");
        let [x, y, r, j] = [("x", 7.0), ("y", 0.0), ("residual", 0.0), ("J", 0.0)]
            .map(|(name, value)| b.variable(name, Kind::Algebraic, value));
        let (ex, ey) = (b.var(x), b.var(y));
        let p = &mut b.program.pool;
        let three = p.constant(3.0);
        let c25 = p.constant(25.0);
        let (xx, yy) = (p.mul(ex, ex), p.mul(ey, ey));
        let sum = p.add(xx, yy);
        let residual = p.sub(sum, c25);
        let derivative = p.times(2.0, ex);
        let jacobian =
            Jacobian { steps: vec![set(j, derivative)], entries: vec![(0, 0, j)], sensitivities: Vec::new() };
        b.program.dynamics.push(Step::System(Box::new(System {
            equations: Vec::new(),
            unknowns: vec![x, y],
            tearing_variables: vec![x],
            residuals: Vec::new(),
            mixed: false,
            form: Form::Nonlinear(Nonlinear {
                unknowns: vec![x],
                steps: vec![set(y, three), set(r, residual)],
                residuals: vec![r],
                jacobian: symbolic.then_some(jacobian),
                ..Nonlinear::default()
            }),
            alternatives: Vec::new(),
        })));
        if let Some((values, message)) = run(&b.program, "model_dynamics", None) {
            assert_eq!(message, "");
            assert!((values[0] - 4.0).abs() < 1e-10 && values[1] == 3.0, "{values:?}");
        }
    }
}

/// An ideal diode: current i = (u - 1)/2 while it conducts, which it does if i > 0.
#[test]
fn mixed_system() {
    for (u, expected) in [(5.0, 2.0), (-5.0, 0.0)] {
        let mut b = Builder::new("Mixed");
        let [u, i, open, off] = [("u", u), ("i", 0.0), ("difference", 0.0), ("off", 0.0)]
            .map(|(name, value)| b.variable(name, Kind::Algebraic, value));
        let (eu, eoff) = (b.var(u), b.var(off));
        let p = &mut b.program.pool;
        let (one, two, zero) = (p.one(), p.constant(2.0), p.zero());
        let drop = p.sub(eu, one);
        let current = p.op(Op::Div, &[drop, two]);
        let value = p.if_then_else(eoff, zero, current);
        b.program.relations.push(Relation {
            variable: off,
            difference: open,
            or_equal: true,
            trace: false,
            timed: None,
        });
        b.program.discrete.push(Step::System(Box::new(System {
            equations: Vec::new(),
            unknowns: vec![i, off],
            tearing_variables: Vec::new(),
            residuals: Vec::new(),
            mixed: true,
            form: Form::Mixed {
                continuous: vec![set(i, value), set(open, current)],
                relations: vec![0],
                discrete: Vec::new(),
                unknowns: Vec::new(),
            },
            alternatives: Vec::new(),
        })));
        if let Some((values, message)) = run(&b.program, "model_discrete", None) {
            assert_eq!((values[i.index()], message.as_str()), (expected, ""));
        }
    }
}

/// `when`, `reinit`, `assert`, `terminate` and `if`, with names that try to end comments.
#[test]
fn events_and_messages() {
    let mut b = Builder::new("Events */ /*");
    let x = b.variable("x /* no end */", Kind::State, 1.0);
    let der = b.variable("der(x)", Kind::Derivative, 0.0);
    let [a, c, d, e] = ["a", "c", "d", "e"].map(|name| b.variable(name, Kind::Discrete, 0.0));
    b.program.states.push(State { variable: x, derivative: der });
    let (ex, ec) = (b.var(x), b.var(c));
    let p = &mut b.program.pool;
    let (half, zero, seven) = (p.constant(0.5), p.zero(), p.constant(7.0));
    let low = p.less(ex, half);
    let high = p.less(half, ex);
    let message = p.text("x is \"small\"?\n");
    let next = p.add(ec, seven);
    let origin = kausal_model::flat::Origin::default();
    let when = |conditions, initial, steps| WhenBranch { conditions, initial, steps };
    b.program.discrete = vec![
        set(a, high),
        Step::When(Box::new(When {
            branches: vec![
                when(vec![d], false, vec![set(c, zero)]),
                when(vec![d, a], true, vec![set(c, next), Step::Reinit(x, half)]),
            ],
            acts: false,
            origin: origin.clone(),
        })),
        Step::If(low, vec![set(e, zero)], vec![set(e, seven)]),
        Step::Assert(Assert { condition: low, holds: None, message, warning: true, origin: origin.clone() }),
    ];
    let text = c::write(&b.program).unwrap();
    assert!(text.contains("m->reinit_set[0] = 1;"));
    if let Some((values, message)) = run(&b.program, "model_discrete", None) {
        // a became true (its old value is 0), d did not.
        assert_eq!([a, c, e].map(|v| values[v.index()]), [1.0, 7.0, 7.0]);
        assert_eq!(message, "warning: x is \"small\"?\n");
    }
    b.program.discrete.push(Step::Assert(Assert {
        condition: low,
        holds: None,
        message,
        warning: false,
        origin,
    }));
    if let Some((_, said)) = run(&b.program, "model_discrete", None) {
        assert_eq!(said, "x is \"small\"?\n");
    }
    b.program.discrete.truncate(2);
    b.program.discrete.push(Step::Terminate(message));
    if let Some((_, said)) = run(&b.program, "model_discrete", None) {
        assert_eq!(said, "x is \"small\"?\n");
    }
}

/// A program without anything in it is C, too.
#[test]
fn empty_program() {
    if let Some((values, message)) = run(&Program::default(), "model_dynamics", None) {
        assert_eq!((values.len(), message.as_str()), (0, ""));
    }
}

/// 5,000 assignments become several functions.
#[test]
fn long_sections_are_cut() {
    let mut b = Builder::new("Long");
    let mut last = b.variable("x[0]", Kind::State, 1.0);
    for k in 1..=5_000 {
        let next = b.variable(&format!("x[{k}]"), Kind::Algebraic, 0.0);
        let (x, p) = (b.var(last), &mut b.program.pool);
        let one = p.one();
        let value = p.add(x, one);
        b.program.dynamics.push(set(next, value));
        last = next;
    }
    let text = c::write(&b.program).unwrap();
    assert!(text.contains("static int model_dynamics_5(model *m)"));
    if let Some((values, _)) = run(&b.program, "model_dynamics", None) {
        assert_eq!(values[5_000], 5_001.0);
    }
}
