//! Names and kinds as the flat text writes them.

use kausal_symbolic::function::Scalar;
use kausal_syntax::modelica::is_keyword;
use rustc_hash::FxHashSet;

use crate::expr::arguments;
use crate::flat::FlatModel;

/// A name as an identifier: quoted unless it is one already.
pub fn identifier(name: &str) -> String {
    let mut chars = name.chars();
    let plain = chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_');
    let free = !is_keyword(name) && !TAKEN.contains(&name);
    if plain && free || is_quoted(name) {
        return name.to_owned();
    }
    format!("'{}'", name.replace('\\', "\\\\").replace('\'', "\\'"))
}

/// Is it one quoted identifier?
pub(crate) fn is_quoted(name: &str) -> bool {
    let Some(inside) = name.strip_prefix('\'').and_then(|n| n.strip_suffix('\'')) else { return false };
    let mut escaped = false;
    for c in inside.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\'' => return false,
            _ => {}
        }
    }
    !inside.is_empty() && !escaped
}

/// What the value of an expression is, as far as it can be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A whole number that may stand for anything.
    Unknown,
    /// `Integer`
    Integer,
    /// `Real`
    Real,
    /// `Boolean`
    Boolean,
    /// `String`
    Text,
    /// An index into [`FlatModel::enumerations`].
    Enumeration(u32),
}

impl Kind {
    /// What two things that stand for the same are.
    pub fn join(self, other: Kind) -> Kind {
        match (self, other) {
            (Kind::Unknown, k) | (k, Kind::Unknown) => k,
            (Kind::Integer, Kind::Real) => Kind::Real,
            (k, _) => k,
        }
    }

    /// As an operand of arithmetic.
    pub(crate) fn number(self) -> Kind {
        match self {
            Kind::Enumeration(_) => Kind::Integer,
            k => k,
        }
    }
}

/// What a scalar of a function is; enumerations are numbers there.
pub fn kind_of_scalar(scalar: Scalar) -> Kind {
    match scalar {
        Scalar::Real | Scalar::External => Kind::Real,
        Scalar::Integer | Scalar::Enumeration => Kind::Integer,
        Scalar::Boolean => Kind::Boolean,
        Scalar::String => Kind::Text,
    }
}

/// A name as an identifier that nothing else has: a quoted name may read like the path of another variable.
pub(crate) fn free_identifier(name: &str, taken: &mut FxHashSet<String>) -> String {
    let mut free = identifier(name);
    let mut n = 2;
    while !taken.insert(free.clone()) {
        free = identifier(&format!("{} {n}", bare(name)));
        n += 1;
    }
    free
}

/// The name of a class nested in the printed model: its own if it is nested already, its whole path otherwise.
pub fn nested_name(flat: &FlatModel, path: &str, taken: &mut FxHashSet<String>) -> String {
    let own = path.strip_prefix(flat.name.as_str()).and_then(|rest| rest.strip_prefix('.'));
    let mut candidates = Vec::new();
    if let Some(own) = own {
        candidates.push(identifier(own));
    }
    candidates.push(identifier(path));
    let free = |name: &String| !taken.contains(name) && !arguments::is_builtin(name);
    let name = candidates.into_iter().find(free).unwrap_or_else(|| {
        let mut n = 2;
        loop {
            let name = identifier(&format!("{} {n}", path.replace('\'', "")));
            if !taken.contains(&name) {
                return name;
            }
            n += 1;
        }
    });
    taken.insert(name.clone());
    name
}

/// Scalars in row-major order as an array constructor.
pub fn nested(scalars: &[String], shape: &[usize], scalar: Scalar) -> String {
    if shape.is_empty() {
        return scalars.first().cloned().unwrap_or_default();
    }
    if scalars.is_empty() {
        let sizes: Vec<String> = shape.iter().map(usize::to_string).collect();
        let value = match scalar {
            Scalar::Real | Scalar::External => "0.0",
            Scalar::Integer | Scalar::Enumeration => "0",
            Scalar::Boolean => "false",
            Scalar::String => "\"\"",
        };
        return format!("fill({value}, {})", sizes.join(", "));
    }
    let mut items = scalars.to_vec();
    for &size in shape.iter().rev() {
        items = items.chunks(size.max(1)).map(|row| format!("{{{}}}", row.join(", "))).collect();
    }
    items.into_iter().next().unwrap_or_default()
}

/// A name without its quotes.
pub fn bare(name: &str) -> String {
    if !is_quoted(name) {
        return name.to_owned();
    }
    let mut out = String::with_capacity(name.len());
    let mut escaped = false;
    for c in name[1..name.len() - 1].chars() {
        escaped = c == '\\' && !escaped;
        if !escaped {
            out.push(c);
        }
    }
    out
}

/// A string literal (specification section 2.4.5).
pub(crate) fn string(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            _ => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// Names that are no keywords but mean something everywhere.
pub(crate) const TAKEN: [&str; 9] = [
    "AssertionLevel",
    "Boolean",
    "Clock",
    "ExternalObject",
    "Integer",
    "Real",
    "StateSelect",
    "String",
    "time",
];
