//! Machine code against the same program as C through `gcc -O2`, on whole models: time of one evaluation of the
//! dynamics, and time to compile all sections.
//!
//! ```text
//! cargo run --release -p kausal --example code_speed -- [MODEL …]
//! ```
//!
//! Without models: the examples below, and those of the Modelica Standard Library that `MODELICAPATH` gives. Both
//! start from the same initial values, and their derivatives are compared. A run is timed in many short bursts of
//! which the shortest counts, so that other work on the machine does not.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use kausal::{Backend, CompiledModel, Session, Settings};
use kausal_runtime::{Machine, Mode, Observer};

const OWN: [&str; 3] = ["Kausal.Examples.Robot", "Kausal.Examples.CoupledClutches", "Ladder"];
const STANDARD: [&str; 4] = [
    "Modelica.Mechanics.MultiBody.Examples.Systems.RobotR3.FullRobot",
    "Modelica.Mechanics.MultiBody.Examples.Elementary.DoublePendulum",
    "Modelica.Electrical.Analog.Examples.CauerLowPassSC",
    "Modelica.Fluid.Examples.DrumBoiler.DrumBoiler",
];
/// A thousand cells.
const LADDER: &str = "model Ladder
  parameter Integer n = 1000;
  parameter Real R[n] = {1 + k/n for k in 1:n}, C = 1, G = 1e-3;
  Real v[n](each start = 0, each fixed = true), i[n + 1];
equation
  R[1]*i[1] = 1 - v[1];
  for k in 2:n loop R[k]*i[k] = v[k - 1] - v[k]; end for;
  i[n + 1] = 0;
  for k in 1:n loop C*der(v[k]) = i[k] - i[k + 1] - G*v[k]*(1 + v[k]^2); end for;
end Ladder;";
const BURSTS: usize = 200;

fn main() {
    let mut models: Vec<String> = std::env::args().skip(1).collect();
    if models.is_empty() {
        models.extend(OWN.map(str::to_owned));
        if std::env::var_os("MODELICAPATH").is_some() {
            models.extend(STANDARD.map(str::to_owned));
        }
    }
    println!(
        "{:24} {:>8} {:>22} {:>7} {:>22} {:>7} {:>9}",
        "model", "bytes C", "us a run jit / gcc", "speed", "compile ms jit / gcc", "faster", "differ"
    );
    for model in models {
        if let Err(why) = measure(&model) {
            println!("{model}: {why}");
        }
    }
}

fn measure(name: &str) -> Result<(), String> {
    let mut session = Session::new();
    session.add_modelica_path();
    session.add_text("Ladder.mo", LADDER);
    let flat = session.flatten(name).ok_or("it cannot be flattened")?;
    let program = session.translate(&flat, &Default::default()).ok_or("it cannot be translated")?;
    let text = kausal_codegen::c::write(&program).map_err(|e| e.to_string())?;
    let mut compile = f64::INFINITY;
    let mut compiled = None;
    for _ in 0..10 {
        let program = program.clone();
        let start = Instant::now();
        compiled = Some(CompiledModel::new(program, Backend::Jit).map_err(|e| e.to_string())?);
        compile = compile.min(start.elapsed().as_secs_f64());
    }
    let model = Arc::new(compiled.ok_or("no code")?);
    for (_, why) in model.functions.left_to_the_evaluator() {
        println!("  not as machine code: {why}");
    }
    let (mut machine, values) = started(&model)?;
    let mut k = 0.0;
    let state = model.program.states.first().map_or(0, |s| s.variable.index());
    let repeat = burst(&mut machine, &model)?;
    let run = shortest(BURSTS, || {
        let start = Instant::now();
        for _ in 0..repeat {
            k += 1.0;
            machine.values[state] = values[state] + 1e-9 * k;
            _ = machine.run(&model.dynamics, Mode::Continuous);
        }
        start.elapsed().as_secs_f64() / repeat as f64
    });
    machine.values[state] = values[state];
    machine.run(&model.dynamics, Mode::Continuous).map_err(|stop| format!("{stop:?}"))?;
    let derivatives: Vec<f64> =
        model.program.states.iter().map(|s| machine.values[s.derivative.index()]).collect();
    let (gcc, gcc_compile, theirs) = through_gcc(&text, &values, machine.time, state, repeat)?;
    let differ =
        derivatives.iter().zip(&theirs).map(|(a, b)| (a - b).abs() / (1.0 + a.abs())).fold(0.0, f64::max);
    let short = name.rsplit('.').next().unwrap_or(name);
    println!(
        "{short:24} {:>8} {:>22} {:>7.2} {:>22} {:>7.0} {differ:>9.1e}",
        text.len(),
        format!("{:.2} / {:.2}", run * 1e6, gcc * 1e6),
        gcc / run,
        format!("{:.1} / {:.0}", compile * 1e3, gcc_compile * 1e3),
        gcc_compile / compile,
    );
    Ok(())
}

/// The values at the first instant.
#[derive(Default)]
struct First(Option<(Vec<f64>, f64)>);

impl Observer for First {
    fn record(&mut self, machine: &Machine) {
        self.0.get_or_insert_with(|| (machine.values.clone(), machine.time));
    }

    fn proceed(&mut self, _: f64) -> bool {
        false
    }
}

fn started(model: &Arc<CompiledModel>) -> Result<(Machine, Vec<f64>), String> {
    let mut first = First::default();
    // It is stopped after the first step, which is an error to the run.
    let _ = kausal_runtime::simulate(model.clone(), &Settings::default(), &mut first);
    let (values, time) = first.0.ok_or("there are no initial values")?;
    let mut machine = Machine::new(model.clone());
    machine.run(&model.parameters, Mode::Initial).map_err(|stop| format!("{stop:?}"))?;
    let count = model.program.variables.len();
    machine.values[..count].copy_from_slice(&values[..count]);
    machine.pre[..count].copy_from_slice(&values[..count]);
    machine.time = time;
    Ok((machine, values[..count].to_vec()))
}

/// How many runs make a burst of about a millisecond.
fn burst(machine: &mut Machine, model: &CompiledModel) -> Result<usize, String> {
    let start = Instant::now();
    for _ in 0..10 {
        machine.run(&model.dynamics, Mode::Continuous).map_err(|stop| format!("{stop:?}"))?;
    }
    Ok(1 + (1e-3 / (start.elapsed().as_secs_f64() / 10.0)) as usize)
}

/// Seconds a run takes, seconds `gcc -O2` takes to compile, and the derivatives it gives.
fn through_gcc(
    text: &str,
    values: &[f64],
    time: f64,
    state: usize,
    repeat: usize,
) -> Result<(f64, f64, Vec<f64>), String> {
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    let at = |name: &str| folder.path().join(name);
    let write = |name: &str, content: &[u8]| fs::write(at(name), content).map_err(|e| e.to_string());
    write("model.c", text.as_bytes())?;
    write("driver.c", DRIVER.as_bytes())?;
    write("values", &values.iter().flat_map(|v| v.to_ne_bytes()).collect::<Vec<u8>>())?;
    let gcc = |args: &[&str]| -> Result<f64, String> {
        let start = Instant::now();
        let output = Command::new("gcc").current_dir(folder.path()).args(args).output();
        let output = output.map_err(|e| format!("gcc: {e}"))?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.success() { Ok(start.elapsed().as_secs_f64()) } else { Err(said) }
    };
    let flags = ["-O2", "-std=c11"];
    let compile = gcc(&[&flags[..], &["-c", "model.c"]].concat())?;
    let states: &[&str] = if text.contains("model_derivative[") { &["-DHAS_STATES"] } else { &[] };
    gcc(&[&flags[..], states, &["driver.c", "-lm", "-o", "driver"]].concat())?;
    let numbers = drive(&at("driver"), folder.path(), &[BURSTS as f64, repeat as f64, time, state as f64])?;
    let (&run, derivatives) = numbers.split_first().ok_or("the driver says nothing")?;
    Ok((run, compile, derivatives.to_vec()))
}

fn drive(driver: &Path, folder: &Path, args: &[f64]) -> Result<Vec<f64>, String> {
    let args: Vec<String> = args.iter().map(|a| format!("{a}")).collect();
    let output = Command::new(driver).current_dir(folder).args(args).output().map_err(|e| e.to_string())?;
    if !output.status.success() {
        return Err(format!("the C program fails: {}", String::from_utf8_lossy(&output.stdout)));
    }
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.split_whitespace().map(|n| n.parse().map_err(|_| format!("{n} is not a number"))).collect()
}

fn shortest(times: usize, measure: impl FnMut() -> f64) -> f64 {
    std::iter::repeat_with(measure).take(times).fold(f64::INFINITY, f64::min)
}

const DRIVER: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "model.c"
static model m;
int main(int argc, char **argv)
{
    if (argc < 5) return 2;
    const int bursts = atoi(argv[1]), repeat = atoi(argv[2]), state = atoi(argv[4]);
    double shortest = HUGE_VAL, k = 0.0, start;
    FILE *values = fopen("values", "rb");
    model_start(&m);
    m.time = atof(argv[3]);
    if (model_parameters(&m)) { puts(m.message ? m.message : "parameters"); return 1; }
    if (!values || fread(m.v, sizeof(double), model_variables, values) != model_variables) return 2;
    for (int i = 0; i < model_variables; i++) m.pre[i] = m.v[i];
    start = m.v[state];
    for (int burst = 0; burst < bursts; burst++) {
        struct timespec a, b;
        timespec_get(&a, TIME_UTC);
        for (int i = 0; i < repeat; i++) {
            m.v[state] = start + 1e-9*++k;
            if (model_dynamics(&m)) { puts(m.message ? m.message : "dynamics"); return 1; }
        }
        timespec_get(&b, TIME_UTC);
        shortest = fmin(shortest, ((double)(b.tv_sec - a.tv_sec) + 1e-9*(double)(b.tv_nsec - a.tv_nsec))/repeat);
    }
    m.v[state] = start;
    if (model_dynamics(&m)) { puts(m.message ? m.message : "dynamics"); return 1; }
    printf("%.17g\n", shortest);
#ifdef HAS_STATES
    for (int i = 0; i < model_states; i++) printf("%.17g\n", m.v[model_derivative[i]]);
#endif
    return 0;
}
"#;
