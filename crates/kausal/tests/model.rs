//! The front door: load, set, run, in as many threads as one likes; what fails is an error that says why.

use std::time::Duration;

use kausal::{Backend, Cancel, ErrorKind, Given, Inline, Method, Model, VariableKind, VariableType};

const MOTOR: &str = "model Motor
  parameter Real J(unit = \"kg.m2\", displayUnit = \"g.cm2\", min = 0, nominal = 0.1) = 0.5 \"inertia\";
  parameter Real d = 2*J;
  parameter Boolean on = true;
  parameter Integer n = 2;
  input Real load(start = 0.25, max = 10);
  output Real speed = w;
  Real w(start = 1, fixed = true, unit = \"rad/s\");
  Real a[n] = fill(-w, n);
equation
  J*der(w) = if on then -d*w else 0;
  annotation (experiment(StopTime = 2, Tolerance = 1e-8, Interval = 0.5));
end Motor;";

fn is_shareable<T: Clone + Send + Sync>(_: &T) {}

/// The slope is -d/J = -2 whatever J is, and other settings count together.
#[test]
fn a_model_is_loaded_set_and_run() {
    let model = Model::from_text(MOTOR).unwrap();
    is_shareable(&model);
    assert_eq!(model.name(), "Motor");
    let solution = model.simulate().unwrap();
    assert_eq!(solution.time(), [0.0, 0.5, 1.0, 1.5, 2.0]);
    let exact = |t: f64| (-2.0 * t).exp();
    for (t, w) in solution.time().iter().zip(&solution["w"]) {
        assert!((w - exact(*t)).abs() < 1e-6, "{t}: {w}");
    }
    // An alias with the other sign, a parameter, time itself.
    assert_eq!(solution["a[2]"][4], -solution["w"][4]);
    assert_eq!(&solution["d"], [1.0; 5]);
    assert_eq!(&solution["time"], solution.time());
    assert_eq!(solution.get("nothing"), None);
    assert_eq!(solution.last("speed"), solution["w"].last().copied());
    let other = model.with("d", 3.0).unwrap().with("w", 2.0).unwrap();
    assert!((other.simulate().unwrap()["w"][4] - 2.0 * (-12.0f64).exp()).abs() < 1e-6);
    // The first one has not changed; structure, truth values and words are set as well.
    assert_eq!(model.simulate().unwrap()["w"], solution["w"]);
    let large = other.with("n", 3).unwrap().with("on", false).unwrap().simulate().unwrap();
    assert_eq!((large["a[3]"][4], large["w"][4]), (-2.0, 2.0));
    assert_eq!(model.with("on", "false").unwrap().simulate().unwrap()["w"][4], 1.0);
}

#[test]
#[should_panic(expected = "there is no variable sped in the solution; did you mean speed?")]
fn a_name_that_there_is_not_is_said() {
    let solution = Model::from_text(MOTOR).unwrap().simulate().unwrap();
    let _ = &solution["sped"];
}

#[test]
fn a_run_is_asked_for_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("w.csv");
    let model = Model::loader().backend(Backend::Interpreter).text(MOTOR).unwrap();
    let run = model.simulation().start(1.0).stop(3.0).intervals(4).method(Method::Radau).tolerance(1e-6);
    let solution = run.variables(["w", "d"]).write(&file).audit(true).run().unwrap();
    assert_eq!(solution.names().collect::<Vec<_>>(), ["d", "w"]);
    assert_eq!((solution.time()[0], solution.end(), solution.time().len()), (1.0, 3.0, 5));
    assert!(solution.audit().unwrap().signal("w").unwrap().error < 1e-4);
    let read = kausal::store::read(&file).unwrap();
    assert_eq!(read.get("w").unwrap(), solution["w"]);
    solution.write(folder.path().join("again.csv")).unwrap();
    // Steps of the model's own.
    let inlined = Model::loader().inline(Inline::Trapezoidal).text(MOTOR).unwrap();
    let solution = inlined.simulation().step(0.01).run().unwrap();
    assert!((solution["w"][4] - (-4.0f64).exp()).abs() < 1e-4);
    for refused in [
        model.simulation().step(-1.0).run(),
        model.simulation().method(Method::FixedBdf).run(),
        model.simulation().stop(-1.0).run(),
        model.simulation().tolerance(2.0).run(),
        model.simulation().order(9).run(),
        model.simulation().intervals(0).run(),
        model.simulation().variables(["nothing*"]).run(),
    ] {
        let error = refused.expect_err("refused");
        assert_eq!(error.kind(), ErrorKind::Request, "{error}");
        assert!(error.partial().is_none());
    }
    let error = model.simulation().write(folder.path().join("no/such.csv")).run().expect_err("no folder");
    assert_eq!((error.kind(), error.code()), (ErrorKind::Output, "K0907"));
}

#[test]
fn variables_say_what_they_are() {
    let model = Model::from_text(MOTOR).unwrap();
    let names = |list: Vec<kausal::VariableInfo>| list.into_iter().map(|v| v.name).collect::<Vec<_>>();
    assert_eq!(names(model.parameters()), ["J", "d", "on", "n"]);
    assert_eq!(names(model.inputs()), ["load"]);
    assert_eq!(names(model.outputs()), ["speed"]);
    assert_eq!(names(model.states().unwrap()), ["w"]);
    assert_eq!(names(model.variables()), ["J", "d", "on", "n", "load", "speed", "w", "a[1]", "a[2]"]);
    let inertia = model.variable("J").unwrap();
    assert_eq!((inertia.unit.as_str(), inertia.display_unit.as_str()), ("kg.m2", "g.cm2"));
    assert_eq!((inertia.min, inertia.max, inertia.nominal), (Some(0.0), None, Some(0.1)));
    assert_eq!((inertia.description.as_str(), inertia.kind), ("inertia", VariableKind::Parameter));
    let value = |model: &Model, name: &str| model.variable(name).unwrap().value.unwrap().number();
    assert_eq!(
        (value(&model, "d"), value(&model, "load"), value(&model, "w")),
        (Some(1.0), Some(0.25), Some(1.0))
    );
    assert_eq!(value(&model.with("J", 4.0).unwrap(), "d"), Some(8.0));
    assert_eq!(model.variable("w").unwrap().kind, VariableKind::State);
    assert_eq!(model.variable("load").unwrap().kind, VariableKind::Input);
    let on = model.variable("on").unwrap();
    assert_eq!((on.ty, on.value.unwrap().number()), (VariableType::Boolean, Some(1.0)));
    assert!(model.variable("n").unwrap().structural && !inertia.structural);
    assert!(model.variable("nothing").is_none());
}

#[test]
fn errors_say_where_and_keep_what_there_is() {
    let broken = Model::from_text("model M\n  Real x = y;\nend M;").expect_err("there is no y");
    assert_eq!(broken.kind(), ErrorKind::Model);
    let text = broken.to_string();
    assert!(text.starts_with("error[K") && text.contains("2 |   Real x = y;"), "{text}");
    assert_eq!(Model::from_text("").expect_err("empty").kind(), ErrorKind::Model);
    assert_eq!(
        Model::from_text("model M Real x, y; equation x = y; end M;").expect_err("y").kind(),
        ErrorKind::Model
    );
    assert!(Model::load("NoSuch.mo").expect_err("no file").to_string().contains("NoSuch.mo"));
    assert!(Model::load("No.Such.Class").is_err());
    let model = Model::from_text(MOTOR).unwrap();
    for error in [model.with("I", 1.0), model.with("n", 2.5), model.with("on", "perhaps")] {
        assert_eq!(error.expect_err("refused").kind(), ErrorKind::Request);
    }
    let escape = "model E Real x(start = 1, fixed = true); equation der(x) = x^2; end E;";
    let error = Model::from_text(escape).unwrap().simulation().stop(2.0).run().expect_err("1/(1 - t)");
    assert_eq!((error.kind(), error.code()), (ErrorKind::Run, "K0520"));
    assert!(error.to_string().contains("der(x) = x^2"), "{error}");
    let partial = error.partial().expect("a trajectory");
    assert!(partial.end() > 0.99 && partial.end() < 1.01);
    for (t, x) in partial.time().iter().zip(&partial["x"]).filter(|(t, _)| **t < 0.9) {
        assert!((x - 1.0 / (1.0 - t)).abs() < 1e-3, "{x} at {t}");
    }
}

#[test]
fn models_come_from_files_and_libraries() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("Motor.mo");
    std::fs::write(&file, MOTOR).unwrap();
    assert_eq!(Model::load(&file).unwrap().name(), "Motor");
    let pendulum = Model::load("Kausal.Examples.Pendulum").unwrap();
    assert!(!pendulum.states().unwrap().is_empty() && !pendulum.simulate().unwrap().time().is_empty());
    let package = "within; package Parts model Sine Real x = sin(time); end Sine; end Parts;";
    std::fs::write(folder.path().join("Parts.mo"), package).unwrap();
    let sine = Model::loader().library(folder.path()).modelica_path(false).load("Parts.Sine").unwrap();
    assert!((sine.simulate().unwrap().last("x").unwrap() - 1f64.sin()).abs() < 1e-12);
}

/// One model, four threads with settings of their own at the same time.
#[test]
fn threads_share_a_model() {
    let model = Model::from_text(MOTOR).unwrap();
    std::thread::scope(|scope| {
        let run = |k: i32| {
            let model = model.clone();
            scope.spawn(move || {
                let d = f64::from(k);
                let solution = model.with("d", d).unwrap().simulate().unwrap();
                (solution["w"][4] - (-4.0 * d).exp()).abs()
            })
        };
        let all: Vec<_> = (1..=4).map(run).collect();
        assert!(all.into_iter().all(|thread| thread.join().unwrap() < 1e-6));
    });
}

/// A run that never ends by itself: its function does not, in machine code and in the evaluator, or the time does not.
fn endless() -> [(&'static str, Backend); 3] {
    let function = "model M
      function forever input Real u; output Real y; algorithm y := u;
        while y < 1e9 loop y := y + 0*u; end while; end forever;
      Real x(start = 0, fixed = true); Real z = if time < 0.1 then 0 else forever(time);
      equation der(x) = 1 + z; end M;";
    let long = "model M Real x(start = 1, fixed = true), v(start = 0, fixed = true);
      equation der(x) = v; der(v) = -x; annotation (experiment(StopTime = 1e9, Interval = 1e6)); end M;";
    [(function, Backend::Jit), (function, Backend::Interpreter), (long, Backend::Auto)]
}

/// Two runs in two threads are ended one after the other, each by its own request.
#[test]
fn runs_are_cancelled_one_by_one() {
    for (text, backend) in endless() {
        let model = Model::loader().backend(backend).text(text).unwrap();
        std::thread::scope(|scope| {
            let begin = |cancel: &Cancel| {
                let (model, cancel) = (model.clone(), cancel.clone());
                scope.spawn(move || model.simulation().cancel(&cancel).run().expect_err("cancelled"))
            };
            let tokens = [Cancel::new(), Cancel::new()];
            let [first, second] = [begin(&tokens[0]), begin(&tokens[1])];
            std::thread::sleep(Duration::from_millis(100));
            tokens[0].cancel();
            let error = first.join().unwrap();
            assert_eq!((error.kind(), error.code()), (ErrorKind::Cancelled, "K0522"), "{error}");
            assert!(error.partial().is_some());
            assert!(!second.is_finished() && !tokens[1].is_cancelled());
            tokens[1].cancel();
            assert_eq!(second.join().unwrap().kind(), ErrorKind::Cancelled);
        });
    }
}

/// A limit of time ends its own run only, also where no step ends.
#[test]
fn a_limit_of_time_is_that_of_one_run() {
    for (text, backend) in endless() {
        let model = Model::loader().backend(backend).text(text).unwrap();
        let cancel = Cancel::new();
        let run = model.simulation().cancel(&cancel).timeout(Duration::from_millis(50));
        let error = run.run().expect_err("too long");
        assert_eq!((error.kind(), error.code()), (ErrorKind::TimedOut, "K0521"), "{error}");
        assert!(!cancel.is_cancelled());
    }
}

/// A panic below is one diagnostic, and what was recorded is kept; the next run is as if nothing had happened.
#[test]
fn a_fault_is_a_diagnostic() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("w.csv");
    let model = Model::from_text(MOTOR).unwrap();
    let run = model.simulation().interval(0.1).max_step(0.1).write(&file);
    let error = run.progress(|time| if time > 1.0 { panic!("injected") } else { true }).run();
    let error = error.expect_err("a fault");
    assert_eq!((error.kind(), error.code()), (ErrorKind::Internal, "K0990"));
    let text = error.to_string();
    assert!(text.contains("internal error: injected (crates/kausal/tests/model.rs:"), "{text}");
    assert!(text.contains("please report it"), "{text}");
    let partial = error.partial().expect("what was recorded");
    assert!(partial.end() >= 0.9 && partial["w"].len() > 9, "{}", partial.end());
    assert_eq!(kausal::store::read(&file).unwrap().get("w").unwrap(), partial["w"]);
    assert!(model.simulate().is_ok());
}

/// Foreign code that does not end by itself ends in the next function of the standard that it calls; who waits for it is
/// ended before it has begun.
#[test]
fn foreign_code_is_cancelled() {
    if !kausal_external::foreign::has_compiler() {
        eprintln!("skipped: there is no C compiler");
        return;
    }
    let text = "model M
      impure function forever input Real u; output Real y;
        external \"C\" y = kausal_forever(u) annotation (Include = \"#include <unistd.h>
          #include <ModelicaUtilities.h>
          static double kausal_forever(double u) { while (u < 1e9) { usleep(100); ModelicaMessage(\\\"on\\\"); } return u; }\");
      end forever;
      Real x(start = 0, fixed = true); discrete Real z(start = 0);
      equation der(x) = 1; when time > 0.5 then z = forever(time); end when; end M;";
    let model = Model::loader().allow_external(true).text(text).unwrap();
    let tokens = [Cancel::new(), Cancel::new()];
    std::thread::scope(|scope| {
        let runs = tokens.each_ref().map(|cancel| {
            let model = model.clone();
            scope.spawn(move || model.simulation().cancel(cancel).run().expect_err("cancelled"))
        });
        std::thread::sleep(Duration::from_millis(200));
        for (run, cancel) in runs.into_iter().zip(&tokens) {
            assert!(!run.is_finished());
            cancel.cancel();
            let error = run.join().unwrap();
            assert_eq!(error.kind(), ErrorKind::Cancelled, "{error}");
            assert!(error.partial().expect("a trajectory")["x"].len() > 200);
        }
    });
}

/// What is structural is translated again, with all that was set before; the rest shares what was compiled.
#[test]
fn only_what_is_structural_is_translated_again() {
    let model = Model::from_text(MOTOR).unwrap();
    let same = |a: &Model, b: &Model| std::ptr::eq(a.program().unwrap(), b.program().unwrap());
    let heavy = model.with("d", 3.0).unwrap();
    // Nothing is said about the value: only what the model itself is warned of.
    assert!(same(&heavy, &model) && heavy.diagnostics() == model.diagnostics());
    let large = heavy.with("n", 3).unwrap();
    assert!(!same(&large, &model));
    let notes: Vec<String> = large.diagnostics().into_iter().map(|d| d.message).collect();
    assert!(
        notes.iter().any(|m| m.starts_with("n has another value") && m.contains("structure")),
        "{notes:?}"
    );
    let value = |model: &Model, name: &str| model.variable(name).unwrap().value.unwrap().number();
    assert_eq!((value(&large, "d"), value(&large, "n")), (Some(3.0), Some(3.0)));
    let larger = large.with("J", 1.5).unwrap();
    assert!(same(&larger, &large));
    // The slope is -d/J = -2.
    assert!((larger.simulate().unwrap()["w"][4] - (-4.0f64).exp()).abs() < 1e-6);
    let below = model.with("J", -1.0).map(|m| m.diagnostics()).unwrap();
    assert!(below.iter().any(|d| d.code == "K0330"), "{below:?}");
    assert_eq!(model.with("d", "much").expect_err("no number").kind(), ErrorKind::Request);
}

/// A tank: the integral of its input. Closed forms.
#[test]
fn inputs_are_given_by_values_points_functions_and_files() {
    let model = Model::from_text(
        "model Tank input Real u; input Boolean open; output Real level = x; Real x(start = 0, fixed = true);
           equation der(x) = if open then u else 0; end Tank;",
    )
    .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("u.csv");
    std::fs::write(&file, "time,u,open\n0,0,1\n1,2,1\n").unwrap();
    let filled = |run: kausal::Simulation| run.run().unwrap()["level"].last().copied().unwrap();
    let run = || model.simulation().input("open", true).tolerance(1e-8);
    for (given, wanted) in [
        (Given::from(2.0), 2.0),
        (Given::from((vec![0.0, 0.5, 0.5, 1.0], vec![0.0, 1.0, 3.0, 3.0])), 1.75),
        (Given::function(|t| 3.0 * t * t), 1.0),
        (Given::file(&file), 1.0),
        (Given::column(&file, "open"), 1.0),
    ] {
        let level = filled(run().input("u", given.clone()));
        assert!((level - wanted).abs() < 1e-6, "{given:?}: {level}");
    }
    assert!((filled(model.simulation().inputs(&file)) - 1.0).abs() < 1e-5);
    // Held: open from 0.25 to 0.75.
    let gate = (vec![0.0, 0.25, 0.75], vec![0.0, 1.0, 0.0]);
    assert!((filled(model.simulation().input("open", gate).input("u", 2.0)) - 1.0).abs() < 1e-6);
    for (name, given, code) in [
        ("v", Given::from(1.0), "K0910"),
        ("u", Given::from((vec![1.0, 0.0], vec![0.0, 0.0])), "K0561"),
        ("open", Given::function(|t| t), "K0561"),
        ("u", Given::column(&file, "flow"), "K0561"),
    ] {
        let error = model.simulation().input(name, given).run().expect_err("refused");
        assert_eq!((error.kind(), error.code()), (ErrorKind::Request, code), "{error}");
    }
}
