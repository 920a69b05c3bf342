//! Work and precision of our BDF against CVODE's, in one run: `bench/cvode` compiles the other side and calls this.
//!
//! Both integrate the same problems at the same relative tolerances, with absolute ones relative to the same sizes, with
//! the same analytical Jacobians where there are any. Equal tolerances do not give equal errors, so times of
//! computation are compared at equal error: for each side the logarithm of the time is fitted by a line over the logarithm
//! of the error, and the lines are compared in the middle of the errors both have.

use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use kausal_solver::{ClassicalStep, Integrator, Method, Options};

#[path = "../tests/common/ivp.rs"]
mod ivp;

const PROBLEMS: [&str; 6] = ["robertson", "hires", "vdpol", "orego", "pollution", "ring"];
const REPETITIONS: usize = 3;

/// One integration.
#[derive(Clone, Copy)]
struct Point {
    error: f64,
    milliseconds: f64,
    evaluations: f64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let program = arguments.next().ok_or("usage: against_cvode DRIVER [problem]")?;
    let wanted = arguments.next();
    let mut peer = Peer::start(&program)?;
    println!("{:<10} {:>7} {:>9} {:>9} {:>9} {:>9}", "problem", "tol", "error", "ms", "CVODE's", "ms");
    let mut ratios = Vec::new();
    for problem in ivp::all().iter().filter(|p| PROBLEMS.contains(&p.name)) {
        if wanted.as_ref().is_some_and(|w| w != problem.name) {
            continue;
        }
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for exponent in (8..=19).map(|e| f64::from(e) / 2.0) {
            let tolerance = 10f64.powf(-exponent);
            let (a, b) = (integrate(problem, tolerance), peer.integrate(problem, tolerance)?);
            let show = |p: &Option<Point>| match p {
                Some(p) => format!("{:>9.1e} {:>9.3}", p.error, p.milliseconds),
                None => format!("{:>9} {:>9}", "failed", ""),
            };
            println!("{:<10} {tolerance:>7.0e} {} {}", problem.name, show(&a), show(&b));
            ours.extend(a);
            theirs.extend(b);
        }
        ratios.extend(compare(problem.name, &ours, &theirs));
    }
    peer.end()?;
    println!("\nours over CVODE's at equal error (below 1: ours is better)");
    println!("{:<10} {:>12} {:>8}", "problem", "evaluations", "time");
    for (name, evaluations, time) in &ratios {
        println!("{name:<10} {evaluations:>12.2} {time:>8.2}");
    }
    let middle = |mut values: Vec<f64>| {
        values.sort_by(f64::total_cmp);
        match values.len() {
            0 => f64::NAN,
            n if n % 2 == 1 => values[n / 2],
            n => 0.5 * (values[n / 2 - 1] + values[n / 2]),
        }
    };
    println!(
        "{:<10} {:>12.2} {:>8.2}",
        "median",
        middle(ratios.iter().map(|r| r.1).collect()),
        middle(ratios.iter().map(|r| r.2).collect())
    );
    Ok(())
}

fn integrate(problem: &ivp::Problem, tolerance: f64) -> Option<Point> {
    let mut best: Option<Point> = None;
    for _ in 0..REPETITIONS {
        let mut options = Options::tolerance(tolerance, tolerance);
        options.max_steps = Some(5_000_000);
        let start = now();
        let model = ClassicalStep::new(problem);
        let mut integrator = Integrator::new(Method::Bdf, options, model, 0.0, &problem.x0).ok()?;
        integrator.integrate_to(problem.t_end).ok()?;
        let milliseconds = now() - start;
        if best.is_none_or(|b| milliseconds < b.milliseconds) {
            let error = problem.relative_error(integrator.x(), 1e-6);
            let evaluations = integrator.statistics().work.rhs_evaluations as f64;
            best = Some(Point { error, milliseconds, evaluations });
        }
    }
    best
}

/// Milliseconds this process has computed: other processes do not count.
fn now() -> f64 {
    let t = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    1e3 * t.tv_sec as f64 + 1e-6 * t.tv_nsec as f64
}

/// The other side.
struct Peer {
    process: Child,
    ask: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Peer {
    fn start(program: &str) -> Result<Peer, Box<dyn Error>> {
        let mut process = Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let ask = process.stdin.take().ok_or("no way in")?;
        let answers = BufReader::new(process.stdout.take().ok_or("no way out")?);
        Ok(Peer { process, ask, answers })
    }

    fn end(self) -> Result<(), Box<dyn Error>> {
        let Peer { mut process, ask, .. } = self;
        drop(ask);
        process.wait()?;
        Ok(())
    }

    fn integrate(&mut self, problem: &ivp::Problem, tolerance: f64) -> Result<Option<Point>, Box<dyn Error>> {
        let n = problem.x0.len();
        write!(self.ask, "{} {n} {:e} {tolerance:e} {REPETITIONS}", problem.name, problem.t_end)?;
        for value in problem.x0.iter().chain(&problem.nominal) {
            write!(self.ask, " {value:e}")?;
        }
        writeln!(self.ask)?;
        self.ask.flush()?;
        let mut line = String::new();
        if self.answers.read_line(&mut line)? == 0 {
            return Err(format!("the other side ended: {:?}", self.process.wait()?).into());
        }
        let numbers: Vec<f64> = line.split_whitespace().filter_map(|w| w.parse().ok()).collect();
        if numbers.len() != n + 3 {
            return Ok(None);
        }
        let error = problem.relative_error(&numbers[3..], 1e-6);
        Ok(Some(Point { error, milliseconds: numbers[0], evaluations: numbers[2] }))
    }
}

/// Evaluations and time of ours over theirs at equal error.
fn compare(name: &'static str, ours: &[Point], theirs: &[Point]) -> Option<(&'static str, f64, f64)> {
    // What is wrong in its first digit says nothing.
    let usable = |points: &[Point]| -> Vec<Point> {
        points.iter().copied().filter(|p| p.error > 0.0 && p.error < 0.3).collect()
    };
    let (ours, theirs) = (usable(ours), usable(theirs));
    if ours.len() < 4 || theirs.len() < 4 {
        return None;
    }
    let least = |p: &[Point]| p.iter().map(|p| p.error.log10()).fold(f64::INFINITY, f64::min);
    let most = |p: &[Point]| p.iter().map(|p| p.error.log10()).fold(f64::NEG_INFINITY, f64::max);
    let middle = 0.5 * (least(&ours).max(least(&theirs)) + most(&ours).min(most(&theirs)));
    let ratio = |of: fn(&Point) -> f64| 10f64.powf(at(&ours, of, middle) - at(&theirs, of, middle));
    Some((name, ratio(|p| p.evaluations), ratio(|p| p.milliseconds)))
}

/// The fitted line of a quantity over the error, both in logarithms, at an error.
fn at(points: &[Point], of: fn(&Point) -> f64, x: f64) -> f64 {
    let n = points.len() as f64;
    let mean = |f: &dyn Fn(&Point) -> f64| points.iter().map(f).sum::<f64>() / n;
    let (mx, my) = (mean(&|p| p.error.log10()), mean(&|p| of(p).log10()));
    let covariance = mean(&|p| (p.error.log10() - mx) * (of(p).log10() - my));
    let variance = mean(&|p| (p.error.log10() - mx).powi(2));
    my + covariance / variance * (x - mx)
}
