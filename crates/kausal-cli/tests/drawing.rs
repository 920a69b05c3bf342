//! `kausal draw` and `kausal doc`: every class of the library has a picture, files are what their names say, documentation
//! cannot act.

use serde_json::Value;
use support::{done, kausal, text};

mod support;

#[test]
fn every_class_of_the_library_is_drawn_as_it_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let said = done(folder.path(), &["draw", "Kausal", "--all", "--folder", "pictures", "--json"]);
    let report: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(report["failed"], Value::Array(Vec::new()));
    assert_eq!(report["noted"], Value::Array(Vec::new()));
    let pictures = report["pictures"].as_u64().unwrap();
    assert_eq!(pictures, 2 * report["classes"].as_u64().unwrap());
    assert_eq!(std::fs::read_dir(folder.path().join("pictures")).unwrap().count() as u64, pictures);
}

#[test]
fn pictures_are_what_their_names_say() {
    let folder = tempfile::tempdir().unwrap();
    done(folder.path(), &["draw", "Kausal.Examples.RC", "-o", "rc.svg", "-o", "rc.png"]);
    let svg = std::fs::read_to_string(folder.path().join("rc.svg")).unwrap();
    assert!(svg.starts_with("<svg") && svg.contains("data-name=\"resistor\""));
    // The value of the parameter in the model, with the symbol of its unit.
    assert!(svg.contains("R=1000 Ω"), "{svg}");
    let png = std::fs::read(folder.path().join("rc.png")).unwrap();
    assert!(png.starts_with(b"\x89PNG\r\n\x1a\n"));
    // A picture of one colour would take less than 10 kB.
    assert!(png.len() > 10_000, "{}", png.len());
}

#[test]
fn a_class_that_does_not_exist_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    for command in ["draw", "doc"] {
        let output = kausal(folder.path(), &[command, "Kausal.Electrical.Resistr"]);
        assert_eq!(output.status.code(), Some(1));
        let said = text(&output.stderr);
        assert!(said.contains("K0200") && said.contains("Kausal.Electrical.Resistor"), "{said}");
    }
}

#[test]
fn documentation_has_parameters_and_cannot_act() {
    let folder = tempfile::tempdir().unwrap();
    let said = done(folder.path(), &["doc", "Kausal.Electrical.Resistor", "--json"]);
    let report: Value = serde_json::from_str(&said).unwrap();
    let r = report["parameters"].as_array().unwrap().iter().find(|p| p["name"] == "R").unwrap();
    assert_eq!((r["value"].as_str(), r["unit"].as_str()), (Some("1 Ω"), Some("Ω")));
    let connectors: Vec<&Value> =
        report["connectors"].as_array().unwrap().iter().map(|c| &c["name"]).collect();
    assert_eq!(connectors, ["p", "n"]);
    let bad = "model Bad annotation(Documentation(info = \"<html><p>good</p><script>steal()</script>\
               <img src='x' onerror='steal()'></html>\")); end Bad;";
    std::fs::write(folder.path().join("Bad.mo"), bad).unwrap();
    done(folder.path(), &["doc", "Bad.mo", "--html", "bad.html"]);
    let page = std::fs::read_to_string(folder.path().join("bad.html")).unwrap();
    assert!(page.contains("good") && page.contains("default-src 'none'"));
    assert!(!page.contains("steal") && !page.contains("<script"), "{page}");
    let said = done(folder.path(), &["doc", "Bad.mo"]);
    assert!(said.contains("good") && !said.contains("steal"), "{said}");
}
