//! Classic notation: what can be wrong, and how to say it helpfully.
//!
//! All codes of this parser are listed here, `K0150` to `K0199`.

use crate::diagnostic::{Diagnostic, Severity};
use crate::source::SourceId;
use crate::spelling::closest;

/// The codes of the classic parser.
pub(super) mod code {
    /// A character, or a whole file, that is no text of this notation.
    pub(in super::super) const CHARACTER: &str = "K0150";
    /// Braces of comments do not match.
    pub(in super::super) const COMMENT: &str = "K0151";
    /// Something else was expected.
    pub(in super::super) const EXPECTED: &str = "K0152";
    /// Parentheses or brackets do not match.
    pub(in super::super) const UNBALANCED: &str = "K0153";
    /// A class without `end`.
    pub(in super::super) const MISSING_END: &str = "K0154";
    /// `end Name` with another name.
    pub(in super::super) const END_NAME: &str = "K0155";
    /// Text outside of all classes, or a file without any.
    pub(in super::super) const OUTSIDE: &str = "K0156";
    /// A reserved word as a name.
    pub(in super::super) const KEYWORD: &str = "K0157";
    /// `:=` for `=`.
    pub(in super::super) const ASSIGN: &str = "K0158";
    /// `==` for `=`.
    pub(in super::super) const EQUAL_EQUAL: &str = "K0159";
    /// Modelica, or another language.
    pub(in super::super) const FOREIGN: &str = "K0160";
    /// Nested too deeply.
    pub(in super::super) const DEPTH: &str = "K0161";
    /// A name the translation needs for itself.
    pub(in super::super) const RESERVED: &str = "K0162";
    /// Two classes of one name in one file.
    pub(in super::super) const DUPLICATE_CLASS: &str = "K0163";
    /// Two things of one name in one class.
    pub(in super::super) const DUPLICATE: &str = "K0164";
    /// No class of this name.
    pub(in super::super) const UNKNOWN_CLASS: &str = "K0165";
    /// A class inherits itself.
    pub(in super::super) const CIRCULAR: &str = "K0166";
    /// Nothing of this name to connect.
    pub(in super::super) const UNKNOWN_POINT: &str = "K0167";
    /// A component without a main path or main cut in a connection that needs one.
    pub(in super::super) const NO_MAIN: &str = "K0168";
    /// Connected cuts of different shape.
    pub(in super::super) const CUT_MISMATCH: &str = "K0169";
    /// A dimension that is no positive whole number.
    pub(in super::super) const DIMENSION: &str = "K0170";
    /// Subscripts on what is no array, or too many.
    pub(in super::super) const SUBSCRIPT: &str = "K0171";
    /// A value given to something a class does not have.
    pub(in super::super) const UNKNOWN_PARAMETER: &str = "K0172";
    /// `-` and `//` side by side.
    pub(in super::super) const MIXED: &str = "K0173";
    /// A second main cut or main path.
    pub(in super::super) const SECOND_MAIN: &str = "K0174";
    /// A number that cannot be represented.
    pub(in super::super) const NUMBER: &str = "K0175";
    /// `at` between things that are more than one point.
    pub(in super::super) const NOT_A_POINT: &str = "K0176";
    /// More errors than anyone wants to read.
    pub(in super::super) const TOO_MANY: &str = "K0199";
}

/// At most this many messages about one file.
const MOST: usize = 100;

/// An error with this code.
pub(super) fn error(code: &'static str, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(code, message)
}

/// Puts messages into the order of the text, keeps the first hundred, and drops what is said twice about one
/// place.
pub(super) fn in_order(source: SourceId, mut all: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let start = |d: &Diagnostic| {
        d.labels.first().filter(|l| l.location.source == source).map_or(0, |l| l.location.span.start)
    };
    all.sort_by_key(start);
    all.dedup();
    if all.len() > MOST {
        let left = all.len() - MOST;
        let errors_left = all[MOST..].iter().any(Diagnostic::is_error);
        all.truncate(MOST);
        let severity = if errors_left { Severity::Error } else { Severity::Warning };
        let note =
            Diagnostic::note(code::TOO_MANY, format!("{left} more messages about this file are left out"));
        all.push(Diagnostic { severity, ..note });
    }
    all
}

/// Are there more messages than will be shown? Then looking for what was meant is spared: in a large file with
/// many unknown names it would take long.
pub(super) fn plenty(so_far: &[Diagnostic]) -> bool {
    so_far.len() > MOST
}

/// `did you mean …?`, with what else to say when nothing is close.
pub(super) fn did_you_mean<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
    otherwise: &str,
) -> String {
    match closest(name, candidates) {
        Some(close) => format!("did you mean `{close}`?"),
        None => otherwise.to_owned(),
    }
}

/// What to say about a Modelica word where a statement should begin.
pub(super) fn foreign_statement(word: &str) -> Option<&'static str> {
    Some(match word {
        "equation" => "equations stand in the class without a heading; leave this line out",
        "algorithm" | "initial" => "a class has equations only; a start value is written `local x = 1`",
        "protected" | "public" => "all variables of a class can be seen; leave this word out",
        "extends" => "write `inherit` and the name of the class",
        "Real" | "Integer" | "Boolean" | "String" | "discrete" | "flow" | "stream" => {
            "declare a variable with `local`, `parameter` or `constant`, or in a cut"
        }
        "input" | "output" | "terminal" | "external" => "declare the variable in a cut, or with `local`",
        "connector" => "a connector is a cut of the class: `cut p (V / i)`",
        "package" | "within" | "import" | "encapsulated" | "record" | "block" | "function" | "type"
        | "partial" | "operator" | "expandable" => {
            "a file is a list of `model class Name … end` and `model Name … end`"
        }
        "annotation" => "there are no annotations; write a comment in braces: `{ … }`",
        "final" | "replaceable" | "redeclare" | "inner" | "outer" | "each" => {
            "declarations have no prefixes here; leave this word out"
        }
        "when" | "for" | "while" | "loop" | "return" | "break" => {
            "a class has plain equations only; a choice is an expression: `x = if c then a else b`"
        }
        _ => return None,
    })
}
