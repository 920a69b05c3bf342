//! Wrong usage ends with the exit code 2 and says what would be right; names that are nearly right are recognised; what
//! programs read is one JSON object.

use serde_json::Value;
use support::{done, kausal, text};

mod support;

/// A model that can be run, a run that fails, one without a solution, one with too many equations.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write(
        "Decay.mo",
        "model Decay\n  Real x(start = 1, fixed = true);\nequation\n  der(x) = -x;\nend Decay;",
    );
    write(
        "Late.mo",
        "model Late\n  Real x(start = 0, fixed = true);\nequation\n  der(x) = 1;\n  assert(x < 0.5, \"too far\");\nend Late;",
    );
    write("Open.mo", "model Open Real x, y; equation x + y = time; end Open;");
    write("Misspelt.mo", "model Misspelt Real x; equation conect(x, x); x = 1; end Misspelt;");
    write("Wrong.mo", "model Wrong Real x; equation x = z; end Wrong;");
    folder
}

#[test]
fn wrong_usage_is_exit_code_2() {
    let folder = folder();
    let cases: [(&[&str], &str); 39] = [
        (&["simulate", "Decay.mo", "--plot-file", "x.pdf"], "plots are .svg, .png or .html files"),
        (&["simulate", "Decay.mo", "-o", "x.xlsx"], "results are .csv, .mat or .parquet files"),
        (&["simulate", "Decay.mo", "--stop", "-1"], "the run cannot go from 0 to -1"),
        (&["simulate", "Decay.mo", "--stop", "inf"], "it must be finite"),
        (&["simulate", "Decay.mo", "--tolerance", "0"], "between 0 and 1"),
        (&["simulate", "Decay.mo", "--output-interval", "-1"], "the output interval cannot be -1"),
        (&["simulate", "Decay.mo", "--number-of-intervals", "0"], "must be positive"),
        (&["simulate", "Decay.mo", "--number-of-intervals", "1000000000000"], "up to 100000000 are possible"),
        (&["simulate", "Decay.mo", "--number-of-intervals", "1.5"], "it is not a whole number"),
        (&["simulate", "Decay.mo", "--timeout", "0"], "it must be positive"),
        (&["simulate", "Decay.mo", "--method", "rk4"], "give it with --step"),
        (&["simulate", "Decay.mo", "--step", "0.1"], "auto chooses its steps itself"),
        (
            &["simulate", "Decay.mo", "--method", "esdirk4", "--step", "0.1"],
            "esdirk4 chooses its steps itself",
        ),
        (&["simulate", "Decay.mo", "--stiff", "x"], "only --inline mixed treats stiff states"),
        (
            &["translate", "Decay.mo", "--inline", "bdf", "--stiff", "x"],
            "only --inline mixed treats stiff states",
        ),
        (&["explain", "Decay.mo", "--stiff", "x"], "only --inline mixed treats stiff states"),
        (&["simulate", "Decay.mo", "--inline", "implicit-euler", "--order", "2"], "is the one of order 1"),
        (
            &["simulate", "Decay.mo", "--inline", "bdf", "--jacobian", "numeric"],
            "the model has matrices of its own",
        ),
        (&["simulate", "Decay.mo", "--inline", "bdf", "--iterations", "3"], "inlined step of one size"),
        (
            &["simulate", "Decay.mo", "--inline", "euler", "--step", "0.1", "--iterations", "3"],
            "inlined step of one size",
        ),
        (
            &["simulate", "Decay.mo", "--inline", "mixed", "--step", "0.1", "--order", "2"],
            "leave --order out, or write --inline bdf",
        ),
        (
            &["simulate", "Decay.mo", "--inline", "rosenbrock", "--step", "0.1"],
            "leave --step out, or write --inline implicit-euler",
        ),
        (&["simulate", "Decay.mo", "--inline", "mixed", "--stiff", ""], "a state without a name"),
        (&["translate", "Decay.mo", "--inline", "mixed", "--stiff", "x,"], "a state without a name"),
        (&["simulate", "Decay.mo", "--events", "at-steps"], "auto chooses its steps itself"),
        (
            &["translate", "Decay.mo", "--inline", "radau", "--order", "2", "--c", "x.c"],
            "backward differentiation formulas",
        ),
        (&["translate", "Decay.mo", "--iterations", "2", "--c", "x.c"], "inlined step in C"),
        (&["translate", "Decay.mo", "--inline", "bdf", "--order", "2"], "none is asked for"),
        (
            &["translate", "Decay.mo", "--inline", "rosenbrock", "--c", "x.c"],
            "take --inline trapezoidal, bdf",
        ),
        (&["simulate", "Decay.mo", "--method", "radau", "--order", "3"], "radau has an order of its own"),
        (&["simulate", "Decay.mo", "--method", "bdf", "--order", "6"], "6 is not in 1..=5"),
        (&["simulate", "Decay.mo", "--method", "rk4", "--step", "0"], "it must be positive"),
        (&["simulate", "Decay.mo", "--inline", "bdf", "--method", "radau"], "or write --inline radau"),
        (
            &["simulate", "Decay.mo", "--inline", "radau", "--method", "dopri5"],
            "leave --method out, or --inline",
        ),
        (&["explain", "Decay.mo", "--matrix", "a.bmp"], "the matrix is an .svg file"),
        (&["explain", "Decay.mo", "--html", "a.pdf"], "the report is an .html file"),
        (&["simulate", "Decay.mo", "--report", "a.txt"], "the report is an .html file"),
        (&["compare", "a.csv", "b.csv", "--tolerance", "-1"], "a tube cannot have a negative width"),
        (&["simulate", "Decay.mo", "--tearing", "sometimes"], "[possible values: auto, declared, off]"),
    ];
    for (arguments, said) in cases {
        let output = kausal(folder.path(), arguments);
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
        assert!(error.contains(said), "{arguments:?}: {error}");
        assert!(output.stdout.is_empty(), "{arguments:?}: {}", text(&output.stdout));
    }
    done(folder.path(), &["simulate", "Decay.mo", "--method", "rk4", "--step", "0.1"]);
    done(folder.path(), &["simulate", "Decay.mo", "--inline", "radau", "--method", "radau"]);
    done(folder.path(), &["simulate", "Decay.mo", "--method", "radau", "--step", "0.1"]);
    done(folder.path(), &["simulate", "Decay.mo", "--inline", "mixed", "--stiff", "x", "--step", "0.1"]);
}

/// What is asked for and does not come to pass is said: C without a step, a bound of iterations where nothing is iterated.
#[test]
fn what_has_no_effect_is_said() {
    let folder = folder();
    let root = "model Root Real x(start = 1, fixed = true); equation der(x) = -sqrt(x); end Root;";
    std::fs::write(folder.path().join("Root.mo"), root).unwrap();
    let bounded = ["--inline", "implicit-euler", "--iterations", "3"];
    let translate = |model: &str, options: &[&str]| {
        let arguments = [&["translate", model, "--c", "x.c"], options].concat();
        text(&kausal(folder.path(), &arguments).stderr).to_owned()
    };
    let said = translate("Root.mo", &["--inline", "auto"]);
    assert!(said.contains("warning[K0915]") && said.contains("the C text has no step"), "{said}");
    assert!(!std::fs::read_to_string(folder.path().join("x.c")).unwrap().contains("model_step"));
    let said = translate("Decay.mo", &bounded);
    assert!(said.contains("note[K0915]: --iterations 3 has no effect"), "{said}");
    assert!(!translate("Root.mo", &bounded).contains("K0915"));
    let simulate = |model: &str| {
        let arguments = [&["simulate", model, "--step", "0.1", "-v"], &bounded[..]].concat();
        text(&kausal(folder.path(), &arguments).stderr).to_owned()
    };
    assert!(simulate("Decay.mo").contains("note[K0915]: --iterations 3 has no effect"));
    assert!(!simulate("Root.mo").contains("K0915"));
    let mixed = ["simulate", "Decay.mo", "--inline", "mixed", "-v"];
    let said = text(&kausal(folder.path(), &mixed).stderr).to_owned();
    assert!(said.contains("method mixed (bdf)"), "{said}");
}

/// Programs that read JSON find out why there is nothing else to read.
#[test]
fn failed_translations_are_json_too() {
    let folder = folder();
    for (command, model, code) in [
        ("simulate", "Wrong.mo", "K0202"),
        ("translate", "Wrong.mo", "K0202"),
        ("simulate", "Open.mo", "K0240"),
        ("translate", "Open.mo", "K0240"),
        ("check", "Wrong.mo", "K0202"),
        ("flatten", "Wrong.mo", "K0202"),
    ] {
        let output = kausal(folder.path(), &[command, model, "--json"]);
        assert_eq!(output.status.code(), Some(1), "{command} {model}");
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(report["completed"], false, "{report}");
        assert_eq!(report["model"], model, "{report}");
        assert_eq!(report["diagnostics"][0]["code"], code, "{report}");
    }
}

#[test]
fn too_many_points_are_refused() {
    let folder = folder();
    let output = kausal(folder.path(), &["simulate", "Decay.mo", "--output-interval", "1e-9"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("points are too many"), "{}", text(&output.stderr));
}

#[test]
fn names_that_are_nearly_right() {
    let folder = folder();
    let cases: [(&[&str], &str); 10] = [
        (&["examples", "--copy", "Rc2"], "did you mean RC?"),
        (
            &["simulate", "Kausal.Electrical.ConstantVoltage"],
            "did you mean Kausal.Electrical.Sources.ConstantVoltage?",
        ),
        (&["check", "Misspelt.mo"], "did you mean connect?"),
        (&["simulate", "Rectifier"], "did you mean Kausal.Examples.Rectifier?"),
        (&["simulate", "rectifer"], "did you mean Kausal.Examples.Rectifier?"),
        (&["check", "Decay"], "did you mean the file Decay.mo?"),
        (&["simulate", "resistor"], "`kausal examples --copy Resistor` first, then Resistor.mo"),
        (&["examples", "--copy", "Chua"], "did you mean Kausal.Examples.Chua?"),
        (&["examples", "--copy", "Resitor"], "did you mean Resistor?"),
        (&["simulate", "Kausal.Exampels.RC"], "did you mean Kausal.Examples.RC?"),
    ];
    for (arguments, said) in cases {
        let output = kausal(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(text(&output.stderr).contains(said), "{arguments:?}: {}", text(&output.stderr));
    }
}

/// The last line and the message tell the same instant.
#[test]
fn failed_runs_say_how_far_they_came() {
    let folder = folder();
    let output = kausal(folder.path(), &["simulate", "Late.mo"]);
    let said = text(&output.stderr);
    let after = |text: &str, before: &str| -> f64 {
        let rest = text.split_once(before).unwrap_or_else(|| panic!("{before}: {text}")).1;
        let end = rest.find(|c: char| !"0123456789.e-".contains(c)).unwrap_or(rest.len());
        rest[..end].parse().unwrap()
    };
    let failed = after(&said, "cannot go on at time ");
    assert!((failed - 0.5).abs() < 1e-9, "{said}");
    assert_eq!(after(&text(&output.stdout), "Late: 0 to "), failed);
    let output = kausal(folder.path(), &["simulate", "Late.mo", "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["stop"], &report["completed"]), (&failed.into(), &false.into()));
}

#[test]
fn programs_get_one_object() {
    let folder = folder();
    let json = |arguments: &[&str]| -> Value {
        serde_json::from_slice(&kausal(folder.path(), arguments).stdout).unwrap()
    };
    let flat = json(&["flatten", "Decay.mo", "--json"]);
    assert_eq!(
        (&flat["variables"][0]["name"], &flat["equations"][0]["equation"]),
        (&"x".into(), &"der(x) = -x".into())
    );
    let said = json(&["explain", "Decay.mo", "--json"]);
    assert_eq!((&said["equations"], &said["states"][0]["name"]), (&1.into(), &"x".into()));
    let said = json(&["explain", "Decay.mo", "--json", "--html", "page.html"]);
    assert!(said["went"].is_array() && folder.path().join("page.html").is_file());
    let open = json(&["explain", "Open.mo", "--json"]);
    assert_eq!(open["singular"][0]["unknowns"], serde_json::json!(["x", "y"]));
    assert_eq!(open["diagnostics"][0]["code"], "K0402");
}

/// Files that were written are named on stderr, where they disturb nobody who reads results; not where that is too much.
#[test]
fn written_files_are_named() {
    let folder = folder();
    let files = ["simulate", "Decay.mo", "-o", "a.csv", "--plot-file", "a.svg", "--report", "a.html"];
    let output = kausal(folder.path(), &files);
    assert_eq!(text(&output.stderr), "wrote a.csv\nwrote a.svg\nwrote a.html\n");
    for silent in ["--quiet", "--json"] {
        let output = kausal(folder.path(), &[&files[..], &[silent]].concat());
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()), "{silent}");
    }
    let output = kausal(folder.path(), &["explain", "Decay.mo", "--quiet"]);
    assert!(output.stdout.is_empty() && output.stderr.is_empty());
    let output = kausal(folder.path(), &["explain", "Decay.mo", "--verbose"]);
    assert!(text(&output.stderr).contains("translation") && text(&output.stdout).contains("States: 1"));
}

/// A page that was asked for is there, or it is said why not.
#[test]
fn pages_of_wrong_models() {
    let folder = folder();
    let output = kausal(folder.path(), &["explain", "Open.mo", "--html", "open.html"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("wrote open.html"), "{}", text(&output.stderr));
    let page = std::fs::read_to_string(folder.path().join("open.html")).unwrap();
    assert!(page.contains("Only 1 equation for 2 unknowns"));
    let output = kausal(folder.path(), &["explain", "Wrong.mo", "--html", "wrong.html"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("wrong.html was not written: the model has errors"));
    assert!(!folder.path().join("wrong.html").exists());
}

/// What cannot be set says why; what is written too often is limited; a run that starts late is as long as the other.
#[test]
fn settings_and_spans() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let model = "model Set constant Real c = 5; final parameter Real q = 3; Real x = c*q*time;
      annotation(experiment(StopTime = 1.5, Interval = 1e-9)); end Set;";
    std::fs::write(at.join("Set.mo"), model).unwrap();
    for (setting, why) in [("c=3", "it is a constant"), ("q=4", "it is final")] {
        let output = kausal(at, &["simulate", "Set.mo", "--set", setting]);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert!(text(&output.stderr).contains(why), "{output:?}");
    }
    let output = kausal(at, &["simulate", "Set.mo", "--timeout", "1"]);
    assert!(text(&output.stderr).contains("warning[K0524]"), "{output:?}");
    let output = kausal(at, &["simulate", "Set.mo", "--start", "2", "--number-of-intervals", "3", "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((report["start"].as_f64(), report["end"].as_f64()), (Some(2.0), Some(3.5)), "{output:?}");
}

/// A run that the model ends says where.
#[test]
fn where_a_run_ended() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let model =
        "model End Real x = time; equation when time >= 0.5 then terminate(\"half\"); end when; end End;";
    std::fs::write(at.join("End.mo"), model).unwrap();
    let output = kausal(at, &["simulate", "End.mo"]);
    assert!(output.status.success() && text(&output.stdout).contains("End: 0 to 0.5 of 1"), "{output:?}");
    let output = kausal(at, &["simulate", "End.mo", "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (report["end"].as_f64(), report["completed"].as_bool()),
        (Some(0.5), Some(true)),
        "{output:?}"
    );
}

/// Results without rows, and those that begin late.
#[test]
fn odd_results_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let write = |name: &str, text: &str| std::fs::write(at.join(name), text).unwrap();
    write("all.csv", "time,x\n0,1\n1,1\n");
    write("late.csv", "time,x\n0.5,1\n1,1\n");
    write("none.csv", "time,x\n");
    let output = kausal(at, &["compare", "late.csv", "all.csv"]);
    assert!(text(&output.stdout).contains("x begins after time 0"), "{output:?}");
    let output = kausal(at, &["compare", "all.csv", "none.csv"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(text(&output.stderr).contains("none.csv has no rows"), "{output:?}");
    let output = kausal(at, &["plot", "all.csv"]);
    assert!(text(&output.stdout).contains("no signal changes"), "{output:?}");
}
