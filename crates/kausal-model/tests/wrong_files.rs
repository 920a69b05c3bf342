//! Libraries whose files are not what their names, folders or `package.order` say (specification section 13.4), and
//! files that define a class twice.

use std::collections::BTreeMap;
use std::fmt::Write;

use kausal_model::{Files, Workspace};

/// Files in memory; an empty one cannot be read.
struct Memory(BTreeMap<&'static str, &'static str>);

impl Files for Memory {
    fn list(&self, folder: &str) -> Option<Vec<String>> {
        let prefix = format!("{folder}/");
        let mut names: Vec<String> = self
            .0
            .keys()
            .filter_map(|path| path.strip_prefix(&prefix))
            .filter_map(|rest| rest.split('/').next())
            .map(str::to_owned)
            .collect();
        names.dedup();
        (!names.is_empty()).then_some(names)
    }

    fn read(&self, path: &str) -> Option<String> {
        self.0.get(path).filter(|text| !text.is_empty()).map(|text| (*text).to_owned())
    }

    fn problem(&self, path: &str) -> Option<String> {
        self.0.get(path).map(|_| "is not UTF-8 text (from byte 7 on)".to_owned())
    }
}

/// What is said about `Lib.M`, or about the class named: codes, messages, lines and advice.
fn check(files: &[(&'static str, &'static str)], model: &str, expected: &[&str]) {
    let package = ("lib/Lib/package.mo", "package Lib end Lib;");
    let files = BTreeMap::from_iter([package].into_iter().chain(files.iter().copied()));
    let mut workspace = Workspace::new(Box::new(Memory(files)));
    workspace.add_folder("lib");
    let (_, diagnostics) = workspace.flatten(model);
    let sources = workspace.sources();
    let said: Vec<String> = diagnostics
        .iter()
        .map(|d| {
            let mut text = format!("{} {}", d.code, d.message);
            for label in &d.labels {
                let (line, _) = sources.line_column(label.location.source, label.location.span.start);
                let _ = write!(text, " [{}:{line}]", sources.get(label.location.source).name);
            }
            text
        })
        .collect();
    assert_eq!(said, expected);
}

#[test]
fn a_file_that_defines_another_class() {
    check(
        &[
            ("lib/Lib/M.mo", "within Lib; model M A a; end M;"),
            ("lib/Lib/A.mo", "within Lib;\nmodel B Real x = 1; end B;"),
        ],
        "Lib.M",
        &["K0209 lib/Lib/A.mo should define the class A, but it defines B [lib/Lib/A.mo:2]"],
    );
}

#[test]
fn a_file_that_is_not_text() {
    check(
        &[("lib/Lib/M.mo", "within Lib; model M Lib.A a; end M;"), ("lib/Lib/A.mo", "")],
        "Lib.M",
        &["K0902 A should be in lib/Lib/A.mo, but that file is not UTF-8 text (from byte 7 on)"],
    );
}

#[test]
fn the_model_itself_is_not_text() {
    check(
        &[("lib/Lib/M.mo", "")],
        "Lib.M",
        &["K0902 M should be in lib/Lib/M.mo, but that file is not UTF-8 text (from byte 7 on)"],
    );
}

#[test]
fn a_file_that_says_it_is_elsewhere() {
    check(
        &[("lib/Lib/M.mo", "within Other;\nmodel M Real x = 1; end M;")],
        "Lib.M",
        &["K0201 this file says `within Other`, but it is stored in Lib [lib/Lib/M.mo:1]"],
    );
}

#[test]
fn a_library_that_says_it_is_inside_another() {
    check(
        &[("lib/Top.mo", "within Lib;\nmodel Top Real x = 1; end Top;")],
        "Top",
        &[
            "K0201 this file says `within Lib`, but it is stored at the top of a library folder [lib/Top.mo:1]",
        ],
    );
}

#[test]
fn an_order_that_names_what_does_not_exist() {
    check(
        &[
            ("lib/Lib/M.mo", "within Lib; model M Real x = 1; end M;"),
            ("lib/Lib/package.order", "M\nNothing\n"),
        ],
        "Lib.M",
        &["K0905 package.order names Nothing, which is not in Lib [lib/Lib/package.order:2]"],
    );
}

#[test]
fn an_order_with_classes_and_constants_of_all_kinds() {
    check(
        &[
            ("lib/Lib/package.mo", "package Lib constant Real c = 1; model A end A; end Lib;"),
            ("lib/Lib/M.mo", "within Lib; model M Real x = c; end M;"),
            ("lib/Lib/P/package.mo", "within Lib; package P end P;"),
            ("lib/Lib/package.order", "c\nA\n\nP\nM"),
        ],
        "Lib.M",
        &[],
    );
}

#[test]
fn the_name_itself_is_no_advice() {
    check(
        &[
            ("lib/Lib/M.mo", "within Lib; model M Lib.Folder.A a; end M;"),
            ("lib/Lib/Folder/A.mo", "within Lib; model A end A;"),
        ],
        "Lib.M",
        &["K0202 Lib has no element Folder [lib/Lib/M.mo:1] [lib/Lib/package.mo:1]"],
    );
}

#[test]
fn a_class_defined_twice_in_a_file() {
    let mut workspace = Workspace::new(Box::new(kausal_model::NoFiles));
    let (_, diagnostics) = workspace.add_source("twice.mo", "model A end A;\nmodel B end B;\nmodel A end A;");
    let said: Vec<String> = diagnostics.iter().map(|d| format!("{} {}", d.code, d.message)).collect();
    assert_eq!(said, ["K0212 A is defined twice in this file"]);
}
