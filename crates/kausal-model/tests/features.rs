//! One small model for every feature of the language, with its flat form as a snapshot.
//!
//! `tests/features/NAME.mo` holds the model, its last class is flattened. Every flat form is read back: it must
//! flatten to the same text again.

use std::collections::BTreeMap;
use std::fmt::Write;

use kausal_model::check::{Counts, count};
use kausal_model::{Files, FlatModel, NoFiles, Workspace, print_flat};
use kausal_syntax::{Diagnostic, Severity};

/// Flattens the last class of a feature model.
fn check(name: &str) {
    let path = format!("{}/tests/features/{name}.mo", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    let mut workspace = Workspace::new(Box::new(NoFiles));
    let (classes, diagnostics) = workspace.add_source(&format!("{name}.mo"), &text);
    assert!(diagnostics.is_empty(), "{diagnostics:#?}");
    let model = classes.last().unwrap_or_else(|| panic!("{path} has no class")).clone();
    check_model(name, &mut workspace, &model);
}

/// Flattens a class of a workspace and compares its text, counts and warnings with the snapshot.
fn check_model(name: &str, workspace: &mut Workspace, model: &str) {
    let (flat, diagnostics) = workspace.flatten(model);
    let Some(flat) = flat else { panic!("{name} has errors: {}", messages(&diagnostics)) };
    let counts = count(&flat);
    assert!(counts.balanced(), "{name}: {counts:?}");
    let mut text = print_flat(&flat);
    let _ = writeln!(text, "// {} equations, {} unknowns", counts.equations, counts.unknowns);
    text.push_str(&messages(&diagnostics));
    insta::assert_snapshot!(name, text);
    roundtrip(&flat, counts);
}

/// The text of a flat model flattens to the same text.
fn roundtrip(flat: &FlatModel, counts: Counts) {
    let text = print_flat(flat);
    let mut workspace = Workspace::new(Box::new(NoFiles));
    let (classes, diagnostics) = workspace.add_source("flat.mo", &text);
    assert!(diagnostics.is_empty(), "{}{text}", messages(&diagnostics));
    let (again, diagnostics) = workspace.flatten(&classes[0]);
    let Some(again) = again else { panic!("the flat form has errors: {}{text}", messages(&diagnostics)) };
    let second = print_flat(&again);
    assert!(second == text, "the flat form changed:\n{}", difference(&text, &second));
    assert_eq!(count(&again), counts);
    assert_eq!(again.hints.len(), flat.hints.len());
    let numbers =
        |f: &FlatModel| (f.variables.len(), f.equations.len(), f.initial_equations.len(), f.whens.len());
    assert_eq!(numbers(&again), numbers(flat));
}

/// The lines of both texts that differ.
fn difference(first: &str, second: &str) -> String {
    let mut text = String::new();
    for (a, b) in first.lines().zip(second.lines()).filter(|(a, b)| a != b).take(8) {
        let _ = writeln!(text, "- {a}\n+ {b}");
    }
    text
}

fn messages(diagnostics: &[Diagnostic]) -> String {
    let mut text = String::new();
    for d in diagnostics {
        let severity = match d.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        };
        let _ = writeln!(text, "// {severity} {}: {}", d.code, d.message);
    }
    text
}

/// Files in memory.
struct Memory(BTreeMap<&'static str, &'static str>);

impl Files for Memory {
    fn list(&self, folder: &str) -> Option<Vec<String>> {
        let prefix = format!("{folder}/");
        let mut names: Vec<String> = Vec::new();
        for path in self.0.keys() {
            if let Some(rest) = path.strip_prefix(&prefix) {
                let first = rest.split('/').next().unwrap_or(rest).to_owned();
                if !names.contains(&first) {
                    names.push(first);
                }
            }
        }
        (!names.is_empty()).then_some(names)
    }

    fn read(&self, path: &str) -> Option<String> {
        self.0.get(path).map(|text| (*text).to_owned())
    }
}

fn tank_library() -> Memory {
    Memory(BTreeMap::from([
        ("lib/Tanks 1.0.0/package.mo", "package Tanks constant Real g = 1; end Tanks;"),
        (
            "lib/Tanks/package.mo",
            "package Tanks \"tanks\" constant Real g = 9.81; annotation(version=\"2.0.0\"); end Tanks;",
        ),
        ("lib/Tanks/package.order", "Parts\nTank\ng\n"),
        ("lib/Tanks/Parts/package.mo", "within Tanks; package Parts end Parts;"),
        (
            "lib/Tanks/Parts/Outlet.mo",
            "within Tanks.Parts; model Outlet Real h; Real q; parameter Real a = 0.1; \
             equation q = a*sqrt(2*g*h); end Outlet;",
        ),
        ("lib/Tanks/Parts/Broken.mo", "within Tanks.Parts; model Broken this is not Modelica"),
        (
            "lib/Tanks/Tank.mo",
            "within Tanks; model Tank Parts.Outlet outlet(h = level); Real level(start = 1, fixed = true); \
             equation der(level) = -outlet.q; end Tank;",
        ),
        ("lib/Single.mo", "package Single model One Tanks.Tank tank; end One; end Single;"),
    ]))
}

fn library(folder: &str) -> Workspace {
    let mut workspace = Workspace::new(Box::new(tank_library()));
    workspace.add_folder(folder);
    workspace
}

#[test]
fn library_in_folders_is_loaded_lazily() {
    // Parsing Broken.mo would be an error; nobody touches it.
    check_model("library_folders", &mut library("lib"), "Tanks.Tank");
}

#[test]
fn library_in_one_file() {
    check_model("library_file", &mut library("lib"), "Single.One");
}

/// One test a feature.
macro_rules! features {
    ($($name:ident)*) => { $(#[test] fn $name() { check(stringify!($name)); })* };
}

features! {
    lookup_enclosing
    lookup_imports
    lookup_encapsulated
    lookup_inherited
    inner_outer
    inner_outer_both
    inner_missing
    extends_chain
    modifiers_merged
    modifiers_each_final
    redeclare_component
    redeclare_class
    redeclare_extends
    short_classes
    conditional_components
    records
    operator_records
    enumerations
    type_attributes
    arrays_of_components
    array_functions
    array_operators
    evaluation
    equations_if_for
    equations_when
    equations_initial
    algorithms
    connect_flows
    connect_arrays
    connect_stream
    connect_expandable
    connect_overconstrained
    connect_cardinality
    functions_arguments
    functions_annotations
    functions_external
    functions_several_results
    functions_external_object
    operators
    clocked
    spatial_distribution
    hints
    hints_user_function
    discrete_strings
}
