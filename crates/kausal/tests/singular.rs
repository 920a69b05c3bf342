//! Models that have no program, or an initial problem that says too much: each file in `singular/` names in its first
//! line the diagnostics it must give; how they read, with variables and source lines, is a snapshot.

mod support;

use kausal::{Diagnostic, Options, Relaxing, Session, Tearing, render};

/// Flattens and translates; everything that was said.
fn translate(name: &str, text: &str) -> (Session, Vec<Diagnostic>) {
    let mut session = Session::new();
    session.add_text(&format!("{name}.mo"), text);
    if let Some(flat) = session.flatten("M") {
        session.translate(&flat, &options(text));
    }
    let diagnostics = session.take_diagnostics();
    (session, diagnostics)
}

/// What `// options:` in the head of a model says: `tearing` and `relaxing` as declared.
fn options(text: &str) -> Options {
    let mut options = Options::default();
    for word in support::notes(text, "options").into_iter().flat_map(str::split_whitespace) {
        match word {
            "tearing" => options.tearing = Tearing::Declared,
            "relaxing" => options.relaxing = Relaxing::Declared,
            other => panic!("unknown option {other}"),
        }
    }
    options
}

#[test]
fn diagnostics_of_ill_posed_models() {
    let corpus = support::corpus("singular");
    assert!(corpus.len() >= 30, "{} models", corpus.len());
    let mut failures = Vec::new();
    for (name, text) in &corpus {
        let (session, diagnostics) = translate(name, text);
        let mut codes: Vec<&str> = diagnostics.iter().map(|d| d.code).collect();
        codes.sort_unstable();
        codes.dedup();
        let expected: Vec<&str> =
            support::notes(text, "expect").into_iter().flat_map(str::split_whitespace).collect();
        let rendered = render::text(&diagnostics, session.sources(), false);
        if codes != expected {
            failures.push(format!("{name}: expected {expected:?}, got {codes:?}\n{rendered}"));
            continue;
        }
        insta::assert_snapshot!(name.as_str(), rendered);
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

/// A diagnostic that names no place in the text is of little help.
#[test]
fn every_diagnostic_has_a_place() {
    for (name, text) in support::corpus("singular") {
        let (_, diagnostics) = translate(&name, &text);
        for d in diagnostics {
            assert!(!d.labels.is_empty(), "{name}: {} {}", d.code, d.message);
        }
    }
}
