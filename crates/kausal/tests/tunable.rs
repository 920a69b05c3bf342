//! Compile once, set, run: the same as translating anew with the other value.

use std::sync::Arc;

use kausal::simulate::{self, Run};
use kausal::tune::{self, Refusal};
use kausal::{Backend, CompiledModel, FlatModel, Model, Options, Session, Settings};
use kausal_translate::program::Kind;

fn compiled(session: &mut Session, flat: &FlatModel) -> Arc<CompiledModel> {
    let program = session.translate(flat, &Options::default()).expect("a program");
    Arc::new(session.compile(program, Backend::Interpreter).expect("code"))
}

fn run(model: &Arc<CompiledModel>, settings: &Settings) -> Run {
    simulate::run(model.clone(), settings, &|_| true, None, &mut |_| true)
}

/// Rounding, as events and steps of the same size hand it on.
const ROUNDING: f64 = 1e-6;

/// How far two runs are apart: the largest difference at the end and at output points, each relative to the size of its variable.
fn difference(a: &Run, b: &Run) -> (f64, String) {
    /// Variables below this size are rounding errors.
    const NOTHING: f64 = 1e-9;
    let (a, b) = (&a.trajectory, &b.trajectory);
    let mut worst = (0.0, String::new());
    for signal in &a.signals {
        let (column, other) = (a.values(signal), b.get(&signal.name).expect("the same variables"));
        if column.len() != other.len() {
            return (f64::INFINITY, "the number of records".to_owned());
        }
        let size = column.iter().filter(|x| x.is_finite()).fold(NOTHING, |size, x| size.max(x.abs()));
        let off = |(x, y): (&f64, &f64)| if x == y { 0.0 } else { (x - y).abs() / size };
        let off = column.iter().zip(&other).map(off).fold(0.0_f64, f64::max);
        if off > worst.0 {
            worst = (off, signal.name.clone());
        }
    }
    worst
}

/// Real parameters that a run may change, with other values: so many of them, from the whole list.
fn other_values(model: &Arc<CompiledModel>, flat: &FlatModel, count: usize) -> Vec<(String, f64)> {
    let program = &model.program;
    let tunable = |name: &str, value: f64| {
        value != 0.0 && value.is_finite() && tune::overrides(model, &[(name, 1.03 * value)]).is_ok()
    };
    let all: Vec<(String, f64)> = flat
        .variables
        .iter()
        .filter_map(|v| Some((v, &program.variables[tune::find(program, &v.name)?.index()])))
        .filter(|(_, v)| v.kind == Kind::Parameter && v.is_real() && tunable(&v.name, v.value))
        .map(|(_, v)| (v.name.clone(), 1.03 * v.value))
        .collect();
    let step = (all.len() / count).max(1);
    all.into_iter().step_by(step).take(count).collect()
}

/// A tenth of the run is long enough to see a wrong value.
fn settings(flat: &FlatModel) -> Settings {
    let stop = 0.1 * flat.experiment.stop.unwrap_or(1.0);
    Settings { stop, interval: stop / 20.0, tolerance: 1e-6, ..Settings::default() }
}

/// What a fresh translation with the setting gives.
fn fresh(session: &mut Session, example: &str, setting: &(String, f64)) -> Option<Arc<CompiledModel>> {
    let mut flat = session.flatten(example).expect("an example");
    assert!(session.set(&mut flat, std::slice::from_ref(setting)), "{setting:?}");
    let program = session.translate(&flat, &Options::default())?;
    Some(Arc::new(session.compile(program, Backend::Interpreter).expect("code")))
}

/// The oracle is a translation with the other value. `KAUSAL_TUNED=n` takes n parameters of each example instead of two.
#[test]
fn runs_with_other_parameters_are_those_of_a_fresh_translation() {
    let count = std::env::var("KAUSAL_TUNED").ok().and_then(|n| n.parse().ok()).unwrap_or(2);
    let (mut compared, mut failures) = (0, Vec::new());
    for (example, _) in kausal::examples::examples() {
        // Chaos magnifies rounding errors without end.
        if example.ends_with(".Chua") {
            continue;
        }
        let mut session = Session::new();
        let flat = session.flatten(&example).expect("an example");
        let model = compiled(&mut session, &flat);
        for setting in other_values(&model, &flat, count) {
            let Some(other) = fresh(&mut session, &example, &setting) else { continue };
            let overrides = tune::overrides(&model, std::slice::from_ref(&setting)).expect("tunable");
            let plain = settings(&flat);
            let tuned = Settings { overrides: Arc::new(overrides), ..plain.clone() };
            let (off, name) = difference(&run(&other, &plain), &run(&model, &tuned));
            compared += 1;
            if off > ROUNDING {
                failures.push(format!("{example} with {setting:?}: {name} is off by {off:e}"));
            }
        }
    }
    assert!(failures.is_empty(), "{compared} compared\n{}", failures.join("\n"));
    assert!(compared > 50, "{compared}");
}

/// The same through the front door: the model shares what was compiled.
#[test]
fn models_with_other_values_are_those_of_a_fresh_translation() {
    let mut compared = 0;
    for example in ["RC", "BouncingBall", "Robot", "SampledControl", "Thermostat", "CoupledClutches"] {
        let example = format!("Kausal.Examples.{example}");
        let mut session = Session::new();
        let flat = session.flatten(&example).expect("an example");
        let model = Model::loader().backend(Backend::Interpreter).load(&example).expect("an example");
        let again = compiled(&mut session, &flat);
        for setting in other_values(&again, &flat, 2) {
            let Some(other) = fresh(&mut session, &example, &setting) else { continue };
            let plain = settings(&flat);
            let tuned = model.with(&setting.0, setting.1).expect("tunable");
            assert!(std::ptr::eq(tuned.program().expect("it"), model.program().expect("it")), "{setting:?}");
            let given = tuned.variable(&setting.0).and_then(|v| v.value?.number());
            assert_eq!(given, Some(setting.1), "{setting:?}");
            let solution = tuned.simulation().stop(plain.stop).interval(plain.interval).tolerance(1e-6).run();
            let solution = solution.expect("a run");
            let wanted = run(&other, &plain).trajectory;
            for name in solution.names() {
                let (a, b) = (solution.get(name).expect("it"), wanted.get(name).expect("the same variables"));
                let size = a.iter().filter(|x| x.is_finite()).fold(1e-9, |size: f64, x| size.max(x.abs()));
                let off = |(x, y): (&f64, &f64)| if x == y { 0.0 } else { (x - y).abs() / size };
                let off = a.iter().zip(&b).map(off).fold(0.0_f64, f64::max);
                assert!(
                    a.len() == b.len() && off <= ROUNDING,
                    "{example} {setting:?}: {name} is off by {off:e}"
                );
            }
            compared += 1;
        }
    }
    assert!(compared >= 8, "{compared}");
}

fn model(text: &str) -> (Session, FlatModel, Arc<CompiledModel>) {
    let mut session = Session::new();
    session.add_text("M.mo", text);
    let flat = session.flatten("M").expect("a correct model");
    let model = compiled(&mut session, &flat);
    (session, flat, model)
}

fn last(run: &Run, name: &str) -> f64 {
    assert!(run.diagnostics.iter().all(|d| !d.is_error()), "{:?}", run.diagnostics);
    *run.trajectory.get(name).expect("a variable").last().expect("a record")
}

fn tuned(model: &Arc<CompiledModel>, values: &[(&str, f64)]) -> Run {
    let overrides = Arc::new(tune::overrides(model, values).expect("tunable"));
    run(model, &Settings { overrides, ..Settings::default() })
}

/// Computed in the head: `b = 2 a`, `d = f(b) = b + 1`, `x = d t` at time one.
#[test]
fn what_depends_on_a_parameter_follows_it_and_what_is_given_is_not_computed() {
    let (_, _, model) = model(
        "model M function f input Real u; output Real y; algorithm y := u; while y < u + 0.5 loop y := y + 1; end while; end f;
           parameter Real a = 1; parameter Real b = 2*a; parameter Real c = b + 3; parameter Real d = f(b);
           Real x = d*time; Real y = c; end M;",
    );
    let both =
        |values: &[(&str, f64)]| (last(&tuned(&model, values), "x"), last(&tuned(&model, values), "y"));
    assert_eq!(both(&[]), (3.0, 5.0));
    assert_eq!(both(&[("a", 2.0)]), (5.0, 7.0));
    assert_eq!(both(&[("b", 5.0)]), (6.0, 8.0));
    assert_eq!(both(&[("a", 7.0), ("b", 5.0), ("d", 0.5)]), (0.5, 8.0));
}

/// Fixed start values, guesses, and what discrete variables were before the start. `z² = 4` has two solutions: the guess decides.
#[test]
fn start_values_are_changed_where_they_are_used() {
    let (_, _, model) = model(
        "model M parameter Real x0 = 1; Real x(start = 2, fixed = true); Real y(start = x0, fixed = true);
           Real z(start = 1); discrete Real n(start = 3, fixed = true);
           equation der(x) = 0; der(y) = 0; z^2 = 4 + 0*x; when time > 0.5 then n = pre(n) + 1; end when; end M;",
    );
    let values = [("x", 5.0), ("y", 6.0), ("z", -1.0), ("n", 8.0)];
    for (name, wanted) in [("x", 5.0), ("y", 6.0), ("z", -2.0), ("n", 9.0)] {
        assert!((last(&tuned(&model, &values), name) - wanted).abs() < 1e-9, "{name}");
    }
    assert_eq!(last(&tuned(&model, &[("x0", 7.0)]), "y"), 7.0);
    for (name, wanted) in [("x", 2.0), ("y", 1.0), ("z", 2.0), ("n", 4.0)] {
        assert!((last(&tuned(&model, &[]), name) - wanted).abs() < 1e-9, "{name}");
    }
}

/// The reasons are those of the text: a size, `final`, a nominal value, no value, an equation, a divisor that would be
/// zero, and the side of a root.
#[test]
fn what_is_structural_is_said() {
    let (_, _, model) = model(
        "model M parameter Integer n = 2; final parameter Real f = 1; parameter Real s = 3; parameter Real free;
           parameter Real p = 2; parameter Real q = 1; parameter Real e = 4;
           parameter Real r = 4; parameter Real offset = 0;
           Real x[n](each start = 1, each fixed = true); Real y(nominal = s); Real z; Real k = 5; Real w(min = 0);
           equation der(x) = -x; y = time + offset; (p - q)*z + z*e = time; w^2 = r*(1 + time); end M;",
    );
    let why = |name: &str, value: f64| match tune::overrides(&model, &[(name, value)]) {
        Ok(_) => "tunable".to_owned(),
        Err(Refusal::Structural(_, why)) => why,
        Err(Refusal::Wrong(d)) => d.code.to_owned(),
    };
    assert!(why("n", 3.0).contains("the structure of the model depends on it"));
    assert!(why("f", 3.0).contains("final"));
    assert!(why("s", 3.0).contains("nominal of y depends on it"));
    assert!(why("free", 3.0).contains("no value"));
    assert!(why("k", 3.0).contains("an equation"));
    assert!(why("r", -1.0).contains("sign"), "of a root");
    assert_eq!(why("p", -1.0), "tunable", "in no root");
    assert_eq!(why("offset", -1.0), "tunable", "in no root");
    assert_eq!(why("q", 1.5), "tunable");
    assert!(why("q", 6.0).contains("divided by"), "{}", why("q", 6.0));
    assert_eq!(why("nothing", 1.0), "K0910");
    assert_eq!(why("x[1]", 3.0), "tunable");
}

#[test]
fn texts_booleans_and_literals_are_tunable() {
    let (_, _, model) = model(
        "model M type E = enumeration(off, slow, fast); parameter String s = \"a\"; parameter E e = E.off;
           parameter Boolean b = false; Real x; Real y = if b then 1 else 2;
           equation x = if e == E.fast then 3 else 1; assert(time < 0.5, \"the lane is \" + s); end M;",
    );
    let overrides = tune::overrides(
        &model,
        &[("s", "fast".to_owned()), ("e", "fast".to_owned()), ("b", "true".to_owned())],
    );
    let overrides = Arc::new(overrides.expect("tunable"));
    let run = run(&model, &Settings { overrides, ..Settings::default() });
    assert!(run.diagnostics.iter().any(|d| d.message.contains("the lane is fast")), "{:?}", run.diagnostics);
    let first = |name: &str| run.trajectory.get(name).expect("a variable")[0];
    assert_eq!((first("x"), first("y")), (3.0, 1.0));
}
