//! Complete files in the classic notation: no messages, and the Modelica they become.

mod classic_support;

use std::path::Path;
use std::sync::Arc;

use classic_support::{files, show};
use kausal_syntax::{Sources, classic, modelica, print};

fn check(name: &str, path: &Path) {
    let text = std::fs::read_to_string(path).unwrap();
    let mut sources = Sources::default();
    let id = sources.add(path.file_name().unwrap().to_string_lossy(), text);
    let parse = classic::parse(id, sources.get(id).text.clone());
    assert!(parse.diagnostics.is_empty(), "{name}:\n{}", show(&sources, &parse.diagnostics));
    let printed = print::modelica(&parse.ast);
    insta::assert_snapshot!(format!("good_{name}"), printed);

    // What is printed is Modelica, and it is the same tree.
    let again_id = sources.add("printed.mo", printed.as_str());
    let again = modelica::parse(again_id, Arc::from(printed.as_str()));
    assert!(again.diagnostics.is_empty(), "{name}:\n{printed}\n{}", show(&sources, &again.diagnostics));
    assert!(print::same_tree(&parse.ast, &again.ast), "{name}");
}

#[test]
fn good_files() {
    for (name, path) in files("good") {
        check(&name, &path);
    }
}

#[test]
fn tutorial() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/tutorial/RC.dym");
    check("tutorial_rc", &path);
}

#[test]
fn line_ends_do_not_matter() {
    for (name, path) in files("good") {
        let text = std::fs::read_to_string(path).unwrap();
        let printed = |text: &str| {
            let (sources, parse) = classic_support::parse(text);
            assert!(parse.diagnostics.is_empty(), "{name}:\n{}", show(&sources, &parse.diagnostics));
            print::modelica(&parse.ast)
        };
        let unix = printed(&text);
        assert_eq!(printed(&text.replace('\n', "\r\n")), unix, "{name}");
        assert_eq!(printed(&text.replace('\n', "\r")), unix, "{name}");
        assert_eq!(printed(&format!("\u{feff}{text}")), unix, "{name}");
    }
}
