//! Our sparse LU against KLU, in one run: `bench/klu` compiles the other side and calls this.
//!
//! The same matrices, factorised once and again with other values, and one solution: the solutions must agree to what
//! the matrix allows, and times are ratios.

use std::error::Error;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::process::{Command, Stdio};

use kausal_solver::linear::{Pattern, SparseLu};

const REPETITIONS: usize = 10;

/// A matrix with two sets of values.
struct Matrix {
    name: &'static str,
    pattern: Pattern,
    values: [Vec<f64>; 2],
}

fn main() -> Result<(), Box<dyn Error>> {
    let program = std::env::args().nth(1).ok_or("usage: against_klu DRIVER")?;
    println!("ours over KLU's (below 1: ours is faster)");
    println!(
        "{:<16} {:>7} {:>8} {:>8} {:>8} {:>9} {:>7} {:>9}",
        "matrix", "n", "entries", "fill", "factor", "refactor", "solve", "differ"
    );
    for matrix in [ladder(64_000), grid(50), grid(200), circuit(20_000), circuit(500)] {
        let ours = factorise(&matrix)?;
        let theirs = ask(&program, &matrix)?;
        let scale = theirs.x.iter().fold(0f64, |m, v| m.max(v.abs()));
        let difference =
            ours.x.iter().zip(&theirs.x).map(|(a, b)| (a - b).abs()).fold(0f64, f64::max) / scale;
        println!(
            "{:<16} {:>7} {:>8} {:>8.2} {:>8.2} {:>9.2} {:>7.2} {difference:>9.1e}",
            matrix.name,
            matrix.pattern.n(),
            matrix.pattern.entries(),
            ours.entries / theirs.entries,
            ours.first / theirs.first,
            ours.again / theirs.again,
            ours.solve / theirs.solve
        );
        // The matrices are well conditioned: what differs more than rounding is wrong.
        if difference > 1e-8 {
            return Err(format!("{}: the solutions differ by {difference:e}", matrix.name).into());
        }
    }
    Ok(())
}

/// What one side needed, in milliseconds, and found.
struct Found {
    first: f64,
    again: f64,
    solve: f64,
    entries: f64,
    x: Vec<f64>,
}

fn right_side(n: usize) -> Vec<f64> {
    (0..n).map(|i| 1.0 + (i % 10) as f64).collect()
}

fn factorise(matrix: &Matrix) -> Result<Found, Box<dyn Error>> {
    let milliseconds = |start: f64| now() - start;
    let start = now();
    let mut lu = SparseLu::<f64>::new(&matrix.pattern).map_err(|e| format!("{e:?}"))?;
    lu.factor(&matrix.values[0]).map_err(|e| format!("{e:?}"))?;
    let first = milliseconds(start);
    let (mut again, mut solve) = (f64::INFINITY, f64::INFINITY);
    let mut x = Vec::new();
    for _ in 0..REPETITIONS {
        let start = now();
        lu.refactor(&matrix.values[1]).map_err(|e| format!("{e:?}"))?;
        again = again.min(milliseconds(start));
        x = right_side(matrix.pattern.n());
        let start = now();
        lu.solve(&mut x);
        solve = solve.min(milliseconds(start));
    }
    Ok(Found { first, again, solve, entries: lu.entries() as f64, x })
}

fn ask(program: &str, matrix: &Matrix) -> Result<Found, Box<dyn Error>> {
    let (pattern, n) = (&matrix.pattern, matrix.pattern.n());
    let mut process = Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let mut out = BufWriter::new(process.stdin.take().ok_or("no way in")?);
    writeln!(out, "{n} {} {REPETITIONS}", pattern.entries())?;
    for j in 0..n {
        write!(out, "{} ", pattern.range(j).start)?;
    }
    writeln!(out, "{}", pattern.entries())?;
    for row in pattern.rows() {
        write!(out, "{row} ")?;
    }
    for value in matrix.values.iter().flatten().chain(&right_side(n)) {
        write!(out, "{value:e} ")?;
    }
    drop(out);
    let mut line = String::new();
    BufReader::new(process.stdout.take().ok_or("no way out")?).read_line(&mut line)?;
    process.wait()?;
    let numbers: Vec<f64> = line.split_whitespace().filter_map(|w| w.parse().ok()).collect();
    if numbers.len() != n + 5 {
        return Err(format!("{}: KLU gave no solution", matrix.name).into());
    }
    Ok(Found {
        first: numbers[0] + numbers[1],
        again: numbers[2],
        solve: numbers[3],
        entries: numbers[4],
        x: numbers[5..].to_vec(),
    })
}

/// Milliseconds this process has computed: other processes do not count.
fn now() -> f64 {
    let t = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    1e3 * t.tv_sec as f64 + 1e-6 * t.tv_nsec as f64
}

/// Diagonally dominant values, so that any solver finds the same digits.
fn matrix(name: &'static str, n: usize, entries: Vec<(usize, usize)>) -> Matrix {
    let pattern = Pattern::new(n, entries.into_iter().chain((0..n).map(|i| (i, i))));
    let mut degree = vec![0.0; n];
    pattern.iter().filter(|(i, j)| i != j).for_each(|(_, j)| degree[j] += 1.0);
    let values = [0.05, 0.1].map(|extra| {
        pattern
            .iter()
            .map(|(i, j)| if i == j { degree[j] + extra } else { -1.0 + extra * (i % 7) as f64 / 7.0 })
            .collect()
    });
    Matrix { name, pattern, values }
}

fn ladder(n: usize) -> Matrix {
    matrix("ladder", n, (1..n).flat_map(|i| [(i - 1, i), (i, i - 1)]).collect())
}

fn grid(side: usize) -> Matrix {
    let mut entries = Vec::new();
    for i in 0..side {
        for j in 0..side {
            let k = i * side + j;
            if i + 1 < side {
                entries.extend([(k, k + side), (k + side, k)]);
            }
            if j + 1 < side {
                entries.extend([(k, k + 1), (k + 1, k)]);
            }
        }
    }
    matrix("grid", side * side, entries)
}

/// Mostly short connections, a few long ones, like the nodes of a circuit.
fn circuit(n: usize) -> Matrix {
    let mut seed = 1u64;
    let mut below = |limit: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % limit
    };
    let mut entries = Vec::new();
    for i in 0..n {
        let near = (i + 1 + below(50)) % n;
        entries.extend([(i, near), (near, i)]);
        if below(20) == 0 {
            let far = below(n);
            entries.extend([(i, far), (far, i)]);
        }
    }
    matrix("circuit", n, entries)
}
