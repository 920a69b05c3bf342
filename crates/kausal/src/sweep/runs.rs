//! What came of a sweep, in memory: a row for each run.

use std::collections::BTreeMap;

use crate::settings::Setting;

/// How a run of a sweep ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// At its end.
    Complete,
    /// The model ended it (`terminate`).
    Terminated,
    /// It failed, or could not begin.
    Failed,
    /// It took longer than it may.
    TimedOut,
}

impl Status {
    /// In a table.
    pub fn name(self) -> &'static str {
        match self {
            Status::Complete => "complete",
            Status::Terminated => "terminated",
            Status::Failed => "failed",
            Status::TimedOut => "timed out",
        }
    }

    /// Are its numbers those of a run that went well?
    pub fn is_good(self) -> bool {
        matches!(self, Status::Complete | Status::Terminated)
    }
}

/// One run.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub status: Status,
    /// Why it failed, what the model said, or the first warning.
    pub reason: Option<String>,
    pub end: f64,
    pub numbers: Vec<f64>,
    pub trace: Vec<f64>,
}

/// The runs of a sweep, in their order.
#[derive(Clone, Debug, Default)]
pub struct Runs {
    pub(super) first: u64,
    pub(super) names: Vec<String>,
    pub(super) settings: Vec<Setting>,
    pub(super) quantities: Vec<String>,
    pub(super) numbers: Vec<f64>,
    pub(super) status: Vec<Status>,
    pub(super) ends: Vec<f64>,
    pub(super) reasons: BTreeMap<usize, String>,
    pub(super) traced: Vec<String>,
    pub(super) grid: Vec<f64>,
    pub(super) traces: Vec<f64>,
    pub(super) translations: usize,
}

impl Runs {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.status.len()
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.status.is_empty()
    }

    /// The number of the first one in its sweep.
    pub fn first(&self) -> u64 {
        self.first
    }

    /// What was varied.
    pub fn parameters(&self) -> &[String] {
        &self.names
    }

    /// The value of a parameter in each run.
    pub fn parameter(&self, name: &str) -> Option<Vec<Setting>> {
        let at = self.names.iter().position(|known| known == name)?;
        Some(self.settings.iter().skip(at).step_by(self.names.len()).cloned().collect())
    }

    /// The names of the numbers each run has: `final(x)`, …
    pub fn quantities(&self) -> &[String] {
        &self.quantities
    }

    /// One of these numbers, or a parameter, in each run; NaN where a run has none.
    pub fn get(&self, name: &str) -> Option<Vec<f64>> {
        let Some(at) = self.quantities.iter().position(|known| known == name) else {
            let number = |setting: &Setting| match setting {
                Setting::Number(value) => *value,
                Setting::Word(_) => f64::NAN,
            };
            return self.parameter(name).map(|column| column.iter().map(number).collect());
        };
        Some(self.numbers.iter().skip(at).step_by(self.quantities.len()).copied().collect())
    }

    /// How a run ended.
    pub fn status(&self, run: usize) -> Option<Status> {
        self.status.get(run).copied()
    }

    /// Why it failed, what the model said when it ended it, or the first warning.
    pub fn reason(&self, run: usize) -> Option<&str> {
        self.reasons.get(&run).map(String::as_str)
    }

    /// Where it ended.
    pub fn end(&self, run: usize) -> Option<f64> {
        self.ends.get(run).copied()
    }

    /// How many failed.
    pub fn failed(&self) -> usize {
        self.status.iter().filter(|status| !status.is_good()).count()
    }

    /// How many translations the sweep took.
    pub fn translations(&self) -> usize {
        self.translations
    }

    /// The instants of trajectories.
    pub fn grid(&self) -> &[f64] {
        &self.grid
    }

    /// The variables that have trajectories.
    pub fn traced(&self) -> &[String] {
        &self.traced
    }

    /// The values of a variable over the grid in one run; NaN where it did not get so far.
    pub fn trajectory(&self, run: usize, name: &str) -> Option<Vec<f64>> {
        let at = self.traced.iter().position(|known| known == name)?;
        let size = self.grid.len() * self.traced.len();
        let of_run = self.traces.get(run * size..(run + 1) * size)?;
        Some(of_run.iter().skip(at).step_by(self.traced.len()).copied().collect())
    }

    /// All trajectories: runs, then instants, then variables.
    pub fn trajectories(&self) -> &[f64] {
        &self.traces
    }
}
