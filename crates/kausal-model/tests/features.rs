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
    assert!(diagnostics.iter().all(|d| d.code != "K0241"), "the flat form is one model: it has no parts");
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

/// 13.4: an alias of a package, and a package based on one, have the classes that are files in its folder.
#[test]
fn aliases_of_packages_in_folders() {
    let memory = Memory(BTreeMap::from([
        ("lib/P/package.mo", "package P end P;"),
        ("lib/P/Q/package.mo", "within P; package Q constant Real b = 2; end Q;"),
        ("lib/P/Q/f.mo", "within P.Q; function f input Real x; output Real y; algorithm y := b*x; end f;"),
        ("lib/P/Q/Part.mo", "within P.Q; model Part Real z = b*time; end Part;"),
        ("lib/P/Q/Row.mo", "within P.Q; model Row Part part; end Row;"),
    ]));
    let mut workspace = Workspace::new(Box::new(memory));
    workspace.add_folder("lib");
    let text = "package Again = P.Q; package More extends Again(b = 3); end More; \
                package Other extends P.Q; extends Sides; end Other; \
                package Sides model Side Real z = 5*time; end Side; end Sides; \
                model Aliases package ref = More; package third = ref; replaceable package R = P.Q; \
                Real x = ref.f(time); Real y = third.f(x); Again.Part a; ref.Row r; Other.Row o; Other.Side s; \
                Real w = R.f(time); end Aliases; \
                model M extends Aliases(redeclare package R = More); end M;";
    let (_, diagnostics) = workspace.add_source("m.mo", text);
    assert!(diagnostics.is_empty(), "{diagnostics:#?}");
    check_model("aliases_of_packages_in_folders", &mut workspace, "M");
}

#[test]
fn library_in_one_file() {
    check_model("library_file", &mut library("lib"), "Single.One");
}

/// Three versions of one library in two folders, and users of them.
fn versions(uses: &str) -> (f64, Vec<String>) {
    let files = Memory(BTreeMap::from([
        (
            "a/Wheel/package.mo",
            "package Wheel constant Real r = 4; annotation(version=\"4.0.0\"); end Wheel;",
        ),
        (
            "a/Wheel 3.2.3/package.mo",
            "package Wheel constant Real r = 3; annotation(version=\"3.2.3\"); end Wheel;",
        ),
        (
            "b/Wheel 4.1.0.mo",
            "package Wheel constant Real r = 4.1; annotation(version=\"4.1.0\"); end Wheel;",
        ),
    ]));
    let mut workspace = Workspace::new(Box::new(files));
    workspace.add_folder("a");
    workspace.add_folder("b");
    let text = format!("model Car parameter Real r = Wheel.r; annotation({uses}); end Car;");
    workspace.add_source("car.mo", &text);
    let (flat, diagnostics) = workspace.flatten("Car");
    let flat = flat.unwrap_or_else(|| panic!("{}", messages(&diagnostics)));
    let r = flat.variables[0].binding.and_then(|e| flat.pool.as_constant(e)).unwrap_or(f64::NAN);
    (r, diagnostics.iter().map(|d| format!("{} {}", d.code, d.message)).collect())
}

#[test]
fn uses_chooses_the_version() {
    // Without a wish: the first folder, and in it the one without a version in its name.
    assert_eq!(versions(""), (4.0, vec![]));
    assert_eq!(versions("uses(Wheel(version=\"4.0.0\"))"), (4.0, vec![]));
    assert_eq!(versions("uses(Wheel(version=\"4.1.0\"))"), (4.1, vec![]));
    assert_eq!(versions("uses(Wheel(version=\"3.2.3\"))"), (3.0, vec![]));
    // Not there: one that is newer and has the same first number.
    assert_eq!(versions("uses(Wheel(version=\"3.1\"))"), (3.0, vec![]));
    assert_eq!(versions("uses(Wheel(version=\"4.0.5\"))"), (4.1, vec![]));
    let (r, warnings) = versions("uses(Wheel(version=\"5.0.0\"))");
    assert_eq!(r, 4.0);
    assert_eq!(warnings, ["K0208 Car was written for Wheel 5.0.0, but Wheel 4.0.0 is used"]);
}

#[test]
fn classic_files_use_the_classes_of_library_folders() {
    let files = Memory(BTreeMap::from([(
        "lib/classic/decay.dym",
        "model class Decay\n  parameter T = 1\n  local x = 1\n  T*der(x) = -x\nend\n",
    )]));
    let mut workspace = Workspace::new(Box::new(files));
    workspace.add_folder("lib");
    let text = "model Two\n  submodel (Decay) a (T = 2), b\nend\n";
    let (names, diagnostics) = workspace.add_source("two.dym", text);
    assert!(diagnostics.is_empty(), "{}", messages(&diagnostics));
    let (flat, diagnostics) = workspace.flatten(&names[0]);
    let flat = flat.unwrap_or_else(|| panic!("{}", messages(&diagnostics)));
    assert_eq!(count(&flat), Counts { equations: 2, unknowns: 2 });
}

#[test]
fn names_of_files_are_literals() {
    let files = Memory(BTreeMap::from([(
        "lib/Data/package.mo",
        "package Data
           function path
             input String uri;
             output String name;
             external \"C\" name = ModelicaInternal_fullPathName(uri);
           end path;
           class Table
             extends ExternalObject;
             function constructor
               input String name;
               input Real k;
               output Table table;
               external \"C\" table = openTable(name, k);
             end constructor;
             function destructor input Table table; external \"C\" closeTable(table); end destructor;
           end Table;
           model Reader
             parameter String file = path(\"modelica://Data/wind.txt\");
             parameter Boolean given = true;
             parameter Real k = 2;
             parameter String note = \"k is \" + String(k);
             Table table = Table(if given then file else \"none\", k);
           end Reader;
         end Data;",
    )]));
    let mut workspace = Workspace::new(Box::new(files));
    workspace.add_folder("lib");
    check_model("texts", &mut workspace, "Data.Reader");
}

/// One test a feature.
macro_rules! features {
    ($($name:ident)*) => { $(#[test] fn $name() { check(stringify!($name)); })* };
}

features! {
    algorithm_discrete
    lookup_enclosing
    lookup_imports
    lookup_encapsulated
    lookup_inherited
    inner_outer
    inner_outer_both
    inner_missing
    inner_missing_message
    inner_classes
    outer_of_itself
    extremes
    extends_chain
    extends_selected
    modifiers_merged
    modifiers_each_final
    redeclare_component
    redeclare_binding
    redeclare_class
    redeclare_extends
    short_classes
    conditional_components
    records
    records_matrix
    records_sized
    operator_records
    enumerations
    type_attributes
    arrays_of_components
    array_functions
    array_operators
    array_subscripts
    evaluation
    equations_if_for
    equations_when
    equations_initial
    algorithms
    algorithms_events
    algorithms_known
    algorithms_records
    loops_implicit
    loops_records
    array_sizes
    connect_flows
    connect_arrays
    connector_record
    connect_stream
    connect_expandable
    connect_expandable_nested
    connect_expandable_arrays
    connect_outer
    connect_overconstrained
    connect_cardinality
    balance_components
    functions_arguments
    functions_annotations
    functions_external
    functions_several_results
    functions_impure
    functions_printed
    functions_derivative
    functions_external_object
    operators
    clocked
    spatial_distribution
    hints
    hints_user_function
    discrete_strings
    readback
    instance_names
    records_any_order
    records_integers
    redeclared_in_arrays
    enumerations_equal
    lookup_imports_renamed
    redeclare_constraint
    redeclare_again
    loops_empty
    connect_stream_nested
    modifiers_each_lenient
    conditional_connections
}
