//! The values that options take: lists with what each value is for, numbers and files that make sense. What makes none is
//! wrong usage.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use kausal::sweep::{self, Device, Quantity, Sampling, Values};
use kausal::{Inline, JacobianMode, Loops, Method, Relaxing, Tearing, plot, store};
use kausal_fmi::export::Version;

/// The values of an option: what is meant, its name, what it does. Types are those of the library, so that there is one
/// list of each here and no other.
pub type Choices<T> = &'static [(T, &'static str, &'static str)];

pub const TEARING: Choices<Tearing> = &[
    (Tearing::Auto, "auto", "Find tearing variables; take those the model declares where that costs less"),
    (Tearing::Declared, "declared", "As the model declares with residue(x)"),
    (Tearing::Off, "off", "Do not tear"),
];

pub const SWITCH: Choices<bool> =
    &[(true, "on", "Warn where units differ"), (false, "off", "Do not look at units")];

pub const FMI: Choices<Version> = &[(Version::Three, "3", "FMI 3.0"), (Version::Two, "2", "FMI 2.0")];

pub const RELAXING: Choices<Relaxing> = &[
    (Relaxing::Auto, "auto", "Find an order of elimination, wherever that is the cheapest way"),
    (Relaxing::Declared, "declared", "As the model declares with relax(x)"),
    (Relaxing::Off, "off", "Do not eliminate in a static order"),
];

pub const LOOPS: Choices<Loops> = &[
    (Loops::Newton, "newton", "Node tearing: formulas, factorisations and Newton's method"),
    (
        Loops::Jacobi,
        "jacobi",
        "Branch tearing of the first kind: successive substitution with the values of the last sweep",
    ),
    (
        Loops::GaussSeidel,
        "gauss-seidel",
        "Branch tearing of the second kind, or the order of relax(x): successive substitution with the newest values",
    ),
];

pub const JACOBIAN: Choices<JacobianMode> = &[
    (JacobianMode::Auto, "auto", "Derivatives of the program"),
    (JacobianMode::Symbolic, "symbolic", "The same"),
    (JacobianMode::Numeric, "numeric", "Differences, several columns at a time where the structure allows"),
    (JacobianMode::NumericDense, "numeric-dense", "Differences column by column"),
    (
        JacobianMode::NumericDenseAnew,
        "numeric-dense-anew",
        "The same, anew for each matrix, as LSODAR and DASSLRT do it",
    ),
];

/// Where events take effect: at the ends of steps?
pub const EVENTS: Choices<bool> = &[
    (false, "located", "Where in the step they belong, which is searched for"),
    (true, "at-steps", "At the ends of steps of one size, as in generated C: what real time will show"),
];

pub const SAMPLING: Choices<Sampling> = &[
    (Sampling::Random, "random", "Each by itself"),
    (
        Sampling::LatinHypercube,
        "latin-hypercube",
        "In each parameter one run in each of as many slices as there are runs",
    ),
    (
        Sampling::Sobol,
        "sobol",
        "Sobol's sequence: evenly in all parameters together; best with a power of two runs",
    ),
];

pub const DEVICE: Choices<Device> = &[
    (Device::Cpu, "cpu", "The cores"),
    (Device::Cuda, "cuda", "GPUs of NVIDIA; an error where there is none, or the model cannot be run on one"),
    (Device::Auto, "auto", "GPUs where there are some and they can, else the cores"),
];

/// What the formulas of inline integration are.
pub fn inline() -> impl TypedValueParser<Value = Inline> {
    named(&Inline::ALL, what_it_inlines)
}

/// The same, but for methods that are told their step.
pub fn inline_with_own_steps() -> impl TypedValueParser<Value = Inline> {
    const OWN: &[(Inline, &str)] = &[
        (Inline::Off, "off"),
        (Inline::Auto, "auto"),
        (Inline::Bdf, "bdf"),
        (Inline::Radau, "radau"),
        (Inline::Rosenbrock, "rosenbrock"),
        (Inline::Mixed, "mixed"),
    ];
    named(OWN, what_it_inlines)
}

fn what_it_inlines(inline: Inline) -> &'static str {
    match inline {
        Inline::Off => "The integrator iterates on all states",
        Inline::Auto => "Backward differentiation formulas inside the model, where that pays",
        Inline::Euler => "Explicit Euler; needs --step",
        Inline::ImplicitEuler => "Implicit Euler; with --step as a fixed step",
        Inline::Trapezoidal => "The trapezoidal rule; needs --step",
        Inline::Bdf => {
            "Backward differentiation formulas of orders 1 to 5; with --step of one order, in fixed steps"
        }
        Inline::Radau => "Radau IIA of order 5, three stages at once; with --step in fixed steps",
        Inline::Rosenbrock => "Rosenbrock method of order 4; it chooses its steps",
        Inline::Mixed => {
            "Backward differentiation formulas, with Newton's method on stiff states only; with --step implicit Euler for \
             these, explicit Euler for the others"
        }
    }
}

/// What the methods of integration are for.
pub fn method() -> impl TypedValueParser<Value = Method> {
    named(&Method::ALL, |method| match method {
        Method::Auto => "Starts explicit, changes where the model turns out to be stiff",
        Method::Bdf => "Stiff models, large ones",
        Method::Radau => "Stiff models with oscillations, tight tolerances",
        Method::Esdirk3 => "Stiff models with many events, loose tolerances",
        Method::Esdirk4 => "Stiff models with many events",
        Method::Rosenbrock => "Stiff models of moderate size, without iterations",
        Method::DormandPrince => "Models that are not stiff",
        Method::Tsitouras => "Models that are not stiff, with fewer operations",
        Method::ExplicitEuler => "Steps of one size: needs --step",
        Method::RungeKutta4 => "Steps of one size, order 4: needs --step",
        Method::ImplicitEuler => "Steps of one size, for stiff models: needs --step",
        Method::Trapezoidal => "Steps of one size, order 2, for stiff models: needs --step",
        Method::FixedRadau => "Steps of one size, order 5, for stiff models: needs --step",
        Method::FixedBdf => "Steps of one size, for stiff models: needs --step, with its order as --order",
    })
}

/// A parser of the values of a list of the library, with what each is for.
fn named<T: Copy + Send + Sync + 'static>(
    all: &'static [(T, &'static str)],
    about: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    let values = all.iter().map(|(value, name)| PossibleValue::new(*name).help(about(*value)));
    PossibleValuesParser::new(values.collect::<Vec<_>>())
        .map(|name| all.iter().find(|(_, known)| *known == name).map_or(all[0].0, |(value, _)| *value))
}

/// A parser of the values of a list.
pub fn one_of<T: Copy + Send + Sync + 'static>(choices: Choices<T>) -> impl TypedValueParser<Value = T> {
    let values = choices.iter().map(|(_, name, about)| PossibleValue::new(*name).help(*about));
    PossibleValuesParser::new(values.collect::<Vec<_>>()).map(move |name| {
        choices.iter().find(|(_, known, _)| *known == name).map_or(choices[0].0, |(value, ..)| *value)
    })
}

/// A file whose name says that it is one of those that can be written.
pub fn result_file(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    store::check(&path).map_err(|_| "results are .csv, .mat or .parquet files".to_owned()).map(|()| path)
}

pub fn plot_file(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    plot::check(&path).map_err(|_| "plots are .svg, .png or .html files".to_owned()).map(|()| path)
}

/// A folder that exists: a permission for what does not would be one for whatever comes there.
pub fn folder(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    if path.is_dir() { Ok(path) } else { Err("it is not a folder".to_owned()) }
}

pub fn page(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    let is_page = path.extension().is_some_and(|e| e == "html" || e == "htm");
    is_page.then_some(path).ok_or_else(|| "the report is an .html file".to_owned())
}

pub fn drawing(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    let fits = path.extension().is_some_and(|e| e == "svg" || e == "png");
    fits.then_some(path).ok_or_else(|| "drawings are .svg or .png files".to_owned())
}

pub fn document(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    let is_page = path.extension().is_some_and(|e| e == "html" || e == "htm");
    is_page.then_some(path).ok_or_else(|| "the page is an .html file".to_owned())
}

pub fn picture(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    let is_svg = path.extension().is_some_and(|e| e == "svg");
    is_svg.then_some(path).ok_or_else(|| "the matrix is an .svg file".to_owned())
}

fn number(text: &str) -> Result<f64, String> {
    text.parse().map_err(|_| "it is not a number".to_owned())
}

pub fn instant(text: &str) -> Result<f64, String> {
    number(text).and_then(|v| if v.is_finite() { Ok(v) } else { Err("it must be finite".into()) })
}

pub fn positive(text: &str) -> Result<f64, String> {
    let value = number(text)?;
    if value > 0.0 && value < 1e9 {
        Ok(value)
    } else {
        Err("it must be positive, and no more than a billion".into())
    }
}

pub fn tolerance(text: &str) -> Result<f64, String> {
    let value = number(text)?;
    if value > 0.0 && value < 1.0 { Ok(value) } else { Err("the tolerance must lie between 0 and 1".into()) }
}

pub fn interval(text: &str) -> Result<f64, String> {
    let value = number(text)?;
    let possible = value >= 0.0 && value.is_finite();
    if possible { Ok(value) } else { Err(format!("the output interval cannot be {value}")) }
}

/// Results have no more points than this.
const MOST_INTERVALS: u32 = 100_000_000;

pub fn number_of_intervals(text: &str) -> Result<u32, String> {
    match text.parse::<u128>() {
        Ok(0) => Err("the number of output intervals must be positive".into()),
        Ok(n) => u32::try_from(n)
            .ok()
            .filter(|n| *n <= MOST_INTERVALS)
            .ok_or_else(|| format!("up to {MOST_INTERVALS} are possible")),
        Err(_) => Err("it is not a whole number".into()),
    }
}

pub fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|n| *n > 0).ok_or_else(|| "it must be a positive whole number".to_owned())
}

pub fn tube_width(text: &str) -> Result<f64, String> {
    let value = number(text)?;
    let possible = value >= 0.0 && value.is_finite();
    if possible { Ok(value) } else { Err("a tube cannot have a negative width".into()) }
}

/// What it is set to depends on the variable.
pub fn setting(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write it as NAME=VALUE")?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

/// A parameter with the values it has in a sweep.
pub fn varied(text: &str) -> Result<(String, Values), String> {
    let (name, values) = text.split_once('=').ok_or("write it as NAME=VALUES")?;
    Ok((name.trim().to_owned(), sweep::parse_values(values)?))
}

pub fn condition(text: &str) -> Result<Quantity, String> {
    Quantity::parse_condition(text)
}

/// A file whose name says that it is a table that can be written.
pub fn table_file(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    sweep::check(&path).map_err(|_| "tables of runs are .csv or .parquet files".to_owned()).map(|()| path)
}
