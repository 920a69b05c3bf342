//! Inlined steps against the classical interface, as ratios of computing time within one run; with `--markdown FILE`
//! `docs/inline.md`. See `bench/inline`.
//!
//! Three ways to take the same BDF steps: inlined; classical with a dense Jacobian of differences, as the paper knew it; and our
//! best classical one, which is the fastest of that, BDF and the automatic choice with a sparse Jacobian of derivatives. All
//! with the same tolerance; errors are those of the states at the end, relative to the largest value of each, against a run
//! with a thousandth of the tolerance.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Instant;

use kausal::simulate::{self, Run};
use kausal::{Backend, CompiledModel, Inline, JacobianMode, Method, Options, Session, Settings, summary};

const TOLERANCE: f64 = 1e-6;
const REPETITIONS: usize = 3;
/// Seconds that are measured at least.
const SHORTEST: f64 = 0.15;

const MODELS: [(&str, &str); 14] = [
    ("Robot", "six-axis robot with motors, gears and control"),
    ("RobotArm", "its mechanics alone"),
    ("MotorControl", "control system"),
    ("TwoFilters", "filters"),
    ("SampledControl", "sampled control"),
    ("ElasticDriveTrain", "drive train with backlash"),
    ("CoupledClutches", "drive train with clutches"),
    ("HeatedRod", "heat conduction"),
    ("Reaction", "chemical kinetics"),
    ("VanDerPol", "stiff oscillator"),
    ("DiodeRectifier", "circuit with an exponential diode"),
    ("TransmissionLine", "circuit with 60 states"),
    ("SpringPendulum", "mechanics"),
    ("StickSlip", "dry friction"),
];

struct Compiled {
    off: Arc<CompiledModel>,
    on: Arc<CompiledModel>,
    iterated: usize,
    auto: bool,
    stop: f64,
}

fn compiled(name: &str) -> Option<Compiled> {
    let model = format!("Kausal.Examples.{name}");
    let mut session = Session::new();
    let flat = session.flatten(&model)?;
    let mut translate = |inline| session.translate(&flat, &Options { inline, ..Options::default() });
    let (off, on, auto) = (translate(Inline::Off)?, translate(Inline::Bdf)?, translate(Inline::Auto)?);
    let iterated = summary::of(&on, session.seconds).inline.map_or(0, |i| i.iteration_variables.len());
    let auto = auto.discretized.is_some();
    let stop = flat.experiment.stop.unwrap_or(1.0);
    let mut compile = |program| session.compile(program, Backend::Jit).map(Arc::new);
    Some(Compiled { off: compile(off)?, on: compile(on)?, iterated, auto, stop })
}

/// Seconds this thread has computed, where the system tells; else those of the clock.
fn computed(since: Instant) -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    match text.split_whitespace().next().and_then(|n| n.parse::<f64>().ok()) {
        Some(nanoseconds) => nanoseconds * 1e-9,
        None => since.elapsed().as_secs_f64(),
    }
}

fn run(
    model: &Arc<CompiledModel>,
    stop: f64,
    method: Method,
    jacobian: JacobianMode,
    tolerance: f64,
) -> (Run, f64) {
    let settings =
        Settings { stop, interval: stop / 20.0, method, jacobian, tolerance, ..Settings::default() };
    let once = || simulate::run(model.clone(), &settings, &|_| true, None, &mut |_| true);
    let since = Instant::now();
    let run = once();
    // Short runs are repeated: the system counts computing time in coarse units.
    let repeats = (SHORTEST / since.elapsed().as_secs_f64()).ceil().clamp(1.0, 2000.0);
    let before = computed(since);
    (0..repeats as usize).for_each(|_| drop(once()));
    (run, (computed(since) - before) / repeats)
}

/// The largest difference of a state at the end, as a part of the largest value it had.
fn error(model: &CompiledModel, run: &Run, reference: &Run) -> f64 {
    let mut worst = 0.0f64;
    for state in &model.program.states {
        let name = &model.program.variables[state.variable.index()].name;
        let (Some(a), Some(b)) = (run.trajectory.get(name), reference.trajectory.get(name)) else { continue };
        let size = b.iter().fold(1e-9f64, |m, v| m.max(v.abs()));
        if let (Some(a), Some(b)) = (a.last(), b.last()) {
            worst = worst.max((a - b).abs() / size);
        }
    }
    worst
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let file = arguments.iter().position(|a| a == "--markdown").and_then(|k| arguments.get(k + 1));
    let mut table = String::new();
    for (name, what) in MODELS {
        let Some(model) = compiled(name) else {
            eprintln!("{name} cannot be translated");
            continue;
        };
        let ways = [
            (&model.on, Method::Bdf, JacobianMode::Auto),
            (&model.off, Method::Bdf, JacobianMode::NumericDense),
            (&model.off, Method::Bdf, JacobianMode::Auto),
            (&model.off, Method::Auto, JacobianMode::Auto),
        ];
        let (reference, _) = run(&model.off, model.stop, Method::Auto, JacobianMode::Auto, 1e-3 * TOLERANCE);
        let mut best = [f64::INFINITY; 4];
        let mut runs: Vec<Option<Run>> = vec![None, None, None, None];
        for _ in 0..REPETITIONS {
            for (k, (compiled, method, jacobian)) in ways.iter().enumerate() {
                let (run, seconds) = run(compiled, model.stop, *method, *jacobian, TOLERANCE);
                best[k] = best[k].min(seconds);
                runs[k] = Some(run);
            }
        }
        let errors: Vec<f64> = runs.iter().flatten().map(|r| error(&model.off, r, &reference)).collect();
        let steps: Vec<u64> = runs.iter().flatten().map(|r| r.statistics.steps).collect();
        let classical = best[1].min(best[2]).min(best[3]);
        let (states, iterated) = (model.off.program.states.len(), model.iterated);
        let auto = if model.auto { "on" } else { "off" };
        let _ = writeln!(
            table,
            "| `{name}`: {what} | {states} | {iterated} | {:.2} | {:.2} | {} / {} / {} | {:.0e} / {:.0e} / {:.0e} | {auto} |",
            best[1] / best[0],
            classical / best[0],
            steps[0],
            steps[2],
            steps[3],
            errors[0],
            errors[2],
            errors[3],
        );
        eprintln!("{name}: {:?} seconds", best);
    }
    let text = format!(
        "# Inline integration, measured\n\n\
         Written by `bench/inline`. Computing times of the same run on the same machine, as ratios: how many times faster the\n\
         inlined step is (`--inline bdf`, tolerance {TOLERANCE:e}) than `--method bdf --jacobian numeric-dense`, which is the classical\n\
         interface as *Inline integration* (Elmqvist, Otter and Cellier 1995) knew it, and than our best classical mode, the\n\
         fastest of that, `--method bdf` and `--method auto` with sparse Jacobians of derivatives. Below one, inlining does not pay.\n\
         Steps and errors are those of inlined BDF, classical BDF and the automatic choice; errors are those of the states at\n\
         the end against a run with a thousandth of the tolerance, as parts of the largest value of each state.\n\
         The last column says what `--inline auto` does.\n\n\
         | model | states | iteration variables | dense differences / inlined | best classical / inlined | steps | errors | auto |\n\
         | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |\n{table}"
    );
    match file {
        Some(file) => std::fs::write(file, text).unwrap_or_else(|e| eprintln!("{file}: {e}")),
        None => print!("{text}"),
    }
}
