//! Functions with strings and changing sizes in C text do what the evaluator does.

mod common;

use common::dynamic::{Argument, numbers, random, samples};
use common::program::Builder;
use common::{cc, same};
use kausal_codegen::c;
use kausal_symbolic::function::layout::{Flat, Layout};
use kausal_symbolic::function::{
    ArrayFn, Body, EvalErrorKind, Evaluator, ExternalBody, ForeignType, ForeignView, Function, Numbers,
    Scalar, Stmt,
};
use kausal_symbolic::{FunctionId, Op, Pool};
use kausal_translate::program::{Assert, Call, Kind, Step};

/// What a call gives.
#[derive(Debug, PartialEq)]
enum Outcome {
    Outputs(Vec<Argument>),
    /// An assertion, with its message; other failures are worded differently.
    Failed(Option<String>),
}

fn evaluated(pool: &Pool, id: FunctionId, arguments: &[Argument]) -> Outcome {
    let flat: Vec<Flat> = arguments
        .iter()
        .map(|argument| match argument {
            Argument::Number(number) => Flat::Number(*number),
            Argument::Text(text) => Flat::Text(text.as_str().into()),
        })
        .collect();
    match Evaluator::new(Numbers::new(pool)).call_flat_with_texts(id, &flat) {
        Ok(outputs) => Outcome::Outputs(
            outputs
                .into_iter()
                .map(|output| match output {
                    Flat::Number(number) => Argument::Number(number),
                    Flat::Text(text) => Argument::Text(text.to_string()),
                })
                .collect(),
        ),
        Err(error) => Outcome::Failed(match error.kind() {
            EvalErrorKind::Assertion(message) => Some(message.clone()),
            _ => None,
        }),
    }
}

/// The name of the C function that calls a function with all its scalars.
fn entry(text: &str, name: &str) -> String {
    let end = format!("_{}(model *m, const double *in, double *out)", name.replace('.', "_"));
    let line =
        text.lines().find(|line| line.starts_with("static const char *enter_") && line.ends_with(&end));
    let line = line.unwrap_or_else(|| panic!("{name} is not there as {end}"));
    line["static const char *".len()..line.len() - "(model *m, const double *in, double *out)".len()]
        .to_owned()
}

fn hex(text: &str) -> String {
    text.bytes().map(|byte| format!("{byte:02x}")).collect()
}

/// Calls functions in C; `None` without a compiler.
fn called(pool: Pool, calls: &[(FunctionId, Vec<Argument>)]) -> Option<Vec<Outcome>> {
    let mut b = Builder::new("Dynamic");
    b.program.pool = pool;
    for (function, arguments) in calls {
        let zero = b.program.pool.constant(0.0);
        let args = vec![zero; arguments.len()];
        b.program.dynamics.push(Step::Call(Call {
            function: *function,
            args,
            outputs: vec![],
            impure: false,
        }));
    }
    let text = c::write(&b.program).unwrap();
    let mut main = String::from(
        "#include <stdint.h>\nstatic model m;\nstatic inline void number(double x)\n{\n    uint64_t bits;\n    memcpy(&bits, &x, 8);\n    \
         printf(\" n%016llx\", (unsigned long long)bits);\n}\nstatic inline void text(const char *s)\n{\n    printf(\" t\");\n    \
         for (; *s; s++) printf(\"%02x\", (unsigned char)*s);\n}\nstatic inline double read(uint64_t bits)\n{\n    double x;\n    \
         memcpy(&x, &bits, 8);\n    return x;\n}\nint main(void)\n{\n    model_start(&m);\n",
    );
    for (id, arguments) in calls {
        let function = b.program.pool.function(*id);
        let layout = Layout::of_outputs(function).unwrap();
        let list: Vec<String> = arguments
            .iter()
            .map(|argument| match argument {
                Argument::Number(number) => format!("read({:#x}u)", number.to_bits()),
                Argument::Text(text) => format!("model_text_number(&m, \"{}\")", escaped(text)),
            })
            .collect();
        main.push_str(&format!(
            "    {{\n        const double in[] = {{{}}};\n        double out[{}];\n",
            list.join(", "),
            layout.len.max(1)
        ));
        main.push_str(&format!(
            "        const char *failed = {}(&m, in, out);\n",
            entry(&text, &function.name)
        ));
        main.push_str("        if (failed) {\n            printf(\"failed\");\n            text(failed);\n        } else {\n");
        for k in 0..layout.len {
            let is_text = layout.find(k).unwrap().0.scalar == Scalar::String;
            main.push_str(&match is_text {
                true => format!("            text(model_text(&m, out[{k}]));\n"),
                false => format!("            number(out[{k}]);\n"),
            });
        }
        main.push_str("        }\n        printf(\"\\n\");\n    }\n");
    }
    main.push_str("    return 0;\n}\n");
    let output = cc::run(
        &format!("#define KAUSAL_TEXTS 10000\n#define KAUSAL_TEXT_BYTES 10000000\n{text}\n{main}"),
        &[],
    )?;
    let unhex = |hex: &str| {
        let bytes = (0..hex.len() / 2).map(|k| u8::from_str_radix(&hex[2 * k..2 * k + 2], 16).unwrap());
        String::from_utf8(bytes.collect()).unwrap()
    };
    let lines: Vec<String> = String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), calls.len(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(
        lines
            .iter()
            .map(|line| match line.strip_prefix("failed t") {
                Some(message) => Outcome::Failed(Some(unhex(message))),
                None => Outcome::Outputs(
                    line.split_whitespace()
                        .map(|word| match word.split_at(1) {
                            ("n", bits) => {
                                Argument::Number(f64::from_bits(u64::from_str_radix(bits, 16).unwrap()))
                            }
                            (_, hex) => Argument::Text(unhex(hex)),
                        })
                        .collect(),
                ),
            })
            .collect(),
    )
}

fn escaped(text: &str) -> String {
    hex(text).as_bytes().chunks(2).map(|pair| format!("\\x{}\"\"", String::from_utf8_lossy(pair))).collect()
}

/// Calls in C and by the evaluator; both agree bit for bit, or both fail, with the same words where an assertion does.
fn compare(pool: Pool, calls: &[(FunctionId, Vec<Argument>)]) -> usize {
    let Some(found) = called(pool.clone(), calls) else { return 0 };
    let mut succeeded = 0;
    for ((id, arguments), found) in calls.iter().zip(found) {
        let name = &pool.function(*id).name;
        match (evaluated(&pool, *id, arguments), &found) {
            (Outcome::Outputs(expected), Outcome::Outputs(list)) => {
                succeeded += 1;
                assert_eq!(expected.len(), list.len());
                for (a, b) in expected.iter().zip(list) {
                    let equal = match (a, b) {
                        (Argument::Number(a), Argument::Number(b)) => same(&[*a], &[*b]),
                        (a, b) => a == b,
                    };
                    assert!(equal, "{name}({arguments:?}): {list:?} instead of {expected:?}");
                }
            }
            (Outcome::Failed(None), Outcome::Failed(Some(_))) => {}
            (expected, _) => assert_eq!(expected, found, "{name}({arguments:?})"),
        }
    }
    succeeded
}

#[test]
fn samples_agree_with_the_evaluator() {
    let mut pool = Pool::new();
    let calls = samples(&mut pool);
    compare(pool, &calls);
}

#[test]
fn random_functions_agree_with_the_evaluator() {
    let mut pool = Pool::new();
    let mut calls = Vec::new();
    for seed in 0..80 {
        let id = pool.add_function(random(seed));
        for (x, word) in [([1.0, 2.0, 3.0], "air"), ([-0.5, 0.0, 7.25], "steam"), ([1e10, -1e-3, 0.1], "")] {
            let mut arguments = numbers(&x);
            arguments.push(Argument::Text(word.to_owned()));
            calls.push((id, arguments));
        }
    }
    let succeeded = compare(pool, &calls);
    // Enough of them do not fail (all, without a compiler, are left out).
    assert!(succeeded == 0 || succeeded > calls.len() / 3, "{succeeded} of {}", calls.len());
}

/// Numbers are written as the evaluator writes them.
#[test]
fn numbers_as_text() {
    let mut pool = Pool::new();
    let mut f = Function::named("written");
    let x = f.input("x", Scalar::Real, &[]);
    let digits = f.input("digits", Scalar::Integer, &[]);
    let width = f.input("width", Scalar::Integer, &[]);
    let left = f.input("left", Scalar::Boolean, &[]);
    let format = f.input("format", Scalar::String, &[]);
    let terms = [x, digits, width, left, format].map(|local| f.local_term(local));
    let [by_options, by_format] = ["options", "format"].map(|name| f.output(name, Scalar::String, &[]));
    let options = f.array(ArrayFn::ToString, &terms[..4]);
    f.push(Stmt::assign(by_options, options));
    let formatted = f.array(ArrayFn::ToString, &[terms[0], terms[4]]);
    f.push(Stmt::assign(by_format, formatted));
    let id = pool.add_function(f);
    let mut calls = Vec::new();
    let values =
        [0.0, -0.0, 0.5, 1.5, 2.5, 0.1, 1e5, 999999.5, 1e-5, 1.0 / 3.0, 1e300, 5e-324, -7.0, 123456789.0];
    let formats =
        ["g", "G", "e", ".0e", "f", ".0f", "10.3f", "-10.3f", "+d", "05d", "#g", "x", "o", "lf", "", "%8.2g"];
    for (k, x) in values.into_iter().chain([f64::NAN, f64::INFINITY, f64::NEG_INFINITY]).enumerate() {
        for (j, format) in formats.into_iter().enumerate() {
            let mut arguments = numbers(&[x, ((k + j) % 19) as f64, ((3 * j) % 14) as f64, (j % 2) as f64]);
            arguments.push(Argument::Text(format.to_owned()));
            calls.push((id, arguments));
        }
    }
    compare(pool, &calls);
}

/// More than there is room for is an error, and the next call is not spoilt.
#[test]
fn memory_that_is_not_enough() {
    let mut pool = Pool::new();
    let mut f = Function::named("large");
    let n = f.input("n", Scalar::Integer, &[]);
    let y = f.output("y", Scalar::Real, &[]);
    let (tn, one) = (f.local_term(n), f.number(1.0));
    let v = f.protected("v", Scalar::Real, &[kausal_symbolic::function::Dim::Unknown]);
    let ones = f.array(ArrayFn::Fill, &[one, tn]);
    f.push(Stmt::assign(v, ones));
    let tv = f.local_term(v);
    let sum = f.array(ArrayFn::Sum, &[tv]);
    f.push(Stmt::assign(y, sum));
    let id = pool.add_function(f);
    let calls: Vec<_> = [1e4, 1e6, 3.0, 0.5].map(|n| (id, numbers(&[n]))).to_vec();
    let Some(found) = called(pool, &calls) else { return };
    let failed = |text: &str| Outcome::Failed(Some(text.to_owned()));
    assert_eq!(found[0], Outcome::Outputs(numbers(&[1e4])));
    assert_eq!(found[1], failed("large: no memory left for arrays and strings (KAUSAL_ARENA is 131072)"));
    assert_eq!(found[2], Outcome::Outputs(numbers(&[3.0])));
    assert_eq!(found[3], failed("large: the size of fill must be a whole number that makes sense, not 0.5"));
}

/// Runs the dynamics of a program; gives what is said.
fn said(b: &Builder, more: &str) -> Option<String> {
    let text = c::write(&b.program).unwrap();
    let main = "#include <stdio.h>\nint main(void)\n{\n    static model m;\n    model_start(&m);\n    m.time = 0.75;\n    \
                const int failed = model_dynamics(&m);\n    if (m.warning) printf(\"warning: %s\\n\", m.warning);\n    \
                if (failed) printf(\"%s\\n\", m.message);\n    printf(\"%g\\n\", m.v[0]);\n    return 0;\n}\n";
    let output = cc::run(&format!("{text}\n{more}\n{main}"), &[])?;
    Some(String::from_utf8(output.stdout).unwrap())
}

/// Messages of a model with numbers of the moment in them.
#[test]
fn messages() {
    let mut b = Builder::new("Says");
    let x = b.variable("x", Kind::Algebraic, 2.5);
    let x = b.var(x);
    let pool = &mut b.program.pool;
    let write = kausal_symbolic::function::symbolic::to_text_function(pool, Scalar::Real, false);
    let join = kausal_symbolic::function::symbolic::concat_function(pool);
    let [six, zero, one, three] = [6.0, 0.0, 1.0, 3.0].map(|c| pool.constant(c));
    let double = pool.op(Op::Add, &[x, x]);
    let written = pool.call(write, &[double, six, zero, one]);
    let (written, start) = (pool.output(written, 0), pool.text("2x is "));
    let joined = pool.call(join, &[start, written]);
    let message = pool.output(joined, 0);
    let below = pool.op(Op::Less, &[x, one]);
    let small = pool.op(Op::Less, &[three, x]);
    let origin = Default::default();
    let assert = |condition, warning| {
        Step::Assert(Assert { condition, holds: None, message, warning, origin: Clone::clone(&origin) })
    };
    b.program.dynamics = vec![assert(below, true), assert(small, false)];
    if let Some(said) = said(&b, "") {
        assert_eq!(said, "warning: 2x is 5\n2x is 5\n2.5\n");
    }
}

/// A function with known sizes is fast code; where it fails or warns with words of the moment, they are said all the same.
#[test]
fn routines_that_say_more() {
    for (level, expected) in [(2.0, "x is 2.5\n0\n"), (1.0, "warning: x is 2.5\n6.25\n")] {
        let mut b = Builder::new("Square");
        let y = b.variable("y", Kind::Algebraic, 0.0);
        let f = asserting_square(level);
        let function = b.program.pool.add_function(f);
        let x = b.program.pool.constant(2.5);
        b.program.dynamics =
            vec![Step::Call(Call { function, args: vec![x], outputs: vec![Some(y)], impure: false })];
        if let Some(said) = said(&b, "") {
            assert_eq!(said, expected);
        }
    }
}

/// `square(x)` asserts with words of the moment that `x < 1`.
fn asserting_square(level: f64) -> Function {
    let mut f = Function::named("square");
    let x = f.input("x", Scalar::Real, &[]);
    let output = f.output("y", Scalar::Real, &[]);
    let (tx, one, level) = (f.local_term(x), f.number(1.0), f.number(level));
    let small = f.op(Op::Less, &[tx, one]);
    let (start, written) = (f.text("x is "), f.array(ArrayFn::ToString, &[tx]));
    let message = f.array(ArrayFn::Concat, &[start, written]);
    f.push(Stmt::Assert(small, message, level));
    let square = f.op(Op::Mul, &[tx, tx]);
    f.push(Stmt::assign(output, square));
    f
}

/// A step for real-time use does without memory for strings, and without any library but the mathematics.
#[test]
fn steps_do_without_strings() {
    let mut b = Builder::new("Step");
    let y = b.variable("y", Kind::Algebraic, 0.0);
    let function = b.program.pool.add_function(asserting_square(2.0));
    let x = b.program.pool.constant(2.5);
    b.program.dynamics =
        vec![Step::Call(Call { function, args: vec![x], outputs: vec![Some(y)], impure: false })];
    let with = c::write(&b.program).unwrap();
    assert!(with.contains("#include <stdio.h>") && with.contains("kausal_arena"), "{with}");
    b.program.discretized = Some(Default::default());
    let without = c::write(&b.program).unwrap();
    let includes: Vec<&str> = without.lines().filter(|line| line.starts_with("#include")).collect();
    assert_eq!(includes, ["#include <math.h>"]);
    assert!(!without.contains("kausal_arena"), "{without}");
}

/// Foreign functions are declared and called: numbers, strings, arrays, results by pointer.
#[test]
fn foreign_functions() {
    let mut b = Builder::new("Foreign");
    let y = b.variable("y", Kind::Algebraic, 0.0);
    let mut f = Function::named("Library.norm");
    let v = f.input("v", Scalar::Real, &[kausal_symbolic::function::Dim::Known(3)]);
    let name = f.input("name", Scalar::String, &[]);
    let result = f.output("y", Scalar::Real, &[]);
    let count = f.output("n", Scalar::Integer, &[]);
    let (tv, tname, tcount, one) = (f.local_term(v), f.local_term(name), f.local_term(count), f.number(1.0));
    let size = f.array(ArrayFn::SizeOf, &[tv, one]);
    let ty = |scalar, rank, size| ForeignType { scalar, rank, size };
    f.body = Body::External(Box::new(ExternalBody {
        language: "C".to_owned(),
        name: "library_norm".to_owned(),
        result: Some(result),
        args: vec![tv, size, tname, tcount],
        annotations: Vec::new(),
        view: ForeignView {
            args: vec![
                ty(Scalar::Real, 1, false),
                ty(Scalar::Integer, 0, true),
                ty(Scalar::String, 0, false),
                ty(Scalar::Integer, 0, false),
            ],
            result: Some(Scalar::Real),
            ..ForeignView::default()
        },
    }));
    let function = b.program.pool.add_function(f);
    let pool = &mut b.program.pool;
    let mut args: Vec<_> = [2.0, 3.0, 6.0].map(|c| pool.constant(c)).to_vec();
    args.push(pool.text("four"));
    b.program.dynamics =
        vec![Step::Call(Call { function, args, outputs: vec![Some(y), None], impure: false })];
    let text = c::write(&b.program).unwrap();
    assert!(
        text.contains("extern double library_norm(const double *, size_t, const char *, int *);"),
        "{text}"
    );
    let library = "double library_norm(const double *v, size_t n, const char *name, int *count)\n{\n    double sum = 0.0;\n    \
                   for (size_t k = 0; k < n; k++) sum += v[k]*v[k];\n    *count = (int)strlen(name);\n    \
                   return sqrt(sum) + *count;\n}\n";
    if let Some(said) = said(&b, library) {
        assert_eq!(said, "11\n");
    }
}
