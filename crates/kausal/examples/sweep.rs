//! Many runs from one compiled model: `Kausal.Examples.Robot` with another load each, on all cores.
//!
//! ```text
//! cargo run --release -p kausal --example sweep -- [RUNS [THREADS]]
//! ```
//!
//! Prints the time of one run alone (the fastest of some), of all runs together, and the ratio of that to what the runs would take
//! one after the other, divided by the number of threads. `bench/sweep` puts the cost of command lines beside it.

use std::sync::Arc;
use std::time::Instant;

use kausal::{Backend, CompiledModel, Session, Settings, simulate, tune};
use rayon::prelude::*;

const MODEL: &str = "Kausal.Examples.Robot";
const LOAD: &str = "mechanics.load";

fn main() {
    let mut arguments = std::env::args().skip(1).map(|a| a.parse::<usize>().ok());
    let runs = arguments.next().flatten().unwrap_or(1000);
    let threads = arguments.next().flatten().unwrap_or(2);
    let begin = Instant::now();
    let mut session = Session::new();
    let flat = session.flatten(MODEL).expect("the example");
    let program = session.translate(&flat, &Default::default()).expect("a program");
    let model = Arc::new(session.compile(program, Backend::Jit).expect("code"));
    println!("compiled in {:.3} s", begin.elapsed().as_secs_f64());
    let experiment = flat.experiment;
    let (start, stop) = (experiment.start.unwrap_or(0.0), experiment.stop.unwrap_or(1.0));
    let tolerance = experiment.tolerance.unwrap_or(1e-6);
    let settings =
        Settings { start, stop, interval: (stop - start) / 500.0, tolerance, ..Settings::default() };

    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    let sample = runs.clamp(1, 20);
    // Alone, but for the load of the machine: the same runs, one after the other.
    let before = Instant::now();
    (0..sample).for_each(|k| _ = run(&model, &settings, load(k * runs / sample, runs)));
    let one = before.elapsed().as_secs_f64() / sample as f64;
    let before = Instant::now();
    let ends: Vec<f64> =
        pool.install(|| (0..runs).into_par_iter().map(|k| run(&model, &settings, load(k, runs))).collect());
    let all = before.elapsed().as_secs_f64();
    let ideal = runs as f64 * one / threads as f64;
    let sum: f64 = ends.iter().sum();
    println!(
        "one run {one:.4} s, {runs} runs on {threads} threads {all:.2} s: {:.3} of the ideal",
        all / ideal
    );
    println!("mean of the last values: {:.9}", sum / runs as f64);
}

/// From half the load of the example to twice as much.
fn load(k: usize, runs: usize) -> f64 {
    6.0 + 18.0 * k as f64 / runs as f64
}

/// The first state at the end of a run.
fn run(model: &Arc<CompiledModel>, settings: &Settings, load: f64) -> f64 {
    let overrides = Arc::new(tune::overrides(model, &[(LOAD, load)]).expect("the load is tunable"));
    let settings = Settings { overrides, ..settings.clone() };
    let state = &model.program.variables[model.program.states[0].variable.index()].name;
    let run = simulate::run(model.clone(), &settings, &|name| name == state, None, &mut |_| true);
    assert!(run.diagnostics.iter().all(|d| !d.is_error()), "{:?}", run.diagnostics);
    run.trajectory.get(state).and_then(|x| x.last().copied()).expect("a value")
}
