//! Inputs of a model from files and functions.

use std::path::PathBuf;
use std::sync::Arc;

use kausal::inputs::{self, Inputs, Signal};
use kausal::simulate::{self, Run};
use kausal::{Backend, CompiledModel, Options, Session, Settings, tune};

fn compiled(text: &str) -> Arc<CompiledModel> {
    let mut session = Session::new();
    session.add_text("M.mo", text);
    let flat = session.flatten("M").expect("a correct model");
    let program = session.translate(&flat, &Options::default());
    let program = program.unwrap_or_else(|| panic!("{:?}", session.take_diagnostics()));
    Arc::new(session.compile(program, Backend::Interpreter).expect("code"))
}

fn run(model: &Arc<CompiledModel>, inputs: Inputs, stop: f64) -> Run {
    let settings = Settings {
        inputs: Arc::new(inputs),
        stop,
        interval: stop / 50.0,
        tolerance: 1e-8,
        ..Settings::default()
    };
    let run = simulate::run(model.clone(), &settings, &|_| true, None, &mut |_| true);
    assert!(run.diagnostics.iter().all(|d| !d.is_error()), "{:?}", run.diagnostics);
    run
}

fn last(run: &Run, name: &str) -> f64 {
    *run.trajectory.get(name).expect("a variable").last().expect("a record")
}

fn given(model: &CompiledModel, name: &str, signal: Signal) -> Inputs {
    let mut inputs = Inputs::new();
    let variable = tune::find(&model.program, name).expect("a variable");
    inputs.set(&model.program, variable, signal).expect("an input");
    inputs
}

#[test]
fn causality_is_kept() {
    let model = compiled(
        "model M input Real u; input Boolean b; discrete input Real d; input Real bound = 3; output Real y; output Real z;
           equation y = u + bound; z = if b then d else 0; end M;",
    );
    let program = &model.program;
    let name = |v: kausal_symbolic::VarId| program.variables[v.index()].name.as_str();
    let inputs: Vec<(&str, bool)> = program.inputs.iter().map(|i| (name(i.variable), i.held)).collect();
    assert_eq!(inputs, [("u", false), ("b", true), ("d", true)]);
    let outputs: Vec<&str> = program.output_variables.iter().map(|v| name(*v)).collect();
    assert_eq!(outputs, ["y", "z"]);
}

#[test]
fn an_input_has_its_start_value_until_it_is_given() {
    let model = compiled(
        "model M parameter Real p = 2; input Real u(start = 2*p); input Real v; Real x = u; Real y = v; end M;",
    );
    assert_eq!(last(&run(&model, Inputs::new(), 1.0), "x"), 4.0);
    assert_eq!(last(&run(&model, Inputs::new(), 1.0), "y"), 0.0);
    let overrides = Arc::new(tune::overrides(&model, &[("p", 3.0), ("v", 5.0)]).expect("tunable"));
    let settings = Settings { overrides, ..Settings::default() };
    let run = simulate::run(model, &settings, &|_| true, None, &mut |_| true);
    assert_eq!((last(&run, "x"), last(&run, "y")), (6.0, 5.0));
}

/// The integral of a triangle of height one and width 2e-3 is 1e-3, wherever steps would have gone; that of a step at 0.3 by two is
/// 1.4. Points: closed form.
#[test]
fn no_step_goes_over_kinks_and_jumps() {
    let model =
        compiled("model M input Real u; Real x(start = 0, fixed = true); equation der(x) = u; end M;");
    let pulse =
        Signal::points(&[0.0, 0.5, 0.501, 0.502, 1.0], &[0.0, 0.0, 1.0, 0.0, 0.0], false).expect("points");
    assert!((last(&run(&model, given(&model, "u", pulse), 1.0), "x") - 1e-3).abs() < 1e-9);
    let step = Signal::points(&[0.0, 0.3, 0.3, 1.0], &[0.0, 0.0, 2.0, 2.0], false).expect("points");
    let run_step = run(&model, given(&model, "u", step), 1.0);
    assert!((last(&run_step, "x") - 1.4).abs() < 1e-9);
    assert_eq!(run_step.statistics.time_events, 1);
    // Both sides of the jump are recorded.
    let (time, u) = (&run_step.trajectory.time, run_step.trajectory.get("u").expect("an input"));
    let at: Vec<f64> = time.iter().zip(&u).filter(|(t, _)| **t == 0.3).map(|(_, u)| *u).collect();
    assert!(at.contains(&0.0) && at.contains(&2.0), "{at:?}");
    // A function, smooth: the integral of cos.
    let smooth = given(&model, "u", Signal::function(f64::cos));
    assert!((last(&run(&model, smooth, 2.0), "x") - 2.0_f64.sin()).abs() < 1e-6);
}

/// Counted in the points: true at 0.2 and 0.6, so two rising edges; the integer at the end is 3.
#[test]
fn discrete_inputs_make_events() {
    let model = compiled(
        "model M input Boolean b; input Integer k; Integer n(start = 0, fixed = true); Real y = k; Integer before(start = 0);
           equation when b then n = pre(n) + 1; end when; when change(k) then before = pre(k); end when; end M;",
    );
    let mut inputs = given(
        &model,
        "b",
        Signal::points(&[0.0, 0.2, 0.4, 0.6], &[0.0, 1.0, 0.0, 1.0], true).expect("points"),
    );
    let k = tune::find(&model.program, "k").expect("an input");
    let points = Signal::points(&[0.0, 0.5], &[2.0, 3.0], true).expect("points");
    inputs.set(&model.program, k, points).expect("an input");
    let run = run(&model, inputs, 1.0);
    assert_eq!((last(&run, "n"), last(&run, "y"), last(&run, "before")), (2.0, 3.0, 2.0));
    assert_eq!(run.statistics.time_events, 4);
}

/// A relation of an input is an event where it crosses: the line passes one half at 0.25.
#[test]
fn crossings_of_inputs_are_located() {
    let model = compiled(
        "model M input Real u; Real t0(start = -1, fixed = true); equation when u > 0.5 then t0 = time; end when; end M;",
    );
    let ramp = Signal::points(&[0.0, 1.0], &[0.0, 2.0], false).expect("points");
    assert!((last(&run(&model, given(&model, "u", ramp), 1.0), "t0") - 0.25).abs() < 1e-8);
}

/// `x = u` and `der(x) = v`: v is the slope of the signal. Of a second derivative points have none; functions may.
#[test]
fn derivatives_of_inputs_come_from_the_signal() {
    let model = compiled("model M input Real u; Real x; Real v; equation x = u; v = der(x); end M;");
    let ramp = || Signal::points(&[0.0, 0.5, 1.0], &[0.0, 1.0, 0.0], false).expect("points");
    let run_ramp = run(&model, given(&model, "u", ramp()), 1.0);
    let (time, v) = (&run_ramp.trajectory.time, run_ramp.trajectory.get("v").expect("a variable"));
    for (t, v) in time.iter().zip(v).filter(|(t, _)| **t != 0.0 && **t != 0.5 && **t < 1.0) {
        assert_eq!(v, if *t < 0.5 { 2.0 } else { -2.0 }, "at {t}");
    }
    let twice = compiled(
        "model M input Real u; Real x; Real v; Real a; equation x = u; v = der(x); a = der(v); end M;",
    );
    let u = tune::find(&twice.program, "u").expect("an input");
    assert!(Inputs::new().set(&twice.program, u, ramp()).is_err());
    let sine = Signal::function(f64::sin).with_derivative(f64::cos).with_derivative(|t| -t.sin());
    let run_sine = run(&twice, given(&twice, "u", sine), 1.0);
    assert!((last(&run_sine, "a") + 1.0_f64.sin()).abs() < 1e-12);
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn write(&self, name: &str, text: &str) -> String {
        let path: PathBuf = self.0.path().join(name);
        std::fs::write(&path, text).expect("a file");
        path.display().to_string()
    }
}

#[test]
fn columns_of_files_are_inputs_and_what_is_wrong_with_them_is_said() {
    let folder = Folder(tempfile::tempdir().expect("a folder"));
    let model = compiled("model M input Real u; input Boolean b; Real x = u; end M;");
    let ask = |words: &[String]| match inputs::from_files(&model.program, words, (0.0, 1.0)) {
        Ok((inputs, said)) => {
            let codes: Vec<&str> = said.iter().map(|d| d.code).collect();
            format!("{} {}", last(&run(&model, inputs, 1.0), "x"), codes.join(" "))
        }
        Err(d) => format!("{} {}", d.code, d.message),
    };
    let good = folder.write("good.csv", "time,u,w,b\n0,1,5,0\n1,3,7,1\n");
    assert_eq!(ask(std::slice::from_ref(&good)), "3 ");
    assert_eq!(ask(&[format!("u={good}:w")]), "7 ");
    let bad = |name: &str, text: &str, word: fn(String) -> String| ask(&[word(folder.write(name, text))]);
    let whole = |path: String| path;
    assert_eq!(bad("short.csv", "time,u\n0,1\n0.5,2\n", whole), "2 K0562");
    assert!(bad("none.csv", "time,w\n0,1\n", whole).starts_with("K0561"));
    assert!(bad("column.csv", "time,w\n0,1\n", |p| format!("u={p}:v")).contains("no column v"));
    assert!(bad("nan.csv", "time,u\n0,1\n1,NaN\n", whole).contains("not a finite number"));
    assert!(bad("back.csv", "time,u\n0,1\n1,2\n0.5,2\n", whole).contains("time goes back from 1 to 0.5"));
    assert!(bad("unit.csv", "time [ms],u\n0,1\n1,2\n", whole).contains("first column must be time"));
    assert!(bad("half.csv", "time,b\n0,0.5\n1,1\n", whole).contains("0.5 is not 0 or 1"));
    assert!(ask(&[format!("x={good}:w")]).contains("x is not an input"));
    assert!(ask(&["nowhere.csv".to_owned()]).starts_with("K0901"));
}
