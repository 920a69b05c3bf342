//! Runs the built program on a model and judges what it says. It is a process of its own with a time limit, as for a user:
//! a hang or a crash is a finding like any other.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::case::Case;
use crate::options::Options;
use crate::reference::Truth;
use crate::reference::truth::Signal;

/// Where and how programs are run.
#[derive(Clone, Debug)]
pub struct Bench {
    /// The program `kausal`.
    pub program: PathBuf,
    /// A folder for models and results, one for each thread.
    pub folder: PathBuf,
    /// Longer is a hang.
    pub limit: Duration,
}

/// The signal that is farthest from the truth.
#[derive(Clone, Debug, PartialEq)]
pub struct Deviation {
    /// Its name.
    pub signal: String,
    /// Where.
    pub time: f64,
    /// The truth.
    pub expected: f64,
    /// What came out.
    pub got: f64,
    /// How far off would have been allowed.
    pub allowed: f64,
    /// The size of the signal.
    pub scale: f64,
}

/// What came out.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// Within what is allowed.
    Right,
    /// It ended with a diagnostic.
    Failed {
        /// The first error's code.
        code: String,
        /// Its message.
        message: String,
    },
    /// Wrong numbers, with the warnings that came with them.
    Wrong {
        /// The worst deviation.
        deviation: Deviation,
        /// Codes of warnings.
        warnings: Vec<String>,
    },
    /// It did not end in time.
    Hang,
    /// It ended without a diagnostic, or with a panic.
    Crash(String),
}

/// Runs and judges.
pub fn check(bench: &Bench, case: &Case, options: &Options, truth: &Truth) -> Verdict {
    match run(bench, case, options) {
        Err(verdict) => verdict,
        Ok((table, warnings)) => match compare(case, truth, &table) {
            Some(deviation) => Verdict::Wrong { deviation, warnings },
            None => Verdict::Right,
        },
    }
}

/// Runs without a truth: how it ends, unless it ends with numbers that nobody can judge.
pub fn ends(bench: &Bench, case: &Case, options: &Options) -> Option<Verdict> {
    run(bench, case, options).err()
}

/// A result: column names and rows.
struct Table {
    names: Vec<String>,
    rows: Vec<Vec<f64>>,
}

fn run(bench: &Bench, case: &Case, options: &Options) -> Result<(Table, Vec<String>), Verdict> {
    let model = bench.folder.join(format!("{}.mo", case.name));
    let result = bench.folder.join("result.csv");
    let said = bench.folder.join("messages.txt");
    let crash = |error: std::io::Error| Verdict::Crash(error.to_string());
    fs::write(&model, &case.text).map_err(crash)?;
    let _ = fs::remove_file(&result);
    let mut command = Command::new(&bench.program);
    command.arg("simulate").arg(&model).args(["--model", &case.name]).args(options.words(case.stop));
    command.arg("-o").arg(&result).arg("--color").arg("never");
    for (name, _) in &case.signals {
        command.args(["--variables", name]);
    }
    command.stdin(Stdio::null()).stdout(Stdio::null());
    command.stderr(File::create(&said).map_err(crash)?);
    let mut child = command.spawn().map_err(crash)?;
    let began = Instant::now();
    let mut pause = Duration::from_micros(500);
    let status = loop {
        if let Some(status) = child.try_wait().map_err(crash)? {
            break status;
        }
        if began.elapsed() > bench.limit {
            let _ = child.kill();
            let _ = child.wait();
            return Err(Verdict::Hang);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    };
    let messages = fs::read_to_string(&said).unwrap_or_default();
    let codes = |kind: &str| -> Vec<String> {
        messages
            .lines()
            .filter_map(|line| line.strip_prefix(kind)?.split(']').next().map(str::to_owned))
            .collect()
    };
    if !status.success() {
        let first = messages.lines().find(|l| l.starts_with("error")).unwrap_or_default();
        return Err(match codes("error[").first() {
            Some(code) => Verdict::Failed { code: code.clone(), message: first.to_owned() },
            None => {
                let from = messages.lines().position(|l| l.contains("panicked")).unwrap_or(0);
                let how = messages.lines().skip(from).take(3).collect::<Vec<_>>().join(" | ");
                Verdict::Crash(format!("{status}: {how}"))
            }
        });
    }
    let table = read(&result).ok_or_else(|| Verdict::Crash("no result was written".to_owned()))?;
    // What the translation warns of (a class that is not balanced, say) is no word about numbers; what the run says is.
    let warnings = codes("warning[").into_iter().filter(|code| code.starts_with("K05")).collect();
    Ok((table, warnings))
}

fn read(path: &Path) -> Option<Table> {
    let text = fs::read_to_string(path).ok()?;
    let mut lines = text.lines();
    // Names are quoted and may hold commas within subscripts.
    let names = lines.next()?.trim_matches('"').split("\",\"").map(str::to_owned).collect();
    let number = |cell: &str| cell.parse().unwrap_or(f64::NAN);
    Some(Table { names, rows: lines.map(|l| l.split(',').map(number).collect()).collect() })
}

/// The deviation that exceeds what is allowed by most, if any does.
fn compare(case: &Case, truth: &Truth, table: &Table) -> Option<Deviation> {
    let stop = truth.times.last().copied().unwrap_or(0.0);
    let columns: Vec<Option<usize>> =
        case.signals.iter().map(|(name, _)| table.names.iter().position(|n| n == name)).collect();
    let mut worst: Option<(f64, Deviation)> = None;
    let mut first_row = 0;
    for (k, &t) in truth.times.iter().enumerate() {
        let same = |row: &Vec<f64>| (row[0] - t).abs() <= 1e-10 * stop;
        while first_row < table.rows.len() && table.rows[first_row][0] < t - 1e-10 * stop {
            first_row += 1;
        }
        let rows: Vec<&Vec<f64>> = table.rows[first_row..].iter().take_while(|row| same(row)).collect();
        let near: Vec<_> = truth.events.iter().filter(|(e, w)| (e.time - t).abs() <= *w).collect();
        for (s, (name, kind)) in case.signals.iter().enumerate() {
            let expected = truth.values[k][s];
            let (mut low, mut high) = (expected, expected);
            for (event, _) in &near {
                low = low.min(event.before[s]).min(event.after[s]);
                high = high.max(event.before[s]).max(event.after[s]);
            }
            let allowed = truth.allowed[k][s].max(f64::MIN_POSITIVE);
            // At an event there are rows before and after it; one of them is the value at this instant.
            let best = rows
                .iter()
                .filter_map(|row| columns[s].and_then(|c| row.get(c)))
                .map(|&got| (distance(got, low, high) / allowed, got))
                .min_by(|a, b| a.0.total_cmp(&b.0))
                .unwrap_or((f64::INFINITY, f64::NAN));
            let slack =
                if *kind == Signal::Real { rounding(expected, truth.scales[s]) / allowed } else { 0.0 };
            if best.0 > 1.0 + slack && worst.as_ref().is_none_or(|(w, _)| best.0 > *w) {
                let deviation = Deviation {
                    signal: name.clone(),
                    time: t,
                    expected,
                    got: best.1,
                    allowed,
                    scale: truth.scales[s],
                };
                worst = Some((best.0, deviation));
            }
        }
    }
    worst.map(|(_, deviation)| deviation)
}

/// How far outside of an interval; infinite for what is no number.
fn distance(value: f64, low: f64, high: f64) -> f64 {
    if !value.is_finite() { f64::INFINITY } else { (low - value).max(value - high).max(0.0) }
}

/// Signals that are zero but for rounding.
fn rounding(expected: f64, scale: f64) -> f64 {
    1e-12 * scale.max(expected.abs()).max(1e-12)
}
