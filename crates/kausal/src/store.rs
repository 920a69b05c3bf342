//! Result files: which format is meant is said by the end of the name, `.csv`, `.mat` or `.parquet`.
//!
//! A file is written while the run goes on, so a run that ends early leaves what it has recorded.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

use kausal_syntax::Diagnostic;

use crate::result::{Sink, Trajectory};
use crate::{csv, mat, parquet};

/// A format of result files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Csv,
    Mat,
    Parquet,
}

/// Is this the name of a result file?
pub fn check(path: &Path) -> Result<(), Diagnostic> {
    format(path).map(|_| ())
}

/// Opens a result file for writing.
pub fn create(path: &Path) -> Result<Box<dyn Sink>, Diagnostic> {
    let format = format(path)?;
    let file = File::create(path).map_err(|error| unwritable(path, None, &error))?;
    let out = BufWriter::with_capacity(1 << 16, file);
    Ok(match format {
        Format::Csv => Box::new(csv::Writer::new(out)),
        Format::Mat => Box::new(mat::Writer::new(out)),
        Format::Parquet => Box::new(parquet::Writer::new(out)),
    })
}

/// Writes a result.
pub fn write(trajectory: &Trajectory, path: &Path) -> Result<(), Diagnostic> {
    let mut sink = create(path)?;
    trajectory.replay(&mut *sink).map_err(|error| unwritable(path, None, &error))
}

/// The diagnostic for a file that cannot be written, perhaps only since an instant of the run.
pub fn unwritable(path: &Path, time: Option<f64>, error: &io::Error) -> Diagnostic {
    let at = time.map_or(String::new(), |t| format!(" at time {t}"));
    let d = Diagnostic::error("K0907", format!("cannot write {}{at}: {error}", path.display()));
    match error.kind() {
        io::ErrorKind::StorageFull => {
            d.help("make room, or write less: --variables chooses signals, --output-interval how often")
        }
        io::ErrorKind::NotFound => d.help("the folder does not exist"),
        _ => d,
    }
}

/// Reads a result.
pub fn read(path: &Path) -> Result<Trajectory, Diagnostic> {
    let format = format(path)?;
    let bytes = std::fs::read(path)
        .map_err(|error| Diagnostic::error("K0901", format!("cannot read {}: {error}", path.display())))?;
    let result = match format {
        Format::Csv => match std::str::from_utf8(&bytes) {
            Ok(text) => csv::read(text),
            Err(_) => Err("it is not UTF-8 text".into()),
        },
        Format::Mat => mat::read(&bytes),
        Format::Parquet => parquet::read(&bytes),
    };
    result.map_err(|what| Diagnostic::error("K0912", format!("{} is not a result: {what}", path.display())))
}

fn format(path: &Path) -> Result<Format, Diagnostic> {
    match path.extension().and_then(|e| e.to_str()) {
        Some("csv") => Ok(Format::Csv),
        Some("mat") => Ok(Format::Mat),
        Some("parquet") => Ok(Format::Parquet),
        _ => Err(Diagnostic::error(
            "K0909",
            format!("{}: results are .csv, .mat or .parquet files", path.display()),
        )),
    }
}
