//! Forward dynamics of chains of revolute joints with general axes, offsets and full inertia tensors, against Pinocchio's
//! articulated-body algorithm; run by `bench/pinocchio`, which compiles the other side.
//!
//! ```text
//! cargo run --release -p kausal --example forward_dynamics -- FOLDER [JOINTS …]
//! ```
//!
//! `FOLDER` has the programs `pinocchio-plain` (`g++ -O3`) and `pinocchio-native` (with `-march=native`); without them only our
//! own times are printed. Both sides evaluate the same states, chosen at random, one after the other; a burst goes once
//! through all of them and the shortest burst counts. Ours is the machine code of the section `dynamics`, with the
//! run's own checks of pivots, as the integrator calls it.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use kausal::{Backend, CompiledModel, Options, Session, Settings};
use kausal_runtime::{Machine, Mode, Observer};

const STATES: usize = 64;
const BURSTS: usize = 400;
/// Plain models: vectors in the frames of the bodies, and in the world.
const MODELS: [(&str, &str); 2] =
    [("world frame", "examples/papers/Chain.mo"), ("body frames", "Kausal.Examples.Chain")];

fn main() {
    let mut args = std::env::args().skip(1);
    let folder = args.next().unwrap_or_default();
    let mut joints: Vec<usize> = args.filter_map(|a| a.parse().ok()).collect();
    if joints.is_empty() {
        joints = vec![6, 20, 64];
    }
    println!(
        "{:>6} {:12} {:>10} {:>10} {:>10} {:>14} {:>14} {:>8}",
        "joints", "model", "ours us", "-O3 us", "native us", "ours/-O3", "ours/native", "differ"
    );
    for f in joints {
        let states = random_states(f);
        let problem = problem(f, &states);
        let peers = ["plain", "native"]
            .map(|kind| peer(&Path::new(&folder).join(format!("pinocchio-{kind}")), &problem));
        for (label, model) in MODELS {
            match measure(model, f, &states) {
                Ok((seconds, accelerations)) => report(f, label, seconds, &accelerations, &peers),
                Err(why) => println!("{f:>6} {label:12} {why}"),
            }
        }
    }
}

type Peer = Result<(f64, Vec<f64>), String>;

fn report(f: usize, label: &str, seconds: f64, accelerations: &[f64], peers: &[Peer; 2]) {
    let micros = |p: &Peer| p.as_ref().map_or("-".to_owned(), |(s, _)| format!("{:.2}", s * 1e6));
    let ratio = |p: &Peer| p.as_ref().map_or("-".to_owned(), |(s, _)| format!("{:.2}", seconds / s));
    let differ = |p: &Peer| {
        let theirs = &p.as_ref().ok()?.1;
        // Relative to the largest acceleration of the state: with many joints they differ by orders of magnitude.
        let states = accelerations.chunks(f).zip(theirs.chunks(f));
        let worst = states.map(|(a, b)| {
            let size = a.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
            a.iter().zip(b).fold(0.0, |m: f64, (x, y)| m.max((x - y).abs())) / size
        });
        Some(worst.fold(0.0, f64::max))
    };
    let worst = peers.iter().filter_map(differ).fold(None, |m: Option<f64>, d| Some(m.unwrap_or(0.0).max(d)));
    println!(
        "{f:>6} {label:12} {:>10.2} {:>10} {:>10} {:>14} {:>14} {:>8}",
        seconds * 1e6,
        micros(&peers[0]),
        micros(&peers[1]),
        ratio(&peers[0]),
        ratio(&peers[1]),
        worst.map_or("-".to_owned(), |d| format!("{d:.0e}"))
    );
    for why in peers.iter().filter_map(|p| p.as_ref().err()) {
        eprintln!("  {why}");
    }
}

/// Angles between -3 and 3, velocities between -2 and 2, from a linear congruence.
fn random_states(f: usize) -> Vec<Vec<f64>> {
    let mut seed = 12_345_u64;
    let mut next = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 / (1_u64 << 53) as f64 * 2.0 - 1.0
    };
    (0..STATES).map(|_| (0..2 * f).map(|i| next() * if i < f { 3.0 } else { 2.0 }).collect()).collect()
}

/// The same chain as in the models, as the peer reads it.
fn problem(f: usize, states: &[Vec<f64>]) -> String {
    let mut out = format!("{f} {STATES} 9.80665\n");
    for i in 1..=f {
        let x = i as f64;
        let n = [x.sin(), x.cos(), 0.5];
        let length = n.iter().map(|c| c * c).sum::<f64>().sqrt();
        let place = if i == 1 { [0.0; 3] } else { [0.3, 0.05 * (x - 1.0).cos(), -0.2] };
        let centre = [0.15, 0.02, -0.1 + 0.01 * x.sin()];
        let inertia = [0.02, 0.002, 0.03, -0.001, 0.003, 0.025];
        let numbers =
            n.map(|c| c / length).into_iter().chain(place).chain([1.0]).chain(centre).chain(inertia);
        out.push_str(&numbers.map(|v| format!("{v:.17e}")).collect::<Vec<_>>().join(" "));
        out.push('\n');
    }
    for state in states {
        out.push_str(&state.iter().map(|v| format!("{v:.17e}")).collect::<Vec<_>>().join(" "));
        out.push('\n');
    }
    out
}

/// The shorter time of its two conventions, and the accelerations.
fn peer(program: &Path, problem: &str) -> Peer {
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    let file = folder.path().join("problem");
    std::fs::write(&file, problem).map_err(|e| e.to_string())?;
    let output = Command::new(program).arg(&file).arg(BURSTS.to_string()).output();
    let output = output.map_err(|e| format!("{}: {e}", program.display()))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let numbers: Vec<f64> = text.split_whitespace().filter_map(|n| n.parse().ok()).collect();
    let [local, world, _, accelerations @ ..] = &numbers[..] else {
        return Err(format!("{} says nothing", program.display()));
    };
    Ok((local.min(*world), accelerations.to_vec()))
}

fn measure(name: &str, f: usize, states: &[Vec<f64>]) -> Result<(f64, Vec<f64>), String> {
    let mut session = Session::new();
    let base = if name.ends_with(".mo") {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name);
        session.add_file(&path).and_then(|names| names.last().cloned()).ok_or("the file cannot be read")?
    } else {
        name.to_owned()
    };
    session.add_text("More.mo", &format!("model Member extends {base}(f = {f}); end Member;"));
    let mut flat = session.flatten("Member").ok_or("it cannot be flattened")?;
    flat.hints.clear();
    let program = session.translate(&flat, &Options::default()).ok_or("it cannot be translated")?;
    let model = Arc::new(CompiledModel::new(program, Backend::Jit).map_err(|e| e.to_string())?);
    let mut machine = started(&model)?;
    let place = |name: String| {
        let at = model.program.variables.iter().position(|v| v.name == name);
        at.ok_or(format!("there is no {name}"))
    };
    let mut inputs = Vec::new();
    for quantity in ["q", "qd"] {
        for i in 1..=f {
            inputs.push(place(format!("joint[{i}].{quantity}"))?);
        }
    }
    let mut outputs = Vec::new();
    for i in 1..=f {
        let v = inputs[f + i - 1];
        let state = model.program.states.iter().find(|s| s.variable.index() == v);
        outputs.push(state.ok_or(format!("joint[{i}].qd is no state"))?.derivative.index());
    }
    let mut accelerations = Vec::new();
    for state in states {
        inputs.iter().zip(state).for_each(|(&at, &x)| machine.values[at] = x);
        machine.run(&model.dynamics, Mode::Continuous).map_err(|stop| format!("{stop:?}"))?;
        accelerations.extend(outputs.iter().map(|&at| machine.values[at]));
    }
    let mut shortest = f64::INFINITY;
    for _ in 0..BURSTS {
        let start = Instant::now();
        for state in states {
            inputs.iter().zip(state).for_each(|(&at, &x)| machine.values[at] = x);
            machine.run(&model.dynamics, Mode::Continuous).map_err(|stop| format!("{stop:?}"))?;
        }
        shortest = shortest.min(start.elapsed().as_secs_f64() / states.len() as f64);
    }
    if machine.pivot_fallbacks > 0 {
        println!("  {} evaluations with pivoting", machine.pivot_fallbacks);
    }
    Ok((shortest, accelerations))
}

/// A run's memory with parameters and initial values.
fn started(model: &Arc<CompiledModel>) -> Result<Machine, String> {
    #[derive(Default)]
    struct First(Option<Vec<f64>>);
    impl Observer for First {
        fn record(&mut self, machine: &Machine) {
            self.0.get_or_insert_with(|| machine.values.clone());
        }
        fn proceed(&mut self, _: f64) -> bool {
            false
        }
    }
    let mut first = First::default();
    // It is stopped after the first step, which is an error to the run.
    let _ = kausal_runtime::simulate(model.clone(), &Settings::default(), &mut first);
    let values = first.0.ok_or("there are no initial values")?;
    let mut machine = Machine::new(model.clone());
    machine.run(&model.parameters, Mode::Initial).map_err(|stop| format!("{stop:?}"))?;
    let count = model.program.variables.len();
    machine.values[..count].copy_from_slice(&values[..count]);
    machine.pre[..count].copy_from_slice(&values[..count]);
    Ok(machine)
}
