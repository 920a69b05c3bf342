//! Result files: which format is meant is said by the end of the name, `.csv` or `.mat`.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use kausal_syntax::Diagnostic;

use crate::result::Trajectory;
use crate::{csv, mat};

/// A format of result files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Csv,
    Mat,
}

/// Writes a result.
pub fn write(trajectory: &Trajectory, path: &Path) -> Result<(), Diagnostic> {
    let format = format(path)?;
    let written = File::create(path).and_then(|file| {
        let mut out = BufWriter::new(file);
        match format {
            Format::Csv => csv::write(trajectory, &mut out)?,
            Format::Mat => mat::write(trajectory, &mut out)?,
        }
        out.flush()
    });
    written.map_err(|error| Diagnostic::error("K0907", format!("cannot write {}: {error}", path.display())))
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
    };
    result.map_err(|what| Diagnostic::error("K0912", format!("{} is not a result: {what}", path.display())))
}

fn format(path: &Path) -> Result<Format, Diagnostic> {
    match path.extension().and_then(|e| e.to_str()) {
        Some("csv") => Ok(Format::Csv),
        Some("mat") => Ok(Format::Mat),
        _ => Err(Diagnostic::error("K0909", format!("{}: results are .csv or .mat files", path.display()))),
    }
}
