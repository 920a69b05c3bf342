//! Inlined steps against the classical interface, as ratios of computing time at equal accuracy within one run; with
//! `--markdown FILE` `docs/inline.md`. See `bench/inline`.
//!
//! Ways to integrate the same model: inlined BDF; classical BDF with a dense Jacobian of differences, as the paper knew it; our
//! best classical mode, which is the fastest of that, BDF and the automatic choice with a sparse Jacobian of derivatives; and
//! CVODE on the C text of the right-hand side (`cvode`). Each is run with several tolerances. Its error is measured against a
//! run with a tolerance far smaller, at many instants; its time is that of its fastest run that is at least as exact as the
//! inlined one with the usual tolerance.
//!
//! Model names as arguments restrict the table. `--way inlined|anew|dense|sparse|auto|chosen` runs one way, with
//! `--tolerance` and for as long as `--seconds` says, and prints what it did.

mod cvode;

use std::collections::HashSet;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Instant;

use kausal::simulate::{self, Run};
use kausal::{
    Backend, CompiledModel, Inline, JacobianMode, Method, Options, Program, Session, Settings, Statistics,
    summary,
};

const TOLERANCE: f64 = 1e-6;
/// All ways are run with these, too.
const TOLERANCES: [f64; 7] = [1e-4, 1e-5, 3e-6, TOLERANCE, 3e-7, 1e-7, 1e-8];
const REFERENCE: f64 = 1e-11;
const REPETITIONS: usize = 5;
/// Seconds that are measured at least.
const SHORTEST: f64 = 0.06;
/// Instants at which states are compared.
const INSTANTS: usize = 20;

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

const WAYS: [&str; 6] = ["inlined", "anew", "dense", "sparse", "auto", "chosen"];

struct Compiled {
    off: Arc<CompiledModel>,
    on: Arc<CompiledModel>,
    /// With `--inline auto`.
    chosen: Arc<CompiledModel>,
    iterated: usize,
    stop: f64,
}

/// A run: seconds, and how far its states are off.
#[derive(Clone, Debug)]
struct Measured {
    tolerance: f64,
    seconds: f64,
    error: f64,
    steps: u64,
    evaluations: u64,
}

fn compiled(name: &str) -> Option<Compiled> {
    let model = format!("Kausal.Examples.{name}");
    let mut session = Session::new();
    let flat = session.flatten(&model)?;
    let mut translate = |inline| session.translate(&flat, &Options { inline, ..Options::default() });
    let (off, on, chosen) = (translate(Inline::Off)?, translate(Inline::Bdf)?, translate(Inline::Auto)?);
    let iterated = summary::of(&on, session.seconds).inline.map_or(0, |i| i.iteration_variables.len());
    let stop = flat.experiment.stop.unwrap_or(1.0);
    let mut compile = |program| session.compile(program, Backend::Jit).map(Arc::new);
    Some(Compiled { off: compile(off)?, on: compile(on)?, chosen: compile(chosen)?, iterated, stop })
}

impl Compiled {
    fn way(&self, way: usize) -> (&Arc<CompiledModel>, Method, JacobianMode) {
        match way {
            0 => (&self.on, Method::Bdf, JacobianMode::Auto),
            1 => (&self.off, Method::Bdf, JacobianMode::NumericDenseAnew),
            2 => (&self.off, Method::Bdf, JacobianMode::NumericDense),
            3 => (&self.off, Method::Bdf, JacobianMode::Auto),
            4 => (&self.off, Method::Auto, JacobianMode::Auto),
            _ => (&self.chosen, Method::Auto, JacobianMode::Auto),
        }
    }

    /// Runs one way; the states at the instants, what it did, and the seconds of the fastest of several runs, from the end of the
    /// first step on.
    fn run(&self, way: usize, tolerance: f64, shortest: f64) -> (Vec<f64>, Statistics, f64) {
        let (model, method, jacobian) = self.way(way);
        let interval = self.stop / INSTANTS as f64;
        let settings =
            Settings { stop: self.stop, interval, method, jacobian, tolerance, ..Settings::default() };
        // Only states are kept: what storing results costs is the same for all ways.
        let program = &model.program;
        let names: HashSet<&str> = state_names(program).into_iter().collect();
        let wanted = |name: &str| names.contains(name);
        let once = || {
            let mut first = None;
            let mut progress = |_| {
                first.get_or_insert_with(Instant::now);
                true
            };
            let run = simulate::run(model.clone(), &settings, &wanted, None, &mut progress);
            (run, first.map_or(0.0, |first| first.elapsed().as_secs_f64()))
        };
        let since = Instant::now();
        let (run, mut seconds) = once();
        // Other programs may run meanwhile: the fastest of many runs was disturbed least.
        while since.elapsed().as_secs_f64() < shortest {
            seconds = seconds.min(once().1);
        }
        (states_at(&self.off.program, &run, interval), run.statistics, seconds)
    }
}

fn state_names(program: &Program) -> Vec<&str> {
    program.states.iter().map(|s| program.variables[s.variable.index()].name.as_str()).collect()
}

/// All states at all instants, before what happens there.
fn states_at(program: &Program, run: &Run, interval: f64) -> Vec<f64> {
    let times = &run.trajectory.time;
    let last = times.len().saturating_sub(1);
    let near = |t: f64| times.iter().position(|&at| at >= t - 1e-9 * interval).unwrap_or(last);
    let rows: Vec<usize> = (1..=INSTANTS).map(|k| near(k as f64 * interval)).collect();
    let columns: Vec<Vec<f64>> =
        state_names(program).into_iter().map(|name| run.trajectory.get(name).unwrap_or_default()).collect();
    rows.iter()
        .flat_map(|&row| columns.iter().map(move |c| c.get(row).copied().unwrap_or(f64::NAN)))
        .collect()
}

/// The largest error of a state, its root mean square over the instants, as a part of the largest value the state has.
fn error(states: &[f64], reference: &[f64]) -> f64 {
    let n = reference.len() / INSTANTS;
    let of = |i: usize| {
        let at = |k: usize| (states[k * n + i], reference[k * n + i]);
        let size = (0..INSTANTS).map(|k| at(k).1.abs()).fold(1e-9, f64::max);
        let sum: f64 = (0..INSTANTS).map(|k| ((at(k).0 - at(k).1) / size).powi(2)).sum();
        (sum / INSTANTS as f64).sqrt()
    };
    (0..n).map(of).fold(0.0, f64::max)
}

/// The fastest run that is exact enough.
fn fastest(runs: &[Measured], error: f64) -> Option<&Measured> {
    let exact = runs.iter().filter(|m| m.error <= error);
    exact.min_by(|a, b| a.seconds.total_cmp(&b.seconds))
}

fn ratio(of: Option<f64>, to: f64) -> String {
    of.map_or("—".to_owned(), |seconds| format!("{:.2}", seconds / to))
}

/// The runs of a model in all ways and with all tolerances; CVODE's are the last.
struct Runs(Vec<Vec<Measured>>);

const CVODE: usize = WAYS.len();

fn measure(name: &str, model: &Compiled) -> Runs {
    let (reference, ..) = model.run(4, REFERENCE, 0.0);
    let mut runs: Vec<Vec<Measured>> = vec![Vec::new(); WAYS.len()];
    for tolerance in TOLERANCES {
        let mut best = [f64::INFINITY; WAYS.len()];
        let mut last = vec![None; WAYS.len()];
        for _ in 0..REPETITIONS {
            for way in 0..WAYS.len() {
                let (states, statistics, seconds) = model.run(way, tolerance, SHORTEST);
                best[way] = best[way].min(seconds);
                last[way] = Some((error(&states, &reference), statistics));
            }
        }
        for (way, last) in last.into_iter().enumerate() {
            let Some((error, did)) = last else { continue };
            let (steps, evaluations) = (did.steps, did.rhs_evaluations);
            runs[way].push(Measured { tolerance, seconds: best[way], error, steps, evaluations });
        }
    }
    runs.push(cvode::measure(&model.off.program, model.stop, INSTANTS, &TOLERANCES, |states| {
        error(states, &reference)
    }));
    for (way, runs) in WAYS.iter().chain(&["cvode"]).zip(&runs) {
        for m in runs {
            eprintln!(
                "{name} {way} {:e}: {:.3} ms, error {:.1e}, {} steps",
                m.tolerance,
                1e3 * m.seconds,
                m.error,
                m.steps
            );
        }
    }
    Runs(runs)
}

/// The fastest runs in all ways that are at least as exact as the inlined one with one tolerance.
struct Compared<'a> {
    error: f64,
    runs: Vec<Option<&'a Measured>>,
    /// Around CVODE events are less exact: where no tolerance helps, the runs with the same one are compared.
    inexact: bool,
}

impl Compared<'_> {
    fn new(runs: &Runs, tolerance: f64) -> Compared<'_> {
        let with = |way: usize| runs.0[way].iter().find(|m| m.tolerance == tolerance);
        let error = with(0).map_or(tolerance, |m| m.error);
        let mut compared: Vec<Option<&Measured>> = runs.0.iter().map(|r| fastest(r, error)).collect();
        let inexact = compared[CVODE].is_none();
        compared[CVODE] = compared[CVODE].or(with(CVODE));
        Compared { error, runs: compared, inexact: inexact && with(CVODE).is_some() }
    }

    fn seconds(&self, way: usize) -> Option<f64> {
        self.runs[way].map(|m| m.seconds)
    }

    fn classical(&self) -> Option<f64> {
        (2..5).filter_map(|way| self.seconds(way)).reduce(f64::min)
    }

    /// How many times slower the classical ways and CVODE are than the inlined one.
    fn ratios(&self) -> String {
        let inlined = self.seconds(0).unwrap_or(f64::NAN);
        let mark = if self.inexact { "\\*" } else { "" };
        let to = |way| ratio(self.seconds(way), inlined);
        let bdf = (2..4).filter_map(|way| self.seconds(way)).reduce(f64::min);
        let (bdf, best) = (ratio(bdf, inlined), ratio(self.classical(), inlined));
        format!("{} | {} | {}{mark} | {bdf} | {best}", to(1), to(2), to(CVODE))
    }
}

fn row(name: &str, what: &str, model: &Compiled, runs: &Runs) -> String {
    let compared = Compared::new(runs, TOLERANCE);
    let steps = |way: usize| compared.runs[way].map_or("—".to_owned(), |m| m.steps.to_string());
    let (states, iterated) = (model.off.program.states.len(), model.iterated);
    let auto = if model.chosen.program.discretized.is_some() { "on" } else { "off" };
    let chosen = ratio(compared.classical(), compared.seconds(5).unwrap_or(f64::NAN));
    format!(
        "| `{name}`: {what} | {states} | {iterated} | {} | {} / {} / {} / {} | {:.0e} | {auto} | {chosen} |\n",
        compared.ratios(),
        steps(0),
        steps(3),
        steps(4),
        steps(CVODE),
        compared.error,
    )
}

/// The same model with all tolerances.
fn by_tolerance(runs: &Runs) -> String {
    let mut table = String::new();
    for inlined in &runs.0[0] {
        let compared = Compared::new(runs, inlined.tolerance);
        let evaluations = |way: usize| {
            let run = runs.0[way].iter().find(|m| m.tolerance == inlined.tolerance);
            run.map_or(f64::NAN, |m| m.evaluations as f64)
        };
        let _ = writeln!(
            table,
            "| {:e} | {:.0e} | {} | {:.1} |",
            inlined.tolerance,
            compared.error,
            compared.ratios(),
            evaluations(1) / evaluations(0)
        );
    }
    table
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let after = |flag: &str| arguments.iter().position(|a| a == flag).and_then(|k| arguments.get(k + 1));
    let wanted: Vec<&String> =
        arguments.iter().filter(|a| MODELS.iter().any(|(name, _)| a == name)).collect();
    let only = after("--way").and_then(|way| WAYS.iter().position(|w| w == way));
    let seconds = after("--seconds").and_then(|s| s.parse().ok()).unwrap_or(0.5);
    let tolerance = after("--tolerance").and_then(|t| t.parse().ok()).unwrap_or(TOLERANCE);
    let (mut table, mut robot) = (String::new(), String::new());
    for (name, what) in MODELS {
        if !wanted.is_empty() && !wanted.iter().any(|w| *w == name) {
            continue;
        }
        let Some(model) = compiled(name) else {
            eprintln!("{name} cannot be translated");
            continue;
        };
        if let Some(way) = only {
            let (_, statistics, seconds) = model.run(way, tolerance, seconds);
            println!("{name}: {:.3} ms {statistics:?}", 1e3 * seconds);
            continue;
        }
        let runs = measure(name, &model);
        table.push_str(&row(name, what, &model, &runs));
        if name == "Robot" {
            robot = by_tolerance(&runs);
        }
    }
    if only.is_some() {
        return;
    }
    let mut text = String::new();
    let _ = write!(
        text,
        "# Inline integration, measured\n\n\
         Written by `bench/inline`. Times on the same machine in one run, as ratios at equal accuracy: how many times\n\
         faster the inlined step is (`--inline bdf`) than\n\n\
         - `--method bdf --jacobian numeric-dense-anew`, the classical interface as *Inline integration* (Elmqvist, Otter and\n\
         \u{20} Cellier 1995) knew it: Newton's method on all states, with a dense Jacobian of differences that is made anew with each\n\
         \u{20} matrix, and a start with order one after each event, as LSODAR and DASSLRT do;\n\
         - `--method bdf --jacobian numeric-dense`, the same with Jacobians that are kept over many steps, as CVODE does;\n\
         - CVODE of SUNDIALS on the same right-hand side, written as C and compiled with `gcc -O2`, also with dense differences;\n\
         - classical BDF: the faster of the second and `--method bdf`, with a sparse Jacobian of derivatives;\n\
         - our best classical mode: the faster of that and `--method auto`, which takes explicit steps where they do.\n\n\
         Below one, inlining does not pay. All ways are run with tolerances from 1e-4 to 1e-8; the error of a run is the root mean\n\
         square, over {INSTANTS} instants, of the difference to a run with tolerance {REFERENCE:e}, of the worst state, as a part of its\n\
         largest value. Compared are the fastest runs that are at least as exact as the inlined one with tolerance {TOLERANCE:e}; that\n\
         error and the steps of these runs (inlined, `bdf`, `auto`, CVODE) are in the table. Times are those of\n\
         integration with its events behind the first step, without storing results, and without making code: that of Jacobians\n\
         is made in the first of several runs. The last two columns say what `--inline auto` does and\n\
         how it compares with our best classical mode: it starts with an explicit method and takes implicit steps where the model turns\n\
         out to be stiff, inlined ones if it is on. It is on where an inlined step is expected to cost less than a classical one of BDF: in runs of a hundred steps or less what it takes to find that out is seen. A star: events around CVODE are\n\
         less exact than that at any tolerance; then its run with tolerance 1e-6 is compared. A dash: no run was\n\
         exact enough, or the model has instants known in advance, which the program around CVODE does not know.\n\n\
         | model | states | iteration variables | dense, anew / inlined | dense, kept / inlined | CVODE / inlined | classical BDF / inlined | best classical / inlined | steps | error | `--inline auto` | best classical / auto |\n\
         | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- | ---: |\n{table}\n\
         ## The robot\n\n\
         | tolerance | error | dense, anew / inlined | dense, kept / inlined | CVODE / inlined | classical BDF / inlined | best classical / inlined | evaluations, anew / inlined |\n\
         | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n{robot}\n\
         Each line compares times as above, with the error of the inlined run at that tolerance; the last column is of runs with\n\
         that tolerance.\n\n\
         The paper reports a factor of more than ten. Machine code makes an evaluation of the right-hand side\n\
         cheap, and matrices are made seldom where Jacobians are kept; then the mechanics, which all ways evaluate little more than\n\
         once in a step, are most of the work, besides the integration method's own arithmetic on 66 states and the search for\n\
         events, which are the same in all ways. What Newton's method on all states costs besides is seen in the first three ratios.\n\
         Friction in six axes decides many of the steps: at each change between sticking and sliding the first way starts again with\n\
         order one, the others of ours with a Runge–Kutta step that makes a past of order four. Relations that decide nothing, such\n\
         as that of breaking away while an axis slides, cause no events, and events\n\
         that the continuous part does not read do not interrupt the integration, in none of the ways.\n\n\
         With a friction characteristic that is not linear in the speed there are six iteration variables, too. Motor and axis are joined by\n\
         a spring in three axes: given the motion of the axis, that of the motor still depends on itself through its friction, with its\n\
         circuit and its control. That part is linear but for the speed of the motor, and is iterated on it by itself, inside the iteration on the six.\n"
    );
    match after("--markdown") {
        Some(file) => std::fs::write(file, text).unwrap_or_else(|e| eprintln!("{file}: {e}")),
        None => print!("{text}"),
    }
}
