//! What is printed parses into the same tree: for all Modelica files of the repository, and for the Modelica
//! Standard Library where `MODELICAPATH` says where it is.

mod modelica_support;

use std::path::Path;
use std::sync::Arc;

use kausal_syntax::{SourceId, classic, modelica, print};
use modelica_support::{files, parse, tests};

/// Parses, prints, parses and prints again; both trees and both texts must agree.
fn check_file(path: &Path) {
    let Ok(text) = std::fs::read_to_string(path) else { panic!("{}: unreadable", path.display()) };
    let first = modelica::parse(SourceId(0), Arc::from(text));
    assert!(!first.has_errors(), "{}: {:?}", path.display(), first.diagnostics);
    let printed: Arc<str> = print::modelica(&first.ast).into();
    let second = modelica::parse(SourceId(1), printed.clone());
    assert!(!second.has_errors(), "{} printed: {:?}", path.display(), second.diagnostics);
    assert_same(&print::dump(&first.ast), &print::dump(&second.ast), path);
    assert_eq!(print::modelica(&second.ast), *printed, "{}: printing settles", path.display());
}

#[test]
fn files_of_this_repository() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut checked = 0;
    for directory in [root.join("tests/good"), root.join("../../examples"), root.join("../../library")] {
        for path in files(&directory, "mo") {
            check_file(&path);
            checked += 1;
        }
    }
    assert!(checked >= 12, "only {checked} files found");
}

/// Below the parser nobody knows which notation a tree came in: the papers' notation prints as Modelica.
#[test]
fn classic_files_print_as_modelica() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut checked = 0;
    for directory in [root.join("tests/good"), root.join("../../examples"), root.join("../../library")] {
        for path in files(&directory, "dym") {
            let text = std::fs::read_to_string(&path).unwrap();
            let first = classic::parse(SourceId(0), Arc::from(text));
            if first.has_errors() {
                continue; // It needs other files.
            }
            let printed = print::modelica(&first.ast);
            let second = modelica::parse(SourceId(1), printed.clone().into());
            assert!(!second.has_errors(), "{}: {:?}\n{printed}", path.display(), second.diagnostics);
            assert_same(&print::dump(&first.ast), &print::dump(&second.ast), &path);
            checked += 1;
        }
    }
    assert!(checked >= 5, "only {checked} files");
}

fn assert_same(a: &str, b: &str, path: &Path) {
    if a != b {
        let line = a.lines().zip(b.lines()).find(|(a, b)| a != b);
        panic!("{}: another tree behind printing: {line:?}", path.display());
    }
}

#[test]
fn modelica_standard_library() {
    let Some(path) = std::env::var_os("MODELICAPATH") else {
        println!("skipped: MODELICAPATH is not set");
        return;
    };
    let mut checked = 0;
    for directory in std::env::split_paths(&path) {
        for path in files(&directory, "mo") {
            check_file(&path);
            checked += 1;
        }
    }
    println!("{checked} files checked");
}

/// White space separates, it means nothing else (specification section 2.2): a text with a line for each word is the same.
#[test]
fn every_word_on_its_own_line() {
    for path in files(&tests().join("good"), "mo") {
        let text = std::fs::read_to_string(&path).unwrap();
        let words: Vec<&str> = modelica::lexemes(&text)
            .iter()
            .map(|l| &text[l.span.start as usize..l.span.end as usize])
            .collect();
        let (before, after) = (parse(&text), parse(&words.join("\n")));
        assert!(
            after.diagnostics.len() == before.diagnostics.len(),
            "{}: {:#?}",
            path.display(),
            after.diagnostics
        );
        assert!(print::same_tree(&before.ast, &after.ast), "{}", path.display());
    }
}
