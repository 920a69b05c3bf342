//! What is wrong, where, why, and what to do about it: the one type every room reports with. It is rendered
//! in one place, in the crate `kausal`.

use crate::source::Location;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// The result may not be what was meant.
    Warning,
    /// No result.
    Error,
}

/// A place with something to say about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub location: Location,
    /// What about it; may be empty.
    pub message: String,
}

/// One message to the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// A stable code: `K01xx` syntax, `K02xx` names and classes, `K03xx` types and evaluation, `K04xx`
    /// structure, `K05xx` simulation, `K09xx` files and usage.
    pub code: &'static str,
    /// What is wrong, in one sentence.
    pub message: String,
    /// The place it is about (first) and further places that explain it.
    pub labels: Vec<Label>,
    /// What to do.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error with a code and a message.
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        Diagnostic {
            severity: Severity::Error,
            code,
            message: message.into(),
            labels: Vec::new(),
            help: None,
        }
    }

    /// A warning with a code and a message.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(code, message) }
    }

    /// A note with a code and a message.
    pub fn note(code: &'static str, message: impl Into<String>) -> Self {
        Diagnostic { severity: Severity::Note, ..Diagnostic::error(code, message) }
    }

    /// Adds a place; the first one added is the primary one.
    #[must_use]
    pub fn at(mut self, location: Location, message: impl Into<String>) -> Self {
        self.labels.push(Label { location, message: message.into() });
        self
    }

    /// Adds advice.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// Is it an error?
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}
