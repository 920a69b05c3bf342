//! Parameters as dialogs show them.

use kausal::draw::{Datum, DialogEntry, DialogKind};
use kausal_edit::Source;
use serde_json::{Value, json};

use crate::failure::{Answer, Failure};
use crate::studio::Studio;
use crate::units;

/// The dialog of a component of a class, or of the class itself.
pub fn parameters(studio: &Studio, class: &str, component: &str) -> Answer {
    let mut desk = studio.desk();
    let file = desk.class(class)?.file;
    let text = desk.file(&file)?.text.clone();
    let source = Source::new(&text);
    let dialog = desk.session().dialog(class, component);
    let dialog = dialog.ok_or_else(|| Failure::missing(&format!("component {component} in {class}")))?;
    let icon = crate::calls::icon(&mut desk, &dialog.class);
    let show = |entry: &DialogEntry| shown(entry, &source, class, component);
    // Tabs and groups in the order they appear.
    let mut tabs: Vec<(String, Vec<(String, Vec<Value>)>)> = Vec::new();
    for entry in &dialog.entries {
        let tab = if entry.tab.is_empty() { "General" } else { &entry.tab };
        let group = match (entry.group.as_str(), entry.start) {
            ("", true) => "Initialization",
            ("", false) => "Parameters",
            (group, _) => group,
        };
        let at = tabs.iter().position(|(name, _)| name == tab).unwrap_or_else(|| {
            tabs.push((tab.to_owned(), Vec::new()));
            tabs.len() - 1
        });
        let groups = &mut tabs[at].1;
        let k = groups.iter().position(|(name, _)| name == group).unwrap_or_else(|| {
            groups.push((group.to_owned(), Vec::new()));
            groups.len() - 1
        });
        groups[k].1.push(show(entry));
    }
    tabs.sort_by_key(|(name, _)| name != "General");
    let tabs: Vec<Value> = tabs
        .into_iter()
        .map(|(name, groups)| {
            let groups: Vec<Value> =
                groups.into_iter().map(|(name, entries)| json!({"name": name, "entries": entries})).collect();
            json!({"name": name, "groups": groups})
        })
        .collect();
    Ok(json!({
        "class": class,
        "component": component,
        "type": dialog.class,
        "description": dialog.description,
        "icon": icon,
        "tabs": tabs,
    }))
}

fn shown(entry: &DialogEntry, source: &Source, class: &str, component: &str) -> Value {
    let kind = match entry.kind {
        DialogKind::Real => "real",
        DialogKind::Integer => "integer",
        DialogKind::Boolean => "boolean",
        DialogKind::Text => "string",
        DialogKind::Enumeration => "enumeration",
        DialogKind::Record => "record",
        DialogKind::Class => "class",
        DialogKind::Other => "other",
    };
    let written = match entry.kind {
        DialogKind::Class => kausal_edit::redeclared(source, class, component, &entry.path),
        _ => kausal_edit::written(source, class, component, &entry.path),
    };
    let default = match &written {
        None => entry.value.clone(),
        Some(_) if !entry.declared.is_empty() => entry.declared.clone(),
        Some(_) => String::new(),
    };
    let worth = match &entry.worth {
        Some(Datum::Number(x)) if x.is_finite() => json!(x),
        Some(Datum::Boolean(b)) => json!(b),
        Some(Datum::Text(text)) => json!(text),
        Some(Datum::Literal(name)) => json!(name),
        _ => Value::Null,
    };
    let choices: Vec<Value> =
        entry.choices.iter().map(|(value, label)| json!({"value": value, "label": label})).collect();
    let mut out = json!({
        "path": entry.path,
        "label": entry.path,
        "description": entry.description,
        "kind": kind,
        "dimensions": entry.dimensions,
        "value": written,
        "default": default,
        "worth": worth,
        "unit": entry.unit,
        "displayUnit": entry.display_unit,
        "units": units::choices(&entry.unit, &entry.display_unit),
        "min": entry.min,
        "max": entry.max,
        "enabled": entry.enabled,
        "final": false,
        "choices": choices,
        "checkBox": entry.check_box,
        "constraint": entry.constraint,
        "start": entry.start,
        "colorSelector": entry.color,
    });
    if let Some((save, filter, caption)) = &entry.file {
        out["fileSelector"] = json!({"save": save, "filter": filter, "caption": caption});
    }
    if !entry.entries.is_empty() {
        let inner: Vec<Value> = entry.entries.iter().map(|e| shown(e, source, class, component)).collect();
        out["entries"] = json!(inner);
    }
    out
}
