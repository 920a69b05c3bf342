//! What to say about names that were not found: how other languages call what is meant, where libraries are looked for,
//! what there is instead.

use kausal_syntax::Symbol;
use kausal_syntax::ast::{ClassKind, Ident};

use crate::class::{Classes, Member, MemberKind};
use crate::ids::KlassId;
use crate::library::{DefId, FileId};

/// Names of other languages, and how they are written in Modelica.
const ELSEWHERE: [(&str, &str); 22] = [
    ("t", "the time is written time"),
    ("pi", "write Modelica.Constants.pi, or declare it: constant Real pi = 2*asin(1)"),
    ("PI", "write Modelica.Constants.pi, or declare it: constant Real pi = 2*asin(1)"),
    ("e", "the exponential function is written exp(x)"),
    ("ln", "the natural logarithm is written log(x)"),
    ("fabs", "did you mean abs?"),
    ("pow", "a power is written x^y"),
    ("sine", "did you mean sin?"),
    ("cosine", "did you mean cos?"),
    ("arcsin", "did you mean asin?"),
    ("arccos", "did you mean acos?"),
    ("arctan", "did you mean atan?"),
    ("float", "did you mean Real?"),
    ("double", "did you mean Real?"),
    ("int", "did you mean Integer?"),
    ("bool", "did you mean Boolean?"),
    ("True", "did you mean true?"),
    ("False", "did you mean false?"),
    ("ddt", "the derivative is written der(x)"),
    ("diff", "the derivative is written der(x)"),
    ("print", "Modelica.Utilities.Streams.print writes a text"),
    ("length", "the size of a vector x is written size(x, 1)"),
];

/// How a name of another language is written in Modelica.
pub(crate) fn elsewhere(name: Symbol) -> Option<&'static str> {
    ELSEWHERE.iter().find(|(other, _)| *other == name.as_str()).map(|(_, help)| *help)
}

/// What is meant by a name that is nothing here, as it is written and by what stands before it: a text in single quotes, a
/// derivative written as a fraction or with a suffix, a unit without quotes, a library in small letters.
pub(crate) fn misread(cx: &mut Classes, file: FileId, name: &Ident, known: &[&str]) -> Option<String> {
    let text = name.symbol.as_str();
    if text.starts_with('\'') {
        return Some(format!("a text is written in double quotes: \"{}\"", text.trim_matches('\'')));
    }
    if is_in_unit(&cx.lib.ast_ref(file).text, name.span.start as usize) {
        return Some("a unit is a text: write it in double quotes".to_owned());
    }
    if text == "dt" {
        return Some("the derivative of x is written der(x)".to_owned());
    }
    let of = |inside: Option<&str>| {
        let inside = inside?.trim_matches('_');
        known.contains(&inside).then(|| format!("the derivative of {inside} is written der({inside})"))
    };
    let fraction = text.strip_prefix('d').map(|rest| rest.strip_suffix("dt").unwrap_or(rest));
    let derivative =
        of(fraction).or_else(|| of(text.strip_suffix("dot"))).or_else(|| of(text.strip_prefix("der")));
    if derivative.is_some() {
        return derivative;
    }
    let mut letters = text.chars();
    let large: String = letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect();
    (large != text && cx.root(Symbol::new(&large)).is_some()).then(|| format!("did you mean {large}?"))
}

/// Does an attribute `unit =` or `displayUnit =` begin before a place, with nothing but a unit between?
fn is_in_unit(text: &str, at: usize) -> bool {
    let line = text[..at].rsplit(['\n', '(', ',', '"', ';']).next().unwrap_or_default();
    let Some((attribute, unit)) = line.split_once('=') else { return false };
    let of_a_unit = |c: char| c.is_alphanumeric() || "*/.^- ".contains(c);
    matches!(attribute.trim(), "unit" | "displayUnit") && unit.chars().all(of_a_unit)
}

/// How many classes of other packages are named.
const NAMED: usize = 3;

/// Libraries that everybody has.
const STANDARD: [&str; 2] = ["Kausal", "Modelica"];

/// Where libraries that are loaded, and those that everybody has, have a class of this name that can be used: those that
/// lie in the fewest packages.
pub(crate) fn in_libraries(cx: &mut Classes, name: Symbol) -> Option<String> {
    if !name.as_str().starts_with(|c: char| c.is_ascii_uppercase()) {
        return None;
    }
    for library in STANDARD {
        cx.root(Symbol::new(library));
    }
    let mut level: Vec<DefId> =
        cx.lib.root_names().into_iter().filter_map(|root| cx.lib.root(root)).collect();
    while !level.is_empty() {
        let mut found: Vec<String> = Vec::new();
        let mut below = Vec::new();
        for package in level {
            for child in cx.lib.child_names(package) {
                let Some(def) = cx.lib.child(package, child) else { continue };
                let class = cx.lib.class(def);
                if class.kind == ClassKind::Package {
                    below.push(def);
                } else if child == name && !class.partial {
                    found.push(cx.lib.full_name(def));
                }
            }
        }
        if !found.is_empty() {
            found.truncate(NAMED);
            return Some(format!("did you mean {}?", found.join(" or ")));
        }
        level = below;
    }
    None
}

/// How many names are listed.
const LISTED: usize = 8;

/// `a, b and c`, or nothing where there are too many to be read.
pub(crate) fn listed(names: &[&str]) -> Option<String> {
    match names {
        [] => None,
        [one] => Some((*one).to_owned()),
        _ if names.len() > LISTED => None,
        [others @ .., last] => Some(format!("{} and {last}", others.join(", "))),
    }
}

/// A library is missing.
pub(crate) fn library_missing(name: Symbol) -> String {
    format!("Library `{name}` was not found")
}

/// What to do about a library that is missing, with the folders it was looked for in.
pub(crate) fn library_help(cx: &Classes) -> String {
    let folders = cx.lib.search_folders();
    let shown: Vec<&str> = folders.iter().filter(|f| !f.starts_with("built-in")).map(|f| &**f).collect();
    let searched = if shown.is_empty() { "no folders".to_owned() } else { shown.join(", ") };
    format!("set MODELICAPATH or use --library (searched: {searched})")
}

/// Does the name begin a path like that of a library: `Name.…`?
pub(crate) fn is_library_name(cx: &Classes, file: FileId, name: &Ident) -> bool {
    let text = &cx.lib.ast_ref(file).text;
    let behind = text.get(name.span.end as usize..).unwrap_or("").trim_start();
    behind.starts_with('.') && name.symbol.as_str().starts_with(|c: char| c.is_ascii_uppercase())
}

/// What a class is called that its library has renamed.
pub(crate) fn new_name(cx: &mut Classes, within: KlassId, name: Symbol) -> Option<String> {
    let def = cx.key(within).def;
    let old = format!("{}.{name}", cx.lib.full_name(def));
    cx.lib.renamed(def, &old)
}

/// Where the libraries that everybody has have a package of this name right inside.
pub(crate) fn in_standard(cx: &mut Classes, name: Symbol) -> Option<String> {
    let mut found: Vec<String> = Vec::new();
    for library in STANDARD.iter().rev() {
        cx.root(Symbol::new(library));
        let root = cx.lib.root(Symbol::new(library));
        if root.is_some_and(|root| cx.lib.child(root, name).is_some()) {
            found.push(format!("{library}.{name}"));
        }
    }
    (!found.is_empty()).then(|| format!("did you mean {}?", found.join(" or ")))
}

/// The components of a class that can be used from outside, where they are few: `it has p and n`. Of many only the
/// connectors are named.
pub(crate) fn elements_help(cx: &mut Classes, within: KlassId) -> Option<String> {
    let members = cx.members_if_built(within)?;
    let is_component = |m: &&Member| !m.protected && matches!(m.kind, MemberKind::Component(_));
    let public: Vec<Member> = members.items.iter().filter(is_component).copied().collect();
    let names: Vec<&str> = public.iter().map(|m| m.name.as_str()).collect();
    if let Some(names) = listed(&names) {
        return Some(format!("it has {names}"));
    }
    let is_connector = |cx: &mut Classes, m: &Member| {
        cx.component(m).is_ok_and(|info| {
            matches!(cx.deep_kind(info.klass), ClassKind::Connector | ClassKind::ExpandableConnector)
        })
    };
    let connectors: Vec<&str> =
        public.iter().filter(|m| is_connector(cx, m)).map(|m| m.name.as_str()).collect();
    listed(&connectors).map(|names| format!("its connectors are {names}"))
}
