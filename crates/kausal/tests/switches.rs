//! Every switch is as right as the default: linear systems whose rows and columns differ in size by many powers of ten, solved torn,
//! eliminated, whole, interpreted and inlined.

use std::fmt::Write as _;
use std::sync::Arc;

use kausal::{Backend, Inline, Options, Relaxing, Session, Settings, Tearing, method_of, simulate};

/// Whole numbers that look random (Knuth's multiplier, *The Art of Computer Programming* 3.3.4, modulo 2⁶⁴).
struct Numbers(u64);

impl Numbers {
    /// From `-most` to `most`.
    fn up_to(&mut self, most: i32) -> i32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % (2 * most as u64 + 1)) as i32 - most
    }
}

/// `R B C x = R b (1 + time)` with whole numbers in `B`, `b` and the solution `C x` at the start, and powers of two in the diagonals
/// `R` and `C`: everything is exact, so `x` is known. Rows of `B` have one entry that is larger than the others together.
fn model(seed: u64, n: usize, full: bool) -> (String, Vec<f64>) {
    let mut numbers = Numbers(seed);
    let mut scales = || -> Vec<f64> { (0..n).map(|_| f64::from(numbers.up_to(20)).exp2()).collect() };
    let (rows, columns) = (scales(), scales());
    let solution: Vec<f64> = (0..n).map(|_| f64::from(2 * numbers.up_to(4) + 1)).collect();
    let mut text = format!("model M Real x[{n}]; equation\n");
    for i in 0..n {
        let mut row: Vec<f64> = (0..n)
            .map(|_| f64::from(numbers.up_to(5)))
            .map(|a| if full && a == 0.0 { 1.0 } else { a })
            .collect();
        if !full {
            row.iter_mut().filter(|_| numbers.up_to(3) != 0).for_each(|a| *a = 0.0);
        }
        row[(i * 5 + 2) % n] = 3.0 + row.iter().map(|a| a.abs()).sum::<f64>();
        let right: f64 = row.iter().zip(&solution).map(|(a, x)| a * x).sum();
        let terms = (0..n).filter(|&j| row[j] != 0.0);
        let terms: Vec<String> =
            terms.map(|j| format!("({:e})*x[{}]", rows[i] * row[j] * columns[j], j + 1)).collect();
        let _ = writeln!(text, "{} = ({:e})*(1 + time);", terms.join(" + "), rows[i] * right);
    }
    text.push_str("end M;");
    let x = solution.iter().zip(&columns).map(|(x, c)| x / c).collect();
    (text, x)
}

#[test]
fn badly_scaled_linear_systems_are_solved_alike() {
    let ways = [
        Options::default(),
        Options { relaxing: Relaxing::Off, ..Options::default() },
        Options { tearing: Tearing::Off, ..Options::default() },
        Options { tearing: Tearing::Off, relaxing: Relaxing::Off, ..Options::default() },
        Options { inline: Inline::Bdf, relaxing: Relaxing::Off, ..Options::default() },
        Options { inline: Inline::Radau, ..Options::default() },
    ];
    for (seed, n, full) in [(1, 6, true), (2, 6, true), (3, 8, true), (4, 13, false), (5, 24, false)] {
        let (text, wanted) = model(seed, n, full);
        for options in &ways {
            for backend in [Backend::Jit, Backend::Interpreter] {
                let mut session = Session::new();
                session.add_text("M.mo", &text);
                let flat = session.flatten("M").expect("a correct model");
                let program = session.translate(&flat, options).expect("a regular model");
                let compiled = session.compile(program, backend).expect("code");
                let settings = Settings { interval: 0.5, ..Settings::default() };
                let settings = match method_of(options.inline, false) {
                    Some(method) => Settings { method, ..settings },
                    None => settings,
                };
                let run = simulate::run(Arc::new(compiled), &settings, &|_| true, None, &mut |_| true);
                assert!(run.diagnostics.iter().all(|d| !d.is_error()), "{:?}", run.diagnostics);
                for (j, x) in wanted.iter().enumerate() {
                    let values = run.trajectory.get(&format!("x[{}]", j + 1)).expect("an unknown");
                    for (t, value) in run.trajectory.time.iter().zip(values) {
                        // Straight-line solutions are accepted where they lose no more than this.
                        let off = (value / (x * (1.0 + t)) - 1.0).abs();
                        assert!(off < 1e-8, "seed {seed}, {options:?}: x[{}] is off by {off:e}", j + 1);
                    }
                }
            }
        }
    }
}
