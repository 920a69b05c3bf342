//! Our own FMUs, imported again: alone and as components, connected with each other, the same curves as the models themselves.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kausal::{Backend, Model, Options, Session};
use kausal_fmi::appearance::Appearance;
use kausal_fmi::description::Kinds;
use kausal_fmi::export::{self, How, Version, What};
use kausal_fmi::import::host::FmuHost;
use kausal_fmi::import::interface::Role;
use kausal_fmi::import::{Fmu, block};
use kausal_fmi::library;

/// A plant with an event, a continuous and a sampled controller; with Booleans, Integers, arrays and a parameter.
const PARTS: &str = "
package Parts
  block Motor
    parameter Real J = 0.5;
    parameter Real d[2] = {0.1, 0.3};
    input Real tau;
    output Real w(start = 0, fixed = true);
  equation
    J*der(w) = tau - d[1]*w - (if w > 1 then d[2] else 0);
  end Motor;
  block Control
    parameter Real k = 2;
    input Real r;
    input Real y;
    output Real u;
    Real i(start = 0, fixed = true);
  equation
    2*der(i) = r - y;
    u = k*((r - y) + i);
  end Control;
  block Sampled
    input Real y;
    input Boolean on;
    output Real u(start = 0, fixed = true);
    output Integer n(start = 0, fixed = true);
  equation
    when sample(0, 0.05) then
      u = if on then pre(u) + 0.3*(1.5 - y) else 0;
      n = pre(n) + 1;
    end when;
  end Sampled;
  model Continuously
    Motor m(J = 0.4);
    Control c;
  equation
    m.tau = c.u;
    c.y = m.w;
    c.r = if time > 0.5 then 2 else 1;
    annotation(experiment(StopTime = 5));
  end Continuously;
  model AtInstants
    Motor m(J = 0.6);
    Sampled c;
  equation
    m.tau = c.u;
    c.y = m.w;
    c.on = time > 0.4 and time < 3;
    annotation(experiment(StopTime = 5));
  end AtInstants;
  model Ball
    parameter Real g = 9.81;
    output Real h(start = 1, fixed = true);
    Real v(start = 0, fixed = true);
  equation
    der(h) = v;
    der(v) = -g;
    when h < 0 then
      reinit(v, -0.8*pre(v));
    end when;
    annotation(experiment(StopTime = 2));
  end Ball;
  model Delayed
    Real x(start = 1, fixed = true);
    Real y = delay(x, 0.3);
  equation
    der(x) = -y;
    annotation(experiment(StopTime = 2));
  end Delayed;
end Parts;
";

fn export_to(folder: &Path, class: &str, version: Version) -> PathBuf {
    let path = folder.join(format!("{class}.fmu"));
    export_text(PARTS, &format!("Parts.{class}"), version, None, &path);
    path
}

/// Exports a class that may read the files of a folder.
fn export_text(text: &str, class: &str, version: Version, readable: Option<&Path>, path: &Path) {
    let mut session = Session::new();
    session.add_text("Parts.mo", text);
    let flat = session.flatten(class).expect("a correct model");
    let options = Options::default();
    let program = session.translate(&flat, &options).expect("a regular model");
    let mut model = session.compile(program, Backend::Interpreter).expect("code");
    if let Some(folder) = readable {
        model.permissions.give(folder);
    }
    let (model, appearance) = (Arc::new(model), Appearance::of(&mut session, class));
    let what = What {
        flat: &flat,
        model: &model,
        options: &options,
        sources: session.sources(),
        appearance: &appearance,
    };
    let how = How { version, kinds: Kinds { model_exchange: true, co_simulation: true } };
    let libraries = library::find().expect("this package's own library");
    let bytes = export::archive(what, how, &libraries).expect("an FMU");
    export::write(path, &bytes).expect("written");
}

fn imported(path: &Path, role: Role) -> String {
    let fmu = Fmu::open(path).unwrap_or_else(|list| panic!("{list:?}"));
    block::write(&fmu, role, false).text
}

fn model(text: &str, class: &str) -> Model {
    let loader = Model::loader().host(FmuHost::shared()).allow_external(true).modelica_path(false);
    loader.class(class).text(text).unwrap_or_else(|error| panic!("{error}"))
}

/// Values of signals at instants.
fn values(model: &Model, signals: &[&str], instants: &[f64]) -> Vec<Vec<f64>> {
    let run = model.simulation().tolerance(1e-9).instants(instants.iter().copied()).run();
    let solution = run.unwrap_or_else(|error| panic!("{error}"));
    let row = |t: &f64| solution.time().iter().rposition(|s| (s - t).abs() < 1e-12).expect("an output point");
    let at = |name: &&str| -> Vec<f64> {
        let signal = solution.get(name).unwrap_or_else(|| panic!("there is no {name}"));
        instants.iter().map(|t| signal[row(t)]).collect()
    };
    signals.iter().map(at).collect()
}

#[track_caller]
fn assert_same(expected: &[Vec<f64>], found: &[Vec<f64>], near: f64) {
    for (expected, found) in expected.iter().zip(found) {
        let size = expected.iter().fold(1e-3_f64, |size, value| size.max(value.abs()));
        for (expected, found) in expected.iter().zip(found) {
            assert!((expected - found).abs() <= near * size, "{expected} expected, {found} found");
        }
    }
}

/// Instants that are none of events.
const INSTANTS: [f64; 7] = [0.0, 0.33, 0.71, 1.29, 1.93, 2.77, 4.81];

#[test]
fn components_that_are_connected() {
    let cases = [
        ("Continuously", ["Motor", "Control"], &["m.w", "c.u", "c.i"][..]),
        ("AtInstants", ["Motor", "Sampled"], &["m.w", "c.u", "c.n"][..]),
    ];
    for version in [Version::Two, Version::Three] {
        for (whole, parts, signals) in cases {
            let folder = tempfile::tempdir().expect("a folder");
            let own = model(PARTS, &format!("Parts.{whole}"));
            let expected = values(&own, signals, &INSTANTS);
            let begin = PARTS.find(&format!("  model {whole}")).expect("the model");
            let end = PARTS[begin..].find(&format!("end {whole};")).expect("its end") + begin;
            let text = format!("{}end {whole};\n", &PARTS[begin..end]);
            // One of them may be a component in Modelica, or both are FMUs.
            for fmus in [&parts[..], &parts[..1], &parts[1..]] {
                let mut all = text.clone();
                for part in parts {
                    if fmus.contains(&part) {
                        let path = export_to(folder.path(), part, version);
                        all.insert_str(0, &imported(&path, Role::ModelExchange));
                    } else {
                        let begin = PARTS.find(&format!("  block {part}")).expect("the block");
                        let end = PARTS[begin..].find(&format!("end {part};")).expect("its end") + begin;
                        all.insert_str(0, &format!("{}end {part};\n", &PARTS[begin..end]));
                    }
                }
                assert_same(&expected, &values(&model(&all, whole), signals, &INSTANTS), 1e-6);
            }
        }
    }
}

#[test]
fn alone_with_events_and_delays() {
    let instants = [0.0, 0.31, 0.4, 0.77, 1.01, 1.6, 1.99];
    for version in [Version::Two, Version::Three] {
        for (class, signals) in [("Ball", &["h", "v"][..]), ("Delayed", &["x"][..])] {
            let folder = tempfile::tempdir().expect("a folder");
            let expected = values(&model(PARTS, &format!("Parts.{class}")), signals, &instants);
            let path = export_to(folder.path(), class, version);
            let fmu = Fmu::open(&path).unwrap_or_else(|list| panic!("{list:?}"));
            let text = block::write(&fmu, Role::ModelExchange, true).text;
            // The history of a delay has a tolerance of its own in Model Exchange, and steps that are not chosen for it.
            let near = if class == "Delayed" { 1e-4 } else { 1e-6 };
            assert_same(&expected, &values(&model(&text, class), signals, &instants), near);
            let text = block::write(&fmu, Role::CoSimulation, true).text;
            let text = format!(
                "{text}model Finely\n  extends {class}(communicationInterval = 0.01, fmuTolerance = 1e-9);\n  annotation(experiment(StopTime = 2));\nend Finely;"
            );
            // Communication points are instants of these.
            let found = values(&model(&text, "Finely"), signals, &instants.map(|t| t + 1e-6));
            assert_same(&expected, &found, 1e-6);
        }
    }
}

/// Each step goes on with what the other one had at its beginning: with an interval of 1 ms that is an error of about as much.
#[test]
fn co_simulation_of_two() {
    let folder = tempfile::tempdir().expect("a folder");
    let signals = ["m.w", "c.u"];
    let expected = values(&model(PARTS, "Parts.Continuously"), &signals, &INSTANTS);
    let mut text = String::new();
    for part in ["Motor", "Control"] {
        text += &imported(&export_to(folder.path(), part, Version::Three), Role::CoSimulation);
    }
    text += "
        model Both
          Motor m(J = 0.4, communicationInterval = 0.001);
          Control c(communicationInterval = 0.001);
        equation
          m.tau = c.u;
          c.y = m.w;
          c.r = if time > 0.5 then 2 else 1;
          annotation(experiment(StopTime = 5));
        end Both;";
    assert_same(&expected[..1], &values(&model(&text, "Both"), &signals[..1], &INSTANTS), 5e-3);
}

#[test]
fn foreign_code_needs_permission() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = imported(&export_to(folder.path(), "Ball", Version::Three), Role::ModelExchange);
    let model = Model::loader().host(FmuHost::shared()).text(&text);
    let refused = model.and_then(|model| model.simulation().run()).expect_err("it is not allowed");
    assert!(refused.to_string().contains("K0540"), "{refused}");
}

#[test]
fn what_is_missing_is_said_in_the_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = export_to(folder.path(), "Ball", Version::Three);
    let text = imported(&path, Role::ModelExchange);
    std::fs::remove_file(&path).expect("removed");
    let gone = model(&text, "Ball").simulation().run().expect_err("the FMU is gone");
    assert!(gone.to_string().contains("cannot be read as an FMU"), "{gone}");
    let other = export_to(folder.path(), "Delayed", Version::Three);
    std::fs::rename(other, &path).expect("renamed");
    let another = model(&text, "Ball").simulation().run().expect_err("it is another one");
    assert!(another.to_string().contains("another FMU than the one that was imported"), "{another}");
}

/// The file is gone where it was when the model was exported: the FMU has it.
#[test]
fn files_that_a_model_reads_travel_with_it() {
    for version in [Version::Two, Version::Three] {
        let (home, away) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        let table = home.path().join("lines.txt");
        std::fs::write(&table, "a\nb\nc\n").expect("written");
        let text = format!(
            "model Count
              impure function lines
                input String file;
                output Integer n;
                external \"C\" n = ModelicaInternal_countLines(file);
              end lines;
              discrete output Real y(start = 0, fixed = true);
            equation
              when time > 0.5 then
                y = lines({:?});
              end when;
            end Count;",
            table.display().to_string()
        );
        let path = away.path().join("Count.fmu");
        export_text(&text, "Count", version, Some(home.path()), &path);
        drop(home);
        for role in [Role::ModelExchange, Role::CoSimulation] {
            let found = values(&model(&imported(&path, role), "Count"), &["y"], &[0.25, 0.75]);
            assert_eq!(found, [[0.0, 3.0]]);
        }
    }
}
