//! Calls by name, as a declaration makes them.

use kausal_symbolic::function::{
    Array, ExternalArg, ExternalBody, ExternalCall, ExternalError, Externals, LocalId, Value,
};

use crate::frame::Matrix;
use crate::{Options, Permissions, RunFiles, StandardExternals};

/// What may do all that a program may; new files are on the disk.
pub(crate) fn trusting() -> StandardExternals {
    let run = RunFiles { folder: Some(std::env::temp_dir().join("kausal-unused")), outputs: Vec::new() };
    let permissions = Permissions::everything().for_run(&run);
    StandardExternals::new(Options { permissions, ..Options::default() })
}

/// An argument that is only read.
pub(crate) fn input(value: impl Into<Input>) -> ExternalArg {
    ExternalArg { value: value.into().0, written: false }
}

/// An argument that is written.
pub(crate) fn output(value: impl Into<Input>) -> ExternalArg {
    ExternalArg { value: value.into().0, written: true }
}

/// Whatever can be an argument.
pub(crate) struct Input(Value<f64>);

impl From<f64> for Input {
    fn from(x: f64) -> Self {
        Input(Value::Scalar(x))
    }
}

impl From<&str> for Input {
    fn from(text: &str) -> Self {
        Input(Value::text(text))
    }
}

impl From<Vec<f64>> for Input {
    fn from(data: Vec<f64>) -> Self {
        Input(Value::vector(data))
    }
}

impl From<&Matrix> for Input {
    fn from(m: &Matrix) -> Self {
        Input(Value::from(Array::from_vec(&[m.rows, m.cols], m.data.clone()).unwrap()))
    }
}

impl From<Value<f64>> for Input {
    fn from(value: Value<f64>) -> Self {
        Input(value)
    }
}

/// A matrix from its rows.
pub(crate) fn rows<const N: usize>(rows: &[[f64; N]]) -> Matrix {
    Matrix { rows: rows.len(), cols: N, data: rows.concat() }
}

/// Calls a function that has a result.
pub(crate) fn call(
    externals: &dyn Externals,
    name: &str,
    args: &[ExternalArg],
) -> Result<Vec<Value<f64>>, ExternalError> {
    run(externals, name, args, Some(LocalId(0)))
}

/// Calls a function without a result.
pub(crate) fn perform(
    externals: &dyn Externals,
    name: &str,
    args: &[ExternalArg],
) -> Result<Vec<Value<f64>>, ExternalError> {
    run(externals, name, args, None)
}

fn run(
    externals: &dyn Externals,
    name: &str,
    args: &[ExternalArg],
    result: Option<LocalId>,
) -> Result<Vec<Value<f64>>, ExternalError> {
    let body = ExternalBody {
        language: "C".to_owned(),
        name: name.to_owned(),
        result,
        args: Vec::new(),
        annotations: Vec::new(),
        view: Default::default(),
    };
    externals.call(&ExternalCall { function: "f", body: &body, args, constructs: None, apart: None })
}
