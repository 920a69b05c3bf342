//! Machine code by Cranelift against the same program as C through `gcc -O2`: speed and compile time.
//!
//! ```text
//! cargo run --release -p kausal-codegen --example jit_vs_gcc
//! ```
//!
//! Three programs: a chain of masses with nonlinear springs and friction (a typical model), a random graph of
//! sums and products (the worst case for registers), and one with many library functions. A run is timed in many
//! short bursts of which the shortest counts, so that other work on the machine does not.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use kausal_codegen::{Backend, Called, Compiler, Functions, Memory, c};
use kausal_model::flat::Type;
use kausal_symbolic::function::{ArrayFn, Dim, Evaluator, Function, Numbers, Scalar, Stmt};
use kausal_symbolic::{ExprId, Op, Pool, VarId};
use kausal_translate::Program;
use kausal_translate::program::{Assign, Kind, State, Step, Variable};

fn main() {
    let have_gcc = Command::new("gcc").arg("--version").output().is_ok();
    if !have_gcc {
        println!("gcc is not there: only Kausal is measured");
    }
    println!(
        "{:24} {:>7} {:>24} {:>12} {:>24} {:>12}",
        "program", "ops", "ns a run jit/gcc/interp", "speed", "compile ms jit/gcc", "faster"
    );
    for program in [chain(1), chain(200), chain(2_000), random(4_000, 7), library(2_000)] {
        measure(&program, have_gcc);
    }
    function();
}

/// A function with a loop and an array, as machine code and evaluated.
fn function() {
    let mut f = Function::named("horner");
    let c = f.input("c", Scalar::Real, &[Dim::Known(20)]);
    let x = f.input("x", Scalar::Real, &[]);
    let y = f.output("y", Scalar::Real, &[]);
    let i = f.protected("i", Scalar::Integer, &[]);
    let (one, last) = (f.number(1.0), f.number(20.0));
    let range = f.array(ArrayFn::Range, &[one, last]);
    let [tc, tx, ty, ti] = [c, x, y, i].map(|local| f.local_term(local));
    let element = f.index(tc, &[ti]);
    let product = f.op(Op::Mul, &[ty, tx]);
    let next = f.op(Op::Add, &[product, element]);
    f.push(Stmt::For(i, range, vec![Stmt::assign(y, next)]));
    let mut pool = Pool::new();
    let id = pool.add_function(f);
    let functions = Functions::new(&pool, [id], Backend::Jit).expect("the function can be compiled");
    let (args, mut out, mut memory) = ([0.5; 21], [0.0], functions.memory());
    let timed =
        |once: &mut dyn FnMut()| shortest(BURSTS, || seconds(|| (0..1_000).for_each(|_| once())) / 1_000.0);
    let code = timed(&mut || assert_eq!(functions.call(id, &args, &mut out, &mut memory), Called::Done));
    let mut evaluator = Evaluator::new(Numbers::new(&pool));
    let evaluated = timed(&mut || evaluator.call_flat(id, &args, &mut out).expect("the function runs"));
    println!(
        "a function with a loop of 20: {:.0} ns a call as code, {:.0} ns evaluated",
        code * 1e9,
        evaluated * 1e9
    );
}

fn measure(program: &Program, have_gcc: bool) {
    let assigns: Vec<Assign> = program
        .dynamics
        .iter()
        .filter_map(|step| match step {
            Step::Assign(assign) => Some(*assign),
            _ => None,
        })
        .collect();
    let compiled = |backend| {
        let mut compiler = Compiler::new(&program.pool, backend);
        let chunk = compiler.add(&assigns).expect("the program can be compiled");
        (compiler.finish().expect("the program can be compiled"), chunk)
    };
    let operations = {
        let mut compiler = Compiler::new(&program.pool, Backend::Jit);
        compiler.add(&assigns).expect("the program can be compiled");
        compiler.operations()
    };
    let run = |backend| {
        let (code, chunk) = compiled(backend);
        let mut values: Vec<f64> = program.variables.iter().map(|variable| variable.value).collect();
        let mut scratch = code.scratch();
        let mut once = |k: usize| {
            values[0] = 1e-6 * k as f64;
            let mut memory = Memory { values: &mut values, pre: &[], time: 0.0, scratch: &mut scratch };
            code.run(chunk, &mut memory);
        };
        let repeat = burst(assigns.len());
        let mut k = 0;
        shortest(BURSTS, || {
            let start = Instant::now();
            for _ in 0..repeat {
                k += 1;
                once(k);
            }
            start.elapsed().as_secs_f64() / repeat as f64
        })
    };
    let jit = run(Backend::Jit);
    let optimised = run(Backend::JitOptimised);
    let interpreted = run(Backend::Interpreter);
    let jit_compile = shortest(20, || seconds(|| drop(compiled(Backend::Jit))));
    let optimised_compile = shortest(20, || seconds(|| drop(compiled(Backend::JitOptimised))));
    let (gcc, gcc_compile) = if have_gcc { through_gcc(program) } else { (f64::NAN, f64::NAN) };
    println!(
        "{:24} {:>7} {:>24} {:>12.2} {:>24} {:>12.0}",
        program.name,
        operations,
        format!("{:.0} / {:.0} / {:.0}", jit * 1e9, gcc * 1e9, interpreted * 1e9),
        gcc / jit,
        format!("{:.1} / {:.0}", jit_compile * 1e3, gcc_compile * 1e3),
        gcc_compile / jit_compile,
    );
    println!(
        "{:24} {:>7} {:>24} {:>12.2} {:>24} {:>12.0}",
        "  optimised by Cranelift",
        "",
        format!("{:.0}", optimised * 1e9),
        gcc / optimised,
        format!("{:.1}", optimised_compile * 1e3),
        gcc_compile / optimised_compile,
    );
}

/// Seconds a run takes, and seconds `gcc -O2` takes to compile it.
fn through_gcc(program: &Program) -> (f64, f64) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name);
    fs::write(at("model.c"), c::write(program).expect("C text")).expect("a file");
    fs::write(at("driver.c"), DRIVER).expect("a file");
    let gcc = |args: &[&str]| {
        let status = Command::new("gcc").current_dir(folder.path()).args(args).status();
        assert!(status.is_ok_and(|status| status.success()), "gcc failed");
    };
    let compile = shortest(3, || seconds(|| gcc(&["-O2", "-std=c11", "-c", "model.c"])));
    gcc(&["-O2", "-std=c11", "driver.c", "-lm", "-o", "driver"]);
    let run = time_of(&at("driver"), program.dynamics.len());
    (run, compile)
}

fn time_of(driver: &Path, steps: usize) -> f64 {
    let args = [BURSTS.to_string(), burst(steps).to_string()];
    let output = Command::new(driver).args(args).output().expect("the driver runs");
    String::from_utf8_lossy(&output.stdout).trim().parse().expect("a number")
}

const DRIVER: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "model.c"
static model m;
int main(int argc, char **argv)
{
    const int bursts = argc > 1 ? atoi(argv[1]) : 1;
    const int repeat = argc > 2 ? atoi(argv[2]) : 1;
    double shortest = HUGE_VAL;
    int k = 0;
    model_start(&m);
    for (int burst = 0; burst < bursts; burst++) {
        struct timespec a, b;
        timespec_get(&a, TIME_UTC);
        for (int i = 0; i < repeat; i++) {
            m.v[0] = 1e-6*++k;
            if (model_dynamics(&m)) return 1;
        }
        timespec_get(&b, TIME_UTC);
        shortest = fmin(shortest, ((double)(b.tv_sec - a.tv_sec) + 1e-9*(double)(b.tv_nsec - a.tv_nsec))/repeat);
    }
    printf("%.17g\n", shortest);
    return 0;
}
"#;

fn seconds(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64()
}

fn shortest(times: usize, measure: impl FnMut() -> f64) -> f64 {
    std::iter::repeat_with(measure).take(times).fold(f64::INFINITY, f64::min)
}

/// How many runs make a burst: about a millisecond.
fn burst(assignments: usize) -> usize {
    1 + 200_000 / (assignments + 1)
}

const BURSTS: usize = 300;

/// A program under construction: variables and assignments.
struct Builder {
    program: Program,
}

impl Builder {
    fn new(name: &str) -> Self {
        Builder { program: Program { name: name.to_owned(), ..Program::default() } }
    }

    fn pool(&mut self) -> &mut Pool {
        &mut self.program.pool
    }

    fn variable(&mut self, name: String, kind: Kind, value: f64) -> (VarId, ExprId) {
        let id = VarId(self.program.variables.len() as u32);
        self.program.variables.push(Variable {
            name,
            kind,
            ty: Type::Real,
            value,
            start_said: true,
            nominal: 1.0,
            nominal_said: false,
            min: f64::NEG_INFINITY,
            max: f64::INFINITY,
            unit: String::new(),
            description: String::new(),
            protected: false,
        });
        (id, self.program.pool.var(id))
    }

    fn assign(&mut self, name: String, kind: Kind, value: ExprId) -> (VarId, ExprId) {
        let (id, expression) = self.variable(name, kind, 0.0);
        self.program.dynamics.push(Step::Assign(Assign { variable: id, value, equation: None }));
        (id, expression)
    }
}

/// Masses in a row, joined by springs that stiffen, dampers and dry friction (smoothed).
fn chain(n: usize) -> Program {
    let mut b = Builder::new(&format!("chain of {n} masses"));
    let [m, c, c3, d, mu, eps] =
        [("m", 1.5), ("c", 100.0), ("c3", 30.0), ("d", 0.4), ("mu", 0.2), ("eps", 1e-3)]
            .map(|(name, value)| b.variable(name.to_owned(), Kind::Parameter, value).1);
    let states: Vec<[(VarId, ExprId); 2]> = (0..n)
        .map(|i| {
            let x = b.variable(format!("mass[{i}].x"), Kind::State, 0.01 * i as f64);
            [x, b.variable(format!("mass[{i}].v"), Kind::State, 0.1)]
        })
        .collect();
    let mut left = None;
    for i in 0..n {
        let [(x, _), (v, speed)] = states[i];
        let force = (i + 1 < n).then(|| {
            let [(_, here), (_, speed)] = states[i];
            let [(_, next), (_, next_speed)] = states[i + 1];
            let p = b.pool();
            let stretch = p.sub(next, here);
            let stretch = b.assign(format!("spring[{i}].s"), Kind::Algebraic, stretch).1;
            let p = b.pool();
            let relative = p.sub(next_speed, speed);
            let cube = p.powi(stretch, 3);
            let [linear, cubic, damping] = [p.mul(c, stretch), p.mul(c3, cube), p.mul(d, relative)];
            let sum = p.op(Op::Add, &[linear, cubic, damping]);
            b.assign(format!("spring[{i}].f"), Kind::Algebraic, sum).1
        });
        let p = b.pool();
        let square = p.mul(speed, speed);
        let regularised = p.add(square, eps);
        let root = p.sqrt(regularised);
        let direction = p.op(Op::Div, &[speed, root]);
        let friction = p.mul(mu, direction);
        let friction = b.assign(format!("mass[{i}].friction"), Kind::Algebraic, friction).1;
        let p = b.pool();
        let mut total = p.neg(friction);
        if let Some(force) = force {
            total = p.add(force, total);
        }
        if let Some(left) = left {
            total = p.sub(total, left);
        }
        let acceleration = p.op(Op::Div, &[total, m]);
        let (der_x, _) = b.assign(format!("der(mass[{i}].x)"), Kind::Derivative, speed);
        let (der_v, _) = b.assign(format!("der(mass[{i}].v)"), Kind::Derivative, acceleration);
        b.program.states.push(State { variable: x, derivative: der_x });
        b.program.states.push(State { variable: v, derivative: der_v });
        left = force;
    }
    b.program
}

/// A random graph: sums, products and some divisions and selections of earlier values near and far.
fn random(n: usize, seed: u64) -> Program {
    let mut b = Builder::new(&format!("random, {n} operations"));
    let mut random = Random(seed);
    let mut values: Vec<ExprId> =
        (0..100).map(|i| b.variable(format!("x[{i}]"), Kind::State, 1.0 + 0.01 * i as f64).1).collect();
    for i in 0..n {
        let pick = |random: &mut Random| {
            let window = if random.below(4) == 0 { values.len() } else { values.len().min(30) };
            values[values.len() - 1 - random.below(window)]
        };
        let (x, y, z) = (pick(&mut random), pick(&mut random), pick(&mut random));
        let p = b.pool();
        let e = match random.below(20) {
            0..8 => p.add(x, y),
            8..11 => p.sub(x, y),
            11..18 => {
                let scale = p.constant(1.0 / 3.0);
                p.op(Op::Mul, &[scale, x, y])
            }
            18 => {
                let square = p.mul(y, y);
                let one = p.one();
                let positive = p.add(square, one);
                p.op(Op::Div, &[x, positive])
            }
            _ => {
                let test = p.less(x, y);
                p.if_then_else(test, z, x)
            }
        };
        // A tenth are variables of the model, the others parts of expressions.
        let e = if random.below(10) == 0 { b.assign(format!("y[{i}]"), Kind::Algebraic, e).1 } else { e };
        values.push(e);
    }
    let last = values.len() - 1;
    b.assign("last".to_owned(), Kind::Algebraic, values[last]);
    b.program
}

/// Many library functions: there both do the same.
fn library(n: usize) -> Program {
    let mut b = Builder::new(&format!("{n} library calls"));
    let (_, mut x) = b.variable("x".to_owned(), Kind::State, 0.3);
    for i in 0..n {
        let op = [Op::Sin, Op::Cos, Op::Exp, Op::Tanh][i % 4];
        let p = b.pool();
        let value = p.apply(op, x);
        let scaled = p.times(0.5, value);
        x = b.assign(format!("y[{i}]"), Kind::Algebraic, scaled).1;
    }
    b.program
}

/// A small random number generator, the same on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n
    }
}
