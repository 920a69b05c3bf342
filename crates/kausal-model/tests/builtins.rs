//! The table of built-in functions is asked by equations and by functions: every call that is wrong in one is wrong in the
//! other, with the same code, and none makes the program panic.

use kausal_model::builtins::{Entry, Need, Place, TABLE};
use kausal_model::value::Ty;
use kausal_model::{NoFiles, Workspace};

/// The codes of the errors of a model in a text; a clocked or other operator of models has no meaning in functions.
fn errors(text: &str) -> Vec<&'static str> {
    let mut workspace = Workspace::new(Box::new(NoFiles));
    let (_, diagnostics) = workspace.add_source("m.mo", text);
    assert!(diagnostics.is_empty(), "{text}: {diagnostics:?}");
    let (_, diagnostics) = workspace.flatten("M");
    diagnostics.iter().filter(|d| d.is_error()).map(|d| d.code).collect()
}

/// `ndims` takes whatever a call gives, and gives a number: what is wrong is the call.
fn in_model(call: &str) -> Vec<&'static str> {
    errors(&format!("{CONTEXT} model M Real x = time; Real y = ndims({call}); end M;"))
}

fn in_function(call: &str) -> Vec<&'static str> {
    errors(&format!(
        "{CONTEXT} function f input Real x; output Real y; algorithm y := ndims({call}); end f; \
         model M Real y = f(time); end M;"
    ))
}

const CONTEXT: &str = "type E = enumeration(a, b); record R Real a = 1; end R;";

/// Arguments of all kinds.
const VALUES: [&str; 12] = [
    "1",
    "0",
    "-1",
    "2.5",
    "x",
    "true",
    "\"text\"",
    "E.a",
    "{1.0, 2.0, 3.0}",
    "{true, false}",
    "[1, 2; 3, 4]",
    "R()",
];

fn right(need: Need) -> &'static str {
    match need {
        Need::Any | Need::Numbers | Need::Number | Need::Ordered => "x",
        Need::Size => "2",
        Need::Order => "1",
        Need::Booleans | Need::Convertible(Ty::Boolean) => "true",
        Need::Convertible(_) => "1",
        Need::Vector | Need::Terms | Need::Factors => "{x, 2.0, 3.0}",
        Need::Matrix | Need::Rows => "[x, 2; 2, 4]",
    }
}

fn call(entry: &Entry, args: &[&str]) -> String {
    format!("{}({})", entry.name, args.join(", "))
}

/// A call with a number of arguments, all as they must be.
fn arguments(entry: &Entry, count: usize) -> Vec<&'static str> {
    (0..count).map(|i| right(entry.need(i))).collect()
}

fn counts(entry: &Entry) -> Vec<usize> {
    (entry.least..=entry.most.min(entry.least + 2)).collect()
}

fn functions() -> impl Iterator<Item = &'static Entry> {
    TABLE.iter().filter(|entry| entry.place == Place::Anywhere)
}

#[test]
fn right_calls_are_right_in_models_and_functions() {
    for entry in functions().filter(|e| e.name != "size" && e.name != "promote" && e.name != "String") {
        for count in counts(entry) {
            let call = call(entry, &arguments(entry, count));
            assert_eq!(in_model(&call), Vec::<&str>::new(), "{call} in a model");
            assert_eq!(in_function(&call), Vec::<&str>::new(), "{call} in a function");
        }
    }
}

#[test]
fn a_wrong_number_of_arguments_is_an_error() {
    for entry in functions() {
        let less = entry.least.checked_sub(1);
        let more = entry.most.checked_add(1);
        for count in less.into_iter().chain(more) {
            let call = call(entry, &arguments(entry, count));
            assert_eq!(in_model(&call), ["K0351"], "{call} in a model");
            assert_eq!(in_function(&call), ["K0351"], "{call} in a function");
        }
    }
}

/// Both right, or both wrong with the same code. What only equations or only functions can know is left out: sizes are
/// known in equations, and must be known there; arrays of records are put together in equations only.
fn same_answer(entry: &Entry, at: usize, value: &str, model: &[&str], function: &[&str]) -> bool {
    let unknown_size = entry.need(at) == Need::Size && value == "x";
    let records = value == "R()" && matches!(entry.name, "vector" | "cat" | "promote");
    match (model, function) {
        (["K0301"], ["K0351"]) => unknown_size,
        (["K0332"], []) => matches!(entry.name, "scalar" | "vector" | "linspace" | "cat"),
        ([], ["K0351"]) => records,
        _ => model == function,
    }
}

#[test]
fn wrong_arguments_are_wrong_in_models_and_in_functions() {
    let (mut calls, mut wrong) = (0, 0);
    let mut differences = Vec::new();
    for entry in functions() {
        for count in counts(entry) {
            for at in 0..count {
                for value in VALUES {
                    let mut args = arguments(entry, count);
                    args[at] = value;
                    let call = call(entry, &args);
                    let (model, function) = (in_model(&call), in_function(&call));
                    if !same_answer(entry, at, value, &model, &function) {
                        differences.push(format!("{call}: {model:?} and {function:?}"));
                    }
                    calls += 1;
                    wrong += usize::from(!model.is_empty());
                }
            }
        }
    }
    assert!(differences.is_empty(), "in a model and in a function:\n{}", differences.join("\n"));
    assert!(calls > 800 && wrong > 300, "{wrong} of {calls} calls are wrong");
}

#[test]
fn operators_of_models_are_errors_in_functions() {
    for entry in TABLE.iter().filter(|entry| entry.place == Place::Models) {
        for count in 0..=entry.most.min(3) {
            let call = call(entry, &arguments(entry, count));
            assert_eq!(in_function(&call), ["K0382"], "{call}");
        }
    }
}
