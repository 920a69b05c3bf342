//! CVODE on the C text of a model's right-hand side: `bench/peers/cvode_model.c`.
//!
//! Needs a C compiler and SUNDIALS 6; one elsewhere is found through `SUNDIALS=PREFIX`. Where they are not there, nothing is
//! measured.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use kausal::Program;
use kausal_symbolic::VarId;
use kausal_translate::flow;
use kausal_translate::program::Kind;

use crate::{Measured, SHORTEST};

/// Runs with these tolerances; `error` judges the states at the instants.
pub fn measure(
    program: &Program,
    stop: f64,
    instants: usize,
    tolerances: &[f64],
    error: impl Fn(&[f64]) -> f64,
) -> Vec<Measured> {
    let known = program.time_events.len() + program.samples.len() + program.delays.len();
    if known + program.transports.len() + program.state_sets.len() > 0 {
        return Vec::new();
    }
    match answers(program, stop, instants, tolerances) {
        Ok(lines) => {
            let runs = lines.lines().zip(tolerances);
            runs.filter_map(|(line, tolerance)| parsed(line, *tolerance, &error)).collect()
        }
        Err(why) => {
            eprintln!("CVODE: {why}");
            Vec::new()
        }
    }
}

fn parsed(line: &str, tolerance: f64, error: &impl Fn(&[f64]) -> f64) -> Option<Measured> {
    let numbers: Vec<f64> = line.split_whitespace().map_while(|word| word.parse().ok()).collect();
    let [milliseconds, steps, evaluations, _, states @ ..] = &numbers[..] else { return None };
    let (steps, evaluations) = (*steps as u64, *evaluations as u64);
    Some(Measured { tolerance, seconds: 1e-3 * milliseconds, error: error(states), steps, evaluations })
}

fn answers(program: &Program, stop: f64, instants: usize, tolerances: &[f64]) -> Result<String, String> {
    let folder = std::env::temp_dir().join(format!("kausal-cvode-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
    let outcome = in_folder(&folder, program, stop, instants, tolerances);
    let _ = std::fs::remove_dir_all(&folder);
    outcome
}

fn in_folder(
    folder: &Path,
    program: &Program,
    stop: f64,
    instants: usize,
    tolerances: &[f64],
) -> Result<String, String> {
    let text = kausal_codegen::c::write(program).map_err(|e| e.to_string())?;
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).map_err(|e| e.to_string());
    write("model.c", &text)?;
    write("tables.h", &tables(program))?;
    let driver = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/peers/cvode_model.c");
    let mut compiler = Command::new("cc");
    compiler.args(["-O2", "-std=gnu11", "-DMODEL=\"model.c\"", "-DTABLES=\"tables.h\"", "-I."]);
    let mut libraries = Vec::new();
    if let Ok(prefix) = std::env::var("SUNDIALS") {
        compiler.arg(format!("-I{prefix}/include"));
        libraries = ["lib", "lib/x86_64-linux-gnu"].map(|at| format!("{prefix}/{at}")).to_vec();
        libraries.iter().for_each(|at| _ = compiler.arg(format!("-L{at}")));
    }
    compiler.current_dir(folder).arg(&driver).args(["-o", "run"]);
    compiler.args(["-lsundials_cvode", "-lsundials_nvecserial", "-lsundials_sunlinsoldense"]);
    compiler.args(["-lsundials_sunmatrixdense", "-lm"]);
    let output = compiler.output().map_err(|e| e.to_string())?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(format!("does not compile: {}", text.lines().next().unwrap_or_default()));
    }
    let mut child = Command::new(folder.join("run"))
        .args([stop.to_string(), instants.to_string(), SHORTEST.to_string()])
        .env("LD_LIBRARY_PATH", libraries.join(":"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|e| e.to_string())?;
    let lines: String = tolerances.iter().map(|t| format!("{t:e}\n")).collect();
    if let Some(mut input) = child.stdin.take() {
        input.write_all(lines.as_bytes()).map_err(|e| e.to_string())?;
    }
    let output = child.wait_with_output().map_err(|e| e.to_string())?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(format!("ended with {}", output.status)),
    }
}

/// What the driver must know of the program: relations, discrete variables, `pre` slots, nominal values.
fn tables(program: &Program) -> String {
    let mut out = String::new();
    let mut list = |name: &str, values: Vec<String>| {
        // No array of C is empty.
        let values = if values.is_empty() { "0".to_owned() } else { values.join(", ") };
        let _ = writeln!(out, "static const {name}[] = {{{values}}};");
    };
    let id = |v: VarId| v.0.to_string();
    let is_discrete =
        |v: VarId| matches!(program.variables[v.index()].kind, Kind::Discrete | Kind::Helper) as u8;
    list("int relation_difference", program.relations.iter().map(|r| id(r.difference)).collect());
    list("int relation_variable", program.relations.iter().map(|r| id(r.variable)).collect());
    list("int pre_variable", program.pre.iter().map(|p| id(p.variable)).collect());
    list("int pre_slot", program.pre.iter().map(|p| id(p.slot)).collect());
    list("int pre_is_discrete", program.pre.iter().map(|p| is_discrete(p.variable).to_string()).collect());
    let discrete = &program.discrete_variables;
    list("int discrete", discrete.iter().map(|v| id(*v)).collect());
    let mut read = Default::default();
    program.dynamics.iter().for_each(|step| flow::reads(&program.pool, step, &mut read));
    let memories = program.relations.iter().map(|r| r.variable).chain(program.pre.iter().map(|p| p.slot));
    let noticed: Vec<VarId> = discrete.iter().copied().chain(memories).filter(|v| read.contains(v)).collect();
    list("int noticed", noticed.iter().map(|v| id(*v)).collect());
    let nominal =
        program.states.iter().map(|s| format!("{:e}", program.variables[s.variable.index()].nominal));
    list("double nominal", nominal.collect());
    let counts = [
        ("relations", program.relations.len() as i64),
        ("pres", program.pre.len() as i64),
        ("discretes", discrete.len() as i64),
        ("notices", noticed.len() as i64),
        ("initial_flag", program.initial_flag.map_or(-1, |v| i64::from(v.0))),
        ("homotopy", program.homotopy.map_or(-1, |v| i64::from(v.0))),
    ];
    let counts: Vec<String> = counts.iter().map(|(name, count)| format!("{name} = {count}")).collect();
    let _ = writeln!(out, "enum {{ {} }};", counts.join(", "));
    out
}
