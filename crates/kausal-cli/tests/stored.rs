//! Stored models run like the models they were made of.

use std::path::Path;

use support::{kausal, text};

mod support;

fn run(folder: &Path, arguments: &[&str]) -> (bool, String, String) {
    let output = kausal(folder, arguments);
    (output.status.success(), text(&output.stdout), text(&output.stderr))
}

/// Results from text and from the file, byte for byte, for all examples of the library; so are listings.
#[test]
fn examples_give_the_same_results() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut count = 0;
    for (name, _) in ::kausal::examples::examples() {
        let run = |arguments: &[&str]| run(folder, arguments);
        let (stored, _, _) = run(&["translate", &name, "-o", "m.kausal"]);
        if !stored {
            continue;
        }
        let own = run(&["simulate", &name, "-o", "a.csv", "--number-of-intervals", "20", "--timeout", "60"]);
        let again =
            run(&["simulate", "m.kausal", "-o", "b.csv", "--number-of-intervals", "20", "--timeout", "60"]);
        assert_eq!(own.0, again.0, "{name}: {}{}", own.2, again.2);
        if own.0 {
            let read = |file: &str| std::fs::read(folder.join(file)).unwrap();
            assert!(read("a.csv") == read("b.csv"), "{name}");
            count += 1;
        }
        assert_eq!(run(&["translate", &name, "--listing"]).1, run(&["translate", "m.kausal", "--listing"]).1);
    }
    assert!(count > 30, "{count} examples ran");
}

#[test]
fn failures_show_the_lines_of_the_model() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let model = "model Fails\n  Real x(start = 1, fixed = true);\nequation\n  der(x) = -x;\n  \
                 assert(x > 0.5, \"x is too small\");\nend Fails;\n";
    std::fs::write(folder.join("Fails.mo"), model).unwrap();
    assert!(run(folder, &["translate", "Fails.mo", "-o", "fails.kausal"]).0);
    let own = run(folder, &["simulate", "Fails.mo", "-o", "a.csv"]);
    std::fs::remove_file(folder.join("Fails.mo")).unwrap();
    let again = run(folder, &["simulate", "fails.kausal", "-o", "a.csv"]);
    assert!(!again.0);
    assert!(again.2.contains("assert(x > 0.5") && again.2.contains("Fails.mo:5"), "{}", again.2);
    assert_eq!(own.2, again.2);
}

#[test]
fn other_options_translate_again() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let model = "model Decay parameter Real k = 1; Real x(start = 1, fixed = true); equation der(x) = -k*x; end Decay;";
    std::fs::write(folder.join("Decay.mo"), model).unwrap();
    assert!(run(folder, &["translate", "Decay.mo", "--inline", "bdf", "-o", "decay.kausal"]).0);
    let listing = |arguments: &[&str]| {
        let (done, listing, said) = run(folder, &[&["translate", "--listing"], arguments].concat());
        assert!(done, "{said}");
        listing
    };
    // The options of the file are in force, and others instead.
    assert_eq!(listing(&["decay.kausal"]), listing(&["Decay.mo", "--inline", "bdf"]));
    assert_eq!(listing(&["decay.kausal", "--inline", "radau"]), listing(&["Decay.mo", "--inline", "radau"]));
    let value = |arguments: &[&str]| {
        let arguments = [&["simulate", "-o", "x.csv", "--inline", "bdf"], arguments].concat();
        assert!(run(folder, &arguments).0);
        std::fs::read_to_string(folder.join("x.csv")).unwrap()
    };
    assert_eq!(value(&["decay.kausal", "--set", "k=3"]), value(&["Decay.mo", "--set", "k=3"]));
}

#[test]
fn what_is_no_stored_model_is_said_once() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("text.kausal"), "model M end M;").unwrap();
    for command in ["simulate", "explain", "translate", "check", "flatten"] {
        let (done, _, said) = run(folder, &[command, "text.kausal"]);
        assert!(!done);
        assert_eq!(said.matches("K0917").count(), 1, "{command}: {said}");
        assert!(said.contains("text.kausal is not a stored model"), "{command}: {said}");
    }
    let (done, _, said) = run(folder, &["simulate", "none.kausal"]);
    assert!(!done && said.contains("none.kausal cannot be read"), "{said}");
    let (done, _, said) = run(folder, &["translate", "Kausal.Examples.RC", "-o", "rc.csv"]);
    assert!(!done && said.contains("end with .kausal"), "{said}");
}

/// Calls that are made again, on other conditions and behind relations, and states that are selected while the model runs.
#[test]
fn what_the_translation_made_is_stored() {
    let calls = "model Calls
  function f input Real u; output Real y; algorithm y := u; while y < 2 loop y := 2*y + 1; end while; end f;
  Real x(start = 0.1, fixed = true);
  Boolean late = time > 0.5;
  Boolean large = x > 0.3;
  Real a = if late then f(x) else 0;
  Real b = if large then 2*f(x) else 1;
  Real c = if late then f(x) + 1 else f(x);
equation
  der(x) = 0.1*(a + b + c);
end Calls;";
    let selected = "model Pendulum
  Real x(start = 0.6); Real y(start = -0.8); Real vx; Real vy(start = 0); Real force;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -force*x;
  der(vy) = -force*y - 9.81;
  x^2 + y^2 = 1;
end Pendulum;";
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (name, text) in [("Calls", calls), ("Pendulum", selected)] {
        let file = format!("{name}.mo");
        std::fs::write(folder.join(&file), text).unwrap();
        let (done, _, said) = run(folder, &["translate", &file, "-o", "m.kausal"]);
        assert!(done, "{name}: {said}");
        assert!(run(folder, &["simulate", &file, "-o", "a.csv"]).0);
        assert!(run(folder, &["simulate", "m.kausal", "-o", "b.csv"]).0);
        let read = |file: &str| std::fs::read(folder.join(file)).unwrap();
        assert!(read("a.csv") == read("b.csv"), "{name}");
        let (done, _, said) = run(folder, &["export", &file, "-o", "m.fmu"]);
        assert!(done, "{name}: {said}");
    }
}
