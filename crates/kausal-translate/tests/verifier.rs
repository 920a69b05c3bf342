//! Programs verify, and the verifier finds what is wrong with those that were spoiled.

mod support;

use kausal_translate::program::Step;
use kausal_translate::{Inline, Options, Relaxing, Tearing, flow, translate};

/// What is wrong with the programs of all examples; how many there are.
fn faults(options: &Options) -> (usize, Vec<String>) {
    let (mut count, mut faults) = (0, Vec::new());
    for name in support::examples() {
        let Some(flat) = support::example(&name) else { continue };
        let Some(program) = translate(&flat, options).program else { continue };
        count += 1;
        if let Err(found) = program.verify() {
            faults.push(format!("{name}:\n{found}"));
        }
    }
    (count, faults)
}

fn verified(options: &Options) {
    let (count, faults) = faults(options);
    assert!(faults.is_empty(), "{options:?}\n{}", faults.join("\n"));
    assert!(count > 30, "{count} examples");
}

#[test]
fn examples_verify() {
    verified(&Options::default());
    verified(&Options { tearing: Tearing::Declared, relaxing: Relaxing::Declared, ..Options::default() });
    verified(&Options { tearing: Tearing::Off, relaxing: Relaxing::Off, ..Options::default() });
}

#[test]
fn inlined_examples_verify() {
    for inline in [Inline::Euler, Inline::Bdf, Inline::Radau, Inline::Mixed, Inline::Rosenbrock] {
        verified(&Options { inline, ..Options::default() });
    }
}

/// A call in a branch of a formula is made only where that branch is taken: what it gives is read there.
#[test]
fn calls_in_branches_verify() {
    let text = "model M
      function f input Real x; output Real y; algorithm y := x; while y > 1 loop y := y/3; end while; end f;
      function g input Real x; output Real y; algorithm y := x; while y > 1 loop y := y/2; end while; end g;
      parameter Integer s = 1;
      parameter Real a = 5;
      parameter Real p = if s == 1 then f(a) elseif s == 2 then g(a) else f(2*a);
      Real x(start = 1, fixed = true);
    equation
      der(x) = -p*x;
    end M;";
    support::program(text, &Options::default());
}

/// Time of a model named by `KAUSAL_VERIFY_MODEL`, for measurements.
#[test]
#[ignore = "for measurements"]
fn time_of_a_model() {
    let Ok(name) = std::env::var("KAUSAL_VERIFY_MODEL") else { return };
    let flat = support::example(&name).expect("flat");
    let program = translate(&flat, &Options::default()).program.expect("a program");
    for _ in 0..5 {
        let start = std::time::Instant::now();
        let verified = program.verify();
        println!("{:?}, {} expressions", start.elapsed(), program.pool.len());
        verified.unwrap_or_else(|faults| panic!("{faults}"));
    }
}

/// A condition that turns out a number, because what it reads is one, never rises: no clause waits for it, and nothing is read that
/// nobody computes.
#[test]
fn conditions_that_are_numbers_verify() {
    let text = "model M
      Boolean open = false;
      Boolean late = time > 1;
      discrete Real y, z(start = 0, fixed = true);
      Integer n(start = 0, fixed = true);
    equation
      when {open, not open, initial()} then y = time; end when;
      when {late, not open} then z = time; end when;
      when not open then n = pre(n) + 1; elsewhen late then n = pre(n) + 2; end when;
      when {late, not open} then assert(time > 1, \"too early\"); end when;
    end M;";
    support::program(text, &Options::default());
}

/// A function with many outputs is one step in each section, whoever asks for which of them.
#[test]
fn many_outputs_are_one_call() {
    let text = "model M
      function f input Real x; output Real y[300]; algorithm
        y[1] := x;
        while y[1] > 1 loop y[1] := y[1]/2; end while;
        for i in 2:300 loop y[i] := y[i - 1] + x; end for;
      annotation(Inline = false); end f;
      Real x(start = 1, fixed = true);
      Real y[300] = f(x);
    equation
      der(x) = -y[300];
    end M;";
    let program = support::program(text, &Options::default());
    for section in [&program.initial, &program.dynamics, &program.outputs, &program.discrete] {
        let is_call = |step: &&Step| matches!(step, Step::Call(_));
        assert!(flow::nested(section).into_iter().filter(is_call).count() <= 1);
    }
}
