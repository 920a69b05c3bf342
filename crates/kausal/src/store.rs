//! Result files: which format is meant is said by the end of the name, `.csv`, `.mat` or `.parquet`.
//!
//! A file is written while the run goes on, so a run that ends early leaves what it has recorded. Files that are open are
//! known to the whole program: whoever ends it completes them first ([`complete_all`]). Where nobody could (the program was
//! killed), they are read up to their last complete row all the same, and [`recover`] completes them afterwards.

use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, TryLockError, Weak};
use std::time::{Duration, Instant};

use kausal_external::read_regular;
use kausal_syntax::Diagnostic;
use serde::Serialize;

use crate::result::{Signal, Sink, Trajectory};
use crate::{backup, csv, mat, parquet};

/// A format of result files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Csv,
    Mat,
    Parquet,
}

/// Results of more bytes are not read: memory holds them twice.
const LARGEST: u64 = 1 << 36;

/// Is this the name of a result file?
pub fn check(path: &Path) -> Result<(), Diagnostic> {
    format(path).map(|_| ())
}

/// Opens a result file for writing.
pub fn create(path: &Path) -> Result<Box<dyn Sink>, Diagnostic> {
    let file = open(path)?;
    let mut all = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    all.retain(|other| other.strong_count() > 0);
    all.push(Arc::downgrade(&file.0));
    Ok(Box::new(file))
}

fn open(path: &Path) -> Result<Shared, Diagnostic> {
    let format = format(path)?;
    let file = File::create(path).map_err(|error| unwritable(path, None, &error))?;
    let out = BufWriter::with_capacity(1 << 16, file);
    let sink: Box<dyn Sink + Send> = match format {
        Format::Csv => Box::new(csv::Writer::new(out)),
        Format::Mat => Box::new(mat::Writer::new(out)),
        Format::Parquet => Box::new(parquet::Writer::new(out)),
    };
    Ok(Shared(Arc::new(Mutex::new(Open { sink, started: false, complete: false }))))
}

/// The files that are being written.
static OPEN: Mutex<Vec<Weak<Mutex<Open>>>> = Mutex::new(Vec::new());

struct Open {
    sink: Box<dyn Sink + Send>,
    started: bool,
    /// Nothing more is written.
    complete: bool,
}

/// A file that two may complete: the run, and whoever ends the program.
struct Shared(Arc<Mutex<Open>>);

impl Shared {
    /// What a sink does that panicked is not worse than what it did before.
    fn with(&self, act: impl FnOnce(&mut Open) -> io::Result<()>) -> io::Result<()> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if open.complete { Ok(()) } else { act(&mut open) }
    }
}

impl Sink for Shared {
    fn start(&mut self, signals: &[Signal], columns: usize) -> io::Result<()> {
        self.with(|open| {
            open.started = true;
            open.sink.start(signals, columns)
        })
    }

    fn name_texts(&mut self, names: &[String]) {
        // It has no result that could be lost.
        let _ = self.with(|open| {
            open.sink.name_texts(names);
            Ok(())
        });
    }

    fn texts(&mut self, texts: &[String]) {
        let _ = self.with(|open| {
            open.sink.texts(texts);
            Ok(())
        });
    }

    fn row(&mut self, time: f64, columns: &[f64]) -> io::Result<()> {
        self.with(|open| open.sink.row(time, columns))
    }

    fn keep(&mut self) -> io::Result<()> {
        self.with(|open| open.sink.keep())
    }

    fn finish(&mut self) -> io::Result<()> {
        self.with(|open| {
            open.complete = true;
            open.sink.finish()
        })
    }
}

/// Completes all files that are being written, because the program ends. A file that is in the hands of somebody for longer
/// than `patience` is left as it is.
pub fn complete_all(patience: Duration) {
    let all = std::mem::take(&mut *OPEN.lock().unwrap_or_else(PoisonError::into_inner));
    complete(&all, patience);
    // A run that is made again has not come further yet: what the run before it gave is what there is.
    backup::restore_all();
}

fn complete(all: &[Weak<Mutex<Open>>], patience: Duration) {
    let end = Instant::now() + patience;
    for open in all.iter().filter_map(Weak::upgrade) {
        loop {
            match open.try_lock() {
                Ok(mut open) => {
                    if open.started && !open.complete {
                        open.complete = true;
                        // The program ends: there is nobody to tell.
                        let _ = open.sink.finish();
                    }
                    break;
                }
                Err(TryLockError::WouldBlock) if Instant::now() < end => {
                    std::thread::sleep(Duration::from_millis(1));
                }
                Err(_) => break,
            }
        }
    }
}

/// Writes a file whose name nobody gave: a link that was put there before is replaced, not followed.
///
/// # Errors
/// Where what is there cannot be removed, or the file cannot be written.
pub fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    File::options().write(true).create_new(true).open(path)?.write_all(bytes)
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

/// What completes a file: its length, and bytes to write at some places, also behind that length.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Repair {
    /// What is behind that is no complete row.
    pub length: u64,
    /// Where, and what.
    pub patches: Vec<(u64, Vec<u8>)>,
}

/// A result as it was read.
struct Reading {
    trajectory: Trajectory,
    /// What would complete the file, if it was not.
    repair: Option<Repair>,
}

/// Reads a result; one that was never completed up to its last complete row.
pub fn read(path: &Path) -> Result<Trajectory, Diagnostic> {
    read_file(path).map(|reading| reading.trajectory)
}

/// The same, with a warning about a file that was never completed.
pub fn read_noting(path: &Path) -> Result<(Trajectory, Option<Diagnostic>), Diagnostic> {
    let Reading { trajectory, repair } = read_file(path)?;
    let note = repair.map(|_| {
        let message = format!("{} was not completed: it is read {}", path.display(), extent(&trajectory));
        let command = format!("`kausal recover {}` completes it for other programs", path.display());
        Diagnostic::warning("K0919", message).help(command)
    });
    Ok((trajectory, note))
}

/// What there is, in words.
fn extent(trajectory: &Trajectory) -> String {
    match trajectory.time.last() {
        Some(end) => format!("up to time {end}, {} rows", trajectory.time.len()),
        None => "without any row".to_owned(),
    }
}

/// What there is in a file that was recovered.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Recovered {
    /// Complete rows.
    pub rows: usize,
    /// The last instant.
    pub end: Option<f64>,
    /// It was complete before.
    pub complete: bool,
}

impl Recovered {
    /// In words.
    pub fn text(&self, path: &Path) -> String {
        let what = if self.complete { "is complete" } else { "is complete now" };
        match self.end {
            Some(end) => format!("{} {what}: up to time {end}, {} rows", path.display(), self.rows),
            None => format!("{} {what}, without any row", path.display()),
        }
    }
}

/// Completes a result file that a program left behind when it was killed.
pub fn recover(path: &Path) -> Result<Recovered, Diagnostic> {
    let Reading { trajectory, repair } = read_file(path)?;
    let (rows, end) = (trajectory.time.len(), trajectory.time.last().copied());
    let Some(repair) = repair else { return Ok(Recovered { rows, end, complete: true }) };
    let write = || -> io::Result<()> {
        let mut file = File::options().write(true).open(path)?;
        // The length first: should this be interrupted, too, nothing that is complete is lost.
        file.set_len(repair.length)?;
        for (at, bytes) in &repair.patches {
            file.seek(SeekFrom::Start(*at))?;
            file.write_all(bytes)?;
        }
        file.flush()
    };
    write().map_err(|error| unwritable(path, None, &error))?;
    Ok(Recovered { rows, end, complete: false })
}

fn read_file(path: &Path) -> Result<Reading, Diagnostic> {
    let format = format(path)?;
    let bytes = read_regular(path, LARGEST)
        .map_err(|error| Diagnostic::error("K0901", format!("cannot read {}: {error}", path.display())))?;
    let result = match format {
        Format::Csv => read_csv(&bytes),
        Format::Mat => mat::read(&bytes).map(|t| (t, None)).or_else(|why| {
            mat::read_incomplete(&bytes).map(|(t, repair)| (t, Some(repair))).map_err(|_| why)
        }),
        Format::Parquet => parquet::read(&bytes).map(|t| (t, None)).or_else(|why| {
            parquet::read_incomplete(&bytes).map(|(t, repair)| (t, Some(repair))).map_err(|_| why)
        }),
    };
    match result {
        Ok((trajectory, repair)) => Ok(Reading { trajectory, repair }),
        Err(what) => Err(Diagnostic::error("K0912", format!("{} is not a result: {what}", path.display()))),
    }
}

/// Lines of ours end with a line feed: what follows the last one is no complete row.
fn read_csv(bytes: &[u8]) -> Result<(Trajectory, Option<Repair>), String> {
    let text = |bytes| std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_owned());
    let cut = bytes.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
    let incomplete = || -> Result<_, String> {
        let repair = Repair { length: cut as u64, patches: Vec::new() };
        Ok((csv::read(text(&bytes[..cut])?)?, Some(repair)))
    };
    if cut == 0 && csv::is_own(bytes) {
        return Err("it ends before its first row".to_owned());
    }
    if cut == bytes.len() || cut == 0 {
        return Ok((csv::read(text(bytes)?)?, None));
    }
    if csv::is_own(bytes) {
        return incomplete();
    }
    text(bytes).and_then(csv::read).map(|t| (t, None)).or_else(|why| incomplete().map_err(|_| why))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::Values;

    const ROWS: usize = 500;

    fn sample() -> Trajectory {
        let signal = |name: &str, values| Signal {
            name: name.into(),
            unit: "m".into(),
            description: "größer".into(),
            values,
        };
        Trajectory {
            time: (0..ROWS).map(|i| i as f64 / 8.0).collect(),
            signals: vec![
                signal("x", Values::Column(0, false)),
                signal("minus", Values::Column(0, true)),
                signal("p", Values::Constant(-2.5)),
            ],
            columns: vec![(0..ROWS).map(|i| 1.0 / (i as f64 + 3.0)).collect()],
        }
    }

    /// Writes all rows, makes them safe now and then, and is not completed.
    fn left_behind(path: &Path) {
        let sample = sample();
        let mut sink = create(path).unwrap();
        sink.start(&sample.signals, 1).unwrap();
        for i in 0..ROWS {
            sink.row(sample.time[i], &[sample.columns[0][i]]).unwrap();
            if i % 50 == 7 {
                sink.keep().unwrap();
            }
        }
        sink.keep().unwrap();
    }

    /// Cut anywhere, a file is read up to its last complete row, and is whole after it was recovered.
    #[test]
    fn files_are_read_wherever_they_end() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.csv", "a.mat", "a.parquet"] {
            let path = folder.path().join(name);
            left_behind(&path);
            let bytes = std::fs::read(&path).unwrap();
            let cuts = (0..60).map(|k| bytes.len() * k / 60).chain(bytes.len() - 20..=bytes.len());
            let mut most = 0;
            for cut in cuts {
                std::fs::write(&path, &bytes[..cut]).unwrap();
                // Before the first row there is nothing to read.
                let Ok(cut) = read(&path) else { continue };
                let rows = cut.time.len();
                assert!(rows >= most);
                most = rows;
                let whole = sample();
                let check = |t: &Trajectory| {
                    assert_eq!(t.time, whole.time[..rows], "{name}");
                    for signal in &whole.signals {
                        assert_eq!(t.get(&signal.name).unwrap(), whole.values(signal)[..rows], "{name}");
                    }
                };
                check(&cut);
                recover(&path).unwrap();
                let (after, note) = read_noting(&path).unwrap();
                check(&after);
                assert_eq!(note, None, "{name}");
            }
            assert_eq!(most, ROWS, "{name}");
        }
    }

    #[test]
    fn whoever_ends_the_program_completes_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.parquet");
        let sample = sample();
        let mut sink = open(&path).unwrap();
        sink.start(&sample.signals, 1).unwrap();
        sink.row(0.0, &[1.0]).unwrap();
        complete(&[Arc::downgrade(&sink.0)], Duration::from_secs(1));
        sink.row(1.0, &[2.0]).unwrap();
        sink.finish().unwrap();
        let (result, note) = read_noting(&path).unwrap();
        assert_eq!((result.time, note), (vec![0.0], None));
    }

    #[test]
    fn rows_of_others_need_no_line_feed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        std::fs::write(&path, "time,x\n0,1\n1,25").unwrap();
        assert_eq!(read(&path).unwrap().get("x"), Some(vec![1.0, 25.0]));
        std::fs::write(&path, "time,x\n0,1\n1").unwrap();
        assert_eq!(read(&path).unwrap().get("x"), Some(vec![1.0]));
        std::fs::write(&path, "time,x\n0,1\n1\n2,3\n").unwrap();
        assert!(read(&path).is_err());
    }
}
