//! `kausal verify` on models of our own: one agrees, one differs, others fail in every way there is.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

/// Closed forms: exp(-t) for `Good` and `Bad` (which has another time constant), t for the others.
const MODELS: &str = "
package V
  model Good
    Real x(start = 1, fixed = true);
  protected
    Real minus = -x;
  equation
    der(x) = -x;
  end Good;
  model Bad
    Real x(start = 1, fixed = true);
  equation
    der(x) = -1.1*x;
  end Bad;
  model Unknown
    Real x = missing;
  end Unknown;
  model Open
    Real x, y;
  equation
    x + y = time;
  end Open;
  model Hangs
    function forever
      input Real u;
      output Real y;
    algorithm
      y := u;
      while y < 1e9 loop
        y := y + 0*u;
      end while;
    end forever;
    Real x = forever(time);
  end Hangs;
  model Large
    Real x[1000000](each start = 1);
  equation
    for i in 1:1000000 loop
      der(x[i]) = -i*x[i];
    end for;
  end Large;
end V;
";

const EXPONENTIAL: &str =
    "time,x,minus\n0,1,-1\n0.5,0.6065306597,-0.6065306597\n1,0.3678794412,-0.3678794412\n";
const RAMP: &str = "time,x\n0,0\n1,1\n";

fn folder(references: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("V.mo"), MODELS).unwrap();
    std::fs::create_dir(folder.path().join("reference")).unwrap();
    for (model, text) in references {
        std::fs::write(folder.path().join("reference").join(format!("{model}.csv")), text).unwrap();
    }
    folder
}

fn kausal(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kausal"))
        .current_dir(folder)
        .env_remove("MODELICAPATH")
        .args(["verify", "--reference", "reference", "--load", "V.mo"])
        .args(arguments)
        .output()
        .unwrap()
}

fn json(output: &Output) -> Value {
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text)
        .unwrap_or_else(|e| panic!("{e}: {text}\n{}", String::from_utf8_lossy(&output.stderr)))
}

#[test]
fn every_way_to_end_is_told_apart() {
    let folder = folder(&[
        ("V.Good", EXPONENTIAL),
        ("V.Bad", "time,x\n0,1\n0.5,0.6065306597\n1,0.3678794412\n"),
        ("V.Unknown", RAMP),
        ("V.Open", RAMP),
        ("V.Hangs", RAMP),
        ("V.Nowhere", RAMP),
    ]);
    let output = kausal(
        folder.path(),
        &["--json", "--timeout", "5", "--jobs", "2", "--html", "r.html", "--markdown", "r.md"],
    );
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    let report = json(&output);
    assert_eq!(
        (report["agree"].as_u64(), report["differ"].as_u64(), report["fail"].as_u64()),
        (Some(1), Some(1), Some(4))
    );
    let row = |model: &str| {
        let rows = report["rows"].as_array().unwrap();
        rows.iter().find(|r| r["model"] == model).unwrap().clone()
    };
    let ended = |model: &str| {
        let row = row(model);
        let text = |v: &Value| v.as_str().unwrap_or_default().to_owned();
        [text(&row["verdict"]), text(&row["stage"]), text(&row["error"]["code"])]
    };
    assert_eq!(ended("V.Good"), ["agrees", "compare", ""]);
    assert_eq!(ended("V.Bad"), ["differs", "compare", ""]);
    assert_eq!(ended("V.Unknown")[..2], ["fails", "flatten"]);
    assert_eq!(ended("V.Open")[..2], ["fails", "translate"]);
    assert_eq!(ended("V.Hangs"), ["fails", "initialise", "timeout"]);
    assert_eq!(ended("V.Nowhere")[..2], ["fails", "load"]);
    // exp(-1.1) is 0.33287; the range is 0.63212.
    let worst = &row("V.Bad")["deviations"][0];
    assert_eq!((worst["signal"].as_str(), worst["time"].as_f64()), (Some("x"), Some(1.0)));
    let expected = (0.3678794412 - 0.3328710837 - 0.002 * 0.6321205588) / 0.6321205588;
    assert!((worst["relative"].as_f64().unwrap() - expected).abs() < 2e-3, "{worst}");
    assert!(row("V.Unknown")["error"]["place"].as_str().unwrap().ends_with("V.mo:16"));

    let page = std::fs::read_to_string(folder.path().join("r.html")).unwrap();
    assert!(page.contains("<svg") && page.contains("V.Hangs"));
    let table = std::fs::read_to_string(folder.path().join("r.md")).unwrap();
    assert!(table.contains("1 of 6 models agree") && table.contains("| V.Good | agrees |"), "{table}");
}

#[test]
fn a_model_that_needs_too_much_memory_fails_alone() {
    let folder = folder(&[("V.Good", EXPONENTIAL), ("V.Large", RAMP)]);
    let output = kausal(folder.path(), &["--json", "--timeout", "60", "--memory", "600"]);
    let report = json(&output);
    assert_eq!(report["agree"], 1, "{report}");
    let large = report["rows"].as_array().unwrap().iter().find(|r| r["model"] == "V.Large").unwrap();
    assert_eq!((&large["verdict"], &large["error"]["code"]), (&"fails".into(), &"memory".into()), "{large}");
}

#[test]
fn all_agree_and_text_is_for_people() {
    let folder = folder(&[("V.Good", EXPONENTIAL), ("V.Bad", RAMP)]);
    std::fs::write(
        folder.path().join("figures.json"),
        r#"[{"model": "V.Good", "equations": 2, "lin_torn": [], "nl_torn": [], "steps": 10, "f_evals": 20}]"#,
    )
    .unwrap();
    let output = kausal(
        folder.path(),
        &["--filter", "*.Good", "--figures", "figures.json", "--keep", "kept", "--time-tolerance", "0"],
    );
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
    assert!(
        text.contains("1 of 1 agree, 0 differ, 0 fail") && text.contains("median over agreeing models"),
        "{text}"
    );
    // What is kept can be compared again.
    let compared = Command::new(env!("CARGO_BIN_EXE_kausal"))
        .current_dir(folder.path())
        .args(["compare", "kept/V.Good.csv", "reference/V.Good.csv"])
        .output()
        .unwrap();
    assert!(compared.status.success());
    assert_eq!(String::from_utf8_lossy(&compared.stdout), "2 of 2 signals agree\n");
}

#[test]
fn wrong_usage_is_said() {
    let folder = folder(&[]);
    let output = kausal(folder.path(), &[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("has no reference"));
    let output = kausal(folder.path(), &["--figures", "V.mo"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("V.mo is not a list of figures"));
}
