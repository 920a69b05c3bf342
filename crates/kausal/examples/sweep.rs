//! Many runs from one compiled model with other values each, on all cores, beside a bare loop over the same runs.
//!
//! ```text
//! cargo run --release -p kausal --example sweep -- [MODEL [RUNS [THREADS]]]
//! ```
//!
//! MODEL is `rectifier`, `robot` or `lorenz`. The bare loop makes some of the runs one after the other in one thread, with values
//! given to the compiled model and the last value of the first state taken. Printed are the time of a run in it, the time of a run
//! in the sweep and thread, and how many runs of the loop a thread of the sweep makes in the time of one: by the clock, and by
//! seconds of computing, which other work on the machine does not change. Loop and sweep take turns, and the fastest turns count.
//! Last values are compared bit for bit.

mod clock;

use std::sync::Arc;
use std::time::Instant;

use kausal::{CompiledModel, Model, Request, Settings, simulate, sweep::Values, tune};

const LORENZ: &str = "model Lorenz parameter Real s = 10; Real x(start = 1, fixed = true); Real y(start = 1, fixed = true);
    Real z(start = 1, fixed = true); equation der(x) = s*(y - x); der(y) = x*(28 - z) - y; der(z) = x*y - 8/3*z; end Lorenz;";

/// Turns of the loop and the sweep.
const TURNS: usize = 5;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let which = arguments.next().unwrap_or_else(|| "rectifier".to_owned());
    let mut number = || arguments.next().and_then(|a| a.parse::<usize>().ok());
    let (load, name, from, to, usual) = match which.as_str() {
        "robot" => (Model::load("Kausal.Examples.Robot"), "mechanics.load", 6.0, 24.0, 1000),
        "lorenz" => (Model::from_text(LORENZ), "s", 9.0, 11.0, 20_000),
        _ => (Model::load("Kausal.Examples.Rectifier"), "load.R", 10.0, 40.0, 10_000),
    };
    let begin = Instant::now();
    let model = load.expect("a model");
    let runs = number().unwrap_or(usual);
    let threads = number().unwrap_or(2);
    println!("{}: loaded in {:.3} s", model.name(), begin.elapsed().as_secs_f64());
    let state = model.states().expect("a program").swap_remove(0).name;
    let compiled = model.compiled().expect("code");
    let request = Request::default();
    let method = request.method().expect("the usual one");
    let settings = request.settings(method, &model.experiment(), &mut Vec::new()).expect("the usual run");
    let settings = Settings { instants: [settings.stop].into(), ..settings };
    let values = match Values::linear(from, to, runs) {
        Values::List(list) => list,
        Values::Random(_) => Vec::new(),
    };
    let values: Vec<f64> =
        values.iter().map(|v| if let kausal::Setting::Number(v) = v { *v } else { 0.0 }).collect();
    let sample = (runs / TURNS).clamp(1, 200);
    let picked: Vec<usize> = (0..sample).map(|k| k * runs / sample).collect();
    let (mut alone, mut together) = ([f64::INFINITY; 2], [f64::INFINITY; 2]);
    let mut columns: Vec<Vec<f64>> = Vec::new();
    let mut ends = Vec::new();
    for _ in 0..TURNS {
        let (before, busy) = (Instant::now(), clock::computed());
        let mut made = 0;
        while made == 0 || clock::computed() - busy < clock::TURN {
            ends = picked.iter().map(|&k| run(&compiled, &settings, name, values[k], &state)).collect();
            made += sample;
        }
        let took = [before.elapsed().as_secs_f64(), clock::computed() - busy];
        alone = [0, 1].map(|i| alone[i].min(took[i] / made as f64));
        let (before, busy) = (Instant::now(), clock::computed());
        let swept =
            model.sweep().vary(name, values.clone()).last(&state).threads(threads).run().expect("a sweep");
        let took = [threads as f64 * before.elapsed().as_secs_f64(), clock::computed() - busy];
        together = [0, 1].map(|i| together[i].min(took[i] / runs as f64));
        assert_eq!(swept.failed(), 0, "{:?}", swept.reason(0));
        columns.push(swept.get(&format!("final({state})")).expect("a column"));
    }
    assert!(columns.windows(2).all(|c| c[0] == c[1]), "sweeps differ");
    for (&k, end) in picked.iter().zip(&ends) {
        assert!(
            columns[0][k].to_bits() == end.to_bits(),
            "loop and sweep differ in run {k}, {name} = {}: {end:e} and {:e}",
            values[k],
            columns[0][k]
        );
    }
    for (i, what) in ["by the clock", "of computing"].into_iter().enumerate() {
        println!(
            "{what}: bare loop {:.1} us a run, sweep of {runs} on {threads} threads {:.1} us a run and thread: {:.3} of the loop",
            1e6 * alone[i],
            1e6 * together[i],
            alone[i] / together[i]
        );
    }
}

/// The last value of a state in a run of the compiled model.
fn run(model: &Arc<CompiledModel>, settings: &Settings, name: &str, value: f64, state: &str) -> f64 {
    let overrides = Arc::new(tune::overrides(model, &[(name, value)]).expect("it is tunable"));
    let settings = Settings { overrides, ..settings.clone() };
    let run = simulate::run(model.clone(), &settings, &|name| name == state, None, &mut |_| true);
    assert!(run.diagnostics.iter().all(|d| !d.is_error()), "{:?}", run.diagnostics);
    run.trajectory.get(state).and_then(|x| x.last().copied()).expect("a value")
}
