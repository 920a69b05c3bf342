//! Signals for the inputs of a model: from columns of result files, or from functions.
//!
//! `--input FILE` gives every input the column with its name; `--input u=FILE:column` gives one input one column. The files are those
//! that runs write: CSV, MAT or Parquet, time in seconds in front. In the API a function may give an input its values:
//!
//! ```
//! use std::sync::Arc;
//! use kausal::inputs::{Inputs, Signal};
//! use kausal::{Backend, Session, Settings, simulate, tune};
//!
//! let mut session = Session::new();
//! session.add_text("Tank.mo", "model Tank input Real u; Real x(start = 0, fixed = true); equation der(x) = u; end Tank;");
//! let flat = session.flatten("Tank").expect("a correct model");
//! let program = session.translate(&flat, &Default::default()).expect("a regular model");
//! let model = Arc::new(session.compile(program, Backend::Auto).expect("code"));
//! let u = tune::find(&model.program, "u").expect("an input");
//! let mut inputs = Inputs::new();
//! inputs.set(&model.program, u, Signal::function(|t| 2.0 * t)).expect("an input");
//! let settings = Settings { inputs: Arc::new(inputs), ..Settings::default() };
//! let run = simulate::run(model, &settings, &|_| true, None, &mut |_| true);
//! assert!((run.trajectory.get("x").unwrap().last().unwrap() - 1.0).abs() < 1e-5);
//! ```

use std::path::{Path, PathBuf};

use kausal_model::flat::Type;
use kausal_symbolic::VarId;
use kausal_syntax::Diagnostic;
use kausal_translate::Program;
use kausal_translate::program::Input;

pub use kausal_runtime::inputs::{InputError, Inputs, Signal, SignalError};

use crate::result::Trajectory;
use crate::session::nearest;
use crate::simulate::instant;
use crate::store;

/// What somebody asks for: `FILE`, or `name=FILE:column`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Request<'a> {
    /// One input; all that the file has a column for, where there is none.
    input: Option<&'a str>,
    path: PathBuf,
    column: Option<&'a str>,
}

impl<'a> Request<'a> {
    fn parse(word: &'a str) -> Request<'a> {
        let name = |text: &str| !text.is_empty() && !text.contains(['/', '\\']);
        match word.split_once('=').filter(|(input, _)| name(input)) {
            None => Request { input: None, path: word.into(), column: None },
            Some((input, rest)) => match rest.rsplit_once(':').filter(|(file, _)| file.len() > 1) {
                Some((file, column)) => {
                    Request { input: Some(input), path: file.into(), column: Some(column) }
                }
                None => Request { input: Some(input), path: rest.into(), column: None },
            },
        }
    }
}

/// The inputs of a run from `start` to `stop`, as they are asked for one after the other; the warnings say where a file does not
/// cover the run.
pub fn from_files(
    program: &Program,
    words: &[String],
    (start, stop): (f64, f64),
) -> Result<(Inputs, Vec<Diagnostic>), Diagnostic> {
    let (mut inputs, mut warnings) = (Inputs::new(), Vec::new());
    let mut files: Vec<(PathBuf, Trajectory)> = Vec::new();
    for word in words {
        let request = Request::parse(word);
        let known = files.iter().position(|(path, _)| *path == request.path);
        let at = match known {
            Some(at) => at,
            None => {
                files.push((request.path.clone(), store::read(&request.path)?));
                files.len() - 1
            }
        };
        let file = File { path: &request.path, columns: &files[at].1 };
        for (input, column) in file.wanted(program, &request)? {
            let signal = file.signal(program, input, column)?;
            set(&mut inputs, program, input, signal)?;
        }
        if known.is_none() {
            warnings.extend(file.not_covered(start, stop));
        }
    }
    Ok((inputs, warnings))
}

/// Gives the input of a name a signal, which may depend on whether the input changes at events only.
pub(crate) fn give(
    inputs: &mut Inputs,
    program: &Program,
    asked: &str,
    signal: impl FnOnce(bool) -> Result<Signal, SignalError>,
) -> Result<(), Diagnostic> {
    let input = named(program, asked)?;
    let signal = signal(input.held).map_err(|error| {
        let why = match error {
            SignalError::Empty => "there are no points, or not as many values as instants".to_owned(),
            SignalError::NotFinite(at) => format!("point {} is not a finite number", at + 1),
            SignalError::Backwards(at) => format!("point {} is before the one in front of it", at + 1),
        };
        Diagnostic::error("K0561", format!("the input {asked} cannot be given these points: {why}"))
    })?;
    set(inputs, program, input, signal)
}

/// The input of a name.
fn named<'p>(program: &'p Program, asked: &str) -> Result<&'p Input, Diagnostic> {
    let names = || program.inputs.iter().map(|input| name(program, input.variable));
    if program.inputs.is_empty() {
        return Err(Diagnostic::error("K0561", format!("{} has no inputs", program.name))
            .help("an input is declared `input Real u;` at the top level of the model"));
    }
    program.inputs.iter().find(|input| name(program, input.variable) == asked).ok_or_else(|| {
        let d = Diagnostic::error("K0910", format!("{asked} is not an input of {}", program.name));
        match nearest(asked, names()) {
            Some(nearest) => d.help(format!("did you mean {nearest}?")),
            None => d.help(format!("its inputs are {}", names().collect::<Vec<_>>().join(", "))),
        }
    })
}

fn set(inputs: &mut Inputs, program: &Program, input: &Input, signal: Signal) -> Result<(), Diagnostic> {
    let name = name(program, input.variable);
    inputs.set(program, input.variable, signal).map_err(|error| match error {
        InputError::NotAnInput => Diagnostic::error("K0910", format!("{name} is not an input of the model")),
        InputError::Held => {
            Diagnostic::error("K0561", format!("{name} changes at events only: points say when"))
        }
        InputError::NoDerivative(order) => {
            let which = match order {
                1 => "the derivative".to_owned(),
                n => format!("derivative {n}"),
            };
            let message = format!("the equations need {which} of the input {name}, which points do not have");
            Diagnostic::error("K0563", message)
                .help("let the signal go through a filter in the model, or give its derivatives as functions")
        }
    })
}

fn name(program: &Program, v: VarId) -> &str {
    &program.variables[v.index()].name
}

/// A file with columns.
struct File<'a> {
    path: &'a Path,
    columns: &'a Trajectory,
}

impl File<'_> {
    /// Which inputs take which columns.
    fn wanted<'p, 'r>(
        &self,
        program: &'p Program,
        request: &Request<'r>,
    ) -> Result<Vec<(&'p Input, &'r str)>, Diagnostic>
    where
        'p: 'r,
    {
        let names = || program.inputs.iter().map(|input| name(program, input.variable));
        if program.inputs.is_empty() {
            return Err(Diagnostic::error("K0561", format!("{} has no inputs", program.name))
                .help("an input is declared `input Real u;` at the top level of the model"));
        }
        let Some(asked) = request.input else {
            let all: Vec<(&Input, &str)> = program
                .inputs
                .iter()
                .map(|input| (input, name(program, input.variable)))
                .filter(|(_, name)| self.columns.signal(name).is_some())
                .collect();
            if all.is_empty() {
                let inputs: Vec<&str> = names().collect();
                let message =
                    format!("{} has no column for an input of {}", self.path.display(), program.name);
                let help =
                    format!("its inputs are {}; --input u=FILE:column names a column", inputs.join(", "));
                return Err(Diagnostic::error("K0561", message).help(help));
            }
            return Ok(all);
        };
        Ok(vec![(named(program, asked)?, request.column.unwrap_or(asked))])
    }

    fn signal(&self, program: &Program, input: &Input, column: &str) -> Result<Signal, Diagnostic> {
        let path = self.path.display();
        let Some(values) = self.columns.get(column) else {
            let d = Diagnostic::error("K0561", format!("{path} has no column {column}"));
            let names = self.columns.signals.iter().map(|s| s.name.as_str());
            return Err(match nearest(column, names) {
                Some(nearest) => d.help(format!("did you mean {nearest}?")),
                None => d.help("the first line of a CSV file names its columns"),
            });
        };
        let declared = &program.variables[input.variable.index()];
        let time = &self.columns.time;
        let wrong = |row: usize, what: &str| {
            let message = format!("{path}, column {column} at time {}: {what}", instant(time[row]));
            Diagnostic::error("K0561", message)
        };
        let fits = |value: &f64| match declared.ty {
            Type::Boolean => *value == 0.0 || *value == 1.0,
            Type::Real => true,
            _ => value.fract() == 0.0,
        };
        if let Some(row) = values.iter().position(|value| value.is_finite() && !fits(value)) {
            let wanted = if declared.ty == Type::Boolean { "0 or 1" } else { "a whole number" };
            return Err(wrong(row, &format!("{} is not {wanted}", values[row])));
        }
        Signal::points(time, &values, input.held).map_err(|error| match error {
            SignalError::Empty => Diagnostic::error("K0561", format!("{path} has no rows")),
            SignalError::NotFinite(row) if time[row].is_finite() => {
                wrong(row, &format!("{} is not a finite number", values[row]))
            }
            SignalError::NotFinite(row) => Diagnostic::error(
                "K0561",
                format!("{path}: the time in row {} is not a finite number", row + 1),
            ),
            SignalError::Backwards(row) => {
                let (from, to) = (instant(time[row - 1]), instant(time[row]));
                Diagnostic::error("K0561", format!("{path}: time goes back from {from} to {to}"))
            }
        })
    }

    /// A warning where the file does not reach from the start to the end of the run.
    fn not_covered(&self, start: f64, stop: f64) -> Option<Diagnostic> {
        let (&first, &last) = (self.columns.time.first()?, self.columns.time.last()?);
        let rounding = 1e-9 * (stop - start).abs();
        let (early, late) = (first > start + rounding, last < stop - rounding);
        if !early && !late {
            return None;
        }
        let message = format!(
            "{} has rows from {} to {}, and the run goes from {} to {}: outside of them the {} value is kept",
            self.path.display(),
            instant(first),
            instant(last),
            instant(start),
            instant(stop),
            match (early, late) {
                (true, true) => "first or last",
                (true, false) => "first",
                _ => "last",
            }
        );
        Some(Diagnostic::warning("K0562", message).help("time is in seconds"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_name_files_inputs_and_columns() {
        let request = |input, path: &str, column| Request { input, path: path.into(), column };
        assert_eq!(Request::parse("a/b.csv"), request(None, "a/b.csv", None));
        assert_eq!(Request::parse("u=b.csv"), request(Some("u"), "b.csv", None));
        assert_eq!(Request::parse("u=b.csv:x.y"), request(Some("u"), "b.csv", Some("x.y")));
        assert_eq!(Request::parse("d/a=b.csv"), request(None, "d/a=b.csv", None));
    }
}
