//! Macros in texts (specification section 18.6.5.5): `%name`, `%class`, `%par`, `%{par}`, `%%`.

use kausal_model::instance::InstId;
use kausal_model::view::{Datum, Instant, View};

use crate::units;

/// What macros stand for.
pub struct Subject {
    /// The component whose parameters are meant.
    pub inst: InstId,
    /// What `%name` stands for.
    pub name: String,
    /// What `%class` stands for.
    pub class: String,
}

/// The text with all macros replaced. One that means nothing stays and is noted.
pub fn expand(
    view: &mut View<'_>,
    subject: &Subject,
    text: &str,
    at: Option<Instant<'_>>,
    notes: &mut Vec<String>,
) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find('%') {
        out.push_str(&rest[..start]);
        rest = &rest[start + 1..];
        if let Some(after) = rest.strip_prefix('%') {
            out.push('%');
            rest = after;
            continue;
        }
        let (name, braces, after) = match rest.strip_prefix('{') {
            Some(inner) => match inner.split_once('}') {
                Some((name, after)) => (name, true, after),
                None => ("", false, rest),
            },
            None => {
                let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
                let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
                (&rest[..end], false, &rest[end..])
            }
        };
        if name.is_empty() {
            out.push('%');
            continue;
        }
        rest = after;
        match name {
            "name" if !braces => out.push_str(&subject.name),
            "class" if !braces => out.push_str(&subject.class),
            _ => match parameter(view, subject.inst, name, at) {
                Some(shown) => out.push_str(&shown),
                None => {
                    notes.push(format!("%{name} in a text of {} is no parameter", subject.class));
                    out.push('%');
                    out.push_str(name);
                }
            },
        }
    }
    out.push_str(rest);
    out
}

/// A parameter as it is shown: its value with its unit, else the expression it is given, else its name.
pub fn parameter(view: &mut View<'_>, from: InstId, path: &str, at: Option<Instant<'_>>) -> Option<String> {
    let inst = view.find(from, path)?;
    let measured = at.and_then(|at| at(&view.path(inst)));
    let value = match measured {
        Some(x) => Some(Datum::Number(x)),
        None => view.value(inst, at),
    };
    Some(match value {
        Some(Datum::Number(x)) => {
            let unit = view.text_attribute(inst, "unit").unwrap_or_default();
            let display = view.text_attribute(inst, "displayUnit").unwrap_or_default();
            units::quantity(x, &unit, &display)
        }
        Some(Datum::Array(items)) => {
            let unit = view.text_attribute(inst, "unit").unwrap_or_default();
            let display = view.text_attribute(inst, "displayUnit").unwrap_or_default();
            array(&items, &unit, &display)
        }
        Some(other) => plain(&other),
        None => match view.value_source(inst) {
            Some(text) => text.split_whitespace().collect::<Vec<_>>().join(" "),
            None => view.name(inst).as_str().to_owned(),
        },
    })
}

/// `{1, 2} m`: the unit once, behind the numbers.
pub fn array(items: &[Datum], unit: &str, display: &str) -> String {
    let display = if display.is_empty() { unit } else { display };
    let converts = units::convert(1.0, unit, display).is_some();
    let shown = shown_array(items, &|x| match converts {
        true => units::convert(x, unit, display).unwrap_or(x),
        false => x,
    });
    let unit = units::pretty(if converts { display } else { unit });
    if unit.is_empty() { shown } else { format!("{shown} {unit}") }
}

fn shown_array(items: &[Datum], convert: &dyn Fn(f64) -> f64) -> String {
    let words: Vec<String> = items
        .iter()
        .map(|item| match item {
            Datum::Number(x) => units::number(convert(*x)),
            Datum::Array(items) => shown_array(items, convert),
            other => plain(other),
        })
        .collect();
    format!("{{{}}}", words.join(", "))
}

/// A value without a unit.
pub fn plain(datum: &Datum) -> String {
    match datum {
        Datum::Number(x) => units::number(*x),
        Datum::Boolean(b) => b.to_string(),
        Datum::Text(text) => text.clone(),
        Datum::Literal(name) => name.clone(),
        Datum::Array(items) => shown_array(items, &|x| x),
    }
}
