//! What an input of a model is given: points, a function, a value, or a column of a file.

use std::path::PathBuf;
use std::sync::Arc;

use kausal_runtime::inputs::{Inputs, Signal};
use kausal_syntax::Diagnostic;
use kausal_translate::Program;

use crate::inputs;

/// What an input is given.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Given {
    /// One value.
    Value(f64),
    /// Values at instants: on straight lines between them, or held up to the next one where the input is not Real. Two at one
    /// instant are a jump.
    Points(Arc<[f64]>, Arc<[f64]>),
    /// A function of time.
    Function(Signal),
    /// A column of a CSV, MAT or Parquet file; the one with the name of the input where none is named.
    File(PathBuf, Option<String>),
}

impl Given {
    /// A function of time, smooth but for the instants that [`Signal::with_breaks`] names.
    pub fn function(value: impl Fn(f64) -> f64 + Send + Sync + 'static) -> Given {
        Given::Function(Signal::function(value))
    }

    /// The column of a file that has the name of the input.
    pub fn file(path: impl Into<PathBuf>) -> Given {
        Given::File(path.into(), None)
    }

    /// A column of a file.
    pub fn column(path: impl Into<PathBuf>, column: impl Into<String>) -> Given {
        Given::File(path.into(), Some(column.into()))
    }
}

impl From<f64> for Given {
    fn from(value: f64) -> Given {
        Given::Value(value)
    }
}

impl From<bool> for Given {
    fn from(value: bool) -> Given {
        Given::Value(u8::from(value).into())
    }
}

impl From<Signal> for Given {
    fn from(signal: Signal) -> Given {
        Given::Function(signal)
    }
}

impl From<(&[f64], &[f64])> for Given {
    fn from((times, values): (&[f64], &[f64])) -> Given {
        Given::Points(times.into(), values.into())
    }
}

impl From<(Vec<f64>, Vec<f64>)> for Given {
    fn from((times, values): (Vec<f64>, Vec<f64>)) -> Given {
        Given::Points(times.into(), values.into())
    }
}

/// The inputs of a run from `start` to `stop`; the warnings say where a file does not cover it. `files` are those that are asked for
/// every input they have a column for.
pub(super) fn all(
    program: &Program,
    files: &[PathBuf],
    given: &[(String, Given)],
    length: (f64, f64),
) -> Result<(Inputs, Vec<Diagnostic>), Diagnostic> {
    let mut words: Vec<String> = files.iter().map(|path| path.to_string_lossy().into_owned()).collect();
    for (name, given) in given {
        if let Given::File(path, column) = given {
            let column = column.as_ref().map_or(String::new(), |column| format!(":{column}"));
            words.push(format!("{name}={}{column}", path.display()));
        }
    }
    let (mut all, warnings) = inputs::from_files(program, &words, length)?;
    for (name, given) in given {
        match given {
            Given::Value(value) => inputs::give(&mut all, program, name, |_| Ok(constant(*value)))?,
            Given::Points(times, values) => {
                inputs::give(&mut all, program, name, |held| Signal::points(times, values, held))?;
            }
            Given::Function(signal) => inputs::give(&mut all, program, name, |_| Ok(signal.clone()))?,
            Given::File(..) => {}
        }
    }
    Ok((all, warnings))
}

fn constant(value: f64) -> Signal {
    let points = Signal::points(&[0.0], &[value], true);
    points.unwrap_or_else(|_| Signal::function(move |_| value))
}
