//! What derivatives cost: those of runs, in runs without them, and matrices at many points.
//!
//! ```text
//! cargo run --release -p kausal --example derivatives
//! ```
//!
//! For each model the time of a run, of a run with derivatives by k parameters, and their ratio: k parameters should cost at most as much
//! as k more runs. Then 20,000 linearisations of a chain with 50 states, at as many start values, in two threads. Seconds of computing
//! are counted, and the fastest of some turns: the machine may have other work.

mod clock;

use std::time::Instant;

use kausal::{Model, Setting};

/// Turns of each measurement.
const TURNS: usize = 3;

const VAN_DER_POL: &str = "model VanDerPol parameter Real mu = 2; parameter Real a = 1; parameter Real b = 1; Real x(start = 2, fixed = true);
    Real v(start = 0, fixed = true); equation der(x) = a*v; der(v) = mu*(1 - x^2)*v - b*x; annotation(experiment(StopTime = 100)); end VanDerPol;";

const CHAIN: &str = "model Chain parameter Real k = 1; parameter Real c = 0.1; parameter Real m = 1; constant Integer n = 25;
    Real x[n](each start = 0, each fixed = true); Real v[n](each start = 0, each fixed = true); Real e[n + 1];
    equation e[1] = x[1] - sin(time); for i in 2:n loop e[i] = x[i] - x[i - 1]; end for; e[n + 1] = -x[n]; der(x) = v;
    for i in 1:n loop m*der(v[i]) = k*(e[i + 1] - e[i]) - c*v[i] - 0.1*x[i]^3; end for;
    annotation(experiment(StopTime = 100)); end Chain;";

const STIFF: &str = "model Stiff parameter Real k = 0.04; parameter Real l = 1e4; Real a(start = 1, fixed = true); Real b(start = 0, fixed = true, nominal = 1e-5);
    Real c(start = 0, fixed = true); equation der(a) = -k*a + l*b*c; der(b) = k*a - l*b*c - 3e7*b^2; der(c) = 3e7*b^2;
    annotation(experiment(StopTime = 1000)); end Stiff;";

fn main() {
    let cases: [(Result<Model, kausal::Error>, &[&str]); 6] = [
        (Model::load("Kausal.Examples.RC"), &["capacitor.C"]),
        (Model::from_text(VAN_DER_POL), &["mu", "a", "b"]),
        (Model::from_text(STIFF), &["k", "l"]),
        (Model::from_text(CHAIN), &["k", "c", "m"]),
        (Model::load("Kausal.Examples.Rectifier"), &["capacitor.C", "load.R"]),
        (Model::load("Kausal.Examples.Robot"), &["mechanics.load"]),
    ];
    for (model, by) in cases {
        let model = match model {
            Ok(model) => model,
            Err(error) => {
                println!("{error}");
                continue;
            }
        };
        let state = model.states().map(|mut all| all.swap_remove(0).name).unwrap_or_default();
        let fastest = |run: &dyn Fn() -> Result<(), kausal::Error>| -> f64 {
            fastest(TURNS, &mut || {
                if let Err(error) = run() {
                    println!("{}: {error}", model.name());
                }
            })
        };
        let plain = fastest(&|| model.simulation().variables([&state]).run().map(drop));
        let with = fastest(&|| model.simulation().sensitivities(by.iter().copied(), [&state]).map(drop));
        println!(
            "{}: a run {:.2} ms, with derivatives by {} {:.2} ms: {:.2} runs (asked for: {})",
            model.name(),
            1e3 * plain,
            by.len(),
            1e3 * with,
            with / plain,
            1 + by.len()
        );
    }
    let Ok(chain) = Model::from_text(CHAIN) else { return };
    let names: Vec<String> = (1..=25).map(|i| format!("x[{i}]")).collect();
    let rows: Vec<Vec<Setting>> = (0..20_000)
        .map(|k| (0..25).map(|i| Setting::from((f64::from(k * 25 + i) * 0.618).fract())).collect())
        .collect();
    let (begin, before) = (Instant::now(), clock::computed());
    let made = chain.linearize().threads(2).over(names, &rows);
    let seconds = begin.elapsed().as_secs_f64();
    let good = made.iter().flatten().filter(|one| one.as_ref().is_ok_and(|l| l.states.len() == 50)).count();
    let computed = clock::computed() - before;
    println!(
        "{good} linearisations of 50 states on two threads: {seconds:.2} s (asked for: 10), {computed:.2} s of computing"
    );
}

/// Seconds of computing that one of these takes: the fastest of some turns, each of at least [`clock::TURN`] seconds.
fn fastest(turns: usize, one: &mut dyn FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..turns {
        let (begin, mut count) = (clock::computed(), 0u32);
        let took = loop {
            one();
            count += 1;
            let took = clock::computed() - begin;
            if took >= clock::TURN {
                break took;
            }
        };
        best = best.min(took / f64::from(count));
    }
    best
}
