//! What goes wrong with a [`Model`](crate::Model), in one type: diagnostics, as text with the lines of the source they are about.

use std::fmt;
use std::sync::Arc;

use kausal_syntax::{Diagnostic, Sources};

use crate::model::Solution;
use crate::render::{self, JsonDiagnostic};
use crate::simulate::Ending;

/// What goes wrong: printed, it is what the command line tool prints.
///
/// ```
/// use kausal::{ErrorKind, Model};
/// let error = Model::from_text("model M Real x = y; end M;").expect_err("there is no y");
/// assert_eq!(error.kind(), ErrorKind::Model);
/// assert!(error.to_string().contains("model M Real x = y; end M;"), "{error}");
/// ```
#[derive(Clone)]
pub struct Error {
    inner: Arc<Inner>,
}

struct Inner {
    kind: ErrorKind,
    diagnostics: Vec<Diagnostic>,
    text: String,
    located: Vec<JsonDiagnostic>,
    /// What there is of a run that failed.
    partial: Option<Solution>,
}

/// What something has gone wrong with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Reading, or the text of the model: also what it leads to, such as equations without a unique solution.
    Model,
    /// What was asked for: options that contradict each other, names and values that there are not.
    Request,
    /// The run failed: the error has the trajectory up to there.
    Run,
    /// It was ended from outside: the error has the trajectory up to there.
    Cancelled,
    /// It took longer than it may: the error has the trajectory up to there.
    TimedOut,
    /// A file cannot be written.
    Output,
    /// A fault of this program: please report it.
    Internal,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, diagnostics: Vec<Diagnostic>, sources: &Sources) -> Error {
        Error::with(kind, diagnostics, sources, None)
    }

    /// A run that failed.
    pub(crate) fn of_run(partial: Solution, ending: Ending, sources: &Sources) -> Error {
        let kind = match ending {
            Ending::Complete | Ending::Failed => ErrorKind::Run,
            Ending::Cancelled => ErrorKind::Cancelled,
            Ending::TimedOut => ErrorKind::TimedOut,
            Ending::Unwritable => ErrorKind::Output,
            Ending::Fault => ErrorKind::Internal,
        };
        Error::with(kind, partial.diagnostics().to_vec(), sources, Some(partial))
    }

    fn with(
        kind: ErrorKind,
        diagnostics: Vec<Diagnostic>,
        sources: &Sources,
        partial: Option<Solution>,
    ) -> Error {
        // Whatever is being done, a fault is a fault.
        let fault = diagnostics.iter().any(|d| d.code == "K0990");
        let kind = if fault { ErrorKind::Internal } else { kind };
        let text = render::text(&diagnostics, sources, false).trim_end().to_owned();
        let located = render::json(&diagnostics, sources);
        Error { inner: Arc::new(Inner { kind, diagnostics, text, located, partial }) }
    }

    /// What it has gone wrong with.
    pub fn kind(&self) -> ErrorKind {
        self.inner.kind
    }

    /// All that there is to say: errors, and the warnings before them.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.inner.diagnostics
    }

    /// The same with their places in the text, as programs read them.
    pub fn located(&self) -> &[JsonDiagnostic] {
        &self.inner.located
    }

    /// The code of the first error.
    pub fn code(&self) -> &str {
        self.inner.diagnostics.iter().find(|d| d.is_error()).map_or("", |d| d.code)
    }

    /// What there is of a run that failed: its trajectory up to there.
    pub fn partial(&self) -> Option<&Solution> {
        self.inner.partial.as_ref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.inner.text)
    }
}

/// As people read it: this is what `unwrap` and a `main` that fails print.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.inner.text)
    }
}

impl std::error::Error for Error {}
