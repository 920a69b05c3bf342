//! The RC circuit of the tutorial, in both notations: from the text to numbers, machine code and interpreter, against
//! the closed form.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kausal::{Backend, Session, Settings, Trajectory, csv, plot, simulate};

const STOP: f64 = 5.0;
const TOLERANCE: f64 = 1e-8;

fn tutorial(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/tutorial").join(file)
}

fn run(file: &str, settings: &[(&str, f64)], backend: Backend) -> Trajectory {
    let mut session = Session::new();
    let path = tutorial(file);
    let found = session.find(path.to_str().unwrap(), None);
    let model = found.unwrap_or_else(|| panic!("{:?}", session.take_diagnostics()));
    assert_eq!(model, "RC");
    let mut flat = session.flatten(&model).unwrap_or_else(|| panic!("{:?}", session.take_diagnostics()));
    let settings: Vec<(String, f64)> = settings.iter().map(|(n, v)| ((*n).to_owned(), *v)).collect();
    assert!(session.set(&mut flat, &settings), "{:?}", session.take_diagnostics());
    let program = session.translate(&flat, &Default::default()).expect("a regular model");
    let compiled = Arc::new(session.compile(program, backend).expect("code"));
    let settings =
        Settings { stop: STOP, interval: STOP / 100.0, tolerance: TOLERANCE, ..Settings::default() };
    let run = simulate::run(compiled, &settings, &|_| true, None, &mut |_| true);
    assert!(run.diagnostics.is_empty(), "{:?}", run.diagnostics);
    run.trajectory
}

/// Compares a signal with a function of time, absolutely, in units of the signal. The steps keep the local error
/// below the tolerance times 10 V; the exponential damps what is left of it, so that a hundred times this is a
/// wide margin.
fn is_close(trajectory: &Trajectory, name: &str, scale: f64, exact: impl Fn(f64) -> f64) {
    let values = trajectory.get(name).unwrap_or_else(|| panic!("no {name}"));
    assert!(values.len() > 100);
    assert_eq!(trajectory.time[0], 0.0);
    assert_eq!(*trajectory.time.last().unwrap(), STOP);
    for (t, value) in trajectory.time.iter().zip(values) {
        let error = (value - exact(*t)).abs();
        assert!(error < 100.0 * TOLERANCE * scale, "{name} at {t}: {value}, not {}", exact(*t));
    }
}

#[test]
fn modelica_text_gives_the_closed_form() {
    for backend in [Backend::Jit, Backend::Interpreter] {
        // R = 1000 Ohm, C = 1e-3 F, V = 10 V: the time constant is 1 s.
        let t = run("RC.mo", &[], backend);
        is_close(&t, "capacitor.v", 10.0, |t| 10.0 * (1.0 - (-t).exp()));
        is_close(&t, "capacitor.i", 0.01, |t| 0.01 * (-t).exp());
        is_close(&t, "resistor.v", 10.0, |t| 10.0 * (-t).exp());
        is_close(&t, "source.i", 0.01, |t| -0.01 * (-t).exp());
    }
}

#[test]
fn classic_text_gives_the_closed_form() {
    for backend in [Backend::Jit, Backend::Interpreter] {
        let t = run("RC.dym", &[], backend);
        is_close(&t, "C.u", 10.0, |t| 10.0 * (1.0 - (-t).exp()));
        is_close(&t, "C.i", 0.01, |t| 0.01 * (-t).exp());
        is_close(&t, "R.u", 10.0, |t| 10.0 * (-t).exp());
    }
}

/// Other values and another start give another answer: nothing is typed in.
#[test]
fn other_values_give_another_closed_form() {
    let (r, c, v, v0) = (200.0, 2e-3, -3.0, 4.0);
    let exact = |t: f64| v + (v0 - v) * (-t / (r * c)).exp();
    let settings = [("resistor.R", r), ("capacitor.C", c), ("source.V", v), ("capacitor.v", v0)];
    is_close(&run("RC.mo", &settings, Backend::Jit), "capacitor.v", 10.0, exact);
    let settings = [("R.R", r), ("C.C", c), ("S.U", v), ("C.u", v0)];
    is_close(&run("RC.dym", &settings, Backend::Jit), "C.u", 10.0, exact);
}

#[test]
fn the_csv_file_has_the_same_numbers_and_the_picture_its_curve() {
    let t = run("RC.mo", &[], Backend::Jit);
    let mut file = Vec::new();
    csv::write(&t, &mut file).unwrap();
    let back = csv::read(&String::from_utf8(file).unwrap()).unwrap();
    is_close(&back, "capacitor.v", 10.0, |t| 10.0 * (1.0 - (-t).exp()));
    assert_eq!(back.get("capacitor.v"), t.get("capacitor.v"));

    let picture = plot::svg::write(&plot::of(&t, "RC", &["capacitor.v".to_owned()]).unwrap());
    assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
    assert_eq!(picture.matches("stroke-width=\"1.8\"").count(), 1, "one curve");
    assert!(picture.contains(">capacitor.v</text>") && picture.contains(">[V]</text>"));
}
