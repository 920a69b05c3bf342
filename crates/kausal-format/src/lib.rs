//! # kausal-format: one style for Modelica texts
//!
//! Only white space between lexical units changes: the units and the comments stay as they are and where they are, so
//! the tree stays the same. What was written in lines by hand is written anew in lines of at most [`WIDTH`]
//! characters; blank lines between statements stay, one at a time.
//!
//! ```text
//! tokens     lexical units, comments and blank lines between them; widths of ranges
//! blocks     classes, sections, `if`, `for`, `when`: what is a statement, and how far it is indented
//! layout     one statement in one or several lines
//! edits      what changes, as a few small edits: for editors
//! ```
//!
//! **A text that is formatted twice is the same as one formatted once**, because the layout depends only on the lexical
//! units, on which comments stand on a line of their own, and on blank lines. **A text with syntax errors is left as it
//! is.** [`format`] compares the units of its result with those of the text before it gives it away.
//!
//! ```
//! let text = "model   M Real x(start=1);equation\n der(x)=- x; // decay\nend M;";
//! let formatted = kausal_format::format(text).expect("it is correct");
//! assert_eq!(formatted, "model M\n  Real x(start = 1);\nequation\n  der(x) = -x; // decay\nend M;\n");
//! ```

mod blocks;
mod edits;
mod layout;
mod spacing;
mod tokens;

pub use edits::{Edit, edits};

use kausal_syntax::{Diagnostic, SourceId, modelica};

/// The length of lines, in characters, that is not exceeded where there is a place to break.
pub const WIDTH: usize = 110;

/// How far what is inside of something stands to its right, in characters.
pub const INDENT: usize = 2;

/// Why a text was not formatted.
#[derive(Clone, Debug)]
pub enum Unformatted {
    /// It has these syntax errors.
    Errors(Vec<Diagnostic>),
    /// The result would not have been the same model: a fault of this program.
    Fault,
}

/// The text in the one style.
pub fn format(text: &str) -> Result<String, Unformatted> {
    format_as(SourceId(0), text)
}

/// The same, with errors that point into this source.
pub fn format_as(source: SourceId, text: &str) -> Result<String, Unformatted> {
    let parse = modelica::parse(source, text.into());
    if parse.has_errors() {
        let errors = parse.diagnostics.into_iter().filter(Diagnostic::is_error).collect();
        return Err(Unformatted::Errors(errors));
    }
    format_correct(text)
}

/// The text in the one style, if it is known that it has no syntax errors.
pub fn format_correct(text: &str) -> Result<String, Unformatted> {
    let tokens = tokens::Tokens::new(text);
    let formatted = blocks::write(&tokens);
    if tokens::same(&tokens, &formatted) { Ok(formatted) } else { Err(Unformatted::Fault) }
}
