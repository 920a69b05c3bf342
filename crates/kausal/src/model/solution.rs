//! What a run gave: columns by name.

use std::ops::Index;
use std::path::Path;
use std::sync::OnceLock;

use kausal_runtime::Statistics;
use kausal_syntax::{Diagnostic, Sources};

use crate::audit::{Audit, Incomplete};
use crate::error::{Error, ErrorKind};
use crate::result::{Trajectory, Values};
use crate::runner::Finished;
use crate::session::nearest;
use crate::store;

/// The solution of a run: `solution["J.w"]` are the values of a variable at the instants [`Solution::time`].
#[derive(Clone, Debug, Default)]
pub struct Solution {
    trajectory: Trajectory,
    /// Values of signals that are no columns of their own, made when they are first asked for.
    derived: Vec<OnceLock<Vec<f64>>>,
    statistics: Statistics,
    diagnostics: Vec<Diagnostic>,
    audit: Option<Result<Audit, Incomplete>>,
    seconds: f64,
}

impl Solution {
    pub(super) fn new(finished: Finished) -> Solution {
        let mut diagnostics = finished.ended.diagnostics;
        match &finished.audit {
            Some(Ok(audit)) => diagnostics.extend(audit.diagnostics()),
            Some(Err(incomplete)) => diagnostics.push(incomplete.diagnostic()),
            None => {}
        }
        Solution {
            derived: finished.trajectory.signals.iter().map(|_| OnceLock::new()).collect(),
            trajectory: finished.trajectory,
            statistics: finished.ended.statistics,
            diagnostics,
            audit: finished.audit,
            seconds: finished.seconds.run,
        }
    }

    /// One that was taken apart, in another process perhaps: what it recorded and what that took.
    pub fn from_parts(trajectory: Trajectory, statistics: Statistics, seconds: f64) -> Solution {
        Solution {
            derived: trajectory.signals.iter().map(|_| OnceLock::new()).collect(),
            trajectory,
            statistics,
            diagnostics: Vec::new(),
            audit: None,
            seconds,
        }
    }

    /// The instants of all values; an event has two, one before and one after it.
    pub fn time(&self) -> &[f64] {
        &self.trajectory.time
    }

    /// The values of a variable over time; `time` is one, too.
    pub fn get(&self, name: &str) -> Option<&[f64]> {
        let Some(at) = self.trajectory.signals.iter().position(|s| s.name == name) else {
            return (name == "time").then_some(&self.trajectory.time);
        };
        let signal = &self.trajectory.signals[at];
        match signal.values {
            Values::Column(column, false) => self.trajectory.columns.get(column).map(Vec::as_slice),
            _ => Some(self.derived[at].get_or_init(|| self.trajectory.values(signal))),
        }
    }

    /// The value of a variable where the run ended.
    pub fn last(&self, name: &str) -> Option<f64> {
        self.get(name)?.last().copied()
    }

    /// The names of all variables, in the order of the model.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.trajectory.signals.iter().map(|s| s.name.as_str())
    }

    /// All columns, with names and units.
    pub fn trajectory(&self) -> &Trajectory {
        &self.trajectory
    }

    /// The same, for keeps.
    pub fn into_trajectory(self) -> Trajectory {
        self.trajectory
    }

    /// Where the run ended.
    pub fn end(&self) -> f64 {
        self.statistics.end
    }

    /// The message of `terminate`, if the model ended the run.
    pub fn terminated(&self) -> Option<&str> {
        self.statistics.terminated.as_deref()
    }

    /// What the run took.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// Seconds for initialisation and integration.
    pub fn seconds(&self) -> f64 {
        self.seconds
    }

    /// Warnings and notes of the run, and its errors where it failed.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// The estimated error, where it was asked for and could be had; why it could not be had is among the diagnostics.
    pub fn audit(&self) -> Option<&Audit> {
        self.audit.as_ref().and_then(|audit| audit.as_ref().ok())
    }

    /// Writes all columns to a file: `.csv`, `.mat` or `.parquet`.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let written = store::write(&self.trajectory, path.as_ref());
        written.map_err(|d| Error::new(ErrorKind::Output, vec![d], &Sources::default()))
    }
}

/// The values of a variable over time.
///
/// # Panics
/// There is no variable of this name; [`Solution::get`] says so with `None`.
impl Index<&str> for Solution {
    type Output = [f64];

    fn index(&self, name: &str) -> &[f64] {
        self.get(name).unwrap_or_else(|| match nearest(name, self.names()) {
            Some(near) => panic!("there is no variable {name} in the solution; did you mean {near}?"),
            None => panic!("there is no variable {name} in the solution"),
        })
    }
}
