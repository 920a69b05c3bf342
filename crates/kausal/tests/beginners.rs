//! Errors that beginners make, and what they are told: each file in `beginners/` says in its head which codes are
//! reported (`expect:`), in which line of the user's text the first message begins (`line:`), and which words must be said
//! (`words:`, separated by `;`). Words of the machinery never appear.

mod support;

use kausal::{Session, render};
use support::notes;

/// Names that only the program itself knows.
const INTERNAL: [&str; 7] =
    ["$when", "the value of time", "crossing", "startTime <", "VarId", "ExprId", "unwrap"];

fn check(name: &str, text: &str) -> Result<(), String> {
    let (session, diagnostics, _) = support::run(name, text);
    let rendered = render::text(&diagnostics, session.sources(), false);
    let mut codes: Vec<&str> = diagnostics.iter().map(|d| d.code).collect();
    codes.sort_unstable();
    codes.dedup();
    let expected: Vec<&str> = notes(text, "expect").into_iter().flat_map(str::split_whitespace).collect();
    if codes != expected {
        return Err(format!("{name}: expected {expected:?}, got {codes:?}\n{rendered}"));
    }
    let first = diagnostics.first().and_then(|d| d.labels.first());
    let line = first.map(|l| {
        let (line, _) = session.sources().line_column(l.location.source, l.location.span.start);
        (session.sources().get(l.location.source).name.clone(), line.to_string())
    });
    let wanted = notes(text, "line").first().map(|line| (format!("{name}.mo"), (*line).to_owned()));
    if line != wanted {
        return Err(format!("{name}: begins at {line:?} and not at {wanted:?}\n{rendered}"));
    }
    for word in notes(text, "words").into_iter().flat_map(|words| words.split(';')).map(str::trim) {
        // Long lines are broken.
        let flat = rendered.split_whitespace().collect::<Vec<_>>().join(" ");
        if !flat.contains(word) {
            return Err(format!("{name}: nothing says {word:?}\n{rendered}"));
        }
    }
    match INTERNAL.iter().find(|word| rendered.contains(**word)) {
        Some(word) => Err(format!("{name}: {word} means nothing to users\n{rendered}")),
        None => Ok(()),
    }
}

#[test]
fn beginners_are_told_what_to_do() {
    let corpus = support::corpus("beginners");
    assert!(corpus.len() >= 80, "{} models", corpus.len());
    let failures: Vec<String> = corpus.iter().filter_map(|(name, text)| check(name, text).err()).collect();
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

#[test]
fn a_missing_library_names_where_it_was_looked_for() {
    let mut session = Session::new();
    let folder = tempfile::tempdir().expect("a folder");
    session.add_library(folder.path());
    session
        .add_text("M.mo", "model M Modelica.Blocks.Sources.Sine s; Real x = Modelica.Constants.pi; end M;");
    assert!(session.flatten("M").is_none());
    let diagnostics = session.take_diagnostics();
    let said = render::text(&diagnostics, session.sources(), false);
    let words = ["Library `Modelica` was not found", "set MODELICAPATH or use --library", "searched: "];
    for word in words.into_iter().chain(folder.path().to_str()) {
        assert!(said.contains(word), "{word}: {said}");
    }
}

/// A library says in a conversion script what its classes were called before.
#[test]
fn renamed_classes_get_their_new_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let library = folder.path().join("Lib");
    std::fs::create_dir_all(library.join("Resources")).expect("a folder");
    let package = "package Lib package New type Speed = Real(unit = \"m/s\"); end New;
        annotation(version = \"2\", conversion(from(version = \"1\", script = \"modelica://Lib/Resources/one.mos\"))); end Lib;";
    std::fs::write(library.join("package.mo"), package).expect("a file");
    std::fs::write(library.join("Resources/one.mos"), "convertClass(\"Lib.Old\", \"Lib.New\");\n")
        .expect("a file");
    for text in ["model M Lib.Old.Speed v = 1; end M;", "model M import Lib.Old.Speed; Speed v = 1; end M;"] {
        let mut session = Session::new();
        session.add_library(folder.path());
        session.add_text("M.mo", text);
        assert!(session.flatten("M").is_none());
        let said = render::text(&session.take_diagnostics(), session.sources(), false);
        assert!(said.contains("in this version of the library it is Lib.New"), "{said}");
    }
}

/// A file with several models says which one is taken, and which others there are.
#[test]
fn a_file_with_several_models_lists_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("Two.mo");
    std::fs::write(
        &file,
        "model A Real x = 1; end A;\nmodel B Real x = 1; end B;\nmodel C Real x = 1; end C;",
    )
    .expect("a file");
    let mut session = Session::new();
    assert_eq!(session.find(&file.to_string_lossy(), None).as_deref(), Some("C"));
    let said = render::text(&session.take_diagnostics(), session.sources(), false);
    assert!(said.contains("A, B") && said.contains("--model"), "{said}");
    let mut session = Session::new();
    assert_eq!(session.find(&file.to_string_lossy(), Some("B")).as_deref(), Some("B"));
    assert!(session.take_diagnostics().is_empty());
}
